"""Where cotangents lie: in shadows, found by the identity of what they belong to.

In reading order: `owners.py` (whose memory is it), `bases.py`, `slot_shadows.py` and
`array_shadows.py` (containers and arrays), `shadows.py` (the table), `snapshots.py` (structure at
entry), `foreign.py` (cotangents from outside), `structures.py` (in and out of the table);
`contents.py`, `hidden.py`, `namespaces.py` (what arguments hold).
"""
