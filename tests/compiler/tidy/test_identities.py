"""Products with a multiple of the identity matrix are not computed."""

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function

RNG = np.random.default_rng(3)


def matrices(*shapes):
    return [RNG.normal(size=shape) for shape in shapes]


def text_of(fn, *args):
    kinds = [parse_kind(f"ndarray{np.ndim(arg)}" if np.ndim(arg) else "float") for arg in args]
    return compile_function(fn, kinds, [True] * len(kinds), fused=True).text.source


def of_product(a, b):
    return np.trace(a @ b)


def of_three(a, b, c):
    return 2.0 * np.trace(a @ b @ c)


def of_square(a):
    return np.trace(a @ a) - np.trace(a.T @ a)


def scaled(a, b, x):
    return x * np.trace(np.dot(a, b)) + np.sum(a)


def of_chosen(a, b, x):
    y = a @ b
    if x > 0:
        y = y @ y
    return np.trace(y)


def product_read_elsewhere(a, b):
    y = a @ b
    return np.trace(y) + np.sum(y * y)


def in_a_loop(a, b):
    total = 0.0
    for _ in range(3):
        total = total + np.trace(a @ b)
        b = b * 0.5
    return total


SQUARE, WIDE, TALL = [(3, 3), (3, 3)], [(2, 4), (4, 3)], [(4, 2), (2, 3)]


@pytest.mark.parametrize("shapes", [SQUARE, WIDE, TALL, [(3, 2), (2, 3)], [(0, 2), (2, 0)]])
@pytest.mark.parametrize("fn", [of_product, product_read_elsewhere, in_a_loop])
def test_trace_of_a_product(fn, shapes, forms_agree):
    forms_agree(fn, *matrices(*shapes), fused=True)


def test_longer_products(forms_agree):
    forms_agree(of_three, *matrices((2, 3), (3, 4), (4, 2)), fused=True)
    forms_agree(of_square, *matrices((3, 3)), fused=True)
    for x in (0.7, -0.7):
        forms_agree(scaled, *matrices((2, 3), (3, 2)), x, fused=True)
        forms_agree(of_chosen, *matrices((2, 3), (3, 2)), x)


@pytest.mark.parametrize("fn", [of_product, of_three, of_square])
def test_no_identity_is_made(fn):
    count = fn.__code__.co_argcount
    text = text_of(fn, *matrices(*[(2, 2)] * count))
    assert "np.eye" not in text
    assert "eye_times(" in text


def test_text_of_a_trace():
    text = text_of(of_product, *matrices(*SQUARE)).splitlines()
    assert text[-1].strip() == (
        "return t_2, (eye_times(1.0, t_4, t_5, b.T), times_eye(a.T, 1.0, t_4, t_5))"
    )


def test_gradients_do_not_share_memory():
    from astad import gradient

    a, b = matrices(*SQUARE)
    a_bar, b_bar = gradient(of_product, a, b)
    for bar in (a_bar, b_bar):
        assert not np.may_share_memory(bar, a)
        assert not np.may_share_memory(bar, b)
        assert bar.flags.writeable


def with_noise(a, s):
    n = a.shape[0]
    k = a @ a.T + s * np.eye(n)
    return np.sum(np.log(k * k)) + s


def broadcast_to_the_identity(v, s):
    return np.sum((v + s * np.eye(3, 4)) ** 2)


def of_a_number(x, s):
    return np.sum(x * (s * np.eye(3)))


def identity_written(a, s):
    e = np.eye(3)
    e[0, 2] = 5.0
    return np.sum((a + s * e) ** 2)


def identity_read_again(a, s):
    e = np.eye(3)
    b = a + s * e
    return np.sum(b * b * b) + np.sum(e * b)


def identity_of_rows(a, s, n):
    total = 0.0
    for k in range(n):
        total = total + np.sum((a + s * np.eye(3, 3)) ** (k + 2))
    return total


def array_times_identity(s):
    e = np.eye(3)
    z = s * e + s
    k = (z @ z) * e
    return np.sum(k * k)


def identity_times_array(s):
    e = np.eye(3)
    z = np.sin(s * e + s)
    return np.sum((e * (z @ z.T)) * z)


def shifted_diagonal(a, s):
    return np.sum((a + s * np.eye(3, 3, 1)) ** 2)


SQUARE_3 = RNG.normal(size=(3, 3))
SUMS = [
    (with_noise, (SQUARE_3, 0.7)), (broadcast_to_the_identity, (RNG.normal(size=4), 0.3)),
    (broadcast_to_the_identity, (RNG.normal(size=(2, 3, 4)), 0.3)), (of_a_number, (0.4, 0.3)),
    (identity_written, (SQUARE_3, 0.7)), (identity_read_again, (SQUARE_3, 0.7)),
    (identity_of_rows, (SQUARE_3, 0.7, 3)), (shifted_diagonal, (SQUARE_3, 0.7)),
    (array_times_identity, (0.4,)), (identity_times_array, (0.6,)),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args"), SUMS)
def test_sums_of_products_with_the_users_identity(fn, args, forms_agree):
    forms_agree(fn, *args)


def test_the_sum_of_a_diagonal_takes_no_identity():
    text = text_of(with_noise, SQUARE_3, 0.7)
    assert text.count("np.eye") == 1 + text.count("live.np.eye")
    assert "sum_of_diagonal(" in text
    assert "sum_of_diagonal(" not in text_of(identity_written, SQUARE_3, 0.7)
    assert "sum_of_diagonal(" not in text_of(shifted_diagonal, SQUARE_3, 0.7)


def test_the_identity_is_written_over():
    assert " *= s" in text_of(with_noise, SQUARE_3, 0.7)
    e = identity_read_again
    assert " *= s" not in text_of(e, SQUARE_3, 0.7)
