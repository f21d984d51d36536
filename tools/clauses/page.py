"""``docs/clauses.md``: per source a table of clauses, their demands, the enforcing code and the proving tests.

:func:`find_faults` lists where register, marks and tests disagree: the build fails on each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tools.clauses.reading import Clause, Mark, Proof, Source

HEAD = """# Clauses, the code that enforces them, and their tests

What the contests' regulations and the project's own specifications ask of software, and what became of it. Clauses
that only people can keep (manners, the law, what happens in a hall) are not listed. *Enforced*: the code named beside
the clause enforces it, and the tests beside it go red without that code; *in part*: what is missing is said; *not yet*:
nothing enforces it, and what is needed is said; *decided*: the source is silent, contradicts itself or is not followed,
and the reason is said.

`make clauses` writes this page from `docs/clauses/*.toml`, from comments `# Clause:` above the code and from the tests'
markers; `make clauses ARGS=--marks` prints every mark with its function and the names of its tests.
"""


def status_of(clause: Clause, *, marked: bool) -> str:
    """Return one of enforced, in part, not yet, decided."""
    if clause.missing:
        return "in part"
    if clause.not_yet:
        return "not yet"
    return "enforced" if marked else "decided"


def render_page(sources: Iterable[Source], marks: Iterable[Mark], proofs: Iterable[Proof]) -> str:
    """Return the whole page; the same three give the same bytes."""
    sources, marks, proofs = tuple(sources), tuple(marks), tuple(proofs)
    counts = _counts(sources, {mark.clause for mark in marks})
    return "\n".join([HEAD, counts, *(_part(source, marks, proofs) for source in sources)])


def _counts(sources: tuple[Source, ...], marked: set[str]) -> str:
    statuses = ("enforced", "in part", "not yet", "decided")
    rows: list[tuple[str, ...]] = [("source", *statuses, "together")]
    totals = [0] * 5
    for source in sources:
        present = [status_of(clause, marked=clause.key in marked) for clause in source.clauses]
        counts = [*(present.count(status) for status in statuses), len(present)]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        rows.append((source.title, *map(str, counts)))
    rows.append(("all", *map(str, totals)))
    return _rows(rows)


def _part(source: Source, marks: tuple[Mark, ...], proofs: tuple[Proof, ...]) -> str:
    rows = [("clause", "what it asks", "enforced by", "tests", "status")]
    for clause in source.clauses:
        code = [f"[{mark.module}:{mark.name}](../{mark.path})" for mark in marks if mark.clause == clause.key]
        nodes = [proof.test.partition("::") for proof in proofs if proof.clause == clause.key]
        tests = [f"[{name}](../{path})" for path, _, name in nodes]
        rest = clause.missing or clause.not_yet or clause.decided
        status = status_of(clause, marked=bool(code))
        if clause.decided and rest != clause.decided:
            rest += f" Decided: {clause.decided}"
        elif clause.decided and code:
            status += ", decided"
        standing = f"{status}: {rest}" if rest else status
        rows.append((clause.key, clause.what, "<br>".join(code), "<br>".join(tests), standing))
    return f"## {source.title}\n\n{source.about}".rstrip() + "\n\n" + _rows(rows)


def _rows(rows: Sequence[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = [head, ("---",) * len(head), *body]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def find_faults(sources: Iterable[Source], marks: Iterable[Mark], proofs: Iterable[Proof]) -> list[str]:
    """Return sentences with each fault, its place and its remedy; none when the three agree."""
    clauses = {clause.key: clause for source in sources for clause in source.clauses}
    marked, proved = {mark.clause for mark in marks}, {proof.clause for proof in proofs}
    in_gate = {proof.clause for proof in proofs if not proof.is_long}
    faults = list(_unknown(clauses, marks, proofs))
    faults += [
        f"{key}: only make long runs its tests; leave the gate a cheap form of one" for key in sorted(proved - in_gate)
    ]
    for clause in clauses.values():
        faults += _of_clause(clause, marked=clause.key in marked, proved=clause.key in proved)
    return faults


def _unknown(clauses: dict[str, Clause], marks: Iterable[Mark], proofs: Iterable[Proof]) -> Iterator[str]:
    for mark in marks:
        if not mark.name:
            yield f"{mark.path}: no function or constant has this mark; move Clause: {mark.clause} to what enforces it"
        if mark.clause not in clauses:
            yield f"{mark.path}:{mark.line}: {mark.name} marks {mark.clause!r}, which docs/clauses does not list"
    for proof in proofs:
        if proof.test.endswith("::"):
            yield f"{proof.test}: {proof.clause} is said above no test; move it right above the one that proves it"
        if not proof.clause:
            yield f"{proof.test}: names no clause; say it in the name or with @pytest.mark.clause"
        elif proof.clause not in clauses:
            yield f"{proof.test}: names {proof.clause!r}, which docs/clauses does not list"


def _of_clause(clause: Clause, *, marked: bool, proved: bool) -> Iterator[str]:
    key = clause.key
    if marked and not proved:
        yield f"{key}: marked in the code, but no test proves it; write one or take the mark away"
    if proved and not marked:
        yield f"{key}: a test names it, but no code is marked; mark what the test would see broken"
    if marked and clause.not_yet:
        yield f"{key}: marked in the code and not_yet; say what is missing (missing = …) instead, or nothing"
    if not marked and clause.missing:
        yield f"{key}: a part is missing, but no code is marked for the rest; mark it or say not_yet"
    if not marked and not proved and not (clause.not_yet or clause.missing or clause.decided):
        yield f"{key}: nothing enforces it; mark the code that does or say what is needed (not_yet = …)"
