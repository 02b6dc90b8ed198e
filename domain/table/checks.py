"""Checks: the reasons for which a seat may not do something now.

A check is a question about the public state that answers with a refusal code or with nothing. Each command has its
checks, an interlude's commands in the interlude's file; the order in which codes win is that of `domain.errors`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from domain import commands
from domain.errors import first_refusal
from domain.ids import Seat
from domain.rules import claims
from domain.rules.ladders import Hand
from domain.rules.laws import LAWS
from domain.rules.orders import Count
from domain.rules.rules import Counting, Rules, Rungs, SharedCup
from domain.table.interlude import InterludeCommand, interludes_of, is_throwing_openly
from domain.table.phases import (
    AWAITING_BOARD,
    BETWEEN_ROUNDS,
    CLAIMING,
    CORE,
    FINISHED,
    HOLDING,
    LAWFUL,
    TO_ROLL,
    Cups,
    Phase,
)
from domain.table.places import Place
from domain.table.state import State

Check = Callable[[State, Seat], str | None]
NOBODY: Final = 0
"""Stands for the seat in the table's own commands; seats count from 1."""


def _match_goes_on(state: State, _seat: Seat) -> str | None:
    return "game_over" if state.phase == FINISHED else None


def _has_seat(state: State, seat: Seat) -> str | None:
    return None if seat in state.seats else "unknown_player"


def _is_still_in(state: State, seat: Seat) -> str | None:
    return "eliminated" if seat in state.out else None


def _check_rules(kind: type[commands.Command]) -> Check:
    """Return the check that the rules have a command at all."""
    have = HAVE[kind]
    return lambda state, _seat: None if have(state.rules) else "not_allowed"


def _check_phase(kind: type[commands.Command]) -> Check:
    """Return the check that a command may be asked for in the phase the game is in."""
    own, passed = LAWFUL[kind]["own"], LAWFUL[kind]["passed"]

    def check(state: State, _seat: Seat) -> str | None:
        lawful = passed if isinstance(state.rules.tokens, SharedCup) else own
        return None if state.phase in lawful else "wrong_phase"

    return check


def _may_handle_now(state: State, seat: Seat) -> str | None:
    return None if is_throwing_openly(state) else _check_phase(commands.Arrange)(state, seat)


def _is_in_turn(state: State, seat: Seat) -> str | None:
    return None if state.turn == seat else "not_your_turn"


def _may_doubt(state: State, seat: Seat) -> str | None:
    return None if state.rules.doubt.who == "anyone" else _is_in_turn(state, seat)


def _claim_stands(state: State, _seat: Seat) -> str | None:
    return "no_standing_claim" if state.round.standing is None else None


def _belongs_to_another(state: State, seat: Seat) -> str | None:
    # While a pass waits, the doubt is of the pass: its seat may not doubt it, and the claimant may. Seats count from 1,
    # so `or` takes no seat for nobody.
    return "own_claim" if seat == (state.round.passer or state.round.claimant) else None


def _is_free(state: State, seat: Seat) -> str | None:
    # Only the seat in turn has handled dice or believed; where anyone may challenge, the others are as free as before.
    return "must_claim" if state.round.bound and state.turn == seat else None


def _no_pass_waits(state: State, _seat: Seat) -> str | None:
    return "must_claim" if state.round.passer is not None else None


def _has_not_passed(state: State, seat: Seat) -> str | None:
    return "already_passed" if seat in state.round.passed else None


def _can_be_raised(state: State, _seat: Seat) -> str | None:
    return None if can_be_raised(state) else "must_challenge"


def _claim_is_left(state: State, _seat: Seat) -> str | None:
    """Refuse to bind a seat to a claim that does not exist."""
    handling = state.rules.handling
    # A chase ends without a claim, a seat that is not bound may still doubt, and a last re-roll that forces the verdict
    # ends the turn by itself.
    free = is_throwing_openly(state) or not handling.binds or handling.last_forces
    return None if free or can_be_raised(state) else "must_challenge"


