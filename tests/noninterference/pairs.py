"""Pairs: a house and the same house with other dice under its cups, compared at each moment, observer by observer.

A pair is two runs compared at one moment for one observer; only those are counted at which some die was another one
already, that nobody has shown by the end and that this observer may not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, Literal, get_args

from msgspec import Struct, field

from domain.games import GAMES, rules_of
from domain.rules.boards import why_no_boards
from domain.rules.rules import Rules
from tests.domain.swapped_dice import Mask
from tests.domain.test_secrecy import PLAYED
from tests.noninterference.course import Over, Plan, Table
from tests.noninterference.dice import Dice
from tests.noninterference.event_table import OF_THREE, EventTable
from tests.noninterference.house import ObservedHouse
from tests.noninterference.keyed_event import KeyedEventTable
from tests.noninterference.keyed_table import KeyedTable
from tests.noninterference.sight import Seen

CASES: Final = [(game, which) for game in GAMES for which in range(len(PLAYED[game]))]
MOVES: Final = (6, 24)
BOTS: Final = 0.2
SOME: Final = 0.25
EVENTS: Final = 0.15
"""How likely a match is played at a table of a tournament."""
KEYED: Final = 0.25
"""How likely seats of a match that is played by itself have keys."""
COUNTED: Final = ("swiss", "balanced", "duplicate", "round_robin", "dutch")
"""Formats of which it is said how many rounds there are."""
FORMATS: Final = (*COUNTED, "single", "double", "groups", "knockout", "last_longer", "arena", "ladder")
OF_EVENTS: Final = 0.5
"""How likely a tournament is held for a season, and how likely some of its entrants have keys."""
ROUNDS_MAX: Final = 50
"""Of a match at such a table: some games end by no rule of their own."""
CLOCK: Final = {"bank_ms": 600_000, "increment_ms": 0}
LATE_MS: Final = 2_000
"""How late they are who hold no seat, where they are late: some moves."""
VARIANTS: Final = 6
Kind = Literal["match", "http", "socket", "keyed", "event"]
WAYS: Final[tuple[Over, ...]] = get_args(Over)
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Whether a match is played by itself, and how it is followed then, or at a table of a tournament."""
TABLES: Final = {
    (False, False): Table,
    (False, True): KeyedTable,
    (True, False): EventTable,
    (True, True): KeyedEventTable,
}
"""What a match is played at: whether it is at a table of a tournament, and whether some have keys."""
Leak = Callable[[int, Dice], ObservedHouse]
"""Makes a house, of a seed and these dice; whoever plants a leak makes a leaky one."""


class Difference(Struct, frozen=True, order=True):
    """Something that two runs tell apart.

    Attributes:
        game: In which game.
        moment: At which moment.
        observer: Who can tell.
        what: By what.
    """

    game: str
    moment: int
    observer: str
    what: str


class Found(Struct):
    """What came of pairs.

    Attributes:
        pairs: How many there were, by observer.
        runs: How many matches were played.
        moments: How many moments were compared.
        games: How many matches of each game had dice to hide.
        differences: Which were told apart.
    """

    pairs: Counter[str] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    runs: int = 0
    moments: int = 0


def plans(
    seed: int, cases: Sequence[tuple[str, int]], kind: Kind | None = None, moves: tuple[int, int] = MOVES
) -> list[Plan]:
    """Return what is played in the houses of a seed: a match with each of these sets of options, of any kind.

    Each has so many moves, at least and at most, unless it ends before.
    """
    named = "" if kind is None else f"-{kind}"  # as the same request under the same key, a match is opened once
    return [_plan(game, which, f"{seed}-{game}-{which}{named}", kind, moves) for game, which in cases]


def _plan(game: str, which: int, seed: str, kind: Kind | None, between: tuple[int, int]) -> Plan:
    drawn, options = Random(seed), PLAYED[game][which]
    bots, moves = int(drawn.random() < BOTS), drawn.randint(*between)
    rules = rules_of(game, options)
    policy = drawn.choice(rules.policies)
    of_match = {"deal_per": drawn.choice(rules.deals_under(policy)), "clock": drawn.choice([None, None, CLOCK])}
    choices = {"delay_ms": drawn.choice([0, 0, LATE_MS]), "live_reads": drawn.random() < SOME}
    asked = {"policy": policy, "private": drawn.random() < SOME, "choices": choices}
    kinds = Random(f"{seed} kind")
    at_event, over = kinds.random() < EVENTS if kind is None else kind == "event", kinds.choice(WAYS)
    if kind is not None:
        over = kind if kind in {"http", "socket"} else "app"
    if rules.match.bouts is not None or not at_event:  # what is played in bouts is no game for tournaments
        keyed = kinds.random() < KEYED if kind is None else kind == "keyed"
        return Plan(game, options, seed, moves, bots, of_match, asked, keyed=keyed, over=over)
    if of_match["deal_per"] not in rules.deals:  # every deal of a tournament publishes all its dice
        of_match["deal_per"] = "match"
    format_ = kinds.choice([each for each in FORMATS if _may_have(each, rules)])
    season, keyed = kinds.random() < OF_EVENTS, kinds.random() < OF_EVENTS
    plan = Plan(game, options, seed, moves, bots, of_match, over=over, season=season, keyed=keyed)
    return _plan_of_event(plan, format_)


