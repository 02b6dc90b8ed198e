"""Rounds told: each event of a round with its claim, its reading, its worth and its decision, joined.

The law of the file: an event is told from what was known when it happened; of what came later only what became of its
claim, and whether a doubt was right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from domain import events
from domain.analysis import claims
from domain.analysis.figures import MILLION, Figure, exact, ppm_of
from domain.analysis.grades.moments import Candidate, Kind
from domain.analysis.judges.doings import Doing, doings_of, last_asked
from domain.analysis.judges.folding import worth_figure
from domain.analysis.judges.rollouts import RollJudge
from domain.analysis.judges.telling import Grounds, JudgedDecision
from domain.analysis.odds.labels import BLUFFS, label_of
from domain.analysis.readings import told_reading
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.report import PerSeat, ToldDice, ToldEquity, ToldEvent, ToldReading, ToldRound
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import DealtMark, RoundOfLuck, Swing, mark_of
from domain.events import type_of
from domain.ids import Seat, Version
from domain.strategy.folding.cup_dice import why_unfolded
from domain.strategy.knowledge import NOTHING
from domain.strategy.tables import MatchTable
from domain.table.state import State

ERRORS: Final = frozenset({"mistake", "blunder"})


class RoundTold(Struct, frozen=True):
    """A round, told.

    Attributes:
        told: What is said of it as a whole.
        events: What is said of its events.
        decisions: What was decided in it, by version.
        luck: Where the change of its worths came from; None where it was not judged, or some dice are not known.
        candidates: Events that might be shown.
        is_judged: Whether its events were given worths.
        before: What the match was worth to each seat before it.
        after: And behind it.
    """

    told: ToldRound
    events: tuple[ToldEvent, ...]
    decisions: Mapping[Version, JudgedDecision]
    luck: RoundOfLuck | None
    candidates: tuple[Candidate, ...]
    is_judged: bool
    before: Mapping[Seat, Fraction]
    after: Mapping[Seat, Fraction]


def told_round(played: FollowedRound, setting: RoundSetting) -> RoundTold:
    """Return a round, told. Cost: for each event a look from every viewpoint, and where it folds, its deals folded."""
    return _Teller(played, setting).told()


class _Teller:
    """A round on its way."""

    def __init__(self, played: FollowedRound, setting: RoundSetting) -> None:
        self.played, self.setting, self.table = played, setting, setting.table(played)
        self.reading, self.judge = setting.reading(played.steps[0].new.rules), setting.judge(played)
        self.before, self.after = (self._worths(state) for state in (played.steps[0].old, played.steps[-1].new))
        self.last = last_asked(played)
        self.decisions: dict[Version, JudgedDecision] = {}
        self.dealt: MomentWorth | None = None
        self.swings: dict[Version, tuple[Seat, list[Swing]]] = {}

    def _worths(self, state: State) -> dict[Seat, Fraction]:
        return dict(zip(state.seats, self.table.worths(state), strict=True))

    def _told(self, state: State, worths: Mapping[Seat, Fraction]) -> PerSeat:
        return told_worths(worths, self.table, self.table.half(state))

    def told(self) -> RoundTold:
        """Return the round, told."""
        found = tuple([told for doing in doings_of(self.played) if (told := self._take(doing)) is not None])
        candidates = tuple(_candidates(self, found))
        judged = self.judge is not None
        return RoundTold(self.round(), found, self.decisions, self.luck(), candidates, judged, self.before, self.after)

    def _take(self, doing: Doing) -> ToldEvent | None:
        """Read what was done and what followed, and return what is said of it, if anything is."""
        step, said = doing.first, claims.said_by(doing.first)
        reads = said is not None and said.claim is not None and claims.is_told(step, self.played)
        before = told_reading(self.reading, said, step.views) if said is not None and reads else None
        decision = self._decide(doing)
        self.reading.take(step)
        after = told_reading(self.reading, said, step.views) if said is not None and reads else None
        for each in doing.steps[1:]:
            self.reading.take(each)
        if not claims.is_told(step, self.played):
            return None
        return ToldEvent(
            step.version,
            self.played.number,
            type_of(step.event),
            claims.seat_of(step),
            read=UNSET if before is None or after is None else ToldReading(before, after),
            equity=self._weigh(doing, decision),
            decision=UNSET if decision is None else decision.told,
            **claims.told_claim(step, self.played),
        )

    def _decide(self, doing: Doing) -> JudgedDecision | None:
        """Judge what a seat did before the verdict, by what it could know before it did it."""
        step, verdict = doing.first, self.played.verdict
        if self.judge is None or step.seat is None or verdict is None or step.version > verdict.version:
            return None
        decision = self.judge.decision(doing, self.reading, self._known(doing))
        if decision is not None:
            self.decisions[step.version] = decision
        return decision

    def _known(self, doing: Doing) -> Grounds:
        """Return what a mark may hang on: the label of a claim, or the reading of the claim that is doubted."""
        step, said = doing.first, claims.said_by(doing.first)
        own = doing.before.of(step.seat or 0, frozenset(step.old.places))
        if own is None:
            return Grounds()
        if said is not None:
            return Grounds(own, label_of(said.chance(own), said.chance(NOTHING)))
        now = step.old.round
        if now.standing is None or now.claimant is None or not isinstance(step.event, events.Challenged) or now.passer:
            return Grounds(own)
        doubted = claims.Said(step.old, now.claimant, now.standing)
        return Grounds(own, None, self.reading.chance(doubted, step.seat, step.views), right=self._is_right(step))

    def _is_right(self, step: Step) -> bool:
        """Report whether the dice bore out a doubt."""
        verdict = self.played.verdict
        assert verdict is not None
        assert isinstance(verdict.event, events.Judged)
        return step.seat in verdict.event.doubters and verdict.event.holds is False

    def _weigh(self, doing: Doing, decision: JudgedDecision | None) -> ToldEquity | UnsetType:
        """Return what the position is worth after an event and what followed of itself."""
        verdict, dealt, version = self.played.verdict, self.played.dealt, doing.first.version
        if self.judge is None or verdict is None or dealt is None or not dealt.version <= version <= verdict.version:
            return UNSET
        seats = self.judge.seats
        if doing.first is self.last:
            end = self.played.steps[-1].new
            worths = {seat: Estimate(self.after[seat], None, self.table.half(end)) for seat in seats}
            self._note(doing, worths, decision)
            told = {seat: figure for seat, figure in self._told(end, self.after).items() if seat in seats}
            return ToldEquity(told, told, told)
        moment = self.judge.moment(doing, self.reading)
        if doing.first is dealt:
            self.dealt = moment
        else:
            self._note(doing, moment.all, decision)
        return self.judge.told(moment)

    def _note(self, doing: Doing, worths: Mapping[Seat, Estimate] | None, decision: JudgedDecision | None) -> None:
        """Remember what a doing made of the round by all dice, where these are known."""
        actor = claims.seat_of(doing.first)
        if worths is not None and actor is not None and self.judge is not None:
            self.swings[doing.first.version] = (actor, self.judge.swings(doing, worths, decision))

    def luck(self) -> RoundOfLuck | None:
        """Return where the change of worths came from; None where the round was not judged, or dice are unknown."""
        if self.dealt is None or self.dealt.all is None:
            return None
        half = self.table.half(self.played.steps[0].old)
        before = {seat: Estimate(worth, None, half) for seat, worth in self.before.items()}
        swings = tuple([swing for _, some in self.swings.values() for swing in some])
        return RoundOfLuck(before, self.dealt.public, self.dealt.seat, self.dealt.all, swings)

    def round(self) -> ToldRound:
        """Return what is said of the round as a whole."""
        played, means = self.played, self.setting.means
        seats = () if self.judge is None else sorted(self.judge.seats)
        return ToldRound(
            round=played.number,
            first=played.steps[0].version,
            last=played.steps[-1].version,
            policy=means.play.id,
            table=None if means.table is None else means.table.id,
            starter=played.starter,
            doubt={seat: exact(doubt) for seat, doubt in sorted(self.setting.doubts.items())},
            stake={} if self.judge is None else {seat: self.judge.stake(seat) for seat in seats},
            before=self._told(played.steps[0].old, self.before),
            after=self._told(played.steps[-1].new, self.after),
            dealt=self._dealt(),
            reason=means.reason or self._unfolded() or UNSET,
        )

    def _unfolded(self) -> str:
        """Return why a passed cup had to be played on; nothing of all other rounds."""
        return why_unfolded(self.played.steps[0].new.rules) if isinstance(self.judge, RollJudge) else ""

    def _dealt(self) -> dict[Seat, ToldDice]:
        """Return how well the dice of each seat fell, by themselves and against those of others."""
        found = {}
        for seat, (own, theirs, mark) in sorted(self.dice_luck().items()):
            found[seat] = ToldDice(own.figure, theirs.figure, mark or UNSET)
        return found

    def dice_luck(self) -> dict[Seat, tuple[Estimate, Estimate, DealtMark | None]]:
        """Return what the dice of each seat brought it, by themselves and against those of others, and how lucky."""
        dealt, judge = self.dealt, self.judge
        if dealt is None or dealt.all is None or judge is None:
            return {}
        found = {}
        for seat, worth in dealt.seat.items():
            own = worth.less(dealt.public[seat])
            mark = mark_of(ppm_of(own.value), ppm_of(judge.stake_of(seat)))
            found[seat] = (own, dealt.all[seat].less(worth), mark)
        return found


def told_worths(worths: Mapping[Seat, Fraction], table: MatchTable, half: Fraction | None) -> PerSeat:
    """Return what the state between two rounds is worth to each seat.

    Seats that have as much as each other are worth as much, whoever loses the rounds to come, and so are those that
    have won or lost: that is arithmetic, and no model. Of two seats it may be proved; `half` is the width of that.
    """
    apart = {worth for worth in worths.values() if worth not in {0, 1}}
    sure = table.before.rules.match.open_ended or len(apart) <= 1
    return {seat: worth_figure(worth, sure=sure, half=half) for seat, worth in sorted(worths.items())}


# ---- events that might be shown -------------------------------------------------------------------


def _candidates(teller: _Teller, told: tuple[ToldEvent, ...]) -> Iterator[Candidate]:
    """Yield the events of a round that might be shown."""
    yield from _dealt_candidates(teller)
    stood: Mapping[Seat, Estimate] | None = None if teller.dealt is None else teller.dealt.all
    for version, (actor, swings) in teller.swings.items():
        after = swings[-1].after
        if stood is not None:
            changes = [abs(ppm_of(after[seat].value) - ppm_of(stood[seat].value)) for seat in after]
            yield Candidate(version, "swing", max(changes), (actor,))
        stood = after
    for event in told:
        yield from _event_candidates(event, teller)


def _dealt_candidates(teller: _Teller) -> Iterator[Candidate]:
    for seat, (own, _, mark) in teller.dice_luck().items():
        if mark is not None and teller.played.dealt is not None:
            kind: Kind = "lucky" if own.value > 0 else "unlucky"
            yield Candidate(teller.played.dealt.version, kind, abs(ppm_of(own.value)), (seat,))


def _event_candidates(event: ToldEvent, teller: _Teller) -> Iterator[Candidate]:
    decision = teller.decisions.get(event.version)
    if decision is None or event.seat is None:
        return
    told = decision.told
    if told.tag in ERRORS and isinstance(told.loss, Figure):
        yield Candidate(event.version, "error", told.loss.ppm, (event.seat,))
    if event.label in BLUFFS and event.outcome in {"passed", "caught"} and event.chance is not UNSET:
        own = event.chance.seat[event.seat]
        assert isinstance(own, Figure), "a claim with a label has its claimant's chance"
        kind: Kind = "caught" if event.outcome == "caught" else "bluff"
        score = ppm_of(Fraction(MILLION - own.ppm, MILLION) * decision.stake)
        yield Candidate(event.version, kind, score, (event.seat,))
    if decision.called is not None:
        yield Candidate(event.version, "call", decision.called, (event.seat,))
