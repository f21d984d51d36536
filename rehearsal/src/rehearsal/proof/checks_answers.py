"""Checks of answers, from the receipt to the archive (platform §3, §4).

None is lost, accepted late or refused in time; a file has ten sends, a number one answer. Once the results are out
everybody has in the archives exactly what the contest's text gives over, and nothing else; nobody has it before
(R 7.14, D 14.7, decision 0034). That its contents make its board, and are what its manifest says, is found by the
command with which everybody checks an archive; here its board is held against everybody's.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from markup_core.receipt import canonical_bytes, canonical_json, sha256_hex
from rehearsal.history import MINUTE, UNANSWERED, Call, Millis, from_text
from rehearsal.proof.case import PROGRAMS_ALONE, RUNS, Case, Check, contents_of, parameters_of, receipt_text, tries
from rehearsal.proof.checks_programs import PRIVATE_TEST, SUBTASKS, ProgramCase
from rehearsal.proof.checks_results import Results, counting, dialogue
from rehearsal.proof.oracle import SEMIFINAL, Life
from tracks import registry

Json = Any
_INVALID: Final = frozenset({400, 422})
_OWN: Final = frozenset({"status", "receipts", "report"})
_KEY_REUSED: Final = "idempotency_key_reused"


@tries("kept", lambda size: size.lives + size.answered, outside=True)
def acknowledged_kept(check: Check, case: Case) -> None:
    """Check that every receipt is signed and stored, with the very bytes that it names; from outside, that it is signed
    and listed."""
    for life in case.lives.values():
        for call in life.taken:
            check.look(*(f"{_where(life, call)}: {fault}" for fault in _lost(case, life, call)))
        if not case.is_outside:
            check.look(_replaced(case, life))
    for name, status in case.facts.answers.items():
        what, _, team = name.removeprefix(UNANSWERED).partition("/")
        if name.startswith(UNANSWERED) and what in _OWN:
            check.look(f"{team}: asked in the end for its {what}, and was answered {status}")


def _where(life: Life, call: Call) -> str:
    return f"{life.where}, send {call.said['receipt']['send']} ({call.said['receipt']['status']}), call {call.n}"


def _lost(case: Case, life: Life, call: Call) -> Iterator[str]:
    receipt = call.said["receipt"]
    digest = receipt["content_sha256"]
    if not case.keys.signed(receipt, call.said["signature"]):
        yield "the signature is not good"
    if not _is_valid(case, receipt):
        yield "its key signs at another time"
    if receipt_text(call.said) not in case.stored_receipts(life.team):
        yield "the receipt is not stored"
    stored = case.facts.objects.get(f"answers/{life.session_id}/{life.number}/{digest}.json")
    if stored is None and receipt["status"] != "ignored" and not case.is_outside:
        yield "the answer's bytes are not stored"
    if stored is not None and stored[0] != digest:
        yield "other bytes are stored than were receipted"
    if call.content_sha256 != digest:
        yield "the receipt speaks of other bytes than were sent"


def _is_valid(case: Case, receipt: Mapping[str, Json]) -> bool:
    """Return whether the key of a receipt is the one that signed when its answer arrived, by the published list; the
    platform may sign within a minute of that."""
    key: Json = next((one for one in case.facts.answers["keys"]["keys"] if one["key_id"] == receipt["key_id"]), {})
    since, until = key.get("valid_from"), key.get("valid_until")
    arrived = from_text(receipt["received_at"])
    return since is not None and from_text(since) <= arrived + MINUTE and (until is None or arrived <= from_text(until))


def _replaced(case: Case, life: Life) -> str | None:
    """Return the faults of the answers that count: the last one accepted, of those with a receipt that was delivered;
    in a dialogue every one, in their order. Where a receipt never came, the platform's word is taken."""
    item = case.item(life.team, f"FILE#{life.number:04d}") or {}
    last = life.receipted()
    if any("turn" in call.means for call in life.sends):
        hashes = {int(turn["send"]): str(turn["content_sha256"]) for turn in json.loads(item.get("turns") or "[]")}
        receipts = [call.said["receipt"] for call in life.taken if call.said["receipt"]["status"] == "accepted"]
        missing = sorted(one["send"] for one in receipts if hashes.get(int(one["send"])) != one["content_sha256"])
        return f"{life.where}: the turns {missing} were accepted and are not kept" if missing else None
    answer, receipt = item.get("answer") or {}, last.said["receipt"] if last is not None else {}
    if last is None or answer.get("send", 0) > receipt["send"]:
        return None
    same = answer.get("content_sha256") == receipt["content_sha256"]
    return None if same else f"{_where(life, last)}: another answer counts, or none"


