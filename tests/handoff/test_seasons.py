"""Seasons and players over a node that decides nothing: it can ask for what the tokens shown to it can do, no more."""

from __future__ import annotations

from uuid import UUID, uuid4

import msgspec
import pytest

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from infra.handoff.memory import MemoryHandoff
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from infra.store.people import StoredScreening
from services.dealer.handoff import event_messages, messages, season_messages
from services.dealer.handoff.desk import FOREIGN, UNLAWFUL
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_seasons import RemotePlayers, RemoteSeasons
from services.dealer.handoff.remote_tournaments import RemoteTournaments
from services.matches.requests import ANONYMOUS, CommandMetadata, scope_of
from services.seasons.requests import UnknownSeason
from services.tournaments.screening.cases import KeptScreening
from tests.director.house import DICE, EventHouse
from tests.handoff.remote_house import desk_of

TOKEN = "truecup_player_" + "A" * 43


class Nodes:
    """A dealer, and what a node that is none has of tournaments, seasons and players."""

    def __init__(self) -> None:
        self.dealer, self.handoff = EventHouse(MemoryStore()), MemoryHandoff()
        self.dealers = Dealers(self.handoff)
        self.tournaments = RemoteTournaments(self.dealer.store, self.dealers)
        shown = self.tournaments.shown
        self.seasons = RemoteSeasons(self.dealer.store, self.dealers, shown)
        self.players = RemotePlayers(self.dealer.store, self.dealers, shown)

    def ask(self, key: str) -> CommandMetadata:
        return CommandMetadata(ANONYMOUS, key, b"f" * 32)


@pytest.fixture
async def nodes() -> Nodes:
    found = Nodes()
    await found.handoff.take(desk_of(found.dealer, found.handoff).answer)
    return found


def test_a_season_that_there_is_not_comes_out_as_it_went_in() -> None:
    said = messages.decode_reply(messages.encode(messages.no_of(UnknownSeason("s"))))
    assert isinstance(said, season_messages.NoSeason)
    found = messages.trouble_of(said)
    assert (type(found), str(found)) == (UnknownSeason, "s")


async def test_a_token_that_was_never_shown_here_ends_no_season_and_erases_nobody(nodes: Nodes) -> None:
    season = UUID((await nodes.seasons.create("common_hand", {}, nodes.ask("season"))).season)
    player = (await nodes.players.create("Ada", nodes.ask("player"))).player
    for asking in (
        nodes.seasons.close(season, nodes.ask("close")),
        nodes.players.erase(player),
        nodes.tournaments.create({}, nodes.ask("new"), season=season),
        nodes.tournaments.register(uuid4(), None, None, nodes.ask("enter"), person=player),
        nodes.tournaments.screening(uuid4(), "o"),
    ):
        with pytest.raises(Unavailable, match="shown again"):
            await asking


async def test_a_node_that_lies_ends_no_season_of_others_and_enters_nobody(nodes: Nodes) -> None:
    own, other = [await nodes.seasons.create("common_hand", {}, nodes.ask(key)) for key in ("own", "other")]
    asked = messages.Asked("lie", b"")
    tournament, host = await announced(nodes)
    lies: list[tuple[messages.Question, type[messages.Reply], str]] = [
        (
            season_messages.AskSeasonEnd(str(own.token), UUID(other.season), asked),
            season_messages.SeasonAccepted,
            FOREIGN,
        ),
        (season_messages.AskNameErasure(TOKEN), season_messages.PersonTold, FOREIGN),
        (season_messages.AskPlayer(asked, "Basil"), season_messages.PlayerAccepted, UNLAWFUL),
        (season_messages.AskSeason(asked, "common_hand", {}, "Truecup"), season_messages.SeasonAccepted, UNLAWFUL),
        (event_messages.AskEntry(tournament, asked, None), event_messages.EventAccepted, FOREIGN),
        (event_messages.AskEntry(tournament, asked, None, person=TOKEN), event_messages.EventAccepted, FOREIGN),
        (
            event_messages.AskAppointment(str(own.token), tournament, asked, "host"),
            event_messages.EventAccepted,
            FOREIGN,
        ),
        (event_messages.AskCases(host, uuid4()), event_messages.CasesRead, FOREIGN),
    ]
    for question, kind, why in lies:
        with pytest.raises(Unavailable, match=why):
            await nodes.dealers.ask(question, kind)
    assert (await nodes.seasons.load(UUID(other.season))).season.version == 1


async def announced(nodes: Nodes) -> tuple[UUID, str]:
    """Announce a tournament over the node, and return it with the token of its host."""
    answer = await nodes.tournaments.create({"match": DICE, "stages": [{"format": "swiss"}]}, nodes.ask("announce"))
    return UUID(answer.tournament), str(answer.token)


async def test_cases_are_read_there_by_officials_alone(nodes: Nodes) -> None:
    tournament, token = await announced(nodes)
    host = await nodes.tournaments.bearer(token)
    assert host is not None
    assert await nodes.tournaments.screening(tournament, host.by) is None
    kept = KeptScreening(1, 3, 6, 12, judged=True, cases=())
    await nodes.dealer.store.keep_screening(stream_of(tournament), StoredScreening(3, msgspec.json.encode(kept)))
    assert await nodes.tournaments.screening(tournament, host.by) == kept
    scope = scope_of(token)
    await nodes.tournaments.submit(
        tournament, commands.OpenEntry(by=host.by), CommandMetadata(scope, "open", b"f" * 32)
    )
    ada = await nodes.tournaments.register(tournament, None, "Ada", nodes.ask("Ada"))
    entrant = await nodes.tournaments.bearer(str(ada.token))
    assert entrant is not None
    with pytest.raises(Refused, match="official"):
        await nodes.tournaments.screening(tournament, entrant.by)
