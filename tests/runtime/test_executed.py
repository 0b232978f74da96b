"""exec with namespaces of its own."""

import pytest

from astad import gradient
from astad.errors import Unsupported
from astad.testing import check_gradient


def by_a_function_made_now(x):
    names = {}
    exec("def cube(v, scale=2.0):\n    return v * v * v * scale", {}, names)
    return names["cube"](x) + names["cube"](x, x)


def by_a_compiled_text(x):
    names = {}
    exec(compile("def square(v):\n    return v * v", "<made>", "exec"), names)
    return names["square"](3.0 * x)


@pytest.mark.parametrize("f", [by_a_function_made_now, by_a_compiled_text])
def test_a_function_that_the_text_defines_is_read(f):
    check_gradient(f, 1.5)


def computes(x):
    names = {"x": x}
    exec("y = x * x", names)
    return names["y"]


def computes_under_another_name(x):
    run, names = exec, {"x": x}
    run("y = x * x", names)
    return names["y"]


def calls(x):
    values = [x]
    exec("values.append(3.0 * values[0])", {"values": values})
    return values[1]


def takes_a_default(x):
    names = {"x": x}
    exec("def f(v=x):\n    return v", names)
    return names["f"]()


def tries(x):
    try:
        exec("len('a')", {})
    except Exception:
        return x * 100
    return x


def evaluates(x):
    run, values = eval, [x]
    run("values.append(2.0 * values[0])", {"values": values})
    return values[1]


def uses_what_was_evaluated(x):
    run = eval
    return run("y * y", {"y": x})


REFUSED = [evaluates, uses_what_was_evaluated, computes, computes_under_another_name, calls]


@pytest.mark.parametrize("f", [*REFUSED, takes_a_default, tries])
def test_any_other_text_is_refused(f):
    with pytest.raises(Unsupported, match=r"exec|eval"):
        gradient(f, 2.0)
