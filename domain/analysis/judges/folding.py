"""Rounds judged: what every moment was worth, and what every move was beside the best, by what its seat could know.

Source: the worths are those of `domain.analysis.worths`; names and marks of decisions those of
`domain.analysis.grades.decisions`. How a round that does not fold is judged stands in
`domain.analysis.judges.rollouts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.analysis.figures import Figure, Printed, exact, model, ppm_of
from domain.analysis.judges.doings import Doing
from domain.analysis.judges.telling import Grounds, JudgedDecision, judged_decision, told_moment
from domain.analysis.judges.ways import way_answered
from domain.analysis.odds import chances
from domain.analysis.readings import CountReading, Reading
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.report import ToldEquity
from domain.analysis.worths import equity
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import PerSeat, Swing
from domain.analysis.worths.scenes import Sampling, Scene
from domain.ids import Face, Seat, Version
from domain.rules.orders import Count
from domain.strategy.duels.best_reply import Guarantees
from domain.strategy.folding.bidding import RoundPolicy, bidding_of
from domain.strategy.folding.fold_back import Evaluator, fold_back
from domain.strategy.folding.verdicts import AtStake, SettledVerdicts
from domain.strategy.level_one.count_table import Answer
from domain.strategy.tables import MatchTable, Worths
from domain.table.state import State


class Assumed(Struct, frozen=True):
    """What a round is judged by.

    Attributes:
        policy: How everybody plays from now on.
        table: What states between rounds are worth.
        sampling: How deals are drawn.
        evaluate: What folds deals back.
        proved: What the round is proved to be worth to its opener, +1 won and -1 lost; None where nothing is.
    """

    policy: RoundPolicy
    table: MatchTable
    sampling: Sampling
    evaluate: Evaluator = fold_back
    proved: Guarantees | None = None


class FoldJudge:
    """Judges the doings of a round that folds, in their order.

    Attributes:
        stakes: What its verdicts are worth.
        seats: Who plays it.
        dice: The hidden dice of each seat that the record opens.
    """

    def __init__(self, played: FollowedRound, assumed: Assumed) -> None:
        """Survey the round. Cost: every position that the policy thinks of."""
        dealt = played.as_dealt
        self._assumed, self._dealt = assumed, dealt
        bids = [(step.version, step.event) for step in played.steps]
        self._bids = [(version, _count(bid)) for version, bid in bids if isinstance(bid, events.Bid)]
        bidding = bidding_of(dealt.new, assumed.policy, tuple([bid for _, bid in self._bids]))
        self._verdicts = SettledVerdicts(bidding, assumed.table)
        self.stakes = AtStake(bidding, self._verdicts)
        self.seats: tuple[Seat, ...] = bidding.seats
        self.dice: Mapping[Seat, tuple[Face, ...]] = dealt.views.dice

    def moment(self, doing: Doing, reading: Reading) -> MomentWorth:
        """Return what the position is worth after a doing."""
        found = equity.moment_worth(self.scene(doing.last.new, reading, doing.first.version), self.dice)
        proved = self._proved() if doing.first is self._dealt else None
        return found if proved is None else replace(found, public=proved)

    def _proved(self) -> dict[Seat, Estimate] | None:
        """Return what the round is proved to be worth once it is dealt; None where nothing is proved of it.

        What was proved is how often its opener wins: the verdicts have to say the same of whoever wins, however.
        """
        proved, outcomes = self._assumed.proved, self.stakes.outcomes
        if proved is None:
            return None
        doubts = [(self.stakes.test(place), each) for place in range(len(self.seats)) for each in outcomes]
        halves = [self._verdicts.half(doubt, each) for doubt, each in doubts]
        known = [half for half in halves if half is not None]
        wins = [each.holds == (doubt.claimant == 0) for doubt, each in doubts]
        won, lost = (
            {self._verdicts.worths(*doubted) for doubted, first in zip(doubts, wins, strict=True) if first is opener}
            for opener in (True, False)
        )
        if len(known) < len(halves) or len(won) > 1 or len(lost) > 1:
            return None
        return _worth_proved(self.seats, proved, (won.pop(), lost.pop()), max(known))

    def told(self, moment: MomentWorth) -> ToldEquity:
        """Return the figures of what a moment is worth."""
        return told_moment(moment, [] if self.stakes.whole is None else [self.stakes.whole])

    def scene(self, state: State, reading: Reading, version: Version) -> Scene:
        """Return where the round stands, read up to a version."""
        assert isinstance(reading, CountReading), "what folds back is a round of counts"
        claims = tuple([bid for made, bid in self._bids if made <= version])
        return Scene(
            self.stakes, state, reading.beliefs.beliefs, version, self._assumed.sampling, self._assumed.evaluate, claims
        )

    def decision(self, doing: Doing, reading: Reading, known: Grounds) -> JudgedDecision | None:
        """Return what is said of what a seat did; None where its dice are not told."""
        step, seat = doing.first, doing.first.seat
        if seat is None or seat not in self.dice:
            return None
        answer, scene = _answer_of(step.event), self.scene(step.old, reading, step.version - 1)
        worth = equity.decide(scene, seat, self.dice[seat], answer)
        surprise = model(ppm_of(equity.surprise_of(scene, seat, answer)))
        grounds = replace(known, odds=_odds(step, scene), surprise=surprise)
        return judged_decision(step, list(map(way_answered, worth.ways)), worth, self.stake_of(seat), grounds)

    def swings(self, doing: Doing, after: PerSeat, decision: JudgedDecision | None) -> list[Swing]:
        """Return what a doing made of the round by all dice: no dice are rolled in it."""
        skill = Estimate(Fraction(0)) if decision is None else decision.worth.skill
        return [Swing(after, None if doing.first.clock else doing.first.seat, None, skill)]

    def stake_of(self, seat: Seat) -> Fraction:
        """Return what a verdict could bring or cost a seat."""
        return equity.stake_of(self.stakes, seat)

    def stake(self, seat: Seat) -> Printed:
        """Return it as it is told."""
        return worth_figure(self.stake_of(seat), sure=self.is_sure)

    @property
    def is_sure(self) -> bool:
        """Whether every verdict wins or loses the match, or pays: then no model has a say in what is at stake."""
        stakes = self.stakes
        doubts = stakes.doubts_of(range(len(stakes.bidding.seats)))
        found = {worth for doubt in doubts for each in stakes.outcomes for worth in stakes.verdicts.worths(doubt, each)}
        return found <= {0, 1} or self._assumed.table.before.rules.match.open_ended


def _worth_proved(
    seats: tuple[Seat, ...], proved: Guarantees, ends: tuple[Worths, Worths], half: Fraction
) -> dict[Seat, Estimate]:
    """Return what a round is worth whose opener, the first seat, is proved to win so often.

    Args:
        seats: In the order of play.
        proved: The value of the round to the opener, +1 won and -1 lost.
        ends: What it brings each seat if the opener wins it, and if it loses it.
        half: Half the width of what these are proved to lie within.
    """
    chance = (2 + proved.lower + proved.upper) * Fraction(1, 4)
    reach = (proved.upper - proved.lower) * Fraction(1, 4)
    found = {}
    for seat, won, lost in zip(seats, *ends, strict=True):
        found[seat] = Estimate(lost + chance * (won - lost), None, reach * abs(won - lost) + half)
    return found


def _count(bid: events.Bid) -> Count:
    return Count(bid.quantity, bid.face)


def _answer_of(event: events.Event) -> Answer:
    """Return the move that an event makes, where there is nothing to do but to bid and to doubt."""
    match event:
        case events.Bid():
            return _count(event)
        case events.Challenged():
            return "challenge"
        case _:
            assert isinstance(event, events.SpotOnCalled), "a round that folds has no other moves"
            return "spot_on"


def worth_figure(worth: Fraction, *, sure: bool, half: Fraction | None = None) -> Figure:
    """Return the figure of a worth: arithmetic alone, proved to lie so near, or of a model of who loses rounds."""
    return exact(worth) if sure else Estimate(worth, None, half).figure


def _odds(step: Step, scene: Scene) -> Figure | None:
    """Return what a challenge is worth by odds alone; None where nothing stands."""
    standing, claimant, seat = step.old.round.standing, step.old.round.claimant, step.seat
    assert seat is not None
    own = step.views.of(seat, frozenset(step.old.places))
    assert own is not None, "a decision is judged whose dice are told"
    if standing is None or claimant is None:
        return None
    chance = chances.chance_of_claim(step.old, standing, claimant, own)
    return exact(equity.challenge_by_odds(scene, seat, chance))
