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
from rehearsal.moments import SECOND, Millis, from_text, to_text
from rehearsal.proof.oracle import VOIDED_SHARE
from rehearsal.proof.readable import LOG, OTHER, OWN, Phase
from rehearsal.proof.results import Essay, Results
from rehearsal.proof.world import Place, World

Json = Any
Row = Mapping[str, Json]
Due = Callable[[World, Place, Row], Sequence[Json] | None]
_CAUSES: Final = ("network", "organizer_decision", "platform", "team_invalid", "team_late")
_PASSING: Final = ("server_time", "paused_until", "next_opening")
"""Values of the moment in a run's description."""
_LARGE_DIFFERENCE: Final = 5.0
"""Points by which missed files as zero may lower a result before a board flags it."""
_PERCENTILES: Final = {"p50": 50, "p95": 95}
_ROLES: Final = {OWN: "program", OTHER: "program"}
"""The platform's names of readers' roles, where they differ."""
_RUN_STATES: Final = {Phase.PLANNED: "planned", Phase.RUNNING: "running"}
_OF_A_FILE: Final = {"file_id", "opens_at", "handed_out_at", "content_sha256"}


_VALUES: Final[dict[str, Due]] = {}
"""Functions that compute the due values, by the field's name."""


def _is_due(*names: str) -> Callable[[Due], Due]:
    """Name the fields whose values a function computes."""

    def register(values_of: Due) -> Due:
        _VALUES.update(dict.fromkeys(names, values_of))
        return values_of

    return register


class Model(World):
    """The model of one run with its values by name."""

    def due(self, name: str, at: Place, row: Row) -> Sequence[Json] | None:
        """Return the values that a field may have in an object; None if the model has none."""
        if "fingerprint" in row:
            return _of_score(name)(self, at, row)
        if is_place(row) and (values := _of_board(name, self, at, row)) is not None:
            return values
        if at.is_read and at.phase is Phase.PUBLISHED and "results_published" in row and name in self.case.run:
            return None if name in _PASSING else [self.case.run[name]]
        metric = name.partition(" ")[0]
        values_of = _accuracy(metric) if metric in METRICS else _VALUES.get(name)
        return None if values_of is None else values_of(self, at, row)


def is_place(row: Row) -> bool:
    """Return whether an object is a team's row on a board, or on a point of its history."""
    return "place" in row and bool(row.get("team_id"))


# Boards


def _of_board(name: str, world: World, at: Place, row: Row) -> Sequence[Json] | None:
    if at.team not in world.case.sessions:
        return None
    results, key = world.results, world.key_of_board(at)
    part = results.part(at.team, at.scope)
    value = results.track.value(part.result, key)
    places = {team: place for place, team in results.places(at.scope, key)}
    place = places.get(at.team)
    board: dict[str, Callable[[], Json]] = {
        "place": lambda: place,
        "place_to": lambda: place + sum(other == place for other in places.values()) - 1 if place else None,
        "session_id": lambda: world.case.sessions[at.team or ""],
        "value": lambda: value,
        key: lambda: value,
        "files": lambda: part.files,
        "answered": lambda: part.answered,
        "barrier": lambda: results.track.overcame(part.result, key),
        "audit": lambda: _audit(part.result),
        "interval": lambda: part.result.get("interval_95", {}).get("relative_accuracy"),
        "ahead": lambda: _ahead(world, at, key, row.get("ahead")),
        "result": lambda: part.result,
        "baseline": lambda: False,
        "parameters_version": lambda: 1,
    }
    if name in board:
        return [board[name]()]
    if name.startswith("audit_"):
        return [(_audit(part.result) or {}).get(name.removeprefix("audit_"))]
    return [part.result[name]] if name in part.result else None


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


