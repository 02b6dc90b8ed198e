"""Records of tournaments, looked at from the command line: places, reasons, certificates, exports, in any language."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar, get_args
from uuid import UUID

import pytest

from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.certificates import OK, check_file
from domain.tournaments.formats.table import keeps_pairs_apart
from domain.tournaments.options import rules_from
from domain.tournaments.presets import preset
from domain.tournaments.tournament import Tournament
from projections.tournaments.dues import DueReason
from projections.tournaments.reasons import why
from projections.tournaments.standings import standings_view
from services.cli.ledger import Ledger
from services.cli.main import run
from services.cli.tournaments.explaining import columns, course_lines, labelled, standings_lines, why_lines
from services.cli.tournaments.rehearsal import HOST, Rehearsal
from services.cli.tournaments.tables import drawing_from
from services.cli.tournaments.under_way import asked_of_house
from services.words.catalogue import LANGUAGES, message, speaking
from tests.tournaments.events_by_hand import EventByHand, player
from tests.tournaments.seen_events import NAMES, busy, past
from tests.tournaments.test_arenas import Arena
from tests.tournaments.test_views import level

NOON = 1_800_000_000_000
PRIZES = {"unit": "EUR", "amounts": [10, 5, 2]}


def rehearsed(name: str, entrants: int) -> Rehearsal:
    rules = rules_from(preset(name, entry={"bots": "only"}, prizes=PRIZES))
    found = Rehearsal(UUID(int=7, version=4), rules, NOON, Ledger("test/log", bytes(32)), drawing_from(b"seen"))
    found.enter(entrants)
    for number, _ in enumerate(found.rounds()):
        if number == 0:
            one, two = found.tournament.stages[0].seeds[:2]
            found.do(commands.Penalise(by=HOST, number=one, kind="points", points="1/2", reason="late"))
            if keeps_pairs_apart(found.tournament):
                found.do(commands.Forbid(by=HOST, numbers=(min(one, two), max(one, two)), reason="agreement"))
    return found


@pytest.fixture(scope="module")
def pods(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rehearsal, str]:
    """Return a tournament at larger tables, and its record."""
    found = rehearsed("pods", 7)
    path = tmp_path_factory.mktemp("pods") / "tournament.cup"
    path.write_bytes(found.record())
    return found, str(path)


@pytest.fixture(scope="module")
def duels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rehearsal, str]:
    """Return a tournament of duels in which somebody rests in every round, and its record."""
    found = rehearsed("duel_swiss", 5)
    path = tmp_path_factory.mktemp("duels") / "tournament.cup"
    path.write_bytes(found.record())
    return found, str(path)


Said = Callable[..., str]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Return what runs a command below `truecup tournament`, and says what it printed."""

    def told(*arguments: object, code: int = 0, aside: bool = False) -> str:
        assert run(["tournament", *map(str, arguments)]) == code
        out, err = capsys.readouterr()
        assert "{" not in err
        return err if aside else out

    return told


def names_of(rehearsal: Rehearsal) -> dict[int, str]:
    return {number: entrant.player for number, entrant in rehearsal.tournament.entrants.items()}


def check_words(lines: list[str]) -> str:
    """Check that sentences are whole, and return them."""
    text = "\n".join(lines)
    assert "None" not in text
    assert "{" not in text
    return text


@pytest.mark.parametrize("language", LANGUAGES)
def test_standings_and_all_they_are_made_of_are_said_in_every_language(
    pods: tuple[Rehearsal, str], duels: tuple[Rehearsal, str], language: str
) -> None:
    told = [(each.tournament, names_of(each)) for each, _ in (pods, duels)]
    for tournament, names in [*told, (late(), NAMES), (in_a_row(), NAMES)]:
        view = standings_view(tournament, names)
        with speaking(language):
            whole = check_words(standings_lines([view], names, tournament))
            for row in view.rows:
                assert f"{row.number} ({names[row.number]})" in whole
                assert len(check_words(course_lines(row, view, names)).splitlines()) >= 1 + len(row.course)


