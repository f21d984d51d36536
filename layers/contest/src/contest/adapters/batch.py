"""Submitted programs in AWS Batch: a job by the run's name, found again by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from contest.adapters import aws
from contest.domain.submissions.running import Phase, RunOrder

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
    """A queue of jobs and the definition of what is put into it."""

    queue: str
    definition: str


class BatchRunner:
    """:class:`contest.ports.submissions.Runner`. The job of a run has its name, by which Batch lists it for a week.

    With ``copying`` a job RUN-image goes before it, with a network and without the team's program, that copies the
    image; where that fails, Batch does not begin the run.
    """

    def __init__(self, bucket: str, running: Lane, copying: Lane | None = None) -> None:
        self._bucket, self._running, self._copying = bucket, running, copying

    def start(self, order: RunOrder) -> None:
        """See the port. Two jobs of one name that are begun in the same instant share a folder: the ending of the
        first stays, which both jobs know.

        Clause: TS F-1, TS F-2
        """
        if _job(self._running, order.run) is not None:
            return
        before = [] if self._copying is None else [{"jobId": self._copied(order, self._copying)}]
        limits = order.limits
        wanted = {"VCPU": limits.cpus, "MEMORY": limits.memory // _MIB, **({"GPU": limits.gpus} if limits.gpus else {})}
        requirements = [{"type": name, "value": str(count)} for name, count in wanted.items()]
        longest = limits.wall_s + limits.grace_s + _AROUND_S
        self._submit(
            self._running,
            order.run,
            dependsOn=before,
            timeout={"attemptDurationSeconds": longest},
            containerOverrides={"environment": self._told(order), "resourceRequirements": requirements},
        )

    def phase(self, run: str) -> Phase:
        found = _job(self._running, run)
        return Phase.UNKNOWN if found is None else _PHASES[found["status"]]

    def stop(self, run: str) -> None:
        lanes = ((self._running, run), (self._copying, _copy_name(run)))
        for found in (_job(lane, name) for lane, name in lanes if lane is not None):
            if found is not None and _PHASES[found["status"]] is not Phase.OVER:
                aws.client("batch").terminate_job(jobId=found["jobId"], reason="stopped by the platform")

    def _copied(self, order: RunOrder, lane: Lane) -> str:
        """The id of the job that copies the image; one that was begun before is not begun again."""
        name = _copy_name(order.run)
        found = _job(lane, name) or self._submit(lane, name, containerOverrides={"environment": self._told(order)})
        return str(found["jobId"])

    def _submit(self, lane: Lane, name: str, **more: Any) -> Any:
        return aws.client("batch").submit_job(
            jobName=name, jobQueue=lane.queue, jobDefinition=lane.definition, tags={TAG: lane.queue}, **more
        )

    def _told(self, order: RunOrder) -> list[dict[str, str]]:
        told = {BUCKET: self._bucket, ORDER: f"{order.folder}order.json"}
        return [{"name": name, "value": said} for name, said in told.items()]


def _copy_name(run: str) -> str:
    return f"{run}-image"


def _job(lane: Lane, name: str) -> dict[str, Any] | None:
    """The job of a name, the one that was begun first; None where there is none."""
    asked = [{"name": "JOB_NAME", "values": [name]}]
    listed = aws.client("batch").list_jobs(jobQueue=lane.queue, filters=asked)["jobSummaryList"]
    named = (each for each in listed if each["jobName"] == name)
    return min(named, key=lambda each: int(each["createdAt"]), default=None)
