"""The check of the archive: once the results are out everybody has the essays, the experts' and the teams' markups, the
board and the record in it, and nobody before (R 7.14)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_results import counting, placed, replay
from local.rehearsal.proof.conclusion import contents_of
from markup_core.receipt import canonical_bytes, sha256_hex

Json = Any
_MANIFEST: Final = "manifest.json"
_PLACED: Final = ("startSelection", "endSelection", "type", "subtype", "comment")
_DONE: Final = 200


def kept(case: Case) -> Check:
    """Nobody has an archive before the publication; then it has what everybody needs to score the final anew: made from
    the rehearsal's own essays and markups, and from the answers that were acknowledged."""
    check, answers = Check("archive_kept"), case.facts.answers
    early = answers["archive_before"]
    check.look(f"the archive is answered {early} before the publication" if early == _DONE else None)
    files: Mapping[str, Mapping[str, Json]] | None = answers.get("archive")
    if files is None:
        check.look("there is no archive of the published results")
        return check
    told = {name: json.loads(each["text"]) for name, each in files.items() if name.endswith(".json")}
    check.look(*_listed_otherwise(told[_MANIFEST], files))
    for number, (file_id, digest) in contents_of(case.record).items():
        check.look(*_essay_otherwise(case, told, number, file_id, digest))
    for team in case.sessions:
        check.look(*_team_otherwise(case, told, team))
    expected = placed([(each.team, each.accuracy) for each in replay(case) if each.placed])
    rows = told["board.json"]["rows"]
    shown = [(row["place"], row["team_id"], row["result"]["relative_accuracy"]) for row in rows]
    check.look(None if shown == expected else f"the archive's board shows {shown}, the replay gives {expected}")
    same = told["record.json"]["record"] == case.record
    check.look(None if same else "the archive's record is another one than everybody's")
    return check


def _listed_otherwise(manifest: Mapping[str, Json], files: Mapping[str, Mapping[str, Json]]) -> Iterator[str]:
    """Files that the manifest does not list by the hash of their bytes, or lists though there are none."""
    listed = {each["name"]: each["sha256"] for each in manifest["files"]}
    known = {name: each["sha256"] for name, each in files.items() if name != _MANIFEST}
    for name in sorted(listed.keys() | known.keys()):
        if listed.get(name) != known.get(name):
            yield f"the archive's manifest tells of {name} otherwise than it is"


def _essay_otherwise(case: Case, told: Mapping[str, Json], number: int, file_id: str, digest: str) -> Iterator[str]:
    """What is wrong with an essay of the archive and with the experts' markups of it, all and under pseudonyms."""
    essay = told.get(f"essays/{file_id}.json")
    if essay is None or sha256_hex(canonical_bytes(essay)) != digest:
        yield f"the archive has not the essay of file {number} as it was handed out"
        return
    own: list[Json] = next((each["experts"] for each in case.story.own if each["item"]["text"] == essay["text"]), [])
    wanted = sorted(fragments(each) for each in own)
    found = {name: each for name, each in told.items() if name.startswith(f"experts/{file_id}/")}
    if sorted(fragments(each) for each in found.values()) != wanted:
        yield f"the archive has other experts' markups of file {number} than there are"
    authors = {str(each["meta"]["expert"]) for each in own if each["meta"].get("expert")}
    for name, each in found.items():
        if any(f'"{author}"' in json.dumps([name, each]) for author in authors):
            yield f"the archive tells who has made {name}"


def _team_otherwise(case: Case, told: Mapping[str, Json], team: str) -> Iterator[str]:
    """What is wrong with a team's part: another fate of a file, an answer that does not count, none where one does."""
    part = told.get(f"markups/{team}/files.json")
    if part is None:
        yield f"{team}: the archive does not tell of the team"
        return
    fates = [(each["number"], each["state"], each["cause"]) for each in part["files"]]
    status = [(number, case.statuses[team, number]) for number in case.schedule.numbers]
    if fates != [(number, each["state"], each["cause"]) for number, each in status]:
        yield f"{team}: the archive tells other fates of the files than the session"
    for each in part["files"]:
        number, name = each["number"], f"markups/{team}/{each['file_id']}.json"
        digest = counting(case, team, number)
        stored = case.facts.objects.get(f"answers/{case.sessions[team]}/{number}/{digest}.json")
        wanted = fragments(json.loads(stored[1])) if stored is not None and stored[1] is not None else None
        found = fragments(told[name]) if name in told else None
        if found != wanted:
            yield f"{team}, file {number}: the archive has another answer than the one that counts"


def fragments(markup: Mapping[str, Json]) -> str:
    """Text and fragments of a markup, as far as they are everybody's."""
    marked = [[each.get(name, "") for name in _PLACED] for each in markup["selections"]]
    return json.dumps([markup["text"], sorted(marked, key=json.dumps)], ensure_ascii=False)
