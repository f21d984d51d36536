"""The contests' demonstration data (T18): as many as are promised, in the contests' own files, valid and consistent."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from contest.cycle import file as cycle_file
from contest.cycle.commands.folders import Folder
from contest.cycle.set_files import Contest, check_set
from local.environment import folder_of
from local.submissions.engines import run, strongest
from local.submissions.job import Job
from pku.pilot import archive
from pku.pilot.fusion import UnreadableError, read_jpeg
from tracks import registry
from tracks.exam.tasks import TASKS
from tracks.fusion.archive import check, unpack
from tracks.fusion.c2c import laid_out
from tracks.fusion.subtasks import Subtask
from tracks.gec.items import Direction, GoldEdit, Scope, read_gold, text_of
from tracks.gec.operations import by_context, by_need
from tracks.protocol import Outcome


def read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


class Demonstration:
    """A contest with its demonstration cycle; ``parameters`` picks them from the cycle's head, else the usual ones."""

    def __init__(self, name: str, parameters: Callable[[Any], Any] = lambda _: {}) -> None:
        self.folder, self.track = folder_of(name), registry.get(name)
        self.head = read_json(self.folder / "cycle.json")
        self.parameters: Any = self.track.read_parameters(parameters(self.head))[0]

    def aggregated(self, entries: Iterable[tuple[Any, Any, Sequence[Any]]]) -> Any:
        """Return the aggregate of items with their answers and references; an answer may be missing."""
        outcomes = []
        for item, answer, references in entries:
            facts, reasons = self.track.read_item(item, self.parameters)
            assert (facts is not None, reasons) == (True, ())
            score = self.track.score(item, answer, references, self.parameters)
            outcomes.append(Outcome(facts, answer is not None, score))
        return self.track.aggregate(outcomes, self.parameters, 1)


def without_technical(head: Any) -> Any:
    return {name: value for name, value in head["parameters"].items() if name != "technical"}


def with_languages(head: Any) -> Any:
    return {**head["parameters"], "classifier": "default", "languages": head["languages"]}


DIAGNOSIS = Demonstration("diagnosis", without_technical)
EXAM = Demonstration("exam", with_languages)
GEC, FUSION = Demonstration("gec"), Demonstration("fusion")
NOSOLOGIES = DIAGNOSIS.head["languages"]["rus"]


def epicrises(name: str) -> list[tuple[Any, Any]]:
    """List the items of a set with their references."""
    outcome = DIAGNOSIS.track.unpack(
        {each.name: each.read_bytes() for each in (DIAGNOSIS.folder / name).iterdir()}, DIAGNOSIS.parameters
    )
    assert outcome.reasons == ()
    reply = {name: json.loads(body) for name, body in outcome.files.items() if name.endswith(".json")}
    items = [name for name in reply if "_exp" not in name]
    return [(reply[item], reply[item.replace(".json", "_exp01.json")]) for item in sorted(items)]


@pytest.mark.clause("TS T18")
def test_the_semifinal_has_six_ill_and_six_healthy_of_each_nosology_in_two_versions() -> None:
    outcome = epicrises("semifinal")
    groups = Counter((item["nosology"], reference["ill"]) for item, reference in outcome)
    assert groups == Counter({(name, ill): 6 for name in NOSOLOGIES for ill in (True, False)})
    assert (len(outcome), len(NOSOLOGIES)) == (72, 6)
    assert {tuple(sorted(item["versions"])) for item, _ in outcome} == {("v2", "v3")}


@pytest.mark.clause("TS T18")
def test_dialogues_have_twenty_four_epicrises_of_three_studies_and_more() -> None:
    outcome = epicrises("train")
    assert Counter(item["nosology"] for item, _ in outcome) == Counter(dict.fromkeys(NOSOLOGIES, 4))
    assert len(outcome) == 24
    assert {tuple(item["versions"]) for item, _ in outcome} == {("v3F",)}
    assert min(len(item["studies"]) for item, _ in outcome) >= 3


@pytest.mark.clause("TS T18")
def test_every_epicrisis_and_reference_is_taken_and_no_text_is_there_twice() -> None:
    texts = list[str]()
    for name in ("semifinal", "train"):
        for item, reference in epicrises(name):
            assert DIAGNOSIS.track.read_item(item, DIAGNOSIS.parameters)[1] == ()
            assert DIAGNOSIS.track.read_reference(item, reference, DIAGNOSIS.parameters) == ()
            texts += DIAGNOSIS.track.texts(item)
    assert len(set(texts)) == len(texts)


