"""What the tests of recordings share: a gradient that is recorded, and the pair as oracle."""

import contextlib

import astad
from astad.api.recorded import why_not
from astad.api.whole import whole
from astad.runtime.variants import variants_of


def recorded(f, *args, wanted=None):
    """Gradients until a run of ``f`` is recorded, which must be; the last one."""
    for _ in range(3):
        found = both(f, *args, wanted=wanted)
    about = variants_of(getattr(f, "__func__", f)).recorded
    assert about is not None, "fused without a recording"
    assert about.made, about.why
    return found


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
    return found


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
