"""The course of one command of a tournament: its events as they come about, and what they lead to."""

from __future__ import annotations

from domain.errors import Refused
from domain.fairness.openings import DealSecrets, OpenDeal
from domain.ids import UnixMs
from domain.match.ceremony import Ceremony
from domain.tournaments.commands import Ruling
from domain.tournaments.events import TournamentEvent
from domain.tournaments.evolve import evolve
from domain.tournaments.tournament import Entrant, HeldRound, PlayedStage, Tournament

HOST = "host"


class TournamentCourse:
    """The events of one command as they come about, and the tournament they lead to.

    Attributes:
        tournament: How it stands.
        at: The time of the command, in Unix milliseconds.
        head: The hash of the last line before the command, as hex.
        keeper: The secrets of the deal of lots, if there is one.
        events: What has happened.
        secrets: What has to be stored, wrapped, in the same transaction.
    """

    def __init__(self, tournament: Tournament, at: UnixMs, head: str, keeper: DealSecrets | None) -> None:
        """Begin with this tournament."""
        self.tournament = tournament
        self.at = at
        self.head = head
        self.upto = tournament.seq
        self.keeper = keeper
        self.events: list[TournamentEvent] = []
        self.steps: list[Tournament] = []
        self.secrets: dict[str, bytes] = {}

    def add(self, *happened: TournamentEvent) -> None:
        """Let this happen."""
        for event in happened:
            self.tournament = evolve(self.tournament, event, self.at)
            self.events.append(event)
            self.steps.append(self.tournament)

    @property
    def ceremony(self) -> Ceremony:
        """The deal of lots, which there is."""
        assert self.tournament.ceremony is not None
        return self.tournament.ceremony

    @property
    def deal_secrets(self) -> DealSecrets:
        """The secrets of that deal."""
        assert self.keeper is not None, "only programs with the dealer role decide"
        assert self.keeper.number == self.ceremony.deal
        return self.keeper

    @property
    def dealer(self) -> OpenDeal:
        """Who knows the lots, now that they are determined."""
        assert self.ceremony.mix is not None, "the deal is ready"
        return self.deal_secrets.open_deal(self.ceremony.mix)

    # ---- who asks, and about what ---------------------------------------------------------------

    def check_official(self, by: str) -> None:
        """Check that an official asks.

        Raises:
            Refused: `not_an_official`.
        """
        if by not in self.tournament.officials:
            raise Refused("not_an_official")

    def check_host(self, by: str) -> None:
        """Check that the host asks.

        Raises:
            Refused: `not_an_official`, `not_the_host`.
        """
        self.check_official(by)
        if self.tournament.officials[by] != HOST:
            raise Refused("not_the_host")

    def entrant(self, number: int) -> Entrant:
        """Return the entrant with this number.

        Raises:
            Refused: `unknown_number`.
        """
        found = self.tournament.entrants.get(number)
        if found is None:
            raise Refused("unknown_number", number=number)
        return found

    def check_own(self, by: str, number: int) -> Entrant:
        """Return an entrant who asks for himself, or for whom an official asks.

        Raises:
            Refused: `unknown_number`, `not_yours`.
        """
        found = self.entrant(number)
        if found.player != by and by not in self.tournament.officials:
            raise Refused("not_yours")
        return found

    def check_own_or_host(self, by: str, number: int) -> Entrant:
        """Return an entrant who asks for himself, or for whom the host asks: arbiters put nobody in or out.

        Raises:
            Refused: `not_the_host`, `unknown_number`, `not_yours`.
        """
        found = self.tournament.entrants.get(number)
        if by in self.tournament.officials and (found is None or found.player != by):
            self.check_host(by)
        return self.check_own(by, number)

    def check_reason(self, ruling: Ruling) -> None:
        """Check that something is said where the reason says nothing; what is wrong besides is told first.

        Raises:
            Refused: `reason_needed`.
        """
        if ruling.reason == "other" and ruling.note is None:
            raise Refused("reason_needed")

    def check_phase(self, *phases: str) -> None:
        """Check that the tournament is in one of these phases.

        Raises:
            Refused: `wrong_phase`.
        """
        if self.tournament.phase not in phases:
            raise Refused("wrong_phase", phase=self.tournament.phase)

    def check_input(self, *phases: str) -> None:
        """Check the phase, and that no lot is being drawn for what is on record: then nothing more is put there.

        Raises:
            Refused: `wrong_phase`.
        """
        self.check_phase(*phases)
        if self.tournament.awaits_lot:
            raise Refused("wrong_phase", phase=self.tournament.phase, why="a lot is being drawn for what is on record")

    def is_beyond(self, number: int) -> bool:
        """Report whether the stage that is played has no round of this number, as far as is known."""
        planned = self.stage.rounds_planned
        return planned is not None and number > planned

    @property
    def stage(self) -> PlayedStage:
        """The stage that is played.

        Raises:
            Refused: `wrong_phase`.
        """
        self.check_phase("running", "finished")
        stage = self.tournament.stage
        assert stage is not None, "it runs"
        return stage

    def round(self, number: int | None = None, stage: int | None = None) -> HeldRound:
        """Return a round, the one that is played or was last if nothing is said.

        Raises:
            Refused: `wrong_phase`, `not_paired`.
        """
        chosen = self.stage
        if stage is not None and not 1 <= stage <= len(self.tournament.stages):
            raise Refused("not_paired", stage=stage)
        if stage is not None:
            chosen = self.tournament.stages[stage - 1]
        found = chosen.played if number is None else chosen.rounds.get(number)
        if found is None or not found.is_paired:
            raise Refused("not_paired", round=chosen.next_number if number is None else number)
        return found

    def open_round(self, number: int | None = None) -> HeldRound:
        """Return a round that is played, the last one that is if nothing is said.

        Raises:
            Refused: `wrong_phase`, `not_paired`.
        """
        found = self.round(number)
        if found.closed_at is not None:
            raise Refused("not_paired", round=found.number + 1)
        return found
