"""Run a job: choose this machine's engine, run it, collect its outputs and its cause of failure."""

from __future__ import annotations

import errno
from itertools import takewhile
from typing import TYPE_CHECKING

from local.submissions.containers import ContainerEngine
from local.submissions.engines import BubblewrapEngine, ChildEngine
from local.submissions.job import Finished, ProgramFaultError
from local.submissions.outputs import collect
from local.texts import tr
from markup_core.texts import LANGUAGES, in_language
from tracks.protocol import Text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from local.submissions.job import Cause, Ending, Engine, Job, Limits


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
