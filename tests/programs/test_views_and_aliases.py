"""One array under several names: aliases, views, views of views, and the traps in views."""

import array
import ctypes

import numpy as np
import pytest

from astad import gradient, pullback
from astad.errors import AstadError
from astad.testing import check_gradient

as_strided = np.lib.stride_tricks.as_strided


def test_write_through_a_second_name():
    def f(a, x):
        b = a
        b[0] = 2 * x
        return (a * a).sum()

    a = np.array([1.0, 2.0, 3.0])
    a_bar, x_bar = gradient(f, a.copy(), 1.5)
    assert a_bar.tolist() == [0.0, 4.0, 6.0]
    assert x_bar == 12.0
    check_gradient(f, a, 1.5)


def test_view_scaled_and_written_in_place():
    def f(a):
        v = a[1:]
        v *= 3
        v[0] += a[0]
        return (a * a).sum()

    a = np.array([1.0, 2.0, 3.0])
    # y = a0**2 + (3 a1 + a0)**2 + 9 a2**2
    assert gradient(f, a.copy())[0].tolist() == [16.0, 42.0, 54.0]
    check_gradient(f, a)


def test_array_in_a_list_read_back_and_written():
    def f(x, c):
        z = x * c
        l = [z]
        q = z.sum()
        w = l[0]
        w[1] = w[0] * c
        return q * z[1]

    check_gradient(f, np.array([1.5, -0.5, 2.0]), 0.8)


def test_one_array_passed_twice_to_a_callee_with_an_element_loop():
    def h(a, b):
        s = 0.0
        for i in range(len(a)):
            s = s + a[i] * a[i] * b[i]
        return s

    def f(x):
        a = x * 1.0
        return h(a, a)

    x = np.array([1.0, -2.0, 0.5])
    assert np.allclose(gradient(f, x)[0], 3 * x**2)
    check_gradient(f, x)


def test_callee_returns_a_view_that_is_written_while_the_base_is_used():
    def h(a):
        return a[::-1][1:]

    def f(x):
        a = np.sin(x)
        v = h(a)
        v[0] *= 2
        return (a * x).sum() + v[-1] * a[0]

    check_gradient(f, np.array([0.3, 0.7, 1.1, -0.4]))


def test_arrays_swapped_and_written_in_a_loop():
    def f(a, b):
        for _ in range(3):
            a, b = b, a
            a[0] = a[0] * b[1]
        return (a * a).sum() + b[0]

    check_gradient(f, np.array([1.2, 0.7]), np.array([-0.6, 1.1]))


def test_second_name_chosen_by_a_branch():
    def f(a, b, x):
        c = a if x > 0 else b
        c[0] = c[0] * x
        return (a * b).sum()

    for x in (0.7, -0.7):
        check_gradient(f, np.array([1.0, 2.0]), np.array([3.0, -1.0]), x)


def test_view_of_a_view_with_other_strides():
    def f(a):
        m = a.reshape(2, 3)
        t = m.T[::-1]
        t[0, 1] = t[2, 0] * t[1, 1]
        t[1] *= 2.0
        return (m * m).sum() + a[0] * a[5]

    check_gradient(f, np.array([0.5, 1.0, 1.5, -1.0, -0.5, 0.25]))


def test_fortran_order_and_negative_strides():
    def f(a):
        v = a[::-1, ::2]
        v[0] += 1.0
        v *= v
        return (a * np.arange(12.0).reshape(3, 4)).sum()

    check_gradient(f, np.asfortranarray(np.linspace(-1.0, 1.0, 12).reshape(3, 4)))
    check_gradient(f, np.linspace(-1.0, 1.0, 12).reshape(4, 3).T)


def test_rows_of_a_matrix_written_in_a_for_loop():
    def f(m, x):
        for row in m:
            row[0] = row[0] * x
            row += row[::-1]
        return (m * m).sum()

    check_gradient(f, np.array([[1.0, 2.0], [-0.5, 0.3]]), 1.3)


# Views that overlap themselves: what is added to one element counts for all its places.


def test_broadcast_view():
    def f(x):
        m = np.broadcast_to(x, (3, 2))
        return (m * np.arange(6.0).reshape(3, 2)).sum()

    assert gradient(f, np.array([1.0, 2.0]))[0].tolist() == [6.0, 9.0]
    check_gradient(f, np.array([1.0, 2.0]))


def test_sliding_windows():
    def f(x):
        w = np.lib.stride_tricks.sliding_window_view(x, 3)
        return w.sum()

    assert gradient(f, np.arange(5.0))[0].tolist() == [1.0, 2.0, 3.0, 2.0, 1.0]
    check_gradient(f, np.arange(5.0))


