"""Gold from annotations that experts handed in (R 7.10, 7.14), and from ratings of explanations (R-App1 M7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contest import reading, stored_names
from contest.cycle.rules.cycle import Mode
from contest.experts import judged_essays
from contest.experts.assigning import ratings_of
from contest.experts.judged_essays import Bench
from contest.experts.rules.assignment import Assignment, EssayWork, markups
from contest.experts.rules.progress import progress
from contest.platform import Platform
from contest.refusals import RefusedError
from contest.run.rules.run import Run
from contest.texts import tr
from contest.values import canonical, sha256_hex
from tracks.capabilities import TakesSuggestions


# Clause: platform §5 ratings
def take_in(platform: Platform, run: Run) -> str:
    """Store all ratings of a run's answers that experts have handed in; their SHA-256, empty without any.

    A rating that is handed in later is in what is taken in next.
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
def take_in_session(platform: Platform, session_id: str) -> bool:
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
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
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
    at, essays = judged_essays.bench(platform, marking_id), platform.experts.essays(marking_id)
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
    ratings = {}
    for essay in essays:
        raters = [
            judged_essays.markup(platform, at, essay, assignment) for assignment in markups(assignments[essay.item_id])
        ]
        if raters and essay.answer is not None:
            # By explanation: one list with a yes or no per expert.
            ratings[reading.rated_name(*essay.answer)] = {name: [rater[name] for rater in raters] for name in raters[0]}
    return ratings


# Clause: R 7.10
def of_run(platform: Platform, run_id: str) -> Mapping[str, Sequence[bytes]] | None:
    """Return the canonical references of every file of a run, by item: two, or three with a third expert.

    None where the run's files were not given to experts here. :class:`RefusedError` names the essays that are not done.
    """
    if platform.experts.marking(run_id) is None:
        return None
    at, essays = judged_essays.bench(platform, run_id), platform.experts.essays(run_id)
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
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
    item = judged_essays.annotated_item(platform, at, essay)
    markup = judged_essays.markup(platform, at, essay, assignment)
    reference = at.experts.reference(item, markup, pseudonym, is_third=assignment.is_third)
    suggested = assignment.suggested
    if suggested is None or not isinstance(at.track, TakesSuggestions):
        return reference
    return at.track.with_suggestions(reference, suggested.source, suggested.fragments, suggested.kept or 0)


# Clause: TS G-7
def handed_in(platform: Platform, marking_id: str, after: str = "") -> Iterator[list[tuple[str, bytes]]]:
    """Return the annotations handed in for a body of work, as the files of a set.

    They cover each finished item behind ``after``: its own content, then its references, numbered in their order;
    canonical JSON by names. O(items).
    """
    at, essays = judged_essays.bench(platform, marking_id), platform.experts.essays(marking_id)
    assignments = judged_essays.given_in(platform, essays, platform.clock.now())
    pseudonyms = {expert.expert_id: expert.pseudonym for expert in platform.experts.all()}
    for essay in sorted(essays, key=lambda essay: essay.item_id):
        done = markups(assignments[essay.item_id])
        if done and essay.item_id > after:
            references = [
                _reference(platform, at, essay, assignment, pseudonyms[assignment.expert_id]) for assignment in done
            ]
            own = (f"{essay.item_id}.json", canonical(judged_essays.annotated_item(platform, at, essay)))
            named = (
                (f"{essay.item_id}_exp{number:02d}.json", canonical(reference))
                for number, reference in enumerate(references, 1)
            )
            yield [own, *named]
