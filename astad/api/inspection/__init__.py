"""What a function becomes, as people look at it: shown, explained, timed, checked.

In reading order: `showing.py`, `stages.py`, `explaining.py`, `lost_paths.py`, `checking.py`,
`checks.py`; `profiling.py` with `timed_texts.py`, `timing.py`, `kept_bytes.py`; `likely_kinds.py`,
`found_functions.py`, `named_functions.py`, `named_modules.py` (what a command is given).
"""
