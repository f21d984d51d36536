"""A team brings a submission: announced, uploaded in parts, completed with a signed receipt (tracks-sessions T13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from contest import stored_names
from contest.domain.cycle.cycle import Cycle, EssaySet, Parameters, SetKind
from contest.domain.moments import Millis, iso
from contest.domain.people.rights import Identity, Role
from contest.domain.people.teams import TeamStatus
from contest.domain.session.limits import quota_day, quota_resets_at
from contest.domain.session.requests import Key, Used
from contest.domain.submissions import submission as states
from contest.domain.submissions.submission import (
    Counted,
    Order,
    Submission,
    SubmissionKind,
    SubmissionState,
    SubmissionTask,
    Wish,
)
from contest.domain.uploads import PART
from contest.errors import InvalidRequestError
from contest.errors.people import TeamInactiveError
from contest.errors.sets import PartsMissingError, WrongPartsError
from contest.errors.submissions import (
    SetWithoutReferencesError,
    SubmissionClosedError,
    SubmissionsExhaustedError,
    SubmissionsNotTakenError,
    SubmissionTooLargeError,
    SubmissionUnderWayError,
    TooManyUploadsError,
    UnknownSubmissionError,
    UnknownSubmissionPartError,
)
from contest.services import grounds, reading, uploads
from contest.services.people.cabinet import own_team
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.session.access import reads_all
from contest.services.session.idempotency import key_for, require_same
from contest.services.session.request import Request
from contest.services.signing import signed
from contest.services.uploads import Place
from tracks.capabilities import AnsweredByProgram

FORMAT: Final = 1
"""Version of the receipt's form."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a team may still submit on the present day, and when the next one begins."""

    scored: int
    unscored: int
    resets_at: Millis


def begin(platform: Platform, request: Request, wish: Wish) -> Submission:
    """Announce a submission, or find the one that this ``Idempotency-Key`` has announced before; its parts may come.

    Nothing is taken that could not be scored: the contest takes submissions of this kind, the set has its right
    answers, the size is what the cycle allows.

    Clause: TS T13, TS T1
    """
    asked = [wish.kind.value, wish.size, wish.sha256, list(wish.parts or ()), wish.set_name, list(wish.groups)]
    key = key_for(request, "submission", asked)
    refuse_unless_approved(platform, request.identity)
    known = _begun_before(platform, request, key)
    if known is not None:
        return known
    order = _ordered(platform, wish)
    grounds.refuse_outside_qualification(reading.cycle_now(platform), order.set_kind, request.arrival)
    team_id, now = request.identity.team_id, platform.clock.now()
    brought = [each for each in platform.submissions.of_team(team_id) if each.state is SubmissionState.UPLOADING]
    if len(brought) >= states.MOST_UPLOADING:
        raise TooManyUploadsError
    cycle = reading.cycle_now(platform)
    made = Submission(
        submission_id=platform.randomness.session_id(),
        team_id=team_id,
        cycle=cycle.name,
        track=cycle.track,
        order=order,
        token_id=request.identity.token_id,
        created_at=now,
        changed_at=now,
        parameters_version=cycle.parameters_version,
    )

    def announced(twin: Submission | None) -> Submission:
        return twin or _added(platform, made, key)

    return decide_until_written(None, announced, lambda: _begun_before(platform, request, key))


def place_of_part(platform: Platform, request: Request, submission_id: str, number: int) -> Place:
    """Where a part goes, by its number from 1; asked again, another address for the same part.

    Clause: TS T13
    """
    found = own(platform, request, submission_id)
    refuse_unless_approved(platform, request.identity)
    if found.state is not SubmissionState.UPLOADING:
        raise SubmissionClosedError
    try:
        return uploads.place_of(platform, stored_names.submission_uploads(submission_id), found.order.upload, number)
    except LookupError:
        raise UnknownSubmissionPartError from None


def missing(platform: Platform, found: Submission) -> list[int]:
    """Numbers of the parts that are not there yet; none after the upload."""
    if found.state is not SubmissionState.UPLOADING:
        return []
    return uploads.missing(platform, stored_names.submission_uploads(found.submission_id), found.order.upload)


