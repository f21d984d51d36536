"""``pku submit`` and ``pku submissions`` as a person or a program meets them."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from local.submissions.job import Cause
from pku.config import Clock
from pku.pilot import archive
from tests.pku.platform import Handle, answering, pku, serving
from tests.pku.submitting import SubmittingPlatform
from tests.stage import staged

pytestmark = [pytest.mark.integration, pytest.mark.clause("TS T16")]
REASON = {"code": "no_metadata", "message": "there is no metadata.json", "message_ru": "нет metadata.json", "where": {}}


class Desk:
    """A person at the keyboard."""

    def __init__(self, platform: SubmittingPlatform, folder: Path) -> None:
        self.platform, self.folder = platform, folder

    pku = staticmethod(pku)

    def only(self) -> Any:
        """Return the only submission."""
        [found] = self.platform.submissions()
        return self.platform.ask(f"/v1/submissions/{found['submission_id']}")

    def contest(self, **changed: Any) -> None:
        """Let the platform tell another contest from now on."""
        told = self.platform.ask("/v1/cycle") | changed
        self.platform.instead["/v1/cycle"] = lambda: httpx.Response(200, json=told)

    def file(self, content: bytes = b"") -> str:
        path = self.folder / "model.zip"
        path.write_bytes(content or archive())
        return str(path)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, person: None) -> Iterator[Desk]:
    monkeypatch.setattr("pku.transfers.FIRST_POLL_S", 0.0)
    with staged(tmp_path, "fusion-1") as stage:
        platform = SubmittingPlatform(stage, Clock())
        platform.works = True
        with serving(platform) as address:
            pku("login", address, "--token-stdin", given=f"{platform.token}\n")
            yield Desk(platform, tmp_path)


def test_a_submission_is_brought_watched_and_shown_with_its_report(desk: Desk) -> None:
    said = desk.pku("submit", desk.file()).stdout
    for words in (
        "handed in",
        "UTC, state: being checked",
        "UTC, state: scored",
        "Sum of the four",
        "Without an answer: HTR",
    ):
        assert words in said
    assert "Run on a machine, bubblewrap: 2.5 s, exit code 0." in said
    assert "Not enforced there: no GPU" in said
    assert desk.only()["sha256"] == hashlib.sha256(archive()).hexdigest()
    assert len(list((desk.folder / "home/submissions").glob("*.json"))) == 0
    assert len(list((desk.folder / "home/submissions/receipts").glob("*.json"))) == 1


def test_programs_get_json_with_the_report(desk: Desk) -> None:
    told = json.loads(desk.pku("submit", desk.file(), "--json").stdout)
    assert (told["state"], told["report"]["missing"]) == ("scored", ["HTR"])


def test_nobody_has_to_wait_and_the_list_and_the_report_come_later(desk: Desk) -> None:
    said = desk.pku("submit", desk.file(), "--no-wait").stdout
    first = desk.only()["submission_id"]
    assert f"pku submissions {first}" in said
    assert "not_scored_yet" in desk.pku("submissions", first, "--report", code=1).stderr
    desk.pku("submissions", first)
    desk.pku("submissions", first)
    assert "Sum of the four" in desk.pku("submissions", first, "--report").stdout
    desk.pku("submit", desk.file(), "--no-wait", "--set", "public")
    second = desk.platform.submissions()[1]["submission_id"]
    listed = desk.pku("submissions").stdout
    assert listed.index(second) < listed.index(first)
    assert "Left today: 99 scored, 100 not scored" in listed


def test_an_upload_is_given_up_by_its_id_and_what_was_handed_in_is_not(desk: Desk) -> None:
    desk.platform.loses = [1] * 100
    desk.pku("submit", desk.file(), code=1)
    desk.platform.loses = []
    first = desk.only()["submission_id"]
    assert json.loads(desk.pku("submissions", first, "--give-up", "--json").stdout)["state"] == "refused"
    assert "refused" in desk.pku("submissions", first, "--give-up").stdout
    desk.pku("submit", desk.file(), "--no-wait")
    second = desk.platform.submissions()[1]["submission_id"]
    assert "[submission_closed," in desk.pku("submissions", second, "--give-up", code=1).stderr
    for words in ((), (first, "--logs"), (first, "--report")):
        assert "[give_up_alone]" in desk.pku("submissions", *words, "--give-up", code=1).stderr


def test_logs_are_shown_of_the_newest_by_default(desk: Desk) -> None:
    assert "no_submission" in desk.pku("submissions", "--logs", code=1).stderr
    desk.pku("submit", desk.file())
    said = desk.pku("submissions", "--logs").stdout
    assert "── stdout, 5 bytes kept ──\ndone" in said
    assert "── stderr, 10 bytes kept ──\nTraceback" in said
    assert json.loads(desk.pku("submissions", "--logs", "--json").stdout)["stdout"] == "done\n"


def test_a_refused_one_says_why_and_fails(desk: Desk) -> None:
    def refused(request: httpx.Request, handle: Handle) -> httpx.Response:
        if re.fullmatch(r"/v1/submissions/\d+", request.url.path) is None:
            return handle()
        return httpx.Response(200, json=handle().json() | {"state": "refused", "reasons": [REASON]})

    desk.platform.faults.extend([refused] * 20)
    said = desk.pku("submit", desk.file(), "--lang", "ru", code=1).stdout
    assert "нет metadata.json [no_metadata]" in said


def test_a_failed_one_says_its_cause_and_what_to_do(desk: Desk) -> None:
    causes: tuple[tuple[Cause, *tuple[str, ...]], ...] = (
        ("timeout", "took too long", "--logs"),
        ("platform", "a fault of the platform", "costs no attempt"),
    )
    for cause, *words in causes:
        desk.platform.engine.cause = cause
        said = desk.pku("submit", desk.file(), code=1).stdout
        assert all(each in said for each in words)


def test_a_receipt_that_is_signed_by_somebody_else_is_told(desk: Desk) -> None:
    keys = desk.platform.ask("/v1/keys")
    other = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32).public_key().public_bytes_raw()
    keys["keys"][0]["public_key"] = base64.b64encode(other).decode()
    desk.platform.instead["/v1/keys"] = lambda: httpx.Response(200, json=keys)
    (desk.folder / "home/keys.json").unlink(missing_ok=True)
    assert "bad_signature" in desk.pku("submit", desk.file()).stderr


def test_what_the_contest_does_not_take_is_not_sent(desk: Desk) -> None:
    desk.contest(submissions=[])
    assert "[no_submissions]" in desk.pku("submit", desk.file(), code=1).stderr
    desk.contest(submissions=["answers"])
    assert "[submission_kind]" in desk.pku("submit", desk.file(), "--kind", "program", code=1).stderr
    assert desk.platform.submissions() == []


def test_a_session_is_refused_with_the_way_to_submit(desk: Desk) -> None:
    for language, words in (("en", "has no sessions: answers are submitted whole (pku submit"), ("ru", "сессий нет")):
        refused = desk.pku("start", "--lang", language, code=1).stderr
        assert words in refused
        assert "[unknown_mode]" in refused


def test_what_waits_for_another_says_how_to_go_on(desk: Desk) -> None:
    file = desk.file()
    desk.platform.faults.extend([None] * 4)
    desk.platform.faults.append(answering(409, "submission_under_way"))
    said = desk.pku("submit", file, code=1).stderr
    assert "the same command goes on when the other one has ended" in said
    desk.pku("submit", file)
    assert len(desk.platform.submissions()) == 1


def test_the_pilot_submits_its_archive(desk: Desk) -> None:
    said = desk.pku("pilot").stdout
    assert "UTC, state: scored" in said
    [brought] = desk.platform.stored().values()
    assert "metadata.json" in zipfile.ZipFile(io.BytesIO(brought)).namelist()
    assert brought == archive()


def test_an_archive_that_would_be_refused_is_not_sent_and_everything_is_said(desk: Desk) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("../out", "x")
    said = desk.pku("submit", desk.file(packed.getvalue()), code=1).stderr
    for code in ("path_escape", "no_metadata", "archive_refused"):
        assert f"[{code}]" in said
    assert desk.platform.submissions() == []


def test_the_doctor_runs_an_archive_on_the_sample(desk: Desk) -> None:
    said = desk.pku("doctor", "--archive", desk.file(), "--lang", "ru").stdout
    assert "Архив был бы принят: python -m fusion_pilot в образе jupyter/scipy-notebook:latest" in said
    assert "её образ не проверялся" in said
    for each in ("C2C", "HTR", "VQA", "zsOD"):
        assert f"✓ {each}: ответ, байтов: " in said
    told = json.loads(desk.pku("doctor", "--archive", desk.file(), "--json").stdout)
    assert [each["item"] for each in told["findings"] if each["check"] == "output"] == ["C2C", "HTR", "VQA", "zsOD"]


def test_a_command_for_another_kind_of_contest_names_the_one_for_this(desk: Desk) -> None:
    solver = ("--solver", "true {input} {output}")
    assert "pku submit FILE" in desk.pku("run", "--set", "test", *solver, code=1).stderr
    assert "pku doctor --archive FILE" in desk.pku("doctor", *solver, code=1).stderr
    desk.contest(track="gec")
    assert "pku doctor --solver" in desk.pku("doctor", "--archive", desk.file(), code=1).stderr
