"""Announcements (R 4.7, 5.8, 9.2; D 6.12), notice periods (platform §2), and differences between versions.

A warning names the clause and the first (or last) moment that would keep it; it forbids nothing. A published
announcement stays readable: a correction is another one that names it. A change of parameters and a planned final are
published at once; sets and modules are drafts, since the regulation demands their purpose, which only people know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum, StrEnum
from typing import Any, Final

from contest.cycle.rules.cycle import Cycle, Mode
from contest.cycle.rules.stages import Calendar, Stage, StageName
from contest.texts import tr
from contest.values import DAY, SECOND, Millis, iso, iso_or_none
from markup_core.lazy import dataclass
from markup_core.texts import filled
from tracks.protocol import Reason, Text
from tracks.rules import NoticePeriod, Occasion, periods_for

CODES: Final[Mapping[Occasion, str]] = {
    Occasion.PARAMETERS: "short_notice",
    Occasion.SETS: "sets_too_new",
    Occasion.MODULES: "modules_too_new",
    Occasion.SCHEDULE: "short_notice",
    Occasion.TRIAL: "short_notice",
    Occasion.RESTART: "short_notice",
    Occasion.NEW_DATE: "restart_too_late",
    Occasion.MARKUPS: "markups_late",
    Occasion.OWN_REPORTS: "own_reports_late",
    Occasion.RESULTS: "results_late",
}
_RULES: Final[Mapping[Occasion, Text]] = {
    Occasion.PARAMETERS: tr("a change of parameters is announced at least {days} before it takes effect"),
    Occasion.SETS: tr("training and test sets do not change in the last {days} before a final"),
    Occasion.MODULES: tr("the common modules do not change in the last {days} before a final"),
    Occasion.SCHEDULE: tr("the schedule of a run is announced at least {days} ahead"),
    Occasion.TRIAL: tr("the date of a trial run is told at least {days} ahead"),
    Occasion.RESTART: tr("a restart is told of at least {days} ahead"),
    Occasion.NEW_DATE: tr("a run that was stopped is repeated within {days}"),
    Occasion.MARKUPS: tr("the experts' markups of a final are made within {days} of its end"),
    Occasion.OWN_REPORTS: tr("the teams have their own reports within {days} of a run's end"),
    Occasion.RESULTS: tr("the results of a final are published within {days} of the last markup"),
}
_EVENT: Final = tr("a change is published at least {days} before the run or stage that it affects")


_OF_FINALS: Final = frozenset({Occasion.SCHEDULE, Occasion.OWN_REPORTS})
"""Occasions on which a period set by the cycle alone counts for finals, as in every contest that has such a period."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Notice periods of the cycle in its calendar."""

    periods: tuple[NoticePeriod, ...]
    calendar: Calendar
    stages: tuple[Stage, ...] = ()


# Clause: TS T8, TS T17
def of_cycle(cycle: Cycle, usual: Sequence[NoticePeriod]) -> Terms:
    """Return the terms of a cycle: the track's periods (``usual``), with the cycle's own days in their place.

    A period of other days than the track's keeps its unit and its runs, and cites the cycle, because the clause asks
    for another number; a period of 0 days is none. On an occasion for which the track has no period, the cycle's days
    are calendar days.
    """
    periods = []
    for period in usual:
        days = cycle.notices.get(period.occasion.value, period.days)
        periods.append(period if days == period.days else replace(period, days=days, clause=_cited(period.occasion)))
    occasions = {period.occasion for period in usual}
    for occasion in Occasion:
        if occasion.value in cycle.notices and occasion not in occasions:
            modes = frozenset({Mode.FINAL.value}) if occasion in _OF_FINALS else frozenset[str]()
            periods.append(NoticePeriod(occasion, cycle.notices[occasion.value], _cited(occasion), modes=modes))
    return Terms(tuple(period for period in periods if period.days), cycle.calendar, cycle.stages)


