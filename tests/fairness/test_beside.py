"""One status for a record and what lies beside it: a fault beats what was not judged, and that beats what is fair."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
import pytest

from domain.fairness.records import split
from domain.log import canonical
from domain.log.receipts import signed_receipt
from services.findings import findings
from services.verdict import Beside, Void, verdict_of
from tests.domain.truths import Course, Record, played_out
from tests.fairness.bundling import access_beside, bundled
from tests.fairness.forging import ORIGIN, POLICY, POLICY_TEXT, SIGNERS, Log, Story
from tests.fairness.second import Ask, in_javascript

Told = dict[str, Any]


@cache
def match() -> Record:
    course = Course({"dice_per_player": 1}, 2, "beside", "common_hand", pause_ms=0)
    course.start()
    return played_out(course, 1).record


@cache
def record() -> bytes:
    return bundled(match())


def renamed(**changed: Any) -> bytes:
    """Return the record of the match with other members of its rules object."""
    first = match()[0]
    data = {**first["data"], "rules": {**first["data"]["rules"], **changed}}
    return bundled([{**first, "data": data}, *match()[1:]])


def served_to(viewer: str) -> bytes:
    """Return the access record with one more line, by which the dice of its first serving went to this viewer."""
    lines = list(split(access_beside(record())).lines)
    served = canonical.decode(lines[1])["data"]
    more = [canonical.decode(line) for line in lines]
    more.insert(2, {**more[1], "data": {**served, "viewer": viewer}})
    return chained(more)


def chained(documents: list[Told]) -> bytes:
    stream, lines = documents[0]["stream"], list[bytes]()
    for seq, each in enumerate(documents):
        head = canonical.head(lines[-1]) if lines else "0" * 64
        lines.append(canonical.line(stream, seq, head, each["at"], each["type"], each["data"]))
    return logged(stream, lines)


def logged(stream: str, lines: list[bytes]) -> bytes:
    from domain.fairness.records import assemble  # noqa: PLC0415
    from domain.log.proofs import anchor_entry  # noqa: PLC0415

    log = Log()
    index = log.add(anchor_entry(stream, len(lines) - 1, canonical.head(lines[-1]), "final"))
    return assemble(lines, log.inclusion(index, log.checkpoint()))


def receipt(line: int, said: bytes | None = None, signer: str = ORIGIN) -> str:
    """Return what the server signed of a line of the record, from 1: that it is this one, or another."""
    lines = split(record()).lines
    head = canonical.head(lines[line - 1] if said is None else said)
    return signed_receipt(ORIGIN, canonical.decode(lines[0])["stream"], line - 1, head, signers=(SIGNERS[signer],))
