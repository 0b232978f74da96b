"""Values that were used and are changed afterwards, under any name: the use counts as it was."""

import numpy as np
import pytest

from tests.conformance.programs import Programs, conforms_in_both_forms

PROGRAMS = Programs()


def vector():
    return np.array([1.3, -0.4, 2.2, 0.7, 1.6])


def matrix(n=3, m=4):
    return np.cos(np.arange(1.0, n * m + 1)).reshape(n, m) + 2.0


@PROGRAMS.at(vector())
def results_of_where_and_maximum_kept(a):
    m = np.where(a > 0, a, 0.0)
    b = np.maximum(a, 0.5)
    a[0] = 3.0
    m *= b
    return np.sum(m * b)


@PROGRAMS.at(vector())
def factors_changed_after_their_product(a):
    b = a * 2
    c = b * b
    b += c
    d = c * b
    c[1:] = d[:-1]
    return np.sum(c * d * b)


@PROGRAMS.at(vector())
def local_view_alias(a):
    b = a * 2
    v = b[1:3]
    b[1] = 5.0 * a[0]
    c = v * v
    b[2] = 0.0
    return np.sum(c) + np.sum(v)


@PROGRAMS.at(vector())
def rebinding_view(a):
    b = a * 1.0
    for k in range(3):
        v = b[k : k + 2]
        v[0] = v[1] * a[k]
        b = b * 1.1
    return np.sum(b)


@PROGRAMS.at(vector())
def aug_list_slices(a):
    xs = list(a)
    xs[1:3] += [xs[0] * 2]
    xs[::2] = [t * t for t in xs[::2]]
    return sum(xs)


@PROGRAMS.at(vector())
def inplace_other_name(a):
    b = a * 2
    c = b
    c += 1
    d = b * c
    b *= d
    return np.sum(c)


@PROGRAMS.at(vector())
def one_buffer_for_two_results(a):
    b = np.empty_like(a)
    c = np.add(a, 1, out=b)
    b[0] = 7.0
    d = np.multiply(b, c, out=c)
    return np.sum(b * d)


@PROGRAMS.at(vector(), 3)
def one_buffer_for_all_iterations(a, n):
    buf = np.zeros(5)
    tot = 0.0
    for k in range(n):
        np.multiply(a, k + 1, out=buf)
        buf[k] = tot
        tot = tot + np.sum(buf * buf)
    return tot


@PROGRAMS.at(vector())
def returned_array_from_list(a):
    xs = [a * k for k in range(3)]
    y = xs[1]
    xs[1] = xs[2]
    y[0] = 9.0
    xs[1][1] = y[2]
    return sum(np.sum(x * x) for x in xs) + np.sum(y)


@PROGRAMS.at(vector())
def sum_list_then_change(a):
    xs = [a[0], a[1]]
    s = np.array(xs)
    xs[0] = s[1] * 3
    s[0] = xs[0]
    return np.sum(s * s) + sum(xs)


@PROGRAMS.at(vector())
def dot_then_change(a):
    m = np.outer(a, a)
    y = m @ a
    m[0] = 0
    z = m @ y
    m += np.outer(z, y)
    return np.sum(m) / 100


@PROGRAMS.at(vector())
def tuple_of_arrays(a):
    b = a * 2
    t_ = (b, a)
    b += t_[1]
    t_[0][0] = 3.0
    p, q = t_
    p *= q
    return np.sum(b)


@PROGRAMS.at(vector())
def nested_fn_mutates(a):
    b = a * 2

    def f(x):
        x[0] = x[1] * 2
        return x

    def g(x):
        return f(x)[1:]

    c = g(b)
    c[0] = b[0]
    return np.sum(b * b)


@PROGRAMS.at(vector())
def astype_copy(a):
    b = a.astype(np.float64, copy=False)
    b[0] = a[1] * 2
    c = a.astype(float)
    c[1] = 7
    return np.sum(a * b * c)


