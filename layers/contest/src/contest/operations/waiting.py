"""Count the work that waits at the desk, with the oldest of each kind and the next deadline (platform §8 organizers).

The cost is bounded, whatever the cycle holds: at most :data:`CALLS` reads of a table beside those of the experts'
projects, which a process makes once a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, cast

from contest import reading
from contest.cycle.rules.cycle import Cycle, Mode
from contest.experts import judged_essays, progress
from contest.experts.rules.progress import progress as progress_of
from contest.experts.rules.progress import ran_out
from contest.operations.doctor import TIMERS
from contest.operations.rules import Deadline, Event, Subject, Waiting, is_silent
from contest.people.rules import Identity, TeamStatus, may
from contest.platform import Platform
from contest.questions import asking
from contest.results.rules import qualification
from contest.results.rules.qualification import Claim, Standing
from contest.results.rules.reports import results_edition
from contest.routes import Right
from contest.run import recording
from contest.run.rules.run import Run, missing
from contest.values import HOUR, MINUTE, Millis
from markup_core.lazy import dataclass

RUNS_READ: Final = 12
"""Runs that one request reads: those whose record is still to be made first, then the latest finals."""
FINALS_READ: Final = 4
PROJECTS_READ: Final = 5
"""Annotation projects that are looked through for late experts, the latest ones."""
LETTERS_READ: Final = 100
"""Dead letters among which the oldest is looked for."""
CALLS: Final = 24
"""Reads of a table that one request makes at most, pages of a long list apart: cycle, claims, their sessions,
admissions, teams (2), active and final runs (2), the runs, letters (3), ticks, questions."""


@dataclass(frozen=True, slots=True)
class Desk:
    """All work that waits for a person with the caller's rights, of each kind that it may see; 0 where none waits."""

    waiting: tuple[Waiting, ...]
    deadline: Deadline | None


# Clause: R 2.18, platform §8 organizers
def waits(platform: Platform, identity: Identity) -> Desk:
    """Return the work that waits, of the kinds that the caller's rights open, and the next deadline."""
    cycle, now = reading.recent_cycle(platform), platform.clock.now()
    run_ids = dict.fromkeys([*platform.runs.active_ids(), *platform.runs.of_mode(Mode.FINAL, FINALS_READ)])
    stored_runs = (platform.runs.get(run_id) for run_id in list(run_ids)[:RUNS_READ])
    runs = tuple(run for run in stored_runs if run is not None)
    rows: list[Waiting] = []
    for right, look in _LOOKS.items():
        if may(identity, right):
            rows.extend(look(platform, cycle, runs, now))
    order = list(Subject)
    return Desk(
        tuple(sorted(rows, key=lambda waiting: order.index(waiting.subject))),
        min(
            (deadline for deadline in _deadlines(cycle, runs) if deadline.at > now),
            key=lambda deadline: deadline.at,
            default=None,
        ),
    )


def _of_results(platform: Platform, cycle: Cycle, runs: tuple[Run, ...], _: Millis) -> Iterator[Waiting]:
    """Yield what waits for judges, commission and organizers on the teams' way to the final."""
    claims = platform.qualification.claims(cycle.name)
    waiting = {
        subject: [claim for claim in claims if claim.standing is standing]
        for subject, standing in (
            (Subject.JUDGEMENTS, Standing.AWAITS_JUDGES),
            (Subject.VERIFICATIONS, Standing.AWAITS_COMMISSION),
        )
    }
    sessions = platform.session_reads.sessions([claim.session_id for group in waiting.values() for claim in group])
    for subject, group in waiting.items():
        closed = [sessions[claim.session_id].closed_at for claim in group if claim.session_id in sessions]
        yield Waiting(subject, len(group), _oldest(closed))
    yield Waiting(Subject.ADMISSIONS, _undecided(platform, cycle, claims), None)
    applied = [team for team in platform.people.all_teams() if team.status is TeamStatus.APPLIED]
    yield Waiting(Subject.APPLICATIONS, len(applied), _oldest(team.created_at for team in applied))
    unstated = [
        run
        for run in runs
        if run.closed_at is not None
        and run.published_at is None
        and not run.trial
        and missing(run.protocols, recording.demanded(platform, cycle, run), results_edition(run))
    ]
    yield Waiting(Subject.PROTOCOLS, len(unstated), _oldest(run.closed_at for run in unstated))


