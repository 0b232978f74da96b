"""jacobian and hessian with sparsity against formulas by hand, differences, whole matrices."""

import sys

import numpy as np
import pytest

import astad
from astad import hessian, jacobian
from astad.api.higher import jacobians, second_order
from astad.errors import AstadError, Unsupported, WrongCall

sparse = pytest.importorskip("scipy.sparse")


def draws():
    """The same in every test, whatever ran before."""
    return np.random.default_rng(11)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x):
    """By hand."""
    found = np.diag(np.r_[1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, 0.0])
    found += np.diag(np.r_[0.0, np.full(len(x) - 1, 200.0)])
    return found - np.diag(400.0 * x[:-1], 1) - np.diag(400.0 * x[:-1], -1)


def heat(u):
    """A row of cells that diffuse and react; its jacobian is tridiagonal."""
    padded = np.concatenate([np.zeros(1), u, np.zeros(1)])
    return padded[2:] - 2.0 * padded[1:-1] + padded[:-2] + np.sin(u)


def heat_jacobian(u):
    """By hand."""
    n = len(u)
    return np.diag(np.cos(u) - 2.0) + np.eye(n, k=1) + np.eye(n, k=-1)


def band(n, width):
    return sum(np.eye(n, k=k) for k in range(-width, width + 1)) != 0


def differences(f, x, h=1e-6):
    columns = [(f(x + h * unit) - f(x - h * unit)) / (2.0 * h) for unit in np.eye(x.size)]
    return np.transpose(columns)


def same(found, want, rtol=1e-12):
    assert type(found) is sparse.csr_array
    np.testing.assert_allclose(found.toarray(), want, rtol=rtol, atol=1e-12)


@pytest.fixture
def sweeps(monkeypatch):
    """The numbers of directions that each run in forward mode took."""
    found = []

    def along(f, primals, tangents, **how):
        found.append(len(next(each for each in tangents if each is not None)))
        return kept_along(f, primals, tangents, **how)

    def hessian_times(f, x, v, args, **how):
        found.append(len(v))
        return kept_times(f, x, v, args, **how)

    kept_along, kept_times = jacobians.along, second_order.hessian_times
    monkeypatch.setattr(jacobians, "along", along)
    monkeypatch.setattr(second_order, "hessian_times", hessian_times)
    return found


# --- what comes out


def test_a_tridiagonal_hessian_takes_three_products_and_one_to_check(sweeps):
    x = draws().uniform(0.5, 1.5, 200)
    found = hessian(rosenbrock, x, sparsity=band(200, 1))
    same(found, rosenbrock_hessian(x))
    assert sum(sweeps) == 4
    np.testing.assert_array_equal(found.toarray(), hessian(rosenbrock, x))
    assert found.nnz == 598


def test_a_tridiagonal_jacobian_takes_three_sweeps_and_one_to_check(sweeps):
    u = draws().normal(size=150)
    found = jacobian(heat, u, sparsity=band(150, 1))
    same(found, heat_jacobian(u))
    assert sweeps == [4]
    np.testing.assert_allclose(found.toarray(), differences(heat, u), atol=1e-8)


def test_newton_on_rosenbrock():
    from scipy.sparse.linalg import spsolve

    x, pattern = np.full(100, 1.2), sparse.csr_array(band(100, 1))
    for _ in range(50):
        slope = astad.grad(rosenbrock)(x)
        if np.max(np.abs(slope)) < 1e-10:
            break
        x = x - spsolve(hessian(rosenbrock, x, sparsity=pattern).tocsc(), slope)
    np.testing.assert_allclose(x, 1.0, rtol=1e-12)


def arrow(x):
    return np.sum(x**4) + x[0] * np.sum(np.sin(x[1:]))


def arrow_hessian(x):
    found = np.diag(12.0 * x**2 - x[0] * np.r_[0.0, np.sin(x[1:])])
    found[0, 1:] = found[1:, 0] = np.cos(x[1:])
    return found


def test_an_arrow_takes_two_products_as_a_star(sweeps):
    x = draws().uniform(0.5, 1.5, 60)
    pattern = np.eye(60) != 0
    pattern[0] = True  # one triangle says enough
    found = hessian(arrow, x, sparsity=pattern)
    same(found, arrow_hessian(x))
    assert sum(sweeps) == 3
    assert found.nnz == 3 * 60 - 2


