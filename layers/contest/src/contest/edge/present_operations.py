"""What operations are told, as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contest.contracts import operations
from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.operations.dead_letters import DeadLetter
from contest.domain.operations.findings import Finding
from contest.ports import Page
from contest.services.operations.dead_letters import Redriven
from contest.services.operations.doctor import Mended


def letters(found: Page[DeadLetter]) -> operations.LettersBody:
    """A page of open letters."""
    entries = [operations.LetterEntry(**_entry(each)) for each in found.items]
    return operations.LettersBody(letters=entries, after=found.after)


def letter(found: DeadLetter) -> operations.LetterBody:
    """A letter whole."""
    return operations.LetterBody(**_entry(found), body=found.body, messages=list(found.messages))


def redriven(done: Redriven) -> operations.RedrivenBody:
    """What a redrive did."""
    return operations.RedrivenBody(redriven=list(done.redriven), passed_over=list(done.passed_over), left=done.left)


def findings(found: Sequence[Finding], now: Millis) -> operations.FindingsBody:
    """What is stuck, with what it means."""
    return operations.FindingsBody(findings=[_finding(each) for each in found], server_time=iso(now))


def mended(done: Sequence[Mended]) -> operations.MendingsBody:
    """What became of what was stuck."""
    told = [
        operations.MendedBody(
            ailment=each.finding.ailment, subject=each.finding.subject, mended=not each.error, error=each.error
        )
        for each in done
    ]
    return operations.MendingsBody(mended=told)


def _finding(each: Finding) -> operations.FindingBody:
    said = each.words
    return operations.FindingBody(
        ailment=each.ailment,
        subject=each.subject,
        since=iso_or_none(each.since),
        evidence=dict(each.evidence),
        cause=said.cause,
        cause_ru=said.cause_ru,
        action=said.action,
        action_ru=said.action_ru,
        mendable=said.mendable,
    )


def _entry(found: DeadLetter) -> dict[str, Any]:
    return {
        "letter_id": found.letter_id,
        "queue": found.queue,
        "about": dict(found.about),
        "error": found.error,
        "times": found.times,
        "tries": found.tries,
        "sent_at": iso(found.sent_at),
        "first_at": iso(found.first_at),
        "last_at": iso(found.last_at),
        "state": found.state,
        "decided_at": iso_or_none(found.decided_at),
        "reason": found.reason,
    }
