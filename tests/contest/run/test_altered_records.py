"""No leaf of a record can be altered and signed again unseen, unless it favours and harms nobody; the documents say
which is found from the record alone and which with the team's receipts."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from pku.checks.receipts import read_keys
from pku.checks.run_proof import Kept, verify
from tests.contest.run.altered import alterations, field, final

DOCS = Path(__file__).resolve().parents[3] / "docs"
RECORD, RECEIPTS, NEVER = "record", "receipts", "never"
HARMLESS = {
    "releases[].armed_at": (
        "whose work prepared a release when decides nothing",
        "когда подготовлен выпуск, ни на что не влияет",
    ),
    "releases[].armed_by": ("decides nothing", "ни на что не влияет"),
    "run.language": ("a name of the draw; the files are committed to", "имя выборки; файлы названы обязательством"),
    "run.set": ("a name of the draw; the files are committed to", "имя выборки; файлы названы обязательством"),
    "sessions[].closed_at": ("no deadline and no cause follows from it", "от него не зависят ни сроки, ни причины"),
    "sessions[].opened_at": (
        "within the time to join it decides nothing",
        "в пределах срока входа ни на что не влияет",
    ),
    "sessions[].state": ("how a session ended that ended", "каким образом закончилась закончившаяся сессия"),
    "sessions[].files[].asked_at": (
        "within the window, where the deadline stays the same",
        "в пределах окна, когда срок от этого не меняется",
    ),
    "sessions[].files[].evidence": ("what is more than the cause needs", "то, что сверх нужного для причины"),
    "sessions[].files[].evidence.answered": (
        "a remark beside times that say it",
        "пояснение к временам, которые это говорят",
    ),
    "sessions[].files[].evidence.requested": (
        "a remark beside times that say it",
        "пояснение к временам, которые это говорят",
    ),
    "sessions[].files[].evidence.late_by_ms": (
        "of an answer that does not count either way",
        "об ответе, который не засчитан в любом случае",
    ),
    "sessions[].files[].evidence.last": ("which refusal was the last one", "каким был последний отказ"),
    "sessions[].files[].evidence.refusals": ("how many there were, if any", "сколько их было, если были"),
}
"""What may be altered so that nobody gains or loses by it, and why, in both languages."""


@cache
def outcomes() -> dict[str, dict[str, int]]:
    """By field: how many alterations are found from the record alone, only with the receipts, and never."""
    told, found = final(), defaultdict[str, dict[str, int]](lambda: {RECORD: 0, RECEIPTS: 0, NEVER: 0})
    for path, _, altered in alterations(told.answer["record"]):
        by = (
            RECORD if told.found(altered, receipts=False) else RECEIPTS if told.found(altered, receipts=True) else NEVER
        )
        found[field(path)][by] += 1
    return found


def test_the_record_as_it_is_has_no_fault() -> None:
    told = final()
    kept = Kept(told.kept.commitment, receipts=told.receipts)
    assert verify(told.run, told.answer, read_keys(told.keys), kept).faults == ()
    assert len(told.receipts) > 10


def test_whatever_favours_or_harms_a_team_is_found() -> None:
    unseen = {name for name, found in outcomes().items() if found[NEVER]}
    assert unseen <= HARMLESS.keys()
    assert unseen >= HARMLESS.keys() - {"sessions[].state"}, "what is always found needs no excuse"
    assert sum(found[RECORD] for found in outcomes().values()) > 600


@pytest.mark.parametrize("name", ["state", "cause", "answer_by", "handed_out_at", "number"])
def test_windows_states_and_causes_are_found_from_the_record_alone(name: str) -> None:
    found = outcomes()[f"sessions[].files[].{name}"]
    assert found[RECORD]
    assert not found[RECEIPTS] + found[NEVER]


def test_an_answer_that_was_erased_with_its_times_is_found_with_the_receipts_alone() -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    row = next(each for each in record["sessions"][0]["files"] if each["state"] == "answered")
    row.update(state="voided", cause="team_late", evidence={"answered": False}, answered_at=None, decided_at=None)
    assert not told.found(record, receipts=False)
    assert told.found(record, receipts=True)


@pytest.mark.parametrize(("page", "language"), [("fairness.md", 0), ("fairness.ru.md", 1)])
def test_the_documents_table_is_that_of_the_alterations(page: str, language: int) -> None:
    """Run with the rows it prints put into the page where it differs."""
    rows = [
        f"| `{name}` | {' | '.join(map(str, found.values()))} | {HARMLESS[name][language] if found[NEVER] else ''} |"
        for name, found in sorted(outcomes().items())
        if found[RECEIPTS] or found[NEVER]
    ]
    table = re.findall(r"^\| `.*? \| \d+ \| \d+ \| \d+ \| .*\|$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert table == rows, "\n".join(rows)
