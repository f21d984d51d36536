"""Optional capabilities beside :class:`tracks.protocol.Track`: own files, experts' markups, archives, prizes, others.

:class:`ArchiveRules` say what of a contest's results everybody may have, where they are published as archives (R 7.14,
D 14.7). Each contest's text decides: the data that it gives over is in the archive, the data that it closes is left
out, and the archive says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import BinaryIO, Protocol, runtime_checkable

from markup_core.lazy import dataclass
from markup_core.model import Markup
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
    """Names of the contest's own files, by the names of the files converted from them."""
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
    """A track that names the tools of files that it does not read, beside :class:`tracks.protocol.Track`."""

    def of_another_tool(self, body: bytes) -> Reason | None:
        """Name the tool or format of a file, and what to do with it; None for an unknown one."""


@runtime_checkable
class ReadsFolders(Protocol):
    """A track whose contest has folders within a set's, beside :class:`ReadsOwnFiles`."""

    def folders(self) -> tuple[str, ...]:
        """Return the folders, as paths within the set's; their files are unpacked with the set's under such paths."""


@runtime_checkable
class HasLargeFiles(Protocol):
    """A track one of whose contest's own files may hold a whole set, or be a large image, beside
    :class:`ReadsOwnFiles`."""

    largest_file: int
    """Most bytes of one file."""


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
        """Return the states of this item's dialogue; it starts at the first one."""


def steps_of(track: Track, item: Json, parameters: Json) -> tuple[Step, ...]:
    """Return the states of an item's dialogue, whether they follow from the item or from the parameters alone."""
    return track.steps_of(item, parameters) if isinstance(track, StepsByItem) else track.steps(parameters)


@runtime_checkable
class MeasuresFiles(Protocol):
    """A track whose :meth:`~tracks.protocol.Track.details` is ``measures`` of some kind of set."""

    def measures(self, score: Json) -> Json:
        """Reduce a score record to the part that may be shown of a hidden set's file: its measures in whole per cent.

        ``report_sections`` takes outcomes with these in place of the record.
        """


@runtime_checkable
class JoinsRuns(Protocol):
    """A track one of whose boards counts two runs together, beside :class:`tracks.protocol.Track`."""

    def joined(self, aggregates: Sequence[Json], parameters: Json) -> Json:
        """Aggregate several sessions of a participant, from their aggregates or totals, as one session."""


@runtime_checkable
class ComparesTeams(Protocol):
    """A track that has tables over all teams of a board, beside :class:`tracks.protocol.Track`."""

    def comparison(self, standings: Sequence[Standing], parameters: Json, board: str) -> tuple[Section, ...]:
        """Build tables over everybody's results, those too that the ranking leaves out; ``team`` of a
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
        """Return the numbers of programs, people and rounds, and the questions."""

    def lot(
        self, teams: Sequence[str], people: Sequence[str], seed: int
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Draw the names under which teams' programs and people work, from a seed; in the order of the rotation."""

    def rotation(self, rounds: int) -> Sequence[Sequence[Sequence[int]]]:
        """Return, by round and by program, the places of the people who see its work, in the lot's order and from 0."""

    def replayed(self, item: Json, file_id: str, turns: Sequence[Turn], parameters: Json) -> Sequence[Json]:
        """Return a person's views one by one: the item as it was handed out, then every turn with its response."""

    def judged(self, works: Sequence[Reviewed], parameters: Json) -> Json:
        """Sum up the reviews of one program; those without an answer are reported and count for nothing."""

    def judgements(self, results: Mapping[str, Json]) -> Section:
        """Build a table of all programs' results, by their names, beside the board."""


@runtime_checkable
class QualifiesByResult(Protocol):
    """A track whose sessions of the qualification are passed by their result, beside :class:`tracks.protocol.Track`."""

    def passed(self, aggregate: Json) -> bool | None:
        """Check whether a session with this result has passed; None if the result does not say."""


@runtime_checkable
class DescribesSets(Protocol):
    """A track with tables of a data set's contents, beside :class:`tracks.protocol.Track`."""

    def set_sections(self, entries: Sequence[tuple[Json, Sequence[Json]]]) -> tuple[Section, ...]:
        """Build tables of checked items, each with its references; must not depend on the order of the items."""


@runtime_checkable
class MeasuresRatings(Protocol):
    """A track that measures the agreement of raters of the same things, beside :class:`tracks.protocol.Track`."""

    def ratings_sections(self, body: bytes) -> tuple[tuple[Section, ...], tuple[Reason, ...]]:
        """Build tables of agreement from ratings as organizers bring them; reasons, and no tables, if unreadable.

        Never raises on bad input. A measure that is undefined is None.
        """


