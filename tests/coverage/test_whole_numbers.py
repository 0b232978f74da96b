"""Every call of every table on whole numbers: ints have the gradient of floats, or an error of
astad.
"""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.compiler.forms import only_generic
from tests.rules.support import whole

from .tables import X, is_here, load, namespace_of, table_names
from .verdicts import text_of, weights_of

SUM = '''
def weighted(y):
    """The numbers of a result, also whole ones, summed with weights."""
    if isinstance(y, dict):
        y = list(y.values())
    if isinstance(y, (list, tuple)):
        total = 0.0
        for k, part in enumerate(y):
            total = total + (k + 1) * weighted(part)
        return total
    if isinstance(y, _np.ndarray) and y.dtype == object:
        return weighted(y.tolist())
    if isinstance(y, (bool, _np.bool_)) or not isinstance(y, (int, float, complex, _np.number,
            _np.ndarray)) or (isinstance(y, _np.ndarray) and y.dtype.kind not in "fciu"):
        return 0.0
    weights = _weights(_np.shape(y))
    if isinstance(y, (complex, _np.complexfloating, _np.ndarray)) and _np.iscomplexobj(y):
        return _np.sum(_np.real(y) * weights) + _np.sum(_np.imag(y) * weights[::-1])
    return _np.sum(y * weights)


'''
CUT = "interpolated in floats, which are cut to whole numbers"
LEFT_OUT = {
    "int(": "an int is itself, a float is cut",
    "mode='median'": "a mean of two, which is rounded",
    "nd.map_coordinates": CUT, "nd.geometric_transform": CUT, "nd.affine_transform": CUT,
    "sg.lfilter_zi(B, 1 + x[:3])": "a matrix of floats, cast to the type of B",
    "np.median(m": "of equal entries the partition of ints takes another one",
    "nd.shift": CUT, "nd.zoom": CUT, "nd.rotate": CUT,
}  # fmt: skip
"""Texts of calls that do another thing to ints, at whole numbers with the same result, and why."""
NUMBERS = itertools.count()
ROWS = [
    (table, start) for table in table_names() for start in range(8)
]  # in eight parts each, which several processes share


def module_of(table: ModuleType, names: list[str], folder: Path, ints: bool) -> ModuleType:
    """A module with the calls, of which the constants of the table are whole numbers."""
    text = SUM
    for place, name in enumerate(names):
        for k, call in enumerate(table.CALLS[name]):
            text += text_of(f"f{place}_{k}", call)
    path = folder / f"whole_{next(NUMBERS)}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for name, value in vars(table).items():
        if not name.startswith("__"):
            value = whole.as_whole_floats(value, 5.0)
            vars(module)[name] = whole.as_ints(value) if ints else value
    vars(module).update(_np=np, _weights=weights_of)
    spec.loader.exec_module(module)
    return module


def inputs(table: ModuleType, name: str) -> list[Any]:
    x = np.array(getattr(table, "INPUTS", {}).get(name, getattr(table, "X", X)), float)
    return [whole.as_whole_floats(x, scale) for scale in (10.0, 1.0)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "start"), ROWS)
def test_calls_of_ints_have_the_gradient_of_floats(name: str, start: int, tmp_path: Path) -> None:
    table = load(name)
    if table is None:
        pytest.skip("the library is absent")
    names = [each for each in table.CALLS if is_here(namespace_of(table), each)][start::8]
    of_floats = module_of(table, names, tmp_path, False)
    of_ints = module_of(table, names, tmp_path, True)
    asked = []
    for place, each in enumerate(names):
        for k, call in enumerate(table.CALLS[each]):
            if any(text in call for text in LEFT_OUT):
                continue
            f, g = (getattr(module, f"f{place}_{k}_sum") for module in (of_floats, of_ints))
            for floats in inputs(table, each):
                ints = whole.as_ints(floats)
                asked.append((f"{call}, constants floats, {ints}", f, f, floats, ints))
                asked.append((f"{call}, constants ints, {ints}", f, g, floats, ints))
                asked.append((f"{call}, constants alone ints, {floats}", f, g, floats, floats))
    says = []
    for label, f, g, floats, ints in asked:
        says += [(label, what) for what in [whole.differs(f, [floats], [ints], g)] if what]
    with only_generic():
        for label, f, g, floats, ints in asked:
            says += [
                (f"of any kind: {label}", what)
                for what in [whole.differs(f, [floats], [ints], g, times=1)]
                if what
            ]
    says = [(label, what) for label, what in says if not what.startswith("refused: ")]
    assert not says, f"{len(says)} of {len(asked)}\n" + "\n".join(map("\n    ".join, says))
