"""An analysis in words: a row for each seat, or the claims of one, the moments, and how to see more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, get_args

from msgspec import UNSET

from domain.analysis.odds.labels import Label
from domain.analysis.report import Analysis, ToldEvent, ToldSeat, document_of
from domain.ids import Seat
from services.words.catalogue import CATALOGUE, say
from services.words.printed import chance_words, percent_words, printed_words
from services.words.sentences import claim_words, sentence_words

LABELS: Final = get_args(Label)
COLUMNS: Final = (
    *("seat", "decisions", "forced", "clock", "accuracy", "rate", "mistake", "blunder"),
    *(*LABELS, "caught", "passed"),
)
CLAIMS: Final = ("line", "round", "claim", "own", "public", "all", "was", "became")
GAP: Final = "  "


def told(analysis: Analysis, record: str, seat: Seat | None) -> list[str]:
    """Return the lines that tell of an analysis, in the language that is spoken.

    Args:
        analysis: The analysis.
        record: What somebody called the record.
        seat: Whose claims to tell of; None for a row for each seat.
    """
    rounds = [played.round for played in analysis.rounds]
    facts = {"match": analysis.match, "first": str(rounds[0]), "last": str(rounds[-1])}
    head = _phrase("head", over="yes" if analysis.complete else "no", **facts)
    lines = list(_seats(analysis)) if seat is None else list(_claims(analysis, seat))
    more = [] if seat is not None else [_phrase("seat_more", record=record)]
    return [head, "", *lines, *_moments(analysis), "", *more, _phrase("json_more", record=record)]


def _phrase(key: str, **facts: str) -> str:
    return say(CATALOGUE["analyses"]["told"][key], facts)


def _words(kind: str) -> Mapping[str, str]:
    found: Mapping[str, str] = CATALOGUE["analyses"]["told"][kind]
    return found


def _seats(analysis: Analysis) -> Iterator[str]:
    columns = _words("columns")
    yield from _table([tuple(columns[name] for name in COLUMNS), *(_row(analysis, row) for row in analysis.seats)])


def _row(analysis: Analysis, row: ToldSeat) -> tuple[str, ...]:
    outcomes = [event.outcome for event in analysis.events if event.seat == row.seat]
    name = _phrase("bot", seat=str(row.seat)) if row.bot else str(row.seat)
    judged = ["-" if each is None else printed_words(each, percent_words) for each in (row.accuracy, row.error_rate)]
    counts = [row.tags.get("mistake", 0), row.tags.get("blunder", 0), *(row.labels.get(label, 0) for label in LABELS)]
    ends = [outcomes.count("caught"), outcomes.count("passed")]
    return (name, *map(str, (row.decisions, row.forced, row.clock)), *judged, *map(str, (*counts, *ends)))


def _claims(analysis: Analysis, seat: Seat) -> Iterator[str]:
    columns = _words("claims")
    said = [event for event in analysis.events if event.seat == seat and event.chance is not UNSET]
    yield from _table([tuple(columns[name] for name in CLAIMS), *map(_claim, said)])


def _claim(event: ToldEvent) -> tuple[str, ...]:
    chance, words = event.chance, _words("words")
    assert chance is not UNSET
    assert event.seat is not None
    flags = [] if event.flags is UNSET else [words[flag] for flag in event.flags]
    label = words["not_shown" if event.label is UNSET else event.label]
    return (
        str(event.version),
        str(event.round),
        _named(event.claim),
        printed_words(chance.seat.get(event.seat, "not_shown"), chance_words),
        printed_words(chance.public, chance_words),
        words["not_shown"] if chance.all is UNSET else printed_words(chance.all, chance_words),
        ", ".join([label, *flags]),
        "" if event.outcome is UNSET else words[event.outcome],
    )


def _named(claim: Any) -> str:  # noqa: ANN401 - as the document has it
    return _phrase("different") if claim is UNSET else claim_words(claim)


def _moments(analysis: Analysis) -> Iterator[str]:
    """Yield the key moments, each in its sentences, or by what it is where none was said."""
    document, words = document_of(analysis), _words("words")
    for number, moment in enumerate(analysis.moments):
        if not number:
            yield ""
        said = [sentence_words(document, each) for each in analysis.text if each.version == moment.version]
        for what in said or [", ".join(words[kind] for kind in moment.kinds)]:
            yield _phrase("moment", line=str(moment.version), what=what)


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows of cells, in columns as wide as their widest cell."""
    every = list(rows)
    widths = [max(len(row[column]) for row in every) for column in range(len(every[0]))]
    for row in every:
        yield GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
