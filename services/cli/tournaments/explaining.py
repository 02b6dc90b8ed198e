"""Explanations in words: standings and what they are made of, why a table is as it is, and what is waited for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from rich.cells import cell_len

from domain.tournaments.events import Ranking
from domain.tournaments.pairing.pods.costs import PARTS
from domain.tournaments.tournament import Tournament
from projections.tournaments.dues import due_view
from projections.tournaments.entrants import place_in, prize_of
from projections.tournaments.numbers import ExactNumber, mixed_text
from projections.tournaments.parts import COUNT_BACK, DIRECT, CourseRound, TiePart, TieValueView
from projections.tournaments.people import NamedEntrant, Names, name_of
from projections.tournaments.reasons import Elsewhere, PairTerm, WhyView
from projections.tournaments.standings import StandingRow, StandingsView
from services.words.catalogue import join_names, message, say

NEAREST_MAX: Final = 5
"""How many others a table is explained by, where everybody was asked about."""
NOTHING: Final = "\N{EN DASH}"


def _words(key: str, **facts: object) -> str:
    """Return a sentence of explanations."""
    return say(message(f"terminal.explained.{key}"), {name: str(value) for name, value in facts.items()})


def person(names: Names, number: int) -> str:
    """Return somebody by number, with the name if there is one."""
    return _words("person", number=number, name=name_of(names, number))


def labelled(name: str, *, bot: bool) -> str:
    """Return what an entrant is called in a terminal; a bot says beside its name that it is one."""
    return _words("bot", name=name) if bot else name


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines whose columns stand below each other, as wide as terminals show them."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


# ---- standings -------------------------------------------------------------------------------------


def standings_lines(views: Sequence[StandingsView], names: Names, tournament: Tournament) -> list[str]:
    """Return standings as tables, one of each group where there are groups, with prizes and what is waited for.

    Args:
        views: Those of a stage, or of its groups.
        names: What entrants are called.
        tournament: How the tournament stands.
    """
    view = views[0]
    key = "head" if view.planned is None else "planned_head"
    lines = [_words(key, stage=view.stage, round=view.round, planned=view.planned)]
    missing = [table for each in views for table in each.missing]
    if missing:
        lines.append(_words("missing", tables=join_names(list(map(str, missing)))))
    for each in views:
        lines += _table_lines(each, names)
    if view.stage == len(tournament.stages):
        if len(tournament.rules.stages) > 1 and tournament.ranking:
            lines += [_words("places"), *_ranking_lines(tournament.ranking, names)]
        lines += _prize_lines(tournament, names)
    return [*lines, *_due_lines(tournament)]


def _table_lines(view: StandingsView, names: Names) -> list[str]:
    if view.group is None and not view.by_score and view.ranking:
        # Points are not what anybody stood there by.
        return _ranking_lines(view.ranking, names)
    head = [_words("place"), _words("who"), _words("points"), *view.tiebreaks]
    lines = columns([head, *([*_cells(row, names), *map(_tie_cell, row.ties)] for row in view.rows)])
    if view.group is not None:
        return [_words("group", group=view.group), *lines]
    return lines if view.by_score else [_words("by_outcome"), *lines]


def _ranking_lines(ranking: Ranking, names: Names) -> list[str]:
    rows, place = [], 1
    for level in ranking:
        shown = _words("shared" if len(level) > 1 else "alone", place=place)
        rows += [[shown, person(names, number)] for number in level]
        place += len(level)
    return columns(rows)


def _prize_lines(tournament: Tournament, names: Names) -> Iterator[str]:
    """Yield what is won, after the places in the end."""
    if tournament.paid:
        yield _words("prizes")
    for number, _, _ in tournament.paid:
        prize = prize_of(tournament, number)
        assert prize is not None, "it stands there"
        facts = {"who": person(names, number), "whole": prize.whole, "unit": prize.unit, "share": prize.share.written}
        yield "  " + _words("prize" if prize.share.value == str(prize.whole) else "prize_of", **facts)


def _cells(row: StandingRow, names: Names) -> list[str]:
    who = person(names, row.number)
    status = "" if row.status in {"here", "entered"} else _words(f"status.{row.status}")
    place = NOTHING if row.place is None else _words("shared" if row.shared else "alone", place=row.place)
    return [place, f"{who}, {status}" if status else who, row.score.written]


def _tie_cell(tie: TieValueView) -> str:
    if tie.places:
        return " ".join(each.written for each in tie.places)
    return "" if tie.value is None else tie.value.written


def _due_lines(tournament: Tournament) -> list[str]:
    found = due_view(tournament)
    if found.why == "over":
        return []
    tables = join_names([str(table) for table in found.tables])
    at = "" if found.at is None else f"{datetime.fromtimestamp(found.at // 1000, UTC):%Y-%m-%d %H:%M} UTC"
    return [_words(f"due.{found.why}", tables=tables, at=at)]


def course_lines(row: StandingRow, view: StandingsView, names: Names) -> list[str]:
    """Return how somebody came to a place: every round, every penalty, and what each tie-break is made of."""
    place = row.place if view.by_score else place_in(view.ranking, row.number)
    facts = {"who": person(names, row.number), "place": place or NOTHING, "points": row.score.written}
    lines = [_words("stands", **facts), *(f"  {_round(each, names)}" for each in row.course)]
    if row.penalty is not None:
        lines.append("  " + _words("penalty", points=row.penalty.written))
    if row.bonus is not None:
        lines.append("  " + _words("bonus", points=row.bonus.written))
    # Where places do not follow from points, nobody is parted from others by what else they came to.
    return [*lines, *(_ties_lines(row, names) if view.by_score else ())]


def _ties_lines(row: StandingRow, names: Names) -> list[str]:
    lines: list[str] = []
    for tie in row.ties:
        lines += [f"  {line}" for line in _tie_lines(tie, names)]
    unlooked = [tie.code for tie in row.ties if tie.value is None and not tie.places]
    if unlooked:
        lines.append("  " + _words("unlooked", codes=", ".join(unlooked)))
    return lines


def _round(each: CourseRound, names: Names) -> str:
    against = join_names([person(names, number) for number in each.against])
    facts: dict[str, object] = {"round": each.round, "points": each.points.written, "table": each.table}
    facts |= {"against": against, "place": each.place, "seat": each.seat}
    line = _words(f"round.{each.how}", **facts)
    return _words("ruled", line=line) if each.ruled else line


def _tie_lines(tie: TieValueView, names: Names) -> Iterator[str]:
    if tie.value is None and not tie.places:
        return
    meaning = _words(f"code.{tie.code}")
    tied, more = _people(tie.tied, names, tie.tied_count)
    yield _words("tie", code=tie.code, meaning=meaning, value=_tie_cell(tie), tied=tied, more=more)
    for part in tie.parts:
        if tie.code != COUNT_BACK or part.place is not None:
            yield f"  {_part(tie, part, names)}"
    if tie.code == DIRECT and tie.unmet:
        who, more = _people(tie.unmet, names, tie.unmet_count)
        yield "  " + _words("unmet", who=who, more=more)


def _people(numbers: Sequence[int], names: Names, count: int) -> tuple[str, int]:
    """Return those who are named of so many, and how many more there are."""
    people, more = [person(names, number) for number in numbers], count - len(numbers)
    return ", ".join(people) if more else join_names(people), more


def _part(tie: TieValueView, part: TiePart, names: Names) -> str:
    rounds = join_names([str(each) for each in part.rounds])
    if tie.code == COUNT_BACK:
        return _words("part.place", round=rounds, place=part.place, value=part.value.written)
    if tie.code == DIRECT:
        return _words("part.met", round=rounds, who=person(names, part.against[0].number), value=part.value.written)
    line = _words("part.round", round=rounds, value=part.value.written)
    if part.against:
        said = [
            _words("opponent", who=person(names, each.number), score=each.score.written, ahead=_ahead(each.ahead))
            for each in part.against
        ]
        line = _words("part.against", line=line, against="; ".join(said))
    return _words("part.cut", line=line) if part.cut else line


def _ahead(ahead: ExactNumber) -> str:
    return _words({"0": "ahead.behind", "1": "ahead.ahead"}.get(ahead.value, "ahead.level"))


# ---- why this table --------------------------------------------------------------------------------


def why_lines(found: WhyView, *, asked: bool) -> list[str]:
    """Return why somebody sits at a table.

    Args:
        found: The reasons.
        asked: Whether somebody else was asked about; the nearest few are told of otherwise.
    """
    mates = join_names([_person(each) for each in found.mates])
    facts = {"who": _person(found.who), "round": found.round, "table": found.table, "mates": mates, "law": found.law}
    lines = [_words("at_table" if found.table is not None else "at_none", **facts)]
    if found.rest is not None:
        lines.append(
            "  " + _words("rest", byes=found.rest.byes, score=found.rest.score.written, rank=found.rest.rank + 1)
        )
    if found.kind != "weighed":
        return [*lines, "  " + _words(f"kind.{found.kind}", **facts)]
    lines.append("  " + _words("cost", cost=found.cost, total=found.total, bound=found.bound))
    lines.append("  " + _words(f"method.{found.method}"))
    lines += [f"    {_term(each)}" for each in found.terms]
    lines += [f"    {_words('small', number=each.number, times=each.times, cost=each.cost)}" for each in found.small]
    others = found.others if asked else [each for each in found.others if each.how == "exchange"][:NEAREST_MAX]
    return [*lines, *(f"  {_elsewhere(each)}" for each in others)]


def _person(who: NamedEntrant) -> str:
    return _words("person", number=who.number, name=labelled(who.name, bot=who.bot))


def _term(term: PairTerm) -> str:
    parts = [_words("met", times=term.met, cost=term.repeat)] if term.met else []
    if term.club:
        parts.append(_words("club", cost=term.club))
    if term.score:
        parts.append(_words("apart", apart=mixed_text(Fraction(term.apart, PARTS)), cost=term.score))
    one, other = term.numbers
    return _words("term", one=one, other=other, cost=term.cost, parts="; ".join(parts) or _words("nothing"))


def _elsewhere(each: Elsewhere) -> str:
    if each.how != "exchange" or each.exchanged is None:
        return _words(f"elsewhere.{each.how}", who=_person(each.who))
    one, other = each.exchanged
    key = "forbidden" if each.forbidden else "as_cheap" if each.more == 0 else "dearer"
    return _words(f"elsewhere.{key}", who=_person(each.who), one=one, other=other, more=each.more)
