"""A whole qualification through HTTP, from the opening to the board (R 6.4–6.10), also by generated clients.

The generated clients are made by the command lines of ``docs/api.md``, typed as they are printed there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from contest import wire as contest_wire
from markup_core.accuracy import verify
from pku.cli import main as pku
from tests.exchange_programs import DEMONSTRATION, Exchange, Program, as_expert, refused

pytestmark = [pytest.mark.integration, pytest.mark.slow]

ESSAY_ID = re.compile(r"\b(rus|lit|social|hist|eng)(-free)?-\d\d\b")


@pytest.fixture(scope="module")
def trained(exchange: Exchange) -> Program:
    """Play a training session with the first expert's markups as answers; return the program."""
    program = exchange.program()
    client = {"name": "tests", "version": "1", "sha256": "0" * 64, "markup_core": "0.1.0"}
    assert program.open(files=6, time_limit_s=60, client=client).status_code == 201
    program.given = program.play(as_expert(1))
    exchange.cloud.drain()
    return program


class Noting(Program):
    """Keep every byte of the answers that a program gets."""

    def __init__(self, exchange: Exchange, team_id: str) -> None:
        super().__init__(exchange, team_id)
        self.said: list[bytes] = []

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.note(super().ask(method, path, **more))

    def note(self, answered: httpx.Response) -> httpx.Response:
        self.said.append(answered.content + repr(answered.headers).encode())
        return answered


@pytest.fixture(scope="module")
def tested(exchange: Exchange) -> Noting:
    """Return a program that has played the whole test set with the first expert's markups."""
    program = Noting(exchange, exchange.program().team_id)
    assert program.open(set="test").json()["files"] == 32
    while (coming := program.get("next").json())["status"] == "available":
        number = coming["number"]
        content = program.take(number)
        assert set(content["meta"]) <= {"id", "theme", "taskText", "class", "year", "subject", "test", "category"}
        program.receipt(number, as_expert(1)(content))
        assert refused(program.get(f"files/{number}/comparison")) == (403, "comparison_not_allowed")
    exchange.cloud.drain()
    return program


def test_every_score_verifies_from_the_comparison_alone(trained: Program) -> None:
    for number in range(1, 7):
        found = trained.get(f"files/{number}/comparison").json()
        assert len(found["experts"]) == 2
        assert found["answer"]["selections"] == as_expert(1)(found["answer"])["selections"]
        assert verify(found["score"], found["answer"], found["experts"]) == []
        assert trained.get(f"files/{number}/score").json() == found["score"]


def test_a_whole_test_set_is_ready_and_on_the_boards(exchange: Exchange, tested: Noting) -> None:
    report = tested.report()
    assert report["readiness"] == {"ready": True, "reasons": [], "valid_share": 1.0}
    exchange.clock.advance(60)  # a board may be some seconds old
    for language, files in (("all", 32), ("rus", 22), ("eng", 10)):
        board = exchange.public("GET", f"/v1/leaderboards/qualification?language={language}").json()
        (row,) = [each for each in board["rows"] if each["team_id"] == tested.team_id]
        assert (row["place"], row["files"], row["answered"]) == (1, files, files)
        assert row["barrier"] == (row["value"] >= 100)
        assert row["value"] == row["result"]["relative_accuracy"]
        assert (row["result"] == report["result"]) == (language == "all"), "no hidden essay's parts (R 6.5.3)"
    assert refused(exchange.public("GET", "/v1/leaderboards/qualification?language=fra"))[1] == "invalid_request"


def test_a_test_set_never_shows_an_essays_name_or_an_experts_word(exchange: Exchange, tested: Noting) -> None:
    for what in ("", "next", "receipts", "report"):
        assert tested.get(what).status_code == 200
    for number in range(1, 33):
        assert tested.get(f"files/{number}/score").status_code == 200
        tested.get(f"files/{number}/comparison")
    tested.ask("GET", "/v1/sessions")
    tested.get("files/1")
    tested.answer(1, b"{")
    exchange.clock.advance(60)
    tested.note(exchange.public("GET", "/v1/leaderboards/qualification"))
    tested.note(exchange.public("GET", "/v1/cycle"))
    everything = b"\n".join(tested.said).decode("utf-8")
    assert ESSAY_ID.search(everything) is None
    assert "exp01" not in everything
    words = _experts_words()
    assert len(words) > 300
    assert [each for each in words if each in everything] == []


