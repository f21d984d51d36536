"""What organizers are warned about: changes and runs told of too late, results that come too late (platform §2).

Pure functions of what is about to happen, the cycle's periods and its calendar. A warning names the clause and
the first (or last) moment that would keep it; it forbids nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from contest.domain.cycle.cycle import Cycle, Mode
from contest.domain.cycle.stages import Stage, StageName
from contest.domain.cycle.working_days import Calendar
from contest.domain.moments import DAY, Millis, iso
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
    Occasion.PARAMETERS: Text(
        "a change of parameters is announced at least {days} before it takes effect",
        "об изменении параметров объявляют не менее чем за {days} до вступления в силу",
    ),
    Occasion.SETS: Text(
        "training and test sets do not change in the last {days} before a final",
        "обучающая и тестовая выборки не меняются в последние {days} перед финальными испытаниями",
    ),
    Occasion.MODULES: Text(
        "the common modules do not change in the last {days} before a final",
        "общие программные модули не меняются в последние {days} перед финальными испытаниями",
    ),
    Occasion.SCHEDULE: Text(
        "the schedule of a run is announced at least {days} ahead",
        "расписание прогона объявляется не менее чем за {days}",
    ),
    Occasion.TRIAL: Text(
        "the date of a trial run is told at least {days} ahead",
        "о дате тестового прогона сообщают не менее чем за {days}",
    ),
    Occasion.RESTART: Text(
        "a restart is told of at least {days} ahead",
        "о перезапуске прогона сообщают не менее чем за {days}",
    ),
    Occasion.NEW_DATE: Text(
        "a run that was stopped is repeated within {days}",
        "остановленный прогон повторяют не позднее чем через {days}",
    ),
    Occasion.MARKUPS: Text(
        "the experts' markups of a final are made within {days} of its end",
        "экспертная разметка финальной выборки завершается в течение {days} после финальных испытаний",
    ),
    Occasion.OWN_REPORTS: Text(
        "the teams have their own reports within {days} of a run's end",
        "команды получают собственные отчёты в течение {days} после окончания прогона",
    ),
    Occasion.RESULTS: Text(
        "the results of a final are published within {days} of the last markup",
        "итоги подводятся в течение {days} после окончания экспертной разметки",
    ),
}
_EVENT: Final = Text(
    "a change is published at least {days} before the run or stage that it affects",
    "изменения публикуются не менее чем за {days} до мероприятия или этапа, которого они касаются",
)


_OF_FINALS: Final = frozenset({Occasion.SCHEDULE, Occasion.OWN_REPORTS})
"""Occasions of which a period that is the cycle's alone counts for finals, as it does in every contest that has one."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The cycle's periods in its calendar."""

    periods: tuple[NoticePeriod, ...]
    calendar: Calendar
    stages: tuple[Stage, ...] = ()


def of_cycle(cycle: Cycle, usual: Sequence[NoticePeriod]) -> Terms:
    """What holds in a cycle: the track's periods (``usual``), with the days that the cycle names in their place.

    A period of other days than the track's keeps what it is counted in and which runs it is about, and cites the
    cycle, because the clause asks for something else; one of 0 days is none. On an occasion of which the track says
    nothing the cycle's days are calendar days.

    Clause: TS T8, TS T17
    """
    changed = (_in(cycle, each) for each in usual)
    known = {each.occasion for each in usual}
    added = (_own(each, cycle.notices[each.value]) for each in Occasion if each.value in cycle.notices)
    periods = (*changed, *(each for each in added if each.occasion not in known))
    return Terms(tuple(each for each in periods if each.days), cycle.calendar, cycle.stages)


def _in(cycle: Cycle, period: NoticePeriod) -> NoticePeriod:
    days = cycle.notices.get(period.occasion.value, period.days)
    return period if days == period.days else replace(period, days=days, clause=_cited(period.occasion))


def _own(occasion: Occasion, days: int) -> NoticePeriod:
    modes = frozenset({Mode.FINAL.value}) if occasion in _OF_FINALS else frozenset[str]()
    return NoticePeriod(occasion, days, _cited(occasion), modes=modes)


def _cited(occasion: Occasion) -> str:
    """Return the field of a cycle's own period; its file may be cycle.json or cycle.yaml, and is not known here."""
    return f"cycle: notices.{occasion.value}"


def of_parameters(terms: Terms, told_at: Millis, effective_at: Millis, starts: Iterable[Millis]) -> Iterator[Reason]:
    """Warnings of a change of parameters; ``starts`` are those of planned runs.

    Clause: R 5.8, D 2.4, platform §2 effective time
    """
    for period in periods_for(terms.periods, Occasion.PARAMETERS):
        event = _affected(terms, effective_at, starts) if period.before_event else effective_at
        yield from _ahead(terms, period, told_at, event)


def of_run(terms: Terms, told_at: Millis, starts_at: Millis, mode: str, kind: Occasion) -> Iterator[Reason]:
    """Warnings of a run that is planned; ``kind``: SCHEDULE, TRIAL, or RESTART for one that replaces another.

    Clause: R 7.5, D 6.9, D 6.13.2, D 8.8
    """
    for period in periods_for(terms.periods, kind, mode):
        yield from _ahead(terms, period, told_at, starts_at)


