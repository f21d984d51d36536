"""The job: one session of a final anew, and, when all are done, the whole final."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from markup_core.receipt import canonical_bytes
from shadow import receipts, results
from shadow.cells import Cell, compared
from shadow.evidence import Evidence, evidence_of
from shadow.fates import Fate, fates, voided_share
from shadow.final import FinalRun, Tracks, read_final, sessions_of
from shadow.record import unlike_record, unlike_roster
from shadow.scoring import Scoring
from shadow.source import Json, MissingError, Source, document
from shadow.turns import Turns, items
from tracks import registry

FORMAT: Final = 1
SHOWN: Final = 1000
"""So many differences are kept one by one; their number is told in any case."""


def recompute(
    source: Source, run_id: str, session_id: str = "", *, again: bool = False, tracks: Tracks = registry.get
) -> None:
    """Compute a session anew, then the whole final if no session is missing; without a session the whole alone.

    What was computed before under the same facts stands, and is replaced ``again``. O(files · experts²) of the session.
    """
    final = read_final(source, tracks, run_id)
    name = final.part_name(session_id)
    if session_id and (again or name not in source.tags(name)):
        source.write(name, canonical_bytes(session_part(final, session_id)))
    while _assembled(source, final):
        pass


def session_part(final: FinalRun, session_id: str) -> dict[str, Json]:
    """One session anew: its entries on the board, what was checked, every difference from what the platform has."""
    checked: dict[str, int] = {"sessions": 1}
    entries: list[Json] = []
    team_id = ""
    try:
        found = evidence_of(final.source, session_id)
        team_id = found.session["team_id"]
        Turns(final, found).note_dialogues()
        scoring = Scoring(final, found)
        of = fates(found, final.calendar)
        scoring.compute(of)
        entries = results.entries(final, found, of, scoring.scores)
        cells = [*scoring.differences, *_unlike(final, found, of, entries, scoring.scores)]
        checked |= {
            "files": len(of),
            "scores": len(scoring.scores),
            "receipts": sum(len(each.receipts) for each in found.traces.values()),
        }
    except MissingError as error:
        cells = [Cell("session", None, f"not stored: {error}")]
    return {"entries": entries, **_said(final, checked, [_of(each, team_id, session_id) for each in cells])}


def _unlike(
    final: FinalRun, found: Evidence, of: list[Fate], entries: Sequence[Json], scores: Mapping[int, Json]
) -> Iterator[Cell]:
    source, session_id = final.source, found.session["session_id"]
    yield from receipts.check(source, found, final.calendar, receipts.keys_of(source, final.run_id))
    stored = _stored_entry(final, session_id)
    yield from _unlike_fates(final, found, of, stored.get("fates"))
    yield from unlike_record(final, found)
    theirs = {each["language"]: each for each in stored.get("entries", ())}
    ours = {each["language"]: each for each in entries}
    for part in sorted({*theirs, *ours}):
        yield from _unlike_entry(part, theirs.get(part), ours.get(part))
    if "all" in ours:
        counted = [scores[each.number] for each in of if each.cause is None and each.number in scores]
        yield from results.unlike_plain(theirs.get("all", {}).get("result"), counted)


def _unlike_fates(final: FinalRun, found: Evidence, of: list[Fate], claimed: Json) -> Iterator[Cell]:
    """What the platform says of every file of the session, and of the session as a whole."""
    if claimed is None:
        yield Cell("session", None, "the fates of its files")
        return
    stored = {each["number"]: each for each in claimed["files"]}
    for fate in of:
        told = stored.pop(fate.number, {})
        accepted = found.trace(fate.number).accepted if fate.cause is None else None
        yield from compared("state", told.get("state"), fate.state, fate.number)
        yield from compared("cause", told.get("cause"), fate.cause, fate.number)
        yield from compared("state.late", told.get("late"), fate.late, fate.number)
        yield from compared("answer", told.get("content_sha256"), (accepted or {}).get("content_sha256"), fate.number)
    for number in stored:
        yield Cell("state", stored[number]["state"], None, number)
    share = voided_share(of)
    yield from compared("voided_share", claimed["voided_share"], share)
    yield from compared("solution_voided", claimed["solution_voided"], results.is_solution_voided(final, of))
    by_item = [[of[file.number - 1] for file in row] for row in items(final.files[: len(of)])]
    answered = sum(all(each.cause is None for each in row) for row in by_item)
    whole = sum(all(each.counts for each in row) for row in by_item)
    yield from compared("completeness", claimed["completeness"], {"answered": answered, "whole": whole})


def _unlike_entry(part: str, stored: Json, entry: Json) -> Iterator[Cell]:
    """A team's entry on a part of the board; cells of others than the whole name their part."""
    suffix = "" if part == "all" else f"[{part}]"
    if stored is None or entry is None:
        yield Cell(f"entry{suffix}", "none" if stored is None else "an entry", "none" if entry is None else "an entry")
        return
    yield from compared(f"result{suffix}", stored["result"], json.loads(canonical_bytes(entry["result"])))
    theirs, ours = ({name: each[name] for name in each if name != "result"} for each in (stored, entry))
    yield from compared(f"entry{suffix}", theirs, ours)


