"""Layer 3 of a tournament's record: its laws, replayed.

A record is a sequence of commands and what they led to. So the referee does again what the tournament did: it takes
each command from the first event it left, decides it anew from the lines before, and asks that the record says the
same. A lot that was not drawn, a table that the law does not give, standings that do not follow from the results, a
prize that is wrong: each is a line that differs, and its code says what it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeGuard

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain import events as of_lots
from domain.audit.asked import COMMANDS, OF_ENTRANTS, penalty_behind, result_behind, step_of_lots
from domain.audit.boards import BoardOfRound, board_of_round
from domain.audit.published import NOTHING, PublishedChance, PublishedDeal, published_of
from domain.errors import Refused
from domain.events import type_of
from domain.events.base import BaseEvent
from domain.fairness.faults import Code
from domain.fairness.openings import DealSecrets
from domain.fairness.records import RecordLine
from domain.fairness.signing.entrants import is_signed
from domain.log import canonical
from domain.log.notes import Verify
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import HOST
from domain.tournaments.deciding.decide import TournamentDecision, decide
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE, event_of
from domain.tournaments.evolve import new_tournament
from domain.tournaments.field import StageField
from domain.tournaments.formats.dutch import LAW, SEATS, DutchReport, dutch_report
from domain.tournaments.formats.table import format_of
from domain.tournaments.matches import MatchAtTable, keys_at, match_object, rules_digest
from domain.tournaments.rules import object_of
from domain.tournaments.tournament import Place, Tournament

_BEFORE_DEALS = (events.PlayerWithdrawn, of_lots.SeatJoined, of_lots.SeedCustody, of_lots.DealClosed)
"""What the command that begins a deal of lots may lead to before it."""
_OfDeals = of_lots.DealCommitted | of_lots.SeedCommitted | of_lots.SeedOpened | of_lots.DealClosed
CODES: Final[dict[type[BaseEvent], Code]] = {
    events.TablesPaired: "E_PAIRING",
    events.StageOpened: "E_PAIRING",
    events.ResultRecorded: "E_RESULT",
    events.TournamentRoundClosed: "E_STANDING",
    events.StageClosed: "E_STANDING",
    events.TournamentFinished: "E_STANDING",
}
"""What a line that differs is about; anything else is `E_RULES`."""


class TournamentRuling(Struct, frozen=True):
    """What layer 3 found.

    Attributes:
        code: What is wrong; None if nothing is.
        line: Where, from 1.
        upto: The last line that could be judged: earlier than the last where the secret of a deal is not published yet.
        why: What is wrong, or what was found, in a sentence.
        tournament: How it stands after the last line that was judged.
        results: The results that name a match: the line, from 1, and what it says.
        seats: Who sat where in it, in seat order, by that line.
        matches: What its record has to say of it, by that line.
        boards: What the records of its duplicate boards have to say, by the lines that paired their tables.
        packaged: By their lines, rounds that a package has paired, and the report it had.
        earlier: The lines, from 1, that follow from the laws as they were before they were mended.
    """

    code: Code | None = None
    line: int | None = None
    upto: int = 0
    why: str = ""
    tournament: Tournament | None = None
    results: tuple[tuple[int, events.ResultRecorded], ...] = ()
    seats: dict[int, tuple[int, ...]] = {}
    matches: dict[int, MatchAtTable] = {}
    boards: dict[int, BoardOfRound] = {}
    packaged: dict[int, tuple[DutchReport, commands.GivenPairing]] = {}
    earlier: tuple[int, ...] = ()


class _Foul(Exception):  # noqa: N818 - never leaves this file
    def __init__(self, line: int, why: str, code: Code = "E_RULES") -> None:
        super().__init__(why)
        self.line, self.why, self.code = line, why, code


class _Unsettled(Exception):  # noqa: N818 - never leaves this file
    """What decides about the lines after this one is not in the record, or not yet."""


def replay_tournament(lines: Sequence[RecordLine], raw: Sequence[bytes], verify: Verify) -> TournamentRuling:
    """Return what the laws say to a record that has passed layers 1 and 2.

    Args:
        lines: Its event lines.
        raw: The same as they stand.
        verify: Checks Ed25519, for what entrants have signed.

    Cost: that of pairing every round once more, and a verification for each word of an entrant on the own key.
    """
    record = _TournamentRecord(lines, raw, verify)
    try:
        record.replay()
    except _Foul as foul:
        return TournamentRuling(foul.code, foul.line, foul.line, foul.why)
    except _Unsettled as unsettled:
        return record.ruling(str(unsettled))
    return record.ruling("every line follows from the rules, the results and the lots")


class _TournamentRecord:
    """A record on its way through the referee."""

    def __init__(self, lines: Sequence[RecordLine], raw: Sequence[bytes], verify: Verify) -> None:
        self.lines = lines
        self.raw = raw
        self.verify = verify
        self.next = 1
        self.events: list[events.TournamentEvent] = []
        self.tournament: Tournament | None = None
        self.seats: dict[int, tuple[int, ...]] = {}
        self.matches: dict[int, MatchAtTable] = {}
        self.boards: dict[Place, tuple[int, BoardOfRound]] = {}
        self.packaged: dict[int, tuple[DutchReport, commands.GivenPairing]] = {}
        self.earlier: list[int] = []
        self.told: dict[int, PublishedDeal] = {}
        self.seeds: dict[int, dict[int, bytes]] = {}

    def ruling(self, why: str) -> TournamentRuling:
        """Return what was found where nothing is wrong."""
        results = tuple(
            (number, event)
            for number, event in enumerate(self.events[: self.next], start=1)
            if isinstance(event, events.ResultRecorded) and event.match is not None
        )
        return TournamentRuling(
            upto=self.next, why=why, tournament=self.tournament, results=results, seats=self.seats,
            matches=self.matches, boards=dict(self.boards.values()), packaged=self.packaged,
            earlier=tuple(self.earlier),
        )  # fmt: skip

    def replay(self) -> None:
        """Decide everything anew.

        Raises:
            _Foul: Something does not follow.
            _Unsettled: The record ends before it can be told.
        """
        self.events = [_decoded(line) for line in self.lines]
        self._gather()
        first = self.events[0]
        assert isinstance(first, events.TournamentCreated), "layer 2 has seen to it"
        tournament, keeper = self._new(first), None
        while self.next < len(self.lines):
            made = self._decide_as_written(tournament, keeper)
            self._check_signed(tournament, made)
            self._note_matches(tournament, made)
            tournament, keeper = made.tournament, made.keeper
            self.tournament = tournament

    def _gather(self) -> None:
        """Gather what the deals of lots have published."""
        self.told = published_of(event for event in self.events if isinstance(event, _OfDeals))
        for event in self.events:
            if isinstance(event, of_lots.SeedOpened):
                self.seeds.setdefault(event.deal, {})[event.seat] = bytes.fromhex(event.seed)

    def _new(self, first: events.TournamentCreated) -> Tournament:
        try:
            tournament = new_tournament(first, self.lines[0].at)
        except Refused as refused:
            raise _Foul(1, f"these are no rules of a tournament: {refused}") from refused
        if object_of(tournament.rules) != first.rules:
            raise _Foul(1, "the rules object does not spell every option out")
        self.tournament = tournament
        return tournament

    def _decide_as_written(self, tournament: Tournament, keeper: DealSecrets | None) -> TournamentDecision:
        """Return what the next command leads to by today's laws, or by earlier ones where the record follows these.

        Nothing in a record says which laws it was written under, so whoever accepts the earlier ones says it.

        Raises:
            _Foul: It follows from neither; what today's laws say is told.
        """
        begins = self.next
        try:
            return self._decided(tournament, keeper)
        except _Foul as foul:
            self.next = begins
            try:
                made = self._decided(replace(tournament, earlier=True), keeper)
            except _Foul:
                raise foul from None
            self.earlier.append(self.lines[begins].number)
            return replace(made, tournament=replace(made.tournament, earlier=False))

    def _decided(self, tournament: Tournament, keeper: DealSecrets | None) -> TournamentDecision:
        made = self._decide_next(tournament, keeper)
        self._compare(made)
        return made

    def _decide_next(self, tournament: Tournament, keeper: DealSecrets | None) -> TournamentDecision:
        line, event = self.lines[self.next], self.events[self.next]
        if line.at < tournament.at:
            raise _Foul(line.number, "time runs backwards")
        command = self._command_behind(tournament, event)
        try:
            return decide(tournament, command, line.at, canonical.head(self.raw[self.next - 1]), keeper)
        except Refused as refused:
            raise _Foul(
                line.number, f"{line.kind} is refused: {refused}", CODES.get(type(event), "E_RULES")
            ) from refused

    def _compare(self, made: TournamentDecision) -> None:
        for expected in made.events:
            if self.next == len(self.lines):
                raise _Unsettled(f"the record ends in the middle of what line {self.next} led to")
            line, event = self.lines[self.next], self.events[self.next]
            if event != expected:
                wanted = type_of(expected)
                raise _Foul(line.number, f"the laws call for another line here: {wanted}", _code_of(expected, event))
            if line.at != made.tournament.at:
                raise _Foul(line.number, f"{line.kind} follows of itself, and so at the same time as what it follows")
            self.next += 1

    def _check_signed(self, before: Tournament, made: TournamentDecision) -> None:
        """Check that an entrant has signed what is said of the own key, over the line that it says."""
        for event in made.events:
            if isinstance(event, events.PlayerKeyed) and event.signed is not None:
                head = bytes.fromhex(canonical.head(self.raw[event.signed.version - 1]))
                if not is_signed(before.id, event.number, event.key, event.signed, head, self.verify):
                    why = f"entrant {event.number} has not signed this"
                    raise _Foul(self.lines[self.next - 1].number, why, "E_SIGNED")

    def _note_matches(self, before: Tournament, made: TournamentDecision) -> None:
        """Note what the record of a match has to say whose result has just been recorded."""
        for line, event in enumerate(made.events, start=self.next - len(made.events) + 1):
            if isinstance(event, events.ResultRecorded):
                held = before.stages[event.stage - 1].rounds[event.round]
                table = held.tables[event.table]
                entrants = [before.entrants[number] for number in table.seats]
                rules = rules_digest(match_object(before, event.stage, held, table))
                self.seats[line] = table.seats
                self.matches[line] = MatchAtTable(
                    rules, tuple(each.player for each in entrants), keys_at(entrants, held.line)
                )
            given = _given(event)
            if isinstance(event, events.TablesPaired) and given is not None:
                report = dutch_report(StageField(before, event.stage), event.round)
                self.packaged[line] = (report, given)
            if isinstance(event, events.TablesPaired) and format_of(before.stage_rules).boards:
                place = (event.stage, event.round)
                self.boards[place] = (line, board_of_round(made.tournament, place))

    # ---- the command behind a line --------------------------------------------------------------

    def _command_behind(self, tournament: Tournament, event: events.TournamentEvent) -> commands.AnyCommand:
        after = self.events[self.next + 1] if self.next + 1 < len(self.events) else None
        if isinstance(event, events.EntryClosed) and self._closes_at_check_in(event, after):
            return commands.OpenCheckIn(event.by)
        if isinstance(event, events.ResultRuled) and _is_table_loss(after):
            return penalty_behind(after)
        if type(event) in OF_ENTRANTS:
            return OF_ENTRANTS[type(event)](tournament, event)
        if isinstance(event, events.TableNoShow):
            if after is None:
                raise _Unsettled(f"the record ends in the middle of what line {self.next} led to")
            if not isinstance(after, events.ResultRecorded):
                raise _Foul(self.lines[self.next].number, "nothing came of a table that somebody did not come to")
            return result_behind(after)
        if isinstance(event, events.PlayerWithdrawn | events.TournamentCancelled) and event.by == RULE:
            return self._proceed(tournament)
        closed = self._closed()
        if closed is not None:
            return self._proceed(tournament) if closed.by == RULE else commands.Finish(by=closed.by)
        step = step_of_lots(tournament, event)
        if step is not None:
            return step
        behind = COMMANDS.get(type(event))
        return self._proceed(tournament) if behind is None else behind(event)

    def _closed(self) -> events.TournamentClosed | None:
        """Return the line that ends it, if the command that is decided next has led to that."""
        at = self.next
        while at < len(self.events) and isinstance(self.events[at], of_lots.DealVoided | of_lots.DealClosed):
            at += 1
        if at == len(self.events):
            raise _Unsettled(f"the record ends in the middle of what line {self.next} led to")
        last, at_once = self.events[at], self.lines[at].at == self.lines[self.next].at
        return last if at_once and isinstance(last, events.TournamentClosed) else None

    def _closes_at_check_in(self, event: events.EntryClosed, after: events.TournamentEvent | None) -> bool:
        """Report whether entry ended only since people were asked to check in."""
        at_once = isinstance(after, events.CheckInOpened) and after.by == event.by
        return at_once and self.lines[self.next + 1].at == self.lines[self.next].at

    def _proceed(self, tournament: Tournament) -> commands.Proceed:
        """Return what somebody asked for who had done what is due, with the chance that has been published since."""
        deal = tournament.deals
        told = self.told.get(deal, PublishedDeal(NOTHING))
        if told.secret is None and self._begins_deal():
            raise _Unsettled(f"the deal of lots after line {self.next} is not closed yet")
        seeds = dict.fromkeys(range(1, 256), NOTHING) | self.seeds.get(deal, {})
        chance = PublishedChance(told.secret or NOTHING, seeds, told)
        head = canonical.head(self.raw[tournament.dealt_seq - 1]) if tournament.dealt_seq else None
        given = _given(self._paired())
        return commands.Proceed(by=self._who(tournament), chance=chance, head=head, given=given)

    def _begins_deal(self) -> bool:
        """Report whether the command that is decided next begins a deal of lots."""
        first = next((each for each in self.events[self.next :] if not isinstance(each, _BEFORE_DEALS)), None)
        return isinstance(first, of_lots.DealCommitted)

    def _paired(self) -> events.TournamentEvent | None:
        """Return the line that is next but for a roll that it uses."""
        at = self.next + 2 * isinstance(self.events[self.next], of_lots.Rolled)
        return self.events[at] if at < len(self.events) else None

    def _who(self, tournament: Tournament) -> str:
        """Return who asked: a pairing says it, and sooner than it is due nobody but a host may."""
        paired = self._paired()
        if isinstance(paired, events.TablesPaired):
            return paired.by
        step = due(tournament)
        if step is None or self.lines[self.next].at < step.at:
            return next((who for who, role in tournament.officials.items() if role == HOST), RULE)
        return RULE


def _decoded(line: RecordLine) -> events.TournamentEvent:
    if "type" in line.data:
        raise _Foul(line.number, f"{line.kind} has no member of this name: type")
    try:
        return event_of(line.kind, line.data)
    except (msgspec.ValidationError, ValueError) as error:
        raise _Foul(line.number, f"{line.kind} is no line of a tournament") from error


def _given(event: events.TournamentEvent | None) -> commands.GivenPairing | None:
    """Return the tables of a round that a package has paired; None for any other line."""
    if not isinstance(event, events.TablesPaired) or not event.law.startswith(LAW):
        return None
    pairs = tuple((seats[0], seats[1]) for _, seats in event.tables if len(seats) == SEATS)
    return commands.GivenPairing(event.law, pairs, event.byes)


def _code_of(expected: BaseEvent, found: BaseEvent) -> Code:
    return CODES.get(type(expected)) or CODES.get(type(found), "E_RULES")


def _is_table_loss(event: events.TournamentEvent | None) -> TypeGuard[events.PenaltyImposed]:
    return isinstance(event, events.PenaltyImposed) and event.kind == "table_loss"
