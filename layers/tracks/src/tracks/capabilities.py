"""Optional capabilities beside :class:`tracks.protocol.Track`: own files, experts' markups, archives, prizes, others.

:class:`ArchiveRules` say what of a contest's results everybody may have, where they are published as archives (R 7.14,
D 14.7). Each contest's text decides: the data that it gives over is in the archive, the data that it closes is left
out, and the archive says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol, runtime_checkable

from tracks.protocol import ItemFacts, Json, Reason, Section, Standing, Step, Track, Turn
from tracks.rules import ReplayRules, Text


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Files of a set in the platform's form: ``ID.json`` an item, ``ID_expNN.json`` a reference, canonical JSON.

    All or nothing: with reasons there are no files. ``read`` are the names of those given that were in the contest's
    own form; every other one stands in ``files`` as it was.
    """

    files: Mapping[str, bytes]
    reasons: tuple[Reason, ...]
    read: frozenset[str]
    origins: Mapping[str, str] = field(default_factory=dict)
    """The file of the contest's own by the name of the one that was made of it."""
    attachments: Mapping[str, bytes] = field(default_factory=dict)
    """Files beside the items that are no JSON (images), by their SHA-256; items name them by it."""


@runtime_checkable
class ReadsOwnFiles(Protocol):
    """A track whose contest has files of its own for a set, beside :class:`tracks.protocol.Track`."""

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Turn the files of a set's folder, by their names in it, into the platform's form.

        Every fault of every file is listed, each with ``file`` in its ``where``. Never raises on bad input. What is in
        the platform's form already is not looked into: the track's ``read_item`` judges it as it judges the result.
        """


@runtime_checkable
class KnowsOtherTools(Protocol):
    """Name files of other tools that the track does not read, beside :class:`tracks.protocol.Track`."""

    def of_another_tool(self, body: bytes) -> Reason | None:
        """Name the tool or format that a file is of, and what to do with it; None where it is none that is known."""


@runtime_checkable
class ReadsFolders(Protocol):
    """A track whose contest has folders within a set's, beside :class:`ReadsOwnFiles`."""

    def folders(self) -> tuple[str, ...]:
        """The folders, as paths within the set's; their files are unpacked with the set's under such paths."""


@runtime_checkable
class HasLargeFiles(Protocol):
    """A track one of whose contest's own files may hold a whole set, or be a large image, beside
    :class:`ReadsOwnFiles`."""

    largest_file: int
    """Bytes of one file at most."""


@dataclass(frozen=True, slots=True)
class SubmissionRead:
    """A whole set's answers: the body for the track's ``validate`` by the item's id, and the items without an answer.

    All or nothing: with reasons there are neither.
    """

    answers: Mapping[str, bytes]
    missing: tuple[str, ...]
    reasons: tuple[Reason, ...]


