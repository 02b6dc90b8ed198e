"""A season beside its tournaments: each is held for it once, and counts once, whoever is killed anywhere."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from domain.errors import Refused
from domain.seasons.season import Season
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from infra.store import EventStore
from infra.store.memory import MemoryStore
from infra.store.postgres import open_store
from services.audit.seasons.held import HeldSeason, hold_season
from services.audit.verdict import verdict_of
from services.dealer.season_steps import SeasonSteps
from services.matches.requests import CommandMetadata, KeyUsed, VersionPassed
from services.seasons.handler import SeasonHandler
from services.seasons.reads import SeasonQueries
from services.seasons.requests import UnknownSeason
from services.work import failures
from services.work.failures import AGAIN_MS, Unreadable
from tests.bots.test_player import working
from tests.director.house import QUICK, EventHouse
from tests.director.killing import KilledHere, Killing, KillingMemory, KillingPostgres
from tests.director.test_director import begun as begin_tournament
from tests.director.test_director import until_closed
from tests.failing import Failing
from tests.seasons.season_stories import other_id
from tests.store.lines import append, line

PATIENCE_S = 60
ONE_ROUND = {"stages": [{"format": "swiss", "rounds": 1}], "entry": {"bots": "only"}, "rated": True}


async def begun(house: EventHouse, **rules: Any) -> UUID:
    """Begin a season."""
    answer = await house.seasons.create("common_hand", rules, house.ask())
    return UUID(answer.season)


async def season_of(house: EventHouse, season: UUID) -> Season:
    return (await house.seasons.load(season)).season


async def announced(house: EventHouse, season: UUID, **members: Any) -> None:
    """Announce a tournament of four bots for a season, who are there."""
    await house.announce(**{**ONE_ROUND, "season": str(season), **members})
    await house.do(commands.OpenEntry(by=house.host))
    for number, manner in enumerate(("steady", "bold", "cautious", "steady")):
        await house.tournaments.register_bot(house.id, house.host, manner, f"Bot {number}", house.ask())
    await house.check_in()


async def counted_by_the_dying(house: EventHouse, season: UUID, killing: Killing) -> None:
    """Hold a tournament by directors who are killed at every append of theirs, until it has counted."""
    async with working(*house.works()), asyncio.timeout(PATIENCE_S):
        while str(house.id) not in (await season_of(house, season)).counted:
            director = house.director(cast("EventStore", killing))
            with suppress(KilledHere):
                await director.begin()
                while str(house.id) not in (await season_of(house, season)).counted:
                    await director.round()
                    await asyncio.sleep(0.002)
    assert killing.before.keys() == killing.behind.keys()


async def kinds(house: EventHouse, season: UUID) -> list[str]:
    """Return the types of the lines of a season."""
    lines = await house.store.read(f"season/{season}")
    return [each.rpartition(b'"type":"')[2].partition(b'"')[0].decode() for each in lines]


COUNTED = ["season.created", "season.tournament_admitted", "season.tournament_counted"]


async def test_a_director_killed_at_every_append_counts_a_tournament_once() -> None:
    store = MemoryStore()
    house = EventHouse(store)
    season = await begun(house, league={"places": ["3", "2", "1"]})
    await announced(house, season)
    await counted_by_the_dying(house, season, KillingMemory(store))
    assert await kinds(house, season) == COUNTED
    found = await season_of(house, season)
    assert found.ratings.keys() == found.results.keys() == {"bot/steady", "bot/bold", "bot/cautious"}


async def test_the_same_in_postgres_and_the_season_goes_on_from_its_ratings(database: str) -> None:
    postgres = await open_store(database, "truecup_dealer")
    house = EventHouse(postgres)
    season = await begun(house)
    await announced(house, season)
    await counted_by_the_dying(house, season, KillingPostgres(postgres))
    first = (await season_of(house, season)).ratings
    await announced(house, season)
    entrants = (await house.tournament()).entrants.values()
    assert {each.rating for each in entrants} == {rated[:2] for rated in first.values()}
    async with working(*house.works(), *(house.director().run() for _ in range(2))), asyncio.timeout(PATIENCE_S):
        while str(house.id) not in (await season_of(house, season)).counted:
            await asyncio.sleep(0.01)
    assert await kinds(house, season) == [*COUNTED, *COUNTED[1:]]
    assert [rated[2] for rated in (await season_of(house, season)).ratings.values()] == [2, 2, 2]
    await house.seasons.close(season, house.ask())
    await audited(house, season)
    await postgres.close()


async def audited(house: EventHouse, season: UUID) -> None:
    """Check that both records are without fault, and that one is what the other says."""
    notary = house.notary()
    await notary.work()
    verdict = verdict_of(await house.seasons.record(season), None)
    assert (verdict.status, verdict.record) == ("OK", "OK")
    event = verdict_of(await house.tournaments.record(house.id), None)
    counts = [each for each in verdict.counts or () if each.tournament == str(house.id)]
    outcomes = {} if not event.outcome else {event.outcome.tournament: event.outcome}
    assert hold_season(counts, outcomes) == HeldSeason(1, (), ())


async def test_a_tournament_that_is_cancelled_is_awaited_no_more() -> None:
    house = EventHouse(MemoryStore())
    season = await begun(house)
    await announced(house, season)
    director = house.director()
    await director.begin()
    await director.round()
    assert (await season_of(house, season)).awaited == (str(house.id),)
    with pytest.raises(Refused) as refused:
        await house.seasons.close(season, house.ask())
    assert refused.value.code == "season_running"
    await house.do(commands.Cancel(by=house.host))
    director = house.director()
    await director.begin()
    while (await season_of(house, season)).awaited:
        await director.round()
    await house.seasons.close(season, house.ask())
    assert await kinds(house, season) == [*COUNTED, "season.closed"]


async def test_what_is_held_for_a_season_that_is_over_counts_no_more() -> None:
    house = EventHouse(MemoryStore())
    season = await begun(house)
    await announced(house, season)
    await house.seasons.close(season, house.ask())
    director = house.director()
    await director.begin()
    await director.round()
    assert await kinds(house, season) == ["season.created", "season.closed"]


async def test_repeats_are_answered_as_the_first_time() -> None:
    house = EventHouse(MemoryStore())
    ask = CommandMetadata("test", "begin-a-season", b"one")
    first = await house.seasons.create("common_hand", {}, ask)
    house.forget()
    assert await house.seasons.create("common_hand", {}, ask) == first
    with pytest.raises(KeyUsed):
        await house.seasons.create("common_hand", {}, CommandMetadata("test", "begin-a-season", b"two"))
    season = UUID(first.season)
    with pytest.raises(VersionPassed):
        await house.seasons.close(season, house.ask(expected=(7,)))
    end = CommandMetadata("test", "end-it", b"one", expected=(1,))
    ended = await house.seasons.close(season, end)
    house.forget()
    assert await house.seasons.close(season, end) == ended
    with pytest.raises(KeyUsed):
        await house.seasons.close(season, CommandMetadata("test", "end-it", b"two"))
    assert await house.seasons.host_of(str(first.token)) == season
    assert await house.seasons.host_of("truecup_host_" + "A" * 43) is None


async def test_a_season_that_is_not_there_or_cannot_be_read_is_told_apart() -> None:
    house = EventHouse(MemoryStore())
    with pytest.raises(UnknownSeason):
        await house.seasons.load(uuid4())
    with pytest.raises(UnknownSeason):
        await house.seasons.record(uuid4())
    stream = f"season/{other_id(1)}"
    await house.store.append(append(stream, [line(stream, 0, "0" * 64, "season.started")]))
    with pytest.raises(Unreadable):
        await SeasonQueries(house.store).load(UUID(other_id(1)))
    director = house.director()
    await director.begin()


async def unread(*_given: object) -> None:
    raise Unreadable("season/1", b"{}")


async def test_a_season_that_cannot_be_read_holds_no_tournament_up(monkeypatch: pytest.MonkeyPatch) -> None:
    house = EventHouse(MemoryStore())
    monkeypatch.setattr(SeasonSteps, "look", unread)
    async with working(*house.works(), house.director().run()):
        await begin_tournament(house, 3, entry={"bots": "only"}, time={**QUICK, "between_ms": 30})
        await until_closed(house)


# ---- what failed once ---------------------------------------------------------------------------


async def nothing(*_given: object) -> None:
    """Do nothing."""


async def ended_uncounted(house: EventHouse, monkeypatch: pytest.MonkeyPatch) -> UUID:
    """Return a season that waits for a tournament which has ended, and of which nobody has counted anything."""
    season = await begun(house)
    await announced(house, season)
    director = house.director()
    await director.begin()
    await director.round()
    await house.do(commands.Cancel(by=house.host))
    with monkeypatch.context() as patched:
        patched.setattr(SeasonSteps, "look", nothing)
        while not (await house.tournament()).ended:
            await director.round()
    return season


NO_THREAD = "can't start new thread"
STEPS: dict[str, tuple[str, int, Exception]] = {
    "reading the season at the start": ("load", 0, MemoryError()),
    "reading the season at the tournament": ("load", 1, RuntimeError(NO_THREAD)),
    "counting": ("_attempt", 0, RuntimeError(NO_THREAD)),
    "storing": ("_append", 0, MemoryError()),
}
"""The method of the handler of seasons, and which call of it fails once, after a director has begun."""


@pytest.mark.parametrize("step", STEPS)
async def test_what_could_not_be_counted_once_counts_half_a_minute_later_and_once(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (name, which, fault), now, calls = STEPS[step], [1_000_000], itertools.count()
    house = EventHouse(MemoryStore())
    season = await ended_uncounted(house, monkeypatch)
    monkeypatch.setattr(failures, "now_ms", lambda: now[0])
    failing, director = Failing(1, fault), house.director()
    fails = failing.instead_of(getattr(SeasonHandler, name), lambda *_given: next(calls) == which)
    monkeypatch.setattr(SeasonHandler, name, fails)
    await director.begin()
    for wait_ms in (0, AGAIN_MS - 1):
        now[0] += wait_ms
        await director.round()
        assert failing.tried == 1
        assert await kinds(house, season) == COUNTED[:2]
    now[0] += 1
    for _ in range(3):
        await director.round()
        assert await kinds(house, season) == COUNTED


async def test_who_asks_whether_a_database_is_back_makes_up_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A director reads the open seasons then, and looks at nothing it finds as long as the database is away."""
    house, failing, now = EventHouse(MemoryStore()), Failing(1), [1_000_000]
    await ended_uncounted(house, monkeypatch)
    monkeypatch.setattr(failures, "now_ms", lambda: now[0])
    monkeypatch.setattr(SeasonHandler, "load", failing.instead_of(SeasonHandler.load))
    steps, found = SeasonSteps(house.seasons, house.tournaments), [stream_of(house.id)]
    assert await steps.awaited() == []
    assert await steps.awaited() == found, "it is thrown away"
    assert await steps.awaited_again() == []
    now[0] += AGAIN_MS
    assert await steps.awaited_again() == found
    assert await steps.awaited_again() == []
