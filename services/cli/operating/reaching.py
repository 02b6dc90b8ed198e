"""The house as others on the network reach it: its addresses there, and a code of one that cameras read.

The code is the QR code of ISO/IEC 18004, two rows of it in a line, dark on light with the four quiet modules that the
standard asks for.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import segno

from infra.config import Config
from services.cli.screen import draw_dark_on_light, say, shows
from services.http.layers.hosts import known_hosts
from services.http.reach import others_reach, url_of

_HALVES: Final = {(False, False): " ", (True, False): "\u2580", (False, True): "\u2584", (True, True): "\u2588"}
"""What two modules, one above the other, look like; whether each is dark."""
_QUIET: Final = 4


def tell_others(config: Config, url: str) -> None:
    """Print where others on the network open the house that its own machine reaches at this address."""
    port = urlsplit(url).port
    assert port is not None, "a house says its port"
    urls = [url_of(host, port) for host in others_reach(config.host, known_hosts(config.hosts, config.host))]
    for each in urls:
        say(f"On your network: {each}")
    if urls and shows("".join(_HALVES.values())):
        draw_dark_on_light(blocks_of(urls[0]))


def blocks_of(text: str) -> list[str]:
    """Return the QR code of a text, two rows of modules a line."""
    rows = [[bool(module) for module in row] for row in segno.make_qr(text).matrix_iter(border=_QUIET)]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(_HALVES[pair] for pair in zip(upper, lower, strict=True)) for upper, lower in pairs]
