"""Policies: which is in force, which was, and which one a record is judged by."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.fairness.records import assemble
from domain.log import merkle
from domain.log.checkpoints import checkpoint_of, sign_checkpoint
from infra.store import EventStore
from infra.store.memory import MemoryStore
from services.dealer.notary import Notary
from services.matches.reads.records import inclusion_of_anchor
from services.matches.reads.transparency import PublishedLog
from services.matches.witnesses import policy_text, witnesses_of
from services.work.startup import CannotStart
from tests.notary.jury import LOG, ORIGIN, SIGNER, Jury, newest, sealed, seen_by
from tests.store.lines import append, chain, stream


async def record(store: EventStore, notary: Notary | None) -> bytes:
    """Return a record whose end is proved under the first checkpoint that covers it, or the first of a notary."""
    proof = None if notary is None else await notary.proof(stream(1), 0, "final")
    found = await inclusion_of_anchor(store, stream(1), 0, "final")
    assert found is not None
    chosen = found if proof is None else replace(found, checkpoint=proof.checkpoint)
    return assemble(await store.read(stream(1)), chosen)


async def test_a_record_is_judged_by_the_policy_its_first_checkpoint_was_made_under(jury: Jury) -> None:
    store = MemoryStore()
    published = PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    await store.append(append(stream(1), chain(stream(1), 1), anchors=((0, "ab" * 32, "final"),)))
    alone = policy_text(ORIGIN, (SIGNER.public_key,))
    assert (await published.policy()).decode() == alone
    await Notary(store, ORIGIN, (SIGNER,)).work()
    assert (await published.policy()).decode() == alone
    before = await record(store, None)

    witnessed = jury.notary(store)
    await published.enforce(jury.policy())
    assert await witnessed.proof(stream(1), 0, "final") is None, "nobody has signed it yet"
    await witnessed.work()
    assert (await published.policy()).decode() == jury.policy()
    assert seen_by(jury, await newest(store)) == {"w1.example", "w2.example"}
    assert await record(store, None) == before, "what was proved once is proved the same way for ever"
    assert await published.policy_for(before) == alone
    assert await published.policy_for(await record(store, witnessed)) == jury.policy()
    assert await published.policy_for(assemble(chain(stream(2), 1), None)) == jury.policy()


async def test_a_weaker_policy_of_later_does_not_judge_what_was_logged_under_a_stronger_one(jury: Jury) -> None:
    store = MemoryStore()
    published = PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    await jury.notary(store).work()
    await store.append(append(stream(1), chain(stream(1), 1), anchors=((0, "ab" * 32, "final"),)))
    await jury.notary(store).work()
    await sealed(store, 2)
    await Notary(store, ORIGIN, (SIGNER,)).work()
    assert (await published.policy()).decode() != jury.policy()
    kept = await record(store, None)
    assert await published.policy_for(kept) == jury.policy()


async def test_a_log_from_before_policies_were_kept_counts_as_logged_without_witnesses(jury: Jury) -> None:
    store = MemoryStore()
    published = PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    await sealed(store, 1)
    await store.log_append([(one, b"entry") for one in await store.log_pending(9)], {}, 0)
    await store.log_publish(1, sign_checkpoint(ORIGIN, 1, merkle.leaf_hash(b"entry"), SIGNER), 1)
    for _ in range(2):
        await published.enforce(jury.policy())
    assert await store.log_policies() == [policy_text(ORIGIN, (SIGNER.public_key,)), jury.policy()]


async def test_a_dealer_of_yesterdays_policy_publishes_nothing_and_proves_by_todays(jury: Jury) -> None:
    store = MemoryStore()
    yesterday, today = Notary(store, ORIGIN, (SIGNER,)), jury.notary(store)
    await sealed(store, 1)
    await yesterday.work()
    assert await yesterday.proof(stream(1), 0, "sealed") is not None
    await store.log_enforce(jury.policy())
    assert await yesterday.proof(stream(1), 0, "sealed") is None
    await sealed(store, 2)
    await yesterday.work()
    assert "another policy" in str(await yesterday.trouble())
    assert (await newest(store)).size == 1
    await today.work()
    assert (await newest(store)).size == 2
    proof = await yesterday.proof(stream(1), 0, "sealed")
    assert proof is not None
    assert seen_by(jury, checkpoint_of(proof.checkpoint)) == {"w1.example", "w2.example"}


@pytest.mark.parametrize(
    ("witnesses", "quorum", "why"),
    [
        ("w1", "all", "is not a verifier key and an address"),
        ("{w1} http://a and more", "all", "is not a verifier key and an address"),
        ("{w1} ftp://a", "all", "not the key of a witness"),
        ("{log} http://a", "all", "not the key of a witness"),
        ("{w1} http://a, {w1} http://b", "all", "do not fit together"),
        ("{w1} http://a", "2", "do not fit together"),
        ("", "1", "do not fit together"),
    ],
)
async def test_witnesses_that_cannot_be_meant_so_are_said_to_be(
    jury: Jury, witnesses: str, quorum: str, why: str
) -> None:
    given = witnesses.format(w1=jury.witnesses[0].key, log=LOG)
    with pytest.raises(CannotStart, match=why):
        policy_text(ORIGIN, (SIGNER.public_key,), [one.key for one in witnesses_of(given)], quorum)


async def test_witnesses_are_named_by_key_and_address(jury: Jury) -> None:
    one, two = jury.witnesses
    assert witnesses_of(f"{one.key} http://w1.example/ ,\t{two.key}  http://w2.example") == (one, two)
    assert witnesses_of("") == ()
