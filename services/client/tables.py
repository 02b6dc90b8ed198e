"""The tables of a house for programs: one is opened or joined, played at, watched, replayed and verified.

The law of the file: whoever acts whenever `turns` says so is right, and never answers one turn twice.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.log.policies import parse
from infra.config import Config, data_folder
from services.audit.verdict import Verdict, verdict_of
from services.client import seating
from services.client.evidence import compare, receipts_of
from services.client.following import follow
from services.client.given.given_out import sign_for_given
from services.client.given.sitting_again import rematch as sit_again
from services.client.house import CannotDo, answer_or_fail, base_of, house, match_id, origin_of, read_reply
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.session import SeatSession
from services.client.signing import Shield

Json = dict[str, Any]
Command = Json | str
"""What is asked for: a command as the interface takes it, such as `{"type": "challenge"}`, or words, such as `5x3`."""
HERE: Final = "http://127.0.0.1:8000"
"""Where `truecup up` runs if nothing is said."""
USUAL: Final = Wanted()
GUEST: Final = Newcoming()


class Turn(Struct, frozen=True):
    """A moment at which a seat may act.

    Attributes:
        view: What the seat sees, as `SeatView` in `/openapi.json` says.
    """

    view: Json

    @property
    def moves(self) -> list[Json]:
        """What may be done, as `Move` in `/openapi.json` says."""
        found: list[Json] = self.view["moves"]
        return found

    @property
    def dice(self) -> list[int]:
        """The faces of the seat's own dice."""
        own = self.view["cup"] or next(one["dice"] for one in self.view["seats"] if one["seat"] == self.view["viewer"])
        return [die["face"] for die in own if die["face"] is not None]

    @property
    def is_pause(self) -> bool:
        """Whether it is no turn but the pause behind a round, and the table waits for the seat to be `ready`."""
        return is_awaited(self.view)


class PlayingSeat:
    """A seat of a program at a table, up to the end of the match."""

    def __init__(self, session: SeatSession, keeps: seating.Keeps) -> None:
        """Play the seat of this session; receipts of later matches go where `keeps` says."""
        self._session = session
        self._keeps = keeps
        self._done = 0

    @property
    def sitting(self) -> Sitting:
        """The seat itself: its match, its token, and the receipts that are kept of it."""
        return self._session.sitting

    @property
    def view(self) -> Json | None:
        """What the seat sees now; None before the first item."""
        return self._session.view

    @property
    def shield(self) -> Shield:
        """Whether what the seat asks for is signed with its key: `signed`, if it is."""
        return self._session.shield

    @property
    def has_won(self) -> bool:
        """Whether the match is over and the seat has won it."""
        return self.view is not None and self.view["winner"] is not None and self.view["winner"] == self.view["viewer"]

    async def turns(self, *, pauses: bool = False) -> AsyncGenerator[Turn, None]:
        """Yield each moment at which the seat may act, until the match ends.

        A moment that is over when it is looked at is left out: one that a later event has followed already, or that
        the seat has acted in. In the pause behind a round the seat is `ready` by itself, and keeps nobody waiting.

        Args:
            pauses: Whether the seat is not ready by itself; then each pause is yielded as well, with `is_pause`.

        Raises:
            Untrue: The server says something that cannot be so.
            AnotherHistory: It shows another history than before.
            SeatLost: The seat was given up, or the host has taken it out, before the match began.
            CannotDo: Nobody answers.
        """
        async with aclosing(self._session.items()) as items:
            async for item in items:
                with read_reply():
                    view = item.get("snapshot") or item.get("view") or {}
                    is_now = bool(view) and not item.get("more") and self._is_now(view)
                    waits = is_now and is_awaited(view)
                if waits and not pauses:
                    await self.ready()
                elif waits or (is_now and view["moves"]):
                    yield Turn(view)

    async def play(self, command: Command) -> None:
        """Do something as the seat.

        Args:
            command: What the interface takes, or words as somebody would type them.

        Raises:
            CannotDo: The server says no, and why; nothing was done. Its `code` says which no it is.
            AnotherHistory: The receipt is not what it should be.
        """
        asked = {"type": "say", "text": command} if isinstance(command, str) else command
        self._done = await self._session.ask(asked)

    async def ready(self) -> bool:
        """Ask for the next round, and report whether the table has waited for that.

        Whoever does not is waited for until the pause is over; where it is already, nothing is asked.

        Raises:
            AnotherHistory: The receipt is not what it should be.
        """
        if self.view is None or not is_awaited(self.view):
            return False
        try:
            await self.play({"type": "continue"})
        except CannotDo:
            # The pause is over, or ends by itself: no round depends on it.
            return False
        return True

    async def seat_bots(self, count: int, level: str | None = None) -> None:
        """Seat bots of the house, as the host; of the level that the house has for them if nothing is said."""
        await asyncio.to_thread(seating.seat_bots, self.sitting, count, level)

    async def start(self) -> None:
        """Start the match, as the host."""
        await asyncio.to_thread(seating.start, self.sitting)

    async def compare(self) -> None:
        """Hold the record of the match, as it is now, against the receipts that are kept.

        Raises:
            AnotherHistory: They do not agree.
            CannotDo: The record cannot be had now.
        """
        await asyncio.to_thread(compare, self.sitting.base, self.sitting.match, self.sitting.kept)

    @asynccontextmanager
    async def rematch(self) -> AsyncIterator[PlayingSeat]:
        """Sit down at the next table of those who have played, once the match is over; sign there if the seat did here.

        Whoever asks first has it opened; it begins by itself once all have come. Whoever asks again has the same seat.

        Raises:
            CannotDo: The server says no, as while the match goes on, or nobody answers.
            Untrue: The record of the next table does not hold.
            AnotherHistory: A receipt is not what it should be.
        """
        here = self.sitting if self.view is None else replace(self.sitting, seat=self.view["viewer"])
        async with _seated(lambda: sit_again(here, self._keeps), self._keeps) as seat:
            yield seat

    def _is_now(self, view: Json) -> bool:
        return self.view is not None and view["version"] == self.view["version"] and view["version"] >= self._done


