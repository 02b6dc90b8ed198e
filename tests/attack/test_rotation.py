"""A key is changed in the middle of a match: nothing is doubled, nothing is lost, and no die is another."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from domain import commands
from domain.match.evolve import Match
from infra.config import Config, config_of
from infra.entropy import draw
from infra.sealing import CannotUnwrap
from infra.store import SHARDS
from infra.store.memory import MemoryStore
from services.bots.demo import first_not_over, table_id
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata
from services.matches.secrets.keys import Keys, keys_of
from services.matches.secrets.vault import Vault
from services.work.failures import Unreadable

OLD, NEW, NEWER = "a1" * 32, "b2" * 32, "c3" * 32
RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}
NOWHERE = Path("no folder is needed")


def asking(key: str) -> CommandMetadata:
    return CommandMetadata("test", key, b"")


def keys(*known: str) -> Keys:
    """Return what these keys open, the newest first."""
    return keys_of(Config(key=known[0], key_before=",".join(known[1:]) or None), NOWHERE)


def house(store: MemoryStore, *known: str) -> CommandHandler:
    """Return a program that has just started with these keys."""
    opened = keys(*known)
    return CommandHandler(store, Vault(store, opened.sealing), opened.tokens)


async def opened(matches: CommandHandler, key: str = "open") -> Answer:
    return await matches.open(RULES, asking(key))


async def joined(matches: CommandHandler, match_id: UUID, name: str) -> Answer:
    return await matches.join(match_id, name, "server", asking(name))


async def dealt(matches: CommandHandler, match_id: UUID) -> None:
    """Start the match and bring its deal to the first hidden dice."""
    await matches.start(match_id, asking("start"))
    await matches.submit(match_id, commands.LogDeal(0, 0, (), "checkpoint"), asking("log"))
    while await mix_of(matches, match_id) is None:
        await matches.advance(match_id, CommandMetadata("test", draw(8).hex(), b""))


async def dice(matches: CommandHandler, match_id: UUID) -> list[object]:
    """Return every seat's private openings."""
    return [await matches.openings(match_id, seat) for seat in (1, 2, 3)]


async def seated(store: MemoryStore, *known: str) -> tuple[UUID, list[Answer]]:
    matches = house(store, *known)
    match_id = UUID((await opened(matches)).match)
    return match_id, [await joined(matches, match_id, name) for name in ("Ana", "Ben", "Cid")]


async def streams(store: MemoryStore) -> set[str]:
    return {line.stream for shard in range(SHARDS) for line in await store.follow(shard, 0, 1_000)}


async def match_of(matches: CommandHandler, match_id: UUID) -> Match:
    return (await matches.load_match(match_id)).match


async def mix_of(matches: CommandHandler, match_id: UUID) -> bytes | None:
    """Return the mix of the deal, once its seeds are open."""
    deal = (await match_of(matches, match_id)).ceremony
    assert deal is not None
    return deal.mix


async def test_a_repeat_of_a_request_of_before_finds_its_match_and_earns_its_tokens_again():
    first = await opened(house(store := MemoryStore(), OLD))
    match_id, seats = await seated(store, OLD)
    after = house(store, NEW, OLD)
    assert await opened(after) == first
    assert [await joined(after, match_id, name) for name in ("Ana", "Ben", "Cid")] == seats
    assert len(await streams(store)) == 1


async def test_a_repeat_is_found_through_two_changes():
    store = MemoryStore()
    by_old = await opened(house(store, OLD), "one")
    by_new = await opened(house(store, NEW, OLD), "two")
    newest = house(store, NEWER, NEW, OLD)
    assert [await opened(newest, key) for key in ("one", "two")] == [by_old, by_new]
    by_newest = await opened(newest, "three")
    assert len({one.match for one in (by_old, by_new, by_newest)}) == 3
    assert await opened(house(store, NEWER), "three") == by_newest


