"""The texts that astad generates from the programs in the tests are those it generated before.

A plugin of pytest, loaded by `conftest.py`. Of each text eight digits of a digest are kept, by the
file of the test, in `known_texts.json`. A test of the fast part fails if a text of a program in it
is none of those that are known there. A change of the compiler that is meant to change texts writes
them anew (``pytest --golden-update``) and says of how many; what is better or worse is seen in the
golden texts, or by ``astad.show``. On the first Python that is supported the whole fast part writes
the file, without what is not met any more; other Pythons, and a part of the tests, add to it.

Not looked at are texts of libraries, which differ by version, and those that differ by what the
process knows already: of tests that are marked ``order_matters``, and beside a debugger, a tracer
or ``verified``, where other texts run.
"""

import functools
import hashlib
import json
import re
import sys
import tempfile
from pathlib import Path

import pytest

from astad.compiler import pipeline
from astad.runtime.core.variants import forget_all

ROOT = Path(__file__).resolve().parents[1]
PATH = ROOT / "tests" / "known_texts.json"
FIRST_PYTHON = (3, 11)


class KnownTexts:
    """What is known, and what is met: for each file of tests a set of digests."""

    def __init__(self, config, is_fast):
        self.known = {file: set(each.split()) for file, each in json.loads(_read(PATH)).items()}
        self.met = {}
        self.updates = config.getoption("--golden-update")
        self.is_fast = is_fast
        self.current = None
        """Texts of the test that runs, digest to function; None where none are noted."""
        pipeline._described = self._noting(pipeline._described)

    def _noting(self, described):
        @functools.wraps(described)
        def describe_and_note(*args, **options):
            made = described(*args, **options)
            self._note(made)
            return made

        return describe_and_note

    def _note(self, made):
        program = made.stages.lowered
        if self.current is not None and is_of_tests(program.file):
            place = f"{program.qualname} ({program.file}:{program.line})"
            self.current[digest_of(made)] = place

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        if not self.is_fast(pyfuncitem) or pyfuncitem.get_closest_marker("order_matters"):
            return (yield)
        forget_all()  # one text for the same call, whatever ran before
        self.current = {}
        try:
            result = yield
            self._compare(pyfuncitem.nodeid.partition("::")[0], self.current)
        finally:
            self.current = None
        return result

    def _compare(self, file, found):
        self.met.setdefault(file, set()).update(found)
        new = [what for text, what in found.items() if text not in self.known.get(file, ())]
        if new and not self.updates:
            raise AssertionError(
                f"The text generated for {', '.join(new)} is not one that is known. "
                "If it should differ: pytest --golden-update, and say why in the commit."
            )

    def pytest_sessionfinish(self, session):
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["texts"] = {file: sorted(each) for file, each in self.met.items()}
        elif self.updates:
            whole = [Path(session.config.rootpath, each) for each in session.config.args]
            self._write(whole == [ROOT / "tests"] and sys.version_info[:2] == FIRST_PYTHON)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        for file, found in getattr(node, "workeroutput", {}).get("texts", {}).items():
            self.met.setdefault(file, set()).update(found)

    def _write(self, anew):
        kept = {} if anew else self.known
        files = sorted({*kept, *self.met})
        texts = {each: sorted({*kept.get(each, ()), *self.met.get(each, ())}) for each in files}
        lines = {file: " ".join(each) for file, each in texts.items() if each}
        PATH.write_text(json.dumps(lines, indent=0) + "\n", encoding="utf-8")


def is_of_tests(file):
    """In the folder of the tests, or in one that a test has made."""
    folder = Path(tempfile.gettempdir()).resolve()
    inside = Path(file).is_relative_to
    return inside(ROOT / "tests") or (inside(folder) and not inside(ROOT))


def digest_of(made):
    """Of all in a compilation that its callers use; wherever the file is."""
    flags = made.shadows, made.local_result, made.reaches, made.whole, made.tentative
    parts = made.form, made.text.source, sorted(made.bound.items()), made.guarded, flags
    file = made.stages.lowered.file
    seen = "\n".join(map(str, parts)).replace(file, "").replace(str(Path(file).parent), "")
    seen = re.sub(
        r" \d+ \d+ \d+;|(?<=[a-z_]) \d+(?=\.[a-z])", "", seen
    )  # of what has no lasting name
    return hashlib.sha256(seen.encode()).hexdigest()[:8]


def _read(path):
    return path.read_text(encoding="utf-8") if path.exists() else "{}"
