"""Refusals and commands that were kept, held against records by both auditors: heard in time, ignored, or overtaken."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.audit.signing.kept import KeptCommand, kept_command
from domain.audit.signing.refused import RefusalComparison
from domain.fairness.shapes import Signed
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.log.notes import Malformed
from domain.log.receipts import sign_receipt, split, stream_in
from domain.log.refusals import Refusal, sign_refusal
from infra.keys import Ed25519Signer
from services.audit.verdict import Verdict
from tests.domain.truth_oracle import played_out
from tests.fairness.javascript_auditor import Ask, run
from tests.fairness.record_files import access_beside
from tests.fairness.scripted_server import ORIGIN, POLICY_TEXT, SIGNERS
from tests.fairness.signed_courses import begun
from tests.fairness.signed_play import STREAM, SignedPlay
from tests.fairness.test_beside import LAYERS, judged


class Keeping(SignedPlay):
    """A match whose seats keep what they sign, and whose server signs that it refused it, rightly or not."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.notes: list[str] = []

    def ask(self, public: dict[str, Any], seat: int = 1, **more: Any) -> Signed:
        """Let a seat sign a command that nobody takes, and keep it."""
        signed = self.sign(seat, public)
        message = self.messages.pop(len(self.lines))
        del self.kept[len(self.lines)]
        self.notes.append(str(KeptCommand(STREAM, replace(signed, **more))))
        self.hashed = hashlib.sha256(message).hexdigest()
        return signed

    def refuse(self, signed: Signed, after_ms: int = 5, signer: Ed25519Signer = SIGNERS[ORIGIN], **more: Any) -> None:
        """Sign that the command that was kept last was refused."""
        told = Refusal(STREAM, signed.seat, signed.n, signed.version, self.hashed, self.at + after_ms, "wrong_phase")
        self.notes.append(sign_refusal(ORIGIN, replace(told, **more), signers=(signer,)))


def held(played: SignedPlay, notes: list[str] | None = None, policy: str | None = POLICY_TEXT) -> Verdict:
    """Return what both auditors say to a match beside what its players kept."""
    file = played.file()
    told = tuple(getattr(played, "notes", ()) if notes is None else notes)
    (verdict,) = judged([Ask(file, policy, LAYERS, access_beside(file), told)])
    return verdict


def came(verdict: Verdict) -> list[tuple[str, int | None]]:
    assert isinstance(verdict.refusals, RefusalComparison), verdict
    return [(note.what, note.line) for note in verdict.refusals.notes]


def at_turn(**more: Any) -> Keeping:
    played = begun(kind=Keeping, options={"dice_per_player": 2}, **more)
    assert isinstance(played, Keeping)
    while played.turn != 1:
        played.do(commands.Bid(played.turn, 1, played.turn))
    return played


def over(played: SignedPlay) -> SignedPlay:
    """Play a match to its end."""
    played_out(played, 1, last=(commands.Forfeit,))
    return played


BID = {"type": "bid", "quantity": 2, "face": 4}


def test_a_refusal_of_what_the_rules_allowed_contradicts_the_record() -> None:
    played = at_turn()
    before = len(played.lines)
    for public in (BID, {"type": "resign"}):
        played.refuse(played.ask(public))
    verdict = held(over(played))
    assert (verdict.status, verdict.code, verdict.line) == ("FAULT", "E_RECEIPT", before)
    assert verdict.message == "the server refused a command here, though the rules allowed it (refusal 2)"
    assert came(verdict) == [("answered", None), ("allowed", before)] * 2


def test_a_refusal_of_what_stands_in_the_record_contradicts_it() -> None:
    played = at_turn()
    played.do(commands.Bid(1, 2, 4))
    line = len(played.lines)
    while not isinstance(played.events[line - 1], events.Bid):
        line -= 1
    signed = played.kept[line - 1]
    played.hashed = hashlib.sha256(played.messages[line - 1]).hexdigest()
    played.notes.append(str(KeptCommand(STREAM, signed)))
    played.refuse(signed)
    verdict = held(over(played))
    assert (verdict.status, verdict.code, verdict.line) == ("FAULT", "E_RECEIPT", line)
    assert came(verdict) == [("stands", line), ("stands", line)]
    assert held(played, policy=None).status == "INCOMPLETE"


