"""Cases of records: what an analysis finds in a whole match, event by event and round by round."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from domain.analysis.figures import ppm_of
from domain.analysis.following import FollowedRecord, follow
from domain.analysis.joining import analysis_of
from domain.analysis.report import written
from domain.fairness.records import split
from services.analysis.making import WantedAnalysis, means_for
from services.policies.shelf import Shelf

POLICIES = tuple([Shelf().find(name).policy for name in ("level1", "even")])
TOLD = ("seat", "claim", "own", "need", "label", "after", "outcome")
"""Members of an event that a case may name, as an analysis has them."""


def check(found: Path, _case: None) -> None:
    wanted = json.loads(found.read_text(encoding="utf-8"))
    followed = followed_of(found.with_suffix(".cup"))
    document = json.loads(written(analysis_of(followed, means_for(followed, WantedAnalysis(POLICIES), Shelf()))))
    told = {event["version"]: event for event in document["events"]}
    for event in wanted["events"]:
        _check_event(event, told[event["version"]])
    assert document["version"] == wanted["versions"]
    assert [played["round"] for played in document["rounds"]] == [played["round"] for played in wanted["rounds"]]
    for played, found_round in zip(wanted["rounds"], document["rounds"], strict=True):
        for when in ("before", "after"):
            if when in played:
                worths = {seat: ppm_of(Fraction(worth)) for seat, worth in played[when].items()}
                assert {seat: figure[0] for seat, figure in found_round[when].items()} == worths


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
