"""Checks of the staff's work: decisions, commitments and records by their published description; experts' markups.

Experts are independent, a third one is asked where the rule says, and the final markups make the results. Each saved
draft has a mark of its own, so requests tell which markup is whose. An assignment's markup is its last valid draft,
also where its time ran out (platform §5, Decision "at the limit the last valid autosave"). All that the platform
answers is held against that, and against the library's scores by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import MARK, QUALIFYING, Call, Millis, from_text, to_text
from rehearsal.proof.case import ESSAYS_ALONE, Case, Check, contents_of, look_as_meant, parameters_of, tries
from rehearsal.proof.checks_answers import fragments
from rehearsal.proof.oracle import SEALED, Decision
from shadow.final import delayed, pauses_of
from tracks import registry

Json = Any
Statement = Mapping[str, Json]
_SALT_DIGITS: Final = 32
"""Least number of a salt's hexadecimal digits: 128 bits, which nobody tries out."""


@tries("decided", lambda size: 2 * 6 + 11 + size.answered, fault="decisions")
def decisions_kept(check: Check, case: Case) -> None:
    """Check the decisions. Every decision was taken and is published as it was ordered, by its number and its moment;
    forbidden ones were refused; appended files are those that were committed to then, of the reserve set."""
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
        moment, which = to_text(decision.effective_at), f"decision {decision.number} ({decision.kind})"
        due = {"amendment": decision.number, "kind": decision.kind, "effective_at": moment}
        pairs = ((line["told"], due), (line["told"]["details"], _details(case, decision)))
        check.look(
            *(
                f"{which}: {name} is told as {rows.get(name)}, not {right}"
                for rows, ordered in pairs
                for name, right in ordered.items()
                if rows.get(name) != right
            )
        )
    if case.story.decided:
        check.look(*_published_otherwise(case))
    for call in case.story.calls:
        if call.what == "file" and call.status == 200 and call.texts and case.story.decided:
            reserve = all(text > case.schedule.files for text in call.texts)
            another = reserve != ((call.number or 0) > case.schedule.files)
            check.look(f"{call.where}: file {call.number} is of another set" if another else None)


def _details(case: Case, decision: Decision) -> Mapping[str, Json]:
    """Return a decision's details: the order; of a replacement also its first file's number and place in the plan."""
    if decision.kind != "replace":
        return decision.wish
    before = case.schedule.known_at(decision.at - 1).decided.slots
    slot = case.schedule.decided.slots[len(before)]
    return {**decision.wish, "first": case.schedule.files + len(before) + 1, "slot": slot}


def _published_otherwise(case: Case) -> Iterator[str]:
    """Yield the faults of the published decisions: each of them, in order, and no other. Of rulings a hash of each is
    public during the run, afterwards the content; whether the two fit is the participants' verifier's to find."""
    decided, decisions = case.schedule.decided, case.schedule.decided.decisions
    pauses = tuple((from_text(pause["from"]), from_text(pause["until"])) for pause in case.run["pauses"])
    if pauses != decided.pauses:
        yield f"the run tells of the pauses {pauses}, there were {decided.pauses}"
    during = case.facts.answers.get("run_during", {"amendments": [], "rulings": []})
    if during["rulings"]:
        yield f"rulings are told while the run goes on: {during['rulings']}"
    for before, after in zip(during["amendments"], case.run["amendments"], strict=False):
        if before != after:
            yield f"decision {before['amendment']['number']}: it is told otherwise than while the run went on"
    due = [(decision.number, decided.told_as(decision), decision.effective_at) for decision in decisions]
    for name, run in (("run", case.run), ("record", case.record)):
        amended = [row["amendment"] for row in run["amendments"]]
        numbers = [(one["number"], one["amendment"], from_text(one["effective_at"])) for one in amended]
        if numbers == due:
            yield from (f"the {name} {fault}" for fault in _contents_otherwise(case, amended, run["rulings"]))
        else:
            yield f"the {name} tells of other decisions than were made: {numbers}"
    for decision in (one for one in decisions if one.kind == "replace"):
        rows = [row for plan in case.record["plans"] if plan["amendment"] == decision.number for row in plan["rows"]]
        first = int(_details(case, decision)["first"])
        numbered = [row["number"] for row in rows] == list(range(first, first + len(decision.wish["numbers"])))
        if not numbered or any(from_text(row["planned_at"]) != case.schedule.planned_at(row["number"]) for row in rows):
            yield f"decision {decision.number}: the record has other rows of it, or of other openings"


