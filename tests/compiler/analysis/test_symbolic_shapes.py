"""Shapes that are equal for certain are not compared, and no others go uncompared.

Subscripts that mix ints, slices, new axes, masks and arrays of ints: read, written, added to.
"""

import itertools

import numpy as np
import pytest

from astad import gradient
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds, fused=True):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind.startswith("ndarray") or kind == "float" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=fused).text.source


def vector(n, start=0.3):
    return np.linspace(start, start + 1.0, n)


def test_slices_that_leave_out_as_many(forms_agree):
    def f(x):
        return np.sum((x[1:] - x[:-1] ** 2) ** 2 * x[: -2 + 1])

    def g(x):
        return np.sum(x[2:] * x[1:-1] * x[:-2])

    def h(x):
        return np.sum(x[1:][1:] * x[2:])

    for fn in (f, g, h):
        text = source(fn, "ndarray1")
        assert ".shape ==" not in text and "sum_to_shape" not in text
        for n in (0, 1, 2, 3, 7):
            forms_agree(fn, vector(n))


def test_slices_that_leave_out_more(forms_agree):
    def f(x):
        return np.sum(x[1:] * x[:1])

    def g(x, n):
        return np.sum(x[:n] * x[n:])

    assert "sum_to_shape" in source(f, "ndarray1")
    assert "sum_to_shape" in source(g, "ndarray1", "int")
    for n in (1, 2, 3, 7):
        forms_agree(f, vector(n))
    for n in (1, 2, 4):
        forms_agree(g, vector(4), n) if n != 4 else None
        forms_agree(g, vector(n + 1), n)


def test_one_element_of_a_rest(forms_agree):
    """It is broadcast, whatever its length would be if it left out as many as the other."""

    def first_of_the_rest(x):
        later = x[2:]
        return np.sum(later[:1] * x[1:])

    def anchored(x):
        inner = x[1:]
        gap = inner - inner[:1] * 2.0
        return np.sum(gap * inner[:1] ** 2)

    def kept_of_the_rest(x, w):
        tail = x[3:]
        return np.sum(np.exp(tail[0:1]) * x[2:]) * np.sum(tail[:1] * w)

    for n in (4, 5, 7):
        forms_agree(first_of_the_rest, vector(n))
        forms_agree(anchored, vector(n))
        forms_agree(kept_of_the_rest, vector(n), vector(n, 0.8))


def add(a, b):
    """One array after the other."""
    return np.concatenate((a, b))


def test_a_function_named_like_an_operator(forms_agree):
    def f(x, w):
        return np.sum(add(x, w) ** 2 * add(w, x))

    forms_agree(f, vector(3), vector(3, 0.9))
    forms_agree(f, vector(2), vector(4, 0.9))


def test_two_arguments_may_differ(forms_agree):
    def f(x, y):
        t = 2.0 * x
        u = np.exp(y)
        return np.sum(t * x + u * y) + np.sum(t * u)

    assert source(f, "ndarray1", "ndarray1").count(".shape ==") == 2
    for n, m in ((3, 3), (3, 1), (1, 3), (1, 1), (0, 0), (0, 1)):
        forms_agree(f, vector(n), vector(m))


def test_what_subscripts_have_told(forms_agree):
    def f(s, p):
        return np.sum(s + np.array([s[0] * p[0], p[1] * s[1]]))

    def g(s, p):
        return np.sum(s + np.array([s[0] * p[0], p[1] * s[0]]))

    assert "sum_to_shape" not in source(f, "ndarray1", "ndarray1")
    assert "sum_to_shape" in source(g, "ndarray1", "ndarray1")
    forms_agree(f, vector(2), vector(3))
    for n in (1, 2):
        forms_agree(g, vector(n), vector(3))


