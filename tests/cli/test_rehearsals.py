"""`truecup tournament simulate`: whole tournaments of house bots, and what an audit says to their records."""

from __future__ import annotations

import json
import re
import resource
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from domain.log.policies import parse
from domain.tournaments import commands
from domain.tournaments.options import rules_from
from domain.tournaments.presets import PRESETS, preset
from services.audit.dutch import lacks_package
from services.audit.results import HeldMatch, HeldResults, TableSeeds, held_match, hold
from services.audit.tables import BoardRecord, MatchResult, TableRecord, board_named_in
from services.audit.verdict import Evidence, verdict_of
from services.cli.auditing.held import HeldTournament
from services.cli.ledger import REHEARSAL, Ledger
from services.cli.main import run
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.simulated.stopping import StoppedRehearsal
from services.cli.tournaments.standings import place_lines, round_lines
from services.cli.tournaments.tables import drawing_from
from services.words.catalogue import LANGUAGES, speaking
from tests.sizes import cases, spread

NAMED = UUID("6f1de1ce-0000-4000-8000-00000000000b")
OTHER = UUID("6f1de1ce-0000-4000-8000-00000000000c")
ENTRANTS = 6
BOARDS = 9
"""Two tables with the same dice, and one who rests."""
COUNTED = ("pods", "round_robin", "duplicate", "dutch")
"""Presets whose rounds may be said: groups play so many each, if nobody meets the same twice."""
UNCOUNTED = ("knockout", "last_longer", "double", "arena")
"""Presets whose rounds follow from who is left, or from the time."""
STOPPED = ("pods", "arena", "ladder", "groups", "duplicate", "last_longer")


def formats_of(name: str) -> tuple[str, ...]:
    """Return the formats of a preset's stages; a series is a kind of its own."""
    return (name,) if name == "best_of" else tuple([stage["format"] for stage in preset(name)["stages"]])


def rehearsal_of(
    name: str, entrants: int, kind: type[Rehearsal] = Rehearsal, **members: Any
) -> tuple[Rehearsal, Ledger]:
    """Return a rehearsal of a preset before its first round, and its log; `members` are those of its class."""
    given = preset("single" if name == "best_of" else name, entry={"bots": "only"})
    if name in {"arena", "ladder"}:
        given["stages"] = [{"format": name, "duration_ms": 240_000}]
    if name == "best_of":
        given["stages"] = [{"format": "single", "best_of": 3}]
    rules = rules_from(given)
    ledger, draw = Ledger(REHEARSAL, bytes(32)), drawing_from(name.encode())
    rehearsal = kind(NAMED, rules, 1_800_000_000_000, ledger, draw, **members)
    rehearsal.enter(entrants)
    return rehearsal, ledger


@pytest.mark.parametrize("name", spread([*PRESETS, "best_of"], 1, formats_of))
def test_a_rehearsed_tournament_ends_and_no_record_of_it_is_at_fault(name: str) -> None:
    entrants = BOARDS if name == "duplicate" else ENTRANTS
    rehearsal, ledger = rehearsal_of(name, entrants)
    if lacks_package(rehearsal.tournament.rules):
        pytest.skip("there is no wheel of its package for this machine")
    rounds = [round_lines(rehearsal.tournament, held) for held in rehearsal.rounds()]
    assert all(len(lines) > 1 for lines in rounds)
    lines = place_lines(rehearsal.tournament)
    assert len(lines) - lines.index("Places") == 1 + entrants
    policy = parse(ledger.policy.encode())
    whole = verdict_of(rehearsal.record(), policy)
    assert (whole.status, whole.anchored) == ("OK", True), whole.message
    matches: dict[str, HeldMatch | None] = {}
    for match, played in rehearsal.matches.items():
        board = rehearsal.boards.get(board_named_in(played.record) or "")
        beside = Evidence(played.access, board=None if board is None else board.record)
        found = verdict_of(played.record, policy, beside=beside)
        assert (found.status, found.anchored) == ("OK", True), found.message
        matches[match] = held_match(found)
    boards = {name: verdict_of(board.record, policy).board for name, board in rehearsal.boards.items()}
    kept = {match: found for match, found in matches.items() if found is not None}
    told = {name: found for name, found in boards.items() if isinstance(found, BoardRecord)}
    held = hold(whole.results or (), kept, whole.boards or (), told)
    # Bots alone play here, and dice of boards are drawn once for all tables.
    seeds = TableSeeds() if rehearsal.boards else TableSeeds(house=len(rehearsal.matches))
    assert held == HeldResults(len(rehearsal.matches), (), (), seeds)
    assert len(told) == len(rehearsal.boards) == (len(rounds) if name == "duplicate" else 0)


