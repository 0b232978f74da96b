"""tests/ mirrors astad/: tests/importing/test_disk.py tests astad/importing/disk.py.

A test file without such a partner has its topic named here.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPIC_FOLDERS = {
    "acceptance": "the examples of the documents astad answers to, one file a document",
    "conformance": "all of Python: small programs for every node, hook and mutating call",
    "programs": "whole programs a user could write, one file a topic",
    "benchmarks": "bounds on time, growth and start-up",
    "thirdparty": "libraries that were not written for it, unmodified, one file a family",
    "coverage": "calls of the names of NumPy and SciPy, a table for each namespace",
    "fuzz": "random programs against finite differences",
    "mutation": "changes to the compiler that the tests must notice",
    "corpus": "real calls of installed packages against finite differences",
}
TOPIC_FILES = {
    "testing/test_wrong_rules.py": "rules that check_gradient must find wrong",
    "testing/test_right_functions.py": "functions that check_gradient must not accuse",
    "rules/test_unchosen.py": "slopes of what is not chosen, over all rows",
    "test_bad_input.py": "wrong calls, wrong rules, functions out of reach",
    "test_layers.py": "imports between folders",
    "test_sizes.py": "lengths and nesting",
    "test_mirror.py": "this rule",
    "test_docs.py": "the pages in docs/",
    "test_docstrings.py": "the examples in docstrings",
    "test_examples.py": "the programs in examples/",
    "test_readme.py": "the code and the commands in the README",
    "compiler/test_golden.py": "texts of generated code",
    "compiler/test_texts.py": "that the texts of many programs stay",
    "test_package.py": "public names, start-up, packaging",
    "compiler/analysis/test_effects.py": "containers that a call may write unseen",
    "tangents/test_held.py": "containers of classes with methods of their own",
    "compiler/analysis/test_entries.py": "what the rows say of single entries",
    "compiler/reverse_mode/test_powers.py": "powers, real and complex",
    "importing/test_requirements_cache.py": "what the disk cache promises",
    "importing/test_requirements_running.py": "what hook and cache promise while a program runs",
    "importing/test_requirements_source.py": "what hook and cache promise about edited sources",
    "compiler/specialise/test_tuple_keys.py": "dicts whose keys are tuples and other constants",
    "recording/test_long_runs.py": "runs of thousands of operations, and when their texts pay",
    "api/higher/test_derivatives_inside_are_kept.py": "that nothing is compiled anew in each call",
    "api/higher/test_second_derivatives_at_zeros.py": "where an operand or a tangent is exactly 0",
    "api/higher/test_second_derivatives_of_views.py": "writes through views of arrays",
    "api/higher/test_whole_numbers_inside.py": "derivatives by ints of derivatives inside",
    "recording/test_derived_containers.py": "classes derived from list, dict, deque, set, tuple",
    "recording/test_constants.py": "arrays that a run makes of constants, and their parts",
    "recording/test_default_arrays.py": "arrays that are default values",
    "api/variants/test_callbacks_of_objects.py": "callbacks that are methods, or objects",
    "recording/test_absent.py": "what a run did not find, and what partials hold",
    "rules/test_numerical_cases.py": "kinks, ties, infinities: every decided case",
    "rules/test_other_shapes.py": "arguments of other shapes than those of the examples",
    "rules/scipy/test_linalg.py": "scipy.linalg as users meet it",
    "rules/test_through_api.py": "rules as users meet them",
    "api/test_rules_again.py": "rules of users in gradients of gradients",
    "rules/test_precision.py": "every rule in every precision",
    "rules/test_dead_branches.py": "values that are nan and are not used",
    "rules/test_whole_arguments.py": "every rule on whole numbers, as ints and as floats",
    "rules/test_silent_zeros.py": "parameters that have no formula",
    "rules/test_second_order.py": "every rule differentiated twice",
    "rules/test_listed.py": "which checks a rule is left out of, and why",
    "rules/test_cases_by_gradient.py": "the decided numerical cases by number, through gradient",
}


def strays(tests, package):
    """Test files that mirror no source file and stand on no list."""
    for path in sorted(tests.rglob("test_*.py")):
        place = path.relative_to(tests)
        if place.as_posix() in TOPIC_FILES or place.parts[0] in TOPIC_FOLDERS:
            continue
        if not (package / place.parent / place.name.removeprefix("test_")).is_file():
            yield f"tests/{place.as_posix()}: no astad/{place.parent / place.name[5:]}, no topic"


def test_every_test_file_has_its_partner_or_its_topic():
    found = list(strays(ROOT / "tests", ROOT / "astad"))
    assert not found, "\n" + "\n".join(found)


def test_the_list_of_topics_names_only_what_exists():
    assert [name for name in TOPIC_FILES if not (ROOT / "tests" / name).is_file()] == []


def test_a_stray_is_found(tmp_path):
    for name in (
        "tests/runtime/test_gone.py",
        "tests/runtime/test_here.py",
        "astad/runtime/here.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = list(strays(tmp_path / "tests", tmp_path / "astad"))
    assert found == ["tests/runtime/test_gone.py: no astad/runtime/gone.py, no topic"]
