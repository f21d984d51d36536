"""What a gold data set holds, as tables (G, Tables 4-6, Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence

from tracks.gec import views
from tracks.gec.concentrated import among_all, by_context, by_need, by_source, by_type
from tracks.gec.gold import GoldItem
from tracks.gec.items import read_gold, text_of
from tracks.protocol import Json, Section


def tables(items: Sequence[GoldItem]) -> tuple[Section, ...]:
    """Types, corpora, needs and contexts of the context-dependent edits, and their share of all edits of a type.

    Clause: TS G-4
    """
    edits = [edit for item in items for edit in item.edits]
    held = views.data_set(by_type(edits), by_source((item.source, item.edits) for item in items), by_need(edits))
    return (*held, views.contexts(by_context(edits)), views.among_all(among_all(edits)))


def of_entries(entries: Sequence[tuple[Json, Sequence[Json]]]) -> tuple[Section, ...]:
    """The same of items with their annotators' gold edits.

    **Decision**: of a text with several annotators the first one's edits are counted, or a text would count as often as
    it was annotated.
    """
    return tables(
        [_gold_item(item, references) for item, references in sorted(entries, key=lambda each: each[0]["id"])]
    )


def _gold_item(item: Json, references: Sequence[Json]) -> GoldItem:
    text = text_of(item)
    edits = read_gold(references[0], len(text.tokens))[0] if references else []
    return GoldItem(text.item_id, text.source, text.sentences, tuple(edits))
