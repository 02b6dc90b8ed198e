"""The cost of provable dice: committing a deal, rolling and opening dice, auditing a record.

The floor is a bare loop of the HMACs that none of it can do without: two for every die that may be needed, one for
every die that is worked out. What counts is the time of a core, as for the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from hmac import digest
from typing import Final

from msgspec import Struct

from domain.fairness.deal import Cup, Deal, context
from domain.fairness.openings import DealSecrets
from domain.match.ceremony import commit_deal
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
    """Return what is measured: a deal, a roll with its opening, an audit."""
    dealer = _dealt().open_deal(MIX)
    file, rounds, slots = record()
    row, m = tuple(range(DICE)), (6,) * DICE

    def rolled() -> object:
        return [dealer.value(1, 0, slot, 6) for slot in row], dealer.open(1, 0, row, m)

    return (
        FairnessWork(f"a deal of {SEATS} seats and {ROLLS} rolls committed", 2 * SLOTS, _dealt),
        FairnessWork("a roll of five dice and its opening", 3 * DICE, rolled),
        FairnessWork(
            f"a record of {SEATS} seats and {rounds} rounds audited", 2 * slots, lambda: verdict_of(file, POLICY)
        ),
    )


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
