"""The dice of a seat that deals now over have kept secret, opened one roll at a time (CUP/1 section 5.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from domain import events
from domain.fairness.openings import DealSecrets
from domain.ids import Seat


def unshown_openings(
    happened: Iterable[events.Event], seat: Seat, keepers: Mapping[int, DealSecrets]
) -> Iterator[events.Revealed]:
    """Yield the openings of what was rolled in the seat's own cups and never shown, in deals that keep it secret.

    Args:
        happened: The events of a match.
        seat: Whose cups.
        keepers: The secrets of each deal by its number, as far as this program may have them.
    """
    mixes: dict[int, bytes] = {}
    rolled: dict[int, list[events.Rolled]] = {}
    shown: set[tuple[int, int, int, int]] = set()
    owners: dict[int, int] = {}
    for event in happened:
        match event:
            case events.DealCommitted():
                owners = {cup: owner for cup, owner, _, _ in event.cups}
            case events.DealReady():
                mixes[event.deal] = bytes.fromhex(event.mix)
            case events.Rolled() if owners.get(event.cup) == seat:
                rolled.setdefault(event.deal, []).append(event)
            case events.Revealed():
                shown |= {(event.deal, event.cup, event.roll, slot) for slot, _ in event.keys}
            case events.DealClosed() if event.secret is None and event.deal in keepers:
                dealer = keepers[event.deal].open_deal(mixes[event.deal])
                for roll in rolled.get(event.deal, ()):
                    dice = [
                        (slot, m)
                        for slot, m in zip(roll.slots, roll.m, strict=True)
                        if (roll.deal, roll.cup, roll.roll, slot) not in shown
                    ]
                    if dice:
                        yield dealer.open(roll.cup, roll.roll, [s for s, _ in dice], [m for _, m in dice])
            case _:
                pass
