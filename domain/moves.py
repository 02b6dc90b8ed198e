"""What each seat may do now: the one place that both offers and refuses.

A check is a question about the public state that answers with a refusal code or with nothing. Each command has its
checks in the order in which their codes win.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from msgspec import Struct

from domain import claims, commands
from domain.claims import Auction
from domain.orders import Count
from domain.state import State

Seat = int


class Move(Struct, frozen=True, tag_field="type"):
    """Something a seat may do now, with all a form, a bot or a text mode needs to know."""


class BidMove(Move, frozen=True, tag="bid"):
    """Bid. Every legal quantity of a face lies between its entry in `lowest` and `quantity_max`.

    Attributes:
        minimum: The smallest steps up as (quantity, face), ascending.
        faces: The faces that may be named, ascending.
        lowest: For each of them its lowest legal claim, as (quantity, face), ascending by face.
        quantity_max: The dice in play.
    """

    minimum: tuple[tuple[int, int], ...]
    faces: tuple[int, ...]
    lowest: tuple[tuple[int, int], ...]
    quantity_max: int


class ChallengeMove(Move, frozen=True, tag="challenge"):
    """Doubt the standing claim; `of` says whether it is the `claim` or a `pass` that is doubted."""

    of: str


class SpotOnMove(Move, frozen=True, tag="spot_on"):
    """Say that the standing claim is exactly right."""


class PassMove(Move, frozen=True, tag="pass"):
    """Claim that all one's own dice differ."""


class ArrangeMove(Move, frozen=True, tag="arrange"):
    """Push: show one or more equal dice of these positions and roll all others of them, at least one."""

    positions: tuple[int, ...]


Check = Callable[[State, Seat], str | None]


def _over(state: State, _seat: Seat) -> str | None:
    return "game_over" if state.phase == "finished" else None


def _seated(state: State, seat: Seat) -> str | None:
    if seat not in state.seats:
        return "unknown_player"
    return "eliminated" if seat in state.out else None


def _spot_on_is_on(state: State, _seat: Seat) -> str | None:
    return None if state.rules.doubt.spot_on else "not_allowed"


def _pass_is_on(state: State, _seat: Seat) -> str | None:
    return None if state.rules.doubt.pass_once else "not_allowed"


def _push_is_on(state: State, _seat: Seat) -> str | None:
    return "not_allowed" if state.rules.handling.law == "frozen" else None


def _is_session(state: State, _seat: Seat) -> str | None:
    return None if state.rules.match.unit is None else "not_allowed"


def _between_rounds(state: State, _seat: Seat) -> str | None:
    return None if state.phase == "between_rounds" else "wrong_phase"


def _in_round(state: State, _seat: Seat) -> str | None:
    return None if state.phase in {"claiming", "responding"} else "wrong_phase"


def _in_turn(state: State, seat: Seat) -> str | None:
    return None if state.turn == seat else "not_your_turn"


def _may_doubt(state: State, seat: Seat) -> str | None:
    return None if state.rules.doubt.who == "anyone" else _in_turn(state, seat)


def _claim_stands(state: State, _seat: Seat) -> str | None:
    return "no_standing_claim" if state.standing is None else None


def _of_another(state: State, seat: Seat) -> str | None:
    return "own_claim" if seat == (state.passer or state.claimant) else None


def _has_not_pushed(state: State, seat: Seat) -> str | None:
    return "must_claim" if state.pushed and state.turn == seat else None


def _no_pass_waits(state: State, _seat: Seat) -> str | None:
    return "must_claim" if state.passer is not None else None


def _can_be_raised(state: State, _seat: Seat) -> str | None:
    return None if claims.legal(state.auction, state.standing) else "must_challenge"


def _not_yet_pushed(state: State, _seat: Seat) -> str | None:
    return "no_rerolls_left" if state.pushed else None


def _has_dice_to_push(state: State, seat: Seat) -> str | None:
    return None if len(state.places[seat].hidden) > 1 else "bad_dice"


def _not_yet_passed(state: State, seat: Seat) -> str | None:
    return "already_passed" if seat in state.passed else None


_ALWAYS: Final = (_over, _seated)
CHECKS: Final[dict[type[commands.Command], tuple[Check, ...]]] = {
    commands.Bid: (*_ALWAYS, _in_round, _in_turn),
    commands.Challenge: (*_ALWAYS, _in_round, _may_doubt, _claim_stands, _of_another, _has_not_pushed),
    commands.SpotOn: (*_ALWAYS, _spot_on_is_on, _in_round, _in_turn, _claim_stands, _has_not_pushed, _no_pass_waits),
    commands.Pass: (
        *_ALWAYS,
        _pass_is_on,
        _in_round,
        _in_turn,
        _claim_stands,
        _has_not_pushed,
        _no_pass_waits,
        _not_yet_passed,
    ),
    commands.Arrange: (
        *_ALWAYS,
        _push_is_on,
        _in_round,
        _in_turn,
        _can_be_raised,
        _not_yet_pushed,
        _has_dice_to_push,
    ),
    commands.Forfeit: _ALWAYS,
    commands.Deal: (_over, _between_rounds),
    commands.CloseSession: (_over, _is_session, _between_rounds),
}


def refusal(state: State, kind: type[commands.Command], seat: Seat) -> str | None:
    """Return the code with which any command of this kind is refused to this seat now; None if one may be accepted.

    The table's own commands, which no seat gives, do not look at the seat.
    """
    for check in CHECKS[kind]:
        code = check(state, seat)
        if code is not None:
            return code
    return None


def moves(state: State) -> dict[Seat, tuple[Move, ...]]:
    """Return what each seat may do now, with bounds; a seat that may do nothing is left out."""
    found = {seat: tuple(_moves_of(state, seat)) for seat in state.remaining}
    return {seat: offers for seat, offers in found.items() if offers}


def _moves_of(state: State, seat: Seat) -> list[Move]:
    offers = []
    for kind, offer in _OFFERS.items():
        if refusal(state, kind, seat) is None:
            made = offer(state, seat)
            if made is not None:
                offers.append(made)
    return offers


@lru_cache(maxsize=4_096)
def _bid_move(auction: Auction, standing: Count | None) -> BidMove | None:
    legal = claims.legal(auction, standing)
    if not legal:
        return None
    lowest: dict[int, int] = {}
    for claim in legal:
        lowest.setdefault(claim.face, claim.quantity)
    least = claims.minimum_claims(auction, standing)
    return BidMove(
        minimum=tuple((claim.quantity, claim.face) for claim in least),
        faces=tuple(sorted(lowest)),
        lowest=tuple((quantity, face) for face, quantity in sorted(lowest.items())),
        quantity_max=auction.dice,
    )


_OFFERS: Final[dict[type[commands.Command], Callable[[State, Seat], Move | None]]] = {
    commands.Bid: lambda state, _: _bid_move(state.auction, state.standing),
    commands.Challenge: lambda state, _: ChallengeMove("claim" if state.passer is None else "pass"),
    commands.SpotOn: lambda _state, _seat: SpotOnMove(),
    commands.Pass: lambda _state, _seat: PassMove(),
    commands.Arrange: lambda state, seat: ArrangeMove(state.places[seat].hidden),
}
