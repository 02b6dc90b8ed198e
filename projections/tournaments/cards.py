"""Card of an entrant: where to go, what to do now, whom one meets, what comes next, and how one stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.ids import UnixMs, Version
from domain.tournaments import commands
from domain.tournaments.deciding.decide import decide
from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.table import format_of
from domain.tournaments.tournament import Entrant, HeldRound, PairedTable, Phase, Place, Tournament
from projections.tournaments.dues import DueView, due_view
from projections.tournaments.entrants import PrizeView, RequestedBye, entrant_row, final_place, prize_of
from projections.tournaments.formats.ladders import CardLadder, asks_on, card_ladder, idle_errand
from projections.tournaments.overview import last_paired
from projections.tournaments.parts import Explanation
from projections.tournaments.people import Names, Status, entrant_in, name_of, status_of
from projections.tournaments.rounds import TableState, board_at, match_at, state_of_table, table_places
from projections.tournaments.standings import StandingRow, field_of, standing_row

NEAR: Final = 2
"""How many rows of the standings stand above and below the own one."""
Errand = Literal[
    "wait_for_approval", "wait_for_check_in", "check_in", "wait_for_draw", "wait_for_round", "rest", "go_to_table",
    "play", "wait_for_others", "climb", "out", "left", "over",
]  # fmt: skip
"""What an entrant has to do, or what it waits for."""


class Meeting(Struct, frozen=True):
    """A table that two played at together before: the own place there, from 1, and the other's."""

    stage: int
    round: int
    table: int
    place: int
    theirs: int


class CardOpponent(Struct, frozen=True):
    """Somebody at the same table.

    Attributes:
        seat: From 1; the first opens.
        met: At how many tables the two had played before, and `meetings`, what came of each, in order.
        place: The place there, from 1, once the table is over.
    """

    seat: int
    number: int
    name: str
    bot: bool
    met: int
    place: int | None
    meetings: tuple[Meeting, ...] = ()


class CardTable(Struct, frozen=True):
    """The table of an entrant in the round that is played, or was last.

    Attributes:
        seat: The own seat, from 1, and `opens`, whether it opens the match.
        match: The id of the match that counts.
        board: The board whose dice it plays with, where several tables have the same; null for dice of its own.
        place: The own place there, once it is over.
    """

    stage: int
    round: int
    table: int
    state: TableState
    match: str
    attempt: int
    seat: int
    seats: int
    opens: bool
    opponents: tuple[CardOpponent, ...]
    place: int | None
    board: str | None = None


class CardAppeal(Struct, frozen=True):
    """An own appeal.

    Attributes:
        line: The line it is against.
        outcome: What became of it; null while it is open.
        note: The hash of what was said for it; null where nothing was.
        answer: The hash of what officials said of it; null where nothing was.
    """

    appeal: int
    line: int
    outcome: Literal["upheld", "denied", "withdrawn"] | None
    note: str | None = None
    answer: str | None = None


class Disputable(Struct, frozen=True):
    """A line about oneself that one may appeal against.

    Attributes:
        line: Its place in the stream.
        kind: `result`, as recorded of a table; `ruling`, an official's word on one; `penalty`.
        stage: Where, with `round` and `table`, as far as it is of one.
        place: The own place at the table by it, from 1.
    """

    line: int
    kind: Literal["result", "ruling", "penalty"]
    stage: int | None
    round: int | None
    table: int | None = None
    place: int | None = None


class EntrantCard(Struct, frozen=True):
    """What an entrant needs to know now; the service adds the token of the seat.

    Attributes:
        draws: Whether one gives a seed to the lots.
        now: What to do, or what is waited for.
        until: Until when, in Unix milliseconds, where that is known: check-in, the end of the round.
        table: Where one sits in the round that is played or was last; null for who does not.
        next: What the tournament does next, or what it waits for.
        next_round: The stage and the round that are paired next, where the entrant may be in it.
        standing: How one stands, in the own group where there are groups, all of it explained; null before the first
            stage.
        byes: The rounds one has asked to be left out of, and `disputable`, lines about oneself, the latest first.
        appeals: The own appeals, in order.
        near: Standings around it, explained nowhere.
        place: The place in the end, and `prize`, once that is said.
        may: What one may ask for now: `check_in`, `withdraw`, `return`, `request_half_bye` or `request_zero_bye` for
            the next round, `drop_bye`, `appeal`; in an arena `wait`, for a table, or `take_break`; on a ladder
            `challenge`, or `answer` a challenge.
        ladder: How one stands on the ladder that is played; null where none is.
    """

    tournament: str
    version: Version
    phase: Phase
    paused: bool
    number: int
    name: str
    status: Status
    now: Errand
    until: UnixMs | None
    table: CardTable | None
    next: DueView
    next_round: tuple[int, int] | None
    standing: StandingRow | None
    near: tuple[StandingRow, ...]
    place: int | None
    prize: PrizeView | None
    may: tuple[str, ...]
    byes: tuple[RequestedBye, ...] = ()
    disputable: tuple[Disputable, ...] = ()
    appeals: tuple[CardAppeal, ...] = ()
    draws: bool = False
    ladder: CardLadder | None = None


