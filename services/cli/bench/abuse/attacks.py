"""The attacks, as a table: a new one is a function and a row.

Each is one client at one address, without a token, unless it says that it is a crowd.
"""

from __future__ import annotations

from typing import Final

from services.cli.bench.abuse import crowds, floods, openers, reads, sockets
from services.cli.bench.abuse.attempt import Attack

ATTACKS: Final = (
    Attack("endless header", "a header that never ends, over 4 sockets", floods.endless_header),
    Attack("great header", "one header of 100 MB", floods.great_header),
    Attack("long url", "an address of 50 MB", floods.long_url),
    Attack("many fields", "30 MB of small headers", floods.many_fields),
    Attack("endless body", "a body that never ends, over 4 sockets", floods.endless_body),
    Attack("idle sockets", "2,000 sockets with nothing, half a header, half a body", floods.idle_sockets),
    Attack("unread answers", "8 MB of pipelined requests, and no answer read", floods.unread_answers),
    Attack("odd headers", "requests with headers that nobody expects", floods.odd_headers),
    Attack("idle websockets", "2,000 WebSockets with nothing, half a message, a ping", sockets.idle),
    Attack("slow websockets", "200 WebSockets that write a byte at a time", sockets.slow_writers),
    Attack("command flood", "commands with a made-up token without end, over 4", sockets.command_flood),
    Attack("message flood", "messages that ask for nothing, and pings, over 4", sockets.message_flood),
    Attack("unread commands", "commands without end on 20 WebSockets, never read", sockets.unread_commands),
    Attack("openapi", "/openapi.json in a loop, over 4 connections", reads.openapi),
    Attack("replay one frame", "/replay?version=N of a long session, over 2", reads.replay_one_frame, "long"),
    Attack("replay everything", "/replay of a long session, over 1", reads.replay_everything, "long"),
    Attack("stream from start", "/stream?after=0 of a long session, over 1", reads.stream_from_start, "long"),
    Attack("audits", "/audit of a long session, a crowd of 60", reads.audits, "long"),
    Attack("deaf readers", "20 streams of a long session, never read", reads.deaf_readers, "long"),
    Attack("deaf websockets", "a long session 32 times on each of 20 WebSockets", sockets.deaf_watchers, "long"),
    Attack("all streams", "2,100 streams of a session in play", crowds.all_streams, "storm"),
    Attack("reconnect storm", "a crowd of 200 comes back to a session, 6 events late", crowds.reconnect_storm, "storm"),
    Attack("readers", "a crowd of 2,000 watches a session", crowds.readers, "storm"),
    Attack("lobbies", "a crowd opens 10,000 tables", openers.lobbies, times=12),
    # What is opened here stays in the database and goes on by itself, so nothing comes after it.
    Attack("bot tables", "60 tables without an end, at which only bots play", openers.bot_tables),
)
"""In the order in which they are tried."""


def attack_of(name: str) -> Attack:
    """Return the attack of this name.

    Raises:
        KeyError: There is none.
    """
    return {attack.name: attack for attack in ATTACKS}[name]
