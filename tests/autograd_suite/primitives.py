"""autograd's functions with rules of their own, by `astad.adjoint`.

>>> @primitive
... def twice(x):
...     return 2.0 * x
>>> defvjp(twice, lambda y, x: lambda y_bar: 20.0 * y_bar)
>>> astad.gradient(twice, 1.0)
(20.0,)
"""

import functools

import astad

RULES = {}
"""By function: for each argument a function of the result and the arguments that gives a pullback;
None for one that has no derivative."""


def primitive(fun):
    @functools.wraps(fun)
    def called(*args, **keywords):
        return fun(*args, **keywords)

    def rule(*args, **keywords):
        y = fun(*args, **keywords)

        def back(y_bar):
            return tuple(pulled(called, at, y, args, keywords, y_bar) for at in range(len(args)))

        return y, back

    RULES[called] = {}
    astad.adjoint(called)(rule)
    return called


def pulled(called, at, y, args, keywords, y_bar):
    rules = RULES[called]
    if at in rules:
        made = rules[at]
        return None if made is None else made(y, *args, **keywords)(y_bar)
    if None in rules:
        return rules[None](at, y, args, keywords)(y_bar)
    raise NotImplementedError(f"VJP of {called.__name__} wrt argnum {at} not defined")


def notrace_primitive(fun):
    return astad.nondifferentiable(fun)


def defvjp(fun, *makers, argnums=None):
    places = range(len(makers)) if argnums is None else argnums
    RULES[fun].update(zip(places, makers, strict=True))


def defvjp_argnum(fun, maker):
    RULES[fun][None] = maker


def defjvp(fun, *makers, argnums=None):
    """Forward mode takes the reverse rule, transposed."""


defjvp_argnum = defjvp
