"""Ask astad every call of the tables and print what it answers, by namespace.

    python -m tests.coverage.runner                       every table
    python -m tests.coverage.runner numpy scipy.linalg    these namespaces
    python -m tests.coverage.runner numpy --name einsum   one name, each call
    python -m tests.coverage.runner --list numpy          a line for each name

Exit code 1 if an answer is wrong, ends in an error that is not astad's, or is refused without a
reason in the table.
"""

from __future__ import annotations

import argparse
import collections
from collections.abc import Iterable, Sequence

from .listed import listed
from .tables import Name, is_here, judged, load, namespace_of, table_names

COLUMNS = ("right", "none", "refused", "wrong")


def run(namespaces: Sequence[str] = (), only: str = "", with_second: bool = True) -> list[Name]:
    """The verdicts on every name of the chosen namespaces."""
    found: list[Name] = []
    for table in filter(None, map(load, table_names())):
        if not namespaces or namespace_of(table) in namespaces:
            found += judged(table, only, with_second)
    return found


def column(name: Name) -> str:
    """The column of the table that a name counts in."""
    return name.word if name.word in COLUMNS else "wrong"


def missing(names: Iterable[Name]) -> dict[str, list[str]]:
    """Listed names with a derivative or without one that no table asks, by namespace."""
    asked: dict[str, set[str]] = collections.defaultdict(set)
    for name in names:
        asked[name.namespace].add(name.name)
    kinds = listed()
    return {
        space: [
            n
            for n, kind in kinds[space].items()
            if kind != "object" and n not in asked[space] and is_here(space, n)
        ]
        for space in asked
        if space in kinds
    }


def summary(names: Sequence[Name]) -> str:
    """The table: a line for each namespace, with the second order at the end."""
    head = f"{'namespace':30}" + "".join(f"{c:>9}" for c in COLUMNS)
    head += f"{'calls':>9}{'not asked':>11}   second order"
    lines, absent = [head], missing(names)
    for space in dict.fromkeys(name.namespace for name in names):
        own = [name for name in names if name.namespace == space]
        count = collections.Counter(map(column, own))
        second = collections.Counter(filter(None, (name.second for name in own)))
        calls = sum(len(name.verdicts) + len(name.refused) for name in own)
        line = f"{space:30}" + "".join(f"{count[c]:>9}" for c in COLUMNS)
        line += f"{calls:>9}{len(absent.get(space, ())):>11}   "
        lines.append(line + ", ".join(f"{n} {word}" for word, n in second.most_common()))
    return "\n".join(lines)


def of_numpy(names: Iterable[Name]) -> str:
    """How many of NumPy's names with a derivative are right; the others by name."""
    words = {(name.namespace, name.name): column(name) for name in names}
    others: dict[str, list[str]] = collections.defaultdict(list)
    total = right = 0
    for space, kinds in listed().items():
        for n in (n for n, kind in kinds.items() if kind in ("rule", "source")):
            if space.startswith("numpy"):
                total += 1
                word = words.get((space, n), "not asked")
                right += word in ("right", "none")
                if word not in ("right", "none"):
                    others[word].append(f"{space}.{n}")
    rest = "".join(f"; {word}: {' '.join(found)}" for word, found in others.items())
    return f"NumPy names with a derivative: {right} of {total} right{rest}"


def report(name: Name, everything: bool = False) -> str:
    """The calls of a name that are not right, or all of them."""
    lines = [f"{name.namespace}.{name.name}: {name.word} {name.reason}".rstrip()]
    for v in (*name.verdicts, *(v for v in name.refused if v.word != "refused")):
        if everything or v.word not in ("right", "none") or v.second not in ("right", ""):
            second = f", second order {v.second}" if v.second else ""
            lines.append(f"    {v.call}\n        {v.word}{second} {v.says}".rstrip())
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.coverage.runner")
    parser.add_argument("namespaces", nargs="*")
    parser.add_argument("--name", default="", help="one name, each of its calls")
    parser.add_argument("--list", action="store_true", help="a line for each name")
    parser.add_argument("--first", action="store_true", help="no second order")
    options = parser.parse_args()
    names = run(options.namespaces, options.name, not options.first)
    for name in names:
        refused_second = options.list and name.second == "refused"
        if options.name or column(name) == "wrong" or refused_second:
            print(report(name, bool(options.name)))
        elif options.list:
            print(f"{name.namespace}.{name.name}: {name.word} {name.reason}".rstrip())
    print(summary(names))
    if not options.namespaces and not options.name:
        print(of_numpy(names))
    for space, absent in missing(names).items():
        if absent and not options.name:
            print(f"not asked in {space}: {' '.join(absent)}")
    return int(any(column(name) == "wrong" for name in names))


if __name__ == "__main__":
    raise SystemExit(main())
