"""Where to keep states of a loop so that few rounds run again: Griewank & Walther, Algorithm 799:
Revolve, ACM TOMS 26 (2000).

With ``s`` states besides the first, and no round running forward more than ``r`` times before it is
reversed, ``C(s + r, s)`` rounds can be gone back through.

>>> reach(2, 3), next_state(10, 2), first_states(10, 2)
(10, 6, [6, 9])
"""

from __future__ import annotations

from math import comb

__all__ = ["first_states", "next_state", "reach"]


def reach(states: int, runs: int) -> int:
    """The most rounds that can be gone back through."""
    return comb(states + runs, states) if runs >= 0 else 0


def next_state(rounds: int, states: int) -> int:
    """After how many of the rounds the next state is to be kept, ``states`` being free for it."""
    if states < 1:
        return rounds - 1
    if rounds <= states + 1:
        return 1
    runs = 1
    while reach(states, runs) < rounds:
        runs += 1
    return max(1, min(reach(states, runs - 1), rounds - 1))


def first_states(rounds: int, states: int) -> list[int]:
    """After how many rounds states are kept on the first way forward."""
    found: list[int] = []
    at = 0
    while states > 0 and rounds - at > 1:
        at += next_state(rounds - at, states)
        found.append(at)
        states -= 1
    return found
