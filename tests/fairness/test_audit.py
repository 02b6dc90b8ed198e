"""Records that lie, in ways the published ones do not."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode

import pytest

from domain.fairness import records
from domain.fairness.records import RecordLine, assemble, events_of
from tests.fairness.scripted_server import (
    ANSWER,
    BEACON,
    CUPS,
    DUE,
    MATCH,
    UNWITNESSED,
    Story,
    faults,
    judged,
)

HASH = "0" * 64


# ---- what is fair ---------------------------------------------------------------------------------


def test_a_match_as_it_should_be_is_ok() -> None:
    report = judged(Story().to_end().record())
    assert (report.status, report.code, report.line, report.anchored) == ("OK", None, None, True)
    assert report.deals is not None
    assert report.deals["0"].state == "closed"
    assert [value[:4] for value in report.deals["0"].values] == [[1, 0, 0, 6], [1, 0, 2, 6]]


def test_a_match_of_two_deals_with_a_beacon_is_ok() -> None:
    story = Story().to_revealed().closed()
    story.committed().seeded(1, 2).sealed(beacon=BEACON).logged().opened(1, 2).fixed().ready(beacon=ANSWER)
    assert judged(story.rolled().revealed().closed().ended().record()).status == "OK"


def test_dice_that_were_rolled_and_not_shown_follow_from_the_secret() -> None:
    deals = judged(Story().to_ready().rolled().rolled(2, slots=[1], m=[256]).closed().ended().record()).deals
    assert deals is not None
    assert [value[:4] for value in deals["0"].values] == [[1, 0, 0, 6], [1, 0, 2, 6], [2, 0, 1, 256]]


def test_under_the_policy_shown_only_shown_dice_are_proved() -> None:
    story = Story("shown").to_revealed().rolled(2).closed(secret=None).ended()
    deals = judged(story.record()).deals
    assert deals is not None
    assert [value[0] for value in deals["0"].values] == [1, 1]


def test_a_deal_may_be_abandoned_before_its_seeds_open() -> None:
    for story in (Story().created().joined(1, 2).committed(), Story().to_commits(), Story().to_commits().sealed()):
        assert judged(story.voided().closed().ended().record()).status == "OK"


def test_a_match_without_a_deal_is_anchored_by_its_end() -> None:
    report = judged(Story().created().ended().record())
    assert (report.status, report.anchored, report.deals) == ("OK", True, {})


def test_without_a_policy_everything_but_the_signatures_is_judged() -> None:
    report = judged(Story().to_end().record(), None)
    assert (report.status, report.anchored) == ("OK", False)
    assert "no policy" in report.message
    assert faults(Story().to_logged().opened(1, 2).ready(mix=HASH), None) == ("E_MIX", 0)
    assert faults(Story().to_commits().sealed().logged(index=0), None) == ("E_LOG", 0)


def test_without_a_policy_nobody_can_say_when_a_beacon_deal_was_fixed() -> None:
    story = Story().to_logged(beacon=BEACON).opened(1, 2).fixed(at=DUE).ready(beacon=ANSWER)
    assert judged(story.closed().ended().record(), None).status == "OK"


def test_layer_1_alone_looks_at_no_dice() -> None:
    story = Story().to_logged().opened(1, 2).ready(mix=HASH).closed().ended()
    report = judged(story.record(), layers=(1,))
    assert (report.status, report.deals) == ("OK", {})
    assert "dice" not in report.message
    late = Story().to_logged(beacon=BEACON).opened(1, 2).fixed(at=DUE)
    assert judged(late.ended().record(), layers=(1,)).status == "OK"
    assert faults(Story().created().logged(), layers=(1,)) == ("E_LOG", 0)
    assert faults(Story().created().say("deal.logged"), layers=(1,)) == ("E_FORMAT", 0)


# ---- what is not complete -------------------------------------------------------------------------


@pytest.mark.parametrize("story", [Story().created(), Story().to_logged(), Story().to_revealed(), Story().to_end()])
def test_a_record_without_its_final_proof_is_incomplete(story: Story) -> None:
    report = judged(story.bare())
    assert report.status == "INCOMPLETE"
    assert report.head == story.head
    assert report.anchored == bool(story.sizes)


def test_a_match_that_goes_on_may_be_anchored_as_it_stands() -> None:
    assert judged(Story().to_revealed().record("live")).status == "INCOMPLETE"
    assert judged(Story().to_revealed().record("final")).code == "E_LOG"
    assert judged(Story().to_end().record("live")).code == "E_LOG"


# ---- what is out of turn --------------------------------------------------------------------------

OUT_OF_TURN = {
    "two matches in one stream": Story().created().created(),
    "a match without beginning": Story().ended(),
    "a seat that leaves without having come": Story().created().say("seat.left", seat=1, reason="left"),
    "a seat that leaves twice": (
        Story().created().joined(1).say("seat.left", seat=1, reason="left").say("seat.left", seat=1, reason="left")
    ),
    "a deal with a number left out": Story().created().committed(deal=1),
    "a second deal before the first is closed": Story().created().committed().committed(),
    "a void before any deal": Story().created().say("deal.voided", deal=0, reason="", seats=[]),
    "a seed of a seat that left": (
        Story().created().joined(1).committed().say("seat.left", seat=1, reason="left").seeded(1)
    ),
    "a seed of another deal": Story().created().joined(1).committed().seeded(1, deal=1),
    "a seal that nobody fixed a seed for": Story().created().joined(1, 2).committed().sealed(seats=[]),
    "a seal that leaves a seat out": Story().to_commits().sealed(seats=[1]),
    "a seal that names a seat twice": Story().to_commits().sealed(seats=[1, 2, 2]),
    "a seal in another order": Story().to_commits().sealed(seats=[2, 1]),
    "an opening before the log": Story().to_commits().sealed().opened(1),
    "a deal that is logged before it is sealed": Story().to_commits().logged(),
    "a seed opened twice": Story().to_logged().opened(1, 1),
    "a deal fixed before all seeds are open": Story().to_logged(beacon=BEACON).opened(1).fixed(),
    "a deal ready before all seeds are open": Story().to_logged().opened(1).ready(),
    "a deal with a beacon ready before it is fixed": Story().to_logged(beacon=BEACON).opened(1, 2).ready(beacon=ANSWER),
    "dice rolled before the deal is ready": Story().to_logged().rolled(),
    "a deal closed before it is ready": Story().to_logged().opened(1, 2).closed(),
    "a deal voided twice": Story().to_logged().voided(1, 2).voided(1, 2),
    "dice rolled in a voided deal": Story().to_logged().voided(1, 2).rolled(),
    "a secret that was to stay unpublished": Story("shown").to_ready().closed(),
    "a seat that withheld its seed and is back under another player": (
        Story().to_logged().opened(1).voided(2).closed().say("seat.left", seat=2, reason="withheld").joined(2)
    ).committed().seeded(1, 2).sealed(),
    "a line after the end": Story().to_end().say("game.note"),
}  # fmt: skip


@pytest.mark.parametrize("story", OUT_OF_TURN.values(), ids=OUT_OF_TURN.keys())
def test_what_happens_out_of_turn_is_refused(story: Story) -> None:
    assert faults(story) == ("E_ORDER", 0)


# ---- what cannot be written -----------------------------------------------------------------------

MALFORMED = {
    "a type nobody knows": Story().created().say("cup.peeked"),
    "a type that is only a prefix": Story().created().say("game"),
    "a match that is no UUID": Story().created(match=MATCH.upper()),
    "another match's stream": Story().created(match="1" + MATCH[1:]),
    "another policy": Story().created(policy="all\n"),
    "rules that are a list": Story().created(rules=[]),
    "a member left out": Story().created().say("seat.joined", seat=1),
    "a member too many": Story().created().say("seat.joined", seat=1, player="p", name="Ada"),
    "a seat above 254": Story().created().joined(255),
    "a seat that is true": Story().created().say("seat.joined", seat=True, player="p"),
    "a deal above 65,535": Story().created().committed(deal=65_536),
    "a deal below 0": Story().created().committed(deal=-1),
    "no cups": Story().created().committed(cups=[]),
    "256 cups": Story().created().committed(cups=[[i, 0, 1, 1] for i in range(256)]),
    "a cup that is never rolled": Story().created().committed(cups=[[0, 0, 0, 1]]),
    "a cup without slots": Story().created().committed(cups=[[0, 0, 1, 0]]),
    "a cup of five numbers": Story().created().committed(cups=[[0, 0, 1, 1, 1]]),
    "a cup twice": Story().created().committed((CUPS[1], CUPS[1])),
    "more slots than a deal may have": Story().created().committed(cups=[[0, 0, 2_048, 128], [1, 0, 1, 1]]),
    "a hash with a newline": Story().created().committed(root=HASH + "\n"),
    "a round below 1": Story().to_commits().sealed(beacon={**BEACON, "round": 0}),
    "a beacon that says more": Story().to_commits().sealed(beacon=ANSWER),
    "half a byte of a key": Story().to_ready().rolled().revealed(keys=[[0, "abc"]]),
    "a key that is no hex": Story().to_ready().rolled().revealed(keys=[[0, "xy"]]),
    "a commitment that is no hash": Story().to_ready().rolled().revealed(com=["ab"]),
    "a secret that is no hash": Story().to_ready().closed(secret="ab"),
}  # fmt: skip


@pytest.mark.parametrize("story", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_cannot_be_written_is_refused(story: Story) -> None:
    assert faults(story) == ("E_FORMAT", 0)


def test_a_type_nobody_knows_is_named_as_such() -> None:
    assert "no event of this type" in judged(Story().created().say("cup.peeked").bare()).message


def test_as_many_slots_as_a_deal_may_have_are_not_too_many() -> None:
    assert judged(Story().created().committed(cups=[[0, 0, 2_048, 128]]).bare()).status == "INCOMPLETE"


# ---- what is a lie --------------------------------------------------------------------------------

LIES = {
    "a seed that was not fixed": (Story().to_logged().opened(1, seed=HASH), "E_COMMIT"),
    "a mix of other seeds": (Story().to_logged().opened(1, 2).ready(mix=HASH), "E_MIX"),
    "an answer nobody announced": (Story().to_logged().opened(1, 2).ready(beacon=ANSWER), "E_BEACON"),
    "another round's answer": (
        Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon={**ANSWER, "round": 1001}), "E_BEACON"
    ),
    "an answer without the beacon's hash": (
        Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon={**ANSWER, "signature": "ab"}), "E_BEACON"
    ),
    "seeds open a second too late": (
        Story().to_logged(beacon=BEACON).opened(1, 2).fixed(at=DUE - 5), "E_BEACON"
    ),
    "a beacon nobody knows": (
        Story().to_logged(beacon={"chain": HASH, "round": 1}).opened(1, 2).fixed(), "E_BEACON"
    ),
    "a roll of a cup that is not there": (Story().to_ready().rolled(9), "E_SLOT"),
    "a roll below 0": (Story().to_ready().rolled(roll=-1), "E_SLOT"),
    "a roll left out": (Story().to_ready().rolled(roll=1), "E_SLOT"),
    "a roll too many": (Story().to_ready().rolled(0, slots=[0, 1]).rolled(0, roll=1, slots=[0, 1]), "E_SLOT"),
    "no slots": (Story().to_ready().rolled(slots=[], m=[]), "E_SLOT"),
    "slots that descend": (Story().to_ready().rolled(slots=[2, 0]), "E_SLOT"),
    "a slot below 0": (Story().to_ready().rolled(slots=[-1, 0]), "E_SLOT"),
    "a slot beyond the width": (Story().to_ready().rolled(slots=[0, 3]), "E_SLOT"),
    "a modulus too many": (Story().to_ready().rolled(m=[6, 6, 6]), "E_SLOT"),
    "a modulus of 0": (Story().to_ready().rolled(m=[6, 0]), "E_SLOT"),
    "a modulus of 257": (Story().to_ready().rolled(m=[257, 6]), "E_SLOT"),
    "a die shown of a roll below 0": (Story().to_ready().rolled().revealed(roll=-1), "E_SLOT"),
    "a die shown of a roll to come": (Story().to_ready().rolled().revealed(roll=1), "E_SLOT"),
    "a die shown of a cup never rolled": (Story().to_ready().rolled(2).revealed(), "E_SLOT"),
    "a void that blames nobody": (Story().to_logged().opened(1, 2).voided(), "E_ABORT"),
    "a void that blames one of two": (Story().to_logged().voided(1), "E_ABORT"),
    "a void after the dice were known": (Story().to_ready().voided(1), "E_ABORT"),
    "a void while the beacon is waited for": (
        Story().to_logged(beacon=BEACON).opened(1, 2).fixed().voided(), "E_ABORT"
    ),
    "another secret": (Story().to_ready().closed(secret=HASH), "E_SECRET"),
    "another secret of a voided deal": (Story("shown").to_logged().voided(1, 2).closed(secret=HASH), "E_SECRET"),
    "a secret kept back": (Story().to_ready().closed(secret=None), "E_WITHHELD"),
    "a secret of a voided deal kept back": (
        Story("shown").to_logged().voided(1, 2).closed(secret=None), "E_WITHHELD"
    ),
    "an end before the deal is closed": (Story().to_revealed().ended(), "E_WITHHELD"),
    "an end after a void": (Story().to_logged().voided(1, 2).ended(), "E_WITHHELD"),
    "an anchor of another kind": (Story().to_commits().sealed().logged(what="opened"), "E_LOG"),
    "another place in the log": (Story().to_commits().sealed().logged(index=0), "E_LOG"),
    "no place in the log": (Story().to_commits().sealed().logged(index=-1), "E_LOG"),
    "another path in the log": (Story().to_commits().sealed().logged(path=[HASH]), "E_LOG"),
    "a checkpoint that is none": (Story().to_commits().sealed().logged(checkpoint="of course"), "E_LOG"),
}  # fmt: skip


@pytest.mark.parametrize(("story", "code"), LIES.values(), ids=LIES.keys())
def test_a_lie_has_its_code_and_its_line(story: Story, code: str) -> None:
    assert faults(story) == (code, 0)


def test_a_beacon_needs_witnesses_to_its_time() -> None:
    story = Story().to_logged(beacon=BEACON).opened(1, 2).fixed()
    assert faults(story, UNWITNESSED) == ("E_BEACON", 0)


# ---- what the log does not vouch for --------------------------------------------------------------


def told(
    story: Story, *, drop: int = 0, extra: int = 0, origin: str | None = None, other: str | None = None
) -> str | None:
    """Return the code for a match that ended well, and whose proofs were tampered with."""
    index = story.anchor("final")
    checkpoint = story.log.checkpoint(origin=origin or "log.example")
    grown = [story.log.consistency(old, other or checkpoint) for old in [*story.sizes[drop:], *range(1, extra + 1)]]
    report = judged(assemble(story.lines, story.log.inclusion(index, checkpoint), grown), None)
    assert report.line in {None, len(story.lines) + 1}
    return report.code


def test_every_checkpoint_of_the_record_leads_to_the_last_one() -> None:
    assert told(Story().to_end()) is None
    assert told(Story().to_end(), drop=1) == "E_LOG"


def test_a_consistency_proof_of_nothing_in_the_record_is_refused() -> None:
    assert told(Story().to_end(), extra=1) == "E_LOG"
    assert told(Story().to_end(), other="another") == "E_LOG"


def test_the_checkpoints_of_a_record_are_of_one_log() -> None:
    assert told(Story().to_end(), origin="another.example") == "E_LOG"


def test_a_log_that_forgot_is_refused() -> None:
    story = Story().to_end()
    story.log.hashes[0] = bytes(32)
    assert told(story) == "E_LOG"


@pytest.mark.parametrize(
    "end", [b"#tlog-proof \n", b"#tlog-proof !\n", b"#tlog-proof " + b64encode(b"\xff") + b"\n", b"#tlog-proof YWI\n"]
)
def test_a_proof_that_is_none_is_refused_behind_the_last_line(end: bytes) -> None:
    report = judged(Story().to_end().bare() + end)
    assert (report.code, report.line) == ("E_LOG", len(Story().to_end().lines) + 1)


def test_consistency_proofs_alone_prove_nothing() -> None:
    assert judged(Story().to_end().bare() + b"#tlog-consistency YWI=\n").status == "INCOMPLETE"


# ---- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"{}",
        b"\xff\n",
        b"#tlog-proof YWI=\n",
        Story().to_end().record() + b"#tlog-proof YWI=\n",
        Story().to_end().record() + b"#note\n",
        Story().to_end().record() + b"\n",
        Story().to_end().record().replace(b"#tlog-proof ", b"#tlog-proof"),
    ],
)
def test_a_file_that_is_no_record_is_at_fault_as_a_whole(file: bytes) -> None:
    report = judged(file)
    assert (report.status, report.code, report.line) == ("FAULT", "E_FORMAT", 0)
    assert (report.head, report.anchored, report.deals) == (None, None, None)


def test_the_first_fault_wins() -> None:
    lines = Story().to_logged().opened(1, 2).ready(mix=HASH).closed(secret=HASH).ended().lines
    assert judged(assemble([*lines[:3], b"{}", *lines[4:]], None)).line == 4
    assert judged(assemble([*lines[:3], *lines[4:]], None)).code == "E_CHAIN"
    assert judged(assemble(lines, None)).code == "E_MIX"


def test_a_stream_begins_at_its_beginning() -> None:
    assert judged(assemble(Story().to_end().lines[1:], None)).code == "E_CHAIN"


def test_a_record_is_taken_apart_and_put_together() -> None:
    record = Story().to_end().record()
    parts = records.split(record)
    assert parts.lines == tuple(Story().to_end().lines)
    assert parts.proof is not None
    assert b64decode(parts.proof).startswith(b"c2sp.org/tlog-proof@v1\n")
    assert record.count(b"\n") == len(parts.lines) + 1 + len(parts.consistencies)


def test_the_lines_of_a_record_are_numbered_from_1() -> None:
    lines = events_of(Story().to_end().record())
    assert lines[0] == RecordLine(1, "match.created", json.loads(Story().created().lines[0])["data"], 1_000)
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))


def test_the_same_record_always_has_the_same_report() -> None:
    record = Story().to_end().record()
    assert judged(record) == judged(record)
    assert judged(record).head == hashlib.sha256(Story().to_end().lines[-1]).hexdigest()
