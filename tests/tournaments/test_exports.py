"""Files of a tournament: any reader of their forms reads what was meant, whatever people are called."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.rules import TIME_MAX
from projections.tournaments.exports.alphabet import alphabet_key, folded
from projections.tournaments.exports.calendars import CalendarWords, calendar_entries, calendar_text
from projections.tournaments.exports.csv_files import disarmed, pairings_csv, results_csv, standings_csv, table_text
from projections.tournaments.exports.lists import by_name, by_table
from projections.tournaments.exports.trf import trf_text
from projections.tournaments.rounds import round_view
from projections.tournaments.standings import standings_view
from tests.sizes import cases
from tests.tournaments.events_by_hand import BEGAN, HOST, EventByHand
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, busy

WORDS = CalendarWords(
    "Club; night, 1", "Check-in", "Round {round}", "Stage {stage}, round {round}", "https://e.org/t/1"
)


@pytest.fixture(scope="module")
def event() -> EventByHand:
    return busy().pair()


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV text, by the names of columns."""
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


# ---- CSV -------------------------------------------------------------------------------------------


def test_pairings_have_a_row_for_everybody_of_the_round(event: EventByHand) -> None:
    rows = rows_of(pairings_csv(event.tournament, NAMES, 1, 2))
    assert sorted(int(row["number"]) for row in rows) == list(range(1, 11))
    first = rows[0]
    table = event.table(1)
    assert (first["table"], first["seat"], first["number"], first["state"]) == ("1", "1", str(table.seats[0]), "paired")
    resting = rows_of(pairings_csv(event.tournament, NAMES, 1, 1))[-2:]
    assert [(row["table"], row["state"]) for row in resting] == [("", "half"), ("", "late")]


def test_results_come_to_the_scores(event: EventByHand) -> None:
    rows = rows_of(results_csv(event.tournament, NAMES))
    assert {row["round"] for row in rows} == {"1"}
    assert sorted({row["how"] for row in rows}) == ["absent", "half", "late", "played"]
    assert {row["ruled"] for row in rows if row["table"] == "1"} == {"yes"}
    assert not any("/" in value for row in rows for value in row.values())
    standing = {row.number: row for row in standings_view(event.tournament, NAMES).rows}
    for row in rows:
        points = Fraction(int(row["numerator"]), int(row["denominator"]))
        assert str(points) == standing[int(row["number"])].course[0].points.value


def test_a_table_that_only_an_official_spoke_of_is_in_the_results() -> None:
    ruled = EventByHand("duel_swiss").begin(4).start()
    one, two = ruled.table(1).seats
    ruled.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((two,), (one,)), reason="agreement"))
    rows = rows_of(results_csv(ruled.tournament, NAMES))
    assert [(row["how"], row["place"]) for row in rows] == [("ruled", "2"), ("ruled", "1")]
    ruled.record(2)
    ruled.step()
    ruled.pair()
    ruled.do(commands.Unpair(by=HOST))
    assert len(rows_of(results_csv(ruled.tournament, NAMES))) == 4


def test_standings_stand_with_their_tie_breaks(event: EventByHand) -> None:
    view = standings_view(event.tournament, NAMES)
    rows = rows_of(standings_csv(view))
    assert [row["number"] for row in rows] == [str(row.number) for row in view.rows]
    shown = [tie.value.shown for row in view.rows for tie in row.ties if tie.code == "BH" and tie.value]
    assert [row["BH"] for row in rows if row["BH"]] == shown
    assert any(" " in row["CB"] for row in rows)


def test_a_bot_is_labelled_in_the_last_column_of_every_file(event: EventByHand) -> None:
    files = [
        *(pairings_csv(event.tournament, NAMES, 1, number) for number in (1, 2)),
        *(results_csv(event.tournament, NAMES), standings_csv(standings_view(event.tournament, NAMES))),
    ]
    for text in files:
        rows = rows_of(text)
        assert {row["number"]: row["bot"] for row in rows} == {
            row["number"]: "yes" if row["number"] == "9" else "no" for row in rows
        }
        assert text.partition("\r\n")[0].endswith(",bot")


