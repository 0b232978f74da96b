"""Classes of numbers with operators of their own: what the derivative reads of them is the number,
what runs in the forward sweep is what Python asks.
"""

import math
import operator
import types
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from astad import gradient, pullback, value_and_grad
from astad.errors import Unsupported
from tests.conformance.programs import Programs
from tests.programs.everywhere import right_everywhere

programs = Programs()


class Gain(float):
    """Of reflected multiplication alone."""

    def __rmul__(self, other):
        return Gain(10 * float(other) * float(self))


class Odd(float):
    """All its operators are others than those of float."""

    def __mul__(self, other):
        return Odd(3 * float(self) * float(other))

    def __rmul__(self, other):
        return Odd(6 * float(self) * float(other))

    def __truediv__(self, other):
        return Odd(5 * float(self) / float(other))

    def __rtruediv__(self, other):
        return Odd(7 * float(other) / float(self))

    def __sub__(self, other):
        return Odd(3 * float(self) - float(other))

    def __rsub__(self, other):
        return Odd(3 * float(other) - float(self))

    def __pow__(self, other):
        return Odd(6 * float(self) ** float(other))

    def __rpow__(self, other):
        return Odd(6 * float(other) ** float(self))


class Shifted(float):
    """Its subtraction is asked for in ``x ** (n - 1)``."""

    def __sub__(self, other):
        return Shifted(float(self) - 2 * float(other))

    def __rmul__(self, other):
        return Shifted(11 * float(other) * float(self))


class Whole(int):
    def __rmul__(self, other):
        return 9 * other

    def __rsub__(self, other):
        return 100


class Phasor(complex):
    def __mul__(self, other):
        return Phasor(10 * complex(other) * complex(self))

    def __rmul__(self, other):
        return Phasor(20 * complex(other) * complex(self))

    def conjugate(self):
        return Phasor(5)


# --- what the formulas read


@programs.at(1.3, 0.8)
def a_product_whose_left_factor_has_a_reflected_product(x, y):
    return float(Gain(y) * x)


@programs.at(1.3, 0.8)
def a_square(x, y):
    return float(Gain(x) ** 2) * y


@programs.at(1.3, 0.8)
def an_exponent(x, y):
    return float(x ** Shifted(y))


@programs.at(1.3, 0.8)
def logarithms(x, y):
    return math.log(Odd(y)) + math.log(Shifted(x), 3.0) + math.log(2.0, Odd(x)) * math.log1p(Odd(y))


@programs.at(1.3, 0.8)
def a_distance(x, y):
    return math.dist((Odd(x), y), (1.0, Odd(y) * x)) + math.dist([Gain(x)], [Gain(y)])


@programs.at(1.3, 0.8)
def a_sum_and_lengths(x, y):
    return math.fsum([Odd(x), y]) ** 2 + math.hypot(Odd(x), y) + float(np.hypot(Odd(x), Odd(y)))


@programs.at(1.3, 0.8)
def functions_of_numpy(x, y):
    angle = np.arctan2(Odd(x), y) + np.arctan2(Odd(x), Odd(y))
    return float(angle + np.sin(Gain(x)) * np.power(Odd(x), Odd(y)) + np.divide(Odd(x), Odd(y)))


@programs.at(1.3, 0.8)
def lists_that_numpy_reads(x, y):
    inner = np.dot([Odd(x), x], [y, Odd(y)])
    return float(inner + np.sum(np.power([x, y], Odd(x))) + np.interp(Odd(y), [0.0, 2.0], [x, y]))


@programs.at(1.3, 0.8)
def remainders(x, y):
    return math.fmod(Odd(x), Odd(y)) + math.pow(Odd(x), Odd(y)) + math.copysign(Odd(x), -y)


@programs.at(1.3, 0.8)
def complex_numbers(x, y):
    turned = complex(1.0, y) * x
    return abs(Phasor(turned)) + (Phasor(x) ** 2).real + float(np.abs(np.exp(Phasor(turned))))


