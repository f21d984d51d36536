"""Reasons why a command or an operation cannot do its work: sentences in Russian and English.

The faults inside a markup or its JSON are not among them: those are the library's own messages.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from markup_core.reading.wire import short, short_ru
from markup_core.texts import Text, at, first_of, in_language

if TYPE_CHECKING:
    from markup_core.notation import NotationError

_TEXTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "not_utf8": (
            "{file}: байт по смещению {offset} — не UTF-8; сохраните файл в UTF-8",
            "{file}: the byte at offset {offset} is not UTF-8; save it as UTF-8",
        ),
        "classifier": (
            "{file}: классификатором нельзя пользоваться: {problems}",
            "{file}: the classifier cannot be used: {problems}",
        ),
        "no_essays": (
            "{folder}: нет ни одного файла ID.json или ID_exp01.json",
            "{folder}: there is no file ID.json or ID_exp01.json",
        ),
        "names_alike": (
            "{file}: в папке два файла с этим именем, буквы й и ё записаны в них по-разному; переименуйте один из них",
            "{file}: two files have this name, their accented letters encoded in two ways; rename one of them",
        ),
        "no_such_essay": ("{file}: в папке {folder} нет такого эссе", "{file}: there is no such essay in {folder}"),
        "no_text": ("{file}: это не эссе: нет текста", "{file}: there is no essay, which has a text"),
        "no_subject": (
            "в классификаторе нет предмета {subject}; есть {subjects}",
            "the classifier knows no subject {subject}; it knows {subjects}",
        ),
        "pinned_without_parameters": (
            "{file}: у записи {op} нет параметров оценивания; уберите --params и остальные ключи с параметрами",
            "{file}: a record of {op} has no parameters of the scoring; leave --params and its like out",
        ),
        "params_no_object": (
            "{file}: параметры должны быть объектом JSON",
            "{file}: the parameters must be a JSON object",
        ),
        "weights": (
            "--weights: ожидаются семь чисел через запятую, а не {weights}",
            "--weights: seven numbers with commas are expected, not {weights}",
        ),
        "options_of_two": (
            "{folder} — папка; Y, --ratings и --x-is-expert — только для двух разметок",
            "{folder} is a folder; Y, --ratings and --x-is-expert are for two markups",
        ),
        "options_of_a_folder": (
            "--answers и --seed — только для папки",
            "--answers and --seed are for a folder",
        ),
        "no_second": (
            "{file} — не папка; нужна вторая разметка",
            "{file} is no folder; a second markup is needed",
        ),
        "nothing_to_compare": (
            (
                "{folder}: сравнивать нечего: нет эссе, у которого рядом с экспертной разметкой (ID_exp01.json) есть "
                "разметка программы (ID.json) или второго эксперта"
            ),
            (
                "{folder}: nothing can be compared: no essay has an expert's markup (ID_exp01.json) with a program's "
                "(ID.json) or a second expert's beside it"
            ),
        ),
        "no_couple": (
            "{folder}: сравнивать нечего: нет эссе с разметками двух экспертов",
            "{folder}: nothing can be compared: no essay has the markups of two experts",
        ),
        "own_markup": (
            "{file} — разметка в нашем формате; --subject — только для других форматов, --codes — ещё для --to brat",
            "{file} is a markup of our own; --subject is for other formats, --codes for --to brat as well",
        ),
        "codes_no_object": (
            "{file}: ожидается объект JSON: для каждой метки код или null",
            "{file}: a JSON object is expected, of a code or null for each label",
        ),
        "overwrites": (
            "{file}: файл был бы записан поверх исходного; укажите другое место: -o",
            "{file}: this would overwrite its own input; write elsewhere with -o",
        ),
        "standoff_text": (
            "{file}: сюда пишется текст для brat, но в файле уже есть другое; укажите другое место: -o",
            "{file}: brat's text goes here, but the file holds something else; -o elsewhere",
        ),
        "other_project": (
            "{file}: в проекте brat нет типов {types}; допишите их или выгрузите в другую папку: -o",
            "{file}: the brat project there lacks the types {types}; add them, or write to another folder with -o",
        ),
        "same_name": (
            "{file}: так назывались бы два результата; преобразуйте их по отдельности",
            "{file}: two results would have this name; convert them apart",
        ),
        "several_results": (
            "результатов: {count}; назовите для них существующую папку: -o FOLDER",
            "there are {count} results; name an existing folder for them: -o FOLDER",
        ),
        "two_files": (
            "в формате brat два файла; назовите файл аннотаций, -o FILE.ann, или папку",
            "brat's format is two files; name the one of the annotations: -o FILE.ann, or a folder",
        ),
        "record_no_object": (
            "{file}: запись результата — объект JSON",
            "{file}: a score record is a JSON object",
        ),
        "record_of_validate": (
            "{file}: в записи команды validate нет результата оценивания; выполните validate ещё раз",
            "{file}: a record of validate holds no score; run validate again",
        ),
        "no_inputs": (
            "{file}: исходные данные в записи не названы; укажите их ключами --answer и --references",
            "{file}: the record names no inputs; give them by --answer and --references",
        ),
        "no_record": (
            "{file}: это не запись результата: нет отпечатка",
            "{file}: there is no score record, which has a fingerprint",
        ),
        "fingerprint_parameters": (
            "{file}: параметры в отпечатке — не объект",
            "{file}: the fingerprint's parameters are no object",
        ),
        "references": (
            "{file}: запись операции {op} не проверить, если разметок в --references {count}",
            "{file}: a record of {op} cannot be verified with {count} references",
        ),
        "input_names": (
            "{file}: исходные данные записи должны быть именами файлов",
            "{file}: the record's inputs must be names of files",
        ),
        "no_list": ("{file}: в поле {name} должен быть список", "{file}: {name} must be a list"),
        "essay_inputs": (
            "{file}: исходные данные записи: эссе называет разметки программы и экспертов",
            "{file}: the record's inputs: an essay names its algorithm and experts",
        ),
    }
)

_SYSTEM: Final[Mapping[int, str]] = MappingProxyType(
    {
        errno.EEXIST: "такой файл уже есть",
        errno.ENOENT: "нет такого файла или папки",
        errno.EISDIR: "это папка, а не файл",
        errno.ENOTDIR: "это не папка",
        errno.EACCES: "нет прав доступа",
        errno.EPERM: "нет прав доступа",
        errno.EROFS: "сюда нельзя писать",
        errno.ENOSPC: "на диске нет места",
        errno.ENAMETOOLONG: "имя слишком длинное",
    }
)
"""What the system says most often; it says the rest in its own words."""


def complaint(name: str, /, **values: object) -> tuple[str, str]:
    """Return the sentence of a name, in English and in Russian."""
    russian, english = _TEXTS[name]
    return english.format(**values), russian.format(**values)


def of_notation(error: NotationError) -> tuple[str, str]:
    """Word an error of the notation and its place, in English and in Russian."""
    excerpt = f"\n{error.excerpt}" if error.excerpt else ""
    return str(error), f"строка {error.line}, столбец {error.column}: {error.russian}{excerpt}"


def of_system(error: OSError) -> tuple[str, str]:
    """Word the system's refusal of a file or folder, in English and in Russian."""
    english = (error.strerror or str(error)).lower()
    return english, _SYSTEM.get(error.errno or 0, english)


class RefusedError(ValueError):
    """A request that cannot be answered: a stable code, a sentence, and details for programs.

    ``message`` and those of ``details`` are English and carry their Russian (:mod:`markup_core.texts`).
    """

    def __init__(self, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def to_dict(self) -> dict[str, Any]:
        """Return the refusal as JSON."""
        return {"code": self.code, "message": self.message, "details": self.details}

    def text(self, language: str) -> str:
        """Return the sentence in a language."""
        return in_language(self.message, language)


def bad_field(field: str, message: str) -> RefusedError:
    """Refuse a field of a request."""
    return RefusedError("invalid_request", message, {"field": field})


def unexpected(field: str, english: str, russian: str, value: Any) -> RefusedError:
    """Refuse a field's value, naming the values that are allowed in both languages."""
    message = Text(
        f"{field} must be {english}, not {short(value)}", f"{field}: ожидается {russian}, а не {short_ru(value)}"
    )
    return bad_field(field, message)


def invalid(faults: list[dict[str, Any]]) -> RefusedError:
    """Refuse invalid markups with every fault."""
    message = first_of([at(fault["input"], fault["message"]) for fault in faults], 1)
    return RefusedError("invalid_markup", message, faults)
