"""Comments on the page of a replay: read without a script, at their version, in three languages, never as markup."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.web import pages
from tests.commentary.commented import Front, Table, commented


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    with commented() as found:
        yield found


def page(front: Front, table: Table, language: str = "en") -> str:
    answer = front.client.get(f"/m/{table.id}/replay", headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    return answer.text


def test_comments_stand_at_their_versions_with_author_and_language(front: Front) -> None:
    table = Table(front)
    assert "Nobody has said anything yet." in page(front, table)
    caster, casts = front.player("Cora")
    table.let(caster)
    table.said(table.host, "later", version=2)
    table.said(casts, "früher & <b>fett</b> https://example.org/", version=1, lang="de", seat=2)
    text = page(front, table)
    assert text.index("früher") < text.index("later")
    assert '<p class="words" lang="de" dir="auto">früher &amp; &lt;b&gt;fett&lt;/b&gt; https://example.org/</p>' in text
    assert "<bdi>Cora</bdi>" in text
    assert "<bdi>Host</bdi>" in text
    assert '<a href="#v=1">Version 1</a>' in text
    assert "as Bob sees it" in text
    assert 'href="https://example.org' not in text


def test_what_is_no_more_says_why_and_what_waits_is_not_there(front: Front) -> None:
    table = Table(front)
    gone = table.said(table.host, "unkind words")
    front.ask("DELETE", f"{table.path}/comments/{gone}?reason=rude", token=table.host)
    table.act("bid", quantity=1, face=2)
    table.said(table.host, "about the open round", version=table.version)
    for language, said in (("en", "it is rude"), ("de", "unhöflich"), ("es", "es grosero")):
        text = page(front, table, language)
        assert said in text
        assert "unkind words" not in text
        assert "open round</p>" not in text
        assert "about the open round" not in text
    table.end()
    assert "about the open round" in page(front, table)


def test_a_page_has_so_many_comments_and_the_file_has_all(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(front)
    for number in range(3):
        table.said(table.host, f"number {number}")
    monkeypatch.setattr(pages, "COMMENTS_MAX", 2)
    text = page(front, table)
    assert text.count("data-comment=") == 2
    assert f'href="/api/v1{table.path}/comments/export"' in text
    assert front.ask("GET", f"{table.path}/comments/export").text.count("number ") == 3