async def test_tokens_of_before_are_good_and_guesses_are_not():
    store = MemoryStore()
    match_id, seats = await seated(store, OLD)
    after = house(store, NEW, OLD)
    bearers = [await after.bearer(seat.token or "") for seat in seats]
    held = [(bearer.match, bearer.holder.seat) for bearer in bearers if bearer and bearer.holder]
    assert held == [(match_id, 1), (match_id, 2), (match_id, 3)]
    stranger = keys(NEWER).tokens.issue(match_id, "seat", 1, bytes(32))
    assert await after.bearer(stranger) is None


async def test_a_seat_taken_after_the_change_is_repeated_under_the_same_token_after_another():
    store = MemoryStore()
    match_id = UUID((await opened(house(store, OLD))).match)
    seat = await joined(house(store, NEW, OLD), match_id, "Ana")
    assert await joined(house(store, NEWER, NEW, OLD), match_id, "Ana") == seat
    assert len((await match_of(house(store, NEWER, NEW, OLD), match_id)).seated) == 1


async def test_the_dice_of_a_deal_under_way_stay_the_same():
    store = MemoryStore()
    match_id, _ = await seated(store, OLD)
    before = house(store, OLD)
    await dealt(before, match_id)
    shown = await dice(before, match_id)
    assert all(shown)
    assert await dice(house(store, NEW, OLD), match_id) == shown
    with pytest.raises(Unreadable) as unreadable:
        await dice(house(store, NEW), match_id)
    assert isinstance(unreadable.value.__cause__, CannotUnwrap)


async def test_a_deal_begun_under_the_old_key_is_opened_and_played_under_the_new_one():
    store = MemoryStore()
    match_id, _ = await seated(store, OLD)
    await house(store, OLD).start(match_id, asking("start"))
    after = house(store, NEW, OLD)
    again = await after.start(match_id, asking("start"))
    assert again.version == (await match_of(after, match_id)).version
    await dealt(after, match_id)
    shown = await dice(after, match_id)
    assert all(shown)
    assert await dice(house(store, NEWER, NEW, OLD), match_id) == shown


async def test_machines_that_know_both_keys_agree_whichever_is_the_newest_for_them():
    store = MemoryStore()
    here, there = house(store, OLD, NEW), house(store, NEW, OLD)
    assert await opened(here, "one") == await opened(there, "one")
    assert await opened(there, "two") == await opened(here, "two")
    match_id = UUID((await opened(there, "two")).match)
    assert await joined(here, match_id, "Ana") == await joined(there, match_id, "Ana")
    assert len(await streams(store)) == 2


async def test_a_demo_table_of_before_is_the_one_that_goes_on():
    store = MemoryStore()
    before = house(store, OLD)
    await before.open(RULES, CommandMetadata("demo", "demo-0-open", b""))
    after = house(store, NEW, OLD)
    assert await table_id(after, 0) == await table_id(before, 0)
    assert await first_not_over(after) == 0


def test_the_log_is_signed_by_every_key_that_is_known():
    both = keys(NEW, OLD)
    assert [one.public_key for one in both.signers] == [keys(NEW).signer.public_key, keys(OLD).signer.public_key]
    assert both.signer is both.signers[0]
    assert len(keys(NEW, NEW, OLD, NEW).signers) == 2


def test_the_key_of_before_may_stand_in_a_file(tmp_path: Path):
    (tmp_path / "before").write_text(f"{OLD}\n")
    given = {"TRUECUP_KEY": NEW, "TRUECUP_KEY_BEFORE_FILE": str(tmp_path / "before")}
    assert config_of(given).key_before == OLD
    assert config_of({"TRUECUP_KEY_BEFORE": f"{NEW},{OLD}"}).key_before == f"{NEW},{OLD}"


def test_a_key_that_was_renamed_is_followed_by_a_new_one(tmp_path: Path):
    first = keys_of(Config(), tmp_path)
    (tmp_path / "key").rename(tmp_path / "key.before")
    second = keys_of(config_of({"TRUECUP_KEY_BEFORE_FILE": str(tmp_path / "key.before")}), tmp_path)
    assert second.signers[1].public_key == first.signer.public_key != second.signer.public_key
