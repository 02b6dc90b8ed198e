"""The referee against lies told one by one, each in a record whose chain holds: layer 3 alone has to find them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from domain import commands
from domain.audit.replay import replay
from domain.audit.rulings import UNJUDGED, ReplayResult
from domain.fairness.deal import seed_commitment
from domain.fairness.records import RecordLine
from domain.match.ceremony import CEREMONY_MS
from tests.domain.playing import Played, commands_for

Record = list[dict[str, Any]]


def played_out(options: dict[str, Any] | None = None, **rules: Any) -> Record:
    """Return a finished match as type and data a line, with one seat out of time and one that resigned."""
    played = Played({"dice_per_player": 2, **(options or {})}, 3, pause_ms=0, **rules)
    played.start()
    turns = 0
    while not played.match.ended:
        seat, move = played.offers()[turns % len(played.offers())]
        played.do(commands_for(seat, move)[0])
        played.go_on()
        turns += 1
        if turns == 5 and played.match.clocks is not None and not played.match.ended:
            played.do(commands.GiveBack(700))
            due = played.match.clocks.due_at
            assert due is not None
            played.do(commands.Advance(played.chance()), due - played.at)
            played.go_on()
    return [json.loads(line) for line in played.lines]


def said_of(record: Record) -> tuple[bool, int | None, int, str]:
    """Return whether a record is judged, the line at fault, how far it was judged, and why."""
    found = judged(record)
    return found.judged, found.line, found.upto, found.why


def judged(record: Record) -> ReplayResult:
    return replay([RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(record, start=1)])


@pytest.fixture(scope="module")
def truth() -> Record:
    clock = {"bank_ms": 5_000, "increment_ms": 100}
    return played_out({"spot_on": True, "push": True, "pass_once": True, "challenge_by": "anyone"}, clock=clock)


def first(record: Record, kind: str, nth: int = 0) -> int:
    return [i for i, one in enumerate(record) if one["type"] == kind][nth]


def changed(record: Record, at: int, **members: Any) -> tuple[Record, int]:
    data = {**record[at]["data"], **members}
    return [*record[:at], {**record[at], "data": data}, *record[at + 1 :]], at + 1


def without(record: Record, at: int) -> tuple[Record, int]:
    return [*record[:at], *record[at + 1 :]], at + 1


def twice(record: Record, at: int, where: int | None = None) -> tuple[Record, int]:
    to = at + 1 if where is None else where
    return [*record[:to], record[at], *record[to:]], to + 1


def test_the_truth_is_accepted(truth: Record) -> None:
    assert said_of(truth) == (True, None, len(truth), "every event follows from the rules")


LIES: dict[str, Callable[[Record], tuple[Record, int]]] = {
    "dice are rolled that the rules do not call for": lambda r: twice(r, first(r, "cup.rolled", 3)),
    "one die too few is rolled": lambda r: changed(r, first(r, "cup.rolled", 3), slots=[0], m=[6]),
    "a die has other faces": lambda r: changed(r, first(r, "cup.rolled", 3), m=[6, 5]),
    "a cup is not rolled": lambda r: without(r, first(r, "cup.rolled", 2)),
    "a die is opened early": lambda r: twice(r, first(r, "cup.revealed", 1), first(r, "game.bid") + 1),
    "a cup is not lifted": lambda r: without(r, first(r, "cup.revealed", 1)),
    "somebody else opens the round": lambda r: changed(r, first(r, "game.round_opened"), starter=9),
    "a round is skipped": lambda r: changed(r, first(r, "game.round_opened", 1), round=3),
    "somebody bids out of turn": lambda r: changed(
        r, first(r, "game.bid"), seat=1 + r[first(r, "game.bid")]["data"]["seat"] % 3
    ),
    "a bid is too low": lambda r: changed(r, first(r, "game.bid", 1), quantity=0),
    "the dice are counted wrong": lambda r: changed(r, first(r, "game.judged"), count=99),
    "the wrong seat loses": lambda r: changed(r, first(r, "game.judged"), losers=[3], winners=[2]),
    "a posting is wrong": lambda r: changed(r, first(r, "game.posted"), amount=2),
    "a posting is missing": lambda r: without(r, first(r, "game.posted")),
    "a seat is thrown out": lambda r: changed(r, first(r, "game.eliminated"), seat=9),
    "somebody else begins the next round": lambda r: changed(r, first(r, "game.round_closed"), next_starter=7),
    "the wrong player won": lambda r: changed(r, first(r, "game.won"), seat=9),
    "the end names another winner": lambda r: changed(r, first(r, "match.ended"), winner=9),
    "a clock is set back": lambda r: changed(r, first(r, "game.clock_set", 1), bank_ms=1),
    "somebody is out of time who is not": lambda r: changed(r, first(r, "game.timed_out"), seat=9),
    "time is taken from a seat": lambda r: changed(
        r, first(r, "game.timed_out") - 1, due_at=r[first(r, "game.timed_out") - 1]["data"]["due_at"] - 9_000
    ),
    "a seat joins in the middle": lambda r: twice(r, first(r, "seat.joined"), first(r, "game.bid")),
    "a match starts twice": lambda r: twice(r, first(r, "game.started"), first(r, "game.bid")),
    "other seats start": lambda r: changed(r, first(r, "game.started"), seats=[1, 2]),
    "the deal has another cup": lambda r: changed(r, first(r, "deal.committed"), cups=[[1, 1, 9, 2]]),
    "the draw is decided otherwise": lambda r: changed(r, first(r, "game.first_drawn"), seat=9),
    "a verdict comes from nowhere": lambda r: twice(r, first(r, "game.judged"), first(r, "game.bid")),
    "an event is of another game": lambda r: ([*r[:20], {**r[20], "type": "game.dealt_under"}, *r[21:]], 21),
    "an event has a member more": lambda r: changed(r, first(r, "game.bid"), why="because"),
    "dice are handled and nothing shows": lambda r: (
        [
            *r[: first(r, "game.bid")],
            {
                **r[0],
                "type": "game.arranged",
                "data": {"seat": 1, "outside": 1, "inside": 0, "roll_inside": 1, "roll_outside": 0},
            },
            *r[first(r, "game.bid") :],
        ],
        first(r, "game.bid") + 1,
    ),
    "the rules object leaves an option out": lambda r: changed(
        r, 0, rules={**r[0]["data"]["rules"], "options": {"dice_per_player": 2}}
    ),
    "the rules object contradicts itself": lambda r: changed(
        r, 0, rules={**r[0]["data"]["rules"], "options": {"stakes": "per_round"}}
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_on_its_line(lie: str, truth: Record) -> None:
    record, line = LIES[lie](truth)
    found = judged(record)
    assert (found.judged, found.line) == (True, line), found


def test_a_record_that_ends_in_the_middle_of_what_a_command_led_to_is_judged_up_to_the_line_before(
    truth: Record,
) -> None:
    start = first(truth, "game.started")
    why = f"the record ends in the middle of what line {start + 1} led to"
    assert said_of(truth[: start + 1]) == (True, None, start, why)


def test_a_record_that_lacks_its_end_alone_is_not_judged_to_its_end(truth: Record) -> None:
    found = judged(truth[:-1])
    assert (found.line, found.upto < len(truth) - 1, "in the middle" in found.why) == (None, True, True)


def test_a_push_is_judged_by_the_dice_it_shows() -> None:
    played = Played({"dice_per_player": 3, "push": True}, 2, pause_ms=0)
    played.start()
    while not played.match.ended:
        pushes = [offer for offer in played.offers() if offer[1].__class__.__name__ == "ArrangeMove"]
        seat, move = pushes[0] if pushes else played.offers()[-1]
        played.do(commands_for(seat, move)[0])
        played.go_on()
    record: Record = [json.loads(line) for line in played.lines]
    assert judged(record).line is None
    at = first(record, "game.arranged")
    assert judged(changed(record, at, seat=9)[0]).line == at + 1
    assert judged(changed(record, at, roll_inside=1)[0]).line == at + 1


def test_a_match_still_going_on_is_judged_as_far_as_its_secrets_are_out() -> None:
    record = played_out(deal_per="round")
    end = first(record, "deal.closed", 1) + 1
    found = judged(record[:end])
    assert (found.line, found.upto) == (None, end)
    later = first(record, "deal.ready", 2) + 2
    found = judged(record[:later])
    assert (found.line, found.upto < later) == (None, True)
    assert "not closed yet" in found.why


def test_a_session_that_nobody_closed_has_not_ended() -> None:
    """The end it claims needs a secret that no record has, and that is no reason to leave it unjudged."""
    played = Played({"elimination": "none", "dice_per_player": 1}, 2)
    played.start()
    while played.match.table is None or played.match.table.phase != "between_rounds":
        seat, move = played.offers()[-1]
        played.do(commands_for(seat, move)[0])
    played.do(commands.CloseSession())
    record: Record = [json.loads(line) for line in played.lines]
    lie, line = without(record, first(record, "game.session_closed"))
    assert (record[-1]["type"], judged(record).line) == ("match.ended", None)
    assert judged(lie).line == line


def ceremonial(*, withheld: bool) -> Record:
    """Return a finished match whose first deal was voided, or in which the server had to take a seat's custody."""
    played = Played({"dice_per_player": 1}, 3, pause_ms=0)
    for seat in (1, 2, 3):
        played.do(commands.Join(f"p{seat}", "client" if seat == 2 else "server"))
    played.do(commands.Start(played.chance()))
    if withheld:
        ceremony = played.match.ceremony
        assert ceremony is not None
        made = seed_commitment(bytes(32), ceremony.ctx, ceremony.root, 2)
        played.do(commands.CommitSeed(2, 0, made.hex()))
        played.do(commands.LogDeal(0, 0, (), "checkpoint"))
    played.do(commands.Advance(played.chance()), CEREMONY_MS)
    played.go_on()
    while not played.match.ended:
        seat, move = played.offers()[-1]
        played.do(commands_for(seat, move)[0])
        played.go_on()
    return [json.loads(line) for line in played.lines]


