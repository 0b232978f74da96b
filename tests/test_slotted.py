"""astad.slotted against dataclasses, class by class."""

import copy
import dataclasses
import pickle

import pytest

from astad import slotted


def classes(dataclass, field):
    @dataclass(frozen=True, slots=True)
    class Spot:
        line: int
        column: int = 0

    @dataclass(slots=True)
    class Page:
        name: str
        spots: list[object] = field(default_factory=list)
        hidden: dict[str, int] = field(default_factory=dict, repr=False)
        width: float = 1.5

        def area(self):
            return self.width * len(self.spots)

    @dataclass(slots=True)
    class Book(Page):
        year: int = 2000
        length: int = 0

        def __post_init__(self):
            self.length = len(self.name)

    @dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    @dataclass(slots=True, eq=False)
    class Token:
        text: str

    @dataclass(slots=True, unsafe_hash=True)
    class Single:
        value: float

        def __repr__(self):
            return "own"

    return Spot, Page, Book, Nothing, Token, Single


OURS = classes(slotted.dataclass, slotted.field)
THEIRS = classes(dataclasses.dataclass, dataclasses.field)
NAN = float("nan")
CALLS = [
    (0, (1,), {}),
    (0, (), {"line": 3, "column": 4}),
    (0, (1, NAN), {}),
    (1, ("a",), {}),
    (1, ("a", [1], {"k": 2}), {"width": 2.0}),
    (2, ("abc",), {"year": 1999}),
    (3, (), {}),
    (4, ("t",), {}),
    (5, (NAN,), {}),
]
WRONG = [(0, (), {}), (0, (1, 2, 3), {}), (0, (1,), {"row": 2}), (1, ("a",), {"name": "b"})]


@pytest.mark.parametrize(("which", "args", "named"), CALLS)
def test_objects_are_those_of_dataclasses(which, args, named):
    o, p = OURS[which](*args, **named), THEIRS[which](*args, **named)
    assert repr(o) == repr(p)
    assert type(o).__match_args__ == type(p).__match_args__
    assert not hasattr(o, "__dict__")
    with pytest.raises(AttributeError):
        o.no_such_field = 1
    again, other = OURS[which](*args, **named), THEIRS[which](*args, **named)
    if NAN in args:  # one object is equal to itself in a tuple, which Python 3.13 asks no longer
        assert (o == again, o == o, o != again) == (True, True, False)
    else:
        assert (o == again, o == o, o != again) == (p == other, p == p, p != other)
    assert o != p
    assert (type(o).__hash__ is None) == (type(p).__hash__ is None)
    if type(o).__hash__ and type(o).__eq__ is not object.__eq__:
        assert hash(o) == hash(p) == hash(copy.copy(o))
    assert repr(copy.deepcopy(o)) == repr(p)


@pytest.mark.parametrize(("which", "args", "named"), WRONG)
def test_wrong_calls_are_type_errors(which, args, named):
    for cls in (OURS[which], THEIRS[which]):
        with pytest.raises(TypeError):
            cls(*args, **named)


def test_defaults_are_made_anew_for_each_object():
    page, other = OURS[1]("a"), OURS[1]("a")
    page.spots.append(1)
    assert (other.spots, page.area()) == ([], 1.5)


def test_replace_makes_another_object():
    for (spot, page, book, *_), replace in (
        (OURS, slotted.replace),
        (THEIRS, dataclasses.replace),
    ):
        first = page("a", [1])
        second = replace(first, width=3.0)
        assert (second.name, second.spots is first.spots, second.width) == ("a", True, 3.0)
        assert replace(spot(1), line=2) == spot(2)
        assert replace(book("abc"), name="b").length == 1
        with pytest.raises(TypeError):
            replace(first, no_such_field=1)


def test_patterns_take_fields_by_position():
    Spot = OURS[0]
    match Spot(4, 5):
        case Spot(line, column):
            assert (line, column) == (4, 5)


def test_an_init_is_written_with_the_first_object():
    @slotted.dataclass(slots=True)
    class Late:
        value: int

    class Derived(Late):
        pass

    assert Late.__init__ is slotted._first_init
    assert Derived(3).value == 3
    assert Late.__init__ is not slotted._first_init
    assert Late(4).value == 4


def test_objects_are_pickled():
    from astad.compiler.ir.nodes import Bind, Const

    node = Bind("y", Const(2.0), 3)
    assert pickle.loads(pickle.dumps(node)) == node
