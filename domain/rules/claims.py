"""Claims that count: what may be claimed, which claims beat the standing one, and which tokens count for a face."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct

from domain.ids import Face, Quantity
from domain.rules.orders import ORDERS, RANKS, STEPS, Count, Rank
from domain.rules.rules import Counting, Faces

ONE = 1


class Auction(Struct, frozen=True):
    """The bidding of one round: all that decides which claims are legal.

    Attributes:
        counting: The claims of the game.
        tokens: The tokens in play this round, the highest quantity.
        faces: What a token shows.
        wild: Whether ones count for every other face now.
        palifico: Whether the opening fixes the face and ones are plain.
    """

    counting: Counting
    tokens: int
    faces: Faces
    wild: bool = False
    palifico: bool = False


def refusal(auction: Auction, standing: Count | None, claim: Count) -> str | None:
    """Return the code with which this claim is refused, or None; the face is tested first, then the quantity."""
    # Python takes a truth value for a number, but the log would not: `true` is no face and no quantity.
    if isinstance(claim.face, bool) or not _may_name(auction, standing, claim.face):
        return "face_not_biddable"
    if isinstance(claim.quantity, bool) or not 1 <= claim.quantity <= auction.tokens:
        return "count_out_of_range"
    if standing is not None and not outranks(auction, standing, claim):
        return "claim_not_higher"
    return None


def rank(auction: Auction) -> Rank:
    """Return how high each face stands here."""
    return RANKS[auction.counting.rank]


def outranks(auction: Auction, standing: Count, claim: Count) -> bool:
    """Report whether the claim beats the standing one."""
    return _beating(auction, standing, claim.face)(claim.quantity)


def _beating(auction: Auction, standing: Count, face: Face) -> Callable[[Quantity], bool]:
    """Return what tells of a quantity of this face whether it beats the standing claim."""
    # Palifico fixes the face and makes ones plain, so neither the order nor half-and-double has a say: "only the count
    # may rise" (Perudo).
    if auction.palifico:
        return lambda quantity: face == standing.face and quantity > standing.quantity
    if auction.counting.aces == "half_double" and ONE in {standing.face, face}:
        return lambda quantity: _outranks_by_half_or_double(standing, Count(quantity, face))
    order, old, ranked = ORDERS[auction.counting.order], _claim_in_ranks(auction, standing), rank(auction)(face)
    return lambda quantity: order(old, Count(quantity, ranked))


def _claim_in_ranks(auction: Auction, claim: Count) -> Count:
    """Return the claim with the rank of its face in the place of the face, for orders to compare."""
    return Count(claim.quantity, rank(auction)(claim.face))


def _outranks_by_half_or_double(standing: Count, claim: Count) -> bool:
    """Report whether a claim from or to ones beats. Source: Dudo, Perudo."""
    if standing.face == claim.face:
        return claim.quantity > standing.quantity
    if claim.face == ONE:
        # "Needs Q >= ceil(q/2)": doubling the new quantity rounds up without a fraction.
        return 2 * claim.quantity >= standing.quantity
    return claim.quantity >= 2 * standing.quantity + 1


def _may_name(auction: Auction, standing: Count | None, face: Face) -> bool:
    if not 0 <= face - auction.faces.first < auction.faces.count:
        return False
    # In a palifico round ones "are not wild and may be named", whatever is the rule otherwise.
    if face != ONE or auction.palifico:
        return True
    if auction.counting.aces == "half_double":
        # The opening is "anything nameable (with `half_double`, not ones)" (Perudo).
        return standing is not None
    return auction.counting.aces == "as_ones"


@lru_cache(maxsize=4_096)
def lowest_claims(auction: Auction, standing: Count | None) -> tuple[Count, ...]:
    """Return the lowest legal claim of each face that may be named, ascending by face; nothing under the top claim.

    Cost: log2 of the tokens in comparisons a face, the first time it is asked.
    """
    # Whatever the order, a claim that is high enough stays so with a higher quantity: what is legal of a face begins at
    # its lowest claim and ends with all tokens.
    found = []
    for face in range(auction.faces.first, auction.faces.first + auction.faces.count):
        lowest = _lowest_on(auction, standing, face) if _may_name(auction, standing, face) else auction.tokens + 1
        if lowest <= auction.tokens:
            found.append(Count(lowest, face))
    return tuple(found)


def _lowest_on(auction: Auction, standing: Count | None, face: Face) -> Quantity:
    """Return the lowest quantity of a face that beats what stands; more than there are tokens where none does."""
    if standing is None:
        return 1
    beats = _beating(auction, standing, face)
    return 1 + bisect_left(range(1, auction.tokens + 1), True, key=beats)  # noqa: FBT003 - the first for which it is true


def can_be_raised(auction: Auction, standing: Count | None) -> bool:
    """Report whether there is a legal claim."""
    return bool(lowest_claims(auction, standing))


@lru_cache(maxsize=4_096)
def legal_claims(auction: Auction, standing: Count | None) -> tuple[Count, ...]:
    """Return every legal claim, ascending by quantity and face. At most faces x tokens of them."""
    lowest = lowest_claims(auction, standing)
    quantities = range(1, auction.tokens + 1)
    return tuple(
        [Count(quantity, each.face) for quantity in quantities for each in lowest if quantity >= each.quantity]
    )


@lru_cache(maxsize=4_096)
def minimum_claims(auction: Auction, standing: Count | None) -> tuple[Count, ...]:
    """Return the smallest claims: one die of each face for an opening, else the minimum raises; ascending."""
    if standing is None:
        return tuple(claim for claim in legal_claims(auction, None) if claim.quantity == 1)
    return minimum_raises(auction, standing)


def minimum_raises(auction: Auction, standing: Count) -> tuple[Count, ...]:
    """Return the smallest steps up from the standing claim, ascending by quantity and face."""
    higher = legal_claims(auction, standing)
    if auction.palifico:
        # The legal claims ascend by quantity and all have the one face, so the first is the step.
        return higher[:1]
    if auction.counting.aces != "half_double":
        return _steps(auction, standing, higher)
    ones = tuple(claim for claim in higher if claim.face == ONE)[:1]
    others = tuple(claim for claim in higher if claim.face != ONE)
    if standing.face == ONE:
        # From ones every other face costs the same 2q + 1, so all faces with the least quantity are steps, whatever the
        # order says.
        least = min((claim.quantity for claim in others), default=0)
        steps = tuple(claim for claim in others if claim.quantity == least)
    else:
        steps = _steps(auction, standing, others)
    return tuple(sorted((*ones, *steps)))


def _steps(auction: Auction, standing: Count, higher: tuple[Count, ...]) -> tuple[Count, ...]:
    """Return the smallest steps of the order, which compares ranks, as claims of faces."""
    # No two faces have the same rank, so that no claim is lost on the way there and back.
    ranked = rank(auction)
    by_rank = {Count(claim.quantity, ranked(claim.face)): claim for claim in higher}
    steps = STEPS[auction.counting.order](_claim_in_ranks(auction, standing), tuple(by_rank))
    return tuple(sorted(by_rank[step] for step in steps))


def count_of(auction: Auction, face: Face, values: Sequence[int]) -> int:
    """Return how many faces count for this one: those equal to it, and ones while they are wild."""
    ones = values.count(ONE) if auction.wild and face != ONE else 0
    return values.count(face) + ones


def holds(auction: Auction, claim: Count, values: Sequence[int]) -> bool:
    """Report whether these faces make the claim: enough of them count, and one is natural where the rules ask so."""
    # While ones help, "at least one natural" has to lie there (bar Liars): five aces alone make no four of another
    # face. Where they do not, every die that counts is a natural.
    helped = auction.wild and auction.counting.natural and claim.face != ONE
    return count_of(auction, claim.face, values) >= claim.quantity and (not helped or claim.face in values)
