import functools
import io
import math
import operator
import threading
import types
from fractions import Fraction
from operator import getitem, imul, mul, setitem

import numpy as np
import pytest

import astad
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.dispatch import call, pull
from astad.runtime.operations.attributes import BOUND
from astad.testing import check_gradient
from tests.called_again import agrees_when_called_again


class Plain:
    rate = 3.0

    def __init__(self, x, y=None):
        self.x, self.y = x, y

    def method(self):
        return self.x


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


def test_instances(check):
    def program(do, o, x):
        do(setattr, o, "x", do(mul, do(getattr, o, "x"), x))
        do(setattr, o, "new", do(getattr, o, "x"))
        do(setitem, do(vars, o), "x", do(mul, do(getattr, o, "new"), x))
        do(delattr, o, "new")
        inner = do(getattr, do(getattr, o, "y"), "x")
        return do(mul, do(mul, do(getattr, o, "x"), inner), do(getattr, o, "missing", x))

    check(program, Plain(2.0, Plain(0.5)), 1.5)


def test_slots():
    o = Slotted(2.0)
    versions, shadows = Versions(), Shadows()
    y, read = call(versions, getattr, o, "x")
    z, product = call(versions, mul, y, y)
    _, written = call(versions, setattr, o, "x", z)
    w, read_again = call(versions, getattr, o, "x")
    assert w == 4.0
    pull(shadows, read_again, 1.0, 2)
    bar = pull(shadows, written, None, 3)[2]
    pull(shadows, read, sum(pull(shadows, product, bar, 2)), 2)
    assert shadows.key_take(o, "x") == 4.0


def test_properties_are_calls(check, written):
    class Scaled:
        def __init__(self, x):
            self._x = x

        def read(do, self):
            return do(mul, do(getattr, self, "_x"), 3.0)

        def write(do, self, v):
            do(setattr, self, "_x", do(mul, v, v))

        x = property(written(read), written(write))

        @functools.cached_property
        @written
        def cube(do, self):
            x = do(getattr, self, "_x")
            return do(mul, x, do(mul, x, x))

    class Doubled(Scaled):
        def more(do, self):
            return do(mul, do(getattr, super(Doubled, do.value(self)), "x"), 2.0)

        x = property(written(more))

    def program(do, o, p, x):
        do(setattr, o, "x", do(mul, do(getattr, o, "x"), x))
        cube = do(getattr, o, "cube")
        do(setattr, o, "x", x)
        again = do(mul, cube, do(getattr, o, "cube"))
        do(setattr, o, "cube", again)
        total = do(mul, do(getattr, o, "cube"), do(getattr, p, "x"))
        return do(mul, total, do(getattr, o, "x", 0.0))

    check(program, Scaled(2.0), Doubled(0.5), 0.3)


def test_attribute_hooks_of_the_users(check, written):
    class Record:
        def __init__(self, data):
            object.__setattr__(self, "data", data)

        @written
        def __getattr__(do, self, name):
            if do.value(name).startswith("__"):
                raise AttributeError(name)
            return do(getitem, do(getattr, self, "data"), name)

        @written
        def __setattr__(do, self, name, v):
            do(setitem, do(getattr, self, "data"), name, v)

    def program(do, r, x):
        do(setattr, r, "a", do(mul, do(getattr, r, "a"), x))
        return do(mul, do(getattr, r, "a"), do(getattr, r, "b"))

    check(program, Record({"a": 2.0, "b": 3.0}), 1.5)


def test_descriptors_of_the_users(check, written):
    class Squared:
        @written
        def __get__(do, self, o, cls=None):
            return do(mul, do(getattr, o, "raw"), do(getattr, o, "raw"))

        @written
        def __set__(do, self, o, v):
            do(setattr, o, "raw", do(mul, v, 3.0))

    class Holder:
        value = Squared()

        def __init__(self, raw):
            self.raw = raw

    def program(do, h, x):
        do(setattr, h, "value", do(mul, do(getattr, h, "value"), x))
        return do(getattr, h, "value")

    check(program, Holder(2.0), 1.5)


