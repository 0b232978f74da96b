"""Globals that hold containers and objects: read in every call, changed by the program or between
two calls, and never differentiated.

What is an argument and is reached from outside as well: the total, by every form.
"""

import functools
import math

import numpy as np
import pytest

import astad
from astad import gradient, settings, value_and_grad
from astad.api.inspection.showing import Request, show_source
from astad.api.variants.held_globals import held_globals
from astad.api.variants.whole import whole
from astad.runtime.core.variants import forget_all, variants_of
from tests.compiler.forms import check_forms, close, differences, only_generic

TABLE = [("a", 1.0), ("b", 2.0)]
CONFIG = {"rate": 0.5, "mode": "x", "sub": {"k": [1.0, 2.0]}}
STATE = {"n": 0.0}
LOG = []


class Model:
    gain = 2.0

    def __init__(self):
        self.a, self.b, self.name = 1.5, 0.5, "m"

    def at(self, x):
        return self.a * x if x > 1 else self.b * x * x * self.gain

    def __call__(self, x):
        return self.at(x) + self.a

    @property
    def both(self):
        return self.a + self.b


class Counter:
    def __init__(self):
        self.hits = 0

    def hit(self, x):
        self.hits += 1
        return x * self.hits


MODEL = Model()
MODELS = {"m": MODEL}
COUNTER = Counter()


def a_table_walked(x, y):
    t = 0.0
    for name, w in TABLE:
        t += w * x if name == "a" else w * y
    return t


def a_table_in_a_long_loop(x, y):
    t = 0.0
    for i in range(30):
        t += TABLE[i % 2][1] * x**2 + y
    return t


def weight(i):
    return TABLE[i][1]


def a_table_that_a_callee_reads(x, y):
    return weight(0) * x + weight(1) * y


def dicts_in_dicts(x, y):
    return CONFIG["sub"]["k"][1] * x + CONFIG["rate"] * y


def keys_from_a_loop(x, y):
    t = 0.0
    for k in ("rate",):
        t += CONFIG[k] * x
    return t * y


def lengths(x, y):
    return len(TABLE) * x + y * len(CONFIG)


def keys_asked_for(x, y):
    return x * y if "rate" in CONFIG and "zz" not in CONFIG else 0.0


def an_object(x, y):
    return MODEL.at(x) * MODEL(y) + MODEL.both


def an_object_in_a_dict(x, y):
    return MODELS["m"].at(x) * MODELS["m"].b * y


def rate_times(c, x):
    return c["rate"] * x


def handed_to_a_callee(x, y):
    return rate_times(CONFIG, x) + rate_times({"rate": y}, x)


def a_default_too(x, y, c=CONFIG):
    return c["rate"] * x * y + CONFIG["rate"]


def a_parameter_of_that_name(TABLE, y):
    return TABLE * y


def a_local_of_that_name(x, y):
    CONFIG = {"rate": x}
    return CONFIG["rate"] * weight(1) * y


def an_entry_set(x, y):
    STATE["n"] = x * y
    r = STATE["n"] * x
    STATE["n"] = 0.0
    return r


def a_list_filled(x, y):
    LOG.append(x)
    r = LOG[-1] * y
    LOG.clear()
    return r


def a_count_kept(x, y):
    r = COUNTER.hit(x) * y
    COUNTER.hits = 0
    return r


def an_attribute_set(x, y):
    MODEL.a = x
    r = MODEL.at(y) * MODEL.a
    MODEL.a = 1.5
    return r


def set_b(x):
    MODEL.b = x


def an_attribute_set_by_a_callee(x, y):
    set_b(x)
    r = MODEL.at(0.5) * y
    set_b(0.5)
    return r


def bound_anew(x, y):
    global STATE
    STATE = {"n": x}
    r = STATE["n"] * y
    STATE = {"n": 0.0}
    return r


