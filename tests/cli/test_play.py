"""A person in a terminal, at a table with house bots."""

from __future__ import annotations

import re
import resource
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from domain.fairness import records
from domain.log import canonical
from domain.log.policies import policy_of
from domain.log.receipts import compare, receipt_of, split
from infra.keys import ed25519_verify
from services.cli.playing.prompts import prompt
from tests.cli.altering_server import altering_server
from tests.cli.conftest import Service, Terminal, answer


@pytest.mark.parametrize(
    ("game", "option", "shows"),
    [
        ("common_hand", "dice_per_player=2", "You show ["),
        ("finska", "stake=1", "The cup shows ["),
        ("individual_hand", "wins_needed=1", " shows ["),
    ],
)
def test_a_match_is_played_to_its_end_by_typing_what_is_offered(
    game: str, option: str, shows: str, at_terminal: Callable[..., Terminal]
) -> None:
    terminal = at_terminal("--game", game, "--bots", "1", "--option", option, "--name", "Ada")
    while (offered := terminal.until("You may type: ")) is not None:
        terminal.type(answer(offered))
    assert terminal.said[-1] == "The match is over."
    assert any(shows in line for line in terminal.said)
    assert terminal.ended() == 0


def test_what_nobody_understands_is_said_and_a_seat_is_kept_for_who_leaves(
    at_terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Ada")
    assert terminal.until("You may type: ")
    terminal.type("abracadabra")
    assert "type one of: 5x3, liar" in (terminal.until("- ") or "")
    terminal.type("quit")
    elsewhere = terminal.until("On another device")
    assert elsewhere is not None
    assert terminal.ended() == 0

    # Another device has nothing but the link: not even what was kept of the match.
    again = at_terminal(elsewhere.split()[-1], "--receipts", str(tmp_path / "others"))
    assert again.until("You may type: ")
    again.type("resign")
    assert again.until("You are out of the match")
    assert again.until("The match is over.")
    assert again.ended() == 0


def test_a_host_ends_the_match_from_the_terminal(at_terminal: Callable[..., Terminal]) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Ada")
    assert terminal.until("You may type: ")
    terminal.type("quit")
    kept = terminal.until("Your seat is kept.")
    assert kept is not None
    match, _, token, *_ = kept.rpartition("truecup play ")[2].split()
    guest = at_terminal(match, "--token", token)
    assert guest.until("You may type: ")
    guest.type("end match")
    assert "only the host of the match may do this" in (guest.until("- ") or "")

    host = at_terminal(*kept.rpartition("truecup play ")[2].split())
    assert host.until("You may type: ")
    host.type("end match")
    assert host.until("You end the match")
    while host.said[-1] != "The match is over.":
        offered = host.until(("You may type: ", "The match is over."))
        if offered is not None and offered.startswith("You may type: "):
            host.type(answer(offered))
    assert "The match ends here, and nobody has won it." in host.said
    assert host.ended() == 0


def test_what_the_server_signs_is_kept_and_borne_out_by_the_record(
    at_terminal: Callable[..., Terminal], running: Service, tmp_path: Path
) -> None:
    file = tmp_path / "my.receipts"
    terminal = at_terminal("--bots", "1", "--receipts", str(file), "--option", "dice_per_player=2")
    while (offered := terminal.until("You may type: ")) is not None:
        terminal.type(answer(offered))
    assert terminal.ended() == 0
    match = next(line for line in terminal.said if "You sit at" in line).split("/m/")[1].split(",")[0]
    lines = records.split(httpx.get(f"{running.url}/api/v1/matches/{match}/record", timeout=60).content).lines
    policy = policy_of(httpx.get(f"{running.url}/api/v1/log/policy", timeout=60).text)
    kept = split(file.read_text())
    found = compare(lines, kept, policy, ed25519_verify)
    assert (found.borne_out, found.strange, found.contradicted) == (len(kept), (), ())
    assert len(kept) > 4, "the table, the seat, the bots, the start, and what was typed"


def test_a_history_that_was_rewritten_under_a_player_is_an_alarm(
    at_terminal: Callable[..., Terminal], running: Service
) -> None:
    with altering_server(running.url) as liar:
        terminal = at_terminal("--bots", "1", "--name", "Ada", "--url", liar.url)
        assert terminal.until("You may type: ")
        terminal.type("quit")
        kept = terminal.until("Your seat is kept.")
        assert kept is not None
        assert terminal.ended() == 0

        liar.lie = rewrites_the_record
        again = at_terminal(*kept.rpartition("truecup play ")[2].split())
        alarm = again.until("ALARM: do not trust this server")
        assert alarm is not None
        assert "history was rewritten" in alarm
        assert again.ended() == 1


def test_a_stream_that_shows_another_history_is_an_alarm_at_once(
    at_terminal: Callable[..., Terminal], running: Service
) -> None:
    with altering_server(running.url) as liar:
        terminal = at_terminal("--bots", "1", "--name", "Ada", "--url", liar.url)
        offered = terminal.until("You may type: ")
        assert offered is not None
        liar.lie = shows_other_heads
        terminal.type(answer(offered))
        alarm = terminal.until("ALARM: do not trust this server")
        assert alarm is not None
        assert "another hash before" in alarm
        assert terminal.ended() == 1


def test_where_a_disk_is_full_it_is_said_and_what_was_to_be_kept_is_once_there_is_room(
    at_terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    receipts = tmp_path / "kept"
    terminal = at_terminal("--bots", "1", "--name", "Ada", "--receipts", str(receipts))
    offered = terminal.until("You may type: ")
    assert offered is not None
    _, most = resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, (0, most))
    terminal.type(answer(offered))
    assert "signing cannot be written: File too large" in (terminal.until("- ") or "")
    # There is room for what it signs, but not for all of the receipt.
    size = receipts.stat().st_size
    resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, (size + 50, most))
    terminal.type(answer(offered))
    assert f"- it is done, but {receipts} cannot be written: File too large" in (terminal.until("- ") or "")
    assert receipts.stat().st_size == size
    resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, (most, most))
    terminal.type("quit")
    assert terminal.until("On another device")
    assert terminal.ended() == 0
    seqs = [receipt_of(note).seq for note in split(receipts.read_text(encoding="utf-8"))]
    assert seqs == sorted(set(seqs))
    assert receipts.stat().st_size > size + 50


