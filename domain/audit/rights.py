"""Rights: what the rules let seats know of hidden dice, and since when; gathered while a match is replayed."""

from __future__ import annotations

from msgspec import Struct, field

from domain import events
from domain.audit import access
from domain.audit.access import Key, Served
from domain.ids import CupId, Version
from domain.match.evolve import Match
from domain.table.places import Place

Roll = tuple[int, int, int]
"""Deal, cup, and number of the roll."""


class Rights(Struct):
    """What the rules let seats know, and since when.

    Attributes:
        allowed: The lines that have to be on record.
        rolled: All dice of each roll that some seat, or nobody, may know while others may not.
        public: From which version on everybody knows all dice of a roll.
        shown: The slots of a roll that everybody has seen.
        places: The places as they were taken in last.
    """

    allowed: dict[Key, Served] = field(default_factory=dict)
    rolled: dict[Roll, tuple[int, ...]] = field(default_factory=dict)
    public: dict[Roll, int] = field(default_factory=dict)
    shown: dict[Roll, set[int]] = field(default_factory=dict)
    places: dict[CupId, Place] | None = None

    def take(self, match: Match, event: events.Event) -> None:
        """Take in an event, and the match after it."""
        places = None if match.table is None else match.table.places
        if places is not self.places:
            self._take_places(match)
        self.places = places
        if isinstance(event, events.Revealed):
            self._show(event, match.version)
        if isinstance(event, events.DealClosed) and event.secret is not None:
            for roll in self.rolled:
                if roll[0] == event.deal:
                    self.public.setdefault(roll, match.version)

    def _take_places(self, match: Match) -> None:
        """Take in where the dice lie now, and who may know them."""
        for deal, cup, roll, slots in access.hidden_rolls(match):
            self.rolled.setdefault((deal, cup, roll), slots)
        for each in access.allowed_dice(match):
            self.allowed.setdefault(each.key, each)

    def _show(self, event: events.Revealed, version: Version) -> None:
        roll = (event.deal, event.cup, event.roll)
        shown = self.shown.setdefault(roll, set())
        shown |= {slot for slot, _ in event.values}
        if roll in self.rolled and shown.issuperset(self.rolled[roll]):
            self.public.setdefault(roll, version)
