"""The state of a game: what everybody may know. How events change it stands in `domain.table.evolve`."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.ids import CupId, RoundNumber, Seat
from domain.rules.claims import Auction
from domain.rules.ladders import Hand, Ladder, ladder_of
from domain.rules.orders import Count
from domain.rules.rules import Counting, InterludeRules, Rules, Rungs, Settler, SharedCup
from domain.table.phases import BETWEEN_ROUNDS, Phase
from domain.table.places import Place

Claim = Count | Hand
Played = TypeVar("Played", bound=InterludeRules)
Settled = TypeVar("Settled", bound=Settler)
Remembered = TypeVar("Remembered", bound=Struct)
TABLE_CUP = 0
PASSED_CUP = 255
"""The id of the cup that is passed on, and the owner that CUP/1 gives it."""


class Stakes(Struct, frozen=True):
    """What a round is played for, in units: the basic stake, and what is paid this time."""

    basic: int
    effective: int


class Pairing(Struct, frozen=True):
    """Who plays whom where seats play two at a time, as in `BoutSet`: those who play now, the order, who is through."""

    seats: tuple[Seat, Seat]
    order: tuple[Seat, ...]
    through: tuple[Seat, ...]


class MatchMemory(Struct, frozen=True):
    """What an interlude remembers for as long as the match goes on."""


class RoundMemory(Struct, frozen=True):
    """What an interlude remembers until the round ends."""


class HeldDoubt(Struct, frozen=True):
    """A doubt that waits to be judged: which, whose, and who was in turn."""

    kind: Literal["challenge", "spot_on"]
    seat: Seat
    turn: Seat | None


class Round(Struct, frozen=True):
    """What ends with the round: a new one is `Round()`.

    Attributes:
        starter: Who opened it.
        standing: The claim to beat.
        opening: The first claim.
        claimant: Who made the standing claim.
        beats: Whether the standing claim stands above the one before; a claim too low may be caught.
        doubters: Who has doubted the standing claim, in that order.
        rebid: Whether the standing claim was raised by a claimant whom all others had doubted.
        passer: Whose pass waits to be believed.
        passed: Who has passed.
        bound: Whether the seat in turn has to claim: it has believed, pushed or rolled.
        handled: How often each seat has handled its dice, in this turn or in this round as the rules count it.
        shown: Whether the seat in turn has shown a die for its next claim.
        callers: Who has claimed.
        counts: What each seat was counted for, in that order.
        memories: What interludes remember of it.
        held: The doubt that waits until all tables with the same dice have come as far.
    """

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
    memories: tuple[RoundMemory, ...] = ()
    held: HeldDoubt | None = None


class State(Struct, frozen=True):
    """A game between two commands.

    Attributes:
        seats: Everybody who began, in seat order.
        balances: By unit, what each account has or owes: the fold of all postings.
        round_number: The number of the current or last round, from 1; 0 before the first.
        round: What ends with it.
        turn: Who acts; None while the table does.
        direction: 1 while play goes up the seats, -1 while it goes down.
        places: By cup, the dice that lie on the table.
        flags: What holds in this round, such as `palifico`; it is known before the round begins.
        fallen: Seats that have been down to one die.
        last: The last verdict.
        next_starter: Who opens the next round, once that is known.
        out: Seats out of the match, in the order they went.
        went: By which settlement each of these went, counted from 1; who went by the same one went together.
        went_in: In which round each of these went.
        settlements: How often something was settled: verdicts, seats that gave up, deals that came to nothing.
        withheld: Seats that did not open their seeds in a deal that came to nothing, and are out for it together.
        stakes: What is played for, where it changes.
        pairing: Who plays whom, where seats play two at a time.
        used: The numbers that were played, where each may be played once.
        rolls: How often each cup was rolled in the current deal.
        memories: What interludes remember of the match.
        closed: Whether the match was ended without anybody having won or lost it.
        in_step: Whether other tables have the same dice, so that each round is judged once it is over at all of them.
        released: The last round for which that was so.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    balances: dict[str, dict[int | str, int]]
    phase: Phase = BETWEEN_ROUNDS
    round_number: RoundNumber = 0
    round: Round = Round()
    turn: Seat | None = None
    direction: int = 1
    places: dict[CupId, Place] = {}
    flags: tuple[str, ...] = ()
    fallen: tuple[Seat, ...] = ()
    last: events.Judged | None = None
    next_starter: Seat | None = None
    out: tuple[Seat, ...] = ()
    went: tuple[int, ...] = ()
    went_in: tuple[RoundNumber, ...] = ()
    settlements: int = 0
    withheld: tuple[Seat, ...] = ()
    winner: Seat | None = None
    stakes: Stakes | None = None
    pairing: Pairing | None = None
    used: tuple[tuple[int, ...], ...] = ()
    rolls: dict[CupId, int] = {}
    memories: tuple[MatchMemory, ...] = ()
    closed: bool = False
    in_step: bool = False
    released: RoundNumber = 0

    @property
    def remaining(self) -> tuple[Seat, ...]:
        """The seats still in, in seat order; where they play two at a time, those who play now."""
        return _remaining(self.seats, self.out, None if self.pairing is None else self.pairing.seats)

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats still in that do not play now, in the order in which they come to play."""
        order = () if self.pairing is None else self.pairing.order
        return tuple(seat for seat in order if seat not in self.out and seat not in self.remaining)

    def balance(self, unit: str, account: int | str) -> int:
        """Return what an account has of a unit."""
        return self.balances.get(unit, {}).get(account, 0)

    @property
    def dice_in_play(self) -> int:
        """The dice or digits of this round."""
        return sum([len(place.inside) + len(place.outside) for place in self.places.values()])

    @property
    def wild(self) -> bool:
        """Whether ones count for every other face now."""
        return self.wild_after(None)

    def wild_after(self, claim: Claim | None) -> bool:
        """Report whether they do once this claim stands, which may be the first; None for as it is now."""
        return is_wild(self.rules.claims, self.round.opening or claim, self.flags)

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

    def interlude(self, kind: type[Played]) -> Played | None:
        """Return the interlude of this kind, if the rules have one."""
        return next((interlude for interlude in self.rules.interludes if isinstance(interlude, kind)), None)

    def remembered(self, kind: type[Remembered]) -> Remembered | None:
        """Return what an interlude remembers as this kind of memory; None where there is nothing yet."""
        for memory in (*self.memories, *self.round.memories):
            if isinstance(memory, kind):
                return memory
        return None

    def remember(self, memory: MatchMemory | RoundMemory) -> State:
        """Return the state with this memory in the place of the one of its kind."""
        if isinstance(memory, RoundMemory):
            others = tuple(each for each in self.round.memories if type(each) is not type(memory))
            return replace(self, round=replace(self.round, memories=(*others, memory)))
        return replace(self, memories=(*(each for each in self.memories if type(each) is not type(memory)), memory))

    def settler(self, kind: type[Settled]) -> Settled | None:
        """Return the settler of this kind, if the rules have one."""
        return next((settler for settler in self.rules.settlers if isinstance(settler, kind)), None)

    def place_of(self, seat: Seat) -> Place | None:
        """Return the dice a seat handles: those of the cup that is passed on, or its own."""
        return self.places.get(PASSED_CUP if isinstance(self.rules.tokens, SharedCup) else seat)


@lru_cache(maxsize=4_096)
def _remaining(seats: tuple[Seat, ...], out: tuple[Seat, ...], pair: tuple[Seat, Seat] | None) -> tuple[Seat, ...]:
    # Nothing is asked more often, and a match has as many answers as seats that go out.
    return tuple(seat for seat in seats if seat not in out and (pair is None or seat in pair))


def is_wild(claims: Counting | Rungs, opening: Claim | None, flags: tuple[str, ...] = ()) -> bool:
    """Report whether ones are wild after this opening claim; one on ones kills them for the round."""
    if "palifico" in flags:
        return False
    if claims.wild != "unless_opened" or opening is None:
        return claims.wild != "never"
    named = (opening.face,) if isinstance(opening, Count) else opening.faces
    return 1 not in named


def next_seat(state: State, seat: Seat) -> Seat:
    """Return the next seat in the direction of play that is still in."""
    return _next_in(state.seats, state.remaining, state.direction, seat)


@lru_cache(maxsize=4_096)
def _next_in(seats: tuple[Seat, ...], remaining: tuple[Seat, ...], direction: int, seat: Seat) -> Seat:
    round_table = seats[::direction]
    index = round_table.index(seat)
    order = round_table[index + 1 :] + round_table[: index + 1]
    return next(other for other in order if other in remaining)
