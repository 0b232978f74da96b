"""What all tests share: a disk cache of their own, and a way to run the code in a page."""

import doctest
import gc
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from types import ModuleType

import pytest

import astad.api.public  # astad's own rules are there before a page is opened  # noqa: F401
from astad import settings
from astad.api.gradients import recorded, recorded_pullbacks
from astad.rules.in_force import CUSTOM
from astad.runtime.core.rebound import REBOUND
from astad.runtime.core.variants import WRITTEN, forget_all
from astad.testing import forked

from .known_texts import KnownTexts

recorded.STRICT = True  # what a recording runs into is an error here
recorded.GAIN = recorded_pullbacks.GAIN = float("inf")  # no clock tells whether one is of use
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pytest_addoption(parser):
    parser.addoption(
        "--golden-update",
        action="store_true",
        help="write the texts in tests/compiler/golden and the digests in known_texts.json anew",
    )


def pytest_configure(config):
    """No test reads or writes the user's own cache, nor does a process that a test starts."""
    asked = [Path(config.rootpath, each) for each in config.args]
    config.astad_asks_all = asked == [config.rootpath / "tests"]
    config.astad_cache = tempfile.mkdtemp(prefix="astad-tests-")
    os.environ["ASTAD_CACHE_DIR"] = config.astad_cache
    settings.cache_directory = config.astad_cache
    if not settings.verify and not config.pluginmanager.has_plugin("tests.mutation.reached"):
        config.pluginmanager.register(KnownTexts(config, _is_fast), "known texts")


SWEEPS = {
    "api": 20, "compiler": 160, "conformance": 60, "corpus": 12, "importing": 24, "programs": 160,
    "recording": 20, "rules": 800, "runtime": 60, "testing": 20, "thirdparty": 8,
    "test_docs.py": 8, "test_docstrings.py": 4, "test_show.py": 16,
}  # fmt: skip
"""Of the tests with parameters in a folder or file, one in so many is in the fast part."""

LONG = {
    "acceptance": 6, "api": 8, "compiler": 12, "conformance": 8, "fuzz": 5, "higher": 60,
    "importing": 12, "memory": 16, "programs": 6, "recording": 16, "rules": 2, "runtime": 6,
    "scipy": 30, "testing": 10,
}  # fmt: skip
"""Of all tests in a folder of this name, one in so many: they start processes, or compile much."""


def pytest_itemcollected(item):
    """Where all tests are asked for, some of each folder and a few rows of each long table are in
    the fast part, the same ones each time, and the others are slow. Files that are named run whole.
    """
    assert " at 0x" not in item.nodeid, f"{item.nodeid}: another name in each process"
    if item.config.astad_asks_all and not _is_fast(item):
        item.add_marker("slow")


def _is_fast(item):
    if item.get_closest_marker("slow") or item.get_closest_marker("timing"):
        return False
    return zlib.crc32(item.nodeid.encode()) % _one_in(item) == 0


def _one_in(item):
    folders = item.nodeid.partition("::")[0].split("/")
    of = max(LONG.get(folder, 1) for folder in folders)
    if "[" not in item.nodeid:
        return of
    sweep = item.get_closest_marker("sweep")
    return max(of, sweep.kwargs["of"] if sweep else SWEEPS.get(folders[1], 1))


UNTIL = float(os.environ.get("ASTAD_TESTS_UNTIL") or "inf")
"""Seconds since 1970 after which no test begins: on a busy machine CI leaves the last of the slow
tests, which come in another order each time, to the next run, and says how many.
"""


def pytest_runtest_setup(item):
    if time.time() > UNTIL:
        pytest.skip("no time is left")


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    left = sum("no time is left" in str(report.longrepr) for report in skipped)
    if left:
        terminalreporter.write_line(f"astad: {left} tests did not begin: no time was left")


@pytest.fixture(autouse=True)
def collector_is_left_on():
    yield
    was_on = gc.isenabled()
    gc.enable()  # one test fails for it, not all that come after
    assert was_on, "garbage is not collected any more"


@pytest.fixture(autouse=True)
def notes_are_forgotten():
    """What the test's programs bind anew is noted for the process: texts of later tests would be
    others.
    """
    before = WRITTEN.keys() | REBOUND.keys()
    yield
    for notes in (WRITTEN, REBOUND):
        for key in notes.keys() - before:
            del notes[key]


@pytest.fixture(autouse=True, scope="module")
def no_memory_stays_shared():
    """A process that shares memory with a file or another one is not copied by ``verified``."""
    yield
    if forked.shares_memory():
        gc.collect()
        assert not forked.shares_memory(), "memory is still shared with a file or a process"


def pytest_unconfigure(config):
    shutil.rmtree(config.astad_cache, ignore_errors=True)


class Page:
    """A Markdown page whose blocks are run in order, in one namespace and one folder.

    A Python block with prompts is a doctest; any other is a file of its own, named by its first
    line if that is a comment such as ``# walk.py``. A console block is a command after a dollar
    sign, and what it prints.
    """

    def __init__(self, path, folder):
        self.path, self.folder = Path(path), folder
        self.text = self.path.read_text(encoding="utf-8")
        self.module = ModuleType(f"page_{self.path.stem}")
        self.names = vars(self.module)
        sys.modules[self.module.__name__] = self.module  # as that of a file that was imported

    def blocks(self, text=None):
        """Triples (language, code, line) of the fenced blocks."""
        text = self.text if text is None else text
        for match in FENCE.finditer(text):
            yield match[1], match[2], text.count("\n", 0, match.start()) + 2

    def run(self, code, line=1):
        """Run one block; a wrong answer of a doctest is an AssertionError."""
        if ">>>" in code:
            self._run_doctest(code, line)
        else:
            self._run_file(code, line)

    def run_all(self):
        count = 0
        for language, code, line in self.blocks():
            if language == "python":
                self.run(code, line)
            elif language == "console":
                assert self.output_of(code) == code.partition("\n")[2].strip()
            count += language in ("python", "console")
        return count

    def output_of(self, console):
        """What the command in the first line of a console block prints."""
        dollar, python, *arguments = shlex.split(console.partition("\n")[0])
        assert (dollar, python) == ("$", "python")
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        may_refuse = "astad.check" in arguments
        assert done.returncode in (0, int(may_refuse)), done.stderr
        return done.stdout.strip()

    def _run_doctest(self, code, line):
        name = self.path.name
        test = doctest.DocTestParser().get_doctest(code, self.names, name, str(self.path), line - 1)
        test.globs = self.names  # not a copy: functions of earlier blocks read their globals here
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        said = []
        runner.run(test, out=said.append, clear_globs=False)
        assert runner.failures == 0, "".join(said)

    def _run_file(self, code, line):
        first = re.match(r"# (\w+\.py)\n", code)
        path = self.folder / (first[1] if first else f"{self.path.stem}_{line}.py")
        path.write_text(code, encoding="utf-8")
        exec(compile(code, str(path), "exec"), self.names)


@pytest.fixture
def open_page(tmp_path):
    """A function from the path of a Markdown page to a `Page`; rules that a page declares for other
    functions than its own are gone with it.
    """
    before = set(CUSTOM)
    opened = []

    def opened_page(path):
        opened.append(Page(path, tmp_path))
        return opened[-1]

    yield opened_page
    for page in opened:
        sys.modules.pop(page.module.__name__, None)
    for key in set(CUSTOM) - before:
        if not str(getattr(CUSTOM[key][0], "__module__", "")).startswith("page_"):
            del CUSTOM[key]
            forget_all()
