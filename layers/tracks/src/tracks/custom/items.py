"""Items, references and answers of a contest with a declared measure.

An item is ``{"id", "language", "group", "content"}``: the content is what is handed out, any JSON object. A reference
is ``{"answer": …}``: an answer of a person, of the same form as the programs' answers, so that people can be measured
in the same way.
"""

from __future__ import annotations

from typing import Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, MalformedInput, decode, short
from markup_core.receipt import canonical_json
from tracks.custom.forms import faults_of_answer
from tracks.fields import Fields, of_json, reason, unknown_names
from tracks.protocol import ItemFacts, Json, Reason, Verdict
from tracks.texts import tr

_ITEM: Final = frozenset({"id", "language", "group", "content"})
_LONGEST_GROUP: Final = 64
_LONGEST_ID: Final = 200
MOST_BYTES: Final = 256 * 1024
"""Bytes of an answer, and of a reference: a call has an answer and all references of its item."""
_LIMITS: Final = Limits(max_bytes=MOST_BYTES, max_depth=32)


def read_item(raw: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an item; list all its faults."""
    if not isinstance(raw, dict):
        return None, (reason("not_an_object", "", tr("an item is an object, not {raw}", raw=short(raw))),)
    faults = list(unknown_names(raw, _ITEM))
    fields, texts = Fields(raw), dict[str, str]()
    for name, most in (("id", _LONGEST_ID), ("language", _LONGEST_GROUP), ("group", _LONGEST_GROUP)):
        try:
            texts[name] = fields.text(name)
            if not 0 < len(texts[name]) <= most or SURROGATE.search(texts[name]):
                message = tr("{name} must have 1 to {most} whole characters", name=name, most=most)
                faults.append(reason("invalid_item", name, message))
        except RefusedError as error:
            faults.append(reason("invalid_item", name, error.message))
    if not isinstance(raw.get("content"), dict):
        message = tr("content must be an object, not {raw}", raw=short(raw.get("content")))
        faults.append(reason("invalid_item", "content", message))
    if faults:
        return None, tuple(faults)
    return ItemFacts(texts["id"], texts["language"], texts["group"]), ()


def read_reference(raw: Json, schema: Json) -> tuple[Reason, ...]:
    """Check a reference: an object with an answer of the declared form."""
    if not isinstance(raw, dict) or raw.keys() != {"answer"}:
        message = tr('a reference is an object {{"answer": …}}, not {raw}', raw=short(raw))
        return (reason("invalid_reference", "", message),)
    if len(canonical_json(raw["answer"]).encode("utf-8", "surrogatepass")) > MOST_BYTES:
        message = tr("the answer has more than {most} bytes", most=MOST_BYTES)
        return (reason("invalid_reference", "answer", message),)
    return faults_of_answer(raw["answer"], schema)


def text_of(item: Json) -> str:
    """Return the text of an item: its content's field ``text``, or the whole content."""
    text = item["content"].get("text")
    return text if isinstance(text, str) and text.strip() else canonical_json(item["content"])


def validate(body: bytes, schema: Json) -> Verdict:
    """Judge an answer as received by the declared form."""
    try:
        value = decode(body, _LIMITS)
    except MalformedInput as error:
        return Verdict((of_json(error),))
    if faults := faults_of_answer(value, schema):
        return Verdict(faults)
    try:
        canonical_json(value).encode("utf-8")
    except UnicodeEncodeError:
        message = tr("the answer has half a surrogate pair; whole characters are needed")
        return Verdict((reason("lone_surrogate", "", message),))
    return Verdict((), canonical=value)
