"""List every rule and what the harness does for it: ``python tests/rules/support/listed.py``.

With ``--all`` a line for each rule, else the counts and what is exempt, with its reason.
"""

from __future__ import annotations

import collections
import sys

import harness
import loaded  # noqa: F401  (so that the rules of SciPy are read)
from exemptions import EXEMPT, REFUSED_SECOND, reason

from astad.rules import REGISTRY
from astad.rules.formula import Rule

CHECKS = [check for check in EXEMPT if check != "cases"]


def tangent_of(rule: Rule) -> str:
    """How the tangent comes from the rule."""
    if rule.dot:
        return "a formula of its own"
    return {
        "scalar": "the slopes of the pullback",
        "linear": "the function itself",
        "structured": "the pullback, transposed",
    }[rule.form]


def rows() -> list[tuple[Rule, int, dict[str, str]]]:
    """Every rule with a derivative, its number of calls, and why a check is left out."""
    every = {rule.name: rule for rule in REGISTRY.values() if rule.form != "zero"}
    found = []
    for name in sorted(every):
        rule = every[name]
        count = 0 if reason(rule, "cases") else len(harness.cases(rule))
        found.append((rule, count, {check: reason(rule, check) for check in EXEMPT}))
    return found


def main() -> None:
    table = rows()
    calls = sum(count for _, count, _ in table)
    zeros = sum(rule.form == "zero" for rule in REGISTRY.values())
    print(f"{len(table)} names with a derivative, {calls} calls of them; {zeros} without")
    for way, count in collections.Counter(tangent_of(rule) for rule, *_ in table).most_common():
        print(f"    tangent by {way}: {count}")
    left_out: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for rule, count, left in table:
        if "--all" in sys.argv:
            print(f"{rule.name}: {rule.form}, {count} calls, tangent by {tangent_of(rule)}")
        for check, why in left.items():
            if why:
                left_out[check, why].append(rule.name)
        if why := REFUSED_SECOND.get(rule.name):
            left_out["every second derivative", why].append(rule.name)
    for check in CHECKS:
        asked = sum(not left[check] and not left["cases"] for *_, left in table)
        print(f"    {check}: {asked} asked")
    for (check, why), names in left_out.items():
        print(f"\nno {check}: {why}\n    {', '.join(names)}")


if __name__ == "__main__":
    main()
