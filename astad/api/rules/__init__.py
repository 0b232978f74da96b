"""Rules that users declare, and what they see of an adjoint on its way.

In reading order: `custom_rules.py`, `tangent_rules.py`, `hooks.py`, `implicit_functions.py`.
"""
