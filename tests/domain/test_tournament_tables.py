"""Tables of tournaments: they start once all are there, end when the director says so, and have no host."""

from __future__ import annotations

import random
from typing import Any, Literal

import msgspec
import pytest

from domain import commands, events
from domain.audit.replay import replay
from domain.fairness.records import RecordLine
from domain.games import GAMES
from domain.match.decide import open_seated
from domain.match.dues import due_at, ready_awaited, unattended_end_at
from domain.match.evolve import open_match, round_limit
from domain.match.record import fold, lines_of
from tests.domain.absence_tables import IDLE, audit, claim, code_of, wait
from tests.domain.playing import MATCH, Played
from tests.domain.test_ends_asked_for import fix_seed
from tests.domain.test_every_game import STEPS_MAX, play_on, step
from tests.domain.test_rounds_and_stacks import EVENT

Custody = Literal["client", "server"]
GENESIS = "0" * 64


def lobby(*players: str, game: str = "common_hand", **rules: Any) -> Played:
    """Return a table of a tournament with these players, nobody of whom is known to be there yet."""
    said = {"pause_ms": 0, "idle": IDLE, "event": EVENT, **rules}
    played = Played(seats=max(2, len(players)), game=game, **said)
    for seat, player in enumerate(players, start=1):
        played.do(commands.Join(player, "server", seat), 0)
    return played


def begun(*players: str, **rules: Any) -> Played:
    """Return such a table at which all have come, and a round is under way."""
    played = lobby(*players, **rules)
    for seat in ready_awaited(played.match) or ():
        played.do(commands.SayReady(seat))
    played.do(commands.Start(played.chance()))
    played.go_on()
    return played


def settle(played: Played) -> None:
    """Let a round come to its end."""
    claim(played)
    played.do(commands.Challenge(played.turn))


def kinds(happened: tuple[events.Event, ...]) -> list[type[events.Event]]:
    return [type(event) for event in happened]


def kept() -> Played:
    """Return such a table at which all seats were kept: one of two who came late is there, and one never came."""
    played = Played(seats=3, game="common_hand", pause_ms=0, idle=IDLE, event=EVENT)
    for seat in (2, 3, 1):
        played.do(commands.Join(f"p{seat}", "server", seat))
    for command in (commands.SayReady(2), commands.LeaveOut(1), commands.SayReady(3), commands.Start(played.chance())):
        played.do(command)
    played.go_on()
    return played


def test_seats_that_were_kept_are_taken_late_in_any_order() -> None:
    played = kept()
    assert played.table.seats == (2, 3)
    audit(played)


def test_a_seat_is_kept_from_the_opening_on() -> None:
    rules = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0, "event": EVENT}
    made = open_seated(open_match(MATCH, rules), 1_000, [("ada", "server"), None, ("cyd", "server")])
    assert {seat: who.player for seat, who in made.match.seated.items()} == {1: "ada", 3: "cyd"}
    assert ready_awaited(made.match) == (1, 2, 3)


def test_who_takes_a_kept_seat_with_a_key_is_there_and_is_not_left_out() -> None:
    played = Played(seats=3, game="common_hand", pause_ms=0, idle=IDLE, event=EVENT)
    played.do(commands.Join("p2", "server", 2), 0)
    assert (ready_awaited(played.match), code_of(played, commands.SayReady(1))) == ((1, 2, 3), "unknown_player")
    played.do(commands.SayReady(2))
    assert code_of(played, commands.Join("p4", "server", 4)) == code_of(played, commands.Join("p4", "server", 2))
    assert code_of(played, commands.LeaveOut(3)) == "unknown_player"
    played.do(commands.Join("p3", "server", 3, "0" * 64))
    assert (ready_awaited(played.match), code_of(played, commands.LeaveOut(3))) == ((1,), "bad_target")
    assert code_of(played, commands.Start(played.chance())) == "not_ready"
    # Who never comes sits down for a moment all the same, so that everybody reads who did not.
    played.do(commands.Join("p1", "server", 1))
    played.do(commands.LeaveOut(1))
    assert (ready_awaited(played.match), due_at(played.match)) == ((), played.at)
    assert code_of(played, commands.Join("p1", "server", 1)) == "bad_target"
    played.do(commands.Start(played.chance()))
    assert played.table.seats == (2, 3)


# ---- before it starts ----------------------------------------------------------------------------


def test_it_is_opened_with_all_who_play_in_one_append() -> None:
    rules = {"game": "common_hand", "options": {}, "seats": 3, "event": EVENT, "idle": IDLE}
    players: list[tuple[str, Custody] | None] = [("e1", "client"), ("bot/bold/1", "server"), ("e3", "server")]
    made = open_seated(open_match(MATCH, rules), 1_000, players)
    assert [(seat, who.custody, who.is_bot) for seat, who in made.match.seated.items()] == [
        (1, False, False),
        (2, True, True),
        (3, True, False),
    ]
    lines, _ = lines_of(MATCH, 0, GENESIS, 1_000, made.events)
    *_, (written, _) = fold(lines)
    assert (written.match, written.match.version, len(made.steps)) == (made.match, len(lines), len(lines))
    record = [msgspec.json.decode(line) for line in lines]
    ruled = replay([RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(record, start=1)])
    assert (ruled.line, ruled.upto) == (None, len(lines))


