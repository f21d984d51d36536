"""An expert's work on an assignment: open, save drafts, hand in, hand back; expiry (R 7.10, platform §5).

Suggestions to experts are switched on by a coordinator: of a program's answers, of markups or of a dictionary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.stages import Outside, StageName, stage_named
from contest.errors import AnswerTooLargeError, BusyError, InvalidRequestError, MalformedJsonError, from_reasons
from contest.experts.judged_essays import (
    Bench,
    annotated_item,
    apply_third_expert_rule,
    assignment_markup,
    assignments_at,
    draft_bytes,
    essay_of,
    given_in,
    judged_draft,
    judged_essay,
    judging_facts,
    shown_essay,
    stored_assignment,
    team_answer,
)
from contest.experts.rules import assignment as assignment_rules
from contest.experts.rules.assignment import (
    Assignment,
    AssignmentState,
    Draft,
    EssayWork,
    Suggested,
    assignment_at,
    expired_assignment,
    independent_markups,
    markups,
)
from contest.experts.rules.progress import progress
from contest.experts.rules.sharing_out import (
    MarkupNotValidError,
    RevisionNeededError,
    UnknownAssignmentError,
    UnknownDraftError,
    changed_meanwhile,
)
from contest.people.rules import Change, by_person
from contest.platform import Platform, decide_until_written, read_and_decide
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.room_ports import Written
from contest.session import following
from contest.session.rules.session import IN_FLIGHT
from contest.texts import tr
from contest.values import SECOND, Millis, canonical, iso_or_none, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import Judged, TakesSuggestions

MAX_DRAFT: Final = 2 * 1024 * 1024
"""Bytes of a draft (markup-scoring §1); more is refused before it is read."""
_NO_JSON: Final = "malformed_json"


@dataclass(frozen=True, slots=True)
class Saved:
    """Assignment with its latest draft judged."""

    assignment: Assignment
    judged: Judged | None
    """Judgement of the latest draft; None where nothing has been saved."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Earlier work shown to a third expert: the reasons of the call, and two annotations without authors."""

    reasons: tuple[Mapping[str, Any], ...]
    markups: tuple[Any, ...]
    comparison: Any
    """Pairs of the first annotation with the second, the cost of each difference, and every metric."""


@dataclass(frozen=True, slots=True)
class Work:
    """Assignment as its expert sees it; all but the first field are there from its opening on."""

    assignment: Assignment
    content: Any = None
    draft: Any = None
    """The latest draft as it was sent."""
    judged: Judged | None = None
    earlier: Earlier | None = None
    suggested: Any = None
    """The suggestions, in the form of an earlier markup."""
    decided: Earlier | None = None
    """The third expert's annotation and the own one, when the rules allow it."""
    open_until: Millis | None = None
    """Moment from which the opening is refused, until it is opened; None where it never is refused."""


# Clause: platform §1 expert, R 2.30
def own_assignments(platform: Platform, expert_id: str) -> Sequence[Work]:
    """List an expert's present assignments without their texts, the oldest first."""
    now = platform.clock.now()
    assignments = [assignment_at(assignment, now) for assignment in platform.experts.given_to(expert_id)]
    unopened = {task.marking_id for task in assignments if task.state is AssignmentState.ASSIGNED}
    closings = {marking_id: _open_until(platform, marking_id) for marking_id in unopened}
    assignments.sort(key=lambda task: (task.assigned_at, task.assignment_id))
    return [
        Work(task, open_until=closings[task.marking_id] if task.state is AssignmentState.ASSIGNED else None)
        for task in assignments
    ]


def own_assignment(platform: Platform, expert_id: str, assignment_id: str) -> Work:
    """Return one own assignment; its text only after the opening, since from then on the time runs."""
    assignment = stored_assignment(platform, expert_id, assignment_id)
    return _work(platform, assignment_at(assignment, platform.clock.now()))


# Clause: R 7.10, platform §5 time, R 2.30, R 7.3, R 4.1
def open_assignment(platform: Platform, expert_id: str, assignment_id: str) -> Work:
    """Start the clock and return the text. It starts when the text is sent: the platform's time costs nothing."""

    def opened(assignment: Assignment) -> Assignment:
        now = platform.clock.now()
        before = assignment_at(assignment, now)
        after = assignment_rules.open_now(before, now)
        if after is not before:
            if _is_of_final(platform, assignment.marking_id):
                following.refuse_outside_stage(reading.cycle_now(platform), StageName.RESULTS, now)
            change = _change(expert_id, "assignment opened", now, before, after)
            platform.experts.write(Written((after,)), change)
        return after

    return _work(platform, _decided(platform, expert_id, assignment_id, opened))


