"""Exceptions and contexts: what ran before an exception counts, nothing else does.

PYTEST_DONT_REWRITE: the programs assert as plain Python does.
"""

import contextlib
import math
import operator

import numpy as np
import pytest

from astad import gradient
from tests.conformance.harness import conforms, raises, refused

LOG = []


class Trouble(Exception):
    def __init__(self, size, *rest):
        super().__init__(size, *rest)
        self.size = size


class Worse(Trouble):
    pass


class Meter:
    """A context manager that books what happens inside."""

    def __init__(self, book, weight, swallows=()):
        self.book = book
        self.weight = weight
        self.swallows = swallows

    def __enter__(self):
        self.book.append(self.weight)
        return self

    def __exit__(self, kind, error, trace):
        self.book.append(self.weight * len(self.book))
        if error is not None and error.args:
            self.book.append(error.args[0])
        return isinstance(error, self.swallows)


def fails_if_small(x, bound):
    if x < bound:
        raise Trouble(x * bound)
    return math.sqrt(x - bound)


# --- nothing is raised


def else_runs_and_its_exception_is_not_caught_here(x):
    y = x
    try:
        try:
            y = y * x
        except Trouble:
            y = 0.0
        else:
            y = y + x
            raise Trouble(y)
        finally:
            y = y * 2.0
    except Trouble as e:
        return e.size * y
    return 0.0


def finally_after_a_normal_end(x):
    out = [x]
    try:
        out[0] = out[0] * x
    finally:
        out[0] = out[0] + x
    return out[0]


def try_in_an_expression_statement_loop(x):
    total = 0.0
    for k in range(4):
        try:
            total += x / (k - 2)
        except ZeroDivisionError:
            total -= x * x
        else:
            total *= 1.5
    return total


# --- which clause, in which order


def first_fitting_clause_wins(x):
    try:
        raise Worse(x * 3)
    except Trouble as e:
        return e.size
    except Worse as e:
        return e.size * 100


def clause_with_a_computed_class(x):
    kinds = {"a": KeyError, "b": (IndexError, Trouble)}
    y = 0.0
    for name in "ab":
        try:
            raise Trouble(x * len(name)) if name == "b" else KeyError(x)
        except kinds[name] as e:
            y = y * x + e.args[0]
    return y


def clause_asked_only_when_needed(x):
    seen = []

    def kind(k):
        seen.append(k * x)
        return k and Trouble or KeyError

    try:
        raise Trouble(x)
    except kind(0):
        return 0.0
    except kind(1):
        return sum(seen) + len(seen) * x


def bare_clause_catches_all(x):
    try:
        y = x * x
        raise KeyboardInterrupt
    except:  # noqa: E722
        y = y * 3
    return y


def subclass_made_on_the_spot(x):
    kind = type("Local", (Worse,), {"unit": 2.0})
    try:
        raise kind(x)
    except Trouble as e:
        return e.size * e.unit


# --- the name of a clause


def name_of_a_clause_is_unbound_after_it(x):
    e = x
    try:
        raise Trouble(x * x)
    except Trouble as e:
        y = e.size
    try:
        return e * y
    except UnboundLocalError:
        return y * 2


def name_of_a_clause_rebound_inside(x):
    try:
        raise Trouble(x)
    except Trouble as e:
        e = e.size * x
        y = e
    return y * x


def clause_name_captured_by_a_lambda(x):
    try:
        raise Trouble(x * 2)
    except Trouble as e:
        y = (lambda: e.size * x)()  # noqa: F821
    return y


def exception_kept_under_another_name(x):
    kept = None
    try:
        raise Trouble(x, x * x)
    except Trouble as e:
        kept = e
    return kept.size * kept.args[1]


def attribute_written_on_a_caught_exception(x):
    try:
        try:
            raise Trouble(x)
        except Trouble as e:
            e.size *= x
            e.more = x + 1
            raise
    except Trouble as e:
        return e.size * e.more


