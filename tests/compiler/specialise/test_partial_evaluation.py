"""Variables that stand for one container or another where ways meet, as a state made anew in each
step, have names of their own for its parts.
"""

import pytest

import astad
from astad.runtime.core.variants import variants_of
from astad.testing import check_gradient

RATES = {"a": 1.3, "b": 0.7}


def is_fused(f, *args):
    astad.gradient(f, *args)
    return any(variants_of(f).fused.values())


def filled_anew(p, x, n):
    state = {"a": p["a"], "b": x}
    for i in range(n):
        new = {}
        for k in state:
            new[k] = state[k] * 0.9 + x * i
        state = new
    return state["a"] * state["b"]


def stepped(state, p, x):
    new = state.copy()
    new["v"] += 0.1 * (-p["a"] * state["x"] - p["b"] * state["v"])
    new["x"] = state["x"] + 0.1 * new["v"] * x
    return new


def by_a_function(p, x, n):
    state, path = {"x": 1.0, "v": 0.0}, []
    for _ in range(n):
        state = stepped(state, p, x)
        path.append((state["x"], state["v"]))
    return sum(a * b for a, b in path) + state["x"]


def copied_and_changed(p, x, n):
    state = p
    for _ in range(n):
        state = dict(state)
        state["a"] = state["a"] * x + state["b"]
        state["b"] *= 0.9
    return state["a"] * state["b"] + p["a"]


def changed_before_the_round_ends(p, x, n):
    state = {"a": p["a"], "b": x}
    for _ in range(n):
        new = {"a": 0.0, "b": 0.0}
        new["a"] = state["a"] * 0.9 + state["b"]
        state = new
        new["b"] = x * state["a"]  # seen under both names
    return state["a"] * state["b"]


def one_before(p, x, n):
    now = dict(p)
    before, total = now, 0.0
    for _ in range(n):
        following = dict(now)
        following["a"], following["b"] = now["b"] * x, now["a"] + before["b"]
        before, now = now, following
        total = total + before["a"] * now["b"]
    return total + now["a"]


def left_early(p, x, n):
    state, total = dict(p), 0.0
    for i in range(n):
        new = dict(state)
        new["a"] = state["a"] + x * i
        if i == 2:
            state = new
            continue
        new["b"] *= state["a"]
        state = new
        if state["b"] > 50.0:
            break
        total += state["a"]
    return total + state["a"] * state["b"]


def of_two_branches(p, x, n):
    total = 0.0
    for i in range(n):
        if i % 2:
            d = {"u": x * i, "v": p["a"]}
            d["u"] *= 2.0
        else:
            d = {"u": p["b"], "v": x}
            d["v"] += 1.0
        total += d["u"] * d["v"]
    return total


def best_so_far(p, x, n):
    best = {"cost": 100.0, "at": 0.0}
    for i in range(n):
        found = {"cost": 0.0}
        found["cost"] = (x * i - p["a"]) ** 2
        found["at"] = i * x
        if found["cost"] < best["cost"]:
            best = found
    return best["cost"] + best["at"]


def nested(p, x, n):
    state, total = dict(p), 0.0
    for _ in range(n):
        inner = {"a": 0.0, "b": 0.0}
        for j in range(n):
            new = {"a": 0.0, "b": 0.0}
            new["a"], new["b"] = inner["a"] + state["a"] * x * j, inner["b"] + state["b"]
            inner = new
        state = {**inner, "b": state["b"] * 0.9}
        total += inner["a"] * state["b"]
    return total + state["a"]


def list_made_anew(p, x, n):
    u = [p["a"], p["b"], x]
    for _ in range(n):
        w = []
        for k in range(3):
            w.append(0.5 * u[k] + 0.3 * u[(k + 1) % 3])
        u = w
    return u[0] * u[1] + u[2]


def pair_from_arguments(p, x, n):
    pair = p["a"], p["b"]
    for _ in range(n):
        u, v = pair
        pair = u + 0.1 * v * x, v - 0.1 * u
    return pair[0] * pair[1]


FOLLOWED = [
    filled_anew, by_a_function, copied_and_changed, changed_before_the_round_ends, one_before,
    left_early, of_two_branches, best_so_far, nested, list_made_anew, pair_from_arguments,
]  # fmt: skip


def changed_while_another_name_has_it(p, x, n):
    state, total = dict(p), 0.0
    for _ in range(n):
        new = dict(state)
        new["a"] *= x
        for _ in range(3):
            state = new
            new["b"] = new["b"] + 0.1 * state["a"] * state["b"]
        total += state["b"]
    return total * state["a"]


def best_changed_later(p, x, n):
    best = {"cost": 100.0, "at": 0.0}
    for i in range(n):
        found = {"cost": 0.0}
        found["cost"] = (x * i - p["a"]) ** 2
        found["at"] = i * x
        if found["cost"] < best["cost"]:
            best = found
        found["at"] = 7.0 * x
    return best["cost"] + best["at"]


def either_of_two(p, x, n):
    base, other = {"u": x, "v": p["a"]}, {"u": p["b"], "v": x * x}
    base["u"] *= 1.5
    other["v"] *= 2.0
    d = base if n > 3 else other
    d["u"] = d["u"] * 3.0
    return d["u"] * d["v"] + other["u"] * base["u"]


def two_buffers(p, x, n):
    u, w = [p["a"], p["b"], x], [0.0, 0.0, 0.0]
    for _ in range(n):
        for k in range(3):
            w[k] = 0.5 * u[k] + 0.3 * u[(k + 1) % 3]
        u, w = w, u
    return u[0] * w[1] + u[2]


def changed_behind_the_loop(p, x, n):
    state = {"a": x, "b": 2.0}
    for _ in range(n):
        state = {**state, "a": state["a"] * 0.5 + p["a"]}
    same = state
    state["a"] += 1.0
    return same["a"] * state["b"]


ALIASED = [
    changed_while_another_name_has_it, best_changed_later, either_of_two, two_buffers,
    changed_behind_the_loop,
]  # fmt: skip


CONSTANT = [
    *[(f, 0) for f in (by_a_function, of_two_branches, best_so_far, best_changed_later)],
    (changed_while_another_name_has_it, 0), (nested, 1),
]  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("f", FOLLOWED + ALIASED, ids=lambda f: f.__name__)
def test_gradients(f, n):
    assert astad.value_and_grad(f)(RATES, 0.6, n)[0] == f(dict(RATES), 0.6, n)
    check_gradient(f, RATES, 0.6, n, expect_zero=(f, n) in CONSTANT)


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f):
    assert is_fused(f, RATES, 0.6, 5)


def test_second_derivatives():
    def of_x(x):
        return by_a_function(RATES, x, 5)

    h = 1e-5
    slope = (astad.grad(of_x)(0.6 + h) - astad.grad(of_x)(0.6 - h)) / (2.0 * h)
    assert astad.hessian(of_x, 0.6) == pytest.approx(slope, rel=1e-6)
