"""A job from its order to its ending: ``python -m local.submissions.work`` (docs/decisions/0022-submissions.md).

HURDLE_BUCKET and HURDLE_ORDER name the order. Platform and job know of each other by objects alone, all below the
order's folder; what they look like is written down in the decision, and a test reads what one writes as the other does.
The job leaves ``ending.json`` last, whatever happened; one that is killed before leaves none, which the platform sees.

``python -m local.submissions.work copy`` is the job before a run, on a machine with a network and without a team's
program (F-1): ``skopeo`` copies the order's image from where the team has it to the deployment's registry, which
HURDLE_REPOSITORY names. It leaves ``image.json`` with the name by digest. Where the image cannot be had or is too
large, it leaves an ending with the cause ``image``, and the run does not begin.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from local.submissions.engines import ContainerEngine, not_enforced_line, run, strongest, with_fault
from local.submissions.job import (
    Job,
    Limits,
    ProgramFaultError,
    S3Bucket,
    below,
    fetch,
    has,
    password_of,
    put_bytes,
    put_file,
    read_json,
    remove,
)
from tracks.fusion.archive import ArchiveLimits, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from local.submissions.job import Engine, Finished

ORDER: Final = "HURDLE_ORDER"
BUCKET: Final = "HURDLE_BUCKET"
MACHINE: Final = "HURDLE_MACHINE"
"""Variable with the deployment's name of the machine; without it the report has the CPU count and the memory."""
GPUS: Final = "HURDLE_GPUS"
"""Variable with the number of GPUs that a program gets on a deployment's machine with Docker. Without it the
strongest engine of this machine is taken."""
REPOSITORY: Final = "HURDLE_REPOSITORY"
"""Variable with the place of programs' images in the deployment's registry, without a tag."""
COPY: Final = "copy"
"""The argument with which an image is copied, and nothing run."""
_SAID: Final = 2000
"""Most characters reported of a failure of the platform."""


# Clause: TS F-2, TS F-3, TS F-4
def work(bucket: S3Bucket, order_name: str, engine: Engine, machine: str) -> int:
    """Run an order; return 0 once an ending is stored, this one or an earlier one.

    The cause follows from whose the failing thing is: a :class:`ProgramFaultError` is the submission's, everything else
    is the machine's or the store's.
    """
    order = read_json(bucket, order_name)
    folder: str = order["folder"]
    if has(bucket, f"{folder}ending.json"):
        return 0
    try:
        ending = _run(bucket, order, engine)
    except ProgramFaultError as fault:
        put_bytes(bucket, f"{folder}stderr", f"{fault}\n".encode())
        ending = {"cause": fault.cause}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is none of the submission's, and is told
        print(traceback.format_exc(), file=sys.stderr)
        ending = {"cause": "platform", "said": f"{type(error).__name__}: {error}"[:_SAID]}
    leave(bucket, folder, {**ending, "machine": f"{machine}, {engine.name}" if machine else engine.name})
    return 0


def leave(bucket: S3Bucket, folder: str, ending: Mapping[str, Any]) -> None:
    """Store an ending, unless there is one; the first stays."""
    whole = {"format": 1, **NOTHING, **ending}
    bucket.write_once(f"{folder}ending.json", json.dumps(whole, ensure_ascii=False, sort_keys=True).encode())


NOTHING: Final[Mapping[str, Any]] = {
    "cause": None,
    "exit_code": None,
    "seconds": 0.0,
    "outputs": [],
    "image_digest": None,
    "not_enforced": [],
    "machine": "",
    "said": "",
}
"""Default fields of an ending, for everything unknown."""


