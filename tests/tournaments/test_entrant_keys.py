"""Keys of entrants: registered, changed, named anew by a host, and what an audit finds that was not signed so."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from domain.fairness.records import RecordLine
from domain.fairness.signing.entrants import KeySignature, key_message
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.events.entry import PlayerKeyed
from infra.keys import Ed25519Signer
from services.audit.acts import EventFacts, act_sentences, facts_of_event, recovery_sentences
from tests.tournaments.events_by_hand import ARBITER, HOST, STRANGER, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of

OLD, NEW, NAMED, OTHER = (Ed25519Signer(bytes([each]) * 32) for each in (1, 2, 3, 4))


def hex_of(signer: Ed25519Signer) -> str:
    return signer.public_key.hex()


def word(event: WrittenEvent, key: Ed25519Signer, by: Ed25519Signer, n: int, **members: Any) -> commands.TakeKey:
    """Return what entrant 1 says of the own key, over the last line unless another version is named."""
    number, version = members.get("number", 1), members.get("version", event.tournament.version)
    head = bytes.fromhex(event.head_at(version - 1))
    message = key_message(TOURNAMENT, number, hex_of(key), n, version, head)
    signed = KeySignature(hex_of(by), n, version, by.sign(message).hex())
    return commands.TakeKey(members.get("who", player(number)), number, hex_of(key), signed)


def entered() -> WrittenEvent:
    return WrittenEvent("duel_swiss").enter(4)


def registered() -> WrittenEvent:
    event = entered()
    event.do(word(event, OLD, OLD, 0))
    return event


def holds(event: WrittenEvent) -> str | None:
    keyed = event.tournament.entrants[1].keyed
    return None if keyed is None else keyed.key


def facts_of(record: Sequence[bytes]) -> EventFacts:
    """Return what an audit says of who did what."""
    lines = [msgspec.json.decode(line) for line in record]
    return facts_of_event([RecordLine(at, one["type"], one["data"], one["at"]) for at, one in enumerate(lines, 1)])


def whys(event: WrittenEvent, *asked: commands.TakeKey) -> set[object]:
    refusals = [event.refusal(each) for each in asked]
    assert {each.code for each in refusals} == {"bad_signature"}
    return {each.facts["why"] for each in refusals}


# ---- what is signed --------------------------------------------------------------------------------


def test_the_message_has_the_bytes_that_are_written_down() -> None:
    said = hashlib.sha256(b'{"key":"' + b"ab" * 32 + b'","number":3,"type":"take_key"}').digest()
    expected = b"CUP1.ent" + TOURNAMENT.bytes + struct.pack(">BII", 0, 2, 7) + bytes([9] * 32) + bytes(32) + said
    assert key_message(TOURNAMENT, 3, "ab" * 32, 2, 7, bytes([9] * 32)) == expected


def test_a_line_of_a_host_has_no_member_for_a_signature() -> None:
    assert msgspec.to_builtins(PlayerKeyed(1, "ab", HOST)) == {
        "type": "player.keyed", "number": 1, "key": "ab", "by": HOST,
    }  # fmt: skip


# ---- registered ------------------------------------------------------------------------------------


def test_an_entrant_registers_a_key_that_signs_for_itself() -> None:
    event = entered()
    assert whys(event, word(event, OLD, NEW, 0)) == {"head_or_key"}
    event.do(word(event, OLD, OLD, 0))
    assert holds(event) == hex_of(OLD)


def test_nobody_registers_a_key_for_somebody_else() -> None:
    event = entered()
    assert event.code(word(event, OLD, OLD, 0, who=HOST)) == "not_yours"
    assert event.code(word(event, OLD, OLD, 0, number=9)) == "unknown_number"


def test_a_key_comes_before_the_first_table_and_not_after() -> None:
    event = WrittenEvent("duel_swiss").begin(4)
    late = word(event, OLD, OLD, 0)
    event.do(late)
    event.pair()
    assert event.code(word(event, NEW, NEW, 0, number=2)) == "too_late"


def test_a_key_is_one_entrant_s_alone_and_so_is_one_that_a_host_has_named() -> None:
    event = registered()
    assert event.code(word(event, OLD, OLD, 0, number=2)) == "key_taken"
    event.do(commands.NameEntrantKey(HOST, 1, hex_of(NAMED)))
    assert event.code(word(event, NAMED, NAMED, 0, number=2)) == "key_taken"
    event.do(word(event, OTHER, OTHER, 0, number=2))
    assert event.code(commands.NameEntrantKey(HOST, 1, hex_of(OTHER))) == "key_taken"


def test_nothing_is_said_of_keys_when_all_is_played() -> None:
    event = registered().begin(0).finish()
    assert event.code(word(event, NEW, OLD, 1)) == "wrong_phase"
    assert event.code(commands.NameEntrantKey(HOST, 1, hex_of(NAMED))) == "wrong_phase"


# ---- changed ---------------------------------------------------------------------------------------


def test_an_entrant_changes_keys_with_the_old_one() -> None:
    event = registered()
    event.do(word(event, NEW, OLD, 1))
    assert holds(event) == hex_of(NEW)
    assert whys(event, word(event, OTHER, OLD, 2), word(event, OTHER, OTHER, 2)) == {"head_or_key"}


def test_a_word_counts_on_from_the_last_and_has_seen_it() -> None:
    event = registered()
    version = event.tournament.version
    assert whys(event, word(event, NEW, OLD, 0), word(event, NEW, OLD, 2)) == {"n"}
    event.do(commands.Withdraw(by=player(3), number=3))
    event.do(word(event, NEW, OLD, 1, version=version))
    late = word(event, OTHER, NEW, 2, version=version)
    signed = msgspec.structs.replace(late.signed, version=event.tournament.version + 1)
    assert whys(event, late, msgspec.structs.replace(late, signed=signed)) == {"version"}


# ---- named anew ------------------------------------------------------------------------------------


def named(event: WrittenEvent, key: Ed25519Signer = NAMED) -> WrittenEvent:
    event.do(commands.NameEntrantKey(HOST, 1, hex_of(key)))
    return event


def test_a_host_names_a_key_for_somebody_who_has_one() -> None:
    event = registered()
    assert event.code(commands.NameEntrantKey(STRANGER, 1, hex_of(NAMED))) == "not_an_official"
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    assert event.code(commands.NameEntrantKey(ARBITER, 1, hex_of(NAMED))) == "not_the_host"
    assert event.code(commands.NameEntrantKey(HOST, 2, hex_of(NAMED))) == "no_key"
    assert event.code(commands.NameEntrantKey(HOST, 1, hex_of(OLD))) == "key_taken"
    assert holds(named(event)) == hex_of(OLD)


def test_a_named_key_holds_once_the_old_one_was_silent_for_two_minutes() -> None:
    event = named(registered())
    event.at += RECOVERY_MS - 1
    assert whys(event, word(event, NAMED, NAMED, 1)) == {"head_or_key"}
    event.at += 1
    assert whys(event, word(event, NEW, NAMED, 1)) == {"head_or_key"}
    event.do(word(event, NAMED, NAMED, 1))
    assert holds(event) == hex_of(NAMED)
    keyed = event.tournament.entrants[1].keyed
    assert keyed is not None
    assert (keyed.key, keyed.named) == (hex_of(NAMED), None)
    assert facts_of(event.lines).recovered == ((1, event.tournament.seq + 1),)
    assert whys(event, word(event, NEW, OLD, 2)) == {"head_or_key"}


def test_any_word_of_the_old_key_takes_a_named_one_off() -> None:
    event = named(registered())
    event.do(word(event, OLD, OLD, 1))
    event.at += RECOVERY_MS
    assert whys(event, word(event, NAMED, NAMED, 2)) == {"head_or_key"}
    keyed = event.tournament.entrants[1].keyed
    assert keyed is not None
    assert (keyed.key, keyed.named) == (hex_of(OLD), None)
    assert facts_of(event.lines).recovered == ()


def test_a_word_that_was_signed_before_a_host_named_a_key_is_none_against_it() -> None:
    event = registered()
    before = word(event, OLD, OLD, 1)
    assert whys(named(event), before) == {"version"}


def test_the_last_key_that_a_host_has_named_counts_and_its_time_begins_anew() -> None:
    event = named(registered(), OTHER)
    event.at += RECOVERY_MS
    named(event)
    assert whys(event, word(event, OTHER, OTHER, 1), word(event, NAMED, NAMED, 1)) == {"head_or_key"}
    event.at += RECOVERY_MS
    event.do(word(event, NAMED, NAMED, 1))
    assert holds(event) == hex_of(NAMED)


# ---- audited ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record() -> list[bytes]:
    """Return the lines of a tournament in which a key was registered, changed, named anew and taken over."""
    event = registered()
    event.do(word(event, NEW, OLD, 1))
    named(event)
    event.at += RECOVERY_MS
    event.do(word(event, NAMED, NAMED, 2))
    event.begin(0).finish()
    return event.close().lines


def test_a_record_with_keys_accuses_nobody_and_names_those_of_each_match(record: list[bytes]) -> None:
    ruling = judged(record)
    assert (ruling.code, ruling.upto) == (None, len(record)), ruling.why
    asked = {
        ruling.seats[line][place]: keys for line, at in ruling.matches.items() for place, keys in enumerate(at.keys)
    }
    assert asked == {1: (hex_of(NAMED),), 2: (), 3: (), 4: ()}


def test_an_audit_says_who_named_a_key_and_from_where_on_it_held(record: list[bytes]) -> None:
    facts = facts_of(record)
    named, held = (number_of(record, "player.keyed", which) for which in (2, 3))
    assert [(act.line, act.by) for act in facts.acts if act.kind == "player.keyed"] == [(named, HOST)]
    assert facts.recovered == ((1, held),)
    assert act_sentences(facts)[0] == f"Line {named}: a key was named for an entrant, by {HOST}."
    assert recovery_sentences(facts)[0].startswith(f"Line {held}: from here on entrant 1 signs")


def test_keys_that_were_changed_at_the_table_are_each_asked_for() -> None:
    event = WrittenEvent("duel_swiss").enter(4)
    event.do(word(event, OLD, OLD, 0))
    event.begin(0).start()
    event.do(word(event, NEW, OLD, 1))
    event.finish()
    ruling = judged(event.close().lines)
    found = [ruling.matches[line].keys[seats.index(1)] for line, seats in ruling.seats.items() if 1 in seats]
    assert found[0] == (hex_of(OLD), hex_of(NEW))
    assert set(found[1:]) == {(hex_of(NEW),)}


LIES: dict[str, tuple[int, Any, str]] = {
    "another key": (0, lambda data: data.update(key=hex_of(OTHER)), "E_RULES"),
    "another signature": (0, lambda data: data["signed"].update(sig="00" * 64), "E_SIGNED"),
    "another version": (1, lambda data: data["signed"].update(version=data["signed"]["version"] - 1), "E_RULES"),
    "another key of a change": (1, lambda data: data.update(key=hex_of(OTHER)), "E_SIGNED"),
    "another number": (1, lambda data: data["signed"].update(n=3), "E_RULES"),
    "a key that a host names at once": (1, lambda data: data.pop("signed"), "E_RULES"),
    "a key that somebody else names": (2, lambda data: data.update(by=player(2)), "E_RULES"),
    "a key that comes to hold by itself": (3, lambda data: data.update(key=hex_of(OTHER)), "E_RULES"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_an_entrant_has_not_said_of_the_own_key_is_found(record: list[bytes], lie: str) -> None:
    which, change, code = LIES[lie]
    number = number_of(record, "player.keyed", which)
    found = judged(bent(record, number, lambda document: change(document["data"])))
    assert (found.code, found.line) == (code, number)


def test_a_word_that_was_signed_over_another_history_is_found(record: list[bytes]) -> None:
    number = number_of(record, "player.keyed")
    registered_as = number_of(record, "player.registered")
    other = bent(record, registered_as, lambda document: document["data"].update(club="c" + "1" * 24))
    found = judged(other)
    assert (found.code, found.line) == ("E_SIGNED", number)
    assert canonical.head(other[number - 2]) != canonical.head(record[number - 2])
