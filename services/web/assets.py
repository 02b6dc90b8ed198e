"""The files pages load, in memory, under addresses that change with their content.

Modules import each other by relative names, so they share one digest: a new version of any file is a new folder, and
what is in a folder never changes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath
from litestar.response import Redirect
from msgspec import Struct

from services.http.codings.variants import Variants, answer
from services.http.injected import Injected
from services.web.modules import modules_behind, modules_of

FOLDER: Final = Path(__file__).with_name("static")
DIGEST_HEX: Final = 16
"""64 bits of the hash of all files: it tells versions apart, it proves nothing."""

_TYPES: Final = {
    ".css": "text/css",
    ".json": "application/json",
    ".js": "text/javascript",
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
"""By the ending of a name. The framework adds to a text that it is UTF-8."""
_FOR_EVER: Final = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True):
    """A file as it is served."""

    document: Variants
    media_type: str


class Assets:
    """Every file of a folder and the folders in it.

    Attributes:
        digest: Changes whenever any file does.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        """Read the folder, about 150 kB."""
        paths = sorted(path for path in folder.rglob("*") if path.suffix in _TYPES)
        self._files = {path.relative_to(folder).as_posix(): _asset(path) for path in paths}
        tags = "".join(f"{name} {asset.document.digest}\n" for name, asset in self._files.items())
        self.digest = hashlib.sha256(tags.encode()).hexdigest()[:DIGEST_HEX]

    def url(self, name: str) -> str:
        """Return the address of a file of this folder."""
        assert name in self._files, name
        return f"/static/{self.digest}/{name}"

    def modules(self, name: str) -> tuple[str, ...]:
        """Return the names of all that a page loads with this module, itself first."""
        return modules_of(name, self.text)

    def behind(self, name: str) -> tuple[str, ...]:
        """Return the names of all that a page asks for once this module runs."""
        return modules_behind(name, self.text)

    def text(self, name: str) -> str:
        """Return what stands in a file of this folder."""
        return self._files[name].document.body.decode()

    def find(self, name: str) -> Asset | None:
        """Return the file of this name."""
        return self._files.get(name)


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    # Catalogues are laid out for who edits them; that is a fifteenth of what a page sends, even compressed.
    return Asset(
        Variants(msgspec.json.format(body, indent=-1) if path.suffix == ".json" else body), _TYPES[path.suffix]
    )


@get("/static/{digest:str}/{name:path}", include_in_schema=False)
async def static(
    request: Request[Any, Any, Any], digest: FromPath[str], name: FromPath[str], assets: Injected[Assets]
) -> Response[bytes] | Response[None] | Redirect:
    """Return a file, or nothing if the browser has it; a page of another version is sent to the present one."""
    found = assets.find(name.lstrip("/"))
    if found is None:
        return Response(None, status_code=404, media_type="text/plain")
    if digest != assets.digest:
        return Redirect(assets.url(name.lstrip("/")), status_code=307)
    return answer(request, found.document, found.media_type, _FOR_EVER)
