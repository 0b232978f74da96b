"""No rule is left out of a check without a reason."""

from __future__ import annotations

import harness
import pytest
from exemptions import EXEMPT, REFUSED_SECOND, reason
from listed import rows, tangent_of

from astad.rules import REGISTRY

TABLE = rows()


def test_every_rule_has_calls_or_a_reason() -> None:
    without = [rule.name for rule, count, left in TABLE if not count and not left["cases"]]
    assert not without


def test_every_exemption_has_a_reason_and_is_needed() -> None:
    names = [rule.name for rule in REGISTRY.values()]
    for check, exempt in EXEMPT.items():
        for name, why in exempt.items():
            assert why, (check, name)
            if name.startswith("np."):  # those of SciPy are there where SciPy is
                assert name in names, (check, name)
    for rule in REGISTRY.values():
        if reason(rule, "cases"):
            assert not rule.examples or not harness.cases(rule)


@pytest.mark.parametrize("name", sorted(REFUSED_SECOND))
def test_every_refusal_is_of_a_rule(name: str) -> None:
    pytest.importorskip("scipy.special._ufuncs")
    assert name in {rule.name for rule in REGISTRY.values()}


def test_every_tangent_has_a_way() -> None:
    assert all(tangent_of(rule) for rule, *_ in TABLE)
