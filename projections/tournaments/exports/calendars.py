"""Calendar of a tournament: check-in and rounds as events, in the form that calendars take (iCalendar).

All times are UTC, so no change of clocks moves them. A round is in it once it is known when it begins: it was started,
or has a time of its own in the rules. Each event keeps its name for good (`UID`), and `SEQUENCE` grows, so that whoever
reads the file again sees what moved, and what was cancelled.

Source: RFC 5545; text is escaped as in section 3.3.11, lines are folded at 75 octets as in 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.ids import UnixMs
from domain.tournaments.tournament import Place, Tournament
from projections.tournaments.exports.moments import moment_text, utc

LINE_OCTETS_MAX: Final = 75
PRODUCT: Final = "-//Truecup//Tournaments//EN"
_ESCAPES: Final = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": ""})


class CalendarWords(Struct, frozen=True):
    """What stands in a calendar, in the language of who asks for it.

    Attributes:
        title: What the tournament is called.
        check_in: What the check-in is called.
        round: What a round is called, with `{round}` for its number, and `stage_round` the same with `{stage}` besides.
        url: The page of the tournament, in ASCII; empty for none.
    """

    title: str
    check_in: str
    round: str
    stage_round: str
    url: str = ""


class CalendarEntry(Struct, frozen=True):
    """An event: its name among those of the tournament, what it says, when it begins and ends, in Unix milliseconds."""

    name: str
    summary: str
    begins: UnixMs
    ends: UnixMs | None


def calendar_text(tournament: Tournament, words: CalendarWords) -> str:
    """Return the calendar of a tournament; its lines end in CR LF."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{PRODUCT}", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"]
    lines.append(f"X-WR-CALNAME:{_text(words.title)}")
    for entry in calendar_entries(tournament, words):
        lines += _event(tournament, words, entry)
    lines.append("END:VCALENDAR")
    return "".join(f"{piece}\r\n" for line in lines for piece in _folded(line))


def calendar_entries(tournament: Tournament, words: CalendarWords) -> Iterator[CalendarEntry]:
    """Yield what is known of when things happen, in order."""
    time = tournament.rules.time
    if tournament.check_in_until is not None:
        begins = tournament.check_in_until - time.check_in_ms
        yield CalendarEntry("check-in", f"{words.title}: {words.check_in}", begins, tournament.check_in_until)
    for place, begins in sorted(_beginnings(tournament).items()):
        yield CalendarEntry(
            f"{place[0]}-{place[1]}", f"{words.title}: {_round(words, place)}", begins, _end(tournament, place, begins)
        )


def _beginnings(tournament: Tournament) -> dict[Place, UnixMs]:
    """Return by stage and round when it began, or is to begin."""
    played = {
        (stage.number, number): held.started_at
        for stage in tournament.stages
        for number, held in sorted(stage.rounds.items())
        if held.started_at is not None
    }
    ahead = tournament.rules.time.times[len(played) :]
    stage, first = max(played, default=(1, 0))
    # Where a stage ends is not always known: times that are left are those of its next rounds until another begins.
    return played | {(stage, first + more): at for more, at in enumerate(ahead, start=1)}


def _end(tournament: Tournament, place: Place, begins: UnixMs) -> UnixMs | None:
    known = place[0] <= len(tournament.stages)
    held = tournament.stages[place[0] - 1].rounds.get(place[1]) if known else None
    if held is not None and held.closed_at is not None:
        return held.closed_at
    if held is not None and held.until is not None:
        return held.until
    longest = tournament.rules.stages[place[0] - 1].round_ms or tournament.rules.time.round_ms
    return None if longest is None else begins + longest


def _round(words: CalendarWords, place: Place) -> str:
    text = words.round if place[0] == 1 else words.stage_round
    return text.replace("{stage}", str(place[0])).replace("{round}", str(place[1]))


def _event(tournament: Tournament, words: CalendarWords, entry: CalendarEntry) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{entry.name}.{tournament.id}@truecup"
    yield f"DTSTAMP:{moment_text(tournament.at)}"
    yield f"SEQUENCE:{tournament.version}"
    yield f"DTSTART:{moment_text(entry.begins)}"
    # An end has to lie behind the beginning, and seconds are the least that can be said.
    if entry.ends is not None and utc(entry.ends) > utc(entry.begins):
        yield f"DTEND:{moment_text(entry.ends)}"
    yield f"SUMMARY:{_text(entry.summary)}"
    if words.url:
        yield f"URL:{words.url}"
    yield f"STATUS:{'CANCELLED' if tournament.phase == 'cancelled' else 'CONFIRMED'}"
    yield "TRANSP:OPAQUE"
    yield "END:VEVENT"


def _text(text: str) -> str:
    """Return a text as a value: without signs that no line may have, and with those escaped that mean something."""
    plain = "".join(sign for sign in text if sign in "\t\n" or sign.isprintable())
    return plain.translate(_ESCAPES)


def _folded(line: str) -> Iterator[str]:
    """Yield a line in pieces of 75 octets at most, each after the first begun with a space; no sign is cut in two."""
    piece, room = "", LINE_OCTETS_MAX
    for sign in line:
        octets = len(sign.encode())
        if octets > room:
            yield piece
            piece, room = " ", LINE_OCTETS_MAX - 1
        piece += sign
        room -= octets
    yield piece
