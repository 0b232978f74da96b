"""A rule in every form a user's program may give it: text of functions, and their gradients.

Functions are written to a module file, so that their source is found.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import harness
import numpy as np

import astad
from astad.rules import REGISTRY
from astad.rules.formula import Rule
from astad.runtime.cotangents.owners import may_overlap_itself

MODULES = ("math", "cmath", "operator", "statistics", "_statistics", "astad.rules", "numpy as np")
HEAD = "".join(f"import {name}\n" for name in MODULES)
HOMES = {rule.name.rpartition(".")[0] for rule in REGISTRY.values()}
HEAD += "".join(f"import {name}\n" for name in sorted(HOMES) if name in sys.modules) + "\n"
SIGNS = {
    "add": "x1 + x2",
    "sub": "x1 - x2",
    "mul": "x1 * x2",
    "truediv": "x1 / x2",
    "mod": "x1 % x2",
    "pow": "x1 ** x2",
    "floordiv": "x1 // x2",
    "matmul": "x1 @ x2",
    "neg": "-x1",
    "pos": "+x1",
    "abs": "abs(x1)",
}
NO_WORDS: Mapping[str, Any] = {}
Check = tuple[str, Callable[[], None]]
NAMES = ("x1", "x2", "x3", "x4", "x5", "x6")


class Written:
    """A module file that grows by a function at a time; functions of equal text are one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, Any] = {}

    def function(self, parameters: str, body: str, **constants: Any) -> Any:
        """``def f(parameters): return body``, with these names in its globals."""
        text = f"{HEAD}def f({parameters}):\n    return {body}\n"
        if text in self.made and not constants:
            return self.made[text]
        name = f"written_{len(self.made)}"
        self.made[text if not constants else name] = function = self._load(name, text, constants)
        return function

    def _load(self, name: str, text: str, constants: dict[str, Any]) -> Any:
        path = self.folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        vars(module).update(constants)
        spec.loader.exec_module(module)
        return module.f


def called_as(rule: Rule, count: int) -> list[str]:
    """How a call with that many operands is written: by name, and by the operator's sign."""
    names = ", ".join(NAMES[:count])
    text = f"{rule.name}({names})"
    module, _, name = rule.name.rpartition(".")
    return [text, SIGNS[name]] if module == "operator" and name in SIGNS else [text]


def expected(
    rule: Rule, args: Sequence[Any], y: Any, y_bar: Any, keywords: Mapping[str, Any] = NO_WORDS
) -> list[Any]:
    """Cotangents of the arguments by the rule alone; None for one without a derivative."""
    values = rule.bind(args, keywords)
    names = [name.lstrip("*") for name in rule.parameters]
    wanted = tuple(
        n
        for n, v in zip(names, values, strict=True)
        if n in rule.back and (harness.is_smooth(v) or type(v) is int)
    )
    found = dict(zip(wanted, rule.pull(wanted)(y_bar, y, *values), strict=True))
    fitted = {
        n: harness.fitted(g, v)
        for (n, g), v in zip(found.items(), (values[names.index(n)] for n in wanted))
    }
    star = next((k for k, name in enumerate(rule.parameters) if name.startswith("*")), len(args))
    bars = [fitted.get(name) for name in names[:star][: len(args)]]
    if len(bars) < len(args):
        bars += fitted.get(names[star]) or [None] * (len(args) - len(bars))
    return bars


def agree(found: Sequence[Any], wanted: Sequence[Any], args: Sequence[Any]) -> None:
    """Values, kinds, dtypes and shapes of cotangents are as they should be."""
    assert len(found) == len(wanted)
    for each, like, x in zip(found, wanted, args, strict=True):
        if like is None or type(x) is bool or getattr(x, "dtype", "") == "bool":
            smooth = harness.is_smooth(x) and each is not None
            assert not (smooth and np.any(each)), f"{each!r} for what has no derivative"
        elif isinstance(x, (list, tuple)):
            assert type(each) is type(x), f"{each!r} for {x!r}"
            agree(each, like, x)
        else:
            right_kind(each, x)
            np.testing.assert_allclose(
                each, like, rtol=tolerance(x), atol=tolerance(x) * size(like)
            )


