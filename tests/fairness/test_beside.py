"""One status for a record and what lies beside it: a fault beats what was not judged, and that beats what is fair.

Both auditors are asked, and say the same: status, code, line, and what they found of access record and receipts.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.audit import access
from domain.fairness.records import split
from domain.games import GAMES
from domain.log import canonical
from domain.log.policies import policy_of
from domain.log.receipts import sign_receipt
from infra.keys import Ed25519Signer
from services.audit.findings import Findings, findings
from services.audit.verdict import Evidence, Verdict, verdict_of
from tests.domain.access_records import Entry, Recorded, entries, finished, signed, written
from tests.domain.test_every_game import OPTIONS
from tests.domain.truth_oracle import Course, Record, played_out
from tests.fairness.javascript_auditor import Ask, run, sentences_in_javascript, told_in_javascript
from tests.fairness.record_files import access_beside, bundled
from tests.fairness.scripted_server import ORIGIN, POLICY_TEXT, SIGNERS, Story
from tests.sizes import cases, spread

Told = dict[str, Any]
ALIKE = ("status", "record", "code", "line", "layers", "anchored", "voids", "receipts", "refusals")
"""What both auditors say in the same words; what is absent in one is null in the other."""
LAYERS = (1, 2, 3)
STRANGER = Ed25519Signer(b"s" * 32)
CHANGES = cases(2, 40)
"""How many access records of each game are changed."""


def judged(asks: list[Ask]) -> list[Verdict]:
    """Return what the first auditor finds, once the second has said the same."""
    found, others = [verdict(ask) for ask in asks], told_in_javascript(asks)
    for one, other in zip(map(facts, found), map(facts, others), strict=True):
        assert one == other
    for ask, verdict_found, told in zip(asks, found, sentences_in_javascript(others, asks), strict=True):
        said = findings(verdict_found, judged_log=ask.policy is not None)
        assert told["headline"] == {"mark": said.mark, "title": said.title, "text": said.text}
        assert told["findings"] == msgspec.to_builtins(list(said.findings))
        assert told["seeds"] == msgspec.to_builtins(said.seeds)
    return found


def verdict(ask: Ask) -> Verdict:
    policy = None if ask.policy is None else policy_of(ask.policy)
    return verdict_of(ask.record, policy, ask.layers, beside=Evidence(ask.access, ask.receipts))


def facts(found: Verdict | Told) -> Told:
    told = msgspec.json.decode(msgspec.json.encode(found))
    seen = told.get("seen")
    bare = None if seen is None else {name: value for name, value in seen.items() if name != "message"}
    return {**{name: told.get(name) for name in ALIKE}, "seen": bare}


def said(ask: Ask) -> Findings:
    return findings(verdict(ask), judged_log=ask.policy is not None)


@cache
def match() -> Record:
    course = Course({"dice_per_player": 1}, 2, "beside", "common_hand", pause_ms=0)
    course.start()
    return played_out(course, 1).record


@cache
def record() -> bytes:
    return bundled(match())


@cache
def beside() -> bytes:
    return access_beside(record())


def whole(**given: Any) -> Ask:
    return Ask(**{"record": record(), "layers": LAYERS, "access": beside(), **given})


# ---- rules that nobody here knows -----------------------------------------------------------------


def under(rules: Told) -> bytes:
    """Return a record under this rules object in which nothing speaks against chain, log and dice."""
    return Story(rules=rules).to_end().record()


def served_under(rules: Told) -> bytes:
    """Return an access record for it."""
    match_id = canonical.decode(under(rules).split(b"\n")[0])["data"]["match"]
    line = {"viewer": "seat/1", "deal": 0, "cup": 1, "roll": 0, "slots": [0], "version": 9}
    said_of = [(access.CREATED, {"match": match_id}), (access.SERVED, line), (access.CLOSED, {"version": 99})]
    return written(said_of, f"access/{match_id}")


def unknown() -> dict[str, Told]:
    rules = match()[0]["data"]["rules"]
    options = rules["options"]
    drinks = {"basis": "round", "base": 1, "chaser": 2}
    return {
        "a game": {**rules, "game": "liars-dice"},
        "an option": {**rules, "options": {**options, "jokers": 2}},
        "a member of an option": {**rules, "options": {**options, "drinks": drinks}},
        "a setting": {**rules, "tempo": "blitz"},
        "a member of a setting": {**rules, "clock": {"bank_ms": 1_000, "increment_ms": 0, "byo": 3}},
    }


@pytest.mark.parametrize("name", unknown())
@pytest.mark.parametrize("with_access", [True, False])
def test_rules_that_name_what_no_engine_knows_are_incomplete_and_layers_1_and_2_are_told(
    name: str, *, with_access: bool
) -> None:
    rules = unknown()[name]
    (found,) = judged([Ask(under(rules), layers=LAYERS, access=served_under(rules) if with_access else None)])
    assert (found.status, found.record, found.layers, found.anchored) == ("INCOMPLETE", "INCOMPLETE", (1, 2), True)
    assert found.message.startswith("who won was not checked")
    assert str(found.rules).startswith("who won was not checked")
    assert found.deals
    told = findings(found, judged_log=True)
    assert told.status == "INCOMPLETE: who won was not checked"
    assert any("were fixed before any seed was opened" in sentence for sentence in told.marked("yes"))


def test_a_value_that_an_option_cannot_have_is_a_fault_and_no_stranger() -> None:
    rules = match()[0]["data"]["rules"]
    (found,) = judged([Ask(under({**rules, "options": {**rules["options"], "dice_per_player": 99}}), layers=LAYERS)])
    assert (found.status, found.code) == ("FAULT", "E_RULES")


def test_a_fault_of_layers_1_and_2_is_a_fault_whoever_knows_the_rules() -> None:
    lines = under(unknown()["an option"]).splitlines(keepends=True)
    (found,) = judged([Ask(b"".join([*lines[:4], *lines[5:]]), layers=LAYERS)])
    assert (found.status, found.code, found.line) == ("FAULT", "E_CHAIN", 5)


def test_an_access_record_of_rules_nobody_knows_is_judged_by_its_own_lines() -> None:
    rules = unknown()["an option"]
    torn = served_under(rules).splitlines(keepends=True)
    (found,) = judged([Ask(under(rules), layers=LAYERS, access=b"".join([torn[0], *torn[2:]]))])
    assert (found.status, found.record, found.code, found.line) == ("FAULT", "INCOMPLETE", "E_ACCESS", 2)


# ---- the access record ----------------------------------------------------------------------------


def test_a_match_that_is_anchored_is_fair_once_its_access_record_is_there_and_whole() -> None:
    lines = beside().splitlines(keepends=True)
    asks = [
        whole(),
        whole(access=None),
        whole(access=b"".join(lines[:-1])),
        whole(access=b"".join(lines[:-2])),
        whole(access=lines[0]),
    ]
    found = judged(asks)
    assert [one.status for one in found] == ["OK", *["INCOMPLETE"] * 4]
    assert {(one.record, one.code) for one in found} == {("OK", msgspec.UNSET)}
    assert "no access record was given" in found[1].message
    assert "a final proof is missing" in found[2].message


def test_a_log_that_no_witness_has_to_see_makes_no_match_fair() -> None:
    alone = POLICY_TEXT.partition("\n")[0] + "\nquorum none\n"
    (found,) = judged([whole(policy=alone)])
    assert (found.status, found.anchored, found.witnessed) == ("OK", True, False)
    assert said(whole(policy=alone)).title == "Consistent, not witnessed"
    assert said(whole()).title != "Consistent, not witnessed"


def test_an_access_record_is_asked_for_where_a_log_vouches_for_the_match_and_the_rules_are_looked_at() -> None:
    found = judged(
        [whole(access=None, policy=None), whole(access=None, layers=(1, 2)), whole(access=None, layers=(1,))]
    )
    assert [(one.status, one.anchored) for one in found] == [("OK", False), ("OK", True), ("OK", True)]
    (cut,) = judged([whole(access=beside().splitlines(keepends=True)[0], policy=None)])
    assert cut.status == "INCOMPLETE", "what is given is judged, whoever is believed"


def test_an_access_record_without_layer_3_is_judged_by_its_own_lines_and_not_called_fair() -> None:
    lines = beside().splitlines(keepends=True)
    found = judged([whole(layers=(1, 2)), whole(layers=(1, 2), access=b"".join([*lines[:1], *lines[2:]]))])
    assert [(one.status, one.code) for one in found] == [("INCOMPLETE", msgspec.UNSET), ("FAULT", "E_ACCESS")]


def test_a_fault_of_the_access_record_is_a_fault_of_all_and_the_record_keeps_its_own_word() -> None:
    said_of = [(line["type"], line["data"]) for line in map(canonical.decode, split(beside()).lines)]
    at = next(at for at, (kind, _) in enumerate(said_of) if kind == access.SERVED)
    lie = (access.SERVED, {**said_of[at][1], "viewer": "spectator"})
    (found,) = judged([whole(access=written([*said_of[:at], lie, *said_of[at:]], stream()))])
    assert (found.status, found.record, found.code, found.line) == ("FAULT", "OK", "E_ACCESS", at + 1)
    told = findings(found, judged_log=True)
    assert told.status.startswith(f"FAULT E_ACCESS in line {at + 1} of its access record")
    assert told.marked("yes"), "what the record proves stands"


def stream() -> str:
    return f"access/{match()[0]['data']['match']}"


@pytest.mark.parametrize("viewer", ["admin/ruth", "caster/jo"])
def test_dice_served_to_a_viewer_without_a_seat_stand_in_the_sentence_of_the_verdict(viewer: str) -> None:
    said_of = [(line["type"], line["data"]) for line in map(canonical.decode, split(beside()).lines)]
    besides = (access.SERVED, {**said_of[1][1], "viewer": viewer})
    ask = whole(access=written([*said_of[:2], besides, *said_of[2:]], stream()))
    (found,) = judged([ask])
    assert (found.status, found.record) == ("OK", "OK")
    assert found.message.endswith(f"hidden dice were served to {viewer} (line 3 of the access record)")
    assert isinstance(found.seen, msgspec.Struct)
    assert [(one.line, one.viewer) for one in found.seen.noticed] == [(3, viewer)]
    told = said(ask)
    assert f"Hidden dice were served to {viewer}, who has no seat, in line 3 of the access record." in told.marked(
        "note"
    )
    assert not any("nobody any others" in sentence for sentence in told.marked("yes"))
    assert any("nobody any others" in sentence for sentence in said(whole()).marked("yes"))
    assert any("leaves no trace" in sentence for sentence in said(whole()).marked("open"))


# ---- every game -----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_both_auditors_say_the_same_of_every_access_record(game: str) -> None:
    for which in spread(range(len(OPTIONS[game])), 1):
        played = finished(game, 1, which)
        file = bundled([msgspec.json.decode(line) for line in played.lines])
        drawn = random.Random(f"{game} {which}")
        records = [signed(played.seen), *islice(changed(played, drawn), CHANGES)]
        found = judged([Ask(file, layers=LAYERS, access=each) for each in records])
        assert (found[0].status, found[0].record) == ("OK", "OK")


def changed(played: Recorded, drawn: random.Random) -> Any:
    """Yield access records of which a line is left out, doubled, moved, or has another member."""
    said_of = entries(played)
    while True:
        at = drawn.randrange(len(said_of))
        kind, data = said_of[at]
        other: list[list[Entry]] = [
            [*said_of[:at], *said_of[at + 1 :]],
            [*said_of[:at], said_of[at], *said_of[at:]],
            [*said_of[:at], *said_of[at + 1 :], said_of[at]],
            said_of[: at + 1],
        ]
        for member, value in data.items():
            wrong: tuple[Any, ...] = (
                "seat/1",
                "seat/3",
                "spectator",
                "caster/jo",
                "admin/",
                0,
                1,
                -1,
                True,
                [],
                [0],
                [0, 1],
                None,
            )
            more = (value + 1, value - 1) if isinstance(value, int) else ()
            other += [[*said_of[:at], (kind, {**data, member: each}), *said_of[at + 1 :]] for each in (*wrong, *more)]
        yield written(drawn.choice(other))


@pytest.mark.parametrize("game", GAMES)
def test_both_auditors_say_the_same_while_the_match_goes_on(game: str) -> None:
    played = finished(game, 2)
    events = [msgspec.json.decode(line) for line in played.lines]
    live = [b"".join(line + b"\n" for line in played.seen[:end]) for end in (1, len(played.seen) // 2, None)]
    files = [bundled(events[:end]) for end in (len(events) // 3, 2 * len(events) // 3, -1)]
    assert {
        one.status for one in judged([Ask(file, layers=LAYERS, access=each) for file in files for each in live])
    } <= {
        "INCOMPLETE",
        "FAULT",
    }


# ---- receipts -------------------------------------------------------------------------------------


def receipt(line: int, instead: bytes | None = None, signer: Ed25519Signer = SIGNERS[ORIGIN]) -> str:
    """Return what the server signed of a line of the record, from 1: that it is this one, or another."""
    lines = split(record()).lines
    head = canonical.head(lines[line - 1] if instead is None else instead)
    return sign_receipt(ORIGIN, f"match/{match()[0]['data']['match']}", line - 1, head, signers=(signer,))


def test_a_receipt_that_is_believed_and_contradicts_is_a_fault_of_all() -> None:
    believed, agrees = receipt(5, b"another"), receipt(3)
    (found, fair) = judged([whole(receipts=(agrees, believed)), whole(receipts=(agrees,))])
    assert (found.status, found.record, found.code, found.line) == ("FAULT", "OK", "E_RECEIPT", 5)
    assert fair.status == "OK"
    assert said(whole(receipts=(agrees, believed))).status.startswith("FAULT E_RECEIPT in line 5")


def test_a_receipt_that_nobody_believed_has_signed_proves_nothing() -> None:
    (found,) = judged([whole(receipts=(receipt(5, b"another", STRANGER), "no note", receipt(4)))])
    assert found.status == "OK"
    assert isinstance(found.receipts, msgspec.Struct)
    assert (found.receipts.strange, found.receipts.borne_out) == ((1, 2), 1)


def test_a_receipt_that_contradicts_is_not_judged_where_no_policy_says_whose_it_is() -> None:
    ask = whole(policy=None, receipts=(receipt(5, b"another", STRANGER),))
    (found,) = judged([ask])
    assert (found.status, found.record) == ("INCOMPLETE", "OK")
    assert "receipts speak against it" in found.message
    told = said(ask)
    assert told.status == "INCOMPLETE"
    assert any("Nobody can say whose the receipts are" in sentence for sentence in told.marked("note"))
    agreeing = (receipt(4),)
    assert any("bears it out" in sentence for sentence in said(whole(receipts=agreeing)).marked("yes"))
    assert not any("bears it out" in sentence for sentence in said(whole(policy=None, receipts=agreeing)).marked("yes"))


def test_a_fault_beats_what_is_missing_whichever_of_them_has_it() -> None:
    lie, short = receipt(5, b"another"), record().splitlines(keepends=True)[:12]
    (first, second, third) = judged(
        [
            whole(access=None, receipts=(lie,)),
            whole(record=b"".join(short), receipts=(lie,), access=None),
            whole(record=b"".join([*short[:4], *short[5:]]), access=None, receipts=(lie,)),
        ]
    )
    assert [(one.status, one.code) for one in (first, second)] == [("FAULT", "E_RECEIPT")] * 2
    assert (second.record, third.code) == ("INCOMPLETE", "E_CHAIN")


# ---- the program ----------------------------------------------------------------------------------


def test_the_second_program_exits_by_the_one_status(tmp_path: Path) -> None:
    file, policy, kept = tmp_path / "match.cup", tmp_path / "policy.txt", tmp_path / "kept.txt"
    file.write_bytes(record())
    policy.write_text(POLICY_TEXT)
    kept.write_text(receipt(5, b"another") + "\n" + receipt(4))
    said_of = [run(str(file), "--policy", str(policy))]
    (tmp_path / "match.access").write_bytes(beside())
    said_of += [
        run(str(file), "--policy", str(policy)),
        run(str(file), "--policy", str(policy), "--receipts", str(kept)),
    ]
    (tmp_path / "cut").write_bytes(beside().splitlines(keepends=True)[0])
    said_of.append(run(str(file), "--policy", str(policy), "--access", str(tmp_path / "cut")))
    assert [one.returncode for one in said_of] == [2, 0, 1, 2], [one.stderr for one in said_of]
    assert "E_RECEIPT in line 5" in said_of[2].stdout
    assert run(str(file), str(file), "--access", str(tmp_path / "cut")).returncode == 3
    for text in ("", "hello\n" + receipt(4)):
        kept.write_text(text)
        assert run(str(file), "--receipts", str(kept)).returncode == 3, "receipts and nothing else"


# ---- deals that were thrown away ------------------------------------------------------------------


def test_of_a_void_no_more_is_said_than_the_record_shows_and_voids_are_counted() -> None:
    late = Story().to_logged().opened(1).voided(2).closed()
    (found,) = judged([Ask(late.ended().record())])
    told = findings(found, judged_log=True)
    assert " ".join(told.marked("note")) == (
        "Deal 0 was voided after the log had it; seat 2 is said to have withheld its seed; "
        "whoever had the secret of the deal and that seed could know the dice that were thrown away."
    )
    assert any("all dice of 1 deal" in text and "1 of these was voided" in text for text in told.marked("yes"))
    early = Story().to_commits().voided().closed()
    (found,) = judged([Ask(early.ended().record())])
    assert findings(found, judged_log=True).marked("note") == ("Deal 0 was voided before the log had it.",)
