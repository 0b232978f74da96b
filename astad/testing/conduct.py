"""The promises of a pullback that need no differences.

Same primal and same mutations as a plain run; one cotangent for each argument, each of the right
kind; `back` may be called again, is linear, and changes nothing; nothing shares memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from astad import settings
from astad.slotted import dataclass
from astad.testing.copies import copy_of
from astad.testing.leaves import (
    Array,
    Leaf,
    is_array,
    is_narrow,
    is_number,
    leaves_of,
    name_of,
    same,
    size_of,
)
from astad.testing.randomness import with_same_randomness
from astad.testing.seeds import combine, random_cotangent

__all__ = ["Claimed", "Run", "cotangent_at", "run", "wrong_kind"]

__tracebackhide__ = not settings.debug  # pytest shows the frames of the test alone

Claimed = Callable[..., tuple[Any, Callable[[Any], Any]]]
"""Arguments to the result and ``back``. Any: results and cotangents are of every kind."""


@dataclass(slots=True)
class Run:
    """One run of the pullback: result, cotangents for a seed, and the promises broken."""

    result: Any  # of every kind
    seed: Any  # in the structure of the result
    back: Callable[[Any], Any]  # cotangents of every kind
    cotangents: Sequence[Any]
    problems: list[str]


def run(
    claimed: Claimed,
    f: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    rng: np.random.Generator,
) -> Run:
    """Run a pullback on copies of the arguments and see whether it keeps its promises.

    It is made twice: a rule may have a state.
    """
    plain_args, plain_kwargs = copy_of((list(args), dict(kwargs)))
    plain = with_same_randomness(f, *plain_args, **plain_kwargs)
    mine, keywords = copy_of((list(args), dict(kwargs)))
    result, back = with_same_randomness(claimed, *mine, **keywords)
    problems = []
    if not same(plain, result):
        problems.append(f"the result is {result!r}, that of a plain run {plain!r}")
    if not same([plain_args, plain_kwargs], [mine, keywords]):
        problems.append(
            f"the arguments are not as a plain run leaves them: {difference(plain_args, mine)}"
        )
    seed = random_cotangent(plain, rng)
    theirs = [mine, keywords, result, seed, captured(f)]
    before = copy_of(theirs)
    comparable = same(before, theirs)  # an object may refuse to be copied, or to equal its copy
    cotangents = back(seed)
    again = back(seed)
    if comparable and not same(before, theirs):
        problems.append(f"back changed {changed(before, theirs)}")
    if not same(cotangents, again, close):
        problems.append("back gives other cotangents when called again")
    elif not same(cotangents, _made_again(claimed, args, kwargs)(copy_of(seed)), close):
        problems.append("back gives other cotangents when the program is run again")
    if not isinstance(cotangents, tuple) or len(cotangents) != len(args):
        problems.append(f"{count(cotangents)} for {len(args)} positional arguments")
        return Run(result, seed, back, (), problems)
    sizes = [size_of(leaf.value) for leaf in leaves_of([result, mine])]
    floor = 1e-13 * max((size for size in sizes if size < np.inf), default=0.0)
    other = random_cotangent(plain, rng)
    if not is_chaotic(args, result, cotangents):
        problems += nonlinear(back, seed, other, cotangents, floor)
    problems += shared_memory(cotangents, theirs)
    return Run(result, seed, back, cotangents, problems)


def _made_again(
    claimed: Claimed, args: Sequence[object], kwargs: Mapping[str, object]
) -> Callable[[Any], Any]:
    """A pullback of another run at the same point."""
    mine, keywords = copy_of((list(args), dict(kwargs)))
    return with_same_randomness(claimed, *mine, **keywords)[1]


def difference(plain: object, mine: object) -> str:
    """The first number or array that differs, with its types."""
    for a, b in zip(leaves_of(plain), leaves_of(mine), strict=False):
        if a.path != b.path or not same(a.value, b.value):
            return f"{name_of('args', b.path)} is {b.value!r} and not {a.value!r}"
    return "another structure"


def count(cotangents: object) -> str:
    """How many cotangents there are, in words."""
    if not isinstance(cotangents, tuple):
        return f"back returned a {type(cotangents).__name__}, not a tuple,"
    return f"back returned {len(cotangents)} cotangents"


def captured(f: object) -> list[object]:
    """What a function holds besides its arguments: cells of its closure, its bound object."""
    found: list[object] = [f.__self__] if hasattr(f, "__self__") else []
    for cell in getattr(f, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not bound yet
            continue
    return found


def changed(before: Sequence[object], after: Sequence[object]) -> str:
    """Which of the user's things differ."""
    names = ("an argument", "a keyword argument", "the result", "the seed", "a captured variable")
    pairs = zip(names, before, after, strict=True)
    return " and ".join(name for name, old, new in pairs if not same(old, new))


def close(a: Any, b: Any) -> bool:  # numbers or arrays of any kind
    """Whether two cotangents are equal but for the order of sums."""
    if np.asarray(a).dtype == object:  # exact numbers
        return bool(a == b)
    rtol = 1e-4 if is_narrow(np.asarray(a).dtype) else 1e-9
    size = np.max(np.abs(a), initial=0.0, where=np.isfinite(a))
    return bool(np.allclose(a, b, rtol=rtol, atol=rtol * size, equal_nan=True))


def is_chaotic(args: Sequence[object], result: object, cotangents: Sequence[object]) -> bool:
    """Whether the last digits of an argument change the result by more than its size.

    What cancels on the way back of such a program, as of a generator of random numbers, leaves no
    digit by which two sums could be compared.

    >>> is_chaotic((1.3,), 0.5, (1e20,)), is_chaotic((1.3,), 0.5, (1e6,))
    (True, False)
    """
    reach = max((_size(x) * _size(bar) for x, bar in zip(args, cotangents, strict=True)), default=0)
    return bool(0.0 < _size(result) < reach * 1e3 * np.finfo(float).eps < np.inf)


