"""Files that the program has opened for writing.

A plain run closes a file, and so writes what it buffers, as soon as nobody refers to it any more:
``open(path, "w").write(text)``. In a sweep its records still do. So what is buffered is written
before anything else may read it, and at the end of the forward sweep.

>>> import os, tempfile
>>> versions, path = Versions(), os.path.join(tempfile.mkdtemp(), "file")
>>> file, _ = open_forward(versions, path, "w")
>>> _ = file.write("abc"); versions.settle(); os.path.getsize(path)
3
>>> file.close()
"""

from __future__ import annotations

import functools
import weakref

from astad.runtime.core.full_rules import Record, Value, full
from astad.runtime.core.versions import Versions
from astad.runtime.unseen.unrecorded import run_unrecorded

__all__: list[str] = []


@full(open)
def open_forward(versions: Versions, *args: Value, **keywords: Value) -> tuple[Value, Record]:
    versions.settle()
    given = (*args, *keywords.values())
    run = functools.partial(open, *args, **keywords)
    file, refusing = run_unrecorded(versions, "open", run, given)
    if file.writable():
        versions.written.append(weakref.ref(file))
    return file, refusing(None)