def test_overlapping_windows_made_by_strides():
    def f(x):
        w = as_strided(x, (3, 3), (8, 8))
        return (w * w).sum()

    x = np.arange(1.0, 6.0)
    assert gradient(f, x)[0].tolist() == [2.0, 8.0, 18.0, 16.0, 10.0]


def test_owner_behind_the_dummy_object_of_as_strided():
    def f(x):
        a = x * 2.0
        w = as_strided(a, (2,), (16,))
        a[0] = x[1]
        return w[0] * w[1] + a[2]

    x = np.array([1.0, 3.0, 0.5, 2.0])
    # a = [x1, 2 x1, 2 x2, 2 x3], w = [a0, a2]
    assert gradient(f, x)[0].tolist() == [0.0, 1.0, 8.0, 0.0]


def test_two_owners_over_one_memory_are_right_or_refused():
    def f(x):
        memory = bytearray(16)
        a = np.frombuffer(memory)
        b = np.frombuffer(memory)
        a[0] = x
        return b[0] * 3.0

    try:
        assert gradient(f, 2.0) == (3.0,)
    except AstadError as err:
        assert err.where and err.instead


def test_last_write_wins_among_repeated_indices():
    def f(v):
        a = np.zeros(3)
        a[[1, 1, 2]] = v
        return (a * np.array([3.0, 4.0, 6.0])).sum()

    v = np.array([1.0, 2.0, 3.0])
    assert gradient(f, v)[0].tolist() == [0.0, 4.0, 6.0]
    check_gradient(f, v)


def test_augmented_write_to_repeated_indices_counts_once():
    def f(a, v):
        a[[0, 0, 1]] += v
        return (a * np.array([2.0, 5.0])).sum()

    a_bar, v_bar = gradient(f, np.ones(2), np.array([1.0, 2.0, 3.0]))
    assert a_bar.tolist() == [2.0, 5.0]
    assert v_bar.tolist() == [0.0, 2.0, 5.0]
    check_gradient(f, np.ones(2), np.array([1.0, 2.0, 3.0]))


def test_real_and_imaginary_views_of_a_complex_array():
    def f(z):
        w = z * 1.0
        w.real[0] = w.imag[1] * 2.0
        return (w.real * w.imag).sum()

    check_gradient(f, np.array([1 + 2j, 0.5 - 1j]))


def test_view_of_an_integer_array():
    def f(a):
        v = a[1:]
        return (v * v[::-1]).sum() * 1.0

    a_bar = gradient(f, np.arange(4, dtype=np.int32))[0]
    assert a_bar.dtype == float
    assert a_bar.tolist() == [0.0, 6.0, 4.0, 2.0]
    check_gradient(f, np.arange(4, dtype=np.int32))


@pytest.mark.parametrize(
    "same",
    [
        np.asarray,
        np.ravel,
        lambda a: a.reshape(-1),
        np.atleast_1d,
        lambda a: a.astype(float, copy=False),
        np.ascontiguousarray,
    ],
)
@pytest.mark.parametrize("take", [lambda a: a, lambda a: a[::-1]])
def test_function_that_returns_argument_view_or_copy_as_it_comes(same, take):
    def f(x):
        a = x * 2.0
        b = same(take(a))
        b[0] = b[1] * 3.0
        return (a * np.array([1.0, 2.0, 4.0])).sum() + b[0]

    check_gradient(f, np.array([0.5, 1.5, -1.0]))


def test_contiguous_copy_of_a_transposed_matrix():
    def f(m):
        a = m * 2.0
        b = a.T.ravel()
        b[0] = 5.0
        return (a * a).sum() + (b * b).sum()

    check_gradient(f, np.array([[1.0, 2.0], [3.0, -1.0]]))


def test_same_array_at_both_arguments_has_its_own_partial_in_each():
    def elements(a, b):
        s = 0.0
        for i in range(len(a)):
            s = s + a[i] * b[i] * b[i]
        return s

    def whole(a, b):
        return (a * b * b).sum()

    x = np.array([1.0, 2.0, -3.0])
    for f in (elements, whole):
        first, second = gradient(f, x, x)
        assert first.tolist() == (x**2).tolist()
        assert second.tolist() == (2 * x**2).tolist()
        check_gradient(f, x, x)


def test_write_to_an_array_passed_at_two_places_is_an_error_that_says_so():
    def f(a, b):
        a[0] = 2.0
        return (a * b).sum()

    x = np.array([1.0, 2.0])
    with pytest.raises((AstadError, ValueError)) as caught:
        y, back = pullback(f, x, x)
        back(1.0)
    assert isinstance(caught.value, AstadError)


