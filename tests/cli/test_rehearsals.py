"""`truecup tournament simulate`: whole tournaments of house bots, and what an audit says to their records."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from domain.log.policies import parse
from domain.tournaments.options import rules_from
from domain.tournaments.presets import PRESETS, preset
from services.audit.verdict import Evidence, verdict_of
from services.cli.ledger import Ledger
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.simulate import ORIGIN
from services.cli.tournaments.standings import place_lines, round_lines
from services.cli.tournaments.tables import drawing_from

NAMED = UUID("6f1de1ce-0000-4000-8000-00000000000b")
ENTRANTS = 6


@pytest.mark.parametrize("name", PRESETS)
def test_a_rehearsed_tournament_ends_and_no_record_of_it_is_at_fault(name: str) -> None:
    rules = rules_from(preset(name, entry={"bots": "only"}))
    ledger, draw = Ledger(ORIGIN, bytes(32)), drawing_from(name.encode())
    rehearsal = Rehearsal(NAMED, rules, 1_800_000_000_000, ledger, draw)
    rehearsal.enter(ENTRANTS)
    rounds = [round_lines(rehearsal.tournament, held) for held in rehearsal.rounds()]
    assert all(len(lines) > 1 for lines in rounds)
    lines = place_lines(rehearsal.tournament)
    assert len(lines) - lines.index("Places") == 1 + ENTRANTS
    policy = parse(ledger.policy.encode())
    whole = verdict_of(rehearsal.record(), policy)
    assert (whole.status, whole.anchored) == ("OK", True), whole.message
    for played in rehearsal.matches.values():
        found = verdict_of(played.record, policy, beside=Evidence(played.access))
        assert (found.status, found.anchored) == ("OK", True), found.message
    assert len(rehearsal.matches) == len(whole.results or ())


def test_the_folder_that_is_written_passes_its_audit(truecup, tmp_path: Path) -> None:
    folder = tmp_path / "event"
    said = truecup("tournament", "simulate", "--preset", "last_longer", "--entrants", 4, "--bots", "--out", folder)
    assert said.returncode == 0, said.stderr
    assert "Round 1 (survivors/1)" in said.stdout
    audited = truecup("audit", folder, "--policy", folder / "policy.txt")
    assert audited.returncode == 0, audited.stdout
    assert audited.stdout.endswith(" OK\n")


def test_nobody_but_bots_plays_in_a_rehearsal(truecup) -> None:
    said = truecup("tournament", "simulate", "--no-bots")
    assert (said.returncode, said.stdout) == (3, "")
    assert "nobody but bots" in said.stderr
