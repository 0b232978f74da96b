"""The public names that `astad/__init__.py` gives out when they are first asked for, and all that a
differentiation may need.
"""

from astad.api import inner_derivatives, nesting, rounds, transposing  # noqa: F401  (fill tables)
from astad.api.buffers import Buffer
from astad.api.checkpointing import checkpoint
from astad.api.checks import checked
from astad.api.custom_rules import adjoint, jvp_rule, nondifferentiable, scalar_rule
from astad.api.directions import jvp, vjp
from astad.api.forward_at_once import forwarddiff
from astad.api.gradients import grad, gradient, value_and_grad
from astad.api.hooks import dropgrad, hook, isderiving, nestlevel, showgrad
from astad.api.implicit_functions import implicit
from astad.api.jacobians import jacobian, value_and_jacobian, wirtinger
from astad.api.memory_budgets import memory
from astad.api.params import Grads, Params
from astad.api.pullbacks import of_scalar, pullback, pullback_self, run
from astad.api.second_order import hessian, hessian_diag, hvp
from astad.api.whole import whole
from astad.rules.registry import read_late
from astad.runtime.full_rules import FULL
from astad.tangents.add import accum
from astad.tangents.objects import Tangent

__all__ = [
    "Buffer", "Grads", "Params", "Tangent", "accum", "adjoint", "checked", "checkpoint", "dropgrad",
    "forwarddiff", "grad", "gradient", "hessian", "hessian_diag", "hook", "hvp", "implicit",
    "isderiving", "jacobian", "jvp", "jvp_rule", "memory", "nestlevel", "nondifferentiable",
    "pullback", "pullback_self", "scalar_rule", "showgrad", "value_and_grad", "value_and_jacobian",
    "vjp", "wirtinger",
]  # fmt: skip

whole.run, whole.of_scalar, whole.full = run, of_scalar, FULL
read_late()
