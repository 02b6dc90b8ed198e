"""The course of a match in a view: its deal, its pauses, and who has asked to go on.

Every viewer sees the same of it.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from domain import events
from domain.ids import Seat, UnixMs
from domain.match.dues import beacon_due_at, continue_awaited
from domain.match.evolve import Match


class DealView(Struct, frozen=True):
    """Where the deal ceremony stands.

    Attributes:
        number: The deal's number in the match.
        stage: `committed`, `sealed`, `logged`, `fixed`, `ready`, `voided` or `closed`.
        waiting_for: The seats whose seed is awaited now.
        cups: (id, owner, rolls, width) of every cup, and the root over all dice: what a seat commits its seed to.
        beacon: The round of a public beacon that this deal waits for, if it does.
        beacon_at: When that round is due, in Unix milliseconds: the dice are in nobody's power before.
    """

    number: int
    stage: str
    waiting_for: tuple[Seat, ...]
    cups: tuple[tuple[int, int, int, int], ...]
    root: str
    beacon: events.BeaconRound | None = None
    beacon_at: UnixMs | None = None


class PauseView(Struct, frozen=True):
    """A pause that the host has asked for.

    Attributes:
        since: When it began, in Unix milliseconds.
        until: When the table goes on by itself, in Unix milliseconds.
    """

    since: UnixMs
    until: UnixMs
    reason: events.Reason


class ContinueView(Struct, frozen=True):
    """A pause between two rounds that is over as soon as everybody who plays has asked for the next one.

    Attributes:
        by: The seats that have, in the order in which they did.
        awaits: The seats that the table waits for; they may ask to `continue`.
    """

    by: tuple[Seat, ...]
    awaits: tuple[Seat, ...]


def deal_view(match: Match) -> DealView | None:
    """Return where the deal ceremony stands; None before the first."""
    deal = match.ceremony
    if deal is None:
        return None
    rows = tuple((cup.id, cup.owner, cup.rolls, cup.width) for cup in deal.cups)
    due = beacon_due_at(match)
    return DealView(deal.deal, deal.stage, deal.waiting_for, rows, deal.root.hex(), deal.beacon, due)


def pause_view(match: Match) -> PauseView | None:
    """Return the pause that the host has asked for, while there is one."""
    return None if match.paused is None else PauseView(**asdict(match.paused))


def continue_view(match: Match) -> ContinueView | None:
    """Return who has asked for the next round; None where nobody can."""
    awaited = continue_awaited(match)
    return None if awaited is None else ContinueView(match.continued, awaited)
