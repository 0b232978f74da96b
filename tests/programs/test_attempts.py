"""``try`` whose body does nothing that is seen where it fails is specialised like a branch.

``FUSED`` are those programs; in the others something of what ran before the exception counts, or
what was raised is looked at.
"""

import math

import pytest

from astad import gradient, value_and_grad
from astad.runtime.core.variants import variants_of
from tests.compiler.forms import check_forms

XS = [-1.0, 0.5, 2.0, -3.0, 1.5]


def running_sum(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x * k)
        except ValueError:
            s -= 10.0 * k
    return s


def counted(xs, k):
    s, n = 0.0, 0
    for x in xs:
        try:
            s += math.sqrt(x * k)
            n += 1
        except ValueError as e:
            s -= k
        else:
            s += x * x
    return s * n


def passed_over(xs, k):
    s = 0.0
    for x in xs:
        try:
            y = k / (x - 0.5)
        except ZeroDivisionError as e:
            continue
        s += y * y
    return s


def to_the_end(xs, k):
    s, i = 0.0, 0
    while True:
        try:
            x = xs[i]
            i += 1
        except IndexError:
            break
        s += x * x * k
    return s


def returned(x, k):
    try:
        return math.log(x) * k
    except ValueError:
        return -k * x


def one_of_several(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x * k)
        except (KeyError, ZeroDivisionError):
            s += x * k
        except Exception:
            s *= 0.5
    return s


