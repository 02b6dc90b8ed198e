"""A tournament whose results are made up: as long as a real one, with every line of its record, and no match played."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from domain.fairness.openings import DealSecrets
from domain.tournaments import commands
from domain.tournaments.events import RULE
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.presets import preset
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament
from infra.entropy import draw
from services.cli.bench.clients.choices import Randomness
from services.cli.ledger import Ledger
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.tables import Draw, PlayedOut

ORIGIN: Final = "bench.example/log"
TOURNAMENT: Final = UUID("6f1de1ce-0000-4000-8000-0000000007a1")
MATCH: Final = UUID("6f1de1ce-0000-4000-8000-0000000007a2")
NO_HEAD: Final = "0" * 64


class MadeUp(Rehearsal):
    """A rehearsal at whose tables chance says who came where."""

    def __init__(self, entrants: int, rounds: int, draw: Draw = draw) -> None:
        """Let so many enter a Swiss in pods of four, over so many rounds, with chance that is drawn so."""
        given = preset("pods", entry={"max": max(2, entrants), "bots": "only"})
        given["stages"] = [{**given["stages"][0], "rounds": rounds}]
        self.ledger = Ledger(ORIGIN, bytes(32))
        super().__init__(TOURNAMENT, rules_from(given), 0, self.ledger, draw)
        self._chance = Randomness()
        self.enter(entrants)

    @property
    def keeper(self) -> DealSecrets | None:
        """The secrets of its current deal of lots."""
        return self._keeper

    def before_round(self, number: int) -> Tournament:
        """Go on to where a round is about to be paired, and return the tournament as it stands there."""
        while not self._is_before(number):
            self.advance()
        return self.tournament

    def _is_before(self, number: int) -> bool:
        stage = self.tournament.stage
        return stage is not None and stage.next_number == number and not stage.open_rounds

    def before_last_result(self) -> tuple[Tournament, Tournament]:
        """Go on to the last result of the round that is next, and return the tournament before it and after it."""
        while True:
            before = self.tournament
            self.advance()
            stage = self.tournament.stage
            if stage is not None and before.stage is not None and before.stage.open_rounds:
                (held,) = stage.open_rounds or (None,)
                if held is not None and not held.missing:
                    return before, self.tournament

    def one_match(self) -> bytes:
        """Return the record of a match as it is played at one of these tables, by four bots of the house."""
        number = min(4, len(self.tournament.entrants))
        players = [self.tournament.entrants[each].player for each in range(1, number + 1)]
        played = PlayedOut(MATCH, self.tournament.rules.match, players, self.ledger, draw, 0)
        played.play()
        return played.record

    def advance(self) -> None:
        """Make up one result, or do what is due where none is missing."""
        stage = self.tournament.stage
        for held in () if stage is None else stage.open_rounds:
            for number in held.missing:
                if held.tables[number].started:
                    self._make_up(held, held.tables[number])
                    return
        super()._step()

    def _step(self) -> None:
        self.advance()

    def _play_tables(self) -> None:
        """Play nothing."""

    def _make_up(self, held: HeldRound, table: PairedTable) -> None:
        left, ranking = list(table.seats), []
        while left:
            ranking.append((left.pop(self._chance.below(len(left))),))
        name = match_id(str(self.tournament.id), len(self.tournament.stages), held.number, table.number, table.attempt)
        self.do(
            commands.Record(
                by=RULE, round=held.number, table=table.number, attempt=table.attempt, match=name, version=2,
                head=NO_HEAD, how="played", ranking=tuple(ranking),
            )
        )  # fmt: skip
