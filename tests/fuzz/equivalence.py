"""The verdict on a program by all its forms, at its own point and at a nasty one."""

import random
import sys
import warnings

from .forms import ALL, FEW, disagreements
from .generator import program
from .numeric import numeric_program
from .points import nasty
from .verdicts import Verdict, load

DRAWN = 2
"""Forms besides the few: another choice for each program."""


def text_of(seed):
    """Two of three programs are of the numeric kind."""
    return program(seed) if seed % 3 == 2 else numeric_program(seed)


def check_forms(source, folder, seed=0, forms=None):
    """The verdict on one program: 'right', 'forms differ', 'broken'.

    Parameters
    ----------
    source : str
    folder : path
        Where to put the module.
    seed : int
        Names the module, draws the cotangent, the nasty point and some of the forms.
    forms : list of Form, optional
        Those to run at both points instead.
    """
    name = f"q{seed}"
    rng = random.Random(seed)
    drawn = FEW + rng.sample([form for form in ALL if form not in FEW], DRAWN)
    points = [("its point", lambda module: module.arguments(), forms or drawn)]
    points.append(("a nasty point", lambda module: nasty(module.arguments(), seed), forms or FEW))
    try:
        module = load(source, folder, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module.f(*module.arguments())
    except Exception as error:
        return Verdict(seed, "broken", f"{type(error).__name__}: {error}")
    for where, point, chosen in points:
        found = disagreements(lambda: load(source, folder, name), point, chosen, seed)
        if found:
            lines = [f"at {where}, {form}: {line}" for form, line in found]
            return Verdict(seed, "forms differ", "\n".join(lines))
    sys.modules.pop(name, None)
    return Verdict(seed, "right")


def same_fault(first, seed, folder):
    """For the minimiser: whether a text shows the first fault of a verdict again."""
    form, what = _aspect(first)
    chosen = [each for each in ALL if each.name == form] or FEW[:1]

    def same(text):
        found = check_forms(text, folder, seed, chosen)
        return found.outcome == "forms differ" and _aspect(found) == (form, what)

    return same


def _aspect(verdict):
    """The form and the kind of the fault in the first line."""
    line = verdict.text.splitlines()[0]
    form, _, what = line.partition(", ")[2].partition(": ")
    return form, what.split()[0].partition("[")[0] + (" None" if "None" in what else "")
