import copy
from array import array

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.errors import Unsupported
from astad.testing import check_gradient
from tests.programs.everywhere import right_everywhere


def made(x):
    of_a_list, of_a_generator = array("d", [x, 2 * x]), array("d", (v * x for v in [1.0, 2.0]))
    of_an_array, of_one = array("d", np.array([1.0, 2.0]) * x), array("d", of_a_list)
    return sum(of_a_list) * of_a_generator[1] * sum(of_an_array) * of_one[0]


def copied(x):
    a = array("d", [x, x * x])
    b, c, d = copy.copy(a), copy.deepcopy(a), a[:]
    b[0] = c[1] = d[0] = x**3
    return a[0] * b[0] * b[1] + c[0] * c[1] + d[0] * d[1]


def copied_in_a_dict(x):
    parts = {"a": array("d", [x, 2 * x])}
    again = copy.deepcopy(parts)
    again["a"][0] = 3 * x
    return parts["a"][0] * again["a"][0] * again["a"][1]


def iterators_copied(x):
    own = iter(array("d", [x, x * x, 2.0]))
    next(own)
    again = copy.copy(own)
    return next(again) * x * next(own) * next(again)


def seen_by_numpy(x):
    return np.sum(np.frombuffer(array("d", [x, 1.0])) ** 2)


def counts(x):
    a = array("i", [1, 2])
    return x * copy.copy(a)[1]


@pytest.mark.parametrize(
    "f", [made, copied, copied_in_a_dict, iterators_copied, seen_by_numpy, counts]
)
def test_arrays_of_the_standard_library(f):
    assert value_and_grad(f)(1.5)[0] == f(1.5)
    check_gradient(f, 1.5)


# --- growing and shrinking


def a_stack(x, y):
    stack, total = array("d", [x]), 0.0
    for k in range(4):
        stack.append(stack[-1] * y + k)
        if k % 2:
            total += stack.pop() * stack[0]
    while stack:
        total = total * 0.5 + stack.pop()
    return total


def a_log(x, y):
    log = array("d")
    for k in range(3):
        log.append(x * k)
        log.append(y)
    log[1] *= x
    log.extend([x * y])
    log.fromlist([y])
    log += array("d", [x, x])
    return sum(log) * log[-1] + log[2] ** 2 + log[6] * log[7]


def taken_from_the_front(x, y):
    a = array("d", [x, y, x * y])
    first = a.pop(0)
    a.insert(0, a[1] * x)
    a.remove(y)
    del a[-1]
    return a[0] * first


def turned_round(x, y):
    a = array("d", [x, y, x * y, 2.0])
    b = a[1:3]
    v = a.pop(1)
    a.insert(0, v * x)
    del a[-1]
    b.append(a[0])
    a.extend(b)
    b[0] *= x
    a.reverse()
    a.append(b[0])
    del a[::2]
    return sum(k * v for k, v in enumerate(a, 1)) * b[-1] + b.pop(0) * 3


def copies_that_change(x, y):
    a = array("d", [x, y, x])
    a.pop()
    b = a[:]
    a.pop()
    a.append(b[1] * x)
    b.append(x)
    b.pop(0)
    return a[1] * a[0] + b[0] * b[1]


def overwritten_between(x, y):
    a = array("d", [x, y])
    a.append(x * y)
    a.pop()
    a.append(y * y)
    a[0:2] = array("d", [a[2], a[0]])
    return a[0] * a[1]


@pytest.mark.parametrize(
    "program",
    [
        a_stack, a_log, taken_from_the_front, turned_round, copies_that_change,
        overwritten_between,
    ],
)  # fmt: skip
def test_an_array_that_changes_its_length(program):
    right_everywhere(program, 1.3, 0.8)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda a: a.byteswap(), "byteswap"),
        (lambda a: kept.append(np.frombuffer(a)) or a.append(1.0), "the size of a buffer"),
    ],
)
def test_a_change_that_is_not_followed_is_refused(change, what):
    def program(x):
        a = array("d", [x, 2.0])
        change(a)
        return a[0] * x

    with pytest.raises(Unsupported, match=what):
        gradient(program, 1.5)
    kept.clear()


