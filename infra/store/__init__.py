"""The event store: what it takes, what it answers, and what it promises.

A store carries lines of bytes and knows no dice. Positions are dense and in commit order in each shard, so a reader
that has seen a position has seen everything before it. An append is one transaction: the lines, the command with its
answer, the wrapped secrets, the lines of the access stream, the anchors for the transparency log, names and tokens; all
of it or nothing.

In reading order:

    people          names, cards, tokens and notes: values, and what a store has to do about them
    postgres        the store in Postgres
    lending         connections, lent for a time
    writer          group commit
    joining         batches of several shards in one commit
    batches         what a commit takes and answers
    sets            several commands as one, stored all or none
    turns           one program after the other, at a stream that all of them append to
    transparency    the transparency log: values, what a store has to do about it, its tables
    erasable        the tables of people
    comments        comments: values, what a store has to do about them, their tables
    hooks           webhooks: values, what a store has to do about them, their tables
    primaries       shards spread over several databases
    memory          the double that passes the same contract
    migrate         the schema, forward only
    logins          roles of the database
    rewrapping      secrets under another key
    backups         all of it kept elsewhere, put back, read to be checked
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from msgspec import Struct

from infra.store.comments import CommentStore
from infra.store.hooks import Webhooks
from infra.store.people import (
    DELAY_MS_MAX,
    BesideMatches,
    BesideTournaments,
    Card,
    Cards,
    Choices,
    NotedText,
    Notes,
    People,
    PlayerTables,
    StoredToken,
)
from infra.store.transparency import CoveredAnchor, PendingAnchor, TransparencyStore

__all__ = [
    "DELAY_MS_MAX",
    "BesideTournaments",
    "Card",
    "Cards",
    "Choices",
    "CoveredAnchor",
    "NotedText",
    "Notes",
    "PendingAnchor",
    "People",
    "PlayerTables",
    "StoredToken",
    "TransparencyStore",
]

BEAT_AHEAD_MAX_MS: Final = 86_400_000
"""A heartbeat further ahead than a day was never right, and is forgotten at the next."""
MISSED_MS: Final = 2_000
"""How long ago somebody may have left word, in milliseconds, before it counts that nobody was there."""
SHORT_MS: Final = 5_000
"""A stay that was shorter than this, in milliseconds, before nobody was there again, parts no gap in two."""
GAPS_MAX: Final = 64
"""How many gaps are kept: a dealer that stays for a while walks all matches after each."""
CHAIN_MAX: Final = 128
"""How many commands of one stream are stored at once: others of its shard wait for as long."""
SET_MAX: Final = 512
"""How many streams are written to at once: others wait for as long."""
SHARDS: Final = 8
"""Logical shards; a stream stays in its shard for ever."""


def shard_of(stream: str) -> int:
    """Return the shard a stream lives in: the same on every machine and in every version."""
    return zlib.crc32(stream.encode()) % SHARDS


class Unavailable(Exception):  # noqa: N818 - named for what happened
    """The store or the bus cannot do it now. Nothing is half done; the caller repeats with the same command id."""


class Away(Unavailable):
    """One of several databases does not answer: what lives there waits, and all else goes on.

    Attributes:
        found: What the others answered, where all were asked.
        shard: The shard that was asked for; None where it was none in particular.
    """

    def __init__(self, why: str, found: Sequence[str] = (), shard: int | None = None) -> None:
        """Say why, what was found elsewhere, and what was asked for."""
        super().__init__(why)
        self.found = list(found)
        self.shard = shard


class Access(Struct, frozen=True):
    """Lines of the access stream that belongs to a stream: what it is called, its version before them, the lines."""

    stream: str
    expected: int
    lines: tuple[bytes, ...]


class Append(Struct, frozen=True):
    """One command and everything that is stored with it.

    Attributes:
        stream: The stream it writes to.
        expected: How many lines the stream must have for it to count.
        lines: Event lines, verbatim, without newlines.
        command: Its 32-byte id; a command counts once in its stream.
        fingerprint: The hash of the request it came with.
        answer: What every repeat of it is answered.
        secrets: Wrapped secrets by name.
        anchors: (seq, head, kind) of the lines that go to the transparency log.
        people: (player id, display name).
        tokens: (hash of the token, role, number): that of a seat is for the player whom a line of these seats there,
            that of an entrant for whom one enters under the number, and that of an official, without one, for whom one
            appoints.
        access: What goes to the access stream with it; another version there is a conflict here.
    """

    stream: str
    expected: int
    lines: tuple[bytes, ...]
    command: bytes
    fingerprint: bytes
    answer: bytes
    secrets: tuple[tuple[str, bytes], ...] = ()
    anchors: tuple[tuple[int, str, str], ...] = ()
    people: tuple[tuple[str, str], ...] = ()
    tokens: tuple[tuple[bytes, str, int | None], ...] = ()
    access: Access | None = None


def check_chain(chain: Sequence[Append]) -> None:
    """Assert that commands can be stored as a chain: of one stream, and none of them twice."""
    assert len({one.stream for one in chain}) == 1, "a chain is of one stream"
    assert len({one.command for one in chain}) == len(chain) <= CHAIN_MAX, "no command stands in a chain twice"


def check_set(appends: Sequence[Append]) -> None:
    """Assert that commands can be stored as a set: each of another stream, and not too many."""
    assert 0 < len({one.stream for one in appends}) == len(appends) <= SET_MAX, "a set is of as many streams"


class Appended(Struct, frozen=True):
    """It is stored: the stream's version after it, and the position its shard has reached."""

    version: int
    position: int