def test_who_has_a_receipt_of_which_the_end_is_missing_plays_on(
    at_terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    receipts = tmp_path / "kept"
    terminal = at_terminal("--bots", "1", "--name", "Ada", "--receipts", str(receipts))
    assert terminal.until("You may type: ")
    terminal.type("quit")
    elsewhere = terminal.until("On another device")
    assert elsewhere is not None
    assert terminal.ended() == 0

    whole = receipts.read_bytes()
    receipts.write_bytes(whole + whole[: len(split(whole.decode())[0].encode()) - 20])
    again = at_terminal(elsewhere.split()[-1], "--receipts", str(receipts))
    assert again.until("You may type: ")
    assert receipts.read_bytes() == whole
    again.type("resign")
    assert again.until("The match is over.")
    assert again.ended() == 0
    assert receipts.read_bytes().startswith(whole)


def test_receipts_that_another_key_has_signed_are_none(at_terminal: Callable[..., Terminal], running: Service) -> None:
    with altering_server(running.url) as liar:
        liar.lie = lambda _path, line: line.replace(b"truecup.local/log ", b"elsewhere.example/log ")
        terminal = at_terminal("--bots", "1", "--url", liar.url)
        alarm = terminal.until("ALARM: do not trust this server")
        assert alarm is not None
        assert "not signed by the log" in alarm
        assert terminal.ended() == 1


def rewrites_the_record(path: str, line: bytes) -> bytes:
    """Tell the beginning of the match as it was not; every line is chained as it should be."""
    return rewritten(line) if path.endswith("/record") and line.startswith(b"{") else line


HEADS: dict[str, str] = {}
"""What the lines of before are called in the history that is told instead."""


def rewritten(line: bytes) -> bytes:
    told = canonical.decode(line)
    made = canonical.encode({**told, "at": told["at"] + 1, "prev": HEADS.get(told["prev"], told["prev"])})
    HEADS[canonical.head(line)] = canonical.head(made)
    return made


def shows_other_heads(path: str, line: bytes) -> bytes:
    return re.sub(rb'"head":"[0-9a-f]{8}', b'"head":"00000000', line) if "/stream" in path else line


@pytest.mark.parametrize(("arguments", "why"), [(["--game", "chess"], "(game: "), (["--option", "dice=4"], "(dice: ")])
def test_a_table_that_cannot_be_opened_is_refused_in_a_sentence(arguments, why, truecup, running) -> None:
    said = truecup("play", *arguments, "--url", running.url)
    assert said.returncode == 3
    assert why in said.stderr


def test_every_offer_is_put_into_words() -> None:
    seats = [{"seat": 1, "name": "Ada", "dice": []}, {"seat": 2, "name": "Bob", "dice": []}]
    cup = [{"face": 14, "shown": True, "cocked": False}, {"face": None, "shown": False, "cocked": False}]
    arrange = {"type": "arrange", "placements": ["outside", "inside", "roll_inside"], "outside": [1], "whole": False}
    view = {"seats": seats, "title": "", "viewer": 1, "faces": [9, 6], "cup": cup}
    view |= {"turn": 1, "at": 1_000, "due_at": 181_000}
    view["moves"] = [
        {"type": "call", "minimum": {"shape": "pair", "faces": [13]}},
        {"type": "declare", "specials": ["social", "impose"], "targets": [2]},
        {**arrange, "rolls_left": 1},
        {"type": "buy_back", "price": 5},
        {"type": "choose_first", "seats": [1, 2]},
        *({"type": kind} for kind in ("accept", "catch", "count", "stop", "drop_out", "roll", "look", "show_cocked")),
    ]
    dice, time, told = prompt(view)
    assert dice == "The cup: [ ] | [A]"
    assert time == "The table acts for you in 3:00"
    assert [len(prompt(view | more)) for more in ({"turn": 2}, {"due_at": None})] == [2, 2]
    assert told.startswith("You may type: a claim, from a pair of kings upwards; ")
    assert "social, impose on 2 (Bob), if you have it" in told
    assert "show 2, hide 4, keep 1 3, roll 2 4 (dice count from the left)" in told
    assert "first 1 (Ada) or 2 (Bob)" in told
    assert "buy back, for 5" in told
