"""The job: recompute one session of a final, and, when all are done, the whole final.

The function ``Shadow``: takes sessions of finals and submissions from its queue and computes them anew, in a process
of its own.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from markup_core.receipt import canonical_bytes
from shadow import private_test, record, results
from shadow.evidence import Cell, Evidence, compared, evidence_of
from shadow.fates import Fate, fates, voided_share
from shadow.final import FinalRun, Tracks, read_final, sessions_of
from shadow.record import unlike_record, unlike_roster
from shadow.results import Scoring, Turns, items
from shadow.source import CloudSource, Json, MissingError, Source, client, document
from tracks import registry

FORMAT: Final = 1
SHOWN: Final = 1000
"""So many differences are kept one by one; their number is told in any case."""


def recompute(
    source: Source, run_id: str, session_id: str = "", *, again: bool = False, tracks: Tracks = registry.get
) -> None:
    """Recompute a session, then the whole final if no session is missing; without a session the whole alone.

    An earlier result under the same facts stays unless ``again``. O(files · experts²) of the session.
    """
    final = read_final(source, tracks, run_id)
    name = final.part_name(session_id)
    if session_id and (again or name not in source.tags(name)):
        source.write(name, canonical_bytes(session_part(final, session_id)))
    while _assembled(source, final):
        pass


def session_part(final: FinalRun, session_id: str) -> dict[str, Json]:
    """Recompute one session: its entries on the board, the counts of checks, all differences from the platform."""
    checked: dict[str, int] = {"sessions": 1}
    entries: list[Json] = []
    team_id = ""
    try:
        evidence = evidence_of(final.source, session_id)
        team_id = evidence.session["team_id"]
        Turns(final, evidence).note_dialogues()
        scoring = Scoring(final, evidence)
        session_fates = fates(evidence, final.calendar)
        scoring.compute(session_fates)
        entries = results.entries(final, evidence, session_fates, scoring.scores)
        cells = [*scoring.differences, *_unlike(final, evidence, session_fates, entries, scoring.scores)]
        checked |= {
            "files": len(session_fates),
            "scores": len(scoring.scores),
            "receipts": sum(len(trace.receipts) for trace in evidence.traces.values()),
        }
    except MissingError as error:
        cells = [Cell("session", None, f"not stored: {error}")]
    return {"entries": entries, **_summary(final, checked, [_assigned(cell, team_id, session_id) for cell in cells])}


def _unlike(
    final: FinalRun, evidence: Evidence, session_fates: list[Fate], entries: Sequence[Json], scores: Mapping[int, Json]
) -> Iterator[Cell]:
    source, session_id = final.source, evidence.session["session_id"]
    yield from record.check(source, evidence, final.calendar, record.keys_of(source, final.run_id))
    content = final.source.read(f"{final.folder}{session_id}.json")
    stored: Mapping[str, Json] = {} if content is None else json.loads(content)
    yield from _unlike_fates(final, evidence, session_fates, stored.get("fates"))
    yield from unlike_record(final, evidence)
    theirs = {entry["language"]: entry for entry in stored.get("entries", ())}
    ours = {entry["language"]: entry for entry in entries}
    for part in sorted({*theirs, *ours}):
        yield from _unlike_entry(part, theirs.get(part), ours.get(part))
    if "all" in ours:
        counted = [scores[fate.number] for fate in session_fates if fate.cause is None and fate.number in scores]
        yield from results.unlike_plain(theirs.get("all", {}).get("result"), counted)


def _unlike_fates(final: FinalRun, evidence: Evidence, session_fates: list[Fate], claimed: Json) -> Iterator[Cell]:
    """Compare the platform's states of the session's files, and of the session as a whole."""
    if claimed is None:
        yield Cell("session", None, "the fates of its files")
        return
    stored = {file["number"]: file for file in claimed["files"]}
    for fate in session_fates:
        claim = stored.pop(fate.number, {})
        accepted = evidence.trace(fate.number).accepted if fate.cause is None else None
        yield from compared("state", claim.get("state"), fate.state, fate.number)
        yield from compared("cause", claim.get("cause"), fate.cause, fate.number)
        yield from compared("state.late", claim.get("late"), fate.late, fate.number)
        yield from compared("answer", claim.get("content_sha256"), (accepted or {}).get("content_sha256"), fate.number)
    for number in stored:
        yield Cell("state", stored[number]["state"], None, number)
    share = voided_share(session_fates)
    yield from compared("voided_share", claimed["voided_share"], share)
    yield from compared("solution_voided", claimed["solution_voided"], results.is_solution_voided(final, session_fates))
    by_item = [[session_fates[file.number - 1] for file in row] for row in items(final.files[: len(session_fates)])]
    answered = sum(all(fate.cause is None for fate in row) for row in by_item)
    whole = sum(all(fate.counts for fate in row) for row in by_item)
    yield from compared("completeness", claimed["completeness"], {"answered": answered, "whole": whole})


def _unlike_entry(part: str, stored: Json, entry: Json) -> Iterator[Cell]:
    """Compare a team's entry on a part of the board; cells name their part unless it is the whole board."""
    suffix = "" if part == "all" else f"[{part}]"
    if stored is None or entry is None:
        yield Cell(f"entry{suffix}", "none" if stored is None else "an entry", "none" if entry is None else "an entry")
        return
    yield from compared(f"result{suffix}", stored["result"], json.loads(canonical_bytes(entry["result"])))
    theirs, ours = ({name: whole[name] for name in whole if name != "result"} for whole in (stored, entry))
    yield from compared(f"entry{suffix}", theirs, ours)


