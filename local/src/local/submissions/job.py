"""A job, its ending, its objects in the bucket, and the files that it leaves in ``output/``: the same for every engine.

Outputs are plain files alone; they are read when none of the job's processes is left. A job reads and checks its
objects in pieces, and keeps none of them in memory.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import stat
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader

    from tracks.protocol import Text

MIB: Final = 1024**2
HOME: Final = "/home/jovyan"
"""The working directory of a submission (F, "Общий формат решения")."""

Cause = Literal["image", "exit_code", "timeout", "out_of_memory", "no_output", "bad_output", "platform"]
"""Why a submission failed (F-4)."""


# Clause: TS F-4
class ProgramFaultError(Exception):
    """Something of the submission's own ends its run, wherever it was noticed; the message is told to its team.

    Which failure has which cause is one table: docs/decisions/0027-causes-of-failed-runs.md.
    """

    def __init__(self, cause: Cause, problem: str) -> None:
        super().__init__(problem)
        self.cause = cause


# Clause: F limits container, TS F-2
@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run; the defaults are the contest's (F, "Ограничения")."""

    wall_s: float = 1800.0
    """Seconds from the start of the entry point; pulling and unpacking are not counted."""
    memory: int = 100 * 1024 * MIB
    """Bytes of all processes together."""
    cpus: int = 3
    processes: int = 1024
    """Processes and threads together."""
    file: int = 64 * MIB
    """Bytes of one output file."""
    outputs: int = 1024 * MIB
    """Bytes of all output files together."""
    grace_s: float = 10.0
    """Seconds from SIGTERM to SIGKILL."""
    log: int = MIB
    """Bytes kept of the end of stdout, and as many of stderr."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a submission.

    ``folder`` holds the unpacked archive, ``inputs`` what the container shows as ``input/`` (never the true answers),
    ``outputs`` is an empty folder for what it writes into ``output/``. Only a container engine uses ``image``.
    """

    entry_point: str
    folder: Path
    inputs: Path
    outputs: Path
    image: str = ""
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a job's processes, as an engine saw it; none of them is left.

    ``exit_code`` is negative for the signal that ended the entry point (128 and the signal where the engine stands
    between), None where nothing is known of it. ``broken``
    is set where a limit was broken and everything was killed therefore.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    broken: Cause | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over. ``cause`` is None for one whose outputs can be scored; else ``outputs`` is empty.

    ``stdout`` and ``stderr`` are the last ``Limits.log`` bytes of each, ``seconds`` the time of the entry point alone,
    ``not_enforced`` one sentence for each bound that this machine did not hold.
    """

    cause: Cause | None
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    outputs: tuple[Path, ...]
    seconds: float
    engine: str
    not_enforced: tuple[Text, ...]


class Engine(Protocol):
    """A way to confine a program."""

    @property
    def name(self) -> str:
        """Return its name in logs and reports."""

    def installed(self) -> bool:
        """Return whether its command is on this machine, whether or not it works."""

    def works(self) -> bool:
        """Return whether a program really runs in it on this machine, found by running one."""

    def not_enforced(self) -> Sequence[Text]:
        """Return the bounds that it does not hold on this machine; empty where it holds all."""

    def run(self, job: Job) -> Ending:
        """Run a job to its end and leave no process of it. Raises OSError where the machine fails."""


_MOST_FILES: Final = 1000
_BLOCK: Final = 4096
_DEEPEST: Final = 64
"""Folders below each other in which a program may write; what it leaves has none."""


class BadOutputError(ProgramFaultError):
    """The folder holds an entry that cannot be stored, or should not be opened."""

    def __init__(self, problem: str) -> None:
        super().__init__("bad_output", problem)


# Clause: F output, TS F-4
def collect(folder: Path, limits: Limits) -> tuple[Path, ...]:
    """Return the files of a folder by name.

    Raises :class:`BadOutputError` for a link, folder or special file, for a second name of a file elsewhere (a hard
    link shows what stands outside), for files too big or too many, for a name that is no UTF-8 or has control
    characters; whatever else the folder does to its reader is the program's, too.
    """
    try:
        return tuple(sorted(_plain_files(folder, limits)))
    except (OSError, ValueError) as error:
        raise BadOutputError(f"output/ cannot be read: {type(error).__name__}") from error


def _plain_files(folder: Path, limits: Limits) -> Iterator[Path]:
    number, total = 0, 0
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            status = entry.stat(follow_symlinks=False)
            total += status.st_size
            name = ascii(entry.name)
            if not _is_storable(entry.name):
                raise BadOutputError(f"{name} is no name that can be kept: UTF-8 without control characters")
            if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
                raise BadOutputError(f"{name} is no plain file")
            if status.st_size > limits.file or total > limits.outputs or number == _MOST_FILES:
                raise BadOutputError(f"{name} is one too many, or too big")
            yield folder / entry.name


def _is_storable(name: str) -> bool:
    """Return whether a file's name can be the name of an object, and be told in JSON."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # the system writes bytes that are no UTF-8 as lone surrogates
        return False
    return name.isprintable()


def opened(path: Path) -> BufferedReader:
    """Open an output to be stored; :class:`BadOutputError` where its program left it so that nobody can."""
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise BadOutputError(f"{path.name!a} cannot be read: {type(error).__name__}") from error


