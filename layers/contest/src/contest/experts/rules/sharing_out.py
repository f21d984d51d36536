"""Experts who may annotate an essay, their even loads (R 2.29, platform §5); refusals to experts and coordinators."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from contest.refusals import SAMPLE_NOW, ContestError, RefusedError
from contest.texts import code_in_words, tr
from contest.values import Millis, iso, iso_or_none, sha256_hex
from markup_core.lazy import dataclass
from tracks.protocol import Text

EXPERT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
"""Form of a person's id, without the characters that separate the parts of a key."""


@dataclass(frozen=True, slots=True)
class Expert:
    """A person's profile as an expert.

    ``groups`` are conflict groups, say the team or the school somebody works for: two experts who share one never mark
    up the same essay. ``active``: true if the expert gets new essays; those assigned before stay. ``pseudonym`` is how
    markups and published tables name the expert.
    """

    expert_id: str
    pseudonym: str
    subjects: frozenset[str]
    languages: frozenset[str]
    groups: frozenset[str] = frozenset()
    active: bool = True
    version: int = 0

    # Clause: platform §5 assignment
    def may_mark(self, language: str, subject: str) -> bool:
        """Return whether essays of this kind may be assigned."""
        return self.active and language in self.languages and subject in self.subjects

    # Clause: platform §5 assignment
    def conflicts_with(self, other: Expert) -> bool:
        """Return whether the two must not annotate the same essay."""
        return bool(self.groups & other.groups)


INDEPENDENT: Final = 2
"""Experts of an essay who know nothing of each other (R 7.10)."""


@dataclass(frozen=True, slots=True)
class Want:
    """Essay that lacks experts.

    ``beside``: experts who annotate it already and stay; ``barred``: experts who had it and must not have it again.
    """

    item_id: str
    language: str
    subject: str
    experts: int = INDEPENDENT
    beside: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Essay without enough experts, and the reason; ``code`` is stable."""

    item_id: str
    code: str
    message: Text


@dataclass(frozen=True, slots=True)
class Shared:
    """Experts by essay, and the essays without enough experts who may annotate them."""

    experts: Mapping[str, tuple[str, ...]]
    uncovered: tuple[Uncovered, ...]


# Clause: platform §5 assignment, R 7.10
def share_out(wants: Sequence[Want], experts: Sequence[Expert], loads: Mapping[str, int], seed: int) -> Shared:
    """Give every essay its experts so that the loads, ``loads`` included, are as even as they can be made.

    An essay takes one or two experts. First each essay, the scarcest first, takes the least loaded experts that may
    work together; then, as long as a chain of handovers leads from an expert to one with at least two essays fewer,
    it is carried out. Without conflict groups no other sharing has a smaller sum of squared loads. The same arguments
    give the same result in whatever order they stand; another ``seed`` gives other pairs. An essay that cannot be
    covered is named in the result and takes nobody.

    O(essays · experts) a chain, of which there are few; the first sharing takes O(essays · experts · log experts).
    """
    plan = _Plan(wants, experts, loads, seed)
    plan.share()
    plan.even_out()
    uncovered = sorted(plan.uncovered, key=lambda essay: essay.item_id)
    return Shared({item: tuple(sorted(names)) for item, names in sorted(plan.taken.items())}, tuple(uncovered))


class _Plan:
    """Distribution in progress."""

    def __init__(self, wants: Sequence[Want], experts: Sequence[Expert], loads: Mapping[str, int], seed: int) -> None:
        self._wants = {want.item_id: want for want in wants}
        self._experts = {expert.expert_id: expert for expert in sorted(experts, key=lambda expert: expert.expert_id)}
        self._seed = seed
        self._loads = {name: loads.get(name, 0) for name in self._experts}
        self._foes = {
            one.expert_id: {other.expert_id for other in experts if one.conflicts_with(other)} for one in experts
        }
        self._able: dict[str, tuple[str, ...]] = {}
        self._essays: dict[str, set[str]] = {name: set() for name in self._experts}
        self.taken: dict[str, set[str]] = {}
        self.uncovered: list[Uncovered] = []

    def share(self) -> None:
        for want in self._wants.values():
            foes = set().union(*(self._foes.get(name, set()) for name in want.beside))
            out = want.beside | want.barred | foes
            kind = (want.language, want.subject)
            self._able[want.item_id] = tuple(
                name for name, expert in self._experts.items() if name not in out and expert.may_mark(*kind)
            )
        scarcest = sorted(self._wants, key=lambda item: (len(self._able[item]), self._drawn(item)))
        for item in scarcest:
            want = self._wants[item]
            chosen = self._chosen(want)
            if chosen is None:
                self.uncovered.append(_uncovered(want, self._experts.values(), self._able[item]))
                continue
            self.taken[item] = set(chosen)
            for name in chosen:
                self._essays[name].add(item)
                self._loads[name] += 1

    def even_out(self) -> None:
        settled: set[str] = set()
        while True:
            open_ones = [name for name in self._loads if name not in settled]
            if not open_ones:
                return
            source = max(open_ones, key=lambda name: (self._loads[name], name))
            chain, reached = self._chain_from(source)
            if chain and self._carry_out(chain):
                settled.clear()
            else:
                # An expert reached from here with no more essays than this one reaches nobody better either.
                settled |= {name for name in reached if self._loads[name] <= self._loads[source]}

    def _drawn(self, item: str, name: str = "") -> str:
        return sha256_hex(f"{self._seed}\0{item}\0{name}".encode())

    def _chosen(self, want: Want) -> tuple[str, ...] | None:
        """Return the least loaded experts of an essay that may work together."""
        able = sorted(self._able[want.item_id], key=lambda name: (self._loads[name], self._drawn(want.item_id, name)))
        if want.experts == 1:
            return (able[0],) if able else None
        pairs = ((one, other) for one, other in combinations(able, 2) if other not in self._foes[one])
        return next(pairs, None)

    def _replacements(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield each essay of an expert with each expert that could take it over."""
        for item in sorted(self._essays[name]):
            others = self.taken[item] - {name}
            for able in self._able[item]:
                if able not in self.taken[item] and not others & self._foes[able]:
                    yield item, able

    def _chain_from(self, source: str) -> tuple[list[tuple[str, str, str]], set[str]]:
        """Return handovers (essay, from, to) to an expert with at least two essays fewer, and all experts reached."""
        came: dict[str, tuple[str, str]] = {}
        reached, queue = {source}, deque([source])
        while queue:
            name = queue.popleft()
            for item, able in self._replacements(name):
                if able in reached:
                    continue
                reached.add(able)
                came[able] = (item, name)
                if self._loads[able] <= self._loads[source] - 2:
                    return _steps(came, able), reached
                queue.append(able)
        return [], reached

    def _carry_out(self, chain: list[tuple[str, str, str]]) -> bool:
        """Hand the essays over, unless two steps of the chain are about the same one."""
        if len({item for item, _, _ in chain}) < len(chain):
            return False
        for item, giver, taker in chain:
            self.taken[item] = self.taken[item] - {giver} | {taker}
            self._essays[giver].discard(item)
            self._essays[taker].add(item)
        self._loads[chain[0][2]] += 1
        self._loads[chain[-1][1]] -= 1
        return True


