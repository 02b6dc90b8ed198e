"""The audit of a record, layers 1 and 2: chain and log, commitments and dice (CUP/1 section 4.10).

The law of the file: the record is read once, from top to bottom, and the first fault ends it, so that two auditors
agree on code and line. What is looked at, in this order:

    the file as a whole    UTF-8, every line ended, event lines before proofs                        line 0
    each event line        canonical, with the members of an event line                              E_FORMAT
                           follows the line before                                                   E_CHAIN
                           a type that exists, with its own members                                  E_FORMAT
                           in turn, then what follows from earlier lines (see `dealing`)             layer 2
                           what it says is logged is in the log, under a checkpoint believed         E_LOG
                           a beacon was still silent then                                            E_BEACON
                           what a seat with a key is said to have done, it signed                    E_UNSIGNED,
                                                                                    E_SIGNED (see `signing`)
    the proofs at the end  well-formed; the last line is in the log; the log only grew               E_LOG, on the line
                                                                                    after the last event line

A record that ends before `match.ended`, or without its final proof, is incomplete, not at fault.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from domain.fairness import beacons, shapes
from domain.fairness.anchors import Anchors
from domain.fairness.chain import ChainedEvent, follow
from domain.fairness.dealing import Dealing, Open, SharedDice
from domain.fairness.faults import CODES, Code, Fault
from domain.fairness.misdated import misdated_lines
from domain.fairness.records import RecordLine, RecordParts, split
from domain.fairness.signing.keyed_seats import KeyedSeats, SeatReport
from domain.log.notes import Verify
from domain.log.policies import NONE, Policy, is_quorum

Status = Literal["OK", "FAULT", "INCOMPLETE"]
WHOLE_FILE = 0
"""The line of a fault that the file has as a whole."""


class DealReport(Struct, frozen=True):
    """What is proved of a deal.

    Attributes:
        state: How far it came.
        ctx: Its context, as hex.
        root: The root that fixed its dice, as hex.
        mix: What the seeds came to, as hex; None if they never opened.
        values: Every die that is proved, as (cup, roll, slot, modulus, value), ascending.
    """

    state: str
    ctx: str
    root: str
    mix: str | None
    values: list[list[int]]


class AuditReport(Struct, frozen=True):
    """What an audit found. A fault says what and where, and nothing else of the record.

    Attributes:
        status: Whether the record is as it should be, at fault, or not complete.
        message: What was found, in a sentence.
        code: What is wrong; None if nothing is.
        line: Where, from 1; 0 for the file as a whole.
        anchored: Whether a log that the policy believes vouches for the record or a part of it; False without a policy.
        head: The hash of the last event line, as hex.
        deals: What is proved of each deal, by its number.
        seats: What is proved of each seat that has or had a key, by its number; None if none had.
        misdated: The lines that are more than a minute off the times of witnesses around them; None if none is.
    """

    status: Status
    message: str
    code: Code | None = None
    line: int | None = None
    anchored: bool | None = None
    head: str | None = None
    deals: dict[str, DealReport] | None = None
    seats: dict[str, SeatReport] | None = None
    misdated: list[int] | None = None


def audit(
    record: bytes,
    policy: Policy | None,
    verify_signature: Verify,
    layers: Collection[int] = (1, 2),
    chains: beacons.Chains = beacons.CHAINS,
) -> AuditReport:
    """Return what layers 1 and 2 find in a record file, which may be any bytes.

    Args:
        record: The file.
        policy: Whom to believe about the log. It must not come with the record. Without one no signature is judged:
            everything else is, and the report says that the record is not anchored.
        verify_signature: Checks Ed25519.
        layers: With 2, the dice; layer 1, chain and log, is always looked at.
        chains: The public beacons that count.

    Cost: linear in the record and in the slots of the deals that publish their secret, at most 2**18 a deal.
    """
    return audit_lines(record, policy, verify_signature, layers, chains).report


class Audited(Struct, frozen=True):
    """A record as layers 1 and 2 have read it: what they found, its event lines, and what these say."""

    report: AuditReport
    raw: tuple[bytes, ...] = ()
    lines: tuple[RecordLine, ...] = ()


def audit_lines(
    record: bytes,
    policy: Policy | None,
    verify_signature: Verify,
    layers: Collection[int] = (1, 2),
    chains: beacons.Chains = beacons.CHAINS,
    shared: SharedDice | None = None,
) -> Audited:
    """Return what `audit` does, with the lines it has read, so that nobody has to take them apart again.

    `shared` is the deal of the board whose dice a match shares; without it these are not held against anything.
    """
    course = _RecordAudit(policy, verify_signature, chains, dice=2 in layers)  # noqa: PLR2004 - the layer's number
    course.dealing = Dealing(shared)
    try:
        parts = split(record)
        complete = course.run(parts)
    except Fault as fault:
        return Audited(_report_of(fault, course.line, course.signing.first_not_borne_out()))
    unborne = course.signing.first_not_borne_out()
    if unborne is not None:
        return Audited(_report_of(None, course.line, unborne))
    return Audited(course.report(complete=complete), parts.lines, tuple(course.lines))


def _report_of(fault: Fault | None, line: int, unborne: int | None) -> AuditReport:
    """Return the first of a fault and a line, from 0, that is signed and no signature bears out."""
    if fault is None or (unborne is not None and unborne + 1 < line):
        assert unborne is not None, "one of them there is"
        fault, line = Fault("E_SIGNED", "no signature of its seat bears this line out"), unborne + 1
    return AuditReport("FAULT", f"{CODES[fault.code]}: {fault.why}", fault.code, line)


class _RecordAudit:
    """An audit on its way through a record."""

    def __init__(self, policy: Policy | None, verify: Verify, chains: beacons.Chains, *, dice: bool) -> None:
        self.line = WHOLE_FILE
        self.last: ChainedEvent | None = None
        self.policy = policy
        self.anchors = Anchors(policy, verify)
        self.chains = chains
        self.dealing = Dealing()
        self.signing = KeyedSeats(verify)
        self.dice = dice
        self.lines: list[RecordLine] = []

    def run(self, parts: RecordParts) -> bool:
        """Read all lines; report whether the record is complete."""
        for line in parts.lines:
            self.line += 1
            self.last = follow(line, self.last)
            self._step(self.last)
            link = self.last.link
            assert link is not None, "it was a line"
            self.lines.append(RecordLine(self.line, link.kind, link.data, link.at, link.signed))
        self.line += 1
        assert self.last is not None, "a record has an event line"
        proved = self.anchors.finish(self.last, parts)
        return proved and isinstance(self.last.members, shapes.MatchEnded)

    def _step(self, event: ChainedEvent) -> None:
        if self.dice:
            self.dealing.step(event)
        seen = self.anchors.step(event)
        if self.dice and isinstance(event.members, shapes.DealFixed):
            self._check_time(self.dealing.deals[-1], seen)
        if self.dice:
            self.signing.step(event)

    def _check_time(self, deal: Open, seen: dict[str, int]) -> None:
        """Check that enough witnesses saw all seeds open while nobody could know what the beacon would say."""
        assert deal.beacon is not None, "only a deal with a beacon is fixed"
        latest = beacons.deadline_of(deal.beacon, self.chains)
        timely = [name for name, at in seen.items() if at <= latest]
        if self.policy is not None and (self.policy.quorum == NONE or not is_quorum(self.policy, timely)):
            raise Fault("E_BEACON", "too few witnesses saw the seeds open before the round was near")

    def report(self, *, complete: bool) -> AuditReport:
        """Return the report of a record without fault."""
        assert self.last is not None, "a record has an event line"
        # Of dice that are shared nothing is known without the record of their board.
        dice = self.dice and not any(deal.is_unknown for deal in self.dealing.deals)
        return AuditReport(
            "OK" if complete else "INCOMPLETE",
            _message(complete=complete, judged=self.policy is not None, dice=dice),
            anchored=self.anchors.anchored,
            head=self.last.head,
            deals={str(deal.number): _report_of_deal(deal) for deal in self.dealing.deals},
            seats=self.signing.report() or None,
            misdated=misdated_lines(self.lines, self.anchors.witnessed) or None,
        )


def _report_of_deal(deal: Open) -> DealReport:
    values = [[*where, *what] for where, what in sorted(deal.values.items())]
    return DealReport(deal.stage, deal.ctx.hex(), deal.root.hex(), None if deal.mix is None else deal.mix.hex(), values)


def _message(*, complete: bool, judged: bool, dice: bool) -> str:
    found = "every line follows the one before it" + (
        ", and all dice were fixed before the seeds were known" if dice else ""
    )
    log = "the log vouches for it" if judged else "no policy was given, so nobody's word for the log was judged"
    if complete:
        return f"{found}; {log}"
    return f"{found}, as far as the record goes: it ends before the match did, or without the log's final proof"
