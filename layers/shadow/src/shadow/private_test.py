"""The job for submissions: one anew, and, when all are done, the private test: who was chosen, who is on what place."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markup_core.receipt import canonical_bytes
from shadow.cells import Cell
from shadow.final import Tracks
from shadow.source import Item, Json, Source, digest, document, one
from shadow.submitted import SHADOWS, Submitted
from tracks import registry
from tracks.protocol import Track

FORMAT: Final = 1
SHOWN: Final = 1000
MOST_CHOSEN: Final = 2


def recompute(source: Source, submission_id: str, *, again: bool = False, tracks: Tracks = registry.get) -> None:
    """Compute a scored submission anew, then the private test if none is missing. What was computed before under the
    same facts stands, and is replaced ``again``.

    Raises :class:`shadow.source.MissingError` for an unknown one. O(items) of its set, all in memory.
    """
    body = _body(source, submission_id)
    found = Submitted(source, tracks(body["track"]), body)
    if body["state"] == "scored" and (again or found.result_name not in source.tags(found.result_name)):
        cells = found.recompute()
        said = {**_said(cells), "items": len(found.rows) if "rows" in found.__dict__ else 0}
        source.write(found.result_name, canonical_bytes(said))
    _assemble(source, tracks, str(body["cycle"]))


def whole_name(bodies: Sequence[Item], parts: Mapping[str, str]) -> str:
    """Name of the result for all of a cycle's submissions: what is scored, by the names of its own results, what was
    chosen for the private test, and which private runs there are. The platform names it the same way."""
    chosen = sorted([each["submission_id"], each["named_at"]] for each in bodies if each["named_at"] is not None)
    runs = sorted([each["submission_id"], each["state"]] for each in bodies if each["of"])
    return f"{SHADOWS}whole/{digest({'parts': dict(parts), 'chosen': chosen, 'runs': runs})}.json"


def _assemble(source: Source, tracks: Tracks, cycle: str) -> None:
    bodies = [_body(source, each) for each in _names(source, cycle)]
    track = tracks(bodies[0]["track"])
    scored = {each["submission_id"]: Submitted(source, track, each) for each in bodies if each["state"] == "scored"}
    parts = {name: each.result_name for name, each in scored.items()}
    there = source.tags(SHADOWS)
    if any(each not in there for each in parts.values()):
        return
    made = [document(source, each) for each in parts.values()]
    runs = [each for each in bodies if each["of"]]
    said = _said(list(_unlike_choice(bodies, runs)))
    for part in made:
        said["total"] += part["total"]
        said["differences"] = [*said["differences"], *part["differences"]][:SHOWN]
    said["checked"] = {"submissions": len(made), "items": sum(each["items"] for each in made)}
    said["places"] = _places(track, [scored[each["submission_id"]] for each in runs if each["state"] == "scored"])
    source.write(whole_name(bodies, parts), canonical_bytes(said))


def _unlike_choice(bodies: Sequence[Item], runs: Sequence[Item]) -> Iterator[Cell]:
    """Whether a team's private runs are of what it has chosen, else of its best (F-7); of what had ended when they were
    begun."""
    begun = defaultdict[str, list[Item]](list)
    for each in runs:
        begun[each["team_id"]].append(each)
    for team, own in sorted(begun.items()):
        since = min(each["created_at"] for each in runs)
        run, due = sorted(each["of"] for each in own), sorted(_chosen(bodies, team, since))
        if run != due:
            yield Cell("chosen", run, due, team_id=team)


def _chosen(bodies: Sequence[Item], team: str, since: int) -> list[str]:
    mine = [
        each
        for each in bodies
        if each["team_id"] == team
        and not each["of"]
        and each["state"] == "scored"
        and (each["order"]["kind"], each["order"]["set_kind"]) == ("program", "test")
    ]
    named = [each["submission_id"] for each in mine if each["named_at"] is not None]
    ended = [each for each in mine if each["changed_at"] <= since]
    if named or not ended:
        return named[:MOST_CHOSEN]
    best = max(each["value"] or 0.0 for each in ended)
    equal = [each for each in ended if (each["value"] or 0.0) == best]
    return [min(equal, key=lambda each: (each["completed_at"], each["submission_id"]))["submission_id"]]


def _places(track: Track, runs: Sequence[Submitted]) -> list[Json]:
    """Board, team, place, value: places by the better run of each team, more being better, equal ones sharing a place;
    what has no value stands behind all."""
    found = []
    results = [(each.body["team_id"], json.loads(each.report_bytes or b"{}").get("result")) for each in runs]
    for rules in track.boards():
        best: dict[str, float | None] = {}
        for team, result in results:
            value = None if result is None else track.value(result, rules.key)
            known = best.get(team)
            best[team] = known if value is None or (known is not None and known >= value) else value
        for team, value in sorted(best.items()):
            others = (each for each in best.values() if each is not None and (value is None or each > value))
            found.append([rules.key, team, 1 + sum(1 for _ in others), value])
    return found


def _names(source: Source, cycle: str) -> list[str]:
    return [each["submission_id"] for each in source.items("Exchange", f"SUBMISSIONS#{cycle}", "NAME#")]


def _body(source: Source, submission_id: str) -> Item:
    found: Item = json.loads(one(source, "Exchange", f"SUBMISSION#{submission_id}", "STATE")["body"])
    return found


def _said(cells: Sequence[Cell]) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "total": len(cells),
        "differences": [each.to_dict() for each in cells[:SHOWN]],
    }