FUSED = [
    a_table_walked,
    a_table_that_a_callee_reads,
    dicts_in_dicts,
    keys_from_a_loop,
    lengths,
    keys_asked_for,
    an_object,
    an_object_in_a_dict,
    handed_to_a_callee,
    a_local_of_that_name,
]
OTHERS = [
    a_parameter_of_that_name,
    a_table_in_a_long_loop,
    a_default_too,
    an_entry_set,
    a_list_filled,
    a_count_kept,
    an_attribute_set,
    an_attribute_set_by_a_callee,
    bound_anew,
]


@pytest.mark.parametrize("args", [(1.3, 0.7), (0.4, 2.1)])
@pytest.mark.parametrize("fn", FUSED + OTHERS, ids=lambda fn: fn.__name__)
def test_right(fn, args):
    check_forms(fn, *args)


@pytest.mark.parametrize("fn", FUSED, ids=lambda fn: fn.__name__)
def test_fused(fn):
    check_forms(fn, 1.3, 0.7, fused=True)


def same_as_differences(fn, *args):
    """By what is compiled already, as a program that calls twice has it."""
    y, found = value_and_grad(fn, tuple(range(len(args))))(*args)
    assert y == fn(*args)
    close(found, differences(fn, args, 1.0), "gradient", 2e-7, 1e-8)


def is_holding(fn):
    return any(variants_of(fn).holding.values())


@pytest.fixture
def bind(monkeypatch):
    """``bind(name, value)`` binds a global, until the test ends."""
    return lambda name, value: monkeypatch.setitem(globals(), name, value)


def test_numbers_change(bind):
    bind("TABLE", [["a", 1.0], ["b", 2.0]])
    bind("CONFIG", {"rate": 0.5, "sub": {"k": [1.0, 2.0]}})
    same_as_differences(a_table_walked, 1.3, 0.7)
    same_as_differences(dicts_in_dicts, 1.3, 0.7)
    assert is_holding(a_table_walked) and is_holding(dicts_in_dicts)
    TABLE[1][1] = -3.0
    CONFIG["rate"] = 4.0
    CONFIG["sub"]["k"][1] = 5.0
    same_as_differences(a_table_walked, 1.3, 0.7)
    same_as_differences(dicts_in_dicts, 1.3, 0.7)
    assert gradient(dicts_in_dicts, 1.3, 0.7) == (5.0, 4.0)


def test_texts_change(bind):
    bind("TABLE", [["a", 1.0], ["b", 2.0]])
    same_as_differences(a_table_walked, 1.3, 0.7)
    TABLE[0][0], TABLE[1][0] = "b", "a"
    same_as_differences(a_table_walked, 1.3, 0.7)
    assert gradient(a_table_walked, 1.3, 0.7) == (2.0, 1.0)


def test_keys_change(bind):
    bind("CONFIG", {"rate": 0.5, "mode": "x"})
    for fn in (keys_asked_for, lengths, keys_from_a_loop):
        same_as_differences(fn, 1.3, 0.7)
        CONFIG["zz"] = 1.0
        same_as_differences(fn, 1.3, 0.7)
        del CONFIG["mode"]
        same_as_differences(fn, 1.3, 0.7)
        del CONFIG["zz"]
        same_as_differences(fn, 1.3, 0.7)
        CONFIG["mode"] = 2
    del CONFIG["rate"]
    same_as_differences(keys_asked_for, 1.3, 0.7)
    with pytest.raises(KeyError, match="rate"):
        gradient(keys_from_a_loop, 1.3, 0.7)


def test_the_order_of_keys_changes(bind):
    def f(x, y):
        t = 1.0
        for v in CONFIG.values():
            t = t * x + v * y
        return t

    bind("CONFIG", {"a": 1.0, "b": 2.0})
    same_as_differences(f, 1.3, 0.7)
    CONFIG["a"] = CONFIG.pop("a")
    same_as_differences(f, 1.3, 0.7)