def _assembled(source: Source, final: FinalRun) -> bool:
    """Write the final's result if all parts exist; return whether one of them has changed meanwhile."""
    sessions = sessions_of(source, final.run_id)
    names = {session_id: final.part_name(session_id) for _, session_id in sessions}
    folder = final.part_name("").removesuffix(".json")
    before = source.tags(folder)
    if any(name not in before for name in names.values()):
        return False
    parts = {session_id: document(source, name) for session_id, name in names.items()}
    cells = list(_unlike_board(final, [entry for part in parts.values() for entry in part["entries"]]))
    cells += unlike_roster(final)
    checked = Counter[str]()
    for part in parts.values():
        checked.update(part["checked"])
    summary = _summary(final, checked, cells)
    for part in parts.values():
        summary["total"] += part["total"]
        summary["differences"] = [*summary["differences"], *part["differences"]][:SHOWN]
    source.write(final.result_name, canonical_bytes(summary))
    return source.tags(folder) != before


def _unlike_board(final: FinalRun, entries: Sequence[Json]) -> Iterator[Cell]:
    """Compare the board's teams, entries and places."""
    platform_board = {"entries": [], "places": {}} if final.board is None else json.loads(final.board)
    board = platform_board["entries"]
    stored = {(entry["session_id"], entry["language"]): entry for entry in board}
    for entry in entries:
        platform_entry = stored.pop((entry["session_id"], entry["language"]), None)
        for cell in _unlike_entry(entry["language"], platform_entry, entry):
            yield _assigned(cell, entry["team_id"], entry["session_id"])
    for entry in stored.values():
        yield Cell("board", entry["team_id"], None, 0, entry["team_id"], entry["session_id"])
    if len(board) != len(entries):
        yield Cell("board", len(board), len(entries))
    for part in sorted({*platform_board["places"], *(entry["language"] for entry in entries)}):
        on_it = [entry for entry in entries if entry["language"] == part]
        stored_places, places = platform_board["places"].get(part, {}), results.places(final.track, on_it, part)
        name = "place" if part == "all" else f"place[{part}]"
        for team_id in sorted({*stored_places, *places}):
            for cell in compared("place", stored_places.get(team_id), places.get(team_id)):
                yield replace(cell, team_id=team_id, quantity=name)


def _assigned(cell: Cell, team_id: str, session_id: str) -> Cell:
    return replace(cell, team_id=team_id, session_id=session_id)


def _summary(final: FinalRun, checked: Mapping[str, int], cells: Sequence[Cell]) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "run_id": final.run_id,
        "facts": final.facts,
        "checked": dict(checked),
        "total": len(cells),
        "differences": [cell.to_dict() for cell in cells[:SHOWN]],
    }


_TABLES: Final = {
    "Exchange": "HURDLE_EXCHANGE_TABLE",
    "Scores": "HURDLE_SCORES_TABLE",
    "Catalogue": "HURDLE_CATALOGUE_TABLE",
}
"""Variables that name the tables; the deployment tells every function the same."""
_BUCKET: Final = "HURDLE_BUCKET"
_MEASURES: Final = "HURDLE_MEASURES"
_MEASURE_IMAGE: Final = "HURDLE_MEASURE_IMAGE"
_HERE: Final = "here"
"""The local cloud runs programs of measures in the function's own child processes."""


@cache
def source() -> CloudSource:
    """Return the deployment's storage."""
    tables = {name: os.environ[variable] for name, variable in _TABLES.items()}
    return CloudSource(tables, os.environ[_BUCKET])


@cache
def tracks() -> Tracks:
    """Return the contests by name; programs of measures run in the deployment's function for them."""
    function = os.environ.get(_MEASURES, "")
    if function == _HERE:
        return registry.get
    from tracks.custom.running import InFunction  # most deployments have no measure
    from tracks.custom.track import CustomTrack

    custom = CustomTrack(InFunction(lambda: client("lambda"), function, os.environ.get(_MEASURE_IMAGE, "")))
    return lambda name: custom if name == custom.name else registry.get(name)


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Recompute what the messages name; a message that raises is repeated and ends in the dead-letter queue."""
    for queued in event["Records"]:
        message = json.loads(queued["body"])
        source().forget()
        if message.get("submission_id"):
            private_test.recompute(source(), message["submission_id"], again=message["again"], tracks=tracks())
        else:
            recompute(source(), message["run_id"], message["session_id"], again=message["again"], tracks=tracks())
    return {"batchItemFailures": []}
