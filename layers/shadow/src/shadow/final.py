"""A stored final: its run, files and calendar; the state of every file of a closed session, and its cause if void.

The calendar and the causes are those of R 7.6 and 8.3.1. The platform's results of the final are known by their names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from markup_core.lazy import dataclass
from shadow.source import (
    Evidence,
    Item,
    Json,
    Millis,
    Source,
    Trace,
    digest,
    digest_of_bytes,
    document,
    parameters_of,
    read_item,
    stored_object,
    track_under,
    unchanged,
)
from tracks.protocol import Track

PAUSES_TOGETHER: Final[Millis] = 2 * 60 * 60 * 1000
"""Longest sum of a run's pauses, in milliseconds (D 6.16)."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """A run's times after everything that was decided; file n is at n - 1."""

    opens: tuple[Millis, ...]
    request: Millis
    answer: Millis
    total: Millis
    stopped_at: Millis | None
    taken_away: frozenset[int]
    """Files that the organizers annulled for everybody."""
    rulings: Mapping[tuple[str, int], str]
    """Causes that the commission gave, by team and file."""

    @classmethod
    def of(cls, run: Item, amendments: Sequence[Item]) -> Calendar:
        """Compute the times of a stored run under the given amendments. O(files · pauses + amendments)."""
        taken_back = {amendment["details"]["amendment"] for amendment in amendments if amendment["kind"] == "undo"}
        standing = [
            amendment
            for amendment in amendments
            if amendment["kind"] != "undo" and amendment["number"] not in taken_back
        ]
        pauses = list(pauses_of(standing))
        stops = [amendment["effective_at"] for amendment in standing if amendment["kind"] == "stop"]
        annulled = {
            int(number)
            for amendment in standing
            if amendment["kind"] in ("void", "replace")
            for number in amendment["details"]["numbers"]
        }
        limits = run["limits"]
        return cls(
            opens=tuple(delayed(planned, pauses) for planned in _grid(run, amendments)),
            request=limits["request"],
            answer=limits["answer"],
            total=limits["total"],
            stopped_at=min(stops, default=None),
            taken_away=frozenset(annulled.union(_withdrawn(run, amendments, taken_back))),
            rulings={
                (ruling["details"]["team_id"], int(ruling["details"]["number"])): str(ruling["details"]["cause"])
                for ruling in standing
                if ruling["kind"] == "rule"
            },
        )

    def request_by(self, number: int) -> Millis:
        """Return the last moment at which a file may be requested."""
        return self.opens[number - 1] + self.request

    def answer_by(self, number: int, asked_at: Millis, handed_out_at: Millis) -> Millis:
        """Compute a delivered file's answer deadline; the platform's own delay in delivering is added for the team."""
        opening = self.opens[number - 1]
        waited = handed_out_at - max(opening, asked_at)
        return min(handed_out_at + self.answer, opening + self.total + max(waited, 0))

    def last_moment(self, number: int) -> Millis:
        """Return the last moment at which a file that was never handed out may be answered."""
        return self.opens[number - 1] + self.total


def pauses_of(standing: Sequence[Item]) -> Iterator[tuple[Millis, Millis]]:
    """Yield begin and end of every pause; one without an end takes the rest of the two hours."""
    remaining, begun = PAUSES_TOGETHER, None
    decided = sorted((amendment["effective_at"], amendment["number"], amendment["kind"]) for amendment in standing)
    for moment, _, kind in decided:
        if begun is not None and moment >= begun + remaining:
            yield begun, begun + remaining
            remaining, begun = 0, None
        if kind == "pause" and begun is None and remaining > 0:
            begun = moment
        elif kind == "resume" and begun is not None:
            yield begun, moment
            remaining, begun = remaining - (moment - begun), None
    if begun is not None:
        yield begun, begun + remaining


def _grid(run: Item, amendments: Sequence[Item]) -> Iterator[Millis]:
    """Return the planned openings: one every interval; replacements at the places that their decisions name."""
    places: list[int] = list(range(run["files"]))
    for amendment in amendments:
        if amendment["kind"] == "replace":
            first = int(amendment["details"]["slot"])
            places += range(first, first + len(amendment["details"]["numbers"]))
    return (run["starts_at"] + place * run["interval"] for place in places)


def delayed(planned: Millis, pauses: Sequence[tuple[Millis, Millis]]) -> Millis:
    """Shift a planned moment by every pause that begins before it (before the moment as shifted so far)."""
    moment = planned
    for begin, end in pauses:
        moment += end - begin if begin <= moment else 0
    return moment


def _withdrawn(run: Item, amendments: Sequence[Item], taken_back: set[Json]) -> Iterator[int]:
    """Yield the files that were appended by replacements which were undone later."""
    first = run["files"] + 1
    for amendment in amendments:
        if amendment["kind"] == "replace":
            following = first + len(amendment["details"]["numbers"])
            if amendment["number"] in taken_back:
                yield from range(first, following)
            first = following


UNDER_WAY: Final[Millis] = 30_000
"""The longest that a request is under way: so long before its end an aborted session takes back what it sent."""
BESIDE: Final = frozenset({"platform", "organizer_decision"})
"""Causes that count on neither side of the five per cent (platform §3)."""


@dataclass(frozen=True, slots=True)
class Fate:
    """``cause`` is None for an answered file. ``late``: an answer came too late, and no other is accepted."""

    number: int
    cause: str | None = None
    late: bool = False

    @property
    def state(self) -> str:
        """The file's state as reports and records name it."""
        return "voided" if self.cause else "answered"

    @property
    def counts(self) -> bool:
        """Return whether the file counts for this team."""
        return self.cause not in BESIDE