def test_a_bot_is_labelled_in_a_report_whatever_the_length_of_its_name() -> None:
    duels = EventByHand("duel_swiss", entry={"bots": "labelled"}).enter(3).enter(2, bot=True).check_in().draw()
    duels.step()
    text = trf_text(duels.tournament, {4: "Zed", 5: "Zed " * 10}, "x")
    found = [line[14:47].rstrip() for line in text.split("\r\n") if line.startswith("001 ")]
    assert found == ["#1", "#2", "#3", "Zed (bot)", ("Zed " * 10)[:27] + " (bot)"]


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2)))
def test_whatever_a_cell_says_it_is_read_back_and_is_no_formula(cells: list[list[str]]) -> None:
    text = table_text(("a", "b"), cells)
    found = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    assert found == [[disarmed(cell) for cell in row] for row in cells]
    for row in found:
        for cell in row:
            assert not cell.startswith(("=", "+", "@", "\t", "\r", "\n", "\uff1d"))
            assert not cell.startswith("-") or re.fullmatch(r"-[0-9.]+", cell)


@pytest.mark.parametrize("name", ["=1+1", "+49", "-2+3", "@cmd", "\t=1", "\uff1d1", "-1/2"])
def test_a_name_that_a_spreadsheet_would_work_out_is_only_a_name(name: str) -> None:
    assert disarmed(name) == f"'{name}"


@pytest.mark.parametrize("cell", ["O'Neill", "-0.5", "3", "", None, -4, "Ann=Eve"])
def test_other_cells_are_as_they_were(cell: str | int | None) -> None:
    assert disarmed(cell) == cell


# ---- TRF -------------------------------------------------------------------------------------------


def test_a_report_has_its_columns_where_programs_look_for_them() -> None:
    duels = EventByHand("duel_swiss").begin(5).finish()
    names = {number: f"A\nname of {number} that is longer than its column" for number in duels.tournament.entrants}
    text = trf_text(duels.tournament, names, "Club\r\n001 night")
    assert text.endswith("\r\n")
    lines = text.removesuffix("\r\n").split("\r\n")
    assert lines[0] == "012 Club 001 night"
    assert lines[1:5] == ["042 1970/01/01", "052 1970/01/01", "062 5", "092 Individual: Swiss-System"]
    entrants = [line for line in lines if line.startswith("001 ")]
    assert [int(line[4:8]) for line in entrants] == [1, 2, 3, 4, 5]
    scores = {row.number: row for row in standings_view(duels.tournament, names).rows}
    for line in entrants:
        row = scores[int(line[4:8])]
        assert (Fraction(line[80:84]), int(line[85:89])) == (Fraction(row.score.value), row.place)
        assert line[14:47] == names[row.number].replace("\n", " ")[:33]
    assert not any("\n" in line for line in lines)


def test_a_report_tells_who_won_without_playing_from_who_played() -> None:
    duels = WrittenEvent("duel_swiss").begin(4).pair()
    duels.step()
    here, away = duels.table(1).seats
    duels.absent(1, away)
    won, lost = duels.table(2).seats
    duels.record(2)
    duels.step()
    lines = trf_text(duels.tournament, NAMES, "x").split("\r\n")
    signs = {int(line[4:8]): line[-1] for line in lines if line.startswith("001 ")}
    assert signs == {here: "+", away: "-", won: "1", lost: "0"}


@pytest.mark.parametrize(
    ("name", "kind"), [("round_robin", "Individual: Round-Robin"), ("single", "Individual: Knock-Out")]
)
def test_a_report_says_what_kind_of_event_it_is(name: str, kind: str) -> None:
    assert f"092 {kind}\r\n" in trf_text(EventByHand(name).begin(4).tournament, NAMES, "x")


