"""Decisions about rounds: a stage opens, tables are paired and started, results come in, rounds and stages close.

What the director asks for is what is due (`domain.tournaments.deciding.due`); each step is one append.
"""

from __future__ import annotations

from typing import Final

from domain.errors import Refused
from domain.match.powers import GIVEN_MS
from domain.match.settings import ROUNDS_MAX, most_units
from domain.tournaments import commands, events
from domain.tournaments.deciding.by_hand import MANUAL
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.deciding.drawing import draw_roll
from domain.tournaments.deciding.rulings import check_foreign, check_ranking, table_of
from domain.tournaments.events import RULE
from domain.tournaments.field import StageField
from domain.tournaments.formats.arenas import MINUTE_MS
from domain.tournaments.formats.format import STAGE_MIN, DrawnRound
from domain.tournaments.formats.table import format_of, has_lots_each_round
from domain.tournaments.pairing.lots import Lots, match_id
from domain.tournaments.pairing.pods.law import CannotPair
from domain.tournaments.points import points_text
from domain.tournaments.ranking.prizes import prizes
from domain.tournaments.rules import WEEK_MS, has_clocks, match_rules
from domain.tournaments.tournament import PairedTable, Tournament

UNPLAYED: Final = {"walkover": 1, "nobody": 0}
"""Results of tables at which nothing was played, and how many were there."""


def open_stage(course: TournamentCourse) -> None:
    """Begin the next stage: its lots, its seeds, and how many rounds it has."""
    tournament = course.tournament
    number = len(tournament.stages) + 1
    rules = tournament.rules.stages[number - 1]
    roll = draw_roll(course)
    order = Lots(course.tournament.opened, number, 0)
    if number == 1:
        seeds = _first_seeds(tournament, order)
    else:
        seeds = tuple(n for n in tournament.stages[-1].advanced if tournament.entrants[n].plays)
    if len(seeds) < STAGE_MIN:
        course.add(events.TournamentCancelled(RULE, "absent", None))
        return
    chosen = format_of(rules)
    rounds, groups = chosen.rounds(rules, len(seeds)), chosen.groups(rules, seeds)
    course.add(events.StageOpened(number, rounds, seeds, groups, roll, RULE))


def _first_seeds(tournament: Tournament, lots: Lots) -> tuple[int, ...]:
    """Return the seeds of the first stage: by lot, by rating, or as the host has set them; lots break ties."""
    ranks = lots.ranks(n for n, each in tournament.entrants.items() if each.plays)

    def rated(number: int) -> tuple[bool, int, int]:
        rating = tournament.entrants[number].rating
        return rating is None, 0 if rating is None else -rating[0], ranks[number]

    def seeded(number: int) -> tuple[bool, int, int]:
        seed = tournament.entrants[number].seed
        return seed is None, seed or 0, ranks[number]

    keys = {"lots": lambda number: (False, 0, ranks[number]), "rating": rated, "manual": seeded}
    return tuple(sorted(ranks, key=keys[tournament.rules.seeding]))


def pair(course: TournamentCourse, command: commands.Proceed) -> None:
    """Say who sits where in the next round, for the director or a host who does not wait.

    Raises:
        Refused: `cannot_pair`, naming the pairs or sizes that stand in the way.
    """
    stage, number = course.stage, course.stage.next_number
    before, rolls = course.tournament, has_lots_each_round(course.tournament.stage_rules)
    upto, head = course.upto, course.head
    if rolls and course.tournament.has_own_deals:
        # Nobody knew a lot of this deal before the line in front of it, and nothing that counts has come since.
        assert command.head is not None, "the line before the deal is named"
        upto, head = course.tournament.dealt_seq - 1, command.head
    roll = _roll_of_wave(course) if stage.overlaps else None
    if roll is None and rolls:
        roll = draw_roll(course)
    lots = Lots(stage.lots, stage.number, 0) if roll is None else Lots(course.tournament.opened, stage.number, number)
    drawn = draw_round(before, lots, command.given)
    for part in drawn.parts or (drawn,):
        course.add(
            events.TablesPaired(
                stage.number, part.group, number, part.law, upto, head, roll, part.byes, part.numbered,
                part.certificate, command.by,
            )
        )  # fmt: skip


def _roll_of_wave(course: TournamentCourse) -> int | None:
    """Return the roll of the last wave, if it is of the same minute: one serves them all."""
    last, began = course.stage.last, course.stage.opened_at
    if last is None or (last.paired_at - began) // MINUTE_MS != (course.at - began) // MINUTE_MS:
        return None
    return last.roll


