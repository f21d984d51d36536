"""The job: recompute one session of a final, and, when all are done, the whole final.

The function ``Shadow``: takes sessions of finals and submissions from its queue and computes their turns, scores,
aggregates and places anew (R 5.3–5.7, 7.7, 7.12), in a process of its own.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import cache, cached_property
from math import isclose
from typing import Any, Final

from markup_core.receipt import canonical_bytes
from shadow import private_test, record
from shadow.final import (
    Fate,
    File,
    FinalRun,
    Tracks,
    fates,
    is_solution_voided,
    items,
    read_final,
    sessions_of,
    voided_share,
)
from shadow.record import answer_name, unlike_record, unlike_roster
from shadow.source import (
    Cell,
    CloudSource,
    Evidence,
    Json,
    MissingError,
    Source,
    Trace,
    client,
    compared,
    content_of,
    digest,
    digest_of_bytes,
    document,
    evidence_of,
)
from tracks import registry
from tracks.capabilities import MarkedByExperts, StepsByItem, steps_of
from tracks.protocol import ItemFacts, Missed, Outcome, Standing, Step, Track, is_dialogue, publications, step_now
from tracks.rules import Details


@dataclass(frozen=True)
class Turns:
    """The turns of one session's items."""

    final: FinalRun
    evidence: Evidence

    def note_dialogues(self) -> None:
        """Record in the traces of files with a dialogue whether it has ended.

        A file whose item cannot be read is left as it is: its score will say so.
        """
        for file in self.final.files:
            trace = self.evidence.trace(file.number)
            if trace.delivery is None:
                continue
            steps = self._steps(file)
            publication = file.step or steps[0].name
            if is_dialogue(steps, publication):
                kinds = [self._kind(file, publication, receipt) for receipt in _accepted(trace)]
                trace.is_unfinished = step_now(steps, publication, kinds) is not None

    def is_of_one_answer(self, file: File) -> bool:
        """Check whether the item has one file and one answer only."""
        if file.step:
            return False
        steps = self._steps(file)
        return len(publications(steps)) == 1 and not is_dialogue(steps, steps[0].name)

    def described(self, files: Sequence[File]) -> list[Json]:
        """Return the item's turns that count, by its files: step, kind, answer, and milliseconds since the delivery."""
        return list(self._turns(files))

    def digest(self, turns: Sequence[Json]) -> str:
        """Compute the digest that names these turns in a score's key."""
        names = ("step", "kind", "content_sha256", "after_ms")
        return digest([{name: turn[name] for name in names} for turn in turns])

    def _turns(self, files: Sequence[File]) -> Iterator[Json]:
        for file in files:
            trace, steps = self.evidence.trace(file.number), self._steps(file)
            publication = file.step or steps[0].name
            accepted = _accepted(trace)
            counting = accepted if is_dialogue(steps, publication) else accepted[-1:]
            kinds: list[str] = []
            for receipt in counting:
                step = step_now(steps, publication, kinds) or publication
                kinds.append(self._kind(file, step, receipt))
                handed_out_at = int((trace.delivery or {})["handed_out_at"])
                text = json.loads(receipt["body"])["receipt"]["received_at"]
                yield {
                    "step": step,
                    "kind": kinds[-1],
                    "content_sha256": receipt["content_sha256"],
                    "answer": json.loads(self._bytes(file, receipt)),
                    "after_ms": max(0, round(datetime.fromisoformat(text).timestamp() * 1000) - handed_out_at),
                }

    def _kind(self, file: File, step: str, receipt: Json) -> str:
        """Return the kind of an answer, as the track validates the stored bytes anew."""
        item, rules = self.final.item_of(file), self.final.parameters["track"]
        names = [step, *(other.name for other in self._steps(file) if other.name != step)]
        body = self._bytes(file, receipt)
        verdicts = (self.final.track.validate(item, file.file_id, name, body, rules) for name in names)
        return next((verdict.kind for verdict in verdicts if verdict.valid), "")

    def _bytes(self, file: File, receipt: Json) -> bytes:
        name = answer_name(self.evidence.session["session_id"], file.number, receipt["content_sha256"])
        return content_of(self.final.source, name)

    def _steps(self, file: File) -> tuple[Step, ...]:
        track, rules = self.final.track, self.final.parameters["track"]
        return steps_of(track, self.final.item_of(file) if isinstance(track, StepsByItem) else None, rules)


