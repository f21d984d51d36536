"""The independent recomputation of a final: sent for, looked at, asked before anything is published (platform §4).

The platform takes no part in it: it says which sessions there are to recompute, and goes by what is found.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.results import shadowing
from contest.domain.results.shadowing import Recomputed, ShadowTask
from contest.domain.run.run import Run
from contest.errors.shadow import NoBoardError
from contest.ports import MissingBlobError
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import boards


def begin(platform: Platform, run: Run) -> None:
    """Send for what is not recomputed of a final whose board is made.

    Clause: platform §4 shadow
    """
    keep_keys(platform, run.run_id)
    facts = _facts(platform, run)
    there = _parts(platform, run, facts)
    parts = [ShadowTask(run.run_id, each) for each in _sessions(platform, run) if each not in there]
    if parts or not _is_there(platform, run, facts):
        platform.shadows.send(parts or [ShadowTask(run.run_id)])


def keep_keys(platform: Platform, run_id: str) -> None:
    """Keep the public keys of a run's receipts beside it, for whoever checks them without the platform."""
    keys = {name: base64.b64encode(each).decode("ascii") for name, each in platform.signer.public_keys().items()}
    platform.blobs.put_if_absent(stored_names.run_keys_name(run_id), canonical({"format": 1, "keys": keys}))


def again(platform: Platform, run_id: str) -> Recomputed:
    """Recompute a final once more, whatever was found before; :class:`NoBoardError` before its board is made.

    Clause: R 8.3.4
    """
    run = _made(platform, run_id)
    platform.shadows.send([ShadowTask(run_id, each, again=True) for each in _sessions(platform, run)])
    return look(platform, run)


def found_of(platform: Platform, run_id: str) -> Recomputed:
    """What was found of a final; :class:`NoBoardError` before its board is made."""
    return look(platform, _made(platform, run_id))


def look(platform: Platform, run: Run) -> Recomputed:
    """How far a final is recomputed under the present facts, and what was found.

    Clause: platform §4 shadow
    """
    facts, sessions = _facts(platform, run), _sessions(platform, run)
    made = sum(each in _parts(platform, run, facts) for each in sessions)
    return Recomputed(len(sessions), made, _result(platform, run, facts))


def is_done(platform: Platform, run: Run) -> bool:
    """Whether a final's board is made and recomputed under the present facts."""
    return boards.is_made(platform, run) and _is_there(platform, run, _facts(platform, run))


def refuse_unless_clean(platform: Platform, run: Run) -> None:
    """Nothing is published that was not recomputed, or that differs from what was.

    Clause: platform §4 shadow, R 8.3.5, R 8.3.4
    """
    found = look(platform, run)
    if found.result is None:
        raise RefusedError(
            "results_not_verified",
            f"{found.made} of {found.teams} teams are recomputed independently; publish when all are, in a few minutes",
            f"независимо пересчитано команд: {found.made} из {found.teams}; опубликуйте через несколько минут",
            made=found.made,
            teams=found.teams,
        )
    if not found.is_clean:
        raise _differ(found.result["total"], found.result["differences"][0])


def _differ(total: int, first: Mapping[str, Any]) -> RefusedError:
    return RefusedError(
        "results_differ",
        f"the independent recomputation has found {total} differences, contest run shadow RUN shows all; the first: "
        f"{first['message']}",
        f"независимый пересчёт нашёл расхождения: {total}, все показывает contest run shadow RUN; первое: "
        f"{first['message_ru']}",
        differences=total,
        **{name: first[name] for name in ("team_id", "session_id", "number", "quantity")},
    )


def _made(platform: Platform, run_id: str) -> Run:
    run = reading.run_now(platform, run_id)
    if not boards.has_results(run) or not boards.is_made(platform, run):
        raise NoBoardError
    return run


def _facts(platform: Platform, run: Run) -> str:
    try:
        board = platform.blobs.get(boards.entries_name(run))
    except MissingBlobError:
        board = None
    return shadowing.facts_of(run, board)


def _sessions(platform: Platform, run: Run) -> list[str]:
    return [session_id for _, session_id in platform.runs.sessions_of(run.run_id)]


def _parts(platform: Platform, run: Run, facts: str) -> set[str]:
    folder = stored_names.shadow_part_name(run.run_id, facts, "").removesuffix(".json")
    names = platform.blobs.names(folder)
    return {each.removeprefix(folder).removesuffix(".json") for each in names}


def _is_there(platform: Platform, run: Run, facts: str) -> bool:
    name = stored_names.shadow_name(run.run_id, facts)
    return name in platform.blobs.names(name)


def _result(platform: Platform, run: Run, facts: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(platform.blobs.get(stored_names.shadow_name(run.run_id, facts)))
    except MissingBlobError:
        return None
    return found
