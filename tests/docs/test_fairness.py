"""The description of checking by hand is true: its program accepts a good run and finds every change of it."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest import reading
from contest.people.teams import add_team
from contest.platform import signing_keys
from contest.results.wire import keys_body
from contest.run import planning, recording, under_way, watching
from contest.run.rules import commitment
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from contest.values import sha256_hex
from tests.contest.run.played_runs import ABSENT, Played, planned
from tests.docs.by_hand import DOCS, findings, program
from tests.emulated_kms import emulated_kms
from tests.samples import admit_to_finals

PAGES = ("fairness.md", "fairness.ru.md")
pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the description uses openssl")


def described(played: Played) -> Any:
    promised = planning.commitment_of(played.platform, played.run_id)
    rulings = commitment.published_rulings(played.run)
    roster = under_way.roster_of(played.platform, played.schedule)
    decided = planning.public_amendments(played.run)
    return {"commitment": promised, "roster": roster, "amendments": decided, "rulings": rulings}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    return run_with_decisions(planned(files=5))


@pytest.fixture(scope="module")
def by_kms() -> Iterator[dict[str, Any]]:
    with emulated_kms() as signer:
        yield run_with_decisions(planned(files=5, signer=signer))


def run_with_decisions(played: Played) -> dict[str, Any]:
    """Return the answers of the four addresses before and after a run with a pause and a replacement."""
    before = described(played)
    played.open(1, red=ABSENT)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.REPLACE, "unreadable", (1,)))
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.PAUSE, "a cable is cut"))
    played.platform.clock.advance(60)
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.RESUME, "mended"))
    played.platform.clock.advance(30)
    played.open(2, blue=ABSENT)
    for cause in (Cause.NETWORK, Cause.PLATFORM):
        watching.decide(played.platform, "anna", played.run_id, Wish(Kind.RULE, "its line", (2,), "blue", cause))
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.UNDO, "not ours", amendment=5))
    for number in range(3, 7):
        played.open(number)
    played.finish()
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.RULE, "ours", (2,), "blue", Cause.PLATFORM))
    return answers_about(played, before)


def answers_about(played: Played, before: Any) -> dict[str, Any]:
    """Return the answers of the four addresses about a run that is over."""
    record = json.loads(recording.published_record(played.platform, played.run_id, played.platform.clock.now()))
    keys = keys_body(signing_keys(played.platform)).model_dump(mode="json")
    return {"before": before, "after": described(played), "record": record, "keys": keys}


def checked(folder: Path, page: str, answers: Any) -> str:
    for name, answer in answers.items():
        (folder / f"{name}.json").write_text(json.dumps(answer, ensure_ascii=False), "utf-8")
    (folder / "check.py").write_text(program(page), "utf-8")
    ran = subprocess.run([sys.executable, "check.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.stdout.strip()


def test_both_pages_have_the_same_program() -> None:
    # what it prints is translated, and what it remarks; what it does is not
    read = [re.sub(r'"""[^"]*"""|^# .*$', "", program(page), flags=re.MULTILINE) for page in PAGES]
    bare = [re.sub(r'f?"[^"\n]*"', '""', source) for source in read]
    assert bare[0] == bare[1]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wrong_with_a_good_run(tmp_path: Path, answers: Any, by_kms: Any, page: str) -> None:
    assert {key["algorithm"] for key in by_kms["keys"]["keys"]} == {"ES256"}
    for run in (answers, by_kms):
        assert checked(tmp_path, page, run) in {"nothing is wrong", "всё верно"}


@pytest.mark.parametrize("algorithm", ["Ed25519", "ES256"])
def test_the_program_finds_false_signatures(tmp_path: Path, answers: Any, by_kms: Any, algorithm: str) -> None:
    """Zeros, the same numbers in another form, and the two numbers swapped are no valid signatures."""
    good = answers if algorithm == "Ed25519" else by_kms
    raw = base64.b64decode(good["record"]["signature"])
    for other in (bytes(64), raw[:32] + b"\0" + raw[32:], raw[32:] + raw[:32]):
        changed = json.loads(json.dumps(good))
        changed["record"]["signature"] = base64.b64encode(other).decode()
        assert checked(tmp_path, PAGES[0], changed) == "a signature does not hold: record"


@pytest.mark.parametrize("page", PAGES)
def test_who_is_admitted_late_may_come_late_and_not_before(tmp_path: Path, page: str) -> None:
    played = planned(files=6, rules={"late_join": "by_decision"})
    before = described(played)
    for number in range(1, 5):
        played.open(number)
    add_team(played.platform, "tests", "late", "Team late")
    admit_to_finals(played.platform, "late")
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.ADMIT, "the power failed", team_id="late"))
    played.platform.clock.advance(10)
    played.join("late")
    for number in (5, 6):
        played.open(number)
    played.finish()
    answers = answers_about(played, before)
    assert checked(tmp_path, page, answers) in {"nothing is wrong", "всё верно"}
    (late,) = [session for session in answers["record"]["record"]["sessions"] if session["team_id"] == "late"]
    (admitted,) = [link["amendment"] for link in answers["after"]["amendments"]]
    late["opened_at"] = admitted["at"]
    assert [line for line in findings(page, answers) if "late" in line]


