"""Checks before a final: each a pure function of facts to a grade with a sentence (platform §7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

from contest.cycle.rules.cycle import Capacity, EssaySet
from contest.experts.rules.sharing_out import Expert
from contest.stored_names import LetterQueue
from contest.texts import tr
from contest.values import MINUTE, SECOND, Millis, iso
from markup_core.lazy import dataclass
from markup_core.texts import filled
from tracks.protocol import Reason, Text

TICK_MISSED: Final[Millis] = 3 * MINUTE
"""A timer that has not come for so long has stopped: it comes every minute."""
CLOCK_OFF: Final[Millis] = 2 * SECOND
"""Two clocks of the platform that differ by more decide differently."""
PER_SECOND: Final = 2
"""Requests of a team in the second of an opening: the file is asked for, and the answer to the one before comes."""


class CheckGrade(StrEnum):
    """Grade of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Nothing is known of it here."""


_NO_STEPS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check."""

    name: str
    grade: CheckGrade
    message: Text
    where: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def with_facts(cls, name: str, grade: CheckGrade, sentence: Text, **where: Any) -> Check:
        """Return a check whose sentence has the facts ``where`` in its braces."""
        return cls(name, grade, filled(sentence, **where), where)


def timer(last: Millis | None, now: Millis) -> Check:
    """Check whether the minute timer comes."""
    if last is None:
        return Check("timer", CheckGrade.FAILED, tr("the minute timer has never come"))
    grade = CheckGrade.FAILED if now - last > TICK_MISSED else CheckGrade.OK
    return Check.with_facts("timer", grade, tr("the minute timer last came at {last}"), last=iso(last))


def clock(arrived_at: Millis, now: Millis) -> Check:
    """Check whether the gateway's clock, by which requests count, and the functions' agree."""
    off = now - arrived_at
    en = tr("the functions' clock is {off} ms after the gateway's arrival of this request", off=off)
    grade = CheckGrade.OK if -CLOCK_OFF <= off <= CLOCK_OFF else CheckGrade.FAILED
    return Check("platform_clock", grade, en, {"difference_ms": off})


def capacity(deployment: Capacity | None, teams: int, per_team: int) -> Iterator[Check]:
    """Check whether the deployment takes so many teams at once; ``per_team``: requests a second that each may make."""
    if deployment is None:
        yield Check("requests", CheckGrade.UNKNOWN, tr("the deployment does not say what it takes"))
        return
    limit, least, most = deployment.requests_per_second, teams * PER_SECOND, teams * per_team
    grade = CheckGrade.FAILED if least > limit else CheckGrade.WARNING if most > limit else CheckGrade.OK
    sentence = tr(
        "{teams} teams make {least} requests a second at an opening, {most} at most; the gateway passes {limit}"
    )
    yield Check.with_facts("requests", grade, sentence, teams=teams, least=least, most=most, limit=limit)


def kept_executions(asked_for: int | None, starts_at: Millis, teams: int) -> Check:
    """Check whether enough executions are kept running for a final to hand its files out at the openings.

    ``asked_for``: those that AWS is to keep for the function Dispatch at the start, as AWS says; None: it did not say.
    """
    where = {"kept": asked_for, "teams": teams}
    if asked_for is None:
        grade = CheckGrade.UNKNOWN
        sentence = tr("whether executions are kept running for the final is not known: AWS did not say")
    elif asked_for == 0:
        grade = CheckGrade.WARNING
        sentence = tr(
            "no execution is to be kept running at {starts_at}: the first requests of the final would wait for starts; "
            "the minute timer asks for them from two weeks before the start"
        )
    else:
        grade = CheckGrade.OK if teams <= asked_for else CheckGrade.FAILED
        sentence = tr(
            "{kept} executions that hand files out are to be kept running at {starts_at}; each of {teams} teams may "
            "hold one until an opening"
        )
    return Check("executions", grade, filled(sentence, starts_at=iso(starts_at), **where), where)


_FILES_OF: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "training": tr("files of the kind training"),
        "test": tr("files of the kind test"),
        "final": tr("files of the kind final"),
        "reserve": tr("files of the kind reserve"),
    }
)


# Clause: R 6.4, R 6.6, D 8.6, D 9.3
def sets(
    essay_sets: Sequence[EssaySet], least: Mapping[str, int], steps: Mapping[str, str] = _NO_STEPS
) -> Iterator[Check]:
    """Check whether sets have as many files as the contest demands; ``least`` by kind, and by kind and first step.

    ``steps``: by a set's name the step with which its items begin. What is asked of a step is asked of cycles
    alone that have a set of it.
    """
    for demand, minimum in sorted(least.items()):
        kind, _, step = demand.partition(":")
        fitting = [
            essay_set
            for essay_set in essay_sets
            if essay_set.kind.value == kind and (not step or steps.get(essay_set.name) == step)
        ]
        if step and not fitting:
            continue
        size, of_step = sum(essay_set.size for essay_set in fitting), f" ({step})" if step else ""
        message = tr(
            "{size} {files}{step}; at least {least}", size=size, files=_FILES_OF[kind], step=of_step, least=minimum
        )
        grade = CheckGrade.OK if size >= minimum else CheckGrade.FAILED
        yield Check(f"set_{demand.replace(':', '_')}", grade, message, {"files": size})


