"""Whoever imports the library finds the documented names, whatever room each lives in."""

from __future__ import annotations

import pydoc
from pathlib import Path
from types import ModuleType

import pytest

import markup_core
import markup_core.command.operations  # by now every module has been imported, and none may hide a name
from markup_core.command.folder import UnreadableError


@pytest.mark.parametrize("name", markup_core.__all__)
def test_every_documented_name_is_there_and_is_no_module(name: str) -> None:
    found = getattr(markup_core, name)
    assert not isinstance(found, ModuleType)
    assert name in {"__version__", getattr(found, "__name__", None)}


def test_a_name_that_does_not_exist_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'parrot'"):
        markup_core.parrot  # noqa: B018


def test_dir_and_help_list_the_documented_names() -> None:
    assert set(markup_core.__all__) <= set(dir(markup_core))
    assert not {"Any", "Final", "TYPE_CHECKING", "import_module"} & set(dir(markup_core))
    page = pydoc.plain(pydoc.render_doc(markup_core))
    assert [name for name in markup_core.__all__ if name not in page] == []


@pytest.mark.parametrize(
    "name",
    ["score_pair", "score", "match", "third_expert", "score_essay", "grade", "render", "nominations", "agreement"],
)
def test_decoded_json_in_the_place_of_a_markup_is_refused_with_what_to_call(name: str) -> None:
    raw: dict[str, object] = {"meta": {"subject": "rus"}, "text": "а", "selections": []}
    arguments = {
        "score_essay": (raw, []),
        "grade": (raw,),
        "render": (raw,),
        "nominations": (raw, []),
        "agreement": ([[raw]],),
    }.get(name, (raw, raw))
    with pytest.raises(TypeError, match=r"not dict: .*markup_core\.validate\(value\)\.markup decoded JSON"):
        getattr(markup_core, name)(*arguments)


def test_decoded_json_in_the_place_of_a_string_or_of_an_essay_is_refused_with_what_to_call() -> None:
    for read in (markup_core.loads, markup_core.parse):
        with pytest.raises(TypeError, match=r"a string is expected, not dict: .*markup_core\.validate"):
            read({"text": ""})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"an EssayInput is expected, not dict: markup_core\.load_folder"):
        markup_core.score_sample([{}])  # type: ignore[list-item]


def test_what_another_tool_wrote_is_named_by_every_reader() -> None:
    (fault,) = markup_core.validate({"id": 1, "text": "a", "label": [[0, 1, "x"]]}).errors
    assert (fault.code, "doccano" in fault.message) == ("another_format", True)
    (fault,) = markup_core.validate([{"id": 1, "data": {"text": "a"}, "annotations": []}]).errors
    assert (fault.code, "Label Studio" in fault.message) == ("another_format", True)
    assert [each.code for each in markup_core.validate([{}]).errors] == ["not_an_object"]
    for text, name in (
        ("#FORMAT=WebAnno TSV 3.3\n", "WebAnno TSV"),
        ("S a b\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0\n", "M2"),
        ('{"text": "a", "label": []}\n{"text": "b", "label": []}\n', "doccano"),
        ('{"_views": {}, "_referenced_fss": {}}', "legacy JSON"),
    ):
        with pytest.raises(ValueError, match=name):
            markup_core.loads(text)


def test_a_missing_folder_is_an_error_of_the_system_too(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere: no such file or directory"):
        markup_core.load_folder(tmp_path / "nowhere")


def test_a_missing_file_is_an_error_of_the_system_and_of_the_library(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nowhere\.json: no such file") as caught:
        markup_core.load(tmp_path / "nowhere.json")
    assert isinstance(caught.value, UnreadableError)
    assert caught.value.text("ru").endswith("nowhere.json: нет такого файла или папки")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    (tmp_path / "wrong.json").write_text("{")
    with pytest.raises(UnreadableError) as broken:
        markup_core.load(tmp_path / "wrong.json")
    assert not isinstance(broken.value, OSError)
