"""Constructs that are refused, with the four parts of the message."""

import re
import textwrap

import pytest

from astad.compiler.frontend.admissible import refuse_unsupported
from astad.compiler.frontend.locate import remember_source
from astad.compiler.frontend.parse import read
from astad.compiler.lower.function import lower_function
from astad.errors import Unsupported


def refused(fn):
    with pytest.raises(Unsupported) as caught:
        refuse_unsupported(*read(fn))
    return caught.value


def test_message_has_file_line_construct_reason_and_remedy():
    def f(x):
        y = locals()
        return x + len(y)

    error = refused(f)
    line = f.__code__.co_firstlineno + 1
    assert str(error) == (
        f"test_admissible.py:{line}: locals() in f: the names it would show are those of the "
        "generated code: pass the names on explicitly"
    )


def test_first_construct_in_the_text_is_named():
    def f(x):
        if x:
            with x:
                return vars()
        locals()

    assert refused(f).what == "vars() in f"


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
        def g(y=locals()):
            return y

        return g

    assert refused(f).what == "locals() in f"


def test_generator_expression_in_the_body_of_a_class():
    def f(x):
        class Stream:
            items = (y * x async for y in x)

        return Stream

    error = refused(f)
    assert error.what == "asynchronous code in f"
    assert error.where.line == f.__code__.co_firstlineno + 2


def test_awaits_in_a_generator_expression():
    def f(xs):
        return sum(await y for y in xs)

    def g(xs):
        return list([z async for z in y] for y in xs)

    assert refused(f).what == "asynchronous code in f"
    assert refused(g).what == "asynchronous code in g"


def test_own_function_named_like_a_builtin_may_be_called():
    def f(locals, x):
        def eval(y):
            return y

        return locals(), eval(x)

    refuse_unsupported(*read(f))


REFUSALS = {
    "locals() in f": """
        return locals()["x"]  # here
    """,
    "vars() in f": """
        return vars()  # here
    """,
    "dir() in f": """
        return dir()  # here
    """,
    "eval() in f": """
        return eval("x")  # here
    """,
    "exec() in f": """
        exec("y = x")  # here
    """,
}


@pytest.mark.parametrize("title", REFUSALS)
def test_every_refusal_has_four_parts_and_the_line(title):
    text = (
        "def f(x):\n" + textwrap.indent(textwrap.dedent(REFUSALS[title]).strip("\n"), "    ") + "\n"
    )
    remember_source("/home/ada/walk.py", text)
    known = {}
    exec(compile(text, "/home/ada/walk.py", "exec", dont_inherit=True), known)
    with pytest.raises(Unsupported) as caught:
        lower_function(known["f"])
    error = caught.value
    line = next(n for n, each in enumerate(text.splitlines(), 1) if each.endswith("# here"))
    assert error.what == title.partition(",")[0]
    assert str(error) == f"walk.py:{line}: {error.what}: {error.why}: {error.instead}"
    assert len(error.why) > 20 and len(error.instead) > 10
    assert not re.search(r"\bt_\d|_cell\b|gast|ast\.|lower|Node", str(error))


def test_refusals_of_asynchronous_code():
    async def f(x):
        return x

    async def g(x):
        return [y async for y in x]

    for each in (f, g):
        error = refused(each)
        assert error.what == f"asynchronous code in {each.__name__}"
        assert error.where.line == each.__code__.co_firstlineno
