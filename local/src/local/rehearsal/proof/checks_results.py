"""Checks of results: scored once, promised and revealed alike, and the same board from a replay of the facts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from local.rehearsal.proof.case import EXCHANGE, SCORES, Case, Check
from local.rehearsal.proof.conclusion import commitment_faults, record_faults
from local.rehearsal.proof.oracle import VOIDED_SHARE, share
from markup_core.receipt import canonical_json
from markup_core.record import score_of
from markup_core.sample import summarise
from tracks import registry

Json = Any
RECOMPUTED: Final = 60
"""Scores that are made anew from the essay, the experts' markups and the answer; all are counted."""


def scored_once(case: Case) -> Check:
    """Every accepted answer has one score record, written once, with the bytes that the library makes of it."""
    check = Check("scored_once")
    for team in case.sessions:
        accepted = {
            (int(sk.split("#")[1]), item["content_sha256"])
            for sk, item in case.receipts(team)
            if item["status"] == "accepted"
        }
        records = Counter((int(sk.split("#")[1]), sk.split("#")[2]) for sk, _ in case.scores(team))
        for number, digest in sorted(accepted | records.keys()):
            found, wanted = records[number, digest], int((number, digest) in accepted)
            where = f"{team}, file {number}, answer {digest[:12]}"
            check.look(f"{where}: {found} scores for {wanted} accepted answers" if found != wanted else None)
    check.look(*_written_twice(case), *_recomputed(case))
    return check


def _written_twice(case: Case) -> Iterator[str]:
    writes = Counter((each["pk"], each["sk"]) for each in case.facts.written if each["what"] == "SCORE")
    for (pk, sk), times in sorted(writes.items()):
        if times > 1:
            yield f"{pk} {sk}: the score was written {times} times"


