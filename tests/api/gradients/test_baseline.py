"""A baseline serves until what the compiler makes pays; where it lies in the cache, it is taken."""

from collections import deque

import pytest

import astad
from astad.api.gradients import recorded, worthwhile
from astad.api.gradients.baseline import Improved
from astad.api.variants.whole import whole
from astad.runtime.core.variants import forget_all, variants_of

pytestmark = pytest.mark.order_matters


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    forget_all()
    monkeypatch.setattr(worthwhile, "BASELINE", 0.0)


def chain(rounds, x):
    """Two lines a round."""
    cells = deque([[1.0, "open"], [2.0, "closed"]])
    for _ in range(rounds):
        level, kind = cells.popleft()
        cells.append([0.5 * level + (x if kind == "open" else 0.25 * x), kind])
    return cells[0][0] + cells[1][0]


def right(rounds, x):
    y, back = whole.run(chain, (rounds, x), {}, self_too=False)
    expected = whole.of_scalar(chain, back, (rounds, x), (0, 1))
    assert astad.gradient(chain, rounds, x)[1] == pytest.approx(expected[1], rel=1e-12)


def run_of_text():
    (text,) = variants_of(chain).recorded.texts
    return text.head.__globals__[text.call]


def test_it_counts_its_runs():
    met = []
    made = Improved(lambda x: 2.0 * x, 2.5)

    def better(x):
        met.append(x)
        made.run = lambda x: 3.0 * x

    made.better = better
    assert [made(float(k)) for k in range(5)] == [0.0, 2.0, 6.0, 9.0, 12.0]
    assert met == [2.0]


def test_the_compiler_replaces_it_once_that_pays(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e6)
    for k in range(5):
        right(150, 1.0 + k)
    made = run_of_text()
    assert type(made) is Improved and made.better is not None
    before = made.run
    made._left = 2
    for k in range(4):
        right(150, 2.0 + k)
    assert made.better is None and made.run is not before


def test_where_the_compiler_has_nothing_it_stays(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e6)
    monkeypatch.setattr("astad.api.gradients.lines_apart.fused_form", lambda *_, **__: None)
    for k in range(5):
        right(150, 1.0 + k)
    made = run_of_text()
    before = made.run
    made._left = 1
    for k in range(3):
        right(150, 2.0 + k)
    assert made.better is None and made.run is before


def test_what_lies_in_the_disk_cache_is_taken_instead(monkeypatch):
    monkeypatch.setattr("astad.api.gradients.baseline.baseline_of", lambda *_: None)
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    for _ in range(4):
        right(152, 1.5)
    monkeypatch.undo()
    forget_all()
    monkeypatch.setattr(worthwhile, "BASELINE", 0.0)
    monkeypatch.setattr(worthwhile, "COMPILER", 1e6)
    for _ in range(4):
        right(152, 1.5)
    assert type(run_of_text()) is not Improved


def test_a_short_text_has_none():
    for _ in range(4):
        right(20, 1.5)
    (text,) = variants_of(chain).recorded.texts
    assert text.lines < recorded.FREE and type(run_of_text()) is not Improved


def test_it_waits_until_it_has_paid_itself(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 1e6)
    monkeypatch.setattr(worthwhile, "BASELINE", 1e6)
    for _ in range(5):
        right(153, 1.5)
    (text,) = variants_of(chain).recorded.texts
    assert text.call not in text.head.__globals__
    monkeypatch.setattr(worthwhile, "BASELINE", 0.0)
    right(153, 1.5)
    assert type(run_of_text()) is Improved
