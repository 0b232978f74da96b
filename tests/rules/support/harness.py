"""Check one rule on every kind of argument: pullback and tangent against differences.

Knows a rule only by its fields and ``bind``, ``pull``, ``push``, ``needs``, ``needs_shape``. The
inner product of arrays, numbers and nested lists of them is real: ``Re(conj(a) b)``, summed.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

import astad.api.public  # tangents of some rules are made by reverse mode  # noqa: F401
from astad.rules.domain import sampler
from astad.rules.formula import Rule
from astad.rules.registry import Keywords
from astad.tangents.arrays import project

STEP = 1e-4
POINTS = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
Arguments = tuple[tuple[Any, ...], dict[str, Any]]

HERMITIAN = {
    "scipy.linalg.solve_continuous_are": {"q", "r"},
    "scipy.linalg.solve_discrete_are": {"q", "r"},
}
"""Arguments that have to be Hermitian, which SciPy asserts: they are moved so."""


def cases(rule: Rule) -> list[tuple[str, Arguments]]:
    """What to call the function with, each with a word that says what it is."""
    if rule.examples is not None:
        given = rule.examples() if callable(rule.examples) else rule.examples
        return [(f"example {k}", split(example)) for k, example in enumerate(given)]
    assert rule.form == "scalar", f"{rule.name}: a {rule.form} rule needs examples="
    return [(label, (args, {})) for label, args in drawn(rule)]


def split(example: Any) -> Arguments:
    """An example as positional and keyword arguments."""
    example = example if isinstance(example, tuple) else (example,)
    if example and isinstance(example[-1], Keywords):
        return example[:-1], dict(example[-1])
    return example, {}


def drawn(rule: Rule) -> list[tuple[str, tuple[Any, ...]]]:
    """Arguments from the domain of an elementwise rule."""
    random = np.random.default_rng(zlib.crc32(rule.name.encode()))
    names = tuple(
        name for name in rule.parameters if name in rule.back or name not in rule.defaults
    )
    draw = sampler(rule.domain, names, random)
    module = rule.name.split(".")[0]
    found: list[tuple[str, tuple[Any, ...]]] = []
    if module != "np":
        found += [("floats", tuple(float(v) for v in draw(()))) for _ in range(4)]
    if module != "math":
        found += [
            ("np.float64", tuple(v[()] for v in draw(()))),
            ("0-d", tuple(draw(()))),
            ("1-d", tuple(draw((5,)))),
        ]
        found += [("empty", tuple(draw((0,)))), ("empty 2-d", tuple(draw((3, 0))))]
        found += [("Fortran", tuple(np.asfortranarray(v) for v in draw((3, 4))))]
        found += [("reversed", tuple(v[::-1, ::2] for v in draw((3, 4))))]
        found += broadcast(draw, len(names))
        found += complex_points(rule, draw)
    return found


def broadcast(draw: Any, count: int) -> list[tuple[str, tuple[Any, ...]]]:
    """Pairs of unequal shapes, equal along the axes they share, so that the domain holds."""
    if count != 2:
        return []
    a, b = draw(())
    column, row = np.full((3, 1), a), np.full((4,), b)
    return [
        ("column and row", (column, row)), ("array and float", (np.full((2, 3), a), float(b))),
        ("float and array", (float(a), np.full((2, 3), b))), ("0-d and array", (np.array(a),
        np.full((2,), b))),
        ("stride 0", (np.broadcast_to(a, (2, 3)), np.full((2, 3), b))), ("with empty", (np.full((0,
        1), a), row)),
    ]  # fmt: skip


def complex_points(rule: Rule, draw: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Arguments off the real line, for functions that take them."""
    reals = draw((4,))
    turned = tuple(v * (1 + 0.3j) + 0.1j for v in reals)
    try:
        rule.fn(*turned)
    except TypeError:
        return []
    mixed = [("complex and real", (turned[0], reals[1]))] if len(turned) == 2 else []
    return [("complex", turned), ("complex number", tuple(complex(v[0]) for v in turned)), *mixed]


