"""How far the experts are, for whoever watches (platform §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from contest.domain.experts.assignment import Assignment
from contest.domain.experts.forecast import Forecast, forecast
from contest.domain.experts.marking import Decision, EssayWork, Marking
from contest.domain.experts.progress import Progress, progress
from contest.domain.experts.refusals import UnknownMarkingError
from contest.domain.experts.speed import Speed, speeds
from contest.domain.moments import MINUTE
from contest.services.experts import calibrating, looking
from contest.services.experts.looking import Bench
from contest.services.platform import Platform
from tracks.capabilities import Agreed
from tracks.protocol import ItemFacts

CALIBRATIONS_SHOWN: Final = 5
"""Of an expert, the latest ones: what somebody did in the first hour says little of today."""


def markings(platform: Platform) -> Sequence[Marking]:
    """Everything that was given to experts, what was begun last first; of one moment, by id."""
    return sorted(platform.experts.markings(), key=lambda each: (-each.created_at, each.marking_id))


@dataclass(frozen=True, slots=True)
class Overview:
    """A marking as its coordinator sees it: progress, when it will end, and how its experts did in calibration."""

    marking: Marking
    progress: Progress
    forecast: Forecast
    calibrations: tuple[Calibrations, ...]


@dataclass(frozen=True, slots=True)
class Calibrations:
    """An expert's calibrations: how many are done, and of the latest ones the mean agreement, in per cent.

    ``experts_accuracy``: what the others of the same essays reach among themselves.
    """

    expert_id: str
    done: int
    accuracy: float | None
    experts_accuracy: float | None


def marking_overview(platform: Platform, marking_id: str) -> Overview:
    """One marking with its progress now; :class:`UnknownMarkingError` for one that is not there.

    Clause: platform §5 progress, platform §5 calibration, R 8.3.2
    """
    found = platform.experts.marking(marking_id)
    if found is None:
        raise UnknownMarkingError
    essays, now = platform.experts.essays(marking_id), platform.clock.now()
    shown = progress(essays, looking.given_in(platform, essays, now))
    calibrated = tuple(_calibrations(platform, each.expert_id) for each in shown.experts)
    # By the minute, so that whoever asks every second is told something new when there is something new.
    return Overview(found, shown, forecast(shown, -(-now // MINUTE) * MINUTE), calibrated)


def _calibrations(platform: Platform, expert_id: str) -> Calibrations:
    """An expert's; a comparison never changes, so each is made once per process."""
    done = [each for each in platform.experts.given_to(expert_id) if each.is_calibration and each.markup is not None]
    latest = sorted(done, key=lambda each: each.assigned_at)[-CALIBRATIONS_SHOWN:]
    found = [_calibrated(platform, expert_id, each) for each in latest]
    means = [calibrating.mean([pair[place] for pair in found]) for place in range(2)]
    return Calibrations(expert_id, len(done), *means)


def _calibrated(platform: Platform, expert_id: str, of: Assignment) -> tuple[float | None, float | None]:
    digest = of.markup.content_sha256 if of.markup else ""
    key = ("calibrated", of.assignment_id, digest)

    def made() -> tuple[float | None, float | None]:
        found = calibrating.calibrated(platform, expert_id, of.assignment_id)
        return found.accuracy, found.experts_accuracy

    return cast(tuple[float | None, float | None], platform.memory.keep(key, made))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the experts of a marking agree, and how fast they are."""

    marking: Marking
    agreement: Any
    """The track's own account."""
    speeds: tuple[Speed, ...]


def marking_agreement(platform: Platform, marking_id: str) -> Agreement:
    """Agreement over the essays whose two independent markups are in, and the experts' speed, with intervals.

    What two markups have in common was found when the rule for a third expert was asked, and is folded here.

    Clause: platform §5 progress, R 8.3.2
    """
    at = looking.bench(platform, marking_id)
    essays = platform.experts.essays(marking_id)
    return _agreement(at, essays, looking.given_in(platform, essays, platform.clock.now()))


@dataclass(frozen=True, slots=True)
class MarkingReport:
    """All that the coordinator of experts reports of a marking, as it is at one moment."""

    progress: Progress
    agreement: Agreement
    pseudonyms: Mapping[str, str]
    """By the experts' ids."""

    @property
    def marking(self) -> Marking:
        """What it is about."""
        return self.agreement.marking


def marking_report(platform: Platform, marking_id: str) -> MarkingReport:
    """Progress, speed, agreement, drift and third experts together; :class:`UnknownMarkingError` without the marking.

    Clause: R 7.10, R 8.3.2, platform §5 progress
    """
    at = looking.bench(platform, marking_id)
    essays = platform.experts.essays(marking_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    names = {each.expert_id: each.pseudonym for each in platform.experts.all()}
    return MarkingReport(progress(essays, given), _agreement(at, essays, given), names)


def _agreement(at: Bench, essays: Sequence[EssayWork], given: Mapping[str, Sequence[Assignment]]) -> Agreement:
    seed = at.parameters.bootstrap_seed
    agreed = [_agreed(each, each.third) for each in essays if each.third is not None and each.third.pair]
    found = at.experts.agreement(agreed, seed)
    return Agreement(at.marking, found, speeds([each for part in given.values() for each in part], seed))


def _agreed(essay: EssayWork, decision: Decision) -> Agreed:
    first, second = decision.experts
    return Agreed(ItemFacts(essay.item_id, essay.language, essay.subject), (first, second), decision.pair)
