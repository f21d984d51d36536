"""Checks of results: scored once, revealed as committed to, board and reports equal to a replay of the facts."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from markup_core.accuracy import EssayScore
from markup_core.receipt import canonical_json
from markup_core.record import score_of
from markup_core.sample import summarise
from rehearsal.history import Call
from rehearsal.moments import Millis, from_text
from rehearsal.proof.case import EXCHANGE, SCORES, Case, Check, parameters_of
from rehearsal.proof.conclusion import commitment_faults, record_faults
from rehearsal.proof.oracle import VOIDED_SHARE, share
from shadow.fates import BESIDE
from tracks import registry

Json = Any
_BARRIER: Final = 100.0
LEAVE: Final = "leave"
"""A team's call that ends its session for good."""
RECOMPUTED: Final = 120
"""Scores of so many answers, drawn from all teams and files, are compared byte by byte; all are counted."""


def scored_once(case: Case) -> Check:
    """Check that each accepted answer has one score record, written once, with the bytes that the library makes."""
    check = Check("scored_once")
    for team in case.sessions:
        accepted = {
            (int(sk.split("#")[1]), item["content_sha256"])
            for sk, item in case.receipts(team)
            if item["status"] == "accepted"
        }
        records = Counter((int(sk.split("#")[1]), sk.split("#")[2]) for sk, _ in case.scores(team))
        for number, digest in sorted(accepted | records.keys()):
            stored, due = records[number, digest], int((number, digest) in accepted)
            where = f"{team}, file {number}, answer {digest[:12]}"
            check.that(stored == due, f"{where}: {stored} scores for {due} accepted answers")
    check.look(*written_twice(case), *_recomputed(case))
    return check


def written_twice(case: Case) -> Iterator[str]:
    """Yield the scores that were written more than once."""
    writes = Counter((write["pk"], write["sk"]) for write in case.facts.written if write["what"] == "SCORE")
    for (pk, sk), times in sorted(writes.items()):
        if times > 1:
            yield f"{pk} {sk}: the score was written {times} times"


def _recomputed(case: Case) -> Iterator[str]:
    library = Library.of(case)
    places = [(team, sk, item) for team in case.sessions for sk, item in case.scores(team)]
    chance = random.Random(f"{case.story.header['seed']}/scores")  # noqa: S311 - reproducible, no secret
    for team, sk, item in chance.sample(places, min(RECOMPUTED, len(places))):
        _, number, digest, *_ = sk.split("#")
        record = library.record(team, int(number), digest)
        if record is None:
            yield f"{team}, file {int(number)}: the scored answer is not stored"
        elif record != item["record"]:
            yield f"{team}, file {int(number)}: the library scores the answer differently"


class Library:
    """The scoring library with the essays and markups that the rehearsal itself wrote, and the cycle's parameters."""

    def __init__(self, case: Case) -> None:
        self._case = case
        rules = parameters_of(case.facts)
        self._parameters, self._seed = rules["track"], rules["bootstrap_seed"]
        self.languages: Mapping[str, Sequence[str]] = self._parameters.get("languages", {})
        """Subjects by language."""
        self._track = registry.get(case.run.get("track", "essay"))
        self._known = {own["item"].get("text"): (own["item"], own["experts"]) for own in case.story.own}
        self._scored: dict[str, str] = {}

    @classmethod
    def of(cls, case: Case) -> Library:
        """Return the one library of a history, so that no check scores again what another has scored."""
        return case.once("library", lambda: cls(case))

    def record(self, team: str, number: int, digest: str) -> str | None:
        """Return the canonical record of an answer whose bytes have the hash; None where there are none such.

        Essays are recognised by their text.
        """
        name = f"answers/{self._case.sessions[team]}/{number}/{digest}.json"
        sha256, stored = self._case.facts.objects.get(name, ("", None))
        return self.made_of(stored) if stored and sha256 == digest else None

    def summary(self, scores: Sequence[EssayScore]) -> Mapping[str, Json]:
        """Return the accuracies of scores, with their intervals by the cycle's seed."""
        languages = {subject: language for language, subjects in self.languages.items() for subject in subjects}
        accuracies: Mapping[str, Json] = json.loads(canonical_json(summarise(scores, self._seed, languages).to_dict()))
        return accuracies

    def made_of(self, answer: str) -> str:
        """Return the canonical record of an answer's stored bytes."""
        if answer not in self._scored:
            markup = json.loads(answer)
            item, experts = self._known[markup["text"]]
            self._scored[answer] = canonical_json(self._track.score(item, markup, experts, self._parameters))
        return self._scored[answer]


