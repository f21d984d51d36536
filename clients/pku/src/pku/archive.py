"""Check a final's archive: it is unaltered, and its contents make its board (R 7.14, D 14.7).

Everything is computed from the archive alone: its hashes, every markup's score against the experts', every team's
result and place. The scoring is :mod:`markup_core`'s; the fates in the archive say which answers count. Where the
contest keeps its right answers closed, nothing can be scored: fates are held against the record, answers counted,
and places made anew from the results by the contest's own rule.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from markup_core.accuracy import score_of, score_record
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier, ClassifierError
from markup_core.reading.validation import InvalidMarkup
from markup_core.reading.wire import broken_archive
from markup_core.rounding import percent
from markup_core.sample import summarise
from pku.errors import PkuError
from tracks import registry
from tracks.protocol import Standing, Track

MANIFEST: Final = "manifest.json"
MOST_BYTES: Final = 4 * 1024**3
"""Most bytes of all files of an archive together; a larger archive is refused."""
_ANSWERED: Final = "answered"
_NOBODYS: Final = frozenset({"platform", "organizer_decision"})
"""Causes of files that count on neither side."""
_SCORING: Final = ("weights", "hardness", "separate_groups", "paraphrase")
_CHUNK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fault:
    """A contradiction in an archive: a stable code, and the values of its sentence."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """A team as it came out anew; None what is undefined or not made anew.

    ``relative_accuracy`` in per cent, of markups; ``value`` what the contest's main board shows of its result.
    """

    place: int | None
    """Place on the board; None for a baseline."""
    team_id: str
    files: int
    relative_accuracy: float | None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checked contents, and every fault."""

    files: int
    markups: int
    results: tuple[Result, ...]
    faults: tuple[Fault, ...]
    unit: str = "markups"
    """``markups`` that were scored anew; ``answers`` or ``runs`` where the right answers are closed."""


# Clause: R 7.14, platform §7 exports
def verify(path: Path, on_team: Callable[[str], None] = lambda _: None) -> Verdict:
    """Check an archive; :class:`PkuError` for what is none. O(bytes + scoring of every markup)."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
                raise PkuError("not_an_archive", path=path)
            listed = json.loads(archive.read(MANIFEST))["files"]
            faults = tuple(_unlike_the_manifest(archive, listed))
            if faults:  # what is not what was made is not computed with
                return Verdict(len(listed), 0, (), faults)
            contents = _Archive(archive)
            if contents.teams():
                return _recomputed(contents, len(listed), on_team)
            return _counted(contents, len(listed), on_team)
    except broken_archive(KeyError, TypeError, ClassifierError, InvalidMarkup) as error:
        raise PkuError("not_an_archive", path=path) from error


def _unlike_the_manifest(archive: zipfile.ZipFile, listed: list[Mapping[str, Any]]) -> Iterator[Fault]:
    """Yield every file that differs from the manifest: missing, unexpected, or with other content."""
    names = [member.filename for member in archive.infolist()]
    entries = {entry["name"]: entry for entry in listed}
    for name in sorted(set(entries) - set(names)):
        yield Fault("missing_file", {"name": name})
    for name in sorted(
        {filename for filename in names if names.count(filename) > 1} | set(names) - set(entries) - {MANIFEST}
    ):
        yield Fault("unlisted_file", {"name": name})
    for name in sorted(set(entries) & set(names)):
        digest, size = hashlib.sha256(), 0
        with archive.open(name) as content:
            while part := content.read(_CHUNK):
                digest.update(part)
                size += len(part)
        if (digest.hexdigest(), size) != (entries[name]["sha256"], entries[name]["bytes"]):
            yield Fault("another_content", {"name": name})


class _Archive:
    """The files of an archive by kind."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.names = set(archive.namelist())
        self._experts: dict[str, list[str]] = {}
        for name in self.names:
            if name.startswith("experts/"):
                self._experts.setdefault(name.split("/")[1], []).append(name)

    def json(self, name: str) -> Any:
        return json.loads(self._archive.read(name))

    def references(self, file_id: str) -> list[Any]:
        """Return the experts' markups of a file, ordered by the expert's number."""
        paths = self._experts.get(file_id, [])
        return [self.json(path) for path in sorted(paths, key=lambda one: int(one.split("/")[2].partition("-")[0]))]

    def teams(self, folder: str = "markups") -> list[str]:
        return sorted(name.split("/")[1] for name in self.names if name.startswith(f"{folder}/") and "/files." in name)

    def boards(self) -> list[str]:
        """Return the names of all boards, the main one's first."""
        return ["board.json", *sorted(name for name in self.names if name.startswith("boards/"))]


@dataclass(frozen=True, slots=True)
class _Rules:
    scoring: ScoringParams
    classifier: Classifier
    languages: Mapping[str, str]
    seed: int
    max_voided_share: float
    ratings: Mapping[str, Mapping[str, Any]]


