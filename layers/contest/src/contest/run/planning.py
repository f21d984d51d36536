"""Planning of a run: its files are drawn and committed to before anybody sees one (platform §3; R 6.6, 7.5).

An item makes one file for each of its publications in a run (tracks-sessions T2). A run may continue another, so that
the results of both count together (tracks-sessions T9).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, field, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle import parameters
from contest.cycle.rules import notices as notice_rules
from contest.cycle.rules import sets as set_rules
from contest.cycle.rules.cycle import (
    ALL_LANGUAGES,
    LEAST_TECHNICAL,
    MAX_FILES,
    SETS_OF_RUNS,
    Cycle,
    EssaySet,
    Item,
    Mode,
    RunRules,
    SetKind,
)
from contest.cycle.rules.stages import StageName
from contest.errors import SetAnnulledError
from contest.people.rules import Change
from contest.platform import Platform, signed
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.results.rules.qualification import Claim, holds_of_set, is_qualified
from contest.run.rules import commitment
from contest.run.rules.run import Limits, Run, RunFile, SaidLimits
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.texts import tr
from contest.values import SECOND, Millis, canonical, from_iso, iso, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import JoinsRuns, steps_of
from tracks.protocol import Reason, Text, mode_named, publications
from tracks.rules import Occasion


# Clause: TS T2, TS D-0, TS D-2, D 8.9
def make_files(platform: Platform, cycle: Cycle, chosen: EssaySet, item: Item, content: Any) -> Iterator[RunFile]:
    """Make an item's files, one for each of its publications, all under one opaque name."""
    track, file_id = reading.track_of(platform, cycle), platform.randomness.file_id()
    rules = reading.parameters(platform, cycle.parameters_version)
    steps = publications(steps_of(track, content, rules.track))
    for step in steps:
        yield RunFile(
            file_id=file_id,
            item_id=item.item_id,
            language=item.language,
            group=item.group,
            content_sha256=sha256_hex(canonical(track.hand_out(content, file_id, step))),
            salt=platform.randomness.salt(),
            manifest=chosen.manifest,
            step=step if len(steps) > 1 else "",
        )


def in_a_row(files: Sequence[RunFile]) -> int:
    """Return how many files in a row are one item's; :class:`RefusedError` where items differ in it."""
    counts = set(Counter(file.file_id for file in files).values())
    if len(counts) > 1:
        raise mixed_items()
    return max(counts, default=1)


def mixed_items() -> RefusedError:
    """Return the refusal of items with different numbers of files; items of a run and those that replace them have
    equally many.
    """
    return RefusedError("mixed_set", tr("the items have different numbers of steps; a run takes one kind of them"))


# Clause: TS T9, TS D-11
def refuse_unless_continuable(platform: Platform, cycle: Cycle, mode: Mode, run_id: str) -> None:
    """Refuse to continue a run unless it is a final of the cycle whose results may count, in a contest that counts two
    together."""
    before = platform.runs.get(run_id)
    joins = isinstance(reading.track_of(platform, cycle), JoinsRuns) and mode is Mode.FINAL
    if not joins or before is None or before.cycle != cycle.name or before.mode is not Mode.FINAL:
        raise RefusedError(
            "nothing_to_continue",
            tr("there is no final {run_id} in this cycle whose results would count with this run's", run_id=run_id),
        )
    if before.trial or Schedule.of(before).stop is not None:
        raise RefusedError(
            "does_not_count",
            tr("the run {run_id} is a trial or was stopped: its results count nowhere", run_id=before.run_id),
        )


KNOWN_FINALS: Final = 100
"""Number of a cycle's latest finals that are searched for reserve files that somebody has seen."""


@dataclass(frozen=True, slots=True)
class RunOrder:
    """The order of a run, from an organizer or the calendar of technical runs.

    ``interval`` None, and unset limits: the cycle's. ``files`` None: all there are in the language.
    ``run_id`` None: a new name; a name derived from something makes planning the same thing twice plan it once.
    """

    mode: Mode
    set_name: str
    starts_at: Millis
    interval: Millis | None = None
    limits: SaidLimits = field(default_factory=SaidLimits)
    files: int | None = None
    language: str = ALL_LANGUAGES
    trial: bool = False
    admitted: tuple[str, ...] | None = None
    restarts: str | None = None
    run_id: str | None = None
    continues: str | None = None
    """The run whose results count with this one's."""


