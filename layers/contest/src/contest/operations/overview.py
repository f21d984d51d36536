"""Overview of a deployed cycle: costs (platform §7), log of changes (platform §1), checks before a final.

A deployment asks for open runs first, under which nothing may change.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from typing import Any, Final, cast

from contest import reading
from contest.cycle import parameters
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, Mode, SetKind
from contest.cycle.rules.stages import Outside, StageName, outside_stage, rule_of_stage, stage_at
from contest.errors import InvalidRequestError, UnknownRunError
from contest.operations.minute_timer import TIMER
from contest.operations.rules import (
    FILE_S,
    FINAL,
    HOUR_S,
    MONTH_H,
    MONTHS,
    Choice,
    Deployed,
    Figure,
    Line,
    LogRangeError,
    Size,
    Source,
    bill,
    estimate_final,
    estimate_period,
    usual_final,
    with_the_rest,
)
from contest.people.rules import Change
from contest.platform import Platform
from contest.results import reporting
from contest.results.rules import set_access
from contest.results.rules.qualification import admitted_teams
from contest.run import planning, under_way
from contest.run.rules import conducting
from contest.run.rules.run import Check, CheckGrade, Run
from contest.run.rules.schedule import RunState
from contest.session.rules import session as session_rules
from contest.texts import tr
from contest.values import DAY, HOUR, Millis, harmless, iso, utc_days
from markup_core.lazy import dataclass
from tracks.capabilities import MarkedByExperts
from tracks.rules import Details

_DATA: Final = files("contest.operations") / "costs"
TIMER_GB_S: Final = 0.2
"""Gigabyte-seconds of a timer's call that finds nothing to do: a gigabyte for a fifth of a second."""
USUAL_DAYS: Final = 30
"""Days of a cycle that names no stages."""
FINALS: Final = 100
"""Maximum finals of one estimate, the latest ones."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Figures that the caller sets in place of the cycle's own; None: the cycle's own."""

    teams: int | None = None
    files: int | None = None
    listening: int | None = None
    days: int | None = None
    choices: Collection[Choice] = ()
    """Paid options of the cycle's file that are on every day."""
    armed_hours: float = 0.0
    """Hours for which executions are kept running."""


def parse_choices(names: str | None) -> tuple[Choice, ...]:
    """Return the choices named in a comma-separated text; none without a text."""
    return tuple(Choice(name) for name in names.split(",")) if names else ()


@dataclass(frozen=True, slots=True)
class FinalCost:
    """Estimate of a final: of a run, or of a set's files as one run (``run_id`` None)."""

    run_id: str | None
    set_name: str
    teams: Figure
    files: Figure
    listening: Figure
    lines: tuple[Line, ...]

    @property
    def cost(self) -> float:
        """Return the final's part of the bill."""
        return sum(line.cost for line in self.lines)


@dataclass(frozen=True, slots=True)
class CycleCost:
    """The whole estimate, with its price list and the sizes of the played finals behind its counts."""

    finals: tuple[FinalCost, ...]
    days: Figure
    lines: tuple[Line, ...]
    """Cost lines of the days."""
    prices: Mapping[str, Any]
    played: tuple[tuple[int, int], ...]


def price_list() -> dict[str, Any]:
    """Return the shipped price list: every price with its date and source."""
    return _data("prices")


def _data(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((_DATA / f"{name}.json").read_text("utf-8")))


def final_counts(size: Size) -> dict[str, float]:
    """Count the billed units of a final, by the coefficients from ``make metered``.

    Its own figures are billed by the hours in which they are written: those of its files, and one for what comes after.
    """
    hours = size.files * FILE_S / HOUR_S + 1
    own = {f"own_metrics{MONTHS}": _data("deployed")["metrics_of_a_final"] * hours / MONTH_H}
    return with_the_rest(estimate_final(_data("usage")[FINAL], size)) | own


def days_counts(days: int, choices: Collection[Choice] = (), armed_hours: float = 0.0) -> dict[str, float]:
    """Count the billed units of days without users, with the deployment's optional parts."""
    return with_the_rest(estimate_period(fixed_costs(choices), days, TIMER_GB_S, armed_hours))


def fixed_costs(choices: Collection[Choice]) -> Deployed:
    """Return the fixed costs of a deployment with these choices, as counted from the template (``make template``)."""
    counted = _data("deployed")
    monthly = dict(counted["monthly"])
    for choice in choices:
        monthly |= counted["by_choice"].get(choice, {})
    return Deployed(
        monthly,
        counted["polled_queues"],
        counted["timer_calls_a_day"],
        counted["snapshot_gb"] if Choice.SNAPSHOTS in choices else 0.0,
        counted["kept_gb"],
    )


