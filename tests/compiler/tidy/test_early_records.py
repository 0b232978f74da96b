"""One record in one place, before the names in it are bound again."""

from astad.compiler.ir.kinds import parse_kind
from astad.compiler.pipeline import compile_function


def source(fn, *kinds):
    parsed = [parse_kind(kind) for kind in kinds]
    wanted = [kind != "int" for kind in kinds]
    return compile_function(fn, parsed, wanted, fused=True).text.source


def test_no_copy_where_the_record_comes_first(forms_agree):
    def f(x, n):
        k = 0
        while k < n:
            t = x * x
            k = k + 1
            if k == 7:
                break
            x = t - x * 0.5
        return x

    text = source(f, "float", "int")
    assert "x_kept =" not in text
    for n in (0, 1, 4, 9):
        forms_agree(f, 0.6, n)


def test_not_before_what_an_arm_binds(forms_agree):
    def f(x, n):
        k = 0
        while k < n:
            if x > 1.0:
                t = x * 0.5
            else:
                t = x * x + 0.3
            k = k + 1
            if k == 7:
                break
            x = t * x
        return x

    for n in (0, 1, 4, 9):
        forms_agree(f, 1.4, n)


def test_an_exception_half_way_leaves_no_trace():
    import pytest

    from astad import gradient

    def f(x, n):
        while n > -3:
            t = x * x
            x = t / n
            n = n - 1
            if x > 100.0:
                break
        return x

    with pytest.raises(ZeroDivisionError):
        gradient(f, 0.5, 2)
    assert gradient(f, 50.0, 2)[0] == 50.0
