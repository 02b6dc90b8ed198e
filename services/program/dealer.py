"""The parts that only a dealer has, joined: what takes commands, and what keeps the log and the time."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from domain.log.receipts import sign_receipt
from domain.log.refusals import sign_refusal
from infra.config import Config
from infra.measures.slow import SlowCommands
from services.dealer.notary import Notary
from services.dealer.witness_client import Witnesses
from services.local.child import die_with_parent
from services.matches.attendance import BotBounds, BotTables, WaitingTables
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.reads.shared import SharedReads
from services.matches.reads.transparency import PublishedLog
from services.matches.secrets.keys import Keys, public_keys_of
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.matches.witnesses import policy_text
from services.program.grounds import Ground, beacon_named_by
from services.program.seasons import Beyond, beyond
from services.program.sets import Part
from services.tournaments.handler import TournamentHandler
from services.work.failures import Stuck
from services.work.worker import Worker


class DealerParts(Struct, frozen=True):
    """The handlers of commands, the writer of the log, the count of tables of bots, the time, tokens."""

    matches: CommandHandler
    tournaments: TournamentHandler
    beyond: Beyond
    notary: Notary
    tables: BotTables
    heart: Heart
    tokens: TokenIssuer
    worker: Worker


async def dealing_of(
    config: Config,
    keys: Keys,
    ground: Ground,
    vault: Vault,
    published: PublishedLog,
    shared: SharedReads,
    stuck: Stuck,
    part: Part,
) -> DealerParts:
    """Return what takes commands and what keeps the log; a keeper puts the policy in force, and begins the log."""
    store, witnesses = ground.store, ground.witnesses
    policy = policy_text(config.origin, public_keys_of(keys), [one.key for one in witnesses], config.quorum)
    beacon = None if config.beacon_url is None else beacon_named_by(config, policy)
    asked = Witnesses(witnesses, ground.post)
    notary = Notary(store, config.origin, keys.signers, policy, asked, shared.embargo)
    if part.keeps:
        await published.enforce(policy)
        await notary.work()  # a log has a checkpoint from the beginning, unless its witnesses are away
    signs = partial(sign_receipt, config.origin, signers=keys.signers)
    refuses = partial(sign_refusal, config.origin, signers=keys.signers)
    tables = BotTables(BotBounds.of(config.bot_tables, config.bot_tables_each))
    heart = Heart(store, keeps=part.keeps)
    waiting, worker = WaitingTables(config.tables_each), Worker(die_with_parent)
    slow = SlowCommands(config.slow_ms)
    matches = CommandHandler(
        *(store, vault, keys.tokens, signs, beacon, shared, stuck, tables, heart, waiting, refuses), slow
    )
    tournaments = TournamentHandler(store, vault, keys.tokens, signs, beacon, stuck, worker, slow)
    seasons = beyond(store, keys.tokens, signs, matches, tournaments, slow)
    return DealerParts(matches, tournaments, seasons, notary, tables, heart, keys.tokens, worker)
