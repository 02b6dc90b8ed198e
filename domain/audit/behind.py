"""The command behind a line of a match: what somebody must have asked for, or what was due, that it is the first of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET

from domain import commands, events
from domain.audit.access import Rights
from domain.audit.board_order import BoardOrder
from domain.audit.published import NOTHING, PublishedChance, PublishedDeal, PublishedDice
from domain.audit.rulings import Foul, Unsettled
from domain.audit.signing.signed import Signatures
from domain.fairness.openings import OpenDeal
from domain.fairness.records import RecordLine
from domain.ids import DealNumber, Seat
from domain.match.evolve import Match, is_in_ceremony
from domain.rules.rules import SharedCup
from domain.table.interlude import InterludeEvent
from domain.table.places import choice_of, handful
from domain.table.state import PASSED_CUP, State


class RecordAtHand:
    """A record on its way through the referee: what it tells, and how far it has come."""

    def __init__(self, lines: Sequence[RecordLine]) -> None:
        """Begin before its second line."""
        self.lines = lines
        self.events: list[events.Event] = []
        self.next = 1
        self.rights = Rights()
        self.dealer: OpenDeal | None = None
        self.told: dict[int, PublishedDeal] = {}
        self.unopened = 0
        self.seals: set[tuple[int, str]] = set()
        self.seeds: dict[int, dict[Seat, bytes]] = {}
        self.order: BoardOrder | None = None
        self.signatures = Signatures(lines)
        for line in lines:
            if line.kind == "seed.opened":
                self.seeds.setdefault(line.data["deal"], {})[line.data["seat"]] = bytes.fromhex(line.data["seed"])

    @property
    def line(self) -> RecordLine:
        """The line that is asked about."""
        return self.lines[self.next]

    @property
    def upto(self) -> int:
        """The last line that is judged."""
        return self.lines[self.next - 1].number

    def chance(self, match: Match) -> commands.Chance:
        """Return the chance the server drew for the next deal, now that it is published.

        Raises:
            Unsettled: The record has begun that deal, and not closed it.
        """
        # A deal before it may be closed first, and seats that have run out of time for seeds be spared them.
        ahead = self.events[self.next : self.next + 2 + len(match.seated)]
        begun = any(isinstance(event, events.DealCommitted) for event in [e for e in ahead if not _spares(e)][:2])
        if begun and match.policy == "all" and self._published_of(match.deals).secret is None:
            raise Unsettled(self.upto, f"the deal after line {self.upto} is not closed yet")
        return self._chance_of(match, match.deals)

    def late_chance(self, match: Match) -> commands.Chance:
        """Return the seeds the server drew for seats that gave none in time, in the deal that is already committed."""
        return self._chance_of(match, match.deals - 1)

    def stands(self, seal: str, dealer: OpenDeal) -> bool:
        """Report whether a seal stands in the deal before; honest ones are made under different keys, never equal."""
        known = (dealer.number, seal) in self.seals
        self.seals.add((dealer.number, seal))
        return known

    def _chance_of(self, match: Match, deal: DealNumber) -> commands.Chance:
        seeds, known = self.seeds.get(deal, {}), self._published_of(deal)
        drawn = {seat: seeds.get(seat, NOTHING) for seat in match.seated}
        return PublishedChance(NOTHING if known.secret is None else known.secret, drawn, known)

    def _published_of(self, deal: DealNumber) -> PublishedDeal:
        return self.told.get(deal, PublishedDeal(NOTHING))


def command_behind(record: RecordAtHand, match: Match, event: events.Event) -> commands.MatchCommand:
    """Return what led to the event that a record has come to, as far as its line and what is published say it.

    Raises:
        Foul: Nothing could.
        Unsettled: The record does not say it yet.
        Refused: What is sealed is nothing that could be asked for.
    """
    signed = record.line.signed
    if signed is not None and signed.command["type"] == "roll":
        return commands.Roll(signed.seat)
    if isinstance(event, InterludeEvent):
        asked = _advance(record, match, event) if event.of_table else event.command()
        return _no_command(record, match, event) if asked is None else asked
    return _COMMANDS.get(type(event), _no_command)(record, match, event)


def _no_command(record: RecordAtHand, _match: Match, event: events.Event) -> commands.MatchCommand:
    raise Foul(record.line.number, f"nobody asked for {events.type_of(event)}")


def _join(record: RecordAtHand, _match: Match, event: events.SeatJoined) -> commands.MatchCommand:
    after = record.events[record.next + 1] if record.next + 1 < len(record.events) else None
    server = isinstance(after, events.SeedCustody) and after.seat == event.seat
    key = None if event.key is UNSET else event.key
    name = None if event.name is UNSET else event.name
    return commands.Join(event.player, "server" if server else "client", event.seat, key, name)


def _rekey(_record: RecordAtHand, _match: Match, event: events.SeatKeyed) -> commands.MatchCommand:
    return (commands.Rekey if event.by == "seat" else commands.NameKey)(event.seat, event.key)


def _start(record: RecordAtHand, match: Match, _event: events.Started) -> commands.MatchCommand:
    if match.table is not None:
        raise Foul(record.line.number, "the match had started before")
    return commands.Start(record.chance(match))


def _spares(event: events.Event) -> bool:
    return isinstance(event, events.SeedCustody)


def _advance(record: RecordAtHand, match: Match, event: events.Event) -> commands.MatchCommand:
    spared = _spares(event) and not is_in_ceremony(match)
    begins = spared or isinstance(event, events.DealCommitted | events.DealClosed)
    return commands.Advance(record.chance(match) if begins else record.late_chance(match))


def _ask_to_end(record: RecordAtHand, match: Match, event: events.EndAsked) -> commands.MatchCommand:
    """Return who asked for the end: the host, or the table at a lobby that expired, or at bots that play for nobody."""
    if event.why == "host":
        return commands.EndMatch(None if event.reason is UNSET else event.reason)
    return commands.CloseUnattended() if event.why == "unattended" else _advance(record, match, event)


def _resume(record: RecordAtHand, match: Match, event: events.Resumed) -> commands.MatchCommand:
    return commands.ResumeTable() if event.why == "host" else _advance(record, match, event)


def _stand_in(_record: RecordAtHand, _match: Match, event: events.StoodIn) -> commands.MatchCommand:
    """Return who had a bot stand in. What the table does by its rules comes after the turn that is over."""
    return commands.StandIn(event.seat) if event.why == "seat" else commands.StandInFor(event.seat)


def _take_back(_record: RecordAtHand, _match: Match, event: events.TakenBack) -> commands.MatchCommand:
    return commands.TakeBack(event.seat) if event.why == "seat" else commands.GiveSeatBack(event.seat)


def _cause_of_void(record: RecordAtHand, match: Match, event: events.DealVoided) -> commands.MatchCommand:
    """Return what led to a void: time running out for a seat, or the log having a line too late for the beacon."""
    if event.reason != "late":
        return _advance(record, match, event)
    logged = match.ceremony is not None and match.ceremony.stage == "logged"
    return commands.FixDeal(event.deal, 0, (), "") if logged else commands.LogDeal(event.deal, 0, (), "")


def _hear_beacon(record: RecordAtHand, _match: Match, event: events.DealReady) -> commands.MatchCommand:
    if event.beacon is None:
        raise Foul(record.line.number, "the deal waits for its beacon")
    return commands.HearBeacon(event.deal, event.beacon.round, event.beacon.signature)


def _arrange(record: RecordAtHand, match: Match, event: events.Arranged) -> commands.MatchCommand:
    """Return the handling behind an event: the secret of the deal opens what was sealed (CUP/1 section 4.12).

    A seat that signs has had it sealed itself, and where that is published it is what is decided anew.
    """
    asked = record.signatures.positions(record.line)
    if asked is not None:
        return asked
    number = record.line.number
    place = None if match.table is None else match.table.places.get(event.cup)
    if place is None or match.table is None or match.table.place_of(event.seat) != place or record.dealer is None:
        raise Foul(number, "nobody here has dice to handle")
    before = handful(place, record.dealer)
    shown = {*before.outside}
    if not {*event.outside} <= {*before.inside} or not {*event.taken} <= shown:
        raise Foul(number, "these dice do not lie there")
    counts = (event.roll_inside, event.roll_outside)
    if min(counts) < 0 or sum(counts) > len(place.dice) or event.roll != _next_roll(match.table, event):
        raise Foul(number, "this is not the next roll of the cup")
    if event.roll is None and event.choice is not None:
        raise Foul(number, "nothing is rolled, and so nothing is sealed")
    if event.choice is not None and record.stands(event.choice, record.dealer):
        raise Foul(number, "this seal stands in the deal before")
    if isinstance(record.dealer, PublishedDice):
        record.unopened += record.dealer.suppose(before, event, place, record.next)
    chosen = choice_of(before, event, place, record.dealer)
    rolled = {*chosen.roll_inside, *chosen.roll_outside}
    numbers = {at: position for position, at in enumerate((*before.inside, *before.outside))}
    hides = tuple(position for position in (numbers[at] for at in event.taken) if position not in rolled)
    return commands.Arrange(event.seat, chosen.outside, hides, chosen.roll_inside, chosen.roll_outside)


def _next_roll(state: State, event: events.Arranged) -> int | None:
    return state.rolls.get(event.cup, 0) if event.roll_inside + event.roll_outside else None


def _open_round(record: RecordAtHand, match: Match, event: events.RoundOpened) -> commands.MatchCommand:
    """Return the roll that opens a round where a cup is passed on; elsewhere the table opens it."""
    if match.table is not None and isinstance(match.table.rules.tokens, SharedCup):
        return commands.Roll(event.starter)
    return _advance(record, match, event)


def _roll(record: RecordAtHand, match: Match, event: events.Rolled) -> commands.MatchCommand:
    if event.cup == PASSED_CUP and match.table is not None and match.table.turn is not None:
        return commands.Roll(match.table.turn)
    return _advance(record, match, event)


def _release(record: RecordAtHand, match: Match, event: events.Released) -> commands.MatchCommand:
    """Return what let a round be judged: it was over at all tables before, and not judged here until then."""
    why = "" if record.order is None else record.order.fault_at_release(match, event, record.next)
    if why:
        raise Foul(record.line.number, why)
    return commands.ReleaseRound(event.board, event.seq, event.head)


def _give_back(_record: RecordAtHand, match: Match, event: events.ClockSet) -> commands.MatchCommand:
    due = None if match.clocks is None else match.clocks.due_at
    return commands.GiveBack(0 if due is None or event.due_at is None else event.due_at - due)


_GETS_UP: Final[Mapping[str, Callable[[Seat], commands.MatchCommand]]] = {
    "no_show": commands.LeaveOut,
    "rejoins": commands.StandUp,
}

_COMMANDS: Final[dict[type[events.Event], Callable[[RecordAtHand, Match, Any], commands.MatchCommand]]] = {
    events.SeatJoined: _join,
    events.SeatLeft: lambda _r, _m, e: _GETS_UP.get(e.reason, commands.Leave)(e.seat),
    events.SeatKeyed: _rekey,
    events.Started: _start,
    events.SeedCommitted: lambda _r, _m, e: commands.CommitSeed(e.seat, e.deal, e.commit),
    events.DealLogged: lambda _r, _m, e: commands.LogDeal(e.deal, e.index, e.path, e.checkpoint),
    events.SeedOpened: lambda _r, _m, e: commands.OpenSeed(e.seat, e.deal, e.seed),
    events.FirstChosen: lambda _r, _m, e: commands.ChooseFirst(e.seat, e.who),
    events.Bid: lambda _r, _m, e: commands.Bid(e.seat, e.quantity, e.face),
    events.HandClaimed: lambda _r, _m, e: commands.ClaimHand(e.seat, e.shape, e.faces),
    events.Declared: lambda _r, _m, e: commands.Declare(e.seat, e.special, e.to),
    events.Accepted: lambda _r, _m, e: commands.Accept(e.seat),
    events.Caught: lambda _r, _m, e: commands.Catch(e.seat),
    events.CountAsked: lambda _r, _m, e: commands.AskCount(e.seat),
    events.BillsDemanded: lambda _r, _m, e: commands.DemandBills(e.seat),
    events.Challenged: lambda _r, _m, e: commands.Challenge(e.seat),
    events.SpotOnCalled: lambda _r, _m, e: commands.SpotOn(e.seat),
    events.Passed: lambda _r, _m, e: commands.Pass(e.seat),
    events.Arranged: _arrange,
    events.Forfeited: lambda _r, _m, e: commands.Forfeit(e.seat),
    events.MatchEnded: lambda _r, _m, _e: commands.CloseSession(),
    events.EndAsked: _ask_to_end,
    events.Paused: lambda _r, _m, e: commands.PauseTable(e.reason),
    events.Resumed: _resume,
    events.StoodIn: _stand_in,
    events.TakenBack: _take_back,
    events.TimeGiven: lambda _r, _m, e: commands.GiveTime(e.seat, e.ms, e.reason),
    events.HandedOver: lambda _r, _m, e: commands.HandOver(e.to),
    events.Locked: lambda _r, _m, _e: commands.LockTable(),
    events.Unlocked: lambda _r, _m, _e: commands.UnlockTable(),
    events.Kicked: lambda _r, _m, e: commands.Kick(e.seat, e.reason),
    events.Continued: lambda _r, _m, e: commands.Continue(e.seat),
    events.SeatReady: lambda _r, _m, e: commands.SayReady(e.seat),
    events.LastRoundSet: lambda _r, _m, _e: commands.LastRound(),
    events.Stopped: lambda _r, _m, e: commands.StopMatch(e.line),
    events.DealShared: lambda _r, _m, e: commands.ShareDeal(e.deal, e.board, e.root, e.mix, e.head),
    events.Released: _release,
    events.SessionClosed: lambda _r, _m, _e: commands.CloseSession(),
    events.ClockSet: _give_back,
    events.SeedCustody: _advance,
    events.DealVoided: _cause_of_void,
    events.DealFixed: lambda _r, _m, e: commands.FixDeal(e.deal, e.index, e.path, e.checkpoint),
    events.DealReady: _hear_beacon,
    events.DealCommitted: _advance,
    events.DealClosed: _advance,
    events.Rolled: _roll,
    events.RoundOpened: _open_round,
    events.TimedOut: _advance,
    events.Absent: _advance,
    events.Posted: _advance,
}
