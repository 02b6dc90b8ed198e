"""Passed cups judged that fold: what every moment and every move was worth, if everybody goes on as level 1.

Nothing is drawn: throws are gone through one by one. What lies in the cup is known to those who have looked, and read
by the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from domain import commands
from domain.analysis.figures import Figure, Printed, exact, model, ppm_of
from domain.analysis.judges.cup_decisions import CupOption, cup_decision
from domain.analysis.judges.doings import Doing, command_of
from domain.analysis.judges.telling import Grounds, JudgedDecision, stake_figure, told_moment
from domain.analysis.odds.chances import chance_of_claim
from domain.analysis.readings import Reading
from domain.analysis.record.following import FollowedRound
from domain.analysis.record.viewpoints import Viewpoints
from domain.analysis.report import ToldEquity
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import Swing
from domain.analysis.worths.passed import CupVerdicts
from domain.ids import Face, Seat
from domain.strategy.folding.passed_cups import PART_BITS, CupFold, Ending, cup_fold_of
from domain.strategy.knowledge import Knowledge
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LevelParams
from domain.strategy.sight import Sight
from domain.strategy.tables import MatchTable
from domain.table.phases import RESPONDING, TO_ROLL
from domain.table.state import PASSED_CUP, State

Likely = Mapping[tuple[Face, ...], int]
"""How likely dice lie in the cup, an integer beside others."""
HERE: Final = frozenset({PASSED_CUP})


class PassedJudge:
    """Judges the doings of a round, in their order.

    Attributes:
        seats: Who plays it.
    """

    def __init__(self, played: FollowedRound, table: MatchTable, params: LevelParams) -> None:
        """Judge a round that was dealt by what seats play by after it."""
        dealt = played.as_dealt
        self.seats: tuple[Seat, ...] = dealt.new.remaining
        self._began, self._params = dealt.version, params
        self._fold: CupFold = cup_fold_of(dealt.new.rules, len(self.seats), params)
        self._verdicts = CupVerdicts(dealt.new, self._fold, table)

    def _estimates(self, endings: tuple[Ending, ...]) -> dict[Seat, Estimate]:
        return {seat: Estimate(worth) for seat, worth in self._verdicts.brought(endings).items()}

    # ---- moments --------------------------------------------------------------------------------

    def moment(self, doing: Doing, reading: Reading) -> MomentWorth:
        """Return what the position is worth after a doing."""
        state, views = doing.last.new, doing.last.views
        if state.phase == TO_ROLL:
            thrown = self._worth(state, self._fold.whatever)
            return MomentWorth(thrown, thrown, thrown)
        public = self._worth(state, reading.hands(PASSED_CUP, None))
        found = {seat: self.likely(state, seat, views, reading) for seat in self.seats}
        seats = {seat: self._worth(state, likely)[seat] for seat, likely in found.items() if likely is not None}
        dice = views.dice.get(PASSED_CUP)
        return MomentWorth(public, seats, None if dice is None else self._worth(state, {dice: 1}))

    def _worth(self, state: State, likely: Likely) -> dict[Seat, Estimate]:
        return self._estimates(self._fold.endings(state, likely))

    def likely(self, state: State, seat: Seat, views: Viewpoints, reading: Reading) -> Likely | None:
        """Return what a seat knows or reads of the cup; None where the record does not open what it knew.

        Of dice that are about to be thrown anew it goes by nothing.
        """
        if state.phase == TO_ROLL:
            return self._fold.whatever
        if views.of(seat, HERE) is None:
            return None
        return {views.dice[PASSED_CUP]: 1} if _knows(state, seat) else reading.hands(PASSED_CUP, seat)

    def told(self, moment: MomentWorth) -> ToldEquity:
        """Return the figures of what a moment is worth."""
        return told_moment(moment, [sum([*brings.values()], Fraction(0)) for brings in self._verdicts.every.values()])

    def stake_of(self, seat: Seat) -> Fraction:
        """Return what a verdict can bring or cost a seat."""
        found = [brings[seat] for brings in self._verdicts.every.values()]
        return max(found) - min(found)

    def stake(self, seat: Seat) -> Printed:
        """Return it as it is told."""
        return stake_figure(self.stake_of(seat))

    # ---- decisions ------------------------------------------------------------------------------

    def decision(self, doing: Doing, reading: Reading, known: Grounds) -> JudgedDecision | None:
        """Return what is said of what a seat did; None where its dice are not told, or it only began the round."""
        step, seat, state = doing.first, doing.first.seat, doing.first.old
        if seat is None or seat != state.turn or step.version <= self._began:
            return None
        likely, made = self.likely(state, seat, doing.before, reading), command_of(doing)
        if likely is None or made is None:
            return None
        options = self.options(state, seat, likely, made)
        surprise = model(ppm_of(self._surprise(doing, made, reading)))
        grounds = replace(known, odds=self._odds(state, seat, known.own), surprise=surprise)
        return cup_decision(step, options, made, self.stake_of(seat), grounds)

    def options(self, state: State, seat: Seat, likely: Likely, made: commands.Play | None = None) -> list[CupOption]:
        """Return the moves that are thought of, and the one that was made, each with its weight and worth.

        They stand in the order of the house's offers.
        """
        moves = self._moves(state, seat, likely, made)
        return [
            (move, weight, self._estimates(self._fold.endings_after(state, move, likely))[seat])
            for move, weight in moves.items()
        ]

    def _moves(self, state: State, seat: Seat, likely: Likely, made: commands.Play | None) -> dict[commands.Play, int]:
        dice = next(iter(likely))
        sight = Sight(state, seat, {PASSED_CUP: dice} if _knows(state, seat) else {})
        options = weigh(sight, self._params).options
        if made is None:
            return {option.command: option.weight for option in options}
        deed = self._fold.deed_of(state, made, dice)
        moves = {}
        for option in options:
            # Of dice that show the same it is nothing which of them are thrown.
            same = self._fold.deed_of(state, option.command, dice) == deed
            moves[made if same else option.command] = option.weight
        return moves if made in moves else {**moves, made: 0}

    def _surprise(self, doing: Doing, made: commands.Play, reading: Reading) -> Fraction:
        """Return how likely the public took a move to be: of dice that are thrown anew it sees how many they are."""
        state, likely = doing.first.old, reading.hands(PASSED_CUP, None)
        parts = [chance * self._fold.likelihood(state, made, dice) for dice, chance in likely.items()]
        return Fraction(sum(parts), sum([*likely.values()]) << PART_BITS)

    def _odds(self, state: State, seat: Seat, own: Knowledge) -> Figure | None:
        """Return what challenging is worth to a seat by odds alone; None where it may not."""
        standing, claimant = state.round.standing, state.round.claimant
        if state.phase != RESPONDING or standing is None or claimant is None:
            return None
        chance = chance_of_claim(state, standing, claimant, own)
        return exact(self._verdicts.challenged(claimant, chance)[seat])

    # ---- luck -----------------------------------------------------------------------------------

    def swings(self, doing: Doing, after: Mapping[Seat, Estimate], decision: JudgedDecision | None) -> list[Swing]:
        """Return what a doing made of the round by all dice: what was decided, and the roll that it led to."""
        step, state = doing.first, doing.first.old
        seat = None if step.clock else step.seat
        skill = Estimate(Fraction(0)) if decision is None else decision.worth.skill
        if step.seat is None or doing.rolled is None:
            return [Swing(after, seat, None, skill)]
        dice, made = doing.before.dice.get(PASSED_CUP), command_of(doing)
        likely = self._fold.whatever if state.phase == TO_ROLL else None if dice is None else {dice: 1}
        if likely is None or made is None:
            return [Swing(after)]
        decided = self._estimates(self._fold.endings_after(state, made, likely))
        return [Swing(decided, seat, None, skill), Swing(after, None, step.seat)]


def _knows(state: State, seat: Seat) -> bool:
    """Report whether a seat knows the dice in the cup."""
    return state.phase != TO_ROLL and seat in state.places[PASSED_CUP].knowers
