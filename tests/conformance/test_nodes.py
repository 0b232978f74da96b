"""Every kind of node of the interpreter's own `ast`, inside a differentiated function."""

import pytest

from tests.conformance.harness import conforms

COUNTER = [0]


def subscripts_and_slices(x, y):
    a = [x, y, x * y]
    b = a[::-1]
    a[0:1] = [b[0] * 2, b[1]]
    return a[0] * a[-1] + sum(b[:2])


def writes_a_global_list(x):
    COUNTER[0] += 1
    return x * x


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (subscripts_and_slices, (1.2, 0.7)),
        (writes_a_global_list, (1.5,)),
    ],
)
def test_node(program, args):
    conforms(program, *args)
