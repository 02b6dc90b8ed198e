"""Every game as an environment to learn in: PettingZoo's own tests, and what an agent may know."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from pettingzoo.test import api_test, seed_test

from domain.errors import Refused
from domain.games import GAMES, rules_of
from projections.view import View
from services.learn.environment import TruecupEnv, env, rewards_of
from tests.domain.swapped_dice import OtherDealer, OtherKeeper
from tests.sizes import cases

GUIDE = Path(__file__).parents[2] / ".docs" / "learn.md"


def choose(made: Any, chance: np.random.Generator) -> int | None:
    """Return an action of chance among those that are allowed; None for who has finished."""
    observed, _, terminated, truncated, _ = made.last()
    return None if terminated or truncated else int(chance.choice(np.flatnonzero(observed["action_mask"])))


@pytest.mark.parametrize("game", GAMES)
def test_it_passes_what_its_makers_ask_of_an_environment(game: str) -> None:
    with warnings.catch_warnings():
        # Whoever has an action mask has a dictionary, and is warned of it.
        warnings.filterwarnings("ignore", message="Observation (space for each agent|is not a NumPy)")
        api_test(env(game, render_mode="ansi"), num_cycles=12)
    seed_test(lambda: env(game), num_cycles=10)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_comes_to_an_end_and_its_rewards_to_nothing(game: str) -> None:
    made = env(game, rounds=2, render_mode="ansi")
    made.reset(seed=7)
    chance, earned = np.random.default_rng(7), dict.fromkeys(made.agents, 0.0)
    for agent in made.agent_iter(20_000):
        earned[agent] += made.last(observe=False)[1]
        action = choose(made, chance)
        assert action is None or made.unwrapped.words(action)
        assert made.render()
        made.step(action)
    assert not made.agents
    assert sum(earned.values()) == pytest.approx(0)
    assert all(-1 <= each <= 1 for each in earned.values())


@pytest.mark.parametrize("game", GAMES)
def test_what_an_agent_sees_and_may_do_owes_nothing_to_dice_it_may_not_know(game: str) -> None:
    made, chance, compared = (
        TruecupEnv(game, seats=max(2, min(3, rules_of(game, {}).seats[1]))),
        np.random.default_rng(3),
        0,
    )
    for seed in range(cases(1, 20)):
        made.reset(seed=seed)
        for _ in range(40):
            if all(made.terminations.values()) or all(made.truncations.values()):
                break
            compared += swap_and_compare(made)
            made.step(choose(made, chance))
    assert compared >= 5


def swap_and_compare(made: TruecupEnv) -> bool:
    """Hold what the agent observes against what it would with other dice where it knows none; False if it knows all."""
    agent, match = made.agent_selection, made.match
    seat, keeper = int(agent.removeprefix("seat_")), match.keeper
    assert keeper is not None
    view = match.view(seat)
    others = [die for each in view.seats if each.seat != seat for die in each.dice]
    if any(die.shown for die in (*others, *view.cup)) or not any(die.face is None for die in (*others, *view.cup)):
        return False
    seen = made.observe(agent)
    swapped = OtherKeeper(keeper, lambda real: OtherDealer(real, lambda w, m, v: v if w[1] == seat else (v + 1) % m))
    match.keeper = swapped
    try:
        assert match.view(seat) == view
        again = made.observe(agent)
    finally:
        match.keeper = keeper
    for name, numbers in seen.items():
        assert np.array_equal(numbers, again[name]), name
    return True


def test_what_nobody_may_do_ends_the_match_for_who_tried() -> None:
    made = env("mexican")
    made.reset(seed=1)
    agent = made.agent_selection
    forbidden = int(np.flatnonzero(made.last()[0]["action_mask"] == 0)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wrapper says aloud what it does
        made.step(forbidden)
    assert made.unwrapped.terminations[agent]
    assert made.unwrapped.rewards[agent] == -1
    raw = TruecupEnv("mexican")
    raw.reset(seed=1)
    with pytest.raises(Refused):
        raw.step(forbidden)


def test_places_are_evenly_rewarded_and_shared_by_who_shares_them() -> None:
    made = TruecupEnv("common_hand", seats=4)
    made.reset(seed=1)
    view: View = made.match.view(None)
    assert rewards_of(view) == [0, 0, 0, 0]
    assert rewards_of(replace(view, out=(3, 1, 4), winner=2)) == pytest.approx([-1 / 3, 1, -1, 1 / 3])
    poorer = replace(view.seats[1], balances={"die": 3})
    richer = replace(view.seats[2], balances={"die": 5, "drink": 1})
    seats = (view.seats[0], poorer, richer, view.seats[3])
    assert rewards_of(replace(view, seats=seats)) == pytest.approx([2 / 3, -1, -1 / 3, 2 / 3])


def test_the_example_of_the_guide_learns_what_it_says() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    found: dict[str, Any] = {}
    exec(compile(program, str(GUIDE), "exec"), found)
    assert sum(found["wins"].values()) == 20


@pytest.mark.parametrize("missing", ["numpy", "gymnasium", "pettingzoo"])
def test_who_has_not_installed_the_extra_is_told_of_it(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = ("truecup.learn", "services.learn.environment", "services.learn.sights")
    for name in [name for name in sys.modules if name in ours or name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModuleNotFoundError, match=rf"truecup\[learn\].*{missing} is missing"):
        importlib.import_module("truecup.learn")