@runtime_checkable
class AnsweredInOneFile(Protocol):
    """A track whose sets may be answered by one file each, beside :class:`tracks.protocol.Track`."""

    def read_submission(self, body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
        """Take a file apart into answers to ``items``, which are a set's in the order of its manifest.

        Every answer is a valid one. Every fault is listed; never raises on bad input.
        """


@runtime_checkable
class StepsByItem(Protocol):
    """A track whose items go through other steps from set to set, beside :class:`tracks.protocol.Track`.

    Its ``steps`` has all that an item can have then, those of one kind of set after those of another.
    """

    def steps_of(self, item: Json, parameters: Json) -> tuple[Step, ...]:
        """States of this item's dialogue, the first one being where it starts."""


def steps_of(track: Track, item: Json, parameters: Json) -> tuple[Step, ...]:
    """States of an item's dialogue, whether they follow from the item or from the parameters alone."""
    return track.steps_of(item, parameters) if isinstance(track, StepsByItem) else track.steps(parameters)


@runtime_checkable
class MeasuresFiles(Protocol):
    """A track whose :meth:`~tracks.protocol.Track.details` is ``measures`` of some kind of set."""

    def measures(self, score: Json) -> Json:
        """Return of a score record what is told of a file of a hidden set: its measures in whole per cent.

        ``report_sections`` takes outcomes with these in place of the record.
        """


@runtime_checkable
class JoinsRuns(Protocol):
    """A track one of whose boards counts two runs together, beside :class:`tracks.protocol.Track`."""

    def joined(self, aggregates: Sequence[Json], parameters: Json) -> Json:
        """The aggregate of several sessions of a participant, of their aggregates or totals, as of one session."""


@runtime_checkable
class ComparesTeams(Protocol):
    """A track that has tables over all teams of a board, beside :class:`tracks.protocol.Track`."""

    def comparison(self, standings: Sequence[Standing], parameters: Json, board: str) -> tuple[Section, ...]:
        """Tables over everybody's results, those too that :meth:`~tracks.protocol.Track.rank` leaves out; ``team`` of a
        standing is the name to show."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One person's review of a program's work on an item; ``answers`` are None where none was given."""

    item: Json
    turns: Sequence[Turn]
    answers: Mapping[str, bool] | None


@runtime_checkable
class Replayed(Protocol):
    """A track whose programs' work on items is replayed for people who judge it, beside :class:`Track`."""

    def replay_rules(self) -> ReplayRules:
        """How many programs, people and rounds there are, and what is asked."""

    def lot(
        self, teams: Sequence[str], people: Sequence[str], seed: int
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The names under which teams' programs and people work, drawn from a seed; in the order of the rotation."""

    def rotation(self, rounds: int) -> Sequence[Sequence[Sequence[int]]]:
        """By round and by program the places of the people who see its work, all in the lot's order and from 0."""

    def replayed(self, item: Json, file_id: str, turns: Sequence[Turn], parameters: Json) -> Sequence[Json]:
        """What a person sees one by one: the item as it was handed out, then every turn with what it brought back."""

    def judged(self, works: Sequence[Reviewed], parameters: Json) -> Json:
        """What the reviews of one program amount to; those without an answer are told and count for nothing."""

    def judgements(self, results: Mapping[str, Json]) -> Section:
        """The results of all programs, by what they are called, as a table beside the board."""


@runtime_checkable
class QualifiesByResult(Protocol):
    """A track whose sessions of the qualification are passed by their result, beside :class:`tracks.protocol.Track`."""

    def passed(self, aggregate: Json) -> bool | None:
        """Whether a session with this result has passed; None where it says nothing of it."""


@runtime_checkable
class DescribesSets(Protocol):
    """A track with tables of what a data set holds, beside :class:`tracks.protocol.Track`."""

    def set_sections(self, entries: Sequence[tuple[Json, Sequence[Json]]]) -> tuple[Section, ...]:
        """Tables of checked items, each with its references; must not depend on the order of the items."""


@runtime_checkable
class MeasuresRatings(Protocol):
    """A track that tells how far people agree who rated the same things, beside :class:`tracks.protocol.Track`."""

    def ratings_sections(self, body: bytes) -> tuple[tuple[Section, ...], tuple[Reason, ...]]:
        """Tables of agreement, of ratings as organizers bring them; reasons, and no tables, of what cannot be read.

        Never raises on bad input. A measure that is undefined is None.
        """


@dataclass(frozen=True, slots=True)
class EarlierOrder:
    """What an earlier client starts: a mode, the kind of set, and the step with which an item of that set begins.

    ``groups`` are the groups of items it names, none for all that there are; the rest as the client says it, or None.
    """

    mode: str
    set_kind: str
    step: str
    files: int | None = None
    groups: tuple[str, ...] = ()
    time_limit_s: int | None = None


@runtime_checkable
class FetchedByEarlierClients(Protocol):
    """A track whose contest has earlier clients that fetch what they are told of, beside :class:`Track`.

    They start a session over the event channel, fetch each document by itself, and answer over HTTP.
    """

    @property
    def earlier_first(self) -> str:
        """The kind of answer that these clients must give before any other, at a step that takes it."""

    def earlier_order(
        self, contest: Json, params: Mapping[str, Json]
    ) -> tuple[EarlierOrder | None, tuple[Reason, ...]]:
        """What a client wants that starts, in its own words; None exactly when there are reasons."""

    def earlier_document(self, content: Json) -> tuple[str, str]:
        """Of what is handed out the version's name and the document."""

    def earlier_answer(self, said: Json, step: str) -> Json:
        """A client's answer in the form that :meth:`Track.validate` takes at a step; what is none stays as it is."""

    def earlier_request(self, code: Json) -> Json:
        """What a client asks for by a code, in the same form."""

    def earlier_documents(self, response: Json) -> tuple[str, ...]:
        """The documents that a request brought (:meth:`Track.respond`); none where it brought nothing."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An expert's draft as the track judges it: every fault, and what it is worth where there is none.

    ``markup`` is the canonical form, None exactly when there are reasons. ``grade`` is the track's own account of the
    points with the sentence that explains each, None where there is none.
    """

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    markup: Json = None
    grade: Json = None

    @property
    def is_valid(self) -> bool:
        """Whether it may be handed in."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Agreed:
    """Two independent experts' markups of an item as :meth:`MarkedByExperts.pair` tells of them, in their order."""

    item: ItemFacts
    experts: tuple[str, str]
    pair: Json


@runtime_checkable
class MarkedByExperts(Protocol):
    """A track whose references are markups that experts make on the platform, beside :class:`Track`.

    ``markup`` is what :meth:`judge` found canonical.
    """

    def judge(self, item: Json, body: bytes, parameters: Json) -> Judged:
        """Judge a draft as it was sent. Never raises on bad input; lists every fault."""

    def third_expert(self, item: Json, first: Json, second: Json, parameters: Json) -> tuple[Reason, ...]:
        """Why two markups of an item call for a third expert; empty where they do not. Their order does not matter."""

    def earlier(self, item: Json, markup: Json, file_id: str) -> Json:
        """A markup as another expert sees it: under the item's opaque name, and nothing of who made it."""

    def reference(self, item: Json, markup: Json, expert: str, *, is_third: bool) -> Json:
        """A markup as a reference of the item (:meth:`Track.read_reference` takes it), by the expert's pseudonym."""

    def accuracy_against(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """How far the first markup agrees with the second: the track's measures of the pair."""

    def cards(self, item: Json, answer: Json, file_id: str) -> Json:
        """What of an answer experts are to rate, shown under the item's opaque name; None where there is nothing."""

    def judge_ratings(self, answer: Json, body: bytes, parameters: Json) -> Judged:
        """Judge a draft of one expert's ratings of an answer, as :meth:`judge` does; ``markup`` maps what is rated to
        one expert's rating."""

    def weighs_ratings(self, parameters: Json) -> bool:
        """Whether scores depend on ratings, so that an answer waits for them."""

    def is_rated(self, answer: Json, ratings: Json) -> bool:
        """Whether everything of an answer that is to be rated is; ``ratings`` map it to a list of experts' ratings."""

    def score_rated(
        self, item: Json, answer: Json, references: Sequence[Json], ratings: Json, parameters: Json
    ) -> Json:
        """As :meth:`Track.score`, with the ratings of this answer."""

    def pair(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """What agreement is told from, of two markups of an item: small, and a function of what it is given."""

    def agreement(self, found: Sequence[Agreed], seed: int) -> Json:
        """How far experts agree: over all items, by pair of experts, group and code, and each expert's drift from its
        partners, with 95 % intervals. Must not depend on the order of the items."""


@dataclass(frozen=True, slots=True)
class ProgramRead:
    """An archive with a program as the track judges it: every fault, and what it says of how to run it.

    ``image`` and ``entry_point`` are empty where there are reasons.
    """

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    image: str = ""
    entry_point: str = ""


@runtime_checkable
class AnsweredByProgram(Protocol):
    """A track whose sets are answered by programs that the platform runs, beside :class:`tracks.protocol.Track`."""

    def read_program(self, source: BinaryIO, parameters: Json) -> ProgramRead:
        """Judge an archive, a seekable stream, without unpacking it anywhere. Never raises on what it holds."""

    def run_limits(self, parameters: Json) -> Mapping[str, int]:
        """What a program may use, by the platform's names (``wall_s``, ``memory`` in bytes, ``cpus``, ``packed`` …)."""

    def inputs(self, item: Json) -> Mapping[str, Json]:
        """What a program is given of an item: JSON values by their paths below its folder of inputs."""

    def attachments(self, item: Json) -> Mapping[str, str]:
        """Files beside these that are no JSON (images): ``SIZE-SHA256`` of each, by their paths."""

    def outputs_of(self, item: Json) -> tuple[str, ...]:
        """Names of the file with which a program answers an item; of several that are there the first counts."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What the totals of a hidden set take of one request: equal ones change no total, whatever else was written.

    ``views`` are the answer as each of the totals takes it, None where it takes nothing of it; ``truth`` is what it is
    compared with, None where nothing of that can change a total. ``groups`` are the parts of breakdowns that its item
    is in, one of each breakdown, as far as whoever answers knows them; ``labels`` are, a breakdown each, the parts that
    the answer itself names, with what it says of each.
    """

    views: tuple[Json, ...]
    truth: Json
    groups: tuple[str, ...] = ()
    labels: tuple[Mapping[str, Json], ...] = ()


@runtime_checkable
class CountsAnswers(Protocol):
    """A track that tells which answers are the same to its totals, beside :class:`tracks.protocol.Track`."""

    def counted(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Mapping[str, Counted]:
        """Return what totals take of a canonical answer, None being a missed one, by the requests that an item holds;
        an item that is one request names it with an empty string.

        ``references``: of a track that is answered by a program their contents, of any other their SHA-256: whoever
        tells reports may not read what is hidden."""

    def without_breakdowns(self, totals: Json) -> Json:
        """Return totals without what they say of groups of items."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A team's account of its model: parameters in all, those that every group of a set uses, and whether the
    commission has confirmed it."""

    total: int
    shared: int
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Award:
    """Prize money of a team: on which board, for which place, in roubles."""

    team: str
    board: str
    place: int
    roubles: float


@runtime_checkable
class AwardsPrizes(Protocol):
    """A track whose contest gives money, beside :class:`tracks.protocol.Track`."""

    def awards(self, aggregates: Mapping[str, Json], declared: Mapping[str, Declared]) -> tuple[Award, ...]:
        """What each team gets of its result in the private test and what it has declared."""


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """What an archive says of itself: ``about`` what is in it, ``left_out`` what is not and why, a sentence each.

    ``answers``: the folder of what programs sent. ``waits_at``: the step with which the files of a run begin whose
    archive waits until the results of a final that continues it are out; empty: no run's waits.
    """

    about: Text
    left_out: tuple[Text, ...]
    answers: str = "answers"
    waits_at: str = ""


@runtime_checkable
class Archived(Protocol):
    """A track whose results are published as archives, beside :class:`tracks.protocol.Track`."""

    @property
    def archive_rules(self) -> ArchiveRules:
        """Return what an archive holds and what is left out, by the contest's text."""


@runtime_checkable
class ArchivesAnswers(Archived, Protocol):
    """A track whose finals' archives hold what programs sent."""

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return an answer under the item's opaque name, with nothing of the people and machines that made it.

        Of an item with more than one step ``answer`` is the list of its turns, as :meth:`tracks.protocol.Track.score`
        takes them.
        """


@runtime_checkable
class ArchivesReferences(ArchivesAnswers, Protocol):
    """A track whose archives hold items and references, too: what is archived scores as what it was made of."""

    def author_of(self, reference: Json) -> str:
        """By what name a reference says who made it, empty where it says nothing. It is never published."""

    def archived_reference(self, item: Json, reference: Json, file_id: str, expert: str) -> Json:
        """A reference under the item's opaque name, of its author the pseudonym alone."""
