"""Material of a rehearsal: a cycle's folder, and a cycle of essays with answers to them.

:class:`Cycle` reads a folder: file, parameters of the contest, calendar, items with their references. A cycle of essays
is the organizer's own or made of the demonstration's. A simulated team answers with an expert's markup from which it
drops some fragments, so that teams differ and every score differs, too; the marks that are put into the experts'
comments are never in an answer. Essays are recognised by their text, the only thing that is handed out for sure.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, islice
from math import fsum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from local import environment, organizing
from markup_core.accuracy import score_of
from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import MARK, Millis, from_text
from rehearsal.play.prying import OF_ESSAYS, Sitting
from rehearsal.play.teams import Answering
from tracks import registry
from tracks.capabilities import MarkedByExperts, ReadsFolders, ReadsOwnFiles
from tracks.essay.items import complete

Json = Any
Known = tuple[Mapping[str, Json], tuple[Mapping[str, Json], ...]]  # an item with its references
FINAL, RESERVE, TRAIN, TEST = "final", "reserve", "train", "test"
KINDS: Final[Mapping[str, str]] = {FINAL: "final", RESERVE: "reserve", TRAIN: "training", TEST: "test"}
"""Kinds of the sets of a rehearsed cycle, by their names."""
_FILES: Final = ("cycle.json", "cycle.yaml", "cycle.yml")
_PAGES: Final = "pages"
_PLATFORMS: Final = frozenset({"technical", "least_hidden_items"})
"""Parameters of the demonstrations that belong to the platform, not to the contest."""
_HOUR: Final = "T12:00:30Z"  # time of day at which a simulated clock starts


class Cycle:
    """A cycle's folder. With ``is_own`` it is an organizer's and its sets are played unchanged; a demonstration's items
    are repeated to fill sets of any size."""

    def __init__(self, folder: Path, head: Mapping[str, Json], raw: Mapping[str, Json], *, is_own: bool) -> None:
        self._folder, self.head, self._raw, self.is_own = folder, head, raw, is_own
        self.name = str(head.get("track", registry.DEFAULT))

    @classmethod
    def demonstrated(cls, contest: str) -> Cycle:
        folder = environment.folder_of(contest)
        head = json.loads((folder / _FILES[0]).read_text("utf-8"))
        raw = {name: value for name, value in head["parameters"].items() if name not in _PLATFORMS}
        return cls(folder, head, raw, is_own=False)

    @classmethod
    def owned(cls, folder: Path) -> Cycle:
        """Return an organizer's cycle. Raises :class:`~local.organizing.OrganizerError` if it cannot be loaded."""
        organizing.validate(folder)
        _, head, raw = organizing.read_cycle(folder)
        if "@" in str(raw.get("measure", {}).get("program")):
            raise organizing.OrganizerError("a measure in a container image is not rehearsed")
        return cls(folder, head, raw, is_own=True)

    @cached_property
    def track(self) -> Any:
        track: Any = registry.get(self.name)
        return track.under(self.parameters, lambda _: self.program) if self.program else track

    @cached_property
    def parameters(self) -> Json:
        """Return the parameters with the contest's defaults. Raises ValueError if the contest rejects them."""
        usual = {"classifier": self.head.get("classifier", "default"), "languages": self.head["languages"]}
        completed, reasons = registry.get(self.name).read_parameters({**usual, **self._raw})
        if reasons:
            raise ValueError(reasons)
        return completed

    @cached_property
    def program(self) -> bytes:
        """Return the program of a declared measure; empty without one."""
        declared = self._raw.get("measure")
        return (self._folder / declared["program"]).read_bytes() if declared else b""

    def time(self, name: str, usual: float) -> float:
        """Return a time of a final in seconds; ``usual`` if the cycle does not set it."""
        return float(self.head.get("parameters", {}).get("final", {}).get(f"{name}_s", usual))

    def starts_at(self, usual: Millis) -> Millis:
        """Return the start of the clock on the first day of the final; ``usual`` without a calendar."""
        day = self.head.get("stages", {}).get("final", {}).get("first")
        return from_text(f"{day}{_HOUR}") if self.is_own and day else usual

    @property
    def signatories(self) -> Sequence[str]:
        """List the signatories whose protocols a final needs before its results are published."""
        named = self.head.get("protocols") if self.is_own else None
        return sorted(self.track.policies("final").demanded if named is None else named)

    @cached_property
    def _sets(self) -> Mapping[str, tuple[str, Sequence[Known]]]:
        """Return the kind and the items of each set, in the order of their folders."""
        parts = {str(part.get("folder", name)): str(part["kind"]) for name, part in self.head["sets"].items()}
        return {folder: (parts[folder], tuple(self._read(folder))) for folder in sorted(parts)}

    def _read(self, folder: str) -> Iterator[Known]:
        place = self._folder / folder
        within = self.track.folders() if isinstance(self.track, ReadsFolders) else ()
        paths = [path for name in ("", *within) for path in sorted((place / name).iterdir()) if path.is_file()]
        files = {path.relative_to(place).as_posix(): path.read_bytes() for path in paths}
        if isinstance(self.track, ReadsOwnFiles):
            files = dict(self.track.unpack(files, self.parameters).files)
        for name in sorted(files):
            stem = name.removesuffix(".json")
            if "_exp" not in stem:
                references = sorted(other for other in files if other.startswith(f"{stem}_exp"))
                yield json.loads(files[name]), tuple(json.loads(files[other]) for other in references)

    @cached_property
    def items(self) -> Sequence[Known]:
        return [entry for _, entries in self._sets.values() for entry in entries if entry[1]]

    def folder(self, name: str) -> Path:
        """Return the folder of the first set of a kind, else raise :class:`~local.organizing.OrganizerError`."""
        for set_name, part in self.head["sets"].items():
            if part["kind"] == KINDS[name]:
                return self._folder / str(part.get("folder", set_name))
        raise organizing.OrganizerError(f"the cycle has no set of the kind {KINDS[name]}")

    def own(self, name: str) -> Sequence[Known]:
        """Return the organizer's items of a set, by its name in a rehearsed cycle; empty for a demonstration."""
        sets = [entries for kind, entries in self._sets.values() if kind == KINDS[name]] if self.is_own else []
        own = [entry for entries in sets for entry in entries]
        if bare := [item for item, references in own if not references]:
            message = f"set {name}: {len(bare)} items have no references; a rehearsal scores answers by them"
            raise organizing.OrganizerError(message)
        return own

    def write(self, folder: Path, cycle: str, parameters: Mapping[str, Json], **more: Json) -> None:
        """Write a cycle's file under the deployment's cycle name, beside the files and pages of an organizer's folder.

        ``parameters`` of the rehearsal override the cycle's; ``more`` are other parts of the file.
        """
        folder.mkdir(parents=True)
        if self.is_own or self.program:
            for path in self._folder.iterdir():
                if path.is_file() and path.name not in _FILES:
                    shutil.copy(path, folder)
            if self.is_own and (self._folder / _PAGES).is_dir():
                shutil.copytree(self._folder / _PAGES, folder / _PAGES)
        merged = _over(self.head.get("parameters", {}), parameters)
        stages = self.head.get("stages", {})
        if "qualification" in stages:  # sessions over the test set are played on the day of the final
            more = {**more, "stages": _over(stages, {"qualification": {"outside": "take"}})}
        write_json(folder / _FILES[0], {**self.head, **more, "cycle": cycle, "parameters": merged})