# Clause: platform §7 cost
def of_cycle(platform: Platform, wish: Wish) -> CycleCost:
    """Estimate the costs of the deployed cycle's finals and days; more listening teams than teams are invalid."""
    cycle, listed = reading.cycle_now(platform), price_list()
    days = _from_wish(wish.days) or _days(cycle)
    played = tuple((teams, count) for teams, count in _data("usage")["measured"]["sizes"])
    billed = bill(days_counts(days.value, wish.choices, wish.armed_hours), listed["prices"])
    return CycleCost(_finals(platform, cycle, wish, listed["prices"]), days, billed, listed, played)


def _finals(platform: Platform, cycle: Cycle, wish: Wish, prices: Mapping[str, Any]) -> tuple[FinalCost, ...]:
    """List the finals: the runs; before there are any, every set for a final."""
    now = platform.clock.now()
    # Runs of all cycles are listed together.
    runs = [reading.schedule_now(platform, run_id) for run_id in platform.runs.of_mode(Mode.FINAL, FINALS)]
    own = [schedule for schedule in runs if schedule.run.cycle == cycle.name and not schedule.run.trial]
    finals: list[tuple[str | None, str, Figure, Figure, Figure | None]] = []
    for schedule in own:
        run = schedule.run
        files_ = Figure(schedule.total_files, Source.PLANNED)
        admitted = reading.admitted(platform, run)
        teams, listening = _participation(platform, run.run_id, admitted, now > schedule.join_until)
        finals.append((run.run_id, run.set_name, teams, files_, listening))
    if not own:
        admitted = admitted_teams(platform.qualification.admissions(cycle.name))
        teams = Figure(_count(platform, admitted), Source.PLANNED)
        sets = [data_set for data_set in cycle.sets if data_set.kind is SetKind.FINAL]
        finals.extend((None, data_set.name, teams, Figure(data_set.size, Source.PLANNED), None) for data_set in sets)
    return tuple(_final(*final, wish, prices) for final in finals)


def _participation(
    platform: Platform, run_id: str, admitted: tuple[str, ...] | None, is_joined: bool
) -> tuple[Figure, Figure | None]:
    """Return the number of teams in a final, and of those on the event channel once joining has ended."""
    if not is_joined:
        return Figure(_count(platform, admitted), Source.PLANNED), None
    sessions = platform.runs.sessions_of(run_id)
    listening = [session_id for _, session_id in sessions if platform.connections.attachment(session_id) is not None]
    return Figure(len(sessions), Source.COUNTED), Figure(len(listening), Source.COUNTED)


def _count(platform: Platform, admitted: tuple[str, ...] | None) -> int:
    """Count the approved teams that are admitted; before any admission, all approved ones."""
    approved = {team.team_id for team in platform.people.all_teams() if reading.takes_part(platform, team)}
    return len(approved.intersection(admitted) if admitted else approved)


def _final(
    run_id: str | None,
    set_name: str,
    teams: Figure,
    count: Figure,
    listening: Figure | None,
    wish: Wish,
    prices: Mapping[str, Any],
) -> FinalCost:
    teams, count = _from_wish(wish.teams) or teams, _from_wish(wish.files) or count
    size = usual_final(teams.value, count.value)
    # The teams that came do not tell how many of another number would listen.
    counted = None if wish.teams is not None else listening
    heard = _from_wish(wish.listening) or counted or Figure(size.listening, Source.USUAL)
    if heard.value > teams.value:
        message = tr(
            "{heard} teams on the event channel, and {teams} that take part", heard=heard.value, teams=teams.value
        )
        raise InvalidRequestError.with_detail("more_listen", message, field="listening")
    # A final without teams makes no requests.
    counts = final_counts(replace(size, listening=heard.value)) if teams.value else {}
    return FinalCost(run_id, set_name, teams, count, heard, bill(counts, prices))


def _from_wish(value: int | None) -> Figure | None:
    return None if value is None else Figure(value, Source.ASKED)


