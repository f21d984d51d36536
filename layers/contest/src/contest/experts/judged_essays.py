"""Essays of an annotation project: read with the track that judges them; the third expert (R 7.10, platform §5).

Gold is made of the annotations that experts handed in (R 7.10, 7.14), and of ratings of explanations (R-App1 M7).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import Mode, Parameters
from contest.experts.rules.assignment import (
    UNDER_WAY,
    Assignment,
    Decision,
    Draft,
    EssayWork,
    Marking,
    assignment_at,
    independent_markups,
    markups,
    missing_experts,
)
from contest.experts.rules.progress import progress
from contest.experts.rules.sharing_out import (
    INDEPENDENT,
    Expert,
    UnknownAssignmentError,
    UnknownMarkingError,
    share_out,
)
from contest.platform import Platform, read_and_decide
from contest.refusals import RefusedError
from contest.room_ports import Written
from contest.run.rules.run import Run
from contest.texts import tr
from contest.values import SECOND, Millis, canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import Judged, MarkedByExperts, TakesSuggestions
from tracks.protocol import Track

ANSWER_SIZE: Final = 40_000
"""Approximate bytes of an answer in memory."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that judges the drafts of one annotation project. It never changes."""

    marking: Marking
    track: Track
    experts: MarkedByExperts
    """The same track, as experts know it."""
    parameters: Parameters

    @property
    def step(self) -> str:
        """Return the first step of an item, which experts see."""
        return self.track.steps(self.parameters.track)[0].name


def judging_facts(platform: Platform, marking_id: str) -> Bench:
    """Return the track, parameters and project by which drafts are judged; read once per process."""

    def read() -> Bench:
        marking = platform.experts.marking(marking_id)
        if marking is None:
            raise UnknownMarkingError
        return bench_of(platform, marking)

    return cast(Bench, platform.memory.keep(("bench", marking_id), read))


def bench_of(platform: Platform, marking: Marking) -> Bench:
    """Return the track and parameters of an annotation project, stored or not yet."""
    track = reading.track_of(platform, marking)
    parameters = reading.parameters(platform, marking.parameters_version)
    return Bench(marking, track, judging_track(track), parameters)


def judging_track(track: Track) -> MarkedByExperts:
    """Return the track with the experts' methods; refuse one whose references are not annotated here."""
    if not isinstance(track, MarkedByExperts):
        raise RefusedError(
            "not_marked_by_experts",
            tr("the references of the contest {name} are not markups that experts make here", name=track.name),
        )
    return track


def essay_of(platform: Platform, assignment: Assignment) -> EssayWork:
    """Return the essay of an assignment."""
    essay = platform.experts.essay(assignment.marking_id, assignment.item_id)
    if essay is None:
        raise LookupError(f"assignment {assignment.assignment_id} has no essay {assignment.item_id}")
    return essay


def judged_essay(platform: Platform, assignment: Assignment) -> EssayWork:
    """Return an assignment's essay for judging drafts: its unchanging parts, read once per process."""
    key = ("judged essay", assignment.marking_id, assignment.item_id)
    return cast(EssayWork, platform.memory.keep(key, lambda: essay_of(platform, assignment)))


def annotated_item(platform: Platform, at: Bench, essay: EssayWork) -> Any:
    """Return the essay's content as its set has it; not to be changed."""
    return reading.item_content(platform, at.marking.cycle, essay.content)


def draft_bytes(platform: Platform, assignment_id: str, draft: Draft) -> bytes:
    """Return a draft as it was sent."""
    return platform.blobs.get(stored_names.markup_name(assignment_id, draft.content_sha256))


def judged_draft(platform: Platform, at: Bench, essay: EssayWork, body: bytes) -> Judged:
    """Return the track's judgement of a draft."""
    if essay.answer is not None:
        return at.experts.judge_ratings(team_answer(platform, essay.answer), body, at.parameters.track)
    return at.experts.judge(annotated_item(platform, at, essay), body, at.parameters.track)


def team_answer(platform: Platform, named: tuple[str, int, str]) -> Any:
    """Return a team's stored answer; not to be changed."""
    name = stored_names.answer_name(*named)
    return platform.memory.keep(name, lambda: json.loads(platform.blobs.get(name)), lambda _: ANSWER_SIZE)