def test_new_axes_are_summed_without_asking(forms_agree):
    def f(a, b):
        d = a[:, None, :] - a[None, :, :]
        return np.sum(d * d * b[:, None]) + np.sum(b[:, None] * b[None, :])

    text = source(f, "ndarray2", "ndarray1")
    assert "keepdims=True" in text
    for n, m in ((3, 2), (1, 2), (2, 1), (1, 1), (0, 2)):
        forms_agree(f, np.linspace(0.1, 1.2, n * m).reshape(n, m), vector(n))


def test_a_name_that_a_loop_makes_longer(forms_agree):
    def f(x, y, n):
        s = x
        for i in range(n):
            s = s * y
        return np.sum(s * x)

    for n in (0, 1, 3):
        for one, two in ((1, 3), (3, 1), (3, 3), (1, 1)):
            forms_agree(f, vector(one), vector(two), n)


def test_a_name_that_a_loop_keeps(forms_agree):
    def f(x, n):
        s = x
        c = np.zeros(x.shape[0])
        for i in range(n):
            c = c * 0.5 + np.tanh(s)
            s = s * x + c
        return np.sum(s + c)

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "_shape" not in text
    for n in (0, 1, 3):
        for length in (0, 1, 4):
            forms_agree(f, vector(length), n)


def test_a_row_and_a_column_change_places_in_a_loop(forms_agree):
    def f(x, n):
        a = x[None, :]
        b = x[:, None]
        t = 0.0
        for i in range(n):
            t = t + np.sum(a * b * (i + 1.0))
            a, b = b, a
        return t + np.sum(a * x)

    for n in (0, 1, 2, 3):
        for length in (1, 3):
            forms_agree(f, vector(length), n)


def test_either_arm(forms_agree):
    def f(x, y, n):
        if n > 1:
            s = x[:1]
        else:
            s = x
        return np.sum(s * y * x)

    for n in (1, 2):
        for length in (1, 3):
            forms_agree(f, vector(length), vector(length), n)


def test_what_only_one_arm_has_told(forms_agree):
    def f(x, y, n):
        t = 0.0
        if n > 1:
            t = x[1] + y[1]
        return t * np.sum(x * y) + np.sum(x + y)

    forms_agree(f, vector(3), vector(3), 2)
    for one, two in ((1, 3), (3, 1), (1, 1)):
        forms_agree(f, vector(one), vector(two), 1)


def test_products_tell_that_inner_lengths_are_equal(forms_agree):
    def f(a, b, v):
        return np.sum(a @ v * v) + np.sum((a @ b) * (b.T @ a.T).T)

    text = source(f, "ndarray2", "ndarray2", "ndarray1")
    assert "sum_to_shape(" in text  # a @ v and v may be of different lengths
    a = np.linspace(0.1, 1.2, 9).reshape(3, 3)
    forms_agree(f, a, a + 0.5, vector(3))
    forms_agree(f, a[:1], a + 0.5, vector(3))


def test_an_array_that_somebody_may_reshape_is_asked():
    def f(x, y):
        t = 2.0 * x
        t.resize((2, 2), refcheck=False)
        return np.sum(t * y) + np.sum(t * (2.0 * t))

    with pytest.raises(Exception, match="resize"):
        gradient(f, vector(4), np.ones((2, 2)))


def test_the_same_array_twice(forms_agree):
    def f(x, y):
        return np.sum((x - y) * x)

    x = vector(3)
    assert gradient(f, x, x)[0].shape == (3,)
    forms_agree(f, x, x[:1])


V, W = np.array([0.3, -1.2, 0.7, 2.0]), np.array([0.5, 1.5, -0.4])
A = np.arange(1.0, 13.0).reshape(4, 3) / 7


def differences(x):
    return np.sum((x[1:] - x[:-1]) ** 2 + (1.0 - x[:-1]) ** 2)


def centred(x):
    d = x - x.mean(axis=0)
    return np.sum(d * d / (1.0 + x.max(axis=1, keepdims=True) ** 2))


def pairs(x):
    d = x[:, None] - x[None, :]
    return np.sum(d * d * d)


def weighted(x):
    n = x.shape[0]
    u = np.zeros(n) + x
    return np.sum(u * x + np.ones(x.shape) * x)


