"""Errors of a participant's program. Every error has a stable code and a sentence in two languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.command import complaints
from markup_core.lazy import dataclass
from markup_core.texts import Text, in_language
from pku.messages import catalogue


def of_system(error: OSError) -> Text:
    """Return the system's reason of a refusal, in both languages."""
    return Text(error.strerror or str(error), complaints.of_system(error).ru)


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason: a stable code and a sentence in both languages."""

    code: str
    message: str
    message_ru: str

    def text(self, language: str) -> str:
        """Return the message in the language."""
        return self.message_ru if language == catalogue.RU else self.message


@dataclass(frozen=True, slots=True)
class Detail(Failure):
    """One thing wrong, and the place as the platform named it."""

    where: Mapping[str, Any]

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Detail:
        """Read it from the wire."""
        message = str(raw.get("message") or raw.get("code") or "")
        where = {name: value for name, value in raw.items() if name not in {"code", "message", "message_ru"}}
        return cls(str(raw.get("code") or ""), message, str(raw.get("message_ru") or message), where)


class PkuError(Exception):
    """An expected failure: said to a person in one sentence, never shown as a traceback."""

    def __init__(self, code: str, /, **values: Any) -> None:
        self.code = code
        self.values = values
        super().__init__(PkuError.text(self, catalogue.EN))

    def text(self, language: str) -> str:
        """Return the message in the language: the fault and its remedy."""
        return catalogue.sentence(f"error.{self.code}", language, **spoken(self.values, language))


def spoken(values: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    """Translate the errors, details and library messages among a sentence's fields into its language."""
    return {
        name: value.text(language)
        if isinstance(value, PkuError | Detail)
        else in_language(value, language)
        if isinstance(value, Text)
        else value
        for name, value in values.items()
    }


class ExchangeError(PkuError):
    """The platform refused, or could not be reached.

    ``code`` is the platform's own (``quota_exhausted`` …) or one of this client's: ``connection_failed`` (nothing
    came back), ``timeout`` (nothing came back in time), ``unexpected_response`` (what came back is not the API's).
    ``status`` is 0 where there was no response. ``retry_after_s`` is what the platform asked to wait, if it did.
    """

    def __init__(  # noqa: PLR0913  an error of the API has this many parts
        self,
        code: str,
        *,
        message: str,
        message_ru: str,
        status: int = 0,
        details: Sequence[Detail] = (),
        request_id: str | None = None,
        retry_after_s: float | None = None,
        language: str = catalogue.EN,
    ) -> None:
        Exception.__init__(self, message_ru if language == catalogue.RU else message)
        self.code = code
        self.values = {}
        self.message = message
        self.message_ru = message_ru
        self.status = status
        self.details = tuple(details)
        self.request_id = request_id
        self.retry_after_s = retry_after_s

    def text(self, language: str) -> str:
        """Return the platform's sentence, followed by the client's hint where there is one."""
        sentence = self.sentence(language)
        hint = catalogue.find(f"hint.{self.code}", language)
        return f"{sentence} {hint}" if hint else sentence

    def sentence(self, language: str) -> str:
        """Return the platform's sentence alone."""
        return self.message_ru if language == catalogue.RU else self.message

    def detail(self, name: str) -> Any:
        """Return the value that a detail has under a name (``session_id``, ``resets_at`` …); None if none has it."""
        return next((detail.where[name] for detail in self.details if name in detail.where), None)


CONNECTION_CODES: Final = frozenset({"connection_failed", "timeout"})
"""Codes that mean nothing came back: the request may be repeated later."""
