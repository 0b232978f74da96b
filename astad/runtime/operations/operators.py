"""Operators on operands of any kind: numbers and arrays by rule, sequences by slots, classes of the
user's by their own methods in Python's order."""

from __future__ import annotations

import operator
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable
from types import FunctionType

import numpy as np

from astad.rules.numpy.object_elements import OPERATORS, by_element
from astad.rules.registry import QUICK, lookup
from astad.runtime.core.full_rules import (
    FULL,
    MISSING,
    NUMBERS,
    Cotangents,
    Forward,
    Record,
    Special,
    Value,
    callbacks,
    flows,
    full,
    in_order,
    inert,
    lookup_in_class,
    method_of,
    name_in_errors,
    opaque,
    python_method,
)
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule
from astad.runtime.formulas.object_arrays import apply_steps, is_left_to_elements, is_sequence
from astad.runtime.operations.array_overrides import asks_one_of, by_array_ufunc, judged
from astad.runtime.operations.conversions import taken
from astad.runtime.operations.mutation import array_in_place
from astad.runtime.text.texts import follow
from astad.tangents.unasked import callable_name, has_in_class

__all__ = [
    "CHANGED",
    "TYPED",
    "UNITED",
    "VIEWS",
    "binary",
    "by_rule",
    "own_concatenation",
    "own_repetition",
]

_BY_RULE: frozenset[type] = NUMBERS | {bool, np.bool_, np.ndarray}

inert([
    operator.is_, operator.is_not, operator.index, operator.countOf, operator.indexOf,
    operator.length_hint,
])  # fmt: skip


def by_rule(
    versions: Versions, fn: Value, /, *args: Value, **keywords: Value
) -> tuple[Value, Record]:
    """By the one-line rule; without one the plain call, and an error when a cotangent arrives."""
    rule = lookup(fn)
    if rule is not None:
        return apply_rule(versions, rule, args, keywords)
    y = fn(*args, **keywords)
    return y, opaque(callable_name(fn), y, (*args, *keywords.values()))


# --- two operands ---------------------------------------------------------------------------------


