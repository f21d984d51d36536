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
from rehearsal.proof.case import Case, Check, parameters_of
from rehearsal.proof.checks_items import dialogue
from rehearsal.proof.checks_programs import PRIVATE, SUBTASKS, ProgramCase
from rehearsal.proof.checks_results import counting, placed
from rehearsal.proof.conclusion import contents_of
from rehearsal.proof.oracle import KINDS
from rehearsal.proof.results import standings
from tracks import registry

Json = Any
_ALWAYS: Final = frozenset(
    {"LICENSE.txt", "README.md", "README.ru.md", "manifest.json", "parameters.json", "classifier.json", "board.json"}
)
"""Files of every archive."""
_OF_ESSAYS: Final = re.compile(r"(record|ratings)\.json|boards/[^/]+\.json|experts/[^/]+/\d+-expert-\d+\.json")
_ROW: Final = ("place", "value", "overcame", "team_id", "files", "answered", "result")
_ROW_OF_RUN: Final = ("place", "team_id", "value", "overcame")
_OF_ALL: Final = 100
"""Parameters that each team of a rehearsal declares in all."""


def kept(case: Case) -> Check:
    """Check that nobody has an archive before the publication, and that it then suffices to score the final anew, with
    the essays as they were handed out, all experts' markups under pseudonyms, and the answers that count."""
    check = Check("archive_kept")
    documents = _opened(check, case.facts.answers, "archive")
    if documents is None:
        return check
    names = case.facts.answers["archive"].keys()
    files = contents_of(case.record)
    due = {f"essays/{file_id}.json" for file_id, _ in files.values()}
    due |= {f"markups/{team}/files.json" for team in case.sessions}
    places = [(team, number) for team in case.sessions for number in case.schedule.numbers]
    due |= {f"markups/{team}/{files[number][0]}.json" for team, number in places if counting(case, team, number)}
    check.look(*_named_otherwise(names, _ALWAYS | due | set(filter(_OF_ESSAYS.fullmatch, names))))
    for number, (file_id, digest) in files.items():
        check.look(*_essay_otherwise(case, documents, number, file_id, digest))
    for team in case.sessions:
        fates = documents.get(f"markups/{team}/files.json", {}).get("files", ())
        check.look(*_other_fates(case, team, fates))
    expected = placed([(standing.team, standing.accuracy) for standing in standings(case) if standing.placed])
    rows = documents["board.json"]["rows"]
    public_rows = [(row["place"], row["team_id"], row["result"]["relative_accuracy"]) for row in rows]
    check.that(public_rows == expected, f"the archive's board shows {public_rows}, the replay gives {expected}")
    check.look(_other_record(case, documents))
    return check


def kept_of_items(case: Case) -> Check:
    """Check that the archive of a contest with closed items has the answers that count, fates, boards and the record,
    and nothing else; a stage whose data wait for the final's results has none."""
    check, answers = Check("archive_kept"), case.facts.answers
    kind = KINDS[case.story.header["stage"]]
    if kind.is_kept_back:
        check.look(_early(answers, "archive"))
        check.that(answers["archive_status"] >= 400, "there is an archive of a stage whose data wait for the final")
        return check
    documents = _opened(check, answers, "archive")
    if documents is None:
        return check
    due = dict(_answers_due(case))
    boards = {key: f"boards/{key}.json" if place else "board.json" for place, key in enumerate(kind.boards)}
    folders = {f"answers/{team}/files.json" for team in case.sessions}
    due_names = _ALWAYS | {"record.json", *boards.values()} | folders | due.keys()
    check.look(*_named_otherwise(answers["archive"], due_names))
    check.look(*_other_rules(documents, kind.track, parameters_of(case.facts)["track"]))
    check.look(_other_record(case, documents))
    for key, name in boards.items():
        public = [{**row, "overcame": row.get("barrier")} for row in answers[f"board/{key}"]["rows"]]
        rows = [
            {**{column: row.get(column) for column in _ROW}, "session_id": case.sessions[str(row["team_id"])]}
            for row in public
        ]
        check.look(*_other_rows(name, documents.get(name, {}).get("rows", ()), rows))
    for team in case.sessions:
        check.look(*_other_fates(case, team, documents.get(f"answers/{team}/files.json", {}).get("files", ())))
        for number in case.schedule.numbers:
            name, where = _answer_name(case, team, number), f"{team}, file {number}"
            same = documents.get(name) == due.get(name)
            check.that(same, f"{where}: the archive has another answer than the one that counts")
    return check


