"""A backup is all of a database; put back it is the same, and what is no whole backup is not put back."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import stat
from pathlib import Path

import asyncpg
import pytest
from msgspec import structs

from infra.store.backups import manifests
from infra.store.backups.filling import restore
from infra.store.backups.manifests import (
    BadBackup,
    Manifest,
    TableCopy,
    check_files,
    read_manifest,
    rows_of,
    write_manifest,
)
from infra.store.backups.taking import back_up
from infra.store.migrate import migrate, migrations
from tests.backups.houses import LINES, found_in
from tests.hosting import a_database

EXTRA = (
    "insert into webhook select gen_random_uuid(), 0, 's', 'u', 'k', 'en', '{\"a,b\",null}', 'd', 'f', 1, 0",
    "insert into webhook_retry (hook, seq, tries, due_at) select id, 1, 1, 1 from webhook",
    "insert into card (stream, name) values ('match/x', e'a\\tb\\\\\\nc')",
)


def quiet(_table: str, _done: int, _of: int) -> None:
    """Tell nobody."""


async def taken(database: str, folder: Path) -> Manifest:
    return await back_up(database, folder, "1.2.3", quiet)


def kept_in(folder: Path) -> set[str]:
    return {path.name for path in (folder / "kept").iterdir()}


async def all_of(database: str) -> dict[str, list[asyncpg.Record]]:
    """Return every row of every table, as it is."""
    connection = await asyncpg.connect(database)
    try:
        names = await connection.fetch(
            "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables"
            " where schemaname in ('public', 'vault')"
        )
        return {
            row["name"]: sorted(map(tuple, await connection.fetch(f"select * from {row['name']}")), key=repr)
            for row in names
        }
    finally:
        await connection.close()


async def execute(database: str, *statements: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def test_what_is_put_back_is_what_was_there_row_by_row_and_for_ever(
    house: str, empty_database: str, tmp_path: Path
) -> None:
    await execute(house, *EXTRA)
    manifest = await taken(house, tmp_path / "b")
    assert (sum(manifest.positions.values()), manifest.program) == (LINES, "1.2.3")
    assert manifest == read_manifest(tmp_path / "b")
    await restore(empty_database, tmp_path / "b", manifest, quiet)
    before, after = await all_of(house), await all_of(empty_database)
    assert after == before
    assert all(before[f"{table.schema}.{table.name}"] != [] or table.rows == 0 for table in manifest.tables)
    assert (await found_in(empty_database)).faults == []
    for forbidden in ("update event set body = body", "delete from event", "truncate event", "delete from archive"):
        with pytest.raises(asyncpg.IntegrityConstraintViolationError):
            await execute(empty_database, forbidden)


async def test_the_same_state_is_the_same_files_and_only_its_owner_reads_them(house: str, tmp_path: Path) -> None:
    first, second = await taken(house, tmp_path / "a"), await taken(house, tmp_path / "b")
    assert structs.replace(first, made_at=0) == structs.replace(second, made_at=0)
    for table in first.tables:
        path = tmp_path / "a" / table.file
        assert path.read_bytes() == (tmp_path / "b" / table.file).read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


async def test_a_login_that_may_only_read_takes_a_backup(house: str, tmp_path: Path) -> None:
    name = f"reader_{house.rpartition('/')[2].partition('?')[0]}"
    await execute(house, f"create role {name} login in role pg_read_all_data")
    try:
        manifest = await taken(house.replace("truecup@", f"{name}@"), tmp_path / "b")
        assert sum(manifest.positions.values()) == LINES
    finally:
        await execute(house, f"drop role {name}")


# ---- what is refused ----------------------------------------------------------------------------


async def test_a_folder_with_anything_in_it_is_left_alone(house: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadBackup, match="is not empty"):
        await taken(house, tmp_path / "full")
    await taken(house, tmp_path / "empty")


async def test_of_two_backups_into_one_folder_one_is_whole_and_the_other_is_told(
    house: str, empty_database: str, tmp_path: Path
) -> None:
    found = await asyncio.gather(*(taken(house, tmp_path / "kept" / "b") for _ in range(2)), return_exceptions=True)
    (manifest,) = (one for one in found if isinstance(one, Manifest))
    (trouble,) = (one for one in found if not isinstance(one, Manifest))
    assert isinstance(trouble, BadBackup)
    assert "another backup" in str(trouble)
    assert kept_in(tmp_path) == {"b"}
    assert read_manifest(tmp_path / "kept" / "b") == manifest
    await restore(empty_database, tmp_path / "kept" / "b", manifest, quiet)
    assert (await found_in(empty_database)).faults == []


async def test_what_a_crash_has_left_of_a_backup_stands_in_the_way_of_none(house: str, tmp_path: Path) -> None:
    left = tmp_path / "kept" / "b.partial"
    left.mkdir(parents=True)
    await taken(house, tmp_path / "kept" / "b")
    assert kept_in(tmp_path) == {"b", left.name}


async def test_a_backup_that_was_not_finished_is_none(house: str, empty_database: str, tmp_path: Path) -> None:
    with pytest.raises(BadBackup, match="schema"):
        await taken(empty_database, tmp_path / "kept" / "b")
    assert kept_in(tmp_path) == set()
    with pytest.raises(BadBackup, match="no whole backup"):
        read_manifest(tmp_path / "kept" / "b")
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(BadBackup, match="no manifest"):
        read_manifest(tmp_path)
    await execute(house, "insert into schema_migrations values ('9999')")
    with pytest.raises(BadBackup, match="the one that migrated it"):
        await taken(house, tmp_path / "c")


async def test_files_that_were_cut_changed_or_lost_are_found_before_anything_is_written(
    house: str, empty_database: str, tmp_path: Path
) -> None:
    folder = tmp_path / "b"
    manifest = await taken(house, folder)
    events = folder / "event.gz"
    whole = events.read_bytes()
    changed = gzip.compress(gzip.decompress(whole).replace(b"game.bid", b"game.bix"))
    for bytes_ in (whole[:-9], changed, b"", None):
        events.unlink() if bytes_ is None else events.write_bytes(bytes_)
        with pytest.raises(BadBackup, match=r"event\.gz"):
            await restore(empty_database, folder, manifest, quiet)
    assert await all_of(empty_database) == {}


async def test_no_manifest_has_anything_read_but_files_of_its_folder(house: str, tmp_path: Path) -> None:
    folder = tmp_path / "b"
    manifest = await taken(house, folder)
    (tmp_path / "event.gz").write_bytes((folder / "event.gz").read_bytes())
    os.mkfifo(folder / "pipe.gz")
    (event,) = (one for one in manifest.tables if one.name == "event")
    for name in ("../event", str(tmp_path / "event"), "pipe", "gone", "b\x1b[2J", ""):
        with pytest.raises(BadBackup, match="no file of a backup"):
            check_files(folder, structs.replace(manifest, tables=(structs.replace(event, name=name),)))


async def test_a_file_that_does_not_end_is_not_unpacked_to_its_end(
    house: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "b"
    manifest = await taken(house, folder)
    text = bytes(8 << 20)
    whole = gzip.compress(text)
    (folder / "event.gz").write_bytes(whole[:-9])
    with pytest.raises(BadBackup, match="does not end where it should"):
        check_files(folder, manifest)
    (folder / "event.gz").write_bytes(whole)
    monkeypatch.setattr(manifests, "ROW_BYTES_MAX", 4 << 20)
    with pytest.raises(BadBackup, match="does not end where it should"):
        check_files(folder, forged(manifest, text))


async def test_lines_that_do_not_follow_each_other_are_refused_by_the_database_whatever_the_manifest_says(
    house: str, empty_database: str, tmp_path: Path
) -> None:
    folder = tmp_path / "b"
    manifest = await taken(house, folder)
    text = gzip.decompress((folder / "event.gz").read_bytes()).replace(b'"at":1', b'"at":2')
    (folder / "event.gz").write_bytes(gzip.compress(text))
    (folder / "manifest.json").unlink()
    write_manifest(folder, forged(manifest, text))
    with pytest.raises(BadBackup, match="does not follow"):
        await restore(empty_database, folder, read_manifest(folder), quiet)
    assert (await all_of(empty_database))["public.shard"] == [(shard, 0, 1, None) for shard in range(8)], (
        "and nothing is kept"
    )


def forged(manifest: Manifest, text: bytes) -> Manifest:
    """Return a manifest that vouches for these lines."""
    of_events = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    return structs.replace(
        manifest,
        tables=tuple(structs.replace(one, **of_events) if one.name == "event" else one for one in manifest.tables),
    )


async def test_a_house_is_not_put_over_another(house: str, tmp_path: Path) -> None:
    manifest = await taken(house, tmp_path / "b")
    with pytest.raises(BadBackup, match="there is a house in this database already"):
        await restore(house, tmp_path / "b", manifest, quiet)
    assert (await found_in(house)).lines == LINES
    fewer = structs.replace(manifest, tables=manifest.tables[1:])
    with pytest.raises(BadBackup, match="other tables"):
        await restore(house, tmp_path / "b", fewer, quiet)


async def test_a_backup_of_an_older_schema_is_put_back_and_brought_to_the_newest(
    empty_database: str, postgres_dsn: str, tmp_path: Path
) -> None:
    versions = [version for version, _ in migrations()]
    async with a_database(postgres_dsn, "template1") as older:
        await migrate(older, versions[:17])
        await execute(older, "insert into person values ('p1', 'Ana')")
        manifest = await taken(older, tmp_path / "b")
        newer = structs.replace(manifest, migrations=(*versions, "9999"))
        with pytest.raises(BadBackup, match="of a newer schema"):
            await restore(empty_database, tmp_path / "b", newer, quiet)
        await restore(empty_database, tmp_path / "b", manifest, quiet)
    assert await migrate(empty_database) == []
    assert (await all_of(empty_database))["public.person"] == [("p1", "Ana")]
    with pytest.raises(BadBackup, match="newer schema than the backup"):
        await restore(empty_database, tmp_path / "b", manifest, quiet)


@pytest.mark.parametrize("most", [1, 9, 1 << 20])
def test_rows_go_in_by_parts_none_of_which_cuts_a_row(tmp_path: Path, most: int) -> None:
    rows = [b"a\n", b"bb\n", b"c" * 20 + b"\n", b"d\n"]
    (tmp_path / "event.gz").write_bytes(gzip.compress(b"".join(rows)))
    parts = list(rows_of(tmp_path, TableCopy("public", "event", (), 4, 0, ""), most))
    assert b"".join(parts) == b"".join(rows)
    assert all(part in rows or len(part) <= most for part in parts)
