"""Suggestions to experts, switched on by a coordinator: of a program's answers, of markups or of a dictionary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from contest import reading, stored_names
from contest.errors import InvalidRequestError, from_reasons
from contest.experts import judged_essays
from contest.experts.judged_essays import Bench
from contest.experts.ports import Written
from contest.experts.rules import assignment
from contest.experts.rules.assignment import Assignment, EssayWork, Suggested
from contest.experts.rules.refusals import UnknownAssignmentError, changed_meanwhile
from contest.people.rules import Change
from contest.platform import Platform
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.texts import tr
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import TakesSuggestions

_TOGETHER: Final = 90
"""Assignments of one transaction, which takes a hundred items."""


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of suggestions: a team's session on the same set, markups by item, or phrases; none: switched off."""

    session_id: str | None = None
    markups: Mapping[str, Any] = field(default_factory=dict)
    phrases: Sequence[tuple[str, str]] = ()

    @property
    def name(self) -> str:
        """Return the name under which the source is recorded with each annotation; empty where it is switched off."""
        if self.session_id is not None:
            return f"session {self.session_id}"
        return "markups" if self.markups else "dictionary" if self.phrases else ""


@dataclass(frozen=True, slots=True)
class Switched:
    """Result of switching: the changed assignments, and the fragments that are suggested in all."""

    assignments: int
    fragments: int


# Clause: R 7.10
def switch(
    platform: Platform, who: str, marking_id: str, source: Source, assignment_ids: Sequence[str] | None
) -> Switched:
    """Switch suggestions on or off for named assignments, or for all of a project that are not opened yet.

    An essay of which the source says nothing stays without suggestions.
    """
    at = judged_essays.bench(platform, marking_id)
    if source.name:
        cycle = reading.cycle_now(platform)
        listed = cycle.set_named(at.marking.set_name) if cycle.name == at.marking.cycle else None
        assignment.refuse_on_barrier(at.marking, None if listed is None else listed.kind)
    essays = {essay.item_id: essay for essay in platform.experts.essays(marking_id)}
    assignments = judged_essays.given_in(platform, tuple(essays.values()), platform.clock.now())
    chosen = _chosen([task for tasks in assignments.values() for task in tasks], assignment_ids)
    chosen_essays = {task.item_id: essays[task.item_id] for task in chosen}
    markups = _markups(platform, at, source, chosen_essays) if source.name else {}
    changed: list[Assignment] = []
    for task in chosen:
        if source.name and task.item_id not in markups:
            continue
        suggested = None
        if source.name:
            markup, fragments = markups[task.item_id]
            content = canonical(markup)
            digest = sha256_hex(content)
            platform.blobs.put_if_absent(stored_names.markup_name(task.assignment_id, digest), content)
            suggested = Suggested(source.name, digest, fragments)
        after = assignment.switched(task, suggested)
        if after is not task:
            changed.append(after)
    _write(platform, who, marking_id, source, changed)
    total = sum(task.suggested.fragments for task in changed if task.suggested)
    return Switched(len(changed), total)


def shown(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment) -> Any:
    """Return an opened assignment's suggestions on the text as it is handed out; None without any."""
    if assignment.suggested is None:
        return None
    item = judged_essays.annotated_item(platform, at, essay)
    return at.experts.earlier(item, _read(platform, assignment, assignment.suggested), assignment.assignment_id)


def counted(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment) -> int | None:
    """Count the suggestions that an annotation has kept; None without suggestions or annotation."""
    if assignment.suggested is None or assignment.markup is None or not isinstance(at.track, TakesSuggestions):
        return None
    own = judged_essays.markup(platform, at, essay, assignment)
    return at.track.kept(_read(platform, assignment, assignment.suggested), own)


def _chosen(assignments: Sequence[Assignment], assignment_ids: Sequence[str] | None) -> Sequence[Assignment]:
    if assignment_ids is not None:
        by_id = {task.assignment_id: task for task in assignments}
        if not by_id.keys() >= set(assignment_ids):
            raise UnknownAssignmentError
        return [by_id[name] for name in dict.fromkeys(assignment_ids)]
    chosen = [task for task in assignments if task.takes_suggestions]
    if not chosen:
        raise RefusedError(
            "suggestions_too_late", tr("suggestions are switched on and off before an independent annotation is opened")
        )
    return chosen


def _markups(
    platform: Platform, at: Bench, source: Source, essays: Mapping[str, EssayWork]
) -> Mapping[str, tuple[Any, int]]:
    """Return the suggested markups with their numbers of fragments, above 0, by item, judged as experts' drafts are."""
    track = at.track
    if not isinstance(track, TakesSuggestions):
        raise RefusedError("no_suggestions_here", tr("the contest {name} takes no suggestions", name=track.name))
    by_item: dict[str, tuple[Any, int]] = {}
    for item_id, raw in _raw(platform, at, track, source, essays):
        judged = at.experts.judge(judged_essays.annotated_item(platform, at, essays[item_id]), raw, at.parameters.track)
        if judged.reasons:
            raise InvalidRequestError([{"item_id": item_id, **detail} for detail in from_reasons(judged.reasons)])
        if count := track.suggestions(judged.markup):
            by_item[item_id] = (judged.markup, count)
    return by_item


def _raw(
    platform: Platform, at: Bench, track: TakesSuggestions, source: Source, essays: Mapping[str, EssayWork]
) -> Iterator[tuple[str, bytes]]:
    if source.session_id is not None:
        yield from _answers(platform, at, source.session_id, essays)
        return
    for item_id, essay in essays.items():
        if source.phrases:
            item = judged_essays.annotated_item(platform, at, essay)
            yield item_id, canonical(track.from_phrases(item, source.phrases, at.parameters.track))
        elif item_id in source.markups:
            yield item_id, canonical(source.markups[item_id])


def _answers(
    platform: Platform, at: Bench, session_id: str, essays: Mapping[str, EssayWork]
) -> Iterator[tuple[str, bytes]]:
    """Yield a closed session's counting answers to essays of the project."""
    session = reading.session(platform, session_id)
    if session is None or (session.cycle, session.order.set_name) != (at.marking.cycle, at.marking.set_name):
        raise RefusedError("no_session_on_the_set", tr("there is no session {name} on this set", name=session_id))
    if session.is_open:
        raise RefusedError("session_not_over", tr("the session still goes on"))
    for delivery in platform.deliveries.of_session(session_id):
        item_id = reading.planned_file(platform, session, delivery.number).item_id
        if delivery.answer is not None and item_id in essays:
            named = (session_id, delivery.number, delivery.answer.content_sha256)
            yield item_id, canonical(judged_essays.answer(platform, named))


def _read(platform: Platform, assignment: Assignment, suggested: Suggested) -> Any:
    return json.loads(platform.blobs.get(stored_names.markup_name(assignment.assignment_id, suggested.content_sha256)))


def _write(platform: Platform, who: str, marking_id: str, source: Source, changed: Sequence[Assignment]) -> None:
    what = "suggestions switched on" if source.name else "suggestions switched off"
    for start in range(0, len(changed), _TOGETHER):
        together = tuple(changed[start : start + _TOGETHER])
        names = [task.assignment_id for task in together]
        change = Change(
            platform.clock.now(), who, what, marking_id, None, {"source": source.name, "assignments": names}
        )
        try:
            platform.experts.write(Written(together), change)
        except LostRaceError:
            raise changed_meanwhile() from None
