"""Every command against a platform on a port, as a person or a program meets it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from contest.cycle.rules.stages import Stage, StageName, described_off_board
from contest.messages import sending
from contest.people.rules import Role
from contest.results.rules import set_access
from contest.results.rules.leaderboard import describe_board
from contest.results.rules.reports import described_parameters
from contest.results.wire import BoardBody, stage_of_board
from contest.session.wire import ReportBody
from pku import config, doctor
from pku.config import Clock
from tests.fakes_hooks import FakePoster
from tests.pku.platform import (
    Handle,
    Platform,
    answering,
    essay,
    essay_cycle,
    numbered,
    pku,
    platform_of,
    refusal,
    serving,
)
from tests.samples import PARAMETERS
from tracks import registry

pytestmark = pytest.mark.integration

COPY = "cp {input} {output}"
FAIL = "sh -c 'case $0 in *sample*) cp $0 $1;; *) echo no model >&2; exit 1;; esac' {input} {output}"
FAIL_AT_ONCE = "sh -c 'echo no model >&2; exit 1' {input} {output}"

FIRST = essay("e1", "Первое эссе.")
TRAIN = [FIRST, essay("e2", "Второе эссе.")]
EXPERTS = (
    [{"id": 1, "startSelection": 0, "endSelection": 12, "type": "Р.тавт", "subtype": ""}],
    [{"id": 1, "startSelection": 7, "endSelection": 11, "type": "Г.упр", "subtype": ""}],
)
"""Selections of two experts in the first essay."""
RULES = describe_board(registry.get("essay").boards()[0])
ROW = {
    "place": 1,
    "place_to": 1,
    "team": "Alpha",
    "answered": 2,
    "files": 2,
    "value": 1.0,
    "barrier": False,
    "result": {},
}
"""The fields of a place on a board."""


class Desk:
    """A person at the keyboard."""

    def __init__(self, platform: Platform, address: str) -> None:
        self.platform = platform
        self.address = address

    pku = staticmethod(pku)

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.pku(*arguments, "--json", code=code).stdout)

    def answered_session(self) -> str:
        self.pku("run", "--set", "train", "--solver", COPY)
        return self.platform.session_ids()[-1]


@pytest.fixture
def desk(tmp_path: Path, person: None) -> Iterator[Desk]:
    cycle = essay_cycle(TRAIN, test=numbered(8))
    cycle |= {f"train/e1_exp0{number}.json": FIRST | {"selections": found} for number, found in enumerate(EXPERTS, 1)}
    with platform_of(tmp_path, Clock(), cycle) as platform, serving(platform) as address:
        desk = Desk(platform, address)
        desk.pku("login", address, given=f"{platform.token}\n")
        yield desk


def test_a_login_is_stored_for_its_owner_only(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "home" / "login.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_bytes()) == {"url": desk.address, "token": desk.platform.token}


def test_the_token_is_never_shown(desk: Desk) -> None:
    said = desk.pku("login", desk.address, "--lang", "ru", given=f"{desk.platform.token}\n")
    assert desk.platform.token not in said.output
    assert "Warning" not in said.output, (
        "what comes through a pipe needs no hiding, and nobody is warned of it in English"
    )


def test_the_token_may_come_from_standard_input_or_the_environment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Trial cycle" in desk.pku("login", desk.address, "--token-stdin", given=desk.platform.token).stdout
    assert "Trial cycle" in desk.pku("login", given=f"{desk.address}\n{desk.platform.token}\n").stdout
    assert "[no_token_given]" in desk.pku("login", desk.address, "--token-stdin", given="\n", code=1).stderr
    assert "Stopped." in desk.pku("login", desk.address, given="", code=130).stderr
    for unwritable in ("hrd_токен", "hrd_\ufeff", "hrd_a\0b", b"hrd_\xff"):
        assert "[bad_token]" in desk.pku("login", desk.address, "--token-stdin", given=unwritable, code=1).stderr
    monkeypatch.setenv("HURDLE_TOKEN", desk.platform.token)
    assert "Пробный цикл" in desk.pku("login", desk.address, "--lang", "ru").stdout
    monkeypatch.setenv("HURDLE_URL", desk.address)
    assert "Address of the platform" not in desk.pku("login").stderr


def test_a_malformed_option_is_refused_with_its_field(desk: Desk) -> None:
    assert "- body.set: String should match" in desk.pku("start", "--set", "", code=1).stderr
    assert "\\udcff is not UTF-8" in desk.pku("ask", "\udcff", code=2).stderr
    assert desk.platform.session_ids() == []


@pytest.mark.clause("R 4.3", "R 4.7")
def test_a_newer_published_kit_is_told_at_login_and_before_a_session_opens(desk: Desk) -> None:
    assert "9.9.9" not in desk.pku("start").stderr
    desk.platform.publish_kit("9.9.9", config.package_sha256())
    for language, words in (("en", "the published one 9.9.9"), ("ru", "опубликован 9.9.9")):
        desk.pku("abort", "--yes")
        for order in (["login", desk.address, "--token-stdin"], ["start"]):
            told = desk.pku(*order, "--lang", language, given=desk.platform.token).stderr
            assert words in told
            assert 'pip install "http://' in told


def test_a_session_opens_whether_or_not_the_kit_can_be_asked_about(desk: Desk) -> None:
    desk.platform.publish_kit("9.9.9", config.package_sha256())
    desk.platform.faults.append(answering(403, "forbidden"))
    opened = desk.pku("start")
    assert "9.9.9" not in opened.stderr
    assert len(desk.platform.session_ids()) == 1


def test_a_platform_too_busy_to_name_its_kit_is_asked_once_and_keeps_nobody_waiting(desk: Desk) -> None:
    for status in (429, 500, 502, 503):
        desk.platform.instead["/v1/kit"] = lambda status=status: refusal(status, "busy")  # type: ignore[misc]
        for order in (["start"], ["login", desk.address, "--token-stdin"]):
            before = desk.platform.requests.count(("GET", "/v1/kit"))
            desk.pku(*order, given=desk.platform.token)
            assert desk.platform.requests.count(("GET", "/v1/kit")) == before + 1, (status, order)
        desk.pku("abort", "--yes")


def test_a_session_opens_whatever_is_answered_about_the_kit(desk: Desk) -> None:
    """A newer platform, or a page in between: a list of a form that is not known is no reason to miss a final."""
    known = (b"[]", b"{}", b'{"kit": []}', b'{"kit": {}}', b'{"kit": {"statement": {"format": 9}}}', b"<html>")
    for opened, said in enumerate(known, 1):
        desk.platform.faults.append(lambda *_, said=said: httpx.Response(200, content=said))
        assert "Traceback" not in desk.pku("start").output
        assert len(desk.platform.session_ids()) == opened
        desk.pku("abort", "--yes")


def test_a_session_opens_without_readable_keys(desk: Desk, tmp_path: Path) -> None:
    desk.platform.publish_kit("9.9.9", config.package_sha256())
    (tmp_path / "home" / "keys.json").write_text('{"keys": [{"key_id": "x"}]}')
    desk.pku("start")
    assert len(desk.platform.session_ids()) == 1


def test_a_wrong_token_is_refused_and_not_stored(desk: Desk, tmp_path: Path) -> None:
    for language, words in (("en", "unknown or revoked"), ("ru", "неизвестен, отозван")):
        refused = desk.pku("login", desk.address, "--lang", language, given="hrd_wrong\n", code=1)
        assert [phrase for phrase in (words, "[forbidden]", "pku login") if phrase not in refused.stderr] == []
    assert desk.platform.token in (tmp_path / "home" / "login.json").read_text()


@pytest.mark.parametrize(
    ("language", "advice"), [("en", "address alone, without a path"), ("ru", "только адрес платформы, без пути")]
)
def test_a_login_at_an_address_with_a_path_says_which_is_expected(desk: Desk, language: str, advice: str) -> None:
    desk.platform.instead["/abc/v1/sessions"] = lambda: httpx.Response(404, text="not found")
    for path, code in (("/abc", "unexpected_response"), ("/v1", "unknown_route, ")):
        wrong = ("login", f"{desk.address}{path}", "--token-stdin", "--lang", language)
        refused = desk.pku(*wrong, given=desk.platform.token, code=1).stderr
        assert advice in refused
        assert f"[{code}" in refused


def test_a_place_that_cannot_be_written_is_named_and_no_session_is_opened(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "no folder"
    place.touch()
    commands = [
        ["run", "--set", "train", "--folder", f"{place}/essays"],
        ["new", f"{place}/kit", "--language", "python"],
        ["login", desk.address, "--token-stdin"],
        ["start"],
        ["status"],
    ]
    for line in commands:
        if line[0] == "login":
            monkeypatch.setenv("HURDLE_HOME", str(place))
        for language, advice in (("en", "Name another place"), ("ru", "Укажите другое место")):
            refused = desk.pku(*line, "--lang", language, given=desk.platform.token, code=1).stderr
            assert f"{place}" in refused, line
            assert advice in refused
            assert "[not_written]" in refused
    assert desk.platform.session_ids() == []


def test_without_a_login_every_command_says_what_to_do(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "home" / "login.json").unlink()
    for line in ("start", "pilot", "status", "abort --yes", "report", "compare 1", "receipts", "board", "cycle"):
        assert "pku login" in desk.pku(*line.split(), code=1).stderr, line
    assert "pku login" in desk.pku("run", "--solver", COPY, code=1).stderr


def test_empty_lists_say_what_is_missing(desk: Desk) -> None:
    desk.platform.instead["/v1/sets"] = lambda: httpx.Response(200, json={"sets": []})
    assert "Open one: pku start" in desk.pku("status").stdout
    assert "Сессий ещё нет" in desk.pku("status", "--lang", "ru").stdout
    assert desk.pku("data", "list").stdout == "The organizers give out no data set.\n"


def test_a_session_is_started_run_reported_and_listed(desk: Desk) -> None:
    assert "pku start" in desk.pku("run", "--solver", COPY, code=1).stderr
    opened = desk.pku("start", "--files", "7").stdout
    assert "2 files of the train set" in opened
    assert "Asked for: 7 files; available: 2." in opened
    refused = desk.json("start", code=1)["error"]
    assert (refused["code"], "pku abort" in refused["message"]) == ("session_already_open", True)
    session = desk.platform.session_ids()[-1]
    done = desk.pku("run", "--solver", COPY)
    assert f"Continuing session {session}" in done.stdout
    assert "2 of 2 files answered in time" in done.stdout
    assert session in desk.pku("status").stdout
    assert "answered" in desk.pku("status", session).stdout


def test_files_without_an_answer_are_named_and_give_their_own_exit_code(desk: Desk) -> None:
    done = desk.pku("run", "--set", "train", "--solver", FAIL, code=3)
    assert "0 of 2 files answered in time, 0 late, 2 without an answer." in done.stdout
    assert "no model" in done.stdout
    told = desk.json("run", "--solver", FAIL, code=3)
    assert [each["code"] for each in told["failures"]] == ["solver_failed"] * 2


def test_no_session_is_opened_for_a_solver_that_does_not_work(desk: Desk) -> None:
    for solver, code, said in (
        (f"--solver={FAIL_AT_ONCE}", "solver_fails_on_sample", "no model"),
        ("--solver=no-such-program {input} {output}", "solver_fails_on_sample", "cannot be started"),
        ("--entry-point=json:dumps", "solver_fails_on_sample", "not sent"),
        ("--entry-point=no_such_module:mark", "bad_entry_point", "no_such_module"),
    ):
        refused = desk.pku("run", "--set", "train", solver, code=1)
        assert f"[{code}]" in refused.stderr
        assert said in refused.stderr
    assert desk.platform.session_ids() == []


@pytest.mark.clause("TS T16")
def test_t16_a_solver_is_tried_in_the_time_that_the_session_will_give(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, limits = doctor.try_out, list[float]()

    def noted(*known: Any) -> Any:
        limits.append(known[3])
        return really(*known)

    monkeypatch.setattr(doctor, "try_out", noted)
    for said in ((), ("--time-limit", "20")):
        desk.pku("run", "--set", "train", "--files", "1", *said, "--solver", COPY)
    assert limits == [60.0, 20.0]


def test_a_folder_is_not_tried_with_a_sample(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "essays"
    (folder / "out").mkdir(parents=True)

    def answered(request: httpx.Request, handle: Handle) -> httpx.Response:
        response = handle()
        if request.method == "GET" and request.url.path.endswith("/files/1"):
            file = response.json()
            (folder / "out" / f"{file['file_id']}.json").write_text(json.dumps(file["content"]))
        return response

    desk.platform.faults.extend([answered] * 20)
    desk.pku("run", "--set", "train", "--files", "1", "--folder", str(folder))
    assert [each.name for each in (folder / "in").iterdir()] != []
    assert [each.name for each in (folder / "in").iterdir() if "sample" in each.name] == []


def test_after_five_equal_failures_the_rest_is_not_asked_for(desk: Desk) -> None:
    stopped = desk.pku("run", "--set", "test", "--solver", FAIL, code=1)
    assert "[solver_keeps_failing]" in stopped.stderr
    assert "no model" in stopped.stderr
    deliveries = desk.platform.status()["deliveries"]
    assert [each["handed_out_at"] is not None for each in deliveries] == [True] * 5 + [False] * 3
    gone_on = desk.json("run", "--solver", FAIL, "--keep-going", code=3)
    assert [each["code"] for each in gone_on["failures"]] == ["solver_failed"] * 8


def test_failures_that_do_not_follow_each_other_do_not_stop_a_run(desk: Desk, tmp_path: Path) -> None:
    asked = f"open({str(tmp_path / 'asked')!r}, 'a+')"
    fourth = f"{asked}.write('x') and len(open({str(tmp_path / 'asked')!r}).read()) == 4"
    solver = program(tmp_path, f"essay if 'sample' in sys.argv[1] or ({fourth}) else None")
    done = desk.pku("run", "--set", "test", "--solver", solver, code=3)
    assert "1 of 8 files answered in time" in done.stdout


def program(folder: Path, answer: str) -> str:
    """Write a solver whose answer is an expression over ``essay``; None is no answer."""
    (folder / "program.py").write_text(
        "import json, sys\n"
        "essay = json.load(open(sys.argv[1], encoding='utf-8'))\n"
        f"answer = {answer}\n"
        "sys.exit('no answer') if answer is None else json.dump(answer, open(sys.argv[2], 'w'))\n"
    )
    return f"'{sys.executable}' '{folder / 'program.py'}' {{input}} {{output}}"


def test_a_run_that_asks_for_another_session_than_the_open_one_is_refused(desk: Desk) -> None:
    desk.pku("start", "--files", "2")
    for option, found in (
        ("--set test", "--set train"),
        ("--language eng", "--language all"),
        ("--files 7", "--files 2"),
        ("--set train --time-limit 11", "--time-limit 60"),
        ("--run r1", "--run None"),
        ("--choose variants 2", "--set train"),
    ):
        refused = desk.pku("run", *option.split(), "--solver", COPY, code=1)
        assert "[another_session_open]" in refused.stderr
        assert found in refused.stderr
    assert desk.platform.answers_counted() == [0, 0]
    desk.pku("run", "--set", "train", "--language", "all", "--files", "2", "--solver", COPY)


def test_a_run_that_chooses_otherwise_than_the_open_session_is_refused(desk: Desk) -> None:
    def chosen(_request: httpx.Request, handle: Handle) -> httpx.Response:
        told = handle().json()
        for each in told.get("sessions", [told]):
            each["choices"] = {"variants": 1}
        return httpx.Response(200, json=told)

    assert "choices.variants cannot be chosen" in desk.pku("start", "--choose", "variants", "1", code=1).stderr
    desk.pku("start")
    desk.platform.faults.extend([chosen] * 6)
    refused = desk.pku("run", "--choose", "variants", "2", "--solver", COPY, code=1)
    assert "[another_session_open]" in refused.stderr
    assert "--choose variants 1" in refused.stderr
    desk.pku("run", "--choose", "variants", "1", "--solver", COPY)


def test_answers_without_a_fragment_and_an_open_session_are_told(desk: Desk, tmp_path: Path) -> None:
    done = desk.pku("run", "--set", "train", "--solver", program(tmp_path, '{**essay, "selections": []}'))
    assert "None of the 2 answers has a fragment" in done.stdout
    assert "The report: pku report" in done.stdout
    failed = desk.pku("run", "--set", "train", "--solver", FAIL, "--lang", "ru", code=3)
    assert "pku report" not in failed.stdout
    assert "ещё открыта: до" in failed.stdout
    assert "так и задумано" not in failed.stdout


def test_exactly_one_solver_is_wanted(desk: Desk) -> None:
    for arguments in ([], ["--solver", COPY, "--folder", "x"]):
        assert "exactly one" in desk.pku("run", *arguments, code=1).stderr


def test_the_pilot_answers_a_session(desk: Desk) -> None:
    assert "2 of 2 files answered in time" in desk.pku("pilot", "--set", "train").stdout


def test_a_session_is_aborted_after_a_question(desk: Desk) -> None:
    desk.pku("start")
    assert "Nothing was ended." in desk.pku("abort", given="n\n").output
    assert desk.platform.status()["state"] == "open"
    left = desk.pku("abort", given="", code=130)  # Ctrl-D; Ctrl-C at a question is the same to the library
    assert "Nothing was ended." in left.stderr
    assert "Aborted" not in left.output
    assert desk.platform.status()["state"] == "open"
    assert "is aborted." in desk.pku("abort", given="y\n").output
    assert "pku start" in desk.pku("abort", "--yes", code=1).stderr


# --- results ---------------------------------------------------------------------------------------------------------


def words(text: str) -> dict[str, str]:
    return {"en": text, "ru": f"по-русски: {text}"}


def report_of(session_id: str) -> dict[str, Any]:
    """Return a report of two files, by the platform's wire model."""
    described = {
        "session_id": session_id,
        "team_id": "t",
        "cycle": "trial",
        "mode": "algorithmic",
        "set": "train",
        "language": "all",
        "files": 2,
        "requested_files": 2,
        "time_limit_s": 60,
        "state": "finished",
        "opened_at": "2026-06-01T00:00:00.000Z",
        "closed_at": "2026-06-01T00:00:00.000Z",
        "client": None,
    }
    accuracies = {"algorithm_accuracy": 40.0, "expert_accuracy": 80.0, "relative_accuracy": 50.0}
    columns = [words(each) for each in ("File", "Type", "Relative accuracy (OTAR), %", "M3 codes")]
    rows = [["f1", "rus-free", 31.25, 10.0], ["f2", "rus-free", None, 75.5]]
    files = [
        {
            "number": number,
            "file_id": str(10**14 + number),
            "language": "rus",
            "group": "rus-free",
            "state": "answered",
            "cause": None,
            "evidence": {},
            "handed_out_at": None,
            "answer_by": None,
            "answered_at": None,
            "processing_ms": 1500,
            "send": 1,
            "content_sha256": None,
        }
        for number in (1, 2)
    ]
    reason = {"code": "too_few_files", "message": "Too few files.", "message_ru": "Мало файлов.", "where": {}}
    body = {
        "format": 1,
        "session": described,
        "counts": {"waiting": 0, "open": 0, "answered": 2, "late": 0, "voided": 0},
        "result": {**accuracies, "by_metric": {"M2": accuracies, "M3": {**accuracies, "algorithm_accuracy": None}}},
        "sections": [{"key": "files", "title": words("Files"), "columns": columns, "rows": rows}],
        "files": files,
        "barrier": {"value": 100.0, "overcome": False},
        "readiness": {"ready": False, "valid_share": 1.0, "reasons": [reason]},
        "timing": {"processing_ms": {"count": 2, "mean": 1500.0, "max": 1500, "p50": 1500, "p95": 1500}},
        "voided": {"files": 0, "share": 0.0, "by_cause": {}},
        "parameters": described_parameters(PARAMETERS),
        "scorer": {"track": "essay", "version": "0.1.0"},
    }
    return ReportBody.model_validate(body).model_dump(mode="json")


