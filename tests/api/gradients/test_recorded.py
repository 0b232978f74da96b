"""When runs are recorded, how many, and what becomes of them."""

import collections
import functools
import gc
import math
import sys
import threading
import types
import weakref

import numpy as np
import pytest

import astad
from astad.api.gradients.recorded import MOST, TRIES, why_not
from astad.errors import Unsupported, WrongCall
from astad.runtime.core.variants import forget_all, variants_of

from ...recording.recorded_runs import agree, opaque

pytestmark = pytest.mark.order_matters

PRICES = {"tea": 2.0, "cake": 3.5}


def bill(order, tip):
    """What words mean is known when they are met."""
    total = 0.0
    for word in order.split():
        total = total + PRICES[word] * tip
    return total


def made(f):
    about = variants_of(f).recorded
    return None if about is None else (about.made, about.failed)


def test_the_second_gradient_by_the_pair_is_followed_by_a_recording():
    def f(order, tip):
        return bill(order, tip)

    seen = []
    for _ in range(4):
        assert astad.gradient(f, "tea cake", 1.5) == (None, 5.5)
        seen.append(made(f))
    assert seen == [(0, 0), (1, 0), (1, 0), (1, 0)]
    assert why_not(f) == ""


def test_each_further_way_takes_more_gradients_and_there_are_not_many():
    def f(order, tip):
        return bill(order, tip)

    for count in range(1, 60):
        order = " ".join(["tea"] * (count % 30 + 1))
        assert astad.gradient(f, order, 1.5) == (None, 2.0 * (count % 30 + 1))
    assert made(f)[0] <= MOST


def test_what_cannot_be_recorded_is_not_tried_for_ever():
    log = []

    def f(order, tip):
        log.insert(0, order)
        return bill(order, tip)

    for count in range(1, 12):
        assert astad.gradient(f, "tea", 1.5) == (None, 2.0)
        assert len(log) == count  # no run but those of the gradients
    assert made(f) == (0, TRIES)
    assert "is written to" in why_not(f)


def test_rules_that_are_declared_later_are_in_force():
    def double(x):
        return 2.0 * x

    def f(order, tip):
        return double(bill(order, tip))

    for _ in range(3):
        assert astad.gradient(f, "tea", 1.5) == (None, 4.0)
    astad.adjoint(double)(lambda x: (2.0 * x, lambda y_bar: (10.0 * y_bar,)))
    for _ in range(4):
        assert astad.gradient(f, "tea", 1.5) == (None, 20.0)


def test_argnums_methods_and_defaults():
    class Shop:
        rate = 2.0

        def bill(self, order, tip, tax=1.5):
            return bill(order, tip) * tax * self.rate

    shop = Shop()
    for _ in range(4):
        assert astad.value_and_grad(shop.bill, argnums=1)("tea", 1.5) == (9.0, 6.0)
        assert astad.grad(shop.bill, argnums=(1,))("tea", 1.5) == (6.0,)
        assert astad.grad(shop.bill, argnums=(2, 1))("tea", 1.5, 2.0) == (6.0, 8.0)
    shop.rate = 3.0
    assert astad.value_and_grad(shop.bill, argnums=1)("tea", 1.5) == (13.5, 9.0)


def test_threads_at_once():
    def f(order, tip):
        return bill(order, tip) * tip

    found = []

    def run(k):
        for _ in range(6):
            found.append((k, astad.gradient(f, "tea cake " * (k % 3 + 1), 1.5)))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 48
    assert all(got == (None, 16.5 * (k % 3 + 1)) for k, got in found)


