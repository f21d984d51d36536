"""Files of a corpus: archives within bounds, annotators told by paths, the layers of one document brought together."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from functools import partial

import pytest

from markup_core.formats import gathering
from markup_core.formats.corpus import Document, Layer, Span, expert_numbers
from markup_core.formats.foreign import FormatError, Loss
from markup_core.formats.gathering import Corpus, gathered, read_corpus
from markup_core.formats.importing import summary

ANN = b"T1\tPER 0 6\t\xd0\x9a\xd0\xbe\xd1\x82\n"
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


def document(name: str, text: str = "Кот", annotator: str = "", source: str = "") -> Document:
    return Document(name, text, (Layer(annotator, ()),), source=source)


def told(*documents: Document) -> list[tuple[str, list[str]]]:
    return [(one.name, [layer.annotator for layer in one.layers]) for one in gathered(documents)]


def test_folders_of_one_text_under_one_name_are_annotators_also_where_one_lacks_a_file() -> None:
    assert told(document("a/x/one"), document("a/x/two", "Ёж"), document("a/y/one")) == [
        ("one", ["x", "y"]),
        ("two", ["x"]),
    ]


def test_files_of_one_text_in_a_folder_are_annotators() -> None:
    assert told(document("a/one/x"), document("a/one/y"), document("a/two/x", "Ёж")) == [
        ("one", ["x", "y"]),
        ("two", ["x"]),
    ]


def test_a_document_beside_the_folders_of_annotators_is_nobodys_and_the_others_keep_theirs() -> None:
    assert told(document("p/x/one"), document("p/y/one"), document("p/readme", "Ёж")) == [
        ("one", ["x", "y"]),
        ("readme", [""]),
    ]
    for root in ("", "p/"):
        beside = told(document(f"{root}one/x"), document(f"{root}one/y"), document(f"{root}readme", "Ёж"))
        assert beside == [("one", ["x", "y"]), ("readme", [""])]


def test_folders_of_other_texts_are_no_annotators_and_names_stay_apart() -> None:
    assert told(document("train/one"), document("test/one", "Ёж"), document("test/two", "Уж")) == [
        ("train_one", [""]),
        ("test_one", [""]),
        ("two", [""]),
    ]


def test_a_folder_named_annotation_is_inceptions_only_with_a_document_below() -> None:
    assert told(document("annotation/x/one"), document("annotation/y/one")) == [("one", ["x", "y"])]
    assert told(document("p/annotation/one.txt/x"), document("p/annotation/two.txt/x", "Ёж")) == [
        ("one", ["x"]),
        ("two", ["x"]),
    ]


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
    numbers = expert_numbers([document("one", annotator=name) for name in names])
    assert [name for name, _ in numbers] == ["1", "2", "10", "9" * 40, "Anna", "anna 9", "anna 10"]


def test_many_documents_of_one_name_and_many_repetitions_cost_linear_time() -> None:
    many = [document("1", f"Кот {number}") for number in range(4000)] + [document("2")] * 4000
    assert len({one.name for one in gathered(many)}) == 4001


def test_the_same_task_of_two_files_is_one_document_where_the_text_is_the_same() -> None:
    first, second = document("1", annotator="x", source="a.json"), document("1", annotator="y", source="b.json")
    assert told(first, second) == [("1", ["x", "y"])]
    other = document("1", "Ёж", annotator="x", source="b.json")
    assert told(first, other) == [("a_1", ["x"]), ("b_1", ["x"])]


def test_names_are_files_names() -> None:
    assert told(document(".a:b\n"), document("..", "Ёж")) == [("a_b_", [""]), ("_", [""])]


def test_an_annotators_name_with_a_line_end_is_told_in_one_line() -> None:
    told_of = summary(Corpus([document("one", annotator="Аня\n\x1b[1m")], unread=["a\nb"])).sentences()
    assert told_of == [
        "documents: 1, annotators: Аня\\n\\x1b[1m = exp01",
        "of no format that is read: 1 (a\\nb)",
    ]


def test_a_curated_layer_is_the_third_expert_or_later() -> None:
    curated = Document("one", "Кот", (Layer("x", ()), Layer("", (), is_curated=True)))
    assert expert_numbers([curated]) == {("x", False): 1, ("", True): 3}
    three = [document("one", annotator=name) for name in "cab"]
    assert expert_numbers([curated, *three]) == {
        ("a", False): 1,
        ("b", False): 2,
        ("c", False): 3,
        ("x", False): 4,
        ("", True): 5,
    }
    assert expert_numbers([document("one")]) == {}
    assert expert_numbers([document("one")], as_experts=True) == {("", False): 1}


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
