"""Checks of the other contests' dialogues and results (tracks-sessions T3-T5, T9, T10, D-8).

The receipts that programs got say which answers count; responses and scores are made anew by the contest's own
library, and nothing else of the contest is asked.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markup_core.receipt import canonical_bytes, canonical_json, sha256_hex
from rehearsal.history import Call
from rehearsal.moments import from_text
from rehearsal.proof.case import Case, Check, parameters_of
from rehearsal.proof.checks_results import counting, written_twice
from rehearsal.proof.conclusion import contents_of
from rehearsal.proof.oracle import CUSTOM, KINDS, Kind, Life
from shadow.fates import BESIDE
from tracks import registry
from tracks.protocol import ItemFacts, Outcome, Turn

Json = Any


def dialogue(case: Case, team: str, number: int) -> list[Json] | None:
    """Return a team's turns over a file as the library takes them; None where no turn of it counts."""
    handed = case.lives[team, number].handed_out()
    since = from_text(handed.said["handed_out_at"]) if handed is not None else 0
    steps = KINDS[case.story.header["stage"]].steps
    turns = []
    for place, receipt in enumerate(case.accepted(team, number)):
        text = case.answer(case.sessions[team], number, receipt["content_sha256"])
        after = max(0, from_text(receipt["received_at"]) - since)
        step = steps[min(place, 1)]
        turns.append({"step": step, "kind": receipt["kind"], "answer": json.loads(text or ""), "after_ms": after})
    return turns or None


def responses_kept(case: Case) -> Check:
    """Check that the responses to a file's turns are in every later answer about it, as the library makes them of the
    item, or from outside as they were told at last, and that each receipt signs them."""
    check = Check("responses_kept")
    own = {essay["number"]: essay["item"] for essay in case.story.own}
    for (team, number), life in case.lives.items():
        answers = [call for call in (*life.asks, *life.sends) if call.status == 200 and call.said.get("dialogue")]
        handed = next((call for call in life.asks if call.status == 200 and (call.texts or not own)), None)
        if handed is None:
            continue
        if own:
            turns, responses = _made(case, team, number, own[handed.texts[0]])
        else:
            turns, responses = _told_at_last(answers)
            few = len(case.accepted(team, number)) - len(turns)
            check.that(few <= 0, f"{life.where}: {few} turns with receipts are not told in its dialogue")
        check.look(*_unsigned(case, life, responses))
        for call in answers:  # to a turn, and to the file asked for again
            check.look(_other_turns(life, call, turns, responses))
    return check


def _made(case: Case, team: str, number: int, item: Json) -> tuple[list[tuple[str, str]], list[Json]]:
    """Return the step and kind of each turn that counts, and the responses that the library makes of them."""
    track, rules = registry.get(KINDS[case.story.header["stage"]].track), parameters_of(case.facts)["track"]
    turns = [Turn(**turn) for turn in dialogue(case, team, number) or ()]
    responses = [track.respond(item, turns[: place + 1], rules) for place in range(len(turns))]
    return [(turn.step, turn.kind) for turn in turns], responses


def _told_at_last(calls: Sequence[Call]) -> tuple[list[tuple[str, str]], list[Json]]:
    """Return step and kind of each turn, and the responses, in the longest dialogue that was told."""
    longest: Sequence[Json] = max((call.said["dialogue"]["turns"] for call in calls), key=len, default=())
    return [(turn["step"], turn["kind"]) for turn in longest], [turn["response"] for turn in longest]


def _unsigned(case: Case, life: Life, responses: Sequence[Json]) -> Iterator[str]:
    for receipt, response in zip(case.accepted(life.team, life.number), responses, strict=bool(case.story.own)):
        digest = None if response is None else sha256_hex(canonical_bytes(response))
        if receipt["response_sha256"] != digest:
            yield f"{life.where}: the receipt of send {receipt['send']} signs another response than the library makes"


def _other_turns(life: Life, call: Call, turns: Sequence[tuple[str, str]], responses: Sequence[Json]) -> str | None:
    """Return the fault of the turns in an answer: they are the first of those with receipts, with all their responses,
    and the one that was just sent is among them."""
    turns_shown = call.said["dialogue"]["turns"]
    expected = [(*turn, response) for turn, response in zip(turns, responses, strict=True)]
    if [(turn["step"], turn["kind"], turn["response"]) for turn in turns_shown] != expected[: len(turns_shown)]:
        return f"{life.where}, call {call.n}: the dialogue is told with other turns or responses than it had"
    receipt = call.said.get("receipt", {})
    if receipt.get("status") == "accepted" and receipt["send"] not in {turn["send"] for turn in turns_shown}:
        return f"{life.where}, call {call.n}: the turn that was just taken is not told of"
    return None


_MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Scored:
    """An item of a team's session: its files, what its score has to be (None: it has none), and whether it counts as
    answered. ``digests`` name the answers that count, by file."""

    numbers: tuple[int, ...]
    record: str | None
    answered: bool
    digests: Mapping[int, str]

    @property
    def counts(self) -> bool:
        """Return whether it counts for the team at all."""
        return self.record is not None


