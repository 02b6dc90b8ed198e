"""Many records judged, on all cores, in the order in which they were named."""

from __future__ import annotations

import multiprocessing
import os
from base64 import b64decode
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.fairness.faults import Fault
from domain.fairness.names import names_in
from domain.fairness.records import split
from domain.log import canonical
from domain.log.canonical import LINE_BYTES_MAX
from domain.log.checkpoints import checkpoint_of
from domain.log.notes import Malformed
from domain.log.policies import Policy
from domain.log.proofs import inclusion_of
from services.audit.beacons import BeaconSource, known_beacons
from services.audit.verdict import RULES, Evidence, Verdict, verdict_of
from services.cli.auditing.sources import STDIN, Unread, access_of, board_of, people_of, read
from services.cli.ledger import REHEARSAL

ALONE_MAX: Final = 16
"""So few records are judged here: processes of their own would take longer to start."""
CHUNK: Final = 4


class Basis(Struct, frozen=True):
    """What records are judged by.

    Attributes:
        policy: Whom to believe about the log; None judges no signature of it.
        layers: Which layers to check.
        beacon: One more public beacon to believe.
        access: The access record of the one record there is; for None, the one that lies beside each.
        receipts: Receipts by their stream.
        names: The file of names of the one record there is; for None, the one that lies beside each.
        named: Whether somebody named the policy for these records; else it is that of this machine's own log.
    """

    policy: Policy | None
    layers: tuple[int, ...]
    beacon: BeaconSource | None = None
    access: str | None = None
    receipts: dict[str, tuple[str, ...]] = {}
    named: bool = True
    names: str | None = None


class FileVerdict(Struct, frozen=True):
    """A record and what the audit found.

    Attributes:
        name: Its name.
        verdict: What was found; None if it was not read, and `unread` says why.
        lines: How many lines it has.
        stream: Of what it says it is.
        rehearsed: Whether it is of a rehearsal, against which this machine's policy was not held.
    """

    name: str
    verdict: Verdict | None
    unread: str = ""
    lines: int = 0
    stream: str = ""
    rehearsed: bool = False


class Fork(Struct, frozen=True):
    """Two records of one match that differ: the first line in which they do, from 1."""

    match: str
    one: str
    other: str
    line: int


def judge_file(name: str, basis: Basis) -> FileVerdict:
    """Read a record and judge it."""
    try:
        record = read(name)
    except Unread as trouble:
        return FileVerdict(name, None, str(trouble))
    stream = _stream(record)
    try:
        # Only the rules tell who may know which dice: without them an access record is judged if somebody names one.
        sought = RULES in basis.layers or basis.access is not None
        access = access_of(name, basis.access) if sought else None
        beside = Evidence(access, basis.receipts.get(stream, ()), board_of(name, record))
    except Unread as trouble:
        return FileVerdict(name, None, f"its access record {basis.access} cannot be read: {trouble}")
    try:
        people = people_of(name, basis.names)
        beside = replace(beside, names=None if people is None else tuple(names_in(people)))
    except (Unread, Malformed) as trouble:
        return FileVerdict(name, None, f"its names cannot be read: {trouble}")
    rehearsed = not basis.named and basis.policy is not None and _is_rehearsed(record)
    policy = None if rehearsed else basis.policy
    verdict = verdict_of(record, policy, basis.layers, known_beacons(basis.beacon), beside)
    return FileVerdict(name, verdict, lines=record.count(b"\n"), stream=stream, rehearsed=rehearsed)


def _is_rehearsed(record: bytes) -> bool:
    """Report whether a record says that it is in the log of a rehearsal, which no policy but its own knows."""
    try:
        proof = split(record).proof or b""
        checkpoint = inclusion_of(b64decode(proof).decode()).checkpoint
        return checkpoint_of(checkpoint).origin == REHEARSAL
    except (Fault, Malformed, ValueError):
        return False


def _stream(record: bytes) -> str:
    """Return which stream a record says it is of, believed by nobody yet; empty if its first line is none."""
    line = record[:LINE_BYTES_MAX].partition(b"\n")[0]
    try:
        return str(canonical.decode(line).get("stream"))
    except canonical.NotCanonical:
        return ""


def all_judged(names: Sequence[str], basis: Basis, jobs: int | None) -> Iterator[FileVerdict]:
    """Yield every record judged, in order.

    Args:
        names: Files, addresses, or - for stdin.
        basis: What they are judged by.
        jobs: How many processes; as many as there are cores for None.

    Cost: about 25 ms of a core for a match of six seats and twenty rounds. A process holds one record at a time.
    """
    judge = partial(judge_file, basis=basis)
    processes = min(jobs or os.cpu_count() or 1, len(names))
    if processes == 1 or STDIN in names or (jobs is None and len(names) <= ALONE_MAX):
        yield from map(judge, names)
        return
    # Each process begins afresh: one that is forked would take the terminal's threads along, asleep with their locks.
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(judge, names, chunksize=CHUNK)


class Histories:
    """What records have said of each match, to notice two that tell different histories."""

    def __init__(self) -> None:
        """Begin with no record."""
        self._known: dict[str, FileVerdict] = {}

    def differ(self, new: FileVerdict) -> Fork | None:
        """Report where a record differs from an earlier one of its match; None if there is none, or one goes on.

        A record with a fault proves nothing about a match, and is not compared.

        Raises:
            Unread: One of the two files has gone since it was judged.
        """
        verdict = new.verdict
        if verdict is None or verdict.record is UNSET or verdict.match is UNSET or not verdict.match:
            return None
        known = self._known.setdefault(verdict.match, new)
        assert known.verdict is not None, "only what was judged is known"
        if known.verdict.head == verdict.head or STDIN in {new.name, known.name}:
            return None
        line = _first_difference(_lines(known.name), _lines(new.name))
        if line is None:
            self._known[verdict.match] = max(known, new, key=lambda judged: judged.lines)
            return None
        return Fork(verdict.match, known.name, new.name, line)


def _lines(name: str) -> list[bytes]:
    return [line for line in read(name).split(b"\n") if line and not line.startswith(b"#")]


def _first_difference(one: list[bytes], other: list[bytes]) -> int | None:
    pairs = enumerate(zip(one, other, strict=False), start=1)
    return next((number for number, (left, right) in pairs if left != right), None)
