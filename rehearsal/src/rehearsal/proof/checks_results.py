"""Checks of results: scored once, dialogues continued as the library does (tracks-sessions T3-T5, T9, T10, D-8)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import Call
from rehearsal.proof.case import EXCHANGE, SCORES, Case, Check
from rehearsal.proof.oracle import Life
from rehearsal.proof.results import Item, Results, dialogue
from rehearsal.proof.rows import DIALOGUES_ALONE, tries
from tracks.protocol import Turn

Json = Any
_MISSED: Final = "missed"


@tries("scored", lambda size: size.answered)
def scored_once(check: Check, case: Case) -> None:
    """Check that each accepted answer, each item of several answers and each missed one that counts as wrong has one
    score record, written once; those that count have the bytes that the library makes."""
    results = Results.of(case)
    for team in case.sessions:
        stored: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for sk, score in case.scores(team):
            stored[int(sk.split("#")[1])][sk.split("#")[2]].append(score["record"])
        accepted = defaultdict[int, set[str]](set)
        for sk, receipt in case.receipts(team):
            if receipt["status"] == "accepted":
                accepted[int(sk.split("#")[1])].add(receipt["content_sha256"])
        for item in results.items[team]:
            last = item.numbers[-1]
            faults = _wrong_scores(results, item, stored.pop(last, {}), accepted[last])
            check.look(*(f"{team}, file {last}: {fault}" for fault in faults))
        check.look(*(f"{team}, file {number}: a score that nobody asked for" for number in sorted(stored)))
    writes = Counter((write["pk"], write["sk"]) for write in case.facts.written if write["what"] == "SCORE")
    check.look(*(f"{' '.join(name)}: the score was written {many} times" for name, many in writes.items() if many > 1))


def _wrong_scores(
    results: Results, item: Item, records: Mapping[str, Sequence[str]], accepted: set[str]
) -> Iterator[str]:
    """Yield the fault of an item's stored scores, by the hashes of the answers that they are of."""
    named = item.digests.get(item.numbers[-1], _MISSED)
    due = {*accepted, *([_MISSED] * (item.counts and named == _MISSED and not results.is_of_essays))}
    if results.kind.steps:  # an item has one score, under one of its answers
        due = {*list(records)[:1]} if item.counts and records else {_MISSED} if item.counts else set()
        named = next(iter(due), _MISSED)
    counts = {digest: len(of_digest) for digest, of_digest in records.items()}
    if counts != dict.fromkeys(due, 1):
        yield f"{sum(counts.values())} scores for {len(due)} answers"
    elif item.counts and records.get(named, [None])[0] != item.record:
        yield "the library scores the answer that counts differently"


@tries("scored", lambda size: 3 * size.answered, stages=DIALOGUES_ALONE, outside=True)
def responses_kept(check: Check, case: Case) -> None:
    """Check that the responses to a file's turns are in every later answer about it, as the library makes them of the
    item, or from outside as they were told at last, and that each receipt signs them."""
    for (team, number), life in case.lives.items():
        answers = [call for call in (*life.asks, *life.sends) if call.status == 200 and call.said.get("dialogue")]
        handed = next((call for call in life.asks if call.status == 200 and (call.texts or not case.story.own)), None)
        if handed is None:
            continue
        if case.story.own:
            results, turns = Results.of(case), [Turn(**turn) for turn in dialogue(case, team, number) or ()]
            item = results.own(number)["item"]
            places = range(1, len(turns) + 1)
            responses = [results.track.respond(item, turns[:place], results.rules) for place in places]
            expected = [(turn.step, turn.kind, made) for turn, made in zip(turns, responses, strict=True)]
        else:
            dialogues: list[Json] = [call.said["dialogue"]["turns"] for call in answers]
            expected = [(turn["step"], turn["kind"], turn["response"]) for turn in max(dialogues, key=len, default=())]
            few = len(case.accepted(team, number)) - len(expected)
            check.that(few <= 0, f"{life.where}: {few} turns with receipts are not told in its dialogue")
        for receipt, (*_, response) in zip(case.accepted(team, number), expected, strict=bool(case.story.own)):
            digest = None if response is None else sha256_hex(canonical_bytes(response))
            other = f"{life.where}: the receipt of send {receipt['send']} signs another response than the library makes"
            check.look(other if receipt["response_sha256"] != digest else None)
        for call in answers:  # to a turn, and to the file asked for again
            check.look(_other_turns(life, call, expected))


def _other_turns(life: Life, call: Call, expected: Sequence[tuple[str, str, Json]]) -> str | None:
    """Return the fault of the turns in an answer: they are the first of those with receipts, with all their responses,
    and the one that was just sent is among them."""
    turns = call.said["dialogue"]["turns"]
    if [(turn["step"], turn["kind"], turn["response"]) for turn in turns] != expected[: len(turns)]:
        return f"{life.where}, call {call.n}: the dialogue is told with other turns or responses than it had"
    receipt = call.said.get("receipt", {})
    if receipt.get("status") == "accepted" and receipt["send"] not in {turn["send"] for turn in turns}:
        return f"{life.where}, call {call.n}: the turn that was just taken is not told of"
    return None


def moved_otherwise(points: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """Yield the faults of a board's history, the latest point first: each has other places or values than the one
    before it, and a later moment (platform §4 boards)."""
    for after, before in pairwise(points):
        if before["places"] == after["places"]:
            yield "a point has the places of the one before it"
        if before["at"] >= after["at"]:
            yield "the points are not in the order of their moments"


TABLES: Final = {EXCHANGE: "StorageExchange", SCORES: "StorageScores", "catalogue": "StorageCatalogue"}
"""Tables whose items are facts, and what the template calls them; people's names and tokens are none."""
