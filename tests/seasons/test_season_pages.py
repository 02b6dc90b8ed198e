"""Pages of seasons and players: tables that read without a script, in three languages, and say what was erased."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import UUID

import httpx
import msgspec
import pytest

from domain.tournaments import commands
from domain.tournaments.presets import preset
from infra.store import Card
from infra.store.memory import MemoryStore
from projections.seasons.players import place_of, player_view
from services.http.bounds import Bounds
from services.program.seasons import HouseSeasons
from services.program.site import HouseTournaments
from tests.api.conftest import served
from tests.director.house import DICE, EventHouse
from tests.seasons.season_stories import BASIL, EventOfPlayers, person

PEOPLE = [person(number) for number in (1, 2, 3)]
LEAGUE = {"league": {"places": ["10", "6"], "best": 1, "up": 1, "down": 1}}


class Told:
    """A season of three players and a bot, one of whom was erased, and the pages that tell of it."""

    def __init__(self, client: httpx.Client, season: UUID, players: list[str], house: EventHouse) -> None:
        self.client, self.season, self.players, self.house = client, season, players, house

    def page(self, path: str, language: str = "en", status: int = 200) -> str:
        answer = self.client.get(path, headers={"Accept-Language": language})
        assert answer.status_code == status, answer.text
        return answer.text


async def filled(house: EventHouse) -> tuple[UUID, list[str]]:
    begun = await house.seasons.create("common_hand", LEAGUE, house.ask(), Card(name="Autumn"))
    season = UUID(begun.season)
    players = [(await house.players.create(name, house.ask())).player for name in ("Ada <b>", "Bob", "Gone")]
    for _ in range(2):
        await house.announce(season=begun.season, rated=True)
        await house.do(commands.OpenEntry(by=house.host))
        for player in players:
            await house.tournaments.register(house.id, None, None, house.ask(), person=player)
        event = EventOfPlayers(
            rated=True, stages=[{"format": "swiss", "rounds": 1}], entry={"bots": "labelled"}
        ).enter_these(*players, BASIL)
        outcome = msgspec.structs.replace(event.close().outcome, tournament=str(house.id), season=begun.season)
        await house.seasons.admit(season, outcome.tournament)
        await house.seasons.count(season, outcome)
    await house.players.erase(players[2])
    return season, players


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    house = EventHouse(MemoryStore())
    season, players = asyncio.run(filled(house))
    shown = HouseTournaments(house.tournaments, house.matches)
    beyond = HouseSeasons(house.store, house.tournaments)
    with served(Bounds(writes_per_s=100_000), events=house, shown=shown, beyond=beyond) as service:
        yield Told(service.client, season, players, house)


def test_the_table_of_a_league_says_places_results_and_who_moves(told: Told) -> None:
    page = told.page(f"/seasons/{told.season}")
    assert "<h1>Autumn</h1>" in page
    assert "Ada &lt;b&gt;" in page
    assert page.count('class="cut"') == 4, "the second result of each does not count"
    assert ("goes up" in page, "goes down" in page, "provisional" in page) == (True, True, True)
    assert page.index("House bots") < page.index("Steady")


@pytest.mark.parametrize(("language", "says"), [("de", "steigt auf"), ("es", "sube"), ("en", "goes up")])
def test_a_season_is_told_in_three_languages(told: Told, language: str, says: str) -> None:
    assert says in told.page(f"/seasons/{told.season}", language)


def test_tournaments_of_a_season_are_told_by_their_titles_but_for_those_in_no_list(told: Told) -> None:
    names = ("Club <i>", "Secret")
    begun = asyncio.run(with_titles(told.house, names))
    page = told.page(f"/seasons/{begun}")
    assert "<bdi>Club &lt;i&gt;</bdi>" in page
    assert "Secret" not in page
    assert "Tournament 2" in page
    found = told.client.get(f"/api/v1/seasons/{begun}").json()["tournaments"]
    assert [each["title"] for each in found] == ["Club <i>", None]


async def with_titles(house: EventHouse, titles: tuple[str, str]) -> str:
    """Begin a season of two tournaments of these titles, the second of which stands in no list."""
    begun = (await house.seasons.create("common_hand", {}, house.ask())).season
    for title, listed in zip(titles, (True, False), strict=True):
        rules = preset("pods", match=DICE, season=begun)
        card = Card(title, listed)
        answer = await house.tournaments.create(rules, house.ask(), card, UUID(begun))
        await house.seasons.admit(UUID(begun), answer.tournament)
    return begun


def test_whose_name_was_erased_is_known_by_the_id_and_has_no_list_of_events(told: Told) -> None:
    gone = told.players[2]
    assert f"Player {gone[:9]}" in told.page(f"/seasons/{told.season}")
    page = told.page(f"/players/{gone}")
    assert "The name was erased" in page
    assert "None yet." in page


def test_a_player_has_a_page_with_ratings_and_events_that_lead_on(told: Told) -> None:
    page = told.page(f"/players/{told.players[0]}")
    assert f'href="/seasons/{told.season}"' in page
    assert f'href="/t/{told.house.id}/entrants/1"' in page
    entrant = told.page(f"/t/{told.house.id}/entrants/1")
    assert f'href="/players/{told.players[0]}"' in entrant
    assert f'href="/seasons/{told.season}"' in told.page(f"/t/{told.house.id}")


def test_a_player_has_the_place_of_a_tournament_that_is_over_and_none_that_was_not_entered() -> None:
    event = EventOfPlayers(stages=[{"format": "swiss", "rounds": 1}]).enter_these(*PEOPLE).close()
    (entered,) = player_view(PEOPLE[2], None, [(event.tournament, "Cup")], []).events
    assert (entered.title, entered.number, entered.place) == ("Cup", 3, 3)
    assert player_view(person(9), "Eve", [(event.tournament, None)], []).events == ()
    assert place_of(event.tournament, 9) is None


def test_a_season_of_ratings_alone_has_no_table_and_one_by_score_says_so(told: Told) -> None:
    plain, scored = asyncio.run(two_more(told.house))
    page = told.page(f"/seasons/{plain}")
    assert "This season has no league" in page
    assert "<table" not in page
    page = told.page(f"/seasons/{scored}")
    assert "the points that somebody has in it" in page
    assert "Nothing has counted yet." in page


async def two_more(house: EventHouse) -> tuple[str, str]:
    made = [
        await house.seasons.create("common_hand", rules, house.ask()) for rules in ({}, {"league": {"points": "score"}})
    ]
    return made[0].season, made[1].season


@pytest.mark.parametrize("path", ["/seasons/none", f"/seasons/{UUID(int=7)}", "/players/u0", "/seasons", "/players"])
def test_what_is_nowhere_is_a_page_that_says_so(told: Told, path: str) -> None:
    assert "not_found" in told.page(path, status=404)


def test_whoever_has_seen_a_season_with_a_name_that_was_erased_since_is_sent_it_anew(told: Told) -> None:
    path = f"/api/v1/seasons/{told.season}"
    tag = told.client.get(path).headers["etag"]
    assert told.client.get(path, headers={"If-None-Match": tag}).status_code == 304
    asyncio.run(told.house.players.erase(told.players[1]))
    anew = told.client.get(path, headers={"If-None-Match": tag})
    assert (anew.status_code, "Bob" in anew.text, "Bob" in told.page(f"/seasons/{told.season}")) == (200, False, False)
