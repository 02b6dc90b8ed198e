"""House bots that stand in for people: who has them do it, whose seeds are whose, what is on record of dice."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest

from domain import commands, events
from domain.audit import access
from domain.fairness.deal import seed_commitment
from domain.match.dues import unattended_end_at
from domain.match.settings import rules_object, settings_of
from domain.table.moves import moves_of
from projections.view import view_of
from tests.domain import test_lies
from tests.domain.absence_tables import IDLE, audit, claim, code_of, start, wait, wait_for_the_end
from tests.domain.access_records import Recorded, entries, told, written
from tests.domain.playing import Played
from tests.domain.test_host_powers import CLOCK, hosted
from tests.domain.test_lies import Record, first

AWAY_MS: Final = 30_000
TABLE: Final[dict[str, Any]] = {"host": {}, "idle": {**IDLE, "turn_ms": 100_000}}


def begun(**rules: Any) -> Played:
    played = hosted(**{**TABLE, **rules})
    start(played, "ada", "bob", "cyd")
    return played


def kinds(happened: Any) -> list[type]:
    return [type(event) for event in happened]


# ---- who may ------------------------------------------------------------------------------------


def test_the_host_has_a_bot_stand_in_for_a_seat_that_keeps_the_table_waiting() -> None:
    played = begun()
    seat = played.turn
    assert code_of(played, commands.StandInFor(seat), AWAY_MS - 11) == "not_away"
    assert code_of(played, commands.StandInFor(seat % 3 + 1), AWAY_MS) == "not_away"
    assert played.do(commands.StandInFor(seat), AWAY_MS).events == (events.StoodIn(seat, "host"),)
    assert code_of(played, commands.StandInFor(seat), AWAY_MS) == "stood_in"
    claim(played)
    wait_for_the_end(played)
    audit(played)


def test_the_host_has_a_bot_stand_in_for_a_seat_that_is_marked_absent() -> None:
    played = begun(idle={**IDLE, "turns": 5})
    seat = played.turn
    wait(played)
    assert played.absence.turns == {seat: 1}
    played.do(commands.StandInFor(seat))
    assert played.absence.turns == {}
    audit(played)


def test_a_player_has_a_bot_stand_in_at_once() -> None:
    played = begun()
    for seat in (1, 2, 3):
        assert played.do(commands.StandIn(seat)).events == (events.StoodIn(seat, "seat"),)
        assert code_of(played, commands.StandIn(seat)) == "stood_in"
    audit(played)


def test_a_seat_that_waits_in_a_pause_or_without_a_rule_for_it_is_not_away() -> None:
    played = begun()
    played.do(commands.PauseTable("break"))
    assert code_of(played, commands.StandInFor(played.turn), AWAY_MS) == "not_away"
    endless = begun(idle=None)
    assert code_of(endless, commands.StandInFor(endless.turn), AWAY_MS) == "not_away"


def test_nobody_stands_in_for_bots_for_nobody_for_who_is_out_or_before_the_start() -> None:
    played = hosted(4, **TABLE)
    assert code_of(played, commands.StandIn(1)) == "wrong_phase"
    assert code_of(played, commands.StandInFor(1)) == "wrong_phase"
    start(played, "ada", "bob", "cyd", "bot/bold/1")
    played.do(commands.Forfeit(3))
    assert [code_of(played, commands.StandInFor(seat)) for seat in (9, 4, 3)] == [
        *("unknown_player", "bad_target", "eliminated"),
    ]
    assert [code_of(played, commands.StandIn(seat)) for seat in (9, 4, 3)] == [
        *("unknown_player", "bad_target", "eliminated"),
    ]
    assert code_of(begun(host=None), commands.StandIn(1)) == "not_allowed"


# ---- back ---------------------------------------------------------------------------------------


def test_the_player_takes_the_seat_back_in_the_middle_of_the_turn_and_has_all_of_its_time() -> None:
    played = begun()
    seat = played.turn
    played.do(commands.StandIn(seat), 50_000)
    assert played.do(commands.TakeBack(seat), 20_000).events == (events.TakenBack(seat, "seat"),)
    assert played.absence.turn_since == played.at
    claim(played)
    assert code_of(played, commands.TakeBack(seat)) == "not_stood_in"
    audit(played)


def test_the_host_gives_a_seat_back() -> None:
    played = begun()
    played.do(commands.StandIn(1))
    assert played.do(commands.GiveSeatBack(1)).events == (events.TakenBack(1, "host"),)
    assert [code_of(played, commands.GiveSeatBack(seat)) for seat in (1, 9)] == ["not_stood_in", "unknown_player"]
    audit(played)


def test_a_seat_that_is_out_is_not_taken_back() -> None:
    played = begun()
    played.do(commands.StandIn(1))
    played.do(commands.Forfeit(1))
    assert code_of(played, commands.TakeBack(1)) == "eliminated"


# ---- the rule for those who stop ------------------------------------------------------------------


def test_where_the_rules_say_so_a_bot_plays_on_for_a_seat_that_would_be_out() -> None:
    played = begun(idle={**IDLE, "then": "stand_in"}, host=None)
    seat, others = played.turn, []
    while not played.match.seated[seat].stand_in:
        others = wait(played) if played.turn == seat else list(claim(played))
    at = kinds(others).index(events.StoodIn)
    assert others[at - 2 : at + 1] == [events.TimedOut(seat), events.Absent(seat, 2), events.StoodIn(seat, "idle")]
    assert events.Forfeited not in kinds(played.events)
    played.do(commands.TakeBack(seat))
    audit(played)


def test_a_seat_whose_stand_in_stays_away_too_is_out() -> None:
    played = begun(idle={**IDLE, "then": "stand_in"})
    seat = played.turn
    for _ in range(40):
        if seat not in played.table.out:
            wait(played) if played.turn == seat else claim(played)
    assert [type(event) for event in played.events].count(events.StoodIn) == 1
    assert events.Forfeited(seat, "absent") in played.events
    audit(played)


def test_nobody_stands_in_for_the_last_person_at_a_table() -> None:
    played = hosted(2, idle={**IDLE, "turns": 1, "then": "stand_in"})
    start(played, "ada", "bot/bold/1")
    if played.turn == 2:
        claim(played)
    assert events.Forfeited(1, "absent") in wait(played)
    audit(played)


def test_where_a_clock_that_is_over_takes_a_seat_out_nobody_stands_in() -> None:
    played = begun(idle={**IDLE, "turns": 1, "then": "stand_in"}, clock={**CLOCK, "on_timeout": "forfeit"})
    assert events.StoodIn not in kinds(wait(played))


@pytest.mark.parametrize("then", ["out", "stand_in"])
def test_what_becomes_of_who_stops_stands_in_the_rules_only_where_it_is_a_stand_in(then: str) -> None:
    idle = rules_object(settings_of({"game": "common_hand", "options": {}, "idle": {"then": then}}))["idle"]
    assert idle.get("then", "out") == then
    assert ("then" in idle) == (then == "stand_in")


def test_a_table_at_which_bots_stand_in_for_everybody_is_played_for_nobody() -> None:
    played = begun()
    assert unattended_end_at(played.match) is None
    for seat in (1, 2, 3):
        played.do(commands.StandIn(seat))
    due = played.absence.attended_at + IDLE["bots_ms"]
    assert unattended_end_at(played.match) == due
    claim(played)
    assert unattended_end_at(played.match) == due
    played.do(commands.TakeBack(2))
    assert unattended_end_at(played.match) is None


# ---- seeds --------------------------------------------------------------------------------------

SEEDS: Final = {deal: bytes([deal]) * 32 for deal in range(9)}


def with_own_seeds() -> Played:
    """Return a match with a deal a round, in which the first seat draws its own seeds."""
    played = hosted(2, deal_per="round", **TABLE)
    played.do(commands.Join("ada", "client"))
    played.do(commands.Join("bob", "server"))
    played.do(commands.Start(played.chance()))
    return played


def come_to_dice(played: Played) -> None:
    """Let the deal come to its dice, with a seed of the first seat if one is awaited."""
    deal = played.ceremony
    seed = SEEDS[deal.deal]
    own = 1 in deal.waiting_for
    if own:
        commit = seed_commitment(seed, deal.ctx, deal.root, 1).hex()
        played.do(commands.CommitSeed(1, deal.deal, commit))
    played.do(commands.LogDeal(deal.deal, 0, (), "checkpoint"))
    if own:
        played.do(commands.OpenSeed(1, deal.deal, seed.hex()))
    played.go_on()


def next_deal(played: Played) -> list[events.Event]:
    """Play a round, and begin the deal of the next one; return what began it."""
    claim(played)
    played.do(commands.Challenge(played.turn))
    return list(played.do(commands.Advance(played.chance())).events)


def test_the_server_draws_the_seeds_of_a_stand_in_from_the_next_deal_on_and_the_player_again_after_it() -> None:
    played = with_own_seeds()
    played.do(commands.StandIn(1))
    assert not played.match.seated[1].custody
    come_to_dice(played)
    assert events.SeedCustody(1, "server") in next_deal(played)
    assert code_of(played, commands.CommitSeed(1, 1, "0" * 64)) == "server_custody"
    played.do(commands.TakeBack(1))
    assert played.match.seated[1].custody
    come_to_dice(played)
    assert next_deal(played)[0] == events.SeedCustody(1, "client")
    assert played.ceremony.waiting_for == (1,)
    come_to_dice(played)
    played.do(commands.EndMatch())
    next_deal_or_end(played)
    audit(played)


def next_deal_or_end(played: Played) -> None:
    claim(played)
    played.do(commands.Challenge(played.turn))
    assert played.match.ended


def test_who_left_the_seeds_to_the_server_anyway_does_so_after_a_stand_in() -> None:
    played = with_own_seeds()
    played.do(commands.StandIn(2))
    come_to_dice(played)
    assert kinds(next_deal(played))[0] is events.DealCommitted
    played.do(commands.TakeBack(2))
    come_to_dice(played)
    assert kinds(next_deal(played))[0] is events.DealCommitted
    wait_for_the_end(played)
    audit(played)


def test_a_seed_that_did_not_come_while_a_bot_stood_in_is_no_reason_to_draw_the_next_ones() -> None:
    played = with_own_seeds()
    played.do(commands.StandIn(1))
    assert events.SeedCustody(1, "server") in wait(played)
    assert played.match.seated[1].lent
    played.do(commands.TakeBack(1))
    assert played.absence.seeds_ms.get(1, 0) <= IDLE["seeds_ms"]
    assert next_deal(played)[0] == events.SeedCustody(1, "client")
    wait_for_the_end(played)
    audit(played)


# ---- views, and who is served which dice --------------------------------------------------------


def test_the_player_sees_the_own_dice_and_may_do_nothing_while_the_bot_may() -> None:
    played = begun()
    seat = played.turn
    before = view_of(played.written, seat, played.keeper, {})
    played.do(commands.StandIn(seat))
    view = view_of(played.written, seat, played.keeper, {})
    assert [each.stand_in for each in view.seats] == [each == seat for each in (1, 2, 3)]
    assert view.seats[seat - 1].dice == before.seats[seat - 1].dice
    assert (view.turn, view.moves) == (seat, ())
    assert moves_of(played.table, seat) == before.moves


def recorded() -> Recorded:
    played = Recorded({"dice_per_player": 5}, 3, pause_ms=0, **TABLE)
    played.start()
    played.do(commands.StandIn(2))
    return played


def served(played: Recorded, viewer: str) -> list[tuple[int, int, int]]:
    said = [data for kind, data in entries(played) if kind == access.SERVED and data["viewer"] == viewer]
    return [(data["cup"], data["roll"], data["version"]) for data in said]


def over(played: Recorded) -> Recorded:
    while not played.match.ended:
        if played.match.ending is None:
            played.do(commands.EndMatch())
        claim(played)
        played.do(commands.Challenge(played.turn))
    return played


def test_the_dice_of_a_seat_are_on_record_for_the_bot_from_when_it_stands_in_until_it_does_no_more() -> None:
    played = recorded()
    assert served(played, "stand_in/2") == [(2, 0, played.match.version)]
    assert served(played, "stand_in/1") == []
    claim(played)
    played.do(commands.Challenge(played.turn))
    played.go_on()
    assert served(played, "stand_in/2")[1:] == served(played, "seat/2")[1:]
    played.do(commands.TakeBack(2))
    claim(played)
    played.do(commands.Challenge(played.turn))
    played.go_on()
    assert len(served(played, "stand_in/2")) == 2
    over(played)
    found = told(played, written(entries(played)))
    assert (found.status, found.noticed) == ("OK", ()), found


def test_dice_that_a_stand_in_was_served_and_that_are_not_on_record_are_missed() -> None:
    played = over(recorded())
    said = entries(played)
    left_out = [one for one in said if one[1].get("viewer") != "stand_in/2"]
    found = told(played, written(left_out))
    assert (found.status, found.code) == ("FAULT", "E_ACCESS")


def test_a_bot_that_stands_in_for_nobody_is_served_nothing() -> None:
    played = over(recorded())
    said = entries(played)
    at = next(at for at, (_, data) in enumerate(said) if data.get("viewer") == "stand_in/2")
    for viewer in ("stand_in/1", "stand_in/3"):
        lie = [*said[:at], (said[at][0], {**said[at][1], "viewer": viewer}), *said[at + 1 :]]
        assert told(played, written(lie)).code == "E_ACCESS"


# ---- lies ---------------------------------------------------------------------------------------


def record() -> Record:
    played = begun(idle={**IDLE, "turn_ms": 100_000, "turns": 1, "then": "stand_in"})
    seat = played.turn
    played.do(commands.StandInFor(seat), AWAY_MS)
    played.do(commands.TakeBack(seat))
    played.do(commands.StandIn(seat))
    played.do(commands.GiveSeatBack(seat))
    wait_for_the_end(played)
    return [msgspec.json.decode(line) for line in played.lines]


@pytest.mark.parametrize(
    ("kind", "nth", "members"),
    [
        *(("game.stood_in", 0, {"why": "idle"}), ("game.stood_in", 1, {"why": "host"})),
        *(("game.stood_in", 2, {"why": "host"}), ("game.stood_in", 0, {"seat": 9})),
        *(("game.taken_back", 0, {"seat": 9}), ("game.taken_back", 1, {"why": "idle"})),
    ],
)
def test_a_stand_in_that_nobody_asked_for_is_found(kind: str, nth: int, members: dict[str, Any]) -> None:
    truth = record()
    assert test_lies.judged(truth).line is None
    lie, line = test_lies.changed(truth, first(truth, kind, nth), **members)
    assert test_lies.judged(lie).line == line


def test_a_bot_that_stands_in_sooner_than_the_rules_say_is_found() -> None:
    truth = record()
    at = first(truth, "game.stood_in")
    truth[at] = {**truth[at], "at": truth[at]["at"] - 1_000}
    assert test_lies.judged(truth).line == at + 1


def test_seeds_that_go_to_another_than_the_record_says_are_found() -> None:
    played = with_own_seeds()
    played.do(commands.StandIn(1))
    come_to_dice(played)
    next_deal(played)
    wait_for_the_end(played)
    truth: Record = [msgspec.json.decode(line) for line in played.lines]
    assert test_lies.judged(truth).line is None
    at = first(truth, "game.seed_custody", 1)
    assert test_lies.judged([*truth[:at], *truth[at + 1 :]]).line is not None
    lie, line = test_lies.changed(truth, at, by="client")
    assert test_lies.judged(lie).line == line
