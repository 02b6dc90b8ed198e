"""What a monitor finds in the entries of a log, held against each other."""

from __future__ import annotations

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