def draw_round(tournament: Tournament, lots: Lots, given: commands.GivenPairing | None = None) -> DrawnRound:
    """Return the next round of the stage that is played, by lots that may be supposed.

    Raises:
        Refused: `cannot_pair`, naming the pairs or sizes that stand in the way.
    """
    stage = tournament.stage
    assert stage is not None, "it runs"
    field = StageField(tournament, stage.number)
    try:
        manual = _manual(field, stage.next_number)
        chosen = format_of(field.rules)
        if manual is None and given is not None and chosen.given is not None:
            return chosen.given(field, stage.next_number, given)
        return manual or chosen.draw(field, lots, stage.next_number)
    except CannotPair as fault:
        raise Refused("cannot_pair", **_facts_of(fault)) from fault


def _facts_of(fault: CannotPair) -> dict[str, object]:
    """Return what stands in the way: pairs, or the sizes of tables and the entrants who are too few for any."""
    pairs: dict[str, object] = {"pairs": [list(pair) for pair in fault.pairs]}
    if fault.sizes is None:
        return pairs
    return {**pairs, "sizes": list(range(fault.sizes.min, fault.sizes.max + 1)), "entrants": list(fault.entrants)}


def _manual(field: StageField, number: int) -> DrawnRound | None:
    """Return the round as officials have set it, if they have set every table."""
    held = field.stage.rounds.get(number)
    if held is None or not held.fixed:
        return None
    seated = {n for table in held.fixed for n in table}
    return DrawnRound(MANUAL, held.fixed) if seated == set(field.playing(number)) else None


def start_round(course: TournamentCourse, command: commands.StartRound) -> None:
    """Put on record that the matches of a round are open."""
    if command.by != RULE:
        course.check_official(command.by)
    if course.tournament.paused:
        raise Refused("paused")
    course.check_phase("running")
    # Where rounds overlap, the next leg of a table may be one of an earlier round than the last.
    waits = (each for each in course.stage.open_rounds if each.waiting)
    held = next(waits, None) or course.open_round()
    if not held.waiting:
        raise Refused("table_running")
    course.add(events.RoundStarted(course.stage.number, held.number, held.waiting, course.at))


def record(course: TournamentCourse, command: commands.Record) -> None:
    """Put on record what came of a table."""
    if command.by != RULE:
        raise Refused("not_an_official")
    course.check_phase("running")
    held, stage = course.open_round(command.round), course.stage
    table = held.tables.get(command.table)
    if table is None:
        raise Refused("unknown_table", table=command.table)
    if table.result is not None:
        raise Refused("already_recorded")
    expected = match_id(str(course.tournament.id), stage.number, held.number, table.number, table.attempt)
    if command.attempt != table.attempt or not _is_of_match(command, expected):
        raise Refused("wrong_match", attempt=table.attempt, match=expected)
    _check_result(course, command, table)
    absent = tuple(number for number in command.absent if course.tournament.entrants[number].plays)
    if absent:
        course.add(events.TableNoShow(stage.number, held.number, table.number, absent))
    course.add(
        events.ResultRecorded(
            stage.number, held.number, table.number, table.attempt, command.match, command.version, command.head,
            command.how, command.ranking, command.absent, command.units,
        )
    )  # fmt: skip
    for number in absent:
        if course.tournament.entrants[number].absences > 1:
            place = course.tournament.next_place
            course.add(events.PlayerWithdrawn(number, *place, RULE, "absent", None))


def _is_of_match(command: commands.Record, expected: str) -> bool:
    """Report whether a result names the match it is of, and up to where; where nothing was played it names none."""
    said = (command.match, command.version, command.head)
    if command.how in UNPLAYED:
        return said == (None, None, None)
    return command.match == expected and None not in said


def _check_result(course: TournamentCourse, command: commands.Record, table: PairedTable) -> None:
    """Check that a result is one of this table: without a match nobody came, or one who is first.

    What everybody has left can be what the next match begins with, or is the round of who went out.

    Raises:
        Refused: `bad_ranking`.
    """
    check_ranking(table, command.ranking, command.absent)
    there = [number for number in table.seats if number not in command.absent]
    if len(there) != UNPLAYED.get(command.how, max(len(there), 1)):
        raise Refused("bad_ranking", how=command.how, seats=list(table.seats))
    game = match_rules(course.tournament.rules, course.tournament.rules.stages[course.stage.number - 1])
    most = most_units(game) or 0
    said = [number for number, _ in command.units]
    if said and (sorted(said) != sorted(there) or any(not -ROUNDS_MAX <= has <= most for _, has in command.units)):
        raise Refused("bad_ranking", seats=list(table.seats), why="each who was there has something left, or is out")


