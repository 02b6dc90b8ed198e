"""Facts of a round that a policy's `applies` is held against, member by member.

`tokens`, `faces`, `dice` of each seat in order of play, `order`, `rank`, `wild`, `natural`, `aces`, who doubts, and
`plain`: that nothing is on offer but to bid and to challenge. Where claims name hands, `ladder`, and `blind`: that a
cup is believed unseen, and nothing is on offer but to claim more, to challenge, and to show throws that end a round.
"""

from __future__ import annotations

from typing import Any

import msgspec

from domain.commands import Bid, Challenge
from domain.rules.rules import Counting, Rules, Rungs, SharedCup
from domain.strategy.duels.duel import Duel
from domain.strategy.tables import unit_of
from domain.table.checks import kinds_for
from domain.table.phases import CLAIMING
from domain.table.state import State, next_seat

Facts = dict[str, Any]
"""By member, as JSON values; None of what claims of hands do not have."""

PAIR = 2
"""Of two seats one alone may doubt, whatever the rule is called."""


def facts_of(state: State) -> Facts:
    """Return the facts of the round that goes on, which somebody has opened or is about to."""
    opener = state.round.starter or state.turn
    assert opener is not None
    order = [opener]
    while len(order) < len(state.remaining):
        order.append(next_seat(state, order[-1]))
    places = [state.place_of(seat) for seat in order]
    dice = tuple(len(place.dice) for place in places if place is not None)
    return facts_of_round(state.rules, dice, palifico="palifico" in state.flags)


def facts_of_round(rules: Rules, dice: tuple[int, ...], *, palifico: bool = False) -> Facts:
    """Return the facts of a round under these rules.

    Args:
        rules: The game.
        dice: What each seat has, in order of play; the first opens.
        palifico: Whether the opening fixes the face.
    """
    claims = rules.claims
    counts = isinstance(claims, Counting)
    return {
        "tokens": rules.tokens.__struct_config__.tag,
        "faces": msgspec.to_builtins(rules.tokens.faces),
        "dice": list(dice),
        "order": claims.order if isinstance(claims, Counting) else None,
        "rank": claims.rank if isinstance(claims, Counting) else None,
        "wild": claims.wild,
        # Where ones never help, every die that counts is a natural one.
        "natural": claims.natural and claims.wild != "never" if isinstance(claims, Counting) else None,
        "aces": claims.aces if isinstance(claims, Counting) else None,
        "doubt": "next" if len(dice) == PAIR else rules.doubt.who,
        "plain": counts and not palifico and _is_plain(rules),
        **({} if isinstance(claims, Counting) else {"ladder": _ladder_of(claims), "blind": _is_blind(rules)}),
    }


def facts_of_duel(duel: Duel) -> Facts:
    """Return the facts that a table for this duel applies to."""
    counting = duel.counting
    return {
        "tokens": "OwnCups",
        "faces": msgspec.to_builtins(duel.faces),
        "dice": list(duel.dice),
        "order": counting.order,
        "rank": counting.rank,
        "wild": counting.wild,
        "natural": counting.natural,
        "aces": counting.aces,
        "doubt": "next",
        "plain": True,
    }


def _ladder_of(claims: Rungs) -> Facts:
    """Return what claims rank by, as a file has it."""
    return {**msgspec.to_builtins(claims), "specials": list(claims.specials)}


def _is_blind(rules: Rules) -> bool:
    """Report whether a cup is believed unseen, and nothing else is done but to claim more and to challenge."""
    claims, handling = rules.claims, rules.handling
    handled = handling.gate != "blind" or handling.law != "frozen" or rules.doubt.catch or bool(rules.interludes)
    # What a seat drinks may hang on what was claimed, or thrown; then winning is not all there is to a round.
    unit = unit_of(rules) if rules.match.open_ended else None
    handled |= unit is not None and unit.name == "drink"
    return not handled and isinstance(rules.tokens, SharedCup) and isinstance(claims, Rungs) and not claims.ties


def _is_plain(rules: Rules) -> bool:
    kinds = kinds_for(rules, CLAIMING, in_turn=True)
    return set(kinds) == {Bid, Challenge} and not rules.doubt.rebid and not rules.interludes
