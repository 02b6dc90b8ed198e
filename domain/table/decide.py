"""The law of the house: what a command on a game leads to, or why it is refused.

`moves` and `decide` ask the same checks, so whatever is offered is accepted and whatever is refused was not offered.
`decide` looks at dice only through the dealer, and only where the rules do: at a verdict, and at the dice a seat shows.
Events come in the order of the rules: the doubt, the dice, the verdict, the postings, who is out, the end of the round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat, Units
from domain.rules import claims
from domain.rules.ladders import SPECIALS, Hand
from domain.rules.orders import Count
from domain.rules.rules import Rules, Rungs, Token
from domain.table import handling, judging
from domain.table.checks import can_be_raised, lowest_raise, lowest_rung, must_show, refusal, refusal_of
from domain.table.dealer import NO_DICE, Dealer
from domain.table.dice import (
    deal_cups,
    deal_events,
    has_played_in_deal,
    is_between_rounds,
    is_round_over,
    needs_deal,
    roll_of_cup,
    rolls_next,
)
from domain.table.evolve import evolve, evolve_all
from domain.table.interlude import InterludeCommand, deal_command, interludes_of
from domain.table.moves import moves
from domain.table.offers import Move
from domain.table.phases import CHOOSING
from domain.table.settling import first_stakes
from domain.table.state import PASSED_CUP, State

__all__ = [
    "NO_DICE",
    "Dealer",
    "Move",
    "State",
    "deal_cups",
    "decide",
    "evolve",
    "has_played_in_deal",
    "initial_state",
    "is_between_rounds",
    "is_round_over",
    "moves",
    "needs_deal",
    "next_deal",
    "refusal_of",
    "release_events",
    "rolls_next",
    "timeout_command",
]


def initial_state(
    rules: Rules,
    seats: tuple[Seat, ...],
    starter: Seat | None = None,
    stacks: Mapping[Seat, Units] | None = None,
    *,
    in_step: bool = False,
) -> State:
    """Return a game before its first round.

    Args:
        rules: The game.
        seats: Who plays, ascending.
        starter: Who opens the first round, or the next seat that plays; without one the table cup will draw it.
        stacks: What the seats begin with of what they are out without, if not with the usual.
        in_step: Whether other tables have the same dice, so that no round is judged before it is over at all of them.
    """
    balances: dict[str, dict[int | str, int]] = {}
    if rules.match.unit == "die":
        balances["die"] = dict.fromkeys(seats, rules.tokens.dice)
    for settler in rules.settlers:
        if isinstance(settler, Token):
            balances["token"] = dict.fromkeys(seats, settler.stake)
    if stacks is not None and rules.match.unit is not None:
        balances[rules.match.unit] = {seat: stacks[seat] for seat in seats}
    stakes = first_stakes(rules.settlers)
    state = State(rules, seats, balances, fallen=_fallen(balances, rules), stakes=stakes, in_step=in_step)
    if starter is None:
        return state
    opens = next((seat for seat in seats if seat >= starter), seats[0])
    return evolve(state, events.FirstChosen(opens, opens))


def _fallen(balances: dict[str, dict[Seat | str, Units]], rules: Rules) -> tuple[Seat, ...]:
    """Return who begins with one die left of several: that seat has fallen to it before, and does so only once."""
    dice = balances.get("die", {})
    return tuple(seat for seat, left in dice.items() if isinstance(seat, int) and left == 1 < rules.tokens.dice)


def decide(state: State, command: commands.TableCommand, dealer: Dealer) -> tuple[events.TableEvent, ...]:
    """Return what the command leads to.

    Args:
        state: The game as it stands.
        command: What is asked, and by whom.
        dealer: Who knows the dice of the current deal.

    Raises:
        Refused: A rule says no; of several codes the first in `domain.errors.CODES` wins.
    """
    code = refusal_of(state, command)
    if code is not None:
        raise Refused(code, **_facts(state, code))
    happenings = HAPPENINGS.get(type(command))
    if happenings is not None:
        return tuple(happenings(state, command, dealer))
    assert isinstance(command, InterludeCommand), "its file has it"
    return tuple(command.happenings(state, dealer))


def next_deal(state: State) -> commands.DealRound | commands.AnyInterludeCommand:
    """Return what the table does between two rounds."""
    return deal_command(state) or commands.DealRound()


def timeout_command(state: State, dealer: Dealer = NO_DICE) -> commands.Play:
    """Return what the table does for a seat out of time: doubt if it may, else the least that ends the turn.

    Args:
        state: The game as it stands.
        dealer: Who knows whether dice lie cocked that the seat has looked at; elsewhere no die is asked for.
    """
    seat = state.turn
    assert seat is not None
    # What is published for a seat out of time (`ClockSettings.on_timeout`): it "challenges if a claim stands and else
    # makes the minimum claim".
    for kind in (commands.Challenge, commands.AskCount):
        if refusal(state, kind, seat) is None:
            return kind(seat)
    for each in interludes_of(state):
        command = each.timeout_command(state, seat)
        if command is not None:
            return command
    if refusal(state, commands.Roll, seat) is None:
        return commands.Roll(seat)
    if state.phase == CHOOSING:
        return commands.ChooseFirst(seat, seat)
    if must_show(state, seat):
        return commands.Arrange(seat, outside=(0,))
    # A seat that has re-rolled under the top claim may neither doubt nor claim. It throws on until its last re-roll
    # forces the verdict, or the match would stand still.
    if not can_be_raised(state):
        return commands.Arrange(seat, roll_inside=(0,))
    # A first claim over cocked dice that the seat has looked at is refused: the table would ask for it again and again,
    # and the match would stand still.
    before = (each.timeout_before_claim(state, seat, dealer) for each in interludes_of(state))
    return next((command for command in before if command is not None), None) or _least_claim(state, seat)


def _least_claim(state: State, seat: Seat) -> commands.Play:
    if isinstance(state.rules.claims, Rungs):
        # The top claim has been seen to before, so this rung is on the ladder.
        least = state.ladder.hands[lowest_rung(state)]
        return commands.ClaimHand(seat, least.shape, least.faces)
    standing = state.round.standing if isinstance(state.round.standing, Count) else None
    lowest = claims.minimum_claims(state.auction, standing)[0]
    return commands.Bid(seat, lowest.quantity, lowest.face)


def _facts(state: State, code: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"phase": state.phase, "turn": state.turn}
    if code == "claim_not_higher" and isinstance(state.round.standing, Count):
        facts["standing"] = [state.round.standing.quantity, state.round.standing.face]
        facts["minimum"] = [[c.quantity, c.face] for c in claims.minimum_raises(state.auction, state.round.standing)]
    if code == "claim_not_higher" and isinstance(state.round.standing, Hand):
        # Above the top there is no rung to name as the minimum.
        least = state.ladder.hands[min(lowest_rung(state), state.ladder.top)]
        facts["standing"] = [state.round.standing.shape, list(state.round.standing.faces)]
        facts["minimum"] = [least.shape, list(least.faces)]
    if code == "count_out_of_range":
        facts["quantity_max"] = state.dice_in_play
    return facts


# ---- claims -------------------------------------------------------------------------------------


def _bid(state: State, command: commands.Bid, dealer: Dealer) -> Iterator[events.TableEvent]:
    # `cocked_dice` wins over whatever may be wrong with the claim itself.
    for each in interludes_of(state):
        each.check_bid(state, command, dealer)
    standing = state.round.standing if isinstance(state.round.standing, Count) else None
    code = claims.refusal(state.auction, standing, Count(command.quantity, command.face))
    if code is not None:
        raise Refused(code, **_facts(state, code))
    # A claim that is refused costs nothing; only one that would have stood loses the hand over cocked dice (bar Liars).
    for each in interludes_of(state):
        instead = each.instead_of_bid(state, command, dealer)
        if instead is not None:
            yield from instead
            return
    yield events.Bid(command.seat, command.quantity, command.face)


def _claim_hand(state: State, command: commands.ClaimHand, _dealer: Dealer) -> Iterator[events.TableEvent]:
    rung = state.ladder.rung_of(Hand(command.shape, command.faces))
    if rung is None:
        raise Refused("claim_malformed")
    if rung < lowest_rung(state):
        raise Refused("claim_not_higher", **_facts(state, "claim_not_higher"))
    # "The expanded hand is what is recorded, compared and tested" (Stanford).
    meant = state.ladder.hands[rung]
    yield events.HandClaimed(command.seat, meant.shape, meant.faces, rung >= lowest_raise(state))


def _declare(state: State, command: commands.Declare, dealer: Dealer) -> Iterator[events.TableEvent]:
    place, first = state.places[PASSED_CUP], state.rules.tokens.faces.first
    thrown = sorted((value + first for value in judging.values_of(place, state, dealer)), reverse=True)
    # The proof is asked for before any die is shown: a refusal records nothing, so a false special tells nobody what
    # lies there.
    if SPECIALS.get(tuple(thrown)) != command.special:
        raise Refused("cannot_prove")
    targets = [seat for seat in state.remaining if seat != command.seat] if command.special == "impose" else [None]
    if command.to not in targets:
        raise Refused("bad_target")
    yield events.Declared(command.seat, command.special, command.to)
    # The state goes along, so that the verdict is given on a table where the proof lies open.
    for shown in judging.opening_events(place, state, dealer):
        state = evolve(state, shown)
        yield shown
    if command.special == "reverse":
        yield events.DirectionTurned()
    yield from judging.special_events(state, command.seat, command.special, command.to)


def _pass(_state: State, command: commands.Pass, _dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.Passed(command.seat)


# ---- doubts -------------------------------------------------------------------------------------


def _challenge(state: State, command: commands.Challenge, dealer: Dealer) -> Iterator[events.TableEvent]:
    doubts = events.Challenged(command.seat)
    yield doubts
    if state.in_step:
        return
    # A pass that waits is about the passer's dice alone: one doubt lifts that cup, even where a claim takes all others.
    if state.rules.doubt.who != "all" or state.round.passer is not None:
        yield from judging.challenge_events(state, command.seat, dealer)
        return
    state = evolve(state, doubts)
    if len(state.round.doubters) < len(state.remaining) - 1:
        return
    # A standing rebid is "counted at once, no choice"; if it was raised, the new claim is ordinary again (Salomon
    # 1986).
    if state.rules.doubt.rebid and not state.round.rebid and state.round.claimant is not None:
        yield events.DoubtedByAll(state.round.claimant)
    else:
        yield from judging.all_doubt_events(state, dealer)


def _spot_on(state: State, command: commands.SpotOn, dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.SpotOnCalled(command.seat)
    if state.in_step:
        return
    yield from judging.spot_on_events(state, command.seat, dealer)


def release_events(state: State, released: events.Released, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield what follows when a round is over at every table with the same dice: the doubt that waited is judged."""
    held = state.round.held
    yield released
    if held is None:
        return
    state = evolve(state, released)
    if held.kind == "challenge":
        yield from judging.challenge_events(state, held.seat, dealer)
    else:
        yield from judging.spot_on_events(state, held.seat, dealer)