def outer_sum(a, x):
    return np.sum((a.T @ a) * np.outer(x, x) + a.reshape(3, 4) @ a)


@pytest.mark.parametrize(
    "fn, args, kinds",
    [
        (differences, (V,), ["ndarray1"]),
        (centred, (A,), ["ndarray2"]),
        (pairs, (V,), ["ndarray1"]),
        (weighted, (V,), ["ndarray1"]),
    ],
)
def test_what_the_text_tells_is_not_tested(fn, args, kinds, forms_agree):
    forms_agree(fn, *args, fused=True)
    text = source(fn, *kinds)
    assert ".shape ==" not in text and "sum_to_shape" not in text


def test_products_and_reshaped_arrays(forms_agree):
    forms_agree(outer_sum, A, W, fused=True)


def unlike(x, y):
    return np.sum((x + y) ** 2 * x[:1])


@pytest.mark.parametrize("y", [V * 2, V[:1] * 3])
def test_arrays_of_one_rank_may_still_differ(y, forms_agree):
    forms_agree(unlike, V, y, fused=True)
    forms_agree(unlike, V[:1].copy(), y, fused=True)


def shrinking(x, n):
    kept = x
    total = 0.0
    for _ in range(n):
        shorter = kept[1:]
        total = total + np.sum(shorter * kept[:1])
        kept = shorter
    return total + np.sum(kept)


def late(x, n):
    before = x
    total = 0.0
    for i in range(n):
        if i > 0:
            total = total + np.sum(before * x[:1] + before * before)
        before = x[i : i + 2] * 2.0
    return total + np.sum(before * x[:1])


def from_last_time(x, n):
    total = 0.0
    for i in range(n):
        now = x[: 4 - 3 * (i % 2)] * 1.0
        if i > 0:
            total = total + np.sum(now * then)  # noqa: F821  (bound in the iteration before)
        then = now
    return total


def leaving(x, n):
    u = x
    for i in range(n):
        u = x[:1]
        if i == 1:
            break
        u = x * u
    else:
        u = x
    return np.sum(u * x)


@pytest.mark.parametrize("fn", [shrinking, late, from_last_time, leaving])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_what_a_loop_binds_is_new_in_each_iteration(fn, n, forms_agree):
    forms_agree(fn, V, n)


def either(x, flag):
    if flag:
        u = x[1:]
        w = x[:1]
    else:
        u = x[:-1]
        w = x[:-1]
    return np.sum(u * w + u * x[1:])


@pytest.mark.parametrize("flag", [True, False])
def test_branches_agree_on_what_both_bind(flag, forms_agree):
    forms_agree(either, V, flag)


def rows_and_columns(x):
    row, column = x[None, :], x[:, None]
    return np.sum(row * column - row + 2.0 * column) + np.sum(row * row - row)


@pytest.mark.parametrize("size", [0, 1, 4])
def test_axes_of_length_one_are_repeated_or_not(size, forms_agree):
    forms_agree(rows_and_columns, V[:size], fused=True)


def one_by_one(x):
    return np.sum(
        x.sum(axis=1, keepdims=True) * x + x.sum(axis=0, keepdims=True) - x.sum(axis=1)[0]
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 3)])
def test_reductions_that_keep_their_axes(shape, forms_agree):
    forms_agree(one_by_one, A.ravel()[: shape[0] * shape[1]].reshape(shape), fused=True)


def counted(x, n):
    m = n
    for _ in range(5):
        m = m + m
    u = x[: m - 31 * n]
    return np.sum(u * x[:n])


def test_bounds_that_are_computed(forms_agree):
    forms_agree(counted, V, 2)


