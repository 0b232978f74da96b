"""Texts of generated code, one file a topic in `golden/`; each is run as well.

A case is a title, lines ``form`` and ``call``, the user's text, and the text that is generated
from it. ``pytest --golden-update`` writes the texts anew; the difference is read like code.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from astad.api.variants.wiring import kinds_of
from astad.compiler.ir.containers import read_kind
from astad.compiler.pipeline import compile_function

FOLDER = Path(__file__).parent / "golden"
CASE = re.compile(
    r"^=== (?P<title>[^\n]+)\nform: (?P<form>pair|fused|generic|tangent)\n"
    r"call: (?P<call>[^\n]+)\n\n"
    r"(?P<source>.*?)\n--- generated\n(?P<expected>.*?)(?=^=== |\Z)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Case:
    topic: str
    title: str
    form: str
    call: str
    source: str
    expected: str

    def __str__(self):
        return f"{self.topic}: {self.title}"


def cases():
    for path in sorted(FOLDER.glob("*.txt")):
        for match in CASE.finditer(path.read_text(encoding="utf-8")):
            yield Case(path.stem, **match.groupdict())


CASES = list(cases())


def functions(case, folder):
    """The last function of a case, in a module of its own, and the arguments of its call."""
    path = folder / "case.py"
    path.write_text(case.source)
    space = {"__name__": "case", "np": np}
    exec(compile(path.read_text(), str(path), "exec"), space)
    fn = [value for value in space.values() if getattr(value, "__module__", "") == "case"][-1]
    return fn, eval(f"({case.call},)", space)


def generated(fn, args, form):
    kinds = kinds_of(args, open_=form in ("fused", "tangent"))
    kinds = kinds if form != "generic" else ["unknown"] * len(args)
    parsed = [read_kind(kind) for kind in kinds]
    wanted = [form != "tangent" or kind != "int" for kind in kinds]
    generic, is_one = form == "generic", form in ("fused", "tangent")
    forward = form if form == "tangent" else ""
    return compile_function(fn, parsed, wanted, fused=is_one, generic=generic, forward=forward)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_text(case, tmp_path, request, forms_agree):
    fn, args = functions(case, tmp_path)
    made = generated(fn, args, case.form)
    assert made.form == (case.form if case.form in ("fused", "tangent") else "pair")
    forms_agree(fn, *args)
    if request.config.getoption("--golden-update"):
        update(case, made.text.source)
    else:
        assert made.text.source.strip() == case.expected.strip()


def update(case, text):
    """Write the text of one case anew in its file."""
    path = FOLDER / f"{case.topic}.txt"
    whole = path.read_text(encoding="utf-8")
    start = whole.index(f"=== {case.title}\n")
    match = CASE.match(whole, start)
    changed = whole[: match.start("expected")] + text.strip() + "\n\n" + whole[match.end() :]
    path.write_text(changed.rstrip("\n") + "\n", encoding="utf-8")


def test_every_case_is_read():
    for path in sorted(FOLDER.glob("*.txt")):
        titles = re.findall(r"^=== (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert titles == [case.title for case in CASES if case.topic == path.stem]
        assert len(titles) == len(set(titles))


def test_sources_are_short():
    for case in CASES:
        assert len(case.source.strip().splitlines()) <= 12, str(case)


def test_every_topic_is_there():
    topics = {case.topic for case in CASES}
    assert topics == {
        "straight_line", "branches", "loops", "exits", "while", "nested_loops", "calls", "arrays",
        "generic", "writes", "closures", "lists", "rows", "tangents",
    }  # fmt: skip


def test_a_case_is_read_as_it_is_written(tmp_path):
    text = textwrap.dedent("""\
        === one
        form: pair
        call: 0.5

        def f(x):
            return x

        --- generated
        """)
    match = CASE.match(text)
    assert match["title"], match["call"] == ("one", "0.5")
    assert match["expected"] == ""
