"""Bounds on time: of a piece of code in this process, and of a function in a forked child."""

import contextlib
import os
import pickle
import resource
import select
import signal
import sys
import time


class TooLong(KeyboardInterrupt):
    """What ran over its time: doctest and pytest stop for it as they do for a user's interrupt."""


@contextlib.contextmanager
def at_most(seconds):
    """Stop a piece of code after so many seconds; it is left silently then."""

    def stop(number, frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again, if it was caught
    try:
        yield
    except TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_is_child = False


def in_child(function, seconds, gigabytes=6):
    """What ``function()`` returns in a fork of this process.

    Returns
    -------
    pair
        ``("done", result)``, ``("timeout", seconds)``, or ``("died", how)``.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    outermost = not _is_child
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        run_and_leave(function, writer, seconds, gigabytes)
    os.close(writer)
    if outermost:  # its own children end with it
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
    over = True
    try:
        data, over = received(reader, seconds)
    finally:
        if over:
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if outermost else os.kill)(pid, signal.SIGKILL)
        os.close(reader)
    _, status = os.waitpid(pid, 0)
    if over:
        return "timeout", seconds
    if not data:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if number == signal.SIGXCPU:
            return "timeout", seconds
        how = f"signal {signal.Signals(number).name}" if number else f"exit code {status >> 8}"
        return "died", how
    return "done", pickle.loads(data)


def run_and_leave(function, writer, seconds, gigabytes):
    """The child: it never returns to its caller."""
    global _is_child
    try:
        if not _is_child:
            os.setpgid(0, 0)
        _is_child = True
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        limit = int(gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        data = pickle.dumps(function())
        while data:
            data = data[os.write(writer, data) :]
    finally:
        os._exit(0)


def received(reader, seconds):
    """All that comes out of a pipe, and whether the time was over before its end."""
    end, parts = time.monotonic() + seconds, []
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return b"", True
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts), False
        parts.append(part)
