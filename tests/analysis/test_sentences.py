"""Automatic words: which sentences an analysis comes to, and that their numbers stand where their pointers point."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import starmap
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.analysis.joining import analysis_of
from domain.analysis.record.following import follow
from domain.analysis.report import ToldSentence, document_of
from domain.fairness.records import split
from domain.match.record import fold
from projections.casting.caster import caster_frame
from projections.casting.sentences import (
    KEYS,
    LIVE,
    VARIANTS,
    found_at,
    is_figure,
    sentences,
    variant_of,
    with_sentences,
)
from services.analysis.making import WantedAnalysis, means_for
from services.policies.shelf import Shelf
from services.words.catalogue import LANGUAGES, count_words, message, sentences_in, speaking
from services.words.sentences import sentence_words
from tests.domain.test_every_game import OPTIONS, begun, play_on
from tests.sizes import cases

EXAMPLE: dict[str, Any] = json.loads((Path(__file__).parent / "example.json").read_text(encoding="utf-8"))
RECORDS = Path(__file__).parent / "vectors" / "records"
CHANCES = ("chance", "public", "read")
OF_LIVE = re.compile(r"/odds/(?:standing|raises/0)/(?:claim|chance/0)")
"""All that is pointed at while dice are hidden."""


def figure(ppm: int) -> list[Any]:
    return [ppm, "model"]


def claimed(version: int, seat: int, **more: Any) -> dict[str, Any]:
    """Return an event that claims three fours."""
    chances = {"public": figure(300_000), "seat": {"1": figure(250_000), "2": figure(333_333)}}
    claim = {"quantity": 3, "face": 4}
    about = {"round": 1, "type": "game.bid", "claim": claim, "own": 0, "chance": chances, "label": "bluff"}
    return {"version": version, "seat": seat, "after": "bluff", "outcome": "believed", **about, **more}


def decided(tag: str | None, *marks: str, played: int = 0) -> dict[str, Any]:
    options = [
        {"move": {"type": "bid", "quantity": 3, "face": 4}, "q": figure(456_789)},
        {"move": {"type": "challenge"}, "q": figure(-23_456)},
    ]
    about = {"options": options, "best": 0, "played": played, "points": figure(123_456)}
    return {"tag": tag, "marks": [*marks], **about}


def document(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "head": "0" * 64,
        "worth": {"kind": "match"},
        "seats": [{"seat": 1}, {"seat": 2}],
        "rounds": [],
        "events": [*events],
        "moments": [],
        **more,
    }


def equity(first: int) -> dict[str, Any]:
    return {"all": {"1": figure(first), "2": figure(1_000_000 - first)}}


READ = {"after": {"public": figure(654_321)}}
DOUBT = {"version": 8, "round": 1, "seat": 1, "type": "game.challenged"}
CALL = {**DOUBT, "decision": decided("best", "brilliant", played=1)}
DEALT = {"version": 5, "round": 1, "seat": None, "type": "cup.rolled"}
LUCKY = {"round": 1, "dealt": {"1": {"own": figure(-1)}, "2": {"own": figure(312_345), "mark": "lucky"}}}
SWING = {"version": 8, "kinds": ["swing", "call"], "seats": [1]}

CASES: dict[str, dict[str, Any]] = {
    "blunder": document(claimed(7, 2, decision=decided("blunder", played=1))),
    "mistake": document(claimed(7, 2, decision=decided("mistake", played=1))),
    **{mark: document(claimed(7, 2, decision=decided("good", mark))) for mark in ("brilliant", "bold", "only")},
    "caught": document(claimed(7, 2, outcome="caught")),
    "lucky": document(claimed(7, 2, label="semi-bluff", after="lucky", outcome="tested")),
    "passed": document(claimed(7, 2, outcome="passed")),
    "unlucky": document(claimed(7, 2, label="truthful", after="unlucky", outcome="caught")),
    "call": document(claimed(7, 2, outcome="tested"), claimed(7, 2, outcome="caught", read=READ), CALL),
    "missed_challenge": document(
        claimed(7, 2, read=READ), claimed(9, 1, decision=decided(None, "missed_challenge", played=1))
    ),
    "swing": document({**DEALT, "equity": equity(600_000)}, {**DOUBT, "equity": equity(10_000)}, moments=[SWING]),
    "dealt": document({**DEALT, "version": 4}, DEALT, claimed(7, 2), rounds=[LUCKY]),
}
"""A document in which each key of a finished match is said."""


def said_in(told: dict[str, Any]) -> list[tuple[int, str]]:
    return [(each.version, each.key) for each in sentences(told)]


# ---- which are said -----------------------------------------------------------------------------


def test_the_example_comes_to_the_sentences_that_it_says() -> None:
    assert [*msgspec.to_builtins(sentences(EXAMPLE))] == EXAMPLE["text"]


def test_an_analysis_gets_the_sentences_of_its_document() -> None:
    followed = follow(split((RECORDS / "one-die-each.cup").read_bytes()).lines)
    analysis = analysis_of(followed, means_for(followed, WantedAnalysis(), Shelf()))
    told = with_sentences(analysis)
    assert told.text == sentences(document_of(analysis))
    assert (22, "caught") in [(each.version, each.key) for each in told.text]


def test_every_key_of_a_match_that_is_over_is_said_of_its_case() -> None:
    assert {*CASES} | LIVE == {*KEYS}
    for key, told in CASES.items():
        assert key in [each.key for each in sentences(told)], key


def test_there_are_at_most_two_of_an_event_those_of_most_weight() -> None:
    event = claimed(7, 2, outcome="caught", decision=decided("blunder", "only", "bold", played=1))
    assert said_in(document(event)) == [(7, "caught"), (7, "blunder")]
    event = claimed(7, 2, decision=decided("good", "only", "bold"), outcome="passed")
    assert said_in(document(event)) == [(7, "bold"), (7, "only")]


@pytest.mark.parametrize(
    "event",
    [
        claimed(7, 2),
        claimed(7, 2, label="truthful", after="truthful", outcome="passed"),
        claimed(7, 2, outcome="caught", chance={"public": figure(1), "seat": {"2": "not_shown"}}),
        claimed(7, 2, decision={**decided("blunder"), "points": "no_stake"}),
        claimed(7, 2, decision={**decided("good", "only"), "options": [{}]}),
        {**DOUBT, "decision": decided("good", "bold")},
        {**DOUBT, "decision": decided("good", "missed_challenge")},
    ],
)
def test_where_a_figure_is_lacking_or_nothing_is_worth_a_word_none_is_said(event: dict[str, Any]) -> None:
    assert said_in(document(event)) == []


@pytest.mark.parametrize(
    ("first", "second", "moments"),
    [
        (600_000, 600_040, [SWING]),
        (600_000, 10_000, []),
        (600_000, 10_000, [{**SWING, "kinds": ["call"]}]),
        (600_000, 10_000, [{**SWING, "version": 5}]),
    ],
)
def test_a_turn_is_said_of_the_moment_in_which_the_match_turned(
    first: int, second: int, moments: list[dict[str, Any]]
) -> None:
    told = document({**DEALT, "equity": equity(first)}, {**DOUBT, "equity": equity(second)}, moments=moments)
    assert said_in(told) == []


def test_a_turn_is_not_said_without_both_figures_or_the_seats_report() -> None:
    hidden = {"all": "not_shown"}
    for before, after in ((hidden, equity(1)), (equity(1), hidden), ({}, equity(900_000))):
        told = document({**DEALT, "equity": before}, {**DOUBT, "equity": after}, moments=[SWING])
        assert said_in(told) == []
    assert said_in({**CASES["swing"], "seats": []}) == []


def test_a_doubt_is_said_where_it_was_brilliant_against_what_others_would_believe() -> None:
    doubtful = {"after": {"public": figure(499_999)}}
    told = [document(claimed(7, 2, outcome="caught", read=READ), each) for each in (CALL, DOUBT)]
    told += [document(claimed(7, 2, outcome="caught", read=doubtful), CALL)]
    told += [document(claimed(7, 2, round=2, outcome="caught", read=READ), CALL)]
    assert [(8, "call") in said_in(each) for each in told] == [True, False, False, False]


def test_a_deal_is_said_of_the_last_roll_before_anybody_acts() -> None:
    assert said_in(CASES["dealt"]) == [(5, "dealt")]
    plain = {"round": 1, "dealt": {"2": {"own": figure(-312_345), "mark": "unlucky"}}}
    assert said_in(document(DEALT, rounds=[plain])) == []
    assert said_in(document(claimed(7, 2), rounds=[LUCKY])) == []
    assert said_in(document(DEALT, rounds=[LUCKY], seats=[])) == []
    assert said_in(document({**DEALT, "round": 2}, rounds=[LUCKY])) == []


def test_an_analysis_inside_another_document_is_pointed_at_where_it_stands() -> None:
    inside = document(claimed(7, 2, outcome="caught"))
    (told,) = sentences(inside, "late", "/late")
    assert told.channel == "late"
    assert found_at({"late": inside}, told.args["claim"]) == {"quantity": 3, "face": 4}


def test_a_pointer_to_nothing_is_no_place() -> None:
    for pointer in ("/nothing", "/events/9"):
        with pytest.raises(LookupError):
            found_at(EXAMPLE, pointer)


def test_each_phrasing_of_a_key_is_chosen_by_head_version_and_key() -> None:
    found = [variant_of(f"{head:064x}", 7, "blunder") for head in range(64)]
    assert {*found} == {*range(VARIANTS)}
    digest = hashlib.sha256(("0" * 64 + "\n7\nblunder").encode()).digest()
    assert variant_of("0" * 64, 7, "blunder") == digest[0] % VARIANTS


# ---- what they say ------------------------------------------------------------------------------


def phrasings(told: dict[str, Any], each: ToldSentence) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the text of a sentence in every phrasing and language, with the document that it is read from."""
    heads = {variant_of(f"{head:064x}", each.version, each.key): f"{head:064x}" for head in range(64)}
    for head in heads.values():
        document = {**told, "head": head}
        for language in LANGUAGES:
            with speaking(language):
                yield document, sentence_words(document, each)