# Clause: platform §3 commitment, platform §7 runs, R 7.16.2, D 6.13.1
def plan_run(platform: Platform, who: str | None, order: RunOrder) -> Run:
    """Plan a run: draw and store its files, sign and publish the commitment, then write the run.

    Each step is written once and read back, so that a repetition under the same name, after a crash or beside
    another, ends with the same run. Its parameters are those in force at its start. ``who`` planned it is in the
    audit log; None: a timer, which is no person. :class:`RefusedError` where the rules do not allow it.
    """
    cycle = reading.cycle_now(platform).at(order.starts_at)
    now = platform.clock.now()
    chosen = _allowed(platform, cycle, order, now)
    run_id = order.run_id or platform.randomness.run_id()
    existing = platform.runs.get(run_id)
    if existing is not None:
        return existing
    drawn = draw(platform, cycle, chosen, order.language, order.files)
    platform.blobs.put_if_absent(stored_names.run_plan_name(run_id), canonical(reading.run_plan_json(drawn)))
    files = reading.run_files(platform, run_id)
    rules = _times(platform, cycle, chosen, order.mode)
    planned = replace(_run(run_id, cycle, chosen, order, rules, now), files=len(files), publications=in_a_row(files))
    run = _committed(platform, planned, files)
    change = None if who is None else Change(now, who, "run planned", run_id, None, describe_run(run))
    announced = None
    if run.mode is Mode.FINAL:
        announced = notice_rules.draft_of_run(run_id, run.starts_at, run.interval, run.files, trial=run.trial, now=now)
    with suppress(LostRaceError):  # another planned the same run; it has the same plan and commitment
        platform.runs.add(run, change, announced)
    return reading.run_now(platform, run_id)


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """The run that an order would make now, of ``available`` files that may be drawn; no file is drawn for it."""

    run: Run
    available: int
    notices: tuple[Reason, ...]


# Clause: platform §7 runs
def preview_plan(platform: Platform, order: RunOrder) -> PlanPreview:
    """Show the run that :func:`plan_run` would plan now; the same refusals, no write, no coming file told."""
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    chosen = _allowed(platform, cycle, order, now)
    count = count_available(platform, cycle, chosen.name, order.language)
    files = count if order.files is None else order.files
    _refuse_scarcity(platform, chosen, count, files)
    rules = _times(platform, cycle, chosen, order.mode)
    per_item = len(reading.files_of(platform, cycle, chosen).steps)
    planned = _run("", cycle, chosen, order, rules, now)
    planned = replace(planned, files=files * per_item, publications=per_item)
    return PlanPreview(planned, count, tuple(_notices(platform, planned, cycle, ())))


def refuse_unless_allowed(platform: Platform, order: RunOrder) -> None:
    """Raise what :func:`plan_run` would, and write nothing: for a decision of which planning is only a part."""
    cycle = reading.cycle_now(platform)
    chosen = _allowed(platform, cycle, order, platform.clock.now())
    count = count_available(platform, cycle, chosen.name, order.language)
    _refuse_scarcity(platform, chosen, count, count if order.files is None else order.files)


def refuse_scarcity(platform: Platform, chosen: EssaySet, language: str, count: int) -> None:
    """Raise what :func:`draw` would where there are not so many files to draw."""
    _refuse_scarcity(
        platform, chosen, count_available(platform, reading.cycle_now(platform), chosen.name, language), count
    )


def notices(platform: Platform, run: Run) -> tuple[Reason, ...]:
    """List warnings to an organizer before a run: short terms and few files warn and never refuse."""
    drawn = reading.run_files(platform, run.run_id)
    return tuple(_notices(platform, run, reading.cycle_now(platform), drawn))


def count_available(platform: Platform, cycle: Cycle, set_name: str, language: str = ALL_LANGUAGES) -> int:
    """Count the files that a run may draw; 0 for a set that is not there."""
    chosen = cycle.set_named(set_name)
    return len(_unused(platform, cycle, chosen, language)) if chosen else 0


def reserve_sets(platform: Platform) -> list[EssaySet]:
    """List the cycle's reserve sets, annulled ones too; refuse where there is none."""
    reserves = [essay_set for essay_set in reading.cycle_now(platform).sets if essay_set.kind is SetKind.RESERVE]
    if not reserves:
        raise RefusedError("no_reserve", tr("the cycle has no reserve set"))
    return reserves


