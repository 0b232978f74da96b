"""The operations of the language itself: names, and how generated text writes them."""

from __future__ import annotations

__all__ = [
    "ANSWERS",
    "BINARY",
    "BY_VALUE",
    "CALLABLES",
    "COMPARE",
    "HOMES",
    "IN_PLACE",
    "PASSING",
    "PLAIN",
    "LANGUAGE",
    "QUIET",
    "SYNTAX",
    "UNARY",
    "WRITES",
]

BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^",
}  # fmt: skip
"""Named as in the module ``operator``."""

IN_PLACE = {("i" + name.rstrip("_")): sign + "=" for name, sign in BINARY.items()}
"""``iadd`` and so on: ``t = iadd(x, v)`` is what ``x += v`` binds to x."""

UNARY = {"neg": "-", "pos": "+", "invert": "~", "not_": "not "}

PLAIN = frozenset(["add", "sub", "mul", "truediv", "neg", "pos"])
"""Arithmetic whose result's kind those of the operands tell, whatever their values are."""

BY_VALUE = ("pow", "ipow")
"""Arithmetic whose result's kind depends on the value of the last operand: where that is no whole
number, a power of floats may be complex; of ints it is a fraction where it is below 0.
"""

COMPARE = {
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "is_": "is",
    "is_not": "is not",
}

SYNTAX = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv",
    "Mod": "mod", "Pow": "pow", "MatMult": "matmul", "LShift": "lshift", "RShift": "rshift",
    "BitAnd": "and_", "BitOr": "or_", "BitXor": "xor",
    "USub": "neg", "UAdd": "pos", "Invert": "invert", "Not": "not_",
    "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge", "Eq": "eq", "NotEq": "ne",
    "Is": "is_", "IsNot": "is_not", "In": "contains", "NotIn": "not_contains",
}  # fmt: skip
"""Operators, as Python's syntax trees call them, to operations."""

WRITES = ("setitem", "accumulate", "scatter", "augment", "update")
"""Operations that change their first operand in place, in derived programs."""

