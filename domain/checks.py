"""Why a seat may not do something now.

A check is a question about the public state that answers with a refusal code or with nothing. Each command has its
checks in the order in which their codes win.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from domain import claims, commands
from domain.errors import first_of
from domain.ladders import Hand
from domain.laws import LAWS
from domain.orders import Count
from domain.places import Place
from domain.rules import Buying, Chase, Counting, Rungs, SharedCup, Slips
from domain.state import State

Seat = int
Check = Callable[[State, Seat], str | None]
NOBODY: Final = 0
"""Stands for the seat in the table's own commands; seats count from 1."""
OF_THE_TABLE: Final = (commands.Deal, commands.DealSlips, commands.CloseSession)


def _over(state: State, _seat: Seat) -> str | None:
    return "game_over" if state.phase == "finished" else None


def _seated(state: State, seat: Seat) -> str | None:
    return None if seat in state.seats else "unknown_player"


def _still_in(state: State, seat: Seat) -> str | None:
    return "eliminated" if seat in state.out else None


def _only_if(code: str, question: Callable[[State], object]) -> Check:
    """Return the check that answers with a code unless the question about the state is answered with yes."""
    return lambda state, _seat: None if question(state) else code


def _in_phase(*phases: str) -> Check:
    return lambda state, _seat: None if state.phase in phases else "wrong_phase"


def _may_claim_now(state: State, _seat: Seat) -> str | None:
    passed_on = isinstance(state.rules.tokens, SharedCup)
    lawful = {"holding"} if passed_on else {"claiming", "responding", "holding", "called"}
    return None if state.phase in lawful else "wrong_phase"


def _may_handle_now(state: State, _seat: Seat) -> str | None:
    passed_on = isinstance(state.rules.tokens, SharedCup)
    lawful = {"holding"} if passed_on else {"claiming", "responding", "holding", "chase"}
    return None if state.phase in lawful else "wrong_phase"


def _in_turn(state: State, seat: Seat) -> str | None:
    return None if state.turn == seat else "not_your_turn"


def _may_doubt(state: State, seat: Seat) -> str | None:
    return None if state.rules.doubt.who == "anyone" else _in_turn(state, seat)


def _claim_stands(state: State, _seat: Seat) -> str | None:
    return "no_standing_claim" if state.standing is None else None


def _of_another(state: State, seat: Seat) -> str | None:
    return "own_claim" if seat == (state.passer or state.claimant) else None


def _not_bound(state: State, seat: Seat) -> str | None:
    return "must_claim" if state.bound and state.turn == seat else None


def _no_pass_waits(state: State, _seat: Seat) -> str | None:
    return "must_claim" if state.passer is not None else None


def _not_yet_passed(state: State, seat: Seat) -> str | None:
    return "already_passed" if seat in state.passed else None


def _can_be_raised(state: State, _seat: Seat) -> str | None:
    return None if can_be_raised(state) else "must_challenge"


def _claim_is_left(state: State, _seat: Seat) -> str | None:
    """Refuse to bind a seat to a claim that does not exist."""
    handling = state.rules.handling
    free = state.phase == "chase" or not handling.binds or handling.last_forces
    return None if free or can_be_raised(state) else "must_challenge"


def _round_lets_handle(state: State, _seat: Seat) -> str | None:
    opening = state.standing is None and state.phase in {"claiming", "holding"}
    return "not_allowed" if opening and state.rules.handling.opener == "nothing" else None


def _has_dice_to_handle(state: State, seat: Seat) -> str | None:
    # A push shows a die and rolls another.
    pushes = state.rules.handling.law == "push"
    place = state.place_of(seat)
    return "bad_dice" if pushes and place is not None and len(place.inside) < 2 else None  # noqa: PLR2004


def _has_shown(state: State, seat: Seat) -> str | None:
    return "must_show_die" if must_show(state, seat) else None


def _has_to_look(state: State, seat: Seat) -> str | None:
    blind = state.cocked_odds and seat in state.callers and seat not in state.looked
    return "must_check_dice" if blind else None


