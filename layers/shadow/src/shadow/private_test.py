"""The job for submissions: recompute one, and, when all are done, the private test's choice and places."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from markup_core.receipt import canonical_bytes
from shadow.final import Tracks
from shadow.source import (
    Cell,
    Item,
    Json,
    MissingError,
    Source,
    compared,
    content_of,
    digest,
    digest_of_bytes,
    document,
    parameters_of,
    read_item,
    track_under,
)
from tracks import registry
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile, Counted, CountsAnswers, steps_of
from tracks.protocol import ItemFacts, Outcome, Standing, Track
from tracks.rules import Details

SUBMISSIONS: Final = "submissions/"
SHADOWS: Final = "reports/shadow/submissions/"
"""Prefix of the names of stored results of the recomputation of submissions."""
_LEAST_HIDDEN: Final = 10
"""Bound for parameters that were stored without one."""
OTHER_BOARD: Final = "board:"
_FACTS: Final = ("submission_id", "of", "team_id", "cycle", "track", "order", "parameters_version", "completed_at")
_OUTCOME: Final = ("day", "attempt", "state", "cause", "value")
"""Fields that identify a result: another report, value or set makes another one."""


class Submitted:
    """A submission as it is stored, read once. ``body``: the stored record of it."""

    def __init__(self, source: Source, track: Track, body: Item) -> None:
        self.source, self.track, self.body = source, track, body
        self.name = str(body["submission_id"])
        self.differences: list[Cell] = []

    @cached_property
    def report_bytes(self) -> bytes | None:
        """The submission's report; None if there is none."""
        rescored = self.body.get("rescored")
        return self.source.read(f"{SUBMISSIONS}reports/{self.name}{f'-{rescored}' if rescored else ''}.json")

    @property
    def facts(self) -> str:
        """Digest of everything that the recomputation depends on; the platform names the result by the same one."""
        report = None if self.report_bytes is None else digest_of_bytes(self.report_bytes)
        return digest({**{name: self.body[name] for name in (*_FACTS, *_OUTCOME)}, "report": report})

    @property
    def result_name(self) -> str:
        """Name of the recomputation's result."""
        return f"{SHADOWS}{self.name}/{self.facts}.json"

    @property
    def _run(self) -> str:
        return f"{self.name}-{self.body['attempt']}"

    @cached_property
    def parameters(self) -> Mapping[str, Json]:
        """The parameters of its version."""
        return parameters_of(self.source, self.body["cycle"], self.body["parameters_version"])

    @cached_property
    def rows(self) -> Mapping[str, Json]:
        """Rows of its set's list, by item: language, group, content, references."""
        manifest = json.loads(self._read_from_set("manifest", "manifests", self.body["order"]["manifest"]))
        return {row[0]: row for row in manifest["items"]}

    @cached_property
    def contents(self) -> Mapping[str, Json]:
        """Contents of the set's items, in the order of its list."""
        return {name: json.loads(self._read_from_set("content", "items", row[3])) for name, row in self.rows.items()}

    def recompute(self) -> list[Cell]:
        """Return every difference between a scored submission's stored results and the recomputed ones."""
        try:
            outcomes, invalid = self._outcomes()
            self.differences += self._unlike(outcomes, invalid)
        except (MissingError, ValueError, KeyError, TypeError) as error:
            self.differences.append(Cell("submission", "scored", f"{type(error).__name__}: {error}"))
        return [cell.of_submission(self.body["team_id"], self.name) for cell in self.differences]

    def _outcomes(self) -> tuple[tuple[Outcome, ...], frozenset[str]]:
        """Compute the outcome of every item of the set, and the names of items whose answer is invalid."""
        outcomes, invalid = list[Outcome](), set[str]()
        for name, content, answer, is_valid, marked in self._judged():
            invalid |= set() if is_valid else {name}
            record = self.track.score(content, answer, marked, self.parameters["track"])
            outcomes.append(Outcome(ItemFacts(name, *self.rows[name][1:3]), answer is not None, record))
        return tuple(outcomes), frozenset(invalid)

    def _judged(self) -> Iterator[tuple[str, Json, Json, bool, list[Json]]]:
        """Yield each item's name, content, answer (None: none that is valid), whether it is valid, and markups."""
        answers, rules = self._answers(), self.parameters["track"]
        for name, content in self.contents.items():
            answer, is_valid = None, True
            if name in answers:
                step = steps_of(self.track, content, rules)[0].name
                verdict = self.track.validate(content, name, step, answers[name], rules)
                answer, is_valid = verdict.canonical if verdict.valid else None, verdict.valid
            references = self.rows[name][4]
            marked = [json.loads(self._read_from_set("reference", "references", sha256)) for sha256 in references]
            yield name, content, answer, is_valid, marked

    def _answers(self) -> Mapping[str, bytes]:
        if self.body["order"]["kind"] == "program":
            return self._program_outputs()
        if not isinstance(self.track, AnsweredInOneFile):
            raise TypeError("its contest has no form for a file of answers")
        whole = b"".join(self._parts())
        return dict(self.track.read_submission(whole, self.contents).answers)

    def _parts(self) -> Iterator[bytes]:
        """Return the stored parts of an answer file, each compared with the SHA-256 under which it was announced."""
        upload = self.body["order"]["upload"]
        whole = []
        for number, sha256 in enumerate(upload["parts"], start=1):
            name = f"{SUBMISSIONS}brought/{self.body['of'] or self.name}/{number:03d}-{sha256}"
            content = content_of(self.source, name)
            self.differences += compared("submission.part", digest_of_bytes(content), sha256)
            whole.append(content)
        self.differences += compared("submission.sha256", digest_of_bytes(b"".join(whole)), upload["sha256"])
        yield from whole

    def _program_outputs(self) -> Mapping[str, bytes]:
        """Return the latest run's outputs for the items of its order; one that was altered since is a difference."""
        if not isinstance(self.track, AnsweredByProgram):
            raise TypeError("its contest runs no programs")
        folder, groups = f"{SUBMISSIONS}runs/{self._run}/", self.body["order"]["groups"]
        order, ending = document(self.source, f"{folder}order.json"), document(self.source, f"{folder}ending.json")
        self.differences += self._unlike_order(order)
        self.differences += compared("run.cause", ending["cause"], None)
        sums = {output["name"]: output["sha256"] for output in ending["outputs"]}
        answers = {}
        for name, content in self.contents.items():
            output = next((candidate for candidate in self.track.outputs_of(content) if candidate in sums), None)
            if output is not None and (not groups or self.rows[name][2] in groups):
                body = content_of(self.source, f"{folder}output/{output}")
                self.differences += compared(f"output[{output}]", digest_of_bytes(body), sums[output])
                answers[name] = body
        return answers

    def _unlike_order(self, order: Json) -> Iterator[Cell]:
        """Check that the run's order is this submission, over this set."""
        yield from compared("run.name", order["run"], self._run)
        archive = [part["sha256"] for part in order["archive"]]
        yield from compared("run.archive", archive, list(self.body["order"]["upload"]["parts"]))
        track, groups = self.track, self.body["order"]["groups"]
        inputs = sorted(
            path
            for name, content in self.contents.items()
            if isinstance(track, AnsweredByProgram) and (not groups or self.rows[name][2] in groups)
            for path in (*track.inputs(content), *track.attachments(content))
        )
        yield from compared("run.inputs", sorted(input_file["path"] for input_file in order["inputs"]), inputs)

    def _unlike(self, outcomes: Sequence[Outcome], invalid: frozenset[str]) -> Iterator[Cell]:
        if self.report_bytes is None:
            yield Cell("report", None, "a report")
            return
        report = json.loads(self.report_bytes)
        aggregate = self.track.aggregate(outcomes, self.parameters["track"], self.parameters["bootstrap_seed"])
        totals = self.track.details(self.body["order"]["set_kind"]) is Details.TOTALS
        result = self.track.totals(aggregate, outcomes) if totals else aggregate
        if report.get("left_out") and isinstance(self.track, CountsAnswers):
            result = self.track.without_breakdowns(result)
        if report.get("withheld"):
            yield from self._unlike_withheld(report)
            return
        missing = [outcome.item.item_id for outcome in outcomes if not outcome.answered]
        counts = {"items": len(outcomes), "answered": len(outcomes) - len(missing), "missing": len(missing)}
        yield from compared("counts", report["counts"], counts)
        yield from compared("missing", report["missing"], missing)
        yield from compared("invalid", [row["item"] for row in report["invalid"]], sorted(invalid))
        yield from compared("result", report["result"], _plain(result))
        sections = self.track.report_sections(result, () if totals else outcomes)
        rows = {section.key: _plain([list(row) for row in section.rows]) for section in sections}
        yield from compared("table", {section["key"]: section["rows"] for section in report["sections"]}, rows)
        yield from compared("value", self.body["value"], self.track.value(aggregate))
        yield from self._unlike_record(report)
        yield from self._unlike_boards(outcomes, _plain(result))

    def _unlike_withheld(self, report: Json) -> Iterator[Cell]:
        """Yield a wrong reason for withheld totals, and totals that are published all the same (T10)."""
        yield from compared(
            "result", [report["result"], report["sections"], report["barrier"]["overcome"]], [None, [], None]
        )
        yield from compared("value", self.body["value"], None)
        claims = f"CLAIMS#{self.body['cycle']}#all#{self.body['team_id']}"
        claimed = [claim for claim in self.source.items("Scores", claims) if claim.get("sk") == self.name]
        yield from compared("entry[all]", len(claimed), 0)
        reason, own = report["withheld"], self.requests
        least = self.parameters.get("least_hidden_items", _LEAST_HIDDEN)
        numbers = [
            sum(counted.views[view] is not None for counted in test.values())
            for test in own.values()
            for view in range(max((len(counted.views) for counted in test.values()), default=0))
        ]
        if reason["code"] == "too_similar":
            other = json.loads(
                read_item(self.source, "Exchange", f"SUBMISSION#{reason['where']['name']}", "STATE")["body"]
            )
            theirs = Submitted(self.source, self.track, other).requests
            numbers = [
                sum(first != second for first, second in pairs)
                for test in own.keys() | theirs.keys()
                for pairs in _pairs_by_view(own.get(test, {}), theirs.get(test, {}))
            ]
        due = reason["code"] if any(0 < number < least for number in numbers) else None
        yield from compared("withheld", reason["code"], due)

    @cached_property
    def requests(self) -> Mapping[str, Mapping[str, Counted]]:
        """Return each request's contribution to totals, by item."""
        track: Track = self.track
        if not isinstance(track, CountsAnswers):
            return {}
        rules = self.parameters["track"]
        return {
            name: track.counted(content, answer, marked, rules) for name, content, answer, _, marked in self._judged()
        }

    def _unlike_record(self, report: Json) -> Iterator[Cell]:
        """Compare the report's submission, its file, and the promises of its receipt."""
        body, order, claimed = self.body, self.body["order"], report["submission"]
        facts = {
            "submission_id": self.name,
            "team_id": body["team_id"],
            "set": order["set_name"],
            "groups": order["groups"],
            "content_sha256": order["upload"]["sha256"],
            "bytes": order["upload"]["size"],
        }
        yield from compared("report", {name: claimed[name] for name in facts}, facts)
        if order["kind"] == "program":
            yield from compared("report.run", report["run"]["run"], self._run)
        if body["receipt"]:
            promise = json.loads(body["receipt"])["receipt"]
            promised = {name: facts[name] for name in ("submission_id", "team_id", "set", "content_sha256", "bytes")}
            yield from compared("receipt", {name: promise[name] for name in promised}, promised)
            yield from compared("receipt.day", promise["day"], body["day"])

    def _unlike_boards(self, outcomes: Sequence[Outcome], result: Json) -> Iterator[Cell]:
        """Check that each board's row of the team holds this submission to a test set, or one as good."""
        if self.body["of"] or self.body["order"]["set_kind"] != "test":
            return
        whole, answered = len(outcomes), sum(outcome.answered for outcome in outcomes)
        main, *others = self.track.boards()
        parts = {"all": main} | {f"{OTHER_BOARD}{board.key}": board for board in others if not board.joins_runs}
        for part, rules in parts.items():
            if answered >= rules.least_share * whole:
                yield from self._unlike_board(part, rules.key, result)

    def _unlike_board(self, part: str, key: str, result: Json) -> Iterator[Cell]:
        cycle, team = self.body["cycle"], self.body["team_id"]
        row = read_item(self.source, "Scores", f"BOARD#{cycle}#qualification#{part}", team)
        claim = read_item(self.source, "Scores", f"CLAIMS#{cycle}#{part}#{team}", self.name)
        yield from compared(f"entry[{part}]", json.loads(claim["entry"])["result"], result)
        stands = json.loads(row["entry"])
        if stands["session_id"] == self.name:
            yield from compared(f"entry[{part}]", stands["result"], result)
            return
        ranked = self.track.rank([Standing("it", result), Standing("stands", stands["result"])], key)
        places = {place.team: place.place for place in ranked}
        # What was annulled stands on no row, and gives it to a worse one: whose turn it is, is not this one's to say.
        is_better = places.get("it", 0) < places.get("stands", 0)
        if is_better and not self.source.items("Catalogue", f"ANNULMENTS#{cycle}"):
            yield Cell(f"entry[{part}]", stands["session_id"], self.name)

    def _read_from_set(self, quantity: str, kind: str, sha256: str) -> bytes:
        """Read an object of the set, named by its content; note a difference if its digest is another one."""
        content = content_of(self.source, f"sets/{self.body['cycle']}/{kind}/{sha256}.json")
        self.differences += compared(quantity, digest_of_bytes(content), sha256)
        return content


