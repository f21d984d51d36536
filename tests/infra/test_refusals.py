"""Every operator's command ends a refusal alike: what stopped it, what to do, exit code 1, and nothing built before."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from botocore import exceptions

from infra import deploy, destroy, preflight, restore, trial_run
from infra.account import CREDENTIALS, RefusedError, guarded
from tests.infra.recorded import error

ROOT = Path(__file__).parents[2]
MAINS: dict[str, tuple[Callable[[Sequence[str]], int], Sequence[str]]] = {
    "preflight": (preflight.main, ["demo"]),
    "preflight --first": (preflight.main, ["demo", "--first"]),
    "deploy": (deploy.main, ["demo"]),
    "destroy": (destroy.main, ["demo"]),
    "restore": (restore.main, ["demo", "2026-11-29T12:00:00Z"]),
}


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Leave nothing in the environment by which somebody could be known to AWS."""
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    return monkeypatch


@pytest.mark.parametrize("command", MAINS)
@pytest.mark.parametrize(
    ("profile", "region", "what", "remedy"),
    [
        ("", "eu-central-1", "Unable to locate credentials", CREDENTIALS),
        ("gone", "eu-central-1", "The config profile (gone) could not be found", CREDENTIALS),
        ("", "", "no region is chosen", "export AWS_REGION=REGION"),
    ],
)
def test_without_credentials_or_region_each_command_says_what_is_missing_and_what_to_do(
    command: str,
    profile: str,
    region: str,
    what: str,
    remedy: str,
    nobody: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    nobody.setenv("AWS_REGION", region)
    if profile:
        nobody.setenv("AWS_PROFILE", profile)
    main, words = MAINS[command]
    assert main(words) == 1
    printed = "".join(capsys.readouterr())
    assert what in printed
    assert f"do: {remedy}" in printed


def test_acceptance_passes_on_what_preflight_says_and_leaves_nothing(
    nobody: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody.setattr(trial_run.Trial, "make", lambda self, *words: refuse(f"make {words[0]}: {CREDENTIALS}"))
    assert trial_run.main(["demo"]) == 1
    printed = capsys.readouterr().out
    assert CREDENTIALS in printed
    assert "What is there stays" not in printed, "nothing was made yet"


def refuse(why: str) -> str:
    raise trial_run.FailedError(why)


@pytest.mark.parametrize(
    ("raised", "does"),
    [
        (RefusedError("no: do this"), "no: do this"),
        (exceptions.NoCredentialsError(), CREDENTIALS),
        (exceptions.UnauthorizedSSOTokenError(), CREDENTIALS),
        (exceptions.NoRegionError(), "export AWS_REGION=REGION"),
        (error("ExpiredToken", "DeleteStack"), "the credentials are wrong or have expired"),
        (error("AccessDenied", "DeleteStack"), "let these credentials call DeleteStack: docs/operations.md"),
        (error("Throttling", "DeleteStack"), "mend the reason"),
        (exceptions.EndpointConnectionError(endpoint_url="https://there"), "mend the reason"),
    ],
)
def test_what_stops_a_command_in_between_has_its_remedy(raised: Exception, does: str) -> None:
    lines: list[str] = []

    def work() -> int:
        raise raised

    assert guarded("destroy", lines.append, work) == 1
    assert lines[0].startswith("destroy: ")
    assert does in lines[0]


@pytest.mark.parametrize("target", ["preflight", "deploy"])
def test_the_cycles_file_is_read_before_anything_is_built(target: str) -> None:
    words = ["/usr/bin/env", "make", "-n", target, "CYCLE=demo"]
    printed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert 0 < printed.index("infra.preflight demo --first") < printed.index("infra.layers")
