"""Brackets as data: matches with who meets, what came of it, and where winner and loser go; also larger knockouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from domain.errors import Refused
from domain.ids import Version
from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.brackets import BracketState, bracket_state, is_needless, ways_on
from domain.tournaments.rules import Double, KnockoutStage, Single, Stage, format_name
from domain.tournaments.schedules.brackets import Arrival, BracketMatch
from domain.tournaments.schedules.eliminations import who_goes_on
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament
from projections.tournaments.people import Names, name_of
from projections.tournaments.rounds import match_at, state_of_table, table_places

SpotState = Literal["waiting", "called", "paired", "started", "over", "walkover", "void"]


class BracketSide(Struct, frozen=True):
    """One who comes into a match of a bracket.

    Attributes:
        number: Who it is; null while that is open, and where it is nobody, `bye`.
        seed: The place in the order of seeds, from 1.
        comes: How they come in: as a `seed`, or as the `winner` or the `loser` of the match `of`; null for a bye.
        won: Whether they won it; null while it is open.
        bot: Whether they say of themselves that they are a bot.
    """

    number: int | None
    name: str | None
    seed: int | None
    comes: Literal["seed", "winner", "loser"] | None
    of: str | None
    bye: bool
    won: bool | None
    bot: bool = False


class BracketSpot(Struct, frozen=True):
    """A match of a bracket.

    Attributes:
        id: `W`, `L`, a round from 1, a dot and a place from 1; `P3` for the third place; `G1`, `G2` the grand final.
        state: `waiting` for others; `called`, not paired yet; `paired`, `started`, `over`; `walkover` by a bye; `void`,
            since it is not needed, or nobody comes.
        sides: The two.
        winner_to: The match that the winner goes on to; null at the end.
        loser_to: The match that the loser goes on to; null for out.
        round: The round of the stage it is played in, with its table and the id of the match that counts.
        ruled: Whether an official has spoken, and that counts.
    """

    id: str
    state: SpotState
    sides: tuple[BracketSide, BracketSide]
    winner_to: str | None
    loser_to: str | None
    round: int | None = None
    table: int | None = None
    match: str | None = None
    ruled: bool = False


class KnockoutSeat(Struct, frozen=True):
    """Somebody at a table of a knockout.

    Attributes:
        seed: The place in the order of seeds, from 1.
        place: The place at the table, from 1; null before, or where they did not come.
        through: Whether they go on; null while that is open, and at the last table.
        bot: Whether they say of themselves that they are a bot.
    """

    number: int
    name: str
    seed: int
    place: int | None
    through: bool | None
    bot: bool = False


class KnockoutTable(Struct, frozen=True):
    """A table of a knockout, best first once it is over, until then in seat order."""

    table: int
    state: SpotState
    match: str
    seats: tuple[KnockoutSeat, ...]


class KnockoutRoundView(Struct, frozen=True):
    """A round of a knockout.

    Attributes:
        last: Whether all who are left sit at one table.
        through: How many of each table go on.
        byes: Who goes on without a table, by number.
    """

    round: int
    last: bool
    through: int
    byes: tuple[int, ...]
    tables: tuple[KnockoutTable, ...]


class BracketView(Struct, frozen=True):
    """A stage of eliminations.

    Attributes:
        version: How many lines of the tournament it shows.
        format: `single`, `double` or `knockout`.
        matches: Of tables of two, in the order of rounds; empty for a knockout.
        rounds: Of a knockout; empty for tables of two.
    """

    tournament: str
    version: Version
    stage: int
    format: str
    matches: tuple[BracketSpot, ...]
    rounds: tuple[KnockoutRoundView, ...]


def has_bracket(rules: Stage) -> bool:
    """Report whether a stage can be drawn as a bracket; every other is rounds and tables."""
    return isinstance(rules, Single | Double | KnockoutStage)


def bracket_view(tournament: Tournament, names: Names, stage: int) -> BracketView:
    """Return the bracket of a stage.

    Raises:
        Refused: `not_paired`: the stage has not begun, or has no bracket.
    """
    if not 1 <= stage <= len(tournament.stages):
        raise Refused("not_paired", stage=stage)
    rules = tournament.rules.stages[stage - 1]
    field = StageField(tournament, stage)
    if not has_bracket(rules):
        raise Refused("not_paired", stage=stage, format=format_name(rules))
    knockout = isinstance(rules, KnockoutStage)
    return BracketView(
        tournament=str(tournament.id),
        version=tournament.version,
        stage=stage,
        format=format_name(rules),
        matches=() if knockout else tuple(_BracketDrawing(field, names).spots()),
        rounds=tuple(_knockout_rounds(field, rules, names)) if isinstance(rules, KnockoutStage) else (),
    )


class _BracketDrawing:
    """A bracket of two on its way to people."""

    def __init__(self, field: StageField, names: Names) -> None:
        self._field, self._names = field, names
        self._state: BracketState = bracket_state(field)
        self._goes = ways_on(self._state.matches)
        held = field.stage.played
        self._open: HeldRound | None = None if held is None or held.closed_at is not None else held
        self._seeds = {number: at for at, number in enumerate(field.stage.seeds, start=1)}

    def spots(self) -> Iterator[BracketSpot]:
        for match in self._state.matches:
            held, table = self._table(match)
            yield BracketSpot(
                id=match.id,
                state=self._state_of(match, table),
                sides=(self._side(match, 0, table), self._side(match, 1, table)),
                winner_to=self._goes.get(("winner", match.id)),
                loser_to=self._goes.get(("loser", match.id)),
                round=None if held is None else held.number,
                table=None if table is None else table.number,
                match=None if held is None or table is None else self._match(held, table),
                ruled=table is not None and table.ruling is not None,
            )

    def _match(self, held: HeldRound, table: PairedTable) -> str:
        return match_at(self._field.tournament, self._field.stage.number, held.number, table)

    def _table(self, match: BracketMatch) -> tuple[HeldRound | None, PairedTable | None]:
        """Return the round and the table that a match is or was played at."""
        if match.id in self._state.played:
            number, table = self._state.played[match.id]
            held = self._field.stage.rounds[number]
            return held, held.tables[table]
        pair = self._state.course.called.get(match.id)
        if self._open is None or pair is None:
            return None, None
        found = next((each for each in self._open.tables.values() if set(each.seats) == set(pair)), None)
        return (None, None) if found is None else (self._open, found)

    def _state_of(self, match: BracketMatch, table: PairedTable | None) -> SpotState:
        if match.id in self._state.course.played:
            winner, loser = self._state.course.played[match.id]
            return "void" if winner is None else "walkover" if loser is None else "over"
        if match.id in self._state.course.called:
            return "called" if table is None else state_of_table(table)
        return "void" if is_needless(match.id, self._state) else "waiting"

    def _winner(self, match: BracketMatch, table: PairedTable | None) -> int | None:
        """Return who goes on from a match, be it but since its table is over."""
        if match.id in self._state.course.played:
            return self._state.course.played[match.id][0]
        counts = None if table is None else result_of(table)
        if table is None or counts is None:
            return None
        return min(counts.ranking[0] if counts.ranking else table.seats, key=self._seeds.__getitem__)

    def _side(self, match: BracketMatch, at: int, table: PairedTable | None) -> BracketSide:
        way: Arrival = match.of[at]
        needless = is_needless(match.id, self._state)
        number = None if needless else self._comer(way)
        winner = self._winner(match, table)
        decided = way is None or (way[0] != "seed" and way[1] in self._state.course.played)
        return BracketSide(
            number=number,
            name=None if number is None else name_of(self._names, number),
            seed=None if number is None else self._seeds[number],
            comes=None if way is None else way[0],
            of=str(way[1]) if way is not None and way[0] != "seed" else None,
            bye=number is None and decided and not needless,
            won=None if number is None or winner is None else number == winner,
            bot=number is not None and self._field.tournament.entrants[number].bot,
        )

    def _comer(self, way: Arrival) -> int | None:
        """Return who comes into a match this way, as far as it is known."""
        if way is None:
            return None
        if way[0] == "seed":
            return self._field.stage.seeds[way[1] - 1]
        winner, loser = self._state.course.played.get(way[1], (None, None))
        return winner if way[0] == "winner" else loser


def _knockout_rounds(field: StageField, rules: KnockoutStage, names: Names) -> Iterator[KnockoutRoundView]:
    for number, held in sorted(field.stage.rounds.items()):
        if held.is_paired:
            left = sum(len(table.seats) for table in held.tables.values()) + len(held.byes)
            last = left <= (rules.final or rules.size)
            tables = tuple(
                KnockoutTable(
                    table.number,
                    state_of_table(table),
                    match_at(field.tournament, field.stage.number, number, table),
                    tuple(_knockout_seats(field, names, table, None if last else rules.through)),
                )
                for _, table in sorted(held.tables.items())
            )
            yield KnockoutRoundView(number, last, 0 if last else rules.through, held.byes, tables)


def _knockout_seats(field: StageField, names: Names, table: PairedTable, through: int | None) -> Iterator[KnockoutSeat]:
    """Yield who sits at a table; nobody goes on from the last, where `through` is None."""
    counts, seeds, entrants = result_of(table), field.stage.seeds, field.tournament.entrants
    if counts is None:
        for number in table.seats:
            bot = entrants[number].bot
            yield KnockoutSeat(number, name_of(names, number), seeds.index(number) + 1, None, None, bot)
        return
    places = table_places(counts.ranking)
    going = set() if through is None else set(who_goes_on(counts.ranking, through, seeds))
    for number in (*places, *counts.absent):
        place, _ = places.get(number, (None, 1))
        goes = None if through is None else number in going
        bot = entrants[number].bot
        yield KnockoutSeat(number, name_of(names, number), seeds.index(number) + 1, place, goes, bot)
