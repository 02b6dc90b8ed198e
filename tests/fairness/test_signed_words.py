"""Sentences of an audit about seats with keys: terminal and page say the same, seat by seat (CUP/1 section 4.14.8)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import UNSET, to_builtins

from services.audit.findings import findings
from services.audit.verdict import Verdict, verdict_of
from services.words.catalogue import LANGUAGES, speaking
from tests.fairness.javascript_auditor import Ask, run, sentences_in_javascript, told_in_javascript
from tests.fairness.scripted_server import POLICY, POLICY_TEXT, Story
from tests.fairness.signed_lies import fair, recovered, sat
from tests.fairness.signed_stories import SignedStory, signed_stories

SIGNED = "What seats 1 and 2 are said to have done, they signed, all of it: 2 commands."
NOBODY = "No seat has a key: what the seats are said to have done is the server\u2019s word."


def judged(story: Story) -> Verdict:
    return verdict_of(story.bare(), POLICY, (1, 2))


def said(story: Story) -> list[str]:
    """Return what is said of signatures."""
    texts = [each.text for each in findings(judged(story), judged_log=True).findings]
    return [
        text for text in texts if any(word in text for word in ("signed, all", "clock", "key of", "server\u2019s word"))
    ]


def seeds(story: Story) -> str:
    found = findings(judged(story), judged_log=True).seeds
    assert found is not None
    return found.text


def test_who_signed_what_is_said_seat_by_seat() -> None:
    assert said(sat()) == [SIGNED]
    assert said(sat(1).joined(2)) == [
        "What seat 1 is said to have done, it signed, all of it: 1 command.",
        "What seat 2 is said to have done is the server\u2019s word: it has no key.",
    ]
    assert said(sat(1).joined(2, 3))[1] == (
        "What seats 2 and 3 are said to have done is the server\u2019s word: they have no keys."
    )


def test_what_the_clock_did_and_what_the_host_changed_is_said_of_its_seat() -> None:
    assert said(sat().timed_out(2)) == [SIGNED, "The clock acted once for seat 2: that nobody signed."]
    assert said(sat().timed_out(1).timed_out(1))[1] == "The clock acted 2 times for seat 1: that nobody signed."
    assert said(recovered().look(1))[1] == (
        "The host replaced the key of seat 1, asked for in line 4: what was signed since is the word of whoever the "
        "host vouched for."
    )


def test_a_record_without_keys_says_what_it_cannot_say() -> None:
    assert said(Story().to_end()) == [NOBODY]
    verdict = judged(Story().to_end())
    assert (verdict.seats, verdict.keyless) == (UNSET, (1, 2))
    assert verdict_of(Story().to_end().record(), POLICY, (1,)).keyless is UNSET


def test_a_seed_is_its_seats_own_by_its_signature_or_by_the_record() -> None:
    enough = "One honest seed is enough for dice nobody chose."
    played, handled, _, drawn, _, _ = signed_stories()
    own = "A seed of its own was drawn, and signed, by seat 1."
    assert seeds(played) == f"{own} The record says that seat 2 drew its own seed. {enough}"
    assert seeds(handled) == f"Seeds of their own were drawn, and signed, by seats 1 and 2. {enough}"
    assert seeds(drawn).startswith("No seat drew its own seeds")
    again = SignedStory().created().sat(1).committed().seeded(1).sealed(seats=[1]).logged().opened(1).ready().closed()
    again.committed().custody(1).seeded_by_server(1).sealed(seats=[1]).logged().opened_by_server(1).ready().closed()
    assert "The record says that seat 1 drew their own seeds, but nobody did in deal 1" in seeds(again)
    mixed = SignedStory().created().sat(1).joined(2).committed().seeded(1).sealed(seats=[1]).logged().opened(1).ready()
    mixed.closed().custody(2).committed().seeded(2).sealed(seats=[2]).logged().opened(2).ready()
    assert seeds(mixed) == (
        f"{own} Nobody drew their own seed in deal 1: there one has to trust the server. For seat 2 the server drew."
    )


def test_a_seat_that_draws_its_own_seeds_again_is_its_own_master() -> None:
    story = Story().created().joined(1).say("game.seed_custody", seat=1, by="server")
    story.say("game.seed_custody", seat=1, by="client").committed().seeded(1).sealed(seats=[1]).logged().opened(1)
    assert seeds(story.ready()).startswith("The record says that seat 1 drew its own seed.")


def test_the_page_says_the_same_as_the_terminal() -> None:
    asks = [Ask(story.bare()) for story in [*fair().values(), Story().to_revealed()]]
    verdicts = [verdict_of(ask.record, POLICY, (1, 2)) for ask in asks]
    found = told_in_javascript(asks)
    for one, other in zip(verdicts, found, strict=True):
        for name in ("seeds", "seats", "keyless"):
            value = json.loads(json.dumps(to_builtins(getattr(one, name)))) if getattr(one, name) is not UNSET else None
            assert value == other[name]
    told = [findings(one, judged_log=True) for one in verdicts]
    for sentences, page in zip(told, sentences_in_javascript(found, asks), strict=True):
        assert [each.text for each in sentences.findings] == [each["text"] for each in page["findings"]]
        assert sentences.seeds is not None
        assert sentences.seeds.text == page["seeds"]["text"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_in_every_language(language: str) -> None:
    with speaking(language):
        told = [said_of for story in fair().values() for said_of in findings(judged(story), judged_log=True).findings]
    assert not [each.text for each in told if "{" in each.text]


def test_the_program_in_javascript_says_it_too(tmp_path: Path) -> None:
    policy, file = tmp_path / "policy.txt", tmp_path / "match.cup"
    policy.write_text(POLICY_TEXT)
    file.write_bytes(recovered().look(1).timed_out(2).joined(3).record("live"))
    told = run(str(file), "--policy", str(policy), "--layers", "1,2").stdout
    assert told.strip().endswith(
        "all that seats 1, 2 are said to have done is signed (3 commands); the clock acted once for seat 2; "
        "the key of seat 1 was replaced by the host, as asked for in line 4; "
        "what seat 3 is said to have done is the word of the server"
    )
