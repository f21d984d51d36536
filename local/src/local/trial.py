"""A trial on real texts: the exchange from end to end, with checks whose right answers are known beforehand.

Four programs take part in a cycle made from a corpus with two annotators: annotator 1 itself, which must agree with
the experts perfectly (H = 0 takes the best expert, and that is itself); annotator 1 disturbed a little and a lot, which
must be worse and worse again; and one that finds nothing, which must be worst.

The trial prints the programs' accuracies as a table with bars, and every check with its findings.

The corpus is a folder with ``index.json`` (one entry per text: ``id``, ``files``), ``types.json`` (error types with
counts) and the markups it names, in the contest's JSON except for three things that corpora of corrections do
differently:

* an insertion is a selection of zero length. An essay's fragment must cover something, so it is **widened** to the
  run of non-white-space characters that it touches (the one before it, else the one after it; between two blanks, the
  blank before it), and its correction becomes that run with the insertion made;
* a deletion has an empty correction, which the contest reads as "no correction": it keeps its span and its code;
* the codes are the corpus' own, so the classifier is made from its list of types. There is no grading formula: M1 is
  undefined and weighs 0.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from rich.bar import Bar
from rich.table import Table

from local.cloud import LocalCloud
from local.organizing import Organizer, OrganizerError
from local.texts import say, tr
from markup_core.accuracy import score_essay
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import load
from markup_core.rounding import PERCENT_PLACES, fixed
from markup_core.sample import SampleScore, summarise
from markup_core.texts import EN, Text, language, localized, number
from pku.answers import Comparison, Order
from pku.exchange import Exchange
from pku.journal import Journals
from pku.proof import read_keys, receipt_fault
from pku.runner import run
from pku.sessions import start, wait_for_report
from pku.solvers import Essays
from tracks.command.console import WholeConsole

LANGUAGE: Final = "ukr"
SUBJECT: Final = "uk"
WEIGHTS: Final = (0, 2, 1, 1, 1, 1, 0)
REQUESTS_PER_SECOND: Final = 1000
"""A trial is about the numbers; it need not wait for the contest's rate limit."""


class CorpusError(Exception):
    """The folder is not such a corpus; the message says what is missing or wrong and where."""


@dataclass(frozen=True, slots=True)
class TrialText:
    """One text with its two annotators' markups, as canonical JSON values."""

    item_id: str
    annotators: tuple[dict[str, Any], dict[str, Any]]

    @property
    def essay(self) -> dict[str, Any]:
        """Return the text without a markup, as it is imported and handed out."""
        first = self.annotators[0]
        return {**first, "meta": {**first["meta"], "expert": ""}, "selections": []}


def read_corpus(folder: Path) -> tuple[TrialText, ...]:
    """Return all texts of the corpus in the order of its index. Raises :class:`CorpusError`."""
    texts = tuple(_texts(folder))
    if not texts:
        raise CorpusError(tr("{folder} names no text", folder=folder / "index.json"))
    return texts


def classifier(folder: Path) -> dict[str, Any]:
    """Return the classifier of one subject whose codes are the corpus' error types."""
    types = _load(folder / "types.json")
    codes = [
        {
            "code": name,
            "category": name.partition("/")[0],
            "group": "error",
            "subtypes": sorted({name.partition("/")[2]} - {""}),
            "correction": True,
            "full_text": False,
            "relation": False,
            "description": {"en": f"Error type {name} of the corpus", "ru": f"Тип ошибки {name} корпуса"},
        }
        for name in types
    ]
    return {"subjects": {SUBJECT: codes}}


def widen(text: str, position: int) -> tuple[int, int]:
    """Return the span that stands for an insertion at ``position``: never empty for a non-empty text (rule above)."""
    start, end = position, position
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    if start == position:
        while end < len(text) and not text[end].isspace():
            end += 1
    if start < end:
        return start, end
    return (position - 1, position) if position > 0 else (0, min(1, len(text)))


