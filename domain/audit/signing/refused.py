"""Refusals and commands that clients keep, held against a record: heard in time, ignored, or overtaken.

A refusal is the server's word, signed and dated, that it heard a command. It contradicts the record if that very
command stands there, or if the rules would have taken it: decided on the match as it was after the last line that is
not later (CUP/1 section 4.14.7). A key that it would have given a seat counts there as it does in layer 2: it is free,
and one that somebody could sign with. What has no answer proves nothing, since nobody can tell a server that kept
silent from a line that was cut.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.audit.signing.kept import HEADER, kept_command
from domain.errors import Refused
from domain.fairness.chain import Link, next_link
from domain.fairness.openings import DealSecrets
from domain.fairness.points import is_point
from domain.fairness.shapes import Signed
from domain.fairness.signing.forms import FORMS, JOIN
from domain.ids import Seat
from domain.log.notes import Malformed, Verify
from domain.log.policies import Policy, is_signed
from domain.log.receipts import Contradiction, is_of_command
from domain.log.refusals import Refusal, refusal_of
from domain.match.decide import decide
from domain.match.evolve import Match
from domain.match.signing import (
    NO_SIGNATURES,
    CannotSign,
    Signing,
    SigningSeat,
    after,
    key_for,
    keys_of,
    message_signed,
)
from domain.table.interludes import COMMANDS

What: TypeAlias = Literal["strange", "stands", "allowed", "lawful", "overtaken", "heard", "answered", "silent", "later"]
"""What comes of a note: `strange` proves nothing here, `later` is of lines that are not there yet.

