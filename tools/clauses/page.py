"""``docs/clauses.md``: per source a table of clauses, what they ask, what enforces them, which tests prove it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tools.clauses.marks import Mark
from tools.clauses.proofs import Proof
from tools.clauses.register import Clause, Source

HEAD = """# Clauses, the code that enforces them, and their tests

What the contests' regulations and the project's own specifications ask of software, and what became of it. Clauses
that only people can keep (manners, the law, what happens in a hall) are not listed. *Enforced*: the code named beside
the clause enforces it, and the tests beside it go red without that code; *in part*: what is missing is said; *not yet*:
nothing enforces it, and what is needed is said; *decided*: the source is silent, contradicts itself or is not followed,
and the reason is said.

`make clauses` writes this page from `docs/clauses/*.toml`, from lines `Clause:` in docstrings and from the tests'
markers; `make clauses ARGS=--marks` prints every mark with its function and the names of its tests.
"""


def status_of(clause: Clause, *, marked: bool) -> str:
    """One of enforced, in part, not yet, decided."""
    if clause.missing:
        return "in part"
    if clause.not_yet:
        return "not yet"
    return "enforced" if marked else "decided"


def render_page(sources: Iterable[Source], marks: Iterable[Mark], proofs: Iterable[Proof]) -> str:
    """The whole page; the same three give the same bytes."""
    sources, marks, proofs = tuple(sources), tuple(marks), tuple(proofs)
    counts = _counts(sources, {mark.clause for mark in marks})
    return "\n".join([HEAD, counts, *(_part(source, marks, proofs) for source in sources)])


def _counts(sources: tuple[Source, ...], marked: set[str]) -> str:
    statuses = ("enforced", "in part", "not yet", "decided")
    rows: list[tuple[str, ...]] = [("source", *statuses, "together")]
    totals = [0] * 5
    for source in sources:
        found = [status_of(clause, marked=clause.key in marked) for clause in source.clauses]
        counts = [*(found.count(status) for status in statuses), len(found)]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        rows.append((source.title, *map(str, counts)))
    rows.append(("all", *map(str, totals)))
    return _rows(rows)


def _part(source: Source, marks: tuple[Mark, ...], proofs: tuple[Proof, ...]) -> str:
    rows = [("clause", "what it asks", "enforced by", "tests", "status")]
    for clause in source.clauses:
        code = [f"[{mark.module}:{mark.name}](../{mark.path})" for mark in marks if mark.clause == clause.key]
        tests = [_test(proof.test) for proof in proofs if proof.clause == clause.key]
        rest = clause.missing or clause.not_yet or clause.decided
        status = status_of(clause, marked=bool(code))
        if clause.decided and rest != clause.decided:
            rest += f" Decided: {clause.decided}"
        elif clause.decided and code:
            status += ", decided"
        said = f"{status}: {rest}" if rest else status
        rows.append((clause.key, clause.what, "<br>".join(code), "<br>".join(tests), said))
    return f"## {source.title}\n\n{source.about}".rstrip() + "\n\n" + _rows(rows)


def _test(node: str) -> str:
    path, _, name = node.partition("::")
    return f"[{name}](../{path})"


def _rows(rows: Sequence[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = [head, ("---",) * len(head), *body]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
