"""Teams, tokens and the staff for a rehearsal, by the organizer's own commands, all in one process: starting one takes
longest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from local.cloud import LocalCloud
from local.organizing import OrganizerError, run

_COMMANDS: Final = """
import sys
from contest.commands.main import main
for name in sys.argv[1:]:
    person, _, role = name.partition("=")
    of_team = (["team", "add", name, name], ["token", "issue", name])
    for words in (["staff", "invite", person, f"Rehearsed {role}", role],) if role else of_team:
        main(words, standalone_mode=False)
"""
_TOKEN: Final = "hrd_"  # noqa: S105 - how every token begins, which is no secret


def admit(cloud: LocalCloud, names: Sequence[str], staff: Mapping[str, str]) -> dict[str, str]:
    """Invite people of the staff (role by address), admit teams and issue a token to each; the tokens by their teams.

    :class:`OrganizerError` when that fails.
    """
    people = [f"{person}={role}" for person, role in staff.items()]
    told = run(_COMMANDS, cloud.environment("FunctionsDispatch"), *people, *names)
    tokens = [line for line in told.splitlines() if line.startswith(_TOKEN)]
    if len(tokens) != len(names):
        raise OrganizerError(told.strip())
    return dict(zip(names, tokens, strict=True))
