"""Folders of what two have seen of a house: a second history comes out, wherever it was kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from domain.fairness.records import split
from domain.log import canonical, merkle
from domain.log.checkpoints import sign_checkpoint
from domain.log.outside.sights import SightComparison, Unjoined, compare
from domain.log.policies import Policy
from domain.log.receipts import sign_receipt
from infra.keys import Ed25519Signer
from services.monitor import folders
from services.monitor.folders import SeenFolder
from tests.fairness import scripted_server
from tests.fairness.scripted_server import Story
from tests.monitor.conftest import Watching
from tests.monitor.serving import ORIGIN, SIGNER, House, entry, policy, whole

PROOF = b"#tlog-proof "


def seen(folder: Path, believed: Policy | None = None) -> SeenFolder:
    found = SeenFolder(believed or policy())
    found.read(folder)
    return found


def held(one: Path, other: Path, believed: Policy | None = None) -> SightComparison:
    return compare(seen(one, believed).sight, seen(other, believed).sight)


def told(found: SightComparison) -> list[tuple[str, int, str, str]]:
    return [(each.kind, each.number, each.one.what, each.other.what) for each in found.differences]


@pytest.fixture
async def two_notebooks(house: House, tmp_path: Path) -> Callable[[list[bytes]], object]:
    """Return a function that has one monitor follow the log of the house, and another one a log with this end."""

    async def look(end: list[bytes]) -> None:
        assert (await Watching(house, tmp_path / "one").look()).followed
        house.entries = end
        assert (await Watching(house, tmp_path / "other").look()).followed

    return look


# ---- notebooks --------------------------------------------------------------------------------


async def test_two_monitors_of_one_log_agree(two_notebooks, house: House, tmp_path: Path) -> None:
    await two_notebooks([*house.entries, *whole(3)])
    found = held(tmp_path / "one", tmp_path / "other")
    assert (found.differences, found.unjoined, found.logs, found.streams) == ((), (), 1, 3)


async def test_two_monitors_that_were_shown_two_logs_prove_it(two_notebooks, house: House, tmp_path: Path) -> None:
    await two_notebooks([*house.entries[:-1], entry(2, 3, "final", "ab" * 32), *whole(3)])
    assert told(held(tmp_path / "one", tmp_path / "other")) == [
        ("roots", 9, "log", "log"),
        ("heads", 4, "log", "log"),
    ]


async def test_an_entry_that_came_three_times_leaves_what_cannot_be_joined(
    two_notebooks, house: House, tmp_path: Path
) -> None:
    house.entries += [house.entries[0]] * 2
    await two_notebooks([*house.entries, *whole(3)])
    assert seen(tmp_path / "one").sight.trees == []
    assert held(tmp_path / "one", tmp_path / "other").unjoined == (Unjoined(ORIGIN, 2),)


async def test_a_notebook_of_a_log_that_the_policy_does_not_name_says_nothing(
    two_notebooks, house: House, tmp_path: Path
) -> None:
    await two_notebooks(house.entries)
    found = seen(tmp_path / "one", scripted_server.POLICY)
    assert (found.files, found.sight.streams) == (0, set())
    assert [why for _, why in found.passed_over] == ["no log of the policy signed its checkpoint"]


async def test_the_two_checkpoints_that_a_monitor_keeps_are_found_again(house: House, tmp_path: Path) -> None:
    watching = Watching(house, tmp_path / "one")
    await watching.look()
    house.entries[-1] = entry(2, 3, "final", "ab" * 32)
    await watching.look()
    (tmp_path / "two").mkdir()
    (shown,) = (tmp_path / "one").glob("*.shown")
    shown.rename(tmp_path / "two" / shown.name)
    assert told(held(tmp_path / "one", tmp_path / "two")) == [("roots", 9, "log", "log")]


# ---- records and receipts ---------------------------------------------------------------------


def of_files(folder: Path, **files: bytes | str) -> Path:
    folder.mkdir()
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def receipt(lines: tuple[bytes, ...], seq: int, signer: Ed25519Signer | None = None, **other: str) -> str:
    members = canonical.decode(lines[seq])
    said = {"stream": members["stream"], "head": canonical.head(lines[seq])} | other
    key = signer or scripted_server.SIGNERS[scripted_server.ORIGIN]
    return sign_receipt(scripted_server.ORIGIN, said["stream"], seq, said["head"], signers=[key])


FAIR = Story().to_end().record()
OTHER = Story(rules={"game": "pips", "pause_ms": 1}).to_end().record()


def test_records_of_two_histories_are_found_and_so_are_the_logs_that_vouch_for_them(tmp_path: Path) -> None:
    one, other = of_files(tmp_path / "a", a_cup=FAIR), of_files(tmp_path / "b", b_cup=OTHER)
    believed = scripted_server.POLICY
    assert told(held(one, one, believed)) == []
    assert held(one, one, believed).unjoined == ()
    assert told(held(one, other, believed)) == [("roots", 2, "log", "log"), ("heads", 1, "record", "record")]


def test_the_proofs_of_a_record_join_its_checkpoints(tmp_path: Path) -> None:
    begun = b"".join(line + b"\n" for line in split(FAIR).lines[:-1])
    one, other = of_files(tmp_path / "a", a_cup=FAIR), of_files(tmp_path / "b", b_cup=begun)
    assert held(one, other, scripted_server.POLICY).unjoined == ()
    unjoined = FAIR.partition(b"#tlog-consistency")[0]
    loose = of_files(tmp_path / "c", a_cup=unjoined)
    assert [each.checkpoints for each in held(loose, other, scripted_server.POLICY).unjoined] == [1]


@pytest.mark.parametrize("name", ["match_receipts", "receipts_txt"])
def test_receipts_are_held_against_records(tmp_path: Path, name: str) -> None:
    lines, believed = split(FAIR).lines, scripted_server.POLICY
    one = of_files(tmp_path / "a", a_cup=FAIR)
    assert told(held(one, of_files(tmp_path / "b", **{name: receipt(lines, 4) + receipt(lines, 7)}), believed)) == []
    rewritten = of_files(tmp_path / "c", **{name: receipt(lines, 7, head="ab" * 32)})
    assert told(held(one, rewritten, believed)) == [("heads", 8, "record", "receipt")]
    longer = sign_receipt(
        scripted_server.ORIGIN,
        scripted_server.STREAM,
        len(lines),
        "ab" * 32,
        signers=[scripted_server.SIGNERS[scripted_server.ORIGIN]],
    )
    cut = of_files(tmp_path / "d", **{name: longer})
    assert told(held(one, cut, believed)) == [("end", len(lines) + 1, "record", "receipt")]


def test_commands_that_were_kept_beside_receipts_are_passed_over(tmp_path: Path) -> None:
    text = f"CUP1 command\n{scripted_server.STREAM}\n\n{receipt(split(FAIR).lines, 4)}"
    found = seen(of_files(tmp_path / "a", a_receipts=text), scripted_server.POLICY)
    assert (found.passed_over, list(found.sight.lines[scripted_server.STREAM])) == ({}, [4])


def test_receipts_of_nobody_count_for_nothing(tmp_path: Path) -> None:
    lines = split(FAIR).lines
    forged = of_files(tmp_path / "a", a_receipts=receipt(lines, 7, Ed25519Signer(bytes(32)), head="ab" * 32))
    found = seen(forged, scripted_server.POLICY)
    assert (found.files, found.sight.lines) == (0, {})
    assert [why for _, why in found.passed_over] == ["no log of the policy signed all of these receipts"]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a_cup", b"nonsense\n", "not JSON"),
        ("a_cup", b"\xff", "not UTF-8"),
        ("a_cup", split(FAIR).lines[0] + b"\n" + split(FAIR).lines[2] + b"\n", "does not follow"),
        ("a_cup", b"\n".join([*split(FAIR).lines, PROOF + b"AAAA", b""]), "ends in a checkpoint"),
        ("a_receipts", b"nonsense", "and nothing else"),
        ("a_receipts", b"\xff", "codec"),
        ("a_seen", b"nonsense", ""),
        ("a_shown", sign_checkpoint(ORIGIN, 3, merkle.root([]), Ed25519Signer(bytes(32))).encode(), "no log"),
    ],
)
def test_what_is_none_is_named_and_passed_over(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    found = seen(of_files(tmp_path / "a", **{name: content}), scripted_server.POLICY)
    assert len(found.passed_over) == 1
    assert why in next(iter(found.passed_over))[1]


def test_other_files_are_not_looked_at_and_large_ones_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = of_files(tmp_path / "a", a_cup=FAIR, b_txt="nothing", c_html="nothing")
    assert seen(folder, scripted_server.POLICY).passed_over == {}
    monkeypatch.setattr(folders, "FILE_BYTES_MAX", 100)
    assert [why for _, why in seen(folder, scripted_server.POLICY).passed_over] == ["it is larger than any such file"]


def test_a_checkpoint_that_no_witness_saw_counts_since_the_log_signed_it(tmp_path: Path) -> None:
    one = of_files(tmp_path / "a", a_seen=sign_checkpoint(ORIGIN, 3, bytes(32), SIGNER))
    other = of_files(tmp_path / "b", a_shown=sign_checkpoint(ORIGIN, 3, bytes([1]) * 32, SIGNER))
    assert told(held(one, other)) == [("roots", 3, "log", "log")]
