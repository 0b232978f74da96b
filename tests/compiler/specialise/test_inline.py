"""Small callees written out in place mean what the calls meant."""

import functools
import math
import operator
from operator import mul as times

import numpy as np
import pytest

from astad import adjoint, gradient, pullback
from astad.runtime.core.variants import forget_all, variants_of
from astad.testing import check_gradient


def scaled(x, factor):
    t_1 = x * factor
    y = t_1 + x
    return y


def rebinding(x, y):
    x = x * y
    y = x + y
    x = y
    return x * y


def first(x, y):
    return x


def constant(x):
    return 3.0


def nothing(x):
    x = x * 2.0


def outer(x):
    y = scaled(x, 2.0)
    return rebinding(y, scaled(y, x))


def looped(x, n):
    for _ in range(n):
        x = scaled(x, 0.5)
    return x


def with_global(x):
    return x * FACTOR + math.sin(x)


def with_default(x, y=2.0):
    return x * y


def pair(x, y):
    return x * y, x + y


FACTOR = 2.0


def test_a_callee_with_names_of_the_caller(forms_agree):
    def f(x, y):
        t_1 = scaled(x, y)
        factor = scaled(t_1, x)
        return scaled(factor, t_1) * factor + y

    forms_agree(f, 0.7, 1.2, fused=True)


def test_a_callee_that_rebinds_its_parameters(forms_agree):
    def f(x, y):
        a = rebinding(x, y)
        b = rebinding(y, x)
        x = rebinding(x, x)
        return a * b + x * y

    forms_agree(f, 0.7, 1.2, fused=True)


def test_the_result_bound_to_an_argument(forms_agree):
    def f(x, y):
        x = scaled(x, y)
        y = scaled(y, x)
        x = first(y, x)
        x = rebinding(x, x)
        return x

    forms_agree(f, 0.7, 1.2)


def test_callees_of_callees(forms_agree):
    forms_agree(lambda x, y: outer(outer(x) * 0.1) + scaled(outer(y), x), 0.7, 1.2, fused=True)


def test_a_callee_in_a_loop_and_in_a_branch(forms_agree):
    def f(x, y, n):
        for i in range(n):
            x = scaled(x, y) * 0.5
            if scaled(x, i) > 1.0:
                y = rebinding(y, x) * 0.1
            else:
                x = first(rebinding(x, y), x)
        return x * y

    for x in (0.2, 0.7, 1.1):
        forms_agree(f, x, 0.8, 4)


def test_a_callee_with_a_loop(forms_agree):
    forms_agree(lambda x, n: looped(x, n) * looped(scaled(x, x), 2), 0.7, 3)


def test_callees_without_derivative(forms_agree):
    def f(x):
        nothing(x)
        z = nothing(x)
        return x * constant(x) * (1.0 if z is None else 2.0)

    forms_agree(f, 0.7)


def test_several_results(forms_agree):
    def f(x, y):
        a, b = pair(x, y)
        c = pair(b, a)
        return c[0] * a + c[1] * b

    forms_agree(f, 0.7, 1.2)


def test_defaults_keywords_and_stars(forms_agree):
    def f(x, y):
        both = (x, y)
        return with_default(x) * with_default(y=x, x=y) + scaled(*both) + scaled(x, factor=y)

    forms_agree(f, 0.7, 1.2)


def test_the_wrong_number_of_arguments_raises_as_python_does():
    with pytest.raises(TypeError, match="scaled"):
        gradient(lambda x: scaled(x), 0.7)
    with pytest.raises(TypeError, match="scaled"):
        gradient(lambda x: scaled(x, x, x), 0.7)


def test_a_callee_that_is_rebound_later(forms_agree, monkeypatch):
    def f(x, y):
        return scaled(x, y) * x

    forms_agree(f, 0.7, 1.2)
    before = gradient(f, 0.7, 1.2)
    monkeypatch.setitem(globals(), "scaled", lambda x, factor: x - factor)
    assert gradient(f, 0.7, 1.2) == pytest.approx((0.2, -0.7))
    monkeypatch.undo()
    assert gradient(f, 0.7, 1.2) == before


def test_a_global_of_a_callee_that_is_rebound_later(monkeypatch):
    def f(x):
        return with_global(x) * x

    def expected(factor):
        return 2 * 0.7 * factor + math.sin(0.7) + 0.7 * math.cos(0.7)

    assert gradient(f, 0.7) == pytest.approx((expected(2.0),))
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert gradient(f, 0.7) == pytest.approx((expected(5.0),))
    monkeypatch.setitem(globals(), "FACTOR", 7)
    assert gradient(f, 0.7) == pytest.approx((expected(7),))


def test_new_code_of_the_function_itself():
    def f(x):
        return with_default(x, 3.0)

    def g(x):
        return with_default(x, x)

    assert gradient(f, 0.7) == (3.0,)
    f.__code__ = g.__code__
    assert gradient(f, 0.7) == pytest.approx((1.4,))


def with_callee(x):
    return with_default(x, 2.0) * x


