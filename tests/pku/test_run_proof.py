"""``pku verify-run``: a run as promised passes, and every kind of deceit has its fault."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from markup_core.receipt import canonical_bytes
from pku import config
from pku.config import parse_moment
from pku.errors import PkuError
from pku.proof import LocalData, openings, read_keys, root_of, verify
from pku.run_rows import Rules, deadline_faults, slow_bodies
from tests.pku.platform import pku

SIGNER = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)
KEYS_BODY = {
    "keys": [{"key_id": "k1", "public_key": base64.b64encode(SIGNER.public_key().public_bytes_raw()).decode()}]
}
KEYS = read_keys(KEYS_BODY)
RUN, OWN = "r" * 20, "1" * 15


def at(minute: int, second: int = 0, millisecond: int = 0) -> str:
    return f"2026-12-01T09:{minute:02d}:{second:02d}.{millisecond:03d}Z"


def digest(value: Any) -> str:
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def signed(name: str, said: dict[str, Any]) -> dict[str, Any]:
    return {name: said, "signature": base64.b64encode(SIGNER.sign(canonical_bytes(said))).decode()}


def content(number: int) -> dict[str, Any]:
    return {"meta": {"id": f"f{number}"}, "text": f"Эссе {number} 🙂"}


def row(number: int, planned: str) -> dict[str, Any]:
    return {
        "number": number,
        "planned_at": planned,
        "file_id": f"f{number}",
        "content_sha256": digest(content(number)),
        "salt": f"{number:064d}",
    }


class Told:
    """A run of three files at 9:00, 9:01, 9:02; a pause from 9:00:30 to 9:03:30; file 1 replaced by file 4."""

    def __init__(self, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
        self.change = change
        self.rows = [row(number, at(number - 1)) for number in (1, 2, 3)]
        self.appended = [row(4, at(4))]
        self.files = [
            self.file(1, at(0), "voided"),
            self.file(2, at(4), "answered"),
            self.file(3, at(5), "answered"),
            self.file(4, at(7), "answered"),
        ]
        self.planned = {1: at(0), 2: at(1), 3: at(2), 4: at(4)}
        self.opens = {1: at(0), 2: at(4), 3: at(5), 4: at(7)}
        self.rulings: list[dict[str, Any]] = []

    @staticmethod
    def file(number: int, opened: str, state: str) -> dict[str, Any]:
        answered = opened[:17] + "20.000Z" if state == "answered" else None
        due = opened[:17] + "50.000Z"
        times = dict.fromkeys(("asked_at", "handed_out_at"), opened) | {"answer_by": due}
        times |= dict.fromkeys(("answered_at", "decided_at"), answered)
        why = {"cause": "organizer_decision", "evidence": {"amendment": 4}}
        return {"number": number, **times, "state": state, **({"cause": None, "evidence": {}} if answered else why)}

    def chain(self) -> list[dict[str, Any]]:
        head = {"format": 2, "run_id": RUN, "key_id": "k1"}
        first = {**head, "kind": "commitment", "files": 3, "starts_at": at(0), "interval_ms": 60_000}
        first["limits"] = {"request_ms": 10_000, "answer_ms": 50_000, "total_ms": 60_000, "join_ms": 120_000}
        said: list[dict[str, Any]] = [{**first, "root": root_of(self.rows)}]
        replaced = {"numbers": [1], "first": 4, "slot": 4, "root": root_of(self.appended)}
        for number, kind, effective, details in (
            (1, "pause", at(0, 30), {}),
            (2, "resume", at(3, 30), {}),
            (4, "replace", at(3, 40), replaced),
            *((each["number"], "sealed", at(6), {"seal": digest(each)}) for each in self.rulings),
        ):
            amendment = {**head, "kind": "amendment", "number": number, "amendment": kind, "at": effective}
            more = {"effective_at": effective, "details": details, "previous": digest(said[-1])}
            said.append({**amendment, **more})
        return said

    @staticmethod
    def roster(commitment: dict[str, Any], *pairs: list[str]) -> dict[str, Any]:
        """Return the sealed roster of admitted teams at the end of joining."""
        joined = sorted(pairs or (["red", OWN],))
        told = {"sessions": len(joined), "sessions_sha256": digest(joined), "made_at": at(6), "key_id": "k1"}
        return {"format": 2, "kind": "roster", "run_id": RUN, "previous": digest(commitment), **told}

    def answers(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the platform's answers for the run and its record; ``change`` is made before the record is signed."""
        chain = self.chain()
        armed = {"armed_at": at(0), "armed_by": "timer"}
        session = {"team_id": "red", "session_id": OWN, "opened_at": at(1, 59), "closed_at": at(9)}
        record: dict[str, Any] = {
            "format": 2,
            "run": {
                **{name: chain[0][name] for name in ("run_id", "files", "starts_at", "interval_ms", "limits")},
                "pauses": [{"from": at(0, 30), "until": at(3, 30)}],
                "ends_at": at(8),
                "stopped_at": None,
            },
            "commitment": signed("statement", chain[0]),
            "amendments": [signed("amendment", each) for each in chain[1:]],
            "roster": signed("statement", self.roster(chain[0])),
            "rulings": self.rulings,
            "plans": [{"amendment": 0, "rows": self.rows}, {"amendment": 4, "rows": self.appended}],
            "releases": [
                {"number": number, "planned_at": self.planned[number], "opens_at": opened, **armed}
                for number, opened in self.opens.items()
            ],
            "voided": {"1": 4},
            "sessions": [{**session, "state": "finished", "files": self.files}],
        }
        run = {name: record[name] for name in ("commitment", "amendments", "roster", "rulings")}
        record = copy.deepcopy(record)
        self.change(record)
        end = {"format": 2, "kind": "record", "run_id": RUN, "key_id": "k1", "previous": digest(chain[-1])}
        return run, {"record": record, **signed("statement", {**end, "record_sha256": digest(record)})}

    def kept(self) -> LocalData:
        files = {
            each["number"]: {
                "file_id": f"f{each['number']}",
                "handed_out_at": each["handed_out_at"],
                "content": content(each["number"]),
            }
            for each in self.files
        }
        received = {each["number"]: each["answered_at"] for each in self.files if each["answered_at"]}
        return LocalData(signed("statement", self.chain()[0]), OWN, files, received)


