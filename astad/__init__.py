"""astad: the gradient of ordinary Python and NumPy code, by rewriting its source."""

from astad.api import wiring
from astad.api.checkpointing import checkpoint
from astad.api.custom_rules import adjoint, nondifferentiable
from astad.api.differentiable import differentiable
from astad.api.hooks import dropgrad, hook, isderiving, showgrad
from astad.api.reverse_mode import grad, gradient, pullback, pullback_self, value_and_grad
from astad.importing.disk import cache_info
from astad.importing.finder import import_hook, install_if_wanted
from astad.tangents.add import accum
from astad.tangents.objects import Tangent

__version__ = "0.1.0"

__all__ = [
    "Tangent", "accum", "adjoint", "cache_info", "checkpoint", "differentiable", "dropgrad", "grad", "gradient", "hook",
    "import_hook", "isderiving", "nondifferentiable", "pullback", "pullback_self", "showgrad", "value_and_grad",
]  # fmt: skip
install_if_wanted()
del install_if_wanted, wiring