@programs.at(1.3, 0.8)
def a_product_of_many_asks_each_of_them(x, y):
    flat = math.prod([Odd(x), y, x, Odd(y)]) + math.prod((2, Gain(x), Whole(3), y))
    return float(flat + math.prod([y, x], start=Odd(y)) + math.prod(Gain(k * x) for k in (1.0, y)))


@pytest.mark.parametrize(("program", "args", "options"), programs)
def test_operators_of_a_class_are_not_those_of_the_derivative(program, args, options):
    right_everywhere(program, *args, **options)


def test_whole_numbers_of_a_class_of_their_own():
    right_everywhere(lambda n: Whole(3) * n, 2, expected=(3,))
    right_everywhere(lambda n: n * n * Whole(3) ** n.bit_length(), 1, expected=(6,))
    right_everywhere(lambda x: math.pow(x, Whole(3)) * (Whole(2) - x), 1.3)


def test_exact_numbers_of_a_class_of_their_own():
    class Ratio(Fraction):
        def __rmul__(self, other):
            return Ratio(10 * Fraction(other) * Fraction(self))

    third = Fraction(1, 3)
    assert gradient(lambda x: Ratio(x) ** 2, third) == (2 * third,)
    assert gradient(lambda x: Fraction(Ratio(x)) * x, third) == (2 * third,)
    assert gradient(lambda x: Ratio(x) * x, Ratio(third)) == (2 * third,)


# --- what a cotangent is


class LogProb(float):
    """A probability by its logarithm."""

    def __mul__(self, other):
        return LogProb(float(self) + float(other))

    def __add__(self, other):
        return LogProb(np.logaddexp(float(self), float(other)))

    __radd__, __rmul__ = __add__, __mul__


def mixed(x, y):
    return LogProb(x) * LogProb(y) + LogProb(2 * x)


def of_an_array(x, y):
    a = np.array([x, y])
    return LogProb(np.sum(a * a) + a[0])


def summed(x, y):
    return sum([LogProb(x), LogProb(y), LogProb(x)], start=LogProb(-3.0))


@pytest.mark.parametrize("program", [mixed, of_an_array, summed])
def test_the_seed_is_one_of_ordinary_arithmetic(program):
    right_everywhere(program, -1.3, -0.8)


def test_a_softmax_of_log_probabilities():
    y, back = pullback(mixed, -1.3, -0.8)
    share = math.exp(-2.1 - y)
    assert back(1.0) == pytest.approx((share + 2 * (1 - share), share))
    assert back(LogProb(2.0)) == pytest.approx((2 * (share + 2 * (1 - share)), 2 * share))


def test_an_argument_of_such_a_class_has_a_gradient_that_is_a_plain_number():
    for given, plain in ((Gain(2.0), float), (Whole(2), int), (LogProb(2.0), float)):
        (found,) = gradient(lambda x: float(x) * float(x), given)
        assert found == 4
        assert type(found) in (plain, float)
    (found,) = gradient(lambda z: abs(z) * 2, Phasor(3 + 4j))
    assert type(found) is complex
    assert found == pytest.approx(2 * (3 + 4j) / 5)
    (nothing,) = gradient(lambda x, y: y if y else x, Odd(1.0), 2.0)[:1]
    assert type(nothing) is float
    assert nothing == 0.0


def test_exact_numbers_seed_with_one_of_their_own_kind():
    class Ratio(Fraction):
        def __mul__(self, other):
            return Ratio(2 * Fraction(self) * Fraction(other))

    (found,) = gradient(lambda x: Ratio(x) * x, Fraction(1, 3))
    assert type(found) is Fraction
    assert found == Fraction(4, 3)
    (found,) = gradient(lambda x: x * x, Decimal("1.5"))
    assert type(found) is Decimal


# --- made from parts


class Signal(complex):
    pass


class Polar(complex):
    def __new__(cls, radius, angle):
        return super().__new__(cls, radius * math.cos(angle), radius * math.sin(angle))


