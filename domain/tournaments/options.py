"""Options of a tournament: what a host asks for, read into rules with every option spelled out, or refused by name.

The first option that is wrong is named, in the order in which the rules object has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Final, Union

import msgspec
from msgspec import UNSET, Meta, defstruct

from domain.errors import Refused
from domain.faults import fault_of
from domain.ids import UnixMs
from domain.match.settings import Settings, rules_in_force, rules_object, settings_of
from domain.tournaments.formats.format import bad_option
from domain.tournaments.formats.table import FORMATS, format_of, format_of_rounds
from domain.tournaments.pairing.sizes import SEATS_MAX
from domain.tournaments.points import NotPoints, points_of
from domain.tournaments.rules import (
    Entry,
    RoundTimes,
    Stage,
    TournamentRules,
    largest_size,
    preferred_size,
    smallest_size,
)

RULES_BYTES_MAX: Final = 60_000
"""How long the rules object may be, so that the first line holds it (CUP/1 section 4.3)."""
TIEBREAKS: Final = ("BH", "BH-C1", "BH-C2", "BH-M1", "SB", "DE", "PS", "KS", "WIN", "WON", "CB")
USUAL_OF_PAIRS: Final = ("DE", "BH-C1", "BH", "SB", "WIN")
USUAL_OF_TABLES: Final = ("DE", "BH-C1", "BH", "SB", "CB")
USUAL_OF_ROBINS: Final = ("DE", "SB", "KS", "WIN")
OF_ONE_MATCH: Final = ("event", "starter", "stacks", "rounds_max", "board")
"""Members of a match's rules object that say which match of a tournament it is, and so stand in no template."""
PAIR: Final = 2
STAGES_MAX: Final = 4
BUCHHOLZ: Final = "BH"
KOYA: Final = "KS"


def rules_from(given: dict[str, Any]) -> TournamentRules:
    """Return the rules that a host asks for, with every option spelled out.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong, or that would change nothing.
    """
    rules = rules_read(given)
    for option, why in idle_options(rules):
        raise bad_option(option, why)
    _check_ratings(rules)
    _check_times_of_all(rules)
    return rules


def _check_ratings(rules: TournamentRules) -> None:
    """Check that somebody can have a rating where nobody enters without one."""
    if rules.entry.rating is not None and rules.season is None:
        raise bad_option("entry.rating", "ratings are those of a season: here nobody has one, and nobody could enter")


def _check_times_of_all(rules: TournamentRules) -> None:
    """Check that every round has its time, as far as the host says how many rounds there are."""
    said = [format_of(stage).part(stage).rounds for stage in rules.stages]
    rounds = sum(number or 0 for number in said[: said.index(None) if None in said else None])
    if rules.time.start == "times" and len(rules.time.times) < rounds:
        raise bad_option("time.times", f"there are times for {len(rules.time.times)} of {rounds} rounds")


def idle_options(rules: TournamentRules) -> Iterator[tuple[str, str]]:
    """Yield the options of rules that change nothing as they are said, by name, and why not."""
    field = rules.entry.max
    for number, stage in enumerate(rules.stages):
        yield from ((f"stages.{number}.{name}", why) for name, why in format_of(stage).idle(stage, field))
        field = min(field, stage.advance or field)
    if rules.seeding == "rating" and rules.season is None:
        yield "seeding", "ratings are those of a season: here nobody has one, and seeds would follow lots"
    if rules.time.start != "auto" and all(format_of(stage).next_step is not None for stage in rules.stages):
        yield "time.start", "here people sit down whenever there are enough of them, and no round is waited for"


