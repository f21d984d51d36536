"""The trial on real texts (README): the rule that makes a corpus of corrections a set of essays, and its checks.

The whole trial is skipped where HURDLE_TRIAL_DATA names no folder. The gate plays a sixth of the texts, those beyond
the Basic Multilingual Plane included; ``make trial`` all.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.trial import CorpusError, play, read_corpus, show_trial, widen, write_cycle

DATA = os.environ.get("HURDLE_TRIAL_DATA", "")
FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"


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


def a_sixth(data: Path, folder: Path) -> Path:
    """Write a corpus of every sixth text and of all that have characters beyond the Basic Multilingual Plane."""
    for each in data.iterdir():
        (folder / each.name).symlink_to(each)
    index = folder / "index.json"
    texts = json.loads(index.read_text("utf-8"))
    index.unlink()
    index.write_text(json.dumps([each for n, each in enumerate(texts) if n % 6 == 0 or each["astral"]]), "utf-8")
    return folder


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not Path(DATA).is_dir() or not DATA, reason="HURDLE_TRIAL_DATA names no folder of texts")
def test_every_check_of_the_trial_passes_on_real_texts(tmp_path: Path) -> None:
    said: list[str] = []
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, workers=1, warm=True) as cloud:
        played, checks = play(cloud, a_sixth(Path(DATA), tmp_path), said.append)
    show_trial(played, checks)
    assert [check for check in checks if not check.passed] == []
    assert len(checks) >= 14
    assert len({each.program for each in played}) == 4
