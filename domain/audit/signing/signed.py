"""Commands that seats with keys signed, as the referee takes them (CUP/1 section 4.14.5).

Layer 2 has seen to it that the line says what the signature does. Left to the rules are the members of a command that
no line has (a hand as it was named, who draws seeds, which dice), rolls, lines of no type that seats sign, and that a
signature stands where a command begins and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, get_args

from msgspec import UNSET
from msgspec.structs import replace

from domain import commands, events
from domain.audit.rulings import UNASKED, Foul
from domain.fairness.records import RecordLine
from domain.fairness.signing.messages import seal_positions
from domain.ids import CupId, RollNumber, Seat

_SALT: Final = re.compile(r"[0-9a-f]{64}")
NOBODY: Final = commands.Arrange(0)
"""Stands for a handling that nobody signed."""
_OF_A_SEAT: Final = (
    commands.Leave,
    commands.Rekey,
    commands.CommitSeed,
    commands.OpenSeed,
    commands.StandIn,
    commands.TakeBack,
    commands.Forfeit,
    *get_args(commands.Play),
)
"""What a seat asks for that sits already. The host, the director and the log ask for the rest, or nobody does.

That somebody has seen enough, or is there, has no form that could be signed, and moves no dice and no claim: it is the
word of the house.
"""


def without_openings(event: events.Event) -> events.Event:
    """Return an event without what opens the seals of seats: deciding knows nothing of these."""
    match event:
        case events.DealClosed():
            return replace(event, handled=UNSET)
        case events.ChoicesRevealed():
            return replace(event, choices=tuple([replace(choice, salt=UNSET) for choice in event.choices]))
        case _:
            return event


class Signatures:
    """The signatures of a record, as far as it has come."""

    def __init__(self, lines: Sequence[RecordLine]) -> None:
        """Begin before the second line; what deals have opened at their end is known from the beginning."""
        self._keyed: set[Seat] = set()
        self._sealed: dict[tuple[CupId, RollNumber | None], tuple[str, commands.Arrange]] = {}
        closed = [line.data.get("handled", ()) for line in lines if line.kind == "deal.closed"]
        self._handled: dict[int, dict[str, Any]] = {seq: dice for deal in closed for seq, _, dice in deal}

    def positions(self, line: RecordLine) -> commands.Arrange | None:
        """Return a handling of dice as its seat had it sealed; None where that is not published."""
        if line.signed is None or line.number - 1 not in self._handled:
            return None
        named = {name: tuple(positions) for name, positions in self._handled[line.number - 1].items()}
        return commands.Arrange(line.signed.seat, **named)

    def take(self, line: RecordLine, command: commands.MatchCommand) -> commands.MatchCommand:
        """Return the command behind a line as its seat signed it.

        Args:
            line: The first line that it led to.
            command: The command as the line says it.

        Raises:
            Foul: `E_UNSIGNED`: it is of a seat that has a key.
        """
        if isinstance(command, commands.Join):
            return self._join(line, command)
        if isinstance(command, commands.Arrange):
            sealed = "" if line.signed is None else line.signed.command["sealed"]
            self._sealed[line.data["cup"], line.data["roll"]] = (sealed, command)
        if line.signed is None:
            seat = getattr(command, "seat", None) if isinstance(command, _OF_A_SEAT) else None
            if seat in self._keyed:
                raise Foul(line.number, f"seat {seat} has a key, and has not signed what led to {line.kind}", UNASKED)
            return command
        if isinstance(command, commands.ClaimHand):
            return replace(command, faces=tuple(line.signed.command["faces"]))
        return command

    def _join(self, line: RecordLine, command: commands.Join) -> commands.Join:
        seat = line.data["seat"]
        if line.signed is None:
            self._keyed.discard(seat)
            return command
        self._keyed.add(seat)
        return replace(command, custody=line.signed.command["custody"])

    def check_opened(self, line: RecordLine) -> None:
        """Check that the salts that stand beside choices open what their seats had sealed.

        Raises:
            Foul: One does not.
        """
        for choice in line.data["choices"]:
            if "salt" in choice:
                sealed, asked = self._sealed.get((line.data["cup"], choice["roll"]), ("", NOBODY))
                if not _opens(sealed, choice["salt"], asked):
                    raise Foul(line.number, "the salt opens nothing that a seat has sealed")


def _opens(sealed: str, salt: str, asked: commands.Arrange) -> bool:
    if _SALT.fullmatch(salt) is None:
        return False
    return seal_positions(bytes.fromhex(salt), positions_of(asked)) == sealed


def positions_of(asked: commands.Arrange) -> dict[str, list[int]]:
    """Return the four lists of positions that a seat seals, of a handling."""
    return {
        "inside": list(asked.inside),
        "outside": list(asked.outside),
        "roll_inside": list(asked.roll_inside),
        "roll_outside": list(asked.roll_outside),
    }
