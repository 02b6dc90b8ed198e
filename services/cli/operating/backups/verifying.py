"""A house held against itself: every stream a chain, the tree made of its entries, each checkpoint its root.

What is held against what:

- all shards are here, each at the primary where it lives; each stream is in its own, and each line is of one of them;
- each stream has the lines that it says it has, each follows the one before it (CUP/1 section 4.4), and together the
  streams of a shard take every position up to its last, once;
- what a command was answered, and is answered again if it is repeated, names the hash of the line it led to;
- each entry of the transparency log, and each that is to become one, names the hash of a line that is there;
- what other primaries have kept of the log is in the log at home;
- the hashes of the tree follow from the entries, and each checkpoint has the root of as many of them;
- the newest checkpoint is signed as the policy asks that it was published under;
- no token, secret or answer is of a stream that is not there, and no projection has seen more than there is;
- what projections have made of lines is what comes of these lines (`rebuilding`).

Taken as it is, for no line says it: who has which token, what people are called, what they wrote beside lines, and
secrets that the key closes.

Whether matches were played by the rules is for audits of their records.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Sequence
from typing import Final

import msgspec
from msgspec import Struct, field

from domain.fairness.chain import Link, next_link
from domain.fairness.faults import Fault
from domain.log import merkle
from domain.log.checkpoints import checkpoint_of
from domain.log.notes import Malformed
from domain.log.policies import Policy, Untrusted, accept, policy_of
from domain.log.proofs import anchor_entry
from infra.keys import ed25519_verify
from infra.store import SHARDS, shard_of
from infra.store.backups.snapshot import Snapshot, StoredNote, StoredStream
from services.cli.operating.backups.rebuilding import Rebuilding

ENTRIES_EACH: Final = 4_096
"""Entries that are looked at together."""
FAULTS_MAX: Final = 20
"""So many are told: who finds one more looks at the first."""
Tell = Callable[[int, int], None]
"""Told how many lines were looked at, of how many."""


class StoredAnswer(Struct, frozen=True):
    """An answer to a command, as far as lines say it: how many there were then, and the hash of the last."""

    version: int = 0
    head: str | None = None


class DatabaseFindings(Struct):
    """What was found.

    Attributes:
        streams: How many streams there are.
        lines: How many lines they have.
        answers: How many stored answers name a line that is there.
        entries: How many entries the transparency log has.
        anchored: How many of these name a line that is there.
        checkpoint: The newest checkpoint, if there is one.
        policy: The policy in force, if there is one.
        seen_by: Which witnesses have seen the newest checkpoint, and when, in Unix seconds.
        rows: How many rows of lists and counts were made again from lines.
        unread: How many streams this program cannot read, whose rows are taken as they are.
        faults: What is wrong, in words.
        is_broken: Whether more is wrong than rows that can be made again from lines that hold.
    """

    streams: int = 0
    lines: int = 0
    answers: int = 0
    entries: int = 0
    anchored: int = 0
    checkpoint: str | None = None
    policy: Policy | None = None
    seen_by: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    unread: int = 0
    faults: list[str] = field(default_factory=list)
    is_broken: bool = False

    def add_fault(self, what: str) -> None:
        """Note what is wrong, and cannot be made again from lines."""
        self.is_broken = True
        self.add_stale(what)

    def add_stale(self, what: str) -> None:
        """Note what is wrong, unless enough is known to be: a row that can be made again, if nothing else is."""
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(what)


async def verify(snapshot: Snapshot, tell: Tell) -> DatabaseFindings:
    """Return what is wrong with a house. Cost: each line and each entry is read and hashed once."""
    found = DatabaseFindings(entries=await snapshot.size())
    positions = await snapshot.positions()
    if positions.keys() != set(range(SHARDS)):
        found.add_fault(f"{len(positions.keys() & set(range(SHARDS)))} of the {SHARDS} shards are open here")
    for fault in [*await snapshot.misplaced(), *await snapshot.copied_entries_amiss()]:
        found.add_fault(fault)
    rebuilding = Rebuilding(snapshot, found.add_fault, found.add_stale)
    for shard, last in positions.items():
        await _look_at_shard(snapshot, shard, last, found, rebuilding, lambda seen: tell(seen, sum(positions.values())))
    await rebuilding.finish()
    found.rows, found.unread = rebuilding.rows, rebuilding.unread
    strays = await snapshot.line_count() - found.lines
    if strays:
        found.add_fault(f"there are {strays} lines of no stream")
    for what, count in (await snapshot.strays()).items():
        if count:
            found.add_fault(f"there are {count} {what} of no stream")
    for name, shard in await snapshot.projections_ahead():
        found.add_fault(f"the projection {name} has seen more of shard {shard} than there is")
    await _look_at_served(snapshot.served(), snapshot, found)
    await _look_at_log(snapshot, found)
    return found


async def _look_at_shard(
    snapshot: Snapshot,
    shard: int,
    last: int,
    found: DatabaseFindings,
    rebuilding: Rebuilding,
    tell: Callable[[int], None],
) -> None:
    taken = bytearray(last + 1)
    async for stream in snapshot.streams(shard):
        found.streams += 1
        found.lines += len(stream.lines)
        if len(stream.lines) != stream.version:
            found.add_fault(f"{stream.name} has {len(stream.lines)} lines, and not {stream.version}")
        if shard_of(stream.name) != shard:
            found.add_fault(f"{stream.name} is in shard {shard}, where nobody looks for it")
        if not _take(taken, stream):
            found.add_fault(f"{stream.name} has lines at places of others, or behind the last of shard {shard}")
        heads = await _look_at_lines(snapshot, stream.name, stream.lines, found)
        _look_at_answers(stream.name, await snapshot.answers(shard, stream.name), heads, found)
        await rebuilding.look(shard, stream)
        tell(found.lines)
    gaps = taken[1:].count(0)
    if gaps:
        found.add_fault(f"shard {shard} has no line at {gaps} of its {last} positions")


def _take(taken: bytearray, stream: StoredStream) -> bool:
    """Note the positions of a stream as taken; report whether all were free."""
    for position in stream.positions:
        if not 0 < position < len(taken) or taken[position]:
            return False
        taken[position] = 1
    return len(stream.positions) == len(stream.lines)


async def _look_at_served(
    served: AsyncIterable[tuple[str, list[bytes]]], snapshot: Snapshot, found: DatabaseFindings
) -> None:
    async for name, lines in served:
        await _look_at_lines(snapshot, name, lines, found)


async def _look_at_lines(snapshot: Snapshot, name: str, lines: Sequence[bytes], found: DatabaseFindings) -> list[str]:
    """Follow the chain of a stream, look for the heads that the transparency log gives it, and return them all."""
    heads: list[str] = []
    link: Link | None = None
    try:
        for line in lines:
            link = next_link(line, link)
            heads.append(link.head)
    except Fault as fault:
        found.add_fault(f"{name}, line {len(heads)}: {fault}")
    if link is not None and link.stream != name:
        found.add_fault(f"{name} holds the lines of {link.stream}")
    for seq, kind, entry in await snapshot.anchors(name):
        if seq < len(heads) and entry == anchor_entry(name, seq, heads[seq], kind):
            found.anchored += 1
        else:
            found.add_fault(f"the log has another line {seq} of {name} than there is")
    for seq, head in await snapshot.coming(name):
        if heads[seq : seq + 1] != [head]:
            found.add_fault(f"the log is to have another line {seq} of {name} than there is")
    return heads


def _look_at_answers(name: str, answers: Sequence[bytes], heads: Sequence[str], found: DatabaseFindings) -> None:
    """Hold what commands were answered against the lines that they led to; an answer may name none."""
    for answer in answers:
        try:
            said = msgspec.json.decode(answer, type=StoredAnswer)
        except msgspec.DecodeError:
            found.add_fault(f"{name} has an answer that is none")
            continue
        if said.head is None:
            continue
        if said.version > 0 and heads[said.version - 1 : said.version] == [said.head]:
            found.answers += 1
        else:
            found.add_fault(f"{name} has an answer that names another line {said.version - 1} than there is")


# ---- the transparency log -----------------------------------------------------------------------


async def _look_at_log(snapshot: Snapshot, found: DatabaseFindings) -> None:
    if found.anchored != found.entries and not found.faults:
        found.add_fault(f"{found.entries - found.anchored} entries of the log name streams that are not there")
    size, known = 0, dict[merkle.Place, bytes]()
    while size < found.entries:
        part = await snapshot.entries(size, ENTRIES_EACH)
        if not part or [index for index, _ in part] != list(range(size, size + len(part))):
            found.add_fault(f"the log has no entry {size}, and says that there are {found.entries}")
            break
        notes = await snapshot.notes(size, size + len(part))
        added = dict[merkle.Place, bytes]()
        for index, entry in part:
            new = merkle.new_subtrees(index, merkle.leaf_hash(entry), known)
            known.update(new)
            added.update(new)
            _look_at_notes(notes.get(index + 1, []), index + 1, known, found)
        if await snapshot.hashes(added) != added:
            found.add_fault(f"the hashes of the tree are not those of entries {size} to {size + len(part) - 1}")
        size += len(part)
        known = {place: known[place] for place in merkle.nodes_of([(0, size)])}
    if await snapshot.entries(found.entries, 1):
        found.add_fault(f"the log has more than the {found.entries} entries that it says it has")
    await _look_at_newest(snapshot, found)


def _look_at_notes(
    notes: Sequence[StoredNote], size: int, known: dict[merkle.Place, bytes], found: DatabaseFindings
) -> None:
    for stored in notes:
        try:
            checkpoint = checkpoint_of(stored.note)
        except Malformed as why:
            found.add_fault(f"the checkpoint of size {size} is none: {why}")
            continue
        if (checkpoint.size, checkpoint.root) != (size, merkle.hash_of((0, size), known)):
            found.add_fault(f"the checkpoint of size {size} is not that of the entries there are")


async def _look_at_newest(snapshot: Snapshot, found: DatabaseFindings) -> None:
    """Hold the newest checkpoint against the policy it was published under."""
    policies, newest = await snapshot.policies(), await snapshot.newest()
    try:
        found.policy = policy_of(policies[-1]) if policies else None
        if newest is None:
            return
        found.checkpoint, number = newest
        checkpoint = checkpoint_of(found.checkpoint)
        found.seen_by = accept(policy_of(policies[number - 1]), checkpoint, ed25519_verify)
    except (Malformed, Untrusted, IndexError) as why:
        found.add_fault(f"the newest checkpoint does not meet its policy: {why}")
        return
    if checkpoint.size > found.entries:
        found.add_fault(f"a checkpoint was signed over {checkpoint.size} entries, and there are {found.entries}")