def is_over(folder: Path, limits: Limits) -> bool:
    """Return whether the files being written below a folder exceed the limit of all outputs, or lie too deep.

    Every name counts as a block at least, so that empty files have their bound, too; no more of them are looked at
    than it takes to know. Links are not followed.
    """
    total, unread = 0, [(str(folder), 0)]
    while unread:
        place, depth = unread.pop()
        if depth > _DEEPEST:
            return True
        for entry in _listed(place):
            with suppress(OSError):
                total += max(_BLOCK, entry.stat(follow_symlinks=False).st_blocks * 512)
                if entry.is_dir(follow_symlinks=False):
                    unread.append((entry.path, depth + 1))
            if total > limits.outputs:
                return True
    return False


# Clause: TS F-4
def remove(folder: Path) -> None:
    """Remove a folder with all that a program has left in it, however deep.

    What lies in a folder of the first level is moved up before that folder goes: no path is long, nothing is recursive,
    each entry moves once. Raises OSError where this machine does not let it.
    """
    prefix, number = uuid.uuid4().hex, 0
    folder.chmod(stat.S_IRWXU)
    while entries := list(os.scandir(folder)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                Path(entry.path).unlink()
                continue
            Path(entry.path).chmod(stat.S_IRWXU)
            for child in list(os.scandir(entry.path)):
                if child.is_dir(follow_symlinks=False):
                    Path(child.path).chmod(stat.S_IRWXU)
                number += 1
                Path(child.path).rename(folder / f"{prefix}-{number}")
            Path(entry.path).rmdir()
    folder.rmdir()


def _listed(place: str) -> list[os.DirEntry[str]]:
    """Return a folder's entries; none where it is gone or closed."""
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        return []


_CHUNK: Final = 1024**2


class DamagedError(OSError):
    """An object is not what the order says; the machine's or the platform's fault, never the submission's."""


class S3Bucket:
    """A job's operations on its bucket in S3, by a client of boto3."""

    def __init__(self, client: Any, name: str) -> None:
        self._client, self._name = client, name

    def read(self, name: str) -> Iterator[bytes]:
        """Yield the content of an object in pieces. KeyError where there is none."""
        try:
            body = self._client.get_object(Bucket=self._name, Key=name)["Body"]
        except self._client.exceptions.NoSuchKey:
            raise KeyError(name) from None
        while piece := body.read(_CHUNK):
            yield piece

    def write(self, name: str, content: IO[bytes], size: int, sha256: str) -> None:
        """Put an object, whose hash the bucket compares."""
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        self._client.put_object(
            Bucket=self._name,
            Key=name,
            Body=content,
            ContentLength=size,
            ChecksumSHA256=checksum,
            ChecksumAlgorithm="SHA256",
        )

    def write_once(self, name: str, content: bytes) -> bool:
        """Put an object unless there is one; return whether it was put."""
        try:
            self._client.put_object(Bucket=self._name, Key=name, Body=content, IfNoneMatch="*")
        except self._client.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] in (409, 412):
                return False
            raise
        return True


def read_json(bucket: S3Bucket, name: str) -> Any:
    """Return an object that is JSON. KeyError where there is none."""
    return json.loads(b"".join(bucket.read(name)))


def fetch(bucket: S3Bucket, stored: dict[str, Any], target: IO[bytes]) -> None:
    """Append an object to a file. :class:`DamagedError` if it is not as the order says."""
    digest, size = hashlib.sha256(), 0
    try:
        for piece in bucket.read(stored["name"]):
            digest.update(piece)
            size += len(piece)
            target.write(piece)
    except KeyError:
        raise DamagedError(f"{stored['name']} is not there") from None
    if size != stored["size"] or digest.hexdigest() != stored["sha256"]:
        raise DamagedError(f"{stored['name']} is not what it was: {size} bytes, SHA-256 {digest.hexdigest()}")


def put_bytes(bucket: S3Bucket, name: str, content: bytes) -> None:
    """Put an object from memory."""
    bucket.write(name, io.BytesIO(content), len(content), hashlib.sha256(content).hexdigest())


def has(bucket: S3Bucket, name: str) -> bool:
    """Return whether there is an object of this name."""
    try:
        next(iter(bucket.read(name)), None)
    except KeyError:
        return False
    return True


def put_file(bucket: S3Bucket, name: str, path: Path) -> dict[str, Any]:
    """Put a file that a program left; return its entry with size and hash.

    Whatever opening and reading it does is the program's (:class:`ProgramFaultError`); what the bucket raises is not.
    """
    with opened(path) as file:
        try:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = os.fstat(file.fileno()).st_size
            file.seek(0)
        except OSError as error:
            raise BadOutputError(f"{path.name!a} cannot be read: {type(error).__name__}") from error
        bucket.write(name, file, size, digest)
    return {"name": path.name, "size": size, "sha256": digest}


def below(folder: Path, path: str) -> Path:
    """Return the place of a path below a folder; make its folder. :class:`DamagedError` for one that leads out."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise DamagedError(f"{path} is no path below input/")
    place = folder.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def password_of(registry: Any) -> str:
    """Return the password of a registry of AWS, which holds for hours; ``registry`` is a client of boto3."""
    token = registry.get_authorization_token()["authorizationData"][0]["authorizationToken"]
    return base64.b64decode(token).decode().partition(":")[2]