def card_of(tournament: Tournament, names: Names, number: int) -> EntrantCard:
    """Return the card of an entrant.

    Raises:
        Refused: `unknown_number`.
    """
    entrant = entrant_in(tournament, number)
    stage = tournament.stage
    explanation = None if stage is None else Explanation(field_of(tournament, stage.number, number))
    own, near = (None, ()) if explanation is None else _around(explanation, names, number)
    now, ladder = errand(tournament, entrant), card_ladder(tournament, names, number)
    return EntrantCard(
        tournament=str(tournament.id),
        version=tournament.version,
        phase=tournament.phase,
        paused=tournament.paused,
        number=number,
        name=name_of(names, number),
        status=status_of(entrant),
        now=now,
        until=_until(tournament, now),
        table=_table(tournament, names, number),
        next=due_view(tournament),
        next_round=tournament.next_place if now in _GOES_ON else None,
        standing=own,
        near=near,
        place=final_place(tournament, number),
        prize=prize_of(tournament, number),
        may=(*_may(tournament, entrant), *asks_on(ladder)),
        ladder=ladder,
        draws=entrant.draws,
        byes=entrant_row(names, entrant).byes,
        disputable=disputable(tournament, number),
        appeals=tuple(
            CardAppeal(appeal, heard.line, heard.outcome, heard.note, heard.answer)
            for appeal, heard in sorted(tournament.appeals.items())
            if heard.number == number
        ),
    )


_GOES_ON: Final = {
    *("wait_for_approval", "wait_for_check_in", "check_in", "wait_for_draw", "wait_for_round", "rest", "go_to_table"),
    *("play", "wait_for_others"),
}


# ---- what to do now --------------------------------------------------------------------------------


def errand(tournament: Tournament, entrant: Entrant) -> Errand:
    """Return what an entrant has to do, or waits for."""
    if tournament.phase in {"finished", "cancelled", "closed"}:
        return "over"
    status = status_of(entrant)
    if status in {"withdrawn", "not_admitted", "disqualified"}:
        return "left"
    if status == "waits":
        return "wait_for_approval"
    if tournament.phase == "running":
        return _errand_of_round(tournament, entrant.number)
    if tournament.phase == "check_in":
        return "wait_for_draw" if status == "here" else "check_in"
    return "wait_for_draw" if tournament.phase == "drawing" else "wait_for_check_in"


def _errand_of_round(tournament: Tournament, number: int) -> Errand:
    found, stage = _round_of(tournament, number), tournament.stage
    table = None if found is None else _seated(found[1], number)
    # Where rounds overlap, nobody waits for others once the own table is over.
    idle = stage is not None and stage.overlaps and (table is None or table.is_over)
    if found is None or found[1].closed_at is not None or idle:
        return "out" if _is_out(tournament, number) else idle_errand(tournament)
    if table is not None:
        errands: dict[TableState, Errand] = {"paired": "go_to_table", "started": "play", "over": "wait_for_others"}
        return errands[state_of_table(table)]
    return "out" if _is_out(tournament, number) else "rest"


def _round_of(tournament: Tournament, number: int) -> tuple[int, HeldRound] | None:
    """Return the round that counts for somebody: the last one, or where rounds overlap the last that they sit in."""
    stage = tournament.stage
    if stage is None or not stage.overlaps:
        return last_paired(tournament)
    sits = [held for _, held in sorted(stage.rounds.items()) if _seated(held, number) is not None]
    return (stage.number, sits[-1]) if sits else last_paired(tournament)


def _is_out(tournament: Tournament, number: int) -> bool:
    """Report whether nothing is left to play for an entrant who has not left."""
    stage = tournament.stage
    assert stage is not None, "it runs"
    field = StageField(tournament, stage.number)
    if number not in field.numbers:
        return True
    if stage.closed is not None and stage.number < len(tournament.rules.stages):
        return number not in stage.advanced
    is_out = format_of(field.rules).is_out
    return is_out is not None and is_out(field, number)


def _seated(held: HeldRound, number: int) -> PairedTable | None:
    return next((table for table in held.tables.values() if number in table.seats), None)


def _until(tournament: Tournament, now: Errand) -> UnixMs | None:
    if tournament.phase == "check_in":
        return tournament.check_in_until
    found = last_paired(tournament)
    return found[1].until if found is not None and now in {"go_to_table", "play", "wait_for_others"} else None