def shown_essay(platform: Platform, at: Bench, essay: EssayWork, file_id: str) -> Any:
    """Return an essay, or an answer with explanations to rate, in the expert's form."""
    content = annotated_item(platform, at, essay)
    if essay.answer is not None:
        return at.experts.cards(content, team_answer(platform, essay.answer), file_id)
    return at.track.hand_out(content, file_id, at.step)


def assignment_markup(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment) -> Any:
    """Return the canonical annotation of an assignment; LookupError where it brought none."""
    if assignment.markup is None:
        raise LookupError(f"assignment {assignment.assignment_id} has no markup")
    return judged_draft(platform, at, essay, draft_bytes(platform, assignment.assignment_id, assignment.markup)).markup


# Clause: platform §1 expert
def stored_assignment(platform: Platform, expert_id: str, assignment_id: str) -> Assignment:
    """Return an expert's own assignment as last written; any other is unknown."""
    assignment = platform.experts.assignment(expert_id, assignment_id)
    if assignment is None:
        raise UnknownAssignmentError
    return assignment


def assignments_at(platform: Platform, essay: EssayWork, now: Millis) -> tuple[Assignment, ...]:
    """Return all assignments of an essay as they are at a moment, in their order."""
    return tuple(assignment_at(assignment, now) for assignment in platform.experts.assignments(essay.given))


def given_in(platform: Platform, essays: Sequence[EssayWork], now: Millis) -> Mapping[str, tuple[Assignment, ...]]:
    """Return the assignments of many essays, by item."""
    names = [name for essay in essays for name in essay.given]
    assignments = {
        assignment.assignment_id: assignment_at(assignment, now) for assignment in platform.experts.assignments(names)
    }
    return {
        essay.item_id: tuple(assignments[name] for _, name in essay.given if name in assignments) for essay in essays
    }


# Clause: R 7.10, platform §5 third
def apply_third_expert_rule(platform: Platform, marking_id: str, item_id: str) -> bool:
    """Apply the rule for a third expert to an essay with changed annotations, and assign the third expert if needed.

    Nothing happens while fewer than two independent markups are there. A rule that was asked about the same two
    markups is not asked again. Where no third expert can be found, the reasons are kept and the coordinator sees that
    one is lacking. Return whether anything was decided.
    """

    def decided(essay: EssayWork | None) -> bool:
        if essay is None or not essay.due:
            return False
        at = judging_facts(platform, marking_id)
        # As they are written: an assignment that has run out may still get a draft that arrived in time.
        assignments = platform.experts.assignments(essay.given)
        two = independent_markups(assignments)
        decision = _decision(platform, at, essay, two)
        added = _third(platform, at, replace(essay, third=decision), assignments)
        platform.experts.write(Written(added, (essay.changed(added, third=decision, due=False),), two), None)
        return True

    return read_and_decide(lambda: platform.experts.essay(marking_id, item_id), decided)


# Clause: R 7.10, platform §5 third
def assign_third_expert(platform: Platform, marking_id: str, item_id: str) -> bool:
    """Assign the third expert that an essay needs and lacks; return whether one was assigned."""

    def called(essay: EssayWork | None) -> bool:
        if essay is None or essay.third is None or not essay.third.is_needed:
            return False
        assignments = platform.experts.assignments(essay.given)
        added = _third(platform, judging_facts(platform, marking_id), essay, assignments)
        if added:
            changed = essay.changed(added, third=essay.third, due=essay.due)
            platform.experts.write(Written(added, (changed,), independent_markups(assignments)), None)
        return bool(added)

    return read_and_decide(lambda: platform.experts.essay(marking_id, item_id), called)


def assignments_now(
    at: Bench, essay: EssayWork, expert_id: str, assignment_id: str, now: Millis, *, is_third: bool, words: int
) -> Assignment:
    """Return a new assignment, with the time that the cycle gives for such an essay."""
    limit = at.parameters.experts.limit_of(essay.subject) * SECOND
    place = (essay.marking_id, essay.item_id, expert_id, essay.language, essay.subject)
    calibrates = essay.is_calibration
    return Assignment(
        assignment_id,
        *place,
        is_third,
        limit,
        now,
        is_calibration=calibrates,
        is_rating=essay.answer is not None,
        version=1,
        words=words,
    )


