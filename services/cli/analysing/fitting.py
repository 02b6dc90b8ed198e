"""`truecup policy fit`: the round model anew, from level 1 playing itself."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from domain.strategy.bad_policy import BadPolicy
from domain.strategy.level_params import LevelParams
from domain.strategy.policies.files import read_policy
from infra.entropy import draw
from services.cli.analysing.shelves import find_policy, keep_policy
from services.cli.exits import FINE
from services.cli.screen import say, show_progress
from services.client.house import CannotDo
from services.solver.fitting import SEATS, round_model, rounds_lost, weights_of


def fit(
    name: str,
    /,
    *,
    rounds: Annotated[int, Parameter(validator=Number(gte=100, lte=1_000_000))] = 4_000,
    policy: str = "level1",
    seed: str | None = None,
) -> int:
    """Fit who loses a round, and keep the policy.

    Args:
        name: What it is to be called.
        rounds: How many rounds are played for each number of seats, two to six.
        policy: The level that plays, by name, by hash, or as a file.
        seed: What all chance follows from, as hex; without one it is drawn.
    """
    params, chance = _level(policy), _chance(seed)
    try:
        read_policy(round_model(name, {2: (0, 1)}))
    except BadPolicy as fault:
        raise CannotDo(f"a policy cannot be called {name}: {fault}") from fault
    rows = {}
    for seats in SEATS:
        played = rounds_lost(seats, rounds, chance, params)
        rows[seats] = weights_of(Counter(show_progress(played, f"{seats} seats", rounds)))
    say(keep_policy(round_model(name, rows)).id)
    for seats, row in rows.items():
        say(f"{seats} seats: {' '.join(map(str, row[1:]))}")
    return FINE


def _level(asked: str) -> LevelParams:
    try:
        params = find_policy(asked).policy.content
    except BadPolicy as fault:
        raise CannotDo(f"{asked} is refused: {fault}") from fault
    if not isinstance(params, LevelParams):
        raise CannotDo(f"{asked} is no level that plays")
    return params


def _chance(seed: str | None) -> bytes:
    if seed is None:
        return draw(16)
    if not re.fullmatch(r"([0-9a-f]{2}){1,64}", seed):
        raise CannotDo("a seed is written as hex, such as 00ff")
    return bytes.fromhex(seed)
