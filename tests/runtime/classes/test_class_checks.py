"""``isinstance`` and ``issubclass`` of classes that ask the user."""

import abc
import numbers

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient

STORE = []


class Asking(type):
    scale = 1.0

    def __instancecheck__(cls, o):
        STORE.append(o * cls.scale)
        return o > 0

    def __subclasscheck__(cls, sub):
        STORE.append(sub.scale)
        return True


class Positive(metaclass=Asking):
    pass


class Ranking(abc.ABCMeta):
    def __subclasscheck__(cls, sub):
        STORE.append(sub.scale)
        return True


class Ranked(metaclass=Ranking):
    pass


def by_a_metaclass(x):
    STORE.clear()
    return isinstance(x * x, Positive) * STORE[0]


def by_a_metaclass_in_a_tuple(x):
    STORE.clear()
    found = isinstance(x * x, (str, (Positive, int)))
    return found * STORE[0]


def by_a_union(x):
    STORE.clear()
    return isinstance(x * x, str | Positive) * STORE[0]


def of_a_subclass(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return issubclass(Scaled, Positive) * STORE[0]


def of_a_subclass_alone(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return issubclass(Scaled, Ranked) * STORE[0]


def of_a_class_made_here(x):
    seen = []

    class Meta(type):
        def __instancecheck__(cls, o):
            seen.append(x * o)
            return []  # as false as False

    class Made(metaclass=Meta):
        pass

    return (2 + isinstance(3.0, Made)) * seen[0]


def in_a_loop(x):
    STORE.clear()
    total = 0.0
    for k in range(3):
        if isinstance(x - k, Positive):
            total += x * STORE[-1]
    return total


@pytest.mark.parametrize(
    "f",
    [
        by_a_metaclass, by_a_metaclass_in_a_tuple, by_a_union, of_a_subclass,
        of_a_subclass_alone, of_a_class_made_here, in_a_loop,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_metaclass_is_asked_step_by_step(f):
    assert f(1.5) != 0.0
    check_gradient(f, 1.5)


def by_a_hook(x):
    seen = []

    class Sized(abc.ABC):
        @classmethod
        def __subclasshook__(cls, other):
            seen.append(x * x)
            return True

    isinstance(3, Sized)
    return seen[0]


def by_a_hook_that_knows_nothing(x):
    class Sized(abc.ABC):
        @classmethod
        def __subclasshook__(cls, other):
            STORE[:] = [x * x]
            return NotImplemented

    issubclass(float, Sized)
    return STORE[0] * x


def by_the_hook_of_a_class_below(x):
    class Base(abc.ABC):
        pass

    class Below(Base):
        @classmethod
        def __subclasshook__(cls, other):
            cls.last = x * x
            return False

    isinstance(3, Base)
    return Below.last


def by_the_hook_of_one_of_several(x):
    class Sized(abc.ABC):
        @classmethod
        def __subclasshook__(cls, other):
            return cls.note(x * x)

        @classmethod
        def note(cls, v):
            STORE[:] = [v]
            return False

    isinstance(3, (str, Sized))
    return STORE[0]


class Measured(abc.ABC):
    scale = [1.0]

    @classmethod
    def __subclasshook__(cls, other):
        STORE.append(cls.scale[0])
        return NotImplemented


def by_a_hook_of_the_module(x):
    class Other:
        pass

    STORE.clear()
    Measured.scale[0] = x * x
    isinstance(Other(), Measured)
    return STORE[0]


class Weighed(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        STORE.append(getattr(other, "scale", 0.0))
        return True


def by_a_hook_that_reads_the_class(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return issubclass(Scaled, Weighed) * STORE[0]


def by_a_hook_that_reads_the_class_of_an_instance(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return STORE[0] if isinstance(Scaled(), Weighed) else 2.0


def of_an_instance_by_its_class(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return isinstance(Scaled(), Ranked) * STORE[0]


def of_an_instance_in_a_tuple(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return isinstance(Scaled(), (str, (int, Ranked))) * STORE[0]


def of_an_instance_by_a_union(x):
    class Scaled:
        scale = x * x

    STORE.clear()
    return isinstance(Scaled(), str | Ranked) * STORE[0]


def of_an_instance_of_a_local_class(x):
    seen = []

    class Noting(abc.ABCMeta):
        def __subclasscheck__(cls, sub):
            seen.append(x * x)
            return super().__subclasscheck__(sub)

    class Noted(metaclass=Noting):
        pass

    return seen[0] if not isinstance(3, Noted) else x


def of_an_instance_that_notes_it_in_the_class(x):
    class Noting(abc.ABCMeta):
        def __subclasscheck__(cls, sub):
            cls.last = x * x
            return False

    class Noted(metaclass=Noting):
        pass

    isinstance(3.0, Noted)
    return Noted.last


class Scales:
    last = 1.0


class Reading(abc.ABCMeta):
    def __subclasscheck__(cls, sub):
        STORE.append(Scales.last)
        return False


class Read(metaclass=Reading):
    pass


def of_an_instance_in_a_helper(x):
    def is_read(v):
        return isinstance(v, Read)

    STORE.clear()
    Scales.last = x * x
    return 2.0 if is_read("a") else STORE[0]


@pytest.mark.parametrize(
    "f",
    [
        by_a_hook, by_a_hook_that_knows_nothing, by_the_hook_of_a_class_below,
        by_the_hook_of_one_of_several, by_a_hook_of_the_module, by_a_hook_that_reads_the_class,
        by_a_hook_that_reads_the_class_of_an_instance, of_an_instance_by_its_class,
        of_an_instance_in_a_tuple, of_an_instance_by_a_union, of_an_instance_of_a_local_class,
        of_an_instance_that_notes_it_in_the_class, of_an_instance_in_a_helper,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_a_hook_stores_is_refused(f):
    assert f(3.0) != 0.0
    with pytest.raises(Unsupported, match=r"^test_class_checks.py:\d+: is.*has stored"):
        gradient(f, 3.0)


def test_checks_that_ask_nobody():
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self):
            pass

    class Square(Shape):
        def __init__(self, a):
            self.a = a

        def area(self):
            return self.a**2

    def f(x):
        shapes, total = [Square(x), 3.0, "a"], 0.0
        for each in shapes:
            if isinstance(each, Shape):
                total = total + each.area()
            elif isinstance(each, numbers.Number) and not isinstance(each, (str, Shape)):
                total = total * each
        return total * issubclass(Square, Shape)

    check_gradient(f, 1.5)
