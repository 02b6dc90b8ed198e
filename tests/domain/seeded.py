"""A game without its ceremony: the table alone, with dice that are the same for the same seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from domain import commands, events
from domain.games import rules_of
from domain.table.decide import decide, evolve, initial_state, moves, next_deal
from domain.table.state import State


class SeededDealer:
    """A dealer whose dice follow from a seed and nothing else."""

    number = 0

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        return hashlib.sha256(f"{self.seed}/{cup}/{roll}/{slot}".encode()).digest()[0] % m

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        values = tuple((slot, self.value(cup, roll, slot, n)) for slot, n in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), tuple((slot, "") for slot in slots), values)

    def seal_of(self, choice: events.Choice, cup: int, slot: int) -> str:
        roll, inside, outside, shown = choice.roll, choice.roll_inside, choice.roll_outside, choice.outside
        said = f"Choice(roll={roll}, roll_inside={inside}, roll_outside={outside}, outside={shown})"
        return hashlib.sha256(f"{self.seed}/{said}/{cup}/{slot}".encode()).hexdigest()

    def unseal(self, seal: str, cup: int, slot: int, candidates: Iterable[events.Choice]) -> events.Choice | None:
        return next((choice for choice in candidates if self.seal_of(choice, cup, slot) == seal), None)


class Game:
    """A game on its way, with everything that has happened in it."""

    def __init__(
        self,
        options: dict[str, Any],
        seats: int,
        seed: str = "seed",
        starter: int | None = 1,
        game: str = "common_hand",
    ) -> None:
        self.begun = initial_state(rules_of(game, options), tuple(range(1, seats + 1)), starter)
        self.state: State = self.begun
        self.dealer = SeededDealer(seed)
        self.events: list[events.Event] = []

    def do(self, command: commands.TableCommand) -> tuple[events.Event, ...]:
        happened = decide(self.state, command, self.dealer)
        for event in happened:
            self.state = evolve(self.state, event)
        self.events += happened
        return happened

    def deal_if_due(self) -> tuple[events.Event, ...]:
        return self.do(next_deal(self.state)) if self.state.phase == "between_rounds" else ()

    def offers(self) -> list[tuple[int, Any]]:
        return [(seat, move) for seat, offered in sorted(moves(self.state).items()) for move in offered]
