"""Draw the pictures of the worked examples: ``python docs/make_pictures.py``.

Each is made of the names that the code of its page has made: the page is run as the tests run it. A
picture has a light and a dark form in one file; the reader's system chooses.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).resolve().parent
WIDTH, HEIGHT = 400, 270
LEFT, RIGHT, TOP, BOTTOM = 72, 14, 30, 46
STYLE = """<style>
text { fill: #24292f; font: 12px sans-serif } .title { font-weight: bold }
.back { fill: #ffffff }
.frame { fill: none; stroke: #8b949e } .grid { stroke: #8b949e; opacity: 0.25 }
.line { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 6 4 }
.a { stroke: #0969da } .b { stroke: #bc4c00 } .c { stroke: #1a7f37 }
.dot { stroke: none; opacity: 0.7 }
.a.dot { fill: #0969da } .b.dot { fill: #bc4c00 } .c.dot { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .back { fill: #0d1117 }
.a { stroke: #58a6ff } .b { stroke: #ffa657 } .c { stroke: #56d364 }
.a.dot { fill: #58a6ff } .b.dot { fill: #ffa657 } .c.dot { fill: #56d364 } }
</style>"""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a line, or single dots: the look is of the classes in `STYLE`."""

    x: Sequence[float]
    y: Sequence[float]
    look: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is measured, in which unit, from where to where; ``log`` for powers of ten."""

    label: str
    low: float
    high: float
    step: float
    log: bool = False

    def at(self, value: float) -> float:
        """0 at the low end, 1 at the high end; what is far outside stays near."""
        if self.log:
            value = math.log10(max(value, 1e-300))
        return min(max((value - self.low) / (self.high - self.low), -3.0), 4.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Their places and words; on a logarithmic axis low, high and step count powers of ten."""
        count = round((self.high - self.low) / self.step)
        values = [self.low + k * self.step for k in range(count + 1)]
        if self.log:
            return [(10.0**value, f"1e{value:.0f}" if value else "1") for value in values]
        return [(value, f"{value:.6g}") for value in values]


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    x: Axis
    y: Axis
    curves: list[Curve]
    names_at: tuple[float, float] = (0.5, 0.9)
    """Where the list of names begins: parts of the width and of the height."""


# --- the six pictures


def greeks(of: dict[str, Any]) -> list[Panel]:
    spots = np.linspace(60.0, 160.0, 101)
    others = of["point"][1:]
    spot = Axis("price of the share [$]", 60, 160, 20)

    def panel(title: str, label: str, f: Callable[..., float], *scale: float) -> Panel:
        values = [f(each, *others) for each in spots]
        return Panel(title, spot, Axis(label, *scale), [Curve(spots, values, "a line")])

    return [
        panel("Value of the call", "value [$]", of["call"], 0, 60, 10),
        panel("Delta", "delta [$/$]", of["greeks"]["delta"], 0, 1, 0.2),
        panel("Gamma", "gamma [1/$]", of["greeks"]["gamma"], 0, 0.025, 0.005),
        panel("Speed", "speed [1/$²]", of["greeks"]["speed"], -0.001, 0.001, 0.0005),
    ]


def newton(of: dict[str, Any]) -> list[Panel]:
    def curve(path: str, look: str, name: str) -> Curve:
        heights = [of["valley"](x) for x in of[path]]
        return Curve(range(len(heights)), heights, look, name)

    curves = [
        curve("by_slope", "c line", "gradient descent"),
        curve("by_products", "b line", "Newton with hvp"),
        curve("by_matrix", "a line", "Newton with hessian"),
    ]
    y = Axis("height above the lowest point [1]", -16, 4, 4, log=True)
    title = "Down the valley of Rosenbrock, n = 100"
    return [Panel(title, Axis("steps", 0, 60, 10), y, curves, (0.64, 0.5))]


def gradient_penalty(of: dict[str, Any]) -> list[Panel]:
    steps = np.arange(len(of["gaps"]))
    curves = [
        Curve(steps[[0, -1]], [3.0, 3.0], "c line dashed", "the distance"),
        Curve(steps, of["gaps"], "a line", "with the penalty"),
        Curve(steps, of["free_gaps"], "b line", "without: it leaves the picture"),
    ]
    y = Axis("gap between the clouds [m]", 0, 6, 1)
    title = "What the critic says of the distance"
    return [Panel(title, Axis("steps of training", 0, 300, 50), y, curves, (0.4, 0.3))]


def meta_learning(of: dict[str, Any]) -> list[Panel]:
    steps = range(len(of["from_start"]))
    curves = []
    for name, look, said in (
        ("from_start", "b", "from the first start"),
        ("from_learned", "a", "from the learned start"),
    ):
        curves.append(Curve(steps, of[name], f"{look} line", said))
        curves.append(Curve(steps, of[name], f"{look} dot"))
    y = Axis("mean square error [1]", -2, 1, 1, log=True)
    title = "Learning a task that is new"
    return [Panel(title, Axis("steps on the new task", 0, 10, 1), y, curves, (0.5, 0.92))]


def hypergradients(of: dict[str, Any]) -> list[Panel]:
    ridges = np.linspace(-4.0, 0.0, 41)
    path = of["path"]
    searched = [
        Curve(
            ridges, [of["error_at_the_end"](each) for each in ridges], "a line", "held-out error"
        ),
        Curve(
            path, [of["error_at_the_end"](each) for each in path], "b dot", "points of the search"
        ),
    ]
    left = [
        Curve(of["counts"], of["derivative_left"], "b line", "its derivative by the ridge"),
        Curve(of["counts"], of["way_left"], "a line", "the last point"),
    ]
    ridge = Axis("logarithm of the ridge's weight [1]", -4, 0, 1)
    return [
        Panel("The search", ridge, Axis("mean square error [1]", 4, 8, 1), searched, (0.5, 0.9)),
        Panel(
            "Through the steps, and by the equation",
            Axis("steps of training", 0, 50, 10),
            Axis("distance from the limit [1]", -12, 0, 2, log=True),
            left,
            (0.4, 0.92),
        ),
    ]


def hamiltonian_monte_carlo(of: dict[str, Any]) -> list[Panel]:
    start = Axis("start [V]", 4.2, 5.8, 0.4)
    rate = Axis("rate [1/s]", 0.045, 0.075, 0.005)
    root = np.linalg.inv(np.linalg.cholesky(of["curvature"])).T
    turn = np.linspace(0.0, 2.0 * np.pi, 73)
    ring = of["lowest"][:, None] + 2.0 * root @ np.array([np.cos(turn), np.sin(turn)])

    def panel(title: str, draws: Any, look: str) -> Panel:
        dots = Curve(*draws[:200].T, f"{look} dot", "first 200 draws")
        edge = Curve(*ring, "c line dashed", "2 deviations, by the hessian")
        return Panel(title, start, rate, [edge, dots], (0.08, 0.92))

    return [
        panel("Unit mass", of["slow"], "b"),
        panel("The hessian as the mass", of["draws"], "a"),
    ]


PICTURES: dict[str, Callable[[dict[str, Any]], list[Panel]]] = {
    each.__name__: each
    for each in (
        greeks,
        newton,
        gradient_penalty,
        meta_learning,
        hypergradients,
        hamiltonian_monte_carlo,
    )
}
"""What is drawn of the names that a page has made, by the page."""


# --- from panels to SVG


def draw(panels: list[Panel]) -> str:
    """The picture: two panels a row, or one alone, which is larger."""
    alone = len(panels) == 1
    width, height = (560, 320) if alone else (WIDTH, HEIGHT)
    across, down = (1 if alone else 2) * width, (len(panels) + 1) // 2 * height
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}">',
        STYLE,
        f'<rect class="back" width="{across}" height="{down}"/>',
        f'<clipPath id="inside"><rect width="{width - LEFT - RIGHT}" '
        f'height="{height - TOP - BOTTOM}"/></clipPath>',
    ]
    for k, panel in enumerate(panels):
        x, y = k % 2 * width + LEFT, k // 2 * height + TOP
        inside = drawn_panel(panel, width - LEFT - RIGHT, height - TOP - BOTTOM)
        out += [f'<g transform="translate({x} {y})">', *inside, "</g>"]
    return "\n".join([*out, "</svg>", ""])


def drawn_panel(panel: Panel, width: int, height: int) -> list[str]:
    """The lines of SVG of one panel, whose frame is so wide and high."""
    out = [f'<text class="title" x="0" y="-12">{panel.title}</text>']
    for value, word in panel.x.ticks():
        x = round(width * panel.x.at(value), 1)
        out.append(f'<path class="grid" d="M{x} 0V{height}"/>')
        out.append(f'<text x="{x}" y="{height + 16}" text-anchor="middle">{word}</text>')
    for value, word in panel.y.ticks():
        y = round(height * (1.0 - panel.y.at(value)), 1)
        out.append(f'<path class="grid" d="M0 {y}H{width}"/>')
        out.append(f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{word}</text>')
    out += [
        f'<text x="{width / 2:.0f}" y="{height + 36}" text-anchor="middle">{panel.x.label}</text>',
        f'<text transform="translate(-56 {height / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{panel.y.label}</text>",
        '<g clip-path="url(#inside)">',
        *(drawn_curve(curve, panel, width, height) for curve in panel.curves),
        "</g>",
        f'<rect class="frame" width="{width}" height="{height}"/>',
    ]
    x, y = panel.names_at[0] * width, (1.0 - panel.names_at[1]) * height
    for curve in panel.curves:
        if curve.name:
            sign = (f'<circle class="{curve.look}" cx="{x + 12:.0f}" cy="{y:.0f}" r="3"/>'
                    if "dot" in curve.look else
                    f'<path class="{curve.look}" d="M{x:.0f} {y:.0f}h24"/>')  # fmt: skip
            out.append(f'{sign}<text x="{x + 30:.0f}" y="{y + 4:.0f}">{curve.name}</text>')
            y += 18
    return out


def drawn_curve(curve: Curve, panel: Panel, width: int, height: int) -> str:
    places = [
        (round(width * panel.x.at(x), 1), round(height * (1.0 - panel.y.at(y)), 1))
        for x, y in zip(curve.x, curve.y, strict=True)
    ]
    if "dot" in curve.look:
        return "".join(f'<circle class="{curve.look}" cx="{x}" cy="{y}" r="2.5"/>'
                       for x, y in places)  # fmt: skip
    return f'<path class="{curve.look}" d="M{" L".join(f"{x} {y}" for x, y in places)}"/>'


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def is_alike(one: str, other: str, within: float = 1.0) -> bool:
    """Are two pictures the same but for the last digits: no number is a pixel away?"""
    if NUMBER.sub("", one) != NUMBER.sub("", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= within for a, b in pairs)


def main() -> None:
    sys.path.insert(0, str(DOCS.parent))
    from tests.conftest import Page  # runs a page as the tests do, which need more than astad

    for name, panels in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = Page(DOCS / f"{name}.md", Path(folder))
            page.run_all()
            drawn = draw(panels(page.names))
        file = DOCS / f"{name}.svg"
        if not file.exists() or not is_alike(file.read_text(encoding="utf-8"), drawn, 0.0):
            file.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
