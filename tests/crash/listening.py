"""Somebody who listens at a seat over the socket, however often it breaks."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from contextlib import suppress

from websockets.exceptions import WebSocketException

from tests.crash.house import Addressed
from tests.socket.speaking import Speaker, speaking

PATIENCE_S = 180.0


class Listener:
    """Follows a match with a seat's token on sockets that it cuts itself, each at any of these services."""

    def __init__(self, services: Sequence[Addressed], match: str, token: str, seed: int) -> None:
        self.versions: list[int] = []
        self.viewers = set[int | None]()
        self._services, self._about = services, {"do": "watch", "match": match, "token": token}
        self._chance = random.Random(seed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def check(self, seat: int) -> None:
        """Wait for the end of the match, and hold against what a seat is owed: every frame once, in order, its own."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the match does not end"
        assert self.versions == list(range(self.versions[0], self.versions[0] + len(self.versions)))
        # Whoever comes when all is over hears how it stands, and no frame.
        assert self.viewers == {seat} or (not self.viewers and len(self.versions) == 1)

    def _run(self) -> None:
        is_over = False
        while not is_over:
            with (
                suppress(OSError, WebSocketException, KeyError),
                speaking(self._chance.choice(self._services)) as speaker,
            ):
                is_over = self._listen(speaker, self._chance.randrange(1, 16))
                speaker.socket.socket.close()  # without a word, as when a network is gone
            self._over.wait(self._chance.choice((0.0, 0.0, 0.2)))

    def _listen(self, speaker: Speaker, count: int) -> bool:
        """Take so many frames, and report whether that was all there is."""
        after = {"after": self.versions[-1]} if self.versions else {}
        speaker.say({"id": 1, **self._about, **after})
        while count:
            said = speaker.hear()
            if "snapshot" in said and not self.versions:
                self.versions.append(said["snapshot"]["version"])
            elif "frame" in said:
                self.versions.append(said["frame"]["version"])
                self.viewers.add(said["frame"]["view"]["viewer"])
                count -= 1
            elif "ended" in said:
                return True
            elif "bye" in said or said.get("status", 200) != 200:
                break
        return False
