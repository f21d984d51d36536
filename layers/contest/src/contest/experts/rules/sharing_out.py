"""Experts who may annotate an essay, and their even loads (R 2.29, platform §5)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from contest.texts import tr
from contest.values import sha256_hex
from markup_core.lazy import dataclass
from tracks.protocol import Text

EXPERT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
"""The form of a person's id; what separates the parts of a key is not in it."""


@dataclass(frozen=True, slots=True)
class Expert:
    """A person's profile as an expert.

    ``groups`` are conflict groups, say the team or the school somebody works for: two experts who share one never mark
    up the same essay. ``active``: whether new essays come; essays that were assigned before stay. ``pseudonym`` is how
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
                # Whoever is reached from here and has no more than this one reaches nobody better either.
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