def _accepted(trace: Trace) -> list[Json]:
    accepted = [receipt for receipt in trace.receipts if receipt["status"] == "accepted"]
    return sorted(accepted, key=lambda receipt: int(receipt["send"]))


MISSED: Final = "missed"
"""Part of a score's key in place of an answer's SHA-256 if there is no answer (docs/decisions/0001)."""


class Scoring:
    """Scores of one session's answers; every fault of the stored bytes is noted as a difference."""

    def __init__(self, final: FinalRun, evidence: Evidence) -> None:
        self._final = final
        self._evidence = evidence
        self._turns = Turns(final, evidence)
        self._described: dict[int, list[Json]] = {}
        """Turns of items of several answers, by the last file's number."""
        self.differences: list[Cell] = []
        self.scores: dict[int, Json] = {}

    def compute(self, session_fates: Sequence[Fate]) -> None:
        """Score every answer that counts, and every missed file if missing is wrong; compare with the stored scores.

        ``session_fates``: those of all files, by number.
        """
        is_wrong = self._final.track.policies("final").missed is Missed.WRONG
        for row in items(self._final.files):
            fates = [session_fates[file.number - 1] for file in row]
            if self._turns.is_of_one_answer(row[-1]):
                file, fate = row[-1], fates[-1]
                accepted = self._evidence.trace(file.number).accepted
                if fate.cause is not None and fate.counts and is_wrong:
                    self.differences += self._file(file, MISSED)
                elif accepted is not None:
                    self.differences += self._file(file, accepted["content_sha256"])
            elif all(fate.counts for fate in fates):
                self._several(row, is_wrong=is_wrong)

    def _several(self, files: Sequence[File], *, is_wrong: bool) -> None:
        """Score an item of several answers: its turns make one score."""
        turns = self._turns.described(files)
        if turns:
            self._described[files[-1].number] = turns
            self.differences += self._file(files[-1], self._turns.digest(turns))
        elif is_wrong:
            self.differences += self._file(files[-1], MISSED)

    @cached_property
    def _manifests(self) -> Mapping[str, Mapping[str, Json]]:
        """Return the rows of the lists of files, by list and essay: language, group, content, references."""
        manifests = {}
        for name in sorted({file.manifest for file in self._final.files}):
            content = self._bytes("manifest", "manifests", name, 0)
            manifests[name] = {row[0]: row for row in json.loads(content)["items"]}
        return manifests

    @cached_property
    def _stored(self) -> Mapping[str, bytes]:
        """Return the stored score records by their sort keys."""
        items = self._final.source.items("Scores", f"SESSION#{self._session_id}", "SCORE#")
        return {item["sk"]: bytes(item["record"]) for item in items}

    @property
    def _session_id(self) -> str:
        return str(self._evidence.session["session_id"])

    def _file(self, file: File, answer_sha256: str) -> Iterator[Cell]:
        row = self._manifests[file.manifest].get(file.item_id)
        if row is None:
            yield Cell("manifest", None, file.item_id, file.number)
            return
        try:
            record = self._record(file, row, answer_sha256)
        except (MissingError, ValueError, KeyError, TypeError) as error:
            yield Cell("score", "scored", f"{type(error).__name__}: {error}", file.number)
            return
        if record is None:
            return
        self.scores[file.number] = record
        sk = f"SCORE#{file.number:04d}#{answer_sha256}#{self._conditions(file, row, answer_sha256)}"
        packed = self._stored.get(sk)
        if packed is None:
            yield Cell("score", None, "scored", file.number)
        elif (stored := zlib.decompress(packed)) != (recomputed := canonical_bytes(record)):
            yield from compared("score", json.loads(stored), json.loads(recomputed), file.number) or [
                Cell("score", digest_of_bytes(stored), digest_of_bytes(recomputed), file.number)
            ]

    def _record(self, file: File, row: Json, answer_sha256: str) -> Json:
        """Compute the score record of an answer; None if no expert has annotated the item yet."""
        _, _, _, content_sha256, references = row
        if not references:
            return None
        number, track, rules = file.number, self._final.track, self._final.parameters["track"]
        item = json.loads(self._bytes("content", "items", content_sha256, number))
        marked = [json.loads(self._bytes("reference", "references", sha256, number)) for sha256 in references]
        if answer_sha256 == MISSED:
            return track.score(item, None, marked, rules)
        answer, ratings = self._answer(number, answer_sha256), self._ratings(file, answer_sha256)
        if ratings is not None and isinstance(track, MarkedByExperts):
            return track.score_rated(item, answer, marked, ratings, rules)
        return track.score(item, answer, marked, rules)

    def _answer(self, number: int, answer_sha256: str) -> Json:
        """Return the scored answer: its stored bytes, or the turns of an item of several answers."""
        if number in self._described:
            names = ("step", "kind", "answer", "after_ms")
            return [{name: turn[name] for name in names} for turn in self._described[number]]
        return document(self._final.source, answer_name(self._session_id, number, answer_sha256))

    def _ratings(self, file: File, answer_sha256: str) -> Json:
        return self._final.ratings.get(f"{self._session_id}/{file.number}/{answer_sha256}")

    def _conditions(self, file: File, row: Json, answer_sha256: str) -> str:
        """Digest a score's conditions beside the answer, as its key names them (docs/decisions/0001)."""
        track, ratings = self._final.track, self._ratings(file, answer_sha256)
        conditions = {
            "references": row[4],
            "parameters_version": self._final.run["parameters_version"],
            "track": track.name,
            "scorer": track.version,
        }
        return digest(conditions if ratings is None else {**conditions, "ratings": ratings})

    def _bytes(self, quantity: str, kind: str, sha256: str, number: int) -> bytes:
        """Read an object that is named by its content; note a difference if its digest is another one."""
        content = content_of(self._final.source, f"sets/{self._final.run['cycle']}/{kind}/{sha256}.json")
        self.differences += compared(quantity, digest_of_bytes(content), sha256, number)
        return content


