"""A workload: a program, its gradient as an expert writes it by hand, and arguments."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    """One row of the table.

    name : str
    group : 'scalar', 'small' (arrays of tens of numbers), 'large'.
    program : the function that is differentiated.
    by_hand : ``by_hand(*args) -> (value, gradients by the arguments at wrt)``, all in one.
    arguments : makes them, always the same.
    wrt : positions of the arguments differentiated by.
    """

    name: str
    group: str
    program: Callable
    by_hand: Callable
    arguments: Callable
    wrt: tuple[int, ...]
