"""One object under several names: arguments, containers, views, captured, returned and kept."""

import contextlib
import copy

import numpy as np
import pytest

from astad import gradient, pullback, pullback_self
from astad.errors import Unsupported
from astad.testing import check_gradient
from tests.compiler.forms import only_generic
from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()


def vector(n=4):
    return np.array([1.3, -0.4, 2.2, 0.7, -1.6])[:n]


class Holder:
    def __init__(self, value):
        self.value = value

    def double(self):
        self.value *= 2
        return self.value


@PROGRAMS.at(vector())
def three_names_for_one_array(a):
    b = a
    c = b
    c[0] = a[1] * b[2]
    a *= 2
    b = b + 1
    b[0] = 5.0
    return np.sum(a * c) + np.sum(b * a)


@PROGRAMS.at(vector(), 1)
def name_chosen_by_a_branch(a, k):
    b = a * 2
    c = a if k > 0 else b
    c[1] = b[0] * a[2]
    b[3] += c[1]
    return np.sum(a * b)


@PROGRAMS.at(vector())
def name_chosen_anew_in_a_loop(a):
    b = a * 3
    target = a
    for k in range(4):
        target[k] = target[k - 1] * b[k]
        target = b if target is a else a
    return np.sum(a) * np.sum(b)


@PROGRAMS.at(vector())
def views_of_views(a):
    b = a[1:]
    c = b[::-1]
    d = c[:2].reshape(2, 1)
    d[0, 0] = a[0] * 2
    b += d[1, 0]
    c *= a[1:]
    return np.sum(a * np.arange(1.0, 5.0)) + np.sum(d)


@PROGRAMS.at(np.arange(1.0, 13.0))
def view_of_a_reshape_of_a_transposed_view(a):
    m = a.reshape(3, 4)
    t = m.T[1:3]
    t[0] *= m[:, 0]
    m[1] = t[:, 1].sum()
    row = m[2, 1:]
    row[::-1][0] = t[1, 2]
    return np.sum(a * a[::-1]) / 100


@PROGRAMS.at(vector())
def view_that_outlives_a_rebound_name(a):
    tail = a[2:]
    a = a * 2
    a[3] = tail[0]
    tail[1] = a[0]
    return np.sum(a) * np.sum(tail)


@PROGRAMS.at(vector())
def view_read_after_its_base_was_written(a):
    head = a[:2]
    y = np.sum(head)
    a[0] = y * y
    return y * np.sum(head) + a[1]


@PROGRAMS.at(vector(), vector()[::-1].copy())
def arrays_in_lists_dicts_and_tuples(a, b):
    held = [a, b, a]
    table = {"first": a, "pair": (b, held)}
    held[0][0] = table["pair"][0][1]
    table["first"][1] *= held[2][0]
    table["pair"][1][1] = a * 2
    held[1][2] = 9.0
    return np.sum(a * b) + np.sum(held[1])


@PROGRAMS.at([vector(2), vector(3)])
def array_of_a_list_under_a_name(rows):
    first = rows[0]
    rows[0] = rows[1]
    first[0] = rows[0][1] * 2
    rows[0][2] = first[1]
    return np.sum(first) * np.sum(rows[0]) + np.sum(rows[1])


@PROGRAMS.at(vector())
def attribute_of_two_objects(a):
    p, q = Holder(a), Holder(a)
    p.value[0] = q.value[1] * 3
    q.value = q.value * 2
    p.double()
    q.value[1] = p.value[0]
    return np.sum(p.value * q.value)


@PROGRAMS.at(vector())
def one_object_in_two_lists(a):
    p = Holder(a[0])
    left, right = [p], [p, Holder(a[1])]
    left[0].value *= a[2]
    right[0].double()
    right[1].value = left[0]
    return right[1].value.value * p.value


@PROGRAMS.at(vector(), 0.5)
def captured_array_written_by_inner_function(a, v):
    b = a * 2

    def push(k, x):
        b[k] = b[k - 1] * x
        return b

    c = push(1, v)
    c[2] += push(3, v * v)[1]
    return np.sum(a * b) + np.sum(c)


