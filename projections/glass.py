"""Cups of glass: what a match looked like, with every die that its lines have published since.

The law of the file: what is seen through glass is a function of published lines alone. A die that was hidden then is
seen if an opening has shown it, or if its deal has closed with its secret; whatever no line tells stays under its cup,
also from whoever holds the key of the house. So nothing here can tell a die that anybody could not work out.

With glass of a whole match one looks back on it. With glass of the lines before a round opened one sees all rounds
before that, and nothing of that one: it is what a caster is shown, one round late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from domain import events
from domain.errors import Refused
from domain.events import Address, Choice
from domain.fairness.deal import Deal
from domain.fairness.openings import OpenDeal
from domain.ids import CupId, DealNumber, RollNumber, RoundNumber, Seat, Slot, Version
from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from domain.table.places import Place, hidden_addresses
from domain.table.state import PASSED_CUP, State
from projections.frames import Frame
from projections.history import frames_of
from projections.view import DieView, View, cocked_in

ALL: Final = "all"
"""The eyes that see through every cup."""
Eyes = Seat | Literal["all"] | None
"""Whose eyes one looks through: a seat's, everybody's cups at once, or None for a spectator's."""


class GlassDeal(Struct):
    """What lines tell of the dice of one deal; it opens the seals that they open.

    Attributes:
        values: The values that openings have shown, by cup, roll and slot.
        choices: Which dice were rolled anew, by cup and the roll it led to.
        dealer: Who knows all of them, once the secret is published.
    """

    values: dict[tuple[CupId, RollNumber, Slot], int] = field(default_factory=dict)
    choices: dict[tuple[CupId, RollNumber], Choice] = field(default_factory=dict)
    dealer: OpenDeal | None = None

    def seal_of(self, choice: Choice, cup: CupId, slot: Slot) -> str:
        """Return nothing that seals anything: what is looked back on has been sealed."""
        raise AssertionError((choice, cup, slot))

    def unseal(self, seal: str, cup: CupId, slot: Slot, candidates: Iterable[Choice]) -> Choice | None:
        """Return the one of these choices that has this seal, as far as that is published."""
        if self.dealer is not None:
            return self.dealer.unseal(seal, cup, slot, candidates)
        return next((choice for choice in candidates if self.choices.get((cup, choice.roll)) == choice), None)

    def value(self, cup: CupId, at: Address | None, m: int) -> int | None:
        """Return the value at an address; None where nobody can tell."""
        if at is None:
            return None
        return self.values.get((cup, *at)) if self.dealer is None else self.dealer.value(cup, *at, m)


Glass = dict[DealNumber, GlassDeal]
"""What is published of each deal that has rolled dice, by its number."""
NOTHING: Final = GlassDeal()


def take(glass: Glass, match: Match, event: events.Event) -> None:
    """Take in what a line publishes.

    Args:
        glass: What was published before; changed by this.
        match: The match after the event.
        event: The event.

    Cost: next to nothing; for the end of a deal a number of steps for its cups.
    """
    deal = match.ceremony
    if deal is None or deal.mix is None:
        return
    told = glass.setdefault(deal.deal, GlassDeal())
    match event:
        case events.Revealed():
            told.values.update(((event.cup, event.roll, slot), value) for slot, value in event.values)
        case events.ChoicesRevealed():
            told.choices.update(((event.cup, choice.roll), choice) for choice in event.choices)
        case events.DealClosed() if event.secret is not None:
            told.dealer = OpenDeal(deal.deal, Deal(bytes.fromhex(event.secret), deal.ctx, deal.cups), deal.mix)
        case _:
            pass


def unfrozen(glass: Glass) -> Glass:
    """Return the same glass, for more lines to be taken in; what is seen through the first stays as it is."""
    return {deal: GlassDeal(dict(told.values), dict(told.choices), told.dealer) for deal, told in glass.items()}


def frames_through(
    steps: Iterable[tuple[MatchAtHead, events.Event]], glass: Glass, eyes: Eyes, names: Mapping[str, str]
) -> Iterator[Frame]:
    """Yield a frame for each step, as `frames_of` does, with the dice that these eyes see through glass."""
    seat = eyes if isinstance(eyes, int) else None
    for match, frame in frames_of(steps, seat, {}, names):
        yield replace(frame, view=view_through(frame.view, match, glass, eyes))


def view_through(view: View, match: Match, glass: Glass, eyes: Eyes) -> View:
    """Return a view with the dice in it that these eyes see through glass.

    Args:
        view: What a spectator saw at some version, or that seat without a secret.
        match: The match at that version.
        glass: What lines have published of it.
        eyes: Whose cups are of glass: those of a seat are the ones that it might have known then.

    What might have been done then is left out: nobody does it any more.
    """
    state, deal = match.table, match.ceremony
    seen = replace(view, moves=(), hands={})
    if state is None or deal is None or eyes is None:
        return seen
    told = glass.get(deal.deal, NOTHING)

    def through(cup: CupId, dice: tuple[DieView, ...]) -> tuple[DieView, ...]:
        place = state.places.get(cup)
        if place is None or (eyes != ALL and eyes not in place.knowers):
            return dice
        return (*_inside(place, state, told), *dice[len(place.inside) :])

    seats = tuple(replace(seat, dice=through(seat.seat, seat.dice)) for seat in view.seats)
    return replace(seen, seats=seats, cup=through(PASSED_CUP, view.cup))


def _inside(place: Place, state: State, told: GlassDeal) -> tuple[DieView, ...]:
    """Return the hidden dice of a place as far as they are published, in the holder's numbering."""
    faces, odd = state.rules.tokens.faces, _cocked(place, state, told)
    values = [told.value(place.cup, at, faces.count) for at in _addresses(place, told)]
    return tuple(
        DieView(None if value is None else value + faces.first, shown=False, cocked=position in odd)
        for position, value in enumerate(values)
    )


def _addresses(place: Place, told: GlassDeal) -> tuple[Address | None, ...]:
    """Return where the hidden dice of a place come from; None for a die where that is sealed for ever."""
    try:
        return hidden_addresses(place, told)
    except Refused:
        return tuple(die.at for die in place.inside)


def _cocked(place: Place, state: State, told: GlassDeal) -> tuple[int, ...]:
    return () if told.dealer is None else cocked_in(place, state, told.dealer)


# ---- one round late -----------------------------------------------------------------------------

ROUND_OPENED: Final = events.RoundOpened.__struct_config__.tag
MATCH_ENDED: Final = events.MatchEnded.__struct_config__.tag


def released(kind: str, version: Version, round_number: RoundNumber) -> Version | None:
    """Return up to which version a caster is shown the match, once a line of it is there; None where no further.

    Args:
        kind: The type of the event.
        version: The version with it.
        round_number: The round that it leaves the match in.

    Before the first round everything is shown at once. The opening of a round releases all before it, and is released
    itself with what follows; the end of the match releases all.
    """
    if kind == ROUND_OPENED:
        return version - 1
    return version if kind == MATCH_ENDED or round_number == 0 else None
