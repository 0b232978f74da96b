"""Lists, deques and bytearrays in place: every method, slices, del, augmented assignment."""

import array
import bisect
import copy
import heapq
from collections import deque

import pytest

from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()


@PROGRAMS.at(1.3, 0.4)
def append_then_overwrite_then_read_both(x, y):
    xs = [x]
    xs.append(x * y)
    first = xs[0] * xs[1]
    xs[0] = y * y
    return first + xs[0] * xs[-1]


@PROGRAMS.at([1.0, 2.0, 3.0], 0.5)
def insert_at_front_back_and_beyond(xs, v):
    xs.insert(0, v)
    xs.insert(-1, v * xs[1])
    xs.insert(100, v * v)
    return sum(k * t for k, t in enumerate(xs, 1))


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0])
def pop_from_everywhere(xs):
    last = xs.pop()
    first = xs.pop(0)
    middle = xs.pop(-1)
    return last * first + middle * xs[0] ** 2


@PROGRAMS.at([3.0, 1.0, 2.0], 1.0)
def remove_by_value_takes_the_first_equal(xs, v):
    xs.append(xs[0] * v)
    xs.append(v)
    xs.remove(xs[1] + 0.0)
    return xs[0] * xs[1] + 5 * xs[2] + 7 * xs[3]


@PROGRAMS.at([1.5, 2.5])
def extend_with_itself(xs):
    xs.extend(xs)
    xs[0] = xs[3] * xs[1]
    return xs[0] + 2 * xs[1] + 3 * xs[2] + 4 * xs[3]


@PROGRAMS.at([1.5, 2.5], (0.3, 0.7))
def extend_with_a_tuple_a_generator_and_a_dict(xs, pair):
    xs.extend(pair)
    xs.extend(t * t for t in pair)
    xs.extend({"a": 1, "b": 2})
    return xs[0] * xs[2] + xs[3] * xs[4] + xs[5] * len(xs[6])


@PROGRAMS.at([2.0, 3.0, 5.0])
def reverse_then_write(xs):
    xs.reverse()
    xs[0] *= xs[1]
    xs.reverse()
    return xs[0] + 2 * xs[1] * xs[2]


@PROGRAMS.at([2.0, -3.0, 5.0, 1.0])
def sort_by_key_and_reverse(xs):
    xs.sort(key=abs, reverse=True)
    return sum(t * 2**k for k, t in enumerate(xs))


@PROGRAMS.at([[2.0, 1.0], [1.0, 4.0]])
def sort_lists_of_lists_by_a_part(rows):
    rows.sort(key=lambda row: row[0])
    rows[0][1] = rows[1][0] * rows[0][0]
    return rows[0][1] * rows[1][1]


@PROGRAMS.at([1.0, 2.0], 0.5)
def clear_and_fill_again(xs, v):
    old = xs[0] * xs[1]
    xs.clear()
    xs.append(v)
    return old * xs[0] + len(xs)


@PROGRAMS.at([1.0, 2.0, 3.0])
def copies_do_not_follow(xs):
    a, b, c, d = xs.copy(), xs[:], list(xs), copy.copy(xs)
    xs[0] = xs[1] * 5
    a[1] = b[0] * a[0]
    c[2] += d[2]
    return xs[0] + 2 * a[1] + 3 * b[1] + 4 * c[2] + d[0]


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0], 0.5)
def slice_assignment_that_grows(xs, v):
    xs[1:2] = [v, v * v, xs[0] * v]
    return sum(k * t for k, t in enumerate(xs, 1))


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0], 0.5)
def slice_assignment_that_shrinks(xs, v):
    xs[0:3] = (v * xs[2],)
    return xs[0] + 3 * xs[1] + len(xs)


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0])
def slice_assigned_from_its_own_slices(xs):
    xs[1:3] = xs[::-1]
    xs[:0] = xs[-2:]
    return sum(k * t for k, t in enumerate(xs, 1))


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0, 5.0], 0.5)
def extended_slices_written_and_deleted(xs, v):
    xs[::2] = [v, v * xs[0], xs[4]]
    xs[::-2] = xs[::2]
    del xs[1::3]
    return sum(k * t * t for k, t in enumerate(xs, 1))


def test_extended_slice_of_another_length_is_pythons_error():
    from astad import gradient

    def f(xs):
        xs[::2] = [1.0]
        return xs[0]

    with pytest.raises(ValueError, match="attempt to assign sequence of size 1 to extended slice"):
        gradient(f, [1.0, 2.0, 3.0])


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0, 5.0])
def deletes_items_slices_and_the_rest(xs):
    kept = xs[2] * xs[4]
    del xs[-1], xs[0]
    del xs[1:2]
    y = kept * xs[0] + xs[1]
    del xs[:]
    return y + len(xs)