def _run(bucket: S3Bucket, order: dict[str, Any], engine: Engine) -> dict[str, Any]:
    """Fetch an order's objects, run it, put its outputs; return the ending."""
    with _scratch() as place:
        image, digest = _image(bucket, order)
        order_limits = order["limits"]  # those of archive and image, too
        job = Job(
            entry_point=order["entry_point"],
            folder=place / "work",
            inputs=place / "inputs",
            outputs=place / "outputs",
            image=image,
            limits=Limits(
                **{field.name: order_limits[field.name] for field in fields(Limits) if field.name in order_limits}
            ),
        )
        _prepare(bucket, order, job)
        most_image = _limit(order, "image")
        if digest and isinstance(engine, ContainerEngine) and not engine.pull(image, most_image):
            return {"cause": "image", "image_digest": digest}
        finished = run(job, engine)
        return {**_left(bucket, order["folder"], finished), "image_digest": digest}


@contextmanager
def _scratch() -> Iterator[Path]:
    """Make a folder for one run, and remove it with whatever the program has left: that this fails ends no run."""
    place = Path(tempfile.mkdtemp(prefix="hurdle-submission-"))
    try:
        yield place
    finally:
        with suppress(OSError):
            remove(place)


def _image(bucket: S3Bucket, order: dict[str, Any]) -> tuple[str, str | None]:
    """Return the image's name here, and its digest where it was copied."""
    try:
        copied = read_json(bucket, f"{order['folder']}image.json")
    except KeyError:
        return order["image"], None
    return copied["image"], copied["image"].rpartition("@")[2]


def _prepare(bucket: S3Bucket, order: dict[str, Any], job: Job) -> None:
    """Unpack the archive and lay out the inputs."""
    packed = job.folder.with_name("archive.zip")
    with packed.open("w+b") as file:
        for part in order["archive"]:
            fetch(bucket, part, file)
        _unpack(file, job.folder, ArchiveLimits(*(_limit(order, name) for name in ("packed", "unpacked", "members"))))
    packed.unlink()
    job.inputs.mkdir()
    job.outputs.mkdir()
    for entry in order["inputs"]:
        with below(job.inputs, entry["path"]).open("xb") as file:
            fetch(bucket, entry, file)


