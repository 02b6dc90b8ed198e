"""The store's double for tests and for trying things out: the same promises, kept only as long as the process lives."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from infra.store import (
    BEAT_AHEAD_MAX_MS,
    GAPS_MAX,
    MISSED_MS,
    SHORT_MS,
    TOP,
    Access,
    Append,
    Appended,
    ArchiveStep,
    Card,
    CommitHeard,
    Conflict,
    KeyReused,
    NotedText,
    Outcome,
    PendingAnchor,
    ProjectionRow,
    Recorded,
    Repeated,
    RowPlace,
    StoredToken,
    WordsLeft,
    shard_of,
)
from infra.store.comments.memory import MemoryComments
from infra.store.hooks.memory import MemoryHooks
from infra.store.people import StoredBotTurn, StoredScreening
from infra.store.sets.memory import MemorySets
from infra.store.transparency.memory import MemoryTransparency

_LAST: Final = ("match.ended", "tournament.closed", "board.closed", "season.closed")
"""What ends a stream, by its kind."""
_HOLDERS: Final = {
    "seat.joined": ("seat", "player"),
    "player.registered": ("number", "player"),
    "official.appointed": (None, "official"),
}
"""By the type of a line, its member with the number, and the one that says who has it."""


class MemoryStore(MemoryComments, MemoryHooks, MemorySets, MemoryTransparency):
    """Everything in dictionaries; an append happens between two awaits, so it is a transaction."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self.on_commit: CommitHeard | None = None
        self._access: dict[str, list[bytes]] = {}
        self._commands: dict[tuple[str, bytes], tuple[bytes, bytes]] = {}
        self._secrets: dict[str, dict[str, bytes]] = {}
        self._names: dict[str, str] = {}
        self._salts: dict[str, bytes] = {}
        self._erased: set[str] = set()
        self._cards: dict[str, Card] = {}
        self._own_seeds: dict[str, set[str]] = {}
        self._screenings: dict[str, StoredScreening] = {}
        self._bot_turns: dict[str, dict[int, StoredBotTurn]] = {}
        self._players: dict[str, bytes] = {}
        self._player_tokens: dict[bytes, tuple[str, bytes | None]] = {}
        self._entries_of: dict[str, set[str]] = {}
        self._notes: dict[tuple[str, str], NotedText] = {}
        self._tokens: dict[bytes, StoredToken] = {}
        self._ended: set[str] = set()
        self._rows: dict[str, dict[str, ProjectionRow]] = {}
        self._heartbeat: int | None = None
        self._gaps: tuple[tuple[int, int], ...] = ()
        self._turns: dict[str, asyncio.Lock] = {}

    async def append(self, append: Append) -> Outcome:
        """Store a command, or say why not."""
        return self._append(append)

    def _append(self, append: Append) -> Outcome:
        against = self._against(append)
        if against is not None:
            return against
        self._add_access(append.access)
        shard = shard_of(append.stream)
        for line in append.lines:
            self._add(shard, append.stream, line)
        self._commands[append.stream, append.command] = (append.fingerprint, append.answer)
        self._secrets.setdefault(append.stream, {}).update(append.secrets)
        self._outbox.update({PendingAnchor(append.stream, *anchor): None for anchor in append.anchors})
        self._names.update(append.people)
        holders = _holders_in(append.lines) if append.tokens else {}
        for digest, role, number in append.tokens:
            self._tokens[digest] = StoredToken(append.stream, role, number, holders.get(number))
        position = len(self._log[shard])
        if self.on_commit is not None:
            self.on_commit(shard, self._log[shard][position - len(append.lines) :])
        return Appended(append.expected + len(append.lines), position)

    def _against(self, append: Append) -> Outcome | None:
        known = self._commands.get((append.stream, append.command))
        if known is not None:
            return Repeated(known[1]) if known[0] == append.fingerprint else KeyReused()
        version, access = len(self._streams.get(append.stream, ())), append.access
        moved = access is not None and len(self._access.get(access.stream, ())) != access.expected
        return Conflict(version) if version != append.expected or moved else None

    def turn(self, stream: str) -> AbstractAsyncContextManager[None]:
        """Return the turn of a stream."""
        return self._turns.setdefault(stream, asyncio.Lock())

    def _add(self, shard: int, stream: str, line: bytes) -> None:
        document = _append_line(self._streams.setdefault(stream, []), stream, line)
        self._log[shard].append(Recorded(len(self._log[shard]) + 1, stream, document["seq"], line))
        if document["type"] in _LAST:
            self._ended.add(stream)

    def _grown(self, stream: str) -> tuple[int, bool]:
        return len(self._streams.get(stream, ())), stream in self._ended

    def _add_access(self, access: Access | None) -> bool:
        if access is None:
            return True
        lines = self._access.setdefault(access.stream, [])
        if len(lines) != access.expected:
            return False
        for line in access.lines:
            document = _append_line(lines, access.stream, line)
            if document["type"] == "access.closed":
                head = hashlib.sha256(line).hexdigest()
                self._outbox[PendingAnchor(access.stream, document["seq"], head, "final")] = None
        return True

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return the lines of a stream from a version on."""
        return self._streams.get(stream, [])[after : after + limit]

    async def read_access(self, stream: str, after: int = 0) -> list[bytes]:
        """Return the lines of an access stream from a version on."""
        return self._access.get(stream, [])[after:]

    async def append_access(self, stream: str, access: Access) -> bool:
        """Store lines of an access stream."""
        assert stream in self._streams
        return self._add_access(access)

    async def answer(self, stream: str, command: bytes) -> tuple[bytes, bytes] | None:
        """Return the fingerprint and answer stored for a command."""
        return self._commands.get((stream, command))

    async def follow(self, shard: int, after: int, limit: int) -> list[Recorded]:
        """Return the lines of a shard after a position."""
        return self._log[shard][after : after + limit]

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard."""
        return {shard: len(log) for shard, log in self._log.items()}

    async def archive_next(self, shard: int, after: str, before: int) -> ArchiveStep:  # noqa: ARG002 - as the contract says
        """Move nothing: memory has no room to save that would outlive the program."""
        return ArchiveStep(None, moved=False)

    async def secrets(self, stream: str) -> dict[str, bytes]:
        """Return the wrapped secrets of a stream by name."""
        return dict(self._secrets.get(stream, {}))

    async def names(self, players: Iterable[str]) -> dict[str, str]:
        """Return the names of these players."""
        return {player: self._names[player] for player in players if player in self._names}

    async def keep_salt(self, player: str, salt: bytes) -> None:
        """Keep the salt of a name."""
        if player in self._names:
            self._salts.setdefault(player, salt)

    async def salts(self, players: Iterable[str]) -> dict[str, bytes]:
        """Return the salts of these players' names."""
        return {player: self._salts[player] for player in players if player in self._salts}

    async def erase_name(self, player: str) -> bool:
        """Erase what somebody is called, and report whether there was a name."""
        if player.startswith("bot/") or self._names.pop(player, None) is None:
            return False
        self._salts.pop(player, None)
        self._entries_of.pop(player, None)
        self._erased.add(player)
        return True

    async def erasures(self) -> int:
        """Count the names that were erased."""
        return len(self._erased)

    async def token(self, digest: bytes) -> StoredToken | None:
        """Return whom a token was given to."""
        return self._tokens.get(digest)

    async def card(self, stream: str) -> Card | None:
        """Return the card of a stream."""
        return self._cards.get(stream)

    async def keep_card(self, stream: str, card: Card) -> Card | None:
        """Keep a card for a stream that has not begun."""
        if stream not in self._streams:
            self._cards.setdefault(stream, card)
        return self._cards.get(stream)

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended."""
        return sorted({stream for stream, kept in self._secrets.items() if kept} - self._ended)

    async def streams_open(self, kind: str) -> list[str]:
        """Return the streams of a kind that have begun and not ended."""
        return sorted(stream for stream in self._streams.keys() - self._ended if stream.startswith(f"{kind}/"))

    async def keep_own_seeds(self, stream: str, player: str) -> None:
        """Remember that somebody draws the own seeds."""
        self._own_seeds.setdefault(stream, set()).add(player)

    async def own_seeds(self, stream: str) -> frozenset[str]:
        """Return who draws the own seeds."""
        return frozenset(self._own_seeds.get(stream, ()))

    async def keep_screening(self, stream: str, found: StoredScreening) -> None:
        """Keep what came of screening a tournament."""
        kept = self._screenings.get(stream)
        if kept is None or kept.upto < found.upto:
            self._screenings[stream] = found

    async def screening(self, stream: str) -> StoredScreening | None:
        """Return what came of screening a tournament."""
        return self._screenings.get(stream)

    async def keep_bot_turn(self, stream: str, turn: StoredBotTurn) -> StoredBotTurn:
        """Keep how a turn is about to be taken, and return what is kept."""
        return self._bot_turns.setdefault(stream, {}).setdefault(turn.version, turn)

    async def bot_turns(self, stream: str) -> list[StoredBotTurn]:
        """Return how turns of a stream were taken."""
        return [turn for _, turn in sorted(self._bot_turns.get(stream, {}).items())]

    async def keep_player(self, player: str, fingerprint: bytes, name: str, digest: bytes) -> bytes:
        """Make a player known, and return the fingerprint of the request that did."""
        if player not in self._players:
            self._players[player], self._names[player] = fingerprint, name
            self._player_tokens[digest] = (player, None)
        return self._players[player]

    async def is_player(self, player: str) -> bool:
        """Report whether a player of this id is known."""
        return player in self._players

    async def player_of(self, digest: bytes) -> str | None:
        """Return whose token has this hash, if it counts."""
        player, renewed = self._player_tokens.get(digest, (None, None))
        return player if renewed is None else None

    async def renew_player_token(self, digest: bytes, renewed: bytes) -> str | None:
        """Let a token follow another, and return whose it is."""
        player, before = self._player_tokens.get(digest, (None, None))
        if player is not None and before is None:
            self._player_tokens |= {digest: (player, renewed), renewed: (player, None)}
        return player if before in {None, renewed} else None

    async def erase_player(self, player: str) -> None:
        """Erase what a player is called and has entered."""
        self._entries_of.pop(player, None)
        if player in self._players:
            await self.erase_name(player)

    async def keep_entry(self, player: str, stream: str) -> None:
        """Remember that a player is about to enter a tournament."""
        self._entries_of.setdefault(player, set()).add(stream)

    async def entries(self, player: str) -> list[str]:
        """Return the streams of the tournaments that a player has entered."""
        return sorted(self._entries_of.get(player, ()))

    async def keep_note(self, stream: str, note: NotedText) -> None:
        """Keep a text that a line of this stream is going to name."""
        self._notes.setdefault((stream, note.note), note)

    async def notes(self, stream: str) -> list[NotedText]:
        """Return the texts of a stream that were not erased."""
        return [note for (whose, _), note in sorted(self._notes.items()) if whose == stream]

    async def erase_note(self, stream: str, note: str) -> bool:
        """Erase a text, and report whether there was one."""
        return self._notes.pop((stream, note), None) is not None

    async def cursor(self, name: str, shard: int) -> int:
        """Return how far a projection has come."""
        return self._cursors.get((name, shard), 0)

    async def save_projection(self, name: str, shard: int, position: int, rows: Sequence[ProjectionRow]) -> None:
        """Store newer rows and the cursor."""
        stored = self._rows.setdefault(name, {})
        for row in rows:
            if row.key not in stored or stored[row.key].version <= row.version:
                stored[row.key] = row
        self._cursors[name, shard] = max(position, self._cursors.get((name, shard), 0))

    async def projection(self, name: str, shelf: str, limit: int, before: RowPlace = TOP) -> list[ProjectionRow]:
        """Return at most `limit` rows of a shelf that stand before this place, the latest first."""
        found = [row for row in self._rows.get(name, {}).values() if row.shelf == shelf and row.place < before]
        return sorted(found, key=lambda row: row.place, reverse=True)[:limit]

    async def heartbeat(self, at: int, since: int = 0) -> WordsLeft:
        """Leave word, keep the time before it as a gap where it is long, and return what counts after that."""
        before, farthest = self._heartbeat, at + BEAT_AHEAD_MAX_MS
        if before is None or before > farthest:
            self._gaps = tuple(
                (began, since if began <= at and ended > farthest else ended)
                for began, ended in self._gaps
                if ended <= farthest or began > at or since - began > MISSED_MS
            )
        elif since - before > MISSED_MS:
            goes_on = bool(self._gaps) and before - self._gaps[-1][1] <= SHORT_MS
            kept, began = (self._gaps[:-1], self._gaps[-1][0]) if goes_on else (self._gaps, before)
            self._gaps = (*kept, (began, since))[-GAPS_MAX:]
        self._heartbeat = at if before is None or before > farthest else max(before, at)
        return WordsLeft(self._heartbeat, self._gaps)

    async def last_words(self) -> WordsLeft | None:
        """Return who was there when."""
        return None if self._heartbeat is None else WordsLeft(self._heartbeat, self._gaps)

    async def check(self) -> None:
        """Do nothing: memory always answers."""


def _holders_in(lines: Sequence[bytes]) -> dict[int | None, str]:
    """Return whom these lines seat, enter and appoint, by seat and by number; an official has none."""
    documents = [json.loads(line) for line in lines]
    named = ((_HOLDERS[one["type"]], one["data"]) for one in documents if one["type"] in _HOLDERS)
    return {data.get(number): data[holder] for (number, holder), data in named}


def _append_line(lines: list[bytes], stream: str, line: bytes) -> dict[str, Any]:
    """Add a line to those of its stream, and return what it holds."""
    document: dict[str, Any] = json.loads(line)
    prev = hashlib.sha256(lines[-1]).hexdigest() if lines else "0" * 64
    if (document["prev"], document["seq"], document["stream"]) != (prev, len(lines), stream):
        raise ValueError("the line does not follow the one before it")
    lines.append(line)
    return document
