"""Duplicate boards, as a match sees them: dice that other tables have as well, and rounds that wait for each other.

The law of the file: a match of a board has no deal of its own. Its director says which deal of the board it plays with,
once that is ready, and of every round when it is over at all tables; before that no die is shown here, and nothing is
counted.
"""

from __future__ import annotations

from domain import commands, events
from domain.errors import Refused
from domain.match.course import Course
from domain.table import decide as table
from domain.table.phases import AWAITING_BOARD


def share_deal(course: Course, command: commands.ShareDeal) -> None:
    """Say whose dice the match is played with.

    Raises:
        Refused: `not_allowed`, `wrong_phase`.
    """
    _check_board(course, command.board)
    if course.match.ceremony is not None:
        raise Refused("wrong_phase", why="it is known whose dice these are")
    course.add(events.DealShared(command.deal, command.board, command.root, command.mix, command.head))


def release_round(course: Course, command: commands.ReleaseRound) -> None:
    """Judge a round that is over at all tables.

    Raises:
        Refused: `not_allowed`, `wrong_phase`.
    """
    _check_board(course, command.board)
    state = course.match.table
    if state is None or state.phase != AWAITING_BOARD:
        raise Refused("wrong_phase", phase="lobby" if state is None else state.phase)
    released = events.Released(command.board, command.seq, command.head)
    course.add(*table.release_events(state, released, course.dealer))


def _check_board(course: Course, board: str) -> None:
    if course.match.settings.board is None or course.match.settings.board.id != board:
        raise Refused("not_allowed", why="this match has no dice of this board")
