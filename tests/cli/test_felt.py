"""The felt: what may be done on it is never refused, and what it shows stands in `screens`, sign by sign.

A screen that changed on purpose is written anew by `pytest tests/cli/test_felt.py --update-screens`.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from domain import commands
from domain.events import data_of, type_of
from domain.games import GAMES
from domain.log.receipts import AnotherHistory
from domain.match.decide import decide
from domain.match.record import fold
from projections.saying import parse_command
from projections.view import View, view_of
from services.api.bodies import AnyPlay, Say, command_of
from services.cli.playing.asking import Ended
from services.cli.playing.felt.deeds import Deed, deeds_of
from services.cli.playing.felt.drawing import middle_drawn, own_drawn, seats_drawn
from services.cli.playing.felt.lobby import Chosen, LobbyApp, lobby_lines
from services.cli.playing.felt.table import TableApp
from services.cli.playing.felt.watching import Watching
from services.cli.playing.felt.watching import items_of as watched
from services.cli.playing.replay import paced
from services.client import seating
from services.client.house import CannotDo
from services.client.seating import Wanted
from tests.bots.tables import BotTable
from tests.cli.seats_to_draw import DrawnSeat, text_of
from tests.domain.test_continuing import looked_at
from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases

Json = dict[str, Any]
SCREENS = Path(__file__).parent / "screens"
NAMES = {"p1": "Ada", "p2": "\x1b[31mBob[/b]", "p3": "Eve"}
"""One of them writes what a terminal would obey."""
EVERY = 5
"""One offer of so many is tried, and all where there are few."""


def leaves(deeds: list[Deed]) -> list[Deed]:
    """Return what is sent in the end, whatever has to be opened before."""
    return [leaf for deed in deeds for leaf in (leaves(list(deed.opens)) if deed.opens else [deed])]


@pytest.mark.parametrize("game", GAMES)
def test_nothing_that_can_be_chosen_on_the_felt_is_refused(game: str) -> None:
    drawn = random.Random(game)
    for options in OPTIONS[game][: cases(1, 99)]:
        seats = GAMES[game].rules(msgspec.convert(options, GAMES[game].options)).seats
        table = BotTable(options, max(seats[0], min(3, seats[1])), 1, game=game)
        for view, _ in table.turns(cases(12, 60)):
            offered = leaves(deeds_of(msgspec.to_builtins(view), host=False, odds=True))
            assert offered or not view.moves
            assert all(deed.label.isprintable() for deed in offered)
            for deed in drawn.sample(offered, min(len(offered), EVERY)):
                assert_is_taken(table, view, deed)


def test_between_two_rounds_the_felt_offers_to_go_on() -> None:
    played = looked_at("ada", "bob")
    offered = [deeds_of(msgspec.to_builtins(view_of(played.written, 1, None, {})), host=False, odds=False)]
    played.do(commands.Continue(1))
    offered.append(deeds_of(msgspec.to_builtins(view_of(played.written, 1, None, {})), host=False, odds=False))
    assert offered == [[Deed("Continue", {"type": "continue"})], []]


def assert_is_taken(table: BotTable, view: View, deed: Deed) -> None:
    """Check that a command is one of the interface's, and that the referee takes it."""
    if deed.command is None:
        assert deed.begins
        return
    body = msgspec.convert(deed.command, AnyPlay)
    assert view.viewer is not None
    command = parse_command(view, body.text) if isinstance(body, Say) else command_of(body, view.viewer)
    assert decide(table.match, command, table.at + 10, table.keeper).events, deed


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_drawn_at_every_width(game: str) -> None:
    table = BotTable({}, max(2, GAMES[game].rules(GAMES[game].options()).seats[0]), 1, game=game)
    for view, _ in table.turns(8):
        told = msgspec.to_builtins(view)
        claims = [] if told["standing"] is None else [(told["standing"]["seat"], "something")]
        for width in (20, 40, 100):
            assert len(seats_drawn(told, claims, width).plain.splitlines()) == len(view.seats)
            own = own_drawn(told, width, large=width > 20).plain
            assert max(map(len, own.splitlines()), default=0) <= max(width, 3 * 14)
        assert (told["standing"] is None and not told["cup"]) is (middle_drawn(told, claims).plain == "")


def items_of(table: BotTable, seat: int | None) -> list[Json]:
    """Return what a seat is told from the beginning to where a match stands."""
    items = []
    for written, event in fold(table.lines):
        view = msgspec.to_builtins(view_of(written, seat, table.keeper, NAMES))
        frame = {"version": view["version"], "at": view["at"], "head": view["head"], "more": False, "view": view}
        items.append(frame | {"event": {"type": type_of(event), **data_of(event)}})
    return [{"snapshot": items[0]["view"]}, *items[1:]]


