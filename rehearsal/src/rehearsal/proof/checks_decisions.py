"""Checks of decisions, and of runs beside the final: orders and commitments hold, and nothing more was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import QUALIFYING, Call
from rehearsal.moments import SECOND, Millis, from_text, to_text
from rehearsal.proof.case import Case, Check, answered_as_meant
from rehearsal.proof.conclusion import commitment_faults, contents_of, merkle_root, record_faults
from rehearsal.proof.oracle import SEALED, Decision
from shadow.fates import delayed, pauses_of

Json = Any
BELIEVED: Final[Millis] = 2 * SECOND
"""For so long a process may not have heard of a decision; it holds later than that."""


def kept(case: Case) -> Check:
    """Check the decisions. Every decision was taken and is published as it was ordered, by its number and its moment;
    forbidden ones were refused; files that a decision voids are void for everybody; the appended ones are those that
    were committed to then, of the reserve set; and a program that asks in a pause is told so."""
    check = Check("decisions_kept")
    for line in case.story.decided:
        refused = f"the decision {line['wished']} at {to_text(line['at'])} was answered {line['status']}"
        check.that(line["status"] == 200, refused)
    for line in case.story.forbidden:
        wish = f"{line['wished']} {line['wish']} at {to_text(line['at'])}"
        response = f"{line['status']} {line['code']}, not {line['due']}"
        right = (line["status"], line["code"]) == (409, line["due"])
        check.that(right, f"{wish} is against the rules and was answered {response}")
    decisions = case.schedule.decided.decisions
    for decision, line in zip(decisions, [line for line in case.story.decided if line["status"] == 200], strict=True):
        check.look(*_told_otherwise(case, decision, line["told"]))
    if case.story.decided:
        check.look(*_published_otherwise(case))
        check.look(*_sealed_otherwise(case))
    for (team, number), status in case.statuses.items():
        if number in case.schedule.decided.voided:  # a ruling may give it another cause
            causes = {"organizer_decision", case.schedule.decided.ruled.get((team, number))}
            right = status["state"] == "voided" and status["cause"] in causes
            fate = f"{status['state']} ({status['cause']})"
            check.that(right, f"{team}, file {number}: void for everybody, and is {fate}")
    for call in case.story.calls:
        if call.what == "file" and case.story.decided:
            check.look(*_in_a_pause(case, call), *_of_another_set(case, call))
    return check


def told_opening(case: Case, number: int, sent_at: Millis) -> frozenset[Millis]:
    """Return the opening of a file that may be given at a moment: by the decisions so far, or by a process' belief."""
    schedule = case.schedule
    schedules = (schedule.known_at(moment) for moment in (sent_at, sent_at - BELIEVED))
    return frozenset(schedule_then.opens_at(number) for schedule_then in schedules if number in schedule_then.numbers)


def _told_otherwise(case: Case, decision: Decision, published: Mapping[str, Json]) -> Iterator[str]:
    expected = {"amendment": decision.number, "kind": decision.kind, "effective_at": to_text(decision.effective_at)}
    which = f"decision {decision.number} ({decision.kind})"
    for name, value in expected.items():
        if published.get(name) != value:
            yield f"{which}: {name} is told as {published.get(name)}, by the rules {value}"
    for name, value in _details(case, decision).items():
        if published["details"].get(name) != value:
            yield f"{which}: {name} is told as {published['details'].get(name)}, not {value}"


def _details(case: Case, decision: Decision) -> Mapping[str, Json]:
    """Return the details of a decision: what was ordered, and of a replacement where its files come in."""
    if decision.kind != "replace":
        return decision.wish
    before = case.schedule.known_at(decision.at - 1).decided.slots
    slot = case.schedule.decided.slots[len(before)]
    return {**decision.wish, "first": case.schedule.files + len(before) + 1, "slot": slot}


def _published_otherwise(case: Case) -> Iterator[str]:
    """Yield the faults of the published decisions: each of them, in order, and no other; of rulings only that there are
    some."""
    decided = case.schedule.decided
    for name, run in (("run", case.run), ("record", case.record)):
        statements = [row["amendment"] for row in run["amendments"]]
        numbers = [
            (statement["number"], statement["amendment"], from_text(statement["effective_at"]))
            for statement in statements
        ]
        if numbers != [
            (decision.number, decided.told_as(decision), decision.effective_at) for decision in decided.decisions
        ]:
            yield f"the {name} tells of other decisions than were made: {numbers}"
            continue
        for decision, statement in zip(decided.decisions, statements, strict=True):
            if decided.told_as(decision) == SEALED:
                continue
            details = {key: value for key, value in statement["details"].items() if key != "root"}
            if details != _details(case, decision):
                yield f"the {name} tells decision {decision.number} ({decision.kind}) as {details}"
            if decision.kind == "replace":
                yield from _appended_otherwise(case, decision, statement["details"]["root"])
    pauses = tuple((from_text(pause["from"]), from_text(pause["until"])) for pause in case.run["pauses"])
    if pauses != case.schedule.decided.pauses:
        yield f"the run tells of the pauses {pauses}, there were {case.schedule.decided.pauses}"