def blocks(x):
    return np.sum(np.prod(x.reshape(-1, 4) + 1.5, axis=1))


def test_blocks():
    x = draws().uniform(0.5, 1.5, 20)
    pattern = np.kron(np.eye(5), np.ones((4, 4)))
    same(hessian(blocks, x, sparsity=pattern), hessian(blocks, x))


@pytest.mark.parametrize("seed", range(8))
def test_random_jacobians_of_any_shape(seed):
    random = np.random.default_rng(seed)
    m, n = random.integers(1, 25, 2)
    weights = random.normal(size=(m, n)) * (random.random((m, n)) < 0.2)
    x = random.normal(size=n)

    def f(x):
        return np.sin(weights @ x) + weights @ x**2

    want = (np.cos(weights @ x)[:, None] + 2.0 * x) * weights  # by hand
    same(jacobian(f, x, sparsity=weights != 0), want)
    same(jacobian(f, x, sparsity=sparse.csr_array(weights)), want)
    np.testing.assert_allclose(want, jacobian(f, x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_random_hessians(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 25))
    pairs = random.normal(size=(n, n)) * (random.random((n, n)) < 0.15)
    x = random.normal(size=n)

    def f(x):
        return np.sum(np.sin(x)) + (x**2) @ pairs @ (x**2)

    both = pairs + pairs.T
    want = np.diag(2.0 * both @ x**2 - np.sin(x)) + 4.0 * np.outer(x, x) * both  # by hand
    pattern = (both != 0) | (np.eye(n) != 0)
    found = hessian(f, x, sparsity=pattern)
    same(found, want, rtol=1e-9)
    np.testing.assert_array_equal(found.toarray(), found.toarray().T)


def gathered(x):
    return x[::2] * x[1::2]


def test_rows_are_fewer_than_columns(sweeps):
    x = draws().normal(size=8)
    rows, columns = np.repeat(np.arange(4), 2), np.arange(8)
    want = np.zeros((4, 8))
    want[np.arange(4), columns[::2]], want[np.arange(4), columns[1::2]] = x[1::2], x[::2]
    same(jacobian(gathered, x, sparsity=(rows, columns)), want)
    assert sweeps == []  # two colours of columns, one of rows: one reverse sweep, one to check


def test_reverse_sweeps_are_few():
    pulled = []

    def doubled(x):
        return 2.0 * x

    @astad.adjoint(doubled)
    def doubled_rule(x):
        def back(y_bar):
            pulled.append(1)
            return (2.0 * y_bar,)

        return doubled(x), back

    def f(x):
        return {"y": doubled(x)}["y"][1:] * x[:-1]

    x = draws().normal(size=40)
    found = jacobian(f, x, sparsity=np.eye(39, 40) + np.eye(39, 40, k=1))
    same(found, 2.0 * np.diag(x[1:]) @ np.eye(39, 40) + 2.0 * np.diag(x[:-1]) @ np.eye(39, 40, k=1))
    assert len(pulled) == 3


def table(x):
    """Forward mode has no text for it."""
    held = []
    for k in range(len(x) - 1):
        held.append(x[k] * x[k + 1])
    return np.array(held)


def test_rows_where_forward_mode_has_no_text():
    x = draws().normal(size=12)
    want = np.eye(11, 12) * x[1:, None] + np.eye(11, 12, k=1) * x[:-1, None]
    same(jacobian(table, x, sparsity=want != 0), want)


def test_matrices_are_flattened_row_by_row():
    x = draws().normal(size=(3, 4))

    def f(x):
        return x[1:] * x[:-1]

    want = jacobian(f, x).reshape(8, 12)
    found = jacobian(f, x, sparsity=want != 0)
    assert found.shape == (8, 12)
    same(found, want)

    def g(x):
        return np.sum(x[1:] ** 2 * x[:-1] ** 2)

    whole = hessian(g, x).reshape(12, 12)
    same(hessian(g, x, sparsity=whole != 0), whole)


def test_numbers_as_results_and_lone_elements():
    x = np.array([1.0, 2.0, 3.0])
    same(jacobian(lambda x: x[0] * x[2], x, sparsity=([0, 0], [0, 2])), [[3.0, 0.0, 1.0]])
    same(jacobian(lambda x: x * x, np.array([3.0]), sparsity=[[True]]), [[6.0]])
    same(hessian(lambda x: x[0] ** 3, np.array([2.0]), sparsity=[[1]]), [[12.0]])


def test_further_arguments_and_what_is_beside():
    def f(k, x):
        return k * x**2, "beside"

    def g(k, x):
        return f(k, x)[0]

    def h(k, x):
        return np.sum(k * x**3), "beside"

    def i(k, x):
        return np.sum(k * x**3)

    x = np.array([1.0, 2.0, 3.0])
    found, beside = jacobian(f, 3.0, x, argnums=1, has_aux=True, sparsity=np.eye(3))
    same(found, np.diag(6.0 * x))
    assert beside == "beside"
    same(jacobian(g, 3.0, x, argnums=-1, sparsity=np.eye(3)), np.diag(6.0 * x))
    found, beside = hessian(h, 3.0, x, argnums=1, has_aux=True, sparsity=np.eye(3))
    same(found, np.diag(18.0 * x))
    assert beside == "beside"
    same(hessian(i, 3.0, x, argnums=1, sparsity=np.eye(3)), np.diag(18.0 * x))


def test_single_precision_stays():
    x = draws().normal(size=30).astype(np.float32)
    found = jacobian(heat_32, x, sparsity=band(30, 1))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), jacobian(heat_32, x), rtol=1e-6)
    with pytest.raises(WrongCall, match=r"without \(\d+, \d+\)"):
        jacobian(heat_32, x, sparsity=np.eye(30))


