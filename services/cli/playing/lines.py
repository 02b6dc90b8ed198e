"""A seat, line by line: what happens is told as it comes, and what is typed is asked for. It reads well aloud."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Final

from services.cli.playing.advice.chances import Odds
from services.cli.playing.advice.hinted import hint_lines
from services.cli.playing.asking import HOST_ASKS, Ended, command_of, is_keyless, link_line, shield_lines
from services.cli.playing.engine import SeatedEngine, SeatEngine
from services.cli.playing.names import Json
from services.cli.playing.phrases import help_lines, meant, phrase, refused_line, typed_words
from services.cli.playing.powers import has_opened, is_host, is_stood_in, power_lines, power_word
from services.cli.playing.prompts import early_line, holding, may_continue, prompt
from services.cli.playing.words import lines_of, scene, view_in
from services.cli.screen import say, say_aside
from services.client import seating
from services.client.house import CannotDo, read_reply
from services.client.seating import Sitting, allows_hints
from services.client.session import SeatSession
from services.client.signing import Shield

SETTLED_S: Final = 0.15
"""How long the stream is silent when a command has led to all it leads to."""
CONTINUE: Final = "continue"
"""What an empty line means between two rounds, in any language."""
Typed = asyncio.Queue[str | None]


class Lines:
    """Lines that are typed, for all matches that are played one after the other."""

    def __init__(self) -> None:
        """Begin to read; has to be made while an event loop runs."""
        self.typed: Typed = asyncio.Queue()
        # A thread that waits for a key cannot be stopped: as a daemon it holds nobody up at the end.
        Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(self.typed.put_nowait, line.strip())
        loop.call_soon_threadsafe(self.typed.put_nowait, None)


class LineTable:
    """A match on lines: told, asked, and answered."""

    def __init__(
        self, session: SeatSession, typed: Typed, *, hints: bool = False, engine: SeatedEngine | None = None
    ) -> None:
        """Tell what this session sees, and ask what is typed.

        Args:
            session: The seat.
            typed: What is typed.
            hints: Whether the table lets people be shown how likely claims are.
            engine: What plays the seat, where a program does; what is typed is done all the same.
        """
        self._engine = engine
        self._odds = Odds(allowed=hints)
        self._session = session
        self._typed = typed
        self._last: list[str] = []
        self._shown = asyncio.Event()
        self._over = False
        self._again = False
        self._shield: Shield | None = None
        self._early: int | None = None

    async def play(self) -> Ended:
        """Tell what happens and take what is typed, and return how it ended.

        Raises:
            Untrue: The server says something that cannot be so.
            AnotherHistory: It shows another history than before.
        """
        played = () if self._engine is None else (self._engine.play(),)
        await _either(self._tell(), self._listen(), *played)
        if not self._over:
            return Ended.LEFT
        return Ended.AGAIN if self._again else Ended.OVER

    async def _tell(self) -> None:
        """Print what happens, and the prompt whenever something may be done and nothing more comes."""
        items: asyncio.Queue[Json | None] = asyncio.Queue()
        reading = asyncio.create_task(_copy(self._session, items))
        view: Json | None = None
        earlier: Json | None = None
        try:
            while True:
                try:
                    async with asyncio.timeout(None if view is None else SETTLED_S):
                        item = await items.get()
                except TimeoutError:
                    assert view is not None, "without a view nobody waits for calm"
                    self._prompt(view)
                    view = None
                    continue
                if item is None:
                    break
                view = self._print_item(item, earlier)
                earlier = view or earlier
                if item.get("more"):
                    # What a command has led to so far is no place to act at, however long the rest is on its way.
                    view = None
        finally:
            reading.cancel()
            await asyncio.wait([reading])
        await reading
        self._over = True

    def _print_item(self, item: Json, earlier: Json | None) -> Json | None:
        """Print what an item tells after this view, and return the view it brings."""
        with read_reply():
            lines = lines_of(item, earlier, opened=has_opened(self._session.sitting))
            view = view_in(item)
        self._say(lines)
        if view is not None:
            self._shown.set()
        if self._engine is not None:
            self._engine.take(item)
        return view

    def _prompt(self, view: Json) -> None:
        # Before the lines of a seat with a key are there, nobody knows whether it signs.
        if self._session.shield != self._shield and (self._session.shield != "none" or is_keyless(view)):
            self._shield = self._session.shield
            self._say(shield_lines(self._session)[:1])
        with read_reply():
            if view["moves"] and self._engine is None:
                self._say(prompt(view, odds=self._odds.shown), keeps=True)
            elif may_continue(view) and self._engine is None:
                self._say([phrase("go on")], keeps=True)
            elif view["phase"] == "lobby" and is_host(view, self._session.sitting):
                words = ", ".join(typed_words(name)[0] for name in ("bot", "start", "quit"))
                self._say([phrase("waiting", typed=words)], keeps=True)
            elif is_stood_in(view):
                self._say([phrase("powers", "stood_in", typed=power_word("back"))], keeps=True)
            elif view["paused"] is not None and is_host(view, self._session.sitting):
                self._say([phrase("powers", "paused", typed=power_word("resume"))], keeps=True)

    def _say(self, lines: list[str], *, keeps: bool = False) -> None:
        """Print lines, if there are any; those that are worth repeating are kept, with what was said before them."""
        if lines:
            say(*lines)
            self._last = [*self._last[-1:], *lines] if keeps else lines

    async def _listen(self) -> None:
        """Send what is typed, and print what is refused. When nothing more can be typed, the match is only watched."""
        while (line := await self._typed.get()) is not None:
            what = meant(line)
            if what == "quit":
                return
            # What a line means is told by what is on the table.
            await self._shown.wait()
            view = self._session.view
            if line:
                await self._answer(what, line)
            elif view is not None and may_continue(view):
                await self._answer(None, CONTINUE)
        await asyncio.Event().wait()

    async def _answer(self, what: str | None, line: str) -> None:
        view, told = self._session.view, _TOLD.get(what or "")
        try:
            if told is not None and view is not None:
                with read_reply():
                    say(*told(self, view))
            elif what == "hint":
                found = await asyncio.to_thread(seating.hint, self._session.sitting)
                with read_reply():
                    say(*hint_lines(found))
            elif what in HOST_ASKS:
                await asyncio.to_thread(HOST_ASKS[what], self._session.sitting)
            elif what == "rematch":
                self._again = True
                say(phrase("rematch"))
            else:
                command, host = command_of(what, line, view)
                await self._session.ask(command, host=host)
        except CannotDo as trouble:
            self._refuse(trouble)

    def _refuse(self, trouble: CannotDo) -> None:
        """Say why something cannot be done; of what comes while the cups are dealt, once a deal."""
        view = self._session.view
        early = early_line(trouble, view)
        deal = None if early is None or view is None else view["deal"]["number"]
        if early is None or deal != self._early:
            self._early = deal
            say(early or refused_line(trouble))

    def dice(self, view: Json) -> list[str]:
        """Return the viewer's dice, and what is known of them."""
        own = holding(view)
        return [*own, phrase("proof", proof=self._session.proof)] if own else [phrase("no dice")]

    def odds(self, view: Json) -> list[str]:
        """Return how likely claims are, where the table allows it."""
        return self._odds.lines(view)

    def turn_odds(self, *, on: bool) -> list[str]:
        """Show how likely claims are from now on, or no longer, and return what is said of it."""
        return [self._odds.turn(on=on)]

    def link(self, view: Json) -> list[str]:
        """Return the link to the viewer's seat."""
        return [link_line(self._session.sitting, view)]

    def key(self, _view: Json) -> list[str]:
        """Return whether what the viewer asks for is signed, and how the key is kept."""
        return shield_lines(self._session)

    def again(self, view: Json) -> list[str]:
        """Return what was said last."""
        return self._last or scene(view)


