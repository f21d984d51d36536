"""``docs/clauses.md`` lists clause → test, and says neither more nor less than the tests do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "clauses.md"
ROW = re.compile(r"^\| (?P<clause>[^|]+) \| (?P<what>[^|]+) \| `(?P<file>[^:`]+)::(?P<test>[^`]+)` \|$", re.MULTILINE)
PREFIX = re.compile(r"test_(?P<source>r_app\d|r|d|platform)_(?P<numbers>(?:\d+_)*)")


def clause_tests() -> dict[str, str]:
    """Every clause test and its file."""
    return {
        node.name: path.name
        for path in sorted((ROOT / "tests" / "clauses").glob("test_*.py"))
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def clause_of(test: str) -> str:
    """The clause a test's name carries: ``test_r_6_5_4_…`` is R 6.5.4."""
    found = PREFIX.match(test)
    assert found, f"{test} carries no clause"
    numbers = found["numbers"].strip("_").replace("_", ".")
    source = found["source"]
    if source.startswith("r_app"):
        return f"R-App{source[-1]}"
    return f"platform §{numbers}" if source == "platform" else f"{source.upper()} {numbers}"


def row(test: str, file: str) -> str:
    """A line of the list."""
    words = test[PREFIX.match(test).end() :].replace("_", " ")  # type: ignore[union-attr]
    return f"| {clause_of(test)} | {words} | `{file}::{test}` |"


def order(test: str) -> tuple[str, list[int], str]:
    """Lists by source, then by number."""
    clause = clause_of(test)
    return clause.split(" ")[0], [int(number) for number in re.findall(r"\d+", clause)], test


def test_every_clause_test_is_listed_and_every_listed_test_exists() -> None:
    listed = {(each["clause"], each["file"], each["test"]) for each in ROW.finditer(LIST.read_text("utf-8"))}
    assert listed == {(clause_of(test), file, test) for test, file in clause_tests().items()}


def test_a_clause_is_read_from_a_tests_name() -> None:
    assert clause_of("test_r_6_5_4_the_report") == "R 6.5.4"
    assert clause_of("test_r_app2_a_file") == "R-App2"
    assert clause_of("test_d_12_8_ten_requests") == "D 12.8"
    assert clause_of("test_platform_3_a_retry") == "platform §3"


if __name__ == "__main__":
    print(
        *(row(test, file) for test, file in sorted(clause_tests().items(), key=lambda each: order(each[0]))), sep="\n"
    )
