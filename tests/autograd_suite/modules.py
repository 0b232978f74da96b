"""The modules that tests import as autograd, each filled with NumPy, SciPy, or astad's functions.

>>> install()
>>> import autograd.numpy as np
>>> from autograd import grad
>>> grad(np.sin)(0.0)
1.0
>>> uninstall()
"""

import builtins
import sys
from types import ModuleType

import numpy
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

from . import checks, containers, operators, primitives
from .spaces import Space

OPERATORS = (
    "checkpoint deriv elementwise_grad grad grad_and_aux grad_named hessian hessian_tensor_product "
    "hessian_vector_product holomorphic_grad jacobian make_ggnvp make_hvp make_jvp "
    "make_jvp_reversemode make_vjp multigrad_dict tensor_jacobian_product value_and_grad "
    "vector_jacobian_product"
).split()


def install():
    plain = {
        name: getattr(builtins, name) for name in ("dict", "isinstance", "list", "tuple", "type")
    }
    rules = {
        name: getattr(primitives, name)
        for name in (
            "defjvp",
            "defjvp_argnum",
            "defvjp",
            "defvjp_argnum",
            "notrace_primitive",
            "primitive",
        )
    }
    made = {
        "autograd": {**{name: getattr(operators, name) for name in OPERATORS}, **plain},
        "autograd.builtins": plain,
        "autograd.core": {
            **rules,
            "make_vjp": operators.vjp_and_value,
            "vspace": Space,
            "primitive_vjps": {},
        },
        "autograd.extend": {**rules, "vspace": Space},
        "autograd.tracer": {"isbox": lambda value: False, "primitive": primitives.primitive},
        "autograd.util": {"quick_grad_check": checks.quick_grad_check},
        "autograd.wrap_util": {"unary_to_nary": operators.unary_to_nary},
        "autograd.test_util": {name: getattr(checks, name) for name in checks.__all__},
        "autograd.misc": {"flatten": containers.flatten, "const_graph": without_graph},
    }
    for name, content in made.items():
        module = ModuleType(name)
        vars(module).update(content)
        module.__path__ = []
        _put(name, module)
    _put("autograd.numpy", numpy)
    _put("autograd.numpy.random", numpy.random)
    _put("autograd.numpy.linalg", numpy.linalg)
    _put("autograd.numpy.fft", numpy.fft)
    _put("autograd.scipy", scipy)
    for name in ("integrate", "linalg", "signal", "special", "stats"):
        _put(f"autograd.scipy.{name}", getattr(scipy, name))
    for name in "beta chi2 dirichlet gamma multivariate_normal norm poisson t".split():
        _put(f"autograd.scipy.stats.{name}", getattr(scipy.stats, name))


def without_graph(f, *args, **keywords):
    raise NotImplementedError("astad keeps no graph")


def _put(name, module):
    sys.modules[name] = module
    home, _, own = name.rpartition(".")
    if home in ("autograd", "autograd.misc"):
        setattr(sys.modules[home], own, module)


def uninstall():
    for name in [name for name in sys.modules if name.partition(".")[0] == "autograd"]:
        del sys.modules[name]
