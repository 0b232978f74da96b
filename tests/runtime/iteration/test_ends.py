import itertools
from collections import deque

import pytest

from astad.errors import Unsupported
from astad.runtime.core.versions import Versions
from astad.runtime.iteration.ends import ended, may_change
from tests.called_again import agrees_when_called_again


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


# --- what is done to find that there is no element ------------------------------------------------


class Counted:
    """Counts what it was asked, and its weight, whenever it is asked."""

    total = 0.0
    asked = 0

    def __init__(self, items, weight=1.0):
        self.items = iter(items)
        self.weight = weight

    def __iter__(self):
        return self

    def __next__(self):
        Counted.asked += 1
        Counted.total = Counted.total + self.weight * self.weight
        return next(self.items)


class OwnList(list):
    """One that is made as a list is."""


def in_a_zip(x):
    pairs = list(zip([1.0, x], Counted([], x)))
    return x * Counted.total + len(pairs)


def in_a_zip_of_none_left(x):
    left = Counted([x], x)
    pairs = list(zip([x], left))
    return pairs[0][1] * Counted.total + len(list(zip([x, x], left)))


def in_a_map(x):
    return len(list(map(abs, Counted([], x)))) + x * Counted.total


def in_a_starred_target(x):
    (*rest,) = zip([x], Counted([], x))
    return len(rest) + Counted.total * x


def behind_another_target(x):
    first, *rest = zip([x], Counted([1.0], x))
    return first[0] * first[1] * (1 + len(rest)) * Counted.total


def one_after_the_other(x):
    again = Counted([], x)
    found = [*again, *list(again), *sorted(again), *tuple(again), *set(again), *frozenset(again)]
    return len(found) + Counted.total * x


def in_a_sorted_map(x):
    return x * Counted.total + len(sorted(map(abs, Counted([], x))))


def in_between_is_a_write(x):
    list(Counted([], Counted.total + x))
    Counted.total = Counted.total * x
    list(Counted([], Counted.total))
    return Counted.total * x


def by_enumerate(x):
    return len(list(enumerate(Counted([], x)))) + Counted.total * Counted.asked


def in_a_deque(x):
    return len(deque(zip([x], Counted([], x)), maxlen=3)) + Counted.total * x


def in_a_list_of_ones_own(x):
    return len(OwnList(Counted([], x))) + Counted.total * x


def in_the_place_of_items(x):
    items = [1.0, x]
    items[:] = zip([x], Counted([], x))
    return len(items) + Counted.total * x


def as_keys(x):
    return len(dict.fromkeys(zip([x], Counted([], x)), x)) + Counted.total * x


def by_starmap(x):
    return len(list(itertools.starmap(pow, Counted([], x)))) + Counted.total * x


def by_zip_longest(x):
    return len(list(itertools.zip_longest([], Counted([], x)))) + Counted.total * x


def greatest_of_none(x):
    return max(Counted([], x), default=x) * min(Counted([], x), default=x) * Counted.total


def greatest_of_none_raises(x):
    try:
        return max(Counted([], x))
    except ValueError:
        return x * Counted.total


WITHOUT_ELEMENTS = [
    in_a_zip, in_a_zip_of_none_left, in_a_map, in_a_starred_target, behind_another_target,
    one_after_the_other, in_a_sorted_map, in_between_is_a_write, by_enumerate, in_a_deque,
    in_a_list_of_ones_own, in_the_place_of_items, as_keys, by_starmap, by_zip_longest,
    greatest_of_none, greatest_of_none_raises,
]  # fmt: skip


def _reset_counted():
    Counted.total, Counted.asked = 0.0, 0


@pytest.mark.order_matters
@pytest.mark.parametrize("f", WITHOUT_ELEMENTS, ids=lambda f: f.__name__)
def test_an_iterator_without_elements_that_changes_things(f):
    agrees_when_called_again(f, _reset_counted, lambda: (Counted.total, Counted.asked))
