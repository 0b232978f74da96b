"""What is looked up in a module is data of a known kind.

What a fused text takes for granted and tests as it runs: cross products are of vectors in space,
powers of numbers are real. Where that is not so another variant answers, if nothing was drawn.

Tuples of results of NumPy's functions: their parts, in every form.
"""

import linecache
import random
import types
import warnings

import numpy as np
import pytest

from astad import gradient, value_and_grad
from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.runtime.core.variants import forget_all, variants_of

constants = types.ModuleType("constants")
constants.WEIGHTS = np.array([1.0, 2.0, 0.5])
constants.GAIN = 2.0


def test_arrays_and_numbers_of_another_module(forms_agree):
    def f(x):
        return np.sum(constants.WEIGHTS * x) * constants.GAIN * x[0]

    forms_agree(f, np.array([0.5, 1.5, -0.4]), fused=True)


A, B = np.array([0.4, -1.2, 0.7]), np.array([1.1, 0.3, -0.5])
WITHOUT_PLANES = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 5)
planes = pytest.mark.skipif(WITHOUT_PLANES, reason="NumPy refuses vectors in a plane")
FLAT = np.array([0.4, -1.2]), np.array([1.1, 0.3])
ROWS = np.array([[0.3, 0.2, 0.9], [-0.4, 1.5, 0.6]])


def moment(a, b):
    c = np.cross(a, b)
    return np.sum(c * c) + np.sum(a)


def twice_crossed(a, b):
    return np.sum(np.cross(a, np.cross(a, b)) ** 2)


def with_itself(a):
    return np.sum(np.cross(a, 2.0 * a) + np.cross(a, a))


def turned(axis, v):
    return v + np.cross(axis, v)


def through_callee(a, b):
    return np.sum(turned(a, b) * b)


def callee_without_derivative(a, b):
    w = turned(np.ones(b.shape[0]), np.linspace(0.5, 2.0, b.shape[0]))
    return np.sum(w * a * b)


def unread_result(a, b):
    turned(a, b)
    return np.sum(a * b)


def late(a, b, n):
    total = 0.0
    for _ in range(n):
        work = np.zeros(a.shape[0])
        work[0] = total + a[0]
        work[1:] += a[1:]
        c = np.cross(work, b)
        total = total + np.sum(c * c)
    return total


def root(x):
    return x**0.5


def through_power(x, y):
    return root(x) * y + root(y)


@pytest.mark.parametrize(
    "fn",
    [moment, twice_crossed, through_callee, callee_without_derivative, unread_result],
)
def test_vectors_in_space(fn, forms_agree):
    forms_agree(fn, A, B, fused=True)
    forms_agree(fn, A, ROWS if fn in (moment, twice_crossed, through_callee) else B)


def test_the_same_vector_twice(forms_agree):
    forms_agree(with_itself, A, fused=True)


@planes
@pytest.mark.parametrize("fn", [moment, through_callee])
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_vectors_in_a_plane(fn, forms_agree):
    forms_agree(fn, *FLAT)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_local_arrays_written_before(n, forms_agree):
    forms_agree(late, A, B, n)


@planes
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize("fn", [moment, through_callee])
def test_after_a_run_in_space_a_plane(fn):
    forget_all()
    both = value_and_grad(fn, argnums=(0, 1))
    in_space = both(A, B)
    assert variants_of(fn).fused[0, 1]
    y, (a_bar, _) = both(*FLAT)
    assert y == fn(*FLAT)
    step = np.array([1e-6, 0.0])
    slope = (fn(FLAT[0] + step, FLAT[1]) - fn(FLAT[0] - step, FLAT[1])) / 2e-6
    np.testing.assert_allclose(a_bar[0], slope, rtol=1e-7)
    again = both(A, B)
    np.testing.assert_array_equal(again[1][0], in_space[1][0])


@planes
def test_a_plane_warns_once():
    forget_all()
    gradient(moment, A, B)
    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        moment(*FLAT)
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        gradient(moment, *FLAT)
    shown = [str(each.message) for each in ours if each.category is DeprecationWarning]
    assert len([each for each in shown if "2-dimensional" in each]) == len(plain)


@pytest.mark.parametrize(
    ("a", "b"), [(np.ones(4), np.ones(4)), (np.ones(0), np.ones(3)), (A, np.ones(1))]
)
def test_what_has_no_cross_product(a, b):
    forget_all()
    gradient(moment, A, B)
    with pytest.raises(ValueError) as plain:
        moment(a, b)
    with pytest.raises(ValueError) as ours:
        gradient(moment, a, b)
    assert str(ours.value) == str(plain.value)


def test_a_power_in_a_callee_may_turn_complex(forms_agree):
    forms_agree(through_power, 1.3, 0.7, fused=True)
    gradient(through_power, 1.3, 0.7)
    with pytest.raises(TypeError, match="complex"):
        gradient(through_power, -1.3, 0.7)