def reported(desk: Desk, **more: Any) -> dict[str, Any]:
    """Let the platform answer with such a report of the newest session."""
    session = desk.answered_session()
    report = report_of(session) | more
    desk.platform.instead[f"/v1/sessions/{session}/report"] = lambda: httpx.Response(200, json=report)
    return report


def test_a_report_shows_tables_a_chart_and_the_conclusion(desk: Desk) -> None:
    report = reported(desk)
    shown = desk.pku("report").stdout
    for part in ("31.25", "75.50", "–", "Accuracy by metric", "█", "mean 1.5 s", "Not ready", "Too few files."):
        assert part in shown, part
    russian = desk.pku("report", report["session"]["session_id"], "--lang", "ru").stdout
    assert "Мало файлов." in russian
    assert "по-русски: M3 codes" in russian
    assert desk.json("report") == report


def test_a_report_of_what_is_kept_off_the_board_or_left_out_says_so_in_both_languages(desk: Desk) -> None:
    rule = described_off_board(Stage(StageName.QUALIFICATION, "2026-05-01", "2026-05-31", "off_board"))
    reported(desk)
    assert "Off the board" not in desk.pku("report").stdout
    reported(desk, off_board=rule, left_out=set_access.described_reason(set_access.left_out(10)))
    for language, *parts in (
        ("en", "Off the board: begun outside", "breakdowns are left out"),
        ("ru", "Вне лидерборда: начато вне квалификации", "разбивки не сообщаются"),
    ):
        said = " ".join(desk.pku("report", "--lang", language).stdout.split())
        assert [part for part in parts if part not in said] == []


