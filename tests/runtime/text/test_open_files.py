"""Files that nobody closes: a plain run closes them when nobody refers to them any more."""

import gc
import json
import os
import pickle
import tempfile

import numpy as np
import pytest

import astad
from astad.errors import Unsupported

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def files_are_closed_with_their_test():
    yield
    gc.collect()


def written(path, x):
    open(path, "w").write("abc")
    return x * len(open(path).read())


def save(path, text):
    file = open(path, "w")
    file.write(text)


def by_a_helper(path, x):
    save(path, "2.5\n3.5\n")
    return x * sum(float(line) for line in open(path))


def by_json(path, x):
    json.dump({"rate": 2.5}, open(path, "w"))
    return x * json.load(open(path))["rate"]


def by_pickle(path, x):
    pickle.dump([1.5], open(path, "wb"))
    return x * pickle.load(open(path, "rb"))[0]


def printed(path, x):
    for k in range(3):
        print(k, file=open(path, "a"))
    return x * len(open(path).readlines())


def read_by_numpy(path, x):
    open(path, "w").writelines(["1.5\n", "2.0\n"])
    return x * np.loadtxt(path).sum()


def asked_for_its_size(path, x):
    open(path, "w").write("abcd")
    return x * os.path.getsize(path)


def kept_open(path, x):
    file = open(path, "w")
    file.write("ab")
    file.close()
    with open(path, "a") as more:
        more.write("c")
    return x * len(open(path).read())


def in_a_temporary_folder(path, x):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a")
        with open(name, "w") as file:
            file.write("abcd")
        return x * os.path.getsize(name)


PROGRAMS = [
    written, by_a_helper, by_json, by_pickle, printed, read_by_numpy, asked_for_its_size, kept_open,
    in_a_temporary_folder,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_was_written_is_read(tmp_path, f):
    value = f(str(tmp_path / "plain"), 2.0)
    found = astad.value_and_grad(lambda x: f(str(tmp_path / "file"), x))(2.0)
    assert found == (value, value / 2.0)


def test_it_is_on_the_disk_before_back_is_called(tmp_path):
    def f(x):
        open(tmp_path / "log", "a").write("a line\n")
        return x * x

    y, back = astad.pullback(f, 3.0)
    assert (tmp_path / "log").read_text() == "a line\n"
    assert back(1.0) == (6.0,)


def test_a_number_that_goes_through_the_file_is_refused(tmp_path):
    def f(x):
        open(tmp_path / "log", "w").write(str(x))
        return float(open(tmp_path / "log").read()) * x

    with pytest.raises(Unsupported, match="read out of the text"):
        astad.gradient(f, 3.0)


def test_what_an_opener_stores_is_refused(tmp_path):
    def f(x):
        seen = []

        def opener(path, flags):
            seen.append(x * x)
            return os.open(path, flags)

        with open(tmp_path / "file", "w", opener=opener):
            return seen[0]

    with pytest.raises(Unsupported, match="what this call has stored"):
        astad.gradient(f, 3.0)
