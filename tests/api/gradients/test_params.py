"""Implicit parameters against differences and formulas, over programs that reach a global array in
every way, each again after the array was changed in place.
"""

import copy
import functools
import math
import operator
import pickle

import numpy as np
import pytest

import astad
from astad import Grads, Params, grad, gradient, pullback, pullback_self, value_and_grad
from astad.errors import AstadError, NotScalar, Unsupported, WrongCall

W = np.array([[1.0, 2.0], [3.0, 4.0]])
B = np.array([1.0, 2.0])
X = np.array([5.0, 6.0])


class Dense:
    def __init__(self, weights):
        self.weights = weights
        self.scale = 2.0
        self.name = "dense"

    def __call__(self, x):
        return self.scale * np.tanh(self.weights @ x)


LAYER = Dense(W)
TABLE = {"weights": [W, B], "name": "table"}


def scaled(c):
    return c * W


def element(i):
    return W[i, 0] * W[0, i]


def power(n):
    return 1.0 if n == 0 else power(n - 1) * W[0, 1]


def rows():
    for row in W:
        yield np.sum(row * row)


def by_product():
    return np.sum(W @ X + B)


def by_a_constant():
    return np.sum(scaled(2.0)) + (lambda c: c * np.sum(W))(3.0)


def by_indices_in_a_loop():
    total = 0.0
    for i in range(2):
        total += element(i) * np.sum(scaled(float(i)))
    return total


def by_while():
    total, i = 0.0, 0
    while i < 2:
        total += W[i, i] * i
        i += 1
    return total


def by_recursion():
    return power(3)


def by_comprehension_and_map():
    return sum([element(i) for i in range(2)]) + sum(map(element, range(2)))


def by_an_object():
    return np.sum(LAYER(X / 10.0)) + np.sum(getattr(LAYER, "weights") ** 2)


def by_containers():
    weights, offset = TABLE["weights"]
    return np.sum(weights**2) * offset[0]


def by_a_generator():
    return sum(rows())


def by_reduce():
    return np.sum(functools.reduce(operator.mul, [W[0], W[1]]))


def by_an_exception():
    try:
        return np.sum(W[5])
    except IndexError:
        return np.sum(W[0] * X)


def by_a_copy():
    changed = W.copy()
    changed *= 2.0
    changed[0] *= B
    return np.sum(changed * changed)


def by_writing_it_elsewhere():
    found = np.zeros((2, 2))
    found[:] = W
    found[0] *= found[1]
    return np.sum(found)


def by_a_view():
    view = W.T[0]
    return view @ X + np.sum(W.reshape(4)[1:3] ** 2)


def by_numbers():
    return float(W[0, 0]) * 2.0 + W.tolist()[0][1] * 3.0 + W.item(1) + math.fsum(W[1])


def by_a_branch():
    return -(W[0, 0] ** 2) if W[0, 0] > 0 else W[0, 0]


def by_where_and_maximum():
    return np.sum(np.where(W > 2.3, W * W, 0.0)) + np.sum(np.maximum(W, 2.7))


def by_linear_algebra():
    return np.linalg.det(W) + np.linalg.norm(W) + np.einsum("ij,j->", W, X)


def by_a_default(c=W):
    return np.sum(c * c)


def by_a_context():
    with np.errstate(all="ignore"):
        return np.sum(W / B)


def by_a_checkpoint():
    return np.sum(astad.checkpoint(scaled)(2.0) ** 2)


def by_vectorize():
    return np.sum(np.vectorize(lambda i: W[int(i), 0] * 2.0)(np.array([0.0, 1.0])))


def by_buffer():
    buf = astad.Buffer(W)
    for i in range(2):
        buf[i] = W[i] ** 2
    return np.sum(buf.copy())


PROGRAMS = [fn for name, fn in list(globals().items()) if name.startswith("by_")]


def differences(f, of):
    found = np.zeros_like(of)
    for at in np.ndindex(of.shape):
        before = of[at]
        of[at] = before + 1e-6
        above = f()
        of[at] = before - 1e-6
        found[at] = (above - f()) / 2e-6
        of[at] = before
    return found


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_again_after_changes_in_place(f):
    before = W.copy()
    params = Params([W])
    try:
        for _ in range(3):
            grads = gradient(f, params)
            np.testing.assert_allclose(grads[W], differences(f, W), rtol=1e-6, atol=1e-6)
            assert not np.shares_memory(grads[W], W)
            W[...] -= 0.01 * grads[W]
    finally:
        W[...] = before


