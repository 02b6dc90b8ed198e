"""`truecup bench signing`: what it takes a client to sign a command, beside a bare signature.

What counts is the time of a core: the lines are held already, as they are when it is somebody's turn, and the key is
written to its file each time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Final, TypeVar

from cyclopts import Parameter
from cyclopts.validators import Number

from domain import events
from domain.fairness.shapes import Signed
from domain.match.evolve import open_match
from domain.match.record import GENESIS, lines_of
from domain.match.signing import message_for
from infra.clock import cpu_s
from infra.entropy import draw
from services.audit.receipts import ReceiptBook
from services.cli.bench.clients.matches import MATCH, POLICY, RULES
from services.cli.bench.sheets.figures import Figure, figure
from services.cli.bench.sheets.machine import bare_machine
from services.cli.bench.sheets.sheets import REPETITIONS, BenchSheet, Samples, run
from services.client.keys.held import HeldRecord
from services.client.keys.seat_keys import SECRET_BYTES, KeptKey, KeyFile, new_key
from services.client.seating import Sitting, signing_file
from services.client.signing import SeatSigner

SEAT: Final = 1
BID: Final = {"type": "bid", "quantity": 2, "face": 3}
MESSAGE_BYTES: Final = 129
LEAST: Final = 20
"""How often each is done at least, however little time there is."""

Say = Callable[[str], None]
T = TypeVar("T")


def signing(
    *, seconds: Annotated[float, Parameter(validator=Number(gte=0.1, lte=3_600))] = 5.0, json: bool = False
) -> int:
    """Measure a command that a client signs.

    Args:
        seconds: How long to measure in all.
        json: Print one JSON document.
    """
    return run(partial(_signing, seconds), json=json)


async def _signing(seconds: float, say: Say) -> BenchSheet:
    samples, slice_s = Samples(), seconds / REPETITIONS / 2
    with tempfile.TemporaryDirectory() as folder:
        key = new_key(draw(SECRET_BYTES))
        signer = await _seated(Path(folder), key)
        for number in range(REPETITIONS):
            say(f"repetition {number + 1} of {REPETITIONS}")
            bare = await _measured(partial(_bare, key), slice_s)
            samples.add_waits(
                "command signed", await _measured(partial(_sign, signer), slice_s), "bare signature", bare
            )
    return BenchSheet("signing", bare_machine(), seconds, REPETITIONS, samples.rows())


async def _seated(folder: Path, key: KeptKey) -> SeatSigner:
    """Return what signs for a seat that has sat down with this key, and has seen all there is."""
    kept = ReceiptBook(str(MATCH), folder / "receipts", POLICY)
    sitting = Sitting("http://127.0.0.1:8000", str(MATCH), "token", kept, seat=SEAT)
    KeyFile(signing_file(sitting)).keep(key)
    record = _joined(key)
    signer = SeatSigner(sitting, partial(_given, record), partial(_given, []))
    await signer.reach(2)
    return signer


def _joined(key: KeptKey) -> bytes:
    """Return the record of a match at which one seat has been taken."""
    opened, head = lines_of(MATCH, 0, GENESIS, 0, [open_match(MATCH, RULES)])
    first = b"".join(line + b"\n" for line in opened)
    held = HeldRecord(str(MATCH))
    held.take(first)
    command = {"type": "join", "key": key.public, "custody": "client"}
    sig = key.signer().sign(message_for(held.signing, MATCH.bytes, None, 0, 1, command)).hex()
    joined = events.SeatJoined(SEAT, "p", key=key.public)
    lines, _ = lines_of(MATCH, 1, head, 0, [joined], Signed(command, 0, SEAT, sig, 1))
    return first + lines[0] + b"\n"


async def _given(something: T, *_: object) -> T:
    return something


async def _sign(signer: SeatSigner) -> None:
    async with signer.signed(BID, {"version": 2}):
        pass


async def _bare(key: KeptKey) -> None:
    key.signer().sign(bytes(MESSAGE_BYTES))


async def _measured(do: Callable[[], Awaitable[None]], seconds: float) -> Figure:
    took: list[float] = []
    begun = before = cpu_s()
    while len(took) < LEAST or before - begun < seconds:
        await do()
        after = cpu_s()
        took.append(after - before)
        before = after
    return figure(took, before - begun)
