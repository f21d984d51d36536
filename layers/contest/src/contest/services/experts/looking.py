"""Reading what experts work on: markings, essays, drafts, and the track that judges them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from contest import stored_names
from contest.domain.cycle.cycle import Parameters
from contest.domain.experts.assignment import Assignment, Draft, standing
from contest.domain.experts.marking import EssayWork, Marking
from contest.domain.experts.refusals import UnknownAssignmentError, UnknownMarkingError
from contest.domain.moments import Millis
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from tracks.capabilities import Judged, MarkedByExperts
from tracks.protocol import Track

ANSWER_SIZE: Final = 40_000
"""Bytes in memory of an answer, about."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything by which drafts of one marking are judged. It never changes."""

    marking: Marking
    track: Track
    experts: MarkedByExperts
    """The same track, as experts know it."""
    parameters: Parameters

    @property
    def step(self) -> str:
        """The step of an item that experts see, which is the first."""
        return self.track.steps(self.parameters.track)[0].name


def bench(platform: Platform, marking_id: str) -> Bench:
    """By what the drafts of a marking are judged; read once per process."""
    return cast(Bench, platform.memory.keep(("bench", marking_id), lambda: _bench(platform, marking_id)))


def _bench(platform: Platform, marking_id: str) -> Bench:
    marking = platform.experts.marking(marking_id)
    if marking is None:
        raise UnknownMarkingError
    track = platform.tracks(marking.track)
    parameters = reading.parameters(platform, marking.parameters_version)
    return Bench(marking, track, judging(track), parameters)


def judging(track: Track) -> MarkedByExperts:
    """The track as experts know it; a refusal for one whose references nobody makes on the platform."""
    if not isinstance(track, MarkedByExperts):
        raise RefusedError(
            "not_marked_by_experts",
            f"the references of the contest {track.name} are not markups that experts make here",
            f"эталоны конкурса {track.name} — не разметки, которые делают здесь эксперты",
        )
    return track


def essay_of(platform: Platform, found: Assignment) -> EssayWork:
    """The essay of an assignment."""
    essay = platform.experts.essay(found.marking_id, found.item_id)
    if essay is None:
        raise LookupError(f"assignment {found.assignment_id} has no essay {found.item_id}")
    return essay


def judged_essay(platform: Platform, found: Assignment) -> EssayWork:
    """The essay of an assignment, for what never changes of it: by what a draft is judged. Read once per process."""
    key = ("judged essay", found.marking_id, found.item_id)
    return cast(EssayWork, platform.memory.keep(key, lambda: essay_of(platform, found)))


def item(platform: Platform, at: Bench, essay: EssayWork) -> Any:
    """The essay's content as its set has it; not to be changed."""
    return reading.item_content(platform, at.marking.cycle, essay.content)


def draft_bytes(platform: Platform, assignment_id: str, draft: Draft) -> bytes:
    """A draft as it was sent."""
    return platform.blobs.get(stored_names.markup_name(assignment_id, draft.content_sha256))


def judged(platform: Platform, at: Bench, essay: EssayWork, body: bytes) -> Judged:
    """What the track says of a draft."""
    if essay.answer is not None:
        return at.experts.judge_ratings(answer(platform, essay.answer), body, at.parameters.track)
    return at.experts.judge(item(platform, at, essay), body, at.parameters.track)


def answer(platform: Platform, named: tuple[str, int, str]) -> Any:
    """A team's stored answer; not to be changed."""
    name = stored_names.answer_name(*named)
    return platform.memory.keep(name, lambda: json.loads(platform.blobs.get(name)), lambda _: ANSWER_SIZE)


def shown(platform: Platform, at: Bench, essay: EssayWork, file_id: str) -> Any:
    """What an expert sees of an essay, or of an answer whose explanations it rates."""
    content = item(platform, at, essay)
    if essay.answer is not None:
        return at.experts.cards(content, answer(platform, essay.answer), file_id)
    return at.track.hand_out(content, file_id, at.step)


def markup(platform: Platform, at: Bench, essay: EssayWork, found: Assignment) -> Any:
    """The canonical markup that an assignment has brought; LookupError where it brought none."""
    if found.markup is None:
        raise LookupError(f"assignment {found.assignment_id} has no markup")
    return judged(platform, at, essay, draft_bytes(platform, found.assignment_id, found.markup)).markup


def stored(platform: Platform, expert_id: str, assignment_id: str) -> Assignment:
    """An expert's own assignment as last written; anybody else's is unknown.

    Clause: platform §1 expert
    """
    found = platform.experts.assignment(expert_id, assignment_id)
    if found is None:
        raise UnknownAssignmentError
    return found


def given(platform: Platform, essay: EssayWork, now: Millis) -> tuple[Assignment, ...]:
    """All assignments of an essay as they are at a moment, in their order."""
    return tuple(standing(each, now) for each in platform.experts.assignments(essay.given))


def given_in(platform: Platform, essays: Sequence[EssayWork], now: Millis) -> Mapping[str, tuple[Assignment, ...]]:
    """The same of many essays, by item."""
    names = [name for essay in essays for name in essay.given]
    found = {each.assignment_id: standing(each, now) for each in platform.experts.assignments(names)}
    return {essay.item_id: tuple(found[name] for _, name in essay.given if name in found) for essay in essays}