def _pairs_by_view(
    one: Mapping[str, Counted], other: Mapping[str, Counted]
) -> Iterator[list[tuple[tuple[Json, Json], ...]]]:
    """Yield, view by view, two submissions' counts of every request, with the truth that they are compared with."""
    for view in range(max((len(counted.views) for counted in (*one.values(), *other.values())), default=0)):
        sides = [
            {name: (counted.views[view], counted.truth) for name, counted in requests.items()}
            for requests in (one, other)
        ]
        yield [tuple(side.get(name, (None, None)) for side in sides) for name in one.keys() | other.keys()]


def _plain(value: Json) -> Json:
    """Return a value as it looks after a round trip through JSON."""
    return json.loads(canonical_bytes(value))


FORMAT: Final = 1
SHOWN: Final = 1000
MOST_CHOSEN: Final = 2


def recompute(source: Source, submission_id: str, *, again: bool = False, tracks: Tracks = registry.get) -> None:
    """Recompute a scored submission, then the private test if none is missing.

    An earlier result under the same facts stays unless ``again``.

    Raises :class:`shadow.source.MissingError` for an unknown one. O(items) of its set, all in memory.
    """
    body = _body(source, submission_id)
    submitted = Submitted(source, _track(source, tracks, body), body)
    if body["state"] == "scored" and (again or submitted.result_name not in source.tags(submitted.result_name)):
        cells = submitted.recompute()
        summary = {**_summary(cells), "items": len(submitted.rows) if "rows" in submitted.__dict__ else 0}
        source.write(submitted.result_name, canonical_bytes(summary))
    _assemble(source, tracks, str(body["cycle"]))


