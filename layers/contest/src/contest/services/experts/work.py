"""What an expert does with an assignment: look, open, save, hand in, hand back (R 7.10, platform §5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from contest import stored_names
from contest.domain.canonical import sha256_hex
from contest.domain.cycle.cycle import Mode
from contest.domain.cycle.stages import StageName
from contest.domain.experts import assignment as states
from contest.domain.experts.assignment import Assignment, AssignmentState, Draft, standing
from contest.domain.experts.marking import EssayWork, independent_markups
from contest.domain.experts.refusals import (
    MarkupNotValidError,
    RevisionNeededError,
    UnknownDraftError,
)
from contest.domain.moments import SECOND, Millis, iso_or_none
from contest.domain.people.teams import Change, by_person
from contest.errors import AnswerTooLargeError, BusyError, MalformedJsonError, from_reasons
from contest.ports.experts import Written
from contest.services import grounds, reading
from contest.services.experts import looking, third
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from tracks.capabilities import Judged

MAX_DRAFT: Final = 2 * 1024 * 1024
"""Bytes of a draft (markup-scoring §1); more is refused before it is read."""
_NO_JSON: Final = "malformed_json"


@dataclass(frozen=True, slots=True)
class Saved:
    """An assignment with its latest draft judged."""

    assignment: Assignment
    judged: Judged | None
    """None where nothing has been saved."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a third expert is shown: why it was called, and two markups of whom nobody is told."""

    reasons: tuple[Mapping[str, Any], ...]
    markups: tuple[Any, ...]
    comparison: Any
    """The first markup's pairs with the second, what each difference costs, and every metric."""


@dataclass(frozen=True, slots=True)
class Work:
    """An assignment as its expert sees it; all but the first field are there from its opening on."""

    assignment: Assignment
    content: Any = None
    draft: Any = None
    """The latest draft as it was sent."""
    judged: Judged | None = None
    earlier: Earlier | None = None


def own(platform: Platform, expert_id: str) -> Sequence[Assignment]:
    """An expert's assignments as they are now, the oldest first.

    Clause: platform §1 expert, R 2.30
    """
    now = platform.clock.now()
    found = (standing(each, now) for each in platform.experts.given_to(expert_id))
    return sorted(found, key=lambda each: (each.assigned_at, each.assignment_id))


def look(platform: Platform, expert_id: str, assignment_id: str) -> Work:
    """One own assignment; its text only when it has been opened, since from then on the time runs."""
    found = looking.stored(platform, expert_id, assignment_id)
    return _work(platform, standing(found, platform.clock.now()))


def open_assignment(platform: Platform, expert_id: str, assignment_id: str) -> Work:
    """Start the clock and show the text. It starts when the text goes out, so the platform's own time costs nothing.

    Clause: R 7.10, platform §5 time, R 2.30
    """

    def opened(found: Assignment) -> Assignment:
        now = platform.clock.now()
        before = standing(found, now)
        after = states.open_now(before, now)
        if after is not before:
            _refuse_after_results(platform, found, now)
            change = _change(expert_id, "assignment opened", now, before, after)
            platform.experts.write(Written((after,)), change)
        return after

    return _work(platform, _decided(platform, expert_id, assignment_id, opened))


def _refuse_after_results(platform: Platform, found: Assignment, moment: Millis) -> None:
    """Refuse to begin an assignment of a final after the results' last day; what is open already is worked on.

    Clause: R 7.3, R 4.1
    """
    marking, cycle = looking.bench(platform, found.marking_id).marking, reading.cycle_now(platform)
    run = None if marking.run_id is None else platform.runs.get(marking.run_id)
    if run is not None and run.mode is Mode.FINAL and not run.trial and run.cycle == cycle.name:
        grounds.refuse_outside_stage(cycle, StageName.RESULTS, moment)


def save_draft(
    platform: Platform, expert_id: str, assignment_id: str, based_on: int | None, body: bytes, arrival: Millis
) -> Saved:
    """Keep a draft, valid or not, and say what it is worth; a repetition of the request changes nothing.

    What arrived within the time is within it, however long the platform takes. Drafts are their own log: each is a
    version of its own that is never changed.

    Clause: R 2.29, R 7.10, platform §5 time
    """
    if len(body) > MAX_DRAFT:
        raise AnswerTooLargeError.over(len(body), MAX_DRAFT)
    if based_on is None:
        raise RevisionNeededError
    found = looking.stored(platform, expert_id, assignment_id)
    at, essay = looking.bench(platform, found.marking_id), looking.judged_essay(platform, found)
    judged = looking.judged(platform, at, essay, body)
    if any(each.code == _NO_JSON for each in judged.reasons):
        raise MalformedJsonError(from_reasons(judged.reasons))
    digest, pause = sha256_hex(body), at.parameters.experts.autosave_s * SECOND

    def written(known: Assignment) -> Assignment:
        before = standing(known, arrival)
        revision = states.save(before, based_on, digest, arrival, pause=pause)
        if revision is None:
            return before
        draft = Draft(revision, digest, arrival, judged.is_valid)
        platform.blobs.put_if_absent(stored_names.markup_name(assignment_id, digest), body)
        after = states.saved(before, draft)
        platform.experts.write(Written((after,), draft=draft), None)
        return after

    return Saved(_decided(platform, expert_id, assignment_id, written, found), judged)