def _has_looked(state: State, seat: Seat) -> str | None:
    return None if seat in state.looked else "must_check_dice"


def _may_demand(state: State, seat: Seat) -> str | None:
    last = state.last
    asked = last is not None and last.kind == "count" and last.claimant == seat
    hidden = any(place.inside for place in state.places.values())
    counted = state.phase != "between_rounds" or (asked and hidden)
    return None if state.rules.reveal.on_demand and counted else "not_allowed"


def _slip_lasts(state: State, _seat: Seat) -> str | None:
    # Nothing is finished before the first slips: the table has only asked for the wrong one of its two commands.
    due = "wrong_phase" if state.slip is None else "slip_finished"
    return due if slips_due(state) else None


def _new_slips_due(state: State, _seat: Seat) -> str | None:
    return None if slips_due(state) else "wrong_phase"


def _nothing_goes_on(state: State, _seat: Seat) -> str | None:
    idle = state.phase == "between_rounds" or (state.phase == "to_roll" and state.standing is None)
    return None if idle else "wrong_phase"


# ---- questions about the state, asked in more places ---------------------------------------------


def can_be_raised(state: State) -> bool:
    """Report whether a claim exists that may follow the standing one."""
    if isinstance(state.rules.claims, Counting):
        return bool(claims.legal(state.auction, state.standing if isinstance(state.standing, Count) else None))
    return lowest_rung(state) <= state.ladder.top


def lowest_rung(state: State) -> int:
    """Return the lowest rung that may be called now; one above the top where there is none."""
    rungs = state.rules.claims
    assert isinstance(rungs, Rungs)
    if state.rules.doubt.catch or not isinstance(state.standing, Hand):
        return 0
    return state.ladder.rungs[state.standing] + (0 if rungs.ties else 1)


def may_roll(state: State, seat: Seat) -> bool:
    """Report whether the rules let a seat roll some of its dice here, however often it has done so."""
    handling = state.rules.handling
    opened = state.standing is not None or handling.opener == "anything"
    lawful = opened and (seat in state.callers or not handling.own_claim_first)
    return handling.limit > 0 and (lawful or state.phase == "chase")


def rolls_left(state: State, seat: Seat) -> int:
    """Return how often a seat may still roll some of its dice, in this turn or round."""
    return handlings_left(state, seat) if may_roll(state, seat) else 0


def handlings_left(state: State, seat: Seat) -> int:
    """Return how often a seat may still handle its dice, in this turn or round, in whatever way the rules let it."""
    return max(0, state.rules.handling.limit - state.handled.get(seat, 0))


def may_show(state: State, place: Place) -> bool:
    """Report whether the rules let the seat in turn show one of its dice now, without rolling any."""
    handling = state.rules.handling
    if handling.show_to_claim:
        return not state.shown and len(place.inside) > 1
    if "outside" not in LAWS[handling.law].placements or LAWS[handling.law].whole:
        return False
    return handling.limit > state.handled.get(state.turn or 0, 0)


def must_show(state: State, seat: Seat) -> bool:
    """Report whether a seat has to show a die before its next claim."""
    place = state.place_of(seat)
    hidden = 0 if place is None else len(place.inside)
    return state.rules.handling.show_to_claim and not state.shown and hidden > 1


def slips_due(state: State) -> bool:
    """Report whether new slips have to be dealt before the next round."""
    slips = state.interlude(Slips)
    return slips is not None and (state.slip is None or len(state.slip.played) >= slips.plays)


_ALWAYS: Final = (_over, _seated, _still_in)
_counts: Final = _only_if("not_allowed", lambda state: isinstance(state.rules.claims, Counting))
_names_hands: Final = _only_if("not_allowed", lambda state: isinstance(state.rules.claims, Rungs))
_passes_a_cup: Final = _only_if("not_allowed", lambda state: isinstance(state.rules.tokens, SharedCup))
_cocked_is_on: Final = _only_if("not_allowed", lambda state: state.cocked_odds)
_handles: Final = _only_if("not_allowed", lambda state: state.rules.handling.law != "frozen")
_buys: Final = _only_if("buy_back_closed", lambda state: state.phase == "buying")
_GOING: Final = _in_phase("claiming", "responding", "holding", "to_roll")

