"""The checker: reads a history and says, check by check, whether it proves what a final has to be (platform §3, §4).

It shares no code with the contest but the scoring library. A check that cannot even read what it needs fails, with
what it missed as its counter-example: a history that says too little proves nothing. So does one that has fewer cases
than a rehearsal of its size (:mod:`local.rehearsal.proof.least`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from local.rehearsal.history import Story
from local.rehearsal.proof import (
    checks_answers,
    checks_archive,
    checks_attack,
    checks_beside,
    checks_channel,
    checks_crowd,
    checks_decisions,
    checks_dialogues,
    checks_experts,
    checks_files,
    checks_items,
    checks_latency,
    checks_markups,
    checks_practice,
    checks_programs,
    checks_prying,
    checks_qualifying,
    checks_reports,
    checks_results,
)
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.kinds import ESSAY, KINDS, PROGRAMS, Kind
from local.rehearsal.proof.least import (
    LEAST,
    LEAST_OF_PROGRAMS,
    NEVER_PLAYED,
    NEVER_PLAYED_OF_ITEMS,
    NEVER_PLAYED_OF_PROGRAMS,
    Least,
    Size,
    least_of_items,
    too_few,
    unexercised,
)
from local.rehearsal.proof.program_case import ProgramCase

CHECKS: Final[tuple[tuple[str, Callable[[Case], Check]], ...]] = (
    ("acknowledged_kept", checks_answers.acknowledged),
    ("late_not_accepted", checks_answers.none_late),
    ("on_time_not_refused", checks_answers.none_refused),
    ("deadlines_told", checks_answers.deadlines),
    ("ten_sends", checks_answers.ten_sends),
    ("one_winner", checks_answers.one_winner),
    ("nothing_early", checks_files.opened_on_time),
    ("files_as_committed", checks_files.handed_out_as_promised),
    ("nothing_stuck", checks_files.none_stuck),
    ("causes_by_the_rules", checks_files.causes_right),
    ("scored_once", checks_results.scored_once),
    ("commitment_kept", checks_results.commitment),
    ("replay_agrees", checks_results.same_board),
    ("no_faults_no_voids", checks_files.quiet),
    ("channel_kept", checks_channel.kept),
    ("not_yet_told", checks_prying.early_refused),
    ("others_kept", checks_prying.others_kept),
    ("joined_once", checks_prying.joined_once),
    ("texts_in_time", checks_prying.texts_in_time),
    ("strangers_kept_out", checks_crowd.kept_out),
    ("references_hidden", checks_attack.learned_nothing),
    ("decisions_kept", checks_decisions.kept),
    ("sessions_chosen", checks_practice.chosen),
    ("sessions_ended", checks_practice.ended),
    ("requests_limited", checks_practice.limited),
    ("own_kept", checks_practice.own),
    ("markups_kept", checks_markups.kept),
    ("readiness_concluded", checks_qualifying.ready),
    ("admitted_by_steps", checks_qualifying.steps),
    ("one_entry_each", checks_qualifying.best_entry),
    ("trial_apart", checks_qualifying.trial),
    ("failure_proposed", checks_qualifying.failure),
    ("begun_anew", checks_qualifying.anew),
    ("beside_as_promised", checks_beside.kept),
    ("channel_alive", checks_channel.alive),
    ("latency_given_back", checks_latency.given_back),
    ("held_in_real_time", checks_latency.held),
    ("experts_apart", checks_experts.apart),
    ("experts_counted", checks_experts.counted),
    ("reports_agree", checks_reports.told),
    ("archive_kept", checks_archive.kept),
)
"""All checks in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What is proved of one kind of stage: its checks in the order in which they are shown, how many cases each has at
    least, and what no rehearsal of the kind plays."""

    checks: tuple[tuple[str, Callable[[Any], Check]], ...]
    least: Least
    never_played: tuple[str, ...]
    case: Callable[[Story], Any] = Case
    """What its checks look at."""

    def of(self, story: Story) -> tuple[Check, ...]:
        """All checks of a history. A history without the run's description and the keys raises KeyError."""
        case = self.case(story)
        return tuple(self._checked(name, run, case) for name, run in self.checks)

    def _checked(self, name: str, run: Callable[[Any], Check], case: Any) -> Check:
        try:
            found = run(case)
            few = too_few(name, found.examined, Size.of(case.story.header), self.least)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration) as error:
            return Check(name, 0, [f"the history cannot be read: {type(error).__name__} {error}"])
        found.faults += [few] if few else []
        return found

    def unexercised(self, size: Size) -> tuple[str, ...]:
        """What a rehearsal of this size did not exercise, by the names of the reasons."""
        return tuple(unexercised(size, self.least, self.never_played))


_OF_ITEMS: Final[Mapping[str, Callable[[Case], Check]]] = {
    "scored_once": checks_items.scored_once,
    "replay_agrees": checks_items.same_boards,
    "archive_kept": checks_archive.kept_of_items,
}
_ESSAYS_ALONE: Final = frozenset(
    {
        "channel_kept",
        "channel_alive",
        "sessions_chosen",
        "sessions_ended",
        "requests_limited",
        "own_kept",
        "markups_kept",
        "readiness_concluded",
        "admitted_by_steps",
        "one_entry_each",
        "trial_apart",
        "failure_proposed",
        "begun_anew",
        "beside_as_promised",
        "latency_given_back",
        "held_in_real_time",
        "experts_apart",
        "experts_counted",
        "reports_agree",
    }
)


def _of_items(kind: Kind) -> Proof:
    """What is proved of a run of a contest whose missed items are wrong, and of its dialogues, if it has them."""
    own: dict[str, Callable[[Case], Check]] = {name: run for name, run in CHECKS if name not in _ESSAYS_ALONE}
    own |= _OF_ITEMS
    own |= {"responses_kept": checks_dialogues.responses_kept} if kind.is_dialogue else {}
    least = {**LEAST, **least_of_items(kind.publications, kept_back=kind.is_kept_back)}
    return Proof(tuple(own.items()), {name: least[name] for name in own}, NEVER_PLAYED_OF_ITEMS)


PROOFS: Final[Mapping[str, Proof]] = {
    ESSAY: Proof(CHECKS, LEAST, NEVER_PLAYED),
    **{name: _of_items(kind) for name, kind in KINDS.items()},
    PROGRAMS: Proof(checks_programs.CHECKS, LEAST_OF_PROGRAMS, NEVER_PLAYED_OF_PROGRAMS, ProgramCase),
}
"""By the kind of stage that a history's header names; the essays' final where it names none."""


def proof_of(header: Mapping[str, Any]) -> Proof:
    """What is proved of the stage that a header tells of. KeyError for a kind that there is not."""
    return PROOFS[header.get("stage", ESSAY)]


def check(story: Story) -> tuple[Check, ...]:
    """All checks of a history, by its kind of stage; raises as :meth:`Proof.of` does."""
    return proof_of(story.header).of(story)