def fates(evidence: Evidence, calendar: Calendar) -> list[Fate]:
    """Compute the fates of all files of a session, ordered by number."""
    return [_fate(evidence, calendar, number) for number in range(1, int(evidence.session["files"]) + 1)]


def voided_share(session_fates: list[Fate]) -> float | None:
    """Compute the share of missed files that counts against the team (R 7.7); None if no file counts."""
    counting = [fate for fate in session_fates if fate.counts]
    return sum(fate.cause is not None for fate in counting) / len(counting) if counting else None


def _fate(evidence: Evidence, calendar: Calendar, number: int) -> Fate:
    trace = evidence.trace(number)
    if number in calendar.taken_away:
        cause = "organizer_decision"
    elif trace.accepted is not None:
        return Fate(number)
    else:
        cause = _missed(evidence, trace, calendar, number)
    ruled = calendar.rulings.get((evidence.session["team_id"], number))
    return Fate(number, ruled or cause, trace.is_late)


def _missed(evidence: Evidence, trace: Trace, calendar: Calendar, number: int) -> str:
    in_time = trace.asked_at is not None and trace.asked_at <= calendar.request_by(number)
    if trace.delivery is not None:
        end = int(trace.delivery["answer_by"])
    else:
        end = calendar.last_moment(number) if in_time else calendar.request_by(number)
    if calendar.stopped_at is not None and end > calendar.stopped_at:
        return "organizer_decision"
    if trace.delivery is not None:
        # Answers that arrived in time and were not decided on are the platform's fault.
        if any(arrival <= end and not _is_recalled(evidence, arrival) for arrival in trace.undecided):
            return "platform"
        return "team_invalid" if trace.refused and not trace.is_late else "team_late"
    if in_time:
        return "team_late" if _is_recalled(evidence, trace.asked_at or 0) else "platform"
    return _cause_unless_requested(evidence, calendar, number) if trace.asked_at is None else "team_late"


def _is_recalled(evidence: Evidence, moment: Millis) -> bool:
    return evidence.aborted_at is not None and evidence.aborted_at - moment < UNDER_WAY


def _cause_unless_requested(evidence: Evidence, calendar: Calendar, number: int) -> str:
    """Return the cause of a file that was not requested, by the connection times of the team's event-channel client."""
    opening, last = calendar.opens[number - 1], calendar.request_by(number)
    if int(evidence.session["opened_at"]) > last:
        return "team_late"
    if any(since <= opening and (until is None or until > opening) for since, until in evidence.absences):
        return "network"
    since_first = evidence.present_since
    if since_first is None or since_first > opening:
        return "team_late"
    gone = any(since <= last and (until is None or until > opening) for since, until in evidence.absences)
    return "team_late" if gone else "platform"


Tracks = Callable[[str], Track]
"""The contests by name, for their scoring alone."""
SHADOWS: Final = "reports/shadow/"
"""Prefix of the names of stored results of the recomputation."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a run. ``manifest`` is the SHA-256 of the list in which its essay is, with the experts' markups that
    were taken in since."""

    number: int
    file_id: str
    item_id: str
    language: str
    group: str
    manifest: str
    step: str = ""
    """The step of its item with which it begins, where the item has several files."""


