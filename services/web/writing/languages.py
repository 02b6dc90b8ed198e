"""The language of a page: what somebody chose by hand, or what the browser asks for.

A choice is an address with `?lang=de`, which a cookie keeps from then on. Otherwise `Accept-Language` decides: the
range that is wanted most among those there is a catalogue for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from litestar import Request
from litestar.datastructures import MutableScopeHeaders
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from markupsafe import Markup, escape

from services.http.codings.negotiation import language_for
from services.words.catalogue import DEFAULT, LANGUAGES, chosen, message, say, speaking

PARAMETER: Final = "lang"
"""Of an address, and the name of the cookie."""
_KEPT_S: Final = 365 * 24 * 3600
VARY: Final = "Accept-Language, Cookie"


def language_of(query: Mapping[str, str], cookies: Mapping[str, str], accepted: str) -> str:
    """Return the language to answer in; what nobody speaks here is passed over."""
    for asked in (query.get(PARAMETER), cookies.get(PARAMETER)):
        if asked in LANGUAGES:
            return asked
    return language_for(accepted, LANGUAGES) or DEFAULT


def in_language(app: ASGIApp) -> ASGIApp:
    """Return the handler of a page that speaks the language of whoever asks, and keeps what was chosen by hand."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request[Any, Any, Any](scope)
        query = {name: str(value) for name, value in request.query_params.items()}
        language = language_of(query, request.cookies, ",".join(request.headers.getall("accept-language", [])))
        chosen = query.get(PARAMETER) == language

        async def answer(said: Message) -> None:
            if said["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(said)
                headers["Content-Language"] = language
                headers["Vary"] = VARY
                if chosen:
                    headers.add("Set-Cookie", _cookie(language))
            await send(said)

        with speaking(language):
            await app(scope, receive, answer)

    return handle


def _cookie(language: str) -> str:
    return f"{PARAMETER}={language}; Path=/; Max-Age={_KEPT_S}; SameSite=Lax; HttpOnly"


def say_on_page(key: str, **facts: object) -> Markup:
    """Return the sentence with this key for a page: marks of HTML in an argument stay, whatever else is text.

    Args:
        key: Of the catalogue, such as `pages.lobby.title`.
        facts: Its arguments.

    Raises:
        KeyError: There is no such sentence, or it asks for what is not given.
    """
    texts = {name: str(value) for name, value in facts.items()}
    safe = {name: str(escape(value)) for name, value in facts.items()}
    return Markup(say(str(escape(chosen(message(key), texts))), safe))  # noqa: S704 - all of it was escaped
