"""The audit of an access stream: who saw what, and whether they were allowed to.

The rules say who may know which dice from which version on, so a finished match that the referee has replayed tells
what has to be on record: every roll a seat was let know, once, with that version, and nothing else that was hidden. A
line for a seat that may not know the dice, before everybody has seen them, is a fault; so is a seat that was let know
dice while no line says so, since then lines were left out. Casters and admins are no seats: no rule of the game binds
them, and each line by which hidden dice went to one is a finding. Source: CUP/1 section 4.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.audit import access
from domain.audit.access import Key, Rights, Served
from domain.audit.rulings import ReplayResult
from domain.fairness import chain, records, shapes
from domain.fairness.anchors import Anchors
from domain.fairness.chain import Link
from domain.fairness.faults import CODES, Code, Fault
from domain.ids import Version
from domain.log import canonical
from domain.log.notes import Verify
from domain.log.policies import Policy

BOUND: Final = ("seat/", "stand_in/", "spectator")
"""How the viewers begin that the rules bind."""
NAMED_MAX: Final = 3
"""How many of those a sentence names who were served hidden dice and have no seat."""


class ServedTotals(Struct, frozen=True):
    """What a viewer was served: of how many rolls, and how many dice."""

    rolls: int
    dice: int


class Notice(Struct, frozen=True):
    """That hidden dice went to somebody who has no seat: the line of the access record, from 1, and who it was."""

    line: int
    viewer: str


class Disclosure(Struct, frozen=True):
    """What an access record comes to.

    Attributes:
        status: Whether it is as it should be, at fault, or not complete.
        message: What was found, in a sentence.
        code: What is wrong; None if nothing is.
        line: Where in the access record, from 1; 0 for the file as a whole.
        anchored: Whether a log that the policy believes vouches for its end.
        viewers: What each viewer was served, as far as the record says; empty after a fault.
        noticed: The lines by which hidden dice went to casters and admins; empty after a fault.
    """

    status: Literal["OK", "FAULT", "INCOMPLETE"]
    message: str
    code: Code | None = None
    line: int | None = None
    anchored: bool = False
    viewers: dict[str, ServedTotals] = {}
    noticed: tuple[Notice, ...] = ()


def judge(
    record: bytes, lines: Sequence[bytes], ruling: ReplayResult, policy: Policy | None, verify_signature: Verify
) -> Disclosure:
    """Return what an access record says, which may be any bytes, held against its match.

    Args:
        record: The access record.
        lines: The event lines of the match, which have passed layers 1 and 2.
        ruling: How far they follow from the rules, and whom the rules let know what in these.
        policy: Whom to believe about the log; without one no signature is judged.
        verify_signature: Checks Ed25519.

    Cost: linear in both records.
    """
    course = _AccessReplay(lines, ruling.upto, ruling.rights)
    anchors = Anchors(policy, verify_signature)
    try:
        parts = records.split(record)
        for line in parts.lines:
            course.take(line)
        course.finish()
        course.line += 1
        assert course.last is not None, "a record has an event line"
        # The last line of an access stream is anchored as that of a match is.
        end = chain.ChainedEvent(course.last.seq, course.last.stream, course.last.head, shapes.MatchEnded())
        proved = anchors.finish(end, parts) and course.closed
    except Fault as fault:
        return Disclosure("FAULT", f"{CODES[fault.code]}: {fault.why}", fault.code, course.line)
    whole, noticed = proved and course.over, tuple(course.noticed)
    message = _message(noticed, whole=whole, ruled=ruling.upto > 0)
    status: Literal["OK", "INCOMPLETE"] = "OK" if whole else "INCOMPLETE"
    return Disclosure(status, message, None, None, anchors.anchored, course.viewers(), noticed)


def served_besides(noticed: Sequence[Notice]) -> str:
    """Return to whom hidden dice went that no rule lets see them, in a sentence without its end; empty for nobody."""
    first: dict[str, int] = {}
    for each in noticed:
        first.setdefault(each.viewer, each.line)
    told = [f"{viewer} (line {line} of the access record)" for viewer, line in first.items()]
    if len(told) > NAMED_MAX:
        told[NAMED_MAX:] = [f"{len(told) - NAMED_MAX} more"]
    return f"hidden dice were served to {', '.join(told)}" if told else ""


# ---- what is on record --------------------------------------------------------------------------


class _Created(Struct, frozen=True, forbid_unknown_fields=True):
    match: shapes.MatchId


class _Served(Struct, frozen=True, forbid_unknown_fields=True):
    viewer: Annotated[str, Meta(pattern=r"\A(spectator|(seat|stand_in)/[1-9][0-9]{0,2}|(caster|admin)/[!-~]{1,64})\Z")]
    deal: shapes.DealNumber
    cup: shapes.Byte
    roll: Annotated[int, Meta(ge=0, le=65_535)]
    slots: tuple[shapes.Byte, ...]
    version: Annotated[int, Meta(ge=1)]


class _Closed(Struct, frozen=True, forbid_unknown_fields=True):
    version: Annotated[int, Meta(ge=1)]


_SHAPES: Final[dict[str, type[_Created | _Served | _Closed]]] = {
    access.CREATED: _Created,
    access.SERVED: _Served,
    access.CLOSED: _Closed,
}


class _AccessReplay:
    """An access record on its way through the audit."""

    def __init__(self, lines: Sequence[bytes], upto: int, rights: Rights) -> None:
        self.line = 0
        self.last: Link | None = None
        self.closed = False
        self.over = upto == len(lines) and canonical.decode(lines[-1])["type"] == "match.ended"
        self._rights = rights
        self._upto = upto
        self._told: dict[Key, Served] = {}
        self.noticed: list[Notice] = []
        self._stream = f"access/{chain.next_link(lines[0], None).stream.removeprefix('match/')}"

    def take(self, line: bytes) -> None:
        """Read a line.

        Raises:
            Fault: `E_FORMAT`, `E_CHAIN`, `E_ORDER` or `E_ACCESS`.
        """
        self.line += 1
        first = self.last is None
        self.last = chain.next_link(line, self.last)
        members = _members_of(self.last)
        if self.closed or first != isinstance(members, _Created):
            raise Fault("E_ORDER", "an access record begins once, ends once, and nothing follows")
        if isinstance(members, _Created):
            if self.last.stream != self._stream or f"access/{members.match}" != self._stream:
                raise Fault("E_ACCESS", "this is the access record of another match")
        elif isinstance(members, _Served):
            self._serve(Served(**msgspec.structs.asdict(members)))
        else:
            self._close(members.version)

    def _serve(self, served: Served) -> None:
        if served.key in self._told:
            raise Fault("E_ACCESS", f"{served.viewer} is on record twice with these dice")
        self._told[served.key] = served
        self._check_version(served.version)
        if served.version <= self._upto and not self._is_allowed(served):
            raise Fault("E_ACCESS", f"{served.viewer} was served roll {served.roll} of cup {served.cup}, {_WHY}")
        if not served.viewer.startswith(BOUND) and not self._is_public(served):
            self.noticed.append(Notice(self.line, served.viewer))

    def _is_allowed(self, served: Served) -> bool:
        """Report whether the rules allow it: exactly so for a seat that may know the dice, else once all may."""
        allowed = self._rights.allowed.get(served.key)
        if allowed is not None:
            return served == allowed
        there = self._rights.rolled.get((served.deal, served.cup, served.roll)) == served.slots
        return there and (not served.viewer.startswith(BOUND) or self._is_public(served))

    def _is_public(self, served: Served) -> bool:
        """Report whether everybody had seen these dice by then."""
        public = self._rights.public.get((served.deal, served.cup, served.roll))
        return public is not None and public <= served.version

    def _close(self, version: Version) -> None:
        self.closed = True
        self._check_version(version)
        if version < self._upto:
            raise Fault("E_ACCESS", f"the record closes at version {version}, and the match went on")

    def _check_version(self, version: Version) -> None:
        """Check that the match has such a version; while it goes on, later ones are left to another audit."""
        if self.over and version > self._upto:
            raise Fault("E_ACCESS", f"the match has no version {version}")

    def finish(self) -> None:
        """Check that nothing is missing.

        Raises:
            Fault: `E_ACCESS`, at the last line.
        """
        missing = next((each for key, each in self._rights.allowed.items() if key not in self._told), None)
        if self.closed and missing is not None:
            raise Fault(
                "E_ACCESS",
                f"{missing.viewer} was let know roll {missing.roll} of cup {missing.cup}, and no line says so",
            )

    def viewers(self) -> dict[str, ServedTotals]:
        """Return what each viewer was served."""
        found: dict[str, ServedTotals] = {}
        for served in self._told.values():
            before = found.get(served.viewer, ServedTotals(0, 0))
            found[served.viewer] = ServedTotals(before.rolls + 1, before.dice + len(served.slots))
        return found


_WHY: Final = "which it may not know, or not from that version on"


def _members_of(link: Link) -> _Created | _Served | _Closed:
    shape = _SHAPES.get(link.kind)
    if shape is None:
        raise Fault("E_FORMAT", "there is no line of this type in an access record")
    try:
        return msgspec.convert(link.data, shape)
    except msgspec.ValidationError as error:
        raise Fault("E_FORMAT", f"{link.kind} does not have the members it should: {error}") from error


def _message(noticed: Sequence[Notice], *, whole: bool, ruled: bool) -> str:
    found = (
        "every seat was served the hidden dice that the rules let it know"
        if ruled
        else "what the access record says was not held against the rules, which alone tell who may know which dice"
    )
    if noticed:
        found = f"{found}, and {served_besides(noticed)}"
    elif ruled:
        found = f"{found}, and nobody any others"
    if whole or not ruled:
        return found
    return f"{found}, as far as the records go: the match is not over, or a final proof is missing"
