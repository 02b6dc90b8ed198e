"""The command beside a service that runs: a match of bots, watched, told, saved and audited."""

from __future__ import annotations

import subprocess
from pathlib import Path
from threading import Event

import httpx
import pytest

from domain.audit.access_audit import judge
from domain.audit.replay import replay
from domain.fairness import records
from domain.log import policies, receipts
from infra.keys import ed25519_verify
from tests.cli.conftest import BUSY_S, PROGRAM, ROOT, Running, documents, environment


def test_a_match_is_told_from_its_beginning_to_its_end(truecup, running, finished):
    said = truecup("replay", finished, "--url", running.url)
    assert said.returncode == 0
    lines = said.stdout.splitlines()
    assert lines[0].startswith("The table was opened: Liar\u2019s Dice (Perudo)")
    assert lines[-1] == "The match is over."
    assert any("challenges" in line for line in lines)


def test_a_replay_in_json_has_every_version_once(truecup, running, finished):
    frames = documents(truecup("replay", f"{running.url}/m/{finished}", "--url", running.url, "--json").stdout)
    assert [frame["version"] for frame in frames] == list(range(1, len(frames) + 1))


def test_a_finished_match_is_watched_to_its_end_at_once(truecup, running, finished):
    said = truecup("watch", finished, "--url", running.url, "--json")
    assert said.returncode == 0
    items = documents(said.stdout)
    assert items[0]["snapshot"]["match"] == finished
    assert items[-1] == {"ended": items[0]["snapshot"]["version"]}


def test_the_service_is_found_by_the_note_it_left_in_the_data_folder(truecup, running, finished):
    assert truecup("replay", finished, TRUECUP_DATA=str(running.folder)).returncode == 0


def test_a_record_is_saved_and_audits_on_another_machine(truecup, running, finished, tmp_path):
    out = tmp_path / "match.cup"
    assert truecup("export", finished, "--out", out, "--url", running.url).returncode == 0
    policy = running.folder / "policy.txt"
    said = truecup("audit", out, "--policy", policy, "--json")
    (one,) = documents(said.stdout)
    assert one["status"] == "OK", one
    assert one["layers"] == [1, 2, 3]
    assert one["anchored"] is True
    drawn = {"own": [], "server": [1, 2, 3], "reused": [], "withheld": [], "unseeded": [0]}
    assert one["seeds"] == {**drawn, "signed": [], "drawn": []}
    assert "it drew the seeds of all seats" in truecup("audit", out, "--policy", policy).stdout


def test_who_saw_what_is_saved_beside_it_and_holds_on_another_machine(truecup, running, finished, tmp_path):
    out = tmp_path / "match.cup"
    truecup("export", finished, "--out", out, "--url", running.url)
    policy = policies.parse((running.folder / "policy.txt").read_bytes())
    record, seen = out.read_bytes(), (tmp_path / "match.access").read_bytes()
    ruling = replay(records.events_of(record))
    found = judge(seen, records.split(record).lines, ruling, policy, ed25519_verify)
    assert (found.status, found.anchored) == ("OK", True), found
    assert found.viewers.keys() == {"seat/1", "seat/2", "seat/3"}
    assert b"values" not in seen
    for number in range(32):
        place = (number * 2_654_435_761) % len(seen)
        changed = bytes([*seen[:place], seen[place] ^ 1, *seen[place + 1 :]])
        assert judge(changed, records.split(record).lines, ruling, policy, ed25519_verify).status == "FAULT"


def test_the_audit_tells_who_saw_what_and_finds_a_serving_that_nobody_may_have(truecup, running, finished, tmp_path):
    out, policy = tmp_path / "match.cup", running.folder / "policy.txt"
    truecup("export", finished, "--out", out, "--url", running.url)
    (one,) = documents(truecup("audit", out, "--policy", policy, "--json").stdout)
    assert one["seen"]["status"] == "OK"
    assert one["seen"]["viewers"].keys() == {"seat/1", "seat/2", "seat/3"}
    assert "seat/1 was served" in truecup("audit", out, "--policy", policy).stdout
    (away,) = documents(truecup("audit", running.url + "/m/" + finished, "--policy", policy, "--json").stdout)
    assert away["seen"] == one["seen"], "the house hands it out as well"

    (tmp_path / "match.access").rename(tmp_path / "away.access")
    said = truecup("audit", out, "--policy", policy)
    assert said.returncode == 2
    assert "Who saw which hidden dice was not judged: no access record was given." in said.stdout

    forged = tmp_path / "forged.access"
    forged.write_bytes((tmp_path / "away.access").read_bytes().replace(b'"viewer":"seat/1"', b'"viewer":"seat/2"', 1))
    said = truecup("audit", out, "--policy", policy, "--access", forged)
    assert said.returncode == 1
    assert "of its access record" in said.stdout.splitlines()[0]
    assert truecup("audit", out, "--policy", policy, "--access", tmp_path / "none").returncode == 3
    assert truecup("audit", out, out, "--policy", policy, "--access", forged).returncode == 3


def test_a_receipt_stands_against_a_record_that_tells_another_history(truecup, running, tmp_path):
    out, policy, kept = tmp_path / "match.cup", running.folder / "policy.txt", tmp_path / "receipts.txt"
    with httpx.Client(base_url=f"{running.url}/api/v1", timeout=60) as client:
        opened = client.post("/matches", json={"rules": {"game": "common_hand"}}).json()
        client.post(
            f"/matches/{opened['match']}/bots",
            json={"count": 2},
            headers={"Authorization": f"Bearer {opened['token']}"},
        )
    kept.write_text(opened["receipt"])
    truecup("export", opened["match"], "--out", out, "--url", running.url)
    said = truecup("audit", out, "--policy", policy, "--receipts", kept)
    assert "bears it out, up to those lines: 1 receipt." in said.stdout
    assert said.returncode == 2

    other = out.read_bytes().replace(b'"pause_ms":', b'"pause_ms":1', 1)
    first, *_ = other.split(b"\n")
    (tmp_path / "other.cup").write_bytes(first + b"\n")
    said = truecup("audit", tmp_path / "other.cup", "--policy", policy, "--receipts", kept)
    assert said.returncode == 1
    assert "FAULT E_RECEIPT in line 1" in said.stdout
    kept.write_text("thanks\n")
    assert truecup("audit", out, "--policy", policy, "--receipts", kept).returncode == 3


