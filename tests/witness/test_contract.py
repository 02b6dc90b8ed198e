"""The contract of a witness that speaks C2SP tlog-witness, over HTTP."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.log.checkpoints import checkpoint_of, cosigning_time, sign_checkpoint
from domain.log.notes import COSIGNATURE, ED25519, Key
from domain.log.policies import Untrusted, accept, policy_of
from infra.keys import Ed25519Signer, ed25519_verify
from tests.cli import forking
from tests.witness.logs import KEY, ORIGIN, SIGNER, History, with_line
from tests.witness.running import Process, settings

LITEWITNESS: dict[str, Any] = json.loads((Path(__file__).parent / "litewitness.json").read_text(encoding="utf-8"))
HISTORY = History.of("abcdefghij")
FORK = History.of("abcdexyz")
STRANGER = Ed25519Signer(b"nobody knows this key of a log!!")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("witnesses")


@pytest.fixture(scope="module")
def known(folder: Path) -> Iterator[Process]:
    """A witness that has signed the first five entries of our log, and knows the log of litewitness's tests."""
    key = bytes.fromhex(LITEWITNESS["log_public_key"])
    theirs = Key(f"sigsum.org/v1/tree/{hashlib.sha256(key).hexdigest()}", ED25519, key)
    named = LITEWITNESS["cases"][0]["request"].split("\n")[2]
    witness = Process(folder / "known", "w1.example/witness", KEY, Key(named, theirs.kind, theirs.public_key)).start()
    assert witness.ask(HISTORY.request(0, 5)).status_code == 200
    yield witness
    assert witness.stop() == 0
    assert "Traceback" not in witness.output


def test_the_checkpoint_of_a_log_has_one_address_and_head_says_the_same_of_it(known: Process) -> None:
    there = f"{known.url}/{hashlib.sha256(ORIGIN.encode()).hexdigest()}/checkpoint"
    answers = [httpx.request(method, there, timeout=60) for method in ("GET", "HEAD")]
    got, head = ({name: value for name, value in each.headers.items() if name != "date"} for each in answers)
    assert (head, [each.status_code for each in answers], answers[1].content) == (got, [200, 200], b"")
    beside = [f"{there}/", there.replace("/checkpoint", "//checkpoint"), there.replace("/checkpoint", "%2Fcheckpoint")]
    assert [httpx.get(each, timeout=60).status_code for each in beside] == [404] * 3


def test_two_witnesses_make_a_quorum_and_one_does_not(folder: Path) -> None:
    names = ("w1.example/witness", "w2.example/witness")
    witnesses = [Process(folder / f"quorum {name[:2]}", name, KEY).start() for name in names]
    policy = policy_of(
        f"log {KEY}\nwitness a {witnesses[0].key}\nwitness b {witnesses[1].key}\ngroup both all a b\nquorum both\n"
    )
    plain = HISTORY.checkpoint(5)
    lines = [witness.ask(HISTORY.request(0, 5)).raise_for_status().text for witness in witnesses]
    assert [witness.stop() for witness in witnesses] == [0, 0]

    assert accept(policy, with_line(plain, "".join(lines)), ed25519_verify).keys() == {"a", "b"}
    for line in ("", *lines):
        with pytest.raises(Untrusted):
            accept(policy, with_line(plain, line), ed25519_verify)


def test_the_folder_says_who_the_witness_is_and_where(known: Process) -> None:
    assert known.key.kind == COSIGNATURE
    assert known.key.name == "w1.example/witness"
    assert stat.S_IMODE((known.folder / "key").stat().st_mode) == 0o600
    for path in ("/", "/health"):
        said = httpx.get(known.url + path, timeout=60).raise_for_status().json()
        assert (said["name"], said["vkey"]) == (known.key.name, str(known.key))
        assert {"origin": ORIGIN, "size": 5, "forks": 0} in said["logs"] or said["logs"][0]["forks"] == 1


def test_the_newest_checkpoint_can_be_read_with_both_signatures(known: Process) -> None:
    path = hashlib.sha256(ORIGIN.encode()).hexdigest()
    signed = checkpoint_of(httpx.get(f"{known.url}/{path}/checkpoint", timeout=60).raise_for_status().text)
    assert (signed.origin, signed.size, signed.root) == (ORIGIN, 5, HISTORY.root(5))
    assert signed.note.by(KEY) is not None
    assert cosigning_time(signed, known.key, ed25519_verify) is not None


