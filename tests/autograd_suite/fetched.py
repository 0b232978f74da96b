"""autograd's own tests, fetched by pip into a folder: they are never part of this tree."""

import subprocess
import sys
import tarfile
from pathlib import Path

VERSION = "1.9.1"
"""The source of this version holds tests/; what is expected of them is told for it."""


def fetch(folder):
    """The folder of the tests, in what pip brings."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
    ]
    subprocess.run([*command, "--dest", str(folder), f"autograd=={VERSION}"], check=True)
    (archive,) = Path(folder).glob("autograd-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return next(Path(folder).glob("autograd-*/tests"))
