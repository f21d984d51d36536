"""An image from where a team has it to the deployment's registry: ``python -m local.submissions.copying``.

The job before a run, on a machine with a network and without a team's program (F-1). HURDLE_BUCKET and HURDLE_ORDER
name the run's order, HURDLE_REPOSITORY where the image goes. It leaves ``image.json`` with the name by digest. Where
the image cannot be had or is too large, it leaves an ending with the cause ``image``, and the run does not begin.
``skopeo`` does the work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from local.submissions.objects import S3Bucket, has, password_of, put_bytes, read_json
from local.submissions.work import BUCKET, ORDER, REPOSITORY, leave

_ASKED_S: Final = 120
_COPIED_S: Final = 3600
_SAID: Final = 2000
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
def work(bucket: S3Bucket, order_name: str, copier: Copier) -> int:
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


def main() -> int:
    """Copy the image of the order that the environment names."""
    import boto3  # type: ignore[import-untyped]  # ships no types

    copier = Copier(os.environ[REPOSITORY], password_of(boto3.client("ecr")))
    return work(S3Bucket(boto3.client("s3"), os.environ[BUCKET]), os.environ[ORDER], copier)


if __name__ == "__main__":
    sys.exit(main())