def test_a_refusal_by_the_rules_is_lawful() -> None:
    played = at_turn()
    for public in (
        {"type": "bid", "quantity": 99, "face": 4},
        {"type": "accept"},
        {"type": "leave"},
        {"type": "commit_seed", "deal": 0, "commit": "00" * 32},
        {"type": "choose_first", "who": 2},
    ):
        played.refuse(played.ask(public))
    verdict = held(over(played))
    assert (verdict.status, came(verdict)) == ("OK", [("answered", None), ("lawful", None)] * 5)


def test_what_nobody_can_decide_was_heard() -> None:
    played, handled = at_turn(), {"cup": 1, "outside": [], "taken": [], "roll_inside": 1, "roll_outside": 0}
    played.keys[4] = Ed25519Signer(b"j" * 32)
    played.refuse(played.ask({"type": "join", "key": played.keys[4].public_key.hex(), "custody": "client"}, 4))
    for public in (
        {"type": "arrange", **handled, "sealed": "00" * 32},
        {"type": "fly"},
        {"type": ["bid"]},
        {"type": "bid", "quantity": 2},
        {"type": "bid", "quantity": "2", "face": 4},
        {"type": "call", "shape": "", "faces": []},
        {"type": ""},
    ):
        played.refuse(played.ask(public))
    verdict = held(over(played))
    assert (verdict.status, came(verdict)) == ("OK", [("answered", None), ("heard", None)] * 8)


def test_a_command_that_a_line_had_overtaken_was_refused_by_the_servers_word() -> None:
    played = at_turn()
    signed = played.ask(BID)
    hashed = played.hashed
    played.do(commands.Bid(1, 2, 5))
    played.hashed = hashed
    played.refuse(signed)
    line = max(seq for seq, event in enumerate(played.events, 1) if isinstance(event, events.Bid))
    assert came(held(over(played))) == [("answered", None), ("overtaken", line)]


def test_silence_proves_nothing() -> None:
    played = at_turn()
    played.ask(BID)
    verdict = held(over(played))
    assert (verdict.status, came(verdict)) == ("OK", [("silent", None)])


def test_a_refusal_alone_proves_that_a_command_was_heard() -> None:
    played = at_turn()
    played.refuse(played.ask(BID))
    assert came(held(over(played), played.notes[1:])) == [("heard", None)]


def test_what_is_not_of_this_match_or_signed_by_others_proves_nothing() -> None:
    played = at_turn()
    signed = played.ask(BID)
    played.refuse(signed, signer=Ed25519Signer(b"z" * 32))
    played.refuse(signed, stream="match/00000000-0000-4000-8000-000000000000")
    text = played.notes[0]
    wrong = [
        text.replace(STREAM, "match/00000000-0000-4000-8000-000000000000"),
        str(KeptCommand(STREAM, replace(signed, n=signed.n + 1))),
        str(KeptCommand(STREAM, replace(signed, seat=3))),
        str(KeptCommand(STREAM, replace(signed, sig="00" * 64))),
        str(KeptCommand(STREAM, Signed({"type": "join", "key": "none"}, 0, 9, "00" * 64, 1))),
        str(KeptCommand(STREAM, Signed({"type": "join", "key": "none"}, 1, 9, "00" * 64, 1))),
        text.replace('"n":', '"n": '),
        text.replace('"seat":1', '"seat":0'),
        text.replace("\n{", "\n["),
        played.notes[1].replace("wrong_phase", "Wrong"),
        "CUP1 refusal\nnothing\n",
    ]
    verdict = held(over(played), [*played.notes[1:], *wrong])
    assert verdict.status == "OK"
    assert {what for what, _ in came(verdict)} == {"strange"}


def test_what_the_record_does_not_reach_is_later() -> None:
    played = at_turn()
    signed = played.ask(BID)
    far = replace(signed, version=len(played.lines) + 999)
    played.notes = [str(KeptCommand(STREAM, far))]
    played.refuse(far)
    assert came(held(played)) == [("later", None), ("later", None)]


