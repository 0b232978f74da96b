"""astad: the gradient of ordinary Python and NumPy code, by rewriting its source.

What differentiates is read when one of its names is first asked for: a module that only decorates
its functions is imported for 3 ms more than without astad.
"""

from typing import TYPE_CHECKING, Any

from astad import errors as errors
from astad import originals as originals
from astad import settings as settings
from astad.api.variants.differentiable import differentiable
from astad.api.variants.whole import whole as _whole
from astad.importing.debuggers import hidden as _hidden
from astad.importing.disk import cache_info
from astad.importing.finder import import_hook, install_if_wanted
from astad.threads import importing as _importing

if TYPE_CHECKING:
    from astad.api.gradients.recorded import recorded_text
    from astad.api.inspection.explaining import explain
    from astad.api.inspection.lost_paths import why_none
    from astad.api.inspection.profiling import profile
    from astad.api.public import (
        Buffer,
        Grads,
        Params,
        Tangent,
        accum,
        adjoint,
        checked,
        checkpoint,
        dropgrad,
        forwarddiff,
        grad,
        gradient,
        hessian,
        hessian_diag,
        hook,
        hvp,
        implicit,
        isderiving,
        jacobian,
        jvp,
        jvp_rule,
        memory,
        nestlevel,
        nondifferentiable,
        pullback,
        pullback_self,
        scalar_rule,
        showgrad,
        value_and_grad,
        value_and_jacobian,
        vjp,
        wirtinger,
    )
    from astad.testing.verifying import verified

__version__ = "0.1.0"

__all__ = [
    "Buffer", "Grads", "Params", "Tangent", "accum", "adjoint", "cache_info", "checked",
    "checkpoint", "differentiable", "dropgrad", "explain", "forwarddiff", "grad", "gradient",
    "hessian", "hessian_diag", "hook", "hvp", "implicit", "import_hook", "isderiving", "jacobian",
    "jvp", "jvp_rule", "memory", "nestlevel", "nondifferentiable", "profile", "pullback",
    "pullback_self", "recorded_text", "scalar_rule", "showgrad", "value_and_grad",
    "value_and_jacobian", "verified", "vjp", "why_none", "wirtinger",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _hidden(lambda: _importing(lambda: _read(name)))
    return globals()[name]


def _read(name: str) -> None:
    if name == "why_none":  # it needs the compiler
        from astad.api.inspection.lost_paths import why_none

        globals()[name] = why_none
    elif name == "explain":  # it needs the compiler too
        from astad.api.inspection.explaining import explain

        globals()[name] = explain
    elif name == "recorded_text":
        from astad.api.gradients.recorded import recorded_text

        globals()[name] = recorded_text
    elif name == "profile":  # its parts serve nothing else
        from astad.api.inspection.profiling import profile

        globals()[name] = profile
    elif name == "verified":  # it needs the compiler too
        from astad.testing.verifying import verified

        globals()[name] = verified
    elif name in ("gradient", "grad", "value_and_grad"):
        from astad.api.gradients import gradients  # late: 10 ms

        globals().update({each: getattr(gradients, each) for each in gradients.__all__})
    else:
        from astad.api import public  # late: the dispatcher with it

        globals().update({each: getattr(public, each) for each in public.__all__})


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_whole.read = lambda: __getattr__("pullback")
install_if_wanted()
if settings.verify:
    import astad.testing.verifying  # noqa: F401  (fills a slot)
del Any, TYPE_CHECKING, install_if_wanted
