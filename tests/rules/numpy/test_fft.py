import numpy as np
import pytest

from astad.rules import lookup


@pytest.mark.parametrize("norm", [None, "backward", "forward", "ortho"])
@pytest.mark.parametrize("n", [4, 5])
def test_transform_of_a_real_signal_has_a_real_cotangent(norm, n):
    a = np.arange(5.0)
    rule = lookup(np.fft.rfft)
    seed = np.arange(n // 2 + 1) + 1j
    found = rule.pull(("a",))(seed, None, *rule.bind((a, n), {"norm": norm}))[0]
    assert found.dtype == float
    assert found.shape == (5,)
    assert n == 5 or found[4] == 0  # what was cut off


def test_axes_named_backwards():
    a = np.arange(12.0).reshape(3, 4)
    rule = lookup(np.fft.fftn)
    first = rule.pull(("a",))(a, None, *rule.bind((a,), {"axes": (-1, 0)}))[0]
    np.testing.assert_allclose(first, rule.pull(("a",))(a, None, *rule.bind((a,), {}))[0])
