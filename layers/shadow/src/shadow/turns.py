"""Items that are answered in several steps: their turns, the end of their dialogue, their scored answer.

Read from the receipts and the stored bytes of answers, by the steps that the contest says its items have.

TS T2, T4.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from shadow.evidence import Evidence, Trace
from shadow.final import File, FinalRun
from shadow.receipts import answer_name
from shadow.source import Json, MissingError, digest
from tracks.capabilities import StepsByItem, steps_of
from tracks.protocol import Step, is_dialogue, publications, step_now


@dataclass(frozen=True)
class Turns:
    """The turns of one session's items."""

    final: FinalRun
    evidence: Evidence

    def note_dialogues(self) -> None:
        """Note in the traces of files with a dialogue whether it has come to its end.

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
        content = self.final.source.read(name)
        if content is None:
            raise MissingError(name)
        return content

    def _steps(self, file: File) -> tuple[Step, ...]:
        track, rules = self.final.track, self.final.parameters["track"]
        return steps_of(track, self.final.item_of(file) if isinstance(track, StepsByItem) else None, rules)


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


def _accepted(trace: Trace) -> list[Json]:
    accepted = [receipt for receipt in trace.receipts if receipt["status"] == "accepted"]
    return sorted(accepted, key=lambda receipt: int(receipt["send"]))
