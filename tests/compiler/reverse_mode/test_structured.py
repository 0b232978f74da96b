"""Rules written out in place, each against the generic pair and differences, in every form.

Cotangents of the operands of einsum: as products of matrices, or as einsum again.

Arrays made of elements, elements of arrays that a loop carries.

Arrays: operators with broadcasting on either side, products, sums, in every form.
"""

import itertools
import operator
import re
import warnings

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.compiler.reverse_mode.structured import as_matmul
from astad.runtime.core.variants import variants_of

from ..numpy_calls import CLAIMED, KINDS, SUBSCRIPTS, function_of, text_of

DISPATCHED = ("take(v, [", "reshape(a, (n", "sinc", "polyval", "arange(0, x", "atleast",
              "axis=()", "full(n", "full((", "full_like", "linspace", "broadcast_to", "n - n",
              "zeros([")  # fmt: skip


def arguments():
    rng = np.random.default_rng(7)
    base = rng.uniform(0.5, 1.5, (3, 3))
    return {
        "v": rng.uniform(0.5, 1.5, 3),
        "u": rng.uniform(0.5, 1.5, 3),
        "a": rng.uniform(0.5, 1.5, (3, 3)),
        "b": np.array(rng.uniform(0.5, 1.5, (3, 3)), order="F"),
        "m": base + 3 * np.eye(3),
        "q": base @ base.T + 3 * np.eye(3),
        "t": rng.uniform(0.5, 1.5, (3, 3, 3)),
        "x": 1.25,
        "r": np.float64(0.5),
        "n": 3,
    }


def case(expression):
    """The function, a weighted sum of the result, and its arguments; None where it raises."""
    text, given = text_of(expression), arguments()
    names = [name for name in KINDS if re.search(rf"(?<![\w.]){name}(?!\w)", text)]
    try:
        plain = eval(text, {"np": np, **given})
    except ValueError:
        return None
    result = "np.sum(np.sin(y))" if np.ndim(plain) else "np.sin(y)"
    return function_of(expression, names, result), [given[name] for name in names]


@pytest.mark.parametrize(
    "expression", [each for each in CLAIMED + SUBSCRIPTS if "empty" not in each]
)
def test_every_form_agrees(forms_agree, expression):
    found = case(expression)
    if found is None:
        pytest.skip("not for square arrays")
    fn, args = found
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if not expression.startswith("linalg.cholesky"):  # differences leave the symmetric ones
            forms_agree(fn, *args)
        gradient(fn, *args)
    if not any(each in expression for each in DISPATCHED):
        assert any(variants_of(fn).fused.values())


def test_cholesky_of_what_stays_symmetric(forms_agree):
    def f(a):
        low = np.linalg.cholesky(a @ a.T + 3.0 * np.eye(3))
        return np.sum(np.sin(low)) + np.sum(np.log(np.diag(low)))

    forms_agree(f, arguments()["a"], fused=True)


