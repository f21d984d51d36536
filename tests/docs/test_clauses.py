"""``docs/clauses.md`` says what register, marks and tests say; where the three disagree the build fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.clauses.__main__ import CITED, PAGE, ROOT, cited_text, lines_of_marks
from tools.clauses.page import find_faults, render_page
from tools.clauses.reading import Mark, Proof, Source, clause_of, read_marks, read_proofs, read_register
from tracks import registry
from tracks.capabilities import Archived

LISTED = 'order = 1\ntitle = "R"\nabout = ""\ncontest = "essay"\n\n["R 7.6"]\nwhat = "A late file is annulled."\n'
CODE = '# Clause: R 7.6\n@cache\ndef annul():\n    """Void what is late."""\n'
TEST = "def test_r_7_6_a_late_file_is_annulled():\n    pass\n"


class Tree:
    """A small checkout: one clause, one function that enforces it, one test that proves it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("docs/clauses/r.toml", LISTED)
        self.write("layers/contest/src/contest/domain/fate.py", CODE)
        self.write("tests/clauses/test_fate.py", TEST)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8")

    def faults(self) -> list[str]:
        return find_faults(read_register(self.root), read_marks(self.root), read_proofs(self.root))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture(scope="module")
def read() -> tuple[tuple[Source, ...], list[Mark], list[Proof]]:
    """Read this checkout's clauses, marks and proofs."""
    return read_register(ROOT), read_marks(ROOT), read_proofs(ROOT)


def test_the_page_is_written_of_what_agrees(read: tuple[tuple[Source, ...], list[Mark], list[Proof]]) -> None:
    assert find_faults(*read) == []
    assert PAGE.read_text("utf-8") == render_page(*read), "run: make clauses"
    heads = [source.title.partition(":")[0] for source in read_register(ROOT)]
    assert heads == ["R", "D", "U", "G", "F", "platform", "MS", "tracks", "TS"]


def test_the_site_cites_the_register(tree: Tree, read: tuple[tuple[Source, ...], list[Mark], list[Proof]]) -> None:
    assert CITED.read_text("utf-8") == cited_text(read[0]), "run: make clauses"
    assert json.loads(cited_text(read_register(tree.root))) == {}
    tree.write("docs/clauses/r.toml", LISTED + 'what_ru = "Опоздавший файл аннулируется."\n')
    assert json.loads(cited_text(read_register(tree.root))) == {
        "R 7.6": {"contest": "essay", "en": "A late file is annulled.", "ru": "Опоздавший файл аннулируется."}
    }


@pytest.mark.parametrize(
    ("before", "is_lost"),
    [
        ("@pytest.mark.long\n", True),
        ("pytestmark = [pytest.mark.long]\n\n\n", True),
        ("@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.long)])\n", True),
        ("@pytest.mark.parametrize('n', [2, pytest.param(1, marks=pytest.mark.long)])\n", False),
        ("@pytest.mark.parametrize('n', NUMBERS)\n", False),
    ],
)
def test_a_clause_whose_tests_the_gate_never_runs_is_found(tree: Tree, before: str, is_lost: bool) -> None:
    tree.write("tests/clauses/test_fate.py", before + TEST)
    lost = "R 7.6: only make long runs its tests; leave the gate a cheap form of one"
    assert tree.faults() == ([lost] if is_lost else [])
    tree.write("tests/clauses/test_again.py", TEST)
    assert tree.faults() == []


REGISTER, MARKED, PROVED = (
    "docs/clauses/r.toml",
    "layers/contest/src/contest/domain/fate.py",
    "tests/clauses/test_fate.py",
)


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({PROVED: ""}, "R 7.6: marked in the code, but no test proves it; write one or take the mark away"),
        (
            {"functions/score/api.py": CODE.replace("R 7.6", "R 7.66")},
            "functions/score/api.py:3: annul marks 'R 7.66', which docs/clauses does not list",
        ),
        (
            {"layers/contest/src/contest/domain/late.py": '"""Late files.\n\nClause: R 7.6\n"""\n'},
            "layers/contest/src/contest/domain/late.py: ",
        ),
        ({"tests/clauses/test_more.py": "def test_r_7_61_x():\n    pass\n"}, "tests/clauses/test_more.py::"),
        ({"tests/clauses/test_more.py": TEST.replace("_r_7_6_", "_the_file_")}, "tests/clauses/test_more.py::"),
        (
            {"tests/contest/test_more.py": '@pytest.mark.clause("R 1")\ndef test_a():\n    pass\n'},
            "tests/contest/test_more.py::test_a: names 'R 1', which docs/clauses does not list",
        ),
        (
            {MARKED: "", PROVED: ""},
            "R 7.6: nothing enforces it; mark the code that does or say what is needed (not_yet = …)",
        ),
        ({MARKED: ""}, "R 7.6: a test names it, but no code is marked; mark what the test would see broken"),
        (
            {REGISTER: LISTED + 'not_yet = "nobody counts"\n'},
            "R 7.6: marked in the code and not_yet; say what is missing (missing = …) instead, or nothing",
        ),
        (
            {REGISTER: LISTED + 'missing = "nobody counts"\n', MARKED: "", PROVED: ""},
            "R 7.6: a part is missing, but no code is marked for the rest; mark it or say not_yet",
        ),
    ],
)
def test_the_one_fault_is_found(tree: Tree, files: dict[str, str], fault: str) -> None:
    for path, text in files.items():
        tree.write(path, text)
    (result,) = tree.faults()
    assert result.startswith(fault)


