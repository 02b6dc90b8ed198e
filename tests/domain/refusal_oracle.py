"""The oracle of refusals: when each code applies, one at a time, and which of several wins.

Each entry answers for itself whether its code applies to a command in a position, whatever else is wrong with it. The
rules say that of all codes that apply the first of their list wins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from domain import commands
from domain.commands import Command
from domain.rules.claims import legal_claims, outranks
from domain.rules.ladders import SPECIALS, Hand
from domain.rules.laws import LAWS, HandlingPlan
from domain.rules.orders import Count
from domain.rules.rules import Counting, Rungs, Serials, SharedCup
from domain.table.dealer import Dealer
from domain.table.interludes import buying, chase, cocked, slips
from domain.table.interludes.buying import Buying
from domain.table.interludes.chase import Chase
from domain.table.interludes.cocked import Cocked, is_cocked, lookers
from domain.table.interludes.slips import Slip, Slips
from domain.table.judging import values_of
from domain.table.places import plan_of
from domain.table.state import State

ORDER: Final = (
    *("game_over", "unknown_player", "eliminated", "not_allowed", "wrong_phase", "not_your_turn"),
    *("no_standing_claim", "own_claim", "must_claim", "must_challenge"),
    *("bad_dice", "no_rerolls_left", "roll_must_be_outside", "roll_must_be_inside", "already_shown"),
    *("nothing_to_show", "must_show_die", "must_check_dice", "cocked_dice"),
    *("claim_malformed", "face_not_biddable", "count_out_of_range", "claim_not_higher"),
    *("cannot_prove", "bad_target", "already_passed", "buy_back_closed", "bill_used", "slip_finished"),
)
"""The codes of the table, in the order of the rules."""
TABLES: Final = (commands.DealRound, slips.DealSlips, commands.CloseSession)
CLAIMS: Final = (commands.Bid, commands.ClaimHand, commands.Declare)
DOUBTS: Final = (commands.Challenge, commands.SpotOn, commands.Pass)
ANY_SEAT: Final = (*TABLES, cocked.Look, cocked.ShowCocked, commands.DemandBills, commands.Forfeit)


def applying(state: State, command: Command, dealer: Dealer) -> tuple[str, ...]:
    """Return every code that applies to a command, the one that wins first."""
    return tuple(code for code in ORDER if WHEN[code](state, command, dealer))


def _seat(command: Command) -> int:
    return getattr(command, "seat", 0)


def _shared(state: State) -> bool:
    return isinstance(state.rules.tokens, SharedCup)


# ---- who, whether, when -------------------------------------------------------------------------


def _eliminated(state: State, command: Command, _dealer: Dealer) -> bool:
    # Buying back is closed to a seat that is out as it is to any other.
    return _seat(command) in state.out and not isinstance(command, buying.BuyBack)


def _is_off(state: State, command: Command, dealer: Dealer) -> bool:
    rules, kind = state.rules, type(command)
    names_hands = isinstance(rules.claims, Rungs)
    off = {
        commands.Bid: names_hands,
        commands.ClaimHand: not names_hands,
        commands.Declare: not names_hands or getattr(command, "special", "") not in getattr(rules.claims, "specials"),  # noqa: B009
        commands.SpotOn: not rules.doubt.spot_on,
        commands.Pass: not rules.doubt.pass_once,
        commands.Catch: not rules.doubt.catch,
        commands.AskCount: not rules.doubt.rebid,
        commands.Roll: not _shared(state),
        commands.Accept: not _shared(state),
        chase.Stop: state.interlude(Chase) is None,
        cocked.Look: state.interlude(Cocked) is None,
        cocked.ShowCocked: state.interlude(Cocked) is None or _lies_flat(state, command, dealer),
        buying.BuyBack: state.interlude(Buying) is None,
        buying.DropOut: state.interlude(Buying) is None,
        commands.ChooseFirst: rules.match.first != "boss_decides",
        slips.DealSlips: state.interlude(Slips) is None,
        commands.CloseSession: rules.match.unit is not None or rules.match.wins is not None,
        commands.DemandBills: not rules.reveal.on_demand or _nothing_to_demand(state, command),
    }
    return off.get(kind, False) or (isinstance(command, commands.Arrange) and _cannot_handle(state, command))


def _lies_flat(state: State, command: Command, dealer: Dealer) -> bool:
    """Report whether a seat knows that its dice lie flat: before a look the refusal must not tell."""
    asked = state.phase in {"claiming", "responding"} and _seat(command) in lookers(state)
    return asked and not is_cocked(state, _seat(command), dealer)


def _nothing_to_demand(state: State, command: Command) -> bool:
    last, hidden = state.last, any(place.inside for place in state.places.values())
    asked = last is not None and last.kind == "count" and last.claimant == _seat(command) and hidden
    return state.phase == "between_rounds" and not asked


def _cannot_handle(state: State, command: commands.Arrange) -> bool:
    handling = state.rules.handling
    if handling.law == "frozen":
        return True
    if state.phase not in _phases(state, commands.Arrange) or state.phase == "chase":
        return False
    opening, rolls = state.round.standing is None, bool(command.roll_inside or command.roll_outside)
    too_early = rolls and handling.own_claim_first and command.seat not in state.round.callers
    never = rolls and not handling.limit
    return never or too_early or (opening and (handling.opener == "nothing" or (rolls and handling.opener == "shows")))


def _phases(state: State, kind: type[Command]) -> frozenset[str]:
    if kind in CLAIMS:
        return HELD if _shared(state) else HELD | {"claiming", "responding", "called"}
    if kind is commands.Arrange:
        return HELD if _shared(state) else HELD | {"claiming", "responding", "chase"}
    return PHASES.get(kind, frozenset({state.phase}))


HELD: Final = frozenset({"holding"})
PHASES: Final[dict[type[Command], frozenset[str]]] = {
    **dict.fromkeys(DOUBTS, frozenset({"claiming", "responding", "holding", "to_roll"})),
    **dict.fromkeys((commands.Accept, commands.Catch), frozenset({"responding"})),
    **dict.fromkeys((cocked.Look, cocked.ShowCocked), frozenset({"claiming", "responding"})),
    **dict.fromkeys((commands.DealRound, slips.DealSlips, commands.DemandBills), frozenset({"between_rounds"})),
    commands.CloseSession: frozenset({"between_rounds", "to_roll"}),
    commands.Roll: frozenset({"to_roll"}),
    commands.AskCount: frozenset({"called"}),
    chase.Stop: frozenset({"chase"}),
    buying.DropOut: frozenset({"buying"}),
    commands.ChooseFirst: frozenset({"choosing"}),
}


def _out_of_phase(state: State, command: Command, _dealer: Dealer) -> bool:
    if isinstance(command, slips.DealSlips) and not _slips_are_due(state):
        return True
    if isinstance(command, commands.DealRound) and _slips_are_due(state) and state.remembered(Slip) is None:
        return True
    goes_on = (
        isinstance(command, commands.CloseSession) and state.phase == "to_roll" and state.round.standing is not None
    )
    return goes_on or state.phase not in _phases(state, type(command))


def _out_of_turn(state: State, command: Command, _dealer: Dealer) -> bool:
    if isinstance(command, ANY_SEAT) or (isinstance(command, commands.Challenge) and state.rules.doubt.who == "anyone"):
        return False
    # Outside its phase buying back is closed, whosever turn it is.
    closed = isinstance(command, buying.BuyBack) and state.phase != "buying"
    return state.turn != _seat(command) and not closed


def _slips_are_due(state: State) -> bool:
    slips, slip = state.interlude(Slips), state.remembered(Slip)
    return slips is not None and (slip is None or len(slip.played) == slips.plays)


# ---- doubts and what binds ----------------------------------------------------------------------


def _has_to_claim(state: State, command: Command, _dealer: Dealer) -> bool:
    waits = state.round.passer is not None and not isinstance(command, commands.Challenge)
    return isinstance(command, DOUBTS) and (waits or (state.round.bound and state.turn == _seat(command)))


def _has_to_challenge(state: State, command: Command, _dealer: Dealer) -> bool:
    handling = state.rules.handling
    binds = handling.binds and not handling.last_forces and state.phase != "chase"
    asks = isinstance(command, commands.Accept) or (isinstance(command, commands.Arrange) and binds)
    return asks and not _higher_exists(state)


def _higher_exists(state: State) -> bool:
    rungs, standing = state.rules.claims, state.round.standing
    if isinstance(rungs, Counting):
        return standing is None or (isinstance(standing, Count) and bool(legal_claims(state.auction, standing)))
    top = state.ladder.hands[-1]
    return standing != top or rungs.ties or state.rules.doubt.catch


# ---- dice ---------------------------------------------------------------------------------------


def _handling(state: State, command: Command) -> tuple[HandlingPlan | None, str | None]:
    """Return what a handling comes to, and what the law of the game says to it."""
    assert isinstance(command, commands.Arrange)
    place = state.place_of(command.seat)
    if place is None or state.rules.handling.law == "frozen":
        return None, None
    if state.phase == "chase":
        thrown = (*command.roll_inside, *command.roll_outside)
        tally = plan_of(place, replace(command, roll_inside=(), roll_outside=thrown))
        lawful = tally is not None and tally.roll_count and not tally.hides
        return tally, None if lawful else "bad_dice"
    tally = plan_of(place, command)
    if tally is not None and state.rules.handling.keeps and not (tally.shows or tally.hides or tally.roll_count):
        return tally, None
    return tally, "bad_dice" if tally is None else LAWS[state.rules.handling.law].refusal(tally)


def _bad_dice(state: State, command: Command, dealer: Dealer) -> bool:
    if not isinstance(command, commands.Arrange):
        return False
    tally, law = _handling(state, command)
    place = state.place_of(command.seat)
    if place is None or law == "bad_dice":
        return law == "bad_dice"
    rehides = tally is not None and bool(tally.hides) and not state.rules.handling.rehide
    pushes = state.rules.handling.law == "push"
    return rehides or (pushes and (len(place.inside) < 2 or _differ(state, command, dealer)))


def _differ(state: State, command: commands.Arrange, dealer: Dealer) -> bool:
    place = state.place_of(command.seat)
    assert place is not None
    values = values_of(place, state, dealer)
    return len({values[position] for position in command.outside if position < len(place.inside)}) > 1


def _spent(state: State, command: Command, _dealer: Dealer) -> bool:
    if not isinstance(command, commands.Arrange) or state.rules.handling.law == "frozen":
        return False
    handling = state.rules.handling
    used = state.round.handled.get(command.seat, 0) >= handling.limit
    return used and (bool(command.roll_inside or command.roll_outside) or not handling.show_to_claim)


def _law_says(code: str) -> Callable[[State, Any, Dealer], bool]:
    return lambda state, command, _: isinstance(command, commands.Arrange) and _handling(state, command)[1] == code


def _shows(state: State, command: Command) -> int | None:
    """Return how many hidden dice a seat has that shows one of them to claim; None where it shows none."""
    place = state.place_of(_seat(command))
    if place is None or not state.rules.handling.show_to_claim or not isinstance(command, commands.Arrange):
        return None
    return len(place.inside) if any(position < len(place.inside) for position in command.outside) else None


def _has_to_show(state: State, command: Command, _dealer: Dealer) -> bool:
    place = state.place_of(_seat(command))
    asked = isinstance(command, commands.Bid | commands.ClaimHand) and state.rules.handling.show_to_claim
    return asked and not state.round.shown and place is not None and len(place.inside) > 1


def _has_to_look(state: State, command: Command, _dealer: Dealer) -> bool:
    if state.interlude(Cocked) is None or _seat(command) in lookers(state):
        return False
    again = isinstance(command, commands.Bid) and command.seat in state.round.callers
    return again or isinstance(command, cocked.ShowCocked)


def _lies_cocked(state: State, command: Command, dealer: Dealer) -> bool:
    first = (
        isinstance(command, commands.Bid) and command.seat in lookers(state) and command.seat not in state.round.callers
    )
    return first and state.interlude(Cocked) is not None and is_cocked(state, _seat(command), dealer)


# ---- claims -------------------------------------------------------------------------------------


def _rung(state: State, command: Command) -> int | None:
    assert isinstance(command, commands.ClaimHand)
    return state.ladder.rung_of(Hand(command.shape, command.faces))


def _counts(state: State, command: Command) -> bool:
    return isinstance(command, commands.Bid) and isinstance(state.rules.claims, Counting)


def _is_named(state: State, command: Command) -> bool:
    return isinstance(command, commands.ClaimHand) and isinstance(state.rules.claims, Rungs)


def _malformed(state: State, command: Command, _dealer: Dealer) -> bool:
    return _is_named(state, command) and _rung(state, command) is None


def _faceless(state: State, command: Command, _dealer: Dealer) -> bool:
    if not _counts(state, command):
        return False
    assert isinstance(command, commands.Bid)
    faces = state.rules.tokens.faces
    return command.face not in {*range(faces.first, faces.first + faces.count)} - _aces(state)


def _aces(state: State) -> set[int]:
    assert isinstance(state.rules.claims, Counting)
    aces = state.rules.claims.aces
    barred = aces == "no" or (aces == "half_double" and state.round.standing is None)
    return {1} if barred and "palifico" not in state.flags else set()


def _countless(state: State, command: Command, _dealer: Dealer) -> bool:
    return isinstance(command, commands.Bid) and not 1 <= command.quantity <= state.dice_in_play


def _too_low(state: State, command: Command, _dealer: Dealer) -> bool:
    standing = state.round.standing
    if _counts(state, command) and isinstance(command, commands.Bid) and isinstance(standing, Count):
        return not outranks(state.auction, standing, Count(command.quantity, command.face))
    if not _is_named(state, command) or not isinstance(standing, Hand) or state.rules.doubt.catch:
        return False
    rung, least, rungs = _rung(state, command), state.ladder.rungs[standing], state.rules.claims
    assert isinstance(rungs, Rungs)
    return rung is not None and (rung < least if rungs.ties else rung <= least)


def _unproved(state: State, command: Command, dealer: Dealer) -> bool:
    if not isinstance(command, commands.Declare) or not isinstance(state.rules.claims, Rungs):
        return False
    place, first = state.place_of(command.seat), state.rules.tokens.faces.first
    values = () if place is None else values_of(place, state, dealer)
    return SPECIALS.get(tuple(sorted((value + first for value in values), reverse=True))) != command.special


def _aims_wrong(state: State, command: Command, _dealer: Dealer) -> bool:
    if isinstance(command, commands.ChooseFirst):
        return command.who not in state.remaining
    if not isinstance(command, commands.Declare):
        return False
    if command.special != "impose":
        return command.to is not None
    return command.to not in state.remaining or command.to == command.seat


def _is_used(state: State, command: Command, dealer: Dealer) -> bool:
    tokens = state.rules.tokens
    if not isinstance(command, commands.DealRound) or not isinstance(tokens, Serials) or not tokens.single_use:
        return False
    numbers = [
        tuple(dealer.value(seat, state.rolls.get(seat, 0), slot, 10) for slot in range(tokens.dice))
        for seat in state.remaining
    ]
    return any(number in state.used for number in numbers)


WHEN: Final[dict[str, Callable[[State, Any, Dealer], bool]]] = {
    "game_over": lambda state, _command, _dealer: state.phase == "finished",
    "unknown_player": lambda state, command, _: not isinstance(command, TABLES) and command.seat not in state.seats,
    "eliminated": _eliminated,
    "not_allowed": _is_off,
    "wrong_phase": _out_of_phase,
    "not_your_turn": _out_of_turn,
    "no_standing_claim": lambda state, command, _: isinstance(command, DOUBTS) and state.round.standing is None,
    "own_claim": lambda state, command, _: (
        isinstance(command, commands.Challenge) and command.seat == (state.round.passer or state.round.claimant)
    ),
    "must_claim": _has_to_claim,
    "must_challenge": _has_to_challenge,
    "bad_dice": _bad_dice,
    "no_rerolls_left": _spent,
    "roll_must_be_outside": _law_says("roll_must_be_outside"),
    "roll_must_be_inside": _law_says("roll_must_be_inside"),
    "already_shown": lambda state, command, _: _shows(state, command) is not None and state.round.shown,
    "nothing_to_show": lambda state, command, _: _shows(state, command) == 1,
    "must_show_die": _has_to_show,
    "must_check_dice": _has_to_look,
    "cocked_dice": _lies_cocked,
    "claim_malformed": _malformed,
    "face_not_biddable": _faceless,
    "count_out_of_range": _countless,
    "claim_not_higher": _too_low,
    "cannot_prove": _unproved,
    "bad_target": _aims_wrong,
    "already_passed": lambda state, command, _: (
        isinstance(command, commands.Pass) and command.seat in state.round.passed
    ),
    "buy_back_closed": lambda state, command, _: isinstance(command, buying.BuyBack) and state.phase != "buying",
    "bill_used": _is_used,
    "slip_finished": lambda state, command, _: (
        isinstance(command, commands.DealRound) and state.remembered(Slip) is not None and _slips_are_due(state)
    ),
}
"""By code, whether it applies to a command in a position."""
