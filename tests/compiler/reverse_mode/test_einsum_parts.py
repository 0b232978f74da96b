"""Cotangents of the operands of einsum: as products of matrices, or as einsum again."""

import itertools

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.compiler.reverse_mode.einsum_parts import as_matmul

from ..numpy_calls import function_of

RNG = np.random.default_rng(4)
LENGTHS = {"i": 2, "j": 3, "k": 4}
ALL = ["i", "j", "ij", "ji", "jk", "kj", "ik", "ki", "ijk"]


@pytest.mark.parametrize(("first", "second"), [*itertools.product(ALL, ALL)])
def test_products_of_matrices_are_the_sums(first, second):
    a, b = (RNG.normal(size=[LENGTHS[each] for each in term]) for term in (first, second))
    letters = "".join(dict.fromkeys(first + second))
    for count in range(len(letters) + 1):
        for out in map("".join, itertools.permutations(letters, count)):
            how = as_matmul(first, second, out)
            if how is None:
                continue
            x, y = (part.T if turn else part for part, turn in zip((a, b), how, strict=False))
            found = y @ x if how[2] else x @ y
            np.testing.assert_allclose(found, np.einsum(f"{first},{second}->{out}", a, b))


CALLS = {
    "einsum('ij,jk->ik', p, q)": [(2, 3), (3, 4)],
    "einsum('ij,kj->ik', p, q)": [(2, 3), (4, 3)],
    "einsum('ij,jk->ki', p, q)": [(2, 3), (3, 4)],
    "einsum('ij,j->i', p, q)": [(2, 3), (3,)],
    "einsum('i,ij->j', p, q)": [(2,), (2, 3)],
    "einsum('i,j->ij', p, q)": [(2,), (3,)],
    "einsum('i,i->', p, q)": [(3,), (3,)],
    "einsum('ij,ij->', p, q)": [(2, 3), (2, 3)],
    "einsum('ij,ij->i', p, q)": [(2, 3), (2, 3)],
    "einsum('ij, ji -> ', p, q)": [(2, 3), (3, 2)],
    "einsum('ij,j->ij', p, q)": [(2, 3), (3,)],
    "einsum('bij,bjk->bik', p, q)": [(2, 2, 3), (2, 3, 2)],
    "einsum('ij,bjk->bik', p, q)": [(2, 3), (2, 3, 2)],
    "einsum('ij,jk->ik', p, p)": [(3, 3), (1,)],
    "einsum('i,ij,j->', q, p, q)": [(3, 3), (3,)],
    "einsum('ij,jk,kl->il', p, q, p, optimize=True)": [(2, 3), (3, 2)],
    "einsum('ij,ij->j', p, q)": [(1, 3), (2, 3)],
    "einsum('ij,ij->ij', p, q)": [(2, 1), (2, 3)],
    "einsum('ij,jk->ik', p, q, optimize=False)": [(0, 3), (3, 2)],
}


@pytest.mark.parametrize("expression", CALLS)
def test_every_form(expression, forms_agree):
    is_number = "->'" in expression or "-> '" in expression
    result = "np.cos(y) * y" if is_number else "np.sum(np.cos(y) * y)"
    fn = function_of(expression, ["p", "q"], result)
    args = [RNG.normal(size=shape) for shape in CALLS[expression]]
    if "ij,ij" in expression and 1 in args[0].shape:  # the other way round as well
        forms_agree(fn, *args[::-1], fused=True)
    forms_agree(fn, *args, fused=True)


OPEN = [
    "einsum('ii,ij->j', p, q)", "einsum('ij,k->ik', p, q)", "einsum('ij,jk', p, q)",
    "einsum('i...,i...->...', p, q)", "einsum('ij,jk->ik', p, q, optimize='greedy')",
    "einsum(name, p, q)", "einsum('ij,jk->ik', p, q, dtype=float)",
]  # fmt: skip


@pytest.mark.parametrize("expression", OPEN)
def test_the_others_are_dispatched(expression):
    fn = function_of(expression, ["p", "q", "name"], "np.sum(y)")
    kinds = [parse_kind(kind) for kind in ("ndarray2", "ndarray2", "inert")]
    compiled = compile_function(fn, kinds, [True, True, False], fused=True)
    assert compiled.form == "pair"


def test_text_of_a_product():
    fn = function_of("einsum('ij,jk->ik', p, q)", ["p", "q"], "np.sum(y * y)")
    text = compile_function(fn, [parse_kind("ndarray2")] * 2, [True] * 2, fused=True).text.source
    assert "fitted(y_bar @ q.T, p.shape)" in text
    assert "fitted(p.T @ y_bar, q.shape)" in text
