"""The key of a running house is changed while people play: the same dice, the same tokens, records that audit."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

import asyncpg
import pytest

from domain.log.notes import ED25519, Key
from domain.log.policies import Policy, policy_of
from infra.config import Config
from infra.store.rewrapping import rewrap
from services.matches.secrets.keys import Keys, keys_of
from tests.crash.conftest import Lasting
from tests.crash.house import LOOK_S, Service, Table
from tests.sizes import spread

OLD, NEW = "a1" * 32, "b2" * 32
RULES = {"options": {"dice_per_player": 1}}


def keys(*known: str) -> Keys:
    return keys_of(Config(key=known[0], key_before=",".join(known[1:]) or None), Path("no folder is needed"))


def believing(*known: str) -> Policy:
    """Return the policy that believes a log with these keys."""
    named = "".join(f"log {Key(Config().origin, ED25519, signer.public_key)}\n" for signer in keys(*known).signers)
    return policy_of(f"{named}quorum none\n")


def started(service: Service, *known: str) -> None:
    """Start the service with these keys, the newest first."""
    before = {"key_before": ",".join(known[1:])} if known[1:] else {}
    service.settings = {"key": known[0], **before}
    service.start()


def finished(table: Table) -> Table:
    """Play on to the end, and until the log vouches for it."""
    table.finish()
    assert table.audited().status == "OK"
    return table


def hands(service: Service, table: Table) -> list[Any]:
    """Return what each token's seat is shown of its own dice."""
    with service.client() as client:
        answers = [
            client.get(f"{table.path}/openings", headers={"Authorization": f"Bearer {token}"}) for token in table.tokens
        ]
    return [answer.raise_for_status().json() for answer in answers]


def dealt(service: Service, table: Table) -> list[Any]:
    """Return the hands of the first deal, once there are any."""
    with service.client() as client:
        while not table.view(client)["dice_in_play"]:
            sleep(LOOK_S)
    shown = hands(service, table)
    return shown if all(shown) else dealt(service, table)


def verdicts(service: Service, table: Table, *policies: Policy) -> list[str]:
    with service.client() as client:
        return [table.verdict(client, policy).status for policy in policies]


@pytest.mark.parametrize("killed", spread([True, False], 1))
async def test_a_key_is_changed_while_people_play(lasting: Lasting, tmp_path: Path, *, killed: bool) -> None:
    old, new, both = believing(OLD), believing(NEW), believing(NEW, OLD)
    service = Service(lasting.database_url, lasting.nats_url, tmp_path)
    started(service, OLD)
    before, through = finished(Table(service, RULES)), Table(service, RULES, seed=2)
    shown = dealt(service, through)
    service.kill() if killed else service.stop()

    started(service, NEW, OLD)
    assert hands(service, through) == shown
    finished(through)
    during = finished(Table(service, RULES, seed=3))
    assert (await rewrap(lasting.database_url, keys(NEW, OLD).sealing, lambda _seen, _of: None)).closed == 0
    service.stop()

    started(service, NEW)
    after = finished(Table(service, RULES, seed=4))
    assert verdicts(service, before, both, old, new) == ["OK", "OK", "FAULT"]
    assert verdicts(service, through, both, old) == ["OK", "OK"]
    assert verdicts(service, during, both, old, new) == ["OK", "OK", "OK"]
    assert verdicts(service, after, both, new, old) == ["OK", "OK", "FAULT"]
    service.stop()

    connection = await asyncpg.connect(lasting.database_url)
    found = {bytes(row["wrapped"][:4]) for row in await connection.fetch("select wrapped from vault.secret")}
    await connection.close()
    assert len(found) == 1
