"""Times of the tables of a tournament: until when they wait, when their rounds end, what officials give back."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from uuid import UUID

from domain import commands
from domain.errors import Refused
from domain.ids import UnixMs
from domain.match.evolve import Match
from domain.tournaments.deciding.due import waits_since
from domain.tournaments.formats.format import DueStep
from domain.tournaments.tournament import Tournament
from infra.clock import now_ms
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.requests import CommandMetadata, VersionPassed
from services.matches.tables.event_tables import SCOPE
from services.tournaments.tables import TableMatch, TimeGift


class TableTimes:
    """Until when tables wait for people, as far as somebody has been there to keep time."""

    def __init__(self, heart: Heart) -> None:
        """`heart` knows for how much of a time nobody was there."""
        self._heart = heart

    def is_over(self, at: UnixMs) -> bool:
        """Report whether a time has come; not where nobody was there just now, and people may have more of it."""
        return at <= now_ms() and not self._heart.has_missed()

    def step_at(self, tournament: Tournament, step: DueStep) -> UnixMs:
        """Return when a step of a tournament is to be taken: people have the time back in which nobody was there."""
        since = waits_since(tournament, step)
        return step.at if since is None else step.at + self._heart.lost_ms(since)

    def no_show_at(self, tournament: Tournament, at: TableMatch) -> UnixMs:
        """Return until when a table waits for who is not there.

        It waits its whole time again after nobody was there; pauses since do not count, nor what is left of one.
        """
        opened = at.table.opened_at
        assert opened is not None, "it is started"
        return tournament.no_show_at(opened + self._heart.uncounted_ms(opened))

    def round_ends_at(self, tournament: Tournament, at: TableMatch) -> UnixMs | None:
        """Return when the last round of the match at a table is to begin; None where it may play on."""
        stage, began = tournament.rules.stages[at.stage - 1], at.table.began_at
        lasts = stage.round_ms or tournament.rules.time.round_ms
        if at.held.until is not None or began is None:
            return at.held.until
        return None if lasts is None else began + lasts + self._heart.uncounted_ms(began)

    def due_at(self, tournament: Tournament, at: TableMatch, match: Match) -> UnixMs | None:
        """Return when there is something to do at a table by the time; None where only its match can move on."""
        if match.ended:
            return None
        ends_at = self.round_ends_at(tournament, at)
        if match.table is not None:
            return ends_at if match.last_round is None else None
        # When its match begins is no line of the tournament, so what its round ends by is looked for from now on.
        times = [] if ends_at is None or ends_at <= now_ms() else [ends_at]
        if not tournament.paused:
            times.append(self.no_show_at(tournament, at))
        return min(times, default=None)


class TimeGifts:
    """What has been given, so that it is not asked for with every look; the log knows it in any case."""

    def __init__(self, matches: CommandHandler) -> None:
        """Give it through this handler."""
        self._matches = matches
        self._given: dict[UUID, set[int]] = {}

    def forget(self, matches: Iterable[UUID]) -> None:
        """Forget matches of which nothing is given any more."""
        for match_id in matches:
            self._given.pop(match_id, None)

    async def give(self, match: Match, gifts: Iterable[TimeGift]) -> Match:
        """Give seats time back, each once its clock runs, and return the match after it.

        Only then is there a deadline to be moved, so a gift waits for its seat's next turn. The command is named after
        the line of the official: whoever asks again after a crash gets the answer that is stored. It is asked for in
        the turn in which it runs, so that nobody else gets it who is in turn by then.
        """
        given = self._given.setdefault(match.id, set()) if gifts else set()
        for gift in gifts:
            running = None if match.clocks is None else match.clocks.running
            if gift.line in given or gift.seat != running:
                continue
            ask = CommandMetadata(SCOPE, f"give/{gift.line}/{match.id}", b"", turn=match.begun.version)
            with suppress(Refused, VersionPassed):
                await self._matches.submit(match.id, commands.GiveBack(gift.ms), ask)
                given.add(gift.line)
            match = (await self._matches.load_match(match.id)).match
        return match
