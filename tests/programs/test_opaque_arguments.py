"""Arguments that are no lists, arrays or objects of the user's: right, or refused by name."""

import itertools
from array import array
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

import astad
from astad.errors import AstadError

sparse = pytest.importorskip("scipy.sparse")
Polynomial = np.polynomial.Polynomial


# --- typed arrays, memoryviews, proxies, polynomials: what they hold has a derivative


def squares(numbers):
    total = 0.0
    for k, number in enumerate(numbers):
        total += (k + 1) * number * number
    return total


def through_numpy(a):
    v = np.asarray(a)
    return np.sum(v * v * np.arange(1.0, 4.0))


def by_slices(a):
    head, rest = a[:1], a[1:]
    return head[0] ** 2 + 2 * rest[0] ** 2 + 3 * rest[-1] ** 2


def by_list(a):
    return sum([(k + 1) * v * v for k, v in enumerate(a.tolist())])


def by_buffer(a):
    return np.dot(np.frombuffer(a) ** 2, [1.0, 2.0, 3.0])


def unpacked(a):
    first, *others = a
    return first**2 + sum((k + 2) * v**2 for k, v in enumerate(others))


def by_hand(a):
    numbers, total, k = iter(a), 0.0, 1
    while (number := next(numbers, None)) is not None:
        total += k * number**2
        k += 1
    return total


@pytest.mark.parametrize(
    "f", [squares, through_numpy, by_slices, by_list, by_buffer, unpacked, by_hand]
)
def test_a_typed_array_has_the_derivative_of_its_numbers(f):
    a = array("d", [1.0, 2.0, 3.0])
    assert f(a) == 36.0
    (bar,) = astad.gradient(f, a)
    assert bar == array("d", [2.0, 8.0, 18.0])
    assert astad.gradient(lambda held: f(held["a"]), {"a": a}) == ({"a": bar},)
    assert astad.gradient(lambda held: f(held[0]), [a]) == ([bar],)
    assert astad.gradient(lambda held: f(held.a), SimpleNamespace(a=a))[0].a == bar


@pytest.mark.filterwarnings("ignore:The 'u' type code:DeprecationWarning")
def test_a_typed_array_in_single_precision_and_of_ints():
    (bar,) = astad.gradient(squares, array("f", [1.0, 2.0]))
    assert bar == array("f", [2.0, 8.0])
    (bar,) = astad.gradient(squares, array("i", [1, 2]))
    assert bar == array("d", [2.0, 8.0])
    assert astad.gradient(lambda a, x: x * len(a), array("u", "ab"), 3.0) == (None, 2.0)


def written(a, x):
    a[1] = x * x
    v = np.asarray(a)
    return v[0] * v[1]


def written_by_view(a, x):
    v = np.asarray(a)
    v[1] = x * x
    return a[0] * a[1]


def written_by_memoryview(a, x):
    v = memoryview(a)
    v[1] = x * x
    return a[0] * v[1]


def written_slice(a, x):
    fresh = array("d", [0.0, 0.0])
    fresh[0] = x * x
    a[1:] = fresh
    return a[0] * a[1]


def written_while_kept(a, x):
    v = np.asarray(a)
    before = v * v
    a[0] = x
    return np.sum(before) + a[0] * x


@pytest.mark.parametrize("f", [written, written_by_view, written_by_memoryview, written_slice])
def test_a_write_to_a_typed_array(f):
    bar, x_bar = astad.gradient(f, array("d", [2.0, 5.0, 7.0]), 3.0)
    assert bar.tolist() == [9.0, 0.0, 0.0]
    assert x_bar == 12.0


def test_a_number_written_into_a_fresh_typed_array():
    def f(x):
        w = array("d", [1.0])
        w[0] = x
        return w[0] * x

    assert astad.gradient(f, 3.0) == (6.0,)


def test_what_a_typed_array_held_before_a_write():
    bar, x_bar = astad.gradient(written_while_kept, array("d", [2.0, 5.0]), 3.0)
    assert bar.tolist() == [4.0, 10.0]
    assert x_bar == 6.0


def by_place(memory):
    return memory[0] ** 2 + 2 * memory[1] ** 2


