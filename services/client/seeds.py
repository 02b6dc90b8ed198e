"""The seeds of an honest client: it makes one for a deal, commits to it, and opens it when the log holds the deal.

All seeds of a seat come from one key: whichever device has it makes the same, and opens what another has fixed.

The law of the file: a seed is on the disk before anybody is told what fixes it, and leaves only for a deal that a
policy of ours vouches for, sealed with the very commitment that was made here.

Source: CUP/1 section 4.7.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.fairness.deal import Cup, Policy, context, rules_hash, seed_commitment
from domain.fairness.dealing import Open
from domain.ids import Seat
from infra.files.whole import FOR_ITS_OWNER, append_whole
from services.client.house import kept_here
from services.client.records import Untrue, deal_of
from services.client.seating import Sitting, key_of, seed_from

Json = dict[str, Any]
Gives = Callable[[Json], Awaitable[None]]
"""Sends a command to whatever deals."""


class KeptSeed(Struct, frozen=True):
    """A seed of ours for a deal, with what fixes it, as hex."""

    deal: int
    commit: str
    seed: str


class SeedFile:
    """The seeds of one match, in a file: a JSON document a line."""

    def __init__(self, file: Path) -> None:
        """Keep seeds in this file, after those that are there."""
        self.file = file

    def of(self, deal: int) -> list[KeptSeed]:
        """Return the seeds of a deal, oldest first."""
        if not self.file.exists():
            return []
        kept: list[KeptSeed] = []
        for line in self.file.read_bytes().splitlines():
            # What a machine that failed has left half written was told nobody: it is kept before it is fixed.
            with suppress(msgspec.DecodeError):
                kept.append(msgspec.json.decode(line, type=KeptSeed))
        return [one for one in kept if one.deal == deal]

    def keep(self, one: KeptSeed) -> None:
        """Write a seed down, so that it is there after a crash.

        Raises:
            CannotDo: It cannot be written.
        """
        with kept_here():
            before = self.file.read_bytes() if self.file.exists() else b""
            is_torn = before != b"" and not before.endswith(b"\n")
            append_whole(self.file, b"\n" * is_torn + msgspec.json.encode(one) + b"\n", FOR_ITS_OWNER)


class SeatSeeds:
    """What one seat makes, fixes and opens, whichever stream deals for it."""

    def __init__(self, sitting: Sitting) -> None:
        """Make the seeds of this seat."""
        self._sitting = sitting
        self.file = SeedFile(sitting.kept.file.with_name(f"{sitting.kept.file.name}.seeds"))

    async def commit(self, deal: Open, seat: Seat, send: Gives) -> None:
        """Make a seed and fix it.

        Args:
            deal: The deal; of its context and root the seed is made.
            seat: The seat, as the deal numbers it.
            send: Sends a command to whatever deals.

        Raises:
            CannotDo: The server says no, or nobody answers.
        """
        seed, commit = self._made(deal, seat)
        # A crash behind this line leaves a seed that is committed to, or not, by whoever comes back: it is made again.
        self.file.keep(KeptSeed(deal.number, commit, seed))
        await send({"type": "commit_seed", "deal": deal.number, "commit": commit})

    async def open(self, stream: str, record: bytes, at: tuple[int, Seat], send: Gives) -> bool:
        """Open the seed that is fixed; report False where that one came from elsewhere.

        Args:
            stream: What deals, a match or a board.
            record: Its record as it is now.
            at: The deal, and the seat as the deal numbers it.
            send: Sends a command to whatever deals.

        Raises:
            Untrue: The deal is not the one that was committed to.
            CannotDo: The server says no, or nobody answers.
        """
        number, seat = at
        deal = deal_of(record, stream, number, self._sitting.kept.policy)
        if deal.stage != "logged":
            # The deal has gone on meanwhile, or was given up: nobody waits for a seed any more.
            return True
        fixed, (made, commit) = deal.commits.get(seat), self._made(deal, seat)
        kept = {commit: made} | {one.commit: one.seed for one in self.file.of(number)}
        if fixed is None or fixed not in kept:
            return False
        if seed_commitment(bytes.fromhex(kept[fixed]), deal.ctx, deal.root, seat).hex() != fixed:
            raise Untrue("context", seat=str(seat))
        await send({"type": "open_seed", "deal": number, "seed": kept[fixed]})
        return True

    def _made(self, deal: Open, seat: Seat) -> tuple[str, str]:
        """Return the seed that our key makes for a deal, and what fixes it, as hex."""
        seed = seed_from(key_of(self._sitting), deal.ctx, deal.root, seat)
        return seed.hex(), seed_commitment(seed, deal.ctx, deal.root, seat).hex()


class SeedKeeper:
    """Does what a match asks of the seeds of one seat."""

    def __init__(self, sitting: Sitting, record: Callable[[str], Awaitable[bytes]], send: Gives) -> None:
        """Make the seeds of this seat.

        Args:
            sitting: The seat.
            record: Asks for the record of a stream.
            send: Sends a command of the seat.
        """
        self._match = sitting.match
        self._record = record
        self._send = send
        self._done: set[tuple[int, str]] = set()
        self._seeds = SeatSeeds(sitting)

    async def see(self, view: Json) -> None:
        """Do what a view asks of this seat's seed, if it asks anything and that is not done yet.

        Raises:
            Untrue: The deal is not the one that was committed to.
            CannotDo: The server says no, or nobody answers.
        """
        deal, seat = view["deal"], view["viewer"]
        if deal is None or seat not in deal["waiting_for"] or not _draws_its_own(view, seat):
            return
        step = (int(deal["number"]), str(deal["stage"]))
        if step in self._done:
            return
        if step[1] == "committed":
            await self._seeds.commit(self._shown(view), seat, self._send)
        elif step[1] == "logged":
            await self._open(step[0], seat)
        self._done.add(step)

    def _shown(self, view: Json) -> Open:
        """Return the deal as the view has it: what is fixed for it is held against the record before it is opened."""
        deal = view["deal"]
        number, policy = int(deal["number"]), _policy_of(view)
        cups = tuple(Cup(*row) for row in deal["cups"])
        ctx = context(bytes.fromhex(self._match.replace("-", "")), number, rules_hash(view["rules"]), policy, cups)
        return Open(number, cups, ctx, bytes.fromhex(deal["root"]))

    async def _open(self, number: int, seat: Seat) -> None:
        stream = f"match/{self._match}"
        is_ours = await self._seeds.open(stream, await self._record(stream), (number, seat), self._send)
        # Where we have made none, another program of this seat has made it from another key, and that opens it.
        if not is_ours and self._seeds.file.of(number):
            raise Untrue("seed", seat=str(seat))


class BoardSeeds:
    """Does what a duplicate board asks of a seat at one of its tables, whose match has no deal of its own."""

    def __init__(
        self,
        sitting: Sitting,
        record: Callable[[str], Awaitable[bytes]],
        own: Callable[[str], Awaitable[Json]],
        send: Callable[[str, Json], Awaitable[None]],
    ) -> None:
        """Make the seeds of this seat.

        Args:
            sitting: The seat.
            record: Asks for the record of a stream.
            own: Asks what a board waits for of the seat.
            send: Sends a board something of the seat.
        """
        self._policy = sitting.kept.policy
        self._record = record
        self._own = own
        self._send = send
        self._seeds = SeatSeeds(sitting)
        self._taken: set[int] = set()

    async def look(self, board: str) -> bool:
        """Give the deal of a board what it waits for; report whether it waits for nothing of this seat any more.

        Raises:
            Untrue: The deal is not the one that was committed to.
            CannotDo: The server says no, or nobody answers.
        """
        own = await self._own(board)
        if own["drawer"] is None or own["stage"] in {"ready", "closed"}:
            return True
        if own["awaits"] is not None:
            step = self._commit if own["awaits"] == "commit" else self._open
            await step(board, int(own["deal"]), int(own["drawer"]))
        return False

    async def _commit(self, board: str, number: int, drawer: Seat) -> None:
        stream = f"board/{board}"
        deal = deal_of(await self._record(stream), stream, number, self._policy)
        await self._seeds.commit(deal, drawer, partial(self._send, board))
        self._taken.add(number)

    async def _open(self, board: str, number: int, drawer: Seat) -> None:
        stream = f"board/{board}"
        send = partial(self._send, board)
        is_ours = await self._seeds.open(stream, await self._record(stream), (number, drawer), send)
        # The card of the entrant draws as well, perhaps from another key: if that was first, ours has been refused.
        if not is_ours and number in self._taken:
            raise Untrue("seed", seat=str(drawer))


def board_asking(view: Json) -> str | None:
    """Return the board that may ask a seat for seeds, which has its own, as long as the match knows no dice."""
    board, seat = view["rules"].get("board"), view["viewer"]
    if board is None or seat is None or view["deal"] is not None or not _draws_its_own(view, seat):
        return None
    return str(board["id"])


def _policy_of(view: Json) -> Policy:
    return "all" if view["policy"] == "all" else "shown"


def _draws_its_own(view: Json, seat: Seat) -> bool:
    return any(one["seat"] == seat and one["custody"] == "client" for one in view["seats"])
