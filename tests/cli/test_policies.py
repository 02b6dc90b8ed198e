"""`truecup policy`: what is listed, shown, proved and solved."""

from __future__ import annotations

import json
import multiprocessing
import signal
import subprocess
import sys
from collections import Counter
from functools import partial

import pytest

from domain.rules.rules import PIPS, Counting, Faces
from domain.strategy.duels.blueprint import write_blueprint
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.policies.facts import facts_of_duel
from domain.strategy.policies.files import read_policy, write_policy
from domain.strategy.tables import RoundModel
from services.cli.main import run
from services.policies.shelf import SHIPPED, Shelf
from services.solver.beside import Gone, solving
from services.solver.fitting import Lost, weights_of
from tests.cli.conftest import PROGRAM, ROOT, environment

NAME = "1v1-d6-quantity_first-always-no"


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A data folder of this test alone."""
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_policies_are_listed_with_what_they_guarantee(capsys):
    assert run(["policy", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(SHIPPED)
    assert next(line for line in lines if line.startswith(f"{NAME} ")).split()[-1] == "-7/327"
    assert run(["policy", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    unproved = {row["id"].partition("@")[0] for row in rows if row["lower"] is None and row["kind"] != "blueprint"}
    # In a cup of Mexican some throws end a round that nobody has lost.
    voids = {"blind-2d6-mexican-social-reverse", "blind-2d6-mexican-social-reverse-impose"}
    assert unproved == {"even", "level1", "weighted"} | voids


def test_a_policy_is_shown_by_name_by_hash_or_as_a_file(capsys, tmp_path):
    shelved = Shelf().find("level1")
    file = tmp_path / "mine"
    file.write_bytes(shelved.data)
    for asked in ("level1", shelved.policy.digest, shelved.policy.id, str(file)):
        assert run(["policy", "show", asked, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["params"]["power"] == 8
    assert run(["policy", "show", NAME]) == 0
    assert '"order": "quantity_first"' in capsys.readouterr().out


def test_a_solved_policy_says_how_it_plays_a_hand(capsys):
    assert run(["policy", "show", NAME, "--hand", "3"]) == 0
    assert capsys.readouterr().out.split()[0] == "1x3"
    assert run(["policy", "show", NAME, "--hand", "3", "--after", "1x2", "--json"]) == 0
    assert "challenge" in json.loads(capsys.readouterr().out)


def test_a_blueprint_is_shown_like_any_table(capsys, tmp_path):
    duel = Duel((1, 2), Faces(1, 3), Counting(wild="always", aces="no"))
    table = write_blueprint({(1, 0, bytes([1])): ((4, 9), (CHALLENGE, 1))})
    file = tmp_path / "mine.policy"
    params = {"passes": 1, "seed": "00"}
    file.write_bytes(write_policy("blueprint", "mine", params, applies=facts_of_duel(duel), table=table))
    assert run(["policy", "show", str(file)]) == 0
    *_, records, model = capsys.readouterr().out.splitlines()
    assert records == "records      1"
    assert model.startswith("model        who knows it wins 0.")
    assert run(["policy", "show", str(file), "--hand", "1,1", "--after", "1x2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"2x2": 9, "challenge": 1}


def test_a_policy_is_proved_again(capsys):
    assert run(["policy", "verify", NAME]) == 0
    assert "at least -7/327" in capsys.readouterr().out
    assert run(["policy", "verify", NAME, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["upper"] == "-7/327"
    assert run(["policy", "verify", "level1"]) == 0
    assert "guarantees nothing" in capsys.readouterr().out


def test_a_policy_that_promises_too_much_is_refused_with_the_reason(capsys, tmp_path):
    file = tmp_path / "proud.policy"
    file.write_bytes(Shelf().find(NAME).data.replace(b'"lower":"-7/327"', b'"lower":"1/327"'))
    assert run(["policy", "verify", str(file)]) == 1
    assert capsys.readouterr().out.startswith("certificate_not_met: lower")
    assert run(["policy", "verify", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["code"] == "certificate_not_met"
    assert run(["policy", "show", str(file)]) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("show", "nothing"), "no policy here is called nothing"),
        (("verify", "tests"), "cannot be read"),
        (("show", "level1", "--hand", "3"), "no table"),
        (("show", NAME, "--hand", "three"), "a hand is written"),
        (("show", NAME, "--hand", "3", "--after", "1x7x2"), "a hand is written"),
        (("show", NAME, "--hand", "7"), "never comes there"),
        (("solve", "--dice", "1v"), "dice are written 1v2"),
        (("solve", "--dice", "6v1"), "dice are written 1v2"),
        (("solve", "--dice", "5v5"), "is too large"),
        (("solve", "--blueprint", "--dice", "5v5"), "is too large"),
        (("solve", "--blueprint", "--wild", "unless_opened"), "forgets how a round was opened"),
        (("solve", "--blueprint", "--seed", "0"), "as hex"),
        (("fit", "My Model"), "cannot be called"),
        (("fit", "mine", "--seed", "0"), "as hex"),
        (("fit", "mine", "--policy", "even"), "no level that plays"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(arguments, why, capsys):
    assert run(["policy", *arguments]) == 3
    assert why in capsys.readouterr().err


def test_a_round_is_solved_proved_and_kept_once(capsys, data):
    solve = ["policy", "solve", "--dice", "1v2", "--faces", "2", "--system", "product", "--system", "no_decrease"]
    assert run(solve) == 0
    told = capsys.readouterr()
    assert "2 to solve, about" in told.err
    assert len(told.out.splitlines()) == 2
    files = sorted((data / "policies").iterdir())
    assert [read_policy(file.read_bytes(), file.stem).kind for file in files] == ["solved"] * 2
    assert run(solve) == 0
    again = capsys.readouterr()
    assert again.out == told.out
    assert again.err == ""
    assert run(["policy", "list"]) == 0
    assert capsys.readouterr().out.count("1v2-d2-") == 2
    name = told.out.split("@")[0]
    assert run(["policy", "verify", name]) == 0


def test_a_blueprint_is_learnt_kept_once_and_says_what_it_gives_away(capsys, data):
    learn = ["policy", "solve", "--blueprint", "--dice", "1v1", "--faces", "3", "--passes", "30", "--once-in", "5000"]
    assert run(learn) == 0
    told = capsys.readouterr()
    assert "1 to learn, about 1 s" in told.err
    assert "a model" in told.out
    (file,) = (data / "policies").iterdir()
    policy = read_policy(file.read_bytes(), file.stem)
    assert (policy.kind, policy.name) == ("blueprint", "1v1-d3-quantity_first-always-no.blueprint")
    assert run(["policy", "show", policy.name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["params"] == {"once_in": 5000, "passes": 30, "seed": "00"}
    assert run(learn) == 0
    assert capsys.readouterr() == (told.out, "")
    assert run(["policy", "verify", policy.name]) == 0
    assert "guarantees nothing" in (said := capsys.readouterr().out)
    assert run(["policy", "verify", policy.name, "--json"]) == 0
    least = json.loads(capsys.readouterr().out)["gives_away_at_least"]
    assert f"wins {least} a round at least" in said
    assert 0 < float(least) < 0.2


def test_ctrl_c_keeps_a_blueprint_as_far_as_it_has_come(tmp_path):
    learn, data = ["policy", "solve", "--blueprint", "--dice", "1v1", "--dice", "1v2"], tmp_path / "data"
    begun = subprocess.Popen(
        [*PROGRAM, *learn, "--faces", "5", "--passes", "99999"],
        cwd=ROOT,
        env=environment(data),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with begun:
        assert begun.stderr is not None
        assert "2 to learn" in begun.stderr.readline()
        begun.send_signal(signal.SIGINT)
        told, trouble = begun.communicate(timeout=60)
    assert (begun.returncode, trouble) == (130, "")
    shelf = Shelf(data / "policies")
    (kept,) = shelf.kept()
    assert told.split()[0] == kept.id
    assert kept.name.startswith("1v1-d5-")
    assert 1 <= json.loads(shelf.find(kept.digest).data.partition(b"\n")[0])["params"]["passes"] < 99_999


def test_where_nothing_can_be_written_that_is_said(capsys, data):
    data.mkdir()
    (data / "policies").write_text("a file")
    assert run(["policy", "solve", "--dice", "1v1", "--faces", "2"]) == 3
    assert "cannot be kept" in capsys.readouterr().err


def test_what_is_shipped_is_not_solved_again(capsys):
    assert run(["policy", "solve"]) == 0
    assert capsys.readouterr().out.startswith(NAME)


def test_a_damaged_file_of_this_machine_is_named(capsys, data):
    (data / "policies").mkdir(parents=True)
    (data / "policies" / f"{'0' * 64}.policy").write_bytes(Shelf().find("level1").data)
    assert run(["policy", "list"]) == 1
    assert capsys.readouterr().out.startswith("wrong_hash")
    assert run(["policy", "solve"]) == 3
    assert "damaged" in capsys.readouterr().err


def test_without_the_extra_nothing_is_solved(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert run(["policy", "solve", "--faces", "2"]) == 3
    assert "truecup[solve]" in capsys.readouterr().err


def test_ctrl_c_loses_nothing_that_is_done(tmp_path):
    # The second takes a minute, however busy the machine is with the first.
    solve = ["policy", "solve", "--dice", "1v1", "--dice", "2v3", "--faces", "3"]
    begun = subprocess.Popen(
        [*PROGRAM, *solve, "--system", "quantity_first", "--wild", "never"],
        cwd=ROOT,
        env=environment(tmp_path / "data"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests were begun in the background, whatever they begin hears no Ctrl-C.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    with begun:
        assert begun.stdout is not None
        first = begun.stdout.readline()
        begun.send_signal(signal.SIGINT)
        rest, trouble = begun.communicate(timeout=60)
    assert (begun.returncode, rest) == (130, "")
    assert "Traceback" not in trouble
    assert [one.id for one in Shelf(tmp_path / "data" / "policies").kept()] == [first.split()[0]]


def test_a_solver_that_is_ended_from_outside_says_so():
    large = Duel((2, 2), PIPS, Counting("no_decrease", wild="always", aces="no"))
    with solving(large) as under_way:
        (process,) = multiprocessing.active_children()
        process.kill()
        with pytest.raises(Gone):
            under_way.wait(60)


def test_a_round_model_is_fitted_from_rounds_of_level_one(capsys, data):
    assert run(["policy", "fit", "mine", "--rounds", "100", "--seed", "00ff"]) == 0
    told = capsys.readouterr().out
    (file,) = (data / "policies").iterdir()
    model = read_policy(file.read_bytes(), file.stem)
    assert told.splitlines()[0] == model.id
    assert isinstance(model.content, RoundModel)
    # Whoever has more dice loses fewer rounds; with so few rounds that is seen from far away alone.
    assert [row[1] for _, row in model.content.rows] == [1000] * 5
    assert model.content.losing((1, 10))[1] < 1000
    assert run(["policy", "fit", "mine", "--rounds", "100", "--seed", "00ff"]) == 0
    assert capsys.readouterr().out == told


def test_weights_are_found_again_in_rounds_that_were_lost_by_them():
    lost: Lost = Counter(
        {((1, 2), 0): 2000, ((1, 2), 1): 1000, ((2, 3), 0): 1000, ((2, 3), 1): 1000, ((1, 3), 0): 20, ((1, 3), 1): 10}
    )
    assert weights_of(lost)[:4] == (0, 1000, 500, 500)


def test_a_blind_cup_is_lifted_as_often_as_nobody_can_use(capsys):
    assert run(["policy", "cup", "mia", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["value"] == "931150421/3147075360"
    assert (told["challenge"]["4-3"], told["challenge"]["2-1"]) == ("0", "1")
    assert run(["policy", "cup", "--after", "5-4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("who throws has 0, ")
    assert [line.split()[0] for line in lines[1:3]] == ["6-1", "6-2"]
    assert run(["policy", "cup", "--after", "2-1"]) == 3
    assert "may be beaten" in capsys.readouterr().err
