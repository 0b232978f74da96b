"""What fills a container item by item: each is there before the next one is drawn."""

import itertools
from collections import Counter, OrderedDict, defaultdict, deque

import pytest

from tests.compiler.forms import check_forms


def gen(x):
    yield x
    yield x * x
    raise ValueError


def pairs(x):
    yield "a", x
    yield "b", x * x
    raise ValueError


def fib(t, n):
    for _ in range(n):
        yield t[-1] + t[-2]


def popping(t, n):
    for _ in range(n):
        yield t.pop() * 2


class P:
    def __init__(self, x):
        self.x = x

    def keys(self):
        return ["a", "b", "c"]

    def __getitem__(self, k):
        if k == "c":
            raise KeyError(k)
        return self.x * (2 if k == "a" else 3)


def generator_that_reads_what_grows(x):
    t = [x, 2 * x]
    t += (t[-1] * v for v in [1.0, 2.0, 3.0])
    return sum(t)


def extended_until_it_raises(x):
    t = [x]
    try:
        t.extend(gen(x))
    except ValueError:
        t.append(3 * x)
    return sum(t)


def added_until_it_raises(x):
    t = [x]
    try:
        t += gen(x)
    except ValueError:
        t.append(3 * x)
    return sum(t)


def bounded_deque_added_to(x):
    t = deque([x], 2)
    try:
        t += gen(x)
    except ValueError:
        t.append(3 * x)
    return sum(t)


def extended_left_until_it_raises(x):
    t = deque([x], 3)
    try:
        t.extendleft(gen(x))
    except ValueError:
        t.append(3 * x)
    return sum(k * v for k, v in enumerate(t, 1))


def set_updated_until_it_raises(x):
    t = {x}
    try:
        t.update([5 * x], gen(x))
    except ValueError:
        t.add(3 * x)
    return sum(t)


def dict_updated_until_it_raises(x):
    t = {"a": 5 * x}
    try:
        t.update(pairs(x))
    except ValueError:
        t["c"] = 3 * x
    return sum(t.values()) + t["a"] * t["b"]


def dict_merged_until_it_raises(x):
    t = {"a": 5 * x}
    try:
        t |= pairs(x)
    except ValueError:
        t["c"] = 3 * x
    return sum(t.values()) + t["a"] * t["b"]


def slice_takes_all_in_first(x):
    t = [x, x * x, 2.0]
    try:
        t[1:2] = gen(x)
    except ValueError:
        t.append(3 * x)
    return sum(k * v for k, v in enumerate(t, 1))


def fibonacci_of_the_list_itself(x):
    t = [x, x * x]
    t.extend(fib(t, 5))
    return t[-1] * t[3]


def fibonacci_of_a_bounded_deque(x):
    t = deque([x, x * x], 4)
    t.extend(fib(t, 5))
    return t[-1] * t[3]


def generator_that_pops(x):
    t = [x, x * x, 3 * x]
    t.extend(popping(t, 4))
    return sum(k * v for k, v in enumerate(t, 1)) * t[-1]


def mapping_that_raises(x):
    t = {"a": 5 * x, "b": 2.0}
    try:
        t.update(P(x))
    except KeyError:
        t["c"] = 3 * x
    return sum(t.values()) + t["a"] * t["b"]


def extended_with_its_own_items(x):
    t = [x, 2 * x]
    t.extend(v * x for v in t if len(t) < 6)
    return sum(t)


def list_added_to_itself(x):
    t = [x]
    t += t
    t.extend(t)
    return t[0] * t[1] * t[2] * t[3]


def deque_added_to_itself(x):
    t = deque([x, x * x])
    t += t
    t.extendleft(t)
    return sum(k * v for k, v in enumerate(t, 1))


def map_that_reads_the_end(x):
    t = [x]
    t.extend(map(lambda v: v * t[-1], [x, 2.0, 3.0]))
    return t[-1]


def generator_expression_that_raises(x):
    t = [x]
    try:
        t.extend(1.0 / v * x for v in [1.0, 2.0, 0.0])
    except ZeroDivisionError:
        t.append(x * x)
    return sum(t)


def ordered_dict(x):
    d = OrderedDict(a=5 * x)
    try:
        d.update(pairs(x))
    except ValueError:
        d["c"] = x
    return sum(d.values()) * d["b"]


def defaultdict_updated(x):
    d = defaultdict(float)
    try:
        d.update(pairs(x))
    except ValueError:
        d["c"] += x
    return sum(d.values()) * d["b"]


def keys():
    yield "a"
    yield "b"
    yield "a"
    raise ValueError


def counter(x):
    c = Counter(a=1)
    try:
        c.update(keys())
    except ValueError:
        pass
    return c["a"] * x + c["b"]


class Hundredfold(list):
    def append(self, v):
        super().append(v * 100)


def subclass_with_append(x):
    l = Hundredfold([x])
    l.extend(v * 2 for v in [x, 1.0])
    l += map(lambda v: v * l[-1], [2.0, 3.0])
    l.append(x)
    return sum(l)


def zip_that_raises(x):
    l = [x]
    try:
        l.extend(zip([x], 1.0))
    except TypeError:
        l.append(x * x)
    return sum(l)


def no_iterable(x):
    l = [x]
    try:
        l.extend(3)
    except TypeError:
        l.append(x * x)
    return sum(l)


def plain_sources(x):
    l = [x]
    l.extend({2 * x: 1, 3 * x: 2})
    l.extend({x * x})
    l.extend(range(2))
    l.extend({"a": x}.values())
    return sum(l)


