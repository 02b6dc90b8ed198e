"""Audits on pages: the report of a record in sentences, and who was served which hidden dice, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, convert

from projections.view import SeatView, View
from services.audit.findings import Findings, findings
from services.audit.verdict import Verdict
from services.web.people import called
from services.words.catalogue import message, say

Report = Mapping[str, Any]


class SightText(Struct, frozen=True):
    """What one viewer was served of hidden dice."""

    who: str
    rolls: int
    dice: int


class AuditText(Struct, frozen=True):
    """What a page says of a report.

    Attributes:
        found: The sentences.
        message: What the auditor itself said of a fault; empty where there is none.
        sights: What each viewer was served.
        head: The hash of the last line; empty after a fault.
        deals: What is proved of each deal, by its number.
    """

    found: Findings
    message: str
    sights: tuple[SightText, ...]
    head: str
    deals: dict[str, Any]


def audit_text(report: Report, view: View) -> AuditText:
    """Return a report of the house, which judges by a policy, in sentences; seats by their names."""
    verdict = convert(report, Verdict)
    names = {f"seat/{seat.seat}": _name_of(seat) for seat in view.seats}
    viewers = {} if verdict.seen is UNSET else verdict.seen.viewers
    return AuditText(
        findings(verdict, judged_log=True),
        verdict.message if verdict.status == "FAULT" else "",
        tuple(SightText(names.get(who, who), seen.rolls, seen.dice) for who, seen in viewers.items()),
        "" if verdict.head is UNSET else verdict.head,
        verdict.deals if isinstance(verdict.deals, dict) else {},
    )


def _name_of(seat: SeatView) -> str:
    return say(message("audit.viewer"), {"name": called(seat), "seat": str(seat.seat)})