def test_lengths_change(bind):
    bind("TABLE", [("a", 1.0), ("b", 2.0)])
    bind("CONFIG", {})
    for fn in (a_table_walked, lengths):
        same_as_differences(fn, 1.3, 0.7)
        TABLE.append(("a", 3.0))
        same_as_differences(fn, 1.3, 0.7)
        del TABLE[:2]
        same_as_differences(fn, 1.3, 0.7)
        TABLE.clear()
        same_as_differences(fn, 1.3, 0.7)
        TABLE.extend([("a", 1.0), ("b", 2.0)])


@pytest.mark.parametrize("value", [2, True, np.float64(2.5), np.array(3.0)])
def test_types_change(bind, value):
    bind("CONFIG", {"rate": 0.5, "sub": {"k": [1.0, 2.0]}})
    for fn in (dicts_in_dicts, keys_from_a_loop, handed_to_a_callee):
        same_as_differences(fn, 1.3, 0.7)
        CONFIG["rate"] = value
        same_as_differences(fn, 1.3, 0.7)
        CONFIG["rate"] = 0.25
        same_as_differences(fn, 1.3, 0.7)


def test_a_list_becomes_a_tuple_or_an_array(bind):
    bind("CONFIG", {"rate": 0.5, "sub": {"k": [1.0, 2.0]}})
    for value in ((1.0, 3.0), np.array([1.0, 4.0]), {1: 5.0}, [1.0, 6.0]):
        same_as_differences(dicts_in_dicts, 1.3, 0.7)
        CONFIG["sub"]["k"] = value
    same_as_differences(dicts_in_dicts, 1.3, 0.7)
    assert gradient(dicts_in_dicts, 1.3, 0.7) == (6.0, 0.5)


def test_bound_anew_between_two_calls(bind):
    for table in (
        [("a", 1.0), ("b", 2.0)],
        [("a", 3.0), ("b", 4.0)],
        [("b", 5.0)],
        (("a", 6), ("b", 7.0)),
        {"ac": 1.0, "bd": 2.0}.items(),
    ):
        bind("TABLE", table)
        same_as_differences(a_table_walked, 1.3, 0.7)


def test_attributes_of_the_object_change(bind):
    bind("MODEL", Model())
    bind("MODELS", {"m": MODEL})
    for name, value in [("a", 4.0), ("b", 3), ("a", np.float64(2.0)), ("gain", 5.0)]:
        for fn in (an_object, an_object_in_a_dict):
            same_as_differences(fn, 1.3, 0.7)
        setattr(MODEL, name, value)
    same_as_differences(an_object, 1.3, 0.7)
    del MODEL.gain
    same_as_differences(an_object, 1.3, 0.7)
    MODEL.new = 1.0
    same_as_differences(an_object, 1.3, 0.7)
    del MODEL.b
    with pytest.raises(AttributeError, match="b"):
        gradient(an_object, 1.3, 0.7)


def test_attributes_of_the_class_change(bind, monkeypatch):
    bind("MODEL", Model())
    same_as_differences(an_object, 1.3, 0.7)
    monkeypatch.setattr(Model, "gain", 7.0)
    same_as_differences(an_object, 1.3, 0.7)
    monkeypatch.setattr(Model, "gain", 3)
    same_as_differences(an_object, 1.3, 0.7)
    monkeypatch.setattr(Model, "at", lambda self, x: self.gain * x * x * x)
    same_as_differences(an_object, 1.3, 0.7)
    monkeypatch.setattr(Model, "both", property(lambda self: self.gain))
    same_as_differences(an_object, 1.3, 0.7)
    monkeypatch.undo()
    same_as_differences(an_object, 1.3, 0.7)


def a_method(x):
    return GAUGE.scaled(x)


def a_static_method(x):
    return GAUGE.doubled(x)


def a_class_method(x):
    return GAUGE.tripled(x)


def a_property(x):
    return GAUGE.size * x


