"""Notes of an honest house never speak against it: what it has refused with one is not taken a moment later.

Matches are played at random. In each position seats sign whatever they like, most of it illegal; keys change, hosts
name others, time passes. Whatever was refused with a note is sent again behind each line that follows, and both
auditors hold all notes, beside the commands that their seats have kept, against the record.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from functools import partial
from typing import Any

import pytest
from msgspec import convert

from domain import commands
from domain.audit.signing.kept import KeptCommand
from domain.audit.signing.refused import RefusalComparison
from domain.errors import Refused
from domain.fairness.shapes import Signed
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.games import GAMES
from domain.log.refusals import sign_refusal
from domain.match.dues import due_at
from domain.match.signed_commands import SeatSignature, public_form, seat_of
from domain.table.offers import Move
from services.matches.requests import VersionPassed
from services.matches.secrets.repeats import SignedCommands
from services.matches.secrets.signatures import decide_signed
from tests.domain.playing import MATCH, commands_for
from tests.fairness.javascript_auditor import Ask
from tests.fairness.record_files import access_beside
from tests.fairness.scripted_server import ORIGIN, POLICY_TEXT, SIGNERS
from tests.fairness.test_beside import LAYERS, judged
from tests.signed.courses import STREAM, SignedCourse
from tests.signed.hands import Hand
from tests.sizes import cases

NO_POINT = "02" + "00" * 31
REFUSES = partial(sign_refusal, ORIGIN, signers=(SIGNERS[ORIGIN],))
LOBBY = 3
"""How often seats ask for something before the match begins."""
HELD = 2
"""How much of what was signed is kept back until something has happened."""
SPARED = {commands.Arrange, commands.StandIn, commands.TakeBack}
"""What has no public form before it is done, or none at all."""


class Sent:
    """A command as its seat has signed it."""

    def __init__(self, command: commands.MatchCommand, signature: SeatSignature) -> None:
        self.command, self.signature = command, signature
        public = public_form(command, signature, None)
        assert public is not None
        seat = seat_of(command) or 9
        self.kept = str(KeptCommand(STREAM, Signed(dict(public), signature.n, seat, signature.sig, signature.version)))


class Pestered(SignedCourse):
    """A match at which seats ask for whatever they like.

    Attributes:
        noted: What was refused with a note.
        held: What was signed, and is sent later.
        notes: The notes, each behind what its seat has kept.
        codes: By code, by whether there was a note, and whether no line had overtaken it: how often.
    """

    def __init__(self, *arguments: Any, **rules: Any) -> None:
        super().__init__(*arguments, **rules)
        self.noted: list[Sent] = []
        self.held: list[tuple[commands.MatchCommand, SeatSignature]] = []
        self.notes: list[str] = []
        self.codes: Counter[tuple[str, bool, bool]] = Counter()

    async def read(self, _stream: str, after: int, limit: int) -> list[bytes]:
        """Return lines, as a store does."""
        return self.lines[after : after + limit]

    def lives(self, sent: Sent) -> bool:
        """Report whether no line has overtaken what was sent: what one has is refused by that alone."""
        return self.written.signing.has_seen_enough(sent.signature.version)

    def is_refused(self, sent: Sent, at: int) -> Refused | None:
        """Return the no to something that was sent, if it is one."""
        try:
            decide_signed(self.written, sent.command, at, self.keeper, sent.signature)
        except Refused as no:
            return no
        return None

    def pester(self, drawn: random.Random, command: commands.MatchCommand, signature: SeatSignature) -> None:
        """Ask for something that is not taken: the rules refuse it, or a version was named that has passed."""
        sent = Sent(command, signature)
        self.at = at = self.at + drawn.choice([0, 0, 1, 1_000, RECOVERY_MS + 1])
        no = self.is_refused(sent, at) or VersionPassed(self.match.version)
        asked = SignedCommands(self, REFUSES).find_or_note(no, self, command, signature, at)
        stood = asyncio.run(asked)
        noted = "refusal" in no.facts
        self.codes[no.code, noted, self.lives(sent)] += 1
        if noted:
            assert stood is None
            self.noted.append(sent)
            self.notes += [sent.kept, str(no.facts["refusal"])]

    def moves(self) -> list[tuple[int, Move]]:
        """Return what the rules offer; nothing before the match begins."""
        return [] if self.match.table is None or self.match.ended else self.offers()

    def check_refused(self) -> None:
        """Check that nothing that was refused with a note is taken now, or later."""
        for sent in filter(self.lives, self.noted):
            for after_ms in (1, RECOVERY_MS + 1):
                assert self.is_refused(sent, self.match.at + after_ms) is not None, sent.kept


def asked(course: Pestered, drawn: random.Random, seat: int) -> list[commands.MatchCommand]:
    """Return something of everything a seat may sign, lawful or not."""
    keys = [hand.key for hand in course.hands.values()]
    key = drawn.choice([*keys, NO_POINT, Hand(MATCH, drawn.randrange(10**6)).key])
    deal = course.match.deals - drawn.choice([0, 1])
    plain = (commands.Challenge, commands.SpotOn, commands.Pass, commands.Leave, commands.Forfeit)
    claims = (commands.Bid(seat, drawn.randint(1, 4), drawn.randint(1, 6)), commands.ClaimHand(seat, "pair", (2, 2)))
    seeds = (commands.CommitSeed(seat, deal, "ab" * 32), commands.OpenSeed(seat, deal, "cd" * 32))
    moves = [each for who, move in course.moves() if who == seat for each in commands_for(who, move)]
    lawful = [each for each in moves if type(each) not in SPARED]
    named = (commands.ChooseFirst(seat, drawn.randint(1, 3)), commands.Rekey(seat, key))
    return [*(kind(seat) for kind in plain), *claims, *seeds, *named, *lawful[:2]]


def newcomer(course: Pestered, drawn: random.Random) -> tuple[commands.Join, SeatSignature]:
    """Return what somebody asks who wants to sit down, with a key that may be another's."""
    hand = drawn.choice([*course.hands.values(), Hand(MATCH, drawn.randrange(10**6))])
    public = {"type": "join", "key": hand.key, "custody": "client"}
    signed = Hand.sign(_without_seat(hand), course.written.signing, public)
    return commands.Join("p9", "client", None, hand.key), convert(signed, SeatSignature)