# Clause: D 6.10, D 8.12
def reserve_set(platform: Platform) -> EssaySet:
    """Return the first reserve set of the cycle that is not annulled; :class:`SetAnnulledError` where all are."""
    reserves, cycle = reserve_sets(platform), reading.cycle_now(platform).name
    annulled = platform.annulments.all(cycle)
    standing = [essay_set for essay_set in reserves if not holds_of_set(annulled, essay_set.name)]
    if not standing:
        raise SetAnnulledError
    return standing[0]


def list_runs(platform: Platform, mode: Mode | None, limit: int) -> tuple[Run, ...]:
    """List runs, the latest start first."""
    modes = [mode] if mode else list(SETS_OF_RUNS)
    ids = [run_id for kind in modes for run_id in platform.runs.of_mode(kind, limit)]
    runs = [run for run_id in ids if (run := platform.runs.get(run_id)) is not None]
    return tuple(sorted(runs, key=lambda run: (run.starts_at, run.run_id), reverse=True)[:limit])


def describe_run(run: Run) -> dict[str, Any]:
    """Describe a run for the audit log: the decisions that people made about it."""
    return {
        "mode": run.mode.value,
        "set": run.set_name,
        "starts_at": iso(run.starts_at),
        "interval_ms": run.interval,
        "files": run.files,
        "limits": asdict(run.limits),
        "trial": run.trial,
        "admitted": list(run.admitted) if run.admitted is not None else None,
        "restarts": run.restarts,
    }


def commitment_name(run_id: str) -> str:
    """Return the name of the object with a run's signed commitment."""
    return f"{stored_names.RUNS}{run_id}/commitment.json"


def commitment_of(platform: Platform, run_id: str) -> dict[str, Any]:
    """Return a run's commitment, ``{"statement": …, "signature": …}``; it never changes."""
    signed_commitment: dict[str, Any] = platform.memory.keep(
        ("commitment", run_id), lambda: json.loads(platform.blobs.get(commitment_name(run_id)))
    )
    return signed_commitment


def public_amendments(run: Run) -> list[dict[str, Any]]:
    """Return the published parts of the run's amendments, ``{"amendment": …, "signature": …}``, in order."""
    return [json.loads(amendment.signed) for amendment in run.amendments if amendment.signed]


# Clause: R 6.6
def draw(platform: Platform, cycle: Cycle, chosen: EssaySet, language: str, count: int | None) -> tuple[RunFile, ...]:
    """Draw files of a set under new opaque names; None: all there are. Of the reserve set only files never drawn
    before.

    The draw depends on fresh randomness, not on the run's name alone: that is public before the run, and a team
    with the training set could tell from it which file comes next.
    """
    possible = _unused(platform, cycle, chosen, language)
    size = len(possible) if count is None else count
    _refuse_scarcity(platform, chosen, len(possible), size)
    picked = set_rules.choose_items(possible, platform.randomness.salt(), size)
    names = [stored_names.blob_names(cycle.name, "items", item.content) for item in picked]
    contents = platform.blobs.get_all(sorted(set(names)))
    return tuple(
        file
        for item, name in zip(picked, names, strict=True)
        for file in make_files(platform, cycle, chosen, item, json.loads(contents[name]))
    )


def _refuse_scarcity(platform: Platform, chosen: EssaySet, available: int, count: int) -> None:
    modes = reading.track_of(platform, reading.recent_cycle(platform)).modes()
    most = max((rules.most for rules in modes if not rules.draws_groups), default=MAX_FILES)
    if not 1 <= count <= min(available, most):
        raise RefusedError(
            "not_enough_files",
            tr(
                "the set {name} has {available} files to draw from; {count} were asked for",
                name=chosen.name,
                available=available,
                count=count,
            ),
            available=available,
            asked=count,
        )


# Clause: R 7.16.3, D 6.13.2
def _unused(platform: Platform, cycle: Cycle, chosen: EssaySet, language: str) -> tuple[Item, ...]:
    """List the items of a set in a language that may be drawn. Reserve files are new to all (R 7.16.3, D 8.12)."""
    items = set_rules.eligible_items(reading.manifest(platform, cycle.name, chosen.manifest).items, language)
    if chosen.kind is not SetKind.RESERVE:
        return items
    finals = list_runs(platform, Mode.FINAL, KNOWN_FINALS)
    drawn = {file.item_id for run in finals for file in reading.run_plan(platform, Schedule.of(run))}
    return tuple(item for item in items if item.item_id not in drawn)


