"""What shows the order in which things happen: a value or an object that says so."""

__all__ = ["Loud", "Truth", "say", "told"]


def say(x):
    print("say", x)
    return x


def told(xs, name="next"):
    """An iterator that says when it is asked."""
    for x in xs:
        print(name, x)
        yield x
    print(name, "end")


class Loud:
    """Prints every operation on it, so that orders of evaluation can be compared."""

    def __init__(self, name):
        self.__dict__["name"] = name

    def __repr__(self):
        return self.name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        print("get", self, name)
        return Loud(f"{self.name}.{name}")

    def __setattr__(self, name, value):
        print("set", self, name, value)

    def __delattr__(self, name):
        print("del", self, name)

    def __getitem__(self, index):
        print("item", self, index)
        return Loud(f"{self.name}[{index}]")

    def __setitem__(self, index, value):
        print("set item", self, index, value)

    def __delitem__(self, index):
        print("del item", self, index)

    def __call__(self, *args, **keywords):
        print("call", self, args, keywords)
        return Loud(f"{self.name}()")

    def __add__(self, other):
        print("add", self, other)
        return Loud(f"({self.name}+{other})")

    def __iadd__(self, other):
        print("iadd", self, other)
        return Loud(f"({self.name}+={other})")

    def __lt__(self, other):
        print("lt", self, other)
        return Loud(f"({self.name}<{other})")

    def __bool__(self):
        return True

    def __format__(self, spec):
        print("format", self, spec)
        return f"<{self.name}:{spec}>"


class Truth:
    """Says when it is asked for its truth."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Truth({self.value})"

    def __bool__(self):
        print("bool", self)
        return bool(self.value)

    def __lt__(self, other):
        return Truth(self.value < getattr(other, "value", other))