def test_what_was_recorded_goes_with_the_function(tmp_path, monkeypatch):
    (tmp_path / "shop_that_goes.py").write_text(
        "import collections\n"
        "def f(x):\n"
        "    queue = collections.deque([x, 2.0 * x])\n"
        "    total = 0.0\n"
        "    while queue:\n"
        "        total = total + queue.popleft() * len('tea')\n"
        "    return total\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    gc.collect()
    before = {name for name in sys.modules if name.startswith("recorded_")}
    import shop_that_goes

    for _ in range(3):
        assert astad.gradient(shop_that_goes.f, 1.5) == (9.0,)
    assert made(shop_that_goes.f) == (1, 0)
    code = weakref.ref(shop_that_goes.f.__code__)
    assert {name for name in sys.modules if name.startswith("recorded_")} > before
    del sys.modules["shop_that_goes"].f, sys.modules["shop_that_goes"], shop_that_goes
    forget_all()
    gc.collect()
    assert code() is None
    assert {name for name in sys.modules if name.startswith("recorded_")} <= before


def test_the_text_and_why_there_is_none():
    tests, text, gradient = astad.recorded_text(bill, "tea cake", 1.5).split("\n\n\n")
    assert "order == 'tea cake'" in tests
    assert "PRICES" in tests and "PRICES" not in text
    assert "def bill_recorded_gradient(tip, tea_1, cake_4):" in gradient

    def noisy(x):
        print(x)
        return x

    with pytest.raises(Unsupported, match=r"print is compiled code.*astad\.explain"):
        astad.recorded_text(noisy, 1.0)
    with pytest.raises(WrongCall, match="no Python function"):
        astad.recorded_text(collections.deque, 1.0)


def test_explain_tells():
    def noisy(queue, x):
        print(end="")
        return queue[0].popleft() * x

    said = str(astad.explain(bill, "tea", 1.5)).splitlines()[-1]
    assert said == "from the third gradient on a recorded run answers: see astad.recorded_text"
    said = str(astad.explain(noisy, [collections.deque([2.0, 3.0])], 1.5)).splitlines()[-1]
    assert said.startswith("no run of it is recorded: ")
    assert said.endswith("builtins.print is compiled code")


# --- functions of *args, **keywords, and arguments by keyword


def doubled(fn):
    @functools.wraps(fn)
    def wrapper(*args, **keywords):
        return 2.0 * fn(*args, **keywords)

    return wrapper


@doubled
def area(x, y):
    return x * y * PRICES["tea"]


def test_a_decorated_function_is_recorded():
    @doubled
    def other(x, y):
        return x + math.sin(y) * PRICES["cake"]

    for _ in range(4):
        assert astad.gradient(area, 2.0, 3.0) == (12.0, 8.0)
        assert astad.gradient(other, 2.0, 0.0) == (2.0, 7.0)
        assert astad.grad(area, argnums=1)(5.0, 3.0) == 20.0
        assert astad.value_and_grad(area, argnums=(1, 0))(5.0, 3.0) == (60.0, (20.0, 12.0))
    assert variants_of(area) is variants_of(other)  # one code, and two functions
    assert made(area)[0] >= 2


def test_any_number_of_arguments():
    def total(first, *others):
        return sum(PRICES["tea"] * each**2 for each in others) * first

    for _ in range(6):
        assert astad.gradient(total, 2.0, 3.0) == (18.0, 24.0)
        assert astad.gradient(total, 2.0, 3.0, 1.0) == (20.0, 24.0, 8.0)
        assert astad.gradient(total, 2.0) == (0.0,)
        assert astad.grad(total, argnums=(0,))(2.0, 3.0) == (18.0,)
        assert astad.grad(total, argnums=2)(2.0, 3.0, 1.0) == 8.0
    assert made(total)[0] >= 2


def test_what_raises_inside_of_it_is_raised():
    def root(*args, **keywords):
        try:
            return math.sqrt(*(PRICES["tea"] * x for x in args))
        except ValueError:
            return -args[0]

    for x in (2.0, 2.0, 2.0, 2.0, -2.0, 2.0, -2.0):
        expected = 1.0 / math.sqrt(2.0 * x) if x > 0 else -1.0
        assert astad.gradient(root, x) == (pytest.approx(expected),)
    for _ in range(3):
        with pytest.raises(TypeError, match="2 given"):
            astad.gradient(root, 2.0, 3.0)


def test_arrays_and_containers_in_starred_arguments():
    def dot(*rows, **options):
        return sum(
            np.sum(row["x"] * PRICES["tea"]) if type(row) is dict else row[0] for row in rows
        )

    for _ in range(4):
        first, second = astad.gradient(dot, {"x": np.array([1.0, 2.0])}, [3.0, 4.0])
        assert first["x"].tolist() == [2.0, 2.0]
        assert second == [1.0, 0.0]
    for _ in range(3):  # one object in two places has a part in each
        x = np.array([1.0, 2.0])
        first, second = astad.gradient(dot, {"x": x}, {"x": x})
        assert first["x"].tolist() == second["x"].tolist() == [2.0, 2.0]


def test_arguments_by_keyword():
    def bill_of(order, tip=1.0, *, discount=0.0, host=None):
        return bill(order, tip) * (1.0 - discount) if host is None else bill(order, tip * 2.0)

    for _ in range(6):
        assert astad.gradient(bill_of, "tea cake", 1.5) == (None, 5.5)
        assert astad.gradient(bill_of, "tea cake", tip=3.0) == (None,)
        assert astad.gradient(bill_of, "tea cake", 1.5, discount=0.5) == (None, 2.75)
        assert astad.gradient(bill_of, "tea cake", 1.5, discount=0.25) == (None, 4.125)
        assert astad.gradient(bill_of, "tea cake", 1.5, host="Ann") == (None, 11.0)
        assert astad.grad(bill_of, argnums=1)("tea cake", 1.5, discount=0.5) == 2.75
    assert made(bill_of)[0] >= 2
    before = bill_of.__kwdefaults__
    bill_of.__kwdefaults__ = {**before, "discount": 0.5}
    assert astad.gradient(bill_of, "tea cake", 1.5) == (None, 2.75)


def test_keywords_that_are_taken_by_stars_are_not_mixed_up():
    def scaled(x, **options):
        return x * options.get("scale", 1.0) * PRICES["tea"]

    for _ in range(5):
        assert astad.gradient(scaled, 2.0) == (2.0,)
        assert astad.gradient(scaled, 2.0, scale=3.0) == (6.0,)


def test_methods_with_stars_and_keywords():
    class Shop:
        def __init__(self, rate):
            self.rate = rate

        def total(self, *amounts, tip=1.0):
            return sum(PRICES["tea"] * amount for amount in amounts) * self.rate * tip

        def due(self, amount, *, tip=1.0):
            return PRICES["tea"] * amount * self.rate * tip

        def __call__(self, *amounts):
            return sum(PRICES["tea"] * amount for amount in amounts) * self.rate

    shop = Shop(3.0)
    for rate in (3.0, 3.0, 3.0, 3.0, 5.0, 5.0):
        shop.rate = rate
        assert astad.gradient(shop.total, 1.0, 2.0) == (2.0 * rate, 2.0 * rate)
        assert astad.gradient(shop.due, 1.0, tip=2.0) == (4.0 * rate,)
        assert astad.gradient(shop, 1.0, 4.0) == (2.0 * rate, 2.0 * rate)
        assert astad.pullback_self(shop.due, 1.0, tip=2.0)[1](1.0)[0].rate == 4.0


def test_the_text_of_a_function_with_stars():
    def total(*amounts):
        return sum(PRICES["tea"] * amount for amount in amounts)

    assert "def total(amounts0, amounts1):" in astad.recorded_text(total, 1.0, 2.0)
    assert "a recorded run answers" in str(astad.explain(total, 1.0, 2.0))

    def scaled(amount, **options):
        return amount * options["scale"] * PRICES["tea"]

    assert "recorded run" not in str(astad.explain(scaled, 1.0, scale=2.0))


# --- arrays of whole numbers with a derivative ----------------------------------------------------


TABLE = np.linspace(-1.0, 1.5, 24).reshape(8, 3)
LABELS = np.array([0, 1, 1, 0, 1, 0, 0, 1])
COUNTS = np.array([3, 0, 2, 7, 1, 1, 0, 4])
WEIGHTS = np.array([0.3, -0.2, 0.5])


def logistic(w, x, y):
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1.0 - p))


