"""autograd's functions of functions, by astad's.

>>> grad(lambda a, b: a * b, 1)(2.0, 3.0)
2.0
>>> deriv(np.sin)(0.0)
1.0
"""

import functools
import inspect
import linecache
import warnings

import numpy as np

import astad

from .spaces import Space, conjugated, filled, ones, zeros


def of_one(fun, argnum, args, keywords):
    """``fun`` as a function of what ``argnum`` says, and what that is: an array that is another
    argument too is a copy, since astad gives the total in an object that a function has captured.
    """
    args = [apart(arg, args[:at]) for at, arg in enumerate(args)]
    if isinstance(argnum, int):
        argnum = range(len(args))[argnum]
        if len(args) == 1 and not keywords:
            return fun, args[0]
        return calling(fun, {argnum: "x"}, args, keywords), args[argnum]
    places = {at: f"x[{place}]" for place, at in enumerate(argnum)}
    return calling(fun, places, args, keywords), tuple([args[at] for at in argnum])


def calling(fun, given, args, keywords):
    """The call as a user writes it: ``lambda x: fun(a_0, x, axis=1)``.

    >>> calling(np.sum, {0: "x"}, [None], {"axis": 0})(np.ones((2, 3)))
    array([2., 2., 2.])
    """
    held = {f"a_{at}": arg for at, arg in enumerate(args) if at not in given}
    held |= {f"k_{word}": value for word, value in keywords.items()}
    words = {name: repr(value) for name, value in held.items() if is_literal(value)}
    parts = [given.get(at) or words.get(f"a_{at}", f"a_{at}") for at in range(len(args))]
    parts += [f"{word}={words.get(f'k_{word}', f'k_{word}')}" for word in keywords]
    names = [name for name in held if name not in words]
    make = maker(f"fun({', '.join(parts)})", ("fun", *names))
    return make(fun, *[held[name] for name in names])


def is_literal(value):
    if isinstance(value, tuple | list):
        return all(map(is_literal, value))
    return value is ... or value is None or type(value) in (bool, int, str)


@functools.cache
def maker(call, names):
    """What makes such a function, with a text that can be read."""
    text = f"def make({', '.join(names)}):\n    return lambda x: {call}\n"
    file = f"<autograd_suite {call}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    space = {"__name__": __name__}
    exec(compile(text, file, "exec"), space)
    return space["make"]


def apart(arg, others):
    is_again = isinstance(arg, np.ndarray) and any([arg is other for other in others])
    return arg.copy() if is_again else arg


def unary_to_nary(operator):
    """An operator on functions of one argument as one on functions of many."""

    @functools.wraps(operator)
    def of_many(fun, argnum=0, *more, **options):
        assert type(argnum) in (int, tuple, list), argnum

        def derived(*args, **keywords):
            f, x = of_one(fun, argnum, args, keywords)
            return operator(f, x, *more, **options)

        name, of = operator.__name__, getattr(fun, "__name__", "f")
        derived.__name__ = f"{name}_of_{of}_wrt_argnum_{argnum}"
        derived.__doc__ = f"    {name} of function {of} with respect to argument number {argnum}."
        return derived

    return of_many


def vjp_and_value(f, x):
    y, back = astad.pullback(f, x)

    def vjp(y_bar):
        (x_bar,) = back(conjugated(y_bar))
        return conjugated(filled(x_bar, x))

    return vjp, y


def check_scalar(y):
    if Space(y).size != 1:
        raise TypeError("the result is no real number")


def gradient_at(f, x):
    """The gradient of a function whose result may be an array of one number."""
    y = f(x)
    check_scalar(y)
    if np.ndim(y) == 0:
        return conjugated(filled(astad.grad(f)(x), x))
    _, back = astad.pullback(f, x)
    return conjugated(filled(back(ones(y))[0], x))


make_vjp = unary_to_nary(vjp_and_value)


