"""Arrays that are default values of what is called: they are somebody's, and kept between calls."""

import functools
from collections import namedtuple

import numpy as np
import pytest

import astad

pytestmark = pytest.mark.order_matters


def made():
    """Functions with arrays as defaults, which they write to, and where these lie."""
    base = np.zeros(3)

    def counted(v, out=np.zeros(2)):
        out[0] += 1
        return out[0] * v

    def by_keyword(v, *, out=np.zeros(2)):
        out[1] += v
        return out.sum() * v

    class Layer:
        def __init__(self, w=np.array([1.0, 2.0])):
            self.w = w

        def go(self, v):
            self.w *= 1.1
            return (self.w * v).sum()

    def shared(b=base):
        return b

    def through(v):
        b = shared()
        b[0] += 1.0
        b[2] = v
        return b.sum() * v

    def handed_on(v, b=np.ones(2)):
        return added(v, b)

    def added(v, b):
        b += v
        return b[0] * v

    Pair = namedtuple("Pair", "a b", defaults=[np.zeros(2)])

    def of_a_pair(v):
        pair = Pair(v)
        pair.b[0] += 1
        return pair.b[0] * v

    def drawn(v, b=np.zeros(1)):
        b += 1
        yield b[0] * v

    def part_of_another(v, b=base[1:]):
        b[0] += 1
        return base.sum() * v

    def whole(v, n=np.zeros(2, dtype=int)):
        n[0] += 1
        return n[0] * v

    def without_axes(v, n=np.array(0.0)):
        n += 1
        return n * v

    def beside(v, c=np.zeros(1)):
        c[0] += 1
        return v

    def read(v, c=np.array([1.0, 2.0])):
        return (c * v).sum()

    part = functools.partial(counted)
    programs = {
        "counted": lambda x: counted(x),
        "by_keyword": lambda x: by_keyword(x),
        "layer": lambda x: Layer().go(x),
        "through": lambda x: through(x),
        "handed_on": lambda x: handed_on(x),
        "pair": lambda x: of_a_pair(x),
        "drawn": lambda x: next(drawn(x)),
        "part_of_another": lambda x: part_of_another(x),
        "part": lambda x: sum(map(part, [x, x])),
        "whole": lambda x: whole(x),
        "without_axes": lambda x: float(without_axes(x)),
        "beside": lambda x: beside(x) * x,
        "read": lambda x: read(x),
    }
    held = (
        counted, Layer.__init__, shared, handed_on, Pair.__new__, drawn, part_of_another, whole,
        without_axes, beside, read,
    )  # fmt: skip
    return programs, [base, by_keyword.__kwdefaults__, *[f.__defaults__ for f in held]]


@pytest.mark.parametrize("name", made()[0])
def test_they_are_written_as_often_as_in_the_plain_run(name):
    (programs, held), (plain, expected) = made(), made()
    f, twin = programs[name], plain[name]
    for k in range(8):
        x = 1.5 + 0.1 * (k % 3)
        y, _ = astad.value_and_grad(f)(x)
        assert y == pytest.approx(twin(x), rel=1e-14)
        assert repr(held) == repr(expected)


def test_one_that_is_changed_between_calls_is_read_anew():
    def read(v, c=np.array([1.0, 2.0])):
        return (c * v * v).sum()

    f = lambda x: read(x)
    for k in range(8):
        read.__defaults__[0][0] = k
        assert astad.gradient(f, 1.5) == pytest.approx((3.0 * (k + 2.0),))
