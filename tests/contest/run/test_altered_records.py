"""No leaf of a record can be altered and signed again unseen, unless it favours and harms nobody; the documents say
which is found from the record alone and which with the team's receipts."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from contest.session.rules.delivery import Cause
from pku.proof import read_keys, verify
from tests.contest.run.altered import Json, alterations, field, final
from tests.docs.by_hand import findings

DOCS = Path(__file__).resolve().parents[3] / "docs"
RECORD, CHAIN, RECEIPTS, NEVER = "record", "chain", "receipts", "never"
REMARK = ("a remark beside times that say it", "пояснение к временам, которые это говорят")
HARMLESS = {
    "releases[].armed_at": ("before the first hand-out it decides nothing", "до первой выдачи ни на что не влияет"),
    "run.language": ("a name of the draw; the files are committed to", "имя выборки; файлы названы обязательством"),
    "run.set": ("a name of the draw; the files are committed to", "имя выборки; файлы названы обязательством"),
    "sessions[].closed_at": ("no deadline and no cause follows from it", "от него не зависят ни сроки, ни причины"),
    "sessions[].opened_at": (
        "within the time to join it decides nothing",
        "в пределах срока входа ни на что не влияет",
    ),
    "sessions[].state": (
        "a finished session recorded as timed out: both count on the board",
        "завершённая сессия выдана за закрытую по молчанию: в лидерборд входят обе",
    ),
    "sessions[].files[].asked_at": (
        "within the window, where the deadline stays the same",
        "в пределах окна, когда срок от этого не меняется",
    ),
    "sessions[].files[].evidence": ("what is more than the cause needs", "то, что сверх нужного для причины"),
    "sessions[].files[].evidence.answered": REMARK,
    "sessions[].files[].evidence.requested": REMARK,
    "sessions[].files[].evidence.late_by_ms": (
        "of an answer that does not count either way",
        "об ответе, который не засчитан в любом случае",
    ),
    "sessions[].files[].evidence.automatic.evidence.requested": REMARK,
    "sessions[].files[].evidence.disconnected_at": (
        "so long as it is within the window, the cause stays the same",
        "в пределах окна причина от этого не меняется",
    ),
    "sessions[].files[].evidence.last": ("which refusal was the last one", "каким был последний отказ"),
    "sessions[].files[].evidence.refusals": ("how many there were, if any", "сколько их было, если были"),
}
"""Fields whose alteration makes nobody gain or lose, and the reason in both languages."""


_ROSTER = {("sessions", place, *name) for place in range(4) for name in ((), ("team_id",), ("session_id",))}
"""Paths of the record that the roster seals."""


@cache
def outcomes() -> dict[str, dict[str, int]]:
    """Count by field the alterations that are found from the record alone, only with the decisions kept from the end of
    the run, only with the receipts, and never. Alterations of statements and of their openings are tried twice: with
    the record signed, and with the whole chain signed anew so that it fits."""
    told = final()
    found = defaultdict[str, dict[str, int]](lambda: dict.fromkeys((RECORD, CHAIN, RECEIPTS, NEVER), 0))
    for path, _, altered in alterations(told.answer["record"]):
        found[field(path)][found_by(told.signed(altered))] += 1
        anew = path[0] in {"commitment", "amendments", "roster", "rulings"} or path in _ROSTER
        if anew and (by := _anew(altered)):
            found[field(path)][by] += 1
    return found


def found_by(lie: tuple[Json, Json]) -> str:
    """Return the least evidence by which a lie is found."""
    told = final()
    needs = {RECORD: told.local_data(), CHAIN: told.local_data(chain=True), RECEIPTS: told.local_data(receipts=True)}
    return next((name for name, kept in needs.items() if told.is_found_out(lie, kept)), NEVER)


def _anew(altered: Json) -> str | None:
    """Return the same for a lie with the chain signed again; one that cannot even enter the chain is seen at once. None
    for a lie in hashes and signatures alone, which the new signatures undo."""
    told = final()
    try:
        lie = told.signed_anew(altered)
    except (KeyError, TypeError):
        return RECORD
    return None if lie == told.signed_anew(told.answer["record"]) else found_by(lie)


def test_the_record_has_no_fault_and_everything_that_may_be_in_one() -> None:
    told = final()
    verdict = verify(told.run, told.answer, read_keys(told.keys), told.local_data(chain=True, receipts=True))
    assert verdict.faults == ()
    assert len(told.receipts) > 10
    record = told.answer["record"]
    assert verify(*told.signed_anew(record), read_keys(told.keys), told.local_data(chain=True)).faults == ()
    rows = [each for session in record["sessions"] for each in session["files"]]
    assert {each["cause"] for each in rows} == {None, *(each.value for each in Cause)}
    evidence = {name for each in rows for name in each["evidence"]}
    assert {"amendment", "automatic", "disconnected_at", "pushed", "refusals", "late_by_ms"} <= evidence
    kinds = [each["amendment"]["amendment"] for each in record["amendments"]]
    assert set(kinds) == {"pause", "resume", "replace", "void", "undo", "sealed"}
    assert [each["amendment"] for each in record["rulings"]] == ["rule", "rule", "rule", "rule", "undo"]
    assert len(record["sessions"]) == 4
    assert "aborted" in {each["state"] for each in record["sessions"]}
    assert record["voided"]
    assert record["run"]["pauses"]


@pytest.mark.clause("platform §3 rulings")
def test_whatever_favours_or_harms_a_team_is_found_windows_and_causes_from_the_record_alone() -> None:
    unseen = {name for name, result in outcomes().items() if result[NEVER]}
    assert unseen <= HARMLESS.keys()
    assert unseen >= HARMLESS.keys(), "what is always found needs no excuse"
    assert sum(result[RECORD] for result in outcomes().values()) > 900
    for name in ("state", "cause", "answer_by", "handed_out_at", "number"):
        result = outcomes()[f"sessions[].files[].{name}"]
        assert result[RECORD], name
        assert not result[CHAIN] + result[RECEIPTS] + result[NEVER], name
    of_rulings = {name: result for name, result in outcomes().items() if name.startswith("rulings[]")}
    assert {f"rulings[].{name}" for name in ("reason", "salt", "amendment", "details.cause")} <= of_rulings.keys()
    assert not sum(result[RECEIPTS] + result[NEVER] for result in of_rulings.values())


@pytest.mark.clause("platform §3 rulings")
def test_a_cause_reworded_with_its_row_and_its_seal_is_found_by_who_kept_the_chain_and_nobody_else() -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    (row,) = [each for each in record["sessions"][0]["files"] if "automatic" in each["evidence"]]
    (ruling,) = [each for each in record["rulings"] if each["number"] == row["evidence"]["amendment"]]
    assert (row["cause"], record["sessions"][0]["team_id"]) == ("platform", "blue")
    row["cause"] = ruling["details"]["cause"] = "organizer_decision"
    assert told.is_found_out(told.signed(record)), "the seal is in the chain"
    lie = told.signed_anew(record)
    assert found_by(lie) == CHAIN
    assert found_by(told.signed_anew(told.answer["record"])) == NEVER, "it is no lie"


@pytest.mark.parametrize(
    ("place", "name", "lie"),
    [
        ("files", "answered_at", "2026-09-21T14:00:00.000Z"),
        ("files", "decided_at", "2026-09-21T16:00:00.000Z"),
        ("releases", "armed_at", "2026-09-21T16:00:00.000Z"),
    ],
)
def test_a_plain_contradiction_within_a_row_is_found_by_command_and_page(place: str, name: str, lie: str) -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    rows = record["releases"] if place == "releases" else record["sessions"][0]["files"]
    number = next(each["number"] for each in record["sessions"][0]["files"] if each["state"] == "answered")
    next(each for each in rows if each["number"] == number)[name] = lie
    assert found_by(told.signed(record)) == RECORD
    assert is_found_by_pages(told.signed(record))


def is_found_by_pages(lie: tuple[Json, Json], **before: Any) -> bool:
    """Return True if the programs of both pages find a lie, given the run before it."""
    (run, answer), result = lie, final()
    answers = {
        "before": {**result.run, "amendments": [], **before},
        "after": run,
        "record": answer,
        "keys": result.keys,
    }
    return all(findings(page, answers) for page in ("fairness.md", "fairness.ru.md"))


def _end_as(state: str, at: str | None = None) -> Callable[[Json], None]:
    return lambda record: _session(record, "red").update(state=state, **({"closed_at": at} if at else {}))


def _move(number: int, **times: str | None) -> Callable[[Json], None]:
    return lambda record: _file(record, "red", number).update(times)


_HOUR_LATER = "2026-09-21T15:18:55.000Z"


@pytest.mark.parametrize(
    "lie",
    [
        _end_as("aborted"),
        _end_as("aborted", "2026-09-21T14:18:00.000Z"),
        _end_as("stopped"),
        _end_as("finished", "2026-09-21T14:20:00.000Z"),
        lambda record: _session(record, "green").update(state="finished"),
        lambda record: _session(record, "green").update(state="timed_out"),
        _move(4, decided_at=_HOUR_LATER, body_at=_HOUR_LATER),
        _move(4, decided_at=_HOUR_LATER, body_at=_HOUR_LATER, headers_at=_HOUR_LATER),
    ],
    ids=["left", "left early", "stopped", "done early", "stayed", "silent", "slow body", "late headers"],
)
def test_ends_and_times_that_cannot_be_are_found_by_command_and_page(lie: Callable[[Json], None]) -> None:
    """A team that has ended its session has no place on the board; times moved together contradict the answer's."""
    told = final()
    record = copy.deepcopy(told.answer["record"])
    lie(record)
    assert found_by(told.signed(record)) == RECORD
    assert is_found_by_pages(told.signed(record))


