"""Submitted programs in AWS Batch: a job by the run's name, found again by it."""

from __future__ import annotations

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


class BatchRunner:
    """:class:`contest.ports.submissions.Runner`. The job of a run has its name, by which Batch lists it for a week."""

    def __init__(self, bucket: str, queue: str, definition: str) -> None:
        self._bucket, self._queue, self._definition = bucket, queue, definition

    def start(self, order: RunOrder) -> None:
        """See the port. Two jobs of one name that are begun in the same instant share a folder: the ending of the
        first stays, which both jobs know."""
        if self._job(order.run) is not None:
            return
        told = {BUCKET: self._bucket, ORDER: f"{order.folder}order.json"}
        aws.client("batch").submit_job(
            jobName=order.run,
            jobQueue=self._queue,
            jobDefinition=self._definition,
            parameters=told,
            containerOverrides={"environment": [{"name": name, "value": said} for name, said in told.items()]},
        )

    def phase(self, run: str) -> Phase:
        """See the port."""
        found = self._job(run)
        return Phase.UNKNOWN if found is None else _PHASES[found["status"]]

    def stop(self, run: str) -> None:
        """See the port."""
        found = self._job(run)
        if found is not None and _PHASES[found["status"]] is not Phase.OVER:
            aws.client("batch").terminate_job(jobId=found["jobId"], reason="stopped by the platform")

    def _job(self, run: str) -> dict[str, Any] | None:
        asked = [{"name": "JOB_NAME", "values": [run]}]
        listed = aws.client("batch").list_jobs(jobQueue=self._queue, filters=asked)["jobSummaryList"]
        return next((each for each in listed if each["jobName"] == run), None)