def _contents_otherwise(case: Case, chain: Sequence[Json], rulings: Sequence[Json]) -> Iterator[str]:
    opened = {ruling["number"]: (ruling["amendment"], ruling["details"]) for ruling in rulings}
    for decision, statement in zip(case.schedule.decided.decisions, chain, strict=True):
        which = f"decision {decision.number} ({decision.kind})"
        if case.schedule.decided.told_as(decision) != SEALED:
            details = {key: value for key, value in statement["details"].items() if key != "root"}
            if details != _details(case, decision):
                yield f"tells {which} as {details}"
        elif (content := opened.get(decision.number)) != (decision.kind, decision.wish):
            yield f"opens {which} as {content}"


@tries("committed", 2, outside=True)
def commitment_kept(check: Check, case: Case) -> None:
    """Check that the commitment before the run equals the content revealed after it, and that the participants'
    verifier of runs finds nothing wrong with that: signatures, their chain, the roster, rows and fates."""
    header, answers = case.story.header, case.facts.answers
    before = answers["run_before"]
    check.look(*_run_otherwise(before, case.run, case.record, answers["record_verified"]))
    promised = {name: before["commitment"]["statement"][name] for name in _ORDERED}
    described = {f"{name.removesuffix('_s')}_ms": round(value * 1000) for name, value in case.run["limits"].items()}
    ordered = {name: header[name] for name in _ORDERED}
    check.that(promised == ordered, f"the commitment promises {promised}, ordered was {ordered}")
    limits = {name: value for name, value in header["limits"].items() if name in described}
    check.that(limits == described, f"the run's description tells the limits {described}, ordered were {limits}")
    has_decisions = case.run.get("amendments") or case.record.get("amendments") or case.run.get("pauses")
    check.that(case.story.decided or not has_decisions, "there are decisions though nobody decided anything")


_ORDERED: Final = ("files", "starts_at", "interval_ms", "limits")


_RUNS: Final = {"trial": "the trial", "anew": "the run begun anew", "experts": "the run that experts marked up"}
_MOVED: Final = "moved"


@tries("committed", 50, fault="qualifying", stages=ESSAYS_ALONE)
def beside_as_promised(check: Check, case: Case) -> None:
    """Check runs beside the final. The commitment that was read before a run's start is the one that holds when its
    results are out; the participants' verifier finds nothing wrong with the record that opens it; each release is of a
    row's moment, moved by the pauses, and armed by the timer's first visit after it was moved; and the files that teams
    got, not before that moment, are those that were committed to (platform §3)."""
    look_as_meant(check, case, _MOVED)
    calls = [call for call in case.story.calls if call.what.startswith(QUALIFYING) and call.status in {200, 201}]
    bodies = {(call.what, call.means["run"]): call.said for call in calls if f"{QUALIFYING}beside_" in call.what}
    for kind, where in _RUNS.items():
        before, after = (bodies.get((f"{QUALIFYING}beside_{name}", kind)) for name in ("before", "after"))
        record, verdict = (case.facts.answers.get(f"{kind}_record{part}") for part in ("", "_verified"))
        if before is None or after is None or record is None or verdict is None:
            continue  # there are too few cases then
        check.look(*(f"{where}: {problem}" for problem in _run_otherwise(before, after, record, verdict)))
        moving = [call for call in calls if call.what == f"{QUALIFYING}{_MOVED}" and call.means["run"] == kind]
        moves = [Decision(number, call.means["kind"], call.done_at, {}) for number, call in enumerate(moving, start=1)]
        pauses = list(pauses_of([move.amendment() for move in moves]))
        rows = {row["number"]: row for plan in record["plans"] for row in plan["rows"]}
        opens_at = {number: delayed(from_text(row["planned_at"]), pauses) for number, row in rows.items()}
        for release in record["releases"]:
            problem = released_otherwise(release, opens_at) or _armed_otherwise(case, release, rows, opens_at, moves)
            check.look(f"{where}: {problem}" if problem else None)
        opened = (call for call in calls if call.path == "/v1/sessions" and call.means.get("run") == kind)
        sessions = {str(call.said["session_id"]) for call in opened}
        for call in (one for one in calls if one.what in _FILES and str(one.path).split("/")[3] in sessions):
            number = call.number or 0
            content = call.said["file_id"], sha256_hex(canonical_bytes(call.said["content"]))
            same = contents_of(record).get(number) == content
            check.that(same, f"{call.where}: file {number} is another one than was committed to")
            early = same and call.done_at < opens_at[number]
            check.that(not early, f"{call.where}: file {number} was handed out before its opening")


