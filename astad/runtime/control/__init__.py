"""What leaves the straight way: exceptions, ``match``, contexts, threads, handlers.

In reading order: `exceptions.py`, `exception_groups.py`, `patterns.py`, `context_variables.py`,
`threads.py`, `installed_hooks.py`.
"""
