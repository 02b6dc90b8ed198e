"""Steps that are due: a pure function of the tournament, so that all directors find the same, whatever was killed."""

from __future__ import annotations

from domain.ids import UnixMs
from domain.match.ceremony import CEREMONY_MS
from domain.tournaments.deciding.drawing import is_drawing, needs_deal
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import STAGE_MIN, DueStep, NextStep, Step
from domain.tournaments.formats.table import format_of, has_lots_each_round
from domain.tournaments.tournament import HeldRound, PlayedStage, Tournament


def due(tournament: Tournament) -> DueStep | None:
    """Return what is due next; None while others are waited for: people, the log, matches."""
    match tournament.phase:
        case "check_in":
            return None if tournament.check_in_until is None else DueStep("draw", tournament.check_in_until)
        case "drawing":
            return _with_lots(tournament, DueStep("open_stage", tournament.at))
        case "running":
            return _running_due(tournament)
        case "finished":
            return _finishing_due(tournament)
        case "cancelled":
            # A deal that the log has is not thrown away: it is waited for, as if it were needed.
            logged = tournament.ceremony is not None and tournament.ceremony.stage in {"logged", "fixed"}
            return _ceremony_due(tournament) if logged else DueStep("close", tournament.at)
        case _:
            return None


def waits_since(tournament: Tournament, step: DueStep) -> UnixMs | None:
    """Return since when people are waited for whose time a step ends, in Unix milliseconds; None where nobody is.

    The answer to a challenge is not among these: until when it may come, its line says (`formats.ladders`).
    """
    if step.step == "draw":
        return step.at - tournament.rules.time.check_in_ms
    return step.at - CEREMONY_MS if step.step in {"seal", "void"} else None


def _running_due(tournament: Tournament) -> DueStep | None:
    stage = tournament.stage
    assert stage is not None, "it runs"
    next_step = format_of(tournament.stage_rules).next_step
    if next_step is not None and stage.closed is None:
        return _overlapping_due(tournament, stage, next_step)
    held = stage.played
    if held is not None and held.is_paired and held.closed_at is None:
        return _playing_due(tournament, held)
    if tournament.paused:
        return None
    return _with_lots(tournament, _next_due(tournament, stage))


def _playing_due(tournament: Tournament, held: HeldRound) -> DueStep | None:
    """Return what a round that is paired waits for; it closes with its last result, paused or not."""
    if not held.missing:
        return None if held.freed else DueStep("close_round", tournament.at)
    starts = any(not table.started and not table.is_over for table in held.tables.values())
    return DueStep("start", tournament.at) if starts and not tournament.paused else None


def _overlapping_due(tournament: Tournament, stage: PlayedStage, next_step: NextStep) -> DueStep | None:
    """Return what a stage waits for whose rounds do not wait for each other."""
    steps = [step for held in stage.open_rounds if (step := _playing_due(tournament, held)) is not None]
    if steps:
        return steps[0]
    if is_drawing(tournament):
        return _ceremony_due(tournament)
    step = None if tournament.paused else next_step(tournament, stage)
    over = step is not None and step.step == "close_stage"
    return None if over and stage.open_rounds else _with_lots(tournament, step)


def _next_due(tournament: Tournament, stage: PlayedStage) -> DueStep | None:
    """Return what comes between two rounds."""
    if stage.closed is not None:
        last = len(tournament.stages) == len(tournament.rules.stages)
        going_on = sum(tournament.entrants[number].plays for number in stage.advanced)
        return DueStep("finish" if last or going_on < STAGE_MIN else "open_stage", tournament.at)
    ends = DueStep("close_stage", tournament.at)
    if not is_pairing_next(tournament):
        return _lacking_due(tournament, stage) or ends
    step, rules = _pairing_due(tournament, stage), tournament.stage_rules
    until = format_of(rules).ends_at(stage, rules)
    if step is None or until is None or max(step.at, tournament.at) < until:
        return step
    return ends if tournament.at >= until else DueStep("close_stage", until)


def _lacking_due(tournament: Tournament, stage: PlayedStage) -> DueStep | None:
    """Return when a stage ends in which too few are left for the next round; None where no round would follow anyway.

    It is when that round would have been paired: until then whoever has left may come back.
    """
    planned, left = stage.rounds_planned, len(StageField(tournament, stage.number).left)
    if planned is None or stage.next_number > planned or left >= STAGE_MIN:
        return None
    step = _pairing_due(tournament, stage)
    return None if step is None else DueStep("close_stage", step.at)


def is_pairing_next(tournament: Tournament) -> bool:
    """Report whether another round of the stage is to be paired."""
    stage = tournament.stage
    if tournament.phase != "running" or stage is None or stage.closed is not None:
        return False
    field = StageField(tournament, stage.number)
    return not format_of(field.rules).is_over(field)


def _pairing_due(tournament: Tournament, stage: PlayedStage) -> DueStep | None:
    rounds, time = [held for each in tournament.stages for held in each.rounds.values()], tournament.rules.time
    since = max((held.closed_at for held in rounds if held.closed_at is not None), default=None)
    if time.start == "host":
        # Once he has had lots drawn for it, the rest follows.
        return DueStep("pair", tournament.at) if tournament.awaits_lot else None
    if time.start == "times":
        played = sum(len(each.rounds) for each in tournament.stages[:-1]) + stage.next_number
        after = tournament.changed_at if since is None else since
        if played <= len(time.times):
            return DueStep("pair", max(time.times[played - 1], after))
        if tournament.earlier:
            return DueStep("pair", after)
    # The first round follows the draw at once: everybody has just said that they are there.
    return DueStep("pair", tournament.changed_at if since is None else since + time.between_ms)


def _finishing_due(tournament: Tournament) -> DueStep | None:
    if tournament.outdated:
        return _with_lots(tournament, DueStep("finish", tournament.at))
    heard = all(each.outcome is not None for each in tournament.appeals.values())
    return DueStep("close", tournament.changed_at + tournament.rules.time.claims_ms) if heard else None


# ---- lots ------------------------------------------------------------------------------------------


def _with_lots(tournament: Tournament, step: DueStep | None) -> DueStep | None:
    """Return a step where a lot can be drawn for it or none is needed, or else what that waits for."""
    if is_drawing(tournament):
        return _ceremony_due(tournament)
    if step is None or not _takes_lot(tournament, step.step) or not needs_deal(tournament):
        return step
    return DueStep("lots", step.at)


def _takes_lot(tournament: Tournament, step: Step) -> bool:
    if step == "pair":
        return has_lots_each_round(tournament.stage_rules)
    return step == "open_stage" or (step == "finish" and tournament.rules.prizes is not None)


def _ceremony_due(tournament: Tournament) -> DueStep | None:
    """Return when a drawing of lots that is open goes on without who is missing; None while the log is waited for."""
    ceremony = tournament.ceremony
    assert ceremony is not None, "it is open"
    if ceremony.stage == "committed":
        return DueStep("seal", ceremony.since + CEREMONY_MS)
    if ceremony.stage == "logged" and ceremony.waiting_for:
        return DueStep("void", ceremony.since + CEREMONY_MS)
    return None
