"""Findings of a monitor in the entries of a log, held against each other."""

from __future__ import annotations

import pytest

from services.monitor.store import MonitorStore
from tests.monitor import serving
from tests.monitor.conftest import Watching
from tests.monitor.serving import House, entry, match_of, said_of, whole


async def test_two_heads_for_one_line_are_found_and_stay_found(house: House, watching: Watching) -> None:
    await watching.look()
    house.entries += [entry(1, 2, "live"), entry(1, 2, "live", "cd" * 32)]
    for grown in (2, 0):
        look = await watching.look()
        assert (look.followed, look.grown) == (True, grown)
        codes = [one.code for one in look.findings]
        assert codes == ["TWO_HEADS", "STREAM"]
        assert look.findings[0].text == f"the log has two heads for line 2 of match/{match_of(1)}"


async def test_two_heads_far_from_each_other_are_found(house: House, watching: Watching) -> None:
    house.entries += [one for number in range(3, 200) for one in whole(number)]
    house.entries.append(entry(0, 1, "live", "cd" * 32))
    look = await watching.look(all_streams=False)
    assert "TWO_HEADS" in {one.code for one in look.findings}


async def test_a_deal_without_an_end_is_found_after_a_while(house: House, watching: Watching) -> None:
    dealt_twice = ["match.created", "deal.sealed", "deal.sealed", "match.ended"]
    house.records[match_of(7)] = lines = serving.chained(serving.stream_of(7), dealt_twice)
    house.entries += [said_of(lines[1], "sealed"), entry(8, 1, "live")]
    assert (await watching.look()).findings == []
    look = await watching.look(patience_days=-1)
    assert [one.text for one in look.findings] == [f"match/{match_of(7)} has a sealed deal and no end"]
    house.entries += [said_of(lines[3], "final"), said_of(lines[2], "sealed")]
    assert (await watching.look(patience_days=-1)).findings == []


async def test_an_end_logged_in_advance_ends_nothing(house: House, watching: Watching) -> None:
    house.entries.append(entry(7, 0, "final"))
    await watching.look()
    house.entries += [entry(7, 1, "sealed"), entry(7, 2, "opened")]
    for _ in range(2):
        look = await watching.look(all_streams=False, patience_days=-1)
        told = [one.text for one in look.findings if one.code in {"ENTRIES", "UNFINISHED"}]
        stream = serving.stream_of(7)
        assert told == [f"the log has a line of {stream} after its last", f"{stream} has a sealed deal and no end"]


async def test_an_end_before_a_deal_ends_nothing_though_it_is_logged_later(house: House, watching: Watching) -> None:
    house.entries.append(entry(7, 1, "sealed"))
    await watching.look()
    house.entries.append(entry(7, 0, "final"))
    look = await watching.look(patience_days=-1)
    assert {"ENTRIES", "UNFINISHED"} <= {one.code for one in look.findings}


@pytest.mark.parametrize("kinds", [("final", "live"), ("live", "final"), ("final", "final")])
async def test_a_line_behind_the_last_is_found(house: House, watching: Watching, kinds: tuple[str, str]) -> None:
    house.records[match_of(7)] = lines = serving.chained(serving.stream_of(7), ["match.ended", "match.ended"])
    house.entries += [said_of(line, kind) for line, kind in zip(lines, kinds, strict=True)]
    for _ in range(2):
        found = [one.text for one in (await watching.look()).findings if one.code == "ENTRIES"]
        assert found == ([] if kinds[0] == "live" else [f"the log has a line of {serving.stream_of(7)} after its last"])


async def test_an_entry_that_comes_again_is_found_and_stays_found(house: House, watching: Watching) -> None:
    await watching.look()
    house.entries += [house.entries[3]] * 2
    for grown in (2, 0):
        look = await watching.look()
        assert (look.followed, look.grown) == (True, grown)
        assert [(one.code, one.text) for one in look.findings] == [("ENTRIES", "entry 10 is entry 3 again")]


async def test_the_same_entry_again_and_again_is_kept_once(house: House, watching: Watching) -> None:
    house.entries += [house.entries[3]] * 1_000
    await watching.look()
    notebook = MonitorStore(watching.folder)
    try:
        assert len(notebook.anchors(serving.stream_of(1))) == 3
    finally:
        notebook.close()


async def test_who_is_stopped_goes_on_where_it_was(house: House, watching: Watching) -> None:
    house.entries += [one for number in range(3, 1_500) for one in whole(number)]
    house.keep()
    house.lies["/log/tile/entries/017.p/148"] = (500, b"")
    look = await watching.look(all_streams=False)
    assert (look.followed, look.size, look.grown) == (False, 4_096, 4_096)
    assert look.unanswered == ["/log/tile/entries/017.p/148: answered 500"]
    house.lies.clear()
    house.asked.clear()
    look = await watching.look(all_streams=False)
    assert (look.followed, look.size, look.grown, look.findings) == (True, 4_500, 404, [])
    assert [path for path in house.asked if "entries" in path] == [
        "/log/tile/entries/016",
        "/log/tile/entries/017.p/148",
    ]


async def test_what_was_read_before_the_stop_has_to_lead_to_the_root(house: House, watching: Watching) -> None:
    honest = [*house.entries, *(one for number in range(3, 1_500) for one in whole(number))]
    house.entries = [*honest[:9], entry(3, 1, "sealed", "cd" * 32), *honest[10:]]
    forged = {path: (200, found) for path in ("0/000", "entries/000") if (found := house.tile(path)) is not None}
    house.entries = honest
    house.keep()
    house.lies = {f"/log/tile/{path}": answer for path, answer in forged.items()}
    look = await watching.look(all_streams=False)
    assert [one.code for one in look.findings] == ["TILES"]
    assert (look.followed, look.size) == (False, 0)


async def test_another_history_is_found_while_entries_are_still_to_be_read(house: House, watching: Watching) -> None:
    house.lies["/log/tile/entries/000.p/9"] = (500, b"")
    assert (await watching.look()).size == 0
    house.entries[4] = entry(1, 2, "opened", "cd" * 32)
    assert "both checkpoints" in await watching.finds("FORKED")
