"""Options of a tournament: what a host asks for, read into rules with every option spelled out, or refused by name.

The first option that is wrong is named, in the order in which the rules object has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import UNSET

from domain.errors import Refused
from domain.faults import fault_of
from domain.ids import UnixMs
from domain.match.settings import Settings, rules_in_force, rules_object, settings_of
from domain.rules.boards import why_no_boards
from domain.tournaments.pairing.seating import ROUND_OF
from domain.tournaments.pairing.sizes import SEATS_MAX
from domain.tournaments.points import NotPoints, points_of
from domain.tournaments.rules import (
    ENTRANTS_MAX,
    FIXED,
    AnyStage,
    Arena,
    Balanced,
    ChouetteStage,
    Duplicate,
    Dutch,
    Entry,
    Groups,
    KnockoutStage,
    LadderStage,
    LastLonger,
    RoundRobin,
    RoundTimes,
    Stage,
    Swiss,
    TournamentRules,
    largest_size,
    preferred_size,
    smallest_size,
)
from domain.tournaments.schedules.designs import design

RULES_BYTES_MAX: Final = 60_000
"""How long the rules object may be, so that the first line holds it (CUP/1 section 4.3)."""
TIEBREAKS: Final = ("BH", "BH-C1", "BH-C2", "BH-M1", "SB", "DE", "PS", "KS", "WIN", "WON", "CB")
USUAL_OF_PAIRS: Final = ("DE", "BH-C1", "BH", "SB", "WIN")
USUAL_OF_TABLES: Final = ("DE", "BH-C1", "BH", "SB", "CB")
BY_WINS: Final = (Arena, LadderStage, ChouetteStage)
"""Stages in which not everybody plays as often, so that of tie-breaks only wins say something."""
USUAL_OF_ARENAS: Final = ("WON", "WIN", "CB")
USUAL_OF_BOARDS: Final = ("WON", "CB")
OF_BOARDS: Final = ("DE", *USUAL_OF_BOARDS)
"""What says something where the score of a table depends on others: whom one was ahead of at the own ones."""
USUAL_OF_ROBINS: Final = ("DE", "SB", "KS", "WIN")
OF_ONE_MATCH: Final = ("event", "starter", "stacks", "rounds_max", "board")
"""Members of a match's rules object that say which match of a tournament it is, and so stand in no template."""
DUTCH_MAX: Final = 512
"""So many entrants a package pairs in a few seconds."""
PAIR: Final = 2
TABLES_MIN: Final = 2
"""Tables that a board has at least."""
BUCHHOLZ: Final = "BH"
KOYA: Final = "KS"


def rules_from(given: dict[str, Any]) -> TournamentRules:
    """Return the rules that a host asks for, with every option spelled out.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong.
    """
    try:
        rules = msgspec.convert(given, TournamentRules)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise Refused("bad_options", option=fault.named or "rules", why=fault.why) from error
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
        _check_rounds(stage, f"stages.{number - 1}.rounds", field, exact=exact)
        field = min(field, stage.advance or field)
    _check_scoring(rules)
    _check_tiebreaks(rules)
    _check_prizes(rules)
    _check_times(rules.time)
    if len(msgspec.json.encode(rules)) > RULES_BYTES_MAX:
        raise _bad("rules", f"this is longer than {RULES_BYTES_MAX} bytes")
    return rules


def _spelled_out(stage: AnyStage, *, last: bool) -> AnyStage:
    """Return a stage with what follows from the rest of it: from groups as many go on as go on from each.

    That a table plays one match is said by saying nothing.
    """
    if stage.best_of == 1:
        stage = msgspec.structs.replace(stage, best_of=UNSET)
    if isinstance(stage, Groups) and stage.advance is None and not last:
        return msgspec.structs.replace(stage, advance=min(ENTRANTS_MAX, max(2, stage.groups * stage.through)))
    return stage


def _are_robins(stages: Sequence[Stage]) -> bool:
    """Report whether everybody meets everybody in all of them."""
    return all(isinstance(stage.inner if isinstance(stage, Groups) else stage, RoundRobin) for stage in stages)


