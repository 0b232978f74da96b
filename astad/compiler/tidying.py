"""The passes that make a derived program shorter, in order; each is a file in `tidy/`."""

from __future__ import annotations

from collections.abc import Callable

from astad.compiler.analysis.floats import find_floats
from astad.compiler.ir.derived import Derived
from astad.compiler.ir.names import Names
from astad.compiler.tidy.common_subexpressions import share_common
from astad.compiler.tidy.constants import fold_constants
from astad.compiler.tidy.copies import drop_copies
from astad.compiler.tidy.dead_code import drop_dead_code
from astad.compiler.tidy.destructive_update import reuse_buffers
from astad.compiler.tidy.gather import gather_products
from astad.compiler.tidy.loop_invariants import hoist_invariants
from astad.compiler.tidy.methods import ask_arrays
from astad.compiler.tidy.records import thin_records
from astad.compiler.tidy.rematerialise import compute_again
from astad.compiler.tidy.signs import carry_signs
from astad.compiler.tidy.slot_colouring import share_places

__all__ = ["shortened"]


def shortened(derived: Derived, names: Names, *, again: bool = False) -> Derived:
    """The same program, shorter and faster; ``again``: it is differentiated once more, so that it
    stays as plain as a user's.
    """
    once = _Once()
    derived = find_floats(derived)  # names that hold a Python float
    derived = fold_constants(derived)  # seeds, zeros that were never added to
    derived = once(drop_copies, once(drop_dead_code, derived))
    derived = once(thin_records, hoist_invariants(derived))
    derived = share_common(derived)  # what is computed twice
    derived = carry_signs(derived, names)  # a minus goes into the addition behind it
    derived = once(drop_dead_code, once(drop_copies, derived))
    if again:
        return derived
    derived = gather_products(derived, names)  # sums of products of vectors
    derived = once(thin_records, derived)  # what iterations keep for the reverse sweep
    derived = compute_again(derived, names)  # rather than keep it
    derived = share_places(once(drop_dead_code, derived))  # in what a pair keeps
    derived = reuse_buffers(derived)  # of a fused form
    return ask_arrays(derived)  # for what a function would ask them for


class _Once:
    """A pass finds nothing more to do in what it gave, if no other has changed it since."""

    def __init__(self) -> None:
        self.given: dict[Callable[[Derived], Derived], Derived] = {}

    def __call__(self, tidy: Callable[[Derived], Derived], derived: Derived) -> Derived:
        if self.given.get(tidy) is not derived:
            self.given[tidy] = derived = tidy(derived)
        return derived
