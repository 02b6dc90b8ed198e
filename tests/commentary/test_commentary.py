"""Commentary, as pure functions: what may be said, what stands in a line, and what the lines come to."""

from __future__ import annotations

import hashlib
from typing import Any, Final
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.commentary import deciding, events
from domain.commentary.authors import host_author, office_of
from domain.commentary.commentary import Commentary, comment_id
from domain.commentary.deciding import MakeComment, ReplaceComment, WithdrawComment, decide_comment
from domain.commentary.record import CommentaryAtHead, commentary_lines, step_commentary, stream_of_commentary
from domain.commentary.texts import CHARACTERS_MAX, comment_lang, comment_text, text_hash
from domain.errors import COMMENT_CODES, Refused
from domain.log import canonical
from domain.match.record import GENESIS
from projections.commentary.comments import comment_view, exported, lines_told, readable

MATCH: Final = UUID("6f1de1ce-0000-4000-8000-000000000001")
ADA, BOB = "u" + "a" * 24, "u" + "b" * 24
AT: Final = 1_790_596_639_001


class Story:
    """A commentary and its lines, told command by command."""

    def __init__(self) -> None:
        self.written: CommentaryAtHead | None = None
        self.lines: list[bytes] = []
        self.at = AT
        self.made = 0

    @property
    def commentary(self) -> Commentary:
        assert self.written is not None
        return self.written.commentary

    def do(self, command: deciding.CommentCommand, after_ms: int = 5_000) -> None:
        self.at += after_ms
        before = None if self.written is None else self.written.commentary
        made = decide_comment(before, MATCH, command, self.at)
        head = GENESIS if self.written is None else self.written.head
        lines, head = commentary_lines(MATCH, len(self.lines), head, self.at, made.events)
        for line in lines:
            self.written = step_commentary(self.written, line)
        self.lines += lines
        assert self.written == CommentaryAtHead(made.commentary, head)

    def say(self, author: str = ADA, version: int = 3, after_ms: int = 5_000, **members: Any) -> str:
        self.made += 1
        asked = {"until": None, "seat": None, "lang": "en", "text": f"{self.made:064x}", "shown": 9, **members}
        comment = comment_id(self.at, self.made.to_bytes(10))
        self.do(MakeComment(comment, version=version, author=author, seats=frozenset({1, 2}), **asked), after_ms)
        return comment


def refusal(story: Story, command: deciding.CommentCommand) -> dict[str, Any]:
    """Return code and facts of a no, behind which nothing is other than before."""
    before = story.written
    with pytest.raises(Refused) as refused:
        story.do(command, 0)
    assert story.written == before
    return {"code": refused.value.code, **refused.value.facts}


# ---- lines ------------------------------------------------------------------------------------------