_FILES: Final = (f"{QUALIFYING}file", f"{QUALIFYING}experts_file")


def _armed_otherwise(
    case: Case, release: Json, rows: Mapping[int, Json], opens_at: Mapping[int, Millis], moves: Sequence[Decision]
) -> str | None:
    """Return the fault of a release that decisions have moved: the timer has not armed it since."""
    number = release["number"]
    if opens_at[number] == from_text(rows[number]["planned_at"]):
        return None
    visit = case.visits.arming(max(move.at for move in moves), opens_at[number])
    late = visit is not None and (release["armed_at"] is None or from_text(release["armed_at"]) > visit)
    return f"file {number} was moved and not armed anew by the timer" if late else None


def _run_otherwise(before: Statement, run: Statement, record: Statement, verdict: Sequence[str]) -> Iterator[str]:
    """Yield the faults of a run's commitment as it was read before the start, and of the record that opens it: those
    that the participants' verifier finds, then those of the rows that it leaves out."""
    for name, source in (("run", run), ("record", record)):
        if source["commitment"] != before["commitment"]:
            yield f"the commitment of the {name} is another one than before the start"
    yield from (f"the record is refused by who verifies it: {fault}" for fault in verdict)
    promised = run["commitment"]["statement"]
    rows = [row for plan in record["plans"] if plan["amendment"] == 0 for row in plan["rows"]]
    starts_at, interval = from_text(promised["starts_at"]), promised["interval_ms"]
    if [row["number"] for row in rows] != list(range(1, promised["files"] + 1)):
        yield f"{promised['files']} files were promised, {len(rows)} rows are revealed"
    for row in rows:
        if from_text(row["planned_at"]) != starts_at + (row["number"] - 1) * interval:
            yield f"row {row['number']} has another opening than the promised schedule"
    salts = [str(row["salt"]) for plan in record["plans"] for row in plan["rows"]]
    if len(set(salts)) < len(salts):
        yield "leaves of the commitment have the same salt"
    if any(len(salt) < _SALT_DIGITS for salt in salts):
        yield "a leaf of the commitment has a salt that can be guessed"


def released_otherwise(release: Statement, opens_at: Mapping[int, Millis]) -> str | None:
    """Return the fault of a release of the record: another opening than the schedule says."""
    right = from_text(release["opens_at"]) == opens_at.get(release["number"])
    return None if right else f"file {release['number']} was released at another moment than planned"


_STEPS: Final = ("", "_staff", "_given", "_opened", "_saved", "_handed_in", "_back", "_file", "_answer")
_OUTCOMES: Final = ("markups", "published", "report", "shown", "board")
_DRAFT: Final = "draft-"
"""Prefix of the marks of drafts."""
_INDEPENDENT: Final = 2


