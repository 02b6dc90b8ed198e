"""Posts to addresses that others name: none of them leads into the networks of this machine, and none keeps it busy.

The law of the file: an address is resolved once, what comes of it is judged, and exactly that is connected to. So a
name that changes its address meanwhile leads nowhere else. Redirects are no answer, proxies of the environment are not
asked, of an answer nothing is read but its status, and no connection is used twice: it was made for one name.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import ip_address
from typing import Final

import httpx

from infra.abroad.addresses import BadUrl, checked_url, is_public
from infra.abroad.outgoing import OutgoingClient

ANSWER_S: Final = 10.0
"""How long one exchange may take, from the name to the status."""
NAMES_AT_ONCE: Final = 64
"""Names that are looked up at the same time. One whose servers are silent holds its thread for half a minute, long
after whoever asked has gone, so there are some times as many as posts."""
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Takes a name and a port, and returns the addresses it has now."""


class Unreached(Exception):  # noqa: N818 - named for what happened
    """Nobody has taken it; `why` is one of a few words, and `status` what was answered, if anything was."""

    def __init__(self, why: str, status: int | None = None) -> None:
        """Say why."""
        super().__init__(why)
        self.why = why
        self.status = status


class _Names:
    """Looks names up in threads of its own: silent servers would take those that everything else is worked at in."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(NAMES_AT_ONCE, "names")

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses that a name has now."""
        ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        return [str(where[0]) for *_, where in found]

    def close(self) -> None:
        """Look nothing up any more; what is under way is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class PinnedPoster:
    """Posts to addresses of others.

    Attributes:
        anywhere: Whether networks of this machine are among them.
    """

    def __init__(self, *, anywhere: bool = False, resolve: Resolve | None = None, answer_s: float = ANSWER_S) -> None:
        """Post to public addresses, or `anywhere`; names are resolved by `resolve`, or as this machine does."""
        self.anywhere = anywhere
        self._names = _Names()
        self._resolve = self._names.resolve if resolve is None else resolve
        self._answer_s = answer_s
        self._client = OutgoingClient(
            timeout=answer_s,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post once, and return the status of whoever has taken it, from 200 to 299.

        Raises:
            Unreached: Nobody has.
        """
        try:
            asked = checked_url(url, anywhere=self.anywhere)
            async with asyncio.timeout(self._answer_s):
                address = await self._address_of(asked)
                status = await self._status_of(asked, address, body, headers)
        except BadUrl as trouble:
            raise Unreached("bad_url") from trouble
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as trouble:
            raise Unreached("no_answer") from trouble
        if not httpx.codes.is_success(status):
            raise Unreached("redirected" if httpx.codes.is_redirect(status) else "refused", status)
        return status

    async def _address_of(self, asked: httpx.URL) -> str:
        """Return the one address to connect to. A name with an address that is not public has none."""
        host = asked.raw_host.decode("ascii").strip("[]")
        try:
            found = await self._resolve(host, asked.port or (443 if asked.scheme == "https" else 80))
        except (OSError, UnicodeError) as trouble:
            raise Unreached("no_address") from trouble
        if not found:
            raise Unreached("no_address")
        if not self.anywhere and not all(is_public(ip_address(one.partition("%")[0])) for one in found):
            raise Unreached("not_public")
        return found[0]

    async def _status_of(self, asked: httpx.URL, address: str, body: bytes, headers: Mapping[str, str]) -> int:
        said = {**headers, "Host": asked.netloc.decode("ascii"), "User-Agent": "truecup", "Accept-Encoding": "identity"}
        name = {"sni_hostname": asked.raw_host.decode("ascii")}
        pinned = asked.copy_with(host=address)
        async with self._client.stream("POST", pinned, content=body, headers=said, extensions=name) as answer:
            return answer.status_code

    async def close(self) -> None:
        """Let go of what is open."""
        self._names.close()
        await self._client.aclose()