def binary(fn: Value, name: str) -> Forward:
    """Full rule of a binary operator; `name` as in ``__add__``."""
    method, reflected = f"__{name}__", f"__r{name}__"
    on_sequences = _SEQUENCES.get(name)

    def forward(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        kind_a, kind_b = type(a), type(b)
        if kind_a in _BY_RULE and kind_b in _BY_RULE:
            rule = lookup(fn)
            if rule is not None:
                return apply_rule(versions, rule, (a, b), _NO_KEYWORDS)
            return by_rule(versions, fn, a, b)
        is_asked = _in_python(kind_b, reflected) and not _is_format(name, kind_a, kind_b)
        if _in_python(kind_a, method) or is_asked:
            found = _by_methods(versions, fn, a, b, name)
            if found is None:
                raise TypeError(_unsupported_operand(method, kind_a, kind_b))
            return found
        if on_sequences is not None:
            found = on_sequences(versions, a, b)
            if found is not None:
                if issubclass(type(found[0]), (str, bytes)):
                    return found[0], follow(versions, fn, found[0], None, (a, b), _NO_KEYWORDS)
                return found
        if isinstance(a, _SETS) and isinstance(b, _SETS):
            return UNITED[set](versions, fn, a, b)
        if isinstance(a, VIEWS) or isinstance(b, VIEWS):
            found = VIEWED[set](versions, fn, a, b)
            if found is not None:
                return found
        if asks_one_of(a, b):
            found = by_array_ufunc(versions, fn, (a, b), _NO_KEYWORDS)
            if found is not None:
                return found
        if isinstance(a, _ARITHMETIC) and isinstance(b, _ARITHMETIC):
            right = not issubclass(kind_b, float) and _asks_for_float(b, a)
            if fn in _UFUNCS and (right or _asks_for_float(a, b)):
                return callbacks.call(versions, _UFUNCS[fn], a, b)
            return judged(fn, (a, b), _NO_KEYWORDS, *by_rule(versions, fn, a, b))
        if fn in _UFUNCS and (_gives_array(a, b) or _gives_array(b, a)):
            return callbacks.call(versions, _UFUNCS[fn], a, b)
        y = fn(a, b)
        return y, None if isinstance(a, _INERT) else opaque(
            f"{kind_a.__name__} {name} {kind_b.__name__}", y, (a, b)
        )

    return forward


_NO_KEYWORDS: dict[str, Value] = {}
_ARITHMETIC = (*NUMBERS, np.generic, np.ndarray, list, tuple, array, memoryview)
_SETS = (set, frozenset)
VIEWS: tuple[type, ...] = (
    type({}.keys()), type({}.items()),
    type(OrderedDict[Value, Value]().keys()), type(OrderedDict[Value, Value]().items()),
)  # fmt: skip
"""Of dicts, with the operators of sets."""
_TEXTS = (str, bytes, bytearray)
_INERT = (*_TEXTS, range, type)


def _is_format(name: str, kind_a: type, kind_b: type) -> bool:
    """Is it ``"..." % b``, which does not ask ``b`` for an ``__rmod__``?"""
    return name == "mod" and issubclass(kind_a, _TEXTS) and not issubclass(kind_b, kind_a)


def _in_python(kind: type, method: str) -> bool:
    return kind not in NUMBERS and python_method(kind, method) is not None


def _by_methods(
    versions: Versions, fn: Value, a: Value, b: Value, name: str
) -> tuple[Value, Record] | None:
    """Python's own protocol: the method, then the reflected one; that of a subclass first. None
    where neither has an answer.
    """
    kind_a, kind_b = type(a), type(b)
    method, reflected = f"__{name}__", f"__r{name}__"
    own, other = lookup_in_class(kind_a, method), lookup_in_class(kind_b, reflected)
    if (
        issubclass(type(a), np.generic)
        and type(called := method_of(other, reflected)) in (FunctionType, Special)
        and not _is_for_numpy(kind_b)
        and not issubclass(kind_b, _OF_PYTHON)
    ):
        y, record = callbacks.call(versions, called, b, a.item())
        if y is not NotImplemented:
            return y, None if record is None else (pull_from_item, record, kind_a)
    tries = [(own, a, b, False), (other, b, a, True)]
    if kind_a is kind_b:
        tries.pop()
    elif issubclass(kind_b, kind_a) and other is not lookup_in_class(kind_a, reflected):
        tries.reverse()
    is_concatenated = issubclass(kind_a, _CONCATENATED) and not _in_python(kind_a, method)
    if is_concatenated and len(tries) > 1 and tries[0][1] is a:
        tries.reverse()  # concatenation is asked last
    for found, first, second, swapped in tries:
        if found is None:
            continue
        of_c = method_of(found, reflected if swapped else method) is None
        of_c = of_c and issubclass(type(first), (np.ndarray, np.generic))
        if of_c and _asks(second) and fn in _UFUNCS:
            return callbacks.call(versions, _UFUNCS[fn], a, b)
        if issubclass(type(first), np.generic) and _is_plain_subclass(type(second)):
            return by_rule(versions, fn, a, b)
        if _asks_for_float(first, second) and fn in _UFUNCS:
            return callbacks.call(versions, _UFUNCS[fn], a, b)
        if type(first) is np.ndarray and _answers_itself(first, second):
            return by_rule(versions, fn, a, b)
        if issubclass(type(first), np.generic) and _is_read_as_array(fn, second):
            return callbacks.call(versions, _UFUNCS[fn], a, b)
        if issubclass(type(first), np.ndarray) and is_left_to_elements(fn, second):
            return apply_steps(versions, (by_element, fn), (a, b))
        found = method_of(found, reflected if swapped else method) or found
        y, record = _try(versions, found, first, second)
        if y is not NotImplemented:
            return y, (pull_swapped, record) if swapped and record is not None else record
    return None


_OF_PYTHON = (int, float, complex)
"""NumPy takes objects of these classes for the numbers that they are, and asks them for no
operator; but its complex numbers leave to others what they have no answer to."""


def _answers_itself(a: Value, b: Value) -> bool:
    """Is ``a + b`` of an array left to no method of ``b``?"""
    if a.dtype.kind not in "fciu" or not issubclass(type(b), _OF_PYTHON):
        return False
    return not (has_in_class(type(b), _FOR_NUMPY[0]) or has_in_class(type(b), _FOR_NUMPY[1]))


def _asks_for_float(a: Value, b: Value) -> bool:
    """Does an array, or a number of NumPy's, make a number of this float by a ``__float__`` that
    the user wrote?"""
    kind = type(b)
    if not issubclass(kind, float) or issubclass(kind, np.generic):
        return False
    if python_method(kind, "__float__") is None:
        return False
    return issubclass(type(a), (np.ndarray, np.generic)) and _answers_itself(a, b)


def _is_read_as_array(fn: Value, b: Value) -> bool:
    """Does a number of NumPy's make an array of it, as of all sequences?"""
    has_own = any(has_in_class(type(b), name) for name in _FOR_NUMPY[:5])
    return fn in _UFUNCS and not has_own and is_sequence(b)


def _asks(b: Value) -> bool:
    """An operator of an array is a ufunc, which asks an object that has such a method."""
    return python_method(type(b), "__array_ufunc__") is not None


def _gives_array(a: Value, b: Value) -> bool:
    """Does an array, or a number of NumPy's, ask ``b`` for the array to add to itself?"""
    is_asked = python_method(type(b), "__array__") is not None
    return is_asked and issubclass(type(a), (np.ndarray, np.generic))


_UFUNCS = {each: ufunc for ufunc, each in OPERATORS.items() if isinstance(ufunc, np.ufunc)}
_UFUNCS[operator.matmul] = np.matmul


def _is_plain_subclass(kind: type) -> bool:
    """A number of NumPy's times such an array is a ufunc, whatever ``__rmul__`` the array has."""
    return issubclass(kind, np.ndarray) and python_method(kind, "__array_ufunc__") is None


def _is_for_numpy(kind: type) -> bool:
    """Has NumPy more to do with such an object than to hand it the number as one of Python's?"""
    return any(has_in_class(kind, name) for name in _FOR_NUMPY)


_FOR_NUMPY = (
    "__array_ufunc__", "__array_priority__", "__array__", "__array_interface__",
    "__array_struct__", "__len__",
)  # fmt: skip


def pull_from_item(shadows: Shadows, y_bar: Value, record: Record, kind: Value) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    if operands is None:
        return None
    return None if operands[1] is None else kind(operands[1]), operands[0]


_CONCATENATED = (list, tuple, deque, str, bytes, bytearray)


def _try(versions: Versions, method: Value, a: Value, b: Value) -> tuple[Value, Record]:
    is_named = type(method) in (FunctionType, Special) or not method.__name__.startswith("__")
    is_named = is_named or id(method) in FULL
    by_number = id(method) in FULL and issubclass(type(b), _OF_PYTHON)
    if (is_named and type(a) not in NUMBERS) or by_number:
        return callbacks.call(versions, method, a, b)
    reflected = _asked_by_numpy(method, a, b)
    if reflected is not None:
        y, record = callbacks.call(versions, reflected, b, a.item())
        return y, (pull_swapped, record) if record is not None else None
    y = method.__get__(a, type(a))(b)
    return y, opaque(f"{type(a).__name__}.{method.__name__}", y, (a, b), of=method)


def _asked_by_numpy(method: Value, a: Value, b: Value) -> FunctionType | None:
    """The reflected method by which an object answers a number of NumPy's: that hands on a number
    of Python's, unless the object looks like an array or a sequence."""
    kind = type(b)
    if not issubclass(type(a), np.generic) or type(a) not in NUMBERS or kind in NUMBERS:
        return None
    if issubclass(kind, _OF_PYTHON):
        return None
    if any(lookup_in_class(kind, name) is not None for name in _LIKE_ARRAYS):
        return None
    found: FunctionType | None = python_method(kind, f"__r{method.__name__.strip('_')}__")
    return found


_LIKE_ARRAYS = (
    "__array__", "__array_ufunc__", "__array_priority__", "__array_interface__",
    "__array_struct__", "__len__", "__getitem__", "__float__", "__complex__", "__buffer__",
)  # fmt: skip
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "** or pow()", "matmul": "@", "lshift": "<<", "rshift": ">>", "and": "&", "or": "|",
    "xor": "^", "divmod": "divmod()",
}  # fmt: skip


