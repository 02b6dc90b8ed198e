"""Tournament as its stream leaves it: who is in, where it stands, who sits where, what was ruled.

announced -> entry -> check_in -> drawing -> running -> finished -> closed
any of them before finished -> cancelled -> closed
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from msgspec import Struct

from domain.fairness.signing.entrants import EntrantKey
from domain.ids import Seat, UnixMs, Version
from domain.match.ceremony import Ceremony
from domain.seats import Player
from domain.tournaments import events
from domain.tournaments.rules import CountingLaw, Stage, TournamentRules
from domain.tournaments.schedules.ladder import LadderChallenge

Phase = Literal["announced", "entry", "check_in", "drawing", "running", "finished", "cancelled", "closed"]
Place = tuple[int, int]
"""A stage and a round of it."""


class Entrant(Struct, frozen=True):
    """Somebody who entered.

    Attributes:
        number: The number in this tournament, from 1, never given again.
        player: An opaque id.
        club: The opaque id of a club, if it has one.
        bot: Whether it says of itself that it is a bot.
        rating: (mu, sigma) in millionths when it entered.
        seed: The place in the order of seeds that a host gave it.
        is_in: Whether it was let in.
        turned_away: Whether an official sent it away, so that it comes back with one only.
        here: Whether it checked in.
        draws: Whether it gives a seed to the lots.
        checked: The place of the line that said so last.
        since: The first round it plays in.
        gone: The first round it does not play in, once withdrawn.
        absences: How often it was waited for in vain.
        disqualified: Whether it has no place.
        asked: In an arena, whether it said last that it waits for a table, or that it does not, and when.
        byes: The rounds it asked to be left out of, and for what.
        keyed: Its key; None while it has none.
    """

    number: int
    player: str
    club: str | None = None
    bot: bool = False
    rating: tuple[int, int] | None = None
    seed: int | None = None
    is_in: bool = True
    turned_away: bool = False
    here: bool = False
    draws: bool = False
    checked: int = 0
    since: Place = (1, 1)
    gone: Place | None = None
    absences: int = 0
    disqualified: bool = False
    byes: dict[Place, Literal["half", "zero"]] = {}
    asked: tuple[bool, UnixMs] | None = None
    keyed: EntrantKey | None = None

    @property
    def plays(self) -> bool:
        """Whether it is paired as things stand."""
        return self.is_in and self.here and self.gone is None and not self.disqualified


class PairedTable(Struct, frozen=True):
    """A table of a round.

    Attributes:
        number: From 1 at the top.
        seats: The numbers of those who sit there, in the seat order of the match that counts; the first opens.
        attempt: Which match of theirs counts, from 1.
        started: Whether its match is open.
        result: What it counts as by the record, once it has played all it plays.
        rulings: What officials have said of it and not lifted since, each with the place of its line; the last counts.
        over_at: When it first had a result that counts, and `over_line`, in which line.
        recorded: The place of the line of its result.
        legs: What was recorded of its matches since it began, or began again.
        opened_at: When the match that counts was open.
        began_at: When the first of these matches was.
    """

    number: int
    seats: tuple[int, ...]
    attempt: int = 1
    started: bool = False
    result: events.ResultRecorded | None = None
    rulings: tuple[tuple[int, events.ResultRuled], ...] = ()
    over_at: UnixMs | None = None
    over_line: int | None = None
    recorded: int | None = None
    legs: tuple[events.ResultRecorded, ...] = ()
    opened_at: UnixMs | None = None
    began_at: UnixMs | None = None

    @property
    def ruling(self) -> events.ResultRuled | None:
        """What an official said last."""
        return self.rulings[-1][1] if self.rulings else None

    @property
    def is_over(self) -> bool:
        """Whether it has a result that counts."""
        return self.counts is not None

    @property
    def counts(self) -> events.ResultRuled | events.ResultRecorded | None:
        """What it counts as; None while it counts as nothing yet."""
        return self.ruling or self.result

    @property
    def line(self) -> int | None:
        """The place in the stream of what it counts as; None while it counts as nothing."""
        return self.rulings[-1][0] if self.rulings else self.recorded

    @property
    def paired(self) -> tuple[int, ...]:
        """The numbers in the order in which they were paired: seats change after each leg that another follows."""
        changes = len(self.legs) - (self.result is not None)
        return self.seats[::-1] if changes % 2 else self.seats


class HeldRound(Struct, frozen=True):
    """A round of a stage.

    Attributes:
        number: From 1.
        law: Which law paired it.
        line: The place of its pairing in the stream.
        roll: The roll whose lots it was drawn by.
        byes: Who has a bye from the pairing.
        tables: By number.
        cost: What its grouping costs by `pods/1`, and `bound`, what none costs less than; None by another law.
        fixed: The tables that officials have set.
        freed: The tables of it that were taken back, with who sat there, until officials have seated these anew.
        used: How many attempts tables that were taken back may have used up: ids of matches are never used again.
        started_at: When its matches were open; None before.
        until: When it ends for all tables, if it does.
        closed_at: When its last result was in; None before.
        paired_at: When it was paired.
    """

    number: int
    law: str = ""
    line: int = 0
    roll: int | None = None
    byes: tuple[int, ...] = ()
    tables: dict[int, PairedTable] = {}
    cost: int | None = None
    bound: int | None = None
    fixed: tuple[tuple[int, ...], ...] = ()
    freed: dict[int, tuple[int, ...]] = {}
    started_at: UnixMs | None = None
    until: UnixMs | None = None
    closed_at: UnixMs | None = None
    used: int = 0
    paired_at: UnixMs = 0

    @property
    def is_paired(self) -> bool:
        """Whether it is known who sits where; a round that everybody asked to be left out of has no tables."""
        return bool(self.law)

    @property
    def missing(self) -> tuple[int, ...]:
        """The tables that have no result, ascending."""
        return tuple(number for number, table in sorted(self.tables.items()) if not table.is_over)

    @property
    def waiting(self) -> tuple[int, ...]:
        """The tables whose match is not open, ascending; none that was ruled on between two of its matches."""
        tables = sorted(self.tables.items())
        return tuple(number for number, table in tables if not (table.started or (table.is_over and table.legs)))


class PlayedStage(Struct, frozen=True):
    """A stage that has begun.

    Attributes:
        number: From 1.
        rounds_planned: How many rounds it has, where that is known from the start.
        seeds: Everybody who began it, in the order of the seeds.
        groups: The groups, where there are any.
        roll: The roll of its lots.
        lots: What that roll showed.
        rounds: By number.
        opened_at: When it began.
        overlaps: Whether the next round does not wait for the last one.
        counting: How what is played comes to standings.
        challenges: On a ladder, by number.
        closed: Its ranking, once it is over.
    """

    number: int
    rounds_planned: int | None
    seeds: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] | None = None
    roll: int | None = None
    lots: bytes = b""
    rounds: dict[int, HeldRound] = {}
    closed: events.Ranking | None = None
    advanced: tuple[int, ...] = ()
    closed_at: UnixMs | None = None
    opened_at: UnixMs = 0
    overlaps: bool = False
    counting: CountingLaw = CountingLaw()
    challenges: dict[int, LadderChallenge] = {}

    @property
    def last(self) -> HeldRound | None:
        """The last round that was begun."""
        return self.rounds[max(self.rounds)] if self.rounds else None

    @property
    def open_rounds(self) -> list[HeldRound]:
        """The rounds that are played, in order; more than one where the next does not wait for the last."""
        return [held for _, held in sorted(self.rounds.items()) if held.is_paired and held.closed_at is None]

    @property
    def has_paired(self) -> bool:
        """Whether it is known of any round who sits where."""
        return any(held.is_paired for held in self.rounds.values())

    @property
    def next_number(self) -> int:
        """The number of the round that comes next."""
        last = self.last
        if last is None:
            return 1
        if self.overlaps:
            return last.number + (last.closed_at is not None or last.is_paired)
        return min((each for each, held in self.rounds.items() if held.closed_at is None), default=last.number + 1)

    @property
    def played(self) -> HeldRound | None:
        """The round that is played or was last: not the last that was begun, where one before it is open again."""
        return self.rounds.get(self.next_number, self.last)

    @property
    def fixed_next(self) -> tuple[tuple[int, ...], ...]:
        """The tables that officials have set for the round that is paired next."""
        held = self.rounds.get(self.next_number)
        return () if held is None or held.is_paired else held.fixed


class Penalty(Struct, frozen=True):
    """A penalty that counts, by the line it stands in."""

    number: int
    kind: Literal["warning", "points", "table_loss", "disqualified"]
    points: str | None
    stage: int | None
    round: int | None
    table: int | None


class HeardAppeal(Struct, frozen=True):
    """An appeal, and what became of it.

    Attributes:
        number: Who appeals.
        line: The line it is against.
        note: The hash of its text.
        outcome: What was decided; None while nobody has.
        answer: The hash of the text beside the decision.
        lines: The places of what was done about it.
    """

    number: int
    line: int
    note: str | None = None
    outcome: Literal["upheld", "denied", "withdrawn"] | None = None
    answer: str | None = None
    lines: tuple[int, ...] = ()


class Tournament(Struct, frozen=True):
    """All that deciding needs to know.

    Attributes:
        entry_closed: Whether nobody enters any more but latecomers.
        officials: Who has which powers, by id.
        entrants: By number.
        check_in_until: Until when people check in.
        drawers: Who gives seeds to the lots, by drawer's seat; the first is the house.
        ceremony: The current or the last deal of lots.
        dealt_seq: The place of the line that began it.
        rolled: How many rolls of it are used up.
        opened: What the last roll showed.
        barred: Seats that withheld a seed.
        stages: Those that have begun.
        penalties: Those that count, by the place of their line.
        forbidden: Who may not sit together, by the place of the line that says so.
        appeals: By number.
        cases: The cases that officials have looked into.
        paused_at: When it was paused last.
        pauses: From when until when each pause lasted that is over.
        ruled: Who stands behind a line that says why, or that decides an appeal, by its place.
        changed_at: When the phase began.
        ranking: The places in the end.
        paid: What is won by them: the number, the exact share, whole units.
        outdated: Whether something was ruled since they were said.
        earlier: Whether it is decided as it was before some laws were mended. Nobody asks so but an auditor, of lines
            that were written then.
    """

    id: UUID
    rules: TournamentRules
    rules_hash: bytes
    phase: Phase = "announced"
    entry_closed: bool = False
    officials: dict[str, events.Role] = {}
    entrants: dict[int, Entrant] = {}
    check_in_until: UnixMs | None = None
    drawers: dict[Seat, Player] = {}
    ceremony: Ceremony | None = None
    deals: int = 0
    dealt_seq: int = 0
    rolled: int = 0
    opened: bytes = b""
    sealed_seq: int | None = None
    opened_seq: int | None = None
    barred: frozenset[Seat] = frozenset()
    stages: tuple[PlayedStage, ...] = ()
    paused: bool = False
    paused_at: UnixMs = 0
    pauses: tuple[tuple[UnixMs, UnixMs], ...] = ()
    penalties: dict[int, Penalty] = {}
    forbidden: dict[int, tuple[int, int]] = {}
    appeals: dict[int, HeardAppeal] = {}
    cases: frozenset[str] = frozenset()
    ruled: dict[int, str] = {}
    changed_at: UnixMs = 0
    ranking: events.Ranking = ()
    paid: tuple[tuple[int, str, int], ...] = ()
    outdated: bool = False
    earlier: bool = False
    version: Version = 1
    at: UnixMs = 0

    @property
    def has_own_deals(self) -> bool:
        """Whether each lot has a deal of its own, begun when all that it decides is on record."""
        return self.rules.lots.deal == "each"

    @property
    def awaits_lot(self) -> bool:
        """Whether such a deal is begun and its lot not drawn: nothing is taken that would change what it decides."""
        dealt = self.ceremony is not None and self.ceremony.stage in {"committed", "sealed", "logged", "fixed", "ready"}
        return self.has_own_deals and dealt and self.rolled == 0

    @property
    def stage(self) -> PlayedStage | None:
        """The stage that is played, or was last."""
        return self.stages[-1] if self.stages else None

    @property
    def stage_rules(self) -> Stage:
        """What is said of the stage that is played."""
        return self.rules.stages[max(0, len(self.stages) - 1)]

    def no_show_at(self, opened: UnixMs) -> UnixMs:
        """Return until when a table that was opened then waits for who is not there; pauses do not count."""
        paused = sum(max(0, ended - max(began, opened)) for began, ended in self.pauses)
        return opened + self.rules.time.no_show_ms + paused

    @property
    def ended(self) -> bool:
        """Whether nothing follows."""
        return self.phase == "closed"

    @property
    def next_place(self) -> Place:
        """The stage and the round that are paired next: what is asked about the future begins there."""
        stage = self.stage
        if stage is None:
            return (1, 1)
        number = stage.next_number
        held = stage.rounds.get(number)
        return (stage.number, number + (held is not None and held.is_paired))

    @property
    def seq(self) -> int:
        """The place of the last line in the stream, from 0."""
        return self.version - 1