def _is_of_final(platform: Platform, marking_id: str) -> bool:
    """Return whether the essays are the files of a final of the present cycle that counts."""
    run_id = judging_facts(platform, marking_id).marking.run_id
    run = None if run_id is None else platform.runs.get(run_id)
    is_final = run is not None and run.mode is Mode.FINAL and not run.trial
    return is_final and run is not None and run.cycle == reading.cycle_now(platform).name


def _open_until(platform: Platform, marking_id: str) -> Millis | None:
    """Return the end of the results stage where later openings are refused; None where there is no such end."""
    cycle = reading.cycle_now(platform)
    stage = stage_named(cycle.stages, StageName.RESULTS)
    if stage is None or stage.outside != Outside.REFUSE or not _is_of_final(platform, marking_id):
        return None
    return stage.ends_at(cycle.calendar)


# Clause: R 2.29, R 7.10, platform §5 time
def save_draft(
    platform: Platform, expert_id: str, assignment_id: str, based_on: int | None, body: bytes, arrival: Millis
) -> Saved:
    """Save a draft, valid or not, and return its judgement; a repeated request changes nothing.

    A draft that arrived in time counts, however long the platform takes. Drafts are their own log: each is a
    version of its own that is never changed.
    """
    if len(body) > MAX_DRAFT:
        raise AnswerTooLargeError.over(len(body), MAX_DRAFT)
    if based_on is None:
        raise RevisionNeededError
    assignment = stored_assignment(platform, expert_id, assignment_id)
    at, essay = judging_facts(platform, assignment.marking_id), judged_essay(platform, assignment)
    judged = judged_draft(platform, at, essay, body)
    if any(reason.code == _NO_JSON for reason in judged.reasons):
        raise MalformedJsonError(from_reasons(judged.reasons))
    digest, pause = sha256_hex(body), at.parameters.experts.autosave_s * SECOND

    def written(current: Assignment) -> Assignment:
        before = assignment_at(current, arrival)
        revision = assignment_rules.next_revision(before, based_on, digest, arrival, pause=pause)
        if revision is None:
            return before
        draft = Draft(revision, digest, arrival, judged.is_valid)
        platform.blobs.put_if_absent(stored_names.markup_name(assignment_id, digest), body)
        after = assignment_rules.with_draft(before, draft)
        platform.experts.write(Written((after,), draft=draft), None)
        return after

    return Saved(_decided(platform, expert_id, assignment_id, written, assignment), judged)


def drafts(platform: Platform, expert_id: str, assignment_id: str) -> Sequence[Draft]:
    """Return all versions that were saved of an own assignment, the first one first."""
    stored_assignment(platform, expert_id, assignment_id)
    return platform.experts.drafts(assignment_id)


def draft(platform: Platform, expert_id: str, assignment_id: str, revision: int) -> tuple[Draft, Any]:
    """Return one saved version, as it was sent."""
    stored_assignment(platform, expert_id, assignment_id)
    saved_draft = platform.experts.draft(assignment_id, revision)
    if saved_draft is None:
        raise UnknownDraftError
    return saved_draft, json.loads(draft_bytes(platform, assignment_id, saved_draft))


# Clause: R 7.10, platform §5 third
def hand_in(platform: Platform, expert_id: str, assignment_id: str, based_on: int | None, arrival: Millis) -> Saved:
    """Make the latest draft the annotation; with both independent ones, apply the rule for a third expert."""
    if based_on is None:
        raise RevisionNeededError

    def written(current: Assignment) -> Assignment:
        before = assignment_at(current, arrival)
        if before.state is AssignmentState.HANDED_IN and before.revision == based_on:
            return before
        try:
            after = assignment_rules.hand_in(before, based_on, arrival)
        except MarkupNotValidError as refused:
            judged = _judged_latest(platform, before)
            raise (refused if judged is None else MarkupNotValidError(from_reasons(judged.reasons))) from None
        write_ended(platform, after, _change(expert_id, "assignment handed in", arrival, before, after))
        return after

    done = _decided(platform, expert_id, assignment_id, written)
    with suppress(BusyError):  # it is handed in; the minute timer asks the rule
        apply_third_expert_rule(platform, done.marking_id, done.item_id)
    return Saved(done, _judged_latest(platform, done))


