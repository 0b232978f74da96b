"""Every form of a program's derivative must do the same: found by running them all.

The plain run tells value, exception, warnings and what becomes of the arguments; the generic pair
tells the gradients.
"""

import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from astad import errors
from astad.api.gradients.gradients import value_and_grad
from astad.api.gradients.pullbacks import pullback
from astad.runtime.core.variants import variants_of
from astad.testing.copies import copy_of
from astad.testing.leaves import children, is_array, is_number
from astad.testing.seeds import random_cotangent

from ..compiler.forms import only_generic
from ..compiler.switches import ANALYSES, PASSES, partly_known, without


@dataclass(frozen=True)
class Form:
    """One way to compile a program: what is left out, and what is asked for.

    how : 'pair', 'fused' (where there is one) or 'alone' (the gradient of one argument).
    kinds : 'known', 'unknown' (the generic pair), 'some'.
    """

    name: str
    how: str = "pair"
    off: tuple = ()
    kinds: str = "known"


GENERIC = Form("generic", kinds="unknown")
FEW = [Form("pair"), Form("fused", "fused"), Form("alone", "alone")]
TIDY = tuple(name for name in PASSES if name.startswith("drop_") or "tidy" in name)


def forms_of_all_passes():
    """Besides the few: each pass and analysis left out, and all of them."""
    yield from FEW
    yield Form("partly known", kinds="some")
    for name in [*PASSES, *ANALYSES]:
        yield Form(f"without {name}", off=(name,))
        yield Form(f"fused without {name}", "fused", (name,))
    yield Form("without all passes", off=tuple(PASSES))
    yield Form("fused without all passes", "fused", tuple(PASSES))


ALL = list(forms_of_all_passes())


@dataclass
class Run:
    """What one run did. Unset gradients: an exception came first, or only the value was asked."""

    value: object = None
    error: str = ""
    refused: bool = False
    warned: list = field(default_factory=list)
    arguments: object = None
    gradients: object = None
    used: bool = True


def plain_run(f, args):
    """The program itself."""
    run = Run(arguments=args)
    with _watched(run):
        run.value = copy_of([f(*args)])[0]
    return run


def run_form(form, f, args, seed, at):
    """The program by one form; ``seed``: the cotangent; ``at``: the argument asked for alone."""
    run = Run(arguments=args)
    with _set_up(form, at), _watched(run):
        if form.how == "pair":
            y, back = pullback(f, *args)
            run.value = copy_of([y])[0]
            before = len(run.warned)
            run.gradients = back(seed)
            del run.warned[before:]
        else:
            wanted = tuple(range(len(args))) if form.how == "fused" else at
            run.value, run.gradients = value_and_grad(f, wanted)(*args)
    run.used = form.how == "pair" or any(variants_of(f).fused.values())
    return run


def _set_up(form, at):
    stack = ExitStack()
    stack.enter_context(without(*form.off))
    if form.kinds == "unknown":
        stack.enter_context(only_generic())
    elif form.kinds == "some":
        stack.enter_context(partly_known(at))
    return stack


class _watched(warnings.catch_warnings):
    """Warnings and the exception of a block are put down in its run."""

    def __init__(self, run):
        super().__init__(record=True)
        self.run = run

    def __enter__(self):
        self.run.warned = super().__enter__()
        warnings.simplefilter("always")

    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        self.run.warned = [f"{w.category.__name__}: {w.message}" for w in self.run.warned]
        if error is not None:
            self.run.error = f"{kind.__name__}: {error}"
            self.run.refused = isinstance(error, errors.AstadError)
        return isinstance(error, Exception)


def disagreements(load, point, forms=ALL, seed=0):
    """What the forms do otherwise: pairs of a form's name and a sentence.

    Parameters
    ----------
    load : callable
        Gives the module anew, so that no form sees what another did to it.
    point : callable
        From the module to the arguments.
    """
    module = load()
    plain = plain_run(module.f, point(module))
    cotangent = _cotangent(plain.value, seed)
    at = seed % max(1, len(plain.arguments))
    moderate = is_moderate(point(module))
    module = load()
    generic = run_form(GENERIC, module.f, point(module), cotangent, at)
    found = [("generic", line) for line in against_plain(generic, plain)]
    for form in forms:
        if form.how != "pair" and not _is_real(plain):
            continue
        module = load()
        run = run_form(form, module.f, point(module), cotangent, at)
        if not run.used:
            continue
        lines = against_plain(run, plain) if run.error != generic.error or run.error == "" else []
        wanted = generic.gradients
        if form.how == "alone" and wanted is not None:
            wanted = wanted[at]
        if not lines and run.error == generic.error == "":
            lines = gradients_differ(run.gradients, wanted, moderate)
        found += [(form.name, line) for line in lines]
    return found


