"""Decisions where the cases of `decisions.json` say nothing: without a stake, and by estimates."""

from __future__ import annotations

from domain.analysis.grades.decisions import Weighed, judge

TWO = (Weighed(500_000), Weighed(430_000))


def test_where_nothing_is_at_stake_nothing_is_said() -> None:
    said = judge(TWO, 1, 0)
    assert (said.loss, said.points, said.tag, said.marks) == (70_000, None, None, ())


def test_an_estimate_is_judged_by_the_lower_end_of_its_interval() -> None:
    assert judge(TWO, 1, 1_000_000).tag == "inaccuracy"
    said = judge(TWO, 1, 1_000_000, margin=30_000)
    assert (said.points, said.tag) == (70_000, "good")


def test_the_only_move_there_is_is_no_only_move() -> None:
    assert judge(TWO[:1], 0, 1_000_000).marks == ()