def _round_lets_handle(state: State, _seat: Seat) -> str | None:
    # The caller has "no re-roll, no doubt" before the first claim (individual hand). The phases are named since nothing
    # stands in a chase that begins with the deal, either, and there the seat throws.
    opening = state.round.standing is None and state.phase in {CLAIMING, HOLDING}
    return "not_allowed" if opening and state.rules.handling.opener == "nothing" else None


def _has_dice_to_handle(state: State, seat: Seat) -> str | None:
    # A push shows a die and rolls another.
    pushes = state.rules.handling.law == "push"
    place = state.place_of(seat)
    return "bad_dice" if pushes and place is not None and len(place.inside) < 2 else None  # noqa: PLR2004


def _has_shown(state: State, seat: Seat) -> str | None:
    return "must_show_die" if must_show(state, seat) else None


def _may_bid_here(state: State, seat: Seat) -> str | None:
    return first_refusal(*[each.bid_refusal(state, seat) for each in interludes_of(state)])


def _may_demand(state: State, seat: Seat) -> str | None:
    last = state.last
    asked = last is not None and last.kind == "count" and last.claimant == seat
    hidden = any(place.inside for place in state.places.values())
    # `not_allowed` wins over `wrong_phase`: while a round goes on this lets the check of the phase speak, and between
    # rounds all but the called player are refused (the Wizard).
    counted = state.phase != BETWEEN_ROUNDS or (asked and hidden)
    return None if state.rules.reveal.on_demand and counted else "not_allowed"


def _may_deal_here(state: State, _seat: Seat) -> str | None:
    return first_refusal(*(each.deal_refusal(state) for each in interludes_of(state)))


def _nothing_goes_on(state: State, _seat: Seat) -> str | None:
    idle = state.phase == BETWEEN_ROUNDS or (state.phase == TO_ROLL and state.round.standing is None)
    return None if idle else "wrong_phase"


def _waits_for_no_board(state: State, _seat: Seat) -> str | None:
    return "wrong_phase" if state.phase == AWAITING_BOARD else None


def _never_ends_by_itself(state: State, _seat: Seat) -> str | None:
    return None if state.rules.match.open_ended else "not_allowed"


# ---- questions about the state, asked in more places ---------------------------------------------


def can_be_raised(state: State) -> bool:
    """Report whether a claim exists that may follow the standing one."""
    if isinstance(state.rules.claims, Counting):
        standing = state.round.standing
        return claims.can_be_raised(state.auction, standing if isinstance(standing, Count) else None)
    return lowest_rung(state) <= state.ladder.top


def lowest_rung(state: State) -> int:
    """Return the lowest rung that may be called now; one above the top where there is none."""
    # With `claim_check` left to the next player a claim too low "stands", for the next seat alone to catch (Mexican).
    return 0 if state.rules.doubt.catch else lowest_raise(state)


def lowest_raise(state: State) -> int:
    """Return the lowest rung that beats the standing hand, called lawfully or not; 0 where none stands."""
    rungs = state.rules.claims
    assert isinstance(rungs, Rungs)
    if not isinstance(state.round.standing, Hand):
        return 0
    return state.ladder.rungs[state.round.standing] + (0 if rungs.ties else 1)


def is_to_be_tested(state: State) -> bool:
    """Report whether as many have doubted the standing claim as it takes, and dice are to decide."""
    needed = len(state.remaining) - 1 if state.rules.doubt.who == "all" else 1
    return len(state.round.doubters) >= needed


def may_roll(state: State, seat: Seat) -> bool:
    """Report whether the rules let a seat roll some of its dice here, however often it has done so."""
    handling = state.rules.handling
    # A push may come before anything stands (common hand), a re-roll in Stud Liars "never before one's own first call",
    # and a chase may begin with the deal.
    opened = state.round.standing is not None or handling.opener == "anything"
    lawful = opened and (seat in state.round.callers or not handling.own_claim_first)
    return handling.limit > 0 and (lawful or is_throwing_openly(state))


def rolls_left(state: State, seat: Seat) -> int:
    """Return how often a seat may still roll some of its dice, in this turn or round."""
    return handlings_left(state, seat) if may_roll(state, seat) else 0


