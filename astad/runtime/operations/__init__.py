"""What the operations of the language do to operands of any kind.

In reading order: `operators.py`, `comparisons.py`, `indexing.py`, `attributes.py` with
`class_attributes.py`; `mutation.py` (arrays changed in place), `array_overrides.py`,
`dataclass_methods.py` and `native_hooks.py` (methods of classes that are asked), `conversions.py`,
`number_methods.py`, `exact_numbers.py`.
"""
