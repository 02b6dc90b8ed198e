"""A webhook at the real service: made over HTTP, told by the program that follows the log, checked by the standard."""

from __future__ import annotations

import asyncio

import httpx
from standardwebhooks import Webhook

from tests.api.conftest import bearer
from tests.webhooks.listening import Ear, listening

PATIENCE_S = 60


async def test_an_address_is_told_what_happens_in_a_tournament(service_url: str) -> None:
    async with (
        httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=30) as client,
        listening(Ear(204)) as ear,
        asyncio.timeout(PATIENCE_S),
    ):
        told = (await client.post("/tournaments", json={"preset": "pods"})).json()
        path, host = f"/tournaments/{told['tournament']}", bearer(told["token"])
        made = (await client.post(f"{path}/webhooks", json={"url": ear.url}, headers=host)).json()
        tried = await client.post(f"{path}/webhooks/{made['made']['hook']}/test", headers=host)
        assert tried.json()["taken"]
        await client.post(f"{path}/commands", json={"type": "open_entry"}, headers=host)
        listed = "name\nAna\nBen\n"
        await client.post(f"{path}/entrants/bulk", content=listed, headers={**host, "Content-Type": "text/csv"})
        while len(ear.heard) < 4:
            await asyncio.sleep(0.02)
        (kept,) = (await client.get(f"{path}/webhooks", headers=host)).json()
    said = [Webhook(made["secret"]).verify(one.body, one.headers) for one in ear.heard]
    assert [one["type"] for one in said] == [
        *("webhook.test", "tournament.opened", "player.registered", "player.registered"),
    ]
    assert ear.ids[1:] == [f"{told['tournament']}.{seq}" for seq in (2, 3, 4)]
    assert (kept["state"], kept["waiting"]) == ("on", 0)
