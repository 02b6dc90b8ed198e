"""Dealing at the table: how many dice a deal has to hold, who opens, and the rolls of a round.

Dice are addresses here: a cup, the number of its roll in the current deal, a slot. What they show is the dealer's to
know, and nobody asks the dealer but where the rules look at dice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import lru_cache

from domain import events
from domain.errors import Refused
from domain.fairness.deal import Cup
from domain.ids import CupId, Modulus, Seat, Slot
from domain.rules.ladders import ladder_of
from domain.rules.laws import LAWS
from domain.rules.rules import Counting, Pot, Rules, Rungs, Serials, SharedCup
from domain.table import bouts
from domain.table.dealer import Dealer
from domain.table.evolve import evolve
from domain.table.phases import BETWEEN_ROUNDS, TO_ROLL
from domain.table.state import PASSED_CUP, TABLE_CUP, State

DRAWS_MAX = 16
"""Rolls of the table cup for who begins; sixteen ties in a row have less than one chance in 10**12."""
LIVELY = 40
"""Rolls of a cup that no round but the wildest needs."""
ROLLS_MAX = 48
"""Rounds a deal is made for; a longer match begins another deal (CUP/1 section 4.2)."""
LETTERS = 26
FLANKS = 2
"""Letters beside a serial number."""


# ---- the dice a deal has to hold ----------------------------------------------------------------


def deal_cups(state: State, deal_per: str) -> tuple[Cup, ...]:
    """Return the cups of a fresh deal, ascending by id: the table's where a draw may come, then those of the game.

    Args:
        state: The game between two rounds.
        deal_per: `round` for one round, `match` for as many as the match may need, at most `ROLLS_MAX`.
    """
    rounds = 1 if deal_per == "round" else min(ROLLS_MAX, _rounds_left(state))
    # A deal that ends publishes its dice: where some stay hidden, it is to last as long as the match.
    usual = LIVELY if state.rules.keeps_hidden else 1
    each = rolls_a_round(state.rules)
    # One round as wild as can be always fits. The others are reckoned as usual ones: a cup that runs out is followed by
    # "the next deal in the same match" (CUP/1 section 4.2), and a tree for the wildest of all rounds would be many
    # times as large.
    rolls = (rounds - 1) * min(each, usual) + each
    return (*_table_cup(state, rounds), *_game_cups(state, rolls))


def _table_cup(state: State, rounds: int) -> tuple[Cup, ...]:
    # Letters are drawn anew each round, and equal pairs go by seat, so that one roll a round is enough. Dice that tie
    # are rolled again. Either way a seat has slots by its number, whoever is out.
    if draws_letters(state):
        return (Cup(TABLE_CUP, 0, rounds, FLANKS * max(state.seats)),)
    return (Cup(TABLE_CUP, 0, DRAWS_MAX, max(state.seats)),) if state.next_starter is None else ()


def _game_cups(state: State, rolls: int) -> tuple[Cup, ...]:
    width = slots_of(state.rules)
    if isinstance(state.rules.tokens, SharedCup):
        return (Cup(PASSED_CUP, PASSED_CUP, rolls, width),)
    return tuple(Cup(seat, seat, rolls, width) for seat in state.remaining)


def slots_of(rules: Rules) -> int:
    """Return how many slots a cup has: its dice, the blind one of sealed choices, and those that interludes need."""
    law, dice = LAWS.get(rules.handling.law), rules.tokens.dice
    beside = sum(len(each.moduli_beside(dice)) for each in rules.interludes)
    return dice + (1 if law is not None and law.sealed else 0) + beside


def rolls_a_round(rules: Rules) -> int:
    """Return how often a cup may be rolled in one round; where claims climb a ladder, each roll is followed by one."""
    handling, claims = rules.handling, rules.claims
    # An estimate where ties or weak claims are let through (Mexican): a round that takes more rolls than there are
    # rungs goes on in another deal, since no die outlives a blind roll.
    if handling.gate == "blind" and isinstance(claims, Rungs):
        return len(ladder_of(claims, rules.tokens.dice, rules.tokens.faces).hands)
    if handling.law == "push":
        return rules.tokens.dice  # a push shows a die each time and keeps one to roll
    if handling.per == "round" or not handling.limit:
        return 1 + handling.limit + sum(each.rolls for each in rules.interludes)
    # No round has more claims than there are to be made, since each stands above the last; each turn may roll `limit`
    # times before its claim.
    if isinstance(claims, Counting):
        turns = rules.seats[1] * rules.tokens.dice * rules.tokens.faces.count
    else:
        turns = len(ladder_of(claims, rules.tokens.dice, rules.tokens.faces).hands)
    return 1 + handling.limit * turns


def needs_deal(state: State, capacity: dict[int, int]) -> bool:
    """Report whether some cup cannot serve a whole further round; `capacity` is how often each may be rolled.

    Where a cup is rolled blind no die outlives the next roll, and a new deal can begin before each of them.
    """
    spare = 1 if state.rules.handling.gate == "blind" else rolls_a_round(state.rules)
    cups = (PASSED_CUP,) if isinstance(state.rules.tokens, SharedCup) else state.remaining
    lacks = any(capacity.get(cup, 0) - state.rolls.get(cup, 0) < spare for cup in cups)
    # A deal whose table cup is used up would leave nobody to open the round, though every seat had dice for it.
    draws = draws_letters(state) and capacity.get(TABLE_CUP, 0) <= state.rolls.get(TABLE_CUP, 0)
    # The table cup of a deal is for one draw.
    drawn = TABLE_CUP in state.rolls or TABLE_CUP not in capacity
    # Each bout draws its first seat, and two who are left of a chouette may play any number of them in one deal.
    bout = state.pairing is not None and state.next_starter is None and drawn
    return lacks or draws or bout


def rolls_next(state: State) -> bool:
    """Report whether the next thing is a roll that none of the dice on the table outlive."""
    blind = state.rules.handling.gate == "blind"
    return state.phase == BETWEEN_ROUNDS or (state.phase == TO_ROLL and (blind or state.round.standing is None))


def has_played_in_deal(state: State) -> bool:
    """Report whether more than a draw has been rolled in the current deal."""
    return any(cup != TABLE_CUP for cup in state.rolls)


def is_round_over(state: State) -> bool:
    """Report whether a round was played in the current deal and no other has begun."""
    return is_between_rounds(state) and has_played_in_deal(state)


def is_between_rounds(state: State) -> bool:
    """Report whether no round is under way."""
    return state.phase == BETWEEN_ROUNDS or (state.phase == TO_ROLL and state.round.standing is None)


def _rounds_left(state: State) -> int:
    """Return how many rounds a match takes at most; a session may take any number."""
    match, seats = state.rules.match, state.remaining
    if match.wins is not None:
        # Every seat may be one win short of the match; one more round ends it.
        return sum(match.wins - 1 - state.balance("win", seat) for seat in seats) + 1
    if match.unit is None:
        return ROLLS_MAX
    bought = sum(each.rounds_beside(match, len(seats)) for each in state.rules.interludes)
    # The last seat in is never out, so the match is over one loss before all have come to the mark.
    return sum(abs(match.out_at - state.balance(match.unit, seat)) for seat in seats) - 1 + bought


# ---- the deal of a round ------------------------------------------------------------------------


def deal_events(state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Yield the beginning of the next round: the stakes of the first, who opens it, everybody's tokens."""
    if state.next_starter is None:
        drawn = tuple(_first_seat_events(state, dealer))
        yield from drawn
        for event in drawn:
            state = evolve(state, event)
        # The table has nothing to roll yet: the passed cup waits for the seat that opens, and the boss has still to
        # choose who does.
        if isinstance(state.rules.tokens, SharedCup) or state.rules.match.first == "boss_decides":
            return
    starter = state.next_starter
    assert starter is not None
    if state.round_number == 0:
        yield from _stake_events(state)
    yield events.RoundOpened(state.round_number + 1, starter)
    for seat in state.remaining:
        rolled = roll_of_cup(state, dealer, seat)
        if _is_used(state, dealer, rolled):
            # A refusal records nothing, so what was yielded before it comes to nothing, and the match closes this deal
            # and begins another one.
            raise Refused("bill_used")
        yield rolled


