"""A judge of a round: what tells what each moment and each decision of it was worth, whatever the means."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from domain.analysis.figures import Printed
from domain.analysis.judges.doings import Doing
from domain.analysis.judges.telling import Grounds, JudgedDecision
from domain.analysis.readings import Reading
from domain.analysis.report import ToldEquity
from domain.analysis.worths.equity import MomentWorth
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import Swing
from domain.ids import Seat


class Judge(Protocol):
    """Judges the doings of a round, in their order."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays it."""

    def moment(self, doing: Doing, reading: Reading) -> MomentWorth:
        """Return what the position is worth after a doing."""

    def told(self, moment: MomentWorth) -> ToldEquity:
        """Return the figures of what a moment is worth."""

    def decision(self, doing: Doing, reading: Reading, known: Grounds) -> JudgedDecision | None:
        """Return what is said of what a seat did; None where its dice are not told."""

    def swings(self, doing: Doing, after: Mapping[Seat, Estimate], decision: JudgedDecision | None) -> list[Swing]:
        """Return what a doing made of the round by all dice, one thing after the other."""

    def stake_of(self, seat: Seat) -> Fraction:
        """Return what a verdict could bring or cost a seat."""

    def stake(self, seat: Seat) -> Printed:
        """Return it as it is told."""