GONE = object()
"""Marker for a value to be deleted at its path."""
RECORD = "record.record"
BLUES = f"{RECORD}.sessions.0.files"
LATER = "2027-01-01T00:00:00.000Z"
EARLIER = "2026-01-01T00:00:00.000Z"
TIMES = ("asked_at", "handed_out_at", "answer_by", "answered_at", "decided_at")


def swapped(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a plan's rows of which the second and the third have each other's hash of the content."""
    first, second, third, *rest = rows
    hashes = third["content_sha256"], second["content_sha256"]
    return [
        first,
        *({**row, "content_sha256": sha256} for row, sha256 in zip((second, third), hashes, strict=True)),
        *rest,
    ]


CHANGES: dict[str, dict[str, Any]] = {
    "a deadline is later": {f"{BLUES}.2.answer_by": LATER},
    "a file is left out": {f"{BLUES}.2": GONE},
    "an answered file is late": {f"{BLUES}.2.state": "voided", f"{BLUES}.2.cause": "team_late"},
    "an answered file is excused": {
        **{f"{BLUES}.2.{name}": None for name in TIMES},
        f"{BLUES}.2.state": "voided",
        f"{BLUES}.2.cause": "organizer_decision",
        f"{BLUES}.2.evidence": {},
    },
    "a session was opened too late": {f"{RECORD}.sessions.0.opened_at": LATER},
    "annulled files are not told": {f"{RECORD}.voided": {}},
    "a row has another salt": {f"{RECORD}.plans.1.rows.0.salt": "0" * 64},
    "two rows have each other's hash": {f"{RECORD}.plans.0.rows": swapped},
    "the commitment is another one": {"after.commitment.statement.starts_at": EARLIER},
    "a decision has another reason": {f"{RECORD}.amendments.0.amendment.reason": "another"},
    "a decision is left out": {f"{RECORD}.amendments.0": GONE},
    "a file was handed out early": {f"{BLUES}.2.handed_out_at": EARLIER},
    "a file opened in a pause": {f"{RECORD}.releases.3": lambda row: {**row, "opens_at": row["planned_at"]}},
}
RULED: dict[str, dict[str, Any]] = {
    "a ruling has another cause, in its row, too": {
        f"{RECORD}.rulings.0.details.cause": "platform",
        f"{BLUES}.1.cause": "platform",
    },
    "a row has another cause than its ruling": {f"{BLUES}.1.cause": "platform"},
    "a ruling is kept back": {f"{RECORD}.rulings.0": GONE},
    "a later ruling is kept back": {"after.rulings.-1": GONE},
    "a ruling is invented": {f"{RECORD}.rulings": lambda rulings: [*rulings, {**rulings[0], "number": 2}]},
}


def place(answers: Any, path: str) -> tuple[Any, Any]:
    """Return what holds the value at a path, and its key in there."""
    *steps, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
    for step in steps:
        answers = answers[step]
    return answers, last


@pytest.mark.parametrize("name", [*CHANGES, *RULED])
def test_every_change_is_found(answers: Any, name: str) -> None:
    changed = json.loads(json.dumps(answers))
    assert changed["record"]["record"]["sessions"][0]["team_id"] == "blue"
    for path, value in (CHANGES | RULED)[name].items():
        holder, key = place(changed, path)
        if value is GONE:
            del holder[key]
        else:
            holder[key] = value(holder[key]) if callable(value) else value
    # the signed record itself always gives a change of it away; each is found by what it breaks, too
    others = [line for line in findings(PAGES[0], changed) if "not the one that was signed" not in line]
    assert others
    if name in RULED:
        assert any(word in line for line in others for word in ("ruling", "file 2 of blue"))


def test_a_file_as_handed_out_has_the_hash_that_the_command_prints(tmp_path: Path) -> None:
    played = planned(files=1)
    played.at(played.run.starts_at)
    content = played.ask("red", 1).content
    (tmp_path / "file.json").write_text(json.dumps({"content": content}), "utf-8")
    page = (DOCS / PAGES[0]).read_text("utf-8")
    (command,) = re.findall(r"^python -c '(.*)' \| sha256sum$", page, re.MULTILINE)
    ran = subprocess.run([sys.executable, "-c", command], cwd=tmp_path, capture_output=True, check=True)
    row = reading.run_files(played.platform, played.run_id)[0]
    assert sha256_hex(ran.stdout) == row.content_sha256
