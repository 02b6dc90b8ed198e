"""Options that cannot be meant so, in every game: refused when a match is opened, with the option's name.

The options are walked as their schema tells them, so that a new one is covered on the day it comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

import msgspec
import pytest

from domain.errors import Refused
from domain.games import GAMES
from domain.match.evolve import open_match

MATCH = UUID(int=7)
OF_EVERY_TYPE: Final[tuple[Any, ...]] = (None, True, 1, 1.5, "", "1", [], {}, [1], {"a": 1})
JSON_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "string": (str,),
    "object": (dict,),
}
Path = tuple[str, ...]
Schema = dict[str, Any]


def opened(game: str, options: Any, **rules: Any) -> Any:
    return open_match(MATCH, {"game": game, "options": options, **rules})


def named(game: str, options: Any, **rules: Any) -> object:
    """Return the option that a refusal names."""
    with pytest.raises(Refused) as caught:
        opened(game, options, **rules)
    assert caught.value.code == "bad_options"
    return caught.value.facts["option"]


# ---- the schema of a game's options -------------------------------------------------------------


def schema_of(game: str) -> tuple[Schema, dict[str, Schema]]:
    document = msgspec.json.schema(GAMES[game].options)
    kinds = document["$defs"]
    return kinds[document["$ref"].rpartition("/")[2]], kinds


def properties(schema: Schema, kinds: dict[str, Schema], at: Path = ()) -> Iterator[tuple[Path, list[Schema]]]:
    """Yield every option with the shapes it may have, those of objects within it after them."""
    for name, each in schema["properties"].items():
        shapes = [resolved(shape, kinds) for shape in each.get("anyOf", [each])]
        yield (*at, name), shapes
        for shape in shapes:
            if "properties" in shape:
                yield from properties(shape, kinds, (*at, name))


def resolved(shape: Schema, kinds: dict[str, Schema]) -> Schema:
    return kinds[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape


OPTIONS: Final = [
    pytest.param(game, path, shapes, id=f"{game}-{'.'.join(path)}")
    for game in GAMES
    for path, shapes in properties(*schema_of(game))
]


def types_of(shape: Schema) -> tuple[type, ...]:
    if "enum" in shape:
        return tuple({type(value) for value in shape["enum"]})
    return JSON_TYPES[shape["type"]]


def within(game: str, path: Path, value: Any) -> dict[str, Any]:
    """Return options with this value at a path; what stands beside it in an object is as it has to be."""
    if len(path) == 1:
        return {path[0]: value}
    shape = next(
        shape
        for at, shapes in properties(*schema_of(game))
        if at == path[:1]
        for shape in shapes
        if "required" in shape
    )
    needed = {name: shape["properties"][name]["enum"][0] for name in shape["required"]}
    return {path[0]: {**needed, path[1]: value}}


# ---- one option that cannot be ------------------------------------------------------------------


@pytest.mark.parametrize(("game", "path", "shapes"), OPTIONS)
def test_an_option_of_another_type_is_refused_by_name(game: str, path: Path, shapes: list[Schema]) -> None:
    lawful = {kind for shape in shapes for kind in types_of(shape)}
    others = [value for value in OF_EVERY_TYPE if type(value) not in lawful]
    assert len(others) >= len(OF_EVERY_TYPE) - 4
    for value in others:
        assert named(game, within(game, path, value)) == ".".join(path), value


@pytest.mark.parametrize(("game", "path", "shapes"), OPTIONS)
def test_an_option_out_of_its_range_is_refused_by_name(game: str, path: Path, shapes: list[Schema]) -> None:
    beyond: list[Any] = []
    for shape in shapes:
        if "enum" in shape:
            beyond += ["nothing of the kind", shape["enum"][0].upper()]
        elif shape["type"] == "integer":
            beyond += [shape["minimum"] - 1, shape["maximum"] + 1, 10**30]
    for value in beyond:
        assert named(game, within(game, path, value)) == ".".join(path), value


@pytest.mark.parametrize(("game", "path", "shapes"), OPTIONS)
def test_both_ends_of_a_range_and_every_name_are_options(game: str, path: Path, shapes: list[Schema]) -> None:
    for shape in shapes:
        for value in (*shape.get("enum", ()), *(shape[end] for end in ("minimum", "maximum") if end in shape)):
            options = within(game, path, value)
            # Alone it may contradict another option, which is told in other words than a value that cannot be.
            assert why_not(game, options) in {None, *WHYS}
            if why_not(game, options) is None:
                assert at(opened(game, options).rules["options"], path) == value


def why_not(game: str, options: Any) -> object:
    try:
        opened(game, options)
    except Refused as refused:
        return refused.facts["why"]
    return None


def at(options: Any, path: Path) -> object:
    for name in path:
        options = options[name]
    return options


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("options", [None, [], "", 3, True])
def test_options_that_are_no_object_are_refused(game: str, options: Any) -> None:
    assert named(game, options) == "options"


@pytest.mark.parametrize("game", GAMES)
def test_an_option_nobody_knows_is_refused_by_name(game: str) -> None:
    known = set(schema_of(game)[0]["properties"])
    everybodys = {name for other in GAMES for name in schema_of(other)[0]["properties"]}
    for name in (*sorted(everybodys - known), "bogus", "Lives", "rules"):
        assert named(game, {name: 1}) == name


# ---- options that contradict each other ---------------------------------------------------------

CONTRADICTIONS: Final = [
    ("common_hand", {"stakes": "per_round"}, "stakes", "per_round needs elimination to be none"),
    (
        "common_hand",
        {"stakes": "winner_take_all", "elimination": "none"},
        "stakes",
        "winner_take_all needs elimination to be lose_die",
    ),
    (
        "common_hand",
        {"drinks": {"basis": "die"}, "elimination": "none"},
        "drinks.basis",
        "die needs elimination to be lose_die",
    ),
    ("boss_liars", {"buy_back": True}, "buy_back", "needs stakes to be money"),
    ("boss_liars", {"buy_back": True, "stakes": "drinks"}, "buy_back", "needs stakes to be money"),
    ("boss_liars", {"doubles": True}, "doubles", "needs stakes to be money"),
    (
        "liars_poker",
        {"slip_plays": 16},
        "slip_plays",
        "a slip has fewer numbers than are to be played",
    ),
    (
        "liars_poker",
        {"single_use": True},
        "single_use",
        "only numbers that are shown can be told from used ones",
    ),
    (
        "liars_poker",
        {"single_use": True, "reveal": "full", "numbers": "slips"},
        "single_use",
        "a number of a slip is played once as it is",
    ),
]
WHYS: Final = {why for _, _, _, why in CONTRADICTIONS}


@pytest.mark.parametrize(("game", "options", "option", "why"), CONTRADICTIONS)
def test_options_against_each_other_are_refused_by_the_name_of_one(
    game: str, options: dict[str, Any], option: str, why: str
) -> None:
    assert (named(game, options), why_not(game, options)) == (option, why)


# ---- the match around the game ------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_more_or_fewer_seats_than_a_game_has_are_refused(game: str) -> None:
    lowest, highest = GAMES[game].rules(GAMES[game].options()).seats
    assert {named(game, {}, seats=seats) for seats in (lowest - 1, highest + 1)} == {"seats"}
    for seats in {lowest, highest}:
        assert opened(game, {}, seats=seats).rules["seats"] == seats


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_that_would_publish_dice_that_stay_hidden_is_refused(game: str) -> None:
    if "round" not in GAMES[game].rules(GAMES[game].options()).deals:
        assert named(game, {}, deal_per="round") == "deal_per"
    else:
        assert opened(game, {}, deal_per="round").rules["deal_per"] == "round"