def check(rule: Rule, arguments: Arguments) -> None:
    """One call: pullback and tangent against differences and against each other."""
    args, keywords = arguments
    for value in (*args, *keywords.values()):
        freeze(value)
    with np.errstate(all="ignore"):
        y = rule.fn(*args, **keywords)
    values = rule.bind(args, keywords)
    assert not rule.refuses(values), "an example that the rule refuses"
    names = [name.lstrip("*") for name in rule.parameters]
    wanted = tuple(n for n, v in zip(names, values, strict=True) if n in rule.back and is_smooth(v))
    random = np.random.default_rng(zlib.crc32(repr((rule.name, args)).encode()))
    y_bar = direction(y, random)
    freeze(y_bar)
    g = rule.pull(wanted)(y_bar, y, *values)
    assert len(g) == len(wanted)
    inputs = {name: values[names.index(name)] for name in wanted}
    g = {name: fitted(part, inputs[name]) for name, part in zip(wanted, g, strict=True)}
    check_needs(rule, wanted, y_bar, y, values, g)
    for name in wanted:
        check_direction(rule, (name,), inputs, values, y, y_bar, g, random)
    check_direction(rule, wanted, inputs, values, y, y_bar, g, random)


def check_direction(
    rule: Rule, moved: tuple[str, ...], inputs: dict[str, Any], values: list[Any], y: Any,
    y_bar: Any,
    g: dict[str, Any], random: np.random.Generator,
) -> None:  # fmt: skip
    """Differences, pullback and tangent along one direction."""
    names = [name.lstrip("*") for name in rule.parameters]
    dots = {name: direction(inputs[name], random) for name in moved}
    for name in HERMITIAN.get(rule.name, set()) & dots.keys():
        dots[name] = dots[name] + np.conj(dots[name].T)

    def at(t: float) -> Any:
        changed = [moved_by(v, dots.get(n), t) for n, v in zip(names, values, strict=True)]
        args, keywords = rule.signature.call_arguments(changed)
        with np.errstate(all="ignore"):
            return rule.fn(*args, **keywords)

    by_pull = sum(inner(g[name], dots[name]) for name in moved)
    size = sum(abs(inner(magnitude(g[name]), magnitude(dots[name]))) for name in moved) + 1e-3
    by_differences = sum(w * inner(y_bar, at(k * STEP)) for k, w in POINTS) / STEP
    close(by_pull, by_differences, 2e-6 * size, f"pullback in {moved} and differences")
    y_dot = rule.push(moved)(tuple(dots[name] for name in moved), y, *values)
    assert not isinstance(y, np.ndarray) or np.shape(y_dot) == y.shape, "shape of the tangent"
    close(inner(y_bar, y_dot), by_pull, 1e-9 * size, f"tangent in {moved} and pullback")


def check_needs(
    rule: Rule, wanted: tuple[str, ...], y_bar: Any, y: Any, values: list[Any], g: dict[str, Any]
) -> None:
    """The same cotangents from only what `needs` and `needs_shape` name."""
    by_value, by_shape = rule.needs(wanted), rule.needs_shape(wanted)
    names = ["y", *(name.lstrip("*") for name in rule.parameters)]
    kept = [
        v if n in by_value else hollow(v) if n in by_shape else None
        for n, v in zip(names, [y, *values], strict=True)
    ]
    again = rule.pull(wanted)(y_bar, *kept)
    for name, part in zip(wanted, again, strict=True):
        like = values[names.index(name) - 1]
        np.testing.assert_equal(leaves(fitted(part, like)), leaves(g[name]))