@pytest.mark.parametrize(
    ("name", "scoring"),
    [
        ("pods", {}),
        ("duel_swiss", {"bye": "1/3"}),
        ("duel_swiss", {"scheme": "custom", "points": {"2": ["3", "1"]}}),
    ],
)
def test_what_the_form_cannot_write_is_refused(name: str, scoring: dict[str, Any]) -> None:
    some = EventByHand(name, scoring=scoring).begin(5).play_round()
    with pytest.raises(Refused) as refusal:
        trf_text(some.tournament, NAMES, "x")
    assert refusal.value.code == "no_trf"


def test_there_is_no_report_before_a_stage_has_begun() -> None:
    for stage in (None, 1, 2):
        with pytest.raises(Refused) as refusal:
            trf_text(EventByHand("duel_swiss").enter(3).tournament, NAMES, "x", stage)
        assert refusal.value.code == "not_paired"


# ---- calendars -------------------------------------------------------------------------------------


def properties(text: str) -> list[tuple[str, str]]:
    """Return the properties of a calendar, read as RFC 5545 says: unfolded, with texts as they were."""
    assert text.endswith("\r\n")
    lines = text.removesuffix("\r\n").split("\r\n")
    assert all(len(line.encode()) <= 75 for line in lines)
    unfolded: list[str] = []
    for line in lines:
        if line.startswith(" "):
            unfolded[-1] += line[1:]
        else:
            unfolded.append(line)
    escaped = re.compile(r"\\([\\;,nN])")
    parts = [line.partition(":") for line in unfolded]
    return [(name, escaped.sub(lambda found: found[1].replace("n", "\n"), value)) for name, _, value in parts]


def test_rounds_are_events_that_keep_their_names_and_move() -> None:
    times = [BEGAN + 3_600_000, BEGAN + 7_200_000, TIME_MAX]
    event = EventByHand("pods", time={"start": "times", "times": times, "round_ms": 600_000}).begin(4)
    before = properties(calendar_text(event.tournament, WORDS))
    uids = [value for name, value in before if name == "UID"]
    assert [uid.partition(".")[0] for uid in uids] == ["check-in", "1-1", "1-2", "1-3"]
    starts = [value for name, value in before if name == "DTSTART"]
    assert starts == ["19700101T001640Z", "19700101T011640Z", "19700101T021640Z", "99991231T235959Z"]
    ends = [value for name, value in before if name == "DTEND"]
    assert ends == ["19700101T003140Z", "19700101T012640Z", "19700101T022640Z"]
    assert [value for name, value in before if name == "SUMMARY"][:2] == [
        "Club; night, 1: Check-in",
        "Club; night, 1: Round 1",
    ]
    event.at += 4_000_000
    event.start()
    event.do(commands.Extend(by=HOST, until=event.at + 60_000, reason="technical"))
    first = [each for each in calendar_entries(event.tournament, WORDS) if each.name == "1-1"]
    assert [(each.begins, each.ends) for each in first] == [(event.at, event.at + 60_000)]
    event.play_round()
    event.do(commands.Cancel(by=HOST, reason="technical"))
    after = properties(calendar_text(event.tournament, WORDS))
    assert [value for name, value in after if name == "UID"] == uids
    assert {value for name, value in after if name == "STATUS"} == {"CANCELLED"}
    assert ("URL", WORDS.url) in after


def test_a_tournament_without_times_has_only_what_has_begun() -> None:
    event = EventByHand("pods_final").enter(8)
    plain = CalendarWords("x", "Check-in", "Round {round}", "Stage {stage}, round {round}")
    assert list(calendar_entries(event.tournament, plain)) == []
    event.check_in().draw().step()
    event.finish()
    said = [value for name, value in properties(calendar_text(event.tournament, plain)) if name == "SUMMARY"]
    assert said == ["x: Check-in", "x: Round 1", "x: Round 2", "x: Round 3", "x: Stage 2, round 1"]