def _may_have(format_: str, rules: Rules) -> bool:
    """Report whether a game may be played by this format."""
    if format_ == "duplicate":
        return not why_no_boards(rules)
    if format_ == "last_longer" and (rules.match.unit not in {"die", "life", "token"} or rules.match.out_at != 0):
        return False
    return format_ not in OF_THREE or rules.seats[1] >= 3


def _plan_of_event(plan: Plan, format_: str) -> Plan:
    """Return a plan as it is at a table of a tournament of this format."""
    plan.event = {"format": format_, "level_rounds" if format_ == "last_longer" else "rounds_max": ROUNDS_MAX}
    if format_ in COUNTED:
        plan.event["rounds"] = 1
    if format_ == "ladder" or plan.season:  # bots of the house challenge nobody, and are no players
        plan.bots = 0
    if format_ == "duplicate":
        # Tables wait for each other by the clock, and whoever plays by other dice plays otherwise.
        plan.bots, plan.rules = 0, {"deal_per": "match", "clock": CLOCK}
    return plan


def play(house: ObservedHouse, planned: Sequence[Plan]) -> list[Table]:
    """Play these matches in a house, one after the other."""
    tables: list[Table] = []

    async def all_of_them() -> None:
        await house.begin()
        for plan in planned:
            tables.append(TABLES[bool(plan.event), plan.keyed](house, plan))
            await tables[-1].play()

    house.run(all_of_them)
    assert house.world.violations == []
    return tables


def viewers(table: Table, seen: Seen, variant: int) -> list[int | None]:
    """Return the seats that must not tell two runs apart, another choice in each variant.

    They are all but one, or as few as may be: a seat that asked for what is refused may be refused by its dice, and a
    bot plays by them, so that both keep theirs. What hides no die is passed over, where something else does.
    """
    seats = range(1, table.seats + 1)
    few: list[int | None] = [table.prober or None, *table.known, *(each for each in seats if each not in table.people)]
    choices = [few, *([*few, *(each for each in seats if each != seat)] for seat in table.people if seat not in few)]
    turned = [*choices[variant % len(choices) :], *choices[: variant % len(choices)]]
    return next((each for each in turned if seen.hidden_from(*each)), turned[0])


def compare(seed: int, planned: Sequence[Plan], variants: int = VARIANTS, made: Leak = ObservedHouse) -> Found:
    """Play matches in a house of this seed, then with other dice, so many times, and compare everything."""
    found = Found()
    house = made(seed, Dice())
    tables = play(house, planned)
    found.runs += len(tables)
    sights = [Seen(house.dice.keepers, house.lines_of(table.match)) for table in tables]
    for variant in range(variants):
        masks: dict[bytes, Mask] = {}
        kept: list[list[int | None]] = []
        for table, seen in zip(tables, sights, strict=True):
            kept.append([] if seen.match.table is None else viewers(table, seen, variant))
            if seen.match.table is not None:
                mask = seen.mask(*kept[-1], turn=variant)
                masks |= dict.fromkeys(seen.contexts, mask)
        others = play(made(seed, Dice(masks)), planned)
        found.runs += len(others)
        for table, other, fooled in zip(tables, others, kept, strict=True):
            _compare(table, other, {str(seat) for seat in fooled}, found)
    return found


def _compare(table: Table, other: Table, fooled: set[str], found: Found) -> None:
    game, known = table.plan.game, set[tuple[str, str]]()
    knowing = {str(seat) for seat in range(1, table.seats + 1)} - fooled
    for number, (one, two) in enumerate(zip(table.moments, other.moments, strict=False)):
        for key in sorted((one.keys() | two.keys()) - known):
            if key[0] not in knowing and one.get(key, _NONE) != two.get(key, _NONE):
                known.add(key)
                found.differences.append(Difference(game, number, *key))
        found.moments += 1
        if other.others[number]:
            found.pairs.update({who for who, _ in one if who not in knowing})
    if len(table.moments) != len(other.moments):
        found.differences.append(Difference(game, len(other.moments), "anybody", "how far it came"))
    found.games[game] += any(other.others)


_NONE: Final = object()
