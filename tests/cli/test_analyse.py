"""`truecup analyse`: what others script against, and every way in which it is refused."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import re
import select
from pathlib import Path

import jsonschema_rs
import pytest

from domain.rules.rules import PIPS, Counting
from domain.strategy.duels.duel import Duel
from domain.strategy.policies.facts import facts_of_duel
from domain.strategy.policies.files import write_policy
from services.analysis import making
from services.analysis.making import WantedAnalysis, record_followed
from services.cli.analysing.analyse import analyse
from services.cli.screen import show_progress_late
from services.words.catalogue import speaking
from tests.cli.real_terminal import RealTerminal

ANALYSIS = Path(__file__).parents[1] / "analysis"
RECORDS = ANALYSIS / "vectors" / "records"
SMALL = RECORDS / "one-die-each.cup"
ROLLED = Path(__file__).parents[1] / "zoo" / "first" / "finska-shown.cup"
"""A match whose rounds do not fold, and are played on."""
LARGER = RECORDS / "two-dice-face-first.cup"
SCHEMA = jsonschema_rs.validator_for(json.loads((ANALYSIS / "schema.json").read_text(encoding="utf-8")))
FAR = re.compile(r"^analyse .* [0-9]+/[0-9]+ 0:00:[0-9]{2}", re.MULTILINE)
NAMED = ("--policy", "level1", "--policy", "weighted")


def test_the_same_record_gives_the_same_bytes_in_any_process(truecup):
    said = [truecup("analyse", SMALL, "--json", *NAMED, PYTHONHASHSEED=seed) for seed in ("0", "1")]
    assert [one.returncode for one in said] == [0, 0]
    assert said[0].stdout == said[1].stdout
    assert said[0].stdout.endswith("}\n")
    found = json.loads(said[0].stdout)
    SCHEMA.validate(found)
    assert [each["id"].partition("@")[0] for each in found["policies"]] == ["level1", "weighted"]
    assert [each["policy"].partition("@")[0] for each in found["rounds"]] == ["level1"]


def test_rounds_that_are_played_on_give_the_same_bytes_in_any_process(truecup):
    told = ("analyse", ROLLED, "--json", "--samples", 64)
    said = [truecup(*told, *beside, PYTHONHASHSEED=seed) for beside, seed in (((), "0"), (("--plain",), "1"))]
    assert [one.returncode for one in said] == [0, 0]
    assert said[0].stdout == said[1].stdout
    found = json.loads(said[0].stdout)
    SCHEMA.validate(found)
    assert all(seat["loss"][1] == "sampled" for seat in found["seats"])


def test_deals_folded_one_by_one_give_the_same_bytes(capsys):
    said = []
    for plain in (True, False):
        assert analyse(str(LARGER), json=True, plain=plain, rounds="2") == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_rounds_told_by_several_processes_give_the_same_bytes(capsys):
    said = []
    for jobs in (1, 2):
        assert analyse(str(LARGER), json=True, jobs=jobs) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_who_waits_over_a_second_is_shown_how_far_it_is(tmp_path):
    terminal = RealTerminal(
        tmp_path, "analyse", str(RECORDS / "three-by-five.cup"), "--samples", "8192", "--jobs", "1", settings={}
    )
    try:
        terminal.until(
            lambda text: re.search(r"^analyse .* [0-9]+/[0-9]+ 0:00:[0-9]{2}", text, re.MULTILINE) is not None
        )
    finally:
        terminal.close()


def test_who_waits_less_is_shown_nothing(monkeypatch):
    near, far = pty.openpty()
    monkeypatch.setenv("TERM", "xterm-256color")
    with os.fdopen(far, "w", encoding="utf-8") as stderr, monkeypatch.context() as context:
        context.setattr("sys.stderr", stderr)
        assert list(show_progress_late([1, 2], "analyse", 2)) == [1, 2]
        assert select.select([near], [], [], 0) == ([], [], [])
    os.close(near)


def test_what_nobody_names_is_judged_by_the_houses_own_policies(capsys):
    assert analyse(str(SMALL), json=True) == 0
    solved = json.loads(capsys.readouterr().out)["policies"]
    # A die each is solved, and its file proves what it guarantees.
    assert [(each["kind"], each["guarantee"] is None) for each in solved] == [("solved", False), ("rounds", True)]
    for record, used in (
        (LARGER, ["level1", "weighted", "1v1-d6-face_first-always-no"]),
        (RECORDS / "mexican.cup", ["level1"]),
    ):
        assert analyse(str(record), json=True, rounds="1") == 0
        found = json.loads(capsys.readouterr().out)["policies"]
        # A session is worth what it posts, and no model of who loses rounds has a say.
        assert [each["id"].partition("@")[0] for each in found] == used


def test_a_policy_may_be_a_file_or_a_hash(capsys):
    shipped = Path(making.__file__).parents[1] / "policies" / "files" / "level1.policy"
    digest = hashlib.sha256(shipped.read_bytes()).hexdigest()
    said = []
    for asked in (str(shipped), digest, f"level1@{digest}", "level1"):
        assert analyse(str(SMALL), json=True, policy=(asked,)) == 0
        said.append(capsys.readouterr().out)
    assert len(set(said)) == 1


def test_seats_are_told_in_a_table_and_the_moments_in_sentences(capsys):
    assert analyse(str(LARGER), policy=("level1", "weighted")) == 0
    everybody = capsys.readouterr().out.splitlines()
    assert everybody[2].startswith("seat  decisions  forced  by clock  accuracy  loss a decision  mistakes  blunders")
    assert everybody[2].endswith("true  truthful  semi-bluff  bluff  caught  passed")
    assert [line.split()[0] for line in everybody[3:5]] == ["1", "2"]
    assert any(line.startswith("line 24: Seat 1 doubts: ") for line in everybody)
    assert "line 49: the lead changes, the end" in everybody


def test_one_seat_is_told_by_its_claims(capsys):
    assert analyse(str(LARGER), seat=2) == 0
    claims = capsys.readouterr().out.splitlines()
    assert "own" in claims[2]
    assert claims[3].split()[:4] == ["21", "1", "two", "fives"]
    assert claims[3].endswith(("passed", "believed", "caught", "tested"))
    assert analyse(str(RECORDS / "mexican.cup"), seat=2) == 0
    assert "bluff, cornered  passed" in capsys.readouterr().out


@pytest.mark.parametrize(("language", "head"), [("de", "Runden 1 bis 3"), ("es", "rondas 1 a 3")])
def test_it_speaks_the_language_it_is_asked_in(language, head, capsys):
    with speaking(language):
        assert analyse(str(LARGER)) == 0
    assert head in capsys.readouterr().out


def test_some_rounds_alone_are_told(capsys):
    assert analyse(str(LARGER), json=True, rounds="2-3") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["round"] for each in found["rounds"]] == [2, 3]
    assert {each["round"] for each in found["events"]} == {2, 3}
    SCHEMA.validate(found)
    assert analyse(str(LARGER), json=True, rounds="3") == 0
    assert [each["round"] for each in json.loads(capsys.readouterr().out)["rounds"]] == [3]


def test_a_record_at_fault_is_not_analysed(tmp_path, capsys):
    edited = tmp_path / "edited.cup"
    edited.write_bytes(SMALL.read_bytes().replace(b'"face":4,"quantity":1', b'"face":5,"quantity":1'))
    assert analyse(str(edited), json=True) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "is at fault: E_CHAIN 22: " in told.err


def test_a_match_that_is_not_over_is_told_as_far_as_it_goes(tmp_path, capsys):
    file = tmp_path / "cut.cup"
    file.write_bytes(b"".join(LARGER.read_bytes().splitlines(keepends=True)[:40]))
    assert analyse(str(file), json=True) == 2
    found = json.loads(capsys.readouterr().out)
    SCHEMA.validate(found)
    # The second round has begun. Of the first, all dice were shown with the verdict.
    assert (found["complete"], found["version"], [each["round"] for each in found["rounds"]]) == (False, 40, [1])
    assert all(event["label"] for event in found["events"] if "chance" in event)
    assert analyse(str(file)) == 2
    assert "not over" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"rounds": "9-99"}, "there are rounds 1 to 3, not 9 to 99"),
        ({"rounds": "5-3"}, "--rounds 5-3: rounds are named as 3-5"),
        ({"rounds": "x"}, "--rounds x: rounds are named as 3-5"),
        ({"seat": 4}, "nobody had seat 4"),
        ({"samples": 63}, "there are 64 to 65,536 samples, not 63"),
        ({"samples": 65_537}, "there are 64 to 65,536 samples, not 65537"),
        ({"policy": ("nothing",)}, "no policy here is called nothing"),
        ({"policy": (str(LARGER),)}, "is refused: $.format"),
        ({"policy": ("1v1-d6-product-always-no",)}, "the policy is for another round"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_computed(asked, why, capsys):
    assert analyse(str(LARGER), json=True, **asked) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert why in told.err
    assert told.err.count("\n") == 1


def test_a_blueprint_plays_and_nobody_is_read_by_it(tmp_path, capsys):
    duel = Duel((2, 2), PIPS, Counting("face_first", wild="always", aces="no"))
    found = {"passes": 1, "seed": "00"}
    file = tmp_path / "mine.policy"
    file.write_bytes(write_policy("blueprint", "mine", found, applies=facts_of_duel(duel)))
    assert analyse(str(LARGER), json=True, policy=(str(file),)) == 2
    assert "mine is a blueprint, which plays" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the record is empty"),
        (b"\xff\xfe", "this is no record"),
        (b"{}\n", "this is no record"),
        (b"\n" * 200_001, "the record has more than 200,000 lines"),
    ],
)
def test_what_is_no_record_is_refused(data, why, tmp_path, capsys):
    file = tmp_path / "some.cup"
    file.write_bytes(data)
    assert analyse(str(file)) == 2
    assert why in capsys.readouterr().err


def test_a_record_of_what_nobody_here_knows_is_refused(tmp_path, capsys):
    first = SMALL.read_bytes().splitlines(keepends=True)
    for old, new, why in (
        (b'"game":"common_hand"', b'"game":"uncommon_hand"', "rules that this program does not know"),
        (b'"type":"match.created"', b'"type":"season.created"', "something else than a match"),
        (b'"type":"match.created","v":1', b'"type":"match.created","v":2', "a newer version"),
    ):
        file = tmp_path / "other.cup"
        file.write_bytes(b"".join([first[0].replace(old, new), *first[1:]]))
        assert analyse(str(file)) == 2
        assert why in capsys.readouterr().err
    assert analyse(str(tmp_path)) == 2
    assert analyse(str(tmp_path / "none.cup")) == 2


def test_no_round_is_over_before_the_first_verdict(tmp_path, capsys):
    followed = record_followed(SMALL.read_bytes())
    assert followed.is_complete
    assert WantedAnalysis().rounds is None
    begun = tmp_path / "begun.cup"
    begun.write_bytes(b"".join(SMALL.read_bytes().splitlines(keepends=True)[:22]))
    assert analyse(str(begun)) == 2
    assert "no round is over" in capsys.readouterr().err