class Repeated(Struct, frozen=True):
    """The command was stored before, with this answer."""

    answer: bytes


class KeyReused(Struct, frozen=True):
    """The command id was stored before, for another request."""


class Conflict(Struct, frozen=True):
    """Somebody was first; the stream is at this version."""

    version: int


Outcome = Appended | Repeated | KeyReused | Conflict


class Recorded(Struct, frozen=True):
    """A line with its place in the log."""

    position: int
    stream: str
    seq: int
    line: bytes


RowPlace = tuple[int, str]
"""Where a row stands among others: when it last moved, and its key."""
TOP: Final[RowPlace] = (2**63 - 1, "")


class ProjectionRow(Struct, frozen=True):
    """A row of a projection: its key, the version it shows, its document.

    Attributes:
        shelf: With which others it is read.
        at: When it last moved, in Unix milliseconds.
    """

    key: str
    version: int
    doc: bytes
    shelf: str = ""
    at: int = 0

    @property
    def place(self) -> RowPlace:
        """Where it stands on its shelf."""
        return self.at, self.key


CommitHeard = Callable[[int, Sequence[Recorded]], None]
"""Takes a shard and the lines that a commit has added to it, in the order of their positions; at least one."""


class EventLog(Protocol):
    """The log of all matches, for whoever decides, follows or replays."""

    on_commit: CommitHeard | None
    """Called after each commit of this process."""

    async def append(self, append: Append) -> Outcome:
        """Store a command, or say why not. Cost: one commit, shared with whatever waits at the same time.

        Raises:
            Unavailable: The queue is full, or the database does not answer.
        """

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        """Store commands of one stream, each expecting what the one before it leads to: all of them, or none.

        Where they are not stored, that is said of each: `Repeated` and `KeyReused` of those that stand in the way, and
        `Conflict` of all others. A chain that was stored, and is sent again, is repeated as a whole.

        Cost: one commit, and about as much work as an append for each. At most `CHAIN_MAX` commands, and none of them
        twice: the second would be told of the first, which may be taken back.

        Raises:
            Unavailable: The queue is full, or the database does not answer.
        """

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        """Store commands of as many streams, each of another one: all of them, or none.

        Where they are not stored, that is said of each as of a chain. Cost: one commit, for which others wait who write
        to any of their shards.

        Raises:
            Unavailable: The queue is full, or the database does not answer.
        """

    def turn(self, stream: str) -> AbstractAsyncContextManager[None]:
        """Return the turn of a stream, to be held with `async with` by whoever is about to append much to it.

        Programs that take turns come one after the other, in the order they asked, and are not first in vain. It keeps
        nobody from appending, and whoever waits too long for it goes on without.
        """

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return the lines of a stream after version `after` (those with seq >= `after`), in order, at most `limit`."""

    async def answer(self, stream: str, command: bytes) -> tuple[bytes, bytes] | None:
        """Return the fingerprint and answer stored for a command."""

    async def follow(self, shard: int, after: int, limit: int) -> list[Recorded]:
        """Return the lines of a shard with position > `after`, in order, at most `limit`."""

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard."""

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended: whoever only waits in a lobby is not among them."""

    async def streams_open(self, kind: str) -> list[str]:
        """Return the streams of a kind, the first part of their names, that have begun and not ended."""

    async def check(self) -> None:
        """Do nothing, if the store answers.

        Raises:
            Unavailable: It does not.
        """


class ArchiveStep(Struct, frozen=True):
    """How far somebody has looked for finished matches.

    Attributes:
        looked: The last stream that was looked at; None if there is none to look at.
        moved: Whether it was moved.
    """

    looked: str | None
    moved: bool


class Archive(Protocol):
    """Where finished matches are kept in less room. Whoever reads or follows the log sees no difference."""

    async def archive_next(self, shard: int, after: str, before: int) -> ArchiveStep:
        """Move one finished match of a shard, if one is found among the next behind the stream `after`.

        It has ended before `before`, in Unix milliseconds, and waits for no anchor. Cost: some hundred microseconds for
        each that is looked at; appends to the shard wait while one is moved, for some milliseconds.
        """


class AccessStreams(Protocol):
    """The access streams beside the log: who was served which hidden dice."""

    async def read_access(self, stream: str, after: int = 0) -> list[bytes]:
        """Return the lines of an access stream with seq >= `after`, in order."""

    async def append_access(self, stream: str, access: Access) -> bool:
        """Store lines of the access stream of this stream; False if it has another version. Cost: one commit."""


class DealVault(Protocol):
    """The secrets of deals, wrapped; only dealers and relays may read them."""

    async def secrets(self, stream: str) -> dict[str, bytes]:
        """Return the wrapped secrets of a stream by name; needs the role of a dealer or of a relay."""


class Projections(Protocol):
    """Rows that are made again from the log, and how far each projection has come."""

    async def cursor(self, name: str, shard: int) -> int:
        """Return how far a projection has come in a shard; 0 at the start."""

    async def save_projection(self, name: str, shard: int, position: int, rows: Sequence[ProjectionRow]) -> None:
        """Store rows, where what is there is no newer, and how far the projection has come."""

    async def projection(self, name: str, shelf: str, limit: int, before: RowPlace = TOP) -> list[ProjectionRow]:
        """Return at most `limit` rows of a shelf that stand before this place, the latest first."""


class WordsLeft(Struct, frozen=True):
    """Who was there when, in Unix milliseconds.

    Attributes:
        last: When somebody last left word.
        gaps: Times in which nobody was there, from one word to the next, in order; the last `GAPS_MAX` of them.
    """

    last: int
    gaps: tuple[tuple[int, int], ...]


class Heartbeats(Protocol):
    """When somebody was last there to keep time, and when nobody was."""

    async def heartbeat(self, at: int, since: int = 0) -> WordsLeft:
        """Leave word, and keep the time before it as a gap, if that is long; return what counts after that.

        Args:
            at: When somebody is there, in Unix milliseconds.
            since: Since when he has been there, without a gap: what lies between the last word and this time is one,
                where it is longer than `MISSED_MS`; 0 if that is as long as others know.
        """

    async def last_words(self) -> WordsLeft | None:
        """Return who was there when; None in a house in which nobody was ever."""


class EventStore(
    EventLog,
    Archive,
    AccessStreams,
    DealVault,
    People,
    Cards,
    Notes,
    BesideMatches,
    BesideTournaments,
    PlayerTables,
    Projections,
    Heartbeats,
    TransparencyStore,
    Webhooks,
    CommentStore,
    Protocol,
):
    """All of it: what a store has to do. Whoever needs less asks for one of the parts above."""
