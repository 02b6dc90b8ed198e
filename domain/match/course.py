"""The course of one command: the events as they come about, and the match, the dealer and the secrets they lead to."""

from __future__ import annotations

from domain import commands, events
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, UnixMs
from domain.match import ceremony as ceremonies
from domain.match.ceremony import Ceremony
from domain.match.evolve import Match, evolve
from domain.table import decide as table
from domain.table.dealer import Dealer


class Course:
    """The events of one command as they come about, and the match they lead to."""

    def __init__(self, match: Match, at: UnixMs, keeper: DealSecrets | None, command: commands.MatchCommand) -> None:
        """Begin with this match, at this time in Unix milliseconds, with the secrets of its deal."""
        self.match = match
        self.at = at
        self.keeper = keeper
        self.acting: Seat | None = getattr(command, "seat", None)
        self.events: list[events.Event] = []
        self.steps: list[Match] = []
        self.secrets: dict[str, bytes] = {}

    def add(self, *happened: events.Event) -> None:
        """Let this happen."""
        for event in happened:
            self.match = evolve(self.match, event, self.at)
            self.events.append(event)
            self.steps.append(self.match)

    @property
    def table(self) -> table.State:
        """The game, which has begun."""
        assert self.match.table is not None
        return self.match.table

    @property
    def ceremony(self) -> Ceremony:
        """The current deal, which there is."""
        assert self.match.ceremony is not None
        return self.match.ceremony

    @property
    def deal_secrets(self) -> DealSecrets:
        """The secrets of the current deal."""
        assert self.keeper is not None, "only programs with the dealer role decide"
        assert self.keeper.number == self.ceremony.deal
        return self.keeper

    @property
    def dealer(self) -> Dealer:
        """Who knows the dice of the current deal, once they are determined."""
        mixed = None if self.match.ceremony is None else self.match.ceremony.mix
        return table.NO_DICE if mixed is None else self.deal_secrets.open_deal(mixed)

    def play(self, command: commands.TableCommand) -> None:
        """Let happen what the rules of the game say to a command.

        Raises:
            Refused: They say no.
        """
        self.add(*table.decide(self.table, command, self.dealer))

    def forfeit(self, command: commands.Forfeit, dealer: Dealer) -> None:
        """Take a seat out. Nobody wins by being away: where that would be so, the match ends without a winner."""
        *happened, last = table.decide(self.table, command, dealer)
        self.add(*happened, events.SessionClosed() if self._is_empty_win(command, last) else last)

    def _is_empty_win(self, command: commands.Forfeit, last: events.Event) -> bool:
        absence, leaver = self.match.absence, command.seat
        # Nor does anybody win or lose by a kick, or a host who plays could take out whoever stands better; nor where an
        # official has ruled already.
        if command.reason == "kicked" or self.match.stopped is not None:
            return isinstance(last, events.Won | events.Lost)
        if absence is None:
            return False
        if isinstance(last, events.Won):
            return absence.is_away(last.seat)
        others = any(seat in absence.turns for seat in self.table.remaining if seat != leaver)
        return isinstance(last, events.Lost) and leaver not in absence.turns and others

    def deal(self) -> None:
        """Begin the next round, or close the deal where a number came up that was played before."""
        command = table.next_deal(self.table)
        assert table.refusal_of(self.table, command) is None, "all that is left to refuse is `bill_used`"
        try:
            self.play(command)
        except Refused:
            self.close_deal()

    def close_deal(self) -> None:
        """End the current deal."""
        self.add(ceremonies.close_deal(self.deal_secrets, self.match.policy))
