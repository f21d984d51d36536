"""Conversion of the experts' use cases to bodies on the wire, and of organizers' requests about experts back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from contest.edge import web
from contest.experts import assigning, wire
from contest.experts.assigning import MarkingOrder, Plan
from contest.experts.progress import MarkingReport, Profile
from contest.experts.replaying import Chosen, Said, Seen
from contest.experts.replaying import Work as ReplayedWork
from contest.experts.rules.assignment import Assignment, AssignmentState, Replay, Review
from contest.experts.rules.sharing_out import uncovered_detail
from contest.experts.wire import ExpertReportBody, MarkingReportBody
from contest.experts.work import Source
from contest.results.rules import reports
from contest.results.wire import Words
from contest.values import SECOND, Millis

if TYPE_CHECKING:
    from contest.experts.work import Saved, Work
    from contest.platform import Platform
    from tracks.capabilities import Replayed
    from tracks.rules import ReplayRules


def assignment(task: Assignment, now: Millis, open_until: Millis | None = None) -> wire.AssignmentBody:
    """Return an assignment as its expert sees it."""
    runs = task.state is AssignmentState.OPENED and task.closes_at is not None
    seconds_left = max(0, (task.closes_at or 0) - now) / SECOND if runs else None
    return wire.AssignmentBody.from_value(task, time_left_s=seconds_left, open_until=open_until, server_time=now)


def assignments(works: Sequence[Work], now: Millis) -> wire.AssignmentsBody:
    """Return an expert's own assignments."""
    bodies = [assignment(view.assignment, now, view.open_until) for view in works]
    return wire.AssignmentsBody.from_value(assignments=bodies, server_time=now)


def work(view: Work, now: Millis) -> web.Reply:
    """Answer with an assignment, its text, its latest draft and the draft's grade."""
    body = wire.WorkBody.from_value(view, assignment=assignment(view.assignment, now, view.open_until))
    return web.answer(body, etag=str(view.assignment.revision))


def saved(judged_draft: Saved, now: Millis) -> web.Reply:
    """Answer with a saved draft's grade."""
    body = wire.SavedBody.from_value(judged_draft, assignment=assignment(judged_draft.assignment, now))
    return web.answer(body, etag=str(judged_draft.assignment.revision))


def plan(assignment_plan: Plan, *, preview: bool) -> wire.PlanBody:
    """Return the body of a plan: the experts by essay and the loads."""
    return wire.PlanBody.from_value(
        assignment_plan,
        preview=preview,
        given={item: list(names) for item, names in assignment_plan.shared.experts.items()},
        loads=[
            wire.LoadBody(expert_id=name, before=load[0], after=load[1]) for name, load in assignment_plan.loads.items()
        ],
        uncovered=[wire.UncoveredBody(**uncovered_detail(essay)) for essay in assignment_plan.shared.uncovered],
    )


def replay_choice(request: wire.ReplayRequest) -> Chosen:
    """Return the choice of work to replay."""
    teams = None if request.teams is None else tuple(request.teams)
    return Chosen(request.run_id, tuple(request.files), tuple(request.people), request.seed, teams, request.limit_s)


def review_answers(review: wire.ReviewRequest) -> Said:
    """Return a clinician's answers."""
    return Said(review.revision, review.answers, review.comment, review.round)


def lot(replay: Replay) -> wire.LotBody:
    """Return the lot for all signed-in users; people are named by the lot alone."""
    people = [name for _, name in replay.people]
    return wire.LotBody.from_value(replay, systems=_named(replay.systems), people=people, rounds=len(replay.numbers))


def replay(
    replay: Replay, track: Replayed, reviews: Sequence[Review], works: Sequence[ReplayedWork] = ()
) -> wire.ReplayBody:
    """Return a replay for its leaders."""
    rotation, people = track.rotation(len(replay.numbers)), dict(replay.people)
    review_bodies = [
        wire.ReviewBody.from_value(
            review,
            person=people[review.person_id],
            system=(replay.team_of(rotation[review.round - 1], review.person_id) or ("", ""))[1],
        )
        for review in reviews
    ]
    table = None if replay.results is None else reports.section(track.judgements(replay.results))
    return wire.ReplayBody.from_value(
        replay,
        systems=_named(replay.systems),
        people=_named(replay.people),
        limit_s=replay.limit // SECOND,
        until=replay.until if replay.opened else None,
        questions=_questions(track.replay_rules()),
        reviews=review_bodies,
        works=[wire.ReplayedWorkBody(system=_named([work.system])[0], parts=list(work.parts)) for work in works],
        results=table,
    )


def own_round(view: Seen, now: Millis) -> wire.RoundBody:
    """Return a clinician's round."""
    rounds, questions = len(view.replay.numbers), _questions(view.rules)
    return wire.RoundBody.from_value(view, rounds=rounds, questions=questions, server_time=now)


def _questions(rules: ReplayRules) -> list[wire.QuestionBody]:
    return [wire.QuestionBody(key=key, text=Words(en=text.en, ru=text.ru)) for key, text in rules.questions]


def _named(pairs: Sequence[tuple[str, str]]) -> list[wire.NamedBody]:
    return [wire.NamedBody(id=participant_id, name=name) for participant_id, name in pairs]


def profile(request: wire.ProfileRequest) -> Profile:
    """Return a profile."""
    return Profile(frozenset(request.subjects), frozenset(request.languages), frozenset(request.groups), request.active)


def source(request: wire.SuggestionsRequest) -> Source:
    """Return the source of suggestions."""
    return Source(request.session, request.markups, tuple(request.phrases.items()))


def assigned(platform: Platform, who: str, request: wire.MarkingRequest) -> Plan:
    """Return the assignment of essays to experts, made or planned."""
    order = MarkingOrder(request.run, request.set, request.session, request.seed)
    return assigning.plan(platform, order) if request.preview else assigning.assign(platform, who, order)


def marking_report(report: MarkingReport, now: Millis) -> MarkingReportBody:
    """Return the coordinator's report."""
    agreement, work = report.agreement, report.progress
    speeds = {speed.expert_id: speed for speed in agreement.speeds}
    decided = [essay.essay.third for essay in work.essays if essay.essay.third is not None]
    experts = [
        ExpertReportBody.from_value(
            expert, pseudonym=report.pseudonyms.get(expert.expert_id), speed=speeds.get(expert.expert_id)
        )
        for expert in work.experts
    ]
    return MarkingReportBody.from_value(
        marking=report.marking,
        essays=len(work.essays),
        done=work.done,
        lacking=work.lacking,
        thirds=work.thirds,
        third_reasons=dict(
            sorted(Counter(str(one["code"]) for decision in decided for one in decision.reasons).items())
        ),
        experts=experts,
        agreement=agreement.agreement,
        server_time=now,
    )