def drafts(platform: Platform, expert_id: str, assignment_id: str) -> Sequence[Draft]:
    """All versions that were saved of an own assignment, the first one first."""
    looking.stored(platform, expert_id, assignment_id)
    return platform.experts.drafts(assignment_id)


def draft(platform: Platform, expert_id: str, assignment_id: str, revision: int) -> tuple[Draft, Any]:
    """One of them, as it was sent."""
    looking.stored(platform, expert_id, assignment_id)
    found = platform.experts.draft(assignment_id, revision)
    if found is None:
        raise UnknownDraftError
    return found, json.loads(looking.draft_bytes(platform, assignment_id, found))


def hand_in(platform: Platform, expert_id: str, assignment_id: str, based_on: int | None, arrival: Millis) -> Saved:
    """Make the latest draft the markup. When both independent ones are there, the rule for a third expert is asked.

    Clause: R 7.10, platform §5 third
    """
    if based_on is None:
        raise RevisionNeededError

    def written(known: Assignment) -> Assignment:
        before = standing(known, arrival)
        if before.state is AssignmentState.HANDED_IN and before.revision == based_on:
            return before
        try:
            after = states.hand_in(before, based_on, arrival)
        except MarkupNotValidError as refused:
            raise _with_reasons(platform, before, refused) from None
        ended(platform, after, _change(expert_id, "assignment handed in", arrival, before, after))
        return after

    done = _decided(platform, expert_id, assignment_id, written)
    with suppress(BusyError):  # it is handed in; the minute timer asks the rule
        third.consider(platform, done.marking_id, done.item_id)
    return Saved(done, _judged_latest(platform, done))


def hand_back(platform: Platform, expert_id: str, assignment_id: str, reason: str) -> Assignment:
    """Give an essay back, with the reason; what was saved is kept, and the coordinator sees it.

    Clause: platform §5 assignment
    """

    def written(known: Assignment) -> Assignment:
        now = platform.clock.now()
        before = standing(known, now)
        after = states.hand_back(before, reason, now)
        platform.experts.write(Written((after,)), _change(expert_id, "assignment handed back", now, before, after))
        return after

    return _decided(platform, expert_id, assignment_id, written)


def ended(platform: Platform, after: Assignment, change: Change | None) -> None:
    """Write an assignment that has brought a markup, or run out; the essay's rule is due with an independent one."""
    essay = looking.essay_of(platform, after)
    essays: tuple[EssayWork, ...] = ()
    if essay.has_rule and not after.is_third and after.markup is not None:
        essays = (essay.changed(third=essay.third, due=True),)
    platform.experts.write(Written((after,), essays), change)


def described(of: Assignment) -> dict[str, Any]:
    """An assignment as the log of changes tells of it."""
    return {
        "marking_id": of.marking_id,
        "item_id": of.item_id,
        "expert_id": of.expert_id,
        "state": of.state.value,
        "closes_at": iso_or_none(of.closes_at),
        "revision": of.revision,
        "reason": of.reason,
    }


def _change(who: str, what: str, now: Millis, before: Assignment, after: Assignment) -> Change:
    return Change(now, by_person(who), what, after.assignment_id, described(before), described(after))


def _decided(
    platform: Platform,
    expert_id: str,
    assignment_id: str,
    decide: Callable[[Assignment], Assignment],
    known: Assignment | None = None,
) -> Assignment:
    def read() -> Assignment:
        return looking.stored(platform, expert_id, assignment_id)

    return decide_until_written(known or read(), decide, read)


def _with_reasons(platform: Platform, found: Assignment, refused: MarkupNotValidError) -> MarkupNotValidError:
    judged = _judged_latest(platform, found)
    return refused if judged is None else MarkupNotValidError(from_reasons(judged.reasons))


def _judged_latest(platform: Platform, found: Assignment) -> Judged | None:
    if found.latest is None:
        return None
    at, essay = looking.bench(platform, found.marking_id), looking.essay_of(platform, found)
    return looking.judged(platform, at, essay, looking.draft_bytes(platform, found.assignment_id, found.latest))


def _work(platform: Platform, found: Assignment) -> Work:
    if found.opened_at is None:
        return Work(found)
    at, essay = looking.bench(platform, found.marking_id), looking.essay_of(platform, found)
    content = looking.shown(platform, at, essay, found.assignment_id)
    earlier = _earlier(platform, at, essay, found) if found.is_third else None
    if found.latest is None:
        return Work(found, content, earlier=earlier)
    body = looking.draft_bytes(platform, found.assignment_id, found.latest)
    judged = looking.judged(platform, at, essay, body)
    return Work(found, content, json.loads(body), judged, earlier)


def _earlier(platform: Platform, at: looking.Bench, essay: EssayWork, found: Assignment) -> Earlier:
    """The two markups on which the rule was asked.

    Clause: R 7.10, platform §5 third
    """
    two = independent_markups(looking.given(platform, essay, platform.clock.now()))
    item = looking.item(platform, at, essay)
    markups = [looking.markup(platform, at, essay, each) for each in two]
    shown = tuple(at.experts.earlier(item, each, found.assignment_id) for each in markups)
    comparison = at.track.compare(item, markups[0], markups[1], at.parameters.track, x_is_reference=True)
    return Earlier(essay.third.reasons if essay.third else (), shown, comparison)
