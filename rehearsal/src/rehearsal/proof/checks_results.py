"""Make a contest's results anew by its library, from acknowledged answers; check scores and dialogues by them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final

from markup_core.accuracy import score_of
from markup_core.receipt import canonical_bytes, canonical_json, sha256_hex
from rehearsal.history import LEAVE, Call, from_text
from rehearsal.proof.case import DIALOGUES_ALONE, EXCHANGE, SCORES, Case, Check, contents_of, parameters_of, tries
from rehearsal.proof.oracle import CUSTOM, ESSAY, KINDS, VOIDED_SHARE, Kind, Life, share
from shadow.final import BESIDE
from tracks import protocol, registry
from tracks.protocol import ItemFacts, Outcome, Section, Turn
from tracks.rules import Details

Json = Any
ALL: Final = "all"
"""Name of the part of a board with all files."""
_ESSAYS: Final = Kind("essay", ())
_FINAL: Final = "final"
_REMEMBERED: Final = 64
"""Number of cached scores: the values of one are asked for one after the other, and a final has many scores."""


@dataclass(frozen=True, slots=True)
class Part:
    """A team's result on a part of a board."""

    files: int
    answered: int
    result: Json


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a team's session: its files, the hashes of their last answers, whether it counts at all, whether it is
    answered, and its score's record (None: it has none)."""

    numbers: tuple[int, ...]
    digests: Mapping[int, str]
    counts: bool
    answered: bool
    record: str | None


@dataclass(frozen=True, slots=True)
class Essay:
    """An item with its references and an answer."""

    item: Json
    experts: Sequence[Json]
    answer: Json


@dataclass(frozen=True, slots=True)
class Standing:
    """A team's result of the run, the share that it missed, and whether it has ended its session by itself."""

    team: str
    accuracy: float | None
    share: float | None
    has_left: bool

    @property
    def annulled(self) -> bool:
        """Return whether more was missed than may be (R 7.7)."""
        return self.share is not None and self.share > VOIDED_SHARE

    @property
    def placed(self) -> bool:
        """Return whether it is on the board: not with an annulled solution, nor after it has left (R 7.7, 4.5)."""
        return not self.annulled and not self.has_left


def told_tables(tables: Iterable[Section]) -> Mapping[str, Json]:
    """Return tables by their keys, as an answer has them."""
    return {
        table.key: {
            "title": {"en": table.title.en, "ru": table.title.ru},
            "columns": [{"en": column.en, "ru": column.ru} for column in table.columns],
            "rows": json.loads(canonical_json([list(row) for row in table.rows])),
            "places": list(table.places()),
        }
        for table in tables
    }


def placed(values: Iterable[tuple[str, float | None]]) -> list[tuple[int, str, float | None]]:
    """Return place, team and value by teams' values, equal ones shared (1, 1, 3), undefined ones last."""
    numbers = {team: (-1.0 if value is None else value, value) for team, value in values}
    rows = [
        (1 + sum(other > number for other, _ in numbers.values()), team, value)
        for team, (number, value) in numbers.items()
    ]
    return sorted(rows, key=lambda row: (row[0], row[1]))


def leaving(case: Case) -> Sequence[Call]:
    """Return the calls by which teams ended their sessions of the run for good."""
    return [call for call in case.story.calls if call.what == LEAVE and not call.failed]


def standings(case: Case) -> tuple[Standing, ...]:
    """Return every team's standing in an essays' final."""
    results = Results.of(case)
    gone = {call.team for call in leaving(case) if call.status == 200}
    return tuple(
        Standing(team, results.track.value(results.part(team).result), results.share(team), team in gone)
        for team in case.sessions
    )


def counting(case: Case, team: str, number: int) -> str | None:
    """Return the hash of the answer that counts: the last one accepted, by the team's receipts. The platform's stored
    answer is used only for a program that is not followed, or whose receipt never came."""
    receipts = case.accepted(team, number)
    answer = (case.item(team, f"FILE#{number:04d}") or {}).get("answer") or {}
    if not receipts or int(answer.get("send", 0)) > int(receipts[-1]["send"]):
        return answer.get("content_sha256")
    return str(receipts[-1]["content_sha256"])


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