def dict_changed_while_it_is_walked(x):
    d = {"a": x, "b": 2 * x}
    l = [0.0]
    try:
        l.extend(d.pop(k) for k in d)
    except RuntimeError:
        l.append(5 * x)
    return sum(l) + len(d)


def iterators_of_itertools(x):
    l = [x]
    l.extend(itertools.accumulate([x, 2.0, x]))
    l.extend(itertools.islice(itertools.count(x), 3))
    l += itertools.chain(l[:1], (v * l[-1] for v in [2.0]))
    return sum(k * v for k, v in enumerate(l))


def source_that_appends(x):
    l = [x]

    def src():
        l.append(7 * x)
        yield 1.0 * x
        l.insert(0, 3 * x)
        yield x * x
        l.sort()
        yield l[0]

    l.extend(src())
    return sum(k * v for k, v in enumerate(l, 1))


def source_that_clears(x):
    l = [x]

    def src():
        l.clear()
        yield 1.0 * x
        yield l[0] * 2

    l += src()
    return sum(k * v for k, v in enumerate(l, 1))


def source_that_adds_to_the_set(x):
    s = {x}

    def src():
        yield x * 3
        s.add(x * 5)
        yield max(s) * 2

    s.update(src())
    return sum(s)


def source_that_writes_the_dict(x):
    d = {"a": x}

    def src():
        yield "b", d["a"] * 2
        d["a"] *= 3
        yield "c", d["b"] * d["a"]

    d.update(src())
    return d["c"] * d["a"]


def source_that_turns_the_deque(x):
    q = deque([x], 3)

    def src():
        yield q[-1] * 2
        q.append(q[0] * x)
        yield q[0] + q[-1]
        q.popleft()
        yield q[0] * q[-1]

    q.extend(src())
    return sum(k * v for k, v in enumerate(q, 1))


def source_of_extendleft(x):
    q = deque([x], 3)

    def src():
        yield q[-1] * 2
        yield q[0] + q[-1]
        yield q[0] * q[-1]

    q.extendleft(src())
    return sum(k * v for k, v in enumerate(q, 1))


def in_a_callee(x):
    l = [x]

    def outer():
        l.extend(gen(x))

    try:
        outer()
    except ValueError:
        l.append(l[-1] * 2)
    return sum(k * v for k, v in enumerate(l, 1))


def in_a_loop(x):
    tot = [x]
    for k in range(2):
        try:
            tot += gen(tot[-1])
        except ValueError:
            tot[0] *= tot[-1]
    return tot[0]


def source_with_finally(x):
    l = [x]

    def g():
        yield 2 * x
        try:
            yield 3 * x
        finally:
            l.append(10 * x)

    it = g()
    l.extend(it)
    return sum(k * v for k, v in enumerate(l, 1))


def generator_into_a_slice(x):
    l = [x, x * x, 3 * x]
    l[1:2] = (v * l[-1] for v in l)
    return sum(k * v for k, v in enumerate(l, 1))


def set_difference(x):
    l = [x, x * x, 3 * x]
    s = {x, 2 * x, 3 * x}
    s.difference_update(v for v in l[:1])
    s -= {9.0}
    s |= {5 * x}
    return sum(s)


def unhashable_item(x):
    s = {x, 2 * x}
    try:
        s.update([3 * x], [[x]])
    except TypeError:
        pass
    return sum(s)


def pair_too_short(x):
    d = {"a": x}
    try:
        d.update([("b", 2 * x), ("c",)])
    except ValueError as e:
        d["d"] = len(str(e)) * x
    return sum(d.values())


def own_iterator(x):
    l = [x]

    class It:
        def __init__(s):
            s.n = 0

        def __iter__(s):
            return s

        def __next__(s):
            s.n += 1
            if s.n > 3:
                raise StopIteration
            return l[-1] * s.n

    l.extend(It())
    l += It()
    return l[-1]


def own_sequence(x):
    l = [x]

    class Sq:
        def __getitem__(s, i):
            if i > 2:
                raise IndexError
            return l[-1] + i

    l.extend(Sq())
    return l[-1] * l[1]


@pytest.mark.parametrize("x", [1.3, 0.7])
@pytest.mark.parametrize(
    "fn",
    [
        generator_that_reads_what_grows,
        extended_until_it_raises,
        added_until_it_raises,
        bounded_deque_added_to,
        extended_left_until_it_raises,
        set_updated_until_it_raises,
        dict_updated_until_it_raises,
        dict_merged_until_it_raises,
        slice_takes_all_in_first,
        fibonacci_of_the_list_itself,
        fibonacci_of_a_bounded_deque,
        generator_that_pops,
        mapping_that_raises,
        extended_with_its_own_items,
        list_added_to_itself,
        deque_added_to_itself,
        map_that_reads_the_end,
        generator_expression_that_raises,
        ordered_dict,
        defaultdict_updated,
        counter,
        subclass_with_append,
        zip_that_raises,
        no_iterable,
        plain_sources,
        dict_changed_while_it_is_walked,
        iterators_of_itertools,
        source_that_appends,
        source_that_clears,
        source_that_adds_to_the_set,
        source_that_writes_the_dict,
        source_that_turns_the_deque,
        source_of_extendleft,
        in_a_callee,
        in_a_loop,
        source_with_finally,
        generator_into_a_slice,
        set_difference,
        unhashable_item,
        pair_too_short,
        own_iterator,
        own_sequence,
    ],
    ids=lambda fn: fn.__name__,
)
def test_right(fn, x):
    check_forms(fn, x)
