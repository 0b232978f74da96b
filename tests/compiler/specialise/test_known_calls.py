"""Methods and functions of dicts and lists of known parts are worked out before the text runs."""

import copy

import pytest

import astad
from astad.runtime.core.variants import variants_of
from astad.testing import check_gradient

RATES = {"a": 1.3, "b": 0.7}


def is_fused(f, *args):
    astad.gradient(f, *args)
    return any(variants_of(f).fused.values())


def copied(d, x):
    e, g = d.copy(), dict(d, a=x)
    e["b"] = x * x
    return e["a"] * e["b"] + g["a"] * g["b"] + d["b"]


def updated(d, x):
    e = {}
    e.update(d)
    e.update([("c", x), ("a", x * 2.0)], z=x * x)
    other = e
    other.update(e)
    return e["a"] * e["b"] + e["c"] * other["z"]


def merged(d, x):
    e = {**d, "a": x, "c": d["a"]}
    g = e | {"b": x * x}
    return e["a"] * e["b"] * g["b"] + len(g) * g["c"]


def of_keys(d, x):
    total = dict.fromkeys(d, 0.0)
    for k, v in d.items():
        total[k] += v * x
    nothing = dict.fromkeys(("m", "n"))
    return total["a"] * total["b"] + (x if nothing["m"] is None else 0.0)


def of_keys_one_value(d, x):
    e = dict.fromkeys(("m", "n"), [x, 1.0])
    e["m"][0] = d["a"] * 2.0
    return e["n"][0] * e["m"][1]


def of_pairs(d, x):
    e = dict(zip(("m", "n", "m"), (x, d["a"], d["b"]), strict=True))
    g = dict([("k", x)], m=x * 2.0)
    return e["m"] * e["n"] + g["m"] * g["k"] + len(e)


def set_by_default(d, x):
    e = dict(d)
    e.setdefault("a", 100.0)
    new, old = e.setdefault("new", x), e.setdefault("b", 50.0)
    return e["a"] * e["new"] + new * old


def taken_out(d, x):
    e = dict(d)
    a, missing = e.pop("a"), e.pop("q", x)
    e["a"] = a * x
    total = 0.0
    for at, (_, v) in enumerate(e.items()):
        total += at * v
    del e["b"]
    return total + missing * len(e)


def in_order(d, x):
    total = 0.0
    for _, v in sorted(d.items(), reverse=True):
        total = total * x + v
    for k in sorted(d):
        total = total * x - d[k]
    return total


def values_read(d, x):
    e = {k: v / sum(d.values()) for k, v in d.items()}
    return sum(e.values()) * x + max(d.values()) - min(e.values()) * x


def queue(d, x):
    waiting = [d["a"], d["b"], x, x * x]
    same = waiting
    first = waiting.pop(0)
    same.append(first * 2.0)
    middle = waiting.pop(1)
    del same[0]
    v = waiting[0]
    same[0] = 5.0 * x
    return first * middle + v * waiting[0] + len(waiting) * x


def delayed(d, x):
    line = [d["a"], d["b"], 0.0]
    y = 0.0
    for i in range(60):
        old = line.pop(0)
        line.append(x * i + 0.1 * old)
        y += old * line[0]
    return y + sum(line)


def list_copied(d, x):
    first = [d["a"], x]
    second = first.copy()
    second.append(x * x)
    first[0] = 2.0 * x
    return first[0] * second[0] + sum(second)


FOLLOWED = [
    copied, updated, merged, of_keys, of_keys_one_value, of_pairs, set_by_default, taken_out,
    in_order, values_read, queue, delayed, list_copied,
]  # fmt: skip


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f):
    assert is_fused(f, RATES, 0.6)
    assert astad.value_and_grad(f)(RATES, 0.6)[0] == f(dict(RATES), 0.6)
    check_gradient(f, RATES, 0.6)


def view_seen_later(d, x):
    e = dict(d)
    values = e.values()
    e["a"] = x * e["b"]
    before = sum(values)
    e["b"] = 2.0 * x
    return before * sum(values)


def argument_changed(d, x):
    d.update(a=x)
    return d["a"] * d.pop("b") + len(d)


def many_keys(d, x):
    e = dict(d)
    for i in range(40):
        e.setdefault(i, x)
    return sum(e.values()) * e[3]


@pytest.mark.parametrize("f", [view_seen_later, argument_changed, many_keys])
def test_what_is_not_followed_is_right(f):
    given, own = copy.deepcopy(RATES), copy.deepcopy(RATES)
    value, (d_bar, x_bar) = astad.value_and_grad(f, argnums=(0, 1))(given, 0.6)
    assert value == f(own, 0.6)
    assert given == own  # what is changed for the caller is changed once
    h = 1e-6
    assert x_bar == pytest.approx((f(dict(RATES), 0.6 + h) - f(dict(RATES), 0.6 - h)) / (2 * h))
    for key in RATES:
        up, down = {**RATES, key: RATES[key] + h}, {**RATES, key: RATES[key] - h}
        assert (d_bar[key] or 0.0) == pytest.approx((f(up, 0.6) - f(down, 0.6)) / (2 * h), abs=1e-6)


def test_what_python_refuses_is_refused():
    def missing(d, x):
        return d.pop("q") * x

    def unordered(d, x):
        return len(sorted(["b", ("a", 1)])) * x

    with pytest.raises(KeyError):
        astad.gradient(missing, RATES, 0.6)
    with pytest.raises(TypeError):
        astad.gradient(unordered, RATES, 0.6)


def test_parts_of_arguments_as_lists():
    def of_parts(d, x):
        return sum(d["w"]) * x + max(d["v"]) * min(d["w"])

    args = {"w": [1.0, 2.0, 3.0], "v": (0.5, 0.25)}, 0.7
    assert is_fused(of_parts, *args)
    check_gradient(of_parts, *args)


class Mass:
    def __init__(self, m):
        self.m = m


def pairs_of_objects(x):
    masses, total = [Mass(x), Mass(2.0 * x), Mass(3.0 * x)], 0.0
    for one in masses:
        for other in masses:
            if one is not other:
                total += one.m * other.m
    return total


def two_names(x):
    grown = [x, 2.0 * x]
    same = grown
    grown.append(x)
    return grown[0] * same[2] if same is grown else x


def the_one_of_the_round_before(x, n):
    last, total = Mass(x), 0.0
    for k in range(n):
        mass = Mass(x * (k + 1.0))
        total += mass.m * last.m if last is not mass else 100.0
        last = mass
    return total


@pytest.mark.parametrize(
    ("f", "args", "slope"),
    [
        (pairs_of_objects, (1.5,), 2 * 22.0 * 1.5),
        (two_names, (1.5,), 3.0),
        (the_one_of_the_round_before, (1.5, 3), 2 * (1.0 + 2.0 + 6.0) * 1.5),
    ],
)
def test_whether_two_names_stand_for_one_object(f, args, slope):
    for _ in range(3):
        assert astad.gradient(f, *args)[0] == pytest.approx(slope)
    assert astad.pullback(f, *args)[1](1.0)[0] == pytest.approx(slope)
