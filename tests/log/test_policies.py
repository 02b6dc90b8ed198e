"""Trust policies (C2SP tlog-policy)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import policies
from domain.log.checkpoints import checkpoint_of, cosign, sign_checkpoint
from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, Note, Signature
from domain.log.policies import Untrusted, accept, is_quorum, policy_of
from infra.keys import Ed25519Signer, ed25519_verify
from tests.log.log_keys import LOG, ORIGIN, POLICY, SIGNER, WITNESSES

PUBLISHED = policy_of(POLICY)
LOG_LINE, W0, W1, GROUP, QUORUM = (line + "\n" for line in POLICY.splitlines())
PLAIN = sign_checkpoint(ORIGIN, 1, bytes(32), SIGNER)
OTHER = Ed25519Signer(b"\x07" * 32)


def witnessed(*names: str, note: str = PLAIN) -> str:
    for at, name in enumerate(names, start=100):
        note = cosign(note, name, at, WITNESSES[name])
    return note


def key(index: int) -> str:
    return str(Key(f"w{index}", COSIGNATURE, Ed25519Signer(bytes([index]) * 32).public_key))


def test_the_published_policy_is_read() -> None:
    assert [str(log) for log in PUBLISHED.logs] == [LOG["log_vkey"]]
    assert [str(witness) for witness in PUBLISHED.witnesses.values()] == LOG["witness_vkeys"]
    assert PUBLISHED.groups == {"g": policies.WitnessGroup(2, ("w0", "w1"))}
    assert policies.parse(POLICY.encode()) == PUBLISHED


def test_urls_comments_tabs_and_empty_lines_mean_nothing() -> None:
    spaced = f"# ours\n\n\t{LOG_LINE.strip()}  https://log.example/\n \t\n{W0.strip()} u\n  {W1}  # x\n{GROUP}{QUORUM}"
    assert policy_of(spaced) == PUBLISHED


@pytest.mark.parametrize("text", [checkpoint for checkpoint in LOG["checkpoints"] if checkpoint.count("\u2014") == 3])
def test_a_published_checkpoint_with_two_witnesses_is_accepted(text: str) -> None:
    assert set(accept(PUBLISHED, checkpoint_of(text), ed25519_verify)) == {"w0", "w1"}


def test_accepting_tells_who_saw_it_and_when() -> None:
    checkpoint = checkpoint_of(witnessed("w1.example/witness", "w0.example/witness"))
    assert accept(PUBLISHED, checkpoint, ed25519_verify) == {"w0": 101, "w1": 100}


@pytest.mark.parametrize(
    "note",
    [
        PLAIN,
        witnessed("w0.example/witness"),
        witnessed("w0.example/witness", "w0.example/witness"),
        cosign(witnessed("w0.example/witness"), "w1.example/witness", 1, OTHER),
        witnessed(*WITNESSES, note=sign_checkpoint(ORIGIN, 1, bytes(32), OTHER)),
        witnessed(*WITNESSES, note=sign_checkpoint("another.example/log", 1, bytes(32), SIGNER)),
        witnessed(*WITNESSES).replace("\n1\n", "\n2\n"),
    ],
    ids=["no witness", "one witness", "one witness twice", "a stranger", "another key", "another log", "another size"],
)
def test_a_checkpoint_that_does_not_meet_the_policy_is_refused(note: str) -> None:
    with pytest.raises(Untrusted):
        accept(PUBLISHED, checkpoint_of(note), ed25519_verify)


def test_a_known_witness_whose_cosignature_does_not_fit_spoils_the_checkpoint() -> None:
    policy = policy_of(LOG_LINE + W0 + W1 + "quorum w0\n")
    good = checkpoint_of(witnessed(*WITNESSES))
    assert accept(policy, good, ed25519_verify)
    bad = Signature("w1.example/witness", policy.witnesses["w1"].id, bytes(72))
    with pytest.raises(Untrusted, match="does not fit"):
        accept(policy, checkpoint_of(str(Note(good.note.text, (*good.note.signatures[:2], bad)))), ed25519_verify)


def test_lines_by_strangers_are_passed_over() -> None:
    strange = cosign(witnessed(*WITNESSES), "stranger.example/w", 5, OTHER)
    assert set(accept(PUBLISHED, checkpoint_of(strange), ed25519_verify)) == {"w0", "w1"}


def test_a_log_may_change_its_key() -> None:
    policy = policy_of(f"{LOG_LINE}log {Key(ORIGIN, ED25519, OTHER.public_key)}\nquorum none\n")
    for signer in (SIGNER, OTHER):
        assert accept(policy, checkpoint_of(sign_checkpoint(ORIGIN, 1, bytes(32), signer)), ed25519_verify) == {}


def test_a_known_key_of_the_log_whose_signature_does_not_fit_spoils_the_checkpoint() -> None:
    other = Key(ORIGIN, ED25519, OTHER.public_key)
    policy, note = policy_of(f"{LOG_LINE}log {other}\nquorum none\n"), checkpoint_of(PLAIN).note
    bad = Note(note.text, (*note.signatures, Signature(ORIGIN, other.id, bytes(64))))
    with pytest.raises(Untrusted, match="no log"):
        accept(policy, checkpoint_of(str(bad)), ed25519_verify)


NESTED = f"""witness a {key(1)}
witness b {key(2)}
witness c {key(3)}
witness d {key(4)}
group ab any a b
group cd all c d
group both 2 ab cd
quorum both
"""


@given(st.sets(st.sampled_from("abcdx")))
def test_a_group_of_groups_agrees_when_enough_members_do(seen: set[str]) -> None:
    assert is_quorum(policy_of(NESTED), seen) == (bool(seen & {"a", "b"}) and {"c", "d"} <= seen)


def test_the_quorum_may_be_one_witness_or_nobody() -> None:
    assert is_quorum(policy_of(f"{W0}quorum w0"), {"w0"})
    assert not is_quorum(policy_of(f"{W0}{W1}quorum w0"), {"w1"})
    assert is_quorum(policy_of("quorum none"), set())


@pytest.mark.parametrize(
    "text",
    [
        "",
        LOG_LINE,
        "quorum\n",
        "quorum none\nquorum none\n",
        "quorum g\n",
        "quorum w0\n" + W0,
        "log\n",
        LOG_LINE.replace("log ", "log a b c "),
        LOG_LINE.replace("log ", "Log "),
        W0.replace("witness w0", "log") + "quorum none",
        LOG_LINE.replace("log ", "witness w ") + "quorum none",
        LOG_LINE + LOG_LINE + "quorum none",
        W0 + W0.replace("witness w0", "witness w9") + "quorum none",
        W0 + W1.replace("w1", "w0", 1) + "quorum none",
        W0.replace("w0", "none", 1) + "quorum none",
        W0 + W1 + GROUP + GROUP + "quorum g",
        W0 + "group g any\nquorum g",
        W0 + "group g any w9\nquorum g",
        W0 + "group g 1 w0 w0\nquorum g",
        W0 + W1 + "group g 1 w0\ngroup h 1 w0 w1\nquorum h",
        W0 + "group g 0 w0\nquorum g",
        W0 + "group g 2 w0\nquorum g",
        W0 + "group g 01 w0\nquorum g",
        W0 + "group g some w0\nquorum g",
        W0 + "group w0 1 w0\nquorum w0",
        "quorum\u2003none\n",
        "quorum none\r\n",
        "quorum none\x7f",
        "#\x7f\nquorum none",
        "#\r\nquorum none",
        "#\x00\nquorum none",
        "quorum none\x00",
    ],
)
def test_anything_else_is_no_policy(text: str) -> None:
    with pytest.raises(Malformed):
        policy_of(text)


def test_a_file_that_is_not_utf_8_is_no_policy() -> None:
    with pytest.raises(Malformed, match="UTF-8"):
        policies.parse(b"quorum none\n#\xff")


def test_a_policy_has_an_end() -> None:
    lines = [f"witness w{i} {Key(f'w{i}', COSIGNATURE, i.to_bytes(32, 'big'))}" for i in range(1, 300)]
    assert policy_of("\n".join([*lines[:200], "quorum none"]))
    with pytest.raises(Malformed, match="too long"):
        policy_of("\n".join([*lines, "quorum none"]))


@given(st.text() | st.text(st.sampled_from("log witness group quorum none any 1w0\n\t")))
def test_any_text_is_a_policy_or_is_refused(text: str) -> None:
    try:
        policy_of(text)
    except Malformed:
        return
    assert "quorum" in text
