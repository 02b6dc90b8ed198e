"""The seeds of an honest client: it makes one for a deal, commits to it, and opens it when the log holds the deal.

All seeds of a seat come from one key: whichever device has it makes the same, and opens what another has fixed.

The law of the file: a seed is on the disk before anybody is told what fixes it, and leaves only for a deal that a
policy of ours vouches for, sealed with the very commitment that was made here.

Source: CUP/1 section 4.7.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.fairness.deal import Cup, Policy, context, rules_hash, seed_commitment
from domain.fairness.dealing import Open
from domain.ids import Seat
from services.client.records import Untrue, deal_of
from services.client.seating import Sitting, key_of, seed_from

Json = dict[str, Any]
READABLE_BY_OWNER: Final = 0o600


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
        lines = self.file.read_bytes().splitlines()
        kept = [msgspec.json.decode(line, type=KeptSeed) for line in lines]
        return [one for one in kept if one.deal == deal]

    def keep(self, one: KeptSeed) -> None:
        """Write a seed down, so that it is there after a crash."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with os.fdopen(os.open(self.file, flags, READABLE_BY_OWNER), "ab") as file:
            file.write(msgspec.json.encode(one) + b"\n")
            file.flush()
            os.fsync(file.fileno())


class SeedKeeper:
    """Does what a match asks of the seeds of one seat."""

    def __init__(
        self,
        sitting: Sitting,
        record: Callable[[str], Awaitable[bytes]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        """Make the seeds of this seat.

        Args:
            sitting: The seat.
            record: Asks for the record of a stream.
            send: Sends a command of the seat.
        """
        self._sitting = sitting
        self._record = record
        self._send = send
        self._done: set[tuple[int, str]] = set()
        self.seeds = SeedFile(sitting.kept.file.with_name(f"{sitting.kept.file.name}.seeds"))

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
            await self._commit(view, deal, seat)
        elif step[1] == "logged":
            await self._open(step[0], seat)
        self._done.add(step)

    async def _commit(self, view: Json, deal: Json, seat: Seat) -> None:
        number, root = int(deal["number"]), bytes.fromhex(deal["root"])
        policy: Policy = "all" if view["policy"] == "all" else "shown"
        cups = tuple(Cup(*row) for row in deal["cups"])
        ctx = context(
            bytes.fromhex(self._sitting.match.replace("-", "")), number, rules_hash(view["rules"]), policy, cups
        )
        seed = seed_from(self._key(), ctx, root, seat)
        commit = seed_commitment(seed, ctx, root, seat).hex()
        # A crash behind this line leaves a seed that is committed to, or not, by whoever comes back: it is made again.
        self.seeds.keep(KeptSeed(number, commit, seed.hex()))
        await self._send({"type": "commit_seed", "deal": number, "commit": commit})

    async def _open(self, number: int, seat: Seat) -> None:
        stream = f"match/{self._sitting.match}"
        deal = deal_of(await self._record(stream), stream, number, self._sitting.kept.policy)
        if deal.stage != "logged":
            # The deal has gone on meanwhile, or was given up: nobody waits for a seed any more.
            return
        fixed, kept = deal.commits.get(seat), self.seeds.of(number)
        seed = next((one.seed for one in kept if one.commit == fixed), None) or self._made(deal, fixed, seat)
        if seed is None and not kept:
            # Another program of this seat has made it from another key, and that opens it.
            return
        if seed is None:
            raise Untrue("seed", seat=str(seat))
        if seed_commitment(bytes.fromhex(seed), deal.ctx, deal.root, seat).hex() != fixed:
            raise Untrue("context", seat=str(seat))
        await self._send({"type": "open_seed", "deal": number, "seed": seed})

    def _made(self, deal: Open, fixed: str | None, seat: Seat) -> str | None:
        """Return the seed that our key makes, if that is the one that was fixed."""
        seed = seed_from(self._key(), deal.ctx, deal.root, seat)
        return seed.hex() if seed_commitment(seed, deal.ctx, deal.root, seat).hex() == fixed else None

    def _key(self) -> bytes:
        return key_of(self._sitting)


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
        self._sitting = sitting
        self._record = record
        self._own = own
        self._send = send
        self._seeds = SeedFile(sitting.kept.file.with_name(f"{sitting.kept.file.name}.seeds"))

    async def look(self, board: str) -> bool:
        """Give the deal of a board what it waits for; report whether it waits for nothing of this seat any more.

        Raises:
            Untrue: The deal is not the one that was committed to.
            CannotDo: The server says no, or nobody answers.
        """
        own = await self._own(board)
        drawer, number = own["drawer"], int(own["deal"])
        if drawer is None or own["stage"] in {"ready", "closed"}:
            return True
        if own["awaits"] is not None:
            stream = f"board/{board}"
            deal = deal_of(await self._record(stream), stream, number, self._sitting.kept.policy)
            await (self._commit if own["awaits"] == "commit" else self._open)(board, deal, int(drawer))
        return False

    async def _commit(self, board: str, deal: Open, drawer: Seat) -> None:
        seed = seed_from(key_of(self._sitting), deal.ctx, deal.root, drawer)
        commit = seed_commitment(seed, deal.ctx, deal.root, drawer).hex()
        # A crash behind this line leaves a seed that is committed to, or not, by whoever comes back: it is made again.
        self._seeds.keep(KeptSeed(deal.number, commit, seed.hex()))
        await self._send(board, {"type": "commit_seed", "deal": deal.number, "commit": commit})

    async def _open(self, board: str, deal: Open, drawer: Seat) -> None:
        fixed = deal.commits.get(drawer)
        seed = next((one.seed for one in self._seeds.of(deal.number) if one.commit == fixed), None)
        # The deal has gone on meanwhile, or another program of this seat has fixed a seed, and opens it.
        if deal.stage != "logged" or seed is None:
            return
        await self._send(board, {"type": "open_seed", "deal": deal.number, "seed": seed})


def board_asking(view: Json) -> str | None:
    """Return the board that may ask a seat for seeds, which has its own, as long as the match knows no dice."""
    board, seat = view["rules"].get("board"), view["viewer"]
    if board is None or seat is None or view["deal"] is not None or not _draws_its_own(view, seat):
        return None
    return str(board["id"])


def _draws_its_own(view: Json, seat: Seat) -> bool:
    return any(one["seat"] == seat and one["custody"] == "client" for one in view["seats"])
