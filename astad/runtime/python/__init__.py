"""Functions of Python's and of its standard library that call back, walk or copy.

In reading order: `callables_of_python.py` (`sum`, `sorted`), `functional.py` (`map`, `partial`),
`drawn_by_c.py` (`groupby`), `sums_of_products.py`; `copies.py` with `copied_iterators.py` and
`copied_by_hooks.py`; `executed.py`, `json_hooks.py`.
"""