@dataclass(frozen=True, slots=True)
class Brought:
    """An expert's annotation of an essay: the draft that counts as the markup."""

    assignment: str
    who: str
    text: str
    markup: Mapping[str, Json]
    is_third: bool

    @property
    def mark(self) -> str:
        """Return the mark in each of its comments."""
        return str(self.markup["selections"][0]["comment"]).removeprefix(MARK)


@tries("experts", 92, fault="qualifying", stages=ESSAYS_ALONE)
def experts_apart(check: Check, case: Case) -> None:
    """Check that experts are independent. Two experts mark each essay up and see nothing of each other's; a third
    expert, and nobody else, is called where the rule says so of the two, and is shown both; nobody changes a markup
    that is handed in; teams see the markups of their files, and only when the results are out (R 7.10, 7.11; platform
    §5)."""
    look_as_meant(check, case, *(f"experts{step}" for step in _STEPS))
    if not check.examined:
        return
    brought = _brought(case)
    for text in sorted({_text(call) for call in _of(case, "file")}):
        check.look(*_called_otherwise(case, text, [markup for markup in brought if markup.text == text]))
    shown_calls = _of(case, "shown")
    for call in case.story.calls:
        marks = {mark for mark in call.marks if mark.startswith(_DRAFT)}
        if call in shown_calls:
            files = (handed for handed in _of(case, "file") if (handed.team, handed.number) == (call.team, call.number))
            mine = next(map(_text, files), None)
            due = {markup.mark for markup in brought if markup.text == mine}
            check.that(marks == due, f"{call.where}: shows the drafts {sorted(marks)}, not {sorted(due)}")
        elif marks and call.what != f"{QUALIFYING}experts_markups":
            strange = sorted(marks - _may_see(case, brought, call))
            check.that(not strange, f"{call.where}: is shown the drafts {', '.join(strange)}")
    for opened in (call for call in _of(case, "opened") if call.said["assignment"]["third"]):
        both = {markup.mark for markup in _independent(brought, _text(opened))}
        problem = f"{opened.where}: the third expert is shown the drafts {sorted(opened.marks)}, not {sorted(both)}"
        check.that(set(opened.marks) == both, problem)


@tries("experts", 15, fault="qualifying", stages=ESSAYS_ALONE)
def experts_counted(check: Check, case: Case) -> None:
    """Check that the experts' markups, each once, are those that the coordinator sees and the archive has, and that
    its verifier makes the public board of these and of the acknowledged answers (R 7.10, 7.14)."""
    look_as_meant(check, case, *(f"experts_{step}" for step in _OUTCOMES))
    if not check.examined:
        return
    brought, answers = _brought(case), case.facts.answers
    for call in _of(case, "markups"):
        texts = {str(file["name"]): str(file["text"]) for file in call.said["files"]}
        check.look(*(f"{call.where}: tells {fault}" for fault in _markups_otherwise(brought, texts)))
    archive = answers.get("experts_archive", {})
    texts = {name: content["text"] for name, content in archive.items() if name.endswith(".json")}
    check.look(*(f"the archive has {fault}" for fault in _markups_otherwise(brought, texts)))
    verified = answers.get("experts_archive_verified", {})
    teams = {call.team for call in _of(case, "report")}
    right = verified.get("faults") == [] and verified.get("rows") == len(teams)
    check.that(right, f"the archive is refused by who verifies it: {verified}")
    archived = json.loads(archive.get("board.json", {"text": "{}"})["text"]).get("rows", ())
    results = {row["team_id"]: row["result"] for row in archived}
    for call in _of(case, "report"):
        same = call.said.get("result") == results.get(call.team)
        check.that(same, f"{call.where}: the report has another result than the archive's board")
    for call in _of(case, "board"):
        same = {row["team_id"]: row["result"] for row in call.said.get("rows", ())} == results
        check.that(same, f"{call.where}: the board shows other results than the archive's")


def _of(case: Case, name: str) -> Sequence[Call]:
    """Return the calls of a name that were answered."""
    what = f"{QUALIFYING}experts_{name}"
    return [call for call in case.story.calls if call.what == what and call.status == 200]


def _text(call: Call) -> str:
    return str(call.said["content"]["text"])


