"""Whoever comes without a token: under which names they sit down, and under which keys they ask."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from uuid import uuid4

import pytest

from services.api.requests import VARIETY_MIN
from tests.api.conftest import RULES, Service, Table
from tests.api.test_problems import BID, Seated, check

# ---- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "   ", "a" * 41, "a\0b", "a\nb", "\u202eevil", "\u3164", "a" * 121, "Basil", "\u0410da", 5, None]
)
def test_nobody_takes_a_seat_under_what_is_no_name(table: Table, name: object) -> None:
    refused = table.client.post(f"{table.path}/seats", json={"name": name})

    assert refused.json()["code"] in {"bad_name", "malformed"}
    assert refused.status_code in {400, 422}
    assert table.client.get(table.path).json()["seats"] == []


def test_a_name_is_taken_without_the_space_around_it(table: Table) -> None:
    table.join("  Ada  ")

    assert table.client.get(table.path).json()["seats"][0]["name"] == "Ada"


@pytest.mark.parametrize(
    ("name", "why", "facts"),
    [
        ("a" * 41, "at most 40 columns wide", {"columns": 41, "most": 40}),
        ("A\u200bda", "cannot be seen: U+200B", {"characters": ["U+200B"]}),
        ("\u0410da", "mixes Cyrillic and Latin", {"scripts": ["Cyrillic", "Latin"]}),
        ("A" + "\u0301" * 39, "at most 3 on each", {"most": 3}),
        ("basil!", "Basil is what a bot of the house is called", {"bot": "Basil"}),
        ("...", "at least one letter, digit or symbol", {}),
        ("Truecup", "Truecup is what the house is called", {}),
        ("*true cup*", "Truecup is what the house is called", {}),
    ],
)
def test_a_name_that_is_none_is_refused_with_why(table: Table, name: str, why: str, facts: dict[str, object]) -> None:
    refused = table.client.post(f"{table.path}/seats", json={"name": name})

    check(refused, 422, "bad_name")
    assert why in refused.json()["detail"]
    assert refused.json().items() >= facts.items()


def test_two_at_a_table_are_told_apart(table: Table) -> None:
    table.join("Bop")
    for name in ("Bop", "bop", "\uff22\uff4f\uff50", "\u0412\u043e\u0440"):
        refused = table.client.post(f"{table.path}/seats", json={"name": name})

        check(refused, 409, "name_taken")
        assert refused.json()["seat"] == 1
    table.join("Bob")
    table.join("\u05d0\u05d1")
    assert [seat["name"] for seat in table.client.get(table.path).json()["seats"]] == ["Bop", "Bob", "\u05d0\u05d1"]


# ---- keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["a" * 16, "01" * 64, "abcdefg" * 3])
def test_a_key_that_earns_a_token_is_hard_to_guess(service: Service, table: Table, key: str) -> None:
    headers = {"Idempotency-Key": key}
    before = len(service.house.rooms)

    for path, body in (("/api/v1/matches", RULES), (f"{table.path}/seats", {"name": "Ada"})):
        refused = service.client.post(path, json=body, headers=headers)
        check(refused, 422, "weak_idempotency_key")
        assert refused.json()["characters"] == len(set(key)) < refused.json()["least"] == VARIETY_MIN
        assert "a UUID or 128 random bits" in refused.json()["detail"]
    assert len(service.house.rooms) == before
    assert table.client.get(table.path).json()["seats"] == []


def test_a_key_beside_a_token_is_the_tokens_own_and_may_be_anything(match: Seated) -> None:
    table, first, _ = match

    assert table.play(first, BID, **{"Idempotency-Key": "a" * 16}).status_code == 200


def test_hardly_any_random_key_is_refused_for_its_variety() -> None:
    """Count the keys of 32 hexadecimal digits with too few different ones: surjections, by inclusion and exclusion."""

    def words(length: int, letters: int) -> int:
        return sum((-1) ** k * comb(letters, k) * (letters - k) ** length for k in range(letters + 1))

    few = sum(comb(16, letters) * words(32, letters) for letters in range(1, VARIETY_MIN))
    assert 28_000_000 < Fraction(16**32, few) < 29_000_000
    assert all(len(set(str(uuid4()))) >= VARIETY_MIN for _ in range(1_000))
