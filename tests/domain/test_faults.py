"""Faults in the shape of something that came, in our words, and in none of those of the library that reads it."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from uuid import UUID

import msgspec
import pytest
from msgspec import Meta, Struct

from domain.faults import ShapeFault, fault_of, words_of

THEIRS = re.compile(r"Expected|Object|Invalid|required|field|regex|`|\bgot\b|\bstr\b|\bint\b|\barray\b|length|enum")
"""Words that the library uses, and we do not."""


class Inner(Struct):
    n: Annotated[int, Meta(ge=1, le=3)] = 1


class Bidding(Struct, tag_field="type", tag="bid", forbid_unknown_fields=True):
    n: Annotated[int, Meta(ge=1, le=3)] = 1
    text: Annotated[str, Meta(min_length=2, max_length=3)] = "aa"
    like: Annotated[str, Meta(pattern="^a/b$")] = "a/b"
    some: Annotated[list[int], Meta(min_length=1, max_length=2)] = []
    pair: tuple[int, int] = (1, 2)
    named: Annotated[dict[str, int], Meta(max_length=1)] = {}
    word: Literal["x", "y"] = "x"
    count: Literal[1, 2] = 1
    id: UUID | None = None
    yes: bool = False
    share: Annotated[float, Meta(ge=0.5)] = 1.0
    inner: list[Inner] = []


class Needing(Struct, tag_field="type", tag="need"):
    need: int


def read(text: bytes) -> ShapeFault:
    """Return the fault of a text."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(text, type=Bidding | Needing)
    return fault_of(caught.value)


def fault(given: object) -> ShapeFault:
    """Return the fault of what is given, which is as values what it is as a text, or says more of it."""
    found = read(msgspec.json.encode(given))
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(given, Bidding | Needing)
    told = fault_of(caught.value)
    assert told.path == found.path
    assert told.why.startswith(found.why)
    return found


@pytest.mark.parametrize(
    ("given", "pointer", "why"),
    [
        ({}, "#/type", "this is needed, and is missing"),
        ([], "#", "this is to be an object, and is a list"),
        ({"type": "bet"}, "#/type", "this is none of the values that are known here"),
        ({"type": 3}, "#/type", "this is to be a text"),
        ({"type": "need"}, "#/need", "this is needed, and is missing"),
        ({"type": "bid", "n": 4}, "#/n", "this is to be at most 3"),
        ({"type": "bid", "n": 0}, "#/n", "this is to be at least 1"),
        ({"type": "bid", "n": "1"}, "#/n", "this is to be a whole number, and is a text"),
        ({"type": "bid", "n": 1.5}, "#/n", "this is to be a whole number, and is a number with decimals"),
        ({"type": "bid", "n": True}, "#/n", "this is to be a whole number, and is true or false"),
        ({"type": "bid", "text": "a"}, "#/text", "this is to have at least 2 characters"),
        ({"type": "bid", "text": "abcd"}, "#/text", "this is to have at most 3 characters"),
        ({"type": "bid", "like": "a\nb"}, "#/like", "this is to be written like ^a/b$"),
        ({"type": "bid", "some": []}, "#/some", "this is to have at least 1 place"),
        ({"type": "bid", "some": [1, 2, 3]}, "#/some", "this is to have at most 2 places"),
        ({"type": "bid", "some": [1, None]}, "#/some/1", "this is to be a whole number, and is null"),
        ({"type": "bid", "pair": [1]}, "#/pair", "this is to have 2 places"),
        ({"type": "bid", "named": {"a": 1, "b": 2}}, "#/named", "this is to have at most 1 member"),
        ({"type": "bid", "named": {"a": "x"}}, "#/named", "this is to be a whole number, and is a text"),
        ({"type": "bid", "word": "q`"}, "#/word", "this is none of the values that are known here"),
        ({"type": "bid", "count": 3}, "#/count", "this is none of the values that are known here"),
        ({"type": "bid", "id": "zz"}, "#/id", "this is no UUID"),
        ({"type": "bid", "id": {}}, "#/id", "this is to be a UUID or null, and is an object"),
        ({"type": "bid", "yes": None}, "#/yes", "this is to be true or false, and is null"),
        ({"type": "bid", "share": 0.25}, "#/share", "this is to be at least 0.5"),
        ({"type": "bid", "a/b~c\n": 1}, "#/a~1b~0c\n", "nothing here has this name"),
        ({"type": "bid", "inner": [{}, {"n": 9}]}, "#/inner/1/n", "this is to be at most 3"),
    ],
)
def test_a_fault_says_where_it_is_and_what_belongs_there(given: object, pointer: str, why: str) -> None:
    found = fault(given)
    assert (found.pointer, found.why) == (pointer, why)
    assert THEIRS.search(why) is None


def test_a_number_that_nobody_can_hold_is_too_large() -> None:
    assert read(b'{"type":"bid","share":1e400}') == ShapeFault(("share",), "this number is too large")


def test_a_place_is_named_for_programs_and_for_people() -> None:
    found = fault({"type": "bid", "inner": [{}, {"n": 9}]})
    assert (found.where, found.named) == ("$.inner[1].n", "inner.1.n")
    whole = fault([])
    assert (whole.where, whole.named) == ("$", "")


def test_what_the_library_may_say_one_day_is_not_handed_on() -> None:
    assert words_of("Expected `frobnicator`, got `str`") == "this is to be something else, and is a text"
    assert words_of("Frobnication failed") == "this is not what belongs here"
