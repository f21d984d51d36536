"""Compute the values that a field of an answer may have, by the field's name and the object that it stands in.

Everything follows from the model of the contest (:mod:`rehearsal.proof.world`). A value of several parts, such as a
result with its breakdowns by subject and metric, is computed and compared as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from markup_core.accuracy import metric_measure
from markup_core.params import METRICS
from rehearsal.history import MINUTE, SECOND, Millis, from_text, to_text
from rehearsal.proof.oracle import SILENCE, VOIDED_SHARE
from rehearsal.proof.readable import LOG, Phase
from rehearsal.proof.world import ROLES_TOLD, OneOf, Place, Row, World, choices

Json = Any
Where = Callable[[World, Place, Row], object]
"""Predicate: whether the model knows a field in an object."""
Find = Callable[[World, Place, Row], Json]
_CAUSES: Final = ("network", "organizer_decision", "platform", "team_invalid", "team_late")
_PASSING: Final = ("server_time", "paused_until", "next_opening")
"""Values of the moment in a run's description."""
_LARGE_DIFFERENCE: Final = 5.0
"""Most points by which missed files, counted as zero, lower a result that a board does not flag."""
_PERCENTILES: Final = {"p50": 50, "p95": 95}
OF_A_FILE: Final = {"file_id", "opens_at", "handed_out_at", "content_sha256"}
"""Fields by which an object is one of a file."""
_UNKNOWN: Final = object()
"""Return value where the model has no value."""


class Model(World):
    """The model of one run with its values by name."""

    def due(self, name: str, at: Place, row: Row) -> Sequence[Json] | None:
        """Return the values that a field may have in an object; None if the model has none."""
        if "fingerprint" in row:
            return _choices(_of_score(self, at, row, name))
        if is_place(row) and (value := _of_board(name, self, at, row)) is not _UNKNOWN:
            return _choices(value)
        if "results_published" in row and name in self.case.run and at.is_read and at.phase is Phase.PUBLISHED:
            return None if name in _PASSING else [self.case.run[name]]
        if (metric := _ACCURACIES.get(name, name.partition(" ")[0])) in _MEASURED:
            return _choices(_accuracy(self, at, row, metric))
        values = (find(self, at, row) for is_so, find in _VALUES.get(name, ()) if is_so(self, at, row))
        return _choices(next(values, _UNKNOWN))


def _choices(value: Json) -> Sequence[Json] | None:
    return None if value is _UNKNOWN else choices(value)


def is_place(row: Row) -> bool:
    """Return whether an object is a team's row on a board, or on a point of its history."""
    return "place" in row and bool(row.get("team_id"))


# Boards


def _of_board(name: str, world: World, at: Place, row: Row) -> Json:
    if at.team not in world.case.sessions:
        return _UNKNOWN
    results, key = world.results, world.key_of_board(at)
    part = results.part(at.team, at.scope)
    value = results.track.value(part.result, key)
    places = {team: place for place, team in results.places(at.scope, key)}
    place = places.get(at.team)
    audit = _audit(part.result)
    board: dict[str, Callable[[], Json]] = {
        "place": lambda: place,
        "place_to": lambda: place + sum(other == place for other in places.values()) - 1 if place else None,
        "session_id": lambda: world.case.sessions[at.team or ""],
        **dict.fromkeys(("value", key), lambda: value),
        "files": lambda: part.files,
        "answered": lambda: part.answered,
        "barrier": lambda: results.track.overcame(part.result, key),
        "audit": lambda: audit,
        "interval": lambda: part.result.get("interval_95", {}).get("relative_accuracy"),
        "ahead": lambda: _ahead(world, at, key, row.get("ahead")),
        "result": lambda: part.result,
        "baseline": lambda: False,
        "parameters_version": lambda: 1,
        "sections": lambda: _sections(world, at, row),
    }
    if name in board:
        return board[name]()
    if name.startswith("audit_"):
        return (audit or {}).get(name.removeprefix("audit_"))
    return part.result.get(name, _UNKNOWN)


def _audit(result: Json) -> Json:
    """Return the abstention audit of a result; None for a contest without one."""
    plain, missed = result.get("relative_accuracy"), result.get("missed_as_zero", {}).get("relative_accuracy")
    if plain is None or missed is None:
        return None
    difference = plain - missed
    return {"relative_accuracy": missed, "difference": difference, "flagged": difference > _LARGE_DIFFERENCE}