SHAPES = [(3,), (1,), (2, 3), (1, 3), (2, 1), (1, 1), (4, 2, 3), (4, 1, 1), (0,), (2, 0), (0, 3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_of_every_shape(forms_agree, shape):
    a = np.random.default_rng(1).uniform(0.5, 1.5, shape)

    def last(a):
        return np.sum(np.sin(a * np.sum(a, axis=-1, keepdims=True)))

    def first(a):
        s = np.sum(a, axis=0)
        return np.sum(a * a * s) + np.sum(s * 3.0)

    def whole(a):
        return np.sum(a) * 2.0 + np.sum(a + a) + np.sum(-a) + np.mean(np.zeros(2) + 1.0)

    for f in (last, first, whole):
        forms_agree(f, a)


@pytest.mark.parametrize("first", SHAPES, ids=str)
@pytest.mark.parametrize("second", SHAPES, ids=str)
def test_sums_of_what_broadcasts(forms_agree, first, second):
    """The cotangent of a sum stays a number until it meets an array."""
    rng = np.random.default_rng(2)
    a, b = rng.uniform(0.5, 1.5, first), rng.uniform(0.5, 1.5, second)
    try:
        np.broadcast_shapes(first, second)
    except ValueError:
        return

    def added(a, b):
        return np.sum(a + b) + np.sum(2.0 * (a - b)) + np.sum(np.sum(a + b, keepdims=True))

    def multiplied(a, b):
        return np.sum(a * b) + np.sum(-(a * b), axis=None, keepdims=True)[(0,) * (a * b).ndim]

    forms_agree(added, a, b)
    forms_agree(multiplied, a, b)


def test_a_cotangent_that_two_arrays_share_is_not_written(forms_agree):
    def f(a, b):
        c = a + b
        d = np.concatenate([c, a])
        e = d.reshape(2, -1).T
        return np.sum(e * e) + np.sum(c[1:] * a[:-1]) + np.sum(d)

    rng = np.random.default_rng(3)
    forms_agree(f, rng.uniform(0.5, 1.5, 3), rng.uniform(0.5, 1.5, 3), fused=True)


def test_views_in_a_loop(forms_agree):
    def f(a, n):
        s = np.zeros(2)
        for _ in range(n):
            s = s + np.sum(a.T, axis=0) * s + a[0]
            a = np.swapaxes(a, 0, 1) * 0.5
        return np.sum(s)

    for trips in (0, 1, 3):
        forms_agree(f, np.array([[0.5, 1.0], [1.5, 2.0]]), trips)


def test_a_list_that_is_joined_twice(forms_agree):
    def f(a, b):
        parts = [a, b]
        return np.sum(np.sin(np.concatenate(parts))) + np.sum(np.stack(parts) ** 3)

    forms_agree(f, np.array([1.0, 2.0]), np.array([3.0, 4.0]))


def test_items_bound_anew_between_display_and_join(forms_agree):
    def f(a, b):
        parts = (a, b)
        a = a[:1] * 2.0
        return np.sum(np.sin(np.concatenate(parts))) + np.sum(a)

    forms_agree(f, np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]))


def test_a_gradient_of_an_array_is_an_array():
    def f(a):
        return np.sum(a * 2.0)

    assert gradient(f, np.ones(2))[0].tolist() == [2, 2]
    assert gradient(f, np.ones((2, 1)))[0].tolist() == [[2], [2]]


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
            found = eval(how, {"a": a, "b": b})
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


X = np.array([0.5, -1.5, 0.25])


def test_an_array_of_numbers(forms_agree):
    def f(a, b):
        v = np.array([a * b, 2.0, a, 1, a])
        return np.sum(v * v * v)

    forms_agree(f, 0.5, -1.5, fused=True)
    forms_agree(f, np.float64(0.5), -1.5)


def test_an_array_of_rows(forms_agree):
    def f(a, b, v):
        m = np.array([[a, -b], [0, 1], [b, a * b]])
        return np.sum(m @ v)

    forms_agree(f, 0.5, -1.5, X[:2], fused=True)


def test_a_row_is_made_elsewhere(forms_agree):
    def f(a, b):
        row = [a, b]
        m = np.array([row, row])
        return np.sum(m * m)

    forms_agree(f, 0.5, -1.5)


def test_an_array_of_ints_and_floats(forms_agree):
    def f(a, n):
        v = np.array([n, a])
        w = np.array([n, n])
        return v[0] * v[1] + w[1] // 2

    forms_agree(f, 0.5, 3)


def test_an_array_made_in_one_branch(forms_agree):
    def f(a, v):
        w = v
        if a > 0.0:
            w = np.array([a, a * a, v[1]])
        return w[0] * w[1] + w[2]

    forms_agree(f, 0.5, X)
    forms_agree(f, -0.5, X)


