"""Readiness of a program, and its session file by file.

Conclusions on readiness follow after a session (R 6.5.4, 6.7.4; platform §4, Decision). They go by the states of the
files, their causes and counts, and the share that decides (R 7.7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from contest.run.rules import fate
from contest.session.rules.delivery import Cause, Delivery, FileState
from contest.session.rules.session import Counts, Plan, Session, State
from contest.texts import tr
from markup_core.lazy import dataclass
from markup_core.rounding import percent
from tracks.protocol import Reason, Text

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Parameters
    from contest.run.rules.fate import Circumstances
    from contest.run.rules.schedule import Window
    from contest.values import Millis


@dataclass(frozen=True, slots=True)
class Readiness:
    """Readiness; ``reasons`` are those against it, empty exactly when ready."""

    ready: bool
    valid_share: float
    reasons: tuple[Reason, ...]


# Clause: R 6.5.4, platform §4 readiness
def conclude(files: int, answered: int, state: State, parameters: Parameters) -> Readiness:
    """Conclude by the session's files: at least 95 % validly answered and at least 30 files, both parameters.

    A session over any set that it may be opened over counts, the training sets too (R 6.4, 6.9); its report names the
    set, and the judges see it. An aborted session does not count (platform §3), whatever it answered.
    """
    share = answered / files
    reasons = []
    if files < parameters.readiness_min_files:
        reasons.append(_too_few_files(files, parameters.readiness_min_files))
    if share < parameters.readiness_min_share:
        reasons.append(_too_few_answers(answered, files, parameters.readiness_min_share))
    if state is State.ABORTED:
        reasons.append(_aborted())
    return Readiness(ready=not reasons, valid_share=share, reasons=tuple(reasons))


# Clause: R 6.7.4, platform §4 readiness
def conclude_run(
    counting: int,
    answered: int,
    voided_share: float | None,
    allowed_share: float,
    session: Session,
    parameters: Parameters,
    *,
    stopped: bool,
) -> Readiness:
    """Conclude on a run: at most 5 % of the counting files annulled, to the end, of as many files as a session needs.

    ``counting`` files were not taken away by the platform or the organizers, and ``answered`` of them were answered;
    where none counts nothing is shown. What was taken away is still one of the session's files: a fault of the platform
    makes no run too short. ``stopped``: whether the organizers stopped the run, during it or afterwards.
    """
    reasons = []
    if session.files < parameters.readiness_min_files:
        reasons.append(_too_few_files(session.files, parameters.readiness_min_files))
    if voided_share is None:
        reasons.append(Reason("no_files", tr("No file of this session counts."), {}))
    elif voided_share > allowed_share:
        reasons.append(_too_many_voided(voided_share, allowed_share))
    if session.state is State.ABORTED:
        reasons.append(_aborted())
    if stopped:
        text = tr("The run was stopped by the organizers; its results do not count.")
        reasons.append(Reason("run_stopped", text, {}))
    return Readiness(ready=not reasons, valid_share=answered / counting if counting else 0.0, reasons=tuple(reasons))


# Clause: TS D-1, D 7.8
def conclude_result(files: int, answered: int, state: State, *, passed: bool) -> Readiness:
    """Conclude by the session's result, as the contest says (D 7.8); an aborted session does not count."""
    not_passed = tr("The session's result does not pass the qualification.")
    reasons = [] if passed else [Reason("not_passed", not_passed, {})]
    if state is State.ABORTED:
        reasons.append(_aborted())
    return Readiness(ready=not reasons, valid_share=answered / files, reasons=tuple(reasons))


def _too_many_voided(share: float, allowed: float) -> Reason:
    voided, most = percent(share, allowed, least=1), percent(allowed, allowed)
    text = tr(
        "{voided}% of the files were annulled; readiness allows at most {most}%.",
        voided=_decimal(voided),
        most=_decimal(most),
    )
    return Reason("too_many_voided", text, {"share": share, "allowed_share": allowed})


def _decimal(number: str) -> Text:
    """Return a number as each language writes it."""
    return Text(number, number.replace(".", ","))


def _too_few_files(files: int, least: int) -> Reason:
    text = tr("The session had {files} files; readiness needs at least {least}.", files=files, least=least)
    return Reason("too_few_files", text, {"files": files, "least": least})


def _too_few_answers(answered: int, files: int, share: float) -> Reason:
    least = percent(share, share)
    text = tr(
        "{answered} of {files} files were validly answered; readiness needs at least {least}%.",
        answered=answered,
        files=files,
        least=_decimal(least),
    )
    return Reason("too_few_answers", text, {"answered": answered, "files": files, "least_share": share})


def _aborted() -> Reason:
    text = tr("The session was aborted; an aborted session does not count.")
    return Reason("session_aborted", text, {})


# Clause: R 7.7, platform §3 annulment
NOBODYS: Final = frozenset({Cause.PLATFORM, Cause.ORGANIZER_DECISION})
"""Causes that count on neither side of the share of annulled files (platform §3)."""


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a session at a moment."""

    number: int
    file_id: str | None
    """None until the file is handed out: its name says nothing before, and is not said either."""
    state: FileState
    delivery: Delivery | None
    cause: Cause | None
    evidence: Mapping[str, Any]
    window: Window | None = None
    """When it opens and may be asked for, in a run."""


def files_at(
    plan: Plan, deliveries: Sequence[Delivery], now: Millis, circumstances: Circumstances, *, session_open: bool
) -> tuple[FileView, ...]:
    """Return every file of the session, by number."""
    handed_out = {delivery.number: delivery for delivery in deliveries}
    return tuple(
        view_of(number, planned.file_id, handed_out.get(number), circumstances, now, session_open=session_open)
        for number, planned in enumerate(plan, start=1)
    )


def count(views: Iterable[FileView]) -> Counts:
    """Return counts by state. ``late`` is a part of ``voided``: an accepted answer outweighs a late one."""
    views = tuple(views)
    states = Counter(view.state for view in views)
    return Counts(
        waiting=states[FileState.WAITING],
        open=states[FileState.OPEN],
        answered=states[FileState.ANSWERED],
        late=sum(is_late(view) for view in views),
        voided=states[FileState.VOIDED],
    )


# Clause: R 7.7, platform §3 annulment
def voided_share(views: Iterable[FileView]) -> float | None:
    """Return the share of files that the team missed (R 7.7), of those that count; None where none counts.

    Files lost to the platform or by an organizer's decision count on neither side; ``network`` counts against the team.
    """
    views = tuple(views)
    causes = Counter(view.cause for view in views if view.cause is not None)
    nobodys = sum(causes[cause] for cause in NOBODYS)
    counting = len(views) - nobodys
    return (causes.total() - nobodys) / counting if counting else None


# Clause: R 7.7, R 10.2
def solution_voided(share: float | None, greatest: float) -> bool:
    """Return whether a solution is annulled: more than the allowed share was missed (R 7.7), not exactly the share."""
    return share is not None and share > greatest


def is_late(view: FileView) -> bool:
    """Return whether a file has a late answer and no other that counts."""
    late = view.delivery is not None and view.delivery.late_at is not None
    return late and view.state is FileState.VOIDED


def view_of(
    number: int,
    file_id: str,
    delivery: Delivery | None,
    circumstances: Circumstances,
    now: Millis,
    *,
    session_open: bool,
) -> FileView:
    """Return one file of the session."""
    verdict = fate.fate(circumstances, number, delivery, now, session_open=session_open)
    window = circumstances.windows[number - 1] if circumstances.windows else None
    named = file_id if delivery else None
    return FileView(number, named, verdict.state, delivery, verdict.cause, verdict.evidence, window)