def _ahead(world: World, at: Place, key: str, row: Json) -> Json:
    """Return the distance to a holder of the nearest better place; None for the first, and without values."""
    results = world.results
    places = {team: place for place, team in results.places(at.scope, key)}
    better = {team: place for team, place in places.items() if place < places.get(at.team or "", 0)}
    nearest = [team for team, place in better.items() if place == max(better.values())]
    if not nearest:
        return None
    team = row["team_id"] if row and row["team_id"] in nearest else nearest[0]
    sides = [results.part(one, at.scope).result for one in (team, at.team or "")]
    values = [results.track.value(side, key) for side in sides]
    ends = [side.get("interval_95", {}).get("relative_accuracy") for side in sides]
    overlap = ends[0][0] <= ends[1][1] if None not in ends else None
    return None if None in values else {"team_id": team, "difference": abs(values[0] - values[1]), "overlap": overlap}


def _sections(world: World, at: Place, row: Row) -> Json:
    """Return a result's tables with the library's rows."""
    tables = world.results.sections(at.team or "", at.scope if is_place(row) else "all")
    return [{**section, **tables.get(section["key"], {"rows": None})} for section in row["sections"] or ()]


# Objects in which the model knows values


def _is_over(world: World, at: Place, _: Row) -> bool:
    return at.team in world.case.sessions and at.phase >= Phase.CLOSED


def _is_session(world: World, at: Place, row: Row) -> bool:
    return {"session_id", "opened_at"} <= row.keys() and at.team in world.case.sessions


def _is_run(world: World, at: Place, row: Row) -> bool:
    return at.run == world.run_id and {"starts_at", "run_id"} <= row.keys() and "session_id" not in row


def _is_shown(world: World, at: Place, row: Row) -> bool:
    """Return whether an answer stands in it beside its references; a fingerprint's inputs are hashes."""
    is_of_file = at.team in world.case.sessions and at.number is not None
    return at.phase is Phase.PUBLISHED and is_of_file and not isinstance(row.get("references"), str)


def statistics(values: Sequence[Millis]) -> Row:
    """Return count, mean, maximum and the smallest value that a given per cent do not exceed; none without any."""
    ascending = sorted(values)
    if not ascending:
        return {"count": 0, "mean": None, "max": None, **dict.fromkeys(_PERCENTILES)}
    nearest = {
        name: next(value for place, value in enumerate(ascending, start=1) if 100 * place >= percent * len(ascending))
        for name, percent in _PERCENTILES.items()
    }
    return {"count": len(values), "mean": sum(values) / len(values), "max": ascending[-1], **nearest}


def _timing(world: World, at: Place, row: Row) -> Json:
    """Return the statistics of a session's times, by the hand-outs and receipts that its team was given."""
    times = world.times(at) if at.phase >= Phase.CLOSED else None
    if times is None:
        return _UNKNOWN
    return {
        name: statistics([span for one in times.values() if (span := one[name]) is not None]) for name in row["timing"]
    }


def _time(name: str) -> Find:
    def find(world: World, at: Place, row: Row) -> Json:
        times = world.times(at) if "number" in row and at.phase >= Phase.CLOSED else None
        return (times or {}).get(at.number or 0, {name: _UNKNOWN})[name]

    return find


def _last_delay(world: World, at: Place, _: Row) -> Json:
    delays = [one["delay_ms"] for one in (world.times(at) or {}).values() if one["delay_ms"] is not None]
    return delays[-1] if delays else _UNKNOWN


def _voided(world: World, at: Place, row: Row) -> Json:
    """Return a team's missed files by cause: on the live page, or in a report with their shares."""
    fates = Counter(world.case.fate(at.team or "", number) for number in world.schedule(at).numbers)
    if "cells" in row:
        return {cause: many for cause, many in fates.items() if cause != "answered"}
    if "timing" not in row:
        return _UNKNOWN
    by_cause = {cause: {"files": fates[cause], "share": fates[cause] / fates.total()} for cause in _CAUSES}
    missed = fates.total() - fates["answered"]
    return {"by_cause": by_cause, "files": missed, "share": missed / fates.total()}


def _solution(world: World, at: Place, _: Row) -> Row:
    """Return a team's missed share that counts against it, and whether that annuls its solution."""
    share, is_of_essays = world.results.share(at.team or ""), world.results.is_of_essays
    voided = share is not None and share > VOIDED_SHARE and is_of_essays
    return {"allowed_share": VOIDED_SHARE if is_of_essays else 1.0, "voided": voided, "voided_share": share}


def _moment(find: Callable[[World, Place], Millis]) -> Find:
    return lambda world, at, _: to_text(find(world, at)) if at.number in world.schedule(at).numbers else _UNKNOWN


