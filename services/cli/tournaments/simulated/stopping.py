"""A rehearsal that is stopped at random steps, and goes on from what was stored: so nothing else may be remembered."""

from __future__ import annotations

from typing import Any, Final

from domain.fairness.openings import DealSecrets
from domain.match.ceremony import Ceremony, deal_secrets_of
from domain.tournaments import commands
from domain.tournaments.record import TournamentAtHead, step
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.tables import Draw

STOPS_IN_256: Final = 64
"""How many of 256 appends are followed by a stop."""


class _Stopped(Exception):  # noqa: N818 - never leaves this file
    """Whoever directs ends here."""


class StoppedRehearsal(Rehearsal):
    """A tournament of bots whose director is stopped behind some of its appends, and followed by another.

    Attributes:
        stops: How often it was stopped.
    """

    def __init__(self, *given: Any, stops: Draw) -> None:  # noqa: ANN401 - as for any rehearsal
        """Announce it as any rehearsal; `stops` says where it is stopped."""
        super().__init__(*given)
        self.stops = 0
        self._stops_at = stops
        self._may_stop = False

    def do(self, command: commands.AnyCommand) -> None:
        """Decide, and write down what that led to; then stop, perhaps.

        Raises:
            Refused: It is not allowed.
        """
        super().do(command)
        if self._may_stop and self._stops_at(1)[0] < STOPS_IN_256:
            raise _Stopped

    def _step(self) -> None:
        self._may_stop = True
        try:
            super()._step()
        except _Stopped:
            self.stops += 1
            self._resume()
        self._may_stop = False

    def _resume(self) -> None:
        """Know nothing but the lines, the secrets that were stored, and the matches in the log."""
        written: TournamentAtHead | None = None
        for line in self.lines:
            written, _ = step(written, line)
        assert written is not None, "there is a first line"
        self.tournament, self._head, self._at = written.tournament, written.head, written.tournament.at
        self._playing = {}
        self._keeper = None if self.tournament.ceremony is None else self._stored(self.tournament.ceremony)

    def _stored(self, ceremony: Ceremony) -> DealSecrets:
        """Return the secrets of a deal of lots as they were stored."""
        prefix = f"seed/{ceremony.deal}/"
        seeds = {
            int(name.removeprefix(prefix)): seed for name, seed in self._secrets.items() if name.startswith(prefix)
        }
        return deal_secrets_of(ceremony, self._secrets[f"deal/{ceremony.deal}"], seeds)
