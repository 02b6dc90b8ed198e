"""Commands that seats with keys sign, held against what their signatures hang on (`domain.match.signing`).

The law of the file: nothing of a seat with a key is stored that an audit would find unsigned, or signed otherwise. What
was signed is made again from the command and from what it led to, so that a client signs what everybody reads, and the
first line is held against it before it is stored. Source: CUP/1 sections 4.14.2 to 4.14.5.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct, structs

from domain import commands, events
from domain.errors import Refused
from domain.fairness.openings import SealedPositions
from domain.fairness.points import is_point
from domain.fairness.shapes import Signed
from domain.fairness.signing.forms import FORMS, fits
from domain.fairness.signing.messages import NO_SEAT, message_of, seal_positions
from domain.ids import Seat, UnixMs
from domain.log.canonical import NotCanonical
from domain.log.notes import Verify
from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from domain.match.signing import CannotSign, Signing, SigningSeat, key_for, keys_held, message_for

Public: TypeAlias = Mapping[str, Any]
"""A command in its public form, without the seat."""
_Number = Annotated[int, Meta(ge=0, le=2**32 - 1)]
_WITH_KEY: Final = (commands.Join, commands.Rekey, commands.NameKey)


class SeatSignature(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The signature of a seat's key over a command (CUP/1 section 4.14.2).

    Attributes:
        n: Which of the seat's commands it is: 0 in the join, then 1, 2, 3 without gaps.
        version: How many lines of the match its player has seen, over the last of which it signs.
        sig: Ed25519, as hex.
        salt: Where dice are handled, 32 fresh bytes as hex, under which it is sealed which ones.
        seat: Whose command it is, where it comes without the token of that seat.
    """

    n: _Number
    version: Annotated[int, Meta(ge=1, le=2**32 - 1)]
    sig: Annotated[str, Meta(min_length=128, max_length=128, pattern="^[0-9a-f]{128}$")]
    salt: commands.Hash | None = None
    seat: Annotated[int, Meta(ge=1, le=254)] | None = None


def public_form(command: commands.MatchCommand, signature: SeatSignature, first: events.Event | None) -> Public | None:
    """Return a command that can be signed in its public form; None where what it says of dice is not known or sealed.

    Args:
        command: What is asked.
        signature: What it came with.
        first: The first event it leads to, if it leads to any: it says where dice lie that are handled.
    """
    tag = _tag_of(command)
    match command:
        case commands.Join(custody=custody, key=key, name=name):
            named = {} if name is None else {"name": name}
            return {"type": tag, "key": key, "custody": custody, **named}
        case commands.Arrange():
            return _public_arrange(command, signature, first)
        case commands.Forfeit():
            return {"type": tag}
        case _:
            asked: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(command))
            return {member: said for member, said in asked.items() if member != "seat"}


def _public_arrange(
    command: commands.Arrange, signature: SeatSignature, first: events.Event | None
) -> dict[str, Any] | None:
    sealed = sealed_positions(command, signature)
    if sealed is None or not isinstance(first, events.Arranged):
        return None
    # With the screen up dice are thrown in the open, whatever was asked for: then they have to be sealed so.
    rolled = (len(sealed.positions.roll_inside), len(sealed.positions.roll_outside))
    if rolled != (first.roll_inside, first.roll_outside):
        return None
    return {
        "type": "arrange",
        "cup": first.cup,
        "outside": msgspec.to_builtins(first.outside),
        "taken": msgspec.to_builtins(first.taken),
        "roll_inside": first.roll_inside,
        "roll_outside": first.roll_outside,
        "sealed": seal_positions(bytes.fromhex(sealed.salt), structs.asdict(sealed.positions)),
    }


def sealed_positions(command: commands.MatchCommand, signature: SeatSignature) -> SealedPositions | None:
    """Return which dice are handled under which salt; None where none are, or where nothing seals it."""
    if signature.salt is None or not isinstance(command, commands.Arrange):
        return None
    positions = events.HandledDice(command.inside, command.outside, command.roll_inside, command.roll_outside)
    return SealedPositions(signature.salt, positions)


def sealed_handling(match: Match, command: commands.MatchCommand, signature: SeatSignature) -> SealedPositions | None:
    """Return which dice are handled under which salt, and the roll of which cup that leads to, if it is allowed."""
    sealed = sealed_positions(command, signature)
    place = None if sealed is None or match.table is None else match.table.place_of(seat_of(command))
    if sealed is None or place is None or match.table is None:
        return sealed
    rolls = sealed.positions.roll_inside or sealed.positions.roll_outside
    return structs.replace(sealed, cup=place.cup, roll=match.table.rolls.get(place.cup, 0) if rolls else None)


def _tag_of(command: commands.MatchCommand) -> str:
    return "resign" if isinstance(command, commands.Forfeit) else str(type(command).__struct_config__.tag)


def may_be_handed_in(command: commands.MatchCommand, signature: SeatSignature | None) -> bool:
    """Report whether a command takes its signature alone, and no token of the seat that it names.

    Which dice are handled is for nobody's eyes but their seat's, and a join is answered with a token, to whoever brings
    it: these are not for others to hand in.
    """
    kinds = commands.Join | commands.Arrange
    is_named = signature is not None and signature.seat == seat_of(command)
    return is_named and _tag_of(command) in FORMS and not isinstance(command, kinds)


