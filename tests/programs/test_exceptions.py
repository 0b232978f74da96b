"""try, except, else, finally, raise and with: what ran before an exception counts, nothing else."""

import contextlib
import math
import operator

import numpy as np
import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


class Found(Exception):
    def __init__(self, value, where="here"):
        super().__init__(value, where)
        self.value = value
        self.where = where


class Scaled:
    """A context manager that scales an attribute for a while."""

    def __init__(self, state, factor, swallows=False):
        self.state, self.factor, self.swallows = state, factor, swallows

    def __enter__(self):
        self.before = self.state["x"]
        self.state["x"] = self.before * self.factor
        return self.state["x"]

    def __exit__(self, kind, error, trace):
        self.state["y"] = self.state["x"] + self.before * self.before
        self.state["x"] = self.before
        return self.swallows


class State(dict):
    pass


def completes(x):
    try:
        y = x * x
    except ValueError:
        y = 0.0
    else:
        y = y + x
    return y


def root(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


def falls_back(x):
    y = x * 3
    try:
        y = y * 2
        y = root(-x)
    except ValueError:
        y = y * x
    finally:
        y = y + x
    return y


def second_clause(x):
    try:
        return {"a": x}["b"]
    except (ValueError, IndexError):
        return 0.0 * x
    except LookupError as e:
        assert str(e) == "'b'"
        return x**3


def payload(x):
    try:
        raise Found(x * x)
    except Found as e:
        return e.value * 2 + e.args[0]


def check(a, q):
    a[0] = a[0] * q
    if a[0] > 0:
        a[1] = a[1] + q * q
        raise Found(q * a[0])
    a[1] = q
    return a[1]


def raises_after_writing(a, x):
    """Program 17 of the calling convention."""
    b = a * 1.0
    try:
        y = check(b, x * 2)
    except Found as e:
        y = e.value
    return y * b[1] + b.sum()


def deeper(a, q):
    a[2] = a[2] * q
    return 2 * check(a, a[2])


def raises_three_levels_down(a, x):
    b = a * 1.0
    try:
        y = deeper(b, x)
    except Found as e:
        y = e.value * x
    return y + (b * b).sum()


def returns_in_finally(x):
    """Program 18: two returns run, the last one counts."""
    b = [x]
    try:
        b[0] = b[0] * 3
        return x**7
    finally:
        b[0] = b[0] * x
        return b[0]


def return_through_finally(x):
    b = [x, x]

    def inner():
        try:
            return b[0] * x
        finally:
            b[0] = b[0] * b[1]

    return inner() + b[0]


def breaks_and_continues(x):
    total = x
    for i in range(6):
        try:
            if i == 1:
                continue
            if i == 4:
                break
            total = total * x + i
        finally:
            total = total + x * i
    else:
        total = 0.0
    return total


def half_an_iteration(x):
    """An exception leaves the third iteration half-way."""
    y, s = x, x
    try:
        for i in range(5):
            y = y * x
            s = s + y
            if i == 2:
                raise Found(y * s)
            s = s * 1.5
    except Found as e:
        s = s + e.value
    return s * y


def loop_of_tries(x):
    total = 0.0
    for i in range(-2, 3):
        try:
            total = total + root(i + x) * x
        except ValueError as e:
            total = total - x * len(str(e))
    return total


def partly_bound_list(x):
    y = [x]
    try:
        y = [root(x - i) for i in range(3)]
    except ValueError:
        pass
    return y[0] * x


def partly_bound_pair(x):
    a, b = x, x * x
    try:
        a, b = b, root(-x)
    except ValueError:
        pass
    return a * b * b


def partly_bound_choice(x):
    y = x * x
    try:
        y = x and root(-x)
    except ValueError:
        pass
    return y * x


def nested(x):
    y = x
    try:
        try:
            y = y * 2
            raise KeyError("a")
        except ValueError:
            y = y * 100
        finally:
            y = y * x
    except KeyError:
        y = y + x
        try:
            y = y * y
            root(-x)
        except ValueError:
            y = y * x
    return y


def raised_again(x):
    y = [x]
    try:
        try:
            y[0] = y[0] * x
            root(-x)
        except ValueError as e:
            y[0] = y[0] + x * x
            raise Found(y[0] * x) from e
    except Found as e:
        assert isinstance(e.__cause__, ValueError)
        return e.value * y[0]


def bare_raise(x):
    y = [x]
    try:
        try:
            y[0] = y[0] * x
            root(-x)
        except ValueError:
            y[0] = y[0] * x
            raise
    except ValueError as e:
        return y[0] * len(e.args)


def handler_raises(x):
    y = [x]
    try:
        try:
            root(-x)
        except ValueError:
            y[0] = y[0] * y[0]
            [][1]
        y[0] = 100.0
    except IndexError:
        y[0] = y[0] * x
    return y[0]


def restores(x):
    state = {"x": x}
    with Scaled(state, x) as z:
        t = z * state["x"]
    return t + state["y"] * state["x"]


def swallows(x):
    state = {"x": x}
    with Scaled(state, x, swallows=True):
        state["x"] = state["x"] * x
        root(-x)
        state["x"] = 100.0
    return state["y"] + state["x"]


def passes_on(x):
    state = {"x": x}
    try:
        with Scaled(state, x) as z, Scaled(state, z * x):
            state["x"] = state["x"] * x
            root(-x)
    except ValueError:
        state["x"] = state["x"] * 2
    return state["y"] + state["x"]


def returns_inside_with(x):
    state = {"x": x}

    def inner():
        with Scaled(state, 3.0) as z:
            return z * x

    return inner() * state["y"]


def suppressed(x):
    y = x
    with contextlib.suppress(ValueError, KeyError):
        y = y * 2
        root(-x)
        y = 0.0
    return y * x


def quiet(x):
    with np.errstate(all="ignore"):
        y = np.log(x) / x
    return y * y


def sorts(x):
    seen = [x]

    def key(v):
        seen[0] = seen[0] * x
        if v == 2:
            raise Found(seen[0])
        return v

    try:
        sorted([3, 1, 2], key=key)
    except Found as e:
        return e.value * seen[0]


def inverse(x):
    class_of = {ValueError: 2.0, ZeroDivisionError: 3.0}
    total = x
    for d in (1.0, 0.0, x):
        try:
            total = total + x / d
        except ArithmeticError as e:
            total = total * class_of[type(e)]
    return total


def cleans_up(x):
    events = []
    try:
        try:
            events.append(x)
            events.append(operator.truediv(x, 0))
        finally:
            events.append(x * x)
    except ZeroDivisionError:
        events.append(len(events) * x)
    return sum(events) * events[-1]


def deep_recursion(x, n):
    if n == 0:
        raise Found(x)
    try:
        return deep_recursion(x * 1.1, n - 1)
    except Found as e:
        raise Found(e.value * x) from None


def climbs(x):
    try:
        deep_recursion(x, 4)
    except Found as e:
        return e.value


def method_raises(x):
    class_ = Gauge(x)
    for _ in range(3):
        with contextlib.suppress(Found):
            class_.turn(x * 0.5)
    return class_.level


class Gauge:
    def __init__(self, level):
        self.level = level

    def turn(self, by):
        self.level = self.level * by
        if self.level < 0.3:
            self.level += by
            raise Found(by)
        self.level = self.level - by


SCALARS = [
    completes, falls_back, second_clause, payload, returns_in_finally, return_through_finally,
    breaks_and_continues, half_an_iteration, loop_of_tries, partly_bound_list, partly_bound_pair,
    partly_bound_choice, nested, raised_again, bare_raise, handler_raises, restores, swallows,
    passes_on, returns_inside_with, suppressed, quiet, sorts, inverse, cleans_up, climbs,
    method_raises,
]  # fmt: skip


@pytest.mark.parametrize("f", SCALARS, ids=lambda f: f.__name__)
def test_gradient_of_a_program_with_exceptions(f):
    assert check_gradient(f, 0.7).outcome == "right"


@pytest.mark.parametrize("f", [raises_after_writing, raises_three_levels_down])
@pytest.mark.parametrize("first", [1.3, -1.3])
def test_callee_that_raises_after_it_wrote(f, first):
    assert check_gradient(f, np.array([first, 0.4, 0.6]), 0.7).outcome == "right"


def test_a_finally_of_which_nothing_is_left():
    def f(x):
        y = x
        for turn in range(3):
            try:
                if turn == 1:
                    continue
                y = y * x
            finally:
                pass
        try:
            return y * x
        finally:
            "no more"

    check_gradient(f, 1.3)


def walked_and_guarded(x, k):
    a, b = (x, x * 2)
    for part in (a, b):
        a = a + part
    try:
        if k > 2.0:
            raise ValueError
        return a * math.sin(b)
    except ValueError:
        return b


def test_a_callee_with_a_tuple_to_take_apart_and_a_try():
    def total(x, n):
        found = x
        for i in range(n):
            found = found + walked_and_guarded(found, 1.0 * i)
        return found

    check_gradient(total, 0.3, 4)


def first_of(items):
    exec("pass")
    return items[0]


class SwallowsAll:
    def __enter__(self):
        return self

    def __exit__(self, *what):
        return True


def caught(x):
    try:
        return first_of([x]) * 2
    except Exception:
        return x * 100


def caught_and_renamed(x):
    try:
        return first_of([x]) * 2
    except Exception as error:
        raise KeyError("no such item") from error


def suppressed(x):
    y = x * 100
    with contextlib.suppress(Exception):
        y = first_of([x]) * 2
    return y


def swallowed(x):
    y = x * 100
    with SwallowsAll():
        y = first_of([x]) * 2
    return y


def overridden(x):
    try:
        return first_of([x]) * 2
    finally:
        return x * 100


@pytest.mark.parametrize("f", [caught, caught_and_renamed, suppressed, swallowed, overridden])
def test_what_astad_refuses_no_handler_of_the_program_catches(f):
    with pytest.raises(Unsupported, match=r"exec\(\) in first_of"):
        gradient(f, 2.0)