@PROGRAMS.at([1.0, 2.0], 3.0)
def in_place_operators_of_lists(xs, v):
    same = xs
    xs += [v]
    xs *= 2
    xs += (v * v,)
    return sum(k * t for k, t in enumerate(same, 1))


@PROGRAMS.at([1.5, 2.0])
def multiplied_by_zero_forgets(xs):
    y = xs[0] * xs[1]
    xs *= 0
    xs += [y]
    return xs[0] * y


@PROGRAMS.at([[1.0, 2.0], [3.0, 4.0]])
def rows_swapped_and_written(rows):
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] *= rows[1][1]
    return rows[0][0] * rows[1][0] + rows[0][1]


@PROGRAMS.at([1.0, 2.0, 3.0])
def elements_swapped_in_a_loop(xs):
    for i in range(2):
        xs[i], xs[i + 1] = xs[i + 1], xs[i] * xs[i + 1]
    return xs[0] + 2 * xs[1] + 3 * xs[2]


@PROGRAMS.at([0.5, 2.0, 1.0, 3.0])
def bubble_sort_by_hand(xs):
    for end in range(len(xs) - 1, 0, -1):
        for i in range(end):
            if xs[i] > xs[i + 1]:
                xs[i], xs[i + 1] = xs[i + 1], xs[i]
    return sum(t * (k + 1) ** 2 for k, t in enumerate(xs))


@PROGRAMS.at(1.5)
def one_list_in_two_places(x):
    inner = [x]
    outer = [inner, inner]
    outer[0].append(x * x)
    outer[1][0] *= outer[0][1]
    return inner[0] + inner[1]


@PROGRAMS.at(1.5)
def rows_that_are_one_row(x):
    rows = [[x, 2.0]] * 3
    rows[1][0] *= x
    rows[2][1] = rows[0][0]
    return rows[0][0] + rows[1][1]


@PROGRAMS.at(1.5)
def list_that_holds_itself(x):
    xs = [x]
    xs.append(xs)
    xs[1][1][0] = x * x
    return xs[0] * x


@PROGRAMS.at([1.0, 2.0, 3.0])
def star_targets_take_copies(xs):
    first, *rest = xs
    rest[0] = first * rest[1]
    xs[1] = 7 * first
    (*most, last) = xs
    most.append(last)
    return rest[0] + sum(most) * xs[1]


@PROGRAMS.at([1.0, 2.0, 3.0])
def written_while_iterated(xs):
    total = 0.0
    for i, t in enumerate(xs):
        total += t * t
        if i + 1 < len(xs):
            xs[i + 1] += t
    return total


@PROGRAMS.at([1.0, 2.0])
def grown_while_iterated(xs):
    for t in xs:
        if len(xs) < 6:
            xs.append(t * xs[0] + 0.5)
    return sum(xs)


@PROGRAMS.at([1.0, 2.0, 3.0], 1)
def popped_until_empty(xs, k):
    y = 1.0
    while xs:
        y = y * xs.pop(0) + k * len(xs)
    return y


@PROGRAMS.at([1.0, 2.0, 3.0])
def deleted_in_the_walk_backwards(xs):
    y = 0.0
    for i in range(len(xs) - 1, -1, -1):
        y = y * 2 + xs[i]
        del xs[i]
    return y * y


@PROGRAMS.at([1.0, 2.0, 3.0], 0.5)
def deque_from_both_ends(xs, v):
    d = deque(xs)
    d.appendleft(v)
    d.append(v * v)
    d.rotate(2)
    d[1] = d[0] * d[2]
    left, right = d.popleft(), d.pop()
    return left + 2 * right + 3 * d[0] + 5 * d[1]


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0])
def deque_of_bounded_length(xs):
    d = deque(maxlen=3)
    y = 0.0
    for t in xs:
        d.append(t * t)
        y += d[0] * len(d)
    d.extendleft([y, xs[0]])
    return sum(k * t for k, t in enumerate(d, 1))


@PROGRAMS.at([1.0, 2.0, 3.0, 4.0])
def deque_insert_remove_reverse_copy(xs):
    d = deque(xs)
    d.insert(1, xs[0] * xs[1])
    e = d.copy()
    d.remove(xs[2] + 0.0)
    d.reverse()
    del d[0]
    d += [xs[3] ** 2]
    d[-2] *= e[1]
    return sum(k * t for k, t in enumerate(d, 1)) + e[2]


