"""A stored final: the run, its files, and the names of the platform's results for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final

from markup_core.lazy import dataclass
from shadow.fates import Calendar
from shadow.source import (
    Item,
    Json,
    Source,
    digest,
    digest_of_bytes,
    document,
    one,
    parameters_of,
    stored,
    track_under,
    unchanged,
)
from tracks.protocol import Track

Tracks = Callable[[str], Track]
"""The contests by name, for their scoring alone."""
SHADOWS: Final = "reports/shadow/"
"""Under which names results of the recomputation are kept."""


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
    run = json.loads(one(source, "Exchange", f"RUN#{run_id}", "STATE")["body"])
    return FinalRun(source, tracks, run, unchanged(source, board_name(run), stored))


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