PUBLISHED = {name: read_json(EXAM.folder / name / "use.json") for name in ("train", "test")}
ITEMS = [each for items in PUBLISHED.values() for each in items]


def result(answer_of: Any, items: list[Any]) -> Any:
    """Return the track's aggregate of these answers."""
    return EXAM.aggregated((item, answer_of(item), [{"outputs": item["outputs"]}]) for item in items)


def first(item: Any) -> str:
    """Return the first of the right answers that a text's gold lists; of others the whole."""
    gold: str = item["outputs"]
    return gold.partition(",")[0] if item["meta"]["type"] == "text" else gold


@pytest.mark.parametrize("name", ["train", "test"])
def test_a_set_is_unpacked_without_a_fault_and_hides_its_answers(name: str) -> None:
    body = (EXAM.folder / name / "use.json").read_bytes()
    reply = EXAM.track.unpack({"use.json": body}, EXAM.parameters)
    assert reply.reasons == ()
    assert len(reply.files) == 2 * len(PUBLISHED[name])
    for item in PUBLISHED[name]:
        document = json.loads(reply.files[f"{item['meta']['id']}.json"])
        reference = json.loads(reply.files[f"{item['meta']['id']}_exp01.json"])
        assert reference == {"outputs": item["outputs"]}
        assert EXAM.track.read_reference(document, reference, EXAM.parameters) == ()
        assert "outputs" not in json.dumps(EXAM.track.hand_out(document, "f1", "task"))


@pytest.mark.clause("TS T18")
def test_there_are_three_whole_variants_of_thirty_tasks() -> None:
    tasks = Counter((each["meta"]["variant"], each["meta"]["id_task"]) for each in ITEMS)
    assert tasks == Counter({(variant, task): 1 for variant in (1, 2, 3) for task in TASKS})
    assert {each["meta"]["variant"] for each in PUBLISHED["train"]} == {1, 2}
    assert len({each["meta"]["id"] for each in ITEMS}) == 90


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_the_right_answers_are_worth_all_points_and_the_pilots_few(variant: int) -> None:
    items = [each for each in ITEMS if each["meta"]["variant"] == variant]
    assert result(first, items)["grade_norm"] == 1
    pilots = result(lambda _: "1", items)
    assert pilots["grade_norm"] < 0.3
    assert list(pilots["variants"]) == [str(variant)]


def test_every_choice_of_an_answer_is_there_to_be_chosen() -> None:
    chosen = [each for each in ITEMS if each["meta"]["type"] != "text"]
    assert chosen
    for item in chosen:
        offered = item["inputs"]["choices"] or item["inputs"]["text"]
        for number in item["outputs"].split(","):
            assert f"{number})" in offered or f"({number})" in offered, item["meta"]["id"]


FILE_ID: Final = "abcdefgh12345678"
ANNOTATORS: Final = (1, 2, 3)
SIZES: Final = {"train": 40, "test": 20}
ERRANT: Final = frozenset(
    "ADJ ADJ:FORM ADV CONJ CONTR DET MORPH NOUN NOUN:INFL NOUN:NUM NOUN:POSS ORTH OTHER PART PREP PRON PUNCT SPELL"
    " VERB VERB:FORM VERB:INFL VERB:SVA VERB:TENSE WO".split()
)
OF_THE_SOURCE: Final = frozenset({"LINK", "REF", "LEX", "SYN", "VERB:MODAL"})
"""Types of the concentrated data set that ERRANT does not have (G, Appendices B and C)."""


class Corrected(NamedTuple):
    """A text with the gold edits of each annotator."""

    folder: str
    item: Any
    references: tuple[Any, ...]

    @property
    def tokens(self) -> list[str]:
        return text_of(self.item).tokens

    def gold(self, annotator: int) -> list[GoldEdit]:
        return read_gold(self.references[annotator - 1], len(self.tokens))[0]


def _texts() -> Iterator[Corrected]:
    for folder in SIZES:
        for path in sorted((GEC.folder / folder).glob("*.json")):
            if "_exp" not in path.name:
                marked = [path.with_name(f"{path.stem}_exp{number:02}.json") for number in ANNOTATORS]
                yield Corrected(folder, read_json(path), tuple(map(read_json, marked)))


