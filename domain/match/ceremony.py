r"""The deal ceremony: how dice come to be that nobody chose (CUP/1 sections 4.1, 4.5 and 4.8).

The law of the file: the server fixes every die first, then every seat fixes a seed, then the log fixes both, and only
then do seeds open. Each step is an event; this file holds the state they fold to, and makes the events of those that
somebody asks for (`answer`), in matches, for lots and for boards alike. What follows of itself in a match is in
`domain.match.following`.

    committed -> sealed -> logged -> (fixed) -> ready -> closed
                      \------\-> voided -> closed

Where a deal waits for a public beacon (section 5.3), the log fixes the opened seeds as well, before the beacon's round
is due: then whoever could still throw the deal away cannot know what he would throw away. The house voids no deal that
is not sealed; an auditor lets others do so (`domain.fairness.dealing`), since nobody knows such dice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain import commands, events
from domain.errors import Refused
from domain.fairness.beacons import MARGIN_S, Chain, first_round_after, randomness, round_due_at
from domain.fairness.deal import BeaconAnswer, Cup, Policy, mix, seed_commitment
from domain.fairness.openings import DealSecrets, new_deal_secrets
from domain.ids import DealNumber, Milliseconds, Seat, UnixMs
from domain.match.settings import BeaconSettings

CeremonyStep = commands.CommitSeed | commands.LogDeal | commands.OpenSeed | commands.FixDeal | commands.HearBeacon
"""What somebody asks for: those who draw, the log, and the beacon."""
HASH_DIGITS = 64
Stage = Literal["committed", "sealed", "logged", "fixed", "ready", "voided", "closed"]
CEREMONY_MS = 30_000
"""How long a seat has for its opening (CUP/1 section 6 names 30 s), and for its commitment where no account of seed
time is kept (`domain.match.dues.seed_due_at`)."""
AHEAD_MS = 60_000
"""How far ahead the round is when a deal is sealed: time for the log, for every seat, for the log once more."""
OPENED_MS = 15_000
"""How long before that round is due the last seed has to be open, so that witnesses still see it in time."""


class Ceremony(Struct, frozen=True):
    """Where the current deal stands.

    Attributes:
        deal: Its number in the match, from 0.
        ctx: The context every hash of the deal is bound to.
        root: The root of the tree over all commitments to dice.
        seats: Those who have to give a seed, ascending.
        commits: What each seat has fixed, as hex.
        seeds: What each seat has opened, as hex.
        missing: The seats a voided deal names.
        beacon: The round of the beacon it waits for, if it does.
        since: When the present stage was reached, in Unix milliseconds.
    """

    deal: DealNumber
    ctx: bytes
    root: bytes
    cups: tuple[Cup, ...]
    seats: tuple[Seat, ...]
    since: int
    stage: Stage = "committed"
    commits: dict[Seat, str] = {}
    seeds: dict[Seat, str] = {}
    missing: tuple[Seat, ...] = ()
    beacon: events.BeaconRound | None = None
    mix: bytes | None = None

    @property
    def waiting_for(self) -> tuple[Seat, ...]:
        """The seats whose commitment or opening is awaited now, ascending."""
        given = {"committed": self.commits, "logged": self.seeds}.get(self.stage)
        return () if given is None else tuple(seat for seat in self.seats if seat not in given)


def deal_secrets_of(ceremony: Ceremony, secret: bytes, seeds: dict[Seat, bytes]) -> DealSecrets:
    """Return the keeper of a deal already committed, from its stored secrets.

    Cost: the whole tree, about 4 microseconds a die slot.
    """
    return new_deal_secrets(ceremony.deal, ceremony.ctx, ceremony.cups, secret, seeds)


def commit_deal(keeper: DealSecrets) -> events.DealCommitted:
    """Return the first event of a new deal. Cost: the whole tree, about 4 microseconds a die slot."""
    rows = tuple((cup.id, cup.owner, cup.rolls, cup.width) for cup in keeper.deal.cups)
    return events.DealCommitted(keeper.number, rows, keeper.deal.root.hex())


def close_deal(keeper: DealSecrets, policy: Policy) -> events.DealClosed:
    """Return the event that ends a deal which was played: its secret opens every die of it, shown or not.

    So does it open which dice were handled under a seal that was signed.

    Source: CUP/1 sections 4.14.3 and 5.4.
    """
    if policy != "all":
        return events.DealClosed(keeper.number, None)
    opened = tuple((seq, sealed.salt, sealed.positions) for seq, sealed in sorted(keeper.handled.items()))
    return events.DealClosed(keeper.number, keeper.secret.hex(), opened or UNSET)


def evolve(ceremony: Ceremony, event: events.CeremonyEvent, at: UnixMs) -> Ceremony:
    """Return the ceremony after an event of its deal."""
    match event:
        case events.SeedCommitted():
            return replace(ceremony, commits={**ceremony.commits, event.seat: event.commit})
        case events.DealSealed():
            return replace(ceremony, stage="sealed", seats=event.seats, beacon=event.beacon, since=at)
        case events.DealLogged():
            return replace(ceremony, stage="logged", since=at)
        case events.SeedOpened():
            return replace(ceremony, seeds={**ceremony.seeds, event.seat: event.seed})
        case events.DealFixed():
            return replace(ceremony, stage="fixed", since=at)
        case events.DealReady():
            return replace(ceremony, stage="ready", mix=bytes.fromhex(event.mix), since=at)
        case events.DealVoided():
            return replace(ceremony, stage="voided", missing=event.seats, since=at)
        case events.DealClosed():
            return replace(ceremony, stage="closed", since=at)
        case _:
            assert_never(event)


def round_ahead(chosen: BeaconSettings | None, at: UnixMs) -> events.BeaconRound | None:
    """Return the round of the beacon that a deal sealed at this time is to wait for, if it is to wait for one."""
    if chosen is None:
        return None
    # Seconds are rounded up, or up to one would be missing from the time for the log and the seats. The round follows
    # from the command's time alone, and a deal that waits for another one is a fault of the record.
    ahead = -(-(at + AHEAD_MS) // 1000)
    return events.BeaconRound(chosen.chain, first_round_after(Chain(chosen.genesis, chosen.period), ahead))


def round_spoken_at(chosen: BeaconSettings | None, ceremony: Ceremony | None) -> UnixMs | None:
    """Return when the beacon speaks that a deal waits for, in Unix milliseconds; None if it asks none."""
    if chosen is None or ceremony is None or ceremony.beacon is None:
        return None
    return 1000 * round_due_at(Chain(chosen.genesis, chosen.period), ceremony.beacon.round)


def answer(
    ceremony: Ceremony | None,
    command: CeremonyStep,
    at: UnixMs,
    due_at: UnixMs | None,
    custody: Mapping[Seat, bool],
) -> tuple[events.CeremonyEvent, ...] | None:
    """Return what a step leads to; None if the deal comes too late for its beacon, and so is void.

    Args:
        ceremony: The current deal, if there is one.
        command: The step.
        at: The time, in Unix milliseconds.
        due_at: When the beacon speaks (`round_spoken_at`).
        custody: Of everybody who draws, by seat, whether the server draws the seed.

    Raises:
        Refused: `not_dealing`, `wrong_deal`, `unknown_player`, `server_custody`, `seed_already_given`, `seed_mismatch`.
    """
    if ceremony is None:
        raise Refused("not_dealing")
    left = None if due_at is None else due_at - at
    match command:
        case commands.CommitSeed():
            _check_own(custody, command.seat)
            return (commit_seed(ceremony, command.seat, command.deal, command.commit),)
        case commands.LogDeal():
            return log_deal(ceremony, command, left)
        case commands.OpenSeed():
            _check_own(custody, command.seat)
            _check_witnessed(left)
            return (open_seed(ceremony, command.seat, command.deal, command.seed),)
        case commands.FixDeal():
            return fix_deal(ceremony, command, left)
        case commands.HearBeacon():
            _check_round(_check_waiting(ceremony, command.deal, "fixed"), command)
            return (ready_deal(ceremony, command.signature),)
        case _:
            assert_never(command)


def log_deal(
    ceremony: Ceremony, command: commands.LogDeal, left: Milliseconds | None
) -> tuple[events.DealLogged] | None:
    """Return the event of the log holding a deal; None so late before its beacon that not all could open their seeds.

    Raises:
        Refused: `not_dealing`.
    """
    if (ceremony.deal, ceremony.stage) != (command.deal, "sealed"):
        raise Refused("not_dealing")
    # Every seat is to have its full time to open, and witnesses theirs to see it. Voided here, before the log has it,
    # no seed has opened.
    logged = events.DealLogged(command.deal, command.index, command.path, command.checkpoint)
    return None if _is_near(left, CEREMONY_MS + OPENED_MS) else (logged,)


def fix_deal(
    ceremony: Ceremony, command: commands.FixDeal, left: Milliseconds | None
) -> tuple[events.DealFixed] | None:
    """Return the event of the log holding all seeds; None if it came too late for the beacon.

    The last opening has to be in a checkpoint witnessed at least 6 s before the round is due (CUP/1 section 4.5). Once
    missed, "the only way on is a void, and it audits as `E_ABORT`" (section 6).

    Raises:
        Refused: `not_dealing`.
    """
    _check_waiting(ceremony, command.deal, "logged")
    fixed = events.DealFixed(command.deal, command.index, command.path, command.checkpoint)
    return None if _is_near(left, 1000 * MARGIN_S) else (fixed,)


def _check_witnessed(left: Milliseconds | None) -> None:
    # A seed that opened now could not be witnessed before the beacon speaks, and whoever waited for that could choose
    # between this deal and a void one.
    if _is_near(left, OPENED_MS):
        raise Refused("not_dealing", why="the beacon speaks soon")


def _check_round(beacon: events.BeaconRound, command: commands.HearBeacon) -> None:
    if command.round != beacon.round:
        raise Refused("not_dealing", why="this is another round")


def _is_near(left: Milliseconds | None, ms: Milliseconds) -> bool:
    """Report whether the deal waits for a beacon that speaks before so much time has passed."""
    return left is not None and left < ms


def _check_own(custody: Mapping[Seat, bool], seat: Seat) -> None:
    if seat not in custody:
        raise Refused("unknown_player")
    if custody[seat]:
        raise Refused("server_custody")


def _check_waiting(ceremony: Ceremony, deal: DealNumber, stage: Stage) -> events.BeaconRound:
    """Check that this deal waits, with all seeds open, for the log or the beacon, and return the beacon's round."""
    if ceremony.beacon is None or ceremony.waiting_for or (ceremony.deal, ceremony.stage) != (deal, stage):
        raise Refused("not_dealing")
    return ceremony.beacon


