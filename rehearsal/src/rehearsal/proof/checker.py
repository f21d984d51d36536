"""The checker: decide check by check whether a history proves that a final keeps its rules (platform §3, §4).

A check that cannot read the data it needs fails, with the missing data as its counter-example: a history with too
little in it proves nothing. A check that has fewer cases than a rehearsal of its size fails, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from rehearsal.history import BOARDS, DAY, PEOPLE, Story
from rehearsal.proof import (
    checks_answers,
    checks_archive,
    checks_decisions,
    checks_experts,
    checks_files,
    checks_practice,
    checks_programs,
    checks_prying,
    checks_qualifying,
    checks_reading,
    checks_results,
)
from rehearsal.proof.case import Case, Check, answered_as_meant
from rehearsal.proof.checks_programs import ProgramCase
from rehearsal.proof.oracle import ESSAY, KINDS, PROGRAMS, Kind

Json = Any
MACHINES: Final = "containers and AWS Batch: machines are a stand-in, one run goes through the real local runner"
"""Lists the steps that a rehearsal of submitted programs leaves out."""
_SURELY: Final = 4
"""One file in so many is handed out and answered, whatever is injected."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a rehearsal: simulated programs over HTTP and on the event channel, files, faults."""

    over_http: int
    listening: int
    files: int
    faults: frozenset[str]
    driven: bool = True

    @classmethod
    def of(cls, header: Mapping[str, Json]) -> Size:
        """Return the size in a history's header. KeyError where the header lacks it."""
        listening, faults = header["listening"], frozenset(header["faults"])
        return cls(header["teams"] - listening, listening, header["files"], faults, header["driven"])

    @property
    def teams(self) -> int:
        """Return the number of simulated teams."""
        return self.over_http + self.listening

    @property
    def lives(self) -> int:
        """Return the number of files of programs over HTTP: each team's each file."""
        return self.over_http * self.files

    @property
    def heard(self) -> int:
        """Return the number of files of programs on the event channel."""
        return self.listening * self.files

    @property
    def answered(self) -> int:
        """Return the least number of files answered over HTTP, whatever is injected."""
        return -(-self.lives // _SURELY)

    @property
    def early(self) -> int:
        """Return the least number of looks into files before their openings: four teams look, three files open while
        teams may join, and in some moments a team has not joined yet."""
        return max(0, self.files - 3) * min(4, self.over_http) // 2

    def plays(self, fault: str) -> bool:
        """Return whether what belongs to a fault is played: on a driven clock, in a run that is long enough; organizers
        need a team that is too late for a file."""
        files, teams = _FEWEST.get(fault, (1, 0))
        return self.driven and fault in self.faults and self.files >= files and self.over_http >= teams


_FEWEST: Final = {"decisions": (4, 2), "qualifying": (2, 0)}
"""Files and teams over HTTP without which a fault is not played: two files before the pause, of which a team that may
still join misses the second, one that it moves, one to be voided; a run that is begun anew in its second file."""
Least = Callable[[Size], int]
"""How many cases a check has at least in a rehearsal of a size; zero where a rehearsal does not exercise it. The
numbers follow from what the rehearsal itself did, never from what the platform says of it: a platform that lets nobody
in has nothing to be found fault with."""


@dataclass(frozen=True, slots=True)
class Row:
    """A check by its name; ``of_essays``: only an essays' final has it. ``needs`` is the fault without which, or the
    reason why, a rehearsal has nothing for it to look at."""

    name: str
    run: Callable[[Any], Check]
    least: Least
    needs: str = ""
    of_essays: bool = False

    @property
    def words(self) -> str:
        """Return what it checks in the words of its docstring's first sentence, without what follows."""
        text = " ".join(str(self.run.__doc__).split())
        return _REST.split(text.removeprefix("Check that ").removeprefix("Check "))[0]


_REST: Final = re.compile(r"[.;:] | \(|\.$")


def _of(fault: str, name: str, run: Callable[[Any], Check], least: int | Least, *, of_essays: bool = True) -> Row:
    """Return the row of a check of what is played with a fault."""

    def cases(size: Size) -> int:
        enough = least(size) if callable(least) else least
        return enough if size.plays(fault) else 0

    return Row(name, run, cases, f"the fault «{fault}» was not injected, or the run is too small for it", of_essays)


def _meant(fault: str, what: str, name: str, least: int, words: str) -> Row:
    """Return the row of a check that calls of these names are answered as the rules say of each of them."""

    def run(case: Case) -> Check:
        return answered_as_meant(case, name, *what.split())

    run.__doc__ = f"Check that {words}."
    return _of(fault, name, run, least)


_REVOKED: Final = "a revoked token, a suspended team and a dismissed person are refused and listed so, nobody else"
_DECIDED: Final = "every form of a leaderboard is frozen, hidden or shown to everybody as it was decided"
_READY: Final = (
    "sessions of the qualification go as they are played, and reports conclude as the rules do, ready with 95 % of at "
    "least as many files as the cycle says answered, in a technical run with at most 5 % annulled (R 6.5.4, 6.7.4)"
)
_TRIAL: Final = (
    "a trial says that it is one, in its commitment too, may draw from any set, takes the teams that it was planned "
    "for, and stands on no board when its results are out (D 6.9)"
)
_FAILURE: Final = (
    "three files that everybody missed are proposed to the commission, two are not, and the decision that agrees "
    "replaces exactly these, once, and they count for nobody (D 1.7, 8.12)"
)
_practised, _around = (partial(_of, fault) for fault in ("practice", "qualifying"))
_pried = partial(_of, "prying", of_essays=False)

ROWS: Final = (
    Row("acknowledged_kept", checks_answers.acknowledged, lambda size: size.lives + size.answered),
    Row("late_not_accepted", checks_answers.none_late, lambda size: 2 * size.answered),
    Row("on_time_not_refused", checks_answers.none_refused, lambda size: 2 * size.answered),
    Row("deadlines_told", checks_answers.deadlines, lambda size: size.answered),
    Row("ten_sends", checks_answers.ten_sends, lambda size: size.lives),
    Row("one_winner", checks_answers.one_winner, lambda size: size.answered),
    Row("nothing_early", checks_files.opened_on_time, lambda size: 2 * size.answered),
    Row("files_as_committed", checks_files.handed_out_as_promised, lambda size: size.answered),
    Row("nothing_stuck", checks_files.none_stuck, lambda size: size.lives + size.heard),
    Row("causes_by_the_rules", checks_files.causes_right, lambda size: size.lives),
    Row("scored_once", checks_results.scored_once, lambda size: size.answered),
    Row("commitment_kept", checks_decisions.commitment, lambda _: 2),
    Row(
        "channel_kept",
        checks_files.channel_kept,
        lambda size: size.heard + -(-size.heard // _SURELY),
        "no team is on the event channel: fewer than five teams, or the clock runs by itself",
        of_essays=True,
    ),
    _pried("not_yet_told", checks_prying.early_refused, lambda size: size.early),
    # Of the doors behind which only people may come, fifty are tried at least.
    _pried("others_kept", checks_prying.others_kept, lambda size: 50 * (size.over_http > 1) + size.over_http),
    Row(
        "joined_once",
        checks_prying.joined_once,
        lambda size: 2 * size.over_http + size.over_http // 2 if size.plays("prying") else size.over_http,
    ),
    Row("texts_in_time", checks_prying.texts_in_time, lambda size: 2 * size.answered),
    Row(
        "strangers_kept_out",
        checks_prying.strangers_kept_out,
        lambda size: size.files * ("crowd" in size.faults),
        "the fault «crowd» was not injected",
    ),
    _pried("references_hidden", checks_prying.learned_nothing, 90),
    # Six decisions, looked at twice, and eleven wishes against the rules.
    _of(
        "decisions",
        "decisions_kept",
        checks_decisions.kept,
        lambda size: 2 * 6 + 11 + size.answered,
        of_essays=False,
    ),
    _practised("sessions_chosen", checks_practice.chosen, 32),
    _practised("sessions_ended", checks_practice.ended, 8),
    _practised("requests_limited", checks_practice.limited, 280),
    Row(
        "own_kept",
        checks_practice.own,
        lambda size: size.over_http + size.answered + 8 * size.plays("practice"),
        of_essays=True,
    ),
    Row(
        "markups_kept",
        checks_prying.markups_kept,
        lambda size: 2 * size.answered + 2 * size.over_http * size.plays("prying"),
        of_essays=True,
    ),
    # Of 133 routes most are read by three roles at least, and some in each phase.
    _of("reading", "doors_kept", checks_reading.doors_kept, 450, of_essays=False),
    Row(
        "told_as_played",
        checks_reading.told_as_played,
        lambda size: 3 * size.over_http + 200 * size.plays("reading"),
    ),
    _meant("people", PEOPLE, "people_kept", 30, _REVOKED),
    _meant("people", DAY, "day_kept", 7, "a team can open the sessions of its daily quota, and no more"),
    _meant("people", BOARDS, "boards_as_decided", 40, _DECIDED),
    _meant("qualifying", "session technical file answer readiness", "readiness_concluded", 250, _READY),
    _around("admitted_by_steps", checks_qualifying.steps, 30),
    _around("one_entry_each", checks_qualifying.best_entry, 8),
    _meant("qualifying", "trial", "trial_apart", 9, _TRIAL),
    _meant("qualifying", "failure", "failure_proposed", 7, _FAILURE),
    _around("begun_anew", checks_qualifying.anew, 100),
    # Of three runs four promises of each, 16 releases, 26 files that were handed out; less some.
    _around("beside_as_promised", checks_decisions.kept_beside, 50),
    _around("channel_alive", checks_files.channel_alive, 3),
    # 12 requests, times of three hand-outs, and two that took long.
    _around("latency_given_back", checks_qualifying.given_back, 17),
    # 13 requests, times of five that asked for a file, and of the answer after the last moment without latency.
    _around("held_in_real_time", checks_qualifying.held, 19),
    _around("experts_apart", checks_experts.apart, 92),
    _around("experts_counted", checks_experts.counted, 15),
    Row("archive_kept", checks_archive.kept, lambda size: size.teams + 2 * size.plays("leaving") + 6),
)
"""All checks of an essays' final in the order in which they are shown."""
CHECKS: Final = tuple((row.name, row.run) for row in ROWS)

ROWS_OF_PROGRAMS: Final = (
    Row("handed_in_kept", checks_programs.receipts, lambda size: 2 * size.lives),
    Row("counted_by_day", checks_programs.quota, lambda size: size.lives // 2),
    Row("one_at_a_time", checks_programs.one_at_a_time, lambda size: size.over_http // 2),
    Row("prints_of_its_own", checks_programs.prints, lambda size: size.lives),
    Row(
        "private_kept",
        checks_programs.private_kept,
        lambda size: 2 * size.over_http + size.over_http * size.plays("prying"),
    ),
    Row("references_hidden", checks_prying.truths_kept, lambda size: size.lives),
    Row("chosen_are_run", checks_programs.chosen, lambda size: 2 * size.over_http),
    Row("told_as_played", checks_reading.told_of_programs, lambda size: size.lives + 5 + 90 * size.plays("reading")),
    _of("reading", "doors_kept", checks_reading.doors_kept, 250, of_essays=False),
    Row("prizes_by_the_rules", checks_programs.prizes, lambda size: 5 if size.over_http else 0),
    Row("archive_kept", checks_archive.kept_of_programs, lambda size: 2 * size.over_http + 5),
    Row("nothing_under_way", checks_programs.at_rest, lambda size: size.lives),
)
"""Those of a contest of programs; ``files`` are the programs of each team, of which some are refused."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The checks of one kind of stage, in the order in which they are shown, and what no rehearsal of it plays."""

    rows: tuple[Row, ...]
    never_played: tuple[str, ...] = ()
    case: Callable[[Story], Any] = Case
    """What its checks look at."""

    def of(self, story: Story) -> tuple[Check, ...]:
        """Return all checks of a history. A history without the run's description and the keys raises KeyError."""
        case = self.case(story)
        return tuple(_checked(row, case) for row in self.rows)

    @property
    def checks(self) -> dict[str, Row]:
        """Return its checks by their names, in their order."""
        return {row.name: row for row in self.rows}

    def one(self, name: str, story: Story) -> Check:
        """Return one check of a history, by its name."""
        return _checked(self.checks[name], self.case(story))

    def unexercised(self, size: Size) -> dict[str, str]:
        """Return why checks have no cases in a rehearsal of this size, by their names, then what is never played."""
        unlooked = {row.name: row.needs for row in self.rows if not row.least(size)}
        return unlooked | dict(zip(("machines",), self.never_played, strict=False))


def _checked(row: Row, case: Any) -> Check:
    try:
        check = row.run(case)
        least = row.least(Size.of(case.story.header))
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration) as error:
        return Check(row.name, 0, [f"the history cannot be read: {type(error).__name__} {error}"])
    if check.examined < least:
        few = f"{check.examined} cases were looked at, in a rehearsal of this size there are {least}"
        check.faults.append(few)
    return check


def _of_items(kind: Kind) -> Proof:
    """Return the proof of a run of a contest whose missed items are wrong, and of its dialogues, if it has them. Data
    that wait for another stage have no archive, which is checked before the publication and after it."""
    talks = [Row("responses_kept", checks_results.responses_kept, lambda size: 3 * size.answered)] * kind.is_dialogue
    changed: dict[str, Least] = {"scored_once": lambda size: size.lives // kind.publications}
    changed |= {"archive_kept": lambda _: 2} if kind.is_kept_back else {}
    rows = (replace(row, least=changed.get(row.name, row.least)) for row in ROWS if not row.of_essays)
    return Proof((*rows, *talks))


PROOFS: Final[Mapping[str, Proof]] = {
    ESSAY: Proof(ROWS),
    **{name: _of_items(kind) for name, kind in KINDS.items()},
    PROGRAMS: Proof(ROWS_OF_PROGRAMS, (MACHINES,), ProgramCase),
}
"""By the kind of stage that a history's header names; the essays' final where it names none."""


OUTSIDE: Final = (
    "acknowledged_kept",
    "late_not_accepted",
    "on_time_not_refused",
    "deadlines_told",
    "ten_sends",
    "one_winner",
    "nothing_early",
    "not_yet_told",
    "files_as_committed",
    "causes_by_the_rules",
    "commitment_kept",
    "others_kept",
    "joined_once",
    "responses_kept",
)
"""Checks that need nothing but answers of the interface to teams and strangers."""


def proof_of(header: Mapping[str, Any]) -> Proof:
    """Return the proof of the stage that a header names, of one that was seen from outside the checks that can be made
    there. KeyError for an unknown kind."""
    if header.get("outside"):

        def seen(row: Row) -> Row:  # stored things are not looked at, only answers
            return replace(row, least=lambda size: min(row.least(size), size.answered))

        return Proof(tuple(seen(row) for row in PROOFS[header["stage"]].rows if row.name in OUTSIDE))
    return PROOFS[header.get("stage", ESSAY)]


def check(story: Story) -> tuple[Check, ...]:
    """Return all checks of a history, by its kind of stage; raises as :meth:`Proof.of` does."""
    return proof_of(story.header).of(story)


PROMISES: Final[Mapping[str, tuple[str, ...]]] = {
    "opened": ("nothing_early", "not_yet_told", "texts_in_time"),
    "committed": ("files_as_committed", "commitment_kept", "beside_as_promised"),
    "kept": ("acknowledged_kept", "own_kept", "channel_kept", "channel_alive", "handed_in_kept"),
    "deadlines": ("late_not_accepted", "on_time_not_refused", "deadlines_told", "ten_sends", "one_winner"),
    "no_cost": (
        "causes_by_the_rules",
        "latency_given_back",
        "held_in_real_time",
        "failure_proposed",
    ),
    "hidden": (
        "strangers_kept_out",
        "others_kept",
        "doors_kept",
        "people_kept",
        "markups_kept",
        "references_hidden",
        "private_kept",
        "prints_of_its_own",
    ),
    "limits": (
        "joined_once",
        "sessions_chosen",
        "sessions_ended",
        "requests_limited",
        "day_kept",
        "counted_by_day",
        "one_at_a_time",
    ),
    "admitted": ("readiness_concluded", "admitted_by_steps", "one_entry_each", "chosen_are_run"),
    "decided": ("decisions_kept", "boards_as_decided", "trial_apart", "begun_anew"),
    "experts": ("experts_apart", "experts_counted"),
    "scored": ("scored_once", "responses_kept"),
    "results": (
        "told_as_played",
        "prizes_by_the_rules",
        "archive_kept",
        "nothing_stuck",
        "nothing_under_way",
    ),
}
"""Twelve promises of a contest, each with the checks that try it, in the order in which a fault goes on: a file that
opened early, or was another one, has other answers, scores and boards."""


def promised(checks: Sequence[Check]) -> dict[str, list[Check]]:
    """Return the checks of each promise, in the order of :data:`PROMISES`; promises without a check are left out.

    Raises KeyError for a check that tries no promise.
    """
    promise_of = {check: promise for promise, tried_by in PROMISES.items() for check in tried_by}
    grouped: dict[str, list[Check]] = {promise: [] for promise in PROMISES}
    for check in checks:
        grouped[promise_of[check.name]].append(check)
    return {promise: tried_by for promise, tried_by in grouped.items() if tried_by}