def test_it_starts_by_itself_once_all_have_said_that_they_are_there() -> None:
    played = lobby("ada", "bob", "bot/bold/1")
    assert (ready_awaited(played.match), due_at(played.match)) == ((1, 2), None)
    assert kinds(played.do(commands.SayReady(2)).events) == [events.SeatReady]
    assert code_of(played, commands.Advance(played.chance())) == "wrong_phase"
    assert code_of(played, commands.Start(played.chance())) == "not_ready"
    played.do(commands.SayReady(1))
    assert (ready_awaited(played.match), due_at(played.match)) == ((), played.at)
    assert events.Started((1, 2, 3)) in wait(played)
    assert ready_awaited(played.match) is None
    audit(played)


def test_it_starts_without_those_who_have_not_come() -> None:
    played = lobby("ada", "bob", "cyd", starter=2)
    played.do(commands.SayReady(1))
    played.do(commands.SayReady(3))
    assert played.do(commands.LeaveOut(2)).events == (events.SeatLeft(2, "no_show"),)
    wait(played)
    # Who was to open is not there, and the next one does.
    assert (played.table.seats, played.turn) == ((1, 3), 3)
    audit(played)


def test_it_does_not_start_with_nobody_to_play_against() -> None:
    played = lobby("ada", "bob")
    played.do(commands.SayReady(1))
    played.do(commands.LeaveOut(2))
    assert due_at(played.match) is None
    assert code_of(played, commands.Start(played.chance())) == "too_few_players"
    assert played.do(commands.StopMatch(77)).events == (events.Stopped(77), events.MatchEnded(None))
    assert (played.match.ended, ready_awaited(played.match)) == (True, None)
    audit(played)


def test_bots_alone_wait_for_the_director_and_are_not_ended_for_want_of_people() -> None:
    played = lobby("bot/bold/1", "bot/bold/2")
    assert (ready_awaited(played.match), due_at(played.match)) == ((), None)
    assert code_of(played, commands.SayReady(1)) == "already_ready"
    assert code_of(played, commands.LeaveOut(1)) == "bad_target"
    played.do(commands.Start(played.chance()))
    played.go_on()
    assert unattended_end_at(played.match) is None
    assert code_of(played, commands.CloseUnattended()) == "not_allowed"
    audit(played)


def test_a_seat_says_once_that_it_is_there_and_before_the_match() -> None:
    played = lobby("ada", "bob")
    played.do(commands.SayReady(1))
    assert code_of(played, commands.SayReady(1)) == "already_ready"
    assert code_of(played, commands.LeaveOut(1)) == "bad_target"
    assert code_of(played, commands.SayReady(3)) == code_of(played, commands.LeaveOut(3)) == "unknown_player"
    assert code_of(played, commands.LastRound()) == "wrong_phase"
    played.do(commands.SayReady(2))
    wait(played)
    assert code_of(played, commands.SayReady(1)) == code_of(played, commands.LeaveOut(2)) == "already_started"


def test_nobody_comes_late_or_goes_and_no_host_ends_it() -> None:
    played = lobby("ada")
    assert code_of(played, commands.Join("eve", "server")) == "not_allowed"
    closing = (commands.Leave(1), commands.EndMatch(), commands.CloseSession(), commands.CloseUnattended())
    assert {code_of(played, command) for command in closing} == {"not_allowed"}
    powers = (commands.LockTable(), commands.Kick(1, "away"), commands.PauseTable("break"))
    assert {code_of(played, command) for command in powers} == {"not_allowed"}
    # However long it waits: the lobby of a table of a tournament does not expire.
    assert code_of(played, commands.Advance(played.chance()), 10 * IDLE["lobby_ms"]) == "wrong_phase"


def test_whoever_asks_for_a_seat_learns_neither_when_it_moved_nor_whether_it_is_over() -> None:
    played = begun("ada", "bob")
    for _ in range(2):
        assert {code_of(played, commands.Join("eve", "server"), after_ms) for after_ms in (0, 10)} == {"not_allowed"}
        if not played.match.ended:
            played.do(commands.Forfeit(1))
    assert played.match.ended
    assert code_of(played, commands.LastRound()) == "game_over"


@pytest.mark.parametrize(
    "command", [commands.SayReady(1), commands.LeaveOut(1), commands.LastRound(), commands.StopMatch(1)], ids=repr
)
def test_elsewhere_none_of_it_is_to_be_had(command: commands.MatchCommand) -> None:
    played = Played(seats=2)
    played.do(commands.Join("ada", "server"))
    assert code_of(played, command) == "not_allowed"


# ---- the last round ------------------------------------------------------------------------------