class Turned(complex):
    def __new__(cls, a, b=0.0):
        return complex.__new__(cls, imag=a, real=b)


class Reading:
    """Not a number, but Python makes one of it."""

    asked = 0

    def __init__(self, value):
        self.value = value

    def __float__(self):
        Reading.asked += 1
        return self.value * 2

    def __complex__(self):
        return complex(self.value, 1.0)


class Celsius(float):
    def __new__(cls, reading):
        return float.__new__(cls, reading)


def from_two_numbers(x, y):
    return Signal(x, y).real * 2 + Signal(x, y).imag


def by_name(x, y):
    both = complex.__new__(complex, x, imag=y) * Signal(imag=x, real=y)
    return both.real + 3 * Signal(y, imag=x).imag + Signal(imag=y).imag


def in_its_own_new(x, y):
    return (Polar(x, y) * Polar(y, x)).real + Turned(x, y).imag * Turned(y).imag


def of_complex_parts(x, y):
    return Signal(complex(x, y), complex(y, x)).real + Signal(Signal(x, y)).imag


def of_objects(x, y):
    return Signal(Reading(x)).real * y + Celsius(Reading(y)) * x + complex(y, Reading(x)).imag


def of_texts(x, y):
    return Signal("1+2j").imag * x + Celsius("2") * y + Whole("ff", 16) * x + Whole("11", base=2)


@pytest.mark.parametrize(
    "program", [from_two_numbers, by_name, in_its_own_new, of_complex_parts, of_objects, of_texts]
)
def test_a_number_of_a_class_made_from_parts(program):
    right_everywhere(program, 1.3, 0.8)


def test_what_becomes_a_number_is_asked_once():
    for run in (Celsius, lambda o: gradient(lambda x: Celsius(o) * x, 2.0)):
        before = Reading.asked
        run(Reading(1.5))
        assert Reading.asked == before + 1


# --- what NumPy asks


class Kelvin(float):
    """Adds twice what comes from the right; Python asks it where it stands left."""

    def __add__(self, other):
        return Kelvin(float(self) + 2 * float(np.real(other)))

    def __sub__(self, other):
        return Kelvin(float(self) - 2 * float(other))

    def __rsub__(self, other):
        return Kelvin(2 * float(other) - float(self))

    __radd__ = __rmul__ = __rtruediv__ = __rpow__ = __rfloordiv__ = __rmod__ = __add__


class Impedance(complex):
    def __radd__(self, other):
        return Impedance(99 + other)

    __rmul__ = __radd__


class Preferred(float):
    """NumPy leaves its operators to it."""

    __array_priority__ = 100.0

    def __radd__(self, other):
        return float(other) * 5 + float(self)

    def __rmul__(self, other):
        return float(np.sum(other)) * 7 + float(self)


def numbers_of_numpy_answer_themselves(x, y):
    left = np.float64(x) + Kelvin(y) + np.float64(y) * Kelvin(x) - np.float32(2) / Kelvin(y)
    return float(left - np.float64(x) ** Kelvin(y) + np.int64(3) * Kelvin(y) % np.float64(x))


def numbers_of_python_ask_first_a_class_of_theirs(x, y):
    return float(x + Kelvin(y)) + float(x * Kelvin(y)) + float(2 - Kelvin(x)) + float(x + Whole(2))


def sums_of_both(x, y):
    first = sum([np.float64(x), Kelvin(y)], start=np.float64(1.0))
    second = sum([Kelvin(y), x], start=2)
    return float(first) + float(second) + float(np.array([x, 1.0]).sum() + Whole(2))


def in_place(x, y):
    total = np.float64(x)
    total += Kelvin(y)
    total *= Kelvin(x)
    a = np.array([x, y])
    kept = a * a
    a += Kelvin(y)
    a *= Kelvin(x)
    return float(total + np.sum(a * kept))


