"""The real service as a process that is killed and started again, and players who do not mind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any, Protocol

import httpx

from domain.log.policies import Policy
from services.audit.verdict import Evidence, Verdict, verdict_of
from tests.crash.forked import Forked, Process
from tests.hosting import address_of_forker

ROOT = Path(__file__).parents[2]
START_S = 120.0
"""How long a start may take on a machine that is busy with other tests."""
STOP_S = 60.0
ENDED_S = 120.0
WAIT_S = 60.0
"""Far above every bound of the program: who waits so long waits for ever."""
LOOK_S = 0.03
"""How long players who cannot act wait before they look again."""


class Reachable(Protocol):
    """A service that is there, whoever runs it."""

    def client(self) -> httpx.Client:
        """Return a client of its interface."""


class Addressed(Protocol):
    """A service that says where it is."""

    @property
    def url(self) -> str:
        """Its address."""


def health_of(service: Addressed) -> tuple[int, dict[str, str]]:
    """Return the status with which a service says whether it is ready, and the reasons."""
    answer = httpx.get(f"{service.url}/health/ready", timeout=WAIT_S)
    return answer.status_code, answer.json()["reasons"]


def wait_until(holds: Callable[[], bool], within_s: float = WAIT_S, look_s: float = 0.05) -> None:
    """Return once something holds, which it does in time."""
    deadline = monotonic() + within_s
    while not holds():
        assert monotonic() < deadline, "it does not come to that"
        sleep(look_s)


class Service:
    """`truecup serve` against given servers; it keeps its key in a folder of its own."""

    def __init__(self, database_url: str, nats_url: str, folder: Path, *program: str, **settings: str) -> None:
        self.folder = folder
        self.program = program
        self.settings = settings
        self._given = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TRUECUP_DATABASE_URL": database_url,
            "TRUECUP_NATS_URL": nats_url,
            "TRUECUP_BOT_PAUSE_MS": "0",
            "TRUECUP_LOG_LEVEL": "warning",
            # Killed and changed by its process id: sets of processes are tried in tests/program.
            "TRUECUP_PROCESSES": "1",
        }
        self._process: Process | None = None

    def start(self, *how: str) -> None:
        told = self.folder / "url"
        told.unlink(missing_ok=True)
        arguments = [*(how or ("serve",)), "--port", "0", "--data", str(self.folder)]
        with (self.folder / "service.log").open("ab") as output:
            self._process = self._begun(arguments, output)
        deadline = monotonic() + START_S
        while not (told.exists() and told.read_text().endswith("\n")):
            assert self._process.poll() is None, (self.folder / "service.log").read_text()[-2_000:]
            assert monotonic() < deadline, "the service did not start"
            sleep(0.02)

    def _begun(self, arguments: list[str], output: IO[bytes]) -> Process:
        """Begin the program: where the run has somebody who forks it, there; a program of a test's own is started."""
        forker = None if self.program else address_of_forker()
        if forker is not None:
            return Forked(forker, arguments, self.environment, output)
        argv = [sys.executable, *(self.program or ("-m", "services.cli.main")), *arguments]
        return subprocess.Popen(argv, cwd=ROOT, env=self.environment, stdout=output, stderr=output)

    @property
    def environment(self) -> dict[str, str]:
        return self._given | {f"TRUECUP_{name.upper()}": text for name, text in self.settings.items()}

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout=STOP_S)
        finally:
            self.kill()

    def wait(self) -> int:
        """Return how it ended, which it does by itself."""
        assert self._process is not None
        return self._process.wait(ENDED_S)

    @property
    def is_up(self) -> bool:
        """Whether it runs: nobody has killed it, and it has not ended by itself."""
        return self._process is not None and self._process.poll() is None

    @property
    def url(self) -> str:
        return (self.folder / "url").read_text().strip()

    @property
    def log(self) -> str:
        return (self.folder / "service.log").read_text()

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url + "/api/v1", timeout=20)


class Sent:
    """A command a player has sent, until it was answered; the same key each time."""

    def __init__(self, path: str, body: dict[str, Any], token: str, key: str) -> None:
        self.path = path
        self.body = body
        self.headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
        self.answer: bytes | None = None

    def send(self, client: httpx.Client) -> httpx.Response:
        return client.post(self.path, json=self.body, headers=self.headers)

    def again(self, client: httpx.Client) -> bytes:
        """Return what a repeat is answered, for which a service that cannot just now is asked once more."""
        deadline = monotonic() + START_S
        while (answer := self.send(client)).status_code == httpx.codes.SERVICE_UNAVAILABLE:
            assert monotonic() < deadline, answer.text
            sleep(LOOK_S)
        return answer.content


