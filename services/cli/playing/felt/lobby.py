"""The lobby over the whole terminal: tables at which people wait, practice against bots, and a table of one's own."""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec
from msgspec import Struct
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from services.cli.house import house
from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.cli.screen import plain, show
from services.client.house import answer_or_fail, read_reply
from services.client.seating import Wanted
from services.words.catalogue import join_names, term

BOTS: Final = 2
"""How many bots one practises against, where the game takes as many."""


class Chosen(Struct, frozen=True):
    """A table to sit down at, or one to open; neither for who leaves."""

    match: str | None = None
    wanted: Wanted | None = None


class LobbyLine(Struct, frozen=True):
    """A line of the lobby: what it says, and what it chooses, or which lines it opens."""

    label: str
    chosen: Chosen | None = None
    opens: tuple[LobbyLine, ...] = ()


def lobby_lines(rows: list[Json], games: list[Json]) -> list[LobbyLine]:
    """Return the lines of the lobby: what may be opened, then tables that wait, those with people before the others.

    Args:
        rows: The tables that wait for players.
        games: The cards of all games.
    """
    waiting = sorted(rows, key=lambda row: all(seat["bot"] for seat in row["seats"]))
    tables = [
        LobbyLine(_row_words(row), Chosen(match=str(row["match"])))
        for row in waiting
        if len(row["seats"]) < row["seats_max"] and not row.get("locked")
    ]
    practice = tuple(LobbyLine(_game_words(card), Chosen(wanted=_practice(card))) for card in games)
    listed, private = (
        tuple(
            LobbyLine(_game_words(card), Chosen(wanted=Wanted(str(card["name"]), bots=0, private=hidden)))
            for card in games
        )
        for hidden in (False, True)
    )
    # What is always there comes first: in a busy house it would stand below the last line of the screen.
    return [
        LobbyLine(phrase("lobby", "practice"), opens=practice),
        LobbyLine(phrase("lobby", "open"), opens=listed),
        LobbyLine(phrase("lobby", "private"), opens=private),
        *tables,
    ]


def _row_words(row: Json) -> str:
    names = join_names([str(seat["name"]) for seat in row["seats"]])
    kind = "empty" if not row["seats"] else "named" if row["name"] else "plain"
    facts = {"names": names, "name": str(row["name"]), "title": term(str(row["title"]))}
    return phrase("lobby", "table", kind=kind, seats=f"{len(row['seats'])}/{row['seats_max']}", **facts)


def _game_words(card: Json) -> str:
    return phrase("lobby", "game", title=term(str(card["title"])), line=term(str(card["line"])))


def _practice(card: Json) -> Wanted:
    """Return a table against as many bots as the game takes, up to two."""
    least, most = card["seats"]
    return Wanted(str(card["name"]), bots=max(least - 1, min(BOTS, most - 1)))


class LobbyApp(App[Chosen]):
    """Tables to choose from."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #title { height: 1; background: $primary-darken-2; color: $text; padding: 0 1; text-wrap: nowrap; }
    #lines { height: 1fr; border: none; padding: 0 1; }
    #keys { height: 1; padding: 0 1; color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q,q", "leave", show=False, priority=True),
        Binding("escape", "all_lines", show=False),
    ]

    def __init__(self, base: str, lines: list[LobbyLine]) -> None:
        """Show these lines of the house at this address."""
        super().__init__()
        self._base = base
        self._lines = lines
        self._shown: list[LobbyLine] = []

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        yield Static(plain(phrase("lobby", "title", base=self._base)), id="title")
        yield OptionList(id="lines", markup=False)
        yield Static(plain(phrase("lobby", "keys")), id="keys")

    def on_mount(self) -> None:
        """Show all lines."""
        self._show(self._lines)

    def _show(self, lines: list[LobbyLine]) -> None:
        self._shown = lines
        shown = self.query_one("#lines", OptionList)
        shown.clear_options()
        shown.add_options([Option(plain(line.label)) for line in lines])
        shown.highlighted = 0
        shown.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open what was chosen, or be done."""
        line = self._shown[event.option_index]
        if line.opens:
            self._show(list(line.opens))
        else:
            self.exit(line.chosen)

    def action_leave(self) -> None:
        """Leave without a table."""
        self.exit(Chosen())

    def action_all_lines(self) -> None:
        """Go back to all lines."""
        self._show(self._lines)


async def choose_table(base: str) -> Chosen:
    """Show the lobby of a house, and return what was chosen.

    Raises:
        CannotDo: Nobody answers, or what is answered is no lobby.
    """
    with house(base) as client:
        rows, games = (answer_or_fail(client.get(what)).content for what in ("/matches?state=open", "/games"))
    with read_reply():
        lines = lobby_lines(*(msgspec.json.decode(told, type=list[Json]) for told in (rows, games)))
    return await show(LobbyApp(base, lines)) or Chosen()
