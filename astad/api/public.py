"""The public names that `astad/__init__.py` gives out when they are first asked for, and all that a
differentiation may need.
"""

from astad.api.gradients.buffers import Buffer
from astad.api.gradients.gradients import grad, gradient, value_and_grad
from astad.api.gradients.params import Grads, Params
from astad.api.gradients.pullbacks import pullback, pullback_self
from astad.api.gradients.sweeps import of_scalar, run
from astad.api.higher import (  # noqa: F401  (fill tables)
    inner_derivatives,
    nesting,
)
from astad.api.higher.directions import jvp, vjp
from astad.api.higher.forward_at_once import forwarddiff
from astad.api.higher.jacobians import jacobian, value_and_jacobian, wirtinger
from astad.api.higher.second_order import hessian, hessian_diag, hvp
from astad.api.inspection.checks import checked
from astad.api.memory import (  # noqa: F401  (fill tables)
    rounds,
)
from astad.api.memory.checkpointing import checkpoint
from astad.api.memory.memory_budgets import memory
from astad.api.rules import (  # noqa: F401  (fill tables)
    tangent_rules,
)
from astad.api.rules.custom_rules import adjoint, jvp_rule, nondifferentiable, scalar_rule
from astad.api.rules.hooks import dropgrad, hook, isderiving, nestlevel, showgrad
from astad.api.rules.implicit_functions import implicit
from astad.api.variants.whole import whole
from astad.rules.registry import read_late
from astad.runtime.core.full_rules import FULL
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