def test_class_attributes_are_shared(check):
    def program(do, o, x):
        before = do(getattr, o, "rate")
        do(setattr, Plain, "rate", do(mul, before, x))
        y = do(mul, do(getattr, o, "rate"), do(getattr, Plain, "rate"))
        do(setattr, Plain, "rate", 3.0)
        return y

    check(program, Plain(2.0), 1.5)


def test_globals_of_modules():
    module = types.ModuleType("settings")
    module.rate = 2.0
    versions, shadows = Versions(), Shadows()
    _, written = call(versions, setattr, module, "rate", 5.0)
    y, read = call(versions, getattr, module, "rate")
    pull(shadows, read, 7.0, 2)
    assert pull(shadows, written, None, 3)[2] == 7.0
    assert call(versions, getattr, math, "pi")[0] == math.pi


def test_views_of_arrays(check):
    def program(do, a, x):
        t = do(getattr, a, "T")
        do(setitem, t, (1, 0), do(mul, do(getitem, t, (0, 1)), x))
        do(imul, do(getattr, t, "real"), x)
        n = do(getattr, a, "size")
        return do(mul, do(np.sum, do(mul, a, a)), n)

    check(program, np.array([[2.0, 3.0], [5.0, 7.0]]), 1.5)


def test_setting_the_real_part_of_an_array():
    a = np.array([1 + 2j, 3 + 4j])
    _, record = call(Versions(), setattr, a, "real", np.array([5.0, 6.0]))
    assert a.tolist() == [5 + 2j, 6 + 4j]
    shadows = Shadows()
    shadows.add(a, np.array([1 + 1j, 2 + 2j]))
    assert record is not None
    pull(shadows, record, None, 3)
    assert shadows.take(a).tolist() == [1j, 2j]


def test_parts_of_complex_numbers():
    z = 3 + 4j
    for name, bar in (("real", 2 + 0j), ("imag", 2j)):
        y, record = call(Versions(), getattr, z, name)
        assert y == getattr(z, name)
        assert pull(Shadows(), record, 2.0, 2)[0] == bar
    assert call(Versions(), getattr, 2.0, "imag") == (0.0, None)


def test_bound_methods_of_numbers_hold_the_cotangent():
    z = np.complex128(3 + 4j)
    method, record = call(Versions(), getattr, z, "conjugate")
    shadows = Shadows()
    shadows.key_add(method, BOUND, 2.0)
    assert pull(shadows, record, None, 2)[0] == 2.0


def test_methods_and_modules_are_inert():
    o = Plain(1.0)
    y, record = call(Versions(), getattr, o, "method")
    assert y() == 1.0 and record is None
    for o, name in (
        (Plain, "method"),
        (np, "sin"),
        (np.zeros(2), "shape"),
        ([], "append"),
        ("a", "upper"),
    ):
        assert call(Versions(), getattr, o, name)[1] is None


def test_frozen_instances(check):
    def program(do, o, x):
        do(object.__setattr__, o, "x", do(mul, do(object.__getattribute__, o, "x"), x))
        return do(mul, do(getattr, o, "x"), x)

    check(program, Plain(2.0), 1.5)


def test_errors_are_pythons():
    for fn, args in (
        (getattr, (Plain(1.0), "nothing")), (getattr, (Slotted, "nothing")),
        (setattr, (Slotted(1.0), "y", 2.0)),
        (getattr, (None, "x")), (getattr, (np, "nothing")), (delattr, (Plain(1.0), "z")),
        (getattr, (2.0, "nothing")),
    ):  # fmt: skip
        with pytest.raises(Exception) as plain:
            fn(*args)
        with pytest.raises(type(plain.value)) as run:
            call(Versions(), fn, *args)
        assert str(run.value) == str(plain.value)


class Resets:
    """A data descriptor that only sets: what is read is the instance's own attribute."""

    def __set__(self, o, value):
        vars(o)["side"] = value * 2.0


class Square:
    side = Resets()

    def area(self):
        return self.side**2


