"""Slips: printed numbers that are played in an order nobody can plan on.

Source: Salomon 1986. After a round the seats say whether the last digit they played is odd; as many unplayed numbers as
there are odd digits are skipped, going down the slip and from its end to its top.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from domain import events
from domain.ids import Seat
from domain.table.dealer import Dealer
from domain.table.dice import deal_events
from domain.table.evolve import evolve
from domain.table.interlude import Interlude, InterludeCommand, InterludeEvent
from domain.table.judging import values_of
from domain.table.phases import BETWEEN_ROUNDS
from domain.table.state import MatchMemory, State


class Slip(MatchMemory, frozen=True):
    """Where every slip of the table stands, for all stay in step.

    Attributes:
        position: The position played now, from 1.
        played: The positions played before.
        odd: The seats whose last digit was odd in the last round.
    """

    position: int
    played: tuple[int, ...] = ()
    odd: tuple[Seat, ...] = ()


class SlipsDealt(InterludeEvent, frozen=True, tag="game.slips_dealt"):
    """Every seat has a new slip. A number of it is rolled when its position comes up; before that nobody has it."""

    of_table: ClassVar[bool] = True

    def change(self, state: State) -> State:
        """Return the game with every slip at its top."""
        return state.remember(Slip(1))


class SlipAdvanced(InterludeEvent, frozen=True, tag="game.slip_advanced"):
    """One more number of the slips has been played.

    Attributes:
        odd: The seats that had an odd last digit.
        position: The position to play next, from 1; null when the slip is finished.
    """

    odd: tuple[Seat, ...]
    position: int | None

    def change(self, state: State) -> State:
        """Return the game with one more number of the slip played."""
        slip = state.remembered(Slip)
        assert slip is not None, "there are slips"
        # A finished slip keeps its position, but the number just played joins those played: that is what makes new
        # slips due.
        return state.remember(Slip(self.position or slip.position, (*slip.played, slip.position), self.odd))


class DealSlips(InterludeCommand, frozen=True, tag="deal_slips"):
    """Give every seat a new slip, and begin the next round with its first number."""

    of_table: ClassVar[bool] = True

    @classmethod
    def refusal(cls, state: State, seat: Seat) -> str | None:
        """Return `wrong_phase` unless a slip is due between two rounds."""
        return None if state.phase == BETWEEN_ROUNDS and needs_slips(state) else "wrong_phase"

    def happenings(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield the new slips and the beginning of the round."""
        new = SlipsDealt()
        yield new
        yield from deal_events(evolve(state, new), dealer)


class Slips(Interlude, frozen=True, tag=True):
    """Numbers come on slips, which are played in an order nobody can plan on. Source: Salomon 1986.

    Attributes:
        length: Numbers on a slip.
        plays: How many of them are played.
        final_double: Whether the last of these is played for twice the stake.
    """

    length: int
    plays: int
    final_double: bool

    command_types: ClassVar[tuple[type[InterludeCommand], ...]] = (DealSlips,)
    event_types: ClassVar[tuple[type[InterludeEvent], ...]] = (SlipsDealt, SlipAdvanced)

    def deal_refusal(self, state: State) -> str | None:
        """Return `slip_finished` once all its numbers are played, `wrong_phase` before the first slips."""
        # Nothing is finished yet then: the table has only asked for the wrong one of its two commands.
        due = "wrong_phase" if state.remembered(Slip) is None else "slip_finished"
        return due if needs_slips(state) else None

    def deal_command(self, state: State) -> DealSlips | None:
        """Return the deal of new slips where they are due."""
        return DealSlips() if needs_slips(state) else None

    def after_verdict(self, state: State, dealer: Dealer) -> Iterator[events.TableEvent]:
        """Yield where the slips go on, which the last digits of all seats decide."""
        slip = state.remembered(Slip)
        if slip is None:
            return
        # "0 is even", and a digit is its value, so no face has to be reckoned. Only whether it is odd is told, and the
        # digit stays hidden.
        odd = tuple(seat for seat in state.remaining if values_of(state.places[seat], state, dealer)[-1] % 2)
        played = (*slip.played, slip.position)
        ended = len(played) >= self.plays
        yield SlipAdvanced(odd, None if ended else next_position(self.length, slip.position, played, len(odd)))

    def stake_factor(self, state: State) -> int:
        """Return two before the last number of a slip, where that is played for double."""
        slip = state.remembered(Slip)
        # This is asked of the game as it was before the slip advanced: the number just played is not among those
        # played, and neither is the last one, for which the stake is set here.
        return 2 if self.final_double and slip is not None and len(slip.played) + 2 == self.plays else 1


def needs_slips(state: State) -> bool:
    """Report whether new slips have to be dealt before the next round."""
    slips, slip = state.interlude(Slips), state.remembered(Slip)
    return slips is not None and (slip is None or len(slip.played) >= slips.plays)


def next_position(length: int, current: int, played: Collection[int], skipped: int) -> int | None:
    """Return the position to play next, from 1; None when every number has been played.

    Args:
        length: How many numbers a slip has.
        current: The position just played.
        played: Every position played so far, this one among them.
        skipped: How many unplayed numbers to pass over; beyond the last it goes on from the top.
    """
    down = (*range(current + 1, length + 1), *range(1, current + 1))
    # "If k exceeds what is left keep cycling (index k mod number left)" (Salomon 1986).
    left = [position for position in down if position not in played]
    return left[skipped % len(left)] if left else None