TEXTS: Final = tuple(_texts())
WIDE: Final = [edit for each in TEXTS for number in ANNOTATORS for edit in each.gold(number) if edit.context_dependent]


def each_text(check: Callable[[Corrected], None]) -> Callable[[], None]:
    """Make one test of all texts; pytest shows the text of a failure."""

    def test() -> None:
        for text in TEXTS:
            check(text)

    return test


def corrected(tokens: Sequence[str], edits: Sequence[GoldEdit]) -> list[str]:
    """Return the tokens after an annotator's edits; a correction with a blank too many leaves an empty one."""
    actual = list(tokens)
    for gold in sorted(edits, key=lambda each: (each.edit.start, each.edit.end), reverse=True):
        actual[gold.edit.start : gold.edit.end] = gold.edit.correction.split(" ") if gold.edit.correction else []
    return actual


def aggregate(answers: Sequence[Any]) -> Any:
    """Aggregate a session over all texts, answered in their order."""
    return GEC.aggregated((text.item, answer, text.references) for text, answer in zip(TEXTS, answers, strict=True))


def answer_of(text: Corrected, annotator: int) -> Any:
    """Return an annotator's edits as a program sends them."""
    named = ("start", "end", "correction", "type")
    sent = {"edits": [{name: edit[name] for name in named} for edit in text.references[annotator - 1]["edits"]]}
    verdict = GEC.track.validate(text.item, FILE_ID, "text", json.dumps(sent).encode(), GEC.parameters)
    assert verdict.valid
    return verdict.canonical


@pytest.mark.clause("TS T18")
def test_there_are_sixty_texts_of_three_annotators_and_nothing_else() -> None:
    assert Counter(text.folder for text in TEXTS) == SIZES
    for folder, size in SIZES.items():
        assert len(list((GEC.folder / folder).iterdir())) == size * (1 + len(ANNOTATORS))
    assert len({text.item["id"] for text in TEXTS}) == sum(SIZES.values())
    assert len({GEC.track.texts(text.item) for text in TEXTS}) == sum(SIZES.values())


def test_the_cycle_file_names_the_sets_and_every_corpus() -> None:
    file, faults = cycle_file.read(GEC.head, GEC.track.policies("algorithmic"))
    assert faults == ()
    assert file is not None
    assert file.track == GEC.track.name
    assert {source.folder for source in file.sets.values()} == set(SIZES)
    assert set(file.languages["eng"]) == {text.item["source"] for text in TEXTS}
    for folder in SIZES:
        assert {text.item["source"] for text in TEXTS if text.folder == folder} == set(file.languages["eng"])


@pytest.mark.parametrize("folder", SIZES)
def test_a_set_is_read_without_a_fault(folder: str) -> None:
    languages = {"eng": tuple(GEC.head["languages"]["eng"])}
    checked, faults = check_set(
        Contest(GEC.track, GEC.parameters, languages), folder, Folder(GEC.folder), lambda _: None
    )
    assert faults == []
    assert checked.ignored == ()
    assert [len(item.references) for item in checked.manifest.items] == [len(ANNOTATORS)] * SIZES[folder]


@each_text
def test_an_annotators_edits_change_the_text_and_leave_no_doubled_blank(text: Corrected) -> None:
    versions = []
    for number in ANNOTATORS:
        outcome = corrected(text.tokens, text.gold(number))
        assert outcome != text.tokens
        assert all(outcome), outcome
        assert not re.search(r"\s\s|\s$", " ".join(outcome))
        versions.append(outcome)
    assert len({tuple(outcome) for outcome in versions}) > 1, "the annotators do not differ"


@each_text
def test_every_edit_changes_something_and_is_named_by_what_it_does(text: Corrected) -> None:
    for number in ANNOTATORS:
        for start, end, label, correction, _ in (gold.edit for gold in text.gold(number)):
            assert correction.split() != text.tokens[start:end]
            operation, _, kind = label.partition(":")
            assert operation == ("M" if start == end else "R" if correction else "U"), (start, end, label)
            assert kind in ERRANT | OF_THE_SOURCE


