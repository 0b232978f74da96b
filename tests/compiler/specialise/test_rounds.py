"""Loops over records that are left early, or whose rounds end early, are written out."""

import pytest

import astad
from astad.runtime.core.variants import variants_of
from astad.testing import check_gradient

LENSES = [{"R": 2.0, "n": 1.5}, {"R": -3.0}, {"R": 1.2, "n": 1.1}]


def is_fused(f, *args):
    astad.gradient(f, *args)
    return any(variants_of(f).fused.values())


def left(lenses, x):
    for d in lenses:
        x = x + d.get("n", 1.0) * d["R"]
        if x < 0.0:
            break
    return x * x


def passed_over(lenses, x):
    total = 0.0
    for d in lenses:
        if d["R"] < 0.0:
            continue
        total += x * d["R"]
        if "n" not in d:
            continue
        total *= d["n"]
    return total


def both(lenses, x):
    total = 0.0
    for at, d in enumerate(lenses):
        if d["R"] * x > 1.3:
            total += x
            continue
        total += x * d["R"]
        if total < -1.0:
            total = total * d["R"]
            break
        total = total + at
    else:
        total = total * 100.0
    return total * x


def with_an_else(lenses, x):
    for d in lenses:
        if d["R"] * x < -100.0:
            break
        x = x * d.get("n", 0.5)
    else:
        x = x * x
    return x


def two_ways_go_on(lenses, x):
    total = 0.0
    for d in lenses:
        if x > 0.5:
            if d["R"] > 0.0:
                total += x
            else:
                break
        else:
            if d["R"] < -5.0:
                continue
            total -= x
        total += d["R"] * x
    return total


def loops_inside(lenses, x):
    total = 0.0
    for d in lenses:
        k = 0
        while True:
            k += 1
            total += x * d["R"] * k
            if k > 3:
                break
            if k == 2:
                continue
            total += x
        if total < -2.0:
            break
        for q in range(3):
            if q == 1:
                continue
            total += q * d["R"]
    return total


def known_end(lenses, x):
    for at, d in enumerate(lenses):
        if at == 2:
            break
        x = x * d["R"]
    return x


def brackets(lenses, x):
    tax = low = 0.0
    for d in [*lenses, {"R": 9.0}]:
        if x <= d["R"]:
            tax += (x - low) * 0.3
            break
        tax += (d["R"] - low) * 0.1
        low = d["R"]
    return tax


def paid_in_turn(lenses, x):
    tranches = [{"due": d["R"] ** 2, "paid": 0.0} for d in lenses]
    for k in range(6):
        cash = x * (k + 1)
        for t in tranches:
            if t["due"] <= 0.0:
                continue
            pay = min(cash, t["due"])
            t["due"] -= pay
            t["paid"] += pay * (k + 1)
            cash -= pay
            if cash <= 0.0:
                break
    return sum(t["paid"] for t in tranches)


def raised(lenses, x):
    total = 0.0
    for d in lenses:
        if x > 100.0:
            raise ValueError("too far")
        if d["R"] < 0.0:
            continue
        total += d["R"] * x
    return total


FOLLOWED = [
    left, passed_over, both, with_an_else, two_ways_go_on, loops_inside, known_end, brackets,
    paid_in_turn, raised,
]  # fmt: skip


@pytest.mark.parametrize("x", [0.37, 0.73, 3.7])
@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_gradients(f, x):
    assert astad.value_and_grad(f)(LENSES, x)[0] == f(LENSES, x)
    check_gradient(f, LENSES, x)


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f):
    assert is_fused(f, LENSES, 0.7)


def test_what_is_raised():
    for _ in range(3):
        with pytest.raises(ValueError, match="too far"):
            astad.gradient(raised, LENSES, 101.0)


def test_of_no_rounds():
    def of_none(d, x):
        for v in d.values():
            if v > 1.0:
                break
            x += v
        else:
            x = x * 2.0
        return x * x

    check_gradient(of_none, {}, 0.7)
    check_gradient(of_none, {"a": 0.3, "b": 0.4}, 0.7)
