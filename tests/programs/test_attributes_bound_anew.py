"""What classes, functions and modules hold is bound anew while a program runs: the same module is
asked again and again, at other points and with its state put back, and value, gradient and state
are those of the plain run. Each form of the derivative alone, of the same programs in
``modules/attributes_bound_anew.txt``: `test_modules.py`.
"""

import types

import pytest

import astad
from tests.programs.test_modules import FOLDER, TITLE, _load

POINTS = (1.3, 0.7, 2.1, 1.9, 0.4, 3.2, 1.1, 2.6)
STEP = 1e-6


def _programs():
    text = (FOLDER / "attributes_bound_anew.txt").read_text(encoding="utf-8")
    head, *parts = TITLE.split(text)
    for title, body in zip(parts[::3], parts[2::3], strict=True):
        yield pytest.param(head + body, id=title.replace(" ", "_"))


class _State:
    """What a module, its classes and its functions hold; it can be put back."""

    def __init__(self, module):
        self.spaces = [module, *(m for m in vars(module).values() if _is_patched(m))]
        every = [value for space in self.spaces for value in vars(space).values()]
        self.classes = [each for each in every if isinstance(each, type)]
        functions = [each for each in every if isinstance(each, types.FunctionType)]
        for cls in self.classes:
            raws = [getattr(raw, "__func__", raw) for raw in vars(cls).values()]
            functions += [raw for raw in raws if isinstance(raw, types.FunctionType)]
        self.functions = functions
        self.before = self.now()

    def now(self):
        return (
            [dict(vars(space)) for space in self.spaces],
            [_held_by(cls) for cls in self.classes],
            [(fn.__defaults__, dict(fn.__kwdefaults__ or {})) for fn in self.functions],
        )

    def restore(self):
        spaces, classes, functions = self.before
        for space, held in zip(self.spaces, spaces, strict=True):
            vars(space).clear()
            vars(space).update(held)
        for cls, held in zip(self.classes, classes, strict=True):
            for name in _held_by(cls).keys() - held.keys():
                type.__delattr__(cls, name)
            for name in held:
                if vars(cls).get(name) is not held[name]:
                    type.__setattr__(cls, name, held[name])
        for fn, (defaults, words) in zip(self.functions, functions, strict=True):
            fn.__defaults__, fn.__kwdefaults__ = defaults, words or None

    def run(self, call):
        """What the call gives, and what it leaves; then all is as before."""
        self.restore()
        result = call()
        left = self.now()
        self.restore()
        return result, left


def _is_patched(value):
    return isinstance(value, types.ModuleType) and value.__name__.startswith("tests.")


def _held_by(cls):
    return {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}


def _spelled(state):
    """What can be compared over several runs: functions and classes by their names."""

    def of(value):
        if isinstance(value, dict):
            spaces = {k for k, v in value.items() if isinstance(v, dict) and "__builtins__" in v}
            return {k: of(v) for k, v in value.items() if k not in {*spaces, "__builtins__"}}
        if isinstance(value, (list, tuple)):
            return [*map(of, value)]
        if isinstance(value, (int, float, str, type(None))):
            return value
        return getattr(value, "__qualname__", type(value).__name__)

    return of(state)


@pytest.mark.parametrize("source", [*_programs()])
def test_a_program_gives_the_same_in_each_call(source, tmp_path):
    module = _load(source, tmp_path / "patching.py")
    state, f = _State(module), module.f
    for x in POINTS:
        (y, left), (high, _), (low, _) = (
            state.run(lambda at=at: f(at)) for at in (x, x + STEP, x - STEP)
        )
        slope = (high - low) / (2 * STEP)
        for form, asked in FORMS.items():
            (value, bar), found = state.run(lambda asked=asked, x=x: asked(f, x))
            assert value == pytest.approx(y, rel=1e-13), form
            assert bar == pytest.approx(slope, rel=2e-6, abs=2e-6), form
            assert _spelled(found) == _spelled(left), form


FORMS = {
    "value and gradient": lambda f, x: astad.value_and_grad(f)(x),
    "forward": lambda f, x: astad.jvp(f, (x,), (1.0,)),
}