@tries("deadlines", lambda size: 2 * size.answered, outside=True)
def late_not_accepted(check: Check, case: Case) -> None:
    """Check that no answer was accepted, and no file handed out, whose request came after its time."""
    for life in case.lives.values():
        for call in life.taken:
            if call.said["receipt"]["status"] == "accepted":
                check.look(*_accepted_late(case, life, call))
        handed = life.handed_out()
        request_times = life.asked_between(case.schedule.opens_at(life.number))
        if handed is not None and request_times is not None:
            late = request_times[0] > case.schedule.request_by(life.number)
            check.that(not late, f"{life.where}: handed out though it was asked for too late")


def _accepted_late(case: Case, life: Life, call: Call) -> Iterator[str]:
    """Yield the fault of an answer that was accepted too late. The first arrival of its bytes counts until it is
    decided on: a call with another receipt is no such arrival."""
    receipt, due = call.said["receipt"], _due(case, life)
    arrivals = [
        send.sent_at
        for send in life.sends
        if send.reached
        and send.content_sha256 == receipt["content_sha256"]
        and (send.status != 200 or receipt_text(send.said) == receipt_text(call.said))
    ]
    first = min(arrivals, default=call.sent_at)
    if receipt["decided_at"] < receipt["received_at"]:
        yield f"{_where(life, call)}: decided on before it was received"
    elif due is not None and first > due:
        yield f"{_where(life, call)}: accepted {first - due} ms after the deadline"


def _due(case: Case, life: Life) -> Millis | None:
    """Return the latest deadline that the rules allow for the answer to a file, whatever the platform says."""
    handed = life.handed_out()
    request_times = life.asked_between(case.schedule.opens_at(life.number))
    if handed is None or request_times is None:
        return None
    return case.schedule.answer_by(life.number, request_times[0], from_text(handed.said["handed_out_at"]))


@tries("deadlines", lambda size: 2 * size.answered, outside=True)
def on_time_not_refused(check: Check, case: Case) -> None:
    """Check that every request in time was taken: files handed out, answers accepted or, beyond ten, ignored."""
    for life in case.lives.values():
        check.look(*(_not_handed_out(case, life, call) for call in life.asks if call.status is not None))
        check.look(*(_not_taken(case, life, call) for call in life.sends if call.status is not None))


def _not_handed_out(case: Case, life: Life, call: Call) -> str | None:
    schedule, number = case.schedule, life.number
    in_time = schedule.opens_at(number) <= call.sent_at and call.done_at <= schedule.request_by(number)
    request_times = life.asked_between(schedule.opens_at(number))
    repeated = (
        request_times is not None
        and request_times[1] <= schedule.request_by(number)
        and call.sent_at > request_times[1]
    )
    if not (in_time or repeated) or call.sent_at < life.joined_at or call.failed:
        return None
    if call.status in {200, 429}:
        return None
    return f"{life.where}, call {call.n}: asked for in time and answered {call.status} {call.code}"


def _not_taken(case: Case, life: Life, call: Call) -> str | None:
    if call.content_sha256 is None or call.body_sha256 is None or not call.reached or call.failed:
        return None
    arrived = life.arrived_between(call.body_sha256)
    handed, due = life.handed_out(), _due(case, life)
    if handed is None or arrived is None or due is None or arrived[1] > min(from_text(handed.said["answer_by"]), due):
        return None
    return _refused_in_time(life, call, case.schedule.sends)


def _refused_in_time(life: Life, call: Call, sends: int) -> str | None:
    others = (send for send in life.sends if send.content_sha256 != call.content_sha256)
    if call.code == _KEY_REUSED and any(other.key == call.key for other in others):
        return None
    if call.status != 200:
        return f"{life.where}, call {call.n}: a valid answer in time was answered {call.status} {call.code}"
    receipt = call.said["receipt"]
    if receipt["status"] == "late":
        return f"{life.where}, call {call.n}: an answer in time was called late"
    if receipt["status"] == "ignored" and receipt["send"] <= sends:
        return f"{life.where}, call {call.n}: send {receipt['send']} was ignored"
    return None


@tries("deadlines", lambda size: size.answered, outside=True)
def deadlines_told(check: Check, case: Case) -> None:
    """Check that the deadlines in answers are those of the rules, the same at every repetition."""
    for life in case.lives.values():
        times = {(call.said["handed_out_at"], call.said["answer_by"]) for call in life.asks if call.status == 200}
        if len(times) > 1:
            check.look(f"{life.where}: repetitions told different times: {sorted(times)}")
        for handed_out_at, answer_by in times:
            check.look(_wrong_deadline(case, life, from_text(handed_out_at), from_text(answer_by)))