def write_cycle(
    folder: Path,
    name: str,
    texts: tuple[TrialText, ...],
    codes: Mapping[str, Any],
    weights: tuple[float, ...] = WEIGHTS,
) -> None:
    """Write the folder that ``contest cycle load`` imports for the deployment ``name``: one training set."""
    cycle = {
        "cycle": name,
        "name": {"en": "Trial on real texts", "ru": "Проба на настоящих текстах"},
        "time_zone": "Europe/Kyiv",
        "track": "essay",
        "languages": {LANGUAGE: [SUBJECT]},
        "classifier": codes,
        "parameters": {"weights": list(weights), "requests_per_second": REQUESTS_PER_SECOND},
        "sets": {"train": {"folder": "train", "kind": "training"}},
    }
    (folder / "train").mkdir(parents=True)
    _write(folder / "cycle.json", cycle)
    for text in texts:
        _write(folder / "train" / f"{text.item_id}.json", text.essay)
        for expert, markup in enumerate(text.annotators, start=1):
            _write(folder / "train" / f"{text.item_id}_exp{expert:02}.json", markup)


def _texts(folder: Path) -> Iterator[TrialText]:
    for entry in _load(folder / "index.json"):
        item_id = f"{SUBJECT}-{entry['id']}"
        first, second = (
            {
                "meta": {**raw["meta"], "id": item_id, "subject": SUBJECT},
                "criteria": {},
                "selections": [_selection(raw["text"], selection) for selection in raw["selections"]],
                "text": raw["text"],
            }
            for raw in (_load(folder / name) for name in entry["files"])
        )
        if first["text"] != second["text"]:
            raise CorpusError(tr("text {id}: the two annotators did not work on the same text", id=entry["id"]))
        yield TrialText(item_id, (first, second))