kept = []


class Reading:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value

    def __index__(self):
        return 0


@pytest.mark.parametrize(
    "change",
    [
        lambda a, o: a.append(o),
        lambda a, o: a.insert(0, o),
        lambda a, o: a.extend([1.0, o]),
        lambda a, o: a.fromlist([o]),
        lambda a, o: a.__delitem__(o),
    ],
)
def test_an_object_that_stands_for_a_number_is_refused(change):
    def program(x):
        a = array("d", [2.0, 3.0])
        change(a, Reading(x))
        return a[-1] * x

    with pytest.raises(Unsupported, match="an operand of class Reading"):
        gradient(program, 1.5)


def joined(x):
    a = array("d", [x, 2 * x]) + array("d", [x * x])
    return a[0] * a[2]


def joined_and_written(x):
    a = array("d", [x, 2 * x])
    b = array("d", [x * x])
    c = a + b
    a[0] = 5.0
    return c[0] * c[2] + a[0] * x


def joined_with_itself(x):
    a = array("d", [x, 2 * x])
    b = a + a
    a.append(x)
    a[0] = 4.0
    return b[0] * b[3] + a[2] * a[0]


def repeated(x):
    a = array("d", [x, 2 * x]) * 2
    return a[0] * a[3]


def repeated_from_the_left(x):
    a = 2 * array("d", [x, 2 * x])
    return a[0] * a[3]


def repeated_in_place(x):
    a = array("d", [x, 2 * x])
    a *= 3
    a[1] = x * x
    return a[0] * x + a[1] * a[3] * a[5]


def repeated_no_time(x):
    a = array("d", [x, 2 * x])
    a *= 0
    a.append(x)
    return a[0] * x


def repeated_less_than_once(x):
    a = array("d", [x, 2 * x])
    b = a * -1
    return len(b) + x * a[0]


def repeated_by_a_float(x):
    a = array("d", [x, 2 * x])
    try:
        b = a * 1.5
    except TypeError as e:
        return x * a[1]
    return b[0]


def joined_with_a_list(x):
    a = array("d", [x, 2 * x])
    try:
        b = a + [1.0]
    except TypeError as e:
        return x * a[1]
    return b[0]


def places_by_value(x):
    a = array("d", [x, 2 * x, 3 * x])
    return a.index(2 * x) * x + a[a.index(3 * x)]


def extended_by_a_generator_expression(x):
    a = array("d", [x])
    a.extend((v * x for v in [x, 2 * x]))
    return sum(a)


def extended_by_what_asks_the_length(x):
    a = array("d", [x])
    a.extend(map(lambda v: v * len(a), [x, 2 * x]))
    return sum(a)


@pytest.mark.parametrize(
    "program",
    [
        joined,
        joined_and_written,
        joined_with_itself,
        repeated,
        repeated_from_the_left,
        repeated_in_place,
        repeated_no_time,
        repeated_less_than_once,
        repeated_by_a_float,
        joined_with_a_list,
        places_by_value,
        extended_by_a_generator_expression,
        extended_by_what_asks_the_length,
    ],
    ids=lambda program: program.__name__,
)
def test_joined_repeated_and_extended(program):
    right_everywhere(program, 1.3)


def copied_by_numpy(x):
    w = array("d", [x, 2.0 * x, 3.0])
    a = np.array(w)
    w[0] = 5.0
    return np.sum(a * a) * w[0]


def reduced(x):
    w = array("d", [x, 2.0, x * x])
    mean, norm = np.mean(w), np.linalg.norm(w)
    w[1] = x
    return mean * norm * w[1]


def mapped_before_it_grows(x):
    w = array("d", [x, 2.0, x * x])
    roots = np.sqrt(w)
    w.append(x**3)
    return np.sum(roots) * w[3]