def _wrong_deadline(case: Case, life: Life, handed_out_at: Millis, answer_by: Millis) -> str | None:
    request_times = life.asked_between(case.schedule.opens_at(life.number))
    if request_times is None:
        return f"{life.where}: handed out though nobody asked"
    latest, earliest = (case.schedule.answer_by(life.number, one, handed_out_at) for one in request_times)
    off = case.story.header.get("clock_off_ms", 0)  # from outside the platform's clock is known so well
    if not earliest - off <= answer_by <= latest + off:
        return f"{life.where}: the answer is due at {answer_by}, by the rules between {earliest} and {latest}"
    return None


@tries("deadlines", lambda size: size.lives, outside=True)
def ten_sends(check: Check, case: Case) -> None:
    """Check that no file has more than ten sends, and that each send has a number, from one on without a gap (R 11.5).
    A refused answer is no send, and its reasons are given in both languages (R 11.6)."""
    for life in case.lives.values():
        stored = [sk.split("#") for sk, _ in case.receipts(life.team) if sk.startswith(f"RECEIPT#{life.number:04d}#")]
        numbers = sorted(int(parts[2]) for parts in stored if parts[2].isdigit())
        item = case.item(life.team, f"FILE#{life.number:04d}")
        sends = int(item.get("sends", 0)) if item is not None else 0
        check.look(
            f"{life.where}: {len(numbers)} sends were taken" if len(numbers) > case.schedule.sends else None,
            None if numbers == list(range(1, len(numbers) + 1)) else f"{life.where}: sends are numbered {numbers}",
            None if sends == len(numbers) else f"{life.where}: {sends} sends are counted, {len(numbers)} have receipts",
        )
        invalid = (send for send in life.sends if send.status in _INVALID and send.code != _KEY_REUSED)
        for call in invalid:
            details = call.said.get("error", {}).get("details") or [{}]
            has_reasons = all(detail.get(name) for detail in details for name in ("code", "message", "message_ru"))
            check.that(has_reasons, f"{life.where}, call {call.n}: an answer was refused without reasons")


@tries("deadlines", lambda size: size.answered, outside=True)
def one_winner(check: Check, case: Case) -> None:
    """Check that no number of a send was given to two answers, and that a repetition got the first receipt again."""
    for life in case.lives.values():
        by_name: dict[str, set[str]] = defaultdict(set)
        for call in life.taken:
            if call.said["receipt"]["status"] != "ignored":
                by_name[f"send {call.said['receipt']['send']}"].add(receipt_text(call.said))
            if call.key is not None:
                by_name[f"key {call.key}"].add(receipt_text(call.said))
        for name, bodies in by_name.items():
            check.that(len(bodies) <= 1, f"{life.where}: {name} has {len(bodies)} receipts")
        check.look(*_old_receipts(life))


def _old_receipts(life: Life) -> Iterator[str]:
    """Yield the answers without a key that came after another one was answered, and got a receipt that is no newer:
    only the latest content again is a repetition (platform §3)."""
    answers = [call for call in life.taken if call.said["receipt"]["status"] != "ignored"]
    for call in (one for one in answers if one.key is None):
        before = [other for other in answers if other.done_at < call.sent_at]
        latest = max(before, key=lambda other: int(other.said["receipt"]["send"]), default=None)
        if latest is None or latest.said["receipt"]["content_sha256"] == call.content_sha256:
            continue
        send = call.said["receipt"]["send"]
        if send <= latest.said["receipt"]["send"]:
            yield f"{_where(life, call)}: another answer than the latest got the receipt of send {send}"


_ALWAYS: Final = frozenset(
    {"LICENSE.txt", "README.md", "README.ru.md", "manifest.json", "parameters.json", "classifier.json"}
)
"""Files of every archive."""
_OF_ESSAYS: Final = re.compile(r"ratings\.json|boards/[^/]+\.json|experts/[^/]+/\d+-expert-\d+\.json")
_ROW: Final = ("place", "value", "overcame", "team_id", "files", "answered", "result", "session_id")
_ROW_OF_RUN: Final = ("place", "team_id", "value", "overcame")
_OF_ALL: Final = 100
"""Parameters that each team of a rehearsal declares in all."""


@tries("results", 2, stages={SEMIFINAL}, name="archive_kept")
def archive_withheld(check: Check, case: Case) -> None:
    """Check that a stage whose data wait for the final's results has no archive, before the publication and after."""
    is_early = case.facts.answers.get("archive_before") == 200
    check.that(not is_early, "the archive is answered 200 before the publication")
    is_there = case.facts.answers["archive_status"] < 400
    check.that(not is_there, "there is an archive of a stage whose data wait for the final")


