"""Walks along the links of `/openapi.json`: schemathesis goes on from tables, events and seasons that it has opened.

Each step is asked of a house that runs, as the document says, by whoever the answer before it was for; most are not to
be done then. What is refused, and what only looks, leaves nothing in the store.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.errors import FlakyStrategyDefinition
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.generation.stateful import APIStateMachine
from schemathesis.generation.stateful.state_machine import StepInput, StepOutput

from services.cli.operating.until_stopped import event_loop
from tests.api.conftest import bearer
from tests.api.described import STREAMS, is_sound, set_right
from tests.malformed.house import Heard, House, a_house

T = TypeVar("T")
CHECKS: Final = {"positive_data_acceptance": {"enabled": False}}
"""Whoever walks may be the wrong one to ask without a number; that what is right is taken, test_schema.py looks at."""
ASIDE: Final = ["make_webhook", "try_webhook", "list_matches", "renew_player_token"]
"""What has the house ask addresses, which here are made up; and what leads nowhere, where schemathesis begins often."""
OF_A_KIND: Final = 6
"""How often at most a walk goes on from answers of one operation to another."""
OF_HOUSE: Final = 20
"""How many walks one house bears: with more its bounds on open tables are all that is met."""
WALKS: Final = settings(
    stateful_step_count=30,
    phases=[Phase.generate],
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
PARTS: Final = {"tables": "^/api/v1/matches", "events": "^/api/v1/(tournaments|seasons|players)"}
"""Where walks begin and stay, as the addresses of operations have it."""
NAMES: Final = ("Ada", "Blaise", "Edsger", "Barbara", "Grace")


class Walked:
    """A house that answers in a thread of its own.

    Attributes:
        url: Where it does.
        answered: How often which operation was answered with which status.
        found: What was wrong.
        walks: How many were begun.
    """

    def __init__(self, house: House, loop: asyncio.AbstractEventLoop) -> None:
        self._house, self._loop = house, loop
        self.url = f"http://127.0.0.1:{house.port}"
        self.answered: Counter[tuple[str, int]] = Counter()
        self.found: list[str] = []
        self.walks = 0

    def run(self, asked: Coroutine[Any, Any, T]) -> T:
        """Do something where the house runs."""
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()

    def kept(self) -> str:
        """Return the hash of what is in the store, once nothing is written any more."""
        return self.run(self._kept())

    async def _kept(self) -> str:
        await self._house.settle()
        return self._house.store.digest()


@contextmanager
def walked_house(folder: Path) -> Iterator[Walked]:
    """Run a house, which has logged nothing at level error when it has gone down."""
    loop, heard = event_loop(), Heard()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    stack = AsyncExitStack()
    with heard.listening():
        try:
            entered = asyncio.run_coroutine_threadsafe(stack.enter_async_context(a_house(heard, folder)), loop)
            yield Walked(entered.result(), loop)
        finally:
            asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
    assert heard.errors == []


def earned_in(response: Response, case: Case[Any]) -> str:
    """Return the token that whoever has asked is known by from now on, if it was earned; an official's is another's."""
    if case.method != "POST" or response.status_code >= 400 or case.path.endswith("/officials"):
        return ""
    return response.json().get("token", "")


class Steps(APIStateMachine):
    """What is done at each step of a walk.

    Attributes:
        walked: The house.
        shown: The token that each step showed, or earned, by the id of its case.
        asked: How often which operation was asked for.
        asker: The token of whoever asks.
    """

    walked: ClassVar[Walked]
    control: Any

    def setup(self) -> None:
        """Begin a walk."""
        self.shown: dict[str, str] = {}
        self.asked: Counter[str] = Counter()
        self.asker = ""
        self.control.max_operations_per_source = OF_A_KIND
        self.walked.walks += 1

    def step(self, input: StepInput) -> StepOutput:  # noqa: A002 - as it is called there
        """Go on as whoever came to where the link begins."""
        self.asker = "" if input.transition is None else self.shown.get(input.transition.parent_id, "")
        before, found = self.walked.kept(), self.walked.found
        try:
            output: StepOutput = super().step(input)
        except FailureGroup as failures:
            found += [f"{input.case.as_curl_command()}: {failure}" for failure in failures.exceptions]
            raise
        changes = output.response.status_code < 400 and output.case.method != "GET"
        if not changes and self.walked.kept() != before:
            found.append(f"{output.case.as_curl_command()} has left something: {output.response.text}")
        return output

    def before_call(self, case: Case[Any]) -> None:
        """Send what was drawn, and every other time what the document has for an example."""
        set_right(case)
        told = case.operation.definition.raw
        turn = self.asked[told["operationId"]]
        self.asked[told["operationId"]] += 1
        if turn % 2 == 0 and is_sound(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            examples = [*told["requestBody"]["content"]["application/json"]["examples"].values()]
            case.body = dict(examples[turn // 2 % len(examples)]["value"])
            if "name" in case.body:
                case.body["name"] = NAMES[turn // 2 % len(NAMES)]

    def get_call_kwargs(self, case: Case[Any]) -> dict[str, Any]:
        """Show whose token it is."""
        shows = self.asker and is_sound(case, ParameterLocation.HEADER)
        return {"base_url": self.walked.url, "headers": bearer(self.asker) if shows else None}

    def after_call(self, response: Response, case: Case[Any]) -> None:
        """Remember what was answered, and whose it is."""
        super().after_call(response, case)
        self.walked.answered[case.operation.definition.raw["operationId"], response.status_code] += 1
        self.shown[case.id] = earned_in(response, case) or self.asker


def machine_of(walked: Walked, part: str) -> type[APIStateMachine]:
    """Return what walks there: a rule for each link, and one for each operation that needs none to begin with."""
    document = httpx.get(f"{walked.url}/openapi.json", timeout=60).json()
    described = schemathesis.openapi.from_dict(document, config=SchemathesisConfig.from_dict({"checks": CHECKS}))
    some = described.include(path_regex=PARTS[part]).exclude(operation_id=[*STREAMS, *ASIDE])
    return type("Walk", (Steps, some.as_state_machine()), {"walked": walked})


def walk(folder: Path, part: str, count: int) -> tuple[Counter[tuple[str, int]], list[str]]:
    """Walk at least so often, in houses of their own, and return what was answered and found."""
    done, numbers = 0, itertools.count()
    answered, found = Counter[tuple[str, int]](), list[str]()
    while done < count and not found:
        with walked_house(folder) as walked:
            machine = machine_of(walked, part)
            while walked.walks < min(OF_HOUSE, count - done) and not walked.found:
                left = settings(WALKS, max_examples=max(2, min(OF_HOUSE, count - done) - walked.walks))
                # Two walks that begin alike go on otherwise where dice fall otherwise, which hypothesis calls flaky.
                with suppress(FlakyStrategyDefinition, FailureGroup):
                    seed(next(numbers))(machine).run(settings=left)
        done += walked.walks
        answered, found = answered + walked.answered, found + walked.found
    return answered, found