# Clause: R 4.1, R 6.6, R 7.3, platform §3 trial
def _allowed(platform: Platform, cycle: Cycle, order: RunOrder, now: Millis) -> EssaySet:
    """Return the set of an order that the rules allow.

    A final lies in its stage; a restart is on the day that the organizers decide, whatever the stage (R 7.16.2).
    """
    chosen = cycle.set_named(order.set_name)
    if chosen is None:
        raise RefusedError("unknown_set", tr("the cycle has no set {set_name}", set_name=order.set_name))
    if order.mode not in SETS_OF_RUNS or (chosen.kind not in SETS_OF_RUNS[order.mode] and not order.trial):
        raise RefusedError(
            "wrong_set",
            tr(
                "a {value} run does not draw from a {value_2} set; a trial run may",
                value=order.mode.value,
                value_2=chosen.kind.value,
            ),
        )
    track = reading.track_of(platform, cycle)
    if mode_named(track, order.mode) is None:
        raise RefusedError(
            "unknown_mode",
            tr("the contest {name} has no runs of the mode {value}", name=track.name, value=order.mode.value),
        )
    following.refuse_annulled(platform, cycle.name, chosen.name)
    if order.mode is Mode.FINAL and not order.trial and order.restarts is None:
        following.refuse_outside_stage(cycle, StageName.FINAL, order.starts_at)
    if order.starts_at <= now:
        raise RefusedError("start_is_past", tr("the start must be in the future"))
    limits = order.limits
    above_zero = (order.interval, limits.request, limits.answer, limits.total)
    if any(limit is not None and limit <= 0 for limit in above_zero) or (limits.join is not None and limits.join < 0):
        raise RefusedError("not_positive", tr("interval and limits must be positive"))
    if order.continues is not None:
        refuse_unless_continuable(platform, cycle, order.mode, order.continues)
    team_ids = order.admitted or ()
    unknown = sorted(set(team_ids) - set(platform.people.teams(team_ids)))
    if unknown:
        names = ", ".join(unknown)
        raise RefusedError("unknown_team", tr("there are no teams {names}", names=names), teams=unknown)
    return chosen


def _times(platform: Platform, cycle: Cycle, chosen: EssaySet, mode: Mode) -> RunRules:
    rules = reading.parameters(platform, cycle.parameters_version).rules_of(mode)
    return reading.files_of(platform, cycle, chosen).timed(rules)


def _run(run_id: str, cycle: Cycle, chosen: EssaySet, order: RunOrder, rules: RunRules, now: Millis) -> Run:
    """Return the run of an order, its files still to be counted; unset times are the cycle's."""
    return Run(
        run_id=run_id,
        mode=order.mode,
        cycle=cycle.name,
        track=cycle.track,
        set_name=chosen.name,
        set_kind=chosen.kind,
        manifest=chosen.manifest,
        language=order.language,
        parameters_version=cycle.parameters_version,
        created_at=now,
        starts_at=order.starts_at,
        interval=rules.interval_s[0] * SECOND if order.interval is None else order.interval,
        files=0,
        limits=Limits.of(rules, order.limits),
        late_join=rules.late_join,
        most_replaced=rules.most_replaced,
        trial=order.trial,
        admitted=None if order.admitted is None else tuple(sorted(set(order.admitted))),
        restarts=order.restarts,
        continues=order.continues,
    )


# Clause: platform §3 commitment
def _committed(platform: Platform, run: Run, files: Sequence[RunFile]) -> Run:
    """Return the run as its published commitment describes it."""
    planned = Schedule.of(run).planned
    rows = [commitment.row(n, planned[n - 1], file) for n, file in enumerate(files, start=1)]
    statement = commitment.statement(run, commitment.root_of(rows), platform.signer.public_key.key_id)
    platform.blobs.put_if_absent(commitment_name(run.run_id), signed(platform, "statement", statement))
    committed = commitment_of(platform, run.run_id)["statement"]
    limits = Limits(*(committed["limits"][name] for name in ("request_ms", "answer_ms", "total_ms", "join_ms")))
    return replace(
        run,
        starts_at=from_iso(committed["starts_at"]),
        interval=committed["interval_ms"],
        limits=limits,
        trial=committed["trial"],
        restarts=committed["restarts"],
        created_at=from_iso(committed["made_at"]),
    )


