"""Dice counted from records alone: what the house says of itself comes out again, and what is at fault is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import httpx
import msgspec
import pytest

from domain.fairness.records import split
from domain.statistics.tallies import tally_of_match
from projections.sheets import Sheet, sums_of
from tests.cli.conftest import Run, Running

BUNDLES = Path(__file__).parents[1] / "fairness" / "vectors" / "bundles"


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a service at which nobody else plays, so that its figures stand still once its matches are over."""
    up = Running(tmp_path_factory.mktemp("up") / "data", TRUECUP_BOT_PAUSE_MS="0", TRUECUP_WITNESSES="")
    try:
        yield up
    finally:
        assert up.stop() == 0


@pytest.mark.long
def test_the_houses_figures_come_out_again_from_the_exported_records(
    truecup: Run, house: Running, tmp_path: Path
) -> None:
    few: dict[str, Any] = {"options": {"dice_per_player": 1}}
    rules: tuple[dict[str, Any], ...] = (few, {"deal_per": "round", **few}, {"game": "finska", "options": {"stake": 1}})
    for match in [house.match_of_bots(**each) for each in rules]:
        house.wait_until_over(match)
    told, sheets = figures_and_records(house, tmp_path)

    found = truecup("statistics", tmp_path, "--json")
    # Fair dice look otherwise to one purse in twenty at most.
    assert found.returncode in ({0, 2} if told["even"] else {1}), found.stderr
    assert json.loads(found.stdout) == told
    assert told["matches"] >= 3
    assert told["dice"] > 0
    for sheet in sheets:
        lines = split((tmp_path / f"{sheet.match}.cup").read_bytes()).lines[: sheet.version]
        assert sheet.sums == sums_of(tally_of_match(lines))

    watched = ("--policy", house.folder / "policy.txt", "--folder", tmp_path / "seen", "--once", "--streams")
    seen = truecup("monitor", house.url, *watched, "--statistics", "--json")
    look = json.loads(seen.stdout)
    assert (seen.returncode, look["findings"], look["unanswered"]) == (0, [], [])
    assert look["statistics"]["held"] >= 3
    assert look["statistics"]["dealt"]["counts"]["logged"] >= 3


def figures_and_records(house: Running, folder: Path) -> tuple[dict[str, Any], list[Sheet]]:
    """Save the records of all matches that rolled dice; return the house's figures and sheets of just then."""
    with httpx.Client(base_url=f"{house.url}/api/v1", timeout=60) as client:
        for _ in range(600):
            told = json.loads(patiently(client, "/statistics"))
            rows = patiently(client, "/statistics/matches").splitlines()
            sheets = [msgspec.json.decode(row, type=Sheet) for row in rows]
            for sheet in sheets:
                record = patiently(client, f"/matches/{sheet.match}/record")
                (folder / f"{sheet.match}.cup").write_bytes(record)
            caught_up = all(sheet.version == lines_in(folder / f"{sheet.match}.cup") for sheet in sheets)
            if caught_up and len(sheets) >= 3 and json.loads(patiently(client, "/statistics")) == told:
                return told, sheets
            sleep(0.5)
    pytest.fail("the house did not stop counting")


def patiently(client: httpx.Client, path: str) -> bytes:
    """Ask as often as the house lets one network ask."""
    while (answer := client.get(path)).status_code == httpx.codes.TOO_MANY_REQUESTS:
        sleep(float(answer.headers["Retry-After"]))
    return answer.raise_for_status().content


def lines_in(path: Path) -> int:
    return len(split(path.read_bytes()).lines)


def test_what_is_found_is_told_in_tables(truecup: Run) -> None:
    said = truecup("statistics", BUNDLES / "ok-liars.cup", BUNDLES / "ok-serials.cup")
    assert said.returncode == 0, said.stderr
    assert "Nothing speaks against the dice" in said.stdout
    assert "Counted: dice 31, deals 1, matches 1. Hidden: 0." in said.stdout
    assert "Dice with 6 sides" in said.stdout
    assert "Digits at tables whose secrets stay secret" in said.stdout
    assert "Seat 3" in said.stdout


def test_a_record_at_fault_does_not_count_and_is_named(truecup: Run) -> None:
    fair = truecup("statistics", BUNDLES / "ok-liars.cup", "--json")
    said = truecup("statistics", BUNDLES / "ok-liars.cup", BUNDLES / "bad-forged-key.cup", "--json")
    assert said.returncode == 1
    assert json.loads(said.stdout) == json.loads(fair.stdout)
    assert "bad-forged-key.cup does not count: E_" in said.stderr


def test_a_match_counts_once_however_many_copies_of_its_record_there_are(truecup: Run, tmp_path: Path) -> None:
    whole = (BUNDLES / "ok-liars.cup").read_bytes()
    half = b"".join(line + b"\n" for line in split(whole).lines[:-2])
    for name, record in (("a", half), ("b", whole), ("c", whole), ("d", half)):
        (tmp_path / f"{name}.cup").write_bytes(record)
    once = truecup("statistics", BUNDLES / "ok-liars.cup", "--json")
    assert truecup("statistics", tmp_path, "--json").stdout == once.stdout
    assert truecup("statistics", tmp_path / "d.cup", "--json").returncode == 2


def test_two_histories_of_one_match_are_found(truecup: Run, tmp_path: Path) -> None:
    lines = list(split((BUNDLES / "ok-liars.cup").read_bytes()).lines)
    at = json.loads(lines[0])["at"]
    other = tmp_path / "other.cup"
    other.write_bytes(lines[0].replace(str(at).encode(), str(at + 1).encode()) + b"\n")
    said = truecup("statistics", BUNDLES / "ok-liars.cup", other)
    assert said.returncode == 1
    assert "tells another history than" in said.stderr


def test_a_file_that_cannot_be_read_is_named(truecup: Run, tmp_path: Path) -> None:
    said = truecup("statistics", tmp_path / "nothing.cup")
    assert said.returncode == 3
    assert "nothing.cup cannot be read" in said.stderr


def test_deals_that_were_thrown_away_are_counted_in_the_terminal(truecup: Run) -> None:
    said = truecup("statistics", BUNDLES / "ok-voided.cup")
    assert (
        "1 of 2 deals were thrown away after the log had them: 50.0 %.\nIn no deal that was played did the house draw"
        in said.stdout
    )
    assert "tables of people" in said.stdout.lower()
