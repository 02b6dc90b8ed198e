"""Rulings of officials: who may, about what, until when, in which order they are refused, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tournaments import commands, events
from tests.tournaments.events_by_hand import ARBITER, HOST, STRANGER, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

NOTE = "ab" * 32
OTHER = "o" + "2" * 24


def running(name: str = "duel_swiss", count: int = 4, **members: Any) -> WrittenEvent:
    """Return a tournament whose first round is being played, with an arbiter beside the host."""
    event = WrittenEvent(name, **members)
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    return event.begin(count).start()


def ruled(event: EventByHand, table: int = 1, played: int | None = None, **members: Any) -> commands.Rule:
    """Return a ruling on a table of a round, the last one if none is named: by the seats from the last to the first."""
    number = event.round.number if played is None else played
    seats = event.tournament.stages[-1].rounds[number].tables[table].seats
    given: dict[str, Any] = {
        "by": ARBITER, "stage": len(event.tournament.stages), "round": number, "table": table,
        "ranking": tuple((each,) for each in reversed(seats)),
    }  # fmt: skip
    return commands.Rule(**{**given, **members})


# ---- who has powers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("official", "role"), [(HOST, "arbiter"), (ARBITER, "host")])
def test_whoever_opens_a_tournament_is_its_first_host(official: str, role: Any) -> None:
    event = EventByHand()
    before = WrittenEvent().tournament
    event.tournament = type(before)(before.id, before.rules, before.rules_hash)
    assert event.code(commands.Appoint(by=HOST, official=official, role=role)) == "not_the_host"


def test_powers_are_given_and_taken_by_hosts_and_one_stays() -> None:
    event = EventByHand()
    assert event.code(commands.Appoint(by=STRANGER, official=STRANGER, role="arbiter")) == "not_an_official"
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    assert event.code(commands.Appoint(by=HOST, official=ARBITER, role="host")) == "already_registered"
    assert event.code(commands.Appoint(by=ARBITER, official=OTHER, role="host")) == "not_the_host"
    assert event.code(commands.Dismiss(by=ARBITER, official=HOST)) == "not_the_host"
    assert event.code(commands.Dismiss(by=HOST, official=HOST)) == "not_the_host"
    assert event.code(commands.Dismiss(by=HOST, official=OTHER)) == "not_an_official"
    event.do(commands.Dismiss(by=HOST, official=ARBITER))
    assert event.tournament.officials == {HOST: "host"}


# ---- results -----------------------------------------------------------------------------------------


def test_of_several_reasons_not_to_rule_the_first_is_told() -> None:
    event = running("single", 4)
    wrong: dict[str, Any] = {"ranking": (), "points": ((1, "0.5"),), "reason": "other"}
    assert event.code(ruled(event, by=STRANGER, **wrong)) == "not_an_official"
    assert event.code(ruled(event, stage=2, **wrong)) == "not_paired"
    assert event.code(commands.Rule(by=HOST, stage=1, round=2, table=1, **wrong)) == "not_paired"
    assert event.code(commands.Rule(by=HOST, stage=1, round=1, table=9, **wrong)) == "unknown_table"
    assert event.code(ruled(event, **wrong)) == "bad_ranking"
    del wrong["ranking"]
    assert event.code(ruled(event, **wrong)) == "bad_points"
    del wrong["points"]
    assert event.code(ruled(event, **wrong)) == "reason_needed"
    event.do(ruled(event, **wrong, note=NOTE))
    event.play_round().pair()
    wrong["ranking"] = ()
    assert event.code(commands.Rule(by=HOST, stage=1, round=1, table=9, **wrong)) == "too_late"
    assert WrittenEvent().enter(2).code(commands.Rule(by=HOST, stage=1, round=1, table=1, **wrong)) == "wrong_phase"


@pytest.mark.parametrize(
    ("ranking", "absent"),
    [
        ("stranger", ()),
        ("twice", ()),
        ("nobody", ()),
        ("gap", ()),
        ("absent one", "second"),
    ],
)
def test_a_ranking_has_everybody_who_was_there_once(ranking: str, absent: Any) -> None:
    event = running()
    one, two = event.table().seats
    rankings: dict[str, Any] = {
        "stranger": ((one,), (99,)),
        "twice": ((one,), (two,), (one,)),
        "nobody": (),
        "gap": ((one,), (), (two,)),
        "absent one": ((one,), (two,)),
    }
    away = (two,) if absent else ()
    assert event.code(ruled(event, ranking=rankings[ranking], absent=away)) == "bad_ranking"
    assert event.code(event.result(1, rankings[ranking], absent=away)) == "bad_ranking"


@pytest.mark.parametrize("text", ["0.5", "2/4", "1/0", "-1", "1e9", "01", ""])
def test_points_of_a_ruling_are_fractions_in_lowest_terms_and_none_below_nothing(text: str) -> None:
    event = running()
    one, two = event.table().seats
    assert event.code(ruled(event, points=((one, "1"), (two, text)))) == "bad_points"


def test_points_are_said_of_everybody_at_the_table_once() -> None:
    event = running()
    one, two = event.table().seats
    for points in (((one, "1"),), ((one, "1"), (two, "0"), (two, "0")), ((one, "1"), (99, "0"))):
        assert event.code(ruled(event, points=points)) == "bad_points"
    event.do(ruled(event, points=((one, "1/2"), (two, "1/2"))))


def test_nobody_rules_on_the_own_table() -> None:
    event = running()
    who = event.table().seats[0]
    for official in (player(who), player(event.table(2).seats[0])):
        event.do(commands.Appoint(by=HOST, official=official, role="arbiter"))
    event.record()
    own: dict[str, Any] = {"by": player(who)}
    assert event.code(ruled(event, ranking=(), **own)) == "own_table"
    assert event.code(commands.Replay(round=1, table=1, reason="other", **own)) == "own_table"
    given = commands.Penalise(number=event.table().seats[1], kind="table_loss", table=1, points="x", **own)
    assert event.code(given) == "own_table"
    time = commands.GiveTableTime(by=player(event.table(2).seats[0]), table=2, number=event.table(2).seats[1], ms=0)
    assert event.code(time) == "own_table"
    event.do(ruled(event, table=2, **own))


def test_a_ruling_on_a_stage_that_others_have_gone_on_from_comes_too_late() -> None:
    event = running("pods_final", 6)
    event.play_round().play_round().play_round().step()
    assert event.tournament.stages[0].closed is not None
    assert event.code(ruled(event, played=3)) == "too_late"
    seat = event.tournament.stages[0].rounds[3].tables[1].seats[0]
    assert event.code(commands.Penalise(by=HOST, number=seat, kind="table_loss", table=1)) == "too_late"
    event.step()
    rule = commands.Rule(by=HOST, stage=1, round=3, table=1, ranking=())
    assert event.code(rule) == "too_late"
    event.finish()
    assert event.code(rule) == "too_late"


def test_a_table_plays_again_while_its_round_is_open() -> None:
    event = running()
    again: dict[str, Any] = {"by": ARBITER, "table": 1}
    assert event.code(commands.Replay(**{**again, "by": STRANGER}, round=9)) == "not_an_official"
    assert event.code(commands.Replay(**again, round=2)) == "not_paired"
    assert event.code(commands.Replay(by=ARBITER, round=1, table=9)) == "unknown_table"
    assert event.code(commands.Replay(**again, round=1, reason="other")) == "table_running"
    event.record()
    assert event.code(commands.Replay(**again, round=1, reason="other")) == "reason_needed"
    ended = event.result()
    event.do(commands.Replay(**again, round=1, reason="technical"))
    assert event.table().attempt == 2
    # The match that was played first has its end only now.
    assert event.code(ended) == "wrong_match"
    event.step()
    event.play_round()
    assert event.code(commands.Replay(by=ARBITER, round=1, table=9, reason="other")) == "unknown_table"
    event.pair()
    assert event.code(commands.Replay(by=ARBITER, round=1, table=9)) == "too_late"
    assert judged(event.close().lines).upto == len(event.lines)


def test_before_a_round_is_paired_there_is_no_table_to_play_again() -> None:
    event = EventByHand().begin(4)
    assert event.code(commands.Replay(by=HOST, round=1, table=1)) == "not_paired"


# ---- penalties ---------------------------------------------------------------------------------------


def test_of_several_reasons_not_to_punish_the_first_is_told() -> None:
    event = running()
    one, two = event.table().seats
    wrong: dict[str, Any] = {"kind": "table_loss", "points": "2/4", "reason": "other"}

    def code(by: str = ARBITER, number: int = one, **members: Any) -> str:
        return event.code(commands.Penalise(by=by, number=number, **{**wrong, **members}))

    assert code(by=STRANGER) == "not_an_official"
    assert code(number=99) == "unknown_number"
    assert code() == "unknown_table"
    assert code(table=9) == "unknown_table"
    assert code(table=2) == "unknown_table"
    assert code(table=1) == "table_running"
    event.record()
    assert code(table=1) == "bad_points"
    wrong["points"] = None
    assert code(table=1) == "reason_needed"
    event.do(commands.Penalise(by=ARBITER, number=two, kind="disqualified"))
    assert code(number=two, table=9) == "disqualified"
    assert EventByHand().code(commands.Penalise(by=HOST, number=1, kind="warning")) == "unknown_number"
    early = EventByHand().enter(1)
    assert early.code(commands.Penalise(by=HOST, number=1, kind="warning", table=1)) == "wrong_phase"
    assert early.code(commands.Penalise(by=HOST, number=1, kind="table_loss")) == "wrong_phase"


@pytest.mark.parametrize("kind", ["warning", "points", "disqualified"])
def test_a_penalty_names_the_own_table_of_the_round_or_none(kind: Any) -> None:
    event = running()
    number = event.table().seats[0]
    points = "1/2" if kind == "points" else None
    assert event.code(commands.Penalise(by=HOST, number=number, kind=kind, points=points, table=2)) == "unknown_table"
    assert event.code(commands.Penalise(by=HOST, number=number, kind=kind, points=points, table=9)) == "unknown_table"
    event.do(commands.Penalise(by=HOST, number=number, kind=kind, points=points, table=1))
    assert event.tournament.stages[0].rounds[1].tables[1].ruling is None


@pytest.mark.parametrize(
    ("kind", "points"),
    [("points", None), ("points", "0"), ("points", "-1"), ("points", "0.5"), ("warning", "1"), ("disqualified", "1")],
)
def test_points_are_taken_where_that_is_the_penalty(kind: Any, points: str | None) -> None:
    event = running()
    assert event.code(commands.Penalise(by=HOST, number=1, kind=kind, points=points)) == "bad_points"


def test_who_loses_a_table_is_last_there_and_others_stay_as_they_were() -> None:
    event = running("pods", 4)
    one, two, three, four = event.table().seats
    event.record(1, ((one, two), (three,)), absent=(four,))
    event.do(commands.Penalise(by=ARBITER, number=one, kind="table_loss", table=1))
    ruling = event.table().ruling
    assert ruling is not None
    assert (ruling.ranking, ruling.absent) == (((two,), (three,), (one,)), (four,))
    event.do(commands.Penalise(by=ARBITER, number=four, kind="table_loss", table=1))
    assert event.table().ruling.ranking[-1] == (four,)  # type: ignore[union-attr]
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_penalty_is_lifted_by_its_line_and_once() -> None:
    event = running()
    event.do(commands.Penalise(by=ARBITER, number=1, kind="points", points="1/2"))
    line = event.line_of(events.PenaltyImposed)
    assert event.code(commands.Lift(by=STRANGER, line=99)) == "not_an_official"
    assert event.code(commands.Lift(by=ARBITER, line=99, reason="other")) == "unknown_line"
    assert event.code(commands.Lift(by=ARBITER, line=line, reason="other")) == "reason_needed"
    event.do(commands.Lift(by=ARBITER, line=line))
    assert event.code(commands.Lift(by=ARBITER, line=line)) == "unknown_line"


# ---- pairs -------------------------------------------------------------------------------------------


def test_two_are_kept_apart_and_let_together_again() -> None:
    event = WrittenEvent("pods").enter(4)
    assert event.code(commands.Forbid(by=STRANGER, numbers=(1, 9))) == "not_an_official"
    assert event.code(commands.Forbid(by=HOST, numbers=(1, 9))) == "unknown_number"
    assert event.code(commands.Forbid(by=HOST, numbers=(1, 1), reason="other")) == "bad_tables"
    assert event.code(commands.Forbid(by=HOST, numbers=(2, 1), reason="other")) == "reason_needed"
    event.do(commands.Forbid(by=HOST, numbers=(2, 1)))
    assert event.code(commands.Forbid(by=HOST, numbers=(1, 2))) == "bad_tables"
    line = event.line_of(events.PairForbidden)
    event.check_in().draw().step()
    refused = event.refusal(event.proceed_of(HOST))
    assert (refused.code, refused.facts["pairs"]) == ("cannot_pair", [[1, 2]])
    assert event.code(commands.Allow(by=STRANGER, line=line)) == "not_an_official"
    assert event.code(commands.Allow(by=HOST, line=line + 1)) == "unknown_line"
    event.do(commands.Allow(by=HOST, line=line))
    assert event.code(commands.Allow(by=HOST, line=line)) == "unknown_line"
    assert judged(event.close().lines).upto == len(event.lines)
    over = EventByHand("duel_swiss").begin(2).finish()
    assert over.code(commands.Forbid(by=HOST, numbers=(1, 2))) == "wrong_phase"
    assert over.code(commands.Allow(by=HOST, line=1)) == "wrong_phase"


# ---- appeals -----------------------------------------------------------------------------------------


def test_an_appeal_is_filed_by_who_is_concerned_against_a_line_that_there_is() -> None:
    event = running()
    filed: dict[str, Any] = {"by": player(1), "number": 1}
    assert event.code(commands.Appeal(by=player(1), number=99, line=0)) == "unknown_number"
    assert event.code(commands.Appeal(by=HOST, number=1, line=0)) == "not_yours"
    for line in (-1, event.tournament.seq + 1):
        assert event.code(commands.Appeal(**filed, line=line)) == "unknown_line"
    assert EventByHand().enter(1).code(commands.Appeal(**filed, line=0)) == "wrong_phase"
    for _ in range(3):
        event.do(commands.Appeal(**filed, line=0, note=NOTE))
    assert event.code(commands.Appeal(**filed, line=0)) == "too_many_appeals"
    event.do(commands.DecideAppeal(by=player(1), appeal=2, outcome="withdrawn"))
    event.do(commands.Appeal(**filed, line=0))
    for appeal in (1, 3, 4):
        event.do(commands.DecideAppeal(by=HOST, appeal=appeal, outcome="denied"))
    assert judged(event.close().lines).upto == len(event.lines)


def test_appeals_are_heard_for_a_while_after_the_end() -> None:
    event = running("duel_swiss", 2).finish()
    line = event.line_of(events.TournamentFinished)
    event.at = event.tournament.changed_at + event.tournament.rules.time.claims_ms - 1
    event.do(commands.Appeal(by=player(1), number=1, line=line))
    event.at += 1
    assert event.code(commands.Appeal(by=player(1), number=1, line=-1)) == "too_late"
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    event.step()
    assert event.tournament.ended
    assert event.code(commands.Appeal(by=player(1), number=1, line=line)) == "tournament_over"


def test_of_several_reasons_not_to_decide_an_appeal_the_first_is_told() -> None:
    event = running()
    event.do(commands.Appeal(by=player(1), number=1, line=0))
    assert event.code(commands.DecideAppeal(by=STRANGER, appeal=9, outcome="denied")) == "not_an_official"
    assert event.code(commands.DecideAppeal(by=STRANGER, appeal=9, outcome="withdrawn")) == "not_an_official"
    assert event.code(commands.DecideAppeal(by=player(1), appeal=1, outcome="upheld")) == "not_an_official"
    assert event.code(commands.DecideAppeal(by=HOST, appeal=1, outcome="withdrawn")) == "not_yours"
    assert event.code(commands.DecideAppeal(by=HOST, appeal=9, outcome="denied")) == "unknown_line"
    assert event.code(commands.DecideAppeal(by=HOST, appeal=9, outcome="withdrawn")) == "unknown_line"
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    lines = (event.tournament.seq + 1,)
    assert event.code(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied", lines=lines)) == "unknown_line"
    assert event.code(commands.DecideAppeal(by=HOST, appeal=1, outcome="upheld")) == "appeal_decided"


def test_nobody_decides_on_the_own_ruling_while_there_is_somebody_else() -> None:
    event = running()
    event.do(ruled(event))
    line = event.line_of(events.ResultRuled)
    event.do(commands.Appeal(by=player(1), number=1, line=line))
    assert event.code(commands.DecideAppeal(by=ARBITER, appeal=1, outcome="denied")) == "own_ruling"
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    # What was decided can be disputed as well, and then by the other.
    event.do(commands.Appeal(by=player(1), number=1, line=event.line_of(events.AppealDecided)))
    assert event.code(commands.DecideAppeal(by=HOST, appeal=2, outcome="denied")) == "own_ruling"
    event.do(commands.DecideAppeal(by=ARBITER, appeal=2, outcome="denied"))
    event.do(commands.Appeal(by=player(1), number=1, line=line))
    event.do(commands.Dismiss(by=HOST, official=ARBITER))
    event.do(commands.Appoint(by=HOST, official=player(1), role="host"))
    assert event.code(commands.DecideAppeal(by=player(1), appeal=3, outcome="upheld")) == "own_ruling"
    event.do(commands.Dismiss(by=HOST, official=player(1)))
    event.do(commands.DecideAppeal(by=HOST, appeal=3, outcome="upheld", lines=(line,)))
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_host_who_is_alone_decides_on_the_own_ruling() -> None:
    event = EventByHand("duel_swiss").begin(2).start()
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((1, 2),)))
    event.do(commands.Appeal(by=player(1), number=1, line=event.tournament.seq))
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))


# ---- the tournament ----------------------------------------------------------------------------------


def test_a_tournament_is_paused_by_officials_while_it_runs_and_goes_on_with_one() -> None:
    event = running()
    why: dict[str, Any] = {"reason": "other"}
    assert event.code(commands.PauseTournament(by=STRANGER, **why)) == "not_an_official"
    assert event.code(commands.PauseTournament(by=ARBITER, **why)) == "reason_needed"
    assert event.code(commands.Resume(by=ARBITER)) == "not_paused"
    event.do(commands.PauseTournament(by=ARBITER, reason="technical"))
    assert event.code(commands.PauseTournament(by=ARBITER, **why)) == "paused"
    assert event.code(commands.Resume(by=STRANGER)) == "not_an_official"
    event.do(commands.Resume(by=ARBITER))
    assert EventByHand().enter(2).code(commands.PauseTournament(by=HOST, **why)) == "wrong_phase"


def test_a_tournament_is_cancelled_by_a_host_before_its_end() -> None:
    event = running("duel_swiss", 2)
    assert event.code(commands.Cancel(by=STRANGER, reason="other")) == "not_an_official"
    assert event.code(commands.Cancel(by=ARBITER, reason="other")) == "not_the_host"
    assert event.code(commands.Cancel(by=HOST, reason="other")) == "reason_needed"
    over = event.copy().finish()
    assert over.code(commands.Cancel(by=HOST, reason="other")) == "wrong_phase"
    event.do(commands.Cancel(by=HOST, reason="technical"))
    assert event.code(commands.Resume(by=HOST)) == "tournament_over"
    event.close()
    assert judged(event.lines).upto == len(event.lines)
