"""The contracts about imports find what breaks them: one violation of each is planted in a copy of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (
    "layers/markup_core/src",
    "layers/tracks/src",
    "layers/contest/src",
    "layers/shadow/src",
    "clients/pku/src",
    "local/src",
    "rehearsal/src",
    "functions",
)
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]

PLANTED = {
    "markup_core stands alone: numpy, msgspec and orjson at most": [("markup_core.model", "pydantic")],
    "markup_core's floors": [("markup_core.model", "markup_core.accuracy"), ("markup_core.stray", None)],
    "tracks know the scoring library only": [("tracks.gec.items", "contest.values"), ("tracks.base", "boto3")],
    "tracks' floors; no track knows another": [("tracks.exam.items", "tracks.gec.items"), ("tracks.stray", None)],
    "the participants' kit depends on the scoring, never on the contest": [("pku.config", "contest.values")],
    "the kit's floors": [("pku.messages", "pku.exchange"), ("pku.stray", None)],
    "the contest never looks up to its entry points, to the local cloud or to the kit": [
        ("contest.errors", "local.clock"),
        ("contest.reading", "dispatch.api"),
    ],
    "the recomputation shares the scoring with the contest, and nothing else": [
        ("shadow.final", "contest.run.rules.fate"),
        ("shadow.source", "pynamodb"),
    ],
    "nobody goes by the recomputation's code, only by what it finds": [
        ("contest.results.settling", "shadow.final"),
        ("tracks.base", "shadow.job"),
    ],
    "floors of the recomputation": [("shadow.source", "shadow.final"), ("shadow.stray", None)],
    "the contest's floors, whatever the room": [
        ("contest.errors", "contest.platform"),
        ("contest.values", "contest.commands.shell"),
        ("contest.adapters.aws", "contest.edge.web"),
    ],
    "floors of the rules": [
        ("contest.values", "contest.cycle.rules.cycle"),
        ("contest.cycle.rules.cycle", "contest.run.rules.run"),
    ],
    "floors of the use cases": [("contest.session.following", "contest.exchange.files")],
    "rules are pure": [("contest.run.rules.run", "pydantic"), ("contest.cycle.rules.cycle", "contest.settings")],
    "ports, errors, bodies and charts know the rules alone": [
        ("contest.charts", "contest.settings"),
        ("contest.wire", "boto3"),
    ],
    "bodies, errors and charts need nothing from outside": [("contest.errors", "contest.ports")],
    "use cases and pages alone draw": [("contest.results.ports", "contest.charts")],
    "frames of the event channel know nothing of the contest": [("contest.channel.frames", "contest.values")],
    "frames are read and written by the channel alone": [("contest.run.watching", "contest.channel.frames")],
    "the interface's bodies are read and made at the edge alone": [("contest.reading", "contest.wire")],
    "stores are reached through ports": [("contest.reading", "contest.session.store")],
    "a store holds no rule, parses no request and reads no environment": [
        ("contest.run.store", "contest.wire"),
        ("contest.adapters.signatures", "contest.settings"),
    ],
    "use cases never parse, and reach AWS through ports only": [("contest.operations.minute_timer", "boto3")],
    "entry points never know each other": [("submit.api", "score.api")],
    "entry points know the contest's edge, services and wire models": [
        ("dispatch.minute_timer", "contest.charts"),
        ("submit.api", "infra.config"),
        ("score.background", "markup_core.model"),
    ],
    "infrastructure knows settings, names and routes, nothing else": [
        ("infra.config", "contest.values"),
        ("infra.app", "local.clock"),
    ],
    "the local cloud plays what is deployed and knows nothing of it": [
        ("local.cloud", "infra.config"),
        ("local.lambdas.pump", "rehearsal.history"),
        ("local.organizing", "contest.adapters.system"),
    ],
    "a rehearsal knows the platform from outside": [("rehearsal.stages", "dispatch.api")],
    "the local cloud's floors": [("local.clock", "local.cloud"), ("local.stray", None)],
    "floors of a rehearsal; its proof knows what was seen and nothing that plays": [
        ("rehearsal.proof.oracle", "rehearsal.play.teams"),
        ("rehearsal.stray", None),
    ],
    "a rehearsal's proof shares no code with the contest, the kit or the local cloud": [
        ("rehearsal.proof.oracle", "contest.run.rules.schedule"),
        ("rehearsal.proof.case", "local.cloud"),
    ],
    "tools read the checkout and import nothing of it": [("tools.clauses.reading", "contest.values")],
}
"""Contract → planted imports (module, what it imports), and modules that no layer names (module, None)."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the linter's message about each broken contract in a copy of the sources with all violations at once."""
    copy = tmp_path_factory.mktemp("planted")
    for source in (*SOURCES, "infra", "tools"):
        shutil.copytree(ROOT / source, copy / source, ignore=shutil.ignore_patterns("__pycache__"))
    for module, imported in [each for planted in PLANTED.values() for each in planted]:
        place = _file(copy, module)
        before = place.read_text("utf-8") if place.exists() else ""
        place.write_text(before + (f"\nimport {imported}\n" if imported else ""), "utf-8")
    outcome = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*(str(copy / each) for each in SOURCES), str(copy)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    details = outcome.stdout.partition("Broken contracts")[2]
    found: dict[str, str] = {}
    name = ""
    for line, below in zip(details.splitlines(), [*details.splitlines()[1:], ""], strict=True):
        name = line if below and set(below) == {"-"} and len(below) == len(line) else name
        found[name] = found.get(name, "") + line + "\n"
    return found


def _file(copy: Path, module: str) -> Path:
    package, *rest = module.split(".")
    homes = [copy / source for source in (*SOURCES, ".") if (copy / source / package).is_dir()]
    return homes[0].joinpath(package, *rest).with_suffix(".py")


def test_a_violation_of_every_contract_is_planted() -> None:
    assert set(PLANTED) == {each["name"] for each in CONTRACTS}


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_violation_is_found(said: dict[str, str], contract: str) -> None:
    for module, imported in PLANTED[contract]:
        section = " ".join(said[contract].split())
        assert f"{module} -> {imported}" in section if imported else f"- {module}" in section, section
