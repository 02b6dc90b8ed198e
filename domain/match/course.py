"""The course of one command: the events as they come about, and the match, the dealer and the secrets they lead to."""

from __future__ import annotations

from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.openings import DealSecrets, SealedPositions
from domain.ids import CupId, Seat, UnixMs
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
        for each in happened:
            event = self._opened(each) if isinstance(each, events.ChoicesRevealed) else each
            self.match = evolve(self.match, event, self.at)
            self.events.append(event)
            self.steps.append(self.match)

    def _opened(self, event: events.ChoicesRevealed) -> events.ChoicesRevealed:
        """Return choices with what opens the seals of seats; where all dice are published the deal opens them."""
        if self.match.policy == "all":
            return event
        choices = [self._with_salt(event.cup, choice) for choice in event.choices]
        return replace(event, choices=tuple(choices))

    def _with_salt(self, cup: CupId, choice: events.Choice) -> events.Choice:
        salts = [each.salt for each in self.deal_secrets.handled.values() if _opens(each, cup, choice)]
        return replace(choice, salt=salts[0]) if salts else choice

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


def _opens(sealed: SealedPositions, cup: CupId, choice: events.Choice) -> bool:
    """Report whether the salt of a seat opens a choice of a cup to whoever knows no more than what is shown of it.

    Positions that were sealed in another order than everybody reads them in, it does not.
    """
    asked = sealed.positions
    said = (sealed.cup, sealed.roll, asked.outside, asked.roll_inside, asked.roll_outside)
    shown = (cup, choice.roll, choice.outside, choice.roll_inside, choice.roll_outside)
    return said == shown and len(asked.inside) < 2  # noqa: PLR2004 - one has no order