def test_lengths_that_are_computed_alike(forms_agree):
    def f(x, n):
        return np.sum(x[: n - 1] ** 2 * np.exp(x[: n - 1])) + np.sum(x[: n // 2] / x[: n // 2] ** 3)

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "sum_to_shape" not in text
    for n in (1, 2, 4):
        forms_agree(f, V, n)


def test_lengths_that_are_computed_from_truths(forms_agree):
    def f(x, n):
        return np.sum(x[: (n > 2) + 1] * x[: (n > 5) + 1])

    for n in (1, 3, 6):
        forms_agree(f, V, n)


def test_where_the_axes_of_an_array_of_ints_go(forms_agree):
    def f(x, i):
        y = x[0, :, i] * 2.0  # of shape (len(i), 1), but x[0][:, i] is (1, len(i))
        w = np.zeros((x.shape[1], len(i))) + x[1, 0, 0]
        return np.sum(y * w * y)

    x, i = np.arange(8.0).reshape(2, 1, 4) + 0.5, np.array([0, 2, 3])
    expected = [[[54.0, 0.0, 270.0, 378.0]], [[225.0, 0.0, 0.0, 0.0]]]
    assert gradient(f, x, i)[0].tolist() == expected
    forms_agree(f, x, i)


def test_arrays_of_ints_beside_a_slice(forms_agree):
    def f(x, i):
        return np.sum(x[0, :, i] ** 2 * x[1, :, i])

    def g(x, i):
        return np.sum(x[0][:, i] ** 2 * x[0][:, i])

    for fn in (f, g):
        assert "sum_to_shape" not in source(fn, "ndarray3", "ints1")
        forms_agree(fn, vector(12).reshape(2, 2, 3), np.array([1, 0, 1]))


def test_an_ellipsis_that_stands_for_no_axis(forms_agree):
    def f(x):
        return np.sum(x[0, ..., :] ** 2 * x[..., 0, :1])

    forms_agree(f, A)
    forms_agree(f, A[:1])


def test_products_of_matrices_and_of_stacks(forms_agree):
    def f(a, b):
        return np.sum(np.matmul(a, b) ** 2 * (a @ b))

    def g(a, b):
        return np.sum((a @ b) * a[:, :, :1]) + np.sum(a[0, 0] * b[:, 0, 0])

    assert "sum_to_shape" not in source(f, "ndarray2", "ndarray2")
    forms_agree(f, A, A.T)
    for n in (1, 2):
        forms_agree(g, vector(4 * n).reshape(n, 2, 2), vector(4).reshape(1, 2, 2))
        forms_agree(g, vector(4).reshape(1, 2, 2), vector(4 * n).reshape(n, 2, 2))


def test_equations_tell_that_the_matrix_is_square(forms_agree):
    def f(a, b):
        return np.sum(np.linalg.solve(a, b) ** 2 * a[0] * a[:, 0])

    assert "sum_to_shape" not in source(f, "ndarray2", "ndarray1")
    for n in (1, 3):
        forms_agree(f, A[:n, :n] + 2.0 * np.eye(n), W[:n])


def test_exchanged_axes_are_known(forms_agree):
    def f(t):
        return np.sum(np.swapaxes(t, 0, -1) ** 2 * np.swapaxes(t, 1, 0))

    assert "sum_to_shape" not in source(f, "ndarray2")
    forms_agree(f, A)


def test_axes_that_are_exchanged(forms_agree):
    def f(t, n):
        return np.sum(np.swapaxes(t, n, 0) ** 2 * np.swapaxes(t, 0, -2))

    def g(t):
        return np.sum(np.swapaxes(t, 0, 5) ** 2)

    t = vector(12).reshape(2, 2, 3)
    forms_agree(f, t, 1)
    with pytest.raises(np.exceptions.AxisError, match="axis2: axis 5 is out of bounds"):
        gradient(g, t)


def row_of_a_name(x, a):
    row, total = x, 0.0
    for row in a:
        total = total + np.sum(row * x * x)
    return total + np.sum(row * x)


def last_row(x, a):
    row = x
    for row in a:
        pass
    return np.sum(row * x)


@pytest.mark.parametrize("fn", [row_of_a_name, last_row])
def test_rows_under_a_name_that_an_array_had(fn, forms_agree):
    for x, a in ((V, A[:, :1].copy()), (V[:1].copy(), A), (W, A), (W, A[:0])):
        forms_agree(fn, x, a)


def goes_on(x, n):
    s, total = x, 0.0
    for i in range(n):
        s = x
        if i > 0:
            s = x[:1]
        else:
            continue
        total = total + np.sum(s * x * x)
    return total


def test_an_arm_that_goes_on_with_the_loop_tells_nothing_of_what_follows(forms_agree):
    forms_agree(goes_on, V, 3)


def leaves_before(x, y, n):
    rest, total = x, 0.0
    for _ in range(n):
        total = total + np.sum(x * y * y)
        if n == 1:
            break
        total = total + x[1] * y[1]
        rest = rest[1:]
    return total + np.sum(rest)


def told_at_the_end(x, y, n):
    total = 0.0
    for i in range(n):
        total = total + x[0]
        if i == 1:
            break
    else:
        total = total + x[1] * y[1]
    return total * np.sum(x * y * y)


@pytest.mark.parametrize("fn, n", [(leaves_before, 1), (told_at_the_end, 3)])
def test_subscripts_that_a_loop_may_never_reach_tell_nothing(fn, n, forms_agree):
    forms_agree(fn, V[:1].copy(), V, n)
    forms_agree(fn, V, V * 2, n - 1)


def test_arrays_made_of_as_many(forms_agree):
    def f(x, n):
        u = np.zeros((n, n)) + x[0]
        v = np.ones((n, n)) * x[1]
        return np.sum(u * v * x[2])

    text = source(f, "ndarray1", "int")
    assert ".shape ==" not in text and "sum_to_shape" not in text
    forms_agree(f, V, 3)


def bound_at_the_end(x, n):
    u, total = x[:1], 0.0
    for i in range(n):
        total = total + x[0]
        if i == 1:
            break
    else:
        u = x * 2.0
    return total * np.sum(u * x * x)


def bound_at_the_end_of_an_inner_loop(x, n):
    s, total = x, 0.0
    for _ in range(n):
        total = total + np.sum(s * x * x)
        for _ in range(2):
            total = total + s[0]
            if total > 1e9:
                break
        else:
            s = x[:1]
    return total


@pytest.mark.parametrize("fn", [bound_at_the_end, bound_at_the_end_of_an_inner_loop])
@pytest.mark.parametrize("n", [1, 3])
def test_names_that_have_other_lengths_by_then(fn, n, forms_agree):
    forms_agree(fn, V, n)


X = np.random.default_rng(0).uniform(0.5, 2.0, (2, 3, 2))
PARTS = {
    "0": 0,
    "-1": -1,
    ":": slice(None),
    "1:": slice(1, None),
    "None": None,
    "...": ...,
    "i": np.array([1, 0, 1]),
    "[0, 1]": [0, 1],
    "np.array([[0], [1]])": np.array([[0], [1]]),
    "np.int64(1)": np.int64(1),
    "np.array([True, False, True])": np.array([True, False, True]),
}
BODIES = [
    "y = x[{0}]\n    z = y * w\n    s = np.zeros(z.shape)\n    s[...] += y * y\n    y = s * z",
    "y = x * 1.0\n    y[{0}] = x[{0}] * w",
    "y = x * 1.0\n    y[{0}] *= w\n    y[{0}] += w * x[{0}]",
    "y = np.zeros(x.shape)\n    y[{0}] = x[0, 0, 0]\n    y[{0}] += w\n    y = y * x",
    "y = x[{0}] * np.sin(x)[{0}] * w",
]


def subscripts():
    """Each mix of up to four parts with at least one array among them that NumPy takes."""
    for count in (1, 2, 3, 4):
        for names in itertools.product(PARTS, repeat=count):
            index = tuple(PARTS[name] for name in names)
            if names.count("...") > 1 or not any(len(name) > 2 or name == "i" for name in names):
                continue
            try:
                taken = X[index]
            except IndexError:
                continue
            if np.size(taken):
                yield ", ".join(names) + ("," if count == 1 else ""), np.shape(taken)


TABLE = list(subscripts())


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """One module of many functions, imported."""

    def made(texts):
        heads = (f"def f{at}(x, w, i):\n    {text}\n" for at, text in enumerate(texts))
        bodies = "\n\n".join(head + "    return np.sum(y**3)\n" for head in heads)
        (tmp_path / "subscripted.py").write_text("import numpy as np\n\n\n" + bodies)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(__import__("sys").modules, "subscripted", raising=False)
        import subscripted

        return [getattr(subscripted, f"f{at}") for at in range(len(texts))]

    return made


def check(forms_agree, programs, chosen):
    functions = programs([body.format(index) for index, _, body, _ in chosen])
    for (index, shape, body, thin), f in zip(chosen, functions, strict=True):
        if thin and shape:
            shape = (1, *shape[1:]) if thin == 1 else (*shape[:-1], 1)
        try:
            forms_agree(f, X, np.random.default_rng(1).uniform(1.0, 2.0, shape), PARTS["i"])
        except Exception as error:
            error.add_note(f"x[{index}], w of shape {shape}: {body}")
            raise


def drawn(step, start=0):
    cases = itertools.product(TABLE, BODIES, range(3))
    return [(*of, body, thin) for of, body, thin in itertools.islice(cases, start, None, step)]


@pytest.mark.slow
def test_a_sample_of_all_mixes(forms_agree, programs):
    check(forms_agree, programs, drawn(1499))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_more_of_all_mixes(forms_agree, programs, part):
    check(forms_agree, programs, drawn(701, 11 * part))


def test_an_array_of_ints_behind_an_int_and_a_slice(forms_agree):
    def f(x, i):
        return np.sum(x[0][None, :, i] * x[1, None, :, i])

    forms_agree(f, X, np.array([0, 1, 1]))


def test_rows_of_transposed_planes(forms_agree):
    class Planes:
        def __init__(self, data, chosen):
            self.data, self.chosen = data, chosen

        def at(self, k):
            return self.data[k, :, self.chosen]

    def f(x, i, w):
        planes, total = Planes(x, i), 0.0
        for k in range(2):
            total = total + np.sum(planes.at(k) * planes.at(1 - k) * w)
        return total

    forms_agree(f, X, np.array([1, 0, 1]), np.array([1.0, 2.0, 4.0]))
    forms_agree(f, X, np.array([1, 0, 1]), np.array([[1.0], [2.0], [4.0]]))


def test_the_result_is_square_and_told_apart_from_its_transpose(forms_agree):
    def f(x, i, w):
        y = x[0, :, i] * w
        return np.sum(y @ x[1, :, i])

    forms_agree(f, X, np.array([1, 0, 1]), np.arange(9.0).reshape(3, 3))


def test_an_int_that_is_counted(forms_agree):
    def f(x, i):
        total = 0.0
        for k in range(x.shape[0]):
            y = x[k, 1:, i]
            total = total + np.sum(y * x[k, :2, :2])
        return total

    forms_agree(f, X, np.array([1, 0]))


def test_written_behind_an_int_and_a_slice(forms_agree):
    def f(x, i, w):
        y = np.zeros(x.shape)
        y[0, :, i] = x[1, :, i] * w
        y[1, :, i] += 2.0 * y[0, :, i]
        return np.sum(y * y * x)

    forms_agree(f, X, np.array([1, 0]), np.array([[1.0], [3.0]]))


def test_what_a_mask_leaves_is_not_as_long_as_the_array(forms_agree):
    def f(x):
        y = x[x > 1.9]
        return np.sum(x * y)

    forms_agree(f, np.array([0.5, 1.0, 2.0, 1.5]))


def test_a_mask_that_leaves_one_entry_beside_the_whole(forms_agree):
    def f(x, w):
        top = x[w > 2.0]
        share = np.where(x > top, x, top * w)
        return np.sum(share / top)

    forms_agree(f, np.array([0.5, 1.0, 2.0, 1.5]), np.array([0.0, 3.0, 1.0, 1.0]))
