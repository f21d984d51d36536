"""What was promised of runs beside the final: commitments, rows, releases, records and what teams were handed out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from local.rehearsal.moments import MINUTE, SECOND, from_text, to_text
from local.rehearsal.play.script import AFTER, BEFORE, MOVED
from markup_core.receipt import canonical_bytes, sha256_hex
from tests.local.rehearsal.spoiling import faults_of
from tests.local.rehearsal.story import FILES, fresh_pen, signature
from tests.local.rehearsal.test_qualifying import ask

Json = Any
KINDS = ("trial", "anew", "experts")


class Told:
    """What everybody reads of three runs beside the final, which are as the story's own one."""

    def __init__(self) -> None:
        pen = fresh_pen()
        self.before = copy.deepcopy(pen.answer("run_before"))
        self.after = copy.deepcopy(pen.answer("run"))
        self.record = copy.deepcopy(pen.answer("record"))
        self.signed = copy.deepcopy(pen.answer("record_statement"))
        self.files = {number: {"file_id": name, "content": pen.content(number)} for number, name in FILES.items()}
        self.at = {row["number"]: from_text(row["planned_at"]) for row in self.record["plans"][0]["rows"]}
        self.moves: list[tuple[str, int]] = []
        self.timer_from: int | None = None

    def pause(self, armed_after: int) -> None:
        """Move the second file by twenty-five seconds while the first is open, and arm it so many milliseconds after
        the resumption; the timer comes a minute after it."""
        self.timer_from = pauses = self.at[1] + SECOND
        self.moves = [("pause", pauses), ("resume", pauses)]
        self.at[2] += 25 * SECOND
        release = self.record["releases"][1]
        release |= {"opens_at": to_text(self.at[2]), "armed_at": to_text(pauses + armed_after)}
        statement = self.signed["statement"] | {"record_sha256": sha256_hex(canonical_bytes(self.record))}
        self.signed = {"statement": statement, "signature": signature(statement)}

    def faults(self, kind: str = "trial") -> list[str]:
        """List the check's findings where one of the three runs is described like this."""
        pen = fresh_pen()
        pen.find("header")["timer_from"] = self.timer_from
        for each in KINDS:
            told = self if each == kind else Told()
            ask(pen, "x", path="/v1/sessions", status=201, said={"session_id": f"s-{each}"}, run=each)
            ask(pen, BEFORE, said=told.before, run=each)
            what = "experts_file" if each == "experts" else "file"
            for number, said in told.files.items():
                ask(pen, what, path=f"/v1/sessions/s-{each}/files/{number}", number=number, said=said)
                for line in pen.lines[-2:]:
                    line["at"] = told.at[number]
            for wished, at in told.moves if each == kind else ():
                ask(pen, MOVED, said={"kind": wished}, run=each, kind=wished)
                for line in pen.lines[-2:]:
                    line["at"] = at
            ask(pen, AFTER, said=told.after, run=each)
            pen.add("answer", of=f"{each}_record", body=told.record)
            pen.add("answer", of=f"{each}_record_statement", body=told.signed)
        return faults_of(pen, "beside_as_promised")


def another_commitment(told: Told) -> None:
    told.before["commitment"]["signature"] = "another"


def another_salt(told: Told) -> None:
    told.record["plans"][0]["rows"][0]["salt"] = "f" * 64


def another_record(told: Told) -> None:
    told.record["sessions"] = []


def unsigned(told: Told) -> None:
    told.signed["signature"] = signature({"key_id": "nobody's"})


def another_release(told: Told) -> None:
    told.record["releases"][0]["opens_at"] = to_text(told.at[1] + 1)


def another_text(told: Told) -> None:
    told.files[1] = {**told.files[1], "content": {"text": "Another text"}}


def another_number(told: Told) -> None:
    told.files[1], told.files[2] = told.files[2], told.files[1]


def too_early(told: Told) -> None:
    told.at[2] -= 1


def another_appended(told: Told) -> None:
    rows = [{**told.record["plans"][0]["rows"][0], "number": 1 + max(FILES)}]
    told.record["plans"].append({"amendment": 1, "rows": rows})


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_beside_that_keeps_its_promises_is_found_fault_with_in_nothing(kind: str) -> None:
    assert Told().faults(kind) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (another_commitment, "the commitment of the run is another one than before the start"),
        (another_salt, "the revealed rows do not lead to the root that was committed to"),
        (another_record, "the signed record is another one"),
        (unsigned, "the record has no good signature"),
        (another_release, "file 1 was released at another moment than planned"),
        (another_text, "file 1 is another one than was committed to"),
        (another_number, "file 2 is another one than was committed to"),
        (too_early, "file 2 was handed out before its opening"),
        (another_appended, "the rows of decision 1 do not lead to the root that it committed to"),
    ],
)
@pytest.mark.parametrize("kind", [KINDS[0], *(pytest.param(kind, marks=pytest.mark.long) for kind in KINDS[1:])])
def test_what_is_otherwise_than_promised_is_found(spoil: Callable[[Told], None], said: str, kind: str) -> None:
    told = Told()
    spoil(told)
    assert any(each.endswith(said) for each in told.faults(kind))


def test_a_pause_moves_what_opens_after_it_and_the_timer_arms_that_anew() -> None:
    told = Told()
    told.pause(armed_after=MINUTE)
    assert told.faults() == []
    told = Told()
    told.pause(armed_after=MINUTE + 1)
    assert told.faults() == ["the trial: file 2 was moved and not armed anew by the timer"]


def test_what_no_decision_has_moved_may_not_open_later() -> None:
    told = Told()
    told.pause(armed_after=MINUTE)
    told.moves = []
    assert "the trial: file 2 was released at another moment than planned" in told.faults()
