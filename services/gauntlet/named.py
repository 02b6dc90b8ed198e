"""A policy as a player: by its file where that says what to do, and elsewhere as level 1, which others are read as."""

from __future__ import annotations

import hashlib
from typing import Any, Final
from uuid import UUID

from domain import commands
from domain.match.evolve import Match
from domain.rules.rules import SharedCup
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LEVEL_ONE, LevelParams
from domain.strategy.policies.ahead import rounds_ahead
from domain.strategy.policies.facts import facts_of, facts_of_round
from domain.strategy.policies.files import Policy, must_fit
from services.engines.in_memory import MatchInMemory
from services.engines.levels import Thought, words_of
from services.engines.seen import SeenMatch
from services.engines.solved_rounds import weigh_by_content

BASE: Final = "L1"
"""The level that is asked where a policy says nothing."""


class PlaysNothing(ValueError):  # noqa: N818 - named for what is the matter
    """A policy says nothing of moves; the sentence says what it does."""


class PolicyChooser:
    """Somebody who plays by a policy."""

    def __init__(self, policy: Policy) -> None:
        """Play by this policy.

        Raises:
            PlaysNothing: It says who loses rounds.
        """
        if policy.kind == "rounds":
            raise PlaysNothing(f"{policy.name} says who loses rounds, and plays none")
        self.name = policy.name
        self._policy = policy

    def choose(self, seen: SeenMatch, chance: bytes) -> Thought | None:
        """Return a move of the seat by this chance; None where it has nothing to do."""
        sight = seen.sight
        if sight is None:
            return None
        fits, content, word = self._policy.fits(facts_of(sight.state)), self._policy.content, words_of(chance)[0]
        if fits and sight.state.turn == sight.seat:
            found = weigh_by_content(content, sight, [step.event for step in seen.course])
            if found is not None and found.options:
                return Thought(found.draw(word).command, self.name)
        own = fits and isinstance(content, LevelParams)
        command = drawn(sight, content if own and isinstance(content, LevelParams) else LEVEL_ONE, word)
        return None if command is None else Thought(command, self.name if own else BASE)


def check_applies(policy: Policy, rules: dict[str, Any], seats: int) -> None:
    """Check that a match may come to a round that a policy is for: its first one, or one of two seats later.

    Raises:
        BadPolicy: It cannot.
    """
    state = MatchInMemory(UUID(int=0), rules, seats, _any_chance).state
    first, tokens = [facts_of(state)], state.rules.tokens
    if isinstance(tokens, SharedCup):
        # The cup that is passed on lies nowhere before somebody has rolled it.
        first.append(facts_of_round(state.rules, (tokens.dice,) * seats))
    must_fit(policy, [*first, *(facts for _, facts in rounds_ahead(state))])


def _any_chance(match: Match) -> commands.Chance:
    seeds = {seat: hashlib.sha256(bytes([seat])).digest() for seat in range(1, match.settings.seats + 1)}
    return commands.Chance(bytes(32), seeds)
