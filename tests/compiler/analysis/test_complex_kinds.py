"""Complex arrays inside a function: what is claimed of them, and their cotangents in every form."""

import warnings

import numpy as np
import pytest

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function
from astad.runtime.core.variants import forget_all

from ..numpy_calls import function_of

NAMES = {"v": "ndarray1", "a": "ndarray2", "t": "ndarray3", "x": "float", "n": "int"}
SIZES = [(3, 4), (2, 5), (1, 1), (3, 2)]
TRANSFORMS = [
    "fft.fft(v)", "fft.fft(a)", "fft.fft(a, axis=0)", "fft.fft(v, n)",
    "fft.fft(v, 7, norm='ortho')", "fft.ifft(v)", "fft.ifft(a, None, 0)", "fft.rfft(v)",
    "fft.rfft(v, n)", "fft.rfft(a, axis=0)",
    "fft.rfft(t, norm='forward')", "fft.ihfft(v)", "fft.irfft(v)", "fft.irfft(a, n, 0)",
    "fft.hfft(v)", "fft.hfft(a, 5, norm='ortho')", "fft.fft2(a)", "fft.ifft2(t, axes=(0, 1))",
    "fft.fftn(t)", "fft.ifftn(a, (3, 2), (0, 1))", "fft.fftn(t, axes=(1,))", "fft.rfft2(a)",
    "fft.rfftn(t, (2, 3), (0, 2))", "fft.irfft2(a)", "fft.irfftn(t)", "fft.irfftn(a, norm='ortho')",
]  # fmt: skip
OF_SPECTRA = [
    "z * v", "v * z", "z + 1", "1j * z", "1j - z", "z / (1 + v * v)", "x / (z + 3)", "-z", "+z",
    "z - x", "z**2", "z**0", "z**1", "z**3", "z * z",
    "np.exp(z)", "np.sqrt(z)", "np.log(z)", "np.conj(z)",
    "z.conj()", "z.conjugate()", "np.sin(z) * np.cosh(z)", "np.abs(z)", "abs(z)", "z.real",
    "np.real(z)", "z.imag", "np.imag(z)", "np.angle(z)", "z[1:]", "z[::-1]", "z[: n // 2] * 1j",
    "np.fft.fft(z)", "np.fft.ifft(z)", "np.fft.irfft(z)", "np.fft.irfft(z, 2 * n)",
    "np.fft.hfft(z)", "np.fft.fftshift(z)", "np.fft.ifftshift(z)", "np.multiply(z, v)",
    "np.subtract(v, z)",
    "np.square(z)", "np.reciprocal(z + 2)", "np.tanh(0.1 * z)", "w @ z", "z @ w",
    "w @ a", "a @ z", "w.T @ z",
    "w[0]", "w[:, 0]", "w * v", "w + z", "w[:, ::2] * x", "np.abs(w) ** 2", "z * np.exp(-2j * v)",
    "z * (1j * x)", "z * abs(3 - 4j) * (2j).imag", "z * (1 / 2j)", "z.T", "np.transpose(w)",
    "z[0] * z", "np.sum(z) * v", "w.sum(axis=0)", "np.mean(w, axis=1)", "z.mean() / z[-1] * v",
    "np.vdot(z, v) * z", "(z @ z) + z", "np.dot(w, v)", "np.outer(z, v)", "w.reshape(-1)",
    "np.linalg.solve(w, v)", "np.linalg.inv(w) * x", "np.trace(w) + z", "np.roll(z, 1) - z.copy()",
    "np.exp(1j * x) * z", "abs(z[0]) * z", "z[0].real * z", "z[0].conjugate() * z", "z / z[0]",
    "np.exp(-2j * np.pi * x * v)", "(z[0] ** 2) * v", "-z[0] - z", "np.diag(z)", "w[0, 1] * v",
    "np.sign(z)", "z[0].conj() * z", "np.conj(z[0]) * v",
]  # fmt: skip


def arguments():
    for rows, columns in SIZES:
        rng = np.random.default_rng(7 * rows + columns)
        yield {
            "v": rng.normal(size=columns) + 0.3,
            "a": rng.normal(size=(columns, columns)),
            "t": rng.normal(size=(rows, columns, rows)),
            "x": 1.25,
            "n": columns,
        }


