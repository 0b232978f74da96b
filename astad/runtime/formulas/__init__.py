"""Rules of one line, applied at run time to numbers and arrays.

In reading order: `rule_plans.py` (made once for kinds of operands), `formula_rules.py` (the call),
`rule_pulls.py` (the way back), `fast_paths.py` (both written out); `whole_numbers.py`,
`object_arrays.py`, `partial_ufuncs.py`, `overlapping_writes.py` are the cases that differ.
"""
