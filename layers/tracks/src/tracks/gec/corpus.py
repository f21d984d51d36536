"""Correction contests made of annotated corpora: spans with corrections become edits of tokens.

A line of the text is a sentence, what stands between blanks a token. **Decision**: a span that cuts tokens takes them
whole, with its correction between what it leaves of them; then tokens that both sides share at their ends are left out,
so that an insertion that an importer widened to the word beside it is an insertion again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any, Final

from markup_core.formats.m2 import OR, Edit, alternatives
from markup_core.model import Fragment, Markup
from tracks.capabilities import FromCorpus
from tracks.gec.comparison import GoldEdit
from tracks.gec.gold import dump_gold_edit

_TOKEN: Final = re.compile(r"\S+")


def of_corpus(item_id: str, text: str, place: tuple[str, str], markups: Mapping[int, Markup]) -> FromCorpus:
    """Return a document as a text in tokens with its annotators' edits; ``place`` is its language and its source."""
    language, source = place
    spans = [match.span() for match in _TOKEN.finditer(text)]
    sentences = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
    item = {"id": item_id, "language": language, "source": source, "sentences": sentences}
    references: dict[int, Any] = {}
    for number, markup in markups.items():
        edits = sorted({_edit(fragment, text, spans) for fragment in markup.fragments if not fragment.is_full_text})
        references[number] = {
            "edits": [
                dump_gold_edit(GoldEdit(edit, context_dependent=False))
                for edit in edits
                if edit.start < edit.end or edit.correction
            ]
        }
    return FromCorpus(item, references)


def _edit(fragment: Fragment, text: str, spans: list[tuple[int, int]]) -> Edit:
    first = bisect_right(spans, fragment.start, key=lambda span: span[1])
    last = max(first, bisect_left(spans, fragment.end, key=lambda span: span[0]))
    touched = spans[first:last]
    before = text[touched[0][0] : fragment.start] if touched else ""
    after = text[fragment.end : touched[-1][1]] if touched else ""
    ours = [text[start:end] for start, end in touched]
    theirs = [f"{before}{either}{after}".split() for either in alternatives(fragment.correction)]
    while ours and all(tokens[-1:] == ours[-1:] for tokens in theirs):
        ours, theirs, last = ours[:-1], [tokens[:-1] for tokens in theirs], last - 1
    while ours and all(tokens[:1] == ours[:1] for tokens in theirs):
        ours, theirs, first = ours[1:], [tokens[1:] for tokens in theirs], first + 1
    return Edit(first, last, fragment.code, OR.join(map(" ".join, theirs)))