def numbers_in(text: str) -> set[Decimal]:
    """Return the numbers that are written in a text in digits, in the language spoken."""
    figures = message("figures")
    group, point = re.escape(figures["group"]), re.escape(figures["decimal"])
    found = re.findall(rf"(?<![\d\u2011])\u2212?\d+(?:{group}\d{{3}})*(?:{point}\d+)?(?![\d\u2011])", text)
    plain = (each.replace(figures["group"], "").replace(figures["decimal"], ".") for each in found)
    return {Decimal(each.replace("\u2212", "-")) for each in plain}


def numbers_at(told: dict[str, Any], each: ToldSentence) -> set[Decimal]:
    """Return the numbers that a sentence may say: those where its pointers point, as finely as they are said."""
    found = set()
    for name, pointer in each.args.items():
        value = found_at(told, pointer)
        if isinstance(value, int):
            whole = name == "seat" or pointer.endswith("/own")
            in_units = told.get("worth") == {"kind": "round", "unit": "chip"} and name not in {"points", *CHANCES}
            tenths = (Decimal(value) / (1_000_000 if in_units else 10_000)).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
            if name in CHANCES and 0 < value < 1_000_000:
                tenths = min(max(tenths, Decimal("0.1")), Decimal("99.9"))
            found.add(Decimal(value) if whole else tenths)
        elif isinstance(value, dict) and value.get("quantity", 0) > 12:
            found.add(Decimal(value["quantity"]))
    return found


