"""Frames, replays and the lobby: what is made of a match for those who look at it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.fairness.openings import DealSecrets
from domain.games import GAMES
from domain.match.record import fold
from domain.table.places import Place
from infra.store.memory import MemoryStore
from projections.frames import public_event
from projections.history import current_secrets, history
from projections.lobby import LobbyRow, row_of, shelf_of, state_of
from projections.view import hidden_dice, view_of
from tests.bots.tables import BotTable
from tests.domain.playing import Played as PlayedMatch
from tests.relay.playing import Played


@pytest.fixture
async def match(store: MemoryStore) -> Played:
    match = Played(store, 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    await match.finish()
    return match


def row(match: Played) -> LobbyRow:
    return row_of(view_of(match.written, None, None, match.names))


async def test_a_replay_has_a_frame_for_every_event_and_the_same_numbers_for_every_viewer(match: Played) -> None:
    replays = [list(map(msgspec.json.decode, await match.replay(seat))) for seat in (None, 1, 2, 3)]
    for frames in replays:
        assert [frame["version"] for frame in frames] == list(range(1, match.match.version + 1))
        assert [frame["event"] for frame in frames] == [frame["event"] for frame in replays[0]]
        assert frames[-1]["head"] == match.written.head
        assert all(list(frame) == ["version", "at", "head", "event", "view", "more"] for frame in frames)


def test_a_row_says_how_fast_a_table_plays(match: Played) -> None:
    view = view_of(match.written, None, None, match.names)
    usual = {"turn_ms": 180_000}
    shown = [
        row_of(replace(view, rules={**view.rules, "clock": clock, "idle": idle}))
        for clock, idle in ((None, usual), ({"bank_ms": 300_000}, usual), (None, None))
    ]
    assert [(each.clock_ms, each.turn_ms) for each in shown] == [(None, 180_000), (300_000, None), (None, None)]


def test_a_row_says_whether_one_may_sit_down_and_what_begins_the_match(match: Played) -> None:
    view = view_of(match.written, None, None, match.names)
    shown = [
        row_of(replace(view, locked=locked, rules={**view.rules, **more}))
        for locked, more in ((False, {}), (True, {}), (False, {"start": "full"}))
    ]
    assert [(each.locked, each.start) for each in shown] == [(False, None), (True, None), (False, "full")]


async def test_a_replay_goes_on_after_a_version(match: Played) -> None:
    whole = await match.replay(1)
    assert await match.replay(1, 40) == whole[40:]
    assert await match.replay(1, match.match.version) == []


def test_a_frame_tells_what_was_revealed_but_not_the_proof() -> None:
    revealed = events.Revealed(0, 1, 2, ("aa",), ("bb",), ((0, "cc"),), ((0, 5),))
    members = {"type": "cup.revealed", "deal": 0, "cup": 1, "roll": 2, "values": [[0, 5]]}
    assert list(public_event(revealed)) == ["type", "deal", "cup", "roll", "values"]
    assert msgspec.json.decode(msgspec.json.encode(public_event(revealed))) == members
    assert public_event(events.Posted("die", 1, "box", 1)) == {
        "type": "game.posted",
        "unit": "die",
        "from": 1,
        "to": "box",
        "amount": 1,
    }


async def test_a_spectators_replay_needs_no_secret_and_holds_no_face_before_its_reveal(match: Played) -> None:
    lines = await match.store.read(match.stream)
    with_secrets = list(history(lines, None, match.keepers, match.names))
    assert with_secrets == list(history(lines, None, {}, match.names))
    for frame in map(msgspec.json.decode, with_secrets):
        dice = [die for seat in frame["view"]["seats"] for die in seat["dice"]]
        assert all(die["shown"] or die["face"] is None for die in dice)


async def test_a_seat_sees_its_own_dice_and_nobody_elses(match: Played) -> None:
    seen = set[Any]()
    for frame in map(msgspec.json.decode, await match.replay(2)):
        for seat in frame["view"]["seats"]:
            hidden = [die["face"] for die in seat["dice"] if not die["shown"]]
            assert seat["seat"] == 2 or hidden == [None] * len(hidden)
            seen.update(hidden if seat["seat"] == 2 else ())
    assert seen - {None} == {1, 2, 3, 4, 5, 6}


async def test_a_row_counts_the_deals_in_which_the_house_drew_for_a_player(store: MemoryStore) -> None:
    found = []
    for number, first in enumerate(("p1", "bot/calm/1")):
        match = Played(store, 5 + number)
        await match.open()
        for player in (first, "bot/calm/2"):
            await match.ask(commands.Join(player, "server"))
        await match.deal()
        await match.finish()
        found.append(match)
    people, bots = (each.match for each in found)
    assert (people.deals, people.deals_drawn, bots.deals, bots.deals_drawn) == (1, 1, 1, 0)
    view = view_of(found[0].written, None, None, {})
    assert row_of(view, None, 0, people.deals_drawn).deals_drawn == 1
    assert row_of(replace(view, rules={**view.rules, "board": {"id": "x"}}), None, 0, 3).deals_drawn is None


async def test_the_keeper_of_a_match_is_that_of_its_deal(match: Played, store: MemoryStore) -> None:
    assert current_secrets(match.keepers, match.match) is match.keepers[0]
    assert current_secrets({}, match.match) is None
    fresh = Played(store, 2)
    await fresh.open()
    assert current_secrets(match.keepers, fresh.match) is None


async def test_rows_of_private_tables_stand_on_shelves_that_no_list_reads(match: Played) -> None:
    ended = row(match)
    assert shelf_of(ended, listed=True) == state_of(ended) == "ended"
    assert shelf_of(ended, listed=False) == "private/ended"


async def test_what_bots_finish_among_themselves_stands_on_a_shelf_of_its_own(match: Played) -> None:
    ended = row(match)
    bots = tuple(replace(seat, bot=True) for seat in ended.seats)
    assert shelf_of(replace(ended, seats=bots), listed=True) == "ended/bots"
    assert shelf_of(replace(ended, seats=(*bots[1:], ended.seats[0])), listed=True) == "ended"
    assert shelf_of(replace(ended, seats=bots), listed=False) == "private/ended"
    assert shelf_of(replace(ended, seats=bots, phase="claiming"), listed=True) == "live"


async def test_a_table_is_called_what_its_host_called_it(match: Played) -> None:
    named = row_of(view_of(match.written, None, None, match.names), "Friday night")
    assert (named.name, named.title) == ("Friday night", "Friday night")


async def test_a_lobby_row_follows_its_match(store: MemoryStore) -> None:
    match = Played(store, 3)
    await match.open()
    empty = row(match)
    assert (empty.title, empty.seats, empty.seats_max, state_of(empty)) == ("An empty table", (), 6, "open")
    await match.ask(commands.Join("bot/calm/1", "server"), people=(("bot/calm/1", "Robin"),))
    match.names["bot/calm/1"] = "Robin"
    assert row(match).title == "Robin\N{RIGHT SINGLE QUOTATION MARK}s table"
    await match.join("Ada")
    joined = row(match)
    assert (joined.title, [(seat.seat, seat.name, seat.bot) for seat in joined.seats]) == (
        "Ada\N{RIGHT SINGLE QUOTATION MARK}s table",
        [(1, "Robin", True), (2, "Ada", False)],
    )
    await match.deal()
    playing = row(match)
    assert match.match.table is not None
    assert (state_of(playing), playing.round, playing.turn, playing.winner) == ("live", 1, match.match.table.turn, None)
    await match.finish()
    ended = row(match)
    assert match.match.table is not None
    assert (state_of(ended), ended.version, ended.winner) == ("ended", match.match.version, match.match.table.winner)
    assert msgspec.json.decode(msgspec.json.encode(ended), type=LobbyRow) == ended


async def test_a_table_that_was_closed_before_it_began_stands_in_no_list(store: MemoryStore) -> None:
    match = Played(store, 3)
    await match.open()
    await match.ask(commands.CloseSession())
    assert (row(match).phase, state_of(row(match))) == ("finished", "closed")


def test_a_seat_knows_its_own_hidden_dice_and_none_before_they_are_dealt() -> None:
    played = PlayedMatch({"dice_per_player": 2}, 2)
    assert hidden_dice(played.match, 1, played.keeper) == {}
    played.start()
    own = view_of(played.written, 1, played.keeper, {}).seats[0].dice
    assert hidden_dice(played.match, 1, played.keeper) == {1: tuple([die.face for die in own])}
    assert hidden_dice(played.match, 1, None) == {}


@pytest.mark.parametrize("game", GAMES)
def test_what_the_next_line_shows_was_among_the_dice_of_whoever_could_see_them(game: str) -> None:
    table = BotTable({}, min(3, GAMES[game].rules(GAMES[game].options()).seats[1]), 1, game=game)
    keepers, shown = dict[int, DealSecrets](), 0
    for _ in table.turns(40):
        assert table.keeper is not None
        keepers[table.keeper.number] = table.keeper
    for (before, _), (_, event) in pairwise(fold(table.lines)):
        state, deal = before.match.table, before.match.ceremony
        if not isinstance(event, events.Revealed) or state is None or deal is None or deal.deal not in keepers:
            continue
        place, first = state.places.get(event.cup, Place(event.cup, 0)), state.rules.tokens.faces.first
        for seat in place.knowers:
            known = Counter(hidden_dice(before.match, seat, keepers[deal.deal]).get(event.cup, ()))
            assert known.total() == len(place.inside)
            opened = Counter(value + first for slot, value in event.values if slot < place.size)
            assert opened <= known, (event, known)
            shown += opened.total()
    # Of a bill it is said how many of a digit it has, and no more.
    assert shown > 0 or game in {"liars_poker", "liars_poker_wizard"}