def _recomputed(case: Case) -> Iterator[str]:
    library = _Library(case)
    for team in case.sessions:
        for sk, item in list(case.scores(team))[: max(1, RECOMPUTED // len(case.sessions))]:
            _, number, digest, *_ = sk.split("#")
            stored = case.facts.objects.get(f"answers/{case.sessions[team]}/{int(number)}/{digest}.json")
            if stored is None or stored[1] is None:
                yield f"{team}, file {int(number)}: the scored answer is not stored"
            elif library.record(json.loads(stored[1])) != item["record"]:
                yield f"{team}, file {int(number)}: the library scores the answer differently"


class _Library:
    """The scoring library with the cycle's essays, markups and parameters."""

    def __init__(self, case: Case) -> None:
        documents = {name: text for name, (_, text) in case.facts.objects.items() if text is not None}
        self._parameters = _parameters(case)["track"]
        self._track = registry.get(case.run.get("track", "essay"))
        self._known: dict[str, tuple[Json, list[Json]]] = {}
        for name, text in documents.items():
            folder, _, rest = name.partition("/manifests/")
            if rest:
                for _, _, _, content, references in json.loads(text)["items"]:
                    item = json.loads(documents[f"{folder}/items/{content}.json"])
                    experts = [json.loads(documents[f"{folder}/references/{each}.json"]) for each in references]
                    self._known[item["text"]] = (item, experts)

    def record(self, answer: Json) -> str:
        """The canonical record of an answer; essays are recognised by their text."""
        item, experts = self._known[answer["text"]]
        return canonical_json(self._track.score(item, answer, experts, self._parameters))


def _parameters(case: Case) -> Json:
    """The parameters of the newest version, which is the only one of a rehearsal."""
    found = [
        item["body"]
        for partition in case.facts.items["catalogue"].values()
        for sk, item in sorted(partition.items())
        if sk.startswith("PARAMETERS#")
    ]
    return json.loads(found[-1])


def commitment(case: Case) -> Check:
    """What was promised before the run is what was revealed after it, all of it signed."""
    check = Check("commitment_kept")
    check.look(*commitment_faults(case.run, case.record, case.keys))
    check.look(*record_faults(case.run, case.record, case.facts.answers["record_statement"], case.keys))
    for session in case.record["sessions"]:
        for each in session["files"]:
            check.look(_recorded_otherwise(case, session["team_id"], each))
    return check


def _recorded_otherwise(case: Case, team: str, recorded: Mapping[str, Json]) -> str | None:
    status = case.statuses[team, recorded["number"]]
    if (recorded["state"], recorded["cause"]) == (status["state"], status["cause"]):
        return None
    shown = f"{recorded['state']} ({recorded['cause']})"
    return f"{team}, file {recorded['number']}: the record says {shown}, the session another thing"


@dataclass(frozen=True, slots=True)
class Standing:
    """A team's result from a replay."""

    team: str
    accuracy: float | None
    share: float | None

    @property
    def annulled(self) -> bool:
        """Whether more was missed than may be (R 7.7)."""
        return self.share is not None and self.share > VOIDED_SHARE


def replay(case: Case) -> tuple[Standing, ...]:
    """Every session's result and share from the stored facts alone: deliveries, causes, score records."""
    rules = _parameters(case)
    groups = rules["track"]["languages"]
    languages = {subject: language for language, subjects in groups.items() for subject in subjects}
    return tuple(_replayed(case, team, rules["bootstrap_seed"], languages) for team in case.sessions)


def _replayed(case: Case, team: str, seed: int, languages: Mapping[str, str]) -> Standing:
    records = {(int(sk.split("#")[1]), sk.split("#")[2]): item["record"] for sk, item in case.scores(team)}
    scores, fates = [], []
    for number in range(1, case.schedule.files + 1):
        status = case.statuses[team, number]
        fates.append(None if status["state"] == "answered" else str(status["cause"]))
        item = case.item(team, f"FILE#{number:04d}") or {}
        answer = item.get("answer")
        if answer and (number, answer["content_sha256"]) in records and fates[-1] is None:
            scores.append(score_of(json.loads(records[number, answer["content_sha256"]])))
    result = summarise(scores, seed, languages).to_dict()
    return Standing(team, result["relative_accuracy"], share(fates))


def same_board(case: Case) -> Check:
    """The published board and the shares that sessions show are those of a replay (R 7.6, 7.7, 7.12)."""
    check = Check("replay_agrees")
    standings = replay(case)
    for each in standings:
        told = case.facts.answers[f"status/{each.team}"]
        check.look(_other_share(each, told))
    rows = case.facts.answers["board"]["rows"]
    shown = [(row["place"], row["team_id"], row["result"]["relative_accuracy"]) for row in rows]
    expected = _placed([each for each in standings if not each.annulled])
    check.look(None if shown == expected else f"the board shows {shown}, the replay gives {expected}")
    # Teams are admitted under their own ids as names.
    check.faults += [
        f"{row['team_id']}: the board calls it {row['team']}" for row in rows if row["team"] != row["team_id"]
    ]
    return check


def _other_share(standing: Standing, told: Mapping[str, Json]) -> str | None:
    same = standing.share == told["voided_share"] and standing.annulled == bool(told["solution_voided"])
    if same:
        return None
    shown = f"{told['voided_share']} (annulled: {told['solution_voided']})"
    return f"{standing.team}: the session shows a share of {shown}, the replay gives {standing.share}"


def _placed(standings: Sequence[Standing]) -> list[tuple[int, str, float | None]]:
    """Places by accuracy, equal ones shared (1, 1, 3), undefined ones last."""
    known = [-1.0 if each.accuracy is None else each.accuracy for each in standings]
    placed = [
        (1 + sum(other > mine for other in known), each.team, each.accuracy)
        for each, mine in zip(standings, known, strict=True)
    ]
    return sorted(placed, key=lambda row: (row[0], row[1]))


TABLES: Final = {EXCHANGE: "StorageExchange", SCORES: "StorageScores", "catalogue": "StorageCatalogue"}
"""Tables whose items are facts, and what the template calls them; people's names and tokens are none."""
