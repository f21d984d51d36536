"""``pku submit`` and ``pku submissions`` as a person or a program meets them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pku.clock import SystemClock
from pku.command.cli import main
from pku.pilot.fusion_archive import archive
from pku.work.submissions import PART
from tests.pku.fake import TOKEN, answering, serving
from tests.pku.fake_submissions import SubmittingPlatform

pytestmark = [pytest.mark.integration, pytest.mark.clause("TS T16")]
REASON = {"code": "no_metadata", "message": "there is no metadata.json", "message_ru": "нет metadata.json", "where": {}}


class Desk:
    """A person at the keyboard."""

    def __init__(self, platform: SubmittingPlatform, folder: Path) -> None:
        self.platform, self.folder = platform, folder

    def pku(self, *arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, list(arguments), catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result

    def file(self, content: bytes = b"") -> str:
        path = self.folder / "model.zip"
        path.write_bytes(content or archive())
        return str(path)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    platform = SubmittingPlatform(SystemClock())
    platform.course, platform.part_size = ["checking", "scored"], PART
    for name in ("HURDLE_URL", "HURDLE_TOKEN", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HURDLE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("COLUMNS", "160")
    with serving(platform) as address:
        done = CliRunner().invoke(main, ["login", address, "--token-stdin"], input=f"{TOKEN}\n")
        assert done.exit_code == 0, done.output
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
    assert "Run on 2 CPU, bubblewrap: 2.5 s, exit code 0." in said
    assert "Not enforced there: no GPU" in said
    [found] = desk.platform.submissions.values()
    assert found.wanted["sha256"] == hashlib.sha256(archive()).hexdigest()
    assert len(list((desk.folder / "home/submissions").glob("*.json"))) == 0
    assert len(list((desk.folder / "home/submissions/receipts").glob("*.json"))) == 1


def test_programs_get_json_with_the_report(desk: Desk) -> None:
    told = json.loads(desk.pku("submit", desk.file(), "--json").stdout)
    assert (told["state"], told["report"]["missing"]) == ("scored", ["HTR"])


def test_nobody_has_to_wait_and_the_list_and_the_report_come_later(desk: Desk) -> None:
    said = desk.pku("submit", desk.file(), "--no-wait").stdout
    assert "pku submissions 100000000000001" in said
    desk.pku("submit", desk.file(b""), "--no-wait", "--set", "other")
    listed = desk.pku("submissions").stdout
    assert listed.index("100000000000002") < listed.index("100000000000001")
    assert "Left today: 2 scored, 10 not scored" in listed
    shown = desk.pku("submissions", "100000000000001", "--report", code=1)
    assert "not_scored_yet" in shown.stderr or "Sum of the four" in shown.stdout


def test_an_upload_is_given_up_by_its_id_and_what_was_handed_in_is_not(desk: Desk) -> None:
    desk.platform.loses = [1] * 100
    desk.pku("submit", desk.file(), code=1)
    desk.platform.loses = []
    assert json.loads(desk.pku("submissions", "100000000000001", "--give-up", "--json").stdout)["state"] == "refused"
    assert "refused" in desk.pku("submissions", "100000000000001", "--give-up").stdout
    desk.pku("submit", desk.file(), "--no-wait")
    assert "[submission_closed," in desk.pku("submissions", "100000000000002", "--give-up", code=1).stderr
    for words in ((), ("100000000000001", "--logs"), ("100000000000001", "--report")):
        assert "[give_up_alone]" in desk.pku("submissions", *words, "--give-up", code=1).stderr


def test_logs_are_shown_of_the_newest_by_default(desk: Desk) -> None:
    assert "no_submission" in desk.pku("submissions", "--logs", code=1).stderr
    desk.pku("submit", desk.file(), "--no-wait")
    said = desk.pku("submissions", "--logs").stdout
    assert "── stdout, 5 bytes kept ──\ndone" in said
    assert "── stderr, 10 bytes kept ──\nTraceback" in said
    assert json.loads(desk.pku("submissions", "--logs", "--json").stdout)["stdout"] == "done\n"


def test_a_refused_one_says_why_and_fails(desk: Desk) -> None:
    desk.platform.course, desk.platform.reasons = ["refused"], [REASON]
    said = desk.pku("submit", desk.file(), "--lang", "ru", code=1).stdout
    assert "нет metadata.json [no_metadata]" in said


@pytest.mark.parametrize(
    ("cause", "words"),
    [("timeout", ("took too long", "--logs")), ("platform", ("a fault of the platform", "costs no attempt"))],
)
def test_a_failed_one_says_its_cause_and_what_to_do(desk: Desk, cause: str, words: tuple[str, ...]) -> None:
    desk.platform.course, desk.platform.fails_by = ["failed"], cause
    said = desk.pku("submit", desk.file(), code=1).stdout
    assert all(each in said for each in words)


def test_a_receipt_that_is_signed_by_somebody_else_is_told(desk: Desk) -> None:
    desk.platform.signs_with = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)
    assert "bad_signature" in desk.pku("submit", desk.file()).stderr


@pytest.mark.parametrize(
    ("takes", "kind", "code"),
    [((), None, "no_submissions"), (("answers",), "program", "submission_kind")],
)
def test_what_the_contest_does_not_take_is_not_sent(
    desk: Desk, takes: tuple[str, ...], kind: str | None, code: str
) -> None:
    desk.platform.takes = list(takes)
    words = ["submit", desk.file(), *(("--kind", kind) if kind else ())]
    assert f"[{code}]" in desk.pku(*words, code=1).stderr
    assert desk.platform.submissions == {}


def test_what_waits_for_another_says_how_to_go_on(desk: Desk) -> None:
    file = desk.file()
    desk.platform.faults.extend([None] * 4)
    desk.platform.faults.append(answering(409, "submission_under_way"))
    said = desk.pku("submit", file, code=1).stderr
    assert "the same command goes on when the other one has ended" in said
    desk.pku("submit", file)
    assert len(desk.platform.submissions) == 1


def test_the_pilot_submits_its_archive(desk: Desk) -> None:
    said = desk.pku("pilot").stdout
    assert "UTC, state: scored" in said
    [found] = desk.platform.submissions.values()
    brought: Any = zipfile.ZipFile(io.BytesIO(found.brought[1]))
    assert "metadata.json" in brought.namelist()
    assert found.brought[1] == archive()


def test_a_program_that_is_submitted_whole_cannot_be_run_here(desk: Desk) -> None:
    assert "[submissions_only]" in desk.pku("run", "--set", "test", "--solver", "true {input} {output}", code=1).stderr


def test_an_archive_that_would_be_refused_is_not_sent_and_everything_is_said(desk: Desk) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("../out", "x")
    said = desk.pku("submit", desk.file(packed.getvalue()), code=1).stderr
    for code in ("path_escape", "no_metadata", "archive_refused"):
        assert f"[{code}]" in said
    assert desk.platform.submissions == {}


def test_the_doctor_runs_an_archive_on_the_sample(desk: Desk) -> None:
    said = desk.pku("doctor", "--archive", desk.file(), "--lang", "ru").stdout
    assert "Архив был бы принят: python -m fusion_pilot в образе jupyter/scipy-notebook:latest" in said
    assert "её образ не проверялся" in said
    for each in ("C2C", "HTR", "VQA", "zsOD"):
        assert f"✓ {each}: ответ, байтов: " in said
    told = json.loads(desk.pku("doctor", "--archive", desk.file(), "--json").stdout)
    assert [each["item"] for each in told["findings"] if each["check"] == "output"] == ["C2C", "HTR", "VQA", "zsOD"]


def test_the_doctor_times_no_solver_where_whole_programs_are_submitted(desk: Desk) -> None:
    """Without a sample of single files any solver would have been called good."""
    refused = desk.pku("doctor", "--solver", "python x.py {input} {output}", code=1)
    assert "pku doctor --archive FILE" in refused.stderr


def test_the_doctor_takes_no_archive_where_none_is_submitted(desk: Desk) -> None:
    desk.platform.track = "gec"
    refused = desk.pku("doctor", "--archive", desk.file(), code=1)
    assert "pku doctor --solver" in refused.stderr