def _handed(name: str) -> Find:
    def find(world: World, at: Place, _: Row) -> Json:
        life = world.life(at)
        handed = life.handed_out() if life is not None else None
        return _UNKNOWN if handed is None or handed.done_at > at.call.sent_at else handed.said[name]

    return find


def _asked(world: World, at: Place, row: Row) -> Json:
    life = world.life(at)
    times = life.asked_between(world.schedule(at).opens_at(life.number)) if life is not None else None
    if times is None or life is None or life.handed_out() is None or times[1] > at.call.sent_at:
        return _UNKNOWN
    moment = row.get("asked_at") or ""
    return moment if moment and times[0] <= from_text(moment) <= times[1] else to_text(times[0])


def _counts(name: str) -> Find:
    def find(world: World, at: Place, row: Row) -> Json:
        receipt = world.receipt(at) if "receipt" not in row and "status" not in row else None
        return _UNKNOWN if receipt is None else receipt[name]

    return find


def _fate(name: str) -> Find:
    """Return a file's state or cause from its session at the end, which another check compares with the rules."""

    def find(world: World, at: Place, row: Row) -> Json:
        status = world.case.statuses.get((at.team or "", at.number or 0))
        is_of_file = at.phase >= Phase.CLOSED and {"number", "state", "cause"} <= row.keys()
        return status[name] if status is not None and is_of_file else _UNKNOWN

    return find


def _of_score(world: World, at: Place, row: Row, name: str) -> Json:
    """Return a value of a file's score, as the library makes it of the answer that counts."""
    is_of_file = at.team in world.case.sessions and at.number is not None and not is_place(row)
    is_told = at.phase is Phase.PUBLISHED and row.get("state", "answered") == "answered"
    record = world.results.record(at.team or "", at.number or 0) if is_of_file and is_told else None
    return (record or {}).get(name, _UNKNOWN)


_ACCURACIES: Final = {
    "Algorithm accuracy (STAR), %": "algorithm_accuracy",
    "Expert accuracy (STER), %": "expert_accuracy",
    "Relative accuracy (OTAR), %": "relative_accuracy",
}
_MEASURED: Final = {*METRICS, *_ACCURACIES.values()}


def _accuracy(world: World, at: Place, row: Row, name: str) -> Json:
    """Return an accuracy of a file's essay: over all metrics by its name, or of a single metric."""
    is_known = "number" in row and world.results.is_of_essays and _of_score(world, at, row, "pairs")
    if is_known in (False, _UNKNOWN) or not is_known:
        return _UNKNOWN
    essay = world.results.essay_score(at.team or "", at.number or 0)
    return essay.algorithm_side(metric_measure(name)) if name in METRICS else getattr(essay, name)


def _of_essay(find: Callable[[World, Any, Row], Json]) -> Find:
    def of_essay(world: World, at: Place, row: Row) -> Json:
        essay = world.results.essay(at.team or "", at.number or 0)
        return _UNKNOWN if essay is None else find(world, essay, row)

    return of_essay


def _facts(name: str) -> Find:
    """Return the language or group of a file; contests of items show no group of a single item."""

    def find(world: World, at: Place, _: Row) -> Json:
        facts = world.results.facts.get(at.number or 0)
        is_told = name == "language" or world.results.is_of_essays
        return getattr(facts, name, _UNKNOWN) if is_told else ""

    return find


# Sessions and runs


def _limits(world: World, _: Place, row: Row) -> Json:
    """Return the limits of the run in the units that their names tell."""
    ordered = {name.removesuffix("_ms"): value for name, value in world.case.story.header["limits"].items()}
    names = [name for name in row["limits"] if name.partition("_")[0] in ordered]
    return {name: float(ordered[name.partition("_")[0]]) / (SECOND if name.endswith("_s") else 1) for name in names}


def _counts_of_states(world: World, at: Place, row: Row) -> Json:
    if not {"session_id", "timing"} & row.keys():
        return _UNKNOWN
    states = Counter(world.case.statuses[at.team or "", number]["state"] for number in world.schedule(at).numbers)
    return {**dict.fromkeys(("answered", "open", "voided", "waiting"), 0), **states, "late": row["counts"]["late"]}


def _closed_at(world: World, at: Place, row: Row) -> Json:
    """Return when a session of the run ended: when its team ended it, else the time in the last answer about it."""
    last = world.case.facts.answers.get(f"status/{at.team}", {})
    ended = world.left.get(at.team or "", last.get("closed_at"))
    return ended if ended and at.phase >= Phase.CLOSED and "session_id" in row else _UNKNOWN


