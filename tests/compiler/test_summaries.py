"""Whether a path leads to an argument is told by the program, in whatever order it is asked."""

import pytest

from astad import gradient, settings
from astad.compiler.summaries import MOST

LONG = MOST + 15


def chain(last):
    links = [f"def f{k}(x, n):\n    return f{k + 1}(x, n) * 0.5 + x\n\n\n" for k in range(LONG)]
    return "".join(links) + f"def f{LONG}(x, n):\n    return {last}\n"


def tree():
    forks = [
        f"def f{k}(x, n):\n    return f{2 * k + 1}(x, n) + 0.1 * f{2 * k + 2}(x, n)\n\n\n"
        for k in range(MOST)
    ]
    leaves = [f"def f{k}(x, n):\n    return x * {k}.0\n\n\n" for k in range(MOST, 2 * MOST + 1)]
    return "".join(forks + leaves)


def ring(length):
    return "".join(
        f"def f{k}(x, n):\n    return f{(k + 1) % length}(x - 1.0, n) if x > 0.0 else x * x\n\n\n"
        for k in range(length)
    )


def classes():
    """A chain whose links hand an object on."""
    head = "class Pair:\n    def __init__(self, x, n):\n        self.x, self.n = x, n\n\n\n"
    links = [
        f"def g{k}(pair):\n    pair.x *= 0.5\n    return g{k + 1}(pair)\n\n\n" for k in range(LONG)
    ]
    calls = [f"def f{k}(x, n):\n    return g{k}(Pair(x, n))\n\n\n" for k in range(LONG)]
    return head + "".join(links + calls) + f"def g{LONG}(pair):\n    return pair.x * 2.0\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(chain("x * 2.0"), id="chain"),
        pytest.param(chain("x * n"), id="chain to both", marks=pytest.mark.slow),
        pytest.param(tree(), id="tree", marks=pytest.mark.slow),
        pytest.param(ring(LONG), id="long ring", marks=pytest.mark.slow),
        pytest.param(ring(MOST - 1), id="ring", marks=pytest.mark.slow),
        pytest.param(classes(), id="objects", marks=pytest.mark.slow),
    ],
)
def test_no_order_changes_what_is_none(text, tmp_path, monkeypatch):
    names = ["f0", "f30", f"f{MOST - 2}", "f5"]
    seen = []
    for number, order in enumerate([names, names[::-1], names[1:] + names[:1]]):
        monkeypatch.setattr(settings, "cache_directory", str(tmp_path / str(number)))
        path, space = tmp_path / f"chain_{number}.py", {"__name__": f"chain_{number}"}
        path.write_text(text, encoding="utf-8")
        exec(compile(text, str(path), "exec"), space)
        found = {name: gradient(space[name], 1.5, 2.0) for name in order}
        seen.append({name: found[name] for name in names})
    assert seen[1] == seen[0] and seen[2] == seen[0]


def test_what_leads_to_little_is_exact(tmp_path):
    path, space = tmp_path / "short.py", {"__name__": "short"}
    path.write_text(chain("x * 2.0"), encoding="utf-8")
    exec(compile(chain("x * 2.0"), str(path), "exec"), space)
    assert gradient(space["f0"], 1.0, 2.0) == (2.0, 0.0)  # more than is studied
    assert gradient(space[f"f{LONG - MOST + 1}"], 1.0, 2.0) == (2.0, None)
