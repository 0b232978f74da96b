"""The public names that `astad/__init__.py` gives out when they are first asked for."""

from astad.api import nesting, transposing  # noqa: F401  (they fill tables)
from astad.api.checkpointing import checkpoint
from astad.api.checks import checked
from astad.api.custom_rules import adjoint, nondifferentiable, scalar_rule
from astad.api.hooks import dropgrad, hook, isderiving, showgrad
from astad.api.reverse_mode import grad, gradient, pullback, pullback_self, value_and_grad
from astad.tangents.add import accum
from astad.tangents.objects import Tangent

__all__ = [
    "Tangent", "accum", "adjoint", "checked", "checkpoint", "dropgrad", "grad", "gradient", "hook",
    "isderiving", "nondifferentiable", "pullback", "pullback_self", "scalar_rule",
    "showgrad", "value_and_grad",
]  # fmt: skip