@pytest.mark.parametrize(
    ("said", "is_enforced"),
    [
        ("", True),
        ('missing = "nobody counts the late ones"\n', True),
        *((f'{word} = "x"\n', False) for word in ("not_yet", "decided")),
    ],
)
def test_a_tree_where_the_three_agree_has_no_fault(tree: Tree, said: str, is_enforced: bool) -> None:
    tree.write(REGISTER, LISTED + said)
    if not is_enforced:
        tree.write(MARKED, "")
        tree.write(PROVED, "")
    assert tree.faults() == []


@pytest.mark.parametrize(
    "line", ['wat = "?"', 'not_yet = ""', '["R 1"]\nmissing = "all"', "[", '["R 7.6"]\nwhat = "again"']
)
def test_a_register_of_another_form_is_refused_with_its_file(tree: Tree, line: str) -> None:
    tree.write("docs/clauses/r.toml", f"{LISTED}{line}\n")
    with pytest.raises(ValueError, match=r"r\.toml: "):
        tree.faults()


def test_a_clause_listed_in_two_files_is_refused(tree: Tree) -> None:
    tree.write("docs/clauses/s.toml", LISTED)
    with pytest.raises(ValueError, match=r"R 7\.6 is listed in two files"):
        tree.faults()


def test_marks_are_read_of_functions_methods_classes_and_constants(tree: Tree) -> None:
    tree.write(
        "infra/rates.py",
        "# Clause: A, B; C\nHOURS = 4\n"
        'class Rates:\n    """Hourly rates. Clause: D"""\n    hours: int = 4\n    """Clause: E\n\n    Clause: F"""\n'
        "    # What it costs.\n    # Clauses: G\n    @property\n    def minute(self):\n        pass\n",
    )
    found = [(mark.clause, f"{mark.module}:{mark.name}", mark.line) for mark in read_marks(tree.root)]
    assert found == [
        ("A", "infra.rates:HOURS", 2),
        ("B", "infra.rates:HOURS", 2),
        ("C", "infra.rates:HOURS", 2),
        ("D", "infra.rates:Rates", 3),
        ("E", "infra.rates:Rates.hours", 5),
        ("F", "infra.rates:Rates.hours", 5),
        ("G", "infra.rates:Rates.minute", 12),
        ("R 7.6", "contest.domain.fate:annul", 3),
    ]


def test_tests_are_marked_one_by_one_by_class_and_by_module(tree: Tree) -> None:
    tree.write(
        "tests/markup_core/test_losses.py",
        'pytestmark = [pytest.mark.slow, pytest.mark.clause("A")]\n'
        '@pytest.mark.clause("B", "C")\ndef test_one():\n    pass\n'
        '@pytest.mark.clause("D")\nclass TestLosses:\n    def test_two(self):\n        pass\n'
        "def helper():\n    pass\n",
    )
    found = [
        (proof.clause, proof.test.removeprefix("tests/markup_core/test_losses.py::"))
        for proof in read_proofs(tree.root)
    ]
    assert found == [
        ("A", "TestLosses::test_two"),
        ("A", "test_one"),
        ("B", "test_one"),
        ("C", "test_one"),
        ("D", "TestLosses::test_two"),
        ("R 7.6", "tests/clauses/test_fate.py::test_r_7_6_a_late_file_is_annulled"),
    ]


