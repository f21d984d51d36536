"""The bucket as a job sees it: pieces that it reads and checks, files that it leaves; nothing is kept in memory."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from local.submissions.job import BadOutputError, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

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
