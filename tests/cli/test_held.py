"""The record as a client holds it: what nobody signed is found, and what frames tell whole is not asked for again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.fairness import records
from domain.log import canonical
from domain.log.receipts import AnotherHistory
from services.cli.playing.phrases import alarm_words
from services.client.house import CannotDo
from services.client.keys.held import HeldRecord
from services.client.records import Untrue

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
BUNDLES: list[dict[str, Any]] = json.loads((VECTORS / "seat_keys.json").read_text(encoding="utf-8"))["bundles"]
OF_SIGNATURES = {"E_SIGNED", "E_UNSIGNED"}
BORNE_OUT_LATER = "seat_keys/ok-borne-out-later.cup"
"""A signature of it is spoilt in the file; a client that saw the line come has every reason to cry out."""
GOOD = [bundle for bundle in BUNDLES if bundle["result"]["status"] == "OK" and bundle["file"] != BORNE_OUT_LATER]
UNSIGNED = [bundle for bundle in BUNDLES if bundle["result"].get("code") in OF_SIGNATURES]


def record_of(bundle: dict[str, Any]) -> bytes:
    return (VECTORS / bundle["file"]).read_bytes()


def match_of(record: bytes) -> str:
    return str(json.loads(record.splitlines()[0])["data"]["match"])


@pytest.mark.parametrize("bundle", UNSIGNED, ids=lambda bundle: Path(bundle["file"]).stem)
def test_a_published_record_with_a_line_that_nobody_signed_is_an_alarm_there(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    record, evidence = record_of(bundle), tmp_path / "evidence"
    with pytest.raises(Untrue) as alarm:
        HeldRecord(match_of(record), evidence).take(record)
    assert (alarm.value.facts["code"], alarm.value.facts["line"]) == (
        bundle["result"]["code"],
        str(bundle["result"]["line"] + 1),
    )
    kept = evidence.read_bytes().splitlines()
    assert kept == record.splitlines()[: bundle["result"]["line"] + 1]
    assert alarm_words(alarm.value)


@pytest.mark.parametrize("bundle", GOOD, ids=lambda bundle: Path(bundle["file"]).stem)
def test_a_sound_record_is_held_alike_however_its_lines_come(bundle: dict[str, Any]) -> None:
    record = record_of(bundle)
    if not json.loads(record.splitlines()[0])["stream"].startswith("match/"):
        return
    lines, match = records.split(record).lines, match_of(record)
    whole, told = HeldRecord(match), HeldRecord(match)
    whole.take(record)
    for number, line in enumerate(lines, start=1):
        said = json.loads(line)
        frame = {
            "version": number,
            "at": said["at"],
            "head": canonical.head(line),
            "event": {"type": said["type"], **said["data"]},
        }
        # Of a command that another seat signed a frame does not tell the signature: the record does.
        heard = told.hear(frame, [None])
        assert heard == ("signed" not in said)
        if not heard:
            told.take(b"".join(each + b"\n" for each in lines[:number]))
    assert (told.version, told.signing) == (whole.version, whole.signing)


def take_one_by_one(held: HeldRecord, lines: Sequence[bytes]) -> None:
    for number in range(1, len(lines) + 1):
        held.take(b"".join(each + b"\n" for each in lines[:number]))


def test_a_signature_that_only_a_later_one_bears_out_is_an_alarm_as_it_comes() -> None:
    record = (VECTORS / BORNE_OUT_LATER).read_bytes()
    lines, match = records.split(record).lines, match_of(record)
    HeldRecord(match).take(record)
    with pytest.raises(Untrue):
        take_one_by_one(HeldRecord(match), lines)


def test_a_line_that_is_held_stays_as_it_was(tmp_path: Path) -> None:
    record = record_of(GOOD[0])
    held = HeldRecord(match_of(record), tmp_path / "evidence")
    held.take(record)
    last = records.split(record).lines[-1]
    with pytest.raises(AnotherHistory, match=f"line {held.version} of the match was another one before"):
        held.take(record.replace(last, last.replace(b'"at":1', b'"at":2')))
    # A record that is behind, as a cache may be, says nothing against it.
    held.take(record.splitlines()[0] + b"\n")


def test_lines_are_told_behind_those_that_are_held_and_a_line_before_them_that_was_another_is_found(
    tmp_path: Path,
) -> None:
    record = record_of(GOOD[0])
    lines = [line + b"\n" for line in records.split(record).lines]
    held, whole = HeldRecord(match_of(record), tmp_path / "evidence"), HeldRecord(match_of(record))
    whole.take(record)
    while held.version < len(lines):
        after = held.before_last
        held.take(b"".join(lines[after : after + 3]), after)
    assert (held.version, held.signing) == (whole.version, whole.signing)
    held.take(b"", held.before_last)
    other = lines[-1].replace(b'"at":1', b'"at":2')
    with pytest.raises(AnotherHistory):
        held.take(other, held.before_last)
    assert (tmp_path / "evidence").read_bytes() == b"".join([*lines[:-1], other])
    with pytest.raises(Untrue) as alarm:
        held.take(b"\xff\n", held.before_last)
    assert alarm.value.facts["line"] == str(len(lines))


def test_a_record_of_another_match_is_none_of_this() -> None:
    with pytest.raises(Untrue) as alarm:
        HeldRecord(str(UUID(int=1))).take(record_of(GOOD[0]))
    assert alarm.value.facts["why"] == "the line is of another stream"


def test_a_frame_out_of_order_or_of_what_no_line_can_say_is_not_taken() -> None:
    record = record_of(GOOD[0])
    held = HeldRecord(match_of(record))
    assert not held.hear({"version": 7}, [None])
    assert not held.hear({"version": 1, "at": 1, "head": "", "event": {"type": "game.bid", "odds": 0.5}}, [None])
    with pytest.raises(Untrue):
        held.take(b"\xff\n")
    assert held.match() is None


def test_a_line_of_tomorrow_is_said_to_be_unknown_where_the_game_has_to_be_known() -> None:
    created = json.loads(record_of(GOOD[0]).splitlines()[0])
    match = created["data"]["match"]
    first = canonical.encode(created)
    after = {
        "at": created["at"],
        "data": {},
        "prev": canonical.head(first),
        "seq": 1,
        "stream": created["stream"],
        "type": "game.danced",
        "v": 1,
    }
    held = HeldRecord(match)
    held.take(first + b"\n" + canonical.encode(after) + b"\n")
    assert held.version == len((first, after))
    with pytest.raises(CannotDo, match="this program does not know line 1 of the match"):
        held.match()
