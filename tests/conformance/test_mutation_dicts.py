"""Dicts, their classes, sets, attributes and names: written, augmented, deleted, swapped."""

from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()


@PROGRAMS.at({"a": 1.5, "b": 0.5})
def items_written_augmented_and_deleted(d):
    d["c"] = d["a"] * d["b"]
    d["a"] += d["c"]
    d["b"] **= 2
    del d["c"]
    d["c"] = d["a"]
    return d["a"] * d["b"] + d["c"]


@PROGRAMS.at({"a": 1.5, "b": 0.5}, 2.0)
def setdefault_finds_and_makes(d, v):
    first = d.setdefault("a", v)
    second = d.setdefault("n", v * v)
    d.setdefault("rows", []).append(first)
    d.setdefault("rows", None).append(second)
    d["n"] *= 3
    return d["rows"][0] * d["rows"][1] + d["n"]


@PROGRAMS.at({"a": 1.5, "b": 0.5}, 2.0)
def popped_with_and_without_default(d, v):
    a = d.pop("a")
    c = d.pop("c", v)
    e = d.pop("b", v)
    d["a"] = a * c
    return d["a"] * e + len(d)


@PROGRAMS.at({"a": 1.5, "b": 0.5}, 2.0)
def updated_from_dict_pairs_and_words(d, v):
    d.update({"a": v * d["b"]})
    d.update([("b", d["a"] * v), ("c", v)], e=v * v)
    d |= {"c": d["c"] + 1}
    f = d | {"a": v}
    return d["a"] * d["b"] + d["c"] * f["a"] + f["e"]


@PROGRAMS.at({"a": 1.5, "b": 0.5})
def last_item_popped_until_empty(d):
    y = 1.0
    while d:
        key, value = d.popitem()
        y = y * value + len(key)
    return y


@PROGRAMS.at({"a": 1.5, "b": 0.5})
def cleared_and_filled_again(d):
    total = sum(d.values())
    d.clear()
    d.update(total=total)
    return d["total"] ** 2


@PROGRAMS.at({"a": 1.5, "b": 0.5})
def values_doubled_while_walking_the_keys(d):
    for key in list(d):
        d[key] = d[key] * 2
        d[key + key] = d[key] ** 2
    return sum(v * len(k) for k, v in d.items())


@PROGRAMS.at({"a": 1.5, "b": 0.5})
def two_names_and_a_copy(d):
    e, f = d, d.copy()
    e["a"] = e["b"] * 3
    f["b"] = d["a"] * f["a"]
    return d["a"] + f["b"] + f["a"]


@PROGRAMS.at(1.5)
def dict_of_dicts_of_lists(x):
    tree = {"left": {"values": [x, x * x]}, "right": {}}
    tree["right"]["values"] = tree["left"]["values"]
    tree["right"]["values"][0] *= 2
    tree["left"]["values"] += [tree["right"]["values"][0] * x]
    return sum(tree["right"]["values"])


@PROGRAMS.at([1.0, 2.0, 3.0])
def defaultdict_of_sums_and_of_lists(xs):
    sums, groups = defaultdict(float), defaultdict(list)
    for k, x in enumerate(xs):
        sums[k % 2] += x * x
        groups[k % 2].append(x)
    return sums[0] * sums[1] + groups[0][-1] * len(groups)


@PROGRAMS.at([1.0, 2.0, 3.0])
def defaultdict_with_a_factory_that_counts(xs):
    made = []

    def fresh():
        made.append(xs[0])
        return xs[0] * len(made)

    d = defaultdict(fresh)
    d["a"] += xs[1]
    y = d["b"] * d["a"] + d["a"]
    return y + d["c"] + len(made)


@PROGRAMS.at({"a": 1.0, "b": 2.0, "c": 3.0})
def ordered_dict_reordered(d):
    o = OrderedDict(d)
    o.move_to_end("a")
    o["b"] = o["a"] * o["c"]
    first, value = o.popitem(last=False)
    o.move_to_end("c")
    return sum(k * v for k, v in enumerate(o.values(), 1)) + value * len(first)


@PROGRAMS.at(1.5)
def counters_of_words(x):
    words = Counter("abracadabra")
    words["z"] += 2
    words.update("aa")
    words.subtract({"b": 1})
    del words["d"]
    common = dict(words.most_common(2))
    return x ** common["a"] + sum(words.values()) * x


@PROGRAMS.at(1.5, 0.5)
def counter_of_weights(x, y):
    weights = Counter()
    weights["a"] += x
    weights["b"] = x * y
    weights["a"] *= y
    return weights["a"] + weights["b"] * weights["none"] + weights["b"] ** 2


@PROGRAMS.at(1.5, 0.5)
def sets_of_names_and_of_numbers(x, y):
    seen = {"a"}
    seen.add("b")
    seen.discard("a")
    seen.update("cd")
    seen |= {"e"}
    seen &= {"b", "c", "e", "x"}
    seen -= {"c"}
    seen ^= {"q"}
    seen.remove("q")
    seen.symmetric_difference_update({"r"})
    seen.intersection_update({"r", "b"})
    seen.difference_update({"r"})
    return x ** len(seen) * y + (x if "b" in seen else y)


@PROGRAMS.at(1.5, 0.5)
def numbers_in_a_set(x, y):
    values = {x, y}
    values.add(x * y)
    values.discard(y + 10)
    values |= {x + y}
    z = sum(v * v for v in values)
    while values:
        z += values.pop()
    return z


@PROGRAMS.at([1.0, 2.0])
def chain_of_scopes(xs):
    outer, inner = {"a": xs[0], "b": xs[1]}, {}
    scope = ChainMap(inner, outer)
    scope["a"] = xs[1] * 3
    return scope["a"] * scope["b"] + outer["a"]


