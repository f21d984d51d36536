"""What everybody observed in a rehearsal, in words that two rehearsals share, so that two can be compared.

Names that are drawn by chance (sessions, runs, files, requests) are replaced by what they name, hashes and signatures
over them by one word each, and so is the moment at which a token's use was noted. What remains is what was asked, when,
by whom, and what was answered; what the platform says of the run in the end; and every score. Two runs with equal
observations cannot be told apart by anybody who took part.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from local.rehearsal.history import Call, Story
from local.rehearsal.proof.case import SCORES

Json = Any
_DRAWN: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "<key>"),
    (re.compile(r"[A-Za-z0-9+/]{86}=="), "<signature>"),
    (re.compile(r"\b[1-9][0-9]{14}\b"), "<id>"),
    (re.compile(r"\bhrd_[A-Za-z0-9_-]{20,}"), "<token>"),
    (re.compile(r"\bexpert-(?:[a-z0-9]{6}|\d+)\b(?!@)"), "<pseudonym>"),
    (re.compile(r'(?<="token_id":")[a-z0-9]{12}(?=")'), "<token>"),
    # Each process notes a token's use once in a while: which of them takes a request is the machine's affair.
    (re.compile(r'(?<="used_at":")[^"]+(?=")'), "<time>"),
)
_ARCHIVE: Final = "archive"
_MANIFEST: Final = "manifest.json"
_RECEIPTS: Final = "receipts/"
_APART: Final = frozenset({"keys"})
"""What the platform says in the end and what is new in every rehearsal."""


def observations(story: Story) -> list[str]:
    """All observations of a history, sorted; the same one as often as it was made. O(n log n)."""
    names = _names(story)
    found = [_plain(_call(call, names), names) for call in story.calls]
    answers = [part for of, body in story.facts.answers.items() if of not in _APART for part in _parts(of, body, names)]
    found += [_plain({"answer": of, "body": body}, names) for of, body in answers]
    found += [_plain({"score": [pk, sk], "item": item}, names) for pk, sk, item in _scores(story)]
    found += [_plain({"left": queue, "messages": count}, names) for queue, count in story.facts.left.items()]
    return sorted(found)


def digest(found: list[str]) -> str:
    """SHA-256 over observations: equal exactly when they are."""
    return sha256("\n".join(found).encode()).hexdigest()


def _parts(of: str, body: Json, names: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    """An answer, but of an archive each of its files by itself, and a team's receipts sorted: their order is that of
    drawn names, and of hashes over them."""
    if of.startswith(_RECEIPTS) and isinstance(body, Mapping):
        yield of, {**body, "receipts": sorted(_plain(each, names) for each in body["receipts"])}
        return
    if not of.endswith(_ARCHIVE) or not isinstance(body, Mapping):
        yield of, body
        return
    for name, each in body.items():
        told = json.loads(each["text"]) if name == _MANIFEST else each
        if name == _MANIFEST:
            told["files"] = sorted(_plain(file, names) for file in told["files"])
        yield of, {name: told}


def _call(call: Call, names: Mapping[str, str]) -> Mapping[str, Json]:
    # Every byte that the attacker received has names of requests and connections in it, and times of archives; what is
    # found there stands beside it.
    said = {name: value for name, value in call.said.items() if name != "heard"}
    if "changes" in said:  # of one moment the log's order is drawn
        said["changes"] = sorted(_plain(each, names) for each in said["changes"])
    return {
        "team": call.team,
        "what": call.what,
        "number": call.number,
        "path": call.path,
        "sent_at": call.sent_at,
        "done_at": call.done_at,
        "reached": call.reached,
        "seen": call.seen,
        "status": call.status,
        "code": call.code,
        "said": said,
        "files": sorted(names.get(each, each) for each in call.file_ids),
        "texts": sorted(call.texts),
        "marks": sorted(call.marks),
    }


def _scores(story: Story) -> Iterator[tuple[str, str, Json]]:
    for pk, items in story.facts.items.get(SCORES, {}).items():
        for sk, item in items.items():
            yield pk, sk, item


def _names(story: Story) -> dict[str, str]:
    """What the names that were drawn by chance name, as far as somebody was told."""
    found = {str(story.header.get("run", "")): "<run>"}
    counted: Counter[str] = Counter()
    whose: dict[str, str] = {}  # the files of a run are those of all its sessions
    for call in sorted(story.calls, key=lambda call: call.n):
        session, run = call.said.get("session_id"), _run_id(call.said)
        if call.status is None:
            continue
        for kind, drawn in _works(call.said):
            if drawn not in found:
                counted[kind] += 1
                found[drawn] = f"<{kind} {counted[kind]}>"
        if isinstance(session, str) and session not in found:
            counted[call.team] += 1
            found[session] = f"<session {counted[call.team]} of {call.team}>"
            whose[session] = run if isinstance(run, str) else session
        if isinstance(run, str) and run not in found:
            counted["runs"] += 1
            found[run] = f"<run {counted['runs']}>"
    rows = (row for plan in story.facts.answers.get("record", {}).get("plans", ()) for row in plan["rows"])
    found |= {str(row["file_id"]): f"<file {row['number']}>" for row in rows}
    for call in story.calls:
        if len(call.file_ids) == 1 and call.file_ids[0] not in found and call.number is not None:
            session = _session(call)
            found[call.file_ids[0]] = f"<file {call.number} of {found.get(whose.get(session, session), '')}>"
    found.pop("", None)
    return found


def _works(said: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Names of assignments and errands of which somebody is told first by itself."""
    listed = said.get("assignments")
    for each in listed if isinstance(listed, list) else ():
        yield "assignment", str(each["assignment_id"])
    if "errand_id" in said:
        yield "errand", str(said["errand_id"])


def _run_id(said: Mapping[str, Json]) -> Json:
    told = said.get("told")
    if isinstance(told, Mapping) and "run_id" in told:
        return told["run_id"]
    inner = said.get("run")
    return inner.get("run_id") if isinstance(inner, Mapping) else said.get("run_id")


def _session(call: Call) -> str:
    parts = str(call.path).split("/")
    return parts[3] if len(parts) > 3 else ""


def _plain(value: Json, names: Mapping[str, str]) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if names:
        text = re.sub(rf"\b(?:{'|'.join(map(re.escape, names))})\b", lambda match: names[match[0]], text)
    for pattern, word in _DRAWN:
        text = pattern.sub(word, text)
    return text