@dataclass(frozen=True)
class FinalRun:
    """A run as last written, read once."""

    source: Source
    tracks: Tracks
    run: Item
    board: bytes | None = None
    """The stored entries of its board."""

    @cached_property
    def run_id(self) -> str:
        """The run's identifier."""
        return str(self.run["run_id"])

    @cached_property
    def calendar(self) -> Calendar:
        """The run's times under all decisions."""
        return Calendar.of(self.run, self.run["amendments"])

    @cached_property
    def track(self) -> Track:
        """The contest, for its scoring alone."""
        track = self.tracks(self.run["track"])
        return track_under(self.source, track, self.run["cycle"], self.run["parameters_version"])

    @cached_property
    def parameters(self) -> Mapping[str, Json]:
        """The parameters of the run's version."""
        return parameters_of(self.source, self.run["cycle"], self.run["parameters_version"])

    @cached_property
    def files(self) -> tuple[File, ...]:
        """All files, replacements behind the first ones."""
        amendments = [
            0,
            *(amendment["number"] for amendment in self.run["amendments"] if amendment["kind"] == "replace"),
        ]
        marked = dict(self.run["markups"])
        rows = [
            row
            for amendment in amendments
            for row in document(self.source, f"runs/{self.run_id}/plan-{amendment}.json")["files"]
        ]
        return tuple(
            File(number, file_id, item_id, language, group, marked.get(manifest, manifest), *step)
            for number, (file_id, item_id, language, group, _, _, manifest, *step) in enumerate(rows, start=1)
        )

    @cached_property
    def _contents(self) -> dict[str, Json]:
        """Items that were read, by the SHA-256 of their bytes."""
        return {}

    @cached_property
    def manifests(self) -> dict[str, Mapping[str, Json]]:
        """Rows of the lists of files that were read, by list and item."""
        return {}

    def item_of(self, file: File) -> Json:
        """Return the content of a file's item; raise :class:`shadow.source.MissingError` if it is not stored."""
        folder = f"sets/{self.run['cycle']}"
        if file.manifest not in self.manifests:
            rows = document(self.source, f"{folder}/manifests/{file.manifest}.json")["items"]
            self.manifests[file.manifest] = {row[0]: row for row in rows}
        sha256 = self.manifests[file.manifest][file.item_id][3]
        if sha256 not in self._contents:
            self._contents[sha256] = document(self.source, f"{folder}/items/{sha256}.json")
        return self._contents[sha256]

    @cached_property
    def ratings(self) -> Mapping[str, Json]:
        """Experts' ratings of explanations that were taken in, by session, file and answer."""
        taken_in = self.run.get("ratings", "")
        if not taken_in:
            return {}
        ratings: Mapping[str, Json] = document(self.source, f"runs/{self.run_id}/ratings-{taken_in}.json")["ratings"]
        return ratings

    @cached_property
    def facts(self) -> str:
        """Digest of everything that a result depends on: other decisions, markups or another board change it."""
        run = self.run
        decided = [
            [amendment["number"], amendment["kind"], amendment["effective_at"], amendment["details"]]
            for amendment in run["amendments"]
        ]
        planned = {name: run[name] for name in ("run_id", "files", "starts_at", "interval", "limits", "trial")}
        rest = {name: run[name] for name in ("closed_at", "parameters_version", "markups")}
        board = None if self.board is None else digest_of_bytes(self.board)
        anew = {"rescored": run["rescored"]} if run.get("rescored") else {}
        return digest(
            {**planned, **rest, "ratings": run.get("ratings", ""), "amendments": decided, "board": board, **anew}
        )

    @property
    def folder(self) -> str:
        """Prefix of the platform's stored entries for the board under the latest decision and markups."""
        return f"{board_name(self.run).removesuffix('.json')}/"

    @property
    def result_name(self) -> str:
        """Name of the recomputation's result."""
        return f"{SHADOWS}{self.run_id}/{self.facts}.json"

    def part_name(self, session_id: str) -> str:
        """Return the name of the recomputation's result for one session."""
        return f"{SHADOWS}{self.run_id}/{self.facts}/{session_id}.json"

    def before_record(self, published: Sequence[int]) -> Calendar:
        """Compute the times under the decisions that the record publishes, sealed ones included."""
        return Calendar.of(
            self.run, [amendment for amendment in self.run["amendments"] if amendment["number"] in published]
        )


def read_final(source: Source, tracks: Tracks, run_id: str) -> FinalRun:
    """Read a run and the bytes of its board."""
    run = json.loads(read_item(source, "Exchange", f"RUN#{run_id}", "STATE")["body"])
    return FinalRun(source, tracks, run, unchanged(source, board_name(run), stored_object))


def board_name(run: Item) -> str:
    """Return the name of a final's stored board entries; every decision, other markups and rescorings change it."""
    latest = max((amendment["number"] for amendment in run["amendments"]), default=0)
    ratings = [run["ratings"]] if run.get("ratings") else []
    markups = f"-{digest([*run['markups'], *ratings])[:16]}" if run["markups"] else ""
    anew = f"-{run['rescored']}" if run.get("rescored") else ""
    return f"reports/final/{run['run_id']}/{latest}{markups}{anew}.json"


def sessions_of(source: Source, run_id: str) -> list[tuple[str, str]]:
    """List team and session of every participant."""
    rows = source.items("Exchange", f"RUN#{run_id}", "SESSION#")
    pairs = (row["sk"].removeprefix("SESSION#").rpartition("#") for row in rows)
    return [(team_id, session_id) for team_id, _, session_id in pairs]


def items(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    """Yield consecutive files of one item."""
    row: list[File] = []
    for file in files:
        if row and (not file.step or file.file_id != row[-1].file_id):
            yield tuple(row)
            row = []
        row.append(file)
    if row:
        yield tuple(row)


def is_solution_voided(final: FinalRun, session_fates: list[Fate]) -> bool:
    """Check whether more files were missed than are allowed (R 7.7)."""
    share = voided_share(session_fates)
    return share is not None and share > final.track.policies("final").max_voided_share