@pytest.mark.parametrize("expression", TRANSFORMS)
def test_kinds_of_transforms(expression):
    fn = function_of(expression, NAMES, "np.sum(np.abs(y))")
    kinds = [parse_kind(kind) for kind in NAMES.values()]
    facts = compile_function(fn, kinds, [True] * len(kinds), fused=True).stages.facts
    kind = facts.kind["y"]
    plain = function_of(expression, NAMES, "y")
    runs = 0
    for given in arguments():
        try:
            y = plain(**given)
        except ValueError:
            continue
        runs += 1
        assert type(y) is np.ndarray
        assert kind.tag == {"f": "ndarray", "c": "complexes"}[y.dtype.kind]
        assert (y.ndim, y.dtype.itemsize) == (kind.rank, 8 if y.dtype.kind == "f" else 16)
    assert runs


def function_of_text(body, names="v, a, t, x, n"):
    import linecache

    source = f"def f({names}):\n{body}"
    file = f"<{body}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np}
    exec(compile(source, file, "exec"), space)
    return space["f"]


def tried(fn, forms_agree, fused):
    runs = 0
    for given in [*arguments()][:2]:
        args = tuple(given.values())
        try:
            with np.errstate(all="ignore"):
                fn(*args)
        except ValueError:
            continue
        runs += 1
        forms_agree(fn, *args, fused=fused, rtol=2e-6, atol=1e-6)
    assert runs


