"""A module that programs patch while they run."""


class A:
    def __init__(self, v):
        self.v = v

    def m(self, x):
        return x**2 * self.v


class D(A):
    def m(self, x):
        return 7.0 * x * self.v


def fn(x):
    return x**3


def patch(owner, name, value):
    setattr(owner, name, value)


def swap(space):
    """Write into the namespace of another module."""
    space["max"] = min


def swap_sine(space, sine):
    space["math"] = sine
