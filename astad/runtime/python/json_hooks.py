"""JSON that is read with functions of the user's: by the scanner that is written in Python."""

from __future__ import annotations

import json.scanner

from astad.runtime.calls.inert_modules import calls_back
from astad.runtime.core.full_rules import Record, Value, callbacks, full
from astad.runtime.core.versions import Versions

__all__: list[str] = []

scanner: Value = json.scanner

HOOKS = ("object_hook", "object_pairs_hook", "parse_constant", "parse_float", "parse_int")


def scanner_forward(versions: Versions, context: Value) -> tuple[Value, Record]:
    if any(calls_back(getattr(context, name)) for name in HOOKS):
        return callbacks.call(versions, scanner.py_make_scanner, context)
    return make_scanner(context), None


make_scanner = scanner.c_make_scanner
if make_scanner is not None:
    full(make_scanner)(scanner_forward)
