"""Run a job on this machine's strongest engine; collect its outputs and its cause of failure.

Docker and Podman run the submission's own image, in a container without a network. Bubblewrap and the limited child
process run programs of this machine, confined by what its kernel gives everybody.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sys
import tempfile
import uuid
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from local.submissions.job import HOME, MIB, Ending, Finished, Job, Limits, ProgramFaultError, collect, is_over, remove
from local.submissions.supervision import Confined, Patience, Tail, groups_folder, supervise
from local.texts import tr
from markup_core.texts import LANGUAGES, in_language
from tracks.custom.running import ANSWER_S, ENGINE_FAILED, Bounds, Containers, user_here
from tracks.protocol import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.submissions.job import Cause, Engine

NO_IMAGE: Final = tr("the image is not used: the program runs with what is installed on this machine, without a GPU")
COUNTED: Final = tr("memory and the number of processes are counted twenty times a second, not bounded by the kernel")
OPEN: Final = tr(
    "the network and the files of this machine are open to the program, with the rights of the user who runs it"
)
HIDING: Final = tr("a process that kills its keeper and clears its environment is not found at the end")
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
"""Paths of a machine's system that programs need; none of them holds its users' data."""
_INSIDE_BUBBLEWRAP: Final = 3
"""Levels of processes below the keeper: bubblewrap, its first process in the new name space, the program."""


@dataclass(frozen=True)
class BubblewrapEngine:
    """A program in name spaces of its own: no network, no process and no file but the system's and the job's to see."""

    program: str = "bwrap"
    patience: Patience = field(default_factory=Patience)
    groups: Path | None = field(default_factory=groups_folder)
    name: str = "bubblewrap"

    def installed(self) -> bool:
        """Return whether ``bwrap`` is there."""
        return shutil.which(self.program) is not None

    def works(self) -> bool:
        """Return whether it is there and may make name spaces here."""
        return self.installed() and _tried(self)

    def not_enforced(self) -> Sequence[Text]:
        """Return the limits that are not held: the image, and the kernel's bounds where there are no groups."""
        return (NO_IMAGE,) if self.groups else (NO_IMAGE, COUNTED)

    # Clause: F directory, F limits network
    def run(self, job: Job) -> Ending:
        """Run a job with its folder at ``/home/jovyan``, read-only but ``output/`` and bounded /tmp, /dev/shm."""
        for name in ("input", "output"):
            _cleared(job.folder / name).mkdir()
        scratch = ("--size", str(job.limits.outputs), "--tmpfs")
        wrapped = [
            *(shutil.which(self.program) or self.program, "--unshare-all", "--die-with-parent", "--new-session"),
            *("--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--hostname", "submission", "--clearenv"),
            # Before the system: the Python that runs this may lie below /tmp, and would be hidden by what comes later.
            *(*scratch, "/tmp"),  # noqa: S108 - the program's own
            *_system(),
            *("--proc", "/proc", "--dev", "/dev", *scratch, "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108
            *("--ro-bind", str(job.folder), HOME),
            *("--ro-bind", str(job.inputs), f"{HOME}/input", "--bind", str(job.outputs), f"{HOME}/output"),
            *("--remount-ro", "/", "--chdir", HOME),
        ]
        for name, value in _environment(HOME).items():
            wrapped += ["--setenv", name, value]
        command = [*wrapped, "--", *shlex.split(job.entry_point)]
        # Of bubblewrap itself: it needs no more than its name to be found.
        confined = Confined(command, job.folder, {}, job.outputs, job.limits, _INSIDE_BUBBLEWRAP, self.groups)
        return supervise(confined, self.patience)


@dataclass(frozen=True)
class ChildEngine:
    """A child process with the limits that every machine has; for submissions of people one trusts.

    In the entry point ``/home/jovyan`` is read as the job's folder.
    """

    patience: Patience = field(default_factory=Patience)
    groups: Path | None = field(default_factory=groups_folder)
    name: str = "child process"

    def installed(self) -> bool:
        """Return whether it can run here: always, since it needs nothing."""
        return True

    def works(self) -> bool:
        """Return whether programs can be started here."""
        return _tried(self)

    def not_enforced(self) -> Sequence[Text]:
        """Return the limits that are not held: nearly all but time, memory and size."""
        return (OPEN, HIDING, NO_IMAGE) if self.groups else (OPEN, HIDING, NO_IMAGE, COUNTED)

    def run(self, job: Job) -> Ending:
        """Run a job in its folder, where ``input`` and ``output`` lead to the job's."""
        _cleared(job.folder / "input").symlink_to(job.inputs.resolve())
        _cleared(job.folder / "output").symlink_to(job.outputs.resolve())
        command = shlex.split(job.entry_point.replace(HOME, shlex.quote(str(job.folder))))
        environment = _environment(str(job.folder))
        confined = Confined(command, job.folder, environment, job.outputs, job.limits, 1, self.groups)
        return supervise(confined, self.patience)


def _tried(engine: Engine) -> bool:
    """Return whether a program that writes one file runs in an engine to its end, and the file is there."""
    with tempfile.TemporaryDirectory(prefix="hurdle-trial-") as place:
        folder, inputs, outputs = (Path(place, name) for name in ("folder", "inputs", "outputs"))
        for place_of_job in (folder, inputs, outputs):
            place_of_job.mkdir()
        limits = Limits(wall_s=10, memory=512 * MIB, grace_s=0)
        try:
            ending = engine.run(Job("sh -c 'echo tried > output/tried'", folder, inputs, outputs, limits=limits))
        except OSError:
            return False
        return ending.exit_code == 0 and (outputs / "tried").is_file()


def _cleared(place: Path) -> Path:
    """Return a place in a submission's folder that is the platform's, whatever its archive had put there."""
    if place.is_dir() and not place.is_symlink():
        remove(place)
    else:
        place.unlink(missing_ok=True)
    return place


def _system() -> list[str]:
    """Return this machine's parts that are shown, read-only: the system's programs, and the Python that runs this."""
    arguments = list[str]()
    for name in dict.fromkeys((*_SYSTEM, sys.base_prefix, sys.prefix)):
        place = Path(name)
        if place.is_symlink() and name in _SYSTEM:
            arguments += ["--symlink", str(place.readlink()), name]
        elif place.exists():
            arguments += ["--ro-bind", name, name]
    return arguments


def _environment(home: str) -> Mapping[str, str]:
    """Return all that a program learns from its environment: nothing of the platform's own."""
    search = os.pathsep.join((f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin"))
    return {"PATH": search, "HOME": home, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


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
    """Number of this machine's graphics processors that a program gets."""

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


def engines() -> tuple[Engine, ...]:
    """Return every engine there is, the strongest first."""
    return ContainerEngine("docker"), ContainerEngine("podman"), BubblewrapEngine(), ChildEngine()


# Clause: TS F-3
def strongest(candidates: Sequence[Engine] | None = None) -> Engine:
    """Return the first engine that works on this machine, each tried by running a program in it.

    A try takes about a second where nothing hangs. Raises OSError where none works.
    """
    for engine in engines() if candidates is None else candidates:
        if engine.works():
            return engine
    raise OSError("no program can be run here")


# Clause: TS F-3
def not_enforced_line(engine: Engine, candidates: Sequence[Engine] | None = None) -> Text:
    """Return a line on the limits that an engine does not hold on this machine, and which stronger ones
    of ``candidates`` (all there are) are installed and were passed over, because no program runs in them here."""
    parts = [*engine.not_enforced(), *_passed_over(engine, engines() if candidates is None else candidates)]
    if not parts:
        return tr("{name}: everything is enforced", name=engine.name)
    limits = Text(*("; ".join(in_language(part, language) for part in parts) for language in LANGUAGES))
    return tr("{name}, not enforced: {limits}", name=engine.name, limits=limits)


def _passed_over(engine: Engine, candidates: Sequence[Engine]) -> list[Text]:
    stronger = takewhile(lambda candidate: candidate.name != engine.name, candidates)
    return [
        tr(
            "{name} is installed, but runs no program here (are user name spaces allowed, does its daemon run?)",
            name=candidate.name,
        )
        for candidate in stronger
        if candidate.installed()
    ]


# Clause: TS F-2, TS F-4
def run(job: Job, engine: Engine) -> Finished:
    """Run a submission to its end and look at what it wrote; never raises for what a program does.

    Where the machine itself fails to run it, the cause is ``platform`` and stderr says how; a command that no machine
    could start is the program's. What it left behind is the
    program's, whatever looking at that raises: the end of its stderr says what was wrong.
    """
    try:
        ending = engine.run(job)
    except (OSError, ValueError) as error:
        # No machine starts a command as long as that, or with such characters in it.
        of_command = isinstance(error, ValueError) or error.errno == errno.E2BIG
        problem = str(error).encode(errors="replace")
        whose: Cause = "exit_code" if of_command else "platform"
        return Finished(whose, None, b"", problem, (), 0.0, engine.name, tuple(engine.not_enforced()))
    stderr = ending.stderr
    try:
        cause, outputs = _judged(ending, job.outputs, job.limits)
    except ProgramFaultError as fault:
        cause, outputs, stderr = fault.cause, (), with_fault(stderr, fault, job.limits)
    return Finished(
        cause,
        ending.exit_code,
        ending.stdout,
        stderr,
        outputs if cause is None else (),
        ending.seconds,
        engine.name,
        tuple(engine.not_enforced()),
    )


def with_fault(stderr: bytes, fault: ProgramFaultError, limits: Limits) -> bytes:
    """Return the end of a run's stderr with the fault that ended it as its last line."""
    return b"".join((stderr, f"\n{fault}\n".encode()))[-limits.log :]


def _judged(ending: Ending, folder: Path, limits: Limits) -> tuple[Cause | None, tuple[Path, ...]]:
    if ending.broken is not None:
        return ending.broken, ()
    if ending.exit_code != 0:  # None, too: who kills its own keeper has failed
        return "exit_code", ()
    outputs = collect(folder, limits)
    return (None, outputs) if outputs else ("no_output", ())