def roll_of_cup(state: State, dealer: Dealer, cup: CupId) -> events.Rolled:
    """Return the roll of all tokens of a cup, and of what interludes need beside them."""
    tokens = state.rules.tokens
    # Fewer dice after a loss lie in the "lowest slots" of the same cup (CUP/1 section 4.2); the slots beside them keep
    # their places behind the full number, so that an address always means the same.
    dice = state.balance("die", cup) if "die" in state.balances else tokens.dice
    interludes = state.rules.interludes
    beside = tuple(m for each in interludes for m in each.moduli_beside(tokens.dice)) if interludes else ()
    slots, moduli = _slots(dice, tokens.dice, tokens.faces.count, beside)
    return events.Rolled(dealer.number, cup, state.rolls.get(cup, 0), slots, moduli)


@lru_cache(maxsize=1_024)
def _slots(
    dice: int, width: int, faces: int, beside: tuple[Modulus, ...]
) -> tuple[tuple[Slot, ...], tuple[Modulus, ...]]:
    """Return the slots of a roll with so many dice, and their moduli: every roll of a game has one of a few of them."""
    return (*range(dice), *range(width, width + len(beside))), (*((faces,) * dice), *beside)


def _is_used(state: State, dealer: Dealer, rolled: events.Rolled) -> bool:
    tokens = state.rules.tokens
    if not isinstance(tokens, Serials) or not tokens.single_use:
        return False
    number = tuple(
        dealer.value(rolled.cup, rolled.roll, slot, m) for slot, m in zip(rolled.slots, rolled.m, strict=True)
    )
    return number in state.used


