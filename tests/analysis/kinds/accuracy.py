"""Cases of `accuracy.json`: the accuracy and tag of a decision, and the error rate and accuracy of a seat."""

from __future__ import annotations

from typing import Any

from domain.analysis.grades.accuracy import CURVE, LossOfStake, accuracy, accuracy_of, error_rate
from domain.analysis.grades.decisions import tag_of


def check(table: dict[str, Any], case: dict[str, Any]) -> None:
    assert list(CURVE) == table["table"]
    if "decisions" in case:
        lost = [LossOfStake(**each) for each in case["decisions"]]
        assert (error_rate(lost), accuracy(lost)) == (case["error_rate"], case["accuracy"])
    else:
        assert accuracy_of(case["points"]) == case["accuracy"]
        assert tag_of(case["points"], is_best=case["points"] == 0) == case["tag"]
