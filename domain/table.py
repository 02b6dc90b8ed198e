"""The law of the house: what a command on a game leads to, or why it is refused.

`moves` and `decide` ask the same checks, so whatever is offered is accepted and whatever is refused was not offered.
`decide` looks at dice only through the dealer, and only where the rules do: at a verdict, and at the dice a seat shows.
Events come in the order of the rules: the doubt, the dice, the verdict, the postings, who is out, the end of the round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from domain import claims, commands, events, judging, places
from domain.dice import NO_DICE, Dealer, deal_cups, dealt, needs_deal, rolled
from domain.errors import Refused
from domain.moves import Move, moves, refusal
from domain.orders import Count
from domain.places import Place
from domain.state import State, evolve, opening

__all__ = [
    "NO_DICE",
    "Dealer",
    "Move",
    "State",
    "deal_cups",
    "decide",
    "evolve",
    "moves",
    "needs_deal",
    "opening",
    "timeout_command",
]

Seat = int
NOBODY = 0
"""Stands for the seat in the table's own commands; seats count from 1."""


def decide(state: State, command: commands.TableCommand, dealer: Dealer) -> tuple[events.Event, ...]:
    """Return what the command leads to.

    Args:
        state: The game as it stands.
        command: What is asked, and by whom.
        dealer: Who knows the dice of the current deal.

    Raises:
        Refused: A rule says no; of several codes the first in `domain.errors.CODES` wins.
    """
    seat = NOBODY if isinstance(command, commands.Deal | commands.CloseSession) else command.seat
    code = refusal(state, type(command), seat)
    if code is not None:
        raise Refused(code, **_facts(state, code))
    return tuple(_HANDLERS[type(command)](state, command, dealer))


def timeout_command(state: State) -> commands.Challenge | commands.Bid:
    """Return what the table does for a seat out of time: challenge if it may, else make the lowest minimum claim."""
    assert state.turn is not None
    if refusal(state, commands.Challenge, state.turn) is None:
        return commands.Challenge(state.turn)
    lowest = claims.minimum_claims(state.auction, state.standing)[0]
    return commands.Bid(state.turn, lowest.quantity, lowest.face)


def _facts(state: State, code: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"phase": state.phase, "turn": state.turn}
    if code == "claim_not_higher" and state.standing is not None:
        facts["standing"] = [state.standing.quantity, state.standing.face]
        facts["minimum"] = [[c.quantity, c.face] for c in claims.minimum_raises(state.auction, state.standing)]
    if code == "count_out_of_range":
        facts["quantity_max"] = state.dice_in_play
    return facts


# ---- one handler a command ----------------------------------------------------------------------


def _bid(state: State, command: commands.Bid, _dealer: Dealer) -> Iterator[events.Event]:
    code = claims.refusal(state.auction, state.standing, Count(command.quantity, command.face))
    if code is not None:
        raise Refused(code, **_facts(state, code))
    yield events.Bid(command.seat, command.quantity, command.face)


def _challenge(state: State, command: commands.Challenge, dealer: Dealer) -> Iterator[events.Event]:
    yield events.Challenged(command.seat)
    yield from judging.doubted(state, command.seat, dealer)


def _spot_on(state: State, command: commands.SpotOn, dealer: Dealer) -> Iterator[events.Event]:
    yield events.SpotOnCalled(command.seat)
    yield from judging.said_exact(state, command.seat, dealer)


def _pass(_state: State, command: commands.Pass, _dealer: Dealer) -> Iterator[events.Event]:
    yield events.Passed(command.seat)


def _arrange(state: State, command: commands.Arrange, dealer: Dealer) -> Iterator[events.Event]:
    place = state.places[command.seat]
    code = places.LAWS[state.rules.handling.law](place, command)
    if code is not None:
        raise Refused(code)
    yield from _pushed(state, place, command, dealer)


def _pushed(state: State, place: Place, command: commands.Arrange, dealer: Dealer) -> Iterator[events.Event]:
    """Show the equal dice, roll all the others. Whether they are equal only the dealer and their owner can tell."""
    faces = state.rules.tokens.faces
    shown = [place.dice[position] for position in command.outside]
    if len({dealer.value(place.cup, die.roll, die.slot, faces) for die in shown}) > 1:
        raise Refused("bad_dice", why="only equal dice are pushed")
    yield events.Arranged(command.seat, len(shown), 0, len(command.roll_inside), 0)
    for roll in sorted({die.roll for die in shown}):
        slots = tuple(sorted(die.slot for die in shown if die.roll == roll))
        yield dealer.open(place.cup, roll, slots, (faces,) * len(slots))
    yield rolled(state, dealer, place.cup, sorted(place.dice[position].slot for position in command.roll_inside))


def _forfeit(state: State, command: commands.Forfeit, _dealer: Dealer) -> Iterator[events.Event]:
    yield events.Forfeited(command.seat, "forfeit")
    yield from judging.gone(state, command.seat)


def _deal(state: State, _command: commands.Deal, dealer: Dealer) -> Iterator[events.Event]:
    yield from dealt(state, dealer)


def _close_session(_state: State, _command: commands.CloseSession, _dealer: Dealer) -> Iterator[events.Event]:
    yield events.SessionClosed()


_HANDLERS: Final[dict[type[commands.Command], Callable[[State, Any, Dealer], Iterator[events.Event]]]] = {
    commands.Bid: _bid,
    commands.Challenge: _challenge,
    commands.SpotOn: _spot_on,
    commands.Pass: _pass,
    commands.Arrange: _arrange,
    commands.Deal: _deal,
    commands.Forfeit: _forfeit,
    commands.CloseSession: _close_session,
}