@_is_due("sections")
def _sections(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return a result's tables with the library's rows."""
    is_of_set = str(at.call.means["route"]).startswith("/v1/sets")  # its own counts, of no team
    if is_of_set or at.team not in world.case.sessions or not row["sections"]:
        return None
    scope = at.scope if is_place(row) else "all"
    tables = world.results.sections(at.team, scope)
    return [[{**section, **tables.get(section["key"], {"rows": None})} for section in row["sections"]]]


# Reports


@_is_due("result")
def _own_result(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the result in a session's report, which has one once the results are published; of diagnoses teams see
    their own once the run is over (D 6.11)."""
    if "timing" not in row or at.team not in world.case.sessions:
        return None
    since = Phase.CLOSED if world.track == "diagnosis" else Phase.PUBLISHED
    return [world.results.part(at.team).result if at.phase >= since else None]


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


@_is_due("timing")
def _timing(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the statistics of a session's times, by the hand-outs and receipts that its team was given."""
    times = world.times(at)
    if times is None or at.phase < Phase.CLOSED:
        return None
    names = row["timing"]
    spans = {name: [span for one in times.values() if (span := one[name]) is not None] for name in names}
    return [{name: statistics(values) for name, values in spans.items()}]


def _time(name: str) -> Due:
    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        times = world.times(at) if "number" in row and at.phase >= Phase.CLOSED else None
        span = (times or {}).get(at.number or 0)
        return None if span is None else [span[name]]

    return due_of


@_is_due("voided")
def _voided(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return a report's missed files by cause."""
    if "cells" in row:
        return _voided_of_watch(world, at, row)
    if at.team not in world.case.sessions or at.phase < Phase.CLOSED or "timing" not in row:
        return None
    numbers = world.schedule(at).numbers
    causes = Counter(world.case.fate(at.team, number) for number in numbers)
    by_cause = {cause: {"files": causes[cause], "share": causes[cause] / len(numbers)} for cause in _CAUSES}
    missed = len(numbers) - causes["answered"]
    return [{"by_cause": by_cause, "files": missed, "share": missed / len(numbers)}]


def _missed(world: World, at: Place, _: Row) -> tuple[float | None, bool] | None:
    """Return a team's missed share that counts against it, and whether that annuls its solution."""
    if at.team not in world.case.sessions or at.phase < Phase.CLOSED:
        return None
    part = world.results.share(at.team)
    return part, part is not None and part > VOIDED_SHARE and world.results.is_of_essays


def _share_of_missed(place: int) -> Due:
    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        missed = _missed(world, at, row)
        return None if missed is None else [missed[place]]

    return due_of


@_is_due("solution")
def _solution(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    missed = _missed(world, at, row)
    allowed = VOIDED_SHARE if world.results.is_of_essays else 1.0
    return missed and [{"allowed_share": allowed, "voided": missed[1], "voided_share": missed[0]}]


# Files


def _moment(find: Callable[[World, Place], Millis | None]) -> Due:
    def due_of(world: World, at: Place, _: Row) -> Sequence[Json] | None:
        moment = find(world, at) if at.number in world.schedule(at).numbers else None
        return None if moment is None else [to_text(moment)]

    return due_of


def _handed(name: str) -> Due:
    def due_of(world: World, at: Place, _: Row) -> Sequence[Json] | None:
        life = world.life(at)
        handed = life.handed_out() if life is not None else None
        return None if handed is None or handed.done_at > at.call.sent_at else [handed.said[name]]

    return due_of


@_is_due("asked_at")
def _asked(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    life = world.life(at)
    times = life.asked_between(world.schedule(at).opens_at(life.number)) if life is not None else None
    if times is None or life is None or life.handed_out() is None or times[1] > at.call.sent_at:
        return None
    moment = row.get("asked_at") or ""
    return [moment] if moment and times[0] <= from_text(moment) <= times[1] else [to_text(times[0])]


def _counts(name: str) -> Due:
    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        receipt = world.receipt(at) if "receipt" not in row and "status" not in row else None
        return None if receipt is None else [receipt[name]]

    return due_of


def _fate(name: str) -> Due:
    """Return a file's state or cause from its session at the end, which another check compares with the rules."""

    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        status = world.case.statuses.get((at.team or "", at.number or 0))
        is_of_file = at.phase >= Phase.CLOSED and "number" in row and {"state", "cause"} <= row.keys()
        return [status[name]] if status is not None and is_of_file else None

    return due_of


@_is_due("state")
def _state(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the state of a file, of a run or of a session."""
    if "number" in row:
        return _fate("state")(world, at, row)
    if "session_id" in row and at.team in world.case.sessions and at.phase >= Phase.CLOSED:
        return ["aborted" if at.team in world.left else "finished"]
    return _of_run(lambda _, at: _RUN_STATES.get(at.phase, "finished"))(world, at, row)


@_is_due("group", "subject")
def _group(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    if not row.keys() & _OF_A_FILE:
        return None
    if not world.results.is_of_essays:
        return [""]  # of these contests nothing is told of a single item
    facts = world.results.facts.get(at.number or 0)
    return None if facts is None else [facts.group]


def _of_score(name: str) -> Due:
    """Return a value of a file's score, as the library makes it of the answer that counts."""

    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        is_of_file = at.team in world.case.sessions and at.number is not None and not is_place(row)
        is_told = at.phase is Phase.PUBLISHED and row.get("state", "answered") == "answered"
        record = world.results.record(at.team or "", at.number or 0) if is_of_file and is_told else None
        return None if record is None or name not in record else [record[name]]

    return due_of


def _accuracy(name: str) -> Due:
    """Return an accuracy of a file's essay: over all metrics by its name, or of a single metric."""

    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        record = _of_score("pairs")(world, at, row) if world.results.is_of_essays else None
        if not record or "number" not in row:
            return None
        essay = world.results.essay_score(at.team or "", at.number or 0)
        return [essay.algorithm_side(metric_measure(name)) if name in METRICS else getattr(essay, name)]

    return due_of


def _of_essay(find: Callable[[Results, Essay, Row], Json]) -> Due:
    """Return a part of a page on which an answer stands beside its references."""

    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        is_shown = at.phase is Phase.PUBLISHED and at.team in world.case.sessions and at.number is not None
        is_shown = is_shown and not isinstance(row.get("references"), str)  # a fingerprint's inputs are hashes
        essay = world.results.essay(at.team or "", at.number or 0) if is_shown else None
        return None if essay is None else [find(world.results, essay, row)]

    return due_of


@_is_due("experts")
def _experts(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    is_list = isinstance(row["experts"], list)
    return _of_essay(lambda _, essay, __: essay.experts)(world, at, row) if is_list else None


@_is_due("comparison")
def _comparison(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    if row.get("x") != "answer" or not isinstance(row.get("y"), int):
        return None
    return _of_essay(lambda results, essay, row: results.compared(essay, row["y"]))(world, at, row)


# Sessions and runs


def _of_session(find: Callable[[World, Place], Json]) -> Due:
    """Return a value of a session of the run, in an object that describes the session."""

    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        is_described = {"session_id", "opened_at"} <= row.keys() and at.team in world.case.sessions
        value = find(world, at) if is_described else None
        return None if value is None else [value]

    return due_of


def _of_run(find: Callable[[World, Place], Json]) -> Due:
    """Return a value of the run, in an object that describes it."""

    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        is_described = {"starts_at", "run_id"} <= row.keys() and "session_id" not in row
        return [find(world, at)] if at.run == world.run_id and is_described else None

    return due_of


def _of_both(find: Callable[[World, Place], Json]) -> Due:
    def due_of(world: World, at: Place, row: Row) -> Sequence[Json] | None:
        return _of_session(find)(world, at, row) or _of_run(find)(world, at, row)

    return due_of


@_is_due("files")
def _files(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the number of files of the run, with those that replace others or without them."""
    counts = [world.case.schedule.files, len(world.schedule(at).numbers)]
    is_described = _of_both(lambda *_: 0)(world, at, row) is not None
    return counts if is_described and not isinstance(row["files"], list) else None


@_is_due("limits")
def _limits(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the limits of the run in the units that their names tell."""
    if _of_both(lambda *_: 0)(world, at, row) is None:
        return None
    ordered = {name.removesuffix("_ms"): value for name, value in world.case.story.header["limits"].items()}

    def limit(name: str) -> float:
        return float(ordered[name.partition("_")[0]]) / (SECOND if name.endswith("_s") else 1)

    return [{name: limit(name) for name in row["limits"] if name.partition("_")[0] in ordered}]


@_is_due("counts")
def _counts_of_states(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    if at.team not in world.case.sessions or at.phase < Phase.CLOSED or not {"session_id", "timing"} & row.keys():
        return None
    states = Counter(world.case.statuses[at.team, number]["state"] for number in world.schedule(at).numbers)
    return [{**dict.fromkeys(("answered", "open", "voided", "waiting"), 0), **states, "late": row["counts"]["late"]}]


@_is_due("last_delay_ms")
def _last_delay(world: World, at: Place, _: Row) -> Sequence[Json] | None:
    times = world.times(at) if at.phase >= Phase.CLOSED else None
    delays = [one["delay_ms"] for one in (times or {}).values() if one["delay_ms"] is not None]
    return delays[-1:] or None


@_is_due("closed_at")
def _closed_at(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return when a session of the run ended: when its team ended it, else as it is told at last."""
    last = world.case.facts.answers.get(f"status/{at.team}", {})
    ended = world.left.get(at.team or "", last.get("closed_at"))
    return [ended] if ended and at.phase >= Phase.CLOSED and "session_id" in row else None


def _ends_at(world: World, at: Place) -> str:
    schedule = world.schedule(at)
    return to_text(schedule.opens_at(schedule.numbers[-1]) + schedule.total)


def _join_until(world: World, _: Place) -> str:
    return to_text(world.case.schedule.join_until)


@_is_due("session_id")
def _session_id(world: World, _: Place, row: Row) -> Sequence[Json] | None:
    """Return the sessions of the team that is named beside one."""
    team = row.get("team_id")
    own = [session_id for session_id, owner in world.owners.items() if owner == team]
    return own if team in world.case.sessions else None


def _next(value: Json) -> Due:
    """Return a value of the answer to a team that asks for its next file once the run is over."""
    return lambda _, at, row: [value] if "session_state" in row and at.phase >= Phase.CLOSED else None


def _asked_part(find: Callable[[World, Place], Json]) -> Due:
    """Return a value of a leaderboard's head."""
    return lambda world, at, row: [find(world, at)] if {"rows", "nomination"} <= row.keys() else None


@_is_due("language")
def _language(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the language of a file, or of the part of a leaderboard."""
    if row.keys() & _OF_A_FILE and at.number:
        facts = world.results.facts.get(at.number)
        return None if facts is None else [facts.language]
    return _asked_part(lambda _, at: at.query.get("language", "all"))(world, at, row)


def _of_recomputation(find: Callable[[World], Json]) -> Due:
    """Return a value of the independent recomputation, which has to have gone through all sessions without a
    difference."""
    return lambda world, at, row: [find(world)] if "checked" in row and at.run and at.phase >= Phase.CLOSED else None


@_is_due("role")
def _role(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the reader's own role, or that of a person of the staff."""
    if "rights" in row:
        return [_ROLES.get(at.role, at.role)]
    roles = world.case.story.header.get("staff", {})
    return [roles[row["email"]]] if row.get("email") in roles and "pool" not in row else None


@_is_due("token_id")
def _token_id(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the token with which a team's program was told its own, until it has another one."""
    bodies = [call.said["read"] for call in world.case.story.calls if call.path == "/v1/me" and "read" in call.said]
    own = {body["token_id"] for body in bodies if body.get("team_id") == at.team}
    return sorted(own) or None if "revoked_at" in row and at.team and at.is_read else None


@_is_due("checked")
def _checked(world: World, at: Place, _: Row) -> Sequence[Json] | None:
    """Return how much the independent recomputation has looked at, and which it has not skipped.

    Where an answer was improved late the earlier one has a score, too, which does not count.
    """
    if at.phase < Phase.CLOSED or at.run is None:
        return None
    teams = world.case.sessions
    receipts = sum(1 for team in teams for _ in world.case.receipts(team))
    scores = sum(len({sk.split("#")[1] for sk, _ in world.case.scores(team)}) for team in teams)
    files = len(teams) * len(world.schedule(at).numbers)
    return [{"sessions": len(teams), "files": files, "receipts": receipts, "scores": scores}]


def _voided_of_watch(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return a team's missed files by cause on the live page."""
    if "cells" not in row or at.phase < Phase.CLOSED or at.team not in world.case.sessions:
        return None
    fates = Counter(world.case.fate(at.team, number) for number in world.schedule(at).numbers)
    return [{cause: many for cause, many in fates.items() if cause != "answered"}]


def _of_team(value: Json) -> Due:
    """Return a value that every team has until something is decided about it."""
    names = {"team_id", "created_at", "agrees"}
    return lambda _, at, row: [value] if names <= row.keys() and at.call.means["route"] not in LOG else None


@_is_due("server_time", "now")
def _clock(world: World, at: Place, row: Row) -> Sequence[Json] | None:
    """Return the platform's time in an answer: that of the answer, or an earlier one of what a reader has kept."""
    moment = row.get("server_time") or row.get("now")
    is_driven = at.is_read and world.case.story.header.get("driven")
    if not is_driven or not isinstance(moment, str):
        return None
    return [moment if from_text(moment) <= at.call.done_at else to_text(at.call.done_at)]


_OF_TEAMS: Final = {
    **dict.fromkeys(("agrees", "baseline"), False),
    **dict.fromkeys(("selection", "reason", "contact", "organization"), None),
}
"""Values of the teams that a rehearsal enters."""
_VALUES.update(
    {
        "team_id": lambda world, _, row: (
            [world.owners[str(row["session_id"])]] if str(row.get("session_id")) in world.owners else None
        ),
        **dict.fromkeys(("team", "name"), lambda _, __, row: [row["team_id"]] if row.get("team_id") else None),
        "file_id": lambda world, at, _: [world.file_ids[at.number], None] if at.number in world.file_ids else None,
        "opens_at": _moment(lambda world, at: world.schedule(at).opens_at(at.number or 0)),
        "request_by": _moment(lambda world, at: world.schedule(at).request_by(at.number or 0)),
        "handed_out_at": _handed("handed_out_at"),
        "answer_by": _handed("answer_by"),
        "answered_at": _counts("received_at"),
        "send": _counts("send"),
        "content_sha256": _counts("content_sha256"),
        "delay_ms": _time("delay_ms"),
        "processing_ms": _time("processing_ms"),
        "cause": _fate("cause"),
        "nomination": _asked_part(lambda _, at: at.query.get("nomination")),
        "status": lambda world, at, row: (_next("complete") if "session_state" in row else _of_team("approved"))(
            world, at, row
        ),
        "session_state": lambda world, at, _: (
            [("aborted" if at.team in world.left else "finished")] if at.phase >= Phase.CLOSED else None
        ),
        "keys": lambda world, _, __: [world.case.facts.answers["keys"]["keys"]],
        "Algorithm accuracy (STAR), %": _accuracy("algorithm_accuracy"),
        "Expert accuracy (STER), %": _accuracy("expert_accuracy"),
        "Relative accuracy (OTAR), %": _accuracy("relative_accuracy"),
        "answer": _of_essay(lambda _, essay, __: essay.answer),
        "voided_share": _share_of_missed(0),
        "solution_voided": _share_of_missed(1),
        "starts_at": _of_both(lambda world, _: to_text(world.case.schedule.starts_at)),
        "ends_at": _of_run(_ends_at),
        "join_until": _of_run(_join_until),
        "interval_ms": _of_run(lambda world, _: world.case.schedule.interval),
        "interval_s": _of_both(lambda world, _: world.case.schedule.interval / SECOND),
        "trial": _of_run(lambda *_: False),
        "mode": _of_both(lambda *_: "final"),
        **dict.fromkeys(("made", "teams"), _of_recomputation(lambda world: len(world.case.sessions))),
        "total": _of_recomputation(lambda _: 0),
        "run_id": lambda world, _, row: world.runs if {"starts_at", "opened_at"} & row.keys() else None,
        "total_files": _of_run(lambda world, at: len(world.schedule(at).numbers)),
        "requested_files": _of_session(lambda world, _: world.case.schedule.files),
        "opened_at": _of_session(lambda world, at: world.opened_at.get(at.team or "")),
        "track": _of_run(lambda world, _: world.track),
        "published": _of_run(lambda _, at: at.phase >= Phase.PUBLISHED),
        "results_published": _of_run(lambda _, at: at.phase >= Phase.PUBLISHED),
        **{name: _of_team(value) for name, value in _OF_TEAMS.items()},
    }
)
