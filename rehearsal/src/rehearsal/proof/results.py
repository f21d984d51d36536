"""Compute a contest's results by team and part of a board from the acknowledged answers, by the contest's library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from markup_core.receipt import canonical_json
from markup_core.record import score_of
from rehearsal.proof.case import Case, parameters_of
from rehearsal.proof.checks_items import Replay
from rehearsal.proof.checks_results import Library, counting, leaving, placed
from rehearsal.proof.oracle import KINDS, VOIDED_SHARE, share
from shadow.fates import BESIDE
from tracks import protocol, registry
from tracks.protocol import ItemFacts, Outcome, Section
from tracks.rules import Details

Json = Any
ALL: Final = "all"
"""Name of the part of a board with all files."""
_FINAL: Final = "final"
_REMEMBERED: Final = 64
"""So many parsed scores are held: the values of one are asked for one after the other, and a final has many."""


@dataclass(frozen=True, slots=True)
class Part:
    """A team's result on a part of a board."""

    files: int
    answered: int
    result: Json


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
        """Return whether the team stands on the board: not with an annulled solution, nor when it has left (R 7.7,
        4.5)."""
        return not self.annulled and not self.has_left


def standings(case: Case) -> tuple[Standing, ...]:
    """Return every team's standing in an essays' final."""

    def every() -> tuple[Standing, ...]:
        results = Results.of(case)
        gone = {call.team for call in leaving(case) if call.status == 200}
        return tuple(
            Standing(team, results.track.value(results.part(team).result), results.share(team), team in gone)
            for team in case.sessions
        )

    return case.once("standings", every)


