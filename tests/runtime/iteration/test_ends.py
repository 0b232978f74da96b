import pytest

from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.iteration.ends import ended, may_change


class Storing:
    def __init__(self):
        self.log = []

    def __next__(self):
        self.log.append([1.0])
        raise StopIteration


class Quiet:
    def __next__(self):
        raise StopIteration


def keeps(v, seen=[]):
    seen.append(v)
    return True


def test_the_text_tells_where_no_record_does():
    assert may_change(None, Storing()) and may_change(None, keeps)
    assert not may_change(None, Quiet()) and not may_change(None, None)
    assert not may_change(None, (v for v in [1.0]))


def test_what_is_changed_is_a_step_of_who_asked():
    versions = Versions()
    versions.calls = []
    ended(versions, None, "next", Quiet())
    assert versions.calls == []
    ended(versions, None, "next", Storing())
    assert [call.raised for call in versions.calls] == [True]


def test_without_anybody_to_record_it_is_refused():
    with pytest.raises(Unsupported, match="go.* on to change things after its last element"):
        ended(Versions(), None, "next", Storing())
