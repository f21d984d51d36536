"""Replays and rounds as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import replays as wire
from contest.contracts.results import Section, Words
from contest.domain.experts.replay import Replay, Review
from contest.domain.moments import SECOND, Millis, iso, iso_or_none
from contest.domain.results import session_report
from contest.services.experts.replaying import Chosen, Work
from contest.services.experts.reviewing import Said, Seen
from tracks.capabilities import Replayed
from tracks.rules import ReplayRules


def chosen(said: wire.ReplayRequest) -> Chosen:
    """What is to be replayed."""
    teams = None if said.teams is None else tuple(said.teams)
    return Chosen(said.run_id, tuple(said.files), tuple(said.people), said.seed, teams, said.limit_s)


def said(review: wire.ReviewRequest) -> Said:
    """What a clinician says."""
    return Said(review.revision, review.answers, review.comment, review.round)


def lot(found: Replay) -> wire.LotBody:
    """The lot for everybody who has signed in; people are told by their names in the lot alone."""
    return wire.LotBody(
        run_id=found.run_id,
        seed=found.seed,
        systems=_named(found.systems),
        people=[name for _, name in found.people],
        rounds=len(found.numbers),
        opened=[iso(each) for each in found.opened],
    )


def replay(found: Replay, track: Replayed, reviews: Sequence[Review], works: Sequence[Work] = ()) -> wire.ReplayBody:
    """A replay for those who lead it."""
    rotation, people = track.rotation(len(found.numbers)), dict(found.people)
    told = [
        wire.ReviewBody(
            round=each.round,
            person=people[each.person_id],
            system=(found.team_of(rotation[each.round - 1], each.person_id) or ("", ""))[1],
            answers=dict(each.answers),
            comment=each.comment,
            saved_at=iso_or_none(each.saved_at),
        )
        for each in reviews
    ]
    table = None if found.results is None else session_report.section(track.judgements(found.results))
    return wire.ReplayBody(
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
        works=[wire.ReplayedWorkBody(system=_named([each.system])[0], parts=list(each.parts)) for each in works],
        results=None if table is None else Section.model_validate(table),
    )


def own_round(found: Seen, now: Millis) -> wire.RoundBody:
    """A clinician's round."""
    return wire.RoundBody(
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


def _questions(rules: ReplayRules) -> list[wire.QuestionBody]:
    return [wire.QuestionBody(key=key, text=Words(en=text.en, ru=text.ru)) for key, text in rules.questions]


def _named(pairs: Sequence[tuple[str, str]]) -> list[wire.NamedBody]:
    return [wire.NamedBody(id=each, name=name) for each, name in pairs]
