"""Reads of stored data: cycle, sets, plans, files of items, failed jobs.

Parameters, manifests, items, references and plans do not change; each is read once per process. A job that has failed
for good is recognised by its dead letter, and is reported at once to anybody who waits for it (platform §4). An item of
a set makes one file for each of its publications, each with its time (tracks-sessions T2, T8).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, replace
from functools import cache, partial
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from contest.cycle.rules.cycle import Cycle, EssaySet, Item, Manifest, Mode, Parameters, RunRules
from contest.errors import NoCycleError, UnknownFileError, UnknownRunError
from contest.platform import SMALL, Platform
from contest.ports import MissingBlobError
from contest.results.rules.qualification import Annulment, QualificationKind, admitted_teams
from contest.run.rules import schedule as schedule_rules
from contest.run.rules.run import BELIEVED, Run, RunFile
from contest.run.rules.schedule import RememberedSession, Schedule
from contest.session.rules.session import Plan, PlannedFile, Session
from contest.stored_names import (
    LetterQueue,
    answer_name,
    blob_names,
    measure_name,
    run_plan_name,
    run_ratings_name,
    session_ratings_name,
)
from contest.values import MINUTE, Millis
from markup_core.lazy import dataclass
from tracks import protocol
from tracks.capabilities import MarkedByExperts, MeasuredByProgram, StepsByItem, steps_of

if TYPE_CHECKING:
    from contest.people.rules import Team
    from tracks.protocol import Step, Track

_LATEST_RUN: Final = ("latest run",)
_ROW: Final = 500
"""Approximate bytes in memory of one line of a plan or a manifest."""


def cycle_now(platform: Platform) -> Cycle:
    """Return the cycle as last written, with the parameters in force: for decisions that depend on it."""
    return written_cycle(platform).at(platform.clock.now())


def written_cycle(platform: Platform) -> Cycle:
    """Return the cycle exactly as last written: for its changes."""
    cycle = platform.catalogue.cycle()
    if cycle is None:
        raise NoCycleError
    return cycle


# Clause: platform §2 effective time
def recent_cycle(platform: Platform, moment: Millis | None = None) -> Cycle:
    """Return the cycle as it was at most a minute before ``moment`` (now), with the parameters in force then."""
    moment = platform.clock.now() if moment is None else moment
    return recent_written_cycle(platform, moment).at(moment)


# Clause: R 6.2, R 7.2
def takes_part(platform: Platform, team: Team) -> bool:
    """Say whether a team takes part in the stages after the selection."""
    return team.takes_part(is_selected=recent_cycle(platform).selects)


def recent_written_cycle(platform: Platform, moment: Millis | None = None) -> Cycle:
    """Return the cycle exactly as it was written at most a minute ago, with its versions, whichever is in force."""
    moment = platform.clock.now() if moment is None else moment
    return cast(Cycle, platform.memory.keep(("cycle", moment // MINUTE), lambda: written_cycle(platform)))


def cycle_again(platform: Platform, now: Millis) -> Cycle | None:
    """Read the cycle as last written and cache it; None before it is loaded. A cycle that is unchanged since this or
    the previous minute is not built anew."""
    minute = now // MINUTE
    remembered = platform.memory.known_all(("cycle", minute), ("cycle", minute - 1))
    cycle = platform.catalogue.cycle(remembered[0] or remembered[1])
    if cycle is not None:
        remember_cycle(platform, cycle, now)
    return cycle


def remember_cycle(platform: Platform, cycle: Cycle, moment: Millis) -> None:
    """Cache a cycle that was read after a moment."""
    platform.memory.put(("cycle", moment // MINUTE), cycle)


def parameters(platform: Platform, version: int) -> Parameters:
    """Return the parameters of a version."""
    return cast(
        Parameters, platform.memory.keep(("parameters", version), lambda: platform.catalogue.parameters(version))
    )


def annulments(platform: Platform, cycle: str, moment: Millis | None = None) -> Sequence[Annulment]:
    """Return all annulments as they were at most two seconds before ``moment`` (now)."""
    moment = platform.clock.now() if moment is None else moment
    key = ("annulments", cycle, moment // BELIEVED)
    return cast(Sequence[Annulment], platform.memory.keep(key, lambda: platform.annulments.all(cycle)))


def manifest(platform: Platform, cycle: str, content_sha256: str) -> Manifest:
    """Return a set's manifest by its hash."""

    def read() -> Manifest:
        raw = json.loads(platform.blobs.get(blob_names(cycle, "manifests", content_sha256)))
        # A row ends with the experts' numbers where they are not the usual ones.
        return Manifest(
            tuple(
                Item(
                    item_id,
                    language,
                    group,
                    content,
                    tuple(references),
                    *(tuple(expert_numbers) for expert_numbers in experts),
                )
                for item_id, language, group, content, references, *experts in raw["items"]
            )
        )

    return cast(
        Manifest,
        platform.memory.keep(("manifest", content_sha256), read, lambda read_manifest: _ROW * len(read_manifest.items)),
    )


