"""Layer 1, first half: each line is one event, and follows the one before it (CUP/1 sections 4.3 and 4.4)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.fairness import shapes
from domain.fairness.faults import Fault
from domain.ids import UnixMs
from domain.log import canonical

GENESIS: Final = "0" * 64
"""The `prev` of a first line."""


class ChainedEvent(Struct, frozen=True):
    """An event line that stands where it should.

    Attributes:
        seq: Its number, from 0.
        stream: The stream it belongs to.
        head: Its hash, as hex.
        members: Its members, as `shapes` has them.
        link: The line as it stands; None where it was never one.
    """

    seq: int
    stream: str
    head: str
    members: shapes.Members
    link: Link | None = None


class Link(Struct, frozen=True):
    """A line of any stream that stands where it should: its number from 0, its stream, its hash, what it says.

    `signed` is who signed the command that it came of.
    """

    seq: int
    stream: str
    head: str
    kind: str
    data: dict[str, Any]
    at: UnixMs
    signed: shapes.Signed | None = None


class _Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    at: UnixMs
    data: dict[str, Any]
    prev: shapes.Hash
    seq: Annotated[int, Meta(ge=0)]
    stream: str
    type: str
    v: Literal[1]
    signed: shapes.Signed | UnsetType = UNSET


def follow(line: bytes, before: ChainedEvent | None) -> ChainedEvent:
    """Return the event of a line that follows another.

    What is checked, in this order: what `next_link` checks; its own members are those of its type (`E_FORMAT`).

    Args:
        line: The line, without its newline.
        before: The event before it; None for the first.

    Raises:
        Fault: `E_FORMAT` or `E_CHAIN`.
    """
    link = next_link(line, before)
    return ChainedEvent(link.seq, link.stream, link.head, shapes.members_of(link.kind, link.data, link.stream), link)


def next_link(line: bytes, before: ChainedEvent | Link | None) -> Link:
    """Return a line of any stream that follows another.

    What is checked, in this order: the line is canonical and has the seven members, with `signed` or without
    (`E_FORMAT`); it belongs to the same stream, has the next number and the hash of the line before (`E_CHAIN`).

    Raises:
        Fault: `E_FORMAT` or `E_CHAIN`.
    """
    envelope = _envelope_of(line)
    if before is None:
        fits = (envelope.seq, envelope.prev) == (0, GENESIS)
    else:
        fits = (envelope.stream, envelope.seq, envelope.prev) == (before.stream, before.seq + 1, before.head)
    if not fits:
        raise Fault("E_CHAIN", "the line does not follow the one before it")
    signed = None if envelope.signed is UNSET else envelope.signed
    return Link(envelope.seq, envelope.stream, canonical.head(line), envelope.type, envelope.data, envelope.at, signed)


def _envelope_of(line: bytes) -> _Envelope:
    try:
        return msgspec.convert(canonical.decode(line), _Envelope)
    except canonical.NotCanonical as error:
        raise Fault("E_FORMAT", str(error)) from error
    except msgspec.ValidationError as error:
        raise Fault("E_FORMAT", f"an event line does not have the members it should: {error}") from error
