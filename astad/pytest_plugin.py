"""The pytest plugin: the fixture `check_gradient`, its options, and a line in the summary; and
``--astad-verify``, which looks at each gradient that the tests compute.

Nothing of astad's compiler is imported before a test calls the fixture.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from astad.testing.report import CheckResult

__all__ = ["GradientChecker"]

__tracebackhide__ = True  # pytest shows the frames of the test alone

OPTIONS = {
    "gradcheck-rtol": ("largest relative disagreement of a gradient with its differences", float),
    "gradcheck-atol": ("the same, relative to the largest entry of the gradient", float),
    "gradcheck-seed": ("for random cotangents and directions; default 0", int),
}
CHECKED = "astad gradient entries checked"
VERIFIED = "astad variants verified"
BEFORE = pytest.StashKey[tuple[bool, str | None]]()
CHECKER = pytest.StashKey["GradientChecker"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line, and ini keys of the same names."""
    group = parser.getgroup("astad", "gradients checked by astad")
    for name, (text, kind) in OPTIONS.items():
        group.addoption(f"--{name}", type=kind, default=None, help=text)
        parser.addini(name.replace("-", "_"), text, default="")
    group.addoption(
        "--astad-verify", action="store_true", help="as ASTAD_VERIFY=1: see astad.verified"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Verify from here on, for ``--astad-verify``; in processes that tests start too."""
    if config.getoption("--astad-verify"):
        from astad import settings  # late, as below
        from astad.testing import verifying  # noqa: F401  (fills a slot)

        config.stash[BEFORE] = settings.verify, os.environ.get("ASTAD_VERIFY")
        settings.verify, os.environ["ASTAD_VERIFY"] = True, "1"


def pytest_unconfigure(config: pytest.Config) -> None:
    """As it was: a session may run inside another."""
    if BEFORE in config.stash:
        from astad import settings  # late, as below

        settings.verify, variable = config.stash[BEFORE]
        os.environ.pop("ASTAD_VERIFY", None)
        if variable is not None:
            os.environ["ASTAD_VERIFY"] = variable


def option(config: pytest.Config, name: str) -> Any:  # a float or an int
    """The value on the command line, else in the ini file, else None."""
    value = config.getoption(f"--{name}")
    text = config.getini(name.replace("-", "_"))
    return OPTIONS[name][1](text) if value is None and text else value


def pytest_report_header(config: pytest.Config) -> str | None:
    """The seed, when one was asked for."""
    seed = option(config, "gradcheck-seed")
    return None if seed is None else f"astad: gradcheck seed {seed}"


class GradientChecker:
    """What the fixture gives: `astad.testing.check_gradient` with the session's options.

    Parameters
    ----------
    rtol, atol : float or None
        From ``--gradcheck-rtol`` and ``--gradcheck-atol``; those given in a call win.
    seed : int
        Made of the test's node id and ``--gradcheck-seed``.
    """

    def __init__(self, rtol: float | None, atol: float | None, seed: int) -> None:
        self.defaults = {"rtol": rtol, "atol": atol, "seed": seed}
        self.calls = 0
        self.entries = 0

    def __call__(self, f: Callable[..., object], *args: object, **options: Any) -> CheckResult:
        """Check the gradient of ``f`` at ``args``; options as `astad.testing.check_gradient`."""
        # late: a session without gradient tests must not load the compiler
        from astad.testing import check_gradient

        self.calls += 1
        return self.count(check_gradient(f, *args, **self.with_defaults(options)))

    def compare(
        self,
        claimed: Callable[..., Any],  # see astad.testing.conduct.Claimed
        f: Callable[..., object],
        args: Sequence[object],
        **options: Any,  # those of check_gradient
    ) -> CheckResult:
        """Check a pullback written by hand, ``claimed(*args) -> (y, back)``."""
        from astad.testing import compare  # late, as above

        self.calls += 1
        return self.count(compare(claimed, f, args, **self.with_defaults(options)).verify())

    def with_defaults(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a call, filled up by those of the session."""
        return {**self.defaults, **options}

    def count(self, result: CheckResult) -> CheckResult:
        """Count the entries for the summary."""
        self.entries += len(result.rows)
        return result


@pytest.fixture(name="check_gradient")
def check_gradient_fixture(request: pytest.FixtureRequest) -> GradientChecker:
    """Compare a gradient with finite differences: ``check_gradient(f, *args)``.

    Options: argnums, rtol, atol, kwargs, expect_zero, seed. A test that asks for this fixture and
    never calls it fails.
    """
    config = request.config
    base = option(config, "gradcheck-seed") or 0
    seed = zlib.crc32(request.node.nodeid.encode()) ^ base
    rtol, atol = option(config, "gradcheck-rtol"), option(config, "gradcheck-atol")
    checker = GradientChecker(rtol, atol, seed)
    request.node.stash[CHECKER] = checker
    return checker


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed without checking anything; note how many entries were checked."""
    before = verified_so_far()
    try:
        outcome = yield
    except BaseException as err:
        note_how_to_repeat(item, err)
        raise
    if (now := verified_so_far()) != before:
        done = [b - a for a, b in zip(before, now, strict=True)]
        item.user_properties.append((VERIFIED, done))
    checker = item.stash.get(CHECKER, None)
    if checker is not None:
        if not checker.calls:
            pytest.fail("nothing checked: the test never called check_gradient", pytrace=False)
        item.user_properties.append((CHECKED, checker.entries))
    return outcome


def verified_so_far() -> tuple[int, int, int]:
    """How many were verified, refused, inconclusive; zeros where nothing is verified."""
    verifying = getattr(sys.modules.get("astad.testing"), "verifying", None)
    if verifying is None:
        return 0, 0, 0
    total = verifying.TOTAL
    return total.verified, total.refused, len(total.inconclusive)


def note_how_to_repeat(item: pytest.Item, err: BaseException) -> None:
    """Add the command that repeats a failed check with the same random numbers."""
    checker = item.stash.get(CHECKER, None)
    # by name: the class is not imported unless a check ran
    names = {kind.__name__ for kind in type(err).__mro__}
    if checker is not None and "CheckFailed" in names:
        base = option(item.config, "gradcheck-seed") or 0
        err.add_note(f"repeat: pytest '{item.nodeid}' --gradcheck-seed={base}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line each: how many gradients were found right, and how many variants were verified."""
    passed = [dict(r.user_properties) for r in terminalreporter.stats.get("passed", ())]
    counts = [found[CHECKED] for found in passed if CHECKED in found]
    if counts:
        terminalreporter.write_line(f"astad: {sum(counts)} gradient entries in {len(counts)} tests")
    done = [found[VERIFIED] for found in passed if VERIFIED in found]
    if done:
        right, refused, open_ = map(sum, zip(*done, strict=True))
        terminalreporter.write_line(
            f"astad: {right} variants verified, {refused} refused by astad, {open_} inconclusive"
        )
