"""The public names of NumPy and SciPy in ``names.txt``, by namespace and kind."""

from __future__ import annotations

from pathlib import Path

KINDS = ("rule", "source", "nondiff", "object")


def listed() -> dict[str, dict[str, str]]:
    """Namespace to name to kind.

    >>> listed()["numpy"]["sin"]
    'rule'
    """
    found: dict[str, dict[str, str]] = {}
    namespace = kind = ""
    for line in (Path(__file__).parent / "names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            namespace, kind = line.strip("[]").split()
            assert kind in KINDS
        elif not line.startswith("#"):
            found.setdefault(namespace, {}).update(dict.fromkeys(line.split(), kind))
    return {namespace: names for namespace, names in found.items() if names}