def manifest_json(stored: Manifest) -> dict[str, Any]:
    """Return a manifest as it is stored; :func:`manifest` reads it back."""
    rows: list[list[Any]] = [
        [item.item_id, item.language, item.group, item.content, list(item.references)]
        + ([list(item.experts)] if item.experts else [])
        for item in stored.items
    ]
    return {"format": 1, "items": rows}


def admitted(platform: Platform, run: Run) -> tuple[str, ...] | None:
    """Return the teams that a run takes, as decided by now; None: every approved team.

    They are the teams of its plan; for a final without any, the teams admitted by the organizers (R 7.2, 8.2.3).
    """
    if not run.takes_admitted:
        return run.admitted
    return admitted_teams(platform.qualification.admissions(run.cycle))


def qualifications(platform: Platform) -> tuple[QualificationKind, ...]:
    """Return the qualifications among the contest's kinds of sessions."""
    modes = {mode.name for mode in track_of(platform, recent_cycle(platform)).modes()}
    return tuple(kind for kind in QualificationKind if kind.value in modes)


def session(platform: Platform, session_id: str) -> Session | None:
    """Return a session as last written; an open one of a run has all files the run has by now."""
    stored = platform.sessions.get(session_id)
    return None if stored is None else _with_all_files(stored, partial(schedule, platform))


def sessions(
    platform: Platform,
    session_ids: Iterable[str],
    just_read: Mapping[str, Session] = MappingProxyType({}),
    moment: Millis | None = None,
) -> dict[str, Session]:
    """Return the sessions of these that exist, each as :func:`session` does, by id in their order.

    ``just_read``: those that the caller has. ``moment``: now.
    """
    names, schedule_of = list(session_ids), cache(partial(schedule, platform, moment=moment))
    unread = [name for name in names if name not in just_read]
    stored = {**just_read, **(platform.session_reads.sessions(unread) if unread else {})}
    return {name: _with_all_files(stored[name], schedule_of) for name in names if name in stored}


def _with_all_files(stored: Session, schedule_of: Callable[[str], Schedule]) -> Session:
    if stored.run_id is None or stored.closed_at is not None:
        return stored
    files = schedule_of(stored.run_id).total_files
    return stored if stored.files == files else replace(stored, files=files)


def open_sessions(platform: Platform, team_id: str, track: str) -> list[Session]:
    """Return a team's open sessions: of a final first, of a technical run second, then as the track lists its modes.

    The track is an argument, since not every caller may read the cycle.
    """
    modes = [mode.name for mode in platform.tracks(track).modes()]
    order = dict.fromkeys([Mode.FINAL.value, Mode.TECHNICAL.value, *modes])
    names = (platform.sessions.open_of(team_id, mode) for mode in order)
    sessions = (session(platform, session_id) for session_id in names if session_id)
    return [open_session for open_session in sessions if open_session is not None and open_session.is_open]