def test_a_repeated_command_gets_the_same_receipt_byte_for_byte(running):
    with httpx.Client(base_url=f"{running.url}/api/v1", timeout=60) as client:
        asked = {"rules": {"game": "common_hand", "seats": 2}}
        key = {"Idempotency-Key": "0123456789abcdef"}
        first, again = (client.post("/matches", json=asked, headers=key) for _ in "12")
        policy = policies.policy_of(client.get("/log/policy").text)
    assert first.content == again.content
    answer = first.json()
    receipt = receipts.receipt_of(answer["receipt"])
    assert (receipt.stream, receipt.seq, receipt.head) == (f"match/{answer['match']}", 0, answer["head"])
    assert policies.is_signed(receipt.note, policy, ed25519_verify)


def test_a_printed_record_is_the_same_bytes(truecup, running, finished, tmp_path):
    truecup("export", finished, "--out", tmp_path / "match.cup", "--url", running.url)
    said = truecup("export", finished, "--out", "-", "--url", running.url)
    assert (tmp_path / "match.cup").read_text() == said.stdout


def test_a_changed_byte_anywhere_in_a_record_is_refused(truecup, running, finished, tmp_path):
    truecup("export", finished, "--out", tmp_path / "match.cup", "--url", running.url)
    record = (tmp_path / "match.cup").read_bytes()
    files = []
    for number in range(64):
        place = (number * 2_654_435_761) % len(record)
        changed = bytes([*record[:place], record[place] ^ 1, *record[place + 1 :]])
        files.append(tmp_path / f"{number}.cup")
        files[-1].write_bytes(changed)
    said = truecup("audit", *files, "--policy", running.folder / "policy.txt", "--json")
    assert said.returncode == 1
    found = documents(said.stdout)
    assert {one["status"] for one in found} == {"FAULT"}
    assert all(one["code"].startswith("E_") and one["line"] >= 0 for one in found)


def test_a_file_is_not_touched_when_there_is_nothing_to_save(truecup, running, tmp_path):
    out = tmp_path / "match.cup"
    out.write_text("precious")
    said = truecup("export", "018f4e6a-7c00-4000-8000-000000000001", "--out", out, "--url", running.url)
    assert said.returncode == 3
    assert out.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["match.cup"]


def test_a_place_that_cannot_be_written_is_named(truecup, running, finished, tmp_path):
    said = truecup("export", finished, "--out", tmp_path / "none" / "match.cup", "--url", running.url)
    assert said.returncode == 3
    assert "cannot be written" in said.stderr


def test_a_reader_that_has_seen_enough_ends_it_quietly(running, finished, tmp_path):
    command = [*PROGRAM, "replay", finished, "--url", running.url]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment(tmp_path)
    ) as told:
        assert told.stdout is not None
        assert told.stderr is not None
        told.stdout.readline()
        told.stdout.close()
        assert told.stderr.read() == b""
        assert told.wait() == 0


def test_a_match_is_watched_through_a_restart_of_the_service(tmp_path):
    folder = tmp_path / "data"
    first = Running(folder, TRUECUP_BOT_PAUSE_MS="2000", TRUECUP_WITNESSES="")
    port = int(first.url.rpartition(":")[2])
    match = first.match_of_bots(options={"dice_per_player": 1})
    with (tmp_path / "told.txt").open("w+b") as told:
        command = [*PROGRAM, "watch", match, "--url", first.url, "--json"]
        watching = subprocess.Popen(
            command, stdout=told, stderr=subprocess.DEVNULL, cwd=ROOT, env=environment(tmp_path)
        )
        _wait_for(Path(told.name), b'"snapshot"')
        assert first.stop() == 0
        second = Running(folder, port, TRUECUP_BOT_PAUSE_MS="0", TRUECUP_WITNESSES="")
        try:
            assert watching.wait(timeout=BUSY_S) == 0
        finally:
            watching.kill()
            assert second.stop() == 0
    items = documents((tmp_path / "told.txt").read_text())
    versions = [item["version"] for item in items if "event" in item]
    assert versions == list(range(versions[0], versions[-1] + 1))
    assert items[-1] == {"ended": versions[-1]}


def test_a_house_on_ones_own_machine_answers_to_no_other_name(running):
    refused = httpx.get(f"{running.url}/api/v1/games", headers={"Host": "evil.example"}, timeout=60)
    assert (refused.status_code, refused.json()["code"]) == (421, "misdirected")


def test_a_second_program_on_the_same_folder_is_told_so_in_a_sentence(truecup, running):
    said = truecup("up", "--port", "0", TRUECUP_DATA=str(running.folder))
    assert said.returncode == 3
    assert "another truecup is running" in said.stderr


def test_a_port_that_is_taken_is_named(truecup, running):
    said = truecup("up", "--port", running.url.rpartition(":")[2])
    assert said.returncode == 3
    assert "--port" in said.stderr


def _wait_for(path: Path, what: bytes) -> None:
    for _ in range(600):
        if what in path.read_bytes():
            return
        Event().wait(0.05)
    pytest.fail(f"{what!r} did not come")
