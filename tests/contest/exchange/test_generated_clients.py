"""Clients that others' generators make of the API's document, in TypeScript and Python: each plays a whole session."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from contest.contracts import wire
from tests.exchange_programs import Exchange

ROOT = Path(__file__).resolve().parents[3]
KIT = ROOT / "tests" / "generated_clients"
MODULES = KIT / "node_modules"
PYTHON = ROOT / "build" / "generated_clients" / "bin" / "python"
DOCUMENT = Path(wire.__file__).with_name("openapi.json")
LONGEST_S = 300

needs_node = pytest.mark.skipif(
    not (shutil.which("node") and MODULES.is_dir()),
    reason="needs Node and the packages of tests/generated_clients (make test installs them)",
)
needs_python = pytest.mark.skipif(
    not PYTHON.exists(), reason="needs openapi-python-client in build/generated_clients (make test installs it)"
)
pytestmark = [pytest.mark.slow, pytest.mark.integration]


def ran(*command: str | Path, within: Path = ROOT) -> str:
    """What a program prints; everything it said where it fails."""
    done = subprocess.run(
        [*map(str, command)], cwd=within, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_typescript(folder: Path) -> list[str]:
    """The client's types made and held against the program by the compiler; what runs the program."""
    for name in ("package.json", "tsconfig.json", "session.ts"):
        shutil.copy(KIT / name, folder)
    (folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
    ran("node_modules/.bin/openapi-typescript", DOCUMENT, "--output", "schema.d.ts", within=folder)
    ran("node_modules/.bin/tsc", "--project", ".", within=folder)
    return ["node", "session.js"]


def in_python(folder: Path) -> list[str]:
    """The client made without a warning; what runs the program."""
    shutil.copy(KIT / "session.py", folder)
    made = ("--meta", "none", "--output-path", folder / "client", "--config", KIT / "python.yaml")
    ran(PYTHON.with_name("openapi-python-client"), "generate", "--fail-on-warning", "--path", DOCUMENT, *made)
    return [str(PYTHON), "session.py"]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(in_typescript, id="typescript", marks=needs_node),
        pytest.param(in_python, id="python", marks=needs_python),
    ],
)
def test_a_generated_client_plays_a_session(exchange: Exchange, tmp_path: Path, make: object) -> None:
    assert callable(make)
    program = exchange.program()
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