@PROGRAMS.at(vector())
def asarray_alias(a):
    b = np.asarray(a)
    c = np.asanyarray(a)
    b[0] = 2 * a[1]
    c[1] *= 3
    return np.sum(a * b)


@PROGRAMS.at(vector())
def ravel_alias(a):
    m = np.outer(a, a)
    r = m.ravel()
    f = m.flatten()
    r[3] = 5 * a[0]
    f[2] = 100.0
    rT = m.T.ravel()
    rT[0] = 100.0
    return np.sum(m * m) + np.sum(f)


@PROGRAMS.at(vector())
def reshape_alias_F(a):
    m = np.asfortranarray(np.outer(a[:2], a[:3]))
    r = m.reshape(-1)
    r[1] = 50.0
    r2 = m.reshape(-1, order="F")
    r2[1] = 3 * a[0]
    return np.sum(m * m) + np.sum(r)


@PROGRAMS.at(vector())
def squeeze_exp(a):
    m = a[None, :]
    s = np.squeeze(m)
    s[0] = s[1] * 2
    e = np.expand_dims(s, 1)
    e[2, 0] = s[0]
    return np.sum(a**2)


@PROGRAMS.at(vector())
def broadcast_arrays(a):
    x, y = np.broadcast_arrays(a, a[:, None])
    z = np.sum(x * y)
    a[0] = z / 10
    return np.sum(x * y)


@PROGRAMS.at(matrix())
def diag_views(m):
    d = np.einsum("ii->i", m[:, :3])
    d[0] = m[1, 1] * 2
    return np.sum(m * m)


@PROGRAMS.at(vector())
def split_views(a):
    p, q = np.split(a[:4], 2)
    p[0] = q[1] * 2
    q *= p
    return np.sum(a * a)


@PROGRAMS.at(vector())
def hsplit_unpack(a):
    x, y, *z = a
    z[0] = x * y
    a[0] = z[0]
    return np.sum(a) * z[0] * x


@PROGRAMS.at(vector())
def iterate_and_write(a):
    for i, x in enumerate(a):
        a[i] = x * x + a[i - 1]
    return np.sum(a)


@PROGRAMS.at(vector())
def zipped_write(a):
    b = a * 2
    for i, (x, y) in enumerate(zip(a, b)):
        b[i] = x * y
        if i + 1 < 5:
            b[i + 1] += x
    return np.sum(b * a)


@PROGRAMS.at(vector())
def list_rows_modified(a):
    rows = [[x, x * x] for x in a]
    for r in rows:
        r[0] *= r[1]
        r.append(r[0])
    rows.sort(key=len)
    return sum(sum(r) for r in rows)


@PROGRAMS.at(vector())
def dict_view_live(a):
    d = {i: x for i, x in enumerate(a)}
    vals = d.values()
    items = d.items()
    d[0] = d[1] * 2
    d[9] = d[2]
    return sum(vals) + sum(k * v for k, v in items)


@PROGRAMS.at(vector())
def min_max_inplace(a):
    np.minimum(a, 1.0, out=a)
    a.clip(0.0, 0.9, out=a)
    np.clip(a, a[0] / 2, None, out=a)
    return np.sum(a * np.arange(5.0))


@PROGRAMS.at(vector())
def cumsum_out(a):
    np.cumsum(a, out=a)
    b = a.cumsum()
    a.cumprod(out=b)
    return np.sum(a * b) / 10


@PROGRAMS.at(vector())
def swap_fancy(a):
    a[[0, 1]] = a[[1, 0]]
    a[[2, 3]], a[[0, 4]] = a[[0, 4]], a[[2, 3]]
    return np.sum(a * np.arange(5.0))


@PROGRAMS.at(vector())
def inplace_scalar(a):
    x = a[0]
    y = x
    x += a[1]
    x *= y
    y -= x
    return x * y


