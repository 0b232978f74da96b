"""Kinds of containers as text, as `astad.show --kinds` takes them."""

import pytest

from astad.compiler.ir.containers import read_kind, split_kinds
from astad.show import main

TEXTS = [
    "[float, ndarray1]",
    "(float,)",
    "{'W': ndarray2, 3: [float, ...]}",
    "object('line:Line', slope=float, ends=(float, float))",
    "[(int, float), ...]",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_read_has_its_text_again(text):
    assert read_kind(text).text == text


@pytest.mark.parametrize(
    "text", ["[float", "[1.5]", "{float: float}", "{**W}", "{0.0: float}", "f(x)", "nothing"]
)
def test_what_is_no_kind(text):
    with pytest.raises(KeyError):
        read_kind(text)
    assert split_kinds("float, [int") == ("float", "[int")


def test_command_line_names_what_is_no_kind(capsys):
    assert main(["astad.show.main", "--kinds", "[float, 2.5]"]) == 2
    assert "2.5" in capsys.readouterr().err