def test_an_array_that_is_returned(forms_agree):
    def f(a, b):
        return np.array([a * b, b])

    forms_agree(f, 0.5, -1.5)


def test_infinities_and_zeros_in_an_array():
    def f(a, b):
        v = np.array([a, b])
        return v[0] * b + v[1] * a

    assert gradient(f, 1.0, np.inf) == (np.inf, 2.0)
    assert np.isnan(gradient(f, np.nan, 1.0)[1])


def test_an_array_goes_round_and_is_read_by_element(forms_agree):
    def f(s, h, n):
        for _ in range(n):
            k = np.array([s[1], -s[0]])
            s = s + h * k
        return s[0] * s[1]

    for n in (0, 1, 4):
        forms_agree(f, X[:2], 0.1, n, fused=True)


def test_an_array_goes_round_and_changes_its_length(forms_agree):
    def f(s, n):
        total = 0.0
        for _ in range(n):
            total = total + s[0] * s[-1]
            s = s[1:] * s[:-1]
        return total

    for n in (0, 1, 3):
        forms_agree(f, np.array([0.5, -1.5, 0.25, 2.0, 1.1]), n, fused=True)


def test_an_array_goes_round_and_is_read_in_the_loop_alone(forms_agree):
    def f(s, n):
        total = 0.0
        for i in range(n):
            t = s * s
            if i > 1:
                total = total + t[0] * s[1]
            s = np.array([s[1], t[0]])
        return total

    for n in (0, 1, 4):
        forms_agree(f, X[:2], n, fused=True)


def test_an_array_bound_in_a_loop_and_read_after_it(forms_agree):
    def f(v, n):
        for i in range(n):
            w = v * (i + 1.0)
        return w[0] * w[1]

    forms_agree(f, X, 3, fused=True)


def test_a_loop_left_half_way(forms_agree):
    def f(s, n):
        for i in range(n):
            s = s * 0.5 + s[0]
            if s[1] > 0.2 and i > 1:
                break
            if s[2] > 10.0:
                return s[1]
        else:
            s = s[1:] * 2.0
        return s[0] * s[1]

    for n in (0, 1, 2, 5):
        forms_agree(f, X, n)
    forms_agree(f, 40.0 * X, 5)


def test_an_array_bound_in_one_branch_and_read_in_a_later_one(forms_agree):
    def f(v, n):
        if n > 0:
            w = v * 2.0
        total = v[0]
        if n > 0:
            total = total + w[1] * w[2]
        return total

    forms_agree(f, X, 0)
    forms_agree(f, X, 1)


def test_two_names_of_one_cotangent(forms_agree):
    def f(v, n):
        for _ in range(n):
            a = v * 2.0
            b = a + v
            v = b + a
            v = v + a[0] + b[1]
        return v[0] * v[1]

    forms_agree(f, X, 2, fused=True)


def test_an_empty_array_goes_round(forms_agree):
    def f(v, x, n):
        for _ in range(n):
            v = v * x + v[:0].sum() * 0.0 + v[0:1] * x
        return np.sum(v) + x

    forms_agree(f, np.zeros(0), 0.5, 2)
    forms_agree(f, X[:1], 0.5, 2)


def test_an_array_taken_apart(forms_agree):
    def f(s, n):
        x, y = s
        total = x
        for _ in range(n):
            a, b, *_ = np.array([x * y, y, x])
            x, y = np.array([a - y, x * 0.5])
            s = s * x
            y, y = s
            total = total + x * y * b
        return total * s[0]

    for n in (0, 1, 3):
        forms_agree(f, X[:2], n)


def test_an_array_taken_apart_in_a_loop(forms_agree):
    def f(s, h, n):
        for _ in range(n):
            x, y = s
            s = s + h * np.array([y, -x * x])
        x, y = s
        return x * y

    for n in (0, 1, 4):
        forms_agree(f, X[:2], 0.1, n, fused=True)


