"""The cycle in words: its stages, sets, limits and parameters, each row one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pku.messages.catalogue import find, number, say, word

if TYPE_CHECKING:
    from rich.table import Table

Json = Any
_OWN_ROWS: Final = frozenset({"version", "announced_at"})
"""Parameters told in the row of the version."""
_TOLD_ELSEWHERE: Final = frozenset({"track", "classifier", "languages"})


def cycle(body: Json, language: str) -> Table:
    """A cycle as ``GET /v1/cycle`` has it.

    What has no words here, as parameters of other contests have none, stands under the name that the platform gives it.
    """
    from rich.table import Table

    table = Table(title=body["name"][language], title_justify="left", show_header=False)
    for label, value in _rows(body, language):
        table.add_row(label, value)
    return table


def _rows(body: Json, language: str) -> Iterator[tuple[str, str]]:
    for name, groups in body["languages"].items():
        yield f"{say('cycle.language', language)} {name}", ", ".join(groups)
    for stage in body["stages"]:
        label = f"{say('cycle.stage', language)}: {word('stage', stage['name'], language)}"
        rule = stage["message_ru" if language == "ru" else "message"]
        yield label, f"{stage['first']} – {stage['last']}. {rule}"
    for document in body.get("knowledge_base", ()):
        about = (document.get("about") or {}).get(language)
        yield (
            say("cycle.document", language),
            "\n".join(filter(None, (document["title"][language], document["url"], about))),
        )
    for name, found in body["sets"].items():
        by_language = ", ".join(f"{each} {count}" for each, count in found["by_language"].items())
        yield f"{say('cycle.set', language)} {name}", f"{found['files']} ({by_language})"
    given = body["parameters"]
    yield say("cycle.version", language), f"{given['version']} ({given['announced_at']})"
    told = {name: value for name, value in given.items() if value is not None}  # null: nothing is said of it
    named = {name: value for name, value in told.items() if name not in _OWN_ROWS | _TOLD_ELSEWHERE}
    for name, value in {**body["limits"], **named}.items():
        yield from _named(name, value, language)
    for name, value in (given.get("track") or {}).items():
        if name not in _TOLD_ELSEWHERE:
            yield from _named(f"track.{name}", value, language)


def _named(name: str, value: Json, language: str) -> Iterator[tuple[str, str]]:
    """The row of one value, or, of an object that has no sentence here, a row for each of its parts."""
    label = find(f"parameter.{name}", language) or name
    if name == "nominations":
        for each in value.values():
            yield say("cycle.nomination", language), each["name"][language]
    elif not isinstance(value, dict):
        yield label, _plain(value, language)
    elif (told := _sentence(name, value, language)) is not None:
        yield label, told
    else:
        for part, each in value.items():
            yield from _named(f"{name}.{part}", each, language)


def _sentence(name: str, value: Json, language: str) -> str | None:
    """An object in one sentence; None where there is none for it, or a newer platform has it in other parts."""
    if value.get("enabled") is False:
        return say("cycle.not_held", language)
    if find(f"parameter_value.{name}", language) is None:
        return None
    try:
        return say(f"parameter_value.{name}", language, **{part: _spread(each) for part, each in value.items()})
    except KeyError:
        return None


def _spread(value: Json) -> Json:
    """A range of two numbers as one writes it."""
    return "–".join(map(str, dict.fromkeys(value))) if isinstance(value, list) else value


def _plain(value: Json, language: str) -> str:
    if isinstance(value, bool):
        return say("cycle.yes" if value else "cycle.no", language)
    if isinstance(value, float):
        return number(value, len(f"{value:g}".partition(".")[2]), language)
    return ", ".join(_plain(each, language) for each in value) if isinstance(value, list) else str(value)
