"""``python -m astad.show module.function``: the generated source of a function, the user's lines
beside it.

Also ``module.Class.method`` and ``module.function.inner``. The exit code is 0; 1 where the
function cannot be differentiated; 2 for a wrong command, an unknown module or function, an
unknown kind.
"""

from __future__ import annotations

import argparse
import os
import sys
from types import FunctionType
from typing import NoReturn

from astad.api.inspection.explaining import explain_request
from astad.api.inspection.likely_kinds import likely_kinds
from astad.api.inspection.named_functions import NotFound, find_function
from astad.api.inspection.showing import Request, show_source
from astad.api.inspection.stages import STAGES, show_stage
from astad.compiler.ir.containers import read_kind, split_kinds
from astad.errors import AstadError

__all__ = ["main"]

KINDS = (
    "float, int, real (float, int or np.float64), ndarray, ndarray1, ndarray2 ..., inert, unknown, "
    "and dicts, lists and tuples of such"
)


def main(arguments: list[str]) -> int:
    """Run the command; the exit code is returned."""
    options = _parser().parse_args(arguments)
    try:
        fn = find_function(options.function)
        kinds = () if options.stage == "read" else _kinds(fn, options)
        fused, forward = options.form == "fused", options.mode == "forward"
        request = Request(fn, kinds, fused or forward, forward)
        if options.why:
            text = str(explain_request(Request(fn, kinds)))
        elif options.stage == "print":
            text = show_source(request, guard=options.guard)
        else:
            text = show_stage(request, options.stage)
    except (NotFound, AstadError) as error:
        print(f"astad.show: {error}", file=sys.stderr)
        return 2 if isinstance(error, NotFound) else 1
    print(text)
    return 0


class _Parser(argparse.ArgumentParser):
    """One line for a wrong command."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"astad.show: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m astad.show", description="Print the generated source of a function."
    )
    parser.add_argument(
        "function", help="module.function, module.Class.method or module.function.inner"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--kinds", help=f"of the arguments, with commas between them: {KINDS}")
    which.add_argument("--generic", action="store_true", help="the pair for arguments of any kind")
    parser.add_argument(
        "--form", choices=("pair", "fused"), default="pair",
        help="forward sweep and pullback (the default), or value and gradient in one function, "
        "where that can be",
    )  # fmt: skip
    parser.add_argument(
        "--mode", choices=("reverse", "forward"), default="reverse",
        help="forward: value and tangent in one function, where that can be",
    )  # fmt: skip
    parser.add_argument(
        "--stage", choices=(*STAGES, "print"), default="print",
        help="what an earlier stage made; rounds: the loops as a memory budget has them run",
    )  # fmt: skip
    parser.add_argument(
        "--why",
        action="store_true",
        help="which lines are left to the run time, why, and what would help",
    )
    parser.add_argument(
        "--no-guard",
        dest="guard",
        action="store_false",
        help="without the tests of the arguments' kinds at its head",
    )
    return parser


def _kinds(fn: FunctionType, options: argparse.Namespace) -> tuple[str, ...]:
    likely = likely_kinds(fn)
    if options.generic:
        return ("unknown",) * len(likely)
    if options.kinds is None:
        return likely
    kinds = split_kinds(options.kinds) if options.kinds else ()
    for kind in kinds:
        try:
            read_kind(kind)
        except KeyError:
            raise NotFound(f"no kind named {kind or 'nothing'}; there are {KINDS}") from None
    if len(kinds) != len(likely):
        raise NotFound(
            f"{options.function} has {len(likely)} parameters, --kinds names {len(kinds)}"
        )
    return kinds


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