@pytest.mark.parametrize(("language", "said"), [("en", " and 5 more"), ("de", " und 5 weiteren"), ("es", " y 5 más")])
def test_of_many_who_are_tied_the_rest_is_a_number(language: str, said: str) -> None:
    view = standings_view(level(70).tournament, {}, 1, 0)
    with speaking(language):
        lines = check_words(course_lines(view.rows[0], view, {})).splitlines()
    assert sum(said in line for line in lines) == 1 + len(view.tiebreaks), (
        "who is level by each, and whom one has not met"
    )


def in_a_row() -> Tournament:
    """Return an arena in which one has been first three times in a row, where that counts."""
    event = Arena(2, {"streak": True})
    event.wait(1, 2)
    for wave in (1, 2, 3):
        event.seat()
        event.end(wave, event.at - event.began + 1_000, winner=1)
        event.step()
    return event.tournament


def late() -> Tournament:
    """Return a tournament of which all is told that can be: asked byes, absences, rulings, latecomers, the expelled."""
    event = busy(tiebreaks=["DE", "BH-C1", "PS", "WIN", "CB"]).start()
    event.do(commands.RequestBye(by=player(4), number=4, round=3, kind="zero"))
    event.do(commands.Withdraw(by=player(6), number=6, reason="request"))
    event.do(commands.Penalise(by=HOST, number=5, kind="disqualified", reason="conduct"))
    event.absent(1, *event.table(1).seats[1:])
    return event.finish().tournament


def test_standings_and_the_way_to_a_place_are_printed(said: Said, pods: tuple[Rehearsal, str]) -> None:
    rehearsal, record = pods
    assert "10 EUR" in said("standings", record)
    first = rehearsal.tournament.ranking[0][0]
    assert said("standings", record, "--number", first, "--lang", "de").startswith(f"{first} (bot/")


def test_standings_of_a_round_are_those_of_the_view(said: Said, pods: tuple[Rehearsal, str]) -> None:
    rehearsal, record = pods
    names = names_of(rehearsal)
    found = json.loads(said("standings", record, "--round", 1, "--json"))
    view = standings_view(rehearsal.tournament, names, 1, 1)
    assert found["hash"] == view.hash
    assert [row["number"] for row in found["rows"]] == [row.number for row in view.rows]
    assert found["rows"][0]["score"] == {"value": "1", "shown": "1", "written": "1"}


def with_tables(entrants: int, *tables: tuple[int, ...]) -> EventByHand:
    """Return a tournament whose first round officials have set, or some tables of it."""
    event = EventByHand("pods").begin(entrants)
    event.do(commands.FixTables(by=HOST, tables=tables, reason="request"))
    return event.pair()


WAYS = {
    "busy": lambda: busy().pair(),
    "rests": lambda: EventByHand("duel_swiss").begin(5).pair(),
    "set": lambda: with_tables(7, (1, 2, 3), (4, 5, 6, 7)),
    "some set": lambda: with_tables(11, (1, 2, 3)),
    "many": lambda: EventByHand("pods").begin(17).pair(),
    "robin": lambda: EventByHand("round_robin").begin(4).pair(),
}


@pytest.mark.parametrize("way", WAYS)
def test_why_is_said_of_everybody_in_every_language(way: str) -> None:
    event = WAYS[way]()
    pairing = list(past(event).values())[-1]
    for language in LANGUAGES:
        with speaking(language):
            for number in list(event.tournament.entrants)[:9]:
                found = why(pairing, NAMES, number)
                name = labelled(f"Name {number}", bot=event.tournament.entrants[number].bot)
                assert f"{number} ({name})" in check_words(why_lines(found, asked=False))
                check_words(why_lines(found, asked=True))


def test_why_is_printed_of_two(said: Said, pods: tuple[Rehearsal, str]) -> None:
    rehearsal, record = pods
    one, two = rehearsal.tournament.stages[0].seeds[:2]
    text = said("why", record, "--number", one, "--with", two, "--round", 2)
    assert f"{one} (bot/" in text
    assert f"{two} (bot/" in text
    found = json.loads(said("why", record, "--number", one, "--json"))
    assert len(found["others"]) == 6


