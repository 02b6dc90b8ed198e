"""Records and audits: read and made once for all who ask, and never older than whoever asks can know."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from domain.fairness.records import split
from infra.keys import Ed25519Signer
from services.audit.report import KEPT_MAX, Audits, report_of
from services.audit.verdict import NOTHING_BESIDE, Evidence
from services.dealer.notary import Notary
from services.matches.reads.queries import MatchQueries, UnknownMatch
from services.matches.reads.records import BEGINNING, BYTES_MAX, LINES_MAX, Records
from services.matches.reads.transparency import first_checkpoint
from services.matches.witnesses import policy_text
from tests.reads.counting import CountingStore
from tests.relay.playing import Played, match_id
from tests.store.lines import append, chain, stream

ORIGIN = "reads.example/log"
SIGNER = Ed25519Signer(b"reads".ljust(32))
POLICY = policy_text(ORIGIN, (SIGNER.public_key,))


async def test_the_record_of_a_match_that_is_over_and_logged_is_read_once() -> None:
    store = CountingStore()
    records, lines = Records(store), chain(stream(1), 2_000)
    await store.append(append(stream(1), lines, anchors=((1_999, "ab" * 32, "final"),)))
    unlogged = await records.record(stream(1))
    await Notary(store, ORIGIN, (SIGNER,)).work()
    logged = await records.record(stream(1)) or b""
    assert split(logged).lines == tuple(lines)
    assert split(logged).proof is not None
    assert unlogged == b"".join(line + b"\n" for line in lines)
    store.forget()
    assert all(found is logged for found in await asyncio.gather(*(records.record(stream(1)) for _ in range(50))))
    assert store.queries == 0


async def test_many_who_ask_at_once_have_the_record_of_a_match_in_play_read_twice_at_most() -> None:
    store = CountingStore()
    match = Played(store, 1)
    await match.seat("Ada", "Bob")
    records = Records(store)
    early = [asyncio.ensure_future(records.record(match.stream)) for _ in range(50)]
    await asyncio.sleep(0)
    await match.deal()
    late = [asyncio.ensure_future(records.record(match.stream)) for _ in range(50)]
    found = await asyncio.gather(*late)
    lines = tuple(await store.read(match.stream))
    assert {split(record or b"").lines for record in found} == {lines}, "whoever has played finds the line"
    await asyncio.gather(*early)
    assert store.queries == 3, "one for the first, one for all who came later, and the one above"


async def test_records_kept_have_a_bound() -> None:
    records = Records(CountingStore())
    third = BYTES_MAX // 3
    for name, length in (("a", third), ("b", third), ("a", third), ("c", third), ("d", third), ("e", 2 * BYTES_MAX)):
        records._keep(name, b"x" * length)  # noqa: SLF001 - what is asked is how much it keeps
        assert records._bytes == sum(map(len, records._kept.values())) <= BYTES_MAX  # noqa: SLF001


async def test_the_policy_of_a_match_costs_its_beginning(long: Played, store: CountingStore) -> None:
    house = MatchQueries(store, None)
    beginning = await house.beginning(long.id)
    assert store.lines == BEGINNING
    assert beginning.endswith(b'"type":"deal.logged","v":1}\n')
    record = await house.record(long.id)
    assert record.startswith(beginning)
    assert first_checkpoint(beginning) == first_checkpoint(record) == "a checkpoint"


async def test_lines_behind_a_version_cost_what_they_are_whatever_stands_before_them(
    long: Played, store: CountingStore
) -> None:
    house, known = MatchQueries(store, None), long.match.version
    lines = await house.lines(long.id, known - 3, None)
    assert (store.queries, store.lines) == (2, 4), "three lines, and the first of the match, which names its board"
    assert lines == await store.read(long.stream, known - 3)
    assert await house.lines(long.id, known, None) == await house.lines(long.id, known + 7, None) == []
    store.forget()
    assert len(await house.lines(long.id, 0, None)) == min(known, LINES_MAX)
    assert store.queries == 1
    with pytest.raises(UnknownMatch):
        await house.lines(UUID(int=1), 0, None)


async def test_a_match_without_a_deal_begins_and_ends_in_the_lobby() -> None:
    match = Played(CountingStore(), 1)
    await match.seat("Ada")
    house = MatchQueries(match.store, None)
    assert await house.beginning(match.id) == await house.record(match.id)


async def test_who_saw_what_is_told_with_a_look_at_the_first_line_of_the_match_alone(
    long: Played, store: CountingStore
) -> None:
    await long_access(long)
    assert (await MatchQueries(store, None).access(long.id)).startswith(b'{"at":0,"data":{"match":')
    assert store.lines == 1


async def long_access(long: Played) -> None:
    """See to it that the long match has its access stream."""
    house = MatchQueries(long.store, None)
    await house._ledger.book(long.id)  # noqa: SLF001 - as a node with the dealer's role would
    assert isinstance(long.store, CountingStore)
    long.store.forget()


@pytest.mark.parametrize("what", ["record", "beginning", "access", "evidence"])
async def test_what_is_asked_of_no_match_is_said_to_be_of_none(long: Played, what: str) -> None:
    with pytest.raises(UnknownMatch):
        await getattr(MatchQueries(long.store, None), what)(match_id(77))


async def test_the_same_record_is_audited_once_under_a_policy(long: Played) -> None:
    record = await MatchQueries(long.store, None).record(long.id)
    policies = [POLICY]

    async def policy_for(_record: bytes) -> str:
        return policies[-1]

    audits = Audits(policy_for)
    one, *same = await asyncio.gather(*(audits.report(record, NOTHING_BESIDE) for _ in range(20)))
    assert all(report is one for report in same)
    assert await audits.report(bytes(record), NOTHING_BESIDE) is one
    assert one == report_of(record, NOTHING_BESIDE, POLICY)
    assert await audits.report(record, Evidence(b"")) is not one
    assert await audits.report(record[:-1], NOTHING_BESIDE) != one
    policies.append(policy_text(ORIGIN, (SIGNER.public_key, bytes(32))))
    assert await audits.report(record, NOTHING_BESIDE) is not one


async def test_reports_kept_have_a_bound() -> None:
    async def policy_for(_record: bytes) -> str:
        return POLICY

    audits = Audits(policy_for)
    reports = [await audits.report(b"no record %d\n" % number, NOTHING_BESIDE) for number in range(KEPT_MAX + 1)]
    assert len(audits._kept) == KEPT_MAX  # noqa: SLF001 - what is asked is how much it keeps
    assert await audits.report(b"no record 1\n", NOTHING_BESIDE) is reports[1]
    assert await audits.report(b"no record 0\n", NOTHING_BESIDE) is not reports[0]


async def test_a_match_of_another_house_has_no_record(store: CountingStore) -> None:
    assert await Records(store).record(f"match/{UUID(int=9)}") is None