def _experts_words() -> set[str]:
    """Return the texts of the test set's experts that stand in no essay, as JSON writes them."""
    folder = DEMONSTRATION / "test"
    essays = "".join(path.read_text("utf-8") for path in folder.glob("*.json") if "_exp" not in path.name)
    markups = [json.loads(path.read_text("utf-8")) for path in folder.glob("*_exp*.json")]
    words = {
        selection[field]
        for markup in markups
        for selection in markup["selections"]
        for field in ("comment", "explanation", "correction")
    }
    texts = {json.dumps(each, ensure_ascii=False)[1:-1] for each in words if len(each) >= 16}
    return {text for text in texts if text not in essays}


def test_the_audit_finds_no_difference(exchange: Exchange, trained: Program, tested: Program) -> None:
    trained.report()
    tested.report()
    exchange.cloud.drain()
    exchange.clock.advance(60)  # the minute timer makes the reports of other tests' sessions, which nobody read
    planned = exchange.cloud.invoke("FunctionsAudit", {})["planned"]
    exchange.cloud.drain()
    bucket = exchange.cloud.resource("StorageObjects")
    kept = exchange.cloud.client("s3").list_objects_v2(Bucket=bucket, Prefix="audits/")["Contents"]
    names = {each["Key"].split("/")[1] for each in kept}  # a session of which anything differed is not remembered
    assert {trained.session_id, tested.session_id} <= names
    assert len(names) == planned - 1


