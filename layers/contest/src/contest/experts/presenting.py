"""Conversion of the experts' use cases to bodies on the wire, and of organizers' requests about experts back.

The bodies are those of experts' and coordinators' use cases, of replays and of rounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from contest.edge import web
from contest.experts import assigning
from contest.experts.assigning import MarkingOrder, Plan
from contest.experts.progress import Profile
from contest.experts.replaying import Chosen, Said, Seen
from contest.experts.replaying import Work as ReplayedWork
from contest.experts.rules.assignment import Assignment, AssignmentState, Replay, Review
from contest.experts.rules.refusals import uncovered_detail
from contest.experts.wire import (
    AssignmentBody,
    AssignmentsBody,
    LoadBody,
    LotBody,
    MarkingRequest,
    NamedBody,
    PlanBody,
    ProfileRequest,
    QuestionBody,
    ReplayBody,
    ReplayedWorkBody,
    ReplayRequest,
    ReviewBody,
    ReviewRequest,
    RoundBody,
    SavedBody,
    UncoveredBody,
    WorkBody,
)
from contest.experts.work import Saved, Work
from contest.platform import Platform
from contest.results.rules import reports
from contest.results.wire.results import Section, Words
from contest.values import SECOND, Millis, iso, iso_or_none
from tracks.capabilities import Replayed
from tracks.rules import ReplayRules


def assignment(of: Assignment, now: Millis) -> AssignmentBody:
    """Return an assignment as its expert sees it."""
    runs = of.state is AssignmentState.OPENED and of.closes_at is not None
    left = max(0, (of.closes_at or 0) - now) / SECOND if runs else None
    return AssignmentBody.from_value(of, time_left_s=left, server_time=now)


def assignments(found: Sequence[Assignment], now: Millis) -> AssignmentsBody:
    """Return an expert's own assignments."""
    return AssignmentsBody.from_value(assignments=[assignment(each, now) for each in found], server_time=now)


def work(found: Work, now: Millis) -> web.Reply:
    """Answer with an assignment, its text, its latest draft and the draft's grade."""
    body = WorkBody.from_value(found, assignment=assignment(found.assignment, now))
    return web.answer(body, etag=str(found.assignment.revision))


def saved(found: Saved, now: Millis) -> web.Reply:
    """Answer with a saved draft's grade."""
    body = SavedBody.from_value(found, assignment=assignment(found.assignment, now))
    return web.answer(body, etag=str(found.assignment.revision))


def plan(of: Plan, *, preview: bool) -> PlanBody:
    """Return which expert gets which essay."""
    return PlanBody.from_value(
        of,
        preview=preview,
        given={item: list(names) for item, names in of.shared.experts.items()},
        loads=[LoadBody(expert_id=name, before=load[0], after=load[1]) for name, load in of.loads.items()],
        uncovered=[UncoveredBody(**uncovered_detail(each)) for each in of.shared.uncovered],
    )


def chosen(said: ReplayRequest) -> Chosen:
    """Return the choice of work to replay."""
    teams = None if said.teams is None else tuple(said.teams)
    return Chosen(said.run_id, tuple(said.files), tuple(said.people), said.seed, teams, said.limit_s)


def said(review: ReviewRequest) -> Said:
    """Return a clinician's answers."""
    return Said(review.revision, review.answers, review.comment, review.round)


def lot(found: Replay) -> LotBody:
    """Return the lot for all signed-in users; people are named by the lot alone."""
    return LotBody(
        run_id=found.run_id,
        seed=found.seed,
        systems=_named(found.systems),
        people=[name for _, name in found.people],
        rounds=len(found.numbers),
        opened=[iso(each) for each in found.opened],
    )


def replay(found: Replay, track: Replayed, reviews: Sequence[Review], works: Sequence[ReplayedWork] = ()) -> ReplayBody:
    """Return a replay for its leaders."""
    rotation, people = track.rotation(len(found.numbers)), dict(found.people)
    told = [
        ReviewBody(
            round=each.round,
            person=people[each.person_id],
            system=(found.team_of(rotation[each.round - 1], each.person_id) or ("", ""))[1],
            answers=dict(each.answers),
            comment=each.comment,
            saved_at=iso_or_none(each.saved_at),
        )
        for each in reviews
    ]
    table = None if found.results is None else reports.section(track.judgements(found.results))
    return ReplayBody(
        run_id=found.run_id,
        seed=found.seed,
        files=list(found.numbers),
        systems=_named(found.systems),
        people=_named(found.people),
        limit_s=found.limit // SECOND,
        begun_at=iso(found.at),
        opened=[iso(each) for each in found.opened],
        until=iso(found.until) if found.opened else None,
        questions=_questions(track.replay_rules()),
        reviews=told,
        works=[ReplayedWorkBody(system=_named([each.system])[0], parts=list(each.parts)) for each in works],
        results=None if table is None else Section.model_validate(table),
    )


def own_round(found: Seen, now: Millis) -> RoundBody:
    """Return a clinician's round."""
    return RoundBody(
        round=found.of.round,
        rounds=len(found.of.numbers),
        system=found.system,
        person=found.person,
        until=iso(found.until),
        parts=list(found.parts),
        total=found.total,
        questions=_questions(found.rules),
        answers=dict(found.review.answers),
        comment=found.review.comment,
        revision=found.review.version,
        server_time=iso(now),
    )


def _questions(rules: ReplayRules) -> list[QuestionBody]:
    return [QuestionBody(key=key, text=Words(en=text.en, ru=text.ru)) for key, text in rules.questions]


def _named(pairs: Sequence[tuple[str, str]]) -> list[NamedBody]:
    return [NamedBody(id=each, name=name) for each, name in pairs]


def profile(said: ProfileRequest) -> Profile:
    """Return a profile."""
    return Profile(frozenset(said.subjects), frozenset(said.languages), frozenset(said.groups), said.active)


def assigned(platform: Platform, who: str, said: MarkingRequest) -> Plan:
    """Return the assignment of essays to experts, made or planned."""
    order = MarkingOrder(said.run, said.set, said.session, said.seed)
    return assigning.plan(platform, order) if said.preview else assigning.assign(platform, who, order)