def test_files_of_a_report_are_sorted_by_any_column(desk: Desk) -> None:
    reported(desk)
    by_code = desk.pku("report", "--sort", "M3").stdout
    assert by_code.index("75.50") < by_code.index("31.25")
    by_accuracy = desk.pku("report", "--sort", "otar").stdout
    assert by_accuracy.index("31.25") < by_accuracy.index("75.50"), "undefined values stand last"
    refused = desk.pku("report", "--sort", "M9", code=1)
    assert refused.stdout == "", "a report that cannot be sorted is not begun"
    assert "M9" in refused.stderr
    assert "otar" in refused.stderr


def test_the_report_of_an_unfinished_session_says_what_to_do(desk: Desk) -> None:
    desk.pku("start")
    refused = desk.pku("report", code=1)
    assert "[session_open, " in refused.stderr
    assert "pku run" in refused.stderr


def test_a_comparison_shows_matched_and_unmatched_fragments(desk: Desk, tmp_path: Path) -> None:
    own = "[{'id': 1, 'startSelection': 0, 'endSelection': 6, 'type': 'Р.лишн', 'subtype': 'плеон'}]"
    desk.pku("run", "--set", "train", "--solver", program(tmp_path, f"{{**essay, 'selections': {own}}}"))
    desk.platform.score_all()
    first = desk.pku("compare", "1").stdout
    number = "1" if "Первое" in first else "2"
    told = desk.json("compare", number)
    assert set(told) == {"answer", "experts", "score"}
    pairs = [each for each in told["score"]["pairs"] if each["x"] == "algorithm"]
    values = [f"{each['pair_accuracy']:.2f}" for each in pairs]
    values += [f"{each['metrics']['M2']:.2f}" for each in pairs]
    shown = desk.pku("compare", number).stdout
    for part in ("Р.лишн плеон «Первое»", "Р.тавт «Первое эссе.»", "Г.упр «эссе»", *values):
        assert part in shown, part
    assert len(values) == 4