LANGUAGE = {
    "contains": "contains(container, item): item in container",
    "not_contains": "not_contains(container, item): item not in container",
    "truth": "truth(x): bool(x), where a test asks an object of unknown kind",
    "getitem": "getitem(o, i): o[i]",
    "setitem": "setitem(o, i, v): o[i] = v, no result",
    "delitem": "delitem(o, i): del o[i], no result",
    "getattr": "getattr(o, 'name'): o.name",
    "setattr": "setattr(o, 'name', v): o.name = v, no result",
    "delattr": "delattr(o, 'name'): del o.name, no result",
    "method": "method(o, 'name', *args, **keywords): o.name(*args), if the arguments hold no call",
    "slice": "slice(start, stop, step)",
    "tuple": "tuple(*items): a tuple display, items may be Star",
    "list": "list(*items): a list display, items may be Star",
    "set": "set(*items): a set display, items may be Star",
    "dict": "dict(k1, v1, k2, v2, ...): a dict display",
    "dict_merge": "dict_merge(d, mapping): ** in a dict display, d is the fresh dict, no result; "
    "dict_merge(d, mapping, fn): among the arguments of fn",
    "list_extend": "list_extend(l, xs): * in a display, l is the fresh list, no result; "
    "list_extend(l, xs, fn): the only positional argument of fn",
    "list_append": "list_append(l, v): one step of a comprehension, no result",
    "value_append": "value_append(l, v): the same where l is added up: an array as it is now",
    "set_add": "set_add(s, v): one step of a comprehension, no result",
    "adder": "adder(o, 'extend'): what adds one item to o as o.extend would, for a loop in place "
    "of a generator expression; Unsupported for an o that is no list, deque, set or dict",
    "unpack": "unpack(value, count, star): a tuple of the `count` parts; star is the index of the "
    "starred one or None",
    "global": "global('name'): the live value of a module-level or builtin name",
    "cell_new": "cell_new() or cell_new(v): a new cell",
    "cell_get": "cell_get(cell, 'name'): its content, NameError with the user's name when empty: a "
    "captured variable",
    "cell_get_local": "cell_get_local(cell, 'name'): the same for a local variable that an inner "
    "function captures: UnboundLocalError when empty",
    "cell_set": "cell_set(cell, v), no result",
    "cell_clear": "cell_clear(cell, 'name', is_free): del of a captured variable, no result",
    "namespace": "namespace(): the globals of the function's module",
    "read_global": "read_global(space, 'name'): a global that some function binds anew",
    "write_global": "write_global(space, 'name', v), no result",
    "delete_global": "delete_global(space, 'name'), no result",
    "iterator": "iterator(xs): iter(xs), for a generator expression that is consumed later",
    "function": "function((name, line, k), *cells, defaults=t, kwdefaults=d): the user's own inner "
    "function; its code object is the k-th of that name on that line (relative to the outer one's "
    "first) in source order; cells in the order of its co_freevars; defaults is a tuple operand or "
    "absent, kwdefaults and annotations a dict operand or absent",
    "format": "format(value, conversion, spec): one replacement field; conversion is 's', "
    "'r', 'a' or None",
    "join": "join(*parts): the f-string of these str parts",
    "import": "import(module, fromlist, level): what __import__ returns",
    "import_from": "import_from(module, 'name'): one name of `from module import name`",
    "apply": "apply(fn, args, keywords): fn(*args, **keywords)",
    "accumulate": "accumulate(a, i, g): a[i] += g in derived programs; keeps nothing, no result",
    "leave_unless_usual": "leave_unless_usual(): the same where NumPy shall not pass over "
    "underflow, no result",
    "leave_if_empty": "leave_if_empty(xs): the same where there is nothing in it, no result",
    "leave_unless_finite": "leave_unless_finite(x): the same where x is inf or nan, no result",
    "leave_if_complex": "leave_if_complex(x): return NotImplemented from a derived program whose "
    "statements so far may run again, where x has turned complex, no result",
    "leave_if": "leave_if(test): the same where the test is true, no result",
    "scatter": "scatter(a, i, g): the same for arrays of ints, in which a place may come twice",
    "augment": "augment(a, i, 'iadd', v): a[i] += v, of a local array, no result",
    "update": "update(x, 'iadd', v): x += v, of a local array, no result",
    "still": "still('path', ...): an error where one of these globals of the user's stands for "
    "another object than at the head, no result",
    "catches": "catches(exc, types): does `except types` catch this exception?",
    "of_class": "of_class(o, '__enter__'): a method of the object's class, bound, as `with` finds "
    "it",
    "is_sequence": "is_sequence(o): may a sequence pattern fit?",
    "is_mapping": "is_mapping(o): may a mapping pattern fit?",
    "is_instance": "is_instance(o, cls): may a class pattern fit?",
    "has_length": "has_length(o, n, or_more): has it n items?",
    "different_keys": "different_keys(*keys): an error where two are equal, no result",
    "positional_attribute": "positional_attribute(cls, count, i): the attribute for the i-th of "
    "`count` positional patterns; None for the object itself",
    "yield": "yield(v): hand v out of a generator; what is sent in",
    "forget": "forget(x): del x, of a local name, no result",
    "attempt": "attempt(): the test of a branch that stands for a `try`, see `ir/attempts.py`",
    "attempted": "attempted(): the end of what is tried, no result",
    "caught": "caught(): what was raised, at the head of a handler",
}

HOMES = {
    "catches": "astad.runtime.control.exceptions",
    "of_class": "astad.runtime.control.exceptions",
    "is_sequence": "astad.runtime.control.patterns",
    "is_mapping": "astad.runtime.control.patterns",
    "is_instance": "astad.runtime.control.patterns",
    "has_length": "astad.runtime.control.patterns",
    "different_keys": "astad.runtime.control.patterns",
    "positional_attribute": "astad.runtime.control.patterns",
}
"""Operations whose callable is not in `astad/runtime/language.py`."""

QUIET = frozenset([
    "global", "namespace", "import", "import_from", "format", "join", "forget", "cell_new",
    "function",
    "leave_if", "leave_if_empty", "leave_unless_finite", "leave_unless_usual",
    "attempt", "attempted", "caught",
    *HOMES,
])  # fmt: skip
"""Operations through which no derivative passes, whatever they are applied to."""
PASSING = ("cell_new", "format", "join")
"""Those that hand on what is made of their operands: a cell, a text."""
ANSWERS = {"format", "join", "attempt", "caught", *HOMES} - {"of_class"}
"""Those that give a text, a truth, a name or an exception."""

CALLABLES = {
    "tuple": "build_tuple", "list": "build_list", "set": "build_set", "dict": "build_dict",
    "slice": "build_slice", "method": "call_method", "format": "format_value",
    "import": "import_module",
}  # fmt: skip
"""Operations whose callable in `astad/runtime/language.py` has another name."""
