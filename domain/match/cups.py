"""Cups of a duplicate board: one a position, which every table that has the board rolls alike."""

from __future__ import annotations

from domain.fairness.deal import Cup
from domain.match.settings import Settings, rules_in_force
from domain.table import decide as table
from domain.table.state import PASSED_CUP


def board_cups(settings: Settings) -> tuple[Cup, ...]:
    """Return the cups of a board for such matches, a position each: every table that has it rolls them alike.

    Args:
        settings: Those of a match, of which only the game, the seats and `rounds_max` count.
    """
    seats = tuple(range(1, settings.seats + 1))
    state = table.initial_state(rules_in_force(settings), seats, seats[0])
    cups = table.deal_cups(state, settings.deal_per)
    return tuple(Cup(cup.id, PASSED_CUP, min(cup.rolls, settings.rounds_max or cup.rolls), cup.width) for cup in cups)
