"""Results of experts' and coordinators' use cases as answers on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from contest.contracts import experts as wire
from contest.domain.experts.assignment import Assignment, AssignmentState, Draft
from contest.domain.experts.expert import Expert
from contest.domain.experts.forecast import Forecast
from contest.domain.experts.marking import Marking
from contest.domain.experts.progress import EssayProgress
from contest.domain.experts.refusals import uncovered_detail
from contest.domain.moments import SECOND, Millis, iso, iso_or_none
from contest.edge import web
from contest.services.experts.assigning import Plan
from contest.services.experts.calibrating import Calibrated
from contest.services.experts.progressing import Agreement, Overview
from contest.services.experts.work import Earlier, Saved, Work
from tracks.capabilities import Judged
from tracks.protocol import Reason


def assignment(of: Assignment, now: Millis) -> wire.AssignmentBody:
    """An assignment as its expert sees it."""
    runs = of.state is AssignmentState.OPENED and of.closes_at is not None
    return wire.AssignmentBody(
        **_common(of),
        language=of.language,
        subject=of.subject,
        calibration=of.is_calibration,
        ratings=of.is_rating,
        time_left_s=max(0, (of.closes_at or 0) - now) / SECOND if runs else None,
        draft=draft(of.latest) if of.latest else None,
        server_time=iso(now),
    )


def assignments(found: Sequence[Assignment], now: Millis) -> wire.AssignmentsBody:
    """Own assignments."""
    return wire.AssignmentsBody(assignments=[assignment(each, now) for each in found], server_time=iso(now))


def work(found: Work, now: Millis) -> web.Reply:
    """An assignment with its text, its latest draft and what that is worth."""
    body = wire.WorkBody(
        assignment=assignment(found.assignment, now),
        content=found.content,
        draft=found.draft,
        judged=judged(found.judged),
        earlier=_earlier(found.earlier),
    )
    return web.answer(body, etag=str(found.assignment.revision))


def saved(found: Saved, now: Millis) -> web.Reply:
    """A draft that is kept."""
    body = wire.SavedBody(assignment=assignment(found.assignment, now), judged=judged(found.judged))
    return web.answer(body, etag=str(found.assignment.revision))


def judged(found: Judged | None) -> wire.JudgedBody | None:
    """What a draft is worth."""
    if found is None:
        return None
    faults, warnings = ([_fault(each) for each in reasons] for reasons in (found.reasons, found.warnings))
    return wire.JudgedBody(valid=found.is_valid, faults=faults, warnings=warnings, grade=found.grade)


def draft(of: Draft) -> wire.DraftBody:
    """A saved version."""
    return wire.DraftBody(
        revision=of.revision, saved_at=iso(of.saved_at), content_sha256=of.content_sha256, valid=of.is_valid
    )


def calibration(found: Calibrated, now: Millis) -> wire.CalibrationBody:
    """How far an expert agrees with others."""
    experts_ = [
        wire.ComparedBody(markup=each.markup, comparison=each.comparison, accuracy=each.accuracy)
        for each in found.experts
    ]
    return wire.CalibrationBody(
        assignment=assignment(found.assignment, now),
        accuracy=found.accuracy,
        experts_accuracy=found.experts_accuracy,
        experts=experts_,
    )


def drafts(found: Sequence[Draft]) -> wire.DraftsBody:
    """All saved versions."""
    return wire.DraftsBody(drafts=[draft(each) for each in found])


def draft_content(found: Draft, content: Any) -> wire.DraftContentBody:
    """A saved version as it was sent."""
    return wire.DraftContentBody(draft=draft(found), content=content)


def expert(of: Expert) -> wire.ExpertBody:
    """A profile."""
    return wire.ExpertBody(
        expert_id=of.expert_id,
        pseudonym=of.pseudonym,
        subjects=sorted(of.subjects),
        languages=sorted(of.languages),
        groups=sorted(of.groups),
        active=of.active,
    )


def experts(found: Sequence[Expert]) -> wire.ExpertsBody:
    """All profiles."""
    return wire.ExpertsBody(experts=[expert(each) for each in found])


def marking(of: Marking) -> wire.MarkingBody:
    """The work on a set or a run."""
    return wire.MarkingBody(
        marking_id=of.marking_id,
        set=of.set_name,
        run=of.run_id,
        essays=of.essays,
        parameters_version=of.parameters_version,
        created_at=iso(of.created_at),
    )


def markings(found: Sequence[Marking]) -> wire.MarkingsBody:
    """All of them."""
    return wire.MarkingsBody(markings=[marking(each) for each in found])


def plan(of: Plan, *, preview: bool) -> wire.PlanBody:
    """Who gets which essay."""
    loads = [wire.LoadBody(expert_id=name, before=load[0], after=load[1]) for name, load in of.loads.items()]
    return wire.PlanBody(
        preview=preview,
        marking=marking(of.marking),
        essays=of.essays,
        given={item: list(names) for item, names in of.shared.experts.items()},
        loads=loads,
        uncovered=[wire.UncoveredBody(**uncovered_detail(each)) for each in of.shared.uncovered],
    )


def given(of: Assignment) -> wire.GivenBody:
    """An assignment as the coordinator sees it."""
    saved_at = of.latest.saved_at if of.latest else None
    return wire.GivenBody(**_common(of), expert_id=of.expert_id, revision=of.revision, saved_at=iso_or_none(saved_at))


def progress(of: Overview, now: Millis) -> wire.ProgressBody:
    """How far the work is, and when it will end."""
    found = of.progress
    experts_ = [
        wire.ExpertProgressBody(expert_id=each.expert_id, states=dict(each.states), without_markup=each.without_markup)
        for each in found.experts
    ]
    return wire.ProgressBody(
        marking=marking(of.marking),
        essays=[_essay(each) for each in found.essays],
        subjects=[wire.SubjectProgressBody(**asdict(each), open=each.open) for each in found.subjects],
        experts=experts_,
        done=found.done,
        lacking=found.lacking,
        thirds=found.thirds,
        forecast=_forecast(of.forecast),
        calibrations=[wire.CalibrationsBody(**asdict(each)) for each in of.calibrations],
        server_time=iso(now),
    )


def _forecast(found: Forecast) -> wire.ForecastBody:
    return wire.ForecastBody(
        left=found.left,
        thirds_expected=found.thirds_expected,
        handed_in=found.handed_in,
        ends_at=iso_or_none(found.ends_at),
        earliest=iso_or_none(found.earliest),
        latest=iso_or_none(found.latest),
        slowest=found.slowest,
        fair=found.is_fair,
    )


def agreement(found: Agreement, now: Millis) -> wire.AgreementBody:
    """How far experts agree, and how fast they are."""
    speeds = [
        wire.SpeedBody(
            expert_id=each.expert_id,
            essays=each.essays,
            median_s=each.median_s,
            mean_s=each.mean_s,
            mean_95=list(each.mean_95) if each.mean_95 else None,
        )
        for each in found.speeds
    ]
    return wire.AgreementBody(
        marking=marking(found.marking), agreement=found.agreement, speeds=speeds, server_time=iso(now)
    )


def _common(of: Assignment) -> Mapping[str, Any]:
    return {
        "assignment_id": of.assignment_id,
        "third": of.is_third,
        "state": of.state,
        "limit_s": of.limit / SECOND,
        "assigned_at": iso(of.assigned_at),
        "opened_at": iso_or_none(of.opened_at),
        "closes_at": iso_or_none(of.closes_at),
        "ended_at": iso_or_none(of.ended_at),
        "markup": draft(of.markup) if of.markup else None,
        "reason": of.reason,
    }


def _fault(each: Reason) -> wire.FaultBody:
    return wire.FaultBody(code=each.code, message=each.message.en, message_ru=each.message.ru, where=dict(each.where))


def _earlier(found: Earlier | None) -> wire.EarlierBody | None:
    if found is None:
        return None
    reasons = [dict(each) for each in found.reasons]
    return wire.EarlierBody(reasons=reasons, markups=list(found.markups), comparison=found.comparison)


def _essay(row: EssayProgress) -> wire.EssayBody:
    third = row.essay.third
    told = None
    if third is not None:
        reasons = [dict(each) for each in third.reasons]
        told = wire.ThirdBody(needed=third.is_needed, decided_at=iso(third.at), reasons=reasons)
    return wire.EssayBody(
        item_id=row.essay.item_id,
        language=row.essay.language,
        subject=row.essay.subject,
        done=row.is_done,
        late=row.is_late,
        lacking=row.lacking,
        third=told,
        assignments=[given(each) for each in row.assignments],
    )
