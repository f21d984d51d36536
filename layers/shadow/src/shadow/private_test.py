"""The job for submissions: recompute one, and, when all are done, the private test's choice and places."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markup_core.receipt import canonical_bytes
from shadow.cells import Cell
from shadow.final import Tracks
from shadow.source import Item, Json, Source, digest, document, one, track_under
from shadow.submitted import SHADOWS, Submitted
from tracks import registry
from tracks.protocol import Track

FORMAT: Final = 1
SHOWN: Final = 1000
MOST_CHOSEN: Final = 2


def recompute(source: Source, submission_id: str, *, again: bool = False, tracks: Tracks = registry.get) -> None:
    """Recompute a scored submission, then the private test if none is missing.

    An earlier result under the same facts stays unless ``again``.

    Raises :class:`shadow.source.MissingError` for an unknown one. O(items) of its set, all in memory.
    """
    body = _body(source, submission_id)
    submitted = Submitted(source, _track(source, tracks, body), body)
    if body["state"] == "scored" and (again or submitted.result_name not in source.tags(submitted.result_name)):
        cells = submitted.recompute()
        summary = {**_summary(cells), "items": len(submitted.rows) if "rows" in submitted.__dict__ else 0}
        source.write(submitted.result_name, canonical_bytes(summary))
    _assemble(source, tracks, str(body["cycle"]))


def _track(source: Source, tracks: Tracks, body: Item) -> Track:
    return track_under(source, tracks(body["track"]), str(body["cycle"]), body["parameters_version"])


def whole_name(bodies: Sequence[Item], parts: Mapping[str, str]) -> str:
    """Return the name of the result for all of a cycle's submissions.

    It depends on the scored submissions, by the names of their own results, on those chosen for the private test, and
    on the private runs. The platform names it the same way.
    """
    chosen = sorted([body["submission_id"], body["named_at"]] for body in bodies if body["named_at"] is not None)
    runs = sorted([body["submission_id"], body["state"]] for body in bodies if body["of"])
    return f"{SHADOWS}whole/{digest({'parts': dict(parts), 'chosen': chosen, 'runs': runs})}.json"


def _assemble(source: Source, tracks: Tracks, cycle: str) -> None:
    names = source.items("Exchange", f"SUBMISSIONS#{cycle}", "NAME#")
    bodies = [_body(source, item["submission_id"]) for item in names]
    track = _track(source, tracks, bodies[0])
    scored = {body["submission_id"]: Submitted(source, track, body) for body in bodies if body["state"] == "scored"}
    parts = {name: submitted.result_name for name, submitted in scored.items()}
    there = source.tags(SHADOWS)
    if any(name not in there for name in parts.values()):
        return
    results = [document(source, name) for name in parts.values()]
    runs = [body for body in bodies if body["of"]]
    summary = _summary(list(_unlike_choice(bodies, runs)))
    for part in results:
        summary["total"] += part["total"]
        summary["differences"] = [*summary["differences"], *part["differences"]][:SHOWN]
    summary["checked"] = {"submissions": len(results), "items": sum(result["items"] for result in results)}
    summary["places"] = _places(track, [scored[run["submission_id"]] for run in runs if run["state"] == "scored"])
    source.write(whole_name(bodies, parts), canonical_bytes(summary))


def _unlike_choice(bodies: Sequence[Item], runs: Sequence[Item]) -> Iterator[Cell]:
    """Yield teams whose private runs are not of their chosen submissions, else of their best one (F-7).

    Submissions count that had ended before the private runs began.
    """
    begun = defaultdict[str, list[Item]](list)
    for run in runs:
        begun[run["team_id"]].append(run)
    for team, own in sorted(begun.items()):
        since = min(run["created_at"] for run in runs)
        actual, due = sorted(run["of"] for run in own), sorted(_chosen(bodies, team, since))
        if actual != due:
            yield Cell("chosen", actual, due, team_id=team)


def _chosen(bodies: Sequence[Item], team: str, since: int) -> list[str]:
    mine = [
        body
        for body in bodies
        if body["team_id"] == team
        and not body["of"]
        and body["state"] == "scored"
        and (body["order"]["kind"], body["order"]["set_kind"]) == ("program", "test")
    ]
    named = [body["submission_id"] for body in mine if body["named_at"] is not None]
    ended = [body for body in mine if body["changed_at"] <= since]
    if named or not ended:
        return named[:MOST_CHOSEN]
    best = max(body["value"] or 0.0 for body in ended)
    equal = [body for body in ended if (body["value"] or 0.0) == best]
    return [min(equal, key=lambda body: (body["completed_at"], body["submission_id"]))["submission_id"]]


def _places(track: Track, runs: Sequence[Submitted]) -> list[Json]:
    """Rank teams by their best run: rows of board, team, place, value; equal values share a place, none comes last."""
    rows = []
    results = [(run.body["team_id"], json.loads(run.report_bytes or b"{}").get("result")) for run in runs]
    for rules in track.boards():
        best: dict[str, float | None] = {}
        for team, result in results:
            value = None if result is None else track.value(result, rules.key)
            best_value = best.get(team)
            best[team] = best_value if value is None or (best_value is not None and best_value >= value) else value
        for team, value in sorted(best.items()):
            others = (other for other in best.values() if other is not None and (value is None or other > value))
            rows.append([rules.key, team, 1 + sum(1 for _ in others), value])
    return rows


def _body(source: Source, submission_id: str) -> Item:
    body: Item = json.loads(one(source, "Exchange", f"SUBMISSION#{submission_id}", "STATE")["body"])
    return body


def _summary(cells: Sequence[Cell]) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "total": len(cells),
        "differences": [cell.to_dict() for cell in cells[:SHOWN]],
    }
