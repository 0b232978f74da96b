"""Lists, dicts and objects that a function makes and changes: what was read before a change,
what is another name of the same container, and what a copy of it.
"""

import pytest

from tests.compiler.forms import check_forms


def items_swapped(x, y):
    l = [x, 2 * y]
    l[0], l[1] = l[1], l[0]
    return l[0] * 3 + l[1] * l[1]


def under_two_names(x, y):
    l = [x, y]
    m = l
    m[0] = m[0] * 3
    return l[0] * m[1]


def copies_change_alone(x, y):
    l = [x, y]
    m = list(l)
    m[0] = 5 * y
    k = l[:]
    k[1] = x * x
    return l[0] * m[0] + l[1] * k[1] + m[1] * k[0]


def a_row_in_two_places(x, y):
    row = [x, y]
    m = [row, row, [y, x]]
    m[0][0] = x * 5
    m[2][1] = m[1][0] * y
    return m[1][0] + m[2][1] * row[1]


def rows_repeated(x, y):
    m = [[0.0] * 3 for _ in range(2)]
    n = [[0.0] * 2] * 2
    m[0][1] = x
    m[1][2] = y
    n[0][0] = x * y
    return m[0][1] * n[1][0] + m[1][2] + m[1][1]


def branches_of_a_tree_joined(x, y):
    t = {"l": {"v": x}, "r": {"v": y}}
    t["l"]["v"] = t["r"]["v"] * x
    t["r"] = t["l"]
    t["r"]["v"] = t["r"]["v"] + 1.0
    return t["l"]["v"] * 2.0


def tuple_of_a_list(x, y):
    l = [x, y]
    t = tuple(l)
    l[0] = 9.0 * y
    a, b = t
    c, d = l
    return a * b + c * d


def starred_rest_is_a_copy(x, y):
    l = [x, y, x + y]
    a, *r = l
    l[1] = 7.0 * x
    r[0] = r[0] * a
    return r[0] * l[1] + r[1]


def written_by_an_inner_function(x, y):
    acc = [0.0]

    def add(v):
        acc[0] = acc[0] + v

    add(x * y)
    add(y)
    return acc[0] * x


def values_listed_and_viewed(x, y):
    d = {"a": x, "b": y}
    v = list(d.values())
    w = d.values()
    d["a"] = x * y
    return v[0] * 2 + sum(w) + d["a"]


def keys_viewed_before_one_comes(x, y):
    d = {"a": x}
    k = d.keys()
    d["b"] = y
    t = 0.0
    for w in k:
        t = t + d[w] * len(w)
    return t


def items_stored_back_in_their_loop(x, y):
    d = {"a": x, "b": y, "c": x * y}
    for k, v in d.items():
        d[k] = v * 2
    d2 = dict(d)
    for k in d:
        d2[k] = d[k] * d2["a"]
    return d2["a"] + d2["b"] * d2["c"]


def another_item_stored_in_the_loop(x, y):
    d = {"a": x, "b": y, "c": 1.0}
    t = 0.0
    for k, v in d.items():
        t = t + v
        d["c"] = d["c"] * v
    return t


def next_item_stored_in_the_loop(x, y):
    l = [x, y, 1.0]
    t = 0.0
    for i, v in enumerate(l):
        if i + 1 < len(l):
            l[i + 1] = l[i + 1] * v
        t = t + v
    return t


def grown_in_its_loop(x, y):
    l = [x, y]
    for v in l:
        if len(l) < 5:
            l.append(v * y)
    return sum(l)


def zipped_with_its_slice(x, y):
    l = [x, y, 2.0]
    t = 0.0
    for a, b in zip(l, l[1:]):
        l[1] = a * 3
        t = t + a * b
    return t


def stored_after_the_zip_was_made(x, y):
    l = [x, y]
    z = zip(l, [1.0, 2.0])
    l[0] = x * y
    t = 0.0
    for a, b in z:
        t += a * b
    return t


def grown_after_the_zip_was_made(x, y):
    l = [x, y]
    z = zip(l, [1.0, 2.0, 3.0])
    l.append(x * y)
    t = 0.0
    for a, b in z:
        t += a * b
    return t


def appended_in_both_arms(x, y):
    l = [x]
    if x > 0.5:
        l.append(y)
    else:
        l.append(x * y)
    return l[0] + l[1] * 2 + l[-1]


def appended_in_one_arm(x, y):
    l = [x, 1.0]
    if x > 0.5:
        l.append(y)
    return sum(l) * l[-1]


def other_keys_stored_in_the_arms(x, y):
    d = {"a": x, "b": y}
    if x > y:
        d["a"] = y * y
    else:
        d["b"] = d["a"] * 3
    return d["a"] * d["b"]