def _sealed_otherwise(case: Case) -> Iterator[str]:
    """Yield the faults of rulings: during the run a hash of each is public, afterwards the one content with it."""
    during = case.facts.answers.get("run_during", {"amendments": [], "rulings": []})
    if during["rulings"]:
        yield f"rulings are told while the run goes on: {during['rulings']}"
    for before, after in zip(during["amendments"], case.run["amendments"], strict=False):
        if before != after:
            yield f"decision {before['amendment']['number']}: it is told otherwise than while the run went on"
    decided = case.schedule.decided
    seals = {row["amendment"]["number"]: row["amendment"]["details"].get("seal") for row in during["amendments"]}
    for name, run in (("run", case.run), ("record", case.record)):
        opened = {ruling["number"]: ruling for ruling in run["rulings"]}
        for decision in (candidate for candidate in decided.decisions if decided.told_as(candidate) == SEALED):
            content, which = opened.pop(decision.number, None), f"decision {decision.number} ({decision.kind})"
            if content is None:
                yield f"the {name} does not open {which}"
            elif seals.get(decision.number) != sha256_hex(canonical_bytes(content)):
                yield f"the {name} opens {which} with another content than was sealed"
            elif (content["amendment"], content["details"]) != (decision.kind, decision.wish):
                yield f"the {name} opens {which} as {content['details']}"
        for number in opened:
            yield f"the {name} opens decision {number}, which is no ruling"


def _appended_otherwise(case: Case, decision: Decision, root: str) -> Iterator[str]:
    """Compare the rows of a replacement's files with the commitment that was made with it."""
    rows = [row for plan in case.record["plans"] if plan["amendment"] == decision.number for row in plan["rows"]]
    first = int(_details(case, decision)["first"])
    if [row["number"] for row in rows] != list(range(first, first + len(decision.wish["numbers"]))):
        yield f"decision {decision.number}: the record has the rows {[row['number'] for row in rows]} of it"
        return
    if merkle_root(rows) != root:
        yield f"decision {decision.number}: the revealed rows do not lead to the root that was committed to"
    for row in rows:
        if from_text(row["planned_at"]) != case.schedule.planned_at(row["number"]):
            yield f"row {row['number']} has another opening than the decision gives"


def _in_a_pause(case: Case, call: Call) -> Iterator[str]:
    """Yield the faults of an answer in a pause about a file that it moves: it says that the run is paused, and until
    when."""
    paused = any(start <= call.sent_at < until for start, until in case.schedule.decided.pauses)
    if call.status != 425 or not paused or call.number is None:
        return
    details = (call.said["error"].get("details") or [{}])[0]
    where = f"{call.where}: file {call.number} in a pause"
    if details.get("run_state") != "paused":
        yield f"{where} is told that the run is {details.get('run_state')}"
    opens_at = details.get("opens_at")
    if opens_at is None or from_text(opens_at) not in told_opening(case, call.number, call.sent_at):
        yield f"{where} is told that it opens at {opens_at}"


def _of_another_set(case: Case, call: Call) -> Iterator[str]:
    """Yield whether an appended file is not of the reserve set, or another one is."""
    if call.status == 200 and call.texts:
        reserve = all(text > case.schedule.files for text in call.texts)
        if reserve != ((call.number or 0) > case.schedule.files):
            yield f"{call.where}: file {call.number} is of another set"


_RUNS: Final = {"trial": "the trial", "anew": "the run begun anew", "experts": "the run that experts marked up"}
_FILES: Final = (f"{QUALIFYING}file", f"{QUALIFYING}experts_file")
_MOVED: Final = "moved"