def test_experts_of_a_test_set_stay_hidden(desk: Desk) -> None:
    desk.pku("run", "--set", "test", "--solver", COPY)
    assert "[comparison_not_allowed, " in desk.pku("compare", "1", code=1).stderr


def test_receipts_are_listed_and_verified_also_without_the_platform(desk: Desk) -> None:
    session = desk.answered_session()
    assert "accepted" in desk.pku("receipts").stdout
    assert "2 of 2 signatures are good" in desk.pku("receipts", session, "--verify").stdout
    before = len(desk.platform.requests)
    assert "2 of 2 signatures are good" in desk.pku("receipts", "--offline", "--verify").stdout
    assert len(desk.platform.requests) == before
    receipts = desk.platform.ask(f"/v1/sessions/{session}/receipts")
    receipts["receipts"][0]["receipt"]["status"] = "late"
    desk.platform.instead[f"/v1/sessions/{session}/receipts"] = lambda: httpx.Response(200, json=receipts)
    assert "BAD SIGNATURE" in desk.pku("receipts", "--verify", code=1).stdout


def test_the_board_shows_places(desk: Desk) -> None:
    board = BoardBody(
        cycle="trial", track="essay", board=RULES, language="all", rows=[], server_time="2026-06-01T00:00:00.000Z"
    ).model_dump(mode="json")
    desk.platform.instead["/v1/leaderboards/qualification"] = lambda: httpx.Response(200, json=board)
    assert "Nobody is on the board yet" in desk.pku("board").stdout
    stage = Stage(StageName.QUALIFICATION, "2026-05-01", "2026-05-31", "off_board")
    board["stage"] = stage_of_board(stage).model_dump(mode="json")
    for language, rule in (("en", "stay off the board"), ("ru", "на лидерборд не попадают")):
        assert rule in " ".join(desk.pku("board", "--lang", language).stdout.split())
    result = {"relative_accuracy": 101.5, "interval_95": {"relative_accuracy": [90.0, 110.0]}}
    board["rows"] = [{**ROW, "place_to": 2, "value": 101.5, "barrier": True, "result": result}]
    shown = desk.pku("board").stdout
    for part in ("1–2", "Alpha", "101.50", "90.00 … 110.00", "overcome"):
        assert part in shown, part