@pytest.mark.clause("TS T18")
def test_all_that_the_source_tells_apart_about_context_occurs() -> None:
    assert len(WIDE) >= 30
    rows = by_context(WIDE)
    assert {direction for direction, _ in rows} == set(Direction)
    assert {scope for row in rows.values() for scope in row} == set(Scope)
    assert {distance for direction, distance in rows if direction is Direction.LEFT} >= {"1", "2", "3"}
    needs = by_need(WIDE)
    assert needs.pop("unknown") == 0
    assert all(needs.values())
    assert {gold.edit.type.partition(":")[2] for gold in WIDE} >= {"PRON", "PUNCT", "REF", "VERB:TENSE", "LINK", "DET"}


def test_each_context_lies_within_its_text_and_each_group_has_several_edits() -> None:
    for text in TEXTS:
        groups = Counter(gold.group for gold in text.gold(1) if gold.group)
        assert all(size > 1 for size in groups.values()), text.item["id"]
        item = text_of(text.item)
        ends = [len(" ".join(item.sentences[: number + 1]).split()) for number in range(len(item.sentences))]
        for gold in text.gold(1):
            if gold.context is not None and gold.context.scope is Scope.SENTENCE:
                first = next(number for number, end in enumerate(ends) if gold.edit.start < end)
                last = next(number for number, end in enumerate(ends) if gold.edit.end <= end)
                # What joins two sentences looks from the second one to the first.
                assert gold.context.left <= max(first, last), (text.item["id"], gold)
                assert gold.context.right < len(ends) - first, (text.item["id"], gold)


def test_context_is_marked_by_one_annotator_as_the_evaluation_wants() -> None:
    marked = {number for text in TEXTS for number in ANNOTATORS if any(g.context_dependent for g in text.gold(number))}
    assert marked == {1}


def test_the_first_annotators_edits_are_a_perfect_answer() -> None:
    outcome = aggregate([answer_of(text, 1) for text in TEXTS])
    assert (outcome["correction"]["f"], outcome["correction"]["fn"], outcome["correction"]["fp"]) == (1.0, 0, 0)
    assert (outcome["concentrated"]["f"], outcome["concentrated"]["tp"]) == (1.0, len(WIDE))


def test_without_any_edits_nothing_is_found() -> None:
    outcome = aggregate([None if number % 2 else {"edits": []} for number in range(len(TEXTS))])
    assert outcome["correction"]["recall"] == outcome["concentrated"]["recall"] == 0
    assert outcome["correction"]["tp"] == outcome["correction"]["fp"] == 0


@each_text
def test_no_gold_stands_in_what_is_handed_out(text: Corrected) -> None:
    outcome = GEC.track.hand_out(text.item, FILE_ID, "text")
    assert outcome == {"id": FILE_ID, "sentences": text.item["sentences"], "tokens": text.tokens}
    assert text.item.keys() == {"id", "language", "source", "sentences"}
    assert 2 <= len(text.item["sentences"]) <= 5


SETS: Final = ("public", "private")
FILES = {"C2C": "requests.json", "zsOD": "requests.json", "VQA": "questions.json"}


def requests_of(folder: Path, subtask: Subtask) -> Any:
    """Return the requests as an item of the track has them."""
    place = folder / "input" / subtask.value
    if subtask is Subtask.HTR:
        return sorted(each.name for each in (place / "images").iterdir())
    return read_json(place / FILES[subtask.value])


def items(name: str) -> list[tuple[Any, Any]]:
    """List the items of a set with their references."""
    folder = FUSION.folder / name
    return [
        (
            {"id": subtask.value, "subtask": subtask.value, "requests": requests_of(folder, subtask)},
            read_json(folder / "true" / f"true_{subtask.value}.json"),
        )
        for subtask in Subtask
    ]


@pytest.mark.clause("TS T18")
@pytest.mark.parametrize("name", SETS)
def test_a_set_has_twenty_tests_of_each_subtask_that_the_track_takes(name: str) -> None:
    for item, truth in items(name):
        facts, reasons = FUSION.track.read_item(item, FUSION.parameters)
        assert reasons == ()
        assert facts.group == item["subtask"]
        assert FUSION.track.read_reference(item, truth, FUSION.parameters) == ()
        assert len(truth) == len(item["requests"]) == 20