def _days(cycle: Cycle) -> Figure:
    """Return the days from the first stage's beginning to the last one's end."""
    if not cycle.stages:
        return Figure(USUAL_DAYS, Source.USUAL)
    begins: Millis = min(stage.starts_at(cycle.calendar) for stage in cycle.stages)
    ends: Millis = max(stage.ends_at(cycle.calendar) for stage in cycle.stages)
    return Figure(-(-(ends - begins) // DAY), Source.PLANNED)


LONGEST_DAYS: Final = 400
COLUMNS: Final = ("cursor", "at", "who", "what", "subject", "before", "after")


@dataclass(frozen=True, slots=True)
class LogOrder:
    """Filter of log entries: UTC days, both included; exact ``who`` and ``subject``, ``what`` as part of the words."""

    first: str
    last: str
    who: str | None = None
    what: str | None = None
    subject: str | None = None

    def takes(self, change: Change) -> bool:
        """Return whether the filter accepts an entry."""
        return (
            self.who in {None, change.who}
            and self.subject in {None, change.subject}
            and (self.what is None or self.what.lower() in change.what.lower())
        )


# Clause: platform §1 audit
def log_entries(platform: Platform, order: LogOrder, limit: int, after: str | None) -> Sequence[tuple[str, Change]]:
    """List the next entries, each with its cursor for the following page.

    Fewer than ``limit``: no more follow.

    :class:`LogRangeError` for days in the wrong order, or too many. O(entries of the days up to the page's end).
    """
    if order.last < order.first:
        raise LogRangeError.reversed_days(order.first, order.last)
    if sum(1 for _ in islice(utc_days(order.first, order.last), LONGEST_DAYS + 1)) > LONGEST_DAYS:
        raise LogRangeError.longer_than(LONGEST_DAYS)
    changes = platform.audit_log.between(order.first, order.last, after)
    return list(islice(((cursor, change) for cursor, change in changes if order.takes(change)), limit))


def as_lines(changes: Sequence[tuple[str, Change]]) -> str:
    """Write entries as JSON, one a line."""
    return "".join(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in _rows(changes))


def as_csv(changes: Sequence[tuple[str, Change]]) -> str:
    """Write entries as CSV with a first line of names; old and new values are JSON, and no cell is a formula."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    for row in _rows(changes):
        cells = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for _, value in row]
        table.writerow(map(harmless, cells))
    return text.getvalue()


def _rows(changes: Sequence[tuple[str, Change]]) -> Iterator[list[tuple[str, object]]]:
    for cursor, change in changes:
        values = (cursor, iso(change.at), change.who, change.what, change.subject, change.before, change.after)
        yield list(zip(COLUMNS, values, strict=True))


@dataclass(frozen=True, slots=True)
class Checked:
    """Results of all checks; ``run``: the final that they are about, if one is planned."""

    run: Run | None
    now: Millis
    checks: tuple[Check, ...]

    @property
    def run_id(self) -> str | None:
        """Return the id of the planned final."""
        return self.run.run_id if self.run else None

    @property
    def failed(self) -> int:
        """Count the failed checks."""
        return sum(check.grade is CheckGrade.FAILED for check in self.checks)

    @property
    def warnings(self) -> int:
        """Count the checks with a warning."""
        return sum(check.grade is CheckGrade.WARNING for check in self.checks)


# Clause: R 6.3, platform §7 check
def check_deployment(platform: Platform, arrived_at: Millis, run_id: str | None) -> Checked:
    """Check a deployed cycle for a final, by default the next one that counts; change nothing.

    :class:`contest.errors.UnknownRunError` for a run that there is not, :class:`contest.errors.NoCycleError`.
    """
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    run = _final_checks(platform, run_id, now)
    results = [conducting.check_timer(platform.upkeep.ticks().get(TIMER), now), conducting.check_clock(arrived_at, now)]
    for stage in cycle.stages:  # outside of its days a warning, if submissions are still accepted
        is_within = outside_stage(cycle.stages, stage.name, cycle.calendar, now) is None
        grade = CheckGrade.OK if is_within or stage.outside == Outside.REFUSE else CheckGrade.WARNING
        where = {"stage": stage.name.value, "outside": stage.outside}
        results.append(Check("stage", grade, rule_of_stage(stage), where))
    results += _of_sets(platform, cycle)
    sessions = list(reporting.sessions_waiting(platform))
    results += [
        conducting.check_waiting(
            sum(session.answers for session in sessions),
            min((session.oldest for session in sessions), default=None),
            now,
        ),
        conducting.check_letters(platform.dead_letters.counts()),
    ]
    if run is None:
        sentence = tr("no final is planned: teams, experts and terms are not looked at")
        results.append(Check("final", CheckGrade.WARNING, sentence))
    else:
        results += _of_final(platform, cycle, run)
    return Checked(run, now, tuple(results))


def _final_checks(platform: Platform, run_id: str | None, now: Millis) -> Run | None:
    if run_id is not None:
        run = platform.runs.get(run_id)
        if run is None:
            raise UnknownRunError
        return run
    coming = [schedule for schedule in parameters.counting_runs(platform, Mode.FINAL) if schedule.ends_at > now]
    return min(coming, key=lambda schedule: schedule.run.starts_at).run if coming else None


def _of_sets(platform: Platform, cycle: Cycle) -> Iterator[Check]:
    """Check the sets' sizes and first steps as the cycle names them: the caller may not read items."""
    steps = {data_set.name: data_set.first_step for data_set in cycle.sets}
    track = reading.track_of(platform, cycle)
    yield from conducting.check_sets(cycle.sets, track.least_sets(), steps)
    rules = reading.parameters(platform, cycle.parameters_version)
    for kind in sorted({data_set.kind for data_set in cycle.sets} & OPEN_TO_ALL):
        sessions = session_rules.quota_of(Mode.ALGORITHMIC, kind, rules).most
        if track.details(kind.value) is Details.MEASURES:
            yield conducting.check_hidden_files(kind.value, sessions)
        if set_access.tells_totals(track, kind):
            yield conducting.check_hidden_totals(
                kind.value, sessions, rules.submissions_per_day, rules.least_hidden_items
            )


def _of_final(platform: Platform, cycle: Cycle, run: Run) -> Iterator[Check]:
    yield _of_stage(cycle, run)
    taking_part = _teams(platform, run)
    yield conducting.check_teams(taking_part)
    rules = reading.parameters(platform, run.parameters_version)
    yield from conducting.check_capacity(platform.capacity, len(taking_part), rules.requests_per_second)
    if platform.capacity is not None:
        asked_for = under_way.kept_executions(platform, run.starts_at)
        yield conducting.check_kept_executions(asked_for, run.starts_at, len(taking_part))
    if isinstance(reading.track_of(platform, cycle), MarkedByExperts):
        items = reading.manifest(platform, cycle.name, run.manifest).items
        unmarked = [(item.language, item.group) for item in items if not item.references]
        if unmarked:
            yield from conducting.check_experts(platform.experts.all(), unmarked)
    yield from conducting.check_terms(planning.terms_of(platform, run, cycle))


def _of_stage(cycle: Cycle, run: Run) -> Check:
    """Check whether the final lies in its stage, where the cycle has one."""
    message = tr("the final {run_id} starts at {starts_at}", run_id=run.run_id, starts_at=iso(run.starts_at))
    where = {"run": run.run_id, "starts_at": iso(run.starts_at)}
    stage = stage_at(cycle.stages, cycle.calendar, run.starts_at)
    if cycle.stages and (stage is None or stage.name is not StageName.FINAL):
        outside = tr("{message}, outside the stage of finals", message=message)
        return Check("final", CheckGrade.WARNING, outside, where)
    return Check("final", CheckGrade.OK, message, where)


def _teams(platform: Platform, run: Run) -> list[tuple[str, bool, bool]]:
    """Return teams that may take part: those that were admitted, or all that are approved."""
    now, teams = platform.clock.now(), platform.people.all_teams()
    approved = {team.team_id for team in teams if reading.takes_part(platform, team)}
    admitted = reading.admitted(platform, run)
    team_ids = sorted(approved) if admitted is None else admitted
    return [
        (team_id, team_id in approved, any(token.is_live(now) for token in platform.people.tokens_of(team_id)))
        for team_id in team_ids
    ]


AHEAD: Final[Millis] = HOUR
"""Milliseconds before its start from which a run counts as open: a deployment and a look at its result take time."""
DEED: Final = "deployed under a run"


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that a deployment would meet; a technical run of a slot to come has its name, but is not planned yet."""

    run_id: str
    mode: Mode
    state: RunState
    starts_at: Millis
    ends_at: Millis | None


# Clause: platform §2 deployment
def open_runs(platform: Platform) -> tuple[OpenRun, ...]:
    """List the runs that are open now or start within :data:`AHEAD`, the earliest first."""
    now = platform.clock.now()
    return tuple(sorted(_open(platform, now), key=lambda open_run: (open_run.starts_at, open_run.run_id)))


def _open(platform: Platform, now: Millis) -> Iterator[OpenRun]:
    for run_id in platform.runs.active_ids():
        schedule = reading.schedule_now(platform, run_id)
        state = schedule.state_at(now)
        soon = state is RunState.PLANNED and schedule.opens_at(1) - now <= AHEAD
        if soon or state in {RunState.RUNNING, RunState.PAUSED}:
            run, starts_at = schedule.run, schedule.opens_at(1)
            yield OpenRun(run_id, run.mode, schedule.state_at(now), starts_at, schedule.ends_at)
    coming = under_way.coming_technical(platform)
    if coming is not None and coming.starts_at - now <= AHEAD:
        yield OpenRun(coming.run_id, Mode.TECHNICAL, RunState.PLANNED, coming.starts_at, None)


# Clause: platform §1 audit, platform §2 deployment
def note_deployment(platform: Platform, who: str, reason: str, runs: Sequence[OpenRun]) -> None:
    """Write to the audit log that somebody deploys in spite of open runs, and why."""
    after = {"reason": reason, "runs": [open_run.run_id for open_run in runs]}
    platform.upkeep.note_mending(Change(platform.clock.now(), who, DEED, "platform", None, after))