def test_half_precision_comes_as_single():
    x = np.array([1.0, 2.0, 3.0], np.float16)
    found = jacobian(lambda x: x * x, x, sparsity=np.eye(3))
    assert found.dtype == np.float32  # SciPy has no sparse arrays of half precision
    same(found, np.diag([2.0, 4.0, 6.0]))


def heat_32(u):
    return u[1:].sum() * np.float32(0.0) + u * np.roll(u, 1) * np.r_[0.0, np.ones(29)].astype("f")


# --- patterns


def test_every_form_of_a_pattern():
    x = np.array([1.0, 2.0, 3.0])
    whole = band(3, 1)
    rows, columns = np.nonzero(whole)
    stored = sparse.coo_array((np.zeros(rows.size), (rows, columns)), shape=(3, 3))
    forms = [
        whole, whole.astype(int), whole.astype(float), whole.tolist(), (rows, columns),
        (rows.tolist(), columns.tolist()), (np.r_[rows, rows], np.r_[columns, columns]), stored,
        sparse.csr_array(whole), sparse.csc_matrix(whole), sparse.lil_array(whole),
        sparse.dia_array(whole), sparse.bsr_array(whole), sparse.dok_array(whole),
    ]  # fmt: skip
    for form in forms:
        same(jacobian(heat, x, sparsity=form), heat_jacobian(x))
        same(hessian(rosenbrock, x, sparsity=form), rosenbrock_hessian(x))


def test_a_pattern_that_is_larger_than_needed():
    x = draws().normal(size=20)
    found = jacobian(heat, x, sparsity=band(20, 3))
    same(found, heat_jacobian(x))
    assert found.nnz == band(20, 3).sum()
    found = hessian(rosenbrock, x, sparsity=np.ones((20, 20)))
    same(found, rosenbrock_hessian(x))
    assert found.nnz == 400


def test_an_empty_pattern():
    x = np.array([1.0, 2.0])
    assert jacobian(lambda x: np.floor(x) + 0.0 * x, x, sparsity=np.zeros((2, 2))).nnz == 0
    assert hessian(lambda x: np.sum(3.0 * x), x, sparsity=([], [])).nnz == 0
    for f in (lambda x: x[:0], lambda x: x[1:] * 1.0):
        with pytest.raises(WrongCall, match="shape"):
            jacobian(f, x, sparsity=np.zeros((3, 2)))
    with pytest.raises(WrongCall, match=r"without \(1, 1\)"):
        jacobian(lambda x: x * np.array([0.0, 1.0]), x, sparsity=([], []))
    with pytest.raises(WrongCall, match=r"without \(0, 1\)"):
        hessian(lambda x: x[0] * x[1], x, sparsity=([], []))


