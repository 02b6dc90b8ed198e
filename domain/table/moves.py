"""Legal moves of each seat: the one place that offers, by the checks that refuse."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, cast

from domain import commands
from domain.ids import Seat
from domain.rules import claims
from domain.rules.claims import Auction
from domain.rules.ladders import Ladder
from domain.rules.laws import LAWS
from domain.rules.orders import Count
from domain.rules.rules import Handling, Rungs
from domain.table.checks import kinds_for, lowest_rung, may_show, refusal, rolls_left
from domain.table.interlude import interludes_of
from domain.table.interludes import COMMANDS
from domain.table.offers import (
    AcceptMove,
    ArrangeMove,
    BidMove,
    CallMove,
    CatchMove,
    ChallengeMove,
    ChooseFirstMove,
    CountMove,
    DeclareMove,
    DemandBillsMove,
    Move,
    PassMove,
    RollMove,
    ShapeOffer,
    SpotOnMove,
)
from domain.table.state import State


def moves(state: State) -> dict[Seat, tuple[Move, ...]]:
    """Return what each seat may do now, with bounds; a seat that may do nothing is left out."""
    waiting = kinds_for(state.rules, state.phase, in_turn=False)
    found = {seat: _moves_among(waiting, state, seat) for seat in state.remaining if seat != state.turn}
    if state.turn is not None:
        found[state.turn] = moves_of(state, state.turn)
    return {seat: found[seat] for seat in state.remaining if found[seat]}


def moves_of(state: State, seat: Seat) -> tuple[Move, ...]:
    """Return what one seat may do now, with bounds; nothing for a seat that is out."""
    return _moves_among(kinds_for(state.rules, state.phase, in_turn=seat == state.turn), state, seat)


def _moves_among(kinds: tuple[type[commands.Command], ...], state: State, seat: Seat) -> tuple[Move, ...]:
    offers = [_OFFERS[kind](state, seat) for kind in kinds if refusal(state, kind, seat) is None]
    for each in interludes_of(state):
        asked = (command for command in each.command_types if not command.of_table)
        offers += [command.move(state, seat) for command in asked if refusal(state, command, seat) is None]
    return tuple([offer for offer in offers if offer is not None])


def legal_moves(state: State, move: Move) -> int:
    """Count the legal moves of an offer: its claims, or one where it is of another kind."""
    if isinstance(move, BidMove):
        return sum([move.quantity_max - quantity + 1 for quantity, _ in move.lowest])
    if isinstance(move, CallMove):
        return state.ladder.top - lowest_rung(state) + 1
    return 1


def _bid_offer(state: State, _seat: Seat) -> Move | None:
    return _bid_move(state.auction, state.round.standing if isinstance(state.round.standing, Count) else None)


@lru_cache(maxsize=4_096)
def _bid_move(auction: Auction, standing: Count | None) -> BidMove | None:
    found = claims.lowest_claims(auction, standing)
    if not found:
        return None
    lowest = {claim.face: claim.quantity for claim in found}
    least = claims.minimum_claims(auction, standing)
    faces = tuple(sorted(lowest, key=claims.rank(auction)))
    return BidMove(
        minimum=tuple((claim.quantity, claim.face) for claim in least),
        faces=faces,
        lowest=tuple((lowest[face], face) for face in faces),
        quantity_max=auction.tokens,
    )


def _claim_hand_offer(state: State, _seat: Seat) -> Move | None:
    return _claim_hand_move(state.ladder, lowest_rung(state))


@lru_cache(maxsize=4_096)
def _claim_hand_move(ladder: Ladder, lowest: int) -> CallMove | None:
    shapes: dict[str, ShapeOffer] = {}
    for hand in ladder.hands[lowest:]:
        shapes.setdefault(hand.shape, ShapeOffer(hand.shape, len(hand.faces), hand.faces))
    return CallMove(ladder.hands[lowest], tuple(shapes.values())) if shapes else None


def _declare_offer(state: State, seat: Seat) -> Move:
    assert isinstance(state.rules.claims, Rungs)
    others = tuple(other for other in state.remaining if other != seat)
    specials = state.rules.claims.specials
    return DeclareMove(specials, others if "impose" in specials else ())


def _arrange_offer(state: State, seat: Seat) -> Move | None:
    place, law = state.place_of(seat), LAWS[state.rules.handling.law]
    assert place is not None
    if not rolls_left(state, seat) and not may_show(state, place):
        return None
    hidden = len(place.inside)
    placements = _placements(state.rules.handling, rolls_left(state, seat))
    return ArrangeMove(
        law=state.rules.handling.law,
        placements=placements,
        whole=law.whole,
        inside=tuple(range(hidden)),
        outside=tuple(range(hidden, len(place.dice))),
        rolls_left=rolls_left(state, seat),
    )


def _placements(handling: Handling, rolls: int) -> tuple[str, ...]:
    lawful = LAWS[handling.law].placements
    kept = tuple(placement for placement in lawful if handling.rehide or placement != "inside")
    return kept if rolls else tuple(placement for placement in kept if not placement.startswith("roll"))


_OFFERS: Final[dict[type[commands.Command], Callable[[State, Seat], Move | None]]] = {
    commands.Bid: _bid_offer,
    commands.ClaimHand: _claim_hand_offer,
    commands.Declare: _declare_offer,
    commands.Challenge: lambda state, _: ChallengeMove("claim" if state.round.passer is None else "pass"),
    commands.SpotOn: lambda _state, _seat: SpotOnMove(),
    commands.Pass: lambda _state, _seat: PassMove(),
    commands.Arrange: _arrange_offer,
    commands.Roll: lambda _state, _seat: RollMove(),
    commands.Accept: lambda state, _: AcceptMove(state.rules.handling.gate == "look"),
    commands.Catch: lambda _state, _seat: CatchMove(),
    commands.AskCount: lambda _state, _seat: CountMove(),
    commands.DemandBills: lambda _state, _seat: DemandBillsMove(),
    commands.ChooseFirst: lambda state, _: ChooseFirstMove(state.remaining),
}
PLAIN: Final[dict[str, Callable[[Seat], commands.Play]]] = {
    str(kind.__struct_config__.tag): cast("Callable[[Seat], commands.Play]", kind)
    for kind in (*_OFFERS, *(kind for kind in COMMANDS if not kind.of_table))
    if kind.__struct_fields__ == ("seat",)
}
"""What is asked for by a move that leaves nothing to choose but whether, by the `type` that move and command share."""


def plain_command(move: Move) -> Callable[[Seat], commands.Play] | None:
    """Return what makes the command that a move asks for; None where there is more to choose than whether."""
    return PLAIN.get(str(move.__struct_config__.tag))
