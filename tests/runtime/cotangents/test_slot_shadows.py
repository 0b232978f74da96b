"""Slots against a plain list that goes the same way backwards."""

import random

from astad.runtime.cotangents.slot_shadows import SlotShadows


def test_every_change_of_a_list_is_undone():
    """Each element carries a unique cotangent; running the list's history backwards must return it
    to its element."""
    for seed in range(200):
        rng = random.Random(seed)
        l = [f"start {k}" for k in range(rng.randrange(4))]
        history = []
        for step in range(12):
            change(rng, l, step, history)
        shadows = SlotShadows()
        marked = {name for name in l if rng.random() < 0.7}
        for i, name in enumerate(l):
            shadows.slot_add(l, i, [name] if name in marked else None)
        length = len(l)
        lost = []
        for undo in reversed(history):
            length = undo(shadows, l, length, lost)
        left = [g for g in shadows.slots_of(l, length) if g]
        came_back = [name for g in left + lost if g for name in g]
        assert sorted(came_back) == sorted(marked)
        for i, g in enumerate(shadows.slots_of(l, length)):
            assert not g or g == [f"start {i}"]


def change(rng, l, step, history):
    kind = rng.choice(["append", "pop", "insert", "splice", "delete", "sort", "set"])
    n, name = len(l), f"step {step}"
    if kind == "append":
        l.append(name)

        def undo(shadows, l, length, lost):
            check(shadows.unappend(l, n), [name], lost)
            return n
    elif kind == "insert":
        i = rng.randrange(n + 1)
        l.insert(i, name)

        def undo(shadows, l, length, lost):
            check(shadows.uninsert(l, i), [name], lost)
            return n
    elif kind == "splice":
        i = rng.randrange(n + 1)
        removed, fresh = (
            l[i : i + rng.randrange(3)],
            [f"{name}.{k}" for k in range(rng.randrange(3))],
        )
        l[i : i + len(removed)] = fresh

        def undo(shadows, l, length, lost):
            for g, each in zip(shadows.splice(l, i, len(removed), len(fresh)), fresh, strict=True):
                check(g, [each], lost)
            return n
    elif not l:
        return
    elif kind == "pop":
        i = rng.randrange(n)
        name = l.pop(i)
        used = [name] if rng.random() < 0.5 else None

        def undo(shadows, l, length, lost):
            shadows.unpop(l, i, None)
            return n
    elif kind == "delete":
        positions = sorted(rng.sample(range(n), rng.randrange(1, n + 1)))
        l[:] = [x for i, x in enumerate(l) if i not in positions]

        def undo(shadows, l, length, lost):
            shadows.undelete(l, positions)
            return n
    elif kind == "sort":
        order = rng.sample(range(n), n)
        l[:] = [l[k] for k in order]

        def undo(shadows, l, length, lost):
            shadows.unpermute(l, order)
            return n
    else:
        i = rng.randrange(n)
        l[i] = name

        def undo(shadows, l, length, lost):
            check(shadows.slot_take(l, i), [name], lost)
            return n

    history.append(undo)


def check(g, expected, lost):
    assert g is None or g == expected
    lost.append(g)


def test_slots_grow_and_add_up():
    shadows, l = SlotShadows(), []
    shadows.slot_add(l, 2, 1.0)
    shadows.slot_add(l, 0, 2.0)
    shadows.slot_add(l, 2, 3.0)
    assert shadows.slots_of(l, 4) == [2.0, None, 4.0, None]
    assert shadows.slots_take(l, 2) == [2.0, None]
    assert shadows.slots_take(l, 2) == [None, None]


def test_popped_value_brings_its_cotangent_back():
    shadows, l = SlotShadows(), [1.0, 2.0, 3.0]
    shadows.slot_add(l, 1, 30.0)
    shadows.unpop(l, 1, 20.0)
    assert shadows.slots_of(l, 3) == [None, 20.0, 30.0]
    shadows.unpop(l, 7, 5.0)
    assert shadows.slot_take(l, 7) == 5.0


def test_keys_are_those_of_the_user():
    shadows, d = SlotShadows(), {"a": 1.0, (1, 2): 2.0}
    shadows.key_add(d, "a", 3.0)
    shadows.key_add(d, (1, 2), 4.0)
    shadows.key_add(d, "a", 5.0)
    assert shadows.key_of(d, "a") == 8.0
    assert shadows.key_take(d, "a") == 8.0 and shadows.key_take(d, "a") is None
    assert shadows.keys_of(d) == {(1, 2): 4.0}
    assert shadows.keys_take(d) == {(1, 2): 4.0} and shadows.keys_take(d) == {}


def test_equal_containers_have_slots_of_their_own():
    shadows, a, b = SlotShadows(), [1.0], [1.0]
    shadows.slot_add(a, 0, 2.0)
    assert shadows.slot_take(b, 0) is None
    for i in range(100):
        shadows.slot_add([0.0], 0, 1.0)
    assert shadows.slot_take([0.0], 0) is None
