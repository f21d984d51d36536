"""``docs/api.md`` and its Russian page: a session with ``curl``, run as it is printed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from contest import routes
from tests.docs.terminals import Terminal

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("api.md", "api.ru.md")
ADDRESS, TOKEN = "http://127.0.0.1:8700", "hrd_…"


def programs(page: str) -> list[str]:
    """Return the blocks of a page's commands, in their order."""
    return re.findall(r"^```sh\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_both_pages_print_the_same_commands() -> None:
    english, russian = (programs(page) for page in PAGES)
    assert english == russian
    assert "".join(english).count("curl") > 10


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
    """Move the held clock between blocks alone: a slow machine makes no answer late, a fast one meets no rate limit."""
    from tests.exchange_programs import exchange_cloud

    blocks = programs(PAGES[0])
    assert [[block.count(word) for block in blocks] for word in (ADDRESS, TOKEN)] == [[1] + [0] * (len(blocks) - 1)] * 2
    terminal, exports, output = Terminal(tmp_path, tmp_path), "set -u\n", ""
    with exchange_cloud(prepared) as exchange:
        blocks[0] = blocks[0].replace(ADDRESS, exchange.cloud.url).replace(TOKEN, exchange.program().token)
        for block in blocks:
            output += terminal.run(exports + block)
            exports += "".join(re.findall(r"^export .*\n", block, re.MULTILINE))
            exchange.clock.advance(1)
    cycle, now, session, following, until, status, same, receipts, *refusals, state, accuracy = output.splitlines()
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
