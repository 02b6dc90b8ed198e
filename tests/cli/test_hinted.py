"""Hints at a terminal: told line by line and over the whole of it, in each language, and refused in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, Final

import msgspec
import pytest
from msgspec import structs

from services.cli.playing.advice.hinted import hint_lines
from services.cli.playing.felt.table import TableApp
from services.cli.playing.felt.watching import Watching
from services.cli.playing.felt.watching import items_of as watched
from services.words.catalogue import speaking
from tests.cli.conftest import Terminal
from tests.cli.seats_to_draw import MATCH, DrawnSeat, text_of
from tests.cli.test_felt import app_of, items_of, played

HINT: Final[dict[str, Any]] = {
    "by": "worth",
    "policy": "level1@0000",
    "worth": {"kind": "match"},
    "deals": 256,
    "options": [
        {"move": {"type": "challenge"}, "weight": [300_000, "model"], "q": [612_300, "sampled", 1_200]},
        {"move": {"type": "bid", "quantity": 4, "face": 6}, "weight": [40_000, "model"], "chance": [444_444, "exact"]},
        {"move": {"type": "arrange", "show": [1]}, "weight": [100_000, "model"]},
        {"move": {"type": "arrange", "show": [2]}, "weight": [200_000, "model"]},
    ],
    "standing": {
        "seat": 2,
        "claim": {"quantity": 3, "face": 6},
        "odds": [555_556, "exact"],
        "read": [123_456, "certified", 0],
    },
}
"""As the interface has one, with figures of every kind."""


def test_who_practises_is_told_what_an_analysis_would_do_and_nobody_else(
    at_terminal: Callable[..., Terminal],
) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Ada", "--option", "dice_per_player=2")
    assert terminal.until("You may type: ")
    terminal.type("hint")
    assert terminal.until("Each move with what the match is worth to you after it")
    heading = len(terminal.said)
    assert terminal.until("\u2248 If people play as level 1 does.")
    # Which moves are told first is chance: of a hand that holds what is claimed, none may begin with a doubt.
    assert any(re.search(r": worth [\d.]+ % of the match.*, played with ", line) for line in terminal.said[heading:])
    terminal.type("quit")
    assert terminal.ended() == 0
    without = at_terminal("--bots", "1", "--name", "Ada", "--no-hints")
    assert without.until("You may type: ")
    without.type("advice")
    assert without.until("- hints are for tables of practice")
    without.type("quit")
    assert without.ended() == 0


@pytest.mark.parametrize(
    ("language", "standing", "moves"),
    [
        (
            "en",
            "Three sixes: by your dice true with 55.6 %; as the moves say, with 12.3 %\u2713.",
            [
                "a doubt: worth 61.2 % of the match\u223c, played with 30.0 %\u2248",
                "four sixes: true with 44.4 %, played with 4.0 %\u2248",
                "another way with the dice: played with 30.0 %\u2248",
            ],
        ),
        (
            "de",
            "Drei Sechsen: stimmt nach deinen Würfeln mit 55,6 %; nach dem, was die Züge sagen, mit 12,3 %\u2713.",
            [
                "ein Zweifel: wert 61,2 % der Partie\u223c, gespielt mit 30,0 %\u2248",
                "vier Sechsen: stimmt mit 44,4 %, gespielt mit 4,0 %\u2248",
                "ein anderer Griff zu den Würfeln: gespielt mit 30,0 %\u2248",
            ],
        ),
        (
            "es",
            "Tres seises: según tus dados, cierta con 55,6 %; según las jugadas, con 12,3 %\u2713.",
            [
                "dudar: vale 61,2 % de la partida\u223c, se juega con 30,0 %\u2248",
                "cuatro seises: cierta con 44,4 %, se juega con 4,0 %\u2248",
                "tocar los dados de otro modo: se juega con 30,0 %\u2248",
            ],
        ),
    ],
)
def test_a_hint_says_of_every_figure_what_vouches_for_it_in_each_language(
    language: str, standing: str, moves: list[str]
) -> None:
    with speaking(language):
        told = [re.sub("[\u00a0\u202f]", " ", line) for line in hint_lines(HINT)]
        assert told[1:5] == [standing, *moves]
        assert [line[0] for line in told[5:]] == ["\u2713", "\u223c", "\u2248"]
        assert "256" in told[6]
        assert len(hint_lines({**HINT, "by": "level1", "standing": None})) == 1 + len(moves) + 2


class Hinting(BaseHTTPRequestHandler):
    """A house that has a hint, and nothing else."""

    def do_GET(self) -> None:
        """Answer with the hint."""
        assert self.path == f"/api/v1/matches/{MATCH}/hint"
        assert self.headers["Authorization"] == "Bearer token"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(msgspec.json.encode(HINT))

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""


async def told_of_hint(app: TableApp, told: str) -> bool:
    """Report whether so much is said once somebody has typed that they want a hint."""
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("slash", *"hint", "enter")
        for _ in range(200):
            if told in text_of(app):
                return True
            await pilot.pause(0.02)
    return False


async def test_a_hint_is_told_in_the_story_and_why_there_is_none_above_the_offers() -> None:
    table, place = played(9)
    items = items_of(table, place)
    with HTTPServer(("127.0.0.1", 0), Hinting) as house:
        answering = Thread(target=house.handle_request, daemon=True)
        answering.start()
        seat = DrawnSeat(items)
        seat.sitting = structs.replace(seat.sitting, base=f"http://127.0.0.1:{house.server_port}")
        assert await told_of_hint(app_of(seat), "a doubt: worth 61.2 % of the match")
        answering.join(timeout=10)
    # Nobody is at home any more.
    assert await told_of_hint(app_of(seat), "nobody answers")
    assert await told_of_hint(TableApp(lambda _broke: Watching(watched([(0, items[0])]))), "you watch")