def counted_words(platform: Platform, at: Bench, essays: Sequence[EssayWork]) -> Mapping[str, int]:
    """Return the words of each essay, between blanks, by item; of a text in several versions those of the longest."""
    names = {essay.item_id: reading.item_name(at.marking.cycle, essay.content) for essay in essays}
    stored = platform.blobs.get_all(sorted(set(names.values())))
    texts = {item_id: at.track.texts(json.loads(stored[name])) for item_id, name in names.items()}
    return {item_id: max((len(text.split()) for text in versions), default=0) for item_id, versions in texts.items()}


def loads(platform: Platform, experts: Sequence[Expert], marking_id: str) -> dict[str, int]:
    """Return the number of essays of each expert: of this project all that count, of others the unfinished ones."""
    return {
        expert.expert_id: sum(
            assignment.state in UNDER_WAY or (assignment.marking_id == marking_id and assignment.counts)
            for assignment in platform.experts.given_to(expert.expert_id)
            if not assignment.is_calibration
        )
        for expert in experts
    }


def _decision(platform: Platform, at: Bench, essay: EssayWork, two: Sequence[Assignment]) -> Decision | None:
    if len(two) < INDEPENDENT:
        return None
    hashes = tuple(assignment.markup.content_sha256 for assignment in two if assignment.markup)
    if essay.third is not None and essay.third.markups == hashes:
        return essay.third
    first, second = (assignment_markup(platform, at, essay, assignment) for assignment in two)
    item, rules = annotated_item(platform, at, essay), at.parameters.track
    track_reasons = at.experts.third_expert(item, first, second, rules)
    reasons: list[dict[str, Any]] = [
        {"code": reason.code, "message": reason.message.en, "message_ru": reason.message.ru} for reason in track_reasons
    ]
    pair = at.experts.pair(item, first, second, rules)
    return Decision(
        platform.clock.now(), tuple(reasons), hashes, tuple(assignment.expert_id for assignment in two), pair
    )


def _third(
    platform: Platform, at: Bench, essay: EssayWork, assignments: Sequence[Assignment]
) -> tuple[Assignment, ...]:
    """Return the third expert's assignment; nothing if none is needed or nobody is available."""
    want = missing_experts(essay, assignments) if essay.third is not None and essay.third.is_needed else None
    if want is None:
        return ()
    experts = platform.experts.all()
    able = [expert for expert in experts if expert.may_mark(essay.language, essay.subject)]
    busy = loads(platform, able, essay.marking_id)
    shared = share_out([want], experts, busy, at.parameters.bootstrap_seed).experts
    chosen = shared.get(essay.item_id, ())
    if not chosen:
        return ()
    now, name = platform.clock.now(), platform.randomness.assignment_id()
    words = counted_words(platform, at, [essay])[essay.item_id]
    return tuple(assignments_now(at, essay, expert_id, name, now, is_third=True, words=words) for expert_id in chosen)


def consider_thirds(platform: Platform, marking_id: str, item_id: str) -> int:
    """Apply the rule for a third expert where it is due; return 1 if it was."""
    return int(apply_third_expert_rule(platform, marking_id, item_id))


def ratings_of(session_id: str) -> str:
    """Return the name of the work of rating a session's explanations."""
    return f"ratings-{session_id}"


# Clause: platform §5 ratings
def take_in_ratings(platform: Platform, run: Run) -> str:
    """Store all ratings of a run's answers that experts have handed in; return their SHA-256, empty without any.

    A rating that is handed in later belongs to the next import.
    """
    ratings: dict[str, Any] = {}
    for _, session_id in platform.runs.sessions_of(run.run_id):
        if platform.experts.marking(ratings_of(session_id)) is not None:
            ratings |= _of_session(platform, session_id)
    if not ratings:
        return ""
    content = canonical({"format": 1, "ratings": ratings})
    digest = sha256_hex(content)
    platform.blobs.put_if_absent(stored_names.run_ratings_name(run.run_id, digest), content)
    return digest


# Clause: platform §5 ratings, R-App1 M7
def take_in_session_ratings(platform: Platform, session_id: str) -> bool:
    """Store the ratings of a closed qualification session when all are handed in; return whether it was done now.

    From then on its answers can be scored, and nothing of it changes any more: the same facts make the same scores.
    """
    session = reading.session(platform, session_id)
    if session is None or session.is_open or session.order.mode == Mode.FINAL:
        return False
    marking_id, name = ratings_of(session_id), stored_names.session_ratings_name(session_id)
    if not reading.weighs_ratings(platform, session) or platform.experts.marking(marking_id) is None:
        return False
    essays = platform.experts.essays(marking_id)
    assignments = given_in(platform, essays, platform.clock.now())
    if (
        not essays
        or not all(essay.is_done for essay in progress(essays, assignments).essays)
        or platform.blobs.names(name)
    ):
        return False
    ratings = _of_session(platform, session_id)
    platform.blobs.put_if_absent(name, canonical({"format": 1, "ratings": ratings}))
    return True


