"""Labels of other tools: a code where the classifier knows it, else what the mapping says, else a clear error."""

from __future__ import annotations

import pytest

from markup_core.formats.corpus import Document, Imported, Layer, markups
from markup_core.formats.foreign import WORDING, FormatError, Loss
from markup_core.formats.labels import Wanted
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