def _track(source: Source, tracks: Tracks, body: Item) -> Track:
    return track_under(source, tracks(body["track"]), str(body["cycle"]), body["parameters_version"])


def whole_name(bodies: Sequence[Item], parts: Mapping[str, str]) -> str:
    """Return the name of the result for all of a cycle's submissions.

    It depends on the scored submissions, by the names of their own results, on those chosen for the private test, and
    on the private runs. The platform names it the same way.
    """
    chosen = sorted([body["submission_id"], body["named_at"]] for body in bodies if body["named_at"] is not None)
    runs = sorted([body["submission_id"], body["state"]] for body in bodies if body["of"])
    return f"{SHADOWS}whole/{digest({'parts': dict(parts), 'chosen': chosen, 'runs': runs})}.json"


def _assemble(source: Source, tracks: Tracks, cycle: str) -> None:
    names = source.items("Exchange", f"SUBMISSIONS#{cycle}", "NAME#")
    bodies = [_body(source, item["submission_id"]) for item in names]
    track = _track(source, tracks, bodies[0])
    scored = {body["submission_id"]: Submitted(source, track, body) for body in bodies if body["state"] == "scored"}
    parts = {name: submitted.result_name for name, submitted in scored.items()}
    there = source.tags(SHADOWS)
    if any(name not in there for name in parts.values()):
        return
    results = [document(source, name) for name in parts.values()]
    runs = [body for body in bodies if body["of"]]
    # An annulled submission gives its turn to another one: whose turn it is, is not this one's to say.
    annulments = source.items("Catalogue", f"ANNULMENTS#{cycle}")
    summary = _summary([] if annulments else list(_unlike_choice(bodies, runs)))
    for part in results:
        summary["total"] += part["total"]
        summary["differences"] = [*summary["differences"], *part["differences"]][:SHOWN]
    summary["checked"] = {"submissions": len(results), "items": sum(result["items"] for result in results)}
    summary["places"] = _places(track, [scored[run["submission_id"]] for run in runs if run["state"] == "scored"])
    source.write(whole_name(bodies, parts), canonical_bytes(summary))