class Gauge:
    def __init__(self):
        self.a = 1.5

    def scaled(self, x):
        return self.a * x * x

    @staticmethod
    def doubled(x):
        return x * 2.0

    @classmethod
    def tripled(cls, x):
        return x * 3.0

    @property
    def size(self):
        return self.a


GAUGE = Gauge()


@pytest.mark.order_matters
@pytest.mark.parametrize(
    "new",
    [
        lambda self, x: x * self.a * 5.0,
        staticmethod(lambda x: x * 7.0),
        classmethod(lambda cls, x: x * 8.0),
        property(lambda self: lambda x: x * self.a * 9.0),
        math.sin,
        staticmethod(functools.partial(math.pow, 2.0)),
    ],
    ids=["function", "static", "class", "property", "builtin", "partial"],
)
@pytest.mark.parametrize(
    "fn, name",
    [(a_method, "scaled"), (a_static_method, "doubled"), (a_class_method, "tripled")],
    ids=["a method", "a static method", "a class method"],
)
def test_a_method_becomes_another_thing(monkeypatch, fn, name, new):
    same_as_differences(fn, 1.3)
    monkeypatch.setattr(Gauge, name, new)
    same_as_differences(fn, 1.3)
    monkeypatch.undo()
    same_as_differences(fn, 1.3)


@pytest.fixture
def compiled_anew(monkeypatch, tmp_path):
    """Not by what was compiled after changes that other tests made."""
    monkeypatch.setattr(settings, "cache_directory", str(tmp_path))
    forget_all()


@pytest.mark.order_matters
def test_a_property_becomes_a_number(monkeypatch, compiled_anew):
    same_as_differences(a_property, 1.3)
    monkeypatch.setattr(Gauge, "size", 2.0)
    same_as_differences(a_property, 1.3)


@pytest.mark.order_matters
@pytest.mark.parametrize(
    "fn, name, new",
    [
        (a_method, "scaled", lambda x: x * x),
        (a_static_method, "doubled", lambda x: x * x),
        (a_property, "size", 2.5),
    ],
    ids=["a method", "a static method", "a property"],
)
def test_the_class_makes_way_for_the_instance(monkeypatch, compiled_anew, fn, name, new):
    same_as_differences(fn, 1.3)
    monkeypatch.delattr(Gauge, name)
    monkeypatch.setitem(vars(GAUGE), name, new)
    same_as_differences(fn, 1.3)


@pytest.mark.order_matters
def test_what_a_deleted_property_raises(monkeypatch, compiled_anew):
    same_as_differences(a_property, 1.3)
    monkeypatch.delattr(Gauge, "size")
    with pytest.raises(AttributeError) as plain:
        a_property(1.3)
    with pytest.raises(AttributeError) as found:
        gradient(a_property, 1.3)
    assert str(found.value) == str(plain.value)


def test_the_instance_hides_a_method(bind):
    bind("MODEL", Model())
    bind("MODELS", {"m": MODEL})
    for fn in (an_object, an_object_in_a_dict):
        same_as_differences(fn, 1.3, 0.7)
        MODEL.at = lambda x: x * x * x
        same_as_differences(fn, 1.3, 0.7)
        MODEL.at = lambda x: 2.0 * x
        same_as_differences(fn, 1.3, 0.7)
        del MODEL.at
        same_as_differences(fn, 1.3, 0.7)


def test_the_class_of_the_object_changes(bind):
    class Steeper(Model):
        def at(self, x):
            return self.a * x * x * 10.0

    bind("MODEL", Model())
    same_as_differences(an_object, 1.3, 0.7)
    MODEL.__class__ = Steeper
    same_as_differences(an_object, 1.3, 0.7)
    MODEL.__class__ = Model
    same_as_differences(an_object, 1.3, 0.7)


def test_the_callee_is_bound_anew(bind):
    bind("weight", weight)
    same_as_differences(a_table_that_a_callee_reads, 1.3, 0.7)
    bind("weight", lambda i: 2.0 * TABLE[1 - i][1])
    same_as_differences(a_table_that_a_callee_reads, 1.3, 0.7)


