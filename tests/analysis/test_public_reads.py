"""Public reads: what moves say to everybody while a match is played, and where nothing is read."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from msgspec import UNSET, structs

from domain.analysis.record.following import follow
from domain.fairness.records import split
from domain.games import GAMES, rules_of
from domain.match.record import fold
from domain.strategy.folding.bidding import folds
from projections.casting.caster import CasterFrame, Step, caster_frame, read_with, readings
from projections.casting.reads import PublicMoment, PublicReading, TableReads, is_read, moment_of
from services.analysis.making import WantedAnalysis, analysis_of
from services.live.worths import DEALS, Overtaken, equity_of, worths_beside, worths_here
from services.work.worker import Worker
from tests.domain.playing import Played
from tests.domain.test_every_game import OPTIONS, begun, play_on

RECORDS = Path(__file__).parent / "vectors" / "records"
OF_COUNTS = ("one-die-each", "three-by-five", "three-seats", "two-dice-face-first")


def frames_of(steps: list[Step]) -> Iterator[CasterFrame]:
    for step, reading in zip(steps, readings(steps, None, PublicReading()), strict=True):
        moment = moment_of(reading, step[0].match)
        equity = UNSET if moment is None else equity_of(moment)
        yield read_with(caster_frame(*step), reading, step[0].match, equity)


@pytest.mark.parametrize("name", OF_COUNTS)
def test_what_is_read_live_is_what_an_analysis_reads_for_the_public(name: str) -> None:
    wanted: dict[str, Any] = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    told = list(frames_of(list(fold(split((RECORDS / f"{name}.cup").read_bytes()).lines))))
    read = [event for event in wanted["events"] if "read" in event]
    assert read
    for event in read:
        reads = told[event["version"] - 1].reads
        assert reads is not UNSET
        assert reads.standing is not UNSET
        for when in ("before", "after"):
            figure = getattr(reads.standing, when)
            assert abs(figure.ppm - event["read"][when]["public"]) <= 1
            assert figure.by == "model"


def test_a_seat_that_nobody_has_seen_is_doubted_as_all_are_and_otherwise_as_it_has_shown() -> None:
    played = begun("common_hand", drawn := random.Random("doubted"), {"dice_per_player": 3})
    play_on(played, drawn)
    reads = [frame.reads for frame in frames_of(list(fold(played.lines))) if frame.reads is not UNSET]
    assert {figure.ppm for figure in reads[0].doubt.values()} == {331_055}
    assert {figure.ppm for figure in reads[-1].doubt.values()} != {331_055}
    assert reads[0].standing is UNSET


@pytest.mark.parametrize("game", GAMES)
def test_hands_handled_dice_and_serials_are_not_read_live(game: str) -> None:
    assert is_read(rules_of(game, {})) == (game in {"common_hand", "boss_liars"})
    played = begun(game, drawn := random.Random(f"reads {game}"), OPTIONS[game][0])
    play_on(played, drawn, 12)
    read = [frame for frame in frames_of(list(fold(played.lines))) if frame.reads is not UNSET]
    assert bool(read) == is_read(played.match.rules)


# ---- what it is worth ------------------------------------------------------------------------------


def played_by(seats: int, game: str, options: dict[str, Any]) -> Played:
    played = Played(options, seats, "worth", game, pause_ms=0)
    played.start()
    play_on(played, random.Random(f"worth {seats} {game}"), 30)
    return played


def reads_by_version(played: Played) -> dict[int, TableReads]:
    every = frames_of(list(fold(played.lines)))
    return {frame.version: frame.reads for frame in every if frame.reads is not UNSET}


def test_what_a_match_is_worth_live_is_what_an_analysis_says_of_it_for_the_public() -> None:
    played = played_by(3, "common_hand", {"dice_per_player": 1})
    told = reads_by_version(played)
    analysed = analysis_of(follow(played.lines), WantedAnalysis(), lambda rounds, _: rounds)
    # What has been solved is judged by its file there, and by level 1 here.
    rounds, compared = {each.round for each in analysed.rounds if each.policy.startswith("level1@")}, 0
    for event in analysed.events:
        reads = told.get(event.version)
        if event.round not in rounds or event.equity is UNSET or reads is None or reads.equity is UNSET:
            continue
        compared += 1
        assert reads.equity.public == event.equity.public
        assert reads.equity.deals == 6 ** len(reads.equity.public)
        assert reads.equity.worth == analysed.worth
    assert compared >= 5


def test_of_many_deals_some_are_drawn_and_the_same_ones_again() -> None:
    played = played_by(3, "common_hand", {})
    told, again = (
        [reads.equity for reads in reads_by_version(played).values() if reads.equity is not UNSET] for _ in range(2)
    )
    assert told == again
    drawn = [equity for equity in told if equity.deals == DEALS and equity.public[1].by == "sampled"]
    assert len({equity.public[1].ppm for equity in drawn}) == len(drawn) > 3
    assert all(sum(figure.ppm for figure in equity.public.values()) == 1_000_000 for equity in told)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("common_hand", {"spot_on": True}),
        ("boss_liars", {"mode": "all_challenge"}),
        ("boss_liars", {"stakes": "money", "ante": 5, "buy_back": True}),
    ],
)
def test_nothing_is_worth_anything_until_all_dice_lie_nor_once_they_are_to_decide(
    game: str, options: dict[str, Any]
) -> None:
    steps, told = list(fold(played_by(3, game, options).lines)), 0
    for step, frame in zip(steps, frames_of(steps), strict=True):
        table, reads = step[0].match.table, frame.reads
        if reads is UNSET or table is None:
            continue
        lying = all(table.places[seat].inside for seat in table.remaining)
        doubts = 1 if table.rules.doubt.who != "all" else len(table.remaining) - 1
        goes_on = len(table.round.doubters) < doubts and frame.event != "game.spot_on_called"
        assert (reads.equity is not UNSET) == (lying and folds(table) and goes_on)
        told += reads.equity is not UNSET
    assert told > 5


def test_where_a_round_does_not_fold_it_is_not_said_what_it_is_worth() -> None:
    told = reads_by_version(played_by(3, "boss_liars", {"cocked": True}))
    assert told
    assert all(reads.equity is UNSET for reads in told.values())


def cannot_begin(_parent: int) -> None:
    raise OSError


def test_a_round_that_would_keep_all_waiting_is_read_and_not_said_to_be_worth_anything() -> None:
    told = [*reads_by_version(played_by(3, "common_hand", {"dice_per_player": 8})).values()]
    first = [reads for reads in told if reads.round == 1]
    assert all(reads.equity is UNSET for reads in first)
    assert any(reads.standing is not UNSET for reads in first)
    assert any(reads.equity is not UNSET for reads in told), "once fewer dice are left"


class FullWorker(Worker):
    """One whose process has no room left."""

    async def do(self, work: Any, given: Any) -> Any:
        raise MemoryError(work, given)


async def test_a_process_of_its_own_says_the_same_and_where_there_is_none_nothing_is_said() -> None:
    steps = list(fold(played_by(2, "common_hand", {}).lines))
    every = zip(steps, readings(steps, None, PublicReading()), strict=True)
    moment = next(found for step, reading in every if (found := moment_of(reading, step[0].match)) is not None)
    beside, nowhere = Worker(), Worker(cannot_begin)
    try:
        match = UUID(int=1)
        assert await worths_beside(beside)(match, moment) == equity_of(moment) == await worths_here(match, moment)
        assert await worths_beside(nowhere)(match, moment) is None
        assert await worths_beside(FullWorker())(match, moment) is None
    finally:
        beside.close()
        nowhere.close()


class SlowWorker(Worker):
    """One that has done what it was given once it is let go on, and then the next."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []
        self.go_on = asyncio.Semaphore(0)

    async def do(self, work: Any, given: Any) -> Any:
        self.given.append(given.version)
        await self.go_on.acquire()
        return work, given.version