def check_asked(signing: Signing, command: commands.MatchCommand, signature: SeatSignature | None) -> None:
    """Check that a command is signed if it has to be, and is not where nobody could have signed it.

    Raises:
        Refused: `needs_signature`, `no_key`, `bad_signature`.
    """
    has_key = _joins(command) or seat_of(command) in signing.seats
    if signature is None:
        if has_key and _tag_of(command) in FORMS:
            raise Refused("needs_signature")
        return
    if _tag_of(command) not in FORMS:
        raise Refused("bad_signature", why="form")
    if not has_key:
        raise Refused("no_key")


def check_key(signing: Signing, command: commands.MatchCommand) -> None:
    """Check that a key that is to be a seat's is one, and nobody else's.

    Raises:
        Refused: `bad_key`, `key_taken`.
    """
    if not isinstance(command, _WITH_KEY) or command.key is None:
        return
    if not is_point(bytes.fromhex(command.key)):
        raise Refused("bad_key")
    if command.key in keys_held(signing):
        raise Refused("key_taken")


def check_signature(
    written: MatchAtHead,
    command: commands.MatchCommand,
    signature: SeatSignature,
    first: events.Event,
    at: UnixMs,
    verify: Verify,
) -> Signed:
    """Return what stands on the first line that a signed command leads to.

    Args:
        written: The match as it is decided on.
        command: What is asked.
        signature: What it came with.
        first: The first event it leads to.
        at: When, in Unix milliseconds.
        verify: Checks Ed25519.

    Raises:
        Refused: `bad_signature`, and why in one word.
    """
    public, data, seat = public_form(command, signature, first), events.data_of(first), seat_of(command)
    if public is None or not fits(events.type_of(first), data, public):
        raise _bad("form")
    place = None if seat == NO_SEAT else seat
    try:
        message = message_for(written.signing, written.match.id.bytes, place, signature.n, signature.version, public)
    except CannotSign as cannot:
        raise _bad(cannot.why) from cannot
    if not _is_good(written.signing, command, signature, message, at, verify):
        raise _bad("head_or_key")
    # Its key may be free again. A seat that was left has died with a loud line, and so has what it had signed.
    if place is None and hashlib.sha256(message).digest() in {each.joined for each in written.signing.seats.values()}:
        raise _bad("n")
    return Signed(dict(public), signature.n, data["seat"] if place is None else seat, signature.sig, signature.version)


def message_of_refused(
    written: MatchAtHead,
    command: commands.MatchCommand,
    signature: SeatSignature,
    head: bytes,
    at: UnixMs,
    verify: Verify,
) -> bytes | None:
    """Return the bytes that a seat has signed of a command that was refused; None if it has signed nothing of the kind.

    Of dice that are handled only the line would say where they lie, and there is none.

    Args:
        written: The match as it is.
        command: What was asked.
        signature: What it came with.
        head: The hash of the last line that its player had seen, which may be long ago.
        at: When, in Unix milliseconds.
        verify: Checks Ed25519.
    """
    public, seat = public_form(command, signature, None), seat_of(command)
    known = written.signing.seats.get(seat, SigningSeat(""))
    if public is None or signature.n != known.n + 1 or not (_joins(command) or known.key):
        return None
    match = written.match.id.bytes
    try:
        message = message_of(match, seat, signature.n, signature.version, head, known.before, public)
    except NotCanonical:
        return None
    return message if _is_good(written.signing, command, signature, message, at, verify) else None


def is_repeat(signed: Signed, command: commands.MatchCommand, signature: SeatSignature) -> bool:
    """Report whether a command is the very one that a line has, its signature and all that it is over.

    Args:
        signed: What the line says of who signed it.
        command: What is asked.
        signature: What it came with.
    """
    if (signed.n, signed.version, signed.sig) != (signature.n, signature.version, signature.sig):
        return False
    if signed.seat != seat_of(command) and not _joins(command):
        return False
    sealed = sealed_positions(command, signature)
    if sealed is None:
        return public_form(command, signature, None) == signed.command
    return seal_positions(bytes.fromhex(sealed.salt), structs.asdict(sealed.positions)) == signed.command.get("sealed")


def _joins(command: commands.MatchCommand) -> bool:
    return isinstance(command, commands.Join) and command.key is not None


def _is_good(
    signing: Signing,
    command: commands.MatchCommand,
    signature: SeatSignature,
    message: bytes,
    at: UnixMs,
    verify: Verify,
) -> bool:
    by = bytes.fromhex(signature.sig)
    if isinstance(command, commands.Join):
        return command.key is not None and verify(bytes.fromhex(command.key), message, by)
    return key_for(signing.seats[seat_of(command)], at, message, by, verify) is not None


def seat_of(command: commands.MatchCommand) -> Seat:
    """Return whose command it is; `NO_SEAT` of one that names none, and of a join, which is nobody's yet."""
    seat: Seat | None = None if isinstance(command, commands.Join) else getattr(command, "seat", None)
    return NO_SEAT if seat is None else seat


def _bad(why: Literal["n", "version", "head_or_key", "form"]) -> Refused:
    return Refused("bad_signature", why=why)
