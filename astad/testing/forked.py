"""Work done in a copy of this process, of which nothing but its result comes back.

The copy has everything as it is now: globals, captured variables, iterators, random numbers, the
identity of each object. What it does to them is gone with it. What reaches beyond the process (a
file opened for writing, a socket, another program) ends the copy before it is done.

>>> items = [1]
>>> apart(lambda: items.append(2) or items), items
([1, 2], [1])
>>> apart(lambda: open("of_astad.txt", "w"))
Traceback (most recent call last):
    ...
astad.testing.forked.NotRepeatable: it reaches beyond the process: open of_astad.txt
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import random
import select
import signal
import stat
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

import numpy as np

__all__ = ["NotRepeatable", "apart"]

OUTWARD = frozenset(
    {
        "os.chmod", "os.chown", "os.exec", "os.fork", "os.forkpty",
        "os.kill", "os.killpg", "os.link", "os.mkdir", "os.posix_spawn", "os.remove",
        "os.removexattr", "os.rename", "os.rmdir", "os.setxattr", "os.spawn", "os.symlink",
        "os.system", "os.truncate", "os.utime", "socket.bind", "socket.connect", "socket.sendmsg",
        "socket.sendto", "sqlite3.connect", "subprocess.Popen", "tempfile.mkdtemp",
        "tempfile.mkstemp",
    }
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OURS = (f"{os.sep}astad{os.sep}importing{os.sep}", "<frozen importlib._bootstrap_external>")
"""Whose files may be written, beside those in ``__pycache__``: the disk cache."""
LARGEST = 1 << 23
DONE, STOPPED = b"+", b"-"


class NotRepeatable(Exception):
    """The work cannot be done in a copy, or what came of it cannot be brought back."""


def apart(work: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What ``work`` gives in a copy of this process.

    Parameters
    ----------
    work : callable
        Gives plain data, for it is pickled. What it raises is no part of its result.
    seconds : float
        After these the copy is ended.

    Raises
    ------
    NotRepeatable : where there can be no copy, or it reached beyond the process or did not end.
    """
    if not hasattr(os, "fork"):
        raise NotRepeatable("no copy can be made of a process on this platform")
    if threading.active_count() > 1:
        raise NotRepeatable("other threads are running, which are not in a copy of the process")
    if "mmap" in sys.modules and shares_memory():
        gc.collect()  # what nobody holds any more is not shared
    if "mmap" in sys.modules and shares_memory():
        raise NotRepeatable("memory is shared with a file or another process, and so with a copy")
    reading, writing = os.pipe()
    drawn = random.getstate(), np.random.get_state()
    child = _fork()
    if not child:
        _be_the_copy(work, writing, drawn)
    os.close(writing)
    try:
        answer = _read(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
    if answer[:1] != DONE:
        said = answer[1:].decode("utf-8", "replace")
        raise NotRepeatable(said or "the copy of the process ended by itself")
    return pickle.loads(answer[1:])


def _fork() -> int:
    """Without a word about the threads of libraries, which wait. Filters are left alone where they
    can be: once they were changed, what was warned of once is warned of again.
    """
    try:
        alone = len(os.listdir("/proc/self/task")) == 1
    except OSError:
        alone = False
    if alone or sys.version_info < (3, 12):
        return os.fork()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return os.fork()


def shares_memory() -> bool:
    """Is there memory that a copy would have in common with this process?"""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return any(" rw-s " in line and "/sem." not in line for line in maps)
    except OSError:
        return False


def _read(reading: int, end: float) -> bytes:
    parts: list[bytes] = []
    watched = select.poll()
    watched.register(reading)
    while True:
        left = end - time.monotonic()
        if left <= 0 or not watched.poll(left * 1000):
            raise NotRepeatable("the copy of the process did not end in time")
        part = os.read(reading, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)


# --- in the copy ----------------------------------------------------------------------------------


def _be_the_copy(work: Callable[[], Any], writing: int, drawn: tuple[Any, Any]) -> NoReturn:
    """Never returns: what the original has still to do is not for the copy."""
    try:
        random.setstate(drawn[0])  # which Python seeds anew
        np.random.set_state(drawn[1])
        gc.freeze()  # to look through what is shared would copy it
        _keep_files_apart(writing)
        sys.addaudithook(lambda event, given: _watch(writing, event, given))
        _answer(writing, DONE, pickle.dumps(work(), pickle.HIGHEST_PROTOCOL))
    except BaseException as error:
        _answer(writing, STOPPED, f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(0)


def _answer(writing: int, kind: bytes, data: bytes) -> NoReturn:
    view = memoryview(kind + data)
    while view:
        view = view[os.write(writing, view) :]
    os._exit(0)


def _watch(writing: int, event: str, given: tuple[Any, ...]) -> None:
    """The audit hook of a copy."""
    if event == "open":
        path, _, flags = given
        if not flags & WRITING or path == os.devnull:
            return
    elif event not in OUTWARD:
        return
    named = " ".join(str(part) for part in given[:1])
    if "__pycache__" not in named and not _is_ours(sys._getframe(1)):
        _answer(writing, STOPPED, f"it reaches beyond the process: {event} {named}".encode())


def _is_ours(frame: FrameType | None) -> bool:
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in OURS):
            return True
        frame = frame.f_back
    return False


def _keep_files_apart(keep: int) -> None:
    """What is read moves no position in a file of the original's, what is written goes nowhere."""
    for number in _open_files():
        if number == keep:
            continue
        try:
            made = _own(number)
        except OSError:
            made = os.open(os.devnull, os.O_RDWR)
        os.dup2(made, number)
        os.close(made)


def _open_files() -> Iterator[int]:
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        numbers = list(range(256))
    for number in numbers:
        with contextlib.suppress(OSError):
            os.fstat(number)
            yield number


def _own(number: int) -> int:
    """A file of the copy's own in the place of an open one."""
    if not stat.S_ISREG(os.fstat(number).st_mode):
        return os.open(os.devnull, os.O_RDWR)
    position = os.lseek(number, 0, os.SEEK_CUR)
    with open(f"/proc/self/fdinfo/{number}", encoding="ascii") as told:
        flags = next(int(line.split()[1], 8) for line in told if line.startswith("flags"))
    if not flags & (os.O_WRONLY | os.O_RDWR):
        made = os.open(f"/proc/self/fd/{number}", os.O_RDONLY)
    else:
        made = os.memfd_create("astad")
        if os.fstat(number).st_size <= LARGEST:
            with open(f"/proc/self/fd/{number}", "rb", buffering=0) as before:
                os.write(made, before.read())
    os.lseek(made, position, os.SEEK_SET)
    return made
