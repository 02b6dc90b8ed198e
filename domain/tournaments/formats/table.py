"""Table of formats: which file says what a stage is. A new format is a file here, a struct of rules, and a row."""

from __future__ import annotations

from typing import Final

from domain.tournaments.formats.arenas import ARENA
from domain.tournaments.formats.brackets import BRACKET
from domain.tournaments.formats.chouettes import CHOUETTE
from domain.tournaments.formats.duplicates import DUPLICATE
from domain.tournaments.formats.dutch import DUTCH
from domain.tournaments.formats.format import Format
from domain.tournaments.formats.groups import GROUPS, inner_format
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


def has_lots_each_round(stage: Stage) -> bool:
    """Report whether each round of a stage has lots of its own; else those of the stage serve throughout."""
    return (inner_format(stage) if isinstance(stage, Groups) else format_of(stage)).rolls