class Table:
    """A match over HTTP that goes on whatever happens to the service."""

    def __init__(
        self, service: Reachable, rules: dict[str, Any], seed: int = 1, sending: Callable[..., Sent] = Sent
    ) -> None:
        self.service = service
        self.sending = sending
        self.random = random.Random(seed)
        self.sent: list[Sent] = []
        with service.client() as client:
            opened = client.post("/matches", json={"rules": {"game": "common_hand", "pause_ms": 0, **rules}})
            self.id = opened.raise_for_status().json()["match"]
            self.path = f"/matches/{self.id}"
            host = {"Authorization": f"Bearer {opened.json()['token']}"}
            self.tokens = [
                client.post(f"{self.path}/seats", json={"name": name}).raise_for_status().json()["token"]
                for name in ("Ana", "Ben")
            ]
            client.post(f"{self.path}/bots", json={"count": 1}, headers=host).raise_for_status()
            client.post(f"{self.path}/start", headers=host).raise_for_status()

    def view(self, client: httpx.Client, token: str | None = None) -> dict[str, Any]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = client.get(self.path, headers=headers)
        answer.raise_for_status()
        return answer.json()

    def step(self, client: httpx.Client) -> bool:
        """Let whoever may act act once, or wait a moment; report whether the match was over before."""
        waiting = next((one for one in self.sent if one.answer is None), None)
        if waiting is None:
            seen = self.view(client)
            if seen["phase"] == "finished":
                return True
            waiting = self._next(client, seen.get("turn"))
        if waiting is None:
            sleep(LOOK_S)
            return False
        answer = waiting.send(client)
        assert answer.status_code in {200, 409, 503}, answer.text
        if answer.status_code == 200:
            waiting.answer = answer.content
        elif answer.status_code == 409:
            self.sent.remove(waiting)
        else:
            sleep(0.05)
        return False

    def _next(self, client: httpx.Client, turn: int | None) -> Sent | None:
        """Return what the seat sends next whose turn it is, if it is one of ours; they are the first."""
        for token in () if turn is None else self.tokens[turn - 1 : turn]:
            view = self.view(client, token)
            if view["moves"] and view["dice_in_play"] and view["turn"] == view["viewer"]:
                body = self._choice(view["moves"])
                key = f"crash-{len(self.sent)}-{self.random.getrandbits(64):016x}"
                self.sent.append(self.sending(f"{self.path}/commands", body, token, key))
                return self.sent[-1]
        return None

    def _choice(self, moves: list[dict[str, Any]]) -> dict[str, Any]:
        move = self.random.choice(moves)
        if move["type"] != "bid":
            return {"type": move["type"]}
        quantity, face = self.random.choice(move["minimum"])
        return {"type": "bid", "quantity": quantity, "face": face}

    def finish(self, patience_s: float = ENDED_S) -> None:
        """Play to the end, through whatever is killed meanwhile."""
        deadline = monotonic() + patience_s
        while monotonic() < deadline:
            try:
                with self.service.client() as client:
                    while not self.step(client):
                        assert monotonic() < deadline, "the match does not end"
                    return
            except (httpx.TransportError, httpx.HTTPStatusError, FileNotFoundError):
                sleep(0.02)
        raise AssertionError("the match does not end")

    def audited(self) -> Verdict:
        """Return what an audit says of the finished match, once its end is in the log."""
        from domain.log.policies import policy_of  # noqa: PLC0415 - beside its only use

        with self.service.client() as client:
            policy = policy_of(client.get("/log/policy").text)
            deadline = monotonic() + ENDED_S
            while (verdict := self.verdict(client, policy)).status == "INCOMPLETE":
                if monotonic() > deadline:
                    break
                sleep(0.05)
            return verdict

    def verdict(self, client: httpx.Client, policy: Policy) -> Verdict:
        """Return what an audit says of the match as it stands, its access record beside it."""
        access = client.get(f"{self.path}/access").raise_for_status().content
        return verdict_of(self.record(client), policy, beside=Evidence(access))

    def record(self, client: httpx.Client) -> bytes:
        return client.get(f"{self.path}/record").raise_for_status().content
