"""What the guards of variants ask of arguments."""

from astad import gradient


def test_methods_of_containers_of_ones_own_are_not_asked():
    class Base:
        def __init__(self, rate):
            self.rate = rate

    class Table(Base, dict):
        def __init__(self, value):
            Base.__init__(self, value)
            self.held = {0: value}

        def __len__(self):
            return len(self.held)

        def __iter__(self):
            return iter(self.held)

        def __getitem__(self, key):
            return self.held[key]

    def f(x):
        table = Table(x)
        return (lambda t: t[0] * x + t.rate * len(t))(table)

    assert gradient(f, 3.0) == (7.0,)


def test_classes_derived_from_containers_beside_plain_ones():
    class Point(tuple):
        def norm(self):
            return self[0] * self[0] + self[1] * self[1]

    class Named(dict):
        pass

    def f(p, d, x):
        return p.norm() * d["a"] * x

    p_bar, d_bar, x_bar = gradient(f, Point((1.0, 2.0)), Named(a=3.0), 2.0)
    assert list(p_bar) == [12.0, 24.0]
    assert d_bar["a"] == 10.0
    assert x_bar == 15.0
