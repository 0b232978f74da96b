"""A pullback with right numbers that breaks a promise is found out, and told so."""

import functools

import numpy as np
import pytest

from astad import Tangent, pullback
from astad.testing import compare


def double(x):
    return 2.0 * x


def problems(claimed, f=double, args=(np.array([1.0, 3.0]),)):
    result = compare(claimed, f, args)
    assert (result.outcome == "wrong") == bool(result.problems)
    return result.problems


def test_well_behaved_pullback_has_no_problem():
    assert problems(lambda x: (2.0 * x, lambda g: (2.0 * g,))) == []


def test_other_result():
    (problem,) = problems(lambda x: (2.0 * x + 1.0, lambda g: (2.0 * g,)))
    assert "the result is" in problem
    (problem,) = problems(lambda x: ((2.0 * x).tolist(), lambda g: (2.0 * g,)))
    assert "that of a plain run" in problem


def test_argument_written_that_a_plain_run_leaves_alone():
    def claimed(x):
        y = 2.0 * x
        x += 1.0
        return y, lambda g: (2.0 * g,)

    (problem,) = problems(claimed)
    assert problem.startswith("the arguments are not as a plain run leaves them: args[0] is")


def test_mutation_of_a_plain_run_left_out():
    def f(x):
        x *= 2.0
        return x.copy()

    (problem,) = problems(lambda x: (2.0 * x, lambda g: (2.0 * g,)), f)
    assert problem.startswith("the arguments are not as a plain run leaves them")


def test_back_that_writes_its_seed_or_an_argument():
    def writes_seed(g):
        g *= 2.0
        return (g.copy(),)

    found = problems(lambda x: (2.0 * x, writes_seed))
    assert "back changed the seed" in found

    def writes_argument(x):
        def back(g):
            x[0] = 0.0
            return (2.0 * g,)

        return 2.0 * x, back

    assert problems(writes_argument) == ["back changed an argument"]


def test_back_that_writes_a_captured_variable():
    state = [1.0]

    def f(x):
        return x * state[0] * 2.0

    def claimed(x):
        def back(g):
            state.append(1.0)
            return (2.0 * g,)

        return f(x), back

    assert problems(claimed, f) == ["back changed a captured variable"]


def test_back_that_pops_what_was_kept():
    def claimed(x):
        kept = [2.0, 0.0]
        return 2.0 * x, lambda g: (g * (kept.pop(0) if len(kept) > 1 else kept[0]),)

    assert "back gives other cotangents when called again" in problems(claimed)


def test_back_that_is_not_linear():
    found = problems(lambda x: (2.0 * x, lambda g: (2.0 * np.clip(g, -9, 0.9) + 0.0,)))
    assert any("not linear" in problem for problem in found)


@pytest.mark.parametrize(
    ("claimed", "with_what"),
    [
        (lambda x: (1.0 * x, lambda g: (g,)), "the seed"),
        (lambda x: (1.0 * x, lambda g: (np.multiply(g, 1.0, out=x[:]),)), "an argument"),
    ],
)
def test_shared_memory_is_found(claimed, with_what):
    found = problems(claimed, lambda x: 1.0 * x)
    assert f"cotangents[0] shares memory with {with_what}" in found


def test_two_cotangents_that_are_one_array():
    def claimed(a, b):
        def back(g):
            fresh = g.copy()
            return fresh, fresh

        return a + b, back

    found = problems(claimed, lambda a, b: a + b, (np.ones(2), np.arange(2.0)))
    assert found == ["cotangents[1] shares memory with cotangents[0]"]


@pytest.mark.parametrize(
    ("cotangents", "text"),
    [
        (lambda g: (2.0 * g, None), "back returned 2 cotangents for 1 positional arguments"),
        (lambda g: 2.0 * g, "back returned a ndarray, not a tuple, for 1 positional arguments"),
        (lambda g: ((2.0 * g).astype(np.float32),), "x: float32 for float64"),
        (lambda g: (2.0 * g.reshape(2, 1),), "x: shape (2, 1) for an array of shape (2,)"),
        (lambda g: (2.0 * g + 0j,), "x: complex128 for float64"),
        (lambda g: ((2.0 * g).tolist(),), "x: a list for an array"),
    ],
)
def test_number_and_kind_of_cotangents(cotangents, text):
    found = problems(lambda x: (2.0 * x, cotangents))
    assert text in found


def test_zero_dimensional_cotangent_of_a_float():
    found = problems(lambda x: (2.0 * x, lambda g: (np.array(2.0 * g),)), double, (1.5,))
    assert found == ["x: a ndarray for a number"]


class Weights:
    def __init__(self, w):
        self.w = w


def test_one_cotangent_in_two_places_is_that_of_one_object():
    one = Weights(np.array([1.0, 2.0]))
    f = lambda pair: float(np.sum(pair[0].w * pair[1].w))
    assert compare(functools.partial(pullback, f), f, ([one, one],)).outcome == "right"

    def claimed(pair):
        def back(g):
            bar = g * (pair[0].w + pair[1].w)
            return ([Tangent(w=bar), Tangent(w=bar)],)

        return f(pair), back

    two = [Weights(np.array([1.0, 2.0])), Weights(np.array([1.0, 2.0]))]
    assert any("shares memory" in each for each in compare(claimed, f, (two,)).problems)