def test_nothing_to_differentiate():
    empty = np.zeros(0)
    assert jacobian(lambda x: x * x, empty, sparsity=np.zeros((0, 0))).shape == (0, 0)
    assert jacobian(lambda x: np.ones(2), empty, sparsity=np.zeros((2, 0))).shape == (2, 0)
    assert jacobian(lambda x: x[:0], np.ones(2), sparsity=([], [])).shape == (0, 2)
    assert hessian(lambda x: np.sum(x * x), empty, sparsity=([], [])).shape == (0, 0)


# --- what the pattern leaves out


def linear(matrix):
    return lambda x: matrix @ x


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e150])
def test_an_entry_left_out_is_named(seed, scale):
    random = np.random.default_rng(seed)
    m, n = random.integers(2, 12, 2)
    matrix = scale * random.normal(size=(m, n)) * (random.random((m, n)) < 0.4)
    matrix[0, 0] = scale
    places = np.argwhere(matrix)
    row, column = places[random.integers(len(places))]
    pattern = matrix != 0
    same(jacobian(linear(matrix), np.ones(n), sparsity=pattern), matrix)
    pattern[row, column] = False
    with pytest.raises(WrongCall) as caught:
        jacobian(linear(matrix), np.ones(n), sparsity=pattern)
    assert f"without ({row}, {column}), where the derivative is {matrix[row, column]:.6g}:" in str(
        caught.value
    )


@pytest.mark.parametrize("seed", range(20))
def test_an_entry_of_a_hessian_left_out_is_named(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 12))
    matrix = random.normal(size=(n, n)) * (random.random((n, n)) < 0.4)
    matrix[0, 1] = 1.0
    both = matrix + matrix.T
    places = np.argwhere(both)
    row, column = places[random.integers(len(places))]
    pattern = both != 0
    pattern[row, column] = pattern[column, row] = False
    with pytest.raises(WrongCall) as caught:
        hessian(lambda x: x @ matrix @ x, np.ones(n), sparsity=pattern)
    assert any(
        f"without ({i}, {j})," in str(caught.value) for i, j in [(row, column), (column, row)]
    )


def test_entries_left_out_that_cancel():
    matrix = np.array([[1.0, 2.0, -2.0, 5.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0]])
    pattern = matrix != 0
    pattern[0, 1:3] = False  # of one colour, and their sum is zero
    with pytest.raises(WrongCall, match=r"without \(0, [12]\)"):
        jacobian(linear(matrix), np.ones(4), sparsity=pattern)
    matrix = np.array([[1.0, -1.0], [0.0, 3.0]])
    with pytest.raises(WrongCall, match=r"without \(0, 1\)"):  # what is read is zero
        jacobian(linear(matrix), np.ones(2), sparsity=np.eye(2))


def test_a_small_entry_beside_large_ones():
    matrix = np.diag([1.0, 1.0, 1e20])
    matrix[0] = 1.0, 1.0, 1e20
    pattern = matrix != 0
    pattern[0, 1] = False  # shares the colour of the first
    same(jacobian(linear(matrix), np.ones(3), sparsity=matrix != 0), matrix)
    with pytest.raises(WrongCall, match=r"without \(0, 1\), where the derivative is 1:"):
        jacobian(linear(matrix), np.ones(3), sparsity=pattern)
    rows = matrix.T.copy()  # by rows of it
    with pytest.raises(WrongCall, match=r"without \(1, 0\), where the derivative is 1:"):
        jacobian(linear(rows), np.ones(3), sparsity=pattern.T)


def test_an_entry_left_out_where_its_row_has_nothing_of_that_colour():
    matrix = np.array([[1e20, 1e20, 1.0], [0.0, 1e20, 0.0], [0.0, 0.0, 1.0]])
    pattern = matrix != 0
    pattern[0, 2] = False
    with pytest.raises(WrongCall, match=r"without \(0, 2\)"):
        jacobian(linear(matrix), np.ones(3), sparsity=pattern)


