"""The checker: reads a history and says, check by check, whether it proves what a final has to be (platform §3, §4).

A check that cannot even read what it needs fails, with what it missed as its counter-example: a history that says too
little proves nothing. So does one that has fewer cases than a rehearsal of its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from local.rehearsal.history import Story
from local.rehearsal.proof import (
    checks_answers,
    checks_archive,
    checks_decisions,
    checks_experts,
    checks_files,
    checks_items,
    checks_practice,
    checks_programs,
    checks_prying,
    checks_qualifying,
    checks_results,
)
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_programs import ProgramCase
from local.rehearsal.proof.oracle import ESSAY, HARMLESS, KINDS, PROGRAMS, Kind

Json = Any
NEVER_PLAYED: Final = ("other_contests",)
"""What no rehearsal plays: the other contests."""
_DECIDED, _FORBIDDEN, _FEWEST = 6, 11, 4
"""What organizers decide and wish for against the rules, each time; files of the shortest run in which they do."""
_PRACTISED, _ENDS, _LIMITED, _KEPT = 32, 8, 280, 8
"""What the teams that practise do each time, by check."""
_BEGUN_ANEW: Final = 2
"""Files of the shortest final beside which another is begun anew in its second file."""
_READY, _STEPS, _ENTRIES, _TRIED, _FAILED, _ANEW = 350, 30, 8, 9, 7, 100
"""What the teams and people around the final do each time, by check."""
_BESIDE: Final = 50
"""Of three runs beside the final: four promises of each, 16 releases, 26 files that were handed out; less some."""
_SLOWED: Final = 17
"""What two teams do in a run in which the platform is slow for one of them: 12 requests, times of three hand-outs, and
two that took long."""
_HELD: Final = 19
"""The same while the clock runs: 13 requests, times of five that asked for a file, and of the answer after the last
moment that there is without latency."""
_APART, _COUNTED = 92, 16
"""What experts, their coordinator, teams and strangers do around a final that is marked up, and what comes of it."""
_ATTACKED: Final = 90
"""What the attacker asks at least, and what is looked at of it."""
_DOORS: Final = 50
"""Of the doors behind which only people may come, so many are tried at least."""
_JOINING, _EYES = 3, 4
"""Files that open while teams may still join; teams that look before each of the others."""
_ARCHIVED: Final = 5
"""Counts what is looked at of an archive beside teams and runs: when it is there, what is in it, who accepts it, its
rules, its record or prizes."""
_SURELY: Final = 4
"""One file in so many is handed out and answered, whatever is injected."""


@dataclass(frozen=True, slots=True)
class Size:
    """What was played: simulated programs over HTTP and on the event channel, files, faults."""

    over_http: int
    listening: int
    files: int
    faults: frozenset[str]
    driven: bool = True

    @classmethod
    def of(cls, header: Mapping[str, Json]) -> Size:
        """From a history's header. KeyError where it does not say so."""
        listening, faults = header["listening"], frozenset(header["faults"])
        return cls(header["teams"] - listening, listening, header["files"], faults, header["driven"])

    @property
    def lives(self) -> int:
        """Files of programs over HTTP: each team's each file."""
        return self.over_http * self.files

    @property
    def heard(self) -> int:
        """Files of programs on the event channel."""
        return self.listening * self.files

    @property
    def answered(self) -> int:
        """Files over HTTP that are answered at least, whatever is injected."""
        return -(-self.lives // _SURELY)

    @property
    def pries(self) -> bool:
        """Whether teams look where they must not: not while the clock runs by itself, when a look has no moment."""
        return self.driven and "prying" in self.faults

    @property
    def early(self) -> int:
        """Looks into files before their openings at least: in some moments a team has not joined yet."""
        return max(0, self.files - _JOINING) * min(_EYES, self.over_http) // 2

    @property
    def decides(self) -> bool:
        """Whether organizers decide: in a run that is long enough, with a team that comes too late for a file."""
        return self.driven and "decisions" in self.faults and self.files >= _FEWEST and self.over_http > 1

    @property
    def practises(self) -> bool:
        """Whether teams have sessions of their own beside the run."""
        return self.driven and "practice" in self.faults

    @property
    def qualifies(self) -> bool:
        """Whether teams qualify, and other runs are played, once the results are out."""
        return self.driven and "qualifying" in self.faults and self.files >= _BEGUN_ANEW

    @property
    def leaves(self) -> bool:
        """Whether one more team is silent, and another one ends its session by itself."""
        return self.driven and "leaving" in self.faults

    @property
    def voided(self) -> int:
        """Files that organizers void for everybody: one of each team."""
        return self.over_http + self.listening

    @property
    def quiet(self) -> bool:
        """Whether nothing was injected that may cost a file."""
        return not self.faults - HARMLESS


Least = Mapping[str, Callable[[Size], int]]
"""By check, how many cases a rehearsal of a size has at least."""

LEAST: Final[Least] = {
    "acknowledged_kept": lambda size: size.lives + size.answered,
    "late_not_accepted": lambda size: 2 * size.answered,
    "on_time_not_refused": lambda size: 2 * size.answered,
    "deadlines_told": lambda size: size.answered,
    "ten_sends": lambda size: size.lives,
    "one_winner": lambda size: size.answered,
    "nothing_early": lambda size: 2 * size.answered,
    "files_as_committed": lambda size: size.answered,
    "nothing_stuck": lambda size: size.lives + size.heard,
    "causes_by_the_rules": lambda size: size.lives,
    "scored_once": lambda size: size.answered,
    "commitment_kept": lambda size: size.lives + size.heard + 2 * size.files * size.leaves + 2,
    "replay_agrees": lambda size: size.over_http + size.listening + 3 + 3 * size.leaves,
    "no_faults_no_voids": lambda size: size.lives + size.heard if size.quiet else 0,
    "channel_kept": lambda size: size.heard + -(-size.heard // _SURELY),
    "not_yet_told": lambda size: size.early if size.pries else 0,
    "others_kept": lambda size: _DOORS * (size.over_http > 1) + size.over_http if size.pries else 0,
    "joined_once": lambda size: 2 * size.over_http + size.over_http // 2 if size.pries else size.over_http,
    "texts_in_time": lambda size: 2 * size.answered,
    "strangers_kept_out": lambda size: size.files if "crowd" in size.faults else 0,
    "references_hidden": lambda size: _ATTACKED if size.pries else 0,
    "decisions_kept": lambda size: (
        2 * _DECIDED + _FORBIDDEN + size.over_http + size.listening + size.answered if size.decides else 0
    ),
    "sessions_chosen": lambda size: _PRACTISED if size.practises else 0,
    "sessions_ended": lambda size: _ENDS if size.practises else 0,
    "requests_limited": lambda size: _LIMITED if size.practises else 0,
    "own_kept": lambda size: size.over_http + size.answered + _KEPT * size.practises,
    "markups_kept": lambda size: 2 * size.answered + 2 * size.over_http * size.pries,
    "readiness_concluded": lambda size: _READY if size.qualifies else 0,
    "admitted_by_steps": lambda size: _STEPS if size.qualifies else 0,
    "one_entry_each": lambda size: _ENTRIES if size.qualifies else 0,
    "trial_apart": lambda size: _TRIED if size.qualifies else 0,
    "failure_proposed": lambda size: _FAILED if size.qualifies else 0,
    "begun_anew": lambda size: _ANEW if size.qualifies else 0,
    "beside_as_promised": lambda size: _BESIDE if size.qualifies else 0,
    "channel_alive": lambda size: 3 if size.qualifies else 0,
    "latency_given_back": lambda size: _SLOWED if size.qualifies else 0,
    "held_in_real_time": lambda size: _HELD if size.qualifies else 0,
    "experts_apart": lambda size: _APART if size.qualifies else 0,
    "experts_counted": lambda size: _COUNTED if size.qualifies else 0,
    "reports_agree": lambda size: 4 * (size.over_http + size.listening + 2 * size.leaves),
    "archive_kept": lambda size: size.files + size.over_http + size.listening + 2 * size.leaves + 4,
}
"""By check. Zero: a rehearsal of this kind does not exercise it."""


def least_of_items(publications: int, *, kept_back: bool = False) -> Least:
    """The same of contests whose missed items are wrong, with so many files for each item: each team's each item has a
    score, each board a row of each. ``kept_back``: there is no archive, which is seen before the publication and after
    it."""
    return {
        "scored_once": lambda size: size.lives // publications,
        "replay_agrees": lambda size: 2 * size.over_http + 2,
        "responses_kept": lambda size: 3 * size.answered,
        "archive_kept": lambda size: 2 if kept_back else size.over_http * (1 + size.files) + _ARCHIVED,
    }


LEAST_OF_PROGRAMS: Final[Least] = {
    "handed_in_kept": lambda size: 2 * size.lives,
    "ended_as_played": lambda size: size.lives // 2,
    "counted_by_day": lambda size: size.lives // 2,
    "one_at_a_time": lambda size: size.over_http // 2,
    "numbers_of_its_own": lambda size: 2 * size.over_http,
    "prints_of_its_own": lambda size: size.lives,
    "private_kept": lambda size: 2 * size.over_http + size.over_http * size.pries,
    "references_hidden": lambda size: size.lives,
    "chosen_are_run": lambda size: 2 * size.over_http,
    "boards_by_replay": lambda size: 11 if size.over_http else 0,
    "prizes_by_the_rules": lambda size: 5 if size.over_http else 0,
    "archive_kept": lambda size: 2 * size.over_http + _ARCHIVED,
    "nothing_under_way": lambda size: size.lives,
}
"""The same of a contest of programs; ``files`` are the programs of each team, of which some are refused."""

NEVER_PLAYED_OF_PROGRAMS: Final = ("machines", "channel_of_others")
"""What is not played of them: containers but one, the event channel."""
NEVER_PLAYED_OF_ITEMS: Final = ("around_it", "own_sessions", "channel_of_others")
"""What is not played of them: what is around a final, sessions outside runs and submissions of answers, the event
channel."""


def too_few(name: str, examined: int, size: Size, wanted: Least = LEAST) -> str | None:
    """What is wrong where a check has looked at fewer cases than there must have been."""
    least = wanted[name](size)
    return (
        f"{examined} cases were looked at, in a rehearsal of this size there are {least}" if examined < least else None
    )


def unexercised(size: Size, wanted: Least = LEAST, never_played: Iterable[str] = NEVER_PLAYED) -> Iterator[str]:
    """What was not exercised, by the names of the reasons: checks without cases first, then what is never played."""
    for name, least in wanted.items():
        if least(size) == 0:
            yield f"check.{name}"
    yield from never_played


CHECKS: Final[tuple[tuple[str, Callable[[Case], Check]], ...]] = (
    ("acknowledged_kept", checks_answers.acknowledged),
    ("late_not_accepted", checks_answers.none_late),
    ("on_time_not_refused", checks_answers.none_refused),
    ("deadlines_told", checks_answers.deadlines),
    ("ten_sends", checks_answers.ten_sends),
    ("one_winner", checks_answers.one_winner),
    ("nothing_early", checks_files.opened_on_time),
    ("files_as_committed", checks_files.handed_out_as_promised),
    ("nothing_stuck", checks_files.none_stuck),
    ("causes_by_the_rules", checks_files.causes_right),
    ("scored_once", checks_results.scored_once),
    ("commitment_kept", checks_results.commitment),
    ("replay_agrees", checks_results.same_board),
    ("no_faults_no_voids", checks_files.quiet),
    ("channel_kept", checks_files.channel_kept),
    ("not_yet_told", checks_prying.early_refused),
    ("others_kept", checks_prying.others_kept),
    ("joined_once", checks_prying.joined_once),
    ("texts_in_time", checks_prying.texts_in_time),
    ("strangers_kept_out", checks_prying.strangers_kept_out),
    ("references_hidden", checks_prying.learned_nothing),
    ("decisions_kept", checks_decisions.kept),
    ("sessions_chosen", checks_practice.chosen),
    ("sessions_ended", checks_practice.ended),
    ("requests_limited", checks_practice.limited),
    ("own_kept", checks_practice.own),
    ("markups_kept", checks_prying.markups_kept),
    ("readiness_concluded", checks_qualifying.ready),
    ("admitted_by_steps", checks_qualifying.steps),
    ("one_entry_each", checks_qualifying.best_entry),
    ("trial_apart", checks_qualifying.trial),
    ("failure_proposed", checks_qualifying.failure),
    ("begun_anew", checks_qualifying.anew),
    ("beside_as_promised", checks_decisions.kept_beside),
    ("channel_alive", checks_files.channel_alive),
    ("latency_given_back", checks_qualifying.given_back),
    ("held_in_real_time", checks_qualifying.held),
    ("experts_apart", checks_experts.apart),
    ("experts_counted", checks_experts.counted),
    ("reports_agree", checks_results.reports_agree),
    ("archive_kept", checks_archive.kept),
)
"""All checks in the order in which they are shown."""
CHECKS_OF_PROGRAMS: Final[tuple[tuple[str, Callable[[ProgramCase], Check]], ...]] = (
    ("handed_in_kept", checks_programs.receipts),
    ("ended_as_played", checks_programs.ended),
    ("counted_by_day", checks_programs.quota),
    ("one_at_a_time", checks_programs.one_at_a_time),
    ("numbers_of_its_own", checks_programs.scores),
    ("prints_of_its_own", checks_programs.prints),
    ("private_kept", checks_programs.private_kept),
    ("references_hidden", checks_prying.truths_kept),
    ("chosen_are_run", checks_programs.chosen),
    ("boards_by_replay", checks_programs.boards),
    ("prizes_by_the_rules", checks_programs.prizes),
    ("archive_kept", checks_archive.kept_of_programs),
    ("nothing_under_way", checks_programs.at_rest),
)
"""Those of a contest of programs."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What is proved of one kind of stage: its checks in the order in which they are shown, how many cases each has at
    least, and what no rehearsal of the kind plays."""

    checks: tuple[tuple[str, Callable[[Any], Check]], ...]
    least: Least
    never_played: tuple[str, ...]
    case: Callable[[Story], Any] = Case
    """What its checks look at."""

    def of(self, story: Story) -> tuple[Check, ...]:
        """All checks of a history. A history without the run's description and the keys raises KeyError."""
        case = self.case(story)
        return tuple(self._checked(name, run, case) for name, run in self.checks)

    def _checked(self, name: str, run: Callable[[Any], Check], case: Any) -> Check:
        try:
            found = run(case)
            few = too_few(name, found.examined, Size.of(case.story.header), self.least)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration) as error:
            return Check(name, 0, [f"the history cannot be read: {type(error).__name__} {error}"])
        found.faults += [few] if few else []
        return found

    def unexercised(self, size: Size) -> tuple[str, ...]:
        """What a rehearsal of this size did not exercise, by the names of the reasons."""
        return tuple(unexercised(size, self.least, self.never_played))


_OF_ITEMS: Final[Mapping[str, Callable[[Case], Check]]] = {
    "scored_once": checks_items.scored_once,
    "replay_agrees": checks_items.same_boards,
    "archive_kept": checks_archive.kept_of_items,
}
_ESSAYS_ALONE: Final = frozenset(
    {
        "channel_kept",
        "channel_alive",
        "sessions_chosen",
        "sessions_ended",
        "requests_limited",
        "own_kept",
        "markups_kept",
        "readiness_concluded",
        "admitted_by_steps",
        "one_entry_each",
        "trial_apart",
        "failure_proposed",
        "begun_anew",
        "beside_as_promised",
        "latency_given_back",
        "held_in_real_time",
        "experts_apart",
        "experts_counted",
        "reports_agree",
    }
)


def _of_items(kind: Kind) -> Proof:
    """What is proved of a run of a contest whose missed items are wrong, and of its dialogues, if it has them."""
    own: dict[str, Callable[[Case], Check]] = {name: run for name, run in CHECKS if name not in _ESSAYS_ALONE}
    own |= _OF_ITEMS
    own |= {"responses_kept": checks_items.responses_kept} if kind.is_dialogue else {}
    least = {**LEAST, **least_of_items(kind.publications, kept_back=kind.is_kept_back)}
    return Proof(tuple(own.items()), {name: least[name] for name in own}, NEVER_PLAYED_OF_ITEMS)


PROOFS: Final[Mapping[str, Proof]] = {
    ESSAY: Proof(CHECKS, LEAST, NEVER_PLAYED),
    **{name: _of_items(kind) for name, kind in KINDS.items()},
    PROGRAMS: Proof(CHECKS_OF_PROGRAMS, LEAST_OF_PROGRAMS, NEVER_PLAYED_OF_PROGRAMS, ProgramCase),
}
"""By the kind of stage that a history's header names; the essays' final where it names none."""


def proof_of(header: Mapping[str, Any]) -> Proof:
    """What is proved of the stage that a header tells of. KeyError for a kind that there is not."""
    return PROOFS[header.get("stage", ESSAY)]


def check(story: Story) -> tuple[Check, ...]:
    """All checks of a history, by its kind of stage; raises as :meth:`Proof.of` does."""
    return proof_of(story.header).of(story)
