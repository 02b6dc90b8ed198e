"""One die, proved to an auditor though its deal publishes nothing but what was shown (CUP/1 section 5.4).

Whoever holds the key of a die, its owner or the house, hands out the object that would have shown it. It proves itself
against the record: the die was fixed before any seed was known, it was rolled, and this is what it shows.
"""

from __future__ import annotations

from typing import Any

from domain.events import Revealed
from domain.fairness import shapes
from domain.fairness.chain import ChainedEvent, follow
from domain.fairness.dealing import Dealing
from domain.fairness.faults import Fault
from domain.fairness.openings import verify_opening
from domain.fairness.records import split


def prove_opening(record: bytes, opening: dict[str, Any]) -> Revealed:
    """Return the opening, which holds what these dice show, after checking it against a record.

    Args:
        record: A record file. Whether the log vouches for it, and whether it is fair, an audit of it says.
        opening: The members of a `cup.revealed`, as JSON has them.

    Raises:
        Fault: The record, or the opening, is not as it should be.

    Cost: that of layer 2 of an audit.
    """
    members = shapes.members_of("cup.revealed", opening)
    assert isinstance(members, shapes.Revealed), "its kind says so"
    shown = Revealed(members.deal, members.cup, members.roll, members.com, members.path, members.keys, members.values)
    deal = next((deal for deal in _replay(record).deals if deal.number == shown.deal), None)
    if deal is None or deal.mix is None or deal.is_unknown:
        raise Fault("E_SLOT", "the record has no such deal of its own, or its seeds never opened")
    verify_opening(shown, deal.ctx, deal.root, deal.cups, deal.mix, deal.moduli(shown.cup, shown.roll))
    return shown


def _replay(record: bytes) -> Dealing:
    dealing = Dealing()
    last: ChainedEvent | None = None
    for line in split(record).lines:
        last = follow(line, last)
        dealing.step(last)
    return dealing
