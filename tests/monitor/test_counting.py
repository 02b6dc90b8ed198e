"""Statistics of a house held against its log: what is left out of them, and what is counted otherwise, is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from domain.log import canonical
from domain.statistics.deals import PEOPLE, DealCounts
from domain.statistics.tallies import DiceTally, tally_of_match, total_of
from domain.statistics.uniformity import statistics
from projections.sheets import Sheet, sums_of, tally_of
from services.monitor import monitor
from services.monitor.counting import SHEETS, STATISTICS, CountedHouse
from services.monitor.monitor import MonitorLook
from tests.fairness.scripted_server import MATCH, STREAM, Story
from tests.monitor.conftest import Watching
from tests.monitor.serving import Answer, House, said_of

LINES = Story().to_end().lines
TALLY = tally_of_match(LINES)
SHEET = Sheet(MATCH, len(LINES), canonical.head(LINES[-1]), {"1": "p1", "2": "p2"}, sums_of(TALLY))
OTHER = structs.replace(SHEET, match="0b5c8a52-7c0f-4b6d-9d6a-0d9c2a5b7e11")
CHOICES = f"/api/v1/matches/{MATCH}/choices"
LEFT_OUT = f"{STREAM} is over, and the statistics leave it out"


@pytest.fixture
def house() -> Iterator[House]:
    """A house in whose log one match is over, with statistics of it."""
    with House([said_of(LINES[-1], "final")]) as served:
        served.records[MATCH] = LINES
        count(served, SHEET)
        yield served


@pytest.fixture
def watching(house: House, tmp_path: Path) -> Watching:
    return Watching(house, tmp_path / "seen")


def count(house: House, *sheets: Sheet, dealt: dict[str, DealCounts] | None = None) -> None:
    """Have the house serve these sheets, and the statistics that they come to."""
    if dealt is not None:
        sheets = (*sheets, structs.replace(OTHER, sums=sums_of(DiceTally(dealt=dealt))))
    house.lies[SHEETS] = (200, b"".join(msgspec.json.encode(sheet) + b"\n" for sheet in sheets))
    house.lies[STATISTICS] = served(total_of(tally_of(sheet.sums) for sheet in sheets))


def served(tally: DiceTally) -> Answer:
    return 200, msgspec.json.encode(statistics(tally))


def found(look: MonitorLook) -> list[tuple[str, str]]:
    return [(one.code, one.text) for one in look.findings]


def counted(look: MonitorLook) -> CountedHouse:
    assert isinstance(look.statistics, CountedHouse)
    return look.statistics


async def look(watching: Watching) -> MonitorLook:
    seen = await watching.look(counts=True)
    assert seen.followed
    return seen


async def test_statistics_that_are_what_the_record_comes_to_are_fair(watching: Watching) -> None:
    seen = await look(watching)
    assert (found(seen), seen.unanswered) == ([], [])
    assert (counted(seen).sheets, counted(seen).held, counted(seen).private) == (1, 1, 0)
    assert counted(seen).dealt.counts == DealCounts(1)


async def test_nobody_who_does_not_ask_counts(watching: Watching, house: House) -> None:
    await watching.look()
    assert STATISTICS not in house.asked


async def test_a_match_that_the_statistics_leave_out_is_found_when_they_had_time(
    watching: Watching, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    count(house)
    house.lies[CHOICES] = (200, b'{"private":false}')
    early = await look(watching)
    assert (found(early), early.unanswered) == ([], [f"{STREAM} is over, and not yet in the statistics"])
    monkeypatch.setattr(monitor, "LATE_MS", 0)
    assert found(await look(watching)) == [("STATISTICS", LEFT_OUT)]
    count(house, SHEET)
    assert found(await look(watching)) == []


async def test_a_match_that_is_dropped_from_the_statistics_is_found_at_once(watching: Watching, house: House) -> None:
    await look(watching)
    count(house)
    house.lies[CHOICES] = (200, b'{"private":true}')
    assert found(await look(watching)) == [("STATISTICS", f"{STREAM} was in the statistics and is no longer")]


async def test_a_private_match_is_in_no_statistics_and_is_counted_as_such(watching: Watching, house: House) -> None:
    count(house)
    house.lies[CHOICES] = (200, b'{"private":true}')
    seen = await look(watching)
    assert (found(seen), seen.unanswered, counted(seen).private) == ([], [], 1)


async def test_a_match_without_dice_needs_no_sheet(watching: Watching, house: House) -> None:
    house.records[MATCH] = lines = Story().created().ended().lines
    house.entries = [said_of(lines[-1], "final")]
    count(house)
    assert (await look(watching)).findings == []


async def test_a_match_that_is_counted_otherwise_is_found(watching: Watching, house: House) -> None:
    sums = sums_of(total_of((TALLY, DiceTally(dealt={PEOPLE: DealCounts(1, 1)}))))
    count(house, structs.replace(SHEET, sums=sums))
    assert found(await look(watching)) == [("STATISTICS", f"the statistics count {STREAM} otherwise than its record")]
    count(house, structs.replace(SHEET, head="ab" * 32))
    assert [code for code, _ in found(await look(watching))] == ["STATISTICS"]


async def test_a_sheet_that_stops_before_the_end_is_late(watching: Watching, house: House) -> None:
    count(house, structs.replace(SHEET, version=len(LINES) - 1))
    seen = await look(watching)
    assert (found(seen), len(seen.unanswered)) == ([], 1)


async def test_a_record_at_fault_is_found(watching: Watching, house: House) -> None:
    house.records[MATCH] = lines = Story().to_revealed().closed(secret="00" * 32).ended().lines
    house.entries = [said_of(lines[-1], "final")]
    ((code, text),) = found(await look(watching))
    assert (code, text.partition(": ")[0]) == ("STATISTICS", f"{STREAM} is at fault")


async def test_sheets_that_do_not_add_up_are_found(watching: Watching, house: House) -> None:
    house.lies[STATISTICS] = served(DiceTally())
    assert found(await look(watching)) == [
        ("STATISTICS", "the sheets of all matches do not add up to the statistics of the house")
    ]


async def test_a_house_that_counts_on_is_not_added_up(watching: Watching, house: House) -> None:
    def moving() -> None:
        house.lies[STATISTICS] = served(DiceTally())

    whole = house.lies[SHEETS]

    def answer(handler) -> None:
        moving()
        assert isinstance(whole, tuple)
        handler.send(*whole)

    house.lies[SHEETS] = answer
    seen = await look(watching)
    assert (found(seen), len(seen.unanswered)) == ([], 1)


async def test_a_house_that_throws_away_too_much_is_found_and_so_is_a_host(watching: Watching, house: House) -> None:
    count(house, SHEET, dealt={PEOPLE: DealCounts(400, 3), OTHER.match: DealCounts(50, 9)})
    ((code, text),) = found(await look(watching))
    assert code == "VOIDS"
    assert text.startswith(f"9 of 50 deals of {OTHER.match} were thrown away, and 12 of 451 of the whole house")
    count(house, SHEET, dealt={PEOPLE: DealCounts(100, 30)})
    assert [code for code, _ in found(await look(watching))] == ["VOIDS"]


@pytest.mark.parametrize(
    ("path", "lie", "code"),
    [
        (STATISTICS, (200, b"[]"), "NONSENSE"),
        (SHEETS, (200, b"{}\n"), "NONSENSE"),
        (SHEETS, (200, 2 * (msgspec.json.encode(SHEET) + b"\n")), "STATISTICS"),
        (STATISTICS, (500, b""), None),
        (SHEETS, (404, b""), None),
    ],
)
async def test_statistics_that_are_none_are_said_so(
    watching: Watching, house: House, path: str, lie: Answer, code: str | None
) -> None:
    house.lies[path] = lie
    seen = await look(watching)
    assert [each for each, _ in found(seen)] == ([code] if code else [])
    assert len(seen.unanswered) == (0 if code else 1)


async def test_what_a_host_chose_has_to_be_said(watching: Watching, house: House) -> None:
    count(house)
    house.lies[CHOICES] = (200, b"nonsense")
    assert [code for code, _ in found(await look(watching))] == ["NONSENSE"]
