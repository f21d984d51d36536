"""A page as a reader's program takes it: headings, tables with captions and scopes, charts with names, nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

from tests.stage import Answered

VOID = {"meta", "link", "br", "img", "input"}
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "h1", "h2", "p", "dl", "dt", "dd"),
    *("div", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "desc", "g", "rect", "line", "path", "text"),
}
"""Elements of which a page of ours consists; whatever else is in one has slipped in."""


class Read(HTMLParser):
    """Content of a page: tags with their attributes, texts by tag, tables as rows of cells by caption."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.tables: dict[str, list[list[str]]] = {}
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self._open == [], self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "tr":
            self._rows.append([])
        if tag in {"th", "td"}:
            self._rows[-1].append("")
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "table":
            self.tables[self.texts["caption"][-1]] = self._rows
            self._rows = []

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]][-1] += data
            if self._open[-1] in {"th", "td"}:
                self._rows[-1][-1] += data

    def attributes(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.tags if name == tag]


def page(answered: Answered, language: str) -> Read:
    """Read a page and hold it to what every page of ours promises."""
    assert answered.status == 200, answered.text
    assert answered.headers["content-type"] == "text/html; charset=utf-8"
    assert answered.headers["content-language"] == language
    found = Read(answered.text)
    assert {tag for tag, _ in found.tags} <= ALLOWED
    assert not [each for _, attributes in found.tags for each in attributes if each.startswith("on") or each == "style"]
    assert found.attributes("html")[0]["lang"] == language
    assert len(found.texts["h1"]) == 1
    assert found.texts["title"][0] == found.texts["h1"][0]
    _policy(answered.headers["content-security-policy"], found)
    _accessible(found)
    return found


def _policy(said: str, found: Read) -> None:
    (style,) = found.texts["style"]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    rules = dict(each.strip().split(" ", 1) for each in said.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == f"'sha256-{digest}'"
    assert not re.search(r"@import|url\(", style)


def _accessible(found: Read) -> None:
    assert len(found.texts.get("caption", ())) == len(found.texts.get("table", ()))
    assert all(found.texts.get("caption", ()))
    assert all(each.get("scope") in {"col", "row"} for each in found.attributes("th"))
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for each in found.attributes("svg"):
        assert each["role"] == "img"
        assert set(each["aria-labelledby"].split()) <= set(ids)
    assert all(found.texts.get("figcaption", ()))