def hollow(value: Any) -> Any:
    """An array of the same shape and dtype, all nan."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return np.full_like(value, np.nan)
    return value


def fitted(g: Any, like: Any) -> Any:
    """A cotangent as the run time would deliver it; shapes, kinds and dtypes are asserted."""
    if isinstance(like, (list, tuple)):
        assert len(g) == len(like), "a list has a cotangent for each of its elements"
        return type(like)(fitted(part, each) for part, each in zip(g, like, strict=True))
    g = project(np.zeros(np.shape(like)) if g is None else g, like)
    if isinstance(like, np.ndarray):
        assert isinstance(g, np.ndarray) and g.shape == like.shape
        assert g.dtype == like.dtype or like.dtype.kind not in "fc"
    elif isinstance(like, np.inexact):
        assert isinstance(g, type(like)) or (isinstance(g, float) and isinstance(like, float))
    else:
        assert isinstance(g, (int, float, complex, np.number)), f"{type(g)} for {type(like)}"
    return g


def single_precision(rule: Rule) -> None:
    """float32 in, float32 out; the cotangent is that of double precision."""
    random = np.random.default_rng(3)
    names = tuple(
        name for name in rule.parameters if name in rule.back or name not in rule.defaults
    )
    single = [np.asarray(v, np.float32) for v in sampler(rule.domain, names, random)((4,))]
    double = [v.astype(float) for v in single]
    results = []
    for values in (single, double):
        y = rule.fn(*values)
        y_bar = np.ones(np.shape(y), np.asarray(y).dtype)
        assert y.dtype == values[0].dtype or rule.name == "np.float_power"
        wanted = tuple(rule.back)
        pulled = rule.pull(wanted)(y_bar, y, *rule.bind(values, {}))
        results.append(
            [fitted(g, values[names.index(n)]) for n, g in zip(wanted, pulled, strict=True)]
        )
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def has_value(rule: Rule, args: Any, keywords: Any) -> bool:
    """Whether the function computes in this precision at all."""
    try:
        with np.errstate(all="ignore"):
            rule.fn(*args, **keywords)
    except Exception:
        return False
    return True


def is_smooth(value: Any) -> bool:
    """Whether a derivative in it makes sense: floats, and nested lists with some."""
    if isinstance(value, (list, tuple)):
        return any(is_smooth(each) for each in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    return isinstance(value, (float, complex, np.inexact)) and not isinstance(value, bool)


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a nested list."""
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def freeze(value: Any) -> None:
    """Make arrays read-only: no rule may write into what it is given."""
    for leaf in leaves(value):
        if isinstance(leaf, np.ndarray):
            leaf.flags.writeable = False


def direction(value: Any, random: np.random.Generator) -> Any:
    """A random value of the same kind; None where nothing differentiable is."""
    if isinstance(value, (list, tuple)):
        parts = [direction(each, random) for each in value]
        return type(value)(parts) if type(value) in (list, tuple) else tuple(parts)
    if not is_smooth(value):
        return None
    v = random.standard_normal(np.shape(value))
    if np.iscomplexobj(value):
        v = v + 1j * random.standard_normal(np.shape(value))
    if isinstance(value, np.ndarray):
        return np.asarray(v, value.dtype)
    return type(value)(v)


def moved_by(value: Any, dot: Any, t: float) -> Any:
    """``value + t dot``, element by element."""
    if dot is None:
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(moved_by(v, d, t) for v, d in zip(value, dot, strict=True))
    if isinstance(value, np.ndarray):
        return np.add(value, t * dot, out=np.empty_like(value))  # in the same memory order
    return value + t * dot


def inner(a: Any, b: Any) -> float:
    """Real inner product; None counts as zero."""
    if a is None or b is None:
        return 0.0
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return sum(inner(each_a, each_b) for each_a, each_b in zip(a, b, strict=True))
    return float(np.sum(np.real(np.conj(a) * b)))


def magnitude(value: Any) -> Any:
    """Absolute values, element by element."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [magnitude(each) for each in value]
    return np.abs(value)


def close(a: float, b: float, tolerance: float, what: str) -> None:
    """Assert that two numbers agree."""
    assert math.isclose(a, b, rel_tol=0, abs_tol=tolerance), f"{what}: {a!r} and {b!r}"
