"""Layer 3 in the browser: the rules replayed in JavaScript rule every record as the referee in Python does.

Two implementations of one description agree on fair matches of every game, on thousands of lies about them, and on
rules drawn at random: whether the rules are known, the first line they do not allow, and how far could be judged.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import playwright
import pytest

from domain import commands
from domain.games import GAMES
from domain.games.game import Game, anything_goes
from domain.rules.rules import Rules
from tests.domain.playing import Played
from tests.domain.record_mutations import (
    Lie,
    dice_opened_early,
    dice_opened_in_part,
    dice_rolled_otherwise,
    dice_rolled_too_often,
    events_moved,
    members_changed,
)
from tests.domain.test_any_rules import STEPS, Options, rules_from
from tests.domain.test_beacon import played as waited
from tests.domain.test_every_game import step
from tests.domain.test_lies import LIES, ceremonial, played_out
from tests.domain.test_lies_of_every_game import TOLD, course_of, every
from tests.domain.test_referee import OTHER, records, shifted
from tests.domain.test_shown import copied_seal, secrets_of_zeros
from tests.domain.truth_oracle import Course, Record, is_proved, judged
from tests.domain.truth_oracle import played_out as course_played_out
from tests.fairness.kept_programs import kept_program
from tests.fairness.test_every_game import matches, record_of
from tests.sizes import cases, spread

NODE = Path(playwright.__file__).parent / "driver" / "node"
"""The wheel that the tests drive browsers with brings a Node of its own."""
RULES = Path(__file__).parents[2] / "services" / "web" / "static" / "rules"
RUNNER = Path(__file__).with_name("rules_runner.js")

LIES_MAX = cases(6, 40)
"""How many lies are told of a match; each costs both referees a whole replay."""
FEW = 12
"""How many are told where nobody knows the rules before."""

OTHERS: tuple[Any, ...] = ("", 0, 300, True, None, {})
Ruled = tuple[bool, int | None, int]

__all__ = ["records"]


def in_javascript(told: Iterable[Record], rules: Any = None) -> list[Ruled]:
    """Return what the referee of the pages says to each of these records."""
    given = [msgspec.json.encode({"record": record, "rules": rules}) for record in told]
    found = [msgspec.json.decode(line) for line in kept_program(str(NODE), str(RUNNER), str(RULES)).answers(given)]
    return [(one["judged"], one["line"], one["upto"]) for one in found]


def in_python(told: Iterable[Record]) -> list[Ruled]:
    """Return what the referee of the server says to each of these records."""
    return [(found.judged, found.line, found.upto) for found in map(judged, told)]


def agree(told: list[Record], rules: Any = None) -> list[Ruled]:
    """Check that both say the same to each of these records; return it."""
    found = in_python(told)
    assert in_javascript(told, rules) == found
    return found


# ---- every game -----------------------------------------------------------------------------------


def test_fair_matches_of_every_game_are_fair_to_both() -> None:
    fair = [course_of(number).record for number in range(len(TOLD))]
    assert agree(fair) == [(True, None, len(record)) for record in fair]


@every
def test_a_lie_is_found_on_the_same_line_by_both(number: int) -> None:
    told = some_of(lies_about(number), random.Random(number))
    found = agree([lie.record for lie in told if is_left_to_the_rules(lie)])
    assert sum(1 for _, line, _ in found if line is not None) > len(found) // 2


def is_left_to_the_rules(lie: Lie) -> bool:
    """Report whether layer 2 lets a lie pass; of the dice both referees are asked all the same."""
    return (lie.kind.startswith(("game.", "cup.")) and lie.member != "") or is_proved(lie.record)


def lies_about(number: int) -> Iterable[Lie]:
    course, rng = course_of(number), random.Random(number)
    return chain(
        members_changed(course.record, rng, ("game.", "cup.", "match.", "seat.")),
        events_moved(course.record, rng),
        dice_rolled_too_often(course),
        dice_rolled_otherwise(course),
        dice_opened_early(course),
        dice_opened_in_part(course),
    )


def some_of(lies: Iterable[Lie], rng: random.Random, most: int = LIES_MAX) -> list[Lie]:
    """Return lies of different sorts: what was done, to which member of which event."""
    sorts: dict[tuple[str, str, str], list[Lie]] = {}
    for lie in lies:
        sorts.setdefault((lie.how, lie.kind, lie.member), []).append(lie)
    return [rng.choice(sort) for sort in rng.sample(list(sorts.values()), min(most, len(sorts)))]


@every
def test_a_record_that_breaks_off_is_judged_as_far_by_both(number: int) -> None:
    record = course_of(number).record
    agree([record[:end] for end in range(1, len(record), 7)])


@pytest.mark.parametrize("out_of_time", ["act", "forfeit"])
def test_a_match_in_which_nobody_acts_is_fair_to_both(out_of_time: str) -> None:
    idle = [played_out_of_time(game, out_of_time) for game in GAMES]
    assert agree(idle) == [(True, None, len(record)) for record in idle]


def played_out_of_time(game: str, out_of_time: str) -> Record:
    lowest = GAMES[game].rules(GAMES[game].options()).seats[0]
    clock = {"bank_ms": 1_000, "increment_ms": 7, "on_timeout": out_of_time}
    course = Course({}, max(lowest, 2), "idle", game, pause_ms=0, clock=clock)
    course.start()
    return course_played_out(course, 1).record


@pytest.mark.parametrize(("game", "per"), matches())
def test_a_match_with_seeds_of_its_players_is_fair_to_both(game: str, per: str) -> None:
    record = record_of(game, per)
    assert agree([record]) == [(True, None, len(record))]


# ---- what happens around a game -------------------------------------------------------------------


def test_deals_that_go_wrong_are_ruled_alike() -> None:
    told = [ceremonial(withheld=withheld) for withheld in (True, False)]
    late = [shifted(record, at, ms, at + 1)[0] for record in told for at in range(1, 24) for ms in (1, -40_000)]
    agree([*told, *late])


def test_clocks_and_other_members_are_ruled_alike(records: list[Record]) -> None:
    rng = random.Random(1)
    lies = [shifted(record, at, ms)[0] for record in records for at in range(1, len(record), 9) for ms in (-60_000, 1)]
    for record in records:
        for _ in range(cases(15, 120)):
            at, other = rng.randrange(len(record)), rng.choice(OTHER)
            if record[at]["type"].startswith("game.") and record[at]["data"]:
                data = {**record[at]["data"], rng.choice(list(record[at]["data"])): other}
                lies.append([*record[:at], {**record[at], "data": data}, *record[at + 1 :]])
    agree([*records, *lies])


@pytest.mark.parametrize("name", LIES)
def test_a_lie_somebody_thought_of_is_ruled_alike(name: str) -> None:
    options = {"spot_on": True, "push": True, "pass_once": True, "challenge_by": "anyone"}
    truth = played_out(options, clock={"bank_ms": 5_000, "increment_ms": 100})
    agree([LIES[name](truth)[0]])


def test_rules_that_are_none_of_a_game_are_found_by_both(records: list[Record]) -> None:
    some = spread(range(len(TOLD)), 1, lambda number: TOLD[number].game)
    told = [*records, *(course_of(number).record for number in some)]
    lies = [lie[:20] for record in told for lie in other_rules(record)]
    assert (True, 1, 1) in agree(lies)


def other_rules(record: Record) -> Iterable[Record]:
    """Yield the record with each option, and each setting, of some other value, and with none."""
    first, rules = record[0], record[0]["data"]["rules"]
    changed = [{**rules, name: other} for name in rules for other in OTHERS]
    changed += [{kept: value for kept, value in rules.items() if kept != name} for name in rules if name != "game"]
    for name, value in rules["options"].items():
        for other in ("none", -1, 101, not value, None):
            changed.append({**rules, "options": {**rules["options"], name: other}})
    changed += [{**rules, "options": {**rules["options"], "more": 1}}, {**rules, "more": 1}, {**rules, "seats": 2}]
    for each in changed:
        yield [{**first, "data": {**first["data"], "rules": each}}, *record[1:]]


@pytest.mark.parametrize(("policy", "per"), [("all", "match"), ("all", "round"), ("shown", "round")])
def test_deals_that_wait_for_a_beacon_are_ruled_alike(policy: str, per: str) -> None:
    record = waited(policy, per).record
    early = [
        shifted(record, at, ms, end)[0] for at in range(1, 30) for ms in (-7_000, 1, 50_000) for end in (at + 1, None)
    ]
    members = members_changed(record, random.Random(2), ("deal.sealed", "deal.fixed", "deal.ready", "seed.opened"))
    lies = [lie.record for lie in some_of(members, random.Random(2)) if is_proved(lie.record)]
    assert agree([record, *early, *lies])[0] == (True, None, len(record))


def test_a_secret_is_there_or_not_to_both_whatever_its_bytes_are() -> None:
    told = list(secrets_of_zeros())
    assert [line for _, line, _ in agree([record for record, _ in told])] == [line for _, line in told]


@pytest.mark.parametrize("policy", ["shown", "all"])
def test_a_seal_that_is_copied_is_found_by_both(policy: str) -> None:
    fair, lie, line = copied_seal(policy)
    assert agree([fair, lie]) == [(True, None, len(fair)), (True, line, line)]


# ---- any rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(cases(5, 60)))
def test_rules_drawn_at_random_are_ruled_alike(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(number)
    rules = rules_from(drawn)
    monkeypatch.setitem(GAMES, "any", Game("any", "any", "any", "any", Options, anything_goes, lambda _: rules))
    played = Played({}, drawn.randint(2, 4), str(number), "any", pause_ms=0, deal_per=drawn.choice(rules.deals))
    played.start()
    for _ in range(STEPS):
        if not played.match.ended:
            step(played, drawn, closing=False)
    while not played.match.ended:
        assert played.match.table is not None
        played.do(commands.Forfeit(played.match.table.remaining[0]))
        played.go_on()
    record: Record = [msgspec.json.decode(line) for line in played.lines]
    lies = some_of(chain(members_changed(record, drawn, ("game.",)), events_moved(record, drawn)), drawn, FEW)
    told = [lie.record for lie in lies if is_left_to_the_rules(lie)]
    assert agree([record, *told], value_of(rules))[0] == (True, None, len(record))


def value_of(rules: Rules) -> Any:
    """Return rules as the pages write them: kinds for types, and names as JavaScript has them."""
    return renamed(msgspec.to_builtins(rules))


def renamed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [renamed(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {camel(name): renamed(part) for name, part in value.items() if name != "type"}
    return made | {"kind": snake(value["type"])} if "type" in value else made


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