def kept_of_programs(case: ProgramCase) -> Check:
    """Check the archive of the private test: it has its runs with their results and what was declared, boards and
    prizes; no program, no prediction, no true answer, and nobody has it before the publication."""
    check, answers = Check("archive_kept"), case.facts.answers
    for call in case.of("archive"):
        is_early = case.published_at is None or call.sent_at < case.published_at
        if is_early and call.status is not None and not call.failed:
            check.that(call.status >= 400, f"the archive is answered {call.status} before the publication")
    documents = _opened(check, answers, "private_archive")
    if documents is None:
        return check
    runs = {name: f"runs/{name}.json" for name in case.private_runs}
    keys = ("s", *(subtask.lower() for subtask in SUBTASKS))
    boards = {key: f"boards/{key}.json" if place else "board.json" for place, key in enumerate(keys)}
    due_names = _ALWAYS | {"prizes.json", *runs.values(), *boards.values()}
    check.look(*_named_otherwise(answers["private_archive"], due_names))
    check.look(*_other_rules(documents, "fusion", parameters_of(case.facts)["track"]))
    for run, name in runs.items():
        same = documents.get(name) == _run_due(case, run)
        check.that(same, f"{name}: the archive tells of the run otherwise than it was")
    for key, name in boards.items():
        archived = documents.get(name, {}).get("rows", ())
        check.that(all(row["run"] in runs for row in archived), "the archive's board names a run that there is not")
        rows = [
            {column: row[column] for column in _ROW_OF_RUN}
            for row in answers["private"]["places"]
            if row["board"] == key
        ]
        without_runs = [{column: row[column] for column in row if column != "run"} for row in archived]
        check.look(*_other_rows(name, without_runs, rows))
    awards = [
        {"team": award["team_id"], **{name: award[name] for name in ("board", "place", "roubles")}}
        for award in answers["private"]["awards"]
    ]
    check.look(*_other_rows("prizes.json", documents.get("prizes.json", {}).get("prizes", ()), awards))
    return check


def _early(answers: Mapping[str, Json], name: str) -> str | None:
    early = answers.get(f"{name}_before")
    return f"the archive is answered {early} before the publication" if early == 200 else None


def _opened(check: Check, answers: Mapping[str, Json], name: str) -> dict[str, Json] | None:
    """Return the documents of an archive, None where there is none; look at when it is there, and who accepts it."""
    check.look(_early(answers, name))
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
    """Yield files that the archive has beyond what is due, and those that it lacks."""
    for name in sorted(set(files) - set(due)):
        yield f"the archive has {name}, which nobody gives over"
    for name in sorted(set(due) - set(files)):
        yield f"the archive has no {name}"


def _other_record(case: Case, documents: Mapping[str, Json]) -> str | None:
    same = documents.get("record.json", {}).get("record") == case.record
    return None if same else "the archive's record is another one than everybody's"


def _other_rules(documents: Mapping[str, Json], name: str, rules: Json) -> Iterator[str]:
    """Yield the differences between the archive's parameters and classes and those that made the results."""
    if documents["parameters.json"]["track"] != rules:
        yield "the archive has other parameters than the run"
    if documents["classifier.json"] != json.loads(canonical_json(registry.get(name).classifier(rules))):
        yield "the archive has another classifier than the contest"


def _other_rows(name: str, rows: Sequence[Json], public: Sequence[Json]) -> Iterator[str]:
    """Yield the tables of the archive with other rows, or more in them, than everybody is shown."""
    archived, due = (sorted(map(canonical_json, table)) for table in (rows, public))
    if archived != due:
        yield f"{name}: the archive has other rows than everybody is shown"


def _other_fates(case: Case, team: str, files: Sequence[Json]) -> Iterator[str]:
    """Yield whether the archive tells other fates of a team's files than its session."""
    archived = [(file["number"], file["state"], file["cause"]) for file in files]
    status = [(number, case.statuses[team, number]) for number in case.schedule.numbers]
    if archived != [(number, row["state"], row["cause"]) for number, row in status]:
        yield f"{team}: the archive tells other fates of the files than the session"


def _answer_name(case: Case, team: str, number: int) -> str:
    return f"answers/{team}/{contents_of(case.record)[number][0]}.json"


def _answers_due(case: Case) -> Iterator[tuple[str, Json]]:
    """Yield every answer that counts, by its name in the archive; a dialogue has all its turns, without the responses
    to them."""
    kind = KINDS[case.story.header["stage"]]
    for team in case.sessions:
        for number in case.schedule.numbers:
            if kind.is_dialogue:
                answer: Json = dialogue(case, team, number)
            else:
                text = case.answer(case.sessions[team], number, counting(case, team, number))
                answer = None if text is None else json.loads(text)
            if answer is not None:
                yield _answer_name(case, team, number), answer


def _run_due(case: ProgramCase, name: str) -> Json:
    """Return the archive's row of a private run: its team, its bytes, how it ended, the library's result."""
    run = case.private_runs[name]
    brought = case.brought[run["of"]]
    shares = [
        declaration
        for declaration in case.of("declare")
        if (declaration.means["submission"], declaration.status) == (run["of"], 200)
    ]
    shared = shares[-1].means["shared"] if shares else 0
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
        "declared": declared if shares else None,
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
