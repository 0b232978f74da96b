"""Work in a copy of the process: what comes back, what does not, what ends it."""

import os
import random
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from astad.testing.forked import NotRepeatable, apart

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no copy of a process there")


def test_random_numbers_of_the_copy_are_those_of_the_process():
    random.seed(1)
    np.random.seed(1)
    there = apart(lambda: (random.random(), np.random.rand()))
    assert there == (random.random(), np.random.rand())


def test_large_results_come_whole():
    a = apart(lambda: np.arange(1_000_000.0))
    assert a.sum() == 499999500000.0


def test_an_exception_is_told():
    with pytest.raises(NotRepeatable, match="ZeroDivisionError: integer division"):
        apart(lambda: 1 // 0)


def test_a_copy_that_does_not_end_is_ended():
    start = time.perf_counter()
    with pytest.raises(NotRepeatable, match="in time"):
        apart(lambda: time.sleep(60), 0.2)
    assert time.perf_counter() - start < 30


def test_a_copy_that_ends_itself_is_no_answer():
    with pytest.raises(NotRepeatable, match="by itself"):
        apart(lambda: os._exit(3))


@pytest.mark.parametrize(
    "reach",
    [
        lambda path: open(path, "w"),
        lambda path: open(path, "ab"),
        lambda path: os.open(path, os.O_CREAT | os.O_WRONLY),
        lambda path: os.mkdir(path),
        lambda path: os.rename(path, f"{path}.old"),
        lambda path: os.unlink(path),
        lambda path: os.system("true"),
        lambda path: os.kill(os.getpid(), 0),
        lambda path: socket.create_connection(("127.0.0.1", 9), 0.1),
        lambda path: os.fork(),
    ],
)
def test_what_reaches_beyond_the_process_ends_it(tmp_path, reach):
    path = tmp_path / "file"
    with pytest.raises(NotRepeatable, match="beyond the process"):
        apart(lambda: reach(path))
    assert not path.exists()


def test_open_files_keep_their_position_and_content(tmp_path):
    path = tmp_path / "file"
    path.write_text("abc")
    with open(path, "r+b", buffering=0) as both, open(path, "rb", buffering=0) as reading:
        reading.read(1)
        assert apart(lambda: (reading.read(), both.write(b"xyz"), both.seek(0), both.read())) == (
            b"bc", 3, 0, b"xyz",
        )  # fmt: skip
        assert reading.read() == b"bc"
    assert path.read_text() == "abc"


def test_nothing_is_printed(capfd):
    apart(lambda: os.write(1, b"from the copy\n") and None)
    assert capfd.readouterr().out == ""


def test_threads_of_the_process_are_not_copied():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        with pytest.raises(NotRepeatable, match="other threads"):
            apart(lambda: 1)
    finally:
        done.set()
        thread.join()


def test_no_process_and_no_file_is_left():
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        apart(lambda: 1)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_memory_shared_with_a_file_is_not_copied(tmp_path):
    a = np.memmap(tmp_path / "file", float, "w+", shape=3)
    with pytest.raises(NotRepeatable, match="memory is shared"):
        apart(lambda: a.fill(1.0))
    assert a.tolist() == [0.0, 0.0, 0.0]


def test_memory_that_only_garbage_shares_is_let_go(tmp_path):
    ring = [np.memmap(tmp_path / "file", float, "w+", shape=3)]
    ring.append(ring)
    del ring
    assert apart(lambda: 1) == 1


def test_what_was_warned_of_once_is_not_warned_of_again():
    program = (
        "import sys, warnings, threading\n"
        "from astad.testing.forked import apart\n"
        "for _ in range(2):\n"
        "    warnings.warn('once')\n"
        "    apart(lambda: 1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.count("UserWarning: once") == 1