# --- raising again


def raised_again_by_name(x):
    out = []
    try:
        try:
            raise Trouble(x)
        except Trouble as e:
            out.append(e.size * 2)
            raise e
    except Trouble as e:
        out.append(e.size)
    return out[0] * out[1]


def raised_from(x):
    try:
        try:
            {}["missing"]
        except KeyError as e:
            raise Trouble(x * 2) from e
    except Trouble as e:
        return e.size * len(e.__cause__.args) * (2 if e.__suppress_context__ else 1)


def raised_from_none(x):
    try:
        try:
            raise Trouble(x)
        except Trouble as e:
            raise Worse(e.size * x) from None
    except Worse as e:
        return e.size * (e.__cause__ is None) * (e.__context__.size)


def context_is_chained(x):
    try:
        try:
            raise Trouble(x * 3)
        except Trouble:
            raise Worse(x)
    except Worse as e:
        return e.size * e.__context__.size


def raise_of_a_class(x):
    y = x
    try:
        y = y * x
        raise StopIteration
    except StopIteration as e:
        return y * (len(e.args) + 1)


def bare_raise_in_a_callee(x):
    def again():
        raise

    try:
        try:
            raise Trouble(x * 4)
        except Trouble:
            again()
    except Trouble as e:
        return e.size * x


# --- finally


def return_in_finally_hides_the_exception(x):
    def inner(v):
        try:
            raise Trouble(v)
        finally:
            return v * v

    return inner(x) * x


def break_in_finally(x):
    y = x
    for k in range(5):
        try:
            y = y * x
            if k == 2:
                raise Trouble(y)
        finally:
            y = y + 0.5 * x
            if k == 2:
                break
    return y


def continue_in_finally(x):
    y = 0.0
    for k in (1.0, 0.0, 2.0):
        try:
            y = y + x / k
        finally:
            y = y * x
            continue
    return y


def return_out_of_nested_loops_and_tries(x):
    book = [x]

    def search():
        for i in range(4):
            try:
                for j in range(4):
                    try:
                        if i * j == 2:
                            return book[0] * i
                    finally:
                        book[0] = book[0] * 1.1
            finally:
                book[0] = book[0] + x
        return 0.0

    return search() * book[0]


def continue_through_two_finallies(x):
    total = x
    for k in range(3):
        try:
            try:
                if k == 1:
                    continue
                total = total * x
            finally:
                total = total + k
        finally:
            total = total * 1.5
    return total


def value_of_return_is_computed_before_finally(x):
    def inner():
        y = x * 2
        try:
            return y * y
        finally:
            y = 0.0

    return inner()


def finally_sees_the_mutation_not_the_rebinding(x):
    def inner():
        y = [x]
        try:
            return y
        finally:
            y[0] = y[0] * x
            y = [100.0]

    return inner()[0]


def while_with_try_and_else(x):
    n, y = 0, x
    while n < 3:
        n += 1
        try:
            if n == 2:
                raise Trouble(y)
        except Trouble as e:
            y = y + e.size * x
            continue
        y = y * x
    else:
        y = y + 1.0
    return y


# --- raised by something else than `raise`


def raised_by_numpy(a, x):
    b = a * x
    try:
        b[0] = b[1] * x
        np.linalg.inv(np.zeros((2, 2)))
        b[1] = 0.0
    except np.linalg.LinAlgError as e:
        return b @ b * len(str(e))


def raised_by_a_shape(a, x):
    y = a * x
    try:
        y = y + np.ones(7)
    except ValueError:
        y = y * a
    return y.sum()


def raised_by_errstate(a):
    with np.errstate(divide="raise"):
        try:
            y = a / 0.0
        except FloatingPointError:
            y = a * a
    return y.sum()


def raised_by_a_conversion(x):
    total = x
    for text in ("2.5", "two", "3"):
        try:
            total = total * float(text)
        except ValueError as e:
            total = total + x * str(e).count("two")
    return total


