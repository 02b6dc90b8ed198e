"""Cases of records: what an analysis finds in a whole match, event by event and round by round."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from domain.analysis.following import FollowedRecord, follow
from domain.analysis.joining import Means, analysis_of
from domain.analysis.report import UsedPolicy, written
from domain.fairness.records import split
from domain.strategy.tables import MatchTable

LEVEL_ONE = UsedPolicy("level1@c59c5e77a85350394d59b3e6682de49aaf8368596fda5d802e67e99901f8e51d", "level")
TOLD = ("seat", "claim", "own", "need", "label", "after", "outcome")
"""Members of an event that a case may name, as an analysis has them."""


def check(found: Path, _case: None) -> None:
    wanted = json.loads(found.read_text(encoding="utf-8"))
    followed = followed_of(found.with_suffix(".cup"))
    document = json.loads(written(analysis_of(followed, Means((LEVEL_ONE,), 512))))
    told = {event["version"]: event for event in document["events"]}
    for event in wanted["events"]:
        _check_event(event, told[event["version"]])
    assert document["version"] == wanted["versions"]
    assert [played["round"] for played in document["rounds"]] == [played["round"] for played in wanted["rounds"]]
    for played in wanted["rounds"]:
        _check_worths(played, followed)


@cache
def followed_of(record: Path) -> FollowedRecord:
    """Return a record, followed once for all cases about it."""
    return follow(split(record.read_bytes()).lines)


def _check_event(wanted: dict[str, Any], told: dict[str, Any]) -> None:
    assert {key: told.get(key) for key in TOLD if key in wanted} == {key: wanted[key] for key in TOLD if key in wanted}
    chance = told["chance"]
    assert chance["public"][2] == wanted["chance"]["public"]
    assert {seat: chance["seat"][seat][2] for seat in wanted["chance"]["seat"]} == wanted["chance"]["seat"]
    if "all" in wanted["chance"]:
        assert chance["all"][2] == str(wanted["chance"]["all"])


def _check_worths(wanted: dict[str, Any], followed: FollowedRecord) -> None:
    """Check what the match is worth before and after a round, where all are as likely to lose one."""
    played = followed.rounds[wanted["round"] - 1]
    for when, state in (("before", played.steps[0].old), ("after", played.steps[-1].new)):
        if when in wanted:
            worths = MatchTable(state).standing(state)
            seats = (str(seat) for seat in state.seats)
            assert {seat: str(worth) for seat, worth in zip(seats, worths, strict=True)} == wanted[when]
