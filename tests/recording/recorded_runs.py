"""What the tests of recordings share: a gradient that is recorded, and the pair as oracle."""

import contextlib

import numpy as np

import astad
from astad.api.gradients.recorded import why_not
from astad.api.variants.leaves import anywhere, leaves_of, read
from astad.api.variants.whole import whole
from astad.errors import Unsupported
from astad.runtime.core.variants import variants_of


def recorded(f, *args, wanted=None):
    """Gradients until a run of ``f`` is recorded, which must be; the last one."""
    for _ in range(3):
        found = both(f, *args, wanted=wanted)
        along(f, args, wanted, found)
    expect_recorded(f)
    return found


def recorded_backwards(f, *args):
    """The same of a text that forward mode has none of."""
    for _ in range(4):
        both(f, *args)
    expect_recorded(f)
    return agree(f, *args)


def expect_recorded(f):
    about = variants_of(getattr(f, "__func__", f)).recorded
    assert about is not None, "fused without a recording"
    assert about.made, about.why


def refused(f, *args):
    """Gradients, of which no run can be recorded; the reason."""
    for _ in range(3):
        agree(f, *args)
    about = variants_of(getattr(f, "__func__", f)).recorded
    assert about is not None, "fused"
    assert not about.made, about.texts[-1].text_of_head
    return why_not(getattr(f, "__func__", f))


def both(f, *args, wanted=None):
    return astad.value_and_grad(f, argnums=wanted or tuple(range(len(args))))(*args)


def agree(f, *args, wanted=None):
    """Value and gradients are those of the pair, which reads everything anew."""
    y, back = whole.run(f, args, {}, self_too=False)
    expected = y, whole.of_scalar(f, back, args, wanted or tuple(range(len(args))))
    found = both(f, *args, wanted=wanted)
    assert same(found, expected), (found, expected)
    along(f, args, wanted, expected)
    return found


def along(f, args, wanted, expected):
    """Value and tangent in forward mode are those of the gradient times the direction."""
    y, bars = expected
    places = [at for at in wanted or range(len(args)) if moves(args[at])]
    if type(y) not in (float, np.float64) or not places:
        return
    v = {at: anywhere(args[at]) for at in places}
    try:
        found = astad.jvp(f, args, [v.get(at) for at in range(len(args))])
    except Unsupported:  # a reverse sweep through all arguments says so
        return
    order = list(wanted or range(len(args)))
    y_dot = sum(product(f, args[at], bars[order.index(at)], v[at]) for at in places)
    assert same(found[0], y), (found, expected)
    assert same(float(found[1]), float(y_dot)), (found, y_dot, expected)


def moves(x):
    """Are all numbers in it floats, and none of it in two places?"""
    if isinstance(x, (list, tuple)) and type(x) in (list, tuple):
        return len(x) > 0 and all(map(moves, x)) and len({*map(id, x)}) == len(x)
    if type(x) is dict:
        return len(x) > 0 and all(map(moves, x.values())) and len({*map(id, x.values())}) == len(x)
    return type(x) is float or (type(x) is np.ndarray and x.dtype == np.float64)


def product(f, x, bar, v):
    found = [(read(bar, leaf), read(v, leaf)) for leaf in leaves_of(f, x)]
    return sum(float(np.vdot(a, b)) for a, b in found if a is not None)


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if a is None or isinstance(a, str):
        return a == b
    if hasattr(a, "shape"):
        return a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
    if not isinstance(a, (int, float)):
        return same(dict(vars(a)), dict(vars(b)))
    return a == b or a != a and b != b or abs(a - b) <= 1e-11 * max(abs(a), abs(b), 1.0)


def opaque(x):
    """Has no fused form: nothing is known of what is in a ``with``."""
    with contextlib.nullcontext(x) as y:
        return y