CLIMBED: Final[Mapping[int, float]] = MappingProxyType({1: 28.0, 5: 30.3, 10: 32.4, 20: 37.2, 40: 45.8})
"""How far a program that knows nothing of the experts comes by what is told of a hidden set's files: the mean relative
accuracy of the demonstration's test essays after so many sessions, as ``python -m local.climbing`` measures it."""


# Clause: R 2.7, R 6.5.2
def hidden_files(kind: str, sessions: int) -> Check:
    """Warn how far a program can climb by the whole per cents of a hidden set's files, in a day's sessions.

    **Decision**: a warning where a day has more sessions than the largest number that was measured.
    """
    measured = max(number for number in CLIMBED if number <= max(sessions, min(CLIMBED)))
    first, last = CLIMBED[min(CLIMBED)], CLIMBED[measured]
    grade = CheckGrade.WARNING if sessions > max(CLIMBED) else CheckGrade.OK
    en = tr(
        "sets of the kind {kind}: each file's measures are told in whole per cent (R 6.5.2), in "
        "{sessions} sessions a day; a program that knows nothing came from OTAR {first} to {last} in "
        "{measured} sessions by them (python -m local.climbing); sessions_per_day and "
        "sessions_per_day_on bound it",
        kind=kind,
        sessions=sessions,
        first=_decimal(first),
        last=_decimal(last),
        measured=measured,
    )
    where = {"sessions_per_day": sessions, "measured_sessions": measured, "from": first, "to": last}
    return Check("hidden_files", grade, en, where)


# Clause: TS T10
def hidden_totals(kind: str, sessions: int, submissions: int, least: int) -> Check:
    """Report how many totals over a hidden set a team gets in a day, each one equation about its references."""
    where = {"sessions_per_day": sessions, "submissions_per_day": submissions, "least_hidden_items": least}
    sentence = tr(
        "sets of the kind {kind}: totals alone are told, of {least_hidden_items} items and more that differ "
        "(least_hidden_items), of {sessions_per_day} sessions (sessions_per_day, sessions_per_day_on) and "
        "{submissions_per_day} submissions (submissions_per_day) a day at most; each total is one equation "
        "about the references"
    )
    return Check("hidden_totals", CheckGrade.OK, filled(sentence, kind=kind, **where), where)


def _decimal(value: float) -> Text:
    """Return a number as each language writes it."""
    return Text(str(value), str(value).replace(".", ","))


# Clause: R 7.10, platform §5 assignment
def experts(pool: Sequence[Expert], files: Iterable[tuple[str, str]]) -> Iterator[Check]:
    """Check whether every language and group of the files has two experts, and three, who share no conflict group.

    ``files``: language and group of each. O(groups · experts³).
    """
    for (language, group), count in sorted(Counter(files).items()):
        able = [expert for expert in pool if expert.may_mark(language, group)]
        apart = max((n for n in (1, 2, 3) if _apart(able, n)), default=0)
        grade = CheckGrade.OK if apart == 3 else CheckGrade.WARNING if apart == 2 else CheckGrade.FAILED
        where = {"language": language, "group": group, "experts": len(able), "apart": apart}
        sentence = tr(
            "{language}/{group}, {count} files: {experts} experts, {apart} of them without a common conflict group"
        )
        yield Check("experts", grade, filled(sentence, count=count, **where), where)


def teams(admitted: Sequence[tuple[str, bool, bool]]) -> Check:
    """Check whether teams take part; of each its id, whether it is approved, whether its program has a live token."""
    idle = [team_id for team_id, approved, live in admitted if not (approved and live)]
    able = len(admitted) - len(idle)
    grade = CheckGrade.FAILED if not able else CheckGrade.WARNING if idle else CheckGrade.OK
    listed = f"{len(idle)}: {', '.join(idle)}" if idle else 0
    message = tr("{able} teams can take part; not approved or without a token: {listed}", able=able, listed=listed)
    return Check("teams", grade, message, {"able": able, "unable": idle})


def waiting(answers: int, oldest: Millis | None, now: Millis) -> Check:
    """Check whether answers wait too long for their scores (platform §4: two minutes)."""
    late = oldest is not None and now - oldest > 2 * MINUTE
    grade = CheckGrade.WARNING if late else CheckGrade.OK
    return Check.with_facts("scoring", grade, tr("{answers} answers wait for scores"), answers=answers)


def letters(waiting: Mapping[LetterQueue, int]) -> Check:
    """Check whether jobs that failed for good wait for a decision, by their queues (platform §4)."""
    there = {name.value: count for name, count in waiting.items() if count}
    if not there:
        return Check("dead_letters", CheckGrade.OK, tr("no dead letters"))
    listed = ", ".join(f"{name} {count}" for name, count in sorted(there.items()))
    return Check(
        "dead_letters", CheckGrade.WARNING, tr("dead letters wait for somebody: {queues}", queues=listed), there
    )


def terms(reasons: Iterable[Reason]) -> Iterator[Check]:
    """List notice periods that are not kept; one line where all are."""
    late = [
        Check("notice", CheckGrade.WARNING, reason.message, {"code": reason.code, **reason.where}) for reason in reasons
    ]
    all_kept = Check("notice", CheckGrade.OK, tr("all notice periods are kept"))
    yield from late or [all_kept]


def _apart(pool: Sequence[Expert], count: int) -> bool:
    """Say whether so many of the experts share no conflict group with one another."""
    return any(
        not any(one.conflicts_with(other) for one, other in combinations(chosen, 2))
        for chosen in combinations(pool, count)
    )
