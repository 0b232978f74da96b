"""None where the text of a program leads from an argument to the result on no way, whatever branch
ran, and a zero where it does: by another name for an object, and by a call that is handed on.
"""

import contextlib
import functools

import numpy as np
import pytest

import astad

pytestmark = pytest.mark.order_matters


class Account:
    def __init__(self, v):
        self.v = v

    def itself(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            self.v = 1.0
        return kind is not None


class Holder:
    def __init__(self, account):
        self.account = account


def same(account):
    return account


def divide(account, d):
    account.v = account.v / d


@contextlib.contextmanager
def undone(account):
    try:
        yield account
    except ArithmeticError:
        account.v = 1.0


def in_a_context_of_a_generator(x, d):
    account = Account(x)
    with undone(account) as open_:
        open_.v = open_.v / d
    return account.v * x


def in_a_context_of_a_class(x, d):
    account = Account(x)
    with account as open_:
        open_.v = open_.v / d
    return account.v * x


def in_a_stack_of_contexts(x, d):
    account = Account(x)
    with contextlib.ExitStack() as stack:
        open_ = stack.enter_context(undone(account))
        open_.v = open_.v / d
    return account.v * x


def by_what_a_function_returns(x, d):
    account = Account(x)
    other = same(account)
    other.v = other.v / d if d else 1.0
    return account.v * x


def by_what_a_method_returns(x, d):
    account = Account(x)
    other = account.itself()
    if d:
        other.v = other.v / d
    else:
        other.v = 1.0
    return account.v * x


def by_what_a_function_writes(x, d):
    account = Account(x)
    other = same(account)
    if d:
        divide(other, d)
    else:
        other.v = 1.0
    return account.v * x


def by_an_object_that_holds_it(x, d):
    account = Account(x)
    holder = Holder(account)
    if d:
        holder.account.v = account.v / d
    else:
        holder.account.v = 1.0
    return account.v * x


def by_a_dict_that_holds_it(x, d):
    account, table = Account(x), {}
    table["main"] = account
    if d:
        table["main"].v = x / d
    else:
        table["main"].v = 1.0
    return account.v * x


def by_the_items_of_a_dict(x, d):
    rows = {"a": [x]}
    for row in rows.values():
        if d:
            row[0] = row[0] / d
        else:
            row[0] = 1.0
    return rows["a"][0] * x


def by_an_iterator(x, d):
    row = [x]
    other = next(iter([row]))
    if d:
        other[0] = other[0] / d
    else:
        other[0] = 1.0
    return row[0] * x


def by_a_closure(x, d):
    row = [x]
    give = lambda: row
    other = give()
    if d:
        other.append(1.0 / d)
    else:
        other.append(1.0)
    return sum(row) * x


def by_a_partial(x, d):
    account = Account(x)
    other = functools.partial(same, account)()
    if d:
        setattr(other, "v", other.v / d)
    else:
        other.v = 1.0
    return account.v * x


def by_another_array(x, d):
    row = np.array([x, 1.0])
    other = row.reshape(2, 1)
    if d:
        other[0] = x / d
    else:
        other[0] = 1.0
    return row[0] * x


@pytest.mark.parametrize(
    "f",
    [
        in_a_context_of_a_generator,
        in_a_context_of_a_class,
        in_a_stack_of_contexts,
        by_what_a_function_returns,
        by_what_a_method_returns,
        by_what_a_function_writes,
        by_an_object_that_holds_it,
        by_a_dict_that_holds_it,
        by_the_items_of_a_dict,
        by_an_iterator,
        by_a_closure,
        by_a_partial,
        by_another_array,
    ],
)
def test_a_write_by_another_name_is_a_way(f):
    for d in (4.0, 0.0, 0.0, 0.0):
        bars = astad.gradient(f, 2.0, d)
        assert all(type(bar) in (float, np.float64) for bar in bars)
        assert bars[1] == pytest.approx(-0.0 if d == 0 else _slope(f, d), abs=1e-6)
    assert astad.pullback(f, 2.0, 0.0)[1](1.0)[1] == 0.0


def _slope(f, d):
    return (f(2.0, d + 1e-6) - f(2.0, d - 1e-6)) / 2e-6


# --- what is written elsewhere, or nowhere


def written_elsewhere(x, d):
    account, other = Account(x), Account(0.0)
    same(other).v = d
    return account.v * x


def read_alone(x, d):
    account = Account(x)
    other = same(account)
    return account.v * x if other.v > d else x


def noted(x, d):
    notes = []
    notes.append(d)
    return x * x if notes[0] > 1.0 else x


def counted(x, n):
    account = Account(x)
    for _ in range(n):
        other = same(account)
        other.v = other.v * x
    return account.v


@pytest.mark.parametrize("f", [written_elsewhere, read_alone, noted])
def test_no_way(f):
    for _ in range(3):
        assert astad.gradient(f, 2.0, 4.0)[1] is None
    assert astad.pullback(f, 2.0, 4.0)[1](1.0)[1] is None


def test_a_number_that_counts_the_writes():
    assert astad.gradient(counted, 2.0, 3) == (32.0, None)


# --- calls that are handed on


def power(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def labelled(x, label, unused, n=2):
    return power(x, n)


class Model:
    def power(self, x, n):
        return power(x, n)

    def __call__(self, x, n):
        return power(x, n)

    @astad.checkpoint
    def checked(self, x, n):
        return power(x, n)


@astad.checkpoint
def decorated(x, n):
    return power(x, n)


@pytest.mark.parametrize(
    "f",
    [
        power,
        astad.checkpoint(power),
        astad.checkpoint(power, memory="1 MB"),
        astad.checkpoint(astad.checkpoint(power)),
        astad.checkpoint(functools.partial(power)),
        astad.checkpoint(Model().power),
        astad.checkpoint(Model()),
        functools.partial(power),
        functools.partial(astad.checkpoint(power)),
        functools.partial(labelled, unused=1.0, label="a"),
        Model().power,
        Model(),
        Model().checked,
        decorated,
    ],
)
def test_a_call_that_is_handed_on_has_the_ways_of_the_function(f):
    given = (1.5, 4) if getattr(f, "func", None) is not labelled else (1.5,)
    expected = (13.5, None) if len(given) == 2 else (3.0,)
    for _ in range(3):
        assert astad.gradient(f, *given) == expected
        assert astad.pullback(f, *given)[1](1.0) == expected
    assert astad.grad(f)(*given) == expected[0]


def test_words_and_defaults_keep_their_places():
    f = astad.checkpoint(labelled)
    for _ in range(3):
        assert astad.gradient(f, 1.5, "a", 2.0) == (3.0, None, None)
        assert astad.gradient(f, 1.5, "a", 2.0, 4) == (13.5, None, None, None)
        assert astad.gradient(f, 1.5, [1.0], {"b": 2.0}, n=4) == (13.5, None, None)


def test_a_way_that_was_not_taken_through_a_checkpoint_is_a_zero():
    f = astad.checkpoint(lambda x, y: x * x if x > 0 else x * y)
    assert astad.gradient(f, 2.0, 3.0) == (4.0, 0.0)
    assert astad.gradient(f, 2.0, 3) == (4.0, 0)
