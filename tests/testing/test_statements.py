"""Cotangents by statement: which are noted, and which is the first that differs."""

import math

from astad import gradient, settings
from astad.api.variants.generated import OBSERVERS
from astad.runtime.core.variants import forget_all
from astad.testing.statements import Formed, first_difference, noting, with_notes


def formed_by(f, *args, generic=False):
    formed = []
    observe = noting(formed)
    OBSERVERS.append(observe)
    forget_all()
    settings.only_generic = generic
    try:
        return gradient(f, *args), formed
    finally:
        settings.only_generic = False
        OBSERVERS.remove(observe)
        forget_all()


def doubled(x, n):
    y = x
    for _ in range(n):
        y = math.sin(y) * 2.0
    return y


def test_both_texts_note_the_cotangents_of_a_line():
    right = gradient(doubled, 0.5, 3)
    line = f"{doubled.__code__.co_filename}:{doubled.__code__.co_firstlineno + 3}"
    notes = []
    for generic in (False, True):
        found, formed = formed_by(doubled, 0.5, 3, generic=generic)
        assert found == right
        notes.append([each.value for each in formed if (each.line, each.name) == (line, "y_bar")])
    assert len(notes[0]) >= 3
    assert all(any(math.isclose(a, b) for b in notes[1]) for a in notes[0])


def test_the_first_that_differs_is_found():
    def equal(a, b):
        return a == b

    ours = [Formed("f.py:3", "y_bar", 1.0), Formed("f.py:2", "y_bar", 2.0)]
    theirs = [Formed("f.py:3", "y_bar", 1.0), Formed("f.py:2", "y_bar", 3.0)]
    assert first_difference(ours, ours, equal) is None
    assert first_difference(ours, theirs, equal) == (ours[1], [3.0])
    assert first_difference(ours, [], equal) is None


def test_notes_stand_in_every_block():
    text = (
        "def f(a):\n"
        "    for i in a:\n"
        "        if i:\n"
        "            x_bar = i\n"
        "        else:\n"
        "            x_bar, y_bar = i\n"
        "    return x_bar\n"
    )
    codes, noted = with_notes(text, {4: "f.py:2", 6: "f.py:3"})
    assert [code.co_name for code in codes] == ["f"]
    assert noted.count("__note('f.py:2', 'x_bar', x_bar)") == 1
    assert noted.count("__note('f.py:3'") == 2