def test_the_sites_marks_and_tests_are_read_from_the_comments_right_above_them(tree: Tree) -> None:
    tree.write(
        "web/src/pages/annotator/Annotator.tsx",
        "/** Part. */\nconst part = 1;\n\n/**\n * An essay * and its marks.\n *\n * Clause: A, B\n */\n"
        "export function Annotator() {}\n\n/** Clause: C */\nexport const KEYS = [];\n"
        "/** Keys of spans. Clause: D, E */\nfunction Spans() {}\n",
    )
    tree.write(
        "web/tests/annotator.spec.ts",
        "/** Clause: A; B */\ntest(`by mouse (${language})`, async () => {});\n"
        "for (const one of all) {\n  /** Clause: C */\n  test('it\\'s \"so\"', { tag: 1 }, run);\n}\n",
    )
    tree.write("web/src/text/words.test.ts", '/** Clause: C */\nit("counts", () => {});\n')
    tree.write("web/src/text/shown.test.tsx", '/** Clause: C */\nit("shows", () => {});\n')
    marks = [(mark.clause, f"{mark.module}:{mark.name}", mark.line) for mark in read_marks(tree.root)]
    assert marks == [
        ("A", "web.src.pages.annotator.Annotator:Annotator", 9),
        ("B", "web.src.pages.annotator.Annotator:Annotator", 9),
        ("C", "web.src.pages.annotator.Annotator:KEYS", 12),
        ("D", "web.src.pages.annotator.Annotator:Spans", 14),
        ("E", "web.src.pages.annotator.Annotator:Spans", 14),
        ("R 7.6", "contest.domain.fate:annul", 3),
    ]
    proofs = [(proof.clause, proof.test) for proof in read_proofs(tree.root) if proof.clause != "R 7.6"]
    assert proofs == [
        ("A", "web/tests/annotator.spec.ts::by mouse (${language})"),
        ("B", "web/tests/annotator.spec.ts::by mouse (${language})"),
        ("C", "web/src/text/shown.test.tsx::shows"),
        ("C", "web/src/text/words.test.ts::counts"),
        ("C", 'web/tests/annotator.spec.ts::it\\\'s "so"'),
    ]


def test_a_comment_of_the_site_above_nothing_that_it_can_mark_is_found(tree: Tree) -> None:
    tree.write("web/src/text/words.ts", "{\n  /** Clause: R 7.6 */\n  const within = 1;\n}\n")
    tree.write("web/tests/words.spec.ts", "/** Clause: R 7.6 */\nconst within = 1;\n")
    assert [fault.partition(": ")[0] for fault in tree.faults()] == [
        "web/src/text/words.ts",
        "web/tests/words.spec.ts::",
    ]


def test_a_marker_holds_in_place_of_the_name(tree: Tree) -> None:
    tree.write("tests/clauses/test_fate.py", f'@pytest.mark.clause("R-App1 M3")\n{TEST}')
    assert [proof.clause for proof in read_proofs(tree.root)] == ["R-App1 M3"]


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("test_r_6_5_4_the_report", "R 6.5.4"),
        ("test_r_app2_3_a_match", "R-App2 §3"),
        ("test_d_12_8_ten_requests", "D 12.8"),
        ("test_platform_3_a_retry", "platform §3"),
        ("test_receipts_verify", ""),
    ],
)
def test_a_clause_is_read_from_a_tests_name(name: str, clause: str) -> None:
    assert clause_of(name) == clause


def test_every_mark_is_printed_with_its_place_and_its_tests(tree: Tree) -> None:
    [line] = lines_of_marks(read_marks(tree.root), read_proofs(tree.root))
    assert line.split("\t") == [
        "R 7.6",
        "contest.domain.fate:annul",
        "layers/contest/src/contest/domain/fate.py:3",
        "tests/clauses/test_fate.py::test_r_7_6_a_late_file_is_annulled",
    ]


def test_the_page_says_what_is_enforced_missing_and_decided(tree: Tree) -> None:
    tree.write(
        "docs/clauses/r.toml",
        LISTED
        + 'missing = "late | later"\n["R 8"]\nwhat = "B."\nnot_yet = "all"\n["R 9"]\nwhat = "C."\ndecided = "so"\n',
    )
    page = render_page(read_register(tree.root), read_marks(tree.root), read_proofs(tree.root))
    assert "| R | 0 | 1 | 1 | 1 | 3 |\n| all | 0 | 1 | 1 | 1 | 3 |\n" in page
    assert page.endswith(
        "| R 7.6 | A late file is annulled. "
        "| [contest.domain.fate:annul](../layers/contest/src/contest/domain/fate.py) "
        "| [test_r_7_6_a_late_file_is_annulled](../tests/clauses/test_fate.py) | in part: late \\| later |\n"
        "| R 8 | B. |  |  | not yet: all |\n"
        "| R 9 | C. |  |  | decided: so |\n"
    )


def test_enforced_in_part_and_archived(read: tuple[tuple[Source, ...], list[Mark], list[Proof]]) -> None:
    """A notice period is checked and told, and forbids nothing: its clause is nowhere simply enforced."""
    told = {clause.key: clause for source in read[0] for clause in source.clauses}
    periods = {each.clause for name in registry.names() for each in registry.get(name).notice_periods()}
    assert len(periods) >= 12
    assert [key for key in sorted(periods) if not told[key].missing] == []
    doctor = next(source for source in read[0] if source.contest == "diagnosis")
    told = {clause.key: clause for clause in doctor.clauses}
    has_archive = isinstance(registry.get("diagnosis"), Archived)
    assert has_archive is not bool(told["D 14.7"].not_yet)
    assert has_archive is not bool(told["D 14.5"].missing)