def raised_by_an_unpacking(x):
    a, b = x, x * x
    try:
        a, b = [b, a, x]
    except ValueError:
        a, b = b, a
    return a * a * b


def raised_by_an_attribute(x):
    try:
        return x.nothing
    except AttributeError as e:
        return x * len(e.name)


def raised_while_arguments_are_evaluated(x):
    book = []

    def note(v):
        book.append(v)
        return v

    def fn(a, b, c):
        book.append(100.0)

    try:
        fn(note(x), note(x * 2), [][0])
    except IndexError:
        pass
    return book[0] * book[1] * len(book)


def raised_by_a_sort_key(xs):
    book = [1.0]

    def key(v):
        book[0] = book[0] * v
        return 1 / (v - 3.0)

    try:
        xs.sort(key=key)
    except ZeroDivisionError:
        return book[0] * len(xs)


def raised_by_recursion(x, n):
    def down(v, k):
        if k == 0:
            raise Trouble(v)
        try:
            down(v * x, k - 1)
        except Trouble as e:
            if k % 2:
                raise
            raise Worse(e.size + v) from e

    try:
        down(x, n)
    except Trouble as e:
        return e.size


def raised_three_levels_down(state, x):
    def bottom(s):
        s["a"] = s["a"] * x
        raise Trouble(s["a"])

    def middle(s):
        s["b"] = s["a"] + x
        bottom(s)
        s["b"] = 0.0

    def top(s):
        try:
            middle(s)
        finally:
            s["c"] = s["a"] * s["b"]

    try:
        top(state)
    except Trouble as e:
        return e.size + state["c"]


def raised_in_a_constructor(x):
    class_ = Halfway
    made = []
    try:
        class_(x, made)
    except Trouble as e:
        return made[0].value * e.size


class Halfway:
    def __init__(self, x, made):
        made.append(self)
        self.value = x * x
        if x:
            raise Trouble(x * 3)
        self.value = 0.0


def raised_in_a_comprehension(x):
    book = [0.0]

    def take(k):
        book[0] = book[0] + x * k
        return 1 / (3 - k)

    try:
        book = [take(k) for k in range(5)]
    except ZeroDivisionError:
        book.append(x)
    return book[0] * book[1]


def raised_in_a_generator(x):
    def values():
        y = x
        for k in range(4):
            y = y * x
            if k == 3:
                raise Trouble(y)
            yield y

    total = 0.0
    try:
        for v in values():
            total = total + v
    except Trouble as e:
        total = total * e.size
    return total


def thrown_into_a_generator(x):
    def values():
        y = x
        while True:
            try:
                yield y
                y = y * x
            except Trouble as e:
                y = y + e.size * x

    it = values()
    total = next(it)
    total += next(it)
    total += it.throw(Trouble(x * 2))
    return total + next(it)


# --- with


def several_items_leave_in_reverse_order(x):
    book = []
    with Meter(book, x) as a, Meter(book, x * x) as b:
        book.append(a.weight * b.weight)
    y = 1.0
    for v in book:
        y = y * x + v
    return y


def second_enter_raises(x):
    book = []
    try:
        with Meter(book, x), Meter(book, fails_if_small(x, 10.0)):
            book.append(100.0)
    except Trouble as e:
        book.append(e.size)
    return sum(book) * len(book)


def inner_one_swallows(x):
    book = []
    with Meter(book, x), Meter(book, x * 2, swallows=Trouble):
        book.append(x * 5)
        raise Trouble(x * x)
    return sum(book) + len(book)


def outer_one_swallows(x):
    book = []
    with Meter(book, x, swallows=(KeyError, Trouble)), Meter(book, x * 2):
        raise Trouble(x * x)
    return sum(v * (k + 1) for k, v in enumerate(book))


def as_targets_of_every_form(x):
    state = {}
    pair = [0.0, 0.0]
    with (
        contextlib.nullcontext((x, x * x)) as (a, b),
        contextlib.nullcontext(a * b) as state["c"],
        contextlib.nullcontext([x, 2.0, 3.0]) as [pair[0], *rest],
    ):
        return state["c"] + pair[0] * sum(rest)


