"""Checks of gradients against finite differences."""

from astad.testing.check import check_gradient, compare
from astad.testing.report import (
    CheckFailed,
    CheckResult,
    GradientInconclusive,
    GradientWrong,
    NothingChecked,
)

__all__ = [
    "CheckFailed",
    "CheckResult",
    "GradientInconclusive",
    "GradientWrong",
    "NothingChecked",
    "check_gradient",
    "compare",
]
