"""A table of programs, filled by a decorator that says at which point each is run."""

import pytest

from tests.compiler.forms import only_generic
from tests.conformance.harness import conforms


class Programs(list):
    """``@PROGRAMS.at(1.2, [3.0])`` above a program enters it; a program may stand at two points.

    ``awaits`` tells what a program that is refused as yet is waiting for.
    """

    def at(self, *args, awaits="", **options):
        marks = [pytest.mark.xfail(reason=awaits)] if awaits else []

        def enter(program):
            name = program.__name__
            count = sum(entry.id.split("-")[0] == name for entry in self)
            label = name if not count else f"{name}-{count + 1}"
            self.append(pytest.param(program, args, options, id=label, marks=marks))
            return program

        return enter


def conforms_in_both_forms(program, args, options):
    """The pair for the kinds that come, and the one for arguments of any kind."""
    conforms(program, *args, **options)
    with only_generic():
        conforms(program, *args, **options)
