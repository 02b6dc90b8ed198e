"""An environment of PettingZoo's agent-environment cycle over the rules of any game.

A seat is an agent, `seat_1` and so on. It observes what its seat sees and no die more, with a mask of what it may do;
what it may not do is refused by PettingZoo's own wrapper, which ends the match with -1 for whoever tried. Rewards come
when the match is over: 1 for the first place, -1 for the last, evenly spaced between; who shares places shares theirs.

Whoever may doubt out of turn is not asked: the seat in turn acts, and where it is nobody's turn, the first that may.

Source: https://pettingzoo.farama.org/api/aec/
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from domain.games import rules_of
from domain.ids import Seat
from projections.view import View
from services.engines.in_memory import MatchInMemory, chance_of_versions, id_of
from services.learn.actions import Actions
from services.learn.sights import Sights, text_of

ROUNDS: Final = 30
"""After how many rounds a match is cut short, if nobody says otherwise: some games go on until their host ends them."""
_OWED: Final = ("loss", "drink")
SEED_MAX: Final = 2**31 - 1


def env(game: str = "common_hand", **settings: Any) -> AECEnv[str, Any, Any]:  # noqa: ANN401 - see `TruecupEnv`
    """Return an environment that says what is wrong with what it is asked; `settings` as `TruecupEnv` takes them."""
    raw: AECEnv[str, Any, Any] = TruecupEnv(game, **settings)
    raw = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(raw)


class TruecupEnv(AECEnv[str, Any, Any]):
    """A game for some seats."""

    def __init__(
        self,
        game: str = "common_hand",
        *,
        seats: int = 2,
        options: dict[str, Any] | None = None,
        rounds: int = ROUNDS,
        render_mode: str | None = None,
    ) -> None:
        """Choose a game.

        Args:
            game: Its name.
            seats: How many play.
            options: House rules, as they stand in a rules object.
            rounds: After how many rounds the match is cut short.
            render_mode: `ansi`, or nothing.

        Raises:
            KeyError: No game has this name.
            Refused: The options are none, or the game is not for so many.
        """
        super().__init__()
        self.metadata = {"name": "truecup_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self._asked = {"game": game, "options": options or {}}
        self._rounds = rounds
        rules = rules_of(game, options or {})
        self._actions, self._sights = Actions(rules, seats), Sights(rules, seats)
        self.possible_agents = [f"seat_{seat}" for seat in range(1, seats + 1)]
        self._action_space = {name: spaces.Discrete(len(self._actions)) for name in self.possible_agents}
        self._observation_space = {name: self._observed() for name in self.possible_agents}
        self._np_random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent may observe."""
        return self._observation_space[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent may do at all."""
        return self._action_space[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - theirs
        """Deal a new match; with the same seed it has the same dice, and so have those that follow it."""
        if seed is not None:
            self._np_random, _ = seeding.np_random(seed)
        number = int(self._np_random.integers(SEED_MAX))
        seats, chance = len(self.possible_agents), chance_of_versions(number)
        self.match = MatchInMemory(id_of(number), self._asked, seats, chance)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self._last = ""
        self._choose_agent()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent's seat sees, and what it may do: nothing while it is another's turn."""
        view = self.match.view(self._seat(agent))
        mask = np.zeros(len(self._actions), dtype=np.int8)
        if agent == self.agent_selection and not self._is_over():
            mask[self._actions.legal(self.match, view)] = 1
        return {"observation": self._sights.of(view), "action_mask": mask}

    def step(self, action: Any) -> None:  # noqa: ANN401 - a number, or None of who has finished
        """Do something as the agent whose turn it is.

        Raises:
            Refused: A rule says no; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.match.play(self._actions.command(int(action), self._seat(agent)))
        self._last = f"seat {self._seat(agent)}: {self._actions.words(int(action))}"
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._is_over():
            ended = self.terminations if self.match.over else self.truncations
            ended.update(dict.fromkeys(self.agents, True))
            self.rewards = dict(zip(self.possible_agents, rewards_of(self.match.view(None)), strict=True))
        else:
            self._choose_agent()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the table in lines, as whoever is to act sees it."""
        if self.render_mode != "ansi":
            return None
        return text_of(self.match.view(self._seat(self.agent_selection)), self._last)

    def words(self, action: int) -> str:
        """Return an action in words, such as `bid quantity=2 face=5`."""
        return self._actions.words(action)

    def close(self) -> None:
        """Hold nothing open."""

    def _observed(self) -> spaces.Dict:
        room = np.iinfo(np.int32)
        return spaces.Dict(
            {
                "observation": spaces.Box(room.min, room.max, (len(self._sights),), np.int32),
                "action_mask": spaces.Box(0, 1, (len(self._actions),), np.int8),
            }
        )

    def _is_over(self) -> bool:
        return self.match.over or self.match.state.round_number > self._rounds

    def _choose_agent(self) -> None:
        offers, turn = self.match.offers(), self.match.state.turn
        self.agent_selection = f"seat_{turn if turn in offers else min(offers)}"

    def _seat(self, agent: str) -> Seat:
        return int(agent.removeprefix("seat_"))


def rewards_of(view: View) -> list[float]:
    """Return what each seat has earned, in seat order: from 1 for the first place to -1 for the last; their sum is 0.

    Who has won is first. Those still in the match come before those who are out, the richer of them before the poorer;
    who was out later comes before who was out earlier.
    """
    ranks = [_rank(view, seat.seat) for seat in view.seats]
    step = 2 / (len(ranks) - 1)
    return [step * (sum(other < rank for other in ranks) - sum(other > rank for other in ranks)) / 2 for rank in ranks]


def _rank(view: View, seat: Seat) -> tuple[int, ...]:
    balances = view.seats[seat - 1].balances
    worth = sum(-amount if unit in _OWED else amount for unit, amount in balances.items())
    return (seat == view.winner, view.out.index(seat) if seat in view.out else len(view.out), worth)