def ruling(number: int, kind: str = "rule", /, **details: Any) -> dict[str, Any]:
    """Return the opening of a seal."""
    said = {"amendment": kind, "reason": "the logs show it", "details": details, "salt": f"{number:064d}"}
    return {"run_id": RUN, "number": number, **said}


def ruled(*rulings: dict[str, Any], cause: str = "platform", amendment: int = 5) -> Told:
    """Return the run with rulings, the last of them on file 2 of red, which it never asked for."""
    told = Told()
    told.rulings = [*rulings, ruling(amendment, team_id="red", number=2, cause=cause)]
    automatic = {"cause": "team_late", "evidence": {"requested": False}}
    missed(cause, {"amendment": amendment, "automatic": automatic})({"sessions": [{"files": told.files}]})
    return told


def files(record: dict[str, Any]) -> Any:
    """Return the rows of the files of the only session."""
    return record["sessions"][0]["files"]


def missed(cause: str, evidence: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """File 2 of the only team was never asked for, for a cause with its evidence."""
    times = dict.fromkeys(("asked_at", "handed_out_at", "answer_by", "answered_at", "decided_at"))

    def change(record: dict[str, Any]) -> None:
        files(record)[1].update(state="voided", cause=cause, evidence=evidence, **times)

    return change


def codes(told: Told, kept: LocalData | None = None) -> list[str]:
    return [each.code for each in verify(*told.answers(), KEYS, kept or told.kept()).faults]


CASES = json.loads((Path(__file__).resolve().parents[1] / "contradictions.json").read_text("utf-8"))
"""Rows that contradict themselves or do not, for this verifier and the site's (``web/src/verify/run.test.ts``)."""


@pytest.mark.parametrize("case", CASES["cases"], ids=[case["name"] for case in CASES["cases"]])
def test_what_contradicts_itself_is_what_it_is_for_the_site(case: dict[str, Any]) -> None:
    record = Told().answers()[1]["record"]
    assert {name: record[name] for name in ("releases", "sessions")}.items() <= CASES["record"].items()

    def change(record: Any) -> None:
        for path, value in case["set"]:
            *steps, last = path.split(".")
            place = record
            for step in steps:
                place = place[int(step)] if step.isdigit() else place[step]
            place[last] = value

    faults = set(codes(Told(change), LocalData())) & {"row_differs", "late_counted", "decided_early"}
    assert bool(faults) == case["fault"], faults


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda record: record["sessions"][0].update(team_id="blue"), "let_in_otherwise"),
        (lambda record: record["roster"]["statement"].update(sessions=2), "let_in_otherwise"),
        (lambda record: record["roster"]["statement"].update(kind="record"), "roster_differs"),
        (lambda record: record["roster"]["statement"].update(previous="0" * 64), "broken_chain"),
        (lambda record: record["roster"]["statement"].update(key_id="k2"), "unknown_key"),
    ],
)
def test_a_roster_is_that_of_the_run_and_of_its_sessions(change: Callable[[Any], None], code: str) -> None:
    assert code in codes(Told(change))


