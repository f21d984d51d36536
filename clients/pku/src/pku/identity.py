"""Which program this is: sent when a session opens, so that the commission can see the modules a team uses (R 4.3)."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import itemgetter
from typing import Final

PACKAGE: Final = "hurdle-pku"


def installed(package: str) -> str:
    """Version of an installed package; ``unknown`` when it runs from a copied folder."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def client_version() -> str:
    """Version of this kit."""
    return installed(PACKAGE)


def user_agent() -> str:
    """The ``User-Agent`` of every request."""
    core = installed("markup-core")
    return f"{PACKAGE}/{client_version()} (markup-core {core}; Python {platform.python_version()})"


@cache
def package_sha256() -> str:
    """SHA-256 over the kit's files: of the lines ``{sha256 of the file}  {path}``, sorted by path, ``/`` between parts.

    Compiled files are left out, so that the value is the same wherever the same release is installed.
    """
    found = sorted(_sources(files("pku"), ""), key=itemgetter(0))
    lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {path}\n" for path, each in found]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def client_block() -> dict[str, str]:
    """The ``client`` field of the opening request.

    Clause: D 6.2.3, R 4.2.3
    """
    return {
        "name": PACKAGE,
        "version": client_version(),
        "sha256": package_sha256(),
        "markup_core": installed("markup-core"),
    }


def _sources(folder: Traversable, before: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.name == "__pycache__" or each.name.endswith((".pyc", ".pyo")):
            continue
        path = f"{before}{each.name}"
        if each.is_dir():
            yield from _sources(each, f"{path}/")
        else:
            yield path, each
