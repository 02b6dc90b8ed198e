"""Positions of a round: every claim that may stand, what a policy makes of it, and where a claim leads.

The law of the file: a position is public. What a seat does in it hangs on the claim to beat and on the hand of the
seat, so the weights of all moves are rows with an entry for each hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from domain.ids import Face, Seat
from domain.rules.claims import Auction, count_of
from domain.rules.orders import Count
from domain.strategy.hands import Hands, needs_natural
from domain.table.state import State

Row = tuple[int, ...]
"""Of a move or a position, an entry for each hand."""
Claims = tuple[Count, ...]
"""The claims that led to a position, in their order; of a policy that does not remember, the one that stands."""
Place = tuple[Auction, Claims]
"""What a node is known by."""


class BidThought(Struct, frozen=True):
    """A bid that is thought of somewhere.

    Attributes:
        node: Where it leads.
        rows: For each size of hand, its weights.
    """

    node: int
    rows: tuple[Row, ...]


class Node(Struct, frozen=True):
    """A claim to beat, or none yet; what follows hangs on whose claim it is, and on who doubts it already.

    Attributes:
        claims: That and those before it, as far as they matter to the policy; none before the opening.
        auction: The bidding once it stands.
        runs: The bids thought of after it, a run for each face, as indices.
        challenge: For each size of hand, the weights of a challenge; none before the opening.
        spot_on: The same of spot on; none where it is not on offer.
        totals: For each size of hand, the sums of the weights of all moves.
    """

    claims: Claims
    auction: Auction
    runs: tuple[int, ...]
    challenge: tuple[Row, ...]
    spot_on: tuple[Row, ...]
    totals: tuple[Row, ...]

    @property
    def claim(self) -> Count | None:
        """The claim to beat; None before the opening."""
        return self.claims[-1] if self.claims else None


class FaceTally(Struct, frozen=True):
    """How many dice of each hand count for a face, and whether one of them is natural where that is asked for.

    Attributes:
        counts: For each size of hand.
        naturals: The same, 1 or 0; always 1 where no natural die is needed.
    """

    counts: tuple[Row, ...]
    naturals: tuple[Row, ...]


def tally_of(auction: Auction, face: Face, sizes: Sequence[Hands]) -> FaceTally:
    """Return what of each hand counts for a face."""
    needed = needs_natural(auction, face)
    return FaceTally(
        tuple([tuple([count_of(auction, face, hand) for hand in hands.hands]) for hands in sizes]),
        tuple([tuple([int(not needed or face in hand) for hand in hands.hands]) for hands in sizes]),
    )


class Bidding(Struct, frozen=True, dict=True, eq=False):
    """A round from its opening on.

    Attributes:
        seats: Who plays, in the order of play from the opener on.
        sizes: The sizes of hands there are, with all hands of each.
        size_of: For each seat, in that order, which of the sizes its hand has.
        nodes: The claims, each after all that may follow it; the last is where nothing stands.
        links: The bids that are thought of.
        runs: Those on one face that are thought of together, as indices of links.
        places: Where each node stands.
        remembers: Whether the policy plays otherwise after other claims.
        doubts: How many seats have to doubt a claim for it to be tested.
        state: The round as it was opened.
    """

    seats: tuple[Seat, ...]
    sizes: tuple[Hands, ...]
    size_of: tuple[int, ...]
    nodes: tuple[Node, ...]
    links: tuple[BidThought, ...]
    runs: tuple[tuple[int, ...], ...]
    places: Mapping[Place, int]
    remembers: bool
    doubts: int
    state: State

    @cached_property
    def has_spot_on(self) -> bool:
        """Whether spot on is thought of somewhere."""
        return any(node.spot_on for node in self.nodes)

    @cached_property
    def tallies(self) -> tuple[FaceTally, ...]:
        """What of each hand counts for each face under each bidding there is."""
        return tuple([tally_of(auction, face, self.sizes) for auction, face in self.tally_places])

    @cached_property
    def tally_places(self) -> Mapping[tuple[Auction, Face], int]:
        """By bidding and face, the place of its tally."""
        found: dict[tuple[Auction, Face], int] = {}
        for node in self.nodes:
            if node.claim is not None:
                found.setdefault((node.auction, node.claim.face), len(found))
        return found

    def claim_at(self, node: int) -> tuple[int, int]:
        """Return the place of the tally of a claim's face and how many it claims; 0 and 0 where nothing stands."""
        claim, auction = self.nodes[node].claim, self.nodes[node].auction
        return (0, 0) if claim is None else (self.tally_places[auction, claim.face], claim.quantity)

    def links_of(self, node: int) -> list[BidThought]:
        """Return the bids thought of after a claim."""
        return [self.links[link] for run in self.nodes[node].runs for link in self.runs[run]]

    def reachable(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Return these nodes and all that may be thought of after them, each after all that may follow it."""
        found = set(nodes)
        for place in range(max(found, default=-1), -1, -1):
            if place in found:
                found.update([link.node for link in self.links_of(place)])
        return tuple(sorted(found))

    def node_of(self, state: State, claims: Claims = ()) -> int:
        """Return the node of a state of this round; all claims so far are asked for where the policy remembers."""
        standing = state.round.standing
        if not self.remembers:
            claims = (standing,) if isinstance(standing, Count) else ()
        return self.places[state.auction, claims]

    def after(self, node: int, claim: Count) -> int:
        """Return the node to which a claim leads."""
        return self.places[
            place_after(
                self.state, (self.nodes[node].auction, self.nodes[node].claims), claim, remembers=self.remembers
            )
        ]

    def hand_of(self, place: int, dice: Sequence[Face]) -> int:
        """Return the index of a seat's hand among those of its size; the place is the seat's in the order of play."""
        return self.sizes[self.size_of[place]].places[tuple(sorted(dice))]


def auction_after(state: State, opening: Count) -> Auction:
    """Return the bidding after this opening, which decides what is wild."""
    return replace(state, round=replace(state.round, opening=opening)).auction


def place_after(state: State, place: Place, claim: Count, *, remembers: bool) -> Place:
    """Return what the node is known by to which a claim leads."""
    auction, claims = place
    return auction if claims else auction_after(state, claim), (*claims, claim) if remembers else (claim,)
