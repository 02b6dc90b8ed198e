"""Layer 3 of the audit: the rules, replayed (CUP/1 section 4.10).

A record is a sequence of commands and what they led to. Given the secrets that a finished match has published, or the
dice that it has shown where it publishes no more (`domain.audit.published`), deciding is a pure function. So the
referee does again what the server did: it takes each command from the first event it left, decides it anew, and asks
that the record says the same, event by event. A roll the rules did not call for, a die opened early or not at all, a
posting that is wrong, a winner who did not win: each is a line that differs.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from domain import events
from domain.audit.behind import RecordAtHand, command_behind
from domain.audit.board_order import BoardOrder
from domain.audit.published import published_of
from domain.audit.rulings import OVERSIGNED, UNJUDGED, UNSHARED, Foul, ReplayResult, Unsettled
from domain.audit.signing.signed import without_openings
from domain.errors import Refused
from domain.fairness.openings import DealSecrets, OpenDeal
from domain.fairness.records import RecordLine
from domain.fairness.shared import SharedDeal
from domain.match.decide import Decision, decide
from domain.match.evolve import Match, new_match
from domain.match.record import decode
from domain.match.settings import is_known, rules_object


def replay(
    lines: list[RecordLine],
    shared: SharedDeal | None = None,
    raw: Sequence[bytes] = (),
    moments: dict[int, tuple[Match, DealSecrets | None]] | None = None,
) -> ReplayResult:
    """Return what the rules say to a record that has passed layers 1 and 2.

    Args:
        lines: Its event lines.
        shared: What the record of its board says, where the match shares dice.
        raw: The lines as they stand, which that names by their hashes.
        moments: Takes the match, and who knows its dice, before each command and after the last, by how many lines
            there were.

    Cost: about what playing the match cost the server.
    """
    if not is_known(lines[0].data["rules"]):
        return ReplayResult(judged=False, why=UNJUDGED)
    if isinstance(lines[0].data["rules"].get("board"), dict) and shared is None:
        return ReplayResult(judged=False, why=UNSHARED)
    record = _Replay(lines)
    record.moments = moments
    record.order = None if shared is None else BoardOrder(shared, raw)
    try:
        return record.replay()
    except Foul as foul:
        return ReplayResult(judged=True, line=foul.line, upto=foul.line, why=foul.why, code=foul.code)
    except Unsettled as unsettled:
        return ReplayResult(judged=True, upto=unsettled.upto, why=unsettled.why, rights=record.rights)


class _Replay(RecordAtHand):
    """A record that is decided anew, command by command."""

    timed = False
    """Whether its times count."""
    moments: dict[int, tuple[Match, DealSecrets | None]] | None = None

    def replay(self) -> ReplayResult:
        self.events = [without_openings(_decode(line)) for line in self.lines]
        first = self.events[0]
        assert isinstance(first, events.MatchCreated), "layer 2 has seen to it"
        match = self._new_match(first)
        keeper = self._keeper_of_board()
        self.told = published_of(self.events)
        while self.next < len(self.lines):
            self._note(match, keeper)
            self.dealer = _open_deal(match, keeper)
            made = self._decide_next(match, keeper)
            self._compare(made)
            match, keeper = made.match, made.keeper
        self._note(match, keeper)
        why = "" if self.order is None else self.order.fault_at_end(match)
        if why:
            raise Foul(self.upto, why)
        return ReplayResult(
            judged=True,
            upto=self.upto,
            why=f"every event follows from the rules{self._unknown_choices()}",
            rights=self.rights,
            match=match,
        )

    def _note(self, match: Match, keeper: DealSecrets | None) -> None:
        if self.moments is not None:
            self.moments[self.next] = (match, keeper)

    def _keeper_of_board(self) -> DealSecrets | None:
        """Return who knows the dice of the board, where the match shares them."""
        keeper = None if self.order is None else self.order.shared.keeper()
        if keeper is None and any(isinstance(event, events.DealShared) for event in self.events):
            raise Unsettled(1, "the dice of its board are not published yet")
        return keeper

    def _unknown_choices(self) -> str:
        """Return what cannot be known, for the end of a sentence."""
        if not self.unopened:
            return ""
        return f"; which of the dice never shown were rolled anew is not known, {self.unopened} times"

    def _new_match(self, first: events.MatchCreated) -> Match:
        try:
            match = new_match(first, self.lines[0].at)
        except Refused as refused:
            raise Foul(self.lines[0].number, f"these are no rules of this game: {refused}") from refused
        if rules_object(match.settings) != first.rules:
            raise Foul(self.lines[0].number, "the rules object does not spell every option out")
        # Times are for show (CUP/1 section 4.4), unless the match has clocks: then they decide who is out of time. Or
        # unless its deals wait for a beacon: then they decide which round they wait for. Or unless it has limits for
        # those who stay away, or for hosts who hold the table up, or for pauses between rounds. Or unless it is of a
        # tournament: then all who play were seated as it was opened.
        asked = match.settings
        limits = (asked.clock, asked.beacon, asked.idle, asked.host, asked.pause_ends, asked.event)
        self.timed = any(each is not None for each in limits)
        return match

    def _decide_next(self, match: Match, keeper: DealSecrets | None) -> Decision:
        line, event = self.line, self.events[self.next]
        if self.timed and line.at < match.at:
            raise Foul(line.number, "time runs backwards")
        try:
            command = self.signatures.take(line, command_behind(self, match, event))
            return decide(match, command, line.at, keeper)
        except Refused as refused:
            # The dice that prove a throw are shown behind what it was said to be; where deals keep their secret (else
            # this line is not reached before the deal is closed), they are all there is.
            if refused.code == "cannot_prove" and line is self.lines[-1]:
                raise self._end_of_record() from refused
            raise Foul(line.number, f"{line.kind} is refused: {refused}") from refused

    def _end_of_record(self) -> Unsettled:
        return Unsettled(self.upto, f"the record ends in the middle of what line {self.upto + 1} led to")

    def _compare(self, made: Decision) -> None:
        broken_off, first = self._end_of_record(), self.next
        for expected, after in zip(made.events, made.steps, strict=True):
            # A server writes all of it at once; but whoever holds only the beginning of a record accuses nobody.
            if self.next == len(self.lines):
                raise broken_off
            line = self.line
            if self.events[self.next] != without_openings(expected):
                wanted = events.type_of(expected)
                raise Foul(line.number, f"the rules call for another event here: {wanted}")
            if self.timed and line.at != made.match.at:
                raise Foul(line.number, f"{line.kind} follows of itself, and so at the same time as what it follows")
            if line.signed is not None and self.next > first:
                raise Foul(line.number, f"{line.kind} follows of itself, and nobody asked for it", OVERSIGNED)
            if isinstance(expected, events.ChoicesRevealed):
                self.signatures.check_opened(line)
            self.rights.take(after, expected)
            if self.order is not None:
                self.order.take(after, self.next)
            self.next += 1


def _open_deal(match: Match, keeper: DealSecrets | None) -> OpenDeal | None:
    mixed = None if match.ceremony is None else match.ceremony.mix
    return None if keeper is None or mixed is None else keeper.open_deal(mixed)


def _decode(line: RecordLine) -> events.Event:
    if "type" in line.data:
        raise Foul(line.number, f"{line.kind} has no member of this name: type")
    try:
        return decode(line.kind, line.data)
    except (msgspec.ValidationError, KeyError) as error:
        raise Foul(line.number, f"{line.kind} is no event of this game") from error
