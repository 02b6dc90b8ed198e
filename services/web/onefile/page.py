"""The page: HTML that reads without a script, a policy that forbids whatever is not in it, and the record itself."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

from domain.analysis.figures import Figure
from domain.analysis.odds.labels import Label
from domain.analysis.report import Analysis, ToldRound, ToldSeat
from domain.fairness.records import split
from infra.printable import printable
from projections.commentary.comments import CommentView
from services.web.assets import FOLDER
from services.web.onefile.bundler import bundled
from services.web.onefile.events import ShownEvent, names_in, shown_events, words
from services.web.onefile.looking import house_of
from services.words.catalogue import CATALOGUE, say, spoken
from services.words.printed import percent_words, printed_words
from services.words.sentences import worth_figure

BYTES_MAX: Final = 1_500_000
LOOKS_MAX: Final = 40_000
"""Lines, each as everybody and every seat sees it, beyond which no page is begun: of ten seats 26,000 are 1.5 MB."""
START: Final = "onefile/start.js"
ENTRY: Final = "onefile/page.js"
STYLES: Final = ("paper.css", "felt.css", "show.css", "watch.css")
COUNTED: Final = ("decisions", "forced", "clock")
TAGS: Final = ("mistake", "blunder")
LABELS: Final = get_args(Label)
DASHES: Final = ("none", "6 3", "2 3", "8 3 2 3", "12 4", "1 4", "4 4", "10 2 2 2")
"""How the lines of seats are drawn, besides their colours."""
WIDTH, HEIGHT = 600, 200


class TooLarge(Exception):  # noqa: N818 - says what is the matter
    """A page would be larger than one file may be."""


class ChartLine(Struct, frozen=True):
    """The line of a seat: its points, and how it is drawn."""

    seat: int
    points: str
    dash: str


def one_file(record: bytes, analysis: Analysis, comments: Sequence[CommentView] = ()) -> bytes:
    """Return a match as one page, in the language that is spoken.

    Args:
        record: The record file, which has been audited.
        analysis: The analysis of it.
        comments: What people said, in their order.

    Raises:
        TooLarge: It would be larger than `BYTES_MAX`.
    """
    lines = split(record).lines
    looks = len(lines) * (len(analysis.seats) + 2)
    if looks > LOOKS_MAX:
        raise TooLarge(f"a match of {len(lines):,} lines would be a page of more than {BYTES_MAX:,} bytes")
    facts = _facts(analysis, list(shown_events(lines, analysis, comments)))
    # What is said stands in the order of what it is about.
    facts |= {"comments": sorted(comments, key=lambda each: (each.version, each.comment))}
    facts |= {"record": packed(record), "house": packed(house_of(lines, analysis, names_in(lines)))}
    page = _written(facts)
    if len(page) > BYTES_MAX:
        raise TooLarge(f"the page would have {len(page):,} bytes, and one file has at most {BYTES_MAX:,}")
    return page


def packed(what: bytes) -> str:
    """Return how something lies in the page: base64 of gzip, the same for the same."""
    return base64.b64encode(gzip.compress(what, mtime=0)).decode()


def _written(facts: dict[str, Any]) -> bytes:
    style, start, script = _style(), _start(), _script(spoken())
    environment = Environment(
        loader=PackageLoader("services.web.onefile", "."),
        autoescape=True,
        trim_blocks=True,
        finalize=_safe_text,
        undefined=StrictUndefined,
    )
    policy = _policy(style, start, script)
    parts = {"policy": policy, "style": style, "start": start, "script": _packed_script(script)}
    return environment.get_template("page.html").render(**facts, **parts).encode()


def _facts(analysis: Analysis, events: Sequence[ShownEvent]) -> dict[str, Any]:
    """Return what the page shows."""
    names = CATALOGUE["analyses"]["page"]
    return {
        "lang": spoken(),
        "words": names,
        "frame": CATALOGUE["pages"]["frame"],
        "said": CATALOGUE["comments"],
        "title": say(names["title"], {"match": analysis.match}),
        "analysis": analysis,
        "seats": [(row, list(_facts_of(row))) for row in analysis.seats],
        "rounds": [(number, list(those)) for number, those in groupby(events, lambda event: event.round)],
        "moments": [event for event in events if event.is_moment],
        "chart": list(_chart(analysis)),
        "worths": [(each.round, list(_worths_after(analysis, each))) for each in analysis.rounds],
        "size": (WIDTH, HEIGHT),
        "heading": _round_heading,
        "at": _at,
    }


@cache
def _script(language: str) -> str:
    return bundled(ENTRY, _text, [f"words/{language}.json"])


@cache
def _packed_script(script: str) -> str:
    return packed(script.encode())


@cache
def _start() -> str:
    return bundled(START, _text)


@cache
def _style() -> str:
    return "".join(map(_text, STYLES)) + Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def _text(path: str) -> str:
    return (FOLDER / path).read_text(encoding="utf-8")


def _policy(style: str, *scripts: str) -> str:
    """Return what the page may do: run these scripts and look like that, and nothing else."""
    scripted = " ".join(map(_hash, scripts))
    return f"default-src 'none'; script-src {scripted}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _safe_text(value: object) -> object:
    """Return what the page shows: direction marks in somebody's words would turn the sentence round them."""
    return printable(value) if type(value) is str else value


def _facts_of(row: ToldSeat) -> Iterator[tuple[str, str]]:
    """Yield what is said of a seat, each by its name."""
    names = words()["columns"]
    for name in COUNTED:
        yield names[name], str(getattr(row, name))
    if row.accuracy is not None:
        yield names["accuracy"], printed_words(row.accuracy, percent_words)
    if row.error_rate is not None:
        yield names["rate"], printed_words(row.error_rate, percent_words)
    for kinds, counts in ((TAGS, row.tags), (LABELS, row.labels)):
        for name in kinds:
            yield names[name], str(counts.get(name, 0))


def _round_heading(number: int) -> str:
    key = "round" if number else "before"
    return say(CATALOGUE["analyses"]["page"][key], {"round": str(number)})


def _at(event: ShownEvent | CommentView) -> str:
    return say(CATALOGUE["analyses"]["page"]["at"], {"line": str(event.version)})


def _chart(analysis: Analysis) -> Iterator[ChartLine]:
    """Yield the line of each seat: what the position was worth to it, as everybody saw it."""
    told = [event for event in analysis.events if isinstance(_public_worths(event), dict)]
    if len(told) < 2:  # noqa: PLR2004 - ends of a line
        return
    every = [figure.ppm for event in told for figure in _public_worths(event).values() if isinstance(figure, Figure)]
    low, high = min(0, *every), max(1, *every)
    for place, row in enumerate(analysis.seats):
        points = list[str]()
        for number, event in enumerate(told):
            figure = _public_worths(event).get(row.seat)
            if isinstance(figure, Figure):
                across = WIDTH * number // (len(told) - 1)
                points.append(f"{across},{HEIGHT - HEIGHT * (figure.ppm - low) // (high - low)}")
        yield ChartLine(row.seat, " ".join(points), DASHES[place % len(DASHES)])


def _worths_after(analysis: Analysis, played: ToldRound) -> Iterator[str]:
    """Yield what the match was worth to each seat behind a round, or why nobody says."""
    document = {"worth": {"kind": analysis.worth.kind, "unit": analysis.worth.unit or None}}
    for row in analysis.seats:
        figure = played.after.get(row.seat)
        yield worth_figure(figure.ppm, document) if isinstance(figure, Figure) else ""


def _public_worths(event: Any) -> Any:  # noqa: ANN401 - it may have none
    return getattr(event.equity, "public", None)