def test_a_final_has_a_board_of_its_own(desk: Desk) -> None:
    board: dict[str, Any] = {"board": RULES, "language": "all"}
    for options, kind, query in (
        ("", "qualification", "language=all"),
        ("--final --nomination n", "final", "nomination=n"),
        ("--final", "final", "language=all"),
        ("--run r1 --language eng", "final", "language=eng&run=r1"),
    ):
        path = f"/v1/leaderboards/{kind}"
        board["rows"] = [ROW]
        desk.platform.instead[path] = lambda: httpx.Response(200, json=board)
        for language, heading in (("ru", ": все языки"), ("en", f"Leaderboard of the {kind}: all languages")):
            output = desk.pku("board", *options.split(), "--lang", language).stdout
            assert output.splitlines()[0].rstrip().endswith(heading)
        assert (desk.platform.requests[-1][1], desk.platform.query) == (path, query)
        board["rows"] = []
        empty = desk.pku("board", *options.split()).stdout
        assert ("Nobody has a place on this board." in empty) is (kind == "final")


def test_a_board_before_its_day_is_no_error(desk: Desk) -> None:
    desk.platform.faults.append(answering(403, "results_not_published"))
    assert desk.pku("board", "--final").stdout == "The results have not been published yet.\n"


def test_an_unknown_nomination_is_refused_with_the_names_of_the_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for options in ("", "--final"):
        if options:
            desk.platform.faults.append(answering(404, "unknown_board"))
        refused = desk.pku("board", "--nomination", "kalinka", *options.split(), code=1)
        assert (
            "This board has no nomination kalinka. Those of a final (--final, --run): —. [unknown_nomination]"
            in refused.stderr
        )
    russian = desk.pku("board", "--nomination", "kalinka", "--lang", "ru", code=1).stderr
    assert "нет номинации kalinka" in russian
    nominations = {"parameters": {"nominations": {"kalinka": {}, "russian": {}}}}
    monkeypatch.setattr("pku.exchange.Exchange.cycle", lambda _: nominations)
    assert "(--final, --run): kalinka, russian." in desk.pku("board", "--nomination", "ru", code=1).stderr
    for nomination, code in (("kalinka", "invalid_request"), ("ru", "unknown_nomination")):
        desk.platform.faults.append(answering(422, "invalid_request"))
        assert f"[{code}" in desk.pku("board", "--final", "--nomination", nomination, code=1).stderr