def handlings_left(state: State, seat: Seat) -> int:
    """Return how often a seat may still handle its dice, in this turn or round, in whatever way the rules let it."""
    return max(0, state.rules.handling.limit - state.round.handled.get(seat, 0))


def may_show(state: State, place: Place) -> bool:
    """Report whether the rules let the seat in turn show one of its dice now, without rolling any."""
    handling = state.rules.handling
    if handling.show_to_claim:
        return not state.round.shown and len(place.inside) > 1
    # A push does not only show: it rolls all other hidden dice in the same command (common hand).
    if "outside" not in LAWS[handling.law].placements or LAWS[handling.law].whole:
        return False
    return handling.limit > state.round.handled.get(state.turn or 0, 0)


def must_show(state: State, seat: Seat) -> bool:
    """Report whether a seat has to show a die before its next claim."""
    place = state.place_of(seat)
    hidden = 0 if place is None else len(place.inside)
    # "Required once before each call while more than one die is hidden": the last is never shown, and "later calls then
    # need none" (Stud Liars).
    return state.rules.handling.show_to_claim and not state.round.shown and hidden > 1


HAVE: Final[dict[type[commands.Command], Callable[[Rules], bool]]] = {
    commands.Bid: lambda rules: isinstance(rules.claims, Counting),
    commands.ClaimHand: lambda rules: isinstance(rules.claims, Rungs),
    commands.Declare: lambda rules: isinstance(rules.claims, Rungs) and bool(rules.claims.specials),
    commands.Challenge: lambda _rules: True,
    commands.SpotOn: lambda rules: rules.doubt.spot_on,
    commands.Pass: lambda rules: rules.doubt.pass_once,
    commands.Arrange: lambda rules: rules.handling.law != "frozen",
    commands.Roll: lambda rules: isinstance(rules.tokens, SharedCup),
    commands.Accept: lambda rules: isinstance(rules.tokens, SharedCup),
    commands.Catch: lambda rules: rules.doubt.catch,
    commands.AskCount: lambda rules: rules.doubt.rebid,
    commands.DemandBills: lambda rules: rules.reveal.on_demand,
    commands.ChooseFirst: lambda rules: rules.match.first == "boss_decides",
}
"""Which rules have a command of play at all, whoever asks for it and when."""

_ALWAYS: Final = (_match_goes_on, _has_seat, _is_still_in)


def _in_play(kind: type[commands.Command], *checks: Check) -> tuple[Check, ...]:
    """Return the checks of an ordinary command: the seat, the rules, the phase, and then what is its own."""
    return (*_ALWAYS, _check_rules(kind), _check_phase(kind), *checks)


CHECKS: Final[dict[type[commands.Command], tuple[Check, ...]]] = {
    commands.Bid: _in_play(commands.Bid, _is_in_turn, _has_shown, _may_bid_here),
    commands.ClaimHand: _in_play(commands.ClaimHand, _is_in_turn, _has_shown),
    commands.Declare: _in_play(commands.Declare, _is_in_turn),
    commands.Challenge: _in_play(commands.Challenge, _may_doubt, _claim_stands, _belongs_to_another, _is_free),
    commands.SpotOn: _in_play(commands.SpotOn, _is_in_turn, _claim_stands, _is_free, _no_pass_waits),
    # A seat that has passed before is told first that it must claim, which wins over `already_passed`.
    commands.Pass: _in_play(commands.Pass, _is_in_turn, _claim_stands, _is_free, _no_pass_waits, _has_not_passed),
    commands.Arrange: (
        *_ALWAYS,
        _check_rules(commands.Arrange),
        # That the opener may not handle dice is `not_allowed`, which wins over the codes of phase and turn that follow.
        _round_lets_handle,
        _may_handle_now,
        _is_in_turn,
        _claim_is_left,
        _has_dice_to_handle,
    ),
    commands.Roll: _in_play(commands.Roll, _is_in_turn),
    commands.Accept: _in_play(commands.Accept, _is_in_turn, _can_be_raised),
    commands.Catch: _in_play(commands.Catch, _is_in_turn),
    commands.AskCount: _in_play(commands.AskCount, _is_in_turn),
    # That somebody else was called is `not_allowed` and has to be found before the phase is.
    commands.DemandBills: (*_ALWAYS, _may_demand, _check_phase(commands.DemandBills)),
    commands.ChooseFirst: _in_play(commands.ChooseFirst, _is_in_turn),
    # Nobody is held at a table: as far as the game goes a seat may give up in every phase and out of turn. Only a doubt
    # that waits to be judged is judged first.
    commands.Forfeit: (*_ALWAYS, _waits_for_no_board),
    commands.DealRound: (_match_goes_on, _check_phase(commands.DealRound), _may_deal_here),
    commands.CloseSession: (_match_goes_on, _never_ends_by_itself, _nothing_goes_on),
}


