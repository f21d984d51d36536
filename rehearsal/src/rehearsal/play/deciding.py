"""Organizers: admit teams before the run, and decide on files while it goes on."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from local.cloud import LocalCloud
from local.organizing import OrganizerError, run
from rehearsal.history import History
from rehearsal.moments import SECOND, Millis, from_text
from rehearsal.play.driver import Play, Step, Timing
from rehearsal.play.teams import insist
from rehearsal.play.wire import Ask, Reply

Json = Any
DECIDE: Final = "decide"
LOOK: Final = "look_at_the_run"
_LOOKED: Final[Millis] = 5 * SECOND
"""So long after the last decision somebody looks at what everybody is told of them: each process knows them then."""
_PAUSED_BEFORE: Final[Millis] = 10 * SECOND
_VOIDED, _RULED, _UNDONE, _REPLACED, _RESUMED = (seconds * SECOND for seconds in (8, 12, 15, 18, 20))
"""When they decide, counted from the moment at which the file was to open; the void holds when it is taken back."""
_SOON: Final[Millis] = SECOND  # so long before or after a decision they wish for what it forbids
_MOST_REPLACED: Final = 3
PARAMETERS: Final = {"final": {"most_replaced": _MOST_REPLACED}}
_LONGEST: Final[Millis] = 2 * 60 * SECOND  # how much longer the run takes for all of it, beside the appended file
RULED: Final = 2  # the file that the team which joined too late for it is given back
CAUSE: Final = "platform"


def halfway(files: int) -> int:
    """Return the file at whose opening they decide."""
    return files // 2 + 1


def lasts_longer(timing: Timing) -> Millis:
    """Return by how much a run with their decisions ends later than it was planned, at most."""
    return _LONGEST + max(timing.interval, _LONGEST)


class Decisions:
    """Their play in one run. ``late`` is the team that comes too late for the file :data:`RULED`."""

    def __init__(self, timing: Timing, history: History, late: str) -> None:
        self._timing, self._history, self._late = timing, history, late

    def play(self) -> Play:
        timing, news = self._timing, self._timing.news
        since = timing.opens_at(halfway(timing.files))
        yield from self._forbidden(since - _PAUSED_BEFORE - _SOON, "resume", "not_paused")
        paused = yield from self._decided(since - _PAUSED_BEFORE, "pause")
        news.since = _effective(paused)
        yield from self._forbidden(since - _PAUSED_BEFORE + _SOON, "pause", "paused_already")
        voided = yield from self._decided(since + _VOIDED, "void", numbers=[timing.files])
        ruling = {"team_id": self._late, "number": RULED, "cause": CAUSE}
        yield from self._decided(since + _RULED, "rule", **ruling)
        pause, void = (int(decision.get("amendment", 1)) for decision in (paused, voided))
        for kind, due, wish in (
            ("rule", "ruled_already", ruling),
            ("undo", "in_effect_already", {"amendment": pause}),
            ("admit", "late_refused", {"team_id": self._late}),
        ):
            yield from self._forbidden(since + _RULED + _SOON, kind, due, **wish)
        yield from self._decided(since + _UNDONE, "undo", amendment=void)
        yield from self._forbidden(since + _UNDONE + _SOON, "undo", "nothing_to_undo", amendment=void)
        replaced = yield from self._decided(since + _REPLACED, "replace", numbers=[1])
        if replaced:
            news.slots.append(int(replaced["details"]["slot"]))
        # A replacement of the first file forbids more changes of it; one file was appended.
        beyond, more = timing.files + 2, [2 + offset for offset in range(_MOST_REPLACED)]
        for kind, due, numbers in (
            ("void", "void_already", [1]),
            ("void", "unknown_file", [beyond]),
            ("replace", "unknown_file", [1, beyond]),
            ("replace", "too_many_replaced", more),
        ):
            yield from self._forbidden(since + _REPLACED + _SOON, kind, due, numbers=numbers)
        resumed = yield from self._decided(since + _RESUMED, "resume")
        yield from self._forbidden(since + _RESUMED + _SOON, "resume", "resumes_already")
        ends = _effective(resumed)
        if news.since is not None and ends is not None:
            news.pauses.append((news.since, ends))
        news.since = None
        # What everybody is told of the run while it goes on: by that the record is judged.
        look = Ask(LOOK, "GET", f"/v1/runs/{timing.run_id}")
        reply = yield from insist(since + _RESUMED + _LOOKED, look)
        if reply.status == 200:
            self._history.add("answer", of="run_during", body=dict(reply.body))

    def _decided(self, at: Millis, kind: str, **wish: Json) -> Generator[Step, Sequence[Reply], Mapping[str, Json]]:
        """Decide at a moment; return the platform's answer, nothing where it refuses."""
        reply = yield from insist(at, self._wishes(kind, wish))
        decision = reply.body if reply.status == 200 else {}
        self._history.add("decided", at=reply.at, wished=kind, wish=wish, status=reply.status, told=decision)
        return decision

    def _forbidden(self, at: Millis, kind: str, due: str, **wish: Json) -> Play:
        """Wish for a change that the rules forbid, to be refused with the code that is ``due``."""
        reply = yield from insist(at, self._wishes(kind, wish))
        outcome = {"status": reply.status, "code": reply.code}
        self._history.add("forbidden", at=reply.at, wished=kind, wish=wish, due=due, **outcome)

    def _wishes(self, kind: str, wish: Mapping[str, Json]) -> Ask:
        body = json.dumps({"kind": kind, "reason": f"Rehearsed: {kind}", **wish}).encode()
        return Ask(DECIDE, "POST", f"/v1/conduct/runs/{self._timing.run_id}/decisions", body=body)


def _effective(decision: Mapping[str, Json]) -> Millis | None:
    return from_text(decision["effective_at"]) if "effective_at" in decision else None


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
    """Invite people of the staff (role by address), admit teams and issue a token to each; return the tokens by team.

    :class:`OrganizerError` when that fails.
    """
    people = [f"{person}={role}" for person, role in staff.items()]
    output = run(_COMMANDS, cloud.environment("FunctionsCommand"), *people, *names)
    tokens = [line for line in output.splitlines() if line.startswith(_TOKEN)]
    if len(tokens) != len(names):
        raise OrganizerError(output.strip())
    return dict(zip(names, tokens, strict=True))