@pytest.mark.parametrize("path", ["0" * 64, "nonsense", hashlib.sha256(b"another").hexdigest()])
def test_of_another_log_there_is_nothing_to_read(known: Process, path: str) -> None:
    assert httpx.get(f"{known.url}/{path}/checkpoint", timeout=60).status_code == 404


def test_the_same_head_is_signed_again(known: Process) -> None:
    line = known.ask(HISTORY.request(5, 5)).raise_for_status().text
    assert line.startswith(f"\u2014 {known.key.name} ")
    assert line.count("\n") == 1
    assert cosigning_time(with_line(HISTORY.checkpoint(5), line), known.key, ed25519_verify) is not None


@pytest.mark.parametrize("old", [0, 1, 4, 6, 7])
def test_whoever_is_behind_is_told_the_size(known: Process, old: int) -> None:
    answer = known.ask(HISTORY.request(old, 7))
    assert answer.status_code == 409
    assert answer.headers["Content-Type"] == "text/x.tlog.size"
    assert answer.text == "5\n"


def other(origin: str, signer: Ed25519Signer) -> bytes:
    """Return a request for a head that this key signed for this log."""
    return HISTORY.request(5, 7, sign_checkpoint(origin, 7, HISTORY.root(7), signer))


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (other("another.example/log", SIGNER), 404),
        (other(ORIGIN, STRANGER), 403),
        (other(ORIGIN, SIGNER).replace(b"\n7\n", b"\n8\n"), 403),
        (HISTORY.request(6, 5), 400),
        (HISTORY.request(5, 4), 400),
        (FORK.request(5, 7, HISTORY.checkpoint(7)), 422),
        (History.of("abcdxyz").request(5, 7), 422),
        (HISTORY.request(5, 7).replace(b"old 5\n", b"old 5\n" + b"A" * 43 + b"=\n"), 422),
    ],
)
def test_what_does_not_continue_the_log_is_not_signed(known: Process, body: bytes, status: int) -> None:
    answer = known.ask(body)
    assert answer.status_code == status
    assert "\u2014" not in answer.text


def test_a_second_history_is_refused_and_kept_and_shouted_about(known: Process) -> None:
    answer = known.ask(History.of("vwxyz").request(5, 5))
    assert answer.status_code == 422
    assert "two histories" in answer.text
    assert "two histories" in known.output
    logs = httpx.get(known.url, timeout=60).json()["logs"]
    assert {"origin": ORIGIN, "size": 5, "forks": 1} in logs
    assert known.ask(HISTORY.request(5, 5)).status_code == 200


GOOD = HISTORY.request(5, 7)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"\n", b"\n\n", b"old", b"old 5", b"old 5\n", b"old 5\n\n", b"\xff" * 100, b"\x00" * 100),
        *(GOOD.replace(b"old 5", old) for old in (b"old -1", b"old 05", b"old +5", b"old 5 ", b"old  5", b"OLD 5")),
        *(GOOD.replace(b"old 5", old) for old in (b"old", b"old ", b"old 5.0", b"old 1e3", b"new 5", b"5")),
        *(GOOD.replace(b"old 5", b"old " + size) for size in (b"9" * 19, b"9" * 40_000, "\u0665".encode())),
        GOOD.replace(b"old 5\n", b"old 5\nAAAA\n"),
        GOOD.replace(b"old 5\n", b"old 5\n" + b"!" * 44 + b"\n"),
        GOOD.replace(b"old 5\n", b"old 5\n" + 65 * (b"A" * 43 + b"=\n")),
        GOOD.replace(b"\n", b"\r\n"),
        GOOD[:-1],
        GOOD.partition(b"\n\n")[2],
        GOOD.replace(b"\n7\n", b"\n07\n"),
        GOOD.replace(b"\n7\n", b"\n-7\n"),
        GOOD.replace(b"\n7\n", b"\n9223372036854775808\n"),
        GOOD.replace(b"\n7\n", b"\n7\nand more\n"),
        GOOD.replace(ORIGIN.encode() + b"\n7", b"\n7"),
        GOOD.replace("\u2014".encode(), b"-"),
        GOOD + GOOD.splitlines()[-1].replace(b"dice", b"d ice") + b"\n",
        GOOD + 64 * (GOOD.splitlines()[-1] + b"\n"),
    ],
)
def test_nonsense_is_refused_as_such(known: Process, body: bytes) -> None:
    assert known.ask(body).status_code == 400


