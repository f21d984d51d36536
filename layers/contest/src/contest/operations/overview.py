"""Overview of a deployed cycle: costs, log of changes, checks before a final.

The cost of the cycle follows from its own figures: its finals, its days and a dated price list (platform §7). The log
of people's changes is read over days and by filters, in pages and as tables (platform §1). The checks before a final
(platform §7) find missing things while they can be mended.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from contest import reading
from contest.cycle import notice_periods
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, Mode, SetKind
from contest.cycle.rules.stages import Outside, StageName, outside_stage, rule_of_stage, stage_at
from contest.errors import InvalidRequestError, UnknownRunError
from contest.operations.errors import LogRangeError
from contest.operations.minute_timer import TIMER
from contest.operations.rules import (
    FINAL,
    Figure,
    Line,
    Period,
    Size,
    Source,
    bill,
    estimate_final,
    estimate_period,
    usual,
    with_the_rest,
)
from contest.people.rules import Change, TeamStatus
from contest.platform import Platform
from contest.results import reporting
from contest.results.rules import hidden_sets
from contest.results.rules.qualification import admitted_teams
from contest.run import planning
from contest.run.rules import checks
from contest.run.rules.checks import Check, CheckGrade
from contest.run.rules.run import Run
from contest.session.rules import limits
from contest.values import DAY, Millis, iso, utc_days
from tracks.capabilities import MarkedByExperts
from tracks.protocol import Text
from tracks.rules import Details

_DATA: Final = files("contest.operations") / "costs"
QUEUES: Final = 18
"""Queues with workers: eight of work, ten of dead letters."""
TIMER_CALLS: Final = 2 * 1440 + 6
"""A day: the two minute timers and the audit."""
TIMER_GB_S: Final = 0.2
"""Of a timer's call that finds nothing to do: a gigabyte for a fifth of a second."""
USUAL_DAYS: Final = 30
"""For a cycle that names no stages."""
FINALS: Final = 100
"""Finals that one estimate is about, the latest ones."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Figures that the caller sets in place of the cycle's own; None: the cycle's own."""

    teams: int | None = None
    files: int | None = None
    listening: int | None = None
    days: int | None = None


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
        """Return the term's part of the bill."""
        return sum(each.cost for each in self.lines)


@dataclass(frozen=True, slots=True)
class CycleCost:
    """The whole estimate, with its price list and the sizes of the played finals behind its counts."""

    finals: tuple[FinalCost, ...]
    days: Figure
    lines: tuple[Line, ...]
    """Of the days."""
    prices: Mapping[str, Any]
    played: tuple[tuple[int, int], ...]


def price_list() -> dict[str, Any]:
    """Return the list that comes with the platform: every price with its date and source."""
    found: dict[str, Any] = json.loads((_DATA / "prices.json").read_text("utf-8"))
    return found


def final_counts(size: Size) -> dict[str, float]:
    """Count everything billed of a final, by the coefficients that ``make metered`` has written."""
    return with_the_rest(estimate_final(_usage()[FINAL], size))


def days_counts(days: int) -> dict[str, float]:
    """Count everything billed of days without users."""
    return with_the_rest(estimate_period(Period(days, QUEUES, TIMER_CALLS, TIMER_GB_S)))


def of_cycle(platform: Platform, wish: Wish) -> CycleCost:
    """Estimate the costs of the deployed cycle's finals and days.

    An invalid request where more teams listen than take part.

    Clause: platform §7 cost
    """
    cycle, listed = reading.cycle_now(platform), price_list()
    days = _asked(wish.days) or _days(cycle)
    played = tuple((teams, count) for teams, count in _usage()["measured"]["sizes"])
    billed = bill(days_counts(days.value), listed["prices"])
    return CycleCost(_finals(platform, cycle, wish, listed["prices"]), days, billed, listed, played)


def _usage() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_DATA / "usage.json").read_text("utf-8"))
    return found


def _finals(platform: Platform, cycle: Cycle, wish: Wish, prices: Mapping[str, Any]) -> tuple[FinalCost, ...]:
    """List the finals: the runs; before there are any, every set for a final."""
    now = platform.clock.now()
    # Runs of all cycles are listed together.
    runs = [reading.schedule_now(platform, run_id) for run_id in platform.runs.of_mode(Mode.FINAL, FINALS)]
    own = [each for each in runs if each.run.cycle == cycle.name and not each.run.trial]
    found: list[tuple[str | None, str, Figure, Figure, Figure | None]] = []
    for schedule in own:
        run = schedule.run
        files_ = Figure(schedule.total_files, Source.PLANNED)
        admitted = reading.admitted(platform, run)
        teams, listening = _participation(platform, run.run_id, admitted, now > schedule.join_until)
        found.append((run.run_id, run.set_name, teams, files_, listening))
    if not own:
        admitted = admitted_teams(platform.qualification.admissions(cycle.name))
        teams = Figure(_count(platform, admitted), Source.PLANNED)
        sets = [each for each in cycle.sets if each.kind is SetKind.FINAL]
        found.extend((None, each.name, teams, Figure(each.size, Source.PLANNED), None) for each in sets)
    return tuple(_final(*each, wish, prices) for each in found)