@settings(max_examples=cases(30, 500))
@example("W\u00fcrfel; am Abend, " * 9)
@given(st.text(st.characters(codec="utf-8"), max_size=120))
def test_whatever_an_event_is_called_its_calendar_is_read_back(title: str) -> None:
    event = EventByHand("pods").enter(4).open_check_in()
    found = properties(calendar_text(event.tournament, CalendarWords(title, "Check-in", "", "")))
    plain = "".join(sign for sign in title if sign in "\t\n" or sign.isprintable())
    assert ("X-WR-CALNAME", plain) in found
    assert ("SUMMARY", f"{plain}: Check-in") in found
    assert [name for name, _ in found].count("BEGIN") == [name for name, _ in found].count("END") == 2


def local(text: str) -> datetime:
    """Return a moment of a calendar as a clock on a wall in Berlin shows it."""
    return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin"))


def test_no_change_of_clocks_moves_a_round_or_makes_it_longer() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    # Clocks go back in the night to the 25th, while the second round lasts.
    evenings = [datetime(2026, 10, *at, tzinfo=berlin) for at in ((23, 19), (24, 23), (30, 19))]
    times = [int(evening.timestamp()) * 1_000 for evening in evenings]
    event = EventByHand("pods", time={"start": "times", "times": times, "round_ms": 6 * 3_600_000}).begin(4)
    found = properties(calendar_text(event.tournament, WORDS))
    starts = [local(value) for name, value in found if name == "DTSTART"][1:]
    ends = [local(value) for name, value in found if name == "DTEND"][1:]
    assert [start.hour for start in starts] == [19, 23, 19]
    assert [end.hour for end in ends] == [1, 4, 1], "six hours are six hours: the clock shows five more"
    assert {(end.timestamp() - start.timestamp()) / 3_600 for start, end in zip(starts, ends, strict=True)} == {6}


# ---- lists -----------------------------------------------------------------------------------------


def test_lists_find_everybody_by_name_and_every_table(event: EventByHand) -> None:
    names = dict(enumerate(("eve", "Adam", "bob", "Zoe", "ann", "Kim", "lea", "Tom", "Mia", "Ole"), start=1))
    view = round_view(event.tournament, names, 1, 1)
    lines = by_name(view)
    assert [line.name for line in lines] == ["Adam", "ann", "bob", "eve", "Kim", "lea", "Mia", "Ole", "Tom", "Zoe"]
    assert {line.rest for line in lines if line.table is None} == {"half", "late"}
    tables = by_table(view)
    assert [line.table for line in tables] == [table.table for table in view.tables]
    seated = [(line.number, line.table, line.seat) for line in lines if line.table is not None]
    assert sorted(seated) == sorted(
        (number, line.table, seat) for line in tables for seat, number in enumerate(line.numbers, start=1)
    )


@pytest.mark.parametrize(
    ("language", "ordered"),
    [
        (
            "en",
            [
                "\u201cAda\u201d",
                "Adele",
                "Ádele",
                "Åke",
                "Émile",
                "Emma",
                "nz",
                "Oe",
                "Ørn",
                "Straße",
                "Strasse b",
                "Zoe",
            ],
        ),
        ("de", ["Adam", "Ärger", "az", "Müller", "Muller b", "Mulm", "Öl", "Ost"]),
        ("es", ["Nadia", "nz", "ñandú", "Ñu", "Óscar", "Otto"]),
    ],
)
def test_names_stand_where_people_look_them_up(language: str, ordered: list[str]) -> None:
    names = ordered[::-1]
    names.sort(key=lambda name: alphabet_key(name, language))
    assert names == ordered


def test_where_enye_is_no_letter_of_its_own_it_stands_with_n() -> None:
    assert sorted(["nz", "ñandú", "Nadia"], key=alphabet_key) == ["Nadia", "ñandú", "nz"]


@given(st.text(max_size=40))
def test_whoever_types_a_name_without_accents_and_capitals_finds_it(name: str) -> None:
    assert folded(folded(name)) == folded(name)
    assert folded(name.upper().lower()) == folded(name.lower().upper().lower())


def test_names_are_found_without_their_accents() -> None:
    assert [folded(name) for name in ("Çelik", "Ærø", "Łukasz", "Straße", "\U0001d5d4da")] == [
        "celik",
        "aero",
        "lukasz",
        "strasse",
        "ada",
    ]