def _selection(text: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    start, end, correction = raw["startSelection"], raw["endSelection"], raw["correction"]
    if start == end:
        position = start
        start, end = widen(text, position)
        correction = text[start:position] + correction + text[position:end]
    return {**raw, "startSelection": start, "endSelection": end, "correction": correction, "group": "error"}


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(tr("cannot read {path}: {strerror}", path=path, strerror=error.strerror)) from error
    except ValueError as error:
        raise CorpusError(tr("{path} is no JSON: {error}", path=path, error=error)) from error


def _write(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")


Markup = dict[str, Any]
Program = Callable[[Markup], Markup]


def annotator(texts: Sequence[TrialText], number: int) -> Program:
    """Return a program that answers with annotator ``number``'s markup (from 0); texts identify the essays."""
    markups = {text.essay["text"]: text.annotators[number]["selections"] for text in texts}
    return lambda content: {**content, "selections": markups[content["text"]]}


def nothing(content: Markup) -> Markup:
    """Answer with a markup without fragments: the program that finds nothing."""
    return {**content, "selections": []}


def disturbed(program: Program, share: float, seed: int, codes: Sequence[str]) -> Program:
    """Return a program that spoils about ``share`` of another's fragments: drops, moves ends, or swaps codes.

    The same text is always spoilt alike, and a larger share spoils what a smaller one does and more, so that more
    disturbance is never a matter of luck.
    """

    def answer(content: Markup) -> Markup:
        markup = program(content)
        length = len(content["text"])
        chance = random.Random(f"{seed} {content['text']}")  # noqa: S311 - a reproducible disturbance, no secret
        fragments = [_spoilt(fragment, share, chance, length, codes) for fragment in markup["selections"]]
        return {**markup, "selections": [fragment for fragment in fragments if fragment is not None]}

    return answer


def _spoilt(
    fragment: Mapping[str, Any], share: float, chance: random.Random, length: int, codes: Sequence[str]
) -> Markup | None:
    """Return the fragment as it was, changed, or gone; always takes the same number of random values."""
    luck, way, shift, code = chance.random(), chance.randrange(3), chance.randint(3, 12), chance.choice(codes)
    if luck >= share:
        return dict(fragment)
    if way == 0:
        return None
    if way == 1:
        return {**fragment, "endSelection": min(length, fragment["endSelection"] + shift), "correction": ""}
    return {**fragment, "type": code, "correction": ""}


SEED = 20_261_121
PARAMS = ScoringParams(weights=WEIGHTS)
DISTURBANCES = (0.2, 0.6)
_VERIFIED = 5
"""Files of a session whose score records are verified by the command; all of them are by the library."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TrialCheck:
    """One statement that the trial proves, and its findings."""

    name: str
    passed: bool
    finding: str


@dataclass(frozen=True, slots=True)
class Played:
    """One program's session: its report and every file's comparison with the experts."""

    program: str
    report: Mapping[str, Any]
    comparisons: tuple[Comparison, ...]
    receipts: int
    bad_receipts: int

    def number(self, name: str) -> float:
        """Return a result of the report; -1 where it is undefined."""
        value = self.report["result"][name]
        return -1.0 if value is None else float(value)


def play(cloud: LocalCloud, data: Path, tell: Tell) -> tuple[tuple[Played, ...], tuple[TrialCheck, ...]]:
    """Import the corpus, let the programs take part, and check the results."""
    texts, codes = read_corpus(data), classifier(data)
    organizer = Organizer(cloud)
    with tempfile.TemporaryDirectory(prefix="hurdle-trial-") as name:
        scratch = Path(name)
        refused = _load_weighing_the_grade(organizer, scratch, texts, codes)
        write_cycle(scratch / "cycle", organizer.cycle, texts, codes)
        tell(organizer.load(scratch / "cycle"))
        own = Classifier.from_dict(codes)
        played = []
        for program, solver in _programs(texts, codes):
            tell(say("{program}: {count} texts", program=program, count=len(texts)))
            played.append(_play(cloud, organizer, scratch, program, solver, own))
        checks = (
            refused,
            *_accuracy_checks(played),
            *_agreement_checks(played, own),
            _verified_by_command(played[1], scratch, codes),
        )
    return tuple(played), checks


def _programs(texts: Sequence[TrialText], codes: Mapping[str, Any]) -> Iterator[tuple[str, Program]]:
    first = annotator(texts, 0)
    names = [code["code"] for listed in codes["subjects"].values() for code in listed]
    yield "annotator-1", first
    for share in DISTURBANCES:
        yield f"disturbed-{share:.0%}".rstrip("%"), disturbed(first, share, SEED, names)
    yield "nothing", nothing


def _load_weighing_the_grade(
    organizer: Organizer, scratch: Path, texts: Sequence[TrialText], codes: Mapping[str, Any]
) -> TrialCheck:
    """Check that a cycle that weighs M1 for a subject without a grading formula is refused."""
    name = say("a cycle that weighs M1 without a grading formula is refused")
    write_cycle(scratch / "refused", organizer.cycle, tuple(texts[:1]), codes, (1, *WEIGHTS[1:]))
    try:
        organizer.load(scratch / "refused")
    except OrganizerError as error:
        return TrialCheck(name, "undefined_metric" in str(error), say("refused"))
    return TrialCheck(name, False, say("it was loaded"))


def _play(
    cloud: LocalCloud, organizer: Organizer, scratch: Path, program: str, solver: Program, own: Classifier
) -> Played:
    token = organizer.team(program, program)
    with Exchange(cloud.url, token, requests_per_second=0) as exchange:
        session, journal = start(exchange, Journals(scratch / "journals" / program), Order(set="train"))
        run(exchange, journal, solver, contest=Essays(own))
        report = wait_for_report(exchange, session.session_id)
        receipts = exchange.receipts(session.session_id)
        keys = read_keys(exchange.keys())
        faulty = sum(receipt_fault(receipt, keys) is not None for receipt in receipts)
        comparisons_or_none = [exchange.comparison(session.session_id, file["number"]) for file in report["files"]]
    comparisons = tuple(comparison for comparison in comparisons_or_none if comparison is not None)
    return Played(program, report, comparisons, len(receipts), faulty)


def _accuracy_checks(played: Sequence[Played]) -> Iterator[TrialCheck]:
    values = [program_played.number("algorithm_accuracy") for program_played in played]
    values_text = " > ".join(fixed(value, PERCENT_PLACES) for value in values)
    yield TrialCheck(say("annotator 1 agrees with the experts perfectly"), values[0] == 100.0, f"{values[0]!r}")
    falling = all(better > worse for better, worse in pairwise(values))
    yield TrialCheck(say("more disturbance is worse, nothing is worst"), falling, values_text)
    experts = {program_played.number("expert_accuracy") for program_played in played}
    name = say("the experts' accuracy is the same for every program")
    yield TrialCheck(name, len(experts) == 1, f"{sorted(experts)}")


def _agreement_checks(played: Sequence[Played], own: Classifier) -> Iterator[TrialCheck]:
    for program_played in played:
        files = len(program_played.report["files"])
        whole = program_played.receipts == files and not program_played.bad_receipts
        receipts, bad = program_played.receipts, program_played.bad_receipts
        finding = say("{receipts} receipts, {bad_receipts} bad", receipts=receipts, bad_receipts=bad)
        yield TrialCheck(_of(program_played, tr("every answer has a receipt with a good signature")), whole, finding)
        here = _recomputed(program_played, own).to_dict()
        differing = [name for name, value in here.items() if program_played.report["result"].get(name) != value]
        names = ", ".join(differing)
        finding = say("differing: {names}", names=names) if differing else say("equal")
        yield TrialCheck(
            _of(program_played, tr("the report is what the library computes here")), not differing, finding
        )
    same = True
    for comparison in played[0].comparisons:
        experts = [load(expert, classifier=own) for expert in comparison.experts]
        there, back = score_essay(None, experts, PARAMS), score_essay(None, experts[::-1], PARAMS)
        same = same and there.expert_accuracy == back.expert_accuracy
    yield TrialCheck(
        say("swapping the experts leaves their accuracy as it is"),
        same,
        say("{swapped} texts", swapped=len(played[0].comparisons)),
    )


def _recomputed(played: Played, own: Classifier) -> SampleScore:
    """Return the session's result from the markups alone, as any participant can compute it."""
    parameters = played.report["parameters"]
    scores = [
        score_essay(
            load(comparison.answer, classifier=own),
            [load(expert, classifier=own) for expert in comparison.experts],
            PARAMS,
        )
        for comparison in played.comparisons
    ]
    languages = {
        subject: language for language, subjects in parameters["track"]["languages"].items() for subject in subjects
    }
    return summarise(scores, parameters["bootstrap_seed"], languages)


def _of(played: Played, promise: Text) -> str:
    return f"{played.program}: {localized(promise)}"


def _verified_by_command(played: Played, scratch: Path, codes: Mapping[str, Any]) -> TrialCheck:
    """Run ``markup-core verify`` on the answers of ``GET …/comparison``."""
    (scratch / "classifier.json").write_text(json.dumps(codes, ensure_ascii=False), "utf-8")
    exit_codes = []
    for index, comparison in enumerate(played.comparisons[:_VERIFIED]):
        path = scratch / f"comparison-{index}.json"
        whole = {"answer": comparison.answer, "experts": list(comparison.experts), "score": comparison.score}
        path.write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
        words = ["verify", str(path), "--classifier", str(scratch / "classifier.json")]
        done = subprocess.run(  # noqa: S603 - our own command with our own words
            [str(Path(sys.executable).with_name("markup-core")), *words], capture_output=True, text=True, check=False
        )
        exit_codes.append(done.returncode)
    return TrialCheck(
        say("markup-core verify agrees"),
        exit_codes == [0] * len(exit_codes) and bool(exit_codes),
        say("exit codes {exit_codes}", exit_codes=exit_codes),
    )


def show_trial(played: Sequence[Played], checks: Sequence[TrialCheck]) -> None:
    """Print both to standard output."""
    console = WholeConsole()
    console.print(_program_rows(played))
    for check in checks:
        mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
        console.print(f"{mark} {check.name} [dim]({check.finding})[/]", highlight=False)
    failed = sum(not check.passed for check in checks)
    passed, total = len(checks) - failed, len(checks)
    console.print(say("{passed} of {total} checks passed", passed=passed, total=total))


def _program_rows(played: Sequence[Played]) -> Table:
    english = ("program", "files", "STAR, %", "STER, %", "OTAR, %", "STAR")
    table = (
        Table(*english) if language() == EN else Table("программа", "файлов", "СТАР, %", "СТЭР, %", "ОТАР, %", "СТАР")
    )
    for program_played in played:
        numbers = [
            program_played.number(name) for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")
        ]
        cells = [number(each_number, 2) for each_number in numbers]
        table.add_row(
            program_played.program, str(len(program_played.report["files"])), *cells, Bar(100, 0, numbers[0], width=30)
        )
    return table
