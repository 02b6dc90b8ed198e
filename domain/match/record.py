"""A match as lines: events encoded into its stream, and read back out of it.

The stored bytes are the truth. A line is written once, by `lines_of`, and from then on only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, get_args
from uuid import UUID

import msgspec
from msgspec import Struct, structs

from domain import events
from domain.events.base import BaseEvent
from domain.fairness.chain import Link
from domain.fairness.shapes import Signed
from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.match import signing
from domain.match.evolve import Match, evolve, new_match
from domain.match.signing import NO_SIGNATURES, Signing
from domain.table.interludes import EVENTS

PREFIX: Final = "match/"
"""What the names of matches' streams begin with: in one log there are streams of other kinds, too."""
GENESIS = "0" * 64
"""The `prev` of a stream's first line (CUP/1 section 4.4)."""
_TAG: Final = re.compile(rb'"type":"([a-z_.]{1,64})","v":([0-9]{1,4})\}\Z')
"""How a canonical line ends: its members stand in the order of their names."""

TYPES: Final[dict[str, type[events.BaseEvent]]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (*get_args(events.Event), *EVENTS)
    if kind is not events.AnyInterludeEvent
}
"""Every event type of a match by its name in the log."""


_SIGNED: Final = b'"signed":{'
"""What stands in each line that is signed, and in others only where a rule is called so."""


class _Envelope(Struct, frozen=True):
    """What is looked for in a line that is known to be one."""

    signed: Signed | None = None


class UnknownVersion(ValueError):  # noqa: N818 - named for what happened
    """A line was written in a version of its type that this program does not know."""


class MatchAtHead(Struct, frozen=True):
    """A match together with the hash its stream ends in, and what the signatures of its seats hang on."""

    match: Match
    head: str
    signing: Signing = NO_SIGNATURES


def is_match(stream: str) -> bool:
    """Report whether a stream is that of a match: whoever follows the log passes over all others."""
    return stream.startswith(PREFIX)


def match_of(stream: str) -> UUID:
    """Return the match whose stream this is.

    Raises:
        ValueError: It is no match's.
    """
    return UUID(stream.removeprefix(PREFIX))


@lru_cache(maxsize=4_096)
def stream_of(match_id: UUID) -> str:
    """Return the name of a match's stream. Every part of a command asks for it, and to spell a UUID takes a while."""
    return f"{PREFIX}{match_id}"


def lines_of(
    match_id: UUID,
    version: Version,
    head: str,
    at: UnixMs,
    happened: Iterable[events.Event],
    signed: Signed | None = None,
) -> tuple[tuple[bytes, ...], str]:
    """Return the lines of these events, to follow the line with hash `head`, and the new head.

    Args:
        match_id: Whose stream it is.
        version: How many lines the stream has.
        head: The hash of the last of them; `GENESIS` for none.
        at: The time of the command, in Unix milliseconds.
        happened: The events, in order.
        signed: Who signed the command that they came of: it stands on the first line.
    """
    return chain(stream_of(match_id), version, head, at, happened, signed)


def chain(
    stream: str,
    version: Version,
    head: str,
    at: UnixMs,
    happened: Iterable[BaseEvent],
    signed: Signed | None = None,
) -> tuple[tuple[bytes, ...], str]:
    """Return the lines of events in a stream of any kind, and the new head; otherwise as `lines_of`."""
    lines: list[bytes] = []
    first = None if signed is None else structs.asdict(signed)
    for seq, event in enumerate(happened, start=version):
        line = canonical.line(stream, seq, head, at, events.type_of(event), events.data_of(event), first)
        first = None
        head = canonical.head(line)
        lines.append(line)
    return tuple(lines), head


def goes_on(line: bytes, following: bytes) -> bool:
    """Report whether the next line of a stream was stored by the same command: only then has it the same time.

    In lines from before this was so, two commands of one millisecond read as one. Cost: a look at either's beginning.
    """
    # Members stand in the order of their names, and `at` is the first (CUP/1 section 4.3).
    return line.partition(b",")[0] == following.partition(b",")[0]


