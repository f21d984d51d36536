"""Two syntheses for all infrastructure tests; the demonstration's as documented, in a process without credentials."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
REAL_CYCLE = "spring-2027"
WINDOW = {
    "from": datetime.fromisoformat("2027-05-10T08:00:00+03:00"),
    "until": datetime.fromisoformat("2027-05-10T14:00:00+03:00"),
}
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
# CDK runs in the Node.js that comes with the packages, whoever starts the tests.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# Of what is synthesized in this process only cdk-nag's findings are looked at. CDK's own validation of templates, which
# takes twice as long as the rest, is left to the demonstration's synthesis.
os.environ["CDK_VALIDATION"] = "false"
# CDK unpacks itself into the home once, which takes six seconds; no home of a test has it.
UNPACKED = Path.home() / ".cache" / "aws" / "jsii" / "package-cache"


@cache
def read(path: Path) -> dict[str, Any]:
    """Return a file of a synthesis; every test of a process looks at the same one."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


@dataclass(frozen=True)
class Synthesis:
    """Result of ``python -m infra.app``: exit status, output and folder of templates."""

    returncode: int
    output: str
    folder: Path
    cycle: str = "demo"

    @property
    def storage(self) -> dict[str, Any]:
        return self.json(f"hurdle-{self.cycle}--storage.template.json")

    @property
    def application(self) -> dict[str, Any]:
        return self.json(f"hurdle-{self.cycle}.template.json")

    @cached_property
    def template(self) -> dict[str, Any]:
        """Storage and application in one template, the first one's exports in place of the second one's imports."""
        from infra.template import joined

        return self.application | joined(self.storage, self.application)

    @property
    def watched(self) -> dict[str, Any]:
        """The stack within the cycle's that holds its alarms."""
        return self.nested("Observability")

    @property
    def firewall(self) -> dict[str, Any]:
        return self.json(f"hurdle-{self.cycle}--firewall.template.json")

    @property
    def programs(self) -> dict[str, Any]:
        return self.json(f"hurdle-{self.cycle}--programs.template.json")

    def nested(self, part: str) -> dict[str, Any]:
        """Return the template of a stack within the cycle's."""
        (path,) = self.folder.glob(f"*{part}*.nested.template.json")
        return read(path)

    def json(self, name: str) -> dict[str, Any]:
        return read(self.folder / name)


@pytest.fixture(scope="session")
def synthesis(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """Synthesize the demonstration cycle as documented."""

    def synthesized(folder: Path) -> tuple[int, str]:
        home = folder.with_suffix(".home")
        home.mkdir()
        finished = synthesize_without_credentials(folder, home)
        return finished.returncode, finished.stdout + finished.stderr

    return _once(tmp_path_factory, "synthesis", synthesized)


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """Synthesize a real cycle with an alarm address, a domain, programs and a measure, armed and with snapshots.

    cdk-nag accepts it too."""

    def synthesized(folder: Path) -> tuple[int, str]:
        import aws_cdk as cdk

        from infra.app import add_stacks
        from infra.config import CycleConfig

        app = cdk.App(outdir=str(folder))
        config = CycleConfig(
            cycle=REAL_CYCLE,
            alarm_email="organizers@example.org",
            mail_from="contest@hurdle.example.org",
            armed=[WINDOW],
            snapshots=True,
            programs=True,
            measures=True,
            measure_image=f"registry.example.org/entities:1.0@sha256:{'5b' * 32}",
            signing="kms",
            domain_name="hurdle.example.org",
            certificate_arn=CERTIFICATE,
        )
        add_stacks(
            app,
            config,
            protected={f"hurdle-{REAL_CYCLE}{end}" for end in ("", "--storage", "--firewall", "--programs")},
        )
        app.synth()
        return 0, ""

    return _once(tmp_path_factory, "real", synthesized, REAL_CYCLE)


def _once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], tuple[int, str]], cycle: str = "demo"
) -> Synthesis:
    """Synthesize once, also if several processes share the tests: the others wait for the first one's result."""
    own = factory.getbasetemp()
    shared = own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own
    folder, report = shared / f"{name}.out", shared / f"{name}.json"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not report.exists():
            report.write_text(json.dumps(make(folder)))
    returncode, output = json.loads(report.read_text())
    return Synthesis(returncode, output, folder, cycle)


def synthesize_without_credentials(folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the app with an empty home, no AWS variable, and no way out for whoever respects a proxy."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(UNPACKED),
        "CDK_OUTDIR": str(folder),
    }
    return subprocess.run(
        [sys.executable, "-m", "infra.app"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
