"""The form of every game, and the rules its tables read out, made from the schema of its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.games import GAMES, options_of
from domain.match.evolve import open_match
from domain.match.settings import HOUSE_IDLE, HostPowers
from services.http.game_cards import cards
from services.web.options import Field, Needs, fields_of, groups, rules_in_words

CARDS = {card.name: msgspec.to_builtins(card) for card in cards()}


def described(name: str) -> dict[str, Any]:
    """Return the schema of every option of a game and of every member of one, as `drinks.basis`."""
    schema = CARDS[name]["options"]
    defs = schema["$defs"]
    found = dict(defs[schema["$ref"].rpartition("/")[2]]["properties"])
    for option, part in list(found.items()):
        for ref in [one["$ref"] for one in part.get("anyOf", ()) if "$ref" in one]:
            inner = defs[ref.rpartition("/")[2]]["properties"]
            found |= {f"{option}.{member}": what for member, what in inner.items()}
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_option_and_every_value_of_a_game_has_words_of_its_own(name: str) -> None:
    for option, part in described(name).items():
        assert part["title"][0].isupper(), option
        assert "_" not in part["title"], option
        assert part["x-group"], option
        nothing = (
            {"null"} if part.get("anyOf", ({},))[-1] == {"type": "null"} and "$ref" not in part["anyOf"][0] else {}
        )
        words = part.get("x-words", {})
        assert {*words} == {*part.get("enum", ()), *nothing}, option
        assert all(text and "_" not in text for text in words.values()), option
        assert len({*words.values()}) == len(words), option


@pytest.mark.parametrize("name", GAMES)
def test_what_an_option_needs_is_another_option_with_a_value_it_can_have(name: str) -> None:
    fields = {field.name: field for field in fields_of(CARDS[name])}
    needs = [field.needs for field in fields.values()]
    needs += [choice.needs for field in fields.values() for choice in field.choices]

    for needed, values in (pair for need in needs for pair in need.items()):
        possible = [True] if fields[needed].kind == "switch" else [choice.value for choice in fields[needed].choices]
        assert {*values} < {*possible, None}, needed


@pytest.mark.parametrize("name", GAMES)
def test_the_form_of_a_game_has_a_field_with_the_default_for_every_option(name: str) -> None:
    fields = {field.name: field for group in groups(CARDS[name]) for field in group.fields}
    assert {*fields} == {*described(name)}

    for option, value in CARDS[name]["defaults"].items():
        field = fields[option]
        assert field.value == (value is not None if field.kind == "switch" and value is None else value), option


@pytest.mark.parametrize("name", GAMES)
@given(data=st.data())
def test_the_rules_accept_whatever_the_form_lets_through(name: str, data: st.DataObject) -> None:
    fields = fields_of(CARDS[name])
    chosen = {field.name: data.draw(_values(field)) for field in fields}
    for field in fields:
        allowed = [choice.value for choice in field.choices if _met(choice.needs, chosen)]
        if field.kind == "choice" and chosen[field.name] not in allowed:
            chosen[field.name] = allowed[0]
    sent: dict[str, Any] = {}
    for field in (field for field in fields if _met(field.needs, chosen)):
        option, _, member = field.name.partition(".")
        holds_members = any(other.name.startswith(f"{field.name}.") for other in fields)
        if member:
            sent[option] = {**sent[option], member: chosen[field.name]}
        elif not holds_members or not chosen[field.name]:
            sent[option] = None if holds_members else chosen[field.name]
        else:
            sent[option] = {}

    assert options_of(name, sent)


def _values(field: Field) -> st.SearchStrategy[Any]:
    if field.kind == "switch":
        return st.booleans()
    # How numbers go together (a slip has no fewer than are played) is for the rules to say.
    return st.sampled_from([choice.value for choice in field.choices] or [field.value])


def _met(needs: Needs, chosen: Mapping[str, Any]) -> bool:
    return all(chosen[name] in values for name, values in needs.items())


def rules(name: str, options: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    given = msgspec.to_builtins(options_of(name, dict(options or {})))
    usual = {"deal_per": "match", "seats": 2, "clock": None, "idle": msgspec.to_builtins(HOUSE_IDLE)}
    usual |= {"host": msgspec.to_builtins(HostPowers())}
    return {"game": name, "options": given, **usual, **more}


def told(name: str, options: Mapping[str, Any] | None = None, **more: Any) -> dict[str, str]:
    return {line.label: line.value for line in rules_in_words(CARDS[name], rules(name, options, **more))}


def test_rules_that_do_not_count_are_not_read_out() -> None:
    assert "Spot on, right" not in told("common_hand")
    assert told("common_hand", {"spot_on": True})["Spot on, right"] == "all others lose a die"
    assert "Wager in chips" not in told("common_hand")
    assert "Ante in chips" in told("boss_liars", {"stakes": "money"})
    assert "Drinks each time" not in told("common_hand")
    assert told("common_hand", {"drinks": {"basis": "round"}})["Drinks are counted by"] == "rounds lost"


def test_what_is_off_as_usual_is_not_read_out_but_what_was_switched_off_is() -> None:
    assert "Push dice and roll the others again" not in told("common_hand")
    assert told("liars_poker", {"rebid": False})["Who is doubted by all may raise once more"] == "no"


def test_a_rule_that_is_not_the_usual_one_is_marked() -> None:
    lines = rules_in_words(CARDS["mexican"], rules("mexican", {"forty_one": "impose"}))

    assert [line.label for line in lines if not line.usual] == ["Four-one"]


def test_house_rules_that_people_know_by_a_name_are_called_so() -> None:
    assert told("common_hand", GAMES["common_hand"].presets["perudo"])["Known as"] == "Perudo"
    assert "Known as" not in told("common_hand")


def test_what_may_be_left_out_says_what_that_means() -> None:
    assert told("stanford")["Lost rounds that put a seat out"] == "none: they are only counted"
    assert told("stanford", {"lives": 3})["Lost rounds that put a seat out"] == "3"


@pytest.mark.parametrize(("late", "words"), [("act", "the table acts"), ("forfeit", "the seat is out")])
def test_clocks_are_read_out_with_what_happens_when_time_runs_out(late: str, words: str) -> None:
    clock = {"bank_ms": 90_000, "increment_ms": 5_000, "on_timeout": late}

    assert told("mexican", clock=clock)["Clocks"].startswith("1:30 each, and 5 s a turn")
    assert words in told("mexican", clock=clock)["Clocks"]


def test_what_becomes_of_people_who_stop_is_read_out() -> None:
    usual = told("finska")
    assert usual["Who stops"] == (
        "after 3 min in a turn the table acts for the seat, and after 3 such turns in a row it is out"
    )
    assert usual["Who is away"] == "wins nothing when the others leave because of it"
    assert usual["Own seeds"].startswith("1 min in the whole match")
    assert usual["A table nobody comes to"] == "closes after 30 min"
    assert usual["Bots left alone"] == "end after 10 min in which nobody looks"
    assert usual["The host"].startswith("may end the match at any time")
    assert told("finska", idle=None)["Who stops"] == "keeps the others waiting until they leave"


def test_a_bot_that_plays_on_is_read_out_instead_of_a_seat_that_is_out() -> None:
    idle = {**msgspec.to_builtins(HOUSE_IDLE), "then": "stand_in"}
    lines = {line.label: line for line in rules_in_words(CARDS["finska"], rules("finska", idle=idle))}
    assert lines["Who stops"].value == (
        "after 3 min in a turn the table acts for the seat, and after 3 such turns in a row a house bot plays on for it"
    )
    assert lines["Who stops too often"].value.startswith("is played for by a house bot")
    assert not lines["Who stops too often"].usual


def test_what_a_host_may_do_and_what_begins_the_match_is_read_out() -> None:
    usual = told("finska")
    assert "pause the table, for 30 min in all" in usual["The host, besides"]
    assert "keeps it waiting for 30 s" in usual["The host, besides"]
    assert "The match begins" not in usual
    assert told("finska", host=None)["The host, besides"] == "may do nothing else"
    assert told("finska", start="full")["The match begins"] == "by itself, once every seat is taken"
    timed = told("finska", starts_at=1_795_802_400_000, idle=msgspec.to_builtins(HOUSE_IDLE))["The match begins"]
    assert timed.startswith("at 2026-11-27 18:00 UTC, with whoever has a seat")


def test_rules_are_read_out_as_a_match_has_them_which_leaves_out_what_came_later() -> None:
    asked = {"game": "finska", "options": {}, "seats": 3, "idle": {}}
    lines = {line.label: line for line in rules_in_words(CARDS["finska"], open_match(UUID(int=1), asked).rules)}
    assert "then" not in open_match(UUID(int=1), asked).rules["idle"]
    assert lines["Who stops"].usual


@pytest.mark.parametrize(
    ("idle", "clock", "words"),
    [
        ({"turn_ms": 90_000}, None, "after 1:30 min in a turn the table acts for the seat"),
        ({"turn_ms": 45_000, "turns": 1}, None, "after 45 s in a turn the table acts for the seat, and it is out"),
        ({}, {"bank_ms": 60_000, "increment_ms": 0, "on_timeout": "act"}, "when the clock runs out the table acts"),
        ({}, {"bank_ms": 60_000, "increment_ms": 0, "on_timeout": "forfeit"}, "is out when the clock runs out"),
    ],
)
def test_how_long_one_may_stop_is_said_with_its_numbers(
    idle: dict[str, int], clock: dict[str, Any] | None, words: str
) -> None:
    lasting = {**msgspec.to_builtins(HOUSE_IDLE), **idle}
    assert told("finska", idle=lasting, clock=clock)["Who stops"].startswith(words)
    lines = rules_in_words(CARDS["finska"], rules("finska", idle=lasting, clock=clock))
    assert [line.label for line in lines if not line.usual] == ["Who stops"] * bool(idle)


def test_what_deals_publish_and_wait_for_is_read_out() -> None:
    assert told("finska")["When a deal is over"] == "all its dice are published"
    assert "A public beacon" not in told("finska")
    lines = {line.label: line.value for line in rules_in_words(CARDS["finska"], rules("finska", beacon={}), "shown")}
    assert lines["When a deal is over"] == "dice not shown stay secret"
    assert told("finska", beacon={"chain": "00"})["A public beacon"] == "each deal waits for it"
