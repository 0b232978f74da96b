"""The table of derivative rules, and the one-line forms that fill it.

A rule is text. The compiler reads it, keeps only the values it names, and inlines it; the run time
compiles it to a function at first use. Names allowed in a formula: the parameters of the rule,
``y`` (the result), ``y_bar`` (its cotangent, structured rules only), and what the file of the rule
holds in its globals.

Nothing is parsed when a rule is declared: declaring the whole table costs a few milliseconds.
"""

from __future__ import annotations

import importlib
import sys
from _thread import get_ident
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from astad.errors import MissingRule, Unsupported
from astad.rules import formula
from astad.rules.families import FAMILIES, modules_of
from astad.rules.in_force import QUICK, REGISTRY
from astad.rules.shipped import read_shipped
from astad.rules.signature import Signature
from astad.threads import after_fork, importing, keep_own

__all__ = [
    "add", "AFTER_READING", "is_zero", "Keywords", "linear", "load_with", "lookup", "QUICK",
    "read_late", "read_more", "read_waiting", "REGISTRY", "Rule", "rule", "scalar", "WAITING",
    "zero",
]  # fmt: skip

Examples = Callable[[], Sequence[tuple[Any, ...]]] | Sequence[tuple[Any, ...]]


@dataclass(slots=True, eq=False)
class Rule:
    """One rule.

    Parameters
    ----------
    fn : callable
        What it is a rule of: a function, ufunc, operator, class or method descriptor
        (``np.ndarray.sum``, whose first parameter is the array).
    form : str
        'scalar' (elementwise, broadcasting: ``back`` holds dy/dx), 'linear', 'structured' (``back``
        holds the cotangent itself) or 'zero'.
    signature_text : str
        The parameters, as between the parentheses of a ``def``. ``*xs`` stands for a variadic one:
        formulas say ``xs``, a tuple, and its cotangent is a tuple as well.
    back : dict
        Parameter to formula. A parameter without one has no derivative.
    dot : str
        Tangent of the result as a formula of the parameters, ``y`` and ``x_dot`` for each parameter
        ``x``. Left empty, 'scalar' and 'linear' rules give it by themselves, and of a 'structured'
        one the pullback is transposed.
    zero_safe : bool
        Singular at a finite point: 0 where the incoming cotangent is exactly 0.
    selects : bool
        Chooses between its operands: 0 where the slope is exactly 0, whatever the cotangent is.
    missing : dict
        Parameter to reason: it has a derivative, but no rule. Asked for, it is an error; for an int
        there is none where the reason begins "it is a count" or "it is an integer".
    namespace : mapping
        Globals of the file of the rule.
    on_floats, on_arrays : dict
        Parameter to the text to inline for Python floats, or for float64 arrays, where it is not
        the one of ``back``, in calls that leave the optional parameters out; None where there is
        no such text.
    refuse : str
        Expression of the parameters; where true, there is no rule for the call.
    examples : callable or sequence
        Argument tuples for the harness that tests the rule; required of structured and linear
        rules. The last entry of a tuple may be a :class:`Keywords`.
    gives : str
        Kind and shape of the result, in the words of `compiler.analysis.vocabulary`.
    view : str
        Parameters with which the result may share memory.
    entries : str
        'whole' where every entry of the operands goes into the result; 'contracted' where also each
        entry of a vector goes into every entry of it; 'mixed' where each entry of a matrix does. By
        parameter where they differ: ``"a=mixed, b=contracted"``. Of elementwise functions it is
        'whole', unless told.
    finite : str
        Parameters of which an infinity or a nan, in whatever entry, is in the result.
    complexes : str
        How it is written out with complex arrays. 'kept': the result is made of them as of real
        ones, but for the dtype; 'real': of complex ones it is real. Of transforms, which pass
        through complex numbers whatever they are given: 'made' if the result is complex, 'made of
        reals' if it is so for real operands alone, 'taken' if it is real.
    """

    fn: Callable[..., Any]
    form: str
    signature_text: str
    back: dict[str, str]
    dot: str = ""
    source: str = ""
    domain: str = ""
    zero_safe: bool = False
    selects: bool = False
    missing: dict[str, str] = field(default_factory=dict)
    namespace: Mapping[str, Any] = field(default_factory=dict, repr=False)
    why: str = ""
    refuse: str = ""
    on_floats: dict[str, str | None] = field(default_factory=dict)
    on_arrays: dict[str, str | None] = field(default_factory=dict)
    examples: Examples | None = None
    gives: str = ""
    view: str = ""
    entries: str = ""
    finite: str = ""
    complexes: str = ""
    _signature: Signature | None = None
    _compiled: dict[Any, Callable[..., Any]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """As a user writes it: ``np.tanh``."""
        return formula.user_name(self.fn)

    @property
    def is_own(self) -> bool:
        """Is it one of astad's, of which the names stand for the same all the time?"""
        return self.home.startswith("astad.rules.")

    @property
    def home(self) -> str:
        """The module of the file in which it is declared."""
        return str(self.namespace.get("__name__"))

    @property
    def signature(self) -> Signature:
        if self._signature is None:
            self._signature = Signature(self.signature_text, self.namespace)
        return self._signature

    @property
    def parameters(self) -> tuple[str, ...]:
        """In order; ``*xs`` with its star."""
        return self.signature.parameters

    @property
    def defaults(self) -> dict[str, Any]:
        """Values of the parameters that may be left out."""
        return self.signature.defaults

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> list[Any]:
        """One value per parameter, in order (a tuple for ``*xs``), for a call that has run.

        Raises
        ------
        Unsupported : for ``out=`` and ``where=`` of a ufunc, which the formula doesn't cover.
        """
        extra = self.signature.unknown(args, keywords)
        for name in extra:
            value = keywords.get(name, name)
            if value is not None and value is not True:
                raise Unsupported(
                    self.name,
                    f"{name}= in a call of {self.name}",
                    why="the rule is for the plain call",
                    instead=f"write the result without {name}=",
                )
        return self.signature.bind(args, keywords)

    def refuses(self, values: Sequence[Any]) -> bool:
        """Whether the rule doesn't cover a call with these values (in parameter order)."""
        if not self.refuse:
            return False
        if "refuse" not in self._compiled:
            self._compiled["refuse"] = formula.compile_test(self)
        return bool(self._compiled["refuse"](*values))

    def pull(self, wanted: tuple[str, ...]) -> Callable[..., tuple[Any, ...]]:
        """The function ``(y_bar, y, *values in parameter order) -> cotangents of wanted``.

        ``y_bar`` has the shape of y. A cotangent may share memory with ``y_bar`` or be it, and may
        have a wider dtype than its argument: ``tangents.arrays.project`` is the caller's. None
        where no derivative exists.

        Raises
        ------
        MissingRule : if the derivative in one of them exists and has no rule.
        """
        if ("pull", wanted) not in self._compiled:
            self._refuse_missing(wanted)
            self._compiled["pull", wanted] = formula.compile_pull(self, wanted)
        return self._compiled["pull", wanted]

    def push(self, given: tuple[str, ...]) -> Callable[..., Any]:
        """The function ``(dots, y, *values in parameter order) -> y_dot``.

        ``dots`` are the tangents of the parameters `given`, in that order. Without a formula for
        the tangent, the pullback is transposed.
        """
        if ("push", given) not in self._compiled:
            self._refuse_missing(given)
            self._compiled["push", given] = formula.compile_push(self, given)
        return self._compiled["push", given]

    def needs(self, wanted: tuple[str, ...]) -> frozenset[str]:
        """Parameters, and 'y', whose values the formulas of `wanted` read."""
        return formula.reads(self, wanted)[0]

    def needs_shape(self, wanted: tuple[str, ...]) -> frozenset[str]:
        """Parameters, and 'y', of which only the shape or dtype is read."""
        return formula.reads(self, wanted)[1]

    def inline(self, parameter: str, kind: str, count: int | None = None) -> str | None:
        """Formula of dy/dx to inline for operands that are all of that kind.

        Parameters
        ----------
        kind : str
            'float' (Python float or np.float64), 'array' (float64 ndarray), or 'numeric' (either).
        count : int or None
            Operands of the call. Left out, no text is given that supposes a number.

        Returns
        -------
        str or None
            None where only ``pull`` is right. The factor may be infinite if the rule is
            ``zero_safe``: then it must be multiplied zero-safely.
        """
        if self.form != "scalar" or parameter not in self.back or not self.is_own:
            return None
        special = {"float": self.on_floats, "array": self.on_arrays}.get(kind, {})
        text = special.get(parameter, self.back[parameter])
        if kind == "float" and self.zero_safe and parameter not in special:
            return None
        if text is None or not self.signature.defaults:
            return text
        optional = self.signature.defaults.keys() & formula.names_read(text)[0]
        if (optional or parameter in special) and count != max(self.signature.required, 1):
            return None
        return None if optional else text

    def globals_of(self, text: str) -> dict[str, Any]:
        """What the names in `text` stand for, except parameters, ``y``, ``y_bar``, builtins."""
        return formula.globals_of(self, text)

    def _refuse_missing(self, wanted: tuple[str, ...]) -> None:
        for name in wanted:
            if name in self.missing:
                raise self._missing_error(
                    f"its derivative in {name} has no rule: {self.missing[name]}",
                    f"hold {name} constant, or declare a rule with astad.adjoint",
                )

    def _missing_error(self, why: str, instead: str) -> MissingRule:
        return MissingRule(self.name, f"call of {self.name}", why=why, instead=instead)


class Keywords(dict[str, Any]):
    """Keyword arguments at the end of an example: ``(a, Keywords(axis=0))``."""


def lookup(fn: Any) -> Rule | None:
    """The rule of this very object, or None.

    >>> import math, astad.rules
    >>> lookup(math.sin).back
    {'x': 'cos(x)'}
    """
    found = REGISTRY.get(id(fn))
    while found is None and read_more():
        found = REGISTRY.get(id(fn))
    return found


def is_zero(fn: Any) -> bool:
    """Is there a rule that no derivative passes?"""
    found = lookup(fn)
    return found is not None and found.form == "zero"


WAITING: dict[str, Sequence[str]] = {name: modules_of(name) for name in FAMILIES}
"""Rule files still to be read, by the library they are for."""

AFTER_READING: list[Callable[[], None]] = []
"""What is done each time the rule files of a library have been read."""

_begun: set[str] = set()
"""Libraries of which some have been read."""

_reading: set[tuple[int, Hashable]] = set()
"""Threads that read rule files."""

after_fork(lambda: keep_own(_reading))


def load_with(library: str, modules: Sequence[str]) -> None:
    """Leave rule files unread until the library is there and a rule is not found."""
    WAITING[library] = (*WAITING.get(library, ()), *modules)


def read_waiting() -> bool:
    """Read the rule files of all libraries that have been imported; were there any?"""
    return _read(list(WAITING))


def read_more() -> bool:
    """Where a rule was not found: read those of Python itself, or else all; were there any?"""
    return _read(["builtins"] if "builtins" in WAITING else list(WAITING))


def read_late() -> bool:
    """Read those of a library that were left by `load_with` when others of it had been read."""
    return _read([name for name in WAITING if name in _begun])


def _read(libraries: Sequence[str]) -> bool:
    ready = [name for name in libraries if name in sys.modules]
    if not ready:
        return read_shipped()
    thread = get_ident(), "rules"
    if thread in _reading:  # a rule file that looks up a rule
        return False
    _reading.add(thread)
    try:
        for library in ready:
            _begun.add(library)
            for module in WAITING.get(library, ()):
                importing(partial(importlib.import_module, module))
            for finish in AFTER_READING:
                finish()
            WAITING.pop(library, None)  # last: until then other threads wait for the imports
    finally:
        _reading.discard(thread)
    read_shipped()
    return True


def scalar(
    fn: Callable[..., Any],
    *formulas: str | None,
    source: str,
    domain: str = "",
    zero_safe: bool = False,
    selects: bool = False,
    missing: dict[str, str] | None = None,
    parameters: str = "",
    on_floats: Sequence[str | None] | None = None,
    on_arrays: Sequence[str | None] | None = None,
    refuse: str = "",
    also: Sequence[Callable[..., Any]] = (),
    examples: Examples | None = None,
    gives: str = "",
    view: str = "",
    entries: str = "whole",
    finite: str = "",
    complexes: str = "",
) -> Rule:
    """Declare an elementwise function by its derivatives, one per parameter; None for one without.

    The parameters are called ``x``, or ``x1, x2``, unless `parameters` names them. For a complex
    function which is not holomorphic but real, the formula d is the one with ``dy = real(d dx)``.
    `also`: other functions of the same parameters and formulas.
    """
    names: Sequence[str]
    if parameters:
        names = [part.partition("=")[0].strip(" /") for part in parameters.split(",")]
    elif len(formulas) == 1:
        names, parameters = ("x",), "x"
    else:
        names = [f"x{i + 1}" for i in range(len(formulas))]
        parameters = ", ".join(names)

    def by_name(texts: Sequence[str | None] | None) -> dict[str, Any]:
        return dict(zip(names, texts, strict=False)) if texts else {}

    back = {name: text for name, text in zip(names, formulas, strict=False) if text is not None}
    made = Rule(
        fn, "scalar", parameters, back, "", source, domain, zero_safe, selects, missing or {},
        sys._getframe(1).f_globals,
        "", refuse, by_name(on_floats), by_name(on_arrays), examples,
        gives, view, entries, finite, complexes,
    )  # fmt: skip
    return add(made, also)


def zero(*functions: Callable[..., Any], why: str, gives: str = "") -> None:
    """Declare functions whose derivative is zero, or whose result is no number, and why."""
    namespace = sys._getframe(1).f_globals
    for fn in functions:
        add(Rule(fn, "zero", "*args", {}, namespace=namespace, why=why, gives=gives), ())


def linear(
    fn: Callable[..., Any],
    parameters: str,
    *,
    source: str,
    dot: str = "",
    domain: str = "",
    missing: dict[str, str] | None = None,
    refuse: str = "",
    also: Sequence[Callable[..., Any]] = (),
    examples: Examples | None = None,
    gives: str = "",
    view: str = "",
    entries: str = "",
    finite: str = "",
    complexes: str = "",
    **back: str,
) -> Rule:
    """Declare a function linear in each parameter with a formula, the others held.

    The tangent, unless given, is the sum of `fn` with one of them replaced by its tangent; so of a
    function with a constant part (``initial=``) it must be given.
    """
    made = Rule(
        fn, "linear", parameters, back, dot, source, domain, missing=missing or {},
        namespace=sys._getframe(1).f_globals, refuse=refuse, examples=examples,
        gives=gives, view=view, entries=entries, finite=finite, complexes=complexes,
    )  # fmt: skip
    return add(made, also)


def rule(
    fn: Callable[..., Any],
    parameters: str,
    *,
    source: str,
    dot: str = "",
    domain: str = "",
    missing: dict[str, str] | None = None,
    refuse: str = "",
    also: Sequence[Callable[..., Any]] = (),
    examples: Examples | None = None,
    gives: str = "",
    view: str = "",
    entries: str = "",
    finite: str = "",
    complexes: str = "",
    **back: str,
) -> Rule:
    """Declare a function by its cotangents: formulas in ``y_bar``, ``y`` and the parameters.

    In ``dot``, the tangent of a parameter that has none is an array of zeros.
    """
    made = Rule(
        fn, "structured", parameters, back, dot, source, domain, missing=missing or {},
        namespace=sys._getframe(1).f_globals, refuse=refuse, examples=examples,
        gives=gives, view=view, entries=entries, finite=finite, complexes=complexes,
    )  # fmt: skip
    return add(made, also)


def add(made: Rule, also: Sequence[Callable[..., Any]] = ()) -> Rule:
    """Put it in force, for `also` as well."""
    if WAITING and not made.is_own:
        read_waiting()  # what is declared later counts
    REGISTRY[id(made.fn)] = made
    QUICK.pop(id(made.fn), None)
    for fn in also:
        REGISTRY[id(fn)] = replace(made, fn=fn, _compiled={})
        QUICK.pop(id(fn), None)
    return made
