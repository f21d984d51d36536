"""Checks of results: scored once, revealed as committed to, board and reports equal to a replay of the facts."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from markup_core.receipt import canonical_json
from rehearsal.history import Call
from rehearsal.proof.case import EXCHANGE, SCORES, Case, Check, parameters_of
from rehearsal.proof.conclusion import commitment_faults, record_faults
from tracks import registry

Json = Any
LEAVE: Final = "leave"
"""A team's call that ends its session for good."""
RECOMPUTED: Final = 120
"""Scores of so many answers, drawn from all teams and files, are compared byte by byte; all are counted."""


def scored_once(case: Case) -> Check:
    """Check that each accepted answer has one score record, written once, with the bytes that the library makes."""
    check = Check("scored_once")
    for team in case.sessions:
        accepted = {
            (int(sk.split("#")[1]), item["content_sha256"])
            for sk, item in case.receipts(team)
            if item["status"] == "accepted"
        }
        records = Counter((int(sk.split("#")[1]), sk.split("#")[2]) for sk, _ in case.scores(team))
        for number, digest in sorted(accepted | records.keys()):
            stored, due = records[number, digest], int((number, digest) in accepted)
            where = f"{team}, file {number}, answer {digest[:12]}"
            check.that(stored == due, f"{where}: {stored} scores for {due} accepted answers")
    check.look(*written_twice(case), *_recomputed(case))
    return check


def written_twice(case: Case) -> Iterator[str]:
    """Yield the scores that were written more than once."""
    writes = Counter((write["pk"], write["sk"]) for write in case.facts.written if write["what"] == "SCORE")
    for (pk, sk), times in sorted(writes.items()):
        if times > 1:
            yield f"{pk} {sk}: the score was written {times} times"


def _recomputed(case: Case) -> Iterator[str]:
    library = Library.of(case)
    places = [(team, sk, item) for team in case.sessions for sk, item in case.scores(team)]
    chance = random.Random(f"{case.story.header['seed']}/scores")  # noqa: S311 - reproducible, no secret
    for team, sk, item in chance.sample(places, min(RECOMPUTED, len(places))):
        _, number, digest, *_ = sk.split("#")
        record = library.record(team, int(number), digest)
        if record is None:
            yield f"{team}, file {int(number)}: the scored answer is not stored"
        elif record != item["record"]:
            yield f"{team}, file {int(number)}: the library scores the answer differently"


class Library:
    """The scoring library with the essays and markups that the rehearsal itself wrote, and the cycle's parameters."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._parameters = parameters_of(case.facts)["track"]
        self.languages: Mapping[str, Sequence[str]] = self._parameters.get("languages", {})
        """Subjects by language."""
        self._track = registry.get(case.run.get("track", "essay"))
        self._known = {own["item"].get("text"): (own["item"], own["experts"]) for own in case.story.own}
        self._scored: dict[str, str] = {}

    @classmethod
    def of(cls, case: Case) -> Library:
        """Return the one library of a history, so that no check scores again what another has scored."""
        return case.once("library", lambda: cls(case))

    def record(self, team: str, number: int, digest: str) -> str | None:
        """Return the canonical record of an answer whose bytes have the hash; None where there are none such.

        Essays are recognised by their text.
        """
        name = f"answers/{self._case.sessions[team]}/{number}/{digest}.json"
        sha256, stored = self._case.facts.objects.get(name, ("", None))
        return self.made_of(stored) if stored and sha256 == digest else None

    def made_of(self, answer: str) -> str:
        """Return the canonical record of an answer's stored bytes."""
        if answer not in self._scored:
            markup = json.loads(answer)
            item, experts = self._known[markup["text"]]
            self._scored[answer] = canonical_json(self._track.score(item, markup, experts, self._parameters))
        return self._scored[answer]


def commitment(case: Case) -> Check:
    """Check that the commitment before the run equals the content revealed after it, all of it signed."""
    check = Check("commitment_kept")
    check.look(*commitment_faults(case.run, case.record, case.keys), *_promised_otherwise(case))
    check.look(*record_faults(case.run, case.record, case.facts.answers["record_statement"], case.keys))
    return check


def _promised_otherwise(case: Case) -> Iterator[str]:
    """Yield the values of the commitment that strangers read before the start and that differ from the orders, and its
    fault if it is not the one that holds afterwards."""
    header, before = case.story.header, case.facts.answers["run_before"]
    statement = before["commitment"]["statement"]
    for name in ("files", "starts_at", "interval_ms", "limits"):
        if statement[name] != header[name]:
            yield f"the commitment promises {name} {statement[name]}, ordered was {header[name]}"
    for name, value in case.run["limits"].items():
        ordered = header["limits"][f"{name.removesuffix('_s')}_ms"]
        if round(value * 1000) != ordered:
            yield f"the run's description tells a limit {name} of {value}, ordered was {ordered} ms"
    for name, run in (("run", case.run), ("record", case.record)):
        if run["commitment"] != before["commitment"]:
            yield f"the commitment of the {name} is another one than before the start"
    decided = bool(case.story.decided)  # then another check compares them
    if not decided and (case.run.get("amendments") or case.record.get("amendments") or case.run.get("pauses")):
        yield "there are decisions though nobody decided anything"


def leaving(case: Case) -> Sequence[Call]:
    """Return the calls by which teams ended their sessions of the run for good."""
    return [call for call in case.story.calls if call.what == LEAVE and not call.failed]


def counting(case: Case, team: str, number: int) -> str | None:
    """Return the hash of the answer that counts: the last one that was accepted, by the receipts that the team was
    given.

    Only of a program that the history does not follow, or whose receipt never came, the platform's word is taken.
    """
    receipts = case.accepted(team, number)
    answer = (case.item(team, f"FILE#{number:04d}") or {}).get("answer") or {}
    if not receipts or int(answer.get("send", 0)) > int(receipts[-1]["send"]):
        return answer.get("content_sha256")
    return str(receipts[-1]["content_sha256"])


def moved_otherwise(points: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """Yield the faults of a board's history, the latest point first: each has other places or values than the one
    before it, and a later moment (platform §4 boards)."""
    for after, before in pairwise(points):
        if before["places"] == after["places"]:
            yield "a point has the places of the one before it"
        if before["at"] >= after["at"]:
            yield "the points are not in the order of their moments"


def placed(values: Sequence[tuple[str, float | None]]) -> list[tuple[int, str, float | None]]:
    """Return the places by teams' values, equal ones shared (1, 1, 3), undefined ones last."""
    numbers = [-1.0 if value is None else value for _, value in values]
    rows = [
        (1 + sum(other > mine for other in numbers), team, value)
        for (team, value), mine in zip(values, numbers, strict=True)
    ]
    return sorted(rows, key=lambda row: (row[0], row[1]))


TABLES: Final = {EXCHANGE: "StorageExchange", SCORES: "StorageScores", "catalogue": "StorageCatalogue"}
"""Tables whose items are facts, and what the template calls them; people's names and tokens are none."""
