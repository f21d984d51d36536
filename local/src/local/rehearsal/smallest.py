"""``python -m local.rehearsal.smallest``: try every planted bug in smaller and larger rehearsals, and write down the
smallest in which its check turns red, and stays green without the bug.

Two rehearsals at a time. Names given are tried alone; what was found is written down as it is found, so that one may
stop and go on.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from typing import Final

from local.aws.emulator import EmulatorGoneError
from local.organizing import OrganizerError
from local.rehearsal import found
from local.rehearsal.ending import ON_THE_CHANNEL
from local.rehearsal.found import Found, Size
from local.rehearsal.play.injections import faults_named
from local.rehearsal.proof.checker import LEAST
from local.rehearsal.proof.checker import Size as Played

TRIED: Final[Sequence[Size]] = ((1, 1), (1, 2), (2, 3), (5, 4), (5, 8))
"""Teams and files. One of five teams is on the event channel; of fewer none."""
_AT_ONCE: Final = 2


def smallest(name: str, bug: Found) -> Size | None:
    """The smallest of the tried sizes at which the bug's check is red with it and green without; None where none."""
    for at in TRIED:
        if (
            _is_looked_at(bug, at)
            and bug.check in _red(bug, at, name)
            and bug.check not in _red_by_itself(bug.faults, bug.share, at)
        ):
            return at
    return None


def _is_looked_at(bug: Found, at: Size) -> bool:
    """Whether the bug's check has anything to look at in a rehearsal of this size."""
    teams, files = at
    listening, faults = teams // ON_THE_CHANNEL, frozenset(str(each) for each in faults_named(bug.faults))
    return LEAST[bug.check](Played(teams - listening, listening, files, faults)) > 0


def _red(bug: Found, at: Size, name: str) -> frozenset[str]:
    """What is red of a rehearsal; nothing of one that does not come to its end, which shows nothing by any check."""
    try:
        return frozenset(found.red(found.small(bug.faults, bug.share, at, name)))
    except (OrganizerError, EmulatorGoneError, KeyError, RuntimeError):
        return frozenset()


@cache
def _red_by_itself(faults: str, share: float, at: Size) -> frozenset[str]:
    return frozenset(found.red(found.small(faults, share, at)))


def written(text: str, name: str, at: Size) -> str:
    """The text of ``found.toml`` with a bug's size."""
    return re.sub(rf"^({re.escape(name)} = .*, at = )\[.*\]", rf"\g<1>[{at[0]}, {at[1]}]", text, flags=re.MULTILINE)


def main(names: Sequence[str]) -> int:
    """Try these bugs, or all; the number of those that turned nothing red."""
    bugs = found.bugs()
    wanted = names or list(bugs)
    unseen = []
    with ProcessPoolExecutor(_AT_ONCE, mp_context=get_context("spawn")) as pool:
        tried = {pool.submit(smallest, name, bugs[name]): name for name in wanted}
        for number, each in enumerate(as_completed(tried), start=1):
            name, at = tried[each], each.result()
            print(f"{number} of {len(wanted)}: {name} at {at[0]} × {at[1]}" if at else f"{name} at none", flush=True)
            if at is None:
                unseen.append(name)
            else:
                found.SOURCE.write_text(written(found.SOURCE.read_text("utf-8"), name, at), "utf-8")
    return len(unseen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
