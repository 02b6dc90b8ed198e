"""Lines of TCE/1: what an engine may say, and what its host makes of it.

A line is UTF-8, ends in LF (a CR before it is taken off), and has at most 256 KiB: a word, then one JSON object where
the word has one. Unknown words and unknown members are passed over. What is wrong raises `Untold`, whose sentence
names the line or the member; nothing an engine says is believed beyond its form.

Source: the laws of analysis, section on engines (`.docs/engines.md`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from domain import commands
from domain.ids import Seat, Version
from domain.table.interludes import COMMANDS

PROTOCOL: Final = "tce 1"
"""What the host says first."""
LINE_MAX: Final = 256 * 1024
"""Bytes of a line, with its end."""
WORDS: Final = frozenset({"id", "option", "plays", "info", "move"})
"""The words of an engine that have an object."""

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$")]
Members = dict[str, Any]


class Untold(Exception):  # noqa: N818 - named for what the engine left untold
    """An engine said what no engine may say, or left out what it has to; the sentence says which."""


class EngineLine(Struct, frozen=True):
    """A line taken apart: its word, and the object behind it where the word has one."""

    word: str
    members: Members = {}


class EngineId(Struct, frozen=True):
    """Who an engine says it is.

    Attributes:
        level: How strong it says it is, in its own words.
    """

    name: Name
    version: Name
    author: Name
    level: Name | None = None


class EngineOption(Struct, frozen=True):
    """Something of an engine that its host may set."""

    name: Name
    type: Name
    default: Any = None


class Plays(Struct, frozen=True):
    """The games an engine plays, and with how many seats: the fewest and the most."""

    games: Annotated[list[Name], Meta(min_length=1, max_length=256)]
    seats: tuple[Annotated[int, Meta(ge=2, le=254)], Annotated[int, Meta(ge=2, le=254)]]


class Greeting(Struct, frozen=True):
    """All an engine has said of itself up to `tceok`."""

    id: EngineId
    plays: Plays
    options: tuple[EngineOption, ...] = ()


class ChosenMove(Struct, frozen=True):
    """What an engine wants to do: a command at a version; the seat is the host's to say."""

    version: int
    command: Members


def line_of(raw: bytes) -> EngineLine:
    """Return a line taken apart; one without a word, or with a word that nobody knows, has no object.

    Raises:
        Untold: It is too long, is not UTF-8, or has no one object where its word asks for one.
    """
    if len(raw) > LINE_MAX:
        raise Untold(f"the line is too long: {LINE_MAX} bytes at most")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Untold(f"not UTF-8 at byte {fault.start}") from None
    word, _, rest = text.rstrip("\r\n").partition(" ")
    return EngineLine(word, _members_of(word, rest)) if word in WORDS else EngineLine(word)


def _members_of(word: str, text: str) -> Members:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Untold(f"not one JSON object behind `{word}`")
    return found


def _read(kind: type[Any], line: EngineLine) -> Any:  # noqa: ANN401 - what `kind` is
    """Return what a line says, as this struct.

    Raises:
        Untold: A member is missing or is none of its kind.
    """
    try:
        return msgspec.convert(line.members, kind)
    except msgspec.ValidationError as fault:
        why, _, place = str(fault).partition(" - at `$")
        missing = why.partition("required field `")[2].partition("`")[0]
        member = missing or place.strip("`.[]0123456789")
        raise Untold(f"{line.word}.{member}: {why[0].lower()}{why[1:]}" if member else f"{line.word}: {why}") from None


def greeting_of(lines: Iterable[EngineLine]) -> Greeting:
    """Return what an engine has said of itself, up to and without `tceok`; the last of each word holds.

    Raises:
        Untold: Something is missing, or is none of its kind.
    """
    said: dict[str, Any] = {}
    options: dict[str, EngineOption] = {}
    for line in lines:
        if line.word == "option":
            option: EngineOption = _read(EngineOption, line)
            options[option.name] = option
        elif line.word in {"id", "plays"}:
            said[line.word] = _read(EngineId if line.word == "id" else Plays, line)
    for word in ("id", "plays"):
        if word not in said:
            raise Untold(f"{word} is missing")
    plays: Plays = said["plays"]
    if plays.seats[0] > plays.seats[1]:
        raise Untold("plays.seats: the fewest come first")
    return Greeting(said["id"], plays, tuple(options.values()))


def move_of(line: EngineLine, version: Version) -> ChosenMove:
    """Return what an engine wants to do at this version.

    Raises:
        Untold: It is no move, one at another version, or one that names a seat.
    """
    move: ChosenMove = _read(ChosenMove, line)
    if move.version != version:
        raise Untold(f"move.version is {move.version}, and {version} was asked for")
    if "seat" in move.command:
        raise Untold("command.seat is the host's to say")
    return move


def command_of(move: ChosenMove, seat: Seat) -> commands.Play | None:
    """Return the command that a move asks for, for a seat; None where there is no such command in play."""
    tag = move.command.get("type")
    kind = _KINDS.get(tag) if isinstance(tag, str) else None
    if kind is None:
        return None
    try:
        made: commands.Play = msgspec.convert({**move.command, "seat": seat}, kind)
    except msgspec.ValidationError:
        return None
    return made


_OF_SEATS: Final[tuple[Any, ...]] = (
    *(commands.Bid, commands.ClaimHand, commands.Declare, commands.Challenge, commands.SpotOn, commands.Pass),
    *(commands.Arrange, commands.Roll, commands.Accept, commands.Catch, commands.AskCount, commands.DemandBills),
    *(commands.ChooseFirst, *(kind for kind in COMMANDS if not kind.of_table)),
)
_KINDS: Final[dict[str, Any]] = {str(kind.__struct_config__.tag): kind for kind in _OF_SEATS}


def told(word: str, members: Any = None) -> bytes:  # noqa: ANN401 - an object, or bytes of one
    """Return a line: a word, and an object where there is one; bytes are an object already encoded."""
    if members is None:
        return f"{word}\n".encode()
    return b"%s %s\n" % (word.encode(), members if isinstance(members, bytes) else msgspec.json.encode(members))
