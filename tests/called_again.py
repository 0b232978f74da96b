"""A program called again and again at other points: fused, compiled, recorded."""

import astad

__all__ = ["agrees_when_called_again"]

POINTS = (1.5, 2.0, 2.5, 2.0, 1.25, 3.0, 1.75, 0.75)


def agrees_when_called_again(f, restore=lambda: None, state=lambda: None, points=POINTS):
    """Value, gradient, tangent and what is left behind are those of the plain run; `restore` puts
    the state back before each call.
    """
    for x in points:
        wanted = _plain(f, restore, x)
        left = state()
        slope = _slope(f, restore, x)
        restore()
        value, gradient = astad.value_and_grad(f)(x)
        assert value == wanted
        assert state() == left
        assert _near(0.0 if gradient is None else gradient, slope), (x, gradient, slope)
    for x in points[:3]:
        slope = _slope(f, restore, x)
        restore()
        assert _near(astad.jvp(f, (x,), (1.0,))[1], slope)
    restore()


def _plain(f, restore, x):
    restore()
    return f(x)


def _slope(f, restore, x):
    h = 1e-5 * x
    return (_plain(f, restore, x + h) - _plain(f, restore, x - h)) / (2 * h)


def _near(found, slope):
    return abs(found - slope) <= 1e-6 * abs(slope) + 1e-7
