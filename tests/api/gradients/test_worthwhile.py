"""A recorded text is compiled once the slow answers that it would have spared have taken as long;
what is short, or lies in the disk cache, at once.
"""

from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest

import astad
from astad.api.gradients import baseline, lines_apart, worthwhile
from astad.api.gradients.worthwhile import FREE, Worth
from astad.recording.bounds import SHORT
from astad.runtime.core.variants import forget_all, variants_of

pytestmark = pytest.mark.order_matters

NEVER = 1e12


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    """No text has a baseline meanwhile."""
    forget_all()
    monkeypatch.setattr(baseline, "baseline_of", lambda *_: None)


class Cell:
    def __init__(self, level, kind):
        self.level, self.kind = level, kind


def chain(rounds, x):
    """Two lines a round."""
    cells = deque([Cell(1.0, "open"), Cell(2.0, "closed")])
    for _ in range(rounds):
        cell = cells.popleft()
        cell.level = 0.5 * cell.level + (x if cell.kind == "open" else 0.25 * x)
        cells.append(cell)
    return cells[0].level + cells[1].level


def search(rounds, x, marks):
    """`np.digitize` gives what no text knows: there is no fused form."""
    total = 0.0
    for cell in [Cell(x, "open")] * rounds:
        at = int(np.digitize(np.array([cell.level]), marks)[0])
        total = total + cell.level * cell.level + at
    return total


def run(f, *args, times=1):
    """Gradients, each right; what is known of the recorded texts."""
    y, back = astad.pullback(f, *args)
    for _ in range(times):
        assert np.allclose(astad.gradient(f, *args)[1], back(1.0)[1], rtol=1e-12)
    return variants_of(f).recorded


def compiled(f):
    return [made for made in variants_of(f).fused[0, 1] if made.tentative]


def test_a_text_of_some_hundred_lines_waits_until_it_pays(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", NEVER)
    about = run(chain, 150, 1.5, times=4)
    assert [FREE < text.lines < SHORT.lines for text in about.texts] == [True]
    assert not compiled(chain)
    assert "compiled once that pays" in about.why
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    run(chain, 150, 1.5)
    assert len(compiled(chain)) == 1


def test_a_short_one_does_not(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", NEVER)
    about = run(chain, 20, 1.5, times=3)
    assert about.texts[0].lines < FREE
    assert len(compiled(chain)) == 1


def test_what_lies_in_the_disk_cache_does_not(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    run(chain, 151, 1.5, times=3)
    forget_all()
    monkeypatch.setattr(worthwhile, "COMPILER", NEVER)
    run(chain, 151, 1.5, times=3)
    assert len(compiled(chain)) == 1


def test_a_way_that_does_not_come_again_is_not_compiled(monkeypatch):
    monkeypatch.setattr(worthwhile, "COMPILER", NEVER)
    for rounds in range(120, 180):
        run(chain, rounds, 1.5)
    assert not compiled(chain)
    assert all(not variants_of(each.function).fused for each in variants_of(chain).recorded.texts)


def test_the_pair_of_a_text_without_a_fused_form_is_paid_by_itself(monkeypatch):
    marks = np.linspace(0.0, 2.0, 9)

    def pairs():
        (text,) = variants_of(search).recorded.texts
        assert text.lines > FREE
        return variants_of(text.function).pairs

    monkeypatch.setattr(lines_apart, "MOST", 0)
    monkeypatch.setattr(worthwhile, "COMPILER", 0.0)
    monkeypatch.setattr(worthwhile, "PAIR", NEVER)
    about = run(search, 60, 0.7, marks, times=6)
    assert about.worth.halfway
    assert not pairs()
    about.worth.owed.update(dict.fromkeys(about.worth.owed, -NEVER))
    run(search, 60, 0.7, marks)
    assert pairs()
    assert not about.worth.paid


def test_the_first_text_has_the_credit_of_all_that_was_slow_a_later_one_of_its_own_way():
    text = SimpleNamespace(lines=1000, arrays=0, took=0.01)
    worth = Worth()
    worth.spent = 2.0
    worth.begin("first", 0.1, is_first=True)
    worth.begin("second", 0.1, is_first=False)
    foretold = worthwhile.COMPILER * text.took
    assert worth.pays("first", text)
    assert not worth.pays("second", text)
    worth.add("second", foretold)
    assert worth.pays("second", text)
    arrays = SimpleNamespace(lines=1000, arrays=1000, took=0.01)
    assert not worth.pays("second", arrays)


def test_a_step_that_took_longer_than_foretold_makes_the_next_wait_longer():
    text = SimpleNamespace(lines=1000, arrays=0, took=0.01)
    worth = Worth()
    worth.begin("first", 1.0, is_first=False)
    assert worth.pays("first", text)
    worth.close("first", text, 5.0)
    worth.begin("second", 1.0, is_first=False)
    assert not worth.pays("second", text)
    worth.add("second", 4.0)
    assert worth.pays("second", text)