def kept_beside(case: Case) -> Check:
    """Check runs beside the final. The commitment that was read before a run's start is the one that holds when its
    results are out; rows, salts, signatures and the signed record agree with it; each release is of a row's moment,
    moved by the pauses, and armed by the timer's first visit after it was moved; and the files that teams got, not
    before that moment, are those that were committed to (platform §3)."""
    check = answered_as_meant(case, "beside_as_promised", _MOVED)
    looks = [call for call in case.story.calls if call.what.startswith(f"{QUALIFYING}beside_") and call.status == 200]
    read = {(call.what, call.means["run"]): call.said for call in looks}
    for kind, where in _RUNS.items():
        before, after = (read.get((f"{QUALIFYING}beside_{name}", kind)) for name in ("before", "after"))
        record, signed = (case.facts.answers.get(f"{kind}_record{part}") for part in ("", "_statement"))
        if before is None or after is None or record is None or signed is None:
            continue  # there are too few cases then
        for run, name in ((after, "run"), (record, "record")):
            other = run["commitment"] != before["commitment"]
            check.that(not other, f"{where}: the commitment of the {name} is another one than before the start")
        check.look(*(f"{where}: {problem}" for problem in commitment_faults(after, record, case.keys)))
        check.look(*(f"{where}: {problem}" for problem in record_faults(after, record, signed, case.keys)))
        check.look(*(f"{where}: {problem}" for problem in _other_rows(after, record)))
        openings = _openings(record, _moves(case, kind))
        for release in record["releases"]:
            check.look(*(f"{where}: {fault}" for fault in _released_otherwise(case, release, openings)))
        rows = contents_of(record)
        for call in _handed(case, kind):
            check.look(*(f"{call.where}: {problem}" for problem in _otherwise(call, rows, openings)))
    return check


@dataclass(frozen=True, slots=True)
class _Opening:
    """Opening of a file, and since when it is known if a decision has moved it."""

    at: Millis
    moved: Millis | None


def _moves(case: Case, kind: str) -> Sequence[Decision]:
    """Return the decisions that moved openings of a run of this kind."""
    calls = (call for call in case.story.calls if call.what == f"{QUALIFYING}{_MOVED}" and call.status == 200)
    decisions = (call for call in calls if call.means["run"] == kind)
    return [Decision(number, call.means["kind"], call.done_at, {}) for number, call in enumerate(decisions, start=1)]


def _openings(record: Mapping[str, Json], moves: Sequence[Decision]) -> Mapping[int, _Opening]:
    """Return when each file opens by its row and the decisions."""
    pauses = list(pauses_of([move.amendment() for move in moves]))
    openings = {}
    for row in (row for plan in record["plans"] for row in plan["rows"]):
        planned = from_text(row["planned_at"])
        at = delayed(planned, pauses)
        openings[row["number"]] = _Opening(at, max(move.at for move in moves) if at != planned else None)
    return openings


def _released_otherwise(case: Case, release: Mapping[str, Json], openings: Mapping[int, _Opening]) -> Iterator[str]:
    """Yield the fault of a release of the record."""
    due = openings.get(release["number"])
    if due is None or from_text(release["opens_at"]) != due.at:
        yield f"file {release['number']} was released at another moment than planned"
    elif due.moved is not None:
        visit = case.visits.arming(due.moved, due.at)
        if visit is not None and (release["armed_at"] is None or from_text(release["armed_at"]) > visit):
            yield f"file {release['number']} was moved and not armed anew by the timer"


def _other_rows(run: Mapping[str, Json], record: Mapping[str, Json]) -> Iterator[str]:
    """Yield the files that replaced others and are not those that the decision committed to."""
    statements = {row["amendment"]["number"]: row["amendment"] for row in run.get("amendments") or ()}
    for plan in (candidate for candidate in record["plans"] if candidate["amendment"]):
        root = statements.get(plan["amendment"], {}).get("details", {}).get("root")
        if root != merkle_root(plan["rows"]):
            yield f"the rows of decision {plan['amendment']} do not lead to the root that it committed to"


def _handed(case: Case, kind: str) -> Sequence[Call]:
    """Return the files that were handed out in a run of this kind."""
    opened = [call for call in case.story.calls if call.path == "/v1/sessions" and call.status == 201]
    sessions = {str(call.said["session_id"]) for call in opened if call.means.get("run") == kind}
    files = [call for call in case.story.calls if call.what in _FILES and call.status == 200]
    return [call for call in files if str(call.path).split("/")[3] in sessions]


def _otherwise(call: Call, rows: Mapping[int, tuple[str, str]], openings: Mapping[int, _Opening]) -> Iterator[str]:
    number = call.number or 0
    if rows.get(number) != (call.said["file_id"], sha256_hex(canonical_bytes(call.said["content"]))):
        yield f"file {number} is another one than was committed to"
    elif call.done_at < openings[number].at:
        yield f"file {number} was handed out before its opening"
