"""Hinting: a hint worked out from the frames of one seat, and from nothing else.

The law of the file: whoever asks has been sent these frames before. So a hint can use nothing that its seat was not
shown, whatever the program beside it knows.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.analysis.hints import By, DiceShown, Hint, OpenDecision, hint_of
from domain.analysis.record.following import FollowedRound, Step, asked_by
from domain.analysis.record.viewpoints import Viewpoints, viewpoints_after
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.scenes import Sampling
from domain.ids import Seat
from domain.rules.rules import Counting, Rules
from domain.strategy.chance import words_for
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two import thinking as level_two
from domain.strategy.level_two.outlook import outlook_of
from domain.strategy.reading.learning import Learning
from domain.strategy.weighing import Weighing
from services.engines.roller import are_few_hands
from services.engines.seen import SeenMatch
from services.evaluators.batch_evaluator import evaluate
from services.policies.usual import usual_means
from services.work.settling import TakesTooLong, within

SAMPLES: Final = 256
"""Deals that are drawn where there are more than an analysis goes through one and all."""
READ_CPU_S: Final = 3.0
"""Seconds of a core that reading moves of many hands may take: in 60 matches of four games none took 1.4."""


class HintAsked(Struct, frozen=True):
    """What a hint is made of.

    Attributes:
        frames: Every frame of a seat, from the first on.
    """

    seat: Seat
    frames: tuple[bytes, ...]


def hint_from(asked: HintAsked) -> Hint | None:
    """Return the hint for a seat after these frames; None where it has nothing to decide.

    Raises:
        OutOfOrder: These are not all frames of a match, in order.

    Cost: a tenth of a millisecond a frame, some more for a round whose dice were shown; and what `hint_of` takes. Where
    moves of many hands take longer to read than `READ_CPU_S`, the claim to beat is told by odds alone.
    """
    followed = _Followed(asked.seat)
    for frame in asked.frames:
        followed.take(frame)
    return followed.hint()


class _Followed:
    """A match, followed from one seat."""

    def __init__(self, seat: Seat) -> None:
        self.seen = SeenMatch(seat)
        self.shown, self.views = DiceShown(), Viewpoints()
        self.learning = Learning(LEVEL_ONE)
        self.steps: list[Step] = []

    def take(self, frame: bytes) -> None:
        seen, before = self.seen, self.seen.match
        seen.take(frame)
        after, sight = seen.match, seen.sight
        if before is None or before.table is None or after is None or sight is None:
            return
        event = seen.course[-1].event
        self.shown.dice = sight.dice
        self.views = viewpoints_after(self.views, before, event, after, self.shown)
        self.learning = self.learning.after(before.table, event)
        if isinstance(event, events.RoundOpened):
            self.steps = []
        self.steps.append(Step(after.version, event, before, after, self.views, asked_by(before, event)))

    def hint(self) -> Hint | None:
        sight = self.seen.sight
        if sight is None or not self.steps or not isinstance(self.steps[0].event, events.RoundOpened):
            return None
        opened = self.steps[0].event
        played = FollowedRound(opened.round, opened.starter, tuple(self.steps))
        if played.dealt is None or sight.state.turn != sight.seat:
            return None
        decision = OpenDecision(played, sight, self._setting(played), self._thought)
        if _is_soon_read(sight.state.rules):
            return hint_of(decision)
        try:
            with within(READ_CPU_S):
                return hint_of(decision)
        except TakesTooLong:
            return hint_of(replace(decision, reads=False))

    def _setting(self, played: FollowedRound) -> RoundSetting:
        """Return what an analysis would judge the round with where nobody says."""
        assert played.dealt is not None
        means = usual_means(played.steps[0].old, played.dealt.new)
        doubts = {seat: self.learning.doubt(seat) for seat in played.steps[0].new.remaining}
        # Other dice under other cups draw the same: what is drawn by hangs on no line of the log.
        sampling = Sampling(str(played.steps[0].after.id), means.play.id, SAMPLES)
        return RoundSetting(means, LEVEL_ONE, doubts, sampling, evaluate)

    def _thought(self) -> tuple[By, Weighing] | None:
        """Return what level 2 makes of it, where it thinks; level 1 is asked elsewhere."""
        seen, sight = self.seen, self.seen.sight
        assert sight is not None
        if not _is_soon_read(sight.state.rules):
            return None
        words = words_for(str(self.steps[0].after.id), "level2", seen.version, f"seat.{seen.seat}", "hands")
        found = level_two.weigh(outlook_of(sight, seen.beliefs(), words))
        return ("level2", found) if found.total else None


def _is_soon_read(rules: Rules) -> bool:
    """Report whether moves of a game are read in a moment: those of many hands may take a second and more."""
    return isinstance(rules.claims, Counting) or are_few_hands(rules)
