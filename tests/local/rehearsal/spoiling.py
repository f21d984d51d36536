"""How tests spoil a story written by hand: what to find in it, and what the checker says of it."""

from __future__ import annotations

from local.rehearsal.proof.checker import check, proof_of
from tests.local.rehearsal.story import FILES, START, Pen

REPORTS, ARCHIVE, TOLD = "reports_agree", "archive_kept", "told_as_played"


def red(pen: Pen) -> set[str]:
    """Names of the checks that fail; but those of reports, archive and what is told in the end, which tell the right
    story however it is spoiled."""
    return {row.name for row in check(pen.story()) if not row.passed} - {REPORTS, ARCHIVE, TOLD}


def faults_of(pen: Pen, name: str) -> list[str]:
    """Return the faults that one check finds, run as the checker runs it."""
    story = pen.story()
    return proof_of(story.header).one(name, story).faults


def request_of(pen: Pen, n: int) -> dict:
    return pen.find("request", n=n)


def response_to(pen: Pen, team: str, what: str, number: int) -> dict:
    (request,) = pen.all("request", team=team, what=what, number=number)
    return pen.find("response", n=request["n"])


def answer_of(pen: Pen, team: str, number: int) -> dict:
    return response_to(pen, team, "answer", number)


def file_of(pen: Pen, team: str, number: int) -> dict:
    return response_to(pen, team, "file", number)


def digest_of(pen: Pen, team: str, number: int) -> str:
    return str(pen.item(team, f"FILE#{number:04d}")["answer"]["content_sha256"])


def pen_file(number: int) -> str:
    return FILES[number]


def move(pen: Pen, n: int, at: int) -> None:
    """Let a call happen at another moment after START."""
    for kind in ("request", "response"):
        pen.find(kind, n=n)["at"] = START + at
