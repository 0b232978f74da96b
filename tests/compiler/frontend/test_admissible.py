"""Constructs that are refused, with the four parts of the message."""

import pytest

from astad.compiler.frontend.admissible import refuse_unsupported
from astad.compiler.frontend.parse import read
from astad.errors import Unsupported


def refused(fn):
    with pytest.raises(Unsupported) as caught:
        refuse_unsupported(*read(fn))
    return caught.value


def test_message_has_file_line_construct_reason_and_remedy():
    def f(x):
        try:
            return 1 / x
        except ZeroDivisionError:
            return 0.0

    error = refused(f)
    line = f.__code__.co_firstlineno + 1
    assert str(error) == (
        f"test_admissible.py:{line}: try in f: which statements ran before an exception is not "
        "recorded yet: test for the condition with if, or put the try into a function that calls "
        "this one"
    )


def test_first_construct_in_the_text_is_named():
    def f(x):
        if x:
            with x:
                pass
        try:
            pass
        finally:
            pass

    assert refused(f).what == "with in f"


def test_what_inner_functions_contain_does_not_matter():
    def f(xs):
        def g():
            try:
                yield from xs
            finally:
                with xs:
                    pass

        async def h():
            await xs

        return g, h, vars(xs), lambda: (yield)

    refuse_unsupported(*read(f))


def test_decorator_and_defaults_of_inner_functions_do_matter():
    def f(x):
        def g(y=(yield x)):
            return y

        return g

    assert refused(f).what == "yield in f"


def test_own_function_named_like_a_builtin_may_be_called():
    def f(locals, x):
        def eval(y):
            return y

        return locals(), eval(x)

    refuse_unsupported(*read(f))


def test_names_in_the_message_are_those_of_the_user():
    def f(x):
        global counter_of_calls
        counter_of_calls += x

    assert refused(f).what == "write to the global counter_of_calls in f"
