"""Material of another contest's stage: a cycle of items, own or the demonstration's, and answers to them.

Every item bears a mark of its own, so that no two are alike however many are asked for, and each is recognised by its
hand-out. Items, marks and answers follow from the size alone.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count as counted
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from unicodedata import normalize

from local.organizing import OrganizerError
from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.history import MARK, MARKED_CODES
from rehearsal.play.material import FINAL, RESERVE, TEST, TRAIN, Cycle, Entry, Prepared
from rehearsal.play.prying import REWRITTEN, of_items, of_single_items
from rehearsal.play.teams import Turn, as_json
from tracks.capabilities import CountsAnswers
from tracks.diagnosis.stages import SERVICES

Json = Any
_RESERVED: Final = 5
_TRAINED: Final = 2
_AGAIN: Final = 1000  # addend to an item's number for each repeated use of the demonstration's items
_WRONG: Final = "Z00"


Make = Callable[[Mapping[str, Json], Sequence[Mapping[str, Json]], int], Entry]
"""Function that makes an entry of an item and its references, with another mark for each repeated use of them."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Functions and values by which a contest's items are made and answered.

    ``make`` makes entries of the cycle's items. ``key`` returns the text of a hand-out by which its item is known;
    ``varied`` makes another valid answer of one; ``not_an_answer`` is refused.
    """

    track: str
    make: Make
    key: Callable[[Json], str]
    varied: Callable[[Json, int], Json]
    not_an_answer: Json
    plain: Json  # a valid answer to any item
    publications: int = 1
    tested: int = 8  # number of items of the hidden test set in the attacker's sessions
    sessions_of: int = 0  # files of such a session over all of them; 0 if the contest counts other units than items
    blind: Callable[[int], Json] = "{}".format  # return a valid answer that needs no references, by number
    takes: Callable[[Mapping[str, Json]], Json] = bool  # return whether an item of a cycle is of the stage
    order: Callable[[Mapping[str, Json]], Any] = len
    """Return the sort key of an item; items of equal ones stay in the order of their sets."""
    hidden: tuple[Callable[[Mapping[str, Json]], Json], Make] | None = None
    """Predicate (see ``takes``) and ``make`` for the items of the hidden test set; None if they are of the stage."""
    passes: int = 0
    """Number of blind answers tried where a session is one item and tells whether its answer is right; 0 elsewhere."""
    namespace: str = "/pku"  # namespace of its clients on the event channel
    rewritten: Callable[[Json], Json] = "{}".format
    """Return a blind answer in another notation, with which every total stays the same."""
    turns: Callable[[Json], Sequence[Turn]] | None = None
    """Return the turns of the whole dialogue that ends with an answer; None for a contest without dialogues."""

    def talked(self, answer: Json) -> Sequence[Turn]:
        """Return the whole dialogue that ends with an answer; raises TypeError if the contest has none."""
        if self.turns is None:
            raise TypeError(self.track)
        return self.turns(answer)


class Items(Prepared):
    """Items for ``count`` places of a stage, and a few in reserve, the cycle's own first; it answers for simulated
    teams as :class:`rehearsal.play.material.Material` does."""

    def __init__(self, contest: Contest, cycle: Cycle, count: int) -> None:
        super().__init__(cycle)
        self._contest = contest
        own = [self._of_cycle(name)[:size] for name, size in ((FINAL, count), (RESERVE, _RESERVED))]
        lacking = [size - len(entries) for size, entries in zip((count, _RESERVED), own, strict=True)]
        pool = list(islice(self._plenty(contest.takes, contest.make), sum(lacking)))
        played = {FINAL: [*own[0], *pool[: lacking[0]]], RESERVE: [*own[1], *pool[lacking[0] :]]}
        played[TEST] = [_secret(entry) for entry in self._hidden(len(pool))]
        trained = self._of_cycle(TRAIN) or list(self._open(len(pool) + 2 * contest.tested))
        self.sets = {**played, TRAIN: trained}
        self._by_key = {
            text: (entry, step)
            for entries in played.values()
            for entry in entries
            for step, text in entry.texts.items()
        }
        self.namespace = contest.namespace
        self.listened = TEST if contest.hidden is None else FINAL  # the hidden test set, if runs are of such items
        tested = len(played[TEST])
        passes, sessions_of = contest.passes, contest.sessions_of
        self.sittings = of_single_items(tested, passes) if passes else of_items(sessions_of, tested)

    def _of_cycle(self, name: str) -> list[Entry]:
        """Return the entries of the organizer's own items of a set."""
        entries = sorted(self._cycle.own(name), key=lambda entry: self._contest.order(entry[0]))
        return [self._contest.make(*entry, 0) for entry in entries if self._contest.takes(entry[0])]

    def _plenty(self, takes: Callable[[Mapping[str, Json]], Json], make: Make) -> Iterator[Entry]:
        """Yield entries of the cycle's items again and again; of an organizer's the first time is their sets'."""
        entries = sorted(self._cycle.items, key=lambda entry: self._contest.order(entry[0]))
        fitting = [entry for entry in entries if takes(entry[0])]
        if not fitting:
            raise OrganizerError("the cycle has no items of this stage with references")
        return (make(*entry, again) for again in counted(int(self._cycle.is_own)) for entry in fitting)

    def _hidden(self, used: int) -> Iterator[Entry]:
        """Yield the items of the hidden test set: the organizer's, or the items after the used ones."""
        size = self._contest.tested
        if self._contest.hidden is not None:
            return islice(self._plenty(*self._contest.hidden), size)
        own = self._of_cycle(TEST)[:size]
        if len(own) == size:
            return iter(own)
        start = -(-used // size) * size  # whole variants of tasks
        return islice(self._plenty(self._contest.takes, self._contest.make), start, start + size)

    def _open(self, used: int) -> Iterator[Entry]:
        """Yield items of the training set, whose references have no mark, since everybody may see them."""

        def make(item: Json, references: Json, again: int) -> Entry:
            return replace(self._contest.make(item, references, again), references=tuple(references))

        return islice(self._plenty(self._contest.takes, make), used, used + _TRAINED)

    @cached_property
    def parameters(self) -> Json:
        return self._cycle.parameters

    def write(
        self, folder: Path, cycle: str, parameters: Mapping[str, Json] = MappingProxyType({}), **more: Json
    ) -> None:
        """Write the cycle with as many sessions a day as the attacker has, and the groups of its items by language."""
        every = [self._facts(entry) for entries in self.sets.values() for entry in entries]
        groups = {facts.language: sorted({other.group for other in every}) for facts in every}
        super().write(folder, cycle, {"sessions_per_day": 20, **parameters}, languages=groups, **more)

    def item_id(self, entry: Entry) -> str:
        return str(self._facts(entry).item_id)

    def own(self) -> Iterator[tuple[Json, Sequence[Json], Mapping[str, Json]]]:
        """Yield every text that is handed out, those in reserve after the others, then the secrets: the item and
        references, and which step's text it is, or that it is a secret one."""
        entries = [*self.sets[FINAL], *self.sets[RESERVE]]
        for entry in entries:
            for step in entry.texts:
                yield entry.item, entry.references, {"step": step}
        for entry in entries:
            for _ in entry.secrets:
                yield entry.item, (), {"secret": True}

    def entry(self, content: Json) -> Entry:
        return self._by_key[self._contest.key(content)][0]

    def answer(self, content: Json, skill: float, variant: int = 0) -> Json:
        """Return a valid answer to a hand-out, right in about ``skill`` of the items; another one by ``variant``."""
        text = self._contest.key(content)
        entry, _ = self._by_key[text]
        chance = random.Random(f"{skill} {text}")  # noqa: S311 - a reproducible team, no secret
        answer = entry.right if chance.random() < skill else entry.wrong
        return self._contest.varied(answer, variant) if variant else answer

    def turns(self, content: Json, skill: float) -> Sequence[Turn]:
        return self._contest.talked(self.answer(content, skill))

    def another(self, content: Json) -> Json:  # noqa: ARG002 - it is none of any item
        return self._contest.not_an_answer

    def digest_at(self, content: Json, answer: Json, step: str) -> str:
        entry, usual = self._by_key[self._contest.key(content)]
        body = as_json(answer)
        verdict = self._cycle.track.validate(entry.item, str(content["id"]), step or usual, body, self.parameters)
        if verdict.reasons:
            raise ValueError(verdict.reasons)
        return sha256_hex(canonical_bytes(verdict.canonical))

    def blind(self, content: Json, variant: int) -> Json:  # noqa: ARG002 - it is blind
        plain = self._contest.blind(variant % REWRITTEN)
        return plain if variant < REWRITTEN else self._contest.rewritten(plain)

    def taken(self, content: Json, answer: Json) -> Sequence[Json]:
        """Return the part of an answer that each view of the totals takes; all of it in one where the contest tells no
        views."""
        if not isinstance(self._cycle.track, CountsAnswers):
            return (answer,)
        return self._cycle.track.counted(self.entry(content).item, answer, (), self.parameters)[""].views

    def attacked(self) -> Json:
        """Return the checker's knowledge of the test set's references: hashes, and places where they have any; totals
        alone are told of it, or whether the one item was answered rightly."""
        references = [reference for entry in self.sets[TEST] for reference in entry.references]
        edits = [edit for reference in references for edit in reference.get("edits", ())]
        places = sorted({(edit["start"], edit["end"]) for edit in edits})
        hashes = [sha256_hex(canonical_bytes(reference)) for reference in references]
        return {"places": places, "hashes": hashes, "measured": False, "passes": bool(self._contest.passes)}

    def _facts(self, entry: Entry) -> Any:
        facts, reasons = self._cycle.track.read_item(entry.item, self.parameters)
        if facts is None:
            raise ValueError(reasons)
        return facts


def _mark(*words: object) -> str:
    """Return a word that stands in one item alone."""
    return "m" + hashlib.sha256(" ".join(map(str, words)).encode()).hexdigest()[:12]


def _secret(entry: Entry) -> Entry:
    """Return an entry whose references bear marks where they are words, by which they are found everywhere; those of
    diagnoses have codes instead."""
    number = int(hashlib.sha256(entry.texts[next(iter(entry.texts))].encode()).hexdigest()[:6], 16)
    mark = f"{MARK}{TEST}-{number}"
    if entry.item.get("meta", {}).get("type") == "text":
        return replace(entry, references=({"outputs": f"{mark}-1"},))
    marked = tuple(
        {**reference, "edits": [{**edit, "correction": f"{mark}-{expert}"} for edit in reference["edits"]]}
        for expert, reference in enumerate(entry.references, start=1)
        if "edits" in reference
    )
    return replace(entry, references=marked) if marked else entry


def _exam(item: Json, references: Json, again: int) -> Entry:
    """Return a task, of a variant of its own each time."""
    meta = {**item["meta"], "id": item["meta"]["id"] + _AGAIN * again}
    meta["variant"] += _AGAIN * again
    task_text = f"{item['inputs']['task']} ({_mark('exam', meta['id'])})"
    task = {**item, "inputs": {**item["inputs"], "task": task_text}, "meta": meta}
    return Entry(task, tuple(references), references[0]["outputs"], "0", {"task": task_text})


def _gec(item: Json, references: Json, again: int) -> Entry:
    """Return a text with a last sentence of its own; the best answer is the first annotator's."""
    name = f"{item['id']}-{again}-{_mark('gec id', item['id'], again)}"
    last = f"This text has the number {_mark('gec', item['id'], again)} ."
    text = {**item, "id": name, "sentences": [*item["sentences"], last]}
    right = [{key: edit[key] for key in ("start", "end", "correction", "type")} for edit in references[0]["edits"]]
    return Entry(text, tuple(references), {"edits": right}, {"edits": right[:1]}, {"text": last}, (name,))


_EDIT: Final = {"start": 0, "end": 1, "correction": "", "type": "R:OTHER"}


def _marked(xml: str, *words: object) -> str:
    return xml.replace("<title>", f"<title>{_mark(*words)} ", 1)


def _epicrisis(item: Json, references: Json, again: int) -> Entry:
    reference = references[0]
    name = f"{item['id']}-{again}-{_mark('epicrisis', item['id'], again)}"
    versions = {version: _marked(xml, name, version) for version, xml in item["versions"].items()}
    right = _CODES[item["nosology"]] if reference["ill"] else "K29"
    known_alone = [*reference["complications"], _marked_code(name)]
    return Entry(
        {**item, "id": name, "versions": versions},
        ({**reference, "complications": known_alone},),
        diagnosed(right),
        diagnosed(_WRONG),
        versions,
        (name,),
    )


_CODES: Final[Mapping[str, str]] = {
    "tuberculosis": "A15", "lung_cancer": "C34", "bacterial_pneumonia": "J13", "viral_pneumonia": "J12", "copd": "J44",
    "cteph": "I27",
}  # fmt: skip
"""ICD-10 codes of the right diagnoses of ill patients, by nosology."""


def diagnosed(code: str, decor: str = "diagnosisMain") -> Json:
    """Return a diagnosis as it is sent."""
    return [{"decorCode": decor, "code": code}]


def _semifinal(item: Json, references: Json, again: int) -> Entry:
    """Return an epicrisis in two versions, the older one handed out first."""
    entry = _epicrisis(item, references, again)
    return replace(entry, texts={version: entry.texts[version] for version in ("v3", "v2")})


def _selection(item: Json, references: Json, again: int) -> Entry:  # noqa: ARG001 - it has a reference of its own
    """Return an epicrisis of the selection, the only one of its session: its code is in its reference alone."""
    name = f"{item['id']}-{again}-{_mark('selection', item['id'], again)}"
    xml = _marked(next(reversed(item["versions"].values())), name)
    item = {"id": name, "nosology": item["nosology"], "versions": {"v1": xml}}
    code = _marked_code(name)
    return Entry(item, ({"code": code},), _selected(code), _selected(_WRONG), {"v1": xml}, (name,))


def _marked_code(name: str) -> str:
    """Return the code, one of those that only references contain, for an epicrisis' name."""
    return f"{MARKED_CODES}{int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 10}"


def _selected(*codes: str) -> Json:
    """Return a diagnosis as it is sent in the selection, where the code has another field; of several codes none is
    right."""
    empty = dict.fromkeys(("xPath", "start", "end", "code"), "")
    return [{**empty, "name": code, "decorCode": "diagnosisMain"} for code in codes]


_GUESSES: Final = (("Z00",), ("E11",), ("A00",), ("Z00", "E11"))
"""Codes of blind answers, none of which is right; each session must tell whether its answer is."""


def _talked_over(item: Json, references: Json, again: int) -> Entry:
    """Return an epicrisis of the final with its studies, each study with a mark of its own, too."""
    entry = _epicrisis(item, references, again)
    name = entry.item["id"]
    studies = [{**study, "xml": _marked(study["xml"], name, study["service"])} for study in entry.item["studies"]]
    return replace(entry, item={**entry.item, "studies": studies}, texts={"preliminary": entry.texts["v3F"]})


def _dialogue(last: Json) -> tuple[Turn, ...]:
    """Return six turns (tracks-sessions, numbers to reach): a preliminary diagnosis, four studies, of which one is
    asked for again after another one and so costs again (D-8, T3), and the diagnosis."""
    first = [{**last[0], "decorCode": "diagnosisPreliminary"}]
    studied = (_STUDIES[0], _STUDIES[1], _STUDIES[0], _STUDIES[2])
    return (
        Turn("preliminary", "preliminary", first, lambda variant: _other_code(first, variant)),
        *(Turn("studies", "study", {"study": study}, _other_study) for study in studied),
        Turn("studies", "diagnosis", last, lambda variant: _other_code(last, variant)),
    )


_STUDIES: Final = ("A06.09", "B03.016.003", "A12.09")
"""Query codes of the contest's fourth appendix; an epicrisis of the demonstration has some of these studies only."""
_OTHER_STUDIES: Final = tuple(service for service in SERVICES if service not in _STUDIES)


def _other_study(variant: int) -> Json:
    return {"study": _OTHER_STUDIES[variant % len(_OTHER_STUDIES)]}


def _other_code(answer: Json, variant: int) -> Json:
    return [{**answer[0], "code": f"A{variant:02d}"}]


def declared(cycle: Cycle) -> Contest:
    """Return a contest with a declared measure. People's answers to other items of the cycle are wrong ones."""
    answers = list(dict.fromkeys(json.dumps(own["answer"]) for _, references in cycle.items for own in references))

    def other(answer: Json, variant: int) -> Json:
        return json.loads(answers[(answers.index(json.dumps(answer)) + variant) % len(answers)])

    def make(item: Json, references: Json, again: int) -> Entry:
        name = f"{item['id']}-{again}-{_mark('custom', item['id'], again)}"
        content = {**item["content"], _REHEARSED: name}
        right = references[0]["answer"]
        return Entry(
            {**item, "id": name, "content": content}, tuple(references), right, other(right, 1), {"item": name}
        )

    return Contest(
        "custom", make, lambda content: str(content["content"][_REHEARSED]), other, "no answer of any form",
        json.loads(answers[0]), tested=18,
        blind=lambda number: json.loads(answers[number % len(answers)]), rewritten=lambda answer: answer,
    )  # fmt: skip


_REHEARSED: Final = "rehearsed"  # the field of an item's content that has its mark
EXAM: Final = Contest(
    "exam", _exam, lambda content: str(content["inputs"]["task"]), "{}{}".format, {"no": "answer"}, "0", tested=30,
    order=lambda task: (task["meta"]["variant"], task["meta"]["id"]),
    blind=lambda number: f"{number},{'abcd'[number]}",  # counts whether numbers or letters are asked for
    rewritten=lambda answer: answer.replace(",", " , "),
)  # fmt: skip
GEC: Final = Contest(
    "gec", _gec, lambda content: str(content["sentences"][-1]),
    lambda answer, variant: {  # the first edit corrected otherwise, or one more where there is none
        "edits": [{**(answer["edits"] or [_EDIT])[0], "correction": f"variant{variant}"}, *answer["edits"][1:]]
    },
    {"no": "edits"}, {"edits": []}, tested=18, sessions_of=18,
    blind=lambda number: {  # every two numbers at another place
        "edits": [{**_EDIT, "start": number // 2, "end": number // 2 + 1, "correction": f"другой{number}"}]
    },
    # Letters й are written as и and a mark.
    rewritten=lambda answer: {
        "edits": [{**edit, "correction": normalize("NFD", edit["correction"])} for edit in answer["edits"]]
    },
)  # fmt: skip
SEMIFINAL: Final = Contest(
    "diagnosis", _semifinal, lambda content: str(content["xml"]), _other_code, {"no": "code"}, diagnosed(_WRONG), 2,
    takes=lambda item: {"v2", "v3"} <= item["versions"].keys(),
    order=lambda item: int(item["id"].rpartition("-")[2]),  # so that any few items have some of each nosology
    hidden=(lambda item: "nosology" in item, _selection), passes=len(_GUESSES),
    blind=lambda number: _selected(*_GUESSES[number]), namespace="/baseline",
)  # fmt: skip
DIALOGUES: Final = replace(
    SEMIFINAL, make=_talked_over, publications=1, turns=_dialogue, takes=lambda item: item.get("studies")
)
SELECTION: Final = replace(
    SEMIFINAL, make=_selection, publications=1, plain=_selected(_WRONG),
    varied=lambda answer, variant: [{**answer[0], "name": f"A{variant:02d}"}],
)  # fmt: skip
"""Stage 1 of the qualification, which a trial run may be of."""
_OF_VERSIONS: Final = {"v1": SELECTION, "v3F": DIALOGUES}


def diagnosing(content: Json) -> Contest:
    """Return the stage of diagnoses of which an epicrisis is, by the version that is handed out."""
    return _OF_VERSIONS.get(content["version"], SEMIFINAL)
