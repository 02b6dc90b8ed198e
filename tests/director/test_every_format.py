"""An event of each format whose directors are killed before and behind every append: the record is as any other."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import count, pairwise
from typing import Any, Final, cast

import pytest

from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.deciding.due import due, is_pairing_next
from domain.tournaments.field import StageField
from domain.tournaments.formats.ladders import waiting
from domain.tournaments.formats.pods import logarithm
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.record import stream_of
from domain.tournaments.tournament import Tournament
from infra.store import EventStore
from infra.store.memory import MemoryStore
from services.audit.dutch import edition
from services.dealer.director import Director
from services.matches.chance import NO_CHANCE
from services.tournaments.tables import boards_ever
from services.work.failures import Stuck
from tests.bots.test_player import working
from tests.director.house import QUICK, EventHouse
from tests.director.killing import KilledHere, KillingMemory
from tests.sizes import cases, spread
from tests.tournaments.events_for_audit import judged

PATIENCE_S: Final = 600
PAIRS: Final = {"preferred": 2, "min": 2, "max": 2}
TWO_DICE: Final = {"game": "common_hand", "options": {"dice_per_player": 2}, "pause_ms": 0}
"""Rules by which somebody has a die left after a level, and others have none."""
FORMATS: Final[dict[str, dict[str, Any]]] = {
    "pods": {"stages": [{"format": "swiss", "rounds": 3}]},
    "arena": {"stages": [{"format": "arena", "duration_ms": 60_000, "wave_ms": 1_000, "patience_ms": 1_000}]},
    "last longer": {"match": TWO_DICE, "stages": [{"format": "last_longer", "high": 4, "level_rounds": 1}]},
    "double": {"stages": [{"format": "double"}]},
    "ladder": {"stages": [{"format": "ladder", "reach": 2, "answer_ms": 60_000, "duration_ms": 60_000}]},
    "groups": {"stages": [{"format": "groups", "groups": 2, "through": 2}, {"format": "single"}]},
    "balanced": {"stages": [{"format": "balanced", "rounds": 3}]},
    "manual": {"stages": [{"format": "swiss", "rounds": 2, "sizes": PAIRS}], "time": {**QUICK, "start": "host"}},
    "round robin": {"stages": [{"format": "round_robin", "rounds": 3}]},
    "chouette": {"stages": [{"format": "chouette", "bouts": 4}]},
    "single": {"stages": [{"format": "single", "third_place": True}]},
    "knockout": {"stages": [{"format": "knockout"}]},
    "dutch": {"stages": [{"format": "dutch", "rounds": 3}]},
    "duplicate": {
        "match": {**TWO_DICE, "clock": {"bank_ms": 60_000}},
        "stages": [{"format": "duplicate", "rounds": 2, "size": 2}],
    },
    "lots each": {"stages": [{"format": "swiss", "rounds": 2, "sizes": PAIRS}], "lots": {"deal": "each"}},
}
"""What each is held under; the last has a deal of lots for every round."""
ENTRANTS: Final = cases(6, 16)
ROUNDS: Final = {
    **dict.fromkeys(("pods", "balanced", "round robin", "dutch"), 3),
    **dict.fromkeys(("lots each", "manual"), 2),
    "chouette": 4,
    "duplicate": 2,
    "single": logarithm(ENTRANTS, 2),
    "knockout": logarithm(ENTRANTS, 2) - 1,
}
"""How many rounds there are, where it is no matter of how matches end."""
A_MOMENT_MS: Final = 50
"""How much time goes by with each look of a director: in an arena waves wait for it."""


Asks = Callable[[Tournament], commands.AnyCommand | None]
"""Says what people ask of a tournament as it stands, if anything."""


def set_by_hand(tournament: Tournament) -> commands.AnyCommand | None:
    """Return the next round as an official sets it, or has it paired once it is set: the seeds in order, two by two."""
    stage = tournament.stage
    if tournament.phase != "running" or stage is None or due(tournament) is not None or not is_pairing_next(tournament):
        return None
    by = next(iter(tournament.officials))
    if stage.next_number in stage.rounds:
        return commands.Pair(by=by, chance=NO_CHANCE)
    playing = StageField(tournament, stage.number).playing(stage.next_number)
    return commands.FixTables(by=by, tables=tuple(zip(playing[::2], playing[1::2], strict=True)))


def challenged(tournament: Tournament) -> commands.AnyCommand | None:
    """Return the next challenge on a ladder, of which there are some: who is last asks who stands above."""
    stage = tournament.stage
    if tournament.phase != "running" or stage is None or stage.open_rounds or len(stage.challenges) == CHALLENGES:
        return None
    if waiting(tournament, stage):
        return None
    *_, above, last = StageField(tournament, stage.number).order or ()
    return commands.ChallengeAbove(tournament.entrants[last].player, last, above)


ASKS: Final[dict[str, Asks]] = {"manual": set_by_hand, "ladder": challenged}
"""What people do in events that do not go on by themselves."""
CHALLENGES: Final = 4


class Course:
    """An event on its way from the check-in to its close, and what kills and follows it."""

    def __init__(
        self, house: EventHouse, killing: EventStore, wait: Callable[[int], None], asks: Asks | None = None
    ) -> None:
        self.house, self.killing, self.wait, self.asks = house, killing, wait, asks
        self.deaths = 0
        self.stuck = Stuck()

    async def is_over(self) -> bool:
        return (await self.house.tournament()).ended

    async def hold(self, directors: int) -> None:
        """Hold it by so many directors at once, each of whom another follows when it is killed."""
        async with working(*self.house.works()), asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
            for _ in range(directors):
                group.create_task(self._direct())
            if self.asks is not None:
                group.create_task(self._ask(self.asks))

    async def _ask(self, asks: Asks) -> None:
        """Let people ask for what they want as long as it goes on; whoever is too late looks again."""
        while not await self.is_over():
            command = asks(await self.house.tournament())
            if command is not None:
                with suppress(Refused):
                    await self.house.do(command)
            await asyncio.sleep(0.002)

    async def _direct(self) -> None:
        while not await self.is_over():
            with suppress(KilledHere):
                await self._direct_until_killed(self.house.director(self.killing, self.stuck))
                return
            self.deaths += 1

    async def _direct_until_killed(self, director: Director) -> None:
        await director.begin()
        for turn in count():
            if turn % 8 == 0 and await self.is_over():
                return
            await director.round()
            await asyncio.sleep(0.001)
            if (await self.house.tournament()).phase == "running":
                self.wait(A_MOMENT_MS)
                # Whatever plays has been there all the while, and none of that time is given back.
                for heart in self.house.hearts:
                    heart.beat()


async def held(
    name: str, store: MemoryStore, killing: EventStore, wait: Callable[[int], None], directors: int
) -> Course:
    if name == "dutch" and edition() is None:
        pytest.skip("there is no wheel of the package for this machine")
    house = EventHouse(store)
    await house.announce(entry={"bots": "only"}, **FORMATS[name])
    await house.enter_bots(ENTRANTS)
    await house.check_in()
    course = Course(house, killing, wait, ASKS.get(name))
    await course.hold(directors)
    assert await course.stuck.notice() is None
    return course


async def check_record(name: str, house: EventHouse) -> None:
    """Check that every round was paired, started and closed once, every table played once, and all of it follows."""
    raw = await house.store.read(stream_of(house.id))
    lines = [canonical.decode(line) for line in raw]
    ruling = judged(raw)
    assert (ruling.code, ruling.upto) == (None, len(raw)), ruling.why
    for kind in ("stage.opened", "stage.closed"):
        assert _places(lines, kind, "stage") == [(stage,) for stage in range(1, len(FORMATS[name]["stages"]) + 1)]
    for kind in ("tournament.finished", "tournament.closed"):
        assert sum(line["type"] == kind for line in lines) == 1
    rounds = sorted(set(_places(lines, "tables.paired", "stage", "round")))
    assert len(_places(lines, "tables.paired", "stage", "round", "group")) == len(
        set(_places(lines, "tables.paired", "stage", "round", "group"))
    )
    assert all(one[0] < two[0] or one[1] + 1 == two[1] for one, two in pairwise(rounds))
    for kind in ("round.started", "round.closed"):
        assert sorted(_places(lines, kind, "stage", "round")) == rounds, kind
    assert len(rounds) == ROUNDS.get(name, len(rounds))
    await check_matches(lines, house)


async def check_matches(lines: list[dict[str, Any]], house: EventHouse) -> None:
    """Check that each table that was paired has one match that ended, whose result is on record once."""
    paired = [line["data"] for line in lines if line["type"] == "tables.paired"]
    expected = {
        match_id(str(house.id), data["stage"], data["round"], number, 1): seats
        for data in paired
        for number, seats in data["tables"]
    }
    results = {line["data"]["match"]: line["data"] for line in lines if line["type"] == "result.recorded"}
    assert sorted(results) == sorted(expected)
    assert sum(line["type"] == "result.recorded" for line in lines) == len(results)
    rows = [row for shard in range(8) for row in await house.store.follow(shard, 0, 1_000_000)]
    boards = {f"board/{name}" for name in boards_ever(await house.tournament())}
    assert {row.stream for row in rows} == {stream_of(house.id)} | {f"match/{name}" for name in expected} | boards
    for name, result in results.items():
        match = [canonical.decode(line) for line in await house.store.read(f"match/{name}")]
        kinds = Counter(line["type"] for line in match)
        assert (kinds["match.created"], kinds["match.ended"]) == (1, 1)
        assert canonical.head(canonical.encode(match[-1])) == result["head"]
        assert sorted(n for level in result["ranking"] for n in level) == sorted(expected[name])


def _places(lines: list[dict[str, Any]], kind: str, *members: str) -> list[tuple[Any, ...]]:
    return [tuple(line["data"][each] for each in members) for line in lines if line["type"] == kind]


@pytest.mark.parametrize("name", spread(FORMATS, 4))
async def test_a_director_killed_at_every_append_leaves_rounds_and_matches_as_they_are(
    name: str, wait: Callable[[int], None]
) -> None:
    store = MemoryStore()
    killing = KillingMemory(store)
    course = await held(name, store, cast("EventStore", killing), wait, 1)
    # Where rounds overlap a step may no longer be the next one: other matches have ended since, or somebody asks.
    assert name in {"arena", *ASKS} or killing.before.keys() == killing.behind.keys()
    assert course.deaths >= 2 * len(_matches(killing)), "some are made side by side, and die together"
    await check_record(name, course.house)


def _matches(killing: KillingMemory) -> set[str]:
    return {stream for stream, _ in killing.before if stream.startswith("match/")}


@pytest.mark.parametrize("name", spread(FORMATS, 3))
async def test_two_directors_at_once_who_are_killed_at_every_append_do_nothing_twice(
    name: str, wait: Callable[[int], None]
) -> None:
    store = MemoryStore()
    course = await held(name, store, cast("EventStore", KillingMemory(store)), wait, 2)
    await check_record(name, course.house)
