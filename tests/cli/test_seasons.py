"""`truecup season` and `truecup player`: a season held, and a player made known, from a terminal."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import pytest

from projections.seasons.players import player_view
from projections.seasons.table import season_view
from services.cli.exits import CANNOT, FINE
from services.cli.kept import place_of
from services.cli.main import run
from services.cli.seasons.telling import player_lines, season_lines
from services.words.catalogue import LANGUAGES, speaking
from tests.director.house import DICE
from tests.seasons.season_stories import BASIL, SeasonByHand, held, person

Say = Callable[..., list[str]]
GAME: Final = DICE["game"]


@pytest.fixture
def say(service_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Return what runs a command at the run's service, and returns what it prints."""
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANG", "C")

    def command(*arguments: object, code: int = FINE) -> list[str]:
        found = run([*map(str, arguments), "--url", service_url])
        out, err = capsys.readouterr()
        assert found == code, err
        return (out if code == FINE else err).splitlines()

    return command


def test_a_season_is_held_from_its_beginning_to_its_end(say: Say, service_url: str, tmp_path: Path) -> None:
    begun = say("season", "new", "Autumn", "--game", GAME, "--places", "10,6,7/2", "--best", 2, "--up", 1, "--down", 1)
    page = begun[0].split()[-1]
    season = page.rpartition("/")[2]
    kept = place_of("seasons", season)
    assert (stat.S_IMODE(kept.stat().st_mode), str(kept) in begun[1]) == (0o600, True)
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"match": DICE}))
    (announced,) = say("tournament", "new", "Night 1", "--season", page, "--rules", rules, "--private", "--json")
    tournament = json.loads(announced)["tournament"]
    held_for = httpx.get(f"{service_url}/api/v1/tournaments/{tournament}", timeout=30).json()["rules"]
    assert (held_for["season"], held_for["rated"]) == (season, True)
    shown = say("season", "show", page)
    assert shown[0] == "Autumn (Under way)"
    assert "The 2 best results of each count." in shown
    assert json.loads(say("season", "show", season, "--json")[0])["rules"]["league"]["places"] == ["10", "6", "7/2"]
    say("season", "export", season, "--out", tmp_path / "season.cup")
    assert (tmp_path / "season.cup").read_bytes().startswith(b"{")


def test_a_season_without_tournaments_ends_when_its_host_says_so(say: Say) -> None:
    season = json.loads(say("season", "new", "Ratings", "--json")[0])["season"]
    assert say("season", "end", season)[0] == "Ratings (Over)"
    assert "the season is over" in say("season", "end", season, code=CANNOT)[0]
    other = json.loads(say("season", "new", "Score", "--score", "--json")[0])
    assert json.loads(say("season", "end", other["season"], "--token", other["token"], "--json")[0])["version"] == 2
    assert say("season", "export", season, "--out", "-")[1].endswith('"season.closed","v":1}')


def test_a_player_is_made_known_renewed_and_erased(say: Say) -> None:
    made = say("player", "new", "Ada")
    page = made[0].split()[-1]
    player = page.rpartition("/")[2]
    kept = place_of("players", player)
    assert (stat.S_IMODE(kept.stat().st_mode), str(kept) in made[1]) == (0o600, True)
    first = kept.read_text()
    assert say("player", "show", page)[0] == "Ada"
    renewed = json.loads(say("player", "renew", page, "--json")[0])
    assert renewed["player"] == player
    assert kept.read_text().splitlines()[0] == renewed["token"] != first.splitlines()[0]
    kept.write_text(first)
    say("player", "renew", player)
    assert kept.read_text().splitlines()[0] == renewed["token"], "asked again behind a crash it is the same request"
    erased = say("player", "erase", player)
    assert erased[0] == f"The name of {player} is erased."
    assert f"Player {player[:9]}" in erased
    assert json.loads(say("player", "show", player, "--json")[0])["name"] is None
    assert json.loads(say("player", "erase", player, "--token", renewed["token"], "--json")[0])["name"] is None


def test_what_cannot_be_done_is_a_sentence(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no(*arguments: object) -> str:
        (line,) = say(*arguments, code=CANNOT)
        return line

    season = json.loads(say("season", "new", "Short", "--json")[0])["season"]
    assert "say --places or --score" in no("season", "new", "x", "--best", 2)
    assert "--places or by --score" in no("season", "new", "x", "--score", "--places", "3,2")
    assert "such as 10,6,4,3" in no("season", "new", "x", "--places", "3;2")
    assert "the service said no" in no("season", "new", "x", "--places", "1,2")
    assert "no season has this id" in no("season", "show", uuid4())
    assert "give it with --token" in no("season", "end", uuid4())
    assert "give it with --season-token" in no("tournament", "new", "x", "--season", uuid4())
    assert "the service said no" in no("tournament", "new", "x", "--season", season, "--season-token", "truecup_host_x")
    assert "is not the id" in no("season", "show", "nowhere")
    assert "nobody is a player" in no("player", "show", "u0")
    assert "the service said no" in no("player", "erase", "u0", "--token", "truecup_player_x")
    assert "cannot be written" in no("season", "export", season, "--out", tmp_path)
    place_of("seasons", season).write_text("truecup_host_x\nhttp://127.0.0.1:9\n")
    assert "is for http://127.0.0.1:9 and is not shown to" in no("season", "end", season)
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    assert "the token, truecup_player_" in no("player", "new", "Unkept")


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_ratings_and_players_are_told_in_every_language(language: str) -> None:
    people = [person(number) for number in (1, 2, 3)]
    season = SeasonByHand().count(held(*people, BASIL).outcome)
    view = season_view(season.season, season.head, None, {people[0]: "Ada", people[1]: "Bob"})
    with speaking(language):
        told = "\n".join(season_lines(view))
        seen = player_view(people[0], "Ada", [], [season.season])
        told += "\n".join(player_lines(seen))
    assert "None" not in told
    assert "{" not in told
    assert told.count("Ada") == 3
    assert people[2][:9] in told
