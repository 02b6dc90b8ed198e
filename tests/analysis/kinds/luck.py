"""The split of what a whole small match brought each seat."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from domain.analysis.figures import ppm_of
from domain.analysis.worths.equity import all_worths, decide, public_worths, seat_worth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import RoundOfLuck, Swing, luck_of
from domain.analysis.worths.scenes import Dice, Sampling, Scene
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.folding.bidding import LevelOne, bidding_of
from domain.strategy.folding.verdicts import stakes_by
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.tables import MatchTable
from domain.table import judging
from domain.table.evolve import evolve
from domain.table.state import State
from tests.analysis.kinds.posteriors import begun
from tests.analysis.kinds.rounds import answer_of, near
from tests.analysis.positions import counting_rules, event_of, opened

PARTS = ("start", "table", "own", "theirs", "skill", "unseen", "others", "end")


class Played:
    """A match of a case, round by round."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.has = {int(seat): dice for seat, dice in case["start"].items()}
        self.seats = tuple(self.has)
        self.rules = counting_rules(case["rules"], max(self.has.values()))
        self.rounds: list[RoundOfLuck] = []
        self.loss = dict.fromkeys(self.seats, Fraction(0))
        self.state = replace(opened(self.rules, self.has, self.seats), places={})
        self.start = self.worths(self.state)
        for each in case["rounds"]:
            self.play(each)

    def worths(self, state: State) -> dict[Seat, Fraction]:
        return dict(zip(self.seats, MatchTable(state).worths(state), strict=True))

    def play(self, each: dict[str, Any]) -> None:
        dice = {int(seat): tuple(hand) for seat, hand in each["dealt"].items()}
        order, params = [int(seat) for seat in each["order"]], LEVEL_ONE.with_power(self.case["power"])
        state = replace(
            opened(self.rules, {seat: len(dice[seat]) for seat in order}, order), balances=self.state.balances
        )
        state = replace(state, out=tuple(seat for seat in self.seats if seat not in order), seats=state.seats)
        bidding = bidding_of(state, LevelOne(params))
        reading = begun({**self.case, **each}, self.rules.tokens.faces, {seat: len(dice[seat]) for seat in order})
        stakes = stakes_by(bidding, MatchTable(state))
        scene = Scene(stakes, state, reading.beliefs, 0, Sampling("", ""))
        first, swings = scene, []
        before = self.worths(self.state)
        for seat, move in each["actions"]:
            swing, scene, reading = self.act(scene, reading, dice, int(seat), move)
            swings.append(swing)
        self.rounds.append(
            RoundOfLuck(
                {seat: Estimate(before[seat]) for seat in order},
                public_worths(first),
                {seat: seat_worth(first, seat, dice[seat]) for seat in order},
                all_worths(first, dice),
                tuple(swings),
            )
        )

    def act(self, scene: Scene, reading: Any, dice: Dice, seat: Seat, move: Any) -> Any:
        decided = decide(scene, seat, dice[seat], answer_of(move))
        self.loss[seat] += decided.loss.value
        event = event_of(seat, move)
        reading = reading.after(scene.state, event)
        if move == "challenge":
            after = self.judge(scene, dice, seat)
            return Swing(after, decided=seat, skill=decided.skill), scene, reading
        then = replace(scene, state=evolve(scene.state, event), beliefs=reading.beliefs)
        return Swing(all_worths(then, dice), decided=seat, skill=decided.skill), then, reading

    def judge(self, scene: Scene, dice: Dice, doubter: Seat) -> dict[Seat, Estimate]:
        state, standing = scene.state, scene.state.round.standing
        assert isinstance(standing, Count)
        faces = [face for hand in dice.values() for face in hand]
        count = sum(face == standing.face or (face == 1 and state.wild) for face in faces)
        verdict = judging.test_verdict(state, (doubter,), "challenge", holds=count >= standing.quantity, count=count)
        settled = judging.settled(state, verdict)
        self.state = replace(settled, seats=self.seats)
        return {seat: Estimate(worth) for seat, worth in self.worths(self.state).items()}


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    played = Played(case)
    end = played.worths(played.state)
    for seat in played.seats:
        luck = luck_of(seat, played.start[seat], end[seat], played.rounds)
        found = {name: getattr(luck, name) for name in PARTS}
        assert sum(found[name] for name in PARTS[1:-1]) == luck.end - luck.start
        assert not luck.half
        near({**found, "loss": ppm_of(played.loss[seat])}, case["expect"][str(seat)])
