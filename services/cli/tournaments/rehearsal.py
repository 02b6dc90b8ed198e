"""Rehearsal of a tournament: its stream and its director in memory, every table played by house bots.

The same commands are decided as in a house, and the same lines are written; so what comes of it is a record that an
audit reads like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple
from uuid import UUID

from domain import commands as of_deals
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.ids import UnixMs
from domain.log import canonical
from domain.match.record import GENESIS
from domain.statistics.luck import LuckRow, luck_of_match, luck_rows
from domain.tournaments import commands, events
from domain.tournaments.boards.decide import Drawer
from domain.tournaments.boards.rules import board_rules, drawers_of
from domain.tournaments.deciding.decide import decide
from domain.tournaments.deciding.drawing import DRAWERS_MAX
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE
from domain.tournaments.evolve import new_tournament
from domain.tournaments.formats.table import format_of
from domain.tournaments.matches import match_object, match_outcome
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.record import lines_of, stream_of
from domain.tournaments.rules import TIME_MAX, LadderStage, TournamentRules, object_of
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament
from services.audit.dutch import given_pairing
from services.cli.ledger import Ledger
from services.cli.tournaments.boards import PlayedBoard
from services.cli.tournaments.challengers import NextAsk
from services.cli.tournaments.tables import Draw, PlayedOut
from services.engines.levels import POWERS

HOST: Final = "o" + "0" * 24
NEVER: Final = TIME_MAX


class _Playing(NamedTuple):
    """A table that has been played, and whose end has still to come: its round, and its match."""

    round: int
    table: PairedTable
    played: PlayedOut


class Rehearsal:
    """A tournament of bots on its way.

    Attributes:
        tournament: How it stands.
        lines: The lines of its stream.
        matches: Its matches, by id.
        boards: Its boards, by id.
    """

    def __init__(self, tournament_id: UUID, rules: TournamentRules, at: UnixMs, ledger: Ledger, draw: Draw) -> None:
        """Announce it under these rules, at this time in Unix milliseconds."""
        created = events.TournamentCreated(str(tournament_id), object_of(rules), "all")
        self.tournament: Tournament = new_tournament(created, at)
        first, self._head = lines_of(tournament_id, 0, GENESIS, at, [created])
        self.lines = list(first)
        self.matches: dict[str, PlayedOut] = {}
        self.boards: dict[str, PlayedBoard] = {}
        self._at, self._ledger, self._draw = at, ledger, draw
        self._keeper: DealSecrets | None = None
        self._secrets: dict[str, bytes] = {}
        self._sizes: list[int] = []
        self._playing: dict[tuple[int, int], _Playing] = {}

    def enter(self, entrants: int) -> None:
        """Let so many bots enter and check in; the first sixteen draw lots."""
        self.do(commands.Appoint(by=HOST, official=HOST, role="host"))
        self.do(commands.OpenEntry(by=HOST))
        styles = list(POWERS)
        for number in range(1, entrants + 1):
            player = f"bot/{styles[number % len(styles)]}/{number}"
            self.do(commands.Register(by=player, player=player, bot=True))
        self.do(commands.OpenCheckIn(by=HOST))
        for number in range(1, entrants + 1):
            player = self.tournament.entrants[number].player
            self.do(commands.CheckIn(by=player, number=number, draws=number <= DRAWERS_MAX))

    def do(self, command: commands.AnyCommand) -> None:
        """Decide, and write down what that led to.

        Raises:
            Refused: It is not allowed.
        """
        made = decide(self.tournament, command, self._at, self._head, self._keeper)
        version = self.tournament.version
        lines, self._head = lines_of(self.tournament.id, version, self._head, self._at, made.events)
        self.lines += lines
        self.tournament, self._keeper = made.tournament, made.keeper
        self._secrets |= made.secrets

    def rounds(self) -> Iterator[HeldRound]:
        """Do what is due until nothing is left to do, and yield every round when it is closed."""
        while not self.tournament.ended:
            before = self._open
            self._step()
            stage = self.tournament.stage
            closed = before - self._open
            if stage is not None:
                yield from (stage.rounds[number] for number in sorted(closed))

    @property
    def _open(self) -> set[int]:
        """The rounds that are played."""
        stage = self.tournament.stage
        return set() if stage is None else {held.number for held in stage.open_rounds}

    def _step(self) -> None:
        """Do what comes next: what is due, or a table that ends before that."""
        tournament = self.tournament
        ceremony = tournament.ceremony
        if ceremony is not None and ceremony.stage == "sealed":
            self._log_deal()
            return
        if self._wait():
            return
        self._play_tables()
        step = due(tournament)
        ends = min(self._playing.values(), key=lambda each: each.played.match.at, default=None)
        if self._ask(min(step.at if step else NEVER, ends.played.match.at if ends else NEVER)):
            return
        if ends is not None and (step is None or ends.played.match.at < step.at):
            self._record(ends)
            return
        assert step is not None, "something is played, or due"
        self._at = max(self._at, step.at)
        seats = range(1, DRAWERS_MAX + 2)
        chance = of_deals.Chance(self._draw(32), {seat: self._draw(32) for seat in seats})
        head = canonical.head(self.lines[tournament.dealt_seq - 1]) if tournament.dealt_seq else None
        self.do(commands.Proceed(by=RULE, chance=chance, head=head, given=given_pairing(tournament)))

    def _wait(self) -> bool:
        """Let every bot say that it waits for a table, in an arena that begins; report whether any did."""
        stage = self.tournament.stage
        if stage is None or not format_of(self.tournament.stage_rules).waits or stage.closed is not None:
            return False
        silent = [each for each in self.tournament.entrants.values() if each.plays and each.asked is None]
        for entrant in silent:
            self.do(commands.WaitForTable(by=entrant.player, number=entrant.number))
        return bool(silent)

    def _ask(self, before: UnixMs) -> bool:
        """Let a bot on a ladder challenge another, or answer, if it does so before anything else; report whether."""
        stage, rules = self.tournament.stage, self.tournament.stage_rules
        if stage is None or not isinstance(rules, LadderStage) or stage.closed is not None:
            return False
        asked = NextAsk(self.tournament, rules, self._draw)
        command = asked.command if asked.at < before else None
        if command is not None:
            self._at = max(self._at, asked.at)
            self.do(command)
        return command is not None

    def _log_deal(self) -> None:
        ceremony, seq = self.tournament.ceremony, self.tournament.sealed_seq
        assert ceremony is not None
        assert seq is not None, "it was sealed"
        proof = self._ledger.enter(stream_of(self.tournament.id), seq, self.lines[seq], "sealed")
        self._sizes.append(self._ledger.size)
        path = tuple(item.hex() for item in proof.path)
        self.do(of_deals.LogDeal(ceremony.deal, proof.index, path, proof.checkpoint))

    def _play_tables(self) -> None:
        """Play every table that has just been started; when its result is known is for its match to say."""
        stage = self.tournament.stage
        for held in () if stage is None else stage.open_rounds:
            begun = [table for _, table in sorted(held.tables.items()) if self._begins(held, table)]
            opened = {table.number: self._open_table(held, table) for table in begun}
            fresh = {number: each for number, each in opened.items() if not each.match.ended}
            if fresh and format_of(self.tournament.stage_rules).boards:
                self._play_board(held, fresh)
            for each in fresh.values():
                if not each.match.ended:
                    each.play()
            for table in begun:
                played = opened[table.number]
                self.matches[str(played.match.id)] = played
                self._playing[held.number, table.number] = _Playing(held.number, table, played)

    def _begins(self, held: HeldRound, table: PairedTable) -> bool:
        return table.started and not table.is_over and (held.number, table.number) not in self._playing

    def _play_board(self, held: HeldRound, tables: dict[int, PlayedOut]) -> None:
        """Play all tables of a round with the same dice, until the last of them has ended."""
        tournament, stage = self.tournament, len(self.tournament.stages)
        drawers: list[Drawer] = [
            (tournament.entrants[number].player, "server") for number in drawers_of(tournament, stage, held)
        ]
        board = PlayedBoard(board_rules(tournament, stage, held), drawers, self._ledger, self._draw, self._at)
        board.play(tables)
        self.boards[str(board.id)] = board

    def _open_table(self, held: HeldRound, table: PairedTable) -> PlayedOut:
        tournament = self.tournament
        stage = len(tournament.stages)
        name = match_id(str(tournament.id), stage, held.number, table.number, table.attempt)
        if name in self.matches:
            # Whoever resumes finds it played.
            return self.matches[name]
        players = [tournament.entrants[number].player for number in table.seats]
        rules = match_object(tournament, stage, held, table)
        return PlayedOut(UUID(name), rules, players, self._ledger, self._draw, self._at)

    def _record(self, ends: _Playing) -> None:
        table, played = ends.table, ends.played
        came = match_outcome(played.match, table.seats)
        del self._playing[ends.round, table.number]
        self._at = max(self._at, played.match.at)
        self.do(
            commands.Record(
                by=RULE, round=ends.round, table=table.number, attempt=table.attempt, match=str(played.match.id),
                version=played.match.version, head=played.head, how="played", ranking=came.ranking, units=came.units,
            )
        )  # fmt: skip

    def luck(self) -> tuple[LuckRow, ...]:
        """Return how far everybody's dice were above or below their mean in the matches that were played."""
        place = {entrant.player: number for number, entrant in self.tournament.entrants.items()}
        played = ((each.match, luck_of_match(each.lines)) for each in self.matches.values())
        return luck_rows(
            ([place[match.seated[seat].player] for seat in sorted(match.seated)], found) for match, found in played
        )

    def record(self) -> bytes:
        """Return the record file of the tournament, which is over.

        Raises:
            Refused: It is not.
        """
        if not self.tournament.ended:
            raise Refused("wrong_phase", phase=self.tournament.phase)
        return self._ledger.record(stream_of(self.tournament.id), self.lines, self._sizes)