@pytest.mark.parametrize(
    "fn, name",
    [(a_table_walked, "TABLE"), (a_table_that_a_callee_reads, "TABLE"), (an_object, "MODEL")],
    ids=["a table", "by a callee", "an object"],
)
def test_deleted_between_two_calls(monkeypatch, fn, name):
    before = globals()[name]
    same_as_differences(fn, 1.3, 0.7)
    monkeypatch.delitem(globals(), name)
    with pytest.raises(NameError, match=f"name '{name}' is not defined") as plain:
        fn(1.3, 0.7)
    with pytest.raises(NameError) as found:
        gradient(fn, 1.3, 0.7)
    assert (str(found.value), found.value.name) == (str(plain.value), name)
    monkeypatch.setitem(globals(), name, before)
    same_as_differences(fn, 1.3, 0.7)


NUMBERS = [1.5, 0.5, 2.0]
SHARED = {"rate": 1.5, "n": [0.5, 2.0]}


def read_by_both_names(given):
    return given[0] * NUMBERS[0] + given[1] * NUMBERS[2]


def read_by_the_global_alone(given):
    return NUMBERS[0] * NUMBERS[1]


def written_by_the_argument(given):
    given[0] = given[1] * 3.0
    r = NUMBERS[0] * given[2]
    given[0] = 1.5
    return r


def written_by_the_global(given):
    before = NUMBERS[0]
    NUMBERS[0] = given[1] * 3.0
    r = given[0] * given[2]
    NUMBERS[0] = before
    return r


def asked_whether_the_same(given):
    return given[0] * (2.0 if given is NUMBERS else 3.0)


def a_dict_by_both_names(given):
    return given["rate"] * SHARED["n"][0] + given["n"][1] * SHARED["rate"]


def a_part_by_both_names(given):
    return given[0] * SHARED["n"][0] + given[1] * SHARED["rate"]


