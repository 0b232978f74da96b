"""Which code objects of a function's constants are functions; the flags are those of inspect."""

import inspect

from astad import code_objects
from astad.api.memory.surroundings import Surroundings
from astad.code_objects import inner_codes, own_names


def names(fn):
    return [code.co_name for code in inner_codes(fn.__code__)]


def test_comprehensions_and_classes_are_looked_through():
    def f(xs):
        class Box:
            def get(self):
                return [lambda: x for x in xs]

        return [lambda: x for x in xs], {y: (lambda: y) for y in xs}, Box

    assert names(f) == ["get", "<lambda>", "<lambda>"]


def test_a_generator_expression_is_a_function_besides():
    def f(xs):
        return sum((lambda: x)() for x in xs)

    assert names(f) == ["<lambda>", "<genexpr>"]


def test_inner_functions_of_inner_functions_are_left_to_them():
    def f():
        def g():
            return lambda: 1

        return g

    assert names(f) == ["g"]


def halved(x):
    assert x > LEAST
    return 0.5 * x


LEAST = [0.0]


def test_what_pytest_makes_of_an_assertion_is_not_of_the_program():
    assert "@pytest_ar" in halved.__code__.co_names
    assert not any("@" in name for name in own_names(halved.__code__))
    assert Surroundings([halved]).values() == [LEAST]


def test_the_flags_are_those_of_inspect():
    assert code_objects.OPTIMIZED == inspect.CO_OPTIMIZED
    assert (code_objects.REST, code_objects.MORE) == (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    assert code_objects.STARRED == inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    assert code_objects.GENERATOR == inspect.CO_GENERATOR
    assert code_objects.ASYNCHRONOUS == (
        inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
    )