def pulled_back(f, x, y_bar):
    """What the pullback of ``f`` at ``x`` gives for a cotangent."""
    _, back = astad.pullback(f, x)
    return filled(back(y_bar)[0], x)


def pushed(f, x, v):
    """The change of ``f`` along ``v``."""
    return astad.jvp(f, (x,), (v,))[1]


def _jvp_at(f, x):
    return lambda v: astad.jvp(f, (x,), (v,))


make_jvp = unary_to_nary(_jvp_at)


def _grad(f, x):
    return gradient_at(f, x)


_grad.__name__ = "grad"
_grad.__doc__ = "\n    Returns a function which gives the gradient of a scalar function."
grad = unary_to_nary(_grad)


def _elementwise(f, x):
    y, back = astad.pullback(f, x)
    if Space(y).iscomplex:
        raise TypeError("the result is complex")
    return filled(back(ones(y))[0], x)


elementwise_grad = unary_to_nary(_elementwise)


def _deriv(f, x):
    return astad.jvp(f, (x,), (ones(x),))[1]


deriv = unary_to_nary(_deriv)


def _jacobian(f, x):
    return astad.jacobian(f, x)


jacobian = unary_to_nary(_jacobian)


def _holomorphic(f, x):
    if not np.iscomplexobj(x):
        warnings.warn("Input to holomorphic_grad is not complex", stacklevel=3)
    return gradient_at(lambda x: np.real(f(x)), x)


holomorphic_grad = unary_to_nary(_holomorphic)


def grad_named(fun, argname):
    return grad(fun, list(inspect.signature(fun).parameters).index(argname))


def _hessian(f, x):
    if np.ndim(f(x)) == 0:
        return astad.hessian(f, x)
    return astad.jacobian(lambda x: jacobian(f)(x), x)


hessian = unary_to_nary(_hessian)


def _hvp_and_gradient(f, x):
    return (lambda v: astad.hvp(f, x, v)), gradient_at(f, x)


make_hvp = unary_to_nary(_hvp_and_gradient)


def hessian_tensor_product(fun, argnum=0):
    def product(*args, **keywords):
        f, x = of_one(fun, argnum, args[:-1], keywords)
        return astad.hvp(f, x, args[-1])

    return product


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun, argnum=0):
    def product(*args, **keywords):
        f, x = of_one(fun, argnum, args[:-1], keywords)
        tensor = args[-1]
        return astad.jacobian(lambda x: np.tensordot(tensor, f(x), np.ndim(tensor)), x)

    return product


vector_jacobian_product = tensor_jacobian_product


def _jvp_by_reverse(f, x):
    vjp, y = vjp_and_value(f, x)
    return vjp_and_value(vjp, zeros(y))[0]


make_jvp_reversemode = unary_to_nary(_jvp_by_reverse)


def half_square(x):
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f, g=half_square, f_argnum=0):
    """Products with J^T H J: J of ``f``, H of ``g`` at its result."""

    def at(f, x):
        y, back = astad.pullback(f, x)

        def product(v):
            (found,) = back(astad.hvp(g, y, astad.jvp(f, (x,), (v,))[1]))
            return found

        return product

    return unary_to_nary(at)(f, f_argnum)


def _value_and_gradient(f, x):
    return f(x), gradient_at(f, x)


value_and_grad = unary_to_nary(_value_and_gradient)


def _gradient_and_aux(f, x):
    (y, aux), back = astad.pullback(f, x)
    (x_bar,) = back((ones(y), None))
    return filled(x_bar, x), aux


grad_and_aux = unary_to_nary(_gradient_and_aux)


def multigrad_dict(fun):
    """The gradients in all arguments, by name."""
    signature = inspect.signature(fun)

    def gradients(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        return grad(lambda named: fun(**named))(dict(bound.arguments))

    return gradients


def checkpoint(fun):
    return astad.checkpoint(fun)