def test_the_first_comment_opens_the_commentary_and_lines_are_chained() -> None:
    story = Story()
    comment = story.say(until=5, seat=2)
    story.do(ReplaceComment(comment, ADA, "f" * 64, erased=False))
    story.do(WithdrawComment(comment, ADA, "author", "mistake"))
    told = [canonical.decode(line) for line in story.lines]
    assert [(line["type"], line["data"]) for line in told] == [
        ("commentary.opened", {"match": str(MATCH)}),
        (
            "comment.made",
            {
                "comment": comment,
                "version": 3,
                "until": 5,
                "seat": 2,
                "author": ADA,
                "lang": "en",
                "text": f"{1:064x}",
            },
        ),
        ("comment.replaced", {"comment": comment, "text": "f" * 64}),
        ("comment.withdrawn", {"comment": comment, "by": "author", "reason": "mistake"}),
    ]
    heads = [GENESIS, *(hashlib.sha256(line).hexdigest() for line in story.lines)]
    assert [line["prev"] for line in told] == heads[:-1]
    assert {line["stream"] for line in told} == {stream_of_commentary(MATCH)} == {f"commentary/{MATCH}"}
    (found,) = story.commentary.comments.values()
    assert (found.before, found.text, found.withdrawn) == ((f"{1:064x}",), "f" * 64, ("author", "mistake"))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("comment.unsaid", {}),
        ("comment.made", {"comment": "no id"}),
        ("comment.withdrawn", {"comment": str(MATCH), "by": "anybody", "reason": "other"}),
        ("comment.replaced", {"comment": str(MATCH), "text": "f" * 64, "words": "in the log"}),
    ],
)
def test_a_line_of_no_such_type_or_with_other_members_is_none(kind: str, data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        step_commentary(None, canonical.line("commentary/x", 0, GENESIS, AT, kind, data))


def test_a_commentary_is_opened_once() -> None:
    story = Story()
    story.say()
    again = canonical.line("commentary/x", 2, GENESIS, AT, "commentary.opened", {"match": str(MATCH)})
    with pytest.raises(AssertionError, match="opened once"):
        step_commentary(story.written, again)


def test_an_id_is_a_uuid_of_version_7_that_ascends_with_time() -> None:
    ids = [comment_id(at, chance * 10) for at in (AT, AT + 1) for chance in (b"\0", b"\xff")]
    assert [(UUID(each).version, UUID(each).variant) for each in ids] == [(7, "specified in RFC 4122")] * 4
    assert ids == sorted(ids)
    assert {int(each.replace("-", "")[:12], 16) for each in ids} == {AT, AT + 1}


def test_authors_say_their_office_and_nothing_else() -> None:
    hosts = [host_author(MATCH, seat) for seat in (None, 2)]
    assert [office_of(each) for each in (*hosts, "o" + "1" * 24, ADA)] == ["host", "host", "official", "player"]
    assert len({*hosts}) == 2
    assert {len(each) for each in hosts} == {25}


# ---- what may be said -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "code", "field"),
    [
        ({"version": 0}, "bad_comment", "version"),
        ({"version": 3, "until": 3}, "bad_comment", "until"),
        ({"version": 3, "until": 2}, "bad_comment", "until"),
        ({"seat": 3}, "bad_comment", "seat"),
        ({"lang": "english"}, None, None),
        ({"lang": "e"}, "bad_comment", "lang"),
        ({"version": 10}, "ahead_of_match", "version"),
        ({"version": 9, "until": 10}, "ahead_of_match", "until"),
        ({"version": 9, "until": None}, None, None),
    ],
)
def test_a_comment_is_about_what_has_been_and_who_is_there(
    members: dict[str, Any], code: str | None, field: str | None
) -> None:
    story = Story()
    if code is None:
        story.say(**members)
        return
    with pytest.raises(Refused) as refused:
        story.say(**members)
    assert (refused.value.code, refused.value.facts["field"]) == (code, field)
    assert story.written is None


def test_only_its_author_says_something_else_instead_and_nobody_once_it_is_gone() -> None:
    story = Story()
    comment = story.say()
    other = ReplaceComment(comment, BOB, "f" * 64, erased=False)
    assert refusal(story, other) == {"code": "not_the_author"}
    assert refusal(story, ReplaceComment(comment, ADA, "f" * 64, erased=True)) == {"code": "comment_erased"}
    assert refusal(story, ReplaceComment("nothing", ADA, "f" * 64, erased=True)) == {"code": "unknown_comment"}
    assert refusal(story, WithdrawComment(comment, BOB, "author", "rude")) == {"code": "not_the_author"}
    story.do(WithdrawComment(comment, BOB, "host", "rude"))
    assert refusal(story, ReplaceComment(comment, ADA, "f" * 64, erased=False)) == {"code": "comment_erased"}
    assert refusal(story, WithdrawComment(comment, ADA, "author", "other")) == {"code": "comment_erased"}


def test_an_author_says_twenty_things_in_a_minute() -> None:
    story = Story()
    first = story.say(after_ms=0)
    for _ in range(deciding.OF_A_MINUTE_MAX - 1):
        story.say(after_ms=1_000)
    facts = refusal(story, ReplaceComment(first, ADA, "f" * 64, erased=False))
    assert facts == {"code": "too_many_comments", "most": 20, "again_at": AT + deciding.MINUTE_MS}
    story.say(BOB)
    story.at = AT + deciding.MINUTE_MS
    story.do(ReplaceComment(first, ADA, "f" * 64, erased=False), 0)


def test_an_author_says_five_hundred_things_about_a_match_and_all_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story()
    for _ in range(deciding.OF_AN_AUTHOR_MAX):
        comment = story.say()
    assert refusal(story, ReplaceComment(comment, ADA, "f" * 64, erased=False)) == {
        "code": "too_many_comments",
        "most": 500,
    }
    monkeypatch.setattr(deciding, "LINES_MAX", len(story.lines))
    assert refusal(story, ReplaceComment(story.commentary.comments[comment].id, ADA, "f", erased=False))
    with pytest.raises(Refused, match="room"):
        story.say(BOB)
    story.do(WithdrawComment(comment, None, "law", "unlawful"))
    assert story.commentary.comments[comment].withdrawn == ("law", "unlawful")


def test_every_code_of_comments_is_said_somewhere() -> None:
    said = {"may_not_comment", "unknown_comment", "comment_erased", "not_the_author", "bad_comment"}
    assert set(COMMENT_CODES) == said | {"ahead_of_match", "too_many_comments"}


