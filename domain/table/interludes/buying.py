"""Buying back: a seat that goes out may pay to stay in, until two seats have a loss at once. Source: bar Liars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from msgspec.structs import replace

from domain import events
from domain.ids import Seat, Units
from domain.rules.rules import MatchEnd
from domain.table.dealer import Dealer
from domain.table.ending import closing_events
from domain.table.evolve import evolve_all
from domain.table.interlude import Interlude, InterludeCommand, InterludeEvent
from domain.table.judging import elimination_events
from domain.table.offers import BuyBackMove, DropOutMove, Move
from domain.table.phases import Phase
from domain.table.state import MatchMemory, State

BUYING: Final[Phase] = "buying"


class Closed(MatchMemory, frozen=True):
    """Two seats have had a loss at the same time, and nobody may buy back any more."""


class BuyingOpened(InterludeEvent, frozen=True, tag="game.buying_opened"):
    """A seat has to say whether it buys itself back."""

    seat: Seat

    def change(self, state: State) -> State:
        """Return the game waiting for the seat."""
        return replace(state, phase=BUYING, turn=self.seat)


class BoughtBack(InterludeEvent, frozen=True, tag="game.bought_back"):
    """A seat paid to stay in."""

    seat: Seat

    def command(self) -> BuyBack:
        """Return what the seat asked for."""
        return BuyBack(self.seat)


class DroppedOut(InterludeEvent, frozen=True, tag="game.dropped_out"):
    """A seat did not."""

    seat: Seat

    def command(self) -> DropOut:
        """Return what the seat asked for."""
        return DropOut(self.seat)


class BuyBack(InterludeCommand, frozen=True, tag="buy_back"):
    """Pay to stay in after the last loss."""

    words: ClassVar[tuple[str, ...]] = ("buy", "buy back", "stay in", "einkaufen", "recomprar")
    even_out: ClassVar[bool] = True

    seat: Seat

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return `buy_back_closed` while nobody is asked, `not_your_turn` while somebody else is."""
        if state.phase != BUYING:
            return "buy_back_closed"
        return None if state.turn == seat else "not_your_turn"

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        """Return the offer, with its price."""
        return BuyBackMove(_buying(state).price)

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield the payment, and the end of the round in which the seat stays in."""
        assert state.last is not None
        happened = (
            BoughtBack(self.seat),
            events.Posted("chip", self.seat, "pot", _buying(state).price),
            # "His losses reset to 0": the winner's double asks for the losses at the end, and this counts as none.
            events.Posted("loss", self.seat, "box", state.balance("loss", self.seat)),
            events.Posted("buy_back", "box", self.seat, 1),
        )
        yield from happened
        yield from closing_events(evolve_all(state, happened), state.last, first_fall=False)


class DropOut(InterludeCommand, frozen=True, tag="drop_out"):
    """Leave the match after the last loss."""

    words: ClassVar[tuple[str, ...]] = ("drop out", "drop", "out", "aussteigen", "retirarse")

    seat: Seat

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return `wrong_phase` while nobody is asked, `not_your_turn` while somebody else is."""
        if state.phase != BUYING:
            return "wrong_phase"
        return None if state.turn == seat else "not_your_turn"

    @classmethod
    def move(cls, state: State, seat: Seat) -> Move:
        """Return the offer to leave."""
        return DropOutMove()

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield the seat going out, and the end of the round that cost it the match."""
        assert state.last is not None
        yield DroppedOut(self.seat)
        yield from elimination_events(state, self.seat, state.last)


class Buying(Interlude, frozen=True, tag=True):
    """A seat that goes out may buy itself back, until two seats have a loss at once.

    Attributes:
        most: How often each seat may; 0 where nobody may.
        price: What it costs, in chips.
        closed_by: Whose losses close it: those of the seats still in, or of everybody who began.
    """

    most: int
    price: Units
    closed_by: Literal["remaining", "everybody"] = "remaining"

    command_types: ClassVar[tuple[type[InterludeCommand], ...]] = (BuyBack, DropOut)
    event_types: ClassVar[tuple[type[InterludeEvent], ...]] = (BuyingOpened, BoughtBack, DroppedOut)
    phases: ClassVar[tuple[Phase, ...]] = (BUYING,)
    judged: ClassVar[tuple[Phase, ...]] = (BUYING,)
    deciding: ClassVar[tuple[Phase, ...]] = (BUYING,)

    def first_edition(self) -> Buying:
        """Return it as it was read first: the losses of a seat that was out went on to close it."""
        return replace(self, closed_by="everybody")

    def note(self, state: State, event: events.RoundEvent) -> State:
        """Return the game with the buying back closed once two seats have a loss."""
        if not isinstance(event, events.Posted) or event.unit != "loss":
            return state
        # This is asked at each posting of a verdict, before anybody is spared by it: of challengers who lose together
        # none is asked any more, "if two players now have a loss" (bar Liars).
        counted = (seat for seat in state.seats if self.closed_by == "everybody" or seat not in state.out)
        return state.remember(Closed()) if sum(1 for seat in counted if state.balance("loss", seat)) > 1 else state

    def rounds_beside(self, match: MatchEnd, seats: int) -> int:
        """Return how many rounds all that is bought back may last."""
        # Whoever buys back may lose all hands once more.
        return self.most * match.out_at * seats

    def timeout_command(self, state: State, seat: Seat) -> DropOut | None:
        """Return that the seat leaves."""
        return DropOut(seat) if state.phase == BUYING else None

    def spared(self, state: State, out: tuple[Seat, ...]) -> Seat | None:
        """Return the one seat that goes out, if it may still buy itself back."""
        # Seats that go out together all have a loss, which closes it for them.
        if state.remembered(Closed) is not None or len(out) != 1:
            return None
        return out[0] if state.balance("buy_back", out[0]) < self.most else None

    def sparing(self, seat: Seat) -> BuyingOpened:
        """Return the event that asks the seat."""
        return BuyingOpened(seat)


def _buying(state: State) -> Buying:
    buying = state.interlude(Buying)
    assert buying is not None, "the rules have it, or nobody was asked"
    return buying