@pytest.mark.parametrize("withheld", [True, False])
def test_deals_that_go_wrong_are_judged_like_others(*, withheld: bool) -> None:
    record = ceremonial(withheld=withheld)
    assert judged(record).line is None
    kind = "deal.voided" if withheld else "game.seed_custody"
    at = first(record, kind) if withheld else first(record, kind, 2)
    early = [*record[:at], {**record[at], "at": record[at - 1]["at"] + 1}, *record[at + 1 :]]
    assert judged(early).line == at + 1, "nobody is called late before the time is up"


@pytest.mark.parametrize(
    ("more", "judges"),
    [
        ({}, True),
        ({"tempo": 1}, False),
        ({"clock": {"byo": 3}}, False),
        ({"clock": {}}, True),
        ({"clock": 0}, True),
        ({"options": {"jokers": 2}}, False),
        ({"options": {"drinks": {"chaser": 1}}}, False),
        ({"options": {"drinks": {"basis": "sips"}}}, True),
        ({"options": {"dice_per_player": 99}}, True),
        ({"options": []}, True),
    ],
)
def test_an_option_nobody_here_knows_is_not_judged_and_a_wrong_value_is(more: dict[str, Any], *, judges: bool) -> None:
    record = [{"type": "match.created", "data": {"rules": {"game": "common_hand", **more}}, "at": 1}]
    found = judged(record)
    assert (found.judged, found.line) == (judges, 1 if judges else None)


def test_rules_nobody_here_knows_are_not_judged() -> None:
    for rules in ({"game": "liars-dice"}, "no object"):
        record = [{"type": "match.created", "data": {"rules": rules}, "at": 1}]
        assert said_of(record) == (False, None, 0, UNJUDGED)
