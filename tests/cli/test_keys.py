"""`truecup key`: a copy of the key of a seat, a key that is brought, and one that a host gives for one that is lost."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from httpx import Response

from services.audit.receipts import ReceiptBook
from services.cli.playing.keyed import keys
from services.cli.playing.keyed.keys import KeyPlace
from services.client import evidence, seating
from services.client.evidence import receipts_of
from services.client.house import CannotDo
from services.client.keys.seat_keys import KeyFile, in_groups, key_in
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.seeds import KeptSeed, SeedFile
from services.client.session import SeatSession
from tests.cli.conftest import Service
from tests.cli.test_signing import kept_of, lines_at, new, until_seen


@pytest.fixture
def sitting(running: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sitting:
    """Return a seat at a table that waits for others, whose key is in the data folder."""
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path))
    return seating.open_table(running.url, partial(keeps_of, running, tmp_path), Wanted(bots=0), Newcoming("Ada"))


def keeps_of(running: Service, folder: Path, match: str) -> ReceiptBook:
    return receipts_of(running.url, folder, None, None, match)


def place_of(sitting: Sitting) -> KeyPlace:
    return KeyPlace(sitting.token, url=sitting.base)


def test_a_copy_is_kept_and_brought_back(
    sitting: Sitting, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, copy = kept_of(sitting), tmp_path / "copy"
    assert keys.export(sitting.match, place=place_of(sitting)) == 0
    assert capsys.readouterr().out == f"{in_groups(kept.secret)}\n"
    assert keys.export(sitting.match, place=place_of(sitting), out=copy) == 0
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600

    monkeypatch.setenv("TRUECUP_DATA", str(new(tmp_path / "elsewhere")))
    link, _, _ = seating.link_of(sitting).partition("&seeds=")
    assert keys.bring(link, str(copy), place=KeyPlace(url=sitting.base)) == 0
    assert kept.public in capsys.readouterr().out
    assert keys.show(link, place=KeyPlace(url=sitting.base)) == 0
    assert kept.public in capsys.readouterr().out


def test_a_key_is_read_as_people_write_it(sitting: Sitting) -> None:
    kept = kept_of(sitting)
    assert key_in(f" {in_groups(kept.secret).upper()}\n") == kept.secret
    assert keys.bring(sitting.match, in_groups(kept.secret), place=place_of(sitting)) == 0
    assert kept_of(sitting) == kept
    for wrong in ("", "12 34", "g" * 64, kept.secret + "0"):
        with pytest.raises(CannotDo, match="a key has 64 digits"):
            keys.bring(sitting.match, wrong, place=place_of(sitting))
    with pytest.raises(CannotDo, match="cannot be written"):
        keys.export(sitting.match, place=place_of(sitting), out=Path("/nowhere/at/all"))


async def test_a_device_that_a_host_names_a_key_for_waits_and_the_old_one_stops_it(
    running: Service, sitting: Sitting, tmp_path: Path
) -> None:
    link, _, _ = seating.link_of(sitting).partition("&seeds=")
    there = seating.sitting_at(running.url, link, partial(keeps_of, running, new(tmp_path / "b")))
    asked = {"type": "leave"}
    async with SeatSession(there, lambda *_: None) as session:
        await until_seen(session)
        assert session.shield == "lost"
        assert sitting.host is not None
        assert keys.give(sitting.match, 1, session.key or "", host=sitting.host, url=sitting.base) == 0
        await until_seen(session, "waits")
        with pytest.raises(CannotDo) as no:
            await session.ask(asked)
        assert no.value.code == "bad_signature"
    (named,) = [line["data"] for line in lines_at(sitting.base, sitting.match) if line["type"] == "seat.keyed"]
    assert named == {"seat": 1, "key": there_key(there), "by": "host"}
    async with SeatSession(sitting, lambda *_: None) as session:
        await until_seen(session)
        assert session.shield == "signed"
        await session.ask(asked)
    assert lines_at(sitting.base, sitting.match)[-1]["type"] == "seat.left"


def there_key(sitting: Sitting) -> str:
    return (KeyFile(seating.signing_file(sitting)).read() or seating.signing_key_of(sitting)).public


def test_programs_that_meet_a_house_at_once_believe_it_alike(running: Service, tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        kept = list(pool.map(partial(keeps_of, running, tmp_path), [str(uuid4()) for _ in range(16)]))
    assert {str(book.policy) for book in kept} == {str(keeps_of(running, tmp_path, str(uuid4())).policy)}


def test_a_house_that_publishes_no_policy_is_believed_once_it_does(
    running: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(evidence, "answer_or_fail", lambda _answer: Response(200, content=b""))
        with pytest.raises(CannotDo, match="the policy names no quorum"):
            keeps_of(running, tmp_path, str(uuid4()))
    assert keeps_of(running, tmp_path, str(uuid4())).policy.logs
    (file,) = tmp_path.rglob("*.policy")
    file.write_bytes(b"")  # as one was left that was killed in the middle
    assert keeps_of(running, tmp_path, str(uuid4())).policy.logs


def test_seeds_are_kept_behind_a_line_that_a_failing_machine_has_torn(tmp_path: Path) -> None:
    seeds, one = SeedFile(tmp_path / "seeds"), KeptSeed(0, "c0", "5eed")
    seeds.keep(one)
    seeds.file.write_bytes(seeds.file.read_bytes() + b'{"deal":1,"com')
    assert seeds.of(0) == [one]
    seeds.keep(KeptSeed(1, "c1", "5eed"))
    assert (seeds.of(0), seeds.of(1)) == ([one], [KeptSeed(1, "c1", "5eed")])