@pytest.mark.parametrize("words", ["status", "report", "verify-run", "questions --withdraw", "data get", "pages"])
def test_what_is_no_name_is_not_asked_for(desk: Desk, words: str) -> None:
    for name in ("", "..", "ы/x"):
        assert f'pku: "{name}" is no id or name' in desk.pku(*words.split(), name, code=1).stderr
    assert f"«{name}»" in desk.pku(*words.split(), name, "--lang", "ru", code=1).stderr


def test_a_run_is_joined_in_its_mode_and_no_other_session_is_opened(desk: Desk) -> None:
    assert "--mode final … [run_without_mode]" in desk.pku("start", "--run", "x" * 20, code=1).stderr
    assert desk.platform.session_ids() == []


def test_a_question_about_a_malformed_file_names_the_fault_of_the_file_alone(desk: Desk) -> None:
    refused = desk.pku("ask", "Why?", "--item", "x", "1", code=1).stderr
    assert refused.count("\n") == 2
    assert "- body.about.session_id: String should match pattern" in refused


def test_the_cycle_shows_its_sets(desk: Desk) -> None:
    shown = desk.pku("cycle").stdout
    assert "Trial cycle" in shown
    assert "rus 2" in shown
    assert desk.json("cycle")["cycle"] == "trial"