@pytest.mark.parametrize("f", [squares, by_hand, by_place])
@pytest.mark.parametrize("kind", [np.array, lambda numbers: array("d", numbers)])
def test_a_memoryview_of_numbers(f, kind):
    memory = kind([1.0, 2.0])
    try:
        (bar,) = astad.gradient(f, memoryview(memory))
    except AstadError as error:
        assert f is not by_place
        assert "foreign iterator" in str(error)
        return
    np.testing.assert_allclose(bar, [2.0, 8.0])


def through_get(p):
    return p.get("a") ** 2 * p.get("c", 5.0) * np.sum(p["b"])


def through_items(p):
    total = 1.0
    for name, value in p.items():
        total = total * (value**2 if name == "a" else np.sum(value))
    return total * 5.0


def through_values(p):
    a, b = p.values()
    return 5.0 * a**2 * b.sum()


def through_dict(p):
    return (lambda a, b: 5.0 * a * a * np.sum(b))(**dict(p))


def through_display(p):
    settings = {**p, "c": 5.0}
    return settings["a"] ** 2 * np.sum(settings["b"]) * settings["c"]


@pytest.mark.parametrize(
    "f", [through_get, through_items, through_values, through_dict, through_display]
)
def test_a_mapping_proxy_has_the_derivative_of_a_dict(f):
    proxy = MappingProxyType({"a": 3.0, "b": np.array([1.0, 2.0])})
    (bar,) = astad.gradient(f, proxy)
    assert bar["a"] == 90.0
    np.testing.assert_allclose(bar["b"], [45.0, 45.0])
    ((bar,),) = astad.gradient(lambda held: f(held[0]), (proxy,))
    assert bar["a"] == 90.0