def commitment(case: Case) -> Check:
    """Check that the commitment before the run equals the content revealed after it, all of it signed."""
    check = Check("commitment_kept")
    check.look(*commitment_faults(case.run, case.record, case.keys), *_promised_otherwise(case))
    check.look(*record_faults(case.run, case.record, case.facts.answers["record_statement"], case.keys))
    return check


def _promised_otherwise(case: Case) -> Iterator[str]:
    """Yield the values of the commitment that strangers read before the start and that differ from the orders, and its
    fault if it is not the one that holds afterwards."""
    header, before = case.story.header, case.facts.answers["run_before"]
    statement = before["commitment"]["statement"]
    for name in ("files", "starts_at", "interval_ms", "limits"):
        if statement[name] != header[name]:
            yield f"the commitment promises {name} {statement[name]}, ordered was {header[name]}"
    for name, value in case.run["limits"].items():
        ordered = header["limits"][f"{name.removesuffix('_s')}_ms"]
        if round(value * 1000) != ordered:
            yield f"the run's description tells a limit {name} of {value}, ordered was {ordered} ms"
    for name, run in (("run", case.run), ("record", case.record)):
        if run["commitment"] != before["commitment"]:
            yield f"the commitment of the {name} is another one than before the start"
    decided = bool(case.story.decided)  # then another check compares them
    if not decided and (case.run.get("amendments") or case.record.get("amendments") or case.run.get("pauses")):
        yield "there are decisions though nobody decided anything"


@dataclass(frozen=True, slots=True)
class Standing:
    """A team's result from a replay."""

    team: str
    result: Mapping[str, Json]
    share: float | None
    files: int
    answered: int
    has_left: bool = False
    """Whether the team has ended its session by itself."""

    @property
    def accuracy(self) -> float | None:
        """Return the relative accuracy, None where it is undefined."""
        accuracy: float | None = self.result["relative_accuracy"]
        return accuracy

    @property
    def annulled(self) -> bool:
        """Return whether more was missed than may be (R 7.7)."""
        return self.share is not None and self.share > VOIDED_SHARE

    @property
    def placed(self) -> bool:
        """Return whether the team stands on the board: not with an annulled solution, nor when it has left (R 7.7,
        4.5)."""
        return not self.annulled and not self.has_left


def replay(case: Case) -> tuple[Standing, ...]:
    """Return every team's result and share, scored by the library from the answers that the rehearsal's programs know
    to be accepted, and from the causes, which another check holds to the rules."""
    return case.once("replay", lambda: tuple(_replayed(case, team) for team in case.sessions))


def _replayed(case: Case, team: str) -> Standing:
    library, scores, fates = Library.of(case), [], []
    for number in case.schedule.numbers:
        fate = case.fate(team, number)
        fates.append(None if fate == "answered" else fate)
        digest = counting(case, team, number) if fate == "answered" else None
        record = library.record(team, number, digest) if digest is not None else None
        if record is not None:
            scores.append(score_of(json.loads(record)))
    summary = library.summary(scores)
    counted = [fate for fate in fates if fate not in BESIDE]
    has_left = any((call.team, call.status) == (team, 200) for call in _leaving(case))
    return Standing(team, summary, share(fates), len(counted), sum(fate is None for fate in fates), has_left)


def _leaving(case: Case) -> Sequence[Call]:
    return [call for call in case.story.calls if call.what == LEAVE and not call.failed]


