"""Matches that level 1 plays, so that rounds are as long as among people who can count; any two runs play the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from msgspec import Struct

from domain import events
from domain.fairness.openings import DealSecrets
from domain.ids import Seat
from domain.match.evolve import Match
from domain.match.record import GENESIS, MatchAtHead, lines_of
from services.engines.in_memory import MatchInMemory, chance_of_versions, id_of
from services.engines.levels import CHANCE_BYTES, player_of
from services.engines.seen import SeenMatch, SeenStep


class TurnAhead(Struct, frozen=True):
    """A seat about to act.

    Attributes:
        seat: Which.
        seen: What it has seen.
        new: What happened in the round since its last turn, which it has not read yet.
        written: The match.
        keeper: The secrets of its deal.
        chance: What it chooses by.
    """

    seat: Seat
    seen: SeenMatch
    new: tuple[SeenStep, ...]
    written: MatchAtHead
    keeper: DealSecrets | None
    chance: bytes


class LevelMatch:
    """A match of common hand that level 1 plays.

    Attributes:
        lines: Its lines so far.
        steps: The match after each of them, and what the line says.
    """

    def __init__(self, seats: int, dice: int, number: int) -> None:
        """Begin a match; `number` tells it from the others."""
        self.lines: list[bytes] = []
        self.steps: list[tuple[MatchAtHead, events.Event]] = []
        self._seen = {seat: SeenMatch(seat) for seat in range(1, seats + 1)}
        self._known: dict[Seat, tuple[list[SeenStep], int]] = {}
        rules = {"game": "common_hand", "options": {"dice_per_player": dice}}
        self._played = MatchInMemory(id_of(number), rules, seats, chance_of_versions(number), self._take)

    def _take(self, event: events.Event, match: Match) -> None:
        head = self.steps[-1][0].head if self.steps else GENESIS
        lines, head = lines_of(match.id, match.version - 1, head, match.at, [event])
        self.lines += lines
        self.steps.append((MatchAtHead(match, head), event))

    def turns(self) -> Iterator[TurnAhead]:
        """Yield each turn before it is taken, until the match is over."""
        player, told = player_of("L1"), 0
        while not self._played.over:
            keeper = self._played.keeper
            for written, event in self.steps[told:]:
                for seen in self._seen.values():
                    seen.see(event, written.match, keeper)
            told = len(self.steps)
            seat = self._played.state.turn
            assert seat is not None, "somebody may always act"
            written = self.steps[-1][0]
            chance = hashlib.sha256(written.head.encode()).digest()[:CHANCE_BYTES]
            turn = TurnAhead(seat, self._seen[seat], self._new(seat), written, keeper, chance)
            yield turn
            thought = player.choose(turn.seen, chance)
            assert thought is not None, "it can count"
            self._played.play(thought.command)

    def _new(self, seat: Seat) -> tuple[SeenStep, ...]:
        course = self._seen[seat].course
        before, known = self._known.get(seat, ([], 0))
        self._known[seat] = course, len(course)
        return tuple(course[known if before is course else 0 :])


def whole_match(seats: int, dice: int, number: int) -> LevelMatch:
    """Return a match that has been played to its end."""
    match = LevelMatch(seats, dice, number)
    for _ in match.turns():
        continue
    return match
