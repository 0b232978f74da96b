"""The gradient of a number has its kind, whichever form answers, in the first call and later."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from astad import gradient, pullback, value_and_grad
from tests.compiler.forms import only_generic


def by_math_of_arrays(x, y):
    return np.hypot(x, y) * np.sqrt(x) + float(np.sum(np.array([x, y]) ** 2))


def by_power(x, y):
    return abs(x**y)


class Rating:
    def __init__(self, mean, spread):
        self.mean, self.spread = mean, spread

    def against(self, other):
        return np.exp(-((self.mean - other) ** 2) / np.sqrt(self.spread))


def by_an_object(x, y):
    return Rating(x, y).against(1.0)


def of_a_list(xs, y):
    return sum(np.sin(x) * y for x in xs)


@pytest.mark.parametrize("f", [by_math_of_arrays, by_power, by_an_object])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_of_two_numbers(f, kind):
    args = kind(1.3), kind(0.7)
    bars = [gradient(f, *args), value_and_grad(f, (0, 1))(*args)[1]]
    bars += [pullback(f, *args)[1](1.0) for _ in range(3)]
    with only_generic():
        bars.append(gradient(f, *args))
    if kind is float:
        assert {type(bar) for each in bars for bar in each} == {float}
    for each in bars:
        np.testing.assert_allclose(each, bars[0], rtol=1e-12)


def test_of_parts():
    for _ in range(3):
        (parts, bar) = pullback(of_a_list, [0.5, np.float32(0.25), 1.0], 2.0)[1](1.0)
        assert [type(part) for part in (*parts, bar)] == [float, np.float32, float, float]
        (inner,) = gradient(lambda p: np.sqrt(p["a"][0]) * p["b"], {"a": (4.0,), "b": 1.0})
        assert type(inner["a"][0]) is float and inner["a"][0] == 0.25
        record = gradient(lambda r: r.against(1.0), Rating(2.0, 4.0))[0]
        assert type(record.mean) is float and type(record.spread) is float
        assert type(gradient(lambda z: np.abs(z) ** 2, 1.0 + 2.0j)[0]) is complex


def test_in_a_fresh_process(tmp_path):
    path = tmp_path / "ratings.py"
    path.write_text(
        textwrap.dedent(
            """
            import math
            import astad

            class Player:
                def __init__(self, rating, deviation):
                    self.rating, self.deviation = (rating - 1500) / 173.7, deviation / 173.7

                def play(self, others):
                    v = d = 0.0
                    for other in others:
                        g = 1 / math.sqrt(1 + 3 * other**2 / math.pi**2)
                        e = 1 / (1 + math.exp(-g * (self.rating - other)))
                        v, d = v + g**2 * e * (1 - e), d + g * (1 - e)
                    self.deviation = 1 / math.sqrt(1 / pow(self.deviation, 2) + v)
                    self.rating += self.deviation**2 * d

            def rated(rating, deviation):
                player = Player(rating, deviation)
                player.play([0.1, -0.3])
                return player.rating

            if __name__ == "__main__":
                for _ in range(3):
                    bars = astad.pullback(rated, 1400.0, 200.0)[1](1.0)
                    assert [type(bar) for bar in bars] == [float, float], bars
            """
        )
    )
    subprocess.run([sys.executable, path], check=True, timeout=120)
