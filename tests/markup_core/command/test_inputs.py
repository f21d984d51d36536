"""Error messages of the command: the same in both languages, whatever the reason."""

from __future__ import annotations

import errno
import json
import re
import shutil
from pathlib import Path

import pytest

from markup_core.command import inputs
from markup_core.command.cli import main
from markup_core.command.inputs import UnreadableError
from markup_core.reading import wire

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
COMMAND = Path(inputs.__file__).parent
RECORD = {"fingerprint": {"op": "pair", "parameters": None}}


@pytest.fixture
def essays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the documented folder, make it the current one, and add files that no command can read."""
    current = Path(shutil.copytree(EXAMPLES / "essays", tmp_path / "essays"))
    for name, value in {
        "list": [],
        "plain": {},
        "validated": {"fingerprint": {"op": "validate"}},
        "record": RECORD,
        "parameters": {"fingerprint": {"op": "pair", "parameters": 1}},
        "names": {**RECORD, "inputs": {"x": 1}},
        "experts": {**RECORD, "inputs": {"experts": 1}},
        "nested": {**RECORD, "inputs": {"essays": [1]}},
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    for name, data in {
        "broken": b'{"a": \n',
        "twice": b'{"a": 1, "a": 2}',
        "nan": b"[NaN]",
        "digits": b"1" * 5000,
        "deep": b"[" * 100 + b"]" * 100,
        "latin": b'"\xff"',
        "marked": b"\xef\xbb\xbf{}",
    }.items():
        (tmp_path / f"{name}.json").write_bytes(data)
    (tmp_path / "latin.txt").write_bytes(b"\xff")
    (tmp_path / "open.txt").write_text("Предмет: rus\n\nКот *) спит", "utf-8")
    (tmp_path / "other.txt").write_text("Другое", "utf-8")
    for path in ("empty", "alone", "strangers", "one"):
        (tmp_path / path).mkdir()
    shutil.copy(current / "books_exp01.json", tmp_path / "alone")
    shutil.copy(current / "books.json", tmp_path / "strangers" / "cats.json")
    shutil.copy(current / "books.json", tmp_path / "one")
    shutil.copy(current / "books.json", tmp_path / "other.json")
    monkeypatch.chdir(tmp_path)
    return current


BOOKS = "essays/books.json"
REFUSED = [
    ("grade nowhere.json", "nowhere.json: нет такого файла или папки"),
    ("grade essays", "essays: это папка, а не файл"),
    ("grade essays/books.json/x.json", "essays/books.json/x.json: это не папка"),
    ("report nowhere", "nowhere: нет такого файла или папки"),
    ("report essays -o nowhere/report.md", "nowhere/report.md: нет такого файла или папки"),
    ("grade broken.json", "broken.json: строка 2, столбец 1: ожидается значение"),
    ("grade twice.json", 'twice.json: строка 1, столбец 10: ключ "a" стоит в объекте дважды'),
    ("grade nan.json", "nan.json: строка 1, столбец 2: NaN — не число JSON"),
    ("grade digits.json", "digits.json: строка 1, столбец 1: цифр в числе: 5000, допустимо не больше 4300"),
    ("grade deep.json", "deep.json: глубина вложенности списков и объектов больше 64"),
    ("grade latin.json", "latin.json: строка 1, столбец 2: байт 0xff по смещению 1 — не UTF-8; нужен UTF-8"),
    ("grade marked.json", "marked.json: строка 1, столбец 1: перед JSON стоит метка порядка байтов (BOM); уберите её"),
    ("grade latin.txt", "latin.txt: байт по смещению 0 — не UTF-8; сохраните файл в UTF-8"),
    ("codes --classifier plain.json", "plain.json: классификатором нельзя пользоваться: "),
    ("codes cats", "в классификаторе нет предмета cats; есть rus, "),
    ("report empty", "empty: нет ни одного файла ID.json или ID_exp01.json"),
    ("report essays --answers strangers", "strangers/cats.json: в папке essays нет такого эссе"),
    ("report alone", "alone: сравнивать нечего: нет эссе, у которого рядом с экспертной разметкой"),
    ("agree one", "one: сравнивать нечего: нет эссе с разметками двух экспертов"),
    ("agree essays --format csv -o plain.json", "plain.json: такой файл уже есть"),
    (f"validate {BOOKS} --essay list.json", "list.json: это не эссе: нет текста"),
    (f"match {BOOKS} {BOOKS} --params list.json", "list.json: параметры должны быть объектом JSON"),
    (f"match {BOOKS} {BOOKS} --weights a,b", "--weights: ожидаются семь чисел через запятую, а не a,b"),
    ("compare essays --x-is-expert", "essays — папка; Y, --ratings и --x-is-expert — только для двух разметок"),
    (f"compare {BOOKS} {BOOKS} --seed 1", "--answers, --against и --seed — только для папки"),
    (f"compare {BOOKS}", "essays/books.json — не папка; нужна вторая разметка"),
    (f"convert {BOOKS} --subject rus", "essays/books.json — разметка в нашем формате; --subject — только для других"),
    ("convert x.ann --codes list.json", "list.json: ожидается объект JSON: для каждой метки код или null"),
    (f"convert {BOOKS} -o {BOOKS}", "essays/books.json: файл был бы записан поверх исходного"),
    ("convert other.json --to brat -o .", "other.txt: сюда пишется текст для brat, но в файле уже есть другое"),
    (f"convert {BOOKS} one/books.json -o empty", "empty/books.txt: так назывались бы два результата"),
    (f"convert {BOOKS} other.json", "результатов: 2; назовите для них существующую папку: -o FOLDER"),
    (f"convert {BOOKS} --to brat", "в формате brat два файла; назовите файл аннотаций, -o FILE.ann, или папку"),
    ("convert deep.json", "deep.json: глубина вложенности списков и объектов больше 64"),
    ("convert nowhere.txt", "nowhere.txt: нет такого файла или папки"),
    (
        "validate marked.json",
        "marked.json: строка 1, столбец 1: перед JSON стоит метка порядка байтов (BOM); уберите её",
    ),
    ("report essays/books.json", "essays/books.json: это не папка"),
    ("compare nowhere --json", "nowhere — не папка; нужна вторая разметка"),
    (f"compare {BOOKS} essays/summer.json", f"{BOOKS} и essays/summer.json — разметки разных текстов: они различаются"),
    (f"match {BOOKS} essays/summer.json", f"{BOOKS} и essays/summer.json — разметки разных текстов: они различаются"),
    (f"match {BOOKS} {BOOKS} --params nowhere.json", "nowhere.json: нет такого файла или папки"),
    (f"compare essays {BOOKS}", "essays — папка; Y, --ratings и --x-is-expert — только для двух разметок"),
    (f"compare essays --ratings {BOOKS}", "essays — папка; Y, --ratings и --x-is-expert — только для двух разметок"),
    ("compare essays --weights 1,2", "weights: ожидается 7 чисел, по одному для каждой из M1…M7, а дано 2"),
    ("compare essays --hardness 2", "hardness: ожидается число от 0 до 1, а не 2.0"),
    ("compare essays --paraphrase no", "paraphrase: способа сравнения 'no' нет; есть default, exact"),
    (f"compare essays --classifier {BOOKS}", f"{BOOKS}: классификатором нельзя пользоваться: 'subjects' — объект, где"),
    ("compare essays --answers nowhere", "nowhere: нет такого файла или папки"),
    (f"verify {BOOKS}", f"{BOOKS}: это не запись результата: нет отпечатка"),
    ("verify nowhere.json", "nowhere.json: нет такого файла или папки"),
    ("verify list.json", "list.json: запись результата — объект JSON"),
    ("verify plain.json", "plain.json: это не запись результата: нет отпечатка"),
    ("verify validated.json", "validated.json: в записи команды validate нет результата оценивания"),
    ("verify record.json", "record.json: исходные данные в записи не названы; укажите их ключами --answer"),
    ("verify parameters.json", "parameters.json: параметры в отпечатке — не объект"),
    (f"verify record.json --answer {BOOKS}", "record.json: запись операции pair не проверить, если разметок в --ref"),
    ("verify names.json", "names.json: исходные данные записи должны быть именами файлов"),
    ("verify experts.json", "experts.json: в поле experts должен быть список"),
    ("verify nested.json", "nested.json: исходные данные записи: эссе называет разметки программы и экспертов"),
]


@pytest.mark.parametrize(("command", "told"), REFUSED, ids=[command for command, _ in REFUSED])
def test_what_cannot_be_done_is_told_in_one_line_of_either_language(
    essays: Path, capsys: pytest.CaptureFixture[str], command: str, told: str
) -> None:
    for language, reason in (("ru", told), ("en", "")):
        assert main([*command.split(), "--lang", language]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.startswith(f"markup-core: {reason}")
        assert output.err.count("\n") == 1
    assert not re.search("[а-яё]", output.err, re.IGNORECASE)


def test_a_mistake_in_the_notation_is_told_in_russian_with_its_place(
    essays: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "open.txt", "--lang", "ru"]) == 2
    told, line, caret = capsys.readouterr().err.splitlines()
    assert told.startswith("markup-core: open.txt: строка 3, столбец 5: ")
    assert not re.search("[a-z]", told.rpartition("столбец 5: ")[2])
    assert line.index("*)") == caret.index("^")


def test_a_long_list_of_faults_ends_in_the_language_asked_for(essays: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = json.loads((essays / "books.json").read_text("utf-8"))
    (essays / "books.json").write_text(json.dumps({**book, "selections": [0] * 25}), "utf-8")
    assert main(["grade", BOOKS, "--lang", "ru"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "  … и ещё 5"
    assert main(["grade", BOOKS]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "  … 5 more"


def test_what_nobody_said_in_russian_stays_as_it_is() -> None:
    error = UnreadableError("a.json: bad")
    assert error.text("en") == error.text("ru") == "a.json: bad"
    rare = UnreadableError.about(Path("a.json"), inputs.of_system(OSError(errno.EDQUOT, "Quota exceeded")))
    assert (str(rare), rare.text("ru")) == ("a.json: quota exceeded", f"a.json: отказ системы, errno {errno.EDQUOT}")
    unknown = inputs.of_system(OSError("out of luck"))
    assert (unknown.en, unknown.ru) == ("out of luck", "out of luck")


def test_too_large_a_file_names_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text('"' + "a" * 100 + '"')
    with pytest.raises(UnreadableError) as refused:
        inputs.read_json(path, wire.Limits(max_bytes=50, max_depth=80))
    assert refused.value.text("ru") == f"{path}: размер JSON — 102 байт, допустимо 50"