_OF_NAMES: Final = frozenset(
    {errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
)
"""Error numbers of a file system that refuses names; bad names are faults of the archive, as all its others."""


# Clause: TS F-1, TS F-4
def _unpack(file: BinaryIO, folder: Path, limits: ArchiveLimits) -> None:
    """Unpack the archive; one that cannot be is its team's, but a machine without room is not."""
    try:
        unpack(file, folder, limits)
    except OSError as error:
        if error.errno not in _OF_NAMES:
            raise
        raise ProgramFaultError("exit_code", f"the archive cannot be unpacked: {error.strerror}") from error
    except Exception as error:
        raise ProgramFaultError("exit_code", f"the archive cannot be unpacked: {error}") from error


def _limit(order: dict[str, Any], name: str) -> int:
    """Return a bound of the image or the archive."""
    return int(order["limits"][name])


def _left(bucket: S3Bucket, folder: str, finished: Finished) -> dict[str, Any]:
    """Put outputs and logs; return the ending of a run that is over."""
    cause, stderr, outputs = finished.cause, finished.stderr, list[dict[str, Any]]()
    try:
        outputs = [put_file(bucket, f"{folder}output/{path.name}", path) for path in finished.outputs]
    except ProgramFaultError as fault:
        cause, stderr = fault.cause, with_fault(stderr, fault, Limits())
    for name, content in (("stdout", finished.stdout), ("stderr", stderr)):
        put_bytes(bucket, f"{folder}{name}", content)
    platform = cause == "platform"
    return {
        "cause": cause,
        "exit_code": finished.exit_code,
        "seconds": round(finished.seconds, 3),
        "outputs": outputs,
        "not_enforced": [[limit.en, limit.ru] for limit in finished.not_enforced],
        "said": finished.stderr.decode("utf-8", "replace")[:_SAID] if platform else "",
    }


_ASKED_S: Final = 120
_COPIED_S: Final = 3600
_PLATFORM: Final = ("--override-os", "linux", "--override-arch", "amd64")


class NoImageError(Exception):
    """A team's image cannot be taken; the message is told to the team."""


@dataclass(frozen=True)
class Copier:
    """skopeo with the registry's password; ``repository`` without a tag."""

    repository: str
    password: str = ""
    program: str = "skopeo"

    # Clause: TS F-1, F image, F limits image
    def copy(self, image: str, name: str, most: int) -> tuple[str, int]:
        """Copy an image as ``name``; return its name by digest, and its bytes as they were sent.

        Raises :class:`NoImageError` where it is not there, not open to everybody, or larger than ``most`` bytes even as
        it is sent; OSError where the registry of the deployment does not take it.
        """
        source = f"docker://{image}"
        inspected = self._asked(_ASKED_S, "inspect", *_PLATFORM, source)
        if inspected.returncode != 0:
            raise NoImageError(f"{image}: {_end(inspected.stderr)}")
        size = sum(int(layer["Size"]) for layer in json.loads(inspected.stdout)["LayersData"])
        if size > most:
            raise NoImageError(f"{image} takes {size} bytes packed, the limit is {most} bytes unpacked")
        with tempfile.NamedTemporaryFile("r") as digest:
            target = f"docker://{self.repository}:{name}"
            login = ("--dest-creds", f"AWS:{self.password}") if self.password else ()
            copied = self._asked(_COPIED_S, "copy", *_PLATFORM, *login, "--digestfile", digest.name, source, target)
            if copied.returncode != 0:
                raise OSError(f"{image} could not be copied: {_end(copied.stderr)}")
            return f"{self.repository}@{Path(digest.name).read_text('ascii').strip()}", size

    def _asked(self, patience_s: int, *words: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 - the image's name was checked when the submission was
                [self.program, *words], capture_output=True, check=False, timeout=patience_s
            )
        except subprocess.TimeoutExpired:
            raise NoImageError(f"nothing was heard of the image for {patience_s} seconds") from None


# Clause: TS F-1, TS F-4
def copy_image(bucket: S3Bucket, order_name: str, copier: Copier) -> int:
    """Copy an order's image; return 0 if the run may begin. An existing copy stays."""
    order = read_json(bucket, order_name)
    folder: str = order["folder"]
    if has(bucket, f"{folder}ending.json"):
        return 1
    if has(bucket, f"{folder}image.json"):
        return 0
    try:
        name, size = copier.copy(order["image"], order["run"], int(order["limits"]["image"]))
    except NoImageError as error:
        put_bytes(bucket, f"{folder}stderr", f"{error}\n".encode())
        leave(bucket, folder, {"cause": "image"})
        return 1
    except OSError as error:
        leave(bucket, folder, {"cause": "platform", "said": str(error)[:_SAID]})
        return 1
    put_bytes(bucket, f"{folder}image.json", json.dumps({"image": name, "bytes": size}).encode())
    return 0


def _end(stderr: bytes) -> str:
    """Return the last line of a program's error output."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_SAID] if lines else "no reason was given"


def _ended(number: int, frame: object) -> None:
    """End on a signal: the running command is ended on the way out, and no ending is stored."""
    del number, frame
    raise SystemExit(143)


def main(words: Sequence[str]) -> int:
    """Run the order that the environment names, or copy its image."""
    import boto3  # type: ignore[import-untyped]  # ships no types

    bucket = S3Bucket(boto3.client("s3"), os.environ[BUCKET])
    if COPY in words:
        copier = Copier(os.environ[REPOSITORY], password_of(boto3.client("ecr")))
        return copy_image(bucket, os.environ[ORDER], copier)
    signal.signal(signal.SIGTERM, _ended)
    gpus = os.environ.get(GPUS)
    engine: Engine
    if gpus is None:
        engine = strongest()
    else:
        engine = docker = ContainerEngine("docker", gpus=int(gpus))
        docker.login(os.environ[REPOSITORY].partition("/")[0], password_of(boto3.client("ecr")))
    print(not_enforced_line(engine).en, file=sys.stderr)
    # No name of the machine, which would tell its place.
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    machine = os.environ.get(MACHINE, f"{os.cpu_count()} CPU, {gigabytes:.0f} GiB")
    return work(bucket, os.environ[ORDER], engine, machine)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
