"""Folders of what two have seen of a house: a second history comes out, wherever it was kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from domain.fairness.records import split
from domain.log import canonical, merkle
from domain.log.checkpoints import sign_checkpoint
from domain.log.outside.sights import SightComparison, compare
from domain.log.policies import Policy
from domain.log.proofs import anchor_entry
from domain.log.receipts import sign_receipt
from infra.keys import Ed25519Signer
from services.monitor import folders, notebooks
from services.monitor.folders import SeenFolder
from services.monitor.store import NOTEBOOK
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


def changed(folder: Path, *changes: str) -> None:
    """Write something into a notebook."""
    with closing(sqlite3.connect(folder / NOTEBOOK)) as file:
        for each in changes:
            file.execute(each)
        file.commit()


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


async def test_entries_that_came_again_and_again_are_of_one_history(
    two_notebooks, house: House, tmp_path: Path
) -> None:
    house.entries += [house.entries[0]] * 2 + [house.entries[1]]
    await two_notebooks([*house.entries, house.entries[0], *whole(3)])
    found = held(tmp_path / "one", tmp_path / "other")
    assert (found.differences, found.unjoined, found.streams) == ((), (), 3)


async def test_of_a_notebook_that_does_not_know_of_every_time_an_entry_came_the_checkpoint_alone_counts(
    two_notebooks, house: House, tmp_path: Path
) -> None:
    house.entries += [house.entries[0]] * 2
    await two_notebooks([*house.entries, *whole(3)])
    changed(tmp_path / "one", "drop table repeated")
    found = seen(tmp_path / "one")
    assert [why for _, why in found.passed_over] == ["its entries end before the checkpoint it shows"]
    assert compare(found.sight, seen(tmp_path / "other").sight).unjoined == ()
    assert found.sight.streams == set()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("update anchor set head = '%s' where number = 0" % ("ab" * 32), "do not give"),
        ("update anchor set seq = 7 where number = 8", "do not give"),
        ("update anchor set stream = x'ff' where number = 4", "do not give"),
        ("delete from anchor where number = 8", "end before"),
        ("update anchor set number = -1 where number = 0", "end before"),
        ("insert into repeated values (9, 0)", None),
        ("insert into anchor values (9, 'match/x', 1, '%s', 'live', null)" % ("ab" * 32), None),
    ],
)
async def test_whatever_is_written_into_a_notebook_afterwards_is_no_finding_against_the_house(
    two_notebooks, house: House, tmp_path: Path, change: str, why: str | None
) -> None:
    await two_notebooks(house.entries)
    changed(tmp_path / "other", change)
    found = seen(tmp_path / "other")
    differences = compare(seen(tmp_path / "one").sight, found.sight).differences
    assert (differences, bool(found.passed_over)) == ((), why is not None)
    assert all(why is not None and why in said for _, said in found.passed_over)


async def test_entries_that_give_the_checkpoint_and_say_nothing_are_named(house: House, tmp_path: Path) -> None:
    await Watching(house, tmp_path / "one").look()
    nonsense = anchor_entry("match/x", 1, "ab", "live")
    note = sign_checkpoint(ORIGIN, 1, merkle.root([merkle.leaf_hash(nonsense)]), SIGNER)
    changed(tmp_path / "one", "delete from anchor", "insert into anchor values (0, 'match/x', 1, 'ab', 'live', null)")
    changed(tmp_path / "one", f"update seen set note = '{note}'")
    found = seen(tmp_path / "one")
    assert [why for _, why in found.passed_over] == ["an entry is no anchor"]
    assert (len(found.sight.trees), found.sight.streams) == (1, set())


ENDLESS = "with recursive n(i) as (select 0 union all select i + 1 from n) select {} from n {}"


@pytest.mark.parametrize(
    "changes",
    [
        ("drop table seen", "create view seen as " + ENDLESS.format("'x' as note", "where i < 0")),
        ("drop table seen", "create view seen as select zeroblob(100000000) as note"),
        (
            "drop table repeated",
            "create view repeated as " + ENDLESS.format("i % 3 as number, 0 as first", "order by i"),
        ),
    ],
    ids=["no end of nothing", "a note of 100 MB", "no end of entries"],
)
async def test_a_notebook_that_would_never_be_read_is_not_read(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: tuple[str, ...]
) -> None:
    await Watching(house, tmp_path / "one").look()
    changed(tmp_path / "one", *changes)
    monkeypatch.setattr(notebooks, "STEPS_MIN", 100_000)
    with pytest.raises(sqlite3.Error):
        seen(tmp_path / "one")


async def test_a_notebook_of_somebody_else_is_left_as_it_is(house: House, tmp_path: Path) -> None:
    await Watching(house, tmp_path / "one").look()
    before = (tmp_path / "one" / NOTEBOOK).read_bytes()
    assert seen(tmp_path / "one").passed_over == {}
    assert (tmp_path / "one" / NOTEBOOK).read_bytes() == before
    assert [path.name for path in (tmp_path / "one").iterdir()] == [NOTEBOOK]


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
