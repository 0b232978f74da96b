"""Objects of classes that other modules define: each method reads the globals of its own module, as
they are now.
"""

import pytest

import astad
from tests.programs.modules import derived_shapes, shapes
from tests.programs.modules.derived_shapes import Derived, Holder
from tests.programs.modules.shapes import Base, Point

RATE = 7.0


def scale(x):
    return -x


def products(shape, x):
    return shape.value(x) * shape.area


def statics(shape, x):
    return shape.twice(x) + Base.half(x) + shape.half(x)


def paths(point, x):
    return point.norm() * scale(x) + point.moved(x).norm() * RATE


def many(points, x):
    total = 0.0
    for point in points:
        total += point.norm() if point.x > 1 else point.moved(x).norm() * RATE
    return total


def sums(a, x):
    shape = Base(a) + Base(x, a)
    return shape.value(x) + shape(x)


def derived(a, x):
    shape = Derived(a, x, a * x)
    return shape.twice(x) + shape.area


def held(a, x):
    return Holder(a).f(x)


def two_points(a, b, c, d):
    return [Point(a, b), Point(c, d)]


GIVEN = [
    (products, Base, (1.3, 0.4)),
    (statics, Base, (1.3, 0.4)),
    (products, Derived, (1.3, 0.4, 0.2)),
    (statics, Derived, (1.3, 0.4, 0.2)),
    (paths, Point, (1.3, 0.4)),
    (many, two_points, (1.3, 0.4, 0.5, 0.6)),
]


def slopes(f, values, h=1e-6):
    moved = [
        [v + sign * h * (k == at) for k, v in enumerate(values)]
        for at in range(len(values))
        for sign in (1, -1)
    ]
    found = [f(*each) for each in moved]
    return [(up - down) / (2 * h) for up, down in zip(found[::2], found[1::2], strict=True)]


def numbers_of(bar):
    if isinstance(bar, list):
        return [number for part in bar for number in numbers_of(part)]
    return [bar[name] or 0.0 for name in bar]


def check_all():
    for f in (sums, derived, held):
        assert astad.gradient(f, 1.3, 0.7) == pytest.approx(slopes(f, (1.3, 0.7)), rel=1e-6)
    for f, make, parts in GIVEN:
        bar, slope = astad.gradient(f, make(*parts), 0.7)
        wanted = slopes(lambda *v, f=f, make=make: f(make(*v[:-1]), v[-1]), (*parts, 0.7))
        assert [*numbers_of(bar), slope] == pytest.approx(wanted, rel=1e-6, abs=1e-8)


def test_all_of_it_is_written_out():
    for f in (sums, derived, held):
        assert astad.explain(f, 1.3, 0.7).form == "fused"
    for f, make, parts in GIVEN:
        assert astad.explain(f, make(*parts), 0.7).form == "fused"


def test_gradients_against_differences():
    check_all()


@pytest.mark.parametrize(
    ("where", "name", "new"),
    [
        (shapes, "RATE", 0.5),
        (shapes, "scale", lambda x: x**3),
        (derived_shapes, "RATE", 2.0),
        (derived_shapes, "scale", lambda x: x),
        (Base, "value", lambda self, x: x * x * self.a),
        (Base, "area", property(lambda self: self.a**2)),
        (Derived, "twice", lambda self, x: self.c * x),
        (Point, "norm", lambda self: self.x * self.y),
        (Point.__init__, "__defaults__", (9.0,)),
    ],
)
def test_what_is_bound_anew_counts_at_once(where, name, new, monkeypatch):
    check_all()
    monkeypatch.setattr(where, name, new)
    check_all()
    monkeypatch.undo()
    check_all()
