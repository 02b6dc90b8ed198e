"""Audits of seasons: the record by itself, against the records of its tournaments, and in both languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from domain.audit.seasons import SeasonRuling, replay_season
from domain.fairness import records
from domain.fairness.records import RecordLine
from domain.seasons.counting import RatedTable, TournamentOutcome
from domain.seasons.deciding import PART, AdmitTournament, CountTournament
from domain.seasons.season import Season
from services.audit.findings import findings
from services.audit.seasons.held import CountedTournament, HeldSeason, SeasonDifference, hold_season
from services.audit.verdict import Verdict, verdict_of
from services.cli.auditing.held import KeptRecords
from services.cli.auditing.judging import FileVerdict
from tests.fairness.javascript_auditor import Ask, told_in_javascript
from tests.fairness.rewritten_records import retold
from tests.fairness.test_two_auditors import agreed
from tests.seasons.season_stories import LEAGUE, SeasonByHand, held, lied, other_id, person, rechained

ADA, BOB, CLEO = map(person, range(1, 4))
Lie = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def season() -> SeasonByHand:
    """Return a season of two tournaments of the same three players, which is over."""
    event, found = held(ADA, BOB, CLEO), SeasonByHand()
    found.count(event.outcome)
    found.at += 5
    return found.count(msgspec.structs.replace(event.outcome, tournament=other_id(2))).close()


def judged(lines: Any) -> SeasonRuling:
    documents = [json.loads(line) for line in lines]
    return replay_season(
        [RecordLine(number, each["type"], each["data"], each["at"]) for number, each in enumerate(documents, start=1)]
    )


def file_of(lines: Any) -> bytes:
    return records.assemble(list(lines), None)


# ---- the record by itself -------------------------------------------------------------------------


def test_the_record_of_a_season_is_without_fault(season: SeasonByHand) -> None:
    verdict = verdict_of(season.record, None)
    assert (verdict.status, verdict.layers, verdict.season) == ("INCOMPLETE", (1, 2, 3), str(season.season.id))
    assert judged(season.lines).code is None
    assert len(judged(season.lines).counts) == 2
    assert verdict_of(season.record, None, (1, 2)).counts is msgspec.UNSET


LIES: dict[str, tuple[int, Lie, str]] = {
    "a type of its own": (2, lambda line: line["data"].update(type="season.closed"), "E_RULES"),
    "another line": (2, lambda line: line.update(type="season.paused"), "E_RULES"),
    "a default left out": (1, lambda line: line["data"]["rules"].pop("season"), "E_RULES"),
    "no rules": (1, lambda line: line["data"]["rules"].update(season=7), "E_RULES"),
    "held twice": (4, lambda line: line["data"].update(tournament=None), "E_RULES"),
    "backwards in time": (4, lambda line: line.update(at=1), "E_RULES"),
    "counted and not held": (3, lambda line: line["data"].update(tournament=other_id(9)), "E_STANDING"),
    "no fraction": (3, lambda line: line["data"]["points"][0].__setitem__(1, "2/4"), "E_STANDING"),
    "out of order": (3, lambda line: line["data"]["points"].reverse(), "E_STANDING"),
    "another part": (3, lambda line: line["data"].update(part=2), "E_STANDING"),
    "who goes up": (6, lambda line: line["data"].update(up=[CLEO]), "E_STANDING"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_in_the_record_of_a_season_has_its_code_and_its_line(lie: str, season: SeasonByHand) -> None:
    number, change, code = LIES[lie]
    ruling = judged(lied(season.lines, number, change))
    assert (ruling.code, ruling.line) == (code, number)


def test_a_fault_of_layer_three_is_the_verdict(season: SeasonByHand) -> None:
    number, change, code = LIES["who goes up"]
    verdict = verdict_of(file_of(lied(season.lines, number, change)), None)
    assert (verdict.status, verdict.code, verdict.line) == ("FAULT", code, number)


def test_the_parts_of_what_counts_stand_in_one_append() -> None:
    many = SeasonByHand({})
    many.do(AdmitTournament(other_id(1)))
    rated = {person(number): (25_000_000, 8_000_000, 1) for number in range(1, PART + 2)}
    many.do(CountTournament(other_id(1), "0" * 64, {}, rated))
    many.do(AdmitTournament(other_id(2)))
    many.do(CountTournament(other_id(2), "0" * 64, {}, rated))
    assert judged(many.lines).code is None
    late = judged(lied(many.lines, 4, lambda line: line.update(at=line["at"] + 1)))
    assert (late.code, late.line) == ("E_STANDING", 4)
    documents = [json.loads(line) for line in many.lines]
    cut = judged(rechained([*documents[:3], *documents[4:]]))
    assert cut.code is None
    assert [len(each.counted.ratings) for each in cut.counts] == [PART, PART + 1]


# ---- against the records of its tournaments -------------------------------------------------------


def counted(season: SeasonByHand) -> tuple[CountedTournament, ...]:
    counts = verdict_of(season.record, None).counts
    assert counts is not msgspec.UNSET
    return counts


def test_a_season_is_held_against_the_records_of_its_tournaments() -> None:
    event = held(ADA, BOB, CLEO)
    outcome = verdict_of(records.assemble(list(event.lines), None), None).outcome
    season = SeasonByHand().count(event.outcome)
    season.do(AdmitTournament(other_id(2)))
    season.do(CountTournament(other_id(2), "0" * 64, {}, {}))
    assert outcome is msgspec.UNSET, "no log vouches for its end"
    found = hold_season(counted(season), {event.outcome.tournament: event.outcome})
    assert found == HeldSeason(1, (), (other_id(2),))


def bent(change: Callable[[CountTournament], CountTournament]) -> HeldSeason:
    """Return what comes of a season in which one tournament counts otherwise than its record says."""
    event = held(ADA, BOB, CLEO)
    other = SeasonByHand()
    other.do(AdmitTournament(event.outcome.tournament))
    honest = SeasonByHand().count(event.outcome)
    given = judged(honest.lines).counts[0].counted
    other.do(change(given))
    return hold_season(counted(other), {event.outcome.tournament: event.outcome})


def with_rating(member: str, change: Callable[[tuple[int, int, int]], tuple[int, int, int]]) -> Any:
    def bend(given: CountTournament) -> CountTournament:
        ratings = dict(given.ratings)
        ratings[member] = change(ratings[member])
        return msgspec.structs.replace(given, ratings=ratings)

    return bend


BENT = {
    "head": lambda given: msgspec.structs.replace(given, head="1" * 64),
    "points": lambda given: msgspec.structs.replace(given, points={**given.points, CLEO: given.points[ADA]}),
    "ratings": with_rating(ADA, lambda rated: (rated[0] + 3, rated[1], rated[2])),
}


@pytest.mark.parametrize("what", BENT)
def test_what_a_season_says_otherwise_than_a_record_is_told(what: str) -> None:
    found = bent(BENT[what])
    assert [each.what for each in found.differences] == [what]
    assert found.differences[0].code == "E_STANDING"


@pytest.mark.parametrize(
    ("change", "right"),
    [
        (with_rating(ADA, lambda rated: (rated[0] + 2, rated[1] - 2, rated[2])), True),
        (with_rating(ADA, lambda rated: (rated[0], rated[1] - 3, rated[2])), False),
        (with_rating(ADA, lambda rated: (rated[0], rated[1], rated[2] + 1)), False),
        (lambda given: msgspec.structs.replace(given, ratings={ADA: given.ratings[ADA]}), False),
    ],
)
def test_ratings_may_differ_by_two_millionths_a_match(change: Any, *, right: bool) -> None:
    assert (not bent(change).differences) is right


def test_a_tournament_of_another_season_counts_for_nothing_here() -> None:
    season, event = SeasonByHand(), held(ADA, BOB, CLEO)
    season.count(event.outcome)
    strange = msgspec.structs.replace(event.outcome, season=None)
    line = SeasonDifference(3, event.outcome.tournament, "season")
    assert hold_season(counted(season), {event.outcome.tournament: strange}).differences == (line,)


# ---- two auditors ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def story(season: SeasonByHand) -> list[dict[str, Any]]:
    return [json.loads(line) for line in season.lines]


def test_they_agree_on_records_of_seasons(story: list[dict[str, Any]]) -> None:
    whole = retold(story).record()
    assert agreed([Ask(whole)]) == {"OK": 1}
    assert agreed([Ask(retold(story[:3]).record())]) == {"INCOMPLETE": 1}


@pytest.mark.parametrize(
    ("place", "change", "code"),
    [
        (0, {"type": "season.closed", "data": {}}, "E_ORDER"),
        (1, {"type": "season.created"}, "E_FORMAT"),
        (1, {"type": "game.bid"}, "E_FORMAT"),
        (1, {"type": "deal.committed"}, "E_FORMAT"),
        (1, {"type": "season.anything"}, "OK"),
        (2, {"type": "season.closed"}, "E_ORDER"),
    ],
)
def test_they_agree_on_changed_records_of_seasons(
    place: int, change: dict[str, Any], code: str, story: list[dict[str, Any]]
) -> None:
    changed = [{**each, **change} if number == place else each for number, each in enumerate(story)]
    assert agreed([Ask(retold(changed).record())]) == {code: 1}


def test_a_season_is_named_in_its_stream(story: list[dict[str, Any]]) -> None:
    strange = [{**each, "stream": "season/x"} for each in story]
    assert agreed([Ask(retold(strange).record())]) == {"E_FORMAT": 1}
    again = [story[0], {**story[0], "at": story[1]["at"]}, *story[1:]]
    assert agreed([Ask(retold(again).record())]) == {"E_ORDER": 1}


def test_the_second_auditor_says_that_it_knows_no_laws_of_seasons(story: list[dict[str, Any]]) -> None:
    (told,) = told_in_javascript([Ask(retold(story).record(), layers=(1, 2, 3))])
    assert (told["status"], told["layers"]) == ("INCOMPLETE", [1, 2])
    assert "laws of seasons" in told["message"]


def test_a_season_is_told_as_it_was_before_each_tournament(season: SeasonByHand) -> None:
    first, second = judged(season.lines).counts
    assert isinstance(first.before, Season)
    assert (first.before.ratings, second.before.ratings) == ({}, dict(first.counted.ratings))


# ---- a folder -------------------------------------------------------------------------------------


def folder(*verdicts: Verdict) -> KeptRecords:
    kept = KeptRecords()
    for number, verdict in enumerate(verdicts):
        kept.keep(FileVerdict(f"{number}.cup", verdict))
    return kept


@pytest.fixture(scope="module")
def event() -> Verdict:
    """Return the verdict on a tournament, as it is where a log vouches for the record."""
    outcome = held(ADA, BOB, CLEO).outcome
    return Verdict("OK", (1, 2, 3), "", record="OK", results=(), outcome=outcome, tournament=outcome.tournament)


def test_a_folder_holds_a_season_against_its_tournaments(event: Verdict, capsys: pytest.CaptureFixture[str]) -> None:
    assert event.outcome is not msgspec.UNSET
    season = SeasonByHand().count(event.outcome)
    found = folder(verdict_of(season.record, None), event).told(json=False)
    assert [each.status for each in found] == ["OK", "OK"]
    assert "0.cup: 1 tournament counts what its record says." in capsys.readouterr().out
    season.do(AdmitTournament(other_id(2)))
    season.do(CountTournament(other_id(2), "0" * 64, {}, {}))
    (_, missing) = folder(verdict_of(season.record, None), event).told(json=False)
    assert missing.status == "INCOMPLETE"
    assert f"since its record is not here, or not whole: {other_id(2)}" in capsys.readouterr().out
    (alone,) = folder(verdict_of(season.record, None)).told(json=False)
    assert alone.status == "OK"
    assert "2 tournaments were not held against their records" in capsys.readouterr().out


def turned(outcome: TournamentOutcome) -> TournamentOutcome:
    """Return a tournament as if whoever was last at each table had been first."""
    rounds = tuple(
        tuple(RatedTable(None, tuple(each[::-1] for each in table.matches)) for table in tables)
        for tables in outcome.rounds
    )
    return msgspec.structs.replace(outcome, rounds=rounds)


COUNTED_AS: dict[str, tuple[Callable[[TournamentOutcome], TournamentOutcome], str]] = {
    "season": (lambda outcome: outcome, "it is held for another season, or for none"),
    "head": (lambda outcome: msgspec.structs.replace(outcome, head="1" * 64), "it ended otherwise, or later"),
    "points": (
        lambda outcome: msgspec.structs.replace(outcome, ranking=outcome.ranking[::-1]),
        "other points follow from it",
    ),
    "ratings": (turned, "other ratings follow from it"),
}


@pytest.mark.parametrize("what", COUNTED_AS)
def test_a_lie_about_a_tournament_is_a_fault_of_the_folder(
    what: str, event: Verdict, capsys: pytest.CaptureFixture[str]
) -> None:
    assert event.outcome is not msgspec.UNSET
    change, why = COUNTED_AS[what]
    season = SeasonByHand({**LEAGUE, "rates": "matches"}).count(change(event.outcome))
    other = msgspec.structs.replace(event.outcome, season=None if what == "season" else event.outcome.season)
    beside = msgspec.structs.replace(event, outcome=other)
    (_, told) = folder(verdict_of(season.record, None), beside).told(json=True)
    assert told.status == "FAULT"
    document = json.loads(capsys.readouterr().out.splitlines()[-1])
    (difference,) = document["season"]["differences"]
    assert (difference["what"], difference["code"], difference["line"]) == (what, "E_STANDING", 3)
    folder(verdict_of(season.record, None), beside).told(json=False)
    out = capsys.readouterr().out
    assert "FAULT E_STANDING in line 3" in out
    assert f"does not say what its record says: {why}." in out


def test_a_tournament_that_a_season_leaves_out_is_told_where_its_record_is_there(
    event: Verdict, capsys: pytest.CaptureFixture[str]
) -> None:
    assert event.outcome is not msgspec.UNSET
    season = SeasonByHand().close()
    (_, told) = folder(verdict_of(season.record, None), event).told(json=True)
    assert told.status == "INCOMPLETE"
    document = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert document["season"]["left_out"] == [event.outcome.tournament]
    folder(verdict_of(season.record, None), event).told(json=False)
    assert f"which has not counted it: {event.outcome.tournament}." in capsys.readouterr().out


def test_the_sentences_of_an_audit_are_about_the_season(season: SeasonByHand) -> None:
    verdict = verdict_of(retold([json.loads(line) for line in season.lines]).record(), None)
    told = findings(verdict, judged_log=False)
    sentences = " ".join(each.text for each in told.findings)
    assert "2 tournaments have counted" in sentences
    assert "dice" not in sentences
    assert len(told.possible) == 2
    below = findings(verdict_of(season.record, None, (1, 2)), judged_log=False)
    assert "have counted" not in " ".join(each.text for each in below.findings)