def rules_at(given: dict[str, Any], at: UnixMs) -> TournamentRules:
    """Return the rules that a host asks for at this time, in Unix milliseconds.

    Raises:
        Refused: `bad_options`, naming the first option that is wrong, which may be a time that is over.
    """
    rules = rules_from(given)
    if rules.time.times and rules.time.times[0] < at:
        raise _bad("time.times.0", "this time is over")
    return rules


def usual_tiebreaks(stages: Sequence[Stage]) -> tuple[str, ...]:
    """Return the tie-breaks of stages for which the host names none: what suits the first and says something in all."""
    if any(isinstance(stage, BY_WINS) for stage in stages):
        return USUAL_OF_ARENAS
    if any(isinstance(stage, Duplicate) for stage in stages):
        return USUAL_OF_BOARDS
    if _are_robins(stages):
        return USUAL_OF_ROBINS
    return USUAL_OF_PAIRS if preferred_size(stages[0]) == PAIR else USUAL_OF_TABLES


def _bad(option: str, why: str) -> Refused:
    return Refused("bad_options", option=option, why=why)


def _settings(whole: dict[str, Any], said: dict[str, Any], option: str) -> Settings:
    """Return the settings of a template, of which `said` is what the host says at this option."""
    for member in said:
        if member in OF_ONE_MATCH:
            raise _bad(f"{option}.{member}", "this follows from the table, and is said of no match beforehand")
    try:
        return settings_of(whole)
    except Refused as refused:
        raise _bad(f"{option}.{refused.facts.get('option', 'rules')}", str(refused.facts.get("why", ""))) from refused


def _entry_of(rules: TournamentRules, given: object) -> Entry:
    """Return the entry conditions; where matches are rated, nobody is a guest.

    Raises:
        Refused: They contradict each other.
    """
    entry = rules.entry
    if rules.rated and not entry.player:
        if isinstance(given, dict) and "player" in given:
            raise _bad("entry.player", "ratings are of players: where matches are rated, nobody enters as a guest")
        entry = msgspec.structs.replace(entry, player=True)
    if entry.max < entry.min:
        raise _bad("entry.max", "this is fewer than there have to be at least")
    if entry.rating is not None and entry.rating[0] > entry.rating[1]:
        raise _bad("entry.rating", "the lowest rating stands before the highest")
    return entry


def _check_scoring(rules: TournamentRules) -> None:
    scoring = rules.scoring
    if not 0 <= _points(scoring.bye, "scoring.bye") <= 1:
        raise _bad("scoring.bye", "a bye is worth nothing, a first place, or a part of it")
    if (scoring.scheme == "custom") is not bool(scoring.points):
        raise _bad("scoring.points", "points are listed if they are custom, and only then")
    for size, listed in scoring.points.items():
        option = f"scoring.points.{size}"
        if size not in {str(number) for number in range(2, SEATS_MAX + 1)} or len(listed) != int(size):
            raise _bad(option, f"tables have 2 to {SEATS_MAX} seats, and a number for each place")
        _check_worth([_points(each, option) for each in listed], option)
    for stage in rules.stages if scoring.points else ():
        for seats in range(smallest_size(stage), largest_size(stage) + 1):
            if str(seats) not in scoring.points:
                raise _bad("scoring.points", f"nothing is said of tables of {seats}")


def _check_worth(worth: Sequence[Fraction], option: str) -> None:
    if any(worse > better for better, worse in pairwise(worth)):
        raise _bad(option, "a place is worth no more than the one before it")
    # Scores are compared with what a first place is worth: shares of nothing are no numbers.
    if worth[0] <= 0:
        raise _bad(option, "a first place is worth more than nothing")


def _points(text: str, option: str) -> Fraction:
    try:
        return points_of(text)
    except NotPoints as fault:
        raise _bad(option, str(fault)) from fault