def test_descriptor_without_get_leaves_reading_to_the_instance():
    def area(x):
        square = Square()
        square.side = x
        return square.area()

    assert astad.gradient(area, 3.0) == (24.0,)
    assert Square.side is vars(Square)["side"]
    assert astad.gradient(lambda x: x * (Square().side is Square.side), 2.0) == (1.0,)


def test_parts_of_complex_arrays_changed_in_place():
    def f(x, y):
        u = x + 0j
        u.imag += y * y
        u.real -= y
        u.imag[-1] = 0
        u.real = u.real * x
        return np.sum(abs(u) ** 2)

    check_gradient(f, np.array([1.0, 2.0, -0.5]), np.array([0.4, -1.0, 2.0]))
    check_gradient(f, np.array([1.0, 2.0, -0.5]), 0.7)


# --- modules and storage of threads that classes of the user's extend


class Local(threading.local):
    scale = 2.0

    def __init__(self, v):
        self.v = v
        self.items = [v]

    @property
    def double(self):
        return self.v * self.scale


class Doubled(types.ModuleType):
    def __setattr__(self, name, v):
        super().__setattr__(name, v * 2)


class Settings(types.ModuleType):
    def __init__(self, v):
        super().__init__("settings")
        self.v = v

    def area(self):
        return self.v**2


class Tripled(threading.local):
    def __setattr__(self, name, v):
        super().__setattr__(name, v * 2)

    def __getattribute__(self, name):
        return super().__getattribute__(name) * 3


class Text(io.StringIO):
    def __init__(self, v):
        super().__init__("abc")
        self.v = v


def bound_in_init(x):
    return Local(x * x).v


def by_a_property(x):
    local = Local(x)
    local.items.append(x**3)
    return local.double * local.items[1]


def by_setattr_of_a_module(x):
    module = Doubled("module")
    module.a = x
    return module.a * x


def by_init_of_a_module(x):
    return Settings(3.0 * x).area()


def by_both_hooks(x):
    local = Tripled()
    local.a = x
    return local.a * x


def by_getattr_of_a_module(x):
    module = types.ModuleType("module")
    module.a = x * x
    module.__getattr__ = lambda name: module.a * len(name)
    return module.ab * module.a


def by_init_of_a_compiled_class(x):
    text = Text(x * x)
    return text.v * len(text.getvalue())


EXTENDED = [
    bound_in_init, by_a_property, by_setattr_of_a_module, by_init_of_a_module, by_both_hooks,
    by_getattr_of_a_module, by_init_of_a_compiled_class,
]  # fmt: skip


@pytest.mark.parametrize("f", EXTENDED, ids=lambda f: f.__name__)
def test_hooks_of_modules_and_of_storage_of_threads(f):
    check_gradient(f, 1.3)
    check_gradient(f, -0.7)


@pytest.mark.parametrize("name", ["numerator", "denominator"])
def test_a_part_of_a_fraction_with_a_default(name):
    def f(x, y):
        n = getattr(x, name, None)
        return x * y if n is None else x * y * 3

    assert astad.gradient(f, Fraction(1, 2), 3.0) == (9.0, 1.5)


@functools.singledispatch
def area(shape):
    return 0.5


@area.register
def _(shape: float):
    return shape * shape


@area.register
def _(shape: list):
    return sum(area(part) for part in shape)


@pytest.mark.parametrize(
    "f",
    [
        lambda v, x: x * len(v.__class__.__name__),
        lambda v, x: x * (2.0 if getattr(v, "__class__", 0) is type(v) else 3.0),
        lambda v, x: x * len(v.__repr__()),
        lambda v, x: x * (2.0 if v.__eq__(None) else 3.0),
        lambda v, x: x * len(object.__getattribute__(v, "__class__").__name__),
        lambda v, x: x * area(v),
        lambda v, x: area([x, v, x]),
    ],
)
def test_what_none_has_by_its_type(f):
    for _ in range(2):
        assert astad.pullback(f, None, 2.0)[0] == f(None, 2.0)
        check_gradient(f, None, 2.0)


# --- attributes of a function, read through a bound method --------------------------------------


