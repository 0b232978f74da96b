"""Calls bound to the parameters of a rule."""

from astad.rules.signature import Signature


def test_keywords_and_defaults_take_their_places():
    signature = Signature("a, axis=None, out=None, *, keepdims=False", {})
    assert signature.bind((1,), {"keepdims": True}) == [1, None, None, True]
    assert signature.bind((1, 0), {}) == [1, 0, None, False]


def test_defaults_are_evaluated_where_the_rule_stands():
    assert Signature("a, axes=(-2, K)", {"K": -1}).defaults == {"axes": (-2, -1)}


def test_call_leaves_defaults_out():
    signature = Signature("a, axis=None, out=None, *, keepdims=False", {})
    assert signature.call_arguments([1, None, None, False]) == ([1], {})
    assert signature.call_arguments([1, None, 2, True]) == ([1], {"out": 2, "keepdims": True})
    assert Signature("*xs", {}).call_arguments([(1, 2)]) == ([1, 2], {})


def test_what_the_signature_does_not_name():
    signature = Signature("x1, x2", {})
    assert signature.unknown((1, 2), {"dtype": float}) == []
    assert signature.unknown((1, 2, 3), {"where": True}) == ["where", "out"]