def _check_stage(rules: TournamentRules, stage: Stage, option: str, *, last: bool) -> None:
    settings = _settings({**rules.match, **stage.overrides}, stage.overrides, f"{option}.overrides")
    game = rules_in_force(settings)
    if largest_size(stage) > game.seats[1] or smallest_size(stage) < game.seats[0]:
        low, high = game.seats
        raise _bad(f"{option}.{_SIZE.get(type(stage), 'format')}", f"this game is for {low} to {high} seats")
    if stage.best_of is not UNSET and largest_size(stage) != PAIR:
        raise _bad(f"{option}.best_of", "several matches are played by two, and these tables have more seats")
    _check_format(rules, stage, option)
    inner, inside = (stage.inner, f"{option}.inner") if isinstance(stage, Groups) else (stage, option)
    if isinstance(inner, Swiss | Arena) and not inner.sizes.min <= inner.sizes.preferred <= inner.sizes.max:
        raise _bad(f"{inside}.sizes", "the preferred size lies between the smallest and the largest")
    if isinstance(stage, KnockoutStage) and stage.through >= max(ROUND_OF, stage.size - 1):
        raise _bad(f"{option}.through", "fewer go on than sit at any table")
    if isinstance(stage, KnockoutStage) and (stage.final or stage.size) > stage.size:
        raise _bad(f"{option}.final", "the last table is no larger than the others")
    if game.match.bouts is not None:
        raise _bad(f"{option}.format", "a game that is played in bouts is no game for tables of a tournament")
    if game.match.open_ended and stage.rounds_max is None and not isinstance(stage, LastLonger):
        raise _bad(f"{option}.rounds_max", "this game ends by no rule of its own: say after how many rounds")
    if isinstance(stage, LastLonger) and (game.match.unit not in {"die", "life", "token"} or game.match.out_at != 0):
        raise _bad(f"{option}.format", "this needs a game in which dice or lives are lost until none is left")
    if last is not (stage.advance is None):
        why = "nobody goes on from the last stage" if last else "say how many go on to the next stage"
        raise _bad(f"{option}.advance", why)


def _check_format(rules: TournamentRules, stage: Stage, option: str) -> None:
    """Check what a format asks for besides."""
    if isinstance(stage, Groups):
        _check_groups(stage, option)
    elif isinstance(stage, Dutch):
        _check_dutch(rules, option)
    elif isinstance(stage, Arena):
        _check_arena(rules, option)
    elif isinstance(stage, LadderStage):
        _check_wins(rules)
    elif isinstance(stage, ChouetteStage):
        _check_wins(rules)
        _check_chouette(rules, stage, option)
    elif isinstance(stage, Duplicate):
        _check_boards(rules, stage, option)


def _check_wins(rules: TournamentRules) -> None:
    """Check that tie-breaks are those that say something where not everybody plays as often."""
    if not set(rules.tiebreaks) <= set(USUAL_OF_ARENAS):
        raise _bad("tiebreaks", f"here there are {', '.join(USUAL_OF_ARENAS)}: nobody plays every round")


def _check_chouette(rules: TournamentRules, stage: ChouetteStage, option: str) -> None:
    """Check that it is said when it is over, and that bouts follow each other where the time says so."""
    if (stage.bouts is None) is (stage.duration_ms is None):
        raise _bad(f"{option}.bouts", "say how many bouts there are, or how long they may begin")
    if stage.duration_ms is not None and rules.time.start != "auto":
        raise _bad("time.start", "while a time lasts, one bout follows the other by itself")


def _check_arena(rules: TournamentRules, option: str) -> None:
    """Check what does not fit tables that do not wait for each other."""
    if rules.scoring.scheme not in {"share", "winner"}:
        raise _bad(f"{option}.format", "here a first place is worth 1: points are `share` or `winner`")
    if rules.lots.deal != "once":
        raise _bad("lots.deal", "here one deal of lots serves many waves")
    _check_wins(rules)


def _check_boards(rules: TournamentRules, stage: Duplicate, option: str) -> None:
    """Check that the same dice can be at several tables, and that nobody is tempted to tell others of theirs."""
    settings = settings_of({**rules.match, **stage.overrides})
    if stage.best_of is not UNSET:
        raise _bad(f"{option}.best_of", "a board is played once: everybody knows its dice by then")
    if why := why_no_boards(rules_in_force(settings)):
        raise _bad(f"{option}.format", f"the same dice cannot be at several tables: {why}")
    if settings.clock is None:
        raise _bad("match.clock", "tables with the same dice wait for each other, so nobody plays without a clock")
    if settings.deal_per != "match":
        raise _bad("match.deal_per", "a board has one deal for the whole match")
    if (rules.prizes is not None or rules.rated) and not stage.supervised:
        why = "two at different tables who tell each other their dice know what they should not: with prizes or ratings"
        raise _bad(f"{option}.supervised", f"{why} everybody has to be in one room")
    if rules.entry.max < TABLES_MIN * stage.size:
        raise _bad("entry.max", "with fewer than two tables nobody has the same dice elsewhere")
    if not set(rules.tiebreaks) <= set(OF_BOARDS):
        raise _bad("tiebreaks", f"here there are {', '.join(OF_BOARDS)}: scores depend on other tables")


