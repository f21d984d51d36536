"""Upload and reading of submissions (T13): announced, uploaded in parts, compared part by part, signed for."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import Cycle, EssaySet, SetKind
from contest.errors import InvalidRequestError, PartsMissingError, WrongPartsError
from contest.people.cabinet import own_team
from contest.people.errors import TeamInactiveError
from contest.people.rules import Identity, Role, TeamStatus
from contest.people.teams import refuse_unselected
from contest.platform import (
    DamagedPart,
    Platform,
    UploadPlace,
    decide_until_written,
    missing_parts,
    read_and_decide,
    signed,
    upload_place,
)
from contest.results import errors
from contest.session import following
from contest.session.access import Request, reads_all
from contest.session.opening import require_same
from contest.session.rules.session import Key, Used, quota_day, quota_resets_at
from contest.submissions.rules import (
    MOST_ANSWERS,
    MOST_PARTS,
    MOST_UPLOADING,
    Order,
    Submission,
    SubmissionKind,
    SubmissionState,
    SubmissionTask,
    Wish,
    counted_on,
    was_given_up,
)
from contest.texts import tr
from contest.values import PART, Millis, iso, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import AnsweredByProgram

FORMAT: Final = 1
"""Version of the receipt's form."""


@dataclass(frozen=True, slots=True)
class Left:
    """Remaining submissions of a team on the present day, and the beginning of the next one."""

    scored: int
    unscored: int
    resets_at: Millis