def counted_by_the_hundred(w, x, y):
    rate = np.exp(x @ w)
    empty = y == 0
    many = np.where(y > 2, 2.0, 1.0)
    return np.sum(many * np.where(empty, rate, rate - y * np.log(rate))) + np.mean(y) * w[0]


def hinge(w, x, y):
    signs = 2 * y - 1
    return np.mean(np.maximum(0.0, 1.0 - signs * (x @ w)) ** 2)


def by_rank(w, x, times):
    order = np.argsort(-times, kind="stable")
    risk = np.cumsum(np.exp(x @ w)[order])
    return np.sum(times[order] * np.log(risk))


def chosen_by_it(w, x, y):
    return np.sum((x @ np.stack([w, -w], axis=1))[np.arange(8), y % 2] ** 2 * y)


def as_subscript_and_number(w, x, y):
    return np.sum(x[y][:, 0] * y) * w[1]


def squared(w, x, y):
    return np.sum((y * y * y - 3 * y) * (x @ w)) + np.sum(-y * w[0])


def summed_first(w, x, y):
    return np.sum(x @ w) ** 2 * y.sum()


WITH_LABELS = [
    logistic, counted_by_the_hundred, hinge, by_rank, chosen_by_it, as_subscript_and_number,
    squared, summed_first,
]  # fmt: skip


