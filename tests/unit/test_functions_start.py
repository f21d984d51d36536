"""What a function loads when it starts, and what stops it from starting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from contest.bootstrap import web
from contest.domain.rights import UnguardedRouteError

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
HEAVY = {
    "numpy",
    "boto3",
    "pynamodb",
    "pydantic",
    "aws_lambda_powertools",
    "cryptography",
    "scipy",
    "markup_core.matching",
}


def loaded(module: str, **environment: str) -> set[str]:
    """Heavy modules in a process that has imported a function."""
    program = f"import sys, {module}; print(*({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=FUNCTIONS,
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("authorize.api", set()),
        ("score.relay", set()),
        ("dispatch.api", {"pydantic", "aws_lambda_powertools"}),
        ("submit.api", {"pydantic", "aws_lambda_powertools"}),
        ("score.api", {"pydantic", "aws_lambda_powertools"}),
    ],
)
def test_a_function_starts_with_what_it_needs_and_no_more(module: str, needed: set[str]) -> None:
    assert loaded(module) == needed


def test_what_a_request_needs_is_in_the_snapshot() -> None:
    found = loaded("submit.api", AWS_LAMBDA_INITIALIZATION_TYPE="snap-start")
    assert {"pynamodb", "cryptography"} <= found
    assert not found & {"boto3", "scipy"}


def test_a_route_without_a_right_does_not_start() -> None:
    app = web.resolver()

    @app.get("/v1/unguarded")
    def unguarded() -> web.Reply:
        return web.answer("{}")

    with pytest.raises(UnguardedRouteError, match="/v1/unguarded"):
        web.start(app)
