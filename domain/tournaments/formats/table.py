"""Table of formats: which file says what a stage is. A new format is a file here, a struct of rules, and a row."""

from __future__ import annotations

from typing import Final

from domain.tournaments.formats.arenas import ARENA
from domain.tournaments.formats.brackets import BRACKET
from domain.tournaments.formats.chouettes import CHOUETTE
from domain.tournaments.formats.duplicates import DUPLICATE
from domain.tournaments.formats.dutch import DUTCH
from domain.tournaments.formats.format import Format
from domain.tournaments.formats.groups import GROUPS
from domain.tournaments.formats.knockouts import KNOCKOUT
from domain.tournaments.formats.ladders import LADDER
from domain.tournaments.formats.pods import SWISS
from domain.tournaments.formats.schedules import BALANCED, ROUND_ROBIN
from domain.tournaments.formats.survivors import LAST_LONGER
from domain.tournaments.rules import (
    Arena,
    Balanced,
    ChouetteStage,
    Double,
    Duplicate,
    Dutch,
    Groups,
    KnockoutStage,
    LadderStage,
    LastLonger,
    RoundRobin,
    Single,
    Stage,
    Swiss,
)
from domain.tournaments.tournament import Tournament

FORMATS: Final[dict[type[Stage], Format]] = {
    Swiss: SWISS,
    RoundRobin: ROUND_ROBIN,
    Balanced: BALANCED,
    Single: BRACKET,
    Double: BRACKET,
    KnockoutStage: KNOCKOUT,
    LastLonger: LAST_LONGER,
    Groups: GROUPS,
    Dutch: DUTCH,
    Arena: ARENA,
    LadderStage: LADDER,
    ChouetteStage: CHOUETTE,
    Duplicate: DUPLICATE,
}


def format_of(stage: Stage) -> Format:
    """Return what a stage is."""
    return FORMATS[type(stage)]


def format_called(name: str) -> Format:
    """Return the format of this name, as the rules object has it."""
    return next(chosen for kind, chosen in FORMATS.items() if kind.__struct_config__.tag == name)


def format_of_rounds(stage: Stage) -> Format:
    """Return what the rounds of a stage are: of one with groups, those that each of them plays."""
    return format_of(format_of(stage).part(stage))


def keeps_pairs_apart(tournament: Tournament) -> bool:
    """Report whether the stage that is played, or one that follows, looks at who may not sit together."""
    stage = tournament.stage
    follow = [(each, 0) for each in tournament.rules.stages[len(tournament.stages) :]]
    played = [] if stage is None or stage.closed is not None else [(tournament.stage_rules, len(stage.seeds))]
    return any(format_of_rounds(each).keeps_apart(each, entrants) for each, entrants in (*played, *follow))


def has_lots_each_round(stage: Stage) -> bool:
    """Report whether each round of a stage has lots of its own; else those of the stage serve throughout."""
    return format_of_rounds(stage).rolls