@tries("results", lambda size: size.teams + 2 * size.plays("leaving") + 6, stages=RUNS - {SEMIFINAL})
def archive_kept(check: Check, case: Case) -> None:
    """Check that nobody has an archive before the publication, and that it then has the answers that count, fates,
    boards, rules and the record, of essays their texts and all experts' markups under pseudonyms, and nothing else."""
    answers, results = case.facts.answers, Results.of(case)
    documents = _opened(check, answers, "archive")
    if documents is None:
        return
    folder = "markups" if results.is_of_essays else "answers"
    content = fragments if results.is_of_essays else canonical_json
    expected = dict(_answers_due(case, folder))
    boards = {"board.json": "board"} | {f"boards/{key}.json": f"board/{key}" for key in results.kind.boards[1:]}
    due = _ALWAYS | {"record.json"} | boards.keys() | {f"{folder}/{team}/files.json" for team in case.sessions}
    files = contents_of(case.record) if results.is_of_essays else {}
    due |= expected.keys() | {f"essays/{file_id}.json" for file_id, _ in files.values()}
    experts = set(filter(_OF_ESSAYS.fullmatch, documents)) if results.is_of_essays else set[str]()
    check.look(*_named_otherwise(answers["archive"], due | experts))
    check.look(*_other_rules(documents, results.kind.track, results.rules))
    same_record = documents.get("record.json", {}).get("record") == case.record
    check.that(same_record, "the archive's record is another one than everybody's")
    for name, board in boards.items():
        public = [{**row, "overcame": row["barrier"]} for row in answers.get(board, {}).get("rows", ())]
        check.look(*_other_rows(name, documents.get(name, {}).get("rows", ()), public, _ROW))
    for team in case.sessions:
        archived = documents.get(f"{folder}/{team}/files.json", {}).get("files", ())
        fates = [(number, case.statuses[team, number]) for number in case.schedule.numbers]
        same = [(file["number"], file["state"], file["cause"]) for file in archived] == [
            (number, row["state"], row["cause"]) for number, row in fates
        ]
        check.that(same, f"{team}: the archive tells other fates of the files than the session")
    for name, answer in expected.items():
        same = name in documents and content(documents[name]) == content(answer)
        check.that(same, f"{name}: the archive has another answer than the one that counts")
    for number, (file_id, digest) in files.items():
        check.look(*_essay_otherwise(case, documents, number, file_id, digest))


@tries("results", lambda size: 2 * size.over_http + 5, stages=PROGRAMS_ALONE, name="archive_kept")
def kept_of_programs(check: Check, case: ProgramCase) -> None:
    """Check the archive of the private test: it has its runs with their results and what was declared, boards and
    prizes; no program, no prediction, no true answer, and nobody has it before the publication."""
    answers = case.facts.answers
    for call in case.of("archive"):
        is_early = case.published_at is None or call.sent_at < case.published_at
        if is_early and call.status is not None and not call.failed:
            check.that(call.status >= 400, f"the archive is answered {call.status} before the publication")
    documents = _opened(check, answers, "private_archive")
    if documents is None:
        return
    keys = [subtask.lower() for subtask in SUBTASKS]
    boards = {"board.json": "s"} | {f"boards/{key}.json": key for key in keys}
    runs = {f"runs/{name}.json": _run_due(case, name) for name in case.private_runs}
    check.look(*_named_otherwise(answers["private_archive"], _ALWAYS | {"prizes.json"} | runs.keys() | boards.keys()))
    check.look(*_other_rules(documents, "fusion", parameters_of(case.facts)["track"]))
    for name, run in runs.items():
        check.that(documents.get(name) == run, f"{name}: the archive tells of the run otherwise than it was")
    for name, key in boards.items():
        archived = documents.get(name, {}).get("rows", ())
        check.that(
            all(row["run"] in case.private_runs for row in archived),
            "the archive's board names a run that there is not",
        )
        rows = [row for row in answers["private"]["places"] if row["board"] == key]
        check.look(*_other_rows(name, archived, rows, _ROW_OF_RUN))
    awards = [{**award, "team": award["team_id"]} for award in answers["private"]["awards"]]
    prizes = documents.get("prizes.json", {}).get("prizes", ())
    check.look(*_other_rows("prizes.json", prizes, awards, ("team", "board", "place", "roubles")))


