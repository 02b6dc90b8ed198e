"""Writing pages: templates, what they may ask for, and the headers that a page is handed out with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Response

from projections.view import ClaimView
from services.engines.level_names import level_of_bot
from services.http.problems import PROBLEMS, headers_of
from services.web.assets import Assets
from services.web.front import title_of
from services.web.people import called
from services.web.writing.languages import say_on_page
from services.web.writing.policies import policy
from services.words.catalogue import (
    CATALOGUE,
    LANGUAGES,
    count_words,
    hand_words,
    join_names,
    spoken,
    term,
)
from services.words.figures import figure, moment_stamp, moment_text, share_words

_HEADERS: Final = {
    "Content-Security-Policy": policy(),
    "Cache-Control": "no-cache",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
CATALOGUE_SCRIPT: Final = "words/catalogue.js"
"""It loads the file of the page's language, which it does not name."""

_MET: Final = {
    "not_found": "lost",
    "unknown_match": "lost",
    "too_many_requests": "busy",
    "unreadable": "unreadable",
    "unavailable": "unavailable",
    "malformed": "lost",
}
"""What helps a person who meets a problem in place of a page, by its key in the catalogue."""


class PageRenderer:
    """Writes pages."""

    def __init__(self, assets: Assets) -> None:
        """Let pages load these files."""
        loader = FileSystemLoader(Path(__file__).parent.with_name("templates"))
        self._templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals["asset"] = assets.url
        self._templates.globals["level_of_bot"] = level_of_bot
        self._templates.globals["modules"] = _modules_with_words(cache(assets.modules))
        self._templates.globals["behind"] = cache(assets.behind)
        self._templates.globals |= {
            "say": say_on_page,
            "called": called,
            "languages": LANGUAGES,
            "spoken": spoken,
            "joined": join_names,
            "claim": claim_words,
            "term": term,
            "title_of": title_of,
            "figure": figure,
            "share": share_words,
            "moment_stamp": moment_stamp,
            "moment_text": moment_text,
        }
        self._templates.filters["faces"] = _faces
        self._parts: dict[tuple[str, str], tuple[tuple[object, ...], str]] = {}

    def page(self, template: str, status: int = 200, **context: object) -> Response[str]:
        """Return the page of this template."""
        return self.written(self._text(template, context), status)

    def written(self, text: str, status: int = 200) -> Response[str]:
        """Return a page of which this is the text."""
        return Response(text, status_code=status, media_type="text/html", headers=_HEADERS)

    def part(self, template: str, of: tuple[object, ...], context: Callable[[], Mapping[str, object]]) -> str:
        """Return a part of a page, written anew only when what it is of has changed since the last time.

        Cost: a comparison, if it has not; what is the very same object as before costs none.
        """
        key = (template, spoken())
        kept = self._parts.get(key)
        if kept is None or kept[0] != of:
            kept = self._parts[key] = (of, self._text(template, context()))
        return kept[1]

    def _text(self, template: str, context: Mapping[str, object]) -> str:
        return self._templates.get_template(template).render(**context)

    def problem(self, code: str, headers: Mapping[str, str] | None = None) -> Response[str]:
        """Return the page of a problem that a page itself has met."""
        page = self._explain(code, PROBLEMS[code].status, met=_MET.get(code, ""))
        page.headers.update({**headers_of(code), **(headers or {})})
        return page

    def meaning(self, code: str) -> Response[str]:
        """Return the page that says what a code means."""
        return self._explain(code, 200, met="")

    def _explain(self, code: str, status: int, met: str) -> Response[str]:
        title = CATALOGUE["problems"].get(code, PROBLEMS[code].title)
        return self.page("problem.html", status, code=code, kind=PROBLEMS[code], title=title, met=met)


def _modules_with_words(modules: Callable[[str], Sequence[str]]) -> Callable[[str], Sequence[str]]:
    """Return what finds the modules of a page, and the sentences that they read: those of its language alone.

    The sentences are the longest of them, so they are asked for first.
    """
    return lambda name: (*([f"words/{spoken()}.json"] if CATALOGUE_SCRIPT in modules(name) else []), *modules(name))


def claim_words(claim: ClaimView) -> str:
    """Return a claim in the language of the page."""
    if claim.shape is not None:
        return hand_words(claim.shape, claim.faces or ())
    assert claim.quantity is not None, "a claim that is no hand is a count"
    assert claim.face is not None, "and of a face"
    return count_words(claim.quantity, claim.face)


def _faces(quantity: int, face: int) -> str:
    """Return a count of faces as people write it."""
    return f"{quantity} \N{MULTIPLICATION SIGN} {face}"
