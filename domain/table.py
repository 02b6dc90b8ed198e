"""The law of the house: what a command on a game leads to, or why it is refused.

`moves` and `decide` ask the same checks, so whatever is offered is accepted and whatever is refused was not offered.
`decide` looks at dice only through the dealer, and only where the rules do: at a verdict, and at the dice a seat shows.
Events come in the order of the rules: the doubt, the dice, the verdict, the postings, who is out, the end of the round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from domain import claims, commands, events, places
from domain.errors import Refused
from domain.fairness.deal import Cup
from domain.moves import Move, moves, refusal
from domain.orders import Count
from domain.rules import LoseDie, Pot
from domain.settling import losers_of_spot_on, settle
from domain.state import TABLE_CUP, State, after, evolve, opening

__all__ = ["NO_DICE", "Dealer", "Move", "State", "deal_cups", "decide", "evolve", "moves", "needs_deal", "opening"]

Seat = int
PIPS = 6
DRAWS_MAX = 16
"""Rolls of the table cup for who begins; sixteen ties in a row have less than one chance in 10**12."""
ROLLS_MAX = 48
"""Rolls of a cup in one deal: a longer match begins another deal (CUP/1 section 4.2)."""


class Dealer(Protocol):
    """Who knows the dice of the current deal."""

    number: int

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        """Return the value at an address, 0 to m - 1."""

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        """Return the event that shows these dice to all, with its proof."""


class _NoDice:
    """A dealer for commands that look at no dice."""

    number = -1

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        raise AssertionError((cup, roll, slot, m))

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        raise AssertionError((cup, roll, slots, m))


NO_DICE: Final[Dealer] = _NoDice()


# ---- the dice a deal has to hold ----------------------------------------------------------------


def deal_cups(state: State, deal_per: str) -> tuple[Cup, ...]:
    """Return the cups of a fresh deal, ascending by id: the table's while nobody knows who begins, one a seat still in.

    Args:
        state: The game between two rounds.
        deal_per: `round` for one round, `match` for as many as the match may need, at most `ROLLS_MAX`.
    """
    dice = state.rules.tokens.dice
    rounds = 1 if deal_per == "round" else max(1, sum(max(1, state.balance("die", seat)) for seat in state.remaining) - 1)
    rolls = min(ROLLS_MAX, rounds + _rerolls(state))
    table = (Cup(TABLE_CUP, 0, DRAWS_MAX, max(state.seats)),) if state.next_starter is None else ()
    return (*table, *(Cup(seat, seat, rolls, dice) for seat in state.remaining))


def needs_deal(state: State, capacity: dict[int, int]) -> bool:
    """Report whether some cup cannot serve a whole further round; `capacity` is how often each may be rolled."""
    spare = 1 + _rerolls(state)
    return any(capacity.get(seat, 0) - state.rolls.get(seat, 0) < spare for seat in state.remaining)


def _rerolls(state: State) -> int:
    """Return how many re-rolls a seat may need in a round: a push shows a die each time and keeps one to roll."""
    return 0 if state.rules.handling.law == "frozen" else state.rules.tokens.dice - 1


# ---- deciding -----------------------------------------------------------------------------------


def decide(state: State, command: commands.TableCommand, dealer: Dealer) -> tuple[events.Event, ...]:
    """Return what the command leads to.

    Args:
        state: The game as it stands.
        command: What is asked, and by whom.
        dealer: Who knows the dice of the current deal.

    Raises:
        Refused: A rule says no; of several codes the first in `domain.errors.CODES` wins.
    """
    kind = type(command)
    if kind not in _UNCHECKED:
        code = refusal(state, kind, command.seat)
        if code is not None:
            raise Refused(code, **_facts(state, code))
    return tuple(_HANDLERS[kind](state, command, dealer))


def _facts(state: State, code: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"phase": state.phase, "turn": state.turn}
    if code == "claim_not_higher" and state.standing is not None:
        facts["standing"] = [state.standing.quantity, state.standing.face]
        facts["minimum"] = [[c.quantity, c.face] for c in claims.minimum_raises(state.auction, state.standing)]
    if code == "count_out_of_range":
        facts["quantity_max"] = state.dice_in_play
    return facts


def _bid(state: State, command: commands.Bid, _dealer: Dealer) -> Iterator[events.Event]:
    code = claims.refusal(state.auction, state.standing, Count(command.quantity, command.face))
    if code is not None:
        raise Refused(code, **_facts(state, code))
    yield events.Bid(command.seat, command.quantity, command.face)


def _pass(_state: State, command: commands.Pass, _dealer: Dealer) -> Iterator[events.Event]:
    yield events.Passed(command.seat)


def _arrange(state: State, command: commands.Arrange, dealer: Dealer) -> Iterator[events.Event]:
    place = state.places[command.seat]
    code = places.LAWS[state.rules.handling.law](place, command)
    if code is not None:
        raise Refused(code)
    shown = [place.dice[position] for position in command.outside]
    if len({dealer.value(place.cup, die.roll, die.slot, PIPS) for die in shown}) > 1:
        raise Refused("bad_dice", why="only equal dice are pushed")
    yield events.Arranged(command.seat, len(shown), 0, len(command.roll_inside), 0)
    for roll in sorted({die.roll for die in shown}):
        slots = sorted(die.slot for die in shown if die.roll == roll)
        yield dealer.open(place.cup, roll, slots, [PIPS] * len(slots))
    slots = sorted(place.dice[position].slot for position in command.roll_inside)
    yield _roll(state, dealer, place.cup, slots)


def _challenge(state: State, command: commands.Challenge, dealer: Dealer) -> Iterator[events.Event]:
    yield events.Challenged(command.seat)
    verdict = _doubt_a_pass if state.passer is not None else _doubt_a_claim
    yield from verdict(state, command.seat, dealer)


def _doubt_a_claim(state: State, doubter: Seat, dealer: Dealer) -> Iterator[events.Event]:
    standing, claimant = _standing(state)
    lifted = yield from _lift(state, state.remaining, dealer)
    count = claims.holding(state.auction, standing.face, _faces(lifted))
    holds = count >= standing.quantity
    winner, loser = (claimant, doubter) if holds else (doubter, claimant)
    yield from _settle(
        lifted,
        events.Judged(
            "challenge",
            claimant,
            standing.quantity,
            standing.face,
            (doubter,),
            holds,
            count,
            doubter != state.turn,
            (winner,),
            (loser,),
        ),
    )


def _doubt_a_pass(state: State, doubter: Seat, dealer: Dealer) -> Iterator[events.Event]:
    passer = state.passer
    assert passer is not None
    lifted = yield from _lift(state, (passer,), dealer)
    values = [die.value for die in lifted.places[passer].dice]
    holds = len(set(values)) == len(values)
    winner, loser = (passer, doubter) if holds else (doubter, passer)
    yield from _settle(
        lifted,
        events.Judged(
            "pass", passer, None, None, (doubter,), holds, None, doubter != state.turn, (winner,), (loser,)
        ),
    )


def _spot_on(state: State, command: commands.SpotOn, dealer: Dealer) -> Iterator[events.Event]:
    standing, claimant = _standing(state)
    caller = command.seat
    yield events.SpotOnCalled(caller)
    lifted = yield from _lift(state, state.remaining, dealer)
    count = claims.holding(state.auction, standing.face, _faces(lifted))
    holds = count == standing.quantity
    losers = losers_of_spot_on(state, caller, claimant) if holds else (caller,)
    yield from _settle(
        lifted,
        events.Judged(
            "spot_on",
            claimant,
            standing.quantity,
            standing.face,
            (caller,),
            holds,
            count,
            False,  # noqa: FBT003 - members of an event
            (caller,) if holds else (claimant,),
            losers,
        ),
    )


def _standing(state: State) -> tuple[Count, Seat]:
    assert state.standing is not None
    assert state.claimant is not None
    return state.standing, state.claimant


def _faces(state: State) -> list[int]:
    return [die.value + 1 for place in state.places.values() for die in place.dice if die.value is not None]


def _lift(state: State, seats: tuple[Seat, ...], dealer: Dealer) -> Iterator[events.Event]:
    """Show the dice of these seats that are still hidden, in seat order; return the state with all of them shown."""
    for seat in seats:
        place = state.places[seat]
        for roll, slots in places.hidden_rolls(place).items():
            shown = dealer.open(place.cup, roll, slots, [PIPS] * len(slots))
            state = evolve(state, shown)
            yield shown
    return state


# ---- what a verdict costs -----------------------------------------------------------------------


def _settle(state: State, verdict: events.Judged) -> Iterator[events.Event]:
    yield verdict
    fallen_before = state.fallen
    dice = [posted for settler in state.rules.settlers if isinstance(settler, LoseDie) for posted in settle(settler, state, verdict, ())]
    tried = _after(state, dice)
    out = _newly_out(tried, verdict)
    others = [
        posted
        for settler in state.rules.settlers
        if not isinstance(settler, LoseDie)
        for posted in settle(settler, state, verdict, out)
    ]
    settled = (*dice, *others, *(events.Eliminated(seat) for seat in out))
    yield from settled
    yield from _close(_after(state, settled), verdict, tried.fallen != fallen_before)


def _after(state: State, happened: Sequence[events.Event]) -> State:
    for event in happened:
        state = evolve(state, event)
    return state


def _newly_out(state: State, verdict: events.Judged) -> tuple[Seat, ...]:
    if verdict.kind == "forfeit":
        return verdict.losers
    unit = state.rules.match.unit
    return () if unit is None else tuple(seat for seat in state.remaining if state.balance(unit, seat) == 0)


def _close(state: State, verdict: events.Judged, fallen: bool) -> Iterator[events.Event]:  # noqa: FBT001
    if len(state.remaining) == 1:
        yield events.Won(state.remaining[0])
        return
    if verdict.kind == "forfeit" and state.phase == "between_rounds":
        yield events.RoundClosed(_still_in(state, state.next_starter), state.flags)
        return
    flags = ("palifico",) if state.rules.match.palifico and fallen else ()
    yield events.RoundClosed(_still_in(state, _next_starter(state, verdict)), flags)


def _next_starter(state: State, verdict: events.Judged) -> Seat:
    if state.rules.match.next_start == "winner" and verdict.winners:
        return verdict.winners[0]
    if verdict.kind == "spot_on" and verdict.holds and verdict.claimant is not None:
        return verdict.claimant
    return verdict.losers[0]


def _still_in(state: State, seat: Seat | None) -> Seat | None:
    return seat if seat is None or seat in state.remaining else after(state, seat)


# ---- the table's own commands -------------------------------------------------------------------


def _deal(state: State, _command: commands.Deal, dealer: Dealer) -> Iterator[events.Event]:
    if state.phase == "finished":
        raise Refused("game_over")
    if state.phase != "between_rounds":
        raise Refused("wrong_phase", phase=state.phase)
    if state.round == 0:
        for settler in state.rules.settlers:
            if isinstance(settler, Pot):
                yield from (events.Posted("chip", seat, "pot", settler.amount) for seat in state.remaining)
    starter = state.next_starter
    if starter is None:
        starter = yield from _draw(state, dealer)
    yield events.RoundOpened(state.round + 1, starter)
    for seat in state.remaining:
        yield _roll(state, dealer, seat, range(state.balance("die", seat)))


def _draw(state: State, dealer: Dealer) -> Iterator[events.Event]:
    """Draw who begins: a die each from the table cup, the highest begins, those who tie roll again."""
    tied, roll = state.remaining, 0
    while len(tied) > 1 and roll < DRAWS_MAX:
        slots = [seat - 1 for seat in tied]
        yield events.Rolled(dealer.number, TABLE_CUP, roll, tuple(slots), (PIPS,) * len(slots))
        shown = dealer.open(TABLE_CUP, roll, slots, [PIPS] * len(slots))
        yield shown
        highest = max(value for _, value in shown.values)
        tied = tuple(slot + 1 for slot, value in shown.values if value == highest)
        roll += 1
    yield events.FirstDrawn(tied[0])
    return tied[0]


def _roll(state: State, dealer: Dealer, cup: int, slots: Sequence[int]) -> events.Rolled:
    return events.Rolled(dealer.number, cup, state.rolls.get(cup, 0), tuple(slots), (PIPS,) * len(slots))


def _forfeit(state: State, command: commands.Forfeit, _dealer: Dealer) -> Iterator[events.Event]:
    seat = command.seat
    yield events.Forfeited(seat, "forfeit")
    yield from _settle(
        state,
        events.Judged("forfeit", None, None, None, (), None, None, False, (), (seat,)),  # noqa: FBT003
    )


def _close_session(state: State, _command: commands.CloseSession, _dealer: Dealer) -> Iterator[events.Event]:
    if state.phase == "finished":
        raise Refused("game_over")
    if state.rules.match.unit is not None:
        raise Refused("not_allowed")
    if state.phase != "between_rounds":
        raise Refused("wrong_phase", phase=state.phase)
    yield events.SessionClosed()


def timeout_command(state: State) -> commands.TableCommand:
    """Return what the table does for a seat out of time: challenge if it may, else make the lowest minimum claim."""
    assert state.turn is not None
    if refusal(state, commands.Challenge, state.turn) is None:
        return commands.Challenge(state.turn)
    legal = claims.legal(state.auction, state.standing)
    return commands.Bid(state.turn, legal[0].quantity, legal[0].face)


_UNCHECKED: Final = frozenset({commands.Deal, commands.CloseSession})
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
