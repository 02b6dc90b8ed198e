"""Rounds judged: what every moment was worth, and what every move was beside the best, by what its seat could know.

Source: the worths are those of `domain.analysis.worths`; names and marks of decisions those of
`domain.analysis.decisions`. A round that does not fold, or that no dice decided, is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType, to_builtins

from domain import events
from domain.analysis import chances
from domain.analysis.decisions import BLUFFS, HALF, Doubted, Judgement, Weighed, judge
from domain.analysis.figures import MILLION, Figure, Reason, divide, exact, model, ppm_of
from domain.analysis.following import FollowedRound, Step
from domain.analysis.labels import Label, label_of
from domain.analysis.report import OPTIONS_MAX, PerSeat, Printed, ToldChallenge, ToldDecision, ToldEquity, ToldOption
from domain.analysis.worths import equity
from domain.analysis.worths.equity import DecisionWorth, Sampling, Scene, WeighedMove
from domain.analysis.worths.estimates import Estimate, ppm_up
from domain.ids import Face, Seat, Version
from domain.rules.orders import Count
from domain.strategy.folding.bidding import RoundPolicy, bidding_of, folds
from domain.strategy.folding.fold_back import Evaluator, fold_back
from domain.strategy.folding.verdicts import AtStake, SettledVerdicts
from domain.strategy.knowledge import NOTHING
from domain.strategy.level_one.count_table import Answer
from domain.strategy.reading.beliefs import Belief
from domain.strategy.tables import MatchTable
from domain.table.state import State

WAITING: Final = {"type": "wait"}
"""What stands for a seat out of turn that does not doubt."""


class Assumed(Struct, frozen=True):
    """What a round is judged by.

    Attributes:
        policy: How everybody plays from now on.
        table: What states between rounds are worth.
        sampling: How deals are drawn.
        evaluate: What folds deals back.
    """

    policy: RoundPolicy
    table: MatchTable
    sampling: Sampling
    evaluate: Evaluator = fold_back


class Grounds(Struct, frozen=True):
    """What is known of a decision beside its scene.

    Attributes:
        label: Of the claim that was made.
        read: The chance of the claim to beat, as the seat reads it; None where nothing stands.
        right: Whether a doubt of it turned out right.
    """

    label: Label | None = None
    read: Estimate | None = None
    right: bool = False


class JudgedDecision(Struct, frozen=True):
    """A decision as the document has it, and as it is added up.

    Attributes:
        called: The chance of a claim that was rightly doubted though likely, as its doubter read it, ppm; else None.
    """

    told: ToldDecision
    worth: DecisionWorth
    stake: Fraction
    called: int | None

    @property
    def counts(self) -> bool:
        """Whether it was a decision: neither forced, nor done by the table."""
        return not self.told.forced and not self.told.clock


class RoundJudge:
    """Judges the events of a round, in their order; `is_judged` has said that it can be.

    Attributes:
        stakes: What its verdicts are worth.
        dice: The hidden dice of each seat that the record opens.
    """

    def __init__(self, played: FollowedRound, assumed: Assumed) -> None:
        """Survey the round. Cost: every position that the policy thinks of."""
        dealt = played.dealt
        assert dealt is not None, "a round that is judged was dealt"
        self._assumed = assumed
        bids = [(step.version, step.event) for step in played.steps]
        self._bids = [(version, _count(bid)) for version, bid in bids if isinstance(bid, events.Bid)]
        bidding = bidding_of(dealt.new, assumed.policy, tuple([bid for _, bid in self._bids]))
        self.stakes = AtStake(bidding, SettledVerdicts(bidding, assumed.table))
        self.dice: Mapping[Seat, tuple[Face, ...]] = dealt.views.dice

    def before(self, step: Step, beliefs: Mapping[Seat, Belief]) -> Scene:
        """Return the moment before an event, by what is believed then."""
        return self._scene(step.old, beliefs, step.version - 1)

    def after(self, step: Step, beliefs: Mapping[Seat, Belief]) -> Scene:
        """Return the moment after an event, by what is believed then."""
        return self._scene(step.new, beliefs, step.version)

    def _scene(self, state: State, beliefs: Mapping[Seat, Belief], version: Version) -> Scene:
        claims = tuple([bid for made, bid in self._bids if made <= version])
        return Scene(self.stakes, state, beliefs, version, self._assumed.sampling, self._assumed.evaluate, claims)

    def decision(self, step: Step, scene: Scene, known: Grounds) -> JudgedDecision | None:
        """Return what is said of what a seat did; None where its dice are not told."""
        answer, seat = _answer_of(step.event), step.seat
        if seat is None or seat not in self.dice:
            return None
        worth = equity.decide(scene, seat, self.dice[seat], answer)
        stake = equity.stake_of(self.stakes, seat)
        read = None if known.read is None or answer != "challenge" else ppm_of(known.read.value)
        called = read if read is not None and known.right and read >= HALF else None
        return JudgedDecision(_told_decision(step, scene, worth, stake, known), worth, stake, called)

    def stake(self, seat: Seat) -> Printed:
        """Return what a verdict could bring or cost a seat."""
        return worth_figure(equity.stake_of(self.stakes, seat), sure=self.is_sure)

    @property
    def is_sure(self) -> bool:
        """Whether every verdict wins or loses the match, or pays: then no model has a say in what is at stake."""
        stakes = self.stakes
        doubts = stakes.doubts_of(range(len(stakes.bidding.seats)))
        found = {worth for doubt in doubts for each in stakes.outcomes for worth in stakes.verdicts.worths(doubt, each)}
        return found <= {0, 1} or self._assumed.table.before.rules.match.open_ended


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


def worth_figure(worth: Fraction, *, sure: bool) -> Figure:
    """Return the figure of a worth, which is arithmetic alone, or hangs on a model of who loses rounds."""
    return exact(worth) if sure else model(ppm_of(worth))


def told_equity(found: equity.Equity) -> ToldEquity:
    """Return the worths of a moment as the document has them."""
    everything: PerSeat | Reason = "not_shown" if found.all is None else dict(sorted(found.all.items()))
    return ToldEquity(dict(sorted(found.public.items())), dict(sorted(found.seat.items())), everything)


# ---- decisions ------------------------------------------------------------------------------------


def _told_decision(step: Step, scene: Scene, worth: DecisionWorth, stake: Fraction, known: Grounds) -> ToldDecision:
    forced, idle = step.forced, step.forced or step.clock
    found = _judgement(step, worth, stake, known)
    order = _shown(worth, found.best)
    # A difference is rounded once, and may so be one off the difference of what was rounded.
    loss = worth.loss
    share = None if not stake else Estimate(loss.value / stake, None if loss.half is None else loss.half / stake)
    return ToldDecision(
        forced=forced,
        clock=step.clock,
        options=tuple([_told_option(worth, way) for way in order]),
        best=order.index(found.best),
        played=order.index(worth.played),
        loss=loss.figure,
        stake=exact(stake) if stake in {0, 1} else model(ppm_of(stake)),
        points="no_stake" if share is None else share.figure,
        skill=worth.skill.figure,
        tag=None if idle else found.tag,
        marks=() if idle else found.marks,
        surprise=_surprise(scene, step),
        challenge=_told_challenge(step, scene, worth),
    )


def _judgement(step: Step, worth: DecisionWorth, stake: Fraction, known: Grounds) -> Judgement:
    doubts = worth.ways[worth.played].answer == "challenge" and known.read is not None
    doubted = Doubted(ppm_of(known.read.value), known.right) if doubts and known.read is not None else None
    margin = 0 if worth.loss.half is None else ppm_up(worth.loss.half)
    options = [
        Weighed(ppm_of(each.value), _bluffs(way, step), way.answer == "challenge")
        for way, each in zip(worth.ways, worth.worths, strict=True)
    ]
    return judge(options, worth.played, ppm_of(stake), label=known.label, doubted=doubted, margin=margin)


def _bluffs(way: WeighedMove, step: Step) -> bool | None:
    """Report whether a bid would have been a bluff or a semi-bluff; None of what is no bid."""
    if not isinstance(way.answer, Count) or step.seat is None:
        return None
    own = step.views.of(step.seat, frozenset(step.old.places))
    assert own is not None, "a decision is judged whose dice are told"
    chance, public = (chances.chance_of_claim(step.old, way.answer, step.seat, each) for each in (own, NOTHING))
    return label_of(chance, public) in BLUFFS


def _shown(worth: DecisionWorth, best: int) -> list[int]:
    """Return the options that are told, best first: the best ones and the one that was played."""
    order = sorted(range(len(worth.ways)), key=lambda way: (way != best, -ppm_of(worth.worths[way].value), way))
    return [way for number, way in enumerate(order) if number < OPTIONS_MAX - 1 or way == worth.played]


def _told_option(worth: DecisionWorth, way: int) -> ToldOption:
    total = sum([each.weight for each in worth.ways])
    share = divide(worth.ways[way].weight * MILLION, total)
    return ToldOption(_move(worth.ways[way].answer), worth.worths[way].figure, model(share))


def _move(answer: Answer | None) -> dict[str, Any]:
    """Return a move as a command has it, without the seat."""
    if isinstance(answer, Count):
        return {"type": "bid", **to_builtins(answer)}
    return WAITING if answer is None else {"type": answer}


def _surprise(scene: Scene, step: Step) -> Figure:
    assert step.seat is not None
    answer, seat = _answer_of(step.event), step.seat
    return model(ppm_of(equity.surprise_of(scene, seat, answer)))


def _told_challenge(step: Step, scene: Scene, worth: DecisionWorth) -> ToldChallenge | UnsetType:
    standing, claimant, seat = step.old.round.standing, step.old.round.claimant, step.seat
    assert seat is not None
    own = step.views.of(seat, frozenset(step.old.places))
    assert own is not None, "a decision is judged whose dice are told"
    if worth.challenge is None or standing is None or claimant is None:
        return UNSET
    chance = chances.chance_of_claim(step.old, standing, claimant, own)
    odds = equity.challenge_by_odds(scene, seat, chance)
    return ToldChallenge(exact(odds), worth.challenge.figure)


def is_judged(played: FollowedRound) -> bool:
    """Report whether a round folds, and dice decided it."""
    dealt, verdict = played.dealt, played.verdict
    if dealt is None or verdict is None or not folds(dealt.new):
        return False
    assert isinstance(verdict.event, events.Judged)
    return verdict.event.kind != "forfeit"