OTHER_BOARD: Final = "board:"
"""Prefix of the key of any board but the contest's main one (docs/decisions/0001)."""
WITHIN: Final = 1e-9
"""Largest relative difference between a plain mean and the library's, which rounds once."""


def outcomes(final: FinalRun, session_fates: Sequence[Fate], scores: Mapping[int, Json]) -> tuple[Outcome, ...]:
    """Return the outcomes to aggregate: items that count for the team, with all their files, under opaque names."""
    counting = []
    for row in items(final.files):
        last_file, fates = row[-1], [session_fates[file.number - 1] for file in row]
        is_wrong = final.track.policies("final").missed is Missed.WRONG
        is_whole = all(fate.cause is None for fate in fates)
        score = scores.get(last_file.number) if is_whole or is_wrong else None
        if all(fate.counts for fate in fates):
            is_answered = is_whole and score is not None
            counting.append(
                Outcome(ItemFacts(last_file.file_id, last_file.language, last_file.group), is_answered, score)
            )
    return tuple(counting)


# Clause: R 7.12, R 7.7, R 4.5, D 6.9, TS T9
def board_entries(
    final: FinalRun, evidence: Evidence, session_fates: list[Fate], scores: Mapping[int, Json]
) -> list[Json]:
    """Compute a team's entries on all parts of the board: all files, each language, each nomination, the other boards.

    None for trials, stopped runs, annulled solutions, and teams that left; none on a part of which no file counts for
    the team.
    """
    if final.run["trial"] or final.calendar.stopped_at is not None or evidence.session["state"] == "aborted":
        return []
    if is_solution_voided(final, session_fates):
        return []
    counting = outcomes(final, session_fates, scores)
    parts = {"all": counting}
    for language in sorted({outcome.item.language for outcome in counting}):
        parts[language] = tuple(outcome for outcome in counting if outcome.item.language == language)
    for nomination in final.parameters.get("nominations", ()):
        languages, groups = nomination["languages"], nomination["groups"]
        parts[f"nomination:{nomination['name']}"] = tuple(
            outcome
            for outcome in counting
            if (not languages or outcome.item.language in languages) and (not groups or outcome.item.group in groups)
        )
    parts |= {f"{OTHER_BOARD}{board.key}": counting for board in final.track.boards()[1:]}
    result = _result(final, counting)  # a part of all files has the result of all, which takes long to compute
    return [
        _entry(final, evidence, name, some, result if len(some) == len(counting) else _result(final, some))
        for name, some in parts.items()
        if some or name == "all"
    ]