def right_kind(g: Any, x: Any) -> None:
    """A Python float gives a Python float or np.float64; all else gives its own kind."""
    if isinstance(x, np.ndarray):
        wanted = x.dtype if x.dtype.kind in "fc" else np.dtype(float)
        assert isinstance(g, np.ndarray) and g.shape == x.shape and g.dtype == wanted, (
            f"{g!r} for {x!r}"
        )
        return
    kinds: tuple[type, ...] = (type(x),)
    if type(x) in (float, np.float64):
        kinds = (float, np.float64)
    elif type(x) is int:
        kinds = (int, float, np.float64)
    elif type(x) in (complex, np.complex128):
        kinds = (complex, np.complex128)
    assert type(g) in kinds, f"{type(g).__name__} for {x!r}"


def tolerance(x: Any) -> float:
    kind = np.asarray(x).dtype
    return 1e3 * float(np.finfo(kind if kind.kind in "fc" else float).eps)


def size(value: Any) -> float:
    finite = np.abs(value)[np.isfinite(value)] if np.ndim(value) else np.abs(value)
    return (
        float(np.max(finite, initial=0.0)) + 1e-3
        if np.ndim(value)
        else float(np.nan_to_num(finite)) + 1e-3
    )


def check_forms(rule: Rule, args: Sequence[Any], written: Written, label: str) -> None:
    """All forms of one call with positional arguments; every one that fails is told."""
    for x in args:
        harness.freeze(x)
    with np.errstate(all="ignore"):
        y = rule.fn(*args)
    y_bar = harness.direction(y, np.random.default_rng(len(args)))
    y_bar = 1.0 if y_bar is None else y_bar
    by_rule = expected(rule, args, y, y_bar)
    checks = [("itself", lambda: agree(pulled(rule.fn, args, y_bar, y), by_rule, args))]
    for body in called_as(rule, len(args)):
        checks += plain_forms(args, body, y_bar, y, by_rule, written)
        checks += summed_forms(rule, args, body, y, written)
        checks += forms_with_constants(args, body, y_bar, y, by_rule, written)
    report(checks, f"{label}: {rule.name}{tuple(args)}")


