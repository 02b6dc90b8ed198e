"""Bots that spare each other: events of bots of the house, two of whom do not challenge each other."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from domain import commands
from domain.statistics.screening.decisions import decisions_of_match
from domain.statistics.screening.screening import ScreenedMatch, Screening, screen
from domain.statistics.screening.sittings import matches_that_count, places_to_screen
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from domain.tournaments.matches import match_object
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.presets import preset
from domain.tournaments.tournament import HeldRound, PairedTable
from services.cli.ledger import REHEARSAL, Ledger
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.tables import PlayedOut, drawing_from
from services.engines.level_names import Style
from services.engines.levels import POWERS, words_of

NAMED = UUID("6f1de1ce-0000-4000-8000-00000000005c")


class SparingTable(PlayedOut):
    """A table at which some do not challenge each other."""

    def __init__(self, spares: Collection[str], *given: Any) -> None:
        self._spares = spares
        super().__init__(*given)

    def _chosen(self, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
        facing = {
            self.match.seated[seat].player for seat in (sight.seat, sight.state.round.claimant) if seat is not None
        }
        found = weigh(sight, LEVEL_ONE.with_power(POWERS[style]))
        others = tuple(option for option in found.options if not isinstance(option.command, commands.Challenge))
        if len(facing) > 1 and facing <= {*self._spares} and others:
            found = replace(found, options=others)
        return found.draw(words_of(chance)[0]).command


class SparingEvent(Rehearsal):
    """An event of bots, of whom those with these numbers spare each other."""

    spares: Collection[int] = ()

    def _open_table(self, held: HeldRound, table: PairedTable) -> PlayedOut:
        tournament, stage = self.tournament, len(self.tournament.stages)
        name = match_id(str(tournament.id), stage, held.number, table.number, table.attempt)
        players = [tournament.entrants[number].player for number in table.seats]
        spares = {tournament.entrants[number].player for number in self.spares}
        rules = match_object(tournament, stage, held, table)
        return SparingTable(spares, UUID(name), rules, players, self._ledger, self._draw, self._at)


def played(
    entrants: int, rounds: int, seed: bytes, spares: Collection[int] = (), match: dict[str, Any] | None = None
) -> SparingEvent:
    """Return an event in pods of four that has been played, two of them sparing each other if any."""
    given = preset("pods", entry={"bots": "only"}, **({} if match is None else {"match": match}))
    given["stages"] = [{**given["stages"][0], "rounds": rounds}]
    event = SparingEvent(NAMED, rules_from(given), 1_800_000_000_000, Ledger(REHEARSAL, bytes(32)), drawing_from(seed))
    event.spares = spares
    event.enter(entrants)
    assert sum(1 for _ in event.rounds()) == rounds
    return event


def screened_matches(event: Rehearsal) -> list[ScreenedMatch]:
    """Return the matches of an event as a screening takes them."""
    return [
        ScreenedMatch(place, table, match, decisions_of_match(event.matches[match].lines))
        for place, table, match in matches_that_count(event.tournament)
    ]


def screening_of(event: Rehearsal) -> Screening:
    """Return what a screening finds after the last round."""
    return screen(event.tournament, places_to_screen(event.tournament)[-1], screened_matches(event))
