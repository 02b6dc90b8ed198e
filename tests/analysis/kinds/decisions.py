"""Cases of `decisions.json`: options to loss, points, tag and marks."""

from __future__ import annotations

from typing import Any

from domain.analysis.grades.decisions import Doubted, Weighed, judge


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    options = [Weighed(each["q"], each["bluff"], each["move"] == "challenge") for each in case["options"]]
    doubted = Doubted(case["read"], case["right"]) if "read" in case else None
    said = judge(options, case["played"], case["stake"], label=case.get("label"), doubted=doubted)
    expected = case["expect"]
    assert (said.best, said.loss, said.points, said.tag, list(said.marks)) == tuple(
        expected[name] for name in ("best", "loss", "points", "tag", "marks")
    )
