"""Epicrises are read safely, and into no more than the few facts needed (D-App1а 3)."""

from __future__ import annotations

import pytest

from tracks.diagnosis import items
from tracks.diagnosis.items import StudyEntry, UnsafeError, read_epicrisis

INSTRUMENTAL = 'codeSystem="1.2.643.5.1.13.13.11.1471"'
LABORATORY = 'codeSystem="1.2.643.5.1.13.13.11.1080"'
ICD = 'codeSystem="1.2.643.5.1.13.13.11.1005"'


def document(body: str, head: str = "") -> str:
    return f'{head}<ClinicalDocument xmlns="urn:hl7-org:v3"><component>{body}</component></ClinicalDocument>'


def entry(code: str, ident: str = "", system: str = INSTRUMENTAL) -> str:
    return f'<entry><observation>{ident}<code code="{code}" {system} displayName="КТ груди"/></observation></entry>'


def code_of(source: bytes | str) -> str:
    with pytest.raises(UnsafeError) as caught:
        read_epicrisis(source)
    return caught.value.code


def test_studies_of_entries_are_read_with_their_identifiers() -> None:
    body = entry("7001902", '<id root="1.2.3" extension="17"/>') + entry("1", system=LABORATORY)
    found = read_epicrisis(document(body))
    assert found.root == "ClinicalDocument"
    assert found.studies == (
        StudyEntry("1.2.3/17", "7001902", "instrumental", "КТ груди"),
        StudyEntry(None, "1", "laboratory", "КТ груди"),
    )


def test_an_identifier_after_the_code_belongs_to_it_too() -> None:
    late = f'<entry><act><code code="5" {INSTRUMENTAL}/><id root="9"/></act></entry>'
    assert read_epicrisis(document(late)).studies[0].ident == "9"


def test_one_study_named_twice_counts_once_and_studies_without_identifiers_each() -> None:
    same = entry("7001902", '<id root="1"/>')
    assert len(read_epicrisis(document(same + same)).studies) == 1
    assert len(read_epicrisis(document(entry("7001902") + entry("7001902"))).studies) == 2
    assert len(read_epicrisis(document(same + entry("7001903", '<id root="1"/>'))).studies) == 2


def test_codes_outside_entries_and_of_other_directories_are_no_studies() -> None:
    outside = f'<code code="7001902" {INSTRUMENTAL}/>'
    foreign = '<entry><code code="1" codeSystem="2.16.840.1"/><code codeSystem="1.2.643.5.1.13.13.11.1471"/></entry>'
    assert read_epicrisis(document(outside + foreign + "<entry/>" + outside)).studies == ()


def test_icd_10_codes_are_listed_once_by_their_base_parts() -> None:
    body = f'<value code="C34.1" {ICD}/><value code="C34.2" {ICD}/><value code="J44" {ICD}/>'
    assert read_epicrisis(document(body)).diagnoses == ("C34", "J44")


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1251", "utf-16"])
def test_files_in_the_usual_encodings_are_read(encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    assert read_epicrisis(document(entry("1"), head).encode(encoding)).studies[0].title == "КТ груди"


def test_text_is_read_whatever_encoding_it_declares() -> None:
    head = '<?xml version="1.0" encoding="windows-1251"?>'
    assert read_epicrisis(document(entry("1"), head)).studies[0].title == "КТ груди"


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.clause("tracks §1 XML")
@pytest.mark.parametrize(
    "source",
    [
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l11;</a>',
        f'<!DOCTYPE a [<!ENTITY x "{"x" * 50_000}">]><a>{"&x;" * 1000}</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;]><a/>',
        '<!DOCTYPE a SYSTEM "http://localhost/x.dtd"><a/>',
        "<!DOCTYPE a><a/>",
    ],
)
def test_bombs_and_external_entities_are_refused_unread(source: str) -> None:
    assert code_of(source) == code_of(source.encode()) == "declares_entities"


@pytest.mark.clause("D 6.4")
@pytest.mark.parametrize(
    "source",
    [
        "",
        "epicrisis",
        "<a>",
        "<a></b>",
        "<a>&unknown;</a>",
        "<a>\x00</a>",
        "<a>\ud800</a>",
        b"<a>\xff</a>",
        b'<?xml version="1.0" encoding="klingon"?><a/>',
        b'<?xml version="1.0" encoding="utf-7"?><a/>',
        b'<?xml version="1.0" encoding="utf-16"?><a/>',
    ],
)
def test_what_is_no_xml_is_refused(source: bytes | str) -> None:
    assert code_of(source) == "not_xml"


def test_a_broken_file_names_its_line() -> None:
    with pytest.raises(UnsafeError, match="line 3: this is no XML: mismatched tag") as caught:
        read_epicrisis("<a>\n<b>\n</c></a>")
    assert caught.value.line == 3


def test_bottomless_nesting_is_refused() -> None:
    deepest = items.MAX_DEPTH
    assert read_epicrisis("<a>" * deepest + "</a>" * deepest).elements == deepest
    assert code_of("<a>" * (deepest + 1) + "</a>" * (deepest + 1)) == "too_deep"
    assert code_of("<a>" * 100_000) == "too_deep"


def test_too_many_elements_and_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MAX_ELEMENTS", 3)
    assert code_of("<a>" + "<b/>" * 3 + "</a>") == "too_many_elements"
    monkeypatch.setattr(items, "MAX_BYTES", 10)
    assert code_of("<a>12345678</a>") == "too_big"
