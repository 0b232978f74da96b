"""Classes of attrs, where it is installed: their constructors are made from a string."""

import pytest

from tests.conformance.harness import conforms
from tests.conformance.programs import Programs

attr = pytest.importorskip("attr", reason="attrs is optional")
programs = Programs()


@attr.s
class Old:
    x = attr.ib()
    y = attr.ib(default=2.0, validator=attr.validators.instance_of(float))
    z = attr.ib(factory=list)

    def __attrs_post_init__(self):
        self.z.append(self.x * self.y)


@attr.define
class New:
    x: float = attr.field(converter=lambda v: v * 2)
    y: float = attr.field(default=1.0)
    w: float = attr.field(init=False)

    @w.default
    def _(self):
        return self.x * self.y

    @y.validator
    def check(self, attribute, value):
        if value < 0:
            raise ValueError(attribute.name)


@attr.frozen
class Ice:
    x: float
    tags: tuple = ()


@programs.at(1.5)
def attrs_classes(x):
    o, n, i = Old(x), New(x, x * x), Ice(x, (x, 2.0))
    n.y *= 2.0
    o.z[0] += i.tags[0]
    j = attr.evolve(i, x=i.x * 3)
    total = o.z[0] * n.w + n.y * j.x
    try:
        New(x, -x)
    except ValueError as error:
        total *= len(error.args[0]) + x
    return total + (i == Ice(x, (x, 2.0))) * x


@programs.at(New(1.5, 0.5))
def attrs_instance_as_argument(n):
    n.w += n.x
    return n.w * n.y


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_attrs(program, args, options):
    conforms(program, *args, **options)
