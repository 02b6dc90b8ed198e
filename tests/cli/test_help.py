"""Help of the command, for people who do not know it yet, and for those who mistype."""

from __future__ import annotations

import pytest

from services.cli.main import PLACES
from services.cli.manual import COMMANDS


def test_the_help_lists_every_command_and_the_exit_codes(truecup):
    said = truecup("--help")
    assert said.returncode == 0
    assert all(name in said.stdout for name in PLACES)
    assert "Exit codes" in said.stdout


def test_every_command_has_its_place_and_its_help():
    assert list(PLACES) == list(COMMANDS)


@pytest.mark.parametrize("command", PLACES)
def test_the_help_of_every_command_says_what_it_is_for_and_gives_examples(truecup, command):
    said = truecup(command, "--help")
    assert said.returncode == 0
    assert COMMANDS[command].splitlines()[0].split()[0] in said.stdout
    assert f"\n  truecup {command}" in said.stdout or f" truecup {command}\n" in said.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("adit",),
        ("audit",),
        ("audit", "--polcy", "x", "y.cup"),
        ("audit", "x.cup", "--layers", "2,3"),
        ("audit", "x.cup", "--layers", "none"),
        ("audit", "x.cup", "--policy"),
        ("audit", "x.cup", "--policy", "no/such/policy"),
        ("export", "nonsense", "--out", "x"),
        ("replay", "018f4e6a-7c00-4000-8000-000000000001"),
        ("replay", "018f4e6a-7c00-4000-8000-000000000001", "--url", "not an address"),
        ("replay", "018f4e6a-7c00-4000-8000-000000000001", "--url", "http://127.0.0.1:9"),
        ("replay", "018f4e6a-7c00-4000-8000-000000000001", "--speed", "0"),
        ("watch", "018f4e6a-7c00-4000-8000-000000000001", "--url", "http://127.0.0.1:9"),
        ("up", "--port", "many"),
        ("up", "--port", "70000"),
        ("serve",),
        ("migrate",),
        ("bench", "--seconds", "-1"),
    ],
)
def test_what_is_not_understood_or_cannot_be_done_is_said_in_one_sentence(truecup, arguments):
    said = truecup(*arguments)
    assert said.returncode == 3
    assert said.stdout == ""
    assert said.stderr.startswith("truecup: ")
    assert said.stderr.count("\n") == 1


def test_all_faults_of_the_settings_are_told_at_once(truecup):
    said = truecup("doctor", TRUECUP_PORT="many", TRUECUP_TYPO="x")
    assert said.returncode == 3
    assert "TRUECUP_PORT" in said.stderr
    assert "TRUECUP_TYPO" in said.stderr


def test_the_policy_of_audits_is_no_setting_of_the_service_and_does_not_trouble_it(truecup):
    assert truecup("doctor", "--json", TRUECUP_POLICY="policy.txt").returncode in {0, 1}
