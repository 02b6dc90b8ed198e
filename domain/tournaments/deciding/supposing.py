"""Supposed rounds: how the next round would look if its lots were zeros, for officials to see beforehand.

Nothing of it is kept, and no lot is drawn for it. The real ones break ties between groupings of one cost, say who
opens among equals, and where a search goes: real tables may be others, which cost the same where the law takes the
optimum, and about the same where it searches.
"""

from __future__ import annotations

from typing import Final

from domain.errors import Refused
from domain.tournaments import events
from domain.tournaments.commands import GivenPairing
from domain.tournaments.deciding.due import is_pairing_next
from domain.tournaments.deciding.rounds import draw_round
from domain.tournaments.events import RULE
from domain.tournaments.evolve import evolve
from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.pairing.lots import LOT_BYTES, Lots
from domain.tournaments.rules import smallest_size
from domain.tournaments.tournament import PlayedStage, Tournament

SUPPOSED = bytes(LOT_BYTES)
"""The lots of a round that is only supposed."""
CANNOT_PAIR: Final = "cannot_pair"


def with_supposed_round(tournament: Tournament, given: GivenPairing | None = None) -> Tournament:
    """Return a tournament as it would stand if its next round were paired now, by lots of zeros.

    Args:
        tournament: As it stands.
        given: The round as a package has it, where one pairs.

    Raises:
        Refused: `wrong_phase`, `round_open`, `already_paired`, `cannot_pair`.
    """
    stage = _pairable(tournament)
    number = stage.next_number
    drawn = draw_round(tournament, Lots(SUPPOSED, stage.number, number), given)
    supposed = tournament
    for part in drawn.parts or (drawn,):
        paired = events.TablesPaired(
            stage.number, part.group, number, part.law, tournament.seq, SUPPOSED.hex(), None, part.byes,
            part.numbered, part.certificate, RULE,
        )  # fmt: skip
        supposed = evolve(supposed, paired, tournament.at)
    return supposed


def what_hinders(tournament: Tournament, given: GivenPairing | None = None) -> Refused | None:
    """Return the `cannot_pair` that the next round meets as things stand; None where it can be paired, or none is next.

    Cost: that of pairing it where somebody is kept apart or a package pairs; else next to nothing.
    """
    if not may_be_hindered(tournament):
        return None
    try:
        with_supposed_round(tournament, given)
    except Refused as refused:
        return refused if refused.code == CANNOT_PAIR else None
    return None


def may_be_hindered(tournament: Tournament) -> bool:
    """Report whether anything is there that may keep the next round from being paired."""
    stage = tournament.stage
    if stage is None or stage.overlaps or not is_pairing_next(tournament):
        return False
    field = StageField(tournament, stage.number)
    few = len(field.left) < smallest_size(field.rules)
    return few or bool(field.forbidden(field.left)) or format_of(field.rules).given is not None


def _pairable(tournament: Tournament) -> PlayedStage:
    """Return the stage whose next round can be paired; waves that follow each other of themselves are not looked at."""
    stage = tournament.stage
    if stage is None or stage.overlaps or tournament.phase != "running":
        raise Refused("wrong_phase", phase=tournament.phase)
    held = stage.played
    if held is not None and held.is_paired and held.closed_at is None:
        if held.missing and held.started_at is not None:
            raise Refused("round_open", tables=list(held.missing))
        raise Refused("already_paired", round=held.number)
    if not is_pairing_next(tournament):
        raise Refused("wrong_phase", phase=tournament.phase)
    return stage
