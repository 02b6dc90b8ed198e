"""Rehearsals as they are told: line by line for people, or as JSON for programs."""

from __future__ import annotations

from pathlib import Path

from domain.tournaments.tournament import HeldRound
from projections.tournaments.rounds import round_view
from projections.tournaments.standings import standings_view
from services.cli.screen import say, say_json
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.simulated.stopping import StoppedRehearsal
from services.cli.tournaments.standings import luck_lines, place_lines, rating_lines, round_lines
from services.words.catalogue import CATALOGUE
from services.words.catalogue import say as put


class TextRehearsal:
    """A rehearsal for people: its rounds as they close, what pairing cost beside its bound, the places in the end."""

    def __init__(self, rehearsal: Rehearsal, *, ratings: bool, luck: bool) -> None:
        """Tell of a rehearsal, which begins; of ratings and of luck too, if that is asked for."""
        self._rehearsal, self._ratings, self._luck = rehearsal, ratings, luck
        say(CATALOGUE["terminal"]["tournament"]["legend"])

    def tell_round(self, held: HeldRound) -> None:
        """Tell of a round that is closed."""
        say(*round_lines(self._rehearsal.tournament, held))

    def tell_end(self, seconds: float, folder: Path | None, policy: Path | None) -> None:
        """Tell the places, how long it took, and where its records are."""
        rehearsal, words = self._rehearsal, CATALOGUE["terminal"]["tournament"]
        say(*place_lines(rehearsal.tournament))
        say(*(rating_lines(rehearsal.tournament) if self._ratings else ()))
        say(*(luck_lines(rehearsal.tournament, rehearsal.luck()) if self._luck else ()))
        say(put(words["played"], {"matches": str(len(rehearsal.matches)), "seconds": f"{seconds:.1f}"}))
        if isinstance(rehearsal, StoppedRehearsal):
            say(put(words["stopped"], {"stops": str(rehearsal.stops)}))
        if folder is not None:
            say(put(words["written"], {"folder": str(folder), "policy": str(policy)}))


class JsonRehearsal:
    """A rehearsal for programs: a document for each round and one for its end, in the words of the interface."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        """Tell of a rehearsal, which begins."""
        self._rehearsal = rehearsal

    def tell_round(self, held: HeldRound) -> None:
        """Tell of a round that is closed."""
        tournament = self._rehearsal.tournament
        say_json({"round": round_view(tournament, {}, len(tournament.stages), held.number)})

    def tell_end(self, seconds: float, folder: Path | None, policy: Path | None) -> None:
        """Tell the standings and the places, how long it took, and where its records are."""
        rehearsal = self._rehearsal
        tournament = rehearsal.tournament
        stops = rehearsal.stops if isinstance(rehearsal, StoppedRehearsal) else 0
        say_json({"standings": standings_view(tournament, {}, explained=False), "places": tournament.ranking})
        played = {"matches": len(rehearsal.matches), "seconds": round(seconds, 3), "stops": stops}
        said = {} if folder is None else {"folder": str(folder), "policy": str(policy)}
        say_json({"played": played | said})
