"""The manifest: the house as something that a device can install, with its name, colours and icons.

Source: https://www.w3.org/TR/appmanifest/. The icons are the cup of `static/cup.svg`, on paper, within the circle that
every mask leaves (section 1.8).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec
from litestar import Request, Response, get

from services.http.codings.variants import Variants, answer
from services.http.injected import Injected
from services.web.assets import Assets
from services.words.catalogue import message, spoken

_PAPER: Final = "#f4eee1"
"""As in `static/paper.css`."""
_ICONS: Final = (
    ("icon.svg", "image/svg+xml", "any"),
    ("icon-192.png", "image/png", "192x192"),
    ("icon-512.png", "image/png", "512x512"),
)
_CACHING: Final = "no-cache"
"""It names the icons by addresses that change with them."""


@get("/manifest.webmanifest", include_in_schema=False)
async def manifest(request: Request[Any, Any, Any], assets: Injected[Assets]) -> Response[bytes]:
    """Return the manifest."""
    return answer(request, _written(assets, spoken()), "application/manifest+json", _CACHING)


@cache
def _written(assets: Assets, language: str) -> Variants:
    """Return the manifest in this language, which is the one that is spoken, with the icons as they are now."""
    drawn = [{"src": assets.url(name), "type": kind, "sizes": sizes} for name, kind, sizes in _ICONS]
    icons = [{**icon, "purpose": purpose} for purpose in ("any", "maskable") for icon in drawn]
    told = {
        "id": "/",
        "name": "Truecup",
        "short_name": "Truecup",
        "description": message("pages.frame.install"),
        "lang": language,
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": _PAPER,
        "theme_color": _PAPER,
        "icons": icons,
    }
    return Variants(msgspec.json.encode(told))