def _of_session(platform: Platform, session_id: str) -> dict[str, Any]:
    marking_id = ratings_of(session_id)
    at, essays = judging_facts(platform, marking_id), platform.experts.essays(marking_id)
    assignments = given_in(platform, essays, platform.clock.now())
    ratings = {}
    for essay in essays:
        raters = [
            assignment_markup(platform, at, essay, assignment) for assignment in markups(assignments[essay.item_id])
        ]
        if raters and essay.answer is not None:
            # By explanation: one list with a yes or no per expert.
            ratings[reading.rated_name(*essay.answer)] = {name: [rater[name] for rater in raters] for name in raters[0]}
    return ratings


# Clause: R 7.10
def references_of_run(platform: Platform, run_id: str) -> Mapping[str, Sequence[bytes]] | None:
    """Return the canonical references of every file of a run, by item: two, or three with a third expert.

    None where the run's files were not given to experts here. :class:`RefusedError` names the essays that are not done.
    """
    if platform.experts.marking(run_id) is None:
        return None
    at, essays = judging_facts(platform, run_id), platform.experts.essays(run_id)
    assignments = given_in(platform, essays, platform.clock.now())
    _refuse_unless_done(at, essays, assignments)
    pseudonyms = {expert.expert_id: expert.pseudonym for expert in platform.experts.all()}
    return {
        essay.item_id: [
            canonical(_reference(platform, at, essay, assignment, pseudonyms[assignment.expert_id]))
            for assignment in markups(assignments[essay.item_id])
        ]
        for essay in essays
    }


def _refuse_unless_done(
    at: Bench, essays: Sequence[EssayWork], assignments: Mapping[str, Sequence[Assignment]]
) -> None:
    """Refuse until every file of the run is assigned and every required annotation is handed in."""
    waiting = [row.essay.item_id for row in progress(essays, assignments).essays if not row.is_done]
    lacking = at.marking.essays - len(essays) + len(waiting)
    if lacking:
        named = tr(", first {item}", item=waiting[0]) if waiting else ""
        raise RefusedError(
            "experts_not_done",
            tr("the experts have not finished {lacking} essays{named}", lacking=lacking, named=named),
            essays=waiting,
            lacking=lacking,
        )


def _reference(platform: Platform, at: Bench, essay: EssayWork, assignment: Assignment, pseudonym: str) -> Any:
    item = annotated_item(platform, at, essay)
    canonical_markup = assignment_markup(platform, at, essay, assignment)
    reference = at.experts.reference(item, canonical_markup, pseudonym, is_third=assignment.is_third)
    suggested = assignment.suggested
    if suggested is None or not isinstance(at.track, TakesSuggestions):
        return reference
    return at.track.with_suggestions(reference, suggested.source, suggested.fragments, suggested.kept or 0)


# Clause: TS G-7
def handed_in(platform: Platform, marking_id: str, after: str = "") -> Iterator[list[tuple[str, bytes]]]:
    """Return the annotations handed in for a body of work, as the files of a set.

    They cover each finished item after ``after``: its own content, then its references, numbered in their order;
    canonical JSON by names. O(items).
    """
    at, essays = judging_facts(platform, marking_id), platform.experts.essays(marking_id)
    assignments = given_in(platform, essays, platform.clock.now())
    pseudonyms = {expert.expert_id: expert.pseudonym for expert in platform.experts.all()}
    for essay in sorted(essays, key=lambda essay: essay.item_id):
        done = markups(assignments[essay.item_id])
        if done and essay.item_id > after:
            references = [
                _reference(platform, at, essay, assignment, pseudonyms[assignment.expert_id]) for assignment in done
            ]
            own = (f"{essay.item_id}.json", canonical(annotated_item(platform, at, essay)))
            named = (
                (f"{essay.item_id}_exp{number:02d}.json", canonical(reference))
                for number, reference in enumerate(references, 1)
            )
            yield [own, *named]
