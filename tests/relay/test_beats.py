"""Beats of streams: a silence is broken in time, and what the feed never brought is looked for all the same."""

from __future__ import annotations

from infra.feed.memory import MemoryFeed
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.streams import StreamHub
from tests.relay.playing import LogSource, Played, Reader, until
from tests.relay.test_streams import match

__all__ = ["match"]


async def test_the_log_is_looked_at_in_a_silence_though_beats_come_more_often(match: Played) -> None:
    patience = WaitPolicy(quiet_s=0.05, away_s=0.05, late_s=0.01)
    reader = Reader(StreamHub(LogSource(match), MemoryFeed(), patience).stream(match.id, None, None, beat_s=0.02))
    await until(lambda: reader.version > 0)
    await match.step()
    await until(lambda: reader.version == match.match.version)
    await reader.stop()
