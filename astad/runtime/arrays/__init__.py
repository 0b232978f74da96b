"""NumPy's arrays as others see them: protocols, views, iterators, places.

In reading order: `operand_hooks.py` (operands that are objects of the user's),
`array_protocol.py`, `array_functions.py`, `array_methods.py`, `finalized_arrays.py` (subclasses);
`array_layout.py`, `flat_iterators.py`, `placing.py`; `typed_arrays.py` (those of Python's `array`).
"""
