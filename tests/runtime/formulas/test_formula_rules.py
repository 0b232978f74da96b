"""Formula rules applied at run time: what comes back, to whom, in which kind; against central
differences."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest

from astad import gradient
from astad.errors import MissingRule, RuleError, Unsupported
from astad.rules.formula import Rule
from astad.rules.registry import REGISTRY, lookup
from astad.runtime.core.versions import Versions
from astad.runtime.cotangents.shadows import Shadows
from astad.runtime.formulas.formula_rules import apply_rule
from astad.tangents.refused import Refused
from astad.testing import check_gradient


def run(
    fn,
    *args,
    y_bar=None,
    seed=None,
    versions=None,
    shadows=None,
    meanwhile=None,
    rule=None,
    **keywords,
):
    """The result and the cotangents of all operands, by value or from the table."""
    rule = rule or lookup(fn)
    shadows = shadows or Shadows()
    y, record = apply_rule(versions or Versions(), rule, args, keywords)
    if meanwhile is not None:
        meanwhile()
    if seed is not None:
        shadows.add(y, seed)
    bars = record and record[0](shadows, y_bar, *record[1:])
    if bars is None:
        return y, [None] * (len(args) + len(keywords))
    operands = [*args, *keywords.values()]
    assert len(bars) == len(operands)
    found = [
        shadows.take(o) if isinstance(o, (np.ndarray, list)) else bar
        for o, bar in zip(operands, bars)
    ]
    return y, found


@pytest.fixture
def declared():
    """Rules made for one test, taken out again."""
    made = []

    def declare(fn, form, parameters, back, **options):
        rule = Rule(
            fn,
            form,
            parameters,
            back,
            source="test",
            namespace={"np": np, "shape": np.shape},
            **options,
        )
        made.append(rule)
        return rule

    return declare


def test_numbers_of_every_kind_keep_their_kind():
    assert run(operator.mul, 3, 4, y_bar=1) == (12, [4, 3])
    assert run(operator.mul, Fraction(1, 2), 3, y_bar=Fraction(1)) == (
        Fraction(3, 2),
        [3, Fraction(1, 2)],
    )
    y, (a, b) = run(operator.mul, np.float32(2), np.float32(3), y_bar=np.float32(1))
    assert type(a) is np.float32 and (a, b) == (3, 2)
    y, (a, b) = run(operator.mul, np.float32(2), 3.0, y_bar=np.float32(1))
    assert type(a) is np.float32
    assert run(operator.mul, 2.0, True, y_bar=1.0)[1] == [1.0, None]
    assert run(math.sin, 0.0, y_bar=2.0) == (0.0, [2.0])


def test_poles_give_inf_and_not_an_error():
    y, (g,) = run(math.sqrt, 0.0, y_bar=1.0)
    assert g == math.inf
    assert run(math.sqrt, 0.0, y_bar=0.0)[1] == [0.0]


def test_real_operand_of_a_complex_result_gets_a_real_cotangent():
    y, (a, b) = run(operator.mul, 2.0, 1 + 1j, y_bar=1 + 1j)
    assert type(a) is float and a == 2.0 and b == 2 + 2j
    x = np.array([1.0, 2.0])
    y, (g, _) = run(operator.mul, x, 1j, seed=np.array([1j, 1 + 1j]))
    assert g.dtype == float and g.tolist() == [1.0, 1.0]
    assert run(abs, 3 + 4j, y_bar=1 + 7j)[1] == [0.6 + 0.8j]


def test_arrays_get_their_part_in_the_table_summed_and_in_their_dtype():
    a, b = np.ones((2, 3), np.float32), np.arange(3.0)
    y, (a_bar, b_bar) = run(operator.mul, a, b, seed=np.ones((2, 3)))
    assert a_bar.dtype == np.float32 and a_bar.tolist() == [[0, 1, 2]] * 2
    assert b_bar.tolist() == [2, 2, 2]
    y, (n_bar, x_bar) = run(operator.mul, np.arange(3), 2.0, seed=np.ones(3))
    assert n_bar.dtype == float and n_bar.tolist() == [2, 2, 2] and x_bar == 3.0
    y, (m_bar, x_bar) = run(operator.mul, np.array([True, False]), 2.0, seed=np.ones(2))
    assert m_bar is None and x_bar == 1.0


def test_zero_d_arrays_stay_arrays_and_floats_stay_numbers():
    a = np.array(3.0)
    y, (a_bar, x_bar) = run(operator.mul, a, 2.0, y_bar=1.0)
    assert isinstance(a_bar, np.ndarray) and a_bar.shape == () and a_bar == 2.0
    assert not isinstance(x_bar, np.ndarray) and x_bar == 3.0


def test_cotangent_may_arrive_by_value_in_the_table_or_both():
    a = np.ones(2)
    for y_bar, seed in (
        (np.ones(2), None),
        (None, np.ones(2)),
        (np.ones(2), np.ones(2)),
        (1.0, None),
    ):
        _, (g,) = run(np.negative, a, y_bar=y_bar, seed=seed)
        assert g.tolist() == ([-2, -2] if y_bar is not None and seed is not None else [-1, -1])
    assert run(np.negative, a)[1] == [None]


def test_same_operand_twice():
    a = np.array([2.0, 3.0])
    shadows = Shadows()
    y, record = apply_rule(Versions(), lookup(operator.mul), (a, a), {})
    record[0](shadows, np.ones(2), *record[1:])
    assert shadows.take(a).tolist() == [4, 6]


def test_kept_values_are_those_of_the_call():
    a, versions = np.array([2.0, 3.0]), Versions()

    def overwrite():
        versions.writing(a)
        a[:] = 100.0

    y, (g, x) = run(operator.mul, a, 5.0, seed=np.ones(2), versions=versions, meanwhile=overwrite)
    assert g.tolist() == [5, 5] and x == 5.0


def test_pull_may_run_twice():
    a = np.array([2.0, 3.0])
    y, record = apply_rule(Versions(), lookup(operator.mul), (a, 4.0), {})
    for _ in range(2):
        shadows = Shadows()
        assert record[0](shadows, np.ones(2), *record[1:])[1] == 5.0
        assert shadows.take(a).tolist() == [4, 4]


def test_views_and_operands_move_nothing(declared):
    a = np.ones((2, 3))
    reshape = declared(np.reshape, "linear", "a, shape", {"a": "y_bar.reshape(shape(a))"})
    for fn in (np.asarray, np.ravel, np.transpose, np.real):
        rule = declared(fn, "linear", "a", {"a": "1 / 0"})
        assert apply_rule(Versions(), rule, (a,), {})[1] is None
    split = declared(lambda a: [a[:1], a[1:]], "linear", "a", {"a": "1 / 0"})
    assert apply_rule(Versions(), split, (a,), {})[1] is None
    assert apply_rule(Versions(), reshape, (a, 6), {})[1] is None
    y, (g, _) = run(
        None,
        a.T,
        6,
        rule=declared(np.reshape, "linear", "a, shape", {"a": "y_bar.reshape(a.shape)"}),
        seed=np.arange(6.0),
    )
    assert g.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_lists_of_numbers_and_of_arrays(declared):
    array = declared(np.array, "linear", "object", {"object": "y_bar"})
    l = [1.0, 2.0, True]
    y, (g,) = run(None, l, rule=array, seed=np.array([3.0, 4.0, 5.0]))
    assert g == [3.0, 4.0, None]
    rows = [np.ones(2), [1.0, 2.0], np.zeros(2, np.float32)]
    shadows = Shadows()
    y, record = apply_rule(Versions(), array, (rows,), {})
    rows.pop()
    record[0](shadows, np.arange(6.0).reshape(3, 2), *record[1:])
    assert shadows.take(rows[0]).tolist() == [0, 1] and shadows.take(rows[1]) == [2, 3]
    t = (1.0, 2.0)
    y, record = apply_rule(Versions(), array, (t,), {})
    record[0](shadows, np.arange(2.0), *record[1:])
    assert shadows.slots_take(t, 2) == [0, 1]


def test_values_in_a_list_are_those_of_the_call(declared):
    product = declared(math.prod, "structured", "xs", {"xs": "[y_bar * y / x for x in xs]"})
    l = [2.0, 3.0]
    y, (g,) = run(None, l, rule=product, y_bar=1.0, meanwhile=lambda: l.__setitem__(0, 100.0))
    assert g == [3.0, 2.0]
    dots = declared(
        lambda rows: rows[0] @ rows[1],
        "structured",
        "rows",
        {"rows": "[y_bar * rows[1], y_bar * rows[0]]"},
    )
    versions, a, b = Versions(), np.ones(2), np.full(2, 3.0)

    def overwrite():
        versions.writing(a)
        a[:] = 9.0

    shadows = Shadows()
    run(None, [a, b], rule=dots, y_bar=1.0, versions=versions, shadows=shadows, meanwhile=overwrite)
    assert shadows.take(b).tolist() == [1, 1] and shadows.take(a).tolist() == [3, 3]


def test_variadic_parameter(declared):
    chain = declared(math.hypot, "structured", "*xs", {"xs": "tuple(y_bar * x / y for x in xs)"})
    y, found = run(None, 3.0, 4.0, rule=chain, y_bar=5.0)
    assert found == [3.0, 4.0]
    wrong = declared(math.hypot, "structured", "*xs", {"xs": "(1.0,)"})
    with pytest.raises(RuleError):
        run(None, 3.0, 4.0, rule=wrong, y_bar=5.0)


def test_keywords_and_defaults(declared):
    scale = declared(
        lambda a, by=2.0: a * by, "structured", "a, by=2.0", {"a": "y_bar * by", "by": "y_bar * a"}
    )
    assert run(None, 3.0, rule=scale, y_bar=1.0)[1] == [2.0]
    assert run(None, 3.0, by=5.0, rule=scale, y_bar=1.0)[1] == [5.0, 3.0]
    shadows, a = Shadows(), 3.0
    y, record = apply_rule(Versions(), scale, (), {"by": 5.0, "a": 3.0})
    assert record[0](shadows, 1.0, *record[1:]) == [3.0, 5.0]


def test_results_in_parts(declared):
    pair = declared(
        lambda a: (a * 2, a.sum(), a),
        "structured",
        "a",
        {"a": "(0 if y_bar[0] is None else 2 * y_bar[0]) + (0 if y_bar[1] is None else y_bar[1])"},
    )
    a, shadows = np.ones(2), Shadows()
    y, record = apply_rule(Versions(), pair, (a,), {})
    assert record[0](shadows, None, *record[1:]) is None
    shadows.add(y[0], np.array([1.0, 2.0]))
    shadows.slot_add(y, 1, 10.0)
    shadows.add(y[2], np.array([100.0, 100.0]))
    record[0](shadows, None, *record[1:])
    assert shadows.take(a).tolist() == [112, 114]
    assert run(divmod, 7.5, 2.0, y_bar=(None, 1.0))[1] == [1.0, -3.0]


def test_missing_rule_is_an_error_only_for_who_asks(declared):
    half = declared(
        operator.mul, "scalar", "x1, x2", {"x1": "x2"}, missing={"x2": "nobody wrote it"}
    )
    y, (a, b) = run(None, 2.0, 3.0, rule=half, y_bar=1.0)
    assert a == 3.0
    with pytest.raises(MissingRule, match="nobody wrote it"):
        (b * 2.0 + 1.0).ask()
    x, p, shadows = np.ones(2), np.ones(2), Shadows()
    y, record = apply_rule(Versions(), half, (x, p), {})
    record[0](shadows, np.ones(2), *record[1:])
    assert shadows.take(x).tolist() == [1, 1]
    with pytest.raises(MissingRule):
        shadows.of(p)
    with pytest.raises(MissingRule):
        run(None, 2.0, 3, rule=half, y_bar=1.0)[1][1].ask()
    assert run(None, 2.0, 3.0, rule=half)[1] == [None, None]


def test_missing_rule_is_none_for_a_count(declared):
    counted = declared(
        operator.mul, "scalar", "x1, x2", {"x1": "x2"}, missing={"x2": "it is a count"}
    )
    assert run(None, 2.0, 3, rule=counted, y_bar=1.0)[1] == [3, None]
    with pytest.raises(MissingRule):
        run(None, 2.0, 3.0, rule=counted, y_bar=1.0)[1][1].ask()


def test_cases_that_a_rule_does_not_cover(declared):
    partial = declared(
        lambda x, n=0: x * n, "structured", "x, n=0", {"x": "y_bar * n"}, refuse="n > 2"
    )
    assert run(None, 3.0, 2, rule=partial, y_bar=1.0)[1] == [2.0, None]
    y, (x, n) = run(None, 3.0, 4, rule=partial, y_bar=1.0)
    assert y == 12.0
    with pytest.raises(Unsupported, match="n=4"):
        x.ask()
    assert run(None, 3.0, 4, rule=partial)[1] == [None, None]


def test_refused_goes_on_through_rules():
    from astad.errors import AstadError

    refused = Refused(MissingRule("f", "call of f", why="no rule", instead="hold it constant"))
    assert run(math.sin, 1.0, y_bar=refused)[1] == [refused]
    a = np.ones(2)
    assert run(operator.mul, a, 2.0, seed=refused)[1] == [refused, refused]
    with pytest.raises(AstadError):
        refused.ask()


def test_of_arrays_of_objects_the_operators_of_the_elements():
    a = np.array([Fraction(1, 2), 3], object)
    y, record = apply_rule(Versions(), lookup(operator.mul), (a, 2), {})
    assert y[0] == 1
    shadows = Shadows()
    record[0](shadows, None, *record[1:])
    assert not shadows.of(a).any()


def test_out_is_a_write_of_the_plain_result():
    a, b, versions, shadows = np.array([1.0, 2.0]), np.array([3.0, 4.0]), Versions(), Shadows()
    square, r1 = apply_rule(versions, lookup(operator.mul), (a, a), {})
    y, r2 = apply_rule(versions, lookup(np.multiply), (a, b), {"out": a})
    assert y is a and a.tolist() == [3, 8]
    shadows.add(a, np.array([10.0, 100.0]))
    shadows.add(square, np.ones(2))
    assert r2[0](shadows, None, *r2[1:]) == [None, None, None]
    r1[0](shadows, None, *r1[1:])
    assert shadows.take(b).tolist() == [10, 200]
    assert shadows.take(a).tolist() == [30 + 2, 400 + 4]


def test_out_by_position_and_of_a_rule_without_derivative():
    x, out, shadows = np.array([0.0, 1.0]), np.ones(2), Shadows()
    y, record = apply_rule(Versions(), lookup(np.exp), (x, out), {})
    shadows.add(out, np.ones(2))
    record[0](shadows, None, *record[1:])
    assert shadows.take(x).tolist() == np.exp(x).tolist() and not shadows.of(out).any()
    y, record = apply_rule(Versions(), lookup(np.floor), (x,), {"out": out})
    shadows.add(out, np.ones(2))
    record[0](shadows, None, *record[1:])
    assert not shadows.of(out).any() and shadows.take(x) is None


def test_inert_calls_and_results():
    assert run(operator.lt, 1.0, 2.0) == (True, [None, None])
    assert run(np.floor, 1.5, y_bar=1.0)[1] == [None]
    assert apply_rule(Versions(), lookup(operator.add), ("a", "b"), {}) == ("ab", None)


def test_wrong_shape_from_a_rule_is_named(declared):
    wrong = declared(np.sin, "structured", "x", {"x": "np.ones(5)"})
    with pytest.raises(RuleError, match=r"\(5,\)"):
        run(None, np.ones(2), rule=wrong, seed=np.ones(2))


SCALAR = [
    r
    for r in REGISTRY.values()
    if r.form == "scalar" and not r.refuse and len(r.parameters) <= 2
    if not r.name.startswith("scipy.")  # read where another test has imported it
]


@pytest.mark.parametrize("rule", SCALAR, ids=lambda r: r.name)
def test_every_elementwise_rule_at_a_point(rule):
    """Through the record, floats and arrays alike, against central differences."""
    for point in ((0.35, 0.6), (1.7, 2.4)):
        point = point[: len(rule.parameters)]
        try:
            y = rule.fn(*point)
        except (TypeError, ValueError, RuntimeWarning):
            return
        if not isinstance(y, float) or math.isnan(y):
            return
        wanted = []
        for k in range(len(point)):
            up = [p + 1e-6 * (k == i) for i, p in enumerate(point)]
            down = [p - 1e-6 * (k == i) for i, p in enumerate(point)]
            wanted.append((float(rule.fn(*up)) - float(rule.fn(*down))) / 2e-6)
        for kind in (float, np.float64, float):  # once more: the second time the plan is there
            _, found = run(rule.fn, *map(kind, point), y_bar=1.0)
            compared = [
                (g, w) for g, w in zip(found, wanted) if g is not None and type(g) is not Refused
            ]
            assert not any(isinstance(g, complex) for g, _ in compared)
            assert all(g == pytest.approx(w, rel=1e-5, abs=1e-6) for g, w in compared)


WEIGHTS = np.array([1.0, 2.0, 3.0])


def positive_into(x):
    out = np.zeros(3)
    np.positive(x, out)
    return np.sum(out * WEIGHTS)


def exponential_into(x):
    out = np.zeros((2, 3))
    np.exp(x, out=out)
    return np.sum(out * out * WEIGHTS)


def root_into(x):
    out = np.zeros((2, 3))
    np.sqrt(x, out)
    out[0] *= 2.0
    return np.sum(out * WEIGHTS)


def sine_into_complex(x):
    out = np.zeros((2, 3), complex)
    np.sin(x, out=(out,))
    return np.sum(out.real * WEIGHTS)


def logarithm_at_some(x):
    out = np.ones(3)
    np.log(x, out=out, where=np.array([True, False, True]))
    return np.sum(out * WEIGHTS)


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (positive_into, 2.0),
        (exponential_into, WEIGHTS),
        (exponential_into, 0.5),
        (root_into, WEIGHTS),
        (root_into, np.array([[2.0], [3.0]])),
        (sine_into_complex, WEIGHTS),
        (logarithm_at_some, 2.0),
    ],
)
def test_an_operand_that_is_stretched_to_what_is_written_into(fn, x):
    check_gradient(fn, x)


def test_stretched_by_hand():
    assert gradient(positive_into, 2.0) == (6.0,)
    np.testing.assert_allclose(gradient(exponential_into, 0.5)[0], 24 * np.e)
