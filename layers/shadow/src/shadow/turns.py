"""Items that are answered in more than one step: which receipts are turns, whether a dialogue is over, what is scored.

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
    found: Evidence

    def note_dialogues(self) -> None:
        """Tell the traces of files over which there is a dialogue whether it has come to its end.

        A file whose item cannot be read is left as it is: its score will say so.
        """
        for file in self.final.files:
            trace = self.found.trace(file.number)
            if trace.delivery is None:
                continue
            steps = self._steps(file)
            publication = file.step or steps[0].name
            if is_dialogue(steps, publication):
                kinds = [self._kind(file, publication, each) for each in _accepted(trace)]
                trace.is_unfinished = step_now(steps, publication, kinds) is not None

    def is_of_one_answer(self, file: File) -> bool:
        """Whether one answer to one file is all there is of the item."""
        if file.step:
            return False
        steps = self._steps(file)
        return len(publications(steps)) == 1 and not is_dialogue(steps, steps[0].name)

    def described(self, files: Sequence[File]) -> list[Json]:
        """The turns that count of an item, by its files: step, kind, answer, and when it came after the hand-out."""
        return list(self._turns(files))

    def digest(self, turns: Sequence[Json]) -> str:
        """By what these turns are named in a score's key."""
        names = ("step", "kind", "content_sha256", "after_ms")
        return digest([{name: each[name] for name in names} for each in turns])

    def _turns(self, files: Sequence[File]) -> Iterator[Json]:
        for file in files:
            trace, steps = self.found.trace(file.number), self._steps(file)
            publication = file.step or steps[0].name
            accepted = _accepted(trace)
            counting = accepted if is_dialogue(steps, publication) else accepted[-1:]
            kinds: list[str] = []
            for receipt in counting:
                step = step_now(steps, publication, kinds) or publication
                kinds.append(self._kind(file, step, receipt))
                handed_out_at = int((trace.delivery or {})["handed_out_at"])
                yield {
                    "step": step,
                    "kind": kinds[-1],
                    "content_sha256": receipt["content_sha256"],
                    "answer": json.loads(self._bytes(file, receipt)),
                    "after_ms": max(0, _received_at(receipt) - handed_out_at),
                }

    def _kind(self, file: File, step: str, receipt: Json) -> str:
        """Which kind of answer it is, as the contest judges the stored bytes anew."""
        item, rules = self.final.item_of(file), self.final.parameters["track"]
        names = [step, *(each.name for each in self._steps(file) if each.name != step)]
        body = self._bytes(file, receipt)
        verdicts = (self.final.track.validate(item, file.file_id, each, body, rules) for each in names)
        return next((each.kind for each in verdicts if each.valid), "")

    def _bytes(self, file: File, receipt: Json) -> bytes:
        name = answer_name(self.found.session["session_id"], file.number, receipt["content_sha256"])
        content = self.final.source.read(name)
        if content is None:
            raise MissingError(name)
        return content

    def _steps(self, file: File) -> tuple[Step, ...]:
        track, rules = self.final.track, self.final.parameters["track"]
        return steps_of(track, self.final.item_of(file) if isinstance(track, StepsByItem) else None, rules)


def items(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    """Files in a row that are of one item."""
    row: list[File] = []
    for file in files:
        if row and (not file.step or file.file_id != row[-1].file_id):
            yield tuple(row)
            row = []
        row.append(file)
    if row:
        yield tuple(row)


def _accepted(trace: Trace) -> list[Json]:
    found = [each for each in trace.receipts if each["status"] == "accepted"]
    return sorted(found, key=lambda each: int(each["send"]))


def _received_at(receipt: Json) -> int:
    text = json.loads(receipt["body"])["receipt"]["received_at"]
    return round(datetime.fromisoformat(text).timestamp() * 1000)
