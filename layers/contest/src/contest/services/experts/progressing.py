"""How far the experts are, for whoever watches (platform §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contest.domain.experts.assignment import Assignment
from contest.domain.experts.marking import Decision, EssayWork, Marking
from contest.domain.experts.progress import Progress, progress
from contest.domain.experts.refusals import UnknownMarkingError
from contest.domain.experts.speed import Speed, speeds
from contest.services.experts import looking
from contest.services.experts.looking import Bench
from contest.services.platform import Platform
from tracks.protocol import Agreed, ItemFacts


def markings(platform: Platform) -> Sequence[Marking]:
    """Everything that was given to experts."""
    return platform.experts.markings()


def marking_progress(platform: Platform, marking_id: str) -> tuple[Marking, Progress]:
    """One marking with its progress now; :class:`UnknownMarkingError` for one that is not there.

    Clause: platform §5 progress, R 8.3.2
    """
    found = platform.experts.marking(marking_id)
    if found is None:
        raise UnknownMarkingError
    essays = platform.experts.essays(marking_id)
    return found, progress(essays, looking.given_in(platform, essays, platform.clock.now()))


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