def _rules(archive: _Archive) -> _Rules:
    parameters = archive.json("parameters.json")
    track = parameters["track"]
    rated = archive.json("ratings.json")["ratings"] if "ratings.json" in archive.names else {}
    return _Rules(
        scoring=ScoringParams.from_dict({name: track[name] for name in _SCORING}),
        classifier=Classifier.from_dict(archive.json("classifier.json")),
        languages={subject: language for language, subjects in track["languages"].items() for subject in subjects},
        seed=parameters["bootstrap_seed"],
        max_voided_share=parameters["max_voided_share"],
        ratings=rated,
    )


@dataclass(frozen=True, slots=True)
class _Team:
    files: int
    answered: int
    voided_share: float | None
    result: Mapping[str, Any]
    markups: int
    missing: tuple[str, ...]


def _recomputed(archive: _Archive, files: int, on_team: Callable[[str], None]) -> Verdict:
    rules, board = _rules(archive), archive.json("board.json")
    teams = {}
    for team_id in archive.teams():
        on_team(team_id)
        teams[team_id] = _team(archive, rules, team_id)
    faults = [
        Fault("missing_markup", {"team": team_id, "file": file_id})
        for team_id, team in teams.items()
        for file_id in team.missing
    ]
    on_board = {row["team_id"]: row for row in board["rows"]}
    faults += [Fault("unknown_team", {"team": team_id}) for team_id in sorted(set(on_board) - set(teams))]
    ours = {team_id: team for team_id, team in teams.items() if team_id in on_board}
    # A baseline stands on the board without a place.
    placed = {team_id: team for team_id, team in ours.items() if on_board[team_id]["place"] is not None}
    ranked = registry.get("essay").rank([Standing(team_id, team.result) for team_id, team in placed.items()])
    places = {standing.team: standing.place for standing in ranked}
    for team_id, team in ours.items():
        faults += _differences(team_id, on_board[team_id], team, places.get(team_id), rules)
    results = [
        Result(places.get(team_id), team_id, team.answered, team.result["relative_accuracy"])
        for team_id, team in ours.items()
    ]
    order = list(on_board)
    ordered = tuple(sorted(results, key=lambda result: order.index(result.team_id)))
    return Verdict(files, sum(team.markups for team in teams.values()), ordered, tuple(faults))


def _team(archive: _Archive, rules: _Rules, team_id: str) -> _Team:
    """Compute a team's result over the files that count for it (R 7.6)."""
    files = archive.json(f"markups/{team_id}/files.json")["files"]
    counting = [file for file in files if file["cause"] not in _NOBODYS]
    answered = [file["file_id"] for file in counting if file["state"] == _ANSWERED]
    scores, missing = [], []
    for file_id in answered:
        name = f"markups/{team_id}/{file_id}.json"
        if name in archive.names:
            ratings = rules.ratings.get(team_id, {}).get(file_id)
            references = archive.references(file_id)
            record = score_record(archive.json(name), references, rules.scoring, rules.classifier, ratings)
            scores.append(score_of(json.loads(json.dumps(record))))
        else:
            missing.append(file_id)
    return _Team(
        files=len(counting),
        answered=len(answered),
        voided_share=sum(file["cause"] is not None for file in counting) / len(counting) if counting else None,
        result=summarise(scores, rules.seed, rules.languages).to_dict(),
        markups=len(scores),
        missing=tuple(missing),
    )


def _differences(
    team_id: str, row: Mapping[str, Any], team: _Team, place: int | None, rules: _Rules
) -> Iterator[Fault]:
    """Yield every number of the leaderboard that differs from the recomputed one."""
    for name, value in team.result.items():
        if row["result"].get(name) != json.loads(json.dumps(value)):
            recomputed = "—" if name.startswith(("by_", "interval")) else value
            yield Fault("another_number", {"team": team_id, "number": name, "found": recomputed})
    for name, counted in (("files", team.files), ("answered", team.answered), ("place", place)):
        if row[name] != counted:
            yield Fault("another_number", {"team": team_id, "number": name, "found": counted})
    if team.voided_share is not None and team.voided_share > rules.max_voided_share:
        yield Fault(
            "annulled_solution",
            {"team": team_id, "share": f"{percent(team.voided_share, rules.max_voided_share, least=1)}%"},
        )