def test_a_column_and_a_row_left_out():
    matrix = np.array([[1e15, 1.0], [2e15, 0.0], [0.0, 0.0]])
    for function, whole in ((linear(matrix), matrix), (linear(matrix.T.copy()), matrix.T)):
        with pytest.raises(WrongCall, match="without"):
            jacobian(function, np.ones(whole.shape[1]), sparsity=np.abs(whole) > 10.0)


def test_a_branch_that_the_pattern_has_not_seen():
    def f(x):
        return x * x if x[0] < 1.0 else np.cumsum(x)

    same(jacobian(f, np.array([0.5, 1.0]), sparsity=np.eye(2)), [[1.0, 0.0], [0.0, 2.0]])
    with pytest.raises(WrongCall, match=r"without \(1, 0\), where the derivative is 1:"):
        jacobian(f, np.array([1.5, 1.0]), sparsity=np.eye(2))


def test_the_rounding_of_what_cancels_is_no_entry():
    angles = draws().uniform(size=6)
    turned, _ = np.linalg.qr(draws().normal(size=(6, 6)))
    rows = turned.T @ turned  # one, but for rounding

    def f(x):
        return turned.T @ (turned @ np.sin(x))

    assert np.count_nonzero(rows - np.diag(np.diag(rows)))
    same(jacobian(f, angles, sparsity=np.eye(6)), np.diag(np.cos(angles)))
    found = hessian(lambda x: np.sum((turned @ x) ** 2), angles, sparsity=np.eye(6))
    same(found, 2.0 * np.eye(6))


def test_numbers_that_are_not_finite():
    x = np.array([0.0, 1.0, 4.0])
    with np.errstate(all="ignore"):
        same(jacobian(np.sqrt, x, sparsity=np.eye(3)), np.diag([np.inf, 0.5, 0.25]))
        found = jacobian(lambda x: np.sqrt(x), x, sparsity=np.eye(3)).toarray()
        np.testing.assert_array_equal(np.diag(found)[1:], [0.5, 0.25])
        assert not np.isfinite(found[0, 0])
        x = np.array([np.nan, 1.0, np.nan])
        found = jacobian(lambda x: x * x, x, sparsity=np.eye(3))
        same(found, np.diag([np.nan, 2.0, np.nan]))
        found = hessian(lambda x: np.sum(x**3), x, sparsity=np.eye(3))
        same(found, np.diag([np.nan, 6.0, np.nan]))


def test_many_rows_that_are_not_finite_are_checked_together(sweeps):
    x, pattern = np.full(300, 1e200), band(300, 1)
    with np.errstate(all="ignore"):
        want = rosenbrock_hessian(x)  # infinities on the diagonal
        same(hessian(rosenbrock, x, sparsity=pattern), want)
        assert sum(sweeps) < 4 + 4 + 3 * 2 * 8
        pattern[200, 201] = pattern[201, 200] = False
        with pytest.raises(WrongCall, match=r"without \((200, 201|201, 200)\)"):
            hessian(rosenbrock, x, sparsity=pattern)


def noisy(x):
    """Of single precision inside, so that no row is exact to double."""
    return np.float64(np.float32(x[1:] * x[:-1]) * np.float32(x[1:])) + x[:-1]


def test_rounding_in_every_row_is_told_from_what_is_left_out():
    x = draws().uniform(0.5, 1.5, 80)
    want = jacobian(noisy, x)
    pattern = want != 0
    np.testing.assert_allclose(jacobian(noisy, x, sparsity=pattern).toarray(), want, rtol=1e-5)
    pattern[40, 41] = False
    with pytest.raises(WrongCall, match=r"without \(40, 41\)"):
        jacobian(noisy, x, sparsity=pattern)


def test_what_an_infinity_may_hide_is_nan():
    def f(x):
        return np.array([np.exp(x[0]) + x[1] + x[2], x[1], x[2]])

    x, pattern = np.array([1000.0, 1.0, 2.0]), np.eye(3)
    pattern[0, 1] = 1.0  # and (0, 2) is left out
    with np.errstate(all="ignore"):
        try:
            found = jacobian(f, x, sparsity=pattern).toarray()
        except WrongCall:
            return
    assert np.isnan(found[0, :2]).all()


