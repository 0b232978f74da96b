"""Recompute in place of keep: parts and loops that run again in the reverse sweep.

In reading order: `surroundings.py` (what a part reads), `checkpointing.py`, `memory_budgets.py`,
`rounds.py` (a loop under a budget) with `loop_states.py` and `twice.py` (what may not run twice).
"""
