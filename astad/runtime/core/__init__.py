"""What all rules stand on: values kept, the table of full rules, variants of functions.

In reading order: `versions.py` (arrays kept by reference until someone writes), `budgets.py` and
`departed.py` (how much, and what left), `full_rules.py` (the table) with `compiled_code.py` (what
an error says of compiled code), `listings.py` (what a record holds of an operand), `variants.py`
(compiled functions and their guards), `argument_places.py`, `depth.py`; `stand_ins.py` and
`weak_proxies.py` (objects that stand for others).
"""
