"""Which arguments a gradient is taken by, and calls that cannot be what is meant."""

import numpy as np
import pytest

from astad import grad, gradient, value_and_grad
from astad.errors import AstadError, WrongCall


def f(x, y=2.0):
    return x * x * y


def everything(x, **options):
    return x * options.get("argnums", 1.0)


def test_positions_from_both_ends():
    assert grad(f, argnums=1)(3.0, 2.0) == 9.0
    assert grad(f, argnums=-1)(3.0, 2.0) == 9.0
    assert grad(f, argnums=-1)(3.0) == 12.0
    assert grad(f, argnums=(1, 0))(3.0, 2.0) == (9.0, 12.0)
    assert grad(f, argnums=[0])(3.0, 2.0) == (12.0,)
    assert grad(f, argnums=())(3.0, 2.0) == ()
    assert grad(f, argnums=np.int64(1))(3.0, 2.0) == 9.0
    assert grad(f, argnums=np.array([0, 1]))(3.0, 2.0) == (12.0, 9.0)


@pytest.mark.parametrize("argnums", [True, None, "0", 1.0, (0, "a"), [None], {"x": 1}])
def test_what_is_no_position(argnums):
    for make in (grad, value_and_grad):
        with pytest.raises(WrongCall, match="arguments are chosen by their positions"):
            make(f, argnums)


@pytest.mark.parametrize("argnums", [2, -3, (0, 2)])
def test_positions_that_are_not_there(argnums):
    with pytest.raises(WrongCall, match="there is no argument at that position"):
        grad(f, argnums)(1.0, 2.0)


def test_keyword_arguments_alone():
    for call in (gradient, lambda f, **k: grad(f)(**k), lambda f, **k: value_and_grad(f)(**k)):
        with pytest.raises(WrongCall, match=r"keyword arguments alone \(x\)"):
            call(f, x=1.0)
    assert gradient(f, 3.0, y=5.0) == (30.0,)


def test_argnums_of_gradient():
    with pytest.raises(WrongCall, match=r"write astad\.grad\(f, argnums\)"):
        gradient(f, 3.0, argnums=0)
    assert gradient(everything, 3.0, argnums=5.0) == (5.0,)
    assert gradient(lambda x, argnums: x * argnums, 3.0, argnums=5.0) == (5.0,)
    assert issubclass(WrongCall, AstadError) and issubclass(WrongCall, TypeError)
