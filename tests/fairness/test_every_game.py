"""Whole record files of every game, as an outside program audits them: all three layers, and nobody is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import convert

from domain import commands
from domain.fairness.deal import seed_commitment
from domain.games import GAMES
from domain.match.decide import Decision
from services.audit.seeds import Seeds
from services.cli.auditing.audit import audit
from tests.domain.truth_oracle import Course, Record, played_out
from tests.fairness.record_files import access_beside, audited, bundled, fault
from tests.fairness.scripted_server import POLICY_TEXT

OWN = 1
"""The seat that brings seeds of its own."""


class Seeded(Course):
    """A fair match in which one seat draws its seeds itself."""

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        if isinstance(command, commands.Join) and command.player == f"p{OWN}":
            command = commands.Join(command.player, "client")
        made = super().do(command, after_ms)
        ceremony = self.match.ceremony
        if ceremony is not None and OWN in ceremony.waiting_for:
            seed = bytes([ceremony.deal + 1]) * 32
            if ceremony.stage == "committed":
                commit = seed_commitment(seed, ceremony.ctx, ceremony.root, OWN).hex()
                self.do(commands.CommitSeed(OWN, ceremony.deal, commit))
            else:
                self.do(commands.OpenSeed(OWN, ceremony.deal, seed.hex()))
        return made


def matches() -> list[tuple[str, str]]:
    """Return every game with a deal for the whole match, and where its rules allow that with one for each round."""
    return [(name, per) for name, game in GAMES.items() for per in game.rules(game.options()).deals]


def record_of(game: str, per: str) -> Record:
    seats = GAMES[game].rules(convert({}, GAMES[game].options)).seats
    course = Seeded({}, max(seats[0], min(3, seats[1])), "whole", game, pause_ms=0, deal_per=per)
    course.start()
    return played_out(course, 1).record


@pytest.mark.parametrize(("game", "per"), matches())
def test_a_finished_match_passes_all_three_layers(game: str, per: str) -> None:
    record = record_of(game, per)
    found = audited(record)
    assert (found.status, found.layers, found.anchored) == ("OK", (1, 2, 3), True), found
    assert isinstance(found.seeds, Seeds)
    assert isinstance(found.deals, dict)
    assert (found.seeds.own, OWN in found.seeds.server) == ((OWN,), False)
    deals = {one["data"]["deal"] for one in record if one["type"] == "deal.closed"}
    assert {deal["state"] for deal in found.deals.values()} == {"closed"}
    assert found.deals.keys() == {str(deal) for deal in deals}
    rolled = sum(len(one["data"]["slots"]) for one in record if one["type"] == "cup.rolled")
    assert sum(len(deal["values"]) for deal in found.deals.values()) == rolled, "every die is proved in the end"


@pytest.mark.parametrize("game", GAMES)
def test_a_match_in_which_nobody_acts_passes_as_well(game: str) -> None:
    clock = {"bank_ms": 1_000}
    lowest = GAMES[game].rules(GAMES[game].options()).seats[0]
    course = Course({}, lowest, "idle", game, pause_ms=0, clock=clock)
    course.start()
    assert audited(played_out(course, 1).record).status == "OK"


@pytest.mark.parametrize("game", GAMES)
def test_a_match_that_goes_on_is_incomplete_and_not_at_fault(game: str) -> None:
    record = record_of(game, "match")
    half = next(at for at, one in enumerate(record) if one["type"] == "game.judged")
    assert audited(record[: half - 1]).status == "INCOMPLETE"


@pytest.mark.parametrize("game", GAMES)
def test_the_wrong_winner_is_found_in_the_file(game: str) -> None:
    record = record_of(game, "match")
    last = {**record[-1], "data": {"winner": 2 if record[-1]["data"]["winner"] != 2 else 1}}
    assert fault([*record[:-1], last]) == ("E_RULES", len(record))


def test_the_command_line_says_the_same_of_all_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy.txt"
    policy.write_text(POLICY_TEXT)
    # One at a time: they are records of one match's id, and side by side they would be its many histories.
    for game in GAMES:
        file = tmp_path / f"{game}.cup"
        file.write_bytes(bundled(record_of(game, "match")))
        file.with_suffix(".access").write_bytes(access_beside(file.read_bytes()))
        assert audit((str(file),), policy=policy, json=True) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["status"], one["layers"]) for one in said] == [("OK", [1, 2, 3])] * len(GAMES)