def _unsupported_operand(method: str, kind_a: type, kind_b: type) -> str:
    sign = _SIGNS[method.strip("_")]
    named = f"{name_in_errors(kind_a)!r} and {name_in_errors(kind_b)!r}"
    return f"unsupported operand type(s) for {sign}: {named}"


def pull_swapped(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    return None if operands is None else (operands[1], operands[0])


# --- sequences ------------------------------------------------------------------------------------


TYPED: dict[str, Callable[[Versions, Value, Value], tuple[Value, Record] | None]] = {}
"""What ``+`` and ``*`` do to an array of Python's: `typed_arrays.py` fills it."""

UNITED: dict[type, Callable[..., tuple[Value, Record]]] = {}
"""What is made of two dicts and of two sets: `dicts.py` and `sets.py` fill it."""

VIEWED: dict[type, Callable[..., tuple[Value, Record] | None]] = {}
"""The set that is made of a view of a dict and of something else, if that is known: so does
`sets.py`.
"""

CHANGED: dict[type, dict[str, Forward]] = {}
"""For each class its operators in place; also what ``super().__iadd__(b)`` of a subclass calls.
Those of containers fill it: `in_place.py`, `typed_arrays.py`.
"""


def _concatenate(versions: Versions, a: Value, b: Value) -> tuple[Value, Record] | None:
    base = next((base for base in (list, tuple, deque) if issubclass(type(a), base)), None)
    if base is None or not issubclass(type(b), base):
        return TYPED["add"](versions, a, b) if issubclass(type(a), array) else None
    y = a + b
    return y, None if y is a or y is b else _of_concatenation(base, y, a, b)


def _of_concatenation(base: Value, y: Value, a: Value, b: Value) -> Record:
    if not any(map(flows, y)):
        return None
    return pull_concatenate, y, base.__len__(y), a, base.__len__(a), b, base.__len__(b)


def own_concatenation(base: Value) -> Forward:
    """What ``super().__add__(b)`` of a subclass calls."""

    def forward(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        y = base.__add__(a, b)
        if y is NotImplemented or y is a or y is b:
            return y, None
        return y, _of_concatenation(base, y, a, b)

    return forward


def own_repetition(base: Value) -> Forward:
    """What ``super().__mul__(n)`` of a subclass calls."""

    def forward(versions: Versions, a: Value, count: Value) -> tuple[Value, Record]:
        y = base.__mul__(a, count)
        if y is NotImplemented or y is a or not any(map(flows, y)):
            return y, None
        return y, (pull_repeat, y, base.__len__(y), a, base.__len__(a), operator.index(count))

    return forward


def pull_concatenate(
    shadows: Shadows, y_bar: Value, y: Value, n: int, a: Value, n_a: int, b: Value, n_b: int
) -> Cotangents:
    """A deque that is full drops what stands first."""
    for k, g in enumerate(shadows.slots_take(y, n), n_a + n_b - n):
        if g is not None:
            shadows.slot_add(*(a, k) if k < n_a else (b, k - n_a), g)
    return None


def _repeat(versions: Versions, a: Value, b: Value) -> tuple[Value, Record] | None:
    sequence, count = (a, b) if issubclass(type(a), (list, tuple, deque, array)) else (b, a)
    if issubclass(type(sequence), array):
        return TYPED["mul"](versions, sequence, count)
    if not issubclass(type(sequence), (list, tuple, deque)) or not (
        issubclass(type(count), (int, np.integer)) or _in_python(type(count), "__index__")
    ):
        return None
    times = operator.index(count)
    y = sequence * times
    if y is sequence or not any(map(flows, y)):
        return y, None
    base = next(base for base in (list, tuple, deque) if issubclass(type(sequence), base))
    return y, (pull_repeat, y, base.__len__(y), sequence, base.__len__(sequence), times)


def pull_repeat(
    shadows: Shadows, y_bar: Value, y: Value, total: int, sequence: Value, n: int, times: int
) -> Cotangents:
    """A deque that is full drops what stands first."""
    for k, g in enumerate(shadows.slots_take(y, total), n * times - total):
        if g is not None:
            shadows.slot_add(sequence, k % n, g)
    return None


def _merge(versions: Versions, a: Value, b: Value) -> tuple[Value, Record] | None:
    are_dicts = issubclass(type(a), dict) and issubclass(type(b), dict)
    return UNITED[dict](versions, a, b) if are_dicts else None


def _text(versions: Versions, a: Value, b: Value) -> tuple[Value, Record] | None:
    return (a % b, None) if issubclass(type(a), _TEXTS) else None


_SEQUENCES: dict[str, Callable[[Versions, Value, Value], tuple[Value, Record] | None]] = {
    "add": _concatenate, "mul": _repeat, "or": _merge, "mod": _text,
}  # fmt: skip

BINARY: dict[str, Forward] = {}
for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and",
    "or", "xor",
):  # fmt: skip
    _fn = getattr(operator, f"__{_name}__")
    BINARY[_name] = binary(_fn, _name)
    full(_fn)(BINARY[_name])
full(operator.concat)(BINARY["add"])


# --- one operand ----------------------------------------------------------------------------------


def unary(fn: Value, *methods: str) -> Forward:
    """Full rule of a function of one operand (and options) that classes may define: ``-x``,
    ``abs``, ``float``."""

    def forward(
        versions: Versions, x: Value = MISSING, *more: Value, **keywords: Value
    ) -> tuple[Value, Record]:
        if x is MISSING:
            return by_rule(versions, fn, **keywords) if keywords else (fn(), None)
        kind = type(x)
        if kind not in NUMBERS and kind is not np.ndarray:
            for method in methods:
                found = python_method(kind, method)
                if found is not None:
                    y, record = callbacks.call(versions, found, x, *more, **keywords)
                    return (taken(fn, method, kind, y) if fn in _CONVERTING else y), record
            if issubclass(kind, np.ndarray) and asks_one_of(x):
                answer = by_array_ufunc(versions, fn, (x,), _NO_KEYWORDS)
                if answer is not None:
                    return answer
        if issubclass(type(x), (str, bytes)):
            return fn(x, *more, **keywords), None
        y, record = by_rule(versions, fn, x, *more, **keywords)
        return (y, record) if kind in NUMBERS else judged(fn, (x, *more), keywords, y, record)

    return forward


_CONVERTING = (float, complex, int)

for _fn, *_methods in (
    (operator.neg, "__neg__"), (operator.pos, "__pos__"), (operator.invert, "__invert__"),
    (operator.abs, "__abs__"), (abs, "__abs__"), (round, "__round__"), (float, "__float__"),
    (int, "__int__"),
):  # fmt: skip
    full(_fn)(unary(_fn, *_methods))

_complex_of_one = unary(complex, "__complex__", "__float__")


@full(complex)
def complex_forward(versions: Versions, *parts: Value, **named: Value) -> tuple[Value, Record]:
    """Of two parts each is asked for the number that it stands for."""
    if named:
        return _complex_in_order(versions, *parts, **named)
    if len(parts) == 2:
        if type(parts[0]) in NUMBERS and type(parts[1]) in NUMBERS:
            return by_rule(versions, complex, *parts)
        return _complex_of_two(versions, *parts)
    return _complex_of_one(versions, *parts)


def _complex_by_name(versions: Versions, *parts: Value, **named: Value) -> tuple[Value, Record]:
    if parts or named.keys() != {"imag"}:
        return complex_forward(versions, *parts) if not named else (complex(*parts, **named), None)
    y, record = _complex_of_two(versions, 0, named["imag"])
    return y, None if record is None else (pull_imaginary, record)


_complex_in_order = in_order(_complex_by_name, "real imag")


def _complex_of_two(versions: Versions, *parts: Value) -> tuple[Value, Record]:
    values, records = [*parts], list[Record]()
    for at, part in enumerate(parts):
        kind, record = type(part), None
        methods = ("__complex__", "__float__")[at:] if kind not in NUMBERS else ()
        for method in methods:
            found = python_method(kind, method)
            if found is not None:
                y, record = callbacks.call(versions, found, part)
                values[at] = taken(complex if method == "__complex__" else float, method, kind, y)
                break
        records.append(record)
    y, record = by_rule(versions, complex, *values)
    return y, record if not any(records) else (pull_parts, record, records)


def pull_parts(shadows: Shadows, y_bar: Value, record: Record, records: list[Record]) -> Cotangents:
    bars = [*(callbacks.pull(shadows, record, y_bar, len(records)) or (None, None))]
    for at, asked in enumerate(records):
        if asked is not None:
            found = callbacks.pull(shadows, asked, bars[at], 1)
            bars[at] = found[0] if found is not None else None
    return bars


def pull_imaginary(shadows: Shadows, y_bar: Value, record: Record) -> Cotangents:
    operands = callbacks.pull(shadows, record, y_bar, 2)
    return None if operands is None else operands[1:]


# --- in place -------------------------------------------------------------------------------------


_ASKED_FIRST = {"add": (np.ndarray, np.generic), "mul": (np.ndarray,)}
"""Of these NumPy makes an array out of a list to which they are added."""


def _answer_before(
    versions: Versions, plain: Value, a: Value, b: Value, name: str
) -> tuple[Value, Record] | None:
    """What a method for numbers says of ``a += b`` before a sequence is changed in place.

    ``__iadd__`` of a subclass of list is in both tables of its class, and is asked first. That of
    list itself, and each ``__imul__``, are asked last.
    """
    kind = type(a)
    base = next((found for found in _SEQUENCES_IN_PLACE if issubclass(type(a), found)), None)
    if base is None or name not in _ASKED_FIRST or (name == "add" and kind is not base):
        return None
    if _in_python(kind, f"__{name}__"):
        return _by_methods(versions, plain, a, b, name)
    if issubclass(type(b), _ASKED_FIRST[name]):
        return BINARY[name](versions, a, b)
    other = python_method(type(b), f"__r{name}__")
    if other is None or type(b) in NUMBERS:
        return None
    y, record = callbacks.call(versions, other, b, a)
    if y is NotImplemented:
        return None
    return y, None if record is None else (pull_swapped, record)


_SEQUENCES_IN_PLACE = (list, deque, bytearray, array)


def in_place(fn: Value, plain: Value, name: str) -> Forward:
    """Full rule of ``a += b`` and the like; `plain` is the operator that makes a new value."""
    method = f"__i{name}__"

    def forward(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        try:
            return changed(versions, a, b)
        except TypeError as error:
            _name_as_in_place(error, name, type(a), type(b))
            raise

    def changed(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        kind = type(a)
        if kind in NUMBERS:
            known = QUICK.get(id(plain))
            found = known[1](versions, a, b) if known is not None else None
            return found or BINARY[name](versions, a, b)
        own = python_method(kind, method)
        if own is not None:
            y, record = callbacks.call(versions, own, a, b)
            return (y, record) if y is not NotImplemented else BINARY[name](versions, a, b)
        if issubclass(type(a), np.ndarray):
            if asks_one_of(a, b) and not _in_python(type(b), f"__r{name}__"):
                answer = by_array_ufunc(versions, fn, (a, b), _NO_KEYWORDS)
                if answer is not None:
                    return answer
            if _asks_for_float(a, b):
                number, asked = callbacks.call(versions, float, b)
                y, record = array_in_place(versions, fn, plain, a, number)
                return y, (pull_asked_for_float, record, asked)
            if not _in_python(type(b), f"__r{name}__") or _answers_itself(a, b):
                return array_in_place(versions, fn, plain, a, b)
            versions.writing(a)
        found = _answer_before(versions, plain, a, b, name)
        if found is not None:
            return found
        base = next((found for found in CHANGED if isinstance(a, found)), None)
        if name == "mul" and base is not None and not has_in_class(type(b), "__index__"):
            return fn(a, b), None  # raises Python's own TypeError
        if base is not None and name in CHANGED[base]:
            y, record = CHANGED[base][name](versions, a, b)
            if y is not NotImplemented:
                return y, record
            return _by_methods(versions, plain, a, b, name) or (fn(a, b), None)  # raises TypeError
        if not has_in_class(kind, method):
            return BINARY[name](versions, a, b)
        y = fn(a, b)
        return y, opaque(f"{kind.__name__} {fn.__name__}", y, (a, b))

    return forward


def pull_asked_for_float(
    shadows: Shadows, y_bar: Value, record: Record, asked: Record
) -> Cotangents:
    bars = callbacks.pull(shadows, record, y_bar, 2) or (None, None)
    found = callbacks.pull(shadows, asked, bars[1], 1)
    return bars[0], None if found is None else found[0]


def _name_as_in_place(error: TypeError, name: str, kind_a: type, kind_b: type) -> None:
    """Where neither operand has an answer Python names the operator that was written."""
    plain = _unsupported_operand(name, kind_a, kind_b)
    if error.args and type(error.args[0]) is str and error.args[0].startswith(plain):
        sign = _SIGNS[name].partition(" ")[0]
        words = "unsupported operand type(s) for "
        error.args = (words + sign + "=" + plain.removeprefix(words + _SIGNS[name]),)


for _name, _forward in tuple(BINARY.items()):
    _fn = getattr(operator, f"__i{_name}__")
    full(_fn)(in_place(_fn, getattr(operator, f"__{_name}__"), _name))
full(operator.iconcat)(in_place(operator.iconcat, operator.concat, "add"))


def _own_in_place(fn: Value, plain: Value) -> Forward:
    """What ``super().__iadd__(b)`` of a subclass of ndarray calls."""

    def forward(versions: Versions, a: Value, b: Value) -> tuple[Value, Record]:
        return array_in_place(versions, fn, plain, a, b)

    return forward


for _name in BINARY:
    _method = getattr(np.ndarray, f"__i{_name}__", None)
    if _method is not None:
        full(_method)(_own_in_place(_method, getattr(operator, f"__{_name}__")))