def test_an_answer_made_up_to_be_in_time_or_erased_is_found_with_the_receipts_alone() -> None:
    told = final()
    record = copy.deepcopy(told.answer["record"])
    times = dict.fromkeys(("answered_at", "headers_at", "body_at", "decided_at"), "2026-09-21T14:18:30.000Z")
    _file(record, "blue", 3).update(times, state="answered", cause=None, evidence={})
    assert found_by(told.signed(record)) == RECEIPTS
    record = copy.deepcopy(told.answer["record"])
    row = next(each for each in record["sessions"][0]["files"] if each["state"] == "answered")
    row.update(state="voided", cause="team_late", evidence={"answered": False}, answered_at=None, decided_at=None)
    row.update(headers_at=None, body_at=None)
    assert found_by(told.signed(record)) == RECEIPTS


def _session(record: Json, team: str) -> Json:
    return next(each for each in record["sessions"] if each["team_id"] == team)


def _file(record: Json, team: str, number: int) -> Json:
    return next(each for each in _session(record, team)["files"] if each["number"] == number)


@pytest.mark.clause("platform §3 commitment")
@pytest.mark.parametrize("added", [False, True], ids=["left out", "added"])
def test_a_team_left_out_or_added_is_found_by_command_and_page(added: bool) -> None:
    """Everybody finds it; with the roster signed anew, only a person who kept the roster does."""
    told = final()
    record = copy.deepcopy(told.answer["record"])
    team = record["sessions"].pop(1)
    if added:
        record["sessions"] += [team, {**copy.deepcopy(team), "team_id": "zebra", "session_id": "9" * 15}]
    for lie, roster, needs in (
        (told.signed(record), None, RECORD),
        (told.signed_anew(record), told.run["roster"], CHAIN),
    ):
        assert found_by(lie) == needs
        assert is_found_by_pages(lie, roster=roster)


def test_the_program_of_the_page_finds_what_the_command_finds() -> None:
    """A fixed part of the alterations, those of the statements and rulings among them."""
    told = final()
    for path, how, altered in list(alterations(told.answer["record"]))[::9]:
        run, answer = told.signed(altered)
        answers = {"before": {**told.run, "amendments": []}, "after": run, "record": answer, "keys": told.keys}
        assert bool(findings("fairness.md", answers)) == told.is_found_out((run, answer)), (path, how)


@pytest.mark.parametrize(("page", "language"), [("fairness.md", 0), ("fairness.ru.md", 1)])
def test_the_documents_table_is_that_of_the_alterations(page: str, language: int) -> None:
    """Run with the rows it prints put into the page where it differs."""
    rows = [
        f"| `{name}` | {' | '.join(map(str, found.values()))} | {HARMLESS[name][language] if found[NEVER] else ''} |"
        for name, found in sorted(outcomes().items())
        if found[CHAIN] or found[RECEIPTS] or found[NEVER]
    ]
    table = re.findall(r"^\| `.*? \| \d+ \| \d+ \| \d+ \| \d+ \| .*\|$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert table == rows, "\n".join(rows)