def _ends_at(world: World, at: Place, _: Row) -> str:
    schedule = world.schedule(at)
    return to_text(schedule.opens_at(schedule.numbers[-1]) + schedule.total)


def _session_id(world: World, _: Place, row: Row) -> Json:
    """Return the sessions of the team that the same object names."""
    team = row.get("team_id")
    own = OneOf(session_id for session_id, owner in world.owners.items() if owner == team)
    return own if team in world.case.sessions else _UNKNOWN


def _role_of_person(world: World, _: Place, row: Row) -> Json:
    roles = world.case.story.header.get("staff", {})
    return roles[row["email"]] if row.get("email") in roles and "pool" not in row else _UNKNOWN


def _token_id(world: World, at: Place, row: Row) -> Json:
    """Return the token with which a team's program was told its own, until it has another one."""
    bodies = [call.said["read"] for call in world.case.story.calls if call.path == "/v1/me" and "read" in call.said]
    own = {body["token_id"] for body in bodies if body.get("team_id") == at.team}
    return OneOf(sorted(own)) if own and "revoked_at" in row and at.team and at.is_read else _UNKNOWN


def _checked(world: World, at: Place, _: Row) -> Json:
    """Return the numbers of sessions, files, receipts and scores that the independent recomputation must have checked.

    If an answer was improved late, the earlier one has a score, too, which does not count.
    """
    teams = world.case.sessions
    receipts = sum(1 for team in teams for _ in world.case.receipts(team))
    scores = sum(len({sk.split("#")[1] for sk, _ in world.case.scores(team)}) for team in teams)
    files = len(teams) * len(world.schedule(at).numbers)
    return {"sessions": len(teams), "files": files, "receipts": receipts, "scores": scores}


def _clock(world: World, at: Place, row: Row) -> Json:
    """Return the platform's time in an answer: that of the answer, or an earlier one if the reader had it cached."""
    moment = row.get("server_time") or row.get("now")
    is_driven = at.is_read and world.case.story.header.get("driven")
    if not is_driven or not isinstance(moment, str):
        return _UNKNOWN
    return moment if from_text(moment) <= at.call.done_at else to_text(at.call.done_at)


def _own_result(world: World, at: Place, _: Row) -> Json:
    """Return the result in a session's report, which has one once the results are published; of diagnoses teams see
    their own once the run is over (D 6.11)."""
    since = Phase.CLOSED if world.track == "diagnosis" else Phase.PUBLISHED
    return world.results.part(at.team or "").result if at.phase >= since else None


def state_at_end(world: World, at: Place, _: Row) -> Json:
    """Return how a session of the run ended: by its team, by the silence of a team that asked for nothing while files
    opened, pauses aside, or with the run. The timer comes up to two minutes after a silence."""
    if at.team in world.left:
        return "aborted"
    schedule = world.schedule(at)
    silence = schedule.planned_at(schedule.numbers[-1]) - schedule.planned_at(1)
    if silence < SILENCE or at.team not in world.silent:
        return "finished"
    return "timed_out" if silence >= SILENCE + 2 * MINUTE else _UNKNOWN


