"""None where no path leads by the text; a zero where one does, whatever branch runs.

A loop whose results nobody reads gives no cotangent, not a zero times infinity.
"""

import math

import numpy as np
import pytest

import astad
from astad import grad, gradient, pullback

from ..forms import only_generic


@pytest.fixture(params=["generic", "specialised", "fused"])
def gradients(request):
    """One form of the gradients."""

    def run(f, *args):
        if request.param == "fused":
            return gradient(f, *args)
        if request.param == "specialised":
            return pullback(f, *args)[1](1.0)
        with only_generic():
            return pullback(f, *args)[1](1.0)

    return run


def test_an_argument_that_is_not_used(gradients):
    assert gradients(lambda x, y: x * 2.0, 1.0, 2.0) == (2.0, None)


def test_a_constant(gradients):
    assert gradients(lambda x: 4.0, 1.0) == (None,)


def test_the_branch_that_did_not_run(gradients):
    def f(x, y):
        return x * 2.0 if x > 0 else y

    assert gradients(f, 1.0, 2.0) == (2.0, 0.0)
    assert gradients(f, -1.0, 2.0) == (0.0, 1.0)


def test_a_loop_that_did_not_run(gradients):
    def f(x, y, n):
        for _ in range(n):
            x = x * y
        return x

    assert gradients(f, 1.5, 2.0, 0) == (1.0, 0.0, None)


def test_a_value_that_is_zero(gradients):
    assert gradients(lambda x, y: x * 0.0 * y, 1.5, 2.0) == (0.0, 0.0)


def test_counting_and_comparing(gradients):
    def f(x, n, y):
        s = 0.0
        for i in range(n):
            if y < i:
                s = s + x
        return s

    assert gradients(f, 1.5, 3, 0.5) == (2.0, None, None)


def test_ints_that_are_factors(gradients):
    assert gradients(lambda x, n: x * n, 1.5, 3) == (3, 1.5)


def test_shapes_lengths_and_types(gradients):
    def f(a, x):
        n = a.shape[0] * len(a) + a.ndim
        return x * n if isinstance(a, np.ndarray) else x

    assert gradients(f, np.ones(2), 1.5) == (None, 5)


def test_subscripts_count_as_a_path_in_every_form(gradients):
    a = np.ones((2, 3))
    assert gradients(lambda a, i: a[i][0], a, 1)[1] == 0
    assert gradients(lambda a, i: a[i, 0], a, 1)[1] == 0
    assert gradients(lambda a, i: a[-1, i % 3] * 2.0, a, 1)[1] == 0
    assert gradients(lambda a, i: a[0, i:].sum(), a, 1)[1] is None


def test_what_a_function_made_at_the_site_captures(gradients):
    def f(x, y, pair):
        scaled = lambda t: t * y * pair[1]
        scaled(x)
        return x

    x_bar, y_bar, (first, second) = gradients(f, 1.5, 2.0, ("a", 3.0))
    assert (x_bar, y_bar, first, second) == (1.0, 0.0, None, 0.0)


def test_a_part_of_a_container_that_leads_nowhere(gradients):
    def f(x, config):
        scale = config["a"] * x
        half = config["w"] * 0.5
        return x * x

    assert gradients(f, 1.5, {"a": 2.0, "w": np.ones(2)}) == (3.0, None)


def test_what_is_printed_formatted_or_asserted(gradients, capsys):
    def f(x, y):
        print(f"{y:.1f}")
        assert y > 0, f"{y}"
        return x

    assert gradients(f, 1.5, 2.0) == (1.0, None)
    assert capsys.readouterr().out == "2.0\n"


def test_strings_bools_and_none(gradients):
    def f(x, word, flag, nothing):
        return x * len(word) if flag and nothing is None else x

    assert gradients(f, 1.5, "abc", True, None) == (3.0, None, None, None)


def doubled(x, y, n):
    for _ in range(n):
        x = x * 2.0
    return x


def test_through_a_callee(gradients):
    assert gradients(lambda x, y: doubled(x, y, 2), 1.5, 2.0) == (4.0, None)


def test_a_dead_store(gradients):
    def f(x, y):
        z = y * x
        z = x * x
        return z

    assert gradients(f, 1.5, 2.0)[0] == 3.0


def test_only_what_is_asked_for_is_computed():
    def f(x, y):
        return math.sin(x) * y

    assert grad(f, argnums=1)(0.5, 2.0) == math.sin(0.5)
    assert grad(f, argnums=(1,))(0.5, 2.0) == (math.sin(0.5),)


def test_arguments_in_another_order():
    def f(x, y):
        return math.sin(x) * y

    x_bar, y_bar = math.cos(0.5) * 2.0, math.sin(0.5)
    for _ in range(2):
        assert grad(f, argnums=(1, 0))(0.5, 2.0) == (y_bar, x_bar)
        assert grad(f, argnums=(-1, 0, 1))(0.5, 2.0) == (y_bar, x_bar, y_bar)


