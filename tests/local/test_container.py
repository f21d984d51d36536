"""The container's recipe: built where an engine runs; elsewhere its parts are looked at, and its command is typed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import uuid
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.aws.state import FILE
from local.environment import base_environment

ROOT = Path(__file__).resolve().parents[2]
RECIPE = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text("utf-8"))
STEPS = [tuple(line.split(maxsplit=1)) for line in RECIPE.splitlines() if line and not line.startswith("#")]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def steps(name: str) -> list[str]:
    return [words for step, words in STEPS if step == name]


def is_left_out(path: str) -> bool:
    """Return whether the ignore file leaves a path out; its patterns begin with `**/`, or are paths."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert not [line for line in patterns if line.startswith("!") or "**" in line.removeprefix("**/")]
    parts = path.split("/")
    beginnings = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    return any(
        fnmatchcase(part, pattern[3:]) if pattern.startswith("**/") else beginning == pattern
        for pattern in patterns
        for part, beginning in zip(parts, beginnings, strict=True)
    )


def test_every_path_that_is_copied_is_in_the_checkout_and_sent_to_the_engine() -> None:
    copied = [words.split()[:-1] for words in steps("COPY") if not words.startswith("--from")]
    assert len(copied) > 5
    for path in (each for paths in copied for each in paths):
        assert (ROOT / path).exists(), path
        assert not is_left_out(path), path


def test_what_the_site_imports_from_beside_its_folder_is_there_when_it_is_built() -> None:
    sources = [path for path in (ROOT / "web" / "src").rglob("*.ts*") if ".test." not in path.name]
    imported = {name for path in sources for name in re.findall(r'"(?:\.\./)+(layers/[^"]+)"', path.read_text("utf-8"))}
    assert imported
    assert imported <= {word for words in steps("COPY") for word in words.split()}


def test_the_engine_is_sent_sources_alone() -> None:
    left_out = (".venv/bin/python", "web/node_modules/a/b.js", "web/dist/index.html", ".git/HEAD", "build/kit/kit.json")
    assert all(map(is_left_out, (*left_out, "tests/apps.py", "layers/contest/src/contest/__pycache__/a.pyc")))
    assert not any(map(is_left_out, ("web/src/main.tsx", "local/src/local/template.json", "requirements-run.lock")))


def test_it_runs_as_nobody_special_with_its_state_in_a_volume_on_the_loopback_address() -> None:
    assert steps("USER") == ["hurdle"]
    (created,) = [words for words in steps("RUN") if "useradd" in words]
    assert "--owner=hurdle /state" in created
    (service,) = COMPOSE["services"].values()
    assert (steps("VOLUME"), service["volumes"], list(COMPOSE["volumes"])) == (["/state"], ["state:/state"], ["state"])
    (port,) = steps("EXPOSE")
    assert service["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert service["build"] == {"context": ".", "dockerfile": "Containerfile"}
    installed = set(re.findall(r"-e (\S+)", " ".join(steps("RUN"))))
    assert installed == set(re.findall(r"-e (\S+)", (ROOT / "Makefile").read_text("utf-8"))) - {"web/dist/index.html"}


@pytest.mark.integration
@pytest.mark.long
def test_its_command_and_its_health_check_work_outside_a_container(tmp_path: Path) -> None:
    words = [*json.loads(steps("ENTRYPOINT")[0]), *json.loads(steps("CMD")[0])]
    (port,) = steps("EXPOSE")
    state = str(tmp_path / "state")
    typed = [word.replace("/state", state) for word in words]
    program = Path(sys.executable).with_name(typed[0])
    command = [str(program), *typed[1:], "--port", "0", "--aws-port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**base_environment(), "HURDLE_HOME": str(tmp_path / "home")}
    ) as running:
        assert running.stdout is not None
        output = ""
        while "Ready in" not in output:
            line = running.stdout.readline()
            assert line, output
            output += line
        (here,) = re.findall(r"^API +http://127\.0\.0\.1:(\d+)$", output, re.MULTILINE)
        checked = json.loads(steps("HEALTHCHECK")[0].partition("CMD ")[2])
        check = [sys.executable, *(word.replace(f":{port}/", f":{here}/") for word in checked[1:])]
        assert subprocess.run(check, check=False).returncode == 0
        running.terminate()
        assert running.wait(30) == 0
    assert (tmp_path / "state" / FILE).exists()
    assert subprocess.run(check, check=False, capture_output=True).returncode != 0


def engine() -> str | None:
    """Return an engine that answers here."""
    for name in ("docker", "podman"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    return None


@pytest.mark.integration
@pytest.mark.long
def test_it_is_built_starts_and_keeps_its_state_when_it_is_killed() -> None:
    program = engine()
    if program is None:
        pytest.skip("no container engine runs here: the image is not built, its recipe was only looked at")
    project = f"hurdle-test-{uuid.uuid4().hex[:8]}"
    compose = [program, "compose", "--project-name", project, "--file", str(ROOT / "compose.yaml")]

    def typed(line: str) -> str:
        done = subprocess.run([*compose, *shlex.split(line)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        typed("up --build --detach --wait")
        typed("exec hurdle contest --local team add owls 'Owls of Omsk'")
        typed("kill --signal KILL hurdle")
        typed("up --detach --wait")
        assert "owls" in typed("exec hurdle contest --local team list")
        assert typed("exec hurdle id -un").strip() == "hurdle"
    finally:
        subprocess.run([*compose, "down", "--volumes", "--rmi", "local"], capture_output=True, check=False)
