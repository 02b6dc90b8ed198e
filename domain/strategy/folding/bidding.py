"""A bidding surveyed: all positions a round can still come to, and what a policy makes of each, whatever the hands.

W of a round is folded back over its positions (`domain.strategy.folding.fold_back`) without a hand ever being looked at
again.

Bids on one face that are thought of go together as a run: the same few bids, with the same weights, are thought of
after many standing claims, and what a bid and a run are worth is worked out once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from math import comb
from typing import Final, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.ids import Face, Seat
from domain.rules.claims import Auction, can_be_raised, legal_claims
from domain.rules.orders import Count
from domain.rules.rules import Counting, OwnCups
from domain.strategy.folding.positions import Bidding, BidThought, Claims, Node, Place, Row, auction_after, place_after
from domain.strategy.hands import Hands, all_hands
from domain.strategy.level_one.count_columns import Column
from domain.strategy.level_one.count_table import Answer, CountPosition, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.reader import is_read_by_face
from domain.strategy.sight import Sight
from domain.table.evolve import evolve
from domain.table.phases import CLAIMING, RESPONDING
from domain.table.state import State, next_seat

FOLDED = frozenset({"bid", "challenge", "spot_on"})
"""The kinds of moves that positions are folded back over."""
HANDS_IN_A_MOMENT: Final = 2_600
"""Hands of all seats together up to which a round is surveyed while somebody waits: ten seats with five dice each."""


class PositionPlay(Protocol):
    """What a policy makes of a position: the moves thought of, and their weights by hand."""

    @property
    def columns(self) -> Mapping[Answer, Column | None]:
        """The moves thought of, in the order of the house's offers, with their columns where they have some."""

    def weights(self, answer: Answer, hands: Hands) -> Row:
        """Return the weight of a move to each hand."""

    def totals(self, hands: Hands) -> Row:
        """Return the sum of the weights of all moves to each hand."""


class RoundPolicy(Protocol):
    """A policy whose moves hang on the position and the hand, and perhaps on the claims before."""

    @property
    def remembers(self) -> bool:
        """Whether it plays otherwise after other claims, though the same one stands."""

    def plays(self, position: CountPosition, claims: Claims) -> PositionPlay:
        """Return what it makes of a position; the claims that led there are told to a policy that remembers."""


class LevelOne(Struct, frozen=True):
    """Level 1, not doubted."""

    params: LevelParams
    remembers: bool = False

    def plays(self, position: CountPosition, _claims: Claims) -> PositionPlay:
        """Return the table of the position."""
        return table_of(position, self.params)


def folds(state: State) -> bool:
    """Report whether a round can be folded back: own cups, claims that count, and nothing but bids and doubts."""
    rules = state.rules
    return (
        isinstance(rules.tokens, OwnCups)
        and is_read_by_face(rules)
        and state.phase in {CLAIMING, RESPONDING}
        and not rules.handling.limit
        and not rules.doubt.pass_once
        and not rules.doubt.rebid
        # Where cups may be rolled again in a round, what lies in them is not what lay there at the deal.
        and not any(each.rolls for each in rules.interludes)
        and not any(place.outside for place in state.places.values())
        and not _goes_round(state)
    )


def _goes_round(state: State) -> bool:
    """Report whether bids may come back to one that stood before, as half and double lets them under some orders."""
    if not isinstance(state.rules.claims, Counting) or state.rules.claims.aces != "half_double":
        return False
    auctions = {auction_after(state, claim) for claim in legal_claims(state.auction, None)}
    return any(map(_comes_back, auctions))


@lru_cache(maxsize=256)
def _comes_back(auction: Auction) -> bool:
    follow: dict[Count, Sequence[Count]] = {}
    ahead = list(legal_claims(auction, None))
    while ahead:
        claim = ahead.pop()
        if claim not in follow:
            follow[claim] = legal_claims(auction, claim)
            ahead += follow[claim]
    try:
        TopologicalSorter(follow).prepare()
    except CycleError:
        return True
    return False


