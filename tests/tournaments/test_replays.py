"""Tables that play again after their round was closed: until the next is paired, and after the last until the end."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from domain.tournaments import commands, events
from domain.tournaments.deciding.due import due
from domain.tournaments.deciding.supposing import with_supposed_round
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DueStep
from projections.tournaments.overview import tournament_view
from projections.tournaments.rounds import round_view
from tests.tournaments.events_by_hand import ARBITER, CLOCKED, HOST, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of

NAMES: dict[int, str] = {}


def again(number: int = 1, table: int = 1, **members: Any) -> commands.Replay:
    return commands.Replay(**{"by": HOST, "round": number, "table": table, "reason": "house_fault", **members})


def hashes(event: EventByHand, number: int) -> list[str]:
    closed = [each for each in event.events if isinstance(each, events.TournamentRoundClosed)]
    return [each.standings for each in closed if each.round == number]


def signed(by: str, line: dict[str, Any]) -> None:
    """Let a line say that somebody else has asked for it."""
    line["data"]["by"] = by


def turned(event: EventByHand, table: int = 1) -> None:
    """Start the round that is open again, and let its table end the other way round."""
    held = event.tournament.stages[-1].played
    assert held is not None
    event.step()
    ranking = tuple((each,) for each in sorted(held.tables[table].seats, reverse=True))
    event.do(event.result(table, ranking, held.number))


def test_a_table_whose_round_is_closed_plays_again_until_the_next_is_paired() -> None:
    event = WrittenEvent("duel_swiss").begin(4).start().play_round()
    before = event.tournament.stages[0].rounds[1]
    event.do(again())
    held = event.tournament.stages[0].rounds[1]
    assert (held.closed_at, held.missing, held.tables[1].attempt) == (None, (1,), 2)
    assert held.tables[2] == before.tables[2]
    assert due(event.tournament) == DueStep("start", event.at)
    assert round_view(event.tournament, NAMES, 1, 1).state == "started"
    assert event.tournament.next_place == (1, 2)
    assert event.code(event.proceed_of(HOST)) == "round_open"
    turned(event)
    event.step()
    one, other = hashes(event, 1)
    assert one != other
    assert due(event.tournament) == DueStep("pair", event.at + event.tournament.rules.time.between_ms)
    event.pair()
    assert event.code(again()) == "too_late"
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_standings_hash_from_before_the_replay_is_a_lie() -> None:
    event = WrittenEvent("duel_swiss").begin(4).start().play_round()
    event.do(again())
    turned(event)
    event.close()
    at = number_of(event.lines, "round.closed", 1)
    ruling = judged(bent(event.lines, at, lambda line: line["data"].update(standings=hashes(event, 1)[0])))
    assert (ruling.code, ruling.line) == ("E_STANDING", at)


def test_tables_that_are_set_for_the_next_round_wait_for_the_one_that_is_open_again() -> None:
    event = WrittenEvent("duel_swiss", match=CLOCKED).begin(4).start().play_round()
    fixed = commands.FixTables(by=HOST, tables=((1, 2), (3, 4)))
    event.do(fixed)
    event.do(again())
    assert due(event.tournament) == DueStep("start", event.at)
    assert event.code(event.proceed_of(HOST)) == "round_open"
    assert event.code(fixed) == "already_paired"
    event.step()
    with pytest.raises(Exception, match="round"):
        with_supposed_round(event.tournament)
    seats = event.tournament.stages[0].rounds[1].tables[1].seats
    event.do(commands.GiveTableTime(by=HOST, table=1, number=seats[0], ms=1_000))
    event.do(commands.Extend(by=HOST, until=event.at + 60_000))
    event.do(commands.Unpair(by=HOST, tables=(1,)))
    event.do(commands.FixTables(by=HOST, tables=(seats,)))
    table = event.tournament.stages[0].rounds[1].tables[1]
    assert (table.attempt, table.seats) == (3, seats)
    turned(event)
    event.step()
    event.pair()
    assert event.round.law == "manual/1"
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_round_that_is_open_again_and_taken_back_is_paired_before_the_next() -> None:
    event = WrittenEvent("duel_swiss").begin(2).start().play_round()
    event.pair()
    event.do(commands.Unpair(by=HOST, reason="technical"))
    event.do(again())
    event.do(commands.Unpair(by=HOST, reason="technical"))
    assert event.tournament.next_place == (1, 1)
    event.pair()
    assert event.tournament.stages[0].rounds[1].tables[1].attempt == 3
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_table_of_the_last_round_plays_again_once_it_is_finished_and_places_are_said_anew() -> None:
    event = WrittenEvent("duel_swiss", prizes={"unit": "EUR", "amounts": [10, 5]}).begin(4).finish()
    first, paid, last = event.tournament.ranking, event.tournament.paid, event.round.number
    event.do(again(last))
    stage = event.tournament.stages[0]
    assert (event.tournament.phase, event.tournament.ranking, event.tournament.paid) == ("running", (), ())
    assert (stage.closed, stage.closed_at, stage.rounds[last].closed_at) == (None, None, None)
    assert tournament_view(event.tournament, NAMES, None).prizes == ()
    turned(event)
    event.finish()
    assert event.tournament.ranking != first
    assert event.tournament.paid != paid
    heard = event.tournament.changed_at + event.tournament.rules.time.claims_ms
    assert due(event.tournament) == DueStep("close", heard)
    event.close()
    assert event.code(again(last)) == "tournament_over"
    assert judged(event.lines).upto == len(event.lines)


def test_the_last_table_of_a_stage_plays_again_before_the_next_stage_begins() -> None:
    event = WrittenEvent("pods_final").begin(9)
    while event.tournament.stages[0].closed is None:
        found = due(event.tournament)
        event.step() if found is not None else event.play()
    advanced, last = event.tournament.stages[0].advanced, event.round.number
    event.do(again(last))
    assert event.tournament.stages[0].advanced == ()
    turned(event)
    event.step()
    event.step()
    assert event.tournament.stages[0].closed is not None
    assert len(event.tournament.stages[0].advanced) == len(advanced)
    event.start()
    assert event.code(again(last)) == "not_paired"
    assert event.code(commands.Replay(by=HOST, round=1, table=1)) == "table_running"
    assert judged(event.close().lines).upto == len(event.lines)


def test_while_a_lot_is_drawn_for_what_is_on_record_no_round_opens_again() -> None:
    event = WrittenEvent("pods", lots={"deal": "each"}).begin(8).start().play_round()
    while not event.tournament.awaits_lot:
        event.step()
    assert event.code(again()) == "wrong_phase"
    event.give_seeds().start()
    event.record(1)
    event.do(again(2))
    assert judged(event.lines).upto == len(event.lines)


@pytest.mark.parametrize("name", ["knockout", "last_longer", "single", "chouette"])
def test_who_goes_out_or_on_follows_from_the_match_that_was_played_last(name: str) -> None:
    event = WrittenEvent(name).begin(4).start().play_round()
    playing = set(StageField(event.tournament, 1).numbers)
    event.do(again())
    turned(event)
    assert judged(event.close().lines).upto == len(event.lines)
    assert {n for level in event.tournament.ranking for n in level} == playing


# ---- pairing and closing by officials -----------------------------------------------------------------


def test_an_arbiter_pairs_the_next_round_and_does_nothing_else_by_it() -> None:
    event = WrittenEvent("duel_swiss")
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    event.enter(4).check_in()
    pair = commands.Pair(**{name: getattr(event.proceed_of(ARBITER), name) for name in ("by", "chance", "head")})
    stranger = commands.Pair(by=player(1), chance=pair.chance)
    assert event.code(stranger) == "not_an_official"
    assert event.code(pair) == "wrong_phase"
    event.do(event.proceed_of(ARBITER))
    event.give_seeds().step()
    (paired,) = [each for each in event.do(pair) if isinstance(each, events.TablesPaired)]
    assert paired.by == ARBITER
    assert event.code(pair) == "already_paired"
    event.step()
    assert event.code(pair) == "round_open"
    event.do(commands.PauseTournament(by=ARBITER))
    assert event.code(pair) == "paused"
    event.do(commands.Resume(by=ARBITER))
    event.do(commands.Cancel(by=HOST))
    assert event.code(pair) == "tournament_over"
    assert judged(event.close().lines).upto == len(event.lines)


@pytest.mark.parametrize("deal", ["once", "each"])
def test_officials_close_once_no_appeal_waits(deal: str) -> None:
    event = WrittenEvent("duel_swiss", lots={"deal": deal}, prizes={"unit": "EUR", "amounts": [10, 5]})
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    event.begin(4)
    finish = commands.Finish(by=ARBITER)
    assert event.code(commands.Finish(by=player(1))) == "not_an_official"
    assert event.code(finish) == "wrong_phase"
    event.finish()
    event.do(commands.Appeal(by=player(1), number=1, line=1))
    refused = event.refusal(finish)
    assert (refused.code, refused.facts["appeals"]) == ("appeals_open", [1])
    event.do(commands.Penalise(by=HOST, number=1, kind="points", points="1/2"))
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    assert event.code(finish) == "wrong_phase", "the places are said anew first"
    event.finish_anew()
    assert event.do(finish)[-1] == events.TournamentClosed(ARBITER)
    assert event.code(finish) == "tournament_over"
    assert judged(event.lines).upto == len(event.lines)


def test_nobody_but_an_official_closes_before_appeals_are_heard_no_more() -> None:
    event = WrittenEvent("duel_swiss").begin(2).finish()
    event.do(commands.Finish(by=HOST))
    last = len(event.lines)
    for by in ("o" + "9" * 24, "rule"):
        ruling = judged(bent(event.lines, last, partial(signed, by)))
        assert (ruling.code, ruling.line) == ("E_RULES", last - 1), "the lots are published with it"
