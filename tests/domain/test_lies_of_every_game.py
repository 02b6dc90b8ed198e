"""Every game's records against lies told one by one, of every event and every member: layer 3 finds each on its line.

The line is the first with which the record cannot be the truth, whatever anybody might have said instead (`truths`).
For a line that follows of itself that is the line itself. Where somebody could have said something else, a lie shows
only later, or, where nothing ever contradicts it, is as true as what happened.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

import pytest
from msgspec import Struct, convert
from msgspec.structs import replace

from domain import commands
from domain.fairness.deal import Policy
from domain.games import GAMES, rules_of
from domain.match.record import TYPES
from domain.table.interludes import cocked
from tests.domain.record_mutations import (
    Lie,
    dice_opened_early,
    dice_opened_in_part,
    dice_rolled_otherwise,
    dice_rolled_too_often,
    events_moved,
    members_changed,
)
from tests.domain.truth_oracle import Course, Record, first_difference, first_impossible, is_proved, judged, played_out
from tests.sizes import cases, is_long, spread

SAMPLE = cases(1, 2)
"""How many lies of a sort (what was done, to which member of which event) are told of a record."""
ONE_IN = cases(5, 1)
"""In how many records in a row each sort of move is told once: every event is moved in all, and in some every way."""
IMPATIENT = {"bank_ms": 1_000}
IDLE = {"turn_ms": 60_000, "turns": 2, "seeds_ms": 10_000, "lobby_ms": 90_000, "bots_ms": 60_000}
BOUGHT = {"stakes": "money", "buy_back": True, "hands_to_lose": 1, "max_buy_backs": 1, "doubles": True}
PUSHED = {"dice_per_player": 3, "push": True, "pass_once": True, "spot_on": True, "challenge_by": "anyone"}
DRUNK = {"drinks": {"basis": "die", "elimination": 1, "ghost_per_round": 1}}


class Told(Struct, frozen=True):
    """A match to lie about: its options, what chooses in it, and what is put off in it as long as it can be."""

    game: str
    options: dict[str, Any] = {}
    seed: int = 1
    last: tuple[type, ...] = ()
    rules: dict[str, Any] = {}
    policy: Policy = "all"

    @property
    def name(self) -> str:
        return " ".join(
            [
                self.game,
                self.policy,
                *(f"{name}={value}" for name, value in (*self.options.items(), *self.rules.items())),
            ]
        )


OPEN = (
    Told("common_hand", PUSHED, 6),
    Told("common_hand", {**GAMES["common_hand"].presets["perudo"], "dice_per_player": 2, **DRUNK}, 6),
    Told("common_hand", {"dice_per_player": 2, "stakes": "winner_take_all"}, 5, rules={"deal_per": "round"}),
    Told("common_hand", {"elimination": "none", "stakes": "per_round", "wild": "unless_opened"}, 5),
    Told("individual_hand", {}, 11),
    Told("individual_hand", {"reroll_scope": "round", "on_last_reroll": "may_claim", "reveal": "both"}, 33),
    Told("stanford", {}, 1),
    Told("stanford", {"lives": 2, "rerolls": 2}, 1),
    Told("mexican", {}, 24),
    Told("mexican", {"ties_allowed": True, "claim_check": "next_player", "forty_one": "impose"}, 37),
    Told("finska", {}, 1),
    Told("finska", {"stake": 1, "loser_pays": "winner", "may_rehide": False}, 1, rules={"deal_per": "round"}),
    Told("liars_poker", {}, 13),
    Told("liars_poker", {"numbers": "slips"}, 22),
    Told("liars_poker", {"single_use": True, "reveal": "full", "rebid": False}, 7),
    Told("liars_poker_wizard", {}, 13),
    Told("liars_poker_wizard", {"next_starter": "final_bidder"}, 8),
    Told("boss_liars", {}, 31),
    Told("boss_liars", {"mode": "all_challenge", "loser_may_muck": True}, 43),
    Told("boss_liars", BOUGHT, 0),
    Told("boss_liars", {"stakes": "drinks"}, 12),
    Told("boss_liars", {"cocked": True}, 0),
    Told("boss_liars", {"cocked": True, "hands_to_lose": 1}, 54, (commands.Challenge, cocked.ShowCocked)),
    Told("beat_this", {}, 1),
    Told("beat_this", {"wild": "never"}, 2, rules={"deal_per": "round"}),
    Told("stud_liars", {"wins_needed": 2}, 13),
    Told("six_six_six", {}, 1),
    Told("six_six_six", {"dice": 2}, 1),
    Told("two_dice_pass", {}, 1),
    Told("two_dice_pass", {"order": "numeric"}, 1),
    Told("dollar_bill", {}, 1),
    Told("german_liar_dice", {"rerolls": 10}, 98),
    Told("german_liar_dice", {"dice": "spotted", "on_last_reroll": "auto_challenge"}, 105),
    Told("german_liar_dice", {"format": "knockout", "wins_needed": 1, "five_aces": False}, 1),
    Told("german_liar_dice", {"format": "chouette", "wins_needed": 1, "five_aces": False}, 2),
    *(
        Told(game, rules={"clock": IMPATIENT})
        for game in ("individual_hand", "liars_poker", "boss_liars", "stud_liars")
    ),
    *(Told(game, seed=3, rules={"idle": IDLE}) for game in ("common_hand", "mexican", "liars_poker", "boss_liars")),
)
"""Every game with sets of its options that between them lead to every event there is."""
TOLD = (
    *OPEN,
    *(replace(told, policy="shown") for told in OPEN if "shown" in rules_of(told.game, told.options).policies),
)
"""And all of them once more, where that can be, with deals that publish no more than what the rules show."""
POWERS = {
    "continued",
    "seat_ready",
    "last_round",
    "stopped",
    "kicked",
    "paused",
    "resumed",
    "stood_in",
    "taken_back",
    "time_given",
    "handed_over",
    "locked",
    "unlocked",
}
ELSEWHERE = {
    "deal.fixed", "deal.voided", "seat.left", "seat.keyed", "deal.shared", "game.released",
    *(f"game.{power}" for power in POWERS),
}  # fmt: skip
"""Beacons are nobody's yet, deals that go wrong are in `test_lies`, what a host does in `test_host_powers`,
what a director does in `test_tournament_tables`, what a board has in `test_boards`, and keys in `test_signing`."""


@lru_cache
def course_of(number: int) -> Course:
    told = TOLD[number]
    seats = GAMES[told.game].rules(convert(told.options, GAMES[told.game].options)).seats
    course = Course(
        told.options, max(seats[0], min(3, seats[1])), str(told.seed), told.game, told.policy, pause_ms=0, **told.rules
    )
    course.start()
    return played_out(course, told.seed, last=told.last)


SOME = spread(range(len(TOLD)), 2, lambda number: TOLD[number].game)


def by_turns(numbers: list[int]) -> list[int]:
    """Return one of these of each game, the first of one game and the second of the next; with `--long` all of them."""
    games: dict[str, list[int]] = {}
    for number in numbers:
        games.setdefault(TOLD[number].game, []).append(number)
    return numbers if is_long() else [some[turn % len(some)] for turn, some in enumerate(games.values())]


def names(numbers: list[int]) -> list[str]:
    return [TOLD[number].name for number in numbers]


HALF = by_turns(SOME)
TIMELESS = by_turns([number for number in SOME if not TOLD[number].rules.keys() & {"clock", "idle"}])
"""Where times decide, an event in another place is at a wrong time as well, which is in `test_referee`."""
every = pytest.mark.parametrize("number", SOME, ids=names(SOME))
every_other = pytest.mark.parametrize("number", HALF, ids=names(HALF))


def check(number: int, lies: Iterable[Lie], sample: int = SAMPLE, one_in: int = 1) -> int:
    """Check a sample of these lies, some of each sort; return how many were told."""
    course, sorts, drawn = course_of(number), dict[tuple[str, str, str], list[Lie]](), random.Random(number)
    for lie in lies:
        sorts.setdefault((lie.how, lie.kind, lie.member), []).append(lie)
    told = 0
    for place, sort in enumerate(sorts.values(), start=number):
        for lie in () if place % one_in else drawn.sample(sort, min(sample, len(sort))):
            told += is_found(course, lie)
    return told


def is_found(course: Course, lie: Lie) -> bool:
    """Check that layer 3 finds a lie on its line. Report whether it was one, and layers 1 and 2 left it to layer 3."""
    record = course.record
    differs = first_difference(record, lie.record)
    if differs is None or (dice_of(lie.record) != dice_of(record) and not is_proved(lie.record)):
        return False
    line, found = first_impossible(course, lie.record), judged(lie.record)
    told = "\n".join(json.dumps(one) for one in lie.record[max(0, differs - 2) : differs + 2])
    assert found.judged, found
    assert found.line in (line, *_as_well(course, lie, differs)), f"{lie.how} {lie.kind} {lie.member}: {found}\n{told}"
    lobby = record[differs]["type"] in {"seat.joined", "game.seed_custody"}
    assert line == differs + 1 or differs in course.doings or lobby, f"nobody asked for line {differs + 1}\n{told}"
    return True


def _as_well(course: Course, lie: Lie, differs: int) -> range:
    """Return the lines a lie may be found on as well, if it is that dice were not shown and no secret is published.

    What was said of these dice on the lines before, from what was asked for on, is not known to be true any more.
    """
    if course.match.policy == "all" or lie.kind != "cup.revealed":
        return range(0)
    return range(max(line for line in course.doings if line <= differs) + 1, differs + 1)


def dice_of(record: Record) -> list[Any]:
    """Return all that layer 2 looks at."""
    return [(one["type"], one["data"]) for one in record if not one["type"].startswith("game.")]


# ---- the truth ----------------------------------------------------------------------------------------


def test_every_game_and_every_event_is_told_here() -> None:
    assert {told.game for told in TOLD} == GAMES.keys()
    kinds = {one["type"] for number in range(len(TOLD)) for one in course_of(number).record}
    assert kinds == TYPES.keys() - ELSEWHERE


@every
def test_the_truth_is_accepted(number: int) -> None:
    course = course_of(number)
    found = judged(course.record)
    assert (found.line, found.upto) == (None, len(course.record))
    assert first_impossible(course, course.record) is None


@every_other
def test_a_record_that_breaks_off_is_at_no_fault_and_judged_as_far_as_commands_go(number: int) -> None:
    course = course_of(number)
    record, whole = course.record, {*course.doings, len(course.record)}
    for end in range(1 + number % EVERY, len(record), EVERY):
        found, upto = judged(record[:end]), max(lines for lines in whole if lines <= end)
        # A seat that has just joined may still be one that brings its own seeds.
        joined = end if record[end - 1]["type"] == "seat.joined" else upto
        assert (found.judged, found.line) == (True, None), found
        assert found.upto == joined or (course.match.policy == "all" and found.upto <= upto), found


EVERY = 3
"""How many lines there are between two ends that are tried; each costs a whole replay."""


# ---- lies ---------------------------------------------------------------------------------------------


@every
def test_no_roll_is_other_than_the_rules_call_for(number: int) -> None:
    course = course_of(number)
    members = members_changed(course.record, random.Random(number), ("cup.rolled",))
    told = check(number, chain(dice_rolled_too_often(course), dice_rolled_otherwise(course), members))
    # Where all dice are shown, and no secret is, each of these lies may be one that layer 2 finds.
    assert told or course.match.policy == "shown"


@every
def test_no_die_is_opened_early_or_not_at_all(number: int) -> None:
    course = course_of(number)
    assert check(number, chain(dice_opened_early(course), dice_opened_in_part(course)))


@every
def test_no_handling_and_no_choice_is_told_otherwise(number: int) -> None:
    kinds = ("game.arranged", "game.choices_revealed")
    told = check(number, members_changed(course_of(number).record, random.Random(number), kinds))
    assert told or not any(one["type"] in kinds for one in course_of(number).record)


@every
def test_no_posting_is_wrong(number: int) -> None:
    kinds = ("game.posted", "game.counted", "game.slip_advanced", "game.stake_set", "game.clock_set")
    assert check(number, members_changed(course_of(number).record, random.Random(number), kinds))


@every_other
def test_nobody_wins_and_nobody_loses_but_who_did(number: int) -> None:
    kinds = ("game.judged", "game.eliminated", "game.won", "game.lost", "game.round_", "match.ended")
    assert check(number, members_changed(course_of(number).record, random.Random(number), kinds))


@every_other
def test_nobody_says_anything_that_could_not_be_said(number: int) -> None:
    kinds = tuple(kind for kind in TYPES if kind.startswith("game.") and not kind.startswith(OUTCOMES))
    assert check(number, members_changed(course_of(number).record, random.Random(number), ("seat.joined", *kinds)))


OUTCOMES = ("game.arranged", "game.choices_revealed", "game.posted", "game.judged", "game.round_", "game.clock_set")


@pytest.mark.parametrize("number", TIMELESS, ids=names(TIMELESS))
def test_no_event_is_left_out_or_put_in_or_moved(number: int) -> None:
    assert check(number, events_moved(course_of(number).record, random.Random(number)), 1, ONE_IN)
