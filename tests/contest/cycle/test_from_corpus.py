"""A corpus becomes a cycle: how its documents are divided, who is which expert, what it lacks, what a barrier means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from contest.cycle.from_corpus import CorpusError, CorpusOrder, cycle_of, judgements_of, read_shares
from contest.cycle.rules.sets import fingerprint, set_of
from markup_core.formats.corpus import Document, Layer, Span
from tests.contest.commands.stage_desk import run
from tracks import registry

ESSAY, GEC = registry.get("essay"), registry.get("gec")
SHARES = {"train": Fraction(1, 2), "test": Fraction(1, 4), "final": Fraction(1, 4)}
ALONE = {"train": Fraction(1)}
NAMES = ("Kyiv", "Lviv", "Odesa")


def document(number: int, *annotators: str, curated: bool = False, count: int = 3) -> Document:
    """Return a document of three names, of which everybody marks as many."""
    text = f"{' '.join(NAMES)} {number}"
    spans = tuple(Span(text.index(name), text.index(name) + len(name), "LOC") for name in NAMES[:count])
    layers = [Layer(name, spans) for name in annotators]
    return Document(f"doc/{number}", text, (*layers, *([Layer("", spans, is_curated=True)] if curated else [])))


def corpus(count: int, *annotators: str) -> list[Document]:
    return [document(number, *(annotators or ("anna", "bob"))) for number in range(count)]


def test_where_a_text_goes_does_not_change_when_documents_are_added_and_follows_the_shares() -> None:
    texts = [fingerprint(f"text {number}") for number in range(2000)]
    placed = [set_of(text, SHARES, 7) for text in texts]
    assert {name: round(placed.count(name) / 2000, 1) for name in SHARES} == {"train": 0.5, "test": 0.3, "final": 0.2}
    few, many = (cycle_of(corpus(count), ESSAY, CorpusOrder(shares=SHARES, seed=1)) for count in (20, 30))
    before, after = ({name for name, _ in cycle.files} for cycle in (few, many))
    assert before < after
    assert set_of(texts[0], SHARES, 7) != set_of(texts[0], SHARES, 8)


def test_one_text_stands_in_one_set_however_its_copies_differ_in_blanks_and_case() -> None:
    twice = [
        Document(f"copy {number}", text, (Layer("a", (Span(0, 4, "LOC"),)), Layer("b", ())))
        for number, text in enumerate([f"Kyiv {n}" for n in range(30)] + [f"KYIV  {n}" for n in range(30)])
    ]
    cycle = cycle_of(twice, ESSAY, CorpusOrder(shares=SHARES, seed=1))
    sets: dict[str, set[str]] = {}
    for name, content in cycle.files:
        if "_exp" not in name:
            sets.setdefault(json.loads(content)["text"].casefold().replace("  ", " "), set()).add(name.split("/")[0])
    assert len(sets) == 30
    assert all(len(names) == 1 for names in sets.values())


def test_annotators_are_experts_in_the_order_of_their_names_and_the_curated_annotation_is_the_third() -> None:
    documents = [*corpus(20, "bob", "Дарина 1"), document(20, "bob", "Дарина 1", curated=True)]
    cycle = cycle_of(documents, ESSAY, CorpusOrder("en", "ner", SHARES))
    assert cycle.experts == {1: "bob", 2: "Дарина 1", 3: ""}
    assert any("curated" in text.en for text in cycle.consequences)
    files = dict(cycle.files)
    [third] = [name for name in files if name.endswith("_exp03.json")]
    reference = json.loads(files[third])
    assert (reference["meta"]["expert"], reference["meta"]["subject"]) == ("03", "ner")
    assert not any("Дарина".encode() in content for content in files.values()), "a corpus's names stay with it"
    item = json.loads(files[third.replace("_exp03", "")])
    assert (item["selections"], item["meta"]["id"]) == ([], "doc-20")


def test_ids_can_be_names_of_files_and_none_is_like_an_experts() -> None:
    names = ["a/b", "A-b", "x_exp01", ".hidden", "й" * 70, "ok"]
    documents = [
        Document(name, f"Kyiv {number}", (Layer("a", (Span(0, 4, "LOC"),)), Layer("b", ())))
        for number, name in enumerate(names)
    ]
    cycle = cycle_of(documents, ESSAY, CorpusOrder(shares=ALONE))
    ids = sorted(name.removeprefix("train/").removesuffix(".json") for name, _ in cycle.files if "_exp" not in name)
    assert ids == sorted(["a-b", "A-b-2", "x_-01", "-hidden", "й" * 64, "ok"])


def test_documents_of_one_annotator_are_for_training_alone_and_it_is_said() -> None:
    lonely = document(99, "anna")
    empty = Document("empty", " \n", (Layer("anna", ()), Layer("bob", ())))
    cycle = cycle_of([*corpus(20), lonely, empty], ESSAY, CorpusOrder(shares=SHARES))
    assert "train/doc-99.json" in dict(cycle.files)
    assert [text.en.partition(":")[0] for text in cycle.consequences[:2]] == [
        "documents without a text are left out",
        "1 documents have too few annotators for a hidden set and go to the training set",
    ]
    assert not any("too few" in text.en for text in cycle_of([lonely], ESSAY, CorpusOrder(shares=ALONE)).consequences)
    with pytest.raises(CorpusError, match="training set alone: give it a share"):
        cycle_of([*corpus(20), lonely], ESSAY, CorpusOrder(shares=read_shares("0/50/50")))


@pytest.mark.parametrize(
    ("documents", "order", "code"),
    [
        (corpus(20, "anna"), CorpusOrder(), "one_annotator"),
        (corpus(1), CorpusOrder(), "too_few_texts"),
        (corpus(3), CorpusOrder(seed=5), "empty_set"),
        (corpus(20), CorpusOrder(subject="rus"), "unreadable_corpus"),
        ([document(0, *map(str, range(100)))], CorpusOrder(), "too_many_annotators"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(documents: list[Document], order: CorpusOrder, code: str) -> None:
    with pytest.raises(CorpusError) as caught:
        cycle_of(documents, ESSAY, order)
    fault = caught.value.fault
    assert fault.code == code
    assert fault.message.ru != fault.message.en


def test_one_annotator_is_enough_where_no_barrier_is_measured_by_people_and_corrections_are_told() -> None:
    spans = (Span(5, 9, "R:SPELL", {"correction": "market"}), Span(0, 1, "M:DET", {"correction": "The I"}))
    documents = [Document(f"{n}", f"I to markt {n} .\nEnd", (Layer("", spans),)) for n in range(20)]
    cycle = cycle_of(documents, GEC, CorpusOrder("eng", "own", SHARES))
    assert (cycle.classifier, cycle.people, cycle.agreement.couples) == ("default", {}, ())
    files = dict(cycle.files)
    name = next(name for name in files if name.endswith("/3.json"))
    item, reference = json.loads(files[name]), json.loads(files[name.replace(".json", "_exp01.json")])
    assert item == {"id": "3", "language": "eng", "source": "own", "sentences": ["I to markt 3 .", "End"]}
    edits = [(edit["start"], edit["end"], edit["correction"], edit["type"]) for edit in reference["edits"]]
    assert edits == [(0, 0, "The", "M:DET"), (2, 3, "markett", "R:SPELL")], "a span that cuts a token leaves its rest"
    with pytest.raises(CorpusError, match="take --track essay"):
        cycle_of(corpus(20), GEC, CorpusOrder())
    with pytest.raises(CorpusError, match="exam are not made of annotations"):
        cycle_of(corpus(20), registry.get("exam"), CorpusOrder())


def judged(marks: Mapping[int, int], count: int = 60) -> Any:
    """Return the judgement on the test set of a corpus in which the second annotator finds fewer names."""
    documents = []
    for number in range(count):
        text = f"{' '.join(NAMES)} {number}"
        spans = [Span(text.index(name), text.index(name) + len(name), "LOC") for name in NAMES]
        second = spans[: marks[number % len(marks)]]
        documents.append(Document(str(number), text, (Layer("anna", tuple(spans)), Layer("bob", tuple(second)))))
    order = CorpusOrder(shares={"train": Fraction(1, 10), "test": Fraction(9, 10)})
    return cycle_of(documents, ESSAY, order).people["test"]


def test_a_barrier_means_something_where_people_agree_alike_on_all_texts() -> None:
    people = judged({0: 3, 1: 3, 2: 3, 3: 2})
    assert people.reasons == ()
    low, high = people.interval
    assert 90 < low < 100 < high < 110
    assert people.blank == 0


@pytest.mark.parametrize(
    ("marks", "count", "codes"),
    [
        ({0: 3, 1: 0}, 60, ["wide_interval", "empty_overcomes"]),
        ({0: 0}, 60, ["no_agreement"]),
        ({0: 3}, 2, ["too_few_texts"]),
    ],
)
def test_the_human_interval_says_why_a_barrier_is_void(marks: Mapping[int, int], count: int, codes: list[str]) -> None:
    assert [reason.code for reason in judged(marks, count).reasons] == codes


def test_a_missing_interval_is_not_told_and_a_program_that_marks_nothing_must_not_come_into_one() -> None:
    """Check forty texts of which two annotators mark the same one and no other."""
    few = [text for text, _ in judgements_of(cycle_of(corpus(2), ESSAY, CorpusOrder(shares={"test": Fraction(1)})))]
    assert few[1].en == (
        "test: people agree to 100.0 %; a program that marks nothing would come to 0.0 % of the barrier"
    )
    (wide, *_) = judged({0: 3, 1: 0}).reasons
    assert "." not in wide.message.ru
    assert " % барьера" in wide.message.ru
    documents = [document(number, "anna", "bob", count=3 * (number == 5)) for number in range(40)]
    people = cycle_of(documents, ESSAY, CorpusOrder(shares={"test": Fraction(1)})).people["test"]
    assert "empty_overcomes" in [reason.code for reason in people.reasons]


@pytest.mark.parametrize("text", ["60/20", "a/b", "50/60/-10", "25/25/25/25", "", "1/0/99/0"])
def test_shares_that_do_not_make_a_hundred_are_refused(text: str) -> None:
    with pytest.raises(CorpusError, match="make 100"):
        read_shares(text)
    assert read_shares("80/20") == {"train": Fraction(4, 5), "test": Fraction(1, 5)}
    assert read_shares("0/50/50") == {"test": Fraction(1, 2), "final": Fraction(1, 2)}


def brat(folder: Path, count: int = 24) -> Path:
    """Write a corpus of brat: a folder for each of two annotators."""
    for who in ("anna", "bob"):
        (folder / who).mkdir(parents=True)
        for number in range(count):
            text = f"{' '.join(NAMES)} {number}"
            (folder / who / f"{number}.txt").write_text(text, "utf-8")
            label = "loc" if number == 0 else "LOC"
            line = f"T1\t{label} 0 4\tKyiv\nR1\tNear Arg1:T1 Arg2:T1\n"
            (folder / who / f"{number}.ann").write_text(line, "utf-8")
    return folder


def test_the_command_writes_a_cycle_that_passes_its_check_and_says_what_it_consists_of(tmp_path: Path) -> None:
    place, source = tmp_path / "own", str(brat(tmp_path / "corpus"))
    result = run("cycle", "create", str(place), "--from", source, "--language", "en=ner", "--split", "50/25/25")
    assert result.exit_code == 0, result.output
    for sentence in (
        "01 = anna, 02 = bob",
        "LOC 48",
        "Krippendorff's alpha over words: 1.0000",
        "a barrier means something",
    ):
        assert sentence in result.stdout
    for warning in ("LOC (46), loc (2)", "relations: 48", "nobody has decided where"):
        assert warning in " ".join(result.stderr.split())
    checked = run("cycle", "check", str(place))
    assert (checked.exit_code, "nothing is wrong" in checked.stdout) == (0, True), checked.output
    again = run("cycle", "create", str(place), "--from", source)
    assert (again.exit_code, "is not empty" in again.stderr) == (1, True)
    alone = run("cycle", "create", str(tmp_path / "b"), "--from", str(tmp_path / "corpus" / "anna"))
    assert (alone.exit_code, "no text has 2 annotators" in alone.stderr) == (1, True)
    assert not (tmp_path / "b").exists()