def _over(own: Mapping[str, Json], other: Mapping[str, Json]) -> dict[str, Json]:
    """Merge ``other`` into ``own``: its values win, objects are merged recursively."""
    parts = {
        name: _over(own.get(name) or {}, value) if isinstance(value, Mapping) else value
        for name, value in other.items()
    }
    return {**own, **parts}


def write_json(path: Path, value: Json) -> None:
    """Write a file of a cycle."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")


def write_sets(folder: Path, sets: Mapping[str, Iterable[tuple[str, Json]]]) -> None:
    """Write the files of each set by their names."""
    for name, files in sets.items():
        (folder / name).mkdir()
        for file_name, content in files:
            write_json(folder / name / file_name, content)


def ways_of(text: str) -> tuple[str, str, str]:
    """Return the ways in which an answer may write a text: escaped for JSON in two ways, and plain."""
    return json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1], text


_RESERVE_FILES: Final = 8
_TRAIN_FILES: Final = 5
_ODD: Final = "\n\u0438\u0306\u00a0\U0001f600 "
"""Last characters that a careless program changes: a newline, a letter of two code points, a non-breaking space, a
character beyond 16 bits, a space at the end."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item with its references, the best answer and a bad one as they are sent, and its handed-out texts, by the
    step of each publication; no such text occurs elsewhere. ``secrets`` are texts that nobody may receive before the
    end."""

    item: Mapping[str, Json]
    references: tuple[Mapping[str, Json], ...]
    right: Json
    wrong: Json
    texts: Mapping[str, str]
    secrets: tuple[str, ...] = ()


class Prepared(Answering):
    """The sets of a rehearsed cycle, with simulated teams' and the test set's attacker's knowledge of them."""

    sets: Mapping[str, Sequence[Entry]]
    sittings: Sequence[Sitting] = OF_ESSAYS  # the attacker's sessions
    namespace = "/pku"  # namespace of the contest's clients on the event channel
    listened = TEST  # the set of the run in which the attacker listens

    def __init__(self, cycle: Cycle) -> None:
        self._cycle = cycle

    def item_id(self, entry: Entry) -> str:
        """Return the id of an item, by which its files are named."""
        return str(entry.item["meta"]["id"])

    def write(
        self, folder: Path, cycle: str, parameters: Mapping[str, Json] = MappingProxyType({}), **more: Json
    ) -> None:
        """Write the folder that ``contest cycle load`` imports, of the cycle that a deployment is for; ``parameters``
        hold instead of the cycle's, ``more`` other parts of its file."""
        sets = {name: {"folder": name, "kind": KINDS[name]} for name in self.sets}
        self._cycle.write(folder, cycle, parameters, sets=sets, **more)
        write_sets(folder, {name: self._files(name) for name in self.sets})

    def _files(self, name: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        for entry in self.sets[name]:
            item_id = self.item_id(entry)
            yield f"{item_id}.json", entry.item
            for number, reference in enumerate(entry.references, start=1):
                yield f"{item_id}_exp{number:02d}.json", reference

    @property
    def open_files(self) -> list[str]:
        """Return the names of the files of the training set, of which programs may have everything."""
        return [name for name, _ in self._files(TRAIN)]

    def texts_in(self, received: str) -> tuple[int, ...]:
        """Return which texts of the final and the reserve, then which of their secrets, are in something that was
        received, by their numbers from 1; a text that begins as another one does is told from it by its end."""
        return tuple(
            number
            for number, (ways, longer) in enumerate(self._ways, start=1)
            # In one way or another more often than those that begin with it.
            if any(
                way in received and received.count(way) > sum(received.count(other[place]) for other in longer)
                for place, way in enumerate(ways)
            )
        )

    @cached_property
    def _ways(self) -> list[tuple[tuple[str, str, str], list[tuple[str, str, str]]]]:
        """Return each text in the ways in which it may be written, with the texts of any set that begin with it."""
        entries = [*self.sets[FINAL], *self.sets[RESERVE]]
        texts = [text for entry in entries for text in entry.texts.values()]
        texts += [text for entry in entries for text in entry.secrets]
        every = {text for some in self.sets.values() for entry in some for text in entry.texts.values()}
        longer = [[ways_of(other) for other in every if other != text and other.startswith(text)] for text in texts]
        return [(ways_of(text), others) for text, others in zip(texts, longer, strict=True)]

    def heard_in(self, received: str) -> int:
        """Return of how many items of the set in which the attacker listens a text stands in something that was
        received; one that begins as another of these does counts for both."""
        texts = [text for entry in self.sets[self.listened] for text in entry.texts.values()]
        there = [text for text in texts if any(way in received for way in ways_of(text))]
        return sum(not any(other != text and other.startswith(text) for other in there) for text in there)

    def entry(self, content: Json) -> Entry:
        """Return the item behind a hand-out. KeyError for one of a strange text."""
        raise NotImplementedError

    def place(self, content: Json) -> int:
        return self.sets[TEST].index(self.entry(content))

    def blind(self, content: Json, variant: int) -> Json:
        """Return a valid answer that needs no references; equal arguments, equal answers."""
        raise NotImplementedError

    def taken(self, content: Json, answer: Json) -> Sequence[Json]:  # noqa: ARG002 - where measures of files are told
        """Return the part of an answer that each view of the totals takes, None where nothing."""
        return (answer,)


class Material(Prepared):
    """Essays for ``files`` files of a final: those of the cycle's own sets, and where these are too few, its essays
    with another last line.

    Of the demonstration's essays those are taken of which experts may differ so much that a third one is called,
    whichever are drawn for the final that is marked up.
    """

    def __init__(self, cycle: Cycle, files: int, qualifying: int = 0) -> None:
        """``qualifying``: as many files has the test set, over which teams qualify, and the training set at least; no
        test set without any."""
        super().__init__(cycle)
        every: Sequence[Known] = tuple(cycle.items)
        if not cycle.is_own:
            every = tuple(essay for essay in _ended(every, _ODD) if from_known(essay[1][0]))
        again = (_ended(every, f"\n({number})") for number in count(2))  # a last line tells them apart
        plenty = chain(() if cycle.is_own else every, chain.from_iterable(again))
        sizes = {FINAL: files, RESERVE: _RESERVE_FILES, TRAIN: max(_TRAIN_FILES, qualifying), TEST: qualifying}
        self.sets = {}
        for name, size in sizes.items():
            own = cycle.own(name)[:size]
            essays = enumerate([*own, *islice(plenty, size - len(own))], start=1)
            if size:
                self.sets[name] = [_essay(f"{name}-{number:04d}", *parts) for number, parts in essays]
        self._by_text = {entry.texts["text"]: entry for entries in self.sets.values() for entry in entries}

    def blind(self, content: Json, variant: int) -> Json:
        """Return an answer that nobody needs an expert for: three words after three words are a fragment (0), beginning
        a word later (1), without the first (2), the first alone (3)."""
        words = [(word.start(), word.end()) for word in re.finditer(r"\S+", content["text"])][variant == 1 :]
        places = [(words[at][0], words[min(at + 2, len(words) - 1)][1]) for at in range(0, len(words), 3)]
        chosen = (places, places, places[1:], places[:1])[variant]
        first = {**self._somewhere(content, 0)[0], "comment": "", "correction": "", "explanation": ""}
        marked = [
            {**first, "id": number, "startSelection": start, "endSelection": end}
            for number, (start, end) in enumerate(chosen, start=1)
        ]
        return {**content, "selections": marked}

    def attacked(self) -> Json:
        """Return the checker's knowledge of the test set's references: places, hashes; its files' measures are told."""
        marked = [markup for entry in self.sets[TEST] for markup in entry.references]
        places = {
            (fragment["startSelection"], fragment["endSelection"])
            for markup in marked
            for fragment in markup["selections"]
        }
        hashes = [sha256_hex(canonical_bytes(form)) for markup in marked for form in (markup, dump(load(markup)))]
        return {"places": sorted(places), "hashes": hashes, "measured": True}

    def size(self, name: str) -> int:
        return len(self.sets.get(name, ()))

    def own(self) -> Iterator[tuple[Json, Sequence[Json]]]:
        """Yield the essays of the final as they are written, then those of the reserve and of the open sets, each with
        its experts' markups."""
        for entries in self.sets.values():
            for entry in entries:
                yield entry.item, list(entry.references)

    def experts(self, text: str) -> Sequence[Mapping[str, Json]]:
        """Return the experts' markups of the essay with this text; of a strange text those of another essay, see
        :meth:`answer`."""
        return (self._by_text.get(text) or self._other_than(text)).references

    def entry(self, content: Json) -> Entry:
        return self._by_text[content["text"]]

    def answer(self, content: Json, skill: float, variant: int = 0) -> Json:
        """Return a valid markup of a hand-out: the first expert's with about ``skill`` of its fragments.

        ``variant`` makes another one of the same file: equal arguments, equal answers; other variants, other answers.
        In a text that is none of these its first character is marked, with a code of its subject: what is wrong with it
        is the checker's to find.
        """
        essay = self._by_text.get(content["text"])
        if essay is None:
            return {**content, "selections": self._somewhere(content, variant)}
        chance = random.Random(f"{skill} {content['text']}")  # noqa: S311 - a reproducible team, no secret
        fragments = [fragment for fragment in essay.right if chance.random() < skill]
        marked = [{**fragment, "comment": f"variant {variant}"} if variant else fragment for fragment in fragments]
        return {**content, "selections": marked or [_any_fragment(essay, variant)]}

    def digest_at(self, content: Json, answer: Json, step: str) -> str:  # noqa: ARG002 - a markup says what it is of
        return sha256_hex(canonical_bytes(dump(load(answer))))

    def another(self, content: Json) -> Json:
        """Return an answer to another file, which this one's must not be (R 11.6)."""
        other = self._other_than(content["text"])
        return {**content, "text": other.texts["text"], "selections": list(other.right)}

    def _somewhere(self, content: Json, variant: int) -> list[Json]:
        """Return a fragment at the beginning of a text that nobody knows; none in an empty one. Of a subject that no
        essay has any other's code, which the platform then refuses."""
        essays = list(self._by_text.values())
        alike = [essay for essay in essays if essay.item["meta"]["subject"] == content["meta"]["subject"]]
        first = {**_any_fragment((alike or essays)[0], variant), "startSelection": 0, "endSelection": 1}
        return [first] if content["text"] else []

    def _other_than(self, text: str) -> Entry:
        """Return the essay whose text comes next in their order, the first again after the last."""
        texts = sorted(self._by_text)
        return self._by_text[next((other for other in texts if other > text), texts[0])]


def _any_fragment(essay: Entry, variant: int) -> Json:
    """Return a fragment for a team without any, so that variants differ all the same."""
    return {**essay.right[0], "comment": f"variant {variant}"}


def _ended(essays: Sequence[Known], ending: str) -> Iterator[Known]:
    """Yield the essays with other last letters."""
    for parts in essays:
        essay, *markups = ({**form, "text": f"{form['text']}{ending}"} for form in (parts[0], *parts[1]))
        yield essay, tuple(markups)


def _essay(item_id: str, essay: Mapping[str, Json], markups: Sequence[Mapping[str, Json]]) -> Entry:
    """Return an essay under a name, with a mark in each of the experts' comments, by which the checker finds them."""

    def named(form: Mapping[str, Json]) -> dict[str, Json]:
        return {**form, "meta": {**form["meta"], "id": item_id, "name": f"{item_id}.txt"}}

    references = []
    for expert, markup in enumerate(markups, start=1):
        mark = f"{MARK}{item_id}-{expert}"
        marked = [
            {**fragment, "comment": f"{fragment.get('comment') or ''} {mark}".strip()}
            for fragment in markup["selections"]
        ]
        references.append({**named(markup), "selections": marked})
    right = markups[0]["selections"] if markups else []
    return Entry(named(essay), tuple(references), right, None, {"text": str(essay["text"])})


def from_known(markup: Mapping[str, Json]) -> Sequence[Json]:
    """Return some of a markup's fragments that call for a third expert beside all of them; none where no such are
    found: with few points given by both, experts cannot differ by as many as the rule asks for."""
    track, parameters = cast(MarkedByExperts, registry.get("essay")), complete({})[0]
    fragments = markup["selections"]
    errors = [fragment for fragment in fragments if fragment["group"] == "error"]
    others = [fragment for fragment in fragments if fragment["group"] != "error"]
    item = {name: value for name, value in markup.items() if name != "selections"}
    for some in (fragments[:1], errors, others, fragments[1::2]):
        if some and track.third_expert(item, markup, {**markup, "selections": some}, parameters):
            return some
    return ()


LEAST, BARRIER = 99.5, 100.0  # relative accuracies from here on, and under the other, are rounded to the barrier
_SKILLS: Final = (0.0, 0.1, 0.2, 0.3, 0.5)
_TRIES: Final = 5_000


def skills_below(material: Material) -> Mapping[str, float]:
    """Return the skill with which each essay of the test set is to be answered, by its text, so that the whole set
    comes out just under the barrier by the usual parameters. RuntimeError where no mixture of skills does.

    The relative accuracy of a set that is wholly answered is the mean accuracy of the answers over that of the experts,
    of essays with two experts or more.
    """
    track, parameters = registry.get("essay"), complete({})[0]
    items = [(item, experts) for item, experts in material.own() if item["meta"]["id"].startswith(f"{TEST}-")]
    scores = [
        [score_of(track.score(item, material.answer(item, skill), experts, parameters)) for skill in _SKILLS]
        for item, experts in items
    ]
    chance = random.Random("just below the barrier")  # noqa: S311 - reproducible, no secret
    for _ in range(_TRIES):
        places = [chance.randrange(len(_SKILLS)) for _ in items]
        chosen = [row[place] for row, place in zip(scores, places, strict=True)]
        sides = [(score.algorithm_accuracy, score.expert_accuracy) for score in chosen]
        defined = [(answer, experts) for answer, experts in sides if answer is not None and experts is not None]
        relative = 100 * fsum(answer for answer, _ in defined) / fsum(experts for _, experts in defined)
        if LEAST <= relative < BARRIER:
            return {str(item["text"]): _SKILLS[place] for (item, _), place in zip(items, places, strict=True)}
    raise RuntimeError("no answers come out just below the barrier")
