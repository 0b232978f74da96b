"""Which lines are left to the run time: the right lines, with the first cause of each."""

import enum
import functools
import math
from types import SimpleNamespace

import numpy as np
import pytest

import astad

pytestmark = pytest.mark.order_matters


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, x):
        return self.stiffness * x


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x


TABLE = {letter: 2.0 for letter in "abcdefghijklmnopqrstuvwxyz"}
MANY = [Spring(float(k)) for k in range(20)]
SPRINGS = [Spring(2.0)] * 20


def attribute(spring, n):
    total = 0.0
    for k in range(n):
        total = total + spring.stiffness * k
    return total


def method_in_loop(springs, x):
    total = 0.0
    for spring in springs:
        total = total + spring.force(x)
    return total


def guarded(x):
    try:
        return math.log(x)
    except ValueError:
        return 0.0


def calls_guarded(x, n):
    y = x
    for _ in range(n):
        y = guarded(y) * 2.0
    return y


def adds(*values):
    total = 0.0
    for value in values:
        total = total + value
    return total


def adds_guarded(*values):
    try:
        return values[0] + values[1]
    finally:
        values = ()


def calls_adds(x):
    y = x * 2.0
    return adds_guarded(x, y) + y


def by_star(x, values):
    return math.hypot(*values) * x


def yields(x):
    for k in range(3):
        yield x * k


def calls_yields(x):
    return sum(yields(x))


def reads_table(x):
    y = x * x
    return y * TABLE["a"]


def loops_over_global(x):
    total = 0.0
    for spring in SPRINGS:
        total = total + spring.stiffness * x
    return total


def calls_argument(f, x):
    return f(x) * 2.0


def inner_function(x):
    def scaled(y):
        return x * y

    values = [scaled]
    return values[0](2.0) + len(values)


def makes_object(x):
    scale = Scale(x)
    y = x + 1.0
    return guarded_by(scale, y)


def guarded_by(scale, y):
    try:
        return scale(y)
    finally:
        y = 0.0


def stores(spring, x):
    spring.stiffness = x
    return x * 2.0


def without_kind(x):
    y = x * 2.0
    z = np.apply_along_axis(np.sum, 0, y)
    return z * 1.0


def opens(x, name):
    with open(name) as lines:
        return x * len(lines.read())


def dict_of_arrays(params, x):
    return np.sum(params["w"] @ x)


def plain(x):
    return math.sin(x) * x


def helper(x):
    return x * math.exp(x)


def row_at(found, function, offset, part):
    line = function.__code__.co_firstlineno + offset
    fits = [row for row in found.rows if row.line == line and part in row.why]
    assert fits, f"no {part!r} at {line}:\n{found}"
    assert fits[0].text
    assert fits[0].instead
    assert fits[0].filename == __file__
    return fits[0]


class Mode(enum.Enum):
    FAST = 1


def asks_an_enum(x):
    if Mode.FAST is not None:
        return x * 2.0
    return x


def binds_a_global(x):
    global counted
    counted = 2.0
    return counted * x


def picks_a_function(x, key):
    return {"a": math.sin, "b": math.cos}[key](x)


def by_builtin(x, y):
    return divmod(x, y)[1] * 2.0


def makes_text(x):
    return f"{x}" and x * 2


def has_a_local_of_a_global_name(MANY, x):
    y = x * 2.0
    return MANY[0] * y


def makes_list(x):
    values = list(range(int(x)))
    return values[-1] * x


def captures(springs):
    def pull(x):
        return springs[-1].stiffness * x

    return pull


def by_keyword(x):
    return guarded(x=x) * 2.0


def text_first(x, n):
    total = "none"
    for _ in range(n):
        total = x if total == "none" else total + x
    return total


CASES = [
    (attribute, (SimpleNamespace(stiffness=2.0), 3), 3, "spring.stiffness is an attribute of"),
    (method_in_loop, (MANY, 1.0), 3, "spring.force is called on an object"),
    (method_in_loop, (MANY, 1.0), 3, "(springs is a list of Spring)"),
    (calls_guarded, (2.0, 2), 3, "guarded is not called directly: it has try or with in it"),
    (adds, (1.0, 2.0), 3, "values holds any number of arguments"),
    (calls_adds, (1.0,), 2, "adds_guarded is not called directly: it takes *args or **keywords"),
    (by_star, (3.0, {1.0, 2.0}), 1, "math.hypot is called with * or **"),
    (calls_yields, (2.0,), 1, "yields is not called directly: it is a generator"),
    (reads_table, (2.0,), 2, "TABLE is a global, a dict of float"),
    (loops_over_global, (2.0,), 3, "SPRINGS is a global, a list of Spring"),
    (calls_argument, (guarded, 2.0), 1, "which function is called as f is found out when it runs"),
    (calls_argument, (Scale(2.0).__call__, 2.0), 1, "(f is a method)"),
    (asks_an_enum, (3.0,), 1, "(Mode is a global, an EnumType)"),
    (binds_a_global, (3.0,), 3, "counted is a global that a function binds anew"),
    (picks_a_function, (3.0, "a"), 1, "{...}[key] is an item of"),
    (by_builtin, (3.0, 2.0), 1, "what divmod gives for (float, float) is not known beforehand"),
    (makes_text, (3.0,), 1, "text is made of what may carry a derivative"),
    (
        has_a_local_of_a_global_name,
        (dict.fromkeys(range(30), 2.0), 3.0),
        2,
        "(MANY is a dict of float)",
    ),
    (makes_list, (3.0,), 1, "list(...) makes a container whose items are not followed"),
    (makes_object, (3.0,), 1, "an object of the class Scale is made"),
    (inner_function, (3.0,), 0, "x is captured by an inner function"),
    (captures(MANY), (3.0,), 1, "springs is captured from outside"),
    (by_keyword, (3.0,), 1, "guarded is called by keywords"),
    (text_first, (3.0, 2), 3, "total is not of one known kind in every round or branch"),
    (stores, (Spring(2.0), 3.0), 1, "spring.stiffness is stored in an object"),
    (without_kind, (np.ones((2, 2)),), 2, "np.apply_along_axis"),
]


