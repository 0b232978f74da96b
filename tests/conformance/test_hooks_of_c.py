"""Special methods that are methods of C under another name, as in ``__getattr__ = dict.get``."""

import pytest

from astad import gradient

from .harness import conforms


class Record(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Lenient(dict):
    __getattr__ = dict.get
    __getitem__ = dict.get
    __call__ = dict.get


class Joined(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


class Pushed(list):
    __lshift__ = list.append


def read_as_attribute(x):
    return Record(v=x).v * 2.0


def written_as_attribute(x):
    record = Record()
    record.v = x * x
    record.w = record["v"] * record.v
    del record.v
    record["v"] = x
    return record["w"] * record.v


def got_in_any_way(x):
    d = Lenient(v=x)
    return d.v * d["v"] + d("v")


def one_dict_for_both(x):
    d = Joined(v=x)
    d.w = d.v * 3.0
    return d["w"] * d["v"]


def pushed(x):
    xs = Pushed([x])
    _ = xs << x * 3.0
    return xs[0] * xs[1]


@pytest.mark.parametrize(
    "f", [read_as_attribute, written_as_attribute, got_in_any_way, one_dict_for_both, pushed]
)
def test_a_method_of_c_under_another_name(f):
    conforms(f, 1.3)
    assert gradient(f, 1.3)[0] != 0
