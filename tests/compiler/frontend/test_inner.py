"""Code objects of inner functions are found again by name, line and number."""

from astad.code_objects import inner_codes
from astad.compiler.frontend.parse import read


def consts_of(fn):
    """For each inner function the constants of the code its key leads to."""
    code, scope = fn.__code__, read(fn)[1]
    out = {}
    for inner in scope.inner.values():
        name, line, number = inner.key
        fitting = [
            each
            for each in inner_codes(code)
            if each.co_name == name and each.co_firstlineno - code.co_firstlineno == line
        ]
        out[inner.key] = fitting[number].co_consts[-1]
        assert fitting[number].co_freevars == inner.free
    return out


# fmt: off
def test_lambdas_of_one_line_in_every_place():
    def f(a, xs):
        return [lambda: 1, lambda b=lambda: 2: 3], [lambda: 4 for x in [lambda: 5]], lambda: (a, 6)

    found = consts_of(f)
    assert sorted(found) == [("<lambda>", 1, number) for number in range(6)]
    assert sorted(found.values()) == [1, 2, 3, 4, 5, 6]


def test_decorated_and_repeated_definitions():
    def f(a):
        if a:
            def g(): return 1
        else:
            @a
            @a
            def g(): return 2
        return g

    assert consts_of(f) == {("g", 2, 0): 1, ("g", 4, 0): 2}
# fmt: on