@PROGRAMS.at(vector())
def captured_argument_written_later(a):
    def total():
        return np.sum(a * a)

    first = total()
    a[0] = first
    a[1:] *= 0.5
    return total() * first


@PROGRAMS.at(vector())
def closures_that_share_a_cell(a):
    state = a[0]

    def up():
        nonlocal state
        state = state * a[1]

    def down():
        nonlocal state
        state -= a[2]
        return state

    up()
    y = down()
    up()
    return y * state


def returns_it(a):
    a[0] *= 2
    return a


def returns_a_view(a, k):
    return a[k:]


def returns_a_view_or_a_copy(a, flag):
    return a.reshape(-1) if flag else a.reshape(-1).copy()


@PROGRAMS.at(vector())
def result_of_a_callee_is_its_argument(a):
    b = returns_it(a)
    b[1] = a[0]
    c = returns_it(b)
    return np.sum(a * b * c)


@PROGRAMS.at(vector())
def result_of_a_callee_is_a_view(a):
    b = returns_a_view(a, 1)
    c = returns_a_view(b, 1)
    c[0] = b[0] * a[0]
    a[3] = c[0]
    return np.sum(a) * np.sum(b) * np.sum(c)


@PROGRAMS.at(vector(), True)
@PROGRAMS.at(vector(), False)
def callee_returns_view_or_copy(a, flag):
    b = returns_a_view_or_a_copy(a, flag)
    b *= 3
    a[0] = b[1]
    return np.sum(a * b)


def adds_into(target, source, scale=1.0):
    target += scale * source


@PROGRAMS.at(vector(), vector()[::-1].copy())
def callee_writes_one_argument_and_reads_another(a, b):
    adds_into(a, b)
    adds_into(b, a, scale=0.5)
    adds_into(a[1:], b[:-1])
    return np.sum(a * b)


@PROGRAMS.at(vector())
def same_array_as_both_arguments_of_a_callee(a):
    adds_into(a, a)
    adds_into(a, a[::-1], 0.5)
    adds_into(source=a[:2], target=a[2:])
    return np.sum(a * np.arange(1.0, 5.0))


@PROGRAMS.at(vector())
def overlapping_parts_as_both_arguments(a):
    adds_into(a[1:], a[:-1])
    adds_into(a[:2], a[1:3], 2.0)
    return np.sum(a * a)


@PROGRAMS.at([1.0, 2.0])
def list_written_by_a_callee_and_kept(xs):
    kept = []

    def keep(ys):
        kept.append(ys)
        ys.append(ys[0] * 2)
        return ys

    other = keep(xs)
    keep(other[:])
    kept[0][0] *= 3
    kept[1][1] = xs[0]
    return sum(xs) * sum(kept[1])


@PROGRAMS.at(vector())
def array_returned_and_kept_in_a_list(a):
    log = []

    def step(x):
        y = np.sin(x)
        log.append(y)
        return y

    b = step(a)
    b[0] = 3.0
    c = step(b)
    log[0][1] *= c[2]
    return np.sum(b * c) + np.sum(log[0])


@PROGRAMS.at(vector())
def snapshots_by_copy_and_by_name(a):
    by_name, by_copy = [], []
    for k in range(3):
        a[k] = a[k + 1] * 2
        by_name.append(a)
        by_copy.append(a.copy())
    return sum(np.sum(x * y) for x, y in zip(by_name, by_copy))


@PROGRAMS.at([[1.0, 2.0], [3.0]])
def deep_and_shallow_copies(rows):
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    rows[0][0] = rows[1][0] * 2
    shallow[0][1] *= 3
    shallow[1] = [deep[0][0]]
    deep[1].append(rows[0][0])
    return sum(map(sum, rows)) * sum(map(sum, shallow)) + sum(map(sum, deep)) ** 2


@PROGRAMS.at(vector())
def deep_copy_keeps_aliases_inside(a):
    pair = [a, a]
    twin = copy.deepcopy(pair)
    twin[0][0] = 7.0 * twin[1][1]
    pair[1][1] *= 2
    return np.sum(twin[1] * a) + np.sum(twin[0])