@pytest.mark.parametrize("f", WITH_LABELS)
@pytest.mark.parametrize("y", [LABELS, COUNTS, COUNTS.astype(np.int32)])
def test_arrays_of_whole_numbers(f, y):
    for k in range(5):
        agree(f, WEIGHTS * (1.0 + 0.01 * k), TABLE, y)
    agree(f, WEIGHTS, TABLE, y[::-1].copy())
    agree(f, WEIGHTS, TABLE, y.astype(float)) if f in (logistic, hinge, squared) else None
    agree(f, WEIGHTS, TABLE, y * 100_000 if f is squared else y)
    (_, _, bar) = astad.gradient(f, WEIGHTS, TABLE, y)
    assert bar is None or bar.dtype == float


@pytest.mark.parametrize("f", [logistic, hinge, by_rank, squared])
def test_arrays_of_whole_numbers_have_a_text(f):
    for _ in range(5):
        astad.gradient(f, WEIGHTS, TABLE, COUNTS % 2)
    assert variants_of(f).fused[0, 1, 2], why_not(f)


def in_a_dict(w, data):
    return logistic(w, data["x"], data["y"])


def in_an_object(model):
    return hinge(model.w, model.data[0], model.data[1])


def test_arrays_of_whole_numbers_in_containers():
    for k in range(5):
        w = WEIGHTS * (1.0 + 0.01 * k)
        agree(in_a_dict, w, {"x": TABLE, "y": LABELS})
        agree(in_an_object, types.SimpleNamespace(w=w, data=(TABLE, LABELS)))
    agree(in_a_dict, WEIGHTS, {"x": TABLE, "y": LABELS.astype(float)})
    agree(in_a_dict, WEIGHTS, {"x": TABLE, "y": 1 - LABELS})
    agree(in_an_object, types.SimpleNamespace(w=WEIGHTS, data=(TABLE, 1 - LABELS)))


def written_to(w, x, y):
    kept = 2 * y
    kept[0] = 0.7 * w[0]  # an array of whole numbers takes the whole part
    return np.sum(kept * (x @ w))


def test_what_is_written_into_whole_numbers_is_cut_off():
    for w in (WEIGHTS, WEIGHTS * 10.0, WEIGHTS):
        for _ in range(4):
            agree(written_to, w, TABLE, COUNTS)


