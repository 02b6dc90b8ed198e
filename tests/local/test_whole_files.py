"""Files that are whole or not there, when several write them at once and when who writes them is killed."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from infra.files.whole import FOR_ITS_OWNER, append_whole, write_first, write_whole
from services.matches.secrets.keys import load_or_make_key
from services.witness.application import NotOurs, _claim

WRITERS = 16
BYTES = 1 << 20
_WRITES = f"""
import sys
from pathlib import Path
from infra.files.whole import write_whole
while True:
    for each in (b"a", b"b"):
        write_whole(Path(sys.argv[1]), each * {BYTES}, durably=False)
"""


def test_of_several_who_write_first_one_is_the_first(tmp_path: Path) -> None:
    def write(number: int) -> bytes:
        return write_first(tmp_path / "first", bytes([number]) * BYTES)

    with ThreadPoolExecutor(WRITERS) as pool:
        found = set(pool.map(write, range(WRITERS)))
    assert found == {(tmp_path / "first").read_bytes()}
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_who_makes_the_key_of_a_house_at_once_has_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(WRITERS) as pool:
        made = set(pool.map(load_or_make_key, [tmp_path / "data" / "key"] * WRITERS))
    assert made == {load_or_make_key(tmp_path / "data" / "key")}
    assert stat.S_IMODE((tmp_path / "data" / "key").stat().st_mode) == FOR_ITS_OWNER


def test_where_there_are_no_links_a_file_is_whole_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path, _target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    assert write_first(tmp_path / "first", b"one") == b"one"
    assert write_first(tmp_path / "first", b"other") == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_who_is_killed_while_writing_leaves_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "whole"
    write_whole(file, b"a" * BYTES)
    for moment in range(5):
        with subprocess.Popen([sys.executable, "-c", _WRITES, str(file)]) as writer:
            until = time.monotonic() + 0.3 + moment / 100
            while time.monotonic() < until:
                assert file.read_bytes() in {b"a" * BYTES, b"b" * BYTES}
            writer.send_signal(signal.SIGKILL)
        assert file.read_bytes() in {b"a" * BYTES, b"b" * BYTES}


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write_whole(tmp_path / "whole", b"one", FOR_ITS_OWNER)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=f"No space left.*{tmp_path}/whole'$"):
        write_whole(tmp_path / "whole", b"other")
    assert (tmp_path / "whole").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]


def test_of_what_comes_behind_a_file_all_is_written_or_nothing(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    append_whole(file, b"one\n", FOR_ITS_OWNER)
    append_whole(file, b"two\n")
    assert file.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(file.stat().st_mode) == FOR_ITS_OWNER

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match=f"too large.*{file}'$"):
            append_whole(file, b"three\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert file.read_bytes() == b"one\ntwo\n"


def test_who_write_behind_a_file_at_once_all_stand_there_whole(tmp_path: Path) -> None:
    said = [f"{number:04}".encode() * 1_000 + b"\n" for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(append_whole, [tmp_path / "notes"] * WRITERS, said))
    assert sorted((tmp_path / "notes").read_bytes().splitlines(keepends=True)) == said


def test_a_system_that_keeps_no_names_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = os.fsync

    def refuse(number: int) -> None:
        if stat.S_ISDIR(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        kept(number)

    monkeypatch.setattr(os, "fsync", refuse)
    write_whole(tmp_path / ("n" * 250), b"one")
    assert (tmp_path / ("n" * 250)).read_bytes() == b"one"


def test_a_link_to_a_file_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name in ("whole", "first"):
        (tmp_path / name).symlink_to(tmp_path / "there" / name)
    write_whole(tmp_path / "whole", b"one")
    write_whole(tmp_path / "whole", b"two")
    assert write_first(tmp_path / "first", b"one") == b"one"
    assert [(tmp_path / "there" / name).read_bytes() for name in ("whole", "first")] == [b"two", b"one"]
    assert (tmp_path / "whole").is_symlink()


def test_what_others_may_read_is_for_the_umask_to_say(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "whole", b"one")
        write_whole(tmp_path / "own", b"one", FOR_ITS_OWNER)
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("whole", "own")] == [0o640, FOR_ITS_OWNER]


def test_two_witnesses_that_begin_in_one_folder_are_one(tmp_path: Path) -> None:
    claims = [f"witness{number}.example+0+key" for number in range(WRITERS)]

    def claim(vkey: str) -> bool:
        with suppress(NotOurs):
            _claim(tmp_path, vkey)
            return True
        return False

    with ThreadPoolExecutor(WRITERS) as pool:
        assert sum(pool.map(claim, claims)) == 1
