"""Comments in the store: words under their hash, erased without a line being touched, and who may write them."""

from __future__ import annotations

from infra.store import EventStore
from infra.store.comments import SaidWords, Writers
from tests.store.lines import append, chain, stream

ONE, OTHER = "commentary/1", "commentary/2"
WORDS = SaidWords("a" * 64, b"s" * 16, "well bid \U0001f3b2\nindeed")


async def test_words_lie_beside_the_stream_until_they_are_erased(store: EventStore) -> None:
    assert await store.words(ONE, [WORDS.hash]) == {}
    await store.keep_words(ONE, WORDS)
    await store.keep_words(ONE, SaidWords(WORDS.hash, b"t" * 16, "something else"))
    await store.append(append(stream(), chain(stream(), 1)))
    assert await store.words(ONE, [WORDS.hash, "b" * 64]) == {WORDS.hash: WORDS}
    assert await store.words(OTHER, [WORDS.hash]) == {}
    assert not await store.erase_words(OTHER, WORDS.hash)
    assert await store.erase_words(ONE, WORDS.hash)
    assert not await store.erase_words(ONE, WORDS.hash)
    assert await store.words(ONE, [WORDS.hash]) == {}
    assert len(await store.read(stream())) == 1


async def test_who_may_write_is_said_anew_as_a_whole(store: EventStore) -> None:
    assert await store.writers(ONE) == Writers()
    for writers in (Writers(("u1", "u2"), everybody=True), Writers(("u3",)), Writers()):
        await store.keep_writers(ONE, writers)
        assert await store.writers(ONE) == writers
    assert await store.writers(OTHER) == Writers()
