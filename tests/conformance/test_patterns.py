"""match with every kind of pattern: what is taken out of a subject carries its derivative."""

import collections
import dataclasses
import enum
import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.conformance.harness import conforms, raises


@dataclasses.dataclass
class Leaf:
    value: float


@dataclasses.dataclass
class Node:
    op: str
    left: object
    right: object = None


class Weight(float):
    __match_args__ = ("real", "unit")
    unit = "kg"


class Mode(enum.Enum):
    SQUARE = 1
    CUBE = 2


class Limits:
    LOW = 0.0
    HIGH = 5.0


class Bag(collections.abc.Sequence):
    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def evaluates_a_tree(x, y):
    def value(tree):
        match tree:
            case Leaf(value=v):
                return v
            case Node("*", a, b):
                return value(a) * value(b)
            case Node("+" | "plus", a, b):
                return value(a) + value(b)
            case Node("-", a, None):
                return -value(a)
            case float() | int() as number:
                return number
            case _:
                raise ValueError(tree)

    return value(Node("*", Node("plus", Leaf(x), 2.0), Node("-", Node("*", Leaf(y), x))))


def values_of_constants_and_attributes(x):
    total = 0.0
    for v in (0.0, 5.0, -1, "a", b"b", 2j, 7):
        match v:
            case Limits.LOW:
                total += x
            case Limits.HIGH:
                total += x * x
            case -1:
                total *= x
            case "a" | b"b":
                total += x**3
            case 2j:
                total -= x
            case 3 | 7:
                total = total * 2
    return total


def singletons_are_compared_by_identity(x):
    total = x
    for v in (True, 1, None, False, 0):
        match v:
            case True:
                total = total * x
            case False:
                total = total + x
            case None:
                total = total - 3 * x
            case _:
                total = total * 1.5
    return total


def sequences_of_all_kinds(x):
    total = 0.0
    for v in ([x], (x, 2.0), collections.deque([x, x, x]), range(4), "no", b"no", [], {x}):
        match v:
            case []:
                total = total + 10 * x
            case [a]:
                total = total + a
            case a, b:
                total = total + a * b
            case (a, *_, b) if len(v) == 3:
                total = total + a * b * 7
            case [0, 1, *rest]:
                total = total * sum(rest)
            case other:
                total = total + x * len(other)
    return total


def star_in_the_middle_and_nested(x):
    match [x, [x * 2, (x * 3, x * 4, x * 5)], {"k": [x]}]:
        case [first, [_, (*most, last)], {"k": [inner]}]:
            return first * last * inner + sum(m * m for m in most)


def array_is_a_sequence_where_numpy_says_so(a):
    match a:
        case [p, q]:
            return p * q
        case np.ndarray(shape=(n,)):
            return (a * a).sum() * n


def array_taken_out_of_a_list(a):
    match [a, 2.0]:
        case [np.ndarray() as b, float(k)]:
            b[0] = b[0] * k
            return (a * b).sum()


def sequence_of_ones_own(x):
    bag = Bag(x, x * 2, x * 3)
    match bag:
        case [a, "never", b]:
            return 0.0
        case [a, b, c]:
            return a * b * c * len(bag)


def mappings_with_rest(x):
    state = {"a": x, "b": {"c": x * x, "d": 1.0}, "n": 3}
    match state:
        case {"missing": v}:
            return v
        case {"a": a, "b": {"c": c, **inner}, **rest}:
            rest["n"] = 4
            return a * c * inner["d"] * rest["n"] * state["n"] * len(rest)


def keys_that_are_values(x):
    table = {Mode.SQUARE: x * x, Mode.CUBE: x**3, 1: x, None: 2.0}
    match table:
        case {Mode.CUBE: a, 1: b, None: c}:
            return a * b * c


def default_dict_makes_no_entry(x):
    table = collections.defaultdict(lambda: x)
    match table:
        case {"a": v}:
            return v
    return x * x + len(table)


def classes_by_position_keyword_and_both(x):
    out = []
    for shape in (Node("a", x), Node("b", x, x * x), Leaf(x * 3), SimpleNamespace(value=x)):
        match shape:
            case Node("a", left=v) | Leaf(v):
                out.append(v)
            case Node(_, v, right=w):
                out.append(v * w)
            case SimpleNamespace(value=v, missing=_):
                out.append(100.0)
            case SimpleNamespace(value=v):
                out.append(v * 5)
    return out[0] * out[1] + out[2] * out[3]