@pytest.mark.parametrize("x", [0.5, np.float64(0.5)])
def test_what_is_written_by_way_of_a_part_of_an_object(x):
    def by_method(y, q):
        y.fill(math.tanh(q))
        return y

    back = pullback(by_method, np.ones(3), x)[1]
    for seed in (np.ones(3), np.array([1.0, -1.0, 0.0]), np.zeros(3)):
        assert back(seed)[1] == pytest.approx(seed.sum() * (1 - math.tanh(x) ** 2))

    def by_bound_method(x):
        found = {}
        put = found.setdefault
        put("a", x)
        return found["a"]

    def by_row(x):
        rows = [[0.0], [1.0]]
        row = rows[1]
        row[0] = x * 0.0
        return rows[1][0]

    def by_attribute(x):
        outer, inner = Box(), Box()
        outer.content = inner
        part = outer.content
        part.content = 0.0 * x
        return outer.content.content

    for fn in (by_bound_method, by_row, by_attribute):
        assert pullback(fn, x)[1](0.0) == (0.0,)


class Box:
    content: object


def fill(out, x):
    out[0] = x[0] * 2.0
    out[1] = x[1] * 3.0


def fill_through(out, x):
    fill(out, x)


class Table:
    def __init__(self):
        self.rows = []

    def add(self, x):
        self.rows.append(x * 1.5)


def put(table, x):
    table.add(x)


def filled_array(x):
    w = np.zeros(2)
    fill(w, x)
    return w[0] - w[0]


def filled_list(x):
    w = [1.0, 1.0]
    fill(w, x)
    return 0.0 * w[1]


def filled_by_a_helper_of_a_helper(x):
    w = np.zeros(2)
    fill_through(w, x)
    return (w * 0.0).sum()


def filled_in_a_loop(x):
    w = np.ones((3, 2))
    for k in range(3):
        fill(w[k], x)
    return w[:, 1].sum() - 3.0 * w[0, 1]


def filled_object(x):
    table = Table()
    put(table, x[0])
    return table.rows[0] - table.rows[0] + 0.0 * x[1]


def filled_view(x):
    w = np.zeros((2, 2))
    fill(w.T[1], x)
    return 0.0 * w[0, 1]


@pytest.mark.parametrize(
    "f",
    [
        filled_array, filled_list, filled_by_a_helper_of_a_helper, filled_in_a_loop, filled_object,
        filled_view,
    ],
)  # fmt: skip
def test_what_a_helper_writes_is_a_path(gradients, f):
    (x_bar,) = gradients(f, np.array([5.75, 0.5]))
    assert x_bar.tolist() == [0.0, 0.0]


def test_a_helper_that_writes_something_else_makes_no_path(gradients):
    def f(x, y):
        fill([0.0, 0.0], [y, y])
        return x * 2.0

    assert gradients(f, 1.0, 2.0) == (2.0, None)


def unread(x, y):
    z = x
    for _ in range(4):
        z = z / x
    return y * 2.0


def unread_beside(x, y):
    z = x
    for _ in range(4):
        z = z / x
        y = y * 1.1
    return y * 2.0


def unread_while(x, y):
    z, k = x, 0
    while k < 3:
        z, k = z * z / x, k + 1
    return y * y


def unread_in_the_outer_loop(x, y):
    z = x
    for _ in range(2):
        for _ in range(2):
            z = z / x
        y = y * y
    return y


def no_result(x, y):
    for _ in range(4):
        x /= x


def read_in_the_next_iteration(x, y):
    """What is read last in one iteration leads on in the next."""
    z = w = x
    for _ in range(3):
        y = y * w
        w = z * 0.5
        z = z * x
    return y


def read_by_a_return(x, y):
    z = x
    for k in range(5):
        z = z * x
        if k == 3:
            return z
    return y


def stored_in_a_list(x, y):
    xs = []
    z = x
    for _ in range(3):
        z = z * x
        xs.append(z)
    return xs[1] * y


def stored_in_an_array(x, y):
    u = np.zeros(3)
    v = u[1:]
    z = x
    for k in range(3):
        z = z * x
        u[k] = z
    return v[0] * y


def stored_in_an_object(x, y):
    class Box:
        pass

    box = Box()
    z = x
    for _ in range(3):
        z = z * x
        box.z = z
    return box.z * y


def found_by_a_callee(x, y):
    seen = {}

    def note(k, v):
        seen[k] = v

    z = x
    for k in range(3):
        z = z * x
        note(k, z)
    return seen[2] * y


UNREAD = [unread, unread_beside, unread_while, unread_in_the_outer_loop, no_result]
READ = [
    read_in_the_next_iteration, read_by_a_return, stored_in_a_list, stored_in_an_array,
    stored_in_an_object, found_by_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("f", READ)
def test_what_leads_to_the_result_some_other_way(f, forms_agree):
    forms_agree(f, 1.3, 0.7)


@pytest.mark.parametrize("x", [1.3, math.inf, math.nan])
@pytest.mark.parametrize("f", UNREAD)
def test_what_is_not_read_has_no_cotangent(f, x):
    _, back = astad.pullback(f, x, 0.7)
    assert not back(None if f is no_result else 1.0)[0]
    if f is not no_result:
        assert not astad.gradient(f, x, 0.7)[0]
