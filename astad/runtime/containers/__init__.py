"""Lists, tuples, dicts, sets, deques, heaps: making and changing them.

In reading order: `containers.py` and `named_tuples.py` (made), `starred.py` (unpacked into
displays), `dicts.py`, `sets.py`, `list_methods.py`, `in_place.py` (changed by an operator),
`heaps.py`, `adders.py` (one item of a loop).
"""
