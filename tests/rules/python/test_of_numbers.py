"""The forms for numbers alone, as expressions, against the differences of the functions."""

import math

import numpy as np
import pytest

from astad.rules.python import of_numbers
from astad.rules.python.of_numbers import NAMES, parts_of, share

CASES = [
    (max, (0.7, 1.3)),
    (max, (0.7, 1.3, -0.4)),
    (min, (0.7, 1.3, -0.4, 2.0)),
    (math.hypot, (0.7,)),
    (math.hypot, (0.7, -1.3, 0.2)),
    (math.log, (2.5, 3.5)),
    (np.clip, (0.7, 0.0, 1.0)),
    (np.clip, (-0.7, 0.1, 1.0)),
    (np.clip, (2.7, 0.0, 1.0)),
]


def parts(fn, point, y_bar):
    values = vars(of_numbers) | dict(zip(NAMES, point, strict=False))
    values |= {"y": fn(*point), "y_bar": y_bar}
    return [eval(text, values) for text in parts_of(fn, len(point))]


@pytest.mark.parametrize(("fn", "point"), CASES)
def test_against_differences(fn, point):
    for place, part in enumerate(parts(fn, point, 1.5)):

        def along(t, place=place):
            return float(fn(*point[:place], t, *point[place + 1 :]))

        h = 1e-5
        slope = (along(point[place] + h) - along(point[place] - h)) / (2 * h)
        assert part == pytest.approx(1.5 * slope, abs=1e-8)


def test_equal_numbers_share():
    assert parts(max, (2.0, 2.0), 3.0) == [1.5, 1.5]
    assert parts(min, (2.0, 5.0, 2.0), 3.0) == [1.5, 0.0, 1.5]
    assert parts(max, (2.0, 2.0, 2.0, 2.0), 1.0) == [0.25] * 4
    assert share(1.0, 1, min, 3.0, 3.0, 4.0) == 0.5


def test_there_is_none_for_other_counts():
    assert parts_of(max, 1) is None and parts_of(math.log, 1) is None
    assert parts_of(max, len(NAMES) + 1) is None and parts_of(math.sin, 1) is None
    assert parts_of(np.clip, 2) is None
