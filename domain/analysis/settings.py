"""Settings of rounds: who everybody is taken to play like, what rounds lead to, and so what judges a round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from msgspec import Struct

from domain import commands, events
from domain.analysis.judges.blind_cups import CupJudge
from domain.analysis.judges.folding import Assumed, FoldJudge
from domain.analysis.judges.judge import Judge
from domain.analysis.judges.passed_cups import PassedJudge
from domain.analysis.judges.rollouts import RollJudge
from domain.analysis.means import RoundMeans
from domain.analysis.readings import Reading, reading_of
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.worths.blind import cup_stakes
from domain.analysis.worths.rolled import RolloutMeans
from domain.analysis.worths.scenes import Sampling
from domain.ids import CupId, Seat
from domain.rules.rules import Rules
from domain.strategy.chance import Words, words_for
from domain.strategy.duels.blind_cup import BlindCup
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.folding.bidding import LevelOne, RoundPolicy, folds
from domain.strategy.folding.cup_dice import cup_folds
from domain.strategy.folding.fold_back import Evaluator
from domain.strategy.folding.solved_play import SolvedPlay
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LevelParams
from domain.strategy.policies.ahead import with_values
from domain.strategy.sight import Sight
from domain.strategy.tables import EVEN, MatchTable, RoundModel


class RoundSetting(Struct, frozen=True):
    """What a round is told with.

    Attributes:
        means: The policies it is judged by.
        params: The constants of level 1, by which everybody plays and is read where no table says otherwise.
        doubts: How much each seat is doubted.
        sampling: How deals and hands are drawn.
        evaluate: What folds deals back.
    """

    means: RoundMeans
    params: LevelParams
    doubts: Mapping[Seat, Fraction]
    sampling: Sampling
    evaluate: Evaluator

    @property
    def solved(self) -> SolvedTable | None:
        """The table by which everybody plays and is read, where the round has been solved."""
        play = self.means.play.content
        return play if isinstance(play, SolvedTable) else None

    @property
    def cup(self) -> BlindCup | None:
        """The blind cup by whose tablebase everybody plays and is read, where that is what is played."""
        play = self.means.play.content
        return play if isinstance(play, BlindCup) else None

    @property
    def table_read(self) -> SolvedTable | BlindCup | None:
        """What everybody is read by without a doubt, as long as they keep to it."""
        return self.cup or self.solved

    @property
    def policy(self) -> RoundPolicy:
        """How everybody is taken to play on."""
        return LevelOne(self.params) if self.solved is None else SolvedPlay(self.solved, self.params)

    def judge(self, played: FollowedRound) -> Judge | None:
        """Return what judges a round; None where no dice decided it."""
        dealt, verdict = played.dealt, played.verdict
        if dealt is None or verdict is None:
            return None
        assert isinstance(verdict.event, events.Judged)
        if verdict.event.kind == "forfeit":
            return None
        if folds(dealt.new):
            return self.judge_folding(played)
        table = self.table(played)
        if self.cup is not None:
            return CupJudge(played, self.cup, cup_stakes(dealt.new, self.cup, table))
        if cup_folds(dealt.new.rules):
            return self.judge_passing(played)
        return RollJudge(played, RolloutMeans(partial(_drawn, self.params), table, self.sampling), self.params)

    def judge_folding(self, played: FollowedRound) -> FoldJudge:
        """Return what judges a round that was dealt and folds."""
        proved = self.means.play.certificate
        return FoldJudge(played, Assumed(self.policy, self.table(played), self.sampling, self.evaluate, proved))

    def judge_passing(self, played: FollowedRound) -> PassedJudge:
        """Return what judges a round of a passed cup that folds."""
        return PassedJudge(played, self.table(played), self.params)

    def reading(self, rules: Rules) -> Reading:
        """Return what reads everybody's moves in a round, before any of them."""
        return reading_of(rules, self.params, self.doubts, self._draws, self.table_read)

    def _draws(self, step: Step, cup: CupId) -> Words:
        """Return the words by which hands of a cup are drawn."""
        return words_for(self.sampling.head, self.sampling.policy, step.version, f"seat.{cup}", "hands")

    def table(self, played: FollowedRound) -> MatchTable:
        """Return what states from a round on are worth."""
        model = EVEN if self.means.table is None else self.means.table.content
        assert isinstance(model, RoundModel), "a table is a round model"
        return MatchTable(played.steps[0].old, with_values(model, self.means.ahead))


def _drawn(params: LevelParams, sight: Sight, word: int) -> commands.Play | None:
    return drawn(sight, params, word)
