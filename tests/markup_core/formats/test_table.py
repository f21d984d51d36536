"""Tables of spans; one was written by pandas (``export_words.py``)."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats import columns, spacy_json, table
from markup_core.formats.corpus import Document, Layer, Span
from markup_core.formats.foreign import TEXTS, FormatError
from markup_core.formats.registry import recognized
from markup_core.texts import RU, in_language
from tests.markup_core.formats.reading import counts, source
from tests.markup_core.formats.test_doccano import contents, environment

ROOM = Path(__file__).resolve().parents[2] / "annotation_exports"
PINS = ("spacy==3.8.18", "pandas==3.1.1", "conllu==6.0.0", "seqeval==1.2.2")
ASTRAL = "Ёж 😀 и кот."
SYMBOLS = Path(table.__file__).parents[1] / "data" / "docbin_symbols.txt"


def read(content: str | bytes, name: str = "one.csv", beside: dict[str, str] | None = None) -> list[Document]:
    file = source(name, content, beside)
    form = recognized(file)
    assert form is not None
    assert form.name == "csv"
    return list(form.read(file))


def marked(document: Document) -> dict[str, list[tuple[str, str]]]:
    return {
        layer.annotator: [(document.text[span.start : span.end], span.label) for span in layer.spans]
        for layer in document.layers
    }


def test_a_data_frame_of_pandas_with_a_row_without_a_span() -> None:
    first, second = read((ROOM / "words" / "table.csv").read_bytes())
    assert (first.name, first.text, marked(first)) == ("d1", ASTRAL, {"anna": [("Ёж", "PER")], "boris": [("и", "LOC")]})
    assert second.text == 'Кафе\u0301 "Зебра"\r\nвторая строка'
    assert marked(second) == {"anna": [("вторая", "PER")], "boris": []}
    assert [counts(one.losses) for one in (first, second)] == [{"offsets": 1}, {}]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_names_of_columns_and_separators_are_recognized(separator: str) -> None:
    names = ["Doc ID", "Text", "Start_Offset", "END", "Entity-Type", "User", "comment", "confidence"]
    rows = [["d", "Кот", "0", "3", "X", "anna", "к", "0.5"], ["e", "Ёж", "", "", "", "anna", "", ""]]
    content = "\ufeff" + "".join(separator.join(row) + "\r\n" for row in (names, *rows))
    cat, hedgehog = read(content, "one.tsv")
    ((span,),) = [layer.spans for layer in cat.layers]
    assert (cat.name, marked(cat), span.texts, counts(cat.losses)) == (
        "d",
        {"anna": [("Кот", "X")]},
        {"comment": "к"},
        {"fields": 1},
    )
    assert marked(hedgehog) == {"anna": []}


@pytest.mark.parametrize(("start", "end"), [(7, 10), (8, 11), (13, 19)])
def test_words_decide_whether_places_count_code_points_halves_or_bytes(start: int, end: int) -> None:
    (document,) = read(f"text,start,end,label,quote\n{ASTRAL},{start},{end},X,кот\n")
    assert (document.name, marked(document), document.losses) == ("one-0001", {"": [("кот", "X")]}, ())
    (of_file,) = read(f"file,begin,end,type,text\na,{start},{end},X,кот\n", "one.csv", {"a.txt": "\ufeff" + ASTRAL})
    assert (of_file.name, of_file.text, marked(of_file)) == ("a", ASTRAL, {"": [("кот", "X")]})
    path = "texts/a.txt"
    (of_path,) = read(f"file,begin,end,type,words\n{path},{start},{end},X,кот\n", "one.csv", {"a.txt": ASTRAL})
    assert (of_path.name, marked(of_path)) == ("texts_a", {"": [("кот", "X")]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("file,begin,end,type\na,0,1,X\n", 'line 2: the text is not in the table and "a.txt" does not stand beside it'),
        ("text,start,end,label\nКот,0,x,X\n", 'line 2: end is a whole number, not "x"'),
        ("text,start,end,label\nКот,-1,2,X\n", 'line 2: start is a whole number, not "-1"'),
        (
            "text,start,end,label\nКот,0,4,X\n",
            "line 2: the span 0, 4 does not lie in the text, which spans 0 to 3, or is empty",
        ),
        ("text,start,end,label\nКот,0,,X\n", "line 2: a span has both a start and an end"),
        ("text,start,end,label\nКот,0,1, \n", "line 2: the label is empty"),
        ("text,start,end,label\nКот,0,1,X,,\n", "line 2: the line has 6 cells, the first one 4"),
        (
            'text,start,end,label\nКот,0,1,X\n"К\nот,0,1,X\n',
            "line 3: the table cannot be read: a quotation mark is not closed",
        ),
        (
            "doc,text,start,end,label\nd,Кот,0,1,X\nd,Пёс,0,1,X\n",
            'line 3: the text of "d" is another one than in line 2',
        ),
        ("text,start,end,label,words\nКот,0,1,X,т\n", 'line 2: the words are "т", but the text has "К" there'),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(content: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        read(content)
    assert str(error.value).startswith(message)
    russian = in_language(error.value.text, RU)
    assert (russian.startswith("строка "), "line" in russian) == (True, False)


@pytest.mark.parametrize("before", ["sep=;\r\n", '"sep=;"\n\n', "\n", "\r\n \r\n", "\ufeffsep=;\r\n"])
def test_lines_before_the_names_are_left_out_and_counted(before: str) -> None:
    table_of = f"{before}text;start;end;label\r\nКот;0;3;X\r\n"
    (cat,) = read(table_of)
    assert marked(cat) == {"": [("Кот", "X")]}
    assert cat.layers[0].spans[0].place == f"line {table_of.count(chr(10))}"


def test_other_tables_are_not_taken() -> None:
    for content in ("", "a,b\n1,2\n", "start,end,label\n0,1,X\n", '"'):
        assert recognized(source("one.csv", content)) is None


PIECES = [
    *(
        "text",
        "start",
        "end",
        "label",
        "document",
        ",",
        ";",
        "\n",
        "\r",
        "\r\n",
        '"',
        "0",
        "1",
        "2",
        "3.0",
        "X",
        "Кот",
        "/",
    ),
    *("..", "id", "-1", "99999999999", "\x00", "\ufeff", "text,start,end,label\n", "document,start,end,label,words\n"),
]


@pytest.mark.property
@given(st.sampled_from(["", "document,text,start,end,label\n"]), st.lists(st.sampled_from(PIECES), max_size=25))
def test_any_table_is_read_or_refused(header: str, pieces: list[str]) -> None:
    file = source("one.csv", header + "".join(pieces))
    table.looks_like(file)
    with contextlib.suppress(FormatError):
        for document in table.read(file):
            spans = [one for layer in document.layers for one in layer.spans]
            assert all(0 <= one.start < one.end <= len(document.text) for one in spans)


LETTERS = st.sampled_from(["a", "я", "😀", "e\u0301", "\r\n", "\n", '"', ",", ";", "\ufeff", " "])
TEXT = st.lists(LETTERS, min_size=1, max_size=12).map("".join)


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    documents = []
    for number in range(draw(st.integers(1, 3))):
        text = draw(TEXT)
        layers = []
        for annotator in draw(st.sampled_from([("",), ("anna",), ("anna", "boris")])):
            spans: dict[tuple[int, int, str], Span] = {}  # spaCy's reader takes a place with one label once
            for ident in range(1, draw(st.integers(1, 4))):
                start = draw(st.integers(0, len(text) - 1))
                end = draw(st.integers(start + 1, len(text)))
                texts = draw(st.dictionaries(st.sampled_from(TEXTS), TEXT.filter(str.strip), max_size=2))
                key = start, end, draw(st.sampled_from(["A", "Г.упр", "b c"]))
                spans.setdefault(key, Span(*key, texts, ident))
            layers.append(Layer(annotator, tuple(spans.values())))
        meta = draw(st.dictionaries(st.sampled_from(["theme", "year"]), st.sampled_from(["т", "2026"]), max_size=2))
        documents.append(Document(f"d{number}", text, tuple(layers), meta))
    return documents


@pytest.mark.property
@given(corpora())
def test_tables_and_spacys_lines_keep_everything(corpus: list[Document]) -> None:
    for form, suffix in ((table, "csv"), (spacy_json, "jsonl")):
        written = form.write(corpus)
        assert written.losses == ()
        again = list(form.read(source(f"one.{suffix}", written.content)))
        assert [plain(one) for one in again] == [plain(one) for one in corpus]


def plain(document: Document) -> Any:
    layers = [
        (layer.annotator, [(one.start, one.end, one.label, dict(one.texts), one.ident) for one in layer.spans])
        for layer in document.layers
    ]
    return document.name, document.text, layers, dict(document.meta)


@pytest.mark.long
def test_the_tools_write_the_same_files_again_and_read_ours(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", PINS)
    theirs, ours = tmp_path / "made", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    subprocess.run([str(python), str(ROOM / "export_words.py"), str(theirs)], check=True, timeout=600)
    assert (theirs / "symbols.txt").read_text("utf-8").split() == SYMBOLS.read_text("utf-8").split()
    (theirs / "symbols.txt").unlink()
    assert contents(theirs) == contents(ROOM / "words")
    corpus = [
        Document("a", ASTRAL, (Layer("anna", (Span(0, 2, "PER"), Span(7, 10, "LOC"))),)),
        Document("b", 'Кафе\u0301 "Зебра"\r\nвторая', (Layer("anna", (Span(7, 12, "LOC"),)),)),
    ]
    for form, name in ((spacy_json, "corpus.jsonl"), (table, "corpus.csv"), (columns, "corpus.conll")):
        (ours / name).write_bytes(form.write(corpus).content)
    command = [str(python), str(ROOM / "read_words.py"), str(ours)]
    by_tool = json.loads(subprocess.run(command, check=True, timeout=600, capture_output=True).stdout)
    words = [["Ёж", "PER"], ["кот", "LOC"], ["Зебра", "LOC"]]
    # To spaCy "кот." is one word.
    assert by_tool == {"spacy": [[["Ёж", "PER"], ["кот.", "LOC"]], words[2:]], "csv": words, "conll": words}
