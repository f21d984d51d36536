"""Every entry that the services write into the audit log is read in Russian, found in their sources."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

import contest
from contest.operations.commands import deed
from contest.operations.rules import LetterState
from contest.people.rules import TeamStatus
from contest.results.rules.leaderboard import Visibility
from contest.results.rules.qualification import Annulled, Standing
from contest.results.rules.rescoring import Decided
from contest.run.rules.run import Kind
from markup_core.texts import speaking

SERVICES = Path(contest.__file__).parent
with (SERVICES / "ru.po").open("rb") as _catalogue:
    RUSSIAN = {word.id: word.string for word in read_po(_catalogue, locale="ru") if word.context == "deed"}
OF_SITE = Path(__file__).resolve().parents[3] / "web" / "src" / "ui" / "deeds.json"
"""The same words for the site's log, written by running this file."""
VALUES = {
    "board {}": tuple(Visibility),
    "conclusion {}": tuple(Standing),
    "dead letter {}": tuple(set(LetterState) - {LetterState.OPEN}),
    "declaration {}": ("confirmed", "refused"),
    "rescoring {}": tuple(set(Decided) - {Decided.OPEN}),
    "run amended: {}": tuple(Kind),
    "team {}": tuple(set(TeamStatus) - {TeamStatus.APPLIED}),
    "{} {}": tuple(f"{one} {done}" for one in Annulled for done in ("annulled", "restored")),
}
"""Possible values of audit-log entries that contain one, by the entry's text."""


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_texts(node.body), *_texts(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)


def _said(source: str) -> Iterator[str]:
    """Yield the values of ``what`` passed to an entry, to a function of the module that makes one, or to its name."""
    tree, places = ast.parse(source), {"Change": 2}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args]
            if "what" in names:
                places[node.name] = names.index("what")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places:
            if len(node.args) > (at := places[node.func.id]):
                yield from _texts(node.args[at])
        elif isinstance(node, ast.Assign):
            for target, value in _pairs(node):
                if target == "what":
                    yield from _texts(value)


def _pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from ((ast.unparse(one), each) for one, each in zip(target.elts, value.elts, strict=True))
    else:
        yield ast.unparse(target), value


def test_every_entry_has_its_russian() -> None:
    sources = (path.read_text("utf-8") for path in SERVICES.rglob("*.py"))
    entries = {entry for source in sources if "Change" in source for entry in _said(source)}
    assert len(entries) > 45
    assert {"cycle loaded", "run amended: {}", "team added", "assignment handed in", "expert added"} <= entries
    for entry in sorted(entries):
        if "{}" not in entry:
            assert entry in RUSSIAN, entry
        elif entry.startswith(("staff ", "role ")):
            assert entry.partition(": ")[0] in RUSSIAN, entry
        else:
            assert VALUES[entry], entry
            assert [
                value for value in VALUES[entry] if (entry.format(value) if entry != "{} {}" else value) not in RUSSIAN
            ] == []


def test_an_entry_is_read_in_the_language_of_the_call() -> None:
    assert deed("run amended: pause") == "run amended: pause"
    with speaking("ru"):
        assert deed("run amended: pause") == "прогон приостановлен"
        assert deed("staff dismissed: he moved: away") == "сотрудник отстранён: he moved: away"
        assert deed("something new") == "something new"


def written_for_the_site() -> str:
    return json.dumps(RUSSIAN, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def test_the_site_reads_the_same_words() -> None:
    assert OF_SITE.read_text("utf-8") == written_for_the_site(), (
        "python tests/contest/commands/test_audit_log_texts.py renews it"
    )


if __name__ == "__main__":
    OF_SITE.write_text(written_for_the_site(), "utf-8")