@PROGRAMS.at(vector())
def residual_of_a_callee_overwritten_by_the_caller(a):
    def square_sum(x):
        return np.sum(x * x * x)

    y = square_sum(a)
    a += 1
    z = square_sum(a)
    a[:] = 0
    return y * z


@PROGRAMS.at(vector())
def loop_over_rows_of_a_written_matrix(a):
    m = np.outer(a, a)
    rows = list(m)
    for k, row in enumerate(rows):
        row[k] = 1.0 + row[0]
        m[(k + 1) % 4] += row
    return np.sum(m * rows[0])


@PROGRAMS.at(vector())
def result_is_a_view_of_the_argument(a):
    a[1] = a[0] * 2
    return a[1:]


@PROGRAMS.at(vector())
def result_is_the_argument_twice(a):
    a *= a
    return a, a[::-1]


@PROGRAMS.at(vector())
def result_holds_what_was_written_afterwards(a):
    held = {"a": a, "b": [a * 2]}
    a[0] = held["b"][0][1]
    held["b"].append(a[0])
    return held


@PROGRAMS.at(vector())
def generator_hands_out_views(a):
    def windows():
        for k in range(3):
            yield a[k : k + 2]

    y = 0.0
    for w in windows():
        w *= 2
        y += w[0] * w[1]
    return y + np.sum(a)


@PROGRAMS.at(vector())
def written_in_try_and_caught(a):
    b = a
    try:
        b[0] = a[1] * 2
        b[1:] /= a[0]
        raise ValueError(b)
    except ValueError as error:
        error.args[0][2] = a[0]
    finally:
        a[3] *= b[2]
    return np.sum(a * b)


@PROGRAMS.at(vector())
def swapped_views_and_wholes(a):
    left, right = a[:2], a[2:]
    left, right = right, left
    left[:], right[:] = right, left
    b, c = a * 2, a
    b, c = c, b
    b[0], c[0] = c[0], b[0]
    return np.sum(b * c)


@PROGRAMS.at(vector(), 3)
def buffers_in_a_ring(a, n):
    ring = [a.copy() for _ in range(3)]
    for k in range(n):
        new = ring.pop(0)
        new[:] = ring[0] * ring[1] + k
        ring.append(new)
    return np.sum(ring[0] * ring[1] + ring[2])


@PROGRAMS.at(np.array([[1.0, 2.0], [3.0, 4.0]]))
def diagonal_read_after_a_write(m):
    d = np.diagonal(m)
    y = np.sum(d)
    m[0, 0] = y * y
    return np.trace(m) * np.sum(d)


@PROGRAMS.at(np.array([1.0 + 2.0j, 0.5 - 1.0j]))
def real_and_imaginary_parts_as_views(z):
    re, im = z.real, z.imag
    re[0] = im[1] * 2
    z[1] *= z[0]
    im += re
    return np.sum(np.abs(z) ** 2)


@PROGRAMS.at(vector())
def broadcast_and_windows_read_after_writes(a):
    wide = np.broadcast_to(a, (2, 4))
    windows = np.lib.stride_tricks.sliding_window_view(a, 2)
    y = np.sum(wide * windows.sum())
    a[1] = y / 10
    return np.sum(wide[0] ** 2) + np.sum(windows[:, 0] * windows[:, 1])


@PROGRAMS.at(vector())
def array_as_default_and_as_global_of_a_lambda(a):
    take = lambda k, held=a: held[k]
    a[0] = take(1) * 2
    give = (lambda held: lambda k: held[k] * take(k))(a[::-1])
    a[3] = give(0)
    return give(0) + give(3) + take(0)


@PROGRAMS.at(vector())
def array_in_an_array_of_objects_by_name(a):
    cells = {k: a[k : k + 1] for k in range(4)}
    for k in range(1, 4):
        cells[k][...] = cells[k - 1] * cells[k]
    cells[0] += 1
    return np.sum(a)


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)