def commit_seed(ceremony: Ceremony, seat: Seat, deal: DealNumber, commit: str) -> events.SeedCommitted:
    """Return the event of a seat fixing its seed.

    Raises:
        Refused: `not_dealing`, `wrong_deal`, `seed_already_given`, `seed_mismatch` for something that is no commitment.
    """
    _check_turn(ceremony, seat, deal, "committed")
    if seat in ceremony.commits:
        raise Refused("seed_already_given", deal=deal)
    if not _is_hash(commit):
        raise Refused("seed_mismatch", why="a commitment is 64 lower-case hex digits")
    return events.SeedCommitted(deal, seat, commit)


def open_seed(ceremony: Ceremony, seat: Seat, deal: DealNumber, seed: str) -> events.SeedOpened:
    """Return the event of a seat showing the seed it fixed.

    Raises:
        Refused: `not_dealing`, `wrong_deal`, `seed_already_given`, `seed_mismatch`.
    """
    _check_turn(ceremony, seat, deal, "logged")
    if seat in ceremony.seeds:
        raise Refused("seed_already_given", deal=deal)
    if not _is_hash(seed) or _commitment(ceremony, seat, seed) != ceremony.commits[seat]:
        raise Refused("seed_mismatch", deal=deal, commit=ceremony.commits[seat])
    return events.SeedOpened(deal, seat, seed)


