"""Matches followed on a socket: the frames of the stream, each viewer's own, taken up behind any version."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.api.socket.watching import WATCHES_MAX
from services.client.socket import SILENCE_S
from services.http.bounds import Bounds
from tests.api.conftest import Service, Table, served
from tests.socket.speaking import Speaker, speaking, token_of

Match = tuple[Table, dict[str, str], dict[str, str]]


def streamed(service: Service, table: Table, seat: dict[str, str] | None, after: int, count: int) -> list[Any]:
    """Return what the stream of HTTP says first."""
    headers = {"Accept": "application/x-ndjson", **(seat or {})}
    address = f"{service.url}{table.path}/stream?after={after}"
    with httpx.stream("GET", address, headers=headers, timeout=60) as got:
        lines = (line for line in got.iter_lines() if line)
        return [json.loads(next(lines)) for _ in range(count)]


def item_of(message: dict[str, Any]) -> Any:
    """Return what HTTP would say in the place of a message."""
    inner = {name: said for name, said in message.items() if name not in {"watch", "match"}}
    return inner.get("frame", inner)


@pytest.mark.parametrize("seated", [True, False])
def test_a_match_is_told_as_the_stream_tells_it(
    service: Service, speaker: Speaker, match: Match, *, seated: bool
) -> None:
    table, first, _ = match
    more = {"token": token_of(first)} if seated else {}
    began = speaker.watch(table, after=1, id="eyes", **more)
    assert began == {"id": "eyes", "status": 200, "match": table.id, "version": 4}
    said = [speaker.hear() for _ in range(4)]
    assert {(one["watch"], one["match"]) for one in said} == {("eyes", table.id)}
    assert [item_of(one) for one in said] == streamed(service, table, first if seated else None, 1, 4)
    table.play(first, {"type": "bid", "quantity": 1, "face": 3})
    assert speaker.hear()["frame"]["version"] == 5


def test_who_watches_with_phrases_is_told_what_seats_say(speaker: Speaker, match: Match) -> None:
    table, first, _ = match
    speaker.watch(table, id="hears", phrases=True)
    speaker.hear()
    speaker.watch(table, id="plays")
    speaker.hear()
    said = table.client.post(f"{table.path}/phrases", json={"phrase": "hello"}, headers=first)
    table.play(first, {"type": "bid", "quantity": 1, "face": 3})
    told = [speaker.hear() for _ in range(3)]
    assert said.status_code == 202
    assert sorted(one["watch"] for one in told if "frame" in one) == ["hears", "plays"]
    assert [one for one in told if "phrase" in one] == [
        {"watch": "hears", "match": table.id, "phrase": "hello", "seat": 1}
    ]


def test_only_the_token_of_a_seat_shows_its_dice(speaker: Speaker, match: Match) -> None:
    table, first, second = match
    shown = {}
    for name, more in {"first": {"token": token_of(first)}, "second": {"token": token_of(second)}, "all": {}}.items():
        speaker.watch(table, id=name, **more)
        shown[name] = speaker.hear()["snapshot"]
    assert [shown[name]["viewer"] for name in ("first", "second", "all")] == [1, 2, None]


def test_what_ends_is_said_to_end(speaker: Speaker, match: Match) -> None:
    table, _, _ = match
    speaker.watch(table, id=1)
    speaker.hear()
    assert speaker.play(table, table.host, {"type": "end_match"})["status"] == 200
    said = [*speaker.kept, speaker.hear(), speaker.hear()][-2:]
    assert said[0]["frame"]["version"] == 5
    assert said[1] == {"watch": 1, "match": table.id, "ended": 5}


def test_who_unwatches_is_told_bye_and_may_come_again(speaker: Speaker, match: Match) -> None:
    table, first, _ = match
    speaker.watch(table, id=1)
    speaker.hear()
    assert speaker.ask(do="unwatch", watch=1, id=2) == {"id": 2, "status": 200}
    assert speaker.hear() == {"watch": 1, "match": table.id, "bye": 4}
    table.play(first, {"type": "bid", "quantity": 1, "face": 3})
    speaker.watch(table, id=1, after=4)
    assert [speaker.hear()["snapshot"]["version"], speaker.hear()["frame"]["version"]] == [5, 5]


def test_what_cannot_be_followed_is_refused_as_over_http(speaker: Speaker, service: Service, match: Match) -> None:
    table, first, _ = match
    other, nowhere = Table(service), "00000000-0000-4000-8000-000000000000"
    for more, code in (
        ({"match": nowhere}, "unknown_match"),
        ({"match": other.id, "token": token_of(first)}, "foreign_token"),
        ({"token": "truecup_seat_" + "A" * 43}, "bad_token"),
        ({"token": "?"}, "bad_token"),
        ({"after": 99}, "version_in_the_future"),
        ({"after": -1}, "malformed"),
    ):
        assert speaker.watch(table, **more)["code"] == code
    assert speaker.watch(table)["status"] == 200
    assert service.parts.doors.streams == 1


def test_a_watch_has_an_id_of_its_own_and_only_one_that_is_there_ends(speaker: Speaker, match: Match) -> None:
    table, _, _ = match
    speaker.watch(table, id=1)
    speaker.hear()
    speaker.say({"id": 1, "do": "watch", "match": table.id})
    assert speaker.hear()["faults"][0]["where"] == "$.id"
    assert speaker.ask(do="unwatch", watch=7)["faults"][0]["where"] == "$.watch"


def test_a_socket_follows_so_many_matches(speaker: Speaker, service: Service, match: Match) -> None:
    table, _, _ = match
    assert [speaker.watch(table)["status"] for _ in range(WATCHES_MAX)] == [200] * WATCHES_MAX
    assert speaker.watch(table)["code"] == "too_many_streams"
    speaker.socket.close()
    with speaking(service) as other:
        assert other.watch(table)["status"] == 200
        assert service.parts.doors.streams == 1


def test_watches_are_streams_among_those_of_a_network() -> None:
    with served(Bounds(streams_max=8, streams_of_network_max=3)) as service, speaking(service) as speaker:
        table = Table(service)
        seat = table.join("Ada")
        assert [speaker.watch(table, id=number)["status"] for number in range(3)] == [200] * 3
        assert speaker.watch(table)["code"] == "too_many_streams"
        assert speaker.watch(table, token=token_of(seat))["status"] == 200
        byes = [said for said in speaker.kept if "bye" in said]
        byes += [] if byes else [said for said in (speaker.hear(), speaker.hear()) if "bye" in said]
        assert byes == [{"watch": 2, "match": table.id, "bye": 2}]


def test_a_reader_knows_of_a_lost_line_after_two_beats_and_within_twelve_seconds() -> None:
    page = (Path(__file__).parents[2] / "services/web/static/client/lines/line.js").read_text()
    silences_s = (SILENCE_S, int(re.findall(r"SILENCE_MS = ([\d_]+);", page)[0]) / 1_000)
    # A socket that has said something shortly before a beat is due says the next one only.
    gap_s = 1.5 * Bounds().beat_s
    assert [silence_s for silence_s in silences_s if not gap_s + 2 < silence_s <= 12] == []


def test_a_silence_is_broken_so_that_the_client_knows_that_it_lives() -> None:
    with served(Bounds(beat_s=0.2)) as service, speaking(service) as speaker:
        speaker.watch(Table(service))
        speaker.hear()
        assert speaker.hear() == {"beat": True}