@contextlib.contextmanager
def scaled(values, by):
    values[0] = values[0] * by
    try:
        yield values[0]
    except Trouble as e:
        values[0] = values[0] + e.size
    finally:
        values[0] = values[0] - by


def made_by_contextmanager(x):
    values = [x]
    with scaled(values, x + 1) as y:
        values[0] = values[0] * y
    return values[0]


def made_by_contextmanager_and_raising(x):
    values = [x]
    with scaled(values, x + 1) as y:
        raise Trouble(y * x)
    return values[0]


def suppressed_half_way(x):
    y = [x]
    with contextlib.suppress(ZeroDivisionError, Trouble):
        y[0] = y[0] * x
        y.append(y[0] / 0.0)
    return y[0] * len(y)


def exit_stack(x):
    book = []
    with contextlib.ExitStack() as stack:
        for k in range(3):
            stack.enter_context(Meter(book, x * (k + 1)))
        stack.callback(book.append, x * 7)
        book.append(x)
    y = 1.0
    for v in book:
        y = y * 0.5 + v * x
    return y


def exit_stack_with_an_exception(x):
    book = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(Meter(book, x, swallows=Trouble))
        stack.push(lambda kind, error, trace: book.append(error.size * 2))
        raise Trouble(x * 3)
    return sum(book)


def closing(x):
    class Door:
        level = 1.0

        def close(self):
            self.level = self.level * x

    door = Door()
    with contextlib.closing(door):
        door.level = x * 2
    return door.level


def return_inside_with_and_swallowing(x):
    book = []

    def inner():
        with Meter(book, x, swallows=Trouble):
            for k in range(3):
                if k == 1:
                    raise Trouble(x)
        return x * 2

    return inner() + sum(book)


def break_inside_with(x):
    book = []
    for k in range(3):
        with Meter(book, x * (k + 1)):
            if k == 1:
                break
            book.append(x)
    return sum(v * v for v in book)


def with_in_a_loop_of_tries(x):
    book, y = [], x
    for k in range(3):
        try:
            with Meter(book, y, swallows=KeyError):
                y = y * x
                if k:
                    raise (KeyError if k == 1 else Trouble)(y)
        except Trouble as e:
            y = y + e.size
    return y * sum(book)


def lock_is_inert(x):
    import threading

    with threading.Lock():
        return x * x


def reentered(x):
    book = []
    meter = Meter(book, x)
    with meter:
        meter.weight = meter.weight * 2
        with meter:
            book.append(x)
    return sum(v * (k + 1) for k, v in enumerate(book))


# --- groups


def each_clause_takes_its_part(x):
    y = x
    try:
        raise ExceptionGroup("all", [Trouble(x), KeyError(x * x), Trouble(3.0 * x)])
    except* KeyError as group:
        y = y + group.exceptions[0].args[0]
    except* Trouble as group:
        for e in group.exceptions:
            y = y * e.size
    else:
        y = 0.0
    finally:
        y = y + 1.0
    return y * x


def nothing_raised_in_a_try_with_groups(x):
    y = x
    try:
        y = y * x
    except* ValueError:
        y = 0.0
    else:
        y = y + x
    return y


def naked_exception_comes_in_a_group(x):
    try:
        raise Trouble(x * x)
    except* Trouble as group:
        y = group.exceptions[0].size * len(group.exceptions) + len(group.message)
    return y


def rest_of_a_group_goes_on(x):
    book = []
    try:
        try:
            inner = ExceptionGroup("inner", [Trouble(x), KeyError("k")])
            raise ExceptionGroup("outer", [inner, IndexError(x * 2)])
        except* Trouble as group:
            book.append(group.exceptions[0].exceptions[0].size)
    except ExceptionGroup as left:
        book.append(left.exceptions[1].args[0])
        return book[0] * book[1] * len(left.exceptions) * (left.message == "outer")