def _ended_otherwise(case: Case, call: Call) -> Iterator[str]:
    """Yield the fault of the end of a session by its team: it is refused, or not the one that it has at last."""
    if call.status != 200:
        yield f"{call.where}: its end is answered {call.status}"
        return
    session, last = call.said, case.facts.answers[f"status/{call.team}"]
    for name in ("state", "closed_at"):
        if session.get(name) != last.get(name):
            yield f"{call.team}: the session ended with {name} {session.get(name)}, and has {last.get(name)} at last"


def counting(case: Case, team: str, number: int) -> str | None:
    """Return the hash of the answer that counts: the last one that was accepted, by the receipts that the team was
    given.

    Only of a program that the history does not follow, or whose receipt never came, the platform's word is taken.
    """
    receipts = case.accepted(team, number)
    answer = (case.item(team, f"FILE#{number:04d}") or {}).get("answer") or {}
    if not receipts or int(answer.get("send", 0)) > int(receipts[-1]["send"]):
        return answer.get("content_sha256")
    return str(receipts[-1]["content_sha256"])


def same_board(case: Case) -> Check:
    """Check that the published board and the shares that sessions show are those of a replay (R 7.6, 7.7, 7.12), number
    by number, under the teams' own names; before the publication it shows nobody."""
    check = Check("replay_agrees")
    standings = replay(case)
    for standing in standings:
        status = case.facts.answers[f"status/{standing.team}"]
        same = standing.share == status["voided_share"] and standing.annulled == bool(status["solution_voided"])
        missed = f"{status['voided_share']} (annulled: {status['solution_voided']})"
        check.that(same, f"{standing.team}: the session shows a share of {missed}, the replay gives {standing.share}")
    for call in _leaving(case):
        check.look(*_ended_otherwise(case, call))
    if "board" not in case.facts.answers:  # where the recomputation differs, nothing is published
        check.look("there is no board to hold against the replay")
        return check
    rows = case.facts.answers["board"]["rows"]
    places = [(row["place"], row["team_id"], row["result"]["relative_accuracy"]) for row in rows]
    expected = placed([(standing.team, standing.accuracy) for standing in standings if standing.placed])
    check.that(places == expected, f"the board shows {places}, the replay gives {expected}")
    check.look(*other_history(case, "history", [(place, team) for place, team, _ in places]))
    early = case.facts.answers.get("board_before", {}).get("rows", ())
    check.that(not early, f"the board shows {len(early)} teams before its publication")
    by_team = {standing.team: standing for standing in standings}
    for row in rows:
        check.faults += _other_numbers(row, by_team[row["team_id"]])
    return check


