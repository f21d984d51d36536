"""The pilot program of the example of a declared measure: names by their capitals (``python -m pku.pilot.custom``).

It reads a file as handed out on standard input and prints its entities. A contest with a measure of its own has answers
of any form: this program plays the example's (``docs/examples/entities``) and may be copied for another one.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

_NAME: Final = re.compile(r"\b[A-Z]\w+(?: (?:of )?[A-Z]\w+)*")
_ARTICLE: Final = re.compile(r"(?:The|An?) ")
_ORGANIZATION: Final = re.compile(r"Choir|School|Institute|Museum|Company|Farm|Rail\b")
_PLACE: Final = re.compile(r"(?:in|at|to|from|above|of|From|In|At) (?:the )?$")


def answer(handed_out: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entities of a text: runs of capitalized words, a place after a preposition of place, else a person.

    A single word that opens the text is no name unless a preposition stands before it.
    """
    text, entities = handed_out["content"]["text"], []
    for match in _NAME.finditer(text):
        article = _ARTICLE.match(match[0])
        start = match.start() + (article.end() if article else 0)
        name = text[start : match.end()]
        if name and (start or " " in name):
            label = "ORG" if _ORGANIZATION.search(name) else "LOC" if _PLACE.search(text[:start]) else "PER"
            entities.append({"start": start, "end": match.end(), "label": label})
    return entities


def main() -> None:
    """Answer the item on standard input."""
    json.dump(answer(json.load(sys.stdin)), sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