USES = {
    "elem": lambda x, y: opaque(x) * y[1] + x * y[0],
    "loop": lambda x, y: sum(v * opaque(x) for v in y),
    "lst": lambda x, y: sum(v * opaque(x) ** 2 for v in y.tolist()),
    "lst2": lambda x, y: sum(v * opaque(x) ** 2 for v in list(y)),
    "item": lambda x, y: opaque(x) * y.item(0),
    "mx": lambda x, y: opaque(x) * y.max() + x * max(y),
    "sm": lambda x, y: opaque(x) * y.sum() + x * np.sum(y),
    "intof": lambda x, y: opaque(x) * int(y[0]) + float(y[2]),
    "dot": lambda x, y: opaque(x) * (y @ y) + x * np.dot(y, np.array([1.5, 2, 3])),
    "unp": lambda x, y: (lambda a, b, c: opaque(x) * a * b + c)(*y),
    "enum": lambda x, y: sum(i * v * opaque(x) for i, v in enumerate(y)),
    "zipd": lambda x, y: sum(a * v * opaque(x) for a, v in zip([1.0, 2.0, 3.0], y)),
    "cnt": lambda x, y: opaque(x) * np.count_nonzero(y) + x * y.mean(),
    "arr": lambda x, y: np.sum(np.array(y) * opaque(x)),
    "arrf": lambda x, y: np.sum(np.asarray(y, dtype=float) * opaque(x)),
    "ast": lambda x, y: np.sum(y.astype(float) * opaque(x)),
    "stack": lambda x, y: np.sum(np.stack([y, y]) * opaque(x)),
    "conc": lambda x, y: np.sum(np.concatenate([y, np.array([1.5])]) * opaque(x)),
    "resh": lambda x, y: np.sum(y.reshape(3, 1) * opaque(x)),
    "T": lambda x, y: np.sum(y[::-1] * opaque(x)),
    "wh": lambda x, y: np.sum(np.where(y > 0, y, 1) * opaque(x)),
    "whf": lambda x, y: np.sum(np.where(y > 0, y, 1.5) * opaque(x)),
    "div": lambda x, y: np.sum(opaque(x) / (y + 1.0)) + np.sum(y // 2 * x) + np.sum(y % 2 * x),
    "pw": lambda x, y: np.sum(opaque(x) ** y) + np.sum(y**2 * x) + np.sum(2.0**y),
    "cum": lambda x, y: np.sum(np.cumsum(y) * opaque(x)),
    "outer": lambda x, y: (
        np.sum(np.outer(y, [1.0, 2.0]) * opaque(x)) + np.sum(np.multiply.outer(y, y) * x)
    ),
    "absn": lambda x, y: np.sum(np.abs(y) * opaque(x)) + np.sum(np.sqrt(y + 1) * x),
    "mn": lambda x, y: np.sum(np.minimum(y, 2) * opaque(x)) + np.sum(np.clip(y, 0, 2) * x),
    "srt": lambda x, y: np.sum(np.sort(y) * opaque(x) * np.arange(3)),
    "tk": lambda x, y: np.sum(np.take(y, [0, 2]) * opaque(x)) + x * y[[1, 2]].sum(),
    "mask": lambda x, y: np.sum(y[y > 0] * opaque(x)),
    "rep": lambda x, y: np.sum(np.repeat(y, 2) * opaque(x)) + np.sum(np.tile(y, 2) * x),
    "ind": lambda x, y: np.sum(np.arange(5.0)[y] * y * opaque(x)),
    "truth": lambda x, y: (
        opaque(x) * (1.0 if y.any() else 2.0) * (3.0 if y[1] else 4.0) + x * np.mean(y)
    ),
    "cmp": lambda x, y: np.sum((y == 2) * opaque(x)) + np.sum(y * x),
    "binc": lambda x, y: np.sum(np.bincount(y, minlength=5) * opaque(x)) + np.sum(y * x),
    "ein": lambda x, y: (
        np.einsum("i,i->", y, np.array([1.0, 2.0, 3.0])) * opaque(x) + np.einsum("i,i->", y, y) * x
    ),
    "copyy": lambda x, y: np.sum(y.copy() * opaque(x)),
    "asg": lambda x, y: (lambda z: (z.__setitem__(0, x), np.sum(z * opaque(x)))[1])(y * 1.0),
}


@pytest.mark.parametrize("f", USES.values(), ids=USES)
def test_uses_of_an_array_of_whole_numbers(f):
    y = np.array([2, 0, 3])
    for x in (0.7, 1.1, 0.0, 1.1, -0.4):
        agree(f, x, y)
    agree(f, 2.2, np.array([1, 4, 2]))
