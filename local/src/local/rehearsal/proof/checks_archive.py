"""Checks of archives: the data that the contest's text publishes, complete, and only after the results are out.

Once the results are out everybody has in the archives exactly what the contest's text gives over, and nothing else;
nobody has it before (R 7.14, D 14.7, decision 0034).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from local.rehearsal.proof.case import Case, Check, parameters_of
from local.rehearsal.proof.checks_items import dialogue
from local.rehearsal.proof.checks_programs import PRIVATE, SUBTASKS, ProgramCase
from local.rehearsal.proof.checks_results import counting, placed, replay
from local.rehearsal.proof.conclusion import contents_of
from local.rehearsal.proof.oracle import KINDS
from markup_core.receipt import canonical_bytes, canonical_json, sha256_hex
from tracks import registry

Json = Any
_MANIFEST: Final = "manifest.json"
_PLACED: Final = ("startSelection", "endSelection", "type", "subtype", "comment")
_ALWAYS: Final = frozenset(
    {"LICENSE.txt", "README.md", "README.ru.md", _MANIFEST, "parameters.json", "classifier.json", "board.json"}
)
"""Files of every archive."""
_OF_ESSAYS: Final = re.compile(
    r"(record|ratings)\.json|boards/[^/]+\.json|essays/[^/]+\.json|experts/[^/]+/\d+-expert-\d+\.json"
    r"|markups/[^/]+/[^/]+\.json"
)
_ROW: Final = ("place", "value", "overcame", "team_id", "files", "answered", "result")
_PUBLIC: Final[Mapping[str, str]] = {"overcame": "barrier"}
"""Columns of the archive's rows that have another name on the board."""
_ROW_OF_RUN: Final = ("place", "team_id", "value", "overcame")
_OF_ALL: Final = 100
"""Parameters that each team of a rehearsal declares in all."""


def kept(case: Case) -> Check:
    """Check that nobody has an archive before the publication, and that it then suffices to score the final anew: it is
    made from the rehearsal's own essays and markups, and from the acknowledged answers."""
    check, files = Check("archive_kept"), case.facts.answers.get("archive")
    check.look(_early(case))
    if files is None:
        check.look("there is no archive of the published results")
        return check
    documents = _read(files)
    essays = {name for name in files if _OF_ESSAYS.fullmatch(name)}
    check.look(*_named_otherwise(files, files.keys() & (_ALWAYS | essays)))
    check.look(
        *_listed_otherwise(documents[_MANIFEST], files), *_refused(case.facts.answers["archive_verified"], documents)
    )
    for number, (file_id, digest) in contents_of(case.record).items():
        check.look(*_essay_otherwise(case, documents, number, file_id, digest))
    for team in case.sessions:
        check.look(*_team_otherwise(case, documents, team))
    expected = placed([(standing.team, standing.accuracy) for standing in replay(case) if standing.placed])
    rows = documents["board.json"]["rows"]
    public_rows = [(row["place"], row["team_id"], row["result"]["relative_accuracy"]) for row in rows]
    check.that(public_rows == expected, f"the archive's board shows {public_rows}, the replay gives {expected}")
    check.look(_other_record(case, documents))
    return check


