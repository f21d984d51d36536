"""``python -m tools.promises``: write what a rehearsal proves, clause by clause, as a table into docs/rehearsal.md."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs/rehearsal.md"
CLAUSES: Final = ROOT / "docs/clauses/platform.toml"
SOURCE: Final = Path(__file__).with_name("promises.toml")
_SECTIONS: Final = ("platform §3 ", "platform §4 ")
_TABLE: Final = re.compile(r"(<!-- promises -->\n).*?(<!-- /promises -->)", re.DOTALL)


def promises() -> dict[str, dict[str, Any]]:
    """Return every clause of the sections with its promise; KeyError for one that has no entry."""
    clauses = tomllib.loads(CLAUSES.read_text("utf-8"))
    entries = tomllib.loads(SOURCE.read_text("utf-8"))
    names = [name for name in clauses if name.startswith(_SECTIONS)]
    promised = {
        name: name.removeprefix(_SECTIONS[0] if name.startswith(_SECTIONS[0]) else "platform ") for name in names
    }
    return {name: {"what": clauses[name]["what"], **entries["promise"][short]} for name, short in promised.items()}


def bugs_of(promise: Mapping[str, Any]) -> list[str]:
    """List the bugs that turn a check of a promise red."""
    bugs = promise.get("bug", [])
    return [bugs] if isinstance(bugs, str) else list(bugs)


def table() -> str:
    """Write the table as Markdown."""
    rows = ["| clause | promise | checks | bug that turns one red |", "| --- | --- | --- | --- |"]
    for name, promise in promises().items():
        checks = ", ".join(f"`{check}`" for check in promise["checks"])
        bugs = ", ".join(f"`{bug}`" for bug in bugs_of(promise))
        rows.append(f"| {name} | {promise['what']} | {checks} | {bugs} |")
    return "\n".join(rows) + "\n"


def written() -> str:
    """Return the page with its current table."""
    return _TABLE.sub(lambda match: match[1] + table() + match[2], PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
