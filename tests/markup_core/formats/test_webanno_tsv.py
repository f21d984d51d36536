r"""WebAnno TSV 3.3 in the shape of INCEpTION's user guide ("WebAnno TSV 3.3 File format").

From there: offsets are UTF-16 code units; ``#Text=`` once for each line of a sentence, ``\r`` escaped; ``_`` for no
annotation, ``*`` for one without a value; ``[N]`` for annotations of several tokens and stacked ones; sub-tokens
(``1-3.1``), also of no length; chains, relations and slots in columns of their own.
"""

from __future__ import annotations

import pytest

from markup_core.formats.corpus import Imported
from markup_core.formats.foreign import FormatError
from markup_core.formats.labels import Wanted
from markup_core.model import Fragment
from tests.markup_core.formats import reading

TEXT = "Кот 😀 пошёл\r\nв е\u0301ж.\nОн купил."
TSV = (
    "#FORMAT=WebAnno TSV 3.3\n"
    "#T_SP=webanno.custom.Error|Comment|code\n"
    "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n"
    "#T_SP=webanno.custom.Host|ROLE_webanno.custom.Host:links_webanno.custom.Link|webanno.custom.Error\n"
    "#T_SP=webanno.custom.Plain|\n"
    "#T_RL=webanno.custom.Rel|label|BT_webanno.custom.Error\n"
    "\n"
    "\n"
    "#Text=Кот 😀 пошёл\\r\n"
    "#Text=в е\u0301ж.\n"
    "1-1\t0-3\tКот\t_\t_\tNOUN\t_\t_\t_\t_\t_\t\n"
    "1-2\t4-6\t😀\t*\tГ.слов\t_\t_\t_\t_\t_\t_\t\n"
    "1-3\t7-12\tпошёл\tне \\_туда\\_[1]|*[2]\tГ.упр[1]|Г.слов[2]\t_\t_\t_\t_\t_\t_\t\n"
    "1-4\t14-15\tв\tне \\_туда\\_[1]\tГ.упр[1]\t_\t_\t_\t_\tx\t1-2\t\n"
    "1-5\t16-19\tе\u0301ж\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
    "1-5.1\t16-17\tе\t*\t*\t_\t_\t_\t_\t_\t_\t\n"
    "1-6\t19-20\t.\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
    "1-6.1\t20-20\t\t*\tГ.упр\t_\t_\t_\t_\t_\t_\t\n"
    "\n"
    "#Text=Он купил.\n"
    "2-1\t21-23\tОн\t_\t_\t_\ts\t1-2\t_\t_\t_\t\n"
    "2-2\t24-29\tкупил\t_\t_\t_\t_\t_\t*\t_\t_\t\n"
    "2-3\t29-30\t.\t_\t_\t_\t_\t_\t_\t_\t_\t\n"
)
WANTED = Wanted(subject="rus", codes={"Error": "Г.сказ", "Host": "Г.сказ", "Plain": "Г.сказ"})


def read(tsv: str) -> Imported:
    (imported,) = reading.read("webanno-tsv", tsv, WANTED)
    return imported


@pytest.mark.parametrize("content", [TSV, "\ufeff" + TSV, TSV.replace("\n", "\r\n")], ids=["", "mark", "crlf"])
def test_a_document_of_webanno(content: str) -> None:
    got = read(content)
    assert got.markup.text == TEXT
    assert [
        (TEXT[fragment.start : fragment.end], fragment.code, fragment.comment) for fragment in got.markup.fragments
    ] == [
        ("😀", "Г.слов", ""),
        ("пошёл\r\nв", "Г.упр", "не _туда_"),
        ("пошёл", "Г.слов", ""),
        ("е", "Г.сказ", ""),
        ("Он", "Г.сказ", ""),
        ("купил", "Г.сказ", ""),
    ]
    assert got.markup.fragments[0] == Fragment(4, 5, "Г.слов", id=2)
    assert reading.losses(got) == {"relations": 1, "empty": 1, "layers": 1, "features": 1}


@pytest.mark.parametrize(
    ("tsv", "message"),
    [
        (TSV + "что это\n", r"line 24: this is no line of WebAnno TSV"),
        (TSV.replace("4-6", "4-5"), r"line 12: the span begins or ends outside the text or inside a character"),
        (TSV.replace("24-29\tкупил", "24-29\tкупит"), "line 22: the token is .*UTF-16"),
        (TSV.replace("21-23", "999999999-999999999"), "at most 4000000 characters"),
        (TSV.replace("\tГ.упр[1]", "\tНет[1]"), r"one\.tsv: line 13: the label \"Нет\" is no code"),
    ],
    ids=["line", "half", "words", "far", "label"],
)
def test_what_is_broken_is_told_with_its_line(tsv: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(tsv)