# --- one object at two places of the call ---------------------------------------------------------


def test_one_array_as_two_arguments_read():
    def f(x, y):
        return np.sum(x * x * y)

    a = vector()
    x_bar, y_bar = gradient(f, a, a)
    np.testing.assert_allclose(x_bar, 2 * a * a)
    np.testing.assert_allclose(y_bar, a * a)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.fill(0.0),
        lambda x: x.sort(),
        lambda x: np.add(x, 1.0, out=x),
        lambda x: np.copyto(x, 0.0),
        lambda x: np.put(x, [0], 1.0),
        lambda x: np.add.at(x, [0], 1.0),
        lambda x: x[1:].__setitem__(0, 2.0),
        lambda x: x.reshape(2, 2).T.__iadd__(1.0),
        lambda x: np.random.default_rng(0).shuffle(x),
    ],
)
def test_one_array_as_two_arguments_written(write):
    def f(x, y):
        z = np.sum(y)
        write(x)
        return z * np.sum(x)

    a = vector()
    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(f, a, a)


def windows(*series):
    return np.lib.stride_tricks.sliding_window_view(np.array(series), 2, writeable=True)


def smoothed(w, k):
    for i in range(len(w)):
        w[i, 1] = k * (w[i, 0] + w[i, 1])
    return w[-1, 1]


def scaled(w, k):
    w *= k
    return np.sum(w * w)


def doubled_in_one_place(w, k):
    w[0] = 2.0 * w[0] * k
    return np.sum(w * w)


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("f", [smoothed, scaled, doubled_in_one_place])
@pytest.mark.parametrize(
    "array",
    [
        lambda: windows(1.0, 2.0, 3.0),
        lambda: np.lib.stride_tricks.as_strided(np.array([1.0, 2.0]), (3, 2), (0, 8)),
        lambda: np.lib.stride_tricks.as_strided(np.arange(1.0, 20.0), (2, 3), (24, 16)),
    ],
)
def test_an_array_argument_of_which_places_share_memory_written(f, array, generic):
    given = array()
    before = given.copy()
    with only_generic() if generic else contextlib.nullcontext():
        with pytest.raises(Unsupported, match="an argument of which several places share memory"):
            gradient(f, given, 0.5)
    assert np.array_equal(given, before)


def rebound(w, state):
    state["w"] = w * 2
    return w[0] * state["k"]


def rebound_in_a_list(w, state):
    state["all"][0] = [9.0]
    return w[0] * state["k"]


def written_before_an_error(w, state):
    state["k"] = 1.0
    raise ValueError("too large")


@pytest.mark.parametrize("f", [rebound, rebound_in_a_list, written_before_an_error])
def test_an_entry_bound_anew_beside_an_array_that_is_passed_twice(f):
    w = np.array([1.0, 2.0])
    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(f, w, {"k": 2.0, "w": w, "all": [w, 3.0]})


def test_a_write_to_the_base_of_an_argument_whose_places_share_memory():
    def f(x, w):
        x[1] *= 2.0
        return np.sum(w * w)

    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(Unsupported, match="several places share memory"):
        gradient(f, x, np.lib.stride_tricks.sliding_window_view(x, 2))


def test_a_broadcast_argument_is_read_only_as_in_the_plain_run():
    given = np.broadcast_to(np.array([1.0, 2.0]), (3, 2))
    with pytest.raises(ValueError, match="read-only"):
        gradient(scaled, given, 0.5)
    (bar,) = gradient(lambda x: np.sum(x * x), given)
    assert bar.tolist() == [[2.0, 4.0]] * 3
    assert bar.flags.writeable


@pytest.mark.parametrize(
    "product",
    [
        lambda x, y: x.dot(y, out=x),
        lambda x, y: np.dot(x, y, out=x),
        lambda x, y: np.dot(x, y, x),
        lambda x, y: np.matmul(x, y, out=x),
        lambda x, y: x.dot(y.T, x),
        lambda x, y: np.linalg.multi_dot([x, y, y], out=x),
    ],
)
def test_one_matrix_as_two_arguments_that_is_the_out_of_a_product(product):
    a = np.array([[1.0, 2.0], [0.5, 1.5]])
    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(lambda x, y: product(x, y).sum(), a, a)