def test_a_platform_that_cannot_be_reached_has_its_own_exit_code(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HURDLE_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("pku.connection.FIRST_WAIT_S", 4000.0)  # beyond any patience
    refused = desk.pku("status", code=4)
    assert "[connection_failed]" in refused.stderr


def test_nothing_that_one_copies_is_ever_cut(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    session = desk.answered_session()
    files = [each["file_id"] for each in desk.json("status", session)["deliveries"]]
    for columns, (language, verdict) in product(("80", None), (("en", "good"), ("ru", "верна"))):
        if columns is None:  # a pipe
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", columns)
        for order, whole in (
            (["status"], [session]),
            (["status", session], files),
            (["receipts", session, "--verify"], [*files, verdict]),
        ):
            shown = desk.pku(*order, "--lang", language).stdout
            assert "…" not in shown
            lines = shown.splitlines()
            assert [each for each in whole if not any(each in line for line in lines)] == []


@pytest.mark.parametrize("program", ["pku", "contest"])
def test_the_documented_line_completes_commands_in_bash(program: str) -> None:
    """Bash completes the program's commands once the line of its document has been run."""
    found = Path(sys.executable).with_name(program)
    script = f'eval "$(_{program.upper()}_COMPLETE=bash_source {program})"; complete -p {program}'
    words = {"COMP_WORDS": f"{program} st", "COMP_CWORD": "1", f"_{program.upper()}_COMPLETE": "bash_complete"}
    home = {**os.environ, "PATH": f"{found.parent}:{os.environ['PATH']}"}
    told = subprocess.run(["/bin/bash", "-c", script], env=home, capture_output=True, text=True, check=True)
    assert f"_{program}_completion" in told.stdout
    offered = subprocess.run([str(found)], env={**home, **words}, capture_output=True, text=True, check=True)
    assert ("plain,start" in offered.stdout) == (program == "pku")
    assert ("plain,staff" in offered.stdout) == (program == "contest")


def test_a_refusal_shows_its_details(desk: Desk) -> None:
    desk.platform.faults.extend((None, answering(422, "invalid_request", field="set")))
    refused = desk.pku("start", "--set", "nowhere", "--lang", "ru", code=1)
    assert "invalid_request по-русски." in refused.stderr
    assert "подробность [invalid_request_detail]" in refused.stderr


# --- help ------------------------------------------------------------------------------------------------------------


def test_the_list_of_commands_speaks_the_system_s_language(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Show the cycle" in desk.pku("--help").stdout
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    assert "Показать цикл" in desk.pku("--help").stdout


def test_a_question_is_asked_its_answer_read_once_and_another_withdrawn(desk: Desk) -> None:
    assert "nothing" in desk.pku("questions").stdout
    session = desk.answered_session()
    question = desk.json("ask", "Is it one word?", "--item", session, "1")
    assert (question["question_id"], question["about"]["number"]) == ("red.1", 1)
    assert "red.2" in desk.pku("ask", "When?", "--rule", "R 7.6").stdout
    assert desk.pku("ask", "Which?", "--rule", "R 7.6", "--run", "x" * 20, code=2).stderr
    stage = desk.platform.stage
    olga = stage.person(Role.ORGANIZER, "olga")
    content = {"version": 1, "text": {"en": "One.", "ru": "Одно."}}
    assert stage.request("POST", "/v1/answering/red.1/answer", content, olga).status == 200
    assert "Answer: One." in desk.pku("questions").stdout
    assert "Ответ: Одно." in desk.pku("questions", "--lang", "ru").stdout
    assert desk.json("questions")["unread"] == 0
    assert desk.json("questions", "--withdraw", "red.2")["state"] == "withdrawn"


def test_webhooks_are_added_listed_removed_and_their_signature_verified(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "no webhooks" in desk.pku("hooks", "list").stdout
    assert desk.pku("hooks", "add", code=2).stderr
    assert "https" in desk.pku("hooks", "add", "http://example.org/", code=1).stderr
    (hook,) = desk.json("hooks", "add", "https://example.org/hurdle")["hooks"]
    assert hook["hook_id"] in desk.pku("hooks", "list").stdout
    platform = desk.platform.stage.platform
    sending.collect(platform)
    (delivery,) = platform.hooks.waiting()
    body = tmp_path / "body.json"
    body.write_text(delivery.body, "utf-8")
    desk.pku("login", desk.address, given=f"{desk.platform.token}\n")
    assert "platform signed" in desk.pku("hooks", "verify", str(body)).stdout
    body.write_text(delivery.body.replace("This webhook works", "This webhook worked"), "utf-8")
    assert "bad_signature" in desk.pku("hooks", "verify", str(body), code=1).stdout
    body.write_text("[]", "utf-8")
    assert desk.pku("hooks", "verify", str(body), code=1).stderr
    assert "нет такого файла" in desk.pku("hooks", "verify", "nowhere", "--lang", "ru", code=1).stderr
    assert "test request" in desk.pku("hooks", "test", hook["hook_id"]).stdout
    monkeypatch.setattr(platform, "poster", FakePoster())
    assert sending.send_deliveries(platform) == 1
    assert "taken, HTTP 204" in desk.pku("hooks", "list").stdout
    assert desk.json("hooks", "remove", hook["hook_id"]) == {"hooks": []}
