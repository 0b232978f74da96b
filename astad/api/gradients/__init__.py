"""The first derivative of a number: gradient, pullback, parameters.

In reading order: `gradients.py` (fused), `pullbacks.py` (the pair), `recorded.py` (made of a run),
`overwriting.py`, `params.py`, `buffers.py`.
"""
