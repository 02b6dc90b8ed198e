"""Posts to hooks: the message itself with its signature, or a sentence for a chat.

Source: Standard Webhooks 1.0, signed with the package of those who wrote it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from standardwebhooks import Webhook

from domain.ids import UnixMs
from projections.tournaments.exports.hook_messages import HookMessage
from services.words.catalogue import message, say, speaking

Kind = Literal["standard", "discord", "slack"]
"""How a hook is told: by the standard, or in words as the webhooks of a chat take them."""
_JSON: Final = {"Content-Type": "application/json"}
_SLACK: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in r"\*_~`|>#[]()<@"})
"""What Discord takes for a mark in a text."""


class HookPost(Struct, frozen=True):
    """A post to a hook."""

    body: bytes
    headers: Mapping[str, str]


def secret_text(secret: bytes) -> str:
    """Return a secret as its host is shown it."""
    return f"whsec_{b64encode(secret).decode()}"


def post_of(
    kind: str, language: str, secret: bytes, name: str, told: HookMessage, at: UnixMs, title: str | None
) -> HookPost:
    """Return what is posted to a hook.

    Args:
        kind: How it is told.
        language: In which language, where it is told in words.
        secret: What it is signed with.
        name: The id of the message, the same however often it is sent.
        told: What it is told.
        at: When it is sent.
        title: What the tournament is called, if anything.
    """
    if kind == "discord":
        text = sentence_of(language, told, None if title is None else title.translate(_MARKS))
        return HookPost(msgspec.json.encode({"content": text, "allowed_mentions": {"parse": []}}), _JSON)
    if kind == "slack":
        text = sentence_of(language, told, title).translate(_SLACK)
        return HookPost(msgspec.json.encode({"text": text}), _JSON)
    body = msgspec.json.encode(told)
    sent = datetime.fromtimestamp(at // 1000, UTC)
    signature = Webhook(secret).sign(name, sent, body.decode())
    head = {"webhook-id": name, "webhook-timestamp": str(at // 1000), "webhook-signature": signature}
    return HookPost(body, {**_JSON, **head})


def sentence_of(language: str, told: HookMessage, title: str | None) -> str:
    """Return what has happened in words, with what the tournament is called before it."""
    facts: dict[str, Any] = {name: _written(value) for name, value in told.data.items()}
    with speaking(language):
        said = say(message("hooks.told")[told.type], facts)
        return say(message("hooks.of"), {"title": title or say(message("hooks.untitled"), {}), "said": said})


def _written(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