def report(checks: Sequence[Check], what: str) -> None:
    """Run all, and fail with all that are wrong."""
    wrong = []
    for form, check in checks:
        try:
            check()
        except Exception as error:
            wrong.append(f"{form}: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    assert not wrong, what + "\n" + "\n".join(wrong)


def pulled(f: Any, args: Sequence[Any], y_bar: Any, y: Any, **keywords: Any) -> Sequence[Any]:
    """Cotangents by `pullback`, whose result must be the plain one."""
    with np.errstate(all="ignore"):
        found, back = astad.pullback(f, *args, **keywords)
    assert type(found) is type(y)
    for a, b in zip(harness.leaves(found), harness.leaves(y), strict=True):
        np.testing.assert_array_equal(a, b)
    return back(y_bar)


def plain_forms(
    args: Sequence[Any], body: str, y_bar: Any, y: Any, wanted: Sequence[Any], written: Written
) -> Iterator[Check]:
    """A call with parameters; a call with operands of unknown kinds, told apart at run time."""
    f = written.function(", ".join(NAMES[: len(args)]), body)
    yield body, lambda: agree(pulled(f, args, y_bar, y), wanted, args)
    if any(isinstance(x, np.ndarray) and may_overlap_itself(x) for x in args):
        return  # in one container, what shares memory is one object
    text = re.sub(r"\bx(\d)\b", lambda m: f"v[{int(m[1]) - 1}]", body)
    g = written.function("v", text)
    nothing = [None] * len(args)
    yield text, lambda: agree(pulled(g, [list(args)], y_bar, y)[0] or nothing, wanted, args)


def summed_forms(
    rule: Rule,
    args: Sequence[Any],
    body: str,
    y: Any,
    written: Written,
    keywords: Mapping[str, Any] = NO_WORDS,
    constants: Mapping[str, Any] = NO_WORDS,
) -> Iterator[Check]:
    """By `gradient`, twice, for a new and a known kind of operands."""
    if not isinstance(y, (np.ndarray, float, np.floating)) or np.iscomplexobj(y):
        return
    body = f"np.sum({body})" if isinstance(y, np.ndarray) and y.ndim else body
    f = written.function(", ".join(NAMES[: len(args)]), body, **constants)
    ones = np.ones(np.shape(y), np.asarray(y).dtype)
    wanted = expected(rule, args, y, ones if isinstance(y, np.ndarray) else type(y)(1), keywords)
    for time in ("first", "second"):
        yield f"{time} gradient of {body}", lambda: agree(astad.gradient(f, *args), wanted, args)


def forms_with_constants(
    args: Sequence[Any], body: str, y_bar: Any, y: Any, wanted: Sequence[Any], written: Written
) -> Iterator[Check]:
    """Each argument alone, the others literals or globals."""
    for place in range(len(args) if len(args) > 1 else 0):
        text, constants = body, {}
        for other in range(len(args)):
            if other != place:
                literal = type(args[other]) in (int, float)
                value = repr(args[other]) if literal else f"C{other + 1}"
                text = re.sub(rf"\bx{other + 1}\b", f"({value})" if literal else value, text)
                constants.update({} if literal else {value: args[other]})
        f = written.function(f"x{place + 1}", text, **constants)
        yield (
            text,
            lambda f=f, place=place: agree(
                pulled(f, [args[place]], y_bar, y), [wanted[place]], [args[place]]
            ),
        )


def check_example(
    rule: Rule,
    args: Sequence[Any],
    keywords: dict[str, Any],
    written: Written,
    label: str,
    thorough: bool = True,
) -> None:
    """A call of a rule that is not elementwise: itself, in a function, with unknown kinds.

    If `thorough`, also by `gradient`, and each argument alone.
    """
    for x in (*args, *keywords.values()):
        harness.freeze(x)
    with np.errstate(all="ignore"):
        y = rule.fn(*args, **keywords)
    y_bar = harness.direction(y, np.random.default_rng(len(args)))
    y_bar = 1.0 if y_bar is None else y_bar
    wanted = expected(rule, args, y, y_bar, keywords)
    words = "".join(f", {name}=K_{name}" for name in keywords)
    constants = {f"K_{name}": value for name, value in keywords.items()}
    checks: list[Check] = []
    for body in example_texts(rule, len(args), words):
        if thorough:
            checks += constant_examples(rule, args, body, constants, y_bar, y, wanted, written)
        if lacks_rule(rule, args, keywords):
            continue
        f = written.function(", ".join(NAMES[: len(args)]), body, **constants)
        checks.append((body, lambda f=f: agree(pulled(f, args, y_bar, y), wanted, args)))
        text = re.sub(r"\bx(\d)\b", lambda m: f"v[{int(m[1]) - 1}]", body)
        g = written.function("v", text, **constants)
        nothing = [None] * len(args)
        checks.append(
            (text, lambda g=g: agree(pulled(g, [list(args)], y_bar, y)[0] or nothing, wanted, args))
        )
        if thorough:
            checks += summed_forms(rule, args, body, y, written, keywords, constants)
        checks.append(
            ("itself", lambda: agree(pulled(rule.fn, args, y_bar, y, **keywords), wanted, args))
        )
    report(checks, f"{label}: {rule.name}{tuple(args)} {keywords}")


def lacks_rule(rule: Rule, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Has an argument no rule, so that the cotangents of all cannot be asked for?"""
    values = dict(
        zip((name.lstrip("*") for name in rule.parameters), rule.bind(args, keywords), strict=True)
    )
    given = [name for name, x in zip(values, args, strict=False) if x is values[name]]
    return any(
        values[name] is not None and not isinstance(values[name], bool)
        for name in given
        if name in rule.missing
    )


def example_texts(rule: Rule, count: int, words: str) -> list[str]:
    """By name, and as a method or by the operator's sign where it is one."""
    texts = [f"{rule.name}({', '.join(NAMES[:count])}{words})"]
    module, _, name = rule.name.rpartition(".")
    if module in ("np.ndarray", "np.generic") and not name.startswith("__"):
        texts.append(f"x1.{name}({', '.join(NAMES[1:count])}{words if count > 1 else words[2:]})")
    return texts + ([SIGNS[name]] if module == "operator" and name in SIGNS else [])


def constant_examples(
    rule: Rule,
    args: Sequence[Any],
    body: str,
    constants: dict[str, Any],
    y_bar: Any,
    y: Any,
    wanted: Sequence[Any],
    written: Written,
) -> Iterator[Check]:
    """Each argument alone, the others globals."""
    for place in range(len(args) if len(args) > 1 else 0):
        if rule.parameters[min(place, len(rule.parameters) - 1)] in rule.missing:
            continue
        given = {f"x{other + 1}": args[other] for other in range(len(args)) if other != place}
        f = written.function(f"x{place + 1}", body, **constants, **given)
        yield (
            f"{body} in x{place + 1}",
            lambda f=f, place=place: agree(
                pulled(f, [args[place]], y_bar, y), [wanted[place]], [args[place]]
            ),
        )


def mixtures(rule: Rule, args: Sequence[float]) -> list[tuple[str, tuple[Any, ...]]]:
    """Every mixture of floats, np.float64, np.float32, 0-d arrays and arrays."""
    kinds = [
        float,
        np.float64,
        np.float32,
        np.array,
        lambda x: np.full(3, x),
        lambda x: np.full((2, 1), x, np.float32),
    ]
    if rule.name.startswith(("math.", "float")):
        kinds = kinds[:4]
    names = ["float", "np.float64", "np.float32", "0-d", "1-d", "2-d float32"]
    choice = list(zip(names, kinds, strict=False))
    return [
        (
            " and ".join(name for name, _ in pick),
            tuple(kind(x) for (_, kind), x in zip(pick, args, strict=True)),
        )
        for pick in itertools.product(choice, repeat=len(args))
    ]


SPECIAL = (0.0, 1.0, -1.0, 2.0, -2.5, np.inf, -np.inf, np.nan, 1e-320, 1e308)
KINDS_OF_SPECIAL: tuple[Callable[[float], Any], ...] = (float, np.float64, lambda x: np.full(2, x))


def check_special(rule: Rule, args: tuple[Any, ...], written: Written) -> None:
    """Text gives what the rule gives where the formula may fail; 0 for a cotangent 0."""
    if rule.name.startswith("math.") and isinstance(args[0], np.ndarray):
        return
    # a root of a negative float is complex to Python, and nan to NumPy, which makes doubles of both
    read = (
        tuple(map(np.float64, args))
        if rule.name.endswith("power") and np.ndim(args[0]) == 0
        else args
    )
    with np.errstate(all="ignore"):
        try:
            y = rule.fn(*args)
            expected(rule, read, y, np.full(np.shape(y), 1.0)[()])
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            return
        if isinstance(y, complex):
            return
        for body in called_as(rule, len(args)):
            f = written.function(", ".join(NAMES[: len(args)]), body)
            found, back = astad.pullback(f, *args)
            np.testing.assert_array_equal(found, y)
            for seed in (1.0, 0.0):
                y_bar = np.full(np.shape(y), seed) if np.ndim(y) else seed
                wanted = expected(rule, read, y, y_bar)
                for each, like in zip(back(y_bar), wanted, strict=True):
                    what = f"{body} at {args} for {seed}"
                    overflowed = type(args[0]) is float and np.any(np.isinf(y))  # the program's own
                    if (
                        like is not None
                        and not overflowed
                        and np.all(np.isfinite(args))
                        and not (seed == 0 and np.all(each == 0))
                    ):
                        np.testing.assert_allclose(each, like, rtol=1e-9, err_msg=what)


def in_single_precision(value: Any) -> Any:
    """Arrays and NumPy numbers in single precision; Python floats stay what they are."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(map(in_single_precision, value))
    if isinstance(value, (np.ndarray, np.inexact)) and value.dtype.kind in "fc":
        return value.astype(np.float32 if value.dtype.kind == "f" else np.complex64)
    return value
