"""The cost of provable play: committing a deal, rolling and opening dice, auditing a record, and signed commands.

The floor is a bare loop of the HMACs that none of it can do without: two for every die that may be needed, one for
every die that is worked out, and two hashes for every command that is signed. What counts is the time of a core, as
for the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from hmac import digest
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from domain.fairness.audit import audit_lines
from domain.fairness.deal import Cup, Deal, context
from domain.fairness.openings import DealSecrets
from domain.fairness.signing.messages import NO_SEAT, NOTHING_BEFORE, message_of
from domain.log import canonical
from domain.match.ceremony import commit_deal
from infra.keys import Ed25519Signer, ed25519_verify
from services.audit.verdict import verdict_of
from services.cli.bench.clients.matches import POLICY, record
from services.cli.bench.sheets.figures import Figure, figure

SEATS: Final = 6
DICE: Final = 5
ROLLS: Final = 29
CUPS: Final = (Cup(0, 0, 4, 8), *(Cup(seat, seat, ROLLS, DICE) for seat in range(1, SEATS + 1)))
SLOTS: Final = sum(cup.rolls * cup.width for cup in CUPS)
KEY, MIX, BLOCK = bytes(32), bytes(range(32)), bytes(80)
LOOKS: Final = 64
"""HMACs between two looks at the clock."""
MATCH: Final = bytes(16)
ID: Final = str(UUID(bytes=MATCH))
STREAM: Final = f"match/{ID}"
COMMANDS: Final = 600
HASHES: Final = 2
"""What a signed command costs an audit besides the hash of its line: that of the command, and of its message."""

Clock = Callable[[], float]


class FairnessWork(Struct, frozen=True):
    """Something to measure.

    Attributes:
        name: What it is, for people.
        hmacs: How many HMACs it cannot do without.
        do: Does it once.
    """

    name: str
    hmacs: int
    do: Callable[[], object]


def works() -> tuple[FairnessWork, ...]:
    """Return what is measured: a deal, a roll with its opening, an audit, and one of signed commands."""
    dealer = _dealt().open_deal(MIX)
    file, rounds, slots = record()
    signed = signed_record()
    row, m = tuple(range(DICE)), (6,) * DICE

    def rolled() -> object:
        return [dealer.value(1, 0, slot, 6) for slot in row], dealer.open(1, 0, row, m)

    return (
        FairnessWork(f"a deal of {SEATS} seats and {ROLLS} rolls committed", 2 * SLOTS, _dealt),
        FairnessWork("a roll of five dice and its opening", 3 * DICE, rolled),
        FairnessWork(
            f"a record of {SEATS} seats and {rounds} rounds audited", 2 * slots, lambda: verdict_of(file, POLICY)
        ),
        FairnessWork(
            f"{COMMANDS} signed commands of {SEATS} seats audited",
            HASHES * COMMANDS,
            lambda: audit_lines(signed, None, ed25519_verify),
        ),
    )


def signed_record() -> bytes:
    """Return a match whose seats have keys and bid in turn, each command signed over all lines before it."""
    lines = [canonical.line(STREAM, 0, "0" * 64, 0, "match.created", {"match": ID, "rules": {}, "policy": "all"})]
    signers = {seat: Ed25519Signer(bytes([seat]) * 32) for seat in range(1, SEATS + 1)}
    before = dict.fromkeys(signers, NOTHING_BEFORE)
    for n in range(1 + COMMANDS // SEATS):
        for seat, signer in signers.items():
            kind, data, command = _asked(n, seat, signer.public_key.hex())
            version, head = len(lines), canonical.head(lines[-1])
            whose = seat if n else NO_SEAT
            message = message_of(MATCH, whose, n, version, bytes.fromhex(head), before[seat], command)
            before[seat] = sha256(message).digest()
            signed = {"command": command, "n": n, "seat": seat, "sig": signer.sign(message).hex(), "version": version}
            lines.append(canonical.line(STREAM, version, head, 0, kind, data, signed))
    return b"".join(line + b"\n" for line in lines)


def _asked(n: int, seat: int, key: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the type and the members of a line, and the command it came of: a join, or the bids that follow it."""
    if n == 0:
        joined = {"seat": seat, "player": f"p{seat}", "key": key}
        return "seat.joined", joined, {"type": "join", "key": key, "custody": "client"}
    return "game.bid", {"seat": seat, "quantity": n, "face": DICE}, {"type": "bid", "quantity": n, "face": DICE}


def hmac_speed(clock: Clock, seconds: float) -> Figure:
    """Measure the floor: an HMAC of a key and a short text."""
    begun_at, made = clock(), 0
    while (elapsed := clock() - begun_at) < seconds:
        for _ in range(LOOKS):
            digest(KEY, BLOCK, "sha256")
        made += LOOKS
    took_ms = round(1_000 * elapsed / made, 6)
    return Figure(round(made / elapsed, 1), took_ms, took_ms)


def work_speed(work: FairnessWork, clock: Clock, seconds: float) -> Figure:
    """Measure a piece of work, over and over; at least once, however little time there is."""
    took: list[float] = []
    begun_at = before = clock()
    while not took or before - begun_at < seconds:
        work.do()
        after = clock()
        took.append(after - before)
        before = after
    return figure(took, before - begun_at)


def _dealt() -> DealSecrets:
    keeper = DealSecrets(0, KEY, {}, Deal(KEY, context(MATCH, 0, KEY, "all", CUPS), CUPS))
    commit_deal(keeper)
    return keeper