@PROGRAMS.at(1.5)
def user_dict_and_user_list(x):
    d, xs = UserDict(), UserList([x])
    d["x"] = x * 2
    d["x"] *= x
    xs.append(d["x"])
    xs[0] = xs[1] ** 2
    return (xs[0] + xs[-1] + len(xs)) * d["x"]


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


class Slotted:
    __slots__ = ("held", "other")


@PROGRAMS.at(1.5, 0.5)
def attributes_augmented_deleted_and_made_again(x, y):
    p = Point(x, y)
    p.x += p.y
    p.y *= p.x
    z = p.x * p.y
    del p.x
    p.x = z + y
    return p.x * p.y + (0 if hasattr(p, "z") else x)


@PROGRAMS.at(1.5, 0.5)
def slots_written_and_deleted(x, y):
    s = Slotted()
    s.held = x
    s.other = [s.held, y]
    s.held = s.other[0] * s.other[1]
    s.other[0] = s.held
    kept = s.other
    del s.other
    return kept[0] * s.held + kept[1]


@PROGRAMS.at(1.5, 0.5)
def attributes_by_name_and_by_dict(x, y):
    p = Point(x, y)
    for name in ("x", "y"):
        setattr(p, name, getattr(p, name) * 2)
    vars(p)["z"] = p.x * p.y
    p.__dict__.update(w=p.z**2)
    delattr(p, "x")
    return p.z + p.w + len(vars(p))


@PROGRAMS.at(1.5, 0.5)
def objects_swap_their_attributes(x, y):
    p, q = Point(x, y), Point(y, x * y)
    p.x, q.x = q.x, p.x
    p.y, p.x = p.x * q.x, p.y
    return p.x + 2 * p.y + 3 * q.x + 4 * q.y


@PROGRAMS.at(1.5)
def cyclic_objects(x):
    p, q = Point(x, None), Point(x * x, None)
    p.y, q.y = q, p
    p.y.y.x *= 2
    q.y.y.x += p.x
    return p.x * q.x


@PROGRAMS.at(1.5, 0.5)
def every_kind_of_augmented_target(x, y):
    space = SimpleNamespace(v=x, rows=[[x, y]], table={"k": x})
    name = x
    name += y
    space.v -= y
    space.rows[0][1] *= x
    space.rows[0] += [x]
    space.table["k"] /= y
    space.table["k"] //= 100.0
    space.rows[0][0] **= 2
    space.rows[0][2] %= 0.7
    a = np.array([x, y, 1.0])
    a[1:] -= x
    a[0] /= y
    a[[0, 2]] *= 3
    return name * space.v + sum(space.rows[0]) + space.table["k"] + np.sum(a)


@PROGRAMS.at(1.5, 0.5)
def order_of_evaluation_of_targets(x, y):
    log = []

    def note(name, value):
        log.append(name)
        return value

    d, xs = {"k": x}, [x, y]
    note("d", d)[note("k", "k")] += note("v", y)
    note("xs", xs)[note("i", 0)], d[note("j", "j")] = note("p", y), note("q", x)
    return d["k"] * d["j"] + xs[0] + (7 if log == list("dkv") + ["p", "q", "xs", "i", "j"] else x)


@PROGRAMS.at(1.5, 0.5)
def chained_assignment_gives_one_object(x, y):
    a = b = c = [x]
    b.append(y)
    i, d = 0, {}
    d[i] = i = c[1] * x
    return a[1] * d[0] + i


@PROGRAMS.at(1.5, 0.5)
def names_deleted_and_bound_again(x, y):
    z = x * y
    w = z
    del z
    z = w + 1
    try:
        del w
        z += w  # noqa: F821
    except UnboundLocalError:
        z *= x
    return z


@PROGRAMS.at(1.5)
def nonlocal_written_by_inner_functions(x):
    total, rows = 0.0, []

    def add(v):
        nonlocal total
        total += v * v
        rows.append(total)

    for k in range(3):
        add(x + k)
    total *= 2
    return total + rows[0] * rows[1]


@PROGRAMS.at(1.5, 0.5)
def keys_that_are_floats_and_tuples(x, y):
    table = {(0, 1): x, 2: y, 2.5: x * y, None: x + y, True: 3 * x}
    table[0, 1] *= table[None]
    table[2.0] = table[2] ** 2
    table[1] += 1
    return table[0, 1] + table[2] * table[2.5] + table[True]


@PROGRAMS.at(1.5, 0.5)
def dict_by_comprehension_then_inverted(x, y):
    d = {k: v * x for k, v in zip("ab", (x, y))}
    e = {v: k for k, v in {"a": "p", "b": "q"}.items()}
    d[e["p"]] = d[e["q"]] * d["a"]
    return d["a"] + d["b"]


@PROGRAMS.at({"w": np.array([1.0, 2.0]), "b": 0.5}, 0.1)
def parameters_stepped_in_place(params, rate):
    for _ in range(2):
        grads = {"w": 2 * params["w"], "b": params["b"] ** 2}
        for name, g in grads.items():
            params[name] -= rate * g
    return np.sum(params["w"] ** 2) + params["b"]


@PROGRAMS.at(1.5)
def default_that_is_changed_between_calls(x):
    def collect(v, seen=[]):
        seen.append(v)
        return sum(seen)

    return collect(x) * collect(x * x) + collect(1.0)


@PROGRAMS.at(1.5, 0.5)
def keywords_dict_is_fresh(x, y):
    def f(**options):
        options["a"] *= 2
        options["c"] = options["a"] * options["b"]
        return options["c"]

    given = {"a": x, "b": y}
    return f(**given) + given["a"] + f(a=y, **{"b": x})


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)