def _undecided(platform: Platform, cycle: Cycle, claims: Iterable[Claim]) -> int:
    """Count the teams that have qualified and are neither admitted to the final nor refused."""
    decided = {admission.team_id for admission in platform.qualification.admissions(cycle.name)}
    kinds = reading.qualifications(platform)
    by_team: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.team_id not in decided:
            by_team.setdefault(claim.team_id, []).append(claim)
    return sum(qualification.is_qualified(group, kinds) for group in by_team.values())


def _of_work(platform: Platform, _: Cycle, runs: tuple[Run, ...], now: Millis) -> Iterator[Waiting]:
    """Yield runs that go on or start within the hour, and work that is stuck."""
    starts = [run.starts_at for run in runs if run.closed_at is None and run.starts_at <= now + HOUR]
    yield Waiting(Subject.RUNS, len(starts), _oldest(starts))
    letters = platform.dead_letters.open(None, LETTERS_READ, None).items
    count = sum(platform.dead_letters.counts().values())
    yield Waiting(Subject.DEAD_LETTERS, count, _oldest(letter.first_at for letter in letters))
    ticks = platform.upkeep.ticks()
    silent = [ticks.get(timer) for timer in TIMERS if is_silent(ticks.get(timer), now)]
    yield Waiting(Subject.SILENT_TIMERS, len(silent), _oldest(silent))


def _of_experts(platform: Platform, _: Cycle, __: tuple[Run, ...], now: Millis) -> Iterator[Waiting]:
    """Yield the experts whose time for an essay ran out and whose place nobody has taken; read once a minute."""

    def read() -> Waiting:
        late: dict[str, Millis] = {}
        for marking in progress.markings(platform)[:PROJECTS_READ]:
            essays = platform.experts.essays(marking.marking_id)
            for essay in progress_of(essays, judged_essays.given_in(platform, essays, now)).essays:
                for assignment in essay.assignments if essay.is_late else ():
                    if ran_out(assignment):
                        ended_at = assignment.ended_at or assignment.closes_at or now
                        late[assignment.expert_id] = min(ended_at, late.get(assignment.expert_id, ended_at))
        return Waiting(Subject.LATE_EXPERTS, len(late), _oldest(late.values()))

    yield cast(Waiting, platform.memory.keep(("late experts", now // MINUTE), read))


def _of_questions(platform: Platform, _: Cycle, __: tuple[Run, ...], ___: Millis) -> Iterator[Waiting]:
    """Yield the teams' questions without an answer."""
    questions = asking.waiting(platform)
    yield Waiting(Subject.QUESTIONS, questions.count, questions.oldest_at)


def _oldest(moments: Iterable[Millis | None]) -> Millis | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _deadlines(cycle: Cycle, runs: Iterable[Run]) -> Iterator[Deadline]:
    """Yield the beginnings and ends of stages, and the starts of runs."""
    for stage in cycle.stages:
        yield Deadline(Event.STAGE_BEGINS, stage.name.value, stage.starts_at(cycle.calendar))
        yield Deadline(Event.STAGE_ENDS, stage.name.value, stage.ends_at(cycle.calendar))
    for run in runs:
        if run.closed_at is None:
            yield Deadline(Event.RUN_STARTS, run.run_id, run.starts_at)


_Look = Callable[[Platform, Cycle, tuple[Run, ...], Millis], Iterator[Waiting]]
_LOOKS: Final[Mapping[Right, _Look]] = MappingProxyType(
    {
        Right.READ_REPORTS: _of_results,
        Right.INSPECT_SUBMISSIONS: _of_work,
        Right.WATCH_ASSIGNMENTS: _of_experts,
        Right.ANSWER: _of_questions,
    }
)