def _brought(case: Case) -> Sequence[Brought]:
    """Return the experts' markups, in the order in which the essays were given to them, the third expert's last."""
    back = {call.means["assignment"] for call in _of(case, "back")}
    order = _given(case)
    markups = []
    for opened in _of(case, "opened"):
        assignment = str(opened.means["assignment"])
        saved = [call for call in _of(case, "saved") if call.means["assignment"] == assignment and call.means["valid"]]
        if saved and assignment not in back:
            third = (opened.team, _text(opened)) not in order
            markups.append(Brought(assignment, opened.team, _text(opened), saved[-1].means["markup"], third))
    return sorted(markups, key=lambda markup: order.get((markup.who, markup.text), len(order)))


def _given(case: Case) -> Mapping[tuple[str, str], int]:
    """Return in which place each expert was given an essay by the coordinator, by the expert's name and the text."""
    names = {member["person_id"]: member["email"] for call in _of(case, "staff") for member in call.said["staff"]}
    texts = {own["item"]["meta"]["id"]: str(own["item"]["text"]) for own in case.story.own}
    order: list[tuple[str, str]] = []
    for call in _of(case, "given"):
        for item_id, people in call.said["given"].items():
            order += [(names[person_id], texts[item_id]) for person_id in people]
    return {pair: place for place, pair in enumerate(order)}


def _independent(brought: Sequence[Brought], text: str) -> Sequence[Brought]:
    return [markup for markup in brought if markup.text == text and not markup.is_third]


def _called_otherwise(case: Case, text: str, brought: Sequence[Brought]) -> Iterator[str]:
    """Yield the fault of an essay's annotators: they are two experts, and a third exactly where their markups differ so
    much that the rule calls one, all of them different people."""
    two, thirds = _independent(brought, text), [markup for markup in brought if markup.is_third]
    item = {own["item"]["text"]: own["item"] for own in case.story.own}[text]  # as the rehearsal wrote it
    where = item["meta"]["id"]
    if len(two) != _INDEPENDENT or len({markup.who for markup in brought}) != len(brought):
        yield f"{where}: is marked up by {', '.join(markup.who for markup in brought) or 'nobody'}"
        return
    track: Any = registry.get("essay")
    rules = parameters_of(case.facts)["track"]
    needed = bool(track.third_expert(item, two[0].markup, two[1].markup, rules))
    if len(thirds) != needed:
        yield f"{where}: {len(thirds)} third experts have marked it up, by the rule {int(needed)}"


def _may_see(case: Case, brought: Sequence[Brought], call: Call) -> set[str]:
    """Return the marks of drafts that may be in an answer to somebody: one's own, and a third expert's two."""
    saved = [saving for saving in case.story.calls if saving.team == call.team and "markup" in saving.means]
    own = {str(fragment.get("comment", "")) for draft in saved for fragment in draft.means["markup"]["selections"]}
    thirds = {_text(one) for one in _of(case, "opened") if one.team == call.team and one.said["assignment"]["third"]}
    both = {markup.mark for text in thirds for markup in _independent(brought, text)}
    return {mark.removeprefix(MARK) for mark in own} | both


def _markups_otherwise(brought: Sequence[Brought], texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the markups in a folder of documents, beside their items, that differ from those that experts have
    submitted."""
    documents = {name: json.loads(text) for name, text in texts.items()}
    is_markup = {name: "_exp" in name or name.startswith("experts/") for name in documents}
    items = {
        document.get("text"): name
        for name, document in documents.items()
        if not (is_markup[name] or "markups/" in name)
    }
    for text in sorted({markup.text for markup in brought}):
        due = sorted(fragments(markup.markup) for markup in brought if markup.text == text)
        item = items.get(text, "").removeprefix("essays/").removesuffix(".json")
        names = [name for name in documents if is_markup[name] and item in re.split("_exp|/", name)]
        if sorted(fragments(documents[name]) for name in names) != due:
            yield f"{len(names)} markups of {item}, {len(due)} were brought, or others"
