"""`truecup play`: a seat at a table, in a terminal."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from domain.log.receipts import AnotherHistory
from services.cli.exits import FINE, FOUND
from services.cli.house import address
from services.cli.playing.asking import Ended
from services.cli.playing.engine import SeatEngine, engine_of, greeting_of
from services.cli.playing.lines import Lines, play_lines
from services.cli.playing.phrases import alarm_words, farewell_line, meant, phrase
from services.cli.screen import is_terminal, say, say_aside, takes_screens
from services.cli.settings import folder_of, settings
from services.client import seating
from services.client.evidence import compare, receipts_of
from services.client.given.given_out import sign_for_given
from services.client.given.sitting_again import rematch
from services.client.house import CannotDo, SeatLost, match_id, origin_of
from services.client.records import Untrue
from services.client.seating import Keeps, Newcoming, SeatLink, Sitting, Wanted
from services.engines.hosting import BUDGET_MS
from services.engines.level_names import Level
from services.engines.process import MEMORY_MIB

BOTS = 2
"""How many bots of the house sit down at a table that is for nobody else, if nothing is said."""

Plays = Callable[[Sitting], Awaitable[Ended]]
"""How a match is played, and what is told of its end."""


class Evening(Struct):
    """What is played one match after the other.

    Attributes:
        sitting: The seat at the match that is played now.
        keeps: Where receipts go.
        more: What else has to be said to come back, as arguments.
        custody: Who draws the seeds of the seat that was taken here; None at a seat that was there already.
        drawn: Whether it is drawn over the whole terminal, and not told line by line.
        engine: What plays the seat, where a program does.
    """

    sitting: Sitting
    keeps: Keeps
    more: tuple[str, ...] = ()
    custody: str | None = None
    drawn: bool = False
    engine: SeatEngine | None = None


@dataclass(frozen=True)
class TableAsked:
    """A table that is opened.

    Attributes:
        game: The game of the new match.
        option: A house rule of the new match, such as `dice_per_player=3`; it may be given more than once.
        bots: How many house bots play along in the new match: two if nothing is said, none at a private table. With
            none it waits for people until you type `start`.
        level: How those bots choose: L0 by chance alone, L1 by simple odds, L2 by what moves say as well, L3 by what
            an analysis would call best, L4 by what has been learnt where a round has a blueprint, L5 by what is
            certified where a round has been solved; L2 if nothing is said.
        seats: How many may sit down at the new table; as many as its game takes if it waits for people.
        private: Open a table that is in no list, for those whom you invite.
        table: What people shall call the new table.
        hints: Show everybody at the new table how likely claims are; where only bots play along if nothing is said.
    """

    game: str = "common_hand"
    option: tuple[str, ...] = ()
    bots: Annotated[int | None, Parameter(validator=Number(gte=0, lte=253))] = None
    seats: Annotated[int | None, Parameter(validator=Number(gte=2, lte=254))] = None
    private: bool = False
    table: str | None = None
    hints: bool | None = None
    level: Level | None = None

    def wanted(self) -> Wanted:
        """Return it as the house is asked for it."""
        count = self.bots if self.bots is not None else 0 if self.private else BOTS
        alone = count > 0 and self.seats is None
        hints = alone if self.hints is None else self.hints
        return Wanted(
            self.game,
            options_of(self.option),
            count,
            self.seats,
            self.private,
            self.table,
            hints=hints,
            level=self.level,
        )


@dataclass(frozen=True)
class SeatAsked:
    """A seat that is taken, or was before.

    Attributes:
        name: What people shall call you, and nobody else at the table; Guest, or Guest 2, if nothing is said.
        invite: The invitation to a private table.
        own_seeds: Draw your own seeds for the dice; otherwise the server draws them for you.
        own_key: Sign what you ask for; otherwise it is the server's word, and a bot may stand in for you.
        token: The token of a seat you have already.
        host: The token of the host, at a table that is yours: then you may end the match.
        engine: A program that plays the seat, such as "truecup engine L1": it speaks TCE/1. It runs with your files,
            and with your network unless the system can take that away.
        budget: Milliseconds it may take over a move, if the clock of the table leaves it so many.
        memory: Mebibytes it may take.
    """

    name: str | None = None
    invite: str | None = None
    own_seeds: bool = True
    own_key: bool = True
    token: str | None = None
    host: str | None = None
    engine: str | None = None
    budget: Annotated[int, Parameter(validator=Number(gte=1, lte=600_000))] = BUDGET_MS
    memory: Annotated[int, Parameter(validator=Number(gte=32, lte=1_048_576))] = MEMORY_MIB

    def program(self) -> SeatEngine | None:
        """Return the program that plays, once it has said who it is; None where a person does.

        One that does not start takes no seat.

        Raises:
            CannotDo: It does not start, or is no engine.
        """
        if self.engine is None:
            return None
        found = engine_of(self.engine, self.budget, self.memory)
        asyncio.run(greeting_of(found))
        return found

    def newcomer(self) -> Newcoming:
        """Return who sits down."""
        return Newcoming(self.name, "client" if self.own_seeds else "server", self.own_key)

    def custody(self, brought: SeatLink | None) -> str | None:
        """Return who draws the seeds of a seat that is taken now; None at one that was taken before."""
        return None if self.token or brought else self.newcomer().custody

    def led(self, invited: str | None, brought: SeatLink | None) -> SeatAsked:
        """Return it with what a link says, where nothing else was said."""
        asked = replace(self, invite=self.invite or invited)
        if brought is None:
            return asked
        return replace(asked, token=self.token or brought.token, host=self.host or brought.host)


def play(
    match: str | None = None,
    /,
    *,
    asked: Annotated[TableAsked, Parameter(name="*")] = TableAsked(),
    seat: Annotated[SeatAsked, Parameter(name="*")] = SeatAsked(),
    receipts: Path | None = None,
    policy: Path | None = None,
    url: str | None = None,
    plain: bool = False,
) -> int:
    """Play.

    Besides claims and what else is offered you may type `help`, which lists the rest.

    Args:
        match: The id of a match to sit down at, or the address of its page, with an invitation or without, or the link
            to a seat of yours; without one a new match is opened, or chosen where the whole terminal shows the lobby.
        asked: The new table.
        seat: Your seat.
        receipts: The file that keeps what the server signs; one in the data folder if nothing is said.
        policy: The file that names the keys of the log; the policy this house published first if nothing is said.
        url: Where the service is; the house of the match's address, or the `truecup up` of this machine.
        plain: Play line by line, as it is without the extra `tui`, or where there is no terminal.
    """
    drawn = not plain and seat.engine is None and takes_screens()
    (place, invited), brought = split_link(match), seating.brought_by(match or "")
    given = url or origin_of(place or "")
    keeps = partial(receipts_of, address(given), folder_of(settings()), receipts, policy)
    flags = (("--url", given), ("--receipts", receipts), ("--policy", policy))
    more = tuple(part for flag, value in flags if value is not None for part in (flag, str(value)))
    if place is None and drawn and asked == TableAsked():
        chosen = _choose(address(given))
        if chosen is None:
            return FINE
        place, asked = chosen
    sit = partial(_sit, address(given), place, asked, seat.led(invited, brought), keeps, brought)
    engine, custody = seat.program(), seat.custody(brought)
    return play_carefully(lambda: Evening(sit(), keeps, more, custody, drawn, engine))


def _choose(base: str) -> tuple[str | None, TableAsked] | None:
    """Return a table that was chosen in the lobby, to sit down at or to be opened; None for who has left it."""
    from services.cli.playing.felt.lobby import choose_table  # noqa: PLC0415 - an extra

    chosen = asyncio.run(choose_table(base))
    if chosen.wanted is not None:
        wanted = chosen.wanted
        return None, TableAsked(wanted.game, bots=wanted.bots, private=wanted.private)
    return None if chosen.match is None else (chosen.match, TableAsked())


def _sit(
    base: str, place: str | None, asked: TableAsked, seat: SeatAsked, keeps: Keeps, brought: SeatLink | None
) -> Sitting:
    """Open a table, take a seat at one, or take up a seat again."""
    if place is None:
        return seating.open_table(base, keeps, asked.wanted(), seat.newcomer())
    match = match_id(place)
    if seat.token is not None:
        sitting = _back(Sitting(base, match, seat.token, keeps(match), seat.host, seat.invite), brought)
        if seat.newcomer().signs:
            sign_for_given(sitting)
        return sitting
    return seating.take_seat(base, match, seat.newcomer(), keeps(match), host=seat.host, invite=seat.invite)


def _back(sitting: Sitting, brought: SeatLink | None) -> Sitting:
    """Return a seat that was taken before, with what a link to it says besides."""
    if brought is None or brought.token != sitting.token:
        return sitting
    seating.take_key(sitting, brought)
    return msgspec.structs.replace(sitting, seat=brought.seat)


def split_link(text: str | None) -> tuple[str | None, str | None]:
    """Return the address of a table without the invitation in it, and the invitation."""
    if text is None:
        return None, None
    place, _, fragment = text.partition("#")
    found = re.fullmatch(r"invite=([\w-]+)", fragment)
    return place, None if found is None else found[1]


def options_of(given: tuple[str, ...]) -> dict[str, Any]:
    """Return options from `name=value`; a value is JSON, or else a text."""
    found: dict[str, Any] = {}
    for each in given:
        name, _, text = each.partition("=")
        try:
            found[name] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            found[name] = text
    return found


def play_carefully(sit: Callable[[], Evening]) -> int:
    """Sit down and play; return how it went, which is FOUND where the server says what cannot be so."""
    try:
        evening = sit()
        try:
            asyncio.run(_play(evening))
        except KeyboardInterrupt:
            _tell_way_back(evening)
            raise
    except SeatLost as lost:
        say(farewell_line(lost))
    except (AnotherHistory, Untrue) as trouble:
        say_aside(phrase("alarm", why=alarm_words(trouble)))
        return FOUND
    return FINE


async def _play(evening: Evening) -> None:
    """Play one match after the other, each held against what is kept of it before and after.

    Raises:
        AnotherHistory: The server shows another history than before.
        Untrue: It says something that cannot be so.
    """
    play_match = _felt() if evening.drawn else _lines(evening.engine)
    while True:
        _tell_seat(evening)
        await asyncio.to_thread(_compare, evening.sitting)
        ended = await play_match(evening.sitting)
        await asyncio.to_thread(_compare, evening.sitting)
        if ended is Ended.LEFT:
            _tell_way_back(evening)
        if ended is not Ended.AGAIN:
            return
        evening.sitting = await asyncio.to_thread(rematch, evening.sitting, evening.keeps)


def _felt() -> Plays:
    """Return how a match is played over the whole terminal."""
    from services.cli.playing.felt.table import play_felt  # noqa: PLC0415 - an extra

    return play_felt


def _lines(engine: SeatEngine | None) -> Plays:
    """Return how a match is played line by line, by whoever types or by an engine."""
    lines = Lines()

    async def play_on(sitting: Sitting) -> Ended:
        ended = await play_lines(sitting, lines, engine)
        asks = ended is Ended.OVER and engine is None
        return Ended.AGAIN if asks and await _wants_more(lines) else ended

    return play_on


async def _wants_more(lines: Lines) -> bool:
    """Ask whether to play again, where there is somebody to ask."""
    if not is_terminal():
        return False
    say(phrase("again"))
    while (line := await lines.typed.get()) is not None:
        if meant(line) in {"rematch", "quit"}:
            return meant(line) == "rematch"
    return False


def _tell_seat(evening: Evening) -> None:
    sitting = evening.sitting
    page = sitting.page
    if evening.custody is None:
        say(phrase("back", page=page))
    else:
        say(phrase("sitting", page=page, custody=evening.custody))
    if sitting.invite is not None and sitting.host is not None:
        say(phrase("invite", link=f"{page}#invite={sitting.invite}"))


def _tell_way_back(evening: Evening) -> None:
    sitting = evening.sitting
    host = () if sitting.host is None else ("--host", sitting.host)
    more = shlex.join((*host, *evening.more))
    say(phrase("left", match=sitting.match, token=sitting.token, more=f" {more}" if more else ""))
    if sitting.seat is not None:
        say(phrase("elsewhere", link=seating.link_of(sitting)))


def _compare(sitting: Sitting) -> None:
    """Hold the record against what is kept.

    Raises:
        AnotherHistory: The server shows another one.
    """
    try:
        compare(sitting.base, sitting.match, sitting.kept)
    except CannotDo as trouble:
        say_aside(phrase("unchecked", file=str(sitting.kept.file), why=str(trouble)))