class Replay:
    """A history's results, made anew by the contest's library."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self.kind: Kind = KINDS[case.story.header["stage"]]
        self.rules = parameters_of(case.facts)["track"]
        track: Any = registry.get(self.kind.track)
        self.track = track.under(self.rules, case.program) if self.kind.track == CUSTOM else track
        self._own: Mapping[int, Json] = {entry["number"]: entry for entry in case.story.own}

    @cached_property
    def texts(self) -> Mapping[int, int]:
        """Return which own text each file is, by its number: by the hand-out, and of a file that nobody got by the hash
        that the run's record reveals of it."""
        handed_out = {
            call.number: call.texts[0]
            for call in self._case.story.calls
            if call.what == "file" and call.status == 200 and call.number is not None and call.texts
        }
        revealed = contents_of(self._case.record)
        unseen = {number: self._revealed(*row) for number, row in revealed.items() if number not in handed_out}
        return handed_out | {number: entry for number, entry in unseen.items() if entry is not None}

    def _revealed(self, file_id: str, content_sha256: str) -> int | None:
        for number, entry in self._own.items():
            handed = self.track.hand_out(entry["item"], file_id, entry["step"]) if "step" in entry else None
            if handed is not None and sha256_hex(canonical_bytes(handed)) == content_sha256:
                return number
        return None

    @cached_property
    def results(self) -> Mapping[str, tuple[Scored, ...]]:
        """Return every team's items, in the order of their files."""
        numbers, length = list(self._case.schedule.numbers), self.kind.publications
        items = [tuple(numbers[first : first + length]) for first in range(0, len(numbers), length)]
        return {team: tuple(self._scored(team, item) for item in items) for team in self._case.sessions}

    def _scored(self, team: str, numbers: tuple[int, ...]) -> Scored:
        fates = [self._case.fate(team, number) for number in numbers]
        own = next((self._own[self.texts[number]] for number in numbers if number in self.texts), None)
        if own is None or BESIDE & set(fates):
            return Scored(numbers, None, False, {})
        digests = {
            number: digest
            for number, fate in zip(numbers, fates, strict=True)
            if fate == "answered" and (digest := counting(self._case, team, number)) is not None
        }
        answers = dialogue(self._case, team, numbers[0]) if self.kind.is_dialogue else self._said(team, digests)
        record = self.track.score(own["item"], answers, own["experts"], self.rules)
        return Scored(numbers, canonical_json(record), set(fates) == {"answered"}, digests)

    def _said(self, team: str, digests: Mapping[int, str]) -> Json:
        """Return the answers that count as the library takes them: of an item of several publications as turns."""
        session_id = self._case.sessions[team]
        answers = {
            number: json.loads(self._case.answer(session_id, number, digest) or "")
            for number, digest in digests.items()
        }
        if not self.kind.steps:
            return next(iter(answers.values()), None)
        turns = [self._turn(team, number, answer) for number, answer in answers.items()]
        return turns or None

    def _turn(self, team: str, number: int, answer: Json) -> Json:
        steps = self.kind.steps
        handed = self._case.lives[team, number].handed_out()
        last = self._case.accepted(team, number)[-1]
        since = from_text(handed.said["handed_out_at"]) if handed is not None else 0
        after = max(0, from_text(last["received_at"]) - since)
        return {"step": steps[(number - 1) % len(steps)], "kind": "diagnosis", "answer": answer, "after_ms": after}

    def outcomes(self, team: str) -> Sequence[Outcome]:
        """Return a team's items that count."""
        return [
            Outcome(self._facts(scored), scored.answered, json.loads(scored.record))
            for scored in self.results[team]
            if scored.record is not None
        ]

    @cached_property
    def facts(self) -> Mapping[int, ItemFacts]:
        """Return what the contest reads of the item of each file that was handed out."""
        items = [item for items in self.results.values() for item in items if item.counts]
        return {number: self._facts(item) for item in items for number in item.numbers}

    def _facts(self, item: Scored) -> ItemFacts:
        own = next(self._own[self.texts[number]] for number in item.numbers if number in self.texts)
        facts, _ = self.track.read_item(own["item"], self.rules)
        if facts is None:
            raise ValueError(own["number"])
        names = {row["number"]: row["file_id"] for plan in self._case.record["plans"] for row in plan["rows"]}
        return ItemFacts(names[item.numbers[0]], facts.language, facts.group)


def scored_once(case: Case) -> Check:
    """Check that every accepted answer of an item that is answered at once, every item of several answers, and every
    missed one has exactly one score, written once; those that count have the bytes that the library makes of them."""
    check, replay = Check("scored_once"), Replay(case)
    for team, items in replay.results.items():
        stored: dict[int, dict[str, str]] = {}
        for sk, score in case.scores(team):
            stored.setdefault(int(sk.split("#")[1]), {})[sk.split("#")[2]] = score["record"]
        for item in items:
            records = stored.pop(item.numbers[-1], {})
            check.look(*_wrong_scores(case, replay, team, item, records))
        for number in sorted(stored):
            check.look(f"{team}, file {number}: a score that nobody asked for")
    check.look(*written_twice(case))
    return check


def _wrong_scores(case: Case, replay: Replay, team: str, item: Scored, records: Mapping[str, str]) -> Iterator[str]:
    number = item.numbers[-1]
    where = f"{team}, file {number}"
    if replay.kind.steps:
        due, named = int(item.counts), None
        if len(records) != due:
            yield f"{where}: {len(records)} scores where there should be {due}"
            return
    else:
        accepted = Counter(
            receipt["content_sha256"]
            for sk, receipt in case.receipts(team)
            if int(sk.split("#")[1]) == number and receipt["status"] == "accepted"
        )
        named = item.digests.get(number) or (_MISSED if item.counts else None)
        expected = {*accepted, *([_MISSED] if named == _MISSED else [])}
        if (_MISSED in records) != (_MISSED in expected):
            yield f"{where}: a missed file is scored {int(_MISSED in records)} times, not {int(_MISSED in expected)}"
            return
        if records.keys() != expected:
            yield f"{where}: {len(records)} scores where there should be {len(expected)}"
            return
    if item.counts:
        record = records[named] if named is not None else next(iter(records.values()))
        if record != item.record:
            yield f"{where}: the library scores what was accepted differently"