# Clause: R 4.7, R 7.5, R 9.2, D 14.1, platform §2 notices
def _notices(platform: Platform, run: Run, cycle: Cycle, drawn: Sequence[RunFile]) -> Iterator[Reason]:
    if run.mode is Mode.TECHNICAL and run.files < LEAST_TECHNICAL:
        en = tr(
            "a technical run has at least {least_technical} files (R 6.6), this one {files}",
            least_technical=LEAST_TECHNICAL,
            files=run.files,
        )
        yield Reason("few_files", en, {"files": run.files})
    yield from terms_of(platform, run, cycle)
    if run.mode is not Mode.FINAL or run.trial:
        return
    yield _of_admission(platform, run)
    finals = (other for other in list_runs(platform, Mode.FINAL, KNOWN_FINALS) if other.run_id != run.run_id)
    others = [Schedule.of(final) for final in finals]
    ends_at = Schedule.of(run).ends_at
    drawn_before = {file.item_id for other in others for file in reading.run_plan(platform, other)}
    again = sum(file.item_id in drawn_before for file in drawn)
    if again:
        en = tr(
            "{again} files of this final were drawn by another run already; who took part in it may know them",
            again=again,
        )
        yield Reason("files_seen", en, {"files": again})
    for other in others:
        name = other.run.run_id
        if other.stop is None and other.run.starts_at <= ends_at and other.ends_at >= run.starts_at:
            yield Reason("overlap", tr("the run {name} takes place at the same time", name=name), {"run": name})


# Clause: R 7.2, R 8.2.3
def _of_admission(platform: Platform, run: Run) -> Reason:
    """Compare the teams that a final takes with the qualified ones; others are refused when they join."""
    admitted = set(reading.admitted(platform, run) or ())
    kinds, claims = reading.qualifications(platform), defaultdict[str, list[Claim]](list)
    for claim in platform.qualification.claims(run.cycle):
        claims[claim.team_id].append(claim)
    qualified = {team_id for team_id, own in claims.items() if is_qualified(own, kinds)}
    counts = {"admitted": len(admitted), "qualified": len(qualified), "both": len(admitted & qualified)}
    if run.takes_admitted:
        en = "teams admitted to finals so far: {admitted}, qualified: {qualified}, both: {both}; the run takes those"
        en += " that are admitted when they join (contest qualification admit)"
        ru = "допущено к финалу команд: {admitted}, прошли квалификацию: {qualified}, и то и другое: {both}; войти"
        ru += " могут допущенные к моменту входа (contest qualification admit)"
    else:
        en = "teams named for this run: {admitted}, qualified: {qualified}, both: {both}; no others can join"
        ru = "названо команд: {admitted}, прошли квалификацию: {qualified}, и то и другое: {both}; другие не войдут"
    return Reason("admission", Text(en.format(**counts), ru.format(**counts)), counts)


# Clause: R 4.7, R 7.5, R 9.2, D 6.9, D 6.13.1, D 6.13.2, D 8.8, D 14.1, platform §2 notices
def terms_of(platform: Platform, run: Run, cycle: Cycle) -> Iterator[Reason]:
    """Warn of the notice periods that a run does not keep."""
    terms = parameters.notice_terms(platform, cycle)
    kind = Occasion.TRIAL if run.trial else Occasion.RESTART if run.restarts else Occasion.SCHEDULE
    yield from notice_rules.of_run(terms, run.created_at, run.starts_at, run.mode.value, kind)
    if run.restarts:  # a run not stopped yet would be by planning this one
        stopped = Schedule.of(reading.run_now(platform, run.restarts)).stopped_at or run.created_at
        yield from notice_rules.of_term(terms, Occasion.NEW_DATE, stopped, run.starts_at, run.mode.value)
    if run.mode is Mode.FINAL and not run.trial:
        sets = cycle.loaded_at if cycle.sets_changed_at is None else cycle.sets_changed_at
        yield from notice_rules.of_change(terms, Occasion.SETS, sets, [run.starts_at])
        if cycle.modules_changed_at is not None:
            yield from notice_rules.of_change(terms, Occasion.MODULES, cycle.modules_changed_at, [run.starts_at])
