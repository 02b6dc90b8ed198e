"""Signatures hang on what is kept of a match: published records are signed over just that, line by line."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from domain.fairness.chain import Link, next_link
from domain.fairness.records import split
from domain.match.signing import NO_SIGNATURES, CannotSign, Signing, after, key_for, key_of, keys_held, message_for
from infra.keys import Ed25519Signer, ed25519_verify

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
GOOD = sorted(path.stem for path in VECTORS.glob("seat_keys/ok-*.cup"))
MATCH = UUID(int=7)
COMMAND = {"type": "look"}


def links(name: str) -> list[Link]:
    found: list[Link] = []
    for line in split((VECTORS / f"seat_keys/{name}.cup").read_bytes()).lines:
        found.append(next_link(line, found[-1] if found else None))
    return found


@pytest.mark.parametrize("name", GOOD)
def test_each_signed_line_of_a_good_record_is_signed_over_what_is_kept(name: str) -> None:
    signing, spoilt = NO_SIGNATURES, name == "ok-borne-out-later"
    lines = links(name)
    match = UUID(lines[0].stream.removeprefix("match/")).bytes
    for line in lines:
        signed = line.signed
        before, signing = signing, after(signing, match, line)
        if signed is None:
            continue
        joins = signed.command["type"] == "join"
        message = message_for(before, match, None if joins else signed.seat, signed.n, signed.version, signed.command)
        if joins:
            assert ed25519_verify(bytes.fromhex(line.data["key"]), message, bytes.fromhex(signed.sig))
            continue
        key = key_for(before.seats[signed.seat], line.at, message, bytes.fromhex(signed.sig), ed25519_verify)
        assert spoilt or key is not None
        assert (
            signed.command["type"] in {"leave", "rekey"}
            or spoilt
            or key_of(signing.seats[signed.seat], ed25519_verify) == key
        )
    reported = {
        bundle["file"]: bundle["result"].get("seats", {})
        for bundle in json.loads((VECTORS / "seat_keys.json").read_bytes())["bundles"]
    }[f"seat_keys/{name}.cup"]
    assert {str(seat): key_of(known, ed25519_verify) for seat, known in signing.seats.items()}.items() <= {
        seat: report["key"] for seat, report in reported.items()
    }.items()


# ---- by hand ---------------------------------------------------------------------------------------


OLD, NEW, NEWER = (Ed25519Signer(bytes([number]) * 32) for number in (1, 2, 3))


def said(kind: str, seq: int, at: int = 0, **data: object) -> Link:
    return Link(seq, f"match/{MATCH}", f"{seq:064x}", kind, dict(data), at)


def seated() -> Signing:
    """Return a match in which seat 1 has a key, and has signed nothing since it came."""
    begun = after(NO_SIGNATURES, MATCH.bytes, said("match.created", 0))
    return after(begun, MATCH.bytes, said("seat.joined", 1, seat=1, key=OLD.public_key.hex()))


def named(signing: Signing, signer: Ed25519Signer, at: int) -> Signing:
    return after(
        signing, MATCH.bytes, said("seat.keyed", signing.version, at, seat=1, key=signer.public_key.hex(), by="host")
    )


def test_a_command_is_the_next_one_and_has_seen_the_last_loud_line() -> None:
    signing = seated()
    with pytest.raises(CannotSign, match="n"):
        message_for(signing, MATCH.bytes, 1, 1, 2, COMMAND)
    for version in (0, 3):
        with pytest.raises(CannotSign, match="version"):
            message_for(signing, MATCH.bytes, 1, 0, version, COMMAND)
    assert message_for(signing, MATCH.bytes, 1, 0, 1, COMMAND) != message_for(signing, MATCH.bytes, 1, 0, 2, COMMAND)
    loud = after(signing, MATCH.bytes, said("game.started", 2, seats=[1]))
    with pytest.raises(CannotSign, match="version"):
        message_for(loud, MATCH.bytes, 1, 0, 2, COMMAND)
    assert message_for(loud, MATCH.bytes, 1, 0, 3, COMMAND)


@pytest.mark.parametrize(("late", "key"), [(119_999, None), (120_000, NEW)])
def test_a_key_that_a_host_has_named_signs_two_minutes_later(late: int, key: Ed25519Signer | None) -> None:
    signing = named(seated(), NEW, at=5)
    message = message_for(signing, MATCH.bytes, 1, 0, signing.version, COMMAND)
    found = key_for(signing.seats[1], 5 + late, message, NEW.sign(message), ed25519_verify)
    assert found == (None if key is None else key.public_key.hex())
    assert key_for(signing.seats[1], 5 + late, message, OLD.sign(message), ed25519_verify) == OLD.public_key.hex()
    assert key_for(signing.seats[1], 5 + late, message, NEWER.sign(message), ed25519_verify) is None


def test_whoever_names_a_key_is_not_done_with_the_one_before() -> None:
    signing = named(named(seated(), NEW, at=5), NEWER, at=6)
    assert [each.key for each in signing.seats[1].named] == [NEWER.public_key.hex()], "a later request replaces it"
    assert keys_held(signing) == {OLD.public_key.hex(), NEWER.public_key.hex()}
    gone = after(signing, MATCH.bytes, said("seat.left", signing.version, seat=1, reason="left"))
    assert keys_held(gone) == frozenset()
