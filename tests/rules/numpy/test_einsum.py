import numpy as np
import pytest

from astad.rules import lookup
from astad.rules.numpy.einsum import letters


@pytest.mark.parametrize(
    "text, ranks, wanted",
    [
        ("ij,jk", [2, 2], (["ij", "jk"], "ik")),
        ("ba", [2], (["ba"], "ab")),
        ("ii", [2], (["ii"], "")),
        ("i...,...->i...", [3, 1], (["iAB", "B"], "iAB")),
        ("...A,...", [2, 2], (["CA", "BC"], "BCA")),
    ],
)
def test_letters_of_operands_and_result(text, ranks, wanted):
    assert letters(text, ranks) == wanted


def test_lists_of_axes_instead_of_text_are_refused():
    rule = lookup(np.einsum)
    assert rule.refuses(rule.bind((np.ones((2, 2)), [0, 0]), {}))
    assert not rule.refuses(rule.bind(("ii", np.ones((2, 2))), {}))