def _steps(came: Mapping[str, tuple[str, str]], last: str) -> list[tuple[str, str, str]]:
    """Return handovers from the last taker back to the source."""
    steps = []
    while last in came:
        item, giver = came[last]
        steps.append((item, giver, last))
        last = giver
    return steps


def _uncovered(want: Want, experts: Iterable[Expert], able: Sequence[str]) -> Uncovered:
    """Return why an essay has not enough experts."""
    kind = f"{want.subject} ({want.language})"
    competent = sum(expert.may_mark(want.language, want.subject) for expert in experts)
    if competent == 0:
        code = "no_expert"
        message = tr("no active expert marks up {kind}", kind=kind)
    elif len(able) < want.experts and not want.beside and not want.barred:
        code = "one_expert"
        message = tr("only one active expert marks up {kind}", kind=kind)
    elif len(able) < want.experts:
        code = "no_other_expert"
        message = tr(
            "of {competent} active experts of {kind} too few have not had the essay and share no "
            "conflict group with those who mark it up",
            competent=competent,
            kind=kind,
        )
    else:
        code = "conflict"
        message = tr("any two of the {able} experts of {kind} share a conflict group", able=len(able), kind=kind)
    return Uncovered(want.item_id, code, message)


class UnknownAssignmentError(ContestError, code="unknown_assignment", status=404):
    """The assignment does not exist or is another expert's: the two are not distinguished."""

    message = tr("You have no assignment with this identifier.")


class UnknownExpertError(ContestError, code="unknown_expert", status=404):
    message = tr("There is no expert with this identifier.")


class UnknownMarkingError(ContestError, code="unknown_marking", status=404):
    message = tr("There is no marking with this identifier.")


class UnknownDraftError(ContestError, code="unknown_draft", status=404):
    message = tr("The assignment has no draft of this revision.")


class AssignmentNotOpenedError(ContestError, code="assignment_not_opened", status=409):
    message = tr("Open the assignment first: its text is shown, and its time runs, from then on.")


