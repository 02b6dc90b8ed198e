"""Published deals without a secret (CUP/1 section 5.4): the dice that were opened, and no other.

The law of the file: whether a record publishes the secret of a deal is told by its being there, whatever its bytes are.
A key that is not there counts as 32 zero bytes: no line opens it, and so whoever compares finds the line with which
dice were not shown that had to be. Which dice were rolled anew (section 4.12) is shown with them; where it never is,
any choice stands for it that rolls none of the dice which everybody sees later: nobody but their owner ever knew the
others, and the rules ask only how many they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from msgspec import Struct, field

from domain import commands, events
from domain.events import Address, Choice
from domain.fairness.deal import Cup, Deal
from domain.fairness.openings import DealSecrets, OpenDeal
from domain.ids import CupId, RollNumber, Seat, Slot
from domain.table.places import Handful, Place, candidates

NOTHING: Final = bytes(32)
"""Stands where bytes are asked for that the record does not have; that they are not there is never told by it."""


class PublishedDeal(Struct):
    """All that a record tells of the dice of a deal.

    Attributes:
        root: What fixed them.
        secret: What they all follow from; None where the record does not publish it.
        shown: The openings of each roll of a cup: all hold the same commitments and path.
        keys: The keys that were opened, by cup, roll and slot, with the number of the last event that did so.
        choices: Which dice were rolled anew, by cup and the roll it led to, where it was said.
        unopened: What fixes the seeds that were not opened, by seat.
    """

    root: bytes
    secret: bytes | None = None
    shown: dict[tuple[int, int], events.Revealed] = field(default_factory=dict)
    keys: dict[tuple[int, int, int], tuple[bytes, int]] = field(default_factory=dict)
    choices: dict[tuple[int, int], Choice] = field(default_factory=dict)
    unopened: dict[Seat, str] = field(default_factory=dict)


def published_of(happened: Iterable[events.Event]) -> dict[int, PublishedDeal]:
    """Return what a record tells of each deal, by its number. Cost: linear."""
    found: dict[int, PublishedDeal] = {}
    for number, event in enumerate(happened):
        match event:
            case events.DealCommitted():
                found[event.deal] = PublishedDeal(bytes.fromhex(event.root))
            case events.SeedCommitted() if event.deal in found:
                found[event.deal].unopened[event.seat] = event.commit
            case events.SeedOpened() if event.deal in found:
                found[event.deal].unopened.pop(event.seat, None)
            case events.DealClosed() if event.deal in found and event.secret is not None:
                found[event.deal].secret = bytes.fromhex(event.secret)
            case events.Revealed() if event.deal in found:
                _note(found[event.deal], event, number)
            case events.ChoicesRevealed() if found:
                found[max(found)].choices.update(((event.cup, choice.roll), choice) for choice in event.choices)
            case _:
                pass
    return found


def _note(deal: PublishedDeal, event: events.Revealed, number: int) -> None:
    deal.shown[event.cup, event.roll] = event
    for slot, key in event.keys:
        deal.keys[event.cup, event.roll, slot] = (bytes.fromhex(key), number)


class SecretlessDeal(Deal, frozen=True, dict=True, eq=False):
    """A deal without its secret: it opens what its record opens."""

    told: PublishedDeal

    @cached_property
    def root(self) -> bytes:
        """The root that was committed."""
        return self.told.root

    def key(self, cup: CupId, roll: RollNumber, slot: Slot) -> bytes:
        """Return the key of an address; `NOTHING` if it was never opened."""
        return self.told.keys.get((cup, roll, slot), (NOTHING, 0))[0]

    def commitments(self, cup: CupId, roll: RollNumber) -> list[bytes]:
        """Return the commitments of a roll; none if nothing of it was ever opened."""
        return [bytes.fromhex(each) for each in self._members(cup, roll, "com")]

    def path(self, cup: CupId, roll: RollNumber) -> list[bytes]:
        """Return the inclusion path of a roll; none if nothing of it was ever opened."""
        return [bytes.fromhex(each) for each in self._members(cup, roll, "path")]

    def _members(self, cup: CupId, roll: RollNumber, member: str) -> Iterator[str]:
        yield from getattr(self.told.shown.get((cup, roll)), member, ())


class PublishedDice(OpenDeal):
    """Knows the dice that a record shows, and of the choices nobody ever opened which dice they left."""

    __slots__ = ("supposed", "told")

    def __init__(self, number: int, deal: Deal, mix: bytes, told: PublishedDeal) -> None:
        """Deal what is told of the deal with this number, its seeds having come to `mix`."""
        super().__init__(number, deal, mix)
        self.told = told
        self.supposed: dict[tuple[int, int], str] = {}

    def seal_of(self, choice: Choice, cup: CupId, slot: Slot) -> str:
        """Return what fixes a choice; where it is never opened, what the record has for it."""
        return self.supposed.get((cup, choice.roll)) or super().seal_of(choice, cup, slot)

    def suppose(self, before: Handful, event: events.Arranged, place: Place, number: int) -> bool:
        """Let a choice stand for this one, the event of this number, if it is never opened; report whether one does.

        It rolls none of the dice that are shown later, and all those it took from the table that it may.
        """
        if event.choice is None or event.roll is None or (place.cup, event.roll, place.size) in self.told.keys:
            return False
        numbers = (*before.inside, *before.outside)

        def rolled(choice: Choice) -> set[Address]:
            return {numbers[position] for position in (*choice.roll_inside, *choice.roll_outside)}

        later = {at for at in numbers if self.told.keys.get((place.cup, *at), (NOTHING, 0))[1] > number}
        possible = list(candidates(before, event))
        fitting = [choice for choice in possible if later.isdisjoint(rolled(choice))]
        said = self.told.choices.get((place.cup, event.roll))
        best = said if said in possible else None
        if best is None and fitting:
            best = max(fitting, key=lambda choice: len(rolled(choice).intersection(event.taken)))
        if best is not None:
            # It stands for the seal of this cup and roll and for no other: a copy of the seal says nothing elsewhere.
            self.supposed[place.cup, event.roll] = event.choice
            self._opened[event.choice, place.cup, event.roll, place.size] = best
        return best is not None


class PublishedSecrets(DealSecrets):
    """The keeper of a deal that is known from its record."""

    __slots__ = ("told",)

    def __init__(self, number: int, secret: bytes, seeds: dict[Seat, bytes], deal: Deal, told: PublishedDeal) -> None:
        """Keep what is told of the deal with this number."""
        super().__init__(number, secret, seeds, deal)
        self.told = told

    def secrets_with(self, seeds: dict[Seat, bytes]) -> DealSecrets:
        """Return the keeper of the same deal with these seeds as well."""
        return PublishedSecrets(self.number, self.secret, {**self.seeds, **seeds}, self.deal, self.told)

    def commitment(self, seat: Seat) -> str:
        """Return what fixes the seed of a seat; of a seed that never opened it is known from the record alone."""
        return self.told.unopened.get(seat) or super().commitment(seat)

    def open_deal(self, mixed: bytes) -> OpenDeal:
        """Return the dealer of this deal: of all its dice, or of those that are shown."""
        if self._dealer is None and self.told.secret is None:
            self._dealer = PublishedDice(self.number, self.deal, mixed, self.told)
        return super().open_deal(mixed)


class PublishedChance(commands.Chance, frozen=True):
    """What the server drew for a deal, as far as its record shows it."""

    told: PublishedDeal

    def deal_secrets(self, number: int, ctx: bytes, cups: tuple[Cup, ...], custody: tuple[Seat, ...]) -> DealSecrets:
        """Return the keeper of what the record shows."""
        seeds = {seat: self.seeds[seat] for seat in custody}
        hidden = self.told.secret is None
        deal = SecretlessDeal(self.secret, ctx, cups, self.told) if hidden else Deal(self.secret, ctx, cups)
        return PublishedSecrets(number, self.secret, seeds, deal, self.told)
