"""One after the other: elements with the way back of each, steps on a tape.

In reading order: `iterate.py` (each element and its route), `iterators.py` and
`container_iterators.py` (Python's own), `own_iterators.py`, `itertools_feeds.py`, `drawn.py` and
`drawn_again.py` (who else draws), `unpacking.py`; `taped.py` and `checked.py` (steps that an
exception may leave), `generators.py` with `begun_before.py` and `let_go.py`.
"""