def custody_commits(ceremony: Ceremony, keeper: DealSecrets) -> tuple[events.SeedCommitted, ...]:
    """Return the commitments of the seats whose seeds the server draws."""
    return tuple(
        events.SeedCommitted(ceremony.deal, seat, keeper.commitment(seat))
        for seat in ceremony.waiting_for
        if seat in keeper.seeds
    )


def custody_openings(ceremony: Ceremony, keeper: DealSecrets) -> tuple[events.SeedOpened, ...]:
    """Return the openings of the seats whose seeds the server draws."""
    return tuple(
        events.SeedOpened(ceremony.deal, seat, keeper.seeds[seat].hex())
        for seat in ceremony.waiting_for
        if seat in keeper.seeds
    )


def seal_deal(ceremony: Ceremony, beacon: events.BeaconRound | None) -> events.DealSealed:
    """Return the event that fixes who takes part: exactly those who committed (CUP/1 section 4.5)."""
    return events.DealSealed(ceremony.deal, tuple(sorted(ceremony.commits)), beacon)


def ready_deal(ceremony: Ceremony, signature: str | None = None) -> events.DealReady:
    """Return the event that determines every die: all seeds are open, and the beacon has answered, if it was asked.

    Args:
        ceremony: The deal.
        signature: The beacon's, as hex.
    """
    seeds = {seat: bytes.fromhex(seed) for seat, seed in ceremony.seeds.items()}
    if ceremony.beacon is None or signature is None:
        return events.DealReady(ceremony.deal, mix(ceremony.ctx, ceremony.root, seeds).hex(), None)
    chain, number = ceremony.beacon.chain, ceremony.beacon.round
    answer = events.BeaconValue(chain, randomness(bytes.fromhex(signature)), number, signature)
    heard = BeaconAnswer(bytes.fromhex(chain), number, bytes.fromhex(answer.randomness))
    return events.DealReady(ceremony.deal, mix(ceremony.ctx, ceremony.root, seeds, heard).hex(), answer)


