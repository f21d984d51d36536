"""Where register, marks and tests disagree: the build fails on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tools.clauses.marks import Mark
from tools.clauses.proofs import Proof
from tools.clauses.register import Clause, Source


def find_faults(sources: Iterable[Source], marks: Iterable[Mark], proofs: Iterable[Proof]) -> list[str]:
    """Sentences that say what is wrong, where, and what to do; none when the three agree."""
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
