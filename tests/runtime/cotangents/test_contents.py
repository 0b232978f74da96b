"""Arrays of other classes, whose own methods may refuse, have a fingerprint as well."""

import numpy as np

from astad import pullback
from astad.runtime.cotangents.contents import fingerprint


class Loud(np.ndarray):
    def tobytes(self, order="C"):
        raise AttributeError("not to be read")


def test_a_result_beside_numpys_mark_of_what_is_masked():
    (y, mark), back = pullback(lambda x: (x * x, np.ma.masked), 3.0)
    assert (y, mark is np.ma.masked, back((1.0, None))) == (9.0, True, (6.0,))


def test_a_class_with_a_method_of_its_own():
    loud = np.arange(3.0).view(Loud)
    before = fingerprint(loud)
    assert before == fingerprint(np.arange(3.0))
    loud[1] = 5.0
    assert fingerprint(loud) != before
