"""A round model fitted anew: who loses a round of bids, by how many are in and by what each has.

Level 1 plays rounds against itself, each with stacks, dice and an opener drawn at random. Seat j loses with the chance
`w_j / sum(w)`, w by what it has; the weights that make what happened likeliest are found by going over them again and
again. Source: Hunter, MM algorithms for generalized Bradley-Terry models (Annals of Statistics, 2004).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final

from domain import commands
from domain.games import rules_of
from domain.rules.rules import Rules
from domain.strategy.chance import Words
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LevelParams
from domain.strategy.policies.files import write_policy
from domain.strategy.rollouts import Rollout, ScriptedDealer
from domain.strategy.sight import Sight
from domain.table.decide import decide
from domain.table.evolve import evolve_all
from domain.table.state import State

SEATS: Final = range(2, 7)
"""How many are in; more are taken for six."""
DICE_MAX: Final = 10
SCALE: Final = 1_000
"""The weight of a seat that has one die."""
PASSES: Final = 400
"""By then no weight moves by a thousandth any more."""

Lost = Counter[tuple[tuple[int, ...], int]]
"""How often with these stacks, in seat order, the seat at this place lost."""


def rounds_lost(seats: int, rounds: int, seed: bytes, params: LevelParams) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield round after round what everybody had, and at which place the loser sat."""
    rules = rules_of("common_hand", {"dice_per_player": DICE_MAX})
    for number in range(rounds):
        chance = sha256(b"%b/%d/%d" % (seed, seats, number)).digest()
        words = Words(chance)
        stacks = tuple([1 + words.draw(DICE_MAX) for _ in range(seats)])
        state = _dealt(rules, stacks, 1 + words.draw(seats), chance)
        faces = rules.tokens.faces
        profile = {
            cup: tuple([faces.first + words.draw(faces.count) for _ in place.inside])
            for cup, place in state.places.items()
        }
        after = Rollout(state, profile, chance).play(lambda sight, word: _drawn(sight, word, params))
        assert after.last is not None
        (loser,) = after.last.losers
        yield stacks, state.seats.index(loser)


def _dealt(rules: Rules, stacks: tuple[int, ...], opener: int, chance: bytes) -> State:
    seats = tuple(range(1, len(stacks) + 1))
    balances = {"die": dict[int | str, int](zip(seats, stacks, strict=True))}
    state = State(rules, seats, balances, next_starter=opener)
    return evolve_all(state, decide(state, commands.DealRound(), ScriptedDealer({}, chance)))


def _drawn(sight: Sight, word: int, params: LevelParams) -> commands.Play | None:
    weighing = weigh(sight, params)
    return weighing.draw(word).command if weighing.options else None


def weights_of(lost: Lost) -> tuple[int, ...]:
    """Return how often a seat loses by what it has, from 0 on, beside a seat of one die; of one number of seats."""
    losses = Counter[int]()
    for (stacks, place), times in lost.items():
        losses[stacks[place]] += times
    weights = dict.fromkeys(range(1, DICE_MAX + 1), 1.0)
    for _ in range(PASSES):
        shares = dict.fromkeys(weights, 0.0)
        for (stacks, _place), times in lost.items():
            share = times / sum([weights[has] for has in stacks])
            for has in stacks:
                shares[has] += share
        weights = {has: losses[has] / shares[has] if shares[has] else weight for has, weight in weights.items()}
    return (0, *[max(1, round(SCALE * weight / weights[1])) for weight in weights.values()])


def round_model(name: str, rows: Mapping[int, tuple[int, ...]]) -> bytes:
    """Return the policy of these weights, by how many are in."""
    return write_policy("rounds", name, {"weights": {str(seats): list(rows[seats]) for seats in sorted(rows)}})