def test_another_roster_than_this_machine_kept_is_found() -> None:
    told = Told()
    kept = signed("statement", told.roster(told.chain()[0], ["blue", "2" * 15], ["red", OWN]))
    assert codes(told, replace(told.kept(), roster=kept)) == ["roster_was_other"]


def test_a_run_as_promised_passes() -> None:
    told = Told()
    verdict = verify(*told.answers(), KEYS, told.kept())
    assert verdict.faults == ()
    assert (verdict.signatures, verdict.files, verdict.sessions, verdict.own_files) == (5, 4, 1, 4)


def test_who_took_no_part_can_check_it_too() -> None:
    assert codes(Told(), LocalData()) == []


def test_openings_follow_from_the_commitment_the_pauses_and_the_replacement() -> None:
    found = openings(Told().chain(), [1, 2, 3, 4])
    # 9:00; 9:01 and 9:02 three minutes later; slot 4 is 9:04, three minutes later
    assert [moment - found[1] for moment in found.values()] == [0, 240, 300, 420]


@pytest.mark.clause("platform §3 body")
def test_answers_whose_bodies_came_late_are_named() -> None:
    """A body that took a second is like any other; rows from before this measurement say nothing of it."""
    files = [
        {"number": 1, "headers_at": at(0, 20), "body_at": at(0, 21)},
        {"number": 2, "headers_at": at(1, 20), "body_at": at(1, 23, 500)},
        {"number": 3},
    ]
    (found,) = slow_bodies({"sessions": [{"team_id": "red", "files": files}]})
    assert found == {"team": "red", "number": 2, "seconds": "3.5"}


def test_a_pause_that_nobody_ends_lasts_two_hours() -> None:
    chain = Told().chain()[:2]
    assert openings(chain, [2])[2] - openings(chain, [1])[1] == 60 + 7200


def test_what_was_taken_back_moves_nothing() -> None:
    chain = Told().chain()[:3]
    chain.append({"kind": "amendment", "number": 5, "amendment": "undo", "details": {"amendment": 1}})
    assert openings(chain, [3])[3] - openings(chain, [1])[1] == 120


