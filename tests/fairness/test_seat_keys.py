"""Seat keys and signed commands: every published record and every published value (CUP/1 sections 4.14 and 8)."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.fairness.points import is_strict_key
from domain.fairness.signing.messages import message_of, name_commitment, seal_positions
from domain.log import canonical
from domain.log.notes import Malformed
from domain.log.policies import is_signed, parse
from domain.log.refusals import Refusal, refusal_of, sign_refusal
from infra.keys import Ed25519Signer, ed25519_verify
from tests.fairness.javascript_auditor import NODE, STATIC
from tests.fairness.kept_programs import SECONDS
from tests.fairness.published import VECTORS, check_as_published, published
from tests.fairness.scripted_server import judged
from tests.fairness.signed_lies import earlier, fair, lies
from tests.log.odd_points import fitting, refused

PUBLISHED = published("seat_keys.json")
BUNDLES = PUBLISHED["bundles"]
POLICY = parse((VECTORS / PUBLISHED["policy"]).read_bytes())
JOIN_SEAT = 0
RUNNER = Path(__file__).with_name("signing_runner.js")
WAYS = ["noble", "webcrypto", "lenient"]
""""lenient" is a browser that errs."""


def test_all_of_them_are_here() -> None:
    assert sum(1 for _ in VECTORS.glob("seat_keys/*.cup")) == len(BUNDLES) == 103


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: Path(bundle["file"]).stem)
def test_a_published_record_is_judged_as_published(bundle: dict[str, Any]) -> None:
    check_as_published(bundle, PUBLISHED["policy"])


@pytest.mark.parametrize("number", range(len(PUBLISHED["messages"])))
def test_a_published_message_is_built_and_signed_as_published(number: int) -> None:
    one = PUBLISHED["messages"][number]
    assert canonical.encode(one["command"]).decode() == one["canonical"]
    head, before = bytes.fromhex(one["head"]), bytes.fromhex(one["prev"])
    message = message_of(UUID(one["match"]).bytes, one["seat"], one["n"], one["version"], head, before, one["command"])
    assert message.hex() == one["message"]
    signer = Ed25519Signer(bytes.fromhex(one["private"]))
    assert signer.public_key.hex() == one["key"]
    assert signer.sign(message).hex() == one["sig"]


@pytest.mark.parametrize("one", PUBLISHED["names"], ids=lambda one: one["name"][:12])
def test_a_published_name_is_committed_to_as_published(one: dict[str, str]) -> None:
    assert name_commitment(bytes.fromhex(one["salt"]), one["name"]) == one["commit"]


@pytest.mark.parametrize("one", PUBLISHED["handlings"], ids=lambda one: one["salt"][:8])
def test_published_positions_are_sealed_as_published(one: dict[str, Any]) -> None:
    assert seal_positions(bytes.fromhex(one["salt"]), one["positions"]) == one["sealed"]


@pytest.mark.parametrize("one", PUBLISHED["refused_keys"], ids=lambda one: one["key"][:8])
def test_a_key_that_verifiers_disagree_about_is_no_key(one: dict[str, str]) -> None:
    assert not is_strict_key(bytes.fromhex(one["key"]))


@pytest.mark.parametrize("one", PUBLISHED["refused_signatures"], ids=lambda one: one["why"])
def test_a_published_bad_signature_fits_nothing(one: dict[str, str]) -> None:
    key, message, signature = (bytes.fromhex(one[name]) for name in ("key", "message", "sig"))
    assert not ed25519_verify(key, message, signature)


@pytest.mark.parametrize("way", WAYS)
def test_the_page_comes_to_the_same_published_values(way: str) -> None:
    assert worked_out(VECTORS / "seat_keys.json", way) == {
        "messages": [one["message"] for one in PUBLISHED["messages"]],
        "signed": [True] * len(PUBLISHED["messages"]),
        "handlings": [one["sealed"] for one in PUBLISHED["handlings"]],
        "keys": [False] * len(PUBLISHED["refused_keys"]),
        "signatures": [False] * len(PUBLISHED["refused_signatures"]),
    }


@pytest.mark.parametrize("way", WAYS)
def test_whatever_browser_checks_a_signature_the_answer_is_the_same(way: str, tmp_path: Path) -> None:
    message, file = b"x", tmp_path / "odd.json"
    odd = [*fitting(message).values(), *refused(message).values()]
    signatures = [{"key": one.key.hex(), "message": message.hex(), "sig": one.value.hex()} for one in odd]
    none: dict[str, Any] = {"messages": [], "handlings": [], "refused_keys": []}
    file.write_text(json.dumps({**none, "refused_signatures": signatures}))
    accepted = len(fitting(message))
    assert worked_out(file, way)["signatures"] == [True] * accepted + [False] * (len(odd) - accepted)


def worked_out(values: Path, way: str) -> dict[str, Any]:
    """Return what the auditor of the pages makes of these values."""
    command = [str(part) for part in (NODE, "--no-warnings", RUNNER, STATIC, values, way)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# ---- records that are not published ---------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(lies()))
def test_a_lie_about_a_seat_with_a_key_is_found_on_its_line(name: str) -> None:
    story, code = lies()[name]
    found = judged(story.bare())
    assert (found.code, found.line) == (code, len(story.lines))


@pytest.mark.parametrize("name", sorted(fair()))
def test_what_looks_like_a_lie_and_is_none_is_not_found(name: str) -> None:
    found = judged(fair()[name].bare())
    assert (found.status, found.code) == ("INCOMPLETE", None)


@pytest.mark.parametrize("name", sorted(earlier()))
def test_what_nothing_bears_out_comes_before_a_later_fault(name: str) -> None:
    story, line = earlier()[name]
    found = judged(story.bare())
    assert (found.code, found.line) == ("E_SIGNED", line)


def test_what_is_proved_of_each_seat_is_counted() -> None:
    seats = [judged(story.record()).seats for story in fair().values()][:6]
    told = [{seat: (one.signed, one.clock, one.custody) for seat, one in (each or {}).items()} for each in seats]
    assert told[0] == {"1": (7, 1, False)}
    assert told[3] == {"1": (1, 0, True), "2": (1, 0, True)}


@pytest.mark.parametrize("one", PUBLISHED["refusals"], ids=lambda one: str(one["of"]))
def test_a_published_refusal_is_read_and_written_as_published(one: dict[str, Any]) -> None:
    refused, note = refusal_of(one["note"])
    assert is_signed(note, POLICY, ed25519_verify)
    said = PUBLISHED["messages"][one["of"]]
    assert refused.message == hashlib.sha256(bytes.fromhex(said["message"])).hexdigest()
    assert (refused.stream, refused.n, refused.version) == (f"match/{said['match']}", said["n"], said["version"])
    signer = Ed25519Signer(bytes.fromhex(PUBLISHED["log_seed"]))
    assert sign_refusal(note.signatures[0].name, refused, signers=(signer,)) == one["note"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("CUP1 refusal", "CUP1 receipt"),
        lambda text: text.replace("3 1 1\n", "3 1\n"),
        lambda text: text.replace("3 1 1\n", "3 01 1\n"),
        lambda text: text.replace(" claim_not_higher", " Claim"),
        lambda text: text.replace("\n\n", "\nmore\n\n"),
    ],
)
def test_what_is_spelled_otherwise_is_no_refusal(spoil: Any) -> None:
    with pytest.raises(Malformed):
        refusal_of(spoil(PUBLISHED["refusals"][0]["note"]))


def test_a_refusal_says_what_it_is_made_of() -> None:
    refused = Refusal("match/dfdd68d5-69c9-4cfd-f6fd-c56664f34996", 3, 1, 9, "0" * 64, 12, "wrong_phase")
    note = sign_refusal("dice.example/log", refused, signers=(Ed25519Signer(bytes(32)),))
    assert refusal_of(note)[0] == refused
