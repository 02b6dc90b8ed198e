"""The sight of a bot: the view of its seat, the rules the view names, and its manner. There is nothing else."""

from __future__ import annotations

from msgspec import Struct

from domain import commands
from domain.games import rules_of
from domain.ids import Seat
from domain.rules.claims import Auction
from domain.rules.ladders import Hand, Ladder, ladder_of
from domain.rules.orders import Count
from domain.rules.rules import Counting, Rules, Rungs, SharedCup
from projections.view import DieView, SeatView, View
from services.bots.manner import Manner


class Option(Struct, frozen=True):
    """Something the bot may do, and the worth of it: 0 where it loses, 1 where it wins."""

    command: commands.Play
    worth: float


class Sight(Struct, frozen=True):
    """What a bot goes by.

    Attributes:
        seat: Its own seat.
        bluffed: The face of a die it acts as if it had; None where it sticks to what it has.
    """

    view: View
    seat: Seat
    manner: Manner
    rules: Rules
    bluffed: int | None = None

    @property
    def own(self) -> SeatView:
        """The bot's seat."""
        return next(own for own in self.view.seats if own.seat == self.seat)

    @property
    def in_play(self) -> int:
        """How many seats are still in."""
        return sum(1 for seat in self.view.seats if not seat.out)

    @property
    def wild(self) -> bool:
        """Whether ones count for every face now."""
        return "plain_ones" not in self.view.flags

    @property
    def auction(self) -> Auction:
        """The bidding of this round, where claims are counts."""
        claims = self.rules.claims
        assert isinstance(claims, Counting)
        palifico = "palifico" in self.view.flags
        return Auction(claims, self.view.dice_in_play, self.rules.tokens.faces, self.wild, palifico)

    @property
    def bid(self) -> Count | None:
        """The standing claim, where it is a count."""
        standing = self.view.standing
        if standing is None or standing.quantity is None or standing.face is None:
            return None
        return Count(standing.quantity, standing.face)

    @property
    def ladder(self) -> Ladder:
        """The ladder of this round, where claims are hands."""
        claims, tokens = self.rules.claims, self.rules.tokens
        assert isinstance(claims, Rungs)
        return ladder_of(claims, tokens.dice, tokens.faces, wild=self.wild)

    @property
    def rung(self) -> int | None:
        """How high the standing claim stands, where it is a hand."""
        standing = self.view.standing
        if standing is None or standing.shape is None:
            return None
        return self.ladder.rungs[Hand(standing.shape, standing.faces or ())]

    def dice_of(self, seat: Seat) -> tuple[DieView, ...]:
        """Return the dice a seat's hand is made of: those of the cup that is passed on, or its own."""
        if isinstance(self.rules.tokens, SharedCup):
            return self.view.cup
        return next(each.dice for each in self.view.seats if each.seat == seat)


def sight_of(view: View, manner: Manner, bluffed: int | None) -> Sight:
    """Return what the bot in the viewer's seat goes by."""
    assert view.viewer is not None, "spectators do not play"
    return Sight(view, view.viewer, manner, rules_of(view.rules["game"], view.rules["options"]), bluffed)


def belief_worth(holds: float, plausible: float, manner: Manner) -> float:
    """Return the worth of a claim that holds with this chance, and looks this plausible to those who see less."""
    return holds + (1 - holds) * plausible * manner.nerve
