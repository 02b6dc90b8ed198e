"""Tables of a rehearsal: one match, played by house bots from its first line to its last, without a server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from domain import commands
from domain.audit import access
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, UnixMs
from domain.match.decide import decide
from domain.match.evolve import Match, is_dealing, new_match, open_match, table_deals
from domain.match.record import GENESIS, lines_of, stream_of
from domain.strategy.sight import Sight
from domain.table.phases import AWAITING_BOARD
from services.bots.playing import style_of_bot
from services.cli.ledger import Ledger
from services.engines.level_names import Style
from services.engines.levels import CHANCE_BYTES, by_odds
from services.engines.seen import sight_of

STEP_MS = 1_000
"""How long a bot takes over a move."""

Draw = Callable[[int], bytes]
"""Draws as many bytes as are asked for."""


class PlayedOut:
    """A match of bots, with its lines and how it ended.

    Attributes:
        match: How it stands.
        lines: Its lines.
        record: The file of it, once it is over.
        access: The record of who was served which hidden dice in it, likewise.
    """

    def __init__(
        self, match_id: UUID, rules: dict[str, Any], players: list[str], ledger: Ledger, draw: Draw, at: UnixMs
    ) -> None:
        """Open it for these players, in seat order, at this time in Unix milliseconds."""
        self._ledger, self._draw = ledger, draw
        self._sizes: list[int] = []
        opened = open_match(match_id, rules)
        self.match: Match = new_match(opened, at)
        first, self.head = lines_of(match_id, 0, GENESIS, at, [opened])
        self.lines = list(first)
        self._keeper: DealSecrets | None = None
        self.record = self.access = b""
        served, self._book = access.new_access_stream(match_id, at)
        self._served = list(served)
        self._at = at
        # Who plays is seated as the match is opened: all of it has one time.
        for seat, player in enumerate(players, start=1):
            self._decide(commands.Join(player, "server", seat))

    def play(self) -> None:
        """Begin, and play to the end."""
        self.do(commands.Start(self._chance()))
        self.go_on()

    def go_on(self) -> None:
        """Play until the match is over, or its round waits for other tables with the same dice."""
        while not self.match.ended and not self.waits:
            self._step()
        if self.match.ended:
            self.record = self._ledger.record(stream_of(self.match.id), self.lines, self._sizes)
            self.access = self._ledger.record(access.stream_of(self.match.id), self._served, ())

    @property
    def waits(self) -> bool:
        """Whether other tables are waited for, or the dice that all of them share."""
        return is_dealing(self.match) if self.match.ceremony is None else self._is_held

    @property
    def _is_held(self) -> bool:
        return self.match.table is not None and self.match.table.phase == AWAITING_BOARD

    def share(self, keeper: DealSecrets | None, command: commands.ShareDeal, at: UnixMs) -> None:
        """Play with the dice of a board, which its keeper knows, from this time on."""
        self._keeper, self._at = keeper, max(self._at, at)
        self.do(command)

    def release(self, command: commands.ReleaseRound, at: UnixMs) -> None:
        """Let the round be judged that is over at all tables, at this time or later."""
        self._at = max(self._at, at)
        self.do(command)

    def _step(self) -> None:
        ceremony = self.match.ceremony
        if ceremony is not None and ceremony.stage == "sealed":
            seq = self.match.sealed_seq
            assert seq is not None, "it was sealed"
            proof = self._ledger.enter(stream_of(self.match.id), seq, self.lines[seq], "sealed")
            self._sizes.append(self._ledger.size)
            path = tuple(item.hex() for item in proof.path)
            self.do(commands.LogDeal(ceremony.deal, proof.index, path, proof.checkpoint))
        elif table_deals(self.match):
            self._at = max(self._at, self.match.resumes_at or 0)
            self.do(commands.Advance(self._chance()))
        else:
            self._act()

    def _act(self) -> None:
        table = self.match.table
        assert table is not None
        assert table.turn is not None, "somebody has the turn"
        seat: Seat = table.turn
        style = style_of_bot(self.match.seated[seat].player)
        command = self._chosen(sight_of(self.match, seat, self._keeper), style, self._draw(CHANCE_BYTES))
        assert command is not None, "whoever has the turn can do something"
        self.do(command)

    def _chosen(self, sight: Sight, style: Style, chance: bytes) -> commands.Play | None:
        """Return what a bot does: by level 1, whatever its level, for many tables are played in a row."""
        return by_odds(sight, style, chance)

    def do(self, command: commands.MatchCommand) -> None:
        """Decide, a moment later, and write down what that led to."""
        self._at += STEP_MS
        self._decide(command)

    def _decide(self, command: commands.MatchCommand) -> None:
        made = decide(self.match, command, self._at, self._keeper)
        served, self._book = access.lines_of_events(self._book, self.match, made.events, self._at)
        self._served += served
        lines, self.head = lines_of(self.match.id, self.match.version, self.head, made.match.at, made.events)
        self.lines += lines
        self.match, self._keeper = made.match, made.keeper

    def _chance(self) -> commands.Chance:
        return commands.Chance(self._draw(32), {seat: self._draw(32) for seat in self.match.seated})


def drawing_from(seed: bytes) -> Draw:
    """Return what draws bytes that follow from a seed, so that an event can be rehearsed again as it was."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.shake_256(seed + count.to_bytes(8, "big")).digest(size)

    return draw