def _cited(occasion: Occasion) -> str:
    """Return the field of a cycle's own period; its file may be cycle.json or cycle.yaml, and is not known here."""
    return f"cycle: notices.{occasion.value}"


# Clause: R 5.8, D 2.4, platform §2 effective time
def of_parameters(terms: Terms, told_at: Millis, effective_at: Millis, starts: Iterable[Millis]) -> Iterator[Reason]:
    """Warn of a change of parameters; ``starts`` are those of planned runs."""
    for period in periods_for(terms.periods, Occasion.PARAMETERS):
        event = _affected(terms, effective_at, starts) if period.before_event else effective_at
        yield from _ahead(terms, period, told_at, event)


# Clause: R 7.5, D 6.9, D 6.13.2, D 8.8
def of_run(terms: Terms, told_at: Millis, starts_at: Millis, mode: str, kind: Occasion) -> Iterator[Reason]:
    """Warn of a planned run; ``kind``: SCHEDULE, TRIAL, or RESTART for one that replaces another."""
    for period in periods_for(terms.periods, kind, mode):
        yield from _ahead(terms, period, told_at, starts_at)


# Clause: R 4.7, R 9.2, D 14.1
def of_change(terms: Terms, kind: Occasion, changed_at: Millis, finals: Iterable[Millis]) -> Iterator[Reason]:
    """Warn of sets (SETS) or modules (MODULES) changed at a moment, before finals that start at these.

    Where no final is planned, the beginning of the final's stage stands for one. Finals that have begun do not count.
    """
    coming = [start for start in finals if start > changed_at]
    if not coming:
        starts = (stage.starts_at(terms.calendar) for stage in terms.stages if stage.name is StageName.FINAL)
        coming = [start for start in starts if start > changed_at]
    if coming:
        for period in periods_for(terms.periods, kind):
            yield from _ahead(terms, period, changed_at, min(coming))


# Clause: R 7.3, R 7.11, D 6.11, D 6.13.1, TS D-6
def of_term(terms: Terms, occasion: Occasion, since: Millis, done_at: Millis, mode: str) -> Iterator[Reason]:
    """Warn of a late action: done after the end of its term, which an event began, or missing until now.

    ``occasion``: NEW_DATE of a run in the place of a stopped one, MARKUPS and OWN_REPORTS since the end of a run,
    RESULTS since the last markup.
    """
    for period in periods_for(terms.periods, occasion, mode):
        due = terms.calendar.due(since, period.days, working=period.working) - 1
        if done_at > due:
            moment = tr("that was until {due}", due=iso(due))
            yield _warning(period, _RULES[occasion], moment, {"since": iso(since), "latest": iso(due)})


def _affected(terms: Terms, effective_at: Millis, starts: Iterable[Millis]) -> Millis:
    """Return when a change takes effect: in a stage at once, else with the next run or stage; without any, at once."""
    calendar = terms.calendar
    if any(stage.starts_at(calendar) <= effective_at < stage.ends_at(calendar) for stage in terms.stages):
        return effective_at
    coming = [start for start in starts if start >= effective_at]
    coming += [stage.starts_at(calendar) for stage in terms.stages if stage.starts_at(calendar) >= effective_at]
    return min(coming, default=effective_at)


def _ahead(terms: Terms, period: NoticePeriod, told_at: Millis, event_at: Millis) -> Iterator[Reason]:
    earliest = terms.calendar.earliest(told_at, period.days, working=period.working)
    if event_at >= earliest:
        return
    latest = terms.calendar.latest(event_at, period.days, working=period.working)
    rule = _EVENT if period.before_event else _RULES[period.occasion]
    moments = {"event_at": iso(event_at), "earliest": iso(earliest), "latest_notice": iso(latest)}
    moment = tr("told of now it may be from {earliest}", earliest=iso(earliest))
    yield _warning(period, rule, moment, {"days": (event_at - told_at) / DAY, **moments})