def _participation(
    platform: Platform, run_id: str, admitted: tuple[str, ...] | None, is_joined: bool
) -> tuple[Figure, Figure | None]:
    """Return the teams of a final and those of them on the channel, once no more can join."""
    if not is_joined:
        return Figure(_count(platform, admitted), Source.PLANNED), None
    sessions = platform.runs.sessions_of(run_id)
    listening = [each for _, each in sessions if platform.connections.attachment(each) is not None]
    return Figure(len(sessions), Source.COUNTED), Figure(len(listening), Source.COUNTED)


def _count(platform: Platform, admitted: tuple[str, ...] | None) -> int:
    """Count the approved teams that are admitted; while none are admitted, the approved ones, of which they will be."""
    approved = {team.team_id for team in platform.people.all_teams() if team.status is TeamStatus.APPROVED}
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
    teams, count = _asked(wish.teams) or teams, _asked(wish.files) or count
    size = usual(teams.value, count.value)
    # Who came does not say how many of other numbers of teams would listen.
    known = None if wish.teams is not None else listening
    heard = _asked(wish.listening) or known or Figure(size.listening, Source.USUAL)
    if heard.value > teams.value:
        en = f"{heard.value} teams on the event channel, and {teams.value} that take part"
        ru = f"на канале событий команд: {heard.value}, а участвуют {teams.value}"
        raise InvalidRequestError([{"code": "more_listen", "message": en, "message_ru": ru, "field": "listening"}])
    # A final to which nobody comes asks for nothing.
    counts = final_counts(replace(size, listening=heard.value)) if teams.value else {}
    return FinalCost(run_id, set_name, teams, count, heard, bill(counts, prices))


def _asked(value: int | None) -> Figure | None:
    return None if value is None else Figure(value, Source.ASKED)