def test_a_request_that_is_too_long_is_refused_and_the_next_one_is_not(known: Process) -> None:
    assert known.ask(GOOD + b"x" * 10**6).status_code == 413
    assert known.ask(HISTORY.request(5, 5)).status_code == 200


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/add-checkpoint", 405), ("GET", "/nothing", 404)])
def test_there_is_nothing_else(known: Process, method: str, path: str, status: int) -> None:
    assert httpx.request(method, known.url + path, timeout=60).status_code == status


def test_the_transcript_of_litewitness_is_answered_as_it_was(known: Process) -> None:
    for case in LITEWITNESS["cases"]:
        answer = known.ask(case["request"].encode())
        assert answer.status_code == case.get("ours", case["status"]), case
        assert answer.text == case.get("body", answer.text)


# ---- what stays -------------------------------------------------------------------------------


def test_a_witness_remembers_its_key_its_logs_and_what_it_signed(folder: Path) -> None:
    witness = Process(folder / "remembering", "w1.example/witness", KEY).start()
    key = witness.key
    assert witness.ask(HISTORY.request(0, 5)).status_code == 200
    assert witness.stop() == 0
    witness.start(told=False)
    assert witness.key == key
    assert witness.ask(FORK.request(0, 7)).text == "5\n"
    assert witness.ask(HISTORY.request(5, 7)).status_code == 200
    assert witness.stop() == 0


def test_the_keys_told_of_a_log_replace_those_of_before(folder: Path) -> None:
    path, newer = folder / "rotating", Key(ORIGIN, ED25519, STRANGER.public_key)
    by_newer = HISTORY.checkpoint(5, STRANGER)
    for keys, status in (([KEY], 403), ([KEY, newer], 200), ([newer], 200)):
        witness = Process(path, "w1.example/witness", *keys).start()
        old = next(log["size"] for log in httpx.get(witness.url, timeout=60).json()["logs"])
        assert witness.ask(HISTORY.request(old, 5, by_newer)).status_code == status
        assert witness.stop() == 0


def test_one_key_has_one_name(folder: Path) -> None:
    witness = Process(folder / "named", "w1.example/witness").start()
    assert witness.stop() == 0
    with pytest.raises(AssertionError, match="another witness"):
        Process(folder / "named", "w2.example/witness").start()


def test_two_programs_on_one_folder_sign_one_history(folder: Path) -> None:
    first = Process(folder / "shared", "w1.example/witness", KEY).start()
    second = Process(folder / "shared", "w1.example/witness", KEY).start()
    assert first.ask(HISTORY.request(0, 7)).status_code == 200
    assert second.ask(FORK.request(0, 7)).text == "7\n"
    assert second.ask(FORK.request(7, 7)).status_code == 422
    assert second.ask(HISTORY.request(7, 8)).status_code == 200
    assert first.ask(HISTORY.request(8, 9)).status_code == 200
    assert [first.stop(), second.stop()] == [0, 0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--name", "w1.example"),
        ("--folder", "{}", "--name", "a b"),
        ("--folder", "{}", "--name", "a+b"),
        ("--folder", "{}", "--name", "w1.example", "--listen", "8000"),
        ("--folder", "{}", "--name", "w1.example", "--listen", "127.0.0.1:70000"),
        ("--folder", "{}", "--name", "w1.example", "--log", "nonsense"),
        ("--folder", "{}", "--name", "w1.example", "--log", str(Key("w", COSIGNATURE, SIGNER.public_key))),
        ("--folder", "{}/vkey/below a file", "--name", "w1.example"),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_sentence(
    known: Process, arguments: tuple[str, ...], shared: Callable[[str], Any]
) -> None:
    given = ["witness", *(argument.format(known.folder) for argument in arguments)]
    said = forking.run(shared("forker")["address"], given, settings(), None, 60)
    assert said.returncode == 3
    assert said.stderr.startswith("truecup: ")
    assert said.stderr.count("\n") == 1


def test_a_register_that_is_none_is_left_as_it_is(folder: Path) -> None:
    broken = folder / "broken"
    broken.mkdir()
    (broken / "witness.db").write_bytes(b"this is no database, however long one looks at it" * 100)
    with pytest.raises(AssertionError, match="the witness cannot run"):
        Process(broken, "w1.example/witness", KEY).start()
    assert (broken / "witness.db").read_bytes().startswith(b"this is no database")