def session_again(platform: Platform, before: Session) -> Session:
    """Return a session that was there before, as last written."""
    return session(platform, before.session_id) or before


def plan(platform: Platform, session: Session, of_run: Schedule | None = None) -> Plan:
    """Return a session's files: its own, or its run's (``of_run`` where the caller has read that). O(files)."""
    return _whole_plan(platform, session, of_run)[: session.files]


def planned_file(platform: Platform, session: Session, number: int, of_run: Schedule | None = None) -> PlannedFile:
    """Return file ``number`` of a session; :class:`UnknownFileError` outside 1 … files. O(1) once the plan is read.

    ``of_run``: the schedule of the session's run where the caller has read that.
    """
    if not 1 <= number <= session.files:
        raise UnknownFileError.numbered(number, session.files)
    return _whole_plan(platform, session, of_run)[number - 1]


def _whole_plan(platform: Platform, session: Session, of_run: Schedule | None) -> Plan:
    """Return a session's plan, or its run's, which may have more files; each is made once per process."""
    if session.run_id is None:
        key: tuple[object, ...] = ("plan", session.session_id)
        return cast(Plan, platform.memory.keep(key, lambda: platform.sessions.plan(session.session_id), _plan_size))
    run_schedule = of_run or schedule(platform, session.run_id)
    # A run's plan changes with its replacements and with the experts' markups, and with nothing else.
    key = (
        "plan of a run",
        session.run_id,
        tuple(replacement.number for replacement, _ in run_schedule.replacements),
        run_schedule.run.markups,
    )

    def made() -> Plan:
        marked = dict(run_schedule.run.markups)
        return tuple(
            PlannedFile(
                file.file_id,
                file.item_id,
                file.language,
                file.group,
                marked.get(file.manifest, file.manifest),
                file.step,
            )
            for file in run_plan(platform, run_schedule)
        )

    return cast(Plan, platform.memory.keep(key, made, _plan_size))


def _plan_size(files: Plan) -> int:
    return _ROW * len(files)


def content_with_size(platform: Platform, session: Session, planned: PlannedFile) -> tuple[Any, int]:
    """Read the content of a file's item, with the bytes that it takes in memory; only the caller caches it."""
    return _json_with_size(platform, item_name(session.cycle, item_of(platform, session, planned).content))


def item_of(platform: Platform, session: Session, planned: PlannedFile) -> Item:
    """Return the manifest's line about a file of a session."""
    digest = planned.manifest or session.manifest
    items = platform.memory.keep(
        ("items", digest),
        lambda: manifest(platform, session.cycle, digest).by_id(),
        lambda read_manifest: _ROW * len(read_manifest),
    )
    return cast(Mapping[str, Item], items)[planned.item_id]


def content(platform: Platform, session: Session, item: Item) -> Any:
    """Return an item's content; not to be changed."""
    return item_content(platform, session.cycle, item.content)


def item_content(platform: Platform, cycle: str, content_sha256: str) -> Any:
    """Return the content of an item of a cycle's sets by its hash; not to be changed."""
    return _kept_json(platform, item_name(cycle, content_sha256))


def item_name(cycle: str, content_sha256: str) -> str:
    """Return the blob's name of an item of a cycle's sets."""
    return blob_names(cycle, "items", content_sha256)


def answer(platform: Platform, session_id: str, number: int, content_sha256: str) -> Any:
    """Return a stored answer's JSON value; not to be changed."""
    return _kept_json(platform, answer_name(session_id, number, content_sha256))


def references(platform: Platform, session: Session, item: Item) -> list[Any]:
    """Return an item's references, in their order; not to be changed."""
    return [reference_content(platform, session.cycle, digest) for digest in item.references]