def _may(tournament: Tournament, entrant: Entrant) -> Iterator[str]:
    """Yield what an entrant may ask for: what would not be refused."""
    by, number = entrant.player, entrant.number
    _, following = tournament.next_place
    asks: dict[str, commands.AnyCommand] = {
        "check_in": commands.CheckIn(by=by, number=number, draws=not entrant.draws),
        "withdraw": commands.Withdraw(by=by, number=number, reason="request"),
        "return": commands.Return(by=by, number=number, reason="request"),
        "request_half_bye": commands.RequestBye(by=by, number=number, round=following, kind="half"),
        "request_zero_bye": commands.RequestBye(by=by, number=number, round=following, kind="zero"),
        "drop_bye": commands.DropBye(by=by, number=number, round=following),
        "wait": commands.WaitForTable(by=by, number=number),
        "take_break": commands.TakeBreak(by=by, number=number),
        "appeal": commands.Appeal(by=by, number=number, line=tournament.seq),
    }
    bare = _bare(tournament)
    for name, command in asks.items():
        try:
            decide(bare, command, tournament.at, "", None)
        except Refused:
            continue
        yield name


def _bare(tournament: Tournament) -> Tournament:
    """Return a tournament without its lots, whose secrets nobody has here, for what has nothing to do with them."""
    return replace(tournament, ceremony=None)


# ---- where to go, and how one stands ---------------------------------------------------------------


def _table(tournament: Tournament, names: Names, number: int) -> CardTable | None:
    found = _round_of(tournament, number)
    table = None if found is None else _seated(found[1], number)
    if found is None or table is None:
        return None
    stage, held = found
    met = _meetings(tournament, (stage, held.number), number)
    counts = result_of(table)
    places = {} if counts is None else table_places(counts.ranking)
    opponents = (
        CardOpponent(
            seat=seat,
            number=each,
            name=name_of(names, each),
            bot=tournament.entrants[each].bot,
            met=len(met[each]),
            place=places.get(each, (None, 1))[0],
            meetings=tuple(met[each]),
        )
        for seat, each in enumerate(table.seats, start=1)
        if each != number
    )
    return CardTable(
        stage=stage,
        round=held.number,
        table=table.number,
        state=state_of_table(table),
        match=match_at(tournament, stage, held.number, table),
        attempt=table.attempt,
        seat=table.seats.index(number) + 1,
        seats=len(table.seats),
        opens=table.seats[0] == number,
        opponents=tuple(opponents),
        place=places.get(number, (None, 1))[0],
        board=board_at(tournament, stage, held.number, table),
    )


def _meetings(tournament: Tournament, before: Place, number: int) -> defaultdict[int, list[Meeting]]:
    """Return by opponent the tables at which somebody has played with each, in rounds before one."""
    found: defaultdict[int, list[Meeting]] = defaultdict(list)
    for (stage, held), table in _tables_of(tournament, number):
        counts = result_of(table)
        places = {} if counts is None or (stage, held) >= before else table_places(counts.ranking)
        for other, (theirs, _) in places.items():
            if other != number and number in places:
                found[other].append(Meeting(stage, held, table.number, places[number][0], theirs))
    return found


def _tables_of(tournament: Tournament, number: int) -> Iterator[tuple[Place, PairedTable]]:
    """Yield every table that somebody was paired at, in the order of stages and rounds."""
    for stage in tournament.stages:
        for held in (each for _, each in sorted(stage.rounds.items())):
            table = _seated(held, number)
            if table is not None:
                yield (stage.number, held.number), table


def disputable(tournament: Tournament, number: int) -> tuple[Disputable, ...]:
    """Return the lines about somebody that may be appealed against, the latest first."""
    found = []
    for (stage, held), table in _tables_of(tournament, number):
        counts = result_of(table)
        if counts is not None:
            assert table.line is not None, "what counts stands somewhere"
            place, _ = table_places(counts.ranking).get(number, (None, 1))
            kind: Literal["result", "ruling"] = "result" if table.ruling is None else "ruling"
            found.append(Disputable(table.line, kind, stage, held, table.number, place))
    found += [
        Disputable(line, "penalty", each.stage, each.round)
        for line, each in tournament.penalties.items()
        if each.number == number
    ]
    return tuple(sorted(found, key=lambda each: -each.line))


def _around(explanation: Explanation, names: Names, number: int) -> tuple[StandingRow | None, tuple[StandingRow, ...]]:
    """Return how somebody stands, and the standings around."""
    rows = explanation.field.rows
    at = next((at for at, row in enumerate(rows) if row.number == number), None)
    if at is None:
        return None, ()
    near = rows[max(0, at - NEAR) : at + NEAR + 1]
    own = standing_row(explanation, names, rows[at], explained=True)
    return own, tuple(standing_row(explanation, names, row, explained=False) for row in near)
