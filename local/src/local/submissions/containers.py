"""Docker or Podman: the submission's own image, in a container without a network."""

from __future__ import annotations

import os
import shlex
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from local.submissions.job import HOME, MIB, Ending, Job
from local.submissions.outputs import is_over
from local.submissions.supervision import Patience, Tail
from local.texts import tr
from tracks.containers import ANSWER_S, ENGINE_FAILED, Bounds, Containers, user_here
from tracks.protocol import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.submissions.job import Cause

NO_GPU: Final = tr("the container is given no GPU")
_LOOK_S: Final = 0.5
_PULL_S: Final = 3600.0
_EMPTY_ARCHIVE: Final = bytes(1024)
"""An archive of no files: two blocks of zeros."""
_TRIAL: Final = Bounds(memory=64 * MIB, cpus=1, processes=16, file=MIB, scratch=MIB)
_NO_CONTAINER: Final = frozenset({ENGINE_FAILED, 126})
"""Exit codes where the engine, or the runtime below it, made no container; 127 and others come out of one."""


@dataclass(frozen=True)
class ContainerEngine(Containers):
    """A container engine by its command, ``docker`` or ``podman``, whose daemon, if it has one, runs here."""

    patience: Patience = field(default_factory=Patience)
    gpus: int = 0
    """Of this machine's that a program gets."""

    @property
    def name(self) -> str:
        """Return the command as its name."""
        return self.program

    def works(self) -> bool:
        """Return whether the engine answers and makes confined containers here, tried with an image of no files.

        An engine may answer and be refused its limits by the kernel, as it is inside another container.
        """
        if not super().works():
            return False
        name = f"hurdle-trial-{uuid.uuid4().hex}"
        if self.asked("import", "-", name, stdin=_EMPTY_ARCHIVE).returncode != 0:
            return False
        try:
            _, *words = self.confined(name, _TRIAL, user_here())
            return self.asked(*words, name, "/nothing").returncode not in _NO_CONTAINER
        finally:
            self.asked("rm", "--force", name)
            self.asked("image", "rm", name)

    def not_enforced(self) -> Sequence[Text]:
        """Return the limits that this engine does not hold: the GPU alone, where there is none."""
        return () if self.gpus else (NO_GPU,)

    def login(self, registry: str, password: str) -> None:
        """Let images be pulled from a registry of AWS. Raises OSError where it refuses."""
        words = ("login", "--username", "AWS", "--password-stdin", registry)
        if self.asked(*words, stdin=password.encode()).returncode != 0:
            raise OSError(f"{registry} refuses this deployment")

    # Clause: TS F-1
    def pull(self, image: str, most: int) -> bool:
        """Pull an image; return whether it takes at most so many bytes here. Raises OSError where it cannot be
        had, which is the machine's fault: it was copied to the deployment's own registry before."""
        pulled = self.asked("pull", "--quiet", image, patience_s=_PULL_S)
        if pulled.returncode != 0:
            raise OSError(f"{self.program} could not pull {image}: {pulled.stderr[-200:].decode('utf-8', 'replace')}")
        size = self.asked("image", "inspect", "--format", "{{.Size}}", image)
        if size.returncode != 0:
            raise OSError(f"{self.program} does not say how large {image} is")
        return int(size.stdout) <= most

    # Clause: F directory, F limits network
    def run(self, job: Job) -> Ending:
        """Run a job in its image, which has to be on this machine already; nothing is pulled."""
        if not self.has(job.image):
            return Ending(None, b"", b"", 0.0, "image")
        name = f"submission-{uuid.uuid4().hex}"
        with self.running(name, self._command(job, name)) as client:
            began = self.patience.now_s()
            stdout, stderr = Tail(client.stdout, job.limits.log), Tail(client.stderr, job.limits.log)
            broken = self._watched(job, client.pid, began)
            if broken == "timeout":
                self.asked("stop", "--time", str(int(job.limits.grace_s)), name, patience_s=job.limits.grace_s)
            elif broken is not None:
                self.asked("kill", name)
            exit_code = client.wait(ANSWER_S)
            seconds = self.patience.now_s() - began
            is_killed = self.is_out_of_memory(name, exit_code if broken is None else None)
        errors = stderr.content()
        if exit_code == ENGINE_FAILED and broken is None:
            raise OSError(f"{self.program} could not run a container: {errors[-200:].decode('utf-8', 'replace')}")
        return Ending(exit_code, stdout.content(), errors, seconds, "out_of_memory" if is_killed else broken)

    def _command(self, job: Job, name: str) -> list[str]:
        limits, (first, *others) = job.limits, shlex.split(job.entry_point)
        user = user_here()
        if os.getuid() == 0:
            os.chown(job.outputs, *user)
        bounds = Bounds(limits.memory, limits.cpus, limits.processes, limits.file + 1, limits.outputs)
        return [
            *self.confined(name, bounds, user),
            *(("--gpus", str(self.gpus)) if self.gpus else ()),
            *("--env", f"HOME={HOME}", "--workdir", HOME),
            *("--volume", f"{job.folder}:{HOME}:ro", "--volume", f"{job.inputs}:{HOME}/input:ro"),
            *("--volume", f"{job.outputs}:{HOME}/output:rw", "--entrypoint", first, job.image, *others),
        ]

    def _watched(self, job: Job, client: int, began: float) -> Cause | None:
        over = os.pidfd_open(client)
        try:
            while not self.patience.wait(over, _LOOK_S):
                if self.patience.now_s() - began >= job.limits.wall_s:
                    return "timeout"
                if is_over(job.outputs, job.limits):
                    return "bad_output"
        finally:
            os.close(over)
        return None