def _check_dutch(rules: TournamentRules, option: str) -> None:
    """Check that points are those of FIDE's book, and that there are not more than its package can pair."""
    if (rules.scoring.scheme, rules.scoring.bye) != ("share", "1"):
        raise _bad(f"{option}.format", "here a first place and a rest are worth 1, and nothing else is")
    if rules.entry.max > DUTCH_MAX:
        raise _bad("entry.max", f"in this format no more than {DUTCH_MAX} are paired")


def _check_groups(stage: Groups, option: str) -> None:
    """Check that a stage in groups says everything once."""
    for name in ("advance", "round_ms", "rounds_max", "overrides", "best_of"):
        if getattr(stage.inner, name) not in (None, {}, UNSET):
            raise _bad(f"{option}.inner.{name}", "this is said of the stage, and holds in all of its groups")
    if stage.rounds is not None:
        raise _bad(f"{option}.rounds", "rounds are those of the groups: say it of `inner`")
    if stage.advance is not None and stage.advance != max(2, stage.groups * stage.through):
        raise _bad(f"{option}.advance", "from each group `through` go on")


def _check_rounds(stage: Stage, option: str, field: int, *, exact: bool = False) -> None:
    """Check that as many rounds can be played as a stage is said to have, with the most who may be in it.

    `exact` says that no fewer are: then a design is known beforehand.
    """
    if isinstance(stage, Groups):
        _check_rounds(stage.inner, f"{option.removesuffix('rounds')}inner.rounds", -(-field // stage.groups))
    if stage.rounds is None:
        return
    planned = design(field, stage.size) if isinstance(stage, Balanced) and exact else None
    if planned is not None and stage.rounds > len(planned.rounds()):
        raise _bad(option, f"{field} entrants have met as often as they can after {len(planned.rounds())}")
    if isinstance(stage, RoundRobin) and stage.rounds > (field - 1 + field % 2) * stage.cycles:
        raise _bad(option, f"so many rounds there are not, even with {field} entrants")
    if not isinstance(stage, (Swiss, Dutch, Duplicate, *FIXED)):
        raise _bad(option, "here it shows in the end how many rounds there are")


_SIZE: Final[dict[type[Stage], str]] = {
    Swiss: "sizes",
    Balanced: "size",
    KnockoutStage: "size",
    LastLonger: "high",
    Arena: "sizes",
    Duplicate: "size",
}
"""What says how large the tables of a stage are."""


def _check_tiebreaks(rules: TournamentRules) -> None:
    seen: set[str] = set()
    for at, code in enumerate(rules.tiebreaks):
        option = f"tiebreaks.{at}"
        if code not in TIEBREAKS:
            raise _bad(option, f"there are {', '.join(TIEBREAKS)}")
        if code in seen:
            raise _bad(option, "this stands in the list already")
        robin = _are_robins(rules.stages)
        if (robin and code.startswith(BUCHHOLZ)) or (code == KOYA and not robin):
            raise _bad(option, "this says nothing where everybody meets everybody, or only there")
        seen.add(code)


def _check_prizes(rules: TournamentRules) -> None:
    amounts: Sequence[int] = () if rules.prizes is None else rules.prizes.amounts
    if any(worse > better for better, worse in pairwise(amounts)):
        raise _bad("prizes.amounts", "a place wins no more than the one before it")


def _check_times(time: RoundTimes) -> None:
    if (time.start == "times") is not bool(time.times):
        raise _bad("time.times", "times are given if rounds start by them, and only then")
    if any(later < sooner for sooner, later in pairwise(time.times)):
        raise _bad("time.times", "a round starts no sooner than the one before it")