def test_rows_left_out_of_a_row_of_nan():
    def f(x):
        return np.array([np.log(x[0]) * x[1], x[1]])

    with np.errstate(all="ignore"), pytest.raises(AstadError):
        jacobian(f, np.array([-1.0, 2.0]), sparsity=([1], [1]))


# --- refusals


def test_a_pattern_of_another_shape():
    x = np.ones(3)
    with pytest.raises(
        WrongCall, match=r"sparsity of shape \(2, 2\) for a matrix of \(result.size, 3\)"
    ):
        jacobian(heat, x, sparsity=np.eye(2))
    with pytest.raises(WrongCall, match=r"sparsity of shape \(4, 3\) for a matrix of \(3, 3\)"):
        jacobian(heat, x, sparsity=np.ones((4, 3)))
    with pytest.raises(WrongCall, match=r"sparsity of shape \(1, 3\) for a matrix of \(2, 3\)"):
        jacobian(lambda x: x[1:] * 1.0, x, sparsity=np.ones((1, 3)))
    with pytest.raises(WrongCall, match="shape"):
        hessian(rosenbrock, x, sparsity=np.ones((2, 3)))
    with pytest.raises(WrongCall, match="sparsity with row 3 of a matrix of 3 rows"):
        jacobian(heat, x, sparsity=([0, 3], [0, 1]))
    with pytest.raises(WrongCall, match="sparsity with column 3"):
        jacobian(heat, x, sparsity=([0, 1], [0, 3]))
    with pytest.raises(WrongCall, match="sparsity with row -1"):
        hessian(rosenbrock, x, sparsity=([-1], [0]))


@pytest.mark.parametrize(
    "pattern",
    [
        "tridiagonal", 3, np.ones(3), np.ones((3, 3, 1)), ([0, 1], [0]), ([0.5], [0]),
        [[1], [1, 0]], (np.eye(2), np.eye(2)), np.array([[None]]), (np.ones(3, bool), [1, 2, 3]),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_pattern(pattern):
    with pytest.raises(WrongCall, match="sparsity by"):
        jacobian(heat, np.ones(3), sparsity=pattern)


def test_arguments_and_results_of_other_kinds():
    eye = np.eye(2)
    for x in ([1.0, 2.0], 3.0, np.array([1j, 2j]), {"a": np.ones(2)}):
        with pytest.raises(WrongCall, match="sparsity and"):
            jacobian(lambda x: x, x, sparsity=eye)
        with pytest.raises(WrongCall, match="sparsity and"):
            hessian(lambda x: x, x, sparsity=eye)
    with pytest.raises(WrongCall, match=r"argnums=\(0, 1\)"):
        jacobian(lambda a, b: a * b, np.ones(2), np.ones(2), argnums=(0, 1), sparsity=eye)
    with pytest.raises(WrongCall, match="holomorphic"):
        jacobian(lambda x: x, np.ones(2) + 0j, holomorphic=True, sparsity=eye)
    for f in (lambda x: [x[0], x[1]], lambda x: {"a": x}, lambda x: (x, x)):
        with pytest.raises(WrongCall, match="a result of kind"):
            jacobian(f, np.ones(2), sparsity=eye)
    with pytest.raises(Unsupported):
        jacobian(lambda x: x * 1j, np.ones(2), sparsity=eye)
    with pytest.raises(AstadError):
        jacobian(lambda x: "text", np.ones(2), sparsity=eye)


def test_inside_of_a_gradient_it_is_refused():
    def f(x):
        return np.sum(jacobian(heat, x, sparsity=np.eye(3)).toarray())

    with pytest.raises(AstadError):
        astad.gradient(f, np.ones(3))


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    for call in (jacobian, hessian):
        with pytest.raises(WrongCall, match="sparsity without SciPy"):
            call(heat, np.ones(3), sparsity=np.eye(3))


def test_what_is_written_is_written_once():
    def f(x, log):
        log.append("ran")
        x *= 2.0
        return x * x

    x, log = np.array([1.0, 2.0, 3.0]), []
    same(jacobian(f, x, log, sparsity=np.eye(3)), np.diag([8.0, 16.0, 24.0]))
    assert log == ["ran"]
    assert x.tolist() == [2.0, 4.0, 6.0]  # as after the plain run