def test_text_of_a_vector_product():
    from astad.compiler.ir.kinds import parse_kind
    from astad.compiler.pipeline import compile_function

    vector = parse_kind("ndarray1")
    text = compile_function(moment, [vector] * 2, [True] * 2, fused=True).text.source
    assert "if a.shape[0] != 3:\n        return NotImplemented" in text
    assert "crossed(b, c_bar)" in text


def times_draw(x, y):
    r = random.random()
    return abs(x**y) * r + r


def noise():
    return random.gauss(0.0, 1.0)


def by_a_helper(x, y):
    e = noise()
    return abs((x * e) ** y) + e


def power(x, y):
    return abs(x**y)


def in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        total += random.uniform(0.5, 1.5) * power(x - k, y)
    return total


def crossed(a, b):
    w = random.random()
    return np.sum(np.cross(a, b)) * w


def too_large(a, n):
    s = 0.0
    for k in range(n):
        s += a[k] * a[k] * random.random()
    return s * 1e308 * 1e10


def stopped(a, n):
    level = random.random()
    total = level
    for row in a[:n]:
        total = total + row * row * level
    return np.sum(total)


V = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "f, args",
    [
        (times_draw, (-2.0, 1.5)),
        (by_a_helper, (-2.0, 1.5)),
        (by_a_helper, (2.0, 1.5)),
        (in_a_loop, (1.5, 1.5)),
        pytest.param(crossed, (V, V + 1.0), marks=planes),
        (too_large, (V, 2)),
        (stopped, (np.eye(2), 0)),
        (stopped, (np.eye(2), 2)),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_drawn_at_random_is_drawn_once(f, args):
    random.seed(1)
    plain = f(*args), random.random()
    for _ in range(2):
        random.seed(1)
        value, bars = value_and_grad(f, (0, 1))(*args)
        assert (value, random.random()) == plain
    if f is times_draw:
        r = (plain[0]) / (1.0 + 2.0**1.5)
        assert bars[0] == pytest.approx(-1.5 * 2.0**0.5 * r)


def test_a_cross_product_with_a_display(forms_agree):
    def f(v):
        return np.sum(np.cross([1.0, 0.0, 0.5], v) ** 2)

    forms_agree(f, np.array([0.5, 1.5, -0.4]))


RNG = np.random.default_rng(8)
A_of_part_kinds = RNG.normal(size=(3, 3)) + 3.0 * np.eye(3)
TALL = RNG.normal(size=(4, 2))
STACK = RNG.normal(size=(2, 2, 2)) + 2.0 * np.eye(2)
V_of_part_kinds = RNG.normal(size=4)


def function_of(body, names="a, x"):
    text = "    " + body.replace("; ", "\n    ") + "\n"
    source = f"def f({names}):\n{text}"
    file = f"<{body}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np, "seen": lambda value: value}
    exec(compile(source, file, "exec"), space)
    return space["f"]


SQUARE = [
    "sign, y = np.linalg.slogdet(a); return x * y",
    "sign, y = np.linalg.slogdet(a); return x * y * sign + sign",
    "y = np.linalg.slogdet(a)[1]; return x * y * y",
    "y = np.linalg.slogdet(a).logabsdet; return x * y",
    "t = np.linalg.slogdet(a); return t[0] * t[-1] * x + t.logabsdet",
    "t = np.linalg.slogdet(a); return x * x + np.sum(a)",
    "w, v = np.linalg.eigh(a + a.T); return np.sum(np.exp(0.1 * w)) + np.sum(v * v) * x",
    "w, v = np.linalg.eigh(a + a.T); return np.sum(np.abs(v[:, 0]) * w) * x",
    "w = np.linalg.eigh(a + a.T)[0]; return np.sum(w) * x",
    "w = np.linalg.eigh(a + a.T, UPLO='U').eigenvalues; return np.max(w) * x",
    "u, s, vh = np.linalg.svd(a); return np.sum(np.log(s)) * x",
    "u, s, vh = np.linalg.svd(a); return np.sum(np.abs(u[:, 0]) * np.abs(vh[0]) * s) * x",
    "s = np.linalg.svd(a, full_matrices=False)[1]; return s[0] * x - s[-1]",
    "t = np.linalg.svd(a); return np.sum(t.S) * x",
]
TALLS = [
    "y = np.linalg.lstsq(a, v, rcond=None)[0]; return np.sum(y * y) * x",
    "y, rest, rank, s = np.linalg.lstsq(a, v); return np.sum(y) * np.sum(rest) * x",
    "u, s, vh = np.linalg.svd(a, full_matrices=False); return np.sum(np.abs(u @ vh)) * x + s[0]",
]
BRANCHES = [
    "sign, y = np.linalg.slogdet(a)\n    if x > 0:\n        z = y * x\n    else:\n        z = x\n"
    "    return z",
    "z = x\n    if x > 0:\n        w, v = np.linalg.eigh(a + a.T)\n        z = z + w[0]\n"
    "    return z",
    "z = x\n    for i in range(3):\n        sign, y = np.linalg.slogdet(a * (i + 1.0))\n"
    "        z = z + y * sign\n    return z",
    "z = x\n    sign, y = np.linalg.slogdet(a)\n    for i in range(3):\n        z = z + y * z\n"
    "    return z",
]


@pytest.mark.parametrize("body", SQUARE)
def test_parts_of_a_matrix(body, forms_agree):
    forms_agree(function_of(body), A_of_part_kinds, 0.7, fused=True, rtol=1e-6)


@pytest.mark.parametrize("body", TALLS)
def test_parts_of_more_rows_than_columns(body, forms_agree):
    forms_agree(function_of(body, "a, x, v"), TALL, 0.7, V_of_part_kinds, fused=True, rtol=1e-6)


@pytest.mark.parametrize("body", BRANCHES)
@pytest.mark.parametrize("x", [0.7, -0.7])
def test_branches_and_loops(body, x, forms_agree):
    forms_agree(function_of(body), A_of_part_kinds, x, fused=True)


def test_stacks(forms_agree):
    fn = function_of("sign, y = np.linalg.slogdet(a); return np.sum(sign * y) * x")
    forms_agree(fn, STACK, 0.7, fused=True)


OPEN = [
    "t = np.linalg.slogdet(a); u = t; return u[1] * x",
    "t = np.linalg.slogdet(a); return seen(t)[1] * x",
    "w, v = np.linalg.eigh(a + a.T); w[0] = x; return np.sum(w * w)",
    "w, v = np.linalg.eigh(a + a.T); w *= x; return np.sum(w * w) + np.sum(v * v)",
    "w, v = np.linalg.eigh(a + a.T); z = seen(w); z[0] = 2.0; return np.sum(w * w) * x",
    "t = np.linalg.eigh(a + a.T); z = t[0]; z[0] = x; return np.sum(t[0] * t[0])",
    "y = 0.0\n    for part in np.linalg.slogdet(a):\n        y = y + part\n    return y * x",
    "t = np.linalg.slogdet(a)\n    y = 0.0\n    for i in range(2):\n        y = y + t[i]\n"
    "    return y * x",
    "w, *v = np.linalg.eigh(a + a.T); return np.sum(w * v[0][0]**2) * x",
    "t = np.linalg.svd(a, True, False); return np.sum(t) * x",
]


@pytest.mark.parametrize("body", OPEN)
def test_others_stay_right(body, forms_agree):
    forms_agree(function_of(body), A_of_part_kinds, 0.7, rtol=1e-6)


@pytest.mark.parametrize("body", OPEN)
def test_others_have_no_fused_form(body):
    kinds = [parse_kind("ndarray2"), parse_kind("float")]
    assert compile_function(function_of(body), kinds, [True] * 2, fused=True).form == "pair"


def test_a_part_that_is_returned(forms_agree):
    forms_agree(function_of("w, v = np.linalg.eigh(a + a.T); return w * x"), A_of_part_kinds, 0.7)
    forms_agree(function_of("w, v = np.linalg.eigh(a + a.T); return w"), A_of_part_kinds, 0.7)


def test_names_of_parts_are_numpys():
    for call in ("np.linalg.slogdet(a)", "np.linalg.eigh(a)", "np.linalg.svd(a)"):
        fn = function_of(f"t = {call}; return np.sum(t[0]) + np.sum(t[1])")
        facts = compile_function(fn, [parse_kind("ndarray2")] * 2, [True] * 2, fused=True)
        names = facts.stages.facts.parts["t"].fields
        made = eval(call, {"np": np, "a": A_of_part_kinds})
        assert names and names == made._fields


def test_text_of_a_determinant():
    fn = function_of("sign, y = np.linalg.slogdet(a); return x * y")
    kinds = [parse_kind("ndarray2"), parse_kind("float")]
    text = compile_function(fn, kinds, [True] * 2, fused=True).text.source
    assert "call(" not in text
    assert "log_bar(t_1, t_4)" in text


def test_a_limit_that_is_given(forms_agree):
    def f(a, b, limit):
        x, residuals, rank, s = np.linalg.lstsq(a, b, limit * 1e-3)
        return np.sum(x * x) * limit

    a, b = np.array([[1.0, 2.0], [0.5, 3.0], [2.0, 1.0]]), np.array([1.0, 2.0, 0.5])
    forms_agree(f, a, b, 0.5, fused=True)
