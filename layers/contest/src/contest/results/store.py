"""Storage of results and submissions in the DynamoDB tables, and runs of programs in AWS Batch.

The scores table has score records and board entries, the boards' states and histories, rescorings, conclusions and
claims. Annulments lie in the catalogue table, which every function concerned reads. Admissions lie in the exchange
table, since admitted programs join by them; so do submissions. A job of AWS Batch bears the run's name.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.aws import CatalogueItem, ExchangeItem, ScoresItem, Versioned, conditional_write, expiry
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.results.rules.jobs import ScoreKey
from contest.results.rules.leaderboard import BoardState, Entry, Placed, Point, as_json
from contest.results.rules.qualification import Admission, Annulment, Claim, Conclusion, QualificationKind
from contest.results.rules.rescoring import Rescoring
from contest.run.rules.run import Run
from contest.run.store import put_run
from contest.session.rules.session import Key
from contest.session.store import session_key
from contest.submissions.rules import Lane as TeamLane
from contest.submissions.rules import Phase, RunOrder, Submission
from contest.values import Millis
from markup_core.lazy import dataclass

MAX_RECORD: Final = 350_000
"""Compressed bytes of a record; an item of the table holds 400 KB."""


class RecordTooLargeError(ValueError):
    """A score record does not fit into an item; its message ends in the dead-letter queue."""


class ScoreItem(ScoresItem):
    """A score record, compressed canonical JSON."""

    record = BinaryAttribute(legacy_encoding=False)


class BoardItem(ScoresItem):
    """A team's best claim to a place on a board."""

    entry = UnicodeAttribute()


class DynamoScores:
    """:class:`contest.ports.Scores`."""

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        return ScoreItem.one(session_key(session_id), _score_sk(key), lambda item: zlib.decompress(item.record))

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        items = ScoreItem.query(session_key(session_id), ScoreItem.sk.startswith("SCORE#"), consistent_read=True)
        scores = {}
        for item in items:
            _, number, answer_sha256, conditions = item.sk.split("#")
            scores[ScoreKey(int(number), answer_sha256, conditions)] = zlib.decompress(item.record)
        return scores

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        packed = zlib.compress(record, 6)
        if len(packed) > MAX_RECORD:
            raise RecordTooLargeError(f"score record of {session_id} {key.number}: {len(packed)} bytes compressed")
        with conditional_write():
            item = ScoreItem(session_key(session_id), _score_sk(key), record=packed)
            item.save(condition=ScoreItem.pk.does_not_exist())

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        return BoardItem.one(_board_key(cycle, language), team_id, lambda item: Entry(**json.loads(item.entry)))

    def enter(self, cycle: str, before: Entry | None, after: Entry) -> None:
        unchanged = BoardItem.entry == _body(before) if before is not None else BoardItem.pk.does_not_exist()
        with conditional_write():
            item = BoardItem(_board_key(cycle, after.language), after.team_id, entry=_body(after))
            item.save(condition=unchanged)

    def claim(self, cycle: str, entry: Entry) -> None:
        BoardItem(_claims_key(cycle, entry.language, entry.team_id), entry.session_id, entry=_body(entry)).save()

    def claims(self, cycle: str, language: str, team_id: str) -> Sequence[Entry]:
        items = BoardItem.query(_claims_key(cycle, language, team_id), consistent_read=True)
        return [Entry(**json.loads(item.entry)) for item in items]

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        return [Entry(**json.loads(item.entry)) for item in BoardItem.query(_board_key(cycle, language))]