class AssignmentEndedError(ContestError, code="assignment_ended", status=409):
    message = tr("The assignment has ended; the details say how, and which draft became the markup.")

    @classmethod
    def told(cls, state: str, at: Millis | None, revision: int | None, saved_at: Millis | None) -> AssignmentEndedError:
        """Return the error with the state, its moment, and the draft that became the annotation (None: none did)."""
        message = tr("state: {state}", state=code_in_words(state, "assignment"))
        if revision is not None and saved_at is not None:
            moment = iso(saved_at)
            message = tr(
                "{message}; the markup is draft {revision} of {moment}",
                message=message,
                revision=revision,
                moment=moment,
            )
        detail = {"code": "assignment_state", **message.as_fields(), "state": state}
        return cls([detail | {"ended_at": iso_or_none(at), "revision": revision, "saved_at": iso_or_none(saved_at)}])


class RevisionNeededError(ContestError, code="revision_needed", status=428):
    message = tr('Say in If-Match which revision the draft is based on: "0" for the first one.')


class RevisionConflictError(ContestError, code="revision_conflict", status=412):
    message = tr("Another tab or device has saved this markup meanwhile; nothing was overwritten.")

    @classmethod
    def between(cls, based_on: int, revision: int, saved_at: Millis | None) -> RevisionConflictError:
        text = tr("based on {based_on}, the latest is {revision}", based_on=based_on, revision=revision)
        return cls.with_detail("revisions", text, based_on=based_on, revision=revision, saved_at=iso_or_none(saved_at))


class SavedTooOftenError(ContestError, code="saved_too_often", status=429):
    message = tr("A draft of this assignment was saved just now; send the next one a little later.")


class MarkupNotValidError(ContestError, code="markup_not_valid", status=422):
    """The latest draft is not a valid markup, so it cannot be handed in; the track's reasons are the details."""

    message = tr(
        "The markup cannot be handed in yet; the details name everything that is wrong with it. The draft is kept."
    )

    @classmethod
    def without_draft(cls) -> MarkupNotValidError:
        return cls.with_detail("no_draft", tr("nothing has been saved yet"))


class NothingToCalibrateError(ContestError, code="nothing_to_calibrate", status=409):
    message = tr("There is no training essay left that you may mark up and have not marked up before.")


class CalibrationNotDoneError(ContestError, code="calibration_not_done", status=409):
    message = tr("Agreement with the experts is shown when a calibration essay is handed in.")


class EssaysNotCoveredError(ContestError, code="essays_not_covered", status=409):
    message = tr("Not every essay can get its experts, so nothing was assigned; the details name the essays and why.")

    @classmethod
    def naming(cls, uncovered: Sequence[Uncovered]) -> EssaysNotCoveredError:
        return cls([uncovered_detail(essay) for essay in uncovered])


def uncovered_detail(essay: Uncovered) -> Mapping[str, Any]:
    """Return an essay that cannot be covered, as a detail."""
    return {"code": essay.code, "message": essay.message.en, "message_ru": essay.message.ru, "item_id": essay.item_id}


def changed_meanwhile() -> RefusedError:
    """Return the error for assignments that changed between reading and writing."""
    return RefusedError(
        "changed_meanwhile", tr("something else changed these essays' assignments meanwhile; look again and repeat")
    )


class NoReplayError(ContestError, code="no_replay", status=404):
    message = tr("Nothing of this run is replayed.")


class NoRoundError(ContestError, code="no_round", status=404):
    message = tr("No round is open in which you work; it will be here as soon as the organizers open it.")


class RoundOverError(ContestError, code="round_over", status=409):
    message = tr("The round's time is over; what was saved until then counts.")

    @classmethod
    def since(cls, until: Millis) -> RoundOverError:
        moment = iso(until)
        return cls.with_detail("until", tr("until {moment}", moment=moment), until=moment)


class ReviewChangedError(ContestError, code="review_changed", status=409):
    message = tr("Your review was saved meanwhile, in another window perhaps; load it again.")

    @classmethod
    def now(cls, revision: int) -> ReviewChangedError:
        return cls.with_detail("revision", tr("the revision is {revision}", revision=revision), revision=revision)


_UNCOVERED: Final = Uncovered("essay-17", "too_few_experts", tr("one expert can mark it up, two are needed"))
EXAMPLES: Final[tuple[ContestError, ...]] = (
    AssignmentEndedError.told("handed_in", SAMPLE_NOW, 7, SAMPLE_NOW - 60_000),
    EssaysNotCoveredError.naming([_UNCOVERED]),
    MarkupNotValidError.without_draft(),
    RevisionConflictError.between(6, 7, SAMPLE_NOW - 60_000),
    ReviewChangedError.now(7),
    RoundOverError.since(SAMPLE_NOW),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
