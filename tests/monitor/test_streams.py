"""Findings of a monitor in the streams of a house, held against what the log says of them."""

from __future__ import annotations

import pytest

from domain.log import canonical
from domain.log.proofs import anchor_entry
from services.monitor.monitor import MonitorLook
from tests.monitor import serving
from tests.monitor.conftest import Watching
from tests.monitor.serving import House, lines_of, match_of, said_of


async def test_a_match_that_is_not_what_the_log_says_is_found(house: House, watching: Watching) -> None:
    house.records[match_of(1)] = lines_of(1, said="another")
    look = await watching.look()
    assert {one.code for one in look.findings} == {"STREAM"}
    assert [one.text for one in look.findings] == [
        f"line {seq} of match/{match_of(1)} is another than the log says" for seq in (1, 2, 3)
    ]


async def test_a_match_patched_together_from_two_histories_is_found(house: House, watching: Watching) -> None:
    disliked, liked = lines_of(7, 4, "disliked"), lines_of(7, 5, "liked")
    house.records[match_of(7)] = [*disliked[:3], *liked[3:]]
    house.entries += [said_of(disliked[1], "sealed"), said_of(liked[4], "final")]
    look = await watching.look()
    assert [(one.code, one.text) for one in look.findings] == [
        ("STREAM", f"line 3 of match/{match_of(7)} does not follow the one before it")
    ]


@pytest.mark.parametrize("other", [b"", b"nonsense", b'{"seq":1}', b"\xff", b"[" * 60_000, lines_of(2)[1]])
async def test_a_line_that_is_none_of_the_match_is_found(house: House, watching: Watching, other: bytes) -> None:
    lines = lines_of(1)
    house.records[match_of(1)] = [lines[0], other, *lines[2:]]
    look = await watching.look()
    assert [one.code for one in look.findings] == ["STREAM"]
    assert look.findings[0].text.startswith(f"line 1 of match/{match_of(1)} ")


async def test_the_record_of_another_match_is_found(house: House, watching: Watching) -> None:
    house.entries.append(said_of(lines_of(8)[3], "live"))
    house.records[match_of(8)] = lines_of(9)
    look = await watching.look()
    assert [one.text for one in look.findings] == [f"line 0 of match/{match_of(8)} belongs to another stream"]


@pytest.mark.parametrize(
    ("seq", "kind", "type_"),
    [(2, "sealed", "deal.sealed"), (1, "opened", "seed.opened"), (4, "final", "match.ended")],
)
async def test_a_line_that_is_logged_as_what_it_is_not_is_found(
    house: House, watching: Watching, seq: int, kind: str, type_: str
) -> None:
    house.records[match_of(7)] = lines = lines_of(7, 6)[:5]
    house.entries.append(said_of(lines[seq], kind))
    look = await watching.look()
    assert [(one.code, one.text) for one in look.findings] == [
        ("STREAM", f"line {seq} of match/{match_of(7)} is no {type_}, and the log has it as {kind}")
    ]


async def test_a_match_that_goes_on_after_its_end_is_found(house: House, watching: Watching) -> None:
    early = ["match.created", "match.ended", "deal.sealed", "seed.opened"]
    house.records[match_of(7)] = lines = serving.chained(serving.stream_of(7), early)
    house.entries.append(said_of(lines[1], "final"))
    look = await watching.look()
    assert [(one.code, one.text) for one in look.findings] == [
        ("STREAM", f"match/{match_of(7)} goes on after line 1, which the log calls its last")
    ]


async def test_who_saw_what_is_held_against_the_log_too(house: House, watching: Watching) -> None:
    stream = f"access/{match_of(1)}"
    lines = serving.chained(stream, ["access.created", "access.served", "access.closed"])
    house.entries.append(said_of(lines[2], "final"))
    path = f"/api/v1/matches/{match_of(1)}/access"
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines))
    assert (await watching.look()) == MonitorLook(followed=True, size=10, grown=10, compared=4)
    house.lies[path] = (200, lines[0] + b"\n")
    assert [one.text for one in (await watching.look()).findings] == [
        f"{stream} has no line 2, and the log has its head"
    ]
    house.entries[-1] = said_of(lines[1], "final")
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines[:2]))
    look = await Watching(house, watching.folder / "again").look()
    assert [one.text for one in look.findings] == [
        f"line 1 of {stream} is no access.closed, and the log has it as final"
    ]


async def test_a_match_that_has_lost_lines_is_found(house: House, watching: Watching) -> None:
    house.lengths[match_of(2)] = 2
    look = await watching.look()
    assert [one.text for one in look.findings] == [
        f"match/{match_of(2)} has no line {seq}, and the log has its head" for seq in (2, 3)
    ]