# ---- words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("a", "x" * CHARACTERS_MAX, "two\nlines", "👨‍👩‍👧 and ❤️", "می‌خواهم", "שלום", "5 > 4", "…", "\U0001f3b2"),
        *("tab-free  spaces", "e\u0301" * CHARACTERS_MAX),
    ],
)
def test_words_are_kept_in_their_normal_form(text: str) -> None:
    found = comment_text(text)
    assert comment_text(found) == found
    assert len(found) <= CHARACTERS_MAX


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\n\n", "x" * (CHARACTERS_MAX + 1), "a\tb", "a\rb", "\0", "a\x7fb", "a\x85b", "\u200b", "a\u200bb"),
        *("a\u202eb", "a\u2066b", "a\u200fb", "a\u061cb", "\ufeffa", "a\u2028b", "a\ue000", "a\ufdd0", "a\uffff"),
        *("\u3164", "\u2800 \u2800", "\u200d", "a\U000e0041"),
    ],
)
def test_what_cannot_be_seen_or_turns_text_round_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        comment_text(text)
    assert (refused.value.code, refused.value.facts["field"]) == ("bad_comment", "text")
    assert refused.value.facts["why"]


@given(st.text(st.characters(exclude_categories=("Cs", "Cn")), max_size=60))
def test_words_that_are_taken_can_be_stored_and_shown_as_they_are(text: str) -> None:
    try:
        found = comment_text(text)
    except Refused:
        return
    assert found.encode().decode() == found
    assert all(one.isprintable() or one in "\n\u200c\u200d" or one.isspace() for one in found if one < "\u3000")


@pytest.mark.parametrize(
    "tag", ["en", "de-AT", "zh-Hant-TW", "sl-rozaj-biske", "de-CH-1901", "x-klingon", "en-a-bbb-x-a", "es-419", "cel"]
)
def test_a_language_is_named_by_its_tag(tag: str) -> None:
    assert comment_lang(tag) == tag


@pytest.mark.parametrize(
    "tag", ["", "e", "en_US", "en-", "-en", "en us", "engelsking", "en\n", "\uff45n", "en-x", "a" * 36]
)
def test_what_is_no_tag_of_a_language_is_refused(tag: str) -> None:
    with pytest.raises(Refused) as refused:
        comment_lang(tag)
    assert (refused.value.code, refused.value.facts["field"]) == ("bad_comment", "lang")


# ---- what is read -----------------------------------------------------------------------------------


def test_what_is_said_about_an_open_round_is_read_by_its_author_alone() -> None:
    story = Story()
    old, new = story.say(version=2), story.say(BOB, version=2, until=7)
    later = story.say(version=3)
    assert [each.id for each in readable(story.commentary, 2, None)] == [old]
    assert [each.id for each in readable(story.commentary, 2, BOB)] == [old, new]
    assert [each.id for each in readable(story.commentary, 7, None)] == [old, new, later]
    assert lines_told(story.commentary, 2) == 2
    assert lines_told(story.commentary, 7) >= len(story.lines)


def test_of_what_was_withdrawn_or_erased_no_word_is_told() -> None:
    story, words = Story(), {}
    ids = []
    for text in ("stands", "withdrawn", "erased"):
        hashed = text_hash(b"s" * 16, text)
        words[hashed] = (b"s" * 16, text)
        ids.append(story.say(text=hashed))
        assert hashed == hashlib.sha256(b"s" * 16 + text.encode()).hexdigest()
    story.do(WithdrawComment(ids[1], None, "host", "spoils"))
    del words[story.commentary.comments[ids[2]].text]
    told = {name: text for name, (_, text) in words.items()}
    seen = [comment_view(story.commentary.comments[each], told, {ADA: "Ada"}) for each in ids]
    assert [(each.text, each.erased) for each in seen] == [("stands", False), (None, False), (None, True)]
    assert [each.withdrawn and (each.withdrawn.by, each.withdrawn.reason) for each in seen] == [
        None,
        ("host", "spoils"),
        None,
    ]
    assert {(each.office, each.name) for each in seen} == {("player", "Ada")}
    rows = list(exported(story.lines, story.commentary, words))
    assert [row.line.encode() for row in rows] == story.lines
    assert [(row.salt, row.text) for row in rows] == [(None, None), (b"s".hex() * 16, "stands"), *[(None, None)] * 3]


def test_every_reason_and_authority_is_a_word_of_a_list() -> None:
    with pytest.raises(ValueError, match="reason"):
        events.commentary_event_of(
            "comment.withdrawn", {"comment": str(MATCH), "by": "host", "reason": "because Ada is a fool"}
        )