# Clause: D 14.7
def _counted(archive: _Archive, files: int, on_team: Callable[[str], None]) -> Verdict:
    """Check an archive without right answers: fates, answers, counts, and the places that the results make."""
    track = registry.get(archive.json("parameters.json")["scorer"]["track"])
    if any(name.startswith("runs/") for name in archive.names):
        return _runs(archive, files, track)
    recorded = {
        session["session_id"]: session["files"] for session in archive.json("record.json")["record"]["sessions"]
    }
    teams = {team_id: archive.json(f"answers/{team_id}/files.json") for team_id in archive.teams("answers")}
    faults, answers = list[Fault](), 0
    for team_id, team in teams.items():
        on_team(team_id)
        faults += _unlike_the_record(team_id, team["files"], recorded.get(team["session_id"], []))
        there = [path for path in archive.names if path.startswith(f"answers/{team_id}/") and "/files." not in path]
        answers += len(there)
        answered = {file["file_id"] for file in team["files"] if file["state"] == _ANSWERED}
        faults += [
            Fault("missing_answer", {"team": team_id, "file": file_id})
            for file_id in sorted(answered)
            if f"answers/{team_id}/{file_id}.json" not in archive.names
        ]
    for name in archive.boards():
        rows, key = archive.json(name)["rows"], name.removeprefix("boards/").removesuffix(".json")
        board = "" if name == "board.json" else key
        faults += [Fault("unknown_team", {"team": row["team_id"]}) for row in rows if row["team_id"] not in teams]
        faults += _misplaced(rows, track, {row["team_id"]: row["result"] for row in rows}, board)
    main = archive.json("board.json")["rows"]
    for row in main:
        if row["team_id"] in teams:
            faults += _miscounted(row, teams[row["team_id"]]["files"])
    results = tuple(
        Result(row["place"], row["team_id"], row["answered"], None, track.value(row["result"])) for row in main
    )
    return Verdict(files, answers, results, tuple(faults), unit="answers")


def _unlike_the_record(team_id: str, files: list[Any], recorded: list[Any]) -> Iterator[Fault]:
    """Yield each file whose fate differs in the record, or that one of the two does not have."""
    ours = {file["number"]: (file["state"], file["cause"]) for file in files}
    theirs = {file["number"]: (file["state"], file["cause"]) for file in recorded}
    for number in sorted(ours.keys() | theirs.keys()):
        if ours.get(number) != theirs.get(number):
            yield Fault("another_fate", {"team": team_id, "number": number})


def _miscounted(row: Mapping[str, Any], fates: list[Any]) -> Iterator[Fault]:
    """Yield the counts of a row that differ from its files, where each file is an item of its own."""
    counting = [fate for fate in fates if fate["cause"] not in _NOBODYS]
    if len({fate["file_id"] for fate in fates}) < len(fates):
        return  # an item of several publications is answered by the rule of its contest
    answered = sum(fate["state"] == _ANSWERED for fate in counting)
    for name, counted in (("files", len(counting)), ("answered", answered)):
        if row[name] != counted:
            yield Fault("another_number", {"team": row["team_id"], "number": name, "found": counted})


def _misplaced(rows: list[Any], track: Track, results: Mapping[str, Any], board: str) -> Iterator[Fault]:
    """Yield each row whose place differs from the one that its results give by the contest's rule."""
    baselines = {row["team_id"] for row in rows if row["place"] is None}
    placed = sorted(results.keys() - baselines)
    ranked = track.rank([Standing(team_id, results[team_id]) for team_id in placed], board)
    places = {standing.team: standing.place for standing in ranked}
    for row in rows:
        if row["team_id"] in places and places[row["team_id"]] != row["place"]:
            yield Fault("another_number", {"team": row["team_id"], "number": "place", "found": places[row["team_id"]]})


# Clause: F test private
def _runs(archive: _Archive, files: int, track: Track) -> Verdict:
    """Check an archive of programs' runs: the boards follow from the runs' results, a team's better one counting."""
    runs = [archive.json(path) for path in sorted(archive.names) if path.startswith("runs/")]
    results = {run["run"]: run["result"] for run in runs if run["result"] is not None}
    owners = {run["run"]: run["team_id"] for run in runs}
    faults = list[Fault]()
    for name in archive.boards():
        board = archive.json(name)
        for row in board["rows"]:
            if owners.get(row["run"]) != row["team_id"] or row["run"] not in results:
                faults.append(Fault("unknown_team", {"team": row["team_id"]}))
            elif (value := track.value(results[row["run"]], board["board"])) != row["value"]:
                faults.append(Fault("another_number", {"team": row["team_id"], "number": "value", "found": value}))
        best = {}
        for team_id in sorted(set(owners.values())):
            own = [Standing(run, results[run]) for run in sorted(results) if owners[run] == team_id]
            if own:
                first = min(track.rank(own, board["board"]), key=lambda standing: (standing.place, standing.team)).team
                best[team_id] = results[first]
        for row in board["rows"]:
            due = track.value(best[row["team_id"]], board["board"]) if row["team_id"] in best else None
            if row["run"] in results and due != track.value(results[row["run"]], board["board"]):
                faults.append(Fault("another_number", {"team": row["team_id"], "number": "value", "found": due}))
        missing = best.keys() - {row["team_id"] for row in board["rows"]}
        faults += [Fault("missing_team", {"team": team_id}) for team_id in sorted(missing)]
        faults += _misplaced(board["rows"], track, best, board["board"])
    main = archive.json("board.json")["rows"]
    runs_of = Counter(owners.values())
    counted = tuple(Result(row["place"], row["team_id"], runs_of[row["team_id"]], None, row["value"]) for row in main)
    return Verdict(files, len(runs), counted, tuple(faults), unit="runs")