def test_the_shipped_document_and_its_page_are_served(exchange: Exchange) -> None:
    served = exchange.public("GET", "/v1/openapi.json")
    assert served.status_code == 200
    assert {"/v1/sessions", "/v1/cycle"} <= set(json.loads(served.content)["paths"])
    page = exchange.public("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'sha256-" in page.headers["content-security-policy"]
    assert '"url": "/v1/openapi.json"' in page.text
    assert '"openapi": "3.1.0"' not in page.text, "the document is fetched, and kept, by itself"
    again = exchange.public("GET", "/docs", headers={"If-None-Match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/v1/openapi.json", "/docs", "/docs/errors"])
def test_what_is_long_goes_out_compressed_to_whom_that_is_readable(exchange: Exchange, path: str) -> None:
    plain = exchange.public("GET", path, headers={"Accept-Encoding": "identity"})
    packed = exchange.public("GET", path, headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.text == plain.text  # the client has unpacked it
    assert {plain.headers["vary"].lower(), packed.headers["vary"].lower()} == {"accept-encoding"}


@pytest.mark.parametrize(("language", "said"), [("en", "the cycle has the sets: "), ("ru", "в цикле есть выборки: ")])
def test_the_kit_names_the_sets_there_are(exchange: Exchange, tmp_path: Path, language: str, said: str) -> None:
    program = exchange.program()
    surroundings = {"HURDLE_URL": exchange.cloud.url, "HURDLE_TOKEN": program.token, "HURDLE_HOME": str(tmp_path)}
    words = ["run", "--set", "trian", "--entry-point", "pku.pilot:mark", "--lang", language]
    told = CliRunner().invoke(pku, words, env=surroundings)
    assert told.exit_code not in {0, None}
    assert said in told.output
    assert "train" in told.output.split(said)[1]
    assert "Traceback" not in told.output
    assert program.ask("GET", "/v1/sessions").json()["sessions"] == []


ROOT = Path(__file__).resolve().parents[3]
KIT = ROOT / "tests" / "generated_clients"
MODULES = KIT / "node_modules"
PYTHON = ROOT / "build" / "generated_clients" / "bin" / "python"
DOCUMENT = Path(contest_wire.__file__).with_name("openapi.json")
LONGEST_S = 300
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
FETCH, TYPES, PACKAGE = re.findall(r"^```bash\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)

needs_node = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("curl") and MODULES.is_dir()),
    reason="needs Node, curl and the packages of tests/generated_clients (make long installs them)",
)
needs_python = pytest.mark.skipif(
    not (PYTHON.exists() and shutil.which("curl")),
    reason="needs curl, and openapi-python-client in build/generated_clients (make long installs it)",
)


def ran(*command: str | Path, within: Path = ROOT) -> str:
    """Run a program and return its output; all of it where it fails."""
    done = subprocess.run(
        [*map(str, command)], cwd=within, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def typed(line: str, within: Path) -> None:
    """Run a line of the page where the generators are installed."""
    found = os.pathsep.join([str(MODULES / ".bin"), str(PYTHON.parent), os.environ["PATH"]])
    ran("env", f"PATH={found}", "bash", "-c", line, within=within)


def in_typescript(folder: Path) -> list[str]:
    """Generate the client's types and compile the program against them; return the command that runs it."""
    for name in ("package.json", "tsconfig.json", "session.ts"):
        shutil.copy(KIT / name, folder)
    (folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
    typed(TYPES, folder)
    ran("node_modules/.bin/tsc", "--project", ".", within=folder)
    return ["node", "session.js"]


def in_python(folder: Path) -> list[str]:
    """Generate the client without a warning; return the command that runs the program."""
    for name in ("python.yaml", "session.py"):
        shutil.copy(KIT / name, folder)
    typed(f"{PACKAGE} --fail-on-warning", folder)
    return [str(PYTHON), "session.py"]


def test_the_page_names_the_versions_that_are_tested() -> None:
    packages = json.loads((KIT / "package.json").read_text())["dependencies"]
    printed = dict(re.findall(r"(\S+)@(\d\S*)", next(re.finditer(r"^npm install .*$", PAGE, re.MULTILINE))[0]))
    assert printed == {name: packages[name] for name in printed}
    assert len(printed) == 4
    (version,) = re.findall(r"pip install openapi-python-client==(\S+)", PAGE)
    assert f"\nopenapi-python-client=={version} " in (KIT / "python.lock").read_text()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(in_typescript, id="typescript", marks=needs_node),
        pytest.param(in_python, id="python", marks=needs_python),
    ],
)
@pytest.mark.long
def test_a_generated_client_plays_a_session(exchange: Exchange, tmp_path: Path, make: object) -> None:
    assert callable(make)
    program = exchange.program()
    typed(FETCH.replace("$HURDLE", exchange.cloud.url), tmp_path)
    assert json.loads((tmp_path / "openapi.json").read_text()) == json.loads(DOCUMENT.read_text())
    command = [*make(tmp_path), exchange.cloud.url, program.token]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        played = process.stdout.readline()
        exchange.clock.advance(2)  # a person's second: the clock is held, and requests are counted by it
        exchange.cloud.drain()
        rest, said = process.communicate("\n", timeout=LONGEST_S)
    assert (played, process.returncode) == ("played\n", 0), said
    told = json.loads(rest)
    answered = exchange.http.get(
        f"/v1/sessions/{told['session_id']}/report", headers={"Authorization": f"Bearer {program.token}"}
    )
    assert (told["statuses"], told["refused"]) == (["accepted"] * 2, "unknown_file")
    assert told["essays"] == answered.json()["result"]["essays"] == 2


@needs_node
@pytest.mark.long
def test_spectral_finds_nothing_in_the_document(tmp_path: Path) -> None:
    assert ran("node", KIT / "spectral.mjs", DOCUMENT) == ""
    broken = {
        "openapi": "3.1.0",
        "info": {"title": "Broken", "version": "1"},
        "paths": {"/v1/cycle": {"get": {"responses": {"200": {"description": "OK"}}}}},
        "components": {"schemas": {"Unused": {"type": "array"}}},
    }
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    found = ran("node", KIT / "spectral.mjs", tmp_path / "broken.json")
    for rule in ("info-contact", "operation-operationId", "oas3-unused-component", "array-items"):
        assert rule in found
