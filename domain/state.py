"""The state of a game: what everybody may know. How events change it stands in `domain.evolving`."""

from __future__ import annotations

from typing import Literal, TypeVar

from msgspec import Struct

from domain import events
from domain.claims import Auction
from domain.ladders import Hand, Ladder, ladder_of
from domain.orders import Count
from domain.places import Place
from domain.rules import Cocked, Counting, Interlude, Rules, Rungs, Settler, SharedCup
from domain.slips import Slip

Seat = int
Claim = Count | Hand
Played = TypeVar("Played", bound=Interlude)
Settled = TypeVar("Settled", bound=Settler)
Phase = Literal[
    "between_rounds",
    "choosing",
    "to_roll",
    "claiming",
    "responding",
    "holding",
    "called",
    "chase",
    "buying",
    "finished",
]
TABLE_CUP = 0
PASSED_CUP = 255
"""The id of the cup that is passed on, and the owner that CUP/1 gives it."""


class Stakes(Struct, frozen=True):
    """What a round is played for, in units: the basic stake, and what is paid this time."""

    basic: int
    effective: int


class State(Struct, frozen=True):
    """A game between two commands.

    Attributes:
        seats: Everybody who began, in seat order.
        round: The number of the current or last round, from 1; 0 before the first.
        turn: Who acts; None while the table does.
        direction: 1 while play goes up the seats, -1 while it goes down.
        places: By cup, the dice of this round.
        starter: Who opened this round.
        opening: The first claim of the round.
        beats: Whether the standing claim stands above the one before; a claim too low may be caught.
        doubters: Who has doubted the standing claim, in that order.
        rebid: Whether the standing claim was raised by a claimant whom all others had doubted.
        passer: Whose pass waits to be believed.
        passed: Who has passed this round.
        bound: Whether the seat in turn has to claim: it has believed, pushed or rolled.
        handled: How often each seat has handled its dice, in this turn or in this round as the rules count it.
        shown: Whether the seat in turn has shown a die for its next claim.
        callers: Who has claimed this round.
        counts: What each seat was counted for, in that order.
        flags: What holds in this round, such as `palifico`.
        balances: By unit, what each account has or owes: the fold of all postings.
        fallen: Seats that have been down to one die.
        losses_met: Whether two seats have had a loss at the same time, which closes the buying back.
        out: Seats out of the match, in the order they went.
        stakes: What is played for, where it changes.
        slip: Where the slips stand, where numbers come on slips.
        looked: Who has looked at dice that may be cocked.
        bout: Who plays now, where seats play two at a time.
        order: Who plays whom there, as in `BoutSet`.
        through: Who is through there to the next round of a knockout.
        used: The numbers that were played, where each may be played once.
        rolls: How often each cup was rolled in the current deal.
        closed: Whether the match was ended without anybody having won or lost it.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    balances: dict[str, dict[int | str, int]]
    phase: Phase = "between_rounds"
    round: int = 0
    turn: Seat | None = None
    direction: int = 1
    places: dict[int, Place] = {}
    starter: Seat | None = None
    standing: Claim | None = None
    opening: Claim | None = None
    claimant: Seat | None = None
    beats: bool = True
    doubters: tuple[Seat, ...] = ()
    rebid: bool = False
    passer: Seat | None = None
    passed: tuple[Seat, ...] = ()
    bound: bool = False
    handled: dict[Seat, int] = {}
    shown: bool = False
    callers: tuple[Seat, ...] = ()
    counts: tuple[tuple[Seat, int], ...] = ()
    flags: tuple[str, ...] = ()
    fallen: tuple[Seat, ...] = ()
    losses_met: bool = False
    last: events.Judged | None = None
    next_starter: Seat | None = None
    out: tuple[Seat, ...] = ()
    winner: Seat | None = None
    stakes: Stakes | None = None
    slip: Slip | None = None
    looked: tuple[Seat, ...] = ()
    bout: tuple[Seat, Seat] | None = None
    order: tuple[Seat, ...] = ()
    through: tuple[Seat, ...] = ()
    used: tuple[tuple[int, ...], ...] = ()
    rolls: dict[int, int] = {}
    closed: bool = False

    @property
    def remaining(self) -> tuple[Seat, ...]:
        """The seats still in, in seat order; where they play two at a time, those who play now."""
        return tuple(seat for seat in self.seats if seat not in self.out and (self.bout is None or seat in self.bout))

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats still in that do not play now, in the order in which they come to play."""
        return tuple(seat for seat in self.order if seat not in self.out and seat not in self.remaining)

    def balance(self, unit: str, account: int | str) -> int:
        """Return what an account has of a unit."""
        return self.balances.get(unit, {}).get(account, 0)

    @property
    def dice_in_play(self) -> int:
        """The dice or digits of this round."""
        return sum(len(place.dice) for place in self.places.values())

    @property
    def wild(self) -> bool:
        """Whether ones count for every other face now."""
        return "palifico" not in self.flags and is_wild(self.rules.claims, self.opening)

    @property
    def auction(self) -> Auction:
        """The bidding of this round, where claims are counts."""
        claims = self.rules.claims
        assert isinstance(claims, Counting)
        return Auction(claims, self.dice_in_play, self.rules.tokens.faces, self.wild, "palifico" in self.flags)

    @property
    def ladder(self) -> Ladder:
        """The ladder of this round, where claims are hands."""
        claims, tokens = self.rules.claims, self.rules.tokens
        assert isinstance(claims, Rungs)
        return ladder_of(claims, tokens.dice, tokens.faces, wild=self.wild)

    @property
    def cocked_odds(self) -> int:
        """One die in so many lies cocked, and a seat knows its own only after a look; 0 where dice always lie flat."""
        return next((each.one_in for each in self.rules.interludes if isinstance(each, Cocked)), 0)

    def interlude(self, kind: type[Played]) -> Played | None:
        """Return the interlude of this kind, if the rules have one."""
        return next((interlude for interlude in self.rules.interludes if isinstance(interlude, kind)), None)

    def settler(self, kind: type[Settled]) -> Settled | None:
        """Return the settler of this kind, if the rules have one."""
        return next((settler for settler in self.rules.settlers if isinstance(settler, kind)), None)

    def place_of(self, seat: Seat) -> Place | None:
        """Return the dice a seat handles: those of the cup that is passed on, or its own."""
        return self.places.get(PASSED_CUP if isinstance(self.rules.tokens, SharedCup) else seat)


def is_wild(claims: Counting | Rungs, opening: Claim | None) -> bool:
    """Report whether ones are wild after this opening claim; one on ones kills them for the round."""
    if claims.wild != "unless_opened" or opening is None:
        return claims.wild != "never"
    named = (opening.face,) if isinstance(opening, Count) else opening.faces
    return 1 not in named


def after(state: State, seat: Seat) -> Seat:
    """Return the next seat in the direction of play that is still in."""
    round_table = state.seats[:: state.direction]
    index = round_table.index(seat)
    order = round_table[index + 1 :] + round_table[: index + 1]
    return next(other for other in order if other in state.remaining)