def test_of_a_match_that_goes_on_a_refusal_cannot_be_judged() -> None:
    played = at_turn()
    played.refuse(played.ask(BID))
    assert came(held(played)) == [("answered", None), ("heard", None)]


def test_where_dice_stay_hidden_a_refusal_cannot_be_judged() -> None:
    played = at_turn(policy="shown")
    played.refuse(played.ask(BID))
    assert came(held(over(played))) == [("answered", None), ("heard", None)]


def test_a_command_that_another_of_its_seat_replaced_was_refused_lawfully() -> None:
    played = at_turn()
    signed, message = played.ask(BID), played.hashed
    played.do(commands.Rekey(1, Ed25519Signer(b"n" * 32).public_key.hex()))
    played.keys[1] = Ed25519Signer(b"n" * 32)
    played.hashed = message
    played.refuse(signed)
    assert came(held(over(played))) == [("answered", None), ("lawful", None)]


def key(number: int) -> str:
    return Ed25519Signer(bytes([number]) * 32).public_key.hex()


KEYS = {
    "one that nobody has": (lambda _: key(99), "allowed"),
    "its own": (lambda played: played.keys[1].public_key.hex(), "lawful"),
    "that of another seat": (lambda played: played.keys[2].public_key.hex(), "lawful"),
    "one that another seat is to have": (lambda _: key(77), "lawful"),
    "one that the seat itself was to have, until it signed this": (lambda _: key(66), "allowed"),
    "one that another seat was to have, until it signed": (lambda _: key(55), "allowed"),
    "no point": (lambda _: "02" + "00" * 31, "lawful"),
    "a point of small order": (lambda _: "00" * 32, "lawful"),
    "a point that is spelled in another way": (lambda _: "ef" + "ff" * 30 + "7f", "lawful"),
}


@pytest.mark.parametrize("which", KEYS)
def test_a_key_is_refused_lawfully_that_is_not_free_or_that_nobody_could_sign_with(which: str) -> None:
    wanted, what = KEYS[which]
    played = at_turn()
    played.do(commands.NameKey(2, key(55)))
    while played.turn != 2:
        played.do(commands.Bid(played.turn, 1, 5 + played.turn % 2))
    played.do(commands.Bid(2, 2, 6))
    while played.turn != 1:
        played.do(commands.Bid(played.turn, 3, 6))
    for seat, number in ((1, 66), (2, 77)):
        played.do(commands.NameKey(seat, key(number)))
    played.refuse(played.ask({"type": "rekey", "key": wanted(played)}))
    assert came(held(over(played)))[1][0] == what


@pytest.mark.parametrize(("after_ms", "what"), [(RECOVERY_MS, "allowed"), (RECOVERY_MS - 1, "lawful")])
def test_a_key_that_a_host_has_named_signs_after_its_time(after_ms: int, what: str) -> None:
    played = at_turn()
    new = Ed25519Signer(b"n" * 32)
    played.do(commands.NameKey(1, new.public_key.hex()))
    old, played.keys[1] = played.keys[1], new
    signed = played.ask(BID)
    played.at += after_ms
    played.refuse(signed, 0)
    played.keys[1] = old
    assert came(held(over(played)))[1][0] == what


def test_a_file_of_notes_has_all_of_them_and_nothing_else(tmp_path: Any) -> None:
    played = at_turn()
    played.refuse(played.ask(BID))
    receipt = sign_receipt(ORIGIN, STREAM, 0, "0" * 64, signers=(SIGNERS[ORIGIN],))
    assert split("\n".join([receipt, *played.notes])) == (receipt, *played.notes)
    assert {stream_in(note) for note in (receipt, *played.notes)} == {STREAM}
    with pytest.raises(Malformed):
        stream_in("CUP1 refusal\nelsewhere\n")
    with pytest.raises(Malformed):
        kept_command("CUP1 command\n")
    over(played)
    for name, content in (("match.cup", played.file()), ("policy", POLICY_TEXT.encode())):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "notes").write_text("\n".join(played.notes))
    told = run(str(tmp_path / "match.cup"), "--policy", str(tmp_path / "policy"), "--receipts", str(tmp_path / "notes"))
    assert (told.returncode, "though the rules allowed it" in told.stdout) == (1, True), told