def arrays(x, y):
    a = np.array([x, y])
    return float(np.sum(a + Kelvin(y)) + np.sum(a * Kelvin(x)) + np.sum(a ** Whole(2) - Whole(1)))


def complex_results(x, y):
    z = np.float64(x) + Impedance(y, x) * np.complex128(y)
    return float(z.real) + float((np.complex128(x) * Impedance(y)).imag + z.imag)


def priorities(x, y):
    return (
        np.float64(x) + Preferred(y) + np.array([x, y]) * Preferred(x) + np.int64(2) * Preferred(y)
    )


@pytest.mark.parametrize(
    "program",
    [
        numbers_of_numpy_answer_themselves, numbers_of_python_ask_first_a_class_of_theirs,
        sums_of_both, in_place, arrays, complex_results, priorities,
    ],
)  # fmt: skip
def test_who_is_asked_for_an_operator(program):
    right_everywhere(program, 1.3, 0.8)


OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow,
]  # fmt: skip


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("apply", OPERATORS)
def test_every_operator_with_every_number(apply, kind):
    def program(x, y):
        return float(np.real(apply(kind(x), Kelvin(y)))) + y

    if kind is np.float32:
        y, _ = pullback(program, 1.5, 0.5)
        assert y == program(1.5, 0.5)
        return
    right_everywhere(program, 1.5, 0.8)


class Halved(float):
    """Not the number that it says it is."""

    def __float__(self):
        return float.__add__(self, 0.0) / 2


def asked_by_numpy(x, y):
    first = np.sin(Halved(x)) * y + np.float64(Halved(y)) + np.add(Halved(x), Halved(x))
    a = np.array([x, y])
    a *= Halved(x)
    return float(first + np.sum(a * Halved(y)) + np.float64(x) * Halved(y) + Halved(y) * np.sum(a))


def read_by_c(x, y):
    return math.sin(Halved(x)) * y + Halved(x) * y + math.hypot(Halved(x), Halved(y))


@pytest.mark.parametrize("program", [asked_by_numpy, read_by_c])
def test_a_float_that_answers_for_another(program):
    right_everywhere(program, 1.3, 0.8)


def test_a_list_of_them_is_refused():
    for program in (
        lambda x: np.sum(np.array([Halved(x), x])),
        lambda x: np.dot([[Halved(x), 1.0]], [x, 2.0])[0],
        lambda x: np.mean([Halved(x), x]),
    ):
        with pytest.raises(Unsupported, match="a __float__ of their own"):
            gradient(program, 1.5)


class Track:
    """A sequence, of which NumPy makes an array."""

    def __init__(self, *points):
        self.points = [*points]

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        return self.points[i]

    def __rmul__(self, other):
        return Track(*[other * point for point in self.points])


def test_a_number_of_numpy_makes_an_array_of_a_sequence():
    right_everywhere(lambda x, y: float(np.sum(np.float64(x) * Track(y, 2.0))), 1.3, 0.8)
    right_everywhere(lambda x, y: sum((x * Track(y, x)).points), 1.3, 0.8)


class Money(Decimal):
    def __mul__(self, other):
        return Money(super().__mul__(other) * 2)

    def __rmul__(self, other):
        return Money(Decimal(self) * Decimal(other) * 5)


class Scaled(Decimal):
    def __new__(cls, value, scale=2):
        return super().__new__(cls, value * scale)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x: Money(x) * x + Money(x), 13),
        (lambda x: x * Money(x) + Money("2") * x, 34),
        (lambda x: Scaled(x, scale=3) * Scaled(x) - +Scaled(x), 34),
        (lambda x: Money(value=x) / Scaled(x) * x, Decimal("0.5")),
    ],
)
def test_decimal_numbers_of_a_class_of_their_own(program, expected):
    right_everywhere(program, Decimal(3), expected=(expected,))


class Box(types.SimpleNamespace):
    pass


