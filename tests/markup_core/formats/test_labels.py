"""Labels of other tools: a code where the classifier knows it, else what the mapping says, else a clear error.

A label set is made of any corpus: names, groups, colours, spellings that are one, and what is no label set.

UTF-16 code units and bytes become code points; combining characters are code points of their own.

Files of a corpus: archives within bounds, annotators told by paths, the layers of one document brought together.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command.cli import main
from markup_core.formats import gathering
from markup_core.formats.corpus import (
    Document,
    Imported,
    Layer,
    Offsets,
    Span,
    Units,
    expert_numbers,
    markups,
    quoted_span,
)
from markup_core.formats.foreign import WORDING, FormatError, LabelSet, Loss, Wanted, label_set
from markup_core.formats.gathering import Corpus, gathered, read_corpus, summary
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


STANDOFF = b"T1\tPER 0 6\t\xd0\x9a\xd0\xbe\xd1\x82\n"
ONE = "Кот".encode()


def same(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def files(**contents: bytes) -> Mapping[str, Callable[[], bytes]]:
    return {name: same(content) for name, content in contents.items()}


def zipped(contents: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # of no time: it names a test
    return out.getvalue()


def damaged(path: bytes, other: bytes) -> bytes:
    """Return an archive whose directory names a file by bytes that are not UTF-8, flagged as UTF-8."""
    content = zipped({path.decode(): b"1"})
    directory = content.index(b"PK\x01\x02")
    flagged = content[directory : directory + 8] + b"\x00\x08" + content[directory + 10 :]
    return content[:directory] + flagged.replace(path, other)


def twice(name: str) -> bytes:
    """Return an archive with two files of one path."""
    return zipped({name: b"", name[::-1]: b""}).replace(name[::-1].encode(), name.encode())


def document_of(name: str, text: str = "Кот", annotator: str = "", source: str = "") -> Document:
    return Document(name, text, (Layer(annotator, ()),), source=source)


def told(*documents: Document) -> list[tuple[str, list[str]]]:
    return [(one.name, [layer.annotator for layer in one.layers]) for one in gathered(documents)]


@pytest.mark.parametrize(
    ("paths", "annotators"),
    [
        # Folders of one text under one name are annotators, also where one lacks a file.
        ({"a/x/one": 1, "a/x/two": 2, "a/y/one": 1}, [("one", ["x", "y"]), ("two", ["x"])]),
        # So are files of one text in a folder.
        ({"a/one/x": 1, "a/one/y": 1, "a/two/x": 2}, [("one", ["x", "y"]), ("two", ["x"])]),
        # A document beside the folders of annotators is nobody's, and the others keep theirs.
        ({"p/x/one": 1, "p/y/one": 1, "p/readme": 2}, [("one", ["x", "y"]), ("readme", [""])]),
        ({"one/x": 1, "one/y": 1, "readme": 2}, [("one", ["x", "y"]), ("readme", [""])]),
        ({"p/one/x": 1, "p/one/y": 1, "p/readme": 2}, [("one", ["x", "y"]), ("readme", [""])]),
        # Folders of other texts are no annotators, and names stay apart.
        ({"train/one": 1, "test/one": 2, "test/two": 3}, [("train_one", [""]), ("test_one", [""]), ("two", [""])]),
        # A folder named annotation is INCEpTION's only with a document below.
        ({"annotation/x/one": 1, "annotation/y/one": 1}, [("one", ["x", "y"])]),
        ({"p/annotation/one.txt/x": 1, "p/annotation/two.txt/x": 2}, [("one", ["x"]), ("two", ["x"])]),
    ],
)
def test_annotators_are_told_by_paths(paths: dict[str, int], annotators: list[tuple[str, list[str]]]) -> None:
    assert told(*(document_of(path, f"Кот {text}") for path, text in paths.items())) == annotators


def test_what_one_annotator_has_twice_is_one_annotation_and_two_only_where_they_differ() -> None:
    named = [Document(name, "Кот", (Layer("x", (Span(0, 3, "A", ident=1),)),)) for name in ("1", "2")]
    again = [Document(name, "Кот", (Layer("x", (Span(0, 3, "A", ident=7, place="line 9"),)),)) for name in ("1", "2")]
    other = Document("2", "Кот", (Layer("x", (Span(0, 2, "A"),)),))
    assert told(*named, *again) == [("1", ["x"]), ("2", ["x"])]
    assert [one.losses for one in gathered([*named, *again])] == [(Loss("repeated", 1),)] * 2
    # Where one differs, two people have one name: leaving out where they agree would make them worse than they are.
    assert told(*named, again[0], other) == [("1", ["x", "x (2)"]), ("2", ["x", "x (2)"])]
    assert expert_numbers(gathered([*named, again[0], other])) == {("x", False): 1, ("x (2)", False): 2}


def test_numbers_in_the_names_of_annotators_are_ordered_as_numbers() -> None:
    names = ["10", "2", "anna 10", "anna 9", "Anna", "9" * 40, "1"]
    numbers = expert_numbers([document_of("one", annotator=name) for name in names])
    assert [name for name, _ in numbers] == ["1", "2", "10", "9" * 40, "Anna", "anna 9", "anna 10"]


def test_many_documents_of_one_name_and_many_repetitions_cost_linear_time() -> None:
    many = [document_of("1", f"Кот {number}") for number in range(4000)] + [document_of("2")] * 4000
    assert len({one.name for one in gathered(many)}) == 4001


def test_the_same_task_of_two_files_is_one_document_where_the_text_is_the_same() -> None:
    first, second = document_of("1", annotator="x", source="a.json"), document_of("1", annotator="y", source="b.json")
    assert told(first, second) == [("1", ["x", "y"])]
    other = document_of("1", "Ёж", annotator="x", source="b.json")
    assert told(first, other) == [("a_1", ["x"]), ("b_1", ["x"])]


def test_names_are_files_names() -> None:
    assert told(document_of(".a:b\n"), document_of("..", "Ёж")) == [("a_b_", [""]), ("_", [""])]


def test_an_annotators_name_with_a_line_end_is_told_in_one_line() -> None:
    told_of = summary(Corpus([document_of("one", annotator="Аня\n\x1b[1m")], unread=["a\nb"])).sentences()
    assert told_of == [
        "documents: 1, annotators: Аня\\n\\x1b[1m = exp01",
        "of no format that is read: 1 (a\\nb)",
    ]


def test_a_curated_layer_is_the_third_expert_or_later() -> None:
    curated = Document("one", "Кот", (Layer("x", ()), Layer("", (), is_curated=True)))
    assert expert_numbers([curated]) == {("x", False): 1, ("", True): 3}
    three = [document_of("one", annotator=name) for name in "cab"]
    assert expert_numbers([curated, *three]) == {
        ("a", False): 1,
        ("b", False): 2,
        ("c", False): 3,
        ("x", False): 4,
        ("", True): 5,
    }
    assert expert_numbers([document_of("one")]) == {}
    assert expert_numbers([document_of("one")], as_experts=True) == {("", False): 1}


def test_zips_in_zips_are_folders_and_what_nothing_reads_is_named() -> None:
    inner = zipped({"one.ann": b"", "one.txt": ONE, "annotation.conf": b"", "note.md": b""})
    corpus = read_corpus(
        {"p.zip": same(zipped({"x.zip": inner, "/y/one.ann": b"", "y/one.txt": ONE, ".z/a.ann": b""}))}
    )
    assert [(one.name, [layer.annotator for layer in one.layers]) for one in corpus.documents] == [("one", ["x", "y"])]
    assert (corpus.formats, corpus.unread) == ({"brat": 2}, ["p/x/note.md"])


def test_a_text_is_read_once_beside_its_annotations() -> None:
    corpus = read_corpus({"one.ann": same(b""), "one.txt": same(ONE)})
    assert [(one.name, one.source) for one in corpus.documents] == [("one", "one.ann")]
    assert corpus.unread == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"PK", "a.zip: the archive cannot be read"),
        (damaged(b"A.ann", b"\x01\xff.nn"), "a.zip: the archive cannot be read"),
        (zipped({"A.ann": b"1"})[9:], "a.zip: the archive cannot be read"),
        (twice("one.ann"), 'a.zip: the archive holds "one.ann" twice'),
        (zipped({"../one.ann": b""}), 'a.zip: the path "../one.ann" leads out of the archive'),
        (zipped({"b\\one.ann": b""}), "leads out of the archive"),
        (zipped({"one.ann": bytes(2**21)}), 'a.zip: "one.ann" unpacks to more than 1048576 bytes'),
        (zipped({"b.zip": zipped({"c.zip": zipped({"one.ann": b""})})}), "nested deeper than 2 levels"),
        (zipped({"one.ann": b""}), "a/one.ann: one.txt is missing beside it"),
        (zipped({"one.ann": b"", "one.txt": b"\xff"}), "a/one.ann: the byte at offset 0 is not UTF-8"),
        (zipped({"one.xmi": b'<!DOCTYPE a [<!ENTITY b "c">]><a xmlns="http:///uima/cas.ecore http://www.omg.org/XMI"/>'}),
         "a/one.xmi: XML with a document type"),
        (zipped({"one.xmi": b'<a xmlns="http:///uima/cas.ecore http://www.omg.org/XMI">'}), "the XML cannot be read"),
    ],
)  # fmt: skip
def test_what_is_broken_or_too_much_is_told_with_its_place(content: bytes, problem: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_corpus({"a.zip": same(content)})
    assert problem in str(refused.value)


def test_all_archives_share_one_bound_and_so_do_files(monkeypatch: pytest.MonkeyPatch) -> None:
    one = zipped({"one.bin": bytes(600)})
    monkeypatch.setattr(gathering, "_MOST_UNPACKED", 1000)
    assert read_corpus(files(**{"a.zip": one})).unread == ["a/one.bin"]
    with pytest.raises(FormatError, match=r"b\.zip: .* unpacks to more than 400 bytes"):
        read_corpus(files(**{"a.zip": one, "b.zip": one}))
    monkeypatch.setattr(gathering, "_MOST_FILES", 1)
    with pytest.raises(FormatError, match="there are 2 files, the limit is 1"):
        read_corpus(files(a=b"", b=b""))
    with pytest.raises(FormatError, match="the archive is too large"):
        read_corpus({"a.zip": partial(zipped, {str(number): b"" for number in range(3)})})
