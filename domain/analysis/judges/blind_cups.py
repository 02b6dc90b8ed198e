"""Blind cups judged: what every moment and every move of two seats was worth, by the tablebase of their cup.

Nothing is drawn. What a claim is worth to whoever hears it hangs on what is read of the dice; where that is the
tablebase's own reading, and no throw ends a round unlost, every worth is proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct, structs

from domain import commands, events
from domain.analysis.figures import Figure, Printed, exact, model, ppm_of
from domain.analysis.judges.cup_decisions import CupOption, cup_decision
from domain.analysis.judges.doings import Doing, command_of
from domain.analysis.judges.telling import Grounds, JudgedDecision, stake_figure, told_moment
from domain.analysis.odds.chances import chance_of_claim
from domain.analysis.readings import CupReading, Reading
from domain.analysis.record.following import FollowedRound
from domain.analysis.report import ToldEquity
from domain.analysis.worths.blind import CupStakes, cup_worths
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import Swing
from domain.ids import Face, Seat, Version
from domain.rules.ladders import NOTHING, Hand
from domain.strategy.duels.blind_cup import BlindCup, declared, lowest_after, weigh_cup
from domain.strategy.knowledge import NOTHING as KNOWS_NOTHING
from domain.strategy.sight import Sight
from domain.strategy.tables import Worths
from domain.table.phases import HOLDING, RESPONDING
from domain.table.state import PASSED_CUP, State


class Stand(Struct, frozen=True):
    """Where a round stands.

    Attributes:
        state: The game.
        claims: The rungs that were claimed so far.
        dice: Those in the cup, if the record opens them.
    """

    state: State
    claims: tuple[int, ...]
    dice: tuple[Face, ...] | None


class CupJudge:
    """Judges the doings of a round, in their order.

    Attributes:
        seats: Who plays it.
    """

    def __init__(self, played: FollowedRound, cup: BlindCup, stakes: CupStakes) -> None:
        """Judge a round that was dealt."""
        self.seats: tuple[Seat, ...] = stakes.seats
        self._cup, self._stakes, self._worths = cup, stakes, cup_worths(cup, stakes)
        self._began = played.as_dealt.version
        self._events = [(step.version, step.event) for step in played.steps]

    def claims(self, version: Version) -> tuple[int, ...]:
        """Return the rungs that were claimed up to a version."""
        return self._cup.rungs_of(event for at, event in self._events if at <= version)

    def _place(self, seat: Seat | None) -> int:
        assert seat is not None, "somebody is in turn until the verdict"
        return self.seats.index(seat)

    def _estimate(self, worth: Fraction, *, proved: bool = True) -> Estimate:
        return Estimate(worth, None, self._worths.proved if proved else None)

    # ---- moments --------------------------------------------------------------------------------

    def moment(self, doing: Doing, reading: Reading) -> MomentWorth:
        """Return what the position is worth after a doing."""
        last = doing.last
        stand = Stand(last.new, self.claims(last.version), last.views.dice.get(PASSED_CUP))
        return self._moment(stand, reading)

    def _moment(self, stand: Stand, reading: Reading) -> MomentWorth:
        state = stand.state
        if state.phase == RESPONDING:
            assert isinstance(reading, CupReading), "a blind cup is read by its tablebase"
            true, proved = reading.truth_of(stand.claims[-1], None), reading.is_by_table
            holds, falls = (self._after_claim(stand, holds=each) for each in (True, False))
            public = tuple([true * one + (1 - true) * other for one, other in zip(holds, falls, strict=True)])
            known = None if stand.dice is None else self._after_claim(stand, holds=self._holds(stand, stand.dice))
            return self._told(public, known, state.round.claimant, proved=proved)
        lowest, place = lowest_after(stand.claims), self._place(state.turn)
        public = self._worths.before_throw(lowest, place)
        if state.phase != HOLDING:
            return self._told(public, public, state.turn, proved=True)
        rung = None if stand.dice is None else self._cup.rung_of(stand.dice)
        known = None if rung is None else self._worths.after_throw(lowest, place, rung)
        return self._told(public, known, state.turn, proved=True)

    def _told(self, public: Worths, known: Worths | None, thrower: Seat | None, *, proved: bool) -> MomentWorth:
        """Return what a moment is worth by what everybody knows, and by the dice, which who threw them knows."""
        open_ = {seat: self._estimate(worth, proved=proved) for seat, worth in zip(self.seats, public, strict=True)}
        if known is None:
            return MomentWorth(open_, {seat: each for seat, each in open_.items() if seat != thrower}, None)
        lifted = {seat: self._estimate(worth) for seat, worth in zip(self.seats, known, strict=True)}
        return MomentWorth(open_, {seat: (lifted if seat == thrower else open_)[seat] for seat in self.seats}, lifted)

    def _after_claim(self, stand: Stand, *, holds: bool) -> Worths:
        place, lowest = self._place(stand.state.round.claimant), lowest_after(stand.claims[:-1])
        return self._worths.after_claim(lowest, place, stand.claims[-1], holds=holds)

    def _holds(self, stand: Stand, dice: Sequence[Face]) -> bool:
        return self._cup.rung_of(dice) >= stand.claims[-1]

    def told(self, moment: MomentWorth) -> ToldEquity:
        """Return the figures of what a moment is worth."""
        return told_moment(moment, [sum(worths, Fraction(0)) for worths in self._ends])

    @property
    def _ends(self) -> tuple[Worths, ...]:
        return self._stakes.every if self._cup.voids else self._stakes.won

    def stake_of(self, seat: Seat) -> Fraction:
        """Return what a verdict can bring or cost a seat."""
        found = [worths[self._place(seat)] for worths in self._ends]
        return max(found) - min(found)

    def stake(self, seat: Seat) -> Printed:
        """Return it as it is told."""
        return stake_figure(self.stake_of(seat))

    # ---- decisions ------------------------------------------------------------------------------

    def decision(self, doing: Doing, reading: Reading, known: Grounds) -> JudgedDecision | None:
        """Return what is said of what a seat did; None where its dice are not told, or it only began the round."""
        step, seat = doing.first, doing.first.seat
        made, dice = command_of(doing) if seat is not None else None, doing.before.dice.get(PASSED_CUP)
        stand = Stand(step.old, self.claims(step.version - 1), dice)
        if seat is None or made is None or step.version <= self._began:
            return None
        options = self.options(stand, seat, reading)
        if made not in [move for move, _, _ in options]:
            return None
        surprise = model(ppm_of(self._surprise(made, stand)))
        grounds = structs.replace(known, odds=self._odds(stand, seat), surprise=surprise)
        return cup_decision(step, options, made, self.stake_of(seat), grounds)

    def options(self, stand: Stand, seat: Seat, reading: Reading) -> list[CupOption]:
        """Return what the seat in turn can do, with its weight and worth, in the order of the house's offers.

        There is none where the seat has thrown, and its dice are not known.
        """
        moves = self._moves(stand, seat)
        return [(move, weight, self._worth(move, stand, seat, reading)) for move, weight in moves.items()]

    def _moves(self, stand: Stand, seat: Seat) -> dict[commands.Play, int]:
        """Return the moves a seat can make with their weights, in the order of the house's offers; none if unknown."""
        state, hands = stand.state, self._cup.throw.ladder.hands
        if state.phase not in {HOLDING, RESPONDING}:
            return {commands.Roll(seat): 1}
        if state.phase == HOLDING and stand.dice is None:
            return {}
        sight = Sight(state, seat, {} if stand.dice is None else {PASSED_CUP: stand.dice})
        weighing = weigh_cup(self._cup, sight, stand.claims)
        weights = {} if weighing is None else {option.command: option.weight for option in weighing.options}
        every: list[commands.Play] = [commands.Challenge(seat), commands.Accept(seat)]
        if state.phase == HOLDING:
            every = [commands.ClaimHand(seat, each.shape, each.faces) for each in hands[lowest_after(stand.claims) :]]
            voids = self._cup.voids and stand.dice is not None and self._cup.rung_of(stand.dice) == NOTHING
            every += [declared(state, seat, stand.dice)] if voids and stand.dice is not None else []
        elif stand.claims[-1] == self._cup.top:
            every.pop()
        return {move: weights.get(move, 0) for move in every}

    def _worth(self, move: commands.Play, stand: Stand, seat: Seat, reading: Reading) -> Estimate:
        """Return what a move is worth to its seat."""
        place, lowest = self._place(seat), lowest_after(stand.claims)
        match move:
            case commands.ClaimHand(shape=shape, faces=faces):
                assert stand.dice is not None, "who claims knows its dice"
                claim = self._cup.throw.ladder.rungs[Hand(shape, faces)]
                holds = self._cup.rung_of(stand.dice) >= claim
                return self._estimate(self._worths.after_claim(lowest, place, claim, holds=holds)[place])
            case commands.Challenge():
                assert isinstance(reading, CupReading), "a blind cup is read by its tablebase"
                true = reading.truth_of(stand.claims[-1], seat)
                return self._estimate(self._worths.challenged(1 - place, true)[place], proved=reading.is_by_table)
            case commands.Declare():
                return self._estimate(self._stakes.void[place][place])
            case _:
                return self._estimate(self._worths.before_throw(lowest, place)[place])

    def _surprise(self, made: commands.Play, stand: Stand) -> Fraction:
        """Return how likely the public took a move to be, by the tablebase."""
        base, claims = self._cup.base, stand.claims
        match made:
            case commands.ClaimHand(shape=shape, faces=faces):
                row = self._cup.throw.ladder.rungs[Hand(shape, faces)] - lowest_after(claims)
                shares = [self._cup.calls(claims, throw - 1)[row] for throw in range(len(base.chances))]
                return sum([one * two for one, two in zip(base.chances, shares, strict=True)], Fraction(0))
            case commands.Challenge():
                return self._cup.doubt(claims)
            case commands.Accept():
                return 1 - self._cup.doubt(claims)
            case commands.Declare():
                return base.chances[0]
            case _:
                return Fraction(1)

    def _odds(self, stand: Stand, seat: Seat) -> Figure | None:
        """Return what challenging is worth to a seat by odds alone; None where it may not."""
        now = stand.state.round
        if stand.state.phase != RESPONDING or now.standing is None or now.claimant is None:
            return None
        chance = chance_of_claim(stand.state, now.standing, now.claimant, KNOWS_NOTHING)
        return exact(self._worths.challenged(self._place(now.claimant), chance)[self._place(seat)])

    # ---- luck -----------------------------------------------------------------------------------

    def swings(self, doing: Doing, after: Mapping[Seat, Estimate], decision: JudgedDecision | None) -> list[Swing]:
        """Return what a doing made of the round by all dice: what was decided, or what was thrown."""
        step = doing.first
        if isinstance(step.event, events.Rolled):
            return [Swing(after, None, step.seat)]
        skill = Estimate(Fraction(0)) if decision is None else decision.worth.skill
        return [Swing(after, None if step.clock else step.seat, None, skill)]
