"""Generated texts of many drawn programs, of the benchmark and of programs as users write them are
what they were.

Of each text eight digits of a digest are kept in `golden/texts.json`. A change of the compiler
that is meant to change texts writes them anew (``pytest tests/compiler --golden-update``), and
says of how many; what is better or worse is seen in the golden texts, or by ``astad.show``.
"""

import hashlib
import json
from pathlib import Path

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

PATH = Path(__file__).parent / "golden" / "texts.json"
KEPT = json.loads(PATH.read_text(encoding="utf-8"))
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


def digest(fn, args, form, folder):
    try:
        made = generated(fn, args, form)
        text = made.form + made.text.source.replace(str(folder), "")
    except AstadError as error:
        text = str(error)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@pytest.mark.sweep(of=3)
@pytest.mark.parametrize("name", [*NAMES, *WORKLOADS])
def test_texts_are_what_they_were(name, tmp_path, request):
    check_texts(name, *function_of(name, tmp_path), tmp_path, request)


@pytest.mark.sweep(of=1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ordinary_programs(name, tmp_path, request, forms_agree):
    fn, args = PROGRAMS[name]
    check_texts(name, fn, args, tmp_path, request)
    forms_agree(fn, *args)


def check_texts(name, fn, args, folder, request):
    found = " ".join(digest(fn, args, form, folder) for form in FORMS)
    if request.config.getoption("--golden-update"):
        KEPT[name] = found
        PATH.write_text(json.dumps(KEPT, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    else:
        assert found == KEPT[name]
