"""What every process of a rehearsal's platform needs, loaded once and forked from there."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib.util import find_spec
from typing import Final

from local.lambdas.runtime import LIBRARIES

_PLATFORM: Final = "contest"


@cache
def libraries() -> tuple[str, ...]:
    """The functions' libraries with the platform's own modules: a rehearsal starts some forty processes, each of which
    would spend a third of a second of work on them. Handlers are not among them; a rehearsal has a copy of these."""
    found = find_spec(_PLATFORM)
    folders = found.submodule_search_locations if found is not None else None
    names = (each.name for each in pkgutil.walk_packages(folders, f"{_PLATFORM}."))
    return (*LIBRARIES, *(name for name in names if not name.endswith("__main__")))
