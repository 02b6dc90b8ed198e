"""`truecup tournament standings`, `why`, `certificate`, `export`: a tournament explained, by its record or its id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.tournaments.certificates import OK, check_file
from domain.tournaments.tournament import Place
from infra.files.whole import write_whole
from projections.tournaments.exports.calendars import CalendarWords, calendar_text
from projections.tournaments.exports.csv_files import pairings_csv, results_csv, standings_csv
from projections.tournaments.exports.lists import NameLine, by_name, by_table
from projections.tournaments.exports.trf import trf_text
from projections.tournaments.overview import last_paired
from projections.tournaments.pairings import PastPairing, certificate_file, certificate_of, pairing_with
from projections.tournaments.reasons import why as why_of
from projections.tournaments.rounds import RoundView, round_view
from projections.tournaments.standings import StandingsView, standings_view
from services.cli.auditing.export import print_bytes
from services.cli.exits import FINE, FOUND
from services.cli.screen import say, say_aside, say_json
from services.cli.tournaments.explaining import columns, course_lines, standings_lines, why_lines
from services.cli.tournaments.records import ReadTournament, cannot, read_tournament
from services.client.house import CannotDo
from services.words.catalogue import message, spoken
from services.words.catalogue import say as put

Which = Annotated[int | None, Parameter(validator=Number(gte=1))]
Form = Literal["pairings", "results", "standings", "trf", "calendar", "by-name", "by-table"]


def standings(
    file: str,
    /,
    *,
    stage: Which = None,
    round_: Annotated[Which, Parameter(name="--round")] = None,
    number: Which = None,
    names: Path | None = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Show the standings of a tournament, and what they are made of.

    Args:
        file: The tournament's record, its id, or the address of its page.
        stage: Which stage; the last if nothing is said.
        round_: After which round; the last that is closed if nothing is said.
        number: An entrant, whose place is explained round by round.
        names: A file with a number, a comma and a name on each line.
        url: Where the service is that has a tournament of this id.
        json: Print one JSON document, or one for each group, with all that is explained.
    """
    found = read_tournament(file, names, url)
    try:
        views = _views(found, stage, round_, explained=json or number is not None)
    except Refused as refused:
        raise cannot(refused) from refused
    chosen = [replace(view, rows=tuple(row for row in view.rows if number in {None, row.number})) for view in views]
    shown = [view for view in chosen if view.rows]
    if not shown:
        raise CannotDo(f"--number {number}: nobody in this stage has it")
    if json:
        for view in shown:
            say_json(view)
    elif number is not None:
        say(*course_lines(shown[0].rows[0], shown[0], found.called))
    else:
        say(*standings_lines(shown, found.called, found.tournament))
    return FINE


def _views(found: ReadTournament, stage: int | None, number: int | None, *, explained: bool) -> list[StandingsView]:
    """Return the standings of a stage, or of each of its groups."""
    whole = standings_view(found.tournament, found.names, stage, number, explained=explained)
    return (
        [
            standings_view(found.tournament, found.names, whole.stage, whole.round, group, explained=explained)
            for group in range(1, len(whole.groups) + 1)
        ]
        if whole.groups
        else [whole]
    )