def reference_content(platform: Platform, cycle: str, content_sha256: str) -> Any:
    """Return a reference of a cycle's sets by its hash; not to be changed."""
    return _kept_json(platform, blob_names(cycle, "references", content_sha256))


def ratings(platform: Platform, session: Session, number: int, content_sha256: str) -> Any:
    """Return experts' ratings of the explanations of an answer, as far as they were stored; None without any.

    A final's session has the ratings of its run, any other session its own, if explanations weigh.
    """
    if session.order.mode != Mode.FINAL:
        return _of_session(platform, session).get(rated_name(session.session_id, number, content_sha256))
    taken_in = schedule(platform, session.run_id).run.ratings if session.run_id is not None else ""
    if not taken_in:
        return None
    run_ratings = _kept_json(platform, run_ratings_name(session.run_id or "", taken_in))["ratings"]
    return run_ratings.get(rated_name(session.session_id, number, content_sha256))


def _of_session(platform: Platform, session: Session) -> Mapping[str, Any]:
    """Return a session's own ratings, which never change once they are there."""
    if not weighs_ratings(platform, session):
        return {}
    try:
        return cast(Mapping[str, Any], _kept_json(platform, session_ratings_name(session.session_id))["ratings"])
    except MissingBlobError:
        return {}


def weighs_ratings(platform: Platform, session: Session) -> bool:
    """Say whether explanations weigh by the session's parameters, so that its answers wait for ratings of them."""
    track = track_of(platform, session)
    return isinstance(track, MarkedByExperts) and track.weighs_ratings(
        parameters(platform, session.parameters_version).track
    )


def rated_name(session_id: str, number: int, content_sha256: str) -> str:
    """Return the name of the ratings of an answer."""
    return f"{session_id}/{number}/{content_sha256}"


def stored_object(platform: Platform, name: str) -> bytes | None:
    """Return a stored object; None if there is none of this name."""
    try:
        return platform.blobs.get(name)
    except MissingBlobError:
        return None


def stored_json(platform: Platform, name: str) -> Any:
    """Return the value of a stored JSON object; None if there is none of this name."""
    raw = stored_object(platform, name)
    return None if raw is None else json.loads(raw)


def _kept_json(platform: Platform, name: str) -> Any:
    """Return a stored JSON value."""
    return platform.memory.keep(name, lambda: _json_with_size(platform, name), itemgetter(1))[0]


def _json_with_size(platform: Platform, name: str) -> tuple[Any, int]:
    """Read a stored JSON value; in memory it takes about the bytes of its text, for most of it is text."""
    raw = platform.blobs.get(name)
    return json.loads(raw), 2 * len(raw) + SMALL


class Ruled(Protocol):
    """A cycle, run, session, submission or annotation project: all that has a contest's rules."""

    @property
    def track(self) -> str:
        """Name of the contest."""

    @property
    def parameters_version(self) -> int:
        """Version of its parameters."""


def track_of(platform: Platform, ruled: Ruled) -> Track:
    """Return the contest that a cycle, run, session, submission or project is of, under its own parameters."""
    track = platform.tracks(ruled.track)
    if not isinstance(track, MeasuredByProgram):
        return track
    cycle = ruled.name if isinstance(ruled, Cycle) else cast(Session, ruled).cycle

    def under() -> Track:
        rules = parameters(platform, ruled.parameters_version).track
        return track.under(rules, lambda sha256: platform.blobs.get(measure_name(cycle, sha256)))

    return cast("Track", platform.memory.keep(("contest", ruled.parameters_version), under))


def run_now(platform: Platform, run_id: str, known: Schedule | None = None) -> Run:
    """Return a run as last written: for its changes. ``known``: as this process has read it before."""
    run = platform.runs.get(run_id, known.run if known else None)
    if run is None:
        raise UnknownRunError
    return run


