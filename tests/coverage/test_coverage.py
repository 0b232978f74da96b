"""Every call of every table is answered as the table says, and the judge notices a wrong one."""

import types

import numpy as np
import pytest

from .listed import listed
from .runner import column, of_numpy, report, summary
from .tables import Name, has_second_order, is_here, judged, load, namespace_of, table_names


@pytest.mark.slow
@pytest.mark.parametrize("name", table_names())
def test_every_call_of_the_table(name):
    table = load(name)
    if table is None:
        pytest.skip("the library is absent")
    names = list(judged(table))
    bad = [report(each) for each in names if column(each) == "wrong"]
    assert not bad, "\n" + "\n".join(bad)


@pytest.mark.parametrize("name", table_names())
def test_names_of_a_table_have_calls_or_a_reason(name):
    table = load(name)
    if table is None:
        pytest.skip("the library is absent")
    empty = [each for each, calls in table.CALLS.items() if not calls]
    refused = getattr(table, "REFUSED", {})
    assert [each for each in empty if each not in refused] == []
    assert all(refused.values())


def test_every_listed_name_of_a_namespace_is_asked_or_has_a_reason():
    found = {}
    for table in filter(None, map(load, table_names())):
        names = found.setdefault(namespace_of(table), set())
        names.update(table.CALLS, getattr(table, "REFUSED", ()), getattr(table, "NOT_ASKED", ()))
    assert {"numpy", "numpy.linalg", "numpy.fft", "numpy.emath"} <= found.keys()
    kinds = listed()
    absent = {
        f"{space}.{name}"
        for space, names in found.items()
        for name, kind in kinds.get(space, {}).items()
        if kind != "object" and name not in names and is_here(space, name)
    }
    assert {name for name in absent if name.startswith("numpy")} == set()


def test_at_most_eight_names_of_numpy_are_refused():
    tables = [t for t in filter(None, map(load, table_names())) if t.__name__.count(".numpy_")]
    assert sum(len(getattr(table, "REFUSED", {})) for table in tables) <= 8


def asked(calls, **more):
    """The words of a table made up here."""
    table = types.ModuleType("tests.coverage.made_up")
    table.CALLS, table.np = calls, np
    vars(table).update(more)
    return {each.name: each for each in judged(table)}


def test_the_judge_tells_right_from_wrong():
    lost = {"lost": ("np.sum(np.array(eval(repr(x.tolist()))) ** 2)",)}  # text has no derivative
    found = asked(
        {
            "sin": ("np.sin(x)", "y = x * x\nnp.sin(y[:2])"),
            "floor": ("np.floor(x)", "x.shape"),
            "tuple": ("(x, 2 * x.sum(), [x[0] * 1j])",),
            **lost,
        }
    )
    words = {name: each.word for name, each in found.items()}
    assert words == {
        "sin": "right",
        "floor": "none",
        "tuple": "right",
        "lost": words["lost"],
    }
    assert words["lost"] != "right"
    assert found["sin"].second == ("right" if has_second_order() else "")
    assert "made.up" in summary(list(found.values()))


def test_a_refusal_needs_a_reason_and_a_reason_a_refusal():
    call = ("np.frombuffer(x.tobytes())",)
    found = asked({"a": call}, REFUSED={})
    word = found["a"].word
    if word == "refused without a reason":
        assert asked({"a": call}, REFUSED={"a": "bytes"})["a"].word == "refused"
    found = asked({"sin": ("np.sin(x)",)}, REFUSED={"sin": "no reason at all"})
    assert column(found["sin"]) == "wrong"


def test_the_names_of_numpy_are_counted():
    assert of_numpy([]).startswith("NumPy names with a derivative: 0 of 400 right; not asked: ")
    names = [Name(space, n, "", [], []) for space, kinds in listed().items() for n in kinds]
    refused = Name("numpy.ndarray", "resize", "why", [], [])
    last = of_numpy([*names, refused])
    assert last == "NumPy names with a derivative: 399 of 400 right; refused: numpy.ndarray.resize"


def test_the_list_of_names():
    names = listed()
    differentiable = [
        kind
        for space, kinds in names.items()
        if space.startswith("numpy")
        for kind in kinds.values()
        if kind in ("rule", "source")
    ]
    assert len(differentiable) == 400
