"""The operations of the language on Python's own values: operators, items, displays, loops.

Where an operand is a number to follow, a line or a test is written. Where it is an object of the
user's, its method is run as Python would find it. Where it lies outside, what is read of it is.
"""

from __future__ import annotations

import enum
import operator
import re
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from types import (
    CellType,
    FunctionType,
    GeneratorType,
    UnionType,
)  # fmt: skip
from typing import Any

import numpy as np

from astad.recording import attributes, by_value
from astad.recording.numpy_in_python import Flags
from astad.recording.outside import FIXED
from astad.recording.recording import (
    FLOATING,
    INERT,
    NUMBERS,
    WHOLE_ARRAYS,
    Count,
    Ident,
    Told,
    Whole,
    is_array,
    is_counting,
    is_number,
    is_of_names,
    is_of_places,
    without_wholes,
)
from astad.recording.run import Run
from astad.rules.numpy.scatter import put_at
from astad.rules.raised import raised_by
from astad.runtime.containers.adders import adder
from astad.runtime.containers.starred import dict_merge
from astad.runtime.control import exceptions, patterns
from astad.runtime.cotangents.owners import owner_of
from astad.runtime.iteration.unpacking import unpack

__all__ = [
    "as_dict", "base_of", "check_key", "computed", "contains_of_base", "delete_from_base",
    "is_mapping", "is_of_base", "is_text_or_number", "item_of_base", "iterate", "iterate_base",
    "joined", "length_of_base", "of_base", "operate", "put_in_base", "special", "truth",
]  # fmt: skip

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
}  # fmt: skip
ARITHMETIC = ("add", "sub", "mul", "truediv", "pow")
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
UNARY = {"neg": "-", "pos": "+", "invert": "~"}

PLAIN = (
    *INERT,
    *FIXED,
    range,
    float,
    complex,
    np.float64,
    tuple,
    list,
    dict,
    set,
    frozenset,
    bytearray,
    slice,
)
MAPPINGS = (dict, defaultdict, OrderedDict)
SEQUENCES = (list, tuple, deque)
_GONE_THROUGH: tuple[Any, ...] = (
    [], (), {}, set(), "", "\u00e4", b"", range(0), range(2**70), {}.items(), {}.values(), deque(),
    OrderedDict(),
)  # fmt: skip
LAZY = (
    zip, enumerate, reversed, map, filter, GeneratorType, type(reversed([])), type(reversed({})),
    *(type(iter(v)) for v in _GONE_THROUGH),
)  # fmt: skip
VIEWS: tuple[Any, ...] = tuple(
    type(view())
    for d in (dict[Any, Any](), OrderedDict[Any, Any]())
    for view in (d.keys, d.values, d.items)
)


def special(run: Run, o: Any, name: str) -> Any:
    """The method that Python's operators find: in the class, never in the object."""
    return attributes.in_class(run, type(o), name)


def is_python(fn: Any) -> bool:
    return type(fn) is FunctionType


def held(run: Run, v: Any) -> Any:
    """A container to be gone through by compiled code: where it lies outside, a copy of it."""
    if type(v) in INERT or type(v) in FIXED or not run.outside.is_outside(v):
        return v
    if type(v) in (list, tuple, dict, set, frozenset, type({}.keys())):
        return run.outside.copy(v)
    if type(v) is OrderedDict or _is_read_as_dict(run, v):
        return run.outside.copy(v)
    if type(v) in VIEWS or type(v) in LAZY or isinstance(v, (deque, dict, list, set)):
        run.recording.refuse(f"{type(v).__name__} from outside is gone through")
    return v


def _is_read_as_dict(run: Run, v: Any) -> bool:
    """Is it of a class that is derived from dict, and has its items where dict has them?"""
    if type(v) is defaultdict or not is_mapping(run, v):
        return False
    return special(run, v, "__getitem__") is dict.__getitem__


def changed(run: Run, o: Any) -> Any:
    """An object that is to be written to: only what the run itself has made."""
    if run.outside.is_outside(o):
        run.recording.refuse(f"a {type(o).__name__} from outside is written to")
    return o