def _warning(period: NoticePeriod, rule: Text, moment: Text, where: Mapping[str, Any]) -> Reason:
    en, ru = ("working day", "раб. дн.") if period.working else ("day", "дн.")
    days = Text(f"{period.days} {en}{'' if period.days == 1 else 's'}", f"{period.days} {ru}")
    message = tr("{rule} ({clause}); {moment}", rule=filled(rule, days=days), clause=period.clause, moment=moment)
    details: dict[str, Any] = {"occasion": period.occasion.value, "clause": period.clause, "period_days": period.days}
    details["working_days"] = period.working
    return Reason(CODES[period.occasion], message, {**details, **where})


class AnnouncementKind(StrEnum):
    """Subject of an announcement."""

    PARAMETERS = "parameters"
    SETS = "sets"
    MODULES = "modules"
    SCHEDULE = "schedule"
    RESULTS = "results"
    GENERAL = "general"
    ANSWER = "answer"
    """Answer to a question, published to everybody; its title is the question."""


class AnnouncementState(StrEnum):
    """State of an announcement."""

    DRAFT = "draft"
    PUBLISHED = "published"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"
    DISCARDED = "discarded"
    """A draft that nobody published."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One announcement; ``version`` counts its writes, each conditional on the one before.

    ``about`` names its subject: a version of the parameters, a run, sets. ``effective_at`` is its effective time.
    """

    announcement_id: str
    kind: AnnouncementKind
    title: Text
    text: Text
    created_at: Millis
    about: Mapping[str, Any] = field(default_factory=dict)
    effective_at: Millis | None = None
    state: AnnouncementState = AnnouncementState.DRAFT
    published_at: Millis | None = None
    ended_at: Millis | None = None
    """Time of its correction, withdrawal or discarding."""
    reason: str = ""
    """Reason for its withdrawal."""
    corrects: str | None = None
    corrected_by: str | None = None
    told: AnnouncementState | None = None
    """State that was last sent to subscribers; None if none was."""
    version: int = 1

    @property
    def is_public(self) -> bool:
        """True if it was ever published; then everybody may read it for ever."""
        return self.published_at is not None


def both(texts: Mapping[str, str]) -> Text:
    """Return words in both languages from their stored form."""
    return Text(en=texts["en"], ru=texts["ru"])


Announced = tuple[Announcement | None, Announcement]
"""An announcement as it was read (None: there is none) and as it is written."""


def published(draft: Announcement, now: Millis) -> Announcement:
    """Return a draft as it is published; :class:`LookupError` where it is no draft."""
    _require(draft, AnnouncementState.DRAFT)
    return replace(draft, state=AnnouncementState.PUBLISHED, published_at=now, version=draft.version + 1)


def discarded(draft: Announcement, now: Millis) -> Announcement:
    """Return a draft that is not to be published; :class:`LookupError` where it is no draft."""
    _require(draft, AnnouncementState.DRAFT)
    return replace(draft, state=AnnouncementState.DISCARDED, ended_at=now, version=draft.version + 1)


def withdrawn(announcement: Announcement, now: Millis, reason: str) -> Announcement:
    """Return a published announcement as withdrawn; :class:`LookupError` where it is not published."""
    _require(announcement, AnnouncementState.PUBLISHED)
    ended = replace(announcement, state=AnnouncementState.WITHDRAWN, ended_at=now, reason=reason)
    return replace(ended, version=announcement.version + 1)


def corrected(announcement: Announcement, by: Announcement, now: Millis) -> tuple[Announcement, Announcement]:
    """Return a published announcement and the one that corrects it, each naming the other; :class:`LookupError` where
    it is not published."""
    _require(announcement, AnnouncementState.PUBLISHED)
    before = replace(announcement, state=AnnouncementState.CORRECTED, ended_at=now, corrected_by=by.announcement_id)
    return replace(before, version=announcement.version + 1), replace(by, corrects=announcement.announcement_id)


def _require(announcement: Announcement, state: AnnouncementState) -> None:
    if announcement.state is not state:
        raise LookupError(announcement.state.value)


class Absent(Enum):
    """The value of a field that is not there; None is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field, ``final.interval_s``, before and after; :data:`ABSENT` where it is not there."""

    field: str
    before: Any
    after: Any


