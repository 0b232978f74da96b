"""``python -m astad.check PACKAGE_OR_FILE``: every function that cannot be differentiated, and why.

The modules are imported, ``__main__`` modules of packages left out; nothing else of them is run.
Each function, method, inner function and lambda is compiled as for a gradient with arguments of any
kind. A note tells of a call that stops a derivative only if one passes through it. The exit code is
0 where no obstacle was found, which does not say that a gradient exists: what a call does is known
when it runs. It is 1 where some functions cannot be differentiated or a module inside a package
cannot be imported, 2 for a wrong command or where there is nothing to check.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, NoReturn

from astad.api.inspection.checking import Verdict, check_function
from astad.api.inspection.found_functions import FoundFunction, functions_of
from astad.api.inspection.named_functions import NotFound
from astad.api.inspection.named_modules import Modules, modules_of
from astad.errors import AstadError, Location
from astad.slotted import dataclass

__all__ = ["main"]

LONG = 5.0
"""Seconds: what takes longer to compile is told."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A function of a module, and what was found."""

    module: str
    function: FoundFunction
    verdict: Verdict

    @property
    def name(self) -> str:
        return f"{self.module}.{self.function.name}"

    @property
    def at(self) -> tuple[str, int]:
        """The line of the user's at which it stops, else that of the function."""
        where = getattr(self.verdict.error, "where", None)
        line = where.line if isinstance(where, Location) else self.function.line
        return self.function.file, line


def main(arguments: list[str]) -> int:
    """Run the command; the exit code is returned."""
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the modules: their texts are compiled once more
        try:
            modules = modules_of(options.target, options.skip)
            checked = _checked(modules, options.only)
        except NotFound as error:
            print(f"astad.check: {error}", file=sys.stderr)
            return 2
    if options.json:
        print(json.dumps(_as_json(checked, modules), indent=2))
    else:
        for line in _report(checked, modules, options):
            print(line)
    refused = any(each.verdict.error for each in checked)
    return 1 if refused or modules.failed else 0


class _Parser(argparse.ArgumentParser):
    """One line for a wrong command."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"astad.check: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m astad.check",
        description="List every function that cannot be differentiated, and why.",
        epilog="No obstacle found does not say that a gradient exists: what a call does is known "
        "when it runs. Exit code: 0 no obstacle found, 1 some functions cannot be differentiated, "
        "2 nothing could be checked.",
    )
    parser.add_argument("target", help="a package, a module, a file, or the folder of a package")
    parser.add_argument(
        "--only", action="append", metavar="NAME", default=[],
        help="check functions of this name alone: f, Class.method or module.f; * stands for any "
        "part; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--skip", action="append", metavar="MODULE", default=[],
        help="do not import this module of the package; may be given several times",
    )  # fmt: skip
    parser.add_argument("--long", action="store_true", help="also what to write instead")
    parser.add_argument("--no-notes", dest="notes", action="store_false", help="refusals alone")
    parser.add_argument("--json", action="store_true", help="for other programs")
    return parser


def _checked(modules: Modules, only: Sequence[str]) -> list[Checked]:
    found = [
        Checked(module.__name__, each, check_function(each.fn))
        for module in modules.found
        for each in functions_of(module)
        if not only or _is_asked(f"{module.__name__}.{each.name}", only)
    ]
    if only and not found:
        raise NotFound(f"{modules.found[0].__name__} has no function named {' or '.join(only)}")
    return found


def _is_asked(name: str, only: Sequence[str]) -> bool:
    plain = name.replace(".<locals>", "")
    return any(fnmatchcase(full, p) for full in (name, plain) for p in _patterns(only))


def _patterns(only: Sequence[str]) -> Iterator[str]:
    for name in only:
        yield from (name, f"*.{name}")


# --- for people -----------------------------------------------------------------------------------


def _report(
    checked: Sequence[Checked], modules: Modules, options: argparse.Namespace
) -> Iterator[str]:
    for name, why in modules.failed:
        yield f"{name}: not imported: {why}"
    for each in checked:
        file, line = each.at
        if each.verdict.error is not None:
            yield f"{_shown(file)}:{line}: {each.function.name}: {_why(each.verdict.error)}"
            if options.long:
                yield f"    instead: {each.verdict.error.instead}"
        for at, text in _notes(each) if options.notes else ():
            yield f"{_shown(each.function.file)}:{at}: note: {each.function.name}: {text}"
    yield _summary(checked, modules)


def _why(error: AstadError) -> str:
    return f"{error.what}: {error.why}"


def _notes(each: Checked) -> Iterator[tuple[int, str]]:
    for note in each.verdict.notes:
        yield note.line, note.text
    if each.verdict.seconds > LONG:
        yield each.function.line, f"took {each.verdict.seconds:.1f} s to compile"


def _shown(file: str) -> str:
    """Below the working folder as seen from there."""
    here = os.getcwd() + os.sep
    return file.removeprefix(here)


def _summary(checked: Sequence[Checked], modules: Modules) -> str:
    refused = sum(each.verdict.error is not None for each in checked)
    notes = sum(1 for each in checked for _ in _notes(each))
    parts = [
        f"{_count(len(checked), 'function')} in {_count(len(modules.found), 'module')}",
        f"{refused} cannot be differentiated, no obstacle found in {len(checked) - refused}",
    ]
    parts += [_count(notes, "note")] * (notes > 0)
    parts += [f"{_count(len(modules.failed), 'module')} not imported"] * bool(modules.failed)
    return "; ".join(parts)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


# --- for programs ---------------------------------------------------------------------------------


def _as_json(checked: Sequence[Checked], modules: Modules) -> dict[str, Any]:
    return {
        "functions": len(checked),
        "modules": [module.__name__ for module in modules.found],
        "not_imported": [{"module": name, "why": why} for name, why in modules.failed],
        "refused": [_refusal(each, each.verdict.error) for each in checked if each.verdict.error],
        "notes": [
            {"name": each.name, "file": each.function.file, "line": line, "text": text}
            for each in checked
            for line, text in _notes(each)
        ],
    }


def _refusal(each: Checked, error: AstadError) -> dict[str, Any]:
    file, line = each.at
    return {
        "name": each.name, "file": file, "line": line, "error": type(error).__name__,
        "what": error.what, "why": error.why, "instead": error.instead,
    }  # fmt: skip


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