@pytest.mark.parametrize("expression", TRANSFORMS)
def test_transforms_in_every_form(expression, forms_agree):
    is_real = any(f"fft.{name}(" in expression for name in ("irfft", "hfft", "irfft2", "irfftn"))
    body = f"    y = np.{expression}\n    return np.sum(y * np.cos(y))\n"
    if not is_real:
        body = (
            f"    y = np.{expression}\n    return np.sum(y.real * y.imag) + np.sum(np.abs(y)**2)\n"
        )
    tried(function_of_text(body), forms_agree, fused=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("expression", OF_SPECTRA)
def test_operations_in_every_form(expression, forms_agree):
    is_real = expression in (
        "np.abs(z)", "abs(z)", "z.real", "np.real(z)", "z.imag", "np.imag(z)", "np.angle(z)",
        "np.abs(w) ** 2", "np.fft.irfft(z)", "np.fft.irfft(z, 2 * n)", "np.fft.hfft(z)",
    )  # fmt: skip
    result = "np.sum(y * y * 0.5 + y)" if is_real else "np.sum(y.real * 0.7 - y.imag * y.real)"
    body = (
        f"    z = np.fft.fft(v) + (0.4 - 0.3j)\n    w = np.fft.fft(a)\n"
        f"    y = {expression}\n    return {result}\n"
    )
    tried(function_of_text(body), forms_agree, fused=True)


@pytest.mark.parametrize("exponent", ["0.5", "-1", "x", "n", "(1 + 2j)", "True", "v", "-0.5j"])
@pytest.mark.parametrize("base", ["z", "z[0]", "w[0]"])
def test_powers_whose_exponent_is_no_whole_literal(base, exponent, forms_agree):
    body = (
        f"    z = np.fft.fft(v) + (0.4 - 0.3j)\n    w = np.fft.fft(a)\n"
        f"    y = {base} ** {exponent} * z\n    return np.sum(y.real * 0.7 - y.imag * y.real)\n"
    )
    tried(function_of_text(body), forms_agree, fused=None)


def test_a_phase_without_derivative(forms_agree):
    def spectrum_at(v, w):
        phases = np.exp(-1j * w * np.linspace(0.0, 1.0, v.shape[0]))
        return np.sum((phases * v).real) ** 2 + np.sum((phases * v).imag) ** 2

    forms_agree(spectrum_at, np.array([0.3, -1.0, 2.0, 0.5]), 2.5)


def test_loops_and_branches(forms_agree):
    def filtered(v, x):
        z = np.fft.fft(v)
        for _ in range(3):
            if x > 0:
                z = z * (0.5 + 0.1j) + x
            else:
                z = z - 1j * z
        return np.sum(np.abs(np.fft.ifft(z)) ** 2)

    for x in (0.7, -0.7):
        forms_agree(filtered, np.array([0.3, -1.0, 2.0, 0.5]), x, fused=True)


def test_a_callee_of_spectra(forms_agree):
    v = np.array([0.3, -1.0, 2.0, 0.5])
    forms_agree(through_callees, v, 0.3, fused=True)


def damped(z, rate):
    if rate > 0:
        return z / (1.0 + 1j * rate)
    return z


def power(z):
    if z.size > 0:
        return np.abs(z) ** 2
    return np.abs(z)


def through_callees(v, rate):
    z = np.fft.rfft(v)
    return np.sum(power(damped(z, rate))) + np.sum(power(z))


MAKERS = [
    "zeros(n, dtype=complex)", "ones((2, n), complex)", "empty((n, n), dtype=np.complex128)",
    "eye(n, dtype=complex)", "identity(n, dtype=complex)", "zeros_like(a, dtype=complex)",
    "full(n, x, dtype=complex)", "full((3, 2), 1j)", "full(n, 2, dtype=complex)",
    "array(v, dtype=complex)", "asarray(a, dtype=complex)", "array([x, 1j])",
    "array([[x, 1j * x], [0, 1]])", "array([1, 2.5], dtype=complex)",
    "array([x, x], dtype=complex)",
    "array([1, 2], dtype=complex)", "asarray([[1j, True], [x, v[0]]])", "array((x, 1j), copy=True)",
]  # fmt: skip


@pytest.mark.parametrize("expression", MAKERS)
def test_kinds_of_what_makes_complex_arrays(expression, forms_agree):
    made = f"    y = np.{expression}\n"
    end = "    return np.sum(np.abs(y * y + (2 - 1j) * x) ** 2)\n"
    fill = "    y[:] = x\n" if "empty" in expression else ""
    fn = function_of_text(made + fill + end)
    kinds = [parse_kind(kind) for kind in NAMES.values()]
    facts = compile_function(fn, kinds, [True] * len(kinds), fused=True).stages.facts
    for given in arguments():
        y = function_of_text(made + "    return y\n")(**given)
        assert type(y) is np.ndarray and y.dtype == np.complex128
        assert facts.kind["y"].text == f"complexes{y.ndim}"
    tried(fn, forms_agree, fused=True)


WRITES = [
    "z = np.zeros(4, complex); z[1] = x; z[2] = 1j * v[0]; z[3] = z[1] * z[2]",
    "z = np.zeros((2, 4), complex); z[0] = v; z[1, 1:] = 1j * v[:3] * x; z[0, 0] = z[1, 2]",
    "z = np.zeros((2, 4), complex); z[:, 1] += x; z[0] += v; z[1] -= 1j * z[0]; z[1, 3] += 2j * x",
    "z = np.fft.fft(v); z[1:3] = x; z[v > 0.0] = 1j; z[0] += x",
    "z = np.fft.fft(v); z[::-1][1] += x; z[[0, 2, 2]] += 1j * v[:3]; z[[3, 1]] = v[:2]",
    "z = np.array([x, 1j, x * 1j, 2]); w = z * z; z[0] = w[1] * x; z[1] = abs(w[0]); z = z + w",
    "z = np.ones(4, complex); z[0] = z[1]; z[1:] = z[0] * v[1:]; z[:2] = [x, 1j * x]",
    "z = np.zeros(4, complex); for k in range(1, 4):\n        z[k] = z[k - 1] * v[k] + 1j * x",
    "z = np.zeros(4, complex); if x > 0:\n        z[0] = 1j; else:\n        z[1] = x; z[2] = x",
    "z = np.zeros((2, 2), complex); z[0] = [x, v[0] * 1j]; z[1, 0] = 2 + z[0, 0]; z = z @ z",
    "z = np.array(v, dtype=complex); r = z.real.copy(); z[0] = 1j * r[1]; z[1:] = r[1:] * z[1:]",
    "z = np.array([[x, 1j * v[0]], [v[1], x]]); z = np.linalg.solve(z, np.array([x, x]))",
]  # fmt: skip


@pytest.mark.parametrize("body", WRITES)
@pytest.mark.parametrize("x", [0.7, -0.4])
def test_writes_into_complex_arrays_in_every_form(body, x, forms_agree):
    v = np.array([0.3, -1.0, 2.0, 0.5])
    end = "; return np.sum(np.abs(z) ** 2 + z.real * 0.3 - z.imag * z.real)"
    forms_agree(function_of_text(body_of(body + end), "v, x"), v, x)


def test_writes_into_complex_arrays_are_written_out():
    for body in WRITES[:4]:
        fn = function_of_text(body_of(body + "; return np.sum(np.abs(z) ** 2)"), "v, x")
        kinds = [parse_kind("ndarray1"), parse_kind("float")]
        assert compile_function(fn, kinds, [True] * 2, fused=True).form == "fused"


def body_of(text):
    return "    " + text.replace("; ", "\n    ") + "\n"


GIVEN_UP = [
    "z = np.fft.fft(v); z[0] = 1.0; return np.sum(np.abs(z) ** 2)",
    "z = np.fft.fft(v); z *= 2.0; return np.sum(np.abs(z) ** 2)",
    "z = np.fft.fft(v); z[1:] += 1j; return np.sum(np.abs(z) ** 2)",
    "z = np.fft.fft(v); held = [z]; held[0][0] = 2.0; return np.sum(np.abs(z) ** 2)",
    "z = np.fft.fft(v); r = z.real; r[0] = 2.0; return np.sum(np.abs(z) ** 2 + r)",
    "z = np.fft.fft(v); p = z * z; r = z.imag; r *= 2.0; return np.sum(np.abs(p * z))",
    "z = np.fft.fft(v); p = z * z; w = z[1:]; w[0] = 2.0; return np.sum(np.abs(p))",
    "z = np.fft.fft(v); return np.sum(z).real + (z[0] * z[1]).imag",
    "z = np.fft.fft(v); y = 0.0; for each in z:\n        y = y + abs(each); return y",
    "z = np.fft.fft(v); if x > 0:\n        z = v; return np.sum(np.abs(z) ** 2)",
    "z = np.vdot(np.fft.fft(v), v * 1j); return abs(z)",
    "z = np.fft.fft(v); return np.sum(np.abs(np.concatenate([z, 1j * z])) ** 2)",
    "z = 1j; z = z * x; return np.sum(np.abs(z * np.fft.fft(v)))",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("body", GIVEN_UP)
def test_what_is_not_written_out_stays_right(body, forms_agree):
    v = np.array([0.3, -1.0, 2.0, 0.5])
    forms_agree(function_of_text(body_of(body), "v, x"), v, 0.7)


def test_clipping_to_complex_bounds_is_not_real():
    body = "    z = np.fft.fft(v)\n    y = np.clip(v, z, None)\n    return np.sum(y.imag)\n"
    fn = function_of_text(body, "v")
    compiled = compile_function(fn, [parse_kind("ndarray1")], [True], fused=True)
    assert compiled.stages.facts.kind["y"].tag == "unknown"


def test_text_of_a_convolution():
    def convolved(x, k):
        y = np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(k), x.shape[0])
        return np.sum(y * y)

    kinds = [parse_kind("ndarray1")] * 2
    text = compile_function(convolved, kinds, [True, True], fused=True).text.source
    assert "call(" not in text
    assert "np.conj(" in text
    assert "np.real(" not in text  # rfft gives back real cotangents by itself


def test_zero_cotangents_at_a_pole(forms_agree):
    def rooted(v):
        z = np.sqrt(np.fft.fft(v) * 0.0)
        return np.sum((z * 0.0).real) + np.sum(v)

    from astad import gradient

    forget_all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (v_bar,) = gradient(rooted, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(v_bar, [1.0, 1.0])


@pytest.mark.parametrize("name", ["irfft", "hfft", "irfft2", "irfftn", "fft", "ifft", "rfft"])
def test_real_arrays_get_real_gradients(name):
    from astad import gradient

    fn = function_of_text(f"    y = np.fft.{name}(a)\n    return np.sum(y.real)\n", "a")
    other = function_of_text(f"    y = np.fft.{name}(a)\n    return np.sum(np.abs(y))\n", "a")
    for each in (fn, other):
        (a_bar,) = gradient(each, np.arange(12.0).reshape(3, 4) ** 0.5)
        assert a_bar.dtype == np.float64
        assert a_bar.flags.owndata


def test_what_is_not_written_out_is_right_as_well(forms_agree):
    def by_options(v, n):
        z = np.fft.fft(v)
        y = np.sum(z * v, dtype=complex) + np.sum(z, axis=n)
        return np.abs(y) + np.sum(np.abs(z.reshape(n + 1, -1)))

    def of_a_mask(v, n):
        z = np.fft.fft(v)
        return np.sum(np.abs(z[v > 0.0]) ** 2) + np.sum(np.abs(z[[n, 1]]) ** 2)

    def of_either_rank(v, n):
        z, w = np.fft.fft(v), v
        if n > 0:
            w = np.outer(v, v)
        return np.sum(np.abs(z * w))

    v = np.array([0.5, 1.5, -0.4])
    for fn in (by_options, of_a_mask, of_either_rank):
        forms_agree(fn, v, 0)
    forms_agree(of_either_rank, v, 1)


def test_a_complex_number_as_a_key():
    from astad import gradient

    def f(v, table):
        z = np.fft.fft(v)
        return np.abs(z[0]) * table[1j]

    v_bar, table_bar = gradient(f, np.array([0.5, 1.5]), {1j: 3.0})
    np.testing.assert_allclose(v_bar, [3.0, 3.0])
    assert table_bar == {1j: 2.0}
