"""Arenas: whoever is idle is seated every few seconds while the time lasts, by `pods/1` (`arena`).

A wave is a round; waves overlap, and each closes with its last result. Idle is who said that they wait, or whose table
has ended, and who sits nowhere; who has just played has a moment first. All of it follows from the lines and their
times, so that whoever looks finds the same wave at the same moment.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Final

from msgspec import Struct

from domain.ids import UnixMs
from domain.tournaments.events import TablesPaired
from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.format import WINS, DrawnRound, DueStep, Format, bad_option, check_wins, keeps_apart
from domain.tournaments.formats.pods import certificate_members, check_sizes
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import InputPlayer, PairingInput
from domain.tournaments.pairing.pods.law import ENGINE, CannotPair, Pods, pair
from domain.tournaments.points import points_text
from domain.tournaments.ranking.outcomes import ASKED
from domain.tournaments.ranking.results import PointsPenalty
from domain.tournaments.rules import USUAL_WEIGHTS, Arena, CountingLaw, TournamentRules
from domain.tournaments.schedules.waves import arena_score, first_table, in_company, most_of, taken
from domain.tournaments.tournament import PairedTable, PlayedStage, Tournament

MINUTE_MS: Final = 60_000
REST_MS: Final = 3_000
"""Nobody is seated sooner after the own last table."""
REMEMBERED: Final = 3
"""So many of the last tables of either count, where two have met."""


class Wave(Struct, frozen=True):
    """The next wave, all by number.

    Attributes:
        at: When it is.
        taken: Who is to be seated.
        order: Who is idle by then, the first to be seated first.
        table: Some of them who may all meet, as many as the smallest table seats.
    """

    at: UnixMs
    taken: tuple[int, ...]
    order: tuple[int, ...]
    table: tuple[int, ...]


def _rules(field: StageField) -> Arena:
    assert isinstance(field.rules, Arena), "the table has it so"
    return field.rules


def arena_ends_at(stage: PlayedStage, rules: Arena) -> UnixMs:
    """Return until when waves are seated."""
    return stage.opened_at + rules.duration_ms


def next_wave(tournament: Tournament, stage: PlayedStage, lots: Lots | None = None) -> Wave | None:
    """Return the next wave, if nothing happens before it; None if there is none while the time lasts.

    There is none either of people who wait and of whom no table may be filled, since they may not meet.

    Args:
        tournament: How it stands.
        stage: The stage, which is played.
        lots: The lots of the wave, which decide among those who have waited equally long; without them it is open who.
    """
    field = StageField(tournament, stage.number)
    rules = _rules(field)
    idle, rested = idle_since(field)
    last = stage.last
    since = max(tournament.at, stage.opened_at + 1, 0 if last is None else last.paired_at + 1)

    def wave_after(at: UnixMs) -> UnixMs:
        passed = max(at, since) - stage.opened_at
        return stage.opened_at - (-passed // rules.wave_ms) * rules.wave_ms

    ready = {number: max(waits, rested[number]) for number, waits in idle.items()}
    moments = sorted({wave_after(at) for each in idle for at in (ready[each], idle[each] + rules.patience_ms)})
    moments = [at for at in moments if at < arena_ends_at(stage, rules)]

    def wave_at(at: UnixMs) -> Wave | None:
        there = {number: waits for number, waits in idle.items() if ready[number] <= at}
        order = sorted(sorted(there) if lots is None else lots.order(there), key=there.__getitem__)
        sizes = rules.sizes
        seated = taken(there, order, at, rules.patience_ms, sizes.preferred, sizes.min, sizes.max)
        # Looked for in the order of numbers: whether there is a wave hangs on no lot, whoever may be found.
        table = first_table(sorted(there), field.forbidden(there), sizes.min, sizes.min) if seated else None
        return None if table is None else Wave(at, tuple(seated), tuple(order), table)

    # Who is idle stays so until a wave: once there is one, there is one at every later moment.
    first = bisect_left(moments, 1, key=lambda at: int(wave_at(at) is not None))
    return wave_at(moments[first]) if first < len(moments) else None


def idle_since(field: StageField) -> tuple[dict[int, UnixMs], dict[int, UnixMs]]:
    """Return since when those are idle who are, and from when on each may be seated again."""
    idle: dict[int, UnixMs] = {}
    rested: dict[int, UnixMs] = {}
    sitting: set[int] = set()
    for table in (each for held in field.stage.rounds.values() for each in held.tables.values()):
        counts = result_of(table)
        if counts is None or table.over_at is None:
            sitting.update(table.seats)
            continue
        for number in table.seats:
            rested[number] = max(rested.get(number, 0), table.over_at + REST_MS)
            if number not in counts.absent:
                idle[number] = max(idle.get(number, 0), table.over_at)
    for number in field.numbers:
        entrant = field.entrant(number)
        if entrant.asked is not None and entrant.asked[1] >= rested.get(number, 0) - REST_MS:
            waits, at = entrant.asked
            idle.pop(number, None)
            idle |= {number: at} if waits else {}
        rested.setdefault(number, 0)
    return {n: at for n, at in idle.items() if field.entrant(n).plays and n not in sitting}, rested


def _played(field: StageField) -> list[PairedTable]:
    """Return the tables of the stage that have a result, in the order of waves."""
    rounds = sorted(field.stage.rounds.values(), key=lambda held: held.number)
    return [table for held in rounds for _, table in sorted(held.tables.items()) if result_of(table) is not None]


def wave_input(field: StageField, numbers: tuple[int, ...]) -> PairingInput:
    """Return what a wave is paired from: scores a table, and who has met at the last tables of either."""
    tables: dict[int, list[tuple[int, ...]]] = {number: [] for number in field.numbers}
    for table in _played(field):
        counts = result_of(table)
        assert counts is not None, "it has a result"
        there = tuple(number for number in table.seats if number not in counts.absent)
        for number in there if len(there) > 1 else ():
            tables[number].append(there)
    met: Counter[tuple[int, int]] = Counter()
    for one, other in combinations(numbers, 2):
        last = {id(there): there for number in (one, other) for there in tables[number][-REMEMBERED:]}
        met[one, other] = sum(one in there and other in there for there in last.values())
    history, scores = field.history, StageField(field.tournament, field.stage.number, len(field.stage.rounds)).scores
    players = tuple(
        InputPlayer(
            n=number,
            score=points_text(scores[number] / max(1, len(tables[number])) if number in scores else Fraction(0)),
            club=field.entrant(number).club or "",
            small=history.small.get(number, 0),
            byes=0,
            balance=history.balance.get(number, 0),
        )
        for number in numbers
    )
    return PairingInput(
        sizes=_rules(field).sizes,
        weights=USUAL_WEIGHTS,
        top="1",
        players=players,
        met=tuple((one, other, times) for (one, other), times in sorted(met.items()) if times),
        after=history.neighbours(numbers),
        forbidden=field.forbidden(numbers),
        fixed=(),
    )


def _draw(field: StageField, lots: Lots, _number: int) -> DrawnRound:
    wave = next_wave(field.tournament, field.stage, lots)
    if wave is None:
        raise CannotPair(())
    given, pods = _first_paired(field, lots, _choices(field, wave))
    return DrawnRound(ENGINE, pods.tables, pods.byes, certificate_members(given, lots, pods))


def _choices(field: StageField, wave: Wave) -> Iterator[tuple[int, ...]]:
    """Yield who is seated in a wave, or else, where these cannot be kept apart; one table of the last always can."""
    yield wave.taken
    sizes, apart = _rules(field).sizes, field.forbidden(wave.order)
    yield tuple(sorted(most_of(in_company(wave.order, apart, sizes.min), sizes.min, sizes.max)))
    yield first_table(wave.order, apart, sizes.preferred, sizes.min) or wave.table


def _first_paired(field: StageField, lots: Lots, choices: Iterator[tuple[int, ...]]) -> tuple[PairingInput, Pods]:
    given = wave_input(field, next(choices))
    try:
        return given, pair(given, lots)
    except CannotPair:
        return _first_paired(field, lots, choices)


def _is_over(field: StageField) -> bool:
    return not field.stage.open_rounds and next_wave(field.tournament, field.stage) is None


def _rounds(_stage: Arena, _entrants: int) -> None:
    """Say that it shows in the end how many waves there are."""


def _next_step(tournament: Tournament, stage: PlayedStage) -> DueStep:
    """Return what an arena does next: a wave, as soon as there are enough, or it ends with its time."""
    wave = next_wave(tournament, stage)
    if wave is not None:
        return DueStep("pair", wave.at)
    rules = tournament.stage_rules
    assert isinstance(rules, Arena), "the table has it so"
    return DueStep("close_stage", max(tournament.at, arena_ends_at(stage, rules)))


def _paired_from(field: StageField, event: TablesPaired) -> PairingInput:
    return wave_input(field, tuple(sorted(number for _, seats in event.tables for number in seats)))


def _streaks(field: StageField) -> Iterator[PointsPenalty]:
    """Yield what first places in a row give besides, where they do."""
    for number, rounds in field.outcomes.of.items() if _rules(field).streak else ():
        points = [Fraction(each.points, field.outcomes.unit) for each in rounds if each.how != ASKED]
        bonus = arena_score(points, streak=True) - sum(points)
        if bonus:
            yield PointsPenalty(number, bonus)


def _check(rules: TournamentRules, stage: Arena, option: str) -> None:
    """Check what does not fit tables that do not wait for each other."""
    if rules.scoring.scheme not in {"share", "winner"}:
        raise bad_option(f"{option}.format", "here a first place is worth 1: points are `share` or `winner`")
    if rules.lots.deal != "once":
        raise bad_option("lots.deal", "here one deal of lots serves many waves")
    check_wins(rules)
    check_sizes(stage.sizes, option)


def _rolls_max(stage: Arena) -> int:
    """Return how many minutes begin while it lasts: waves of one share a roll."""
    return -(-stage.duration_ms // MINUTE_MS)


ARENA = Format(
    _rounds, _draw, _is_over, StageField.ranking,
    rolls=True, check=_check, sized_by="sizes", tiebreaks=WINS, counting=CountingLaw(bonus=_streaks), by_hand="never",
    keeps_apart=keeps_apart, waits=True, next_step=_next_step, rolls_max=_rolls_max, paired_from=_paired_from,
)  # fmt: skip