def keeping(fn):
    """A decorator that keeps the last result on its wrapper."""

    @functools.wraps(fn)
    def wrapper(*args):
        wrapper.last = fn(*args)
        return wrapper.last

    return wrapper


class Meter:
    def __init__(self, x=0.0):
        self.x = x

    def go(self, v):
        Meter.go.last = v * v
        return v

    @keeping
    def area(self, v):
        return v * v

    @classmethod
    def of_class(cls, v):
        cls.of_class.__func__.last = v * v

    @functools.lru_cache
    def cached(self, v):
        return v

    def inside(self, v):
        self.go(v)
        return self.go.last * v


class SubMeter(Meter):
    def above(self, v):
        self.go(v)
        return super().go.last * super().area.__func__(self, v)


meter = Meter()


def of_a_method(x):
    meter.go(x)
    return meter.go.last * x


def by_a_decorator(x):
    meter.area(x)
    return meter.area.last * x


def by_getattr_of_a_method(x):
    meter.go(x)
    return getattr(meter.go, "last") * (x if hasattr(meter.go, "last") else 1.0)


def by_getattr_with_a_default(x):
    meter.go(x)
    return getattr(meter.go, "last", 1.0) * getattr(meter.go, "missing", x)


def of_a_method_bound_to_a_name(x):
    go = meter.go
    go(x)
    return go.last * x


def of_a_method_in_an_attribute(x):
    meter.held = meter.go
    meter.held(x)
    return meter.held.last * meter.held.__func__.last


def plainly(self, v):
    return v


def of_a_method_made_by_hand(x):
    plainly.weight = x * x
    return types.MethodType(plainly, meter).weight * x


def of_a_cached_method(x):
    Meter.cached.scale = x * x
    return meter.cached.scale * x


def of_an_object_with_a_derivative(x):
    own = Meter(x)
    own.go(own.x)
    return own.go.last * own.x


def in_a_method(x):
    return Meter(x).inside(x)


def by_super(x):
    return SubMeter(x).above(x)


def of_a_class_method(x):
    Meter.of_class(x)
    return Meter.of_class.last * Meter(x).of_class.last


def by_attrgetter(x):
    meter.go(x)
    return operator.attrgetter("go.last")(meter) * x


def by_its_own_getattribute(x):
    meter.go(x)
    last = types.MethodType.__getattribute__(meter.go, "last")
    return last * meter.go.__getattribute__("last")


def by_vars_of_a_method(x):
    meter.go(x)
    return vars(meter.go)["last"] * meter.go.__dict__["last"]


def by_a_pattern(x):
    meter.go(x)
    match meter.go:
        case object(last=last):
            return last * x


class Calls:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, o, v):
        return v

    @property
    def double(self):
        return self.slope * 2


def of_an_object_as_a_function(x):
    bound = types.MethodType(Calls(x * x), meter)
    return bound.double * bound.slope * x


def what_a_method_has_itself(x):
    go = Meter(x).go
    return go.__self__.x * len(go.__name__) * len(go.__func__.__qualname__)


OF_METHODS = [
    of_a_method, by_a_decorator, by_getattr_of_a_method, by_getattr_with_a_default,
    of_a_method_bound_to_a_name, of_a_method_in_an_attribute, of_a_method_made_by_hand,
    of_a_cached_method, of_an_object_with_a_derivative, in_a_method, by_super, of_a_class_method,
    by_attrgetter, by_its_own_getattribute, by_vars_of_a_method, by_a_pattern,
    of_an_object_as_a_function, what_a_method_has_itself,
]  # fmt: skip


@pytest.mark.order_matters
@pytest.mark.parametrize("f", OF_METHODS, ids=lambda f: f.__name__)
def test_a_bound_method_has_what_its_function_has(f):
    agrees_when_called_again(f)


@pytest.mark.order_matters
def test_a_bound_method_has_no_attributes_of_its_own_to_write():
    def f(x):
        try:
            meter.go.last = x
        except AttributeError:
            return x * x
        return x

    agrees_when_called_again(f)