def clauses_that_raise_are_joined(x):
    try:
        try:
            raise ExceptionGroup("all", [Trouble(x), KeyError("k"), IndexError("i")])
        except* Trouble as group:
            raise Worse(group.exceptions[0].size * 2)
        except* KeyError:
            raise
    except ExceptionGroup as e:
        first, rest = e.exceptions
        again = [type(each).__name__ for each in rest.exceptions]
        return (
            first.size * (again == ["KeyError", "IndexError"]) * len(first.__context__.exceptions)
        )


def group_in_a_loop_with_state(x):
    total = x
    for k in range(3):
        try:
            if k:
                raise ExceptionGroup("g", [Trouble(total * k)] * k)
            total = total * x
        except* (KeyError, Trouble) as g:
            total = total + sum(e.size for e in g.exceptions)
    return total


def name_of_a_clause_is_unbound_after_continue(x):
    total = 0.0
    for k in range(3):
        try:
            raise Trouble(x * k)
        except Trouble as e:
            total += e.size
            if k == 1:
                continue
        total *= 2
    try:
        return e.size  # noqa: F821
    except UnboundLocalError:
        return total * x


# --- asserts


def assert_that_holds(x):
    assert x > 0, LOG.append(x)
    return x * x


def assert_caught(x):
    y = x
    try:
        y = y * x
        assert y < 0, y
    except AssertionError as e:
        return e.args[0] * x