def _without_seat(hand: Hand) -> Hand:
    other = Hand(hand.match, 1)
    other.signer, other.key = hand.signer, hand.key
    return other


def pester(course: Pestered, drawn: random.Random) -> None:
    """Let seats ask for something, and somebody who has none."""
    course.held.append(newcomer(course, drawn))
    for seat in list(course.hands):
        for command in drawn.sample(asked(course, drawn, seat), 3):
            signature = course.signature_of(command, course.at)
            if signature is not None:
                course.held.append((command, signature))
    drawn.shuffle(course.held)
    while len(course.held) > HELD:
        course.pester(drawn, *course.held.pop())


def go_on(course: Pestered, drawn: random.Random, number: int) -> None:
    """Let something happen, loud or quiet."""
    seat, way = drawn.choice(list(course.match.seated)), drawn.random()
    due, moves = due_at(course.match), course.moves()
    new = Hand(MATCH, 10**7 + number, seat)
    try:
        if course.match.table is None and number > LOBBY:
            course.do(commands.Start(course.chance()))
        elif way < 0.2 and seat in course.hands:
            course.rekey(seat, new)
        elif way < 0.3:
            course.do(commands.NameKey(seat, new.key))
            course.hands[seat] = drawn.choice([new, course.hands.get(seat, new)])
        elif way < 0.4 and due is not None:
            course.do(commands.Advance(course.chance()), max(0, due - course.at))
        elif moves:
            course.do(drawn.choice(commands_for(*drawn.choice(moves))), drawn.choice([10, RECOVERY_MS]))
        course.give_seeds()
    except Refused:
        # A key that a host has named signs only after its time.
        course.at += 60_000


def pestered(seed: int) -> Pestered:
    """Return a match whose seats ask for whatever they like."""
    drawn = random.Random(seed)
    game = list(GAMES)[seed % len(GAMES)]
    least, most = GAMES[game].rules(convert({}, GAMES[game].options)).seats
    course = Pestered({}, max(least, min(3, most)), f"pestered {seed}", game, pause_ms=0)
    for number in range(course.match.settings.seats):
        pester(course, drawn)
        course.do(commands.Join(f"p{number + 1}", "server"))
        course.check_refused()
    for number in range(cases(10, 20)):
        pester(course, drawn)
        if course.match.ended:
            break
        go_on(course, drawn, number)
        course.check_refused()
    return ended(course)


def ended(course: Pestered) -> Pestered:
    """Let a host end a match: only then everybody knows its dice."""
    course.slow = set(course.hands)
    if not course.match.ended:
        course.do(commands.EndMatch())
    course.go_on()
    while not course.match.ended:
        course.let_time_pass()
    course.check_refused()
    return course


@pytest.fixture(scope="module")
def matches() -> list[Pestered]:
    return [pestered(seed) for seed in range(cases(14, 1_000))]


def test_what_is_refused_with_a_note_is_never_taken_and_both_auditors_find_it_lawful(matches: list[Pestered]) -> None:
    found: Counter[str] = Counter()
    asks = []
    for course in matches:
        record = course.bundle()
        asks.append(Ask(record, POLICY_TEXT, LAYERS, access_beside(record), tuple(course.notes)))
    for verdict in judged(asks):
        assert isinstance(verdict.refusals, RefusalComparison), verdict
        found.update(note.what for note in verdict.refusals.notes)
    assert set(found) <= {"answered", "lawful", "overtaken", "heard"}
    assert min(found["lawful"], found["overtaken"], found["heard"]) > 0
    codes = sum([course.codes for course in matches], Counter())
    # A key may be free a moment later, and who named a version that has passed may name another.
    for code in ("key_taken", "version_passed"):
        assert codes[code, False, True] > 0
        assert codes[code, True, True] == 0
    assert codes["bad_key", True, True] > 0
