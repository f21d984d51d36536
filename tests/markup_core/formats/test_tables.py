"""Words with tags in columns: CoNLL-2003 and its kin, CoNLL-U; some files were written by spaCy and conllu.

Tables of spans; one was written by pandas (``export_words.py``).
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats import spacy, table, word_lines
from markup_core.formats.corpus import Document, Layer, Span
from markup_core.formats.foreign import TEXTS, FormatError
from markup_core.formats.gathering import WRITERS, recognized
from markup_core.texts import RU, in_language
from tests.markup_core.formats.reading import counts, marked, recognized_documents, source, words_of
from tests.markup_core.formats.test_json import contents, environment

FILES = Path(__file__).resolve().parents[2] / "annotation_exports" / "words"


def read(content: str | bytes, name: str = "one.conll") -> list[Document]:
    return recognized_documents("conll", name, content)


def test_conll_2003_has_documents_and_the_last_column_counts() -> None:
    first, second = read(
        "-DOCSTART- -X- -X- O\n\nEU NNP B-NP I-ORG\nrejects VBZ B-VP O\nGerman JJ B-NP I-MISC\nKiel NNP I-NP B-MISC\n\n"
        "Peter NNP B-NP I-PER\nB NNP I-NP I-PER\n\n-DOCSTART- -X- -X- O\n\n# NN B-NP O\n😀 NN I-NP B-X\n"
    )
    assert (first.name, first.text) == ("one-0001", "EU rejects German Kiel\nPeter B")
    assert words_of(first) == [("EU", "ORG"), ("German", "MISC"), ("Kiel", "MISC"), ("Peter B", "PER")]
    assert (second.text, words_of(second)) == ("# 😀", [("😀", "X")])
    assert counts(first.losses) == counts(second.losses) == {"columns": 2}  # each once in a document of many sentences


@pytest.mark.parametrize(
    ("tags", "spans", "lost"),
    [
        ("B-A I-A O B-A", ["a b", "d"], 0),  # IOB2
        ("I-A I-A B-A O", ["a b", "c"], 0),  # IOB1
        ("B-A I-A E-A S-A", ["a b c", "d"], 0),  # IOBES
        ("B-A L-A U-B U-B", ["a b", "c", "d"], 0),  # BILOU
        ("B-A M-A E-A W-A", ["a b c", "d"], 0),  # BMEWO
        ("B-A I-B I-A O", ["a", "b", "c"], 0),
        ("B-A E-A I-A O", ["a b", "c"], 0),
        ("E-A L-A O M-A", ["a", "b", "d"], 3),
        ("B-A-B I-A-B O O", ["a b"], 0),
    ],
)
def test_one_rule_reads_the_tags_of_every_scheme(tags: str, spans: list[str], lost: int) -> None:
    (document,) = read("".join(f"{word}\t{tag}\n" for word, tag in zip("abcd", tags.split(), strict=True)))
    assert [words for words, _ in words_of(document)] == spans
    assert counts(document.losses).get("tags", 0) == lost
    assert [loss.first for loss in document.losses] == (['line 1: "E-A"'] if lost else [])


def test_a_file_in_which_nothing_is_marked_is_a_document_too() -> None:
    """Such a file says that its annotator has marked nothing: without it agreement would be higher."""
    (document,) = read("EU NNP O\nrejects VBZ O\n")
    assert (document.text, words_of(document)) == ("EU rejects", [])


def test_spacys_tags_and_plain_labels() -> None:
    (document,) = read((FILES / "biluo.iob").read_bytes(), "biluo.iob")
    assert (document.name, document.text) == ("biluo", "Иван Грозный 😀 и Псков .")
    assert words_of(document) == [("Иван Грозный", "PER"), ("Псков", "LOC")]
    (plain,) = word_lines.read_conll(source("p.conll", "a PER\nb PER\nc O\nd LOC\n"))
    assert (words_of(plain), counts(plain.losses)) == ([("a b", "PER"), ("d", "LOC")], {"plain_tags": 1})
    assert recognized(source("p.conll", "a PER\nb PER\nc O\n")) is None  # any two columns look so


def test_conll_u_has_its_own_text_and_entities_in_misc() -> None:
    (document,) = read((FILES / "words.conllu").read_bytes(), "words.conllu")
    assert (document.name, document.text) == ("d1", "Vámonos al mar 😀")
    assert words_of(document) == [("al mar", "LOC")]  # the entity begins in a part of a contraction
    (tagged,) = read(
        "1\tmar\tmar\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n", "u.conllu"
    )
    assert (tagged.text, words_of(tagged)) == ("mar.", [("mar", "NOUN"), (".", "PUNCT")])


def test_a_sentences_own_text_gives_its_blanks_unless_its_words_are_others() -> None:
    table = "# text = {}\n1\tИван\tB-PER\tanna\n2\t,\tO\tanna\n3\te\u0301\tO\tanna\n"
    (document,) = read(table.format("Иван,  e\u0301"), "u.iob2")
    assert (document.text, counts(document.losses)) == ("Иван,  e\u0301", {"columns": 1})
    (other,) = read(table.format("Пётр, e\u0301"), "u.iob2")
    assert (other.text, counts(other.losses)) == ("Иван , e\u0301", {"columns": 1, "texts_differ": 1})


def test_line_ends_a_mark_and_empty_files() -> None:
    (document,) = read("\ufeffЁж\tB-A\r\n😀\tI-A\r\n\r\n\r\nx\tO\r\n", "a.iob")
    assert (document.text, words_of(document)) == ("Ёж 😀\nx", [("Ёж 😀", "A")])
    assert recognized(source("a.conll", "")) is None
    assert recognized(source("a.txt", "Просто текст.\nБез столбцов.\n")) is None


def test_a_file_without_borders_that_is_too_large_for_a_markup_is_cut_at_sentences() -> None:
    sentence = "# sent_id = s{}\n" + "1\ta\tB-A\n" * 21 + "\n"
    documents = read("".join(sentence.format(number) for number in range(100)), "a.tsv")
    assert (len(documents), documents[0].name, documents[99].name, len(words_of(documents[7]))) == (
        100,
        "s0",
        "s99",
        21,
    )
    assert len(read("".join(sentence.format(number) for number in range(90)), "a.tsv")) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a O\nb B-X\nc\n", "line 3: the line has 1 columns, the tags are in column 2"),
        ("a O\nb B-X\nc O\nd ?\n", 'line 4: "?" is no tag such as B-PER, I-PER or O'),
        ("a\tO\nb\tB-X\n\tO\n", "line 3: the line has no word of 1 to 10000 characters"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(content: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        read(content)
    assert str(error.value) == message
    assert in_language(error.value.text, RU) != message


WORDS = st.lists(st.sampled_from(["Ёж", "e\u0301", "😀", "кот", "a1"]), min_size=1, max_size=8)


@given(st.data())
def test_what_is_written_is_read_again_but_for_what_is_told(data: Any) -> None:
    words = data.draw(WORDS)
    gaps = data.draw(
        st.lists(st.sampled_from([" ", "  ", "\n", ", "]), min_size=len(words) - 1, max_size=len(words) - 1)
    )
    text, places = "", []
    for word, gap in zip(words, [*gaps, ""], strict=True):
        places.append((len(text), len(text) + len(word)))
        text += word + gap
    spans, free = [], 0
    for first in range(len(words)):
        if first >= free and data.draw(st.booleans()):
            last = data.draw(st.integers(first, len(words) - 1))
            label = data.draw(st.sampled_from(["A", "B"]))
            spans.append(Span(places[first][0], places[last][1], label))
            free = last + 1
    output = word_lines.write_conll([Document("d", text, (Layer("", tuple(spans)),))])
    (document,) = word_lines.read_conll(source("a.conll", output.content))
    lost = set(counts(output.losses))
    assert lost <= {"blanks", "line_breaks"}
    expected = [(squeezed(text[span.start : span.end]), span.label) for span in spans]
    assert [(squeezed(words), label) for words, label in words_of(document)] == expected
    assert squeezed(document.text) == squeezed(text)
    if "blanks" not in lost:
        assert [(span.start, span.end) for span in document.layers[0].spans] == [
            (span.start, span.end) for span in spans
        ]
    if not lost:
        assert document.text == text


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_a_span_over_a_line_end_stays_whole_and_only_the_line_end_is_lost() -> None:
    spans = (Span(4, 11, "A"),)
    output = word_lines.write_conll([Document("d", "раз два\nтри\nпять", (Layer("", spans),))])
    assert output.content.decode().splitlines()[2:] == [
        *("раз -X- _ O", "два -X- _ B-A", "три -X- _ I-A", "", "пять -X- _ O", "")
    ]
    assert counts(output.losses) == {"line_breaks": 1}


def test_blanks_at_the_ends_of_a_text_and_empty_lines_are_told_as_lost() -> None:
    for text, count in ((" a b", 1), ("a b\n", 1), ("a\n\nb", 1), ("a\r\nb", 1), ("a\nb c", 0), (" \n", 1), ("", 0)):
        assert (
            counts(word_lines.write_conll([Document("d", text, (Layer("", ()),))]).losses).get("blanks", 0) == count
        ), text


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-A I-A|I-A O", ["a b\nc"]),
        ("O B-A|E-A S-B", ["b\nc", "d"]),
        ("O B-A|I-B O", ["b", "c"]),
        ("B-A E-A|I-A O", ["a b", "c"]),
        ("I-A O|O B-A|I-A O", ["a", "d", "e"]),  # IOB1: the first span begins with I
        ("B-A I-A|-DOCSTART-|I-A O", ["a b"]),
    ],
)
def test_a_span_goes_on_in_the_next_sentence_where_every_span_begins_with_b(tags: str, spans: list[str]) -> None:
    words = iter("abcdefgh")
    lines = [
        sentence if sentence == "-DOCSTART-" else "\n".join(f"{next(words)}\t{tag}" for tag in sentence.split())
        for sentence in tags.split("|")
    ]
    first, *_ = read("\n\n".join(lines) + "\n")
    assert [words for words, _ in words_of(first)] == spans


def test_what_columns_cannot_hold_is_told() -> None:
    spans = (Span(0, 0, "W"), Span(0, 3, "A"), Span(1, 5, "B", {"comment": "x"}), Span(9, 11, "C D"), Span(7, 8, "E"))
    output = word_lines.write_conll([Document("d", "Ёжик кот  пёс", (Layer("", spans[1:]),), {"theme": "т"})])
    assert output.content.decode() == "-DOCSTART- -X- _ O\n\nЁжик -X- _ B-A\nкот -X- _ B-E\nпёс -X- _ B-C_D\n\n"
    assert counts(output.losses) == {"meta": 1, "overlaps": 1, "inner_borders": 3, "blanks": 1, "texts": 1}
    assert counts(word_lines.write_conll([Document("d", "", (Layer("", spans[:1]),))]).losses) == {"full_text": 1}


PIECES = [
    *"a B-X I-X E-X O -DOCSTART- 1 2-3 2.1 _ NE=B-X 😀 #".split(),
    *("\t", " ", "\n", "\r\n", "# newdoc", "# text = a b", "\t_\t_\t_\t_\t_\t_\t_\t_\n", "# sent_id = "),
    *("\x85", "\u2028", "\ufeff", "1\ta\tb\tNOUN\t_\t_\t0\t_\t_\t_\n", "# global.columns = ID FORM X"),
]


@pytest.mark.property
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_lines_are_read_or_refused(content: str) -> None:
    file = source("one.conll", content)
    word_lines.looks_like_conll(file)
    with contextlib.suppress(FormatError):
        for document in word_lines.read_conll(file):
            assert all(0 <= one.start < one.end <= len(document.text) for one in document.layers[0].spans)


ROOM = Path(__file__).resolve().parents[2] / "annotation_exports"
PINS = ("spacy==3.8.18", "pandas==3.1.1", "conllu==6.0.0", "seqeval==1.2.2")
ASTRAL = "Ёж 😀 и кот."
SYMBOLS = Path(table.__file__).parents[1] / "data" / "docbin_symbols.txt"


def of_table(content: str | bytes, name: str = "one.csv", beside: dict[str, str] | None = None) -> list[Document]:
    return recognized_documents("csv", name, content, beside)


def test_a_data_frame_of_pandas_with_a_row_without_a_span() -> None:
    first, second = of_table((ROOM / "words" / "table.csv").read_bytes())
    assert (first.name, first.text, marked(first)) == (
        "d1",
        ASTRAL,
        {"anna": [("Ёж", "PER")], "boris": [("и", "LOC")]},
    )
    assert second.text == 'Кафе\u0301 "Зебра"\r\nвторая строка'
    assert marked(second) == {"anna": [("вторая", "PER")], "boris": []}
    assert [counts(one.losses) for one in (first, second)] == [{"offsets": 1}, {}]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_names_of_columns_and_separators_are_recognized(separator: str) -> None:
    names = ["Doc ID", "Text", "Start_Offset", "END", "Entity-Type", "User", "comment", "confidence"]
    rows = [["d", "Кот", "0", "3", "X", "anna", "к", "0.5"], ["e", "Ёж", "", "", "", "anna", "", ""]]
    content = "\ufeff" + "".join(separator.join(row) + "\r\n" for row in (names, *rows))
    cat, hedgehog = of_table(content, "one.tsv")
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
    (document,) = of_table(f"text,start,end,label,quote\n{ASTRAL},{start},{end},X,кот\n")
    assert (document.name, marked(document), document.losses) == ("one-0001", {"": [("кот", "X")]}, ())
    (of_file,) = of_table(f"file,begin,end,type,text\na,{start},{end},X,кот\n", "one.csv", {"a.txt": "\ufeff" + ASTRAL})
    assert (of_file.name, of_file.text, marked(of_file)) == ("a", ASTRAL, {"": [("кот", "X")]})
    path = "texts/a.txt"
    (of_path,) = of_table(f"file,begin,end,type,words\n{path},{start},{end},X,кот\n", "one.csv", {"a.txt": ASTRAL})
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
def test_a_broken_table_is_refused_with_the_line(content: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        of_table(content)
    assert str(error.value).startswith(message)
    russian = in_language(error.value.text, RU)
    assert (russian.startswith("строка "), "line" in russian) == (True, False)


@pytest.mark.parametrize("before", ["sep=;\r\n", '"sep=;"\n\n', "\n", "\r\n \r\n", "\ufeffsep=;\r\n"])
def test_lines_before_the_names_are_left_out_and_counted(before: str) -> None:
    table_of = f"{before}text;start;end;label\r\nКот;0;3;X\r\n"
    (cat,) = of_table(table_of)
    assert marked(cat) == {"": [("Кот", "X")]}
    assert cat.layers[0].spans[0].place == f"line {table_of.count(chr(10))}"


def test_other_tables_are_not_taken() -> None:
    for content in ("", "a,b\n1,2\n", "start,end,label\n0,1,X\n", '"'):
        assert recognized(source("one.csv", content)) is None


CELLS = [
    *'text start end label document id , ; " 0 1 2 3.0 -1 99999999999 X Кот / ..'.split(),
    *("\n", "\r", "\r\n", "\x00", "\ufeff", "text,start,end,label\n", "document,start,end,label,words\n"),
]


@pytest.mark.property
@given(st.sampled_from(["", "document,text,start,end,label\n"]), st.lists(st.sampled_from(CELLS), max_size=25))
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
    for read, write, suffix in ((table.read, table.write, "csv"), (spacy.read_json, spacy.write_json, "jsonl")):
        output = write(corpus)
        assert output.losses == ()
        again = list(read(source(f"one.{suffix}", output.content)))
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
    for name in ("spacy", "csv", "conll"):
        writer = WRITERS[name]
        (ours / f"corpus{writer.suffix}").write_bytes(writer.write(corpus).content)
    command = [str(python), str(ROOM / "read_words.py"), str(ours)]
    by_tool = json.loads(subprocess.run(command, check=True, timeout=600, capture_output=True).stdout)
    words = [["Ёж", "PER"], ["кот", "LOC"], ["Зебра", "LOC"]]
    # To spaCy "кот." is one word.
    assert by_tool == {"spacy": [[["Ёж", "PER"], ["кот.", "LOC"]], words[2:]], "csv": words, "conll": words}