@pytest.mark.parametrize("name", SETS)
def test_true_answers_are_worth_the_most_and_none_nothing(name: str) -> None:
    for answers, worth in ((True, 4.0), (False, 0.0)):
        entries = []
        for item, truth in items(name):
            answer = truth if answers else None
            if answers and item["subtask"] == "VQA":
                answer = {key: each["answer"] for key, each in truth.items()}
            entries.append((item, answer, [truth]))
        assert FUSION.aggregated(entries)["s"] == pytest.approx(worth)


def test_the_sets_ask_different_things_in_both_languages() -> None:
    public, private = (dict(zip(Subtask, items(name), strict=True)) for name in SETS)
    for subtask in (Subtask.C2C, Subtask.HTR):
        assert not set(public[subtask][1].values()) & set(private[subtask][1].values())
    for element in (public, private):
        languages = [question["lang"] for question in element[Subtask.VQA][1].values()]
        assert languages.count("ru") == languages.count("en") == 10
        assert len({question["answer"] for question in element[Subtask.VQA][1].values()}) >= 6


JAVA, TRUE = (
    [source for name in SETS for source in read_json(FUSION.folder / name / file).values()]
    for file in ("input/C2C/requests.json", "true/true_C2C.json")
)
PYTHON = {source.split()[1]: source for source in TRUE}


def test_no_function_stands_there_twice_and_names_are_the_same_in_both_languages() -> None:
    assert len(PYTHON) == 40
    assert [java.partition(" (")[0].rpartition(" ")[2] for java in JAVA] == [*PYTHON]


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("total", ([1, 2, 3],), 6),
        ("product", ([2, 3, 4],), 24),
        ("largest", ([3, 9, 4],), 9),
        ("lastIndexOfZero", ([0, 1, 0, 2],), 2),
        ("factorial", (5,), 120),
        ("gcd", (12, 18), 6),
        ("fibonacci", (10,), 55),
        ("digits", (1234,), 4),
        ("repeat", ("ab", 3), "ababab"),
        ("smallest", ([3, 1, 4],), 1),
        ("alternating", ([5, 1, 5],), 9),
        ("steps", ([1, 1, 2],), 1),
        ("weighted", ([1, 2],), 5),
        ("power", (2, 10), 1024),
        ("sumOfDigits", (987,), 24),
        ("isPrime", (97,), True),
        ("collatz", (6,), 8),
        ("indexOf", ([4, 5], 5), 1),
        ("triangle", (4,), 10),
        ("between", (2, 1, 3), True),
        ("celsius", (212,), 100),
    ],
)
def test_a_true_answer_laid_out_again_does_what_its_name_says(name: str, arguments: Any, result: Any) -> None:
    found: dict[str, Any] = {}
    exec(laid_out(PYTHON[name]), found)  # noqa: S102 - our own function
    assert found[name](*arguments) == result


COLOURS = {
    "red|красн": (205, 35, 40),
    "green|зелён": (35, 140, 60),
    "blue|син": (40, 70, 200),
    "yellow|жёлт": (235, 205, 40),
    "purple|фиолет": (130, 50, 160),
}
KINDS = ("ball|мяч", "box|короб", "tent|палат", "kite|зме", "egg|я[йи]")


def is_there(classes: Any, word: str) -> int:
    """Return how many things of a kind or colour a picture's classes with boxes hold."""
    return sum(len(boxes) for name, boxes in classes.items() if re.search(word, name))