def played(turns: int, game: str = "common_hand") -> tuple[BotTable, int]:
    """Return a match after so many turns, and the seat whose turn it is then."""
    most = GAMES[game].rules(GAMES[game].options()).seats[1]
    table = BotTable({}, min(3, most), 1, game=game)
    list(table.turns(turns))
    return table, table.turn


def app_of(seat: DrawnSeat, *, hints: bool = False) -> TableApp:
    return TableApp(lambda _broke: seat, now=lambda: 1_000_000, hints=hints)


async def shown(app: TableApp, size: tuple[int, int], *keys: str) -> str:
    """Return what an app shows in a terminal of this size when these keys were pressed."""
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
        await pilot.pause()
        return text_of(app)


SEEN = {
    "own turn": (9, "common_hand", (100, 30), ()),
    "narrow": (9, "common_hand", (40, 24), ()),
    "low": (9, "common_hand", (64, 16), ()),
    "odds": (9, "common_hand", (80, 24), ()),
    "doubt": (9, "common_hand", (80, 24), ("l",)),
    "hands": (4, "individual_hand", (80, 24), ()),
    "cup": (6, "finska", (80, 24), ()),
    "digits": (4, "liars_poker", (80, 24), ()),
}
"""By name: after how many turns, of which game, in how large a terminal, and which keys were pressed."""


@pytest.mark.parametrize("name", SEEN)
async def test_a_screen_shows_what_is_written_down(name: str, request: pytest.FixtureRequest) -> None:
    turns, game, size, keys = SEEN[name]
    table, seat = played(turns, game)
    found = await shown(app_of(DrawnSeat(items_of(table, seat)), hints=name == "odds"), size, *keys)
    file = SCREENS / f"{name.replace(' ', '_')}.txt"
    if request.config.getoption("--update-screens", default=False):
        file.write_text(f"{found}\n", encoding="utf-8")
    assert found == file.read_text(encoding="utf-8").removesuffix("\n")
    assert "\x1b" not in found
    assert "\\x1b[31mBob" in found


async def test_odds_go_and_come_with_a_key_or_a_word_where_the_table_has_them() -> None:
    table, place = played(9)
    app = app_of(DrawnSeat(items_of(table, place)), hints=True)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        for keys, likely in [
            ((), True),
            (("o",), False),
            (("o",), True),
            (("slash", *"no", "space", *"odds", "enter"), False),
            (("slash", *"odds", "space", *"on", "enter"), True),
        ]:
            await pilot.press(*keys)
            await pilot.pause()
            assert (" %)" in text_of(app)) is likely, keys
        await pilot.press("slash", *"odds", "enter")
        await pilot.pause()
        assert "exactly that: " in text_of(app)


