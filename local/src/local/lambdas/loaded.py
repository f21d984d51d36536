"""Modules that processes of functions need, loaded once and forked from there (see `local.processes.fork_server`)."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

LIBRARIES: Final = (
    "boto3",
    "botocore.httpsession",
    "local.lambdas.sdk_loaded",
    "local.lambdas.sdk_short",
    "numpy",
    "pydantic",
    "pynamodb.models",
    "pynamodb.transactions",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "aws_lambda_powertools.event_handler.openapi.params",
    "aws_lambda_powertools.logging",
)
"""Libraries of most functions; those that are not installed are left out. Not awslambdaric, whose native part reads the
runtime's address while it is loaded."""
_PLATFORM: Final = "contest"
_CONTESTS: Final = "tracks"
_USES_PLATFORM: Final = re.compile(rb"^\s*(?:from|import) contest\b", re.MULTILINE)


def libraries_of(functions: Path) -> tuple[str, ...]:
    """Return the modules to load for a folder of functions: with the platform's own where a function imports them."""
    sources = (module.read_bytes() for module in functions.glob("*/*.py"))
    return platform_libraries() if any(map(_USES_PLATFORM.search, sources)) else LIBRARIES


@cache
def platform_libraries() -> tuple[str, ...]:
    """Return the functions' libraries, the platform's own modules and those of every contest.

    A cloud starts some twenty processes, each of which would spend half a second of work on these. Handlers are not
    among them: a rehearsal has a copy of these.
    """
    platform = [name for name in _modules_of(_PLATFORM) if not name.endswith("__main__")]
    # Each loads what its functions need; the rest of the package are commands.
    contests = [name for name in _modules_of(_CONTESTS) if name.endswith(".track")]
    return (*LIBRARIES, *platform, *contests)


def _modules_of(package: str) -> list[str]:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return [module.name for module in pkgutil.walk_packages(folders, f"{package}.")]
