"""Promises to those who ask, watch and audit, held against the database once a story has come to its end."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain import commands
from domain.audit.access import stream_of as access_of
from domain.log import canonical
from domain.log.policies import policy_of
from infra.store.postgres import PostgresStore
from services.audit.verdict import LAYERS, Evidence, verdict_of
from services.matches.requests import Answer
from services.program.app import HouseProgram
from tests.crashpoints.story import Story, Told

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
        self._matches = program.matches()
        self._program = program
        self._store = store
        self._story = story
        self._known = known
        self._violate = violate

    async def check(self) -> None:
        """Wait until all is at rest, and check everything; what does not hold is told."""
        await self._come_to_rest()
        for match in self._story.matches:
            await self._check_match(match)
        await self._check_plays()
        await self._check_house()

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

    async def _check_match(self, match: str) -> None:
        stream = f"match/{match}"
        lines = await self._store.read(stream)
        heads = [hashlib.sha256(line).hexdigest() for line in lines]
        stored = {row["command"]: row["answer"] for row in await self._store.ask(COMMANDS, stream)}
        answers = [msgspec.json.decode(answer, type=Answer) for answer in stored.values()]
        ends = sorted(answer.version for answer in answers)
        self._hold(len(set(ends)) == len(ends), f"{stream}: two commands have led to the same version")
        self._hold(ends[-1:] == [len(lines)], f"{stream}: lines stand behind the last command")
        for answer in answers:
            self._hold(heads[answer.version - 1] == answer.head, f"{stream}: an answer names another line")
        for told in self._story.told.values():
            if told.stream == stream and told.command:
                self._check_answer(told, stored.get(told.command))
        await self._check_frames(match, len(lines))
        await self._check_record(match)

    def _check_answer(self, told: Told, stored: bytes | None) -> None:
        if stored is None:
            self._violate(f"{told.step} was acknowledged and is not there")
            return
        kept, answer = msgspec.json.decode(stored, type=Answer), msgspec.json.decode(told.answer, type=Answer)
        public = replace(answer, token=None, invite=None, host=None)
        self._hold(kept == public, f"{told.step} was answered otherwise than is stored")

    async def _check_frames(self, match: str, end: int) -> None:
        seen = self._story.seen.get(match, {})
        due = await self._matches.frames(UUID(match), None, 0, end)
        same = seen == {version: hashlib.sha256(frame).digest() for version, frame in enumerate(due, start=1)}
        self._hold(same, f"match/{match}: spectators were shown other frames than the log makes")

    async def _check_record(self, match: str) -> None:
        house, stream = self._program.matches(), f"match/{match}"
        record, access = await house.record(UUID(match)), await self._store.read_access(access_of(UUID(match)))
        answers = [
            msgspec.json.decode(told.answer, type=Answer) for told in self._story.told.values() if told.stream == stream
        ]
        receipts = tuple(answer.receipt for answer in answers if answer.receipt)
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

    async def _check_house(self) -> None:
        """Hold what stands around the matches: no stream that nobody has begun, each anchor once."""
        found = await self._store.ask(STREAMS)
        streams = {row["stream"]: row["ended"] for row in found}
        versions = {row["stream"]: row["version"] for row in found}
        known = self._known | {f"match/{match}" for match in self._story.matches}
        self._hold(streams.keys() == known, f"streams that nobody was told of: {sorted(streams.keys() ^ known)}")
        rows = {f"match/{row['key']}": row["version"] for row in await self._store.ask(LOBBY, self._story.matches)}
        self._hold(rows.items() <= versions.items(), f"the lobby is at {rows}")
        self._hold(len(rows) == len(self._story.matches), "a match is not in the lobby")
        self._hold(all(streams.values()), "a match has not ended")
        (tree,) = await self._store.ask(TREE)
        whole = tree["size"] == tree["entries"] == tree["anchors"] == tree["end"]
        self._hold(whole, f"the transparency log is not whole: {dict(tree)}")
