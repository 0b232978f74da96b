"""Programs put together from what people write; fuzzing guided by coverage."""

import random
import sys

import pytest

from . import guided
from .idioms import mutated, program_of_idioms
from .runner import FAULTS, body, check, first_that_runs, summary
from .verdicts import Verdict


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_program_of_the_slice_is_wrong(tmp_path):
    drawn = [first_that_runs(program_of_idioms, check, seed, tmp_path) for seed in range(60)]
    verdicts = [verdict for _, verdict in drawn]
    faults = [verdict for verdict in verdicts if verdict.outcome in FAULTS]
    text = "\n\n".join(
        f"seed {v.seed}: {v.outcome}\n{body(program_of_idioms(v.seed))}\n{v.text}" for v in faults
    )
    assert not faults, f"{summary(verdicts)}\n{text}"
    assert sum(v.outcome == "right" for v in verdicts) >= 0.9 * len(verdicts), summary(verdicts)


def test_same_seed_gives_the_same_program():
    assert program_of_idioms(5) == program_of_idioms(5)
    assert program_of_idioms(5) != program_of_idioms(6)


def test_a_mutated_program_differs_in_its_function_alone():
    source = program_of_idioms(11)
    changed = [mutated(source, random.Random(seed)) for seed in range(8)]
    assert len(set(changed)) > 4
    for text in changed:
        assert text.partition("def f(")[0] == source.partition("def f(")[0]
        assert text.endswith(source[source.index("def arguments()") :])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="lines are watched by sys.monitoring")
def test_a_program_is_kept_when_it_reaches_a_new_line(tmp_path, monkeypatch):
    watched = tmp_path / "watched"
    watched.mkdir()
    place = watched / "lines.py"
    place.write_text("def run(n):\n    if n > 1:\n        n = 2\n    return n\n", encoding="utf-8")
    names = {}
    exec(compile(place.read_text(encoding="utf-8"), str(place), "exec"), names)
    monkeypatch.setattr(guided, "WATCHED", [str(watched)])
    monkeypatch.setattr(guided, "SHARE_NEW", 1.0)
    monkeypatch.setattr(guided, "WRITERS", (str,))
    reaches = {0: 0, 1: 1, 2: 5, 3: 5}

    def judge(source, folder, seed):
        names["run"](reaches[seed])
        return Verdict(seed, "right")

    verdicts, lines, kept = guided.explore(range(4), tmp_path, judge)
    assert len(verdicts) == 4
    assert kept == ["0", "2"]
    assert lines == guided.lines_of_functions() == {(str(place), n) for n in (2, 3, 4)}