# Clause: platform §5 assignment
def hand_back(platform: Platform, expert_id: str, assignment_id: str, reason: str) -> Assignment:
    """Hand an essay back for a reason; keep the drafts and show the reason to the coordinator."""

    def written(current: Assignment) -> Assignment:
        now = platform.clock.now()
        before = assignment_at(current, now)
        after = assignment_rules.hand_back(before, reason, now)
        platform.experts.write(Written((after,)), _change(expert_id, "assignment handed back", now, before, after))
        return after

    return _decided(platform, expert_id, assignment_id, written)


def write_note(platform: Platform, expert_id: str, assignment_id: str, text: str) -> Assignment:
    """Replace the expert's note for coordinators on an essay; an equal one changes nothing."""

    def written(current: Assignment) -> Assignment:
        now = platform.clock.now()
        before = assignment_at(current, now)
        after = assignment_rules.with_note(before, text)
        if after is not before:
            # As it was written: that its time is over is recorded by the timer, with the essay's rule.
            noted = replace(current, note=after.note, version=after.version)
            notes = ({"note": before.note}, {"note": after.note})
            change = Change(now, by_person(expert_id), "assignment noted", assignment_id, *notes)
            platform.experts.write(Written((noted,)), change)
        return after

    return _decided(platform, expert_id, assignment_id, written)


def write_ended(platform: Platform, after: Assignment, change: Change | None) -> None:
    """Write an assignment that has brought a markup, or run out; the essay's rule is due with an independent one.

    The number of suggestions that the annotation has kept is written with it.
    """
    essay = essay_of(platform, after)
    if after.suggested is not None:
        kept_count = _kept_suggestions(platform, judging_facts(platform, after.marking_id), essay, after)
        after = replace(after, suggested=replace(after.suggested, kept=kept_count))
    essays: tuple[EssayWork, ...] = ()
    if essay.has_rule and not after.is_third and after.markup is not None:
        essays = (essay.changed(third=essay.third, due=True),)
    platform.experts.write(Written((after,), essays), change)


def describe_assignment(assignment: Assignment) -> dict[str, Any]:
    """Describe an assignment for the log of changes."""
    return {
        "marking_id": assignment.marking_id,
        "item_id": assignment.item_id,
        "expert_id": assignment.expert_id,
        "state": assignment.state.value,
        "closes_at": iso_or_none(assignment.closes_at),
        "revision": assignment.revision,
        "reason": assignment.reason,
    }


def _change(who: str, what: str, now: Millis, before: Assignment, after: Assignment) -> Change:
    return Change(
        now, by_person(who), what, after.assignment_id, describe_assignment(before), describe_assignment(after)
    )


def _decided(
    platform: Platform,
    expert_id: str,
    assignment_id: str,
    decide: Callable[[Assignment], Assignment],
    current: Assignment | None = None,
) -> Assignment:
    def read() -> Assignment:
        return stored_assignment(platform, expert_id, assignment_id)

    return decide_until_written(current or read(), decide, read)


def _judged_latest(platform: Platform, assignment: Assignment) -> Judged | None:
    if assignment.latest is None:
        return None
    at, essay = judging_facts(platform, assignment.marking_id), essay_of(platform, assignment)
    return judged_draft(platform, at, essay, draft_bytes(platform, assignment.assignment_id, assignment.latest))


def _work(platform: Platform, assignment: Assignment) -> Work:
    if assignment.opened_at is None:
        is_waiting = assignment.state is AssignmentState.ASSIGNED
        return Work(assignment, open_until=_open_until(platform, assignment.marking_id) if is_waiting else None)
    at, essay = judging_facts(platform, assignment.marking_id), essay_of(platform, assignment)
    content = shown_essay(platform, at, essay, assignment.assignment_id)
    earlier = _earlier(platform, at, essay, assignment) if assignment.is_third else None
    suggested = _suggestions(platform, at, essay, assignment)
    if assignment.latest is None:
        return Work(assignment, content, earlier=earlier, suggested=suggested)
    body = draft_bytes(platform, assignment.assignment_id, assignment.latest)
    judged = judged_draft(platform, at, essay, body)
    decided = None if assignment.is_third else _decided_otherwise(platform, at, essay, assignment)
    return Work(assignment, content, json.loads(body), judged, earlier, suggested, decided)


