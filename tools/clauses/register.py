"""The clauses that software can enforce, as ``docs/clauses/*.toml`` list them.

One file per source::

    order = 1                         # place in the page
    title = "READ//ABLE: technical regulation"
    about = "Its chapters …"          # a sentence or two under the heading; may be empty
    contest = "essay"                 # whose regulation it is, by the track's name; absent from the project's own texts

    ["R 7.6"]
    what = "A file that is not answered in time is annulled for the team that missed it."
    missing = "…"                     # enforced in part: what is not
    not_yet = "…"                     # enforced nowhere: what is needed
    decided = "…"                     # kept in another way than the source says, or not at all: how, and why
    what_ru = "…"                     # the same as what, in Russian: the site cites the clause where it asks to confirm
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("docs/clauses")
HEAD = ("order", "title", "about")
TEXTS = ("what", "missing", "not_yet", "decided", "what_ru")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause and what is said of it by hand; an absent text is empty."""

    key: str
    what: str
    missing: str = ""
    not_yet: str = ""
    decided: str = ""
    what_ru: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A document whose clauses bind the software."""

    order: int
    title: str
    about: str
    clauses: tuple[Clause, ...]
    contest: str = ""


def read_register(root: Path) -> tuple[Source, ...]:
    """Sources in the page's order.

    ValueError names the file when it is no TOML, a text is unknown, empty or missing, or two files name one clause.
    """
    sources = sorted((_source(path) for path in sorted((root / FOLDER).glob("*.toml"))), key=lambda each: each.order)
    seen: set[str] = set()
    for clause in (clause for source in sources for clause in source.clauses):
        if clause.key in seen:
            raise ValueError(f"{FOLDER}: {clause.key} is listed in two files; keep one")
        seen.add(clause.key)
    return tuple(sources)


def _source(path: Path) -> Source:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        order, title, about = (content.pop(name) for name in HEAD)
        contest = content.pop("contest", "")
        clauses = tuple(_clause(key, texts) for key, texts in content.items())
    except (tomllib.TOMLDecodeError, KeyError, ValueError) as fault:
        raise ValueError(f"{path}: {fault}") from fault
    return Source(order, title, about, clauses, contest)


def _clause(key: str, texts: dict[str, str]) -> Clause:
    unknown = texts.keys() - set(TEXTS)
    if unknown or not texts.get("what") or not all(texts.values()):
        raise ValueError(f"[{key}] takes {', '.join(TEXTS)}, none empty, and needs what")
    return Clause(key, **texts)
