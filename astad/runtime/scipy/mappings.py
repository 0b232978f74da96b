"""Images filled point by point by a function of the user's, which is called with a record.

``geometric_transform`` asks where each point of its result lies in the image; ``generic_filter``
what the value is, given what its window sees.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.ndimage import _nd_image

from astad.errors import Unsupported
from astad.rules.formula import Rule
from astad.rules.registry import lookup
from astad.rules.scipy.filling import KERNELS
from astad.rules.scipy.ndimage_edges import extend, folded, lines, outside_sum, window
from astad.rules.scipy.ndimage_filters import offsets
from astad.runtime.core.full_rules import Cotangents, Record, Value, callbacks, full
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.formulas.whole_numbers import is_whole
from astad.runtime.unseen.additional import apart
from astad.tangents.arrays import project
from astad.tangents.refused import Refused

__all__: list[str] = []


def _deliver_extra(shadows: Shadows, parts: Value, more: Value, words: Value) -> None:
    """The parts of what a function is given besides its first argument."""
    for k, part in enumerate(parts[1 : 1 + len(more)]):
        if part is not None:
            shadows.slot_add(more, k, part)
    for word, part in zip(words, parts[1 + len(more) :], strict=True):
        if part is not None:
            shadows.key_add(words, word, part)


# --- where points lie


def _transform(rule: Rule) -> None:
    @full(_nd_image.geometric_transform)
    def forward(versions: Versions, *args: Value) -> tuple[None, Record]:
        mapping, coordinates, more, words = args[1], args[2], args[-2], args[-1]
        if not callable(mapping) or coordinates is not None:
            return None, apply_rule(versions, rule, args, {})[1]
        to = np.shape(args[5])
        at: Value = np.empty((np.ndim(args[0]), *to))
        calls = []
        for index in itertools.product(*map(range, to)):
            place, record = apart(versions, mapping, index, *more, **words)
            if type(place) is not tuple:
                _nd_image.geometric_transform(*args)  # raises its own error
            at[(slice(None), *index)] = place[: len(at)]
            calls.append((index, record))
        _, record = apply_rule(versions, rule, (args[0], None, at, *args[3:]), {})
        return None, (pull_transform, record, at, calls, more, words)


def pull_transform(
    shadows: Shadows, y_bar: Value, record: Record, at: Value, calls: Value, more: Value,
    words: Value,
) -> Cotangents:  # fmt: skip
    found = callbacks.pull(shadows, record, None, 12)
    g = shadows.take(at)
    if g is None:
        return found
    for index, kept in reversed(calls):
        bar = g if type(g) is Refused else tuple(g[(slice(None), *index)].tolist())
        parts = callbacks.pull(shadows, kept, bar, 1 + len(more) + len(words))
        _deliver_extra(shadows, parts, more, words)
    return found


for _compiled, _filled in KERNELS:
    _rule = lookup(_filled)
    if _compiled is _nd_image.geometric_transform and _rule is not None:
        _transform(_rule)


# --- what points are, by what a window sees


_CUT = Unsupported(
    "generic_filter",
    "results cut to whole numbers, of an image of whole numbers",
    why="whether the function rounds them is not known",
    instead="give output=float",
)


@full(_nd_image.generic_filter)
def generic_filter_forward(
    versions: Versions, input: Value, function: Value, footprint: Value, out: Value, mode: int,
    cval: Value, origins: Value, more: Value, words: Value,
) -> tuple[None, Record]:  # fmt: skip
    if not callable(function) or np.may_share_memory(input, out):
        raise Unsupported(
            "generic_filter",
            "a compiled function, or a result written over the image",
            why="each value is computed by a call that is recorded",
            instead="give a Python function, and another array as output",
        )
    places = lines(np.shape(input), np.shape(footprint), origins, mode)
    whole = extend(input.astype(float), places, cval)
    used = offsets(footprint)
    versions.writing(out)
    calls = []
    seen = np.stack([whole[window(k, np.shape(input))] for k in used], -1)
    for index in itertools.product(*map(range, np.shape(out))):
        buffer = seen[index].copy()
        value, record = apart(versions, function, buffer, *more, **words)
        out[index] = value
        calls.append((index, buffer, record))
    shape = np.shape(whole)
    return None, (pull_generic, input, out, mode, calls, used, places, shape, more, words)


def pull_generic(
    shadows: Shadows, y_bar: Value, input: Value, out: Value, mode: int, calls: Value,
    used: Value, places: Value, shape: Value, more: Value, words: Value,
) -> Cotangents:  # fmt: skip
    g = shadows.take_slot(out, ...)
    if g is None:
        return None
    whole = np.zeros(shape)
    refused: Value = g if type(g) is Refused else None
    if is_whole(out):
        if not is_whole(input):
            return None  # cut to whole numbers
        refused = refused or Refused(_CUT)
    for index, buffer, record in reversed(calls):
        bar = refused or float(g[index])
        parts = callbacks.pull(shadows, record, bar, 1 + len(more) + len(words))
        _deliver_extra(shadows, parts, more, words)
        part = shadows.take(buffer)
        if type(part) is Refused:
            refused = part
        elif part is not None:
            for k, value in zip(used, part, strict=True):
                whole[tuple(i + j for i, j in zip(index, k, strict=True))] += value
    if input.dtype.kind in "fiu":
        bar = refused or folded(whole, places, np.shape(input))
        shadows.add(input, project(bar, input) if refused is None else bar)
    return [None] * 5 + [refused or outside_sum(whole, places, mode)] + [None] * 3