def _ask_count(state: State, command: commands.AskCount, dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.CountAsked(command.seat)
    yield from judging.all_doubt_events(state, dealer)


def _catch(state: State, command: commands.Catch, _dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.Caught(command.seat)
    yield from judging.catch_events(state, command.seat)


def _demand_bills(state: State, command: commands.DemandBills, dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.BillsDemanded(command.seat)
    for place in state.places.values():
        yield from judging.opening_events(place, state, dealer)


# ---- the cup and the dice -----------------------------------------------------------------------


def _roll(state: State, command: commands.Roll, dealer: Dealer) -> Iterator[events.TableEvent]:
    # In Mexican a believed claim still stands here and the roll goes on with its round; elsewhere the roll is the
    # opening.
    if state.round.standing is None:
        yield events.RoundOpened(state.round_number + 1, command.seat)
    yield roll_of_cup(state, dealer, PASSED_CUP)


def _choose_first(state: State, command: commands.ChooseFirst, _dealer: Dealer) -> Iterator[events.TableEvent]:
    if command.who not in state.remaining:
        raise Refused("bad_target")
    yield events.FirstChosen(command.seat, command.who)


def _accept(_state: State, command: commands.Accept, _dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.Accepted(command.seat)


def _deal_round(state: State, _command: commands.DealRound, dealer: Dealer) -> Iterator[events.TableEvent]:
    dealt = tuple(deal_events(state, dealer))
    yield from dealt
    interludes = interludes_of(state)
    if interludes:
        state = evolve_all(state, dealt)
    for each in interludes:
        for event in each.after_deal(state, dealer):
            state = evolve(state, event)
            yield event


# ---- leaving ------------------------------------------------------------------------------------


def _forfeit(state: State, command: commands.Forfeit, _dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.Forfeited(command.seat, command.reason)
    deciding = {CHOOSING}.union(*(each.deciding for each in interludes_of(state)))
    # Of two seats the one that leaves ends the match, and nothing is left for the other to decide.
    others_choose = state.phase in deciding and command.seat != state.turn and len(state.remaining) > 2  # noqa: PLR2004
    if command.seat not in state.remaining or others_choose:
        # What somebody else has to decide is not decided by this seat's leaving.
        yield events.Eliminated(command.seat)
    else:
        yield from judging.forfeit_events(state, command.seat)


def _close_session(_state: State, _command: commands.CloseSession, _dealer: Dealer) -> Iterator[events.TableEvent]:
    yield events.SessionClosed()


HAPPENINGS: Final[dict[type[commands.Command], Callable[[State, Any, Dealer], Iterator[events.TableEvent]]]] = {
    # claims
    commands.Bid: _bid,
    commands.ClaimHand: _claim_hand,
    commands.Declare: _declare,
    commands.Pass: _pass,
    # doubts
    commands.Challenge: _challenge,
    commands.SpotOn: _spot_on,
    commands.AskCount: _ask_count,
    commands.Catch: _catch,
    commands.DemandBills: _demand_bills,
    # the cup and the dice
    commands.Accept: _accept,
    commands.Arrange: handling.arrange_events,
    commands.Roll: _roll,
    commands.ChooseFirst: _choose_first,
    commands.DealRound: _deal_round,
    # leaving
    commands.Forfeit: _forfeit,
    commands.CloseSession: _close_session,
}
"""What each command leads to, once it is not refused; an interlude's commands say so themselves."""
