"""`truecup audit` and files that are no records: an exit code, a code, a line, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import documents
from tests.fairness.test_bad_files import ACCENTED, GOOD, SPELLINGS

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
POLICY = VECTORS / "policy.txt"
FILES = {
    "empty": b"",
    "one newline": b"\n",
    "no newline": b"{}",
    "zeros": bytes(10_000),
    "a great line": b"x" * 10_000_000 + b"\n",
    "many lines": b"{}\n" * 300_000,
    "deep": b'{"a":' * 100_000 + b"\n",
    "half a record": GOOD["ok-liars"][:5_000],
    **{name: spelled(ACCENTED) for name, spelled in SPELLINGS.items()},
}


def test_each_of_them_has_a_code_and_a_line(truecup, tmp_path):
    paths = []
    for number, content in enumerate(FILES.values()):
        path = tmp_path / f"{number}.cup"
        path.write_bytes(content)
        paths.append(path)
    said = truecup("audit", *paths, "--policy", POLICY, "--json")
    assert said.returncode == 1
    for name, one in zip(FILES, documents(said.stdout), strict=True):
        assert one["status"] == "FAULT", name
        assert one["code"].startswith("E_"), name
        assert one["line"] >= 0, name
    assert truecup("audit", *paths).returncode == 1


@pytest.mark.parametrize(
    "policy",
    [b"", b"\n", b"\xff\xfeq\0", POLICY.read_bytes().decode().encode("utf-16"), b"quorum none\r\n", b"quorum x\n" * 9,
     POLICY.read_bytes() + b"\0", b"log x\nquorum none\n", b"# nothing\n" * 100_000],
    ids=["empty", "a newline", "bytes", "UTF-16", "line ends", "no witness", "a zero", "no key", "comments"],
)  # fmt: skip
def test_a_policy_that_is_none_is_said_in_one_sentence(truecup, tmp_path, policy):
    path = tmp_path / "policy"
    path.write_bytes(policy)
    said = truecup("audit", VECTORS / "bundles/ok-liars.cup", "--policy", path)
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.count("\n") <= 2, said.stderr
    assert "policy" in said.stderr


def test_a_record_is_no_policy_and_a_policy_is_no_record(truecup):
    record = VECTORS / "bundles/ok-liars.cup"
    assert truecup("audit", record, "--policy", record).returncode == 3
    assert truecup("audit", POLICY, "--policy", POLICY).returncode == 1
