"""Draw the folders of astad and who imports whom: ``python docs/make_architecture.py``.

The picture is made of the imports that are in the tree, those inside functions left out, which are
late on purpose. An arrow that follows from two others is not drawn.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
WORDS = {
    "api": "what users call; its texts",
    "importing": "import hook, disk cache",
    "testing": "finite differences, verification",
    "compiler": "pipeline: the passes in order",
    "compiler.frontend": "source to tree, scopes",
    "compiler.lower": "tree to Wengert list",
    "compiler.analysis": "kinds, activity, sharing",
    "compiler.specialise": "for kinds of arguments",
    "compiler.reverse_mode": "forward and reverse sweep",
    "compiler.tidy": "shorter texts",
    "compiler.codegen": "text, guards, code",
    "compiler.ir": "the program and its kinds",
    "runtime": "dispatcher: what no text tells",
    "rules": "a row for each function",
    "tangents": "adding, zeros, structures",
}
WIDTH, HEIGHT, GAP, RISE = 180, 38, 34, 84
Graph = dict[str, set[str]]


def folder_of(module: str) -> str:
    """``compiler.lower`` for ``astad.compiler.lower.loops``; "" for a file at the top."""
    parts = module.split(".")[1:]
    for length in (2, 1):
        name = ".".join(parts[:length])
        if name in WORDS:
            return name
    return ""


def imported(path: Path) -> Iterator[str]:
    """Modules of astad that a file imports when it is read."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("astad"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("astad"))


def read(root: Path) -> Graph:
    """Who imports whom."""
    graph: Graph = {name: set() for name in WORDS}
    for path in sorted((root / "astad").rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        here = folder_of(module)
        if here:
            graph[here] |= {folder_of(each) for each in imported(path)} - {"", here}
    return graph


def direct(graph: Graph) -> Graph:
    """Without the arrows that follow from two others."""
    beyond = {name: set[str]().union(*(reached(graph, each) for each in graph[name]))
              for name in graph}  # fmt: skip
    return {name: graph[name] - beyond[name] for name in graph}


def reached(graph: Graph, name: str) -> set[str]:
    """All that a folder needs, by way of others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for each in graph[waiting.pop()] - found:
            found.add(each)
            waiting.append(each)
    return found


def levels(graph: Graph) -> list[list[str]]:
    """Rows from the top, each folder above all that it imports."""
    height: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in height:
            height[name] = 1 + max(map(of, graph[name]), default=-1)
        return height[name]

    top = max(map(of, graph))
    return [sorted(name for name in graph if of(name) == level) for level in range(top, -1, -1)]


def draw(graph: Graph) -> str:
    """The picture, as SVG."""
    rows = levels(graph)
    across = max(map(len, rows)) * (WIDTH + GAP) + GAP
    place: dict[str, tuple[float, float]] = {}
    for y, row in enumerate(rows):
        start = (across - len(row) * (WIDTH + GAP) + GAP) / 2
        for x, name in enumerate(row):
            place[name] = start + x * (WIDTH + GAP), GAP + y * RISE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {len(rows) * RISE}" '
        'font-family="sans-serif" font-size="11">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#789"/></marker></defs>',
        f'<rect width="{across}" height="{len(rows) * RISE}" fill="white"/>',
    ]
    for name, others in sorted(direct(graph).items()):
        x, y = place[name]
        for other in sorted(others):
            u, v = place[other]
            far = v - y > RISE  # beside what it passes, which would hide it
            start, end = (x + WIDTH - 12, u + WIDTH - 12) if far else (x + WIDTH / 2, u + WIDTH / 2)
            bend = f"C{start + GAP + 34:.0f} {y + RISE} {end + GAP + 34:.0f} {v - RISE / 2:.0f}"
            line = f"{bend} {end:.0f} {v:.0f}" if far else f"L{end:.0f} {v:.0f}"
            out.append(
                f'<path d="M{start:.0f} {y + HEIGHT} {line}" stroke="#789" fill="none" '
                'marker-end="url(#tip)"/>'
            )
    for name, (x, y) in sorted(place.items()):
        shade = "#eef4fb" if name.startswith("compiler") else "#f6f6f2"
        out += [
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
            f'fill="{shade}" stroke="#456"/>',
            f'<text x="{x + 8:.0f}" y="{y + 16:.0f}" font-weight="bold">{name}</text>',
            f'<text x="{x + 8:.0f}" y="{y + 30:.0f}">{WORDS[name]}</text>',
        ]
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(read(ROOT)), encoding="utf-8")