@PROGRAMS.at(vector())
def inplace_np_scalar_view(a):
    x = a[0:1]
    y = x
    x += a[1]
    x *= y
    y -= x * 0.5
    return np.sum(x * y) + a[0]


@PROGRAMS.at(vector())
def zero_d(a):
    x = np.array(a[0])
    y = x
    x += a[1]
    x *= y
    y[()] = x * a[2]
    return float(x) * y


@PROGRAMS.at(vector())
def while_mut(a):
    xs = [1.0]
    while len(xs) < 5:
        xs.append(xs[-1] * a[len(xs) - 1])
        xs[0] += xs[-1]
    return sum(xs)


@PROGRAMS.at(vector())
def try_views(a):
    b = a[1:]
    try:
        b[0] = a[0] * 3
        b[10] = 1
    except IndexError:
        b[1] = b[0]
    return np.sum(a * a)


@PROGRAMS.at(vector())
def ufunc_reduceat(a):
    return np.sum(np.add.reduceat(a, [0, 2, 3]) ** 2)


@PROGRAMS.at(vector())
def ufunc_outer(a):
    m = np.multiply.outer(a, a)
    m[0] = 1
    return np.sum(m)


@PROGRAMS.at(vector())
def insert_delete_append(a):
    b = np.insert(a, 1, a[0] * 2)
    c = np.delete(b, 2)
    d = np.append(c, a[:2])
    e = np.roll(d, 2)
    f = np.resize(a, (3, 3))
    b[0] = 9
    c[1] = 3
    return np.sum(e * np.arange(len(e))) + np.sum(f**2)


@PROGRAMS.at(vector())
def matrix_mult_out_alias(a):
    m = np.outer(a, a) + np.eye(5)
    np.matmul(m, m, out=m)
    np.dot(m, m.copy(), out=m)
    return np.sum(m) / 1e3


@PROGRAMS.at(vector())
def closure_cells_arrays(a):
    def make():
        b = a * 2

        def get():
            return b

        def put(i, v):
            b[i] = v

        return get, put

    get, put = make()
    g = get()
    put(0, g[1] * 3)
    y = np.sum(g)
    put(1, y)
    return np.sum(get() * g)


@PROGRAMS.at(vector())
def global_order(a):
    b = a * 1
    b[b > 0] *= 2
    b[b < 0] = b[b > 0][:1]
    return np.sum(b**2)


@PROGRAMS.at(vector())
def np_where_assign(a):
    (i,) = np.where(a > 0)
    a[i] = a[i] ** 2
    i = i[1:]
    a[i - 1] += a[i]
    return np.sum(a)


@PROGRAMS.at(vector())
def put_mask_alias(a):
    b = a[::-1]
    np.copyto(b, a)
    np.putmask(a, a > 0, b)
    np.place(a[1:], [True, False, True, False], [a[0] * 2, a[1]])
    return np.sum(a * np.arange(5.0))


@PROGRAMS.at(vector())
def take_out(a):
    np.take(a, [1, 2, 3, 4, 0], out=a, mode="clip")
    return np.sum(a * np.arange(5.0))


@PROGRAMS.at(vector())
def choose_compress(a):
    out = np.zeros(3)
    np.compress([True, False, True, False, True], a, out=out)
    a[0] = 5
    return np.sum(out**2)


@PROGRAMS.at(vector())
def sort_fn(a):
    b = np.sort(a)
    a[0] = b[0] * 2
    b.sort()
    b[::-1].sort()
    return np.sum(b * np.arange(5.0)) + a[0]


def memory_of_an_array_written(a):
    m = memoryview(a)
    m[0] = m[1] * a[2]
    return np.sum(a * a) + m[0] + sum(m)


PROGRAMS.at(vector())(memory_of_an_array_written)


@pytest.mark.parametrize(("program", "args", "options"), PROGRAMS)
def test_program(program, args, options):
    conforms_in_both_forms(program, args, options)
