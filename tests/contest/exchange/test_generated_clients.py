"""Clients that others' generators make of the API's document, in TypeScript and Python: each plays a whole session.

They are made by the command lines of ``docs/api.md``, typed as they are printed there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from contest import wire as contest_wire
from tests.exchange_programs import Exchange

ROOT = Path(__file__).resolve().parents[3]
KIT = ROOT / "tests" / "generated_clients"
MODULES = KIT / "node_modules"
PYTHON = ROOT / "build" / "generated_clients" / "bin" / "python"
DOCUMENT = Path(contest_wire.__file__).with_name("openapi.json")
LONGEST_S = 300
TAGS = "\U000e0000-\U000e0fff"
"""Range of invisible characters in the pattern of texts that are not blank."""
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
pytestmark = [pytest.mark.slow, pytest.mark.integration]


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
    """Lint without the range of tags: Spectral compiles patterns without the flag ``u`` that JSON Schema names, and
    takes a range beyond U+FFFF for one out of order."""
    text = DOCUMENT.read_text("utf-8")
    assert TAGS in text
    (tmp_path / "openapi.json").write_text(text.replace(TAGS, ""), "utf-8")
    assert ran("node", KIT / "spectral.mjs", tmp_path / "openapi.json") == ""
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
