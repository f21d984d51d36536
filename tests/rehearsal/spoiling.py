"""Spoil a story written by hand by rows of tables: the change, and the checker's sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rehearsal.history import to_text
from rehearsal.proof.checker import check, proof_of
from tests.rehearsal.story import START, TEAMS, Pen

Json = Any
Spoil = Callable[[Pen], Any]
TOLD = "told_as_played"
FOLLOWS = frozenset({"archive_kept", TOLD})
"""Checks of reports, archive and final answers, which tell the right story however it is spoiled."""


def red(pen: Pen) -> set[str]:
    """Return the names of the failing checks without those in ``FOLLOWS``."""
    return {row.name for row in check(pen.story()) if not row.passed} - FOLLOWS


def faults_of(pen: Pen, name: str) -> list[str]:
    """Return the faults that one check finds, run as the checker runs it."""
    story = pen.story()
    proof = proof_of(story.header)
    [result] = replace(proof, rows=(proof.checks[name],)).of(story)
    return result.faults


def found(pen: Pen, spoil: Spoil, name: str, phrase: str | None) -> bool:
    """Return whether a check finds a fault with a phrase in a spoiled story; without one, that it finds none."""
    spoil(pen)
    return tell_of(faults_of(pen, name), phrase)


def tell_of(faults: Sequence[str], phrase: str | None) -> bool:
    """Return whether one of the faults has a phrase in it; without one, whether there are none."""
    return any(phrase in fault for fault in faults) if phrase is not None else not faults


def moment(at: int) -> str:
    return to_text(START + at)


def put(value: Json, path: str, new: Json) -> None:
    """Set a value at a path such as ``rows.0.place``; a callable makes it of the old one."""
    *steps, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
    for step in steps:
        value = value[step]
    value[last] = new(value[last]) if callable(new) else new


def all_of(*spoils: Spoil) -> Spoil:
    def spoil(pen: Pen) -> None:
        for one in spoils:
            one(pen)

    return spoil


def call(team: str, what: str, number: int | None, at: int, status: int | None = 200, **more: Any) -> Spoil:
    return lambda pen: pen.call(team, what, number, at, status, **more)


def add(kind: str, **what: Any) -> Spoil:
    return lambda pen: pen.add(kind, **what)


def injected(what: str, **where: Any) -> Spoil:
    """Write an injection; its moments ``at``, ``comes``, ``since`` and ``until`` are counted from START."""
    fields = {name: moment(at) if name in {"at", "comes", "since", "until"} else at for name, at in where.items()}
    return add("injected", what=what, **fields)


def item(pk: str, sk: str, **content: Any) -> Spoil:
    return add("item", table="exchange", pk=pk, sk=sk, item=content)


def forget(kind: str, **what: Any) -> Spoil:
    return lambda pen: [pen.forget(line) for line in pen.all(kind, **what)]


def tell(of: str, path: str, new: Json) -> Spoil:
    """Change an answer that the platform gave in the end."""
    return lambda pen: put(pen.answer_line(of), f"body.{path}" if path else "body", new)


def header(**what: Any) -> Spoil:
    return lambda pen: pen.find("header").update(what)


def reply(team: str, what: str, number: int | None, path: str, new: Json) -> Spoil:
    """Change the response to a team's request."""
    return lambda pen: put(response_to(pen, team, what, number), path, new)


def stored(team: str, sk: str, path: str, new: Json) -> Spoil:
    return lambda pen: put(pen.item(team, sk), path, new)


def at(team: str, what: str, number: int, moved: int) -> Spoil:
    """Let a call happen at another moment after START."""

    def spoil(pen: Pen) -> None:
        n = response_to(pen, team, what, number)["n"]
        for kind in ("request", "response"):
            pen.find(kind, n=n)["at"] = START + moved

    return spoil


def response_to(pen: Pen, team: str, what: str, number: int | None) -> dict:
    (request,) = pen.all("request", team=team, what=what, number=number)
    return pen.find("response", n=request["n"])


def digest_of(pen: Pen, team: str, number: int) -> str:
    return str(pen.item(team, f"FILE#{number:04d}")["answer"]["content_sha256"])


def of_session(team: str) -> str:
    return f"SESSION#{TEAMS[team]}"
