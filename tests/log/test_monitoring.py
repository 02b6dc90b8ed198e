"""The beliefs of a monitor: what hashes to a root that continues the one it saw, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import merkle, monitoring
from domain.log.merkle import Place
from domain.log.monitoring import Alarm, Anchor, anchor_of, check_growth, check_head, check_tile, tiles_ended, tiles_for
from domain.log.notes import Malformed
from domain.log.proofs import anchor_entry
from domain.log.tiles import tiles_of
from domain.log.witnessing import NOTHING, Head

BIG = 66_000
LEAVES = [merkle.leaf_hash(number.to_bytes(4, "big")) for number in range(BIG)]
KNOWN = merkle.subtrees(LEAVES)
FORK = merkle.subtrees([*LEAVES[:500], *(merkle.leaf_hash(b"another") for _ in range(1_500))])
HEAD = "ab" * 32
SIZES = st.integers(0, 2_000) | st.sampled_from([255, 256, 257, 65_535, 65_536, 65_537, BIG])


def head(size: int, known: dict[Place, bytes] = KNOWN) -> Head:
    return Head(size, merkle.hash_of((0, size), known))


def served(old: int, size: int, known: dict[Place, bytes] = KNOWN) -> dict[Place, bytes]:
    """Return the hashes of the tiles that a log with these subtrees serves."""
    return {place: known[place] for tile in tiles_for(old, size) for place in tile.places}


def alarm(seen: Head, shown: Head, hashes: dict[Place, bytes]) -> str:
    with pytest.raises(Alarm) as caught:
        check_growth(seen, shown, hashes)
    return caught.value.code


# ---- heads ------------------------------------------------------------------------------------


def test_a_head_may_stay_or_grow() -> None:
    check_head(head(5), head(5))
    check_head(head(5), head(6))
    check_head(NOTHING, head(6))


@pytest.mark.parametrize(
    ("seen", "shown", "code"),
    [
        (head(5), head(4), "SHRUNK"),
        (head(5), NOTHING, "SHRUNK"),
        (head(5), Head(5, bytes(32)), "FORKED"),
        (NOTHING, Head(0, bytes(32)), "FORKED"),
        (NOTHING, Head(2**41, bytes(32)), "NONSENSE"),
    ],
)
def test_a_head_that_does_not_is_an_alarm(seen: Head, shown: Head, code: str) -> None:
    with pytest.raises(Alarm) as caught:
        check_head(seen, shown)
    assert caught.value.code == code


@given(old=SIZES, size=SIZES)
def test_a_log_that_grows_is_believed_by_its_tiles(old: int, size: int) -> None:
    old, size = sorted((old, size))
    if old != size:
        wanted = tiles_for(old, size)
        assert len(wanted) <= 12
        assert set(wanted) <= set(tiles_of(size))
        edge = check_growth(head(old), head(size), served(old, size))
        assert edge == {place: KNOWN[place] for place in merkle.nodes_of([(0, old)])}


@given(old=st.integers(1, 1_900), more=st.integers(1, 100))
def test_a_log_that_became_another_is_told_from_one_that_grew(old: int, more: int) -> None:
    shown, hashes = head(old + more, FORK), served(old, old + more, FORK)
    if old <= 500:
        check_growth(head(old), shown, hashes)
    else:
        assert alarm(head(old), shown, hashes) == "FORKED"


@given(old=st.integers(0, 1_900), more=st.integers(1, 100), data=st.data())
def test_a_tile_with_a_wrong_hash_does_not_pass_for_a_second_history(old: int, more: int, data: st.DataObject) -> None:
    hashes, size = served(old, old + more), old + more
    spans = [(0, old), *merkle.consistency_spans(old, size)] if old else [(0, size)]
    level, index = data.draw(st.sampled_from(merkle.nodes_of(spans)))
    wrong = (level // 8 * 8, index << level % 8)
    assert alarm(head(old), head(size), {**hashes, wrong: bytes(32)}) == "TILES"


def test_the_tiles_of_another_root_are_refused() -> None:
    assert alarm(NOTHING, Head(300, bytes(32)), served(0, 300)) == "TILES"
    assert alarm(head(200), Head(300, bytes(32)), served(200, 300)) == "TILES"


# ---- entries ----------------------------------------------------------------------------------


@given(old=SIZES, size=SIZES)
def test_every_tile_above_new_entries_is_held_against_them_once(old: int, size: int) -> None:
    old, size = sorted((old, size))
    seen, edge, held = old, {place: KNOWN[place] for place in merkle.nodes_of([(0, old)])}, []
    while seen < size:
        end = min((seen // 256 + 1) * 256, size)
        known = monitoring.extend_edge(seen, edge, LEAVES[seen:end])
        for tile in tiles_ended(seen, end, last=end == size):
            check_tile(tile, {place: KNOWN[place] for place in tile.places}, known)
            held.append(tile)
        seen, edge = end, monitoring.edge_of(end, known)
    assert merkle.hash_of((0, size), edge) == head(size).root
    new = {tile for tile in tiles_of(size) if old == 0 or not tile.covered_by(old)}
    assert len(held) == len(set(held))
    assert new <= set(held) <= set(tiles_of(size))


@given(size=st.integers(1, 2_000), data=st.data())
def test_a_tile_that_is_not_of_the_entries_is_an_alarm(size: int, data: st.DataObject) -> None:
    before = (size - 1) // 256 * 256
    edge = {place: KNOWN[place] for place in merkle.nodes_of([(0, before)])}
    known = monitoring.extend_edge(before, edge, LEAVES[before:size])
    tile = data.draw(st.sampled_from(tiles_ended(before, size, last=True)))
    wrong = data.draw(st.sampled_from(tile.places))
    with pytest.raises(Alarm) as caught:
        check_tile(tile, {place: KNOWN[place] for place in tile.places} | {wrong: bytes(32)}, known)
    assert caught.value.code == "TILES"


@given(
    stream=st.text(min_size=1, max_size=40).filter(str.isprintable),
    seq=st.integers(0, 2**63 - 1),
    kind=st.sampled_from(["sealed", "opened", "live", "final"]),
)
def test_an_anchor_is_read_as_it_was_written(stream: str, seq: int, kind: str) -> None:
    entry = anchor_entry(stream, seq, HEAD, kind)
    assert anchor_of(entry) == Anchor(stream, seq, HEAD, kind)
    assert monitoring.anchors_of([entry, entry], 7) == [Anchor(stream, seq, HEAD, kind)] * 2


GOOD = anchor_entry("match/1", 3, HEAD, "final")


@pytest.mark.parametrize(
    "entry",
    [
        *(b"", b"\n\n\n\n\n", b"\xff" * 100, GOOD[:-1], GOOD + b"\n", GOOD + b"more", b" " + GOOD),
        GOOD.replace(b"CUP1", b"CUP2"),
        GOOD.replace(b"match/1", b""),
        GOOD.replace(b"match/1", b"match/\x1b[2J"),
        GOOD.replace(b"\n3\n", b"\n03\n"),
        GOOD.replace(b"\n3\n", b"\n-3\n"),
        GOOD.replace(b"\n3\n", b"\n9223372036854775808\n"),
        GOOD.replace(b"ab", b"AB"),
        GOOD.replace(HEAD.encode(), HEAD.encode()[:-1]),
        GOOD.replace(b"final", b"finale"),
        anchor_entry("match/" + "1" * 1_000, 3, HEAD, "final"),
    ],
)
def test_an_entry_that_is_no_anchor_is_an_alarm_with_its_index(entry: bytes) -> None:
    with pytest.raises(Malformed):
        anchor_of(entry)
    with pytest.raises(Alarm, match="entry 8") as caught:
        monitoring.anchors_of([GOOD, entry], 7)
    assert caught.value.code == "ENTRIES"