VECTOR = np.array([1.5, 0.5])
PROGRAMS = [
    (f, (0.7,))
    for f in [
        else_runs_and_its_exception_is_not_caught_here, finally_after_a_normal_end,
        try_in_an_expression_statement_loop, first_fitting_clause_wins,
        clause_with_a_computed_class, clause_asked_only_when_needed, bare_clause_catches_all,
        subclass_made_on_the_spot, name_of_a_clause_is_unbound_after_it,
        name_of_a_clause_rebound_inside, clause_name_captured_by_a_lambda,
        exception_kept_under_another_name, attribute_written_on_a_caught_exception,
        raised_again_by_name, raised_from, raised_from_none, context_is_chained, raise_of_a_class,
        bare_raise_in_a_callee, return_in_finally_hides_the_exception, break_in_finally,
        return_out_of_nested_loops_and_tries, continue_through_two_finallies,
        value_of_return_is_computed_before_finally, finally_sees_the_mutation_not_the_rebinding,
        while_with_try_and_else, raised_by_a_conversion, raised_by_an_unpacking,
        raised_by_an_attribute, raised_while_arguments_are_evaluated, raised_in_a_constructor,
        raised_in_a_comprehension, raised_in_a_generator, thrown_into_a_generator,
        several_items_leave_in_reverse_order, second_enter_raises, inner_one_swallows,
        outer_one_swallows, as_targets_of_every_form, made_by_contextmanager,
        made_by_contextmanager_and_raising, suppressed_half_way, exit_stack,
        exit_stack_with_an_exception, closing, return_inside_with_and_swallowing,
        break_inside_with, with_in_a_loop_of_tries, lock_is_inert, reentered, assert_that_holds,
        assert_caught, continue_in_finally,
        each_clause_takes_its_part, nothing_raised_in_a_try_with_groups,
        naked_exception_comes_in_a_group, rest_of_a_group_goes_on, clauses_that_raise_are_joined,
        group_in_a_loop_with_state, name_of_a_clause_is_unbound_after_continue,
    ]
]  # fmt: skip
PROGRAMS += [
    (raised_by_numpy, (VECTOR, 0.7)),
    (raised_by_a_shape, (VECTOR, 0.7)),
    (raised_by_errstate, (VECTOR,)),
    (raised_by_recursion, (0.7, 5)),
    (raised_three_levels_down, ({"a": 1.5, "b": 0.5}, 0.7)),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_program(program, args):
    conforms(program, *args)


# --- what reaches the user


def assertion_with_a_message(x):
    y = x * x
    assert y < 0, f"{y} is not negative"
    return y


def assertion_without_a_message(x):
    assert not x
    return x


def key_error(state, x):
    state["n"] = x
    return state["missing"] * x


def domain_error_in_a_callee(x):
    return 1.0 + fails_if_small(math.log(x), -3.0) * math.sqrt(-x)


def raised_with_notes(x):
    try:
        return fails_if_small(x, 2.0)
    except Trouble as e:
        e.add_note("too small")
        raise


def raised_from_another(x):
    try:
        return [x][1]
    except IndexError as e:
        raise Trouble(x) from e


def chain_of_three(x):
    try:
        try:
            {}[x]
        except KeyError:
            x.y
    except AttributeError:
        raise Worse("three") from None


def out_of_with(x):
    with Meter(LOG, x):
        LOG.append(x)
        raise Trouble(2.0)


def finally_raises_another(x):
    try:
        return x / 0.0
    finally:
        operator.index(x)


def wrong_arguments(x):
    return fails_if_small(x, 1.0, 2.0)


def unbound(x):
    if x > 1:
        y = x
    return y * x


def raises_no_exception(x):
    raise x


def catches_no_class(x):
    try:
        raise Trouble(1.0)
    except x:
        return x


def no_manager(x):
    with x as y:
        return y


def exit_raises(x):
    class Broken:
        def __enter__(self):
            return x

        def __exit__(self, *given):
            raise Trouble(3.0)

    with Broken() as y:
        raise KeyError(y)


def numpy_says_no(a):
    return (a @ np.ones(5)).sum()


def leaves_a_generator(x):
    def values():
        yield x
        raise Trouble("no more")

    return sum(v * v for v in values())


def stop_iteration_in_a_generator(x):
    def values():
        yield x
        next(iter(()))

    return sum(v for v in values())


def exits(x):
    raise SystemExit(3)


def group_that_reaches_the_user(x):
    try:
        raise ExceptionGroup("all", [Trouble(1.0), KeyError(x)])
    except* KeyError:
        LOG.append(x)


def group_clause_of_a_group(x):
    try:
        raise Trouble(x)
    except* ExceptionGroup:
        return_value = x
    return return_value


def error_out_of_a_group_clause(x):
    try:
        raise ExceptionGroup("all", [Trouble(1.0), KeyError("k")])
    except* Trouble as group:
        raise ValueError(len(group.exceptions)) from group


def naked_exception_raised_again_by_a_clause(x):
    try:
        x / 0.0
    except* ZeroDivisionError:
        raise


RAISING = [
    (f, (0.7,))
    for f in [
        assertion_with_a_message, assertion_without_a_message, domain_error_in_a_callee,
        raised_with_notes, raised_from_another, chain_of_three, out_of_with,
        finally_raises_another, wrong_arguments, unbound, raises_no_exception, catches_no_class,
        no_manager, exit_raises, leaves_a_generator, stop_iteration_in_a_generator, exits,
        group_that_reaches_the_user, group_clause_of_a_group, error_out_of_a_group_clause,
        naked_exception_raised_again_by_a_clause,
    ]
]  # fmt: skip
RAISING += [(key_error, ({"m": 1.0}, 0.7)), (numpy_says_no, (VECTOR,))]


@pytest.mark.parametrize(("program", "args"), RAISING, ids=lambda p: getattr(p, "__name__", ""))
def test_exception_that_reaches_the_user(program, args):
    raises(program, *args)


def test_what_a_key_of_sort_has_done_before_it_raises():
    refused(raised_by_a_sort_key, [1.0, 3.0, 2.0], what="went through compiled code")


def test_frames_between_the_users_are_left_out():
    import traceback

    with pytest.raises(Trouble) as caught:
        gradient(raised_with_notes, 0.7)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["raised_with_notes", "fails_if_small"]
