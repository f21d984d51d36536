"""The case of the checks: a history put in order once, and the result of a check."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from rehearsal.history import Call, Facts, Story
from rehearsal.proof.oracle import ExpectedTimes, Visits, decisions, lives_of
from shadow.record import Keys

Json = Any
T = TypeVar("T")
EXCHANGE: Final = "exchange"
SCORES: Final = "scores"


@dataclass
class Check:
    """The result of one check: how many cases were looked at, and the counter-examples."""

    name: str
    examined: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Return whether nothing contradicts the check."""
        return not self.faults

    def look(self, *faults: str | None) -> None:
        """Count one more case, with its fault if it has one."""
        self.examined += 1
        self.faults += [fault for fault in faults if fault]

    def that(self, holds: object, fault: str) -> None:
        """Count one more case; it is a fault where the condition does not hold."""
        self.look(None if holds else fault)


def receipt_text(answer: Mapping[str, Json]) -> str:
    """Return a receipt with its signature as a text that is equal exactly when they are."""
    return json.dumps([answer["receipt"], answer["signature"]], ensure_ascii=False, sort_keys=True)


def published_keys(answer: Mapping[str, Json]) -> Keys:
    """Return the platform's keys, as ``GET /v1/keys`` answers them."""
    return Keys({key["key_id"]: key["public_key"] for key in answer["keys"]})


def contents_of(record: Mapping[str, Json]) -> dict[int, tuple[str, str]]:
    """Return name and SHA-256 of each file's hand-out, by the file's number."""
    return {row["number"]: (row["file_id"], row["content_sha256"]) for plan in record["plans"] for row in plan["rows"]}


def parameters_of(facts: Facts) -> Json:
    """Return the parameters of the newest version, which is the only one of a rehearsal."""
    bodies = [
        item["body"]
        for partition in facts.items["catalogue"].values()
        for sk, item in sorted(partition.items())
        if sk.startswith("PARAMETERS#")
    ]
    return json.loads(bodies[-1])


class Case:
    """A history with its schedule, the lives of its files and its receipts."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.facts: Facts = story.facts
        self.run: Mapping[str, Json] = story.facts.answers["run"]
        self.is_outside = bool(story.header.get("outside"))
        """Nothing is known of it but answers of the interface."""
        self.keys = published_keys(story.facts.answers["keys"])
        self.schedule = ExpectedTimes.of(story.header, decisions(story.decided))
        self.lives = lives_of(story)
        self.visits = Visits(story)
        self._shared: dict[str, Any] = {}
        pointers = (sk.split("#") for sk, _ in self.facts.of(EXCHANGE, f"RUN#{self.schedule.run_id}", "SESSION#"))
        self.sessions = {team: session_id for _, team, session_id in pointers}
        """By team, of everybody who took part, also of a program that the history does not follow."""

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return a value that several checks share by its name; the first of them makes it."""
        if name not in self._shared:
            self._shared[name] = make()
        return cast("T", self._shared[name])

    @cached_property
    def record(self) -> Mapping[str, Json]:
        """Return the run's record; KeyError where the platform has made none."""
        record: Mapping[str, Json] = self.facts.answers["record"]
        return record

    def stored_receipts(self, team: str) -> frozenset[str]:
        """Return all receipts that are stored with a team's session, each as :func:`receipt_text` writes it."""
        bodies = (json.loads(item["body"]) for _, item in self.receipts(team))
        return self.once(f"stored/{team}", lambda: frozenset(map(receipt_text, bodies)))

    @cached_property
    def statuses(self) -> Mapping[tuple[str, int], Mapping[str, Json]]:
        """Return the final state of each file by the sessions' status, by team and number; a session whose own program
        knows of no status has none."""
        return {
            (team, delivery["number"]): delivery
            for team in self.sessions
            if f"status/{team}" in self.facts.answers
            for delivery in self.facts.answers[f"status/{team}"]["deliveries"]
        }

    def item(self, team: str, sk: str) -> Mapping[str, Json] | None:
        """Return an item of a team's session."""
        return self.facts.items.get(EXCHANGE, {}).get(f"SESSION#{self.sessions[team]}", {}).get(sk)

    def receipts(self, team: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield the stored receipts of a team's session by their sort keys."""
        return self.facts.of(EXCHANGE, f"SESSION#{self.sessions[team]}", "RECEIPT#")

    def receipts_told(self, team: str) -> list[Mapping[str, Json]]:
        """Return the receipts in any answer to a team, over HTTP or the event channel, also those lost on their way."""
        return self._told.get(team, [])

    @cached_property
    def _told(self) -> Mapping[str, list[Mapping[str, Json]]]:
        receipts: dict[str, list[Mapping[str, Json]]] = defaultdict(list)
        for call in self.story.calls:
            if call.what in {"answer", "channel_answer"} and call.status == 200:
                receipts[call.team].append(call.said["receipt"])
        return receipts

    def scores(self, team: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield the stored score records of a team's session by their sort keys."""
        return self.facts.of(SCORES, f"SESSION#{self.sessions[team]}", "SCORE#")

    def of(self, prefix: str, *names: str) -> Sequence[Call]:
        """Return the calls of these names, each behind a prefix, that the platform did not fail."""
        full_names = {f"{prefix}{name}" for name in names}
        return [call for call in self.story.calls if call.what in full_names and not call.failed]

    def fate(self, team: str, number: int) -> str:
        """Return a file's fate by its session's status: ``answered``, or the cause of its annulment."""
        status = self.statuses[team, number]
        return "answered" if status["state"] == "answered" else str(status["cause"])

    def accepted(self, team: str, number: int) -> list[Mapping[str, Json]]:
        """Return the receipts of a file's accepted answers that a team got, each once, in the order of their sends."""
        by_send = {
            int(receipt["send"]): receipt
            for receipt in self.receipts_told(team)
            if receipt["number"] == number and receipt["status"] == "accepted"
        }
        return [by_send[send] for send in sorted(by_send)]

    def program(self, sha256: str) -> bytes:
        """Return the program of a declared measure as the rehearsal loaded it. KeyError for another hash."""
        written = base64.b64decode(self.story.header["program"])
        return {hashlib.sha256(written).hexdigest(): written}[sha256]

    def answer(self, session_id: str, number: int, digest: str | None) -> str | None:
        """Return the text of the answer that is stored under its hash, None where there is none."""
        stored, text = self.facts.objects.get(f"answers/{session_id}/{number}/{digest}.json", ("", None))
        return text if stored == digest else None