def claims_in(text: str) -> set[tuple[int, int]]:
    """Return the counts that a text names in words."""
    lower = text.lower()
    words = {(quantity, face): count_words(quantity, face) for quantity in range(1, 13) for face in range(10)}
    found = {claim for claim, said in words.items() if re.search(rf"\b{said.lower()}\b", lower)}
    return {one for one in found if not any(words[one] in words[other] for other in found - {one})}


def claims_at(told: dict[str, Any], each: ToldSentence) -> set[tuple[int, int]]:
    values = (found_at(told, pointer) for pointer in each.args.values())
    moves = [value for value in values if isinstance(value, dict) and "quantity" in value]
    return {(value["quantity"], value["face"]) for value in moves if value["quantity"] <= 12}


def assert_bound(told: dict[str, Any], each: ToldSentence) -> None:
    """Check that a sentence says, in every phrasing and language, what stands where its pointers point, and no more."""
    for document, text in phrasings(told, each):
        assert text.endswith(".")
        assert "{" not in text
        assert numbers_in(text) == numbers_at(document, each), text
        if not any(
            isinstance(found_at(told, pointer), dict) and "shape" in found_at(told, pointer)
            for pointer in each.args.values()
        ):
            assert claims_in(text) == claims_at(document, each), text


@pytest.mark.parametrize("key", CASES)
def test_every_number_and_claim_of_a_sentence_stands_where_its_pointer_points(key: str) -> None:
    session = {**CASES[key], "worth": {"kind": "round", "unit": "chip"}}
    for told in (CASES[key], session):
        (each,) = [found for found in sentences(told) if found.key == key]
        assert_bound(told, each)


def test_the_sentences_of_the_example_are_read_back_from_its_figures() -> None:
    for each in sentences(EXAMPLE):
        assert_bound(EXAMPLE, each)