def test_a_part_under_a_name_of_any_kind(forms_agree):
    def f(s, n):
        x = None
        for _ in range(n):
            if x is not None:
                s = s * x
            x, y = s
        return s[0] if x is None else x * y

    for n in (0, 1, 2):
        forms_agree(f, X[:2], n)


def test_an_array_and_its_name_taken_apart(forms_agree):
    def f(s):
        s, t = s
        return s * t

    def g(s):
        (a, b), c = s[:2], s[2]
        return a * b + c

    forms_agree(f, X[:2])
    forms_agree(g, X)


@pytest.mark.parametrize("count", [1, 3])
def test_too_many_or_too_few_parts(count):
    def f(s):
        x, y = s
        return x * y

    with pytest.raises(ValueError) as plain:
        f(X[:count])
    with pytest.raises(ValueError) as found:
        gradient(f, X[:count])
    assert str(found.value) == str(plain.value)


def test_rows_taken_apart(forms_agree):
    def f(m):
        a, b = m
        return a @ b + a[0]

    forms_agree(f, np.array([[0.5, 1.5], [0.25, 2.0]]))


rng = np.random.default_rng(1)
SHAPES_of_array_rules = [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (4, 2, 3)]
OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "pow": operator.pow,
}  # fmt: skip


def operand(shape):
    return rng.uniform(0.5, 1.5, shape) if shape else float(rng.uniform(0.5, 1.5))


def added(a, b):
    return np.sum(np.sin(a + b))


def subtracted(a, b):
    return np.sum(np.sin(a - b))


def multiplied(a, b):
    return np.sum(np.sin(a * b))


def divided(a, b):
    return np.sum(np.sin(a / b))


def raised(a, b):
    return np.sum(np.sin(a**b))


@pytest.mark.parametrize("f", [added, subtracted, multiplied, divided, raised])
@pytest.mark.parametrize("first", SHAPES_of_array_rules, ids=str)
@pytest.mark.parametrize("second", SHAPES_of_array_rules, ids=str)
def test_operators_with_broadcasting(forms_agree, f, first, second):
    forms_agree(f, operand(first), operand(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((4, 3), (3, 2)), ((2, 4, 3), (3, 2)),
     ((4, 3), (2, 3, 2)), ((3,), (2, 3, 2)), ((2, 4, 3), (3,))],
    ids=str,
)  # fmt: skip
def test_products_of_all_ranks(forms_agree, first, second):
    def f(a, b):
        c = a @ b
        return np.sum(c * c) + np.sum(np.dot(a, b) ** 2)

    forms_agree(f, operand(first), operand(second))


def test_a_product_with_itself(forms_agree):
    def f(a, v):
        return np.sum(a @ a @ v) + v @ v + np.sum(a.T @ a) * np.trace(a)

    forms_agree(f, operand((3, 3)), operand((3,)))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_and_means(forms_agree, axis, keepdims):
    def f(a):
        s = np.sum(a, axis=axis, keepdims=keepdims)
        m = np.mean(a * a, axis=axis, keepdims=keepdims)
        return np.sum(s * m) * np.sum(a)

    forms_agree(f, operand((2, 3)))


def test_sums_with_a_literal_axis(forms_agree):
    def f(a, x):
        rows = np.sum(a, axis=1, keepdims=True)
        columns = np.mean(a, 0)
        last = a.sum(axis=-1).mean() + np.sum(a, axis=-1)[0]
        return np.sum(rows * columns * x) + np.sum(np.sum(a * a, axis=0)) * np.mean(a) + last

    forms_agree(f, operand((2, 3)), 0.7)


def test_softmax(forms_agree):
    def f(z, target):
        e = np.exp(z - np.max(z, axis=1, keepdims=True))
        p = e / np.sum(e, axis=1, keepdims=True)
        return -np.mean(np.log(p) * target)

    forms_agree(f, operand((2, 3)), operand((2, 3)))