def tell_break(version: int | None, seconds: float) -> None:
    """Say that the connection broke, and when it is tried again."""
    say_aside(phrase("broke", version=str(version), seconds=f"{seconds:g}"))


async def play_lines(sitting: Sitting, lines: Lines, engine: SeatEngine | None = None) -> Ended:
    """Play a match on lines, or let an engine play it, and return how it ended."""
    hints = await asyncio.to_thread(allows_hints, sitting.base, sitting.match)
    async with SeatSession(sitting, tell_break) as session:
        seated = None if engine is None else SeatedEngine(session, engine)
        return await LineTable(session, lines.typed, hints=hints, engine=seated).play()


async def _copy(session: SeatSession, items: asyncio.Queue[Json | None]) -> None:
    """Hand the items of a session on, and then None, whatever ends it."""
    try:
        async for item in session.items():
            items.put_nowait(item)
    finally:
        items.put_nowait(None)


async def _either(*works: Coroutine[None, None, None]) -> None:
    """Do these at once until one of them is done; none goes on when whoever waits for them is told to end."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


_TOLD: Final[dict[str, Callable[[LineTable, Json], list[str]]]] = {
    "help": lambda _table, _view: help_lines(),
    "dice": LineTable.dice,
    "who": lambda _table, view: scene(view),
    "odds": LineTable.odds,
    "odds_on": lambda table, _view: table.turn_odds(on=True),
    "odds_off": lambda table, _view: table.turn_odds(on=False),
    "repeat": LineTable.again,
    "key": LineTable.key,
    "link": LineTable.link,
    "powers": lambda _table, _view: power_lines(),
}