def test_rounds_and_matches_of_the_first_stage_can_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["tournament", "simulate", "--entrants", "3", "--best-of", "3", "--preset"]
    assert run([*few, "chouette", "--rounds", "2"]) == 0
    said = capsys.readouterr().out
    assert ("Round 2 (chouette/1)" in said, "Round 3" in said) == (True, False)
    assert run([*few, "pods"]) == 3
    assert "stages.0.best_of" in capsys.readouterr().err
    assert run(["tournament", "simulate", "--entrants", "2"]) == 3
    assert "too few are left for a table" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*spread([*COUNTED, *UNCOUNTED], 2, UNCOUNTED.__contains__), "groups"])
def test_rounds_that_follow_from_the_law_are_passed_over_and_all_is_played_and_audited(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "dutch" and lacks_package(rules_from(preset(name))):
        pytest.skip("there is no wheel of its package for this machine")
    entrants, rounds = cases(8, 64) if name == "duplicate" else cases(4, 64), cases(2, 5)
    folder, asked = str(tmp_path / "event"), ["--preset", name, "--entrants", str(entrants), "--rounds", str(rounds)]
    assert run(["tournament", "simulate", *asked, "--bots", "--out", folder]) == 0
    said = capsys.readouterr()
    follows = name in UNCOUNTED or (name == "groups" and entrants <= 4 * rounds)
    assert (f"--rounds {rounds} is passed over" in said.err) is follows
    if name in COUNTED:
        assert (f"Round {rounds} (" in said.out, f"Round {rounds + 1} (" in said.out) == (True, False)
    assert run(["audit", folder, "--policy", f"{folder}/policy.txt"]) == 0


def test_groups_play_as_many_rounds_as_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tournament", "simulate", "--preset", "groups", "--entrants", "12", "--rounds", "1"]) == 0
    said = capsys.readouterr()
    assert ("Stage 1, round 1" in said.out, "Stage 1, round 2" in said.out, said.err) == (True, False, "")


def test_the_folder_that_is_written_passes_its_audit(truecup, tmp_path: Path) -> None:
    folder = tmp_path / "event"
    said = truecup("tournament", "simulate", "--preset", "last_longer", "--entrants", 4, "--bots", "--out", folder)
    assert said.returncode == 0, said.stderr
    assert "Round 1 (survivors/1)" in said.stdout
    audited = truecup("audit", folder, "--policy", folder / "policy.txt")
    assert audited.returncode == 0, audited.stdout
    assert audited.stdout.endswith(" OK\n")
    assert "are what the records of their matches say" in audited.stdout


def test_a_rehearsal_is_not_held_against_the_policy_of_this_machine(truecup, tmp_path: Path) -> None:
    folder, own = tmp_path / "event", tmp_path / "data"
    own.mkdir()
    (own / "policy.txt").write_text(Ledger("house.example/log", bytes(32)).policy)
    said = truecup("tournament", "simulate", "--preset", "single", "--entrants", 2, "--out", folder)
    assert said.returncode == 0, said.stderr
    audited = truecup("audit", folder, TRUECUP_DATA=str(own))
    assert audited.returncode == 0, audited.stdout
    assert "signature was judged" in audited.stderr
    named = truecup("audit", folder, "--policy", own / "policy.txt")
    assert named.returncode == 1
    assert "FAULT E_LOG" in named.stdout


# ---- stopped, and played again --------------------------------------------------------------------


@pytest.mark.parametrize("name", spread(STOPPED, 4))
def test_a_rehearsal_that_is_stopped_and_resumed_comes_to_the_same_lines(name: str) -> None:
    whole, _ = rehearsal_of(name, ENTRANTS)
    stopped, _ = rehearsal_of(name, ENTRANTS, StoppedRehearsal, stops=drawing_from(b"stops"))
    rounds = [[held.number for held in each.rounds()] for each in (whole, stopped)]
    assert isinstance(stopped, StoppedRehearsal)
    assert stopped.stops > 1
    assert rounds[0] == rounds[1]
    assert stopped.lines == whole.lines
    assert {match: played.head for match, played in stopped.matches.items()} == {
        match: played.head for match, played in whole.matches.items()
    }


def test_the_same_seed_plays_the_same_with_stops_or_without_and_tells_it_as_json(truecup, tmp_path: Path) -> None:
    told = []
    for more in (["--out", tmp_path / "event"], ["--kill"]):
        said = truecup("tournament", "simulate", "--seed", 7, "--entrants", 4, "--json", *more)
        assert said.returncode == 0, said.stderr
        told.append([json.loads(line) for line in said.stdout.splitlines()])
    for documents in told:
        assert [next(iter(each)) for each in documents] == [*["round"] * 3, "standings", "played"]
    (one, other) = ([[each["seats"] for each in held["round"]["tables"]] for held in each[:-2]] for each in told)
    assert one == other
    assert told[0][0]["round"]["cost"] >= told[0][0]["round"]["bound"]
    assert told[0][-2]["places"] == told[1][-2]["places"]
    assert told[0][-1]["played"]["stops"] == 0 < told[1][-1]["played"]["stops"]
    policy = told[0][-1]["played"]["policy"]
    assert truecup("audit", told[0][-1]["played"]["folder"], "--policy", policy).returncode == 0
    said = truecup("tournament", "simulate", "--seed", 7, "--entrants", 4, "--kill")
    assert "went on from what was stored" in said.stdout


# ---- results and matches ---------------------------------------------------------------------------


class Lying(Rehearsal):
    """A rehearsal that puts another ranking on record than its matches have, and goes on from there."""

    def do(self, command: commands.AnyCommand) -> None:
        if isinstance(command, commands.Record) and command.table == 1:
            command = replace(command, ranking=command.ranking[::-1])
        super().do(command)


def written(folder: Path, rehearsal: Rehearsal) -> Path:
    """Write the records of a rehearsal, and return the tournament's."""
    folder.mkdir()
    for match, played in rehearsal.matches.items():
        (folder / f"{match}.cup").write_bytes(played.record)
        (folder / f"{match}.access").write_bytes(played.access)
    (folder / "tournament.cup").write_bytes(rehearsal.record())
    return folder / "tournament.cup"


def test_a_result_that_its_match_does_not_bear_out_is_found_though_all_follows_from_it(truecup, tmp_path: Path) -> None:
    rehearsal, ledger = rehearsal_of("single", 2, Lying)
    list(rehearsal.rounds())
    policy = tmp_path / "policy.txt"
    policy.write_text(ledger.policy)
    record, page = written(tmp_path / "event", rehearsal), tmp_path / "page.html"
    said = truecup("audit", tmp_path / "event", "--policy", policy, "--html", page)
    assert (said.returncode, "FAULT E_RESULT in line" in said.stdout) == (1, True), said.stdout
    assert "others came first" in page.read_text()
    alone = truecup("audit", record, "--policy", policy)
    assert (alone.returncode, "1 result was not held against its match" in alone.stdout) == (0, True)


def test_a_match_that_is_missing_is_said_and_not_passed_over(truecup, tmp_path: Path) -> None:
    rehearsal, ledger = rehearsal_of("single", 3)
    list(rehearsal.rounds())
    policy = tmp_path / "policy.txt"
    policy.write_text(ledger.policy)
    written(tmp_path / "event", rehearsal)
    missing = next(iter(rehearsal.matches))
    (tmp_path / "event" / f"{missing}.cup").unlink()
    said = truecup("audit", tmp_path / "event", "--policy", policy, "--json")
    last = json.loads(said.stdout.splitlines()[-1])
    assert (said.returncode, last["status"], last["results"]["unchecked"]) == (2, "INCOMPLETE", [missing])


@pytest.mark.parametrize("taken", [True, False])
def test_a_match_of_another_tournament_of_the_house_stands_for_none(truecup, tmp_path: Path, *, taken: bool) -> None:
    rehearsal, ledger = rehearsal_of("single", 2)
    list(rehearsal.rounds())
    other = Rehearsal(OTHER, rehearsal.tournament.rules, 1_800_000_000_000, ledger, drawing_from(b"other"))
    other.enter(2)
    list(other.rounds())
    policy = tmp_path / "policy.txt"
    policy.write_text(ledger.policy)
    written(tmp_path / "event", rehearsal)
    (match,), (foreign,) = rehearsal.matches, other.matches
    called, played = tmp_path / "event" / (match if taken else foreign), other.matches[foreign]
    called.with_suffix(".cup").write_bytes(played.record)
    called.with_suffix(".access").write_bytes(played.access)
    said = truecup("audit", tmp_path / "event", "--policy", policy, "--json")
    last = json.loads(said.stdout.splitlines()[-1])
    assert last["results"]["unchecked"] == ([match] if taken else []), said.stdout
    assert (said.returncode, last["status"]) == ((2, "INCOMPLETE") if taken else (0, "OK"))


NO_KEYS = ((), (), ())
RESULT = MatchResult(9, "m", 5, "ab", (7, 4, 2), ((4,), (7,)), (2,), ((4, 3), (7, -1)), ("a", "b", "c"), "r", NO_KEYS)
TABLE = TableRecord(5, ("a", "b", "c"), ((2,), (1,)), (3,), ((2, 3), (1, -1)), "r", ended=True, keys=NO_KEYS)


@pytest.mark.parametrize(
    ("members", "what"),
    [
        ({"rules": "q"}, "rules"),
        ({"players": ("a", "c", "b")}, "players"),
        ({"version": 6}, "head"),
        ({"ended": False}, "head"),
        ({"ranking": ((1,), (2,))}, "ranking"),
        ({"absent": ()}, "ranking"),
        ({"units": ((2, 2), (1, -1))}, "units"),
        ({"units": ((1, -1), (2, 3))}, "units"),
    ],
)
def test_whatever_a_match_has_otherwise_is_named(members: dict[str, Any], what: str) -> None:
    def held(table: TableRecord | None) -> HeldResults:
        return hold((RESULT,), {"m": HeldMatch("ab", table)})

    assert held(TABLE).checked == 1
    assert [each.what for each in held(replace(TABLE, **members)).differences] == [what]
    assert [each.what for each in held(None).differences] == ["rules"]
    assert [each.what for each in hold((RESULT,), {"m": HeldMatch("cd", TABLE)}).differences] == ["head"]


@pytest.mark.parametrize(
    ("chances", "seeds"),
    [
        (["owned"], TableSeeds(own=1)),
        (["owned", "owned", "alone", "owned in part", "beacon"], TableSeeds(own=2, part=1, beacon=1, house=1)),
        (["alone", "alone", None], TableSeeds(house=2)),
        ([None, "unchanged"], TableSeeds()),
    ],
)
def test_tables_are_counted_by_whose_seeds_were_in_their_dice(chances: list[str | None], seeds: TableSeeds) -> None:
    results = [replace(RESULT, match=str(at)) for at in range(len(chances))]
    held = hold(results, {str(at): HeldMatch("ab", TABLE, chance) for at, chance in enumerate(chances)})
    assert held == HeldResults(len(chances), (), (), seeds)
    event = HeldTournament("e.cup", held, alone=False)
    assert event.document["results"]["seeds"] == to_builtins(seeds)
    for language in LANGUAGES:
        with speaking(language):
            told = event.words[1:]
        assert len(told) == sum(many > 0 for many in asdict(seeds).values())
        assert all(
            re.search(f" {many} ", line) for many, line in zip(filter(None, asdict(seeds).values()), told, strict=True)
        )


def test_nobody_but_bots_plays_in_a_rehearsal(truecup) -> None:
    said = truecup("tournament", "simulate", "--no-bots")
    assert (said.returncode, said.stdout) == (3, "")
    assert "nobody but bots" in said.stderr


def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    try:
        code = run(["tournament", "simulate", "--entrants", "4", "--out", str(tmp_path / "event")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (code, capsys.readouterr().err.splitlines()[-1]) == (3, "truecup: File too large")