@pytest.mark.parametrize(
    "fn, given",
    [
        (read_by_both_names, NUMBERS),
        (read_by_the_global_alone, NUMBERS),
        (written_by_the_argument, NUMBERS),
        (written_by_the_global, NUMBERS),
        (asked_whether_the_same, NUMBERS),
        (a_dict_by_both_names, SHARED),
        (a_part_by_both_names, SHARED["n"]),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_the_same_one_as_argument_and_as_global(fn, given):
    with only_generic():
        expected = value_and_grad(fn)(given)
    assert value_and_grad(fn)(given) == expected
    assert expected[0] == fn(given)


def test_another_one_first_as_argument():
    """A form that is there for two lists is not used where both are one."""
    for fn in (read_by_both_names, written_by_the_argument, asked_whether_the_same):
        with only_generic():
            expected = gradient(fn, NUMBERS), gradient(fn, [2.5, 3.5, 4.5])
        assert gradient(fn, [2.5, 3.5, 4.5]) == expected[1]
        assert gradient(fn, NUMBERS) == expected[0]


FIRST, SECOND = [1.0, 2.0], [3.0, 4.0]


def one_set_and_the_other_read(x):
    FIRST[0] = x * FIRST[1]
    r = SECOND[0] * x
    FIRST[0] = 1.0
    return r


def test_two_globals_that_are_one(bind):
    one, other = FIRST, SECOND
    for first, second in [(one, other), (one, one), (other, one), (other, other)]:
        bind("FIRST", first)
        bind("SECOND", second)
        same_as_differences(one_set_and_the_other_read, 1.3)


def test_two_read_globals_that_are_one(bind):
    def f(x):
        return FIRST[0] * x + SECOND[1] * x * x

    one, other = FIRST, SECOND
    for first, second in [(one, other), (one, one), (other, one), (other, other)]:
        bind("FIRST", first)
        bind("SECOND", second)
        same_as_differences(f, 1.3)


def test_names_in_the_order_in_which_they_are_read():
    def f(x):
        return CONFIG["rate"] * TABLE[0][1] * x + CONFIG["rate"] * STATE["n"] + MODEL.at(x)

    assert held_globals(f) == ("CONFIG", "TABLE", "STATE", "MODEL")


def test_names_that_callees_read():
    assert held_globals(a_table_that_a_callee_reads) == ("TABLE",)
    assert held_globals(an_object_in_a_dict) == ("MODELS",)
    assert held_globals(lambda x: CONFIG["rate"] * weight(0) * x) == ("CONFIG", "TABLE")
    assert held_globals(lambda x: (lambda y: weight(0) * y)(x) * STATE["n"]) == ("TABLE", "STATE")


def test_names_of_parameters_and_locals_are_left_out():
    assert held_globals(a_parameter_of_that_name) == ()
    assert held_globals(a_local_of_that_name) == ("TABLE",)
    TABLE = [("a", 1.0)]

    def captured(x):
        return TABLE[0][1] * x * CONFIG["rate"]

    assert held_globals(captured) == ("CONFIG",)


LIMIT = 2.0


def test_numbers_functions_modules_and_classes_are_no_data():
    assert held_globals(lambda x: np.sin(x) * LIMIT + rate_times({}, x) or Model) == ()


def test_what_is_shown_is_what_runs():
    text = show_source(Request(a_method, ("float",), fused=True))
    assert "def a_method_gradient(x, GAUGE):" in text
    assert "call(" not in text


pytestmark = pytest.mark.order_matters

LIST, DICT, NESTED = [1.0, 2.0], {"w": 2.0}, [[1.0], [2.0]]


class Model_of_given_twice:
    def __init__(self):
        self.items = [1.0, 2.0]


MODEL_of_given_twice = Model_of_given_twice()


def of_a_list(x, a):
    return x * LIST[0] + 10 * a[0]


def of_a_dict(x, a):
    return x * DICT["w"] + 10 * a["w"]


def of_a_part(x, a):
    return x * NESTED[1][0] + 10 * a[0]


def of_an_attribute(x, a):
    return x * MODEL_of_given_twice.items[0] + 10 * a[0]


def by_a_callee(x, a):
    return of_a_list(x, a) + x * x


def inside_another(x, a):
    return x * LIST[0] + 10 * a["p"][0]


def captured(kept):
    return lambda x, a: x * kept[0] + 10 * a[0]


def captured_function(fn):
    return lambda x, a: fn(x, a) * x


CASES = [
    (of_a_list, LIST, [3.0, 4.0]),
    (of_a_dict, DICT, {"w": 3.0}),
    (of_a_part, NESTED[1], [5.0]),
    (of_an_attribute, MODEL_of_given_twice.items, [5.0, 6.0]),
    (by_a_callee, LIST, [3.0, 4.0]),
    (inside_another, {"p": LIST}, {"p": [3.0, 4.0]}),
    (captured(LIST), LIST, [3.0, 4.0]),
    (captured_function(of_a_list), LIST, [3.0, 4.0]),
]


@pytest.mark.parametrize(("f", "shared", "other"), CASES)
def test_the_same_by_every_form_in_any_order(f, shared, other):
    for given in (shared, other, shared, shared, other, shared):
        y, back = whole.run(f, (3.0, given), {}, self_too=False)
        expected = whole.of_scalar(f, back, (3.0, given), (0, 1))
        assert astad.value_and_grad(f, argnums=(0, 1))(3.0, given) == (y, expected)


def test_the_total_is_what_differences_say():
    h = 1e-6
    LIST[0] += h
    above = of_a_list(3.0, LIST)
    LIST[0] -= 2 * h
    below = of_a_list(3.0, LIST)
    LIST[0] += h
    assert astad.gradient(of_a_list, 3.0, LIST)[1][0] == pytest.approx((above - below) / (2 * h))
    assert astad.gradient(of_a_list, 3.0, [1.0, 2.0])[1] == [10.0, 0.0]
