"""``docs/api.md`` and its Russian page: a session with ``curl``, run as it is printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contest import routes

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("api.md", "api.ru.md")
ADDRESS, TOKEN = "http://127.0.0.1:8700", "hrd_…"


def program(page: str) -> str:
    """All commands of a page, as one typed after the other."""
    return "".join(re.findall(r"^```sh\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL))


def test_both_pages_print_the_same_commands() -> None:
    english, russian = (program(page) for page in PAGES)
    assert english == russian
    assert english.count("curl") > 10


@pytest.mark.parametrize("page", PAGES)
def test_every_route_that_is_named_exists(page: str) -> None:
    known = {(each.method, re.sub(r"\{\w+\}", "{}", each.path)) for each in routes.ROUTES}
    prose = re.sub(r"^```.*?^```$", "", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = re.findall(r"`(GET|POST|PUT) (/v1/[^` ]*)`", prose)
    assert len(named) > 12
    assert [each for each in named if (each[0], re.sub(r"\{\w+\}|(?<=/)1$", "{}", each[1])) not in known] == []


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_a_session_is_played_by_the_commands_as_printed(prepared: Path, tmp_path: Path) -> None:
    from tests.exchange_programs import exchange_cloud

    printed = program(PAGES[0])
    assert (printed.count(ADDRESS), printed.count(TOKEN)) == (1, 1)
    with exchange_cloud(prepared) as exchange:
        exchange.clock.release()
        typed = printed.replace(ADDRESS, exchange.cloud.url).replace(TOKEN, exchange.program().token)
        words = ["bash", "-e", "-u", "-c", typed]
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert (done.returncode, done.stderr) == (0, "")
    cycle, now, session, following, until, status, same, receipts, *refusals, state, accuracy = done.stdout.splitlines()
    assert cycle
    assert re.fullmatch(r"server time 20\S+Z", now)
    assert re.fullmatch(r"session [1-9]\d{14}", session)
    assert following == "available 1"
    assert re.fullmatch(r"until 20\S+Z", until)
    assert (status, same) == ("accepted", "True")
    assert receipts == "receipts 1"
    at_the_gateway = ["401 None", "403 None"]
    assert refusals == [*at_the_gateway, "404 unknown_session", "409 session_open", "422 invalid_answer"]
    assert state == "the session is finished"  # by the last answer: nothing was asked after it
    assert float(accuracy) >= 0
