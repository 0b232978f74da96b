"""Run a function through one form of its derivative, and compare all forms with differences."""

import copy
from contextlib import contextmanager

import numpy as np

from astad import gradient, pullback
from astad.api.variants import (  # noqa: F401  (fills the slot of the compiler)
    wiring,
)
from astad.runtime.core.variants import compiler, forget_all, variants_of

FORMS = ("generic", "specialised", "fused")
STEP = 1e-4


@contextmanager
def only_generic():
    """Every function that is met is compiled for arguments of any kind."""
    before = compiler.pair
    compiler.pair = lambda fn, variants, flat: before(fn, variants, None)
    forget_all()
    try:
        yield
    finally:
        compiler.pair = before
        forget_all()


@contextmanager
def only_specialised():
    """The pairs and fused functions for the kinds of the arguments that come, made anew."""
    forget_all()
    yield


def gradients(form, fn, args, seed=1.0):
    """Value and gradients by one form; None where the function has no such form."""
    args = copy.deepcopy(args)
    with only_generic() if form == "generic" else only_specialised():
        if form == "fused":
            found = gradient(fn, *args)
            return (None, found) if _is_fused(fn, tuple(range(len(args)))) else None
        y, back = pullback(fn, *args)
        first, again, doubled = back(seed), back(seed), back(2 * seed)
    compare(again, first, "the second call of back")
    compare(doubled, tuple(map(_twice, first)), "a doubled cotangent")
    return y, first


def _is_fused(fn, wanted):
    """With its arguments alone, or with what the globals that it reads hold behind them."""
    made = variants_of(fn)
    return bool(made.fused.get(wanted) or made.holding.get(wanted))


def _twice(value):
    if isinstance(value, list | tuple):
        return type(value)(map(_twice, value))
    if isinstance(value, dict):
        return {key: _twice(part) for key, part in value.items()}
    return None if value is None else 2 * value


def check_forms(fn, *args, fused=None, rtol=2e-7, atol=1e-8):
    """All forms agree with each other and with central differences.

    ``fused``: whether the function has a fused form, where that is part of the behaviour tested.
    """
    plain = fn(*copy.deepcopy(args))
    seed = np.cos(np.arange(1.0, plain.size + 1)).reshape(plain.shape) if np.ndim(plain) else 1.0
    expected = differences(fn, args, seed)
    results = {}
    for form in FORMS:
        if form == "fused" and np.ndim(plain):
            continue
        found = gradients(form, fn, args, seed)
        if found is None:
            continue
        y, results[form] = found
        if y is not None:
            np.testing.assert_array_equal(y, plain, f"{form}: value")
        close(results[form], expected, form, rtol, atol)
    if fused is not None:
        assert ("fused" in results) == fused
    for form, found in results.items():
        compare(found, results["generic"], f"{form} and generic")


def compare(found, expected, what):
    """The same structure with the same numbers, up to the order of additions."""
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected), what
        for a, b in zip(found, expected, strict=True):
            compare(a, b, what)
    elif expected is None or found is None:
        assert found is expected, f"{what}: {found} and {expected}"
    elif isinstance(expected, dict):
        assert list(found) == list(expected), what
        compare(list(found.values()), list(expected.values()), what)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13, err_msg=what)


def close(found, expected, form, rtol, atol):
    """A gradient and the differences; None stands for zeros."""
    if isinstance(expected, list | tuple):
        for a, b in zip(found or [None] * len(expected), expected, strict=True):
            close(a, b, form, rtol, atol)
    elif expected is not None:
        value = np.zeros(np.shape(expected)) if found is None else found
        np.testing.assert_allclose(value, expected, rtol, atol, err_msg=f"{form}: gradient")


def differences(fn, args, seed):
    """Central differences of the floats, arrays of floats and lists of floats among the arguments.

    None for an argument of another kind.
    """
    return [_differences(fn, args, at, (), args[at], seed) for at in range(len(args))]


def _differences(fn, args, at, path, value, seed):
    if isinstance(value, list | tuple):
        return [_differences(fn, args, at, (*path, i), v, seed) for i, v in enumerate(value)]
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        found = np.zeros(value.shape)
        for index in np.ndindex(value.shape):
            found[index] = _difference(fn, args, at, (*path, index), value[index], seed)
        return found
    if isinstance(value, float):
        return _difference(fn, args, at, path, value, seed)
    return None


def _difference(fn, args, at, path, value, seed):
    """Five points: the error is of fourth order."""
    h = STEP * max(1.0, abs(value))

    def moved(by):
        changed = list(copy.deepcopy(args))
        changed[at] = _with(changed[at], path, type(value)(value + by))
        return np.sum(seed * np.asarray(fn(*changed), dtype=float))

    return (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)


def _with(value, path, new):
    if not path:
        return new
    if isinstance(value, tuple):
        parts = list(value)
        parts[path[0]] = _with(parts[path[0]], path[1:], new)
        return tuple(parts)
    value[path[0]] = _with(value[path[0]], path[1:], new)
    return value
