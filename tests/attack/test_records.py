"""Attacks on the auditor: records whose own lines are no lines of the game."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import msgspec
import pytest

from domain.fairness.records import RecordLine
from services.audit.findings import findings
from services.audit.seeds import Seeds, seeds_of
from services.audit.verdict import Verdict, verdict_of
from tests.fairness.javascript_auditor import NODE, STATIC, Ask, run
from tests.fairness.scripted_server import POLICY, Story


def line(kind: str, data: dict[str, Any]) -> RecordLine:
    return RecordLine(1, kind, data, 0)


@pytest.mark.parametrize("data", [{}, {"seat": [1]}, {"seat": {}}, {"seat": None}, {"seat": "1"}])
def test_a_custody_line_that_names_no_seat_is_judged_and_breaks_nothing(data):
    sealed = line("deal.sealed", {"deal": 0, "seats": [1], "beacon": None})
    lines = [line("game.seed_custody", data), sealed, line("deal.ready", {"deal": 0, "mix": "0" * 64, "beacon": None})]
    assert seeds_of(lines) == Seeds((1,), ())


BUT = "other than by throwing a whole deal away in sight of all"
ALONE = (
    "It could choose the dice, before anything was logged: it drew the seeds of all seats, and nobody else had a say."
)
ALL_HELPERS = (
    f"It could not choose a die, {BUT}, unless all seats of its deal helped it: the record says that every seat drew "
    "its own seed."
)
ONE_HELPER = (
    f"It could not choose a die of any other deal, {BUT}, unless seat 1, of which the record says that it drew its own "
    "seed, helped it; for seats 2 and 3 it drew seeds."
)

# ---- whose chance it was --------------------------------------------------------------------------


def in_custody(*seats: int) -> Story:
    story = Story().created().joined(1, 2, 3)
    for seat in seats:
        story.say("game.seed_custody", seat=seat, by="server")
    return story


def dealt(story: Story, *seats: int) -> Story:
    story.committed().seeded(*seats).sealed(seats=list(seats)).logged().opened(*seats)
    return story.ready().rolled().revealed().closed()


def left_and_taken_by(player: str) -> Story:
    """Return a lobby where seat 2, whose seeds the server drew, is given up and taken anew."""
    return in_custody(2).say("seat.left", seat=2, reason="left").say("seat.joined", seat=2, player=player)


def voided(story: Story, *seats: int, by: int) -> Story:
    story.committed().seeded(*seats).sealed(seats=list(seats)).logged().opened(*(seat for seat in seats if seat != by))
    return story.voided(by).closed().say("seat.left", seat=by, reason="withheld")


def said_of(story: Story) -> tuple[Verdict, list[str]]:
    found = verdict_of(story.ended().record(), POLICY, (1, 2))
    assert found.status == "OK", found
    return found, [each for each in findings(found, judged_log=True).possible if "choose" in each]


def test_a_seat_whose_only_deal_was_voided_had_no_say_in_those_that_were_played():
    found, said = said_of(dealt(voided(in_custody(2, 3), 1, 2, 3, by=1), 2, 3))
    assert found.seeds == Seeds((), (2, 3), reused=(2, 3), withheld=(1,), unseeded=(1,), drawn=(1,))
    assert said == [ALONE]


def test_deals_that_the_server_chose_alone_are_named():
    found, said = said_of(dealt(dealt(in_custody(2, 3), 1, 2, 3), 2, 3))
    assert found.seeds == Seeds((1,), (2, 3), reused=(2, 3), unseeded=(1,), drawn=(0, 1))
    assert said == [
        "It could choose the dice of deal 1: it drew the seeds of all seats there, and nobody else had a say.",
        ONE_HELPER,
    ]


def test_where_every_deal_has_a_seed_of_a_seat_the_server_chose_none():
    for own, helpers in (
        ((1,), "seat 1, of which the record says that it drew its own seed,"),
        ((1, 2), "all of seats 1 and 2 that drew their own seed for its deal, as the record says,"),
    ):
        server = {1, 2, 3} - {*own}
        found, said = said_of(dealt(in_custody(*server), 1, 2, 3))
        assert found.seeds == Seeds(own, tuple(server), drawn=(0,))
        assert said[0].startswith(f"It could not choose a die, {BUT}, unless {helpers} helped it; for seat")
        assert len(said) == 1
    assert said_of(dealt(dealt(in_custody(), 1, 2, 3), 2, 3))[1] == [ALL_HELPERS]


def test_a_seat_that_is_taken_anew_draws_its_own_seeds_whoever_drew_them_for_who_had_it_before():
    assert said_of(dealt(left_and_taken_by("p4"), 1, 2, 3))[0].seeds == Seeds((1, 2, 3), ())
    drawn = left_and_taken_by("p4").say("game.seed_custody", seat=2, by="server")
    assert said_of(dealt(drawn, 1, 2, 3))[0].seeds == Seeds((1, 3), (2,), drawn=(0,))


def test_what_the_house_draws_for_its_own_bots_is_not_counted_and_for_nobody_who_has_a_bots_seat_after_it():
    bots = left_and_taken_by("bot/calm/1").say("game.seed_custody", seat=2, by="server")
    assert said_of(dealt(bots, 1, 2, 3))[0].seeds == Seeds((1, 3), (2,))
    left = left_and_taken_by("bot/calm/1").say("seat.left", seat=2, reason="left")
    taken = left.say("seat.joined", seat=2, player="p5").say("game.seed_custody", seat=2, by="server")
    told = verdict_of(dealt(dealt(taken, 1, 2, 3), 1, 3).ended().record(), POLICY, (1, 2))
    said = "In 1 deal the server drew the seed of a seat that no bot of the house has: deal 0."
    assert said in findings(told, judged_log=True).marked("note")


def test_the_auditor_in_the_browser_says_the_same_of_every_deal():
    stories = [
        dealt(voided(in_custody(2, 3), 1, 2, 3, by=1), 2, 3),
        dealt(dealt(in_custody(2, 3), 1, 2, 3), 2, 3),
        dealt(in_custody(2, 3), 1, 2, 3),
        voided(in_custody(2, 3), 1, 2, 3, by=1),
        dealt(left_and_taken_by("p4"), 1, 2, 3),
        dealt(left_and_taken_by("bot/calm/1").say("game.seed_custody", seat=2, by="server"), 1, 2, 3),
        dealt(left_and_taken_by("p4").say("game.seed_custody", seat=2, by="server"), 1, 2, 3),
    ]
    said = []
    for story in stories:
        record = story.ended().record()
        seeds = json.loads(run("--batch", text=Ask(record).written(id=0)).stdout)["seeds"]
        found = verdict_of(record, POLICY, (1, 2)).seeds
        assert isinstance(found, Seeds)
        assert seeds == msgspec.json.decode(msgspec.json.encode(found))
        said.append(in_words(seeds))
    assert [one["mark"] for one in said] == ["open", "open", "yes", "open", "yes", "yes", "yes"]
    assert said[0]["text"].startswith("No seat drew its own seeds")
    assert "in deal 1: there one has to trust the server" in said[1]["text"]
    assert said[2]["text"].startswith("The record says that seat 1 drew its own seed. One honest seed is enough")
    assert said[3]["text"].startswith("No seat took part in a deal yet")


def in_words(seeds: dict[str, list[int]]) -> dict[str, str]:
    """Return what the page of the auditor says to who drew the seeds."""
    program = f"""
        const {{ entropy }} = await import('{(STATIC / "words" / "audited.js").as_uri()}');
        console.log(JSON.stringify(entropy({{ seeds: {json.dumps(seeds)} }})));
    """
    ran = subprocess.run([NODE, "--input-type=module", "-e", program], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(ran.stdout)
    return found