def builtin_classes_take_the_object_itself(x):
    total = 0.0
    for v in (x, 3, True, "ab", (x, x), [x], {"k": x}, b"c", {1, 2}):
        match v:
            case bool(b):
                total = total + b * x
            case int(n):
                total = total + n * x
            case float(f):
                total = total + f * f
            case str(s) | bytes(s):
                total = total * len(s)
            case tuple((a, b)):
                total = total + a * b
            case list([a]):
                total = total + a
            case dict({"k": a}):
                total = total * a
            case set() as s:
                total = total + len(s) * x
    return total


def subclass_of_a_number_with_match_args(x):
    match Weight(2.5):
        case Weight(r, "kg"):
            return x * r


def enum_members(x, mode):
    match mode:
        case Mode.SQUARE:
            return x * x
        case Mode.CUBE:
            return x * x * x


def guards_run_in_order_and_once(x):
    asked = []

    def ask(v):
        asked.append(v)
        return v > 2

    match x:
        case v if ask(v):
            y = v
        case v if ask(v * 2):
            y = v * 2
        case v if ask(v * 4):
            y = v * 4
        case _:
            y = 0.0
    return y * len(asked) * asked[-1]


def names_stay_bound_where_a_guard_says_no(x):
    match [x, x * 2]:
        case [a, b] if b > 100:
            return 0.0
    return a * b


def capture_shadows_an_argument(x, y):
    match (x * 3, y * 2):
        case (y, x):
            pass
    return x * y * y


def wildcard_in_or_and_as(x):
    match {"kind": "c", "r": x}:
        case {"kind": ("a" | "b") as kind, "r": _}:
            return 0.0
        case {"kind": (("c" as kind) | ("d" as kind)), "r": r}:
            return r * r * len(kind)


def nothing_fits(x):
    y = x
    match "text":
        case 1 | 2:
            y = 0.0
        case [_]:
            y = 0.0
    return y * x


def in_a_loop_with_break_continue_and_else(x):
    position = x
    for step in (("go", 2.0), ("skip",), ("go", 3.0), ("stop",), ("go", 5.0)):
        match step:
            case ("go", d):
                position = position + d * x
            case ("skip",):
                continue
            case ("stop",):
                break
        position = position * x
    else:
        position = 0.0
    return position


def subject_with_a_walrus(x):
    match (y := x * 2), (z := y * x):
        case (float(a), float(b)):
            return a * b * y * z


def attribute_and_subscript_as_subject(x):
    box = SimpleNamespace(items={"k": (x, x * x)})
    match box.items["k"]:
        case (a, b):
            box.items["k"] = (b, a)
    return box.items["k"][0] * a


def match_inside_match(x):
    for pair in (("a", [x]), ("b", [x, x])):
        match pair:
            case (name, values):
                match values:
                    case [v] if name == "a":
                        y = v * x
                    case [v, w]:
                        y = y * v + w
    return y


def returns_out_of_a_case_in_a_try(x):
    book = [x]

    def inner(v):
        try:
            match v:
                case {"k": k}:
                    return k * book[0]
                case _:
                    return math.nan
        finally:
            book[0] = book[0] * x

    return inner({"k": x}) * book[0]


def properties_are_read_as_often_as_python_reads_them(x):
    class_ = Counting
    c = class_(x)
    match c:
        case Counting(first=1.0):
            return 0.0
        case Counting(first=a, second=b):
            return a * b * c.reads


class Counting:
    def __init__(self, x):
        self.x = x
        self.reads = 0

    @property
    def first(self):
        self.reads += 1
        return self.x

    @property
    def second(self):
        self.reads += 10
        return self.x * self.x


def captures_in_cells(x):
    fns = []
    for pair in ((x, 2.0), (x * x, 3.0)):
        match pair:
            case (a, b):
                fns.append(lambda t: t * a + b)
    return fns[0](x) * fns[1](x)


def comparison_hook_of_a_value_pattern(x):
    class_ = Close
    match class_(x):
        case Limits.HIGH:
            return x * x
        case _:
            return 0.0


class Close:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return abs(self.value - other) < 10

    __hash__ = None


VECTOR = np.array([1.5, 0.5])


class Tripled(dict):
    """A dict with a ``__getitem__`` of its own, which no pattern calls."""

    def __getitem__(self, key):
        return super().__getitem__(key) * 3


class Answering(dict):
    def get(self, key, default=None):
        return super().get(key, default) * 3 if key in self else default