async def test_a_tournament_is_held_against_the_log_as_a_match_is(house: House, watching: Watching) -> None:
    stream = f"tournament/{match_of(1)}"
    lines = serving.chained(stream, ["tournament.created", "deal.sealed", "tournament.closed"])
    house.entries += [said_of(lines[1], "sealed"), said_of(lines[2], "final")]
    path = f"/api/v1/tournaments/{match_of(1)}/export"
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines))
    look = await watching.look()
    assert (look.findings, look.unanswered, look.compared) == ([], [], 4)
    house.entries[-1] = said_of(lines[1], "final")
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines[:2]))
    assert [one.text for one in (await Watching(house, watching.folder / "again").look()).findings] == [
        f"line 1 of {stream} is no tournament.closed, and the log has it as final"
    ]


async def test_a_season_is_held_against_the_log_as_well(house: House, watching: Watching) -> None:
    stream = f"season/{match_of(1)}"
    lines = serving.chained(stream, ["season.created", "season.tournament_admitted", "season.closed"])
    house.entries += [said_of(lines[1], "live"), said_of(lines[2], "final")]
    path = f"/api/v1/seasons/{match_of(1)}/export"
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines))
    look = await watching.look()
    assert (look.findings, look.unanswered, look.compared) == ([], [], 4)
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines[:2]))
    assert [one.text for one in (await Watching(house, watching.folder / "again").look()).findings] == [
        f"{stream} has no line 2, and the log has its head"
    ]


async def test_a_board_is_held_against_the_log_as_well(house: House, watching: Watching) -> None:
    stream = f"board/{match_of(1)}"
    lines = serving.chained(stream, ["board.created", "deal.sealed", "board.round_closed", "board.closed"])
    house.entries += [said_of(lines[1], "sealed"), said_of(lines[2], "live"), said_of(lines[3], "final")]
    path = f"/api/v1/boards/{match_of(1)}/record"
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines))
    look = await watching.look()
    assert (look.findings, look.unanswered, look.compared) == ([], [], 4)
    house.lies[path] = (200, b"".join(line + b"\n" for line in lines[:3]))
    look = await Watching(house, watching.folder / "again").look()
    assert [one.text for one in look.findings] == [f"{stream} has no line 3, and the log has its head"]


async def test_a_round_that_is_kept_back_is_no_finding_and_is_not_passed_over(house: House, watching: Watching) -> None:
    rules = {"board": {"id": match_of(9), "positions": {"1": 1}}}
    first = canonical.line(
        serving.stream_of(7), 0, "0" * 64, 1, "match.created", {"match": match_of(7), "rules": rules}
    )
    second = canonical.line(serving.stream_of(7), 1, canonical.head(first), 2, "game.bid", {})
    house.records[match_of(7)] = [first]
    house.entries.append(said_of(second, "live"))
    look = await watching.look()
    assert look.findings == []
    assert look.unanswered == [
        f"match/{match_of(7)} keeps a round back until it is over at all tables with the same dice"
    ]
    house.records[match_of(7)] = [first, second]
    assert (await watching.look()).unanswered == []


async def test_a_stream_that_is_no_match_is_not_asked_for(house: House, watching: Watching) -> None:
    house.entries.append(anchor_entry("match/../../log/policy", 1, "ab" * 32, "live"))
    look = await watching.look()
    assert (look.followed, look.compared, look.findings) == (True, 3, [])
    assert "is no stream of a match" in look.unanswered[0]
    assert not any("policy" in path for path in house.asked)


@pytest.mark.parametrize(
    ("lie", "code"),
    [
        ((500, b"not now"), None),
        ((404, b"there is none"), "GONE"),
        ((410, b"there is none any more"), "GONE"),
        (serving.cut, None),
        (serving.no_http, None),
        (serving.endless, "NONSENSE"),
        (serving.bomb(1000), "NONSENSE"),
        ((200, b"A" * 70_000 + b"\n"), "STREAM"),
        ((200, b""), "STREAM"),
    ],
)
async def test_a_record_that_is_none_is_said_so_and_the_log_goes_on(
    house: House, watching: Watching, lie: serving.Answers, code: str | None
) -> None:
    house.lies[f"/api/v1/matches/{match_of(1)}/record"] = lie
    look = await watching.look()
    assert (look.followed, look.grown) == (True, 9)
    assert {one.code for one in look.findings} == ({code} if code else set())
    assert len(look.unanswered) == (0 if code else 1)