def test_object_found_twice_in_one_argument_gets_the_total():
    def f(layers):
        return (layers[0] * layers[1]).sum()

    w = np.array([1.0, 3.0])
    (bars,) = gradient(f, [w, w])
    assert bars[0].tolist() == [2.0, 6.0] and bars[1].tolist() == [2.0, 6.0]
    assert bars[0] is not bars[1]
    check_gradient(f, [w, w])


def test_no_gradient_shares_memory_with_the_seed_or_another():
    def f(x, y):
        return x + y

    x, y = np.ones(3), np.ones(3)
    _, back = pullback(f, x, y)
    seed = np.array([1.0, 2.0, 3.0])
    x_bar, y_bar = back(seed)
    x_bar[0] = 99.0
    assert seed.tolist() == [1.0, 2.0, 3.0]
    assert y_bar.tolist() == [1.0, 2.0, 3.0]
    check_gradient(f, x, y)


def test_array_returned_as_it_was_given():
    def f(x):
        return x

    check_gradient(f, np.array([1.0, 2.0]))
    check_gradient(lambda x: x[1:], np.array([1.0, 2.0, 3.0]))
    check_gradient(lambda x: (x, x), np.array([1.0, 2.0]))


def test_mask_written_and_read():
    def f(a, x):
        b = a * 2.0
        b[b > 1.0] = x
        b[b < 0] *= 3.0
        return (b * a).sum() + b[a > 0.1].sum()

    check_gradient(f, np.array([1.0, -0.5, 0.2, 2.0]), 0.7)


def tail_of(a):
    return a[::1][1:]


def test_view_of_a_fresh_array_under_a_name_that_later_stands_for_anything():
    def f(y):
        a = tail_of(np.cos(y))
        for _ in range(2):
            a = np.concatenate([a[1:], a[1:]])
        return a.sum()

    check_gradient(f, np.array([0.31, 0.854, -1.379]))


# --- memory that something else shows


class Wrapped:
    def __init__(self, a):
        self.a = a

    @property
    def __array_interface__(self):
        return self.a.__array_interface__


class Told:
    """Of memory by its address alone."""

    def __init__(self, a):
        self.__array_interface__ = a.__array_interface__


def read_by_interface(x):
    return np.sum(np.asarray(Wrapped(np.array([x, 2.0])))) * x


def summed_by_interface(x):
    return np.sum(Wrapped(np.array([x, 2.0]))) * x


def bytes_by_interface(x):
    told = Told(np.zeros(2))
    shown = {"shape": (2,), "typestr": "<f8", "version": 3}
    told.__array_interface__ = {**shown, "data": np.array([x, 2.0]).tobytes()}
    return np.asarray(told).sum() * x


def written_by_interface(x):
    a = np.array([x, 1.0])
    np.asarray(Told(a))[0] = x * x
    return a[0] * x


def added_by_interface(x):
    a = np.array([x, 1.0])
    shown = np.asarray(Told(a))
    shown += x
    return a[1] * x


def written_by_ctypes(x):
    a = np.array([x, 2 * x])
    shown = (ctypes.c_double * 2).from_buffer(a)
    shown[0] = shown[1] * 3
    return a.sum() * x


def written_by_ctypes_in_a_loop(x):
    a = np.zeros(3)
    shown = (ctypes.c_double * 3).from_buffer(memoryview(a))
    for k in range(3):
        shown[k] = x**k
    return float(a @ a)


def grown_while_shown(x):
    a = array.array("d", [0.0, x])
    with memoryview(a) as shown:
        shown[0] = 2 * x
    a.append(x)
    return a[0] * a[2]


def grown_after_a_sum(x):
    a = array.array("d", [0.0, x])
    total = np.frombuffer(a).sum()
    a.extend([x])
    return a[1] * a[2] * total


@pytest.mark.parametrize(
    "f",
    [
        read_by_interface, summed_by_interface, bytes_by_interface, written_by_interface,
        added_by_interface, written_by_ctypes, written_by_ctypes_in_a_loop, grown_while_shown,
        grown_after_a_sum,
    ],
)  # fmt: skip
def test_memory_that_something_else_shows_is_refused(f):
    with pytest.raises(AstadError, match=r"^test_views_and_aliases\.py:\d+: "):
        gradient(f, 1.3)


def test_constants_that_something_else_shows():
    steps = Wrapped(np.array([1.0, 2.0]))

    def f(x):
        scratch = (ctypes.c_double * 2)(1.0, 2.0)
        scratch[0] = 5.0
        return np.sum(np.asarray(steps) * x) + scratch[0] * x + np.sum(np.asarray(scratch)) * x

    assert gradient(f, 1.3) == (15.0,)