def kept_of_items(case: Case) -> Check:
    """Check that the archive of a contest with closed items has the answers that count, fates, boards and the record,
    and nothing else; a stage whose data wait for the final's results has none."""
    check, answers = Check("archive_kept"), case.facts.answers
    kind, files = KINDS[case.story.header["stage"]], answers.get("archive")
    check.look(_early(case))
    if kind.is_kept_back:
        there = answers["archive_status"] < 400
        check.that(not there, "there is an archive of a stage whose data wait for the final")
        return check
    if files is None:
        check.look("there is no archive of the published results")
        return check
    documents = _read(files)
    due = dict(_answers_due(case))
    boards = {key: f"boards/{key}.json" if place else "board.json" for place, key in enumerate(kind.boards)}
    folders = {f"answers/{team}/files.json" for team in case.sessions}
    due_names = _ALWAYS | {"record.json", *boards.values()} | folders | due.keys()
    check.look(*_named_otherwise(files, due_names))
    check.look(*_listed_otherwise(documents[_MANIFEST], files), *_refused(answers["archive_verified"], documents))
    rules = parameters_of(case.facts)
    check.look(*_other_rules(documents, kind.track, rules["track"]))
    check.look(_other_record(case, documents))
    for key, name in boards.items():
        rows: list[dict[str, Json]] = [
            {**row, "overcame": row.get("barrier")} for row in answers[f"board/{key}"]["rows"]
        ]
        public = [{column: row.get(column) for column in _ROW} for row in rows]
        public_rows = [{**row, "session_id": case.sessions[str(row["team_id"])]} for row in public]
        check.look(*_other_rows(name, documents.get(name, {}).get("rows", ()), public_rows))
    for team in case.sessions:
        check.look(_other_fates(case, documents, team))
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
            told_early = f"the archive is answered {call.status} before the publication"
            check.that(call.status >= 400, told_early)
    files = answers.get("private_archive")
    if files is None:
        check.look("there is no archive of the published results")
        return check
    documents = _read(files)
    runs = {name: f"runs/{name}.json" for name in case.private_runs}
    keys = ("s", *(subtask.lower() for subtask in SUBTASKS))
    boards = {key: f"boards/{key}.json" if place else "board.json" for place, key in enumerate(keys)}
    check.look(*_named_otherwise(files, _ALWAYS | {"prizes.json", *runs.values(), *boards.values()}))
    check.look(
        *_listed_otherwise(documents[_MANIFEST], files), *_refused(answers["private_archive_verified"], documents)
    )
    check.look(*_other_rules(documents, "fusion", parameters_of(case.facts)["track"]))
    for run, name in runs.items():
        same = documents.get(name) == _run_due(case, run)
        check.that(same, f"{name}: the archive tells of the run otherwise than it was")
    places = answers["private"]["places"]
    for key, name in boards.items():
        rows = documents.get(name, {}).get("rows", ())
        public_rows = [{column: row[column] for column in _ROW_OF_RUN} for row in places if row["board"] == key]
        strange = any(row["run"] not in runs for row in rows)
        check.that(not strange, "the archive's board names a run that there is not")
        check.look(
            *_other_rows(
                name, [{column: row[column] for column in row if column != "run"} for row in rows], public_rows
            )
        )
    paid = [{**award, "team": award["team_id"]} for award in answers["private"]["awards"]]
    awards = [{name: award[name] for name in ("team", "board", "place", "roubles")} for award in paid]
    check.look(*_other_rows("prizes.json", documents.get("prizes.json", {}).get("prizes", ()), awards))
    return check


def _early(case: Case) -> str | None:
    early = case.facts.answers["archive_before"]
    return f"the archive is answered {early} before the publication" if early == 200 else None


def _read(files: Mapping[str, Mapping[str, Json]]) -> dict[str, Json]:
    return {name: json.loads(content["text"]) for name, content in files.items() if name.endswith(".json")}


def _named_otherwise(files: Collection[str], due: Collection[str]) -> Iterator[str]:
    """Yield files that the archive has beyond what is due, and those that it lacks."""
    for name in sorted(set(files) - set(due)):
        yield f"the archive has {name}, which nobody gives over"
    for name in sorted(set(due) - set(files)):
        yield f"the archive has no {name}"


def _refused(verified: Mapping[str, Json], documents: Mapping[str, Json]) -> Iterator[str]:
    """Yield the faults that the public command for checking archives finds."""
    if verified["faults"]:
        yield f"the archive is refused by who verifies it, {', '.join(verified['faults'])}"
    elif verified["rows"] != len(documents["board.json"]["rows"]):
        yield f"the archive's verifier makes {verified['rows']} rows of its board, it has others"


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


