import numpy as np
import pytest

from astad.rules import lookup
from astad.rules.numpy.renamed import KnownAsY


def test_callers_say_y_and_formulas_do_not():
    signature = KnownAsY("values, x=None, dx=1.0", {}, "values")
    assert signature.bind((), {"y": 2.0, "dx": 0.5}) == [2.0, None, 0.5]
    assert signature.bind((2.0, 3.0), {}) == [2.0, 3.0, 1.0]
    assert signature.unknown((), {"y": 2.0, "z": 1.0}) == ["z"]


def test_a_name_that_no_signature_has():
    with pytest.raises(AttributeError, match="colour"):
        KnownAsY("values", {}, "values").colour


def test_an_area_whose_heights_are_given_by_name():
    rule = lookup(np.trapezoid)
    heights = np.array([1.0, 2.0, 4.0])
    values = rule.bind((), {"y": heights, "dx": 2.0})
    assert rule.pull(("values",))(1.0, None, *values)[0].tolist() == [1, 2, 1]
    args, keywords = rule.signature.call_arguments(values)
    assert np.trapezoid(*args, **keywords) == np.trapezoid(heights, dx=2.0)
