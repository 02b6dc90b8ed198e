"""Matches some of whose seats have keys, told line by line: every command is signed as its player would.

A signature that is still to be made names its key, twice: who writes the line down signs it then, so that a story whose
events were changed can be signed anew. Source: CUP/1 section 4.14.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Self

from domain.fairness.signing.messages import NO_SEAT, NOTHING_BEFORE, message_of, seal_positions
from domain.log import canonical
from infra.keys import Ed25519Signer
from tests.fairness.scripted_server import STREAM, Story

Event = dict[str, Any]
SIGNERS = [Ed25519Signer(bytes([number]) * 32) for number in range(1, 9)]
KEYS = [signer.public_key.hex() for signer in SIGNERS]
UNMADE = {key * 2: signer for key, signer in zip(KEYS, SIGNERS, strict=True)}
OWN = {"type", "custody", "faces", "sealed"}
"""What a command has that its line does not have."""
SEEDS = {"seed.committed": ("commit_seed", "commit"), "seed.opened": ("open_seed", "seed")}
SALT = "5a" * 32
POSITIONS = {"inside": [0], "outside": [], "roll_inside": [2, 1], "roll_outside": []}
ARRANGE: dict[str, Any] = {
    "type": "arrange",
    "cup": 1,
    "outside": [],
    "taken": [],
    "roll_inside": 2,
    "roll_outside": 0,
    "sealed": seal_positions(bytes.fromhex(SALT), POSITIONS),
}


class Pens:
    """What each seat has signed so far in a record that is being written down."""

    def __init__(self) -> None:
        self._before: dict[str, bytes] = {}

    def signed(self, event: Event, lines: Sequence[bytes]) -> Event:
        """Return an event that follows these lines, with its signature made if it is still to be."""
        said = event.get("signed")
        if not isinstance(said, dict):
            return event
        try:
            message = self._message(said, str(event["stream"]), lines)
        except (canonical.NotCanonical, struct.error, AttributeError, LookupError, TypeError, ValueError):
            return event
        self._before[str(said["seat"])] = hashlib.sha256(message).digest()
        signer = UNMADE.get(str(said["sig"]))
        return event if signer is None else {**event, "signed": {**said, "sig": signer.sign(message).hex()}}

    def _message(self, said: Mapping[str, Any], stream: str, lines: Sequence[bytes]) -> bytes:
        seat, command = said["seat"], said["command"]
        joins = command["type"] == "join"
        before = NOTHING_BEFORE if joins else self._before.get(str(seat), NOTHING_BEFORE)
        head = bytes.fromhex(canonical.head(lines[said["version"] - 1]))
        match = bytes.fromhex(stream.partition("/")[2].replace("-", ""))
        return message_of(match, NO_SEAT if joins else seat, said["n"], said["version"], head, before, command)


class SignedStory(Story):
    """A match as its server tells it. Seats that sat down with a key sign their seeds by themselves."""

    def __init__(self, policy: str = "all") -> None:
        super().__init__(policy)
        self.events: list[Event] = []
        self.at = 1_000
        self.keys: dict[int, str] = {}
        self._pens = Pens()
        self._counters: dict[int, int] = {}

    def say(self, kind: str, **data: Any) -> Self:
        seat = data.get("seat")
        if kind not in SEEDS or seat not in self.keys:
            return self._write(kind, data)
        asked, what = SEEDS[kind]
        return self.ask(seat, kind, {"type": asked, "deal": data["deal"], what: data[what]})

    def ask(self, seat: int, kind: str, command: dict[str, Any], /, *, sig: str = "", **more: Any) -> Self:
        """Say what a seat asked for and signed; the line has what the command has, and more but what is None."""
        n = self._counters[seat] = self._counters.get(seat, -1) + 1
        sig = sig or self.keys[seat] * 2
        signed = {"command": command, "n": n, "seat": seat, "sig": sig, "version": len(self.lines)}
        same = {name: value for name, value in command.items() if name not in OWN}
        data = {name: value for name, value in {"seat": seat, **same, **more}.items() if value is not None}
        return self._write(kind, data, {"signed": {**signed, **self._otherwise}})

    def sign_otherwise(self, **members: Any) -> Self:
        """Let all that is signed from now on have other members."""
        self._otherwise = members
        return self

    _otherwise: Mapping[str, Any] = {}

    def _write(self, kind: str, data: dict[str, Any], more: Mapping[str, Any] = {}) -> Self:
        event = {"at": self.at, "data": data, "prev": self.head, "seq": len(self.lines), "stream": STREAM}
        event |= {"type": kind, "v": 1, **more}
        self.events.append(event)
        self.lines.append(canonical.encode(self._pens.signed(event, self.lines)))
        return self

    # ---- steps ----------------------------------------------------------------------------------

    def sat(self, *seats: int, custody: str = "client", key: str = "") -> Self:
        """Let seats sit down with keys of their own."""
        for seat in seats:
            self.keys[seat] = key or KEYS[seat - 1]
            self._counters[seat] = -1
            command = {"type": "join", "key": self.keys[seat], "custody": custody}
            self.ask(seat, "seat.joined", command, player=f"p{seat}")
        return self

    def bid(self, seat: int, quantity: int = 3, face: int = 5, **more: Any) -> Self:
        command = {"type": "bid", "quantity": quantity, "face": face}
        return self.ask(seat, "game.bid", command, **more)

    def look(self, seat: int, **more: Any) -> Self:
        return self.ask(seat, "game.looked", {"type": "look"}, **more)

    def leave(self, seat: int) -> Self:
        return self.ask(seat, "seat.left", {"type": "leave"}, reason="left")

    def rekey(self, seat: int, key: str) -> Self:
        self.ask(seat, "seat.keyed", {"type": "rekey", "key": key}, by="seat")
        self.keys[seat] = key
        return self

    def recover(self, seat: int, key: str, after: int = 120_000) -> Self:
        """Let the host name a key for a seat, and let that time go by."""
        self.say("seat.keyed", seat=seat, key=key, by="host")
        self.at += after
        return self

    def custody(self, seat: int, by: str = "server") -> Self:
        return self.say("game.seed_custody", seat=seat, by=by)

    def timed_out(self, seat: int) -> Self:
        return self.say("game.timed_out", seat=seat)

    def seeded_by_server(self, seat: int) -> Self:
        """Let the server draw and fix the seed of a seat."""
        key = self.keys.pop(seat)
        self.seeded(seat)
        self.keys[seat] = key
        return self

    def opened_by_server(self, seat: int) -> Self:
        key = self.keys.pop(seat)
        self.opened(seat)
        self.keys[seat] = key
        return self


def signed_stories() -> list[SignedStory]:
    """Return matches that come by everything that is said of seats with keys, and are as they should be."""
    played = SignedStory().created().sat(1).joined(2).committed().seeded(1, 2).sealed().logged().opened(2, 1).ready()
    played.rolled().bid(1).say("game.bid", seat=2, quantity=4, face=5).bid(1, 5).timed_out(1)
    played.say("game.challenged", seat=1).revealed().look(1).leave(1).closed().ended()
    handled = SignedStory().created().sat(2, 1).committed().seeded(1, 2).sealed().logged().opened(1, 2).ready()
    handled.rolled().ask(1, "game.arranged", ARRANGE).rolled(roll=1, slots=[0], m=[6]).bid(2)
    handled.closed(handled=[[len(handled.lines) - 3, SALT, POSITIONS]]).ended()
    shown = SignedStory("shown").created().sat(1, 2).committed().seeded(1, 2).sealed().logged().opened(1, 2).ready()
    shown.rolled().ask(1, "game.arranged", ARRANGE).closed(secret=None).ended()
    drawn = SignedStory().created().sat(1, custody="server").sat(2).custody(1).committed().seeded_by_server(1)
    drawn.custody(2).seeded_by_server(2).sealed().logged().opened_by_server(1).opened_by_server(2).ready().rolled()
    drawn.custody(2, "client").closed().ended()
    rekeyed = SignedStory().created().sat(1, 2).rekey(1, KEYS[3]).look(1).recover(2, KEYS[4])
    rekeyed.keys[2] = KEYS[4]
    rekeyed.look(2).recover(1, KEYS[5]).look(1).leave(2).sat(2).look(2).ended()
    voided = SignedStory().created().sat(1, 2, 3).committed().seeded(1, 2, 3).sealed(seats=[1, 2, 3]).logged()
    voided.opened(1, 2).voided(3).closed().say("game.forfeited", seat=3).say("seat.left", seat=3, reason="withheld")
    voided.committed().seeded(1, 2).sealed().logged().opened(1, 2).ready().bid(1).closed().ended()
    return [played, handled, shown, drawn, rekeyed, voided]
