"""Bad input to a tournament: each command has its code, and nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from domain.errors import TOURNAMENT_CODES
from domain.tournaments import commands
from domain.tournaments.field import StageField, played_tables
from tests.tournaments.events_by_hand import ARBITER, HOST, STRANGER, player
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.ladder_events import LadderEvent

SOMEBODY = "u" + "7" * 24
OF_ANOTHER = "e" + "9" * 24
"""The id of an entrant of another tournament."""


def new(name: str = "duel_swiss", **members: Any) -> WrittenEvent:
    event = WrittenEvent(name, **members)
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    return event


@cache
def entry() -> WrittenEvent:
    return new(entry={"max": 4, "invited": False, "rating": None}).enter(3)


@cache
def full() -> WrittenEvent:
    return new(entry={"max": 2}).enter(2)


@cache
def opened() -> WrittenEvent:
    event = new().enter(5).check_in((1, 2, 3, 4)).draw()
    event.step()
    return event


@cache
def playing() -> WrittenEvent:
    """Return a tournament with a result at the first of two tables, which was played again and has ended again."""
    event = opened().copy().start()
    event.record(1)
    event.do(commands.Replay(by=HOST, round=1, table=1))
    event.step()
    event.record(1)
    event.do(commands.Withdraw(by=player(4), number=4))
    return event


@cache
def paired() -> WrittenEvent:
    return opened().copy().pair()


@cache
def second() -> WrittenEvent:
    """Return a tournament in its second stage."""
    event = new("pods_final").begin(6).play_round().play_round().play_round()
    event.step()
    return event.start()


@cache
def disputed() -> WrittenEvent:
    event = playing().copy()
    for _ in range(3):
        event.do(commands.Appeal(by=player(1), number=1, line=1))
    event.do(commands.Rule(by=ARBITER, stage=1, round=1, table=1, ranking=in_order(event)))
    event.do(commands.Appeal(by=player(2), number=2, line=event.tournament.seq))
    event.do(commands.DecideAppeal(by=HOST, appeal=2, outcome="denied"))
    event.do(commands.Appeal(by=player(1), number=1, line=1))
    return event


@cache
def kept_apart() -> WrittenEvent:
    event = opened().copy()
    for pair in combinations(range(1, 5), 2):
        event.do(commands.Forbid(by=HOST, numbers=pair))
    return event


@cache
def over() -> WrittenEvent:
    return new().begin(2).close()


@cache
def umpired() -> WrittenEvent:
    """Return a tournament in which a player is an arbiter."""
    event = playing().copy()
    event.do(commands.Appoint(by=HOST, official=player(event.table().seats[0]), role="arbiter"))
    return event


@cache
def disqualified() -> WrittenEvent:
    event = opened().copy()
    event.do(commands.Penalise(by=HOST, number=1, kind="disqualified"))
    return event


@cache
def claimed() -> WrittenEvent:
    event = WrittenEvent("duel_swiss").begin(2).finish()
    event.do(commands.Appeal(by=player(1), number=1, line=1))
    return event


@cache
def ladder() -> WrittenEvent:
    event = LadderEvent(6)
    event.challenge(2, 1)
    return event


def asks(number: int, against: int) -> commands.ChallengeAbove:
    return commands.ChallengeAbove(by=player(number), number=number, against=against)


def fixed(*tables: tuple[int, ...]) -> commands.FixTables:
    return commands.FixTables(by=HOST, tables=tables)


def enters(who: str = STRANGER, **members: Any) -> commands.Register:
    return commands.Register(by=who, **{"player": who, **members})


def in_order(event: WrittenEvent, *more: int) -> tuple[tuple[int, ...], ...]:
    """Return the ranking of the first table by its seats, and then these."""
    return tuple((number,) for number in (*event.table().seats, *more))


def ranked(*ranking: tuple[int, ...], **members: Any) -> commands.Rule:
    return commands.Rule(**{"by": HOST, "stage": 1, "round": 1, "table": 1, "ranking": ranking, **members})


Asked = Callable[[WrittenEvent], commands.AnyCommand]
CASES: dict[str, tuple[Callable[[], WrittenEvent], Asked, str]] = {
    # who asks
    "anything of what is over": (over, lambda _: commands.Resume(by=HOST), "tournament_over"),
    "a token of another event": (opened, lambda _: commands.PauseTournament(by=OF_ANOTHER), "not_an_official"),
    "an entrant of another event": (opened, lambda _: commands.Withdraw(by=OF_ANOTHER, number=1), "not_yours"),
    "a number of another event": (opened, lambda _: commands.Withdraw(by=HOST, number=77), "unknown_number"),
    "an arbiter who cancels": (opened, lambda _: commands.Cancel(by=ARBITER), "not_the_host"),
    "a director who is none": (playing, lambda e: e.result(2, by=ARBITER), "not_an_official"),
    # entry
    "the same player twice": (entry, lambda _: enters(player(1)), "already_registered"),
    "one more than there are places": (full, lambda _: enters(), "tournament_full"),
    "a bot among people": (entry, lambda _: enters(bot=True), "entry_conditions"),
    "somebody who comes too late": (opened, lambda _: enters(), "entry_closed"),
    "somebody else": (entry, lambda _: enters(player=SOMEBODY), "not_yours"),
    "who was not there comes back": (opened, lambda _: commands.Return(by=player(5), number=5), "not_checked_in"),
    "who has left leaves": (playing, lambda _: commands.Withdraw(by=player(4), number=4), "already_withdrawn"),
    "who is disqualified comes back": (disqualified, lambda _: commands.Return(by=HOST, number=1), "disqualified"),
    "a bye of a round that is over": (
        playing, lambda _: commands.RequestBye(by=player(1), number=1, round=1), "too_late",
    ),
    # pairing
    "an entrant set twice": (opened, lambda _: fixed((1, 1)), "bad_tables"),
    "an entrant set at two tables": (opened, lambda _: fixed((1, 2), (1, 3)), "bad_tables"),
    "somebody set who has left": (opened, lambda _: fixed((1, 5)), "bad_tables"),
    "two set who are kept apart": (kept_apart, lambda _: fixed((1, 2)), "forbidden_pair"),
    "everybody kept from everybody": (kept_apart, lambda e: e.proceed_of(), "cannot_pair"),
    "pairing twice": (paired, lambda e: e.proceed_of(HOST), "already_paired"),
    "tables set for a round that is paired": (
        paired, lambda _: fixed((1, 2)), "already_paired",
    ),
    "pairing while a result is missing": (playing, lambda e: e.proceed_of(HOST), "round_open"),
    "a round taken back after a result": (playing, lambda _: commands.Unpair(by=HOST), "table_over"),
    "a round taken back that is not paired": (opened, lambda _: commands.Unpair(by=HOST), "not_paired"),
    # results
    "a ranking with a stranger": (playing, lambda _: ranked((1,), (77,)), "bad_ranking"),
    "a ranking with one twice": (playing, lambda e: ranked(*in_order(e, e.table().seats[0])), "bad_ranking"),
    "a ranking of nobody": (playing, lambda _: ranked(), "bad_ranking"),
    "a ranking with an absent one": (
        playing, lambda e: ranked(*in_order(e), absent=e.table().seats[:1]), "bad_ranking",
    ),
    "a match that ended after its table was to be played again": (
        playing, lambda e: e.result(2, attempt=e.table(2).attempt + 1), "wrong_match",
    ),
    "a match of another event": (playing, lambda e: e.result(2, match="0" * 36), "wrong_match"),
    "two results at once": (playing, lambda e: e.result(1), "already_recorded"),
    "a ruling on a table of an earlier stage": (second, lambda _: ranked(), "too_late"),
    "a ruling on a table of a later stage": (playing, lambda _: ranked(stage=2), "not_paired"),
    "a ruling on a table that there is not": (playing, lambda _: ranked(table=9), "unknown_table"),
    "points as floats": (
        playing,
        lambda e: ranked(*in_order(e), points=tuple((n, "0.5") for n in e.table().seats)),
        "bad_points",
    ),
    "a table played again that plays": (playing, lambda _: commands.Replay(by=HOST, round=1, table=2), "table_running"),
    "the own table": (umpired, lambda e: ranked(by=player(e.table().seats[0])), "own_table"),
    "another reason without a note": (playing, lambda _: commands.Cancel(by=HOST, reason="other"), "reason_needed"),
    # appeals
    "an appeal against a line that there is not": (
        playing, lambda e: commands.Appeal(by=player(1), number=1, line=e.tournament.seq + 1), "unknown_line",
    ),
    "more appeals than are heard at once": (
        disputed, lambda _: commands.Appeal(by=player(1), number=1, line=1), "too_many_appeals",
    ),
    "an appeal decided twice": (
        disputed, lambda _: commands.DecideAppeal(by=HOST, appeal=2, outcome="upheld"), "appeal_decided",
    ),
    "an appeal against the own ruling": (
        disputed, lambda _: commands.DecideAppeal(by=ARBITER, appeal=4, outcome="denied"), "own_ruling",
    ),
    "a tournament closed while an appeal waits": (claimed, lambda _: commands.Finish(by=HOST), "appeals_open"),
    # challenges
    "a challenge from far below": (ladder, lambda _: asks(6, 3), "out_of_reach"),
    "a challenge of who is challenged": (ladder, lambda _: asks(3, 1), "already_challenged"),
    "an answer to no challenge": (
        ladder, lambda _: commands.AnswerChallenge(by=player(1), challenge=2, accepted=True), "no_challenge",
    ),
    # time
    "a round that lasts more than a week longer": (
        playing, lambda e: commands.Extend(by=HOST, until=e.at + 8 * 86_400_000), "too_late",
    ),
    "a round that ends in the past": (playing, lambda e: commands.Extend(by=HOST, until=e.at), "too_late"),
    "more time than is given": (
        playing, lambda e: commands.GiveTableTime(by=HOST, table=2, number=e.table(2).seats[0], ms=10**9), "bad_time",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bad_input_has_its_code_and_nothing_is_recorded(name: str) -> None:
    made, asked, code = CASES[name]
    event = made()
    before, lines = event.tournament, list(event.lines)
    assert event.code(asked(event)) == code
    assert event.tournament is before
    assert event.lines == lines


def test_every_code_of_a_tournament_has_its_bad_input() -> None:
    # A report that there is not is refused to who reads, and no command; only the house knows which cases there
    # are, and how much was said beside the lines.
    assert TOURNAMENT_CODES.keys() - {"no_trf", "unknown_case", "too_many_words"} <= {
        code for _, _, code in CASES.values()
    }


def test_time_that_runs_backwards_is_no_matter_of_rules() -> None:
    event = playing().copy()
    event.at = event.tournament.at - 1
    with pytest.raises(AssertionError, match="backwards"):
        event.decide(commands.PauseTournament(by=HOST))


def test_while_a_round_is_played_history_has_the_tables_that_are_over() -> None:
    event = playing()
    assert [table.seats for table in played_tables(event.tournament)] == [event.table(1).seats]
    assert set(StageField(event.tournament, 1).history.met) == {tuple(sorted(event.table(1).seats))}
