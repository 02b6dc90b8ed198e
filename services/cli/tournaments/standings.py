"""Standings as they are printed: rounds with their tables and what pairing cost, places, prizes."""

from __future__ import annotations

from domain.tournaments.field import StageField, result_of
from domain.tournaments.points import points_text
from domain.tournaments.tournament import HeldRound, Tournament
from services.words.catalogue import CATALOGUE, say


def round_lines(tournament: Tournament, held: HeldRound) -> list[str]:
    """Return a round that is closed: its tables, who came where, and what its pairing cost."""
    words = CATALOGUE["terminal"]["tournament"]
    lines = [say(words["round"], {"round": str(held.number), "law": held.law, "tables": str(len(held.tables))})]
    if held.cost is not None:
        lines.append("  " + say(words["cost"], {"cost": str(held.cost), "bound": str(held.bound)}))
    for number, table in sorted(held.tables.items()):
        counts = result_of(table)
        placed = () if counts is None else counts.ranking
        came = " > ".join(" = ".join(_name(tournament, n) for n in level) for level in placed)
        lines.append("  " + say(words["table"], {"table": str(number), "came": came}))
    if held.byes:
        lines.append("  " + say(words["byes"], {"who": ", ".join(_name(tournament, n) for n in held.byes)}))
    return lines


def place_lines(tournament: Tournament) -> list[str]:
    """Return the places in the end, with the score of the last stage."""
    words = CATALOGUE["terminal"]["tournament"]
    scores = StageField(tournament, len(tournament.stages)).scores
    lines, place = [words["places"]], 1
    for level in tournament.ranking:
        for number in level:
            score = points_text(scores[number]) if number in scores else "-"
            facts = {"place": str(place), "who": _name(tournament, number), "score": score}
            lines.append("  " + say(words["place"], facts))
        place += len(level)
    return lines


def _name(tournament: Tournament, number: int) -> str:
    return f"{number} ({tournament.entrants[number].player})"
