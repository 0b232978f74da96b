"""astad: the gradient of ordinary Python and NumPy code, by rewriting its source."""

from astad.api import wiring
from astad.api.checkpointing import checkpoint
from astad.api.custom_rules import adjoint, nondifferentiable
from astad.api.differentiable import differentiable
from astad.api.hooks import dropgrad, hook, isderiving, showgrad
from astad.api.reverse_mode import grad, gradient, pullback, pullback_self, value_and_grad
from astad.tangents.add import accum
from astad.tangents.objects import Tangent

__version__ = "0.1.0"

__all__ = [
    "Tangent", "accum", "adjoint", "checkpoint", "differentiable", "dropgrad", "grad", "gradient", "hook",
    "isderiving", "nondifferentiable", "pullback", "pullback_self", "showgrad", "value_and_grad",
]  # fmt: skip
del wiring
