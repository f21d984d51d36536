"""Which of the locked wheels our packages need, and on which platform: what layers and the kit are built from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements.lock"
RECIPE: Final = Path(__file__)
"""Part of what anything built by it is made from."""
OURS: Final = {
    canonicalize_name("markup-core"): ROOT / "layers" / "markup_core",
    canonicalize_name("hurdle-tracks"): ROOT / "layers" / "tracks",
    canonicalize_name("hurdle-contest"): ROOT / "layers" / "contest",
    canonicalize_name("hurdle-shadow"): ROOT / "layers" / "shadow",
    canonicalize_name("hurdle-pku"): ROOT / "clients" / "pku",
}
"""Our own distributions and their folders."""

_LOCKED: Final = re.compile(r"^([A-Za-z0-9._-]+)==.*?(?=^[A-Za-z0-9]|\Z)", re.MULTILINE | re.DOTALL)


class UnlockedError(RuntimeError):
    """Something needed is not in the lock; the message says what, and what to do."""


def dependencies(
    distributions: Iterable[str], environment: Mapping[str, str], without: Collection[str] = ()
) -> frozenset[str]:
    """The names of everything locked that our distributions need at run time in an environment (PEP 508's variables).

    Follows the installed distributions' own metadata, so that it is what a plain installation would bring; what is in
    ``without`` is not followed. O(dependencies).
    """
    found: set[str] = set()
    waiting = [item for each in distributions for item in _declared(each)]
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name in found | set(without) or not _applies(requirement, environment):
            continue
        if name in OURS:
            waiting += _declared(name)
            continue
        found.add(name)
        waiting += _required(name)
    return frozenset(found)


def _required(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        raise UnlockedError(f"{name} is not installed here, so what it needs itself is not known") from None


def locked(names: Iterable[str], lock: str) -> str:
    """The lock's entries, with versions and hashes, of these names; :class:`UnlockedError` when one is missing."""
    entries = {str(canonicalize_name(match[1])): match[0] for match in _LOCKED.finditer(lock)}
    missing = sorted(set(names) - set(entries))
    if missing:
        raise UnlockedError(f"not in requirements.lock: {', '.join(missing)}; run make lock")
    return "".join(entries[name] for name in sorted(names))


def _declared(distribution: str) -> list[str]:
    document = tomllib.loads((OURS[canonicalize_name(distribution)] / "pyproject.toml").read_text(encoding="utf-8"))
    declared: list[str] = document["project"]["dependencies"]
    return declared


def _applies(requirement: Requirement, environment: Mapping[str, str]) -> bool:
    told = {**{key: str(value) for key, value in default_environment().items()}, "extra": "", **environment}
    return requirement.marker is None or requirement.marker.evaluate(told)
