"""One voice: terminal and page say the same of the same event, from one catalogue, which has a sentence for each."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import playwright
import pytest

from domain import commands
from domain.games import GAMES
from domain.match.record import TYPES
from domain.table.offers import Move
from projections.history import history
from services.web.assets import FOLDER
from services.words.catalogue import (
    CATALOGUE,
    LANGUAGES,
    amount_words,
    count_words,
    hand_words,
    join_names,
    say,
    sentence,
    speaking,
)
from services.words.events import sentence_of
from tests.domain.playing import Played
from tests.domain.test_every_game import OPTIONS, begun, play_on

NODE = Path(playwright.__file__).parent / "driver" / "node"
"""The wheel that the tests drive browsers with brings a Node of its own."""
RUNNER = Path(__file__).with_name("words_runner.js")
STEPS_MAX = 150
SHOWN = {
    "cup.revealed",  # the board shows it, and the verdict tells it
    "cup.rolled",
    "deal.closed",
    "deal.sealed",
    "game.choices_revealed",
    "game.direction_turned",  # the verdict on a reverse says so
    "game.seed_custody",
    "match.ended",
    "seed.committed",
    "seed.opened",
}
"""What a terminal says and a page shows."""


def frames_of(game: str) -> Iterator[dict[str, Any]]:
    """Yield the frames of random matches of a game, as a spectator and as its first seat get them."""
    for number, options in enumerate(OPTIONS[game]):
        played, drawn = begun(game, random.Random(number), options), random.Random(number)
        play_on(played, drawn, STEPS_MAX, STEPS_MAX // 2)
        for viewer in (None, 1):
            for frame in history(played.lines, viewer, {}, {}):
                yield msgspec.json.decode(frame)


def said_by_the_page(frames: list[dict[str, Any]], language: str = "en") -> list[str]:
    """Return what the page says of each of these frames."""
    given = b"\n".join(map(msgspec.json.encode, frames))
    run = subprocess.run(
        [NODE, "--no-warnings", RUNNER, FOLDER / "words", language], input=given, capture_output=True, check=False
    )
    assert run.returncode == 0, run.stderr.decode()
    return [msgspec.json.decode(line) for line in run.stdout.splitlines()]


def said_by_the_terminal(frames: list[dict[str, Any]]) -> list[str]:
    """Return what the terminal says of each of these frames."""
    earlier = [None, *(frame["view"] for frame in frames[:-1])]
    return [sentence_of(frame["event"], frame["view"], view) for frame, view in zip(frames, earlier, strict=True)]


@pytest.mark.parametrize("game", GAMES)
def test_a_terminal_and_a_page_say_the_same_of_every_event_of_every_game(game: str) -> None:
    frames = list(frames_of(game))
    for language in LANGUAGES:
        said = said_by_the_page(frames, language)

        assert len(said) == len(frames)
        with speaking(language):
            told = [
                (frame["event"]["type"], text) for frame, text in zip(frames, said_by_the_terminal(frames), strict=True)
            ]
        assert len(list(filter(None, said))) > 20
        assert [
            (text, other)
            for text, (kind, other) in zip(said, told, strict=True)
            if text != other and (text or kind not in SHOWN)
        ] == []


def test_who_gets_up_is_named_as_the_table_called_them_before() -> None:
    played = Played(seats=3)
    for player in ("ann", "bob"):
        played.do(commands.Join(player, "server"))
    played.do(commands.Leave(1))
    played.do(commands.Join("eve", "server"))
    names = {"ann": "Ann", "bob": "Bob", "eve": "Eve"}
    frames = [msgspec.json.decode(frame) for frame in history(played.lines, None, {}, names)]

    told = ["Ann sits down.", "Bob sits down.", "Ann leaves.", "Eve sits down."]
    assert [text for text in said_by_the_page(frames)[1:] if text] == told
    assert "Ann leaves." in said_by_the_terminal(frames)


POWERS: list[dict[str, Any]] = [
    {"type": "game.paused", "reason": "break"},
    {"type": "game.resumed", "why": "host"},
    {"type": "game.stood_in", "seat": 2, "why": "host"},
    {"type": "game.time_given", "seat": 2, "ms": 60_000, "reason": "other"},
    {"type": "game.taken_back", "seat": 2, "why": "host"},
    {"type": "game.locked"},
    {"type": "game.unlocked"},
    {"type": "game.kicked", "seat": 2, "reason": "conduct"},
    {"type": "game.end_asked", "why": "host", "reason": "away"},
]


def used(power: dict[str, Any], host: int | None, viewer: int | None, *, opened: bool) -> dict[str, Any]:
    """Return the frame of a power that the host has used, as seat 1 or as whoever opened the match."""
    seats = [{"seat": seat, "name": name, "dice": []} for seat, name in ((1, "Ann"), (2, "Bob"))]
    view = {"viewer": viewer, "host": host, "seats": seats, "cup": [], "faces": [1, 6], "turn": None}
    return {"event": power, "view": view | {"phase": "bidding", "title": ""}, "opened": opened}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_host_does_is_said_to_the_host_as_what_you_do_and_to_nobody_else(language: str) -> None:
    # As whoever opened the match, and as the seat that it was handed to; with a seat, and without one.
    hosts = [
        *((None, 1, True), (None, None, True), (1, 1, False)),
        *((None, 1, False), (None, None, False), (1, 3, True), (1, None, True)),
    ]
    frames = [used(power, host, viewer, opened=opened) for power in POWERS for host, viewer, opened in hosts]
    with speaking(language):
        told = [sentence_of(frame["event"], frame["view"], opened=frame["opened"]) for frame in frames]

    assert told == said_by_the_page(frames, language)
    for at in range(0, len(told), len(hosts)):
        own, others = set(told[at : at + 3]), set(told[at + 3 : at + len(hosts)])
        assert (len(own), len(others), own & others) == (1, 1, set())
    if language == "en":
        assert all(text.startswith("You ") for text in told[:: len(hosts)])
        assert not any("ou " in text for text in told[3 :: len(hosts)])


def judged(dice: list[list[int | None]], **verdict: Any) -> dict[str, Any]:
    """Return the frame of a verdict on a claim of seat 1: the dice of each cup that is shown, None for a hidden one."""
    seats = [
        {"seat": seat, "name": name, "dice": [{"face": face, "shown": face is not None} for face in cup]}
        for seat, name, cup in zip((1, 2), ("Ann", "Bob"), dice, strict=True)
    ]
    view = {"viewer": None, "seats": seats, "cup": [], "faces": [1, 6], "turn": None, "phase": "", "title": ""}
    unset = dict.fromkeys(("quantity", "face", "shape", "faces", "count"))
    blank = {"kind": "challenge", "claimant": 1, "doubters": [2], "winners": [], "losers": [], "out_of_turn": False}
    return {"event": {"type": "game.judged"} | blank | unset | verdict, "view": view}


SIXES: list[list[int | None]] = [[6, 6, 1, 1, 1], [6, 1, 1, 2, 3]]
HIDDEN: list[list[int | None]] = [[6, 6, 1, 1, 1], [None] * 5]
WILD: list[list[int | None]] = [[1, 1], [1, 2]]
PLAIN: list[list[int | None]] = [[6, 6], [2, 3]]


@pytest.mark.parametrize(
    ("dice", "verdict", "text"),
    [
        (
            SIXES,
            {"quantity": 7, "face": 6, "count": 8, "holds": True},
            "Three sixes and five wild ones: eight sixes, Ann's claim of seven holds.",
        ),
        (
            SIXES,
            {"quantity": 4, "face": 6, "count": 3, "holds": False},
            "Three sixes, Ann's claim of four falls.",
        ),
        (
            SIXES,
            {"kind": "spot_on", "quantity": 7, "face": 6, "count": 8, "holds": False},
            "Three sixes and five wild ones: eight sixes, not seven.",
        ),
        (
            SIXES,
            {"quantity": 5, "face": 1, "count": 5, "holds": True},
            "Five ones, Ann's claim of five holds.",
        ),
        (
            SIXES,
            {"quantity": 1, "face": 5, "count": 0, "holds": False},
            "No fives at all, Ann's claim of one falls.",
        ),
        (
            WILD,
            {"quantity": 4, "face": 6, "count": 3, "holds": False},
            "Three wild ones: three sixes, Ann's claim of four falls.",
        ),
        (
            WILD,
            {"quantity": 3, "face": 6, "count": 3, "holds": False},
            "Three wild ones and no sixes among them, Ann's claim of three falls.",
        ),
        (
            HIDDEN,
            {"quantity": 7, "face": 6, "count": 8, "holds": True},
            "There are eight sixes, Ann's claim of seven holds.",
        ),
        (
            PLAIN,
            {"quantity": 7, "face": 6, "count": 8, "holds": True},
            "There are eight sixes, Ann's claim of seven holds.",
        ),
        (
            SIXES,
            {"shape": "pair", "faces": [6], "holds": True},
            "Ann's claim of a pair of sixes holds: there lay two sixes and three ones.",
        ),
        (
            [[None, 6], [6, 6]],
            {"shape": "pair", "faces": [6], "holds": False},
            "Ann's claim of a pair of sixes falls.",
        ),
        (
            SIXES,
            {"kind": "pass", "holds": False},
            "Two sixes and three ones: Ann's dice do not all differ.",
        ),
    ],
)
def test_a_verdict_says_why_by_the_dice_that_everybody_sees(
    dice: list[list[int | None]], verdict: dict[str, Any], text: str
) -> None:
    frame, expected = judged(dice, **verdict), text.replace("'", "\u2019")
    assert sentence_of(frame["event"], frame["view"]) == expected
    assert said_by_the_page([frame]) == [expected]


def test_a_verdict_says_the_same_to_whoever_knows_some_of_the_hidden_dice() -> None:
    frame = judged(HIDDEN, quantity=7, face=6, count=8, holds=True)
    own = judged([*HIDDEN[:1], [6, 1, 1, 2, 3]], quantity=7, face=6, count=8, holds=True)
    for die in own["view"]["seats"][1]["dice"]:
        die["shown"] = False
    assert sentence_of(own["event"], own["view"]) == sentence_of(frame["event"], frame["view"])
    assert said_by_the_page([own]) == said_by_the_page([frame])


def test_the_catalogue_has_a_sentence_for_every_event_and_for_no_other() -> None:
    assert set(CATALOGUE["events"]) == set(TYPES)


def test_the_catalogue_has_words_for_every_move_that_may_be_offered() -> None:
    kinds = {kind.__struct_config__.tag for kind in Move.__subclasses__() if kind.__module__.startswith("domain.")}
    # Between two rounds there are no moves, and one thing to ask for.
    assert set(CATALOGUE["moves"]) == {*kinds, "continue"}
    made_by_form = {"arrange", "bid", "call"}
    assert {kind for kind, words in CATALOGUE["moves"].items() if "label" not in words} == made_by_form
    assert all(words["typed"] for words in CATALOGUE["moves"].values())


def messages(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every object of the catalogue that chooses among messages, with where it stands."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from messages(inner, f"{path}/{name}")
        if len(value) == 1 and isinstance(next(iter(value.values())), dict):
            yield path, value


def test_a_choice_names_one_argument_and_has_an_answer_for_every_value() -> None:
    for path, choice in messages({part: CATALOGUE[part] for part in ("events", "verdicts", "deeds", "moves")}):
        ((argument, cases),) = choice.items()
        closed = {"yes", "no", "none"} >= set(cases) or {"table", "passed"} & set(cases)
        assert "other" in cases or closed, (path, argument)


def test_no_sentence_lets_an_argument_stand() -> None:
    assert say({"n": {"1": "one {n}", "other": "{n.words}"}}, {"n": "2", "n.words": "two"}) == "two"
    with pytest.raises(KeyError):
        say("{nobody}", {})
    assert not re.search(r"[{}]", sentence(join_names([amount_words(3, "unit"), count_words(2, 6)])))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (amount_words(1, "die"), "a die"),
        (amount_words(0, "die"), "no dice"),
        (amount_words(13, "glass"), "13 glasses"),
        (amount_words(2, "thimble"), "two thimbles"),
        (count_words(1, 6), "one six"),
        (count_words(0, 3), "no threes"),
        (count_words(5, 14), "five aces"),
        (hand_words("two_pair", (13, 10)), "two pair, kings and tens"),
        (hand_words("pair", (3, 6, 2)), "a pair of threes, with six two"),
        (hand_words("score", (6, 4)), "6\u20114"),
        (join_names([]), "nobody"),
        (join_names(["Ann", "Bob", "Eve"]), "Ann, Bob and Eve"),
        (sentence(""), ""),
    ],
)
def test_amounts_claims_and_rows_of_names_are_said_as_people_say_them(said: str, text: str) -> None:
    assert said == text