def _assembled(source: Source, final: FinalRun) -> bool:
    """Make the whole result of the parts if all are there; whether one of them has changed meanwhile."""
    sessions = sessions_of(source, final.run_id)
    names = {session_id: final.part_name(session_id) for _, session_id in sessions}
    folder = final.part_name("").removesuffix(".json")
    before = source.tags(folder)
    if any(name not in before for name in names.values()):
        return False
    parts = {session_id: document(source, name) for session_id, name in names.items()}
    cells = list(_unlike_board(final, [entry for each in parts.values() for entry in each["entries"]]))
    cells += unlike_roster(final)
    checked = _sum([each["checked"] for each in parts.values()])
    said = _said(final, checked, cells)
    for part in parts.values():
        said["total"] += part["total"]
        said["differences"] = [*said["differences"], *part["differences"]][:SHOWN]
    source.write(final.result_name, canonical_bytes(said))
    return source.tags(folder) != before


def _unlike_board(final: FinalRun, entries: Sequence[Json]) -> Iterator[Cell]:
    """Who is on the board, with what, and on which place."""
    made = {"entries": [], "places": {}} if final.board is None else json.loads(final.board)
    board = made["entries"]
    stored = {(each["session_id"], each["language"]): each for each in board}
    for each in entries:
        found = stored.pop((each["session_id"], each["language"]), None)
        for cell in _unlike_entry(each["language"], found, each):
            yield _of(cell, each["team_id"], each["session_id"])
    for each in stored.values():
        yield Cell("board", each["team_id"], None, 0, each["team_id"], each["session_id"])
    if len(board) != len(entries):
        yield Cell("board", len(board), len(entries))
    for part in sorted({*made["places"], *(each["language"] for each in entries)}):
        on_it = [each for each in entries if each["language"] == part]
        yield from _unlike_places(part, made["places"].get(part, {}), results.places(final.track, on_it, part))


def _unlike_places(part: str, stored: Mapping[str, int], made: Mapping[str, int]) -> Iterator[Cell]:
    name = "place" if part == "all" else f"place[{part}]"
    for team_id in sorted({*stored, *made}):
        for cell in compared("place", stored.get(team_id), made.get(team_id)):
            yield replace(cell, team_id=team_id, quantity=name)


def _stored_entry(final: FinalRun, session_id: str) -> Mapping[str, Json]:
    """What the platform has made of a session for the board; empty where it has not."""
    content = final.source.read(f"{final.folder}{session_id}.json")
    found: Mapping[str, Json] = {} if content is None else json.loads(content)
    return found


def _of(cell: Cell, team_id: str, session_id: str) -> Cell:
    return replace(cell, team_id=team_id, session_id=session_id)


def _sum(counted: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = sorted({name for each in counted for name in each})
    return {name: sum(each.get(name, 0) for each in counted) for name in names}


def _said(final: FinalRun, checked: Mapping[str, int], cells: Sequence[Cell]) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "run_id": final.run_id,
        "facts": final.facts,
        "checked": dict(checked),
        "total": len(cells),
        "differences": [each.to_dict() for each in cells[:SHOWN]],
    }
