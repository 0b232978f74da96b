"""Derivatives of more than a number, and of derivatives.

In reading order: `gradient_texts.py`, `gradient_modules.py`, `compositions.py`,
`known_derivatives.py` (a gradient as a function that is differentiated again), `forward.py`,
`forward_at_once.py`, `directions.py`, `jacobians.py`, `sparse_matrices.py`, `colouring.py`,
`second_order.py`, `nesting.py`, `inner_derivatives.py`.
"""