def _unlike_choice(bodies: Sequence[Item], runs: Sequence[Item]) -> Iterator[Cell]:
    """Yield teams whose private runs are not of their chosen submissions, else of their best one (F-7).

    Submissions count that had ended before the private runs began.
    """
    begun = defaultdict[str, list[Item]](list)
    for run in runs:
        begun[run["team_id"]].append(run)
    for team, own in sorted(begun.items()):
        since = min(run["created_at"] for run in runs)
        actual, due = sorted(run["of"] for run in own), sorted(_chosen(bodies, team, since))
        if actual != due:
            yield Cell("chosen", actual, due, team_id=team)


def _chosen(bodies: Sequence[Item], team: str, since: int) -> list[str]:
    mine = [
        body
        for body in bodies
        if body["team_id"] == team
        and not body["of"]
        and body["state"] == "scored"
        and (body["order"]["kind"], body["order"]["set_kind"]) == ("program", "test")
    ]
    named = [body["submission_id"] for body in mine if body["named_at"] is not None]
    ended = [body for body in mine if body["changed_at"] <= since]
    if named or not ended:
        return named[:MOST_CHOSEN]
    best = max(body["value"] or 0.0 for body in ended)
    equal = [body for body in ended if (body["value"] or 0.0) == best]
    return [min(equal, key=lambda body: (body["completed_at"], body["submission_id"]))["submission_id"]]


def _places(track: Track, runs: Sequence[Submitted]) -> list[Json]:
    """Rank teams by their best run: rows of board, team, place, value; equal values share a place, none comes last."""
    rows = []
    results = [(run.body["team_id"], json.loads(run.report_bytes or b"{}").get("result")) for run in runs]
    for rules in track.boards():
        best: dict[str, float | None] = {}
        for team, result in results:
            value = None if result is None else track.value(result, rules.key)
            best_value = best.get(team)
            best[team] = best_value if value is None or (best_value is not None and best_value >= value) else value
        for team, value in sorted(best.items()):
            others = (other for other in best.values() if other is not None and (value is None or other > value))
            rows.append([rules.key, team, 1 + sum(1 for _ in others), value])
    return rows


def _body(source: Source, submission_id: str) -> Item:
    body: Item = json.loads(read_item(source, "Exchange", f"SUBMISSION#{submission_id}", "STATE")["body"])
    return body


def _summary(cells: Sequence[Cell]) -> dict[str, Json]:
    return {"format": FORMAT, "total": len(cells), "differences": [cell.to_dict() for cell in cells[:SHOWN]]}
