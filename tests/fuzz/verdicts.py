"""What became of a random program, and how to make a module of its text."""

import contextlib
import importlib.util
import pathlib
import re
import signal
import sys
from dataclasses import dataclass


@dataclass
class Verdict:
    """What became of a program.

    outcome : right, refused, inconclusive, nothing checked, endless (the program itself); or a
        fault: wrong, crash (an error that is not astad's), bad refusal (a message without its four
        parts), broken (the program does not run at all), forms differ.
    """

    seed: int
    outcome: str
    text: str = ""

    @property
    def reason(self):
        """The first line, without the program's own names and numbers."""
        first = self.text.splitlines()[0] if self.text else ""
        return re.sub(r"\b(p\d+\.py:)?\d+\b", "#", first)[:150]


class Endless(BaseException):
    """A program that runs on, as over a list that grows meanwhile; it may catch any Exception."""


@contextlib.contextmanager
def at_most(seconds):
    """Raise `Endless` in what computes for longer, however busy the machine is."""

    def stop(number, frame):
        raise Endless

    before = signal.signal(signal.SIGPROF, stop)
    # again and again: what is raised while garbage is collected is lost
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def load(source, folder, name):
    """Import a module from a text, which must lie in a file to have a source.

    Bytecode on disk is passed over: for a text of the same size and second it is another's.
    """
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    exec(spec.loader.source_to_code(source, str(path)), vars(module))
    return module
