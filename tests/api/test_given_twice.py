"""What is an argument and is reached from outside as well: the total, by every form."""

import pytest

import astad
from astad.api.whole import whole

pytestmark = pytest.mark.order_matters

LIST, DICT, NESTED = [1.0, 2.0], {"w": 2.0}, [[1.0], [2.0]]


class Model:
    def __init__(self):
        self.items = [1.0, 2.0]


MODEL = Model()


def of_a_list(x, a):
    return x * LIST[0] + 10 * a[0]


def of_a_dict(x, a):
    return x * DICT["w"] + 10 * a["w"]


def of_a_part(x, a):
    return x * NESTED[1][0] + 10 * a[0]


def of_an_attribute(x, a):
    return x * MODEL.items[0] + 10 * a[0]


def by_a_callee(x, a):
    return of_a_list(x, a) + x * x


def inside_another(x, a):
    return x * LIST[0] + 10 * a["p"][0]


def captured(kept):
    return lambda x, a: x * kept[0] + 10 * a[0]


def captured_function(fn):
    return lambda x, a: fn(x, a) * x


CASES = [
    (of_a_list, LIST, [3.0, 4.0]),
    (of_a_dict, DICT, {"w": 3.0}),
    (of_a_part, NESTED[1], [5.0]),
    (of_an_attribute, MODEL.items, [5.0, 6.0]),
    (by_a_callee, LIST, [3.0, 4.0]),
    (inside_another, {"p": LIST}, {"p": [3.0, 4.0]}),
    (captured(LIST), LIST, [3.0, 4.0]),
    (captured_function(of_a_list), LIST, [3.0, 4.0]),
]


@pytest.mark.parametrize(("f", "shared", "other"), CASES)
def test_the_same_by_every_form_in_any_order(f, shared, other):
    for given in (shared, other, shared, shared, other, shared):
        y, back = whole.run(f, (3.0, given), {}, self_too=False)
        expected = whole.of_scalar(f, back, (3.0, given), (0, 1))
        assert astad.value_and_grad(f, argnums=(0, 1))(3.0, given) == (y, expected)


def test_the_total_is_what_differences_say():
    h = 1e-6
    LIST[0] += h
    above = of_a_list(3.0, LIST)
    LIST[0] -= 2 * h
    below = of_a_list(3.0, LIST)
    LIST[0] += h
    assert astad.gradient(of_a_list, 3.0, LIST)[1][0] == pytest.approx((above - below) / (2 * h))
    assert astad.gradient(of_a_list, 3.0, [1.0, 2.0])[1] == [10.0, 0.0]