def computed(run: Run, fn: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """What compiled code gives for numbers. Where it raises for these, the text asks whether it
    does so again.
    """
    try:
        return fn(*args, **keywords)
    except Exception as error:
        given = [*args, *keywords.values()]
        if run.recording.holds_followed(given) or any(map(is_array, given)):
            _expect_raised(run, fn, args, keywords, type(error).__name__)
        raise


def _expect_raised(
    run: Run, fn: Any, args: Sequence[Any], keywords: dict[str, Any], error: str
) -> None:
    recording, home = run.recording, getattr(fn, "__module__", None)
    if fn in (float, int) and len(args) == 1 and is_array(args[0]) and not keywords:
        recording.expect(f"{recording.shaped(args[0])}.size", args[0].size)
        return  # of more than one number there is none
    is_plain = home in ("math", "_operator") and not keywords and len(args) in (1, 2)
    if not is_plain or not all(type(v) in (float, np.float64, int, bool) for v in args):
        recording.refuse(f"an operation on numbers raises {error}")
    words = ", ".join(map(recording.word, args))
    asked = recording.constant(raised_by)
    recording.expect(f"{asked}({f'{home}.{fn.__name__}'!r}, {error!r}, {words})", True)


# --- operators


REPEATED = frozenset({list, tuple, str, bytes})
"""What a whole number repeats, `[0.0] * n`."""


def _of_wholes(run: Run, name: str, a: Any, b: Any) -> Any:
    """An operation of which one operand is an int with a derivative."""
    recording = run.recording
    plain = [without_wholes(v) for v in (a, b)]
    if not all(type(v) in NUMBERS for v in plain):
        if name == "mul" and any(type(v) in REPEATED for v in plain):
            return binary(run, name, *plain)  # it only counts, and is the same in every run
        if any(type(v) in PLAIN for v in (a, b)):
            recording.refuse("an int that is differentiated beside what is no number")
        return _by_methods(run, name, f"__{name.rstrip('_')}__", f"__r{name.rstrip('_')}__", a, b)
    y = computed(run, getattr(operator, name), *plain)
    text = f"{recording.word(a)} {SIGNS[name]} {recording.word(b)}"
    if name not in ARITHMETIC or type(y) not in (int, float, np.float64) and not is_array(y):
        recording.refuse(f"an int that is differentiated, and {SIGNS[name]}")
    if name == "pow" and type(b) is Whole:  # of ints it is an int or a fraction
        recording.expect(f"{recording.word(b)} < 0", bool(plain[1] < 0))
    if type(y) is int:
        target = recording.name()
        recording.say(f"{target} = {text}")
        return recording.whole(y, target)
    if type(y) is np.float64 and np.float64 not in map(type, plain):
        text = f"np.float64({text})"
    return recording.result(text, y)


def _of_count(run: Run, name: str, a: Any, b: Any) -> Any:
    """A whole number that is another in each run may be counted on, and nothing else."""
    if name not in ("add", "sub") or type(a) is not Count or type(b) is not int:
        run.recording.refuse(f"a whole number that is written back changed, and {SIGNS[name]}")
    y = getattr(operator, name)(int(a), b)
    return run.recording.count(y, f"{run.recording.word(a)} {SIGNS[name]} {run.recording.word(b)}")


def binary(run: Run, name: str, a: Any, b: Any) -> Any:
    run.recording.use(a, b)
    if type(a) is Count or type(b) is Count:
        return _of_count(run, name, a, b)
    if type(a) is Whole or type(b) is Whole:
        return _of_wholes(run, name, a, b)
    if type(a) in NUMBERS and type(b) in NUMBERS:
        y = computed(run, getattr(operator, name), a, b)
        if run.recording.is_of_settled(y, a, b):
            return run.recording.fresh(y)
        if is_array(y) or run.recording.is_followed(a) or run.recording.is_followed(b):
            word = run.recording.word
            if name in ARITHMETIC:  # a truth counts as 0 or 1
                a, b = [int(v) if type(v) in (bool, np.bool_) else v for v in (a, b)]
            text = f"{word(a)} {SIGNS[name]} {word(b)}"
            if type(y) is np.float64 and type(a) is not np.float64 and type(b) is not np.float64:
                text = (
                    f"np.float64({text})"  # by a whole number of NumPy's, which is a literal here
                )
            if run.recording.is_whole_result(y) and name in ("add", "sub", "mul"):
                bounds = run.recording.bound(a), run.recording.bound(b)
                bound = bounds[0] * bounds[1] if name == "mul" else sum(bounds)
                return run.recording.whole_result(text, y, bound)
            made = run.recording.result(text, y)
            if name == "pow" and not _is_power_of_its_kind(run, a, b):
                expect_kind(run, made)
            return made
        return run.recording.keep(y)
    if type(a) is Told or type(b) is Told or (name == "mod" and isinstance(a, (str, bytes))):
        return _of_texts(run, name, a, b)
    if type(a) in PLAIN and type(b) in PLAIN:
        if run.recording.is_followed(a) or run.recording.is_followed(b):
            run.recording.refuse(f"{type(a).__name__} {SIGNS[name]} {type(b).__name__}")
        if type(a) in (set, frozenset) and type(b) in (set, frozenset):
            return with_order(run, getattr(operator, name)(held(run, a), held(run, b)), a, b)
        return _native(run, getattr(operator, name), held(run, a), held(run, b))
    if name == "or_" and all(isinstance(v, (type, UnionType, type(None))) for v in (a, b)):
        return run.recording.keep(a | b)
    if (sets := _as_sets(run, a, b)) is not None:
        return with_order(run, getattr(operator, name)(*sets), *sets)
    if (both := _as_arrays(run, a, b)) is not None:
        return binary(run, name, *both)
    return _by_methods(run, name, f"__{name.rstrip('_')}__", f"__r{name.rstrip('_')}__", a, b)


def _as_arrays(run: Run, a: Any, b: Any) -> tuple[Any, Any] | None:
    """An array, and a list or a tuple beside it, of which NumPy makes an array, too."""
    if list in (type(a), type(b)) and (is_array(a) or is_array(b)):
        both = [v if is_array(v) else run.call(np.asarray, v) for v in (a, b)]
        return both[0], both[1]
    return None


def _as_sets(run: Run, a: Any, b: Any) -> tuple[Any, Any] | None:
    """The keys of a dict, with others or with a set."""
    if not {type(a), type(b)} & _KEYS or not {type(a), type(b)} <= {*_KEYS, set, frozenset}:
        return None
    found = [_keys_alone(run, v) if type(v) in _KEYS else held(run, v) for v in (a, b)]
    for key in (*found[0], *found[1]):
        check_key(run, key)
    return found[0], found[1]


def _keys_alone(run: Run, keys: Any) -> Any:
    """The same keys in the same order, with which nothing else is read."""
    return dict.fromkeys(iterate(run, keys)).keys()


def with_order(run: Run, made: Any, *operands: Any) -> Any:
    """A set that Python's own operation has made of these: where they are what they are in the
    plain run, and no sets of unknown order, its items come as they do there.
    """
    exact = run.recording.exact
    if all(id(v) in exact for v in operands if type(v) in (set, frozenset)):
        exact.add(id(made))
    return run.recording.fresh(made)


_KEYS = {type({}.keys()), type(OrderedDict[Any, Any]().keys())}


def _is_power_of_its_kind(run: Run, base: Any, exponent: Any) -> bool:
    """Do the kinds of both tell that of the power? Python's floats below 0 have complex ones."""
    if not all(type(v) in (float, int) for v in (base, exponent)):
        return True
    if type(exponent) is int or (exponent.is_integer() and not run.recording.is_followed(exponent)):
        return True
    return bool(base > 0) and not run.recording.is_followed(base)


def expect_kind(run: Run, y: Any) -> None:
    """It has to be complex again, or real, where the numbers that it is made of decide."""
    if type(y) is list or isinstance(y, tuple):
        for part in y:
            expect_kind(run, part)
    elif (is_array(y) or type(y) in FLOATING) and run.recording.holds_moving(y):
        is_number = type(y) in (float, complex)
        word = run.recording.word(y)
        text = f"type({word}) is complex" if is_number else f"np.iscomplexobj({word})"
        run.recording.expect(text, bool(np.iscomplexobj(y)))


def _of_texts(run: Run, name: str, a: Any, b: Any) -> Any:
    """Texts one after the other, or a format with what goes into it."""
    parts = b if name == "mod" and type(b) is tuple else (b,)
    if name == "mod" and type(a) in (str, bytes) and not any(_is_told(run, v) for v in parts):
        return _native(run, operator.mod, a, held(run, b))
    is_format = name == "mod" and type(a) is str and {*_KINDS.findall(a)} <= {*"efgEFGsra"}
    if is_format and all(is_text_or_number(v) for v in parts):
        return run.recording.told(computed(run, operator.mod, a, b))
    if name == "add" and isinstance(a, str) and isinstance(b, str):
        return run.recording.told(a + b)
    run.recording.refuse("a number goes into a text")


_KINDS = re.compile(r"%[^a-zA-Z%]*([a-zA-Z])")
"""Those in a format: one that asks for whole numbers raises for an infinity."""


def is_text_or_number(v: Any) -> bool:
    """What goes into a text with nothing of the user's asked."""
    return type(v) in (*INERT, Told, float, np.float64, complex, np.complex128)


def _is_told(run: Run, v: Any) -> bool:
    """Does it hold a number that is followed, or an object that may say anything?"""
    if type(v) in (tuple, list):
        return any(_is_told(run, part) for part in v)
    return run.recording.is_followed(v) or (type(v) not in PLAIN) or isinstance(v, (dict, set))


def _native(run: Run, fn: Callable[..., Any], *args: Any) -> Any:
    y = fn(*args)
    if type(y) not in INERT and all(y is not arg for arg in args):
        run.recording.fresh(y)
    return y


def _by_methods(run: Run, name: str, own: str, other: str, a: Any, b: Any) -> Any:
    """``a + b`` by the methods of their classes, in Python's order."""
    if name in COMPARE:
        own, other = f"__{name}__", f"__{MIRRORED[name]}__"
    plain = [_without_enum(run, v, method) for v, method in ((a, own), (b, other))]
    if type(a) is float and is_counting(b):
        plain[1] = int(b)  # floats do not ask what its class does
    if plain[0] is not a or plain[1] is not b:
        return (compare if name in COMPARE else binary)(run, name, *plain)
    order = [(a, own, b), (b, other, a)]
    first, second = special(run, a, own), special(run, b, other)
    if type(b) is not type(a) and issubclass(type(b), type(a)) and second is not first:
        order.reverse()
    if type(a) is type(b) and name not in COMPARE:
        order = order[:1]
    for left, method, right in order:
        found = special(run, left, method)
        if found is None:
            continue
        if is_python(found):
            y = run.call(found, left, right)
        elif _is_told_by_kinds(left) and _is_told_by_kinds(right):
            y = found(left, right)
        elif type(left) in PLAIN or found is getattr(object, method, None):
            y = found(left, right) if type(right) in PLAIN else NotImplemented
            if y is not NotImplemented and run.recording.holds_followed([left, right]):
                run.recording.refuse("a comparison of what holds numbers")
        else:
            run.recording.refuse(f"{type(left).__name__} {SIGNS.get(name, name)} in compiled code")
        if y is not NotImplemented:
            return y
    if name in ("eq", "ne"):
        same = run.outside.identical(a, b, a is b)
        return same if name == "eq" else not same
    raise TypeError(
        f"unsupported operand type(s) for {SIGNS.get(name, COMPARE.get(name))}: "
        f"{type(a).__name__!r} and {type(b).__name__!r}"
    )


def _without_enum(run: Run, v: Any, method: str) -> Any:
    """The whole number that a member of an Enum is, if it does as those do."""
    if isinstance(v, enum.Enum) and isinstance(v, int):
        found = special(run, v, method)
        return int(v) if found is getattr(int, method, None) and found is not None else v
    return v


def _is_told_by_kinds(v: Any) -> bool:
    """Is it the same in each run of these kinds: a dtype, a name of one, the version of Python?"""
    is_type = isinstance(v, type) and (issubclass(v, np.generic) or v in (float, int, bool))
    is_plain = type(v) is tuple and all(type(part) in INERT for part in v)
    return isinstance(v, np.dtype) or type(v) is str or is_type or is_plain or v is sys.version_info


def _is_of_others(run: Run, a: Any) -> bool:
    """Is an array that is written to one of which something else has a part?"""
    found = not run.recording.is_alone(a)
    run.recording.views = run.recording.views or found
    return found


def in_place(run: Run, name: str, a: Any, b: Any) -> Any:
    plain = name[1:] + "_" * (name in ("iand", "ior"))
    if is_array(a) and type(b) in NUMBERS and run.recording.written_apart(a, b):
        return computed(run, getattr(operator, name), a, b)
    if is_array(a):
        return _array_in_place(run, name, plain, a, b)
    if type(a) in NUMBERS or type(a) in INERT or type(a) is tuple:
        return binary(run, plain, a, b)
    if type(a) in PLAIN:
        if special(run, a, f"__{name}__") is None:
            return binary(run, plain, a, b)
        whole = list(iterate(run, b)) if type(a) is list else held(run, b)
        if type(a) is set:
            run.recording.shrunk.add(id(a))
            if id(whole) not in run.recording.exact:
                run.recording.exact.discard(id(a))
        return getattr(operator, name)(changed(run, a), whole)
    found = special(run, a, f"__{name}__")
    if found is None:
        return binary(run, plain, a, b)
    if not is_python(found):
        run.recording.refuse(f"{type(a).__name__} {SIGNS[plain]}= in compiled code")
    y = run.call(found, a, b)
    return binary(run, plain, a, b) if y is NotImplemented else y


FEW = 1000
"""Numbers of an array that may as well be made anew as changed in place."""


def _array_in_place(run: Run, name: str, plain: str, a: Any, b: Any) -> Any:
    """An array that the run has made, changed by a number or an array."""
    expect_own(run, a)
    if type(b) not in NUMBERS:
        run.recording.refuse("an array is changed by what is no number")
    stays = run.recording.is_steady(a) and run.recording.is_steady(b)
    words = run.recording.word_of_written(a), run.recording.word(b)
    if _is_of_others(run, a) and run.recording.bounds.by_value:
        own = by_value.whole_of(run.recording, a)
        made = computed(run, getattr(operator, name), a, b)
        text = f"{words[0]} {SIGNS[plain]} {words[1]}"
        by_value.put(run.recording, own, by_value.places_of(a, own), text)
        return made
    y = computed(run, getattr(operator, name), a, b)
    in_one = plain in ARITHMETIC and plain != "pow"
    # The compiler writes out no change of a complex array in place, and of others not all.
    is_few = a.size <= FEW and (not np.ndim(b) or run.recording.bounds.by_value)
    is_anew = in_one and a.ndim and (a.dtype.kind == "c" or is_few) and y.dtype == a.dtype
    is_anew = is_anew and run.recording.is_alone(a)
    if is_anew and is_array(b) and b.ndim:  # of another shape the array in place would not take it
        run.attribute(a, "shape")
        run.attribute(b, "shape")
    if run.is_ours or is_anew:  # of what it is a view is written with it afterwards
        made = run.recording.name()
        run.recording.say(f"{made} = {words[0]} {SIGNS[plain]} {words[1]}")
        return run.recording.array(a, made)
    if in_one or not a.ndim or a.dtype.kind not in "fc":
        run.recording.say(f"{words[0]} {SIGNS[plain]}= {words[1]}")
        if stays and not run.recording.sharing(a):
            run.recording.stays_steady(a)
        return y
    made = run.recording.name()
    run.recording.say(f"{made} = {words[0]} {SIGNS[plain]} {words[1]}")
    run.recording.say(f"{words[0]}[:] = {made}")
    return y


def expect_own(run: Run, a: Any) -> None:
    """An array that is to be written to: only what the run itself has made, and at this level."""
    run.recording.written = True
    if run.recording.is_doubled(a):
        run.recording.refuse(WHOLE_ARRAYS)
    if any(np.may_share_memory(other, a) for other in run.outside.arrays):
        run.recording.refuse("an array from outside is written to")
    if not run.recording.is_own(a):
        run.recording.refuse("an array that a function inside has not made is written to")
    if id(owner_of(a)) in run.recording.windowed:
        run.recording.refuse("an array is written to that windows were made of")


def unary(run: Run, name: str, a: Any) -> Any:
    run.recording.use(a)
    if type(a) is Whole:
        return _of_wholes(run, "mul", {"neg": -1, "pos": 1}.get(name), a)
    if type(a) in NUMBERS:
        y = computed(run, getattr(operator, name), a)
        if is_array(y) or run.recording.is_followed(a):
            text = f"{UNARY[name]}{run.recording.word(a)}"
            if run.recording.is_whole_result(y) and name == "neg":
                return run.recording.whole_result(text, y, run.recording.bound(a))
            return run.recording.result(text, y)
        return run.recording.keep(y)
    number = _without_enum(run, a, f"__{name}__")
    if number is not a:
        return unary(run, name, number)
    found = special(run, a, f"__{name}__")
    if found is None:
        return getattr(operator, name)(a)  # Python's own error
    if not is_python(found):
        run.recording.refuse(f"{UNARY[name]} of a {type(a).__name__}")
    return run.call(found, a)


def compare(run: Run, name: str, a: Any, b: Any) -> Any:
    recording = run.recording
    if type(a) is Told or type(b) is Told:
        recording.refuse("a text that tells a number is compared")
    if type(a) is type(b) is Ident and name in ("eq", "ne"):
        return getattr(operator, name)(int(a), int(b))
    if type(a) is Whole or type(b) is Whole:
        if any(
            is_array(v) or type(v) in PLAIN and type(v) not in (*NUMBERS, *INERT) for v in (a, b)
        ):
            recording.refuse("an int that is differentiated is compared with a container")
        if any(recording.is_followed(v) and type(v) is not Whole for v in (a, b)):
            words = recording.word(a), recording.word(b)
            y = computed(run, getattr(operator, name), without_wholes(a), without_wholes(b))
            return recording.result(f"{words[0]} {COMPARE[name]} {words[1]}", y)
        a, b = without_wholes(a), without_wholes(b)  # as they are in every run
    if type(a) in NUMBERS and type(b) in NUMBERS:
        y = computed(run, getattr(operator, name), a, b)
        if recording.is_of_settled(y, a, b):
            return recording.fresh(y)
        if is_array(y) or recording.is_followed(a) or recording.is_followed(b):
            return recording.result(f"{recording.word(a)} {COMPARE[name]} {recording.word(b)}", y)
        return y
    if type(a) in (set, frozenset) and type(b) in (set, frozenset):
        for each in (*held(run, a), *held(run, b)):
            check_key(run, each)
        return getattr(operator, name)(held(run, a), held(run, b))
    if type(a) in PLAIN and type(b) in PLAIN:
        if type(a) in SEQUENCES and type(a) is type(b):
            return _compare_sequences(run, name, held(run, a), held(run, b))
        if name in ("eq", "ne") and {type(a), type(b)} & {str} and {type(a), type(b)} & _HOLDING:
            return name == "ne"
        if _is_told(run, a) or _is_told(run, b):
            if type(a) in NUMBERS or type(b) in NUMBERS:
                return getattr(operator, name)(a, b)  # of two that have no order
            recording.refuse("a comparison of containers that hold numbers")
        return getattr(operator, name)(held(run, a), held(run, b))
    if (sets := _as_sets(run, a, b)) is not None:
        return getattr(operator, name)(*sets)
    if is_of_names(a) or is_of_names(b):
        return _compare_names(run, name, a, b)
    return _by_methods(run, name, "", "", a, b)


def _compare_names(run: Run, name: str, a: Any, b: Any) -> Any:
    """Of an array of texts or the like that the run has made, with another or with one of them."""
    for v in (a, b):
        is_one = type(v) in INERT
        if not is_one and (not is_of_names(v) or run.outside.is_outside(v)):
            run.recording.refuse(f"an array of texts is compared with a {type(v).__name__}")
    return run.recording.fresh(computed(run, getattr(operator, name), a, b))


_HOLDING = {list, tuple, dict, set}


def _compare_sequences(run: Run, name: str, a: Any, b: Any) -> Any:
    """Item by item, as Python does: the first that differ decide."""
    if name in ("eq", "ne") and len(a) != len(b):
        return name == "ne"
    for left, right in zip(a, b, strict=False):
        if same(run, left, right):
            continue
        if name in ("eq", "ne"):
            return name == "ne"
        return compare(run, name, left, right)
    return getattr(operator, name)(len(a), len(b))


def same(run: Run, a: Any, b: Any) -> bool:
    """One object, or two that are equal."""
    return run.outside.identical(a, b, a is b) or run.truth(compare(run, "eq", a, b))


def contains(run: Run, container: Any, item: Any) -> bool:
    recording = run.recording
    if type(container) is str and type(item) is not Told:
        return item in container
    if type(container) in SEQUENCES or type(container) in LAZY:
        return any(same(run, each, item) for each in iterate(run, container))
    if type(container) in (*MAPPINGS, set, frozenset, range) or type(container) in VIEWS:
        is_view = type(container) in VIEWS and type(container) is not type({}.keys())
        if is_view and run.outside.is_outside(container):
            recording.refuse("a view from outside")
        return _has_key(run, container, item)
    found = special(run, container, "__contains__")
    if is_python(found):
        return run.truth(run.call(found, container, item))
    if is_of_base(container, "__contains__", found):
        return contains_of_base(run, container, item)
    if found is None:
        return contains(run, list(iterate(run, container)), item)
    recording.refuse(f"in of a {type(container).__name__}")


def _has_key(run: Run, container: Any, item: Any) -> bool:
    """As compiled code looks it up."""
    check_key(run, item)
    answer: bool = item in container
    if type(container) is not range and run.outside.is_outside(container):
        head = run.outside.place(container).head
        run.recording.require(f"({run.recording.constant(item)} in {head}) is {answer}")
    return answer


def check_key(run: Run, key: Any) -> None:
    """A key has to be the same in every run."""
    run.recording.expect_no_stand_in(key)
    if type(key) is Told:
        run.recording.refuse("a number is a key")
    if type(key) is tuple:
        for part in key:
            check_key(run, part)
    elif type(key) is Ident:
        return
    elif run.recording.is_followed(key):
        run.recording.pinned(key, "a number is a key")
    elif type(key) not in PLAIN and not isinstance(key, enum.Enum):
        if is_python(special(run, key, "__hash__")):
            run.recording.refuse("a key with a hash of its own")
        run.outside.is_key(key)


# --- items


def getitem(run: Run, o: Any, asked: Any) -> Any:
    recording, key = run.recording, without_wholes(asked)
    kind = type(o)
    if is_array(o) or (kind in NUMBERS and isinstance(o, np.generic)):
        return _of_array(run, o, key) if is_array(o) else _of_number(run, o, key)
    if is_of_names(o) and not run.outside.is_outside(o) and _is_known_place(run, key):
        y = o[key]
        return recording.fresh(y) if is_of_names(y) else y
    if kind in MAPPINGS and key is not asked:
        recording.refuse("an int that is differentiated is a key")
    if kind in (str, bytes, range):
        return o[key]
    if kind is Flags and type(key) is str:
        return attributes.flag(run, o, key.lower())
    if kind in SEQUENCES:
        _expect_index(run, key)
        if run.outside.is_outside(o):
            if type(key) is slice:
                return recording.fresh(run.outside.copy(o)[key])
            at = operator.index(key)
            at = at + len(o) if at < 0 else at
            if not (kind is tuple and run.outside.place(o).fixed):
                recording.require(f"len({run.outside.place(o).head}) == {len(o)}")
            if not 0 <= at < len(o):
                return o[key]  # Python's own error
            return run.outside.item(o, at)
        y = o[key]
        return recording.fresh(y) if type(key) is slice else y
    if kind in MAPPINGS:
        return _of_mapping(run, o, key)
    if isinstance(o, type):
        return _of_class(run, o, key)
    if type(o).__module__ == "typing" or kind is re.Match:
        return o[key]
    if type(o) in _GRIDS and _is_of_constants(run, key):
        return _constant(run, o[key])
    found = special(run, o, "__getitem__")
    if is_python(found):
        return run.call(found, o, key)
    if is_of_base(o, "__getitem__", found):
        return item_of_base(run, o, key)
    recording.refuse(f"an item of a {kind.__name__}")


def _expect_index(run: Run, key: Any) -> None:
    parts = (key.start, key.stop, key.step) if type(key) is slice else (key,)
    if not all(type(part) in INERT or type(part) in NUMBERS or is_counting(part) for part in parts):
        run.recording.refuse(f"a {type(key).__name__} as a subscript")


def _is_flag(key: Any) -> bool:
    """Is it one truth, which takes a number or leaves it?"""
    return type(key) in (bool, np.bool_) or (
        is_array(key) and key.ndim == 0 and key.dtype == np.bool_
    )


def _of_array(run: Run, o: Any, key: Any) -> Any:
    recording = run.recording
    y = computed(run, operator.getitem, o, _plain_index(run, key))
    if o.ndim == 0 and not recording.is_followed(o):
        return recording.keep(y)
    if o.ndim == 0 and _is_empty(key):
        return recording.result(f"np.{type(y).__name__}({recording.word(o)})", y)
    if o.ndim == 0 and _is_flag(key):
        return run.call(np.reshape, o, (1,)) if truth(run, key) else _constant(run, y)
    if o.ndim == 0 and is_number(o) and y.dtype == np.float64:  # its axes are those of the key
        return recording.result(f"np.full({y.shape}, {recording.word(o)})", y)
    if o.ndim == 0:
        recording.refuse("a view of an array without axes")
    is_constant = type(y) in INERT and not recording.is_doubled(o)
    if is_constant and recording.is_settled(o):
        return y
    if is_constant and run.outside.is_element(o, key, y):
        return recording.settle(y) if isinstance(y, np.integer) else y
    text = f"{recording.word(o)}[{recording.index(key)}]"
    if recording.is_whole_result(y):
        return recording.whole_result(text, y, recording.bound(o))
    return recording.result(text, y)


def _of_mapping(run: Run, o: Any, key: Any) -> Any:
    check_key(run, key)
    if run.outside.is_outside(o):
        if type(o) is defaultdict and key not in o:
            run.recording.refuse("a defaultdict from outside is written to")
        if key not in o or type(o) is defaultdict:  # which a test would have filled
            contains(run, o, key)
        return run.outside.item(o, key) if key in o else o[key]
    if type(o) is defaultdict and key not in o:
        o[key] = run.call(o.default_factory)
    return o[key]


def _of_class(run: Run, cls: Any, key: Any) -> Any:
    """``C[key]``: by the ``__getitem__`` of its metaclass, or its own ``__class_getitem__``."""
    found = special(run, cls, "__getitem__")
    if is_python(found):
        return run.call(found, cls, key)
    if found is not None:
        if not isinstance(cls, enum.EnumType) or found is not enum.EnumType.__getitem__:
            run.recording.refuse(f"an item of {cls.__name__}")
        return cls[key]
    own = attributes.in_class(run, cls, "__class_getitem__")
    inner = getattr(own, "__func__", own)
    if is_python(inner) and inner.__module__ != "typing":
        return run.call(inner, cls, key)
    return cls[key]


def _of_number(run: Run, o: Any, key: Any) -> Any:
    """``o[()]``, or an array of it."""
    y, kind = computed(run, operator.getitem, o, _plain_index(run, key)), type(o)
    if not run.recording.is_followed(o):
        return run.recording.keep(y)
    if is_array(y) and y.ndim and kind is np.float64:
        return run.recording.result(f"np.full({y.shape}, {run.recording.word(o)})", y)
    text = f"np.{kind.__name__}({run.recording.word(o)})"
    is_all = _is_empty(key)
    return run.recording.result(text if is_all else f"{text}[{run.recording.index(key)}]", y)


def _is_empty(key: Any) -> bool:
    """``()``; an array compares its items."""
    return type(key) is tuple and not key


_GRIDS = (type(np.mgrid), type(np.ogrid))


def _is_known_place(run: Run, key: Any) -> bool:
    return _is_of_constants(run, key) or run.recording.is_settled(key)


def _is_of_constants(run: Run, key: Any) -> bool:
    if type(key) in (tuple, slice):
        parts = key if type(key) is tuple else (key.start, key.stop, key.step)
        return all(_is_of_constants(run, part) for part in parts)
    return (type(key) in INERT or type(key) in (float, complex)) and not run.recording.is_followed(
        key
    )


def _constant(run: Run, y: Any) -> Any:
    """Arrays that are the same in every run; it may write into them."""
    if type(y) is tuple:
        return run.recording.fresh(tuple(_constant(run, part) for part in y))
    own = y.copy()
    return run.recording.fresh(own) if is_of_places(own) else run.recording.copied(own, "grid")


def _plain_index(run: Run, key: Any) -> Any:
    if type(key) is tuple:
        return tuple(_plain_index(run, part) for part in key)
    if type(key) is list:
        return held(run, key)
    return np.arange(key.start, key.stop, key.step) if type(key) is range else key


def setitem(run: Run, o: Any, key: Any, v: Any) -> None:
    recording = run.recording
    if is_array(o) and recording.written_apart(o, key, v):
        computed(run, operator.setitem, o, _plain_index(run, key), v)
        return
    if is_array(o):
        _set_in_array(run, o, key, v)
        return
    kind = type(o)
    if kind in SEQUENCES or kind in MAPPINGS:
        if kind in MAPPINGS:
            check_key(run, key)
        else:
            _expect_index(run, key)
        if kind in (list, dict) and type(key) is not slice and run.outside.is_outside(o):
            _set_outside(run, o, key, v)
        else:
            changed(run, o)[key] = list(iterate(run, v)) if type(key) is slice else v
        return
    found = special(run, o, "__setitem__")
    if is_python(found):
        run.call(found, o, key, v)
        return
    if not is_of_base(o, "__setitem__", found):
        recording.refuse(f"an item of a {kind.__name__} is written")
    put_in_base(run, o, key, v)


def _put_by_value(run: Run, o: Any, key: Any, v: Any) -> None:
    """A write into an array of which something else has a part."""
    whole = by_value.whole_of(run.recording, o)
    parts = key if type(key) is tuple else (key,)
    if type(v) not in (float, np.float64, int, np.ndarray):
        run.recording.refuse(by_value.STAYS)
    if any(isinstance(part, np.ndarray) and not run.recording.is_given(part) for part in parts):
        run.recording.refuse(by_value.STAYS)  # the places are others in another run
    places = by_value.places_of(o, whole)[key]
    if by_value.lies_at(v, whole, places):
        return  # ``a[1:] += x`` puts back what has been added to, which was written then
    word = run.recording.word(v)
    computed(run, operator.setitem, o, key, v)
    by_value.put(run.recording, whole, places, word)


def _has_places(key: Any) -> bool:
    """Are there arrays or lists of whole numbers in a subscript?"""
    parts = key if type(key) is tuple else (key,)
    return any(
        type(part) is list or (is_array(part) and part.ndim and part.dtype.kind in "iu")
        for part in parts
    )


def _word_of_places(run: Run, key: Any) -> str:
    """A subscript as an operand: its lists are arrays."""
    if type(key) is tuple and key:
        parts = [_word_of_places(run, part) for part in key]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    word = run.recording.word(key)
    return f"np.array({word})" if type(key) is list and key else word


def _is_put(key: Any, o: Any) -> bool:
    """Does a subscript name places of an array of floats, of which one may come twice?"""
    return _has_places(key) and bool(o.dtype == np.float64)


def _set_outside(run: Run, o: Any, key: Any, v: Any) -> None:
    """An item of a list or dict that lies outside."""
    if type(o) is list:
        count, at = length(run, o), operator.index(key)
        if not -count <= at < count:
            o[key] = v  # Python's own error
        key = at % count
    else:
        contains(run, o, key)
    run.writes.put_item(o, key, v)


def _set_in_array(run: Run, o: Any, key: Any, v: Any) -> None:
    recording = run.recording
    expect_own(run, o)
    if type(v) not in NUMBERS and type(v) not in (list, tuple):
        recording.refuse("an array takes what is no number")
    v = held(run, v)
    if is_number(o):
        _set_in_number(run, o, key, v)
        return
    word, own = recording.word_of_written(o), _plain_index(run, key)
    if _is_of_others(run, o) and recording.bounds.by_value:
        _put_by_value(run, o, own, v)
        return
    computed(run, operator.setitem, o, own, v)
    value = recording.word(v)
    if type(v) in (list, tuple) and v and o.dtype.kind in "fc":
        value = f"np.array({value})"  # as NumPy makes of it
    if recording.is_alone(o) and (_is_put(own, o) or is_of_places(o)):
        name, put = recording.name(), recording.constant(put_at)
        recording.say(f"{name} = {put}({word}, {_word_of_places(run, key)}, {value})")
        recording.array(o, name)
        return
    index = ":" if key is ... and o.ndim else recording.index(key)
    recording.say(f"{word}[{index}] = {value}")


def _set_in_number(run: Run, o: Any, key: Any, v: Any) -> None:
    """``o[()] = v`` of an array without axes; or ``o[mask] = v``."""
    if key is ... or _is_empty(key):
        _set_number(run, o, v)
    elif not _is_flag(key):
        run.recording.refuse("a place in an array without axes")
    elif truth(run, key):
        _set_number(run, o, getitem(run, v, 0) if is_array(v) and v.ndim else v)


def _set_number(run: Run, o: Any, v: Any) -> None:
    """A write to an array without axes, which the text has as a number: another one from now on."""
    if o.base is not None or not run.recording.is_followed(v) or type(v) not in NUMBERS:
        run.recording.refuse("an array without axes is written to")
    if run.outside.is_outside(o) and any(other is o for other in run.outside.arrays):
        run.recording.refuse("an array from outside is written to")
    o[()] = v
    name = run.recording.name()
    run.recording.say(f"{name} = np.{o.dtype.type.__name__}({run.recording.word(v)})")
    run.recording.array(o, name)


def delitem(run: Run, o: Any, key: Any) -> None:
    if type(o) in SEQUENCES or type(o) in MAPPINGS:
        if type(o) in MAPPINGS:
            check_key(run, key)
        del changed(run, o)[key]
        return
    found = special(run, o, "__delitem__")
    if is_python(found):
        run.call(found, o, key)
    elif is_of_base(o, "__delitem__", found):
        delete_from_base(run, o, key)
    else:
        run.recording.refuse(f"an item of a {type(o).__name__} is deleted")


# --- of classes that are derived from containers


BASES = (OrderedDict, defaultdict, dict, list, deque, tuple, set, frozenset)


def base_of(o: Any) -> Any:
    """The compiled class of containers that its class is, or is derived from."""
    return next((base for base in BASES if isinstance(o, base)), None)


def of_base(o: Any, name: str) -> Any:
    """The method that it has as such a container, whatever its class puts in the place."""
    return getattr(base_of(o), name).__get__(o)


def is_of_base(o: Any, name: str, found: Any) -> bool:
    base = base_of(o)
    return base is not None and found is getattr(base, name, None)


def contains_of_base(run: Run, o: Any, item: Any) -> bool:
    if isinstance(o, (dict, set, frozenset)):
        return _has_key(run, o, item)
    return any(same(run, each, item) for each in iterate_base(run, o))


def item_of_base(run: Run, o: Any, key: Any) -> Any:
    base = base_of(o)
    if type(o) is base:
        return getitem(run, o, key)
    if base in MAPPINGS:
        if _has_key(run, o, key):
            return run.outside.item(o, key) if run.outside.is_outside(o) else of_base(o, "get")(key)
        missing = special(run, o, "__missing__")
        return dict.__getitem__(o, key) if missing is None else run.call(missing, o, key)
    if base is tuple and run.outside.place(o).fixed:
        return tuple.__getitem__(o, key)
    _expect_index(run, key)
    y = of_base(changed(run, o), "__getitem__")(key)
    return run.recording.fresh(y) if type(key) is slice else y


def put_in_base(run: Run, o: Any, key: Any, v: Any) -> None:
    if type(o) in BASES:
        setitem(run, o, key, v)
        return
    (check_key if isinstance(o, dict) else _expect_index)(run, key)
    v = list(iterate(run, v)) if type(key) is slice else v
    of_base(changed(run, o), "__setitem__")(key, v)


def delete_from_base(run: Run, o: Any, key: Any) -> None:
    if isinstance(o, dict):
        check_key(run, key)
    of_base(changed(run, o), "__delitem__")(key)


def iterate_base(run: Run, o: Any) -> Iterator[Any]:
    base = base_of(o)
    if type(o) is base:
        return iterate(run, o)
    if base is tuple and run.outside.place(o).fixed:
        return tuple.__iter__(o)
    if base is tuple and run.outside.is_outside(o) and hasattr(type(o), "_fields"):
        return iter([run.outside.item(o, at) for at in range(len(o))])  # as many in all of them
    if base in (set, frozenset):
        o = _in_order(run, o)
    if base is dict and run.outside.is_outside(o):
        return iter(held(run, o))
    return of_base(changed(run, o), "__iter__")()  # type: ignore[no-any-return]


def length_of_base(run: Run, o: Any) -> int:
    if type(o) in BASES:
        return length(run, o)
    return of_base(changed(run, o), "__len__")()  # type: ignore[no-any-return]


# --- truth and loops


def truth(run: Run, v: Any) -> bool:
    if type(v) in (bool, Whole) or v is None:
        return bool(v)
    if type(v) in NUMBERS:
        if run.recording.is_followed(v):
            word = run.recording.word(v)
            text = f"bool({word})" if is_array(v) else f"({word} != 0.0)"
            return bool(run.recording.expect(text, bool(v)))
        return bool(v)
    if type(v) in INERT:
        return bool(v)
    if type(v) in (list, tuple, dict, set, deque, defaultdict, OrderedDict, frozenset):
        return length(run, v) > 0
    found = special(run, v, "__bool__")
    if is_python(found):
        return truth(run, run.call(found, v))
    if found is not None:
        run.recording.refuse(f"the truth of a {type(v).__name__}")
    found = special(run, v, "__len__")
    return True if found is None else length(run, v) > 0


def length(run: Run, v: Any) -> int:
    recording = run.recording
    if is_array(v):
        return int(recording.expect(f"len({recording.shaped(v)})", len(v)))
    if type(v) in INERT or (is_of_names(v) and not run.outside.is_outside(v)):
        return len(v)
    found = special(run, v, "__len__")
    if is_python(found):
        return int(run.call(found, v))
    if not isinstance(v, (list, tuple, dict, set, frozenset, deque)) and type(v) not in VIEWS:
        recording.refuse(f"the length of a {type(v).__name__}")
    if run.outside.is_outside(v):
        if type(v) in VIEWS and not run.outside.place(v).fixed:
            recording.refuse("a view from outside")
        place = run.outside.place(v)
        if not (isinstance(v, tuple) and place.fixed):
            recording.require(f"len({place.head}) == {len(v)}")
    return len(v)


def iterate(run: Run, v: Any) -> Iterator[Any]:
    """What a loop draws from."""
    kind, recording = type(v), run.recording
    if is_array(v):
        count = length(run, v)
        return recording.fresh(getitem(run, v, at) for at in range(count))  # type: ignore[no-any-return]
    if kind in (str, bytes, range):
        return iter(v)
    if is_of_names(v) and not run.outside.is_outside(v):
        return iter([recording.fresh(each) if is_of_names(each) else each for each in v])
    if kind in (set, frozenset):
        return iter(_in_order(run, v))
    if kind in (list, tuple, dict, deque, defaultdict, OrderedDict) or kind in VIEWS:
        return iter(held(run, v))
    if kind in LAZY or isinstance(v, Iterator) and kind.__module__ in ("builtins", "itertools"):
        return changed(run, v)  # type: ignore[no-any-return]
    found = special(run, v, "__iter__")
    if is_python(found):
        made = run.call(found, v)
        step = special(run, made, "__next__")
        if not is_python(step):
            return iterate(run, made)
        steps = _steps(run, made, step)
        if hasattr(type(made), "close"):  # which a ``yield from`` would call
            run.expect_finished(steps)
        return recording.fresh(steps)  # type: ignore[no-any-return]
    if is_of_base(v, "__iter__", found):
        return iterate_base(run, v)
    if kind in (*INERT, float) and kind not in (str, bytes):
        return iter(v)  # Python's own error
    recording.refuse(f"a {kind.__name__} is gone through")


def _in_order(run: Run, s: Any) -> Any:
    """A set whose order is the same in every run: of one item, or of whole numbers that lie in
    order in a table of any size, or one that was filled as the plain run fills it. That an
    interpreter does not tell of all: Python fills a set of constants from another one.
    """
    if run.outside.is_outside(s):
        return run.outside.in_order(s)
    if id(s) in run.recording.exact and all(map(_has_fixed_hash, s)):
        return s
    is_plain = all(type(each) in INERT for each in s) and id(s) not in run.recording.shrunk
    if len(s) > 1 and not (is_plain and _is_fixed_order([*s])):
        run.recording.refuse("a set is gone through, whose order may be another")
    return s


def _has_fixed_hash(key: Any) -> bool:
    """Is it the same in every run of this process?"""
    return type(key) in INERT or (type(key) is tuple and all(map(_has_fixed_hash, key)))


def _is_fixed_order(items: list[Any]) -> bool:
    """Has a set of these items this order, whatever its size and however it was filled?"""
    hashes = [hash(each) for each in items]
    for mask in _MASKS:
        places = [each & mask for each in hashes]
        if len(items) <= mask and (places != sorted(places) or len({*places}) < len(places)):
            return False
    return True


_MASKS = [2**k - 1 for k in range(3, 26)]
"""Of tables of sets; larger ones have other orders for none that is in order here."""


def _steps(run: Run, o: Any, step: Any) -> Generator[Any, None, None]:
    """A generator in the place of an iterator of the user's, whose StopIteration ends it."""
    while True:
        try:
            v = run.call(step, o)
        except StopIteration:
            return
        yield v


def as_dict(run: Run, v: Any) -> dict[str, Any]:
    """The keywords of ``**v``."""
    if not is_mapping(run, v):
        run.recording.refuse(f"** of a {type(v).__name__}")
    return dict(held(run, v))


def is_mapping(run: Run, v: Any) -> bool:
    """Are its items those that it has as a dict, to whoever takes all of them? Of a class of one's
    own Python asks for ``__iter__`` alone.
    """
    if type(v) in MAPPINGS:
        return True
    return isinstance(v, dict) and special(run, v, "__iter__") is dict.__iter__


# --- the table


def _display(kind: Callable[[Sequence[Any]], Any]) -> Callable[..., Any]:
    return lambda run, *items: run.recording.fresh(kind(items))


def _dict(run: Run, *items: Any) -> Any:
    for key in items[::2]:
        check_key(run, key)
    return run.recording.fresh(dict(zip(items[::2], items[1::2], strict=True)))


def _set(run: Run, *items: Any) -> Any:
    for item in items:
        check_key(run, item)
    return run.recording.fresh(set(items))


def _value_append(run: Run, items: list[Any], v: Any) -> None:
    """One value of what is added up: an array as it is now."""
    if is_array(v):
        v = run.recording.result(f"{run.recording.word(v)}.copy()", v.copy())
    items.append(v)


def _set_add(run: Run, s: Any, item: Any) -> None:
    check_key(run, item)
    s.add(item)


def _unpack(run: Run, v: Any, count: int, star: int | None) -> Any:
    if type(v) in (list, tuple) and not run.outside.is_outside(v):
        parts = v
    else:
        found = iterate(run, v)
        parts = []
        for each in found:
            parts.append(each)
            if star is None and len(parts) > count:
                break
        parts = tuple(parts)
    y = unpack(parts, count, star)
    if star is not None:
        run.recording.fresh(y[star])
    return run.recording.fresh(y)


def _method(run: Run, o: Any, name: str, /, *args: Any, **keywords: Any) -> Any:
    return run.method(o, name, args, keywords)


def _delattr(run: Run, o: Any, name: str) -> None:
    if special(run, o, "__delattr__") is not object.__delattr__:
        run.recording.refuse("del of an attribute")
    object.__delattr__(changed(run, run.recording.asked(o)), name)


CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


def _format(run: Run, v: Any, conversion: str | None, spec: str) -> str:
    if _is_told(run, v) or type(v) is list:
        if not is_text_or_number(v):
            run.recording.refuse("a number goes into a text")
        told = v if conversion is None else CONVERSIONS[conversion](v)
        return run.recording.told(computed(run, format, told, spec))  # type: ignore[no-any-return]
    return format(v if conversion is None else CONVERSIONS[conversion](v), spec)


def joined(run: Run, *parts: str, between: str = "") -> Any:
    """``between.join(parts)``."""
    y = between.join(parts)
    return run.recording.told(y) if any(type(part) is Told for part in parts) else y


def _extend(run: Run, items: list[Any], v: Any, *called: Any) -> None:
    items.extend(iterate(run, v))


def _merge(run: Run, d: dict[Any, Any], v: Any, *called: Any) -> None:
    dict_merge(d, as_dict(run, v), *called)


def _is_instance(run: Run, o: Any, cls: Any) -> bool:
    return patterns.is_instance(o, cls)


def _positional_attribute(run: Run, cls: Any, count: int, at: int, *named: str) -> str | None:
    names = attributes.attribute(run, cls, "__match_args__", ())
    for name in range(length(run, names)):
        getitem(run, names, name)  # that it is the same is asked
    return patterns.positional_attribute(cls, count, at, *named)


def _has_length(run: Run, o: Any, n: int, or_more: bool) -> bool:
    count = length(run, o)
    return count >= n if or_more else count == n


def _import_from(run: Run, module: Any, name: str) -> Any:
    return run.attribute(module, name)


def _apply(run: Run, fn: Any, args: Any, keywords: Any) -> Any:
    return run.call(fn, *iterate(run, args), **as_dict(run, keywords))


def _cell(run: Run, *content: Any) -> Any:
    return run.recording.fresh(CellType(*content))


def _is(run: Run, a: Any, b: Any, answer: bool) -> bool:
    if a is patterns.MISSING or b is patterns.MISSING:
        return answer  # whether it is there is asked where it is read
    followed = run.recording.is_followed
    if (followed(a) or followed(b)) and type(a) is type(b) and not is_array(a):
        run.recording.refuse("identity of numbers")
    return run.outside.identical(a, b, answer)


_TABLE: dict[str, Callable[..., Any]] = {
    "tuple": lambda run, *items: run.recording.fresh(items) if items else (),
    "list": _display(list), "set": _set, "dict": _dict,
    "slice": lambda run, *parts: slice(*parts),
    "dict_merge": _merge, "list_extend": _extend,
    "adder": lambda run, o, name: run.recording.fresh(adder(changed(run, o), name)),
    "list_append": lambda run, items, v: items.append(v), "value_append": _value_append,
    "set_add": _set_add, "unpack": _unpack, "getitem": getitem, "setitem": setitem,
    "delitem": delitem, "getattr": attributes.attribute, "setattr": attributes.store,
    "delattr": _delattr,
    "method": _method, "truth": truth, "not_": lambda run, v: not truth(run, v),
    "contains": contains, "not_contains": lambda run, c, v: not contains(run, c, v),
    "is_": lambda run, a, b: _is(run, a, b, a is b),
    "is_not": lambda run, a, b: not _is(run, a, b, a is b),
    "cell_new": _cell,
    "iterator": lambda run, v: run.recording.fresh(iter(iterate(run, v))),
    "format": _format, "join": joined,
    "import_from": _import_from, "apply": _apply,
    "catches": lambda run, error, kinds: exceptions.catches(error, kinds),
    "of_class": lambda run, o, name: _bound_special(run, o, name),
    "is_sequence": lambda run, o: patterns.is_sequence(o),
    "is_mapping": lambda run, o: patterns.is_mapping(o),
    "is_instance": _is_instance, "has_length": _has_length,
    "positional_attribute": _positional_attribute,
    "different_keys": lambda run, *keys: patterns.different_keys(*keys),
}  # fmt: skip


def _bound_special(run: Run, o: Any, name: str) -> Any:
    found = special(run, o, name)
    if is_python(found):
        return run.recording.fresh(found.__get__(o))
    return exceptions.of_class(o, name)


def operate(run: Run, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """One operation of the Wengert list."""
    if name in SIGNS:
        return binary(run, name, *args)
    if name in COMPARE:
        return compare(run, name, *args)
    if name in UNARY:
        return unary(run, name, *args)
    found = _TABLE.get(name)
    if found is not None:
        return found(run, *args, **keywords)
    if name.startswith("i") and name[1:] + "_" * (name in ("iand", "ior")) in SIGNS:
        return in_place(run, name, *args)
    run.recording.refuse(f"the operation {name}")
