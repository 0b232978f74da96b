"""Draws whose parameters count: the derivative with the state of the source held fixed, and the
numbers of the plain run.
"""

import numpy as np
import pytest

import astad
from astad import gradient, pullback
from astad.errors import Unsupported

from ...compiler.forms import only_generic


def generator():
    return np.random.default_rng(3)


def old_state():
    return np.random.RandomState(5)


def mersenne():
    return np.random.Generator(np.random.MT19937(2))


def scaled_noise(rng, x):
    return np.sum(x**2) * rng.normal(0, x[0])


def without_width(rng, x):
    return x[1] + rng.normal(x[0], x[2] - 2.25)


def of_a_size(rng, x):
    return np.sum(rng.normal(x[1], x[0], 4) ** 2) + np.sum(rng.normal(x[0], size=(2, 3)) ** 2)


def by_keywords(rng, x):
    return np.sum(rng.normal(scale=x, loc=2.0, size=(2, 3)) ** 2) * rng.standard_normal()


def of_arrays(rng, x):
    return np.sum(rng.normal(x, x**2) ** 2) + np.sum(rng.normal(x[:, None], [x[0], x[1]]) ** 2)


def between(rng, x):
    return np.sum(rng.uniform(x[0], x[1], 4) ** 2) + rng.uniform(high=x[2]) ** 2


def waiting(rng, x):
    return np.sum(rng.exponential(x[0], 4) ** 2) + rng.exponential(scale=x[1]) * rng.rayleigh(x[2])


def others(rng, x):
    total = rng.laplace(x[0], x[1]) * rng.gumbel(x[1], x[0]) + rng.logistic(x[2], x[1]) ** 2
    return total + rng.lognormal(x[0], x[1]) + np.sum(rng.lognormal(sigma=x) ** 2)


def of_a_shape(rng, x):
    total = rng.gamma(2.0, x[0]) * rng.gamma(shape=0.5, scale=x[1]) + rng.gamma(3.0) * x[2]
    return total + np.sum(rng.gamma([0.7, 1.0, 2.5], x, (2, 3)) ** 2) + np.sum(rng.gamma(2, x, 3))


def walk(rng, x):
    place, where = x[0], []
    for k in range(5):
        place = place + rng.normal(0.1 * place, x[1]) * 0.3
        where.append(place)
    return sum(each**2 for each in where) * x[2]


def by_branch(rng, x):
    step = rng.normal(x[0], x[1])
    return step**2 * x[2] if step > 0 else -step * x[1]


def by_the_class(rng, x):
    return type(rng).normal(rng, x[0], x[1]) ** 2


def written_over(rng, x):
    mean = x * 1.0
    drawn = rng.lognormal(mean, x[0], 3)
    mean[:] = 5.0
    total = np.sum(drawn**2)
    drawn *= x[1]
    return total + np.sum(drawn) + np.sum(mean)


SOURCES = [generator, old_state, mersenne]
PROGRAMS = [
    scaled_noise,
    without_width,
    of_a_size,
    by_keywords,
    of_arrays,
    between,
    waiting,
    others,
    of_a_shape,
    walk,
    by_branch,
    by_the_class,
    written_over,
]
X = np.array([0.31, 1.72, 2.25])
X_WIDE = np.array([0.31, 1.72, 3.25])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f, source):
    def run(x):
        return f(source(), x)

    x = X_WIDE if f is without_width else X
    expected = [(run(x + step) - run(x - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gradient(run, x.copy())[0], expected, rtol=1e-6, atol=1e-6)
    with only_generic():
        y, back = pullback(run, x.copy())
    np.testing.assert_allclose(back(1.0)[0], expected, rtol=1e-6, atol=1e-6)
    assert y == run(x)


def test_a_width_of_zero():
    def run(width):
        return generator().normal(2.0, width)

    assert gradient(run, 0.0) == (pytest.approx(generator().standard_normal()),)


def test_the_source_goes_on_as_in_the_plain_run():
    def run(rng, width):
        drawn = rng.normal(0.3, width, 3)
        return drawn, rng.random(), rng.normal(width)

    plain, followed = generator(), generator()
    expected = run(plain, 1.7)
    (drawn, *numbers), _ = pullback(lambda width: run(followed, width), 1.7)
    assert np.array_equal(drawn, expected[0]) and numbers == list(expected[1:])
    assert plain.bit_generator.state == followed.bit_generator.state


def test_the_functions_of_the_module():
    def run(x):
        np.random.seed(4)
        return np.random.normal(x, x * x) + np.sum(np.random.uniform(0.0, x, 3))

    expected = (run(1.3 + 1e-6) - run(1.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(gradient(run, 1.3)[0], expected, rtol=1e-7)


def test_a_shape_of_a_distribution_is_refused():
    with pytest.raises(Unsupported, match="gamma"):
        gradient(lambda k: generator().gamma(k), 1.5)
    with pytest.raises(Unsupported, match="by shape of what was drawn"):
        gradient(lambda x: generator().gamma(x[0], x[1]), np.array([1.5, 2.0]))
    with pytest.raises(Unsupported, match="by shape of what was drawn"):
        gradient(lambda x: np.sum(generator().gamma(x, x[0])), np.array([1.5, 2.0]))
    by_scale = astad.grad(lambda k, s: generator().gamma(k, s), 1)(1.5, 2.0)
    assert by_scale == pytest.approx(generator().gamma(1.5))


def test_errors_are_those_of_the_plain_run():
    with pytest.raises(ValueError, match="scale < 0"):
        gradient(lambda s: generator().normal(0.0, s), -1.0)
    with pytest.raises(TypeError):
        gradient(lambda s: generator().normal(0.0, width=s), 1.0)


def test_bits_of_ones_own_that_cannot_be_made_again():
    class Bits(np.random.PCG64):
        def __init__(self, first, second):
            super().__init__(first + second)

    with pytest.raises(Unsupported, match="normal"):
        gradient(lambda s: np.random.Generator(Bits(1, 2)).normal(0.0, s), 1.0)
