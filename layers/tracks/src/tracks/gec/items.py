"""Items and references of the track, checked at import: texts of some sentences, one annotator's gold edits."""

from __future__ import annotations

from typing import Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import short, short_ru
from tracks.fields import Fields
from tracks.gec.concentrated import GoldEdit
from tracks.gec.faults import of_refusal
from tracks.gec.gold import GoldItem, read_gold_edits, read_gold_item
from tracks.protocol import ItemFacts, Json, Reason
from tracks.reasons import reason

LANGUAGE: Final = "eng"


def read_item(raw: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check a text; its group is the corpus it comes from."""
    if not isinstance(raw, dict):
        return None, (reason("not_an_object", "", "an item must be an object", "текст должен быть объектом"),)
    try:
        item = text_of(raw)
        language = Fields(raw).text("language", LANGUAGE)
    except RefusedError as error:
        return None, (of_refusal("invalid_item", error),)
    if raw.get("edits"):
        en, ru = "gold edits stand in references, not in the item", "эталонные правки должны быть в эталонах"
        return None, (reason("marked_item", "edits", en, ru),)
    return ItemFacts(item.item_id, language, item.source), ()


def read_reference(item: Json, raw: Json) -> tuple[Reason, ...]:
    """Check one annotator's gold edits."""
    return tuple(read_gold(raw, len(text_of(item).tokens))[1])


def read_gold(raw: Json, size: int) -> tuple[list[GoldEdit], list[Reason]]:
    """Gold edits of one annotator for a text of so many tokens: ``{"edits": […]}`` as in a gold data set."""
    if not isinstance(raw, dict):
        en, ru = f"a reference is an object, not {short(raw)}", f"эталон — объект JSON, а не {short_ru(raw)}"
        return [], [reason("wrong_form", "", en, ru)]
    try:
        return list(read_gold_edits(Fields(raw), "edits", size)), []
    except RefusedError as error:
        return [], [of_refusal("invalid_reference", error)]


def hand_out(item: Json, file_id: str) -> Json:
    """The sentences as tokens with blanks between, and the tokens of them all that spans count."""
    text = text_of(item)
    return {"id": file_id, "sentences": list(text.sentences), "tokens": text.tokens}


def text_of(item: Json) -> GoldItem:
    """An item's text; an item holds no gold edits."""
    return read_gold_item(Fields({**item, "edits": []}))