def _result(final: FinalRun, counting: Sequence[Outcome]) -> Json:
    parameters = final.parameters
    aggregate = final.track.aggregate(counting, parameters["track"], parameters["bootstrap_seed"])
    if final.track.details(final.run["set_kind"]) is Details.TOTALS:
        return final.track.totals(aggregate, counting)
    return aggregate


def _entry(final: FinalRun, evidence: Evidence, part: str, counting: Sequence[Outcome], result: Json) -> Json:
    session = evidence.session
    return {
        "language": part,
        "team_id": session["team_id"],
        "session_id": session["session_id"],
        "closed_at": int(session["closed_at"]),
        "parameters_version": final.parameters["version"],
        "answered": sum(outcome.answered for outcome in counting),
        "whole": len(counting),
        "result": result,
    }


# Clause: R 5.3, R 5.4, R 5.7
def plain(scores: Sequence[Json]) -> dict[str, float] | None:
    """Compute STAR, STER and OTAR of essays' score records by the regulation's own words: means, and their ratio.

    None where records are not of essays with two experts and more, all of them defined.
    """
    if not scores or any(not isinstance(score, Mapping) or score.get("experts", 0) < 2 for score in scores):
        return None
    star = [score["algorithm_accuracy"] for score in scores]
    ster = [score["expert_accuracy"] for score in scores]
    if None in star or None in ster or not any(ster):
        return None
    above, below = (sum(map(Fraction, values), Fraction(0)) / len(values) for values in (star, ster))
    return {
        "algorithm_accuracy": float(above),
        "expert_accuracy": float(below),
        "relative_accuracy": float(above / below * 100),
        "essays": len(scores),
    }


def unlike_plain(result: Json, scores: Sequence[Json]) -> Iterator[Cell]:
    """Yield the aggregate's values that differ from the plain means of its scores."""
    for name, value in (plain(scores) or {}).items():
        stored = result.get(name) if isinstance(result, Mapping) else None
        if stored is None or not isclose(stored, value, rel_tol=WITHIN):
            yield Cell(f"result.{name}", stored, value)


def places_of(track: Track, board_entries: Sequence[Json], part: str = "all") -> dict[str, int]:
    """Compute every team's place on a part of the board.

    By relative accuracy, more being better; equal ones share a place (R 7.12). Without a relative accuracy the track's
    own ranking decides.
    """
    board = part.removeprefix(OTHER_BOARD) if part.startswith(OTHER_BOARD) else ""
    values: dict[str, float | None] = {}
    for entry in board_entries:
        result = entry["result"]
        accuracy = result.get("relative_accuracy") if isinstance(result, Mapping) else None
        values[entry["team_id"]] = float(accuracy) if isinstance(accuracy, int | float) else None
    if any(value is None for value in values.values()):
        standings = [Standing(entry["team_id"], entry["result"]) for entry in board_entries]
        return {place.team: place.place for place in track.rank(standings, board)}
    defined = [value for value in values.values() if value is not None]
    return {
        team_id: 1 + sum(other > value for other in defined) for team_id, value in values.items() if value is not None
    }


FORMAT: Final = 1
SHOWN: Final = 1000
"""Most differences stored one by one; their number is stored in any case."""


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
        entries = board_entries(final, evidence, session_fates, scoring.scores)
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
        yield from unlike_plain(theirs.get("all", {}).get("result"), counted)


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
    yield from compared("solution_voided", claimed["solution_voided"], is_solution_voided(final, session_fates))
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
        stored_places, places = platform_board["places"].get(part, {}), places_of(final.track, on_it, part)
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
"""Environment variables with the tables' names, the same for every function of the deployment."""
_BUCKET: Final = "HURDLE_BUCKET"
_MEASURES: Final = "HURDLE_MEASURES"
_MEASURE_IMAGE: Final = "HURDLE_MEASURE_IMAGE"
_HERE: Final = "here"
"""Value in the local cloud, which runs programs of measures in the function's own child processes."""


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
