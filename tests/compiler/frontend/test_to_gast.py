"""The tree that the compiler reads is the one gast makes."""

import ast
import statistics
from pathlib import Path

import gast
import pytest

from astad.compiler.frontend.to_gast import to_gast

HERE = Path(__file__)
TEXTS = {
    "this file": HERE.read_text(encoding="utf-8"),
    "a module of Python's own": Path(statistics.__file__).read_text(encoding="utf-8"),
    "patterns": "match x:\n    case [1, *r] if r: y = -1\n    case P(a=None) | {'k': _, **s}: pass",
    "asynchronous": "async def f(*a, k: int = 1, **m):\n    async for x in [y async for y in z]: w",
    "handlers": "try: a\nexcept (A, B) as e: raise C from e\nelse: b\nfinally: del c[0]",
    "operators": "x = a @ b ** -c if not d else (e and f or g) in h is not i < j <= k",
    "texts": "s = f'{a!r:>{w}} {b}'; t = b'\\0', 1j, ...",
    "slices": "a[1:, ::2, ...] += b[()]; (y := c[-1]); lambda p, /, q=2: p",
}  # fmt: skip


@pytest.mark.parametrize("title", TEXTS)
def test_it_is_the_tree_that_gast_makes(title):
    tree = ast.parse(TEXTS[title])
    expected = gast.dump(gast.ast_to_gast(tree), include_attributes=True)
    assert gast.dump(to_gast(tree), include_attributes=True) == expected
