"""Promises to those who ask, watch and audit, held against the database once a story has come to its end."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from domain import commands
from domain.audit.access import stream_of as access_of
from domain.log import canonical
from domain.log.policies import policy_of
from domain.match.record import PREFIX as MATCH
from domain.tournaments.record import PREFIX as TOURNAMENT
from infra.store.postgres import PostgresStore
from services.audit.verdict import LAYERS, Evidence, verdict_of
from services.program.app import HouseProgram
from tests.crashpoints.story import Eyes, Story, Told

REST_S: Final = 0.01
"""How long to wait before it is looked again whether all has come to rest."""
COMMANDS: Final = "select command, answer from command where stream = $1"
STREAMS: Final = "select stream, version, ended from stream where stream like 'match/%' or stream like 'tournament/%'"
TREE: Final = (
    "select (select size from log_state) as size, count(*) as entries, count(distinct (stream, seq, kind)) as anchors,"
    " coalesce(max(index) + 1, 0) as end, (select count(*) from log_outbox) as waiting,"
    " (select max(size) from log_checkpoint) as covered from log_entry"
)
LOBBY: Final = "select key, version from projection where name = 'lobby' and key = any($1)"
PLAYS: Final = {"game.bid": commands.Bid, "game.challenged": commands.Challenge}
BESIDE: Final = {"token", "invite", "host", "role"}
"""What of an answer follows from the key of the house and is never stored, and whether there is such."""
LINES_MAX: Final = 1_000
"""More than a match has here."""


class _Stamp(Struct, frozen=True):
    """What every stored answer says: where its command has led."""

    version: int
    head: str


class Promises:
    """A story at its end."""

    def __init__(
        self,
        program: HouseProgram,
        store: PostgresStore,
        story: Story,
        known: frozenset[str],
        violate: Callable[[str], None],
    ) -> None:
        """Hold this story against this house; `known` are the streams of stories before it."""
        self._program = program
        self._store = store
        self._story = story
        self._known = known
        self._violate = violate

    async def check(self) -> list[str]:
        """Wait until all is at rest, and check everything; what does not hold is told. Return the streams there are."""
        await self._come_to_rest()
        played = self._story.matches
        for stream in self._story.streams:
            await self._check_stream(stream)
        for match in played:
            await self._check_record(match)
            watched = [eyes.token != "" for eyes in self._story.seen if eyes.match == match]
            self._hold(sorted(watched) == [False, True], f"{MATCH}{match} was not watched from a seat and from beside")
        for eyes in self._story.seen:
            await self._check_frames(eyes)
        await self._check_plays()
        for stream in self._story.streams:
            if stream.startswith(TOURNAMENT):
                played = played + await self._check_event(stream)
        await self._check_house(played)
        return [*self._story.streams, *(f"{MATCH}{match}" for match in played)]

    async def _check_event(self, stream: str) -> list[str]:
        """Hold a tournament against its laws: each round paired once, each table played once; return its matches."""
        lines = [canonical.decode(line) for line in await self._store.read(stream)]
        kinds = Counter(line["type"] for line in lines)
        self._hold(kinds["tournament.closed"] == 1, f"{stream} is not closed: {dict(kinds)}")
        for kind in ("tables.paired", "round.started", "round.closed"):
            rounds = Counter((line["data"]["stage"], line["data"]["round"]) for line in lines if line["type"] == kind)
            self._hold(set(rounds.values()) == {1}, f"{stream} has rounds with {kind} twice, or none")
        matches = [line["data"]["match"] for line in lines if line["type"] == "result.recorded"]
        self._hold(len(set(matches)) == len(matches), f"{stream} has a result twice")
        for match in matches:
            await self._check_stream(f"{MATCH}{match}")
            await self._check_record(match)
        return matches

    async def _come_to_rest(self) -> None:
        """Wait until the transparency log, and who follows the matches, have come as far as these."""
        while await self._late():
            await asyncio.sleep(REST_S)

    async def _late(self) -> bool:
        (tree,) = await self._store.ask(TREE)
        if tree["waiting"] or tree["covered"] < tree["size"]:
            return True
        ends = await self._store.positions()
        return any([await self._store.cursor("lobby", shard) < end for shard, end in ends.items()])

    def _hold(self, holds: bool, what: str) -> None:  # noqa: FBT001 - it reads as a sentence
        if not holds:
            self._violate(what)

    async def _check_stream(self, stream: str) -> None:
        """Hold the lines of a stream against the commands that were stored with them."""
        lines = await self._store.read(stream)
        heads = [hashlib.sha256(line).hexdigest() for line in lines]
        stored = {row["command"]: row["answer"] for row in await self._store.ask(COMMANDS, stream)}
        ends = [msgspec.json.decode(answer, type=_Stamp) for answer in stored.values()]
        versions = sorted(end.version for end in ends)
        self._hold(len(set(versions)) == len(versions), f"{stream}: two commands have led to the same version")
        self._hold(versions[-1:] == [len(lines)], f"{stream}: lines stand behind the last command")
        for end in ends:
            self._hold(heads[end.version - 1] == end.head, f"{stream}: an answer names another line")
        for told in self._story.told.values():
            if told.stream == stream and told.command:
                self._check_answer(told, stored.get(told.command))

    def _check_answer(self, told: Told, stored: bytes | None) -> None:
        """Hold an answer that was given against that which is stored, but for what is never stored."""
        if stored is None:
            self._violate(f"{told.step} was acknowledged and is not there")
            return
        kept, public = (
            {name: value for name, value in msgspec.json.decode(answer).items() if name not in BESIDE}
            for answer in (stored, told.answer)
        )
        self._hold(kept == public, f"{told.step} was answered otherwise than is stored")

    async def _check_frames(self, eyes: Eyes) -> None:
        """Hold what somebody was shown of a match against what the log makes for those eyes."""
        matches, viewer = self._program.matches(), None
        if eyes.token:
            bearer = await matches.bearer(eyes.token)
            assert bearer is not None, "a token that was given out is not known"
            viewer = bearer.holder
        due = await matches.frames(UUID(eyes.match), viewer, 0, LINES_MAX)
        made = {version: hashlib.sha256(frame).digest() for version, frame in enumerate(due, start=1)}
        seat = None if viewer is None else viewer.seat
        self._hold(self._story.seen[eyes] == made, f"match/{eyes.match}, {seat}: other frames were shown than are due")

    async def _check_record(self, match: str) -> None:
        house, stream = self._program.matches(), f"match/{match}"
        record, access = await house.record(UUID(match)), await self._store.read_access(access_of(UUID(match)))
        told = [msgspec.json.decode(one.answer) for one in self._story.told.values() if one.stream == stream]
        receipts = tuple(answer["receipt"] for answer in told if "receipt" in answer)
        beside = Evidence(await house.access(UUID(match)) if access else None, receipts)
        policy = policy_of(await self._program.published.policy_for(record))
        found = verdict_of(record, policy, LAYERS, None, beside)
        self._hold(found.status == "OK" and found.anchored is True, f"{stream}: {found.status}: {found.message}")

    async def _check_plays(self) -> None:
        """Hold what seats are said to have done against what was asked for: each once, in order, nothing else."""
        done: list[commands.Bid | commands.Challenge] = []
        for match in self._story.matches:
            lines = map(canonical.decode, await self._store.read(f"match/{match}"))
            done += [msgspec.convert(line["data"], PLAYS[line["type"]]) for line in lines if line["type"] in PLAYS]
        asked = [one.body for one in self._story.asked.values() if one.body and one.step not in self._story.denied]
        self._hold(done == asked, f"the log has {done}, and {asked} was asked for")

    async def _check_house(self, played: list[str]) -> None:
        """Hold what stands around these matches: no stream that nobody has begun, each anchor once."""
        found = await self._store.ask(STREAMS)
        ended = {row["stream"]: row["ended"] for row in found}
        versions = {row["stream"]: row["version"] for row in found}
        known = self._known | set(self._story.streams) | {f"{MATCH}{match}" for match in played}
        self._hold(ended.keys() == known, f"streams that nobody was told of: {sorted(ended.keys() ^ known)}")
        self._hold(all(ended.values()), f"something has not ended: {ended}")
        rows = {f"{MATCH}{row['key']}": row["version"] for row in await self._store.ask(LOBBY, played)}
        self._hold(len(rows) == len(played) and rows.items() <= versions.items(), f"the lobby is at {rows}")
        (tree,) = await self._store.ask(TREE)
        whole = tree["size"] == tree["entries"] == tree["anchors"] == tree["end"]
        self._hold(whole, f"the transparency log is not whole: {dict(tree)}")
