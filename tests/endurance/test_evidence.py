"""The evidence of a verdict, which goes by open dice alone, against the rules that the count was judged by."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec import json

from domain.events import Judged
from domain.match.record import fold
from domain.rules.claims import ONE
from projections.frames import encode_frame, frame_of
from services.words.evidence import facts_of_count
from tests.endurance.test_rules_at_random import begun, step
from tests.sizes import cases

STEPS = 60
WITH_WILD = {"mixed", "wild", "no natural"}


@pytest.mark.parametrize("game", ["boss_liars", "common_hand", "liars_poker", "stud_liars"])
def test_words_count_ones_as_wild_where_the_rules_did(game: str) -> None:
    told = [one for number in range(cases(6, 100)) for one in counts(game, random.Random(f"{game} {number}"))]
    assert told
    for is_wild, verdict, view in told:
        tally = facts_of_count(verdict, view)["tally"]
        faces = [die["face"] for seat in view["seats"] for die in seat["dice"] if die["shown"]]
        helped = is_wild and verdict["face"] != ONE and ONE in faces
        assert tally == "hidden" or (tally in WITH_WILD) == helped, (verdict, faces)


def counts(game: str, drawn: random.Random) -> list[tuple[bool, dict[str, Any], dict[str, Any]]]:
    """Play on, and return each verdict on a count as people see it, after whether ones were wild."""
    table, found, before = begun(game, drawn), [], None
    for _ in range(STEPS):
        if not table.match.ended:
            step(table, drawn)
    for written, event in fold(table.lines):
        if isinstance(event, Judged) and event.count is not None and event.face is not None:
            assert before is not None
            assert before.match.table is not None
            seen = json.decode(encode_frame(frame_of(written, event, None, None, {}, more=False)))
            found.append((before.match.table.wild, seen["event"], seen["view"]))
        before = written
    return found