class Results:
    """Results of the teams of one run, of whichever contest."""

    def __init__(self, case: Case) -> None:
        self._case = case
        parameters = parameters_of(case.facts)
        self.rules, self._seed = parameters["track"], parameters["bootstrap_seed"]
        stage = case.story.header.get("stage", ESSAY)
        self.is_of_essays = stage == ESSAY
        self.kind = KINDS.get(stage, _ESSAYS)
        track: Any = registry.get(self.kind.track)
        self.track = track.under(self.rules, case.program) if self.kind.track == CUSTOM else track
        self.keys: Sequence[str] = [track.boards()[0].key] if self.is_of_essays else self.kind.boards
        self._own: Mapping[int, Json] = {entry["number"]: entry for entry in case.story.own if "number" in entry}
        self._by_text = {entry["item"].get("text"): entry for entry in case.story.own}
        self._made: dict[str, str] = {}
        self._parts: dict[tuple[str, str], Part] = {}
        self.record = lru_cache(_REMEMBERED)(self._record)
        """Return the score of a file's item, by team and number; also of a missed item that counts as wrong."""
        self.essay_score = lru_cache(_REMEMBERED)(lambda team, number: score_of(self.record(team, number)))

    @classmethod
    def of(cls, case: Case) -> Results:
        """Return the results of a history, which several checks share."""
        return case.once("results", lambda: cls(case))

    # Items and their scores

    @cached_property
    def texts(self) -> Mapping[int, int]:
        """Return which own text each file is, by its number: by the hand-out, and of a file that nobody got by the hash
        that the run's record reveals of it."""
        calls = (call for call in self._case.story.calls if call.what == "file" and call.status == 200 and call.texts)
        texts = {call.number: call.texts[0] for call in calls if call.number is not None}
        for number, (file_id, digest) in contents_of(self._case.record).items():
            for entry in (one for one in self._own.values() if "step" in one and number not in texts):
                handed = self.track.hand_out(entry["item"], file_id, entry["step"])
                if handed is not None and sha256_hex(canonical_bytes(handed)) == digest:
                    texts[number] = entry["number"]
        return texts

    def own(self, *numbers: int) -> Json:
        """Return the rehearsal's own entry of the item with these files; None of an unseen one."""
        return next((self._own.get(self.texts[number]) for number in numbers if number in self.texts), None)

    @cached_property
    def items(self) -> Mapping[str, tuple[Item, ...]]:
        """Return every team's items, in the order of their files."""
        numbers, length = list(self._case.schedule.numbers), self.kind.publications
        items = [tuple(numbers[first : first + length]) for first in range(0, len(numbers), length)]
        return {team: tuple(self._item(team, item) for item in items) for team in self._case.sessions}

    def _item(self, team: str, numbers: tuple[int, ...]) -> Item:
        fates = {number: self._case.fate(team, number) for number in numbers}
        own, is_answered = self.own(*numbers), set(fates.values()) == {"answered"}
        counts = not BESIDE & set(fates.values()) and (own is not None or self.is_of_essays)
        if not counts and not self.is_of_essays:
            return Item(numbers, {}, counts=False, answered=False, record=None)
        answered = (number for number, fate in fates.items() if fate == "answered" or self.is_of_essays)
        digests = {number: digest for number in answered if (digest := counting(self._case, team, number)) is not None}
        texts = {number: self._case.answer(self._case.sessions[team], number, one) for number, one in digests.items()}
        if self.is_of_essays:
            record = next((self.made_of(text) for text in texts.values() if text is not None), None)
        else:
            turns = dialogue(self._case, team, numbers[0]) if self.kind.is_dialogue else self._turns(team, texts)
            record = canonical_json(self.track.score(own["item"], turns, own["experts"], self.rules))
        return Item(numbers, digests, counts, is_answered, record)

    def made_of(self, answer: str) -> str:
        """Return the canonical record of an answer's stored bytes to an essay, which is recognised by its text."""
        if answer not in self._made:
            markup = json.loads(answer)
            own = self._by_text[markup["text"]]
            self._made[answer] = canonical_json(self.track.score(own["item"], markup, own["experts"], self.rules))
        return self._made[answer]

    def _turns(self, team: str, texts: Mapping[int, str | None]) -> Json:
        """Return the answers that count as the library takes them: of an item of several publications as turns."""
        answers = {number: json.loads(text or "") for number, text in texts.items()}
        steps, turns = self.kind.steps, []
        if not steps:
            return next(iter(answers.values()), None)
        for number, answer in answers.items():
            handed = self._case.lives[team, number].handed_out()
            since = from_text(handed.said["handed_out_at"]) if handed is not None else 0
            after = max(0, from_text(self._case.accepted(team, number)[-1]["received_at"]) - since)
            step = steps[(number - 1) % len(steps)]
            turns.append({"step": step, "kind": "diagnosis", "answer": answer, "after_ms": after})
        return turns or None

    def _record(self, team: str, number: int) -> Json:
        items = (item for item in self.items[team] if number in item.numbers)
        return next((json.loads(item.record) for item in items if item.record), None)

    @cached_property
    def facts(self) -> Mapping[int, ItemFacts]:
        """Return the contest's facts about the item of each known file."""
        items = {number: self.track.read_item(self.own(number)["item"], self.rules)[0] for number in self.texts}
        return {number: facts for number, facts in items.items() if facts is not None}

    def essay(self, team: str, number: int) -> Essay | None:
        """Return a file's item, with a team's last answer to it; None of a file that it was not handed out."""
        own, digest = self.own(number), counting(self._case, team, number)
        answer = self._case.answer(self._case.sessions[team], number, digest) if digest else None
        return None if own is None or answer is None else Essay(own["item"], own["experts"], json.loads(answer))

    def compared(self, essay: Essay, expert: int) -> Json:
        """Return the comparison of an answer with an expert's markup."""
        comparison = self.track.compare(
            essay.item, essay.answer, essay.experts[expert], self.rules, x_is_reference=False
        )
        return json.loads(canonical_json(comparison))

    # Teams and boards

    def share(self, team: str) -> float | None:
        """Return the share of missed files that counts against a team."""
        return share(self._case.fate(team, number) for number in self._case.schedule.numbers)

    def _outcomes(self, team: str, scope: str) -> Sequence[Outcome]:
        """Return a team's items that count on a part of the board: all files, a language or a nomination."""
        names, outcomes = contents_of(self._case.record), []
        nomination = self._case.story.header.get("nominations", {}).get(scope)
        for item in self.items[team]:
            facts = next((self.facts[number] for number in item.numbers if number in self.facts), ItemFacts("", "", ""))
            if nomination is None:
                is_in = scope in {ALL, facts.language}
            else:
                languages, groups = nomination.get("languages"), nomination.get("groups")
                is_in = facts.language in (languages or [facts.language]) and facts.group in (groups or [facts.group])
            if item.counts and is_in:
                named = ItemFacts(names[item.numbers[0]][0], facts.language, facts.group)
                is_scored = item.record is not None and (item.answered or not self.is_of_essays)
                outcomes.append(Outcome(named, item.answered, json.loads(item.record or "") if is_scored else None))
        return outcomes

    def part(self, team: str, scope: str = ALL) -> Part:
        """Return a team's result on a part of the board."""
        if (team, scope) not in self._parts:
            outcomes = self._outcomes(team, scope)
            result = self.track.aggregate(outcomes, self.rules, self._seed)
            if self.track.details(_FINAL) is Details.TOTALS:
                result = self.track.totals(result, outcomes)
            answered = sum(outcome.answered for outcome in outcomes)
            self._parts[team, scope] = Part(len(outcomes), answered, json.loads(canonical_json(result)))
        return self._parts[team, scope]

    def sections(self, team: str, scope: str = ALL) -> Mapping[str, Json]:
        """Return a result's tables by their keys: titles in both languages, rows, decimals."""
        return told_tables(self.track.report_sections(self.part(team, scope).result, self._outcomes(team, scope)))

    def places(self, scope: str, key: str) -> Sequence[tuple[int, str]]:
        """Return place and team of each row of a board's part, in the order of the rows."""
        return self._case.once(f"places/{scope}/{key}", lambda: self._placed(scope, key))

    def _placed(self, scope: str, key: str) -> Sequence[tuple[int, str]]:
        if self.is_of_essays:
            teams = [standing.team for standing in standings(self._case) if standing.placed]
            rows = placed((team, self.track.value(self.part(team, scope).result)) for team in teams)
            ranked = [(place, team) for place, team, _ in rows]
        else:
            own = [protocol.Standing(team, self.part(team, scope).result) for team in self._case.sessions]
            ranks = self.track.rank(own, "" if key == self.keys[0] else key)
            ranked = sorted((one.place, one.team) for one in ranks)
        return [(place, team) for place, team in ranked if self.part(team, scope).files]


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
    elif records.get(named, [None])[0] != item.record:
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
            expected = [(turn.step, turn.kind, reply) for turn, reply in zip(turns, responses, strict=True)]
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
"""Tables whose items are facts, with their names in the template; people's names and tokens are no facts."""
