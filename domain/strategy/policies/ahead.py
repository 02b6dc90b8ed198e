"""Rounds ahead: solved rounds of two that a match may come to, by whose values its states between rounds are told.

What a round is worth to its opener is what the certificate of its file says: the middle of it, and half its width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from msgspec.structs import replace

from domain.rules.rules import Serials
from domain.strategy.policies.facts import Facts, facts_of_round
from domain.strategy.policies.files import Policy
from domain.strategy.tables import PAIR, RoundModel
from domain.table.state import State

Stacks = tuple[int, int]
"""What the opener of a round of two has, and the other one."""
Ahead = tuple[Stacks, Policy]
"""A solved round, by what both have in it."""


def rounds_ahead(state: State) -> Iterator[tuple[Stacks, Facts]]:
    """Yield the rounds of two that a match may still come to, with their facts; none of a session.

    Which rounds are palifico is not foreseen, so none is where some may be.
    """
    match, tokens = state.rules.match, state.rules.tokens
    if match.open_ended or match.palifico or isinstance(tokens, Serials) or len(state.seats) < PAIR:
        return
    if match.unit is None:
        yield (tokens.dice, tokens.dice), facts_of_round(state.rules, (tokens.dice, tokens.dice))
        return
    most = sorted([abs(match.out_at - state.balance(match.unit, seat)) for seat in state.remaining])[-PAIR:]
    stacks = product(range(1, most[-1] + 1), repeat=PAIR)
    for own, other in stacks:
        if min(own, other) <= most[0]:
            dice = (own, other) if match.unit == "die" else (tokens.dice, tokens.dice)
            yield (own, other), facts_of_round(state.rules, dice)


def solved_ahead(state: State, find: Callable[[Facts], Policy | None]) -> tuple[Ahead, ...]:
    """Return the rounds ahead whose value is proved; `find` returns the solved policy of a round, if any."""
    found = [(stacks, find(facts)) for stacks, facts in rounds_ahead(state)]
    return tuple(
        [(stacks, policy) for stacks, policy in found if policy is not None and policy.certificate is not None]
    )


def with_values(model: RoundModel, ahead: tuple[Ahead, ...]) -> RoundModel:
    """Return a round model that knows what these rounds are worth."""
    half = Fraction(1, 2)
    bounds = [(stacks, policy.certificate) for stacks, policy in ahead if policy.certificate is not None]
    return replace(
        model,
        values=tuple([(stacks, (each.lower + each.upper) * half) for stacks, each in bounds]),
        halves=tuple([(stacks, (each.upper - each.lower) * half) for stacks, each in bounds]),
    )