class Counted(collections.abc.Mapping):
    def __init__(self, data):
        self.data, self.asked = data, 0

    def __getitem__(self, key):
        self.asked += 1
        return self.data[key] * 2

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)


class Filling(dict):
    def __missing__(self, key):
        self[key] = 5.0
        return 5.0


class Short(dict):
    def __len__(self):
        return 1


class Key:
    FIRST, SECOND, AGAIN = "a", "b", "a"


def keys_of_a_dict_with_its_own_items(x):
    match Tripled(a=x, b=x * x):
        case {"b": v, **rest}:
            return v * x + sum(rest.values())


def keys_asked_by_its_own_get(x):
    match Answering(a=x, b=2.0):
        case {"a": v, "b": w, "c": _}:
            return v
        case {"b": v, "a": float(w)}:
            return v * x * w


def keys_of_a_mapping_that_counts(x):
    m = Counted({"a": x, "b": 1.0})
    match m:
        case {"a": 0.0, "b": v}:
            return v
        case {"a": v, **rest}:
            return v * x + sum(rest.values()) + m.asked * x


def no_key_is_made(x):
    d = collections.defaultdict(lambda: x * 5, a=x)
    f = Filling(a=x)
    match d, f:
        case ({"q": v}, _) | (_, {"q": v}):
            r = v
        case {"a": v}, {"a": w}:
            r = v * w
    return r + len(d) + len(f)


def all_keys_before_any_pattern(x):
    class Noting(dict):
        def get(self, key, default=None):
            nonlocal noted
            noted = noted * 2 + x
            return super().get(key, default)

    noted = 0.0
    match Noting(a=x, b=x * x):
        case {"a": 100.0, "b": _}:
            pass
        case {"a": v, "q": _} | {Key.SECOND: v}:
            return v * noted


def fewer_items_than_keys(x):
    match Short(a=x, b=2.0):
        case {"a": v, "b": w}:
            return v * w
        case {"a": v}:
            return v


PROGRAMS = [
    (f, (0.7,))
    for f in [
        values_of_constants_and_attributes, singletons_are_compared_by_identity,
        sequences_of_all_kinds, star_in_the_middle_and_nested,
        sequence_of_ones_own, mappings_with_rest, keys_that_are_values,
        default_dict_makes_no_entry, classes_by_position_keyword_and_both,
        builtin_classes_take_the_object_itself, subclass_of_a_number_with_match_args,
        guards_run_in_order_and_once, names_stay_bound_where_a_guard_says_no,
        wildcard_in_or_and_as, nothing_fits, in_a_loop_with_break_continue_and_else,
        subject_with_a_walrus, attribute_and_subscript_as_subject, match_inside_match,
        returns_out_of_a_case_in_a_try, properties_are_read_as_often_as_python_reads_them,
        captures_in_cells, comparison_hook_of_a_value_pattern,
    ]
]  # fmt: skip
PROGRAMS += [
    (evaluates_a_tree, (0.7, 1.3)),
    (array_is_a_sequence_where_numpy_says_so, (VECTOR,)),
    (array_taken_out_of_a_list, (VECTOR,)),
    (enum_members, (0.7, Mode.CUBE)),
    (capture_shadows_an_argument, (0.7, 1.3)),
    *(
        (program, (3.0,))
        for program in (
            keys_of_a_dict_with_its_own_items,
            keys_asked_by_its_own_get,
            keys_of_a_mapping_that_counts,
            no_key_is_made,
            all_keys_before_any_pattern,
            fewer_items_than_keys,
        )
    ),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_program(program, args):
    conforms(program, *args)


def too_many_positions(x):
    match Leaf(x):
        case Leaf(a, b):
            return a * b


def position_and_keyword(x):
    match Node("a", x):
        case Node(_, left, left=other):
            return left * other


def no_class(x):
    match x:
        case math.pi():
            return x


def guard_raises(x):
    match [x]:
        case [v] if v.nothing:
            return v


def one_key_twice(x):
    match {"a": x}, {"a": x, "b": x}:
        case {Key.FIRST: _, Key.AGAIN: _}, _:
            pass
        case _, {Key.FIRST: v, Key.AGAIN: _}:
            return v


@pytest.mark.parametrize(
    "program", [too_many_positions, position_and_keyword, no_class, guard_raises, one_key_twice]
)
def test_exception(program):
    raises(program, 0.7)