def whatever_it_is(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.exp(400.0 * x * k) * 1e-300
        except:  # noqa: E722
            s += x * k
    return s


def raised_by_itself(xs, k):
    s = 0.0
    for x in xs:
        try:
            if x < 0.1:
                raise ValueError(f"bad {x}")
            s += math.sqrt(x) * k
        except ValueError:
            s += k * k * x
    return s


def filled(xs, k):
    out = []
    for x in xs:
        try:
            out.append(math.log(x * k) * x)
        except ValueError:
            out.append(k)
    s = 0.0
    for y in out:
        s += y * y
    return s


def tried_again(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x)
        except ValueError:
            try:
                s += math.sqrt(x + 2.0) * k
            except ValueError:
                s += x * x * k
    return s


def computed_twice(xs, k):
    s = 0.0
    for x in xs:
        a = math.exp(x * k)
        try:
            b = math.exp(x * k)
            s += math.log(x) * b
        except ValueError:
            s += a
    return s


def seen_half_done(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += x * k
            s += math.log(x)
        except ValueError:
            s *= 1.5
    return s


def seen_by_the_handler(xs, k):
    s, last = 0.0, k
    for x in xs:
        try:
            last = x * k
            s += math.log(x)
        except ValueError:
            s += last
    return s


def seen_in_the_next_round(xs, k):
    s, t = 0.0, k
    for x in xs:
        try:
            s += t
            t = x * k
            s = s + math.log(x)
        except ValueError:
            pass
    return s


def filled_half(xs, k):
    out = []
    for x in xs:
        try:
            out.append(x * k)
            out.append(math.log(x * k) * x)
        except ValueError:
            out.append(k)
    s = 0.0
    for y in out:
        s += y * y
    return s


def text_read(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x) * k
        except ValueError as e:
            s += len(str(e)) * k
    return s


def number_carried(xs, k):
    s = 0.0
    for x in xs:
        try:
            if x < 0.0:
                raise ValueError(x * k)
            s += math.log(x)
        except ValueError as e:
            s += e.args[0] * x
    return s


def closed(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x)
        except ValueError:
            s += x
        finally:
            s *= k
    return s


FUSED = {
    running_sum, counted, passed_over, to_the_end, returned, one_of_several, whatever_it_is,
    raised_by_itself, filled, tried_again, computed_twice,
}  # fmt: skip
PROGRAMS = (
    *sorted(FUSED, key=lambda fn: fn.__name__), seen_half_done, seen_by_the_handler,
    seen_in_the_next_round, filled_half, text_read, number_carried, closed,
)  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("xs", [XS, XS * 5, [0.7], []], ids=["few", "many", "one", "none"])
def test_program(fn, xs):
    if fn is returned:
        check_forms(fn, xs[0] if xs else 0.7, 1.3, fused=True)
    else:
        check_forms(fn, xs, 1.3, fused=None if len(xs) < 2 else fn in FUSED)


def value_at_the_end(x, k):
    try:
        return math.log(x) * k
    except ValueError:
        return x * x * k


def value_of_an_attempt_in_an_attempt_of_another(x, k):
    y = x * k
    try:
        y = math.sqrt(y) + y
        return y * math.log(x)
    except (ValueError, ZeroDivisionError):
        return y * k


@pytest.mark.parametrize("x", [1.3, -0.4])
@pytest.mark.parametrize("fn", [value_at_the_end, value_of_an_attempt_in_an_attempt_of_another])
def test_a_value_returned_from_the_last_attempt(fn, x):
    check_forms(fn, x, 0.7, fused=fn is value_at_the_end)


TOO_LARGE = f"""
def f(x):
    made = []
    try:
        made.append(x * x)
        shifted = x + {10**400}
    except OverflowError:
        made.append(3.0 * x)
    total = 0.0
    for each in made:
        total = total + each
    return total
"""


def test_an_int_that_no_float_holds(tmp_path, monkeypatch):
    """The sum fails when the list is written already."""
    (tmp_path / "too_large.py").write_text(TOO_LARGE)
    monkeypatch.syspath_prepend(tmp_path)
    import too_large

    check_forms(too_large.f, 1.3)
    assert gradient(too_large.f, 1.3) == (2 * 1.3 + 3.0,)


def reraised(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x) * k
        except ValueError:
            if x == 0.0:
                raise
            raise KeyError("negative") from None
    return s


def not_caught(xs, k):
    s = 0.0
    for x in xs:
        try:
            s += math.log(x) * k
        except KeyError:
            s += 1.0
    return s


@pytest.mark.parametrize("fn", [reraised, not_caught])
@pytest.mark.parametrize("xs", [[1.0, 0.0], [1.0, -1.0]])
def test_what_is_raised(fn, xs):
    with pytest.raises(Exception) as plain:
        fn(xs, 1.3)
    with pytest.raises(Exception) as derived:
        gradient(fn, xs, 1.3)
    assert type(derived.value) is type(plain.value)
    assert derived.value.args == plain.value.args
    assert type(derived.value.__context__) is type(plain.value.__context__)
    assert gradient(fn, [1.0, 2.0], 1.3)[1] == pytest.approx(math.log(2.0))
    assert variants_of(fn).fused


def test_a_slope_without_bounds_is_not_caught():
    """What the reverse sweep divides by is zero: that is nobody's exception."""

    def f(xs, k):
        s = 0.0
        for x in xs:
            try:
                s += math.sqrt(x) * k
            except (ValueError, ZeroDivisionError):
                s += 100.0
        return s

    value, (bars, _) = value_and_grad(f, argnums=(0, 1))([0.0, 4.0], 2.0)
    assert value == 4.0 and bars == [math.inf, 0.5]


class Wanted(Exception):
    pass


def looked_up(x):
    try:
        y = math.log(x)
    except Wanted:
        y = x * x
    return y


def test_names_of_clauses_are_looked_up_when_something_is_raised(monkeypatch):
    with pytest.raises(ValueError):
        gradient(looked_up, -2.0)
    monkeypatch.setitem(globals(), "Wanted", ValueError)
    assert gradient(looked_up, -2.0) == (-4.0,)
    monkeypatch.delitem(globals(), "Wanted")
    assert gradient(looked_up, 2.0) == (0.5,)
    with pytest.raises(NameError):
        gradient(looked_up, -2.0)
