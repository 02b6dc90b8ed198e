"""A duel: one match of contenders, in memory, with an id and dice that follow from some bytes.

In every match of the same bytes the same address has the same value: its deal is one for the whole match, made of one
secret and the same seeds, and an address is a cup, a roll of it and a slot (CUP/1 section 4.6). So luck is shared out.
Whoever plays is told hashes of the bytes, and the secret once the deal closes: neither leads back to them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.log import canonical
from domain.match.evolve import Match
from domain.match.settings import rules_in_force, settings_of
from domain.strategy.tables import unit_of
from domain.table.decide import timeout_command
from infra.clock import ticks_s
from services.engines.hosting import BUDGET_MS, Go
from services.engines.in_memory import MatchInMemory
from services.gauntlet.contenders import Contender, SeatHeld, SeenEvent

ROUNDS: Final = 20
"""Rounds of a session, which nobody wins; what counts is units."""
MOVES_MAX: Final = 20_000
"""Moves of one match: a match of players who never come to an end is a fault of theirs, and is broken off."""


class Endless(Exception):  # noqa: N818 - named for what it is
    """A match did not come to an end."""


class TurnsTaken(Struct):
    """What a contender did in its turns.

    Attributes:
        decisions: How many turns it had.
        fouls: How often two of its moves were refused in one turn, or it said too much in one.
        late: How often it gave no move in time.
        spent_ms: How long each turn took it, in milliseconds.
    """

    decisions: int = 0
    fouls: int = 0
    late: int = 0
    spent_ms: list[float] = []


class Duel:
    """One match.

    Attributes:
        lines: Its record, once it has been played.
    """

    def __init__(self, rules: dict[str, Any], dice: bytes, budget_ms: int = BUDGET_MS) -> None:
        """Play a match under this rules object, without its seats; its dice follow from these bytes, 32 or more."""
        self._rules, self._dice, self._budget_ms = rules, dice, budget_ms
        self._happened: list[tuple[events.Event, Match]] = []
        self.lines: tuple[bytes, ...] = ()

    async def play(self, contenders: Sequence[Contender], turns: Sequence[TurnsTaken]) -> dict[Seat, Fraction]:
        """Play to the end, and return what each seat scored: of a match its share, of a session its units.

        Args:
            contenders: Who sits there, in seat order.
            turns: What each of them did so far; it is added to.

        Raises:
            Endless: It did not come to an end.
        """
        count = len(contenders)
        match_id = UUID(bytes=self._drawn("match")[:16], version=4)
        rules = rules_of_block(self._rules)
        table = MatchInMemory(match_id, rules, count, self._chance, lambda *what: self._happened.append(what))
        given = {**rules, "seats": count}
        seated = [await each.sit(str(match_id), given, seat, count) for seat, each in enumerate(contenders, 1)]
        for number in range(MOVES_MAX):
            await self._show(table, seated)
            if table.over:
                break
            await self._turn(table, seated, turns, number)
        else:
            raise Endless(f"nobody had won after {MOVES_MAX} moves")
        for each in seated:
            await each.leave(table.state.winner)
        self.lines = tuple(table.lines)
        return scores_of(table.match)

    async def _show(self, table: MatchInMemory, seated: Sequence[SeatHeld]) -> None:
        happened, self._happened = self._happened, []
        for event, match in happened:
            head = canonical.head(table.lines[match.version - 1])
            for each in seated:
                await each.see(SeenEvent(event, match, head, table.keeper))

    async def _turn(
        self, table: MatchInMemory, seated: Sequence[SeatHeld], turns: Sequence[TurnsTaken], number: int
    ) -> None:
        offers = table.offers()
        seat = table.state.turn if table.state.turn in offers else min(offers)
        assert seat is not None

        ours = 0.0

        async def tries(command: commands.Play) -> str | None:
            nonlocal ours
            at = ticks_s()
            try:
                table.play(command)
            except Refused as refused:
                return refused.code
            finally:
                # What the table does is not the contender's time.
                ours += ticks_s() - at
            return None

        chance = hashlib.sha256(self._dice + f"move {number} {seat}".encode()).hexdigest()
        begun = ticks_s()
        engaged = await seated[seat - 1].choose(Go(table.match.version, self._budget_ms, chance), tries)
        made = turns[seat - 1]
        made.decisions += 1
        made.spent_ms.append((ticks_s() - begun - ours) * 1_000)
        made.fouls += engaged.fate == "foul"
        made.late += engaged.fate == "late"
        if engaged.fate == "died":
            table.play(commands.Forfeit(seat))
        elif engaged.fate != "move":
            table.play(timeout_command(table.state, table.dealer))

    def _chance(self, match: Match) -> commands.Chance:
        seats = range(1, match.settings.seats + 1)
        seeds = {seat: self._drawn(f"seed {match.deals} {seat}") for seat in seats}
        return commands.Chance(self._drawn(f"secret {match.deals}"), seeds)

    def _drawn(self, name: str) -> bytes:
        return hashlib.sha256(self._dice + name.encode()).digest()


def rules_of_block(rules: dict[str, Any]) -> dict[str, Any]:
    """Return the rules object of every match of a block: one deal for the whole match, and an end of every session.

    Raises:
        Refused: `bad_options`: they are no rules, or nobody could score anything by them.
    """
    game = rules_in_force(settings_of({**rules, "deal_per": "match"}))
    if game.match.open_ended and unit_of(game) is None:
        raise Refused(
            "bad_options", option=str(rules["game"]), why="nobody wins such a session, and nothing is counted"
        )
    end = {"rounds_max": ROUNDS} if game.match.open_ended else {}
    return {**rules, "deal_per": "match", **end}


def scores_of(match: Match) -> dict[Seat, Fraction]:
    """Return what each seat scored: one to the winner; where the first out has lost, as much to each of the others."""
    state = match.table
    assert state is not None
    if state.winner is not None:
        return {seat: Fraction(seat == state.winner) for seat in state.seats}
    if state.rules.match.first_out_ends and state.out:
        return {seat: Fraction(seat != state.out[0], len(state.seats) - 1) for seat in state.seats}
    unit = unit_of(state.rules)
    assert unit is not None, "a session counts something"
    return {seat: Fraction(unit.sign * state.balance(unit.name, seat)) for seat in state.seats}
