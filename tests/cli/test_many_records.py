"""`truecup audit` of many records at once: folders, addresses, two histories of one match, the page for others."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from services.cli.auditing.judging import ALONE_MAX
from tests.cli.conftest import documents
from tests.domain.truth_oracle import Course, Record, played_out
from tests.fairness.record_files import access_beside, bundled
from tests.fairness.scripted_server import POLICY_TEXT, Story

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
POLICY = VECTORS / "policy.txt"
FAIR = VECTORS / "bundles" / "ok-liars.cup"


MANY = 7
"""More than any number of jobs here shares evenly."""


@cache
def match(seed: str) -> Record:
    course = Course({"dice_per_player": 1}, 2, seed, "common_hand", pause_ms=0)
    course.start()
    return played_out(course, 1).record


@pytest.fixture
def tournament(tmp_path: Path) -> Path:
    """A folder with another one in it, seven fair records and the policy they are judged by."""
    folder = tmp_path / "tournament"
    (folder / "final day").mkdir(parents=True)
    record = bundled(match("one"))
    access = access_beside(record)
    for number in range(MANY):
        file = folder / ("final day" if number % 2 else ".") / f"{number:02}.cup"
        file.write_bytes(record)
        file.with_suffix(".access").write_bytes(access)
    (folder / "policy.txt").write_text(POLICY_TEXT)
    return folder


def tamper(record: bytes) -> tuple[bytes, int]:
    """Return the record with one bid changed, and the line in which that comes out."""
    lines = record.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"type":"game.bid"' in line)
    lines[at] = lines[at].replace(b'"quantity":1', b'"quantity":2')
    return b"".join(lines), at + 2


def test_a_folder_stands_for_every_record_below_it_and_so_many_are_judged_side_by_side(truecup, tournament):
    for number in range(ALONE_MAX):
        for kind in ("cup", "access"):
            shutil.copy(tournament / f"00.{kind}", tournament / f"copy{number}.{kind}")
    said = truecup("audit", tournament, "--policy", tournament / "policy.txt", "--json")
    files = [one["file"] for one in documents(said.stdout)]
    assert said.returncode == 0
    assert files == sorted(str(path) for path in tournament.rglob("*.cup"))


def test_many_fair_records_are_a_line_each_and_a_fault_is_told_in_full(truecup, tournament):
    changed, line = tamper((tournament / "00.cup").read_bytes())
    (tournament / "03b.cup").write_bytes(changed)
    said = truecup("audit", tournament, "--policy", tournament / "policy.txt")
    assert said.returncode == 1
    assert said.stdout.count(": OK\n") == MANY
    assert f"03b.cup: FAULT E_CHAIN in line {line}\n  " in said.stdout
    assert said.stdout.endswith(f"{MANY + 1} records: {MANY} OK, 1 FAULT\n")


def test_what_was_not_judged_is_told_in_folders_and_on_the_page(truecup, tournament, tmp_path):
    (tournament / "05.access").unlink(missing_ok=True)
    (tournament / "final day" / "05.access").unlink(missing_ok=True)
    unknown = tournament / "other.cup"
    unknown.write_bytes(Story().to_end().record())
    page, given = tmp_path / "report.html", (tournament, "--policy", tournament / "policy.txt")
    said = truecup("audit", *given, "--html", page)
    assert said.returncode == 2
    assert said.stdout.endswith(f"{MANY + 1} records: {MANY - 1} OK, 2 INCOMPLETE\n")
    assert f"{unknown}: INCOMPLETE: who won was not checked\n  who won was not checked" in said.stdout
    assert "no access record was given, so who saw which hidden dice was not judged" in said.stdout
    text = page.read_text()
    assert '<span class="mark INCOMPLETE">INCOMPLETE: who won was not checked</span>' in text
    assert "<p>who won was not checked" in text
    found = {one["file"]: one for one in documents(truecup("audit", *given, "--json").stdout)}
    assert (found[str(unknown)]["status"], found[str(unknown)]["layers"]) == ("INCOMPLETE", [1, 2])
    assert [one["record"] for one in found.values() if one["status"] == "INCOMPLETE"].count("OK") == 1


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_order_does_not_depend_on_how_many_work(truecup, tournament, jobs):
    said = truecup("audit", tournament, "--policy", tournament / "policy.txt", "--json", "--jobs", jobs)
    assert [one["file"] for one in documents(said.stdout)] == sorted(map(str, tournament.rglob("*.cup")))


def test_two_histories_of_one_match_are_found_though_each_holds_in_itself(truecup, tournament):
    other = bundled(match("two"))
    (tournament / "zz").mkdir()
    (tournament / "zz" / "99.cup").write_bytes(other)
    (tournament / "zz" / "99.access").write_bytes(access_beside(other))
    said = truecup("audit", tournament, "--policy", tournament / "policy.txt", "--json")
    assert said.returncode == 1
    *verdicts, fork = documents(said.stdout)
    assert {one["status"] for one in verdicts} == {"OK"}
    lines = [path.read_bytes().splitlines() for path in (tournament / "00.cup", tournament / "zz" / "99.cup")]
    first = next(number for number, (one, two) in enumerate(zip(*lines, strict=False), start=1) if one != two)
    assert fork == {
        "match": json.loads(lines[0][0])["data"]["match"],
        "one": str(tournament / "00.cup"),
        "other": str(tournament / "zz" / "99.cup"),
        "line": first,
    }
    assert "tells another history of match" in truecup("audit", tournament).stdout


def test_a_record_taken_earlier_in_the_match_is_no_other_history(truecup, tournament):
    whole = (tournament / "00.cup").read_bytes().splitlines(keepends=True)
    (tournament / "000.cup").write_bytes(b"".join(whole[:12]))
    said = truecup("audit", tournament, "--policy", tournament / "policy.txt", "--json")
    assert said.returncode == 2
    assert [one["status"] for one in documents(said.stdout)].count("INCOMPLETE") == 1
    assert len(documents(said.stdout)) == MANY + 1


def test_the_page_names_every_record_and_whom_it_believed_and_shows_no_markup_of_a_name(truecup, tournament, tmp_path):
    changed, line = tamper((tournament / "00.cup").read_bytes())
    (tournament / "<script>.cup").write_bytes(changed)
    page = tmp_path / "report.html"
    said = truecup("audit", tournament, "--policy", tournament / "policy.txt", "--html", page)
    text = page.read_text()
    assert said.returncode == 1
    assert text.count("<details") == MANY + 1
    assert f"FAULT E_CHAIN in line {line}" in text
    assert "&lt;script&gt;.cup" in text
    assert "<script" not in text
    assert "the witness w.example" in text
    assert "http" not in text.replace("http-equiv", ""), "it needs nothing from elsewhere"


def test_a_page_that_cannot_be_written_is_said_and_the_verdicts_stand(truecup, tmp_path):
    said = truecup("audit", FAIR, "--policy", POLICY, "--layers", "1,2", "--html", tmp_path / "no" / "report.html")
    assert said.returncode == 3
    assert f"{FAIR}: OK" in said.stdout
    assert "cannot be written" in said.stderr


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_told: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A server that has a record where the house has it."""
    match_id = json.loads(FAIR.read_bytes().split(b"\n")[0])["data"]["match"]
    folder = tmp_path / "api" / "v1" / "matches" / match_id
    folder.mkdir(parents=True)
    shutil.copy(FAIR, folder / "record")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", Path(match_id)
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("path", ["/m/{}", "/m/{}/audit?x=1#top", "/api/v1/matches/{}", "/api/v1/matches/{}/record"])
def test_an_address_of_a_match_stands_for_its_record(truecup, served, path):
    base, match_id = served
    said = truecup("audit", base + path.format(match_id), "--policy", POLICY, "--layers", "1,2", "--json")
    assert (said.returncode, documents(said.stdout)[0]["status"]) == (0, "OK")


@pytest.mark.parametrize("address", ["/m/00000000-0000-4000-8000-000000000000", "/other.cup"])
def test_an_address_without_a_record_is_not_read(truecup, served, address):
    said = truecup("audit", served[0] + address, "--policy", POLICY)
    assert said.returncode == 3
    assert "the server says 404" in said.stderr


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/m", "http://[", "https://", "http://a b/"])
def test_an_address_where_nobody_answers_is_not_read(truecup, address):
    said = truecup("audit", address, "--policy", POLICY)
    assert said.returncode == 3
    assert said.stderr.count("\n") == 1
