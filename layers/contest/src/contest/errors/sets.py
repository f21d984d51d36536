"""What can go wrong with imports and downloads of sets: named members of :mod:`contest.refusals`' family."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from contest.refusals import ContestError


class UnknownImportError(ContestError):
    """There is no import of this id."""

    code = "unknown_import"
    status = HTTPStatus.NOT_FOUND
    en = "There is no import with this id."
    ru = "Импорта с таким идентификатором нет."


class ImportTooLargeError(ContestError):
    """The zip has more parts than an import takes."""

    code = "import_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    en = (
        "The zip is larger than an import may be; load it set by set, or the folder with the deployment's own "
        "credentials: contest cycle load FOLDER --direct."
    )
    ru = (
        "Архив больше, чем допускает импорт; загрузите его по выборкам или папку с правами самого развёртывания: "
        "contest cycle load ПАПКА --direct."
    )

    @classmethod
    def over(cls, size: int, most: int) -> ImportTooLargeError:
        """The error with both figures, in bytes."""
        said = {"message": f"{size} bytes, at most {most}", "message_ru": f"{size} байт, не более {most}"}
        return cls([{"code": "size", **said, "size": size, "most": most, "field": "body.size"}])


class WrongPartsError(ContestError):
    """An order names another number of parts than its size makes, or says of a set what it must not."""

    code = "wrong_parts"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    en = "The number of parts is not what the zip's size makes."
    ru = "Число частей не соответствует размеру архива."


class UnknownImportPartError(ContestError):
    """The zip was announced with fewer parts."""

    code = "unknown_import_part"
    status = HTTPStatus.NOT_FOUND
    en = "The import has no part of this number: it is announced with the numbers from 1 to that of its last part."
    ru = "Части с таким номером в импорте нет: части нумеруются с 1, сколько их объявлено."


class ImportClosedError(ContestError):
    """The upload was completed: nothing can be added."""

    code = "import_closed"
    status = HTTPStatus.CONFLICT
    en = "The upload is complete; begin another import."
    ru = "Загрузка завершена; начните новый импорт."


class PartsMissingError(ContestError):
    """An upload is completed before all its parts are there."""

    code = "parts_missing"
    status = HTTPStatus.CONFLICT
    en = "Some parts of the upload are not there yet; the details name them."
    ru = "Загружены не все части; недостающие — в подробностях."

    @classmethod
    def numbered(cls, numbers: Sequence[int]) -> PartsMissingError:
        """The error with the parts' numbers."""
        named = ", ".join(map(str, numbers))
        said = {"message": f"missing parts: {named}", "message_ru": f"нет частей: {named}"}
        return cls([{"code": "missing", **said, "numbers": list(numbers)}])


class UnknownSetError(ContestError):
    """There is no such set, or it is not for whoever asks; the two are not told apart."""

    code = "unknown_set"
    status = HTTPStatus.NOT_FOUND
    en = "There is no set of this name that you may have."
    ru = "Выборки с таким именем, доступной вам, нет."


class UnknownPartError(ContestError):
    """The set has fewer parts."""

    code = "unknown_part"
    status = HTTPStatus.NOT_FOUND
    en = "The set has no part of this number."
    ru = "Части с таким номером в выборке нет."


class NoPackError(ContestError):
    """A set is given in parts alone."""

    code = "no_pack"
    status = HTTPStatus.NOT_FOUND
    en = "This set is given in parts alone, which its manifest names: it is one part, or too large for one file."
    ru = "Эта выборка выдаётся только по частям, перечисленным в её описании: часть одна или файл был бы слишком велик."


class SetDecidedError(ContestError):
    """A set is to become what it is."""

    code = "set_decided"
    status = HTTPStatus.CONFLICT
    en = "That is so already: the set is published, or is not."
    ru = "Это уже так: выборка опубликована или не опубликована."


class SetStillSecretError(ContestError):
    """A final's or the reserve's files are to be published while a final may still need them."""

    code = "set_still_secret"
    status = HTTPStatus.CONFLICT
    en = "Final and reserve sets are published when a final's results are out and no run is planned or under way."
    ru = (
        "Финальную и резервную выборки публикуют, когда результаты финала опубликованы и нет назначенного или идущего"
        " прогона."
    )


class NoDescriptionError(ContestError):
    """The contest has no tables of its sets, or whoever asks has this one without its references."""

    code = "no_description"
    status = HTTPStatus.NOT_FOUND
    en = "There are no tables of this set for you."
    ru = "Таблиц этой выборки для вас нет."
