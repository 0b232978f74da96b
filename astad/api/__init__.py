"""What users call.

`public.py` holds the names that `astad` gives out, `saved.py` what a printed text imports to find
the user's names again. The folders, each importing only those before it:

- `variants`: from a function and the kinds of its arguments to a text that runs,
- `memory`: recompute in place of keep,
- `gradients`: gradient, pullback, parameters,
- `rules`: rules of the user's, hooks, what a solver finds,
- `higher`: derivatives of derivatives, jacobians, hessians, directions,
- `inspection`: shown, explained, timed, looked through.
"""
