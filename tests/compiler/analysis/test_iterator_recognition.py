"""Loops over zip, enumerate and reversed that are not taken apart, or that Python refuses.

Which statements take an array apart as one operation.
"""

import pytest

from astad import gradient
from astad.compiler.analysis.iterator_recognition import find_unpackings
from astad.compiler.lower.function import program_of


def test_items_that_are_not_unpacked_at_once(forms_agree):
    def pairs_in_a_count(xs, q):
        s = 0.0
        for i, pair in enumerate(zip(xs, xs)):
            s = s + pair[0] * i + q[0]
        return s

    def the_last_pair(xs, q):
        for pair in zip(xs, xs):
            a, b = q
        return pair[0] * a * b

    for fn in (pairs_in_a_count, the_last_pair):
        forms_agree(fn, [1.0, 2.0], [2.0, 3.0])


def test_what_python_refuses():
    def three_arguments(xs):
        return [x for i, x in enumerate(xs, 1, 2)][0]

    def by_a_loop(xs):
        s = 0.0
        for i, x in enumerate(xs, 1, 2):
            s = s + x
        return s

    def too_many_names(xs):
        s = 0.0
        for i, (a, b) in enumerate(zip(xs, xs, xs)):
            s = s + a
        return s

    for fn in (three_arguments, by_a_loop):
        with pytest.raises(TypeError, match="at most 2 arguments"):
            gradient(fn, [1.0, 2.0])
    with pytest.raises(ValueError, match="too many values to unpack"):
        gradient(too_many_names, [1.0, 2.0])


def targets(text):
    found = {unpacking.targets for unpacking in find_unpackings(program_of(text)).values()}
    return sorted(found)


def test_parts_of_a_name():
    assert targets("x, y = v") == [("x", "y")]
    assert targets("if a:\n    x, y = v\nelse:\n    x, z = v") == [("x", "y"), ("x", "z")]


def test_what_is_more_than_that():
    assert targets("x, *y = v") == []
    assert targets("x, v = v") == []
