"""How many cases each check must have looked at, by the size played: what nobody looked at is not proved.

The numbers follow from what the rehearsal itself did (so many programs, files, crowds), never from what the platform
says of it: a platform that lets nobody in has nothing to be found fault with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = Any
HARMLESS: Final = frozenset({"losses", "crowd", "prying", "decisions", "practice", "qualifying", "leaving"})
"""Faults that must cost nobody a file, but what was decided and what a team itself came too late for."""
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