def tag_of(line: bytes) -> tuple[str, int] | None:
    """Return the type of a line and the version of it, without taking the line apart; None if it names none.

    Cost: a look at the end of the line.
    """
    found = _TAG.search(line, max(0, len(line) - 96))
    return None if found is None else (found[1].decode(), int(found[2]))


def is_known(line: bytes) -> bool:
    """Report whether this program knows the type of a line, and in this version. Cost: that of `tag_of`."""
    tag = tag_of(line)
    return tag is not None and tag[0] in TYPES and tag[1] == 1


def decode(kind: str, data: dict[str, Any]) -> events.Event:
    """Return the event of this type with these members.

    Raises:
        msgspec.ValidationError: The members are not exactly those of the type, or not of their types.
        KeyError: No event of a match has this type.
    """
    decoded: Any = msgspec.convert(data, TYPES[kind])
    event: events.Event = decoded
    return event


def said_by(line: bytes) -> tuple[str, dict[str, Any], UnixMs]:
    """Return what a line of a stream of any kind says: its type, its members, and its time in Unix milliseconds.

    Raises:
        NotCanonical: The line is none.
        UnknownVersion: Another version of the program wrote it, in another version of its type.
        KeyError: It lacks a member.
    """
    document = canonical.decode(line)
    if (type(document["v"]), document["v"]) != (int, 1):
        raise UnknownVersion("a line of another version")
    return document["type"], document["data"], document["at"]


def event_of(line: bytes) -> tuple[events.Event, int]:
    """Return the event a line holds and its time in Unix milliseconds.

    Raises:
        NotCanonical: The line is none.
        UnknownVersion: Another version of the program wrote it, in another version of its type.
        KeyError: It lacks a member, or no event of this program has its type.
        msgspec.ValidationError: Its members are not those of its type.
    """
    kind, data, at = said_by(line)
    return decode(kind, data), at


def step(written: MatchAtHead | None, line: bytes) -> tuple[MatchAtHead, events.Event]:
    """Return the match after one more line, with the event it holds; the first line of a stream creates the match.

    Cost: about 10 microseconds, half of it to take the line apart.
    """
    event, at = event_of(line)
    match = _match_after(written, event, at)
    return at_head(written, match, event, line), event


def at_head(written: MatchAtHead | None, match: Match, event: events.Event, line: bytes) -> MatchAtHead:
    """Return a match that is as it is after a line, with what signatures hang on then; the line holds this event.

    Cost: a hash, and if a seat signed the line, taking it apart and two more.
    """
    before, kind = NO_SIGNATURES if written is None else written.signing, events.type_of(event)
    head = canonical.head(line)
    if kind not in signing.OF_SEATS and _SIGNED not in line:
        return MatchAtHead(match, head, signing.behind_line(before, kind, head, before.seats))
    data, signed = events.data_of(event) if kind in signing.OF_SEATS else {}, signed_of(line)
    link = Link(match.version - 1, stream_of(match.id), head, kind, data, match.at, signed)
    return MatchAtHead(match, head, signing.after(before, match.id.bytes, link))


def written_after(
    before: MatchAtHead | None, lines: Iterable[bytes], happened: Iterable[events.Event], steps: Iterable[Match]
) -> Iterator[MatchAtHead]:
    """Yield a match as it is after each of these lines, with the event of each and the match it led to."""
    for line, event, match in zip(lines, happened, steps, strict=True):
        before = at_head(before, match, event, line)
        yield before


def signed_of(line: bytes) -> Signed | None:
    """Return who signed the command that a stored line came of, and what; None if nobody did."""
    return msgspec.json.decode(line, type=_Envelope).signed


def fold(lines: Iterable[bytes], written: MatchAtHead | None = None) -> Iterator[tuple[MatchAtHead, events.Event]]:
    """Yield the match after each line, with the event it holds. Cost: a step a line."""
    for line in lines:
        written, event = step(written, line)
        yield written, event


def _match_after(written: MatchAtHead | None, event: events.Event, at: UnixMs) -> Match:
    if written is None:
        assert isinstance(event, events.MatchCreated)
        return new_match(event, at)
    return evolve(written.match, event, at)