def other_history(case: Case, name: str, places: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Yield the faults of a board's history: its last point has the places that the board shows, each point other
    places or values than the one before it, and a later moment (platform §4 boards)."""
    points = case.facts.answers.get(name, {}).get("points", [])[::-1]
    last = [(row["place"], row["team_id"]) for row in points[-1]["places"]] if points else []
    if last != list(places):
        yield f"{name}: the last places are {last}, the board shows {list(places)}"
    if any(before["places"] == after["places"] for before, after in pairwise(points)):
        yield f"{name}: a point has the places of the one before it"
    if any(before["at"] >= after["at"] for before, after in pairwise(points)):
        yield f"{name}: the points are not in the order of their moments"


def _other_numbers(row: Mapping[str, Json], standing: Standing) -> Iterator[str]:
    """Yield the numbers of a board's row that the replay does not give."""
    team, accuracy = row["team_id"], standing.accuracy
    for name, value in standing.result.items():
        if row["result"].get(name) != value:
            yield f"{team}: the board's {name} is another than the replay's"
    audited = row["audit"]["relative_accuracy"]
    if standing.files == standing.answered and audited != accuracy:
        yield f"{team}: the audit says {audited} where nothing was missed"
    if accuracy is not None and audited is not None and audited > accuracy:
        yield f"{team}: with missed files counted the audit says more, {audited}"


def placed(values: Sequence[tuple[str, float | None]]) -> list[tuple[int, str, float | None]]:
    """Return the places by teams' values, equal ones shared (1, 1, 3), undefined ones last."""
    numbers = [-1.0 if value is None else value for _, value in values]
    rows = [
        (1 + sum(other > mine for other in numbers), team, value)
        for (team, value), mine in zip(values, numbers, strict=True)
    ]
    return sorted(rows, key=lambda row: (row[0], row[1]))


TABLES: Final = {EXCHANGE: "StorageExchange", SCORES: "StorageScores", "catalogue": "StorageCatalogue"}
"""Tables whose items are facts, and what the template calls them; people's names and tokens are none."""


_PERCENTILES: Final = {"p50": 50, "p95": 95}


def reports_agree(case: Case) -> Check:
    """Check that every team's report of the final gives each file's fate and its times, the statistics of these times,
    the missed files by cause, and the accuracies with their intervals (R 6.7, 7.8; platform §4)."""
    check = Check("reports_agree")
    for standing in replay(case):
        report = case.facts.answers.get(f"report/{standing.team}")
        if report is None:
            check.look(f"{standing.team}: has no report")
            continue
        check.look(*_times_otherwise(case, standing.team, report))
        check.look(*_missed_otherwise(case, standing.team, report))
        check.look(*_results_otherwise(standing, report))
    return check


def _times_otherwise(case: Case, team: str, report: Mapping[str, Json]) -> Iterator[str]:
    """Yield the statistics that are not those of the files' times, which were held against the program's."""
    moments = [
        {name: from_text(file[name]) if file[name] else None for name in ("handed_out_at", "answered_at")}
        for file in report["files"]
    ]
    openings = [case.schedule.opens_at(file["number"]) for file in report["files"]]
    times = {
        "processing_ms": [_between(moment["handed_out_at"], moment["answered_at"]) for moment in moments],
        "delay_ms": [_between(at, moment["handed_out_at"]) for at, moment in zip(openings, moments, strict=True)],
    }
    for name, values in times.items():
        computed, reported = statistics([value for value in values if value is not None]), report["timing"][name]
        if reported != computed:
            yield f"{team}: the report tells {name} {reported}, by the files it is {computed}"


def _between(begin: Millis | None, end: Millis | None) -> Millis | None:
    return None if begin is None or end is None else max(0, end - begin)


def statistics(values: Sequence[Millis]) -> Mapping[str, Json]:
    """Return count, mean, maximum and the smallest value that a given per cent do not exceed; none without any."""
    ascending = sorted(values)
    if not ascending:
        return {"count": 0, "mean": None, "max": None, **dict.fromkeys(_PERCENTILES)}
    nearest = {
        name: next(value for place, value in enumerate(ascending, start=1) if 100 * place >= percent * len(ascending))
        for name, percent in _PERCENTILES.items()
    }
    return {"count": len(values), "mean": sum(values) / len(values), "max": ascending[-1], **nearest}


def _missed_otherwise(case: Case, team: str, report: Mapping[str, Json]) -> Iterator[str]:
    """Yield the counts and shares of missed files by cause that are not those of the files."""
    causes = Counter(case.statuses[team, number]["cause"] for number in case.schedule.numbers) - Counter({None: 10**9})
    whole, missed = len(case.schedule.numbers), report["voided"]
    computed = {cause: {"files": many, "share": many / whole} for cause, many in causes.items()}
    by_cause = {cause: row for cause, row in missed["by_cause"].items() if row["files"]}
    if by_cause != computed or (missed["files"], missed["share"]) != (causes.total(), causes.total() / whole):
        yield f"{team}: the report tells of missed files {missed}, it is {computed}"


def _results_otherwise(standing: Standing, report: Mapping[str, Json]) -> Iterator[str]:
    """Yield the accuracies, or their intervals, that the library does not make of the acknowledged answers."""
    result = report["result"]
    if result is None:
        yield f"{standing.team}: the report has no accuracies though the results are published"
        return
    for name, value in standing.result.items():
        if result.get(name) != value:
            yield f"{standing.team}: the report's {name} is another than the replay's"
    missed = (report["solution"]["voided_share"], report["solution"]["voided"])
    if missed != (standing.share, standing.annulled):
        yield f"{standing.team}: the report says that {missed} was missed and annulled, it is {standing.share}"
