"""Names held against the record: whether people are called what the lines commit to that seated them.

    {"match":"09feebed-...","name":"Ada","player":"p4f0c...","salt":"77a5...","seat":1}

is a line of a file of names, which lies beside a record and can be erased without it. `name` and `salt` are null where
they were. A line `seat.joined` with `name` commits to `H("CUP1.nam" salt name)`; without it, what somebody is called is
the server's word. Source: CUP/1 section 4.14.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from domain.fairness.signing.messages import name_commitment
from domain.ids import Seat
from domain.log import canonical
from domain.log.notes import Malformed
from domain.seats import SEAT_MAX, is_person

_JOINED: Final = b'"type":"seat.joined","v":1}'
"""How a line ends that seats somebody; a canonical line ends in its type, so no text in it can look like it."""


class SeatName(Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody is called who took a seat.

    Attributes:
        match: The match.
        name: What the player is called; None where that was erased.
        player: The opaque id that stands in the record.
        salt: The 32 bytes that were hashed before the name, as hex; None where none were given.
        seat: The seat.
    """

    match: Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
    name: Annotated[str, Meta(max_length=256)] | None
    player: Annotated[str, Meta(max_length=64)]
    salt: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")] | None
    seat: Annotated[Seat, Meta(ge=1, le=SEAT_MAX)]


class SeatedLine(Struct, frozen=True):
    """A line that seats somebody: its number from 1, and the name it commits to, if it does."""

    line: int
    seat: Seat
    player: str
    commitment: str | None = None


class NamesFound(Struct, frozen=True):
    """What became of names that were held against a record.

    Attributes:
        checked: The seats of those who are called what their lines commit to.
        open: The seats of people for whom no line commits to a name: what they are called is the server's word.
        erased: The seats of people of whom no name is told.
        swapped: The lines, from 1, that commit to another name than is told, or to one whose salt is withheld.
        strange: How many names are told of whom no line of the record seats.
    """

    checked: tuple[Seat, ...] = ()
    open: tuple[Seat, ...] = ()
    erased: tuple[Seat, ...] = ()
    swapped: tuple[int, ...] = ()
    strange: int = 0

    @property
    def line(self) -> int | None:
        """The first line that commits to another name than is told, 0 for the file of names; None where all hold."""
        return min(self.swapped) if self.swapped else 0 if self.strange else None


def seated_lines(lines: Sequence[bytes]) -> list[SeatedLine]:
    """Return who is seated by lines of a match, which are sound, in their order."""
    found = ((number, canonical.decode(line)["data"]) for number, line in enumerate(lines, 1) if line.endswith(_JOINED))
    return [SeatedLine(number, data["seat"], data["player"], data.get("name")) for number, data in found]


def write_names(names: Sequence[SeatName]) -> bytes:
    """Return a file of names, one a line."""
    return b"".join(canonical.encode(msgspec.to_builtins(each)) + b"\n" for each in names)


def names_in(file: bytes) -> list[SeatName]:
    """Return what a file of names tells.

    Raises:
        Malformed: It is no such file.
    """
    try:
        return [msgspec.json.decode(line, type=SeatName) for line in file.removesuffix(b"\n").split(b"\n") if file]
    except (msgspec.MsgspecError, UnicodeDecodeError) as trouble:
        raise Malformed(f"a file of names has one JSON object a line: {trouble}") from trouble


def check_names(match: str, lines: Sequence[bytes], told: Sequence[SeatName]) -> NamesFound:
    """Hold names against the lines of a match, which are sound; bots of the house are nobody, and called as it likes.

    Of two that are told of one player each is held against the line.
    """
    people = {each.player: each for each in seated_lines(lines) if is_person(each.player)}
    mine = [one for one in told if is_person(one.player) or one.match != match]
    known = [one for one in mine if one.match == match and _seats(people.get(one.player), one)]
    named = {one.player for one in known if one.name is not None}
    judged = [(people[one.player], one) for one in known if one.name is not None]
    return NamesFound(
        checked=tuple(at.seat for at, one in judged if _is_committed(at, one)),
        open=tuple(at.seat for at, _ in judged if at.commitment is None),
        erased=tuple(at.seat for player, at in people.items() if player not in named),
        swapped=tuple(_swapped(judged)),
        strange=len(mine) - len(known),
    )


def _seats(at: SeatedLine | None, one: SeatName) -> bool:
    return at is not None and at.seat == one.seat


def _is_committed(at: SeatedLine, one: SeatName) -> bool:
    """Report whether a line commits to a name that is told."""
    if one.name is None or one.salt is None:
        return False
    return at.commitment == name_commitment(bytes.fromhex(one.salt), one.name)


def _swapped(judged: Sequence[tuple[SeatedLine, SeatName]]) -> Iterator[int]:
    return (at.line for at, one in judged if at.commitment is not None and not _is_committed(at, one))
