"""Classes and their objects: made, called, asked, and whose names are written.

In reading order: `classes.py` (the statement), `class_creation.py` (`type`), `construction.py`
(the call), `data_classes.py`, `enum_calls.py`, `generic_classes.py`, `class_checks.py`;
`attribute_writes.py`, `instances.py`, `slots_by_hand.py`, `written_globals.py`.
"""
