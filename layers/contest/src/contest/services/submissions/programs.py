"""What submissions answer: of a file what it says, of a program its run, started, looked at, read (T13, F-2 … F-4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.submissions import running
from contest.domain.submissions.running import Ending, FailureCause, Phase, RunLimits, RunOrder, Stored
from contest.domain.submissions.submission import Program, Submission, SubmissionKind
from contest.ports import MissingBlobError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.submissions import kept, scoring
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile

ORDER: Final = "order.json"
ENDING: Final = "ending.json"
OUTPUT: Final = "output/"
STDOUT: Final = "stdout"
STDERR: Final = "stderr"


@dataclass(frozen=True, slots=True)
class Seen:
    """A run as it was found: whether its program has been started, and how it ended, None while it has not."""

    started: bool
    ending: Ending | None = None


def look(platform: Platform, found: Submission) -> Seen:
    """Look at a submission's latest run, and begin it if it was not: the first look is what starts it.

    A run that is over without an ending has failed by the platform's fault.

    Clause: TS F-2, TS F-4
    """
    name = found.run
    known = ending_of(platform, name)
    if known is not None:
        return Seen(started=True, ending=known)
    phase = platform.runner.phase(name)
    if phase is Phase.UNKNOWN:
        platform.runner.start(_ordered(platform, found, name))
        return Seen(started=False)
    if phase is Phase.OVER:
        known = ending_of(platform, name)  # written between the two looks, or never
        lost = Ending(FailureCause.PLATFORM, None, 0.0, said="the job is over and has left no ending")
        return Seen(started=True, ending=known or lost)
    return Seen(started=phase is Phase.STARTED)


def ending_of(platform: Platform, run: str) -> Ending | None:
    """How a run ended; None while it has not."""
    try:
        raw = platform.blobs.get(f"{stored_names.submission_run_folder(run)}{ENDING}")
    except MissingBlobError:
        return None
    return running.ending_from(json.loads(raw))


def answered(platform: Platform, found: Submission) -> tuple[dict[str, bytes], dict[str, Any] | None]:
    """Return the bodies of a submission's answers by item, and what its report says of a program's run.

    Clause: TS T13
    """
    if found.order.kind is SubmissionKind.PROGRAM:
        return answers(platform, found, found.run)
    track = platform.tracks(found.track)
    if not isinstance(track, AnsweredInOneFile):
        raise TypeError(f"{found.track} has no form for a file of answers")
    items = {name: content for name, (_, content) in scoring.contents(platform, found).items()}
    return dict(track.read_submission(kept.content(platform, found), items).answers), None


def answers(platform: Platform, found: Submission, run: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The bodies of a run's answers by item, and what the report says of the run.

    An output that nobody asked for is no answer; what is another file than the ending says is none either.

    Clause: TS F-2, TS F-6
    """
    track = platform.tracks(found.track)
    ending = ending_of(platform, run)
    if ending is None or not isinstance(track, AnsweredByProgram):
        raise LookupError(run)
    outputs = {each.name: each for each in ending.outputs}
    bodies = dict[str, bytes]()
    for item_id, content in _asked(platform, found).items():
        output = next((outputs[each] for each in track.outputs_of(content) if each in outputs), None)
        if output is not None:
            body = platform.blobs.get(f"{stored_names.submission_run_folder(run)}{OUTPUT}{output.name}")
            if sha256_hex(body) == output.sha256:
                bodies[item_id] = body
    return bodies, described(ending, run)


def described(ending: Ending, run: str) -> dict[str, Any]:
    """A run as reports name it."""
    return {
        "run": run,
        "machine": ending.machine,
        "image_digest": ending.image_digest,
        "exit_code": ending.exit_code,
        "seconds": ending.seconds,
        "not_enforced": [{"en": en, "ru": ru} for en, ru in ending.not_enforced],
    }


def log_of(platform: Platform, run: str, stream: str) -> bytes | None:
    """The end of what a run has written to a stream; None where it has left none."""
    try:
        return platform.blobs.get(f"{stored_names.submission_run_folder(run)}{stream}")[-running.LOG_BYTES :]
    except MissingBlobError:
        return None


def _asked(platform: Platform, found: Submission) -> Mapping[str, Any]:
    """The items of a submission's set that it answers, by their ids."""
    groups = frozenset(found.order.groups)
    known = scoring.contents(platform, found)
    return {name: content for name, (item, content) in known.items() if not groups or item.group in groups}


def _ordered(platform: Platform, found: Submission, run: str) -> RunOrder:
    """A run's order, stored where its job reads it. The true answers are in none of it.

    Clause: TS F-2, TS F-3, F input
    """
    track, rules = platform.tracks(found.track), reading.parameters(platform, found.parameters_version)
    if not isinstance(track, AnsweredByProgram):
        raise TypeError(f"{found.track} runs no programs")
    program = found.program or Program("", "")
    upload = found.order.upload
    archive = tuple(
        Stored(name, upload.size_of(number), upload.parts[number - 1])
        for number, name in enumerate(kept.part_names(found), 1)
    )
    order = RunOrder(
        run=run,
        folder=stored_names.submission_run_folder(run),
        image=program.image,
        entry_point=program.entry_point,
        archive=archive,
        inputs=_inputs(platform, found, track),
        limits=RunLimits(**track.run_limits(rules.track)),
    )
    platform.blobs.put_if_absent(f"{order.folder}{ORDER}", canonical(running.as_json(order)))
    return order


def _inputs(platform: Platform, found: Submission, track: AnsweredByProgram) -> tuple[Stored, ...]:
    """What goes below the program's folder of inputs: of each item that it answers its files and attachments."""
    made = list[Stored]()
    for content in _asked(platform, found).values():
        for path, value in sorted(track.inputs(content).items()):
            body = canonical(value)
            name = stored_names.blob_names(found.cycle, "inputs", sha256_hex(body))
            platform.blobs.put_if_absent(name, body)
            made.append(Stored(name, len(body), sha256_hex(body), path))
        for path, said in sorted(track.attachments(content).items()):
            size, _, digest = said.partition("-")
            made.append(Stored(stored_names.attachment_name(found.cycle, digest), int(size), digest, path))
    return tuple(made)
