"""The experts' work on a set or on the files of a run: which essays there are and who has had each (R 7.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contest.domain.experts.assignment import Assignment
from contest.domain.experts.sharing_out import INDEPENDENT, Want
from contest.domain.moments import Millis


@dataclass(frozen=True, slots=True)
class Marking:
    """One body of work: the essays of a set, or the files of a run (``run_id``).

    ``manifest``: of a calibration the set's, whose references experts are compared with; else empty.
    """

    marking_id: str
    cycle: str
    track: str
    set_name: str
    run_id: str | None
    parameters_version: int
    created_at: Millis
    essays: int
    manifest: str = ""

    @property
    def is_calibration(self) -> bool:
        """Whether experts mark these essays up to see how far they agree with others."""
        return bool(self.manifest)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule for a third expert said of two markups, and when; no ``reasons``: none is needed.

    ``markups``: the two drafts' SHA-256, in the order of their ``experts``' assignments; ``pair``: what the track tells
    of the two, from which agreement is folded.
    """

    at: Millis
    reasons: tuple[Mapping[str, Any], ...]
    markups: tuple[str, ...]
    experts: tuple[str, ...] = ()
    pair: Any = None

    @property
    def is_needed(self) -> bool:
        """Whether a third expert is to mark the essay up."""
        return bool(self.reasons)


@dataclass(frozen=True, slots=True)
class EssayWork:
    """One essay of a marking. ``content`` is the SHA-256 of the item, ``given`` names (expert, assignment) in the order
    in which they were given, ended ones too. ``due``: markups came in on which the rule has not been asked yet.
    ``is_calibration``: any number of experts mark it up, and no rule is asked. ``answer``: a team's answer whose
    explanations are rated, by session, number and SHA-256; no rule is asked either."""

    marking_id: str
    item_id: str
    language: str
    subject: str
    content: str
    given: tuple[tuple[str, str], ...] = ()
    third: Decision | None = None
    due: bool = False
    is_calibration: bool = False
    answer: tuple[str, int, str] | None = None
    version: int = 0

    @property
    def has_rule(self) -> bool:
        """Whether the rule for a third expert is asked about its markups."""
        return not self.is_calibration and self.answer is None

    def changed(self, added: Sequence[Assignment] = (), *, third: Decision | None, due: bool) -> EssayWork:
        """The essay's next version: with more assignments, with what is known of a third expert."""
        names = tuple((each.expert_id, each.assignment_id) for each in added)
        return replace(self, given=self.given + names, third=third, due=due, version=self.version + 1)


def wanted(essay: EssayWork, given: Sequence[Assignment]) -> Want | None:
    """Which experts an essay lacks now; None where it lacks none.

    Two independent ones, and a third one where the rule asks for it. Whoever has had the essay does not get it again.

    Clause: R 7.10, platform §5 assignment, platform §5 third
    """
    if essay.is_calibration:
        return None
    counting = [each for each in given if each.counts]
    independent = [each for each in counting if not each.is_third]
    lacking = INDEPENDENT - len(independent)
    if lacking <= 0 and essay.third is not None and essay.third.is_needed:
        lacking = 1 - sum(each.is_third for each in counting)
    if lacking <= 0:
        return None
    beside = frozenset(each.expert_id for each in counting)
    barred = frozenset(each.expert_id for each in given) - beside
    return Want(essay.item_id, essay.language, essay.subject, lacking, beside, barred)


def independent_markups(given: Sequence[Assignment]) -> tuple[Assignment, ...]:
    """The independent assignments that have brought a markup, in their order."""
    return tuple(each for each in given if not each.is_third and each.markup is not None)


def markups(given: Sequence[Assignment]) -> tuple[Assignment, ...]:
    """All assignments that have brought a markup: two, or three with the third expert's, in their order."""
    return tuple(each for each in given if each.markup is not None)