@pytest.mark.clause("TS T18")
@pytest.mark.parametrize("name", SETS)
def test_boxes_hold_things_of_their_class_and_answers_are_those_of_the_picture(name: str) -> None:
    scenes = {item["subtask"]: (item["requests"], truth) for item, truth in items(name)}
    for file, classes in [*scenes["zsOD"][1].items()][::4]:  # decoding one takes long
        picture = read_jpeg((FUSION.folder / name / "input" / "zsOD" / "images" / file).read_bytes()).astype(int)
        assert picture.shape == (120, 160, 3)
        empty = np.ones(picture.shape[:2], dtype=bool)
        for shown, (left, top, width, height) in ((key, box) for key, boxes in classes.items() for box in boxes):
            colour = next(value for words, value in COLOURS.items() if re.search(words, shown))
            part = np.abs(picture[top : top + height, left : left + width] - colour).max(axis=2) < 60
            assert all(edge.any() for edge in (part[0], part[-1], part[:, 0], part[:, -1])), (file, shown)
            empty[max(top - 8, 0) : top + height + 8, max(left - 8, 0) : left + width + 8] = False
        assert np.ptp(picture[empty], axis=0).max() <= 4, "nothing stands outside the boxes"
        assert sum(not boxes for boxes in classes.values()) >= sum(bool(boxes) for boxes in classes.values())
    for number, question in scenes["VQA"][0].items():
        classes, asked = scenes["zsOD"][1][question["file_name"]], question["question"]
        kind, answer = next(words for words in KINDS if re.search(words, asked)), scenes["VQA"][1][number]["answer"]
        if "colour" in asked or "цвета" in asked:
            colour_words = next(words for words in COLOURS if re.search(words, answer))
            assert [is_there(classes, f"({colour_words}).*({kind})"), is_there(classes, kind)] == [1, 1]
        elif "many" in asked or "Сколько" in asked:
            assert answer == str(is_there(classes, kind))
        else:
            assert (answer in {"yes", "да"}) == (is_there(classes, kind) > 0)


@pytest.mark.parametrize("content", [b"", b"GIF89a and so on", b"\xff\xd8\xff\xd9", "cut"])
def test_a_picture_that_the_pilot_cannot_read_is_refused(content: bytes | str) -> None:
    if isinstance(content, str):
        content = (FUSION.folder / "public" / "input" / "VQA" / "images" / "0.jpg").read_bytes()[:-12]
    with pytest.raises(UnreadableError):
        read_jpeg(content)


@pytest.mark.clause("TS T16")
def test_the_pilots_archive_is_a_submission_and_the_same_bytes_each_time() -> None:
    body = archive()
    assert archive() == body
    checked = check(io.BytesIO(body))
    assert (checked.reasons, checked.warnings) == ((), ())
    assert checked.metadata is not None
    assert checked.metadata.entry_point == "python -m fusion_pilot"
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        assert {each.date_time for each in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {each.compress_type for each in opened.infolist()} == {zipfile.ZIP_STORED}
    assert hashlib.sha256(archive("team/other:1")).digest() != hashlib.sha256(body).digest()


@pytest.mark.integration
@pytest.mark.skipif(sys.platform != "linux", reason="the engines are Linux's")
@pytest.mark.clause("TS T16", "TS F-2", "TS F-6")
@pytest.mark.parametrize(
    "name", [command if command == "private" else pytest.param(command, marks=pytest.mark.long) for command in SETS]
)
def test_the_pilot_answers_all_four_and_stays_below_the_minimum(name: str, tmp_path: Path) -> None:
    work, outputs = tmp_path / "work", tmp_path / "outputs"
    unpack(io.BytesIO(archive()), work)
    outputs.mkdir()
    finished = run(Job("python -m fusion_pilot", work, FUSION.folder / name / "input", outputs), strongest())
    assert finished.cause is None, finished.stderr
    assert sorted(each.name for each in finished.outputs) == sorted(f"prediction_{each.value}.json" for each in Subtask)
    entries = []
    for item, truth in items(name):
        body = (outputs / f"prediction_{item['subtask']}.json").read_bytes()
        verdict = FUSION.track.validate(item, "", "test", body, FUSION.parameters)
        assert (verdict.reasons, verdict.warnings) == ((), ())
        entries.append((item, verdict.canonical, [truth]))
    outcome = FUSION.aggregated(entries)
    assert 1.0 < outcome["s"] < 2.5
    assert FUSION.track.overcame(outcome, "") is False


def test_the_pilot_leaves_out_what_is_not_asked(tmp_path: Path) -> None:
    unpack(io.BytesIO(archive()), tmp_path / "work")
    place = tmp_path / "work"
    (place / "output").mkdir()
    (place / "input/C2C").mkdir(parents=True)
    (place / "input/C2C/requests.json").write_text('{"0": "static int one ( ) { return 1 ; }"}', "utf-8")
    done = subprocess.run([sys.executable, "-m", "fusion_pilot"], cwd=place, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [each.name for each in (place / "output").iterdir()] == ["prediction_C2C.json"]
    predicted = json.loads((place / "output/prediction_C2C.json").read_text("utf-8"))
    assert predicted == {"0": "def one ( ) : NEW_LINE INDENT return 1 NEW_LINE DEDENT"}
