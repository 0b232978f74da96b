import numpy as np
import pytest

import astad
from astad.errors import Unsupported
from astad.runtime.core.full_rules import (
    FULL,
    INERT,
    descriptor_of,
    flows,
    full,
    inert,
    lookup_in_class,
    opaque,
    python_method,
)
from astad.runtime.cotangents.shadows import Shadows


def test_what_flows_by_value():
    assert all(map(flows, (1.0, 2, 1j, np.float32(1), np.int8(1))))
    assert not any(map(flows, (True, "a", None, [1.0], np.zeros(1), np.bool_(True), len)))


def test_a_rule_by_names_gives_one_cotangent_per_operand():
    def scaled(x, by=1.0, label=""):
        return x * by

    def pull_scaled(shadows, y_bar, x, by):
        return {"x": y_bar * by, "by": y_bar * x}

    @full(scaled, names="x by")
    def forward(versions, x, by=1.0, label=""):
        return x * by, (pull_scaled, x, by)

    rule = FULL.pop(id(scaled))
    for args, keywords, wanted in (
        ((3.0,), {}, [2.0]), ((3.0, 2.0), {}, [4.0, 6.0]),
        ((3.0,), {"label": "a", "by": 2.0}, [4.0, None, 6.0]),
        ((3.0, 2.0, "a"), {}, [4.0, 6.0, None]),
    ):  # fmt: skip
        y, record = rule(None, *args, **keywords)
        assert list(record[0](Shadows(), 2.0, *record[1:])) == wanted


def test_inert_callables_are_held():
    def fn():
        pass

    inert([fn])
    assert INERT.pop(id(fn)) is fn


def test_methods_written_in_python():
    class Child(list):
        def append(self, v):
            pass

    assert python_method(Child, "append") is Child.append
    assert python_method(Child, "pop") is None
    assert lookup_in_class(Child, "pop") is list.pop
    assert lookup_in_class(Child, "nothing") is None


def test_the_descriptor_behind_a_bound_method():
    class Child(list):
        def append(self, v):
            pass

    child = Child()
    assert descriptor_of(super(Child, child).append) == (list.append, child)
    assert descriptor_of(super(Child, child).__init__) == (list.__init__, child)
    assert descriptor_of(np.zeros(2).fill)[0] is np.ndarray.fill
    assert descriptor_of(dict.fromkeys) == (dict.__dict__["fromkeys"], dict)
    assert descriptor_of(tuple.__new__) == (tuple.__new__, None)


def test_a_refusal_goes_to_the_operands_or_is_raised():
    a = np.ones(2)
    record = opaque("f", 2.0, (1.0, a, "text"))
    assert record[0](Shadows(), None, *record[1:]) is None
    shadows = Shadows()
    x_bar, a_bar, text_bar = record[0](shadows, 1.0, *record[1:])
    assert a_bar is None and text_bar is None
    for refused in (x_bar, shadows.take(a)):
        with pytest.raises(Unsupported, match="f: a derivative through this"):
            refused.ask()
    record = opaque("f", 2.0)
    with pytest.raises(Unsupported):
        record[0](Shadows(), 1.0, *record[1:])


def test_a_refusal_sees_what_the_result_holds():
    part = np.ones(2)
    record = opaque("f", [[part], 1.0])
    shadows = Shadows()
    shadows.add(part, np.ones(2))
    with pytest.raises(Unsupported):
        record[0](shadows, None, *record[1:])


def test_counts_and_text_are_never_refused():
    assert all(opaque("f", y) is None for y in (1, "a", None, True, np.int64(2), len))


def test_a_tuple_of_counts_from_unknown_code_is_constant():
    assert opaque("f", (2, "d", None)) is None and opaque("f", ()) is None
    assert opaque("f", (2, 1.0)) is not None


def test_what_a_memoryview_tells_of_its_shape():
    def f(a):
        shown = memoryview(a)
        told = (shown.ndim, *shown.shape, *shown.strides, shown.itemsize, shown.nbytes)
        return np.sum(a**2) * sum(told) * len(shown.format)

    (bar,) = astad.gradient(f, np.array([1.0, 2.0]))
    assert bar.tolist() == [2 * 35.0, 4 * 35.0]