def test_a_certificate_is_checked_and_written(said: Said, pods: tuple[Rehearsal, str], tmp_path: Path) -> None:
    _, record = pods
    told = said("certificate", record, "--round", 2, "--out", tmp_path / "c.json", aside=True)
    assert "the certificate holds" in told
    file = (tmp_path / "c.json").read_bytes()
    assert check_file(file, list(bytes.fromhex(json.loads(file)["certificate"]["lot"]))) == OK
    assert said("certificate", record, "--round", 2) == file.decode()
    assert json.loads(said("certificate", record, "--json"))["code"] == "OK"


FORMS = {
    "pairings": "stage,round,table",
    "results": "stage,round,table",
    "standings": "place,number,name",
    "trf": "012 Club",
    "calendar": "BEGIN:VCALENDAR",
    "by-name": "Ann, bot ",
    "by-table": "table 1  ",
}


LABELLED = re.compile(r"Ann, bot\b|Ann \(bot\)|,Ann,.*,yes$")


@pytest.mark.parametrize("form", FORMS)
def test_a_tournament_is_written_in_every_form(
    said: Said, duels: tuple[Rehearsal, str], tmp_path: Path, form: str
) -> None:
    _, record = duels
    (tmp_path / "names.csv").write_text('\ufeff1,Ann\n2,"Bob"\n', encoding="utf-8")
    more = ("--names", tmp_path / "names.csv", "--title", "Club")
    said("export", record, "--as", form, "--out", tmp_path / "out", *more)
    text = (tmp_path / "out").read_bytes().decode()
    assert text.startswith(FORMS[form])
    assert ("Ann" in text and "Bob" in text) or form == "calendar"
    assert all(LABELLED.search(line) for line in text.splitlines() if "Ann" in line), "bots of the house play here"
    assert json.loads(said("export", record, "--as", form, "--json", *more)) == {"form": form, "text": text}


# ---- as a house holds it ---------------------------------------------------------------------------


class House(BaseHTTPRequestHandler):
    """A house that is busy at first, and has one tournament, of which it says no more than so many lines."""

    record = b""
    busy: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        if self.busy:
            self.send_response(503)
            wait = self.busy.pop()
            if wait is not None:
                self.send_header("Retry-After", wait)
            self.end_headers()
            return
        rows = b'[{"number":1,"name":"Ann"}]'
        said = {"export": self.record, "entrants": rows}.get(self.path.rpartition("/")[2], b'{"title":"Club"}')
        self.send_response(200)
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def house(pods: tuple[Rehearsal, str]) -> Iterator[str]:
    """Return the address of that house, at which the tournament is in the middle."""
    lines = Path(pods[1]).read_bytes().split(b"\n")
    paired = next(number for number, line in enumerate(lines) if b'"type":"tables.paired"' in line)
    House.record = b"\n".join(lines[: paired + 1]) + b"\n"
    with HTTPServer(("127.0.0.1", 0), House) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_tournament_that_is_held_is_looked_at_by_its_id_with_the_names_of_the_house(
    said: Said, house: str, pods: tuple[Rehearsal, str]
) -> None:
    House.busy = ["0", None, "inf"]
    tournament = pods[0].tournament.id
    told = json.loads(said("standings", tournament, "--url", house, "--json"))
    assert {row["name"] for row in told["rows"] if row["number"] == 1} == {"Ann"}
    assert House.busy == []
    assert "It is not over" in said("standings", f"{house}/t/{tournament}/standings", aside=True)
    House.busy = ["0"] * 4
    assert "the service said no" in said("standings", tournament, "--url", house, code=3, aside=True)


