"""Lists of numbers, filled by functions that call themselves."""

import pytest

from astad import gradient


def tree(x, n):
    if n == 0:
        return x * x
    parts = []
    for i in range(2):
        parts.append(tree(x * 0.5, n - 1))
    return sum(parts) + x


def test_what_a_function_appends_of_its_own_results(forms_agree):
    def f(x, n):
        return tree(x, n) * 2.0

    forms_agree(f, 0.5, 3, fused=True)


def prices(price, left):
    if left == 0:
        return max(price - 1.0, 0.0)
    both = [0.0, 0.0]
    both[0] = prices(price * 1.1, left - 1)
    both[1] = prices(price / 1.1, left - 1)
    return 0.5 * (both[0] + both[1])


def test_what_a_function_stores_of_its_own_results(forms_agree):
    forms_agree(lambda price, left: prices(price, left) * price, 1.05, 3, fused=True)


def deeper(x, n):
    parts = []
    for i in range(n):
        parts.append(deeper(x * 0.5, i))
        parts[i] = parts[i] * x
    total = x
    for part in parts:
        total += part
    return total


def test_items_that_are_changed_behind_the_call(forms_agree):
    forms_agree(lambda x, n: deeper(x, n) * x, 0.7, 3)


def joined(xs, ys):
    zs = xs + ys
    xs * 2
    len(zs)
    return zs[0] * zs[1] * zs[2]


def points(xs, ys):
    found = []
    for x in xs:
        found.append((x, ys))
    return found[0][0] * found[1][0] * found[0][1][0]


def test_results_that_nobody_reads_and_tuples_that_hold_lists(forms_agree):
    for fn in (joined, points):
        forms_agree(fn, [1.5, 2.0], [0.5])


def test_rows_with_more_items_than_names():
    def given(rows):
        s = 0.0
        for a, b in rows:
            s = s + a * b
        return s

    def made(x):
        rows, s = [(x * i, x + i) for i in range(3)], 0.0
        for a, b, c in rows:
            s = s + a * b
        return s

    with pytest.raises(ValueError, match="too many values to unpack"):
        gradient(given, [(1.0, 2.0, 3.0), (0.5, 2.0, 1.0)])
    with pytest.raises(ValueError, match="not enough values to unpack"):
        gradient(made, 1.5)