def complete(platform: Platform, request: Request, submission_id: str) -> Submission:
    """Take a submission that is whole, and give a signed receipt; asked again, the same receipt and nothing else.

    It counts for the day of the cycle's zone on which this request arrived. A team has one submission under way.

    Clause: TS T13, TS F-5
    """

    def taken(before: Submission) -> Submission:
        if before.state is not SubmissionState.UPLOADING:
            if not before.receipt:
                raise SubmissionClosedError
            return before
        absent = missing(platform, before)
        if absent:
            raise PartsMissingError.numbered(absent)
        return _taken(platform, request, before)

    def read() -> Submission:
        return own(platform, request, submission_id)

    done = decide_until_written(read(), taken, read)
    if done.is_under_way:
        platform.submission_tasks.send([SubmissionTask(done.submission_id)])
    return done


def give_up(platform: Platform, request: Request, submission_id: str) -> Submission:
    """End an upload that its team does not want to go on with: it takes none of the team's places for uploads any more,
    and counts nowhere. Asked again, the same; :class:`SubmissionClosedError` of one that was handed in.

    Clause: TS T13
    """

    def ended(before: Submission) -> Submission:
        if states.was_given_up(before):
            return before
        if before.state is not SubmissionState.UPLOADING:
            raise SubmissionClosedError
        after = before.at(SubmissionState.REFUSED, platform.clock.now())
        platform.submissions.change(before, after)
        return after

    def read() -> Submission:
        return own(platform, request, submission_id)

    return decide_until_written(read(), ended, read)


def own(platform: Platform, request: Request, submission_id: str) -> Submission:
    """A submission of the team that asks, any one for who may read all reports; :class:`UnknownSubmissionError`."""
    found = platform.submissions.get(submission_id)
    identity = request.identity
    is_own = found is not None and bool(identity.team_id) and found.team_id == identity.team_id
    if found is None or not ((is_own and not found.of) or reads_all(identity)):
        raise UnknownSubmissionError
    return found


def refuse_unless_approved(platform: Platform, identity: Identity) -> None:
    """Who brings by hand is a member of an approved team; :class:`NoTeamError`, :class:`TeamInactiveError`.

    A program's token is believed of approved teams alone, while whoever has an account among the participants signs in.

    Clause: TS T13, R 2.26
    """
    if identity.role is Role.PROGRAM:
        return
    team = own_team(platform, identity)
    if team.status is not TeamStatus.APPROVED:
        raise TeamInactiveError.being(team.status.value, team.reason)


def of_team(platform: Platform, team_id: str) -> Sequence[Submission]:
    """A team's submissions, the newest first; O(all of them)."""
    found = [each for each in platform.submissions.of_team(team_id) if not each.of]
    return sorted(found, key=lambda each: (-each.created_at, each.submission_id))


def left(platform: Platform, team_id: str, now: Millis) -> Left:
    """What a team may still submit today.

    Clause: TS F-5, F quota
    """
    cycle = reading.recent_cycle(platform)
    rules = reading.parameters(platform, cycle.parameters_version)
    known = states.counted(platform.submissions.of_team(team_id), quota_day(now, cycle.time_zone))
    return Left(
        max(0, rules.submissions_per_day - known.scored),
        max(0, rules.unscored_per_day - known.unscored),
        quota_resets_at(now, cycle.time_zone),
    )


def _taken(platform: Platform, request: Request, before: Submission) -> Submission:
    refuse_unless_approved(platform, request.identity)
    lane = platform.submissions.lane(before.team_id)
    if lane.submission_id:
        raise SubmissionUnderWayError.named(lane.submission_id)
    cycle = reading.cycle_now(platform)
    grounds.refuse_annulled(platform, cycle.name, before.order.set_name)
    grounds.refuse_outside_qualification(cycle, before.order.set_kind, request.arrival)
    rules = reading.parameters(platform, cycle.parameters_version)
    day = quota_day(request.arrival, cycle.time_zone)
    # Whoever has ended since this was read has changed the lane, and this is decided again.
    known = states.counted(platform.submissions.of_team(before.team_id), day)
    _refuse_exhausted(known, rules, quota_resets_at(request.arrival, cycle.time_zone), request.arrival)
    now = platform.clock.now()
    after = replace(
        before.at(SubmissionState.CHECKING, now),
        completed_at=request.arrival,
        day=day,
        parameters_version=cycle.parameters_version,
        sent_at=now,
    )
    after = replace(after, receipt=_receipt(platform, after))
    platform.submissions.change(before, after, lane)
    return after