@pytest.mark.parametrize(("function", "args", "offset", "part"), CASES)
def test_line_and_first_cause(function, args, offset, part):
    found = astad.explain(function, *args)
    assert found.form == "pair"
    row_at(found, function, offset, part)
    assert part in str(found)


def test_what_follows_from_an_unknown_value_has_its_cause():
    found = astad.explain(reads_table, 2.0)
    assert [row.why[:10] for row in found.rows] == ["TABLE['a']"]


def test_a_function_round_a_loop_has_one_cause():
    found = astad.explain(calls_guarded, 2.0, 2)
    assert len([row for row in found.rows if row.function == "calls_guarded"]) == 1
    assert [row.depth for row in found.rows] == [1]


@pytest.mark.parametrize(
    ("function", "args"),
    [(plain, (2.0,)), (dict_of_arrays, ({"w": np.ones((2, 2))}, np.ones(2)))],
)
def test_all_is_written_out(function, args):
    found = astad.explain(function, *args)
    assert (found.form, found.rows) == ("fused", ())
    said = "fused: all is written out, nothing is left to the run time"
    assert str(found) == f"{function.__name__}: {said}"


def test_a_method_is_a_function_of_its_own():
    found = astad.explain(method_in_loop, MANY, 1.0)
    forms = {each.name: each.form for each in found.functions}
    assert forms == {"method_in_loop": "pair", "Spring.force": "pair"}
    *_, quiet, recorded = str(found).splitlines()
    assert quiet == "nothing is left in Spring.force (pair)"
    assert recorded == "from the third gradient on a recorded run answers: see astad.recorded_text"


def test_with_is_taped(tmp_path):
    path = tmp_path / "text"
    path.write_text("abc")
    found = astad.explain(opens, 2.0, str(path))
    assert found.form == "taped"
    row_at(found, opens, 1, "with: the function is run on a tape")


def test_a_generator_is_taped():
    found = astad.explain(calls_yields, 2.0)
    assert {each.name: each.form for each in found.functions}["yields"] == "taped"
    row_at(found, yields, 2, "yield: the function is run on a tape")


def test_bound_methods_partials_and_callable_objects():
    assert astad.explain(Spring(2.0).force, 3.0).functions[0].name == "Spring.force"
    assert astad.explain(functools.partial(reads_table), 3.0).functions[0].name == "reads_table"
    assert astad.explain(functools.partial(plain, x=3.0)).form == "fused"
    assert astad.explain(Scale(2.0), 3.0).functions[0].name == "Scale.__call__"


def test_a_rule_and_what_has_none():
    assert str(astad.explain(np.sin, 2.0)) == "sin has a rule: nothing of it is compiled"
    with pytest.raises(astad.errors.WrongCall, match="no Python function and has no rule"):
        astad.explain(__import__, "os")


def test_a_gradient_is_told_of_by_its_function():
    with pytest.raises(astad.errors.WrongCall, match="of which it is the derivative"):
        astad.explain(astad.grad(plain), 2.0)


def test_the_exception_of_the_function_is_its_own():
    with pytest.raises(AttributeError):
        astad.explain(attribute, 2.0, 3)


def test_measured_lines_are_in_order():
    found = astad.explain(method_in_loop, MANY, 1.0, measure=True)
    seconds = [row.seconds for row in found.rows]
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[0] > 0


def test_the_profiler_of_the_user_stays():
    import sys

    def mine(frame, event, arg):
        pass

    sys.setprofile(mine)
    try:
        astad.explain(calls_guarded, 2.0, 2)
        assert sys.getprofile() is mine
    finally:
        sys.setprofile(None)


def test_gradients_are_as_before():
    astad.explain(calls_guarded, 20.0, 1)
    assert astad.gradient(calls_guarded, 20.0, 1)[0] == pytest.approx(0.1)


@pytest.mark.parametrize("word", ["--why"])
def test_the_command(word, tmp_path, monkeypatch, capsys):
    from astad import show

    (tmp_path / "springs.py").write_text(
        "def pull(spring, x):\n    return spring.k * x\n\n\ndef free(x):\n    return x * x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert show.main(["springs.pull", word]) == 0
    assert "springs.py:2: return spring.k * x" in capsys.readouterr().out
    assert show.main(["springs.free", word]) == 0
    assert "nothing is left to the run time" in capsys.readouterr().out
