"""Messages of hooks: public facts alone, signed as the standard has it, and in words where people read them."""

from __future__ import annotations

from typing import Any, get_args
from uuid import UUID

import msgspec
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from infra.clock import now_ms
from projections.tournaments.exports.hook_messages import TOLD, HookMessage, HookType, hook_message, hook_trial
from services.webhooks.messages import post_of, secret_text
from services.words.catalogue import LANGUAGES
from tests.store.lines import line

STREAM = f"tournament/{UUID(int=7)}"
SECRET = bytes(range(32))
AT = 1_795_000_000_250
LINES: dict[str, dict[str, Any]] = {
    "entry.opened": {"by": "o1"},
    "stage.opened": {"stage": 1, "rounds": 5, "seeds": [2, 1], "groups": None, "roll": 0, "by": "rule"},
    "tournament.paused": {"by": "o1", "reason": "technical", "note": None},
    "tournament.finished": {"ranking": [[1], [2]], "standings": "ab", "paid": []},
    "tournament.cancelled": {"by": "o1", "reason": "other", "note": "cd"},
    "tables.paired": {
        "stage": 1,
        "group": None,
        "round": 2,
        "tables": [[1, [1, 2]], [2, [3, 4]]],
        "byes": [5],
        "by": "o",
    },
    "round.started": {"stage": 1, "round": 2, "tables": [1], "at": 5},
    "round.closed": {"stage": 1, "round": 2, "standings": "ab"},
    "result.recorded": {
        "stage": 1,
        "round": 2,
        "table": 3,
        "match": "m",
        "how": "played",
        "ranking": [[1]],
        "units": [],
    },
    "result.ruled": {"stage": 1, "round": 2, "table": 3, "ranking": [[1]], "reason": "late", "by": "o1", "note": "cd"},
    "player.registered": {"number": 4, "player": "e1", "club": "c1", "bot": False, "by": "e1"},
    "player.withdrawn": {"number": 4, "reason": "request", "by": "e1", "note": None},
    "appeal.filed": {"appeal": 1, "number": 4, "line": 9, "note": "cd"},
    "appeal.decided": {"appeal": 1, "outcome": "denied", "lines": [], "by": "o1", "note": None},
}


def told(kind: str, **more: Any) -> HookMessage | None:
    found = msgspec.json.decode(line(STREAM, 8, "0" * 64, kind, **{**LINES[kind], **more}))
    return hook_message({**found, "at": AT})


def test_every_type_has_a_line_and_says_which_tournament_at_which_version() -> None:
    assert set(LINES) == set(TOLD)
    found = [told(kind) for kind in LINES]
    assert [one.type for one in found if one is not None] == list(get_args(HookType))
    assert all(one and one.data["tournament"] == str(UUID(int=7)) and one.data["version"] == 9 for one in found)


def test_a_message_is_thin_and_holds_neither_people_nor_hashes_of_texts() -> None:
    assert told("tables.paired") == HookMessage(
        "round.paired",
        "2026-11-18T11:06:40.250Z",
        {"tournament": str(UUID(int=7)), "version": 9, "stage": 1, "group": None, "round": 2, "tables": 2, "byes": 1},
    )
    said = [one.data.keys() for one in map(told, LINES) if one is not None]
    assert not {"player", "by", "note", "club", "ranking", "seeds"} & set().union(*said)


def test_later_stages_and_other_lines_are_told_nobody() -> None:
    assert told("stage.opened", stage=2) is None
    assert hook_message({"type": "player.checked_in", "data": {}}) is None


def test_a_message_is_signed_as_the_standard_has_it() -> None:
    message = told("round.started")
    assert message is not None
    post = post_of("standard", "en", SECRET, "t.8", message, now_ms(), "Club night")
    said = Webhook(secret_text(SECRET)).verify(post.body, dict(post.headers))
    assert said == msgspec.to_builtins(message)
    assert post.headers["webhook-id"] == "t.8"
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_text(bytes(32))).verify(post.body, dict(post.headers))
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_text(SECRET)).verify(post.body.replace(b"round", b"ROUND"), dict(post.headers))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["discord", "slack"])
def test_a_chat_is_told_in_words(kind: str, language: str) -> None:
    messages = [*map(told, LINES), told("player.registered", bot=True), hook_trial(str(UUID(int=7)), 9, AT)]
    posts = [post_of(kind, language, SECRET, "t.8", one, AT, None) for one in messages if one is not None]
    member = "content" if kind == "discord" else "text"
    texts = [msgspec.json.decode(post.body)[member] for post in posts]
    assert len(set(texts)) == len(texts)
    assert all("{" not in text for text in texts)
    assert all("webhook-signature" not in post.headers for post in posts)


def test_a_title_wakes_nobody_up_in_a_chat() -> None:
    message = told("round.started")
    assert message is not None
    discord = msgspec.json.decode(post_of("discord", "en", SECRET, "t.8", message, AT, "@everyone *[x](y)*").body)
    assert discord == {"content": r"\@everyone \*\[x\]\(y\)\*: round 2 begins.", "allowed_mentions": {"parse": []}}
    slack = msgspec.json.decode(post_of("slack", "en", SECRET, "t.8", message, AT, "<!channel> & co").body)
    assert slack == {"text": "&lt;!channel&gt; &amp; co: round 2 begins."}