def _other_fates(case: Case, documents: Mapping[str, Json], team: str) -> str | None:
    """Return the faults of the archive's row of a team's session; it has of every file its fate and no more."""
    part = documents.get(f"answers/{team}/files.json")
    if part is None:
        return f"{team}: the archive does not tell of the team"
    names = {number: file_id for number, (file_id, _) in contents_of(case.record).items()}
    status = {number: case.statuses[team, number] for number in case.schedule.numbers}
    due = {
        "format": 1,
        "team_id": team,
        "session_id": case.sessions[team],
        "state": case.facts.answers[f"status/{team}"]["state"],
        "files": [
            {"number": number, "file_id": names[number], "state": row["state"], "cause": row["cause"]}
            for number, row in status.items()
        ],
    }
    return None if part == due else f"{team}: the archive tells other fates of the files than the session"


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


def _listed_otherwise(manifest: Mapping[str, Json], files: Mapping[str, Mapping[str, Json]]) -> Iterator[str]:
    """Yield the files that the manifest does not list by the hash of their bytes, and listed ones that are missing."""
    listed = {entry["name"]: entry["sha256"] for entry in manifest["files"]}
    actual = {name: content["sha256"] for name, content in files.items() if name != _MANIFEST}
    for name in sorted(listed.keys() | actual.keys()):
        if listed.get(name) != actual.get(name):
            yield f"the archive's manifest tells of {name} otherwise than it is"


def _essay_otherwise(
    case: Case, documents: Mapping[str, Json], number: int, file_id: str, digest: str
) -> Iterator[str]:
    """Yield the faults of an essay of the archive and of its experts' markups, all there and under pseudonyms."""
    essay = documents.get(f"essays/{file_id}.json")
    if essay is None or sha256_hex(canonical_bytes(essay)) != digest:
        yield f"the archive has not the essay of file {number} as it was handed out"
        return
    own: list[Json] = next(
        (
            written_essay["experts"]
            for written_essay in case.story.own
            if written_essay["item"]["text"] == essay["text"]
        ),
        [],
    )
    expected = sorted(fragments(markup) for markup in own)
    archived = {name: document for name, document in documents.items() if name.startswith(f"experts/{file_id}/")}
    if sorted(fragments(markup) for markup in archived.values()) != expected:
        yield f"the archive has other experts' markups of file {number} than there are"
    authors = {str(markup["meta"]["expert"]) for markup in own if markup["meta"].get("expert")}
    for name, markup in archived.items():
        if any(f'"{author}"' in json.dumps([name, markup]) for author in authors):
            yield f"the archive tells who has made {name}"


def _team_otherwise(case: Case, documents: Mapping[str, Json], team: str) -> Iterator[str]:
    """Yield the faults of a team's part: another fate of a file, an answer that does not count, a missing one."""
    part = documents.get(f"markups/{team}/files.json")
    if part is None:
        yield f"{team}: the archive does not tell of the team"
        return
    fates = [(file["number"], file["state"], file["cause"]) for file in part["files"]]
    status = [(number, case.statuses[team, number]) for number in case.schedule.numbers]
    if fates != [(number, row["state"], row["cause"]) for number, row in status]:
        yield f"{team}: the archive tells other fates of the files than the session"
    for row in part["files"]:
        number, name = row["number"], f"markups/{team}/{row['file_id']}.json"
        stored = case.answer(case.sessions[team], number, counting(case, team, number))
        expected = fragments(json.loads(stored)) if stored is not None else None
        archived = fragments(documents[name]) if name in documents else None
        if archived != expected:
            yield f"{team}, file {number}: the archive has another answer than the one that counts"


def fragments(markup: Mapping[str, Json]) -> str:
    """Return the text and fragments of a markup, as far as they are published."""
    marked = [[fragment.get(name, "") for name in _PLACED] for fragment in markup["selections"]]
    return json.dumps([markup["text"], sorted(marked, key=json.dumps)], ensure_ascii=False)
