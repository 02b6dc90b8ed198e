"""Matches by our own rules whose seats have keys and sign what they ask for, with a server that can be made to lie.

Every line is chained, logged and, where a seat with a key asked for it, signed as the protocol has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from domain import commands, events
from domain.fairness.chain import Link, next_link
from domain.fairness.deal import seed_commitment
from domain.fairness.records import assemble
from domain.fairness.shapes import Signed
from domain.fairness.signing.forms import FORMS
from domain.fairness.signing.messages import seal_positions
from domain.ids import Seat
from domain.log import canonical
from domain.log.proofs import anchor_entry
from domain.match.decide import Decision, decide
from domain.match.record import lines_of, stream_of
from domain.match.signing import NO_SIGNATURES, Signing, after, message_for
from infra.keys import Ed25519Signer
from tests.domain.playing import MATCH
from tests.domain.truth_oracle import Course, Moment
from tests.fairness.scripted_server import Log

STREAM = stream_of(MATCH)
FIELDS = ("inside", "outside", "roll_inside", "roll_outside")


def key_of(seat: Seat) -> Ed25519Signer:
    """Return the key that this seat signs with."""
    return Ed25519Signer(bytes([seat]) * 32)


def salt_of(seq: int) -> bytes:
    """Return what a seat seals the positions of its dice with, in the line of this place."""
    return hashlib.sha256(b"salt %d" % seq).digest()


class SignedPlay(Course):
    """A match in which these seats have keys, with its log.

    Attributes:
        keyed: Who has a key.
        own: Who draws its own seeds.
        keys: What each of them signs with.
        kept: What was signed, by the place of its line.
        messages: The bytes of that.
    """

    def __init__(self, *arguments: Any, keyed: Iterable[Seat] = (1, 2), own: Iterable[Seat] = (1,), **more: Any):
        super().__init__(*arguments, **more)
        self.keyed, self.own = frozenset(keyed), frozenset(own)
        self.keys = {seat: key_of(seat) for seat in self.keyed}
        self.kept: dict[int, Signed] = {}
        self.messages: dict[int, bytes] = {}
        self.log = Log()
        self.log.add(b"somebody else's")
        self.sizes: list[int] = []
        self.handled: list[Any] = []
        self.sealed: dict[tuple[int, int], int] = {}
        self.signing: Signing = NO_SIGNATURES
        self.link: Link | None = None
        self._follow(self.lines)

    # ---- what is asked for ----------------------------------------------------------------------

    def start(self) -> None:
        """Seat everybody, each with its key if it has one, and go on to the first turn."""
        for seat in range(1, self.match.settings.seats + 1):
            self.join(seat)
        self.do(commands.Start(self.chance()))
        self.go_on()

    def join(self, seat: Seat) -> None:
        """Let the player of the next seat sit down."""
        key = self.keys[seat].public_key.hex() if seat in self.keyed else None
        self.do(commands.Join(f"p{seat}", "client" if seat in self.own else "server", key=key))

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        """Decide a command a little later, and write what it leads to, signed if it has to be."""
        if isinstance(command, commands.LogDeal):
            command = self._logged(command)
        made = decide(self.match, command, self.at + after_ms, self.keeper)
        self.moments.append(Moment(len(self.lines), self.match, self.keeper))
        self.at += after_ms
        self.write(command, [self.told(command, event) for event in made.events])
        self.match, self.keeper = made.match, made.keeper
        self.steps += made.steps
        self._give_seed()
        return made

    def _give_seed(self) -> None:
        """Let the first seat that a seed is asked of fix or open one."""
        ceremony = self.match.ceremony
        if ceremony is None or not ceremony.waiting_for:
            return
        seat = ceremony.waiting_for[0]
        seed = hashlib.sha256(f"{ceremony.deal} {seat}".encode()).digest()
        if ceremony.stage == "logged":
            self.do(commands.OpenSeed(seat, ceremony.deal, seed.hex()))
        else:
            fixed = seed_commitment(seed, ceremony.ctx, ceremony.root, seat).hex()
            self.do(commands.CommitSeed(seat, ceremony.deal, fixed))

    # ---- what is written ------------------------------------------------------------------------

    def told(self, command: commands.MatchCommand, event: events.Event) -> events.Event:
        """Return an event with what signatures add to it."""
        match event:
            case events.Arranged() if isinstance(command, commands.Arrange) and command.seat in self.keyed:
                self._seal(command, event)
                return event
            case events.DealClosed():
                handled, self.handled = self.handled, []
                opened = msgspec.convert(handled, type=tuple[tuple[int, str, events.HandledDice], ...])
                return replace(event, handled=opened) if handled and self.match.policy == "all" else event
            case events.ChoicesRevealed():
                return replace(event, choices=tuple([self._opened(event.cup, choice) for choice in event.choices]))
            case _:
                return event

    def _seal(self, command: commands.Arrange, event: events.Arranged) -> None:
        seq = len(self.lines)
        self.handled.append([seq, salt_of(seq).hex(), self.positions(command)])
        if event.roll is not None:
            self.sealed[event.cup, event.roll] = seq

    def positions(self, command: commands.Arrange) -> dict[str, list[int]]:
        """Return which dice a seat seals that it handles."""
        return {name: list(getattr(command, name)) for name in FIELDS}

    def _opened(self, cup: int, choice: events.Choice) -> events.Choice:
        seq = self.sealed.get((cup, choice.roll))
        return choice if seq is None or self.match.policy == "all" else replace(choice, salt=salt_of(seq).hex())

    def write(self, command: commands.MatchCommand, told: list[events.Event]) -> None:
        """Write events, the first of them signed if the seat that asked has a key and the command a form."""
        public = self.public(command, told[0])
        seat = told[0].seat if isinstance(told[0], events.SeatJoined) else getattr(command, "seat", None)
        self.put(told, None if public is None or seat not in self.keyed else self.sign(seat, public))

    def put(self, told: list[events.Event], signed: Signed | None = None) -> None:
        """Write events as they are, whoever asked for them or nobody."""
        lines, self.head = lines_of(MATCH, len(self.lines), self.head, self.at, told, signed)
        self.lines += lines
        self.events += told
        self._follow(lines)

    def sign(self, seat: Seat, public: dict[str, Any]) -> Signed:
        """Return what a seat signs, having seen every line."""
        joins, version = public["type"] == "join", len(self.lines)
        n = 0 if joins else self.signing.seats[seat].n + 1
        message = message_for(self.signing, MATCH.bytes, None if joins else seat, n, version, public)
        found = Signed(public, n, seat, self.keys[seat].sign(message).hex(), version)
        self.kept[version], self.messages[version] = found, message
        return found

    def public(self, command: commands.MatchCommand, first: events.Event) -> dict[str, Any] | None:
        """Return a command as it is signed; None for what no seat asks for."""
        tag = str(type(command).__struct_config__.tag)
        match command:
            case commands.Join():
                return {"type": "join", "key": command.key, "custody": command.custody}
            case commands.Forfeit():
                return {"type": "resign"}
            case commands.Arrange():
                said = msgspec.to_builtins(first)
                sealed = seal_positions(salt_of(len(self.lines)), self.positions(command))
                counts = {name: said[name] for name in ("cup", "outside", "taken", "roll_inside", "roll_outside")}
                return {"type": tag, **counts, "sealed": sealed}
            case _ if tag in FORMS:
                asked = msgspec.to_builtins(command)
                return {name: value for name, value in asked.items() if name != "seat"}
            case _:
                return None

    def _follow(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self.link = next_link(line, self.link)
            self.signing = after(self.signing, MATCH.bytes, self.link)

    # ---- the log --------------------------------------------------------------------------------

    def _logged(self, command: commands.LogDeal) -> commands.LogDeal:
        sealed = max(seq for seq, event in enumerate(self.events) if isinstance(event, events.DealSealed))
        index = self.log.add(anchor_entry(STREAM, sealed, canonical.head(self.lines[sealed]), "sealed"))
        checkpoint = self.log.checkpoint()
        path = tuple(item.hex() for item in self.log.inclusion(index, checkpoint).path)
        self.sizes.append(len(self.log.hashes))
        return commands.LogDeal(command.deal, index, path, checkpoint)

    def file(self) -> bytes:
        """Return the record file, with all proofs."""
        kind = "final" if self.match.ended else "live"
        index = self.log.add(anchor_entry(STREAM, len(self.lines) - 1, canonical.head(self.lines[-1]), kind))
        checkpoint = self.log.checkpoint()
        grown = [self.log.consistency(old, checkpoint) for old in self.sizes]
        return assemble(self.lines, self.log.inclusion(index, checkpoint), grown)