@PROGRAMS.at([1.0, 2.0, 3.0])
def deque_rotated_in_a_loop(xs):
    d = deque(xs)
    y = 0.0
    for _ in range(4):
        d.rotate(1)
        d[0] = d[0] * 1.1 + d[1]
        y += d[-1]
    return y * d[0]


@PROGRAMS.at([1.0, 2.0, 3.0])
def deque_multiplied_and_cleared(xs):
    d = deque(xs[:2])
    d *= 2
    e = d + deque([xs[2]])
    y = sum(k * t for k, t in enumerate(e, 1))
    d.clear()
    d.extend(e)
    return y * d[1] + d.index(xs[1]) + d.count(xs[0])


@PROGRAMS.at(1.5)
def bytes_are_carried_along(x):
    log = bytearray(b"ab")
    log.append(99)
    log.extend(b"de")
    log[0:1] = b"zz"
    log.reverse()
    del log[0]
    return x * len(log) + x * x * log[0]


@PROGRAMS.at(1.5)
def typed_arrays_of_counts(x):
    counts = array.array("i", [1, 2])
    counts.append(3)
    counts[0] += 4
    counts.extend([7, 8])
    counts.insert(0, 9)
    counts.pop()
    return x ** counts[1] + sum(counts)


@PROGRAMS.at([0.3, 0.1, 0.2])
def argsort_by_hand_with_a_list_of_indices(xs):
    order = list(range(len(xs)))
    order.sort(key=lambda i: xs[i])
    ranked = [xs[i] for i in order]
    order[:] = order[::-1]
    return sum(xs[i] * r for i, r in zip(order, ranked))


@PROGRAMS.at([1.0, 2.0, 3.0], [0.5, 0.25])
def slice_of_one_list_given_to_another(xs, ys):
    xs[1:] = ys
    ys[0] = xs[0] * xs[1]
    xs[1:2], ys[:] = ys, xs[1:]
    return sum(k * t for k, t in enumerate(xs + ys, 1))


@PROGRAMS.at([1.0, 2.0, 3.0])
def slice_objects_and_negative_steps(xs):
    part = slice(None, 0, -1)
    xs[part] = [t * xs[0] for t in xs[part]]
    xs[part] = xs[1:]
    return xs[1] * xs[2] + xs[0]


@PROGRAMS.at([1.0, 2.0])
def methods_taken_from_the_class_and_bound(xs):
    push = xs.append
    push(xs[0] * xs[1])
    list.insert(xs, 0, xs[2] ** 2)
    list.__setitem__(xs, 1, xs[0] + xs[2])
    xs.__iadd__([xs[1]])
    xs.__delitem__(2)
    return sum(k * t for k, t in enumerate(xs, 1))


@PROGRAMS.at([1.0, 2.0, 3.0])
def side_effect_inside_an_index(xs):
    calls = []

    def at(i):
        calls.append(i)
        return i

    xs[at(0)] += xs[at(1)] * xs[at(2)]
    xs[at(1)], xs[at(2)] = xs[at(2)], xs[at(0)]
    return xs[0] * xs[1] + len(calls) * xs[2]


@PROGRAMS.at([3.0, 1.0, 4.0, 1.5, 9.0, 2.6], 0.5)
def heap_pushed_popped_and_replaced(xs, v):
    h = []
    for x in xs:
        heapq.heappush(h, x * v)
    first = heapq.heappop(h)
    second = heapq.heapreplace(h, xs[0] * v * 10)
    third = heapq.heappushpop(h, v * v)
    fourth = heapq.heappushpop(h, xs[1] * 20)
    y = first + 2 * second + 3 * third + 5 * fourth
    while h:
        y = y * 0.5 + heapq.heappop(h)
    return y


@PROGRAMS.at([3.0, 1.0, 4.0, 1.5, 9.0, 2.6])
def heap_made_of_a_list_with_equal_items(xs):
    xs += [xs[0], xs[1]]
    heapq.heapify(xs)
    y = 0.0
    for k in range(len(xs)):
        y += heapq.heappop(xs) * k * k
        if k == 2:
            heapq.heappush(xs, y)
    return y


@PROGRAMS.at([3.0, 1.0, 4.0, 1.5], 2.0)
def sorted_lists_kept_by_insort(xs, v):
    ascending, by_size = [], []
    for k, x in enumerate(xs):
        bisect.insort(ascending, x * v)
        bisect.insort_left(ascending, x + 100, lo=k)
        bisect.insort(by_size, -x * v, key=abs)
    at = bisect.bisect_left(ascending, 5.0)
    return sum(k * x for k, x in enumerate(ascending + by_size)) + ascending[at] ** 2


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)
