"""Serving: a player of the house speaks TCE/1, so that hosts of others can seat it.

It thinks when it is asked, on the one line that asks it; so `stop` comes when it has moved already.

Source: the laws of analysis, section on engines (`.docs/engines.md`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, Final

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.ids import Seat, Version
from services.engines.levels import CHANCE_BYTES, Chooser
from services.engines.lines import told
from services.engines.seen import OutOfOrder, SeenMatch
from services.work.startup import program_version

AUTHOR: Final = "Truecup"


class NewMatch(Struct, frozen=True):
    """A match that begins, and the seat in it."""

    seat: Seat


class AskedMove(Struct, frozen=True):
    """What `go` asks for: a move at this version, with chance in hex."""

    version: Version
    chance: str


def serve(player: Chooser, said: Iterable[bytes], out: IO[bytes]) -> None:
    """Answer a host's lines until it says `quit` or nothing more. A line that makes no sense is passed over."""
    seen: SeenMatch | None = None
    for line in said:
        word, _, text = line.decode("utf-8", "replace").rstrip("\r\n").partition(" ")
        try:
            match f"{word} {text}" if word == "tce" else word:
                case "tce 1":
                    _say(out, *_greeting(player))
                case "isready":
                    _say(out, told("readyok"))
                case "newmatch":
                    seat = msgspec.json.decode(text, type=NewMatch).seat
                    seen = SeenMatch(seat)
                case "frame" if seen is not None:
                    seen.take(text.encode())
                case "go" if seen is not None:
                    _say(out, *_moved(player, seen, msgspec.json.decode(text, type=AskedMove)))
                case "quit":
                    return
                case _:
                    pass
        except (msgspec.DecodeError, OutOfOrder) as fault:
            _say(out, told("info", {"fault": f"{word}: {fault}"}))


def _say(out: IO[bytes], *lines: bytes) -> None:
    out.writelines(lines)
    out.flush()


def _greeting(player: Chooser) -> tuple[bytes, ...]:
    seats = [GAMES[name].rules(GAMES[name].options()).seats for name in GAMES]
    plays = {"games": [*GAMES], "seats": [min(low for low, _ in seats), max(high for _, high in seats)]}
    identity = {"name": f"Truecup {player.name}", "version": program_version(), "author": AUTHOR, "level": player.name}
    return told("id", identity), told("plays", plays), told("tceok")


def _moved(player: Chooser, seen: SeenMatch, asked: AskedMove) -> tuple[bytes, ...]:
    try:
        chance = bytes.fromhex(asked.chance)
    except ValueError:
        chance = b""
    if len(chance) != CHANCE_BYTES:
        return (told("info", {"fault": f"go: the chance is {CHANCE_BYTES} bytes in hex"}),)
    thought = player.choose(seen, chance)
    if thought is None:
        return (told("info", {"fault": "there is nothing to do"}),)
    command: dict[str, Any] = msgspec.to_builtins(thought.command)
    del command["seat"]
    return told("info", {"level": thought.level}), told("move", {"version": asked.version, "command": command})