def refusal(state: State, kind: type[commands.Command], seat: Seat) -> str | None:
    """Return the code with which any command of this kind is refused to this seat now; None if one may be accepted.

    The table's own commands, which no seat gives, do not look at the seat.
    """
    checks = CHECKS.get(kind)
    if checks is None:
        assert issubclass(kind, InterludeCommand), "its file has it"
        return _interlude_refusal(state, kind, seat)
    for check in checks:
        code = check(state, seat)
        if code is not None:
            return code
    return None


def _interlude_refusal(state: State, kind: type[InterludeCommand], seat: Seat) -> str | None:
    # "`buy_back` outside `buying` is `buy_back_closed` even for a player already out" (bar Liars): such a command is
    # spared the check that others get, and one of the table's own has no seat to check.
    code = _match_goes_on(state, seat)
    if code is None and not kind.of_table:
        code = _has_seat(state, seat) or (None if kind.even_out else _is_still_in(state, seat))
    if code is not None:
        return code
    for each in interludes_of(state):
        if kind in each.command_types:
            return kind.refusal(state, seat)
    return "not_allowed"


@lru_cache(maxsize=1_024)
def kinds_for(rules: Rules, phase: Phase, *, in_turn: bool) -> tuple[type[commands.Command], ...]:
    """Return the commands of play that may be accepted here; of any other kind none is, whatever else holds.

    Args:
        rules: The game.
        phase: The phase it is in.
        in_turn: Whether it is the turn of the seat that asks.
    """
    cups: Cups = "passed" if isinstance(rules.tokens, SharedCup) else "own"
    # A seat that throws openly handles its dice in a phase of an interlude, which no table here knows.
    return tuple(
        kind
        for kind, have in HAVE.items()
        if have(rules)
        and (phase in LAWFUL[kind][cups] or (kind is commands.Arrange and phase not in CORE))
        and (in_turn or not _waits_for_its_turn(rules, kind))
    )


def _waits_for_its_turn(rules: Rules, kind: type[commands.Command]) -> bool:
    checks = CHECKS[kind]
    return _is_in_turn in checks or (_may_doubt in checks and rules.doubt.who != "anyone")


def seat_of(command: commands.TableCommand) -> Seat:
    """Return the seat that asks; `NOBODY` for what the table asks for itself."""
    return getattr(command, "seat", NOBODY)


def refusal_of(state: State, command: commands.TableCommand) -> str | None:
    """Return the code with which this command is refused before anybody looks at its claim or its dice, if it is."""
    code = refusal(state, type(command), seat_of(command))
    return code if _is_on(state, command) else first_refusal(code, "not_allowed")


def _is_on(state: State, command: commands.TableCommand) -> bool:
    """Report whether the rules have what a command asks for, whoever asks for it and when."""
    if isinstance(command, commands.Declare):
        return isinstance(state.rules.claims, Rungs) and command.special in state.rules.claims.specials
    if isinstance(command, commands.Arrange) and (command.roll_inside or command.roll_outside):
        # Where no dice may be handled now, the code of the phase stands: this one would win over it.
        return may_roll(state, command.seat) or _may_handle_now(state, command.seat) is not None
    return True