A command `stands` in the record, was `answered` by a refusal, or has no answer (`silent`). A refusal is contradicted
where its command `stands`, or was `allowed`; it was `lawful`, or a line had `overtaken` the command; or nobody can say,
and it is proved that it was `heard`.
"""
Moment: TypeAlias = tuple[Match, DealSecrets | None]
"""A match, and who knows its dice, before a command."""
CONTRADICTED: Final[dict[What, str]] = {
    "stands": "the server refused this command, and it stands in the record",
    "allowed": "the server refused a command here, though the rules allowed it",
}
LATEST: Final = 2**53 - 1
"""A time after all others, at which a key holds that is to hold at any."""
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_OF_A_SEAT: Final = (
    *get_args(commands.Play),
    *COMMANDS,
    commands.Leave,
    commands.Rekey,
    commands.CommitSeed,
    commands.OpenSeed,
)
_ASKED: Final[dict[str, type[commands.Command]]] = {
    "resign": commands.Forfeit,
    **{str(kind.__struct_config__.tag): kind for kind in _OF_A_SEAT},
}


class NoteFinding(Struct, frozen=True):
    """What comes of a refusal or a command that was kept.

    Attributes:
        number: Which of the notes, from 1.
        what: See `What`.
        line: Where its command stands, the line that had overtaken it, or the last before it was refused, from 1.
        at: When it was refused, in Unix milliseconds, by the server's word.
    """

    number: int
    what: What
    line: int | None = None
    at: int | None = None


class RefusalComparison(Struct, frozen=True):
    """Refusals and kept commands held against a record: all of them in their order, and those that contradict it."""

    notes: tuple[NoteFinding, ...]
    contradicted: tuple[Contradiction, ...]


def hold_refusals(
    raw: Sequence[bytes], moments: Mapping[int, Moment], notes: Sequence[str], policy: Policy | None, verify: Verify
) -> RefusalComparison:
    """Return what refusals and kept commands say to a record.

    Args:
        raw: Its event lines, of one match, that have passed layers 1 and 2.
        moments: What the referee went through, by how many lines there were; of what it could not judge nothing.
        notes: The notes of a file, of which receipts are passed over.
        policy: Whom to believe. Without one no signature of a log is judged.
        verify: Checks Ed25519.

    Cost: linear in the record; a verification and a decision for each note.
    """
    record = _Followed(raw, moments, verify)
    numbered = [(number, text) for number, text in enumerate(notes, start=1) if is_of_command(text)]
    kept = {number: _kept(text, record) for number, text in numbered if text.startswith(HEADER)}
    known = {one.hash: one for one in kept.values() if one is not None}
    refused = {number: _refusal(text, record, policy) for number, text in numbered if not text.startswith(HEADER)}
    heard = {refusal.message for refusal in refused.values() if refusal is not None}
    found = [_of_refusal(number, each, record, known) for number, each in refused.items()]
    found += [_of_command(number, each, record, heard) for number, each in kept.items()]
    found.sort(key=lambda each: each.number)
    against = [
        Contradiction(each.number, each.line or 0, CONTRADICTED[each.what])
        for each in found
        if each.what in CONTRADICTED and each.number in refused
    ]
    return RefusalComparison(tuple(found), tuple(sorted(against, key=lambda each: each.line)))


class _Known(Struct, frozen=True):
    """A command that is signed well, and the bytes that were signed: none where the record does not reach so far."""

    signed: Signed
    message: bytes

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.message).hexdigest()


class _Followed:
    """A record with what its signatures hung on after each of its lines."""

    def __init__(self, raw: Sequence[bytes], moments: Mapping[int, Moment], verify: Verify) -> None:
        self.moments = moments
        self.links: list[Link] = []
        self.states: list[Signing] = [NO_SIGNATURES]
        self.stands: dict[str, int] = {}
        self.verify = verify
        for line in raw:
            self._follow(line)

    @property
    def stream(self) -> str:
        return self.links[0].stream

    @property
    def match(self) -> bytes:
        return UUID(self.stream.partition("/")[2]).bytes

    def _follow(self, line: bytes) -> None:
        link = next_link(line, self.links[-1] if self.links else None)
        self.links.append(link)
        signed = link.signed
        if signed is not None:
            made = message_signed(self.states[-1], self.match, signed)
            self.stands[hashlib.sha256(made).hexdigest()] = link.seq + 1
        self.states.append(after(self.states[-1], self.match, link))

    def message_of(self, signed: Signed) -> bytes | None:
        """Return what a seat signed over this very history; None if its key did not sign that."""
        joins, state = signed.command.get("type") == JOIN, self.states[signed.version]
        if not (joins or signed.seat in state.seats):
            return None
        try:
            made = message_signed(state, self.match, signed)
        except CannotSign:
            return None
        known = SigningSeat(_key_in(signed.command)) if joins else state.seats[signed.seat]
        return made if key_for(known, LATEST, made, bytes.fromhex(signed.sig), self.verify) is not None else None

    def version_at(self, refusal: Refusal) -> int | None:
        """Return how many lines a refused command was decided on; None if the record does not reach so far."""
        before = sum(1 for link in self.links if link.at <= refusal.at)
        wanted = max(before, refusal.version)
        return min((version for version in self.moments if version >= wanted), default=None)


def _key_in(command: Mapping[str, Any]) -> str:
    key = str(command.get("key"))
    return key if _KEY.fullmatch(key) else ""


def _kept(text: str, record: _Followed) -> _Known | None:
    try:
        kept = kept_command(text)
    except Malformed:
        return None
    if kept.stream != record.stream:
        return None
    message = b"" if kept.signed.version > len(record.links) else record.message_of(kept.signed)
    return None if message is None else _Known(kept.signed, message)


def _refusal(text: str, record: _Followed, policy: Policy | None) -> Refusal | None:
    try:
        refusal, note = refusal_of(text)
    except Malformed:
        return None
    believed = policy is None or is_signed(note, policy, record.verify)
    return refusal if believed and refusal.stream == record.stream else None


def _of_command(number: int, known: _Known | None, record: _Followed, heard: set[str]) -> NoteFinding:
    if known is None:
        return NoteFinding(number, "strange")
    if not known.message:
        return NoteFinding(number, "later")
    line = record.stands.get(known.hash)
    if line is not None:
        return NoteFinding(number, "stands", line)
    return NoteFinding(number, "answered" if known.hash in heard else "silent")


def _of_refusal(number: int, refusal: Refusal | None, record: _Followed, known: Mapping[str, _Known]) -> NoteFinding:
    if refusal is None:
        return NoteFinding(number, "strange")
    line = record.stands.get(refusal.message)
    if line is not None:
        return NoteFinding(number, "stands", line, refusal.at)
    if refusal.version > len(record.links):
        return NoteFinding(number, "later", None, refusal.at)
    version, command = record.version_at(refusal), known.get(refusal.message)
    if version is None or command is None:
        return NoteFinding(number, "heard", None, refusal.at)
    what, line = _judged(command, version, record, refusal)
    return NoteFinding(number, what, line, refusal.at)


def _judged(known: _Known, version: int, record: _Followed, refusal: Refusal) -> tuple[What, int | None]:
    """Return what the rules say to a command that was refused, decided after so many lines."""
    signed, state = known.signed, record.states[version]
    command, (match, keeper) = _command(signed.seat, signed.command), record.moments[version]
    if not state.has_seen_enough(signed.version):
        return "overtaken", state.loud + 1
    # Which dice lay where none are published the record does not say; and whom a house seats is not for rules alone.
    if command is None or match.policy != "all":
        return "heard", None
    # A seat that has left wrote a loud line, and so overtook whatever it had asked for before.
    seat, by = state.seats[signed.seat], bytes.fromhex(signed.sig)
    key = key_for(seat, refusal.at, known.message, by, record.verify) if seat.n + 1 == signed.n else None
    if key is None or not _may_have(command, key, signed.seat, state, record.verify):
        return "lawful", None
    try:
        decide(match, command, max(refusal.at, match.at), keeper)
    except Refused:
        return "lawful", None
    return "allowed", version


def _may_have(command: commands.MatchCommand, key: str, number: Seat, state: Signing, verify: Verify) -> bool:
    """Report whether a seat may have the key that its command asks for, if it asks for one.

    It is signed with `key`, and with that it is decided what a host has named for the seat before.
    """
    if not isinstance(command, commands.Rekey):
        return True
    others = replace(state, seats={**state.seats, number: SigningSeat(key)})
    return command.key not in keys_of(others, verify) and is_point(bytes.fromhex(command.key))


def _command(seat: Seat, said: Mapping[str, Any]) -> commands.MatchCommand | None:
    """Return a command as it is decided; None for a join, and where only a seal says which dice it is about.

    Of an `arrange` the house signs no refusal: its public form says where dice lie, which only the line tells, and
    there is none. A note of one that a house has signed all the same was heard, and no more: `handled` opens what
    stands, and nobody publishes salt or positions of what was refused. Its counts alone would call lawful or allowed
    what hung on the dice.
    """
    kind = str(said.get("type"))
    if kind not in _ASKED or said.keys() != {"type", *FORMS[kind].same, *FORMS[kind].own}:
        return None
    if kind == "resign":
        return commands.Forfeit(seat)
    try:
        made: Any = msgspec.convert({**said, "seat": seat}, type=_ASKED[kind])
    except msgspec.ValidationError:
        return None
    asked: commands.MatchCommand = made
    return asked
