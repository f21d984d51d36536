"""Checks of archives: the data that the contest's text publishes, complete, and only after the results are out.

Once the results are out everybody has in the archives exactly what the contest's text gives over, and nothing else;
nobody has it before (R 7.14, D 14.7, decision 0034). That its contents make its board, and are what its manifest says,
is found by the command with which everybody checks an archive; here its board is held against everybody's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from markup_core.receipt import canonical_bytes, canonical_json, sha256_hex
from rehearsal.proof.case import PROGRAMS_ALONE, RUNS, Case, Check, contents_of, parameters_of, tries
from rehearsal.proof.checks_programs import PRIVATE, SUBTASKS, ProgramCase
from rehearsal.proof.checks_results import Results, counting, dialogue
from rehearsal.proof.oracle import SEMIFINAL
from tracks import registry

Json = Any
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
    """Return the documents of an archive, None where there is none; look at when it is there, and who accepts it."""
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
    result = json.loads(canonical_json(case.result(brought.program, PRIVATE))) if run["state"] == "scored" else None
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
