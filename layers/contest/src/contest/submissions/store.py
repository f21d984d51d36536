"""Submissions in the exchange table, and their programs in AWS Batch: a job bears the run's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from contest.adapters import aws
from contest.adapters.aws import ExchangeItem, Versioned, expiry
from contest.people.rules import Change
from contest.people.store import logged_writes
from contest.session.rules.session import Key
from contest.submissions.rules import Lane as TeamLane
from contest.submissions.rules import Phase, RunOrder, Submission
from markup_core.lazy import dataclass

_STATE = "STATE"
_LANE = "LANE"
_UNFINISHED = "SUBMISSIONS#UNFINISHED"
_KEY_LIVES_S = 7 * 86_400
PRIVATE = "#private"
"""Whose keys those of private runs are: they are begun by organizers, for no team."""


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
    """:class:`contest.submissions.ports.Submissions` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._all = f"SUBMISSIONS#{cycle}"

    def get(self, submission_id: str) -> Submission | None:
        return SubmissionItem.find(_key(submission_id), _STATE, Submission)

    def of_team(self, team_id: str) -> Sequence[Submission]:
        return self._named(_team(team_id), "NAME#")

    def listed(self) -> Sequence[Submission]:
        return self._named(self._all, "NAME#")

    def unfinished(self) -> Sequence[str]:
        return [item.submission_id for item in NamedItem.query(_UNFINISHED, consistent_read=True)]

    def begun_with(self, team_id: str, key_sha256: str) -> tuple[str, str] | None:
        return UsedKeyItem.one(
            _team(team_id), f"KEY#{key_sha256}", lambda item: (item.asked_sha256, item.submission_id)
        )

    def lane(self, team_id: str) -> TeamLane:
        lane = LaneItem.one(_team(team_id), _LANE, lambda item: TeamLane(item.submission_id, int(item.version)))
        return lane or TeamLane()

    def add(self, submission: Submission, key: Key | None) -> None:
        name = submission.submission_id
        with logged_writes(None) as transaction:
            transaction.save(_item(submission), condition=SubmissionItem.pk.does_not_exist())
            for partition in (_team(submission.team_id), self._all):
                transaction.save(NamedItem(partition, f"NAME#{name}", submission_id=name))
            transaction.save(NamedItem(_UNFINISHED, name, submission_id=name))
            if key is not None:
                item = UsedKeyItem(
                    _team(PRIVATE if submission.of else submission.team_id),
                    f"KEY#{key.key_sha256}",
                    expires_at=expiry(submission.created_at, _KEY_LIVES_S),
                    asked_sha256=key.asked_sha256,
                    submission_id=name,
                )
                transaction.save(item, condition=UsedKeyItem.pk.does_not_exist())

    def change(
        self, before: Submission, after: Submission, lane: TeamLane | None = None, change: Change | None = None
    ) -> None:
        name = after.submission_id
        with logged_writes(change) as transaction:
            transaction.save(_item(after), condition=SubmissionItem.unchanged(before))
            if after.is_final:
                transaction.delete(NamedItem(_UNFINISHED, name, submission_id=name))
            elif before.is_final:
                transaction.save(NamedItem(_UNFINISHED, name, submission_id=name))
            if lane is not None:
                under_way = name if after.is_under_way else ""
                item = LaneItem(_team(after.team_id), _LANE, submission_id=under_way, version=lane.version + 1)
                unchanged = LaneItem.version == lane.version if lane.version else LaneItem.pk.does_not_exist()
                transaction.save(item, condition=unchanged)

    def _named(self, partition: str, prefix: str) -> Sequence[Submission]:
        named = NamedItem.query(partition, NamedItem.sk.startswith(prefix), consistent_read=True)
        names = [item.submission_id for item in named]
        items = SubmissionItem.batch_get(
            [(_key(submission_id), _STATE) for submission_id in names], consistent_read=True
        )
        return [item.value(Submission) for item in items]


def _key(submission_id: str) -> str:
    return f"SUBMISSION#{submission_id}"


def _team(team_id: str) -> str:
    return f"TEAM#{team_id}#SUBMISSIONS"


def _item(submission: Submission) -> SubmissionItem:
    return SubmissionItem.of(_key(submission.submission_id), _STATE, submission)


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
"""The variable that tells a job the name of its order; another one, the bucket's."""
BUCKET: Final = "HURDLE_BUCKET"


TAG: Final = "hurdle:queue"
"""By which a job is known to be this deployment's: nobody may end another's."""
_AROUND_S: Final = 2 * 60 * 60
"""What a job may take beside its program: the image is pulled, the archive unpacked, the outputs are stored."""
_MIB: Final = 1024**2


@dataclass(frozen=True, slots=True)
class Lane:
    """Queue of jobs and the definition of its jobs."""

    queue: str
    definition: str


class BatchRunner:
    """:class:`contest.submissions.ports.Runner`. A run's job has the run's name, by which Batch lists it for a week.

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
