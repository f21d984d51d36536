"""Docker or Podman: the submission's own image, in a container without a network."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import uuid
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Final, cast

from local.submissions.job import HOME, Ending, Job
from local.submissions.outputs import is_over
from local.submissions.supervision import MachinePatience, Tail
from local.texts import tr
from tracks.protocol import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.submissions.job import Cause
    from local.submissions.supervision import Patience

NO_GPU: Final = tr("the container is given no GPU")
_LOOK_S: Final = 0.5
_ANSWER_S: Final = 30.0
"""How long the engine itself may take to answer."""
_PULL_S: Final = 3600.0
_NOBODY: Final = 1000
"""Whom a program runs as where this process is root: nobody of this machine's, and of the contest's images jovyan."""
_ENGINE_FAILED: Final = 125
"""What its command returns where it could not even make the container."""


@dataclass(frozen=True)
class ContainerEngine:
    """A container engine by its command, ``docker`` or ``podman``, whose daemon, if it has one, runs here."""

    program: str
    patience: Patience = field(default_factory=MachinePatience)
    gpus: int = 0
    """Of this machine's that a program gets."""

    @property
    def name(self) -> str:
        """Return the command as its name."""
        return self.program

    def installed(self) -> bool:
        """Return whether the command is there."""
        return shutil.which(self.program) is not None

    def works(self) -> bool:
        """Return whether the command is there and the engine answers it."""
        return self.installed() and self._asked("info").returncode == 0

    def not_enforced(self) -> Sequence[Text]:
        """Return the limits that this engine does not hold: the GPU alone, where there is none."""
        return () if self.gpus else (NO_GPU,)

    def login(self, registry: str, password: str) -> None:
        """Let images be pulled from a registry of AWS. Raises OSError where it refuses."""
        words = ("login", "--username", "AWS", "--password-stdin", registry)
        if self._asked(*words, stdin=password.encode()).returncode != 0:
            raise OSError(f"{registry} refuses this deployment")

    def pull(self, image: str, most: int) -> bool:
        """Pull an image; return whether it takes at most so many bytes here. Raises OSError where it cannot be
        had, which is the machine's fault: it was copied to the deployment's own registry before.

        Clause: TS F-1
        """
        pulled = self._asked("pull", "--quiet", image, patience_s=_PULL_S)
        if pulled.returncode != 0:
            raise OSError(f"{self.program} could not pull {image}: {pulled.stderr[-200:].decode('utf-8', 'replace')}")
        size = self._asked("image", "inspect", "--format", "{{.Size}}", image)
        if size.returncode != 0:
            raise OSError(f"{self.program} does not say how large {image} is")
        return int(size.stdout) <= most

    def run(self, job: Job) -> Ending:
        """Run a job in its image, which has to be on this machine already; nothing is pulled.

        Clause: F directory, F limits network
        """
        if self._asked("image", "inspect", job.image).returncode != 0:
            return Ending(None, b"", b"", 0.0, "image")
        name = f"submission-{uuid.uuid4().hex}"
        client = subprocess.Popen(  # noqa: S603 - the arguments are made here, the image's name was checked
            self._command(job, name), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        began = self.patience.now_s()
        stdout = Tail(cast("IO[bytes]", client.stdout), job.limits.log)
        stderr = Tail(cast("IO[bytes]", client.stderr), job.limits.log)
        try:
            broken = self._watched(job, client.pid, began)
            if broken == "timeout":
                self._asked("stop", "--time", str(int(job.limits.grace_s)), name, patience_s=job.limits.grace_s)
            elif broken is not None:
                self._asked("kill", name)
            exit_code = client.wait(_ANSWER_S)
            seconds = self.patience.now_s() - began
            killed = self._asked("inspect", "--format", "{{.State.OOMKilled}}", name).stdout.strip() == b"true"
        finally:
            self._asked("rm", "--force", name)
            client.kill()
            client.wait()
        errors = stderr.content()
        if exit_code == _ENGINE_FAILED and broken is None:
            raise OSError(f"{self.program} could not run a container: {errors[-200:].decode('utf-8', 'replace')}")
        return Ending(exit_code, stdout.content(), errors, seconds, "out_of_memory" if killed else broken)

    def _command(self, job: Job, name: str) -> list[str]:
        limits, (first, *others) = job.limits, shlex.split(job.entry_point)
        user, group = os.getuid(), os.getgid()
        if user == 0:
            user = group = _NOBODY
            os.chown(job.outputs, user, group)
        gpus = ("--gpus", str(self.gpus)) if self.gpus else ()
        return [
            *(self.program, "run", "--name", name, "--pull", "never", "--network", "none", "--read-only", "--init"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", f"{user}:{group}"),
            *("--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--cpus", str(limits.cpus)),
            *("--pids-limit", str(limits.processes), "--ulimit", f"fsize={limits.file + 1}", "--ulimit", "core=0"),
            *("--tmpfs", f"/tmp:rw,size={limits.outputs}", "--shm-size", str(limits.outputs)),  # noqa: S108
            *gpus,
            *("--log-driver", "none", "--env", f"HOME={HOME}", "--workdir", HOME),
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

    def _asked(
        self, *words: str, patience_s: float = 0.0, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Ask the engine something. Raises OSError where it does not answer."""
        try:
            return subprocess.run(  # noqa: S603 - as above
                [self.program, *words], capture_output=True, check=False, timeout=_ANSWER_S + patience_s, input=stdin
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"{self.program} does not answer") from error
