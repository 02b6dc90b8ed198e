"""The line mode of `truecup play`: what may be typed at any table, private tables, and playing again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, cast, get_args

import msgspec
import pytest
from msgspec import structs

from domain.events import Reason
from services.api.bodies import BODIES, AnyPlay
from services.cli import screen
from services.cli.playing.advice.chances import chance_lines, chance_words
from services.cli.playing.asking import link_line
from services.cli.playing.lines import SETTLED_S, LineTable
from services.cli.playing.names import TerminalNames
from services.cli.playing.phrases import help_lines, meant, typed_words
from services.cli.playing.play import split_link
from services.cli.playing.powers import power_lines, power_of, power_word
from services.cli.playing.prompts import prompt
from services.cli.playing.words import ledger_words
from services.client.house import CannotDo
from services.client.seating import SeatLink, brought_by, key_of
from services.words.catalogue import CATALOGUE, LANGUAGES, speaking
from tests.cli.conftest import Terminal, answer
from tests.cli.seats_to_draw import MATCH, DrawnSeat
from tests.cli.test_felt import items_of, played
from tests.simulation.loop import in_made_up_time

INVITE = "Zq3n0vYkS1mT7xWc9aLb2dEf4gHi5jKo"


def test_who_types_is_answered_about_the_table_the_dice_and_the_odds(at_terminal: Callable[..., Terminal]) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Ada", "--option", "dice_per_player=2")
    offered = terminal.until("You may type: ")
    assert offered is not None
    own = next(line for line in reversed(terminal.said) if line.startswith("You have: "))
    terminal.type("help")
    assert terminal.until("Type what you would say")
    terminal.type("WHO")
    assert terminal.until(" > Ada:")
    terminal.type("odds")
    assert terminal.until(("one ", "two ")) is not None
    terminal.type("dice")
    assert (terminal.until("You have: ") or "").rstrip() == own
    assert terminal.until(("Checked: ", "They are being checked"))
    terminal.type("repeat")
    assert terminal.until("You may type: ") == offered
    while (offered or "").startswith("You may type: "):
        terminal.type(answer(offered or ""))
        offered = terminal.until(("You may type: ", "Press Enter for the next round"))
    terminal.type("")
    assert terminal.until("You are ready for the next round.")
    assert terminal.until("You have: ")
    terminal.type("quit")
    assert terminal.until("Your seat is kept.")
    assert terminal.ended() == 0


def test_a_private_table_takes_whoever_has_its_link_and_begins_when_its_host_says(
    at_terminal: Callable[..., Terminal],
) -> None:
    host = at_terminal("--private", "--table", "Friday night", "--name", "Ada", "--option", "dice_per_player=1")
    told = host.until("The table is private.")
    assert told is not None
    link = re.findall(r"http\S+#invite=\S+", told)[0]
    assert host.until("The table waits for players.")
    uninvited = at_terminal(link.partition("#")[0], "--name", "Eve")
    assert uninvited.until("truecup: the service said no")
    guest = at_terminal(link, "--name", "Ben")
    assert guest.until("You sit at")
    assert host.until("Ben sits down.")
    host.type("rematch")
    assert host.until("You play again when this match is over.")
    guest.type("rematch")
    host.type("lock")
    assert host.until("You lock the table")
    host.type("kick carl")
    assert host.until("- nobody here is called carl")
    guest.type("unlock")
    assert guest.until("- ")
    host.type("hand over ben")
    assert guest.until("You are the host now.")
    guest.type("unlock")
    assert guest.until("You unlock the table")
    assert host.until("The host unlocks the table")
    guest.type("start")
    drawn = host.until(("The draw: you open", "The draw: Ben opens"))
    assert drawn is not None
    two = (host, guest) if drawn.startswith("The draw: you open") else (guest, host)
    for _ in range(12):
        for one in two:
            offered = one.until(("You may type: ", "You sit at"))
            assert offered is not None
            if offered.startswith("You sit at"):
                assert offered.split("/m/")[1] not in told
                return
            one.type(answer(offered))
    pytest.fail("the match did not end")


def test_who_is_taken_out_in_the_lobby_is_told_why_and_the_program_ends(at_terminal: Callable[..., Terminal]) -> None:
    host = at_terminal("--bots", "0", "--name", "Ada")
    told = host.until("You sit at")
    assert told is not None
    assert host.until("The table waits for players.")
    guest = at_terminal(re.findall(r"http[^\s,]+", told)[0], "--name", "Ben", "--no-own-key")
    assert host.until("Ben sits down.")
    assert guest.until("   Ben:")
    host.type("kick ben conduct")
    found = guest.until("The host took you out for your conduct. You may sit down again, or watch.")
    assert found, guest.said
    assert guest.ended() == 0
    host.type("quit")
    assert host.ended() == 0


@pytest.mark.parametrize(
    ("found", "kind", "takes"), [("textual", "xterm", True), (None, "xterm", False), ("textual", "dumb", False)]
)
def test_a_screen_is_taken_where_there_is_the_extra_and_a_terminal_that_can(
    found: str | None, kind: str, *, takes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not screen.takes_screens(), "nobody types here"
    monkeypatch.setattr(screen, "is_terminal", lambda: True)
    monkeypatch.setattr(screen, "find_spec", lambda _name: found)
    monkeypatch.setenv("TERM", kind)
    assert screen.takes_screens() is takes


def test_a_link_is_the_address_of_a_table_and_what_takes_a_seat_there() -> None:
    page = "http://127.0.0.1:8000/m/018f4e6a-7c00-4000-8000-000000000001"
    assert split_link(f"{page}#invite={INVITE}") == (page, INVITE)
    assert split_link(page) == (page, None)
    assert split_link(f"{page}#elsewhere") == (page, None)
    assert split_link(None) == (None, None)


def test_what_is_typed_is_known_whatever_its_letters_and_spaces() -> None:
    assert meant(" My   DICE ") == "dice"
    assert meant("5x3") is None
    assert all(meant(word) == name for name in CATALOGUE["terminal"]["typed"] for word in typed_words(name))
    listed = "\n".join(help_lines())
    powers = CATALOGUE["terminal"]["powers"]
    assert [name for name in powers["typed"] if power_word(name) not in "\n".join(power_lines())] == []
    assert powers["reasons"].keys() == set(get_args(Reason))
    assert all(typed_words(name)[0] in listed for name in CATALOGUE["terminal"]["typed"] if name != "help")


@pytest.mark.parametrize(
    ("chance", "words"),
    [("0", "impossible"), ("1/1000", "under 1 %"), ("1/2", "50 %"), ("999/1000", "over 99 %"), ("1", "certain")],
)
def test_what_may_be_is_never_said_to_be_certain(chance: str, words: str) -> None:
    assert chance_words(Fraction(chance)) == words


KNOWN: Final = {
    "viewer": 1,
    "seats": [{"seat": seat, "name": name} for seat, name in ((1, "Ada"), (2, "Bob"), (3, "Bobby"), (4, "Away"))],
}
"""A view, as far as powers look at it."""


@pytest.mark.parametrize(
    ("line", "command", "as_host"),
    [
        (" KICK   bob  conduct", {"type": "kick", "who": 2, "reason": "conduct"}, True),
        ("take out 3", {"type": "kick", "who": 3, "reason": "other"}, True),
        ("kick away", {"type": "kick", "who": 4, "reason": "other"}, True),
        ("kick away away", {"type": "kick", "who": 4, "reason": "away"}, True),
        ("rauswerfen bobb benehmen", {"type": "kick", "who": 3, "reason": "conduct"}, True),
        ("pause", {"type": "pause", "reason": "other"}, True),
        ("pause pause", {"type": "pause", "reason": "break"}, True),
        ("fortsetzen", {"type": "resume"}, True),
        ("give time bob", {"type": "give_time", "who": 2, "reason": "other", "ms": 60_000}, True),
        ("stand-in away", {"type": "stand_in", "who": 4}, True),
        ("stand in", {"type": "stand_in"}, False),
        ("back", {"type": "take_back"}, False),
        ("back Bobby", {"type": "take_back", "who": 3}, True),
        ("hand over bob", {"type": "hand_over", "to": 2}, True),
        ("lock", {"type": "lock"}, True),
        ("entsperren", {"type": "unlock"}, True),
        (" End   Match ", {"type": "end_match"}, True),
        ("end it trouble", {"type": "end_match", "reason": "trouble"}, True),
    ],
)
def test_a_power_is_typed_with_whose_seat_it_is_about_and_a_reason(
    line: str, command: dict[str, object], *, as_host: bool
) -> None:
    with speaking("de"):
        assert power_of(line, KNOWN) == (command, as_host)
    assert set(BODIES) >= {type(msgspec.convert(command, AnyPlay))}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("kick", "say whom: there are Bob (2), Bobby (3) and Away (4)"),
        ("kick carl", "nobody here is called carl"),
        ("kick bob rudeness", "nobody here is called bob rudeness"),
        ("hand over 9", "nobody here is called 9"),
        ("time bo", "more than one is called like bo: type the number of the seat"),
        ("pause for ever", "for ever is no reason: there are away, asked, conduct, trouble, break, other"),
        ("lock bob", "bob is no reason"),
    ],
)
def test_a_power_that_is_about_nobody_or_has_no_such_reason_is_refused_before_it_is_asked_for(
    line: str, why: str
) -> None:
    with pytest.raises(CannotDo, match=re.escape(why)):
        power_of(line, KNOWN)


def test_what_no_power_is_called_is_left_to_the_game() -> None:
    assert [power_of(line, KNOWN) for line in ("5x3", "liar", "", "kicked bob", "pass")] == [None] * 5


def test_no_power_is_called_as_something_that_is_typed_otherwise() -> None:
    for language in LANGUAGES:
        with speaking(language):
            powers = [word for words in CATALOGUE["terminal"]["powers"]["typed"].values() for word in words]
            assert [word for word in powers if meant(word)] == []
            moves = (words["typed"] for words in CATALOGUE["moves"].values())
            assert not set(powers) & {one for text in moves if isinstance(text, str) for one in text.split(", ")}


def test_the_link_to_a_seat_brings_its_seeds_as_that_of_the_page_does(tmp_path: Path) -> None:
    token, host = (f"truecup_{kind}_{'x' * 43}" for kind in ("seat", "host"))
    seat = structs.replace(DrawnSeat([], host=host, folder=tmp_path).sitting, token=token)
    link = re.findall(rf"http\S+/m/{MATCH}#\S+", link_line(seat, KNOWN))[0]
    assert brought_by(link) == SeatLink(1, token, host, key_of(seat))


def bidding(**members: object) -> dict[str, object]:
    """Return a view of a seat with two sixes, against two dice that it does not see."""
    known, hidden = ({"face": face, "shown": False, "cocked": False} for face in (6, None))
    seats = [{"seat": 1, "name": "Ada", "dice": [known] * 2}, {"seat": 2, "name": "Bob", "dice": [hidden] * 2}]
    view = {"game": "common_hand", "rules": {"options": {}}, "flags": [], "dice_in_play": 4, "faces": [1, 6]}
    view |= {"seats": seats, "cup": [], "viewer": 1, "title": "", "standing": None, "moves": [], "turn": None}
    return view | members


def test_a_prompt_says_how_likely_claims_are_where_that_is_wanted() -> None:
    standing = {"seat": 2, "quantity": 3, "face": 6, "words": "three sixes"}
    moves = [{"type": "bid", "minimum": [[4, 2], [4, 6]], "lowest": [[4, 2]], "quantity_max": 9}]
    view = bidding(standing=standing, moves=moves)
    told, plain = prompt(view, odds=True), prompt(view)
    assert [line for line in told if line not in plain] == [
        "How likely: three sixes, as Bob claims: 56 %; exactly that: 44 %; four twos: impossible; four sixes: 11 %"
    ]
    assert [line for line in told if line in plain] == plain
    assert prompt(view | {"game": "individual_hand"}, odds=True) == plain


def test_a_table_with_odds_says_them_until_they_are_turned_off(at_terminal: Callable[..., Terminal]) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Ada", "--option", "dice_per_player=2")
    assert terminal.until("How likely: ")
    offered = terminal.until("You may type: ")
    terminal.type("odds off")
    assert terminal.until("Odds are off. odds on shows them again.")
    while (offered or "").startswith("You may type: "):
        terminal.type(answer(offered or ""))
        offered = terminal.until(("You may type: ", "How likely: ", "Press Enter for the next round"))
    assert (offered or "").startswith("Press Enter")
    terminal.type("odds on")
    assert terminal.until("Odds are on. odds off takes them away.")
    terminal.type("")
    while not (offered or "").startswith("How likely: "):
        offered = terminal.until(("How likely: ", "Press Enter for the next round"))
        if (offered or "").startswith("Press Enter"):
            terminal.type("")
    terminal.type("quit")
    assert terminal.ended() == 0


def test_a_table_without_hints_tells_no_odds(at_terminal: Callable[..., Terminal]) -> None:
    terminal = at_terminal("--bots", "1", "--name", "Ada", "--no-hints")
    assert terminal.until("You may type: ")
    for typed in ("odds", "odds on", "no odds"):
        terminal.type(typed)
        assert terminal.until("This table is played without odds")
    assert not any("%" in line for line in terminal.said)
    terminal.type("quit")
    assert terminal.ended() == 0


def test_odds_are_of_the_standing_claim_and_of_the_smallest_raises() -> None:
    standing = {"seat": 2, "quantity": 3, "face": 6, "words": "three sixes"}
    moves = [{"type": "bid", "minimum": [[4, 2], [4, 6]]}]
    assert chance_lines(bidding(standing=standing, moves=moves)) == [
        "three sixes, as Bob claims: 56 %",
        "exactly that: 44 %",
        "four twos: impossible",
        "four sixes: 11 %",
    ]


@pytest.mark.parametrize(
    ("language", "claimed", "raised", "owned", "place"),
    [
        (
            "de",
            "drei Sechsen, wie Bob ansagt: 56 %",
            "vier Sechsen: 11 %",
            "2 Chips, 1 verlorene Runde",
            "den Topf",
        ),
        ("es", "tres seises, como canta Bob: 56 %", "cuatro seises: 11 %", "2 fichas, 1 mano perdida", "el bote"),
    ],
)
def test_odds_amounts_and_places_are_said_in_each_language(
    language: str, claimed: str, raised: str, owned: str, place: str
) -> None:
    view = bidding(standing={"seat": 2, "quantity": 3, "face": 6}, moves=[{"type": "bid", "minimum": [[4, 6]]}])
    with speaking(language):
        told = chance_lines(view)
        assert (told[0], told[-1]) == (claimed, raised)
        assert ledger_words({"balances": {"die": 3, "chip": 2, "loss": 1}}) == owned
        assert TerminalNames(view).of("pot") == place


def test_where_nothing_is_hidden_or_counted_there_are_no_odds() -> None:
    (told,) = chance_lines(bidding(seats=[]))
    assert told.startswith("There are no odds")
    (told,) = chance_lines(bidding(game="individual_hand"))
    assert told.startswith("There are no odds")


@pytest.mark.parametrize(("more", "offers"), [(False, 1), (True, 0)])
def test_nothing_is_offered_while_more_is_on_its_way_of_what_a_command_has_led_to(
    capsys: pytest.CaptureFixture[str], *, more: bool, offers: int
) -> None:
    table, turn = played(2)
    *before, last = items_of(table, turn)
    seat = DrawnSeat([*before, last | {"more": more}])

    async def sit() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(100 * SETTLED_S):
                await LineTable(cast(Any, seat), asyncio.Queue()).play()

    in_made_up_time(sit())
    assert capsys.readouterr().out.count("You may type: ") == offers
