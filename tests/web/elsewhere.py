"""Browsers besides Chromium, driven as they come from their makers, and the little that a walk asks of each."""

from __future__ import annotations

import base64
import json
import subprocess
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Protocol

from websockets.sync.client import connect

PATIENCE_S = 30
FIREFOX = ("firefox", "firefox-esr")
PREFERENCES = {
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    # Settings of its maker come from nowhere, as in the tests of Firefox itself.
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.enabled": False,
}
"""A browser that phones nobody."""
COMPLAIN = """() => {
  addEventListener('securitypolicyviolation', (event) => console.error(`refused: ${event.blockedURI}`));
  addEventListener('unhandledrejection', ({ reason }) => console.error(`not caught: ${reason}`));
}"""
"""What no console tells by itself, said there."""
PLACE = """(css) => {
  const found = [...document.querySelectorAll(css)].find((one) => one.checkVisibility() && !one.matches(':disabled'));
  if (found === undefined) return null;
  found.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  const { x, y, width, height } = found.getBoundingClientRect();
  return [x + width / 2, y + height / 2].map(Math.round);
}"""


class Elsewhere(Protocol):
    """A browser with one page.

    Attributes:
        complaints: What its console complained of.
    """

    complaints: list[str]

    def open(self, url: str) -> None: ...

    def run(self, script: str, *arguments: object) -> Any:
        """Call a function of JavaScript, and return what it returns, or what its promise comes to."""

    def click(self, css: str) -> None:
        """Press the first thing that can be seen and pressed, once there is one."""

    def type(self, text: str) -> None:
        """Type where the focus is."""

    def picture(self) -> bytes:
        """Return what can be seen, as a PNG."""

    def close(self) -> None: ...


def until(browser: Elsewhere, script: str) -> None:
    """Wait until a function of JavaScript returns what counts as true."""
    end = monotonic() + PATIENCE_S
    while not browser.run(script):
        assert monotonic() < end, f"in vain: {script}"
        sleep(0.05)


class Firefox:
    """Firefox, over WebDriver BiDi.

    Source: https://w3c.github.io/webdriver-bidi/
    """

    def __init__(self, program: str, profile: Path) -> None:
        """Start it, with a profile in this folder, which may not exist yet."""
        profile.mkdir()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines))
        asked = ("--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", str(profile))
        self._process = subprocess.Popen([program, *asked], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.complaints: list[str] = []
        self._ids = count(1)
        self._line = ExitStack()
        try:
            address = self._address(profile / "WebDriverBiDiServer.json")
            self._socket = self._line.enter_context(connect(address, max_size=None))
            self._ask("session.new", capabilities={})
            self._ask("session.subscribe", events=["log.entryAdded"])
            self._ask("script.addPreloadScript", functionDeclaration=COMPLAIN)
            self._page = self._ask("browsingContext.getTree")["contexts"][0]["context"]
        except BaseException:
            self.close()
            raise

    def open(self, url: str) -> None:
        self._ask("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def run(self, script: str, *arguments: object) -> Any:
        called = self._ask(
            "script.callFunction",
            functionDeclaration=f"async (given) => JSON.stringify((await ({script})(...JSON.parse(given))) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(arguments)}],
            target={"context": self._page},
            awaitPromise=True,
        )
        assert called["type"] == "success", called["exceptionDetails"]["text"]
        return json.loads(called["result"]["value"])

    def click(self, css: str) -> None:
        until(self, f"() => ({PLACE})({json.dumps(css)}) !== null")
        x, y = self.run(PLACE, css)
        steps = [{"type": "pointerMove", "x": x, "y": y}]
        steps += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._act({"type": "pointer", "id": "mouse", "actions": steps})

    def type(self, text: str) -> None:
        steps = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": steps})

    def picture(self) -> bytes:
        return base64.b64decode(self._ask("browsingContext.captureScreenshot", context=self._page)["data"])

    def close(self) -> None:
        self._line.close()
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def _act(self, source: dict[str, Any]) -> None:
        self._ask("input.performActions", context=self._page, actions=[source])

    def _address(self, file: Path) -> str:
        """Return where it listens, which it writes down as soon as it does."""
        end = monotonic() + PATIENCE_S
        while not (file.exists() and file.read_text().endswith("}")):
            assert self._process.poll() is None, "the browser has ended"
            assert monotonic() < end, "the browser listens nowhere"
            sleep(0.05)
        told = json.loads(file.read_text())
        return f"ws://{told['ws_host']}:{told['ws_port']}/session"

    def _ask(self, method: str, **params: object) -> Any:
        name = next(self._ids)
        self._socket.send(json.dumps({"id": name, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if told.get("method") == "log.entryAdded":
                self._hear(told["params"])
            elif told.get("id") == name:
                assert told["type"] == "success", f"{method}: {told.get('message')}"
                return told["result"]

    def _hear(self, entry: dict[str, Any]) -> None:
        if entry["level"] == "error":
            self.complaints.append(str(entry["text"]))