def _size(value: object) -> float:
    """The largest number in it."""
    return max((size_of(leaf.value) for leaf in leaves_of(value)), default=0.0)


def nonlinear(
    back: Callable[[Any], Any],  # as in Claimed
    seed: object,
    other: object,
    cotangents: Sequence[object],
    floor: float,
) -> list[str]:
    """Whether ``back`` is linear in the seed; silent where it is not finite.

    Asked are a sum, minus the seed, much more and much less of it, and seeds that are exactly 1,
    each as a combination of what ``back`` gives for two others.
    """
    one = combine(lambda s: s * 0 + 1, seed)
    of_seed, of_other, of_one = leaves_of(cotangents), leaves_of(back(other)), leaves_of(back(one))
    pairs: list[tuple[Callable[..., Any], object, list[Leaf]]] = [
        (lambda s, t: (s + s) - t, other, of_other),
        (lambda s, t: -s, other, of_other),
        (lambda s, t: s * 1024, other, of_other),
        (lambda s, t: s / 1024, other, of_other),
        (lambda s, t: s + t, one, of_one),
    ]
    for mix, second, of_second in pairs:
        mixed = leaves_of(back(combine(mix, seed, second)))
        found = _mismatch(mix, (of_seed, of_second, mixed), floor)
        if found:
            return [found]
    return []


def _mismatch(mix: Callable[..., Any], lists: Sequence[list[Leaf]], floor: float) -> str:
    """Where the third list of cotangents is not the mixture of the other two."""
    values = [[leaf.value for leaf in leaves] for leaves in lists]
    if not all(np.all(np.isfinite(np.asarray(v, complex))) for each in values for v in each):
        return ""
    paths = [[leaf.path for leaf in leaves] for leaves in lists]
    if paths[0] != paths[1] or paths[0] != paths[2]:
        return "the structure of the cotangents depends on the seed"
    whole = max((size_of(value) for value in values[2]), default=0.0)
    for path, s, t, m in zip(paths[0], *values, strict=True):
        # below the floor: terms that cancel to nothing but rounding
        rtol = {"f2": 2e-2, "f4": 1e-3, "c8": 1e-3}.get(np.asarray(s).dtype.str[1:], 1e-7)
        wanted = np.asarray(mix(s, t), complex)
        gap = np.max(np.abs(wanted - np.asarray(m, complex)), initial=0.0)
        largest = max(map(size_of, (s, t, wanted)))
        if not gap <= rtol * largest + floor * max(1.0, size_of(wanted)) + 1e-10 * whole:
            return f"back is not linear in the seed, at {name_of('cotangents', path)}"
    return ""


def arrays_in(value: object, name: str) -> list[tuple[str, Array]]:
    """Every array inside a value with its name, 0-d and empty ones left out."""
    return [
        (name_of(name, leaf.path), leaf.value)
        for leaf in leaves_of(value)
        if isinstance(leaf.value, np.ndarray) and leaf.value.size
    ]


def shared_memory(cotangents: Sequence[object], theirs: Sequence[object]) -> list[str]:
    """Pairs of arrays that must not have memory in common.

    What an argument holds in two places has one cotangent, which may lie in both; so may that of
    what a function has captured, and others too.
    """
    mine = arrays_in(cotangents, "cotangents")
    holders = {name: id(array) for name, array in arrays_in(theirs[0], "cotangents")}
    names = ("an argument", "a keyword argument", "the result", "the seed", "a captured variable")
    others = [
        (n, a) for n, value in zip(names, theirs, strict=True) for _, a in arrays_in(value, n)
    ]
    found = []
    for i, (name, array) in enumerate(mine):
        for other, theirs_array in [*mine[:i], *others]:
            if array is theirs_array and holders.get(name) == holders.get(other):
                continue
            if np.may_share_memory(array, theirs_array):
                found.append(f"{name} shares memory with {other}")
    return found


def cotangent_at(cotangent: Any, leaf: Leaf) -> Any:  # cotangents of every kind
    """The cotangent of a leaf inside the cotangent of its argument; None where there is no path.

    Raises
    ------
    LookupError, TypeError : if the cotangent has another structure than the argument.
    """
    for kind, key in leaf.path:
        if cotangent is None:
            return None
        if kind == "attribute":
            cotangent = getattr(cotangent, str(key), None)
        else:
            cotangent = cotangent.get(key) if isinstance(cotangent, dict) else cotangent[key]
    return cotangent


def wrong_kind(value: Any, cotangent: Any) -> str | None:  # a leaf and its cotangent
    """What is wrong with type, dtype or shape of a cotangent; None when all is right."""
    if cotangent is None:
        return None
    if is_array(value):
        if not isinstance(cotangent, np.ndarray):
            return f"a {type(cotangent).__name__} for an array"
        dtype = value.dtype if value.dtype.kind in "fc" else np.dtype(float)
        if cotangent.shape != value.shape:
            return f"shape {cotangent.shape} for an array of shape {value.shape}"
        return None if cotangent.dtype == dtype else f"{cotangent.dtype} for {value.dtype}"
    if not is_number(cotangent) or isinstance(cotangent, np.ndarray):
        return f"a {type(cotangent).__name__} for a number"
    if np.iscomplexobj(cotangent) and not np.iscomplexobj(value):
        return "a complex cotangent for a real number"
    if isinstance(value, (np.float32, np.float16, np.complex64)) and type(cotangent) is not type(
        value
    ):
        return f"{type(cotangent).__name__} for {type(value).__name__}"
    return None