@pytest.mark.parametrize(
    "write",
    [
        lambda xs: xs.append(1.0),
        lambda xs: xs.sort(),
        lambda xs: xs.pop(),
        lambda xs: xs.__setitem__(0, 2.0),
        lambda xs: xs.extend([1.0]),
        lambda xs: xs.reverse(),
        lambda xs: xs.clear(),
    ],
)
def test_one_list_as_two_arguments_written(write):
    def f(xs, ys):
        z = ys[0] * xs[1]
        write(xs)
        return z

    xs = [3.0, 1.0, 2.0]
    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(f, xs, xs)


def test_one_object_and_one_dict_as_two_arguments():
    def reads(p, q):
        return p.value * q.value**2

    p = Holder(1.5)
    first, second = gradient(reads, p, p)
    assert (first.value, second.value) == (1.5**2, 2 * 1.5**2)

    def writes(p, q):
        p.value = 2.0
        return q.value * p.value

    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(writes, p, p)

    def writes_item(d, e):
        d["k"] *= 2
        return e["k"]

    d = {"k": 1.0}
    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(writes_item, d, d)


def test_a_view_and_its_base_as_two_arguments():
    def reads(x, y):
        return np.sum(x[1:] * y**2)

    a = vector()
    x_bar, y_bar = gradient(reads, a, a[1:])
    np.testing.assert_allclose(x_bar[1:], a[1:] ** 2)
    np.testing.assert_allclose(y_bar, 2 * a[1:] ** 2)

    def writes(x, y):
        y[0] = x[0]
        return np.sum(x * x)

    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(writes, a, a[1:])


def test_one_array_inside_two_arguments():
    def f(pair, table):
        return np.sum(pair[0] * table["a"])

    a = vector()
    (x_bar, zero), y_bar = gradient(f, [a, 1.0], {"a": a})
    np.testing.assert_allclose(x_bar, a)
    np.testing.assert_allclose(y_bar["a"], a)
    assert zero == 0.0

    def writes(pair, table):
        pair[0][0] = 0.0
        return np.sum(table["a"])

    with pytest.raises(Unsupported, match="an argument that is passed twice"):
        gradient(writes, [a, 1.0], {"a": a})


def test_one_array_twice_inside_one_argument_gets_the_total():
    def f(layers):
        x = layers[0] * 2
        layers[1][0] = x[1]
        return np.sum(layers[0] * layers[1] * x)

    a = vector()

    def of_one(a):
        return f([a, a])

    expected = gradient(of_one, a.copy())[0]
    first, second = gradient(f, [a.copy()] * 2)[0]
    np.testing.assert_allclose(first, expected)
    np.testing.assert_allclose(second, expected)
    check_gradient(of_one, a)


def test_captured_array_has_a_cotangent_of_its_own():
    a = vector()

    def f(x):
        a[0] = x * a[1]
        return np.sum(a * x)

    y, back = pullback_self(f, 2.0)
    assert float(y) == pytest.approx(2.0 * (2.0 * -0.4 - 0.4 + 2.2 + 0.7))
    captured, x_bar = back(1.0)
    assert x_bar == pytest.approx(np.sum(a) + 2.0 * a[1])
    np.testing.assert_allclose(captured.a, [0.0, 2.0 + 4.0, 2.0, 2.0])


def test_result_kept_by_the_caller_may_be_changed_before_back():
    def f(a):
        return np.exp(a)

    a = vector()
    y, back = pullback(f, a)
    expected = np.exp(a)
    y -= 5.0
    np.testing.assert_allclose(back(np.ones(4))[0], expected)


def test_result_that_is_an_argument_written_by_the_caller_afterwards():
    def f(a):
        a *= a
        return a

    a = vector()
    y, back = pullback(f, a)
    assert y is a
    np.testing.assert_allclose(back(np.ones(4))[0], 2 * vector())