@pytest.mark.parametrize(
    ("deceit", "code"),
    [
        (lambda record: record["plans"][0]["rows"].reverse(), "files_swapped"),
        (lambda record: record["plans"][1]["rows"][0].update(content_sha256="0" * 64), "files_swapped"),
        (lambda record: record["plans"].pop(), "files_swapped"),
        (lambda record: record["releases"][1].update(opens_at=at(1)), "opening_moved"),
        (lambda record: files(record)[1].update(handed_out_at=at(3, 59)), "opened_early"),
        (lambda record: files(record)[1].update(answered_at=at(4, 51), decided_at=at(4, 51)), "late_counted"),
        (lambda record: files(record)[1].update(decided_at=at(0, 0)), "decided_early"),
        (lambda record: record["amendments"][0].update(signature="AAAA"), "bad_signature"),
        (lambda record: record["amendments"][0]["amendment"].update(key_id="k2"), "unknown_key"),
        (lambda record: record["amendments"].pop(0), "broken_chain"),
        (lambda record: record["commitment"]["statement"].update(interval_ms=59_000), "commitment_differs"),
        (lambda record: record["commitment"]["statement"].update(interval_ms=59_000), "commitment_was_other"),
        (lambda record: record["amendments"].reverse(), "amendments_differ"),
        (lambda record: record["sessions"].clear(), "own_session_missing"),
        (lambda record: files(record)[2].update(handed_out_at=at(5, 1)), "own_time_differs"),
        (lambda record: files(record)[2].update(answered_at=at(5, 1)), "own_answer_differs"),
        (lambda record: record["run"].update(ends_at=at(9)), "head_differs"),
        (lambda record: record["run"].update(limits={}), "head_differs"),
        (lambda record: record["run"]["pauses"].clear(), "head_differs"),
        (lambda record: record["voided"].clear(), "head_differs"),
        (lambda record: record["releases"][1].update(planned_at=at(0)), "plan_moved"),
        (lambda record: record["releases"].pop(), "record_lacks"),
        (lambda record: record["sessions"][0]["files"].pop(), "record_lacks"),
        (lambda record: record["sessions"].append(record["sessions"][0]), "record_lacks"),
        (lambda record: record["sessions"][0].update(opened_at=at(2, 1)), "joined_late"),
        (lambda record: record["sessions"][0].update(closed_at=None), "never_closed"),
        (lambda record: record["sessions"][0].update(state="stopped"), "ended_otherwise"),
        (lambda record: files(record)[1].update(answer_by=at(5, 50)), "row_differs"),
        (lambda record: files(record)[1].update(answer_by=at(4, 30, 500)), "deadlines_differ"),
        (lambda record: files(record)[1].update(asked_at=at(4, 11)), "row_differs"),
        (lambda record: files(record)[1].update(state="voided", cause="team_late"), "row_differs"),
        (lambda record: files(record)[0].update(state="answered", cause=None), "row_differs"),
        (lambda record: files(record)[0].update(cause="team_late"), "row_differs"),
        (lambda record: files(record)[0].update(evidence={}), "row_differs"),
        (lambda record: files(record)[1].update(answered_at=at(3, 59)), "row_differs"),
        (lambda record: files(record)[1].update(decided_at=at(59)), "row_differs"),
        (lambda record: record["releases"][1].update(armed_at=at(59)), "row_differs"),
        (lambda record: record["releases"][1].update(armed_at=None, armed_by=None), "row_differs"),
        (missed("network", {"disconnected_at": at(0)}), "row_differs"),
        (missed("organizer_decision", {}), "row_differs"),
        (missed("platform", {}), "row_differs"),
        (missed("network", {}), "row_differs"),
        (missed("organizer_decision", {"amendment": 2, "automatic": {}}), "row_differs"),
        (missed("platform", {"amendment": 3, "automatic": {"cause": "team_late", "evidence": {}}}), "row_differs"),
    ],
)
def test_a_deceit_is_found(deceit: Callable[[dict[str, Any]], None], code: str) -> None:
    assert code in codes(Told(deceit))


def test_a_record_changed_after_it_was_signed_is_found() -> None:
    told = Told()
    run, answer = told.answers()
    answer["record"]["run"]["run_id"] = "another"
    assert [each.code for each in verify(run, answer, KEYS, told.kept()).faults] == ["record_changed", "head_differs"]


def test_another_text_than_the_promised_one_is_found() -> None:
    told, other = Told(), Told().kept()
    assert other.files is not None
    files = {**other.files, 2: {**other.files[2], "content": content(3)}}
    assert codes(told, LocalData(other.commitment, OWN, files, other.received)) == ["own_file_differs"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda answer: answer.pop("statement"),
        lambda answer: answer["record"].update(format=1),
        lambda answer: answer["record"].update(releases=[{"number": 9, "opens_at": at(0)}]),
        lambda answer: answer["record"]["plans"][0].update(rows=[]),
        lambda answer: answer["record"].update(sessions=None),
    ],
)
def test_what_is_no_record_is_said_to_be_none(damage: Callable[[dict[str, Any]], None]) -> None:
    told = Told()
    run, answer = told.answers()
    damage(answer)
    with pytest.raises(PkuError, match="record"):
        verify(run, answer, KEYS, told.kept())


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_command_checks_saved_answers_without_the_platform(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path))
    config.save_keys(KEYS_BODY)
    run, answer = Told().answers()
    for name, value in (("run", run), ("record", answer)):
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    words = ["verify-run", RUN, "--files", str(tmp_path / "run.json"), str(tmp_path / "record.json")]
    assert ("as promised" if language == "en" else "как было обещано") in pku(*words, "--lang", language).output
    answer["record"]["releases"][1]["opens_at"] = at(1)
    (tmp_path / "record.json").write_text(json.dumps(answer), "utf-8")
    bad = pku(*words, "--lang", language, code=1)
    assert bad.output.count("✗") == 2, bad.output
    verdict = json.loads(pku(*words, "--json", code=1).stdout)
    assert [each["code"] for each in verdict["faults"]] == ["record_changed", "opening_moved"]