@dataclass(frozen=True, slots=True)
class EarlierOrder:
    """Order of an earlier client: a mode, the kind of set, and the step with which an item of that set begins.

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
    """A track whose contest has earlier clients, which fetch documents after an event, beside :class:`Track`.

    They start a session over the event channel, fetch each document by itself, and answer over HTTP.
    """

    @property
    def earlier_first(self) -> str:
        """The kind of answer that these clients must give before any other, at a step that takes it."""

    def earlier_order(
        self, contest: Json, params: Mapping[str, Json]
    ) -> tuple[EarlierOrder | None, tuple[Reason, ...]]:
        """Read an earlier client's order, in its own words; None exactly when there are reasons."""

    def earlier_document(self, content: Json) -> tuple[str, str]:
        """Return the version's name and the document of a hand-out."""

    def earlier_answer(self, raw: Json, step: str) -> Json:
        """Convert a client's answer to :meth:`Track.validate`'s form at a step; leave an unreadable one as it is."""

    def earlier_request(self, code: Json) -> Json:
        """Convert a client's request by code to the same form."""

    def earlier_documents(self, response: Json) -> tuple[str, ...]:
        """Return the documents in a response (:meth:`Track.respond`); none if it brought nothing."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Judgement of an expert's draft: every fault, or the grade of a draft without faults.

    ``markup`` is the canonical form, None exactly when there are reasons. ``grade`` is the track's own account of the
    points with the sentence that explains each, None where there is none.
    """

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    markup: Json = None
    grade: Json = None

    @property
    def is_valid(self) -> bool:
        """Return whether the draft may be handed in."""
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
        """Return the reasons why two markups need a third expert; none if they do not. Their order does not matter."""

    def earlier(self, item: Json, markup: Json, file_id: str) -> Json:
        """Return a markup as another expert sees it: under the item's opaque name, without its author."""

    def reference(self, item: Json, markup: Json, expert: str, *, is_third: bool) -> Json:
        """Convert a markup to a reference for :meth:`Track.read_reference`, under the expert's pseudonym."""

    def accuracy_against(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """Measure the first markup's agreement with the second: the track's measures of the pair."""

    def cards(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return an answer's parts for experts to rate, under the item's opaque name; None if there are none."""

    def judge_ratings(self, answer: Json, body: bytes, parameters: Json) -> Judged:
        """Judge a draft of one expert's ratings of an answer, as :meth:`judge` does.

        ``markup`` maps each rated part to the expert's rating.
        """

    def weighs_ratings(self, parameters: Json) -> bool:
        """Check whether scores depend on ratings, so that an answer waits for them."""

    def is_rated(self, answer: Json, ratings: Json) -> bool:
        """Check whether an answer is completely rated; ``ratings`` map each part to a list of experts' ratings."""

    def score_rated(
        self, item: Json, answer: Json, references: Sequence[Json], ratings: Json, parameters: Json
    ) -> Json:
        """Score an item as :meth:`Track.score` does, with the ratings of this answer."""

    def pair(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """Reduce two markups of an item to the facts from which agreement is computed: small, and a pure function."""

    def agreement(self, pairs: Sequence[Agreed], seed: int) -> Json:
        """Measure experts' agreement, with 95 % intervals: over all items, by pair of experts, group and code, and each
        expert's drift from its partners. Must not depend on the order of the items."""


@runtime_checkable
class TakesSuggestions(Protocol):
    """A track whose experts may be shown suggested fragments (pre-annotation), beside :class:`MarkedByExperts`."""

    def from_phrases(self, item: Json, phrases: Sequence[tuple[str, str]], parameters: Json) -> Json:
        """Return a markup of the item with a code wherever its phrase stands as whole words, as a draft is sent."""

    def suggestions(self, markup: Json) -> int:
        """Count a markup's fragments."""

    def kept(self, suggested: Json, markup: Json) -> int:
        """Count the suggested fragments that a markup has at the same place under the same code."""

    def with_suggestions(self, reference: Json, source: str, fragments: int, taken_over: int) -> Json:
        """Return a reference that names the suggestions shown to its annotator, and the number of them that it has."""


@dataclass(frozen=True, slots=True)
class FromCorpus:
    """A document of an annotated corpus as an item, with its annotators' references by their numbers."""

    item: Json
    references: Mapping[int, Json]


@dataclass(frozen=True, slots=True)
class PeopleMeasured:
    """Reasons why a barrier means nothing on a set; none where it means something.

    ``accuracy`` is people's against each other, ``interval`` their result on other items, ``blank`` the result of an
    empty answer, both in per cent of the barrier.
    """

    items: int
    accuracy: float | None
    interval: tuple[float, float] | None
    blank: float | None
    reasons: tuple[Reason, ...]


@runtime_checkable
class MadeOfCorpora(Protocol):
    """A track whose sets can be made of annotated corpora of other tools, beside :class:`Track`."""

    least_annotators: int
    """Least number of annotators of an item of a hidden set."""
    needs_corrections: bool
    """True if items are made of corrections, so that a corpus without any gives no items."""

    def corpus_classifier(self, label_set: Json) -> Json:
        """Return the classifier of a cycle's file, made from the label set of the corpus."""

    def of_corpus(
        self, item_id: str, text: str, meta: Mapping[str, Json], place: tuple[str, str], markups: Mapping[int, Markup]
    ) -> FromCorpus:
        """Return a document as an item with references; ``place`` is the cycle's language and group."""

    def people_measured(self, items: Sequence[Sequence[Markup]], parameters: Json, seed: int) -> PeopleMeasured | None:
        """Judge whether a barrier means something on items with these references; None for a board without one."""


@dataclass(frozen=True, slots=True)
class ProgramRead:
    """Judgement of an archive with a program: every fault, or the image and command that run it.

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
        """Return a program's limits by the platform's names (``wall_s``, ``memory`` in bytes, ``cpus`` …)."""

    def inputs(self, item: Json) -> Mapping[str, Json]:
        """Return a program's inputs for an item: JSON values by their paths below its folder of inputs."""

    def attachments(self, item: Json) -> Mapping[str, str]:
        """Return the files beside these that are no JSON (images): ``SIZE-SHA256`` of each, by their paths."""

    def outputs_of(self, item: Json) -> tuple[str, ...]:
        """Return names of the file with which a program answers an item; of several that exist the first counts."""


@runtime_checkable
class MeasuredByProgram(Protocol):
    """A track whose measure is a program that a cycle's parameters name, beside :class:`tracks.protocol.Track`.

    What such a track says of boards, names and results depends on the parameters: the registry's own knows none, and
    :meth:`under` returns the track of a cycle, a run or a session.
    """

    def under(self, parameters: Json, content_of: Callable[[str], bytes], *, anew: bool = False) -> Track:
        """Return the track under completed parameters; ``content_of`` returns the content of a program by its SHA-256.

        ``anew``: nothing that was computed before is used.
        """

    def program_file(self, parameters: Json) -> str:
        """Return the name of the program's file that the parameters demand yet; empty where there is none to read."""

    def program_content(self, parameters: Json, read_file: Callable[[str], bytes]) -> bytes:
        """Return the content to store of a new program; ``read_file`` returns a file or raises LookupError."""

    def taken_in(self, parameters: Json, content: bytes) -> tuple[Json, tuple[Reason, ...]]:
        """Return parameters that name a program by its SHA-256, or the reasons why it cannot be the measure."""

    def program_sha256(self, parameters: Json) -> str:
        """Return the SHA-256 of the program that the parameters name; empty where it is not taken in."""

    def unmeasured(self, aggregate: Json) -> Reason | None:
        """Return the reason why a result has no value: a failure of the program; None if it has not failed."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Contribution of one request to a hidden set's totals: equal ones change no total, whatever else was written.

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
    """A track that shows which answers are equal for its totals, beside :class:`tracks.protocol.Track`."""

    def counted(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Mapping[str, Counted]:
        """Return the contribution of a canonical answer (None: a missed one) to totals, by the requests of its item;
        an item that is one request names it with an empty string.

        ``references``: of a track that is answered by a program their contents, of any other their SHA-256: whoever
        tells reports may not read what is hidden."""

    def without_breakdowns(self, totals: Json) -> Json:
        """Return totals without their breakdowns by groups of items."""


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
        """Compute each team's prizes from its result in the private test and its declaration."""


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """Description of an archive: ``about`` its content, ``left_out`` the missing parts and why, a sentence each.

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
        """Return the descriptions of an archive's content and of its left-out parts, by the contest's text."""


@runtime_checkable
class ArchivesAnswers(Archived, Protocol):
    """A track whose finals' archives hold the programs' answers."""

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return an answer under the item's opaque name, with nothing of the people and machines that made it.

        Of an item with more than one step ``answer`` is the list of its turns, as :meth:`tracks.protocol.Track.score`
        takes them.
        """


@runtime_checkable
class ArchivesReferences(ArchivesAnswers, Protocol):
    """A track whose archives hold items and references, too; archived answers score as the original ones."""

    def author_of(self, reference: Json) -> str:
        """Return the author's name in a reference, empty if it has none. It is never published."""

    def archived_reference(self, item: Json, reference: Json, file_id: str, expert: str) -> Json:
        """Return a reference under the item's opaque name, with its author's pseudonym alone."""
