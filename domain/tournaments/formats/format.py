"""Format of a stage: what each says, so that rounds can be played without knowing which it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.seating import SeatLaw
from domain.tournaments.rules import Stage


class DrawnRound(Struct, frozen=True):
    """A round as a law has it.

    Attributes:
        law: Its name and edition.
        tables: The first is table 1; members in seat order, the first opens.
        byes: Who rests, since tables are full.
        certificate: What shows that it is what the law says, for laws that have such a thing.
        numbers: The numbers of the tables; 1, 2, ... if nothing is said.
        group: Whose round it is, where there are groups, from 1.
        parts: Where there are groups, the rounds of each that plays, and nothing else of this counts.
    """

    law: str
    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()
    certificate: dict[str, Any] | None = None
    numbers: tuple[int, ...] = ()
    group: int | None = None
    parts: tuple[DrawnRound, ...] = ()

    @property
    def numbered(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The tables with their numbers."""
        return tuple(zip(self.numbers or range(1, len(self.tables) + 1), self.tables, strict=True))


def no_groups(_stage: Stage, _seeds: tuple[int, ...]) -> None:
    """Say that all play in one."""


def rounds_max_of(stage: Stage) -> int | None:
    """Return how many rounds of the game a match may last; None: to its end."""
    return stage.rounds_max


def stacks_of_the_game(_field: StageField) -> dict[int, int]:
    """Return nothing: everybody begins with what the game says."""
    return {}


class Format(Struct, frozen=True):
    """What a format has to say.

    Attributes:
        rounds: How many rounds a stage of so many entrants has; None where that shows only in the end.
        draw: The next round of a field, with its lots and its number.
        is_over: Whether the field has played all there is to play.
        ranking: Who has which place then, best first; who shares one together.
        rolls: Whether each round has lots of its own; else those of the stage serve throughout.
        groups: The groups that the seeds of a stage are dealt to, where it has any.
        advanced: Who goes on to the next stage, of so many, in the order of its seeds.
        by_score: Whether places are those of the standings, which follow from points, or from the order of the field.
        rounds_max: How many rounds of the game a match of such a stage may last; None: to its end.
        stacks: What each begins the next match with of what one is out without; empty: with what the game says.
    """

    rounds: Callable[[Any, int], int | None]
    draw: Callable[[StageField, Lots, int], DrawnRound]
    is_over: Callable[[StageField], bool]
    ranking: Callable[[StageField], Ranking]
    rolls: bool = False
    groups: Callable[[Any, tuple[int, ...]], tuple[tuple[int, ...], ...] | None] = no_groups
    advanced: Callable[[StageField, int], tuple[int, ...]] | None = None
    by_score: bool = True
    rounds_max: Callable[[Any], int | None] = rounds_max_of
    stacks: Callable[[StageField], Mapping[int, int]] = stacks_of_the_game


def has_played_all(field: StageField) -> bool:
    """Report whether as many rounds are closed as were planned."""
    return field.stage.rounds_planned is not None and field.upto >= field.stage.rounds_planned


def seat_law(field: StageField, lots: Lots) -> SeatLaw:
    """Return what orders of seats look at."""
    history = field.history
    balance = {number: history.balance.get(number, 0) for number in field.numbers}
    return SeatLaw(history.after, balance, lots.ranks(field.numbers))
