"""A match over a whole terminal, a real one: seen, played, resized and left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.cli.conftest import Service
from tests.cli.real_terminal import RealTerminal


@pytest.fixture
def before(running: Service) -> Iterator[Callable[..., RealTerminal]]:
    """Return a function that sits down before a terminal."""
    opened: list[RealTerminal] = []

    def sit(*arguments: str, settings: dict[str, str] | None = None) -> RealTerminal:
        opened.append(RealTerminal(running.folder, "play", *arguments, "--url", running.url, settings=settings or {}))
        return opened[-1]

    yield sit
    for terminal in opened:
        terminal.close()


def test_a_match_is_chosen_and_played_with_enter_in_a_terminal_that_grows_narrow(
    before: Callable[..., RealTerminal],
) -> None:
    terminal = before("--name", "Ada")
    terminal.until(lambda text: "Practise against bots" in text)
    terminal.press("\r")
    terminal.until(lambda text: "Practise against bots" not in text and "Dice (Perudo)" in text)
    terminal.press("\r")
    seen = terminal.until(lambda text: "Your turn" in text and "fixed before the deal" in text and "Bid " in text)
    assert "Ada (you)" in seen
    assert "│" in seen
    terminal.press("\r")
    terminal.until(lambda text: "You bid " in text)
    terminal.resize(40, 24)
    narrow = terminal.until(lambda text: "Ada (you)" in text and "─" * 38 in text)
    assert all(len(line) <= 40 for line in narrow.splitlines())
    terminal.press("\x03")
    assert terminal.ended() == 0
    assert "Your seat is kept. Come back with:" in terminal.text()


def test_lines_are_told_where_they_are_asked_for_and_no_colour_where_none_is_wanted(
    before: Callable[..., RealTerminal],
) -> None:
    terminal = before(
        "--plain", "--bots", "1", "--name", "Ada", "--option", "dice_per_player=2", settings={"NO_COLOR": "1"}
    )
    terminal.until(lambda text: "You may type: " in text)
    terminal.press("resign\r")
    terminal.until(lambda text: "Type rematch to play again" in text)
    colours = {cell.fg for row in terminal.screen.buffer.values() for cell in row.values()}
    assert colours <= {"default"}
    terminal.press("quit\r")
    assert terminal.ended() == 0
