"""One rule, and the way from its text to what it reads, its pullback and its tangent, at first use.

The formula ``1 / x`` of ``np.log`` becomes

    def pull(y_bar, y, x):
        return (_rule_safe_times(y_bar, 1, x),)

run with NumPy's warnings off, and once more on NumPy numbers where a Python number raises at a
pole.
"""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from astad.errors import MissingRule, Unsupported
from astad.rules.in_force import TEXTS, made_once
from astad.rules.kinks import at_kink
from astad.rules.safe import alive
from astad.rules.signature import Signature
from astad.rules.transposition import transposed
from astad.shown_lines import show
from astad.slotted import dataclass, field
from astad.tangents.arrays import sum_to_shape

__all__ = [
    "Examples", "Rule", "compile_pull", "compile_push", "compile_test", "define_pull", "fit",
    "globals_of", "names_read", "reads", "user_name",
    "zero_dot",
]  # fmt: skip

_SHAPE_FUNCTIONS = {"shape", "ndim", "size", "len", "result_type"}
_SHAPE_ATTRIBUTES = {"shape", "ndim", "size", "dtype"}
_PLAIN = {float, int, bool, complex, type(None)}
_SEQUENCES = {list, tuple}
_POLES = (ZeroDivisionError, OverflowError, ValueError)


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
        Parameter to  A parameter without one has no derivative.
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
    at_points : dict
        Parameter to the formula that holds at the single points of which the text for Python floats
        tells the slope behind its ``if``, and has a derivative there; without one a derivative of
        the derivative is refused at them.
    kink : str
        Where this holds, of the parameters and ``y``, the slopes are 0, and others all around.
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
        ones, but for the dtype; 'real': of complex ones it is real; 'number': of numbers, also of
        real ones, it is a complex number. Of transforms, which pass through complex numbers
        whatever they are given: 'made' if the result is complex, 'made of reals' if it is so for
        real operands alone, 'taken' if it is real.
    regular : str
        Parameters, and 'y', of which each, where it is finite, tells that the slopes are.
    at_literal : callable or None
        Gives the row of the function that it is with a literal as its last operand, for arrays or
        not; None where that is the row itself.
    method : str or None
        Parameters behind the array that its method of the same name takes as well, in the same
        places or under the same names: with no others it does the same, to the bit. None where
        there is no such method.
    short : dict
        Of a linear or structured rule the formulas for arrays of known rank, in the order of
        `back`, by the ranks of these operands: ``"1 2"``, or ``""`` for any. They hold where the
        optional parameters have their defaults, but for those behind a semicolon. Under ``"axis"``
        what is spread along the axes that the call has taken away; ``count`` is how many entries
        those had.
    asks : str
        The one method by which an object of another class gives the number that it is taken for,
        where not each that the functions of the library look for will do.
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
    regular: str = ""
    at_literal: Callable[[Any, bool], Rule | None] | None = None
    method: str | None = None
    short: dict[str, tuple[str, ...]] = field(default_factory=dict)
    at_points: dict[str, str] = field(default_factory=dict)
    kink: str = ""
    asks: str = ""
    _signature: Signature | None = None
    _compiled: dict[Any, Callable[..., Any]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """As a user writes it: ``np.tanh``."""
        return user_name(self.fn)

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
            self._compiled["refuse"] = compile_test(self)
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
            self._compiled["pull", wanted] = compile_pull(self, wanted)
        return self._compiled["pull", wanted]

    def bare_pull(self, wanted: tuple[str, ...]) -> Callable[..., tuple[Any, ...]]:
        """The same where nobody hears what NumPy says; it may raise at a pole."""
        if ("bare", wanted) not in self._compiled:
            self._refuse_missing(wanted)
            self._compiled["bare", wanted] = define_pull(self, wanted)
        return self._compiled["bare", wanted]

    def push(self, given: tuple[str, ...]) -> Callable[..., Any]:
        """The function ``(dots, y, *values in parameter order) -> y_dot``.

        ``dots`` are the tangents of the parameters `given`, in that order. Without a formula for
        the tangent, the pullback is transposed.
        """
        if ("push", given) not in self._compiled:
            self._refuse_missing(given)
            self._compiled["push", given] = compile_push(self, given)
        return self._compiled["push", given]

    def needs(self, wanted: tuple[str, ...]) -> frozenset[str]:
        """Parameters, and 'y', whose values the formulas of `wanted` read."""
        return reads(self, wanted)[0]

    def needs_shape(self, wanted: tuple[str, ...]) -> frozenset[str]:
        """Parameters, and 'y', of which only the shape or dtype is read."""
        return reads(self, wanted)[1]

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
        optional = self.signature.defaults.keys() & names_read(text)[0]
        if (optional or parameter in special) and count != max(self.signature.required, 1):
            return None
        return None if optional else text

    def globals_of(self, text: str) -> dict[str, Any]:
        """What the names in `text` stand for, except parameters, ``y``, ``y_bar``, builtins."""
        return globals_of(self, text)

    def _refuse_missing(self, wanted: tuple[str, ...]) -> None:
        for name in wanted:
            if name in self.missing:
                raise self._missing_error(
                    f"its derivative in {name} has no rule: {self.missing[name]}",
                    f"hold {name} constant, or declare a rule with astad.adjoint",
                )

    def _missing_error(self, why: str, instead: str) -> MissingRule:
        return MissingRule(self.name, f"call of {self.name}", why=why, instead=instead)


@functools.cache
def names_read(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Names whose values an expression reads, and names of which only shape or dtype is read.

    >>> [sorted(names) for names in names_read("sum_to_shape(y_bar * x2, shape(x1))")]
    [['shape', 'sum_to_shape', 'x2', 'y_bar'], ['x1']]
    """
    tree = ast.parse(text.strip(), mode="eval")
    by_shape = {id(node) for node in map(_shape_operand, ast.walk(tree)) if node is not None}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    values = frozenset(node.id for node in names if id(node) not in by_shape)
    return values, frozenset(node.id for node in names) - values


def _shape_operand(node: ast.AST) -> ast.expr | None:
    """The ``a`` of ``shape(a)`` or ``a.shape``."""
    if isinstance(node, ast.Attribute) and node.attr in _SHAPE_ATTRIBUTES:
        return node.value
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _SHAPE_FUNCTIONS
    ):
        return node.args[0] if node.args else None
    return None


def reads(rule: Rule, wanted: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Parameters and 'y': those whose values the formulas read, those of which only the shape."""
    own = {name.lstrip("*") for name in rule.parameters} | {"y"}
    values: set[str] = set()
    shapes: set[str] = set()
    for name in wanted:
        if name in rule.back:
            by_value, by_shape = names_read(rule.back[name])
            values |= by_value & own
            shapes |= by_shape & own
            if rule.form == "scalar" and len(rule.parameters) > 1:
                shapes.add(name)
    return frozenset(values), frozenset(shapes - values)


def globals_of(rule: Rule, text: str) -> dict[str, Any]:
    """What the other names in `text` stand for, builtins left out."""
    own = {name.lstrip("*") for name in rule.parameters} | {"y", "y_bar"}
    by_value, by_shape = names_read(text)
    names = sorted((by_value | by_shape) - own)
    return {name: rule.namespace[name] for name in names if name in rule.namespace}


def compile_pull(rule: Rule, wanted: Sequence[str]) -> Callable[..., tuple[Any, ...]]:
    """The function ``(y_bar, y, *values) -> cotangents of wanted``."""
    return _quiet(define_pull(rule, wanted), rule)


def define_pull(
    rule: Rule, wanted: Sequence[str], *, again: bool = False
) -> Callable[..., tuple[Any, ...]]:
    """The same as its formula says, which warns and raises; ``again``: it is differentiated."""
    values = [name for name in _own(rule) if name in reads(rule, wanted)[0]]
    parts = [_cotangent(rule, name, values) for name in wanted]
    if again and rule.kink:
        parts = [
            f"{part} + _rule_at_kink(y_bar, {name}, {rule.kink})" if name in rule.back else part
            for name, part in zip(wanted, parts, strict=True)
        ]
    body = f"({', '.join(parts)},)" if parts else "()"
    return _define(rule, "pull", "y_bar", body, wanted)


def _own(rule: Rule) -> list[str]:
    return [*(name.lstrip("*") for name in rule.parameters), "y"]


def _cotangent(rule: Rule, name: str, values: Sequence[str]) -> str:
    if name not in rule.back:
        return "None"
    text = rule.back[name].strip()
    if rule.form != "scalar":
        return text
    if text in ("1", "-1"):
        part = text.replace("1", "y_bar")
    elif rule.selects:
        part = f"_rule_select(y_bar, {text})"
    else:
        part = f"_rule_{'safe_' * rule.zero_safe}times(y_bar, {_fraction(text)})"
        if rule.is_own and values and not rule.zero_safe:
            part = f"_rule_alive({part}, y_bar, {', '.join(values)})"
    return part if len(rule.parameters) == 1 else f"_rule_fit({part}, {name})"


@functools.cache
def _fraction(text: str) -> str:
    """``1 / x2`` as ``1, x2``: a cotangent that is a Fraction or Decimal is divided, and stays
    one.
    """
    tree = ast.parse(text.strip(), mode="eval").body
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
        return f"{ast.unparse(tree.left)}, {ast.unparse(tree.right)}"
    return text


def compile_push(rule: Rule, given: Sequence[str]) -> Callable[..., Any]:
    """The function ``(dots, y, *values) -> y_dot``."""
    if rule.dot:
        return _quiet(_compile_dot(rule, given), rule)
    if rule.form == "structured":
        return _quiet(transposed(define_pull(rule, given)), rule)
    if rule.form == "scalar":
        safely = "safe_" * rule.zero_safe or "select_" * rule.selects
        multiply = f"_rule_{safely}push"
        terms = [
            f"{multiply}(dots[{i}], {_fraction(rule.back[n])})"
            for i, n in enumerate(given)
            if n in rule.back
        ]
        body = f"_rule_like({' + '.join(terms)}, y)" if terms else "None"
        return _quiet(_define(rule, "push", "dots", body, given), rule)
    return _quiet(_linear_push(rule, given), rule)


def _compile_dot(rule: Rule, given: Sequence[str]) -> Callable[..., Any]:
    """Tangent by the formula of the rule; parameters without a tangent get one of zeros, which
    ``x_moves`` tells from one that is given.
    """
    names = [name.lstrip("*") for name in rule.parameters]
    by_value, by_shape = names_read(rule.dot)
    dots = [name for name in names if name + "_dot" in by_value | by_shape]
    tells = [name for name in names if name + "_moves" in by_value]
    heads = [*(name + "_dot" for name in dots), *(name + "_moves" for name in tells)]
    core = _define(rule, "push", ", ".join(heads), rule.dot)
    places = [names.index(name) for name in dots]

    def push(given_dots: Sequence[Any], y: Any, *values: Any) -> Any:
        found = dict(zip(given, given_dots, strict=True))
        filled = [
            found[name] if name in found else zero_dot(values[place])
            for name, place in zip(dots, places, strict=True)
        ]
        return core(*filled, *(name in found for name in tells), y, *values)

    return push


def _linear_push(rule: Rule, given: Sequence[str]) -> Callable[..., Any]:
    """Tangent of a linear function: the function of each tangent, added."""
    names = [name.lstrip("*") for name in rule.parameters]
    places = [names.index(name) for name in given]

    def push(dots: Sequence[Any], y: Any, *values: Any) -> Any:
        total: Any = None
        for place, dot in zip(places, dots, strict=True):
            replaced = [*values[:place], dot, *values[place + 1 :]]
            args, keywords = rule.signature.call_arguments(replaced)
            part = rule.fn(*args, **keywords)
            total = part if total is None else total + part
        return total

    return push


def compile_test(rule: Rule) -> Callable[..., bool]:
    """The `refuse` expression as a function of the values."""
    core = _define(rule, "refuses", "y_bar", rule.refuse)

    def refuses(*values: Any) -> bool:
        try:
            return bool(core(None, None, *values))
        except (AttributeError, IndexError, TypeError, ValueError):
            if not rule.is_own:
                raise
            return True  # of a shape or kind that the test was not written for

    return refuses


def _define(
    rule: Rule, name: str, head: str, body: str, tag: Sequence[str] = ()
) -> Callable[..., Any]:
    """``def name(head, y, parameters): return body`` in the globals of the rule.

    The text is kept for tracebacks. A user's globals are read live; the tools are defaults then.
    """
    parameters = ["y", *(p.lstrip("*") for p in rule.parameters)]
    if head:
        parameters.insert(0, head)
    if not rule.is_own:
        parameters += ["*", *(f"{tool}={tool}" for tool in _TOOLS)]
    text = f"def {name}({', '.join(parameters)}):\n    return {body}\n"
    file = _file_of(f"{name} of the rule of {rule.name}: {', '.join(tag)}", text)
    own = rule.is_own
    scope = {**(rule.namespace if own else {}), **_TOOLS, "__name__": __name__}
    made_once(lambda: exec(compile(text, file, "exec"), scope if own else dict_of(rule), scope))
    function: Callable[..., Any] = scope[name]
    return function


def _file_of(title: str, text: str) -> str:
    """The name under which the text is kept; another rule may have been of that name."""
    file, number = f"<{title}>", 1
    while TEXTS.setdefault(file, text) != text:
        number += 1
        file = f"<{title} {number}>"
    show(file, text)
    return file


def dict_of(rule: Rule) -> dict[str, Any]:
    assert isinstance(rule.namespace, dict)
    return rule.namespace


def _quiet(core: Callable[..., Any], rule: Rule) -> Callable[..., Any]:
    """`core` without warnings; of an elementwise rule again on NumPy numbers where Python ones
    raise."""
    retry = rule.form == "scalar"
    asks_arrays = retry or isinstance(rule.fn, np.ufunc)
    never_warns = not rule.name.startswith("np.")  # on Python numbers, with Python's functions

    def quiet(*values: Any) -> Any:
        try:
            if never_warns and _PLAIN.issuperset(map(type, values)):
                return core(*values)
            if asks_arrays and not _SEQUENCES.isdisjoint(map(type, values[2:])):
                values = (*values[:2], *map(_as_array, values[2:]))
            with np.errstate(all="ignore"):
                return core(*values)
        except _POLES:
            if not retry:
                raise
            with np.errstate(all="ignore"):
                return core(*map(_as_numpy, values))
        except TypeError:
            found = [*map(_as_floats, values)]
            if all(one is other for one, other in zip(found, values, strict=True)):
                raise
            with np.errstate(all="ignore"):  # NumPy asks whether a Fraction is nan, and may not
                return core(*found)

    return quiet


def _as_floats(value: Any) -> Any:
    """Fractions and Decimals, also in lists and arrays, as NumPy's floats; all else as it is."""
    if isinstance(value, (Fraction, Decimal)):
        return np.float64(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        listed = value.tolist()
        found = _as_floats(listed)
        return value if found is listed else np.asarray(found)
    if type(value) not in _SEQUENCES:
        return value
    parts = [*map(_as_floats, value)]
    is_same = all(one is other for one, other in zip(parts, value, strict=True))
    return value if is_same else type(value)(parts)


def _as_array(value: Any) -> Any:
    """A list handed to an elementwise function, as the array it stands for."""
    return np.asarray(value) if type(value) in _SEQUENCES else value


def _as_numpy(value: Any) -> Any:
    if type(value) is float or type(value) is int:
        try:
            return np.float64(value)
        except OverflowError:  # an int beyond the floats
            return np.float64("inf" if value > 0 else "-inf")
    if type(value) is tuple:
        return tuple(map(_as_numpy, value))
    return np.complex128(value) if type(value) is complex else value


def conjugate(d: Any) -> Any:
    """Complex conjugate; real numbers and arrays as they are."""
    if type(d) is complex or getattr(getattr(d, "dtype", None), "kind", "") == "c":
        return d.conjugate()
    return d


def times(y_bar: Any, d: Any, over: Any = None) -> Any:
    """Cotangent through a factor: ``y_bar * conj(d / over)``."""
    if over is None:
        if type(d) is float and type(y_bar) is Decimal:
            d = Decimal(d)  # a Decimal takes no float: that of a power of ints
        return y_bar * conjugate(d)
    return (y_bar if _is_one(d) else y_bar * conjugate(d)) / conjugate(over)


def safe_times(y_bar: Any, d: Any, over: Any = None) -> Any:
    """``times``, but 0 where y_bar is exactly 0, whatever the factor."""
    return _kill(y_bar, times(y_bar, d, over))


def push_times(dot: Any, d: Any, over: Any = None) -> Any:
    """Tangent through a factor, or a fraction."""
    if over is None:
        return d * dot
    return (dot if _is_one(d) else d * dot) / over


def safe_push(dot: Any, d: Any, over: Any = None) -> Any:
    """``push_times``, but 0 where the tangent is exactly 0."""
    return _kill(dot, push_times(dot, d, over))


def select(y_bar: Any, d: Any) -> Any:
    """Cotangent through a choice: 0 where the slope is exactly 0, whatever y_bar is."""
    return _kill(d, times(y_bar, d))


def select_push(dot: Any, d: Any) -> Any:
    """Tangent through a choice."""
    return _kill(d, push_times(dot, d))


def _is_one(d: Any) -> bool:
    return type(d) is int and d == 1


def _kill(cause: Any, product: Any) -> Any:
    """`product`, with 0 for a nan where `cause` is 0; elsewhere it answers to `cause`."""
    if not isinstance(cause, np.ndarray) and not isinstance(product, np.ndarray):
        return cause if cause == 0 and product != product else product
    dead = np.equal(cause, 0) & np.not_equal(product, product)
    return np.where(dead, 0, product) if np.any(dead) else product


def fit(g: Any, like: Any) -> Any:
    """`g` summed over the axes along which `like` was broadcast; None stays None."""
    if g is None:
        return None
    shape = np.shape(like)
    return sum_to_shape(g, shape) if np.shape(g) != shape else g


def like_result(y_dot: Any, y: Any) -> Any:
    """The tangent real and broadcast as the result is."""
    if np.iscomplexobj(y_dot) and not np.iscomplexobj(y):
        y_dot = y_dot.real
    shape = np.shape(y)
    return np.broadcast_to(y_dot, shape).copy() if np.shape(y_dot) != shape else y_dot


def zero_dot(value: Any) -> Any:
    """The tangent of an argument that has none: zeros, element by element in a list or tuple."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(zero_dot, value))
    if isinstance(value, np.ndarray):
        return np.zeros(value.shape, np.result_type(value, np.float16))
    return 0.0


_TOOLS: Mapping[str, Any] = {
    "_rule_times": times, "_rule_safe_times": safe_times, "_rule_push": push_times,
    "_rule_safe_push": safe_push, "_rule_select": select, "_rule_select_push": select_push,
    "_rule_at_kink": at_kink, "_rule_alive": alive, "_rule_fit": fit, "_rule_like": like_result,
}  # fmt: skip


def _holds(module: Any, name: str, fn: Any) -> bool:
    return getattr(module, "__dict__", {}).get(name) is fn


_INNER = ("numpy.linalg._umath_linalg", "numpy._core.umath")
"""Where NumPy keeps ufuncs that have no public name."""


def user_name(fn: Any) -> str:
    """A function as a user writes it.

    >>> user_name(np.tanh), user_name(np.linalg.inv), user_name(np.ndarray.sum), user_name(abs)
    ('np.tanh', 'np.linalg.inv', 'np.ndarray.sum', 'abs')
    """
    owner = getattr(fn, "__objclass__", None)
    module = "numpy" if isinstance(fn, np.ufunc) else getattr(owner or fn, "__module__", None) or ""
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    if name.startswith("function ") or type(fn).__name__ == "fortran":  # f2py tells no module
        name = name.removeprefix("function ")
        holding = (each for each, module in sys.modules.items() if _holds(module, name, fn))
        module = next(holding, "")
    if isinstance(fn, np.ufunc) and getattr(np, name, None) is not fn:
        held = (each for each in _INNER if getattr(sys.modules.get(each), name, None) is fn)
        module = next(held, "scipy.special")
    public = module.partition("._")[0]
    if getattr(sys.modules.get(public), name, None) is fn:
        module = public
    module = {"_operator": "operator", builtins.__name__: ""}.get(module, module)
    if module == "numpy" or module.startswith("numpy."):
        module = "np" + module[len("numpy") :]
    return f"{module}.{name}" if module else name