def _is_real(plain):
    """Does the program give what `gradient` takes, or raise?"""
    y = plain.value
    return bool(plain.error) or (is_number(y) and not is_array(y) and not np.iscomplexobj(y))


def _cotangent(value, seed):
    if is_number(value) and not is_array(value):
        return type(value)(1)
    return random_cotangent(value, np.random.default_rng(seed))


def against_plain(run, plain):
    """What a form does otherwise than the program itself."""
    if run.refused:
        return [] if not run.error else [f"refuses: {run.error}"]
    if run.error != plain.error:
        return [f"raises {run.error or 'nothing'}, and not {plain.error or 'nothing'}"]
    if run.warned != plain.warned:
        return [f"warns {run.warned}, and not {plain.warned}"]
    if not run.error and not identical(run.value, plain.value):
        return [f"the value is {run.value!r}, and not {plain.value!r}"]
    if not identical(run.arguments, plain.arguments):
        return [f"leaves the arguments {run.arguments!r}, and not {plain.arguments!r}"]
    return []


def identical(a, b):
    """Equal in type, structure and every bit, signs of zeros too; nan equals nan.

    Classes of two loads of a module are the same by name.
    """
    if type(a).__qualname__ != type(b).__qualname__:
        return False
    if isinstance(a, np.ndarray):
        equal = a.dtype == b.dtype and a.shape == b.shape and a.dtype != object
        return equal and all(map(_same_bits, a.ravel().tolist(), b.ravel().tolist()))
    if is_number(a):
        return _same_bits(a, b)
    parts, others = children(a), children(b)
    if parts or others:
        same_keys = [step for step, _ in parts] == [step for step, _ in others]
        return same_keys and all(identical(p, q) for (_, p), (_, q) in zip(parts, others))
    return repr(a) == repr(b) or " at 0x" in repr(a)


def _same_bits(a, b):
    return repr(a) == repr(b)


def is_moderate(args):
    """Are all numbers finite, and far from overflow? Elsewhere 0 * inf is a matter of order."""
    return all(np.all(np.abs(v) < 1e100) for v in _numbers(args))


def gradients_differ(mine, theirs, moderate=True):
    """At most one sentence on where a gradient is not that of the generic pair; unless all is
    ``moderate``, only kinds and None are compared.
    """
    sizes = [np.max(np.abs(v), initial=0.0) for v in _numbers(theirs)]
    scale = max((size for size in sizes if np.isfinite(size)), default=0.0)
    line = _differ(mine, theirs, "gradient", scale if moderate else None)
    return [line] if line else []


def _numbers(value):
    if is_array(value) or is_number(value):
        yield np.asarray(value, complex)
    else:
        for _, part in children(value):
            yield from _numbers(part)


def _differ(a, b, name, scale):
    if a is None or b is None:
        nothing = name.count("[") > 1 and _is_zero(a) and _is_zero(b)  # docs/conventions.md
        return None if a is b or nothing else f"{name} is {a!r}, and not {b!r}"
    if is_number(b) or is_array(b):
        return None if _near(a, b, scale) else f"{name} is {a!r}, and not {b!r}"
    if type(a).__qualname__ != type(b).__qualname__:
        return f"{name} is a {type(a).__name__}, and not a {type(b).__name__}"
    parts, others = children(a), children(b)
    if [step for step, _ in parts] != [step for step, _ in others]:
        return f"{name} is {a!r}, and not {b!r}"
    for (step, p), (_, q) in zip(parts, others):
        line = _differ(p, q, f"{name}[{step[1]!r}]", scale)
        if line:
            return line
    return None


def _is_zero(leaf):
    return leaf is None or ((is_number(leaf) or is_array(leaf)) and not np.any(leaf))


def _near(a, b, scale):
    """Equal kinds, and values to 4 ulp; more where terms of the order of ``scale`` cancel."""
    if not (is_number(a) or is_array(a)):
        return False
    if type(a) in (int, float, np.float64) and type(b) in (int, float):
        a, b = float(a), float(b)  # the zero of an int that nothing reaches may be 0.0
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape or x.dtype != y.dtype or is_array(a) != is_array(b):
        return False
    if x.dtype.kind not in "fc":
        return bool(np.array_equal(x, y))
    if scale is None:
        return True
    eps = float(np.finfo(x.dtype).eps)
    with np.errstate(all="ignore"):
        close = np.abs(x - y) <= 4 * eps * np.abs(y) + 4096 * eps * scale
    return bool(np.all(close | (x == y) | ((x != x) & (y != y))))
