"""Bots of a rehearsal on a ladder: every minute one of them challenges another, and whoever is challenged plays."""

from __future__ import annotations

from itertools import permutations
from typing import Final

from domain.ids import UnixMs
from domain.tournaments import commands
from domain.tournaments.field import StageField
from domain.tournaments.formats.ladders import busy, ladder_ends_at, playing_order
from domain.tournaments.rules import LadderStage
from domain.tournaments.schedules.ladder import may_challenge
from domain.tournaments.tournament import Tournament
from services.cli.tournaments.tables import Draw

EVERY_MS: Final = 60_000
DRAWN: Final = 8
"""Bytes drawn to choose among pairs."""


class NextAsk:
    """What a bot asks for next on the ladder of a tournament.

    Attributes:
        at: When, in Unix milliseconds.
    """

    def __init__(self, tournament: Tournament, rules: LadderStage, draw: Draw) -> None:
        """Look at a ladder that is played, and draw who challenges whom."""
        assert tournament.stage is not None, "it is played"
        self._tournament, self._stage, self._rules, self._draw = tournament, tournament.stage, rules, draw
        self._open = [key for key, each in self._stage.challenges.items() if each.state == "open"]
        self._pairs = [] if self._open else self._near()
        made = len(self._stage.challenges) + 1
        self.at: UnixMs = tournament.at if self._open else max(tournament.at, self._stage.opened_at + made * EVERY_MS)

    def _near(self) -> list[tuple[int, int]]:
        """Return who may challenge whom: nobody who plays."""
        order, sits = playing_order(StageField(self._tournament, self._stage.number)), busy(self._stage)
        idle = [number for number in order if number not in sits]
        return [pair for pair in permutations(idle, 2) if may_challenge(order, *pair, self._rules.reach)]

    @property
    def command(self) -> commands.ChallengeAbove | commands.AnswerChallenge | None:
        """What it is; None where nobody asks for anything before others have done something."""
        players = {number: each.player for number, each in self._tournament.entrants.items()}
        if self._open:
            against = self._stage.challenges[self._open[0]].against
            return commands.AnswerChallenge(by=players[against], challenge=self._open[0], accepted=True)
        if not self._pairs or self.at >= ladder_ends_at(self._stage, self._rules):
            return None
        number, against = self._pairs[int.from_bytes(self._draw(DRAWN), "big") % len(self._pairs)]
        return commands.ChallengeAbove(by=players[number], number=number, against=against)