def is_awaited(view: Json) -> bool:
    """Report whether the table waits for the viewer to ask for the next round."""
    continues = view.get("continues")
    return continues is not None and view["viewer"] in continues["awaits"]


@asynccontextmanager
async def open_table(
    base: str = HERE, *, wanted: Wanted = USUAL, player: Newcoming = GUEST, data: Path | None = None
) -> AsyncIterator[PlayingSeat]:
    """Open a table, sit down, and start if bots are wanted.

    Args:
        base: Where the house is.
        wanted: The table.
        player: Who sits down.
        data: The folder for receipts, seeds and the policy of the log; the user's own if nothing is said.

    Raises:
        CannotDo: The server says no, or nobody answers.
        Untrue: The log is not signed as the policy that is kept here asks.
        AnotherHistory: A receipt is not what it should be.
    """
    keeps = _keeps(base, data)
    async with _seated(lambda: seating.open_table(base_of(base), keeps, wanted, player), keeps) as seat:
        yield seat


@asynccontextmanager
async def join_table(
    match: str,
    base: str = HERE,
    *,
    player: Newcoming = GUEST,
    invite: str | None = None,
    data: Path | None = None,
) -> AsyncIterator[PlayingSeat]:
    """Take the next seat at a table.

    Args:
        match: The match's id, or the address of its page.
        base: Where the house is.
        player: Who sits down.
        invite: The invitation, where the table is private.
        data: The folder for receipts, seeds and the policy of the log; the user's own if nothing is said.

    Raises:
        CannotDo: The server says no, or nobody answers.
        Untrue: The log is not signed as the policy that is kept here asks.
        AnotherHistory: A receipt is not what it should be.
    """
    keeps, known = _keeps(base, data), match_id(match)

    def sit() -> Sitting:
        return seating.take_seat(base_of(base), known, player, keeps(known), invite=invite)

    async with _seated(sit, keeps) as seat:
        yield seat


@asynccontextmanager
async def resume_seat(
    match: str, token: str | None = None, base: str | None = None, *, data: Path | None = None
) -> AsyncIterator[PlayingSeat]:
    """Take up a seat that was taken before, by its token or by the link to it that pages and terminals show.

    One that was given out as its table was opened is taken again with a key, if the match has not started.

    Args:
        match: The match's id, or the address of its page; without a token, the link to the seat.
        token: The seat's token.
        base: Where the house is; where the link says, or else here, if nothing is said.
        data: The folder in which its receipts and seeds are.

    Raises:
        CannotDo: Nobody answers, or the link leads to no seat.
    """
    where = base_of(base or (HERE if token is not None else origin_of(match) or HERE))
    keeps = _keeps(where, data)
    async with _seated(lambda: _taken_before(where, match, token, keeps), keeps) as seat:
        yield seat


def _taken_before(base: str, match: str, token: str | None, keeps: seating.Keeps) -> Sitting:
    if token is None:
        sitting = seating.sitting_at(base, match, keeps)
    else:
        known = match_id(match)
        sitting = Sitting(base, known, token, keeps(known))
    sign_for_given(sitting)
    return sitting


async def watch_match(match: str, base: str = HERE) -> AsyncGenerator[Json, None]:
    """Yield what a spectator is told of a match, item by item, until it ends: a snapshot, then frames.

    Raises:
        CannotDo: Nobody answers, or what is answered is no stream of a match.
    """
    async with aclosing(follow(base_of(base), match_id(match), broke=_broke)) as items:
        async for item in items:
            yield item


def replay_match(match: str, base: str = HERE) -> list[Json]:
    """Return the frames of a match from its beginning, as everybody may see them.

    Raises:
        CannotDo: The server says no, or nobody answers.
    """
    with house(base_of(base)) as client:
        answer = answer_or_fail(client.get(f"/matches/{match_id(match)}/replay"))
    with read_reply():
        frames: list[Json] = msgspec.json.decode(answer.content, type=Json)["frames"]
    return frames


def record_of(match: str, base: str = HERE) -> bytes:
    """Return the record of a match, which says all that is needed to check it.

    Raises:
        CannotDo: The server says no, or nobody answers.
    """
    with house(base_of(base)) as client:
        return answer_or_fail(client.get(f"/matches/{match_id(match)}/record")).content


def verify_record(record: bytes, policy: str | None = None) -> Verdict:
    """Return what an audit of a record comes to, asking nobody.

    Args:
        record: The record.
        policy: The text of the policy that names the keys of the log; without one no signature is judged.

    Raises:
        Malformed: The policy is none.
    """
    return verdict_of(record, None if policy is None else parse(policy.encode()))


@asynccontextmanager
async def _seated(sit: Callable[[], Sitting], keeps: seating.Keeps) -> AsyncIterator[PlayingSeat]:
    async with SeatSession(await asyncio.to_thread(sit), _broke) as session:
        yield PlayingSeat(session, keeps)


def _keeps(base: str, data: Path | None) -> seating.Keeps:
    own = data_folder(Config(data=os.environ.get("TRUECUP_DATA", "")), os.environ) if data is None else data
    return partial(receipts_of, base_of(base), own, None, None)


def _broke(_version: int | None, _seconds: float) -> None:
    """Say nothing: whoever follows goes on by itself."""