def test_several_in_their_order_and_one_that_is_not_reached():
    other = np.ones(3)
    grads = gradient(by_product, Params([B, W, other, B]))
    assert type(grads) is Grads
    assert [each is known for each, known in zip(grads, (B, W, other), strict=True)] == [True] * 3
    assert len(grads) == 3
    assert B in grads
    assert X not in grads
    assert B.copy() not in grads
    assert grads[other] is None
    assert [bar is None for bar in grads.values()] == [False, False, True]
    first, bar = next(iter(grads.items()))
    assert first is B
    assert bar.tolist() == [1.0, 1.0]


def test_a_name_that_is_bound_anew():
    loss, first = rebinding(np.array([1.0, 2.0]))
    for _ in range(3):
        assert gradient(loss, Params([first()]))[first()].tolist() == (3 * first() ** 2).tolist()
        old = first()
        loss.bind(old * 2.0)
        assert gradient(loss, Params([old]))[old] is None
        with pytest.raises(WrongCall, match="known by identity"):
            gradient(loss, Params([old]))[first()]


def rebinding(w):
    def loss():
        return np.sum(w * w * w)

    def bind(value):
        nonlocal w
        w = value

    loss.bind = bind
    return loss, lambda: w


def test_a_global_that_is_bound_anew():
    global rebound
    for value in (np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]), np.array([[2.0]])):
        rebound = value
        assert gradient(cubed, Params([rebound]))[rebound].tolist() == (3 * value**2).tolist()
        rebound -= 0.5
        assert gradient(cubed, Params([rebound]))[rebound].tolist() == (3 * value**2).tolist()


def cubed():
    return np.sum(rebound**3)


def test_after_the_same_function_had_a_text_without_parameters():
    def by_argument(x):
        return np.sum(W @ x)

    assert gradient(by_argument, X)[0].tolist() == W.sum(axis=0).tolist()
    grads = gradient(lambda: by_argument(X), Params([W, X]))
    assert grads[W].tolist() == [X.tolist(), X.tolist()]
    assert grads[X].tolist() == W.sum(axis=0).tolist()
    assert gradient(by_argument, X)[0].tolist() == W.sum(axis=0).tolist()


def test_captured_parameters():
    def model(weights):
        return lambda: np.sum(weights**2)

    w = np.array([1.0, 2.0])
    assert gradient(model(w), Params([w]))[w].tolist() == [2.0, 4.0]


def test_views_and_memory_that_is_shared_have_the_total():
    w = np.array([[1.0, 2.0], [3.0, 4.0]])
    row = w[0]

    def loss():
        return np.sum(w * w) + 10.0 * np.sum(row)

    for params in ([w, row], [row, w]):
        grads = gradient(loss, Params(params))
        assert grads[w].tolist() == [[12.0, 14.0], [6.0, 8.0]]
        assert grads[row].tolist() == [12.0, 14.0]
        assert not np.shares_memory(grads[w], grads[row])


def test_containers_and_objects():
    layer = Dense(np.array([[0.1, 0.2]]))
    weights = {"w": np.array([1.0, 2.0]), "s": 3.0, "name": "w"}
    items = [1.0, 2.0]

    def loss():
        return np.sum(layer(X)) + weights["s"] * np.sum(weights["w"]) + items[0] ** 2

    grads = gradient(loss, Params([layer, weights, items, layer.weights]))
    slope = 2.0 * (1 - math.tanh(0.1 * 5 + 0.2 * 6) ** 2) * X
    np.testing.assert_allclose(grads[layer].weights, [slope])
    np.testing.assert_allclose(grads[layer.weights], [slope])
    assert grads[layer].scale == pytest.approx(math.tanh(1.7))
    assert grads[layer].name is None
    assert grads[weights]["s"] == 3.0
    assert grads[weights]["w"].tolist() == [3.0, 3.0]
    assert grads[items] == [2.0, 0.0]


def test_a_parameter_that_the_function_writes():
    w = np.array([1.0, 2.0])

    def loss():
        nonlocal w
        w *= 3.0
        return np.sum(w * w)

    # by what it held before: 9 w**2
    assert gradient(loss, Params([w]))[w].tolist() == [18.0, 36.0]
    assert w.tolist() == [3.0, 6.0]


def test_arrays_of_one_number_and_of_ints():
    rate, counts = np.array(0.5), np.array([1, 2])
    grads = gradient(lambda: rate * rate * np.sum(counts * counts), Params([rate, counts]))
    assert grads[rate] == 5.0
    assert grads[counts].tolist() == [0.5, 1.0]
    assert grads[counts].dtype == float


