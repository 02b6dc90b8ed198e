"""Matches in which seats sign: played by the rules, decided as the house decides, logged, and bundled for an audit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from msgspec import convert

from domain import commands, events
from domain.fairness.deal import seed_commitment
from domain.fairness.records import assemble
from domain.fairness.signing.forms import FORMS
from domain.log import canonical
from domain.log.proofs import anchor_entry
from domain.match.decide import Decision
from domain.match.decide import decide as decide_rules
from domain.match.dues import due_at
from domain.match.record import MatchAtHead, fold, lines_of, stream_of
from domain.match.signed_commands import SeatSignature, public_form
from services.matches.secrets.signatures import decide_signed
from tests.domain.playing import MATCH, commands_for
from tests.domain.truth_oracle import Course, Moment
from tests.fairness.scripted_server import Log
from tests.signed.hands import Hand

STREAM = stream_of(MATCH)


class SignedCourse(Course):
    """A fair match in which some seats sign, and draw their own seeds unless they are slow.

    Attributes:
        hands: The hand of each seat that signs.
        slow: The seats that do nothing about their seeds.
    """

    def __init__(self, *arguments: Any, signs: tuple[int, ...] = (1, 2), **rules: Any) -> None:
        self.hands: dict[int, Hand] = {}
        self.slow: set[int] = set()
        self.signs = signs
        self.log, self.sizes = Log(), [0][:0]
        self._written: MatchAtHead | None = None
        super().__init__(*arguments, **rules)

    @property
    def written(self) -> MatchAtHead:
        """The match as the house and every client fold it."""
        known = 0 if self._written is None else self._written.match.version
        for written, _ in fold(self.lines[known:], self._written):
            self._written = written
        assert self._written is not None
        return self._written

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        command = self._as_asked(command)
        signature = self.signature_of(command, self.at + after_ms)
        made, signed = decide_signed(self.written, command, self.at + after_ms, self.keeper, signature)
        self.moments.append(Moment(len(self.lines), self.match, self.keeper))
        self.at += after_ms
        lines, self.head = lines_of(MATCH, self.match.version, self.head, self.at, made.events, signed)
        self.lines += lines
        self.events += made.events
        self.steps += made.steps
        self.match, self.keeper = made.match, made.keeper
        if isinstance(command, commands.Join) and command.key is not None:
            self.hands[made.events[0].seat].seat = made.events[0].seat  # type: ignore[union-attr]
        self.give_seeds()
        return made

    def _as_asked(self, command: commands.MatchCommand) -> commands.MatchCommand:
        if isinstance(command, commands.Join) and int(command.player[1:]) in self.signs:
            seat = int(command.player[1:])
            self.hands[seat] = Hand(MATCH, 1_000 + seat)
            return commands.Join(command.player, "client", None, self.hands[seat].key, "ab" * 32)
        if isinstance(command, commands.LogDeal):
            return self._logged(command)
        return command

    def _logged(self, command: commands.LogDeal) -> commands.LogDeal:
        sealed = self.match.sealed_seq
        assert sealed is not None
        index = self.log.add(anchor_entry(STREAM, sealed, canonical.head(self.lines[sealed]), "sealed"))
        checkpoint = self.log.checkpoint()
        self.sizes.append(len(self.log.hashes))
        path = tuple(item.hex() for item in self.log.inclusion(index, checkpoint).path)
        return commands.LogDeal(command.deal, index, path, checkpoint)

    def signature_of(self, command: commands.MatchCommand, at: int) -> SeatSignature | None:
        """Return what the seat signs, as its own program does: over lines that it has folded itself."""
        joins = isinstance(command, commands.Join) and command.key is not None
        seat = int(command.player[1:]) if isinstance(command, commands.Join) else getattr(command, "seat", None)
        signing, tag = self.written.signing, str(type(command).__struct_config__.tag)
        if seat is None or not (joins or seat in signing.seats):
            return None
        if tag not in FORMS and not isinstance(command, commands.Forfeit):
            return None
        salt = None
        first: events.Event | None = None
        if isinstance(command, commands.Arrange):
            salt = hashlib.sha256(f"salt {self.match.version}".encode()).hexdigest()
            first = decide_rules(self.match, command, at, self.keeper).events[0]
        public = public_form(command, SeatSignature(0, 1, "", salt), first)
        assert public is not None
        signed = self.hands[seat].sign(signing, public)
        return convert({**signed, "salt": salt}, SeatSignature)

    def give_seeds(self) -> None:
        """Let every seat that draws its own seeds give what is waited for, one after the other."""
        ceremony = self.match.ceremony
        waiting = () if ceremony is None else ceremony.waiting_for
        for seat in [seat for seat in waiting if seat in self.hands and seat not in self.slow][:1]:
            assert ceremony is not None
            seed = hashlib.sha256(f"seed {ceremony.deal} {seat}".encode()).digest()
            if ceremony.stage == "committed":
                commit = seed_commitment(seed, ceremony.ctx, ceremony.root, seat).hex()
                self.do(commands.CommitSeed(seat, ceremony.deal, commit))
            else:
                self.do(commands.OpenSeed(seat, ceremony.deal, seed.hex()))

    def start_withholding(self, seat: int) -> None:
        """Seat everybody and deal, up to where this seat does not open its seed."""
        for number in range(1, self.match.settings.seats + 1):
            self.do(commands.Join(f"p{number}", "server"))
        self.do(commands.Start(self.chance()))
        self.slow = {seat}
        self.go_on()

    def rekey(self, seat: int, new: Hand) -> None:
        """Let a seat change its key."""
        self.do(commands.Rekey(seat, new.key))
        self.hands[seat] = new

    def let_time_pass(self) -> None:
        """Let the table do what is due next."""
        due = due_at(self.match)
        assert due is not None
        self.do(commands.Advance(self.chance()), max(0, due - self.at))
        self.go_on()

    def act(self, seat: int) -> None:
        """Let a seat do the tamest thing it may."""
        moved = next(move for who, move in self.offers() if who == seat)
        self.do(commands_for(seat, moved)[0])
        self.go_on()

    def act_until(self, holds: Callable[[], bool], but: int) -> None:
        """Let whoever is in turn act, but this seat, until something holds."""
        while not holds():
            assert self.turn != but
            self.act(self.turn)

    def bundle(self) -> bytes:
        """Return the record file, as the house hands it out."""
        kind = "final" if self.match.ended else "live"
        index = self.log.add(anchor_entry(STREAM, len(self.lines) - 1, self.head, kind))
        checkpoint = self.log.checkpoint()
        grown = [self.log.consistency(old, checkpoint) for old in self.sizes]
        return assemble(self.lines, self.log.inclusion(index, checkpoint), grown)