def changes(before: Any, after: Any) -> tuple[FieldChange, ...]:
    """List every field that differs, by its path, in the order of the paths. Lists are one value. O(fields)."""
    return tuple(sorted(_changes("", before, after), key=lambda change: change.field))


def _changes(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in {*before, *after}:
            place = f"{path}.{name}" if path else str(name)
            yield from _changes(place, before.get(name, ABSENT), after.get(name, ABSENT))
    elif before != after:
        yield FieldChange(path, before, after)


_LONGEST: Final = 60
"""Most characters of a value that an announcement repeats; the versions are shown in full elsewhere."""


# Clause: R 5.8, D 6.12
def draft_of_parameters(
    version: int, changed: Sequence[FieldChange], effective_at: Millis, reason: str, now: Millis
) -> Announcement:
    """Return the announcement of a change of parameters."""
    lines = "\n".join(f"{change.field}: {_value(change.before)} → {_value(change.after)}" for change in changed)
    since, kind, name = iso(effective_at), AnnouncementKind.PARAMETERS, f"parameters-{version}"
    text = tr(
        "In force from {effective_at}.\n{lines}\nReason: {reason}", effective_at=since, lines=lines, reason=reason
    )
    title = tr("Parameters change: version {version}", version=version)
    return _published(Announcement(name, kind, title, text, now, {"version": version}, effective_at), now)


# Clause: R 4.7, R 9.2, D 14.1
def of_sets(cycle_version: int, names: Sequence[str], now: Millis) -> Announcement:
    """Return the draft about training and test sets that are new, changed or gone; a person adds their purpose."""
    title, text = tr("Data sets are renewed"), tr("New or changed: {listed}.", listed=", ".join(names))
    name, kind = f"sets-{cycle_version}", AnnouncementKind.SETS
    return Announcement(name, kind, title, text, now, {"sets": list(names)}, now)


# Clause: R 4.7, R 9.2, D 14.1
def of_modules(cycle_version: int, hashes: Sequence[str], now: Millis) -> Announcement:
    """Return the draft about the common modules."""
    text = tr("SHA-256 of the published modules:\n{listed}", listed="\n".join(hashes))
    title, name, kind = tr("The common modules are renewed"), f"modules-{cycle_version}", AnnouncementKind.MODULES
    return Announcement(name, kind, title, text, now, {"modules": list(hashes)}, now)


# Clause: R 7.5, D 6.9, D 8.8
def draft_of_run(
    run_id: str, starts_at: Millis, interval: Millis, files: int, *, trial: bool, now: Millis
) -> Announcement:
    """Return the announcement of a final's schedule: start and interval (R 7.5)."""
    what, start, every = tr("Trial run") if trial else tr("Final"), iso(starts_at), f"{interval / SECOND:g}"
    title = Text(f"{what.en}: {start}", f"{what.ru}: {start}")
    text = tr("Start: {starts_at}. Files: {files}, one every {every} s.", starts_at=start, files=files, every=every)
    kind = AnnouncementKind.SCHEDULE
    return _published(Announcement(f"run-{run_id}", kind, title, text, now, {"run": run_id}, starts_at), now)


def _published(draft: Announcement, now: Millis) -> Announcement:
    return replace(draft, state=AnnouncementState.PUBLISHED, published_at=now)


def describe_announcement(announcement: Announcement) -> dict[str, Any]:
    """Describe an announcement for the audit log."""
    return {
        "kind": announcement.kind.value,
        "state": announcement.state.value,
        "title": {"en": announcement.title.en, "ru": announcement.title.ru},
        "text": {"en": announcement.text.en, "ru": announcement.text.ru},
        "about": dict(announcement.about),
        "effective_at": iso_or_none(announcement.effective_at),
        "reason": announcement.reason,
        "corrected_by": announcement.corrected_by,
    }


def _value(value: Any) -> str:
    if value is ABSENT:
        return "∅"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
