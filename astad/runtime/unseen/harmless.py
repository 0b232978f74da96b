"""Does what a record goes back through write nothing that others can see?

Where a generator ends, what it did after its last value is undone when its values are. That is soon
enough for computing and reading; for a write it may be too late.

>>> writes_nothing(None), writes_nothing((print, 1))
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, TracebackType

from astad.runtime.core.full_rules import Record, Value

__all__ = ["counts", "writes_nothing"]

_READING = frozenset(
    f"{module}.{name}"
    for module, names in {
        "attribute_writes": "pull_set_count",
        "attributes": "pull_bound pull_default pull_field pull_imag pull_real",
        "callables_of_python": "pull_itself",
        "containers": "pull_display pull_set_display pull_fields",
        "exceptions": "pull_init_exception",
        "copies": "pull_number pull_same pull_copied_array pull_copied_slots",
        "exact_numbers": "pull_decimal pull_fraction pull_numerator pull_ratio",
        "full_rules": "pull_opaque",
        "indexing": "pull_copied pull_element pull_item pull_key_item pull_same pull_window",
        "functional": "pull_started",
        "iterate": "add_index add_key add_slot pull_stays",
        "language": "pull_cell_get pull_cell_new pull_dict_display",
        "listings": "pull_attribute",
        "operators": "pull_concatenate pull_repeat",
        "fast_paths": "pull_arrays pull_general pull_plain pull_real",
        "rule_pulls": "pull_direct pull_floats pull_kept pull_refused",
        "taped": "pull_raised pull_unseen",
    }.items()
    for name in names.split()
)
"""Ways back that add to the shadows of what was read, take those of something fresh, or of a count
in the place of a count."""

_HOLDING = {
    "attributes.pull_described": (1,),
    "attributes.pull_found": (1,),
    "attributes.pull_on_object": (1,),
    "attributes.pull_super": (1,),
    "callables_of_python.pull_array_sum": (3,),
    "callables_of_python.pull_asked_each": (1,),
    "callables_of_python.pull_chosen": (3,),
    "callables_of_python.pull_default": (1,),
    "callables_of_python.pull_fold": (1, 2),
    "callables_of_python.pull_listed": (1, 2),
    "callables_of_python.pull_sorted": (3, 4),
    "callables_of_python.pull_sum": (2,),
    "callables_of_python.pull_truth": (1,),
    "callables_of_python.pull_weighed": (2, 3),
    "checked._pull_checked": (1,),
    "dispatch._pull_rest": (1,),
    "full_rules.pull_by_name": (2,),
    "full_rules.pull_in_order": (1,),
    "functional.pull_called_partial": (1,),
    "functional.pull_mapped": (1, 3),
    "attributes.pull_special": (1, 2),
    "functional.pull_asked": (1, 2),
    "functional.pull_method": (2, 3),
    "functional.pull_path": (1,),
    "functional.pull_paths": (2,),
    "functional.pull_reduce": (1,),
    "functional.pull_starred": (1, 3, 4),
    "iterate.pull_after": (1, 2),
    "iterate.pull_began": (1,),
    "iterate.pull_call": (1, 3),
    "iterate.pull_handed_over": (1,),
    "iterate.pull_pending": (1, 2),
    "iterate.pull_since": (1, 2),
    "iterate.take_gathered": (2,),
    "iterators.pull_default": (1,),
    "iterators.pull_iterators": (1,),
    "iterators.pull_one_after_another": (1,),
    "language.pull_applied": (1,),
    "library.pull_with_first": (1,),
    "library.pull_without_owner": (1,),
    "language.pull_direct": (1,),
    "language.pull_fetched": (1, 2),
    "exceptions.pull_exception": (3,),
    "memos.pull_found": (3,),
    "operators.pull_imaginary": (1,),
    "operators.pull_parts": (1, 2),
    "sums_of_products.pull_pairs": (1, 3, 5),
    "taped.pull_tape": (1,),
}
"""Ways back that go through other records: where these are."""


def writes_nothing(record: Record) -> bool:
    if record is None:
        return True
    name = _name(record[0])
    if name in _READING:
        return True
    if name == "dispatch._pull_compiled":
        tape = getattr(record[2], "tape", None)  # of a generator that was begun and has ended
        if tape:
            return _holds_nothing(tape, 0)
        return _is_quiet_pair(record[3]) and _holds_nothing(record[2], 0)
    if name == "full_rules.pull_swallowed":  # the end of a ``with`` is told what was raised
        return all(isinstance(v, (BaseException, TracebackType)) for v in record[4].values())
    if name == "generators.pull_value":  # a container that was put somewhere has no record
        return all(kept is None for _, kept in record[1].tape)
    if name == "generators.pull_end":
        return _holds_nothing(record[1].tape, 0)
    if name == "taped.pull_through":  # what a call that raised had done is on a tape of its own
        inner = record[1][2] if len(record[1]) > 2 else None
        return type(inner) is list and _holds_nothing(inner, 0)
    places = _HOLDING.get(name)
    if places is None:
        return False
    return all(_holds_nothing(record[k], 0) for k in places if k < len(record))


def counts(record: Record) -> bool:
    """Is it a whole number that is put in the place of another? Whoever reads it later sees it."""
    return record is not None and _name(record[0]) == "attribute_writes.pull_set_count"


def _name(pull: Callable[..., Value]) -> str:
    home = (pull.__module__ or "fast_paths").rpartition(".")[2]  # those of text have no module
    return f"{home}.{getattr(pull, '__name__', '')}"


_DEPTH = 40


def _holds_nothing(kept: Value, depth: int) -> bool:
    """No record in what was kept is of a write."""
    if not issubclass(type(kept), (list, tuple)):
        return True
    if depth > _DEPTH:
        return False
    if type(kept) is tuple and kept and type(kept[0]) is FunctionType:
        return writes_nothing(kept)
    return all(_holds_nothing(each, depth + 1) for each in kept)


_ASKED = (
    "_bar, shadows)", " pull(shadows,", " pull_stray(shadows,", " deliver(shadows,",
    " add_part(shadows,",
)  # fmt: skip


def _is_quiet_pair(pair: Value) -> bool:
    """What its text takes from shadows, it takes by records."""
    source = getattr(pair.text, "source", "shadows")
    asked = sum(source.count(text) for text in _ASKED)
    return bool(source.count("shadows") <= asked + source.count("import "))