# Clause: R 7.10, platform §5 third
def _earlier(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment) -> Earlier:
    """Return the two annotations on which the rule for a third expert decided."""
    two = independent_markups(assignments_at(platform, essay, platform.clock.now()))
    item = annotated_item(platform, at, essay)
    markups = [assignment_markup(platform, at, essay, assignment) for assignment in two]
    views = tuple(at.experts.earlier(item, earlier_markup, assignment.assignment_id) for earlier_markup in markups)
    comparison = at.track.compare(item, markups[0], markups[1], at.parameters.track, x_is_reference=True)
    return Earlier(essay.third.reasons if essay.third else (), views, comparison)


# Clause: platform §5 third
def _decided_otherwise(platform: Platform, at: Bench, essay: EssayWork, own: Assignment) -> Earlier | None:
    """Return the third expert's annotation beside the own one, without a name; None before the rules allow it."""
    if own.markup is None or essay.third is None or not essay.third.is_needed:
        return None
    assignments = assignments_at(platform, essay, platform.clock.now())
    thirds = [assignment for assignment in markups(assignments) if assignment.is_third]
    if not thirds or not _shows_thirds(platform, at):
        return None
    item = annotated_item(platform, at, essay)
    two = [assignment_markup(platform, at, essay, assignment) for assignment in (thirds[-1], own)]
    views = tuple(at.experts.earlier(item, view, own.assignment_id) for view in two)
    comparison = at.track.compare(item, two[0], two[1], at.parameters.track, x_is_reference=True)
    return Earlier(essay.third.reasons, views, comparison)


# Clause: platform §5 third
def _shows_thirds(platform: Platform, at: Bench) -> bool:
    """Return whether experts may see where the third one decided otherwise.

    Files of a run: when its results are published. A set: when all its essays are done, so that nobody who still works
    on it is told how a third expert decides. Never where the cycle's parameter forbids it.
    """
    if not at.parameters.experts.third_shown:
        return False
    if at.marking.run_id is not None:
        run = platform.runs.get(at.marking.run_id)
        return run is not None and run.published_at is not None
    essays = platform.experts.essays(at.marking.marking_id)
    assignments = given_in(platform, essays, platform.clock.now())
    return all(row.is_done for row in progress(essays, assignments).essays)


# Clause: R 7.10, platform §5 time
def expire(platform: Platform, expert_id: str, assignment_id: str, now: Millis) -> int:
    """Write down that an assignment's time is over; 1 if it was.

    It waits as long beyond the limit as a request may be under way, so that a draft which arrived in time is saved
    before. Readers see it as expired meanwhile all the same.
    """

    def written(assignment: Assignment | None) -> int:
        after = None if assignment is None else expired_assignment(assignment, now - IN_FLIGHT)
        if after is None:
            return 0
        write_ended(platform, after, None)
        return 1

    return read_and_decide(lambda: platform.experts.assignment(expert_id, assignment_id), written)


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
def switch_suggestions(
    platform: Platform, who: str, marking_id: str, source: Source, assignment_ids: Sequence[str] | None
) -> Switched:
    """Switch suggestions on or off for named assignments, or for all of a project that are not opened yet.

    An essay without suggestions in the source stays without any.
    """
    at = judging_facts(platform, marking_id)
    if source.name:
        cycle = reading.cycle_now(platform)
        listed = cycle.set_named(at.marking.set_name) if cycle.name == at.marking.cycle else None
        assignment_rules.refuse_on_barrier(at.marking, None if listed is None else listed.kind)
    essays = {essay.item_id: essay for essay in platform.experts.essays(marking_id)}
    assignments = given_in(platform, tuple(essays.values()), platform.clock.now())
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
        after = assignment_rules.with_suggestions(task, suggested)
        if after is not task:
            changed.append(after)
    _write(platform, who, marking_id, source, changed)
    total = sum(task.suggested.fragments for task in changed if task.suggested)
    return Switched(len(changed), total)


def _suggestions(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment) -> Any:
    """Return an opened assignment's suggestions on the text as it is handed out; None without any."""
    if assignment.suggested is None:
        return None
    item = annotated_item(platform, at, essay)
    return at.experts.earlier(item, _read(platform, assignment, assignment.suggested), assignment.assignment_id)


def _kept_suggestions(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment) -> int | None:
    """Count the suggestions that an annotation has kept; None without suggestions or annotation."""
    if assignment.suggested is None or assignment.markup is None or not isinstance(at.track, TakesSuggestions):
        return None
    own = assignment_markup(platform, at, essay, assignment)
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
        judged = at.experts.judge(annotated_item(platform, at, essays[item_id]), raw, at.parameters.track)
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
            item = annotated_item(platform, at, essay)
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
            yield item_id, canonical(team_answer(platform, named))


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
