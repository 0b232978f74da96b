"""The module cmath: holomorphic functions, modulus and phase."""

import cmath

import pytest

from tests.conformance.harness import conforms

FUNCTIONS = [
    cmath.exp, cmath.log, cmath.log10, cmath.sqrt, cmath.sin, cmath.cos, cmath.tan, cmath.sinh,
    cmath.cosh, cmath.tanh, cmath.asin, cmath.acos, cmath.atan, cmath.asinh, cmath.acosh,
    cmath.atanh,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_of_a_complex_number(function):
    def program(z, x):
        return function(z * 1.0) * z + function(complex(x, 0.25)).imag

    conforms(program, 0.6 + 0.3j, 0.4)
    conforms(program, -0.4 - 1.2j, 0.7)


def logarithm_to_a_base(z, b):
    return cmath.log(z, b)


def there_and_back(z):
    modulus, phase = cmath.polar(z)
    return cmath.rect(modulus * 2.0, phase + 0.5) + modulus


def phase_alone(x, y):
    return cmath.phase(complex(x, y)) * x


def modulus_alone(z):
    return cmath.polar(z)[0]


def of_a_real_number(x):
    return cmath.sqrt(-x).imag + cmath.exp(x).real


def roots(a, b, c):
    root = cmath.sqrt(b * b - 4 * a * c)
    first, second = (-b + root) / (2 * a), (-b - root) / (2 * a)
    return abs(first) * (first.imag if cmath.isfinite(second) else 0.0) + second.real


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (logarithm_to_a_base, (0.6 + 0.3j, 1.5 - 0.2j)),
        (there_and_back, (0.6 - 0.8j,)),
        (phase_alone, (-0.6, 0.8)),
        (modulus_alone, (1.5 + 2.0j,)),
        (of_a_real_number, (1.7,)),
        (roots, (1.0, 0.7, 2.0)),
        (roots, (1.0, 3.0, 0.5)),
    ],
)
def test_programs(program, args):
    conforms(program, *args)
