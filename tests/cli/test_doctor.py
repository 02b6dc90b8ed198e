"""Findings of the doctor."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

CHECKS = [
    *("python", "postgres binaries", "nats binary", "database", "schema", "primaries", "login", "nats"),
    *("open files", "browser", "disk", "clock", "key", "port"),
]


@pytest.fixture(scope="session")
def postgres_dsn(shared: Callable[[str], Any]) -> str:
    """A Postgres with which a doctor finds nothing wrong: the run's waits for no disk."""
    return shared("sound")["postgres"]


def test_a_machine_that_has_everything_is_well(truecup):
    said = truecup("doctor", "--json", TRUECUP_PORT="0")
    assert said.returncode == 0
    found = json.loads(said.stdout)
    assert found["ok"] is True
    assert [check["name"] for check in found["checks"]] == CHECKS


def test_servers_that_do_not_answer_are_found_with_what_to_do(truecup):
    nowhere = {"TRUECUP_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "TRUECUP_NATS_URL": "nats://127.0.0.1:1"}
    said = truecup("doctor", "--json", **nowhere)
    assert said.returncode == 1
    wrong = [check for check in json.loads(said.stdout)["checks"] if check["state"] == "wrong"]
    assert [check["name"] for check in wrong] == ["database", "schema", "login", "nats"]
    assert all(check["to_do"] for check in wrong)
    assert "wrong" in truecup("doctor", **nowhere).stdout


def test_a_database_without_our_schema_is_to_be_migrated_and_then_is_well(truecup, empty_database, nats_url):
    servers = {"TRUECUP_DATABASE_URL": empty_database, "TRUECUP_NATS_URL": nats_url, "TRUECUP_PORT": "0"}
    assert truecup("migrate", **servers).returncode == 0
    assert "nothing to do" in truecup("migrate", **servers).stdout
    said = truecup("doctor", "--json", **servers)
    assert said.returncode == 0, said.stdout


def test_an_api_node_with_the_login_that_migrates_is_told_so(truecup, postgres_dsn, nats_url):
    servers = {"TRUECUP_DATABASE_URL": postgres_dsn, "TRUECUP_NATS_URL": nats_url, "TRUECUP_PORT": "0"}
    assert truecup("migrate", **servers).returncode == 0
    said = truecup("doctor", "--json", **servers, TRUECUP_ROLES="api")
    assert said.returncode == 1
    (wrong,) = [check for check in json.loads(said.stdout)["checks"] if check["state"] == "wrong"]
    assert wrong["name"] == "login"
    assert "in role truecup_api" in wrong["to_do"]


def test_a_key_that_others_can_read_is_found(truecup, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "key").write_text("00" * 32)
    (folder / "key").chmod(0o644)
    said = truecup("doctor", "--json", TRUECUP_PORT="0")
    assert said.returncode == 1
    assert [check["name"] for check in json.loads(said.stdout)["checks"] if check["state"] == "wrong"] == ["key"]
