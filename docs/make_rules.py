"""Print docs/rules.md from the registry: ``python docs/make_rules.py > docs/rules.md``."""

from collections.abc import Iterable
from typing import Any

import astad  # loads the rules  # noqa: F401
from astad.rules.formula import user_name
from astad.rules.registry import REGISTRY, Rule
from astad.runtime import full_rules

HEAD = """# Rules

Generated from the registry by `python docs/make_rules.py > docs/rules.md`; a test compares the two.

`x`, `a`, ... are the arguments, `y` is the result, `y_bar` its cotangent. In the tables of
elementwise functions the formula is the slope dy/dx, else it is the cotangent of the argument.
"""
SECTIONS = (
    ("np.linalg.", "numpy.linalg"),
    ("np.fft.", "numpy.fft"),
    ("np.ndarray.", "Methods of ndarray"),
    ("np.", "numpy"),
    ("math.", "math"),
    ("operator.", "Operators"),
    ("", "Builtins and their methods"),
)


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
        code(rule.name),
        "<br>".join(code(text) for text in formulas),
        "<br>".join(cell(text) for text in refused),
        cell(rule.source),
    ]
    return f"| {' | '.join(cells)} |"


def table(title: str, rows: Iterable[str]) -> list[str]:
    lines = sorted(set(rows), key=str.lower)
    if not lines:
        return []
    head = "| function | derivative | not covered | source |"
    return ["", f"### {title}", "", head, "|---|---|---|---|", *lines]


def names_of(callables: Iterable[Any]) -> list[str]:
    return sorted({user_name(fn) for fn in callables}, key=lambda name: (name.lower(), name))


def page() -> str:
    """The whole page."""
    rules = list(REGISTRY.values())
    lines = [HEAD]
    for _, title in SECTIONS:
        here = [rule for rule in rules if section_of(rule.name) == title]
        elementwise = [row(rule) for rule in here if rule.form == "scalar"]
        others = [row(rule) for rule in here if rule.form in ("linear", "structured")]
        constant = names_of(rule.fn for rule in here if rule.form == "zero")
        lines += ["", f"## {title}"]
        lines += table("Elementwise", elementwise) + table("Others", others)
        if constant:
            lines += ["", "No derivative: " + ", ".join(code(name) for name in constant) + "."]
    known = {id(fn): fn for fn in full_rules._held}
    full = names_of(known[key] for key in full_rules.FULL)
    inert = names_of(full_rules.INERT.values())
    lines += ["", "## Written out in the run time", ""]
    lines += ["Containers, iteration, attributes, writes: " + ", ".join(map(code, full)) + "."]
    lines += ["", "Run as they are, no derivative: " + ", ".join(map(code, inert)) + "."]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


if __name__ == "__main__":
    print(page(), end="")