async def test_where_the_host_allows_no_hints_there_are_no_odds_whatever_is_pressed_or_typed() -> None:
    table, place = played(9)
    app = app_of(DrawnSeat(items_of(table, place)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "without odds" not in text_of(app)
        for keys in (("o",), ("slash", *"odds", "enter"), ("slash", *"odds", "space", *"on", "enter")):
            await pilot.press(*keys)
            await pilot.pause()
            assert "%" not in text_of(app)
            assert "exactly that" not in text_of(app)
            assert "without odds" in text_of(app)


async def test_enter_bids_and_a_doubt_takes_it_twice() -> None:
    table, place = played(9)
    seat = DrawnSeat(items_of(table, place))
    app = app_of(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert [one["type"] for one in seat.asked] == ["bid"]
        await pilot.press("enter")
        assert len(seat.asked) == 1, "nothing is offered until the table shows what came of it"
        await pilot.press("escape", "up", "enter")
        await pilot.pause()
        assert len(seat.asked) == 1
        await pilot.press("enter")
        await pilot.pause()
        assert seat.asked[1:] == [{"type": "challenge"}]


async def test_what_is_typed_is_asked_for_and_what_no_game_knows_is_told() -> None:
    table, place = played(9)
    seat = DrawnSeat(items_of(table, place), host="token")
    app = app_of(seat)
    async with app.run_test(size=(100, 48)) as pilot:
        await pilot.pause()
        await pilot.press("slash", *"5x3", "enter")
        await pilot.press("slash", *"end", "space", *"match", "enter")
        await pilot.pause()
        assert seat.asked == [{"type": "say", "text": "5x3"}, {"type": "end_match", "host": True}]
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Type what you would say" in text_of(app)
        seat.refuses = CannotDo("the service said no: it is not your turn")
        await pilot.press("slash", *"liar", "enter")
        await pilot.pause()
        assert "the service said no: it is not your turn" in text_of(app)
        seat.refuses = CannotDo("the service said no: what programs do next", "not_your_turn")
        await pilot.press("slash", *"liar", "enter")
        await pilot.pause()
        assert "- it is another seat's turn" in text_of(app)
        assert "programs" not in text_of(app)
        await pilot.press("slash", *"quit", "enter")
    assert app.return_value is Ended.LEFT


async def test_powers_are_typed_on_the_felt_and_who_is_stood_in_for_takes_the_seat_back(tmp_path: Path) -> None:
    table, place = played(9)
    items = items_of(table, place)
    view = items[-1]["view"]
    view["moves"] = []
    view["seats"][place - 1]["stand_in"] = True
    view["paused"] = {"reason": "break", "until": 2_000_000}
    other = next(each for each in view["seats"] if each["seat"] != place)
    seat = DrawnSeat(items, host="token", folder=tmp_path)
    app = app_of(seat)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert all(label in text_of(app) for label in ("Take your seat back", "Let the table go on"))
        await pilot.press("enter", "slash", *f"kick {other['seat']} away", "enter")
        await pilot.press("slash", *"kick carl", "enter", "slash", *"link", "enter")
        assert seat.asked == [
            {"type": "take_back"},
            {"type": "kick", "reason": "away", "who": other["seat"], "host": True},
        ]
        assert "nobody here is called carl" in text_of(app)
        await pilot.pause()
        assert "sees your dice" in text_of(app)
        assert app.clipboard == seating.link_of(structs.replace(seat.sitting, seat=place))


async def test_a_match_that_is_over_may_be_played_again() -> None:
    table = BotTable({"dice_per_player": 1}, 2, 1)
    list(table.turns(99))
    app = app_of(DrawnSeat([*items_of(table, 1), {"ended": table.match.version}]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "The match is over. r plays again" in text_of(app)
        await pilot.press("r")
    assert app.return_value is Ended.AGAIN


async def test_another_history_is_an_alarm_and_nothing_is_offered_any_more() -> None:
    table, place = played(9)
    app = app_of(DrawnSeat(items_of(table, place), trouble=AnotherHistory("version 3 had another hash before")))
    seen = await shown(app, (80, 24))
    assert "ALARM: do not trust this server: version 3 had another hash before" in seen
    assert "Bid" not in seen.split("ALARM")[1]
    assert isinstance(app.trouble, AnotherHistory)


def row(seats: int, name: str | None = None, *, bots: bool = False, most: int = 4) -> Json:
    """Return a table of the lobby at which so many sit."""
    sitting = [{"seat": seat, "name": NAMES[f"p{seat}"], "bot": bots} for seat in range(1, seats + 1)]
    return {"match": f"match {seats}", "title": "Finska", "name": name, "seats": sitting, "seats_max": most}


CARDS = [{"name": "finska", "title": "Finska", "line": "One cup.", "seats": [2, 10]}]


async def test_the_lobby_shows_tables_that_wait_with_people_first_and_opens_what_is_chosen() -> None:
    lines = lobby_lines(
        [row(1, bots=True), row(2, "Friday"), row(0), row(3, most=3), {**row(3), "locked": True}], CARDS
    )
    app = LobbyApp("http://127.0.0.1:8000", lines)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        assert [line.strip() for line in text_of(app).splitlines()[:7]] == [
            "Truecup · http://127.0.0.1:8000",
            "Practise against bots of the house",
            "Open a table for people",
            "Open a private table, for those whom you invite",
            "Friday · Finska · Ada and \\x1b[31mBob[/b] (2/4)",
            "Finska · Ada (1/4)",
            "Finska · nobody sits there yet (0/4)",
        ]
        await pilot.press("enter")
        await pilot.pause()
        assert "Finska: One cup." in text_of(app)
        await pilot.press("escape", "down", "down", "down", "enter")
    assert app.return_value == Chosen(match="match 2")


async def test_a_private_table_is_opened_from_the_lobby_and_who_leaves_opens_none() -> None:
    app = LobbyApp("http://127.0.0.1:8000", lobby_lines([], CARDS))
    async with app.run_test() as pilot:
        await pilot.press("end", "enter", "enter")
    assert app.return_value == Chosen(wanted=Wanted("finska", bots=0, private=True))
    app = LobbyApp("http://127.0.0.1:8000", lobby_lines([], CARDS))
    async with app.run_test() as pilot:
        await pilot.press("q")
    assert app.return_value == Chosen()


async def test_who_watches_sees_no_hidden_die_and_asks_for_nothing() -> None:
    table, _ = played(9)
    _, *frames = items_of(table, None)
    app = TableApp(lambda _broke: Watching(watched(paced(frames, 1_000_000))), now=lambda: 1_000_000)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            await pilot.pause(0.02)
            if "The match is over" in text_of(app):
                break
        seen = text_of(app)
        assert "The match is over. Ctrl-C leaves." in seen
        assert "(you)" not in seen
        assert "Ada  " in seen
        assert not re.search(r"\[\d\]", seen.split("│")[0])
        await pilot.press("r", "slash", *"liar", "enter")
        await pilot.pause()
        assert "you watch, and have no seat here" in text_of(app)
        await pilot.press("ctrl+c")
    assert app.return_value is Ended.OVER