def _refuse_exhausted(known: Counted, rules: Parameters, resets_at: Millis, arrival: Millis) -> None:
    """Clause: TS F-5"""
    if known.scored >= rules.submissions_per_day:
        raise SubmissionsExhaustedError.until(resets_at, arrival, rules.submissions_per_day)
    if known.unscored >= rules.unscored_per_day:
        raise SubmissionsExhaustedError.until(resets_at, arrival, rules.unscored_per_day, "unscored")


def _receipt(platform: Platform, taken: Submission) -> str:
    """What the platform promises of a submission that it has taken.

    Clause: TS T13
    """
    promise: dict[str, Any] = {
        "format": FORMAT,
        "submission_id": taken.submission_id,
        "team_id": taken.team_id,
        "cycle": taken.cycle,
        "track": taken.track,
        "kind": taken.order.kind.value,
        "set": taken.order.set_name,
        "bytes": taken.order.upload.size,
        "content_sha256": taken.order.upload.sha256,
        "received_at": iso(taken.completed_at or 0),
        "day": taken.day,
        "key_id": platform.signer.key_id,
    }
    return signed(platform, "receipt", promise).decode("utf-8")


def _ordered(platform: Platform, wish: Wish) -> Order:
    cycle = reading.cycle_now(platform)
    track = platform.tracks(cycle.track)
    if wish.kind.value not in {each.submitted for each in track.modes()}:
        raise SubmissionsNotTakenError
    upload = wish.upload()
    most = _most(platform, cycle, wish.kind)
    if upload.size > most:
        raise SubmissionTooLargeError.over(upload.size, most)
    if not upload.is_whole() or (len(upload.parts) == 1 and upload.parts[0] != upload.sha256):
        raise WrongPartsError
    chosen = _chosen_set(cycle, wish)
    grounds.refuse_annulled(platform, cycle.name, chosen.name)
    items = reading.manifest(platform, cycle.name, chosen.manifest).items
    if not items or not all(each.references for each in items):
        raise SetWithoutReferencesError
    unknown = sorted(set(wish.groups) - {each.group for each in items})
    if unknown:
        known = ", ".join(sorted({each.group for each in items}))
        said = {"message": f"the set has: {known}", "message_ru": f"в выборке есть: {known}"}
        raise InvalidRequestError([{"code": "unknown_group", **said, "field": "body.groups"}])
    return Order(wish.kind, upload, chosen.name, chosen.kind, chosen.manifest, wish.groups)


def _most(platform: Platform, cycle: Cycle, kind: SubmissionKind) -> int:
    """Bytes of a submission at most: of a program what its contest says."""
    track, rules = platform.tracks(cycle.track), reading.parameters(platform, cycle.parameters_version)
    packed = states.MOST_ANSWERS
    if kind is SubmissionKind.PROGRAM and isinstance(track, AnsweredByProgram):
        packed = track.run_limits(rules.track)["packed"]
    return min(packed, states.MOST_PARTS * PART)


def _chosen_set(cycle: Cycle, wish: Wish) -> EssaySet:
    """The set that is answered: of those that participants may know of, by default the one test set."""
    tests = [each for each in cycle.open_sets if each.kind is SetKind.TEST]
    if wish.set_name is None and len(tests) == 1:
        return tests[0]
    found = next((each for each in cycle.open_sets if each.name == wish.set_name), None)
    if found is None:
        names = ", ".join(each.name for each in cycle.open_sets)
        said = {"message": f"the cycle has the sets: {names}", "message_ru": f"в цикле есть выборки: {names}"}
        raise InvalidRequestError([{"code": "unknown_set", **said, "field": "body.set"}])
    return found


def _added(platform: Platform, made: Submission, key: Key | None) -> Submission:
    platform.submissions.add(made, key)
    return made


def _begun_before(platform: Platform, request: Request, key: Key | None) -> Submission | None:
    """The submission that this very request has announced before; :class:`KeyReusedError` of another request's key."""
    if key is None:
        return None
    used = platform.submissions.begun_with(request.identity.team_id, key.key_sha256)
    if used is None:
        return None
    asked_sha256, submission_id = used
    require_same(Used(asked_sha256, submission_id), key)
    return platform.submissions.get(submission_id)