def _stake_events(state: State) -> Iterator[events.TableEvent]:
    pot = state.settler(Pot)
    if pot is not None:
        yield from (events.Posted("chip", seat, "pot", pot.amount) for seat in state.remaining)


def draws_letters(state: State) -> bool:
    """Report whether letters decide who opens the next round."""
    match = state.rules.match
    return match.next_start == "letters" or (match.first == "letters" and state.next_starter is None)


def _first_seat_events(state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
    if draws_letters(state):
        yield from _letter_events(state, dealer)
        return
    alone = state.rules.match.bouts is None or state.pairing is not None
    order = yield from _draw_order(state, dealer, 1 if alone else len(state.remaining))
    if not alone:
        yield bouts.first_bout(order)
    yield events.FirstDrawn(order[0])


def _letter_events(state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
    """Draw two letters for each number; the lowest pair opens, the first seat of those that tie."""
    slots = tuple(slot for seat in state.remaining for slot in (FLANKS * seat - 2, FLANKS * seat - 1))
    m, roll = (LETTERS,) * len(slots), state.rolls.get(TABLE_CUP, 0)
    yield events.Rolled(dealer.number, TABLE_CUP, roll, slots, m)
    shown = dealer.open(TABLE_CUP, roll, slots, m)
    yield shown
    values = dict(shown.values)
    yield events.FirstDrawn(
        # Seats come ascending and the first least one is taken: ties go by seat (the Wizard, Salomon 1986).
        min(state.remaining, key=lambda seat: (values[FLANKS * seat - 2], values[FLANKS * seat - 1]))
    )


def _draw_order(state: State, dealer: Dealer, places: int) -> Generator[events.TableEvent, None, tuple[Seat, ...]]:
    """Draw an order: a die each from the table cup, the highest first, those who tie for a place roll again."""
    faces = state.rules.tokens.faces.count
    groups, roll = [state.remaining], 0
    # "A tie takes the next roll for the tied seats" (CUP/1 section 4.2). Whoever still ties when the cup is used up
    # stays in seat order.
    while roll < DRAWS_MAX and (tied := _ties(groups, places)):
        slots = tuple(sorted(seat - 1 for seat in tied))
        m = (faces,) * len(slots)
        yield events.Rolled(dealer.number, TABLE_CUP, roll, slots, m)
        shown = dealer.open(TABLE_CUP, roll, slots, m)
        yield shown
        values = {slot + 1: value for slot, value in shown.values}
        groups = [
            part for group in groups for part in (_split_by_height(group, values) if group[0] in tied else [group])
        ]
        roll += 1
    return tuple(seat for group in groups for seat in group)


def _ties(groups: list[tuple[Seat, ...]], places: int) -> tuple[Seat, ...]:
    """Return who has to roll again for one of the first places to be decided."""
    found: list[Seat] = []
    before = 0
    for group in groups:
        # A tie for a place that nobody asks about is left alone: where one seat opens, only the highest roll again.
        if len(group) > 1 and before < places:
            found += group
        before += len(group)
    return tuple(found)


def _split_by_height(group: tuple[Seat, ...], values: dict[Seat, int]) -> list[tuple[Seat, ...]]:
    """Return the seats of a group by what they rolled, the highest first."""
    heights = sorted({values[seat] for seat in group}, reverse=True)
    return [tuple(seat for seat in group if values[seat] == height) for height in heights]
