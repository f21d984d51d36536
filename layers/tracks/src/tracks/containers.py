"""Run untrusted programs in containers with the commands of Docker and Podman.

The local runner of submitted programs and the runner of declared measures give every container the same confinement.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

ANSWER_S: Final = 30.0
"""Seconds within which the engine itself must answer."""
NOBODY: Final = 1000
"""User id of a program if this process is root: unused on this machine, jovyan in the contest's images."""
ENGINE_FAILED: Final = 125
"""Exit code of the command if it could not create the container."""
_KILLED: Final = 137
"""Exit code after SIGKILL, sent by the kernel for memory or by this process, which remembers it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a container; ``memory``, ``file``, ``scratch`` (of /tmp) in bytes."""

    memory: int
    cpus: int
    processes: int
    file: int
    scratch: int


@dataclass(frozen=True)
class Containers:
    """A container engine on this machine, by its command: ``docker`` or ``podman``."""

    program: str

    def installed(self) -> bool:
        """Return whether the engine's command is installed."""
        return shutil.which(self.program) is not None

    def works(self) -> bool:
        """Return whether the command is installed and the engine answers it."""
        return self.installed() and self.asked("info").returncode == 0

    def has(self, image: str) -> bool:
        """Return whether an image is on this machine."""
        return self.asked("image", "inspect", image).returncode == 0

    # Clause: TS F-2, F limits network
    def confined(self, name: str, bounds: Bounds, user: tuple[int, int]) -> list[str]:
        """Return the command line that starts an isolated container; image and command follow it."""
        return [
            *(self.program, "run", "--name", name, "--pull", "never", "--network", "none", "--read-only", "--init"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", f"{user[0]}:{user[1]}"),
            *("--memory", str(bounds.memory), "--memory-swap", str(bounds.memory), "--cpus", str(bounds.cpus)),
            *("--pids-limit", str(bounds.processes), "--ulimit", f"fsize={bounds.file}", "--ulimit", "core=0"),
            *("--tmpfs", f"/tmp:rw,size={bounds.scratch}", "--shm-size", str(bounds.scratch)),  # noqa: S108
            *("--log-driver", "none"),
        ]

    @contextmanager
    def running(self, name: str, words: Sequence[str], stdin: Any = subprocess.DEVNULL) -> Iterator[Any]:
        """Start a container's client with its outputs in pipes; end the client and remove the container afterwards."""
        client = subprocess.Popen(  # noqa: S603 - the words are made here, the image's name was checked
            words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            yield client
        finally:
            self.asked("rm", "--force", name)
            client.kill()
            client.wait()

    def is_out_of_memory(self, name: str, exit_code: int | None) -> bool:
        """Return whether the kernel killed a container for its memory; no exit code: this process stopped it.

        Podman under cgroup v1 says ``OOMKilled=false`` of a container that was: there the exit code alone tells.
        """
        return (
            exit_code == _KILLED
            or self.asked("inspect", "--format", "{{.State.OOMKilled}}", name).stdout.strip() == b"true"
        )

    def asked(
        self, *words: str, patience_s: float = 0.0, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command of the engine and return its result. Raises OSError if it does not answer in time."""
        try:
            return subprocess.run(  # noqa: S603 - as above
                [self.program, *words], capture_output=True, check=False, timeout=ANSWER_S + patience_s, input=stdin
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"{self.program} does not answer") from error


def user_here() -> tuple[int, int]:
    """Return user and group ids of a program: those of this process, :data:`NOBODY` if it is root."""
    user, group = os.getuid(), os.getgid()
    return (user, group) if user else (NOBODY, NOBODY)
