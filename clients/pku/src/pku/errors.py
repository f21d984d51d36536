"""Failures in a participant's program: errors with a sentence in two languages, and the patience with lost requests.

Every error has a stable code, under which :mod:`pku.messages` has its sentence.

Inside an open session files are at stake, and a connection that is lost for minutes comes back: there the kit is
patient, and says what it waits for. Everywhere else somebody sits before the screen, and wants to know at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from string import Formatter
from typing import Any, Final

from markup_core.command import inputs
from markup_core.lazy import dataclass
from markup_core.rounding import fixed, percent
from markup_core.texts import EN, RU, Text, in_language
from pku.messages import SENTENCES

CODED: Final = frozenset({"state", "cause", "mode", "status", "kind", "became", "failure"})
"""Fields that hold a code of the platform, and the beginnings of the names of what the codes mean."""


def find(name: str, language: str) -> str | None:
    """Return the unformatted text of a name; None if there is none."""
    texts = SENTENCES.get(name)
    return None if texts is None else in_language(texts, language)


def sentence(name: str, language: str, /, **values: Any) -> str:
    """Return the text of a name with its fields filled; KeyError for a name that is not in the catalogue.

    The platform's codes (``state``, ``cause``, ``mode``) are said in words, and numbers as the language writes them.
    """
    fields = {field: word(field, value, language) if field in CODED else value for field, value in values.items()}
    return _Sentence(language).format(in_language(SENTENCES[name], language), **fields)


def word(kind: str, code: Any, language: str) -> str:
    """Return the meaning of a code of the platform; the code itself where a newer platform has an unknown one."""
    return find(f"{kind}.{code}", language) or str(code)


def number(value: float, digits: int, language: str) -> str:
    """Write a number with so many decimals, after a comma in Russian."""
    return _pointed(fixed(value, digits), language)


class _Sentence(Formatter):
    """``str.format`` with numbers as a language writes them, and ``{n:#file|files}`` for ``1 file`` and ``3 files``."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        """See :class:`string.Formatter`."""
        if format_spec.startswith("#"):
            one, many = format_spec[1:].split("|")
            return f"{value} {one if value == 1 else many}"
        if format_spec.endswith("%"):  # a share, alone or with the limits on whose side it has to lie
            share, *limits = value if isinstance(value, tuple) else (value,)
            return _pointed(f"{percent(share, *limits, least=int(format_spec[1:-1]))}%", self._language)
        text: str = super().format_field(value, format_spec)
        return _pointed(text, self._language) if isinstance(value, float) else text


def _pointed(text: str, language: str) -> str:
    """Write a number's decimal point and per cent sign as the language does."""
    return text.replace(".", ",").replace("%", "\N{NO-BREAK SPACE}%") if language == RU else text


def of_system(error: OSError) -> Text:
    """Return the system's reason of a refusal, in both languages."""
    return Text(error.strerror or str(error), inputs.of_system(error).ru)


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason: a stable code and a sentence in both languages."""

    code: str
    message: str
    message_ru: str

    def text(self, language: str) -> str:
        """Return the message in the language."""
        return self.message_ru if language == RU else self.message


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

    @property
    def field(self) -> str:
        """Return the place in a request as a prefix, ``body.set: ``; of an answer the message has it."""
        field = str(self.where.get("field", ""))
        return f"{field}: " if field.startswith(("body.", "query.", "path.", "header.")) else ""


class PkuError(Exception):
    """An expected failure: said to a person in one sentence, never shown as a traceback."""

    def __init__(self, code: str, /, **values: Any) -> None:
        self.code = code
        self.values = values
        super().__init__(PkuError.text(self, EN))

    def text(self, language: str) -> str:
        """Return the message in the language: the fault and its remedy."""
        return sentence(f"error.{self.code}", language, **spoken(self.values, language))


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
        language: str = EN,
    ) -> None:
        Exception.__init__(self, message_ru if language == RU else message)
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
        hint = find(f"hint.{self.code}", language)
        return f"{sentence} {hint}" if hint else sentence

    def sentence(self, language: str) -> str:
        """Return the platform's sentence alone."""
        return self.message_ru if language == RU else self.message

    def detail(self, name: str) -> Any:
        """Return the value that a detail has under a name (``session_id``, ``resets_at`` …); None if none has it."""
        return next((detail.where[name] for detail in self.details if name in detail.where), None)


CONNECTION_CODES: Final = frozenset({"connection_failed", "timeout"})
"""Codes that mean nothing came back: the request may be repeated later."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of one request's duration and retries, in seconds.

    ``refused_s`` bounds the waits while the platform answers that it is busy or has failed. ``unreachable_s`` is how
    long after the first try nothing may come back at all; ``connect_s`` is for one connection, ``answer_s`` for each
    silence after it.
    """

    refused_s: float
    unreachable_s: float
    connect_s: float
    answer_s: float = 35.0
    """Longest silence: the gateway gives up after 30 s; a little more shows its own answer instead of a silence."""


WORKING: Final = Patience(refused_s=900.0, unreachable_s=900.0, connect_s=10.0)
"""Patience inside an open session: as long as a session survives without requests of its program (platform §3)."""
BRIEF: Final = Patience(refused_s=60.0, unreachable_s=1.5, connect_s=3.0)
"""Patience of interactive commands: an unreachable platform is reported within five seconds."""
ONCE: Final = Patience(refused_s=0.0, unreachable_s=0.0, connect_s=2.0, answer_s=3.0)
"""Patience of optional requests, for which nobody waits: one try, given up after five seconds."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A request that has failed and will be asked again. Moments are by this machine's clock."""

    tries: int
    since: float
    until: float
    """Moment at which the retries end at the latest."""
    error: ExchangeError


Listener = Callable[[Trouble | None], None]
"""Callback for each failure that will be retried, and None when the retried request is answered; from any thread."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Retry policy of one request; ``around()`` is entered for each of its tries."""

    patience: Patience = WORKING
    on_trouble: Listener = lambda _: None
    around: Callable[[], AbstractContextManager[None]] = nullcontext


def reason(error: BaseException) -> str | None:
    """Return the name of the reason of a failed connection (``refused``, ``unknown_host`` …); None without a name."""
    import socket
    import ssl

    import httpx

    reasons: tuple[tuple[type[BaseException], str], ...] = (
        (ConnectionRefusedError, "refused"),
        (socket.gaierror, "unknown_host"),
        (ssl.SSLCertVerificationError, "certificate"),
        (ssl.SSLError, "no_https"),
        (TimeoutError, "timeout"),
        (httpx.TimeoutException, "timeout"),
    )
    for cause in _chain(error):
        for kind, name in reasons:
            if isinstance(cause, kind):
                return name
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Return an error and its causes, innermost first: the libraries wrap the system's errors."""
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in chain:
        chain.append(step)
        step = step.__cause__ or step.__context__
    return reversed(chain)