def folds_in_a_moment(state: State) -> bool:
    """Report whether a round folds back while somebody waits for it: the hands of all its seats are no more than so."""
    faces = state.rules.tokens.faces.count
    dice = [len(state.places[seat].inside) for seat in state.remaining]
    return folds(state) and sum([comb(faces + each - 1, each) for each in dice]) <= HANDS_IN_A_MOMENT


def bidding_of(state: State, policy: RoundPolicy, made: Claims = ()) -> Bidding:
    """Return the bidding of a round that folds.

    Args:
        state: The round when nothing stands yet.
        policy: How everybody plays from now on.
        made: The claims that were made in it, which a policy that remembers may not have thought of.
    """
    return _Survey(state, policy).bidding(made)


class _Survey:
    """A bidding in the making."""

    def __init__(self, state: State, policy: RoundPolicy) -> None:
        self.state = state
        self.policy = policy
        assert state.turn is not None
        self.seats = seats_from(state, state.turn)
        dice = [len(state.places[seat].inside) for seat in self.seats]
        self.sizes = sorted(set(dice))
        self.hands = tuple([all_hands(size, state.rules.tokens.faces) for size in self.sizes])
        self.size_of = tuple([self.sizes.index(each) for each in dice])
        claims = legal_claims(state.auction, None)
        self.layers = {auction_after(state, claim): claim for claim in reversed(claims)}
        self.nodes: list[Node] = []
        self.links: dict[BidThought, int] = {}
        self.drawn: dict[tuple[int, tuple[Row, ...]], int] = {}
        self.runs: dict[tuple[int, ...], int] = {}
        self.places: dict[Place, int] = {}
        self.known: dict[tuple[Auction, Count | None], list[CountPosition]] = {}
        self.offers: dict[tuple[Auction, bool | None], CountPosition] = {}

    def bidding(self, made: Claims) -> Bidding:
        for place in self.remembered(made) if self.policy.remembers else self.all_claims():
            self.add(place)
        doubts = len(self.seats) - 1 if self.state.rules.doubt.who == "all" else 1
        return Bidding(
            self.seats,
            self.hands,
            self.size_of,
            tuple(self.nodes),
            tuple(self.links),
            tuple(self.runs),
            self.places,
            self.policy.remembers,
            doubts,
            self.state,
        )

    def all_claims(self) -> Iterator[Place]:
        """Yield where every claim stands, each after all that may follow it, and the opening."""
        for auction in self.layers:
            for claim in _fold_order(auction, legal_claims(self.state.auction, None)):
                yield auction, (claim,)
        yield self.state.auction, ()

    def remembered(self, made: Claims) -> Iterator[Place]:
        """Yield all that may be thought of after each of these claims, each after all that may follow it."""
        place: Place = (self.state.auction, ())
        starts = [place]
        for claim in made:
            place = place_after(self.state, place, claim, remembers=True)
            starts.append(place)
        # The opening comes last.
        ahead, seen = [(start, False) for start in starts], set()
        while ahead:
            place, waited = ahead.pop()
            if waited:
                yield place
            elif place not in seen:
                seen.add(place)
                ahead.append((place, True))
                bids = [answer for answer in self.plays(place)[0].columns if isinstance(answer, Count)]
                ahead += [(place_after(self.state, place, bid, remembers=True), False) for bid in bids]

    def plays(self, place: Place) -> list[PositionPlay]:
        """Return what the policy makes of a position, for each size of hand."""
        auction, claims = place
        return [
            self.policy.plays(position, claims) for position in self.positions(auction, claims[-1] if claims else None)
        ]

    def add(self, place: Place) -> None:
        """Add a node whose successors are there already."""
        auction, claims = place
        plays = self.plays(place)
        bids = [answer for answer in plays[0].columns if isinstance(answer, Count)]
        runs = []
        for face in _named(bids):
            links = [self.link(plays, place, bid) for bid in bids if bid.face == face]
            runs.append(_index(self.runs, tuple(links)))
        self.places[place] = len(self.nodes)
        self.nodes.append(
            Node(
                claims,
                auction,
                tuple(runs),
                self.answer_rows(plays, "challenge"),
                self.answer_rows(plays, "spot_on"),
                tuple([each.totals(hands) for each, hands in zip(plays, self.hands, strict=True)]),
            )
        )

    def positions(self, auction: Auction, claim: Count | None) -> list[CountPosition]:
        """Return the position after a claim, for each size of hand; remembered."""
        if (auction, claim) not in self.known:
            found, hidden = self.offered(auction, claim), self.state.dice_in_play
            self.known[auction, claim] = [
                replace(found, standing=claim, hidden=size, unknown=hidden - size) for size in self.sizes
            ]
        return self.known[auction, claim]

    def offered(self, auction: Auction, claim: Count | None) -> CountPosition:
        """Return the position after a claim, whatever it says: what is on offer hangs on whether it can be raised."""
        at = (auction, None if claim is None else can_be_raised(auction, claim))
        if at not in self.offers:
            state = self.state if claim is None else self.claimed(auction, claim)
            found = self.offers[at] = position_of(Sight(state, self.seats[0]))
            assert FOLDED.issuperset(found.kinds), "whoever asks has asked whether it folds"
        return self.offers[at]

    def claimed(self, auction: Auction, claim: Count) -> State:
        """Return the round in which a claim stands; whoever made it, the next seat has the same choice."""
        # The opening decides what is wild.
        before, opening = self.seats[-1], self.layers[auction]
        opened = evolve(replace(self.state, turn=before), events.Bid(before, opening.quantity, opening.face))
        return evolve(replace(opened, turn=before), events.Bid(before, claim.quantity, claim.face))

    def link(self, plays: Sequence[PositionPlay], place: Place, bid: Count) -> int:
        """Return the index of a bid, which may be known from another node."""
        node = self.places[place_after(self.state, place, bid, remembers=self.policy.remembers)]
        columns = [each.columns[bid] for each in plays]
        # The rows of a bid are those of its columns, which are shorter.
        key = (node, tuple([() if column is None else column.weights for column in columns]))
        if None in columns or key not in self.drawn:
            self.drawn[key] = _index(self.links, BidThought(node, self.answer_rows(plays, bid)))
        return self.drawn[key]

    def answer_rows(self, plays: Sequence[PositionPlay], answer: Answer) -> tuple[Row, ...]:
        if answer not in plays[0].columns:
            return ()
        return tuple([each.weights(answer, hands) for each, hands in zip(plays, self.hands, strict=True)])


def seats_from(state: State, first: Seat) -> tuple[Seat, ...]:
    """Return the seats still in, in the order of play from this one on."""
    found = [first]
    while len(found) < len(state.remaining):
        found.append(next_seat(state, found[-1]))
    return tuple(found)


Known = TypeVar("Known", BidThought, tuple[int, ...])


def _index(known: dict[Known, int], one: Known) -> int:
    """Return where something stands among what is known, at the end if it is new."""
    return known.setdefault(one, len(known))


def _named(bids: Sequence[Count]) -> list[Face]:
    return sorted({bid.face for bid in bids})


def _fold_order(auction: Auction, openings: Sequence[Count]) -> list[Count]:
    """Return every claim of a round, each after all that may follow it."""
    found, ahead = set(openings), list(openings)
    while ahead:
        fresh = [claim for claim in legal_claims(auction, ahead.pop()) if claim not in found]
        found.update(fresh)
        ahead += fresh
    # What may follow a claim may follow whatever that one followed, so that fewer are left with every step.
    return sorted(found, key=lambda claim: (len(legal_claims(auction, claim)), claim))