def void_deal(
    ceremony: Ceremony, secret: bytes, reason: Literal["withheld", "late"]
) -> tuple[events.DealVoided | events.DealClosed | events.SeatLeft, ...]:
    """Return the events of a deal that comes to nothing: void it, publish its secret, bar who withheld a seed.

    Where it was only too late for the beacon, nobody is named: before the log has it that is fair, and later it is the
    house's fault, which an audit says (`E_ABORT`).

    Source: CUP/1 sections 4.8 and 6.
    """
    missing = ceremony.waiting_for if reason == "withheld" else ()
    return (
        events.DealVoided(ceremony.deal, reason, missing),
        events.DealClosed(ceremony.deal, secret.hex()),
        *(events.SeatLeft(seat, "withheld") for seat in missing),
    )


def _check_turn(ceremony: Ceremony, seat: Seat, deal: DealNumber, stage: Stage) -> None:
    if ceremony.stage != stage or seat not in ceremony.seats:
        raise Refused("not_dealing", stage=ceremony.stage)
    if deal != ceremony.deal:
        raise Refused("wrong_deal", deal=ceremony.deal)


def _commitment(ceremony: Ceremony, seat: Seat, seed: str) -> str:
    return seed_commitment(bytes.fromhex(seed), ceremony.ctx, ceremony.root, seat).hex()


def _is_hash(text: str) -> bool:
    return len(text) == HASH_DIGITS and all(digit in "0123456789abcdef" for digit in text)
