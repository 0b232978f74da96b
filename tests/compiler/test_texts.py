"""Texts of many drawn programs, of the benchmark and of programs as users write them, in all forms.

That they are what they were is seen by `tests/known_texts.py`.
"""

import pytest

from astad.errors import AstadError

from ..benchmarks.arrays import ARRAYS
from ..benchmarks.scalar import SCALAR
from ..fuzz.attempts import program_with_attempts
from ..fuzz.generator import program
from ..fuzz.idioms import program_of_idioms
from ..fuzz.merged import merged
from ..fuzz.numeric import numeric_program
from ..fuzz.verdicts import load
from .ordinary import PROGRAMS
from .test_golden import generated

WRITERS = {
    "any kind": (program, range(10)),
    "attempts": (program_with_attempts, range(8)),
    "idioms": (program_of_idioms, (0, 2, 3, 4, 5, 6, 8, 10, 11, 12, 14, 15)),  # 3.11 reads others
    "merged": (lambda seed: merged(numeric_program(seed), seed), (0, *range(2, 9))),
    "numeric": (numeric_program, range(24)),
}
WORKLOADS = {f"workload {each.name}": each for each in SCALAR + ARRAYS}
NAMES = [f"{name} {seed}" for name, (_, seeds) in WRITERS.items() for seed in seeds]
FORMS = ("fused", "pair", "generic")


def function_of(name, folder):
    if name in WORKLOADS:
        return WORKLOADS[name].program, WORKLOADS[name].arguments()
    kind, _, seed = name.rpartition(" ")
    module = load(WRITERS[kind][0](int(seed)), folder, "drawn")
    return module.f, module.arguments()


@pytest.mark.sweep(of=1)
@pytest.mark.parametrize("name", [*NAMES, *WORKLOADS])
def test_texts_are_what_they_were(name, tmp_path):
    check_texts(*function_of(name, tmp_path))


@pytest.mark.sweep(of=1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ordinary_programs(name, forms_agree):
    fn, args = PROGRAMS[name]
    check_texts(fn, args)
    forms_agree(fn, *args)


def check_texts(fn, args):
    """Each form is generated, or refused in plain words."""
    for form in FORMS:
        try:
            assert generated(fn, args, form).text.source or form == "fused"
        except AstadError as error:
            assert error.args