class Sheet(types.SimpleNamespace):
    def __init__(self, width, **more):
        super().__init__(width=width * 2, **more)

    @property
    def area(self):
        return self.width * self.height


def test_namespaces_of_a_class_of_their_own():
    def program(x, y):
        box = Box(a=x, b=y)
        box.a *= Sheet(x, height=y).area
        again = Box(**vars(box), c=y)
        return again.a * again.b * again.c + Sheet(width=y, height=x, depth=x).depth

    right_everywhere(program, 1.3, 0.8)


class Doubled(float):
    """NumPy is told another number than the one that it is."""

    def __float__(self):
        return 2.0 * float.__add__(self, 0.0)


WRITES = {
    "item": lambda y, v: y.__setitem__(0, v),
    "slice": lambda y, v: y.__setitem__(slice(None), v),
    "list": lambda y, v: y.__setitem__(..., [v, 1.0]),
    "flat": lambda y, v: y.flat.__setitem__(1, v),
    "fill": lambda y, v: y.fill(v),
    "put": lambda y, v: np.put(y, [1], v),
    "copyto": lambda y, v: np.copyto(y, v),
    "place": lambda y, v: np.place(y, y == 0.0, v),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_an_array_asks_a_float_for_is_refused_where_it_counts(write, dtype):
    def f(x, own):
        y = np.zeros(2, dtype)
        write(y, own(x))
        return y.sum() * x

    def constant(x):
        y = np.zeros(2, dtype)
        write(y, Doubled(1.5))
        return y.sum() * x

    with pytest.raises(Unsupported, match=r"write float\(v\)"):
        gradient(f, 1.5, Doubled)
    h = 2.0**-9
    slope = (f(1.5 + h, float) - f(1.5 - h, float)) / (2 * h)
    assert gradient(f, 1.5, float)[0] == pytest.approx(slope, rel=1e-4)
    assert gradient(constant, 2.0) == (constant(1.0),)


def test_a_float_of_its_own_in_an_array_of_ints_has_no_derivative():
    def f(x):
        counts = np.zeros(2, int)
        counts[0] = Doubled(x)
        return counts.sum() * x

    assert value_and_grad(f)(1.75) == (f(1.75), f(1.75) / 1.75)


def test_parts_of_a_float_are_those_of_the_number_that_it_is():
    def f(x):
        return np.real(Doubled(x)) * 2.0 + np.imag(Doubled(x))

    assert value_and_grad(f)(1.5) == (3.0, 2.0)


@pytest.mark.parametrize("limits", [lambda v: (0, v), lambda v: (v,), lambda v: (v, 9.0)])
def test_ranges_ask_a_float_in_part(limits):
    with pytest.raises(Unsupported, match="has a __float__ of its own, as a limit"):
        gradient(lambda x: np.arange(*limits(Doubled(x))).sum() * x, 1.5)
    plain = np.arange(*limits(1.5)).sum()
    assert gradient(lambda x: np.arange(*limits(float(x))).sum() * x, 1.5)[0] >= plain


class Shown:
    def __init__(self, value):
        self.value = value

    def __rmod__(self, other):
        return self.value * 7

    def __str__(self):
        return "three"


class Text(str):
    def __rmod__(self, other):
        return 2.0


def test_a_format_does_not_ask_for_a_reflected_operator():
    def in_a_text(x):
        return len("%s" % Shown(x)) * x

    def in_place(x):
        text = "<%s>"
        text %= Shown(x)
        return len(text) * x

    def in_bytes(x):
        return len(b"%a" % "three") * x + (b"%d" % 12 == b"12") * x

    def of_a_number(x):
        return 7 % Shown(x)

    def of_a_subclass(x):
        return x * ("%s" % Text("a"))

    for f in (in_a_text, in_place, in_bytes, of_a_number, of_a_subclass):
        slope = (f(1.5 + 2.0**-10) - f(1.5 - 2.0**-10)) * 2.0**9
        assert value_and_grad(f)(1.5) == (f(1.5), slope), f.__name__
