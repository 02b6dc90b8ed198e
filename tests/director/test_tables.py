"""Tables of people: who is there, who is not, what officials say meanwhile, and what becomes of the matches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from uuid import UUID

from domain import commands as of_matches
from domain import events as of_happened
from domain.log import canonical
from domain.match.evolve import Match
from domain.match.record import event_of
from domain.tournaments import commands, events
from domain.tournaments.events import event_of as tournament_event
from domain.tournaments.record import stream_of
from domain.tournaments.tournament import HeldRound
from services.tournaments.tables import matches_ever, open_tables
from tests.bots.test_player import working
from tests.director.house import QUICK, EventHouse

PATIENCE_S = 60
NO_SHOW_MS = 60_000
Wait = Callable[[int], None]
PAIRS = {"stages": [{"format": "swiss", "rounds": 1, "sizes": {"preferred": 2, "min": 2, "max": 2}}]}
TIME = {**QUICK, "no_show_ms": NO_SHOW_MS, "claims_ms": 3_600_000}


class Evening:
    """A tournament of people on its way, with everybody at work."""

    def __init__(self, house: EventHouse) -> None:
        self.house = house

    async def until(self, true: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not await true():
                await asyncio.sleep(0.005)

    async def round(self) -> HeldRound:
        stage = (await self.house.tournament()).stage
        assert stage is not None
        assert stage.last is not None
        return stage.last

    async def started(self) -> HeldRound:
        """Return the round once its matches are open."""

        async def is_started() -> bool:
            stage = (await self.house.tournament()).stage
            return stage is not None and stage.last is not None and stage.last.started_at is not None

        await self.until(is_started)
        return await self.round()

    async def match_ids(self) -> dict[int, UUID]:
        return {at.table.number: at.id for at in open_tables(await self.house.tournament())}

    async def match(self, match_id: UUID) -> Match:
        return (await self.house.matches.load_match(match_id)).match

    async def ready(self, match_id: UUID, *seats: int) -> None:
        for seat in seats:
            await self.house.matches.submit(match_id, of_matches.SayReady(seat), self.house.ask())

    async def phase(self, phase: str) -> None:
        async def is_there() -> bool:
            return (await self.house.tournament()).phase == phase

        await self.until(is_there)

    async def happened(self) -> list[events.TournamentEvent]:
        lines = await self.house.store.read(f"tournament/{self.house.id}")
        return [tournament_event(one["type"], one["data"]) for one in map(canonical.decode, lines)]

    async def results(self) -> dict[int, events.ResultRecorded]:
        return {one.table: one for one in await self.happened() if isinstance(one, events.ResultRecorded)}


async def people(house: EventHouse, *names: str, **members: Any) -> Evening:
    await house.announce(**{**PAIRS, "time": TIME, **members})
    await house.enter(*names)
    await house.check_in()
    return Evening(house)


async def test_who_does_not_come_is_absent_and_who_is_there_alone_has_won(house: EventHouse, wait: Wait) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob", "Cyd", "Dan")
        held = await evening.started()
        ids = await evening.match_ids()
        await evening.ready(ids[1], 2)
        wait(NO_SHOW_MS - 1_000)
        await asyncio.sleep(0.1)
        assert await evening.results() == {}, "a table waits for as long as the rules say"
        wait(2_000)
        await evening.phase("finished")
        results = await evening.results()
        one, two = held.tables[1].seats
        assert (results[1].how, results[1].ranking, results[1].absent) == ("walkover", ((two,),), (one,))
        assert (results[2].how, results[2].ranking) == ("nobody", ())
        assert sorted(results[2].absent) == sorted(held.tables[2].seats)
        no_shows = [event for event in await evening.happened() if isinstance(event, events.TableNoShow)]
        assert [event.numbers for event in no_shows] == [(one,), held.tables[2].seats]
        for match_id in ids.values():
            await evening.until(partial(_has_ended, evening, match_id))


async def _has_ended(evening: Evening, match_id: UUID) -> bool:
    return (await evening.match(match_id)).ended


async def test_a_table_of_three_begins_without_who_does_not_come(house: EventHouse, wait: Wait) -> None:
    sizes = {"preferred": 3, "min": 3, "max": 3}
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob", "Cyd", stages=[{"format": "swiss", "rounds": 1, "sizes": sizes}])
        await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        await evening.ready(match_id, 1, 3)
        wait(NO_SHOW_MS + 1_000)

        async def is_played() -> bool:
            return (await evening.match(match_id)).table is not None

        await evening.until(is_played)
        lines = await house.store.read(f"match/{match_id}")
        left = [event for line in lines if isinstance(event := event_of(line)[0], of_happened.SeatLeft)]
        assert [(event.seat, event.reason) for event in left] == [(2, "no_show")]
        assert (await evening.match(match_id)).settings.starter == 1


async def test_who_draws_the_own_seeds_does_so_at_every_table(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        await house.announce(stages=PAIRS["stages"], time=TIME)
        await house.enter("Ana")
        own = await house.tournaments.register(house.id, None, "Bob", house.ask(), custody="client")
        await house.check_in()
        evening = Evening(house)
        await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        seated = (await evening.match(match_id)).seated.values()
        assert {who.player: who.custody for who in seated if who.player == own.by} == {own.by: False}
        assert sorted(who.custody for who in seated) == [False, True]


async def test_a_match_begins_as_soon_as_all_are_there_and_its_result_is_put_on_record(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob")
        held = await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        await evening.ready(match_id, 2, 1)

        async def in_turn() -> bool:
            table = (await evening.match(match_id)).table
            return table is not None and table.turn is not None

        await evening.until(in_turn)
        await house.matches.submit(match_id, of_matches.Forfeit(1), house.ask())
        await evening.phase("finished")
        (result,) = (await evening.results()).values()
        assert (result.how, result.match) == ("played", str(match_id))
        assert result.ranking == ((held.tables[1].seats[1],), (held.tables[1].seats[0],))
        assert (await house.tournament()).ranking == result.ranking


async def test_a_round_whose_time_is_over_ends_with_the_round_of_each_table(house: EventHouse, wait: Wait) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob", time={**TIME, "round_ms": 600_000})
        await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        await evening.ready(match_id, 1, 2)

        async def in_turn() -> bool:
            table = (await evening.match(match_id)).table
            return table is not None and table.turn is not None

        await evening.until(in_turn)
        wait(601_000)

        async def is_last() -> bool:
            return (await evening.match(match_id)).last_round is not None

        await evening.until(is_last)
        await house.matches.submit(match_id, of_matches.Forfeit(2), house.ask())
        await evening.phase("finished")
        (result,) = (await evening.results()).values()
        assert result.how == "time"


async def test_a_ruling_on_a_table_that_plays_ends_its_match(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob")
        held = await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        one, two = held.tables[1].seats
        rule = commands.Rule(by=house.host, stage=1, round=1, table=1, ranking=((two,), (one,)), reason="agreement")
        answer = await house.do(rule)
        await evening.phase("finished")
        await evening.until(lambda: _has_ended(evening, match_id))
        assert (await evening.match(match_id)).stopped == answer.version - 1
        assert await evening.results() == {}


async def test_tables_that_are_taken_back_are_played_by_nobody_and_others_are_paired(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob")
        await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        answer = await house.do(commands.Unpair(by=house.host, reason="technical"))
        await evening.until(lambda: _has_ended(evening, match_id))
        assert (await evening.match(match_id)).stopped == answer.version - 1

        async def again() -> bool:
            return list((await evening.match_ids()).values()) not in ([], [match_id])

        await evening.until(again)
        held = await evening.started()
        assert [table.attempt for table in held.tables.values()] == [2]
        (second,) = (await evening.match_ids()).values()
    lines = await house.store.read(stream_of(house.id))
    assert matches_ever(await house.tournament(), lines) == [match_id, second], "what was taken back is on record too"


async def test_a_table_that_plays_again_has_another_match_and_only_that_counts(house: EventHouse, wait: Wait) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob", "Cyd", "Dan")
        await evening.started()
        ids = await evening.match_ids()
        one, two = (await evening.round()).tables[1].seats
        await house.do(
            commands.Rule(by=house.host, stage=1, round=1, table=1, ranking=((two,), (one,)), reason="agreement")
        )
        await house.do(commands.Replay(by=house.host, round=1, table=1, reason="request"))

        async def both() -> bool:
            found = await evening.match_ids()
            return (
                len(found) == 2
                and found[1] != ids[1]
                and all(t.started for t in (await evening.round()).tables.values())
            )

        await evening.until(both)
        await evening.until(lambda: _has_ended(evening, ids[1]))
        again = await evening.match_ids()
        assert again[2] == ids[2]
        await evening.ready(again[1], 1)
        wait(NO_SHOW_MS + 1_000)
        await evening.phase("finished")
        assert (await evening.results())[1].ranking == ((one,),)


async def test_who_leaves_the_tournament_forfeits_where_they_play(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob")
        held = await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        await evening.ready(match_id, 1, 2)

        async def in_turn() -> bool:
            table = (await evening.match(match_id)).table
            return table is not None and table.turn is not None

        await evening.until(in_turn)
        one, two = held.tables[1].seats
        await house.do(commands.Withdraw(by=house.host, number=one, reason="request"))
        await evening.phase("finished")
        (result,) = (await evening.results()).values()
        assert (result.how, result.ranking) == ("played", ((two,), (one,)))


async def test_a_tournament_that_is_cancelled_ends_its_matches_and_closes(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob")
        await evening.started()
        (match_id,) = (await evening.match_ids()).values()
        await house.do(commands.Cancel(by=house.host, reason="technical"))
        await evening.phase("closed")
        assert await _has_ended(evening, match_id)


async def test_while_it_is_paused_nobody_is_absent(house: EventHouse, wait: Wait) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob")
        await evening.started()
        await house.do(commands.PauseTournament(by=house.host, reason="technical"))
        wait(NO_SHOW_MS + 1_000)
        await asyncio.sleep(0.1)
        assert await evening.results() == {}
        await house.do(commands.Resume(by=house.host))
        # As much time is left as was left before.
        await asyncio.sleep(0.1)
        assert await evening.results() == {}
        wait(NO_SHOW_MS)
        await evening.phase("finished")