def test_the_match_ends_with_the_round_that_was_made_the_last() -> None:
    played = begun("ada", "bob", pause_ms=4_000, rounds_max=9)
    settle(played)
    played.go_on()
    assert kinds(played.do(commands.LastRound()).events) == [events.LastRoundSet]
    assert round_limit(played.match) == 2
    assert code_of(played, commands.LastRound()) == "wrong_phase"
    settle(played)
    assert (played.match.ended, played.table.winner, played.table.round_number) == (True, None, 2)
    audit(played)


def test_between_two_rounds_the_one_that_is_over_was_the_last() -> None:
    played = begun("ada", "bob", pause_ms=4_000)
    settle(played)
    made = played.do(commands.LastRound())
    assert kinds(made.events) == [events.LastRoundSet, events.SessionClosed, events.DealClosed, events.MatchEnded]
    audit(played)


def test_before_the_first_round_that_one_is_the_last() -> None:
    played = lobby("ada", "bob")
    played.do(commands.SayReady(1))
    played.do(commands.SayReady(2))
    played.do(commands.Start(played.chance()))
    played.do(commands.LastRound())
    assert code_of(played, commands.LastRound()) == "wrong_phase"
    played.go_on()
    assert (played.table.round_number, played.match.ended) == (1, False)
    settle(played)
    assert played.match.ended
    audit(played)


def test_the_only_round_there_is_cannot_be_made_the_last() -> None:
    played = begun("ada", "bob", rounds_max=1)
    assert code_of(played, commands.LastRound()) == "wrong_phase"


# ---- a ruling on a table that is played ----------------------------------------------------------


def test_a_ruling_ends_the_match_in_the_middle_of_a_round() -> None:
    played = begun("ada", "bob", clock={"bank_ms": 60_000, "increment_ms": 0})
    claim(played)
    made = played.do(commands.StopMatch(12))
    assert kinds(made.events) == [events.Stopped, events.SessionClosed, events.DealClosed, events.MatchEnded]
    assert (played.match.stopped, played.table.winner) == (12, None)
    audit(played)


def test_dice_that_are_coming_about_are_waited_for() -> None:
    played = begun("ada", "bob", deal_per="round")
    settle(played)
    assert played.match.ceremony is not None
    while played.match.ceremony.stage != "sealed":
        played.do(commands.Advance(played.chance()))
    assert kinds(played.do(commands.StopMatch(12)).events) == [events.Stopped]
    assert code_of(played, commands.StopMatch(13)) == code_of(played, commands.LastRound()) == "wrong_phase"
    played.go_on()
    assert kinds(tuple(played.events[-3:])) == [events.SessionClosed, events.DealClosed, events.MatchEnded]
    assert sum(isinstance(event, events.RoundOpened) for event in played.events) == 1
    audit(played)


def test_nobody_wins_by_a_seed_that_is_withheld_after_the_ruling() -> None:
    played = lobby()
    played.do(commands.Join("ada", "client", 1), 0)
    played.do(commands.Join("bob", "server", 2), 0)
    for seat in (1, 2):
        played.do(commands.SayReady(seat))
    played.do(commands.Start(played.chance()))
    fix_seed(played, 10)
    played.do(commands.LogDeal(0, 0, (), "checkpoint"))
    played.do(commands.StopMatch(3))
    happened = wait(played)
    assert any(isinstance(event, events.DealVoided) for event in happened)
    assert not any(isinstance(event, events.Won) for event in happened)
    assert happened[-1] == events.MatchEnded(None)
    audit(played)


# ---- whatever is done, in every game -------------------------------------------------------------


def directed(game: str, number: int) -> Played:
    """Return a match at a table of a tournament of which its director has made whatever the rules allow."""
    drawn = random.Random(f"{game} {number}")
    seats = GAMES[game].rules(GAMES[game].options()).seats
    names = ["ada", "bob", "bot/bold/1", "dan"][: max(seats[0], min(4, seats[1], drawn.randint(2, 4)))]
    said: dict[str, Any] = {"starter": 2} if drawn.random() < 0.5 else {}
    played = lobby(*names, game=game, pause_ms=drawn.choice((0, 4_000)), **said)
    left_out = len(names) - 1 > seats[0] and drawn.random() < 0.5
    for seat in ready_awaited(played.match) or ():
        played.do(commands.LeaveOut(seat) if seat == 1 and left_out else commands.SayReady(seat))
    wait(played)
    for _ in range(drawn.randint(0, 40)):
        if not played.match.ended:
            step(played, drawn, closing=False)
    if not played.match.ended:
        played.do(drawn.choice((commands.LastRound(), commands.StopMatch(drawn.randrange(99)))))
        played.go_on()
    play_on(played, drawn, session=STEPS_MAX)
    return played


@pytest.mark.parametrize("game", GAMES)
def test_in_every_game_a_match_that_is_directed_comes_to_its_end(game: str) -> None:
    played = directed(game, 1)
    assert played.match.ended
    audit(played)
