"""What generated texts call where a text alone cannot tell what happens.

`dispatch.py` is the way in: it decides a call by what is called and by what it is given.
`language.py` holds the operations of the language as callables, `guarded.py` what the guards of
texts compare with; `hashed_copies.py` is a check of the dispatcher. The folders, from the ground
up, each importing only those before it:

- `cotangents`: where cotangents lie, by the identity of what they belong to,
- `core`: what is kept of a run, the table of rules, the variants of functions,
- `formulas`: rules of one line, applied to numbers and arrays,
- `unseen`: what code does that no record shows,
- `text`: numbers that leave as text and come back,
- `iteration`: one element after the other, one step after the other,
- `operations`: operators, comparisons, subscripts and attributes, on operands of any kind,
- `containers`: lists, tuples, dicts, sets and their methods,
- `calls`: compiled code without a rule, draws, rules of the user's, caches,
- `arrays`: NumPy's ways of being called, and its views, iterators and protocols,
- `control`: exceptions, ``match``, contexts, threads,
- `classes`: class statements, instances, and whose names are written,
- `python`: functions of Python's and its standard library that call back, walk or copy,
- `scipy`: rules of SciPy that are more than a formula.
"""
