"""A seat at a table, over the whole terminal: the felt, the story, one's own dice, and what may be done.

What may be done is docked at the bottom at a height that never changes: when the turn comes the table lights up, and
nothing moves. A command that is under way takes the offers away until the table shows what came of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.events import Resize
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from domain.log.receipts import AnotherHistory
from infra.clock import now_ms
from services.cli.playing.advice.chances import Odds
from services.cli.playing.advice.hinted import hint_lines
from services.cli.playing.asking import HOST_ASKS, Ended, command_of, is_keyless, link_line, own_link, shield_lines
from services.cli.playing.felt.deeds import Deed, deeds_of
from services.cli.playing.felt.drawing import Claimed, middle_drawn, own_drawn, seats_drawn, title_of
from services.cli.playing.felt.look import KEYS, LOW, NARROW, STYLES
from services.cli.playing.felt.seated import Seated
from services.cli.playing.names import Json
from services.cli.playing.phrases import alarm_words, help_lines, meant, phrase, refused_line
from services.cli.playing.powers import has_opened, is_host, power_lines
from services.cli.playing.prompts import early_line
from services.cli.playing.words import claim_said, lines_of, scene, view_in
from services.cli.screen import plain, show
from services.client import seating
from services.client.following import Broke
from services.client.house import CannotDo, read_reply
from services.client.proving import own_dice
from services.client.records import Untrue
from services.client.seating import Sitting, allows_hints
from services.client.session import SeatSession

STORY_MAX: Final = 200
TICK_S: Final = 0.5
CLAIMS: Final = {"game.bid", "game.called"}
LINES: Final[dict[str, Callable[[Json], list[str]]]] = {
    "help": lambda _view: help_lines(),
    "powers": lambda _view: power_lines(),
    "who": scene,
}
"""What is told in the story when it is asked for, by its word."""


class TableApp(App[Ended]):
    """A match at which somebody sits, or that somebody watches."""

    ENABLE_COMMAND_PALETTE = False
    CSS = STYLES
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, sit: Callable[[Broke], Seated], now: Callable[[], int] = now_ms, *, hints: bool = False) -> None:
        """Show the match of a seat.

        Args:
            sit: Takes the seat up; it is given what is told of every break of the connection.
            now: Tells the time, in Unix milliseconds.
            hints: Whether the table lets people be shown how likely claims are.
        """
        super().__init__()
        self.trouble: Exception | None = None
        self._session = sit(self.tell_break)
        self._now = now
        self._ahead_ms = 0
        self._view: Json | None = None
        self._claims: list[Claimed] = []
        self._story: deque[str] = deque(maxlen=STORY_MAX)
        self._deeds: list[Deed] = []
        self._status = ""
        self._odds = Odds(allowed=hints)
        self._over = False
        self._again = False

    def compose(self) -> ComposeResult:
        """Lay the table."""
        yield Static(id="title", markup=False)
        with Container(id="body"):
            with VerticalScroll(id="felt", can_focus=False):
                yield Static(id="middle", markup=False)
                yield Static(id="seats", markup=False)
            with VerticalScroll(id="side", can_focus=False):
                yield Static(id="story", markup=False)
        yield Static(id="own", markup=False)
        yield Static(id="status", markup=False)
        yield OptionList(id="offers", markup=False)
        yield Input(id="typed", placeholder=phrase("felt", "placeholder"), select_on_focus=False)

    def on_mount(self) -> None:
        """Begin to follow the match."""
        self.query_one("#offers").focus()
        self.query_one("#side", VerticalScroll).anchor()
        self.set_interval(TICK_S, self._tick)
        self.run_worker(self._follow(), exit_on_error=True)

    def on_resize(self, event: Resize) -> None:
        """Draw anew for another size."""
        self.screen.set_class(event.size.width < NARROW, "narrow")
        self.screen.set_class(event.size.height < LOW, "low")
        self.call_after_refresh(self._draw)

    # ---- what happens -----------------------------------------------------------------------------

    async def _follow(self) -> None:
        try:
            async with self._session:
                async for item in self._session.items():
                    with read_reply():
                        self._hear(item)
            self._over = True
            self._end()
        except (Untrue, AnotherHistory) as trouble:
            self._alarm(trouble)
        except CannotDo as trouble:
            self.trouble = trouble
            self.exit(Ended.LEFT)
        self._offer([])
        self._draw()

    def _alarm(self, trouble: Exception) -> None:
        """Say why the server is not to be trusted, and offer nothing any more."""
        self.trouble = trouble
        if self._is_laid:
            self.query_one("#status").add_class("alarm")
        self._offer([])
        self._say(phrase("alarm", why=alarm_words(trouble)))

    def tell_break(self, version: int | None, seconds: float) -> None:
        """Say that the connection broke, and when it is tried again."""
        self._say(phrase("broke", version=str(version), seconds=f"{seconds:g}"))

    def _end(self) -> None:
        """Say that the match is over, or go on to the next one."""
        if self._again:
            self.exit(Ended.AGAIN)
        self._say(phrase("felt", "over", who="nobody" if self._session.sitting is None else "seat"))

    def _hear(self, item: Json) -> None:
        """Take in what is said of the match."""
        view = view_in(item)
        if view is None:
            return
        if "event" in item:
            self._story.extend(lines_of(item, self._view, opened=has_opened(self._session.sitting)))
            self._ahead_ms = max(self._ahead_ms, view["at"] - self._now())
            self._remember(item["event"], view)
        elif view["standing"] is not None:
            self._claims = [(view["standing"]["seat"], claim_said(view["standing"]))]
        self._view = view
        if "snapshot" in item or not item.get("more"):
            self._offer(self._offers())
        self._draw()

    def _remember(self, event: Json, view: Json) -> None:
        """Keep the claims of the round."""
        if event["type"] == "game.round_opened":
            self._claims = []
        elif event["type"] in CLAIMS and view["standing"] is not None:
            self._claims.append((event["seat"], claim_said(view["standing"])))
            self._status = ""

    def _offers(self) -> list[Deed]:
        if self._view is None or self.trouble is not None:
            return []
        return deeds_of(self._view, host=is_host(self._view, self._session.sitting), odds=self._odds.shown)

    @property
    def _is_laid(self) -> bool:
        """Whether the table stands: what comes after it has been left is drawn nowhere."""
        return self.is_running and bool(self.query("#offers"))

    # ---- what is drawn ----------------------------------------------------------------------------

    def _draw(self) -> None:
        view = self._view
        if view is None or not self._is_laid:
            return
        width = self.query_one("#felt").content_size.width or self.size.width
        title = self.query_one("#title", Static)
        title.update(title_of(view, self._left()))
        title.set_class(view["turn"] is not None and view["turn"] == view["viewer"], "yours")
        self.query_one("#seats", Static).update(seats_drawn(view, self._claims, width))
        self.query_one("#middle", Static).update(self._middle(view))
        own = own_drawn(view, self.size.width - 2, large=not self.screen.has_class("low"))
        self.query_one("#own", Static).update(own.append_text(self._proof(view)))
        self.query_one("#story", Static).update(Text("\n").join(plain(line) for line in self._story))
        self.query_one("#status", Static).update(plain(self._status))

    def _middle(self, view: Json) -> Text:
        sitting = self._session.sitting
        if view["phase"] != "lobby" or sitting is None:
            return middle_drawn(view, self._claims)
        link = f"{sitting.base}/m/{sitting.match}" + (f"#invite={sitting.invite}" if sitting.invite else "")
        return plain(phrase("felt", "link", link=link))

    def _proof(self, view: Json) -> Text:
        signs = self._session.shield
        said = [phrase("felt", "shield", shield=signs)] if signs != "none" or is_keyless(view) else []
        if view["viewer"] is not None and any(die["face"] is not None for die in own_dice(view)):
            said.insert(0, phrase("felt", "proof", proof=self._session.proof))
        return Text("\n").append_text(plain(" · ".join(said))) if said else Text("")

    def _left(self) -> str:
        """Return how much time there is, where any is measured."""
        view = self._view
        if view is None or view["due_at"] is None or view["phase"] == "finished":
            return ""
        minutes, seconds = divmod(max(0, view["due_at"] - self._now() - self._ahead_ms) // 1000, 60)
        return f"{minutes}:{seconds:02}"

    def _tick(self) -> None:
        self._draw()

    def _say(self, text: str) -> None:
        """Say something above the offers."""
        self._status = text
        self._draw()

    def _offer(self, deeds: list[Deed]) -> None:
        """Show lines to choose from, the first claim highlighted, so that no doubt is but a key away."""
        self._deeds = deeds
        if not self._is_laid:
            return
        offers = self.query_one("#offers", OptionList)
        offers.clear_options()
        offers.add_options([Option(plain(deed.label)) for deed in deeds])
        calm = next((at for at, deed in enumerate(deeds) if not deed.is_doubt), 0)
        offers.highlighted = calm if deeds else None

    # ---- what is chosen and typed -----------------------------------------------------------------

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do what was chosen."""
        deed = self._deeds[event.option_index]
        if deed.opens:
            self._offer(list(deed.opens))
        elif deed.begins:
            self._begin_typing(f"{deed.begins} ")
        elif deed.host:
            await self._ask_as_host(deed.host)
        elif deed.command is not None:
            await self._ask(deed.command, host=deed.as_host)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what was typed."""
        line = event.value.strip()
        event.input.clear()
        self.query_one("#offers").focus()
        what = meant(line)
        if what == "quit":
            self.action_leave()
        elif what == "rematch":
            self.action_rematch()
        elif what is not None and what in HOST_ASKS:
            await self._ask_as_host(what)
        elif what in {"odds_on", "odds_off"}:
            self._turn_odds(what)
        elif what is not None and (what in LINES or what in {"key", "link", "odds"}):
            self.action_tell(what)
        elif what == "hint":
            # Whoever waits for it may think meanwhile, and act.
            self.run_worker(self._tell_hint(), exclusive=True, group=what)
        elif what in {"dice", "repeat"}:
            self._draw()
        elif line:
            await self._ask_typed(what, line)

    async def _ask_typed(self, what: str | None, line: str) -> None:
        try:
            command, host = command_of(what, line, self._view)
        except CannotDo as trouble:
            self._say(refused_line(trouble))
        else:
            await self._ask(command, host=host)

    async def _tell_hint(self) -> None:
        """Tell in the story what an analysis would do, or say why nothing is told."""
        sitting = self._session.sitting
        if sitting is None:
            self._say(phrase("felt", "watching"))
            return
        try:
            found = await asyncio.to_thread(seating.hint, sitting)
            with read_reply():
                self._story.extend(hint_lines(found))
            self._draw()
        except CannotDo as trouble:
            self._say(refused_line(trouble))

    async def _ask(self, command: Json, *, host: bool = False) -> None:
        await self._try(self._session.ask(command, host=host))

    async def _ask_as_host(self, what: str) -> None:
        if self._session.sitting is not None:
            await self._try(asyncio.to_thread(HOST_ASKS[what], self._session.sitting))

    async def _try(self, asked: Any) -> None:  # noqa: ANN401 - whatever is waited for
        """Wait for what was asked, and offer nothing meanwhile; a refusal is said, and all is offered as before."""
        offered, self._status = self._offers(), ""
        self._offer([])
        try:
            await asked
        except CannotDo as trouble:
            self._offer(offered)
            self._say(early_line(trouble, self._view) or refused_line(trouble))
        except (AnotherHistory, Untrue) as trouble:
            self._alarm(trouble)

    def _begin_typing(self, text: str = "") -> None:
        typed = self.query_one("#typed", Input)
        typed.value = text
        typed.focus()
        typed.action_end()

    # ---- keys -------------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """Leave the table as it is."""
        self.exit(Ended.OVER if self._over else Ended.LEFT)

    def action_all_offers(self) -> None:
        """Go back to all that may be done."""
        self.query_one("#typed", Input).clear()
        self.query_one("#offers").focus()
        self._offer(self._offers())

    def action_type(self) -> None:
        """Type instead of choosing."""
        self._begin_typing()

    def action_tell(self, what: str) -> None:
        """Tell something in the story."""
        if self._view is None:
            return
        if what == "odds":
            self._story.extend(self._odds.lines(self._view))
        elif what == "key":
            self._story.extend(shield_lines(self._session))
        elif what != "link":
            self._story.extend(LINES[what](self._view))
        elif self._session.sitting is not None:
            # No terminal joins lines again that a program has broken: what is copied from the story is no link.
            self.copy_to_clipboard(own_link(self._session.sitting, self._view))
            self._story.extend((link_line(self._session.sitting, self._view), phrase("felt", "copied")))
        self._draw()

    def action_odds(self) -> None:
        """Show the chance of each claim, or no longer."""
        self._turn_odds("odds_off" if self._odds.shown else "odds_on")

    def _turn_odds(self, what: str) -> None:
        told = self._odds.turn(on=what == "odds_on")
        self._offer(self._offers())
        self._say(told)

    def action_doubt(self) -> None:
        """Go to the doubt, if there is one."""
        doubt = next((deed for deed in self._deeds if deed.is_doubt), None)
        if doubt is not None:
            self._offer(list(doubt.opens))

    def action_rematch(self) -> None:
        """Play again, now or as soon as the match is over."""
        if self._session.sitting is None:
            return
        if self._over:
            self.exit(Ended.AGAIN)
            return
        self._again = True
        self._say(phrase("rematch"))


async def play_felt(sitting: Sitting) -> Ended:
    """Play a match over the whole terminal, and return how it ended.

    Raises:
        AnotherHistory: The server has shown another history than before.
        CannotDo: Nobody answers.
        Untrue: It has said something that cannot be so.
    """
    hints = await asyncio.to_thread(allows_hints, sitting.base, sitting.match)
    app = TableApp(partial(SeatSession, sitting), hints=hints)
    ended = await show(app)
    if app.trouble is not None:
        raise app.trouble
    return ended or Ended.LEFT
