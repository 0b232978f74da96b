"""``python -m astad.profile script.py``: where the time of a script's gradients goes, and what they
keep, by line.

The script runs as ``__main__``, with what follows its name as its arguments. Each gradient, value
and gradient, and pullback that it takes is measured as it runs, in all threads. The table comes
when it ends, however it does. The exit code is that of the script; 2 for a wrong command.

The module may be called as the function ``astad.profile``, whose name it has: importing it puts it
in the function's place in the package.

>>> import astad, astad.profile
>>> astad.profile(lambda x: x * x, 3.0).gradient
(6.0,)
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from astad.api.inspection.profiling import Profile, profile, profiled
from astad.api.inspection.timing import Clock
from astad.api.variants.whole import whole

__all__ = ["main", "profile"]

ROWS = 30


def main(arguments: list[str]) -> int:
    """Run the command; the exit code is returned."""
    options = _parser().parse_args(arguments)
    if not os.path.isfile(options.script):
        print(f"astad.profile: no file {options.script}", file=sys.stderr)
        return 2
    raised, made = profiled(
        lambda clock: _raised(clock, options.script, options.args), every_thread=True
    )
    _tell(made, options)
    if isinstance(raised, SystemExit):
        raise raised
    if raised is not None:
        sys.excepthook(type(raised), raised, raised.__traceback__)
        return 130 if isinstance(raised, KeyboardInterrupt) else 1
    return 0


class _Parser(argparse.ArgumentParser):
    """One line for a wrong command."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"astad.profile: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m astad.profile",
        description="Run a script and tell which of its lines its gradients spend their time in, "
        "and for which they keep how much.",
    )
    parser.add_argument("--rows", type=int, default=ROWS, help=f"of the table, {ROWS} if not told")
    parser.add_argument(
        "--speedscope", metavar="FILE", help="write the times by call, for speedscope.app"
    )
    parser.add_argument("script", help="a file, which runs as __main__")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _raised(clock: Clock, script: str, arguments: list[str]) -> BaseException | None:
    """Run the script; what it ended by, if not by its last line."""
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    whole.read()
    clock.start()
    try:
        runpy.run_path(os.path.abspath(script), run_name="__main__")
    except BaseException as error:
        return _without_ours(error)
    finally:
        clock.stop()
        sys.argv, sys.path[:], sys.modules["__main__"] = before
    return None


def _without_ours(error: BaseException) -> BaseException:
    """With the traceback that begins in the script, or at its text where that cannot be read."""
    trace = error.__traceback__
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in ours:
        trace = trace.tb_next
    return error.with_traceback(trace)


def _tell(made: Profile, options: argparse.Namespace) -> None:
    if made:
        print(made.table(options.rows))
    else:
        print("astad.profile: no gradient was taken", file=sys.stderr)
    if options.speedscope:
        made.speedscope(options.speedscope)


class _Callable(ModuleType):
    """A module that is called as the function of its name."""

    def __call__(self, f: Callable[..., Any], /, *args: Any, **keywords: Any) -> Profile:
        return profile(f, *args, **keywords)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
sys.modules[__name__].__class__ = _Callable
