"""AWS Batch as far as a queue, a definition and jobs that are processes of this machine.

moto runs the jobs of Batch in Docker. Here a job is a module of Python with the variables of its submission: it waits
for the jobs it depends on, is RUNNING while its process lives, SUCCEEDED by its exit code 0. A job that is terminated
is told to end, and killed when it does not. When a job is over, a message with its name goes into a queue of SQS, as a
rule of EventBridge would send it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from moto.batch.models import ComputeEnvironment, Job, batch_backends
from moto.sqs.models import sqs_backends

from local.environment import ACCOUNT, REGION, base_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOK_S: Final = 0.1
_GRACE_S: Final = 15.0
"""A little more than a program's own time between SIGTERM and SIGKILL (F-2)."""


_queue_settings: Final[dict[str, tuple[str, dict[str, str]]]] = {}
"""Of each queue that was opened the name of the queue of SQS that is told of ends, and its jobs' variables."""


def open_queue(ask: dict[str, Any]) -> None:
    """Make `queue` and `definition`, whose jobs run the module of `words` with `variables` beside their own; `tell` is
    the URL of the queue that hears of their ends."""
    backend: Any = batch_backends[ACCOUNT][REGION]
    # Asked for by its interface it wants a role, and to know one, moto reads all policies of AWS.
    new_environment: Any = ComputeEnvironment
    machines = new_environment(f"{ask['queue']}-machines", "UNMANAGED", "ENABLED", {}, "none", ACCOUNT, REGION)
    backend._compute_environments[machines.arn] = machines
    order = [{"order": 1, "computeEnvironment": machines.name}]
    backend.create_job_queue(ask["queue"], 1, None, "ENABLED", order)
    container = {"image": "none", "vcpus": 1, "memory": 4, "command": ask["words"]}
    backend.register_job_definition(
        ask["definition"], {}, "container", {}, {}, container, None, None, {}, [], propagate_tags=False
    )
    _queue_settings[ask["queue"]] = (ask["tell"].rpartition("/")[2], ask["variables"])
    Job.run = _run  # type: ignore[method-assign, assignment]  # moto's own needs Docker


def _run(job: Job) -> None:
    """Run a job on its thread, from its submission to its end."""
    tell, variables = _queue_settings[job.job_queue.name]
    job.status = "RUNNABLE"
    if not job.depends_on or job._wait_for_dependencies():
        overrides = {variable["name"]: variable["value"] for variable in job.container_overrides.get("environment", [])}
        job.status = "RUNNING"
        job._mark_stopped(success=_ended(job, {**base_environment(), **variables, **overrides}))
    sqs_backends[ACCOUNT][REGION].send_message(tell, json.dumps({"run": job.job_name}))


def _ended(job: Job, environment: dict[str, str]) -> bool:
    """Run a job's process to its end; return whether it succeeded."""
    words: Sequence[str] = job.job_definition.container_properties["command"]  # type: ignore[index]
    scratch = Path(os.getcwd(), "jobs")  # noqa: PTH109 - the emulator's own folder, which goes with it
    scratch.mkdir(exist_ok=True)
    with subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", "local.processes.child", *words],
        stdin=subprocess.PIPE,
        env={**environment, "TMPDIR": str(scratch)},
        start_new_session=True,
    ) as process:
        while not _over(process, _LOOK_S):
            if job.stop:
                process.send_signal(signal.SIGTERM)
                if not _over(process, _GRACE_S):
                    process.kill()
                process.wait()
                return False
        return process.returncode == 0


def _over(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether a process has ended within some seconds."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None