def schedule_now(platform: Platform, run_id: str) -> Schedule:
    """Return a run as last written, with all decisions about it folded; this process uses it from now on."""
    moment = platform.clock.now()
    last, _ = last_schedule(platform, run_id, moment)
    return remember_run(platform, run_now(platform, run_id, last), moment, last)


def schedule(platform: Platform, run_id: str, moment: Millis | None = None) -> Schedule:
    """Return a run as it was at most :data:`contest.run.rules.run.BELIEVED` before ``moment`` (now).

    Such a copy has all decisions in effect. They are folded into it when it is read, so a request does this at most
    once, and most requests find it done.
    """
    moment = platform.clock.now() if moment is None else moment
    last, is_believed = last_schedule(platform, run_id, moment)
    return last if last and is_believed else remember_run(platform, run_now(platform, run_id, last), moment, last)


def schedule_of(platform: Platform, session: Session, moment: Millis | None = None) -> Schedule | None:
    """Return the schedule of a session's files: its run's, or its own; None where all are there from the start."""
    return own_schedule(platform, session) if session.run_id is None else schedule(platform, session.run_id, moment)


def schedule_now_of(platform: Platform, session: Session) -> Schedule | None:
    """Return the schedule of a session's files, of a run as last written."""
    return own_schedule(platform, session) if session.run_id is None else schedule_now(platform, session.run_id)


def own_schedule(platform: Platform, session: Session) -> Schedule | None:
    """Return the schedule that a session has for itself; it never changes."""
    if session.order.interval_s is None:
        return None
    key = ("own schedule", session.session_id)
    return cast(
        Schedule,
        platform.memory.keep(key, lambda: schedule_rules.own_schedule(session), lambda _: _ROW * session.files),
    )


def last_schedule(platform: Platform, run_id: str, moment: Millis) -> tuple[Schedule | None, bool]:
    """Return a run as this process read it last, however long ago, and whether it may rely on it at ``moment``."""
    return _last(platform.memory.known(("run", run_id)), moment)