def rules_read(given: dict[str, Any]) -> TournamentRules:
    """Return the rules that a host asks for, or asked for when options that change nothing were still taken.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong.
    """
    rules = _read(given)
    settings = _settings(rules.match, rules.match, "match")
    rules = msgspec.structs.replace(
        rules,
        stages=tuple(_spelled_out(stage, last=stage is rules.stages[-1]) for stage in rules.stages),
        match=rules_object(settings),
        tiebreaks=rules.tiebreaks or usual_tiebreaks(rules.stages),
        entry=_entry_of(rules, given.get("entry")),
    )
    field = rules.entry.max
    for number, stage in enumerate(rules.stages, start=1):
        _check_stage(rules, stage, f"stages.{number - 1}", last=number == len(rules.stages))
        exact = number == 1 and rules.entry.min == field
        if format_of(stage).part(stage).rounds is not None:
            format_of(stage).check_rounds(stage, f"stages.{number - 1}.rounds", field, exact)
        field = min(field, stage.advance or field)
    _check_scoring(rules)
    _check_tiebreaks(rules)
    _check_prizes(rules)
    _check_times(rules.time)
    if len(msgspec.json.encode(rules)) > RULES_BYTES_MAX:
        raise bad_option("rules", f"this is longer than {RULES_BYTES_MAX} bytes")
    return rules


def _read(given: dict[str, Any]) -> TournamentRules:
    try:
        asked = msgspec.convert(given, _asked(tuple(FORMATS)))
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise Refused("bad_options", option=fault.named or "rules", why=fault.why) from error
    return TournamentRules(**{name: getattr(asked, name) for name in TournamentRules.__struct_fields__})


@cache
def _asked(kinds: tuple[type[Stage], ...]) -> type[Any]:
    """Return the rules as they are read, with stages of these kinds."""
    stages = Annotated[tuple[Union[kinds], ...], Meta(min_length=1, max_length=STAGES_MAX)]  # type: ignore[valid-type] # noqa: UP007
    return defstruct("AskedRules", [("stages", stages)], bases=(TournamentRules,), frozen=True, kw_only=True)


def _spelled_out(stage: Stage, *, last: bool) -> Stage:
    """Return a stage with what follows from the rest of it. That a table plays one match is said by saying nothing."""
    if stage.best_of == 1:
        stage = msgspec.structs.replace(stage, best_of=UNSET)
    return format_of(stage).spelled_out(stage, last)


def _are_robins(stages: Sequence[Stage]) -> bool:
    """Report whether everybody meets everybody in all of them."""
    return all(format_of_rounds(stage).robin for stage in stages)


def rules_at(given: dict[str, Any], at: UnixMs) -> TournamentRules:
    """Return the rules that stand in a line of this time, in Unix milliseconds.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong, which may be a time that is over.
    """
    rules = rules_read(given)
    if rules.time.times and rules.time.times[0] < at:
        raise bad_option("time.times.0", "this time is over")
    return rules


def usual_tiebreaks(stages: Sequence[Stage]) -> tuple[str, ...]:
    """Return the tie-breaks of stages for which the host names none: what suits the first and says something in all."""
    named = [each for stage in stages if (each := format_of(stage).tiebreaks)]
    if named:
        return tuple(code for code in named[0] if all(code in each for each in named))
    if _are_robins(stages):
        return USUAL_OF_ROBINS
    return USUAL_OF_PAIRS if preferred_size(stages[0]) == PAIR else USUAL_OF_TABLES


def _settings(whole: dict[str, Any], said: dict[str, Any], option: str) -> Settings:
    """Return the settings of a template, of which `said` is what the host says at this option."""
    for member in said:
        if member in OF_ONE_MATCH:
            raise bad_option(f"{option}.{member}", "this follows from the table, and is said of no match beforehand")
    try:
        return settings_of(whole)
    except Refused as refused:
        raise bad_option(
            f"{option}.{refused.facts.get('option', 'rules')}", str(refused.facts.get("why", ""))
        ) from refused


def _entry_of(rules: TournamentRules, given: object) -> Entry:
    """Return the entry conditions; where matches are rated, nobody is a guest.

    Raises:
        Refused: They contradict each other.
    """
    entry = rules.entry
    if rules.rated and not entry.player:
        if isinstance(given, dict) and "player" in given:
            raise bad_option(
                "entry.player", "ratings are of players: where matches are rated, nobody enters as a guest"
            )
        entry = msgspec.structs.replace(entry, player=True)
    if entry.max < entry.min:
        raise bad_option("entry.max", "this is fewer than there have to be at least")
    if entry.rating is not None and entry.rating[0] > entry.rating[1]:
        raise bad_option("entry.rating", "the lowest rating stands before the highest")
    return entry