def left_early_or_grown(x, y):
    l = [x, y]
    for i in range(3):
        l[0] = l[0] * y
        if l[0] > 2.0:
            return l[0] + l[1]
        l.append(x)
    return sum(l)


def loop_left_or_ended(x, y):
    d = {"s": x}
    for i in range(50):
        d["s"] = d["s"] * 1.1
        if d["s"] > 3:
            break
    else:
        d["s"] = y
    return d["s"] * y


def dict_of_the_round_before_or_none(x, y):
    prev = None
    t = 0.0
    for i in range(4):
        d = {"v": x * i}
        if prev is not None:
            t = t + prev["v"] * y
        d["v"] = d["v"] + y
        prev = d
    return t + prev["v"]


def dict_of_the_round_before(x, y):
    prev = {"v": y}
    t = 0.0
    for i in range(40):
        d = {"v": x * i}
        d["v"] += 0.1 * y
        t = t + prev["v"] * d["v"]
        prev = d
    return t


def state_in_a_dict(x, y):
    s = {"p": x, "v": y, "n": 0}
    for _ in range(30):
        s["v"] -= 0.1 * s["p"]
        s["p"] += 0.1 * s["v"]
        s["n"] += 1
    return s["p"] * s["n"]


def state_in_a_list(x, y):
    q = [x, y, 0.5]
    for _ in range(25):
        q[0], q[1], q[2] = q[1] * 0.9, q[2] + q[0] * 0.1, q[0] * q[1]
    return q[0] + q[1] * q[2]


def comprehended_then_summed_up(x, y):
    l = [x * i + y for i in range(5)]
    for i in range(1, 5):
        l[i] = l[i] + l[i - 1] * 0.5
    return l[4] * l[2]


def ways_counted(x, y):
    n = 6
    ways = [0.0] * (n + 1)
    ways[0] = 1.0
    for i in range(1, n + 1):
        ways[i] = ways[i - 1] * x + (ways[i - 2] * y if i > 1 else 0.0)
    return ways[n]


def matrix_squared(x, y):
    a = [[x, 1.0], [y, 2.0 * x]]
    b = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                b[i][j] += a[i][k] * a[k][j]
    return b[0][0] * b[1][1] - b[0][1] * b[1][0]


def pushed_and_popped(x, y):
    s = []
    s.append(x)
    s.append(y)
    b, a = s.pop(), s.pop()
    s.append(a - b * b)
    s.append(x)
    return s.pop() * s[0]


def popped_until_empty(x, y):
    s = [x, y, x * y]
    t = 1.0
    while s:
        t = t * s.pop() + x
    return t


def negative_places(x, y):
    l = [x, y, 3.0]
    l[-1] = l[-2] * l[-3]
    l[-3] += 2.0
    return l[0] * l[2]


def summed_after_a_store(x, y):
    l = [x, y]
    l[0] = l[0] * y
    return sum(v * v for v in l)


def largest_and_least_after_a_store(x, y):
    l = [x, y, x * y]
    l[1] = x + y
    return max(l) * min(l)


def extended_in_place_under_two_names(x, y):
    l = [x]
    m = l
    l += [y, x * y]
    return sum(m) * l[1]


def extended_after_a_store(x, y):
    l = [x]
    l[0] = y
    l.extend([x, x * y])
    return l[0] * l[1] + l[2]


def inserted_at_the_front(x, y):
    l = [x, y]
    l.insert(0, x * y)
    l[1] = 3.0 * y
    return l[0] + l[1] * l[2]


def slice_stored_longer(x, y):
    l = [x, y, 1.0]
    l[0:2] = [y, y * x, x]
    return l[0] * l[1] + l[-1] * len(l)


def popped_when_empty(x, y):
    l = [x]
    l.pop()
    try:
        l.pop()
    except IndexError:
        l.append(y)
    return l[0] * x


def asked_with_a_default(x, y):
    d = {"a": x}
    d["b"] = d.get("a", 0.0) * y
    d["a"] = d.get("zz", 3.0) * d["b"]
    return d["a"] + d["b"] if "b" in d else 0.0


def keys_of_a_loop_over_texts(x, y):
    d = {}
    for k in ("a", "b", "c"):
        d[k] = x if k == "a" else y * len(d)
    d["a"] = d["b"] * d["c"] + d["a"]
    return d["a"] * len(d)


def keys_computed_from_ints(x, y):
    d = {0: x, 1: y}
    for i in range(3):
        d[i + 2] = d[i] * d[i + 1]
    return d[4] + d[3]