CHECKS: Final[dict[type[commands.Command], tuple[Check, ...]]] = {
    commands.Bid: (*_ALWAYS, _counts, _may_claim_now, _in_turn, _has_shown, _has_to_look),
    commands.Call: (*_ALWAYS, _names_hands, _may_claim_now, _in_turn, _has_shown),
    commands.Declare: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: isinstance(state.rules.claims, Rungs) and state.rules.claims.specials),
        _may_claim_now,
        _in_turn,
    ),
    commands.Challenge: (*_ALWAYS, _GOING, _may_doubt, _claim_stands, _of_another, _not_bound),
    commands.SpotOn: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.rules.doubt.spot_on),
        _GOING,
        _in_turn,
        _claim_stands,
        _not_bound,
        _no_pass_waits,
    ),
    commands.Pass: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.rules.doubt.pass_once),
        _GOING,
        _in_turn,
        _claim_stands,
        _not_bound,
        _no_pass_waits,
        _not_yet_passed,
    ),
    commands.Arrange: (
        *_ALWAYS,
        _handles,
        _round_lets_handle,
        _may_handle_now,
        _in_turn,
        _claim_is_left,
        _has_dice_to_handle,
    ),
    commands.Roll: (*_ALWAYS, _passes_a_cup, _in_phase("to_roll"), _in_turn),
    commands.Accept: (*_ALWAYS, _passes_a_cup, _in_phase("responding"), _in_turn, _can_be_raised),
    commands.Catch: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.rules.doubt.catch),
        _in_phase("responding"),
        _in_turn,
    ),
    commands.Count: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.rules.doubt.rebid),
        _in_phase("called"),
        _in_turn,
    ),
    commands.DemandBills: (*_ALWAYS, _may_demand, _in_phase("between_rounds")),
    commands.Stop: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.interlude(Chase)),
        _in_phase("chase"),
        _in_turn,
    ),
    commands.Look: (*_ALWAYS, _cocked_is_on, _in_phase("claiming", "responding")),
    commands.ShowCocked: (*_ALWAYS, _cocked_is_on, _in_phase("claiming", "responding"), _has_looked),
    commands.BuyBack: (
        _over,
        _seated,
        _only_if("not_allowed", lambda state: state.interlude(Buying)),
        _buys,
        _in_turn,
    ),
    commands.DropOut: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.interlude(Buying)),
        _in_phase("buying"),
        _in_turn,
    ),
    commands.ChooseFirst: (
        *_ALWAYS,
        _only_if("not_allowed", lambda state: state.rules.match.first == "boss_decides"),
        _in_phase("choosing"),
        _in_turn,
    ),
    commands.Forfeit: _ALWAYS,
    commands.Deal: (_over, _in_phase("between_rounds"), _slip_lasts),
    commands.DealSlips: (
        _over,
        _only_if("not_allowed", lambda state: state.interlude(Slips)),
        _in_phase("between_rounds"),
        _new_slips_due,
    ),
    commands.CloseSession: (
        _over,
        _only_if("not_allowed", lambda state: state.rules.match.open_ended),
        _nothing_goes_on,
    ),
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


def refused(state: State, command: commands.TableCommand) -> str | None:
    """Return the code with which this command is refused before anybody looks at its claim or its dice, if it is."""
    seat = NOBODY if isinstance(command, OF_THE_TABLE) else command.seat
    return first_of(refusal(state, type(command), seat), None if _is_on(state, command) else "not_allowed")


def _is_on(state: State, command: commands.TableCommand) -> bool:
    """Report whether the rules have what a command asks for, whoever asks for it and when."""
    if isinstance(command, commands.Declare):
        return isinstance(state.rules.claims, Rungs) and command.special in state.rules.claims.specials
    if isinstance(command, commands.Arrange) and (command.roll_inside or command.roll_outside):
        return may_roll(state, command.seat) or _may_handle_now(state, command.seat) is not None
    return True