def test_a_file_and_an_address_of_a_record_are_records_whatever_they_are_called(tmp_path: Path) -> None:
    name = str(UUID(int=7, version=4))
    assert asked_of_house(name) == name
    (tmp_path / name).touch()
    asked = [
        *(str(tmp_path / name), "-", "no/such.cup", f"t/{name}", f"https://x.example/api/v1/tournaments/{name}/export"),
        *("https://x.example/t/none", f"https://x.example/m/{name}"),
    ]
    assert [asked_of_house(each) for each in asked] == [None] * len(asked)
    assert asked_of_house(f"https://x.example/t/{name}/standings?round=2") == name


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("standings", "{pods}", "--round", 9), "not paired yet"),
        (("standings", "{pods}", "--stage", 2), "not paired yet"),
        (("standings", "{pods}", "--number", 99), "nobody in this stage"),
        (("standings", "no/such.cup"), "cannot be read"),
        (("standings", "{bent}"), "is at fault in line"),
        (("standings", "{lie}"), "is at fault in line"),
        (("standings", "{match}"), "is the record of a match"),
        (("standings", "{open}"), "ask again when it is over"),
        (("standings", "{pods}", "--names", "no/such.csv"), "the names"),
        (("standings", "{pods}", "--names", "{names}"), "no number, comma and name"),
        (("why", "{pods}", "--number", 99), "no entrant has this number"),
        (("why", "{pods}", "--number", 1, "--round", 9), "no round 9"),
        (("certificate", "{robin}"), "has no certificate"),
        (("certificate", "{pods}", "--out", "{folder}"), "cannot be written"),
        (("export", "{pods}", "--as", "trf"), "TRF26"),
        (("export", "{pods}", "--as", "pairings", "--stage", 3), "not paired yet"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    said: Said, pods: tuple[Rehearsal, str], tmp_path: Path, arguments: tuple[object, ...], why: str
) -> None:
    rehearsal, record = pods
    lines = Path(record).read_bytes().split(b"\n")
    files = {
        "bent": b"\n".join([lines[0].replace(b'"pods"', b'"pod"').replace(b"14400", b"1"), b"{}", *lines[2:]]),
        "open": b"\n".join(lines[: len(lines) // 2]) + b"\n",
        "match": next(iter(rehearsal.matches.values())).record,
        "names": b"Ann,1\n",
        "lie": lying(rehearsal),
    }
    if "{robin}" in arguments:
        files["robin"] = rehearsed("round_robin", 3).record()
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    paths = {"{pods}": record, "{folder}": str(tmp_path)} | {f"{{{name}}}": str(tmp_path / name) for name in files}
    told = said(*(paths.get(str(each), each) for each in arguments), code=3, aside=True)
    assert why in told
    assert told.count("\n") == 1


def lying(rehearsal: Rehearsal) -> bytes:
    """Return a record that is chained as it should be, in which somebody entered twice."""
    lines = rehearsal.lines[:5]
    last = json.loads(lines[4])
    again = canonical.line(last["stream"], 5, canonical.head(lines[4]), last["at"], last["type"], last["data"])
    return b"".join(line + b"\n" for line in (*lines, again))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_waited_for_is_said_while_a_tournament_runs(language: str) -> None:
    with speaking(language):
        assert set(message("terminal.explained.due")) == set(get_args(DueReason)) - {"over"}
        event = busy().start()
        event.record(1)
        live = standings_view(event.tournament, NAMES, 1, 2, explained=False)
        waiting = message("terminal.explained.due.results").partition("{")[0]
        assert waiting in check_words(standings_lines([live], NAMES, event.tournament))
        knocked = EventByHand("single").begin(4).play_round()
        view = standings_view(knocked.tournament, NAMES)
        assert message("terminal.explained.by_outcome") in standings_lines([view], NAMES, knocked.tournament)
        knocked.finish()
        lines = standings_lines([standings_view(knocked.tournament, NAMES)], NAMES, knocked.tournament)
        assert [line.split()[0] for line in lines[1:5]] == ["1.", "2.", "3.", "4."]
        assert " UTC" in lines[-1]


def test_groups_stand_one_below_the_other_and_places_at_the_end(said: Said, tmp_path: Path) -> None:
    (tmp_path / "groups.cup").write_bytes(rehearsed("groups", 6).record())
    text = said("standings", tmp_path / "groups.cup", "--stage", 1)
    assert [text.count(f"Group {number}\n") for number in (1, 2, 3)] == [1, 1, 0]
    assert "Places in the end" in said("standings", tmp_path / "groups.cup")
    found = said("standings", tmp_path / "groups.cup", "--stage", 1, "--json").splitlines()
    assert [json.loads(line)["group"] for line in found] == [1, 2]


def test_columns_stand_below_each_other_whatever_is_in_them() -> None:
    assert columns([["a", "b"], ["\u6f22\u5b57", "c"]]) == ["a     b", "\u6f22\u5b57  c"]
