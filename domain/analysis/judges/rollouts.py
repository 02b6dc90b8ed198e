"""Rounds judged by rollouts: what every moment and every move was worth where a round cannot be folded back.

Nothing here knows a game. What a seat could have done is what level 1 thinks of.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from msgspec import structs

from domain import commands
from domain.analysis.figures import Figure, Printed, exact
from domain.analysis.judges.doings import Doing, command_of, deed_of
from domain.analysis.judges.surprises import surprise_of, surprise_without_dice
from domain.analysis.judges.telling import (
    DecisionSum,
    Grounds,
    JudgedDecision,
    judged_decision,
    stake_figure,
    told_moment,
)
from domain.analysis.judges.ways import way_of
from domain.analysis.odds.chances import chance_of_claim
from domain.analysis.readings import Reading
from domain.analysis.record.following import FollowedRound
from domain.analysis.record.viewpoints import Viewpoints
from domain.analysis.report import ToldEquity
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import Swing
from domain.analysis.worths.rolled import (
    Hands,
    RolledScene,
    RolloutMeans,
    rolled_moment,
    worths_of_challenging,
    worths_of_tests,
)
from domain.analysis.worths.rolled_decisions import rolled_decision
from domain.errors import Refused
from domain.ids import Seat, Version
from domain.strategy.knowledge import Knowledge
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.thoughts import Thoughts
from domain.strategy.sight import Sight
from domain.strategy.tables import Worths
from domain.table.checks import seat_of
from domain.table.state import State

MOVES_MAX: Final = 6
"""Moves of a decision that are played on, the likeliest of those thought of, beside the one that was made."""
Moves = list[tuple[commands.Play | None, int]]
"""Moves, each with how likely the policy makes it; None for waiting."""


class RollJudge:
    """Judges the doings of a round, in their order.

    Attributes:
        seats: Who plays it.
    """

    def __init__(self, played: FollowedRound, by: RolloutMeans, params: LevelParams) -> None:
        """Judge a round that was dealt by what seats play by after it."""
        dealt = played.as_dealt
        self.seats: tuple[Seat, ...] = dealt.new.remaining
        self._dealt, self._by, self._params = dealt, by, params
        # What is at stake is what everybody may know of it: a verdict that hidden dice led to has no say in it.
        self._ends: list[Worths] = worths_of_tests(dealt.new, by.table)
        self._lifted: list[Worths] = [by.table.worths(played.steps[-1].new)]

    def _scene(self, state: State, version: Version, views: Viewpoints, hands: Hands) -> RolledScene:
        reach = {seat: self._reach(seat) for seat in self.seats}
        return RolledScene(state, version, self.seats, views.dice, views.untold, hands, self._by, reach)

    # ---- moments --------------------------------------------------------------------------------

    def moment(self, doing: Doing, reading: Reading) -> MomentWorth:
        """Return what the position is worth after a doing."""
        found = rolled_moment(self._scene(doing.last.new, doing.last.version, doing.last.views, reading.hands))
        if doing.first is self._dealt:
            self._ends += found.public
            self._lifted += found.lifted
        return found.worth

    def told(self, moment: MomentWorth) -> ToldEquity:
        """Return the figures of what a moment is worth."""
        brought = [*self._ends, *self._lifted]
        places = [self._place(seat) for seat in self.seats]
        return told_moment(moment, [sum([worths[place] for place in places], Fraction(0)) for worths in brought])

    def stake_of(self, seat: Seat) -> Fraction:
        """Return what a verdict can bring or cost a seat, by those everybody could reckon with once it was dealt."""
        least, most = self._reach(seat)
        return most - least

    def _reach(self, seat: Seat) -> tuple[Fraction, Fraction]:
        found = [worths[self._place(seat)] for worths in self._ends]
        return min(found), max(found)

    def stake(self, seat: Seat) -> Printed:
        """Return it as it is told."""
        return stake_figure(self.stake_of(seat))

    def _place(self, seat: Seat) -> int:
        return self._dealt.new.seats.index(seat)

    # ---- decisions ------------------------------------------------------------------------------

    def decision(self, doing: Doing, reading: Reading, known: Grounds) -> JudgedDecision | None:
        """Return what is said of what a seat did; None where its dice are not told, or only dice said that it could."""
        step = doing.first
        seat, scene = step.seat, self._scene(step.old, step.version - 1, doing.before, reading.hands)
        own = None if seat is None else scene.seen_by(seat)
        made = None if own is None else command_of(doing)
        if seat is None or own is None or made is None or step.version <= self._dealt.version:
            return None
        moves, total = self._moves(Sight(step.old, seat, own), made)
        try:
            found = rolled_decision(scene, seat, moves, [move for move, _ in moves].index(made), total)
        except Refused:
            return None
        ways = [way_of(move, weight) for move, weight in moves]
        odds, surprise = self._odds(step.old, seat, known.own), self._surprise(doing, scene, made).figure
        grounds = structs.replace(known, odds=odds, surprise=surprise, total=total)
        judged = judged_decision(step, ways, found, self.stake_of(seat), grounds)
        # What is told of one decision is certain; what is added up is fair, and so is below nothing where chance is.
        return structs.replace(judged, worth=DecisionSum(found.lead, found.skill))

    def _surprise(self, doing: Doing, scene: RolledScene, made: commands.Play) -> Estimate:
        """Return how likely everybody took the move to be that a seat made; that of one out of turn nobody foresees."""
        state, seat = scene.state, seat_of(made)
        if seat != state.turn:
            return Estimate(Fraction(0))
        place, deed = state.place_of(seat), deed_of(doing)
        if place is None or deed is None or seat not in place.knowers:
            return surprise_without_dice(state, seat, made, self._params)
        thoughts = Thoughts(state, seat, place.cup, self._params)
        return surprise_of(thoughts, deed, scene.hands(place.cup, None), scene.words("public", "surprise"))

    def _odds(self, state: State, seat: Seat, own: Knowledge) -> Figure | None:
        """Return what challenging is worth to a seat by odds alone; None where that cannot be told."""
        brings = worths_of_challenging(state, seat, self._by.table)
        standing, claimant = state.round.standing, state.round.claimant
        if brings is None or standing is None or claimant is None or state.round.passer is not None:
            return None
        chance = chance_of_claim(state, standing, claimant, own)
        return exact(chance * brings[0] + (1 - chance) * brings[1])

    def _moves(self, sight: Sight, made: commands.Play) -> tuple[Moves, int]:
        """Return the moves that are likeliest, in the order of the house's offers, with the one that was made.

        Beside them stands how likely the policy makes all that it thinks of.
        """
        if sight.seat != sight.state.turn:
            # Nobody is foreseen to act out of turn.
            return [(made, 0), (None, 1)], 1
        options = [(option.command, option.weight) for option in weigh(sight, self._params).options]
        order = sorted(range(len(options)), key=lambda option: (-options[option][1], option))
        kept = set(order[:MOVES_MAX])
        found: Moves = [each for number, each in enumerate(options) if number in kept or each[0] == made]
        if not any(move == made for move, _ in found):
            found.append((made, 0 if found else 1))
        return found, sum([weight for _, weight in options]) or 1

    # ---- luck -----------------------------------------------------------------------------------

    def swings(self, doing: Doing, after: Mapping[Seat, Estimate], decision: JudgedDecision | None) -> list[Swing]:
        """Return what a doing made of the round by all dice: what was decided, and the roll that it led to."""
        step = doing.first
        seat = None if step.clock else step.seat
        skill = Estimate(Fraction(0)) if decision is None else decision.worth.skill
        if step.seat is None or doing.rolled is None:
            return [Swing(after, seat, None, skill)]
        dice = doing.before.dice
        scene = self._scene(step.old, step.version - 1, doing.before, lambda cup, _seat: {dice[cup]: 1})
        made = command_of(doing)
        if scene.lifted is None or made is None:
            return [Swing(after)]
        try:
            ends = scene.ends({}, None, scene.words("rolled"), (made,))[0]
        except Refused:
            return [Swing(after)]
        return [Swing(scene.estimates(ends), seat, None, skill), Swing(after, None, step.seat)]
