"""Dice of a record, as far as it opens them: every die of a deal whose secret is published, else those that were shown.

The law of the file: a value that no line opens is never guessed. Nothing is told of a deal that is still open beyond
what was shown to all.
"""

from __future__ import annotations

from collections.abc import Iterable

from domain import events
from domain.errors import Refused
from domain.events import Choice
from domain.fairness.deal import Deal
from domain.fairness.openings import OpenDeal
from domain.ids import CupId, DealNumber, Face, RollNumber, Slot
from domain.match.evolve import Match
from domain.table.places import Handful, Place, handful


class RecordDice:
    """The dice of a record, as far as it opens them."""

    def __init__(self, happened: Iterable[events.Event]) -> None:
        """Take in all events of a record, in order. Cost: a look at each."""
        self._secrets: dict[DealNumber, bytes] = {}
        self._values: dict[tuple[DealNumber, CupId, RollNumber, Slot], int] = {}
        self._choices: dict[tuple[DealNumber, CupId, RollNumber], Choice] = {}
        self._dealers: dict[DealNumber, OpenDeal] = {}
        deal = -1
        for event in happened:
            match event:
                case events.DealClosed(secret=str(secret)):
                    self._secrets[event.deal] = bytes.fromhex(secret)
                case events.Revealed():
                    deal = event.deal
                    found = {(deal, event.cup, event.roll, slot): value for slot, value in event.values}
                    self._values.update(found)
                case events.ChoicesRevealed():
                    # They explain the dice that were shown just before.
                    self._choices.update({(deal, event.cup, choice.roll): choice for choice in event.choices})
                case _:
                    pass

    def hidden(self, match: Match, place: Place) -> tuple[Face, ...] | None:
        """Return the faces of the hidden dice of a place, in the holder's numbering; None if a line is lacking."""
        dealer = self._dealer(match)
        assert match.ceremony is not None, "dice lie in a deal"
        try:
            found = handful(place, ShownChoices(match.ceremony.deal, self._choices) if dealer is None else dealer)
        except Refused:
            return None
        values = self._values_of(match, place, found)
        first = match.rules.tokens.faces.first
        return None if None in values else tuple([value + first for value in values if value is not None])

    def _values_of(self, match: Match, place: Place, found: Handful) -> list[int | None]:
        assert match.ceremony is not None
        dealer, number, m = self._dealer(match), match.ceremony.deal, match.rules.tokens.faces.count
        for roll, slot in found.inside:
            at = (number, place.cup, roll, slot)
            if at not in self._values and dealer is not None:
                self._values[at] = dealer.value(place.cup, roll, slot, m)
        return [self._values.get((number, place.cup, roll, slot)) for roll, slot in found.inside]

    def _dealer(self, match: Match) -> OpenDeal | None:
        """Return who knows all dice of the current deal; None where its secret is not published."""
        deal = match.ceremony
        assert deal is not None
        secret = self._secrets.get(deal.deal)
        if deal.deal not in self._dealers and secret is not None and deal.mix is not None:
            self._dealers[deal.deal] = OpenDeal(deal.deal, Deal(secret, deal.ctx, deal.cups), deal.mix)
        return self._dealers.get(deal.deal)


class ShownChoices:
    """Opens the choices that a record shows, in a deal whose secret it does not publish."""

    def __init__(self, deal: DealNumber, choices: dict[tuple[DealNumber, CupId, RollNumber], Choice]) -> None:
        self.deal, self.choices = deal, choices

    def seal_of(self, choice: Choice, cup: CupId, slot: Slot) -> str:
        """Seal nothing: a record is read."""
        raise AssertionError((choice, cup, slot))

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[Choice]) -> Choice | None:  # noqa: ARG002
        """Return the choice that the record shows for the roll that these lead to."""
        shown = (self.choices.get((self.deal, cup, choice.roll)) for choice in candidates)
        return next(shown, None)