_KNOWN: Final[Mapping[Where, Mapping[str, Find]]] = {
    (lambda world, at, row: "timing" in row and at.team in world.case.sessions): {
        "result": _own_result,
        "timing": _timing,
    },
    _is_over: {
        "voided": _voided,
        "solution": _solution,
        "voided_share": lambda world, at, row: _solution(world, at, row)["voided_share"],
        "solution_voided": lambda world, at, row: _solution(world, at, row)["voided"],
        "counts": _counts_of_states,
        "last_delay_ms": _last_delay,
    },
    (lambda _, at, row: "session_state" in row and at.phase >= Phase.CLOSED): {
        "status": lambda *_: "complete",
        "session_state": state_at_end,
    },
    (lambda _, at, row: {"team_id", "created_at", "agrees"} <= row.keys() and at.call.means["route"] not in LOG): {
        "status": lambda *_: "approved",
        "agrees": lambda *_: False,
        **dict.fromkeys(("selection", "reason", "contact", "organization"), lambda *_: None),
    },
    (lambda _, at, row: row.keys() & OF_A_FILE and at.number is not None): {
        "group": _facts("group"),
        "subject": _facts("group"),
        "language": _facts("language"),
    },
    (lambda _, __, row: {"rows", "nomination"} <= row.keys()): {
        "language": lambda _, at, __: at.query.get("language", "all"),
        "nomination": lambda _, at, __: at.query.get("nomination"),
    },
    _is_shown: {
        "answer": _of_essay(lambda _, essay, __: essay.answer),
        "experts": _of_essay(lambda _, essay, row: essay.experts if isinstance(row["experts"], list) else _UNKNOWN),
        "comparison": _of_essay(
            lambda world, essay, row: (
                world.results.compared(essay, row["y"])
                if row.get("x") == "answer" and isinstance(row.get("y"), int)
                else _UNKNOWN
            )
        ),
    },
    (lambda _, at, row: "checked" in row and at.run is not None and at.phase >= Phase.CLOSED): {
        **dict.fromkeys(("made", "teams"), lambda world, _, __: len(world.case.sessions)),
        "total": lambda *_: 0,
        "checked": _checked,
    },
    _is_session: {
        "requested_files": lambda world, _, __: world.case.schedule.files,
        "opened_at": lambda world, at, _: world.opened_at.get(at.team or "") or _UNKNOWN,
    },
    (lambda *place: _is_session(*place) or _is_run(*place)): {
        # With the files that replace others or without them.
        "files": lambda world, at, row: (
            OneOf([world.case.schedule.files, len(world.schedule(at).numbers)])
            if not isinstance(row["files"], list)
            else _UNKNOWN
        ),
        "limits": _limits,
        "starts_at": lambda world, _, __: to_text(world.case.schedule.starts_at),
        "interval_s": lambda world, _, __: world.case.schedule.interval / SECOND,
        "mode": lambda *_: "final",
    },
    (lambda _, __, row: "number" in row): {"state": _fate("state"), "cause": _fate("cause")},
    (lambda world, at, row: "session_id" in row and _is_over(world, at, row)): {"state": state_at_end},
    _is_run: {
        "ends_at": _ends_at,
        "join_until": lambda world, _, __: to_text(world.case.schedule.join_until),
        "interval_ms": lambda world, _, __: world.case.schedule.interval,
        "trial": lambda *_: False,
        "state": lambda _, at, __: {Phase.PLANNED: "planned", Phase.RUNNING: "running"}.get(at.phase, "finished"),
        "total_files": lambda world, at, _: len(world.schedule(at).numbers),
        "track": lambda world, _, __: world.track,
        **dict.fromkeys(("published", "results_published"), lambda _, at, __: at.phase >= Phase.PUBLISHED),
    },
    (lambda _, __, row: "rights" in row): {"role": lambda _, at, __: ROLES_TOLD.get(at.role, at.role)},
    (lambda _, __, row: row.get("team_id")): dict.fromkeys(("team", "name"), lambda _, __, row: row["team_id"]),
    (lambda _, __, row: {"starts_at", "opened_at"} & row.keys()): {"run_id": lambda world, _, __: OneOf(world.runs)},
    (lambda world, _, row: str(row.get("session_id")) in world.owners): {
        "team_id": lambda world, _, row: world.owners[str(row["session_id"])]
    },
    (lambda world, at, _: at.number in world.file_ids): {
        "file_id": lambda world, at, _: OneOf([world.file_ids[at.number], None])
    },
    (lambda _, at, row: row.get("sections") and not str(at.call.means["route"]).startswith("/v1/sets")): {
        "sections": lambda world, at, row: _sections(world, at, row) if at.team in world.case.sessions else _UNKNOWN
    },
    (lambda *_: True): {
        "opens_at": _moment(lambda world, at: world.schedule(at).opens_at(at.number or 0)),
        "request_by": _moment(lambda world, at: world.schedule(at).request_by(at.number or 0)),
        "handed_out_at": _handed("handed_out_at"),
        "answer_by": _handed("answer_by"),
        "asked_at": _asked,
        "answered_at": _counts("received_at"),
        "send": _counts("send"),
        "content_sha256": _counts("content_sha256"),
        "delay_ms": _time("delay_ms"),
        "processing_ms": _time("processing_ms"),
        "closed_at": _closed_at,
        "session_id": _session_id,
        "role": _role_of_person,
        "token_id": _token_id,
        **dict.fromkeys(("server_time", "now"), _clock),
        "keys": lambda world, _, __: world.case.facts.answers["keys"]["keys"],
    },
}
"""Objects in which the model knows values, with the functions that compute them by their names; the first that has a
name holds."""
_VALUES: Final[Mapping[str, Sequence[tuple[Where, Find]]]] = {
    name: [(is_so, finds[name]) for is_so, finds in _KNOWN.items() if name in finds]
    for finds in _KNOWN.values()
    for name in finds
}
