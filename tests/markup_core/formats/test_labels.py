"""Labels of other tools: a code where the classifier knows it, else what the mapping says, else a clear error.

A label set is made of any corpus: names, groups, colours, spellings that are one, and what is no label set.

UTF-16 code units and bytes become code points; combining characters are code points of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command.cli import main
from markup_core.formats.corpus import Document, Imported, Layer, Offsets, Span, Units, markups, quoted_span
from markup_core.formats.foreign import WORDING, FormatError, Loss
from markup_core.formats.labels import LabelSet, Wanted, label_set
from markup_core.reading.classifier import Classifier
from markup_core.texts import EN, RU, in_language
from tests.markup_core.formats import reading

ANN = "T1\tГ.СЛОВ 0 3\tКот\nT2\tPerson 0 3\tКот\nT3\tToken 0 3\tКот\n"


def read(text: str, ann: str, wanted: Wanted) -> Imported:
    (imported,) = reading.read("brat", ann, wanted, {"one.txt": text})
    return imported


def test_a_known_code_is_taken_whatever_its_case_a_mapped_one_is_spelled_as_listed() -> None:
    got = read("Кот", ANN, Wanted(subject="rus", codes={"Person": "г.упр", "Token": None, "Г.СЛОВ": "Г.упр"}))
    assert [fragment.code for fragment in got.markup.fragments] == ["Г.СЛОВ", "Г.упр"]
    assert [fragment.group for fragment in got.markup.fragments] == ["error", "error"]
    assert got.losses == (Loss("labels", 1),)


def test_all_unknown_labels_are_told_with_their_places_and_what_to_do() -> None:
    with pytest.raises(FormatError) as caught:
        read("Кот", ANN, Wanted(subject="rus"))
    assert str(caught.value) == (
        'one.ann: line 2: the label "Person" is no code of the subject rus; nor are "Token" (one.ann: line 3); '
        'name their codes by --codes FILE: {"Person": "…", "Token": "…"}, null leaves a label out'
    )


def test_places_and_long_labels_are_told_in_russian_too() -> None:
    long = f"T1\t{'Ж' * 100_000} 0 3\tКот\nT2\t{'Щ' * 70} 0 3\tКот\n"
    with pytest.raises(FormatError) as caught:
        read("Кот", long, Wanted(subject="rus"))
    russian = in_language(caught.value.text, RU)
    assert russian.startswith("one.ann: строка 1: ")
    assert "(one.ann: строка 2)" in russian
    assert (russian.count("(100000 знаков)"), russian.count("(70 знаков)")) == (2, 2)


def test_a_near_code_is_suggested() -> None:
    with pytest.raises(FormatError, match=r"did you mean Г\.слов\?"):
        read("Кот", "T1\tГ.слово 0 3\tКот\n", Wanted(subject="rus"))


def test_a_mapping_to_an_unknown_code_is_refused() -> None:
    with pytest.raises(FormatError, match=r'--codes: "Person" stands for "Ы\.ы", which is no code'):
        read("Кот", ANN, Wanted(subject="rus", codes={"Person": "Ы.ы"}))


@pytest.mark.parametrize("subject", ["", "geo"])
def test_a_subject_is_needed_and_the_known_ones_are_named(subject: str) -> None:
    with pytest.raises(FormatError, match=r"--subject rus\|lit"):
        read("Кот", ANN, Wanted(subject=subject))


@pytest.mark.parametrize("kind", WORDING)
def test_every_loss_reads_in_both_languages(kind: str) -> None:
    russian, english = Loss(kind, 3).text("ru"), Loss(kind, 3).text("en")
    assert russian.endswith(": 3")
    assert english.endswith(": 3")
    assert russian != english
    assert Loss(kind, 3, "line 2").text("en") == f"{english} (first: line 2)"
    assert Loss(kind, 3).to_dict() == {"kind": kind, "count": 3}


def test_a_classifiers_only_subject_is_that_of_every_file() -> None:
    """A label set that `markup-core classifier from` made of an export reads that export, whatever it names."""
    own = Classifier.from_dict({"subjects": {"labels": [{"code": "PER", "group": "error"}]}})
    assert Wanted(own).labels("rus").subject == "labels"
    document = Document("d", "Кот", (Layer("", ()), Layer("Анна", ())), {"subject": "rus"})
    first, second = markups([document], Wanted(own))
    assert ([loss.text(EN)[-17:] for loss in first.losses], second.losses) == ([' 1 (first: "rus")'], ())
    with pytest.raises(FormatError, match="has no subject"):
        Wanted().labels("nowhere")


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


PIECES = st.sampled_from(["a", "я", "😀", "👨🏻‍🚒", "e\u0301", "й", "\r\n", "𝔸", "\uffff", "\U00010000", "\ufeff"])


@pytest.mark.parametrize(("units", "encoding", "width"), [("utf16", "utf-16-le", 2), ("bytes", "utf-8", 1)])
@given(st.lists(PIECES, max_size=12).map("".join))
def test_every_border_is_found_and_no_half_of_a_character(units: Units, encoding: str, width: int, text: str) -> None:
    # The number of units is counted by another way: the encoder's.
    borders = {len(text[:point].encode(encoding)) // width: point for point in range(len(text) + 1)}
    offsets = Offsets(text, units)
    assert [offsets.code_point(unit) for unit in range(-1, max(borders) + 2)] == [
        borders.get(unit) for unit in range(-1, max(borders) + 2)
    ]


@pytest.mark.parametrize(
    ("text", "words", "unit"),
    [("👨🏻‍🚒 тушит", "тушит", 8), ("е\u0301ж и 😀 кот", "кот", 9), ("кот", "кот", 0)],
)
def test_words_after_emoji_and_combining_characters(text: str, words: str, unit: int) -> None:
    point = Offsets(text, "utf16").code_point(unit)
    assert point is not None
    assert text[point:] == words


@pytest.mark.parametrize(("start", "place"), [(2, (2, 5)), (3, (2, 5)), (4, None), (-4, None)])
def test_the_words_decide_between_two_ways_of_counting(start: int, place: tuple[int, int] | None) -> None:
    text = "😀 кот"
    assert quoted_span(start, start + 3, "кот", text, Offsets(text, "utf16")) == place