def of_new_date(terms: Terms, stopped_at: Millis, starts_at: Millis, mode: str) -> Iterator[Reason]:
    """Warnings of the date of a run in the place of one that was stopped.

    Clause: D 6.13.1
    """
    for period in periods_for(terms.periods, Occasion.NEW_DATE, mode):
        yield from _within(terms, period, stopped_at, starts_at)


def of_change(terms: Terms, kind: Occasion, changed_at: Millis, finals: Iterable[Millis]) -> Iterator[Reason]:
    """Warnings of sets (SETS) or modules (MODULES) changed at a moment, before finals that start at these.

    Where no final is planned, the beginning of the final's stage stands for one. Finals that have begun do not count.

    Clause: R 4.7, R 9.2, D 14.1
    """
    coming = [each for each in finals if each > changed_at] or _stage_starts(terms, changed_at, StageName.FINAL)
    if coming:
        for period in periods_for(terms.periods, kind):
            yield from _ahead(terms, period, changed_at, min(coming))


def of_markups(terms: Terms, ended_at: Millis, now: Millis, mode: str) -> Iterator[Reason]:
    """Warnings of markups that are made now, or still missing.

    Clause: R 7.3
    """
    for period in periods_for(terms.periods, Occasion.MARKUPS, mode):
        yield from _within(terms, period, ended_at, now)


def of_own_reports(terms: Terms, ended_at: Millis, now: Millis, mode: str) -> Iterator[Reason]:
    """Warnings of own reports that are still missing.

    Clause: TS D-6, D 6.11
    """
    for period in periods_for(terms.periods, Occasion.OWN_REPORTS, mode):
        yield from _within(terms, period, ended_at, now)


def of_results(terms: Terms, last_markup_at: Millis, now: Millis, mode: str) -> Iterator[Reason]:
    """Warnings of results that are published now, or still missing.

    Clause: R 7.11
    """
    for period in periods_for(terms.periods, Occasion.RESULTS, mode):
        yield from _within(terms, period, last_markup_at, now)


def _affected(terms: Terms, effective_at: Millis, starts: Iterable[Millis]) -> Millis:
    """When what a change affects begins: in a stage at once, else with the next run or stage; without any, at once."""
    calendar = terms.calendar
    if any(each.starts_at(calendar) <= effective_at < each.ends_at(calendar) for each in terms.stages):
        return effective_at
    coming = [each for each in starts if each >= effective_at]
    coming += [each.starts_at(calendar) for each in terms.stages if each.starts_at(calendar) >= effective_at]
    return min(coming, default=effective_at)


def _stage_starts(terms: Terms, after: Millis, name: StageName) -> list[Millis]:
    found = (each.starts_at(terms.calendar) for each in terms.stages if each.name is name)
    return [each for each in found if each > after]


def _ahead(terms: Terms, period: NoticePeriod, told_at: Millis, event_at: Millis) -> Iterator[Reason]:
    earliest = terms.calendar.earliest(told_at, period.days, working=period.working)
    if event_at >= earliest:
        return
    latest = terms.calendar.latest(event_at, period.days, working=period.working)
    said = _EVENT if period.before_event else _RULES[period.occasion]
    yield _warning(
        period,
        said,
        Text(f"told of now it may be from {iso(earliest)}", f"при объявлении сейчас — не ранее {iso(earliest)}"),
        {
            "days": (event_at - told_at) / DAY,
            "event_at": iso(event_at),
            "earliest": iso(earliest),
            "latest_notice": iso(latest),
        },
    )


def _within(terms: Terms, period: NoticePeriod, since: Millis, done_at: Millis) -> Iterator[Reason]:
    due = terms.calendar.due(since, period.days, working=period.working) - 1
    if done_at <= due:
        return
    yield _warning(
        period,
        _RULES[period.occasion],
        Text(f"that was until {iso(due)}", f"срок истёк {iso(due)}"),
        {"since": iso(since), "latest": iso(due)},
    )


def _warning(period: NoticePeriod, rule: Text, moment: Text, where: Mapping[str, Any]) -> Reason:
    days = Text(*_days(period))
    en = f"{rule.en.format(days=days.en)} ({period.clause}); {moment.en}"
    ru = f"{rule.ru.format(days=days.ru)} ({period.clause}); {moment.ru}"
    told: dict[str, Any] = {"occasion": period.occasion.value, "clause": period.clause, "period_days": period.days}
    told["working_days"] = period.working
    return Reason(CODES[period.occasion], Text(en, ru), {**told, **where})


def _days(period: NoticePeriod) -> tuple[str, str]:
    """So many days, in words that fit behind a preposition in both languages."""
    one = period.days == 1
    if period.working:
        return f"{period.days} working day{'' if one else 's'}", f"{period.days} раб. дн."
    return f"{period.days} day{'' if one else 's'}", f"{period.days} дн."