def test_broadcasting_of_a_rebound_name(forms_agree):
    def f(a, b):
        b = b + 1.0
        a = a * b
        a = a + b
        b = a * b
        return np.sum(a / b)

    forms_agree(f, operand((2, 3)), operand((3,)))
    forms_agree(f, operand((3,)), operand((2, 1)))


def test_broadcasting_in_a_loop(forms_agree):
    def f(a, b, n):
        for i in range(n):
            a = a * b + i
            b = b * 0.9
        return np.sum(a)

    for first, second in [((2, 3), (3,)), ((3,), (2, 3)), ((), (3,)), ((3,), ())]:
        forms_agree(f, operand(first), operand(second), 3)


def test_a_number_that_becomes_an_array(forms_agree):
    def f(x, a):
        y = x * x
        y = y + a
        y = y * y
        return np.sum(y) * x

    forms_agree(f, 0.7, operand((2, 3)))


def test_arrays_without_entries(forms_agree):
    def f(a, x):
        return np.sum(a * x) + np.sum(a + a) + x

    forms_agree(f, np.zeros(0), 0.7)
    forms_agree(f, np.zeros((0, 3)), 0.7)


def test_an_array_of_rank_zero(forms_agree):
    def f(a, x):
        return np.sum(a * x) * a * np.sin(a)

    forms_agree(f, np.array(0.6), 0.7)


def test_an_array_result(forms_agree):
    def f(a, x):
        return a * x + np.sin(a) * np.sum(a)

    forms_agree(f, operand((2, 3)), 0.7)


def test_an_argument_as_the_result(forms_agree):
    forms_agree(lambda a: a, operand((3,)))
    forms_agree(lambda a, x: a * 1, operand((3,)), 0.5)


def test_views_and_transposes(forms_agree):
    def f(a, x):
        b = a.T
        c = b.reshape(-1)
        d = a[0] * x + a[:, 0].sum() + np.ravel(a)[2]
        return np.sum(c * c) + np.sum(b @ a) + np.sum(d * a)

    forms_agree(f, operand((2, 3)), 0.7)


def test_functions_of_one_array(forms_agree):
    def f(a):
        b = np.exp(-a) + np.log(a) * np.sqrt(a) - np.tanh(a) / np.cosh(a) + np.abs(a - 1.0)
        c = np.square(b) + np.reciprocal(a) + np.maximum(a, b) + np.where(a > 1.0, a, b)
        return np.sum(b * c) + np.linalg.norm(c) + np.max(b) * np.prod(a)

    forms_agree(f, operand((2, 3)))


def test_an_array_with_integers(forms_agree):
    def f(a, x, n):
        weights = np.arange(3)
        return np.sum(a * weights) * x + np.sum(weights) * n * x + np.sum(a**n)

    forms_agree(f, operand((3,)), 0.7, 2)


def test_numpy_numbers(forms_agree):
    def f(a, x):
        s = a[0] * x
        t = np.sum(a) * s
        u = s * t + a[1] ** 2
        for i in range(2):
            u = u * s
        return u

    forms_agree(f, operand((3,)), 0.7)


def test_single_precision():
    from astad import gradient

    def f(a, x):
        return np.sum(np.tanh(a * x))

    a = np.array([0.5, 0.7], np.float32)
    slope, _ = gradient(f, a, 0.7)
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, 0.7 * (1 - np.tanh(a * 0.7) ** 2), rtol=1e-6)


def test_axes_that_are_none_or_not_known(forms_agree):
    def along_an_argument(a, n):
        return np.sum(np.mean(a, axis=n) ** 2) + np.sum(np.sum(a, axis=n) ** 2)

    def along_none(a, n):
        return np.sum(np.mean(a, axis=()) ** 2) + np.sum(np.sum(a, axis=()) ** n)

    a = np.arange(1.0, 7.0).reshape(2, 3) / 7
    for fn in (along_an_argument, along_none):
        forms_agree(fn, a, 1)