def _days(cycle: Cycle) -> Figure:
    """Return the days from the first stage's beginning to the last one's end."""
    if not cycle.stages:
        return Figure(USUAL_DAYS, Source.USUAL)
    begins: Millis = min(each.starts_at(cycle.calendar) for each in cycle.stages)
    ends: Millis = max(each.ends_at(cycle.calendar) for each in cycle.stages)
    return Figure(-(-(ends - begins) // DAY), Source.PLANNED)


LONGEST_DAYS: Final = 400
COLUMNS: Final = ("cursor", "at", "who", "what", "subject", "before", "after")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""With what a cell begins that a spreadsheet would compute."""


@dataclass(frozen=True, slots=True)
class LogOrder:
    """Filter of log entries: UTC days, both included; ``who`` and ``subject`` whole, ``what`` anywhere in the words."""

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


def entries(platform: Platform, order: LogOrder, limit: int, after: str | None) -> Sequence[tuple[str, Change]]:
    """List the next entries, each with its cursor for the following page.

    Fewer than ``limit``: no more follow.

    :class:`LogRangeError` for days in the wrong order, or too many. O(entries of the days up to the page's end).

    Clause: platform §1 audit
    """
    if order.last < order.first:
        raise LogRangeError.reversed_days(order.first, order.last)
    if _log_days(order) > LONGEST_DAYS:
        raise LogRangeError.longer_than(LONGEST_DAYS)
    found = platform.audit_log.between(order.first, order.last, after)
    return list(islice(((cursor, each) for cursor, each in found if order.takes(each)), limit))


def as_lines(found: Sequence[tuple[str, Change]]) -> str:
    """Write entries as JSON, one a line."""
    return "".join(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in _rows(found))


def as_csv(found: Sequence[tuple[str, Change]]) -> str:
    """Write entries as CSV with a first line of names.

    Old and new values are JSON. No cell is a formula.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    for row in _rows(found):
        cells = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for _, value in row]
        table.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return text.getvalue()


def _rows(found: Sequence[tuple[str, Change]]) -> Iterator[list[tuple[str, object]]]:
    for cursor, each in found:
        values = (cursor, iso(each.at), each.who, each.what, each.subject, each.before, each.after)
        yield list(zip(COLUMNS, values, strict=True))


def _log_days(order: LogOrder) -> int:
    return sum(1 for _ in islice(utc_days(order.first, order.last), LONGEST_DAYS + 1))


@dataclass(frozen=True, slots=True)
class Checked:
    """Results of all checks; ``run``: the final that they are about, if one is planned."""

    run: Run | None
    now: Millis
    found: tuple[Check, ...]


def check(platform: Platform, arrived_at: Millis, run_id: str | None) -> Checked:
    """Look a deployed cycle over for a final, by default the next one that counts; it changes nothing.

    :class:`contest.errors.UnknownRunError` for a run that there is not, :class:`contest.errors.NoCycleError`.

    Clause: platform §7 check
    """
    cycle, now = reading.cycle_now(platform), platform.clock.now()
    run = _final_checks(platform, run_id, now)
    found = [checks.timer(platform.upkeep.ticks().get(TIMER), now), checks.clock(arrived_at, now)]
    found += [*_of_stages(cycle, now), *_of_sets(platform, cycle)]
    found += [_of_scoring(platform, now), checks.letters(platform.dead_letters.counts())]
    found += _without_final() if run is None else _of_final(platform, cycle, run)
    return Checked(run, now, tuple(found))


def _final_checks(platform: Platform, run_id: str | None, now: Millis) -> Run | None:
    if run_id is not None:
        found = platform.runs.get(run_id)
        if found is None:
            raise UnknownRunError
        return found
    coming = [each for each in notice_periods.counting_runs(platform, Mode.FINAL) if each.ends_at > now]
    return min(coming, key=lambda each: each.run.starts_at).run if coming else None


def _of_sets(platform: Platform, cycle: Cycle) -> Iterator[Check]:
    """Check the sets' sizes and first steps, which a cycle names: the caller may not read items."""
    steps = {each.name: each.first_step for each in cycle.sets}
    track = platform.tracks(cycle.track)
    yield from checks.sets(cycle.sets, track.least_sets(), steps)
    rules = reading.parameters(platform, cycle.parameters_version)
    for kind in sorted({each.kind for each in cycle.sets} & OPEN_TO_ALL):
        sessions = limits.quota_of(Mode.ALGORITHMIC, kind, rules).most
        if track.details(kind.value) is Details.MEASURES:
            yield checks.hidden_files(kind.value, sessions)
        if hidden_sets.tells_totals(track, kind):
            yield checks.hidden_totals(kind.value, sessions, rules.submissions_per_day, rules.least_hidden_items)


def _of_stages(cycle: Cycle, now: Millis) -> Iterator[Check]:
    """Tell each stage's days and rule, and warn outside of them where things are taken all the same.

    Clause: R 6.3
    """
    for stage in cycle.stages:
        is_within = outside_stage(cycle.stages, stage.name, cycle.calendar, now) is None
        grade = CheckGrade.OK if is_within or stage.outside == Outside.REFUSE else CheckGrade.WARNING
        yield Check("stage", grade, rule_of_stage(stage), {"stage": stage.name.value, "outside": stage.outside})


def _of_scoring(platform: Platform, now: Millis) -> Check:
    found = list(reporting.waiting(platform))
    return checks.waiting(sum(each.answers for each in found), min((each.oldest for each in found), default=None), now)


def _without_final() -> Iterator[Check]:
    en, ru = "no final is planned: teams, experts and terms are not looked at", "финальные испытания не запланированы"
    yield Check("final", CheckGrade.WARNING, Text(en, ru))


def _of_final(platform: Platform, cycle: Cycle, run: Run) -> Iterator[Check]:
    yield _of_stage(cycle, run)
    taking_part = _teams(platform, run)
    yield checks.teams(taking_part)
    rules = reading.parameters(platform, run.parameters_version)
    yield from checks.capacity(platform.capacity, len(taking_part), rules.requests_per_second)
    if isinstance(platform.tracks(cycle.track), MarkedByExperts):
        items = reading.manifest(platform, cycle.name, run.manifest).items
        unmarked = [(each.language, each.group) for each in items if not each.references]
        if unmarked:
            yield from checks.experts(platform.experts.all(), unmarked)
    yield from checks.terms(planning.terms_of(platform, run, cycle))


def _of_stage(cycle: Cycle, run: Run) -> Check:
    """Check whether the final lies in its stage, where the cycle has one."""
    said = Text(
        f"the final {run.run_id} starts at {iso(run.starts_at)}", f"финал {run.run_id}: старт {iso(run.starts_at)}"
    )
    where = {"run": run.run_id, "starts_at": iso(run.starts_at)}
    stage = stage_at(cycle.stages, cycle.calendar, run.starts_at)
    if cycle.stages and (stage is None or stage.name is not StageName.FINAL):
        en, ru = f"{said.en}, outside the stage of finals", f"{said.ru}, вне этапа финальных испытаний"
        return Check("final", CheckGrade.WARNING, Text(en, ru), where)
    return Check("final", CheckGrade.OK, said, where)


def _teams(platform: Platform, run: Run) -> list[tuple[str, bool, bool]]:
    """Return teams that may take part: those that were admitted, or all that are approved."""
    now, known = platform.clock.now(), platform.people.all_teams()
    approved = {each.team_id for each in known if each.status is TeamStatus.APPROVED}
    admitted = reading.admitted(platform, run)
    wanted = sorted(approved) if admitted is None else admitted
    return [
        (each, each in approved, any(token.is_live(now) for token in platform.people.tokens_of(each)))
        for each in wanted
    ]
