"""Widening insertions: the rule that makes a corpus of corrections a set of essays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.trial import CorpusError, read_corpus, widen, write_cycle


@pytest.mark.parametrize(
    ("text", "position", "covered"),
    [
        ("так само і", 3, "так"),  # after a word: that word
        ("так само і", 4, "само"),  # before a word, after a blank: the word that follows
        ("так само і", 5, "с"),  # within a word: what of it stands before the position
        ("", 0, ""),  # nothing to cover
        ("  а", 1, " "),  # between blanks: the blank before
        (" а", 0, " "),  # a blank at the very beginning: the first character
        ("а ", 2, " "),  # after the last blank
    ],
)
def test_an_insertion_is_widened_to_the_run_it_touches(text: str, position: int, covered: str) -> None:
    start, end = widen(text, position)
    assert text[start:end] == covered


@given(st.text(alphabet="аб .,\n😀", min_size=1), st.data())
def test_a_widened_insertion_covers_something_and_touches_its_place(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    start, end = widen(text, position)
    assert start < end
    assert start <= position <= end


def corpus(folder: Path) -> Path:
    insertion = {
        "id": 1,
        "startSelection": 3,
        "endSelection": 3,
        "type": "Punctuation",
        "subtype": "",
        "comment": "",
        "explanation": "",
        "correction": ",",
        "tag": "gec",
        "group": None,
    }
    markup = {"meta": {"id": "1"}, "text": "так само", "selections": [insertion], "criteria": {}}
    (folder / "index.json").write_text(json.dumps([{"id": "1", "files": ["1.a1.json", "1.a2.json"]}]))
    (folder / "types.json").write_text(json.dumps({"Punctuation": 1, "F/Style": 2}))
    for name in ("1.a1.json", "1.a2.json"):
        (folder / name).write_text(json.dumps(markup))
    return folder


def test_the_correction_of_a_widened_insertion_is_the_run_with_the_insertion_made(tmp_path: Path) -> None:
    (text,) = read_corpus(corpus(tmp_path))
    (fragment,) = text.annotators[0]["selections"]
    assert (fragment["startSelection"], fragment["endSelection"], fragment["correction"]) == (0, 3, "так,")


def test_annotators_of_different_texts_are_refused(tmp_path: Path) -> None:
    corpus(tmp_path)
    (tmp_path / "1.a2.json").write_text(json.dumps({"meta": {}, "text": "інший", "selections": []}))
    with pytest.raises(CorpusError, match="text 1: the two annotators"):
        read_corpus(tmp_path)


def test_a_folder_without_an_index_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"index\.json"):
        read_corpus(tmp_path)


def test_a_cycle_folder_holds_the_text_and_its_two_experts(tmp_path: Path) -> None:
    texts = read_corpus(corpus(tmp_path))
    write_cycle(tmp_path / "cycle", "demo", texts, {"subjects": {}})
    names = sorted(path.name for path in (tmp_path / "cycle" / "train").iterdir())
    assert names == ["uk-1.json", "uk-1_exp01.json", "uk-1_exp02.json"]