# Clause: TS T13, TS T1
def announce(platform: Platform, request: Request, wish: Wish) -> Submission:
    """Announce a submission; a repeated ``Idempotency-Key`` returns the one announced before.

    A submission that could not be scored is refused: the contest takes submissions of this kind, the set has its right
    answers, the size is within the cycle's limit.
    """
    wish_fields = [wish.kind.value, wish.size, wish.sha256, list(wish.parts or ()), wish.set_name, list(wish.groups)]
    key = request.key_for("submission", wish_fields)
    refuse_unless_approved(platform, request.identity)
    begun_before = _begun_before(platform, request, key)
    if begun_before is not None:
        return begun_before
    cycle, team_id, now = reading.cycle_now(platform), request.identity.team_id, platform.clock.now()
    order = _ordered(platform, cycle, wish)
    following.refuse_outside_qualification(cycle, order.set_kind, request.arrival)
    states = [submission.state for submission in platform.submissions.of_team(team_id)]
    if states.count(SubmissionState.UPLOADING) >= MOST_UPLOADING:
        raise errors.TooManyUploadsError
    submission = Submission(
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
        if twin is None:
            platform.submissions.add(submission, key)
        return twin or submission

    return decide_until_written(None, announced, lambda: _begun_before(platform, request, key))


# Clause: TS T13
def place_of_part(platform: Platform, request: Request, submission_id: str, number: int) -> UploadPlace:
    """Return the upload address of a part, by its number from 1; a repeated request gets another address."""
    submission = own_submission(platform, request, submission_id)
    refuse_unless_approved(platform, request.identity)
    if submission.state is not SubmissionState.UPLOADING:
        raise errors.SubmissionClosedError
    try:
        return upload_place(platform, stored_names.submission_uploads(submission_id), submission.order.upload, number)
    except LookupError:
        raise errors.UnknownSubmissionPartError from None


def missing_numbers(platform: Platform, submission: Submission) -> list[int]:
    """Return the numbers of the missing parts; none after the upload."""
    if submission.state is not SubmissionState.UPLOADING:
        return []
    return missing_parts(platform, stored_names.submission_uploads(submission.submission_id), submission.order.upload)


# Clause: TS T13, TS F-5
def complete(platform: Platform, request: Request, submission_id: str) -> Submission:
    """Accept a complete submission and sign its receipt; a repetition returns the same receipt.

    It counts for the day of the cycle's zone on which this request arrived. A team has one submission under way.
    """

    def taken(before: Submission) -> Submission:
        if before.state is not SubmissionState.UPLOADING:
            if not before.receipt:
                raise errors.SubmissionClosedError
            return before
        absent = missing_numbers(platform, before)
        if absent:
            raise PartsMissingError.numbered(absent)
        return _taken(platform, request, before)

    done = read_and_decide(lambda: own_submission(platform, request, submission_id), taken)
    if done.is_under_way:
        platform.submission_tasks.send([SubmissionTask(done.submission_id)])
    return done


# Clause: TS T13
def give_up(platform: Platform, request: Request, submission_id: str) -> Submission:
    """End an upload that its team does not want to go on with: it takes none of the team's places for uploads any more,
    and counts nowhere. Asked again, the same; :class:`SubmissionClosedError` of one that was handed in."""

    def ended(before: Submission) -> Submission:
        if was_given_up(before):
            return before
        if before.state is not SubmissionState.UPLOADING:
            raise errors.SubmissionClosedError
        after = before.at(SubmissionState.REFUSED, platform.clock.now())
        platform.submissions.change(before, after)
        return after

    return read_and_decide(lambda: own_submission(platform, request, submission_id), ended)


def own_submission(platform: Platform, request: Request, submission_id: str) -> Submission:
    """Return a submission of the calling team, any for readers of all reports; :class:`UnknownSubmissionError`."""
    submission = platform.submissions.get(submission_id)
    identity = request.identity
    is_own = submission is not None and bool(identity.team_id) and submission.team_id == identity.team_id
    if submission is None or not ((is_own and not submission.of) or reads_all(identity)):
        raise errors.UnknownSubmissionError
    return submission


# Clause: TS T13, R 2.26, R 6.2
def refuse_unless_approved(platform: Platform, identity: Identity) -> None:
    """Refuse a manual upload except by a member of an approved team; :class:`NoTeamError`, :class:`TeamInactiveError`.

    A program's token is believed of approved teams alone, while anybody with a participant's account can sign in.
    Nobody uploads for a team that has not passed the selection.
    """
    if identity.role is not Role.PROGRAM:
        team = own_team(platform, identity)
        if team.status is not TeamStatus.APPROVED:
            raise TeamInactiveError.of_status(team.status.value, team.reason)
    refuse_unselected(platform, identity.team_id)


def of_team(platform: Platform, team_id: str) -> Sequence[Submission]:
    """List a team's submissions, the newest first; O(all of them)."""
    submissions = [submission for submission in platform.submissions.of_team(team_id) if not submission.of]
    return sorted(submissions, key=lambda submission: (-submission.created_at, submission.submission_id))


# Clause: TS F-5, F quota
def remaining_today(platform: Platform, team_id: str, now: Millis) -> Left:
    """Return the number of submissions that a team may still complete today."""
    cycle = reading.recent_cycle(platform)
    rules = reading.parameters(platform, cycle.parameters_version)
    today = counted_on(platform.submissions.of_team(team_id), quota_day(now, cycle.time_zone))
    return Left(
        max(0, rules.submissions_per_day - today.scored),
        max(0, rules.unscored_per_day - today.unscored),
        quota_resets_at(now, cycle.time_zone),
    )


# Clause: TS F-5
def _taken(platform: Platform, request: Request, before: Submission) -> Submission:
    refuse_unless_approved(platform, request.identity)
    lane = platform.submissions.lane(before.team_id)
    if lane.submission_id:
        raise errors.SubmissionUnderWayError.named(lane.submission_id)
    cycle = reading.cycle_now(platform)
    following.refuse_annulled(platform, cycle.name, before.order.set_name)
    following.refuse_outside_qualification(cycle, before.order.set_kind, request.arrival)
    rules = reading.parameters(platform, cycle.parameters_version)
    day = quota_day(request.arrival, cycle.time_zone)
    # A submission that has ended since this was read has changed the lane, and this is decided again.
    today = counted_on(platform.submissions.of_team(before.team_id), day)
    resets_at = quota_resets_at(request.arrival, cycle.time_zone)
    if today.scored >= rules.submissions_per_day:
        raise errors.SubmissionsExhaustedError.until(resets_at, request.arrival, rules.submissions_per_day)
    if today.unscored >= rules.unscored_per_day:
        raise errors.SubmissionsExhaustedError.until(resets_at, request.arrival, rules.unscored_per_day, "unscored")
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


# Clause: TS T13
def _receipt(platform: Platform, submission: Submission) -> str:
    """Return the receipt of an accepted submission."""
    promise: dict[str, Any] = {
        "format": FORMAT,
        "submission_id": submission.submission_id,
        "team_id": submission.team_id,
        "cycle": submission.cycle,
        "track": submission.track,
        "kind": submission.order.kind.value,
        "set": submission.order.set_name,
        "bytes": submission.order.upload.size,
        "content_sha256": submission.order.upload.sha256,
        "received_at": iso(submission.completed_at or 0),
        "day": submission.day,
        "key_id": platform.signer.public_key.key_id,
    }
    return signed(platform, "receipt", promise).decode("utf-8")


def _ordered(platform: Platform, cycle: Cycle, wish: Wish) -> Order:
    """Return the order of a wished submission; refuse one that the cycle does not take, or that cannot be scored."""
    track = reading.track_of(platform, cycle)
    if wish.kind.value not in {mode.submitted for mode in track.modes()}:
        raise errors.SubmissionsNotTakenError
    upload = wish.upload()
    most = _most(platform, cycle, wish.kind)
    if upload.size > most:
        raise errors.SubmissionTooLargeError.over(upload.size, most)
    if not upload.is_whole() or (len(upload.parts) == 1 and upload.parts[0] != upload.sha256):
        raise WrongPartsError
    chosen = _chosen_set(cycle, wish)
    following.refuse_annulled(platform, cycle.name, chosen.name)
    items = reading.manifest(platform, cycle.name, chosen.manifest).items
    if not items or not all(item.references for item in items):
        raise errors.SetWithoutReferencesError
    unknown = sorted(set(wish.groups) - {item.group for item in items})
    if unknown:
        groups = ", ".join(sorted({item.group for item in items}))
        messages = tr("the set has: {groups}", groups=groups).as_fields()
        raise InvalidRequestError([{"code": "unknown_group", **messages, "field": "body.groups"}])
    return Order(wish.kind, upload, chosen.name, chosen.kind, chosen.manifest, wish.groups)


def _most(platform: Platform, cycle: Cycle, kind: SubmissionKind) -> int:
    """Return the maximum bytes of a submission; for a program the contest sets it."""
    track, rules = reading.track_of(platform, cycle), reading.parameters(platform, cycle.parameters_version)
    packed = MOST_ANSWERS
    if kind is SubmissionKind.PROGRAM and isinstance(track, AnsweredByProgram):
        packed = track.run_limits(rules.track)["packed"]
    return min(packed, MOST_PARTS * PART)


def _chosen_set(cycle: Cycle, wish: Wish) -> EssaySet:
    """Return the requested set, among those open to participants; by default the one test set."""
    tests = [data_set for data_set in cycle.open_sets if data_set.kind is SetKind.TEST]
    if wish.set_name is None and len(tests) == 1:
        return tests[0]
    chosen = next((data_set for data_set in cycle.open_sets if data_set.name == wish.set_name), None)
    if chosen is None:
        names = ", ".join(data_set.name for data_set in cycle.open_sets)
        messages = tr("the cycle has the sets: {names}", names=names).as_fields()
        raise InvalidRequestError([{"code": "unknown_set", **messages, "field": "body.set"}])
    return chosen


def _begun_before(platform: Platform, request: Request, key: Key | None) -> Submission | None:
    """Return the submission that this very request announced; :class:`KeyReusedError` for another request's key."""
    if key is None:
        return None
    used = platform.submissions.begun_with(request.identity.team_id, key.key_sha256)
    if used is None:
        return None
    asked_sha256, submission_id = used
    require_same(Used(asked_sha256, submission_id), key)
    return platform.submissions.get(submission_id)


_IN_MEMORY: Final = 2
"""Parts of a stream that are in memory at a time: the one that is read, and the one with the archive's directory."""


class StoreFailedError(Exception):
    """The store failed to return a stored object. No reader of a team's upload takes this for a fault of the upload."""


# Clause: TS T13, TS F-1
def take_in(platform: Platform, submission: Submission) -> DamagedPart | None:
    """Copy a submission's parts to their final names; return the first part that differs from the announcement.

    One part is in memory at a time. The holder of a part's address may put other bytes there as long as it lives:
    the compared bytes are stored, and everything after reads those. A part stored already is read from there.
    """
    upload, whole = submission.order.upload, hashlib.sha256()
    folder = stored_names.submission_uploads(submission.submission_id)
    kept_names = frozenset(platform.blobs.names(f"{stored_names.BROUGHT}{submission.submission_id}/"))
    for number, announced in enumerate(upload.parts, 1):
        name = stored_names.submission_part_name(submission.submission_id, number, announced)
        brought = stored_names.upload_part_name(folder, upload.size_of(number), announced)
        content = platform.blobs.get(name if name in kept_names else brought)
        if sha256_hex(content) != announced:
            return DamagedPart(number)
        whole.update(content)
        platform.blobs.put_if_absent(name, content)
    return DamagedPart(0) if whole.hexdigest() != upload.sha256 else None


def part_names(submission: Submission) -> Sequence[str]:
    """Return the names of the stored parts, in their order."""
    return [
        stored_names.submission_part_name(submission.source, number, sha256)
        for number, sha256 in enumerate(submission.order.upload.parts, 1)
    ]


def whole_content(platform: Platform, submission: Submission) -> bytes:
    """Return a whole submission as bytes; for files of answers, which are small."""
    return b"".join(platform.blobs.get(name) for name in part_names(submission))


class KeptStream(io.RawIOBase):
    """Stored submission as a seekable stream; two parts of it are in memory."""

    def __init__(self, platform: Platform, submission: Submission) -> None:
        self._platform, self._names, self._size = platform, part_names(submission), submission.order.upload.size
        self._at = 0
        self._held: dict[int, bytes] = {}

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a byte: from the beginning, from here, or from the end."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise OSError("before the beginning")
        self._at = start + offset
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # any buffer that can be written
        """Read the rest of the present part, as far as the buffer has room."""
        if self._at >= self._size or not buffer:
            return 0
        number, place = divmod(self._at, PART)
        chunk = self._part(number)[place : place + len(buffer)]
        buffer[: len(chunk)] = chunk
        self._at += len(chunk)
        return len(chunk)

    def _part(self, number: int) -> bytes:
        if number not in self._held:
            while len(self._held) >= _IN_MEMORY:
                del self._held[next(iter(self._held))]
            try:
                self._held[number] = self._platform.blobs.get(self._names[number])
            except Exception as error:
                raise StoreFailedError(self._names[number]) from error
        return self._held[number]
