"""Cases of records: what an analysis finds in a whole match, event by event and round by round."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from domain.analysis.claims import claims_told
from domain.analysis.figures import ppm_of
from domain.analysis.joining import analysis_of
from domain.analysis.means import SAMPLES_MIN
from domain.analysis.record.following import FollowedRecord, FollowedRound, follow
from domain.analysis.report import written
from domain.fairness.records import split
from services.analysis.making import WantedAnalysis, means_for
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf
from tests.sizes import is_long

POLICIES = tuple([Shelf().find(name).policy for name in ("level1", "even")])
TOLD = ("seat", "claim", "own", "need", "label", "after", "outcome")
"""Members of an event that a case may name, as an analysis has them."""
JUDGED = frozenset({"read", "doubt", "before", "equity", "decisions"})
"""Members of an event or a round that odds alone do not tell."""
ROUNDED = ("table", "own", "theirs", "skill", "unseen")
"""Parts of luck that are rounded, each for itself."""
FIGURES = ("loss", "stake", "points", "skill")


def check(found: Path, _case: None) -> None:
    wanted = json.loads(found.read_text(encoding="utf-8"))
    followed = followed_of(found.with_suffix(".cup"))
    document = document_of(followed, wanted)
    claims = {event["version"]: event for played in followed.rounds for event in by_odds(played)}
    told = {event["version"]: event for event in document["events"]}
    for event in wanted["events"]:
        _check_event(event, claims[event["version"]] | told.get(event["version"], {}))
    assert document["version"] == wanted["versions"]
    assert [played["round"] for played in wanted["rounds"]] == [played.number for played in followed.rounds]
    for played, told_round in zip(wanted["rounds"], document["rounds"], strict=is_judged(wanted)):
        _check_round(played, told_round)
        acts = [event for event in document["events"] if event["round"] == played["round"]]
        for step in played.get("equity", ()):
            _check_equity(step, acts[step["after_actions"]]["equity"])
        for number, decision in enumerate(played.get("decisions", ())):
            _check_decision(decision, acts[number + 1])
    _check_seats(wanted.get("luck", {}), document["seats"])


def document_of(followed: FollowedRecord, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the analysis of a record; in the line that of a first round alone, where only claims are looked at."""
    rounds = None if is_judged(wanted) or is_long() else (1, 1)
    means = means_for(followed, WantedAnalysis(POLICIES, SAMPLES_MIN, rounds), Shelf())
    found: dict[str, Any] = json.loads(written(analysis_of(followed, means, evaluate)))
    return found


def is_judged(wanted: dict[str, Any]) -> bool:
    """Report whether more is said of a record than what odds say of its claims."""
    return not JUDGED.isdisjoint(name for told in (*wanted["events"], *wanted["rounds"]) for name in told)


def by_odds(played: FollowedRound) -> list[dict[str, Any]]:
    """Return what odds alone say of the claims of a round, as a document has it."""
    found: list[dict[str, Any]] = json.loads(msgspec.json.encode(claims_told(played)))
    return found


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
    for when, reading in wanted.get("read", {}).items():
        near({"public": told["read"][when]["public"]}, {"public": reading["public"]})
        near(told["read"][when]["seat"], reading["seat"])


def _check_round(wanted: dict[str, Any], told: dict[str, Any]) -> None:
    assert told["round"] == wanted["round"]
    for when in ("before", "after"):
        if when in wanted:
            assert {seat: figure[0] for seat, figure in told[when].items()} == ppm(wanted[when])
    if "doubt" in wanted:
        assert {seat: figure[2] for seat, figure in told["doubt"].items()} == wanted["doubt"]


def _check_equity(wanted: dict[str, Any], told: dict[str, Any]) -> None:
    for viewpoint in ("public", "seat", "all"):
        near(told[viewpoint], wanted[viewpoint])


def _check_decision(wanted: dict[str, Any], event: dict[str, Any]) -> None:
    told, moves = event["decision"], {str(name): q for name, q in wanted["q"]}
    options = {_name(option["move"]): option["q"] for option in told["options"]}
    near({name: options[name] for name in options}, {name: moves[name] for name in options})
    assert len(options) in {len(moves), 12, 13}
    near({key: told[key] for key in FIGURES}, {key: wanted[key] for key in FIGURES})
    played, best = (told["options"][told[which]]["move"] for which in ("played", "best"))
    assert (_name(played), _name(best)) == (str(wanted["played"]), str(wanted["best"]))
    assert (event["seat"], told["tag"], told["forced"]) == (wanted["seat"], wanted["tag"], wanted["forced"])


def _check_seats(wanted: dict[str, Any], told: list[dict[str, Any]]) -> None:
    """Check where the change of each seat's worth came from; the last part takes what the others were off by."""
    for seat in told:
        parts = dict(wanted.get(str(seat["seat"]), {}))
        if parts:
            found = {**seat["luck"], "loss": seat["loss"]}
            assert abs(found.pop("others")[0] - parts.pop("others")) <= len(ROUNDED)
            near(found, parts)


def near(told: dict[str, Any], wanted: dict[str, int]) -> None:
    """Check figures against millionths, which may be one off, as fixed point may be used inside."""
    assert told.keys() == wanted.keys()
    assert {name: figure[0] for name, figure in told.items() if abs(figure[0] - wanted[name]) > 1} == {}


def ppm(fractions: dict[str, str]) -> dict[str, int]:
    return {seat: ppm_of(Fraction(worth)) for seat, worth in fractions.items()}


def _name(move: dict[str, Any]) -> str:
    return str([move["quantity"], move["face"]]) if move["type"] == "bid" else move["type"]