def true_is_the_key_one(x, y):
    d = {1: x, 0: y}
    d[True] = d[True] * 2.0
    return d[1] * d[False]


def entry_deleted(x, y):
    d = {"a": x, "b": y}
    d["a"] = y
    del d["b"]
    return sum(d.values()) * x


def asked_whether_the_same(x, y):
    a = [x]
    b = [x]
    c = a
    a[0] = y
    return (1.0 if a is c else 5.0) * a[0] + (2.0 if a is b else 3.0) * b[0]


def asked_whether_equal(x, y):
    a = [x]
    b = [x]
    t = x if a == b else y
    b[0] = y
    return t * (2.0 if a == b else 3.0)


def asked_whether_empty(x, y):
    l = []
    if l:
        x = x * 5
    l.append(x)
    if l:
        y = y * 3
    if not l:
        y = 0.0 * y
    return x * y + (l[0] if l else 0.0)


class Box:
    def __init__(self, x):
        self.items = []
        self.d = {"t": x}

    def add(self, v):
        self.items.append(v)
        self.d["t"] = self.d["t"] + v


def a_box_under_two_names(x, y):
    b = Box(x)
    c = b
    b.add(y)
    c.add(x * y)
    return b.items[0] * c.items[1] + b.d["t"]


def two_boxes_swapped(x, y):
    bs = [Box(x), Box(y)]
    for b in bs:
        b.add(x * y)
    bs[0], bs[1] = bs[1], bs[0]
    bs[0].add(3 * x)
    return bs[0].d["t"] * bs[1].d["t"] + bs[0].items[-1]


class Link:
    def __init__(self, x):
        self.x, self.next = x, None


def a_link_met_again_after_it_is_joined(x, y):
    link, other = Link(x), Link(2 * y)
    t = 0.0
    for each in [link, link]:
        if each.next is None:
            t = t + each.x
        else:
            t = t + 10 * each.x * each.next.x
        each.next = other
    return t


def a_link_joined_in_one_arm(x, y):
    link, other = Link(x), Link(2 * y)
    t = 0.0
    for each, w in zip([link, link, other], [1.0, 2.0, 3.0]):
        if each.next is None:
            t = t + w * each.x
            each.next = other
        else:
            t = t + 10 * each.next.x
    return t


def a_link_whose_attribute_is_not_read(x, y):
    link, other = Link(x), Link(2 * y)
    t = 0.0
    for each in [link, link]:
        if each.next is None:
            t = t + each.x
        else:
            t = t + 10 * each.x
        each.next = other
    return t


FUSED = [
    items_swapped,
    under_two_names,
    copies_change_alone,
    a_row_in_two_places,
    branches_of_a_tree_joined,
    tuple_of_a_list,
    starred_rest_is_a_copy,
    written_by_an_inner_function,
    items_stored_back_in_their_loop,
    another_item_stored_in_the_loop,
    next_item_stored_in_the_loop,
    appended_in_both_arms,
    appended_in_one_arm,
    other_keys_stored_in_the_arms,
    state_in_a_dict,
    state_in_a_list,
    comprehended_then_summed_up,
    ways_counted,
    matrix_squared,
    pushed_and_popped,
    negative_places,
    summed_after_a_store,
    largest_and_least_after_a_store,
    asked_with_a_default,
    keys_of_a_loop_over_texts,
    keys_computed_from_ints,
    a_box_under_two_names,
    two_boxes_swapped,
    a_link_met_again_after_it_is_joined,
    a_link_joined_in_one_arm,
]
OTHERS = [
    rows_repeated,
    zipped_with_its_slice,
    loop_left_or_ended,
    asked_whether_equal,
    asked_whether_empty,
    a_link_whose_attribute_is_not_read,
    values_listed_and_viewed,
    keys_viewed_before_one_comes,
    grown_in_its_loop,
    stored_after_the_zip_was_made,
    grown_after_the_zip_was_made,
    left_early_or_grown,
    dict_of_the_round_before_or_none,
    dict_of_the_round_before,
    popped_until_empty,
    extended_in_place_under_two_names,
    extended_after_a_store,
    inserted_at_the_front,
    slice_stored_longer,
    popped_when_empty,
    true_is_the_key_one,
    entry_deleted,
    asked_whether_the_same,
]


@pytest.mark.parametrize("args", [(1.3, 0.7), (0.4, 2.1)])
@pytest.mark.parametrize("fn", FUSED + OTHERS, ids=lambda fn: fn.__name__)
def test_right(fn, args):
    check_forms(fn, *args)


@pytest.mark.parametrize("fn", FUSED, ids=lambda fn: fn.__name__)
def test_fused(fn):
    check_forms(fn, 1.3, 0.7, fused=True)