def _last(run_read: tuple[Millis, Schedule] | None, moment: Millis) -> tuple[Schedule | None, bool]:
    return (None, False) if run_read is None else (run_read[1], run_read[0] == moment // BELIEVED)


def remember_run(platform: Platform, run: Run, moment: Millis, last: Schedule | None) -> Schedule:
    """Remember a run read after ``moment``; an unchanged one is not folded again: ``last``, as it was read before."""
    folded = last if last is not None and last.run.version == run.version else Schedule.of(run)
    platform.memory.put(("run", run.run_id), (moment // BELIEVED, folded), SMALL + _ROW * run.files)
    if last is None:
        platform.memory.put(_LATEST_RUN, run.run_id)
    return folded


class Remembered(NamedTuple):
    """Facts that a process remembers for a request."""

    seen: RememberedSession | None
    """Session of the request; None if the process has not read it."""
    cycle: Cycle | None
    """Cycle as read in the minute of the request; None if it was not read then."""
    run_id: str | None
    """Run of its session; for a session that the process has not read, the run that it learned of last."""
    schedule: Schedule | None = None
    """Schedule of that run, as it was read last, however long ago."""
    is_believed: bool = False
    """True if the request may rely on that schedule; otherwise the schedule serves for guesses alone."""
    armed: Mapping[int, Millis] = MappingProxyType({})
    """Files of that run whose release records were read, with the openings that these were for."""


def remembered_request(platform: Platform, session_id: str, moment: Millis) -> Remembered:
    """Return what this process remembers for a request about a session.

    A request about an unknown session, or about none, usually belongs to the same run as the process's other
    requests.
    """
    session_seen, cycle, run_id = platform.memory.known_all(
        ("seen", session_id), ("cycle", moment // MINUTE), _LATEST_RUN
    )
    if session_seen is not None:
        run_id = session_seen.session.run_id
    if run_id is None:
        return Remembered(session_seen, cycle, None)
    run_read, armed = platform.memory.known_all(("run", run_id), ("armed", run_id))
    return Remembered(session_seen, cycle, run_id, *_last(run_read, moment), armed or {})


def run_plan_json(files: Sequence[RunFile]) -> dict[str, Any]:
    """Return files of a run as they are stored; :func:`run_files` reads them back."""
    return {"format": 1, "files": [list(astuple(file)) for file in files]}


def run_files(platform: Platform, run_id: str, amendment: int = 0) -> tuple[RunFile, ...]:
    """Return a run's first files, or those that an amendment appends; they never change."""

    def read() -> tuple[RunFile, ...]:
        raw = json.loads(platform.blobs.get(run_plan_name(run_id, amendment)))
        return tuple(RunFile(*row) for row in raw["files"])

    key = ("run files", run_id, amendment)
    return cast(tuple[RunFile, ...], platform.memory.keep(key, read, lambda files: _ROW * len(files)))


def run_plan(platform: Platform, run_schedule: Schedule) -> tuple[RunFile, ...]:
    """Return all files of a run with the appended ones; number n is at n - 1. O(files) once per process."""
    run_id, parts = run_schedule.run.run_id, (0, *(replacement.number for replacement, _ in run_schedule.replacements))

    def read() -> tuple[RunFile, ...]:
        return tuple(file for amendment in parts for file in run_files(platform, run_id, amendment))

    key = ("run plan", run_id, parts)
    return cast(tuple[RunFile, ...], platform.memory.keep(key, read, lambda files: _ROW * len(files)))


def letter_of(queue: LetterQueue, job: Any) -> str:
    """Return the name that a job's dead letter has or would have."""
    from contest.operations.rules import letter_id  # needed only by callers that wait for a job

    return letter_id(queue, json.dumps(asdict(job)))


# Clause: platform §4 failed
def failed_at(platform: Platform, queue: LetterQueue, job: Any) -> Millis | None:
    """Return when a job failed for good; None where it has not, or was sent again or dropped since."""
    letter = platform.dead_letters.get(letter_of(queue, job))
    return letter.last_at if letter is not None and letter.is_open else None


@dataclass(frozen=True, slots=True)
class FilesOfAnItem:
    """Files of an item: the steps with which they begin, one empty name where it has a single file; ``limit_s`` is the
    time that its first step has for itself, None where it has none.
    """

    steps: tuple[str, ...]
    limit_s: int | None

    # Clause: TS T8, TS D-8
    def timed(self, rules: RunRules) -> RunRules:
        """Return the usual rules of a run over such items: a step's own limit outweighs the cycle's."""
        limit = self.limit_s
        if limit is None:
            return rules
        return replace(rules, interval_s=(limit, limit), request_s=limit, answer_s=limit, total_s=limit)


# Clause: TS T2, TS D-0
def files_of(platform: Platform, cycle: Cycle, chosen: EssaySet) -> FilesOfAnItem:
    """Return the files of an item of the set.

    A set's items are of one kind: where the steps follow from the item, they are those of its first one.
    """
    steps = _steps(platform, cycle, chosen)
    names = protocol.publications(steps)
    limit_s = protocol.limit_of(steps, names[0]) if names else None
    return FilesOfAnItem(names if len(names) > 1 else ("",), limit_s)


# Clause: TS D-0
def first_step(platform: Platform, cycle: Cycle, chosen: EssaySet) -> str:
    """Return the step with which an item of the set begins; empty for a set of no items."""
    return next((step.name for step in _steps(platform, cycle, chosen)), "")


def _steps(platform: Platform, cycle: Cycle, chosen: EssaySet) -> tuple[Step, ...]:
    track, rules = track_of(platform, cycle), parameters(platform, cycle.parameters_version)
    if not isinstance(track, StepsByItem):
        return track.steps(rules.track)
    items = manifest(platform, cycle.name, chosen.manifest).items
    if not items:
        return ()
    return steps_of(track, item_content(platform, cycle.name, items[0].content), rules.track)