def test_a_number_of_its_own_would_be_found() -> None:
    (each,) = sentences(CASES["caught"])
    wrong = deepcopy(CASES["caught"])
    wrong["events"][0]["chance"]["seat"]["2"][0] = 444_444
    text = sentence_words(wrong, each)
    assert numbers_in(text) != numbers_at(CASES["caught"], each)


def test_people_are_called_by_their_names() -> None:
    (each,) = sentences(CASES["caught"])
    assert sentence_words(CASES["caught"], each, {2: "Eve"}) == (
        "Caught: three fours was a bluff, 33.3\u00a0% by Eve\u2019s own dice."
    )
    told = {**CASES["caught"], "head": "1" * 64}
    with speaking("de"):
        assert sentence_words(told, each, {1: "Ann"}) == (
            "Drei Vieren: ein Bluff, 33,3\u00a0% nach den eigenen Würfeln von Platz 2, und ertappt."
        )


def test_what_is_all_but_sure_is_not_said_to_be_so() -> None:
    (each,) = sentences(CASES["caught"])
    told = deepcopy(CASES["caught"])
    for ppm, said in ((0, " 0.0\u00a0%"), (499, "under 0.1\u00a0%"), (999_501, "over 99.9\u00a0%"), (10**6, "100.0")):
        told["events"][0]["chance"]["seat"]["2"][0] = ppm
        assert said in sentence_words(told, each)


def test_each_move_and_label_has_words_in_every_language() -> None:
    moves: list[dict[str, Any]] = [{"type": each} for each in message("analysis.did")["type"]]
    told, (caught,) = deepcopy(CASES["blunder"]), sentences(CASES["caught"])
    (each, *_) = sentences(told)
    for language in LANGUAGES:
        with speaking(language):
            for move in moves:
                told["events"][0]["decision"]["options"][1]["move"] = {**move, "shape": "pair", "faces": [3]}
                assert sentence_words(told, each)
            for label in message("analysis.label")["label"]:
                assert sentence_words(document(claimed(7, 2, label=label, after="lucky")), caught)


def test_no_message_of_a_sentence_has_a_number_and_each_has_all_its_phrasings() -> None:
    for language in LANGUAGES:
        said = sentences_in(language)["analysis"]["said"]
        assert {*said} == {*KEYS}
        assert all({*each["variant"]} == {"0", "other"} for each in said.values())
        assert VARIANTS == 2
        assert not re.search(r"\d", " ".join(text for each in said.values() for text in each["variant"].values()))


# ---- what is said while dice are hidden ----------------------------------------------------------


def early(frame: dict[str, Any]) -> list[str]:
    """Return what a frame says that is told of matches that are over alone, or points at anything of them."""
    pointers = [pointer for each in frame["text"] for pointer in each["args"].values()]
    keys = [each["key"] for each in frame["text"] if each["key"] not in LIVE or each["channel"] != "odds"]
    return keys + [pointer for pointer in pointers if not OF_LIVE.fullmatch(pointer)]


def live_frames(game: str, number: int) -> list[dict[str, Any]]:
    played = begun(game, drawn := random.Random(f"{game} {number}"))
    play_on(played, drawn, 40)
    return [msgspec.to_builtins(frame, str_keys=True) for frame in starmap(caster_frame, fold(played.lines))]


@pytest.mark.parametrize("game", OPTIONS)
def test_every_sentence_said_live_is_read_back_from_its_frame_and_points_at_public_odds(game: str) -> None:
    said = set[str]()
    for number in range(cases(2, 20)):
        for frame in live_frames(game, number):
            assert early(frame) == []
            for each in msgspec.convert(frame["text"], tuple[ToldSentence, ...]):
                said.add(each.key)
                assert all(
                    is_figure(found_at(frame, pointer.removesuffix("/0"))) == pointer.endswith("chance/0")
                    for pointer in each.args.values()
                )
                if frame["version"] % 5 == 0:
                    assert_bound(frame, each)
    assert said == LIVE


def test_a_sentence_on_a_match_that_is_over_is_found_where_it_is_said_live() -> None:
    frame = next(frame for frame in live_frames("common_hand", 0) if frame["text"])
    (over,) = msgspec.to_builtins(sentences(CASES["caught"]))
    assert early({**frame, "text": [*frame["text"], over]})
    looks = {**frame["text"][0], "args": {"claim": "/odds/standing/claim", "public": "/events/2/chance/seat/2/0"}}
    assert early({**frame, "text": [looks]}) == ["/events/2/chance/seat/2/0"]
