"""Classes derived from those of another module; this one has globals of the same names."""

from tests.programs.modules.shapes import Base, Point

RATE = 10.0


def scale(x):
    return x * 1000


class Derived(Base):
    def __init__(self, a, b, c):
        super().__init__(a, b)
        self.c = c

    def value(self, x):
        return super().value(x) + self.c * RATE


class Holder:
    def __init__(self, p):
        self.p = Point(p, p * 2)

    def f(self, x):
        return self.p.norm() * x + self.p.moved(x).norm()
