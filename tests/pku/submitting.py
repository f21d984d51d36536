"""The platform of :mod:`tests.pku.platform` in fusion's contest, to which whole programs are submitted."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from typing import Any

import httpx
import pytest

from contest import values as contest_values
from contest.adapters import aws
from contest.submissions.rules import SubmissionTask
from local.submissions.job import Cause, Ending, Job
from tests.contest.submissions.submitting import RIGHT, Machine, fusion_cycle
from tests.pku.platform import Platform
from tests.stage import Stage
from tests.stage_services import BUCKET, FUNCTIONS, handler_of
from tracks.protocol import Text

PART = 1000
"""Bytes of a part in tests of parts."""
MANY = {"submissions_per_day": 100, "unscored_per_day": 100, "requests_per_second": 1000}


class Prompt:
    """:class:`local.submissions.job.Engine` that runs nothing: every program answers all but one subtask at once."""

    name = "bubblewrap"
    cause: Cause | None = None

    def installed(self) -> bool:
        return True

    def works(self) -> bool:
        return True

    def not_enforced(self) -> Sequence[Text]:
        return (Text(en="no GPU", ru="без видеокарты"),)

    def run(self, job: Job) -> Ending:
        if self.cause == "platform":
            raise OSError("the disk is full")
        for subtask in sorted(set(RIGHT) - {"HTR"}):
            (job.outputs / f"prediction_{subtask}.json").write_text(json.dumps(RIGHT[subtask]))
        return Ending(0, b"done\n", b"Traceback\n", 2.5, self.cause)


class SubmittingPlatform(Platform):
    """A platform that works on submissions between the requests for them, where ``works`` says so."""

    def __init__(self, stage: Stage, clock: Any) -> None:
        cycle = {name: value for name, value in fusion_cycle(**MANY).items() if not name.startswith("private/")}
        del cycle["cycle.json"]["sets"]["private"]
        super().__init__(stage, clock, cycle)
        self.engine = Prompt()
        self.machine = Machine(self.engine)
        stage.platform.__dict__["runner"] = self.machine
        self.works = False

    def work(self) -> None:
        """Check what is handed in and have it run, or score what has run."""
        with redirect_stderr(io.StringIO()):
            self.follow()
            assert self.stage.judge() == []
            for run in self.machine.run_all():
                self.stage.platform.submission_tasks.send([SubmissionTask(run)])

    def submissions(self) -> list[Any]:
        """List the team's submissions, the oldest first."""
        return list(reversed(self.ask("/v1/submissions?limit=100")["submissions"]))

    def stored(self) -> dict[str, bytes]:
        """Return the uploaded parts by their SHA-256."""
        client = aws.client("s3")
        names = [each["Key"] for each in client.list_objects_v2(Bucket=BUCKET, Prefix="uploads/").get("Contents", [])]
        return {name[-64:]: client.get_object(Bucket=BUCKET, Key=name)["Body"].read() for name in names}

    def _handled(self, request: httpx.Request) -> httpx.Response:
        answered = super()._handled(request)
        if self.works and request.method == "GET" and request.url.path.startswith("/v1/submissions/"):
            self.work()
        return answered


def shrink_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts of a kilobyte stand for those of 64 MiB, for the kit and for the platform."""
    for function in FUNCTIONS:
        handler_of(function)  # one that is imported later would keep the small number
    for name, module in list(sys.modules.items()):
        if (
            name.startswith("contest.")
            and getattr(module, "PART", None) == contest_values.PART
            and module is not contest_values
        ):
            monkeypatch.setattr(module, "PART", PART)
    monkeypatch.setattr(contest_values, "PART", PART)
    monkeypatch.setattr("pku.transfers.PART", PART)