def _check_scoring(rules: TournamentRules) -> None:
    scoring = rules.scoring
    if not 0 <= _points(scoring.bye, "scoring.bye") <= 1:
        raise bad_option("scoring.bye", "a bye is worth nothing, a first place, or a part of it")
    if (scoring.scheme == "custom") is not bool(scoring.points):
        raise bad_option("scoring.points", "points are listed if they are custom, and only then")
    for size, listed in scoring.points.items():
        option = f"scoring.points.{size}"
        if size not in {str(number) for number in range(2, SEATS_MAX + 1)} or len(listed) != int(size):
            raise bad_option(option, f"tables have 2 to {SEATS_MAX} seats, and a number for each place")
        _check_worth([_points(each, option) for each in listed], option)
    for stage in rules.stages if scoring.points else ():
        for seats in range(smallest_size(stage), largest_size(stage) + 1):
            if str(seats) not in scoring.points:
                raise bad_option("scoring.points", f"nothing is said of tables of {seats}")


def _check_worth(worth: Sequence[Fraction], option: str) -> None:
    if any(worse > better for better, worse in pairwise(worth)):
        raise bad_option(option, "a place is worth no more than the one before it")
    # Scores are compared with what a first place is worth: shares of nothing are no numbers.
    if worth[0] <= 0:
        raise bad_option(option, "a first place is worth more than nothing")


def _points(text: str, option: str) -> Fraction:
    try:
        return points_of(text)
    except NotPoints as fault:
        raise bad_option(option, str(fault)) from fault


def _check_stage(rules: TournamentRules, stage: Stage, option: str, *, last: bool) -> None:
    settings = _settings({**rules.match, **stage.overrides}, stage.overrides, f"{option}.overrides")
    game, chosen = rules_in_force(settings), format_of(stage)
    if largest_size(stage) > game.seats[1] or smallest_size(stage) < game.seats[0]:
        low, high = game.seats
        raise bad_option(f"{option}.{chosen.sized_by}", f"this game is for {low} to {high} seats")
    if stage.best_of is not UNSET and largest_size(stage) != PAIR:
        raise bad_option(f"{option}.best_of", "several matches are played by two, and these tables have more seats")
    chosen.check(rules, stage, option)
    if game.match.bouts is not None:
        raise bad_option(f"{option}.format", "a game that is played in bouts is no game for tables of a tournament")
    if game.match.open_ended and chosen.rounds_max(stage) is None:
        raise bad_option(f"{option}.rounds_max", "this game ends by no rule of its own: say after how many rounds")
    if last is not (stage.advance is None):
        why = "nobody goes on from the last stage" if last else "say how many go on to the next stage"
        raise bad_option(f"{option}.advance", why)


def _check_tiebreaks(rules: TournamentRules) -> None:
    seen: set[str] = set()
    for at, code in enumerate(rules.tiebreaks):
        option = f"tiebreaks.{at}"
        if code not in TIEBREAKS:
            raise bad_option(option, f"there are {', '.join(TIEBREAKS)}")
        if code in seen:
            raise bad_option(option, "this stands in the list already")
        robin = _are_robins(rules.stages)
        if (robin and code.startswith(BUCHHOLZ)) or (code == KOYA and not robin):
            raise bad_option(option, "this says nothing where everybody meets everybody, or only there")
        seen.add(code)


def _check_prizes(rules: TournamentRules) -> None:
    amounts: Sequence[int] = () if rules.prizes is None else rules.prizes.amounts
    if any(worse > better for better, worse in pairwise(amounts)):
        raise bad_option("prizes.amounts", "a place wins no more than the one before it")


def _check_times(time: RoundTimes) -> None:
    if (time.start == "times") is not bool(time.times):
        raise bad_option("time.times", "times are given if rounds start by them, and only then")
    if any(later < sooner for sooner, later in pairwise(time.times)):
        raise bad_option("time.times", "a round starts no sooner than the one before it")