def extend(course: TournamentCourse, command: commands.Extend) -> None:
    """Let a round last longer, by a week at most."""
    course.check_official(command.by)
    course.check_phase("running")
    if not course.at < command.until <= course.at + WEEK_MS:
        raise Refused("too_late", until=command.until)
    held = course.open_round()
    if held.started_at is None:
        raise Refused("not_paired", round=held.number)
    course.check_reason(command)
    course.add(
        events.RoundExtended(course.stage.number, held.number, command.until, command.by, command.reason, command.note)
    )


def give_time(course: TournamentCourse, command: commands.GiveTableTime) -> None:
    """Put on record that an entrant gets time back at a table that plays."""
    course.check_official(command.by)
    course.entrant(command.number)
    course.check_phase("running")
    held = course.open_round()
    table = table_of(course, command.table, command.number)
    if table.is_over:
        raise Refused("table_over", tables=[table.number])
    check_foreign(course, command.by, table)
    least, most = GIVEN_MS
    if not least <= command.ms <= most:
        raise Refused("bad_time", least=least, most=most)
    course.check_reason(command)
    if not course.tournament.earlier and not has_clocks(course.tournament.rules, course.stage.number):
        raise Refused("not_allowed", why="there are no clocks in these matches")
    course.add(
        events.TournamentTimeGiven(
            course.stage.number, held.number, table.number, command.number, command.ms,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip


# ---- what closes -----------------------------------------------------------------------------------


def close_round(course: TournamentCourse) -> None:
    """Close the round that has been open longest of those whose results are all in."""
    held = next(each for each in course.stage.open_rounds if not each.missing)
    field = StageField(course.tournament, course.stage.number, held.number)
    course.add(events.TournamentRoundClosed(course.stage.number, held.number, field.standings_hash))


def close_stage(course: TournamentCourse) -> None:
    """Close the stage: its places, and who goes on."""
    stage = course.stage
    rules = course.tournament.rules.stages[stage.number - 1]
    field = StageField(course.tournament, stage.number)
    chosen = format_of(rules)
    ranking = chosen.ranking(field)
    advanced = (chosen.advanced or _first)(field, rules.advance) if rules.advance else ()
    course.add(events.StageClosed(stage.number, field.standings_hash, ranking, advanced))


def _first(field: StageField, count: int) -> tuple[int, ...]:
    """Return so many of the first who stay; lots of the stage break the last tie."""
    ranking = format_of(field.rules).ranking(field)
    ranks = Lots(field.stage.lots, field.stage.number, 0).ranks(field.numbers)
    order = [number for level in ranking for number in sorted(level, key=ranks.__getitem__)]
    return tuple(number for number in order if field.entrant(number).plays)[:count]


def finish(course: TournamentCourse) -> None:
    """End the last stage: the places of everybody, and the prizes."""
    tournament = course.tournament
    ranking = final_ranking(tournament)
    paid: tuple[tuple[int, str, int], ...] = ()
    if tournament.rules.prizes is not None:
        draw_roll(course)
        lots = Lots(course.tournament.opened, len(tournament.stages), 0)
        order = lots.order(tournament.entrants)
        found = prizes(ranking, tournament.rules.prizes.amounts, order)
        paid = tuple((each.number, points_text(each.share), each.whole) for each in found)
    field = StageField(course.tournament, len(tournament.stages))
    course.add(events.TournamentFinished(ranking, field.standings_hash, paid))


def final_ranking(tournament: Tournament) -> events.Ranking:
    """Return the places in the end: those who reached the last stage by it, the others by the stage they came to.

    Who went on to a stage that never opens, since too few are left for it, comes before all who would not be there.
    """
    found: list[tuple[int, ...]] = []
    placed: set[int] = set()
    waiting = _waiting(tournament)
    for stage in reversed(tournament.stages):
        field = StageField(tournament, stage.number)
        ranking = format_of(field.rules).ranking(field)
        for reached in (waiting, set(field.numbers)):
            for level in ranking:
                rest = tuple(number for number in level if number in reached and number not in placed)
                if rest:
                    found.append(rest)
            placed.update(reached)
    return tuple(found)


def _waiting(tournament: Tournament) -> set[int]:
    """Return who would play in the next stage, where there is one."""
    if tournament.earlier or len(tournament.stages) == len(tournament.rules.stages):
        return set()
    return {number for number in tournament.stages[-1].advanced if tournament.entrants[number].plays}