@pytest.mark.parametrize(
    ("cause", "evidence"),
    [
        ("team_late", {"requested": False}),
        ("network", {"disconnected_at": at(4)}),
        ("platform", {"pushed": False}),
    ],
)
def test_a_cause_with_its_evidence_is_believed(cause: str, evidence: dict[str, Any]) -> None:
    assert codes(Told(missed(cause, evidence)), LocalData()) == []


RULING = ruling(5, team_id="red", number=2, cause="network")


@pytest.mark.clause("platform §3 rulings")
def test_a_ruling_that_was_sealed_is_believed_and_so_is_one_taken_back() -> None:
    told = ruled()
    verdict = verify(*told.answers(), KEYS, LocalData())
    assert (verdict.faults, verdict.rulings, verdict.signatures) == ((), 1, 6)
    again = ruled(RULING, ruling(6, "undo", amendment=5), amendment=7)
    assert codes(again, LocalData()) == []


def in_place(**changes: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change of a ruling's opening to other words, repeated in its row where they are about the cause."""

    def change(record: dict[str, Any]) -> None:
        opened = record["rulings"][0] = copy.deepcopy(record["rulings"][0])
        opened.update({name: value for name, value in changes.items() if name in opened})
        opened["details"].update({name: value for name, value in changes.items() if name not in opened})
        row = files(record)[1]
        row["cause"] = changes.get("cause", row["cause"])

    return change


@pytest.mark.clause("platform §3 rulings")
@pytest.mark.parametrize(
    ("deceit", "code"),
    [
        (in_place(cause="network"), "seal_differs"),
        (in_place(team_id="blue"), "seal_differs"),
        (in_place(reason="another"), "seal_differs"),
        (in_place(salt="0" * 64), "seal_differs"),
        (lambda record: record["rulings"].clear(), "seal_unopened"),
        (lambda record: record["rulings"].append(record["rulings"][0]), "ruling_unsealed"),
        (lambda record: record["rulings"].append({**record["rulings"][0], "number": 1}), "ruling_unsealed"),
        (lambda record: files(record)[1].update(cause="network"), "row_differs"),
        (lambda record: files(record)[1]["evidence"].update(amendment=4), "row_differs"),
        (lambda record: files(record)[1]["evidence"].pop("automatic"), "row_differs"),
        (lambda record: files(record)[1]["evidence"]["automatic"].update(cause="network"), "row_differs"),
    ],
)
def test_a_ruling_worded_anew_kept_back_or_invented_is_named(
    deceit: Callable[[dict[str, Any]], None], code: str
) -> None:
    told = ruled()
    told.change = deceit
    run, answer = told.answers()
    faults = verify(run, answer, KEYS, LocalData()).faults
    assert code in [each.code for each in faults]
    if code.startswith(("seal", "ruling")):
        assert {each.values["number"] for each in faults if each.code == code} <= {1, 5}


@pytest.mark.parametrize(
    ("hidden", "code"),
    [
        (ruling(5, "void", numbers=[3]), "seal_hides"),
        (ruling(5, "undo", amendment=4), "seal_hides"),
        (ruling(5, team_id="nobody", number=2, cause="platform"), "ruling_of_nobody"),
        (ruling(5, team_id="red", number=9, cause="platform"), "ruling_of_nobody"),
        ({**ruling(5, team_id="red", number=3, cause="platform"), "run_id": "another"}, "seal_differs"),
    ],
)
def test_what_may_not_be_sealed_is_named(hidden: dict[str, Any], code: str) -> None:
    told = Told()
    told.rulings = [hidden]
    assert code in codes(told, LocalData())


def test_a_ruling_from_after_the_record_is_told_and_held_against_its_seal() -> None:
    told = ruled()
    run, answer = told.answers()
    later = ruled(*told.rulings, amendment=6)
    run = later.answers()[0]
    verdict = verify(run, answer, KEYS, LocalData())
    assert (verdict.faults, [each["number"] for each in verdict.later]) == ((), [6])
    opened = [*run["rulings"][:1], {**run["rulings"][1], "reason": "another"}]
    assert [each.code for each in verify({**run, "rulings": opened}, answer, KEYS, LocalData()).faults] == [
        "seal_differs"
    ]
    hidden = {**run, "rulings": run["rulings"][:1]}
    assert [each.code for each in verify(hidden, answer, KEYS, LocalData()).faults] == ["seal_unopened"]
    run["amendments"][-1]["signature"] = "AAAA"
    assert [each.code for each in verify(run, answer, KEYS, LocalData()).faults] == ["bad_signature"]


def test_what_was_decided_when_this_machine_last_looked_holds() -> None:
    run, answer = ruled().answers()
    other, record = ruled(cause="network").answers()
    assert verify(other, record, KEYS, LocalData()).faults == ()
    seen = LocalData(amendments=run["amendments"], record=answer["statement"]["record_sha256"])
    assert verify(run, answer, KEYS, seen).faults == ()
    assert [each.code for each in verify(other, record, KEYS, seen).faults] == [
        "amendments_were_other",
        "record_was_other",
    ]
    fewer = LocalData(amendments=run["amendments"][:2])
    assert verify(other, record, KEYS, fewer).faults == ()


@pytest.mark.parametrize(
    ("changed", "code"), [({"number": 1}, "out_of_order"), ({"at": at(0)}, "out_of_order"), ({}, None)]
)
def test_decisions_are_in_the_order_of_their_numbers_and_moments(changed: dict[str, Any], code: str | None) -> None:
    told = Told()
    chain = told.chain()
    chain[2] = {**chain[2], **changed}
    chain[3]["previous"] = digest(chain[2])
    told.chain = lambda: chain  # type: ignore[method-assign]
    assert ("out_of_order" in codes(told, LocalData())) == (code is not None)


def test_a_shorter_time_that_is_everybodys_is_a_steps_own() -> None:
    shorter = Told(lambda record: files(record)[1].update(answer_by=at(4, 30)))
    assert codes(shorter) == []


def test_a_hand_out_at_the_last_moment_may_leave_no_time_and_a_shorter_time_may_not() -> None:
    """Where a file may be asked for as long as it may be answered, the rules themselves leave none."""
    limits = {"request_ms": 30_000, "answer_ms": 30_000, "total_ms": 30_000, "join_ms": 0}
    first = {"kind": "commitment", "files": 1, "starts_at": at(0), "interval_ms": 30_000, "limits": limits}
    rules, opening = Rules.of([first]), round(parse_moment(at(0)) * 1000)

    def faults(handed: int, due: str) -> list[str]:
        moment = opening + handed
        return [name for name, *_ in deadline_faults(rules, {"number": 1, "answer_by": due}, moment, moment, set())]

    assert (faults(30_000, at(0, 30)), faults(20_000, at(0, 20))) == ([], ["answer_by"])


@pytest.mark.clause("TS D-3", "D 13.2")
def test_who_was_admitted_late_might_join_from_then_on_and_nobody_else() -> None:
    limits = {"request_ms": 10_000, "answer_ms": 50_000, "total_ms": 60_000, "join_ms": 0}
    first = {"kind": "commitment", "files": 3, "starts_at": at(0), "interval_ms": 60_000, "limits": limits}
    admitted = {"kind": "amendment", "number": 1, "amendment": "admit", "effective_at": at(1)}
    rules = Rules.of([first, {**admitted, "details": {"team_id": "late"}}])
    moment = [round(parse_moment(at(minute)) * 1000) for minute in range(3)]
    assert (rules.may_join("red", moment[0]), rules.may_join("red", moment[0] + 1)) == (True, False)
    assert (rules.may_join("late", moment[1] - 1), rules.may_join("late", moment[1])) == (False, True)
    assert not rules.may_join("red", moment[2])