def test_new_code_of_a_callee_in_place(monkeypatch):
    """As reloaders that patch functions where they are do."""

    def f(x):
        return with_callee(x) * 2.0

    assert gradient(f, 0.5) == (4.0,)
    with monkeypatch.context() as patch:
        patch.setattr(with_default, "__code__", (lambda x, y: x * x * y).__code__)
        assert gradient(f, 0.5) == (3.0,)
        patch.setattr(with_callee, "__code__", (lambda x: x * x * x).__code__)
        assert gradient(f, 0.5) == (1.5,)
    assert gradient(f, 0.5) == (4.0,)


def test_a_callee_with_a_rule_of_the_users_keeps_it():
    def f(x):
        return ruled(x) * 2.0

    assert gradient(f, 0.7) == pytest.approx((2.8,))

    @adjoint(ruled)
    def _(x):
        return x * x, lambda y_bar: (100.0 * y_bar,)

    try:
        assert gradient(f, 0.7) == (200.0,)
    finally:
        from astad.rules.in_force import CUSTOM

        CUSTOM.pop(id(ruled))
        forget_all()


def ruled(x):
    return x * x


# --- callees with loops and branches, given a container


def predict(layers, x):
    for w, b in layers[:-1]:
        x = np.tanh(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


def penalty(layers, kind):
    total = 0.0
    for layer in layers:
        for part in layer:
            if kind == "l2":
                total = total + np.sum(part * part)
            else:
                total = total + np.sum(np.abs(part))
    return total


def test_a_callee_that_goes_through_a_container():
    def loss(layers, x, y):
        d = predict(layers, x) - y
        return np.mean(d * d) + 0.1 * penalty(layers, "l2") + 0.2 * penalty(layers, "l1")

    rng = np.random.default_rng(2)
    layers = [(rng.normal(size=(3, 4)), rng.normal(size=4)), (rng.normal(size=(4, 2)), np.ones(2))]
    x, y = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    check_gradient(loss, layers, x, y)
    assert gradient(loss, layers, x, y)[0][0][0].shape == (3, 4)
    assert variants_of(loss).fused[0, 1, 2]


def test_an_error_inside_such_a_callee_is_shown_at_its_line():
    def loss(layers, x):
        return np.sum(predict(layers, x))

    layers = [(np.ones((3, 2)), np.ones(2)), (np.ones((3, 2)), np.ones(2))]
    with pytest.raises(ValueError) as plain:
        loss(layers, np.ones((1, 3)))
    with pytest.raises(ValueError) as found:
        gradient(loss, layers, np.ones((1, 3)))
    assert str(found.value) == str(plain.value)
    lines = [entry.lineno for entry in found.traceback]
    assert plain.traceback[-1].lineno in lines


def left_unbound(layers, x):
    for w in layers:
        last = w * x
    return last


def test_a_name_that_the_callee_leaves_unbound():
    def f(p, x):
        total = 0.0
        for key in ("full", "empty"):
            total = total + left_unbound(p[key], x)
        return total

    assert gradient(f, {"full": [2.0], "empty": [3.0]}, 0.5)[1] == 5.0
    for call in (gradient, pullback):
        with pytest.raises(UnboundLocalError, match="last"):
            call(f, {"full": [2.0], "empty": []}, 0.5)


def countdown(state, n):
    if n > 0:
        return countdown((state[0] * state[1], state[1]), n - 1)
    return state[0]


def test_a_recursion_over_a_container():
    def f(p, n):
        return countdown(p, n)

    assert gradient(f, (2.0, 3.0), 3)[0] == (27.0, 54.0)


def watched(x):
    if x > 1e9:
        breakpoint()
    return x * x


def test_a_callee_that_may_stop_in_a_debugger():
    def f(x):
        return watched(x) * x

    check_gradient(f, 1.5)


def product_of_operators(x, y):
    return operator.mul(x, operator.add(y, operator.neg(x)))


def chosen_by_operators(x, y):
    if operator.lt(x, y) and operator.contains([x, y], x):
        return operator.truediv(operator.pow(x, 2), y)
    return operator.sub(x, operator.getitem([x, y], 1))


def product_of_a_list(xs):
    return functools.reduce(operator.mul, xs, 1.0)


def product_of_elements(a):
    return operator.mul(a[0], a[1]) * operator.matmul(a, a)


def operators_without_names(x, y):
    return times(x, x) + operator.mul(*[x, y])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (product_of_operators, (1.5, 2.5)),
        (chosen_by_operators, (1.5, 2.0)),
        (chosen_by_operators, (2.5, 2.0)),
        (product_of_a_list, ([1.5, 2.0, 0.5],)),
        (product_of_elements, (np.array([1.5, 2.0]),)),
        (operators_without_names, (1.5, 2.0)),
    ],
)
def test_functions_that_are_operators(f, args):
    check_gradient(f, *args)
    if f is not operators_without_names:
        assert variants_of(f).fused


def test_an_operator_of_the_users_own(monkeypatch):
    assert gradient(product_of_elements, np.array([1.5, 2.0]))
    monkeypatch.setattr(operator, "mul", lambda a, b: a + b)
    (bar,) = gradient(product_of_elements, np.array([1.5, 2.0]))
    np.testing.assert_allclose(bar, 6.25 + 3.5 * 2.0 * np.array([1.5, 2.0]))
