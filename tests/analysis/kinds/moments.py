"""Cases of `moments.json`: candidates to key moments."""

from __future__ import annotations

from typing import Any

from domain.analysis.grades.moments import Candidate, moments


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    found = moments(Candidate(**each) for each in case["candidates"])
    assert [{"version": each.version, "kinds": list(each.kinds)} for each in found] == case["expect"]
