"""Documents that stay as they are: written once however often they are asked for, and not sent to whoever has them."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any, cast

import httpx
import pytest
from litestar import Litestar, Request, Response, get
from litestar.di import Provide
from litestar.params import FromPath

from services.api.reference.members import describe_members
from services.http.documents import Documents
from services.http.injected import Injected
from tests.api.conftest import Service

PATHS = ("/openapi.json", "/api/v1/games", "/api/v1/odds", "/api/v1/policies", "/api/v1/ladder")


async def test_a_document_is_written_once_for_all_who_ask() -> None:
    documents, written = Documents(), []

    @get("/{name:str}")
    async def document(request: Request, name: FromPath[str], documents: Injected[Documents]) -> Response[bytes]:
        def write() -> dict[str, bool]:
            written.append(name)
            return {"written": True}

        return documents.answer(request, write, "no-cache")

    given = {"documents": Provide(lambda: documents, sync_to_thread=False)}
    app = Litestar([document], dependencies=given, openapi_config=None, logging_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast(Any, app)), base_url="http://house") as client:
        answers = [await client.get(f"/{name}") for name in "abca"]
    assert {answer.text for answer in answers} == {'{"written":true}'}
    assert written == ["a"], "once, whatever the address that leads to it"


@pytest.mark.parametrize("path", PATHS)
def test_whoever_has_a_document_is_told_so(service: Service, path: str) -> None:
    first = service.client.get(path)
    tag = first.headers["etag"]
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = service.client.get(path, headers={"If-None-Match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = service.client.get(path, headers={"If-None-Match": '"other"'})
    assert (first.status_code, other.status_code) == (200, 200)
    assert other.content == first.content
    assert other.headers["cache-control"] == first.headers["cache-control"]


@pytest.mark.parametrize("path", ["/openapi.json", "/asyncapi.json"])
def test_every_member_of_every_schema_says_what_it_means(service: Service, path: str) -> None:
    schemas = service.client.get(path).json()["components"]["schemas"]
    silent = {
        f"{name}.{member}"
        for name, schema in schemas.items()
        for member, said in schema.get("properties", {}).items()
        if not said.get("description")
    }
    assert not silent
    assert not [name for name, schema in schemas.items() if "Attributes:" in schema.get("description", "")]


def test_members_are_described_however_a_python_keeps_a_docstring() -> None:
    told = "What it is.\n\n    More.\n\n    Attributes:\n        due_ms: How late\n            it is.\n    "
    for said in (told, cleandoc(told)):
        schema = {"description": said, "properties": {"due_ms": {"type": "integer"}}}
        assert describe_members({"Late": schema})["Late"] == {
            "description": "What it is.\n\nMore.",
            "properties": {"due_ms": {"type": "integer", "description": "How late it is."}},
        }