async def test_of_a_match_one_moment_stands_in_line_and_the_newest_is_next() -> None:
    worker = SlowWorker()
    worths, (one, other) = worths_beside(worker), (UUID(int=1), UUID(int=2))
    nothing = cast("Any", None)
    empty = PublicMoment(0, nothing, nothing, nothing, {})

    def asked(match: UUID, version: int) -> asyncio.Task[Any]:
        return asyncio.create_task(cast("Any", worths(match, structs.replace(empty, version=version))))

    first = [asked(one, version) for version in (5, 3, 9, 7)]
    second = asked(other, 1)
    await asyncio.sleep(0)
    # Another match waits for one moment of this one.
    assert worker.given == [5, 1]
    for _ in range(3):
        worker.go_on.release()
    told = await asyncio.gather(*first, second, return_exceptions=True)
    assert worker.given == [5, 1, 9]
    assert [each if isinstance(each, tuple) else type(each) for each in told] == [
        (equity_of, 5),
        Overtaken,
        (equity_of, 9),
        Overtaken,
        (equity_of, 1),
    ]
    # Whoever goes away makes room.
    working, gone = asked(one, 20), asked(one, 21)
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait([gone])
    later = asked(one, 19)
    for _ in range(2):
        worker.go_on.release()
    assert [*await asyncio.gather(working, later)] == [(equity_of, 20), (equity_of, 19)]
    # What was overtaken is worked out for whoever asks when nothing newer waits.
    worker.go_on.release()
    assert await asked(one, 3) == (equity_of, 3)
