"""From a function and the kinds of its arguments to a text that runs, and to what users get.

In reading order: `whole.py` (slots, filled late), `argument_numbers.py`, `arguments.py`,
`kinds_of_values.py` and `held_globals.py` (what is asked), `assumptions.py`, `ruled.py`,
`generated.py`, `loading.py`, `wiring.py` (from the cache or the compiler), `tentative.py`,
`derived.py`, `differentiable.py`; `leaves.py`, `results.py`, `finishing.py`, `tracebacks.py` (what
comes back).
"""