def _opened(check: Check, answers: Mapping[str, Json], name: str) -> dict[str, Json] | None:
    """Return the documents of an archive, None without one; check that it is not early, and passes verification."""
    is_early = answers.get(f"{name}_before") == 200
    check.that(not is_early, "the archive is answered 200 before the publication")
    files = answers.get(name)
    if files is None:
        check.look("there is no archive of the published results")
        return None
    documents = {name: json.loads(content["text"]) for name, content in files.items() if name.endswith(".json")}
    verified, rows = answers[f"{name}_verified"], len(documents["board.json"]["rows"])
    faults = ", ".join(verified["faults"]) or (f"it makes {verified['rows']} rows" if verified["rows"] != rows else "")
    check.that(not faults, f"the archive is refused by who verifies it: {faults}")
    return documents


def _named_otherwise(files: Collection[str], due: Collection[str]) -> Iterator[str]:
    yield from (f"the archive has {name}, which nobody gives over" for name in sorted(set(files) - set(due)))
    yield from (f"the archive has no {name}" for name in sorted(set(due) - set(files)))


def _other_rules(documents: Mapping[str, Json], name: str, rules: Json) -> Iterator[str]:
    """Yield the differences between the archive's parameters and classes and those that made the results."""
    if documents["parameters.json"]["track"] != rules:
        yield "the archive has other parameters than the run"
    if documents["classifier.json"] != json.loads(canonical_json(registry.get(name).classifier(rules))):
        yield "the archive has another classifier than the contest"


def _other_rows(name: str, rows: Sequence[Json], public: Sequence[Json], columns: Sequence[str]) -> Iterator[str]:
    """Yield the tables of the archive with other rows than everybody is shown."""
    archived, due = ([[row.get(column) for column in columns] for row in table] for table in (rows, public))
    if archived != due:
        yield f"{name}: the archive has other rows than everybody is shown"


def _answers_due(case: Case, folder: str) -> Iterator[tuple[str, Json]]:
    """Yield every answer that counts, by its name in the archive; a dialogue has all its turns, without the responses
    to them."""
    is_dialogue = Results.of(case).kind.is_dialogue
    for team in case.sessions:
        for number in case.schedule.numbers:
            if is_dialogue:
                answer: Json = dialogue(case, team, number)
            else:
                text = case.answer(case.sessions[team], number, counting(case, team, number))
                answer = None if text is None else json.loads(text)
            if answer is not None:
                yield f"{folder}/{team}/{contents_of(case.record)[number][0]}.json", answer


def _run_due(case: ProgramCase, name: str) -> Json:
    """Return the archive's row of a private run: its team, its bytes, how it ended, the library's result."""
    run = case.private_runs[name]
    brought, shared = case.brought[run["of"]], case.shared.get(run["of"])
    declared = {"total": _OF_ALL, "shared": shared, "confirmed": run["of"] in case.confirmed}
    result = (
        json.loads(canonical_json(case.result(brought.program, PRIVATE_TEST))) if run["state"] == "scored" else None
    )
    return {
        "format": 1,
        "run": name,
        "submission": run["of"],
        "team_id": brought.team,
        "state": run["state"],
        "cause": run["cause"],
        "archive_sha256": brought.program["sha256"],
        "result": result,
        "declared": None if shared is None else declared,
    }


def _essay_otherwise(
    case: Case, documents: Mapping[str, Json], number: int, file_id: str, digest: str
) -> Iterator[str]:
    """Yield the faults of an essay of the archive and of its experts' markups, all there and under pseudonyms."""
    essay = documents.get(f"essays/{file_id}.json")
    if essay is None or sha256_hex(canonical_bytes(essay)) != digest:
        yield f"the archive has not the essay of file {number} as it was handed out"
        return
    own: list[Json] = next((one["experts"] for one in case.story.own if one["item"]["text"] == essay["text"]), [])
    archived = {name: document for name, document in documents.items() if name.startswith(f"experts/{file_id}/")}
    if sorted(map(fragments, archived.values())) != sorted(map(fragments, own)):
        yield f"the archive has other experts' markups of file {number} than there are"
    authors = {str(markup["meta"]["expert"]) for markup in own if markup["meta"].get("expert")}
    for name, markup in archived.items():
        if any(f'"{author}"' in json.dumps([name, markup]) for author in authors):
            yield f"the archive tells who has made {name}"


_PLACED: Final = ("startSelection", "endSelection", "type", "subtype", "comment")


def fragments(markup: Mapping[str, Json]) -> str:
    """Return the text and fragments of a markup, as far as they are published."""
    marked = [[fragment.get(name, "") for name in _PLACED] for fragment in markup["selections"]]
    return json.dumps([markup["text"], sorted(marked, key=json.dumps)], ensure_ascii=False)
