"""Calls of code that has no text to be read: compiled, cached, or with a rule of the user's.

In reading order: `library.py` (run under watch), `inert_modules.py` (carry no derivative), draws in
`draw_sizes.py`, `shuffles.py`, `smooth_draws.py`, `drawn_entries.py`; `custom_calls.py`,
`type_checkers.py`; `cached_calls.py` with `python_caches.py` and `computed_again.py`.
"""
