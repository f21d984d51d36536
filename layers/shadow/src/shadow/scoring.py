"""Recompute scores from the bytes of essays, answers and experts' markups, by the scoring library alone."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from markup_core.receipt import canonical_bytes
from shadow.cells import Cell, compared
from shadow.evidence import Evidence
from shadow.fates import Fate
from shadow.final import File, FinalRun
from shadow.receipts import answer_name
from shadow.source import Json, MissingError, digest, digest_of_bytes
from shadow.turns import Turns, items
from tracks.capabilities import MarkedByExperts
from tracks.protocol import Missed

MISSED: Final = "missed"
"""What stands in a score's key in the place of an answer's SHA-256 where there is none (docs/decisions/0001)."""


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
        """Rows of the lists of files, by list and essay: language, group, content, references."""
        manifests = {}
        for name in sorted({file.manifest for file in self._final.files}):
            content = self._bytes("manifest", "manifests", name, 0)
            manifests[name] = {row[0]: row for row in json.loads(content)["items"]}
        return manifests

    @cached_property
    def _stored(self) -> Mapping[str, bytes]:
        """Stored score records by their sort keys."""
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
        name = answer_name(self._session_id, number, answer_sha256)
        content = self._final.source.read(name)
        if content is None:
            raise MissingError(name)
        return json.loads(content)

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
        name = f"sets/{self._final.run['cycle']}/{kind}/{sha256}.json"
        content = self._final.source.read(name)
        if content is None:
            raise MissingError(name)
        self.differences += compared(quantity, digest_of_bytes(content), sha256, number)
        return content