def _body(entry: Entry) -> str:
    return json.dumps(as_json(entry), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _score_sk(key: ScoreKey) -> str:
    return f"SCORE#{key.number:04d}#{key.answer_sha256}#{key.conditions}"


def _board_key(cycle: str, language: str) -> str:
    return f"BOARD#{cycle}#qualification#{language}"


def _claims_key(cycle: str, language: str, team_id: str) -> str:
    return f"CLAIMS#{cycle}#{language}#{team_id}"


_HEAD: Final = "HEAD"
"""Sort key, beside the points, of the latest point's moment: a new point is written on condition of it."""


class StateItem(Versioned, ScoresItem):
    """A board's state."""


class PointItem(ScoresItem):
    """A point of a history, or its head: a copy of the latest point, under a name that never changes."""

    body = UnicodeAttribute(default="[]")
    at = NumberAttribute()

    def point(self) -> Point:
        return Point(int(self.at), tuple(Placed(*place) for place in json.loads(self.body)))


class DynamoBoards:
    """:class:`contest.results.ports.Boards`."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        return StateItem.find(f"BOARDS#{cycle}", board, BoardState)

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        item = StateItem.of(f"BOARDS#{cycle}", after.board, after)
        save_logged(change, item, StateItem.unchanged(before))

    def points(self, cycle: str, board: str, scope: str, most: int) -> Sequence[Point]:
        under, key = PointItem.sk.startswith("AT#"), _history_key(cycle, board, scope)
        items = PointItem.query(key, under, consistent_read=True, scan_index_forward=False, limit=most)
        return [item.point() for item in items]

    def latest_points(self, cycle: str, parts: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Point]:
        named = {_history_key(cycle, board, scope): (board, scope) for board, scope in parts}
        heads = PointItem.batch_get([(key, _HEAD) for key in named], consistent_read=True) if named else ()
        return {named[head.pk]: head.point() for head in heads}

    def add_point(
        self, cycle: str, board: str, scope: str, before: Point | None, after: Point, dropped: Millis | None
    ) -> None:
        key = _history_key(cycle, board, scope)
        body = json.dumps(
            [[placed.team_id, placed.place, placed.value] for placed in after.places], separators=(",", ":")
        )
        latest = PointItem.pk.does_not_exist() if before is None else PointItem.at == before.at
        with logged_writes(None) as transaction:
            transaction.save(PointItem(key, _HEAD, at=after.at, body=body), condition=latest)
            transaction.save(PointItem(key, _point_sk(after.at), at=after.at, body=body))
            if dropped is not None:
                transaction.delete(PointItem(key, _point_sk(dropped)))


def _history_key(cycle: str, board: str, scope: str) -> str:
    return f"PLACES#{cycle}#{board}#{scope}"


def _point_sk(at: Millis) -> str:
    return f"AT#{at:015d}"


class AnnulmentItem(Versioned, CatalogueItem):
    """An annulment."""


class DynamoAnnulments:
    """:class:`contest.results.ports.Annulments`."""

    def all(self, cycle: str) -> Sequence[Annulment]:
        return AnnulmentItem.values(Annulment, _key(cycle))

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        item = AnnulmentItem.of(_key(cycle), "#".join(after.key), after)
        save_logged(change, item, AnnulmentItem.unchanged(before))


def _key(cycle: str) -> str:
    return f"ANNULMENTS#{cycle}"


_ALL: Final = "RESCORINGS"


class RescoringItem(Versioned, ScoresItem):
    """A rescoring."""


class DynamoRescorings:
    """:class:`contest.results.ports.Rescorings`."""

    def add(self, rescoring: Rescoring, change: Change) -> None:
        item = _item(rescoring)
        save_logged(change, item, RescoringItem.pk.does_not_exist())

    def get(self, rescoring_id: str) -> Rescoring | None:
        return RescoringItem.find(_ALL, rescoring_id, Rescoring)

    def change(self, before: Rescoring, after: Rescoring, change: Change, run: tuple[Run, Run] | None = None) -> None:
        with logged_writes(change) as transaction:
            transaction.save(_item(after), condition=RescoringItem.unchanged(before))
            if run is not None:
                put_run(transaction, *run)

    def all(self) -> Sequence[Rescoring]:
        rescorings = RescoringItem.values(Rescoring, _ALL)
        return sorted(rescorings, key=lambda rescoring: (rescoring.begun_at, rescoring.rescoring_id), reverse=True)


def _item(rescoring: Rescoring) -> RescoringItem:
    return RescoringItem.of(_ALL, rescoring.rescoring_id, rescoring)


_CLAIM, _CONCLUSION = "CLAIM#", "CONCLUSION#"


class QualificationItem(Versioned, ScoresItem):
    """A conclusion or a claim."""


class AdmissionItem(Versioned, ExchangeItem):
    """The decision about a team, read when it joins a final by a function that may read no scores."""


Kind = type[QualificationItem] | type[AdmissionItem]


class DynamoQualification:
    """:class:`contest.results.ports.Qualification`."""

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        name = f"{_CONCLUSION}{kind.value}#{session_id}"
        return QualificationItem.find(_team_key(cycle, team_id), name, Conclusion)

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        of_kind = QualificationItem.sk.startswith(f"{_CONCLUSION}{kind.value}#")
        return QualificationItem.values(Conclusion, _team_key(cycle, team_id), of_kind)

    def claims(self, cycle: str) -> Sequence[Claim]:
        return _claims(cycle, _CLAIM)

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        return _claims(cycle, f"{_CLAIM}{team_id}#")

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        with logged_writes(change) as transaction:
            key = f"{_CONCLUSION}{after.kind.value}#{after.session_id}"
            _put(transaction, QualificationItem, _team_key(after.cycle, after.team_id), key, before, after)
            claimed = f"{_CLAIM}{after.team_id}#{after.kind.value}"
            _put(transaction, QualificationItem, _cycle_key(after.cycle), claimed, claim_before, claim_after)

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        return AdmissionItem.find(admissions_key(cycle), team_id, Admission)

    def admissions(self, cycle: str) -> Sequence[Admission]:
        return AdmissionItem.values(Admission, admissions_key(cycle))

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        pk, sk = admissions_key(cycle), after.team_id
        with logged_writes(change) as transaction:
            _put(transaction, AdmissionItem, pk, sk, before, after)


def _put(transaction: TransactWrite, kind: Kind, pk: str, sk: str, before: Any, after: Any) -> None:
    item = kind(pk, sk, body=json.dumps(asdict(after), ensure_ascii=False), version=after.version)
    transaction.save(item, condition=kind.unchanged(before))


def _claims(cycle: str, prefix: str) -> list[Claim]:
    return QualificationItem.values(Claim, _cycle_key(cycle), QualificationItem.sk.startswith(prefix))


def admission_of(item: AdmissionItem) -> Admission:
    """Read the domain's value from an item."""
    return item.value(Admission)


def admissions_key(cycle: str) -> str:
    """Return the partition key of a cycle's admissions."""
    return f"ADMISSIONS#{cycle}"


def _cycle_key(cycle: str) -> str:
    return f"QUALIFICATION#{cycle}"


def _team_key(cycle: str, team_id: str) -> str:
    return f"QUALIFICATION#{cycle}#{team_id}"


_SUBMISSION_STATE = "STATE"
_LANE = "LANE"
_UNFINISHED = "SUBMISSIONS#UNFINISHED"
_SUBMISSION_KEY_LIVES_S = 7 * 86_400
PRIVATE = "#private"
"""Replacement for a team's id in the keys of private runs, which organizers begin for no team."""


class SubmissionItem(Versioned, ExchangeItem):
    """A submission."""


class NamedItem(ExchangeItem):
    """A submission's name under another key."""

    submission_id = UnicodeAttribute()


class LaneItem(ExchangeItem):
    """Name of the team's submission under way; empty: none."""

    submission_id = UnicodeAttribute()
    version = NumberAttribute()


class UsedKeyItem(ExchangeItem):
    """Use of a team's idempotency key."""

    asked_sha256 = UnicodeAttribute()
    submission_id = UnicodeAttribute()
    expires_at = NumberAttribute()


class DynamoSubmissions:
    """:class:`contest.results.ports.Submissions` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._all = f"SUBMISSIONS#{cycle}"

    def get(self, submission_id: str) -> Submission | None:
        return SubmissionItem.find(_submission_key(submission_id), _SUBMISSION_STATE, Submission)

    def of_team(self, team_id: str) -> Sequence[Submission]:
        return self._named(_team_submissions(team_id))

    def listed(self) -> Sequence[Submission]:
        return self._named(self._all)

    def unfinished(self) -> Sequence[str]:
        return [item.submission_id for item in NamedItem.query(_UNFINISHED, consistent_read=True)]

    def begun_with(self, team_id: str, key_sha256: str) -> tuple[str, str] | None:
        return UsedKeyItem.one(
            _team_submissions(team_id), f"KEY#{key_sha256}", lambda item: (item.asked_sha256, item.submission_id)
        )

    def lane(self, team_id: str) -> TeamLane:
        lane = LaneItem.one(
            _team_submissions(team_id), _LANE, lambda item: TeamLane(item.submission_id, int(item.version))
        )
        return lane or TeamLane()

    def add(self, submission: Submission, key: Key | None) -> None:
        name = submission.submission_id
        with logged_writes(None) as transaction:
            transaction.save(_submission_item(submission), condition=SubmissionItem.pk.does_not_exist())
            for partition in (_team_submissions(submission.team_id), self._all):
                transaction.save(NamedItem(partition, f"NAME#{name}", submission_id=name))
            transaction.save(NamedItem(_UNFINISHED, name, submission_id=name))
            if key is not None:
                item = UsedKeyItem(
                    _team_submissions(PRIVATE if submission.of else submission.team_id),
                    f"KEY#{key.key_sha256}",
                    expires_at=expiry(submission.created_at, _SUBMISSION_KEY_LIVES_S),
                    asked_sha256=key.asked_sha256,
                    submission_id=name,
                )
                transaction.save(item, condition=UsedKeyItem.pk.does_not_exist())

    def change(
        self, before: Submission, after: Submission, lane: TeamLane | None = None, change: Change | None = None
    ) -> None:
        name = after.submission_id
        with logged_writes(change) as transaction:
            transaction.save(_submission_item(after), condition=SubmissionItem.unchanged(before))
            if after.is_final:
                transaction.delete(NamedItem(_UNFINISHED, name, submission_id=name))
            elif before.is_final:
                transaction.save(NamedItem(_UNFINISHED, name, submission_id=name))
            if lane is not None:
                under_way = name if after.is_under_way else ""
                item = LaneItem(
                    _team_submissions(after.team_id), _LANE, submission_id=under_way, version=lane.version + 1
                )
                unchanged = LaneItem.version == lane.version if lane.version else LaneItem.pk.does_not_exist()
                transaction.save(item, condition=unchanged)

    def _named(self, partition: str) -> Sequence[Submission]:
        named = NamedItem.query(partition, NamedItem.sk.startswith("NAME#"), consistent_read=True)
        keys = [(_submission_key(item.submission_id), _SUBMISSION_STATE) for item in named]
        return [item.value(Submission) for item in SubmissionItem.batch_get(keys, consistent_read=True)]


def _submission_key(submission_id: str) -> str:
    return f"SUBMISSION#{submission_id}"


def _team_submissions(team_id: str) -> str:
    return f"TEAM#{team_id}#SUBMISSIONS"


def _submission_item(submission: Submission) -> SubmissionItem:
    return SubmissionItem.of(_submission_key(submission.submission_id), _SUBMISSION_STATE, submission)


_PHASES: Final = {
    "SUBMITTED": Phase.WAITING,
    "PENDING": Phase.WAITING,
    "RUNNABLE": Phase.WAITING,
    "STARTING": Phase.STARTED,
    "RUNNING": Phase.STARTED,
    "SUCCEEDED": Phase.OVER,
    "FAILED": Phase.OVER,
}
ORDER: Final = "HURDLE_ORDER"
"""Environment variable with the name of a job's order; another one has the bucket's."""
BUCKET: Final = "HURDLE_BUCKET"
TAG: Final = "hurdle:queue"
"""Tag by which a job is known to be this deployment's: nobody may end another's."""
_AROUND_S: Final = 2 * 60 * 60
"""Seconds that a job may take beside its program: the image is pulled, the archive unpacked, the outputs are stored."""
_MIB: Final = 1024**2


@dataclass(frozen=True, slots=True)
class Lane:
    """Queue of jobs and the definition of its jobs."""

    queue: str
    definition: str


class BatchRunner:
    """:class:`contest.results.ports.Runner`. A run's job has the run's name, by which Batch lists it for a week.

    With ``copying`` a job RUN-image goes before it, with a network and without the team's program, that copies the
    image; where that fails, Batch does not begin the run.
    """

    def __init__(self, bucket: str, running: Lane, copying: Lane | None = None) -> None:
        self._bucket, self._running, self._copying = bucket, running, copying

    # Clause: TS F-1, TS F-2
    def start(self, order: RunOrder) -> None:
        """Submit the job; two of one name that begin in the same instant share a folder, where the ending of the
        first stays, which both know."""
        if _job(self._running, order.run) is not None:
            return
        before = []
        if (lane := self._copying) is not None:  # a job begun before is not begun again
            name = _copy_name(order.run)
            copy = _job(lane, name) or self._submit(lane, name, containerOverrides={"environment": self._told(order)})
            before = [{"jobId": str(copy["jobId"])}]
        limits = order.limits
        resources = {
            "VCPU": limits.cpus,
            "MEMORY": limits.memory // _MIB,
            **({"GPU": limits.gpus} if limits.gpus else {}),
        }
        requirements = [{"type": name, "value": str(count)} for name, count in resources.items()]
        longest = limits.wall_s + limits.grace_s + _AROUND_S
        self._submit(
            self._running,
            order.run,
            dependsOn=before,
            timeout={"attemptDurationSeconds": longest},
            containerOverrides={"environment": self._told(order), "resourceRequirements": requirements},
        )

    def phase(self, run: str) -> Phase:
        job = _job(self._running, run)
        return Phase.UNKNOWN if job is None else _PHASES[job["status"]]

    def stop(self, run: str) -> None:
        lanes = ((self._running, run), (self._copying, _copy_name(run)))
        for job in (_job(lane, name) for lane, name in lanes if lane is not None):
            if job is not None and _PHASES[job["status"]] is not Phase.OVER:
                aws.client("batch").terminate_job(jobId=job["jobId"], reason="stopped by the platform")

    def _submit(self, lane: Lane, name: str, **more: Any) -> Any:
        return aws.client("batch").submit_job(
            jobName=name, jobQueue=lane.queue, jobDefinition=lane.definition, tags={TAG: lane.queue}, **more
        )

    def _told(self, order: RunOrder) -> list[dict[str, str]]:
        variables = {BUCKET: self._bucket, ORDER: f"{order.folder}order.json"}
        return [{"name": name, "value": value} for name, value in variables.items()]


def _copy_name(run: str) -> str:
    return f"{run}-image"


def _job(lane: Lane, name: str) -> dict[str, Any] | None:
    """Return the first job of a name; None where there is none."""
    filters = [{"name": "JOB_NAME", "values": [name]}]
    listed = aws.client("batch").list_jobs(jobQueue=lane.queue, filters=filters)["jobSummaryList"]
    named = (job for job in listed if job["jobName"] == name)
    return min(named, key=lambda job: int(job["createdAt"]), default=None)