def mapped_before_it_shrinks(x):
    w = array("d", [x, 2.0, x * x])
    powers = np.exp(w)
    w.pop()
    return np.sum(powers) * w[0]


def product_with_itself(x):
    w = array("d", [x, 2.0, x * x])
    return np.dot(w, w) + np.polyval(w, 2.0) + np.interp(1.5, [0.0, 1.0, 2.0], w)


def seen_through_memory(x):
    w = array("d", [x, 2.0, x * x])
    v = np.asarray(memoryview(w))
    v[0] = x * x
    return w[0] * v[2] * np.sum(memoryview(w))


def memory_of_a_matrix(x):
    a = np.array([[x, 2.0], [3.0, x * x]])
    copy_of_it = np.array(memoryview(a))
    a[0, 0] = 7.0
    return np.sum(copy_of_it**2) * a[0, 0]


def narrow(x):
    w = array("f", [1.0, 2.0])
    w[0] = 0.5
    return float(np.sum(w)) * x * np.sum(array("i", [1, 2]) * np.array([x, 1.0]))


def operators_with_arrays(x):
    w, v = array("d", [x, 2.0]), np.array([1.0, x])
    joined = np.sum(w * v) + np.sum(v / w) + np.sum(w + v) + np.sum(v - w) + w @ v
    return joined * (w * 2)[2] * (w * np.int64(2))[1]


@pytest.mark.parametrize(
    "f",
    [
        operators_with_arrays, copied_by_numpy, reduced, mapped_before_it_grows,
        mapped_before_it_shrinks, product_with_itself, seen_through_memory, memory_of_a_matrix,
        narrow,
    ],
)  # fmt: skip
def test_functions_of_numpy_take_them_as_arrays(f):
    right_everywhere(f, 1.3)


def test_the_gradient_of_one_that_numpy_reads_is_one():
    assert gradient(lambda w: np.sum(np.array(w) ** 2), array("d", [1.0, 2.0])) == (
        array("d", [2.0, 4.0]),
    )


@pytest.mark.parametrize(
    "place, made",
    [
        (slice(1, 2), lambda p, a, b: array("d", [a, b, a * b])),
        (slice(1, 1), lambda p, a, b: array("d", [b])),
        (slice(0, 3), lambda p, a, b: array("d", [a * a])),
        (slice(None), lambda p, a, b: array("d")),
        (slice(5, 9), lambda p, a, b: array("d", [a * b, b])),
        (slice(3, 1), lambda p, a, b: array("d", [a * b, b])),
        (slice(-1, None), lambda p, a, b: array("d", [b, a])),
        (slice(1, 1), lambda p, a, b: p),
        (slice(2, None), lambda p, a, b: p[:1] + p),
    ],
)
def test_a_slice_that_is_assigned_another_number_of_numbers(place, made):
    def f(a, b):
        p = array("d", [a, b, a * b])
        new = made(p, a, b)
        p[place] = new
        p.append(a * 7)
        p[0] = p[-1] * b
        squares = sum((k + 1) * v * v for k, v in enumerate(p))
        return squares * a + sum(new) * b + len(p) * a

    check_gradient(f, 2.0, 3.0)


def test_a_slice_that_grows_in_a_loop():
    def f(a, b):
        p = array("d", [a, b])
        for k in range(4):
            p[k:k] = array("d", [a * k, b])
        return sum((k + 1) * v * v for k, v in enumerate(p))

    check_gradient(f, 2.0, 3.0)


@pytest.mark.parametrize("new", [[1.0, 2.0], array("f", [1.0])])
def test_a_slice_that_is_assigned_what_does_not_fit(new):
    def f(a):
        p = array("d", [a, a * a])
        try:
            p[0:1] = new
        except TypeError:
            return p[0] * p[1]
        return a

    check_gradient(f, 2.0)


def test_what_is_not_there_is_not_removed():
    def f(x):
        a = array("d", [x, 2 * x])
        a.remove(9.0)
        return a[0]

    with pytest.raises(ValueError, match="remove"):
        gradient(f, 1.5)
