"""Lists that grow or shrink after their display: an array of them has the length of then."""

import numpy as np
import pytest

from tests.compiler.forms import check_forms

TWO = np.array([0.5, 3.0])
THREE = np.array([0.5, 3.0, -1.0])


def appended(x):
    xs = [0.0]
    xs.append(x)
    return np.sum(np.array(xs) * TWO)


def appended_twice(x):
    xs = [x]
    xs.append(x * x)
    xs.append(2.0)
    return np.sum(np.array(xs) * THREE)


def appended_in_a_loop(x):
    xs = [x]
    for k in range(2):
        xs.append(xs[-1] * x)
    return np.sum(np.array(xs) * THREE)


def under_another_name(x):
    xs = [x]
    ys = xs
    ys.append(x * x)
    return np.sum(np.array(xs) * TWO)


def grow(l, v):
    l.append(v)


def in_a_callee(x):
    xs = [x]
    grow(xs, x * x)
    return np.sum(np.array(xs) * TWO)


def in_a_closure(x):
    xs = [x]

    def add(v):
        xs.append(v)

    add(x * x)
    return np.sum(np.array(xs) * TWO)


def added_in_place(x):
    xs = [x]
    xs += [x * x, 1.0]
    return np.sum(np.array(xs) * THREE)


def popped(x):
    xs = [x, 1.0, 2.0]
    xs.pop()
    return np.sum(np.array(xs) * TWO)


def deleted_and_inserted(x):
    xs = [x, 1.0, 2.0]
    del xs[0]
    xs.insert(0, x * x)
    return np.sum(np.array(xs) * THREE)


def rows_appended(x):
    m = [[x, 1.0]]
    m.append([x * x, 2.0])
    m.append([x, x])
    return np.sum(np.array(m) * TWO)


def one_row_twice(x):
    r = [x]
    m = [r, r]
    r.append(x * x)
    return np.sum(np.array(m) * TWO)


def row_of_a_matrix(x):
    r = [x]
    m = [r]
    m[0].append(x * x)
    m.append([1.0, x])
    return np.sum(np.array(m) * TWO)


def extended(x):
    xs = [x]
    xs.extend([v * x for v in xs])
    return np.dot(np.array(xs), TWO)


def in_a_comprehension(x):
    xs = [x]
    [xs.append(v * x) for v in (1.0, 2.0)]
    return np.dot(np.asarray(xs), THREE)


def between_two_arrays(x):
    xs = [x]
    xs.append(x)
    a = np.array(xs)
    xs.append(x * x)
    b = np.array(xs)
    return a @ TWO + b @ THREE


def list_of_arrays(x):
    xs = [np.array([x, 1.0])]
    xs.append(np.array([x * x, 2.0]))
    xs.append(np.array([x, x]))
    return np.sum(np.stack(xs) * TWO) + np.sum(np.concatenate(xs) * 2.0)


def bound_anew(x):
    xs = [x]
    xs = xs + [x * x]
    return np.sum(np.array(xs) * TWO)


def multiplied(x):
    xs = [x] * 2
    xs.append(x * x)
    return np.sum(np.array(xs) * THREE)


def slice_stored(x):
    xs = [x]
    xs[1:] = [x * x, 2 * x]
    return np.sum(np.array(xs) * THREE)


def in_a_lambda(x):
    xs = [x]
    (lambda l: l.append(x * x))(xs)
    return np.sum(np.array(xs) * TWO)


def length_asked(x):
    xs = [x]
    n = len(xs)
    xs.append(x * x)
    return np.sum(np.zeros(len(xs)) + np.array(xs) * TWO) + n


def in_a_dict(x):
    d = {"a": [x]}
    d["a"].append(x * x)
    return np.sum(np.array(d["a"]) * TWO)


def in_a_tuple(x):
    xs = [x]
    t = (xs, 1.0)
    t[0].append(x * x)
    return np.sum(np.array(xs) * TWO)


class H:
    def __init__(self, x):
        self.h = [x]

    def push(self, v):
        self.h.append(v * self.h[-1])


def in_an_object(x):
    h = H(x)
    h.push(2.0)
    return np.sum(np.array(h.h) * TWO)


def lengths_of_an_array(x):
    s = [3]
    s.append(2)
    return np.sum(np.ones(s) * x)


def places(x):
    s = [0]
    s.append(1)
    return np.sum(np.array([x, x * x, 1.0])[s] * TWO)


def appended_by_a_bound_method(x):
    xs = [x]
    ap = xs.append
    ap(x * x)
    return np.sum(np.array(xs) * TWO)


def plain_numbers(x):
    w = np.array([x, 2 * x])
    xs = [1.0]
    xs.append(3.0)
    return np.sum(w * np.array(xs)) + np.mean(w * xs)


def in_a_while_loop(x):
    xs = [x]
    while len(xs) < 3:
        xs.append(xs[-1] * x)
    return float(np.array(xs) @ THREE)


def cleared(x):
    xs = [x, x]
    xs.clear()
    xs.append(x * x)
    return np.sum(np.array(xs) * TWO)


def alias_read(x):
    xs = [x]
    ys = xs
    ys.append(x * x)
    return np.sum(np.array(ys) * TWO)


def list_in_a_tuple(x):
    t = ([x], 1.0)
    t[0].append(x * x)
    return np.sum(np.array(t[0]) * TWO)


def list_unpacked(x):
    t = ([x], [1.0])
    a, b = t
    a.append(x * x)
    return np.sum(np.array(a) * TWO)


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        appended,
        appended_twice,
        appended_in_a_loop,
        under_another_name,
        in_a_callee,
        in_a_closure,
        added_in_place,
        popped,
        deleted_and_inserted,
        rows_appended,
        one_row_twice,
        row_of_a_matrix,
        extended,
        in_a_comprehension,
        between_two_arrays,
        list_of_arrays,
        bound_anew,
        multiplied,
        slice_stored,
        in_a_lambda,
        length_asked,
        in_a_dict,
        in_a_tuple,
        in_an_object,
        lengths_of_an_array,
        places,
        appended_by_a_bound_method,
        plain_numbers,
        in_a_while_loop,
        cleared,
        alias_read,
        list_in_a_tuple,
        list_unpacked,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)
