"""Builtin functions of numbers."""

from astad.rules import lookup


def test_int_of_an_int_passes_and_of_a_float_stops():
    pull = lookup(int).pull(("x",))
    assert pull(1, 3, 3) == (1,)
    assert pull(1, 3, 3.5) == (0,)


def test_parts_of_a_complex_number():
    real, imag = lookup(complex).pull(("real", "imag"))(2 + 3j, 1 + 5j, 1.0, 5.0)
    assert real.real == 2 and imag.real == 3


def test_round_is_constant():
    assert lookup(round).form == "zero"