def test_a_mapping_proxy_in_a_result_is_handed_out_as_one():
    def made(x):
        return {"p": MappingProxyType({"y": x * x, "x": x})}

    x = np.array([1.0, 2.0])
    y, back = astad.pullback(made, x)
    assert type(y["p"]) is MappingProxyType
    np.testing.assert_allclose(y["p"]["y"], [1.0, 4.0])


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda p: p(2.0), [1.0, 2.0, 4.0]),
        (lambda p: np.sum(p.coef**2), [2.0, 4.0, 6.0]),
        (lambda p: p.deriv()(2.0), [0.0, 1.0, 4.0]),
        (lambda p: (p * p)(2.0), [34.0, 68.0, 136.0]),
        (lambda p: p.integ()(2.0), [2.0, 2.0, 8.0 / 3.0]),
        (lambda p: sum(p.coef[k] * k for k in range(3)), [0.0, 1.0, 2.0]),
    ],
)
def test_a_polynomial_is_a_record_of_its_coefficients(f, wanted):
    (bar,) = astad.gradient(f, Polynomial([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(bar.coef, wanted)
    (held,) = astad.gradient(lambda models: f(models["trend"]), {"trend": Polynomial([1, 2, 3.0])})
    np.testing.assert_allclose(held["trend"].coef, wanted)


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda p: p(2.0), [4.0, 2.0, 1.0]),
        (lambda p: p[1] * 3.0, [0.0, 3.0, 0.0]),
        (lambda p: np.sum(p.coeffs**2), [2.0, 4.0, 6.0]),
        (lambda p: np.sum(p.c * 2.0), [2.0, 2.0, 2.0]),
        (lambda p: (p * p)(2.0), [88.0, 44.0, 22.0]),
    ],
)
def test_a_poly1d_is_a_record_of_its_coefficients(f, wanted):
    (bar,) = astad.gradient(f, np.poly1d([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(bar.coeffs, wanted)


# --- what is not looked into


def total(numbers):
    y = 0.0
    for number in numbers:
        y = y + number * number
    return y


ITERATORS = {
    "list_iterator": lambda: iter([2.0, 3.0]),
    "list_reverseiterator": lambda: reversed([2.0, 3.0]),
    "map": lambda: map(float, [2.0, 3.0]),
    "itertools chain": lambda: itertools.chain([2.0], iter([3.0])),
    "itertools islice": lambda: itertools.islice([2.0, 3.0], 2),
    "dict_values": lambda: {"a": 2.0, "b": 3.0}.values(),
    "dict_valueiterator": lambda: iter({"a": 2.0, "b": 3.0}.values()),
    "numpy flatiter": lambda: np.array([2.0, 3.0]).flat,
    "filter": lambda: filter(None, (2.0, 3.0)),
    "tuple_iterator": lambda: iter((2.0, 3.0)),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_an_iterator_that_a_result_depends_on_is_refused_by_name(name):
    make = ITERATORS[name]
    assert total(make()) == 13.0
    with pytest.raises(AstadError, match=rf"derivative by the numbers in numbers, an? {name}"):
        astad.gradient(total, make())
    with pytest.raises(AstadError, match="derivative by the numbers in held"):
        astad.gradient(lambda held: total(held["drawn"]) * held["x"], {"drawn": make(), "x": 2.0})
    with pytest.raises(AstadError, match="derivative by the numbers in held"):
        astad.gradient(lambda held: total(held.drawn), SimpleNamespace(drawn=make()))


@pytest.mark.parametrize("name", ITERATORS)
def test_an_iterator_that_is_not_asked_for_is_data(name):
    make = ITERATORS[name]
    assert astad.grad(lambda x, numbers: x * total(numbers))(5.0, make()) == 13.0
    assert astad.gradient(lambda x, *, numbers: x * total(numbers), 5.0, numbers=make()) == (13.0,)
    assert astad.gradient(lambda x, numbers: x * len(list(numbers)), 5.0, make()) == (2.0, None)
    _, back = astad.pullback(lambda x, numbers: x * x, 5.0, make())
    assert back(1.0) == (10.0, None)


def test_pairs_and_counts_are_refused():
    with pytest.raises(AstadError, match="a zip"):
        astad.gradient(lambda pairs: sum(a * b for a, b in pairs), zip([2.0], [3.0], strict=True))
    with pytest.raises(AstadError, match="an enumerate"):
        astad.gradient(lambda pairs: sum(k * v for k, v in pairs), enumerate([2.0, 3.0]))
    with pytest.raises(AstadError, match="an itertools count"):
        astad.gradient(lambda counter: next(counter) ** 2, itertools.count(2.0))


MATRIX = np.array([[1.0, 2.0], [0.0, 3.0]])


@pytest.mark.parametrize("make", [sparse.dok_matrix, sparse.dok_array])
@pytest.mark.parametrize(
    "f",
    [
        lambda m: np.sum(m @ np.ones(2)),
        lambda m: m[0, 1] ** 2,
        lambda m: np.sum(m.toarray() ** 2),
        lambda m: np.sum(m.tocsr() @ np.ones(2)),
        lambda m: sum(v * v for v in m.values()),
    ],
)
def test_a_dok_matrix_is_refused_by_name(f, make):
    with pytest.raises(AstadError, match="the numbers in m, a scipy dok_"):
        astad.gradient(f, make(MATRIX))
    assert astad.grad(lambda x, m: x * f(m))(2.0, make(MATRIX)) == f(make(MATRIX))


@pytest.mark.parametrize("make", [sparse.lil_matrix, sparse.lil_array])
def test_a_lil_matrix(make):
    (bar,) = astad.gradient(lambda m: np.sum(m.toarray() ** 2), make(MATRIX))
    assert bar.data.tolist() == [[2.0, 4.0], [6.0]]
    (bar,) = astad.gradient(lambda m: m[0, 1] ** 2, make(MATRIX))
    assert bar.data.tolist() == [[0.0, 4.0], None]
    assert bar._shape is None  # the shape only counts, whichever text says so
    (bar,) = astad.gradient(lambda m: np.sum((m @ np.array([1.0, 2.0])) ** 2), make(MATRIX))
    assert bar.data.tolist() == [[10.0, 20.0], [24.0]]


@pytest.mark.parametrize(
    "f",
    [
        lambda a: a[0][1] ** 2 * a[1][0],
        lambda a: sum(v * v for row in a for v in row if v == 2.0) * a[1][0],
        lambda a: np.prod(np.array(a[0])) ** 2 * a[1][0] / a[0][0] ** 2,
    ],
)
def test_lists_in_an_array_of_objects_have_their_derivatives(f):
    a = np.empty(2, object)
    a[:] = [[1.0, 2.0], [3.0]]
    (bar,) = astad.gradient(f, a)
    assert bar[0][1] == 12.0
    assert bar[1] == [4.0]
    (held,) = astad.gradient(lambda model: f(model.rows), SimpleNamespace(rows=a))
    assert held.rows[1] == [4.0]


class Scaled(list):
    def __init__(self, items, scale):
        super().__init__(items)
        self.scale = scale


class Named(dict):
    pass


class Quantity(np.ndarray):
    pass


def test_attributes_of_containers_and_arrays_are_not_lost():
    scaled = Scaled([1.0, 2.0], 3.0)
    assert astad.gradient(lambda s: s[0] * s[1], scaled) == ([2.0, 1.0],)
    with pytest.raises(AstadError, match="the numbers in s, a tests Scaled"):
        astad.gradient(lambda s: s[0] * s.scale, scaled)
    named = Named(a=2.0)
    named.weights = np.ones(2)
    assert astad.gradient(lambda d: d["a"] ** 2, named) == ({"a": 4.0},)
    with pytest.raises(AstadError, match="the numbers in d"):
        astad.gradient(lambda d: d["a"] * np.sum(d.weights), named)
    quantity = np.ones(2).view(Quantity)
    quantity.unit = 3.0
    with pytest.raises(AstadError, match="the numbers in q"):
        astad.gradient(lambda q: np.sum(np.asarray(q)) * q.unit, quantity)


def test_an_object_that_holds_itself_has_a_record_that_prints():
    node = SimpleNamespace(x=3.0)
    node.self = node
    (bar,) = astad.gradient(lambda n: n.self.x**2, node)
    assert repr(bar) == "Tangent(x=6.0, self=Tangent(...))"


# --- pandas


@pytest.fixture
def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "name": ["x", "y"]})


@pytest.mark.parametrize(
    "f",
    [
        lambda d: d["a"].sum(),
        lambda d: (d["a"] * d["b"]).sum(),
        lambda d: np.sum(d["a"].to_numpy() ** 2),
        lambda d: np.sum(d["b"].values * 2.0),
        lambda d: d["a"].iloc[0] ** 2,
        lambda d: np.dot(d[["a", "b"]].to_numpy().ravel(), np.arange(4.0)),
    ],
)
def test_a_frame_that_a_result_depends_on_is_refused_by_name(f, frame):
    with pytest.raises(AstadError, match="the numbers in d, a pandas DataFrame"):
        astad.gradient(f, frame)
    with pytest.raises(AstadError, match="the numbers in held, a pandas DataFrame"):
        astad.gradient(lambda held: f(held["d"]), {"d": frame})


@pytest.mark.slow
def test_a_series_that_a_result_depends_on_is_refused_by_name(frame):
    for f in (
        lambda s: s.sum(), lambda s: np.sum(s**2), lambda s: np.sum(s.values), lambda s: s.iloc[0]
    ):  # fmt: skip
        with pytest.raises(
            AstadError, match="the numbers in s, a pandas Series|SingleBlockManager"
        ):
            astad.gradient(f, frame["a"])


def loss(weight, frame):
    error = frame["a"].to_numpy() * weight - frame["b"].to_numpy()
    return np.sum(error * error)


@pytest.mark.slow
def test_a_frame_is_data_where_nobody_asks_for_it(frame):
    wanted = 2 * (1.0 * (2.0 - 3.0) + 2.0 * (4.0 - 4.0))
    assert astad.grad(loss)(2.0, frame) == wanted
    assert astad.gradient(loss, 2.0, frame=frame) == (wanted,)
    assert astad.gradient(lambda x: loss(x, frame), 2.0) == (wanted,)
    assert astad.value_and_grad(loss, (0,))(2.0, frame) == (loss(2.0, frame), (wanted,))
    with pytest.raises(AstadError, match="the numbers in frame, a pandas DataFrame"):
        astad.gradient(loss, 2.0, frame)


def test_a_frame_whose_numbers_do_not_enter_goes_through(frame):
    x_bar, frame_bar = astad.gradient(lambda x, d: x * len(d.columns) * len(d), 2.0, frame)
    assert x_bar == 6.0
    assert frame_bar is None or all(frame_bar[name] is None for name in frame_bar)
