"""Standings as they are printed: rounds with their tables and what pairing cost, places, prizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from domain.statistics.luck import LuckRow
from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.groups import group_fields
from domain.tournaments.formats.table import format_of
from domain.tournaments.points import points_text
from domain.tournaments.ranking.standings import Standing, TieValue
from domain.tournaments.tournament import HeldRound, PlayedStage, Tournament
from services.audit.seasons.ratings import MILLION, ratings_after
from services.words.catalogue import CATALOGUE, say


def round_lines(tournament: Tournament, held: HeldRound) -> list[str]:
    """Return a round of the last stage that is closed: its tables, who came where, and what its pairing cost."""
    words, stage = CATALOGUE["terminal"]["tournament"], tournament.stages[-1]
    facts = {"round": str(held.number), "law": held.law, "tables": str(len(held.tables)), "stage": str(stage.number)}
    lines = [say(words["staged" if len(tournament.rules.stages) > 1 else "round"], facts)]
    if held.cost is not None:
        lines.append("  " + say(words["cost"], {"cost": str(held.cost), "bound": str(held.bound)}))
    for number, table in sorted(held.tables.items()):
        counts = result_of(table)
        placed = () if counts is None else counts.ranking
        came = " > ".join(" = ".join(_name(tournament, n) for n in level) for level in placed)
        line = say(words["table"], {"table": str(number), "came": came})
        lines.append("  " + _grouped(stage, table.seats[0], line))
    if held.byes:
        lines.append("  " + say(words["byes"], {"who": ", ".join(_name(tournament, n) for n in held.byes)}))
    return lines


def _grouped(stage: PlayedStage, number: int, line: str) -> str:
    """Return a line with the group that somebody is in before it, where there are groups."""
    group = next((at for at, members in enumerate(stage.groups or (), start=1) if number in members), None)
    words = CATALOGUE["terminal"]["tournament"]
    return line if group is None else say(words["grouped"], {"group": str(group), "line": line})


def place_lines(tournament: Tournament) -> list[str]:
    """Return the places in the end; where they follow from points, with these and with what parted equals.

    Of stages in groups the places in each group come before.
    """
    words = CATALOGUE["terminal"]["tournament"]
    lines: list[str] = []
    for stage in tournament.stages:
        field = StageField(tournament, stage.number)
        for group, part in enumerate(group_fields(field) if stage.groups else (), start=1):
            rows = {row.number: row for row in part.rows}
            lines += [say(words["group"], {"group": str(group)}), *_places(tournament, part.ranking(), rows)]
    field = StageField(tournament, len(tournament.stages))
    scored = {row.number: row for row in field.rows} if format_of(field.rules).by_score else {}
    return [*lines, words["places"], *_places(tournament, tournament.ranking, scored)]


def rating_lines(tournament: Tournament) -> list[str]:
    """Return how strong everybody is by this tournament, the strongest first."""
    words = CATALOGUE["terminal"]["tournament"]
    found = sorted(ratings_after(tournament).items(), key=lambda item: (-item[1].shown, item[0]))
    lines = [words["ratings"]]
    for number, rating in found:
        shown, mu, sigma = (f"{value / MILLION:.1f}" for value in (rating.shown, rating.mu, rating.sigma))
        facts = {"who": _name(tournament, number), "matches": str(rating.matches)}
        line = say(words["rated"], facts | {"shown": shown, "mu": mu, "sigma": sigma})
        lines.append("  " + (say(words["provisional"], {"line": line}) if rating.is_provisional else line))
    return lines


def luck_lines(tournament: Tournament, rows: Iterable[LuckRow]) -> list[str]:
    """Return how far everybody's dice were above or below their mean, which ranks nobody."""
    words = CATALOGUE["terminal"]["tournament"]
    facts = ({"who": _name(tournament, row.number), "luck": row.shown, "hands": str(row.hands)} for row in rows)
    return [words["luck"], *(f"  {say(words['fell'], each)}" for each in facts)]


def _places(tournament: Tournament, ranking: Ranking, rows: Mapping[int, Standing]) -> list[str]:
    lines, place = [], 1
    for level in ranking:
        shown = str(place) if len(level) == 1 else f"{place}\N{EN DASH}{place + len(level) - 1}"
        lines += [f"  {_placed(tournament, shown, number, rows.get(number))}" for number in level]
        place += len(level)
    return lines


def _placed(tournament: Tournament, place: str, number: int, row: Standing | None) -> str:
    """Return one line of the places; where somebody has as many points, with what was looked at besides."""
    words = CATALOGUE["terminal"]["tournament"]
    facts = {"place": place, "who": _name(tournament, number)}
    if row is None:
        return say(words["place"], facts)
    scored = say(words["scored"], facts | {"score": _mixed(row.score)})
    ties = ", ".join(f"{code} {_shown(value)}" for code, value in row.ties.items())
    return say(words["ties"], {"scored": scored, "ties": ties}) if ties else scored


def _shown(value: TieValue) -> str:
    return " / ".join(map(_mixed, value)) if isinstance(value, tuple) else _mixed(value)


def _mixed(points: Fraction) -> str:
    """Return points as people write them: 2 1/3 and not 7/3."""
    whole, rest = divmod(abs(points), 1)
    sign = "-" if points < 0 else ""
    parts = [str(whole)] * bool(whole or not rest) + [points_text(rest)] * bool(rest)
    return sign + " ".join(parts)


def _name(tournament: Tournament, number: int) -> str:
    return f"{number} ({tournament.entrants[number].player})"
