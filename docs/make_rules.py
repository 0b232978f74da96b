"""Print docs/rules.md from the registry: ``python docs/make_rules.py > docs/rules.md``."""

import cmath  # its rules are read where it is  # noqa: F401
import re
import statistics  # its rules as well  # noqa: F401
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.cluster.vq
import scipy.fft
import scipy.fftpack
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial.distance
import scipy.special
import scipy.stats

import astad.api.public  # loads the rules
import astad.rules.kept  # and these, which recorded runs load
import astad.rules.raised  # noqa: F401
from astad.rules import REGISTRY, Rule
from astad.rules.formula import user_name
from astad.runtime.core import full_rules

HEAD = """# Rules

Generated from the registry by `python docs/make_rules.py > docs/rules.md`; a test compares the two.
VERSIONS

`x`, `a`, ... are the arguments, `y` is the result, `y_bar` its cotangent. In the tables of
elementwise functions the formula is the slope dy/dx, else it is the cotangent of the argument.
The domain is where a rule is tested at random points, away from kinks and poles; what is given
at a kink stands beside the source, and in [conventions](conventions.md). A star after the function:
where the incoming cotangent is exactly 0 the outgoing one is 0, also at a pole.

Every rule is compared with five-point differences in random directions, its tangent with its
cotangents, in every layout and precision, alone and through `gradient`; and its pullback is
differentiated once more. `python tests/rules/support/listed.py` prints what a rule is not asked,
and why; no rule is left out without a reason.
"""
SECTIONS = (
    ("np.linalg.", "numpy.linalg"),
    ("np.fft.", "numpy.fft"),
    ("np.ndarray.", "Methods of ndarray"),
    ("np.", "numpy"),
    ("scipy.fft.", "scipy.fft"),
    ("scipy.fftpack.", "scipy.fftpack"),
    ("scipy.linalg.", "scipy.linalg"),
    ("scipy.ndimage.", "scipy.ndimage"),
    ("scipy.cluster.", "scipy.cluster"),
    ("scipy.spatial.", "scipy.spatial.distance"),
    ("scipy.interpolate.", "scipy.interpolate"),
    ("scipy.signal.", "scipy.signal"),
    ("scipy.special.", "scipy.special"),
    ("math.", "math"),
    ("cmath.", "cmath"),
    ("operator.", "Operators"),
    ("", "Builtins and their methods"),
)


def versions() -> str:
    """What the page depends on besides astad."""
    numpy = ".".join(np.__version__.split(".")[:2])
    library = ".".join(scipy.__version__.split(".")[:2])
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"With Python {python}, NumPy {numpy} and SciPy {library}."


def section_of(name: str) -> str:
    return next(title for prefix, title in SECTIONS if name.startswith(prefix))


def cell(text: str) -> str:
    """Text that is safe between the bars of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    return f"`{cell(text)}`" if text else ""


def row(rule: Rule) -> str:
    """One line of a table: function, formulas, what is refused, source."""
    formulas = [f"{name}: {text}" for name, text in rule.back.items()]
    if list(rule.back) == ["x"]:
        formulas = [rule.back["x"]]
    refused = [f"{name}: {why}" for name, why in rule.missing.items()]
    if rule.refuse:
        refused.append(rule.refuse)
    cells = [
        code(rule.name) + " \\*" * rule.zero_safe,
        "<br>".join(code(text) for text in formulas),
        code(rule.domain),
        "<br>".join(cell(text) for text in refused),
        cell(rule.source),
    ]
    return f"| {' | '.join(cells)} |"


def table(title: str, rows: Iterable[str]) -> list[str]:
    lines = sorted(set(rows), key=str.lower)
    if not lines:
        return []
    head = "| function | derivative | domain | not covered | source, and what is given at kinks |"
    return ["", f"### {title}", "", head, "|---|---|---|---|---|", *lines]


def counts(rules: Iterable[Rule]) -> list[str]:
    """How many functions of each namespace have which form of rule."""
    found = Counter((section_of(rule.name), rule.form) for rule in rules)
    lines = ["", "| namespace | elementwise | others | no derivative |", "|---|---|---|---|"]
    for _, title in SECTIONS:
        others = found[title, "linear"] + found[title, "structured"]
        of_forms = (found[title, "scalar"], others, found[title, "zero"])
        if any(of_forms):
            lines.append(f"| {title} | {' | '.join(map(str, of_forms))} |")
    return lines


def names_of(callables: Iterable[Any]) -> list[str]:
    """The names a user would write, in order: no special methods, nothing of astad's own."""
    names = {user_name(fn).removeprefix("_") for fn in callables}
    shown = [name for name in names if not re.search(r"^astad|__|<|\._", name)]
    return sorted(shown, key=lambda name: (name.lower(), name))


def listed(names: Iterable[str]) -> str:
    return ", ".join(code(name) for name in names) + "."


def page() -> str:
    """The whole page."""
    # those of astad.rules.lines are made while programs run
    rules = [r for r in REGISTRY.values() if r.is_own and r.home != "astad.rules.lines"]
    lines = [HEAD.replace("VERSIONS", versions()), *counts(rules)]
    for _, title in SECTIONS:
        here = [rule for rule in rules if section_of(rule.name) == title]
        elementwise = [row(rule) for rule in here if rule.form == "scalar"]
        others = [row(rule) for rule in here if rule.form in ("linear", "structured")]
        constant = names_of(rule.fn for rule in here if rule.form == "zero")
        lines += ["", f"## {title}"]
        lines += table("Elementwise", elementwise) + table("Others", others)
        if constant:
            lines += ["", "No derivative: " + listed(constant)]
    lines += ["", "## Written out in the run time", ""]
    # only the ids are in the table: the callables are held beside it
    full = [fn for fn in full_rules._held if id(fn) in full_rules.FULL]
    lines += ["Containers, iteration, attributes, writes: " + listed(names_of(full))]
    whole = sorted(kind.__name__ for kind in (str, bytes, bytearray, range, slice))
    inert = names_of(full_rules.INERT.values())
    inert = [name for name in inert if name.partition(".")[0] not in whole or "." not in name]
    lines += ["", "No derivative: " + listed(inert)]
    lines += ["", "Nor in the methods of: " + listed(whole)]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


if __name__ == "__main__":
    print(page(), end="")
