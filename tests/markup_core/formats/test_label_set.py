"""A label set is made of any corpus: names, groups, colours, spellings that are one, and what is no label set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from markup_core.command.cli import main
from markup_core.formats.corpus import Document, Layer, Span, markups
from markup_core.formats.foreign import FormatError
from markup_core.formats.label_set import LabelSet, label_set
from markup_core.formats.labels import Wanted
from markup_core.reading.classifier import Classifier


def document(*spans: Any) -> Document:
    """Return a document of one layer; a span is a label, or a label with its texts."""
    pairs = [(span, {}) if isinstance(span, str) else span for span in spans]
    layer = Layer(
        "ann", tuple(Span(0, 1, label, texts, place=f"line {n}") for n, (label, texts) in enumerate(pairs, 1))
    )
    return Document("one", "Kyiv", (layer,), source="one.ann")


def codes(labels: LabelSet) -> list[tuple[str, str, str, int]]:
    return [(code["code"], code["category"], code["group"], code["colour"]) for code in labels.codes]


def test_spellings_of_one_label_are_one_code_and_are_told() -> None:
    labels = label_set([document("PER", "per", "Per", "PER", "Loc")], "ner")
    assert codes(labels) == [("PER", "ner", "meaning", 1), ("Loc", "ner", "meaning", 2)]
    assert labels.variants == {"PER": {"PER": 2, "per": 1, "Per": 1}}
    assert labels.times == {"PER": 4, "Loc": 1}
    assert label_set([document("b", "B")]).codes[0]["code"] == "B", "equally frequent: the first by code points"


def test_the_file_is_a_classifier_whose_names_stand_in_both_languages_until_they_are_translated() -> None:
    labels = label_set([document(("G/Case", {"subtype": "noun", "correction": "x"}), "G/Verb", "Other")], "uk")
    classifier = Classifier.from_dict(labels.to_dict())
    assert codes(labels) == [("G/Case", "G", "error", 1), ("G/Verb", "G", "error", 1), ("Other", "uk", "error", 2)]
    case, verb, _ = classifier.codes("uk")
    assert (case.correction, verb.correction, case.subtypes, case.colour) == (True, False, ("noun",), 1)
    assert {case.description[language] for language in ("en", "ru")} == {"G/Case"}
    assert classifier.title("G", "ru") == "G"
    assert (classifier.sole_subject, Classifier.from_dict(classifier.to_dict())) == ("uk", classifier)


def test_codes_are_for_labels_in_any_letter_case_so_that_no_spelling_stays_a_label_of_its_own() -> None:
    documents = [document("PER", "per", "LOC", "loc")]
    renames = {"PER": "Person", "loc": None, "LOC": "Place"}
    labels = label_set(documents, codes=renames)
    assert labels.times == {"Person": 2, "Place": 1}
    listed = markups(documents, Wanted(Classifier.from_dict(labels.to_dict()), "labels", renames))
    assert [fragment.code for fragment in listed[0].markup.fragments] == ["Person", "Person", "Place"]


def test_flags_follow_from_what_a_label_was_seen_with() -> None:
    whole = Document("w", "Kyiv", (Layer("ann", (Span(0, 0, "A"), Span(0, 2, "B", {"tag": "t"}))),))
    first, second = label_set([whole]).codes
    assert (first.get("full_text"), first.get("relation")) == (True, None)
    assert (second.get("full_text"), second.get("relation")) == (None, True)


def test_labels_are_renamed_and_left_out_by_a_mapping_and_spans_without_one_are_counted() -> None:
    labels = label_set([document("PER", "Token", "", "person")], codes={"Token": None, "person": "PER"})
    assert (codes(labels), labels.unlabelled) == ([("PER", "labels", "meaning", 1)], 1)


@pytest.mark.parametrize(
    ("spans", "subject", "problem"),
    [
        ([], "ner", "no annotation has a label"),
        (["PER"], "eng", "eng is a subject of graded essays"),
        (["PER"], " ", "not empty"),
        (["x" * 201], "ner", "one.ann: line 1: a label has at most 200 characters"),
        ([f"w{n}" for n in range(1001)], "ner", "one.ann: line 1001: a label set has at most 1000 labels"),
    ],
)
def test_what_is_no_label_set_is_refused_with_its_place(spans: list[str], subject: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        label_set([document(*spans)], subject)


def test_the_command_writes_the_classifier_of_a_corpus_and_tells_its_spellings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for who, label in (("anna", "LOC"), ("boris", "Loc")):
        (tmp_path / who).mkdir()
        (tmp_path / who / "one.txt").write_text("Kyiv", "utf-8")
        (tmp_path / who / "one.ann").write_text(f"T1\t{label} 0 4\tKyiv\n", "utf-8")
    corpus, written = str(tmp_path), tmp_path / "ner.json"
    command = ["classifier", "from", corpus, "--subject", "ner", "--lang", "en"]
    assert main([*command, "-o", str(written)]) == 0
    assert "one label in several spellings, counted as LOC: LOC (1), Loc (1)" in capsys.readouterr().err
    classifier = Classifier.from_dict(json.loads(written.read_text("utf-8")))
    assert [code.code for code in classifier.codes("ner")] == ["LOC"]
    assert main(["classifier", "from", corpus, "--subject", "eng", "--lang", "en"]) == 2
    assert "eng is a subject of graded essays" in capsys.readouterr().err
