"""Webhooks of a schedule's tournament: a host who has addresses told of it, and what they were told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any, Final, cast
from uuid import UUID

import msgspec
from msgspec import Struct
from standardwebhooks import Webhook

from infra.abroad.pinned import PinnedPoster
from projections.tournaments.exports.hook_messages import TOLD
from services.program.app import HouseProgram
from services.webhooks.hooks import HookMade, HookOrder
from services.webhooks.teller import Teller
from tests.director.house import Nap
from tests.simulation.ears import Ear, EarPoster, Ears, Post
from tests.simulation.nodes import Node, house_keys
from tests.simulation.people import Crowd
from tests.simulation.secrecy import OF_DICE
from tests.simulation.store import SharedStore
from tests.simulation.world import Life, World

HOOKS: Final = (1, 2, 3)
"""How many addresses are told of a tournament."""
CHOSEN: Final[tuple[tuple[str, ...], ...]] = (
    (), (), (), ("round.paired", "result.recorded"), ("tournament.opened", "tournament.finished"),
)  # fmt: skip
"""Of what they are told: of all there is, or of some."""
SOON_S: Final = 12.0
"""How long it takes as a rule until what was not taken has come again."""
WITHIN_S: Final = 500.0
"""How long at most: five minutes behind the second failure and a part of that, and a minute until the lease of whoever
was killed is over."""
LEAPT_WITHIN_S: Final = 12_000.0
"""How long where clocks leap: the third and the fourth failure may come at once there, so two hours behind the fourth
and a part of that, and an hour by which a clock was ahead."""
LOOK_S: Final = 5.0
SKEW_S: Final = 1.0
SELF_OF: Final = ("tournament", "version")
"""Members of a message that are no members of its line."""


async def tell_the_rest(world: World, store: SharedStore, ears: Ears, nodes: Iterable[Node], within_s: float) -> None:
    """Wait until nobody is told anything more: soon as a rule; else with nobody but a teller left of the house.

    All that a house does in an hour in which nothing happens would cost a hundred times what is waited for.
    """
    began_s = world.loop.time()
    while store.hooks_on() and world.loop.time() < began_s + SOON_S:
        await asyncio.sleep(LOOK_S)
    if not store.hooks_on():
        return
    for node in nodes:
        node.kill()
    poster = cast(PinnedPoster, EarPoster(ears, Life("teller", world.clock)))
    teller = Teller(store, house_keys().tokens, poster, Nap())
    while store.hooks_on() and world.loop.time() < began_s + within_s:
        await teller.work()
        await asyncio.sleep(LOOK_S)


class HookPlan(Struct, frozen=True):
    """A hook that a host will make: of which messages, and whether before anybody may enter."""

    events: tuple[str, ...]
    early: bool


def plans_of(drawn: Random, count: int | None = None) -> list[HookPlan]:
    """Return the hooks of a tournament, as many as are drawn if nothing is said."""
    some = drawn.choice(HOOKS) if count is None else count
    return [HookPlan(drawn.choice(CHOSEN) if number else (), drawn.random() < 0.5) for number in range(some)]


class Hook:
    """A hook of a tournament, from its making to the last thing that it is told.

    Attributes:
        plan: What is made.
    """

    def __init__(self, crowd: Crowd, ears: Ears, event: UUID, plan: HookPlan) -> None:
        self.plan = plan
        self._crowd = crowd
        self._ear: Ear = ears.ear()
        self._event = event
        self._asked: list[int] = []
        self._since = 0
        self._made: HookMade | None = None

    async def make(self) -> None:
        """Have it made, and ask for it once more: it is the same one, with the same secret."""
        order, ask = HookOrder(self._ear.url, events=self.plan.events), self._crowd.event_ask(f"hook {self._ear.name}")

        async def asked(program: HouseProgram) -> tuple[int, HookMade]:
            assert program.dealing is not None, "a dealer was asked"
            assert program.webhooks is not None, "it has the keys"
            version = (await program.dealing.tournaments.load(self._event)).tournament.version
            self._asked.append(version)
            return version, await program.webhooks.make(self._event, order, ask, version)

        self._since, self._made = await self._crowd.ask_dealer(asked)
        self._crowd.world.tell(f"acknowledged hook {self._ear.name} from {self._since} on")
        _, again = await self._crowd.ask_dealer(asked)
        same = (again.made.hook, again.secret) == (self._made.made.hook, self._made.secret)
        self._crowd.world.hold(same, "a hook was made twice when it was asked for again")

    # ---- what it was told -----------------------------------------------------------------------

    def check(self, store: SharedStore, lines: Sequence[dict[str, Any]]) -> None:
        """Hold what its address was told against the lines of the tournament, once nothing more is due."""
        if self._made is None:
            return
        due = [place for place, line in enumerate(lines) if self._is_told(line)]
        self._check_missing(store, due)
        for post in self._ear.sent:
            self._check_post(post, lines, due)
        self._check_order()

    def _is_told(self, line: dict[str, Any]) -> bool:
        told = TOLD.get(line["type"])
        if told is None or (line["type"] == "stage.opened" and line["data"]["stage"] != 1):
            return False
        return not self.plan.events or told[0] in self.plan.events

    @property
    def _name(self) -> UUID:
        assert self._made is not None, "it was made"
        return UUID(self._made.made.hook)

    def _check_missing(self, store: SharedStore, due: list[int]) -> None:
        """Hold that all it is due was taken, and that it is over then."""
        hold, ear, kept = self._crowd.world.hold, self._ear, store.hook(self._name)
        if kept.state == "off":
            hold(ear.is_gone and kept.why == "gone", f"{ear.name} is told no more: {kept.why}")
            return
        waiting = store.retries_of(self._name)
        missing = {place for place in due if place >= self._since} - ear.taken
        lost = sorted(place for place in missing if place < kept.seq and place not in waiting)
        hold(not lost, f"{ear.name} was never told of lines {lost}")
        is_over = kept.state == "over" and not missing and not waiting
        hold(is_over, f"{ear.name} still waits to be told of lines {sorted(missing)}")

    def _check_post(self, post: Post, lines: Sequence[dict[str, Any]], due: list[int]) -> None:
        """Hold that a message is signed as its host expects, and tells of its line what everybody may read there."""
        world, said = self._crowd.world, f"{self._ear.name} was told of line {post.line}"
        assert self._made is not None, "it was made"
        sent_s = int(post.headers["webhook-timestamp"])
        signature = Webhook(self._made.secret or "").sign(
            post.name, datetime.fromtimestamp(sent_s, UTC), post.body.decode()
        )
        world.hold(signature == post.headers["webhook-signature"], f"{said} with another signature")
        on_time = abs(sent_s - world.unix_s(post.sent_s)) <= SKEW_S
        world.hold(on_time or self._crowd.leaps, f"{said} with another time")
        world.hold(post.name == f"{self._event}.{post.line}", f"{said} under another name")
        known = post.line in due and post.line >= min(self._asked)
        world.hold(known, f"{said}, which it is not to be told of")
        if post.line < len(lines):
            self._check_words(post, lines[post.line])

    def _check_words(self, post: Post, line: dict[str, Any]) -> None:
        """Hold that it says what its line says, and no more."""
        message, said = msgspec.json.decode(post.body), f"{self._ear.name} was told of line {post.line}"
        facts, told = message["data"], TOLD.get(line["type"], ("", ()))
        whose = (message["type"], facts.get("tournament"), facts.get("version"))
        due = {name: len(fact) if isinstance(fact := line["data"][name], list) else fact for name in told[1]}
        own = {name: fact for name, fact in facts.items() if name not in SELF_OF}
        as_due = own == due and whose == (told[0], str(self._event), post.line + 1)
        self._crowd.world.hold(as_due, f"{said} what the line does not say")
        found = OF_DICE.search(f"{post.body.decode()} {post.headers}")
        self._crowd.world.hold(found is None, f"{said} something of dice: {found and found[0]}")

    def _check_order(self) -> None:
        """Hold that no line was sent the first time before one that stands before it, and each in the same words."""
        first: dict[int, bytes] = {}
        for post in self._ear.sent:
            in_order = post.line in first or not first or post.line > max(first)
            self._crowd.world.hold(in_order, f"{self._ear.name} was told of line {post.line} behind a later one")
            same = first.setdefault(post.line, post.body) == post.body
            self._crowd.world.hold(same, f"{self._ear.name} was told of line {post.line} in other words than before")
