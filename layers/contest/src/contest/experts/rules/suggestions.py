"""Suggestions to experts (pre-annotation): where they are allowed, and agreement with and without them.

Suggestions draw an expert towards a program. Where a barrier rests on the experts' annotations, on the files of a final
and on a test set, nobody gets any: the barrier would measure the program against itself (decision 0052).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from contest.cycle.rules.cycle import SetKind
from contest.experts.rules.assignment import Assignment, EssayWork, Marking, Suggested
from contest.refusals import RefusedError
from contest.texts import tr


# Clause: R 7.10
def refuse_on_barrier(marking: Marking, kind: SetKind | None) -> None:
    """Refuse suggestions for annotations on which a barrier rests; ``kind`` is the set's, None of an unknown set."""
    if marking.run_id is not None or kind is not SetKind.TRAINING or marking.is_calibration:
        raise RefusedError(
            "barrier_rests_on_it",
            tr("a barrier rests on these annotations, so their experts get no suggestions; a training set's may"),
        )


def switched(assignment: Assignment, suggested: Suggested | None) -> Assignment:
    """Return an unopened assignment with these suggestions, or with none."""
    if not assignment.takes_suggestions:
        raise RefusedError(
            "suggestions_too_late",
            tr("suggestions are switched on and off before an independent annotation is opened"),
            assignment_id=assignment.assignment_id,
        )
    if assignment.suggested == suggested:
        return assignment
    return replace(assignment, suggested=suggested, version=assignment.version + 1)


def by_suggestions(
    essays: Sequence[EssayWork], assignments: Mapping[str, Sequence[Assignment]]
) -> Mapping[int, Sequence[EssayWork]]:
    """Group the essays with two annotations by how many of the two were made with suggestions; empty where none was."""
    groups: dict[int, list[EssayWork]] = {}
    for essay in essays:
        if essay.third is not None and essay.third.pair:
            pair = [task for task in assignments[essay.item_id] if task.expert_id in essay.third.experts]
            count = sum(task.suggested is not None and task.markup is not None for task in pair)
            groups.setdefault(count, []).append(essay)
    return {} if set(groups) <= {0} else dict(sorted(groups.items()))
