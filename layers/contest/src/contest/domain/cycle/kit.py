"""The participants' kit as the platform publishes it: a signed list of files with their hashes (R 4.2, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from contest.domain.moments import Millis, iso

FORMAT: Final = 1
"""Version of the statement's form; the kit refuses one that it does not know."""


@dataclass(frozen=True, slots=True)
class KitFile:
    """A file of the kit: a wheel, or everything for one sort of machines."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Package(KitFile):
    """A wheel."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Bundle(KitFile):
    """All wheels that a machine without a network needs, for several versions of Python."""

    platform: str
    pythons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KitList:
    """What a build of the kit consists of. ``modules_sha256`` is what it says of itself when it opens a session."""

    version: str
    modules_sha256: str
    packages: tuple[Package, ...]
    bundles: tuple[Bundle, ...] = ()


@dataclass(frozen=True, slots=True)
class Kit:
    """A kit that was published, and the platform's signature over :func:`statement`."""

    listed: KitList
    published_at: Millis
    key_id: str
    signature: str


def statement(cycle: str, listed: KitList, published_at: Millis, key_id: str) -> dict[str, Any]:
    """What is signed: the list with its moment, as JSON.

    Clause: R 4.2, R 4.3
    """
    return {
        "format": FORMAT,
        "kind": "kit",
        "cycle": cycle,
        "version": listed.version,
        "modules_sha256": listed.modules_sha256,
        "packages": [{"name": each.name, "version": each.version, **_file(each)} for each in listed.packages],
        "bundles": [
            {"platform": each.platform, "pythons": list(each.pythons), **_file(each)} for each in listed.bundles
        ],
        "published_at": iso(published_at),
        "key_id": key_id,
    }


def taken(kits: Sequence[Kit], listed: KitList) -> Kit | None:
    """The published kit of the same version whose modules or wheels differ: a version is published once.

    Bundles may come later: they hold the same wheels.
    """
    same = (each for each in kits if each.listed.version == listed.version)
    return next((each for each in same if _modules(each.listed) != _modules(listed)), None)


def _modules(listed: KitList) -> tuple[str, tuple[Package, ...]]:
    return listed.modules_sha256, listed.packages


def _file(each: KitFile) -> dict[str, Any]:
    return {"file": each.file, "bytes": each.bytes, "sha256": each.sha256}