class Results:
    """Results of the teams of one run, of whichever contest."""

    def __init__(self, case: Case) -> None:
        self._case = case
        rules = parameters_of(case.facts)
        self._rules, self._seed = rules["track"], rules["bootstrap_seed"]
        self.kind = KINDS.get(case.story.header.get("stage", ""))
        """The stage of a contest of items; None for an essays' final."""
        self._items = Replay(case) if self.kind is not None else None
        track: Any = registry.get("essay") if self._items is None else self._items.track
        self.track = track
        self.keys: Sequence[str] = self.kind.boards if self.kind else [track.boards()[0].key]
        self._parts: dict[tuple[str, str], Part] = {}
        self.record = lru_cache(_REMEMBERED)(self._record)
        """Returns the score of a file's last answer, by team and number, of a missed item that counts as wrong too."""
        self.essay_score = lru_cache(_REMEMBERED)(lambda team, number: score_of(self.record(team, number)))

    @classmethod
    def of(cls, case: Case) -> Results:
        """Return the results of a history, which several checks share."""
        return case.once("results", lambda: cls(case))

    def share(self, team: str) -> float | None:
        """Return the share of missed files that counts against a team."""
        return share(self._case.fate(team, number) for number in self._case.schedule.numbers)

    @cached_property
    def subjects(self) -> Mapping[int, str]:
        """Return each essay's subject, by what was handed out under its number."""
        own = {entry["number"]: entry["item"] for entry in self._case.story.own if "number" in entry}
        metas = {number: own[text].get("meta", {}) for number, text in self._texts.items()}
        return {number: meta["subject"] for number, meta in metas.items() if "subject" in meta}

    @cached_property
    def languages(self) -> Mapping[int, str]:
        """Return each file's language, of an essay by its subject."""
        if self._items is not None:
            return {number: facts.language for number, facts in self._items.facts.items()}
        of_subjects = {one: name for name, subjects in Library.of(self._case).languages.items() for one in subjects}
        return {number: of_subjects[subject] for number, subject in self.subjects.items() if subject in of_subjects}

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """Return the id of each file, as the run's record reveals it."""
        return {row["number"]: row["file_id"] for plan in self._case.record["plans"] for row in plan["rows"]}

    def _record(self, team: str, number: int) -> Json:
        if self._items is not None:
            items = (item for item in self._items.results[team] if number in item.numbers)
            return next((json.loads(item.record) for item in items if item.record), None)
        digest = counting(self._case, team, number)
        record = Library.of(self._case).record(team, number, digest) if digest else None
        return json.loads(record) if record else None

    def essay(self, team: str, number: int) -> Essay | None:
        """Return a file's item, with a team's last answer to it; None of a file that it was not handed out."""
        texts = self._items.texts if self._items is not None else self._texts
        own = next((entry for entry in self._case.story.own if entry.get("number") == texts.get(number)), None)
        digest = counting(self._case, team, number)
        answer = self._case.answer(self._case.sessions[team], number, digest) if digest else None
        return None if own is None or answer is None else Essay(own["item"], own["experts"], json.loads(answer))

    def compared(self, essay: Essay, expert: int) -> Json:
        """Return the comparison of an answer with an expert's markup."""
        comparison = self.track.compare(
            essay.item, essay.answer, essay.experts[expert], self._rules, x_is_reference=False
        )
        return json.loads(canonical_json(comparison))

    @cached_property
    def _texts(self) -> Mapping[int, int]:
        """Return which own essay was handed out under each number."""
        calls = (call for call in self._case.story.calls if call.what == "file" and call.status == 200 and call.texts)
        return {call.number: call.texts[0] for call in calls if call.number}

    def _outcomes(self, team: str) -> Sequence[Outcome]:
        if self._items is not None:
            return self._items.outcomes(team)
        outcomes = []
        for number in self._case.schedule.numbers:
            if (fate := self._case.fate(team, number)) in BESIDE:
                continue
            item = ItemFacts(self._names[number], self.languages.get(number, ""), self.subjects.get(number, ""))
            score = self.record(team, number) if fate == "answered" else None
            outcomes.append(Outcome(item, fate == "answered", score))
        return outcomes

    def part(self, team: str, scope: str = ALL) -> Part:
        """Return a team's result on a part of the board: all files, a language or a nomination."""
        if (team, scope) not in self._parts:
            outcomes = [outcome for outcome in self._outcomes(team) if self._is_in(scope, outcome.item)]
            result = self.track.aggregate(outcomes, self._rules, self._seed)
            if self.track.details(_FINAL) is Details.TOTALS:
                result = self.track.totals(result, outcomes)
            answered = sum(outcome.answered for outcome in outcomes)
            self._parts[team, scope] = Part(len(outcomes), answered, json.loads(canonical_json(result)))
        return self._parts[team, scope]

    def sections(self, team: str, scope: str = ALL) -> Mapping[str, Json]:
        """Return a result's tables by their keys: titles in both languages, rows, decimals."""
        outcomes = [outcome for outcome in self._outcomes(team) if self._is_in(scope, outcome.item)]
        return told_tables(self.track.report_sections(self.part(team, scope).result, outcomes))

    def _is_in(self, scope: str, item: ItemFacts) -> bool:
        nomination = self._case.story.header.get("nominations", {}).get(scope)
        if nomination is None:
            return scope in {ALL, item.language}
        return item.language in (nomination.get("languages") or [item.language]) and item.group in (
            nomination.get("groups") or [item.group]
        )

    def places(self, scope: str, key: str) -> Sequence[tuple[int, str]]:
        """Return place and team of each row of a board's part, in the order of the rows."""
        return self._case.once(f"places/{scope}/{key}", lambda: self._placed(scope, key))

    def _placed(self, scope: str, key: str) -> Sequence[tuple[int, str]]:
        if self._items is None:
            teams = [standing.team for standing in standings(self._case) if standing.placed]
            values = [(team, self.track.value(self.part(team, scope).result)) for team in teams]
            return [(place, team) for place, team, _ in placed(values) if self.part(team, scope).files]
        own = [protocol.Standing(team, self.part(team, scope).result) for team in self._case.sessions]
        ranked = self.track.rank(own, "" if key == self.keys[0] else key)
        return sorted((one.place, one.team) for one in ranked if self.part(one.team, scope).files)