def why(
    file: str,
    /,
    *,
    number: Annotated[int, Parameter(validator=Number(gte=1))],
    other: Annotated[Which, Parameter(name="--with")] = None,
    stage: Which = None,
    round_: Annotated[Which, Parameter(name="--round")] = None,
    names: Path | None = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Say why somebody sat at a table.

    Args:
        file: The tournament's record, its id, or the address of its page.
        number: Who asks.
        other: About whom: what it would have cost more to seat the two together.
        stage: Which stage; that of the last round if nothing is said.
        round_: Which round; the last that is paired if nothing is said.
        names: A file with a number, a comma and a name on each line.
        url: Where the service is that has a tournament of this id.
        json: Print one JSON document, with everybody else.
    """
    found = read_tournament(file, names, url)
    try:
        answer = why_of(_pairing(found, stage, round_, number), found.names, number, other)
    except Refused as refused:
        raise cannot(refused) from refused
    say_json(answer) if json else say(*why_lines(answer, asked=other is not None))
    return FINE


def certificate(
    file: str,
    /,
    *,
    stage: Which = None,
    round_: Annotated[Which, Parameter(name="--round")] = None,
    out: Path | None = None,
    url: str | None = None,
    json: bool = False,
) -> int:
    """Check the certificate of a pairing, and print it with its input as one file.

    Args:
        file: The tournament's record, its id, or the address of its page.
        stage: Which stage; that of the last round if nothing is said.
        round_: Which round; the last that is paired if nothing is said.
        out: The file to write, instead of printing it.
        url: Where the service is that has a tournament of this id.
        json: Print a JSON document on what the check found, instead of the certificate.
    """
    found = read_tournament(file, None, url)
    pairing = _pairing(found, stage, round_, None)
    content, made = certificate_file(pairing), certificate_of(pairing)
    if content is None or made is None:
        raise CannotDo(f"round {pairing.event.round} was paired by {pairing.event.law}, which has no certificate")
    code = check_file(content, list(bytes.fromhex(made.lot)))
    facts = {"round": str(made.round), "cost": str(made.cost), "bound": str(made.bound), "code": code}
    if json:
        say_json({"code": code, "stage": made.stage, "round": made.round, "cost": made.cost, "bound": made.bound})
    elif out is None:
        print_bytes(content)
    if out is not None:
        _write(out, content)
    say_aside(put(message(f"terminal.explained.certificate.{'holds' if code == OK else 'fails'}"), facts))
    return FINE if code == OK else FOUND


def export(
    file: str,
    /,
    *,
    form: Annotated[Form, Parameter(name="--as")],
    stage: Which = None,
    round_: Annotated[Which, Parameter(name="--round")] = None,
    names: Path | None = None,
    url: str | None = None,
    title: str = "",
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Write a tournament down for another program, or to be printed.

    Args:
        file: The tournament's record, its id, or the address of its page.
        form: pairings, results, standings (CSV); trf (TRF26); calendar (iCalendar); by-name, by-table (to print).
        stage: Which stage; the last if nothing is said.
        round_: Which round, of pairings and standings; the last if nothing is said.
        names: A file with a number, a comma and a name on each line.
        url: Where the service is that has a tournament of this id.
        title: What the tournament is called; what the service calls it, if nothing is said.
        out: The file to write, instead of printing it.
        json: Print one JSON document: the form, and its text.
    """
    found = read_tournament(file, names, url)
    try:
        text = _FORMS[form](_Asked(found, stage, round_, title or found.title or str(found.tournament.id)))
    except Refused as refused:
        raise cannot(refused) from refused
    if json:
        say_json({"form": form, "text": text})
    elif out is None:
        print_bytes(text.encode())
    if out is not None:
        _write(out, text.encode())
    return FINE


class _Asked(Struct, frozen=True):
    """What an export is asked about."""

    found: ReadTournament
    stage: int | None
    number: int | None
    title: str

    def place(self) -> Place:
        """Return the stage and the round: what is not said is that of the last round that is paired."""
        return _place(self.found, self.stage, self.number)

    def round(self) -> RoundView:
        """Return the round as lists show it."""
        return round_view(self.found.tournament, self.found.called, *self.place())


def _calendar(asked: _Asked) -> str:
    words = message("terminal.explained.calendar")
    return calendar_text(
        asked.found.tournament, CalendarWords(asked.title, words["check_in"], words["round"], words["stage_round"])
    )


def _by_name(asked: _Asked) -> str:
    words = message("terminal.explained.list")
    return _list([line.name, _where(line, words)] for line in by_name(asked.round(), spoken()))


def _where(line: NameLine, words: Mapping[str, str]) -> str:
    if line.rest is not None:
        return words[line.rest]
    return put(words["seated"], {"table": str(line.table), "seat": str(line.seat)})


def _by_table(asked: _Asked) -> str:
    words = message("terminal.explained.list")
    return _list(
        [put(words["table"], {"table": str(line.table)}), ", ".join(line.names)] for line in by_table(asked.round())
    )


def _list(rows: Iterable[list[str]]) -> str:
    return "".join(f"{line}\n" for line in columns(list(rows)))


_FORMS: Final[dict[Form, Callable[[_Asked], str]]] = {
    "pairings": lambda asked: pairings_csv(asked.found.tournament, asked.found.names, *asked.place()),
    "results": lambda asked: results_csv(asked.found.tournament, asked.found.names),
    "standings": lambda asked: standings_csv(
        standings_view(asked.found.tournament, asked.found.names, asked.stage, asked.number, explained=False)
    ),
    "trf": lambda asked: trf_text(asked.found.tournament, asked.found.names, asked.title, asked.stage),
    "calendar": _calendar,
    "by-name": _by_name,
    "by-table": _by_table,
}


def _place(found: ReadTournament, stage: int | None, number: int | None) -> Place:
    """Return a stage and a round; what is not said is that of the last round that is paired."""
    last = last_paired(found.tournament)
    chosen = stage or (1 if last is None else last[0])
    rounds = found.tournament.stages[chosen - 1].rounds if chosen <= len(found.tournament.stages) else {}
    return chosen, number or max((each for each, held in rounds.items() if held.is_paired), default=1)


def _pairing(found: ReadTournament, stage: int | None, number: int | None, who: int | None) -> PastPairing:
    place = _place(found, stage, number)
    pairings = found.pairings().get(place)
    if pairings is None:
        raise CannotDo(f"stage {place[0]} has no round {place[1]} that was paired")
    return pairing_with(pairings, who or 0)


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise CannotDo(f"{path} cannot be written: {error.strerror}") from error
