"""A monitor against a house that is honest, and against one that lies in each way there is."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, cast

import pytest

from domain.log import merkle, tiles
from domain.log.checkpoints import checkpoint_of, sign_checkpoint
from domain.log.notes import ED25519, Key
from domain.log.policies import accept, policy_of
from domain.log.proofs import anchor_entry
from infra.keys import Ed25519Signer, ed25519_verify
from services.monitor.monitor import Monitor, MonitorLook
from services.monitor.reading import LogHouse
from services.monitor.store import MonitorStore
from tests.monitor import serving
from tests.monitor.conftest import Watching
from tests.monitor.serving import House, entry, match_of, whole

DAY_S = 86_400


# ---- honest -----------------------------------------------------------------------------------


async def test_an_honest_log_is_followed_as_it_grows(house: House, watching: Watching) -> None:
    assert await watching.look() == MonitorLook(followed=True, size=9, grown=9, compared=3)
    assert await watching.look() == MonitorLook(followed=True, size=9, grown=0, compared=3)
    for number, size in ((3, 12), (90, 273), (170, 513), (171, 516)):
        grown = size - len(house.entries)
        house.entries += [one for more in range(number - grown // 3 + 1, number + 1) for one in whole(more)]
        look = await watching.look(all_streams=False)
        assert look == MonitorLook(followed=True, size=size, grown=grown, compared=min(10, size // 3))


async def test_nothing_is_asked_for_twice(house: House, watching: Watching) -> None:
    house.entries += [one for number in range(3, 200) for one in whole(number)]
    await watching.look(all_streams=False)
    house.asked.clear()
    house.entries += whole(200)
    await watching.look(all_streams=False)
    bundles = [path for path in house.asked if "entries" in path]
    assert bundles == ["/log/tile/entries/002.p/91"]


async def test_streams_are_compared_in_turn_until_all_were(house: House, watching: Watching) -> None:
    house.entries += [one for number in range(3, 25) for one in whole(number)]
    for _ in range(3):
        await watching.look(all_streams=False)
    assert {path for path in house.asked if "record" in path} == {
        f"/api/v1/matches/{match_of(number)}/record" for number in range(25)
    }


async def test_an_empty_log_is_a_log(house: House, watching: Watching) -> None:
    house.entries.clear()
    assert await watching.look() == MonitorLook(followed=True)
    house.entries += whole(1)
    assert await watching.look() == MonitorLook(followed=True, size=3, grown=3, compared=1)


async def test_answers_may_be_compressed(house: House, watching: Watching) -> None:
    bundle = gzip.compress(tiles.bundle(house.entries))
    house.lies["/log/tile/entries/000.p/9"] = (200, bundle, {"Content-Encoding": "gzip"})
    assert (await watching.look()).followed


async def test_a_log_of_many_levels_is_held_against_its_tiles(tmp_path: Path) -> None:
    entries = [anchor_entry("match/x", number, "ab" * 32, "live") for number in range(66_000)]
    known = merkle.subtrees([merkle.leaf_hash(one) for one in entries])
    held = {str(tile): b"".join(known[place] for place in tile.places) for tile in tiles.tiles_of(len(entries))}
    with House(entries) as served:
        served.lies = {f"/log/tile/{path}": (200, body) for path, body in held.items()}
        look = await Watching(served, tmp_path / "seen").look()
        assert (look.followed, look.size) == (True, len(entries))
        assert {path.removeprefix("/log/tile/") for path in served.asked} >= set(held)


# ---- the head ---------------------------------------------------------------------------------


async def test_a_second_history_is_found_and_its_proof_is_kept(house: House, watching: Watching) -> None:
    await watching.look()
    seen = house.checkpoint().decode()
    house.entries[4] = entry(1, 2, "opened", "cd" * 32)
    for more in ([], whole(7)):
        house.entries += more
        text = await watching.finds("FORKED")
        name = text.partition("kept as ")[2].partition(".seen")[0]
        assert (watching.folder / f"{name}.seen").read_text() == seen
        shown = (watching.folder / f"{name}.shown").read_text()
        assert shown == house.checkpoint().decode()
        for note in (seen, shown):
            accept(policy_of(serving.POLICY), checkpoint_of(note), ed25519_verify)


async def test_a_log_that_shrinks_is_found_and_its_proof_is_kept(house: House, watching: Watching) -> None:
    await watching.look()
    del house.entries[-1]
    assert "9" in await watching.finds("SHRUNK")
    assert len(list(watching.folder.glob("proof-8-*"))) == 2


async def test_proofs_do_not_fill_the_disk(house: House, watching: Watching) -> None:
    await watching.look()
    for number in range(13):
        house.entries[4] = entry(1, 2, "opened", f"{number:064x}")
        await watching.finds("FORKED")
    assert len(list(watching.folder.glob("proof-*"))) == 20


async def test_after_an_alarm_the_honest_log_is_followed_again(house: House, watching: Watching) -> None:
    await watching.look()
    honest = list(house.entries)
    house.entries[4] = entry(1, 2, "opened", "cd" * 32)
    await watching.finds("FORKED")
    house.entries = honest + whole(7)
    assert (await watching.look()).grown == 3


async def test_a_log_that_signs_with_another_key_is_not_believed(house: House, watching: Watching) -> None:
    await watching.look()
    house.entries += whole(7)
    house.signer = Ed25519Signer(bytes(32))
    await watching.finds("UNTRUSTED")
    house.signer, house.origin = serving.SIGNER, "another.example/log"
    await watching.finds("UNTRUSTED")


async def test_one_folder_is_about_one_log(house: House, watching: Watching) -> None:
    await watching.look()
    house.origin = "another.example/log"
    both = policy_of(serving.POLICY.replace("quorum", f"log {key_of(house)}\nquorum"))
    notebook = MonitorStore(watching.folder)
    async with LogHouse(house.url) as reader:
        look = await Monitor(reader, notebook, both, 7).look(every_stream=False)
    notebook.close()
    assert [one.code for one in look.findings] == ["UNTRUSTED"]


def key_of(house: House) -> str:
    """Return another key for another log, so that the policy may name both."""
    house.signer = Ed25519Signer(b"the key of a log of another name")
    return str(Key(house.origin, ED25519, house.signer.public_key))


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"\xff\xfe", b"\n\n\n", b"dice.example/log\n9\nAAAA\n\n", b"A" * 100_000]
)
async def test_a_checkpoint_that_is_none_is_not_believed(house: House, watching: Watching, body: bytes) -> None:
    await watching.look()
    house.lies["/log/checkpoint"] = (200, body)
    await watching.finds("NONSENSE")


async def test_a_log_that_claims_more_than_there_can_be_is_not_followed(house: House, watching: Watching) -> None:
    huge = sign_checkpoint(serving.ORIGIN, 2**62, bytes(32), serving.SIGNER)
    house.lies["/log/checkpoint"] = (200, huge.encode())
    await watching.finds("NONSENSE")


# ---- tiles and entries ------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["0/000.p/12", "entries/000.p/12"])
@pytest.mark.parametrize("body", [b"", b"\x00", b"A" * 31, b"\xff" * 1_000, b"A" * 10**6])
async def test_a_tile_of_a_wrong_length_is_not_believed(
    house: House, watching: Watching, path: str, body: bytes
) -> None:
    await watching.look()
    house.entries += whole(7)
    house.lies[f"/log/tile/{path}"] = (200, body)
    await watching.finds("NONSENSE")
    house.lies.clear()
    assert (await watching.look()).grown == 3


async def test_a_tile_with_other_hashes_is_not_believed(house: House, watching: Watching) -> None:
    house.lies["/log/tile/0/000.p/9"] = (200, bytes(9 * 32))
    await watching.finds("TILES")


async def test_entries_that_are_not_those_of_the_tile_are_not_believed(house: House, watching: Watching) -> None:
    others = [*house.entries[:-1], entry(2, 3, "final", "cd" * 32)]
    house.lies["/log/tile/entries/000.p/9"] = (200, tiles.bundle(others))
    await watching.finds("TILES")


async def test_a_log_that_answers_otherwise_when_it_is_asked_again_is_not_believed(
    house: House, watching: Watching
) -> None:
    others = [*house.entries[:-1], entry(2, 3, "final", "cd" * 32)]
    honest, path = house.tile("0/000.p/9"), "/log/tile/0/000.p/9"
    forged = b"".join(merkle.leaf_hash(one) for one in others)
    house.lies["/log/tile/entries/000.p/9"] = (200, tiles.bundle(others))
    house.lies[path] = lambda handler: cast(Any, handler).send(200, honest if house.asked.count(path) == 1 else forged)
    assert "do not lead to the root" in await watching.finds("TILES")


async def test_an_entry_of_before_that_is_served_otherwise_is_not_believed(house: House, watching: Watching) -> None:
    await watching.look()
    house.entries += whole(7)
    others = [entry(0, 1, "sealed", "cd" * 32), *house.entries[1:]]
    house.lies["/log/tile/entries/000.p/12"] = (200, tiles.bundle(others))
    await watching.finds("TILES")


@pytest.mark.parametrize("last", [b"", b"nonsense", anchor_entry("match/1", 3, "ab" * 32, "odd")])
async def test_an_entry_that_is_no_anchor_is_found(house: House, watching: Watching, last: bytes) -> None:
    await watching.look()
    house.entries.append(last)
    assert await watching.finds("ENTRIES") == "entry 9: an entry is no anchor"


# ---- answers that are none --------------------------------------------------------------------


async def test_a_house_that_asks_for_patience_has_it(house: House, watching: Watching) -> None:
    asked_early = ["/log/checkpoint", f"/api/v1/matches/{match_of(1)}/record"]

    def too_early(handler: Any) -> None:
        del house.lies[handler.path]
        handler.send(429, b"too many", {"Retry-After": "0"})

    house.lies = dict.fromkeys(asked_early, too_early)
    assert await watching.look() == MonitorLook(followed=True, size=9, grown=9, compared=3)
    assert house.lies == {}


async def test_a_house_that_only_ever_asks_for_patience_is_given_up(house: House, watching: Watching) -> None:
    house.lies["/log/checkpoint"] = (429, b"too many", {"Retry-After": "0"})
    look = await watching.look()
    assert not look.followed
    assert "asked too often" in look.unanswered[0]


@pytest.mark.parametrize("path", ["/log/checkpoint", "/log/tile/0/000.p/12", "/log/tile/entries/000.p/12"])
@pytest.mark.parametrize("lie", [serving.cut, serving.silent, serving.no_http, (404, b""), (500, b"x"), (302, b"")])
async def test_no_answer_is_said_so_and_changes_nothing(
    house: House, watching: Watching, path: str, lie: serving.Answers
) -> None:
    await watching.look()
    house.entries += whole(7)
    house.lies[path] = lie
    look = await watching.look()
    assert (look.followed, look.findings, look.size) == (False, [], 9)
    assert len(look.unanswered) == 1
    assert look.unanswered[0].startswith(path)


@pytest.mark.parametrize("path", ["/log/checkpoint", "/log/tile/0/000.p/12", "/log/tile/entries/000.p/12"])
async def test_an_answer_that_takes_for_ever_is_not_waited_for(house: House, watching: Watching, path: str) -> None:
    await watching.look()
    house.entries += whole(7)
    house.lies[path] = serving.slow
    look = await watching.look(answer_s=0.5)
    assert (look.followed, look.size) == (False, 9)
    assert "in time" in look.unanswered[0] or [one.code for one in look.findings] == ["NONSENSE"]


@pytest.mark.parametrize("path", ["/log/checkpoint", "/log/tile/0/000.p/12", "/log/tile/entries/000.p/12"])
@pytest.mark.parametrize(
    "lie",
    [
        serving.endless,
        serving.bomb(10**8),
        (200, b"no gzip", {"Content-Encoding": "gzip"}),
        (200, gzip.compress(bytes(384))[:-4], {"Content-Encoding": "gzip"}),
        (200, bytes(384), {"Content-Encoding": "br"}),
    ],
)
async def test_an_answer_without_end_or_of_another_kind_is_found(
    house: House, watching: Watching, path: str, lie: serving.Answers
) -> None:
    await watching.look()
    house.entries += whole(7)
    house.lies[path] = lie
    await watching.finds("NONSENSE")