def test_pullback_by_parameters():
    y, back = pullback(lambda: W @ X, Params([W, X, B]))
    assert y.tolist() == (W @ X).tolist()
    for seed in (np.array([1.0, 0.0]), np.array([0.0, 2.0])):
        grads = back(seed)
        assert grads[W].tolist() == np.outer(seed, X).tolist()
        assert grads[X].tolist() == (seed @ W).tolist()
        assert grads[B] is None
    y -= 100.0
    assert back(np.array([1.0, 0.0]))[X].tolist() == W[0].tolist()


def test_what_is_overwritten_before_back_is_an_error():
    w = np.array([1.0, 2.0])
    _, back = pullback(lambda: np.sum(w * w), Params([w]))
    w += 1.0
    with pytest.raises(Unsupported, match="overwritten before back was called"):
        back(1.0)


def test_value_and_grad_and_grad():
    y, grads = value_and_grad(by_product)(Params([B]))
    assert y == by_product()
    assert grads[B].tolist() == [1.0, 1.0]
    assert grad(by_product)(Params([B]))[B].tolist() == [1.0, 1.0]


def test_keywords_and_defaults_are_handed_on():
    def loss(scale=1.0):
        return scale * np.sum(B)

    assert gradient(loss, Params([B]), scale=3.0)[B].tolist() == [3.0, 3.0]
    assert gradient(loss, Params([B]))[B].tolist() == [1.0, 1.0]


def test_a_method():
    class Model:
        def __init__(self):
            self.w = np.array([1.0, 2.0])

        def loss(self):
            return np.sum(self.w**2)

    model = Model()
    grads = gradient(model.loss, Params([model.w, model]))
    assert grads[model.w].tolist() == grads[model].w.tolist() == [2.0, 4.0]


def test_no_parameters():
    grads = gradient(by_product, Params([]))
    assert list(grads) == []
    assert repr(Params([W, [1.0]])) == "Params(ndarray, list)"
    assert repr(gradient(lambda: B[0] * 1.0, Params([B]))) == "Grads(ndarray: array([1., 0.]))"


@pytest.mark.parametrize(
    ("param", "reason"),
    [
        (2.0, "a number has no identity"),
        (3, "a number has no identity"),
        (np.float64(2.0), "a number has no identity"),
        ("text", "no derivative leads to it"),
        (None, "no derivative leads to it"),
        (np.array(["a"]), "no derivative leads to it"),
        (Dense, "no derivative leads to it"),
    ],
)
def test_what_is_no_parameter(param, reason):
    with pytest.raises(WrongCall, match=reason):
        Params([param])


@pytest.mark.parametrize("params", [W, {"w": W}, "text"])
def test_parameters_come_in_a_list(params):
    with pytest.raises(WrongCall, match="handed over in a list"):
        Params(params)


def test_what_is_refused():
    params = Params([W])
    for call in (
        lambda: gradient(lambda x: x * np.sum(W), params),
        lambda: gradient(by_product, 1.0, params),
        lambda: pullback(lambda x, y: np.sum(W), params, params),
        lambda: grad(lambda x, p: np.sum(W))(1.0, params),
    ):
        with pytest.raises(WrongCall, match="parameters beside arguments"):
            call()
    with pytest.raises(WrongCall, match="call astad.pullback"):
        pullback_self(by_product, params)
    with pytest.raises(NotScalar):
        gradient(lambda: W, params)
    with pytest.raises(Unsupported, match="by parameters inside a function"):
        gradient(lambda x: x * np.sum(gradient(by_product, params)[W]), 1.0)


# --- found by an adversary


def test_no_matrix_is_by_implicit_parameters():
    w = np.array([1.0, 2.0])
    for take in (astad.jacobian, astad.hessian, astad.value_and_jacobian):
        with pytest.raises(AstadError, match="implicit parameters"):
            take(lambda: w**2, astad.Params([w]))


def test_copies_know_the_copies_of_their_parameters():
    w = np.array([1.0, 2.0])
    params = astad.Params([w])
    grads = gradient(lambda: np.sum(w**2), params)
    for copied in (copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))):
        twin, own, slopes = copied((w, params, grads))
        assert twin in own and w not in own
        assert slopes[twin].tolist() == [2.0, 4.0]


def test_a_dict_of_grads_is_an_error_of_pythons():
    w = np.array([1.0, 2.0])
    with pytest.raises(TypeError, match="unhashable"):
        dict(gradient(lambda: np.sum(w**2), astad.Params([w])))
